"""The predictor: predictions a second."""

from __future__ import annotations

import itertools
import time
from collections.abc import Sequence

from arith.theory.arithmetic.directions import Direction
from arith.theory.arithmetic.domains import Domain
from arith.theory.arithmetic.tasks import named_task
from arith.theory.generalization.outcomes import Claim
from arith.theory.prediction.forecast import forecast
from arith.theory.prediction.predict import predict
from arith.theory.setting.settings import Setting
from arith.theory.transformer.encodings import ENCODINGS, encoding
from arith.theory.transformer.layouts import layout
from benchmarks.measuring import Table, apart, spread

_MODULI = {
    "mod_add": (50, 51, 100, 101, 150, 151, 200, 201),
    "mod_mul": (50, 51, 100, 101, 125, 150, 200, 201),
}
_TRAINED = (2, 3)
_TESTED = (1, 2, 3, 4, 5, 6)
LAYOUTS = ("aligned", "plain", "reversed")


def tables(quick: bool, device: str) -> list[Table]:
    """Predictions a second over the modular tasks."""
    processes = 2 if quick else 5
    grids = (
        ("every encoding and layout", tuple(ENCODINGS), LAYOUTS),
        ("one encoding and layout", ("ape",), ("aligned",)),
    )
    rows = []
    for text, encodings, layouts in grids:
        passes = [apart(1, _rates, encodings, layouts) for _ in range(processes)]
        rows.append(
            {
                "settings": text,
                "number": len(settings(encodings, layouts)),
                "first pass, 1/s": spread([first for first, _ in passes]),
                "second pass, 1/s": spread([second for _, second in passes]),
            }
        )
    note = (
        f"Median and quartiles of {processes} fresh processes, imports done. A prediction is the "
        f"verdicts, the exact accuracies at {len(_TESTED)} lengths, what is claimed of them, and "
        "the forecast where nothing is."
    )
    return [Table("Predictions a second", rows, note)]


def settings(encodings: Sequence[str], layouts: Sequence[str]) -> list[Setting]:
    """Each setting made anew, so that none shares a task or a domain with another."""
    return [
        Setting(
            named_task(task, modulus),
            10,
            encoding(pe),
            layout(order),
            Domain((trained,)),
            test_lengths=_TESTED,
        )
        for task, moduli in _MODULI.items()
        for modulus, trained, pe, order in itertools.product(moduli, _TRAINED, encodings, layouts)
    ]


def _rates(encodings: Sequence[str], layouts: Sequence[str]) -> tuple[float, float]:
    """Predictions a second in the first and in the second pass over the settings."""
    # What is imported on first use, by tasks of which nothing can be reused.
    for task in (named_task("mod_mul", 7), named_task("mul")):
        _answer(Setting(task, 6, encoding("rpe"), layout("aligned"), Domain((1,)), 0, (1, 2)))
    first, second = (_rate(settings(encodings, layouts)) for _ in range(2))
    return first, second


def _rate(asked: Sequence[Setting]) -> float:
    start = time.perf_counter()
    for setting in asked:
        _answer(setting)
    return len(asked) / (time.perf_counter() - start)


def _answer(setting: Setting) -> object:
    made = predict(setting)
    lengths = [(x.status, x.accuracy, x.claim) for x in made.lengths]
    silent = [x for x in made.lengths if x.claim == Claim.NONE]
    told = forecast(setting, made.derivation, silent)
    return made.verdict(Direction.UPWARD), made.verdict(Direction.DOWNWARD), lengths, told

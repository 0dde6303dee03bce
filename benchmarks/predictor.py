"""The predictor: predictions a second."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from itertools import product

from arith.theory.arithmetic.directions import Direction
from arith.theory.generalization.outcomes import Claim
from arith.theory.prediction.forecast import forecast
from arith.theory.prediction.predict import predict
from arith.theory.setting.requests import Request
from arith.theory.setting.settings import Setting
from arith.theory.transformer.encodings import ENCODINGS
from benchmarks.measuring import Table, apart, spread

_MODULI = {
    "mod_add": (50, 51, 100, 101, 150, 151, 200, 201),
    "mod_mul": (50, 51, 100, 101, 125, 150, 200, 201),
}
_TESTED = 6
LAYOUTS = ("aligned", "plain", "reversed")


def tables(quick: bool, device: str) -> list[Table]:
    """Predictions a second over the modular tasks."""
    processes = 2 if quick else 5
    grids = {
        "every encoding and layout": (tuple(ENCODINGS), LAYOUTS),
        "one encoding and layout": (("ape",), ("aligned",)),
    }
    rows = []
    for text, grid in grids.items():
        first, second = zip(*(apart(1, _rates, *grid) for _ in range(processes)), strict=True)
        rows.append(
            {
                "settings": text,
                "number": len(settings(*grid)),
                "first pass, 1/s": spread(first),
                "second pass, 1/s": spread(second),
            }
        )
    note = (
        f"Median and quartiles of {processes} fresh processes, imports done. A prediction is the "
        f"verdicts, the exact accuracies at {_TESTED} lengths, what is claimed of them, and "
        "the forecast where nothing is."
    )
    return [Table("Predictions a second", rows, note)]


def settings(encodings: Sequence[str], layouts: Sequence[str]) -> list[Setting]:
    """Each setting of a grid, made anew."""
    tested = f"1-{_TESTED}"
    return [
        Request(task, modulus=p, train_digits=n, test_digits=tested, pe=pe, layout=form).setting()
        for task, moduli in _MODULI.items()
        for p, n, pe, form in product(moduli, "23", encodings, layouts)
    ]


def _rates(encodings: Sequence[str], layouts: Sequence[str]) -> tuple[float, float]:
    """Predictions a second in the first and in the second pass over the settings."""
    # What is imported on first use, by tasks of which nothing can be reused.
    small = Request(base=6, pe="rpe", train_digits="1", test_digits="1,2")
    for request in (replace(small, task="mod_mul", modulus=7), replace(small, task="mul")):
        _answer(request.setting())
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

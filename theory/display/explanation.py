"""A derivation in numbered lines, what else is known of the training, and the sources."""

from __future__ import annotations

from typing import TYPE_CHECKING

from theory.display.answer import published_line
from theory.learning.leap_complexity import FEW, leaps
from theory.learning.plateaus import plateaus
from theory.prediction.unseen_text import single
from theory.setting.decision import Decision

if TYPE_CHECKING:
    from theory.prediction.predict import Prediction

_FINDINGS = "docs/findings.md"


def explanation(prediction: Prediction) -> list[str]:
    """The derivation in numbered steps, how training may go, and the sources, one per line."""
    steps = prediction.derivation
    cites = [_short(step.source, single(prediction.setting.train) is not None) for step in steps]
    sources = list(dict.fromkeys(cites))
    lines = [
        f"{number}. {step.statement} ({step.rule} [{sources.index(cites[number - 1]) + 1}])"
        for number, step in enumerate(steps, 1)
    ]
    lines.append(published_line(prediction, with_reason=True))
    lines += _before_convergence(prediction) + _how_soon(prediction)
    cited = [f"[{number}] {source}" for number, source in enumerate(sources, 1)]
    return [*lines, *cited[:-1], f"{cited[-1]} (rules: arith theorems)"]


def _short(source: str, is_published: bool) -> str:
    """A source in a line; what the paper publishes of single ``D_n`` needs nothing of ours."""
    first, *more = source.split("; ")
    if first.startswith("ours") and _FINDINGS in source:
        return f"ours, observed; {_FINDINGS}"
    ours = [x for x in more if "ours" in x and not (is_published and "for other domains" in x)]
    return first.removesuffix(", 2308.08268") + ("; in part ours" if ours else "")


def _before_convergence(prediction: Prediction) -> list[str]:
    """What a model is right on that has not learned the task, where that is known."""
    s = prediction.setting
    found = plateaus(s.task, s.base, s.train)
    if not found:
        return []
    shares = [f"{float(100 * x.accuracy):.3g}% {_from(x.read)}" for x in found]
    shares[2:] = [x.replace(" digits of each operand", "") for x in shares[2:]]
    return [
        f"Training may stand on a plateau (share right on {s.train.text()}): {'; '.join(shares)}."
    ]


def _from(read: int) -> str:
    if not read:
        return "always the commonest answer"
    return f"from the last {'digit' if read == 1 else f'{read} digits'} of each operand"


def _how_soon(prediction: Prediction) -> list[str]:
    """How many digits the task asks for at once, where that can be counted."""
    s = prediction.setting
    if not s.encoding.own_positions:
        return []
    more = leaps(s.task, s.base, s.train)
    if more is Decision.UNDECIDED:
        return []
    if more is Decision.NO:
        return [
            f"The task needs up to {FEW} digits jointly (leap complexity): mostly learned soon."
        ]
    return [
        f"The task needs more than {FEW} digits jointly (leap complexity): training may be slow, "
        "or never converge; nothing above holds then."
    ]

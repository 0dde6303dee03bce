"""The report: what was predicted, what was measured, and where they part, as Markdown."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from tabulate import tabulate

from theory.display.answer import verdict_text
from theory.display.text import claim_text, fraction_text
from theory.prediction.lengths import LengthPrediction
from theory.prediction.outcomes import Claim
from theory.prediction.predict import Prediction
from theory.setting.directions import Direction
from verify.judging.judge import (
    AGREE,
    CONFIDENCE,
    DIVERGE,
    INCONCLUSIVE,
    MECHANISM,
    TOLERANCE,
    CellVerdict,
    Interval,
    LengthVerdict,
    judge,
)
from verify.judging.known_divergences import Causes
from verify.judging.known_divergences import name as cell_name
from verify.mechanism.inspection import Mechanism
from verify.plan.cells import Cell, default_model
from verify.plan.premise import PREMISE
from verify.plan.recipe import RECIPE
from verify.plan.sequences import HELD_OUT
from verify.records.runs import Run
from verify.reporting.training_course import by_training, learned_late
from verify.reporting.verdicts import count, gate_line, short_label, summary_line, verdict_word

COLUMNS = (
    "digits",
    "direction",
    "theorem",
    "predicted",
    "measured",
    "as f^",
    "verdict",
    "theorem judged",
)


def percent(x: Interval | None) -> str:
    """``0.331 [0.311, 0.352]``, or a dash."""
    return "-" if x is None else f"{x.value:.3f} [{x.low:.3f}, {x.high:.3f}]"


def judge_evidence(cells: Sequence[Cell], runs: Sequence[Run]) -> list[CellVerdict]:
    """Judge each cell by the runs of it, predictions made afresh."""
    by_cell: dict[str, list[Run]] = {}
    for run in runs:
        by_cell.setdefault(run.cell.key, []).append(run)
    return [judge(cell, by_cell.get(cell.key, [])) for cell in cells]


def length_row(verdict: CellVerdict, x: LengthVerdict) -> list[str]:
    """One line of a cell's table, in the order of ``COLUMNS``."""
    p = x.prediction
    says = (
        "-"
        if p.direction in (Direction.IN_DOMAIN, Direction.BETWEEN)
        else verdict.prediction.published_verdict(p.direction)
    )
    return [
        str(p.digits),
        p.direction.replace("_", " "),
        says,
        claim_text(verdict.prediction, p),
        percent(x.accuracy),
        percent(x.learned),
        x.verdict,
        x.published,
    ]


def cell_row(v: CellVerdict) -> list[str]:
    """One line of the summary: a cell, both verdicts, and what was found."""
    counts = Counter(x.verdict for x in v.lengths)
    judged = counts[AGREE] + counts[DIVERGE]
    found = verdict_word(v.verdict)
    if found != INCONCLUSIVE and judged:
        found += f" ({counts[AGREE]} of {judged} lengths)"
    runs = f"{len(v.converged)} of {len(v.runs)}" if v.runs else "none"
    return [
        cell_name(v) if v.cell.model != default_model(v.cell.setting.task) else v.cell.label(),
        _arrows(
            v.prediction.published_verdict(Direction.DOWNWARD),
            v.prediction.published_verdict(Direction.UPWARD),
        ),
        _arrows(
            verdict_text(v.prediction, Direction.DOWNWARD),
            verdict_text(v.prediction, Direction.UPWARD),
        ),
        " ".join(_upward(v)) or "-",
        runs,
        found,
    ]


PREDICTION_COLUMNS = ("cell", "model", "accuracy by digits (? no claim)")


def prediction_row(cell: Cell, prediction: Prediction) -> list[str]:
    """One line of a grid before it is trained: a cell and what is predicted at each test length."""
    return [
        short_label(cell),
        cell.model,
        " ".join(_by_digits(prediction, x) for x in prediction.lengths),
    ]


def _by_digits(prediction: Prediction, x: LengthPrediction) -> str:
    """``4: 49/4950``."""
    claim = prediction.claim(x)
    if claim == Claim.NONE:
        return f"{x.digits}: ?"
    return f"{x.digits}: " + (
        f"<={fraction_text(x.at_most)}" if claim == Claim.AT_MOST else fraction_text(x.accuracy)
    )


SUMMARY_COLUMNS = (
    "cell",
    "theorem (down, up)",
    "refined (down, up)",
    "measured upward",
    "converged",
    "verdict",
)


def _arrows(down: str, up: str) -> str:
    return f"{down}, {up}"


def _upward(v: CellVerdict) -> list[str]:
    return [
        f"{x.accuracy.value:.3f}"
        for x in v.lengths
        if x.prediction.direction == Direction.UPWARD and x.accuracy is not None
    ]


def summary(verdicts: Sequence[CellVerdict]) -> str:
    """What was found, a line for each question."""
    trained = [v for v in verdicts if v.runs]
    exact = Counter(x.exact for v in trained for x in v.lengths)
    theorem = Counter(x.published for v in trained for x in v.lengths)
    runs = sum(len(v.runs) for v in trained)
    met = sum(len(v.converged) for v in trained)
    return "\n".join(
        [
            f"- **Refined theory**: {summary_line(verdicts)}",
            f"- **Premise**: {met} of {count(runs, 'model')} were right on {PREMISE:.0%} of the held-out inputs "
            "of the trained lengths; the others are not judged.",
            f"- **Expected function**: where the theory has one, its accuracy is the measured one at {exact[AGREE]} "
            f"lengths and is not at {exact[DIVERGE]}, whether or not it is claimed of a model (rule *leak*).",
            f"- **Published theorems**: as measured at {theorem[AGREE]} lengths, not as measured at "
            f"{theorem[DIVERGE]}.",
            *by_training(trained),
        ]
    )


def markdown(
    name: str,
    verdicts: Sequence[CellVerdict],
    sections: Sequence[str] = (),
    causes: Causes | None = None,
) -> str:
    """The report's page.

    Args:
        name: of the grid.
        sections: see ``verify.reporting.sections``; between the cells and how it was made.
        causes: see ``verify.judging.known_divergences``.
    """
    causes = causes or Causes()
    parts = [
        f"# Theory and experiment: the {name} grid",
        f"**{gate_line(verdicts, causes)}**",
        summary(verdicts),
        "## Cells",
        tabulate(
            [cell_row(v) for v in verdicts if v.runs],
            SUMMARY_COLUMNS,
            tablefmt="github",
            disable_numparse=True,
        ),
        "*measured upward*: accuracy against the truth at each length above the trained one. "
        "*converged*: models that met the premise, of those trained. Every test length of every cell, "
        "and the command that trains it again: [cells.md](cells.md).",
        *_divergences(verdicts, causes),
        *sections,
        _how(verdicts),
    ]
    return "\n\n".join(parts) + "\n"


def cells_markdown(name: str, verdicts: Sequence[CellVerdict]) -> str:
    """The page of every cell's test lengths.

    Args:
        name: of the grid.
    """
    parts = [
        f"# Every length of the {name} grid",
        "*theorem*: arXiv 2407.17963 as published. *predicted*: the refined theory's exact accuracy. "
        f"*measured*: accuracy against the truth with its {CONFIDENCE:.0%} interval. *as f^*: share of "
        "answers equal to those of the expected function f^.",
        *(_cell_section(v) for v in verdicts if v.runs),
    ]
    return "\n\n".join(parts) + "\n"


def _divergences(verdicts: Sequence[CellVerdict], causes: Causes) -> list[str]:
    claimed = [
        _divergence(v, x, causes) for v in verdicts for x in v.lengths if x.verdict == DIVERGE
    ]
    leaks = [
        _divergence(v, x, causes)
        for v in verdicts
        for x in v.lengths
        if x.exact == DIVERGE != x.verdict
    ]
    parts = ["## Divergences", "\n".join(claimed) or "None."]
    if leaks:
        parts += [
            "## Where the expected function is not met",
            "And was not claimed to be: these tasks multiply digits, or ask for more than two at once (rule "
            "*leak*).",
            "\n".join(leaks),
        ]
    return parts


def _divergence(v: CellVerdict, x: LengthVerdict, causes: Causes) -> str:
    return (
        f"- {cell_name(v)}, {x.prediction.digits} digits: predicted {claim_text(v.prediction, x.prediction)}, "
        f"measured {percent(x.accuracy)}, as f^ {percent(x.learned)}. Likely cause: "
        f"{causes.likely.get((cell_name(v), x.prediction.digits), 'no cause is known')}"
    )


def _cell_section(v: CellVerdict) -> str:
    table = tabulate(
        [length_row(v, x) for x in v.lengths], COLUMNS, tablefmt="github", disable_numparse=True
    )
    learned = v.prediction.learned_text
    runs = "; ".join(_run_text(v, r) for r in v.runs)
    lines = [
        f"## {cell_name(v)}",
        table,
        (f"Expected function: `{learned}`. " if learned else "")
        + f"{runs[:1].upper() + runs[1:]}.",
        "Rerun: " + ("; ".join(f"`{text}`" for text in _commands(v)) or f"`{v.cell.command(0)}`"),
    ]
    return "\n\n".join(lines)


def _commands(v: CellVerdict) -> list[str]:
    """The commands that train the models of a cell again, consecutive seeds of one budget together."""
    stretches: list[list[Run]] = []
    for run in sorted(v.runs, key=lambda r: (r.precision, r.budget, r.seed)):
        last = stretches[-1][-1] if stretches else None
        next_one = last and (last.precision, last.budget, last.seed + 1)
        if next_one == (run.precision, run.budget, run.seed):
            stretches[-1].append(run)
        else:
            stretches.append([run])
    return [v.cell.command(x[0].seed, x[0].budget, len(x), x[0].precision) for x in stretches]


def _run_text(v: CellVerdict, run: Run) -> str:
    """One model, with what it got right out of domain: pooling must not hide a seed."""
    outside = ", ".join(
        f"{m.correct / m.samples:.3f} at {m.digits}"
        for m in run.measurements
        if not v.cell.setting.is_premise(m.digits)
    )
    return (
        f"seed {run.seed}: {run.premise:.3f} in domain after {run.steps} steps"
        f"{'' if run.settled else ' (the whole budget)'}{', learned late' if learned_late(v, run) else ''}, right on "
        f"{outside}"
    )


def _how(verdicts: Sequence[CellVerdict]) -> str:
    runs = [r for v in verdicts for r in v.runs]
    machines = Counter(r.machine for r in runs)
    recipe = ", ".join(f"{k} {v}" for k, v in vars(RECIPE).items())
    seconds = sum(r.seconds for r in runs)
    return "\n".join(
        [
            "## How it was made",
            "",
            f"- {len(runs)} models, {sum(r.steps for r in runs):,} optimizer steps, "
            f"{seconds / 60:.0f} minutes of training in all. Seeds: "
            f"{', '.join(map(str, sorted({r.seed for r in runs}))) or 'none'}.",
            *(f"- {n} on {m}" for m, n in sorted(machines.items())),
            f"- One recipe for every cell: {recipe}.",
            f"- One operand tuple in {HELD_OUT} is held out by its hash and never trained on; in-domain "
            "accuracy is measured on held-out tuples only.",
            f"- A length agrees when the measured interval comes within {TOLERANCE} of the predicted "
            f"accuracy, most models do so by themselves and, where an expected function is predicted, it "
            f"explains at least {MECHANISM:.0%} of the answers; where the accuracy is predicted to be at most so "
            f"much, when the interval reaches down to {TOLERANCE} above that. The same for every cell.",
            "- The premise has to hold at every length that was trained on, however rare.",
            "- Evidence: `evidence.jsonl`, one measurement per line; `arith report` remakes this page "
            "from it.",
        ]
    )


def mechanism_rows(found: Mechanism) -> list[list[str]]:
    """What was measured inside a model: length, what, value."""
    at = f"{found.digits} digits"
    rows = []
    for name in found.influence:
        if name != "model":
            d = found.distance(name)
            what = f"influences of the model and the {name}, largest (mean) difference"
            rows.append([at, what, f"{d.largest:.3f} ({d.mean:.3f})"])
    if found.equivalence is not None:
        ratios = ", ".join("-" if x != x else f"{x:.3f}" for x in found.equivalence.ratios)
        what = "distance to the equivalent trained input, unrelated ones being 1, by layer"
        rows.append([at, what, ratios])
    if found.leaks is not None:
        shares = (found.leaks.unpatched, *found.leaks.patched)
        what = "share that follows f^; then if one layer saw no ignored digit, by layer"
        rows.append([at, what, ", ".join(f"{x:.3f}" for x in shares)])
    return rows

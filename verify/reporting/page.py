"""The two pages of a report: what was found and where theory and experiment part; every length."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from arith.theory.display.answer import INPUTS, expected_function
from arith.theory.display.markdown import Markdown, code, plain
from arith.theory.display.text import claim_text, count
from arith.theory.setting.directions import EXTRAPOLATING, Direction
from arith.verify.judging.intervals import CONFIDENCE
from arith.verify.judging.judge import CellVerdict, LengthVerdict, Verdict, published
from arith.verify.judging.known_divergences import KnownDivergences
from arith.verify.judging.learning_speed import is_soon, learned_step
from arith.verify.judging.premises import is_firm
from arith.verify.judging.standards import MECHANISM, TOLERANCE
from arith.verify.plan.recipe import Recipe
from arith.verify.plan.sampling import HELD_OUT
from arith.verify.records.runs import Run
from arith.verify.reporting.blocks import Block, Heading, Items, Table, markdown_page
from arith.verify.reporting.figures import cell_name
from arith.verify.reporting.report import Report
from arith.verify.reporting.rerun import commands
from arith.verify.reporting.sections import sections
from arith.verify.reporting.summary import summary, versions
from arith.verify.reporting.tables import claimed_of, interval_text
from arith.verify.reporting.terminal import outcome_line, verdict_word
from arith.verify.reporting.totals import judged

_EVIDENCE = Markdown(
    "Evidence: `evidence.jsonl`, one measurement per line; `arith report --grid` makes this page "
    "from it."
)


def page(report: Report) -> str:
    """The first page as Markdown, with every section that the evidence allows.

    The figures are drawn into the folder of the report.
    """
    parts: list[Block] = [
        Heading(f"Theory and experiment: {report.name}", level=1),
        Markdown(f"**{outcome_line(report.verdicts, report.known)}**"),
        *summary(report.verdicts),
        Heading("Cells"),
        Markdown(
            "Terms: [glossary](../../docs/glossary.md). *cell*: task, encoding, layout, training "
            "data (W: attention window, L: layers, N: digits that operands are padded to where "
            "that is not the longest test length), and the model size where it is not the usual "
            "one (pico; wide for products). *theorem*: what the published one says of shorter "
            "(down) and longer (up) inputs: *generalizes*, right on all of them, or *fails*, "
            "wrong on some. *shorter*, *longer*: each test length, the accuracy that the refined "
            "theory claims, and in brackets the measured one: the mean of the models that are "
            "judged there, and how many of the converged ones these are, where not all. The ± of "
            "each claim is in [cells.md](cells.md). *none steady*: theory speaks of steady "
            "models alone, and none was seen to be; *not tested*: no model is judged. "
            "*converged*: models that met the premise, of those trained. *verdict*: of the "
            "lengths with a claim. Every test length of every cell, and the command that trains "
            "it again: [cells.md](cells.md)."
        ),
        Table([_cell_row(v) for v in report.trained]),
        *after_cells(report, _EVIDENCE),
    ]
    return markdown_page(parts, report.folder, fold=True) + "\n"


def after_cells(report: Report, *made: str) -> list[Block]:
    """What every form of the report says below its cells: all its sections.

    Args:
        made: what is said besides of how the page was made.
    """
    apart = [_divergence(v, x, report.known) for v in report.verdicts for x in v.diverging]
    divergences: list[Block] = [Heading("Divergences"), Items(apart)] if apart else []
    how = Items([*_how(report.verdicts, report.recipe), *made])
    return [*divergences, *sections(report), Heading("How it was made"), how]


def _cell_row(v: CellVerdict) -> dict[str, str]:
    return {
        "cell": cell_name(v),
        "theorem (down, up)": ", ".join(map(v.prediction.published_verdict, EXTRAPOLATING)),
        **{INPUTS[d]: _lengths_text(v, d) for d in EXTRAPOLATING},
        "converged": f"{len(v.converged)} of {len(v.runs)}",
        "verdict": _outcome(v),
    }


def _outcome(v: CellVerdict) -> str:
    """``agree (3 of 3 lengths)``, ``diverge at 4 (2 of 3 agree)``."""
    claims, word = judged(x.verdict for x in v.lengths), verdict_word(v.verdict)
    if v.verdict == Verdict.INCONCLUSIVE or not claims.tested:
        return word
    if v.diverging:
        wrong = ", ".join(str(x.digits) for x in v.diverging)
        return f"{word} at {wrong} ({claims.agree} of {claims.tested} agree)"
    return f"{word} ({claims.agree} of {count(claims.tested, 'length')})"


def _lengths_text(v: CellVerdict, direction: Direction) -> str:
    """``3: 0 (0.000), 4: 49/4950 (0.009)``: each length of a direction, claimed and measured."""
    there = [x for x in v.lengths if x.prediction.direction == direction]
    return ", ".join(f"{x.digits}: {claimed_of(x)}{_measured(v, x)}" for x in there)


def _measured(v: CellVerdict, x: LengthVerdict) -> str:
    if x.accuracy is None:
        return ""
    untested = ", not tested" if x.verdict == Verdict.INCONCLUSIVE else ""
    judged, of = len(v.judged(x)), len(v.converged)
    return f" ({x.accuracy.value:.3f}{f', {judged} of {of}' if judged < of else ''}{untested})"


def _divergence(v: CellVerdict, x: LengthVerdict, known: KnownDivergences) -> str:
    return (
        f"{v.name}, {count(x.digits, 'digit')}: predicted {claim_text(x.prediction)}, "
        f"measured {interval_text(x.accuracy)}, as f^ {interval_text(x.learned)}. Likely cause: "
        f"{known.causes.get((v.name, x.digits), 'no cause is known')}"
    )


def _how(verdicts: Sequence[CellVerdict], recipe: Recipe | None) -> list[str]:
    runs = [r for v in verdicts for r in v.runs]
    machines = Counter(r.machine for r in runs)
    seeds = ", ".join(map(str, sorted({r.seed for r in runs}))) or "none"
    return [
        f"{count(len(runs), 'model')}, {sum(r.steps for r in runs):,} optimizer steps, "
        f"{sum(r.seconds for r in runs) / 60:.0f} minutes of training, added up over the "
        f"models. Random seeds: {seeds}.",
        *(
            f"Trained {count(n, 'model')} (processor x cores, versions, precision): {m}."
            for m, n in sorted(machines.items())
        ),
        *_recipes(verdicts, recipe),
        f"One operand tuple in {HELD_OUT} is held out by its hash and never trained on. "
        "In-domain accuracy is measured on held-out tuples only.",
        Markdown(
            f"A length agrees when the {CONFIDENCE:.0%} confidence interval of each model's "
            "accuracy (or the accuracy, where every input was tested) lies within "
            f"{TOLERANCE} of the claim and its ±, and at least {MECHANISM:.0%} of each model's "
            "answers are those of the expected function, where one is predicted. Where a bound is "
            f"predicted, no interval may reach more than {TOLERANCE} beyond it (above *at most*, "
            "below *at least*). The same holds for every cell."
        ),
        "The premise has to hold at every length that was trained on, however rare.",
        *versions(verdicts),
    ]


def _recipes(verdicts: Sequence[CellVerdict], recipe: Recipe | None) -> list[str]:
    """By which recipe how many cells are trained: by one, or each by its usual one."""
    used = Counter(recipe or v.cell.recipe for v in verdicts)
    told = [
        Markdown(f"{count(n, 'cell')} by the recipe `{x.name}`, version {x.version}: {x.about}.")
        for x, n in used.most_common()
    ]
    where = "`verify/plan/recipe.py` has the numbers of each and says what they mean."
    chosen = (
        " and which cells each is for, by task, encoding, window and padding"
        if len(used) > 1
        else ""
    )
    return [*told, Markdown(f"{where.removesuffix('.')}{chosen}.")]


def cells_page(report: Report) -> str:
    """The second page as Markdown: every test length of every trained cell, model by model."""
    parts: list[Block] = [
        Heading(f"Every length of {report.name}", level=1),
        Markdown(
            "*theorem*: arXiv 2407.17963 as published. *predicted*: the refined theory's exact "
            f"accuracy. *measured*: accuracy against the truth, with its {CONFIDENCE:.0%} interval "
            "where inputs were sampled. "
            "*as f^*: share of answers equal to those of the expected function f^."
        ),
        *(p for v in report.trained for p in _cell_section(v, report.recipe)),
    ]
    return markdown_page(parts, report.folder) + "\n"


def _cell_section(v: CellVerdict, recipe: Recipe | None) -> list[Block]:
    learned = expected_function(v.prediction)
    runs = "; ".join(_run(v, r) for r in v.runs).replace("seed", "Seed", 1)
    return [
        Heading(v.name),
        Table([_length_row(v, x) for x in v.lengths]),
        Markdown((f"Expected function: {code(learned)}. " if learned else "") + plain(f"{runs}.")),
        Markdown(f"Rerun: {'; '.join(map(code, commands(v, recipe)))}"),
    ]


def _length_row(v: CellVerdict, x: LengthVerdict) -> dict[str, str]:
    return {
        "digits": str(x.digits),
        "direction": x.prediction.direction.replace("_", " "),
        "theorem": published(v.prediction, x.prediction) or "-",
        "predicted": claimed_of(x),
        "measured": interval_text(x.accuracy),
        "as f^": interval_text(x.learned),
        "verdict": x.verdict,
        "theorem judged": x.published,
    }


def _run(v: CellVerdict, run: Run) -> str:
    """One model, with what it got right out of domain: pooling must not hide a seed."""
    asked = {x.digits: x.prediction for x in v.lengths if x.prediction.asks_steady}
    outside = ", ".join(
        f"{m.correct / m.samples:.3f} at {m.digits}"
        + " (not steady)" * (m.digits in asked and not is_firm(asked[m.digits], m))
        for m in run.measurements
        if not v.cell.setting.is_premise(m.digits)
    )
    steps = f"{run.steps}" if run.settled else f"{run.steps} of {run.budget}"
    step = learned_step(run)
    late = "" if step is None or is_soon(step) else ", learned late"
    told = f"seed {run.seed}: {run.premise_text} in domain after {steps} steps{late}"
    return told + (f", right on {outside}" if outside else "")

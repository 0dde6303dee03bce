"""The pages of a report: what was found, every length of every cell, and both for a browser."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from arith.theory.display.answer import INPUTS, expected_function
from arith.theory.display.markdown import Markdown, code, one_line, plain
from arith.theory.display.text import claim_text, count
from arith.theory.inference.rules import THEORY_VERSION
from arith.theory.setting.directions import EXTRAPOLATING, Direction
from arith.verify.judging.intervals import CONFIDENCE
from arith.verify.judging.judge import CellVerdict, LengthVerdict, Verdict, published
from arith.verify.judging.known_divergences import KnownDivergences
from arith.verify.judging.learning_speed import is_soon, learned_step
from arith.verify.judging.premises import is_firm
from arith.verify.judging.standards import MECHANISM, TOLERANCE
from arith.verify.plan.premise import INDIFFERENT, PREMISE, SEEN_STEADY, STEADY
from arith.verify.plan.recipe import Recipe
from arith.verify.plan.sampling import HELD_OUT
from arith.verify.records.runs import Run
from arith.verify.reporting.blocks import (
    Block,
    Figure,
    Heading,
    Items,
    Table,
    html_blocks,
    markdown_page,
)
from arith.verify.reporting.plots import cell_name, draw_claims
from arith.verify.reporting.report import Report, rerun_commands
from arith.verify.reporting.sections import sections
from arith.verify.reporting.summary import Summary, before_by_version, judged, summarize
from arith.verify.reporting.terminal import (
    claimed_of,
    interval_text,
    outcome_line,
    summary_line,
    verdict_word,
)

_EVIDENCE = Markdown(
    "Evidence: `evidence.jsonl`, one measurement per line; `arith report --grid` makes this page "
    "from it."
)
_LENGTHS = Markdown(
    "*theorem*: arXiv 2407.17963 as published. *predicted*: the refined theory's exact "
    f"accuracy. *measured*: accuracy against the truth, with its {CONFIDENCE:.0%} interval "
    "where inputs were sampled. "
    "*as f^*: share of answers equal to those of the expected function f^."
)


def page(report: Report) -> str:
    """The first page as Markdown, with every section that the evidence allows.

    The figures are drawn into the folder of the report.
    """
    blocks = [*_first(report, [_cell_row(v) for v in report.trained]), *_last(report, _EVIDENCE)]
    return markdown_page(blocks, report.folder, fold=True) + "\n"


def html_page(report: Report) -> str:
    """Both pages as one file of HTML, which needs nothing but itself."""
    from jinja2 import Environment, PackageLoader

    names = {v.name: f"cell-{i}" for i, v in enumerate(report.trained)}
    rows = [
        _cell_row(v) | {"cell": Markdown(f"[{plain(cell_name(v))}](#{names[v.name]})")}
        for v in report.trained
    ]
    claims = Figure(
        "Predicted against measured accuracy: each claim a dot, the line is what is claimed",
        "claims.svg",
        lambda path: draw_claims(path, report.verdicts),
    )
    links = {"cells.md": "#lengths"}
    cells = [(names[v.name], v.name, _cell_section(v, report.recipe)[1:]) for v in report.trained]
    environment = Environment(loader=PackageLoader("arith.verify.reporting"), autoescape=True)
    return environment.get_template("report.html").render(
        name=one_line(report.name),
        found=html_blocks([*_first(report, rows), claims, *_last(report)], links),
        lengths=html_blocks([_LENGTHS], links),
        cells=[(anchor, one_line(name), html_blocks(of, links)) for anchor, name, of in cells],
    )


def _first(report: Report, rows: Sequence[dict[str, str]]) -> list[Block]:
    """What was found, and the table of cells."""
    return [
        Heading(f"Theory and experiment: {report.name}", level=1),
        Markdown(f"**{outcome_line(report.verdicts, report.known)}**"),
        *summary_blocks(report.verdicts),
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
        Table(rows),
    ]


def _last(report: Report, *made: str) -> list[Block]:
    """All sections of the report.

    Args:
        made: what is said besides of how the page was made.
    """
    apart = [_divergence(v, x, report.known) for v in report.verdicts for x in v.diverging]
    divergences: list[Block] = [Heading("Divergences"), Items(apart)] if apart else []
    how = Items([*_how(report.verdicts, report.recipe), *made])
    return [*divergences, *sections(report), Heading("How it was made"), how]


def summary_blocks(verdicts: Sequence[CellVerdict]) -> list[Block]:
    """The head of a report: how its two counts of claims belong together, and a list."""
    t = summarize(verdicts)
    items = [
        f"**Refined theory**: {summary_line(verdicts)}",
        *_coverage(t),
        f"**Premise**: {t.converged} of {count(t.models, 'model')} were right on at least "
        f"{PREMISE:.0%} of the held-out inputs of the trained lengths, and of enough of "
        "them to know; only these are judged.",
        *_indifferent(verdicts),
        *_steady(verdicts),
        "**Published theorems** (*right on all inputs*, or *wrong on some*): true of the "
        f"models at {count(t.published.agree, 'length')}, false at {t.published.diverge}. "
        "Where both claim something, the refined theory alone is right at "
        f"{count(t.wins_over_published, 'length')}, the theorem alone at {t.losses_to_published}.",
    ]
    return [*_ledger(t), Items([*map(Markdown, items)])]


def _coverage(t: Summary) -> list[str]:
    """On which share of the longer lengths the refined theory claims something."""
    where = {"ape": "under APE", "other": "under other encodings"}
    said = [
        f"{x.claimed} of {x.lengths} {where[name]}" for name, x in t.upward.items() if x.lengths
    ]
    of = "of the longer lengths of all cells, trained or not,"
    return [f"**Coverage**: {of} {', '.join(said)} carry a claim."] * bool(said)


def _indifferent(verdicts: Sequence[CellVerdict]) -> list[str]:
    """How many models keep their answers when ignored tokens are disturbed, where it is asked."""
    cells = [v for v in verdicts if any(x.prediction.ignores for x in v.lengths)]
    asked = [r for v in cells for r in v.converged if r.indifference is not None]
    if not asked:
        return []
    return [
        f"**Indifference**: {sum(r.indifferent for r in asked)} of {count(len(asked), 'model')} "
        f"with a claim that rests on ignored digits kept {INDIFFERENT:.0%} of their answers in "
        "domain when all such digits were blended half and half with others; only these are judged "
        "on such claims."
    ]


def _steady(verdicts: Sequence[CellVerdict]) -> list[str]:
    """How many answers stay when digits are a little disturbed, where it is asked."""
    asked = [
        is_firm(x.prediction, m)
        for v in verdicts
        for x in v.lengths
        for run in v.converged
        for m in run.measurements
        if x.prediction.asks_steady and m.digits == x.digits and m.steady is not None
    ]
    if not asked:
        return []
    return [
        f"**Steadiness**: {sum(asked)} of {count(len(asked), 'measurement')} where a claim rests "
        "on ignored digits, or on digits that training never showed together, kept "
        f"{STEADY:.0%} of the answers ({SEEN_STEADY:.1%} where the claim asks for it) when all "
        "digits were a little disturbed; answers that training leaves open count as kept. Only "
        f"these are judged. Models in which it was not measured are judged as if they were steady, "
        f"but not where {SEEN_STEADY:.1%} is asked."
    ]


def _ledger(t: Summary) -> list[Block]:
    """A table in which the claims stored before training and those of today add up."""
    if not t.ledger:
        return []
    return [
        "Only claims that were stored before training put the theory to the test: a rule that was "
        "made or changed since may have been made to fit these models. All that this report says "
        "below, where it does not say otherwise, is of today's theory. How the two counts belong "
        "together:",
        Table(
            [(what, str(x.agree), str(x.diverge), str(x.tested)) for what, x in t.ledger],
            ("claims", "agree", "diverge", "in all"),
        ),
    ]


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


def versions(verdicts: Sequence[CellVerdict]) -> list[str]:
    """What became of the stored claims by the version of the theory, a line of a list or none."""
    found = before_by_version(verdicts)
    if not found:
        return []
    said = [f"version {x}: {claims.agree} and {claims.diverge}" for x, claims in found.items()]
    return [
        "Claims stored before training that agree and diverge, by the version of the theory that "
        f"made them (today's is {THEORY_VERSION}; a length counts under the newest that claimed "
        "something of one of its models): "
        f"{', '.join(said)}."
    ]


def cells_page(report: Report) -> str:
    """The second page as Markdown: every test length of every trained cell, model by model."""
    parts: list[Block] = [
        Heading(f"Every length of {report.name}", level=1),
        _LENGTHS,
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
        Markdown(f"Rerun: {'; '.join(map(code, rerun_commands(v, recipe)))}"),
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

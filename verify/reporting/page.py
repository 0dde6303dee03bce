"""The pages of a report: what was found, every length of every cell, and both for a browser."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from arith.theory.arithmetic.directions import EXTRAPOLATING, Direction
from arith.theory.generalization.outcomes import Claim
from arith.theory.rules import THEORY_VERSION
from arith.theory.text.answer import INPUTS, expected_function
from arith.theory.text.text import claim_text, count, open_share
from arith.verify.data.sampling import HELD_OUT
from arith.verify.judging.intervals import CONFIDENCE
from arith.verify.judging.judge import CellVerdict, LengthVerdict, Verdict, published
from arith.verify.judging.known_divergences import KnownDivergences
from arith.verify.judging.learning import is_soon, learned_step
from arith.verify.judging.premises import is_firm
from arith.verify.judging.standards import MECHANISM, TOLERANCE
from arith.verify.plan.premise import INDIFFERENT, PREMISE, SEEN_STEADY, STEADY
from arith.verify.plan.recipe import Recipe
from arith.verify.records.runs import Run
from arith.verify.reporting.blocks import (
    Block,
    Figure,
    Heading,
    Items,
    Table,
    html_blocks,
    markdown_page,
    text,
)
from arith.verify.reporting.markdown import Markdown, code, one_line, plain
from arith.verify.reporting.plots import cell_name, draw_claims
from arith.verify.reporting.report import Report, rerun_commands
from arith.verify.reporting.score import score_blocks
from arith.verify.reporting.sections import sections
from arith.verify.reporting.skill import skill_blocks
from arith.verify.reporting.summary import before_by_version, is_later, judged, summarize
from arith.verify.reporting.terminal import (
    claimed_of,
    interval_text,
    length_word,
    outcome_line,
    summary_line,
    verdict_word,
)


def page(report: Report) -> str:
    """The first page as Markdown, with every section that the evidence allows.

    The figures are drawn into the folder of the report.
    """
    blocks = [
        *_first(report, [_cell_row(v) for v in report.trained]),
        *_last(report, text("evidence")),
    ]
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
    cells = []
    for v in report.trained:
        steps = [f"{x.statement} Rule {x.rule}; {x.source}." for x in v.prediction.derivation]
        shown = [*_cell_section(v, report.recipe)[1:], "Why theory says so:", Items(steps)]
        cells.append((names[v.name], one_line(v.name), html_blocks(shown, links)))
    environment = Environment(loader=PackageLoader("arith.verify.reporting"), autoescape=True)
    return environment.get_template("report.html").render(
        title=f"Theory and experiment: {one_line(report.name)}",
        made="arith report --html",
        found=html_blocks([*_first(report, rows), claims, *_last(report)], links),
        lengths=html_blocks([text("lengths", confidence=CONFIDENCE, tolerance=TOLERANCE)], links),
        cells=cells,
    )


def _first(report: Report, rows: Sequence[dict[str, str]]) -> list[Block]:
    """What was found, and the table of cells."""
    return [
        Heading(f"Theory and experiment: {report.name}", level=1),
        Markdown(f"**{outcome_line(report.verdicts, report.known)}**"),
        *summary_blocks(report.verdicts),
        *(score_blocks(report) or skill_blocks(report.verdicts)),
        Heading("Cells"),
        text("cells"),
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
    where = {"under APE": t.upward["ape"], "under other encodings": t.upward["other"]}
    covered = [f"{x.some} of {x.of} {encodings}" for encodings, x in where.items() if x.of]
    models, measurements = count(t.indifferent.of, "model"), count(t.steady.of, "measurement")
    items = {
        Markdown(f"**Refined theory**: {summary_line(verdicts)}"): True,
        text("coverage", covered=", ".join(covered)): covered,
        text(
            "premise", converged=t.converged, models=count(t.models, "model"), least=PREMISE
        ): True,
        text("indifferent", kept=t.indifferent.some, models=models, least=INDIFFERENT): (
            t.indifferent.of
        ),
        text("steady", kept=t.steady.some, of=measurements, least=STEADY, seen=SEEN_STEADY): (
            t.steady.of
        ),
        text(
            "published",
            right=count(t.published.agree, "length"),
            wrong=t.published.diverge,
            wins=count(t.wins_over_published, "length"),
            losses=t.losses_to_published,
        ): True,
    }
    ledger = Table(
        [(what, str(x.agree), str(x.diverge), str(x.tested)) for what, x in t.ledger],
        ("claims", "agree", "diverge", "in all"),
    )
    said = Items([item for item, is_said in items.items() if is_said])
    return [text("ledger"), ledger, said] if t.ledger else [said]


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
    some = f", {judged} of {of}" if judged < of else ""
    return f" ({x.accuracy.value:.3f}{some}{untested}{', later' * is_later(x)})"


def _divergence(v: CellVerdict, x: LengthVerdict, known: KnownDivergences) -> str:
    return text(
        "divergence",
        cell=v.name,
        digits=count(x.digits, "digit"),
        claimed=claim_text(x.prediction),
        measured=interval_text(x.accuracy),
        learned=interval_text(x.learned),
        cause=known.causes.get((v.name, x.digits), "no cause is known"),
    )


def _how(verdicts: Sequence[CellVerdict], recipe: Recipe | None) -> list[str]:
    runs = [r for v in verdicts for r in v.runs]
    machines = Counter(r.machine for r in runs)
    seeds = ", ".join(map(str, sorted({r.seed for r in runs}))) or "none"
    return [
        text(
            "trained",
            models=count(len(runs), "model"),
            steps=sum(r.steps for r in runs),
            minutes=sum(r.seconds for r in runs) / 60,
            seeds=seeds,
        ),
        *(
            f"Trained {count(n, 'model')} (processor x cores, versions, precision): {m}."
            for m, n in sorted(machines.items())
        ),
        *_recipes(verdicts, recipe),
        text("held_out", held_out=HELD_OUT),
        text("agrees", confidence=CONFIDENCE, tolerance=TOLERANCE, mechanism=MECHANISM),
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
    chosen = " and which cells each is for, by task, encoding, window and padding"
    where = "`verify/plan/recipe.py` has the numbers of each and says what they mean"
    return [*told, Markdown(f"{where}{chosen * (len(used) > 1)}.")]


def versions(verdicts: Sequence[CellVerdict]) -> list[str]:
    """What became of the stored claims by the version of the theory, a line of a list or none."""
    found = before_by_version(verdicts)
    if not found:
        return []
    said = [f"version {x}: {claims.agree} and {claims.diverge}" for x, claims in found.items()]
    return [text("versions", theory_version=THEORY_VERSION, found=", ".join(said))]


def cells_page(report: Report) -> str:
    """The second page as Markdown: every test length of every trained cell, model by model."""
    parts: list[Block] = [
        Heading(f"Every length of {report.name}", level=1),
        text("lengths", confidence=CONFIDENCE, tolerance=TOLERANCE),
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
        "inputs": INPUTS[x.prediction.direction],
        "theorem": published(v.prediction, x.prediction) or "-",
        "predicted": claimed_of(x, exact=True) + _open_share(x) + ", later" * is_later(x),
        "measured": interval_text(x.accuracy),
        "as f^": interval_text(x.learned),
        "verdict": length_word(x),
        "theorem judged": verdict_word(x.published),
    }


def _open_share(x: LengthVerdict) -> str:
    """What training leaves open of an exact claim that is judged; empty of others."""
    is_exact = x.prediction.claim == Claim.EXACT and x.verdict != Verdict.UNDETERMINED
    return open_share(x.prediction) if is_exact else ""


def _run(v: CellVerdict, run: Run) -> str:
    """One model, with what it got right out of domain: pooling must not hide a seed."""
    asked = {x.digits: x.prediction for x in v.lengths if x.prediction.requires_stability}
    outside = ", ".join(
        f"{m.accuracy:.3f} at {m.digits}"
        + " (not stable)" * (m.digits in asked and not is_firm(asked[m.digits], m))
        for m in run.measurements
        if not v.cell.setting.is_premise(m.digits)
    )
    steps = f"{run.steps}" if run.settled else f"{run.steps} of {run.budget}"
    step = learned_step(run)
    late = "" if step is None or is_soon(step) else ", learned late"
    told = f"seed {run.seed}: {run.premise_text} in domain after {steps} steps{late}"
    return told + (f", right on {outside}" if outside else "")

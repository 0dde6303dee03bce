"""What the evidence says of each published theorem and of each rule of the refined theory."""

from __future__ import annotations

from collections.abc import Sequence

from arith.theory.display.markdown import Markdown
from arith.theory.display.text import count
from arith.verify.judging.claims import PUBLISHED, REFINED, Claim, Tally, claims
from arith.verify.reporting.blocks import Block, Heading, Items, Table
from arith.verify.reporting.report import Report

ORDER = 30
COLUMNS = ("claim", "supports", "contradicts", "not tested", "nothing to test")
_TITLES = {PUBLISHED: "Published theorems", REFINED: "Rules of the refined theory"}


def section(report: Report) -> list[Block]:
    """A table of the theorems, one of the rules, and what each rule says."""
    return [
        Heading("Theorems and rules"),
        Markdown(
            "How often measurements support each theorem and each rule. A cell counts once, by its "
            "worst test length and model: it supports only if each of its converged models does. "
            "*models* counts each by itself. *not tested*: a premise was not met, or not measured. "
            "*nothing to test*: the theorem or rule was used, and nothing that could be "
            "contradicted follows (some rules only say why the answer is open; "
            "*convergence* is the premise itself). p: modulus, B: base, n: trained digits."
        ),
        *claim_tables(claims(report.verdicts)),
    ]


def claim_tables(listed: Sequence[Claim]) -> list[Block]:
    """The claims that some cell speaks to, in the order of ``COLUMNS``; the others."""
    spoken = [c for c in listed if c.cells != Tally()]
    tables: list[Block] = [
        Table([_row(c) for c in spoken if c.source == source], (title, *COLUMNS[1:]))
        for source, title in _TITLES.items()
    ]
    rules = [
        Markdown(f"*{c.name}*: {' '.join(c.says.split())}") for c in spoken if c.source == REFINED
    ]
    others = len(listed) - len(spoken)
    silent = "is used" if others == 1 else "are used"
    rest = Markdown(
        f"{count(others, 'other')} {silent} by no cell of this grid; `arith theorems` lists all."
    )
    return [*tables, Items(rules), *([rest] if others else [])]


def _row(c: Claim) -> list[str]:
    return [
        Markdown(f"{c.name}: {c.says}") if c.source == PUBLISHED else c.name,
        _counted(c.cells.supports, c.seeds.supports, c.seeds.tested),
        _counted(c.cells.contradicts, c.seeds.contradicts, c.seeds.tested),
        _counted(c.cells.not_reached, c.seeds.not_reached),
        _counted(c.cells.no_claim, c.seeds.no_claim),
    ]


def _counted(cells: int, seeds: int, tested: int | None = None) -> str:
    """``2 cells, 3 models``, or of those tested: ``12 cells, 31 of 36 models``."""
    if tested is None:
        return f"{count(cells, 'cell')}, {count(seeds, 'model')}" if cells or seeds else "0 cells"
    return f"{count(cells, 'cell')}, {seeds} of {count(tested, 'model')}" if tested else "0 cells"

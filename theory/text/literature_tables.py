"""Published findings beside our predictions, as tables and in words."""

from __future__ import annotations

import re
from collections import Counter

from arith.theory.arithmetic.decision import Decision
from arith.theory.arithmetic.lengths_text import runs_text
from arith.theory.errors import unknown_name
from arith.theory.studies.literature import (
    TOLERANCE,
    Comparison,
    Finding,
    Outcome,
    compare,
    findings,
    possible_results,
)

COLUMNS = (
    *("finding", "source", "setting", "reported", "predicted", "theorem", "outcome", "reason"),
    *("command", "note", "checked"),
)
"""The columns of ``table``; the command predicts the same, ``checked`` is where its facts are."""
IN_SHORT = ("finding", "reported", "predicted", "outcome")
"""The columns of ``short_table``."""
IN_PAPER = ("source", "setting", "reported", "predicted", "outcome")
"""The columns of ``latex_findings``."""
LEGEND = (
    "reported, predicted: on inputs longer than the trained ones. outcome: agrees (within "
    f"{TOLERANCE}), disagrees, or the premise that does not hold, so that nothing is compared. "
    "(f^): what was reported is how often answers are those of f^. All of one: arith literature "
    "FINDING; those of an author, an encoding or a task: arith literature abacus."
)

_AS_REPORTED = {
    Decision.YES: " (as reported)",
    Decision.NO: " (not as reported)",
    Decision.UNDECIDED: "",
}


def table(word: str | None = None) -> list[list[str]]:
    """Every comparison that a word names as a row of text, under ``COLUMNS``."""
    return [_row(compare(f)) for f in found(word)]


def _row(c: Comparison) -> list[str]:
    f = c.finding
    task = f.task if f.modulus is None else f"{f.task} {f.modulus}"
    task += " vs f^" if f.against == "learned_function" else ""
    mark = f"^{f.train_domain}" if f.train_domain in ("every", "total") else ""
    setting = f"{task} · {f.encoding} · {f.layout} · {_span(f.train)}{mark} → {_span(f.test)}"
    reported = f"{f.outcome}: {f.figure}" if f.outcome else " ".join(f"{a:g}" for a in f.accuracy)
    said = {x.digits: x.text() for x in c.lengths}
    predicted = " ".join(said.get(n, "-") for n in f.test) if said else ""
    theorem = f"{c.published or ''}{_AS_REPORTED[c.published_agrees]}"
    outcome = [theorem, c.outcome, c.reason, c.command]
    assumed = f"assumed for the prediction: {f.assumed}" if f.assumed else ""
    note = "; ".join(filter(None, (f.note, assumed)))
    return [f.id, f.paper.citation, setting, reported, predicted, *outcome, note, f.checked]


def _span(lengths: tuple[int, ...]) -> str:
    """(1, 2, 3, 5) as ``1-3+5``."""
    return runs_text(lengths, "-", "+") or "?"


def found(word: str | None) -> list[Finding]:
    """The findings that a word names: by its name, or all of an author, an encoding or a task.

    Raises:
        InvalidInput: it names none.
    """
    if word is None:
        return list(findings())
    known = {f.id: f for f in findings()}
    if word in known:
        return [known[word]]
    of = [f for f in findings() if word.lower() in _names(f)]
    if not of:
        raise unknown_name("finding", word, known, f"arith literature lists {len(known)}")
    return of


def _names(f: Finding) -> set[str]:
    """The words that a finding is found by."""
    words = re.findall(r"[\w.-]+", f"{f.paper.authors} {f.paper.source} {f.task}")
    words += [f.encoding, f.task, f.layout, *["f^"] * (f.against == "learned_function")]
    return {x.lower().strip(".") for x in words}


def short_table(word: str | None = None) -> list[list[str]]:
    """Every comparison that a word names in a line, under ``IN_SHORT``."""
    rows = []
    for c in map(compare, found(word)):
        possible = "/".join(possible_results(c.finding, c.lengths)) or "-"
        what = " (f^)" * (c.finding.against == "learned_function")
        reported = f"{c.finding.result or '-'}{what}"
        rows.append([c.finding.id, reported, possible, c.premise or c.outcome])
    return rows


def latex_findings(word: str | None = None) -> str:
    """The findings in scope, or all that a word names, as a long table in LaTeX for a paper."""
    from arith.theory.text.latex import latex_table

    rows = []
    for c in map(compare, found(word)):
        if c.in_scope or word is not None:
            paper, row = c.finding.paper, dict(zip(COLUMNS, _row(c), strict=True))
            row["source"] = f"{paper.authors} {paper.year}, {paper.source}"
            rows.append([row[column] for column in IN_PAPER])
    return latex_table(rows, IN_PAPER, long=True)


def finding_text(name: str) -> list[str]:
    """One finding beside the prediction, a line per column."""
    [row] = table(name)
    return [f"{column}: {text or '-'}" for column, text in zip(COLUMNS[1:], row[1:], strict=True)]


def summary() -> str:
    """How many findings can be compared, how many of them agree, and with what."""
    rows = [compare(f) for f in findings()]
    papers = {c.finding.paper for c in rows}
    count = Counter(c.outcome for c in rows if c.in_scope)
    return (
        f"Of {len(rows)} findings from {len(papers)} papers, {count.total()} meet every premise of "
        f"a prediction (are in scope): {count[Outcome.AGREES]} agree with it, "
        f"{count[Outcome.DISAGREES]} disagree, and on {count[Outcome.NO_CLAIM]} it makes no claim; "
        f"{count[Outcome.LED]} led to one of its rules and count for neither. "
        "Each is compared with the accuracy of the expected function."
    )

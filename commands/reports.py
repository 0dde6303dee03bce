"""The commands that say what was measured: judged, on a store or on grids, and as one table."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from arith.commands import options
from arith.printing import print_json, print_parts, print_text, shown, verdict_parts
from arith.theory.errors import InvalidInput
from arith.verify.plan.grids import GRIDS
from arith.verify.reporting.markdown import one_line

if TYPE_CHECKING:
    from arith.verify.reporting.report import Report


def report(
    context: typer.Context,
    grid: Annotated[str | None, typer.Option(autocompletion=options.completion(GRIDS))] = None,
    every: Annotated[bool, typer.Option("--all")] = False,
    store: Path = options.DEFAULT_STORE,
    folder: Path | None = None,
    check: bool = False,
    html: Path | None = None,
    as_json: options.JsonOption = False,
) -> None:
    """Judge and report on all cells in the store, or on a grid.

    With --grid the measurements in the store are added to the evidence in reports/GRID, and the
    report is written there, unless --html, --json or --check asks for something else. With --all
    the report of each grid is written from its evidence, and one page on all: reports/README.md.

    Ends with 1 where a claim diverges and no cause is named in causes.toml beside the evidence
    (with --check also where those texts do not fit it), with 3 where a cell is inconclusive.

    Args:
        grid: The grid to report on, a name or a TOML file; else all cells in the store.
        every: Report on every grid with evidence, and on all together.
        store: Where arith verify kept its measurements.
        folder: Where the folders of grids stand (default: here in reports; what is not there is
            read where it is committed, if arith runs from its repository).
        check: Write nothing; judge the committed evidence.
        html: Write the report here as one page for a browser, and nothing else.
    """
    from arith.verify import pipeline
    from arith.verify.plan.folders import evidence_folder
    from arith.verify.records.files import check_writable, write

    _check_options(options.written(context, ("store", "folder")), grid, every, check, html)
    writes = not (check or as_json or html is not None)
    folder = folder or evidence_folder(grid, writes)
    if every:
        raise typer.Exit(_report_all(folder, check, as_json))
    options.check_store(context, store)
    if html is not None:
        check_writable(html)
    about = _judged(grid, folder, store, check)
    failures = _failures(about, check)
    if as_json:
        from arith.verify.reporting.exports import report_json

        print_json(report_json(about))
    elif check or grid is None:
        print_parts(verdict_parts(about.verdicts))
    if html is not None:
        from arith.verify.reporting.page import html_page

        write(html, html_page(about))
        print(f"wrote {html}", file=sys.stderr if as_json else sys.stdout)
    elif grid is not None and not (check or as_json):
        print(f"wrote {pipeline.report(about)}")
    for line in failures if grid is not None else ():
        print(one_line(line), file=sys.stderr)
    if check and not as_json:
        _print_gate(about)
    raise typer.Exit(1 if failures else 3 if _is_untested(about) else 0)


def _check_options(
    given: list[str], grid: str | None, every: bool, check: bool, html: Path | None
) -> None:
    """Refuse options that contradict each other; ``given`` are those that were written."""
    if every and (grid is not None or html is not None or "store" in given):
        raise InvalidInput("--all reports on the evidence of all grids: no --grid, --html, --store")
    if check and not every and (grid is None or html is not None or "store" in given):
        raise InvalidInput(
            "--check judges the evidence of a --grid, or of --all, and writes nothing: no --html, "
            "no --store"
        )
    if grid is None and not every and "folder" in given:
        raise InvalidInput(
            "--folder is where the evidence of a --grid stands: give that too, or --all"
        )


def _judged(grid: str | None, folder: Path, store: Path, check: bool) -> Report:
    """The report on a grid or on a store, with its notes printed (InvalidInput: nothing is there).

    Args:
        check: leave out what is in the store.
    """
    from arith.verify import pipeline
    from arith.verify.plan.folders import WHERE_COMMITTED

    if grid is None:
        about = pipeline.judge_store(store)
    else:
        about = pipeline.judge(grid, folder, None if check else store)
    for note in about.notes:
        print(f"arith: {one_line(note)}", file=sys.stderr)
    if not about.trained:
        where = "in" if grid is None else f"of {about.name} in {about.evidence} or"
        by = "" if about.recipe is None else f"by the recipe {about.recipe.name} "
        first = "" if about.notes else "; run arith verify first"
        more = "" if grid is None or about.evidence.exists() else f"; {WHERE_COMMITTED}"
        raise InvalidInput(f"no measurements {by}{where} {store}{first}{more}")
    return about


def _print_gate(about: Report) -> None:
    """What the gate says: the claims that agree and diverge, and what was not tested."""
    from arith.theory.text.text import count
    from arith.verify.judging.judge import Verdict, count_verdicts
    from arith.verify.reporting.terminal import outcome_line

    print_text(f"gate: {outcome_line(about.verdicts, about.known)}")
    if _is_untested(about):
        lengths = count_verdicts(about.trained)[Verdict.INCONCLUSIVE]
        cells = count(len(about.verdicts) - len(about.trained), "cell")
        print_text(
            f"gate: {cells} not trained, {count(lengths, 'length')} of the others inconclusive "
            "(exit code 3)."
        )


def _report_all(folder: Path, check: bool, as_json: bool) -> int:
    """Report on every grid with evidence in a folder; the exit code.

    Args:
        check: write nothing.
        as_json: write nothing, and print the counts.
    """
    from arith.verify import pipeline
    from arith.verify.reporting.overview import overview_json
    from arith.verify.reporting.terminal import outcome_line

    reports: list[Report] = []
    failures: list[str] = []
    names = pipeline.grids_with_evidence(folder)
    for name in shown(names, "grids judged") if as_json else names:
        about = pipeline.judge(name, folder)
        reports.append(about)
        failures += [f"{name}: {line}" for line in _failures(about, check)]
        if not as_json:
            print_text(f"{name}: {outcome_line(about.verdicts, about.known)}")
        if not (check or as_json):
            pipeline.report(about)
    if as_json:
        print_json(overview_json(reports))
    elif not check:
        print(f"wrote {pipeline.overview(reports, folder)}")
    for line in failures:
        print(one_line(line), file=sys.stderr)
    return 1 if failures else 3 if any(map(_is_untested, reports)) else 0


def _failures(about: Report, check: bool) -> list[str]:
    """A line for each divergence without a named cause, and if asked for each text out of date."""
    from arith.verify.judging.known_divergences import out_of_date, unexplained

    verdicts, known = about.verdicts, about.known
    return unexplained(verdicts, known) + (out_of_date(verdicts, known) if check else [])


def _is_untested(about: Report) -> bool:
    """Whether some cell, or a claim on it, was not tested."""
    from arith.verify.judging.judge import Verdict

    return any(
        Verdict.INCONCLUSIVE in (v.verdict, *(x.verdict for x in v.lengths)) for v in about.verdicts
    )


def data(
    context: typer.Context,
    out: Path | None = None,
    folder: Path | None = None,
    store: Path | None = None,
) -> None:
    """Write all measurements, and what was predicted, as CSV.

    Args:
        out: The CSV file; without it the table is printed.
        folder: Where evidence stands (default: here in reports, or the committed).
        store: Write the measurements of this store in their place.
    """
    from arith.theory.text.text import count
    from arith.verify.plan.folders import WHERE_COMMITTED, evidence_folder
    from arith.verify.records.files import check_writable, write
    from arith.verify.records.store import stored
    from arith.verify.reporting.exports import committed, dataset

    if out is not None:
        check_writable(out)
    if store is not None and folder is not None:
        raise InvalidInput("give --store or --folder, not both")
    options.check_store(context, store)
    evidence = folder or evidence_folder()
    if store is None:
        runs, grids = committed(evidence)
    else:
        (runs, notes), grids = stored(store), {}
        for note in notes:
            print(f"arith: {note}", file=sys.stderr)
    if not runs:
        where = "" if store else f"; {WHERE_COMMITTED}"
        raise InvalidInput(f"no measurements in {store or evidence}{where}")
    text = dataset(runs, grids)
    if out is None:
        print(text, end="")
        return
    write(out, text)
    measurements = sum(len(run.measurements) for run in runs)
    print(f"wrote {out}: {count(measurements, 'measurement')} of {count(len(runs), 'model')}")

"""The command that writes all measurements as one table."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from arith.theory.errors import InvalidInput


def data(
    out: Annotated[
        Path | None, typer.Option(help="The CSV file; without it the table is printed.")
    ] = None,
    folder: Annotated[
        Path | None,
        typer.Option(help="Where evidence stands (default: here in reports, or the committed)."),
    ] = None,
    store: Annotated[
        Path | None, typer.Option(help="Write the measurements of this store in their place.")
    ] = None,
) -> None:
    """Write all measurements, and what was predicted, as CSV."""
    from arith.theory.text.text import count
    from arith.verify.plan.folders import WHERE_COMMITTED, evidence_folder
    from arith.verify.records.files import check_writable, write
    from arith.verify.records.store import stored
    from arith.verify.reporting.exports import committed, dataset

    if out is not None:
        check_writable(out)
    if store is not None and folder is not None:
        raise InvalidInput("give --store or --folder, not both")
    if store is not None and not store.exists():
        raise InvalidInput(f"there is no store {store}; arith verify makes one")
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

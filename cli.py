"""The command ``arith``: reads options and prints; everything is computed elsewhere."""

from __future__ import annotations

import io
import json
import os
import sys
from collections.abc import Callable, Sequence
from functools import wraps
from inspect import Signature, signature
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer
from typer.exceptions import TyperException

from printing import (
    digits_json,
    learning_json,
    print_digits,
    print_list,
    print_prediction,
    print_table,
    print_text,
    print_verdicts,
)
from theory.errors import InvalidInput
from theory.setting.encodings import ENCODINGS
from theory.setting.layouts import LAYOUTS
from theory.setting.requests import (
    LARGEST_DIGITS,
    LARGEST_TEST,
    Request,
    read_lengths,
    read_numbers,
)
from theory.setting.tasks import TASKS, named_task
from verify.plan.sizes import SIZES

if TYPE_CHECKING:
    from verify.plan.cells import Cell

app = typer.Typer(
    name="arith",
    help="Predict how a small GPT trained on arithmetic generalizes to other lengths, and verify it.",
    add_completion=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)


def _names(table: dict[str, Any]) -> Any:
    return lambda incomplete="": [n for n in table if n.startswith(incomplete)]


TaskOption = Annotated[
    str | None,
    typer.Option("--task", help=f"Task: {', '.join(TASKS)}.", autocompletion=_names(TASKS)),
]
ExprOption = Annotated[
    str | None, typer.Option("--expr", help="Task as an expression, e.g. '(2*a + 3*b) % 12'.")
]
ModulusOption = Annotated[int | None, typer.Option("--modulus", help="Modulus p, at least 1.")]
BaseOption = Annotated[int, typer.Option("--base", help="Base of the digits.")]
EncodingOption = Annotated[
    str,
    typer.Option(
        "--pe", help=f"Encoding: {', '.join(ENCODINGS)}.", autocompletion=_names(ENCODINGS)
    ),
]
LayoutOption = Annotated[
    str,
    typer.Option("--layout", help=f"Layout: {', '.join(LAYOUTS)}.", autocompletion=_names(LAYOUTS)),
]
WindowOption = Annotated[
    int, typer.Option("--window", help="Tokens that a query sees; 0 is the whole prefix.")
]
TrainDigitsOption = Annotated[
    str,
    typer.Option(
        "--train-digits", help=f"Training lengths, 1 to {LARGEST_DIGITS}: 3, or 4+5 for a union."
    ),
]
TrainDomainOption = Annotated[
    str, typer.Option("--train-domain", help="longest (operand has n digits) or every.")
]
PrimingOption = Annotated[
    list[str] | None,
    typer.Option("--train-priming", help="Longer examples mixed in: 6:0.01 is 1% of 6 digits."),
]
AllowedOption = Annotated[
    list[str] | None,
    typer.Option("--train-allowed", help="The only digits at a position (1 = units): 2:6-9."),
]
PairsOption = Annotated[
    int | None,
    typer.Option("--train-pairs", help="Train on so many operand tuples, drawn once."),
]
TestDigitsOption = Annotated[
    str | None,
    typer.Option(
        "--test-digits",
        help=f"Test lengths, 1 to {LARGEST_TEST}: 1-6 or 1,4 (default: 1 to train + 3).",
    ),
]
TestDomainOption = Annotated[str, typer.Option("--test-domain", help="longest or every.")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]
JsonListOption = Annotated[
    bool, typer.Option("--json", help="Print a JSON list with one object per row.")
]


def _options(
    task: TaskOption = None,
    expr: ExprOption = None,
    modulus: ModulusOption = None,
    base: BaseOption = 10,
    pe: EncodingOption = "ape",
    layout: LayoutOption = "aligned",
    window: WindowOption = 0,
    train_digits: TrainDigitsOption = "3",
    train_domain: TrainDomainOption = "longest",
    train_priming: PrimingOption = None,
    train_allowed: AllowedOption = None,
    train_pairs: PairsOption = None,
    test_digits: TestDigitsOption = None,
    test_domain: TestDomainOption = "longest",
) -> Request:
    """A setting asked for on the command line."""
    return Request(
        *(task, expr, modulus, base, pe, layout, window, train_digits, train_domain),
        *(tuple(train_priming or ()), tuple(train_allowed or ()), train_pairs),
        *(test_digits, test_domain),
    )


def _asks(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options of a setting in place of its parameter ``asked``."""
    setting = signature(_options, eval_str=True).parameters
    own = dict(signature(command, eval_str=True).parameters)
    own.pop("asked")
    # The context, where a command asks for it, has no default and so has to come first.
    parameters = dict(
        sorted({**setting, **own}.items(), key=lambda x: x[1].default is not x[1].empty)
    )

    @wraps(command)
    def run(**values: Any) -> None:
        asked = _options(**{name: values.pop(name) for name in setting})
        command(asked, **values)

    run.__signature__ = Signature(list(parameters.values()))  # type: ignore[attr-defined]
    run.__annotations__ = {n: p.annotation for n, p in parameters.items()}
    return run


def _given(context: typer.Context) -> list[str]:
    """The options of a setting that are written on the command line, be it with their defaults."""
    sources = {name: context.get_parameter_source(name) for name in signature(_options).parameters}
    return [
        "--" + name.replace("_", "-")
        for name, source in sources.items()
        if source is not None and source.name == "COMMANDLINE"
    ]


@app.command()
@_asks
def predict(
    asked: Request,
    as_json: JsonOption = False,
    explain: Annotated[
        bool,
        typer.Option(
            "--explain",
            help="Show the derivation, how soon the task is learned, and what a model knows before.",
        ),
    ] = False,
    per_digit: Annotated[
        bool,
        typer.Option("--per-digit", help="Show the accuracy of each result digit, units first."),
    ] = False,
) -> None:
    """Say whether, and how exactly, a model generalizes to shorter and longer inputs."""
    from theory.prediction.predict import predict as run

    prediction = run(asked.setting())
    if as_json:
        digits = {"per_digit": digits_json(prediction)} if per_digit else {}
        below = learning_json(prediction) if explain else {}
        print(json.dumps({**prediction.to_json(), **below, **digits}, indent=2))
        return
    print_prediction(prediction, explain)
    if per_digit:
        print()
        print_digits(prediction)


EXTERNAL = "hf:"
SizeOption = Annotated[
    str | None,
    typer.Option("--model", help=f"Model size: {', '.join(SIZES)}.", autocompletion=_names(SIZES)),
]
ModelOption = Annotated[
    str | None,
    typer.Option(
        "--model",
        help=f"Model size: {', '.join(SIZES)}; or hf:PATH, a causal language model on disk, "
        "which is asked and not trained.",
        autocompletion=_names(SIZES),
    ),
]
DeviceOption = Annotated[str, typer.Option("--device", help="auto, cpu or cuda.")]
GRID_HELP = "smoke, headline, data, windows, layouts, depths, leaks, leaps, unconverged, full, or a TOML file."
PrecisionOption = Annotated[
    str,
    typer.Option(
        "--precision",
        envvar="ARITH_PRECISION",
        help="Of matrix products: float32, bfloat16, or auto: by what the processor has.",
    ),
]
DEFAULT_STORE = Path(".arith") / "measurements.sqlite"
MOST_JOBS, MOST_STEPS = 1_000, 100_000_000
"""Processes, and training steps of one model, that may be asked for."""


@app.command()
@_asks
def verify(
    asked: Request,
    context: typer.Context,
    grid: Annotated[str | None, typer.Option("--grid", help=GRID_HELP)] = None,
    model: ModelOption = None,
    seeds: Annotated[int, typer.Option("--seeds", help="Models per cell.")] = 1,
    first_seed: Annotated[int, typer.Option("--first-seed", help="The first seed.")] = 0,
    jobs: Annotated[
        int, typer.Option("--jobs", help="Models trained at once; 0 is one per core.")
    ] = 0,
    device: DeviceOption = "auto",
    precision: PrecisionOption = "auto",
    store: Annotated[
        Path,
        typer.Option("--store", help="Where measurements are kept; what it has is not redone."),
    ] = DEFAULT_STORE,
    budget: Annotated[
        int,
        typer.Option(
            "--budget",
            help="Most training steps per model; 0 is the recipe's. Runs that had spent a smaller "
            "budget are made again.",
        ),
    ] = 0,
    junit_xml: Annotated[
        Path | None, typer.Option("--junit-xml", help="Write the verdicts as JUnit XML.")
    ] = None,
) -> None:
    """Train the cells of a grid, or one cell, and judge the predictions by them."""
    from verify.plan.limits import check_cells, check_seeds

    check_seeds(first_seed, seeds)
    if not 0 <= jobs <= MOST_JOBS or not 0 <= budget <= MOST_STEPS:
        raise InvalidInput(
            f"--jobs goes from 0 to {MOST_JOBS:,} and --budget from 0 to {MOST_STEPS:,}"
        )
    given = _given(context)
    if grid is not None and given:
        raise InvalidInput(f"give --grid or the options of one cell ({', '.join(given)}), not both")
    if grid is None and asked.task is None and asked.expr is None:
        raise InvalidInput("say what to verify: --grid smoke, --grid headline, or --task NAME")
    setting = None if grid is not None else asked.setting()
    external = model is not None and model.startswith(EXTERNAL)
    if external and (seeds != 1 or first_seed or budget or junit_xml is not None):
        raise InvalidInput(
            f"{model} is not trained: leave out --seeds, --first-seed, --budget and --junit-xml"
        )
    if junit_xml is not None:
        _check_writable(junit_xml)

    from verify.judging.judge import exit_code, judge
    from verify.plan.cells import Cell, default_model
    from verify.plan.grids import grid as read_grid
    from verify.plan.recipe import DEFAULT_BUDGET, RECIPE
    from verify.records.files import Failed, write
    from verify.records.store import Store
    from verify.reporting.junit import junit
    from verify.running.progress import ProgressDisplay
    from verify.running.run import missing, run_all
    from verify.training.device import fix_precision, pick_device

    if setting is None:
        cells = read_grid(str(grid))
        if model is not None and not external:
            cells = list(dict.fromkeys(Cell(c.setting, model) for c in cells))
    else:
        own = None if external else model
        cells = [Cell(setting, own or default_model(setting.task))]
    if external:
        _print_external(cells, Path(str(model).removeprefix(EXTERNAL)), device)
        return
    check_cells(cells, seeds)
    chosen = pick_device(device)
    number = fix_precision(precision, chosen)
    wanted = range(first_seed, first_seed + seeds)
    steps = budget or DEFAULT_BUDGET
    database = Store(store)
    todo = missing(cells, wanted, database, steps, number)
    workers = jobs or (1 if chosen == "cuda" else os.cpu_count() or 1)
    with ProgressDisplay(len(todo), steps) as display:
        run_all(todo, database, steps, chosen, workers, display.update)
    verdicts = []
    for cell in cells:
        found = [database.find(cell, seed, RECIPE.version, number) for seed in wanted]
        verdicts.append(judge(cell, [run for run in found if run is not None]))
    if junit_xml is not None:
        write(junit_xml, junit(verdicts))
    print_verdicts(verdicts)
    if database.kept:
        raise Failed(
            f"cannot write the store {store}: {len(database.kept)} models are kept in "
            f"{min(database.kept)}{' and others' if len(database.kept) > 1 else ''}, "
            "to be read back at the next start"
        )
    raise typer.Exit(exit_code(verdicts))


@app.command("grid")
def show_grid(
    grid: Annotated[str, typer.Option("--grid", help=GRID_HELP)] = "full",
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one JSON object per cell and line.")
    ] = False,
) -> None:
    """List the cells of a grid with their predictions, before anything is trained."""
    from theory.prediction.predict import predict as run
    from verify.plan.grids import grid as read_grid
    from verify.reporting.terminal import PREDICTION_COLUMNS, prediction_row
    from verify.running.counting import shown

    cells = read_grid(grid)
    if as_json:
        for cell in cells:
            data = {"cell": cell.to_json(), "prediction": run(cell.setting).to_json()}
            print(json.dumps(data), flush=True)
        return
    rows = [prediction_row(cell, run(cell.setting)) for cell in shown(cells, "cells predicted")]
    print_table(PREDICTION_COLUMNS, rows)
    print_text(f"\n{len(cells)} cells; train them with arith verify --grid {grid}")


@app.command()
@_asks
def inspect(
    asked: Request,
    model: SizeOption = None,
    seed: Annotated[int, typer.Option("--seed", help="Of the weights and the examples.")] = 0,
    device: DeviceOption = "auto",
    precision: PrecisionOption = "auto",
    budget: Annotated[
        int, typer.Option("--budget", help="Most training steps; 0 is the recipe's.")
    ] = 0,
    out: Annotated[
        Path, typer.Option("--out", help="A folder for the pictures and mechanism.json.")
    ] = Path("mechanism"),
) -> None:
    """Train one cell and look inside: what its answers depend on, which inputs it confuses."""
    setting = asked.setting()
    from verify.plan.limits import check_cells, check_seeds

    if budget < 0:
        raise InvalidInput("--budget must not be negative")
    check_seeds(seed, 1)
    if budget > MOST_STEPS:
        raise InvalidInput(f"--budget goes up to {MOST_STEPS:,}")
    if model is not None and model.startswith(EXTERNAL):
        raise InvalidInput(
            f"--model {model}: only verify takes {EXTERNAL}PATH; inspect trains a model of a size "
            f"({', '.join(SIZES)})"
        )

    from verify.mechanism.inspection import draw, measure_mechanism
    from verify.plan.cells import Cell, default_model
    from verify.plan.recipe import DEFAULT_BUDGET
    from verify.records.files import write
    from verify.reporting.mechanism import mechanism_rows
    from verify.training.device import fix_precision, pick_device, train_alone
    from verify.training.train import train

    cell = Cell(setting, model or default_model(setting.task))
    check_cells([cell], 1)
    _check_writable(out / "mechanism.json")
    train_alone()
    chosen = pick_device(device)
    fix_precision(precision, chosen)
    trained = train(cell, seed, budget or DEFAULT_BUDGET, device=chosen)
    found = measure_mechanism(trained.model, cell, max(setting.test_lengths))
    head = {"cell": cell.to_json(), "seed": seed, "premise": round(trained.premise, 6)}
    print_text(f"{cell.label()}, seed {seed}", bold=True)
    print_text(f"in domain {trained.premise:.3f} after {trained.steps} steps")
    print_table(("at", "what", "value"), mechanism_rows(found.to_json()))
    for path in draw(trained.model, cell, found, out):
        print(f"wrote {path}")
    write(out / "mechanism.json", json.dumps({**head, **found.to_json()}) + "\n")
    raise typer.Exit(0 if trained.converged else 3)


def _check_writable(path: Path) -> None:
    """Refuse a file that cannot be written, before the long work whose result it is to hold."""
    new = not path.exists()
    try:
        if not path.parent.exists():
            path.parent.mkdir(parents=True)
        path.open("a").close()
    except OSError as error:
        raise InvalidInput(f"cannot write {path}: {error.strerror}") from None
    if new:
        path.unlink()


def _print_external(cells: Sequence[Cell], path: Path, device: str) -> None:
    """Ask a model from disk the inputs of each cell, and say which function explains its errors."""
    from verify.external import COLUMNS, evaluate, load, table

    loaded = load(path, device)
    for cell in cells:
        found = [evaluate(loaded, cell.setting, n) for n in cell.setting.test_lengths]
        s = cell.setting
        print_text(f"{s.task.text()}, examples of {s.train.text()}", bold=True)
        print_table(COLUMNS, table(found))


@app.command()
def report(
    grid: Annotated[
        str, typer.Option("--grid", help="The grid to report on: a name or a TOML file.")
    ] = "headline",
    store: Annotated[
        Path, typer.Option("--store", help="Where arith verify kept its measurements.")
    ] = DEFAULT_STORE,
    folder: Annotated[Path, typer.Option("--folder", help="Where reports/GRID stands.")] = Path(
        "reports"
    ),
    check: Annotated[
        bool, typer.Option("--check", help="Write nothing; judge the committed evidence.")
    ] = False,
) -> None:
    """Judge the evidence of a grid and write its report; measurements in the store are added.

    Ends with 1 where a claim diverges and no cause is named in causes.toml beside the evidence
    (with --check also where those texts do not fit it), with 3 where a cell is inconclusive.
    """
    from verify.judging.judge import exit_code, judge_evidence
    from verify.judging.known_divergences import (
        out_of_date,
        read_known_divergences,
        unexplained,
    )
    from verify.plan.grids import grid as read_grid
    from verify.plan.recipe import RECIPE
    from verify.records.evidence import merge, read_evidence, write_evidence
    from verify.records.files import write
    from verify.records.store import Store
    from verify.reporting.cells_page import cells_page
    from verify.reporting.page import page
    from verify.reporting.report import Report
    from verify.reporting.sentences import gate_line

    cells = read_grid(grid)
    mine = {cell.key for cell in cells}
    name = Path(grid).stem
    evidence = folder / name / "evidence.jsonl"
    runs = read_evidence(evidence) if evidence.exists() or check else []
    if not check and store.exists():
        new, unread = Store(store).runs()
        for line in unread:
            print(f"arith: {line}", file=sys.stderr)
        current = [r for r in new if r.recipe == RECIPE.version and r.cell.key in mine]
        runs = merge(runs, current)
    judged = [r for r in runs if r.recipe == RECIPE.version and r.cell.key in mine]
    if len(judged) < len(runs):
        print(
            f"arith: {len(runs) - len(judged)} models in {evidence} are kept and not judged: they "
            f"are of another recipe than {RECIPE.version}, or of cells that the grid does not have",
            file=sys.stderr,
        )
    verdicts = judge_evidence(cells, judged)
    if not judged:
        raise InvalidInput(
            f"no measurements of the grid '{name}' in {evidence} or {store}; run arith verify first"
        )
    known = read_known_divergences(folder / name / "causes.toml")
    if check:
        print_verdicts(verdicts)
    else:
        write_evidence(evidence, runs)
        made = Report(name, verdicts, folder / name, known)
        write(folder / name / "cells.md", cells_page(made))
        write(folder / name / "README.md", page(made))
        print(f"wrote {folder / name / 'README.md'}")
    failures = unexplained(verdicts, known) + (out_of_date(verdicts, known) if check else [])
    for line in failures:
        print(line, file=sys.stderr)
    if check:
        print_text(gate_line(verdicts, known))
    raise typer.Exit(1 if failures else 3 if exit_code(verdicts) == 3 else 0)


@app.command()
@_asks
def advise(
    asked: Request,
    as_json: JsonOption = False,
) -> None:
    """Say what to change so that a model generalizes, cheapest first."""
    from theory.studies.advise import advise as run

    advice = run(asked.setting())
    if as_json:
        print(json.dumps(advice.to_json(), indent=2))
        return
    from theory.display.text import advice_text

    for line in advice_text(advice):
        print_text(line, indent="  ")


@app.command("map")
def phase_map(
    task: Annotated[str, typer.Option("--task", help="A named task.")] = "mod_add",
    modulus: Annotated[
        str | None, typer.Option("--modulus", help="Moduli: 2..400, or one where bases vary.")
    ] = None,
    base: Annotated[str, typer.Option("--base", help="Bases: 10, or 2..36.")] = "10",
    train_digits: Annotated[
        str, typer.Option("--train-digits", help="Training lengths, each by itself: 1..4.")
    ] = "1..4",
    pe: EncodingOption = "ape",
    layout: LayoutOption = "aligned",
    out: Annotated[
        Path, typer.Option("--out", help="The picture, .png or .svg; a .csv is put beside it.")
    ] = Path("map.png"),
) -> None:
    """Draw upward accuracy by modulus (or base) and training length, exactly."""
    from theory.display.phase_plot import plot
    from theory.display.phase_table import write_csv
    from theory.setting.encodings import encoding
    from theory.setting.layouts import layout as read_layout
    from theory.studies.phase import phase_diagram

    moduli = (None,) if modulus is None else read_numbers(modulus, "--modulus")
    points = phase_diagram(
        lambda p: named_task(task, p),
        moduli,
        read_numbers(base, "--base"),
        read_lengths(train_digits, "--train-digits"),
        encoding(pe),
        read_layout(layout),
    )
    plot(points, out)
    write_csv(points, out.with_suffix(".csv"))
    print(f"wrote {out} and {out.with_suffix('.csv')}")


@app.command()
def literature(
    finding: Annotated[
        str | None, typer.Argument(help="One finding, to be printed whole.", show_default=False)
    ] = None,
    as_json: JsonListOption = False,
) -> None:
    """Print published findings beside the predictions, and why they part where they do."""
    from theory.display.literature_tables import (
        COLUMNS,
        IN_SHORT,
        LEGEND,
        finding_text,
        short_table,
        summary,
        table,
    )

    if finding is not None:
        lines = finding_text(finding)
        if as_json:
            rows = [row for row in table() if row[0] == finding]
            print_list({name: name for name in COLUMNS}, rows, as_json)
            return
        print_text(finding, bold=True)
        for line in lines:
            print_text(line, indent="  ")
    elif as_json:
        print_list({name: name for name in COLUMNS}, table(), as_json)
    else:
        print_text(f"{summary()}\n{LEGEND}\n")
        print_table(IN_SHORT, short_table())


@app.command()
def tasks(as_json: JsonListOption = False) -> None:
    """List the named tasks, with the properties that decide how they generalize (base 10)."""
    from theory.display.catalogue import TASK_COLUMNS, task_rows

    print_list(TASK_COLUMNS, task_rows(), as_json)


@app.command()
def encodings(as_json: JsonListOption = False) -> None:
    """List the positional encodings."""
    from theory.display.catalogue import ENCODING_COLUMNS, encoding_rows

    print_list(ENCODING_COLUMNS, encoding_rows(), as_json)


@app.command()
def layouts(as_json: JsonListOption = False) -> None:
    """List the layouts, each with the way it writes 12 + 34 = 46."""
    from theory.display.catalogue import LAYOUT_COLUMNS, layout_rows

    print_list(LAYOUT_COLUMNS, layout_rows(), as_json)


@app.command()
def theorems(
    rule: Annotated[
        str | None, typer.Argument(help="One rule, to be printed whole.", show_default=False)
    ] = None,
    as_json: JsonListOption = False,
) -> None:
    """List the rules of the theory, or print one with its premises and source."""
    from theory.display.catalogue import (
        RULE_COLUMNS,
        RULES_IN_SHORT,
        rule_rows,
        rule_text,
        rules_in_short,
    )

    if rule is not None and not as_json:
        lines = rule_text(rule)
        print_text(rule, bold=True)
        for line in lines:
            print_text(line)
    elif as_json:
        rows = rule_rows() if rule is None else [row for row in rule_rows() if row[0] == rule]
        print_list(RULE_COLUMNS, rows, as_json)
    else:
        print_table(RULES_IN_SHORT, rules_in_short())
        print_text(
            'by: a paper, or ours. One rule whole: arith theorems RULE, say "joint support".'
        )


LONGEST_MESSAGE = 600
"""Characters of an error: what is echoed of the input may be longer."""


def _fail(message: str, code: int) -> NoReturn:
    """Print an error on one line, what would act on a terminal written as an escape, and end."""
    line = "".join(
        c if c.isprintable() else c.encode("unicode_escape").decode("ascii")
        for c in " ".join(message.split())
    )
    if len(line) > LONGEST_MESSAGE:
        line = f"{line[: LONGEST_MESSAGE // 2]} ... {line[-LONGEST_MESSAGE // 2 :]}"
    print(f"arith: {line}", file=sys.stderr)
    raise SystemExit(code)


def main() -> NoReturn:
    """Run the command line; every error is one line on stderr.

    Exit codes: 0 all agree, 1 theory and experiment diverge, 2 wrong usage or bad input,
    3 inconclusive, 4 failed (what had finished is kept), 130 interrupted, 141 the reader of the
    output has closed it (the work was done).
    """
    from verify.records.files import Failed

    if not os.environ.get("COLUMNS", "").strip("0"):
        os.environ.pop("COLUMNS", None)  # a width of 0 is none, and nothing would be printed
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
    try:
        code = app(sys.argv[1:] or ["--help"], standalone_mode=False)
        print(end="", flush=True)
    except InvalidInput as error:
        _fail(str(error), 2)
    except Failed as error:
        _fail(str(error), 4)
    except (KeyboardInterrupt, typer.Abort):
        _fail("interrupted; what had finished is kept", 130)
    except TyperException as error:
        _fail(error.format_message(), 2)
    except OSError as error:
        if error.filename is None:
            # Python would write what is left of the output, and fail once more, at its end.
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        if isinstance(error, BrokenPipeError):  # the reader has seen enough
            raise SystemExit(128 + 13) from None  # as a shell counts SIGPIPE
        where = "" if error.filename is None else f"{error.filename}: "
        _fail(f"{where}{error.strerror or error}", 2)
    raise SystemExit(code or 0)

"""The command ``arith``: reads options and prints; everything is computed elsewhere."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer
from typer.exceptions import TyperException

from theory.domains import Domain
from theory.encodings import ENCODINGS, encoding
from theory.layouts import LAYOUTS, layout
from theory.tasks import TASKS, InvalidInput, Task, named_task

if TYPE_CHECKING:
    from rich.console import Console

    from theory.predict import Prediction, Setting
    from verify.judge import CellVerdict

app = typer.Typer(
    name="arith",
    help="Predict how a small GPT trained on arithmetic generalizes to other lengths, and verify it.",
    no_args_is_help=True,
    add_completion=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)

LARGEST_DIGITS = 1000


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
    str, typer.Option("--train-digits", help="Training lengths: 3, or 4+5 for a union.")
]
TrainDomainOption = Annotated[
    str, typer.Option("--train-domain", help="longest (operand has n digits) or every.")
]
TestDigitsOption = Annotated[
    str | None,
    typer.Option("--test-digits", help="Test lengths: 1-6 or 1,4 (default: 1 to train + 3)."),
]
TestDomainOption = Annotated[str, typer.Option("--test-domain", help="longest or every.")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]


def _lengths(text: str, what: str) -> tuple[int, ...]:
    """``4+5``, ``1,3`` and ``1-6`` as lengths."""
    found: list[int] = []
    try:
        for part in text.replace("+", ",").split(","):
            low, _, high = part.strip().partition("-")
            first, last = int(low), int(high or low)
            if first < 1 or last < first or last > LARGEST_DIGITS:
                raise ValueError
            found += range(first, last + 1)
    except ValueError:
        raise InvalidInput(
            f"{what} '{text}' is no list of lengths from 1 to {LARGEST_DIGITS}, "
            "such as 3, 4+5, 1,3 or 1-6"
        ) from None
    return tuple(found)


def _task(name: str | None, expr: str | None, modulus: int | None) -> Task:
    if name is not None and expr is not None:
        raise InvalidInput("give --task or --expr, not both")
    if expr is not None:
        from theory.expressions import parse_task

        return parse_task(expr, modulus)
    if name is None:
        raise InvalidInput(f"give a task: --task ({', '.join(TASKS)}) or --expr")
    return named_task(name, modulus)


def _setting(
    task: str | None,
    expr: str | None,
    modulus: int | None,
    base: int,
    pe: str,
    layout_name: str,
    window: int,
    train_digits: str,
    train_domain: str,
    test_digits: str | None,
    test_domain: str,
) -> Setting:
    from theory.predict import Setting

    return Setting(
        _task(task, expr, modulus),
        base,
        encoding(pe),
        layout(layout_name),
        Domain(_lengths(train_digits, "--train-digits"), train_domain),
        window,
        () if test_digits is None else _lengths(test_digits, "--test-digits"),
        test_domain,
    )


def _console() -> Console:
    from rich.console import Console

    return Console(highlight=False)


@app.command()
def predict(
    task: TaskOption = None,
    expr: ExprOption = None,
    modulus: ModulusOption = None,
    base: BaseOption = 10,
    pe: EncodingOption = "ape",
    layout: LayoutOption = "aligned",
    window: WindowOption = 0,
    train_digits: TrainDigitsOption = "3",
    train_domain: TrainDomainOption = "longest",
    test_digits: TestDigitsOption = None,
    test_domain: TestDomainOption = "longest",
    as_json: JsonOption = False,
    explain: Annotated[bool, typer.Option("--explain", help="Show the derivation.")] = False,
) -> None:
    """Say whether, and how exactly, a model generalizes to shorter and longer inputs."""
    from theory.predict import predict as run

    prediction = run(
        _setting(
            task,
            expr,
            modulus,
            base,
            pe,
            layout,
            window,
            train_digits,
            train_domain,
            test_digits,
            test_domain,
        )
    )
    if as_json:
        print(json.dumps(prediction.to_json(), indent=2))
    else:
        _print_prediction(prediction, explain)


def _print_prediction(prediction: Prediction, explain: bool) -> None:
    from rich.table import Table

    console = _console()
    s = prediction.setting
    window = f", window {s.window}" if s.window else ""
    console.print(
        f"[bold]{s.task.text()}[/bold], base {s.base}, {s.encoding.name}, "
        f"{s.layout.name} layout{window}, trained on {s.train.text()}"
    )
    grid = Table.grid(padding=(0, 2))
    rows = [
        ("downward", prediction.verdict("downward"), prediction.published_verdict("downward")),
        ("upward", prediction.verdict("upward"), prediction.published_verdict("upward")),
    ]
    for direction, refined, theorem in rows:
        grid.add_row(direction, _coloured(refined), f"(published theorem: {theorem})")
    console.print(grid)
    if prediction.learned_text:
        console.print(f"learned function  {prediction.learned_text}", markup=False)
    table = Table(box=None, pad_edge=False)
    for column in ("digits", "direction", "status", "accuracy", ""):
        table.add_column(column, justify="right" if column == "digits" else "left")
    for x in prediction.lengths:
        exact = "-" if x.accuracy is None else _short(str(x.accuracy))
        decimal = "" if x.accuracy is None else f"{float(x.accuracy):.6g}"
        where = x.direction.replace("_", " ")
        table.add_row(str(x.digits), where, _coloured(x.status), exact, decimal)
    console.print(table)
    if explain:
        console.print()
        for number, step in enumerate(prediction.derivation, 1):
            console.print(f"{number}. {step.statement}", markup=False)
            console.print(f"   rule: {step.rule}; source: {step.source}", markup=False, style="dim")


def _short(text: str) -> str:
    """A rational that would fill lines, cut in the middle (``--json`` has it whole)."""
    return text if len(text) <= 40 else f"{text[:16]}...{text[-16:]}"


def _coloured(status: str) -> str:
    colours = {
        "generalizes": "green",
        "agree": "green",
        "fails": "red",
        "diverge": "red",
        "partial": "yellow",
        "inconclusive": "yellow",
    }
    colour = colours.get(status.split(" ")[0])
    return f"[{colour}]{status}[/{colour}]" if colour else status


StoreOption = Annotated[
    Path, typer.Option("--store", help="Where measurements are kept; what it has is not redone.")
]
DEFAULT_STORE = Path(".arith") / "measurements.sqlite"


@app.command()
def verify(
    grid: Annotated[
        str | None, typer.Option("--grid", help="smoke, headline, or a TOML file of cells.")
    ] = None,
    task: TaskOption = None,
    expr: ExprOption = None,
    modulus: ModulusOption = None,
    base: BaseOption = 10,
    pe: EncodingOption = "ape",
    layout: LayoutOption = "aligned",
    window: WindowOption = 0,
    train_digits: TrainDigitsOption = "3",
    train_domain: TrainDomainOption = "longest",
    test_digits: TestDigitsOption = None,
    test_domain: TestDomainOption = "longest",
    model: Annotated[
        str | None, typer.Option("--model", help="pico, wide, nano, micro or mini.")
    ] = None,
    seeds: Annotated[int, typer.Option("--seeds", help="Models per cell.")] = 1,
    first_seed: Annotated[int, typer.Option("--first-seed", help="The first seed.")] = 0,
    jobs: Annotated[
        int, typer.Option("--jobs", help="Models trained at once; 0 is one per core.")
    ] = 0,
    device: Annotated[str, typer.Option("--device", help="auto, cpu or cuda.")] = "auto",
    store: StoreOption = DEFAULT_STORE,
    budget: Annotated[
        int, typer.Option("--budget", help="Most training steps per model; 0 is the recipe's.")
    ] = 0,
    junit_xml: Annotated[
        Path | None, typer.Option("--junit-xml", help="Write the verdicts as JUnit XML.")
    ] = None,
) -> None:
    """Train the cells of a grid, or one cell, and judge the predictions by them."""
    if seeds < 1 or first_seed < 0 or jobs < 0 or budget < 0:
        raise InvalidInput(
            "--seeds must be at least 1; --first-seed, --jobs and --budget not negative"
        )
    options = (
        *(task, expr, modulus, base, pe, layout, window),
        *(train_digits, train_domain, test_digits, test_domain),
    )
    if grid is not None and (task is not None or expr is not None):
        raise InvalidInput("give --grid or a task, not both")
    if grid is None and task is None and expr is None:
        raise InvalidInput("say what to verify: --grid smoke, --grid headline, or --task NAME")
    setting = None if grid is not None else _setting(*options)

    from verify.cells import Cell, default_model
    from verify.grids import grid as read_grid
    from verify.judge import exit_code, judge
    from verify.report import junit, write
    from verify.run import missing, pick_device, run_all
    from verify.store import Store
    from verify.train import DEFAULT_BUDGET, RECIPE

    if setting is None:
        cells = read_grid(str(grid))
        if model is not None:
            cells = [Cell(c.setting, model) for c in cells]
    else:
        cells = [Cell(setting, model or default_model(setting.task))]
    chosen = pick_device(device)
    wanted = range(first_seed, first_seed + seeds)
    steps = budget or DEFAULT_BUDGET
    database = Store(store)
    todo = missing(cells, wanted, database, steps)
    with _Progress(len(todo), steps) as on_progress:
        workers = jobs or (1 if chosen == "cuda" else os.cpu_count() or 1)
        run_all(todo, database, steps, chosen, workers, on_progress)
    verdicts = []
    for cell in cells:
        found = [database.find(cell, seed, RECIPE.version) for seed in wanted]
        verdicts.append(judge(cell, [run for run in found if run is not None]))
    _print_verdicts(verdicts)
    if junit_xml is not None:
        write(junit_xml, junit(verdicts))
    raise typer.Exit(exit_code(verdicts))


class _Progress:
    """A progress bar with the time left on a terminal, a line per finished model elsewhere."""

    def __init__(self, total: int, budget: int) -> None:
        self.total, self.budget = total, budget
        self.finished = 0
        self.tasks: dict[Any, Any] = {}
        self.bar: Any = None

    def __enter__(self) -> Any:
        if self.total and sys.stderr.isatty():
            from rich.console import Console
            from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

            self.bar = Progress(
                TextColumn("{task.description}"),
                BarColumn(),
                TextColumn("{task.completed:.0f}/{task.total:.0f}"),
                TimeRemainingColumn(),
                console=Console(stderr=True),
            )
            self.bar.start()
            self.all = self.bar.add_task("all steps (at most)", total=self.total * self.budget)
        elif self.total:
            print(
                f"training {self.total} models, at most {self.budget} steps each", file=sys.stderr
            )
        return self.update

    def update(self, sign: Any) -> None:
        """Show a sign of life."""
        job, run = sign.job, sign.run
        if self.bar is not None:
            if job not in self.tasks:
                self.tasks[job] = self.bar.add_task(job.cell.label(), total=self.budget)
            self.bar.update(self.tasks[job], completed=sign.steps)
            if run is not None:
                self.bar.update(self.tasks[job], visible=False, completed=self.budget)
            self.bar.update(
                self.all, completed=sum(t.completed for t in self.bar.tasks if t.id != self.all)
            )
        if run is not None:
            self.finished += 1
            line = (
                f"[{self.finished}/{self.total}] {job.cell.label()}, seed {job.seed}: in domain "
                f"{run.premise:.3f}, {run.steps} steps, {run.seconds:.0f} s"
            )
            if self.bar is not None:
                self.bar.console.print(line, highlight=False, markup=False)
            else:
                print(line, file=sys.stderr, flush=True)

    def __exit__(self, *_: object) -> None:
        if self.bar is not None:
            self.bar.stop()


def _print_verdicts(verdicts: Sequence[CellVerdict]) -> None:
    from rich.table import Table

    from verify.report import COLUMNS, SUMMARY_COLUMNS, cell_row, length_row, summary

    console = _console()
    single = len(verdicts) == 1
    table = Table(box=None, pad_edge=False, title=verdicts[0].cell.label() if single else None)
    for column in COLUMNS if single else SUMMARY_COLUMNS:
        table.add_column(column)
    rows = (
        [length_row(verdicts[0], x) for x in verdicts[0].lengths]
        if single
        else [cell_row(v) for v in verdicts]
    )
    for row in rows:
        table.add_row(*(_coloured(text) for text in row))
    console.print(table)
    console.print()
    console.print(summary(verdicts).replace("**", ""), markup=False)


@app.command()
def report(
    grid: Annotated[
        str, typer.Option("--grid", help="The grid to report on: a name or a TOML file.")
    ] = "headline",
    store: StoreOption = DEFAULT_STORE,
    folder: Annotated[Path, typer.Option("--folder", help="Where reports/GRID stands.")] = Path(
        "reports"
    ),
    check: Annotated[
        bool, typer.Option("--check", help="Write nothing; judge the committed evidence.")
    ] = False,
) -> None:
    """Judge the evidence of a grid and write its report; measurements in the store are added."""
    from verify.grids import grid as read_grid
    from verify.judge import exit_code
    from verify.report import judge_evidence, markdown, write
    from verify.store import Store, merge, read_evidence, write_evidence
    from verify.train import RECIPE

    cells = read_grid(grid)
    name = Path(grid).stem
    evidence = folder / name / "evidence.jsonl"
    runs = read_evidence(evidence) if evidence.exists() or check else []
    if not check and store.exists():
        runs = merge(runs, Store(store).runs())
    runs = [r for r in runs if r.recipe == RECIPE.version]
    verdicts = judge_evidence(cells, runs)
    if not any(v.runs for v in verdicts):
        raise InvalidInput(
            f"no measurements of the grid '{name}' in {evidence} or {store}; run arith verify first"
        )
    if check:
        _print_verdicts(verdicts)
    else:
        mine = {cell.key for cell in cells}
        write_evidence(evidence, [r for r in runs if r.cell.key in mine])
        write(folder / name / "README.md", markdown(name, verdicts))
        print(f"wrote {folder / name / 'README.md'}")
    raise typer.Exit(exit_code(verdicts))


def _fail(message: str, code: int) -> NoReturn:
    print(f"arith: {' '.join(message.split())}", file=sys.stderr)
    raise SystemExit(code)


def main() -> NoReturn:
    """Run the command line; every error is one line on stderr."""
    try:
        code = app(standalone_mode=False)
    except InvalidInput as error:
        _fail(str(error), 2)
    except (KeyboardInterrupt, typer.Abort):
        _fail("interrupted; what had finished is kept", 130)
    except TyperException as error:
        _fail(error.format_message(), 2)
    raise SystemExit(code or 0)

"""The commands that predict: nothing is trained."""

from __future__ import annotations

import sys
from collections.abc import Collection
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from arith.commands.options import (
    DEFAULT_STORE,
    JsonOption,
    check_picture,
    check_store,
    takes,
    written,
)
from arith.printing import (
    digit_parts,
    prediction_parts,
    print_json,
    print_lines,
    print_parts,
    print_table,
    print_text,
    waiting,
)
from arith.theory.errors import InvalidInput, unknown_name
from arith.theory.setting.requests import Request, flag, read_lengths, read_numbers

if TYPE_CHECKING:
    from arith.verify.data.finding import Found

_NOISE = (
    "What is predicted is of models that ignore digits which were always the same in training. A "
    "plain training does not make them ignored: noise on tokens does (docs/ignored-digits.md)."
)

_ALL_INPUTS = (
    "What follows is of training on all inputs of these lengths. The file lacks some: arith "
    "predict --data {data} lists them."
)


@takes(Request)
def predict(
    context: typer.Context,
    as_json: JsonOption = False,
    explain: bool = False,
    per_digit: bool = False,
    as_latex: Annotated[bool, typer.Option("--latex")] = False,
    plot: Path | None = None,
    store: Path = DEFAULT_STORE,
    data: Path | None = None,
    test_data: Path | None = None,
    **options: Any,
) -> None:
    """Predict how a model does on shorter and longer inputs.

    Args:
        explain: Show the derivation, how soon the task is learned, and what a model knows before.
        per_digit: Show the accuracy of each result digit, units first.
        as_latex: Print the task, f^ and the table as LaTeX, for amsmath and booktabs.
        plot: Draw it, .png or .svg, with the models of it in the store.
        store: Where arith verify kept its measurements, for --plot.
        data: A file of examples to predict from, in place of --train-*: text, JSONL or CSV, or -
            for standard input. Its format and task are found, unless options say them.
        test_data: A file of test examples, in place of --test-*; with --data.
    """
    from arith.theory.prediction.predict import predict

    if plot is None and written(context, ("store",)):
        raise InvalidInput("--store is read for the picture: give --plot FILE.svg too")
    check_store(context, store)
    if as_latex and (as_json or explain or per_digit):
        raise InvalidInput("--latex is printed without --json, --explain and --per-digit")
    check_picture(plot)
    request, found = Request(**options), None
    if data is not None:
        found = _found(data, test_data, request, written(context))
    elif test_data is not None:
        raise InvalidInput("--test-data needs --data, the examples of training")
    with waiting("predicting"):
        prediction = predict(found.setting if found else request.setting())
    if plot is not None:
        from arith.theory.text.length_plot import plot_lengths
        from arith.verify.reporting.measured import measured

        models = measured(prediction.setting, store)
        plot_lengths(prediction, plot, models)
        print(f"wrote {plot}; models of it in {store}: {len(models)}", file=sys.stderr)
    if as_latex:
        from arith.theory.text.latex import latex

        print(latex(prediction))
        return
    if as_json:
        answer = prediction.to_json()
        if found:
            answer["data"] = found.to_json()
        if explain:
            from arith.theory.learning.learnability import learnability

            answer |= learnability(prediction.setting).to_json()
        if per_digit:
            from arith.theory.studies.single_digits import single_digits, single_digits_json

            answer["per_digit"] = single_digits_json(single_digits(prediction))
        print_json(answer)
        return
    if found:
        print_lines([f"{data}: {found.lines()[0]}", *(f"  {x}" for x in found.lines()[1:])])
        print()
    print_parts(prediction_parts(prediction, explain))
    if per_digit:
        from arith.theory.studies.single_digits import single_digits

        print()
        print_parts(digit_parts(prediction, single_digits(prediction)))


@takes(Request)
def advise(
    context: typer.Context,
    data: Path | None = None,
    as_json: JsonOption = False,
    **options: Any,
) -> None:
    """Say what to change so that a model generalizes.

    Args:
        data: The training examples, in place of options that describe them.
    """
    from arith.theory.studies.advise import advise
    from arith.theory.text.text import advice_text

    request, read = Request(**options), None
    if data is not None:
        given = written(context)
        read = _found(data, None, request, given)
        request = Request(**{**read.chosen, **{n: options[n] for n in given}})
    with waiting("trying changes"):
        advice = advise(request.setting(), read.setting if read else None)
    if as_json:
        print_json(advice.to_json())
        return
    if read:
        print_lines([f"{data}: {read.lines()[0]}", *read.assumed_lines()])
        print_lines([_ALL_INPUTS.format(data=data)] * bool(read.lacking))
        print()
    print_lines(advice_text(advice))
    if read and any(x.requires_noise_invariance for x in advice.current.lengths):
        print_lines([_NOISE])


@takes(Request)
def compare(
    context: typer.Context,
    by: str | None = None,
    pe: Annotated[str, typer.Option(show_default="all")] = "",
    layout: Annotated[str, typer.Option("--layout", "--format", show_default="aligned")] = "",
    window: Annotated[str, typer.Option(show_default="0")] = "",
    train_digits: Annotated[str, typer.Option(show_default="3")] = "",
    data: Path | None = None,
    plot: Path | None = None,
    as_json: JsonOption = False,
    **options: Any,
) -> None:
    """Set encodings, layouts or windows side by side for one task.

    Args:
        by: What differs from row to row, if no list of it is given: pe (default), layout, window or
            train-digits.
        pe: Encodings, with commas between them.
        layout: Layouts, with commas between them.
        window: Attention windows, with commas between them.
        train_digits: Training lengths: 1-5, or with --by train-digits several, as in 3,4+5,1-5.
        data: A file of examples to predict from, in place of --train-*.
        plot: Draw it, .png or .svg.
    """
    from arith.theory.studies.compare import BY, compare, values_of
    from arith.theory.text.comparison import (
        comparison_legend,
        comparison_table,
        heading,
        plot_comparison,
    )

    check_picture(plot)
    given = {"pe": pe, "layout": layout, "window": window, "train_digits": train_digits}
    given = {name: text for name, text in given.items() if text}
    name = "" if by is None else by.replace("-", "_")
    if by is not None and name not in BY:
        raise unknown_name("option to compare by", by, [flag(known)[2:] for known in BY])
    if name != "train_digits" and "train_digits" in given:  # commas are those of a union
        options["train_digits"] = given.pop("train_digits")
    name = name or ("" if any(len(values_of(*each)) > 1 for each in given.items()) else "pe")
    if name:
        given = {name: given.pop(name, BY[name]), **given}
    train = None
    if data is not None:
        if "train_digits" in given:
            raise InvalidInput("the examples say what was trained: leave out --train-digits")
        known = [x for x in options if x in (*written(context), "train_digits")]
        read = _found(data, None, Request(**options), known)
        options, train = {**options, **read.chosen}, read.train
        given.setdefault("layout", options.pop("layout", ""))
        if not as_json:
            print_lines([f"{data}: {read.lines()[0]}", *read.phrasing.uneven_lines(), ""])
    with waiting("predicting"):
        found = compare(Request(**options), given, train)
    if plot is not None:
        plot_comparison(found, plot)
        print(f"wrote {plot}", file=sys.stderr)
    if as_json:
        print_json(found.to_json())
        return
    print_text(heading(found), bold=True)
    print_table(*comparison_table(found))
    print_lines(comparison_legend(found))


@takes(Request, without=("test_digits",))
def phase_map(
    modulus: str | None = None,
    base: str = "10",
    train_digits: str = "1..4",
    out: Path = Path("map.png"),
    **options: Any,
) -> None:
    """Draw accuracy on longer inputs by modulus, or by base.

    The task is mod_add, unless --task or --expr says another.

    Args:
        modulus: Moduli: 2..400, or one where bases vary; else 2..200 of a task that takes one.
        base: Bases: 10, or 2..36.
        train_digits: Training lengths, each by itself: 1..4.
        out: The picture, .png or .svg; a .csv is put beside it.
    """
    from arith.theory.arithmetic.tasks import takes_modulus
    from arith.theory.studies.phase import phase_diagram
    from arith.theory.text.phase_plot import left_out_line, map_lines, plot_phases, write_csv
    from arith.verify.records.files import check_writable

    check_picture(out)
    numbers = out.with_suffix(".csv")
    check_writable(numbers)
    if "expr" not in options:
        options.setdefault("task", "mod_add")
    takes_one = "task" in options and takes_modulus(options["task"])
    asked = modulus or ("2..200" if takes_one else None)
    with waiting("predicting"):
        diagram = phase_diagram(
            Request(**options),
            (None,) if asked is None else read_numbers(asked, "--modulus"),
            read_numbers(base, "--base"),
            read_lengths(train_digits, "--train-digits"),
        )
    plot_phases(diagram, out)
    write_csv(diagram, numbers)
    print(f"wrote {out} and {numbers}")
    print_lines(map_lines(diagram))
    if line := left_out_line(diagram):
        print_text(line)


def _found(data: Path, test_data: Path | None, request: Request, given: Collection[str]) -> Found:
    """What files of examples are, but for what is given."""
    from arith.verify.plan.examples import find_setting_of

    with waiting("reading examples"):
        return find_setting_of(data, test_data, request, given)

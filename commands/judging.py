"""The command that judges models of one's own, by their answers."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated, Any

import typer

from arith.commands.options import JsonOption, annotated, check_picture, flags, takes, written
from arith.judging import JudgedModels, judge_answers
from arith.printing import print_json, print_parts, waiting
from arith.theory.errors import InvalidInput
from arith.theory.setting.requests import Request, flag, options_of
from arith.verify.plan.plan import Plan
from arith.verify.plan.sizes import BY_PYTHON

if TYPE_CHECKING:
    from arith.theory.setting.settings import Setting
    from arith.verify.data.finding import Found

EXTERNAL = "hf:"
"""What the name of a model on disk begins with."""
_ORDINARY = {"layout": "plain", "padding": "none"}
"""How a model from disk is asked unless something else is said: as people write numbers."""


@takes(Request)
def judge(
    context: typer.Context,
    answers: Annotated[list[Path] | None, typer.Option(metavar="FILE")] = None,
    data: Annotated[Path | None, typer.Option(metavar="FILE")] = None,
    model: Annotated[str | None, typer.Option(metavar="hf:PATH")] = None,
    prompt_template: str = "{prompt}",
    trust_remote_code: Annotated[bool, typer.Option()] = False,
    device: annotated(Plan, "device") = "auto",  # type: ignore[valid-type]
    html: Path | None = None,
    plot: Path | None = None,
    as_json: JsonOption = False,
    **options: Any,
) -> None:
    """Judge the answers of any model against the prediction.

    Args:
        answers: Prompts and answers: JSON lines, CSV, or a log of samples of lm-evaluation-harness.
            Several files are several models.
        data: The training examples, in place of options that describe them.
        model: A causal language model on disk, which is asked; in place of --answers.
        prompt_template: What such a model is given: {prompt} stands for the prompt, {a} and {b} for
            operands in ordinary digits.
        trust_remote_code: Run the code that a model of hf:PATH brings along.
        html: Write a page for a browser.
        plot: Draw it, .png or .svg.
    """
    from arith.verify.judging.judge import exit_code
    from arith.verify.plan.given import read_answers
    from arith.verify.records.files import check_writable

    check_picture(plot)
    if html is not None:
        check_writable(html)
    given = {name: options[name] for name in written(context)}
    if answers and model is not None:
        raise InvalidInput("give --answers or --model, not both: only one is judged")
    if not answers and model is None:
        raise InvalidInput(f"say what to judge: --answers FILE, or --model {EXTERNAL}PATH")
    if answers:
        if of_a_model := written(context, ("prompt_template", "trust_remote_code", "device")):
            raise InvalidInput(f"{flag(of_a_model[0])} goes with --model {EXTERNAL}PATH")
        files = {path: read_answers(path) for path in answers}
        setting, read = _setting(data, options, given)
        names, models = [path.name for path in files], [*files.values()]
        with waiting("judging"):
            found = judge_answers(names, models, setting, "test_digits" in given, read)
        if data is None and "layout" not in given:
            print(_how_read(setting), file=sys.stderr)
        _print_assumed(read)
    else:
        assert model is not None
        if not model.startswith(EXTERNAL):
            raise InvalidInput(
                f"--model {model}: a folder of Hugging Face is given as {EXTERNAL}PATH; any other "
                f"model is judged in Python, {BY_PYTHON}"
            )
        from arith.verify.model.kept import is_export

        path = Path(model.removeprefix(EXTERNAL))
        if is_export(path):
            if said := written(context, (*options_of(Request), "prompt_template", "data")):
                raise InvalidInput(f"{path} says how it was trained: leave out {flags(said)}")
            found = _of_export(path, device)
        else:
            setting, read = _setting(data, options | _ORDINARY | given, given)
            _print_assumed(read)
            found = _of_model(path, setting, device, prompt_template, trust_remote_code)
    if plot is not None:
        _draw(found, plot)
        print(f"wrote {plot}", file=sys.stderr)
    if html is not None:
        _write_html(found, html)
    if as_json:
        print_json(found.to_json())
    else:
        print_parts(found.parts())
    raise typer.Exit(exit_code([found.judged.verdict]))


def _setting(
    data: Path | None, options: Mapping[str, Any], given: Mapping[str, Any]
) -> tuple[Setting, Found | None]:
    """How the models were trained: what options say, and else what is found in the examples.

    Args:
        given: those of the options that are said.
    """
    if data is not None:
        from arith.verify.data.finding import find_setting
        from arith.verify.plan.given import read_examples

        read = find_setting(read_examples(data), given)
        return read.setting, read
    if "train_digits" not in given:
        raise InvalidInput(
            "say how the models were trained: --train-digits, --pe, --layout and --padding, "
            "or --data FILE"
        )
    return Request(**options).setting(), None


def _print_assumed(read: Found | None) -> None:
    """Say what was taken for granted, as the examples do not say it."""
    for line in read.assumed_lines() if read else ():
        print(line, file=sys.stderr)


def _of_export(path: Path, device: str) -> JudgedModels:
    """The verdict on a folder that ``arith export`` has written."""
    from arith.verify.external import judge_kept
    from arith.verify.model.kept import read_kept
    from arith.verify.training.device import pick_device

    kept = read_kept(path)
    with waiting("asking"):
        return JudgedModels(judge_kept(kept, pick_device(device)), [path.name])


def _of_model(
    path: Path, setting: Setting, device: str, template: str, trusted: bool
) -> JudgedModels:
    """The verdict on a language model from disk."""
    from arith.verify.external import judge_module
    from arith.verify.external_model import load

    with waiting("asking"):
        model = load(path, device, trusted)
        judged = judge_module(model.net, model.tokenizer, setting, template, model.complete)
        return JudgedModels(judged, [path.name])


def _how_read(setting: Setting) -> str:
    """In which order the digits of prompts are taken, where no option says it."""
    first = "units" if setting.layout.operands_first == "least" else "highest digit"
    return (
        f"numbers are read in the {setting.layout.text}, {first} first; people write them as in "
        "--layout plain"
    )


def _draw(found: JudgedModels, path: Path) -> None:
    """Draw what was predicted and what was answered."""
    from arith.theory.text.length_plot import plot_lengths
    from arith.verify.reporting.answers import models_measured

    prediction = found.judged.verdict.prediction
    plot_lengths(prediction, path, models_measured(found.judged, found.names))


def _write_html(found: JudgedModels, path: Path) -> None:
    """Write the answer and its picture as one page."""
    from arith.verify.records.files import write

    with TemporaryDirectory() as folder:
        picture = Path(folder) / "answers.svg"
        _draw(found, picture)
        svg = picture.read_text(encoding="utf-8")
    write(path, found.html_page(svg[svg.index("<svg") :]))
    print(f"wrote {path}", file=sys.stderr)

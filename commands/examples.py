"""The command that writes files of examples."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from shlex import quote
from typing import Annotated, Any

import typer

from arith.commands.options import completion, takes, written
from arith.printing import waiting
from arith.theory.errors import InvalidInput, unknown_name
from arith.theory.setting.requests import Request, flag, setting_words


@takes(Request)
def examples(
    context: typer.Context,
    number: int = 10_000,
    seed: int = 0,
    test: bool = False,
    kind: Annotated[
        str, typer.Option("--as", autocompletion=completion(("text", "jsonl", "lm-eval")))
    ] = "text",
    data: Path | None = None,
    out: Path | None = None,
    **options: Any,
) -> None:
    """Write examples of a setting to a file.

    Args:
        number: How many.
        seed: Of the examples: the same seed draws the same.
        test: Test examples, as many of each length; at a trained one, held-out inputs.
        kind: text: a line each, as 12+34=46; jsonl: prompt and answer; lm-eval: a folder with a
            task of lm-evaluation-harness, of test examples.
        data: The training examples, in place of options that describe them; with --test: written
            as these are, and inputs that are not among them, where there are such.
        out: The file, or the folder of --as lm-eval; else it is printed.
    """
    from arith.theory.text.text import count
    from arith.verify.data.files import Examples
    from arith.verify.plan.examples import (
        KINDS,
        as_jsonl,
        as_text,
        draw_examples,
        draw_tests,
        few_line,
        find_setting_of,
        lm_eval_task,
        trained_line,
    )
    from arith.verify.records.files import write

    if kind not in KINDS:
        raise unknown_name("kind of file", kind, KINDS)
    if kind == "lm-eval" and out is None:
        raise InvalidInput("--as lm-eval writes a folder: say which by --out")
    test |= kind == "lm-eval"
    if data is not None and not test:
        raise InvalidInput(
            "--data says what was trained: with it test examples are written, --test"
        )
    with waiting("drawing examples"):
        if data is None:
            setting, found = Request(**options).setting(), None
            asked = setting_words(setting)
        else:
            said = written(context)
            found = find_setting_of(data, None, Request(**options), said)
            setting = found.setting
            asked = [
                f"--data {quote(str(data))}",
                *(f"{flag(x)} {quote(str(options[x]))}" for x in said),
            ]
        if test:
            trained = found.inputs if found else ()
            tests = draw_tests(setting, number, seed, trained)
            drawn = Examples.joined(tests.values())
            notes = few_line(tests, number), trained_line(tests, setting, trained)
        else:
            drawn, notes = draw_examples(setting, number, seed), ("", "")
    for note in filter(None, notes):
        print(note, file=sys.stderr)
    if found is not None:
        write_as = found.phrasing.lines if kind == "text" else found.phrasing.prompts
        if phrased := write_as(drawn):
            drawn = phrased
        elif found.phrasing.is_more(drawn):
            left_out = f"without what {data} has around numbers"
            print(f"written in the {setting.layout.text}, {left_out}", file=sys.stderr)
    words = [*asked, f"--number {number}", f"--seed {seed}", *["--test"] * test]
    how = f"arith examples {' '.join(words)}"
    if kind == "lm-eval":
        assert out is not None
        name = "arith_" + re.sub(r"\W+", "_", setting.task.name).strip("_")
        write(out / "test.jsonl", as_jsonl(drawn))
        write(out / f"{name}.yaml", lm_eval_task(drawn, how, name, str(out / "test.jsonl")))
    else:
        text = as_text(drawn, how) if kind == "text" else as_jsonl(drawn)
        if out is None:
            print(text, end="")
            return
        write(out, text)
        if kind == "jsonl":
            write(out.with_name(f"{out.name}.txt"), f"{how} --as jsonl\n")
    print(f"wrote {count(f'{len(drawn):,}', 'example')} to {out}", file=sys.stderr)

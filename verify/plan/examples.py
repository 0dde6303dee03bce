"""Files of examples: their setting is found; they are drawn from one, and written for others."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import numpy as np

from arith.theory.arithmetic.lengths_text import lengths_text
from arith.theory.errors import InvalidInput
from arith.theory.setting.requests import Request, flag
from arith.theory.setting.settings import Setting
from arith.theory.setting.training import default_model
from arith.verify.data.files import COMMENT, Examples
from arith.verify.data.finding import Found, find_setting
from arith.verify.data.sampling import Sampler
from arith.verify.data.sequences import drawn_spaces, values_of
from arith.verify.data.texts import example_texts, read_texts
from arith.verify.plan.cells import Cell
from arith.verify.plan.given import read_examples

MOST_EXAMPLES = 2_000_000
_FEW = 100
"""Domains with fewer inputs than so many times those asked for are listed, and not drawn from."""
_PART = 20_000
"""Examples that are written at once."""
KINDS = ("text", "jsonl", "lm-eval")
"""How a file of examples is written."""


def find_setting_of(
    data: Path, test_data: Path | None, request: Request, given: Collection[str]
) -> Found:
    """The setting of a file of examples.

    Args:
        test_data: a file of test examples.
        given: the options of the request that are known; the others are found.

    Raises:
        InvalidInput: as of ``read_examples`` and ``find_setting``, or an option of what is in a
            file.
    """
    for files, start in ((data, "train_"), (test_data, "test_")):
        said = [n for n in given if n.startswith(start) and n != "test_layout"]
        if files is not None and said:
            raise InvalidInput(f"the examples say what {flag(said[0])} does: leave one of them out")
    if str(data) == str(test_data) == "-":
        raise InvalidInput("standard input has one file, of --data or of --test-data")
    test = read_examples(test_data) if test_data is not None else None
    return find_setting(read_examples(data), {n: getattr(request, n) for n in given}, test)


def draw_examples(setting: Setting, number: int, seed: int) -> Examples:
    """Examples of training, none of which is held out.

    Raises:
        InvalidInput: too many or none, or a domain that has no such examples.
    """
    return _drawn(setting, number, _generator(number, seed), None)


def draw_tests(
    setting: Setting, number: int, seed: int, trained: Collection[tuple[int, ...]] = ()
) -> dict[int, Examples]:
    """Examples of each test length, as many of each.

    At a trained length they are held-out inputs alone; one that has none is left out.  No input is
    tested twice: of a length that has fewer inputs all are there.

    Args:
        trained: the inputs of a file, where the setting is that of one.  Tests have others, but
            for a trained length that has none.

    Raises:
        InvalidInput: as of ``draw_examples``.
    """
    rng = _generator(number, seed)
    lengths = []
    for n in setting.test_lengths:
        with suppress(InvalidInput):  # nothing is held out
            if not trained:
                _drawn(setting, 1, np.random.default_rng(seed), n)
            lengths.append(n)
    if not lengths:
        raise InvalidInput(f"{setting.train.text()}: no input of the test lengths is held out")
    counts = _counts(number, lengths)
    return {n: _drawn(setting, count, rng, n, trained) for n, count in counts.items() if count}


def few_line(tests: Mapping[int, Examples], number: int) -> str:
    """At which lengths there were too few inputs for so many tests; empty if there were enough."""
    few = [n for n, count in _counts(number, [*tests]).items() if len(tests[n]) < count]
    drawn = f"{sum(map(len, tests.values())):,} of the {number:,} tests that were asked for"
    return f"{drawn}: there are no more inputs to test at {lengths_text(few)}" if few else ""


def trained_line(
    tests: Mapping[int, Examples], setting: Setting, trained: Collection[tuple[int, ...]]
) -> str:
    """At which lengths tests are inputs of training, as it has all; empty if there are none."""
    cell, known = Cell(setting, default_model(setting.task)), []
    for n, examples in tests.items():
        fmt = cell.format_for(n, test=True)
        first = values_of(read_texts(examples.some([0]), fmt)[0], fmt.base).tolist()
        known += [n] * (tuple(*first) in trained)  # all are, if one is
    if not known:
        return ""
    return f"training has all inputs at {lengths_text(known)}: the tests there are of these"


def _counts(number: int, lengths: Sequence[int]) -> dict[int, int]:
    """How many of so many tests each length has: as many as any other."""
    each, more = divmod(number, len(lengths))
    return {n: each + (i < more) for i, n in enumerate(lengths)}


def _generator(number: int, seed: int) -> np.random.Generator:
    """What so many examples are drawn by (InvalidInput: too many or none)."""
    if not 1 <= number <= MOST_EXAMPLES:
        raise InvalidInput(f"--number goes from 1 to {MOST_EXAMPLES:,}, not {number}")
    if seed < 0:
        raise InvalidInput(f"--seed is 0 or more, not {seed}")
    return np.random.default_rng(seed)


def _drawn(
    setting: Setting,
    number: int,
    rng: np.random.Generator,
    length: int | None,
    trained: Collection[tuple[int, ...]] = (),
) -> Examples:
    """Examples of training, or those of a test length: held out, or not among some trained ones."""
    cell, train = Cell(setting, default_model(setting.task)), setting.train
    fmt = cell.format_for(length or train.every_length[-1], test=length is not None)
    fmt = replace(fmt, beside=None)  # text has no numbers of tokens
    domain = train if length is None else setting.test(length)
    sampler = Sampler(fmt, domain, evenly=len(setting.task.operations) > 1)
    some = None
    if length is not None:
        if trained:
            some = _beside(trained, sampler, number, rng)
        else:
            some = _different(sampler, number, rng, length in train.every_length or None)
        number = len(some)
    elif train.pairs is not None:
        some = sampler.distinct(train.pairs, rng)
    parts = []
    for start in range(0, number, _PART):
        n = min(_PART, number - start)
        if some is None:
            operands = sampler.sample(n, rng, held_out=False)
        elif length is not None:
            operands = some[start : start + n]
        else:
            operands = some[rng.integers(len(some), size=n)]
        spaces = drawn_spaces(operands, fmt.layout, rng) if fmt.layout.spaced else None
        starts = rng.integers(setting.starts, size=n) if fmt.layout.hinted else None
        parts.append(example_texts(fmt, operands, starts=starts, spaces=spaces))
    return Examples.joined(parts)


def _different(
    sampler: Sampler, number: int, rng: np.random.Generator, held_out: bool | None
) -> np.ndarray:
    """So many different inputs, or all where there are no more."""
    if sampler.size > min(_FEW * number, MOST_EXAMPLES):
        return sampler.distinct(number, rng, held_out)
    every = sampler.everything(held_out)
    if not len(every):
        raise sampler.nothing(held_out)
    return rng.permutation(every)[:number]


def _beside(
    trained: Collection[tuple[int, ...]], sampler: Sampler, number: int, rng: np.random.Generator
) -> np.ndarray:
    """So many different inputs that are not among some; any, if there are no others."""
    count = number
    while True:
        some = _different(sampler, count, rng, None)
        values = values_of(some, sampler.format.base).tolist()
        is_new = [tuple(x) not in trained for x in values]
        new = some[is_new]
        if len(new) >= number or len(some) < count or count > MOST_EXAMPLES // 4:
            return (new if len(new) else some)[:number]
        count *= 2  # all anew, so that none is there twice


def as_text(examples: Examples, how: str) -> str:
    """An example a line, below a line that says how they were made."""
    lines = (examples.line(i) for i in range(len(examples)))
    return "\n".join([f"{COMMENT} {how}", *lines, ""])


def as_jsonl(examples: Examples) -> str:
    """A line of JSON for each example: its prompt and its answer (InvalidInput: it has none)."""
    if not examples.answers[0]:
        raise InvalidInput(
            "interleaved digits have no prompt before the answer: write them as text"
        )
    pairs = zip(examples.prompts, examples.answers, strict=True)
    return "".join(json.dumps({"prompt": p, "answer": a}) + "\n" for p, a in pairs)


def lm_eval_task(examples: Examples, how: str, name: str, file: str) -> str:
    """A task of lm-evaluation-harness (YAML) that asks for the answers of a JSONL file.

    Args:
        name: of the task.
        file: the JSONL file, as it is found from where the harness is run.
    """
    longest = max(map(len, examples.answers))
    return f"""{COMMENT} {how}
task: {name}
dataset_path: json
dataset_kwargs:
  data_files:
    test: {json.dumps(file)}
output_type: generate_until
test_split: test
doc_to_text: "{{{{prompt}}}}"
doc_to_target: "{{{{answer}}}}"
target_delimiter: ""
num_fewshot: 0
generation_kwargs:
  until: ["\\n"]
  do_sample: false
  max_gen_toks: {longest}
metric_list:
  - metric: exact_match
    aggregation: mean
    higher_is_better: true
metadata:
  version: 1.0
"""

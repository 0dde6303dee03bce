"""Formats in parts: what is written, what theory says of it, and what the model gets are one."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from builders.strategies import cells_of_formats, examples
from hypothesis import given
from hypothesis import strategies as st

from arith.theory.arithmetic.automaton import digit_automaton
from arith.theory.arithmetic.tasks import digit_count
from arith.theory.setting.requests import read_setting, setting_json
from arith.theory.transformer.layouts import Layout, Shape, layout
from arith.verify.data.sampling import Sampler
from arith.verify.data.sequences import NaturalFormat
from arith.verify.plan.cells import Cell


@dataclass(frozen=True)
class Written:
    """A token as a person would write it: what it is, and whose digit it is or stands before.

    Args:
        size: how many digits a token has whose lowest stands at the position.
    """

    what: str
    value: int = 0
    number: int = -1
    position: int = 0
    size: int = 1


def by_hand(
    form: Layout,
    numbers: list[list[int]],
    carries: list[int],
    spaces: list[list[bool]],
    natural: bool,
    base: int,
) -> list[Written]:
    """An example, written by the definition of the layout's parts alone.

    Args:
        numbers: the digits of each operand and of the result, units first, zeros included.
        spaces: whether a space stands before each operand digit.
    """
    end = natural or form.end
    out = [Written("<bos>")] * form.bos
    if form.interleaved:
        *operands, result = numbers
        together = max(map(len, operands))
        for i in range(together):
            for j, digits in enumerate(operands):
                out.append(Written("digit", digits[i] if i < len(digits) else 0, j, i + 1))
            out.append(Written("digit", result[i] if i < len(result) else 0, -1, i + 1))
        if natural:  # a sign says that the operands are over
            out.append(Written("="))
        out += [Written("digit", d, -1, i + 1) for i, d in enumerate(result) if i >= together]
        return [*out, *[Written("<end>")] * end]
    for j, digits in enumerate(numbers):
        is_result = j == len(numbers) - 1
        if j and not is_result and form.operators:
            out.append(Written("+"))
        if is_result and form.equals:
            out.append(Written("="))
        order = range(len(digits))
        number = -1 if is_result else j
        first = form.result_first if is_result else form.operands_first
        what = "digit" if form.blank == "zeros" else "blank"
        blanks = [Written(what, number=number)] * (
            0 if is_result else max(form.blanks - len(digits), 0) * form.operand_tokens
        )
        out += blanks if first == "most" else []
        if form.from_left > 1:
            text = [(d, i + 1) for i, d in enumerate(digits)]
            text = text if first == "least" else text[::-1]
            while text:
                part, text = text[: form.from_left], text[form.from_left :]
                value = sum(d * base**k for k, (d, _) in enumerate(part[::-1]))
                lowest = min(i for _, i in part)
                out.append(Written("digit", value, number, lowest, len(part)))
            continue
        for i in order if first == "least" else order[::-1]:
            if form.result_spaces if is_result else spaces[j][i]:
                out.append(Written("space", 0, number, i + 1))
            if form.hinted:
                out.append(Written("marker", i + 1, number, i + 1))
            if form.scratchpad and is_result:
                out.append(Written("carry", carries[i], number, i + 1))
            out.append(Written("digit", digits[i], number, i + 1))
        out += blanks if first == "least" else []
    return [*out, *[Written("<end>")] * end]


@given(cells_of_formats(), st.integers(0, 2**32))
@examples(100)
def test_what_is_written_is_what_theory_and_the_model_know(cell: Cell, seed: int) -> None:
    s, rng = cell.setting, np.random.default_rng(seed)
    form, base, task = s.layout, s.base, s.task
    assert layout(form.name) == form
    assert read_setting(setting_json(s)) == s
    fmt = cell.format_for(s.longest)
    operands = Sampler(fmt, s.test(s.longest)).sample(3, rng)
    results = fmt.results(operands)
    spaces = np.broadcast_to(form.spaces == 1, operands.shape)
    if form.spaced:
        spaces = rng.integers(2, size=operands.shape) == 1
    tokens = fmt.write(operands, results, spaces=spaces)
    for row, digits, drawn in zip(tokens, operands, spaces, strict=True):
        values = [sum(int(d) * base**i for i, d in enumerate(x)) for x in digits]
        right = task.evaluate(*values)
        widths = [fmt.width] * len(values)
        result_width = fmt.result_width - task.signed
        if s.natural:
            widths = [digit_count(x, base) for x in values]
            result_width = digit_count(abs(int(right)), base)
        zeros = form.leading_zeros
        numbers = [
            [x // base**i % base for i in range(w + z)]
            for x, w, z in zip(
                [*values, abs(right)],
                [*widths, result_width],
                [zeros] * len(values) + [0],
                strict=True,
            )
        ]
        if task.signed and (right < 0 or not s.natural):
            numbers[-1].append(first_other(cell) if right < 0 else 0)
            result_width += 1
        carries = []
        if form.scratchpad:
            carries = [sum(x % base**i for x in values) // base**i for i in range(result_width)]
        got = row[row != fmt.padding] if isinstance(fmt, NaturalFormat) else row
        stands = [[*x, *[form.spaces == 1] * form.leading_zeros] for x in drawn.tolist()]
        expected = by_hand(form, numbers, carries, stands, s.natural, base)
        assert [int(x) for x in got] == [number_of(x, cell) for x in expected]
        # The addresses of theory are those of the written example.
        if not form.interleaved and not form.spaced:
            shape = Shape(form, tuple(widths), result_width, 1)
            at = {
                (x.number, x.position + d): i
                for i, x in enumerate(expected)
                if x.what == "digit"
                for d in range(x.size)
            }
            for (number, position), index in at.items():
                if number == -1:
                    assert shape.query(position) == index - 1
                if shape.has(number, position):
                    assert shape.index(number, position) == index
            if s.natural:
                assert shape.tokens == len(expected)
    said = tokens[:, fmt.written_slots]  # of the longest operands
    longest = np.array(
        [
            max(digit_count(int(v), base) for v in x) == fmt.width
            for x in zip(*fmt.values(operands), strict=True)
        ]
    )
    is_aligned = longest if form.interleaved and s.natural else np.ones(len(said), dtype=bool)
    assert (fmt.read(said)[is_aligned] == results[is_aligned]).all()


def first_other(cell: Cell) -> int:
    """The number of the first token after the signs, the end and padding: a minus, if any."""
    s = cell.setting
    groups = sum(s.base**n for n in range(2, s.layout.from_left + 1))
    return s.base + 3 + (2 + groups if s.natural else int(s.layout.end))


def number_of(token: Written, cell: Cell) -> int:
    """The number of a token in the model's vocabulary, by the definition of the vocabulary."""
    s, base = cell.setting, cell.setting.base
    fmt = cell.format
    signs = {"<bos>": base, "+": base + 1, "=": base + 2, "<end>": base + 3}
    if token.what in signs:
        return signs[token.what]
    if token.what == "digit" and token.size == 1:
        return token.value
    if token.what == "digit":  # after the signs, the end and padding: those of two digits, ...
        return base + 5 + sum(base**n for n in range(2, token.size)) + token.value
    following = first_other(cell) + s.task.signed
    is_space = token.what == "space" or (token.what == "blank" and s.layout.blank == "spaces")
    if is_space:
        return following
    has_spaces = s.layout.spaces or s.layout.result_spaces or s.layout.blank == "spaces"
    following += bool(has_spaces)
    if token.what == "blank":
        return following
    following += bool(s.layout.blanks) and s.layout.blank not in ("spaces", "zeros")
    if token.what == "carry":
        return following + token.value
    carries = digit_automaton(s.task, base).states if s.layout.scratchpad else 0
    assert fmt.vocabulary > following + carries
    return following + carries + token.value - 1

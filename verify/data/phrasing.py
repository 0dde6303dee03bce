"""What a file writes around its numbers, and other examples written so: ``What is 1 plus 2? 3``."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, zip_longest

from arith.theory.setting.settings import Setting
from arith.theory.transformer.layouts import SPACE
from arith.verify.data.files import Examples
from arith.verify.data.numerals import DIGITS
from arith.verify.data.texts import SIGNS, cleaned, parted

_LOOKED_AT = 1_000
"""Examples by which it is seen what stands around numbers."""
_ALIKE = 0.9
"""The share of a file's examples that have to be written alike but for their numbers."""


@dataclass(frozen=True)
class Phrasing:
    """What the examples of a setting have around their numbers.

    Args:
        around: what stands before, between and after the operands of a prompt; of several
            operations by their sign.  Empty where prompts are not alike but for their numbers.
        marks: the characters of prompts that are no digits.
        begin: what begins a line before its prompt.
        end: what ends it after its answer; None where examples are no lines of text.
        lengths: of the text around numbers, the least and the most characters, by where it stands:
            before each operand, and before the result.  Empty where that is not known.
    """

    setting: Setting
    around: Mapping[str, tuple[str, ...]]
    marks: frozenset[str]
    begin: str
    end: str | None
    lengths: Mapping[str, tuple[int, int]]

    @staticmethod
    def of(examples: Examples, setting: Setting) -> Phrasing:
        """That of some examples."""
        examples = examples.sample(_LOOKED_AT)
        prompts, ends = zip(*examples.as_they_stand(), strict=True)
        met: dict[str, Counter[tuple[str, ...]]] = {}
        split = [*_split(prompts, setting)]
        for parts in filter(None, split):
            met.setdefault(parts.sign, Counter())[parts.around] += 1
        most = {sign: each.most_common(1)[0] for sign, each in met.items()}
        [(end, same)] = Counter(ends).most_common(1)
        alike = min(same, sum(count for _, count in most.values())) >= _ALIKE * len(examples)
        # Columns are no prompts, and blanks are as many as digits lack.
        is_known = alike and not examples.in_columns and not setting.layout.blanks
        is_known &= len(most) == len(setting.task.operations)
        around = {sign: parts for sign, (parts, _) in most.items() if is_known}
        lengths = _lengths(examples, split, setting)
        return Phrasing(setting, around, _marks(prompts, setting), examples.begin, end, lengths)

    def uneven_lines(self) -> list[str]:
        """That positions vary with the text around numbers, where they do; in one line or none."""
        uneven = [
            f"before {x} {a} to {b} characters" for x, (a, b) in self.lengths.items() if a < b
        ]
        text = "the text around the numbers has no constant length"
        return [f"{text} ({', '.join(uneven)}): positions are as if it had"] if uneven else []

    def other_lines(self, others: Phrasing) -> list[str]:
        """That other prompts have text of other lengths around numbers; in one line or none."""
        apart = [
            f"before {x} {_range(others.lengths[x])} characters, and not {_range(known)}"
            for x, known in self.lengths.items()
            if others.lengths
            and not known[0] <= others.lengths[x][0] <= others.lengths[x][1] <= known[1]
        ]
        text = "prompts have other text around the numbers than the training examples"
        return (
            [f"{text} ({', '.join(apart)}): positions are as if they had the same"] if apart else []
        )

    def prompts(self, examples: Examples) -> Examples | None:
        """Examples that the setting writes, with the prompts of the file; None: it has no such."""
        found = list(_split(examples.prompts, self.setting))
        known = [x for x in found if x is not None and x.sign in self.around]
        if len(known) < len(found):
            return None
        each = (zip_longest(self.around[x.sign], x.operands, fillvalue="") for x in known)
        return Examples(["".join(chain(*x)) for x in each], examples.answers)

    def is_more(self, examples: Examples) -> bool:
        """Whether the file has characters in its prompts that the setting does not write."""
        return not self.marks <= {*_marks(examples.prompts, self.setting), *SIGNS}

    def lines(self, examples: Examples) -> Examples | None:
        """Examples that the setting writes, as lines of the file; None: it has no such."""
        found, end = self.prompts(examples), self.end
        if found is None or end is None:
            return None
        return Examples([self.begin + x for x in found.prompts], [x + end for x in found.answers])


@dataclass(frozen=True)
class _Parts:
    """A prompt: the sign between its operands, what is around these, and the operands."""

    sign: str
    around: tuple[str, ...]
    operands: list[str]


def _range(lengths: tuple[int, int]) -> str:
    least, most = lengths
    return str(least) if least == most else f"{least} to {most}"


def _lengths(
    examples: Examples, split: Sequence[_Parts | None], setting: Setting
) -> dict[str, tuple[int, int]]:
    """How long the text before each number is, at least and at most.

    Before an answer's number may stand words of the answer, and before the first one of a prompt
    what its chat has.  A layout says itself how operands are filled up, and where spaces stand.
    """
    form = setting.layout
    if examples.in_columns or form.blanks or form.spaced:
        return {}
    results, before = cleaned(examples, setting.digit_base).answers, examples.before
    met: dict[tuple[int, ...], None] = {}
    for i, parts in enumerate(split):
        if parts is not None:
            *asked, last = map(len, [*parts.around[:-1], parts.around[-1].rstrip()])
            last += max(examples.answers[i].rfind(results[i]), 0)
            asked[0] += before[i] if before else 0
            met[*asked, last] = None
    names = [*setting.task.names, "the result"]
    return (
        {x: (min(n), max(n)) for x, n in zip(names, zip(*met, strict=True), strict=True)}
        if met
        else {}
    )


def _number(setting: Setting) -> re.Pattern[str]:
    """A number in one piece, with spaces between its digits where training has them."""
    base, form = setting.digit_base, setting.layout
    digits = "[0-9:]" if base > len(DIGITS) else "[0-9a-z]" if base > 10 else "[0-9]"
    return re.compile(
        f"{digits}+(?: {digits}+)*" if form.spaces and form.sign != SPACE else f"{digits}+"
    )


def _marks(prompts: Sequence[str], setting: Setting) -> frozenset[str]:
    """What is in prompts besides digits."""
    return frozenset(_number(setting).sub("", "".join(prompts)))


def _split(prompts: Sequence[str], setting: Setting) -> Iterator[_Parts | None]:
    """The parts of prompts; None of one whose operands do not stand there in one piece each."""
    base, task = setting.digit_base, setting.task
    number = _number(setting)
    texts = [parted(x) for x in prompts] if setting.layout.sign == SPACE else list(prompts)
    for prompt, text in zip(prompts, cleaned(Examples(texts, []), base).prompts, strict=True):
        operands = number.findall(prompt)
        digits = [x.replace(" ", "") for x in operands]
        if len(operands) == task.operands and digits == number.findall(text):
            sign = "".join(c for c in text if c in SIGNS) if len(task.operations) > 1 else ""
            yield _Parts(sign, tuple(number.split(prompt)), operands)
        else:
            yield None

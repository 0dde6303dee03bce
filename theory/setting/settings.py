"""A setting: everything that a prediction depends on."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from functools import cached_property, lru_cache
from typing import Any

from arith.theory.arithmetic.decision import Decision
from arith.theory.arithmetic.domains import (
    BALANCED,
    LENGTHS_FIRST,
    UNIFORM,
    Allowed,
    Domain,
)
from arith.theory.arithmetic.properties import digit_causal
from arith.theory.arithmetic.tasks import Task
from arith.theory.errors import InvalidInput, unknown_name
from arith.theory.transformer.encodings import ENCODINGS, Encoding
from arith.theory.transformer.layouts import STARTS, Layout

LARGEST_BASE = 10_000
LARGEST_WIDTH = 1000
LARGEST_LAYERS = 100
LARGEST_STARTS = 1000
RANDOM_STARTS = (*(n for n, e in ENCODINGS.items() if e.random_start), "hinted")
"""The encodings and the layout whose positions, numbers or markers start at random in training."""
PADDINGS = ("fixed", "none")


def check_base(base: int) -> None:
    """Refuse a base that is none (InvalidInput)."""
    if not 2 <= base <= LARGEST_BASE:
        raise InvalidInput(f"base must be between 2 and {LARGEST_BASE:,}, not {base}")


@lru_cache(maxsize=1024)
def _tested(
    length: int,
    kind: str,
    allowed: Allowed,
    each: tuple[tuple[int, ...], ...],
    natural: bool,
    in_token: int,
) -> Domain:
    """A test domain: most settings have the same, and what is known of one is then found once."""
    return Domain((length,), kind, allowed=allowed, each=each, natural=natural, in_token=in_token)


@dataclass(frozen=True)
class Setting:
    """Everything that a prediction depends on.

    Args:
        train: what the model is trained on.
        window: how many tokens a query sees, itself included; 0 is the whole prefix.
        test_lengths: the digits to test; none for 1 to the longest training length + 3, or to the
            width.
        test_kind: the kind of the test domains (``domains.KINDS``).
        test_each: the lengths that each operand has in tests; none for those of training.  Those
            that are longest there have the test length as well.
        test_allowed: per position the only digits that operands have in tests.
        width: to how many digits operands are padded; 0 for those of the longest that is written.
        layers: of the model; 0 where that is left open.
        padding: ``fixed``, where all operands are padded to one width, or ``none``, where numbers
            have their natural lengths and an end token follows; then every trained length is shown
            equally often.
        starts: from how many starts training draws, where positions, numbers of digits or markers
            start at random; otherwise it means nothing, and is the usual number.
        test_layout: how test examples are written; None for as those of training.
        result_width: to how many digits padded results are written; 0 for those of the largest.
        tests: test domains of one length each, in place of those that the kind has there.

    Raises:
        InvalidInput: parts that make no sense, by themselves or together.
    """

    task: Task
    digit_base: int
    encoding: Encoding
    layout: Layout
    train: Domain
    window: int = 0
    test_lengths: tuple[int, ...] = ()
    test_kind: str = "longest"
    width: int = 0
    layers: int = 0
    padding: str = "fixed"
    starts: int = STARTS
    test_layout: Layout | None = None
    test_each: tuple[tuple[int, ...], ...] = ()
    test_allowed: Allowed = ()
    result_width: int = 0
    tests: tuple[Domain, ...] = ()

    def __post_init__(self) -> None:
        check_base(self.digit_base)
        if self.window < 0:
            raise InvalidInput(f"window must be 0 (the whole prefix) or more, not {self.window}")
        if not 0 <= self.layers <= LARGEST_LAYERS:
            raise InvalidInput(f"layers go from 0 to {LARGEST_LAYERS}, not {self.layers}")
        if self.padding not in PADDINGS:
            raise unknown_name("padding", self.padding, PADDINGS)
        if self.layout.blanks:  # numbers have their natural lengths, and blanks beside them
            object.__setattr__(self, "padding", "none")
        if not self.natural:
            object.__setattr__(self, "layout", self.layout.padded())
            object.__setattr__(self, "test_layout", self.test_layout and self.test_layout.padded())
        self._name_domains()
        if not self.random_starts:
            object.__setattr__(self, "starts", STARTS)
        if self.test_layout == self.layout:
            object.__setattr__(self, "test_layout", None)
        if why := next((why for is_wrong, why in self._refusals() if is_wrong), ""):
            raise InvalidInput(why)

    def _name_domains(self) -> None:
        """Give a domain the one name that it has and the tokens of the layout, and tests lengths.

        A restriction that allows all is none; of one operand the lengths are those of the longest.
        """
        lengths = self.test_lengths or (1,) * (not self.test_each)
        asked = Domain(lengths, self.test_kind, allowed=self.test_allowed, each=self.test_each)
        in_token = self.layout.in_token or max(*asked.lengths, *self.train.every_length)
        most = max(in_token, self.layout.from_left)
        if self.digit_base**most > LARGEST_BASE:
            raise InvalidInput(
                f"a token of {most} digits in base {self.digit_base} has {self.digit_base}^{most} "
                f"values; a model takes {LARGEST_BASE:,} at most"
            )
        test = self._named(asked, "--test-digits")
        train = self._named(self.train.in_tokens(in_token), "--train-digits")
        kind = train.kind if train.each and test.kind == "longest" and not test.each else test.kind
        object.__setattr__(self, "train", train)
        object.__setattr__(self, "test_kind", kind)
        object.__setattr__(self, "test_each", test.each)
        object.__setattr__(self, "test_allowed", test.allowed)
        found = asked.lengths
        if not self.test_lengths and not test.each:
            longest = train.every_length[-1] + 3 * bool(self.layout.in_token)
            widths = [x.blanks for x in (self.layout, self.test_layout) if x and x.blanks]
            widths += [self.width] * (self.width > 0)  # longer ones cannot be written
            longest = min(longest, *widths) if widths else longest
            found = tuple(n for n in range(1, longest + 1) if self._has(n))
        if not found:
            raise InvalidInput(f"no operands of 1 to {longest} digits have the allowed digits only")
        object.__setattr__(self, "test_lengths", found)

    def _named(self, domain: Domain, option: str) -> Domain:
        """A domain by the one name that it has.

        Args:
            option: what gave its lengths.
        """
        kind, weights, each = domain.kind, domain.weights, domain.each
        if each and len(each) != self.task.operands:
            lists = f"lengths of {len(each)} operands"
            raise InvalidInput(f"{option} has {lists}, and the task has {self.task.operands}")
        for position, digits in domain.allowed:
            if max(digits) >= self.digit_base:
                what = f"{max(digits)}, allowed at place {position}"
                raise InvalidInput(f"{what}, is no digit of base {self.digit_base}")
        every_digit = set(range(self.digit_base))
        allowed = tuple(x for x in domain.allowed if set(x[1]) != every_digit)
        if self.task.operands == 1:
            kind = "longest"  # its length is the longest, and all that there are
        if each and kind not in ("longest", "lengths"):
            raise InvalidInput(
                f"lengths of each operand are drawn first, as in the domain 'lengths', not '{kind}'"
            )
        if each:
            kind = "longest" if weights == UNIFORM else "lengths"
        elif weights == UNIFORM and kind in ("lengths", "coin"):
            kind = "longest"  # all operand tuples of these are alike
        usual = BALANCED if self.natural else UNIFORM if kind in ("longest", "every") else ""
        weights = "" if weights == usual and not each else weights
        named: dict[str, Any] = {"kind": kind, "weights": weights, "each": each}
        named |= {"allowed": allowed, "natural": self.natural}
        is_named = all(getattr(domain, name) == value for name, value in named.items())
        return domain if is_named else replace(domain, **named)

    def _has(self, length: int) -> bool:
        """Whether there are test inputs of a length."""
        k, test = self.task.operands, self.test(length)
        enough = test.kind != "total" or length >= k
        return enough and (not test.restricted or test.has_operands(length, k, self.base))

    def _refusals(self) -> Iterator[tuple[object, str]]:
        """Whether parts make no sense together, each with why: a later one only of those before."""
        layout, encoding, task, longest = self.layout, self.encoding, self.task, self.longest
        least = task.result_width(self.base, self.train.places(longest))
        yield (
            self.width and not longest <= self.width <= LARGEST_WIDTH,
            f"width must be 0 or from {longest}, the longest operand that is written, to "
            f"{LARGEST_WIDTH}, not {self.width}",
        )
        yield (
            self.result_width and not least <= self.result_width <= LARGEST_WIDTH,
            f"the result width must be 0 or from {least}, the longest result, to {LARGEST_WIDTH}, "
            f"not {self.result_width}",
        )
        yield (
            not 1 <= self.starts <= LARGEST_STARTS,
            f"starts go from 1 to {LARGEST_STARTS}, not {self.starts}",
        )
        by_significance = encoding.reference == "significance"
        layouts = [x for x in (layout, self.test_layout) if x]
        for each in layouts:
            yield from self._layout_refusals(each)
        yield (
            self.test_layout and by_significance and not self.natural,
            f"padded digits have their {encoding.label} positions by where they stand: test "
            "examples are written as those of training",
        )
        alike = {
            (x.in_token, x.from_left, x.interleaved, x.result_first, x.scratchpad) for x in layouts
        }
        yield (
            len(alike) > 1,
            "a model writes results as training taught it: tests have the order of the result's "
            "digits, the digits in a token, and the carries and the interleaving that training has",
        )
        blanks = {x.blank for x in layouts if x.blanks}
        yield len(blanks) > 1, "training and test pad with one character"
        for kind in (self.train.kind, self.test_kind):
            what = f"the domain '{kind}' needs"
            yield kind == "total" and not self.natural, f"{what} --padding none"
            by_lengths = kind in LENGTHS_FIRST and self.natural
            yield by_lengths and layout.interleaved, f"{what} another layout than interleaved"
        if self.natural:
            yield self.width, "--width needs padded operands, not --padding none"
            yield self.result_width, "--result-width needs padded operands, not --padding none"
            what = "--window needs padded operands or the interleaved layout"
            yield self.window and not layout.interleaved, what
            lengths = self.test_lengths + self.train.every_length if layout.interleaved else ()
            shorter = [n for n in lengths if task.result_width(self.base, n) < n]
            yield (
                shorter,
                "the interleaved layout without padding writes a result digit beside those of the "
                f"operands, and results have fewer than {max(shorter[:1], default=0)}",
            )
            yield (
                by_significance and layout.interleaved,
                f"{encoding.label} positions need padded operands or another layout than "
                "interleaved",
            )
        what = f"several operations ({task.name})"
        for each in layouts if len(task.operations) > 1 else ():
            yield (
                not each.operators,
                f"{what} need a layout with signs between the operands: the {each.text} has none "
                "that says which is asked for",
            )
            yield each.separator, f"{what} need signs, and the {each.text} has none"
            yield each.scratchpad, f"the {each.text} writes carries, not of {what}"
        k = task.operands
        for domain in (self.train, *map(self.test, self.test_lengths)):
            if domain.kind == "total":
                least = domain.every_length[0]
                why = f"{k} operands have {k} digits together at least, not {least}"
                yield least < k, why
            for n in domain.every_length if domain.restricted else ():
                what = "digits only" if domain.allowed else "lengths"
                above = [i for i, digits in domain.allowed if i > n and 0 not in digits]
                why = f": place {above[0]} is 0 in all of them" if above else ""
                has_none = not domain.has_operands(n, k, self.base)
                yield has_none, f"no operands of {n} digits have the allowed {what}{why}"
        if layout.interleaved:
            whole = task.without_idle_modulus(self.base, self.digits)
            causal, witness = digit_causal(whole, self.base)
            found = f": {witness.text()}" if witness else ", and this one is not known to be"
            what = f"the interleaved layout needs a digit causal task in base {self.base}"
            yield causal is not Decision.YES, what + found

    def _layout_refusals(self, layout: Layout) -> Iterator[tuple[object, str]]:
        """Whether examples of the setting cannot be written so, each with why."""
        encoding, what = self.encoding, f"the {layout.text}"
        needed = "a sum of multiples of the operands, without a modulus"
        needed += " or signs of results" * self.task.signed
        has_carry = self.task.has_finite_carry
        yield layout.scratchpad and not has_carry, f"{what} writes carries: it needs {needed}"
        is_numbered = layout.hinted or layout.scratchpad or not layout.result_spaces
        yield (
            encoding.reference == "significance" and not is_numbered,
            f"{encoding.label} positions number digits, and in {what} a space without a number "
            "stands before each digit of the result",
        )
        by_coin = "coin" in (self.train.kind, self.test_kind)
        yield self.train.in_token > 1 and by_coin, "the domain 'coin' has one digit in a token"
        if not self.natural:
            needs = f"{what} needs --padding none"
            yield layout.spaced, needs
            yield layout.hinted and self.window, f"{needs}, or no --window"
            yield layout.leading_zeros, f"{needs}; operands are padded (--width)"
            yield layout.blanks, f"{what} has no zeros before numbers: it needs --padding none"
            return
        too_narrow = 0 < layout.blanks < self.longest
        yield too_narrow, f"{what} is too narrow: operands have up to {self.longest} digits"
        needs = "it needs padded operands"
        is_apart = not layout.interleaved
        signs = layout.equals and (layout.operators or self.task.operands == 1)
        yield is_apart and not signs, f"{what} lacks signs between numbers: {needs}"
        yield is_apart and layout.wide, f"{what} is as wide as the result: {needs}"
        yield layout.end, "numbers of natural length end with an end token: leave out 'end'"
        yield (
            self.train.in_token > 1,
            "tokens of several digits of numbers of natural length are counted from the left, as "
            "in '3 digits per token from the left', or operands are padded",
        )
        from_left, signed = layout.from_left > 1, self.task.signed
        several = f"{what} writes several digits in a token: results have no sign"
        yield from_left and signed, several
        yield (
            from_left and encoding.reference in ("significance", "random"),
            f"{encoding.label} positions are of single digits, and a token has several in {what}",
        )
        yield (
            encoding.by_weight and layout.result_first == "most",
            f"{encoding.label} positions number a digit by its weight, which is not known while a "
            f"result is written most significant digit first, as in {what}",
        )

    @cached_property
    def without_idle_modulus(self) -> Task:
        """The task, without a modulus that no answer reaches."""
        return self.task.without_idle_modulus(self.base, self.digits)

    @cached_property
    def base(self) -> int:
        """The base of the tokens: a power of that of the digits where one holds several."""
        return int(self.digit_base**self.train.in_token)

    @property
    def natural(self) -> bool:
        """Whether numbers have their natural lengths."""
        return self.padding == "none"

    @property
    def random_starts(self) -> bool:
        """Whether training draws where the positions, numbers or markers of an example start."""
        return self.encoding.random_start or self.layout.hinted

    def text(self) -> str:
        """``(a + b) mod 101, base 10, APE, aligned layout, trained on D_2``."""
        starts = f", from {self.starts} starts" if self.starts != STARTS else ""
        return (
            f"{self.task.text()}, base {self.digit_base}, {self.encoding.label}, {self.seen_text}, "
            f"trained on {self.train.text()}{starts}"
        )

    @property
    def seen_text(self) -> str:
        """How an input is written and read: ``interleaved layout, attention window 5, 1 layer``."""
        window = f", attention window {self.window}" if self.window else ""
        width = f", padded to {self.digits_text(self.operand_width)}" if self.width else ""
        width += f", results to {self.result_width}" if self.result_width else ""
        layers = f", {self.layers_text}" if self.layers else ""
        natural = ", natural lengths" if self.natural and not self.layout.blanks else ""
        signed = ", signed results" if self.task.signed else ""
        test = f", tested in the {self.test_layout.text}" if self.test_layout else ""
        return f"{self.layout.text}{natural}{signed}{window}{width}{layers}{test}"

    def digits_text(self, tokens: int) -> str:
        """So many tokens of digits: ``3 digits``, or ``3 tokens of 2 digits``."""
        each = self.train.in_token
        if each == 1:
            return f"{tokens} digit{'s' * (tokens != 1)}"
        if not self.layout.in_token:
            return "1 token, the whole number"
        return f"{tokens} token{'s' * (tokens != 1)} of {each} digits"

    def token_or(self, word: str) -> str:
        """``token`` where one holds several digits; else the word, of one digit or of its place."""
        return word if self.train.in_token == 1 else "token"

    @property
    def layers_text(self) -> str:
        """``1 layer``, ``2 layers``."""
        return f"{self.layers} layer{'s' * (self.layers != 1)}"

    @property
    def longest(self) -> int:
        """The longest operand that is written."""
        return max(*self.test_lengths, *self.train.every_length)

    @property
    def digits(self) -> int:
        """How many tokens of digits each operand has, leading zeros included."""
        return self.train.places(self.width or self.longest)

    @property
    def operand_width(self) -> int:
        """How many digits operands are padded to, unless they have their natural lengths."""
        return self.layout.operand_width(self.digits, self.result_digits)

    @property
    def result_digits(self) -> int:
        """How many digits of the result are written, unless numbers have their natural lengths."""
        return self.result_width or self.task.result_width(self.base, self.digits)

    @property
    def test_digits(self) -> tuple[int, ...] | tuple[tuple[int, ...], ...]:
        """The test lengths as they are asked for: of the longest operand, or of each."""
        return self.test_each or self.test_lengths

    @property
    def asked_each(self) -> tuple[tuple[int, ...], ...]:
        """The lengths that each operand has in tests, if any are given there or in training."""
        if self.test_kind not in ("longest", "lengths"):
            return ()
        return self.test_each or self.train.each

    def test(self, length: int) -> Domain:
        """The test domain of one length."""
        if length not in self._asked:
            longest = max((x[-1] for x in self.asked_each), default=0)
            each = tuple((*x, length) if x[-1] == longest else x for x in self.asked_each)
            allowed, kind = self.test_allowed, self.test_kind
            in_token, natural = self.train.in_token, self.natural
            self._asked[length] = _tested(length, kind, allowed, each, natural, in_token)
        return self._asked[length]

    @cached_property
    def _asked(self) -> dict[int, Domain]:
        """Test domains by their lengths: they are asked for often."""
        tests = (domain.in_tokens(self.train.in_token) for domain in self.tests)
        return {n: domain for domain in tests for n in domain.lengths}

    def fields_without(self, *names: str) -> dict[str, Any]:
        """What tells settings apart, but for some fields."""
        return {x.name: getattr(self, x.name) for x in fields(self) if x.name not in names}

    @property
    def untrained(self) -> list[int]:
        """The test lengths that ask for more than was trained."""
        return [n for n in self.test_lengths if not self.is_premise(n)]

    def is_premise(self, length: int) -> bool:
        """Whether a test at this length asks for what was trained: the premise covers it."""
        if length not in self._covered:
            covered = self.train.covers(self.test(length), self.base, self.task.operands)
            self._covered[length] = covered and not self.test_layout
        return self._covered[length]

    @cached_property
    def _covered(self) -> dict[int, bool]:
        """Whether tests ask for what was trained, by their lengths: this is asked often."""
        return {}

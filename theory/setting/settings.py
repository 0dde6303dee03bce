"""A setting: everything that a prediction depends on."""

from __future__ import annotations

from dataclasses import dataclass, replace

from arith.theory.arithmetic.decision import Decision
from arith.theory.arithmetic.domains import LENGTHS_FIRST, Domain
from arith.theory.arithmetic.properties import digit_causal
from arith.theory.arithmetic.tasks import Task
from arith.theory.errors import InvalidInput, unknown_name
from arith.theory.transformer.encodings import ENCODINGS, Encoding
from arith.theory.transformer.layouts import STARTS, Layout

LARGEST_BASE = 256
LARGEST_WIDTH = 1000
LARGEST_LAYERS = 100
LARGEST_STARTS = 1000
RANDOM_STARTS = (*(n for n, e in ENCODINGS.items() if e.random_start), "hinted")
"""The encodings and the layout whose positions, numbers or markers start at random in training."""
PADDINGS = ("fixed", "none")


@dataclass(frozen=True)
class Setting:
    """Everything that a prediction depends on.

    Args:
        train: what the model is trained on.
        window: how many tokens a query sees, itself included; 0 is the whole prefix.
        test_lengths: the digits to test; none for 1 to the longest training length + 3.
        test_kind: the kind of the test domains (``domains.KINDS``).
        width: to how many digits operands are padded; 0 for those of the longest that is written.
        layers: of the model; 0 where that is left open.
        padding: ``fixed``, where all operands are padded to one width, or ``none``, where numbers
            have their natural lengths and an end token follows; then every trained length is shown
            equally often.
        starts: from how many starts training draws, where positions, numbers of digits or markers
            start at random; otherwise it means nothing, and is the usual number.
        result_width: to how many digits padded results are written; 0 for those of the largest.

    Raises:
        InvalidInput: parts that make no sense, by themselves or together.
    """

    task: Task
    base: int
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
    result_width: int = 0

    def __post_init__(self) -> None:
        if not 2 <= self.base <= LARGEST_BASE:
            raise InvalidInput(f"base must be between 2 and {LARGEST_BASE}, not {self.base}")
        if self.window < 0:
            raise InvalidInput(f"window must be 0 (the whole prefix) or more, not {self.window}")
        if not 0 <= self.layers <= LARGEST_LAYERS:
            raise InvalidInput(f"layers go from 0 to {LARGEST_LAYERS}, not {self.layers}")
        least = self.task.operands if self.test_kind == "total" else 1
        lengths = self.test_lengths or tuple(range(least, self.train.every_length[-1] + 4))
        object.__setattr__(self, "test_lengths", Domain(lengths, self.test_kind).lengths)
        if self.width and not self.longest <= self.width <= LARGEST_WIDTH:
            raise InvalidInput(
                f"width must be 0 or from {self.longest}, the longest operand that is written, to "
                f"{LARGEST_WIDTH}, not {self.width}"
            )
        least = self.task.result_width(self.base, self.longest)
        if self.result_width and not least <= self.result_width <= LARGEST_WIDTH:
            raise InvalidInput(
                f"the result width must be 0 or from {least}, the longest result, to "
                f"{LARGEST_WIDTH}, not {self.result_width}"
            )
        self._name_domains()
        if not self.random_starts:
            object.__setattr__(self, "starts", STARTS)
        self._check_padding()
        for position, digits in self.train.allowed:
            if max(digits) >= self.base:
                what = f"{max(digits)}, allowed at position {position}"
                raise InvalidInput(f"{what}, is no digit of base {self.base}")
        self._check_domains()
        if self.layout.interleaved:
            task = self.task.without_idle_modulus(self.base, self.digits)
            causal, witness = digit_causal(task, self.base)
            if causal is not Decision.YES:
                raise InvalidInput(
                    f"the interleaved layout needs a digit causal task in base {self.base}"
                    + (f": {witness.text()}" if witness else ", and this one is not known to be")
                )

    def _name_domains(self) -> None:
        """Give a domain the one name that it has: without a restriction that allows all."""
        every_digit = set(range(self.base))
        allowed = tuple(x for x in self.train.allowed if set(x[1]) != every_digit)
        kinds = [self.train.kind, self.test_kind]
        if self.task.operands == 1:
            kinds = ["longest"] * len(kinds)  # its length is the longest, and all that there are
        object.__setattr__(self, "train", replace(self.train, allowed=allowed, kind=kinds[0]))
        object.__setattr__(self, "test_kind", kinds[1])

    def _check_domains(self) -> None:
        k, allowed = self.task.operands, self.train.allowed
        for n in self.train.every_length:
            if allowed and not self.train.has_operands(n, k):
                raise InvalidInput(f"no operands of {n} digits have the allowed digits only")
        for domain in (self.train, Domain(self.test_lengths, self.test_kind)):
            if domain.kind == "total" and domain.every_length[0] < k:
                least = domain.every_length[0]
                raise InvalidInput(f"{k} operands have {k} digits together at least, not {least}")

    def _check_padding(self) -> None:
        layout = self.layout
        if self.padding not in PADDINGS:
            raise unknown_name("padding", self.padding, PADDINGS)
        if not 1 <= self.starts <= LARGEST_STARTS:
            raise InvalidInput(f"starts go from 1 to {LARGEST_STARTS}, not {self.starts}")
        if (layout.hinted or layout.scratchpad or layout.spaced) and not self.natural:
            raise InvalidInput(f"the {layout.name} layout needs --padding none")
        if layout.scratchpad and not self.task.has_finite_carry:
            what = "a sum of multiples of the operands, without a modulus"
            raise InvalidInput(f"the {layout.name} layout writes carries: it needs {what}")
        for kind in (self.train.kind, self.test_kind):
            if kind in LENGTHS_FIRST and not self.natural:
                raise InvalidInput(f"the domain '{kind}' needs --padding none")
            if kind in LENGTHS_FIRST and layout.interleaved:
                raise InvalidInput(f"the domain '{kind}' needs another layout than interleaved")
        if not self.natural:
            return
        if not (layout.marked or layout.interleaved):
            raise InvalidInput(f"the {layout.name} layout has no signs: it needs padded operands")
        if self.width:
            raise InvalidInput("--width needs padded operands, not --padding none")
        if self.result_width:
            raise InvalidInput("--result-width needs padded operands, not --padding none")
        if self.window and not layout.interleaved:
            raise InvalidInput("--window needs padded operands or the interleaved layout")
        shorter = [
            n
            for n in self.test_lengths + self.train.every_length
            if self.task.result_width(self.base, n) < n
        ]
        if layout.interleaved and shorter:
            raise InvalidInput(
                "the interleaved layout without padding writes a result digit beside those of the "
                f"operands, and results have fewer than {shorter[0]}"
            )
        if self.encoding.reference == "significance" and layout.interleaved:
            raise InvalidInput(
                f"{self.encoding.label} positions need padded operands or another layout than "
                "interleaved"
            )
        if self.encoding.by_weight and layout.result_first == "most":
            raise InvalidInput(
                f"{self.encoding.label} positions number a digit by its weight, which is not known "
                f"while a result is written most significant digit first, as in the {layout.name} "
                "layout"
            )

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
            f"{self.task.text()}, base {self.base}, {self.encoding.label}, {self.seen_text}, "
            f"trained on {self.train.text()}{starts}"
        )

    @property
    def seen_text(self) -> str:
        """How an input is written and read: ``interleaved layout, attention window 5, 1 layer``."""
        window = f", attention window {self.window}" if self.window else ""
        width = f", padded to {self.operand_width} digits" if self.width else ""
        width += f", results to {self.result_width}" if self.result_width else ""
        layers = f", {self.layers_text}" if self.layers else ""
        natural = ", natural lengths" if self.natural else ""
        return f"{self.layout.name} layout{natural}{window}{width}{layers}"

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
        """How many digits of each operand are written, leading zeros included."""
        return self.width or self.longest

    @property
    def operand_width(self) -> int:
        """How many digits operands are padded to, unless they have their natural lengths."""
        return self.layout.operand_width(self.digits, self.result_digits)

    @property
    def result_digits(self) -> int:
        """How many digits of the result are written, unless numbers have their natural lengths."""
        return self.result_width or self.task.result_width(self.base, self.digits)

    def test(self, length: int) -> Domain:
        """The test domain of one length."""
        return Domain((length,), self.test_kind)

    def is_premise(self, length: int) -> bool:
        """Whether a test at this length asks for what was trained: the premise covers it."""
        return self.train.covers(length, self.test_kind)

"""Prompts and answers of models, judged by the prediction of the setting that they are of.

Whether a model ignores digits, or is stable, cannot be seen from answers.  It is measured of a
model that is handed over (``Stays``).  Else, where a claim asks for that, answers as predicted
agree with it, and others leave it inconclusive.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache, cached_property
from itertools import chain, islice
from itertools import count as count_from

import numpy as np

from arith.theory.arithmetic.boxes import Box
from arith.theory.arithmetic.directions import Direction
from arith.theory.arithmetic.domains import Domain, digit_base
from arith.theory.arithmetic.lengths_text import lengths_text
from arith.theory.arithmetic.observed import AnsweredDomain, box_of_widths, shapes_of, widths_of
from arith.theory.counting.accuracy import defined
from arith.theory.errors import InvalidInput
from arith.theory.generalization.lengths import LengthPrediction
from arith.theory.generalization.outcomes import Claim
from arith.theory.prediction.predict import Prediction
from arith.theory.setting.settings import Setting
from arith.theory.setting.training import default_model
from arith.theory.transformer.layouts import SPACE
from arith.verify.data.answers import said_numbers
from arith.verify.data.files import Examples, Source
from arith.verify.data.numerals import numeral
from arith.verify.data.sampling import Sampler
from arith.verify.data.sequences import Format, NaturalFormat
from arith.verify.data.texts import DIGITS, cleaned, example_texts, parted, read_columns, read_texts
from arith.verify.judging.explanations import Candidate, Explained, candidates, explain
from arith.verify.judging.intervals import Interval, pooled
from arith.verify.judging.judge import CellVerdict, LengthVerdict, Verdict, judge
from arith.verify.judging.premises import speaks_of
from arith.verify.judging.standards import TOLERANCE
from arith.verify.plan.cells import Cell
from arith.verify.plan.inputs import SAMPLES
from arith.verify.records.measurement import Measurement
from arith.verify.records.runs import Run

MOST_SHOWN = 10
"""Surprising answers that are shown."""
MOST_SHAPES = 1_000
"""Combinations of operand lengths of a domain with which those of answers are compared."""
_USUAL, _BY_CHANCE = 5, 1e-4
"""How many answers of a combination of lengths are expected where they are compared one by one, and
the chance at which answers are taken as spread otherwise."""
_WORDS = re.compile("[0-9a-z]+")
_ZEROS = {
    "most": re.compile(r"(?<![0-9a-z ])0[0-9a-z]"),
    "least": re.compile(r"[0-9a-z]0(?![0-9a-z ])"),
}
"""A zero that stands above the highest digit, by the digit that is written first."""
_EACH, _MORE = 10, 500
"""Characters of a prompt for each token of an input, and beside them: longer ones are none."""


@dataclass(frozen=True)
class Stays:
    """What share of a model's answers stays when its input is disturbed.

    Args:
        noise: at trained lengths, with noise at digits that training never varied; None where it
            varied all.
        stable: at each other test length, with all digits a little disturbed.
    """

    noise: float | None
    stable: Mapping[int, float]


@dataclass(frozen=True)
class Surprise:
    """An answer other than the one that is expected, where something is predicted.

    Args:
        model: which of the models gave it, from 0.
        expected: the answer that ``function`` gives, as the setting writes it.
        function: ``f`` or ``f^``.
    """

    model: int
    digits: int
    prompt: str
    answer: str
    expected: str
    function: str


@dataclass(frozen=True)
class AnswersAt:
    """What models answered at one test length.

    Args:
        inputs: that were answered, of all models together.
        correct: answers equal to ``f``.
        silent: answers without a number.
        exhaustive: whether every input was answered by each model.
        explained: the functions whose answers they are.
        wrong_digits: the share of answers that are wrong in each result digit, units first.
    """

    digits: int
    inputs: int
    correct: int
    silent: int
    exhaustive: bool
    explained: Explained
    wrong_digits: tuple[float, ...]

    @property
    def right(self) -> Interval:
        """The share of answers that are right; exact where every input was answered."""
        return pooled([(self.correct, self.inputs)], self.exhaustive)


@dataclass(frozen=True)
class JudgedAnswers:
    """What models answered at each test length, and what that says of the prediction.

    Args:
        verdict: on the setting, with a run of each model.
        lengths: those test lengths of which there are answers.
        functions: those that may explain answers.
        surprising: the first answers that are not as predicted.
        trained: inputs of trained lengths that were answered, by the model with the fewest.
        unread: prompts that are no inputs of the task as training writes them, and the number and
            the text of the first.
        repeated: prompts that an earlier line has.
        untested: inputs of lengths that are neither trained nor tested.
        too_long: of the unread prompts those with operands that are longer than training pads to,
            and the number and the text of the first.
        stays: of each model that was handed over; None of one of which only answers are known.
    """

    verdict: CellVerdict
    lengths: tuple[AnswersAt, ...]
    functions: tuple[Candidate, ...]
    surprising: tuple[Surprise, ...]
    trained: int
    unread: tuple[int, int, str]
    repeated: int
    untested: int
    too_long: tuple[int, int, str] = (0, 0, "")
    stays: tuple[Stays | None, ...] = ()

    @property
    def measured(self) -> bool:
        """Whether all was measured that answers do not show."""
        return None not in self.stays

    def misses(self, x: LengthVerdict) -> bool:
        """Whether no model that converged meets what was measured and the claim asks for."""
        runs = self.verdict.converged
        claims = x.prediction.claim != Claim.NONE and bool(runs)
        return self.measured and claims and not any(speaks_of(x.prediction, r) for r in runs)

    @property
    def explained(self) -> Explained:
        """The functions whose answers those of all lengths are."""
        first, *others = (x.explained for x in self.lengths)
        return sum(others, first)

    @cached_property
    def by_direction(self) -> dict[Direction, Explained]:
        """The functions whose answers those of shorter, trained and longer inputs are."""
        found: dict[Direction, Explained] = {}
        for x in self.lengths:
            kind = self.verdict.cell.setting.train.direction(x.digits)
            found[kind] = found[kind] + x.explained if kind in found else x.explained
        return found

    def at(self, digits: int) -> AnswersAt | None:
        """What was answered at a test length, if anything was."""
        return next((x for x in self.lengths if x.digits == digits), None)


@dataclass
class Answers:
    """What one model answered to n inputs of a setting, each once.

    Args:
        digits: of the operands, ``(n, k, N)``, units first.
        numbers: that were answered, ``(n,)``; None where an answer has none.
        prompts: the inputs as they are written.
        texts: the answers as they are written.
        unread: prompts that are no inputs, and the number and the text of the first.
        too_long: those of them that have longer operands than training pads to.
        repeated: prompts that an earlier one repeats.
        in_order: numbers are written as people do, whatever the layout is.
        source: the file of the answers, if they are from one.
    """

    cell: Cell
    digits: np.ndarray
    numbers: np.ndarray
    prompts: Sequence[str]
    texts: Sequence[str]
    unread: tuple[int, int, str] = (0, 0, "")
    repeated: int = 0
    in_order: bool = False
    too_long: tuple[int, int, str] = (0, 0, "")
    source: Source | None = None

    @classmethod
    def read(cls, examples: Examples, cell: Cell) -> Answers:
        """What stands in prompts and answers in text."""
        fmt = cell.format_for(cell.setting.digits, test=True)
        first = dict[str, int]()
        for i, prompt in enumerate(examples.prompts):
            first.setdefault(prompt, i)
        prompts, lines = [*first], [*first.values()]
        longest = _MORE + _EACH * len(fmt.tokens)
        short = [x if len(x) <= longest else "" for x in prompts]
        fine = written_so(short, fmt)
        digits = read_prompts([x if y else "" for x, y in zip(short, fine, strict=True)], fmt)
        rows = np.flatnonzero((digits >= 0).all(axis=(1, 2)))
        right = cell.setting.task.evaluate(*fmt.values(digits[rows]))
        is_defined = np.asarray(cell.setting.task.is_result(right), dtype=bool)
        rows = rows[is_defined]
        texts = [examples.answers[lines[i]] for i in rows]
        unread = np.delete(np.arange(len(prompts)), rows).tolist()
        long = [unread[i] for i in longer_than_padding([prompts[i] for i in unread], cell.setting)]

        def first_of(some: Sequence[int]) -> tuple[int, int, str]:
            return (len(some), lines[some[0]] + 1, prompts[some[0]]) if some else (0, 0, "")

        numbers = said_numbers(texts, fmt)
        if len(numbers) and all(x is None for x in numbers.tolist()):
            raise InvalidInput(
                f"no answer has a number: the first prompt is read as '{prompts[rows[0]][:60]}', "
                f"and its answer as '{' '.join(texts[0].split())[:60]}'"
            )
        return cls(
            cell,
            digits[rows],
            numbers,
            [prompts[i] for i in rows],
            texts,
            first_of(unread),
            len(examples) - len(prompts),
            too_long=first_of(long),
            source=examples.source,
        )

    @cached_property
    def format(self) -> Format:
        """How the longest inputs are written."""
        return self.cell.format_for(self.cell.setting.digits, test=True)

    @cached_property
    def values(self) -> list[np.ndarray]:
        """The operands as arrays ``(n,)`` of numbers; of several operations the last says which."""
        return self.format.values(self.digits)

    @property
    def inputs(self) -> set[tuple[int, ...]]:
        """The operands of each input; of several operations the last number says which."""
        return {*zip(*(x.tolist() for x in self.values), strict=True)}

    @cached_property
    def right(self) -> np.ndarray:
        """The task of each input, ``(n,)``."""
        return np.asarray(self.cell.setting.task.evaluate(*self.values))

    @cached_property
    def _shapes(self) -> tuple[np.ndarray, np.ndarray]:
        """The different lengths of operands, ``(s, k)``, and which each input has, ``(n,)``."""
        base, k = self.cell.setting.digit_base, self.cell.setting.task.operands
        if self.format.layout.in_token == 1:
            digits = self.digits[:, :k]
        else:  # lengths count digits, not tokens
            places = np.arange(self.format.width * max(self.format.layout.in_token, 1))
            columns = np.stack(self.values[:k], axis=1)[..., None]
            digits = columns // base**places % base
        long = widths_of(digits)
        return shapes_of(long)

    @cached_property
    def _found(self) -> dict[Domain, np.ndarray]:
        """The indices of the inputs of each domain that was asked for: of a few lengths, often."""
        return {}

    def of(self, domain: Domain) -> np.ndarray:
        """The indices of the inputs of a domain."""
        if domain not in self._found:
            self._found[domain] = self._of(domain)
        return self._found[domain]

    def _of(self, domain: Domain) -> np.ndarray:
        if not len(self.digits):
            return np.zeros(0, dtype=np.int64)
        shapes, which = self._shapes
        inside = np.array([domain.has_lengths(tuple(x)) for x in shapes.tolist()], dtype=bool)
        found = np.flatnonzero(inside[which])
        if not domain.restricted:
            return found
        k = self.cell.setting.task.operands
        boxes = domain.boxes(self.cell.setting.base, k)
        return found[is_in_boxes(self.digits[found, :k], boxes)]

    def shapes(self, digits: int) -> Counter[tuple[int, ...]]:
        """How many inputs of a test length have operands of which lengths."""
        shapes, which = self._shapes
        often = np.bincount(which[self.tested(digits)], minlength=len(shapes)).tolist()
        each = zip(shapes.tolist(), often, strict=True)
        return Counter({tuple(widths): count for widths, count in each if count})

    def tested(self, digits: int) -> np.ndarray:
        """The indices of the inputs of a test length."""
        return self.of(self.cell.setting.test(digits))

    def trained(self) -> list[np.ndarray]:
        """Those of each trained length, where there are any.

        Of a length of which a file shows few inputs others count, if none of these are answered.
        """
        setting, found = self.cell.setting, []
        for n in setting.train.every_length:
            rows = self.of(setting.train.of_length(n))
            found.append(rows if len(rows) or n not in setting.test_lengths else self.tested(n))
        return [rows for rows in found if len(rows)]

    def used(self) -> int:
        """How many inputs are of trained or tested lengths."""
        each = [*self.trained(), *map(self.tested, self.cell.setting.test_lengths)]
        return len(np.unique(np.concatenate(each)))

    def of_rows(self, rows: np.ndarray) -> list[np.ndarray]:
        """The operands of some inputs."""
        return [x[rows] for x in self.values]

    def is_whole(self, digits: int) -> bool:
        """Whether all inputs of a test length are answered."""
        domain = self.cell.setting.test(digits)
        if domain.priming or not domain.even:
            return False
        sampler = Sampler(self.cell.format_for(digits), domain)
        return sampler.size <= SAMPLES and len(sampler.everything()) == len(self.tested(digits))

    def run(self, seed: int, prediction: Prediction, stays: Stays | None = None) -> Run:
        """The run of this model; what was not measured of it counts as found."""
        said, right = self.numbers, self.right
        reads = any(x.requires_noise_sensitivity for x in prediction.lengths)
        shares = [float((said[rows] == right[rows]).mean()) for rows in self.trained()]
        found = []
        for n in self.cell.setting.test_lengths:
            rows, learned = self.tested(n), None
            if not len(rows):
                continue
            if prediction.learned is not None:
                expected = prediction.learned.evaluate(*self.of_rows(rows))
                learned = int((said[rows] == expected).sum())
            counts = int((said[rows] == right[rows]).sum()), learned, (), None
            steady = 1.0 if stays is None else stays.stable.get(n)
            found.append(Measurement(n, len(rows), self.is_whole(n), *counts, steady=steady))
        return Run(
            cell=self.cell,
            seed=seed,
            recipe="",
            precision="",
            premise=min(shares, default=0.0),
            held_out=max(sum(map(len, self.trained())), 1),
            steps=0,
            budget=0,
            seconds=0.0,
            machine="",
            measurements=tuple(found),
            indifference=float(not reads) if stays is None else stays.noise,
        )

    def at(self, digits: int, functions: Sequence[Candidate]) -> AnswersAt:
        """What was answered at a test length."""
        rows = self.tested(digits)
        said, right, base = self.numbers[rows], self.right[rows], self.cell.setting.digit_base
        silent = np.array([x is None for x in said.tolist()], dtype=bool)
        numbers = np.where(silent, 0, said)
        places = [base**i for i in range(self.cell.setting.task.result_width(base, digits))]
        wrong = [(numbers // p % base != right // p % base) | silent for p in places]
        return AnswersAt(
            digits,
            len(rows),
            int((said == right).sum()),
            int(silent.sum()),
            self.is_whole(digits),
            explain(said, self.of_rows(rows), functions),
            tuple(float(x.mean()) for x in wrong),
        )

    def surprises(self, x: LengthPrediction, prediction: Prediction, model: int) -> list[Surprise]:
        """The first answers at a length that are not as predicted."""
        rows, learned = self.tested(x.digits), prediction.learned
        is_right = self.cell.setting.is_premise(x.digits) or x.accuracy == 1
        if is_right:
            expected = self.right[rows]
        elif learned is not None and x.claim != Claim.NONE:
            expected = np.asarray(learned.evaluate(*self.of_rows(rows)))
        else:
            return []
        odd = np.flatnonzero((self.numbers[rows] != expected) & (expected >= 0))[:MOST_SHOWN]
        texts = self._written(rows[odd], expected[odd])
        return [
            Surprise(model, x.digits, self.prompts[i], self.texts[i], t, "f" if is_right else "f^")
            for i, t in zip(rows[odd].tolist(), texts, strict=True)
        ]

    def _written(self, rows: np.ndarray, numbers: np.ndarray) -> list[str]:
        """Numbers as answers to some inputs."""
        if self.in_order:
            return [numeral(int(x), self.cell.setting.digit_base) for x in numbers]
        if not len(rows):
            return []
        return example_texts(self.format, self.digits[rows], self.format.to_digits(numbers)).answers


def read_prompts(prompts: list[str], fmt: Format) -> np.ndarray:
    """The operand digits ``(n, k, N)`` of prompts; -1 in those that are no inputs.

    Raises:
        InvalidInput: the layout has no prompts.
    """
    check_prompts(fmt)
    answer = "0" * (fmt.result_width * max(fmt.layout.in_token, 1))
    return read_texts(Examples(prompts, [answer] * len(prompts)), fmt)[0]


def operand_lengths(prompts: Sequence[str], setting: Setting) -> Counter[int]:
    """How many operands of prompts are written with how many digits."""
    return Counter(chain.from_iterable(_written_lengths(prompts, setting)))


def _written_lengths(prompts: Sequence[str], setting: Setting) -> Iterator[tuple[int, ...]]:
    """With how many digits the operands of each prompt are written; none where they are not."""
    task, form, base = setting.task, setting.layout, setting.digit_base
    examples = Examples(list(prompts), ["0"] * len(prompts))
    if not form.operators and task.operands > 1:  # they stand as one word
        for word in (x.rstrip("=") for x in cleaned(examples, base).prompts):
            yield (-(-len(word) // task.operands),) if word.isalnum() else ()
        return
    cut = read_columns(examples, task, form, base)
    for fits, *numbers in zip(cut.fits.tolist(), *cut.operands, strict=True):
        if base > len(DIGITS):
            numbers = [x.strip(":").split(":") for x in numbers]
        yield tuple(map(len, numbers)) if fits else ()


def written_width(setting: Setting) -> int:
    """How many digits padded operands are written with."""
    return setting.operand_width * max(setting.layout.in_token, 1)


def longer_than_padding(prompts: Sequence[str], setting: Setting) -> list[int]:
    """The indices of prompts with operands that are longer than the width that training pads to."""
    if setting.natural or not setting.layout.operators:
        return []
    most = written_width(setting)
    each = enumerate(_written_lengths(prompts, setting))
    return [i for i, lengths in each if max(lengths, default=0) > most]


def check_prompts(fmt: Format) -> None:
    """Refuse a layout whose answers do not stand after what is asked (InvalidInput)."""
    if fmt.layout.interleaved:
        raise InvalidInput(
            f"in the {fmt.layout.text} digits of the operands stand between those of the result: "
            "there are no prompts to be answered"
        )


def judge_examples(
    setting: Setting,
    models: Sequence[Examples],
    stays: Sequence[Stays | None] = (),
    trained: frozenset[tuple[int, ...]] = frozenset(),
) -> JudgedAnswers:
    """Judge models by prompts and answers in text (see ``judge_answers``).

    Args:
        setting: how the models were trained, and at what lengths they are tested.
        models: the prompts and answers of each.
        stays: what was measured of each besides.
        trained: the inputs of the training examples, if these are known.

    Raises:
        InvalidInput: no prompt is an input of the setting, or its layout has no prompts; or all
            inputs of a model are among those of training.
    """
    cell = Cell(setting, default_model(setting.task))
    said = [Answers.read(x, cell) for x in models]
    for x in said:
        if len(x.digits) and x.inputs <= trained:
            what = x.source.what if x.source else "the model"
            raise InvalidInput(
                f"{what} has inputs of the training examples alone: ask the model others, such as "
                "arith examples --test writes"
            )
    return judge_answers(cell, said, stays)


def judge_answers(
    cell: Cell, said: Sequence[Answers], stays: Sequence[Stays | None] = ()
) -> JudgedAnswers:
    """Judge models by their answers, and by the prediction for the inputs that they answered.

    They have to be right at the trained lengths; none of those inputs is known to be held out.

    Raises:
        InvalidInput: there are no answers at the test lengths.
    """
    cell = replace(cell, setting=replace(cell.setting, tests=_answered(cell.setting, said)))
    for x in said:
        x.cell = cell
    setting = cell.setting
    prediction, functions = cell.prediction, tuple(candidates(cell.prediction))
    at = [[x.at(n, functions) for x in said if len(x.tested(n))] for n in setting.test_lengths]
    found = tuple(_together(parts) for parts in at if parts)
    if not found:
        raise InvalidInput(_no_input(said, setting))
    surprises = (
        surprise
        for x in prediction.lengths
        for model, one in enumerate(said)
        for surprise in one.surprises(x, prediction, model)
    )
    each = tuple(stays) or (None,) * len(said)
    runs = [x.run(i, prediction, y) for i, (x, y) in enumerate(zip(said, each, strict=True))]
    return JudgedAnswers(
        _of_answers(judge(cell, runs, prediction), None not in each),
        found,
        functions,
        tuple(islice(surprises, MOST_SHOWN)),
        min(sum(map(len, x.trained())) for x in said),
        _of_all(x.unread for x in said),
        sum(x.repeated for x in said),
        sum(len(x.prompts) - x.used() for x in said),
        _of_all(x.too_long for x in said),
        each,
    )


def _answered(setting: Setting, said: Sequence[Answers]) -> tuple[Domain, ...]:
    """The test domains of the lengths whose answers have operand lengths otherwise than asked."""
    found = []
    for n in setting.test_lengths:
        shapes = sum((x.shapes(n) for x in said), Counter[tuple[int, ...]]())
        asked = setting.test(n)
        domain = answered_domain(asked, shapes, setting) if shapes else asked
        if domain != asked:
            found.append(domain)
    return tuple(found)


def answered_domain(asked: Domain, shapes: Counter[tuple[int, ...]], setting: Setting) -> Domain:
    """The domain of answers: the one that was asked for, or another kind, if they are spread so.

    Else it is that of their combinations of operand lengths, each as often as it was answered.
    """
    task, base = setting.task, setting.digit_base

    def share(widths: tuple[int, ...]) -> Fraction:
        """The share of the operands of some lengths on which the task is defined."""
        if not task.needs_order:
            return Fraction(1)
        box = box_of_widths(widths, base)
        return Fraction(defined(task, box, base), box.size)

    shares = cache(share)
    free = not asked.restricted and asked.kind != "total"
    kinds = ("longest", "every", "lengths", "coin") if free else ()
    for domain in dict.fromkeys([asked, *(replace(asked, kind=x) for x in kinds)]):
        if _is_spread_so(shapes, domain, setting, shares):
            return domain
    inside = {w: count / shares(w) for w, count in sorted(shapes.items())}
    every = sum(inside.values())
    each = tuple(tuple(sorted(set(x))) for x in zip(*inside, strict=True))
    return AnsweredDomain(
        asked.lengths,
        "lengths",
        allowed=asked.allowed,
        in_token=asked.in_token,
        natural=asked.natural,
        each=each,
        shapes=tuple((w, Fraction(x) / every) for w, x in inside.items()),
    )


def _is_spread_so(
    shapes: Counter[tuple[int, ...]],
    domain: Domain,
    setting: Setting,
    shares: Callable[[tuple[int, ...]], Fraction],
) -> bool:
    """Whether the operand lengths of answers are spread as those of a domain (chi-square)."""
    from scipy.special import bdtrc, chdtrc

    [n], k, base = domain.lengths, setting.task.operands, setting.base
    if domain.kind != "every" and n**k - (n - 1) ** k > MOST_SHAPES:
        return False
    often = {
        w: domain.weight_of_input(w, base) * domain.inputs(w, base) * shares(w)
        for w in domain.operand_lengths(n, k)
    }
    every, number = sum(often.values()), shapes.total()
    if not every or any(not often.get(w) for w in shapes):
        return False
    expected = {w: number * float(x / every) for w, x in often.items()}
    usual = [w for w, count in expected.items() if count >= _USUAL]
    left, rare = (number - sum(x[w] for w in usual) for x in (shapes, expected))
    apart = sum((shapes[w] - expected[w]) ** 2 / expected[w] for w in usual)
    freedom = max(1, len(usual) - (left == 0))
    by_chance = chdtrc(freedom, apart) if usual else 1.0
    others = bdtrc(left - 1, number, min(1.0, max(0.0, rare / number))) if left else 1.0
    return bool(min(by_chance, others) > _BY_CHANCE)


def is_in_boxes(digits: np.ndarray, boxes: Sequence[Box]) -> np.ndarray:
    """Which operands ``(n, k, N)`` of digits are in some box, ``(n,)``."""
    found = np.zeros(len(digits), dtype=bool)
    highest = int(digits.max(initial=0))
    for box in boxes:
        inside = np.ones(len(digits), dtype=bool)
        for j, row in enumerate(box.digits):
            inside &= ~digits[:, j, len(row) :].any(axis=1)
            for i, values in enumerate(row[: digits.shape[2]]):
                is_value = np.zeros(highest + 1, dtype=bool)
                is_value[[x for x in values if x <= highest]] = True
                inside &= is_value[digits[:, j, i]]
        found |= inside
    return found


def _no_input(said: Sequence[Answers], setting: Setting) -> str:
    """Why none of the prompts could be judged."""
    first = next((x for x in said if x.unread[0]), None)
    if first is None:
        return f"no prompt has a length that is tested: {lengths_text(setting.test_lengths)}"
    fmt = Cell(setting, default_model(setting.task)).format_for(setting.digits, test=True)
    shown = Sampler(fmt, setting.test(setting.test_lengths[0])).sample(1, np.random.default_rng(0))
    [wanted] = example_texts(fmt, shown).prompts
    _, number, unread = first.unread
    place = f" ({first.source.place(number - 1)})" if first.source else ""
    padded = "" if setting.natural else f", padded to {setting.digits_text(setting.operand_width)}"
    own, trained = [*operand_lengths([unread], setting)], setting.train.every_length[-1]
    is_other = padded and len(own) == 1 and own[0] >= trained and own[0] != written_width(setting)
    otherwise = f" (--width {own[0]}, if training pads to that)" if is_other else ""
    return (
        f"no prompt is an input of {setting.task.text()} in the {setting.layout.text}{padded}: "
        f"'{unread[:60]}' is not written as '{wanted}'{place}{otherwise}"
    )


def _of_all(counted: Iterable[tuple[int, int, str]]) -> tuple[int, int, str]:
    """How many prompts of all models, and the number and the text of the first."""
    some = [x for x in counted if x[0]]
    return (sum(x[0] for x in some), *some[0][1:]) if some else (0, 0, "")


def written_so(prompts: Sequence[str], fmt: Format) -> Sequence[bool]:
    """Whether the numbers of each prompt are as long as a format writes them: padded, or not."""
    form = fmt.layout
    base = digit_base(fmt.base, max(form.in_token, 1))
    natural = isinstance(fmt, NaturalFormat)
    any_ = natural and (form.leading_zeros or form.spaces or form.hinted or form.fills_with_zeros)
    if base > len(DIGITS) or not form.operators or any_:
        return [True] * len(prompts)
    texts = [parted(x) for x in prompts] if form.sign == SPACE else list(prompts)
    texts = cleaned(Examples(texts, []), base).prompts
    if natural:
        above = _ZEROS[form.operands_first]
        return [not above.search(x) for x in texts]
    width = form.operand_width(fmt.width, fmt.result_width) * max(form.in_token, 1)
    return [all(len(word) == width for word in _WORDS.findall(x)) for x in texts]


def _of_answers(verdict: CellVerdict, measured: bool) -> CellVerdict:
    """A verdict on models by answers that they were asked for.

    Models that were not measured are judged as if they met every premise.  If they do not, a claim
    that asks for it says nothing of them: it is not refuted.  Nor is one by answers so few that
    what is claimed lies in their interval.
    """

    def decided(x: LengthVerdict) -> LengthVerdict:
        asks = x.prediction.requires_noise_invariance or x.prediction.requires_measured_stability
        unknown = x.verdict == Verdict.DIVERGE and ((asks and not measured) or is_too_wide(x))
        return replace(x, verdict=Verdict.INCONCLUSIVE) if unknown else x

    lengths = tuple(map(decided, verdict.lengths))
    return replace(verdict, lengths=lengths)


def is_near(x: LengthVerdict) -> bool:
    """Whether all of the interval is as near to what is claimed as agreement asks."""
    low, high = _agreeing(x)
    return x.accuracy is not None and low <= x.accuracy.low and x.accuracy.high <= high


def answers_needed(x: LengthVerdict) -> int:
    """From how many answers of a model on those agree that are right as often as is claimed."""
    low, high = _agreeing(x)
    is_upper = x.prediction.claim == Claim.AT_MOST
    goal = float(x.prediction.at_most if is_upper else x.prediction.at_least)
    found = ((n, pooled([(round(goal * n), n)])) for n in count_from(1))
    return next(n for n, x in found if low <= x.low and x.high <= high)


def is_too_wide(x: LengthVerdict) -> bool:
    """Whether answers are so few that their interval has what is claimed, and more than that."""
    low, high = _agreeing(x)
    meets = x.accuracy is not None and x.accuracy.low <= high and low <= x.accuracy.high
    return meets and not is_near(x)


def _agreeing(x: LengthVerdict) -> tuple[float, float]:
    """The least and the most accuracy that agree with what is claimed."""
    return float(x.prediction.at_least) - TOLERANCE, float(x.prediction.at_most) + TOLERANCE


def _together(parts: Sequence[AnswersAt]) -> AnswersAt:
    """What several models answered at a length."""
    first, *others = (x.explained for x in parts)
    inputs = sum(x.inputs for x in parts)
    weights = [x.inputs / inputs for x in parts]
    wrong = zip(*(x.wrong_digits for x in parts), strict=True)
    return AnswersAt(
        parts[0].digits,
        inputs,
        sum(x.correct for x in parts),
        sum(x.silent for x in parts),
        all(x.exhaustive for x in parts),
        sum(others, first),
        tuple(sum(w * x for w, x in zip(weights, xs, strict=True)) for xs in wrong),
    )

"""A trained model as a story, on one page: what it reads, what noise it bears, where f^ shows."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from fractions import Fraction

import numpy as np
from jinja2 import Environment, PackageLoader

from arith.theory.arithmetic.shares import percent_text as exact_percent
from arith.theory.errors import InvalidInput
from arith.theory.observation.support import OperandDigit
from arith.theory.text.answer import INPUTS, expected_function
from arith.theory.text.text import digits_text, setting_lines
from arith.verify.data.numerals import numeral
from arith.verify.inspection import Mechanism, drawn_digit, pictures
from arith.verify.mechanism.equivalence import predicted_support
from arith.verify.mechanism.taken_apart import Step, TakenApart, take_apart
from arith.verify.model.measure import measure, noise_invariance
from arith.verify.plan import premise
from arith.verify.plan.cells import Cell
from arith.verify.records.measurement import Measurement
from arith.verify.reporting.blocks import Block, Figure, Heading, Items, Table, html_blocks
from arith.verify.training.train import Trained

READS = 0.1
"""From this share of changed answers on a digit counts as read."""
BEARS = 0.5
"""From this share of the learned noise on a digit counts as one that bears it."""
_SUBSCRIPTS = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")


def inspection_html(model: Trained, mechanism: Mechanism) -> str:
    """The story of one model as a page that needs nothing but itself."""
    cell, prediction = model.cell, model.cell.prediction
    every = [measure(model.model, cell, prediction, n) for n in cell.setting.test_lengths]
    apart = take_apart(model.model, cell, mechanism.digits)
    blocks: list[Block] = [
        Heading(f"Inside a model: {cell.label()}, seed {model.seed}", level=1),
        _answer(model, every[-1], mechanism),
        "; ".join(setting_lines(cell.setting)),
        *_reads(model, mechanism),
        *_noise(model),
        *_function(model, mechanism, every),
        *_apart(cell, apart),
    ]
    environment = Environment(loader=PackageLoader("arith.verify.reporting"), autoescape=True)
    title = f"Inside a model: {cell.label()}"
    page = environment.get_template("page.html")
    return page.render(title=title, body=html_blocks(blocks, {}), made="arith inspect --html")


def _figure(file: str, caption: str, model: Trained, mechanism: Mechanism) -> Figure:
    return Figure(caption, file, pictures(model, mechanism)[file])


def _answer(model: Trained, longest: Measurement, mechanism: Mechanism) -> str:
    """What was found, in two sentences."""
    reads = _named(model.cell, _read(mechanism)) or "no digit"
    said = (
        f"It is right on {_percent(model.premise)} of held-out inputs, and on "
        f"{_share(longest.correct, longest)} of those of {digits_text(longest.digits)}. There its "
        f"answers rest on {reads}."
    )
    if longest.learned is not None:
        said += f" They are those of f^ on {_share(longest.learned, longest)}."
    return said


# --- what it reads --------------------------------------------------------------------------


def _reads(model: Trained, mechanism: Mechanism) -> list[Block]:
    """Which operand digits change the answers."""
    cell, found = model.cell, _read(mechanism)
    names = {"model": "the model", "learned function": "f^", "truth": "the task"}
    most = {names[who]: _most(shares) for who, shares in mechanism.influence.items()}
    rest = [digit for digit in most["the model"] if digit not in found]
    digits = digits_text(mechanism.digits)
    said = f"At {digits} the answers change with {_named(cell, found) or 'no digit'}"
    said += f", and hardly with {_named(cell, rest)}." if rest else "."
    rows = [
        {"digit": _named(cell, [digit])} | {who: _percent(x[digit]) for who, x in most.items()}
        for digit in most["the model"]
    ]
    caption = f"How often a changed digit of an operand changes each digit of the answer. {said}"
    return [
        Heading("Which digits it reads"),
        said,
        "One digit of an operand at a time becomes another. The table says how often the answer "
        "then changes, at the digit of it that changes most: a₁ is the units digit of a.",
        Table(rows),
        _figure("influence.svg", caption, model, mechanism),
    ]


def _read(mechanism: Mechanism) -> list[OperandDigit]:
    """The operand digits that change some digit of the answer often."""
    most = _most(mechanism.influence["model"])
    return [digit for digit, share in most.items() if share is not None and share >= READS]


def _most(shares: np.ndarray) -> dict[OperandDigit, float | None]:
    """How often each operand digit changes the digit of the answer that it changes most."""
    most = np.where(np.isnan(shares), -1, shares).max(2)
    return {(j, i + 1): float(x) if x >= 0 else None for (j, i), x in np.ndenumerate(most)}


def _named(cell: Cell, digits: Iterable[OperandDigit]) -> str:
    """``a₁, a₂ and b₁``."""
    names = cell.setting.task.names
    *others, last = ["", *(f"{names[j]}{i}".translate(_SUBSCRIPTS) for j, i in digits)]
    return " and ".join(filter(None, (", ".join(others[1:]), last)))


# --- what noise it bears --------------------------------------------------------------------


def _noise(model: Trained) -> list[Block]:
    """What the answers bear: learned noise, and noise at ignored positions."""
    cell, blocks = model.cell, list[Block]()
    if model.noise:
        each = zip(cell.format.tokens, model.noise, strict=False)  # the last has none
        shares = {(t.operand, t.position): share for t, share in each if t.kind == "operand"}
        most = [x for x, share in shares.items() if share >= BEARS]
        blocks += [
            "In training each token learned how much noise it gets, from 0 to 1. Most of it is at "
            f"{_named(cell, most) or 'no digit'}: no answer rests on what gets it.",
            Table([{"digit": _named(cell, [x]), "noise": f"{s:.2f}"} for x, s in shares.items()]),
        ]
    with suppress(InvalidInput):  # nothing is predicted to be ignored
        kept = noise_invariance(model.model, cell, predicted_support(cell))
        if kept is not None:
            blocks.append(
                "The digits that f^ ignores were blended half and half with other tokens: "
                f"{_percent(kept)} of the answers to held-out inputs stayed. A claim that "
                f"rests on ignored digits asks for {_percent(premise.INDIFFERENT)}."
            )
    return [Heading("What noise it bears"), *blocks] if blocks else []


# --- where f^ shows -------------------------------------------------------------------------


def _function(model: Trained, mechanism: Mechanism, every: Iterable[Measurement]) -> list[Block]:
    """How many answers are those of f^, and whether the states are those that f^ asks for."""
    cell, expected = model.cell, expected_function(model.cell.prediction)
    head = f"f^ is {expected}." if expected else "No f^ is predicted: training leaves it open."
    rows = [
        {
            "digits": str(x.digits),
            "inputs": INPUTS[cell.setting.train.direction(x.digits)],
            "right": _share(x.correct, x),
            "as f^": "-" if x.learned is None else _share(x.learned, x),
            "stay when disturbed": _percent(x.steady),
        }
        for x in every
    ]
    blocks: list[Block] = [Heading("Where f^ shows"), head, Table(rows)]
    same, leak = mechanism.equivalence, mechanism.leaks
    if same is not None:
        said = (
            f"Inside: f^ takes an input of {digits_text(mechanism.digits)} for a trained one. The "
            f"model's last states of the two are {same.ratios[-1]:.2f} apart, where those of an "
            "unrelated input are 1 apart."
        )
        states = f"The last states before result digit {drawn_digit(cell)}, trained and longer."
        blocks += [said, _figure("states.svg", f"{states} {said}", model, mechanism)]
    if leak is not None:
        each = "; ".join(f"layer {i}: {_percent(x)}" for i, x in enumerate(leak.patched, 1))
        blocks.append(
            f"{_percent(leak.unpatched)} of the answers follow f^, each digit given the right "
            f"ones before it. With one layer that sees no ignored digit it is, at {each}."
        )
    return blocks


def _share(some: int, of: Measurement) -> str:
    return _percent(some / of.samples)


def _percent(share: float | None) -> str:
    """A share in percent to three digits; a dash where none is known."""
    return "-" if share is None else exact_percent(Fraction(share), ".3g")


# --- a wrong answer -------------------------------------------------------------------------


def _apart(cell: Cell, apart: TakenApart) -> list[Block]:
    """One answer, step by step."""
    base = cell.setting.base
    is_wrong = apart.model != apart.right
    question = _operands(cell, apart.operands)
    said = f"Asked for {cell.setting.task.text()} with {question}, the model answers "
    said += f"{_number(apart.model, base)}. Right is {_number(apart.right, base)}"
    said += f"; f^ has {_number(apart.expected, base)}." if apart.expected is not None else "."
    if not is_wrong:
        longest = digits_text(max(cell.setting.test_lengths))
        said += f" No answer of {longest} that was looked at is wrong."
    blocks: list[Block] = [
        Heading(f"{'A wrong' if is_wrong else 'An'} answer, step by step"),
        said,
        "Its digits in the order in which they are written. The model gives each a probability. "
        "Other values were tried at each digit of the operands: behind it stands how many of them "
        "change this digit of the answer.",
        Items([_step(cell, x) for x in apart.steps]),
    ]
    if apart.equivalent is not None:
        operands, answer = apart.equivalent
        blocks.append(
            "With the digits that f^ ignores as training showed them, it is asked for "
            f"{_operands(cell, operands)} and answers {_number(answer, base)}"
            f"{': the same' if answer == apart.model else ''}."
        )
    return blocks


def _operands(cell: Cell, values: Iterable[int]) -> str:
    """``a = 12 and b = 34``."""
    base, names = cell.setting.base, cell.setting.task.names
    each = zip(names, values, strict=True)
    return " and ".join(f"{name} = {numeral(value, base)}" for name, value in each)


def _number(value: int | None, base: int) -> str:
    return "no number" if value is None else numeral(value, base)


def _step(cell: Cell, x: Step) -> str:
    """A digit of the answer: what is written, whether it is right, and what it rests on."""
    ordered = sorted(x.rests_on.items(), key=lambda item: (-item[1], item[0]))
    rests = ", ".join(f"{_named(cell, [d])} ({_percent(s)})" for d, s in ordered)
    verdict = "right" if x.model == x.right else f"right is {_digit(cell, x.right)}"
    if x.expected is not None and x.model != x.right:
        as_expected = x.model == x.expected
        verdict += f", f^ has {_digit(cell, x.expected)}{' as well' * as_expected}"
    rest = f"it changes with {rests} of the other values there" if rests else "nothing changes it"
    said = f"{_digit(cell, x.model)}, by {_percent(x.sure)}"
    return f"Digit {x.position}: {said}; {verdict}; {rest}."


def _digit(cell: Cell, value: int) -> str:
    """A digit of an answer; of signed results the highest may be a minus."""
    base, fmt = cell.setting.base, cell.format
    if value < base:
        return numeral(value, base)
    return "-" if cell.setting.task.signed and value == fmt.minus else "no digit"

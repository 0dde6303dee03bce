"""Models that were not trained here: asked, and judged by their answers.

A file of answers is read, and a model that is asked answers prompts as its setting writes them:
both are prompts and answers in text (``verify.judging.answers`` judges them).  An export of arith's
own says its cell, and is measured as it was when it was trained besides.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import repeat
from typing import Any

import numpy as np

from arith.theory.arithmetic.domains import digit_base
from arith.theory.arithmetic.observed import widths_of
from arith.theory.errors import InvalidInput
from arith.theory.observation.support import support
from arith.theory.prediction.predict import predict
from arith.theory.setting.settings import Setting
from arith.theory.setting.training import default_model
from arith.verify.data.answers import said_numbers
from arith.verify.data.files import Examples
from arith.verify.data.numerals import numeral
from arith.verify.data.sequences import Format, values_of
from arith.verify.data.texts import example_texts, signs_of
from arith.verify.external_model import disturbed, greedy
from arith.verify.judging.answers import (
    Answers,
    JudgedAnswers,
    Stays,
    check_prompts,
    judge_answers,
    judge_examples,
)
from arith.verify.judging.judge import CellVerdict, judge
from arith.verify.model.kept import KeptModel
from arith.verify.model.measure import (
    HALF,
    MOST_PERTURBED,
    TENTH,
    answers,
    held_out_accuracy,
    measure,
    noise_invariance,
)
from arith.verify.plan.cells import Cell
from arith.verify.plan.inputs import EVALUATION_SEED, held_out_count, inputs, inputs_at

Answer = Callable[[list[str]], Sequence[str]]
"""What answers prompts: as many texts as it is given, in their order."""
Disturb = Callable[[list[str], list[str], float], list[tuple[str, str]] | None]
"""Answers to prompts, each with the one where its tokens are moved so far towards another's."""
PROMPT = "{prompt}"
"""The template of a prompt as it is."""
_ROOM = 8
"""Tokens of a continuation beyond the digits of the answer: a space, a sign, a word or two."""


def listed_answers(answers: Any) -> Examples:
    """The prompts and answers in a list of pairs, or of objects that have both (InvalidInput)."""
    try:
        pairs = [
            (x["prompt"], x["answer"]) if isinstance(x, Mapping) else tuple(x) for x in answers
        ]
        prompts, texts = map(list, zip(*pairs, strict=True))
        if not all(isinstance(x, str) for x in prompts):
            raise TypeError
    except (TypeError, KeyError, ValueError):
        raise InvalidInput(
            "answers are a list of pairs of a prompt and an answer, or of objects such as "
            '{"prompt": "12+34=", "answer": "46"}; to have prompts made give a function'
        ) from None
    return Examples(prompts, [str(x) for x in texts])


def ask(answer: Answer, setting: Setting, template: str = PROMPT) -> Examples:
    """Ask a model the inputs of every test length and of every trained one.

    They are those that trained models are tested on, each once, written as the setting writes them.

    Args:
        template: what the model is given: ``{prompt}`` stands for the prompt, and the name of an
            operand for its value in ordinary digits.

    Raises:
        InvalidInput: the layout has no prompts, a template without an input, the model fails, or
            it gives another number of answers than of prompts.
    """
    cell = Cell(setting, default_model(setting.task))
    check_prompts(cell.format)
    found: dict[str, str] = {}  # what is given for each prompt
    for fmt, operands in _asked(cell):
        found.update(zip(*_prompts(fmt, operands, template), strict=True))
    takes = "a model takes a list of texts and gives a list of as many"
    try:
        said = answer(list(found.values()))
        texts = [said] if isinstance(said, str) else list(said)
    except InvalidInput:
        raise
    except Exception as error:
        raise InvalidInput(
            f"the model failed with {type(error).__name__}: {error} ({takes})"
        ) from error
    if len(texts) != len(found):
        raise InvalidInput(
            f"{len(found):,} prompts were asked, and {len(texts):,} answered: {takes}"
        )
    for text in texts:
        if not isinstance(text, str | int):
            raise InvalidInput(f"an answer has to be text, not {type(text).__name__}")
    return Examples(list(found), [str(text) for text in texts])


def judge_model(
    answer: Answer, disturb: Disturb | None, setting: Setting, template: str = PROMPT
) -> JudgedAnswers:
    """Ask a model, measure what its answers do not show where that can be done, and judge it.

    Args:
        disturb: its answers to disturbed prompts; None where it cannot be looked into.

    Raises:
        InvalidInput: as of ``ask``.
    """
    examples = ask(answer, setting, template)
    stays = None if disturb is None else measure_stays(disturb, setting, template)
    return judge_examples(setting, [examples], [stays])


def judge_module(
    net: Any,
    tokenizer: Any,
    setting: Setting,
    template: str = PROMPT,
    complete: Callable[..., list[str]] | None = None,
) -> JudgedAnswers:
    """Ask a torch module, measure its premises, and judge it.

    Args:
        net: as for ``external_model.greedy``.
        tokenizer: as there.
        complete: in place of ``greedy``, if the module has a way of its own: takes prompts and how
            many ``tokens`` may follow them.
    """
    tokens = answer_tokens(setting)
    answer = partial(complete or partial(greedy, net, tokenizer), tokens=tokens)
    disturb = partial(disturbed, net, tokenizer, tokens=tokens)
    return judge_model(answer, disturb, setting, template)


def measure_stays(disturb: Disturb, setting: Setting, template: str = PROMPT) -> Stays | None:
    """What share of a model's answers stays under noise, by the test of arith's own models.

    Noise invariance: at trained lengths, with each digit that training never varied moved halfway
    to another digit (our own models take the noise of any token).  Stability: at every other test
    length, with all digits moved a tenth of the way.  None where it cannot be measured.
    """
    cell = Cell(setting, default_model(setting.task))
    fmt, base, k = cell.format, setting.base, setting.task.operands
    rng = np.random.default_rng(EVALUATION_SEED)

    def share(some: Format, operands: np.ndarray, others: np.ndarray, by: float) -> float | None:
        given, towards = (_prompts(some, x, template)[1] for x in (operands, others))
        said = disturb(given, towards, by)
        if said is None:
            return None
        before, after = (said_numbers(list(x), some) for x in zip(*said, strict=True))
        return float((before == after).mean())

    noise, shown = None, support(setting.task, setting.train, base)
    places = [(j, i) for j in range(k) for i in range(fmt.width)]
    ignored = [(j, i) for j, i in places if shown.constant((j, i + 1)) is not None]
    if ignored and not setting.natural:
        each = (setting.train.of_length(n) for n in setting.train.every_length)
        some = [_spread(_padded(inputs(cell, x, held_out=None)[0], fmt.width)) for x in each]
        operands = np.concatenate(some)
        others = operands.copy()
        for j, i in ignored:
            others[:, j, i] = rng.integers(base, size=len(others))
        noise = share(fmt, operands, others, HALF)
        if noise is None:
            return None
    stable: dict[int, float] = {}
    for n in setting.test_lengths:
        if setting.is_premise(n):
            continue
        own = cell.format_for(n, test=True)
        operands = _spread(inputs_at(cell, n)[0])
        others = rng.integers(base, size=operands.shape).astype(operands.dtype)
        if setting.natural:
            width = np.arange(operands.shape[2])
            long = widths_of(operands)
            top = (width == long[..., None] - 1) & (width > 0)
            others = np.where(top, rng.integers(1, base, size=operands.shape), others)
            others[width >= long[..., None]] = 0
        else:
            operands, others = (_padded(x, own.width) for x in (operands, others))
            others[:, :k] = rng.integers(base, size=others[:, :k].shape)
        others[:, k:] = operands[:, k:]  # which operation is asked for
        kept = share(own, operands, others, TENTH)
        if kept is None:
            return None
        stable[n] = kept
    return Stays(noise, stable)


def _spread(operands: np.ndarray) -> np.ndarray:
    """Some of the inputs, evenly spaced."""
    return operands[:: -(-len(operands) // MOST_PERTURBED)]


def _padded(operands: np.ndarray, width: int) -> np.ndarray:
    """Operands ``(n, k, N)`` with zeros up to a width."""
    return np.pad(operands, [(0, 0), (0, 0), (0, width - operands.shape[2])])


def _prompts(fmt: Format, operands: np.ndarray, template: str) -> tuple[list[str], list[str]]:
    """Inputs as the setting writes them, and what a model is given for each."""
    nothing = np.zeros((len(operands), fmt.result_width), dtype=np.int64)
    prompts = example_texts(fmt, operands, results=nothing).prompts
    if template == PROMPT:
        return prompts, prompts
    names, base = fmt.task.names, digit_base(fmt.base, max(fmt.layout.in_token, 1))
    values = zip(*(x.tolist() for x in fmt.values(operands)[: len(names)]), strict=True)
    given = [filled(template, p, names, row, base) for p, row in zip(prompts, values, strict=True)]
    return prompts, given


def _asked(cell: Cell) -> Iterator[tuple[Format, np.ndarray]]:
    """The inputs ``(n, k, N)`` of every test length and of every trained one, and their format."""
    s = cell.setting
    each = [(s.test(n), True) for n in s.test_lengths]
    each += [(s.train.of_length(n), False) for n in s.train.every_length]
    for domain, test in each:
        yield cell.format_for(domain.lengths[-1], test), inputs(cell, domain, held_out=None)[0]


def filled(
    template: str, prompt: str, names: Sequence[str], values: Sequence[int], base: int
) -> str:
    """What a model is given in place of a prompt (InvalidInput: without the input in it)."""
    found = template.replace(PROMPT, prompt)
    whole = PROMPT in template
    for name, value in zip(names, values, strict=True):
        if f"{{{name}}}" in template:
            found = found.replace(f"{{{name}}}", numeral(value, base))
        elif not whole:
            each = " and ".join(f"{{{x}}}" for x in names)
            raise InvalidInput(f"the prompt template '{template}' lacks {PROMPT}, or {each}")
    return found


def answer_tokens(setting: Setting) -> int:
    """How many tokens an answer to any input of a setting may take, a token for each digit."""
    written = setting.layout.result_tokens * setting.result_digits
    return written + _ROOM * setting.natural  # padded numbers may have no end


def judge_kept(kept: KeptModel, device: str) -> JudgedAnswers:
    """Judge a kept or exported model by its answers, and by premises that these do not show."""
    model, cell = kept.model.to(device), kept.run.cell
    task, base = cell.setting.task, cell.setting.digit_base
    inputs_, numbers = [], []
    wide = cell.format
    for fmt, operands in _asked(cell):
        said = answers(model, cell, operands, test=True)
        inputs_.append(_padded(operands, wide.width))
        is_digit = (said >= 0) & (said < fmt.base)
        numbers.append(values_of(np.where(is_digit, said, 0), fmt.base).astype(object))
        numbers[-1][~is_digit.all(axis=1)] = None
    digits, first = np.unique(np.concatenate(inputs_), axis=0, return_index=True)
    found = np.concatenate(numbers)[first]
    columns = [x.tolist() for x in wide.values(digits)]
    which = columns[task.operands] if len(task.operations) > 1 else None
    signs = [f" {sign} " for sign in signs_of(task)] if which else [", "]
    prompts = [
        signs[i].join(numeral(x, base) for x in row)
        for i, *row in zip(which or repeat(0), *columns[: task.operands], strict=False)
    ]
    texts = ["" if x is None else numeral(int(x), base) for x in found]
    said_ = Answers(cell, digits, found, prompts, texts, in_order=True)
    verdict = judge_export(kept, device)
    [run] = verdict.runs
    steady = {m.digits: m.steady for m in run.measurements if m.steady is not None}
    stays = (Stays(run.indifference, steady),)
    return replace(judge_answers(cell, [said_]), verdict=verdict, stays=stays)


def judge_export(kept: KeptModel, device: str) -> CellVerdict:
    """Measure an exported model as it was when it was trained, and judge it.

    Nothing that its folder says of what was measured is believed.

    Raises:
        InvalidInput: no input of its training can be held out.
    """
    cell, model = kept.run.cell, kept.model.to(device)
    setting, prediction = cell.setting, predict(cell.setting)
    run = replace(
        kept.run,
        premise=held_out_accuracy(model, cell),
        held_out=held_out_count(cell),
        measurements=tuple(measure(model, cell, prediction, n) for n in setting.test_lengths),
        indifference=noise_invariance(
            model, cell, support(setting.task, setting.train, setting.base)
        ),
        predicted=None,
    )
    return judge(cell, [run], prediction)

"""External models: a causal language model from disk answers a cell's inputs in ordinary text.

Nothing is known of its training, so nothing is judged.  What can be said is which function its
answers follow: the task itself, or the task with every digit above some position taken for 0,
which the theory says is learned from fewer digits (*equivalence generalization*, arXiv
2308.08268).  Needs the extra ``hf``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from theory.errors import InvalidInput
from theory.prediction.predict import predict
from theory.setting.domains import Domain
from theory.setting.encodings import encoding
from theory.setting.layouts import layout
from theory.setting.settings import Setting
from theory.setting.tasks import Task
from verify.judging.intervals import pooled
from verify.judging.judge import MECHANISM
from verify.plan.inputs import EVALUATION_SEED
from verify.plan.sequences import Format, Sampler
from verify.reporting.numbers import interval_text
from verify.training.device import pick_device

SAMPLES = 500
"""Inputs per test length: the interval is at most 0.09 wide, and a CPU takes minutes."""
SHOTS = 4
"""Solved examples before each question."""
LARGEST_BASE = 10
"""The digits of ordinary text."""
COLUMNS = ("digits", "samples", "correct", "no integer", "errors explained by")
_BATCH = 50
_ROOM = 8
"""Tokens of a continuation beyond the digits of the answer: a space, a sign, a word or two."""


@dataclass(frozen=True)
class ExternalModel:
    """A causal language model and its tokenizer (see ``load``).

    Args:
        net: a ``PreTrainedModel`` in evaluation mode.
        tokenizer: a ``PreTrainedTokenizerBase`` that pads on the left.
    """

    net: Any
    tokenizer: Any

    def complete(self, prompts: Sequence[str], tokens: int) -> list[str]:
        """The greedy continuation of each prompt, of at most so many tokens.

        Raises:
            InvalidInput: the tokenizer loses something of a prompt, or prompt and continuation
                are longer than the model takes.
        """
        for prompt in prompts:
            if not _writes(self.tokenizer, prompt):
                last = prompt.splitlines()[-1]
                raise InvalidInput(f"the model's tokenizer cannot write all of '{last}'")
        longest = getattr(self.net.config.get_text_config(), "max_position_embeddings", None)
        said: list[str] = []
        for start in range(0, len(prompts), _BATCH):
            batch = self.tokenizer(
                list(prompts[start : start + _BATCH]),
                padding=True,
                return_attention_mask=True,
                return_tensors="pt",
            ).to(self.net.device)
            ids, mask = batch["input_ids"], batch["attention_mask"]
            if (ids[:, -1] == self.tokenizer.eos_token_id).all():  # the prompt is not the end
                ids, mask = ids[:, :-1], mask[:, :-1]
            length = ids.shape[1]
            if longest is not None and length + tokens > longest:
                raise InvalidInput(
                    f"question and answer take {length + tokens} tokens and the model takes "
                    f"{longest}; give fewer solved examples or shorter operands"
                )
            out = self.net.generate(input_ids=ids, attention_mask=mask, max_new_tokens=tokens)
            said += self.tokenizer.batch_decode(out[:, length:], skip_special_tokens=True)
        return said


@dataclass(frozen=True)
class Explanation:
    """A function that may be what a model computes, and how often the model answers as it does.

    Args:
        function: its name and formula, ``f^ of D_2 = Mod(a, 100) + Mod(b, 100)``.
        answers: answers equal to it.
        errors: those of them that are not equal to ``f``.
    """

    function: str
    answers: int
    errors: int


@dataclass(frozen=True)
class ExternalMeasurement:
    """What an external model answered at one test length.

    Args:
        digits: the test length.
        samples: inputs asked.
        correct: answers equal to ``f``.
        no_integer: answers that are no integer in the cell's base (none of them correct).
        explanations: the truth ``f``, then ``f^`` of training on D_1, D_2, ... below this length.
    """

    digits: int
    samples: int
    correct: int
    no_integer: int
    explanations: tuple[Explanation, ...]

    @property
    def errors(self) -> int:
        """Answers that are not equal to ``f``."""
        return self.samples - self.correct

    @property
    def best(self) -> Explanation | None:
        """What explains most errors, if that is more than half of them; of equals the shortest."""
        best = max(self.explanations, key=lambda e: e.errors)
        return best if best.errors > MECHANISM * self.errors else None


def load(path: Path, device: str = "auto") -> ExternalModel:
    """The model of a directory in the format of Hugging Face, with the tokenizer beside it.

    Nothing is fetched, code that comes with a model is not run, and sampling or penalties that
    its generation settings ask for are dropped.  The library's messages are turned off.

    Raises:
        InvalidInput: transformers is not installed, or the path is no directory, or holds no
            causal language model with all its weights, or no tokenizer.
    """
    try:
        transformers = import_module("transformers")
    except ImportError:
        raise InvalidInput("an external model needs the extra: pip install 'arith[hf]'") from None
    if not path.is_dir():
        raise InvalidInput(f"{path} is no directory")
    transformers.utils.logging.set_verbosity_error()
    transformers.utils.logging.disable_progress_bar()
    net, report = _read(
        "causal language model",
        transformers.AutoModelForCausalLM.from_pretrained,
        path,
        output_loading_info=True,
    )
    if report["missing_keys"]:
        missing = min(report["missing_keys"])
        raise InvalidInput(f"{path} holds no whole causal language model: '{missing}' is missing")
    tokenizer = _read(
        "tokenizer", transformers.AutoTokenizer.from_pretrained, path, padding_side="left"
    )
    if not _writes(tokenizer, "1"):  # the library makes one up, without words, where there is none
        raise InvalidInput(f"{path} holds no tokenizer that can write digits")
    if tokenizer.pad_token is None:
        tokenizer.pad_token = tokenizer.eos_token
    if tokenizer.pad_token is None:
        raise InvalidInput(f"the tokenizer in {path} has neither a padding nor an end token")
    net.generation_config = transformers.GenerationConfig(
        eos_token_id=net.generation_config.eos_token_id, pad_token_id=tokenizer.pad_token_id
    )
    return ExternalModel(net.eval().to(pick_device(device)), tokenizer)


def _read(what: str, read: Callable[..., Any], path: Path, **options: Any) -> Any:
    """What the library reads from a directory.

    Raises:
        InvalidInput: it cannot; the library raises nearly anything on damaged files.
    """
    try:
        return read(path, local_files_only=True, trust_remote_code=False, **options)
    except Exception as error:
        reason = next((line for line in str(error).splitlines() if line.strip()), repr(error))
        raise InvalidInput(f"{path} holds no {what}: {reason.strip()}") from None


def _writes(tokenizer: Any, text: str) -> bool:
    """Whether a tokenizer keeps all of a text but its spaces."""
    try:
        kept = tokenizer.decode(tokenizer(text)["input_ids"], skip_special_tokens=True)
    except Exception:  # of the library: unknown characters without a token for them
        return False
    return "".join(kept.split()) == "".join(text.split())


def evaluate(
    model: ExternalModel,
    setting: Setting,
    digits: int,
    samples: int = SAMPLES,
    shots: int = SHOTS,
) -> ExternalMeasurement:
    """Ask a model the inputs of one test length, and look which functions its answers follow.

    The question is ordinary text, most significant digit first and without padding, after some
    solved examples of the training domain (the same for every question and length, and never
    asked).  The answer is the first integer of the greedy continuation.  Encoding, layout and
    window of the setting play no part.

    Args:
        digits: the test length.
        samples: inputs; a domain no larger than this is asked whole.
        shots: solved examples before each question.

    Raises:
        InvalidInput: a base above 10, no inputs to ask, or text that the model cannot take.
    """
    if setting.base > LARGEST_BASE:
        raise InvalidInput(
            f"an external model is asked in base 2 to {LARGEST_BASE}, not {setting.base}"
        )
    if samples < 1 or shots < 0:
        raise InvalidInput("samples must be at least 1 and solved examples not negative")
    task, base = setting.task, setting.base
    form = Format(task, base, setting.layout, max(setting.digits, digits))
    examples = _examples(form, setting.train, shots)
    operands = _inputs(form, setting.test(digits), samples, examples)
    solved = zip(questions(form, examples), numerals(form.results(examples)), strict=True)
    before = "".join(f"{question} {answer}\n" for question, answer in solved)
    prompts = [before + question for question in questions(form, operands)]
    said = model.complete(prompts, form.result_width + _ROOM)
    answers = np.array([first_integer(text, base) for text in said], dtype=object)
    values = form.values(operands)
    right = answers == task.evaluate(*values)
    explanations = []
    for name, function in _candidates(task, base, digits):
        follows = answers == function(*values)
        explanations.append(Explanation(name, int(follows.sum()), int((follows & ~right).sum())))
    return ExternalMeasurement(
        digits,
        len(operands),
        int(right.sum()),
        sum(answer is None for answer in answers),
        tuple(explanations),
    )


def _examples(form: Format, train: Domain, shots: int) -> np.ndarray:
    """Operand digits ``(shots, k, N)`` of the solved examples."""
    if shots == 0:
        return np.zeros((0, form.task.operands, form.width), dtype=np.int64)
    return Sampler(form, train).sample(shots, np.random.default_rng(EVALUATION_SEED))


def _inputs(form: Format, test: Domain, samples: int, examples: np.ndarray) -> np.ndarray:
    """Operand digits ``(n, k, N)`` to ask, sampled as for trained models, less the examples."""
    sampler = Sampler(form, test)
    rng = np.random.default_rng([EVALUATION_SEED, *test.lengths])
    whole = sampler.size <= samples
    operands = sampler.everything() if whole else sampler.sample(samples, rng)
    is_example = (operands[:, None] == examples).all(axis=(2, 3)).any(axis=1)
    if is_example.all():
        raise InvalidInput(f"{test.text()} has no examples that are not shown solved")
    left: np.ndarray = operands[~is_example]
    return left


def questions(form: Format, operands: np.ndarray) -> list[str]:
    """Operand digits ``(n, k, N)`` as ordinary text: ``(12 + 34) mod 7 =``, ``12 * 34 =``.

    The operands are written in the cell's base, the task's own numbers in base 10.
    """
    columns = [numerals(operands[:, j]) for j in range(form.task.operands)]
    texts = (replace(form.task, names=row).text() for row in zip(*columns, strict=True))
    return [f"{text.replace('·', ' * ')} =" for text in texts]


def numerals(digits: np.ndarray) -> list[str]:
    """Digits ``(n, N)``, units first, as numbers are written, without leading zeros."""
    return ["".join(map(str, row[::-1])).lstrip("0") or "0" for row in digits.tolist()]


def first_integer(text: str, base: int) -> int | None:
    """The first integer of a continuation's first line, the blank ones left out.

    What follows on the next line is a question that the model made up.

    Returns:
        None where there is no integer, or one with a digit that the base does not have.
    """
    found = re.search(r"-?[0-9]+", text.strip().partition("\n")[0])
    try:
        return int(found[0], base) if found else None
    except ValueError:
        return None


def _candidates(task: Task, base: int, digits: int) -> list[tuple[str, Callable[..., Any]]]:
    """The functions that may explain answers at one test length, with name and formula."""
    found: list[tuple[str, Callable[..., Any]]] = [(f"f = {task.formula()}", task.evaluate)]
    for n in range(1, digits):
        train = Domain((n,))
        setting = Setting(task, base, encoding("ape"), layout("plain"), train, test_lengths=(n,))
        try:
            learned = predict(setting).learned
        except InvalidInput:  # the task is defined nowhere on D_n
            continue
        if learned is not None:
            found.append((f"f^ of {train.text()} = {learned.formula}", learned.evaluate))
    return found


def table(measurements: Sequence[ExternalMeasurement]) -> list[list[str]]:
    """One line per test length, in the order of ``COLUMNS``.

    The last column names what explains more than half of the errors, with its share of them;
    ``none`` where nothing does, a dash where there are no errors.
    """
    return [
        [
            str(m.digits),
            str(m.samples),
            interval_text(pooled([(m.correct, m.samples)])),
            f"{m.no_integer / m.samples:.3f}",
            _explained(m),
        ]
        for m in measurements
    ]


def _explained(m: ExternalMeasurement) -> str:
    if m.errors == 0:
        return "-"
    return "none" if m.best is None else f"{m.best.function}: {m.best.errors / m.errors:.3f}"

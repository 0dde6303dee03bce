"""A causal language model from a local directory in Hugging Face format (the extra ``hf``).

Any torch module with a tokenizer is asked as well (``greedy``), and disturbed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from math import prod
from pathlib import Path
from typing import Any, TypeVar

import torch
from torch import Tensor

from arith.theory.errors import InvalidInput
from arith.verify.model.kept import CAUSAL, CONFIG, read_config
from arith.verify.model.measure import moved_towards
from arith.verify.training.device import pick_device

_BATCH = 200
"""Prompts at once."""
_PICKLED = (".bin", ".pt", ".pth", ".ckpt", ".gguf", ".h5", ".msgpack")
"""What other files of weights end with; a pickle of them may hold code."""
_PACKED = 8
"""The most weights that one number of a file may hold, where they are quantized."""
_Said = TypeVar("_Said")


@dataclass(frozen=True)
class ExternalModel:
    """A causal language model and its tokenizer (see ``load``).

    Args:
        net: a ``PreTrainedModel`` in evaluation mode.
        tokenizer: a ``PreTrainedTokenizerBase``.
    """

    net: Any
    tokenizer: Any

    def complete(self, prompts: Sequence[str], tokens: int) -> list[str]:
        """The greedy continuation of each prompt, of at most so many tokens.

        Raises:
            InvalidInput: the tokenizer loses something of a prompt or reads several digits as one
                token, or prompt and continuation are longer than the model takes.
        """
        for prompt in prompts:
            if not _writes(self.tokenizer, prompt):
                last = prompt.splitlines()[-1]
                raise InvalidInput(f"the model's tokenizer cannot write all of '{last}'")
        each = _encoded(self.tokenizer, prompts)
        decode = partial(self.tokenizer.decode, skip_special_tokens=True)
        for token in set[int]().union(*each):
            text = decode([token])
            if sum(map(str.isdecimal, text)) > 1:
                raise InvalidInput(
                    f"the model's tokenizer reads '{text.strip()}' as one token: arith asks "
                    "models that have a token for each digit"
                )
        longest = getattr(self.net.config.get_text_config(), "max_position_embeddings", None)
        most = max(map(len, each), default=0) + tokens
        if longest is not None and most > longest:
            raise InvalidInput(
                f"question and answer take {most} tokens and the model takes "
                f"{longest}; give fewer solved examples or shorter operands"
            )

        def answer(rows: list[int]) -> list[str]:
            ids = _indices(self.net, each, rows)
            how: Any = {"attention_mask": torch.ones_like(ids), "max_new_tokens": tokens}
            out = self.net.generate(input_ids=ids, **how)
            return list(map(decode, out[:, ids.shape[1] :]))

        said = _by_length(each, answer)
        if decode(self.tokenizer("11")["input_ids"]).strip() == "1 1":  # digits stand apart
            return [re.sub(r"(?<=\d) (?=\d)", "", text) for text in said]
        return said


def greedy(net: Any, tokenizer: Any, prompts: Sequence[str], tokens: int) -> list[str]:
    """The greedy continuations of prompts by any torch module, of at most so many tokens.

    Args:
        net: gives logits ``(B, T, vocabulary)`` of indices ``(B, T)``, or an object or a tuple that
            has them.
        tokenizer: has ``encode``, from a text to indices, and ``decode``, back; where it has an
            ``eos_token_id``, that ends an answer.

    Raises:
        InvalidInput: the tokenizer lacks one of the two, or the module gives no such logits.
    """
    each = _encoded(tokenizer, prompts)

    def answer(rows: list[int]) -> list[str]:
        ids = _indices(net, each, rows)
        return _texts(tokenizer, _continued(net, tokenizer, ids, tokens)[:, ids.shape[1] :])

    with _evaluated(net):
        return _by_length(each, answer)


def disturbed(
    net: Any,
    tokenizer: Any,
    prompts: Sequence[str],
    others: Sequence[str],
    share: float,
    tokens: int,
) -> list[tuple[str, str]] | None:
    """The answers to prompts, and those where each token of a prompt is moved towards another.

    The vectors of tokens are moved in the part of the module that reads the indices.  Each token of
    an answer comes after the module's own undisturbed ones (``verify.model.measure``).

    Args:
        net, tokenizer: as for ``greedy``.
        others: a prompt for each, towards whose tokens they are moved.
        share: how far, from 0 to 1.
        tokens: the most that an answer takes.

    Returns:
        None where no single part of the module reads the indices, or where a prompt and its other
        one have not the same number of tokens.
    """
    each, towards = _encoded(tokenizer, prompts), _encoded(tokenizer, others)
    if not each or list(map(len, each)) != list(map(len, towards)):
        return None

    def answer(rows: list[int]) -> list[tuple[str, str]]:
        asked = _indices(net, each, rows)
        ids, length = _continued(net, tokenizer, asked, tokens), asked.shape[1]
        moved = torch.cat([_indices(net, towards, rows), ids[:, length:]], dim=1)
        before = _logits(net(ids[:, :-1]))
        with moved_towards(embedding, moved[:, :-1], share):
            after = _logits(net(ids[:, :-1]))
        said = (_texts(tokenizer, x[:, length - 1 :].argmax(-1)) for x in (before, after))
        return list(zip(*said, strict=True))

    with _evaluated(net):
        embedding = _embedding(net, _indices(net, each, [0]))
        return None if embedding is None else _by_length(each, answer)


def _texts(tokenizer: Any, ids: Tensor) -> list[str]:
    """What a module wrote ``(B, T)``, up to the end."""
    end = getattr(tokenizer, "eos_token_id", None)
    cut = (new[: new.index(end)] if end in new else new for new in ids.tolist())
    return [str(tokenizer.decode(new)) for new in cut]


def _encoded(tokenizer: Any, prompts: Sequence[str]) -> list[list[int]]:
    """The indices of prompts, without an end after them (InvalidInput: no tokenizer)."""
    for name in ("encode", "decode"):
        if not callable(getattr(tokenizer, name, None)):
            raise InvalidInput(f"the tokenizer has no method '{name}': it takes encode and decode")
    end = getattr(tokenizer, "eos_token_id", None)
    each = [[int(x) for x in tokenizer.encode(prompt)] for prompt in prompts]
    if end is not None and all(x[-1:] == [end] for x in each):  # the prompt is not the end
        each = [x[:-1] for x in each]
    return each


@contextmanager
def _evaluated(net: Any) -> Iterator[None]:
    """A module in evaluation mode, without gradients."""
    was_training = net.training
    net.eval()
    try:
        with torch.no_grad():
            yield
    finally:
        net.train(was_training)


def _by_length(
    each: Sequence[Sequence[int]], answer: Callable[[list[int]], list[_Said]]
) -> list[_Said]:
    """What is answered to texts, of which those of equal length are asked together.

    Args:
        answer: answers those of some rows.
    """
    by_length: dict[int, list[int]] = {}
    for i, indices in enumerate(each):
        by_length.setdefault(len(indices), []).append(i)
    said: dict[int, _Said] = {}
    for rows in by_length.values():
        for some in (rows[i : i + _BATCH] for i in range(0, len(rows), _BATCH)):
            said.update(zip(some, answer(some), strict=True))
    return [said[i] for i in range(len(each))]


def _indices(net: Any, each: Sequence[Sequence[int]], rows: Sequence[int]) -> Tensor:
    """Some texts as indices ``(B, T)`` where the module is."""
    device = next((x.device for x in net.parameters()), torch.device("cpu"))
    return torch.tensor([each[i] for i in rows], dtype=torch.long, device=device)


def _continued(net: Any, tokenizer: Any, ids: Tensor, tokens: int) -> Tensor:
    """Indices ``(B, T)`` with what a module writes after them, greedily."""
    length, end = ids.shape[1], getattr(tokenizer, "eos_token_id", None)
    for _ in range(tokens):
        ids = torch.cat([ids, _logits(net(ids))[:, -1].argmax(-1, keepdim=True)], dim=1)
        if end is not None and (ids[:, length:] == end).any(1).all():
            break
    return ids


def _embedding(net: Any, ids: Any) -> Any:
    """The part of a module that is given the indices and gives vectors for them; None without one.

    It has no parts itself, as ``nn.Embedding``; one that is given the places of tokens is another.
    """
    found = dict[int, Any]()

    def see(part: Any, given: Any, named: Any, out: Any) -> None:
        first = next(iter([*given, *named.values()]), None)
        reads = torch.is_tensor(first) and first.shape == ids.shape and torch.equal(first, ids)
        if reads and torch.is_tensor(out) and out.ndim == 3 and out.is_floating_point():
            found[id(part)] = part

    parts = [x for x in net.modules() if x is not net and not list(x.children())]
    hooks = [x.register_forward_hook(see, with_kwargs=True) for x in parts]
    try:
        _logits(net(ids))
    finally:
        for hook in hooks:
            hook.remove()
    return next(iter(found.values())) if len(found) == 1 else None


def _logits(out: Any) -> Any:
    """The logits among what a module gives."""
    found = out[0] if isinstance(out, tuple) else getattr(out, "logits", out)
    if getattr(found, "ndim", 0) != 3:
        raise InvalidInput("the module has to give logits of shape (batch, tokens, vocabulary)")
    return found


def load(path: Path, device: str = "auto", trust_remote_code: bool = False) -> ExternalModel:
    """The model of a directory in the format of Hugging Face, with the tokenizer beside it.

    Nothing is fetched, weights are read from safetensors alone, and sampling or penalties that
    its generation settings ask for are dropped.  The library's messages are turned off.

    Args:
        trust_remote_code: whether code that comes with a model is run.

    Raises:
        InvalidInput: transformers is not installed, or the path is no directory, or holds no
            causal language model with all its weights, or no tokenizer, or code of its own that is
            not trusted.
    """
    try:
        transformers = import_module("transformers")
    except ImportError:
        raise InvalidInput("an external model needs the extra: pip install 'arith[hf]'") from None
    config = read_config(path)
    held = _held(path)
    if "auto_map" in config and not trust_remote_code:
        raise InvalidInput(
            f"{path} brings code of its own, which is only run with --trust-remote-code"
        )
    transformers.utils.logging.set_verbosity_error()
    transformers.utils.logging.disable_progress_bar()
    how: Any = {"local_files_only": True, "trust_remote_code": trust_remote_code}
    config_of = transformers.AutoConfig.from_pretrained
    asked, kind = _read(CAUSAL, path, config_of, path, **how), transformers.AutoModelForCausalLM
    make = partial(kind.from_config, asked, trust_remote_code=trust_remote_code)
    _check_size(path, asked, held, make)
    more: Any = {**how, "use_safetensors": True, "output_loading_info": True}
    net, report = _read(CAUSAL, path, kind.from_pretrained, path, **more)
    if report["missing_keys"]:
        missing = min(report["missing_keys"])
        raise InvalidInput(f"{path} holds no whole {CAUSAL}: '{missing}' is missing")
    if not all(x.isfinite().all() for x in net.parameters() if x.is_floating_point()):
        raise InvalidInput(f"{path}: some weights are no finite numbers")
    tokenizer = _read("tokenizer", path, transformers.AutoTokenizer.from_pretrained, path, **how)
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


def _held(path: Path) -> tuple[int, int]:
    """How many tensors and numbers the weights of a directory are (InvalidInput: none)."""
    files = sorted(x for x in path.glob("*.safetensors") if x.is_file())
    others = sorted(x.name for x in path.iterdir() if x.suffix in _PICKLED)
    if not files and others:
        raise InvalidInput(
            f"{path} holds no {CAUSAL} in safetensors: {others[0]} is not read, for such a file "
            "may hold code or needs another program; save_pretrained writes safetensors"
        )
    if not files:
        raise InvalidInput(f"{path} holds no {CAUSAL}: it has no weights in safetensors")
    safetensors = import_module("safetensors")

    def shapes() -> list[list[int]]:
        with ExitStack() as opened:
            all_ = [opened.enter_context(safetensors.safe_open(x, framework="pt")) for x in files]
            return [x.get_slice(name).get_shape() for x in all_ for name in x.keys()]  # noqa: SIM118

    found = _read(CAUSAL, path, shapes)
    return len(found), sum(map(prod, found))


def _check_size(path: Path, config: Any, held: tuple[int, int], make: Callable[[], Any]) -> None:
    """Refuse a network that is far larger than its weights, before it is built (InvalidInput)."""
    tensors, numbers = held
    layers = getattr(config.get_text_config(), "num_hidden_layers", 0)
    asked = f"{path}: {CONFIG} asks for a network that is larger than its weights"
    if isinstance(layers, int) and layers > tensors:
        raise InvalidInput(f"{asked}: {layers:,} layers, and {tensors:,} tensors")
    with torch.device("meta"):  # shapes alone
        net = _read(CAUSAL, path, make)
    wanted = sum(x.numel() for x in [*net.parameters(), *net.buffers()])
    if wanted > _PACKED * numbers:
        raise InvalidInput(f"{asked}: {wanted:,} numbers, and the files have {numbers:,}")


def _read(what: str, path: Path, read: Callable[..., Any], *given: Any, **how: Any) -> Any:
    """What the library reads; it raises nearly anything on damaged files, this InvalidInput."""
    try:
        return read(*given, **how)
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

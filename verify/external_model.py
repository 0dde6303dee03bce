"""A causal language model from a local directory in Hugging Face format (the extra ``hf``)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from arith.theory.errors import InvalidInput
from arith.verify.training.device import pick_device

_BATCH = 50
"""Prompts at once."""


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
            asked = list(prompts[start : start + _BATCH])
            how: Any = {"padding": True, "return_attention_mask": True, "return_tensors": "pt"}
            batch = self.tokenizer(asked, **how).to(self.net.device)
            ids, mask = batch["input_ids"], batch["attention_mask"]
            end = self.tokenizer.eos_token_id
            if end is not None and (ids[:, -1] == end).all():  # the prompt is not the end
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
    what = "causal language model"
    net, report = _read(what, transformers.AutoModelForCausalLM, path, output_loading_info=True)
    if report["missing_keys"]:
        missing = min(report["missing_keys"])
        raise InvalidInput(f"{path} holds no whole {what}: '{missing}' is missing")
    tokenizer = _read("tokenizer", transformers.AutoTokenizer, path, padding_side="left")
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


def _read(what: str, kind: Any, path: Path, **more: Any) -> Any:
    """What the library reads; it raises nearly anything on damaged files, this InvalidInput."""
    try:
        return kind.from_pretrained(path, local_files_only=True, trust_remote_code=False, **more)
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

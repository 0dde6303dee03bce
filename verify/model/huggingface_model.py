"""A kept model as ``transformers`` loads it: a thin wrapper of the network (the extra ``hf``).

``verify.model.exported_code`` copies this file, and those that it imports, beside the weights.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import torch
from torch import Tensor
from transformers import GenerationMixin, PreTrainedConfig, PreTrainedModel
from transformers.modeling_outputs import CausalLMOutput

from arith.theory.transformer.layouts import SIGN, Token
from arith.verify.model.gpt import GPT
from arith.verify.plan.recipe import RECIPE
from arith.verify.plan.sizes import Size


class ArithConfig(PreTrainedConfig):
    """What the network is made of; an entry of ``config.json`` is an attribute.

    ``tokens`` has what stands in an example, each as kind, position, operand and symbol (see
    ``arith.theory.transformer.layouts.Token``), and ``vocabulary`` the text of every token.
    """

    model_type = "arith"


class ArithForCausalLM(PreTrainedModel, GenerationMixin):
    """The network of ``gpt.py``; all examples are equally long, so nothing is padded."""

    config_class = ArithConfig

    def __init__(self, config: Any) -> None:
        super().__init__(config)
        self.tokens = [Token(*token) for token in config.tokens]
        shape = Size(
            config.num_hidden_layers,
            config.num_attention_heads,
            config.hidden_size,
            getattr(config, "intermediate_size", 0),
        )
        # Weights are loaded later, and a caller's random numbers are left as they are.
        with torch.random.fork_rng(devices=[]), torch.device("cpu"):
            self.gpt = GPT(
                shape,
                config.vocab_size,
                self.tokens[:-1],
                config.encoding,
                config.window,
                seed=0,
                recipe=replace(
                    RECIPE,
                    tied=config.tied,
                    gelu=getattr(config, "gelu", False),
                    norm_bias=getattr(config, "norm_bias", True),
                ),
                starts=config.starts,
            )
        # Stored with the weights: transformers makes no other buffers before it loads them.
        for module in self.gpt.modules():
            for name, buffer in module.named_buffers(recurse=False):
                module.register_buffer(name, buffer)
        self.post_init()

    def _init_weights(self, module: Any) -> None:
        """Leave the weights as the network has made them."""

    def forward(
        self,
        input_ids: Tensor,
        attention_mask: Tensor | None = None,
        labels: Tensor | None = None,
        **_: Any,
    ) -> CausalLMOutput:
        """Logits ``(B, T, vocabulary)`` of the token after each of ``input_ids`` ``(B, T)``.

        Raises:
            ValueError: ``attention_mask`` hides a token.
        """
        if attention_mask is not None and not attention_mask.all():
            raise ValueError("the examples of this model are equally long: leave out the padding")
        logits = self.gpt(input_ids)
        loss = None
        if labels is not None:
            loss = self.loss_function(logits, labels, vocab_size=self.config.vocab_size)
        return CausalLMOutput(loss=loss, logits=logits)

    def prepare_inputs_for_generation(self, input_ids: Any, *_: Any, **kwargs: Any) -> Any:
        """All tokens so far at every step: the network keeps no keys and values of earlier ones."""
        return {"input_ids": input_ids, "attention_mask": kwargs.get("attention_mask")}

    @torch.no_grad()
    def answer(self, *operands: int, operation: str = "") -> int | None:
        """The result that the model gives to some operands; None where it says a sign in it.

        Args:
            operation: the sign of the operation, of a model that has several.

        Raises:
            ValueError: they are not as many as the task has, or do not fit its examples.
        """
        signs = getattr(self.config, "operations", [])
        if operation not in (signs or [""]):
            raise ValueError(f"operation is one of {signs}" if signs else "there is one operation")
        words, base = self.config.vocabulary, self.config.base
        written = [(t.operand, t.position) for t in self.tokens if t.kind == "operand"]
        number, width = (max(x) for x in zip(*written, strict=True))
        if len(operands) != number + 1 or not all(0 <= x < base**width for x in operands):
            raise ValueError(f"the model takes {number + 1} operands of up to {width} digits")
        ids = []
        for token in self.tokens:
            if token.kind == "landmark":
                is_sign = token.symbol == SIGN and operation
                ids.append(words.index(operation if is_sign else token.symbol))
            elif token.kind == "operand":
                ids.append(operands[token.operand] // base ** (token.position - 1) % base)
            else:
                ids.append(0)  # until it is asked for
        result = 0
        for slot, token in enumerate(self.tokens):
            if token.kind == "result":
                asked = torch.tensor([ids[:-1]], device=self.device)
                ids[slot] = int(self.gpt(asked, slice(slot - 1, slot))[0, 0].argmax())
                if ids[slot] >= base:
                    return None
                result += ids[slot] * base ** (token.position - 1)
        return result

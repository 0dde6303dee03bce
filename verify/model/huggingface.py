"""Export: a kept model as a folder that ``transformers`` loads without this package.

Its code is that of ``verify.model.exported_code``; ``verify.model.kept`` reads the folder back.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from arith.theory.errors import InvalidInput
from arith.theory.transformer.encodings import SHIPPED
from arith.verify.data.sampling import Sampler
from arith.verify.model.exported_code import sources
from arith.verify.model.kept import KeptModel, Network, exported_config
from arith.verify.plan.cells import refuse_natural
from arith.verify.plan.inputs import EVALUATION_SEED
from arith.verify.records.files import new_folder
from arith.verify.records.runs import Run

_CARD = """---
library_name: transformers
tags: [arithmetic, length-generalization]
---
# {task}, trained on {domain}

A small GPT: {setting}. It is right on {premise} of the held-out inputs of the trained lengths.
The code is that of arith (MIT licence), which has trained it.

| digits | inputs tested | right |
| --- | --- | --- |
{rows}

```python
from transformers import AutoModelForCausalLM, AutoTokenizer

model = AutoModelForCausalLM.from_pretrained(FOLDER, trust_remote_code=True)
model.answer({operands})  # {answer}; right is {right}
```

`FOLDER` is the path of this folder. As tokens, and with numbers written as in training:

```python
tokenizer = AutoTokenizer.from_pretrained(FOLDER, trust_remote_code=True)
asked = tokenizer("{text}", return_tensors="pt")
{last}
```

Numbers are padded with zeros, and digits are written as in the {layout} layout: {summary}.{more}
"""
_INTERLEAVED = (
    " Digits of the operands stand between those of the result, so `generate` cannot write a "
    "result by itself: `answer` does."
)


def export(kept: KeptModel, folder: Path) -> None:
    """Write a kept model, its code, a tokenizer and a page on them.

    Raises:
        InvalidInput: transformers is not installed, the folder is there and not empty, numbers
            have natural lengths, results are signed, or the encoding does not come with arith.
        Failed: the disk is full or fails.
    """
    refuse_natural(kept.run.cell, "an export")
    if kept.run.cell.setting.task.signed:
        raise InvalidInput("an export needs unsigned results: its tokenizer has no minus sign")
    if kept.run.cell.format.vocabulary > kept.run.cell.format.end:
        raise InvalidInput("an export takes examples of digits and signs, without other tokens")
    if (own := kept.run.cell.setting.encoding.name) not in SHIPPED:
        raise InvalidInput(f"an export has the code of arith alone, and that of {own} is your own")
    if find_spec("transformers") is None:
        raise InvalidInput("an export needs the extra: pip install 'arith[hf]'")
    if folder.exists() and not (folder.is_dir() and not any(folder.iterdir())):
        raise InvalidInput(f"{folder} is there and not empty: give a new folder")
    import_module("transformers").utils.logging.disable_progress_bar()
    from arith.verify.model.huggingface_model import ArithConfig, ArithForCausalLM

    cell, size = kept.run.cell, Network.of(kept.model)
    made: dict[str, Any] = {
        "auto_map": {
            "AutoConfig": "huggingface_model.ArithConfig",
            "AutoModelForCausalLM": "huggingface_model.ArithForCausalLM",
        },
        "run": replace(kept.run, trajectory=None, predicted=None).to_json(),
    }
    net = ArithForCausalLM(ArithConfig(**exported_config(cell, size), **made))
    net.gpt.load_state_dict(kept.model.state_dict(), strict=False)  # it has no buffers
    assert net.generation_config is not None
    net.generation_config.max_new_tokens = cell.format.result_width
    words = net.config.vocabulary
    with new_folder(folder) as beside:
        net.save_pretrained(beside)
        tokenizer(cell.setting.base, words).save_pretrained(beside)
        for name, text in sources().items():
            (beside / name).write_text(text, encoding="utf-8")
        (beside / "README.md").write_text(_card(kept.run, net), encoding="utf-8")


def tokenizer(base: int, words: Sequence[str]) -> Any:
    """A tokenizer of the tokens of a base: a character each, or from base 37 on a word.

    Args:
        words: the text of every token: the digits, ``<bos>``, the signs.
    """
    from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers, processors
    from transformers import PreTrainedTokenizerFast

    signs = re.escape("".join(words[base + 1 :]))
    bos, short = words[base], len(words[base - 1]) == 1
    made = Tokenizer(models.WordLevel({word: i for i, word in enumerate(words)}))
    made.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.WhitespaceSplit(),
            pre_tokenizers.Split(Regex("." if short else f"[{signs}]"), "isolated"),
        ]
    )
    made.post_processor = processors.TemplateProcessing(
        single=f"{bos} $A", special_tokens=[(bos, base)]
    )
    names = ["input_ids", "attention_mask"]
    if short:
        made.decoder = decoders.Fuse()
    # No model writes <bos>: programs that ask for a token of the end get that, and never see it.
    return PreTrainedTokenizerFast(
        tokenizer_object=made, bos_token=bos, eos_token=bos, model_input_names=names
    )


def _card(run: Run, net: Any) -> str:
    """The page on an exported model, with one of the inputs it was trained on as an example."""
    cell, fmt = run.cell, run.cell.format
    s, words = cell.setting, net.config.vocabulary
    digits = Sampler(fmt, s.train).sample(1, np.random.default_rng(EVALUATION_SEED))
    operands, which = [int(x[0]) for x in fmt.values(digits)], {}
    right = s.task.evaluate(*operands)
    if signs := getattr(net.config, "operations", None):  # the last number says which
        which["operation"] = signs[operands.pop()]
    written = fmt.write(digits, fmt.results(digits))[0, 1 : min(fmt.result_slots)]
    last, more = "tokenizer.decode(model.generate(**asked)[0])", ""
    if s.layout.interleaved:
        last, more = "model(**asked).logits", _INTERLEAVED
    return _CARD.format(
        task=s.task.text(),
        domain=s.train.text(),
        setting=s.text(),
        premise=run.premise_text,
        rows="\n".join(
            f"| {m.digits} | {m.samples:,} | {m.correct / m.samples:.3f} |"
            for m in run.measurements
        ),
        operands=", ".join([*map(str, operands), *(f'{k}="{v}"' for k, v in which.items())]),
        answer=net.answer(*operands, **which),
        right=right,
        text=("" if len(words[fmt.base - 1]) == 1 else " ").join(words[i] for i in written),
        last=last,
        layout=s.layout.name,
        summary=s.layout.summary,
        more=more,
    )

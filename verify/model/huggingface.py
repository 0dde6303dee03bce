"""Export: a kept model as a folder that ``transformers`` loads without this package.

The code in the folder is that of this package: the file ``huggingface_model.py`` and all that it
imports, with the imports between them made relative.  ``read_export`` reads such a folder back: its
code is not run, for this package has it, and ``config.json`` says the cell.
"""

from __future__ import annotations

import json
import re
from dataclasses import replace
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import torch
from safetensors import SafetensorError, safe_open
from torch import Tensor

from arith.theory.errors import InvalidInput
from arith.theory.setting.settings import LARGEST_LAYERS
from arith.verify.model.gpt import GPT
from arith.verify.model.kept import CONFIG, WEIGHTS, KeptModel
from arith.verify.model.networks import network
from arith.verify.plan.cells import Cell, refuse_natural
from arith.verify.plan.inputs import EVALUATION_SEED
from arith.verify.plan.numerals import symbols
from arith.verify.plan.recipe import RECIPE
from arith.verify.plan.sampling import Sampler
from arith.verify.plan.sizes import Size
from arith.verify.records.files import new_folder
from arith.verify.records.reading import check
from arith.verify.records.runs import Run

MODEL_TYPE = "arith"
"""What ``config.json`` calls an exported model."""
CODE = "arith.verify.model.huggingface_model"
_WITHIN = "gpt."
"""What the names of the network's tensors begin with in an export."""
_IMPORT = re.compile(r"^from (arith\.[\w.]+\.(\w+)) import", re.MULTILINE)
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
        InvalidInput: transformers is not installed, the folder is there and not empty, or numbers
            have natural lengths.
        Failed: the disk is full or fails.
    """
    refuse_natural(kept.run.cell, "an export")
    if find_spec("transformers") is None:
        raise InvalidInput("an export needs the extra: pip install 'arith[hf]'")
    if folder.exists() and not (folder.is_dir() and not any(folder.iterdir())):
        raise InvalidInput(f"{folder} is there and not empty: give a new folder")
    import_module("transformers").utils.logging.disable_progress_bar()
    from arith.verify.model.huggingface_model import ArithConfig, ArithForCausalLM

    cell, model = kept.run.cell, kept.model
    shape = Size(len(model.blocks), model.heads, model.embedding.embedding_dim)
    made: dict[str, Any] = {
        "auto_map": {
            "AutoConfig": "huggingface_model.ArithConfig",
            "AutoModelForCausalLM": "huggingface_model.ArithForCausalLM",
        },
        "run": replace(kept.run, trajectory=None, predicted=None).to_json(),
    }
    net = ArithForCausalLM(ArithConfig(**_entries(cell, shape, model.head is None), **made))
    net.gpt.load_state_dict(kept.model.state_dict(), strict=False)  # it has no buffers
    assert net.generation_config is not None
    net.generation_config.max_new_tokens = cell.format.result_width
    with new_folder(folder) as beside:
        net.save_pretrained(beside)
        tokenizer(cell.setting.base).save_pretrained(beside)
        for name, text in sources().items():
            (beside / name).write_text(text, encoding="utf-8")
        (beside / "README.md").write_text(_card(kept.run, net), encoding="utf-8")


def _entries(cell: Cell, shape: Size, tied: bool) -> dict[str, Any]:
    """What ``config.json`` says of the network of a cell."""
    fmt = cell.format
    return {
        "num_hidden_layers": shape.layers,
        "num_attention_heads": shape.heads,
        "hidden_size": shape.width,
        "tied": tied,
        "tie_word_embeddings": False,  # there is one tensor for both, or there are two
        "vocab_size": fmt.vocabulary,
        "max_position_embeddings": len(fmt.tokens) - 1,
        "tokens": [list(vars(token).values()) for token in fmt.tokens],
        "vocabulary": symbols(fmt.base),
        "base": fmt.base,
        "encoding": cell.setting.encoding.name,
        "window": cell.setting.window,
        "starts": cell.setting.starts,
        "bos_token_id": fmt.base,
        "eos_token_id": None,
        "pad_token_id": None,
    }


def read_export(folder: Path) -> KeptModel:
    """The model of a folder that ``export`` wrote; nothing in it is run.

    Raises:
        InvalidInput: the folder is damaged, its network is not that of its cell, or its weights
            are not those of the network or no finite numbers.
    """
    path = folder / CONFIG
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        check(isinstance(data, dict), "it is no object of JSON")
        check("run" in data, "an older arith has exported it, without its run: export it again")
        run = Run.from_json(json.dumps(data["run"]))
        refuse_natural(run.cell, "an export")
        sizes = [data.get(f"num_{x}") for x in ("hidden_layers", "attention_heads")]
        sizes.append(data.get("hidden_size"))
        fine = all(type(n) is int and n > 0 for n in sizes) and sizes[0] <= LARGEST_LAYERS
        check(fine and not sizes[2] % sizes[1], "no network has its layers, heads and width")
        shape, tied = Size(*sizes), data.get("tied") is True
        for name, value in _entries(run.cell, shape, tied).items():
            check(data.get(name) == value, f"'{name}' is not that of the cell that it was made for")
    except (OSError, ValueError, RecursionError) as error:
        raise InvalidInput(f"{path}: {error}") from None

    def made() -> GPT:
        return network(run.cell, 0, replace(RECIPE, tied=tied), shape)

    with torch.device("meta"):  # nothing is as large as config.json says before the weights are
        wanted = {name: x.shape for name, x in _tensors(made()).items()}
    weights = _read_weights(folder / WEIGHTS, wanted)
    model = made()
    for name, buffer in model.named_buffers():
        if not torch.equal(buffer, weights.pop(name)):
            raise InvalidInput(f"{folder / WEIGHTS}: '{name}' is not that of the cell")
    model.load_state_dict(weights)
    return KeptModel(model.eval(), run)


def _tensors(model: GPT) -> dict[str, Tensor]:
    """The parameters of a network, and its buffers, which an export stores too."""
    return {**dict(model.named_parameters()), **dict(model.named_buffers())}


def _read_weights(path: Path, wanted: dict[str, torch.Size]) -> dict[str, Tensor]:
    """The tensors of these names and shapes, and no others, all finite (InvalidInput: not so)."""
    if not path.is_file():
        raise InvalidInput(f"there is no {path}; weights are read from safetensors alone")
    try:
        with safe_open(path, framework="pt") as file:
            names = {name.removeprefix(_WITHIN) for name in file.keys()}  # noqa: SIM118
            if names != wanted.keys() or any(
                file.get_slice(_WITHIN + name).get_shape() != list(shape)
                for name, shape in wanted.items()
            ):
                raise InvalidInput(f"{path}: the weights are not those of the model in {CONFIG}")
            found = {name: file.get_tensor(_WITHIN + name) for name in wanted}
    except (OSError, SafetensorError) as error:
        raise InvalidInput(f"{path} cannot be read: {error}") from None
    if not all(x.isfinite().all() for x in found.values()):
        raise InvalidInput(f"{path}: some weights are no finite numbers")
    return found


def sources() -> dict[str, str]:
    """The code of an export: the text of each file, by its name.

    Raises:
        RuntimeError: two modules have the same last name, and one folder has to hold both.
    """
    found: dict[str, str] = {}
    modules: dict[str, str] = {}
    waiting = [CODE]
    while waiting:
        module = waiting.pop()
        file = f"{module.rpartition('.')[2]}.py"
        if modules.setdefault(file, module) != module:
            raise RuntimeError(f"{modules[file]} and {module} would both be written to {file}")
        if file in found:
            continue
        spec = find_spec(module)
        assert spec is not None and spec.origin is not None
        text = Path(spec.origin).read_text(encoding="utf-8")
        found[file] = _IMPORT.sub(r"from .\2 import", text)
        waiting += [x for x, _ in _IMPORT.findall(text)]
    return found


def tokenizer(base: int) -> Any:
    """A tokenizer of the tokens of a base: a character each, or from base 37 on a word."""
    from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers, processors
    from transformers import PreTrainedTokenizerFast

    words = symbols(base)
    bos, short = words[base], len(words[base - 1]) == 1
    made = Tokenizer(models.WordLevel({word: i for i, word in enumerate(words)}))
    made.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.WhitespaceSplit(),
            pre_tokenizers.Split(Regex("." if short else "[+=]"), "isolated"),
        ]
    )
    made.post_processor = processors.TemplateProcessing(
        single=f"{bos} $A", special_tokens=[(bos, base)]
    )
    names = ["input_ids", "attention_mask"]
    if short:
        made.decoder = decoders.Fuse()
    return PreTrainedTokenizerFast(tokenizer_object=made, bos_token=bos, model_input_names=names)


def _card(run: Run, net: Any) -> str:
    """The page on an exported model, with one of the inputs it was trained on as an example."""
    cell, fmt = run.cell, run.cell.format
    s, words = cell.setting, symbols(fmt.base)
    digits = Sampler(fmt, s.train).sample(1, np.random.default_rng(EVALUATION_SEED))
    operands = [int(x[0]) for x in fmt.values(digits)]
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
        operands=", ".join(map(str, operands)),
        answer=net.answer(*operands),
        right=s.task.evaluate(*operands),
        text=("" if len(words[fmt.base - 1]) == 1 else " ").join(words[i] for i in written),
        last=last,
        layout=s.layout.name,
        summary=s.layout.summary,
        more=more,
    )

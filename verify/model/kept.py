"""Kept models: a trained model as a folder, its weights and what is known of it.

``model.safetensors`` has the weights.  ``config.json`` has the run as evidence has it (cell, seed,
version of the recipe, precision, premise, steps, measurements), the name of the recipe, the size of
the network, the text of every token, and a digest of all that and of the weights.

An export (``verify.model.huggingface``) is read alike: its ``config.json`` says the cell, and no
code in the folder is run.
"""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import dataclass, replace
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from msgspec import Meta
from safetensors import SafetensorError, safe_open

from arith.theory.arithmetic.tasks import is_named
from arith.theory.errors import InvalidInput
from arith.theory.transformer.layouts import BOS, EQUALS, SIGN
from arith.verify.data.numerals import symbols
from arith.verify.data.texts import signs_of
from arith.verify.plan.cells import Cell, refuse_natural
from arith.verify.plan.given import check_regular, one_line, read_bytes
from arith.verify.plan.plan import Job, Plan
from arith.verify.plan.recipe import RECIPE, Recipe
from arith.verify.plan.sizes import BY_PYTHON, LARGEST, Size
from arith.verify.records.budgets import is_wanted
from arith.verify.records.files import new_folder
from arith.verify.records.reading import Line, Positive, check, read, record
from arith.verify.records.runs import Run, read_model

if TYPE_CHECKING:  # a folder that holds no model is refused before torch is imported
    from arith.verify.model.gpt import GPT

WEIGHTS, CONFIG = "model.safetensors", "config.json"
DIGEST = "sha256"
"""The entry of ``config.json`` that holds for all others and the weights."""
CAUSAL = "causal language model"
EXPORTED, WITHIN = "arith", "gpt."
"""What ``config.json`` calls an exported model, and what the names of its tensors begin with."""
_MOST = 2**24
"""Bytes of ``config.json``."""
_LONGEST = 100
"""Characters of a folder's name before the seed; an expression may have hundreds."""


@dataclass(frozen=True)
class Network:
    """The size of a kept network, and of what its recipe decides the parts that answers rest on.

    Args:
        mlp: hidden width of the perceptrons; 0 is four times the width.
    """

    layers: Annotated[int, Meta(ge=1, le=LARGEST["layers"])]
    heads: Positive
    width: Annotated[int, Meta(ge=1, le=LARGEST["width"])]
    tied: bool
    mlp: Annotated[int, Meta(ge=0, le=LARGEST["mlp"])] = 0
    gelu: bool = False
    norm_bias: bool = True

    @classmethod
    def of(cls, model: GPT) -> Network:
        """That of a model."""
        shape, recipe = model.shape, model.recipe
        own = 0 if shape.mlp == 4 * shape.width else shape.mlp
        size = shape.layers, shape.heads, shape.width
        return cls(*size, recipe.tied, own, recipe.gelu, recipe.norm_bias)

    @property
    def shape(self) -> Size:
        """Its size."""
        return Size(self.layers, self.heads, self.width, self.mlp)

    def made(self, cell: Cell) -> GPT:
        """A network of this size for a cell."""
        from arith.verify.model.networks import network

        made = replace(RECIPE, tied=self.tied, gelu=self.gelu, norm_bias=self.norm_bias)
        return network(cell, 0, made, self.shape)


_CONFIG = record(
    Run,
    trajectory=None,
    predicted=None,
    recipe_name=Line,
    network=Network,
    vocabulary=tuple[Line, ...],
    sha256=Line | None,
)


@dataclass(frozen=True)
class KeptModel:
    """A model from its folder, and the run that made it."""

    model: GPT
    run: Run


def kept_path(folder: Path, job: Job, precision: str) -> Path:
    """Where a model is kept: ``mod_add-101-APE-aligned-D_2-pico-seed-0-`` and a hash.

    The hash is that of the whole cell, the recipe and the precision.
    """
    cell, task = job.cell, job.cell.setting.task
    modulus = task.asked_modulus if is_named(task.name) and task.asked_modulus else ""
    words = f"{task.name} {modulus} {cell.label().removeprefix(task.text())} {cell.model}"
    identity = json.dumps([cell.key, job.recipe.version, precision])
    digest = hashlib.sha256(identity.encode()).hexdigest()[:8]
    name = re.sub(r"\W+", "-", words, flags=re.ASCII).strip("-")[:_LONGEST]
    return folder / f"{name}-seed-{job.seed}-{digest}"


def keep(folder: Path, model: GPT, run: Run, recipe: Recipe) -> Path:
    """Keep a model in a folder of its own in ``folder``; that folder.

    Raises:
        InvalidInput: no folder can be there.
        Failed: the disk is full or fails.
    """
    from safetensors.torch import save_file

    cell = run.cell
    path = kept_path(folder, Job(cell, run.seed, recipe), run.precision)
    config = {
        **replace(run, trajectory=None, predicted=None).to_json(),
        "recipe_name": recipe.name,
        "network": vars(Network.of(model)),
        "vocabulary": symbols(cell.setting.base, cell.format.landmarks),
    }
    with new_folder(path) as beside:
        save_file(model.state_dict(), beside / WEIGHTS, metadata={"format": "pt"})
        config[DIGEST] = _digest(config, (beside / WEIGHTS).read_bytes())
        (beside / CONFIG).write_text(json.dumps(config, indent=1) + "\n", encoding="utf-8")
    return path


def is_kept(folder: Path, job: Job, budget: int, precision: str) -> bool:
    """Whether a model is kept that a training with this budget would not replace."""
    path = kept_path(folder, job, precision)
    try:
        run, *_ = _read_config(path)
    except InvalidInput:
        return False
    return (path / WEIGHTS).exists() and not is_wanted(run, budget)


def read_kept(folder: Path) -> KeptModel:
    """The model of a folder, kept or exported, to be asked on this machine's processor.

    Raises:
        InvalidInput: the folder holds neither, or a damaged one, or its network is not that of its
            cell.
    """
    run, size, config = _read_config(folder)
    weights, within = folder / WEIGHTS, WITHIN if _is_export(config) else ""
    model = _read_weights(weights, size, run.cell, within)
    # Kept by an earlier version, or exported, it has no digest.
    if config.get(DIGEST) not in (None, _digest(config, weights.read_bytes())):
        raise InvalidInput(f"{folder}: {WEIGHTS} or {CONFIG} was changed after it was kept")
    return KeptModel(model.eval(), run)


def _read_weights(path: Path, size: Network, cell: Cell, within: str) -> GPT:
    """The network of a cell with the weights of a file, which is not unpickled.

    Args:
        within: what the names of its tensors begin with there.

    Raises:
        InvalidInput: weights are missing, of another shape or no finite numbers, or a buffer that
            is stored beside them is not that of the network.
    """
    check_regular(path, "the weights")
    others = InvalidInput(f"{path}: the weights are not those of the model in {CONFIG}")
    try:
        with safe_open(path, "pt") as file:
            there = {n.removeprefix(within): file.get_slice(n) for n in file.keys()}  # noqa: SIM118
            # Nothing is made that is as large as the network is said to be, and the file is not.
            if sum(prod(x.get_shape()) for x in there.values()) < size.shape.in_layers:
                raise others
            model = size.made(cell)
            wanted = {n: ("F32", list(p.shape)) for n, p in model.named_parameters()}
            found = {n: (x.get_dtype(), x.get_shape()) for n, x in there.items() if n in wanted}
            if found != wanted:
                raise others
            tensors = {name: file.get_tensor(within + name) for name in wanted}
            for name, own in model.named_buffers():
                if name in there and not own.equal(file.get_tensor(within + name).to(own.dtype)):
                    raise InvalidInput(f"{path}: '{name}' is not that of the cell")
    except (OSError, SafetensorError) as error:
        raise InvalidInput(f"{path} cannot be read: {one_line(str(error))}") from None
    if not all(bool(x.isfinite().all()) for x in tensors.values()):
        raise InvalidInput(f"{path}: a weight is no finite number")
    model.load_state_dict(tensors)
    return model


def _digest(config: dict[str, Any], weights: bytes) -> str:
    """The SHA-256 of what is kept of a model."""
    told = {name: value for name, value in config.items() if name != DIGEST}
    text = json.dumps(told, sort_keys=True)
    return hashlib.sha256(text.encode() + b"\n" + weights).hexdigest()


def _read_config(folder: Path) -> tuple[Run, Network, dict[str, Any]]:
    """The run and the network of a kept model, and all that is told of it (InvalidInput)."""
    path = folder / CONFIG
    if not path.is_file():
        inside = sorted(x.parent for x in folder.glob(f"*/{CONFIG}"))
        hint = f"; it has models in it, give one of them: {inside[0]}" if inside else ""
        hint = hint or " (arith verify --keep-models DIR makes them)"
        raise InvalidInput(f"{folder} is no kept model{hint}")
    text = read_bytes(path, "the model", _MOST)
    try:
        config = read(dict[str, Any], text)
        if _is_export(config):
            check(
                "run" in config, "an older arith has exported it, without its run: export it again"
            )
            run = Run.from_json(json.dumps(config["run"]))
            refuse_natural(run.cell, "an export")
            sizes = {name: config.get(entry) for name, entry in _SIZES.items()}
            sizes |= {n: config[entry] for n, (entry, _) in _UNUSUAL.items() if entry in config}
            size = read(Network, {**sizes, "tied": config.get("tied") is True})
        else:
            values = read_model(_CONFIG, text).values()
            names = ("recipe_name", "network", "vocabulary", DIGEST)
            _, size, vocabulary, _ = (values.pop(name) for name in names)
            run = Run(**values)
            run.check()
            known = list(vocabulary) == symbols(run.cell.setting.base, run.cell.format.landmarks)
            check(known, "vocabulary: not that of the cell")
            Plan([run.cell], run.seed)  # refuses what cannot have been trained
        check(size.width % size.heads == 0, "network: no such size")
        if _is_export(config):
            for name, value in exported_config(run.cell, size).items():
                check(
                    config.get(name) == value,
                    f"'{name}' is not that of the cell that it was made for",
                )
        return run, size, config
    except InvalidInput as error:
        raise InvalidInput(f"{path}: {error}") from None


def read_config(path: Path) -> dict[str, Any]:
    """What the ``config.json`` of a model's directory says.

    Raises:
        InvalidInput: there is no such directory, or no such file in it, or a damaged one.
    """
    if path.is_file():
        raise InvalidInput(
            f"{path} is a file: a model is read from a folder of Hugging Face; any other is judged "
            f"in Python, {BY_PYTHON}"
        )
    if not path.is_dir():
        raise InvalidInput(
            f"there is no folder {path}: a model is read from a directory, and none is fetched"
        )
    if not (path / CONFIG).is_file():
        raise InvalidInput(f"{path} holds no {CAUSAL}: it has no {CONFIG}")
    try:
        data = json.loads((path / CONFIG).read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise InvalidInput(f"{path} holds no {CAUSAL}: {CONFIG}: {error}") from None
    if not isinstance(data, dict):
        raise InvalidInput(f"{path} holds no {CAUSAL}: {CONFIG} is no object of JSON")
    return data


def is_export(path: Path) -> bool:
    """Whether a model's directory is one that ``arith export`` has written (InvalidInput: none)."""
    return _is_export(read_config(path))


def _is_export(config: dict[str, Any]) -> bool:
    return config.get("model_type") == EXPORTED


_SIZES = {"layers": "num_hidden_layers", "heads": "num_attention_heads", "width": "hidden_size"}
"""What ``config.json`` of an export calls the sizes of a network."""
_UNUSUAL = {
    "mlp": ("intermediate_size", 0),
    "gelu": ("gelu", False),
    "norm_bias": ("norm_bias", True),
}
"""What is written only where it is not as usual: its name there, and the usual value."""


def exported_config(cell: Cell, size: Network) -> dict[str, Any]:
    """What ``config.json`` of an export says of the network of a cell."""
    fmt, task = cell.format, cell.setting.task
    signs = signs_of(task) if len(task.operations) > 1 else [SIGN]
    return {
        **{entry: getattr(size, name) for name, entry in _SIZES.items()},
        **{e: getattr(size, n) for n, (e, usual) in _UNUSUAL.items() if getattr(size, n) != usual},
        "tied": size.tied,
        "tie_word_embeddings": False,  # there is one tensor for both, or there are two
        "vocab_size": fmt.vocabulary,
        "max_position_embeddings": len(fmt.tokens),
        "tokens": [[x.kind, x.position, x.operand, x.symbol] for x in fmt.tokens],
        "vocabulary": symbols(fmt.base, (BOS, *signs, EQUALS)),
        **({"operations": signs} if len(signs) > 1 else {}),
        "base": fmt.base,
        "encoding": cell.setting.encoding.name,
        "window": cell.setting.window,
        "starts": cell.setting.starts,
        "bos_token_id": fmt.base,
        "eos_token_id": None,
        "pad_token_id": None,
    }

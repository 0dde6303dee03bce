"""Kept models: a trained model as a folder, its weights and what is known of it.

``model.safetensors`` has the weights.  ``config.json`` has the run as evidence has it (cell, seed,
version of the recipe, precision, premise, steps, measurements), the name of the recipe, the size of
the network, the text of every token, and a digest of all that and of the weights.
"""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any

import torch
from msgspec import Meta
from safetensors import SafetensorError, safe_open
from safetensors.torch import load_file, save_file

from arith.theory.errors import InvalidInput
from arith.theory.setting.settings import LARGEST_LAYERS
from arith.theory.setting.tasks import TASKS
from arith.verify.model.gpt import GPT
from arith.verify.model.networks import network
from arith.verify.plan.given import check_regular, one_line, read_bytes
from arith.verify.plan.numerals import symbols
from arith.verify.plan.plan import Job, Plan
from arith.verify.plan.recipe import RECIPE, Recipe
from arith.verify.plan.sizes import Size
from arith.verify.records.budgets import is_wanted
from arith.verify.records.files import new_folder
from arith.verify.records.reading import Line, Positive, check, record
from arith.verify.records.runs import Run, read_model

WEIGHTS, CONFIG = "model.safetensors", "config.json"
DIGEST = "sha256"
"""The entry of ``config.json`` that holds for all others and the weights."""
_MOST = 2**24
"""Bytes of ``config.json``."""
_LONGEST = 100
"""Characters of a folder's name before the seed; an expression may have hundreds."""


@dataclass(frozen=True)
class Network:
    """The size of a kept network, and whether its head is its embedding."""

    layers: Annotated[int, Meta(ge=1, le=LARGEST_LAYERS)]
    heads: Positive
    width: Annotated[int, Meta(ge=1, le=10_000)]
    tied: bool


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
    modulus = task.modulus if task.name in TASKS and task.modulus else ""
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
    cell = run.cell
    path = kept_path(folder, Job(cell, run.seed, recipe), run.precision)
    blocks = len(model.blocks)
    width = model.embedding.embedding_dim
    size = {"layers": blocks, "heads": model.heads, "width": width, "tied": recipe.tied}
    config = {
        **replace(run, trajectory=None, predicted=None).to_json(),
        "recipe_name": recipe.name,
        "network": size,
        "vocabulary": symbols(cell.setting.base),
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
    """The model of a folder, to be asked on this machine's processor.

    Raises:
        InvalidInput: the folder holds no kept model, or a damaged one.
    """
    run, size, config = _read_config(folder)
    weights = folder / WEIGHTS
    check_regular(weights, "the weights")
    shape = Size(size.layers, size.heads, size.width)

    def made(device: str) -> GPT:
        with torch.device(device):
            return network(run.cell, run.seed, replace(RECIPE, tied=size.tied), shape)

    try:
        # A network without memory for its weights: they may be none of it.
        wanted = {n: ("F32", list(x.shape)) for n, x in made("meta").state_dict().items()}
        with safe_open(weights, "pt") as file:
            slices = {name: file.get_slice(name) for name in file.keys()}  # noqa: SIM118
            found = {n: (x.get_dtype(), x.get_shape()) for n, x in slices.items()}
        if found != wanted:
            raise InvalidInput(f"{folder}: the weights are not those of the model in {CONFIG}")
        # Kept by an earlier version, it has no digest.
        if config.get(DIGEST) not in (None, _digest(config, weights.read_bytes())):
            raise InvalidInput(f"{folder}: {WEIGHTS} or {CONFIG} was changed after it was kept")
        tensors = load_file(weights)
    except (OSError, SafetensorError) as error:
        raise InvalidInput(f"{weights} cannot be read: {one_line(str(error))}") from None
    if not all(bool(x.isfinite().all()) for x in tensors.values()):
        raise InvalidInput(f"{weights}: a weight is no finite number")
    model = made("cpu")
    model.load_state_dict(tensors)
    return KeptModel(model.eval(), run)


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
        values = read_model(_CONFIG, text).values()
        ours = {name: values.pop(name) for name in ("recipe_name", "network", "vocabulary", DIGEST)}
        size, run = ours["network"], Run(**values)
        run.check()
        check(size.width % size.heads == 0, "network: no such size")
        known = list(ours["vocabulary"]) == symbols(run.cell.setting.base)
        check(known, "vocabulary: not that of the cell")
        Plan([run.cell], run.seed)  # refuses what cannot have been trained
        return run, size, json.loads(text)
    except InvalidInput as error:
        raise InvalidInput(f"{path}: {error}") from None

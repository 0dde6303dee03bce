"""Kept models: a trained model as a folder, its weights and what is known of it.

``model.safetensors`` has the weights.  ``config.json`` has the run as evidence has it (cell, seed,
version of the recipe, precision, premise, steps, measurements), the name of the recipe, the size of
the network, and the text of every token.
"""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from safetensors import SafetensorError
from safetensors.torch import load_file, save_file

from arith.theory.errors import InvalidInput
from arith.theory.setting.tasks import TASKS
from arith.verify.model.gpt import GPT
from arith.verify.model.networks import network
from arith.verify.plan.numerals import symbols
from arith.verify.plan.plan import Job
from arith.verify.plan.recipe import RECIPE, Recipe
from arith.verify.plan.sizes import Size
from arith.verify.records.budgets import is_wanted
from arith.verify.records.files import new_folder
from arith.verify.records.reading import check, check_fields
from arith.verify.records.runs import Run

WEIGHTS, CONFIG = "model.safetensors", "config.json"
_OURS = ("recipe_name", "network", "vocabulary")
"""The entries of ``config.json`` that a run does not have."""
_LONGEST = 100
"""Characters of a folder's name before the seed; an expression may have hundreds."""


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
        (beside / CONFIG).write_text(json.dumps(config, indent=1) + "\n", encoding="utf-8")
    return path


def is_kept(folder: Path, job: Job, budget: int, precision: str) -> bool:
    """Whether a model is kept that a training with this budget would not replace."""
    path = kept_path(folder, job, precision)
    try:
        run, _ = _read_config(path)
    except InvalidInput:
        return False
    return (path / WEIGHTS).exists() and not is_wanted(run, budget)


def read_kept(folder: Path) -> KeptModel:
    """The model of a folder, to be asked on this machine's processor.

    Raises:
        InvalidInput: the folder holds no kept model, or a damaged one.
    """
    run, size = _read_config(folder)
    shape = Size(size["layers"], size["heads"], size["width"])
    try:
        model = network(run.cell, run.seed, replace(RECIPE, tied=size["tied"]), shape)
        model.load_state_dict(load_file(folder / WEIGHTS))
    except (OSError, SafetensorError) as error:
        raise InvalidInput(f"{folder / WEIGHTS} cannot be read: {error}") from None
    except RuntimeError:
        raise InvalidInput(
            f"{folder}: the weights are not those of the model in {CONFIG}"
        ) from None
    return KeptModel(model.eval(), run)


def _read_config(folder: Path) -> tuple[Run, dict[str, Any]]:
    """The run and the size of the network of a kept model (InvalidInput: it is none)."""
    path = folder / CONFIG
    if not path.is_file():
        inside = sorted(x.parent for x in folder.glob(f"*/{CONFIG}"))
        hint = f"; it has models in it, give one of them: {inside[0]}" if inside else ""
        hint = hint or " (arith verify --keep-models DIR makes them)"
        raise InvalidInput(f"{folder} is no kept model{hint}")
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        check(isinstance(data, dict) and all(x in data for x in _OURS), "it is of another program")
        size = data["network"]
        check_fields(size, {"layers", "heads", "width", "tied"})
        check(isinstance(size["tied"], bool), "tied must be true or false")
        sizes = [size[name] for name in ("layers", "heads", "width")]
        fine = all(type(n) is int and 0 < n <= 10**4 for n in sizes) and not sizes[2] % sizes[1]
        check(fine, "network: no such size")
        return Run.from_json({k: v for k, v in data.items() if k not in _OURS}), size
    except (OSError, ValueError, RecursionError) as error:
        raise InvalidInput(f"{path}: {error}") from None

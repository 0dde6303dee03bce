"""Cells: what is trained and measured.  A cell is a setting of the theory and a model size."""

from __future__ import annotations

import json
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from theory.setting.domains import Domain
from theory.setting.encodings import encoding
from theory.setting.expressions import parse_task
from theory.setting.layouts import layout
from theory.setting.settings import Setting
from theory.setting.tasks import TASKS, Task, named_task
from verify.plan.recipe import DEFAULT_BUDGET
from verify.plan.sequences import Format
from verify.plan.sizes import size


@dataclass(frozen=True)
class Cell:
    """A setting and the model that is trained on it.

    Raises:
        InvalidInput: an unknown model size.
    """

    setting: Setting
    model: str

    def __post_init__(self) -> None:
        size(self.model)

    @property
    def format(self) -> Format:
        """How the cell's examples are written."""
        s = self.setting
        return Format(s.task, s.base, s.layout, s.digits)

    @property
    def key(self) -> str:
        """The cell as one line of JSON: equal cells, and only they, have equal keys."""
        return json.dumps(self.to_json(), sort_keys=True)

    def label(self) -> str:
        """The cell in a few words, for tables and progress."""
        s = self.setting
        window = f" W={s.window}" if s.window else ""
        base = "" if s.base == 10 else f" base {s.base}"
        return (
            f"{s.task.text()} · {s.encoding.name.upper()} · {s.layout.name}{window} · "
            f"{s.train.text()}{base}"
        )

    def to_json(self) -> dict[str, Any]:
        """The cell as plain values (see ``from_json``)."""
        s = self.setting
        return {
            "task": s.task.name,
            "modulus": s.task.modulus,
            "base": s.base,
            "pe": s.encoding.name,
            "layout": s.layout.name,
            "window": s.window,
            "train_digits": list(s.train.lengths),
            "train_domain": s.train.kind,
            "test_digits": list(s.test_lengths),
            "test_domain": s.test_kind,
            "model": self.model,
            **_extras(s.train),
        }

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Cell:
        """The cell that ``to_json`` wrote.

        Raises:
            InvalidInput: a value that no cell can have.
            KeyError: a value that is missing.
        """
        setting = Setting(
            read_task(data["task"], data["modulus"]),
            data["base"],
            encoding(data["pe"]),
            layout(data["layout"]),
            _domain(data),
            data["window"],
            tuple(data["test_digits"]),
            data["test_domain"],
        )
        return cls(setting, data["model"])

    def command(
        self, seed: int, budget: int = DEFAULT_BUDGET, seeds: int = 1, precision: str = "auto"
    ) -> str:
        """The command that trains and judges this cell with some seeds, of which one is the first."""
        s = self.setting
        name = s.task.name
        parts = ["arith verify", f"--task {name}" if name in TASKS else f'--expr "{name}"']
        parts += [f"--modulus {s.task.modulus}"] if name in TASKS and s.task.modulus else []
        parts += [f"--base {s.base}"] if s.base != 10 else []
        parts += [f"--pe {s.encoding.name}", f"--layout {s.layout.name}"]
        parts += [f"--window {s.window}"] if s.window else []
        parts += [f"--train-digits {'+'.join(map(str, s.train.lengths))}"]
        parts += [f"--train-domain {s.train.kind}"] if s.train.kind != "longest" else []
        for n, share in s.train.priming:
            parts.append(f"--train-priming {n}:{share}")
        for i, digits in s.train.allowed:
            parts.append(f"--train-allowed {i}:{','.join(map(str, digits))}")
        parts += [f"--train-pairs {s.train.pairs}"] if s.train.pairs is not None else []
        parts += [f"--test-digits {','.join(map(str, s.test_lengths))}"]
        parts += [f"--test-domain {s.test_kind}"] if s.test_kind != "longest" else []
        parts += [f"--model {self.model}", f"--first-seed {seed}"]
        parts += [f"--seeds {seeds}"] if seeds != 1 else []
        parts += [f"--budget {budget}"] if budget != DEFAULT_BUDGET else []
        parts += [f"--precision {precision}"] if precision != "auto" else []
        return " ".join(parts)


def _extras(train: Domain) -> dict[str, Any]:
    """Priming, allowed digits and a limit, only where there are any."""
    data: dict[str, Any] = {}
    if train.priming:
        data["train_priming"] = {str(n): str(share) for n, share in train.priming}
    if train.allowed:
        data["train_allowed"] = {str(i): list(digits) for i, digits in train.allowed}
    if train.pairs is not None:
        data["train_pairs"] = train.pairs
    return data


def _domain(data: dict[str, Any]) -> Domain:
    priming = data.get("train_priming", {})
    allowed = data.get("train_allowed", {})
    return Domain(
        tuple(data["train_digits"]),
        data["train_domain"],
        tuple((int(n), Fraction(share)) for n, share in priming.items()),
        tuple((int(i), tuple(digits)) for i, digits in allowed.items()),
        data.get("train_pairs"),
    )


def read_task(name: str, modulus: int | None) -> Task:
    """A task of the table, or one written as an expression (which holds its own modulus)."""
    if name in TASKS:
        return named_task(name, modulus)
    task = parse_task(name)
    return task if task.modulus == modulus else parse_task(name, modulus)


def default_model(task: Task) -> str:
    """The smallest size seen to converge: products need the width."""
    return "pico" if task.is_linear else "wide"

"""Published findings on length generalization in arithmetic, as ``literature.toml`` gives them."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from importlib import resources
from typing import Any

from arith.theory.errors import InvalidInput
from arith.theory.setting.domains import Domain
from arith.theory.setting.encodings import encoding
from arith.theory.setting.layouts import STARTS, layout
from arith.theory.setting.requests import LARGEST_TEST, read_lengths
from arith.theory.setting.settings import Setting
from arith.theory.setting.tasks import named_task

TOLERANCE = 0.05
"""How far a reported accuracy may be from the predicted one, as for our own measurements.

The premise lets a model be wrong on 1 % of its training domain; longer inputs ask for more of it.
"""


class Result(StrEnum):
    """What was reported of inputs longer than the trained ones, worst first."""

    FAILS = "fails"
    PARTIAL = "partial"
    EXTENDS = "extends"


@dataclass(frozen=True)
class Paper:
    """Where a finding was published."""

    authors: str
    title: str
    year: int
    arxiv: str

    @property
    def citation(self) -> str:
        """``Xu et al. 2024, Principled Understanding of Generalization, arXiv 2407.17963``."""
        return f"{self.authors} {self.year}, {self.title}, arXiv {self.arxiv}"


@dataclass(frozen=True)
class Finding:
    """One published result: a setting, what was seen in it, and where that was checked.

    The head of ``literature.toml`` says what the fields mean.

    Raises:
        InvalidInput: neither an outcome nor an accuracy for each test length, or both.
    """

    id: str
    paper: Paper
    task: str
    encoding: str
    layout: str
    train: tuple[int, ...]
    train_domain: str
    test: tuple[int, ...]
    test_domain: str
    padding: str
    architecture: str
    checked: str
    modulus: int | None = None
    base: int = 10
    width: int = 0
    starts: int = 0
    layers: int = 0
    model: str = ""
    aids: tuple[str, ...] = ()
    converged: bool = True
    why: str = ""
    against: str = "truth"
    accuracy: tuple[float, ...] = ()
    outcome: str = ""
    figure: str = ""
    led: str = ""
    note: str = ""

    def __post_init__(self) -> None:
        expected = 0 if self.outcome else len(self.test)
        if len(self.accuracy) != expected or not (self.accuracy or self.outcome):
            raise InvalidInput(f"'{self.id}' needs an outcome, or an accuracy per test length")

    def setting(self) -> Setting:
        """The setting, as the predictor takes it.

        Raises:
            InvalidInput: it is not in our tables, or its numbers start at random, and from how many
                starts is not known.

        Operands that are padded to the longest of their example are natural ones of one length.
        """
        kinds = (self.train_domain, self.test_domain)
        train_kind, test_kind = ("every", "every") if self.padding == "longer" else kinds
        setting = Setting(
            named_task(self.task, self.modulus),
            self.base,
            encoding(self.encoding),
            layout(self.layout),
            Domain(self.train, train_kind),
            test_lengths=self.test,
            test_kind=test_kind,
            width=self.width,
            layers=self.layers,
            padding="fixed" if self.padding == "fixed" else "none",
            starts=self.starts or STARTS,
        )
        if setting.random_starts and not self.starts:
            raise InvalidInput("from how many starts its training drew is not known")
        return setting

    @property
    def result(self) -> Result:
        """What was reported above the trained lengths."""
        if self.outcome:
            return Result(self.outcome)
        longer = [a for n, a in zip(self.test, self.accuracy, strict=True) if n > max(self.train)]
        return result_of([a / 100 for a in longer])


def result_of(accuracies: list[float]) -> Result:
    """Accuracies, each a share of 1, in a word."""
    if all(a >= 1 - TOLERANCE for a in accuracies):
        return Result.EXTENDS
    return Result.FAILS if all(a <= TOLERANCE for a in accuracies) else Result.PARTIAL


@cache
def findings() -> tuple[Finding, ...]:
    """Every finding, in the order of the file (InvalidInput: a row that makes no sense)."""
    text = resources.files("arith.theory.studies").joinpath("literature.toml").read_text("utf-8")
    data = tomllib.loads(text)
    found: list[Finding] = []
    rows: dict[str, dict[str, Any]] = {}
    for given in data["finding"]:
        row = {**rows.get(given.pop("like", ""), {}), **given}
        rows[row["id"]] = row
        found.append(_finding(**data["paper"][row["paper"]], row=row))
    return tuple(found)


def _finding(setting: dict[str, Any], row: dict[str, Any], **paper: Any) -> Finding:
    fields = {key.replace("-", "_"): value for key, value in {**setting, **row}.items()}
    fields["paper"] = Paper(**paper)
    for key in ("train", "test"):
        fields[key] = read_lengths(fields[key], key, LARGEST_TEST) if fields[key] else ()
    for key in ("aids", "accuracy"):
        fields[key] = tuple(fields.get(key, ()))
    return Finding(**fields)

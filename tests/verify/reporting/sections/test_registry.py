"""The sections of a report: a new one is a function and its place in a list, and nothing else."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from builders.paths import ROOT

from arith.verify.reporting.blocks import Block, Heading
from arith.verify.reporting.page import page
from arith.verify.reporting.report import Report
from arith.verify.reporting.sections import SECTIONS, agreement, sections


def test_a_new_section_is_one_function(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def brand_new(report: Report) -> list[Block]:
        return [Heading(f"A new section on {report.name}")]

    report = Report("smoke", [], tmp_path)
    place = SECTIONS.index(agreement.theorems_and_rules)
    monkeypatch.setattr(
        "arith.verify.reporting.sections.SECTIONS",
        [*SECTIONS[:place], brand_new, *SECTIONS[place:]],
    )
    assert "\n\n## A new section on smoke\n\n## Theorems and rules\n" in page(report)


def test_sections_with_nothing_to_say_are_left_out(tmp_path: Path) -> None:
    first, *rest = sections(Report("none", [], tmp_path))
    assert first == Heading("Theorems and rules")
    assert not any(isinstance(block, Heading) for block in rest)
    assert list(tmp_path.iterdir()) == []


def test_every_text_is_on_some_page() -> None:
    folder = ROOT / "verify" / "reporting"
    code = "".join(path.read_text() for path in folder.rglob("*.py"))
    names = tomllib.loads((folder / "texts.toml").read_text("utf-8"))
    assert [name for name in names if f'"{name}"' not in code] == []

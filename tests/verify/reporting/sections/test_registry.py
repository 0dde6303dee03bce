"""The sections of a report: a new one is a new file in their folder, and nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest

from arith.verify.reporting import sections
from arith.verify.reporting.page import page
from arith.verify.reporting.report import Report


def test_a_new_section_is_one_new_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = (
        'ORDER = 15\n\n\ndef section(report):\n    return [f"## A new section on {report.name}"]\n'
    )
    (tmp_path / "brand_new.py").write_text(text)
    report = Report("smoke", [], tmp_path)
    assert "## A new section" not in page(report)
    monkeypatch.setattr(sections, "__path__", [*sections.__path__, str(tmp_path)])
    assert "\n\n## A new section on smoke\n\n## Theorems and rules\n" in page(report)


def test_sections_with_nothing_to_say_are_left_out(tmp_path: Path) -> None:
    first, *rest = sections.sections(Report("none", [], tmp_path))
    assert first == "## Theorems and rules" and not any(text.startswith("## ") for text in rest)
    assert list(tmp_path.iterdir()) == []

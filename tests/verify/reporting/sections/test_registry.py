"""The sections of a report: a new one is a new file in their folder, and nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest

from arith.verify.reporting import sections
from arith.verify.reporting.blocks import Heading
from arith.verify.reporting.page import page
from arith.verify.reporting.report import Report


def test_a_new_section_is_one_new_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = (
        "from arith.verify.reporting.blocks import Heading\n\nORDER = 15\n\n\n"
        'def section(report):\n    return [Heading(f"A new section on {report.name}")]\n'
    )
    (tmp_path / "brand_new.py").write_text(text)
    report = Report("smoke", [], tmp_path)
    assert "## A new section" not in page(report)
    monkeypatch.setattr(sections, "__path__", [*sections.__path__, str(tmp_path)])
    assert "\n\n## A new section on smoke\n\n## Theorems and rules\n" in page(report)


def test_sections_with_nothing_to_say_are_left_out(tmp_path: Path) -> None:
    first, *rest = sections.sections(Report("none", [], tmp_path))
    assert first == Heading("Theorems and rules")
    assert not any(isinstance(block, Heading) for block in rest)
    assert list(tmp_path.iterdir()) == []

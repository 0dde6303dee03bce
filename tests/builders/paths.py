"""Where the project and its committed evidence are."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).parents[2]
REPORTS = ROOT / "reports"
HEADLINE_EVIDENCE = REPORTS / "headline" / "evidence.jsonl"

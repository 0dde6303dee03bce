"""Shared by all tests: the folder of the theory's strategies is importable."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "theory"))

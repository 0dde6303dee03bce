"""The command ``arith`` as ``python -m arith``."""

from __future__ import annotations

from arith.cli import main

if __name__ == "__main__":
    main()

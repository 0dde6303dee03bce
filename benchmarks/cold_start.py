"""The cold start of the command: processor time from nothing, against importing SymPy.

``python -m benchmarks.cold_start`` ends with 1 where a command takes over ``MOST`` times as long.
"""

from __future__ import annotations

import resource
import shutil
import subprocess
import sys
import sysconfig
from functools import partial

from benchmarks.measuring import Table, in_turns, ratio, spread

COMMANDS = (
    "arith predict --task mod_add --modulus 101",
    "arith predict --task mod_mul --modulus 125 --pe ape --json",
    "arith tasks",
    "arith --help",
    "arith --version",
)
SYMPY = 'python -c "import sympy"'
MOST = 1.6
"""What a command may take, against the import, by the median of the pairs."""


def tables(quick: bool, device: str) -> list[Table]:
    """Each command in turns with the import."""
    rounds = 2 if quick else 7
    arith = shutil.which("arith", path=sysconfig.get_path("scripts")) or "arith"
    sides = {command: partial(_run, arith, *command.split()[1:]) for command in COMMANDS}
    sides[SYMPY] = partial(_run, sys.executable, "-c", "import sympy")
    seconds = in_turns(sides, rounds, clock=_processor_time)
    rows = [
        {"command": name, "seconds": spread(values), "ratio": ratio(values, seconds[SYMPY])}
        for name, values in seconds.items()
    ]
    note = f"Processor time of {rounds} runs each, in turns. Ratios are medians over the pairs."
    return [Table("Cold start", rows, note)]


def main() -> None:
    """Print the table, and end with 1 if a ratio is too large."""
    [table] = tables(quick=False, device="cpu")
    print(table.markdown())
    sys.exit(max(row["ratio"].median for row in table.rows) > MOST)


def _run(*command: str) -> None:
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


def _processor_time() -> float:
    """Of the processes that were started and have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    main()

"""Cells drawn at random, so that nobody chose them: the grid in ``drawn``.

``python -m arith.verify.plan.draw`` prints it anew.  A theory that is only tried where somebody
thought it interesting may owe its score to that choice; on a random sample it owes it to nothing.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict
from itertools import islice
from typing import Any

from arith.theory.arithmetic.decision import Decision
from arith.theory.errors import InvalidInput
from arith.theory.learning.leap_complexity import leaps
from arith.verify.plan.cells import CellRequest
from arith.verify.plan.grids import GRIDS, grid
from arith.verify.plan.inputs import held_out_count

NUMBER = 1000
SEED = 17963
FEWEST = 100
"""Inputs that have to be held out: with fewer the premise would rest on a handful."""
_BASES = (4, 5, 6, 7, 8, 9, 11, 12)
_ENCODINGS = (
    "ape",
    "shifted",
    "randomized",
    "sinusoidal",
    "rpe",
    "t5",
    "rope",
    "alibi",
    "fire",
    "randomized-fire",
    "abacus",
    "coupled",
    "nope",
)
"""Those that there were when the file was drawn."""
_LAYOUTS = ("plain", "reversed", "aligned", "interleaved", "bare")
_TRAINED = ("2", "3", "1+2", "2+3")
_LONGEST_NATURAL = 4
_HEADER = """\
# {number} cells drawn at random with seed {seed}, by python -m arith.verify.plan.draw.
# In the order in which they were drawn: the first n are a random sample too.
cell = ["""


def drawn(seed: int = SEED) -> Iterator[CellRequest]:
    """Cells without end, each once.

    Left out is what no model can be asked about: settings that make no sense, domains with fewer
    than ``FEWEST`` inputs to hold out, and tasks that are not known to be learned soon (see
    ``theory.learning.leap_complexity``).  So are the cells of other grids, which are no news.
    """
    rng = random.Random(seed)
    seen = {cell for name in GRIDS if name != "drawn" for cell in grid(name)}
    while True:
        asked = _request(rng)
        with suppress(InvalidInput):
            cell = asked.cell()
            soon = leaps(cell.setting.task, asked.base, cell.setting.train) is Decision.NO
            if cell not in seen and soon and held_out_count(cell) >= FEWEST:
                seen.add(cell)
                yield asked


def _request(rng: random.Random) -> CellRequest:
    """Any cell of a grid; it may make no sense."""
    base = rng.choice((10, rng.choice(_BASES)))
    natural = rng.random() < 1 / 4
    train = f"1-{_LONGEST_NATURAL}" if natural else rng.choice(_TRAINED)
    longest = int(train[-1])
    more: dict[str, Any] = {}
    layout = rng.choice(_LAYOUTS)
    if layout == "interleaved" and rng.random() < 1 / 2:
        more["window"] = rng.randint(4, 9)
    if natural:
        more["padding"] = "none"
    elif rng.random() < 1 / 4:
        more["train_domain"] = "every"
    return CellRequest(
        **_task(rng, base),
        **more,
        base=base,
        pe=rng.choice(("ape", rng.choice(_ENCODINGS))),
        layout=layout,
        train_digits=train,
        test_digits=f"1-{longest + 2}",
    )


def _task(rng: random.Random, base: int) -> dict[str, Any]:
    """A named task, a linear form over the integers or under a modulus."""
    a, b, c, sign = rng.randint(1, 9), rng.randint(1, 9), rng.randint(0, 9), rng.choice("+-")
    modulus = rng.choice((_divisor(rng, base), rng.randint(2, base**2)))
    form = f"{a}*a {sign} {b}*b + {c}"
    return rng.choice(
        (
            {"task": "add"},
            {"task": "sub"},
            {"task": "multi_add"},
            {"task": "mul"},
            {"expr": f"{a}*a + {b}*b + {c}"},
            {"expr": f"({form}) % {modulus}"},
            {"task": "mod_add", "modulus": modulus},
            {"task": "mod_sub", "modulus": modulus},
            {"task": "mod_mul", "modulus": modulus},
        )
    )


def _divisor(rng: random.Random, base: int) -> int:
    """Above 1, of the base's second power: the higher digits do not matter."""
    return rng.choice([p for p in range(2, base**2 + 1) if base**2 % p == 0])


def _table(asked: CellRequest) -> str:
    """A cell as a TOML table: what differs from the defaults, and the encoding."""
    usual = asdict(CellRequest())
    words = {k: v for k, v in asdict(asked).items() if v != usual[k] or k == "pe"}
    each = (f"{k.replace('_', '-')} = {v!r}".replace("'", '"') for k, v in words.items())
    return f"  {{ {', '.join(each)} }},"


if __name__ == "__main__":
    print(_HEADER.format(number=NUMBER, seed=SEED))
    for each in islice(drawn(), NUMBER):
        print(_table(each), flush=True)
    print("]")

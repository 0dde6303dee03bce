"""Grids that are drawn at random, so that nobody chose their cells: see ``DRAWS``.

``python -m arith.verify.plan.draw NAME`` prints one anew.  ``frozen`` takes the commit of the code
that it tests: its hash is the seed, so that nobody could know the cells before.  A theory that is
only tried where somebody thought it interesting may owe its score to that choice; on a random
sample it owes it to nothing.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass
from itertools import islice
from typing import Any

from arith.theory.arithmetic.decision import Decision
from arith.theory.errors import InvalidInput
from arith.theory.learning.leap_complexity import leaps
from arith.verify.plan.cells import Cell, CellRequest
from arith.verify.plan.grids import GRIDS, grid
from arith.verify.plan.inputs import held_out_count

FEWEST = 100
"""Inputs that have to be held out: with fewer the premise would rest on a handful."""
Words = dict[str, Any]
"""The options of a cell."""


@dataclass(frozen=True)
class Stratum:
    """A part of a grid, drawn by itself.

    Args:
        about: what its cells have in common.
        number: how many there are.
        request: draws any cell; it may make no sense.
        soon: whether those are left out that are not known to be learned soon (see
            ``theory.learning.leap_complexity``).
    """

    about: str
    number: int
    request: Callable[[random.Random], Words]
    soon: bool = True


@dataclass(frozen=True)
class Draw:
    """A grid that is drawn: a seed, its parts in their order, and how it is trained.

    Args:
        seed: None where it is the hash of a commit.
        about: what it is for.
    """

    seed: int | None
    strata: tuple[Stratum, ...]
    about: str = ""
    recipe: str = ""

    @property
    def number(self) -> int:
        """How many cells it has."""
        return sum(x.number for x in self.strata)


def drawn(name: str, seed: int | None = None) -> Iterator[CellRequest]:
    """The cells of a drawn grid, each once.

    Left out is what no model can be asked about: settings that make no sense, and domains with
    fewer than ``FEWEST`` inputs to hold out.  So are the cells of other grids, which are no news.

    Args:
        seed: in place of its own.
    """
    draw = DRAWS[name]
    rng = random.Random(draw.seed if seed is None else seed)
    seen = {cell for other in GRIDS if other != name for cell in grid(other)}
    for stratum in draw.strata:
        yield from islice(_of_stratum(stratum, rng, seen), stratum.number)


def _of_stratum(stratum: Stratum, rng: random.Random, seen: set[Cell]) -> Iterator[CellRequest]:
    while True:
        asked = CellRequest(**stratum.request(rng))
        with suppress(InvalidInput):
            cell = asked.cell()
            fine = cell not in seen and held_out_count(cell) >= FEWEST
            if fine and (not stratum.soon or _is_learned_soon(cell)):
                seen.add(cell)
                yield asked


def _is_learned_soon(cell: Cell) -> bool:
    s = cell.setting
    return all(leaps(task, s.base, s.train) is Decision.NO for task in s.task.operations)


# --- drawn ---------------------------------------------------------------------------------------

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


def _any(rng: random.Random) -> Words:
    """Any cell of a grid."""
    base = rng.choice((10, rng.choice(_BASES)))
    natural = rng.random() < 1 / 4
    train = f"1-{_LONGEST_NATURAL}" if natural else rng.choice(_TRAINED)
    longest = int(train[-1])
    more: Words = {}
    layout = rng.choice(_LAYOUTS)
    if layout == "interleaved" and rng.random() < 1 / 2:
        more["window"] = rng.randint(4, 9)
    if natural:
        more["padding"] = "none"
    elif rng.random() < 1 / 4:
        more["train_domain"] = "every"
    return {
        **_task(rng, base),
        **more,
        "base": base,
        "pe": rng.choice(("ape", rng.choice(_ENCODINGS))),
        "layout": layout,
        "train_digits": train,
        "test_digits": f"1-{longest + 2}",
    }


def _task(rng: random.Random, base: int) -> Words:
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


# --- frozen --------------------------------------------------------------------------------------


def _weighted(rng: random.Random, weights: dict[str, int]) -> str:
    return rng.choices(list(weights), list(weights.values()))[0]


_FIELD_ENCODINGS = {
    "rope": 5,
    "ape": 4,
    "abacus": 4,
    "coupled": 4,
    "nope": 4,
    "alibi": 3,
    "t5": 2,
    "fire": 2,
    "rpe": 1,
    "sinusoidal": 1,
    "shifted": 1,
    "randomized": 1,
    "randomized-fire": 1,
}
_FIELD_LAYOUTS = {
    "plain": 4,
    "reversed": 5,
    "aligned": 3,
    "reversed, no signs": 1,
    "plain, no bos": 1,
    "reversed, no bos": 1,
    "hinted": 1,
    "scratchpad": 1,
    "aligned, spaces": 1,
    "plain, 2 digits per token": 1,
    "interleaved": 1,
}
"""How often each is met, as we know the field."""


def _as_people_do(rng: random.Random) -> Words:
    """A setting as in papers and contests: mostly base 10, addition, without a window."""
    base = rng.choice((10, 10, 10, 10, rng.choice((2, 3, 5, 7, 8, 16))))
    longest = {2: 6, 3: 4}.get(base, rng.choice((2, 3, 3, 4)))
    a, b, p = rng.randint(1, 5), rng.randint(1, 5), rng.randint(2, 150)
    tasks: dict[str, tuple[int, Words]] = {
        "add": (8, {"task": "add"}),
        "sub": (3, {"task": "sub"}),
        "add,sub": (1, {"task": "add,sub"}),
        "mul": (2, {"task": "mul"}),
        "mod_add": (3, {"task": "mod_add", "modulus": rng.choice((p, base**2))}),
        "mod_mul": (1, {"task": "mod_mul", "modulus": rng.choice((p, base**2))}),
        "three": (1, {"expr": "a + b + c"}),
        "form": (1, {"expr": f"{a}*a + {b}*b"}),
        "copy": (1, {"expr": "a"}),
    }
    task = tasks[_weighted(rng, {name: weight for name, (weight, _) in tasks.items()})][1]
    return {
        **task,
        "base": base,
        "pe": _weighted(rng, _FIELD_ENCODINGS),
        "layout": _weighted(rng, _FIELD_LAYOUTS),
        "train_digits": f"{longest}",
        "test_digits": f"1-{longest + 2}",
    }


def _field_natural(rng: random.Random) -> Words:
    words = _as_people_do(rng)
    longest = int(words["train_digits"])
    tests = f"1-{longest + 3}"
    return words | {"padding": "none", "train_digits": f"1-{longest}", "test_digits": tests}


def _field_padded(rng: random.Random) -> Words:
    words = _as_people_do(rng)
    longest = int(words["train_digits"])
    trained = rng.choice((f"{longest}", f"{longest}", f"1-{longest}"))
    return words | {"train_digits": trained}


def _of_the_field(number: int, about: str) -> Draw:
    """Settings as people use them, three in five of natural lengths; a commit is the seed."""
    natural = number * 3 // 5
    strata = (
        Stratum("natural lengths", natural, _field_natural, soon=False),
        Stratum("padded numbers", number - natural, _field_padded, soon=False),
    )
    return Draw(None, strata, about, "by-setting")


DRAWS = {
    "drawn": Draw(17963, (Stratum("any cells", 1000, _any),)),
    "frozen": _of_the_field(
        200, "Settings as the field uses them, drawn once: a test of the theory and of forecasts."
    ),
    "frozen-again": _of_the_field(
        100, "Drawn as frozen was, after that one had led to changes: a test of these."
    ),
    "frozen-third": _of_the_field(
        50, "Drawn as frozen was, once more: a test of how forecasts are made since frozen-again."
    ),
}
"""The grids that are drawn whatever theory says of a cell.

The files of others name the commit whose code drew them: what theory left open then.
"""


def table(asked: CellRequest) -> str:
    """A cell as a TOML table: what differs from the defaults, and the encoding."""
    usual = asdict(CellRequest())
    words = {k: v for k, v in asdict(asked).items() if v != usual[k] or k == "pe"}
    each = (f"{k.replace('_', '-')} = {v!r}".replace("'", '"') for k, v in words.items())
    return f"  {{ {', '.join(each)} }},"


def main(name: str, commit: str = "") -> None:
    """Print a drawn grid, with a comment before each part if there are several.

    Args:
        commit: in hexadecimal digits; its number is the seed of a grid that has none.
    """
    draw = DRAWS[name]
    seed = int(commit, 16) if draw.seed is None else draw.seed
    if draw.about:
        print(f"# {draw.about}")
    words = f"{name} {commit}".strip()
    by = f"with seed {seed}" if draw.seed is not None else "with the hash of that commit as seed"
    print(f"# {draw.number} cells drawn at random {by}, by")
    print(f"# python -m arith.verify.plan.draw {words}.")
    if draw.recipe:
        print(f'recipe = "{draw.recipe}"')
    print("cell = [")
    cells = drawn(name, seed)
    for stratum in draw.strata:
        if len(draw.strata) > 1:
            print(f"  # {stratum.number} of {stratum.about}.")
        for each in islice(cells, stratum.number):
            print(table(each), flush=True)
    print("]")


if __name__ == "__main__":
    main(*sys.argv[1:])

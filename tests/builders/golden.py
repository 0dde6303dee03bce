"""Golden files: predictions as a person reads them, to hold a changed theory against.

A block is a setting, as ``arith predict`` takes it, and a line for each test length: what is
claimed, the least and the largest accuracy, and where there is an expected function how often it
is right.  ``python tests/builders/golden.py`` writes the files anew; with ``--compare`` it prints
what differs from them, and with ``--draw`` it draws settings at random anew.

``cells.txt`` has every cell of every grid, ``published.txt`` the settings of published findings,
``drawn.txt`` settings drawn at random: each encoding by each layout, padding and kind of domain.
"""

from __future__ import annotations

import random
import shlex
import sys
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import suppress
from itertools import product
from pathlib import Path

from arith.theory.arithmetic.domains import KINDS
from arith.theory.errors import InvalidInput
from arith.theory.prediction.predict import predict
from arith.theory.rules import THEORY_VERSION
from arith.theory.setting.requests import Request, setting_words
from arith.theory.setting.settings import PADDINGS, Setting
from arith.theory.transformer.encodings import ENCODINGS
from arith.theory.transformer.layouts import LAYOUTS

FOLDER = Path(__file__).parents[1] / "golden"
DRAWN = 3_000
_SEED = 20_261_127
_EXPRESSIONS = (
    *["a + b"] * 6,
    *["(a + b) % {p}"] * 5,
    *["a - b", "a * b"] * 2,
    *["(a - b) % {p}", "(a * b) % {p}"] * 2,
    "a + b + c", "(a + b + c) % {p}", "2*a + b", "3*a + b", "a - 2*b", "a + b + {c}", "a", "3*a",
    "a % {p}", "a*a", "(a*a + b) % {p}", "a*b + b", "(2*a + 3*b) % {p}", "2*a - b + 1",
)  # fmt: skip


def block(setting: Setting) -> str:
    """The setting and what is predicted of it."""
    lines = [" ".join(setting_words(setting))]
    try:
        predicted = predict(setting)
    except InvalidInput as error:
        return f"{lines[0]}\n  refused: {error}"
    if predicted.learned_text is not None:
        lines.append(f"  f^ = {predicted.learned_text}")
    for x in predicted.lengths:
        bounds = f"{x.at_least}..{x.at_most}" if x.accuracy != x.at_most else "="
        words = [f"  {x.digits}: {x.claim}", str(x.accuracy) if x.accuracy is not None else ""]
        words += [bounds] if x.claim != "none" and bounds != "=" else []
        words += [f"f^ {x.learned_accuracy}"] * (x.learned_accuracy not in (None, x.accuracy))
        words += ["seen steady"] * x.requires_measured_stability
        lines.append(" ".join(w for w in words if w))
    return "\n".join(lines)


def read_blocks(path: Path) -> dict[str, list[str]]:
    """The lines of each block of a file, by the setting."""
    found: dict[str, list[str]] = {}
    for line in path.read_text("utf-8").splitlines():
        if line.startswith("  "):
            found[next(reversed(found))].append(line)
        elif not line.startswith("#"):
            found[line] = []
    return found


def read_words(words: str) -> Setting:
    """The setting that a block is about."""
    values: dict[str, str | tuple[str, ...] | int] = {}
    parts = iter(shlex.split(words))
    for part, value in zip(parts, parts, strict=True):
        name = part.removeprefix("--").replace("-", "_")
        default = getattr(Request, name)
        if isinstance(default, tuple):
            values[name] = (*values.get(name, ()), value)  # type: ignore[misc]
        else:
            is_number = isinstance(default, int) or name in ("modulus", "train_pairs")
            values[name] = int(value) if is_number else value
    return Request(**values).setting()  # type: ignore[arg-type]


def cells() -> Iterator[Setting]:
    """The settings of all cells, each once."""
    from arith.verify.plan.grids import GRIDS, grid

    yield from dict.fromkeys(c.setting for name in GRIDS for c in grid(name))


def published() -> Iterator[Setting]:
    """The settings of published findings, each once."""
    from arith.theory.studies.literature import findings

    found: dict[Setting, None] = {}
    for finding in findings():
        with suppress(InvalidInput, ValueError):  # an encoder, or a task that we do not have
            found.setdefault(finding.setting)
    yield from found


def kept_drawn() -> Iterator[Setting]:
    """The settings that were drawn once: a new layout or domain does not draw them anew."""
    return map(read_words, read_blocks(FOLDER / "drawn.txt"))


def drawn() -> Iterator[Setting]:
    """Settings drawn at random, the same each time."""
    draw = random.Random(_SEED)
    combinations = list(product(ENCODINGS, LAYOUTS, PADDINGS, KINDS))
    found: dict[Setting, None] = {}
    while len(found) < DRAWN:
        draw.shuffle(combinations)
        for pe, layout, padding, kind in combinations:
            for _ in range(8):
                try:
                    setting = _drawn(draw, pe, layout, padding, kind)
                except InvalidInput:
                    continue
                found.setdefault(setting)
                break
    yield from list(found)[:DRAWN]


def _drawn(draw: random.Random, pe: str, layout: str, padding: str, kind: str) -> Setting:
    base = draw.choice([2, 2, 3, 4, 5, 6, 8, 10, 10, 10, 12, 16])
    most = {2: 5, 3: 4, 4: 3}.get(base, 3)
    longest = draw.randint(2, most)
    lengths = [str(longest)] * 5 + [f"1-{longest}"] * 3 + [f"{longest - 1}+{longest}"] * 2
    train = draw.choice(lengths)
    p = draw.choice([base, base**2, 2 * base, base + 1, base**2 + 1, draw.randint(2, 4 * base**2)])
    more: dict[str, object] = {}
    if layout == "interleaved" and draw.random() < 0.75:
        more = {"window": draw.randint(3, 12), "layers": draw.randint(1, 4)}
    elif padding == "fixed" and draw.random() < 0.15:
        more = {"window": draw.randint(6, 20), "layers": draw.choice([0, 1, 2, 3])}
    if draw.random() < 0.12:
        place, digits = draw.randint(1, longest), draw.sample(range(base), draw.randint(1, base))
        more["train_allowed"] = (f"{place}:{','.join(map(str, sorted(digits)))}",)
    if draw.random() < 0.08:
        more["train_priming"] = (f"{longest + draw.randint(1, 2)}:0.01",)
    if draw.random() < 0.08:
        more["train_pairs"] = draw.choice([100, 1000, 30_000])
    if padding == "fixed" and draw.random() < 0.1:
        more["width"] = longest + 4
    expression = draw.choice(_EXPRESSIONS).format(p=p, c=draw.randint(1, 4))
    return Request(
        expr=expression,
        base=base,
        pe=pe,
        layout=layout,
        train_digits=train,
        train_domain=kind,
        test_domain=draw.choice([kind, "longest"]),
        padding=padding,
        test_digits=f"{'3' if 'c' in expression and kind == 'total' else '2'}-{longest + 3}"
        if kind == "total"
        else f"1-{longest + 3}",
        **more,  # type: ignore[arg-type]
    ).setting()


FILES = {"cells": cells, "published": published, "drawn": kept_drawn}


def write() -> None:
    """Write all files anew."""
    with ProcessPoolExecutor() as pool:
        for name, settings in FILES.items():
            blocks = pool.map(block, settings(), chunksize=20)
            text = "\n".join([f"# theory {THEORY_VERSION}", *blocks])
            (FOLDER / f"{name}.txt").write_text(text + "\n", "utf-8")


def differences(name: str, kept: dict[str, list[str]]) -> Iterator[tuple[str, str, str]]:
    """Each line of these blocks that differs: the setting, the line kept, the line of today."""
    # The command takes fewer digits than some papers trained on.
    of_papers = {" ".join(setting_words(x)): x for x in published()} if name == "published" else {}
    for words, lines in kept.items():
        asked, *today = block(of_papers.get(words) or read_words(words)).splitlines()
        for old, new in [(words, asked), *_pairs(lines, today)]:
            if old != new:
                yield words, old, new


def _pairs(old: list[str], new: list[str]) -> Iterator[tuple[str, str]]:
    by = [{line.split()[0]: line for line in lines} for lines in (old, new)]
    for key in dict.fromkeys([*by[0], *by[1]]):
        yield by[0].get(key, ""), by[1].get(key, "")


def compare() -> None:
    """Print what differs from the files."""
    for name in FILES:
        kept = read_blocks(FOLDER / f"{name}.txt")
        last = ""
        for words, old, new in differences(name, kept):
            if words != last:
                print(f"{name}: {words}")
                last = words
            print(f"  - {old.strip()}\n  + {new.strip()}")


if __name__ == "__main__":
    if "--draw" in sys.argv:
        FILES["drawn"] = drawn
    compare() if "--compare" in sys.argv else write()

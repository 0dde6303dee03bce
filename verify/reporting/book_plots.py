"""The pictures of the book, drawn from predictions and from committed evidence.

``python -m arith.verify.reporting.book_plots`` draws all of them into ``docs/pictures``.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from arith.theory.prediction.predict import Prediction, predict
from arith.theory.setting.requests import Request
from arith.theory.setting.training import default_model
from arith.theory.text.length_plot import Measured, draw_lengths
from arith.theory.text.style import FAINT, figure
from arith.theory.text.text import count
from arith.theory.transformer.encodings import encoding
from arith.verify.records.evidence import read_evidence
from arith.verify.reporting.address_plot import Row, draw_sum
from arith.verify.reporting.example_plot import (
    APART,
    IGNORED,
    OUTSIDE,
    READ,
    draw_marks,
    draw_meaning,
    marks,
    page_axes,
    plot_carries,
    plot_lesson,
    plot_views,
)
from arith.verify.reporting.measured import of_runs

WIDTH = 7.4
LESSON = (1234, 1065)
"""The sum that the first picture of the book is of."""


def predicted(task: str, **options: Any) -> Prediction:
    """The prediction of a setting, by the options of the command."""
    return predict(Request(task, **options).setting())


def lesson(layout: str = "plain") -> list[Prediction]:
    """Sums, and sums mod 100 and 101, trained on three digits."""
    options: dict[str, Any] = {"layout": layout, "test_digits": "1-4"}
    moduli = (100, 101)
    return [
        predicted("add", **options),
        *(predicted("mod_add", modulus=p, **options) for p in moduli),
    ]


def trained(prediction: Prediction, reports: Path, grid: str) -> list[Measured]:
    """The converged models of a setting in a grid's evidence, of the usual size and recipe."""
    asked = prediction.setting.fields_without("test_lengths", "width")
    runs = [
        run
        for run in read_evidence(reports / grid / "evidence.jsonl")
        if run.cell.setting.fields_without("test_lengths", "width") == asked
        and run.recipe == run.cell.recipe.version
        and run.cell.model == default_model(prediction.setting.task)
    ]
    return [model for model in of_runs(runs, prediction.setting) if model.converged]


THEOREMS: dict[str, Callable[[], Prediction]] = {
    "equal-views": partial(predicted, "add", pe="rpe", layout="interleaved", window=5, layers=1),
    "constants": partial(predicted, "mod_add", modulus=150, train_digits="2", test_digits="1-4"),
    "shown-apart": partial(predicted, "add", test_digits="1-5"),
    "not-found": partial(
        predicted, "add", pe="rpe", padding="none", train_digits="1-5", test_digits="1-8"
    ),
}
"""The setting by which each of the four theorems is shown."""


EQUAL_VIEWS = (
    ("asked", (34512, 27688), 5, "34512 + 27688, by places"),
    ("in training", (345, 276), 3, "345 + 276, by places"),
)
"""The theorem *equal views*: a context of a longer sum, met in training."""
CONSTANTS = (
    ("asked", (123, 456), 1, "(123 + 456) mod 150 is 129"),
    ("answered as", (23, 56), 1, "(23 + 56) mod 150 is 79"),
)
"""The theorem *constants*: a digit that was always 0 counts as 0."""
SHOWN_APART = (
    ("in training", (12, 734), 3, "0 and 7 add 7"),
    ("in training", (712, 34), 3, "7 and 0 add 7"),
    ("in training", (712, 734), 3, "7 and 7 add 14"),
    ("asked", (12, 34), 3, "so 0 and 0 add 7 + 7 - 14 = 0"),
)
"""The theorem *shown apart*: two zeros that never stood together."""


def not_found(path: Path, reports: Path) -> None:
    """The theorem *not found*: a digit at an offset that training never showed."""
    prediction = THEOREMS["not-found"]()
    models = trained(prediction, reports, "natural")
    row = Row("", prediction.setting.layout)
    sums = ((0.25, (12034, 45058), "five digits"), (3.9, (612034, 345058), "six digits"))
    with figure(path, WIDTH, 4.3) as page:
        ax = page_axes(page, WIDTH, 1.45, 2.85)
        for x, numbers, words in sums:
            of = " + ".join(map(str, numbers))
            ax.text(x, 1.3, f"{of}: {words}", fontweight="bold", va="center")
            draw_sum(ax, row, numbers, x, 0.4, trained_to=5)
        told = "tokens back from the query of the tens. Solid: as in training; dashed: never there"
        ax.text(0.25, 0.08, told, fontsize=7.5, va="center")
        _draw_below(page, prediction, models)


def theorem(
    name: str,
    examples: Sequence[tuple[str, tuple[int, ...], int, str]],
    kinds: Sequence[str],
    path: Path,
    reports: Path,
) -> None:
    """A theorem's picture: examples as tokens, and what models of its setting got right.

    Args:
        name: of ``THEOREMS``.
        examples: words for each, its operands, the result digit that is asked for, and a note.
        kinds: what the colours of its tokens mean.
    """
    prediction = THEOREMS[name]()
    height = 0.35 * len(examples) + 0.45
    with figure(path, WIDTH, height + 2.85) as page:
        ax = page_axes(page, WIDTH, height, 2.85)
        for i, (words, operands, digit, note) in enumerate(examples):
            y = height - 0.2 - 0.35 * i
            ax.text(0.1, y, words, fontweight="bold", va="center")
            draw_marks(ax, marks(prediction.setting, operands, digit), 1.1, y)
            ax.text(WIDTH - 0.1, y, note, fontsize=7.5, va="center", ha="right")
        draw_meaning(ax, kinds, 1.1, 0.15)
        _draw_below(page, prediction, trained(prediction, reports, "headline"))


def _draw_below(page: Any, prediction: Prediction, models: Sequence[Measured]) -> None:
    """The accuracies of a setting in the lower 2.75 inches of a page, with a legend of kinds."""
    top, wide = page.get_figheight(), page.get_figwidth()
    ax = page.add_axes((0.6 / wide, 1.2 / top, 1 - 0.75 / wide, 1.35 / top))
    draw_lengths(ax, prediction, models)
    ax.set_title(prediction.setting.text().split("\n")[0], loc="left", fontsize=7.5, color=FAINT)
    measured = f"measured: {count(len(models), 'model')}" + ", a colour for each" * (
        len(models) > 1
    )
    found = {
        measured if "measured" in label else label: handle
        for handle, label in zip(*ax.get_legend_handles_labels(), strict=True)
    }
    place: Any = {"loc": "lower left", "bbox_to_anchor": (0.45 / wide, 0), "frameon": False}
    page.legend(list(found.values()), list(found), ncols=3, fontsize=7, columnspacing=1.2, **place)


def views(path: Path, _: Path) -> None:
    """What encodings tell a query."""
    rows = (
        (encoding("ape"), 0, "the position of each token"),
        (encoding("rpe"), 0, "the offset: tokens back"),
        (encoding("coupled"), 0, "place minus the query's; signs have none"),
        (encoding("rpe"), 5, "offsets, in a window of 5 tokens"),
        (encoding("nope"), 0, "nothing but the order"),
    )
    setting = Request("add", train_digits="2", test_digits="2", width=2).setting()
    plot_views(path, setting, (34, 58), rows)


def counting(path: Path, _: Path) -> None:
    """A worked count: sums mod 12 of three digits, after two."""
    prediction = predicted("mod_add", modulus=12, train_digits="2")
    plot_carries(path, prediction, 3)


PICTURES: dict[str, Callable[[Path, Path], None]] = {
    "four-digits": lambda path, _: plot_lesson(path, lesson(), LESSON),
    "views": views,
    "equal-views": partial(theorem, "equal-views", EQUAL_VIEWS, (READ, OUTSIDE)),
    "constants": partial(theorem, "constants", CONSTANTS, (READ, IGNORED)),
    "shown-apart": partial(theorem, "shown-apart", SHOWN_APART, (READ, APART, IGNORED)),
    "not-found": not_found,
    "counting": counting,
}
"""Every picture, by the name of its file."""


def draw(folder: Path, reports: Path) -> None:
    """Draw all pictures into a folder, from the evidence in another."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, plot in PICTURES.items():
        plot(folder / f"{name}.svg", reports)


if __name__ == "__main__":
    root = Path(__file__).resolve().parents[2]
    draw(Path(sys.argv[1]) if sys.argv[1:] else root / "docs" / "pictures", root / "reports")

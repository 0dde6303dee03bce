"""The figures of reports: what is drawn of which model, and in which words."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from builders.cells import cell
from builders.runs import RIGHT, run
from matplotlib.figure import Figure

from arith.verify.judging.judge import judge
from arith.verify.plan.grids import grid
from arith.verify.records.runs import Run
from arith.verify.records.trajectory import Trajectory
from arith.verify.reporting.blocks import markdown_page
from arith.verify.reporting.plots import MISSED, draw_curve
from arith.verify.reporting.report import Report
from arith.verify.reporting.sections.agreement import encodings, training_data
from arith.verify.reporting.sections.convergence import FOLLOWS, during_training

CELL = cell(digits=3)
STEPS = (100, 1000)


def followed(seed: int, premise: float = 1.0) -> Run:
    """A model that was watched, and that has the answers of f^ from step 1000 on."""
    lengths = CELL.setting.test_lengths
    curves = dict.fromkeys(lengths, (0.1 * seed, 1.0))
    made = run(CELL, RIGHT, premise=premise, seed=seed)
    return replace(made, trajectory=Trajectory(STEPS, curves, curves))


def test_a_curve_has_the_colour_of_its_seed_and_a_cross_if_it_missed_the_premise() -> None:
    ax = Figure().add_subplot()
    for made in (followed(0), followed(1, premise=0.5)):
        draw_curve(ax, made, (0.1, 0.6), "right")
    first, *_, second = [x for x in ax.lines if len(x.get_xdata()) == 2]
    assert first.get_color() != second.get_color()
    [cross] = [x for x in ax.lines if x.get_label() == MISSED]
    assert (list(cross.get_xdata()), list(cross.get_ydata())) == ([1000], [0.6])
    assert {"seed 0", "seed 1", "right"} <= set(ax.get_legend_handles_labels()[1])


def test_the_legend_is_there_whichever_model_was_watched(tmp_path: Path) -> None:
    unwatched = run(CELL, RIGHT)
    v = judge(CELL, [unwatched, followed(1), followed(2, premise=0.5)])
    text = markdown_page(during_training(Report("made up", [v], tmp_path)), tmp_path)
    assert "Of 1 converged models" in text
    drawn = (tmp_path / "trajectories.svg").read_text()
    for words in ("seed 1", "seed 2", MISSED, FOLLOWS, ">1,000<"):
        assert drawn.count(words) == 1 or words == ">1,000<"
    assert "seed 0" not in drawn


def test_an_encoding_that_did_not_converge_is_marked_and_a_divergence_has_a_sign(
    tmp_path: Path,
) -> None:
    where = {"form": "interleaved", "window": 5, "layers": 1}
    narrow = [cell(pe=pe, digits=3, **where) for pe in ("rpe", "rope", "nope")]
    lengths = {1: 1.0, 2: 1.0, 3: 1.0, 4: 1.0}
    runs = [
        run(narrow[0], lengths),
        run(narrow[1], lengths | {4: 0.5}),
        run(narrow[2], lengths, premise=0.2),
    ]
    judged = [judge(r.cell, [r]) for r in runs]
    assert markdown_page(encodings(Report("made up", judged, tmp_path)), tmp_path)
    drawn = (tmp_path / "encodings.svg").read_text()
    for words in (">1.00 =<", ">0.50 ≠<", MISSED, ">NoPE<", ">RoPE<"):
        assert words in drawn


def test_training_sets_show_bounds_and_what_is_open(tmp_path: Path) -> None:
    cells = grid("data")
    every = next(c for c in cells if c.setting.train.kind == "every" and not c.setting.task.modulus)
    made = run(every, {1: 1.0, 2: 0.9, 3: 0.9, 4: 0.1, 5: 0.1}, premise=0.2)
    verdicts = [judge(c, [made] if c == every else []) for c in cells]
    blocks = training_data(Report("made up", verdicts, tmp_path))
    assert markdown_page(blocks, tmp_path)
    drawn = (tmp_path / "data.svg").read_text()
    for words in ("open: no claim", "predicted: within the bar", f"measured, {MISSED}"):
        assert words in drawn

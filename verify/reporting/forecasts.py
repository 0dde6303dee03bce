"""What forecasts rest on: ``python -m arith.verify.reporting.forecasts`` makes it anew.

The table has what theory says of each cell of the committed evidence, and of each of its untrained
lengths where no accuracy is claimed, and what each converged model got right there.  The trees are
grown on it by scikit-learn, each on the cells of a random part.  So are those that say which models
are likely to converge, on every model, converged or not.  With ``--score`` nothing is written; how
forecasts do where theory is silent is printed, without the cell itself, and without all of its
encoding, and how far they are off on convergence.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from statistics import fmean
from typing import NamedTuple

import numpy as np

from arith.theory.generalization.outcomes import Claim
from arith.theory.prediction.convergence import (
    MISSED,
    MODELS,
    Models,
    convergence,
    training_features,
)
from arith.theory.prediction.forecast import (
    ALL,
    FOREST,
    INTERVAL,
    OF_LENGTH,
    OF_SETTING,
    TABLE,
    Columns,
    Feature,
    Forecasts,
    Forest,
    Measured,
    class_of,
    forecast,
    group_of,
    is_forecast,
    length_features,
    setting_features,
    written,
)
from arith.theory.setting.training import usual_noise
from arith.theory.text.answer import INPUTS
from arith.verify.plan.folders import COMMITTED
from arith.verify.records.runs import Run, by_cell
from arith.verify.reporting.exports import committed

TREES = 100
GROWN = 0.8
"""The share of the cells on which each tree is grown; the others are forecast without them."""
PARTS = 40
"""Into how many parts cells are divided to see how forecasts do without one."""
LEAST, ASKED = 2, 0.25
"""Models at a leaf, and the share of the features among which a node chooses."""
LEFT_OUT = np.arange(1, 51) / 100
"""What an interval may leave out below, and above: each is tried."""
FEWEST = 30
"""Models by which a group decides how much its intervals leave out."""


def table(runs: Iterable[Run]) -> str:
    """The text of the table, sorted by cell, model and length."""
    return "".join(text for _, text in _blocks(runs))


def _blocks(runs: Iterable[Run]) -> Iterator[tuple[list[Run], str]]:
    """The models of each cell that converged, and their part of the table."""
    converged = sorted((run for run in runs if run.converged), key=lambda run: run.identity)
    found = by_cell(converged)
    for key in sorted(found, key=lambda key: (found[key][0].cell.label(), key)):
        yield found[key], "".join("\t".join(line) + "\n" for line in _lines(found[key]))


def _lines(runs: list[Run]) -> Iterator[list[str]]:
    """The lines on the models of a cell."""
    cell, prediction = runs[0].cell, runs[0].cell.prediction
    asked = [x for x in prediction.lengths if is_forecast(cell.setting, x)]
    if asked:
        yield [cell.label(), *_texts(OF_SETTING, setting_features(cell.setting))]
    for x in asked:
        found = length_features(cell.setting, prediction.derivation, x)
        right: dict[str, list[str]] = {}
        for run in runs:
            if m := run.at(x.digits):
                kind = run.noise_kind or usual_noise(cell.setting)
                right.setdefault(kind, []).append(written(m.accuracy))
        for kind, each in sorted(right.items()):
            yield ["", str(x.digits), *_texts(OF_LENGTH, found), kind, " ".join(each)]


def _texts(names: Iterable[str], found: Mapping[str, Feature]) -> Iterator[str]:
    return (written(found[name]) for name in names)


def grow(measured: Measured, columns: Columns, trees: int) -> Forest:
    """Trees on what was measured, each on a random part of the cells."""
    from sklearn.tree import DecisionTreeRegressor

    rng = np.random.default_rng(0)
    names = np.array(measured.cells)
    labels, of_label = np.unique(names, return_inverse=True)
    of, vectors = np.array(measured.of), columns.matrix(measured.features)
    models = np.repeat(np.arange(len(of)), [len(x) for x in measured.right])
    right = np.concatenate([np.array(x) for x in measured.right])
    counts = np.array([1 / len(measured.right[row]) for row in models])
    kinds = ("roots", "column", "threshold", "skipped", "leaves", "grown")
    parts: dict[str, list[np.ndarray]] = {kind: [] for kind in kinds}
    first = 0
    for seed in range(trees):
        cells = (rng.random(len(labels)) < GROWN)[of_label]  # cells of one name go together
        some = cells[of[models]]
        tree = DecisionTreeRegressor(min_samples_leaf=LEAST, max_features=ASKED, random_state=seed)
        tree.fit(vectors[models[some]], right[some], sample_weight=counts[some])
        made = tree.tree_
        is_leaf = made.children_left < 0
        parts["roots"].append(np.array([first]))
        parts["column"].append(np.where(is_leaf, -1, made.feature).astype(np.int16))
        parts["threshold"].append(made.threshold.astype(np.float32))
        skipped = np.where(is_leaf, 0, made.children_right - np.arange(made.node_count))
        parts["skipped"].append(skipped.astype(np.uint16))
        parts["leaves"].append((first + tree.apply(vectors))[None].astype(np.int32))
        parts["grown"].append(cells[None])
        first += made.node_count
    found = {name: np.concatenate(some) for name, some in parts.items()}
    leaves = found.pop("leaves")
    members = np.argsort(leaves, axis=None, kind="stable") % len(of)
    sizes = np.bincount(leaves.ravel(), minlength=first)
    small = {"members": members.astype(np.uint16), "sizes": sizes.astype(np.uint16)}  # below 65,536
    return Forest(**small, **found)


def calibrated(measured: Measured, trees: int = TREES) -> Forecasts:
    """Trees on what was measured, and by group how much an interval of them may leave out.

    It is the most at which intervals of the group, each without its cell, hold ``INTERVAL`` of its
    models or more.
    """
    columns = Columns.of(measured.features)
    found = Forecasts.made(measured, columns, grow(measured, columns, trees), left_out={})
    held: dict[str, list[np.ndarray]] = {ALL: []}
    for features, of, right in zip(measured.features, measured.of, measured.right, strict=True):
        [(weights, _)] = found.alike([{**features}], measured.cells[of])
        low, _, high = found.spread(weights, LEFT_OUT)
        some = [(low <= x) & (x <= high) for x in right]
        held[ALL] += some
        held.setdefault(group_of(features), []).extend(some)
    for group, each in held.items():
        if len(each) >= FEWEST or group == ALL:
            enough = np.mean(each, axis=0) >= INTERVAL
            found.left_out[group] = float(max(LEFT_OUT[enough], default=LEFT_OUT[0]))
    return found


def scores(runs: Iterable[Run]) -> Iterator[str]:
    """How far forecasts are off where theory is silent, and the share within their intervals.

    Before a training it is silent where it claims nothing, and where it speaks of stable models
    alone: no one knows yet which will be stable.  The trees are grown anew without the cells that
    are asked for: a part of all, or all of an encoding.
    """
    blocks = list(_blocks(runs))
    names = sorted({some[0].cell.label() for some, _ in blocks})
    parts = {name: n % PARTS for n, name in enumerate(names)}
    for what, of in {
        "cell": lambda cell: parts[cell.label()],
        "encoding": lambda cell: cell.setting.encoding.name,
    }.items():
        found: list[Off] = []
        for part in sorted({of(some[0].cell) for some, _ in blocks}):
            others = Measured.read("".join(x for some, x in blocks if of(some[0].cell) != part))
            rests_on = calibrated(others)
            asked = (run for some, _ in blocks if of(some[0].cell) == part for run in some)
            found.extend(errors(asked, rests_on))
        silent = [x for x in found if not x.of_stable]
        groups = {"not claimed of every model": found, "not claimed of any": silent}
        if what == "cell":
            groups |= {
                x: [y for y in silent if y.group == x] for x in sorted({y.group for y in silent})
            }
        for where, some in groups.items():
            error, within = fmean(x.error for x in some), fmean(x.within for x in some)
            told = f"error {error:.3f}, within the interval {within:.0%}"
            yield f"without its {what}, {where}: {told} of {len(some):,}"


class Off(NamedTuple):
    """How far a forecast is from what a model got right.

    Args:
        within: whether its interval holds that.
        of_stable: whether something is claimed there of stable models.
        group: which inputs, and the class of the setting.
    """

    error: float
    within: bool
    of_stable: bool
    group: str


def errors(runs: Iterable[Run], rests_on: Forecasts | None = None) -> Iterator[Off]:
    """How far forecasts are off where nothing is claimed of every model that has converged.

    Each model is forecast without its cell.

    Args:
        rests_on: another table than what is shipped.
    """
    for run in runs:
        s, prediction = run.cell.setting, run.cell.prediction
        silent = {
            x.digits: x
            for x in prediction.lengths
            if x.claim == Claim.NONE or x.requires_measured_stability
        }
        name, steps = run.cell.label(), prediction.derivation
        told = forecast(s, steps, silent.values(), name, run.noise_kind, rests_on)
        for m in run.measurements:
            if x := told.get(m.digits):
                of_stable = silent[m.digits].requires_measured_stability
                group = f"{INPUTS[silent[m.digits].direction]}, {class_of(s)}"
                within = x.low <= m.accuracy <= x.high
                yield Off(abs(x.median - m.accuracy), within, of_stable, group)


def trained(runs: Iterable[Run]) -> Models:
    """What became of each model, by cell and recipe, with trees that were grown on it."""
    groups: dict[tuple[str, str, str], list[Run]] = {}
    for run in runs:
        groups.setdefault((run.cell.label(), run.cell.key, recipe_of(run)), []).append(run)
    some = [groups[key] for key in sorted(groups)]
    places = {key: n for n, key in enumerate(dict.fromkeys(each[0].cell.key for each in some))}
    names = {each[0].cell.key: each[0].cell.label() for each in some}
    found = [training_features(x.cell.setting, recipe_of(x), x.cell.model) for x, *_ in some]
    measured = Measured(
        [names[key] for key in places],
        [places[each[0].cell.key] for each in some],
        [{name: written(value) for name, value in x.items()} for x in found],
        [[float(run.converged) for run in each] for each in some],
    )
    columns = Columns.of(measured.features)
    forest = grow(measured, columns, TREES)
    ends = [[run.steps if run.converged else run.budget + MISSED for run in each] for each in some]
    recipes = list(columns.words["recipe"])
    recipe = np.array([recipes.index(x["recipe"]) for x in measured.features])
    return Models.made(replace(measured, right=ends), columns, forest, recipe=recipe)


def recipe_of(run: Run) -> str:
    """The recipe that a model was trained by, as it is for the setting."""
    return run.trained_by.trains_as if run.trained_by else run.recipe


def chances(runs: Iterable[Run], rests_on: Models | None = None) -> Iterator[tuple[float, bool]]:
    """The chance that each model had to converge within its budget, and whether it did.

    Each model is forecast without its cell.

    Args:
        rests_on: other models than those that are shipped.
    """
    for run in runs:
        cell, recipe = run.cell, recipe_of(run)
        name = cell.label()
        told = convergence(cell.setting, recipe, cell.model, run.budget, name, rests_on)
        if told.models:
            yield told.share, run.converged


def score_lines(found: Sequence[tuple[float, bool]]) -> Iterator[str]:
    """The Brier score of chances beside that of the constant share, and calibration in ten bins."""
    chance, converged = (np.array(x, dtype=float) for x in zip(*found, strict=True))
    brier, share = np.mean((chance - converged) ** 2), converged.mean()
    constant = share * (1 - share)
    yield f"convergence of {len(found):,} models: Brier score {brier:.4f}, the share {constant:.4f}"
    bins = np.minimum((10 * chance).astype(int), 9)
    for n in np.unique(bins).tolist():
        some = bins == n
        said, came = chance[some].mean(), converged[some].mean()
        bounds = f"{n / 10:.1f} to {(n + 1) / 10:.1f}"
        yield f"  {bounds}: {some.sum():,} models, {said:.2f} forecast, {came:.2f} converged"


def main() -> None:
    """Write the table and the trees, or print how forecasts do."""
    runs = committed(COMMITTED)[0]
    if "--score" in sys.argv:
        for line in scores(runs):
            print(line, flush=True)
        print(*score_lines(list(chances(runs, trained(runs)))), sep="\n")
        return
    text = table(runs)
    TABLE.write_text(text, "utf-8")
    measured = Measured.read(text)
    calibrated(measured).write(FOREST)
    trained(runs).write(MODELS)
    print(f"wrote {TABLE.name}, {FOREST.name} and {MODELS.name}")


if __name__ == "__main__":
    main()

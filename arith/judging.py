"""``verify``, ``report`` and ``judge``: predictions and what was measured of models, judged."""

from __future__ import annotations

import reprlib
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from arith import keywords
from arith.keywords import python_errors, takes
from arith.predicting import Read, Shown, read
from arith.printing import Part, Text, answer_parts, verdict_parts
from arith.theory.errors import InvalidInput
from arith.theory.setting.requests import Request, chosen, setting_columns
from arith.theory.setting.settings import Setting
from arith.verify.plan.cells import CellRequest
from arith.verify.plan.folders import Folders, evidence_folder
from arith.verify.plan.grids import grid as cells_of
from arith.verify.plan.grids import recipe_of
from arith.verify.plan.plan import Plan
from arith.verify.plan.recipe import find_recipe

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from arith.verify.data.files import Examples
    from arith.verify.data.finding import Found
    from arith.verify.judging.answers import JudgedAnswers
    from arith.verify.judging.judge import CellVerdict, Verdict
    from arith.verify.judging.known_divergences import KnownDivergences


@dataclass(frozen=True, repr=False)
class Judged(Shown):
    """Verdicts on cells, shown as ``arith verify`` prints them.

    Args:
        verdicts: on each cell: its prediction, its models, and a verdict for each test length.
        known: what was found out about divergences, where committed evidence was judged.
        notes: lines on evidence that was left out.
    """

    verdicts: Sequence[CellVerdict]
    known: KnownDivergences | None = None
    notes: Sequence[str] = ()

    @property
    def verdict(self) -> Verdict:
        """The worst verdict: diverge, else inconclusive, else agree, else undetermined."""
        from arith.verify.judging.judge import worst

        return worst(v.verdict for v in self.verdicts)

    def parts(self) -> list[Part]:
        """One cell length by length, or a line per cell; and the sum of it."""
        from arith.verify.reporting.terminal import outcome_line

        parts = verdict_parts(self.verdicts)
        if self.known is not None:
            parts.append(Text(f"gate: {outcome_line(self.verdicts, self.known)}"))
        return parts

    def records(self) -> list[dict[str, Any]]:
        """The lengths of each cell: what was asked, predicted and measured, and the verdict."""
        return [
            {
                "cell": v.name,
                **setting_columns(v.cell.setting),
                "model": v.cell.model,
                **predicted,
                "measured": None if x.accuracy is None else x.accuracy.value,
                "low": None if x.accuracy is None else x.accuracy.low,
                "high": None if x.accuracy is None else x.accuracy.high,
                "as_learned_function": None if x.learned is None else x.learned.value,
                "verdict": x.verdict,
                "published_verdict": x.published,
            }
            for v in self.verdicts
            for predicted, x in zip(v.prediction.to_json()["lengths"], v.lengths, strict=True)
        ]

    def plot(self) -> Figure:
        """A figure of predicted and measured accuracy by length, a panel per trained cell.

        Raises:
            InvalidInput: no cell is trained.
        """
        from arith.picture import drawn
        from arith.verify.reporting.measured import of_runs

        panels = [
            (v.name, v.prediction, of_runs(v.runs, v.cell.setting)) for v in self.verdicts if v.runs
        ]
        if not panels:
            raise InvalidInput("no cell is trained: there is nothing to draw")
        return drawn(panels)


@takes(CellRequest, Plan)
def verify(
    task: str | None = None,
    *,
    grid: str | Path | None = None,
    recipe: str | None = None,
    store: str | Path | None = None,
    keep_models: str | Path | None = None,
    **options: Any,
) -> Judged:
    """Train one cell, or the cells of a grid, and judge them, as ``arith verify`` does.

    Args:
        grid: the name of a grid, or a TOML file, in place of a task.
        recipe: how models are trained; unless given, by the one of the grid's evidence, or by the
            usual one of each cell (``default``).
        store: where measurements are kept, ``.arith/measurements.sqlite`` unless told otherwise;
            what it has is not trained again.
        keep_models: a folder where each trained model is kept, in one of its own.

    Raises:
        InvalidInput: an unknown name, or a value that cannot be trained or judged.
        Failed: a training process died, or results could not be written.
    """
    if callable(options.get("model")):
        raise InvalidInput(
            "verify trains a model; one of your own is judged by arith.judge(model, ...)"
        )
    asked = chosen(CellRequest, {"task": task, **options})
    given, model = [name for name in asked if name != "model"], asked.get("model")
    grid = None if grid is None else str(grid)
    if grid is not None and given:
        raise InvalidInput(f"give --grid or the options of one cell ({', '.join(given)}), not both")
    if grid is None and not {"task", "expr"} & set(given):
        raise InvalidInput("say what to verify: a task, --expr or --grid")
    if recipe is not None and not isinstance(recipe, str):
        raise InvalidInput(f"{recipe!r} is no value for 'recipe', which takes a name")
    cells = [keywords.read(CellRequest, asked).cell()] if grid is None else cells_of(grid, model)
    how = recipe_of(grid) if recipe is None else find_recipe(recipe)
    folders = Folders(None if keep_models is None else Path(keep_models))
    plan = keywords.read(Plan, options, cells=cells, recipe=how, folders=folders)
    from arith.commands.options import DEFAULT_STORE
    from arith.verify import pipeline
    from arith.verify.records.store import Store

    with Store(Path(store or DEFAULT_STORE)) as kept:
        with _no_script():
            verdicts = pipeline.verify(plan, kept)
        kept.check_written()
    return Judged(verdicts)


@dataclass(frozen=True, repr=False)
class JudgedModels(Shown):
    """Judged answers of models, shown as ``arith judge`` prints them.

    Args:
        judged: what was answered at each length, and the verdict on it.
        names: of the models.
        notes: lines on what was taken for granted, and on what looks wrong.
    """

    judged: JudgedAnswers
    names: Sequence[str] = ("the model",)
    notes: Sequence[str] = ()

    @property
    def verdict(self) -> str:
        """The worst verdict: diverge, else inconclusive, else agree, else undetermined.

        Where nothing is decided as the model misses a premise it is *premise not met*.
        """
        from arith.verify.reporting.answers import verdict_in_one

        return verdict_in_one(self.judged)

    @property
    def reason(self) -> str:
        """Why: the verdict at each length in a sentence, such as which premise is not met."""
        from arith.verify.reporting.answers import answer_sentence

        return answer_sentence(self.judged)

    @property
    def explained(self) -> dict[str, int]:
        """How many answers are those of each function: f, f^, the task on the lowest digits, ..."""
        return self.judged.explained.counts

    def parts(self) -> list[Part]:
        """The lengths, what explains the answers, the surprising ones, and the verdict."""
        return answer_parts(self.judged, self.notes)

    def records(self) -> list[dict[str, Any]]:
        """The lengths: what was asked, predicted and measured, and the verdict."""
        asked, rows = setting_columns(self.judged.verdict.cell.setting), []
        for length in self.to_json()["lengths"]:
            told = {n: x for n, x in length.items() if not isinstance(x, dict | list)}
            forecast, measured = length["forecast"] or {}, length["measured"] or {}
            columns = {
                "forecast": forecast.get("median"),
                "forecast_low": forecast.get("low"),
                "forecast_high": forecast.get("high"),
                "measured": measured.get("accuracy"),
                "low": measured.get("low"),
                "high": measured.get("high"),
            }
            rows.append(asked | told | columns)
        return rows

    def to_json(self) -> dict[str, Any]:
        """What ``arith judge --json`` prints."""
        from arith.verify.reporting.answers import answers_json

        return answers_json(self.judged, self.names)

    def plot(self) -> Figure:
        """A figure of predicted and measured accuracy by length."""
        from arith.picture import drawn
        from arith.verify.reporting.answers import models_measured

        v = self.judged.verdict
        return drawn([(v.cell.label(), v.prediction, models_measured(self.judged, self.names))])


def judge_answers(
    names: Sequence[str],
    models: Sequence[Examples],
    setting: Setting,
    tested: bool,
    found: Found | None,
    notes: Sequence[str] = (),
) -> JudgedModels:
    """The verdict on answers of models.

    Args:
        tested: whether it is said at which lengths; else at those that were answered.
        found: what the training examples were found to be, if they are given.
    """
    from arith.verify.judging.answer_files import answered_setting, notes_on_answers
    from arith.verify.judging.answers import judge_examples

    asked = setting if tested else answered_setting(setting, models)
    notes = [*notes, *notes_on_answers(names, models, setting, found)]
    trained = found.inputs if found else frozenset()
    return JudgedModels(judge_examples(asked, models, trained=trained), names, notes)


@takes(Request)
def judge(
    answer: Any,
    setting: Any = None,
    *,
    data: str | Path | None = None,
    tokenizer: Any = None,
    prompt_template: str = "{prompt}",
    **options: Any,
) -> JudgedModels:
    """Judge the answers of any model against the prediction of a setting, as ``arith judge`` does.

    Args:
        answer: a torch module, with a tokenizer: it is asked, and its premises are measured; a
            function from a list of prompts to a list of texts; a list of answers, each
            ``{"prompt": ..., "answer": ...}`` or a pair; or a file of answers, or several, each of
            one model.
        setting: how the model was trained: what ``read`` or ``predict`` gives, or a file of its
            training examples; else options say it.
        data: the same file, by the name that the command has for it.
        tokenizer: of a module: ``encode`` and ``decode``.
        prompt_template: what a model is given: ``{prompt}`` stands for the prompt, ``{a}`` and
            ``{b}`` for operands in ordinary digits.

    Raises:
        InvalidInput: a setting that makes no sense, or answers that are none.
    """
    from arith.verify import external
    from arith.verify.plan.given import read_answers

    if setting is not None and data is not None:
        raise InvalidInput("give a setting or data, not both")
    setting = data if setting is None else setting
    if isinstance(setting, str | Path) and Path(setting).exists():
        setting = read(setting, **options)
    elif setting is not None and chosen(Request, options):
        raise InvalidInput("give a setting or its options, not both")
    if setting is None:
        asked = keywords.read(Request, options).setting()
    else:
        asked = getattr(setting, "setting", setting)
    if not isinstance(asked, Setting):
        raise InvalidInput(
            f"{reprlib.repr(setting)} is no setting and no file: give what predict(...) or "
            "read(...) gives, or a file of training examples"
        )
    is_read = isinstance(setting, Read)
    found: Found | None = getattr(setting, "found" if is_read else "data", None)
    notes = found.assumed_lines() if found else []
    if hasattr(answer, "parameters") and callable(answer):
        if tokenizer is None:
            raise InvalidInput("a torch module needs tokenizer=..., with encode and decode")
        judged = external.judge_module(answer, tokenizer, asked, prompt_template)
        return JudgedModels(judged, notes=notes)
    if callable(answer):
        judged = external.judge_model(answer, None, asked, prompt_template)
        return JudgedModels(judged, notes=notes)
    names: Sequence[str] = ("the model",)
    if isinstance(answer, str | Path):
        answer = [answer]
    if isinstance(answer, Sequence) and answer and all(isinstance(x, str | Path) for x in answer):
        names = [Path(x).name for x in answer]
        models = [read_answers(Path(x)) for x in answer]
    else:
        models = [external.listed_answers(answer)]
    said = found.given if found else keywords.given(options)
    tested = "test_digits" in said or not (setting is None or is_read)
    return judge_answers(names, models, asked, tested, found, notes)


@contextmanager
def _no_script() -> Iterator[None]:
    """Let processes that are started here not run the caller's script again.

    They need nothing of it, and one without ``if __name__ == "__main__"`` would start them again.
    """
    script = sys.modules["__main__"]
    sys.modules["__main__"] = ModuleType("__main__")
    try:
        yield
    finally:
        sys.modules["__main__"] = script


def report(grid: str | Path = "headline", *, folder: str | Path | None = None) -> Judged:
    """Judge the committed evidence of a grid, as ``arith report --check`` does.

    Args:
        grid: its name, its TOML file, or the folder of its evidence, such as ``reports/full``.
        folder: where the folders of the grids are; by default here in ``reports``, or where they
            are committed, if arith is imported from its repository.

    Raises:
        InvalidInput: no such grid, or evidence that is missing or damaged.
    """
    from arith.verify import pipeline

    place = Path(grid)
    if (place / "evidence.jsonl").exists():
        place = place.resolve()
        grid, folder = place.name, place.parent
    with python_errors(("folder",)):
        about = pipeline.judge(str(grid), Path(folder or evidence_folder(str(grid))))
    return Judged(about.verdicts, about.known, about.notes)

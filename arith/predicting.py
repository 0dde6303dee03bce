"""``predict`` and ``read``; and what all answers are: text, HTML, a table for pandas."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass, replace
from fractions import Fraction
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from arith import keywords
from arith.keywords import takes
from arith.printing import Part, Table, Text, plain_text, prediction_parts
from arith.theory.errors import InvalidInput
from arith.theory.generalization.lengths import LengthPrediction
from arith.theory.prediction.predict import Prediction
from arith.theory.prediction.predict import predict as predict_setting
from arith.theory.setting.requests import Request, setting_columns
from arith.theory.setting.settings import Setting

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from pandas import DataFrame

    from arith.verify.data.finding import Found


class Shown(ABC):
    """An answer: the parts that the command prints, and its numbers row by row."""

    @abstractmethod
    def parts(self) -> list[Part]:
        """What the command prints."""

    @abstractmethod
    def records(self) -> list[dict[str, Any]]:
        """An object per test length: its setting, its shares as text and as numbers."""

    def __repr__(self) -> str:
        return plain_text(self.parts())

    def _repr_html_(self) -> str:
        return f"<div>{''.join(map(_html, self.parts()))}</div>"

    def html_page(self, picture: str = "") -> str:
        """A page for a browser, which needs nothing but itself.

        Args:
            picture: an SVG, to stand below the text.
        """
        body = "body{font:15px sans-serif;max-width:60em;margin:2em auto}"
        style = f"<style>{body}td,th{{padding:.1em 1em .1em 0}}</style>"
        head = f'<!DOCTYPE html><html lang="en"><meta charset="utf-8">{style}'
        return f"{head}<title>arith</title>{self._repr_html_()}{picture}</html>\n"

    def to_frame(self) -> DataFrame:
        """``records`` as a table of pandas (InvalidInput: pandas is not installed)."""
        try:
            from pandas import DataFrame
        except ImportError:
            raise InvalidInput("to_frame needs pandas: pip install pandas") from None
        return DataFrame(self.records())


def _html(part: Part) -> str:
    """A part as HTML: what is bold in a terminal is bold here."""
    if isinstance(part, Table):
        head, rows = _cells(part.columns, "th"), "".join(_cells(row, "td") for row in part.rows)
        return f"<table><thead>{head}</thead><tbody>{rows}</tbody></table>"
    text = escape(part.text).replace("\n", "<br>")
    return f"<div>{f'<b>{text}</b>' if part.bold else text}</div>"


def _cells(row: Iterable[str], tag: str) -> str:
    style = 'style="text-align: left"'  # a notebook aligns cells to the right
    return f"<tr>{''.join(f'<{tag} {style}>{escape(x)}</{tag}>' for x in row)}</tr>"


@dataclass(frozen=True, repr=False)
class Predicted(Shown):
    """A prediction, shown as ``arith predict`` prints it.

    Args:
        prediction: all of it: each length, the expected function, the derivation.
        explained: whether the derivation is shown in place of the table.
        data: what a file of examples was found to be, where it is predicted from one.
    """

    prediction: Prediction
    explained: bool = False
    data: Found | None = None

    @property
    def setting(self) -> Setting:
        """What was asked."""
        return self.prediction.setting

    @property
    def lengths(self) -> tuple[LengthPrediction, ...]:
        """What is predicted at each test length."""
        return self.prediction.lengths

    @property
    def accuracy(self) -> dict[int, Fraction | None]:
        """The exact accuracy that is claimed, by test length; None where none is."""
        return {x.digits: x.accuracy for x in self.lengths}

    @property
    def function(self) -> str | None:
        """What a converged model is expected to compute; None where training leaves it open."""
        return self.prediction.learned_text

    def explain(self) -> Predicted:
        """The same, shown with its derivation, as ``arith predict --explain`` prints it."""
        return replace(self, explained=True)

    def parts(self) -> list[Part]:
        """The answer; then the table of lengths, or each step to it with its source."""
        found = Read(self.data).parts() if self.data else []
        return [*found, *prediction_parts(self.prediction, self.explained)]

    def records(self) -> list[dict[str, Any]]:
        """The setting, and the lengths of ``arith predict --json``."""
        asked = setting_columns(self.setting)
        return [asked | length for length in self.prediction.to_json()["lengths"]]

    def plot(self) -> Figure:
        """A figure of the predicted accuracy by length."""
        from arith.picture import drawn

        return drawn([(self.setting.text(), self.prediction, [])])


@dataclass(frozen=True, repr=False)
class Read(Shown):
    """A file of examples, shown as ``arith predict --data`` tells what it is.

    Args:
        found: its setting, and what it shows and lacks.
    """

    found: Found

    @property
    def setting(self) -> Setting:
        """How a model of it is trained: ``judge`` takes it."""
        return self.found.setting

    def parts(self) -> list[Part]:
        """What was found, what the file shows, and what it lacks."""
        return [Text("\n".join(self.found.lines()), indent="  ")]

    def records(self) -> list[dict[str, Any]]:
        """The setting, and how many examples have each length."""
        asked = setting_columns(self.setting)
        return [
            {**asked, "digits": n, "examples": count, "share": count / self.found.fit}
            for n, count in self.found.lengths
        ]


@takes(Request)
def read(data: str | Path, test_data: str | Path | None = None, **options: Any) -> Read:
    """What a file of examples is; what is not given is found, as by ``arith predict --data``.

    Raises:
        InvalidInput: a file of other text, or an option that does not fit it.
    """
    from arith.verify.plan.examples import find_setting_of

    request = keywords.read(Request, options)
    test = None if test_data is None else Path(test_data)
    return Read(find_setting_of(Path(data), test, request, keywords.given(options)))


@takes(Request)
def predict(
    task: str | None = None,
    data: str | Path | None = None,
    test_data: str | Path | None = None,
    **options: Any,
) -> Predicted:
    """Predict how a model does on shorter and longer inputs, as ``arith predict`` does.

    Lengths may be numbers, lists, ranges or text: ``train_digits=2``, ``test_digits=range(1, 9)``.
    From a file of examples, ``data``, what is not given is found.

    Raises:
        InvalidInput: an unknown name, a value that no setting can have, or a file of other text.
    """
    options["task"] = task
    if data is not None:
        found = read(data, test_data, **options).found
        return Predicted(predict_setting(found.setting), data=found)
    if test_data is not None:
        raise InvalidInput("test_data needs data, the examples of training")
    return Predicted(predict_setting(keywords.read(Request, options).setting()))

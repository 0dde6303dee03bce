"""Comparisons: one task under several encodings, layouts, windows or training domains.

>>> from arith.theory.setting.requests import Request
>>> from arith.theory.studies.compare import compare
>>> found = compare(Request(task="add", train_digits="2"), {"pe": "ape,abacus"})
>>> [str(row.prediction.lengths[-1].accuracy) for row in found.rows]
['0', '1']
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from math import prod
from typing import Any

from arith.theory.arithmetic.domains import Domain
from arith.theory.errors import InvalidInput, NoTask, unknown_name
from arith.theory.generalization.lengths import LengthPrediction
from arith.theory.prediction.predict import Prediction, predict
from arith.theory.setting.requests import Request, flag, options_of, whole_number
from arith.theory.transformer.encodings import ENCODINGS
from arith.theory.transformer.layouts import LAYOUTS

BY = {
    "pe": ",".join(ENCODINGS),
    "layout": ",".join(LAYOUTS),
    "window": "0,2,3,4,5,6,8,12,16",
    "train_digits": "1,2,3,4,5",
}
"""What may differ between the rows, each with its values where none are given."""
MOST_ROWS = 200
"""Predictions of one comparison at most."""


@dataclass(frozen=True)
class Row:
    """One setting of a comparison.

    Args:
        values: of the options that differ between rows, as the command line takes them.
        found: what is predicted, or why the setting makes no sense.
    """

    values: tuple[str, ...]
    found: Prediction | InvalidInput

    @property
    def prediction(self) -> Prediction | None:
        """None where the setting makes no sense."""
        return None if isinstance(self.found, InvalidInput) else self.found

    @property
    def refused(self) -> str:
        """Why it makes none; empty where it makes sense."""
        return str(self.found) if isinstance(self.found, InvalidInput) else ""

    def at(self, digits: int) -> LengthPrediction | None:
        """What is predicted at a test length, if it is tested."""
        lengths = self.prediction.lengths if self.prediction else ()
        return next((x for x in lengths if x.digits == digits), None)

    def is_trained(self, digits: int) -> bool:
        """Whether a test length is covered by training."""
        return self.prediction is not None and self.prediction.setting.is_premise(digits)


@dataclass(frozen=True)
class Comparison:
    """Predictions side by side.

    Args:
        by: the names of the options that differ between rows.
    """

    by: tuple[str, ...]
    rows: tuple[Row, ...]

    @cached_property
    def predicted(self) -> list[Row]:
        """The rows whose settings make sense."""
        return [row for row in self.rows if row.prediction]

    @cached_property
    def lengths(self) -> list[int]:
        """The test lengths, ascending."""
        each = (row.prediction.lengths for row in self.rows if row.prediction)
        return sorted({x.digits for lengths in each for x in lengths})

    def to_json(self) -> dict[str, Any]:
        """Every row with its values and its prediction as ``arith predict --json`` prints it."""
        return {
            "by": list(self.by),
            "rows": [
                {
                    **dict(zip(self.by, row.values, strict=True)),
                    "prediction": row.prediction and row.prediction.to_json(),
                    "refused": row.refused or None,
                }
                for row in self.rows
            ],
        }


def compare(request: Request, varied: Mapping[str, str], train: Domain | None = None) -> Comparison:
    """The predictions of a request with every combination of some options' values.

    Test lengths are the same in every row: unless they are given, those up to three digits more
    than the longest that any row trains on.

    Args:
        varied: the names of options, of ``BY``, each with its values, separated by commas; those
            with one value are the same in every row.
        train: what a file of examples shows, in place of what options say of training.

    Raises:
        InvalidInput: an option that cannot differ, too many rows, or none that makes sense.
    """
    for name in varied:
        if name not in BY:
            raise unknown_name("option to compare by", name, BY)
    each = {name: values_of(name, text) for name, text in varied.items()}
    by = [i for i, values in enumerate(each.values()) if len(values) > 1] or [0]
    if prod(map(len, each.values())) > MOST_ROWS:
        raise InvalidInput(f"a comparison has at most {MOST_ROWS} rows")
    combinations = list(product(*each.values()))
    changes = [{n: _value(n, x) for n, x in zip(each, xs, strict=True)} for xs in combinations]
    if request.test_digits is None and "train_digits" in each:
        tested = [1]
        for x in changes:
            with suppress(InvalidInput):  # it makes no sense
                tested.append(replace(request, **x).setting().test_lengths[-1])
        request = replace(request, test_digits=f"1-{max(tested)}")
    rows = tuple(
        Row(tuple(values[i] for i in by), predicted(request, train, **x))
        for values, x in zip(combinations, changes, strict=True)
    )
    if isinstance(rows[0].found, InvalidInput) and not any(row.prediction for row in rows):
        raise rows[0].found
    return Comparison(tuple([*each][i] for i in by), rows)


def predicted(
    request: Request, train: Domain | None = None, **changes: Any
) -> Prediction | InvalidInput:
    """The prediction for a request, or why it makes no sense.

    Args:
        train: what a file of examples shows, in place of what options say of training.
        changes: options with other values than in the request.
    """
    try:
        setting = replace(request, **changes).setting()
        return predict(replace(setting, train=train) if train else setting)
    except NoTask:  # no changed request has one
        raise
    except InvalidInput as error:
        return error


def values_of(name: str, text: str) -> tuple[str, ...]:
    """The values in a text: ``ape, rope`` has two, and so has ``plain, reversed, no signs``.

    A word that is no name of a layout says what differs in the one before it.
    """
    found: list[str] = []
    for value in (" ".join(part.split()) for part in text.split(",")):
        if name == "layout" and found and value not in LAYOUTS:
            found[-1] += f", {value}"
        else:
            found.append(value)
    return tuple(dict.fromkeys(found))


def _value(name: str, text: str) -> Any:
    """One value of an option; a setting may still make no sense with it (InvalidInput: none)."""
    if name == "window":
        return whole_number(name, text)
    options_of(Request)[name].value(text, flag(name), 0)
    return text

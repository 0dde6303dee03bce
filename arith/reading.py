"""``read``: what a file of examples is, shows and lacks."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from arith.keywords import read as read_options
from arith.keywords import takes
from arith.predicting import Shown
from arith.printing import Part, Text
from arith.theory.setting.requests import Request, setting_columns
from arith.theory.setting.settings import Setting

if TYPE_CHECKING:
    from arith.verify.data.finding import Found


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

    given = {name for name, value in options.items() if value is not None}
    test = None if test_data is None else Path(test_data)
    return Read(find_setting_of(Path(data), test, read_options(Request, options), given))

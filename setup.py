"""The wheel has one name at its top: what stands beside ``arith`` here stands below it there.

``theory`` is ``arith.theory`` in the wheel, ``cli.py`` is ``arith/cli.py``, and the lines that
import them are rewritten.  An editable installation keeps the names of the repository.
"""

from __future__ import annotations

import re
import shutil
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

TOP = "arith"


class BelowOneName(build_py):
    """Builds the packages, and for a wheel puts them all below ``TOP``."""

    def run(self) -> None:
        if self.editable_mode:
            super().run()
            return
        shutil.rmtree(self.build_lib, ignore_errors=True)  # an older build may have other files
        super().run()
        put_below(Path(self.build_lib))


def put_below(library: Path) -> None:
    """Move all that a folder of packages and modules has into ``TOP``, under new names."""
    beside = [path for path in library.iterdir() if path.name != TOP]
    files = [path.relative_to(library) for path in library.rglob("*.py")]
    names = {".".join(path.with_suffix("").parts).removesuffix(".__init__") for path in files}
    moved = {name for name in names if name.split(".")[0] != TOP}
    for path in beside:
        path.rename(library / TOP / path.name)
    for path in library.rglob("*.py"):
        path.write_text(renamed(path.read_text("utf-8"), moved), "utf-8")


def renamed(source: str, moved: set[str]) -> str:
    """Source with the new names of modules: in imports, also those of examples, and in strings.

    A string is one only with a dot: ``"verify"`` is a word, ``"verify.plan"`` a module.
    """
    tops = "|".join(sorted({name.split(".")[0] for name in moved}))
    source = re.sub(rf"(?m)^(\s*(?:>>> )?from )((?:{tops})[\w.]* import )", rf"\1{TOP}.\2", source)
    strings = "|".join(sorted((re.escape(name) for name in moved if "." in name), key=len))
    return re.sub(rf"([\"'])((?:{strings})\1)", rf"\1{TOP}.\2", source)


setup(cmdclass={"build_py": BelowOneName})

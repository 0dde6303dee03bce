"""The code of an export: that of this package, which needs nothing of it where it is copied to.

It is the file ``huggingface_model.py`` and all that it imports, with the imports between them made
relative.
"""

from __future__ import annotations

import re
from importlib.util import find_spec
from pathlib import Path

CODE = "arith.verify.model.huggingface_model"
_IMPORT = re.compile(r"^from (arith\.[\w.]+\.(\w+)) import", re.MULTILINE)
_ONLY_TYPES = re.compile(
    r"^from typing import TYPE_CHECKING\n+|^if TYPE_CHECKING:\n(?: .+\n)+", re.MULTILINE
)
"""What is imported for type checks alone: an export does without."""


def sources() -> dict[str, str]:
    """The code of an export: the text of each file, by its name.

    Raises:
        RuntimeError: two modules have the same last name, and one folder has to hold both.
    """
    found: dict[str, str] = {}
    modules: dict[str, str] = {}
    waiting = [CODE]
    while waiting:
        module = waiting.pop()
        file = f"{module.rpartition('.')[2]}.py"
        if modules.setdefault(file, module) != module:
            raise RuntimeError(f"{modules[file]} and {module} would both be written to {file}")
        if file in found:
            continue
        spec = find_spec(module)
        assert spec is not None and spec.origin is not None
        text = _ONLY_TYPES.sub("", Path(spec.origin).read_text(encoding="utf-8"))
        found[file] = _IMPORT.sub(r"from .\2 import", text)
        waiting += [x for x, _ in _IMPORT.findall(text)]
    return found

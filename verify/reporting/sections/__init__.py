"""The sections of a report, one file each.

A section is a module of this folder with ``ORDER``, its place on the page (the lowest first), and
``section(report)``, its blocks.  There are none where the evidence has nothing for it.  Otherwise
they begin with a heading and the one sentence that says what was found.
"""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules

from arith.verify.reporting.blocks import Block
from arith.verify.reporting.report import Report


def sections(report: Report) -> list[Block]:
    """The blocks of all sections, in their order."""
    modules = [import_module(f"{__name__}.{file.name}") for file in iter_modules(__path__)]
    ordered = sorted(modules, key=lambda module: module.ORDER)
    return [block for module in ordered for block in module.section(report)]

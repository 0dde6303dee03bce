"""The sections of a report, one file each.

A section is a module of this folder with ``ORDER``, its place on the page (the lowest first), and
``section(report)``, its Markdown.  That is empty where the evidence has nothing for it; otherwise
it begins with a heading and the one sentence that says what was found, and the figure that it
shows is written to the folder of the report.
"""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules

from verify.reporting.report import Report


def sections(report: Report) -> list[str]:
    """The sections that the evidence allows, in their order."""
    modules = [import_module(f"{__name__}.{found.name}") for found in iter_modules(__path__)]
    texts = [module.section(report) for module in sorted(modules, key=lambda m: m.ORDER)]
    return [text for text in texts if text]

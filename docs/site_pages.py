"""The site also has what the pages link to outside docs/: reports, sources, evidence.

A page of the repository stands in the site at its path in the repository, those of docs/ without
the folder.  So a link is written once, as it works in the repository, and works in the site too.

Formulas are LaTeX between dollars.  They become MathML, which browsers draw by themselves: no
script and no font is loaded.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from html import unescape
from pathlib import Path

from latex2mathml.converter import convert
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files, InclusionLevel
from mkdocs.structure.pages import Page

ROOT = Path(__file__).parent.parent
LEAD = "<!-- the lead of the README -->"
"""What stands in the first page of the site for the README up to its first heading."""
_LINK = re.compile(r"(?<=\]\()(?![a-z]+:|[#/])([^)#\s]+)")
_FORMULA = re.compile(r'<(span|div) class="arithmatex">\\([(\[])(.*?)\\[)\]]</\1>', re.S)
_SOURCES = {".py": "python", ".toml": "toml", ".sh": "sh", ".yml": "yaml", ".cff": "yaml"}
"""Files that are shown as pages, with the names of their languages."""


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the reports, and all that is linked from a page, or from one so added."""
    paths = ["README.md", *(f"docs/{file.src_uri}" for file in files.documentation_pages())]
    paths += [str(path.relative_to(ROOT)) for path in sorted(ROOT.glob("reports/**/*.md"))]
    seen = set(paths)
    for path in paths:  # which grows
        if not path.startswith("docs/") and path != "README.md":
            files.append(_file(path, config))
        if path.endswith(".md"):
            found = {x for _, x in _links((ROOT / path).read_text(), path)} - seen
            paths += sorted(x for x in found if (ROOT / x).is_file())
            seen |= found
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Let links out of docs/ go to where these files are in the site."""
    here = page.file.src_uri
    path = f"docs/{here}" if (ROOT / "docs" / here).exists() else here
    lead = (ROOT / "README.md").read_text().partition("\n## ")[0]
    return _moved(markdown, path, here).replace(LEAD, _moved(lead, "README.md", here))


def on_page_content(html: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Set formulas."""
    return _FORMULA.sub(
        lambda x: convert(unescape(x[3]), display="block" if x[2] == "[" else "inline"), html
    )


def _links(text: str, path: str) -> Iterator[tuple[str, str]]:
    """Each link of a page out of itself, as written and as a path in the repository."""
    for link in _LINK.findall(text):
        target = posixpath.normpath(posixpath.join(posixpath.dirname(path), link))
        yield link, f"{target}/README.md" if (ROOT / target).is_dir() else target


def _moved(text: str, path: str, here: str) -> str:
    """A page of the repository with its links as they have to be in a page of the site."""
    found = dict(_links(text, path))
    folder = posixpath.dirname(here) or "."
    return _LINK.sub(lambda link: posixpath.relpath(_place(found[link[1]]), folder), text)


def _place(path: str) -> str:
    """Where a file of the repository is in the site."""
    if path == "README.md":
        return "index.md"
    return path.removeprefix("docs/") + ".md" * (posixpath.splitext(path)[1] in _SOURCES)


def _file(path: str, config: MkDocsConfig) -> File:
    """A file of the repository as one of the site; sources and long tables are not searched."""
    place, language = _place(path), _SOURCES.get(posixpath.splitext(path)[1])
    if not path.endswith(".md") and language is None:
        return File.generated(config, place, abs_src_path=str(ROOT / path))
    text, head = (ROOT / path).read_text(), ""
    if language or path.endswith("/cells.md"):
        head = "---\nsearch:\n  exclude: true\n---\n\n"
    if language:
        text = f"# {path}\n\n```{language}\n{text}```\n"
    shown = InclusionLevel.NOT_IN_NAV if language else InclusionLevel.UNDEFINED
    return File.generated(config, place, content=head + text, inclusion=shown)

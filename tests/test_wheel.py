"""The wheel: one name at its top, whatever else is installed beside it."""

from __future__ import annotations

import ast
import json
import os
import shutil
import subprocess
import sys
import venv
from pathlib import Path
from zipfile import ZipFile

import pytest
from builders.paths import ROOT

from arith import __version__
from arith.verify.model.exported_code import sources

TAKEN = ("cli", "commands", "printing", "theory", "verify")
"""Names of the repository that other programs may have too."""
SOURCES = ("arith", *TAKEN, "pyproject.toml", "README.md", "LICENSE")
BUILD = "import sys; from hatchling.build import build_wheel; build_wheel(sys.argv[1])"
SCRIPT = """
from arith import predict, verify
from arith.verify.plan.cells import Cell
print(predict("mod_add", modulus=101, train_digits=2).accuracy[4])
for _ in range(2):
    got = verify("mod_add", modulus=10, base=4, train_digits=2, test_digits=3, budget=1, jobs=1)
    print(got.verdict, got.verdicts[0].runs[0].steps, type(got.verdicts[0].cell) is Cell)
"""
"""It has no guard: what trains for it must not run it again."""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A wheel of a copy of the sources, so that nothing is built among them."""
    folder = tmp_path_factory.mktemp("wheel")
    for name in SOURCES:
        source = ROOT / name if (ROOT / name).exists() else ROOT / f"{name}.py"
        copy = shutil.copytree if source.is_dir() else shutil.copy
        copy(source, folder / source.name)
    subprocess.run([sys.executable, "-c", BUILD, "."], cwd=folder, capture_output=True, check=True)
    [built] = folder.glob("*.whl")
    return built


def test_it_has_every_file_below_one_name(wheel: Path) -> None:
    found = set(ZipFile(wheel).namelist())
    assert {name.split("/")[0] for name in found} == {"arith", f"arith-{__version__}.dist-info"}
    folders = [ROOT / name for name in TAKEN if (ROOT / name).is_dir()]
    files = (p.relative_to(ROOT) for folder in folders for p in folder.rglob("*") if p.is_file())
    missing = {f"arith/{p}" for p in files if "__pycache__" not in p.parts} - found
    assert missing == set()


def test_no_module_in_it_imports_or_names_one_beside_arith(wheel: Path) -> None:
    archive, beside = ZipFile(wheel), set[str]()
    modules = {name for name in archive.namelist() if name.endswith(".py")}
    for name in modules:
        for node in ast.walk(ast.parse(archive.read(name))):
            named = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            named += [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.Constant) and "." in (text := str(node.value)):
                path = f"arith/{text.replace('.', '/')}"
                named += [text] if {f"{path}.py", f"{path}/__init__.py"} & modules else []
            beside |= {f"{name}: {x}" for x in named if x.split(".")[0] in TAKEN}
    assert beside == set()


def test_the_code_of_an_export_of_it_imports_nothing_of_arith(wheel: Path, tmp_path: Path) -> None:
    ZipFile(wheel).extractall(tmp_path)
    program = "import json; from arith.verify.model.exported_code import sources as s; "
    program += "import arith; print(json.dumps([arith.__file__, s()]))"
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    words = [sys.executable, "-c", program]
    said = subprocess.run(words, cwd=tmp_path, env=environment, capture_output=True, check=True)
    package, files = json.loads(said.stdout)
    assert Path(package).is_relative_to(tmp_path)
    assert files.keys() == sources().keys() and "gpt.py" in files
    for name, text in files.items():
        nodes = [x for x in ast.walk(ast.parse(text)) if isinstance(x, ast.ImportFrom)]
        absolute = {(x.module or "").split(".")[0] for x in nodes if x.level == 0}
        assert absolute.isdisjoint({"arith", *TAKEN}), name
        assert all(f"{x.module}.py" in files for x in nodes if x.level)


@pytest.mark.training
def test_it_works_beside_other_programs(wheel: Path, tmp_path: Path) -> None:
    """In an environment of its own, with this one's libraries, and outside the repository."""
    home = tmp_path / "venv"
    venv.create(home, symlinks=True)
    python = str(home / "bin" / "python")
    variables = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "COLUMNS")}

    def run(*words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(words, cwd=tmp_path, env=variables, capture_output=True, text=True)

    pip = (sys.executable, "-m", "pip", "--python", python, "install")
    options = ("--no-deps", "--no-index", "--no-compile")  # few of its modules are run
    assert run(*pip, *options, str(wheel)).returncode == 0
    [packages] = home.glob("lib/python*/site-packages")
    libraries = [path for path in sys.path if Path(path).name == "site-packages"]
    (packages / "libraries.pth").write_text("\n".join(libraries))
    for name in TAKEN:
        (packages / f"{name}.py").write_text("raise RuntimeError('another program')")
    command = str(home / "bin" / "arith")
    assert run(command, "--version").stdout.startswith(f"arith {__version__} (theory ")
    (tmp_path / "script.py").write_text(SCRIPT)
    done = run(python, "script.py")
    assert done.stdout.splitlines() == ["49/4950", *["inconclusive 1 True"] * 2], done.stderr
    assert done.stderr.count("training 1 model") == 1
    assert run(command, "literature", "principled-mul-on-2").returncode == 0  # from a data file
    lacking = run(command, "report", "--grid", "headline", "--check")
    assert lacking.returncode == 2
    assert lacking.stderr.startswith("arith: there is no evidence reports/headline/evidence.jsonl")

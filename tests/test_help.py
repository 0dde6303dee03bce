"""What the command says of itself: help, exit codes, versions, names that need no quotes."""

from __future__ import annotations

import re

import pytest
from builders.command_line import run_cli
from builders.paths import ROOT

from arith import __version__
from arith.cli import COMMANDS
from arith.theory.rules import THEORY_VERSION
from arith.verify.plan.recipe import DENSE, RECIPE


def test_every_command_has_the_short_form_of_help() -> None:
    commands = re.findall(r"^  ([a-z]+)  ", run_cli("-h").out.split("Commands:")[1], re.M)
    assert len(commands) >= 12
    for words in ([], *([name] for name in commands)):
        short, whole = run_cli(*words, "-h"), run_cli(*words, "--help")
        assert short == whole and short.code == 0
        assert "-h, --help" in short.out
    assert list(COMMANDS) == commands


@pytest.mark.parametrize("name", COMMANDS)
def test_the_list_says_of_a_command_what_it_says_of_itself(name: str) -> None:
    assert run_cli(name, "--help").out.split("\n\n")[1].strip() == COMMANDS[name][1]


def test_help_has_the_exit_codes_of_the_page_on_commands() -> None:
    shown = run_cli("--help", width=80).out.split("Exit codes:")[1]
    codes = re.findall(r"^ +(\d+)  \w", shown, re.M)
    table = re.findall(r"^\| (\d+) \|", (ROOT / "docs" / "usage.md").read_text(), re.M)
    assert codes == table and len(codes) >= 7


def test_the_version_names_what_results_depend_on() -> None:
    done = run_cli("--version")
    said = f"arith {__version__} (theory {THEORY_VERSION}, recipes place-noise {RECIPE.version}, "
    said += f"dense-noise {DENSE.version})\n"
    assert (done.code, done.out) == (0, said)


def test_a_rule_of_two_words_needs_no_quotes() -> None:
    assert run_cli("theorems", "joint", "support") == run_cli("theorems", "joint support")

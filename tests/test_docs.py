"""The pages: their commands run, their outputs, links and figures are as they say."""

from __future__ import annotations

import doctest
import re
import shlex
import shutil
import tomllib
from contextlib import closing
from dataclasses import replace
from fractions import Fraction
from functools import cache
from math import floor
from pathlib import Path
from typing import Any

import pytest
import yaml
from builders.cells import cell
from builders.command_line import run_cli
from builders.evidence import FROZEN, read_once
from builders.paths import HEADLINE_EVIDENCE, ROOT

from arith import __version__
from arith.theory.arithmetic.directions import Direction
from arith.theory.generalization.lengths import LengthPrediction
from arith.theory.generalization.outcomes import Claim
from arith.theory.setting.training import DEFAULT_BUDGET
from arith.verify.plan import grids
from arith.verify.plan.cells import adapted
from arith.verify.plan.grids import GRIDS
from arith.verify.plan.recipe import CHUNK, PAPER, RECIPE
from arith.verify.plan.sizes import SIZES, size
from arith.verify.records.evidence import read_evidence
from arith.verify.records.reading import PRECISIONS
from arith.verify.records.store import Store
from arith.verify.reporting.book_plots import THEOREMS, lesson, predicted, trained
from arith.verify.reporting.exports import committed

DOCS = ROOT / "docs"
PAGES = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    *sorted(DOCS.rglob("*.md")),
    ROOT / "benchmarks" / "README.md",
]


@pytest.fixture
def evidence_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Some tests ask for the same committed evidence, which takes seconds to read."""
    for name in ("book_plots", "exports"):
        monkeypatch.setattr(f"arith.verify.reporting.{name}.read_evidence", read_once)


def shell_lines(page: Path) -> list[str]:
    """The lines of a page's shell blocks, without prompts, comments and what commands print."""
    whole = page.read_text().replace("\\\n", "")  # a command may go on on the next line
    blocks = re.findall(r"```(console|sh|bash)\n(.*?)```", whole, re.S)
    lines = [
        line.removeprefix("$ ").strip()
        for kind, block in blocks
        for line in block.splitlines()
        if kind != "console" or line.startswith("$ ")
    ]
    return [re.split(r" +# ", line)[0] for line in lines]


def shown_outputs(page: Path) -> list[tuple[str, str]]:
    """The commands of a page that stand there with what they print."""
    blocks = re.findall(r"```console\n(.*?)```", page.read_text(), re.S)
    shown = [part for block in blocks for part in re.split(r"^\$ ", block, flags=re.M) if part]
    return [(line, out) for line, _, out in (x.partition("\n") for x in shown) if out.strip()]


OUTPUTS = [(page, *shown) for page in PAGES for shown in shown_outputs(page)]
ELSEWHERE = {"arith literature"}
"""Run in a file of tests that has compared all findings."""
COMMANDS = sorted(
    {x for page in PAGES for x in shell_lines(page) if x.startswith("arith ")}
    - {command for _, command, _ in OUTPUTS}
    - ELSEWHERE
)


def test_the_pages_have_their_commands() -> None:
    assert len([x for x in shell_lines(ROOT / "README.md") if x.startswith("arith ")]) >= 4
    assert len(COMMANDS) >= 20


@pytest.mark.documents
@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_of_the_pages_runs(command: str, tmp_path: Path) -> None:
    """Predictions run whole; training commands are read to the end, and given no time to train."""
    words = shlex.split(command)[1:]
    if words[0] in ("ask", "export") or "--from" in words:
        done = run_cli(*words, cwd=tmp_path)
        assert "is no kept model" in done.err
    elif words[0] == "inspect":
        done = run_cli(*words, "--seed", "-1")
        assert "seeds go from 0" in done.err
    elif words[0] == "explore":
        assert "--port goes from" in run_cli(*words, "--port", "0", cwd=tmp_path).err
    elif words[0] == "judge":
        missing = "there is no folder" if "--model" in words else "cannot read the "
        assert missing in run_cli(*words, cwd=tmp_path).err
    elif words[0] == "verify":
        done = run_cli(*words, "--store", str(ROOT / "README.md"), cwd=tmp_path)
        assert "cannot use the store" in done.err
    elif words[0] == "report" and "--all" not in words:
        printed = {"--html", "--json", "--check"} & set(words)
        more = ["--check"] if "--grid" in words and not printed else []
        with closing(Store(tmp_path / ".arith" / "measurements.sqlite")) as store:
            runs = read_evidence(HEADLINE_EVIDENCE)
            store.add(next(x for x in runs if x.recipe == x.cell.recipe.version))
        more += ["--folder", str(ROOT / "reports")] if "--grid" in words else []
        done = run_cli(*words, *more, cwd=tmp_path)
        assert done.code in (0, 1, 3), done.err
    else:
        if words[0] == "data" or "--all" in words:
            shutil.copytree(ROOT / "reports" / "headline", tmp_path / "reports" / "headline")
        (tmp_path / "train.txt").write_text("12+34=46\n5+7=12\n")
        assert run_cli(*words, cwd=tmp_path).code == 0


def test_commands_that_the_text_names_exist_with_their_options() -> None:
    text = "\n".join(page.read_text() for page in PAGES)
    help_of = cache(lambda name: run_cli(name, "--help").out)
    for command in re.findall(r"`(arith \w[^`\n]*)`", text):
        name, *words = shlex.split(command)[1:]
        assert [x for x in words if x.startswith("--") and x not in help_of(name)] == [], command


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder whose store has committed models, as trained with what this machine may pick."""
    folder = tmp_path_factory.mktemp("project")
    store = Store(folder / ".arith" / "measurements.sqlite")
    for grid in ("headline", "relative"):
        for run in read_evidence(ROOT / "reports" / grid / "evidence.jsonl"):
            for precision in PRECISIONS:
                store.add(replace(run, precision=precision))
    return folder


@pytest.mark.documents
@pytest.mark.parametrize(("page", "command", "output"), OUTPUTS, ids=[x[1] for x in OUTPUTS])
def test_what_a_page_shows_is_what_the_command_prints(
    folder: Path, page: Path, command: str, output: str
) -> None:
    """Nothing is trained: ``verify`` finds its models in the store."""
    for grid in re.findall(r"```toml\n(.*?)```", page.read_text(), re.S):
        (folder / "my.toml").write_text(grid)
    done = run_cli(*shlex.split(command)[1:], cwd=folder, width=80)
    assert done.code == 0, done.err
    printed, shown = (
        "".join(f"{line.rstrip()}\n" for line in text.strip().splitlines())
        for text in (done.out, output)
    )
    same = doctest.OutputChecker().check_output(shown, printed, doctest.ELLIPSIS)
    assert same, printed  # a line of dots stands for lines that are left out


def test_the_pages_show_outputs() -> None:
    assert {page.stem for page, _, _ in OUTPUTS} >= {"README", "why", "counting", "prediction"}


def test_the_citation_has_what_is_required() -> None:
    """Of CITATION.cff 1.2.0, and as in pyproject.toml."""
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert (cited["cff-version"], cited["license"]) == ("1.2.0", project["license"])
    assert cited["message"] and cited["title"].startswith(project["name"])
    assert cited["version"] == __version__
    for work in (cited, *cited["references"]):
        assert work["title"] and work["type"]
        assert all(author.keys() & {"name", "family-names"} for author in work["authors"])
    assert "2407.17963" in cited["references"][0]["url"]


def test_make_targets_of_the_pages_exist() -> None:
    makefile = (ROOT / "Makefile").read_text()
    named = {x.split()[1] for page in PAGES for x in shell_lines(page) if x.startswith("make ")}
    assert named and {x for x in named if f"\n{x}:" not in makefile} == set()


def test_what_a_page_points_to_exists() -> None:
    """Files that are linked or named, and the headings of links."""
    for page in PAGES:
        text = page.read_text()
        for target, heading in re.findall(r"\]\((?!https?:)([^)#\s]*)#?([^)\s]*)\)", text):
            linked = (page.parent / target).resolve() if target else page
            assert linked.exists(), f"{page}: {target}"
            titles = re.findall(r"^#+ (.*)", linked.read_text(), re.M) if heading else []
            known = ["", *(t.lower().replace(" ", "-") for t in titles)]
            assert heading in known, f"{page}: {heading}"
        named = r"(?<![\w/.])(?:theory|verify|commands|tests|docs|benchmarks)/[\w./-]*"
        for path in re.findall(named, text):
            assert (ROOT / path.rstrip(".")).exists(), f"{page}: {path}"


def test_the_python_examples_of_the_page_on_usage_run() -> None:
    found = doctest.testfile(str(DOCS / "usage.md"), module_relative=False)
    assert found.attempted >= 4
    assert found.failed == 0


def test_the_page_on_usage_has_every_grid() -> None:
    text = (DOCS / "usage.md").read_text()
    assert [grid for grid in GRIDS if f"`{grid}`" not in text] == []


@pytest.mark.parametrize("page", ["usage", "published-code"])
def test_the_grid_of_a_page_can_be_read(page: str, tmp_path: Path) -> None:
    [grid] = re.findall(r"```toml\n(.*?)```", (DOCS / f"{page}.md").read_text(), re.S)
    (tmp_path / "my.toml").write_text(grid)
    assert "1 cell;" in run_cli("grid", "--grid", "my.toml", cwd=tmp_path).out


def test_the_page_on_the_published_code_has_the_constants_of_the_recipe() -> None:
    text = words("docs/published-code.md")
    products, least = adapted(PAPER, cell("mul").setting), PAPER.adamw_lr * PAPER.least_lr
    assert (PAPER.decays, products.decays, PAPER.muon_lr) == (True, False, 0)
    assert (
        f"{PAPER.batch_size} examples a step; AdamW with betas {{}} and {{}} and epsilon 1e-8; "
        f"a peak learning rate of {PAPER.adamw_lr}, for sums on a cosine to {least:.4f}, for "
        f"products constant; weight decay {PAPER.weight_decay} on all but the norms; gradients of "
        f"norm {PAPER.grad_clip:g} at most"
    ).format(*PAPER.betas) in text
    assert f"| {PAPER.noise}/256 and {products.noise}/256, at the same places |" in text
    assert f"| {PAPER.warmup} steps, the first at a hundredth of the peak;" in text
    assert f"{PAPER.published_steps:,} for sums, {products.published_steps:,}" in text
    assert all(f"{s.layers}, {s.heads}, {s.width}" in text for s in map(size, ("nano", "micro")))


MEASURED = (
    "counting",
    "findings",
    "experiments",
    "ignored-digits",
    "proofs",
    "relative",
    "theory",
    "why",
)
"""Pages with measured shares."""


def test_measured_shares_of_the_pages_are_those_of_the_reports() -> None:
    """Shares with three decimals, and in the findings counts such as "93 of 108"."""
    pages = (*ROOT.glob("reports/**/README.md"), *ROOT.glob("reports/*/cells.md"))
    known = [set(re.findall(r"\d+(?:\.\d+)?", x)) for p in pages for x in p.read_text().split("\n")]
    said = [{x} for page in MEASURED for x in re.findall(r"\b0\.\d{3}\b", words(f"docs/{page}.md"))]
    counts = [set(x) for x in re.findall(r"(\d+) of (\d+)", words("docs/findings.md"))]
    assert counts and said
    assert [x for x in counts + said if not any(x <= line for line in known)] == []


@pytest.mark.usefixtures("evidence_read_once")
def test_the_table_of_neighbouring_addresses_is_that_of_the_evidence() -> None:
    rows = re.findall(
        r"^\| ours, (\w+), `aligned` \| (\d) to (\d) \| \.(\d\d) \| \.(\d\d) \|",
        (DOCS / "addresses.md").read_text(),
        re.M,
    )
    assert len(rows) == 4
    for pe, first, last, *said in rows:
        options = {"pe": pe.lower(), "padding": "none", "train_digits": f"{first}-{last}"}
        [model] = trained(predicted("add", **options), ROOT / "reports", "natural")
        shares = [model.accuracy[int(last) + i][0] for i in (1, 2)]
        assert [f"{x:.2f}"[2:] for x in shares] == said


def longer(**options: Any) -> list[LengthPrediction]:
    """What is predicted of sums at the tested lengths that were not trained."""
    found = predicted("add", **options)
    return [x for x in found.lengths if x.direction != Direction.IN_DOMAIN]


def test_the_table_of_recipes_is_what_is_predicted() -> None:
    text = (DOCS / "recipes.md").read_text()
    row = r"^\| [^|]+ \| (`[^|]+) \| [^|]+ \| ([^|]+) \| ([^|]+) \| [^|]+ \| \*"
    rows = re.findall(row, text, re.M)
    assert len(rows) == 10
    for how, *said in rows:
        *layouts, pe = re.findall(r"`([\w-]+)`", how)
        for layout in layouts:
            options: dict[str, Any] = {"layout": layout, "pe": pe, "padding": "none"}
            if "window" in how:
                options |= {"layers": 1, "window": 6}
            found = longer(train_digits="1-4+6", test_digits="5,7", **options)
            told = [
                "right"
                if x.at_least == 1
                else "open"
                if x.claim == Claim.NONE
                else f"wrong on {floor(100 * (1 - x.at_most))} % or more"
                for x in found
            ]
            assert told == said, how


def test_the_table_of_contexts_is_what_is_predicted() -> None:
    text = (DOCS / "relative.md").read_text()
    rows = re.findall(r"^\| (\d) \| (\d) \| D_(\d) \| [^|]+ \| (yes|no)", text, re.M)
    assert len(rows) == 6
    for window, layers, digits, shown in rows:
        options = {"layout": "interleaved", "pe": "nope", "train_digits": digits}
        found = longer(window=int(window), layers=int(layers), **options)
        is_right = all(x.because == ("equal views",) for x in found)
        assert is_right == (shown == "yes"), (window, layers, digits)


def test_the_table_of_spaces_is_what_is_predicted() -> None:
    text = (DOCS / "addresses.md").read_text()
    rows = re.findall(r"^\| (`rpe`|the same|`ape`)[^|]*((?:\| \.\d\d )+)\|$", text, re.M)
    assert len(rows) == 3
    for who, said in rows:
        options = {"layout": "spaced" if who != "`rpe`" else "aligned", "padding": "none"}
        options |= {"pe": "ape" if who == "`ape`" else "rpe", "train_digits": "1-5"}
        bounds = [x.at_most for x in longer(test_digits="6-8,10", **options)]
        assert [f".{float(x):.2f}"[0] + f"{float(x):.2f}"[2:] for x in bounds] == re.findall(
            r"\.\d\d", said
        )


def test_the_table_on_indifference_is_that_of_the_reports() -> None:
    text = (DOCS / "ignored-digits.md").read_text()
    said = re.findall(r"\| \[(\w+)\][^|]*\| (\d+) \| (\d+) \| (\d+) \| (\d+) \|", text)
    assert len(said) == 8
    for name, *counts in said:
        report = (ROOT / "reports" / name / "README.md").read_text()
        sentence = report.split("## Noise invariance")[1].split("\n")[2]
        of_these = re.findall(r"\d+", sentence)  # of those that did not, if there are any
        assert of_these + ["0"] * (4 - len(of_these)) == counts
    totals = [str(sum(int(row[i]) for row in said)) for i in range(1, 5)]
    assert f"| all | {' | '.join(totals)} |" in text


def test_the_table_of_recipes_is_that_of_the_report() -> None:
    text = (DOCS / "ignored-digits.md").read_text()
    rows = r"\| `([\w-]+)`: (.+?) \| (0\.\d{3}) \| (0\.\d{3}) \| (\d+) \| (\d+) \|"
    shares = r"f\^ explains (0\.\d{3}) .*?: (0\.\d{3})\), in (\d+) models? of (\d+) "
    report = rf"`([\w-]+)` \((.+?)\): {shares}"
    told = (ROOT / "reports" / "factors" / "README.md").read_text()
    assert len(re.findall(rows, text)) >= 10
    assert sorted(re.findall(rows, text)) == sorted(re.findall(report, told))


def test_the_page_on_training_has_the_numbers_of_the_recipe() -> None:
    text = (DOCS / "training.md").read_text()
    rows = re.findall(r"^\| `(\w+)` \| ([\d.]+) \|", text, re.M)
    assert len(rows) >= 15
    assert {name: float(value) for name, value in rows} == {x: getattr(RECIPE, x) for x, _ in rows}
    assert f"{DEFAULT_BUDGET:,} steps" in text and f"every {CHUNK} steps" in text
    for name in ("pico", "wide", "nano", "micro", "mini"):
        shape = SIZES[name]
        assert f"`{name}` {shape.layers}, {shape.heads}, {shape.width}" in text


def test_the_rules_cite_sections_of_the_findings_that_exist() -> None:
    cited = set(re.findall(r"docs/findings.md \(([^)]*)\)", run_cli("theorems", "--json").out))
    titles = re.findall(r"^## (.*)", (DOCS / "findings.md").read_text(), re.M)
    assert len(cited) >= 4
    assert cited <= set(titles)


def reported(pattern: str, grid: str = "") -> tuple[str, ...]:
    """The groups of a pattern in the report of a grid, or of all together."""
    found = re.search(pattern, (ROOT / "reports" / grid / "README.md").read_text(), re.M)
    assert found, pattern
    return found.groups()


def words(page: str) -> str:
    """A page as one line."""
    return " ".join((ROOT / page).read_text().split())


SKILL = r"^\| {} +\| all +\| ([\d,]+) +\| ([\d.]+) +\| (\d+%) +" + r"\| ([\d.]+) +" * 5
"""A row of the table of skill: answers, claims, on how many, forecasts, both, a constant; where the
theorem speaks, its error and that of both."""


def test_the_skill_of_the_page_is_that_of_the_report() -> None:
    """The first table of the report, which all numbers of experiments come from."""
    for inputs in ("all", "shorter", "longer"):
        row = " | ".join([inputs, *reported(SKILL.format(inputs))])
        assert f"| {row} |" in words("docs/experiments.md")


def test_the_score_of_the_drawn_settings_is_that_of_their_reports() -> None:
    told, counts, errors = [], [], []
    for grid in FROZEN:
        trained, converged = reported(r"Of \d+ cells (\d+) are trained, (\d+) of them", grid)
        agree, tested, asked = reported(
            r"^- (\d+) of (\d+) claims agree \(asked: \d+%; (.*)\)", grid
        )
        near = r"claims with forecasts are off by ([\d.]+), the {} by ([\d.]+) .*; (.*)\)"
        two = reported(r"^- the best two constants, .* by ([\d.]+) \(.*; (.*)\)", grid)
        both = reported(near.format("best constant"), grid)
        inside = reported(r"^- of (\d+) accuracies without a claim (\d+)% .*; (.*)\)", grid)
        assert (asked, both[2], two[1]) == ("met", "met", "not met")
        assert inside[2] == ("not met" if grid == "frozen-third" else "met")
        counts.append(list(map(int, (trained, converged, agree, tested))))
        errors.append((both[0], both[1], two[0]))
        told.append(
            [
                f"{trained}, {converged}",
                f"{agree} of {tested}, {int(agree) / int(tested):.0%}".replace("%", " %"),
                ", and ".join(reported(near.format("theorem"), grid)[:2]),
                ", and ".join(both[:2]),
                f"{both[0]}, and {two[0]}",
                f"{inside[1]} % of {inside[0]}",
            ]
        )
    page, rows = words("docs/findings.md"), zip(*told, strict=True)
    assert all(f" | {' | '.join(row)} | " in page for row in rows)
    readme = words("README.md")
    guesses = ("arith", "one number for all", "one number for shorter [^|]*")
    for guess, of_each in zip(guesses, zip(*errors, strict=True), strict=True):
        assert re.search(rf"\| {guess} \| " + re.escape(f"{' | '.join(of_each)} |"), readme)
    trained, converged, agree, tested = map(sum, zip(*counts, strict=True))
    assert f"[{trained} settings]" in readme
    assert f"In {converged} of them a model converged." in readme
    assert f"{tested} claims were tested there, and {agree} came true." in readme


def test_the_claims_that_came_true_are_those_of_the_report() -> None:
    true, false = reported(r"^\*\*Of the claims .* ([\d,]+) came true and ([\d,]+) did not")
    said = f"{true} claims came true and {false} did not."
    assert said in words("docs/experiments.md")
    assert f"Of those tested, {true} came true and {false} did not" in words("README.md")
    assert f"come true: {true} did, and {false} did not**" in words("docs/findings.md")


@pytest.mark.usefixtures("evidence_read_once")
def test_the_table_of_the_lesson_is_that_of_the_evidence() -> None:
    rows = re.findall(
        r"^\| \(?(a \+ b\)?[^|]*) \| ([\d.]+) \| ([\d.]+) \|$", (DOCS / "why.md").read_text(), re.M
    )
    assert len(rows) == 3
    for (_, *said), prediction in zip(rows, lesson(layout="aligned"), strict=True):
        models = trained(prediction, ROOT / "reports", "full")
        assert len(models) >= 3
        means = [sum(m.accuracy[n][0] for m in models) / len(models) for n in (3, 4)]
        assert said == [f"{x:.3f}" for x in means]


@pytest.mark.usefixtures("evidence_read_once")
@pytest.mark.parametrize("name", sorted(THEOREMS))
def test_the_trained_models_of_a_theorem_are_those_of_the_evidence(name: str) -> None:
    text = (DOCS / "theory.md").read_text().partition(f"pictures/{name}.svg)")[2]
    said = " ".join(text.partition("**Trained**")[2].partition("([")[0].split())
    models = trained(
        THEOREMS[name](), ROOT / "reports", "natural" if name == "not-found" else "headline"
    )
    assert re.findall(r"(\d+) models?, right", said) == [str(len(models))]
    told = re.findall(r"([\d.]+) at (\d) digits?", said)
    assert len(told) >= 2
    for share, digits in told:
        mean = sum(x.accuracy[int(digits)][0] for x in models) / len(models)
        assert f"{mean:.3f}" == share


@pytest.mark.usefixtures("evidence_read_once")
def test_how_often_single_digits_are_found_is_what_was_measured() -> None:
    """The models of a + b that are bounded one digit beyond all lengths up to one."""
    units, highest, carries = [], [], []
    for run in committed(ROOT / "reports")[0]:
        s, longest = run.cell.setting, max(run.cell.setting.train.every_length)
        is_asked = run.converged and s.natural and not (s.window or s.layout.interleaved)
        if not is_asked or s.task.text() != "a + b" or 1 not in s.train.every_length:
            continue
        [x] = (x for x in run.cell.prediction.lengths if x.digits == longest + 1)
        for m in run.measurements if x.claim == Claim.AT_MOST else ():
            if m.digits == x.digits:
                assert m.correct / m.samples <= x.at_most + Fraction(2, 100)
                found, guess = m.digit_correct[longest] / m.samples, 1 / s.base
                units.append(m.digit_correct[0] / m.samples > 0.5)
                highest.append(found > guess + 0.2)
                if run.cell in grids.grid("new-digit"):
                    carry = 1 / (1 + s.base)
                    carries.append(abs(found - carry) <= min(0.03, abs(found - guess)))
    said = (
        f"Of {len(units)} models of a + b, asked one digit more, {sum(units)} have the units right "
        f"on more than half. In {len(units) - sum(highest)} of the {len(units)} the digit at the "
        "new place is at most .2 better than a guess."
    )
    assert said in words("docs/findings.md")
    theirs = (
        f"{len(units)} models of a + b have a bound at one digit more than trained. "
        f"All {len(units)} keep the bound, as higher digits fail. Yet {sum(units)} of them have "
        "the units right on more than half of the inputs"
    )
    assert theirs in words("docs/theory.md")
    assert f"{sum(carries)} of {len(carries)} were" in words("docs/findings.md")


@pytest.mark.usefixtures("evidence_read_once")
@pytest.mark.parametrize("name", ["abacus", "coupled"])
def test_how_far_numbered_digits_go_is_what_was_measured(name: str) -> None:
    """The table of converged models of a + b, ``aligned``, of natural length."""
    found: dict[int, list[dict[int, float]]] = {}
    for run in committed(ROOT / "reports")[0]:
        s, lengths = run.cell.setting, run.cell.setting.train.every_length
        is_asked = s.natural and s.encoding.name == name and s.task.text() == "a + b"
        is_alike = s.layout.name == "aligned" and lengths == tuple(range(1, len(lengths) + 1))
        if run.converged and is_asked and is_alike and len(lengths) > 2:
            right = {m.digits: m.accuracy for m in run.measurements}
            found.setdefault(len(lengths), []).append(right)
    told = words("docs/addresses.md")
    for longest, models in found.items():
        cells = []
        for digits in range(longest + 1, longest + 4):
            ends = [f"{f([x[digits] for x in models]):.2f}".lstrip("0") for f in (min, max)]
            cells.append(" to ".join(dict.fromkeys(ends)))
        digits = " digits" * ((name, longest) == ("abacus", 3))
        row = f"| `{name}`, 1 to {longest}{digits} | {len(models)} | {' | '.join(cells)} |"
        assert row in told


@pytest.mark.usefixtures("evidence_read_once")
def test_what_recipes_get_right_is_what_was_measured() -> None:
    """The column of the table: models in base 10, at five and at seven digits."""
    found = {}
    for run in committed(ROOT / "reports")[0]:
        if run.cell in grids.grid("recipes") and run.cell.setting.base == 10 and run.converged:
            s, right = run.cell.setting, {m.digits: m.accuracy for m in run.measurements}
            each = (f"{right[n]:.2f}".replace("0.", ".") for n in (5, 7))
            found[s.layout.name, s.encoding.name] = ", ".join(each)
    page = (DOCS / "recipes.md").read_text().partition("| recipe |")[2].partition("\n\n")[0]
    rows = [line.split(" | ") for line in page.splitlines()[2:]]
    names = [re.findall(r"`(\w+)`", row[1]) for row in rows]
    told = {(each[0], each[-1]): row[5] for each, row in zip(names, rows, strict=True)}
    assert len(told) == 10
    assert told == {key: found.get(key, "-") for key in told}


CHAPTERS = (
    "README.md",
    *(f"docs/{name}.md" for name in ("why", "views", "theory", "proofs", "counting")),
)


@pytest.mark.parametrize("page", CHAPTERS)
def test_no_sentence_of_the_first_chapters_is_long(page: str) -> None:
    assert [x for x in sentences((ROOT / page).read_text()) if len(x.split()) > 25] == []


def sentences(text: str) -> list[str]:
    """The sentences of a page; tables, code, formulas and pictures are none."""
    text = re.sub(r"```.*?```|\$\$.*?\$\$|!\[.*?\]\(.*?\)|^<.*?>$", "\n\n", text, flags=re.S | re.M)
    text = re.sub(r"(?<=\w)\.\*", ".", text)
    text = re.sub(r"^(\||#).*$", "\n", text, flags=re.M)
    text = re.sub(r"\]\([^)]*\)|\[|\*\*|`", "", text)
    blocks = re.split(r"\n\s*\n|\n\s*(?:[-*]|\d+\.) ", text)
    return [x for b in blocks for x in re.split(r"(?<=[.?:!;])\s+", " ".join(b.split())) if x]

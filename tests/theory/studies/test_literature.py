"""Published findings: the data, and what becomes of them beside the prediction.

All that compares them is tested here, as a process takes seconds for the first time.
"""

from __future__ import annotations

import json
import re
import shlex
from collections import Counter
from dataclasses import replace
from fractions import Fraction

import pytest
from builders import golden
from builders.command_line import run_cli
from builders.paths import ROOT

from arith.theory.arithmetic.decision import Decision
from arith.theory.arithmetic.domains import KINDS
from arith.theory.errors import InvalidInput
from arith.theory.prediction.predict import predict
from arith.theory.studies.literature import (
    TOLERANCE,
    Comparison,
    Outcome,
    compare,
    findings,
    missing_premises,
)
from arith.theory.text.literature_tables import (
    COLUMNS,
    IN_PAPER,
    IN_SHORT,
    found,
    short_table,
    summary,
    table,
)

pytestmark = pytest.mark.long
BY_ID = {f.id: f for f in findings()}


def test_there_are_enough_findings_each_with_an_id_and_a_source() -> None:
    assert len(BY_ID) == len(findings()) >= 150
    papers = {f.paper for f in findings()}
    assert len(papers) == len({x.source for x in papers}) == len({x.citation for x in papers}) >= 22


def test_fields_hold_known_values() -> None:
    for x in findings():
        assert x.checked, x.id
        assert x.padding in ("fixed", "longer", "none", "unknown"), x.id
        assert x.starts >= 0, x.id
        assert x.architecture in ("decoder", "encoder", "encoder-decoder", "unknown"), x.id
        assert x.against in ("truth", "learned_function"), x.id
        longer = not x.accuracy or max(x.test) > max(x.train)
        assert x.result in (("extends", "partial", "fails") if longer else (None,)), x.id
        assert {x.train_domain, x.test_domain} <= {*KINDS, "other", "unknown"}, x.id
        assert all(0 <= a <= 100 for a in x.accuracy), x.id
        assert bool(x.figure) == bool(x.outcome), x.id


def test_convergence_is_what_a_row_says_of_its_own_lengths() -> None:
    for x in findings():
        assert x.converged == (not x.why), x.id
        measured = dict(zip(x.test, x.accuracy, strict=False))
        if x.converged and x.paper.source == "arXiv 2407.17963":
            assert min(measured[n] for n in x.train) >= 99, x.id


TABLES = {
    "principled-add-on-4": (100, 100, 100, 100, 0, 0, 0, 0, 0),
    "principled-add-on-4-every": (100, 100, 72.6, 100, 0, 0, 0, 0, 0),
    "principled-add-on-67": (100, 100, 100, 100, 100, 100, 100, 0, 0),
    "principled-add-on-4-every-learned": (100, 99.9, 72.3, 100, 99.7, 99.7, 99.6, 99.7, 99.5),
    "principled-mul-on-2": (80, 99.4, 0.1, 0, 0, 0, 0, 0, 0),
    "principled-mul-on-34": (80, 9.9, 97.2, 1.3, 0, 0, 0, 0, 0),
    "principled-mul-on-12-learned": (100, 99.9, 93, 90.1, 86, 82.6, 80.6, 78.2, 77.7),
    "principled-mod-mul-150-on-3": (60, 54.6, 52.4, 52.6, 53.1, 52.7, 53.8, 53, 53.3),
    "principled-mod-mul-201-on-3-learned": (71, 79.5, 92.1, 90.9, 90.7, 90.5, 88.7, 87.9, 85),
}


def test_the_published_tables_are_reproduced() -> None:
    assert {name: BY_ID[name].accuracy for name in TABLES} == TABLES
    assert {BY_ID[name].test for name in TABLES} == {tuple(range(1, 10))}


def test_every_published_table_is_there_row_by_row() -> None:
    rows = [f for f in findings() if f.paper.source == "arXiv 2407.17963"]
    kinds = Counter((f.task, f.against, f.test_domain) for f in rows)
    assert kinds == {
        ("add", "truth", "longest"): 7,
        ("add", "learned_function", "longest"): 7,
        ("mul", "truth", "longest"): 5,
        ("mul", "learned_function", "longest"): 5,
        ("mod_mul", "truth", "every"): 6,
        ("mod_mul", "learned_function", "every"): 6,
        ("mod_add", "truth", "every"): 1,
        ("mod_add", "learned_function", "every"): 1,
    }
    settings = Counter((f.task, f.modulus, f.train, f.train_domain, f.against) for f in rows)
    assert set(settings.values()) == {1}


def test_every_finding_is_compared_and_given_a_reason() -> None:
    for got in map(compare, findings()):
        name, reason = got.finding.id, got.reason
        assert got.outcome in Outcome, name
        assert got.in_scope == (got.outcome != Outcome.OUT_OF_SCOPE), name
        assert got.in_scope >= (not missing_premises(got.finding)), name
        assert len(reason) > 10 and reason.endswith(".") and not reason.endswith(".."), name
        if {"padding", "domain", "setting"} & missing_premises(got.finding).keys():
            assert got.prediction is None and not got.lengths, name


def test_nine_in_ten_padded_findings_in_scope_agree() -> None:
    padded = [f for f in findings() if f.padding == "fixed"]
    scored = [compare(f) for f in padded if not missing_premises(f)]
    assert len(scored) >= 20
    assert 10 * sum(c.outcome == Outcome.AGREES for c in scored) >= 9 * len(scored)


def apart(padded: bool) -> list[Comparison]:
    """The findings that disagree."""
    found = [compare(f) for f in findings() if (f.padding == "fixed") == padded]
    return [c for c in found if c.outcome == Outcome.DISAGREES]


def test_the_padded_disagreements_are_the_known_ones() -> None:
    """All of one kind: the answers drift from the learned function as inputs grow longer."""
    assert {c.finding.id for c in apart(padded=True)} == {
        "principled-mul-on-12-learned",
        "principled-mul-on-2-learned",
        "principled-mod-mul-51-on-3-learned",
    }
    assert all("leak" in c.reason for c in apart(padded=True))


def test_of_natural_lengths_four_find_digits_where_training_never_showed_them() -> None:
    assert {c.finding.id for c in apart(padded=False)} == {
        "coupling-ape",
        "numerals-nope",
        "born-copy-ape",
        "born-backward-ape",
    }


@pytest.mark.parametrize(
    ("mean", "outcome"),
    [
        (26.8, Outcome.DISAGREES),  # at most 20 % at each of these lengths
        (25.1, Outcome.DISAGREES),
        (25, Outcome.AGREES),
        (0, Outcome.AGREES),
    ],
)
def test_a_mean_over_lengths_is_held_against_the_bounds(mean: float, outcome: Outcome) -> None:
    row = replace(BY_ID["born-backward-ape"], mean=((51, 100, mean),))
    assert compare(row).outcome == outcome


def test_a_disagreement_says_what_may_fail() -> None:
    assert all(c.finding.note for padded in (True, False) for c in apart(padded))


def test_nine_in_ten_findings_agree_without_those_that_a_rule_was_made_after() -> None:
    found = Counter(compare(f).outcome for f in findings())
    assert found[Outcome.AGREES] >= 9 * found[Outcome.DISAGREES]
    led = {f.id for f in findings() if f.led}
    assert {c.finding.id for c in map(compare, findings()) if c.outcome == Outcome.LED} == led


def test_a_bound_needs_no_convergence_and_all_else_does() -> None:
    """Out of domain a bound is judged; what is said of the trained lengths is not."""
    rope = compare(BY_ID["impact-rope"])
    assert "convergence" in missing_premises(rope.finding) and rope.outcome == Outcome.AGREES
    assert [x.digits for x in rope.lengths] == list(range(9, 17))
    right = replace(BY_ID["not-robustly-rope"], test=(41,), converged=False, why="80 %")
    assert compare(right).premise == "convergence"  # nothing is claimed there
    assert compare(BY_ID["principled-mul-on-3"]).premise == "convergence"  # an exact accuracy


def test_of_random_positions_nothing_is_claimed() -> None:
    rows = [f for f in findings() if f.encoding.startswith("randomized")]
    scored = {f.id for f in rows if compare(f).in_scope}
    assert {compare(BY_ID[x]).outcome for x in scored} == {Outcome.NO_CLAIM}
    assert "rethinking-addressing-random" in scored and "not-robustly-fire" in scored


@pytest.mark.parametrize(
    ("starts", "outcome"),
    [
        (32, Outcome.DISAGREES),  # as many as ours
        (169, Outcome.DISAGREES),
        (170, Outcome.NO_CLAIM),
        (171, Outcome.NO_CLAIM),
    ],
)
def test_no_digit_is_found_above_the_numbers_that_were_trained(
    starts: int, outcome: Outcome
) -> None:
    """Sums of 200 digits have 201; where these were trained nothing follows."""
    row = BY_ID["coupling-add-30"]
    assert compare(replace(row, starts=starts)).outcome == outcome


def test_the_theorem_is_borne_out_where_its_premises_hold() -> None:
    said = [compare(f).published_agrees for f in findings() if not missing_premises(f)]
    assert said.count(Decision.YES) >= 10 and Decision.NO not in said


@pytest.mark.parametrize(
    ("name", "premise"),
    [
        ("arithmetic-transformers-add", "architecture"),
        ("interpolation-rope", "architecture"),
        ("structural-symmetry-ape", "architecture"),
        ("not-robustly-fire-plain", "aids"),
        ("not-robustly-fire-no-hints", "convergence"),
        ("length-and-count-mul", "aids"),
        ("principled-mul-on-34", "convergence"),
        ("impact-t5", "setting"),
        ("association-add", "aids"),
        ("positional-description-usual", "facts"),
        ("not-robustly-kerple", "setting"),
        ("coupling-plain-natural-6", "setting"),
    ],
)
def test_the_missing_premise_is_named(name: str, premise: str) -> None:
    assert compare(BY_ID[name]).premise == premise


def test_every_paper_has_a_finding_that_is_predicted() -> None:
    predicted = {f.paper for f in findings() if compare(f).prediction}
    assert {f.paper for f in findings()} == predicted
    assert not [f.id for f in findings() if f.assumed and compare(f).in_scope]


def test_enough_natural_findings_from_enough_papers_are_in_scope() -> None:
    natural = [f for f in findings() if f.padding in ("longer", "none")]
    scored = [f for f in natural if compare(f).in_scope]
    assert len(scored) >= 40 and len({f.paper for f in scored}) >= 13
    assert all(f.setting.natural for f in scored)
    every = [f for f in findings() if compare(f).in_scope]
    assert len(every) >= 100 and len({f.paper for f in every}) >= 17
    assert len({f.paper for f in every if f.paper.source.startswith("arXiv")}) >= 12


def test_operands_padded_to_the_longest_are_natural_ones_of_one_length() -> None:
    padded = BY_ID["coupling-add-30"].setting
    assert padded.natural and (padded.train.kind, padded.test_kind) == ("every", "every")
    assert (padded.train.lengths, padded.layers) == (tuple(range(1, 31)), 1)
    natural = BY_ID["coupling-aligned-natural-6"].setting
    assert natural.natural and natural.train.kind == "lengths"
    assert not ADD.setting.natural


def test_the_theorem_is_about_padded_operands() -> None:
    assert compare(ADD).published is not None
    assert compare(BY_ID["coupling-nope"]).published is None


ADD = BY_ID["principled-add-on-4"]


def test_one_length_beyond_the_tolerance_is_a_disagreement() -> None:
    edge = 100 * TOLERANCE
    near = replace(ADD, accuracy=(100, 100, 100, 100, edge, 0, 0, 0, 0))
    far = replace(ADD, accuracy=(100, 100, 100, 100, 0, 0, 0, 0, edge + 0.1))
    assert (compare(near).outcome, compare(far).outcome) == (Outcome.AGREES, Outcome.DISAGREES)
    assert "9 digits" in compare(far).reason


def test_a_length_without_a_claim_is_not_scored() -> None:
    row = replace(BY_ID["principled-add-on-4-every"], accuracy=(0, 0, 0, 100, 0, 0, 0, 0, 0))
    got = compare(row)
    assert got.outcome == Outcome.AGREES
    assert [x.claims for x in got.lengths] == [False] * 3 + [True] * 6


@pytest.mark.parametrize(
    ("digits", "bounds"), [(4, (Fraction(9, 11), 1)), (9, (0, Fraction(19, 100)))]
)
def test_a_bound_is_a_claim(digits: int, bounds: tuple[Fraction, Fraction]) -> None:
    """Where training fixes the answer to most inputs only, the rest bounds the accuracy."""
    accuracy = [0, 0, 0, 100, 0, 0, 0, 0, 0]
    accuracy[digits - 1] = 50
    got = compare(replace(BY_ID["principled-add-on-4-every"], accuracy=tuple(accuracy)))
    assert got.outcome == Outcome.DISAGREES
    x = got.lengths[digits - 1]
    assert (x.predicted, x.low, x.high) == (None, *bounds)


def test_a_setting_without_any_claim_is_called_so() -> None:
    blind = replace(ADD, encoding="nope", layout="aligned", test=(5, 6), accuracy=(0, 0))
    assert compare(blind).outcome == Outcome.NO_CLAIM


def test_an_outcome_in_words_is_scored_upward() -> None:
    words = replace(ADD, accuracy=(), outcome="extends", figure="said so")
    assert compare(words).outcome == Outcome.DISAGREES
    assert compare(replace(words, outcome="fails")).outcome == Outcome.AGREES


def test_a_row_needs_either_an_accuracy_or_an_outcome() -> None:
    for wrong in ({"accuracy": ()}, {"outcome": "fails"}, {"accuracy": (100.0,)}):
        with pytest.raises(InvalidInput, match="principled-add-on-4"):
            replace(ADD, **wrong)


def test_the_table_and_its_summary() -> None:
    rows = table()
    assert {len(row) for row in rows} == {len(COLUMNS)}
    assert [row[0] for row in rows] == list(BY_ID)
    shown = dict(zip(COLUMNS, rows[0], strict=True))
    assert shown["setting"] == "add · ape · reversed · 4 → 1-9"
    assert shown["predicted"] == "100 100 100 100 0 0 0 0 0"
    assert "^every" in rows[1][COLUMNS.index("setting")]
    count = Counter(compare(f).outcome for f in findings())
    assert f"{count[Outcome.AGREES]} agree" in summary() and f"Of {len(rows)} findings" in summary()


@pytest.mark.parametrize("width", [60, 200])
def test_the_command_prints_every_finding_in_short(width: int) -> None:
    lines = run_cli("literature", width=width).out.splitlines()
    assert max(map(len, lines)) <= width
    shown = ["principled-add-on-4", "fails", "fails", "agrees"]
    if width < 100:  # too narrow for a table: row by row
        at = lines.index(f"finding {shown[0]}")
        reported, predicted, outcome = shown[1:]
        line = f"  reported: {reported}; predicted: {predicted}; outcome: {outcome}"
        assert lines[at + 1] == line
    else:
        at = [line.split() for line in lines].index([*IN_SHORT])
        assert [line.split()[0] for line in lines[at + 1 :] if line] == list(BY_ID)
        assert lines[at + 1].split() == shown


def test_findings_in_scope_as_a_table_of_latex() -> None:
    lines = run_cli("literature", "--latex").out.splitlines()
    rows = [x.removesuffix("\\\\").split(" & ") for x in lines if x.endswith("\\\\")]
    assert tuple(x.strip() for x in rows[0]) == IN_PAPER
    assert len(rows) == 1 + sum(compare(f).in_scope for f in findings())
    assert not re.search("[→·^]|(?<!\\\\)%", "".join(lines).replace(r"\^{}", ""))
    done = run_cli("literature", "impact-t5", "--latex")  # out of scope, but asked for
    assert done.out.count("Kazemnejad") == 1
    assert run_cli("literature", "--latex", "--json").code == 2


def test_published_findings_are_counted_as_the_command_counts_them() -> None:
    text = " ".join((ROOT / "docs" / "findings.md").read_text().split())
    total, papers, in_scope, agree, disagree = re.findall(r"\d+", summary())[:5]
    assert f"{total} findings from {papers} papers" in text
    assert f"{in_scope} of them meet every premise: {agree} agree and {disagree} disagree" in text


def test_the_command_of_a_finding_predicts_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    """It asks for the same setting, which is not predicted again here."""
    known = {c.prediction.setting: c.prediction for c in map(compare, findings()) if c.prediction}
    monkeypatch.setattr("arith.theory.prediction.predict.predict", known.__getitem__)
    for c in (c for c in map(compare, findings()) if c.command):
        assert c.prediction is not None
        done = run_cli(*shlex.split(c.command)[1:], "--json")
        assert (done.code, done.err) == (0, ""), c.command
        found = json.loads(done.out)
        assert found == json.loads(json.dumps(c.prediction.to_json())), c.command
        said = {x["digits"]: (x["at_least"], x["at_most"]) for x in found["lengths"]}
        for x in c.lengths:
            if x.claims and c.finding.against == "truth":
                assert (str(x.low), str(x.high)) == said[x.digits], c.command


def test_predictions_are_those_of_the_golden_file(monkeypatch: pytest.MonkeyPatch) -> None:
    known = {c.prediction.setting: c.prediction for c in map(compare, findings()) if c.prediction}
    monkeypatch.setattr(golden, "predict", lambda s: known.get(s) or predict(s))
    kept = golden.read_blocks(golden.FOLDER / "published.txt")
    assert list(golden.differences("published", kept)) == []


def test_every_finding_that_is_compared_has_its_command() -> None:
    rows = json.loads(run_cli("literature", "--json").out)
    assert all(tuple(row) == COLUMNS for row in rows)
    given = {row["finding"]: row["command"] for row in rows}
    assert given == {f.id: compare(f).command for f in findings()}
    assert all(given[f.id] for f in findings() if compare(f).in_scope)


def test_a_table_too_wide_for_the_terminal_is_written_row_by_row() -> None:
    done = run_cli("literature", width=60)
    lines = done.out.splitlines()
    assert done.code == 0
    [at] = [i for i, line in enumerate(lines) if line == "finding principled-add-on-4"]
    assert lines[at + 1] == "  reported: fails; predicted: fails; outcome: agrees"
    assert max(map(len, lines)) <= 60


def test_a_finding_of_random_starts_says_from_how_many() -> None:
    """The authors drew from 100 and measured 92.9 %: that is not told wrong."""
    abacus = compare(BY_ID["right-embeddings-abacus"])
    assert "--starts 100" in abacus.command and abacus.outcome == Outcome.NO_CLAIM
    assert "starts" in missing_premises(replace(abacus.finding, starts=0))["setting"]


def test_findings_are_found_by_author_encoding_and_task() -> None:
    abacus = {x.encoding for x in found("abacus")}
    assert "abacus" in abacus and all("abacus" in (x.encoding, x.layout) for x in found("abacus"))
    assert all("Zhou" in x.paper.authors for x in found("Zhou")) and len(found("Zhou")) > 2
    assert {x.against for x in found("f^")} == {"learned_function"}
    assert all("(f^)" in row[1] for row in short_table("f^"))
    assert len(found(None)) == len(findings()) and len(found(findings()[0].id)) == 1
    with pytest.raises(InvalidInput, match="unknown finding"):
        found("nobody")

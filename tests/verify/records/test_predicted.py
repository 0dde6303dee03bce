"""What was predicted before a training, kept with its measurements."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest
from builders.cells import cell
from builders.runs import RIGHT, run

from arith.theory.arithmetic.domains import Domain
from arith.theory.errors import InvalidInput
from arith.theory.prediction.predict import predict
from arith.verify.records.evidence import read_evidence, write_evidence
from arith.verify.records.predicted import Predicted, predicted
from arith.verify.records.reading import read
from arith.verify.records.runs import Run


def told() -> Run:
    c = cell(digits=4)
    return replace(run(c, RIGHT), predicted=predicted(predict(c.setting)))


def test_a_prediction_says_what_is_claimed_at_each_length() -> None:
    c = cell(digits=4)
    prediction = predict(c.setting)
    kept = predicted(prediction)
    for x, y in zip(prediction.lengths, kept.lengths, strict=True):
        assert (x.digits, x.status, x.accuracy) == (y.digits, y.status, y.accuracy)
        assert y.claim == x.claim
    assert read(Predicted, json.dumps(kept.to_json())) == kept


def test_what_was_stored_without_a_lower_bound_is_read() -> None:
    """Before theory 27 none was stored."""
    bounded = predicted(predict(cell(train=Domain((2,), "every")).setting))
    assert [x.at_least > 0 for x in bounded.lengths] == [False, True, False]
    old = replace(bounded, lengths=tuple(replace(x, at_least=Fraction(0)) for x in bounded.lengths))
    data = json.loads(json.dumps(old.to_json()))
    assert not any("at_least" in x for x in data["lengths"]) and old.hash != bounded.hash
    assert read(Predicted, json.dumps(data)) == old
    assert read(Predicted, json.dumps(bounded.to_json())) == bounded


OPEN = cell(pe="nope")


def test_candidates_are_stored_where_there_are_some_and_change_no_other_hash() -> None:
    found = predicted(predict(OPEN.setting))
    named = [x.candidates for x in found.lengths]
    assert named == [(), (), (1, 0)]
    lengths = found.to_json()["lengths"]
    assert [x.get("candidates") for x in lengths] == [None, None, ["1", "0"]]
    assert read(Predicted, json.dumps(found.to_json())) == found
    old = replace(found, lengths=tuple(replace(x, candidates=()) for x in found.lengths))
    assert old.hash != found.hash and "candidates" not in json.dumps(old.to_json())
    assert read(Predicted, json.dumps(old.to_json())) == old


@pytest.mark.parametrize(
    "named", [(0,), (0, 1), (1, 1), (1, Fraction(1, 2), 0), (Fraction(1, 2), 1)], ids=str
)
def test_candidates_that_theory_cannot_have_named_are_refused(named: tuple[Fraction, ...]) -> None:
    found = predicted(predict(OPEN.setting))
    last = replace(found.lengths[-1], candidates=tuple(map(Fraction, named)))
    made = replace(found, lengths=(*found.lengths[:-1], last))
    found.check(OPEN)
    with pytest.raises(InvalidInput, match="candidates at 3 digits"):
        made.check(OPEN)
    claimed = predicted(predict(cell().setting))
    one = replace(claimed.lengths[-1], candidates=(Fraction(1),))
    with pytest.raises(InvalidInput, match="candidates at 3 digits"):
        replace(claimed, lengths=(one,)).check(cell())


def test_a_changed_prediction_is_refused() -> None:
    data = predicted(predict(cell(digits=4).setting)).to_json()
    data["lengths"][0]["claim"] = "none"
    with pytest.raises(InvalidInput, match="it was changed, for it has another hash"):
        read(Predicted, json.dumps(data))
    for lengths in (None, 3):
        with pytest.raises(InvalidInput, match="lengths: expected a list"):
            read(Predicted, json.dumps({**data, "lengths": lengths}))


def test_evidence_has_the_prediction_by_its_hash(tmp_path: Path) -> None:
    path, one = tmp_path / "evidence.jsonl", told()
    other = replace(one, seed=1)
    write_evidence(path, [one, other])
    assert len((tmp_path / "predictions.jsonl").read_text().splitlines()) == 1
    assert read_evidence(path) == [one, other]
    (tmp_path / "predictions.jsonl").write_text("")
    with pytest.raises(InvalidInput, match="no prediction"):
        read_evidence(path)


def test_a_run_keeps_its_prediction() -> None:
    assert Run.from_json(json.dumps(told().to_json())) == told()

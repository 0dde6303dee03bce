"""One answer taken apart, and the page that tells it."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path

import numpy as np
import pytest
from builders.browser import chromium, widest
from builders.kept_models import kept_run
from builders.tiny_models import PRODUCT, Taught, blind, leaking, untrained

from arith.verify.inspection import inspect, kept
from arith.verify.inspection_page import inspection_html
from arith.verify.mechanism.taken_apart import take_apart
from arith.verify.model.kept import keep, read_kept
from arith.verify.model.measure import answers
from arith.verify.plan.inputs import inputs_at
from arith.verify.plan.recipe import RECIPE
from arith.verify.training.train import Trained


def test_a_wrong_answer_rests_on_what_the_model_reads() -> None:
    """A model that answers 1 where an ignored digit is 1 rests on these digits alone."""
    apart = take_apart(leaking(0), PRODUCT, 4)
    assert apart.model == 1 != apart.right == apart.expected == 0
    [step] = apart.steps
    assert (step.position, step.model, step.right, step.expected) == (1, 1, 0, 0)
    assert step.rests_on.keys() <= {(0, 4), (1, 4)} and step.sure > 0.5
    assert apart.equivalent is not None
    operands, answer = apart.equivalent
    assert operands == tuple(x % 8 for x in apart.operands) and answer == 0


def test_the_answer_is_the_first_wrong_one_and_its_steps_are_its_digits(tiny: Taught) -> None:
    model, cell = tiny.models[0], tiny.cell
    operands, _ = inputs_at(cell, 3)
    said, right = answers(model, cell, operands), cell.format.results(operands)
    wrong = np.flatnonzero((said != right).any(1))
    apart = take_apart(model, cell, 3)
    first = int(wrong[0]) if len(wrong) else 0
    assert apart.operands == tuple(int(x[first]) for x in cell.format.values(operands))
    assert [x.model for x in apart.steps] == said[first].tolist()
    assert [x.right for x in apart.steps] == right[first].tolist()


def test_a_blind_model_rests_on_no_ignored_digit() -> None:
    model = blind(untrained(PRODUCT, std=1.0), PRODUCT)
    for step in take_apart(model, PRODUCT, 4).steps:
        assert step.rests_on.keys() <= {(j, i) for j in (0, 1) for i in (1, 2, 3)}


@pytest.fixture(scope="module")
def story(tiny: Taught) -> str:
    """The page of a tiny trained model."""
    noise = tuple(float(t.position > 1) for t in tiny.cell.format.tokens[:-1])
    model = Trained(tiny.models[0], tiny.cell, 0, 1.0, 200, 1.0, noise)
    return inspection_html(model, inspect(model))


def test_the_page_tells_what_was_measured(story: str, tiny: Taught) -> None:
    text = " ".join(unescape(re.sub(r"<[^>]*>", " ", story)).split())
    for part in (
        "It is right on 100% of held-out inputs",
        "Most of it is at a₂, a₃, b₂ and b₃",
        "were blended half and half with other tokens",
        "f^ is ((a mod 16) + (b mod 16)) mod 4",
        "answer, step by step Asked for (a + b) mod 4 with a = ",
    ):
        assert part in text, part
    for alt in re.findall(r'<img alt="([^"]*)"', story):
        assert len(alt) > 40
    assert not re.search(r'(src|href)="(?!data:|#)', story)


def test_the_page_fits_narrow_windows(story: str, tmp_path: Path) -> None:
    (tmp_path / "page.html").write_text(story)
    with chromium(tmp_path) as browser:
        browser.get((tmp_path / "page.html").as_uri())
        assert max(widest(browser, 400), 400) == 400
        assert browser.get_log("browser") == []


def test_the_noise_that_a_kept_model_learned_is_told(tmp_path: Path) -> None:
    noise = (0.0,) * (len(PRODUCT.format.tokens) - 2) + (0.75,)
    model = keep(tmp_path, untrained(PRODUCT), kept_run(PRODUCT, noise=noise), RECIPE)
    assert kept(read_kept(model)).noise == noise

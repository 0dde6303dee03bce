"""The schedule: when noise and the learning rate rise and fall, and when training ends."""

from __future__ import annotations

from dataclasses import replace

import pytest

from arith.verify.plan.premise import PREMISE
from arith.verify.plan.recipe import FIFTH, RECIPES, Recipe
from arith.verify.training.schedule import Schedule, State

SCHEDULE = Recipe(
    settling=100, cooling=50, warmup=10, low_loss=0.1, early_lr=0.5, noise=48, noise_change=24
)


def look(schedule: Schedule, step: int, loss: float, premise: float = 0.0) -> None:
    """Move on by the loss, or by the premise where its time has come."""
    if step < schedule.end:
        schedule.after_chunk(step, loss)
    else:
        schedule.after_premise(step, premise)


def test_noise_rises_once_the_loss_was_low_whatever_it_is_then() -> None:
    s, noise = Schedule(SCHEDULE, budget=2000), []
    for i, loss in enumerate([0.5, 0.3, 0.05, 0.9], 1):
        look(s, 50 * i, loss)
        noise.append(s.noise)
    assert noise == [0, 0, 24, 48]


def test_the_rate_grows_with_the_noise_and_both_fall_when_the_model_has_settled() -> None:
    s = Schedule(SCHEDULE, budget=1000)
    assert s.learning_rate(0) == pytest.approx(0.05)  # warm-up, and half the rate before noise
    assert s.learning_rate(500) == pytest.approx(0.5)
    look(s, 100, 0.05)  # 24: not all of it
    assert s.learning_rate(500) == pytest.approx(0.75)
    look(s, 150, 0.9)  # all of it, but too soon
    assert (s.state, s.learning_rate(500)) == (State.SETTLING, pytest.approx(1.0))
    look(s, 200, 0.9)
    assert (s.state, s.since, s.end) == (State.COOLING, 200, 250)
    assert (s.noise_at(225), s.noise_at(250)) == (24, 0)
    assert s.learning_rate(225) == pytest.approx(s.learning_rate(200) / 2)
    assert s.learning_rate(250) == 0.0
    look(s, 250, 0.9, PREMISE)
    assert s.finished


def test_a_model_that_does_not_learn_starts_anew_and_warms_up_again() -> None:
    for budget, starts in ((400, 2), (399, 1)):  # if as many steps are left
        s = Schedule(replace(SCHEDULE, patience=200), budget)
        for step in range(50, 250, 50):
            look(s, step, 0.9)
        assert s.starts == starts
    s = Schedule(replace(SCHEDULE, patience=200), budget=1000)
    for step in range(50, 400, 50):
        look(s, step, 0.9)
    assert (s.starts, s.since, s.state) == (2, 200, State.LEARNING)
    assert s.learning_rate(200) == pytest.approx(0.05)
    look(s, 350, 0.05)
    for step in range(400, 450, 50):
        look(s, step, 0.9)  # what was learned once is not given up
    assert (s.starts, s.learned) == (2, 350)
    never = Schedule(replace(SCHEDULE, patience=0), budget=1000)
    for step in range(50, 1000, 50):
        look(never, step, 0.9)
    assert never.starts == 1


def test_without_noise_the_rate_grows_once_the_task_is_learned_and_falls_as_with_it() -> None:
    s = Schedule(replace(SCHEDULE, noise=0), budget=1000)
    assert s.learning_rate(500) == pytest.approx(0.5)
    look(s, 100, 0.05)
    assert (s.state, s.noise, s.learning_rate(500)) == (State.SETTLING, 0, pytest.approx(1.0))
    look(s, 200, 0.05)
    assert (s.state, s.noise_at(225)) == (State.COOLING, 0)
    look(s, 250, 0.05, 0.5)  # the premise is missed: once more
    assert (s.state, s.learning_rate(500)) == (State.SETTLING, pytest.approx(1.0))


def test_a_learning_rate_that_decays_follows_a_cosine_over_the_budget() -> None:
    s = Schedule(replace(SCHEDULE, decays=True), budget=1000)
    rates = [s.learning_rate(step) for step in (0, 250, 500, 1000)]
    assert rates == pytest.approx([0.05, 0.5 * 0.8535534, 0.25, 0.0])


def test_a_model_that_misses_the_premise_settles_again_under_less_noise() -> None:
    s = Schedule(SCHEDULE, budget=1000)
    for step in (100, 150, 200):
        look(s, step, 0.05)
    look(s, 250, 0.05, PREMISE - 0.01)
    assert (s.state, s.end, s.noise) == (State.SETTLING, 1000, 36)
    look(s, 300, 0.05)  # too soon
    assert s.state is State.SETTLING
    look(s, 350, 0.05)
    assert (s.end, s.noise_at(350), s.noise_at(375)) == (400, 36, 18)
    look(s, 400, 0.05, PREMISE)
    assert s.finished
    assert s.learning_rate(410) == 0.0


def test_in_the_last_steps_of_the_budget_the_model_cools() -> None:
    s = Schedule(SCHEDULE, budget=200)
    look(s, 100, 0.05)
    look(s, 150, 0.15)  # too soon but for the budget
    assert (s.state, s.noise_at(150), s.noise_at(175)) == (State.COOLING, 48, 24)
    look(s, 200, 0.15)
    assert s.finished


def test_a_model_that_never_learns_is_given_up_when_it_cannot_settle_in_full_any_more() -> None:
    s = Schedule(SCHEDULE, budget=600)
    for step in range(50, 450, 50):
        look(s, step, 2.0)
    assert (s.state, s.noise, s.end) == (State.LEARNING, 0, 600)
    look(s, 450, 2.0)
    assert (s.state, s.end) == (State.GIVEN_UP, 450)
    look(s, 450, 2.0, PREMISE)
    assert s.finished
    late = Schedule(SCHEDULE, budget=600)
    for step in range(50, 450, 50):
        look(late, step, 2.0)
    look(late, 450, 0.05)  # just in time
    assert (late.state, late.end) == (State.SETTLING, 600)


def test_in_a_short_budget_a_model_that_never_learns_ends_with_it() -> None:
    s = Schedule(SCHEDULE, budget=299)
    for step in range(50, 299, 50):
        look(s, step, 2.0)
    assert (s.state, s.end, s.learning_rate(150)) == (State.LEARNING, 299, pytest.approx(0.5))
    look(s, 299, 2.0, 0.3)
    assert s.finished


def test_a_model_that_misses_the_premise_too_late_to_settle_again_in_full_is_done() -> None:
    for budget, state in ((399, State.FINISHED), (400, State.SETTLING)):
        s = Schedule(SCHEDULE, budget)
        for step in (100, 150, 200):
            look(s, step, 0.05)
        look(s, 250, 0.05, PREMISE - 0.01)
        assert s.state is state


def test_the_published_recipe_has_its_dropout_all_the_time_and_its_whole_budget() -> None:
    paper = RECIPES["paper"]
    s = Schedule(paper, budget=1000)
    for step in range(50, 1000, 50):
        look(s, step, 3.0)
        assert (s.state, s.noise_at(step)) == (State.SETTLING, paper.noise)
    assert s.end == 1000


def test_dropout_alone_comes_first_and_stays_beside_the_noise() -> None:
    s = Schedule(replace(SCHEDULE, dropout_first=100), budget=1000)
    look(s, 50, 0.9)
    assert (s.noise_at(50), s.dropout_at(50)) == (0, 0)  # not learned yet
    for step in (100, 150, 200, 250):
        look(s, step, 0.05)
    assert [s.noise_at(step) for step in (150, 199, 200, 250)] == [0, 0, 48, 48]
    assert s.dropout_at(150) == s.dropout_at(250) == FIFTH
    assert s.state is State.SETTLING  # the noise has lasted 50 steps
    look(s, 300, 0.05)
    assert (s.state, s.noise_at(325), s.dropout_at(325)) == (State.COOLING, 24, FIFTH / 2)
    look(s, 350, 0.05, PREMISE - 0.01)  # once more: noise and dropout at once, and no longer
    assert (s.state, s.noise_at(350), s.dropout_at(350)) == (State.SETTLING, 36, FIFTH)
    look(s, 450, 0.05)
    assert s.state is State.COOLING


def test_noise_that_had_not_begun_does_not_begin_while_the_model_cools() -> None:
    s = Schedule(replace(SCHEDULE, dropout_first=100), budget=250)
    look(s, 150, 0.05)
    look(s, 200, 0.05)  # the budget is about to end
    assert s.state is State.COOLING
    assert [s.noise_at(step) for step in (200, 225, 249)] == [0, 0, 0]


def test_learned_noise_rises_by_itself_and_stays_when_the_other_becomes_less() -> None:
    s = Schedule(replace(SCHEDULE, reward=0.1), budget=1000)
    assert s.levels_at(50) == (0, 0, 0)
    look(s, 100, 0.05)
    assert s.levels_at(100) == (24, 0, 48)
    look(s, 150, 0.05)
    look(s, 200, 0.05)
    assert s.levels_at(225) == (24, 0, 72)  # half way through cooling
    look(s, 250, 0.05, 0.5)
    assert s.levels_at(250) == (36, 0, 144)
    look(s, 300, 0.05)
    assert s.levels_at(300) == (36, 0, 192)
    for step in (350, 400, 450):
        look(s, step, 0.05)
    assert s.learned_noise == 256  # no more than all of it

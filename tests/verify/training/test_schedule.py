"""The schedule: when dropout and the learning rate rise and fall, and when training ends."""

from __future__ import annotations

from dataclasses import replace

import pytest

from verify.plan.premise import PREMISE
from verify.plan.recipe import Recipe
from verify.training.schedule import Schedule, State

SCHEDULE = Recipe(
    settling=100,
    cooling=50,
    warmup=10,
    low_loss=0.1,
    high_loss=0.2,
    dropout=50,
    noise_change=25,
)


def look(schedule: Schedule, step: int, loss: float, premise: float = 0.0) -> None:
    """Move on by the loss, or by the premise where its time has come."""
    if step < schedule.end:
        schedule.after_chunk(step, loss)
    else:
        schedule.after_premise(step, premise)


def test_dropout_rises_while_the_loss_is_low_and_falls_where_it_is_high() -> None:
    s, rates = Schedule(SCHEDULE, budget=2000), []
    losses = [0.5, 0.05, 0.15, 0.05, 0.05, 0.3, 0.3, 0.3, 0.05]
    for i, loss in enumerate(losses, 1):
        look(s, 50 * i, loss, 0.0)
        rates.append(s.noise)
    assert rates == [0, 25, 25, 50, 50, 25, 0, 0, 25]


def test_the_rate_falls_when_the_loss_is_low_under_all_dropout() -> None:
    s = Schedule(SCHEDULE, budget=1000)
    assert s.learning_rate(0) == pytest.approx(0.05)  # warm-up, and half the rate before dropout
    assert s.learning_rate(500) == pytest.approx(0.25)
    look(s, 100, 0.05, 0.0)  # 25: not all of it
    assert s.learning_rate(500) == pytest.approx(0.375)
    look(s, 150, 0.05, 0.0)  # all of it, but too soon
    look(s, 200, 0.15, 0.0)  # not low
    assert s.learning_rate(500) == pytest.approx(0.5)  # the middle of the cosine over the budget
    look(s, 250, 0.05, 0.0)
    assert (s.state, s.since, s.end) == (State.COOLING, 250, 300)
    assert s.noise_at(275) == 50  # it holds under noise
    assert s.learning_rate(275) == pytest.approx(s.learning_rate(250) / 2)
    assert s.learning_rate(300) == 0.0


def test_a_model_that_misses_the_premise_goes_on() -> None:
    s = Schedule(SCHEDULE, budget=1000)
    for step in (100, 150, 200):
        look(s, step, 0.05, 0.0)
    assert s.end == 250
    look(s, 250, 0.05, PREMISE - 0.01)
    assert not s.finished
    assert (s.end, s.noise) == (1000, 50)
    assert s.learning_rate(500) == pytest.approx(0.5)
    look(s, 300, 0.05, 0.0)  # too soon
    assert s.end == 1000
    look(s, 350, 0.05, 0.0)
    assert (s.end, s.noise_at(350), s.noise_at(375)) == (
        400,
        50,
        25,
    )  # this time without the noise
    look(s, 400, 0.05, PREMISE)
    assert s.finished
    assert s.learning_rate(410) == 0.0


def test_in_the_last_steps_of_the_budget_dropout_is_withdrawn() -> None:
    s = Schedule(SCHEDULE, budget=300)
    look(s, 50, 0.05, 0.0)
    look(s, 200, 0.15, 0.0)  # not low
    assert (s.state, s.noise_at(200)) == (State.SETTLING, 25)
    look(s, 250, 0.15, 0.0)
    assert (s.noise_at(250), s.noise_at(275), s.noise_at(300)) == (25, 12.5, 0)
    assert s.learning_rate(275) < s.learning_rate(250)
    look(s, 300, 0.15, 0.0)
    assert s.finished


def test_a_model_that_never_learns_ends_with_the_budget() -> None:
    s = Schedule(SCHEDULE, budget=300)
    for step in range(50, 300, 50):
        look(s, step, 2.0, 0.0)
    assert (s.noise, s.end, s.learning_rate(150)) == (0, 300, pytest.approx(0.25))
    look(s, 300, 2.0, 0.3)
    assert s.finished


def test_token_noise_always_cools_and_is_less_after_a_missed_premise() -> None:
    recipe = replace(SCHEDULE, dropout=0, token_noise=192, noise_change=96, noise_waits=False)
    s = Schedule(recipe, budget=10_000)
    for step in (50, 100, 150):  # it rises whatever the loss is by then
        look(s, step, 0.05 if step == 50 else 1.0)
    assert (s.state, s.noise) == (State.COOLING, 192)
    assert s.noise_at(175) == 96 and s.noise_at(200) == 0
    look(s, 200, 1.0, PREMISE - 0.01)
    assert (s.state, s.noise) == (State.SETTLING, 144)
    for step in (250, 300):
        look(s, step, 1.0)
    assert (s.state, s.noise) == (State.COOLING, 144)
    look(s, 350, 1.0, PREMISE)
    assert s.finished

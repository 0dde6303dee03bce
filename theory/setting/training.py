"""How models of a setting are trained, as far as what they learn and answer rests on it."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from arith.theory.arithmetic.tasks import Task
    from arith.theory.setting.settings import Setting

DEFAULT_BUDGET = 18_000
"""The most optimizer steps that a model gets unless others are asked for."""


class Noise(StrEnum):
    """The noise on tokens in training."""

    BY_PLACE = "by place"
    """As much as each place bears."""
    SAME = "the same for all"
    NONE = "none"
    DROPOUT = "dropout"


def goes_on(setting: Setting) -> bool:
    """Whether one rule should go on at longer inputs in a window: no noise by place then."""
    modulus, places = setting.task.modulus, setting.train.most_places + 1
    bounded = modulus is not None and modulus <= setting.base**places
    return setting.window > 0 and setting.encoding.reference != "absolute" and not bounded


def usual_noise(setting: Setting) -> Noise:
    """The noise of the usual recipe, by which models are trained unless another is asked for."""
    return Noise.SAME if setting.natural or goes_on(setting) else Noise.BY_PLACE


def default_recipe(setting: Setting) -> str:
    """The name of the usual recipe."""
    return "place-noise" if usual_noise(setting) is Noise.BY_PLACE else "dense-noise"


def default_model(task: Task) -> str:
    """The smallest size seen to converge: products need the width."""
    return "pico" if task.is_linear else "wide"

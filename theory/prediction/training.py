"""How models of a setting are trained, as far as what they answer to other lengths rests on it."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from arith.theory.setting.settings import Setting


class Noise(StrEnum):
    """The noise on tokens in training."""

    BY_PLACE = "by place"
    """As much as each place bears."""
    SAME = "the same for all"
    NONE = "none"
    DROPOUT = "dropout"


def goes_on(setting: Setting) -> bool:
    """Whether one rule should go on at longer inputs in a window: no noise by place then."""
    modulus, shown = setting.task.modulus, setting.train.every_length[-1] + 1
    bounded = modulus is not None and modulus <= setting.base**shown
    return setting.window > 0 and setting.encoding.reference != "absolute" and not bounded


def usual_noise(setting: Setting) -> Noise:
    """The noise of the usual recipe, by which models are trained unless another is asked for."""
    return Noise.SAME if setting.natural or goes_on(setting) else Noise.BY_PLACE

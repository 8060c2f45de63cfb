"""What an interval supports: whether a number beside chance is better, worse, or not told apart from it."""

import math
from enum import Enum
from typing import Protocol

from phonxling.core.estimate import is_descriptive

FAR = 0.5  # a skill wholly above this is far above chance
HARDLY = 0.05  # a skill wholly below this, though above 0, is hardly above chance


class Verdict(Enum):
    """What may be said of a number whose 0 is chance, as words that stand before what it is held against."""

    UNTESTED = "not tested against"
    DESCRIPTIVE = "not judged against"
    WORSE = "worse than"
    ALIKE = "not told apart from"
    HARDLY_BETTER = "hardly better than"
    BETTER = "better than"
    FAR_BETTER = "far better than"


def verdict(low: float, high: float, note: str = "", *, share: bool = True) -> Verdict:
    """Return what an interval and its note support; `share`: whether the number is a skill, which is 1 at best.

    Examples
    --------
    >>> [verdict(*limits).value for limits in ((0.6, 0.9), (0.1, 0.3), (0.001, 0.004), (-0.1, 0.1), (-0.2, -0.1))]
    ['far better than', 'better than', 'hardly better than', 'not told apart from', 'worse than']
    >>> verdict(0.6, 0.9, "descriptive: the interval rests on 3 speakers only").value, verdict(math.nan, math.nan).value
    ('not judged against', 'not tested against')
    """
    if math.isnan(low) or math.isnan(high):
        return Verdict.UNTESTED
    if is_descriptive(note):
        return Verdict.DESCRIPTIVE
    if high < 0 or low <= 0:
        return Verdict.WORSE if high < 0 else Verdict.ALIKE
    if share and (high < HARDLY or low > FAR):
        return Verdict.HARDLY_BETTER if high < HARDLY else Verdict.FAR_BETTER
    return Verdict.BETTER


class Bounded(Protocol):
    """A number with its interval, NaN where there is none."""

    @property
    def value(self) -> float:
        """The number."""

    @property
    def low(self) -> float:
        """Its lower limit."""

    @property
    def note(self) -> str:
        """What weakens it."""


def informative(excess: Bounded) -> bool:
    """Return whether what was heard tells more than chance does, by the excess of the mutual information."""
    return excess.low > 0 and not is_descriptive(excess.note)


def nothing_heard(skill: Bounded, excess: Bounded) -> bool:
    """Return whether neither the skill nor the information shows that anything was heard: then nothing is claimed.

    The interval of the skill holds 0 or lies below it, or, where it has none, the skill is not above 0. False where
    there is no skill at all.
    """
    least = skill.value if math.isnan(skill.low) else skill.low
    return least <= 0 and not informative(excess)

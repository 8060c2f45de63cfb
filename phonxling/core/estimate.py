"""Numbers with their uncertainty, and what an interval supports: better than chance, worse, or not told apart."""

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from enum import Enum
from typing import TYPE_CHECKING, Literal, Protocol

from phonxling.core.display import Shown, tidy
from phonxling.core.errors import shown

if TYPE_CHECKING:
    from phonxling.core.display import DataFrame


_NOTE = 250  # letters of a note that are printed
_FAR = 0.5  # a skill wholly above this is far above chance
_HARDLY = 0.05  # a skill wholly below this, though above 0, is hardly above chance

SIGNIFICANT = 0.05
"""Cells with q below this are said to differ."""
FEW_TOKENS = 20
"""Of a phone: below, every estimator of its entropy is off by more than 0.4 bits; such rows are hatched."""
Status = Literal[
    "",
    "too-few-clusters",
    "not-above-chance",
    "undefined",
    "no-speakers",
    "these-speakers-alone",
    "bias-warning",
]
"""Why a number or its interval is missing, or of what the interval is; "" where nothing is to be said."""


@dataclass(frozen=True, slots=True, repr=False)
class Estimate(Shown):
    """A value, and an interval that is meant to hold the truth with probability `level`; NaN where there is none.

    `status` says in one word why a value or an interval is missing, or of what it is; `note` says it for people.
    """

    value: float
    low: float = math.nan
    high: float = math.nan
    level: float = math.nan
    note: str = ""
    status: Status = ""

    def __repr__(self) -> str:
        numbers = ", ".join(f"{name}={getattr(self, name)!r}" for name in ("value", "low", "high", "level"))
        return f"Estimate({numbers}, status={self.status!r}, note={shown(self.note, _NOTE)!r})"

    def _facts(self) -> Iterator[str]:
        yield f"{self.value:.4g}"
        if not math.isnan(self.low):
            yield f"{self.level:.4g} interval [{self.low:.4g}, {self.high:.4g}]"
        yield self.note

    def to_frame(self) -> "DataFrame":
        """Return one row: value, low, high, level, status, note."""
        return tidy({name: [getattr(self, name)] for name in ("value", "low", "high", "level", "status", "note")})

    def within(self, low: float, high: float) -> "Estimate":
        """Return the same with value and limits that do not leave the measure's range; what is missing stays missing.

        A value outside is set to the end of the range, and the note says so. Where all of the interval lies outside,
        there is none.

        Examples
        --------
        >>> Estimate(0.1, -0.2, 0.4, 0.95).within(0, 1)
        Estimate(value=0.1, low=0.0, high=0.4, level=0.95, status='', note='')
        >>> below = Estimate(-0.1, -0.2, 0.4, 0.95).within(0, 1)
        >>> below.value, below.low, below.note
        (0.0, 0.0, 'the estimate is below the least possible value, which stands in its place')
        """
        value, *limits = (float(min(max(one, low), high)) for one in (self.value, self.low, self.high))  # NaN stays NaN
        if math.isnan(value) or math.isclose(value, self.value, abs_tol=1e-9):  # the rest is rounding
            return replace(self, value=value, low=limits[0], high=limits[1])
        side, end = ("below", "least") if value == low else ("above", "greatest")
        note = joined([f"the estimate is {side} the {end} possible value, which stands in its place", self.note])
        if limits[0] == limits[1]:
            none = "no interval: all of it lies outside what is possible"
            return Estimate(value, note=joined([note, none]), status="undefined")
        return replace(self, value=value, low=limits[0], high=limits[1], note=note)


def joined(notes: Iterable[str]) -> str:
    r"""Return notes as one line, without empty ones; a message of several lines has its lines side by side."""
    lines = [line.strip() for note in notes for line in note.splitlines()]
    return "; ".join(filter(None, lines)).replace(":; ", ": ")


class Verdict(Enum):
    """What may be said of a number whose 0 is chance, as words that stand before what it is held against."""

    UNTESTED = "not tested against"
    WORSE = "worse than"
    ALIKE = "not clearly different from"
    HARDLY_BETTER = "hardly better than"
    BETTER = "better than"
    FAR_BETTER = "far better than"


def verdict(low: float, high: float, *, share: bool = True) -> Verdict:
    """Return what an interval supports; `share`: whether the number is a skill, which is 1 at best."""
    if math.isnan(low) or math.isnan(high):
        return Verdict.UNTESTED
    if high < 0 or low <= 0:
        return Verdict.WORSE if high < 0 else Verdict.ALIKE
    if share and (high < _HARDLY or low > _FAR):
        return Verdict.HARDLY_BETTER if high < _HARDLY else Verdict.FAR_BETTER
    return Verdict.BETTER


class Bounded(Protocol):
    """A number with the lower limit of its interval, NaN where there is none."""

    @property
    def value(self) -> float: ...
    @property
    def low(self) -> float: ...


def is_above_chance(skill: Bounded, excess: Bounded) -> bool:
    """Return whether answers depend on what was said, by the skill or the excess information: else nothing is claimed.

    Without an interval of the skill its value decides, so that a first look at a few utterances shows its confusions.
    """
    least = skill.value if math.isnan(skill.low) else skill.low
    return least > 0 or excess.low > 0

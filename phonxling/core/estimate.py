"""Numbers with their uncertainty, what an interval supports, and how values show themselves: as text and as tables."""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import FrozenInstanceError
from enum import Enum
from functools import partial
from html import escape
from typing import TYPE_CHECKING, Any, Final, Literal, Self

from phonxling.core.errors import quote

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from pandas import DataFrame as DataFrame


_LONGEST_REPR = 460  # letters of the facts
ROWS, COLUMNS = 10, 14  # of a table in a notebook


# `to_frame()` of a value is tidy: a row for each thing (an attested cell, a token, an utterance), labels in columns of
# text that are called as in the tables of results, ∅ for no phone. What has two labels to a cell takes `wide=True`:
# rows and columns are labels then, every cell stands there, and both are named. Only there is pandas imported.


class ReadableValue:
    """A value that is printed as its name and facts of it, in less than 500 letters, and shown so in a notebook."""

    __slots__ = ()

    def _facts(self) -> Iterable[str]:
        """Yield what the value is, the most important first; empty facts are left out."""
        raise NotImplementedError

    def _head(self) -> "DataFrame | None":
        return None

    def __repr__(self) -> str:
        return quote(f"{type(self).__name__}({', '.join(filter(None, self._facts()))})", _LONGEST_REPR)

    def _repr_html_(self) -> str:
        facts, head = quote(", ".join(filter(None, self._facts())), _LONGEST_REPR), self._head()
        table = "" if head is None else head.to_html(max_rows=ROWS, max_cols=COLUMNS, border=0, show_dimensions=True)
        return f"<div><b>{type(self).__name__}</b> {escape(facts)}{table}</div>"


def format_count(number: float, what: str, several: str = "") -> str:
    digits = f"{number:,.0f}" if number == round(number) else f"{number:,.6g}"
    return f"{digits} {what if number == 1 else several or what + 's'}"


def list_phones(phones: Iterable[str], most: int = 12) -> str:
    some = list(phones)
    return " ".join(some[:most]) + (" …" if len(some) > most else "")


def tidy(columns: Mapping[str, Any]) -> "DataFrame":
    """Return columns as a table; those that are None are left out."""
    import pandas as pd

    return pd.DataFrame({name: values for name, values in columns.items() if values is not None})


def cells(
    values: "NDArray[Any]",
    labels: tuple[Sequence[str], Sequence[str]],
    names: tuple[str, str, str],
    *,
    wide: bool,
    kept: "NDArray[np.bool_] | None" = None,
) -> "DataFrame":
    """Return a labelled array [A, B] as a table: `names` are of the rows, of the columns, of the values."""
    import numpy as np
    import pandas as pd

    if wide:
        table = pd.DataFrame(values, index=[*labels[0]], columns=[*labels[1]])
        return table.rename_axis(index=names[0], columns=names[1])
    down, along = np.nonzero(np.ones(values.shape, bool) if kept is None else kept)
    first, second = (np.array(side, dtype=object) for side in labels)
    return tidy({names[0]: first[down], names[1]: second[along], names[2]: values[down, along]})


_NOTE = 250  # letters of a note that are printed
_PARTS: Final = ("low", "high", "level", "note", "status")
_FAR = 0.5  # a skill wholly above this is far above chance
_HARDLY = 0.05  # a skill wholly below this, though above 0, is hardly above chance

SIGNIFICANT = 0.05
"""Cells with q below this are said to differ."""
FEW_TOKENS = 20
"""Of a phone: below, every estimator of its entropy is off by more than 0.4 bits; such rows are hatched."""
Status = Literal[
    "", "too-few-clusters", "not-above-chance", "undefined", "no-speakers", "these-speakers-alone", "bias-warning"
]
"""Why a number or its interval is missing, or of what the interval is; "" where nothing is to be said."""


class Estimate(ReadableValue, float):
    """A number, and an interval that is meant to hold the truth with probability `level`; NaN where there is none.

    It is a float: it compares, rounds and computes as its value, and what is computed of it is a plain float.
    `status` says in one word why a value or an interval is missing, or of what it is; `note` says it for people.

    Examples
    --------
    >>> rate = Estimate(0.25, 0.1, 0.4, 0.95)
    >>> rate < 0.3, round(rate, 1), 100 * rate, rate.high
    (True, 0.2, 25.0, 0.4)
    >>> print(rate)
    0.25 [0.1, 0.4]
    """

    __slots__ = ("high", "level", "low", "note", "status")

    low: float
    high: float
    level: float
    note: str
    status: Status

    def __new__(
        cls,
        value: float,
        low: float = math.nan,
        high: float = math.nan,
        level: float = math.nan,
        *,
        note: str = "",
        status: Status = "",
    ) -> Self:
        self = super().__new__(cls, value)
        for name, part in zip(_PARTS, (low, high, level, note, status), strict=True):
            object.__setattr__(self, name, part)
        return self

    def __setattr__(self, name: str, value: object) -> None:
        raise FrozenInstanceError(f"cannot assign to field {name!r}")

    def __reduce__(self) -> tuple[Callable[[float], Self], tuple[float]]:
        # With names: what is called for a copy or by pickle gets no keywords, and two parts are keywords alone.
        return partial(type(self), **{name: getattr(self, name) for name in _PARTS}), (self.value,)

    @property
    def value(self) -> float:
        """The number alone, as a plain float."""
        return float(self)

    @property
    def defined(self) -> bool:
        return not math.isnan(self)

    @property
    def bounded(self) -> bool:
        return not (math.isnan(self.low) or math.isnan(self.high))

    @property
    def verdict(self) -> "Verdict":
        """What the interval of a skill supports, 0 being chance and 1 the best that can be."""
        return judge_interval(self.low, self.high)

    def changed(self, **parts: Any) -> "Estimate":  # noqa: ANN401 - of several types
        """Return the same with other parts: value, low, high, level, note, status."""
        return Estimate(**({"value": self.value} | {name: getattr(self, name) for name in _PARTS} | parts))

    def __repr__(self) -> str:
        numbers = ", ".join(f"{name}={getattr(self, name)!r}" for name in ("value", *_PARTS[:3]))
        return f"Estimate({numbers}, status={self.status!r}, note={quote(self.note, _NOTE)!r})"

    def __str__(self) -> str:
        return f"{self.value:.4g}" + ("" if math.isnan(self.low) else f" [{self.low:.4g}, {self.high:.4g}]")

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
        """
        value, *limits = (float(min(max(one, low), high)) for one in (self.value, self.low, self.high))  # NaN stays NaN
        if math.isnan(value) or math.isclose(value, self.value, abs_tol=1e-9):  # the rest is rounding
            return self.changed(value=value, low=limits[0], high=limits[1])
        side, end = ("below", "least") if value == low else ("above", "greatest")
        note = join_notes([f"the estimate is {side} the {end} possible value, which is given instead", self.note])
        if limits[0] == limits[1]:
            none = "no interval: all of it lies outside the possible values"
            return Estimate(value, note=join_notes([note, none]), status="undefined")
        return self.changed(value=value, low=limits[0], high=limits[1], note=note)


def join_notes(notes: Iterable[str]) -> str:
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


def judge_interval(low: float, high: float, *, share: bool = True) -> Verdict:
    """Return what an interval supports; `share`: whether the number is a skill, which is 1 at best."""
    if math.isnan(low) or math.isnan(high):
        return Verdict.UNTESTED
    if high < 0 or low <= 0:
        return Verdict.WORSE if high < 0 else Verdict.ALIKE
    if share and (high < _HARDLY or low > _FAR):
        return Verdict.HARDLY_BETTER if high < _HARDLY else Verdict.FAR_BETTER
    return Verdict.BETTER

"""How values show themselves: one line of facts where they are printed, a table in a notebook, and as DataFrames.

`to_frame()` is tidy, a row for each thing (an attested cell, a token, an utterance), labels in columns of text that are
called as in the tables of results, ∅ for no phone. What has two labels to a cell takes `wide=True`: rows and columns
are labels then, every cell stands there, and the index and the columns are named. Only there is pandas imported.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from phonxling.core.errors import printable, shown

if TYPE_CHECKING:
    from pandas import DataFrame as DataFrame

_LONGEST = 460  # letters of the facts
_LEAST = 0.06  # share below which a cell is not shaded
ROWS, COLUMNS = 10, 14  # of a table in a notebook
# Colours are those of the notebook, dark or light; a shade lets them through.
_CELL = "border:1px solid rgba(128,128,128,.35);padding:.15em .45em;white-space:nowrap;color:inherit;"
_TABLE = "border-collapse:collapse;margin:.4em 0;color:inherit;font-size:inherit"
_NOTE = '<div style="opacity:.75;font-size:90%">'


@dataclass(frozen=True, slots=True)
class Sample:
    """A piece of a value as a table: its first row is a head. A number in `shades` (0 to 1) darkens a cell."""

    head: Sequence[str]
    rows: Sequence[Sequence[str]]
    shades: Sequence[Sequence[float]] = field(default_factory=list)
    note: str = ""


class Shown:
    """A value that is printed as its name and facts of it, in less than 500 letters, and shown so in a notebook."""

    __slots__ = ()

    def _facts(self) -> Iterable[str]:
        """Yield what the value is, the most important first; empty facts are left out."""
        raise NotImplementedError

    def _sample(self) -> Sample | None:
        """Return a piece of the value as a table."""
        return None

    def __repr__(self) -> str:
        return shown(f"{type(self).__name__}({', '.join(filter(None, self._facts()))})", _LONGEST)

    def _repr_html_(self) -> str:
        facts = escape(shown(", ".join(filter(None, self._facts())), _LONGEST))
        sample = self._sample()
        table = "" if sample is None else _table(sample)
        return f'<div style="overflow-x:auto"><b>{escape(type(self).__name__)}</b> {facts}{table}</div>'


def _table(sample: Sample) -> str:
    head = "".join(f'<th style="{_CELL}text-align:left">{_text(cell)}</th>' for cell in sample.head)
    shades = sample.shades or [[0.0] * len(row) for row in sample.rows]
    rows = ("<tr>" + "".join(map(_cell, row, shade)) + "</tr>" for row, shade in zip(sample.rows, shades, strict=True))
    note = f"{_NOTE}{_text(sample.note)}</div>" if sample.note else ""
    body = f"<thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody>"
    return f'<table style="{_TABLE}">{body}</table>{note}'


def _cell(text: str, shade: float) -> str:
    dark = f"background:rgba(31,119,180,{min(0.55, 0.55 * shade):.2f});" if shade > _LEAST else ""
    return f'<td style="{_CELL}{dark}text-align:left">{_text(text)}</td>'


def _text(text: str) -> str:
    return escape(printable(text))


def counted(number: float, what: str, several: str = "") -> str:
    """Return a number of things in words."""
    digits = f"{number:,.0f}" if number == round(number) else f"{number:,.6g}"
    return f"{digits} {what if number == 1 else several or what + 's'}"


def listed(phones: Iterable[str], most: int = 12) -> str:
    """Return phones with spaces between them, the first ones of many."""
    some = list(phones)
    return " ".join(some[:most]) + (" …" if len(some) > most else "")


def tidy(columns: Mapping[str, Any]) -> "DataFrame":
    """Return columns as a table; those that are None are left out."""
    import pandas as pd

    return pd.DataFrame({name: values for name, values in columns.items() if values is not None})


def cells(
    values: NDArray[Any],
    labels: tuple[Sequence[str], Sequence[str]],
    names: tuple[str, str, str],
    *,
    wide: bool,
    kept: NDArray[np.bool_] | None = None,
) -> "DataFrame":
    """Return a labelled array [A, B] as a table: `names` are of the rows, of the columns, of the values."""
    import pandas as pd

    if wide:
        table = pd.DataFrame(values, index=[*labels[0]], columns=[*labels[1]])
        return table.rename_axis(index=names[0], columns=names[1])
    down, along = np.nonzero(np.ones(values.shape, bool) if kept is None else kept)
    first, second = (np.array(side, dtype=object) for side in labels)
    return tidy({names[0]: first[down], names[1]: second[along], names[2]: values[down, along]})

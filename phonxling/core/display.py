"""How values show themselves: one line of facts where they are printed, a table in a notebook, and as DataFrames.

`to_frame()` is tidy, a row for each thing (an attested cell, a token, an utterance), labels in columns of text that are
called as in the tables of results, ∅ for no phone. What has two labels to a cell takes `wide=True`: rows and columns
are labels then, every cell stands there, and the index and the columns are named. Only there is pandas imported.
"""

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING, Any

from phonxling.core.errors import shown

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from pandas import DataFrame as DataFrame

_LONGEST = 460  # letters of the facts
ROWS, COLUMNS = 10, 14  # of a table in a notebook


class Shown:
    """A value that is printed as its name and facts of it, in less than 500 letters, and shown so in a notebook."""

    __slots__ = ()

    def _facts(self) -> Iterable[str]:
        """Yield what the value is, the most important first; empty facts are left out."""
        raise NotImplementedError

    def _head(self) -> "DataFrame | None":
        return None

    def __repr__(self) -> str:
        return shown(f"{type(self).__name__}({', '.join(filter(None, self._facts()))})", _LONGEST)

    def _repr_html_(self) -> str:
        facts, head = escape(shown(", ".join(filter(None, self._facts())), _LONGEST)), self._head()
        table = "" if head is None else head.to_html(max_rows=ROWS, max_cols=COLUMNS, border=0, show_dimensions=True)
        return f"<div><b>{escape(type(self).__name__)}</b> {facts}{table}</div>"


def counted(number: float, what: str, several: str = "") -> str:
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

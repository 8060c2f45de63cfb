"""Long tables to matrices and back: the shape that heat maps need, the shape that files have."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from phonxling.core.arrays import Floats
from phonxling.core.inventory import GAP


def phones_of(labels: "pd.Series[str]") -> list[str]:
    """Return the phones of a column of labels in the order in which they first occur, without ∅."""
    return [label for label in dict.fromkeys(labels) if label != GAP]


def cells(
    table: pd.DataFrame,
    value: str,
    *,
    rows: tuple[str, Sequence[str]],
    columns: tuple[str, Sequence[str]],
    blank: float = np.nan,
) -> Floats:
    """Return a column of a long table as an array [rows, columns]; cells that the table does not list are `blank`.

    Rows and columns are each the column of the table that has the labels, and the labels in their order.
    """
    of_row, of_column = ({label: place for place, label in enumerate(labels)} for _, labels in (rows, columns))
    array = np.full((len(of_row), len(of_column)), blank)
    down, along = table[rows[0]].map(of_row).to_numpy(int), table[columns[0]].map(of_column).to_numpy(int)
    array[down, along] = table[value].to_numpy(float)
    return array


def long_form(rows: Sequence[str], columns: Sequence[str], *, names: tuple[str, str], **values: Floats) -> pd.DataFrame:
    """Return arrays [rows, columns] as a long table, one row a cell, in the order in which they are drawn."""
    down, along = np.divmod(np.arange(len(rows) * len(columns)), max(len(columns), 1))
    labels = {names[0]: [rows[place] for place in down], names[1]: [columns[place] for place in along]}
    return pd.DataFrame({**labels, **{name: array.ravel() for name, array in values.items()}})

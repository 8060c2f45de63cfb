"""Values as tables of pandas, which nothing else in `core` needs: it is imported when a table is asked for.

One convention: `to_frame()` is tidy, a row for each thing (an attested cell, a token, an utterance), labels in columns
of text that are called as in the tables of results, ∅ for no phone. What has two labels to a cell takes `wide=True`:
rows and columns are labels then, every cell stands there, and the index and the columns are named.
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from phonxling.core.inventory import GAP

if TYPE_CHECKING:
    from pandas import DataFrame as DataFrame


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


def with_gap(phones: Sequence[str]) -> list[str]:
    """Return labels with ∅ last."""
    return [*phones, GAP]

"""The numbers of results: summary.tsv and details.tsv, one set of rows in two tables of the same columns."""

from pathlib import Path
from typing import TYPE_CHECKING

from phonxling.tables.files import read_table

if TYPE_CHECKING:
    import pandas as pd

NUMBERS = ("summary.tsv", "details.tsv")
NOT_ALIKE = "not alike: "  # before what differs in how two numbers were made, at the end of a comparison's note


def read_numbers(folder: Path) -> "pd.DataFrame":
    """Return every number of a folder of results, those of the summary first; errors as for `read_table`."""
    import pandas as pd

    return pd.concat([read_table(folder, file) for file in NUMBERS], ignore_index=True)

"""An analysis on the page: its sentences and the columns of its table, each with where it leads."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal

import pandas as pd

from phonxling.report.findings.sentence import Sentence

Tables = Mapping[str, pd.DataFrame]


@dataclass(frozen=True, eq=False, kw_only=True)
class FurtherPart:
    """An analysis on the page.

    Parameters
    ----------
    name : str
        What addresses call it: `#part=pooled`.
    title : str
        Its heading.
    tables : tuple of str
        The tables that its sentences are made of, without ending; the page shows the first. An experiment without that
        table does not show the part.
    of : {"corpus", "results"}
        Whether each corpus has such tables, or all corpora together.
    columns : tuple of str
        The columns that are shown. One whose limits `NAME_low` and `NAME_high` are columns too stands with them.
    interval : str
        The column whose limits are `low` and `high`; "" for none.
    sentences : callable
        The corpus' name ("" for all together) and its tables to sentences: each claims what its interval supports.
    sort : str
        The column by which rows are sorted at first, `-NAME` the largest first; "" leaves them as the table has them.
    links : mapping
        Columns whose cells lead somewhere: the state of the page, as its names to columns of the table:
        {"predicted": {"gold": "gold", "heard": "predicted"}} leads to the utterances behind a pair.
    """

    name: str
    title: str
    tables: tuple[str, ...]
    columns: tuple[str, ...]
    sentences: Callable[[str, Tables], Iterator[Sentence]]
    of: Literal["corpus", "results"] = "corpus"
    interval: str = ""
    sort: str = ""
    links: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    @property
    def shown(self) -> Mapping[str, object]:
        """What the page's scripts need to show the table."""
        return {
            "name": self.name,
            "table": f"{self.tables[0]}.tsv",
            "of": self.of,
            "columns": self.columns,
            "interval": self.interval,
            "sort": self.sort,
            "links": {column: dict(state) for column, state in self.links.items()},
        }

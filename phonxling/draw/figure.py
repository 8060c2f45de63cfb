"""What a figure is: the tables that it draws, and a function from stored results to drawings."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

import pandas as pd
from matplotlib.figure import Figure as Figure

from phonxling.core.arrays import Floats
from phonxling.draw.order import phone_orders
from phonxling.draw.style import FigureOptions, house_style

Tables = Mapping[str, pd.DataFrame]
Of = Literal["corpus", "corpora", "comparison", "plan"]


@dataclass(frozen=True, slots=True, eq=False)
class Drawing:
    """A finished figure: its name, the figure, and the table of exactly what it shows."""

    name: str
    figure: Figure
    shown: pd.DataFrame


@dataclass(frozen=True, eq=False, kw_only=True)
class Stored:
    """What figures are drawn from: the stored tables of an experiment's corpora, of a comparison, or of a plan."""

    tables: Mapping[str, Tables]
    options: FigureOptions
    summary: pd.DataFrame = field(default_factory=pd.DataFrame)
    reference: str | None = None
    vectors: Mapping[str, Floats] = field(default_factory=dict)
    vowels: frozenset[str] = frozenset()
    method: str = "umap"
    own_maps: bool = False
    titles: Mapping[str, str] = field(default_factory=dict)

    def title(self, corpus: str) -> str:
        return self.titles.get(corpus, corpus)

    @property
    def targets_first(self) -> pd.DataFrame:
        """The numbers of all corpora, those of the reference last."""
        return self.summary.sort_values("corpus", key=lambda names: names == self.reference, kind="stable")


@dataclass(frozen=True, eq=False)
class StoredCorpus:
    """One corpus of what is stored; "" is a comparison, a plan, or all corpora together."""

    name: str
    stored: Stored

    @property
    def options(self) -> FigureOptions:
        return self.stored.options

    @property
    def title(self) -> str:
        return self.stored.title(self.name)

    @cached_property
    def tables(self) -> Tables:
        """The tables that have rows."""
        return {name: table for name, table in self.stored.tables.get(self.name, {}).items() if len(table)}

    @cached_property
    def orders(self) -> tuple[list[str] | None, list[str] | None]:
        """The order of gold and of predicted phones that the corpus' heat maps share; None without confusions."""
        if "confusions" not in self.tables:
            return None, None
        return phone_orders(self.tables["confusions"], self.options.order, self.stored.vectors)

    def value(self, measure: str, variant: str) -> float | None:
        rows = self._rows(measure)
        return next(iter(rows.loc[rows["variant"] == variant, "value"].dropna().tolist()), None)

    def note(self, measure: str) -> str:
        """Return the first note of a measure's rows, "" without one."""
        return next(iter(self._rows(measure)["note"].dropna().tolist()), "")

    def _rows(self, measure: str) -> pd.DataFrame:
        summary = self.stored.summary
        return summary[(summary["corpus"] == self.name) & (summary["measure"] == measure)]


@dataclass(frozen=True, slots=True)
class DeclaredFigure:
    """A figure, or several, of a corpus, of all together, of a comparison or a plan, and how it is drawn of tables.

    Those that it needs have rows; those that it shows may.
    """

    name: str
    tables: tuple[str, ...]
    draw_one: Callable[[StoredCorpus], Drawing | Iterable[Drawing] | None]
    of: Of = "corpus"
    shows: tuple[str, ...] = ()

    def draw(self, source: StoredCorpus) -> list[Drawing]:
        if not set(self.tables) <= set(source.tables):
            return []
        with house_style(source.options.font):
            drawn = self.draw_one(source)
            return [drawn] if isinstance(drawn, Drawing) else [*(drawn or ())]

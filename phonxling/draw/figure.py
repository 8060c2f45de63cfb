"""What a figure is: the tables that it draws, and a function from stored results to drawings."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

import numpy as np
import pandas as pd
from matplotlib.figure import Figure as Figure

from phonxling.core.arrays import Bools, Floats
from phonxling.draw.order import phone_orders
from phonxling.draw.style import FEW, FigureOptions, house_style

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
    of_reference: Tables = field(default_factory=dict)

    def title(self, corpus: str) -> str:
        return self.titles.get(corpus, corpus)

    @property
    def many(self) -> bool:
        """Whether there are too many corpora for figures of each: rows are then low, and ranked."""
        return bool(self.summary["corpus"].nunique() > self.options.each_up_to)

    @property
    def targets_first(self) -> pd.DataFrame:
        """The numbers of all corpora, those of the reference last; of many the best targets first, by skill or rate."""
        names = self.summary["corpus"].drop_duplicates()
        if self.many:
            best = [self._values(f"{kind}skill_wper", "best") for kind in ("attainable_", "")]
            marks = pd.concat([*best, -self._values("wper", ""), pd.Series(-np.inf, index=names)])
            names = marks[~marks.index.duplicated()].sort_values(ascending=False, kind="stable").index.to_series()
        rank = {name: place for place, name in enumerate(names)}
        rank |= {self.reference: len(rank)}
        return self.summary.sort_values("corpus", key=lambda column: column.map(rank), kind="stable")

    def _values(self, measure: str, variant: str) -> "pd.Series[float]":
        """Return a number of each corpus that has it."""
        chosen = (self.summary["measure"] == measure) & (self.summary["variant"].fillna("") == variant)
        return self.summary[chosen].set_index("corpus")["value"].dropna()


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

    @property
    def beside(self) -> Tables:
        """The tables of the reference, which may stand beside a target; none of the reference itself."""
        return {} if self.name == self.stored.reference else self.stored.of_reference

    @cached_property
    def orders(self) -> tuple[list[str] | None, list[str] | None]:
        """The order of gold and of predicted phones that the corpus' heat maps share; None without confusions."""
        if "confusions" not in self.tables:
            return None, None
        return phone_orders(self.tables["confusions"], self.options.order, self.stored.vectors)

    def few(self, gold: Sequence[str], columns: int) -> Bools:
        """Return which cells rest on fewer tokens of a gold phone than a share needs, [gold, columns]."""
        counts = self.tables["confusions"].groupby("gold")["count"].sum() if "confusions" in self.tables else None
        tokens = np.full(len(gold), np.inf) if counts is None else counts.reindex(list(gold)).to_numpy(float)
        return np.repeat((tokens < FEW)[:, None], columns, axis=1)

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

    Those that it needs have rows; those that it shows may. A run draws it without being asked where it is one of the
    `first`. `reading` is how to read it, in two sentences.
    """

    name: str
    tables: tuple[str, ...]
    draw_one: Callable[[StoredCorpus], Drawing | Iterable[Drawing] | None]
    of: Of = "corpus"
    shows: tuple[str, ...] = ()
    first: bool = False
    reading: str = ""

    def draw(self, source: StoredCorpus) -> list[Drawing]:
        if not set(self.tables) <= set(source.tables):
            return []
        with house_style(source.options.font):
            drawn = self.draw_one(source)
            return [drawn] if isinstance(drawn, Drawing) else [*(drawn or ())]

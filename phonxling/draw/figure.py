"""What a figure is: the tables that it draws, and a function from stored results to drawings."""

import io
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Literal

import numpy as np
import pandas as pd
from matplotlib.figure import Figure as Figure
from numpy.typing import NDArray

from phonxling.analyses.features import by_features, order_rows
from phonxling.core.arrays import Bools, Floats, divide
from phonxling.core.errors import DataError
from phonxling.core.files import write_bytes
from phonxling.core.inventory import GAP, chart_key
from phonxling.draw.sheet import Sheet
from phonxling.draw.style import FEW_TOKENS_DRAWN, FigureOptions, house_style
from phonxling.results.tables import declared_figures

_Places = NDArray[np.intp]
OF_PAIRS, OF_POSTERIORS = ("gold", "predicted"), ("gold", "recognised")  # what stands in rows and in columns of tables
Phones = tuple[Sequence[str], Sequence[str]]  # of the rows and of the columns


def phones_of(labels: "pd.Series[str]") -> list[str]:
    """Return the phones of a column of labels in the order in which they first occur, without ∅."""
    return [label for label in dict.fromkeys(labels) if label != GAP]


def cells(table: pd.DataFrame, value: str, sides: tuple[str, str], phones: Phones, *, blank: float = np.nan) -> Floats:
    """Return a column of a long table as an array [rows, columns]; cells that it does not list are `blank`."""
    places = [{label: place for place, label in enumerate(labels)} for labels in phones]
    array = np.full([len(labels) for labels in places], blank)
    down, along = (table[side].map(own).to_numpy(int) for side, own in zip(sides, places, strict=True))
    array[down, along] = table[value].to_numpy(float) if value in table else blank
    return array


def given_order(labels: Sequence[str], order: Sequence[str]) -> _Places:
    """Return the places of `labels` in a given order; labels that it does not name come after, as they stood."""
    rank = {label: place for place, label in enumerate(order)}
    return np.argsort([rank.get(label, len(rank)) for label in labels], kind="stable")


def order_phones(
    weights: Floats, phones: Phones, orders: tuple[Sequence[str] | None, Sequence[str] | None]
) -> tuple[_Places, _Places]:
    """Return the places of rows and of columns in given orders; else rows that are alike, columns by the diagonal."""
    (rows, columns), (of_rows, of_columns) = phones, orders
    down = rest_last(order_rows(weights) if of_rows is None else given_order(rows, of_rows), rows)
    if of_columns is not None:
        return down, rest_last(given_order(columns, of_columns), columns)
    # Strong cells come near the diagonal: by the mean row of a column's weights, squared, so that many weak cells do
    # not pull it from a strong one.
    squares = np.nan_to_num(weights[down]) ** 2
    middles = divide(np.arange(len(down), dtype=np.float64) @ squares, squares.sum(axis=0), undefined=np.inf)
    return down, rest_last(np.argsort(middles, kind="stable"), columns)


def other_phones(number: int) -> str:
    return f"other ({number})"


def is_rest(label: str) -> bool:
    """Return whether a label is that of phones that are drawn as one; no phone has a space."""
    return label.startswith("other (")


def rest_last(places: _Places, labels: Sequence[str]) -> _Places:
    """Return the places with that of the phones that are drawn as one moved to the end."""
    return places[np.argsort([is_rest(labels[place]) for place in places], kind="stable")]


def rarest_phones(tokens: Floats, room: int) -> _Places:
    """Return which phones must be folded into one so that `room` places are enough, rarest first; none if all fit."""
    too_many = len(tokens) - room  # and one more: those that are folded take a place themselves
    return np.argsort(tokens, kind="stable")[: too_many + 1] if too_many > 0 else np.arange(0)


def phone_orders(table: pd.DataFrame, order: str, vectors: Mapping[str, Floats]) -> tuple[list[str], list[str] | None]:
    """Return the order of gold phones, and of predicted ones; None where these follow the gold phones' diagonal.

    By similarity, gold phones that are confused alike stand side by side.
    """
    gold, predicted = (phones_of(table[side]) for side in OF_PAIRS)
    if order == "features":
        ranked = by_features([*gold, *predicted], vectors)
        return sorted(gold, key=ranked.index), sorted(predicted, key=ranked.index)
    if order == "frequency":
        tokens = (table[table[side] != GAP].groupby(side, sort=False)["count"].sum() for side in OF_PAIRS)
        gold, predicted = ([*own.sort_values(ascending=False, kind="stable").index] for own in tokens)
        return gold, predicted
    pairs = table[(table["gold"] != GAP) & (table["predicted"] != GAP)]
    counts = cells(pairs, "count", OF_PAIRS, (gold, predicted), blank=0)
    with np.errstate(invalid="ignore"):  # a phone that is only deleted has no shares
        return [gold[row] for row in order_rows(counts / counts.sum(axis=1, keepdims=True))], None


_DPI = 300
_METADATA: dict[str, dict[str, str | None]] = {  # no dates, no versions
    "pdf": {"CreationDate": None, "Creator": "phonxling", "Producer": "matplotlib"},
    "png": {"Software": "phonxling"},
    "svg": {"Date": None, "Creator": "phonxling"},
}
Tables = Mapping[str, pd.DataFrame]
_HEAT_MAPS = ("confusions", "association")
MANY = 8  # corpora; of more, rows are low, and ranked
Of = Literal["corpus", "corpora", "comparison"]


@dataclass(frozen=True, slots=True, eq=False)
class Drawing:
    """A finished figure: its name, the figure, and what a caption says."""

    name: str
    figure: Sheet
    caption: str = ""

    def save(self, folder: Path, formats: Iterable[str]) -> list[Path]:
        """Write `folder/name.format` for each format; the same numbers give the same bytes."""
        if Path(self.name).name != self.name:
            raise DataError(f"the figure name {self.name!r} cannot be a file name; rename the corpus without slashes")
        files = [folder / f"{self.name}.{form}" for form in formats]
        with house_style():
            for path in files:
                content, form = io.BytesIO(), path.suffix[1:]
                self.figure.savefig(content, format=form, dpi=_DPI, metadata=_METADATA[form])
                write_bytes(path, content.getvalue())
        return files


@dataclass(frozen=True, eq=False, kw_only=True)
class StoredTables:
    """What figures are drawn from: the stored tables of an experiment's corpora, or of a comparison."""

    tables: Mapping[str, Tables]
    options: FigureOptions
    summary: pd.DataFrame = field(default_factory=pd.DataFrame)
    reference: str | None = None
    vectors: Mapping[str, Floats] = field(default_factory=dict)
    vowels: frozenset[str] = frozenset()
    method: str = "umap"
    titles: Mapping[str, str] = field(default_factory=dict)

    def title(self, corpus: str) -> str:
        return self.titles.get(corpus, corpus)

    @property
    def many(self) -> bool:
        """Whether there are so many corpora that rows are low, and ranked."""
        return bool(self.summary["corpus"].nunique() > MANY)

    @property
    def targets_first(self) -> pd.DataFrame:
        """The numbers of all corpora, the best targets first, by skill or rate; those of the reference last."""
        names = self.summary["corpus"].drop_duplicates()
        targets = {*names} - {self.reference}
        skill = self.values("skill_wper", "best")
        best = [skill] if targets <= {*skill.index} else []  # one measure for all
        marks = pd.concat([*best, -self.values("wper", ""), pd.Series(-np.inf, index=names)])
        names = marks[~marks.index.duplicated()].sort_values(ascending=False, kind="stable").index.to_series()
        rank = {name: place for place, name in enumerate(names)}
        rank |= {self.reference: len(rank)}
        return self.summary.sort_values("corpus", key=lambda column: column.map(rank), kind="stable")

    def values(self, measure: str, variant: str) -> "pd.Series[float]":
        chosen = (self.summary["measure"] == measure) & (self.summary["variant"] == variant)
        return self.summary[chosen].set_index("corpus")["value"].dropna()

    def of_all(self, table: str) -> pd.DataFrame:
        """Return a table of all corpora that have rows of it, with their names; without columns where none has."""
        parts = [own[table].assign(corpus=name) for name, own in self.tables.items() if len(own.get(table, ()))]
        return pd.concat(parts) if parts else pd.DataFrame()


@dataclass(frozen=True, eq=False)
class StoredCorpus:
    """One corpus of what is stored; "" is a comparison, or all corpora together."""

    name: str
    stored: StoredTables

    @property
    def options(self) -> FigureOptions:
        return self.stored.options

    @property
    def title(self) -> str:
        return self.stored.title(self.name)

    def titled(self, figure: str) -> str:
        title = declared_figures()["corpus", figure].title
        return f"{self.title}: {title}" if self.title else title[0].upper() + title[1:]

    @cached_property
    def tables(self) -> Tables:
        return {name: table for name, table in self.stored.tables.get(self.name, {}).items() if len(table)}

    @cached_property
    def orders(self) -> tuple[list[str] | None, list[str] | None]:
        """The order of gold and of heard phones that the corpus' heat maps share; None: those alike side by side."""
        if self.options.order == "chart":
            shown = [table for name, table in self.tables.items() if name in _HEAT_MAPS]
            sides = {*OF_PAIRS, *OF_POSTERIORS}
            every = {phone for table in shown for side in sides & {*table} for phone in table[side]}
            ranked = sorted(every, key=chart_key)
            return ranked, ranked
        if "confusions" not in self.tables:
            return None, None
        return phone_orders(self.tables["confusions"], self.options.order, self.stored.vectors)

    def few(self, gold: Sequence[str], columns: int) -> Bools:
        """Return which cells rest on fewer tokens of a gold phone than a share needs, [gold, columns]."""
        counts = self.tables["confusions"].groupby("gold")["count"].sum() if "confusions" in self.tables else None
        # Without counts nothing is known to be rare.
        tokens = np.full(len(gold), np.inf) if counts is None else counts.reindex(list(gold)).to_numpy(float)
        return np.repeat((tokens < FEW_TOKENS_DRAWN)[:, None], columns, axis=1)

    def value(self, measure: str, variant: str = "") -> float | None:
        return self.stored.values(measure, variant).get(self.name)

    def note(self, measure: str) -> str:
        """Return the first note of a measure's rows, "" without one."""
        summary = self.stored.summary
        chosen = (summary["corpus"] == self.name) & (summary["measure"] == measure)
        return next(iter(summary.loc[chosen, "note"].dropna().tolist()), "")


@dataclass(frozen=True, slots=True)
class DeclaredFigure:
    """A figure, or several, of a corpus, of all together, or of a comparison, and how it is drawn of tables.

    Those that it needs have rows; those that it shows may. A run draws it without being asked where it is a `main` one.
    Where it shows `phones`, some of them can be chosen.
    """

    name: str
    tables: tuple[str, ...]
    draw_one: Callable[[StoredCorpus], Sheet | Iterable[Sheet] | None]
    of: Of = "corpus"
    shows: tuple[str, ...] = ()
    main: bool = False
    phones: bool = False

    @property
    def reading(self) -> str:
        """How to read it, in two sentences of figures.tsv."""
        return declared_figures()[self.of, self.name].reading

    def chosen(self, kinds: Sequence[str]) -> bool:
        """Return whether it is of these kinds; `main` and `all` are sets, and a comparison has all."""
        return self.of == "comparison" or "all" in kinds or self.name in kinds or (self.main and "main" in kinds)

    def draw(self, source: StoredCorpus) -> list[Drawing]:
        """Return what is drawn of the source; several sheets are numbered from the second on."""
        if not {*self.tables} <= {*source.tables}:
            return []
        # Widths of text depend on the font that is in force, so that nothing can be laid out outside of the style.
        with house_style(source.options.font):
            drawn = self.draw_one(source)
            sheets = [drawn] if isinstance(drawn, Sheet) else [*(drawn or ())]
        captions = [" ".join(filter(None, (f"{one.title}.", self.reading, one.notes))) for one in sheets]
        names = [self.name, *(f"{self.name}-{number}" for number in range(2, len(sheets) + 1))]
        return [Drawing(*own) for own in zip(names, sheets, captions, strict=False)]

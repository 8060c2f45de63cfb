"""Consonants as in the chart of the IPA: a cell a phone, shaded by how often it is right, with its other answer below.

Manners stand below each other and places side by side, voiceless left of voiced, or above it where the width has no
room; phones of one place and voice (plain, aspirated, ejective) below each other.
"""

from collections import defaultdict
from collections.abc import Iterator
from functools import partial
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle
from matplotlib.text import Text

from phonxling.core.inventory import GAP
from phonxling.draw.charts import KEY, LEAST, Key, answers, has_inventory, lacking_means, look_of, without_place
from phonxling.draw.figure import StoredCorpus, list_phones
from phonxling.draw.sheet import Sheet, cut_to_width, text_size, wrap
from phonxling.draw.style import EDGE, FEW_TOKENS_DRAWN, GRID, LINE, PAGE_HEIGHT, PHONES
from phonxling.phones.chart import MANNERS, consonant_place

_PHONE, _ANSWER = 3.5, 2.3  # mm: the height of a cell, of each of two lines below
_AIR, _APART, _TITLE = 0.25, 1.0, 5.5  # mm: around a cell, between places and manners, above all
_WIDEST, _MOST = 8.0, 10.0  # mm: a label, a cell


class _Chart:
    """Consonants at their places, in mm, with labels of a size; it fits where a cell is as wide as its labels."""

    def __init__(self, phones: pd.DataFrame, width: float, size: float, *, voices: bool) -> None:
        self.phones, self.width, self.size, self.voices = phones, width, size, voices
        at = {phone: place for phone in phones.index if (place := consonant_place(phone))}
        half = {phone: (place.column, place.place_name, place.voiced and voices) for phone, place in at.items()}
        halves = sorted({*half.values()})
        self.column = {phone: halves.index(own) for phone, own in half.items()}
        cells = defaultdict[tuple[int, int], list[str]](list)
        for phone in sorted(at, key=lambda phone: (at[phone].voiced, len(phone), phone)):
            cells[at[phone].manner, self.column[phone]].append(phone)
        depth = {phone: (manner, deep) for (manner, _), own in cells.items() for deep, phone in enumerate(own)}
        rows = sorted({*depth.values()})
        self.row = {phone: rows.index(own) for phone, own in depth.items()}
        names = {manner: MANNERS[manner].replace("lateral ", "lateral\n") for manner, _ in rows}
        self.manners = {row: names[manner] for row, (manner, deep) in enumerate(rows) if not deep}
        self._spread([name for _, name, _ in halves])
        self._stack()

    def _spread(self, places: list[str]) -> None:
        """Share the width among the columns, of which some have one place."""
        first = np.array([name not in places[:column] for column, name in enumerate(places)])
        left = EDGE + max(text_size(line, self.size)[0] for name in self.manners.values() for line in name.split("\n"))
        self.side = min((self.width - EDGE - left - _APART * first.sum()) / len(places), _MOST)
        self.x = left + self.side * np.arange(len(places)) + _APART * np.cumsum(first)
        self.lines = np.append(self.x[first], self.x[-1] + self.side + _APART) - _APART / 2
        self.places = [*dict.fromkeys(places)]
        self.header = max(text_size(name, self.size)[0] for name in self.places) + 1

    def _stack(self) -> None:
        """Give each row its height: that of what stands in it."""
        answered = {self.row[phone] for phone in self.phones.index[self.phones["answer"].notna()]}
        rows = range(1 + max(self.row.values()))
        names = [LINE * len(self.manners.get(row, "").split("\n")) for row in rows]
        self.heights = np.maximum([_PHONE + 2 * _ANSWER * (row in answered) for row in rows], names)
        above = np.array([_APART if row in self.manners else 2 * _AIR for row in rows])
        self.high = float((self.heights + above).sum()) + _APART / 2
        self.tops = self.high - np.cumsum(above + np.append(0, self.heights[:-1]))

    @property
    def fits(self) -> bool:
        labels = [*self.phones.index, *self.phones["answer"].dropna()]
        widest = max(min(text_size(text, self.size, bold=True)[0], _WIDEST) for text in labels)
        return bool(widest + 2 * _AIR + 0.4 <= self.side)

    def draw(self, axes: Axes) -> None:
        axes.set(xlim=(0, self.width), ylim=(0, self.high + self.header))
        axes.axis("off")
        for name, x in zip(self.places, (self.lines[:-1] + self.lines[1:]) / 2, strict=True):
            axes.text(x, self.high + 0.5, name, fontsize=self.size, ha="center", va="bottom", rotation=90)
        rules: dict[str, Any] = {"color": GRID, "linewidth": 0.4, "zorder": 0.5}
        axes.vlines(self.lines, 0, self.high, **rules)
        for row, name in self.manners.items():
            axes.hlines(self.tops[row] + _APART / 2, EDGE, self.lines[-1], **rules)
            middle = self.tops[row] - max(_PHONE, LINE * (1 + name.count("\n"))) / 2
            axes.text(EDGE, middle, name, fontsize=self.size, va="center", linespacing=1.0)
        for phone, own in self.phones.to_dict("index").items():
            self._draw_cell(axes, str(phone), own)

    def _draw_cell(self, axes: Axes, phone: str, own: dict[Any, Any]) -> None:
        left, top, wide = self.x[self.column[phone]] + _AIR, self.tops[self.row[phone]], self.side - 2 * _AIR
        middle, (face, ink) = left + wide / 2, look_of(own)
        axes.add_patch(Rectangle((left, top - _PHONE), wide, _PHONE, **face))
        look: dict[str, Any] = {"ha": "center", "va": "center"}
        name = cut_to_width(phone, wide, size=self.size, bold=True)
        axes.text(middle, top - _PHONE / 2, name, color=ink, weight="bold", fontsize=self.size, **look)
        if isinstance(own["answer"], str):
            texts = [cut_to_width(own["answer"], wide, size=self.size), f"{100 * own['instead']:.0f}"]
            for line, text in enumerate(texts):
                axes.text(middle, top - _PHONE - _ANSWER * (line + 0.6), text, fontsize=PHONES[-1 - (not line)], **look)


def draw_consonants(corpus: StoredCorpus) -> Sheet | None:
    """Return the chart of a corpus' consonants, smaller or without the rarest where they do not fit; None without any.

    What does not fit is named.
    """
    declared, width = has_inventory(corpus, corpus.name), corpus.options.width_mm
    cells = answers(corpus.tables, corpus.options, declared=declared)
    phones = _consonants(cells)
    if phones.empty:
        return None
    for chart in _charts(phones, width):
        key = _key(chart, lacking_means(declared=declared))
        notes = [*["Voiceless above voiced."] * (not chart.voices), *without_place(cells)]
        if rare := [*phones.index[len(chart.phones) :]]:
            notes.append(f"No room for the {len(rare)} rarest: {list_phones(rare)}.")
        lines = wrap(notes, width)
        foot = EDGE + LINE * len(lines) + KEY * key.rows + 1.0
        high = foot + chart.high + chart.header
        if chart.fits and high + _TITLE <= PAGE_HEIGHT:
            break
    figure = Sheet(width, high + _TITLE)
    figure.write_title(f"{corpus.titled('consonants')} ({phones['tokens'].sum():,.0f} tokens)")
    chart.draw(figure.axes_at(0, foot, width, chart.high + chart.header))
    key.draw(figure, lines)
    return figure


def _consonants(cells: pd.DataFrame) -> pd.DataFrame:
    """Return the gold consonants, the most frequent first: tokens, share right, lacking, other answer and its share."""
    cells = cells[np.array([consonant_place(phone) is not None for phone in cells["gold"]], dtype=bool)]
    own = cells["gold"] == cells["predicted"]
    other = cells[~own & (cells["share"] >= LEAST) & (cells["tokens"] >= FEW_TOKENS_DRAWN)]
    other = other.sort_values("share", ascending=False, kind="stable").drop_duplicates("gold").set_index("gold")
    phones = cells[own].set_index("gold").sort_values("tokens", ascending=False, kind="stable")
    return phones.assign(answer=other["predicted"], instead=other["share"])


def _charts(phones: pd.DataFrame, width: float) -> Iterator[_Chart]:
    """Yield charts that show ever less, the first that fits to be taken: the last has one phone."""
    for voices, size in product((True, False), PHONES):
        yield _Chart(phones, width, size, voices=voices)
    number = len(phones)
    while number > 1:
        number = min(number - 1, int(0.95 * number))
        yield _Chart(phones[:number], width, PHONES[-1], voices=False)


def _key(chart: _Chart, lacking: str) -> Key:
    key = Key(chart.width)
    key.looks(chart.phones, lacking)
    answered = chart.phones[["answer", "instead"]].dropna()
    for answer, share in answered.values[:1]:
        meaning = "most frequent other answer, in %" + (", ∅ deleted" if GAP in {*answered["answer"]} else "")
        sample = partial(Text, text=f"{answer} {100 * share:.0f}", fontsize=PHONES[-2], va="center")
        key.add(meaning, text_size(f"{answer} {100 * share:.0f}", PHONES[-2])[0], sample)
    return key

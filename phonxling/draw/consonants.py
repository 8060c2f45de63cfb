"""Consonants as in the chart of the IPA: a cell a phone, shaded by how often it is right, with its other answer.

Manners stand below each other, places side by side, voiceless left of voiced, or above it where the width has no room;
phones of one place and voice (plain, aspirated, ejective) below each other. Arrows, the confusions of most tokens, run
in lanes above the rows and in channels between the places, so that they cross no letter.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.patches import FancyArrowPatch, Rectangle
from matplotlib.path import Path

from phonxling.core.arrays import Floats
from phonxling.core.inventory import GAP
from phonxling.draw.charts import (
    ARROW,
    FEW_LOOK,
    KEY,
    Key,
    answers,
    arrow_look,
    has_inventory,
    lacking_means,
    outline,
    recognised,
    remarks,
    shade,
    without_place,
)
from phonxling.draw.figure import StoredCorpus, named
from phonxling.draw.sheet import Sheet, fitted, text_size, wrap
from phonxling.draw.style import DARK_GREY, EDGE, FEW, INK, LINE, PAGE_HEIGHT, PASSING, PHONES
from phonxling.phones.chart import MANNERS, Consonant, consonant_place

_ARROWS = 8  # at most
_HIGH, _LOW, _TWO_LINES, _LINE = 10.0, 4.0, 5.6, 2.9  # mm: rows with answers, without, of a long name; a line
_AIR, _CHANNEL, _ABOVE, _LANE = 0.25, 1.2, 2.2, 1.3  # mm: beside a cell, between places, above a row, between lanes
_WIDEST, _MOST = 8.0, 10.0  # mm: a label, a cell
_TITLE, _HEADER = 4.5, 2.9  # mm
_BREAKS = re.compile("–|^alveolo-|^labio|^post|^epi")  # where the name of a place may be broken
_THIN = 0.5  # of an arrow's width in the quadrilateral


class _Grid:
    """Where phones stand: rows by manner, columns by place (and voice, where there is room), left ends in mm."""

    def __init__(self, phones: Sequence[str], width: float, size: float, *, voices: bool) -> None:
        places = {phone: place for phone in phones if (place := consonant_place(phone))}
        self.width, self.size, self.phones, self.voices = width, size, [*places], voices
        order = sorted(places, key=lambda phone: (places[phone].manner, places[phone].voiced, len(phone), phone))
        slot = {phone: (at.column, at.place, at.voiced and voices) for phone, at in places.items()}
        self.slots = sorted({*slot.values()})
        self.column = {phone: self.slots.index(one) for phone, one in slot.items()}
        taken: dict[tuple[int, int], int] = defaultdict(int)
        depth: dict[str, tuple[int, int]] = {}
        for phone in order:  # those of one place below each other
            cell = places[phone].manner, self.column[phone]
            depth[phone], taken[cell] = (cell[0], taken[cell]), taken[cell] + 1
        self.rows = sorted({*depth.values()})
        self.row = {phone: self.rows.index(at) for phone, at in depth.items()}
        self.manners = {row: MANNERS[at[0]].replace(" ", "\n", 1) for row, at in enumerate(self.rows) if not at[1]}
        first = [place == 0 or self.slots[place][1] != self.slots[place - 1][1] for place in range(len(self.slots))]
        words = [line for name in self.manners.values() for line in name.split("\n")]
        self.left = EDGE + max(text_size(word, size)[0] for word in words) + 0.5
        names = [Consonant(0, place, voiced).place_name for _, place, voiced in self.slots]
        room = width - EDGE - self.left - _CHANNEL * (sum(first) + 1)
        self.side = min(room / len(self.slots), _MOST)
        self.x = self.left + self.side * np.arange(len(self.slots)) + _CHANNEL * np.cumsum(first)
        ends = np.append(self.x[first], self.x[-1] + self.side + _CHANNEL)
        self.channels = np.concatenate([ends - _CHANNEL * share for share in (0.25, 0.75)])
        own = [name for name, is_first in zip(names, first, strict=True) if is_first]
        broken = [_broken(name, room, size) for name, room in zip(own, np.diff(ends), strict=True)]
        fitting = [name for name in broken if name is not None]
        self.upright = len(fitting) < len(own)
        self.places = [*zip(own if self.upright else fitting, (ends[:-1] + ends[1:] - _CHANNEL) / 2, strict=True)]

    def middle(self, phone: str) -> float:
        return float(self.x[self.column[phone]] + self.side / 2)


def _broken(name: str, room: float, size: float) -> str | None:
    """Return the name of a place in one line or in two; None where neither fits."""
    halves = _BREAKS.sub(lambda part: part[0] + ("\n" if part[0][-1] in "–-" else "-\n"), name)
    fitting = (text for text in (name, halves) if max(text_size(line, size)[0] for line in text.split("\n")) <= room)
    return next(fitting, None)


class _Lanes:
    """The ways of arrows: each from the top of its cell along a lane above the row, by a channel to another row."""

    def __init__(self, grid: _Grid, pairs: Sequence[tuple[str, str]]) -> None:
        self.parts: list[list[tuple[int, float, float]]] = []  # of each arrow: row, and from where to where
        ends = _spread(grid, pairs)
        busy: list[tuple[float, set[int]]] = []
        for begin, end in ends:
            rows = [grid.row[phone] for phone in pairs[len(self.parts)]]
            between = {*range(min(rows), max(rows))}
            if not between:
                self.parts.append([(rows[0], begin, end)])
                continue
            cost = [
                abs(begin - x) + abs(x - end) + 30 * sum(x == other and bool(between & taken) for other, taken in busy)
                for x in grid.channels
            ]
            x = float(grid.channels[int(np.argmin(cost))])
            busy.append((x, between))
            self.parts.append([(rows[0], begin, x), (rows[1], x, end)])
        self.lane: dict[tuple[int, int], int] = {}
        flat = [
            (abs(end - begin), row, min(begin, end), max(begin, end), (number, part))
            for number, parts in enumerate(self.parts)
            for part, (row, begin, end) in enumerate(parts)
        ]
        lanes: dict[int, list[list[tuple[float, float]]]] = defaultdict(list)
        for _, row, low, high, key in sorted(flat):
            free = (k for k, taken in enumerate(lanes[row]) if all(high + 1 < a or b + 1 < low for a, b in taken))
            self.lane[key] = place = next(free, len(lanes[row]))
            lanes[row] += [[]] * (place == len(lanes[row]))
            lanes[row][place] = [*lanes[row][place], (low, high)]
        self.above = [len(lanes[row]) for row in range(len(grid.rows))]  # the lanes of each row

    def path(self, number: int, tops: Floats) -> Path:
        """Return the way of an arrow, by the heights of the upper ends of the rows' cells."""
        points: list[tuple[float, float]] = []
        for part, (row, begin, end) in enumerate(self.parts[number]):
            height = tops[row] + _ABOVE + _LANE * self.lane[number, part]
            points += [(begin, height), (end, height)]
        first, last = self.parts[number][0], self.parts[number][-1]
        return Path([(first[1], tops[first[0]]), *points, (last[2], tops[last[0]])])


def _spread(grid: _Grid, pairs: Sequence[tuple[str, str]]) -> list[tuple[float, float]]:
    """Return where arrows begin and end: beside each other where a cell has several."""
    at: dict[str, list[tuple[float, int, int]]] = defaultdict(list)
    for number, pair in enumerate(pairs):
        for end in (0, 1):
            at[pair[end]].append((grid.middle(pair[1 - end]), number, end))
    places = np.zeros((len(pairs), 2))
    for phone, ends in at.items():
        step = min(1.6, (grid.side - 1.2) / max(len(ends) - 1, 1))
        for place, (_, number, end) in enumerate(sorted(ends)):
            places[number, end] = grid.middle(phone) + (place - (len(ends) - 1) / 2) * step
    return [(float(begin), float(end)) for begin, end in places]


class _Chart:
    """A chart that may or may not fit: gold consonants and those that the recogniser alone has, at a width."""

    def __init__(
        self, corpus: StoredCorpus, cells: pd.DataFrame, phones: Sequence[str], size: float, *, voices: bool
    ) -> None:
        self.cells = cells[cells["gold"].isin(phones)]
        right = self.cells[self.cells["gold"] == self.cells["predicted"]]
        self.gold = right.set_index("gold").sort_values("tokens", ascending=False, kind="stable")
        self.chosen = bool(corpus.options.phones)
        self.grid = _Grid(phones, corpus.options.width_mm, size, voices=voices)
        wrong = self.cells[(self.cells["gold"] != self.cells["predicted"]) & (self.cells["share"] >= ARROW)]
        wrong = wrong[(wrong["predicted"] != GAP) & (wrong["tokens"] >= FEW)]
        self.instead = (
            wrong.sort_values("share", ascending=False, kind="stable").drop_duplicates("gold").set_index("gold")
        )
        inside = wrong[wrong["predicted"].isin(self.grid.phones)]
        most = np.argsort(-(inside["share"] * inside["tokens"]).to_numpy(), kind="stable")[:_ARROWS]
        self.arrows = inside.iloc[most]
        self.lanes = _Lanes(self.grid, [*zip(self.arrows["gold"], self.arrows["predicted"], strict=True)])
        full = {self.grid.row[phone] for phone in [*self.instead.index, *self.gold.index[self.gold["tokens"] < FEW]]}
        low = [_LOW if "\n" not in self.grid.manners.get(row, "") else _TWO_LINES for row in range(len(self.grid.rows))]
        self.heights = np.array([_HIGH if row in full else high for row, high in enumerate(low)])
        room = np.array([_ABOVE + _LANE * lanes if lanes else 0.8 for lanes in self.lanes.above])
        self.high = float(self.heights.sum() + room.sum()) + 0.5
        self.tops = self.high - np.cumsum(room + np.append(0, self.heights[:-1]))
        names = [name for name, _ in self.grid.places]
        lines = 1 + max(name.count("\n") for name in names)
        self.header = max(text_size(name, size)[0] for name in names) + 1 if self.grid.upright else lines * _LINE + 0.5

    def needs(self) -> float:
        """Return how wide a column must be."""
        texts = [*self.grid.phones, *self.instead["predicted"], "100"]
        return max(min(text_size(text, self.grid.size, bold=True)[0], _WIDEST) for text in texts) + 2 * _AIR + 0.4

    def wide(self) -> float:
        """Return how wide the figure must be."""
        return self.grid.width + (self.needs() - self.grid.side) * len(self.grid.slots)

    def draw(self, axes: Axes) -> None:
        axes.set(xlim=(0, self.grid.width), ylim=(0, self.high + self.header))
        axes.axis("off")
        look: dict[str, Any] = {"ha": "center", "va": "bottom", "linespacing": 1.0, "fontsize": self.grid.size}
        for name, x in self.grid.places:
            axes.text(x, self.high + 0.5, name, rotation=90 * self.grid.upright, **look)
        for row, name in self.grid.manners.items():
            middle = self.tops[row] - min(self.heights[row], _HIGH) / 2
            axes.text(EDGE, middle, name, fontsize=self.grid.size, va="center", linespacing=1.0)
        for phone in self.grid.phones:
            self._cell(axes, phone)
        for number, share in enumerate(self.arrows["share"]):
            axes.add_patch(FancyArrowPatch(path=self.lanes.path(number, self.tops), **arrow_look(share, _THIN)))

    def _cell(self, axes: Axes, phone: str) -> None:
        left, row = self.grid.x[self.grid.column[phone]] + _AIR, self.grid.row[phone]
        wide, top, high = self.grid.side - 2 * _AIR, self.tops[row], self.heights[row]
        middle, name = left + wide / 2, fitted(phone, wide, size=self.grid.size, bold=True)
        look: dict[str, Any] = {"ha": "center", "va": "center", "fontsize": self.grid.size}
        if phone not in self.gold.index:
            axes.add_patch(
                Rectangle((left, top - _LOW), wide, _LOW, facecolor="white", edgecolor=PASSING, linewidth=0.5)
            )
            axes.text(middle, top - _LOW / 2, name, color=DARK_GREY, **look)
            return
        own: dict[Any, Any] = self.gold.loc[phone].to_dict()
        few, share = own["tokens"] < FEW, own["share"]
        face, edge = "white" if few else shade(share), outline(lacking=own["lacking"])
        axes.add_patch(Rectangle((left, top - high), wide, high, facecolor=face, **edge))
        if few:
            hatched = {**FEW_LOOK, "edgecolor": INK, "linewidth": 0}
            axes.add_patch(Rectangle((left, top - high), wide, high - _LINE - 1.8, **hatched))
        ink = "white" if not few and share >= 0.5 else INK
        axes.text(middle, top - _LOW / 2, name, color=ink, weight="bold", **look)
        if phone in self.instead.index:
            answer: dict[Any, Any] = self.instead.loc[phone].to_dict()
            texts = [fitted(answer["predicted"], wide, size=self.grid.size), f"{100 * answer['share']:.0f}"]
            for line, text in enumerate(texts):
                axes.text(middle, top - 5.4 - _LINE * line, text, color=ink, **look)


def draw_consonants(corpus: StoredCorpus) -> Sheet | None:
    """Return the chart of a corpus' consonants, smaller or without the rarest where they do not fit; None without any.

    Of those that do not fit it is said how wide the figure must be.
    """
    declared, width = has_inventory(corpus, corpus.name), corpus.options.width_mm
    cells, own = answers(corpus.tables, corpus.options, declared=declared), recognised(corpus.tables)
    tokens = cells.drop_duplicates("gold").set_index("gold")["tokens"].sort_values(ascending=False, kind="stable")
    gold = [phone for phone in tokens.index if consonant_place(phone)]
    if not gold:
        return None
    further, wide = [phone for phone in own if phone not in gold and consonant_place(phone)], 0.0
    for chart in _charts(corpus, cells, gold, further):
        wide = wide or chart.wide() * (
            chart.grid.size == PHONES[-1] and not {*gold} - {*chart.grid.row} and not chart.grid.voices
        )
        key = _key(chart, lacking_means(declared=declared))
        notes = wrap(_notes(chart, cells, gold, own, wide), width)
        foot = EDGE + LINE * len(notes) + KEY * key.rows + 1.0
        high = foot + chart.high + chart.header + _TITLE
        if chart.grid.side >= chart.needs() and high <= PAGE_HEIGHT:
            break
    figure = Sheet(width, high)
    figure.write_title(f"{corpus.titled('consonants')} ({tokens[gold].sum():,.0f} tokens)")
    chart.draw(figure.axes_at(0, foot, width, chart.high + chart.header))
    key.draw(figure, notes)
    return figure


def _charts(corpus: StoredCorpus, cells: pd.DataFrame, gold: list[str], own: list[str]) -> Iterator[_Chart]:
    """Yield charts that show ever less, the first that fits to be taken: the last has one phone."""
    answered = {*cells.loc[(cells["share"] >= ARROW) & cells["gold"].isin(gold), "predicted"]}
    few = [phone for phone in own if phone in answered]
    for size in PHONES:
        for phones, voices in ((own, True), (own, False), (few, False)):
            if phones is not own or not corpus.options.phones:
                yield _Chart(corpus, cells, [*gold, *phones], size, voices=voices)
    number = len(gold)
    while number > 1:
        number = min(number - 1, int(0.95 * number))
        yield _Chart(corpus, cells, gold[:number], PHONES[-1], voices=False)


def _notes(chart: _Chart, cells: pd.DataFrame, gold: list[str], own: list[str], wide: float) -> Iterator[str]:
    yield f"Voiceless {'left of' if chart.grid.voices else 'above'} voiced."
    if len(chart.instead):
        yield "Below a phone: what it is most often instead, in per cent of its tokens."
    arrows = f"Arrows are the {len(chart.arrows)} confusions of most tokens, first"
    yield from remarks(chart.cells, [phone for phone in own if consonant_place(phone)], "consonant", arrows)
    yield from without_place(cells)
    if rare := [phone for phone in gold if phone not in chart.grid.row]:
        need = f" (all need {wide:.0f} mm)" if wide > chart.grid.width else ""
        yield f"No room for the {len(rare)} rarest{need}: {named(rare)}."
    unused = [phone for phone in own if consonant_place(phone) and phone not in chart.grid.row]
    if unused and not chart.chosen:
        yield f"The recogniser has {len(unused)} more: {named(unused)}."


def _key(chart: _Chart, lacking: str) -> Key:
    key = Key(chart.grid.width)
    key.shades()
    if chart.gold["lacking"].any():
        key.swatch(lacking, facecolor="white", **outline(lacking=True))
    if len(chart.grid.phones) > len(chart.gold):
        key.swatch("no gold consonant here", facecolor="white", edgecolor=PASSING, linewidth=0.5)
    if (chart.gold["tokens"] < FEW).any():
        key.swatch(f"fewer than {FEW} tokens", **FEW_LOOK, **outline(lacking=False))
    if len(chart.arrows):
        key.arrows(_THIN)
    return key

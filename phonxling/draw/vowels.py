"""Vowels in the quadrilateral of the IPA: gold vowels as discs, and arrows to what each is recognised as.

A disc's area is the vowel's share of the corpus' gold vowels, its shade how often it is right. A vowel whose place is
taken (a nasal or a long one, one coloured by r) stands in the nearest free place. A diphthong is a line from its first
vowel to its last, with its mark on the way; a ring stands where that vowel is no phone here. Where the width has room,
the reference corpus stands beside the target.
"""

from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.patches import Circle, FancyArrowPatch

from phonxling.core.arrays import Floats
from phonxling.draw.charts import (
    ARROW,
    FEW_LOOK,
    KEY,
    Key,
    answers,
    arrow_look,
    has_inventory,
    lacking_means,
    line_width,
    outline,
    recognised,
    remarks,
    shade,
    without_place,
)
from phonxling.draw.figure import StoredCorpus, Tables, named
from phonxling.draw.sheet import WIDE, Sheet, fitted, wrap, write_labels
from phonxling.draw.style import DARK_GREY, EDGE, FEW, GREY, INK, LINE, PALE_GREY, PASSING, TEXT, FigureOptions
from phonxling.phones.chart import Vowel, vowel_places
from phonxling.tables.files import declared_figures

_HIGH, _MOST, _APART, _TITLE = 0.62, 66.0, 4.0, 4.5  # of a panel: height over width; mm: height, between, above
_MARGIN = (7.0, 5.0)  # mm beside and above the quadrilateral
_PAIR, _LARGEST, _LEAST, _DOT = 2.6, 3.0, 0.6, 0.55  # mm: rounded from plain, radii
_AIR, _ARROW_ROOM, _SHORT = 0.7, 3.4, 2.0  # mm between marks, and where an arrow may be; a line that says nothing
_ON_THE_WAY = (0.4, 0.5, 0.3, 0.6, 0.7, 0.2)  # where on its line the mark of a diphthong stands
_POINT = 25.4 / 72  # mm
_END: dict[str, Any] = {"radius": 0.5, "facecolor": "white", "edgecolor": PASSING, "linewidth": 0.6, "zorder": 0.6}
_BENDS = (0.16, -0.16, 0.0, 0.32, -0.32, 0.5, -0.5)  # of an arrow, the first are preferred
_CIRCLE = np.array([(np.cos(angle), np.sin(angle)) for angle in np.arange(16) * np.pi / 8])
_FRAME = [[(h, 0), (h, 2)] for h in (0, 1, 2, 3)] + [[(0, b), (3, b)] for b in (0, 1, 2)]


class _Panel:
    """The marks of one corpus: where each vowel stands, in mm from the lower left corner, and its radius."""

    def __init__(self, tables: Tables, width: float, options: FigureOptions, *, declared: bool) -> None:
        self.width, self.high = width, min(width * _HIGH, _MOST)
        self.cells = answers(tables, options, declared=declared)
        self.rows = self.cells[self.cells["gold"] == self.cells["predicted"]].set_index("gold")
        gold = [phone for phone in self.rows.index if vowel_places(phone)]
        own = [phone for phone in recognised(tables) if vowel_places(phone) and phone not in gold]
        if options.phones:  # those of the recogniser that answer the chosen ones
            answers_ = {*self.cells.loc[self.cells["share"] >= ARROW, "predicted"]}
            own = [phone for phone in own if phone in options.phones | answers_]
        self.gold = self.rows.loc[gold].sort_values("tokens", ascending=False, kind="stable")
        share = self.gold["tokens"] / max(self.gold["tokens"].sum(), 1)
        self.share = dict(zip(map(str, self.gold.index), share.astype(float), strict=True))
        self.radius = dict.fromkeys(own, _DOT)
        self.phones = [*self.gold.index, *own]
        self.marks: dict[str, Floats] = {}

    def put(self, largest: float) -> None:
        """Put the plain vowels where they belong, then the others where there is room; the largest share has a size."""
        self.radius |= {phone: max(_LARGEST * (part / largest) ** 0.5, _LEAST) for phone, part in self.share.items()}
        for phone in sorted(self.phones, key=lambda one: (len(vowel_places(one)), len(one), one not in self.share)):
            way = self.way(phone)
            tried = [way[0]] if len(way) == 1 else [way[0] + share * (way[-1] - way[0]) for share in _ON_THE_WAY]
            radius = self.radius[phone]
            free = [*self._free(tried, radius + _AIR), *self._free(_around(tried[0]), radius + _ARROW_ROOM)]
            self.marks[phone] = free[0] if free else tried[0]

    @property
    def _single(self) -> dict[Vowel, str]:
        """The vowels that are no diphthongs, by their places; of one place the plainest."""
        plain = sorted((phone for phone in self.phones if len(vowel_places(phone)) == 1), key=len, reverse=True)
        return {vowel_places(phone)[0]: phone for phone in plain}

    def ends_alone(self) -> set[Vowel]:
        """Return where diphthongs begin or end and no vowel stands."""
        return {place for phone in self.phones for place in _ends(phone)} - {*self._single}

    def way(self, phone: str) -> Floats:
        """Return where the vowels of a phone stand, [n, 2]."""
        return np.array([self._at(place) for place in vowel_places(phone)])

    def _at(self, place: Vowel) -> tuple[float, float]:
        aside, above = _MARGIN
        wide, high, depth = self.width - 2 * aside, self.high - 2 * above, place.height / 3
        left = aside + 0.4 * wide * depth
        beside = 0.0 if place.height in {1.5, 2.5} else _PAIR if place.rounded else -_PAIR
        return left + (aside + wide - left) * place.backness / 2 + beside, self.high - above - high * depth

    def _free(self, tried: Iterable[Floats], radius: float) -> Iterator[Floats]:
        others = np.array([*self.marks.values()]).reshape(-1, 2)
        apart = np.array([self.radius[phone] for phone in self.marks]) + radius
        for place in tried:
            inside = (place > 2).all() and (place < np.array([self.width, self.high]) - 2).all()
            if inside and (np.hypot(*(others - place).T) >= apart).all():
                yield place

    def arrows(self) -> pd.DataFrame:
        """Return the confusions that have an arrow, the most frequent last."""
        found = self.cells[(self.cells["share"] >= ARROW) & (self.cells["tokens"] >= FEW)]
        found = found[found["gold"].isin(self.share) & found["predicted"].isin(self.marks)]
        return found[found["gold"] != found["predicted"]].sort_values("share", kind="stable")

    def draw(self, axes: Axes) -> list[str]:
        """Draw all on axes in mm; return the vowels whose labels find no place."""
        axes.set(xlim=(0, self.width), ylim=(0, self.high))
        axes.axis("off")
        for ends in _FRAME:
            x, y = np.array([self._at(Vowel(height, backness, False)) for height, backness in ends]).T
            axes.plot(x + (_PAIR if ends[0][0] not in {1.5, 2.5} else 0), y, color=PALE_GREY, linewidth=0.6, zorder=0.3)
        for place in self.ends_alone():
            axes.add_patch(Circle(self._at(place), **_END))
        for phone, mark in self.marks.items():
            way = self.way(phone)
            if len(way) > 1:
                look: dict[str, Any] = {"color": PASSING, "linewidth": 0.6, "shrinkA": 0, "shrinkB": 4, "zorder": 0.5}
                begin, end = (self._single.get(place) for place in _ends(phone))
                tips: dict[str, Any] = {
                    "posA": tuple(way[0] if begin is None else self.marks[begin]),
                    "posB": tuple(way[-1] if end is None else self.marks[end]),
                }
                axes.add_patch(FancyArrowPatch(arrowstyle="-|>,head_length=2,head_width=1", **tips, **look))
            elif np.hypot(*(mark - way[0])) > _AIR:
                axes.plot(*np.array([way[0], mark]).T, color=PASSING, linewidth=0.6, zorder=0.5)
        outlines = [
            self.marks[phone] + self.radius[phone] * part * _CIRCLE for phone in self.marks for part in (0.5, 1)
        ]
        for gold, heard, part in self.arrows()[["gold", "predicted", "share"]].itertuples(index=False):
            outlines.append(self._arrow(axes, gold, heard, part))
        for phone, mark in self.marks.items():
            axes.add_patch(self._disc(phone, mark))
        order = sorted(self.marks, key=lambda phone: phone not in self.share)
        places = np.array([self.marks[phone] for phone in order])
        points = pd.DataFrame({"phone": order, "x": places[:, 0], "y": places[:, 1]})
        inks = [INK if phone in self.share else DARK_GREY for phone in order]
        before = len(axes.lines)
        missed = write_labels(axes, points, inks, bold=len(self.share), outlines=outlines)
        for line in axes.lines[before:]:  # none to a label that stands beside its mark
            label, mark = np.array(line.get_xydata())
            nearest = min(self.marks, key=lambda phone: np.hypot(*(self.marks[phone] - mark)))
            if np.hypot(*(label - mark)) - self.radius[nearest] < _SHORT:
                line.remove()
        return missed

    def _disc(self, phone: str, mark: Floats) -> Circle:
        middle = float(mark[0]), float(mark[1])
        if phone not in self.share:
            return Circle(middle, self.radius[phone], facecolor=GREY, edgecolor="none", zorder=3)
        row: dict[Any, Any] = self.gold.loc[phone].to_dict()
        look = FEW_LOOK if row["tokens"] < FEW else {"facecolor": shade(row["share"])}
        return Circle(middle, self.radius[phone], **look, **outline(lacking=row["lacking"]), zorder=3)

    def _arrow(self, axes: Axes, gold: str, heard: str, part: float) -> Floats:
        """Draw an arrow from mark to mark; return points along it."""
        begin, end = self.marks[gold], self.marks[heard]
        others = [phone for phone in self.marks if phone not in {gold, heard}]
        marks, radii = (
            np.array([self.marks[phone] for phone in others]).reshape(-1, 2),
            [self.radius[phone] for phone in others],
        )
        length = np.hypot(*(end - begin))
        at = np.linspace(0, 1, max(int(length), 2))[:, None]

        def curve(bend: float) -> Floats:
            middle = (begin + end) / 2 + bend * np.array([1, -1]) * (end - begin)[::-1]
            return np.asarray((1 - at) ** 2 * begin + 2 * at * (1 - at) * middle + at**2 * end)

        def room(bend: float) -> float:
            apart = np.hypot(*(curve(bend)[:, None] - marks).T) - np.array(radii)[:, None]
            return min(float(apart.min(initial=np.inf)) - line_width(part) * _POINT / 2, _AIR)

        bend = max(_BENDS, key=room)  # of several with room the first
        look = arrow_look(part) | {"connectionstyle": f"arc3,rad={bend}", "shrinkA": self.radius[gold] / _POINT}
        ends: dict[str, Any] = {
            "posA": tuple(begin),
            "posB": tuple(end),
            "shrinkB": (self.radius[heard] + 0.3) / _POINT,
        }
        axes.add_patch(FancyArrowPatch(**ends, **look))
        along = curve(bend)
        across = np.gradient(along, axis=0)[:, ::-1] * (-1, 1)
        head = (at[::-1] * length < 3) * (1.4 + 2 * part)
        across *= np.maximum(line_width(part) / 2, head) * _POINT / np.maximum(np.hypot(*across.T), 1e-9)[:, None]
        return np.concatenate([along, along + across, along - across])


def _ends(phone: str) -> tuple[Vowel, ...]:
    """Return the places of the first and the last vowel of a diphthong; none for another vowel."""
    places = vowel_places(phone)
    return (places[0], places[-1]) if len(places) > 1 else ()


def _around(place: Floats) -> Floats:
    """Return places around one, the nearest first, below and above before beside."""
    angles = np.radians([270, 90, 225, 315, 135, 45, 180, 0])
    return np.concatenate(
        [place + step * np.column_stack([np.cos(angles), np.sin(angles)]) for step in np.arange(3, 20)]
    )


def draw_vowels(corpus: StoredCorpus) -> Sheet | None:
    """Return the quadrilateral of a corpus, beside that of the reference where there is room; None without vowels."""
    stored, width = corpus.stored, corpus.options.width_mm
    tables = {corpus.name: corpus.tables}
    if width >= WIDE and corpus.beside:
        tables = {str(stored.reference): corpus.beside, **tables}
    side = (width - 2 * EDGE - _APART * (len(tables) - 1)) / len(tables)
    declared = {name: has_inventory(corpus, name) for name in tables}
    panels = {name: _Panel(own, side, corpus.options, declared=declared[name]) for name, own in tables.items()}
    panels = {name: panel for name, panel in panels.items() if panel.share}
    if corpus.name not in panels:
        return None
    largest = max(max(panel.share.values()) for panel in panels.values())
    for panel in panels.values():
        panel.put(largest)
    titled = {stored.title(name): panel for name, panel in panels.items()}
    key = _key(width, panels.values(), largest, lacking_means(declared=declared[corpus.name]))
    figure, missed = _figure(width, titled, key, [*_notes(titled)])
    if missed:
        figure, _ = _figure(width, titled, key, [*_notes(titled), f"No free place for the labels: {named(missed)}."])
    return figure


def _figure(width: float, panels: Mapping[str, _Panel], key: Key, notes: Iterable[str]) -> tuple[Sheet, list[str]]:
    """Return the figure of the panels by their titles, and the vowels whose labels find no place."""
    lines, missed = wrap(notes, width), list[str]()
    side, high = next((panel.width, panel.high) for panel in panels.values())
    foot = EDGE + LINE * len(lines) + KEY * key.rows + 1.0
    figure = Sheet(width, foot + high + _TITLE)
    for place, (name, panel) in enumerate(panels.items()):
        left, top = EDGE + place * (side + _APART), foot + high + _TITLE
        title = f"{name}: {declared_figures()['corpus', 'vowels'].title} ({panel.gold['tokens'].sum():,.0f} tokens)"
        if len(panels) == 1:
            figure.write_title(title)
        else:
            figure.write(left, top - 1, fitted(title, side, bold=True), TEXT, va="top", weight="bold")
        missed += panel.draw(figure.axes_at(left, foot, side, high))
    key.draw(figure, lines)
    return figure, missed


def _notes(panels: Mapping[str, _Panel]) -> Iterator[str]:
    for name, panel in panels.items():
        told = " ".join(
            remarks(panel.cells[panel.cells["gold"].isin(panel.share)], panel.marks, "vowel", "Of most tokens:")
        )
        yield f"{name}: {told}" if len(panels) > 1 and told else told
    for panel in panels.values():
        yield from without_place(panel.cells)


def _key(width: float, panels: Iterable[_Panel], largest: float, lacking: str) -> Key:
    key = Key(width)
    key.shades()
    size = _LARGEST * (0.1 / largest) ** 0.5
    sample: dict[str, Any] = {"facecolor": "white", **outline(lacking=False)}
    key.add("10 % of all vowels", 2 * size, lambda x, y: Circle((x + size, y), size, **sample), new=True)
    key.arrows()
    rows = pd.concat([panel.gold for panel in panels])
    if rows["lacking"].any():
        look = {"facecolor": shade(0), **outline(lacking=True)}
        key.add(lacking, 2.4, lambda x, y: Circle((x + 1.2, y), 1.2, **look))
    if (rows["tokens"] < FEW).any():
        few = FEW_LOOK | outline(lacking=False)
        key.add(f"fewer than {FEW} tokens, no arrows", 2.4, lambda x, y: Circle((x + 1.2, y), 1.2, **few))
    if any(len(panel.marks) > len(panel.share) for panel in panels):
        dot = partial(Circle, radius=_DOT, facecolor=GREY, linewidth=0)
        key.add("no gold vowel here", 2 * _DOT, lambda x, y: dot((x + _DOT, y)))
    if any(panel.ends_alone() for panel in panels):
        key.add("of diphthongs alone", 1.2, lambda x, y: Circle((x + 0.6, y), **_END))
    return key

"""Vowels in the quadrilateral of the IPA: gold vowels as discs, and arrows to what each is recognised as.

A disc's area is the vowel's share of the corpus' gold vowels, its shade how often it is right. A vowel whose place is
taken (a nasal or a long one, one coloured by r) stands beside it, in the nearest free place. A diphthong is a line from
its first vowel to its last, with its mark on the way.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import product
from typing import Any
from unicodedata import normalize

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.patches import Circle, FancyArrowPatch

from phonxling.core.arrays import Bools, Floats
from phonxling.draw.charts import (
    FEW_LOOK,
    KEY,
    LEAST,
    Key,
    answers,
    has_inventory,
    lacking_means,
    outline,
    recogniser_phones,
    shade,
    without_place,
)
from phonxling.draw.figure import StoredCorpus, Tables, list_phones
from phonxling.draw.sheet import Sheet, text_size, wrap, write_labels
from phonxling.draw.style import (
    DARK_GREY,
    EDGE,
    FEW_TOKENS_DRAWN,
    GREY,
    INK,
    LINE,
    PALE_GREY,
    PASSING,
    PHONE,
    WRONG,
    FigureOptions,
)
from phonxling.phones.chart import Vowel, vowel_places

_HIGH, _MOST, _TITLE = 0.62, 120.0, 4.5  # of a panel: height over width; mm: width, above
_MARGIN = (8.5, 5.0)  # mm beside and above the quadrilateral
_PAIR, _LARGEST, _LEAST, _DOT = 2.6, 3.0, 0.6, 0.55  # mm: rounded from plain, radii
_AIR, _ARROW_ROOM, _SHORT = 0.7, 3.4, 2.0  # mm between marks, and where an arrow may be; a line that says nothing
_OFTEN, _FEWEST = 0.25, 5  # an arrow's share of a vowel's tokens; of these many the shares may be less
_ON_THE_WAY = (0.4, 0.5, 0.3, 0.6, 0.7, 0.2)  # where on its line the mark of a diphthong stands
_POINT = 25.4 / 72  # mm
_BENDS = (0.16, -0.16, 0.0, 0.32, -0.32, 0.5, -0.5)  # of an arrow, the first are preferred
_CIRCLE = np.array([(np.cos(angle), np.sin(angle)) for angle in np.arange(16) * np.pi / 8])
_FRAME = [[(h, 0), (h, 2)] for h in (0, 1, 2, 3)] + [[(0, b), (3, b)] for b in (0, 1, 2)]


class _Panel:
    """The marks of one corpus: where each vowel stands, in mm from the lower left corner, and its radius."""

    def __init__(self, tables: Tables, width: float, options: FigureOptions, *, declared: bool) -> None:
        self.width, self.high = width, width * _HIGH
        self.cells = answers(tables, options, declared=declared)
        rows = self.cells[self.cells["gold"] == self.cells["predicted"]].set_index("gold")
        rows = rows[_vowels(rows.index)]
        self.gold = rows.sort_values("tokens", ascending=False, kind="stable")
        share = self.gold["tokens"] / max(self.gold["tokens"].sum(), 1)
        self.share = dict(zip(map(str, self.gold.index), share.astype(float), strict=True))
        wrong = self.cells[(self.cells["share"] >= LEAST) & (self.cells["tokens"] >= FEW_TOKENS_DRAWN)]
        wrong = wrong[wrong["gold"].isin(self.share) & (wrong["gold"] != wrong["predicted"])]
        is_vowel = _vowels(wrong["predicted"])
        found = wrong[is_vowel].sort_values("share", ascending=False, kind="stable")
        self.arrows = found[(found["share"] >= _OFTEN) | (np.arange(len(found)) < _FEWEST)]
        self.others = wrong[~is_vowel]
        own = [
            phone for phone in recogniser_phones(tables) if phone not in self.share and self._is_shown(phone, options)
        ]
        self.radius = dict.fromkeys(own, _DOT)
        self.phones = [*self.share, *own]
        self.marks: dict[str, Floats] = {}

    def _is_shown(self, phone: str, options: FigureOptions) -> bool:
        """Return whether a phone that is not in the gold is drawn: if it is an answer; else a plain or a chosen one."""
        if phone in {*self.arrows["predicted"]}:
            return True
        return phone in options.phones or (not options.phones and len(vowel_places(phone)) == 1)

    def radius_of(self, share: float) -> float:
        """Return the radius of a disc; that of the largest share has a size."""
        return float(_LARGEST * (share / max(self.share.values())) ** 0.5)

    def put(self) -> None:
        """Put the plain vowels where they belong, then the others where there is room."""
        self.radius |= {phone: max(self.radius_of(share), _LEAST) for phone, share in self.share.items()}
        first = {*self._single.values()}
        for phone in sorted(self.phones, key=lambda one: (len(vowel_places(one)), one not in first, _signs(one))):
            way = self.way(phone)
            tried = [way[0]] if len(way) == 1 else [way[0] + share * (way[-1] - way[0]) for share in _ON_THE_WAY]
            radius = self.radius[phone]
            free = [*self._free(tried, radius + _AIR), *self._free(_places_around(tried[0]), radius + _ARROW_ROOM)]
            self.marks[phone] = free[0] if free else tried[0]

    @property
    def _single(self) -> dict[Vowel, str]:
        """The vowels that are no diphthongs, by their places; of one place the plainest."""
        plain = sorted((phone for phone in self.phones if len(vowel_places(phone)) == 1), key=_signs, reverse=True)
        return {vowel_places(phone)[0]: phone for phone in plain}

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

    def draw(self, axes: Axes) -> list[str]:
        """Draw all on axes in mm; return the vowels whose labels find no place."""
        axes.set(xlim=(0, self.width), ylim=(0, self.high))
        axes.axis("off")
        for ends in _FRAME:
            x, y = np.array([self._at(Vowel(height, backness, False)) for height, backness in ends]).T
            axes.plot(x + (_PAIR if ends[0][0] not in {1.5, 2.5} else 0), y, color=PALE_GREY, linewidth=0.6, zorder=0.3)
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
        ways = [self._arrow(axes, *own) for own in self.arrows[["gold", "predicted", "share"]].itertuples(index=False)]
        for phone, mark in self.marks.items():
            axes.add_patch(self._disc(phone, mark))
        return self._label(axes, [*outlines, *ways])

    def _label(self, axes: Axes, outlines: list[Floats]) -> list[str]:
        """Write the vowels at their marks, and shares at their arrows; return what finds no place."""
        order = sorted(self.marks, key=lambda phone: phone not in self.share)
        places = np.array([self.marks[phone] for phone in order])
        points = pd.DataFrame({"phone": order, "x": places[:, 0], "y": places[:, 1]})
        inks = [INK if phone in self.share else DARK_GREY for phone in order]
        before, ways = len(axes.lines), outlines[len(outlines) - len(self.arrows) :]
        missed = write_labels(axes, points, inks, bold=len(self.share), outlines=outlines)
        for line in axes.lines[before:]:
            label, mark = np.array(line.get_xydata())
            nearest = min(order, key=lambda phone: np.hypot(*(self.marks[phone] - mark)))
            if np.hypot(*(label - mark)) - self.radius[nearest] < _SHORT:  # none to a label that stands beside its mark
                line.remove()
            else:
                outlines.append(np.linspace(label, mark, 20))
        boxes = (text.get_window_extent().transformed(axes.transData.inverted()) for text in axes.texts)
        outlines += [_filled(box.get_points().mean(axis=0), np.array(box.size) / 2) for box in boxes]
        arrows = self.arrows[["gold", "predicted", "share"]].itertuples(index=False)
        for (gold, predicted, share), way in zip(arrows, ways, strict=True):
            text = f"{100 * share:.0f}"
            half = np.array(text_size(text, PHONE)[:2]) / 2
            place = self._beside(way[: len(way) // 3], half, np.concatenate(outlines))
            if place is None:
                missed.append(f"{gold} → {predicted} {text} %")
            else:
                axes.text(place[0], place[1] - half[1], text, color=WRONG, fontsize=PHONE, ha="center", va="baseline")
                outlines.append(_filled(place, half))
        return missed

    def _beside(self, way: Floats, half: Floats, taken: Floats) -> Floats | None:
        """Return the middle of a free box of half a width and height beside a way, the nearest to that one's middle."""
        across = np.gradient(way, axis=0)[:, ::-1] * (-1, 1)
        across /= np.maximum(np.hypot(*across.T), 1e-9)[:, None]
        order = sorted(range(len(way)), key=lambda place: abs(place - (len(way) - 1) / 2))
        for step, place, side in product((1.0, 1.6, 2.4), order, (1, -1)):  # far from the way only where none is near
            middle = way[place] + side * step * across[place] * (np.abs(across[place]) @ half + _AIR + 0.6)
            inside = (middle > half).all() and (middle < np.array([self.width, self.high]) - half).all()
            if inside and not (np.abs(taken - middle) < half + 0.55).all(axis=1).any():
                return np.asarray(middle)
        return None

    def _disc(self, phone: str, mark: Floats) -> Circle:
        middle = float(mark[0]), float(mark[1])
        if phone not in self.share:
            return Circle(middle, self.radius[phone], facecolor=GREY, edgecolor="none", zorder=3)
        row: dict[Any, Any] = self.gold.loc[phone].to_dict()
        look = FEW_LOOK if row["tokens"] < FEW_TOKENS_DRAWN else {"facecolor": shade(row["share"])}
        return _disc(middle, self.radius[phone], **look, **outline(lacking=row["lacking"]), zorder=3)

    def _arrow(self, axes: Axes, gold: str, predicted: str, part: float) -> Floats:
        """Draw an arrow from mark to mark; return points along it."""
        begin, end = self.marks[gold], self.marks[predicted]
        others = [phone for phone in self.marks if phone not in {gold, predicted}]
        marks, radii = (
            np.array([self.marks[phone] for phone in others]).reshape(-1, 2),
            [self.radius[phone] for phone in others],
        )
        length = np.hypot(*(end - begin))
        at = np.linspace(0, 1, max(int(2 * length), 6))[:, None]

        def curve(bend: float) -> Floats:
            middle = (begin + end) / 2 + bend * np.array([1, -1]) * (end - begin)[::-1]
            return np.asarray((1 - at) ** 2 * begin + 2 * at * (1 - at) * middle + at**2 * end)

        def room(bend: float) -> float:
            apart = np.hypot(*(curve(bend)[:, None] - marks).T) - np.array(radii)[:, None]
            return min(float(apart.min(initial=np.inf)) - _line_width(part) * _POINT / 2, _AIR)

        bend = max(_BENDS, key=room)  # of several with room the first
        look = _arrow_look(part) | {"connectionstyle": f"arc3,rad={bend}", "shrinkA": self.radius[gold] / _POINT}
        ends: dict[str, Any] = {
            "posA": tuple(begin),
            "posB": tuple(end),
            "shrinkB": (self.radius[predicted] + 0.3) / _POINT,
        }
        axes.add_patch(FancyArrowPatch(**ends, **look))
        along = curve(bend)
        across = np.gradient(along, axis=0)[:, ::-1] * (-1, 1)
        head = (at[::-1] * length < 3 + self.radius[predicted]) * (1.3 + 1.2 * part + _line_width(part) / 2)
        across *= np.maximum(_line_width(part) / 2, head) * _POINT / np.maximum(np.hypot(*across.T), 1e-9)[:, None]
        return np.concatenate([along, along + across, along - across])


def _disc(middle: tuple[float, float], radius: float, **look: Any) -> Circle:  # noqa: ANN401 - what matplotlib takes
    return Circle(middle, radius, **{**look, "hatchcolor": DARK_GREY})  # of a small disc: darker than below letters


def _filled(middle: Floats, half: Floats) -> Floats:
    """Return points over a box of half a width and height."""
    return np.asarray(middle + half * list(product((-1, -0.5, 0, 0.5, 1), repeat=2)))


def _signs(phone: str) -> int:
    """Return how many letters and marks a phone has: ã has two, however it is written."""
    return len(normalize("NFD", phone))


def _vowels(phones: Iterable[str]) -> Bools:
    return np.array([bool(vowel_places(phone)) for phone in phones], dtype=bool)


def _line_width(share: float) -> float:
    """Return how wide the arrow of a share is, in points."""
    return 0.5 + 2 * share


def _arrow_look(share: float) -> dict[str, Any]:
    head = f"-|>,head_length={3 + 1.5 * share},head_width={1.3 + 1.2 * share}"
    look = {"color": WRONG, "linewidth": _line_width(share), "zorder": 2, "joinstyle": "miter"}
    return look | {"capstyle": "butt", "arrowstyle": head, "mutation_scale": 1}


def _ends(phone: str) -> tuple[Vowel, ...]:
    """Return the places of the first and the last vowel of a diphthong; none for another vowel."""
    places = vowel_places(phone)
    return (places[0], places[-1]) if len(places) > 1 else ()


def _places_around(place: Floats) -> Floats:
    """Return places around one, the nearest first, beside before below and above."""
    angles = np.radians([0, 180, 270, 90, 315, 225, 45, 135])
    return np.concatenate(
        [place + step * np.column_stack([np.cos(angles), np.sin(angles)]) for step in np.arange(3, 20)]
    )


def draw_vowels(corpus: StoredCorpus) -> Sheet | None:
    """Return the quadrilateral of a corpus; None without vowels."""
    declared, width = has_inventory(corpus, corpus.name), corpus.options.width_mm
    panel = _Panel(corpus.tables, min(width - 2 * EDGE, _MOST), corpus.options, declared=declared)
    if not panel.share:
        return None
    panel.put()
    key, notes = _key(panel, width, lacking_means(declared=declared)), [*_notes(panel)]
    title = f"{corpus.titled('vowels')} ({panel.gold['tokens'].sum():,.0f} tokens)"
    missed = list[str]()
    for _ in range(3):  # a note on labels changes the figure's height, and that where labels find room
        told, missing = missed, [f"No free place for the labels: {list_phones(missed)}."] if missed else []
        figure, missed = _figure(title, width, panel, key, [*notes, *missing])
        if missed == told:
            break
    return figure


def _figure(title: str, width: float, panel: _Panel, key: Key, notes: Sequence[str]) -> tuple[Sheet, list[str]]:
    """Return the figure of the panel, and the labels that find no place."""
    lines = wrap(notes, width)
    foot = EDGE + LINE * len(lines) + KEY * key.rows + 1.0
    figure = Sheet(width, foot + panel.high + _TITLE)
    figure.write_title(title)
    missed = panel.draw(figure.axes_at((width - panel.width) / 2, foot, panel.width, panel.high))
    key.draw(figure, lines)
    return figure, missed


def _notes(panel: _Panel) -> Iterator[str]:
    order = np.argsort(-(panel.others["share"] * panel.others["tokens"]).to_numpy(), kind="stable")
    others = panel.others.iloc[order[:6]][["gold", "predicted", "share"]].itertuples(index=False)
    if told := ", ".join(f"{gold} → {predicted} {100 * share:.0f} %" for gold, predicted, share in others):
        yield f"Answers that are no vowels: {told}."
    yield from without_place(panel.cells)


def _key(panel: _Panel, width: float, lacking: str) -> Key:
    key = Key(width)
    key.looks(panel.gold, lacking, lambda x, y, **look: _disc((x + 1.5, y), 1.2, **look))
    size = panel.radius_of(0.1)
    sample: dict[str, Any] = {"facecolor": "white", **outline(lacking=False)}
    key.add("10 % of all vowels", 2 * size, lambda x, y: Circle((x + size, y), size, **sample))
    if len(panel.arrows):
        arrow = _arrow_look(0.5)
        key.add("recognised as, in %", 7.0, lambda x, y: FancyArrowPatch((x, y), (x + 7, y), **arrow))
    if len(panel.marks) > len(panel.share):
        dot: dict[str, Any] = {"radius": _DOT, "facecolor": GREY, "linewidth": 0}
        key.add("no gold vowel here", 2 * _DOT, lambda x, y: Circle((x + _DOT, y), **dot))
    return key

"""Vowels and consonants as in the charts of the IPA: gold phones in place, shaded by how often they are right."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain, product
from typing import Any
from unicodedata import normalize

import numpy as np
import pandas as pd
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.patches import Circle, FancyArrowPatch, Rectangle
from matplotlib.text import Text

from phonxling.core.arrays import Bools, Floats
from phonxling.core.estimate import list_phones
from phonxling.core.inventory import GAP
from phonxling.draw import style
from phonxling.draw.figure import StoredCorpus, Tables
from phonxling.draw.sheet import Sheet, cut_to_width, text_size, wrap
from phonxling.draw.style import EDGE, FEW_TOKENS_DRAWN, INK, LINE, PHONE, PHONES
from phonxling.phones.chart import MANNERS, Vowel, consonant_place, vowel_places

_LEAST = 0.1  # of a gold phone's tokens: a smaller share of another answer is not shown
_KEY = 4.4  # mm: a line of the key
_SHADE = style.sequential_map()
# Of quarters, so that a letter, dark or white, is legible on each shade.
_SHADES = {f"{low}–{low + 25} %": _SHADE(place) for low, place in ((0, 0.0), (25, 0.18), (50, 0.6), (75, 0.9))}
_FEW_LOOK: dict[str, Any] = {"facecolor": "white", "hatch": "///////", "hatchcolor": style.PASSING}  # below a letter


def _is_declared(corpus: StoredCorpus) -> bool:
    """Return whether the recogniser's phones are declared; what it happened to predict is no inventory."""
    return corpus.value("error_share", "absent") is not None


def _answers(corpus: StoredCorpus) -> pd.DataFrame:
    """Return the confusions of gold phones, ∅ too: gold, predicted, tokens of the gold phone, share of them, lacking.

    Phones that are never right have a row of their own symbol, with 0; `lacking`: the recogniser cannot answer them,
    by the errors of its declared inventory, or because it never predicted them.
    """
    tables = corpus.tables
    table = tables["confusions"]
    table = table[table["gold"].isin(corpus.options.chosen({*table["gold"]} - {GAP}))]
    tokens = table.groupby("gold", sort=False)["count"].sum()
    shares = table[["gold", "predicted"]].assign(share=table["count"] / table["gold"].map(tokens))
    missing = [gold for gold in tokens.index if gold not in {*table.loc[table["gold"] == table["predicted"], "gold"]}]
    never = pd.DataFrame({"gold": missing, "predicted": missing, "share": 0.0})
    every = pd.concat([shares, never] if missing else [shares], ignore_index=True)
    if _is_declared(corpus):
        errors = tables.get("errors", pd.DataFrame(columns=["gold", "reason", "count"]))
        lacking = every["gold"].isin(errors.loc[(errors["reason"] == "absent") & (errors["count"] > 0), "gold"])
    else:
        lacking = ~every["gold"].isin(_recogniser_phones(tables))
    return every.assign(tokens=every["gold"].map(tokens), lacking=lacking)


def _recogniser_phones(tables: Tables) -> list[str]:
    columns = [tables["confusions"]["predicted"]]
    if "phones" in tables:  # has those, too, that were never predicted for anything
        columns.append(tables["phones"].loc[tables["phones"]["side"] == "predicted", "phone"])
    return sorted({*pd.concat(columns)} - {GAP})


def _look_of(own: Mapping[Any, Any]) -> tuple[dict[str, Any], str]:
    """Return the look of the area of a gold phone, a row of `_answers` of its own symbol, and of a letter on it."""
    look = _outline(lacking=bool(own["lacking"]))
    if own["tokens"] < FEW_TOKENS_DRAWN:
        return look | _FEW_LOOK, INK
    right = own["share"]
    shade = style.PALE_GREY if np.isnan(right) else [*_SHADES.values()][min(int(right * 4), 3)]
    return look | {"facecolor": shade}, "white" if right >= 0.5 else INK


def _outline(*, lacking: bool) -> dict[str, Any]:
    return {"edgecolor": INK, "linewidth": 0.6, "linestyle": (0, (2, 1.4)) if lacking else "-"}


def _name_placeless(cells: pd.DataFrame) -> Iterator[str]:
    none = [gold for gold in dict.fromkeys(cells["gold"]) if not (vowel_places(gold) or consonant_place(gold))]
    if none:
        yield f"{len(none)} gold phones have no place in the chart: {list_phones(none)}."


class _Key:
    """The key below a chart: samples with their meanings, one after another in as many rows as they need."""

    def __init__(self, width: float) -> None:
        self.items: list[tuple[float, float, float, str, Callable[[float, float], Artist]]] = []
        self.width, self._left, self.rows = width - 2 * EDGE, 0.0, 1

    def add(self, meaning: str, wide: float, sample: Callable[[float, float], Artist]) -> None:
        """Add a sample `wide` mm that is made of its left end and its middle's height."""
        size = wide + 1.0 + text_size(meaning, PHONE)[0]
        if self._left and self._left + size > self.width:
            self.rows, self._left = self.rows + 1, 0.0
        self.items.append((self._left, self.rows - 1.0, wide, meaning, sample))
        self._left += size + 2.5

    def add_looks(self, corpus: StoredCorpus, gold: pd.DataFrame, mark: Callable[..., Artist] | None = None) -> None:
        """Add the shades, and the looks of phones that are lacking or of few tokens, as 3 mm of a mark."""
        edge: dict[str, Any] = {"edgecolor": style.GREY, "linewidth": 0.3}
        for place, (meaning, colour) in enumerate(_SHADES.items()):
            self.add(f"{meaning} right" if place == 0 else meaning, 3.0, partial(_swatch, facecolor=colour, **edge))
        if gold["lacking"].any():
            lacking = "the recogniser lacks it" if _is_declared(corpus) else "never predicted"
            self.add(lacking, 3.0, partial(mark or _swatch, facecolor="white", **_outline(lacking=True)))
        if (gold["tokens"] < FEW_TOKENS_DRAWN).any():
            few = _outline(lacking=False) | _FEW_LOOK
            self.add(f"fewer than {FEW_TOKENS_DRAWN} tokens", 3.0, partial(mark or _swatch, **few))

    def draw(self, figure: Sheet, notes: Sequence[str]) -> None:
        """Write notes at the foot, the key above them, and finish the figure."""
        axes = figure.axes_at(EDGE, EDGE + LINE * len(notes) + 0.5, self.width, _KEY * self.rows)
        axes.set(xlim=(0, self.width), ylim=(0, _KEY * self.rows))
        axes.axis("off")
        for left, row, wide, meaning, sample in self.items:
            y = _KEY * (self.rows - row - 0.5)
            axes.add_artist(sample(left, y)).set_clip_on(False)
            axes.text(left + wide + 1.0, y, meaning, fontsize=PHONE, va="center")
        figure.finish(notes)


def _swatch(x: float, y: float, **look: Any) -> Rectangle:  # noqa: ANN401 - what matplotlib takes
    return Rectangle((x, y - 1.2), 3.0, 2.4, **look)


_PHONE, _ANSWER = 3.5, 2.3  # mm: the height of a cell, of each of two lines below
_AROUND, _APART, _ABOVE = 0.25, 1.0, 5.5  # mm: around a cell, between places and manners, above all
_WIDEST_LABEL, _MOST = 8.0, 10.0  # mm: a label, a cell


# Consonants have a cell each, with the most frequent other answer below. Manners stand below each other and places side
# by side, voiceless left of voiced, or above it where the width has no room; phones of one place and voice (plain,
# aspirated, ejective) below each other.
class _Chart:
    """Consonants at their places, in mm, with labels of a size; it `fits` where a cell is as wide as its labels."""

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
        deeps = sorted({*depth.values()})
        self.row = {phone: deeps.index(own) for phone, own in depth.items()}
        names = {manner: MANNERS[manner].replace("lateral ", "lateral\n") for manner, _ in deeps}
        self.manners = {row: names[manner] for row, (manner, deep) in enumerate(deeps) if not deep}
        # The columns share the width; some places have one of them.
        places = [name for _, name, _ in halves]
        first = np.array([name not in places[:column] for column, name in enumerate(places)])
        left = EDGE + max(text_size(line, size)[0] for name in self.manners.values() for line in name.split("\n"))
        self.side = min((width - EDGE - left - _APART * first.sum()) / len(places), _MOST)
        self.x = left + self.side * np.arange(len(places)) + _APART * np.cumsum(first)
        self.lines = np.append(self.x[first], self.x[-1] + self.side + _APART) - _APART / 2
        self.places = [*dict.fromkeys(places)]
        self.header = max(text_size(name, size)[0] for name in self.places) + 1
        # A row is as high as what stands in it.
        answered = {self.row[phone] for phone in phones.index[phones["answer"].notna()]}
        lines = [LINE * len(self.manners.get(row, "").split("\n")) for row in range(len(deeps))]
        heights = np.maximum([_PHONE + 2 * _ANSWER * (row in answered) for row in range(len(deeps))], lines)
        above = np.array([_APART if row in self.manners else 2 * _AROUND for row in range(len(deeps))])
        self.high = float((heights + above).sum()) + _APART / 2
        self.tops = self.high - np.cumsum(above + np.append(0, heights[:-1]))
        labels = [*phones.index, *phones["answer"].dropna()]
        widest = max(min(text_size(text, size, bold=True)[0], _WIDEST_LABEL) for text in labels)
        self.fits = bool(widest + 2 * _AROUND + 0.4 <= self.side)

    def draw(self, axes: Axes) -> None:
        axes.set(xlim=(0, self.width), ylim=(0, self.high + self.header))
        axes.axis("off")
        for name, x in zip(self.places, (self.lines[:-1] + self.lines[1:]) / 2, strict=True):
            axes.text(x, self.high + 0.5, name, fontsize=self.size, ha="center", va="bottom", rotation=90)
        rules: dict[str, Any] = {"color": style.GRID, "linewidth": 0.4, "zorder": 0.5}
        axes.vlines(self.lines, 0, self.high, **rules)
        for row, name in self.manners.items():
            axes.hlines(self.tops[row] + _APART / 2, EDGE, self.lines[-1], **rules)
            middle = self.tops[row] - max(_PHONE, LINE * (1 + name.count("\n"))) / 2
            axes.text(EDGE, middle, name, fontsize=self.size, va="center", linespacing=1.0)
        look: dict[str, Any] = {"ha": "center", "va": "center"}
        for phone, own in self.phones.to_dict("index").items():
            left, top = self.x[self.column[str(phone)]] + _AROUND, self.tops[self.row[str(phone)]]
            wide, (face, ink) = self.side - 2 * _AROUND, _look_of(own)
            axes.add_patch(Rectangle((left, top - _PHONE), wide, _PHONE, **face))
            name = cut_to_width(str(phone), wide, size=self.size, bold=True)
            middle = left + wide / 2
            axes.text(middle, top - _PHONE / 2, name, color=ink, weight="bold", fontsize=self.size, **look)
            if isinstance(own["answer"], str):
                texts = [cut_to_width(own["answer"], wide, size=self.size), f"{100 * own['instead']:.0f}"]
                for line, text in enumerate(texts):
                    size, below = PHONES[-1 - (not line)], _ANSWER * (line + 0.6)
                    axes.text(middle, top - _PHONE - below, text, fontsize=size, **look)


def draw_consonants(corpus: StoredCorpus) -> Sheet | None:
    """Return the chart of a corpus' consonants, smaller or without the rarest where they do not fit; None without any.

    What does not fit is named.
    """
    cells, width = _answers(corpus), corpus.options.width_mm
    of_chart = cells[np.array([consonant_place(phone) is not None for phone in cells["gold"]], dtype=bool)]
    own = of_chart["gold"] == of_chart["predicted"]
    other = of_chart[~own & (of_chart["share"] >= _LEAST) & (of_chart["tokens"] >= FEW_TOKENS_DRAWN)]
    other = other.sort_values("share", ascending=False, kind="stable").drop_duplicates("gold").set_index("gold")
    phones = of_chart[own].set_index("gold").sort_values("tokens", ascending=False, kind="stable")
    phones = phones.assign(answer=other["predicted"], instead=other["share"])
    if phones.empty:
        return None
    for chart in _shrink_chart(phones, width):
        key = _Key(width)
        key.add_looks(corpus, chart.phones)
        answered = chart.phones[["answer", "instead"]].dropna()
        for answer, share in answered.values[:1]:
            text, size = f"{answer} {100 * share:.0f}", PHONES[-2]
            meaning = "most frequent other answer, in %" + (", ∅ deleted" if GAP in {*answered["answer"]} else "")
            key.add(meaning, text_size(text, size)[0], partial(Text, text=text, fontsize=size, va="center"))
        notes = [*["Voiceless above voiced."] * (not chart.voices), *_name_placeless(cells)]
        if rare := [*phones.index[len(chart.phones) :]]:
            notes.append(f"No room for the {len(rare)} rarest: {list_phones(rare)}.")
        lines = wrap(notes, width)
        foot = EDGE + LINE * len(lines) + _KEY * key.rows + 1.0
        high = foot + chart.high + chart.header
        if chart.fits and high + _ABOVE <= style.PAGE_HEIGHT:
            break
    figure = Sheet(width, high + _ABOVE)
    figure.write_title(f"{corpus.titled('consonants')} ({phones['tokens'].sum():,.0f} tokens)")
    chart.draw(figure.axes_at(0, foot, width, chart.high + chart.header))
    key.draw(figure, lines)
    return figure


def _shrink_chart(phones: pd.DataFrame, width: float) -> Iterator[_Chart]:
    """Yield charts that show ever less, the first that fits to be taken: the last has one phone."""
    for voices, size in product((True, False), PHONES):
        yield _Chart(phones, width, size, voices=voices)
    number = len(phones)
    while number > 1:
        number = min(number - 1, int(0.95 * number))  # a twentieth at a time: each try measures all its labels
        yield _Chart(phones[:number], width, PHONES[-1], voices=False)


# In mm where nothing else is said. The panel is no wider than that, so that arrows stay short on two columns.
_WIDEST, _HIGH, _TITLE = 120.0, 0.62, 4.5  # of a panel: its width, height over width, what is above
_MARGIN = (8.5, 5.0)  # beside and above the quadrilateral, for the labels of the vowels at its edges
_PAIR = 2.6  # from the middle of a pair to the plain and to the rounded vowel
_LARGEST, _SMALLEST, _DOT, _HEAD = 3.0, 0.6, 0.55, 2.2  # radii of discs, of own vowels; an arrow's head
_AIR, _BESIDE, _CLEAR = 0.7, 3.4, 0.55  # between marks; where an arrow needs room to pass; around a label
# A quarter of a vowel's tokens is a confusion that a reader must see; where fewer than five reach it, the five largest
# are shown. Arrows from a tenth on were a tangle among front vowels.
_OFTEN, _FEWEST = 0.25, 5
# A label further from its mark could be that of another one.
_FURTHEST = 3.5
_ON_THE_WAY = (0.4, 0.5, 0.3, 0.6, 0.7, 0.2)  # where on its line the mark of a diphthong may stand
# Slight bends first: bent, an arrow from a to b and one from b to a lie side by side.
_BENDS = (0.16, -0.16, 0.0, 0.32, -0.32, 0.5, -0.5)
_POINT = 25.4 / 72
_SIXTEENTHS = np.array([0, 8, 4, 12, 2, 6, 14, 10, 1, 7, 15, 9, 3, 5, 13, 11])  # of a turn: right, left, above, below …
_DIRECTIONS = np.column_stack([np.cos(_SIXTEENTHS * np.pi / 8), np.sin(_SIXTEENTHS * np.pi / 8)])
_FRAME = [[(h, 0), (h, 2)] for h in (0, 1, 2, 3)] + [[(0, b), (3, b)] for b in (0, 1, 2)]


# Vowels stand in the quadrilateral, as discs: the area is a vowel's share of the corpus' gold vowels, and arrows lead
# to what each is recognised as. A vowel whose place is taken (a nasal or a long one, one coloured by r) stands beside
# it, in the nearest free place. A diphthong is a line from its first vowel to its last, with its mark on the way.
class _Panel:
    """The vowels of a corpus: where each stands, in mm from the lower left corner, its radius, its arrows, the labels.

    `unplaced` are labels that stand nowhere without touching anything.
    """

    def __init__(self, corpus: StoredCorpus) -> None:
        self.size = min(corpus.options.width_mm - 2 * EDGE, _WIDEST) * np.array([1, _HIGH])
        self.cells = _answers(corpus)
        right = self.cells[self.cells["gold"] == self.cells["predicted"]].set_index("gold")
        self.gold = right[_are_vowels(right.index)].sort_values("tokens", ascending=False, kind="stable")
        wrong = self.cells[(self.cells["share"] >= _LEAST) & (self.cells["tokens"] >= FEW_TOKENS_DRAWN)]
        wrong = wrong[wrong["gold"].isin(self.gold.index) & (wrong["gold"] != wrong["predicted"])]
        is_vowel = _are_vowels(wrong["predicted"])
        confused = wrong[is_vowel].sort_values("share", ascending=False, kind="stable")
        confused = confused[(confused["share"] >= _OFTEN) | (np.arange(len(confused)) < _FEWEST)]
        self.arrows = [*zip(confused["gold"], confused["predicted"], confused["share"], strict=True)]
        self.others = wrong[~is_vowel]
        # Of the recogniser's own vowels the plain ones are landmarks; a diphthong is one only where an arrow ends.
        plain = () if corpus.options.phones else (1,)
        own = (phone for phone in _recogniser_phones(corpus.tables) if phone not in self.gold.index)
        ends = {predicted for _, predicted, _ in self.arrows}
        self.radius = {str(phone): self.radius_of(tokens) for phone, tokens in self.gold["tokens"].items()}
        self.radius |= {phone: _DOT for phone in own if phone in ends or len(vowel_places(phone)) in plain}
        self.looks = {str(phone): _look_of(own) for phone, own in self.gold.to_dict("index").items()}
        self.marks, self.unplaced = dict[str, Floats](), list[str]()
        self.labels = list[tuple[str, Floats, dict[str, Any]]]()

    def radius_of(self, tokens: float) -> float:
        """Return the radius of a disc, whose area is the share of tokens; that of the most frequent vowel is given."""
        return max(float(_LARGEST * (tokens / max(self.gold["tokens"].max(), 1)) ** 0.5), _SMALLEST)

    def place_marks(self) -> None:
        """Put plain vowels where they belong, then marked ones and diphthongs where there is room."""
        plainest = {vowel_places(phone): phone for phone in sorted(self.radius, key=_count_signs, reverse=True)}
        first = {*plainest.values()}
        for phone in sorted(self.radius, key=lambda one: (len(vowel_places(one)), one not in first, _count_signs(one))):
            way, radius = self._way(phone), self.radius[phone]
            tried = [way[0]] if len(way) == 1 else [way[0] + part * (way[-1] - way[0]) for part in _ON_THE_WAY]
            around = (tried[0] + step * direction for step, direction in product(range(3, 20), _DIRECTIONS))
            free = (place for place in tried if self._is_free(place, radius + _AIR))
            beside = (place for place in around if self._is_free(place, radius + _BESIDE))
            self.marks[phone] = next(chain(free, beside), tried[0])

    def _way(self, phone: str) -> Floats:
        return np.array([self._belongs(place) for place in vowel_places(phone)])

    def _belongs(self, place: Vowel) -> tuple[float, float]:
        # As the IPA draws it: the front side slants inwards with the openness, central vowels half as much.
        (aside, above), depth = _MARGIN, place.height / 3
        wide, high = self.size - 2 * np.array(_MARGIN)
        left = aside + 0.4 * wide * depth
        beside = 0.0 if place.height in {1.5, 2.5} else _PAIR if place.rounded else -_PAIR
        return left + (aside + wide - left) * place.backness / 2 + beside, above + high * (1 - depth)

    def _is_free(self, place: Floats, reach: float) -> bool:
        apart = (np.hypot(*(mark - place)) - self.radius[phone] for phone, mark in self.marks.items())
        return bool((place > 2).all() and (place < self.size - 2).all() and min(apart, default=reach) >= reach)

    def curve(self, gold: str, predicted: str, share: float) -> tuple[float, Floats]:
        """Return the bend of an arrow, the first of those that keep off other discs, and points along what is seen."""
        begin, end = self.marks[gold], self.marks[predicted]
        others = [phone for phone in self.marks if phone not in {gold, predicted}]
        marks = np.array([self.marks[phone] for phone in others]).reshape(-1, 2)
        reach = np.array([self.radius[phone] for phone in others]) + _line_width(share) * _POINT / 2
        at = np.linspace(0, 1, max(int(3 * np.hypot(*(end - begin))), 6))[:, None]
        tried = list[tuple[float, float, Floats]]()
        for bend in _BENDS:  # the parabola of matplotlib's arc3
            middle = (begin + end) / 2 + bend * np.array([1, -1]) * (end - begin)[::-1]
            way = (1 - at) ** 2 * begin + 2 * at * (1 - at) * middle + at**2 * end
            tried.append(((np.hypot(*(way[:, None] - marks).T) - reach[:, None]).min(initial=_AIR), bend, way))
        _, bend, way = max(tried, key=lambda one: one[0])
        from_begin, from_end = np.hypot(*(way - begin).T), np.hypot(*(way - end).T)
        return bend, way[(from_begin > self.radius[gold]) & (from_end > self.radius[predicted])]

    def place_labels(self) -> None:
        """Find a place for each vowel's name and each arrow's share, over no mark, no arrow and no other label."""
        ways, arrows = [self.curve(*arrow)[1] for arrow in self.arrows], list[Floats]()
        for way, (*_, share) in zip(ways, self.arrows, strict=True):
            is_head = np.hypot(*(way - way[-1]).T) < _HEAD  # the last millimetres, which are wider
            reach = (_line_width(share) / 2 + is_head * (1.3 + 1.2 * share)) * _POINT
            arrows.append((way[:, None] + reach[:, None, None] * _DIRECTIONS).reshape(-1, 2))
        discs = [mark + self.radius[one] * part * _DIRECTIONS for one, mark in self.marks.items() for part in (0.5, 1)]
        taken = [*discs, *arrows]
        for phone, mark in self.marks.items():  # before the shares, which can stand below the figure
            radius, is_gold = self.radius[phone], phone in self.looks
            look: dict[str, Any] = {"color": INK, "weight": "bold"} if is_gold else {"color": style.DARK_GREY}
            half = np.array(text_size(phone, PHONE, bold=is_gold)[:2]) / 2
            crossed = any((np.abs(points - mark) < half + _CLEAR / 2).all(axis=1).any() for points in arrows)
            if is_gold and np.hypot(*half) + 0.2 <= radius and not crossed:
                self.labels.append((phone, mark, look | {"color": self.looks[phone][1]}))
            elif not self._label(phone, product([mark], np.arange(radius, radius + _FURTHEST, 0.5)), taken, look):
                self.unplaced.append(phone)
        for way, (gold, predicted, share) in zip(ways, self.arrows, strict=True):
            # The share stands near the gold vowel, of whose tokens it is one: at the first half of the arrow.
            near = sorted(way[: len(way) // 2 + 1], key=lambda point: np.hypot(*(point - way[len(way) // 4])))
            beside = ((point, reach) for reach, point in product((0.6, 1.4, 2.2), near))
            if not self._label(f"{100 * share:.0f}", beside, taken, {"color": style.WRONG}):
                self.unplaced.append(f"{gold} → {predicted} {100 * share:.0f} %")

    def _label(
        self, text: str, tried: Iterable[tuple[Floats, float]], taken: list[Floats], look: dict[str, Any]
    ) -> bool:
        """Write a text around a point, so far from it, where it touches nothing; return whether it has a place."""
        half = np.array(text_size(text, PHONE, bold="weight" in look)[:2]) / 2
        (x, y), (width, height) = np.concatenate(taken).T.copy(), half + _CLEAR
        for (point, reach), direction in product(tried, _DIRECTIONS):
            middle = point + direction * (reach + _CLEAR + 0.1 + half)
            inside = (middle > half).all() and (middle < self.size - half).all()
            if inside and not ((np.abs(x - middle[0]) < width) & (np.abs(y - middle[1]) < height)).any():
                self.labels.append((text, middle, look))
                # Points of its box, close enough together that no later label stands between them.
                taken.append(middle + half * list(product((-1, -0.5, 0, 0.5, 1), repeat=2)))
                return True
        return False

    def draw(self, axes: Axes) -> None:
        axes.set(xlim=(0, self.size[0]), ylim=(0, self.size[1]))
        axes.axis("off")
        for ends in _FRAME:
            x, y = np.array([self._belongs(Vowel(height, backness, False)) for height, backness in ends]).T
            axes.plot(x + _PAIR, y, color=style.PALE_GREY, linewidth=0.6, zorder=0.3)
        for phone, mark in self.marks.items():
            (x, y), way = mark, self._way(phone)
            line = way[[0, -1]] if len(way) > 1 else np.array([way[0], mark])  # of no length for a vowel in its place
            axes.plot(*line.T, color=style.PASSING, linewidth=0.6, zorder=0.5)
            look, _ = self.looks.get(phone, ({"facecolor": style.GREY, "edgecolor": "none"}, ""))
            axes.add_patch(_disc(x, y, self.radius[phone], **look, zorder=3))
        for gold, predicted, share in self.arrows:
            bend, _ = self.curve(gold, predicted, share)
            shrink = {"shrinkA": self.radius[gold] / _POINT, "shrinkB": (self.radius[predicted] + 0.3) / _POINT}
            look = _arrow_look(share) | shrink | {"connectionstyle": f"arc3,rad={bend}"}
            axes.add_patch(FancyArrowPatch(tuple(self.marks[gold]), tuple(self.marks[predicted]), **look))
        for text, (x, y), look in self.labels:
            _, high, depth = text_size(text, PHONE, bold="weight" in look)
            axes.text(x, y - high / 2 + depth, text, fontsize=PHONE, ha="center", va="baseline", zorder=4, **look)


def _disc(x: float, y: float, radius: float, **look: Any) -> Circle:  # noqa: ANN401 - what matplotlib takes
    # The hatching of a disc is darker than that below a letter, for it has few lines.
    return Circle((x, y), radius, **{**look, "hatchcolor": style.DARK_GREY})


def _are_vowels(phones: Iterable[str]) -> Bools:
    return np.array([bool(vowel_places(phone)) for phone in phones], dtype=bool)


def _count_signs(phone: str) -> int:
    """Return how many letters and marks a phone has: ã has two, however it is written."""
    return len(normalize("NFD", phone))


def _line_width(share: float) -> float:
    """Return how wide the arrow of a share is, in points: a share of 1 five times as wide as one of 0."""
    return 0.5 + 2 * share


def _arrow_look(share: float) -> dict[str, Any]:
    head = f"-|>,head_length={3 + 1.5 * share},head_width={1.3 + 1.2 * share}"
    look = {"color": style.WRONG, "linewidth": _line_width(share), "arrowstyle": head, "mutation_scale": 1}
    return look | {"joinstyle": "miter", "capstyle": "butt", "zorder": 2}


def draw_vowels(corpus: StoredCorpus) -> Sheet | None:
    """Return the quadrilateral of a corpus; None without vowels."""
    panel, width = _Panel(corpus), corpus.options.width_mm
    if panel.gold.empty:
        return None
    panel.place_marks()
    panel.place_labels()
    key = _Key(width)
    key.add_looks(corpus, panel.gold, lambda x, y, **look: _disc(x + 1.5, y, 1.2, **look))
    # A disc that fits into a line of the key: where vowels are many and alike, one of 10 % is larger than any drawn.
    tokens = panel.gold["tokens"].sum()
    share = next((one for one in (10, 5, 2) if 2 * panel.radius_of(one / 100 * tokens) <= _KEY), 1)
    size, plain = panel.radius_of(share / 100 * tokens), _outline(lacking=False)
    key.add(f"{share} % of all vowels", 2 * size, lambda x, y: _disc(x + size, y, size, fill=False, **plain))
    if panel.arrows:
        key.add("recognised as, in %", 7.0, lambda x, y: FancyArrowPatch((x, y), (x + 7, y), **_arrow_look(0.5)))
    if len(panel.radius) > len(panel.gold):
        dot: dict[str, Any] = {"facecolor": style.GREY, "linewidth": 0}
        key.add("no gold vowel here", 2 * _DOT, lambda x, y: _disc(x + _DOT, y, _DOT, **dot))
    order = np.argsort(-(panel.others["share"] * panel.others["tokens"]).to_numpy(), kind="stable")
    others = panel.others.iloc[order[:6]][["gold", "predicted", "share"]].itertuples(index=False)
    named = ", ".join(f"{gold} → {predicted} {100 * share:.0f} %" for gold, predicted, share in others)
    notes = [*[f"Answers that are not vowels: {named}."] * bool(named), *_name_placeless(panel.cells)]
    if panel.unplaced:
        notes.append(f"No free place for the labels: {list_phones(panel.unplaced)}.")
    lines = wrap(notes, width)
    foot, (wide, high) = EDGE + LINE * len(lines) + _KEY * key.rows + 1.0, panel.size
    figure = Sheet(width, foot + high + _TITLE)
    figure.write_title(f"{corpus.titled('vowels')} ({panel.gold['tokens'].sum():,.0f} tokens)")
    panel.draw(figure.axes_at((width - wide) / 2, foot, wide, high))
    key.draw(figure, lines)
    return figure

"""Vowels in the quadrilateral of the IPA: gold vowels as discs, and arrows to what each is recognised as.

A disc's area is the vowel's share of the corpus' gold vowels, its shade how often it is right. A vowel whose place is
taken (a nasal or a long one, one coloured by r) stands beside it, in the nearest free place. A diphthong is a line from
its first vowel to its last, with its mark on the way.
"""

from collections.abc import Iterable, Iterator
from itertools import chain, product
from typing import Any
from unicodedata import normalize

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Circle, FancyArrowPatch

from phonxling.core.arrays import Bools, Floats
from phonxling.draw.charts import (
    KEY,
    LEAST,
    Key,
    answers,
    has_inventory,
    lacking_means,
    look_of,
    outline,
    recogniser_phones,
    without_place,
)
from phonxling.draw.figure import StoredCorpus, list_phones
from phonxling.draw.sheet import Sheet, text_size, wrap
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
)
from phonxling.phones.chart import Vowel, vowel_places

# In mm where nothing else is said. The panel is no wider than that, so that arrows stay short on two columns.
_WIDEST, _HIGH, _TITLE = 120.0, 0.62, 4.5  # of a panel: its width, height over width, what is above
_MARGIN = (8.5, 5.0)  # beside and above the quadrilateral, for the labels of the vowels at its edges
_PAIR = 2.6  # from the middle of a pair to the plain and to the rounded vowel
_LARGEST, _LEAST, _DOT, _HEAD = 3.0, 0.6, 0.55, 2.2  # radii of discs, of the recogniser's own vowels; an arrow's head
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


class _Panel:
    """The vowels of a corpus: where each stands, in mm from the lower left corner, its radius, its arrows, the labels.

    `missed` are labels that stand nowhere without touching anything.
    """

    def __init__(self, corpus: StoredCorpus, *, declared: bool) -> None:
        self.size = min(corpus.options.width_mm - 2 * EDGE, _WIDEST) * np.array([1, _HIGH])
        self.cells = answers(corpus.tables, corpus.options, declared=declared)
        right = self.cells[self.cells["gold"] == self.cells["predicted"]].set_index("gold")
        self.gold = right[_are_vowels(right.index)].sort_values("tokens", ascending=False, kind="stable")
        wrong = self.cells[(self.cells["share"] >= LEAST) & (self.cells["tokens"] >= FEW_TOKENS_DRAWN)]
        wrong = wrong[wrong["gold"].isin(self.gold.index) & (wrong["gold"] != wrong["predicted"])]
        is_vowel = _are_vowels(wrong["predicted"])
        found = wrong[is_vowel].sort_values("share", ascending=False, kind="stable")
        found = found[(found["share"] >= _OFTEN) | (np.arange(len(found)) < _FEWEST)]
        self.arrows = [*zip(found["gold"], found["predicted"], found["share"], strict=True)]
        self.others = wrong[~is_vowel]
        # Of the recogniser's own vowels the plain ones are landmarks; a diphthong is one only where an arrow ends.
        plain = () if corpus.options.phones else (1,)
        own = (phone for phone in recogniser_phones(corpus.tables) if phone not in self.gold.index)
        ends = {predicted for _, predicted, _ in self.arrows}
        self.radius = {str(phone): self.radius_of(tokens) for phone, tokens in self.gold["tokens"].items()}
        self.radius |= {phone: _DOT for phone in own if phone in ends or len(vowel_places(phone)) in plain}
        self.looks = {str(phone): look_of(own) for phone, own in self.gold.to_dict("index").items()}
        self.marks, self.missed = dict[str, Floats](), list[str]()
        self.labels = list[tuple[str, Floats, dict[str, Any]]]()

    def radius_of(self, tokens: float) -> float:
        """Return the radius of a disc, whose area is the share of tokens; that of the most frequent vowel is given."""
        return max(float(_LARGEST * (tokens / max(self.gold["tokens"].max(), 1)) ** 0.5), _LEAST)

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
        """Return where the vowels of a phone belong, [n, 2]."""
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
        found = list[tuple[float, float, Floats]]()
        for bend in _BENDS:  # the parabola of matplotlib's arc3
            middle = (begin + end) / 2 + bend * np.array([1, -1]) * (end - begin)[::-1]
            way = (1 - at) ** 2 * begin + 2 * at * (1 - at) * middle + at**2 * end
            found.append(((np.hypot(*(way[:, None] - marks).T) - reach[:, None]).min(initial=_AIR), bend, way))
        _, bend, way = max(found, key=lambda one: one[0])
        from_begin, from_end = np.hypot(*(way - begin).T), np.hypot(*(way - end).T)
        return bend, way[(from_begin > self.radius[gold]) & (from_end > self.radius[predicted])]

    def place_labels(self) -> None:
        """Find a place for each vowel's name and each arrow's share, over no mark, no arrow and no other label."""
        ways = [self.curve(*arrow)[1] for arrow in self.arrows]
        arrows = [_outline_arrow(way, share) for way, (*_, share) in zip(ways, self.arrows, strict=True)]
        discs = [mark + self.radius[one] * part * _DIRECTIONS for one, mark in self.marks.items() for part in (0.5, 1)]
        taken = [*discs, *arrows]
        for phone, mark in self.marks.items():  # before the shares, which can stand below the figure
            radius, is_gold = self.radius[phone], phone in self.looks
            look: dict[str, Any] = {"color": INK, "weight": "bold"} if is_gold else {"color": DARK_GREY}
            half = np.array(text_size(phone, PHONE, bold=is_gold)[:2]) / 2
            crossed = any((np.abs(points - mark) < half + _CLEAR / 2).all(axis=1).any() for points in arrows)
            if is_gold and np.hypot(*half) + 0.2 <= radius and not crossed:
                self.labels.append((phone, mark, look | {"color": self.looks[phone][1]}))
            elif not self._label(phone, product([mark], np.arange(radius, radius + _FURTHEST, 0.5)), taken, look):
                self.missed.append(phone)
        for way, (gold, predicted, share) in zip(ways, self.arrows, strict=True):
            # The share stands near the gold vowel, of whose tokens it is one: at the first half of the arrow.
            near = sorted(way[: len(way) // 2 + 1], key=lambda point: np.hypot(*(point - way[len(way) // 4])))
            beside = ((point, reach) for reach, point in product((0.6, 1.4, 2.2), near))
            if not self._label(f"{100 * share:.0f}", beside, taken, {"color": WRONG}):
                self.missed.append(f"{gold} → {predicted} {100 * share:.0f} %")

    def _label(
        self, text: str, tried: Iterable[tuple[Floats, float]], taken: list[Floats], look: dict[str, Any]
    ) -> bool:
        """Write a text around a point, so far from it, where it touches nothing; return whether it has a place."""
        half, points = np.array(text_size(text, PHONE, bold="weight" in look)[:2]) / 2, np.concatenate(taken)
        for (point, reach), direction in product(tried, _DIRECTIONS):
            middle = point + direction * (reach + _CLEAR + 0.1 + half)
            inside = (middle > half).all() and (middle < self.size - half).all()
            if inside and not (np.abs(points - middle) < half + _CLEAR).all(axis=1).any():
                self.labels.append((text, middle, look))
                taken.append(middle + half * list(product((-1, -0.5, 0, 0.5, 1), repeat=2)))
                return True
        return False

    def draw(self, axes: Axes) -> None:
        """Draw all on axes in mm."""
        axes.set(xlim=(0, self.size[0]), ylim=(0, self.size[1]))
        axes.axis("off")
        for ends in _FRAME:
            x, y = np.array([self._belongs(Vowel(height, backness, False)) for height, backness in ends]).T
            axes.plot(x + _PAIR, y, color=PALE_GREY, linewidth=0.6, zorder=0.3)
        for phone, mark in self.marks.items():
            (x, y), way = mark, self._way(phone)
            line = way[[0, -1]] if len(way) > 1 else np.array([way[0], mark])  # of no length for a vowel in its place
            axes.plot(*line.T, color=PASSING, linewidth=0.6, zorder=0.5)
            look, _ = self.looks.get(phone, ({"facecolor": GREY, "edgecolor": "none"}, ""))
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
    return Circle((x, y), radius, **{**look, "hatchcolor": DARK_GREY})


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
    look = {"color": WRONG, "linewidth": _line_width(share), "arrowstyle": head, "mutation_scale": 1, "zorder": 2}
    return look | {"joinstyle": "miter", "capstyle": "butt"}


def _outline_arrow(way: Floats, share: float) -> Floats:
    """Return points around an arrow, of which the last millimetres are its head."""
    is_head = np.hypot(*(way - way[-1]).T) < _HEAD
    reach = (_line_width(share) / 2 + is_head * (1.3 + 1.2 * share)) * _POINT
    return np.asarray((way[:, None] + reach[:, None, None] * _DIRECTIONS).reshape(-1, 2))


def draw_vowels(corpus: StoredCorpus) -> Sheet | None:
    """Return the quadrilateral of a corpus; None without vowels."""
    declared, width = has_inventory(corpus, corpus.name), corpus.options.width_mm
    panel = _Panel(corpus, declared=declared)
    if panel.gold.empty:
        return None
    panel.place_marks()
    panel.place_labels()
    key, lines = _key(panel, width, lacking_means(declared=declared)), wrap(_notes(panel), width)
    foot, (wide, high) = EDGE + LINE * len(lines) + KEY * key.rows + 1.0, panel.size
    figure = Sheet(width, foot + high + _TITLE)
    figure.write_title(f"{corpus.titled('vowels')} ({panel.gold['tokens'].sum():,.0f} tokens)")
    panel.draw(figure.axes_at((width - wide) / 2, foot, wide, high))
    key.draw(figure, lines)
    return figure


def _notes(panel: _Panel) -> Iterator[str]:
    order = np.argsort(-(panel.others["share"] * panel.others["tokens"]).to_numpy(), kind="stable")
    others = panel.others.iloc[order[:6]][["gold", "predicted", "share"]].itertuples(index=False)
    if named := ", ".join(f"{gold} → {predicted} {100 * share:.0f} %" for gold, predicted, share in others):
        yield f"Answers that are not vowels: {named}."
    yield from without_place(panel.cells)
    if panel.missed:
        yield f"No free place for the labels: {list_phones(panel.missed)}."


def _key(panel: _Panel, width: float, lacking: str) -> Key:
    key = Key(width)
    key.looks(panel.gold, lacking, lambda x, y, **look: _disc(x + 1.5, y, 1.2, **look))
    size = panel.radius_of(0.1 * panel.gold["tokens"].sum())
    key.add("10 % of all vowels", 2 * size, lambda x, y: _disc(x + size, y, size, fill=False, **outline(lacking=False)))
    if panel.arrows:
        arrow = _arrow_look(0.5)
        key.add("recognised as, in %", 7.0, lambda x, y: FancyArrowPatch((x, y), (x + 7, y), **arrow))
    if len(panel.radius) > len(panel.gold):
        key.add("no gold vowel here", 2 * _DOT, lambda x, y: _disc(x + _DOT, y, _DOT, facecolor=GREY, linewidth=0))
    return key

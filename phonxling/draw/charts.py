"""Where a phone stands in the IPA chart: a consonant by manner, place and voice, a vowel by height and backness.

Letters decide, for PanPhon gives several letters one vector (e and ɐ, ə and ɜ, r and ɾ). Marks move a letter where the
chart says so: voicing, dentals, raised or centred vowels; further ones (length, nasality, secondary articulation)
leave it where its plain letter stands. Of joined consonants, a stop and what it opens into are an affricate at the
place of the latter; a nasal before an obstruent, and a glottal stop beside another consonant, change no place; a click
stands where its own letter does; other pairs are double articulations, which have two places. A diphthong has the
places of its vowels and glides. What has other letters than these has no place.

References
----------
International Phonetic Association (2020), The International Phonetic Alphabet.

What the charts of vowels and of consonants share: answers to gold phones, shades, arrows, the key, what is noted.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache, partial
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from matplotlib.artist import Artist
from matplotlib.patches import FancyArrowPatch, Rectangle
from matplotlib.path import Path

from phonxling.core.inventory import GAP, HEIGHTS, PLACES, ROWS, TWO_PLACES
from phonxling.core.spelling import Part, full_letter, is_modifier, parse, split_tone
from phonxling.draw.figure import Tables
from phonxling.draw.order import named
from phonxling.draw.sheet import Sheet, text_size
from phonxling.draw.style import EDGE, FEW, GREY, INK, LINE, PALE_GREY, PHONE, WRONG, sequential
from phonxling.phones.ipa import fold_letters

MANNERS = tuple(ROWS)
_INWARDS = {"ɪ": 0.5, "ʏ": 0.5, "ʊ": 1.5}
_GLIDES = {"j": "i", "ɥ": "y", "ɰ": "ɯ", "w": "u"}  # as parts of diphthongs
_LIKE = {"ɫ": "l", "ɿ": "z", "ʮ": "z", "ʅ": "ʐ", "ʯ": "ʐ"}  # the last: sinologists' apical vowels, by their place
_VOICELESS, _VOICED, _DENTAL = "\u0325", "\u032c", "\u032a"
_MOVES = {"\u031d": (-0.25, 0.0), "\u031e": (0.25, 0.0), "\u031f": (0.0, -0.25), "\u0320": (0.0, 0.25)}
_TO_MIDDLE = {"\u0308": (0.0, 0.5), "\u033d": (0.5, 0.5)}  # shares of the way to the mid, and to the central vowels


class Consonant(NamedTuple):
    """A place in the chart: the row in MANNERS, the column in PLACES (two of a double articulation), and the half."""

    manner: int
    place: tuple[int, ...]
    voiced: bool

    @property
    def place_name(self) -> str:
        """The place in words; the lips of a double articulation are labial."""
        names = [PLACES[place] for place in self.place]
        return names[0] if len(names) == 1 else "–".join(name.replace("bilabial", "labial") for name in names)


class Vowel(NamedTuple):
    """A place in the quadrilateral: height 0 close to 3 open, backness 0 front to 2 back, and whether it is rounded."""

    height: float
    backness: float
    rounded: bool


def _letters() -> dict[str, Consonant | Vowel]:
    """Return the place of each letter of the chart."""
    found: dict[str, Consonant | Vowel] = {}
    for manner, row in enumerate(ROWS.values()):
        for place, pair in enumerate(row.split()):
            found |= {letter: Consonant(manner, (place,), bool(voiced)) for voiced, letter in enumerate(pair)}
    for letter, (row, *places) in {letter: words.split() for letter, words in TWO_PLACES.items()}.items():
        found[letter] = Consonant(MANNERS.index(row), tuple(map(PLACES.index, places)), letter in "wɥ")
    for step, row in enumerate(HEIGHTS.split(" / ")):
        for backness, pair in enumerate(row.split()):
            for rounded, letter in enumerate(pair):
                found[letter] = Vowel(step / 2, _INWARDS.get(letter, float(backness)), bool(rounded))
    return {letter: place for letter, place in found.items() if letter != "·"}


_CHART = _letters()


def consonant_place(phone: str) -> Consonant | None:
    """Return the place of a consonant; None for anything else.

    Examples
    --------
    >>> where = consonant_place("t͡ʃʰ")
    >>> MANNERS[where.manner], where.place_name, where.voiced
    ('affricate', 'postalveolar', False)
    >>> consonant_place("k͡p").place_name, consonant_place("a")
    ('labial–velar', None)
    """
    place = _place(phone)
    return place if isinstance(place, Consonant) else None


def vowel_places(phone: str) -> tuple[Vowel, ...]:
    """Return the place of a vowel, or those of a diphthong; none for anything else.

    Examples
    --------
    >>> vowel_places("oʊ")
    (Vowel(height=1.0, backness=2.0, rounded=True), Vowel(height=0.5, backness=1.5, rounded=True))
    >>> vowel_places("t"), vowel_places("˥")
    ((), ())
    """
    place = _place(phone)
    return () if isinstance(place, Consonant) else place


@lru_cache(maxsize=4096)
def _place(phone: str) -> Consonant | tuple[Vowel, ...]:
    parts = parse(fold_letters(split_tone(phone)[0]))
    letters = [part for part in parts if not is_modifier(part.letter)]
    places = [_part_place(part) for part in letters]
    if not places or None in places:
        return ()
    if any(isinstance(place, Vowel) for place in places):
        return _vowels(letters)
    every = [_part_place(part) for part in parts]  # a superscript letter is the first of two that are joined
    return _joined([place for place in every if isinstance(place, Consonant)])


def _part_place(part: Part) -> Consonant | Vowel | None:
    """Return the place of a letter with its marks; that of a superscript letter before a phone is its full letter's."""
    letter = _LIKE.get(part.letter, part.letter)
    place = _CHART.get(letter) or _CHART.get(full_letter(letter))
    if isinstance(place, Consonant):
        voiced = (place.voiced or _VOICED in part.marks) and _VOICELESS not in part.marks
        dental = _DENTAL in part.marks and place.place == (PLACES.index("alveolar"),)
        return Consonant(place.manner, (PLACES.index("dental"),) if dental else place.place, voiced)
    if isinstance(place, Vowel):
        height, backness = place.height, place.backness
        for mark in part.marks:
            up, back = _MOVES.get(mark, (0, 0))
            middle, centre = _TO_MIDDLE.get(mark, (0, 0))
            height, backness = height + up + middle * (1.5 - height), backness + back + centre * (1 - backness)
        return Vowel(min(max(height, 0.0), 3.0), min(max(backness, 0.0), 2.0), place.rounded)
    return None


def _vowels(parts: Sequence[Part]) -> tuple[Vowel, ...]:
    """Return the places of the vowels and glides of one phone; an r that colours them has none of its own."""
    letters = [_GLIDES.get(part.letter, part.letter) for part in parts if part.letter not in "ɹɻ"]
    places = [_part_place(Part(letter, part.marks)) for letter, part in zip(letters, parts, strict=False)]
    vowels = tuple(place for place in places if isinstance(place, Vowel))
    return vowels if len(vowels) == len(places) else ()


def _joined(places: Sequence[Consonant]) -> Consonant:
    """Return the place of joined consonants by those of their parts."""
    names = [MANNERS[place.manner] for place in places]
    for place, name in zip(places, names, strict=True):
        if "click" in name:
            return Consonant(place.manner, place.place, any(other.voiced for other in places))
    last = places[-1]
    glottal = PLACES.index("glottal")
    others = [place for place in places if place.place != (glottal,) or MANNERS[place.manner] != "plosive"]
    others = [place for place in others if MANNERS[place.manner] != "nasal" or last.manner == place.manner] or [last]
    first, last = others[0], others[-1]
    if MANNERS[first.manner] == "plosive" != MANNERS[last.manner] and MANNERS[last.manner] != "nasal":
        kind = "lateral affricate" if "lateral" in MANNERS[last.manner] else "affricate"
        return Consonant(MANNERS.index(kind), last.place, last.voiced)
    if first.manner == last.manner and first.place != last.place:
        both = sorted({*first.place, *last.place})
        return Consonant(last.manner, tuple(both), last.voiced)
    return last


ARROW = 0.1  # the least share of a gold phone's tokens that has an arrow
KEY = 4.4  # mm: a line of the key
# Of quarters, so that a letter, dark or white, is legible on each shade.
SHADES = {f"{low}–{low + 25} %": sequential()(place) for low, place in ((0, 0.0), (25, 0.18), (50, 0.6), (75, 0.9))}
FEW_LOOK: dict[str, Any] = {"facecolor": "white", "hatch": "///////"}


def answers(tables: Tables) -> pd.DataFrame:
    """Return the confusions of gold phones, ∅ too: gold, predicted, tokens of the gold phone, share of them, lacking.

    Phones that are never right have a row of their own symbol, with 0; `lacking`: the recogniser cannot answer them.
    """
    table = tables["confusions"]
    table = table[table["gold"] != GAP]
    own = {*recognised(tables)}
    tokens = table.groupby("gold", sort=False)["count"].sum()
    shares = table[["gold", "predicted"]].assign(share=table["p_predicted_given_gold"].astype(float))
    missing = [gold for gold in tokens.index if gold not in {*table.loc[table["gold"] == table["predicted"], "gold"]}]
    never = pd.DataFrame({"gold": missing, "predicted": missing, "share": 0.0})
    every = pd.concat([shares, never] if missing else [shares], ignore_index=True)
    lacking = ~every["gold"].isin(own)
    if "missed" in tables:
        known = tables["missed"].set_index("phone")["in_inventory"]
        lacking = every["gold"].map(known).isin(["no", "never predicted"])
    return every.assign(tokens=every["gold"].map(tokens), lacking=lacking)


def lacking_means(tables: Tables) -> str:
    """Return what is to be said of phones without an answer: what a recogniser happened to predict is no inventory."""
    known = tables["missed"]["in_inventory"] if "missed" in tables else pd.Series(dtype=str)
    return "the recogniser lacks it" if known.isin(["exact", "near", "no"]).any() else "never predicted"


def recognised(tables: Tables) -> list[str]:
    """Return the recogniser's phones."""
    columns = [tables["confusions"]["predicted"]]
    if "phones" in tables:
        columns.append(tables["phones"].loc[tables["phones"]["side"] == "predicted", "phone"])
    return sorted({*pd.concat(columns)} - {GAP})


def shade(right: float) -> Any:  # noqa: ANN401 - a colour of matplotlib's
    """Return the colour of a share that is right; a letter is legible on each."""
    return PALE_GREY if np.isnan(right) else [*SHADES.values()][min(int(right * 4), 3)]


def confusions_told(cells: pd.DataFrame, most: int) -> str:
    """Return some cells in words, those of most tokens first."""
    strongest = cells.iloc[np.argsort(-(cells["share"] * cells["tokens"]).to_numpy(), kind="stable")[:most]]
    return ", ".join(
        f"{gold} → {heard} {100 * share:.0f} %"
        for gold, heard, share in strongest[["gold", "predicted", "share"]].values
    )


def remarks(cells: pd.DataFrame, placed: Iterable[str], kind: str, lead: str) -> Iterator[str]:
    """Yield the strongest confusions of a kind of phones, and what its chart cannot show."""
    inside = cells["predicted"].isin({*placed})
    wrong = (cells["gold"] != cells["predicted"]) & (cells["share"] >= ARROW) & (cells["tokens"] >= FEW)
    deleted = cells["predicted"] == GAP
    if shown := confusions_told(cells[wrong & inside], 4):
        yield f"{lead} {shown}."
    if others := confusions_told(cells[wrong & ~inside & ~deleted], 6):
        yield f"As phones that are no {kind}s: {others}."
    if none := confusions_told(cells[wrong & deleted], 6).replace(f" → {GAP}", ""):
        yield f"Deleted: {none}."


def without_place(cells: pd.DataFrame) -> Iterator[str]:
    none = [gold for gold in dict.fromkeys(cells["gold"]) if not (vowel_places(gold) or consonant_place(gold))]
    if none:
        yield f"{len(none)} gold phones have no place in the chart: {named(none)}."


class Key:
    """The key below a figure: samples with their meanings, one after another in as many rows as they need."""

    def __init__(self, width: float) -> None:
        self.items: list[tuple[float, float, float, str, Callable[[float, float], Artist]]] = []
        self.width, self._left, self.rows = width - 2 * EDGE, 0.0, 1

    def add(self, meaning: str, wide: float, sample: Callable[[float, float], Artist], *, new: bool = False) -> None:
        """Add a sample `wide` mm that is made of its left end and its middle's height."""
        size = wide + 1.0 + text_size(meaning, PHONE)[0]
        if self._left and (new or self._left + size > self.width):
            self.rows, self._left = self.rows + 1, 0.0
        self.items.append((self._left, self.rows - 1.0, wide, meaning, sample))
        self._left += size + 2.5

    def swatch(self, meaning: str, **look: Any) -> None:  # noqa: ANN401 - what matplotlib takes
        self.add(meaning, 3.0, lambda x, y: Rectangle((x, y - 1.2), 3.0, 2.4, **look))

    def shades(self) -> None:
        for place, (meaning, colour) in enumerate(SHADES.items()):
            self.swatch(f"{meaning} right" if place == 0 else meaning, facecolor=colour, edgecolor=GREY, linewidth=0.3)

    def arrows(self, scale: float = 1.0) -> None:
        for share, text in ((0.1, "10 %"), (0.5, "50 % recognised so")):
            self.add(text, 7.0, partial(_sample, share=share, scale=scale))

    def draw(self, figure: Sheet, notes: Sequence[str]) -> None:
        """Write notes at the foot, the key above them, and finish the figure."""
        axes = figure.axes_at(EDGE, EDGE + LINE * len(notes) + 0.5, self.width, KEY * self.rows)
        axes.set(xlim=(0, self.width), ylim=(0, KEY * self.rows))
        axes.axis("off")
        for left, row, wide, meaning, sample in self.items:
            y = KEY * (self.rows - row - 0.5)
            axes.add_artist(sample(left, y)).set_clip_on(False)
            axes.text(left + wide + 1.0, y, meaning, fontsize=PHONE, va="center")
        figure.finish(notes)


def _sample(x: float, y: float, share: float, scale: float) -> Artist:
    return FancyArrowPatch(path=Path([(x, y), (x + 7, y)]), **arrow_look(share, scale))


def outline(*, lacking: bool) -> dict[str, Any]:
    return {"edgecolor": INK, "linewidth": 0.6, "linestyle": (0, (2, 1.4)) if lacking else "-"}


def line_width(share: float) -> float:
    """Return how wide the arrow of a share is, in points."""
    return 0.4 + 3.6 * share


def arrow_look(share: float, scale: float = 1.0) -> dict[str, Any]:
    """Return the look of an arrow as wide as a share says."""
    head = f"-|>,head_length={(3 + 2 * share) * scale**0.5},head_width={(1.4 + 2 * share) * scale**0.5}"
    look = {"color": WRONG, "linewidth": line_width(share) * scale, "zorder": 2, "joinstyle": "miter"}
    return look | {"capstyle": "butt", "arrowstyle": head, "mutation_scale": 1}

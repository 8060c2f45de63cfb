"""Where a phone stands in the IPA chart, by its letters and marks; its natural classes, by its features."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from phonxling.core.arrays import Bools, read_only
from phonxling.core.errors import DataError, check_arguments, quote
from phonxling.core.estimate import ReadableValue, cells, format_count, list_phones
from phonxling.core.features import FeatureTable
from phonxling.core.inventory import Inventory
from phonxling.core.spelling import (
    CHART,
    DEFAULT_CLASSES,
    HEIGHTS,
    LATERAL,
    OTHER_CLASS,
    PLACES,
    RESERVED_CLASSES,
    ROWS,
    TWO_PLACES,
    Part,
    Query,
    full_letter,
    is_modifier,
    parts_of_phone,
)

if TYPE_CHECKING:
    import pandas as pd


MANNERS = tuple(ROWS)
# Backness where a letter stands between two columns of the chart (https://www.internationalphoneticassociation.org).
_INWARDS = {"ɪ": 0.5, "ʏ": 0.5, "ʊ": 1.5}
_GLIDES = {"j": "i", "ɥ": "y", "ɰ": "ɯ", "w": "u"}  # as parts of diphthongs
_LIKE = {"ɫ": "l", "ɿ": "z", "ʮ": "z", "ʅ": "ʐ", "ʯ": "ʐ"}  # the last: sinologists' apical vowels, by their place
_VOICELESS, _VOICED, _DENTAL = "\u0325", "\u032c", "\u032a"
# Raised, lowered, advanced, retracted: half of the way to the next height, a quarter of that to the next column, so
# that a moved vowel is seen beside its letter's own place.
_MOVES = {"\u031d": (-0.25, 0.0), "\u031e": (0.25, 0.0), "\u031f": (0.0, -0.25), "\u0320": (0.0, 0.25)}
_TO_MIDDLE = {"\u0308": (0.0, 0.5), "\u033d": (0.5, 0.5)}  # shares of the way to the mid, and to the central vowels


# Places go by letters (International Phonetic Association 2020), for PanPhon (Mortensen et al. 2016) gives several
# letters one vector: e and ɐ, ə and ɜ, r and ɾ. Marks move a letter where the chart says so: voicing, dentals, raised
# or centred vowels; further ones (length, nasality, secondary articulation) leave it where its plain letter stands.
class Consonant(NamedTuple):
    """A place in the chart: the row in MANNERS, the column in PLACES (two of a double articulation), and the half."""

    manner: int
    place: tuple[int, ...]
    voiced: bool

    @property
    def column(self) -> tuple[int, int]:
        """The column's rank: a double articulation stands after the later of its places."""
        return self.place[-1], len(self.place)

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


def _place_letters() -> dict[str, Consonant | Vowel]:
    places: dict[str, Consonant | Vowel] = {}
    for manner, row in enumerate(ROWS.values()):
        for column, pair in enumerate(row.split()):
            places |= {letter: Consonant(manner, (column,), bool(voiced)) for voiced, letter in enumerate(pair)}
    for letter, words in TWO_PLACES.items():
        row, *two = words.split()
        places[letter] = Consonant(MANNERS.index(row), tuple(map(PLACES.index, two)), letter in "wɥ")
    for step, row in enumerate(HEIGHTS.split(" / ")):
        for backness, pair in enumerate(row.split()):
            for rounded, letter in enumerate(pair):
                places[letter] = Vowel(step / 2, _INWARDS.get(letter, float(backness)), bool(rounded))
    return {letter: place for letter, place in places.items() if letter != "·"}


_CHART = _place_letters()


def consonant_place(phone: str) -> Consonant | None:
    """Return the place of a consonant; None for anything else."""
    place = _find_place(phone)
    return place if isinstance(place, Consonant) else None


def vowel_places(phone: str) -> tuple[Vowel, ...]:
    """Return the place of a vowel, or those of a diphthong; none for anything else."""
    place = _find_place(phone)
    return () if isinstance(place, Consonant) else place


@lru_cache(maxsize=4096)
def _find_place(phone: str) -> Consonant | tuple[Vowel, ...]:
    parts = parts_of_phone(phone)
    letters = [part for part in parts if not is_modifier(part.letter)]
    places = [_place_part(part) for part in letters]
    if not places or None in places:
        return ()
    if any(isinstance(place, Vowel) for place in places):
        # A diphthong has the places of its vowels and glides; an r that colours them has none of its own.
        of_vowels = [part for part in letters if part.letter not in "ɹɻ"]
        places = [_place_part(Part(_GLIDES.get(part.letter, part.letter), part.marks)) for part in of_vowels]
        vowels = tuple(place for place in places if isinstance(place, Vowel))
        return vowels if len(vowels) == len(places) else ()
    # A superscript letter is the first of two that are joined.
    place = _join_places([place for place in map(_place_part, parts) if isinstance(place, Consonant)])
    # A stop with lateral release has an affricate's features, and is one.
    released = MANNERS[place.manner] in {"plosive", "implosive"} and LATERAL in parts[-1].modifiers
    return Consonant(MANNERS.index("lateral affricate"), place.place, place.voiced) if released else place


def _place_part(part: Part) -> Consonant | Vowel | None:
    # A superscript letter before a phone (ⁿd) stands where its full letter does.
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


def _join_places(places: Sequence[Consonant]) -> Consonant:
    # A click's accompaniment (ŋ͡ǃ, ɡ͡ǃ) gives it voice, and no place: the chart has a row of clicks by the front
    # closure.
    for place in places:
        if "click" in MANNERS[place.manner]:
            return Consonant(place.manner, place.place, any(other.voiced for other in places))
    last = places[-1]
    glottal = (PLACES.index("glottal"),)
    # ʔ beside another stop is glottalisation, and a nasal before an obstruent is homorganic with it.
    others = [place for place in places if place.place != glottal or MANNERS[place.manner] != "plosive"]
    others = [place for place in others if MANNERS[place.manner] != "nasal" or last.manner == place.manner] or [last]
    first, last = others[0], others[-1]
    # A stop and what it opens into are an affricate at the place of the latter.
    if MANNERS[first.manner] == "plosive" != MANNERS[last.manner] and MANNERS[last.manner] != "nasal":
        kind = "lateral affricate" if "lateral" in MANNERS[last.manner] else "affricate"
        return Consonant(MANNERS.index(kind), last.place, last.voiced)
    if first.manner == last.manner and first.place != last.place:  # a double articulation: k͡p, ŋ͡m
        return Consonant(last.manner, tuple(sorted({*first.place, *last.place})), last.voiced)
    return last


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class NaturalClasses(ReadableValue):
    """Classes of phones, and which phones belong to each.

    Parameters
    ----------
    phones : tuple of str
        P phones.
    names : tuple of str
        C classes: the default ones, `other`, then the user's.
    default : int
        How many of them are default classes, `other` included; these partition the phones. 0 when the feature table
        lacks the features that they ask for.
    members : bool array [C, P]
        Which phones belong.
    """

    phones: tuple[str, ...]
    names: tuple[str, ...]
    default: int
    members: Bools

    def __post_init__(self) -> None:
        object.__setattr__(self, "members", read_only(self.members, np.bool_))

    def _facts(self) -> Iterator[str]:
        yield format_count(len(self.phones), "phone")
        yield f"{format_count(len(self.names), 'class', 'classes')}: {list_phones(self.names, len(self.names))}"

    def to_frame(self, *, wide: bool = False) -> "pd.DataFrame":
        """Return class, phone, belongs: a row for each phone of a class; with `wide`, all, classes down."""
        names = "class", "phone", "belongs"
        return cells(self.members, (self.names, self.phones), names, wide=wide, kept=self.members)

    def of(self, phones: Iterable[str]) -> Bools:
        """Return the members among phones in another order, bool [C, P']; DataError for phones that are not known."""
        listed, known = list(phones), Inventory(self.phones)
        if missing := [phone for phone in listed if phone not in known]:
            remedy = "make them with px.symbols.natural_classes of all phones"
            raise DataError(f"the classes lack phones ({len(missing)}: {quote(' '.join(missing))}); {remedy}")
        return self.members[:, list(map(known.code, listed))]

    @property
    def differ(self) -> bool:
        """Whether any phone is in a default class other than `other`."""
        return bool(self.members[: max(self.default - 1, 0)].any())

    def default_of(self, phone: str) -> str:
        """Return the default class of one of the phones, `other` where there are no default classes."""
        row = self.members[: self.default, Inventory(self.phones).code(phone)]
        return self.names[int(np.argmax(row))] if row.any() else OTHER_CLASS


@check_arguments
def natural_classes(
    phones: Iterable[str], table: FeatureTable, classes: Mapping[str, str] | None = None
) -> NaturalClasses:
    """Return which phones belong to which class.

    Parameters
    ----------
    phones : list of str
        The phones.
    table : FeatureTable
        Their features.
    classes : mapping of str to str, optional
        Further classes: a query (see `Query`) by name. They may overlap, with each other and with the default ones.

    Raises
    ------
    ValueError
        If a query cannot be read, or asks for a feature that the table lacks.
        If a class has the name of a default class.

    Examples
    --------
    >>> from phonxling.load.resources import panphon_features
    >>> classes = natural_classes(["ã", "h", "ʔ", "d͡ʒ"], panphon_features(), {"nasal vowels": "+syl +nas"})
    >>> {name: "".join(np.array(classes.phones)[row]) for name, row in zip(classes.names, classes.members) if row.any()}
    {'vowels': 'ã', 'stops': 'ʔ', 'affricates': 'd͡ʒ', 'fricatives': 'h', 'nasal vowels': 'ã'}
    """
    listed, own = Inventory(tuple(phones)).phones, {name: Query(text) for name, text in (classes or {}).items()}
    for name, query in own.items():
        if name in RESERVED_CLASSES:
            raise ValueError(f"'{name}' is the name of a default class; choose another")
        if missing := [feature for feature in query.features if feature not in table.features]:
            raise ValueError(f"'{name}' asks for {', '.join(missing)}, which the feature table {table.name} lacks")
    defaults = _partition(listed, table)
    rows = [*defaults.values(), *(query.members(listed, table) for query in own.values())]
    return NaturalClasses(
        phones=listed,
        names=(*defaults, *own),
        default=len(defaults),
        members=np.array(rows, dtype=bool).reshape(len(rows), len(listed)),
    )


def _partition(phones: tuple[str, ...], table: FeatureTable) -> dict[str, Bools]:
    queries = {name: Query(text) for name, text in DEFAULT_CLASSES.items()}
    if any({*query.features} - {*table.features} for query in queries.values()):
        return {}  # of a user's own features
    # The first class that holds a phone has it, so that the default classes partition phones and their shares add up to
    # 1. Clicks, nasal ones too, are one class; prenasalised stops are stops; nasalised approximants, laterals and taps
    # (w̃, l̃, ɾ̃) are what they are without nasality; a syllabic ɹ and a rhotic vowel (ə˞) have a vowel's features. Tone
    # letters, and phones without features, are in `other`.
    members, left = {}, np.ones(len(phones), dtype=bool)
    for name, query in queries.items():
        members[name] = np.array(query.members(phones, table), dtype=bool) & left
        left &= ~members[name]
    return {name: members[name] for name in CHART if name in members} | {OTHER_CLASS: left}

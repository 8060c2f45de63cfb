"""Feature queries: natural classes as words such as "+syl +nas", of which "|" joins alternatives.

Phonological features of segments.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from phonxling.core.arrays import Codes, read_only
from phonxling.core.display import Shown, cells, counted, listed
from phonxling.core.inventory import GAP, chart_place
from phonxling.core.spelling import (
    Composition,
    Vector,
    agreement,
    canonical,
    ordered,
    pairs_of,
    pitch_levels,
    split_tone,
    values_of,
)

if TYPE_CHECKING:
    from phonxling.core.display import DataFrame

_WORD = re.compile(r"[+0-][^\s+|-][^\s|]*")


@dataclass(frozen=True, slots=True)
class Query:
    """A class of phones by their features: a phone belongs when it has all values of one alternative at least."""

    text: str

    def __post_init__(self) -> None:
        for part in self.text.split("|"):
            words = part.split()
            if not words:
                raise ValueError(f"'{self.text}' asks for no feature; a class is written '+syl +nas'")
            if wrong := [word for word in words if not _WORD.fullmatch(word)]:
                raise ValueError(
                    f"'{wrong[0]}' is no feature with its sign (+, - or 0); a class is written '+syl +nas'"
                )
            names = [word[1:] for word in words]
            if twice := [name for name in names if names.count(name) > 1]:
                raise ValueError(f"'{part.strip()}' names the feature {twice[0]} twice")

    @property
    def alternatives(self) -> list[str]:
        return [part.strip() for part in self.text.split("|")]

    @property
    def features(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(name for part in self.alternatives for name in values_of(part)))

    def members(self, phones: Iterable[str], table: "FeatureTable") -> list[bool]:
        """Return for each phone whether it belongs; one without features belongs to no class."""
        return [any(table.matches(phone, part) for part in self.alternatives) for phone in phones]


# The manners of the IPA chart (2020): a phone is in the first that holds it. PanPhon has ʔ, h and ɦ as sonorants; the
# chart, and these, have a plosive and two fricatives.
DEFAULT_CLASSES = {
    "vowels": "+syl -cons",
    "syllabic consonants": "+syl +cons",
    "clicks": "-syl +velaric",
    "affricates": "-syl -son -cont +delrel",
    "stops": "-syl -son -cont | -syl +son -cont -nas",
    "fricatives": "-syl -son +cont | -syl +son +cons +cont -delrel -cor -lab -lat",
    "nasals": "-syl +son +nas -cont",
    "trills and taps": "-syl +son +cons -lat",
    "laterals": "-syl +son +lat",
    "approximants": "-syl +son -cons",
}
OTHER = "other"  # what none of them holds


# What panphon's features are called where there is room for a word.
_WORDS = """
    syl syllabic  son sonorant  cons consonantal  cont continuant  delrel delayed_release  lat lateral  nas nasal
    strid strident  voi voiced  sg spread_glottis  cg constricted_glottis  ant anterior  cor coronal  distr distributed
    lab labial  hi high  lo low  hitone high_tone  hireg high_register
"""
_NAMES = pairs_of(_WORDS)


def feature_name(feature: str) -> str:
    """Return the word for a feature; one that panphon does not abbreviate, or does not have, is its own word."""
    return _NAMES.get(feature, feature).replace("_", " ")


Origin = Literal["table", "composed", "none"]
TONE_FEATURES = ("hitone", "hireg")


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class FeatureTable(Shown):
    """A feature system: vectors of +1, 0 and −1 for segments.

    Parameters
    ----------
    name : str
        Its name and version, for the manifest.
    digest : str
        A hash of the table's content, for the signature.
    features : tuple of str
        F feature names.
    segments : tuple of str
        S segments as the table spells them, but in Unicode NFC; they are looked up in any form and order of marks.
    values : int8 array [S, F]
        +1, 0 (unspecified) or −1.
    weights : mapping of str to float
        Weights by feature name; a feature without one is missing here.
    """

    name: str
    digest: str
    features: tuple[str, ...]
    segments: tuple[str, ...]
    values: NDArray[np.int8]
    weights: dict[str, float]
    _rows: dict[str, int] = field(init=False, repr=False)
    _vectors: dict[str, tuple[Vector | None, Origin]] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "segments", tuple(unicodedata.normalize("NFC", each) for each in self.segments))
        object.__setattr__(self, "values", read_only(self.values, np.int8))
        object.__setattr__(self, "_rows", {canonical(segment): row for row, segment in enumerate(self.segments)})

    def _facts(self) -> Iterator[str]:
        yield self.name
        yield counted(len(self.segments), "segment")
        yield f"{counted(len(self.features), 'feature')}: {listed(self.features, len(self.features))}"

    def to_frame(self, *, wide: bool = False) -> "DataFrame":
        """Return segment, feature, value: +1, 0 or −1; with `wide`, segments down."""
        return cells(self.values, (self.segments, self.features), ("segment", "feature", "value"), wide=wide)

    def spelling(self, symbol: str) -> str | None:
        """Return how the table spells a symbol (NFC), whatever its form and order of marks; None when it has no row."""
        row = self._row(symbol)
        return None if row is None else self.segments[row]

    def vector(self, phone: str) -> tuple[Vector | None, Origin]:
        """Return a phone's features, int8 [F], and whence they come; (None, "none") when no rule gives any.

        `table`: the phone has a row. `composed`: its features follow from those of its parts by the rules of
        `composition`; a phone with tone attached has its segment's values and those of its tone letters.

        Examples
        --------
        >>> names = ("syl", "cons", "hi", "lo")
        >>> table = FeatureTable(name="toy", digest="", features=names, segments=("a", "ɪ"),
        ...                      values=[[1, -1, -1, 1], [1, -1, 1, -1]], weights={})
        >>> table.vector("aɪ")[0].tolist(), table.vector("aɪ")[1]
        ([1, -1, 0, 0], 'composed')
        """
        if phone not in self._vectors:
            self._vectors[phone] = self._new_vector(phone)
        return self._vectors[phone]

    def vectors(self, phones: Iterable[str]) -> tuple[Vector, NDArray[np.bool_]]:
        """Return the vectors of phones, int8 [P, F], and which have one, bool [P]; a row without one is 0."""
        vectors = [self.vector(phone)[0] for phone in phones]
        blank = np.zeros(len(self.features), dtype=np.int8)
        rows = np.array([blank if vector is None else vector for vector in vectors], dtype=np.int8)
        known = np.array([vector is not None for vector in vectors], dtype=bool)
        return rows.reshape(len(vectors), len(self.features)), known

    def matches(self, phone: str, values: str) -> bool:
        """Return whether a phone has values such as "+son -nas"; False without features, or when the table lacks them.

        Examples
        --------
        >>> table = FeatureTable(name="toy", digest="", features=("syl", "hi"), segments=("a",), values=[[1, -1]],
        ...                      weights={})
        >>> table.matches("a", "+syl"), table.matches("a", "+syl +hi"), table.matches("a", "-nas")
        (True, False, False)
        """
        wanted = values_of(values)
        vector = self.vector(phone)[0] if phone != GAP and set(wanted) <= set(self.features) else None
        return vector is not None and all(vector[self.features.index(name)] == wanted[name] for name in wanted)

    def is_vowel(self, phone: str) -> bool:
        """Return whether a phone is syllabic and not consonantal; False for a phone without features."""
        return self.matches(phone, "+syl -cons")

    def vowels(self, phone: str) -> tuple[str, ...]:
        """Return the vowels (or glides) of a diphthong without tone, each by itself; empty for anything else.

        Examples
        --------
        >>> table = FeatureTable(name="toy", digest="", features=("syl", "cons"), segments=("a", "ɪ", "t"),
        ...                      values=[[1, -1], [1, -1], [-1, 1]], weights={})
        >>> table.vowels("aɪ̯"), table.vowels("t")
        (('a', 'ɪ'), ())
        """
        return self._composition.vowels(phone)

    @cached_property
    def _composition(self) -> Composition:
        return Composition(self.features, self._values_of)

    def _new_vector(self, phone: str) -> tuple[Vector | None, Origin]:
        row = self._row(phone)
        if row is not None:
            return self.values[row], "table"
        segment, tone = split_tone(phone)
        composed = self._with_tone(segment, tone) if tone else self._composition.vector(segment)
        if composed is None:
            return None, "none"
        composed.flags.writeable = False
        return composed, "composed"

    @cached_property
    def _reordered(self) -> dict[str, int]:
        """Rows by the spelling in which modifier letters have one order; of rows that fall together so, the first."""
        forms = {row: ordered(form) for form, row in reversed(self._rows.items())}
        return {form: row for row, form in forms.items()}

    def _row(self, symbol: str) -> int | None:
        row = self._rows.get(canonical(symbol))
        return row if row is not None else self._reordered.get(ordered(symbol))

    def _values_of(self, spelt: str) -> Vector | None:
        row = self._reordered.get(spelt)
        return None if row is None else self.values[row]

    def _with_tone(self, segment: str, tone: str) -> Vector | None:
        base = self.vector(segment)[0] if segment else None
        levels = [self._rows[level] for level in pitch_levels(tone) if level in self._rows]
        if base is None or not levels or not set(TONE_FEATURES) <= set(self.features):
            return base
        pitch, vector = agreement([self.values[row] for row in levels]), base.copy()
        for feature in TONE_FEATURES:
            position = self.features.index(feature)
            vector[position] = pitch[position]
        return vector


def chart_steps(phones: Iterable[str], others: Iterable[str]) -> Codes:
    """Return how far phones stand from others on the chart, by their first letters, int64 [N, M]: e is 0 from eɪ."""
    places = [np.array([*map(chart_place, side)], np.int64) for side in (phones, others)]
    return np.abs(np.subtract.outer(*places))

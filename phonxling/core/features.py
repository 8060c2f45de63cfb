"""Phonological features of segments, and vectors by rule for phones that are built from known ones."""

import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from phonxling.core.arrays import read_only
from phonxling.core.inventory import GAP
from phonxling.core.tone import pitch_levels, split_tone

Origin = Literal["table", "composed", "none"]
Vector = NDArray[np.int8]
TIE = "\u0361"
UNRELEASED = "\u031a"
TONE_FEATURES = ("hitone", "hireg")


def canonical(symbol: str) -> str:
    """Return the form used for look-up: NFD, the marks of each letter in code-point order, the tie bar last.

    Two spellings of a phone that differ in Unicode form or in the order of their marks have one canonical form.

    Examples
    --------
    >>> canonical("ɛ̃́") == canonical("ɛ̃́")
    True
    """
    letters: list[str] = []
    marks: list[str] = []
    for letter in unicodedata.normalize("NFD", symbol):
        if unicodedata.combining(letter):
            marks.append(letter)
        else:
            letters += [*sorted(marks, key=_mark_order), letter]
            marks = []
    return "".join([*letters, *sorted(marks, key=_mark_order)])


def _mark_order(mark: str) -> tuple[bool, str]:
    return mark == TIE, mark


@dataclass(frozen=True, eq=False, kw_only=True)
class FeatureTable:
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
        S segments as the table spells them.
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

    def __post_init__(self) -> None:
        object.__setattr__(self, "values", read_only(self.values, np.int8))
        object.__setattr__(self, "_rows", {canonical(segment): row for row, segment in enumerate(self.segments)})

    def spelling(self, symbol: str) -> str | None:
        """Return how the table spells a symbol (NFC), whatever its Unicode form; None when it has no row."""
        row = self._rows.get(canonical(symbol))
        return None if row is None else unicodedata.normalize("NFC", self.segments[row])

    def vector(self, phone: str) -> tuple[Vector | None, Origin]:
        """Return a phone's features, int8 [F], and whence they come; (None, "none") when no rule gives any.

        `table`: the phone has a row. `composed`: a diphthong has the values on which its parts agree and 0 where they
        differ (halfway between them, as cost sees it), and is syllabic; a phone with tone attached has its segment's
        values and those of its tone letters, by the same rule; an unreleased stop has the stop's.

        Examples
        --------
        >>> names = ("syl", "cons", "hi", "lo")
        >>> table = FeatureTable(name="toy", digest="", features=names, segments=("a", "ɪ"),
        ...                      values=[[1, -1, -1, 1], [1, -1, 1, -1]], weights={})
        >>> table.vector("aɪ")[0].tolist(), table.vector("aɪ")[1]
        ([1, -1, 0, 0], 'composed')
        """
        row = self._rows.get(canonical(phone))
        if row is not None:
            return self.values[row], "table"
        segment, tone = split_tone(phone.replace(UNRELEASED, ""))
        composed = self._segment(segment) if not tone else self._with_tone(segment, tone)
        return composed, "none" if composed is None else "composed"

    def vectors(self, phones: Iterable[str]) -> tuple[Vector, NDArray[np.bool_]]:
        """Return the vectors of phones, int8 [P, F], and which have one, bool [P]; a row without one is 0."""
        found = [self.vector(phone)[0] for phone in phones]
        blank = np.zeros(len(self.features), dtype=np.int8)
        rows = np.array([blank if vector is None else vector for vector in found], dtype=np.int8)
        known = np.array([vector is not None for vector in found], dtype=bool)
        return rows.reshape(len(found), len(self.features)), known

    def is_vowel(self, phone: str) -> bool:
        """Return whether a phone is syllabic and not consonantal; False for a phone without features."""
        vector = self.vector(phone)[0] if phone != GAP else None
        if vector is None or not {"syl", "cons"} <= set(self.features):
            return False
        return bool(vector[self.features.index("syl")] > 0 > vector[self.features.index("cons")])

    def parts(self, symbol: str) -> list[str]:
        """Return the table's segments that make up a symbol, by longest match; empty when something is left over."""
        rest, parts = canonical(symbol), []
        while rest:
            length = next((n for n in range(len(rest), 0, -1) if self._whole(rest, n)), 0)
            if not length:
                return []
            parts.append(rest[:length])
            rest = rest[length:]
        return parts

    def _whole(self, letters: str, length: int) -> bool:
        mark_follows = length < len(letters) and unicodedata.combining(letters[length]) > 0
        return not mark_follows and letters[:length] in self._rows

    def _segment(self, segment: str) -> Vector | None:
        row = self._rows.get(canonical(segment))
        return self._diphthong(segment) if row is None else self.values[row]

    def _diphthong(self, symbol: str) -> Vector | None:
        parts = self.parts(symbol)
        if not 2 <= len(parts) <= 3 or not all(self._vocalic(part) for part in parts):
            return None
        vector = _agreement([self.values[self._rows[part]] for part in parts])
        vector[self.features.index("syl")] = 1
        return vector

    def _vocalic(self, part: str) -> bool:
        return self.is_vowel(part) or ("\u032f" in part and self.is_vowel(part.replace("\u032f", "")))

    def _with_tone(self, segment: str, tone: str) -> Vector | None:
        base = self.vector(segment)[0] if segment else None
        levels = [self._rows[level] for level in pitch_levels(tone) if level in self._rows]
        if base is None or not levels:
            return base
        pitch, vector = _agreement([self.values[row] for row in levels]), base.copy()
        for feature in TONE_FEATURES:
            position = self.features.index(feature)
            vector[position] = pitch[position]
        return vector


def _agreement(vectors: list[Vector]) -> Vector:
    first = vectors[0]
    return np.where(np.all([vector == first for vector in vectors], axis=0), first, 0).astype(np.int8)

"""Features of two joined parts of a phone, from those of the parts.

Names: f and s are the first and the second part. "Both" is the value on which f and s agree, and 0, halfway as cost
sees it, where they differ; "either" is the higher of the two values. A feature that a rule does not name has the value
of s. The rules of `Joining.pair` are tried in this order:

- click with anything that is no vowel: the click; voi, son, nas of the other; sg, cg of either; +delrel when the other
  is a continuant or an affricate;
- glottal stop with a consonant: the consonant; +cg;
- prenasalised (nasal, obstruent): s; +nas;
- prestopped (stop, nasal): both;
- affricate (stop, continuant consonant): s; -cont +delrel -son -syl; lab, cor, hi, lo, back, sg, cg of either; voi of
  both; distr of f where s has 0;
- double articulation (consonants that agree in son, cont and nas): both; lab, cor, hi, lo, back, sg, cg of either;
  distr of s where f has 0.

Of the 30 affricates and double articulations without further marks that PanPhon 0.22.2 lists, 19 get the values of
their row from these rules. Of the others, 8 have 0 in hi and lo (and back) where their fricative has -1, c͡ç and ɟ͡ʝ are
coronal though ç and ʝ are not, and d̪͡ɮ̪ is -distr though dental. The table's own row is used for all of them.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import reduce

import numpy as np
from numpy.typing import NDArray

from phonxling.core.phonology.marks import MARKS, values_of
from phonxling.core.phonology.spelling import sort_marks

Vector = NDArray[np.int8]
_OF_EITHER = ("lab", "cor", "hi", "lo", "back", "sg", "cg")
_NAMED = frozenset({"syl", "son", "cons", "cont", "delrel", "nas", "velaric", "voi", "distr", *_OF_EITHER})


@dataclass(frozen=True, slots=True)
class Joining:
    """The rules over one feature system, whose names these are; a rule that speaks of others does not apply."""

    features: tuple[str, ...]

    def pair(self, first: Vector, second: Vector) -> Vector | None:
        """Return the features of two tied parts, int8 [F]; None when no rule joins them."""
        if not self.has(_NAMED) or self.is_(first, "+syl") or self.is_(second, "+syl"):
            return None
        if self.is_click(first) or self.is_click(second):
            return self._click(*((first, second) if self.is_click(first) else (second, first)))
        for glottal, other in ((first, second), (second, first)):
            if self.is_(glottal, "-cons -cont"):
                return self.set(other, "+cg")
        if self.is_(first, "+son +nas") and self.is_(second, "-son"):
            return self.set(second, "+nas")
        if self.is_(first, "-son -cont") and self.is_(second, "+son +nas"):
            return agreement([first, second])
        if self.is_(first, "-son -cont -delrel") and self.is_(second, "+cont"):
            return self._affricate(first, second) if self.is_(second, "+cons") or self.is_(second, "+cor") else None
        return self._double(first, second) if self._same(first, second, ("son", "cont", "nas")) else None

    def after_superscript(self, first: Vector, second: Vector) -> Vector | None:
        """Return the features of a phone after a superscript one: as a pair; a stop before any sonorant is both."""
        if self.has(_NAMED) and self.is_(first, "-son -cont -velaric") and self.is_(second, "-syl +son"):
            return agreement([first, second])
        return self.pair(first, second)

    def diphthong(self, vowels: Iterable[Vector]) -> Vector:
        """Return the features of vowels in a row: those on which all agree, 0 for the others; +syl."""
        return self.set(agreement(vowels), "+syl")

    def marked(self, vector: Vector, marks: Iterable[str]) -> Vector | None:
        """Return a vector with the rules of marks applied; None when a mark has no rule in this system."""
        for mark in sort_marks(marks):
            rule = MARKS.get(mark)
            if rule is None or not self.has(rule.features):
                return None
            if all(vector[self._at(name)] == value for name, value in rule.needs.items()):
                vector = self._with(vector, rule.sets)
        return vector

    def set(self, vector: Vector, words: str) -> Vector:
        """Return a vector with the values that words such as "+hi -back" give."""
        return self._with(vector, values_of(words))

    def is_(self, vector: Vector, words: str) -> bool:
        """Return whether a vector has these values."""
        return all(vector[self._at(name)] == value for name, value in values_of(words).items())

    def is_click(self, vector: Vector) -> bool:
        """Return whether a vector is a click's."""
        return self.has(("velaric",)) and self.is_(vector, "+velaric")

    def has(self, names: Iterable[str]) -> bool:
        """Return whether the system has all these features."""
        return set(names) <= set(self.features)

    def _click(self, click: Vector, other: Vector) -> Vector:
        affricated = self.is_(other, "+cont") or self.is_(other, "+delrel")
        vector = self.set(click, "+delrel" if affricated else "-delrel")
        vector = self._taking(vector, other, ("voi", "son", "nas"))
        return self._taking(vector, np.maximum(click, other), ("sg", "cg"))

    def _affricate(self, stop: Vector, release: Vector) -> Vector:
        vector = self.set(release, "-cont +delrel -son -syl")
        vector = self._taking(vector, np.maximum(stop, release), _OF_EITHER)
        vector = self._taking(vector, agreement([stop, release]), ("voi",))
        return self._taking(vector, np.where(release == 0, stop, release), ("distr",))

    def _double(self, first: Vector, second: Vector) -> Vector:
        vector = self._taking(agreement([first, second]), np.maximum(first, second), _OF_EITHER)
        return self._taking(vector, np.where(first == 0, second, first), ("distr",))

    def _taking(self, vector: Vector, values: Vector, names: Iterable[str]) -> Vector:
        return self._with(vector, {name: int(values[self._at(name)]) for name in names})

    def _with(self, vector: Vector, values: Mapping[str, int]) -> Vector:
        changed = vector.copy()
        for name, value in values.items():
            changed[self._at(name)] = value
        return changed

    def _same(self, first: Vector, second: Vector, names: Iterable[str]) -> bool:
        return all(first[self._at(name)] == second[self._at(name)] for name in names)

    def _at(self, name: str) -> int:
        return self.features.index(name)


def agreement(vectors: Iterable[Vector]) -> Vector:
    """Return the values on which vectors agree, and 0 where they differ."""
    return reduce(lambda first, second: np.where(first == second, first, 0).astype(np.int8), vectors)

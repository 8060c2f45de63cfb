"""How the letters and marks of one phone are ordered, how they fall into its parts, and its features by theirs.

A phone that a table lacks is a letter with marks, or two or three parts; a superscript letter counts as a part tied to
its neighbour (kˣ is k͡x, ⁿd is n͡d). The rules, in the order in which they are tried:

1. the phone with fewer of its last letter's marks, which is known; then the marks' own rules (`tone.MARKS`);
2. a letter that the table lacks: the phone that it is like (`tone.LETTERS`);
3. two or three vowels, or vowels tied to glides: a diphthong;
4. other parts under a tie bar, and clicks with what follows or precedes them: as two joined parts, see below;
5. where none of these applies to a syllabic consonant (ŋ͡m̩): the phone without that mark, and +syl.

Two joined parts are f and s. "Both" is the value on which f and s agree, and 0, halfway as cost sees it, where they
differ; "either" is the higher of the two values. A feature that a rule does not name has the value of s. In this order:

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

import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache, reduce
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from phonxling.core.tone import LETTERS, MARKS, ORDER, TONE_LETTERS, values_of

TIE = "\u0361"
NON_SYLLABIC = "\u032f"
SYLLABIC = "\u0329"
# Letters with at most one combining mark each, before any modifier letters: nothing to put in order.
_IN_ORDER = re.compile("(?:[^\u02b0-\u036f\u1ab0-\u1dff\u2070-\u20ff][\u0300-\u036f]?[\u02b0-\u02ff]*)*")


@dataclass(frozen=True, slots=True)
class Part:
    """One letter of a phone with what belongs to it; a modifier letter before all others is a part of its own."""

    letter: str
    marks: str = ""
    modifiers: str = ""
    tie: str = ""

    def __str__(self) -> str:
        return self.letter + self.marks + self.modifiers + self.tie


def parse(symbol: str) -> list[Part]:
    """Return the parts of a symbol."""
    groups: list[list[str]] = []  # letter, marks, modifiers, tie bars
    for letter in unicodedata.normalize("NFD", symbol):
        last = groups[-1] if groups else None
        if unicodedata.combining(letter):
            last = last or ["", "", "", ""]
            last[3 if letter == TIE and last[0] else 1] += letter
            groups = groups or [last]
        elif last and last[0] and not last[3] and is_modifier(letter):
            last[2] += letter
        else:
            groups.append([letter, "", "", ""])
    return [Part(letter, "".join(sorted(marks)), modifiers, tie) for letter, marks, modifiers, tie in groups]


def joined(parts: Iterable[Part]) -> str:
    """Return parts as a string: each letter, its combining marks, its modifier letters, the tie bar."""
    return "".join(map(str, parts))


def canonical(symbol: str) -> str:
    """Return the form used for look-up: NFD, the marks of each letter in code-point order, the tie bar last."""
    letters = unicodedata.normalize("NFD", symbol)
    return letters if _IN_ORDER.fullmatch(letters) else joined(parse(letters))


@lru_cache(maxsize=1024)
def ordered(symbol: str) -> str:
    """Return the canonical form with each letter's modifier letters in one order too: kʰʷ and kʷʰ are one."""
    form = canonical(symbol)
    if sum(map(is_modifier, form)) < 2:
        return form
    return joined(replace(part, modifiers=_sorted(part.modifiers)) for part in parse(form))


def _sorted(marks: Iterable[str]) -> str:
    """Return marks in the order in which their rules are applied."""
    return "".join(sorted(marks, key=lambda mark: (ORDER.get(mark, len(ORDER)), mark)))


def placed_tie(symbol: str) -> str:
    """Return the canonical form with a tie bar that stands after the last letter (kp͡) moved before it (k͡p)."""
    parts = parse(symbol)
    if len(parts) < 2 or not parts[-1].tie or parts[-2].tie or not parts[-1].letter.isalpha():
        return joined(parts)
    return joined([*parts[:-2], replace(parts[-2], tie=parts[-1].tie), replace(parts[-1], tie="")])


def is_modifier(letter: str) -> bool:
    """Return whether a letter modifies its neighbour without standing above or below it (ʰ ʷ ː ˞); no tone letter."""
    return letter > "\x7f" and letter not in TONE_LETTERS and unicodedata.category(letter) in {"Lm", "Sk"}


def full_letter(modifier: str) -> str:
    """Return the letter that a superscript one is the small form of (ᵐ → m); "" when there is none."""
    kind, _, code = unicodedata.decomposition(modifier).partition(" ")
    return chr(int(code, 16)) if kind == "<super>" else ""


Vector = NDArray[np.int8]
_OF_EITHER = ("lab", "cor", "hi", "lo", "back", "sg", "cg")
_NAMED = frozenset({"syl", "son", "cons", "cont", "delrel", "nas", "velaric", "voi", "distr", *_OF_EITHER})


def agreement(vectors: Iterable[Vector]) -> Vector:
    """Return the values on which vectors agree, and 0 where they differ."""
    return reduce(lambda first, second: np.where(first == second, first, 0).astype(np.int8), vectors)


MOST_PARTS = 8  # of a phone; longer symbols are words that nobody cut
MOST_MARKS = 8  # on one letter: more make no phone, and the ways to leave some out double with each
_ALSO_BEFORE = "ʰʱˀʷʲˠˤ"  # modifiers that mean the same before a letter as after it


@dataclass(frozen=True, slots=True)
class Composition:
    """The rules over one table: its features, and a function that gives the row of a symbol as `ordered` spells it."""

    features: tuple[str, ...]
    row: Callable[[str], Vector | None]

    def vector(self, symbol: str) -> Vector | None:
        """Return the features of a symbol without tone, int8 [F]; None when no rule gives any."""
        parts = _parts(symbol)
        whole = 0 < len(parts) <= MOST_PARTS and not parts[-1].tie
        if not whole or not all(part.letter and len(part.tie) < 2 for part in parts):
            return None
        known, last = self._whole(parts), parts[-1]
        if known is not None or SYLLABIC not in last.marks:
            return known
        bare = self._whole([*parts[:-1], replace(last, marks=last.marks.replace(SYLLABIC, ""))])
        return self._marked(bare, SYLLABIC)

    def vowels(self, symbol: str) -> tuple[str, ...]:
        """Return the vowels (or glides) that a diphthong is made of, each by itself; empty for anything else."""
        parts = _parts(symbol)
        if len(parts) > MOST_PARTS or self._vocalic(parts) is None:
            return ()
        bare = (replace(part, marks=part.marks.replace(NON_SYLLABIC, ""), tie="") for part in parts)
        return tuple(ordered(str(part)) for part in bare)

    def _whole(self, parts: list[Part]) -> Vector | None:
        first, rest = parts[0], parts[1:]
        if not is_modifier(first.letter):
            return self._joined(parts)
        base = self._joined(rest) if rest else None
        if base is None or first.modifiers:
            return None
        if first.letter in _ALSO_BEFORE:
            return self._marked(base, first.letter + first.marks)
        vector = self._part(replace(first, letter=full_letter(first.letter) or first.letter))
        if vector is None:
            return None
        if self._has(_NAMED) and self._is(vector, "-son -cont -velaric") and self._is(base, "-syl +son"):
            return agreement([vector, base])
        return self._pair(vector, base)

    def _joined(self, parts: list[Part]) -> Vector | None:
        known = self._part(parts[-1], joined(parts[:-1]))
        if known is not None or len(parts) == 1:
            return known
        marks, parts = parts[-1].modifiers, [*parts[:-1], replace(parts[-1], modifiers="")]
        if (vowels := self._vocalic(parts)) is not None:
            return self._marked(self._set(agreement(vowels), "+syl"), marks)
        first, rest = self._part(parts[0]), self._joined(parts[1:])
        if first is None or rest is None or not (parts[0].tie or self._is_click(first) or self._is_click(rest)):
            return None
        return self._marked(self._pair(first, rest), marks)

    def _part(self, part: Part, before: str = "") -> Vector | None:
        """Return the features of a part (after others, as they are spelt): known with as many marks as possible."""
        marks = part.marks + part.modifiers
        if len(marks) > MOST_MARKS:
            return None
        for size in range(len(marks) + 1):
            for left in combinations(range(len(marks)), size):
                kept = "".join(mark for place, mark in enumerate(marks) if place not in left)
                known = self.row(ordered(before + part.letter + kept))
                vector = self._marked(known, [marks[place] for place in left])
                if vector is not None:
                    return vector
        if before or part.letter not in LETTERS:
            return None
        like, sets = LETTERS[part.letter]
        known = self.row(like) if self._has(values_of(sets)) else None
        return None if known is None else self._marked(self._set(known, sets), marks)

    def _vocalic(self, parts: list[Part]) -> list[Vector] | None:
        """Return the features of the parts of a diphthong; None when they are none."""
        known = [vector for vector in map(self._part, parts) if vector is not None]
        if not 2 <= len(parts) <= 3 or len(known) < len(parts) or not self._has(("syl", "cons")):
            return None
        tied = all(part.tie for part in parts[:-1]) and self._has(("son", "cont", "cor"))
        for part, vector in zip(parts, known, strict=True):
            glide = NON_SYLLABIC in part.marks or (tied and self._is(vector, "+son +cont -cor"))
            if not self._is(vector, "-cons") or not (glide or self._is(vector, "+syl")):
                return None
        return known if any(self._is(vector, "+syl") for vector in known) else None

    def _pair(self, first: Vector, second: Vector) -> Vector | None:
        """Return the features of two tied parts, int8 [F]; None when no rule joins them."""
        if not self._has(_NAMED) or self._is(first, "+syl") or self._is(second, "+syl"):
            return None
        either = np.maximum(first, second)
        for click, other in ((first, second), (second, first)):
            if self._is_click(click):
                affricated = self._is(other, "+cont") or self._is(other, "+delrel")
                vector = self._set(click, "+delrel" if affricated else "-delrel")
                return self._taking(self._taking(vector, other, ("voi", "son", "nas")), either, ("sg", "cg"))
        for glottal, other in ((first, second), (second, first)):
            if self._is(glottal, "-cons -cont"):
                return self._set(other, "+cg")
        return self._consonants(first, second, either)

    def _consonants(self, first: Vector, second: Vector, either: Vector) -> Vector | None:
        both, at = agreement([first, second]), self.features.index
        if self._is(first, "+son +nas") and self._is(second, "-son"):
            return self._set(second, "+nas")
        if self._is(first, "-son -cont") and self._is(second, "+son +nas"):
            return both
        if self._is(first, "-son -cont -delrel") and self._is(second, "+cont"):
            if not self._is(second, "+cons") and not self._is(second, "+cor"):
                return None
            vector = self._taking(self._set(second, "-cont +delrel -son -syl"), either, _OF_EITHER)
            vector = self._taking(vector, both, ("voi",))
            return self._taking(vector, np.where(second == 0, first, second), ("distr",))
        if any(first[at(name)] != second[at(name)] for name in ("son", "cont", "nas")):
            return None
        return self._taking(self._taking(both, either, _OF_EITHER), np.where(first == 0, second, first), ("distr",))

    def _marked(self, vector: Vector | None, marks: Iterable[str]) -> Vector | None:
        """Return a vector with the rules of marks applied; None when a mark has no rule in this system."""
        for mark in _sorted(marks):
            rule = MARKS.get(mark)
            if vector is None or rule is None or not self._has({*rule.sets, *rule.needs}):
                return None
            if all(vector[self.features.index(name)] == value for name, value in rule.needs.items()):
                vector = self._with(vector, rule.sets)
        return vector

    def _with(self, vector: Vector, values: Mapping[str, int]) -> Vector:
        changed = vector.copy()
        for name, value in values.items():
            changed[self.features.index(name)] = value
        return changed

    def _set(self, vector: Vector, words: str) -> Vector:
        return self._with(vector, values_of(words))

    def _taking(self, vector: Vector, values: Vector, names: Iterable[str]) -> Vector:
        return self._with(vector, {name: int(values[self.features.index(name)]) for name in names})

    def _is(self, vector: Vector, words: str) -> bool:
        return all(vector[self.features.index(name)] == value for name, value in values_of(words).items())

    def _is_click(self, vector: Vector) -> bool:
        return self._has(("velaric",)) and self._is(vector, "+velaric")

    def _has(self, names: Iterable[str]) -> bool:
        return set(names) <= set(self.features)


def _parts(symbol: str) -> list[Part]:
    return [part for whole in parse(symbol) for part in _with_release(whole)]


def _with_release(part: Part) -> list[Part]:
    """Return a part, and a superscript letter after it that is no mark as a part tied to it (kˣ is k͡x)."""
    places = [place for place, mark in enumerate(part.modifiers) if mark not in MARKS and full_letter(mark)]
    if not places or is_modifier(part.letter):
        return [part]
    before, release, after = part.modifiers[: places[0]], part.modifiers[places[0]], part.modifiers[places[0] + 1 :]
    tied = Part(full_letter(release), "", after, part.tie)
    return [replace(part, modifiers=before, tie=TIE), *_with_release(tied)]

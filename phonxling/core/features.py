"""Phonological features of segments, of which a table has rows, and others have them by their parts."""

# A phone that a table lacks is a letter with marks, or two or three parts; a superscript letter counts as a part tied
# to its neighbour (kˣ is k͡x, ⁿd is n͡d). The rules, in the order in which they are tried:
#
# 1. the phone with fewer of its last letter's marks, which is known; then the marks' own rules (`spelling.MARKS`);
# 2. a letter that the table lacks: the phone that it is like (`spelling.LETTERS`);
# 3. two or three vowels, or vowels tied to glides: a diphthong;
# 4. other parts under a tie bar, and clicks with what follows or precedes them: as two joined parts, see `_pair`;
# 5. where none of these applies to a syllabic consonant (ŋ͡m̩): the phone without that mark, and +syl.
#
# Of the 30 affricates and double articulations without further marks that PanPhon 0.22.2 lists, 19 get the values of
# their row from these rules. Of the others, 8 have 0 in hi and lo (and back) where their fricative has -1, c͡ç and ɟ͡ʝ
# are coronal though ç and ʝ are not, and d̪͡ɮ̪ is -distr though dental. The table's own row is used for all of them.

import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, reduce
from itertools import combinations
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from phonxling.core import spelling
from phonxling.core.arrays import Codes, read_only
from phonxling.core.estimate import ReadableValue, cells, format_count, list_phones
from phonxling.core.inventory import GAP, chart_place

if TYPE_CHECKING:
    from phonxling.core.estimate import DataFrame

Vector = NDArray[np.int8]
_OF_EITHER = ("lab", "cor", "hi", "lo", "back", "sg", "cg")
_NAMED = frozenset({"syl", "son", "cons", "cont", "delrel", "nas", "velaric", "voi", "distr", *_OF_EITHER})


def agreement(vectors: Iterable[Vector]) -> Vector:
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
        parts = _split_phone(symbol)
        whole = 0 < len(parts) <= MOST_PARTS and not parts[-1].tie
        if not whole or not all(part.letter and len(part.tie) < 2 for part in parts):
            return None
        known, last = self._of_parts(parts), parts[-1]
        if known is not None or spelling.SYLLABIC not in last.marks:
            return known
        bare = self._of_parts([*parts[:-1], replace(last, marks=last.marks.replace(spelling.SYLLABIC, ""))])
        return self.marked(bare, spelling.SYLLABIC)

    def vowels(self, symbol: str) -> tuple[str, ...]:
        """Return the vowels (or glides) that a diphthong is made of, each by itself; empty for anything else."""
        parts = _split_phone(symbol)
        if len(parts) > MOST_PARTS or self._vocalic(parts) is None:
            return ()
        bare = (replace(part, marks=part.marks.replace(spelling.NON_SYLLABIC, ""), tie="") for part in parts)
        return tuple(spelling.order_marks(str(part)) for part in bare)

    def _of_parts(self, parts: list[spelling.Part]) -> Vector | None:
        first, rest = parts[0], parts[1:]
        if not spelling.is_modifier(first.letter):
            return self._joined(parts)
        base = self._joined(rest) if rest else None
        if base is None or first.modifiers:
            return None
        if first.letter in _ALSO_BEFORE:
            return self.marked(base, first.letter + first.marks)
        vector = self._part(replace(first, letter=spelling.full_letter(first.letter) or first.letter))
        if vector is None:
            return None
        if self._has(_NAMED) and self._is(vector, "-son -cont -velaric") and self._is(base, "-syl +son"):
            return agreement([vector, base])
        return self._pair(vector, base)

    def _joined(self, parts: list[spelling.Part]) -> Vector | None:
        known = self._part(parts[-1], spelling.join_parts(parts[:-1]))
        if known is not None or len(parts) == 1:
            return known
        marks, parts = parts[-1].modifiers, [*parts[:-1], replace(parts[-1], modifiers="")]
        if (vowels := self._vocalic(parts)) is not None:
            return self.marked(self._set(agreement(vowels), "+syl"), marks)
        first, rest = self._part(parts[0]), self._joined(parts[1:])
        if first is None or rest is None:
            return None
        joins = parts[0].tie or self._is(first, "+velaric") or self._is(rest, "+velaric")
        return self.marked(self._pair(first, rest), marks) if joins else None

    def _part(self, part: spelling.Part, before: str = "") -> Vector | None:
        """Return the features of a part (after others, as they are spelt): known with as many marks as possible."""
        marks = part.marks + part.modifiers
        if len(marks) > MOST_MARKS:
            return None
        # As few marks as possible are left to the rules: a row of the table knows more than they do.
        for size in range(len(marks) + 1):
            for left in combinations(range(len(marks)), size):
                kept = "".join(mark for place, mark in enumerate(marks) if place not in left)
                known = self.row(spelling.order_marks(before + part.letter + kept))
                vector = self.marked(known, [marks[place] for place in left])
                if vector is not None:
                    return vector
        if before or part.letter not in spelling.LETTERS:
            return None
        like, sets = spelling.LETTERS[part.letter]
        known = self.row(like) if self._has(spelling.values_of(sets)) else None
        return None if known is None else self.marked(self._set(known, sets), marks)

    def _vocalic(self, parts: list[spelling.Part]) -> list[Vector] | None:
        """Return the features of the parts of a diphthong; None when they are none."""
        # Most phones are of one part: looking it up would first put all rows' marks in order, a tenth of a second.
        if not 2 <= len(parts) <= 3 or not self._has(("syl", "cons")):
            return None
        known = [vector for vector in map(self._part, parts) if vector is not None]
        if len(known) < len(parts):
            return None
        # j and w are glides only under a tie bar: aj without one is no diphthong.
        tied = all(part.tie for part in parts[:-1]) and self._has(("son", "cont", "cor"))
        for part, vector in zip(parts, known, strict=True):
            glide = spelling.NON_SYLLABIC in part.marks or (tied and self._is(vector, "+son +cont -cor"))
            if not self._is(vector, "-cons") or not (glide or self._is(vector, "+syl")):
                return None
        return known if any(self._is(vector, "+syl") for vector in known) else None

    def _pair(self, first: Vector, second: Vector) -> Vector | None:
        """Return the features of two tied parts, int8 [F]; None when no rule joins them."""
        if not self._has(_NAMED) or self._is(first, "+syl") or self._is(second, "+syl"):
            return None
        # "Both" is the value on which the two agree, and 0, halfway as cost sees it, where they differ; "either" is the
        # higher of the two: a place that one part has is one of the whole. What no rule names is as in the second.
        both, either = agreement([first, second]), np.maximum(first, second)
        for click, other in ((first, second), (second, first)):
            if self._is(click, "+velaric"):
                affricated = self._is(other, "+cont") or self._is(other, "+delrel")
                vector = self._set(click, "+delrel" if affricated else "-delrel")
                return self._taking(self._taking(vector, other, ("voi", "son", "nas")), either, ("sg", "cg"))
        for glottal, other in ((first, second), (second, first)):
            if self._is(glottal, "-cons -cont"):  # a glottal stop with a consonant
                return self._set(other, "+cg")
        return self._consonants(first, second, both, either)

    def _consonants(self, first: Vector, second: Vector, both: Vector, either: Vector) -> Vector | None:
        if self._is(first, "+son +nas") and self._is(second, "-son"):  # prenasalised
            return self._set(second, "+nas")
        if self._is(first, "-son -cont") and self._is(second, "+son +nas"):  # prestopped
            return both
        if self._is(first, "-son -cont -delrel") and self._is(second, "+cont"):  # an affricate
            if not self._is(second, "+cons") and not self._is(second, "+cor"):
                return None
            vector = self._taking(self._set(second, "-cont +delrel -son -syl"), either, _OF_EITHER)
            vector = self._taking(vector, both, ("voi",))
            return self._taking(vector, np.where(second == 0, first, second), ("distr",))
        # Two gestures at once agree in these; parts that do not are no double articulation.
        places = [self.features.index(name) for name in ("son", "cont", "nas")]
        if (first[places] != second[places]).any():
            return None
        return self._taking(self._taking(both, either, _OF_EITHER), np.where(first == 0, second, first), ("distr",))

    def marked(self, vector: Vector | None, marks: Iterable[str]) -> Vector | None:
        """Return a vector with the rules of marks applied; None when a mark has no rule in this system."""
        for mark in spelling.sorted_marks(marks):
            rule = spelling.MARKS.get(mark)
            if vector is None or rule is None or not self._has({*rule.sets, *rule.needs}):
                return None
            if self.agrees(vector, rule.needs):
                vector = self._with(vector, rule.sets)
        return vector

    def _with(self, vector: Vector, values: Mapping[str, int]) -> Vector:
        changed = vector.copy()
        changed[[self.features.index(name) for name in values]] = [*values.values()]
        return changed

    def _set(self, vector: Vector, words: str) -> Vector:
        return self._with(vector, spelling.values_of(words))

    def _taking(self, vector: Vector, values: Vector, names: Iterable[str]) -> Vector:
        return self._with(vector, {name: int(values[self.features.index(name)]) for name in names})

    def agrees(self, vector: Vector, values: Mapping[str, int]) -> bool:
        """Return whether a vector has these values; False when the table lacks a feature."""
        own = self.features
        return all(name in own and vector[own.index(name)] == value for name, value in values.items())

    def _is(self, vector: Vector, words: str) -> bool:
        return self.agrees(vector, spelling.values_of(words))

    def _has(self, names: Iterable[str]) -> bool:
        return set(names) <= set(self.features)


def _split_phone(symbol: str) -> list[spelling.Part]:
    return [part for spelt in spelling.parse(symbol) for part in _split_release(spelt)]


def _split_release(part: spelling.Part) -> list[spelling.Part]:
    """Return a part, and those that its superscript letters are, each tied to the one before."""
    places = [place for place, mark in enumerate(part.modifiers) if spelling.full_letter(mark)]
    places = [place for place in places if part.modifiers[place] not in spelling.MARKS]
    if not places or spelling.is_modifier(part.letter):
        return [part]
    before, release, after = part.modifiers[: places[0]], part.modifiers[places[0]], part.modifiers[places[0] + 1 :]
    tied = spelling.Part(spelling.full_letter(release), "", after, part.tie)
    return [replace(part, modifiers=before, tie=spelling.TIE), *_split_release(tied)]


Origin = Literal["table", "composed", "none"]
TONE_FEATURES = ("hitone", "hireg")


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class FeatureTable(ReadableValue):
    """A feature system: vectors of +1, 0 and −1 for segments."""

    name: str  # with its version, for the manifest
    digest: str  # a hash of the table's content, for the signature
    features: tuple[str, ...]  # F names
    segments: tuple[str, ...]  # S, as the table spells them, but in NFC; looked up in any form and order of marks
    values: NDArray[np.int8]  # [S, F]: +1, 0 (unspecified) or −1
    weights: dict[str, float]  # by feature name; a feature without one is missing here
    _rows: dict[str, int] = field(init=False, repr=False)
    _vectors: dict[str, tuple[Vector | None, Origin]] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "segments", tuple(unicodedata.normalize("NFC", each) for each in self.segments))
        object.__setattr__(self, "values", read_only(self.values, np.int8))
        rows = {spelling.canonical_form(segment): row for row, segment in enumerate(self.segments)}
        object.__setattr__(self, "_rows", rows)

    def _facts(self) -> Iterator[str]:
        yield self.name
        yield format_count(len(self.segments), "segment")
        yield f"{format_count(len(self.features), 'feature')}: {list_phones(self.features, len(self.features))}"

    def to_frame(self, *, wide: bool = False) -> "DataFrame":
        """Return segment, feature, value: +1, 0 or −1; with `wide`, segments down."""
        return cells(self.values, (self.segments, self.features), ("segment", "feature", "value"), wide=wide)

    @cached_property
    def longest(self) -> int:
        return max(map(len, self._rows), default=0)

    def spelling(self, symbol: str) -> str | None:
        """Return how the table spells a symbol (NFC), whatever its form and order of marks; None when it has no row."""
        row = self._row(symbol)
        return None if row is None else self.segments[row]

    def vector(self, phone: str) -> tuple[Vector | None, Origin]:
        """Return a phone's features, int8 [F], and whence they come; (None, "none") when no rule gives any.

        `table`: the phone has a row. `composed`: its features follow from those of its parts (see above); a phone with
        tone attached has its segment's values and those of its tone letters.
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
        """Return whether a phone has values such as "+son -nas"; False when it, or the table, has none of these."""
        vector = self.vector(phone)[0] if phone != GAP else None
        return vector is not None and self._composition.agrees(vector, spelling.values_of(values))

    def is_vowel(self, phone: str) -> bool:
        """Return whether a phone is syllabic and not consonantal; False for a phone without features."""
        return self.matches(phone, "+syl -cons")

    def vowels(self, phone: str) -> tuple[str, ...]:
        """Return the vowels (or glides) of a diphthong without tone, each by itself; empty for anything else."""
        return self._composition.vowels(phone)

    @cached_property
    def _composition(self) -> Composition:
        return Composition(self.features, self._reordered_values)

    def _reordered_values(self, spelt: str) -> Vector | None:
        row = self._reordered.get(spelt)
        return None if row is None else self.values[row]

    def _new_vector(self, phone: str) -> tuple[Vector | None, Origin]:
        if (row := self._row(phone)) is not None:
            return self.values[row], "table"
        segment, tone = spelling.split_tone(phone)
        composed = self._with_tone(segment, tone) if tone else self._composition.vector(spelling.fold_letters(segment))
        if composed is None:
            return None, "none"
        composed.flags.writeable = False
        return composed, "composed"

    @cached_property
    def _reordered(self) -> dict[str, int]:
        # Rows by the spelling in which modifier letters have one order; of rows that fall together so, the first.
        return {spelling.order_modifiers(form): row for form, row in reversed(self._rows.items())}

    def _row(self, symbol: str) -> int | None:
        row = self._rows.get(spelling.canonical_form(symbol))
        return row if row is not None else self._reordered.get(spelling.order_marks(symbol))

    def _with_tone(self, segment: str, tone: str) -> Vector | None:
        base = self.vector(segment)[0] if segment else None
        if spelling.GLOTTALISATION in spelling.read_tones(tone) and "cg" in self.features:
            base = self._composition.marked(base, spelling.GLOTTALISATION)
        levels = [self.values[self._rows[level]] for level in spelling.pitch_levels(tone) if level in self._rows]
        if base is None or not levels or not set(TONE_FEATURES) <= set(self.features):
            return base
        return np.where(np.isin(self.features, TONE_FEATURES), agreement(levels), base)


def chart_steps(phones: Iterable[str], others: Iterable[str]) -> Codes:
    """Return how far phones stand from others on the chart, by their first letters, int64 [N, M]: e is 0 from eɪ."""
    places = [np.array([*map(chart_place, side)], np.int64) for side in (phones, others)]
    return np.abs(np.subtract.outer(*places))

"""Features of a phone that a table lacks, from those of its parts.

A phone is a letter with marks, or two or three parts; a superscript letter counts as a part tied to its neighbour (kˣ
is k͡x, ⁿd is n͡d). The rules, in the order in which they are tried:

1. the phone with fewer of its last letter's marks, which is known; then the marks' own rules (`marks`);
2. a letter that the table lacks: the phone that it is like (`marks.LETTERS`);
3. two or three vowels, or vowels tied to glides: a diphthong;
4. other parts under a tie bar, and clicks with what follows or precedes them: `joining`;
5. where none of these applies to a syllabic consonant (ŋ͡m̩): the phone without that mark, and +syl.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import combinations

from phonxling.core.phonology.joining import Joining, Vector
from phonxling.core.phonology.marks import LETTERS, MARKS, values_of
from phonxling.core.phonology.spelling import (
    NON_SYLLABIC,
    SYLLABIC,
    TIE,
    Part,
    full_letter,
    is_modifier,
    joined,
    ordered,
    parse,
)

MOST_PARTS = 8  # of a phone; longer symbols are words that nobody cut
MOST_MARKS = 8  # on one letter: more make no phone, and the ways to leave some out double with each
_ALSO_BEFORE = "ʰʱˀʷʲˠˤ"  # modifiers that mean the same before a letter as after it


@dataclass(frozen=True, slots=True)
class Composition:
    """The rules over one table.

    Parameters
    ----------
    features : tuple of str
        The names of its F features.
    row : callable
        From an ordered spelling to its features, or None.
    """

    features: tuple[str, ...]
    row: Callable[[str], Vector | None]

    def vector(self, symbol: str) -> Vector | None:
        """Return the features of a symbol without tone, int8 [F]; None when no rule gives any."""
        parts = _parts(symbol)
        if (
            not 0 < len(parts) <= MOST_PARTS
            or parts[-1].tie
            or not all(part.letter and len(part.tie) < 2 for part in parts)
        ):
            return None
        known, last = self._whole(parts), parts[-1]
        if known is not None or SYLLABIC not in last.marks:
            return known
        bare = self._whole([*parts[:-1], replace(last, marks=last.marks.replace(SYLLABIC, ""))])
        return None if bare is None else self._rules.marked(bare, SYLLABIC)

    def vowels(self, symbol: str) -> tuple[str, ...]:
        """Return the vowels (or glides) that a diphthong is made of, each by itself; empty for anything else."""
        parts = _parts(symbol)
        if len(parts) > MOST_PARTS or self._vocalic(parts) is None:
            return ()
        bare = (replace(part, marks=part.marks.replace(NON_SYLLABIC, ""), tie="") for part in parts)
        return tuple(ordered(str(part)) for part in bare)

    def _whole(self, parts: list[Part]) -> Vector | None:
        return self._preceded(parts[0], parts[1:]) if is_modifier(parts[0].letter) else self._joined(parts)

    def _joined(self, parts: list[Part]) -> Vector | None:
        known = self._part(parts[-1], joined(parts[:-1]))
        if known is not None or len(parts) == 1:
            return known
        marks, parts = parts[-1].modifiers, [*parts[:-1], replace(parts[-1], modifiers="")]
        vowels = self._vocalic(parts)
        whole = self._consonants(parts) if vowels is None else self._rules.diphthong(vowels)
        return None if whole is None else self._rules.marked(whole, marks)

    def _consonants(self, parts: list[Part]) -> Vector | None:
        first, rest = self._part(parts[0]), self._joined(parts[1:])
        if first is None or rest is None:
            return None
        click = self._rules.is_click(first) or self._rules.is_click(rest)
        return self._rules.pair(first, rest) if parts[0].tie or click else None

    def _part(self, part: Part, before: str = "") -> Vector | None:
        """Return the features of a part (after others, as they are spelt): known with as many marks as possible."""
        marks = part.marks + part.modifiers
        if len(marks) > MOST_MARKS:
            return None
        for size in range(len(marks) + 1):
            for left in combinations(range(len(marks)), size):
                kept = "".join(mark for place, mark in enumerate(marks) if place not in left)
                known = self.row(ordered(before + part.letter + kept))
                vector = None if known is None else self._rules.marked(known, [marks[place] for place in left])
                if vector is not None:
                    return vector
        if before or part.letter not in LETTERS:
            return None
        like, sets = LETTERS[part.letter]
        known = self.row(like) if self._rules.has(values_of(sets)) else None
        return None if known is None else self._rules.marked(self._rules.set(known, sets), marks)

    def _preceded(self, first: Part, rest: list[Part]) -> Vector | None:
        base = self._joined(rest) if rest else None
        if base is None or first.modifiers:
            return None
        if first.letter in _ALSO_BEFORE:
            return self._rules.marked(base, first.letter + first.marks)
        vector = self._part(replace(first, letter=full_letter(first.letter) or first.letter))
        return None if vector is None else self._rules.after_superscript(vector, base)

    def _vocalic(self, parts: list[Part]) -> list[Vector] | None:
        """Return the features of the parts of a diphthong; None when they are none."""
        vectors = [self._part(part) for part in parts]
        known = [vector for vector in vectors if vector is not None]
        if not 2 <= len(parts) <= 3 or len(known) < len(parts) or not self._rules.has(("syl", "cons")):
            return None
        tied = all(part.tie for part in parts[:-1])
        kinds = [self._is_vocalic(part, vector, tied=tied) for part, vector in zip(parts, known, strict=True)]
        return known if all(kinds) and any(self._rules.is_(vector, "+syl") for vector in known) else None

    def _is_vocalic(self, part: Part, vector: Vector, *, tied: bool) -> bool:
        if not self._rules.is_(vector, "-cons"):
            return False
        glide = tied and self._rules.has(("son", "cont", "cor")) and self._rules.is_(vector, "+son +cont -cor")
        return glide or NON_SYLLABIC in part.marks or self._rules.is_(vector, "+syl")

    @property
    def _rules(self) -> Joining:
        return Joining(self.features)


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

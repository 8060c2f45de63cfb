"""What each diacritic and modifier letter of the IPA sets in a segment's features, and how tone marks read.

The values of marks are those by which the rows of PanPhon's table differ (Mortensen et al. 2016; release 0.22.2, in
which secondary articulations leave `back` as it is); PanPhon allows a mark on some segments only, here it may stand on
any. Marks that PanPhon lacks are below the line: their values are ours, after the mark's name in the IPA chart (2020)
and its extensions. A row is: code point, name, what it sets, and, after "if", the features that a segment must have for
that. Marks are applied in this order, however they were written; where two set the same feature, the later stays.

Tone is written as letters (˥ … ˩), as accents, as pitch numbers (a55, a⁵¹) or as a tone's number (ma1), with downstep ꜜ
and upstep ꜛ; the tilde is nasality. Inside, every pitch is in tone letters. Accents have no fixed pitch; `three` reads
them by register, as languages with high, mid and low tone use them, `five` as the IPA chart (2020) pairs them with
letters. Pitch numbers are Chao's (1930), 5 high to 1 low; a number of one digit, or with 0 or 6 to 9, names a tone and
has no pitch.

How the letters and marks of one phone are ordered, how they fall into its parts, and its features by theirs.

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
from itertools import combinations, groupby
from typing import Literal

import numpy as np
from numpy.typing import NDArray

_SIGNS = {"+": 1, "0": 0, "-": -1}
_ROWS = """
0325 voiceless -voi
0324 breathy +sg
0330 creaky +cg
032A dental +ant +distr if +cor
033A apical -distr if +cor
033B laminal +distr if +cor
033C linguolabial +lab
0318 advanced-root +tense
0319 retracted-root -tense
031F advanced
0320 retracted
0308 centralised
031D raised
031E lowered
0303 nasalised +nas
0329 syllabic +syl
032F non-syllabic -syl
0334 velarised-or-pharyngealised +hi
207F nasal-release +nas
02E1 lateral-release +lat +delrel
02B7 labialised +round +hi
02B2 palatalised +hi
1DA3 labio-palatalised +hi +round
02E0 velarised +hi
02E4 pharyngealised +lo
02B0 aspirated +sg
02BC ejective +cg
02C0 glottalised +cg
02DE rhotic -ant +hi +round if +syl
02D0 long +long
0306 extra-short -long
---- ---------------------------------------------
032C voiced +voi
033D mid-centralised
0339 more-rounded
031C less-rounded
031A unreleased
0347 alveolar
0348 strong
0349 weak
034B nasal-escape +nas
02B1 breathy-aspirated +sg
02B6 uvularised -hi
1D50 bilabial-nasal-release +nas
1DAC labiodental-nasal-release +nas
1DAF retroflex-nasal-release +nas
1DAE palatal-nasal-release +nas
1D51 velar-nasal-release +nas
1DB0 uvular-nasal-release +nas
1D4A schwa-release
02ED unaspirated
02D1 half-long 0long
"""


@dataclass(frozen=True, slots=True)
class Mark:
    """What one mark does: its name, the values that it sets by feature, and those that a segment must have for it."""

    name: str
    sets: Mapping[str, int]
    needs: Mapping[str, int]


def pairs_of(text: str) -> dict[str, str]:
    """Return every second word of a text by the word before it."""
    words = text.split()
    return dict(zip(words[::2], words[1::2], strict=True))


def values_of(words: str) -> dict[str, int]:
    return {word[1:]: _SIGNS[word[0]] for word in words.split()}


def _mark(row: str) -> tuple[str, Mark]:
    code, name, *rest = row.split()
    sets, _, needs = " ".join(rest).partition("if")
    return chr(int(code, 16)), Mark(name.replace("-", " "), values_of(sets), values_of(needs))


MARKS = dict(_mark(row) for row in _ROWS.strip().splitlines() if not row.startswith("-"))
ORDER = {mark: place for place, mark in enumerate(MARKS)}

# Letters that PanPhon's table lacks: the phone that each is like, and what it sets. The flap is to its approximant, and
# the epiglottal plosive to the pharyngeal fricative, as panphon's own pairs are; epiglottals share the pharyngeals'
# features. Sinologists' letters (no IPA): alveolo-palatals, apical vowels, and the central and mid vowels ᴀ and ᴇ.
_LIKE = """
    ⱱ ʋ/+cons  ʜ ħ/  ʢ ʕ/  ʡ ħ/-cont  ᶑ ɖ/+cg  ᴀ a/  ᴇ e/
    ȶ t/-ant_+distr_+hi  ȡ d/-ant_+distr_+hi  ȵ n/-ant_+distr_+hi  ȴ l/-ant_+distr_+hi
    ɿ z/+syl  ʅ ʐ/+syl  ʮ z/+syl_+round_+hi  ʯ ʐ/+syl_+round_+hi
"""
LETTERS = {letter: (like[0], like[2:].replace("_", " ")) for letter, like in pairs_of(_LIKE).items()}

Levels = Literal["three", "five"]

STEPS = "ꜛꜜ"
PITCHES = "˥˦˧˨˩"
TONE_LETTERS = PITCHES + STEPS
ACCENTS = "\u0300\u0301\u0302\u0304\u030b\u030c\u030f\u1dc4\u1dc5\u1dc6\u1dc7\u1dc8\u1dc9"
EXTRA = "\u030b\u030f"  # extra high and extra low, which a system of three levels has not
DIGITS = "0123456789⁰¹²³⁴⁵⁶⁷⁸⁹"
_READINGS: dict[Levels, str] = {
    "three": "0301 ˥  0304 ˧  0300 ˩  0302 ˥˩  030c ˩˥  1dc4 ˧˥  1dc5 ˩˧  1dc6 ˧˩  1dc7 ˥˧  1dc8 ˩˥˩  1dc9 ˥˩˥",
    "five": (
        "030b ˥  0301 ˦  0304 ˧  0300 ˨  030f ˩  0302 ˥˩  030c ˩˥  "
        "1dc4 ˦˥  1dc5 ˩˨  1dc6 ˧˨  1dc7 ˦˧  1dc8 ˧˦˧  1dc9 ˦˨˦"
    ),
}
READINGS = {
    levels: {chr(int(code, 16)): tone for code, tone in pairs_of(row).items()} for levels, row in _READINGS.items()
}
_MARKS = frozenset(TONE_LETTERS + ACCENTS)
_RAISED = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
_CHAO = dict(zip("⁵⁴³²¹", PITCHES, strict=True))


def split_tone(symbol: str) -> tuple[str, str]:
    """Return (segment, tone marks) of a symbol, both in NFD; the marks are "" when there are none."""
    letters = unicodedata.normalize("NFD", symbol)
    rest = "".join(letter for letter in letters if letter not in _MARKS)
    segment = rest.rstrip(DIGITS)
    if not segment and rest != rest.translate(_RAISED):
        segment = rest
    tone, left = "", len(segment)
    for letter in letters:
        if letter not in _MARKS and left:
            left -= 1
        else:
            tone += letter
    return segment, tone


def read_tones(marks: str, levels: Levels = "three") -> str:
    """Return a symbol's tone marks as tones separated by spaces: pitches in tone letters, steps each on their own."""
    return " ".join(tone for run in re.split(f"([{STEPS}])", marks) if (tone := _pitch(run, levels)))


def _pitch(run: str, levels: Levels) -> str:
    tone = ""
    for digits, letters in groupby(run, DIGITS.__contains__):
        part = "".join(letters)
        if digits:
            part = part.translate(_RAISED)
            chao = len(part) > 1 and set(part) <= set(_CHAO)
            tone += "".join(map(_CHAO.__getitem__, part)) if chao else part
        else:
            tone += "".join(READINGS[levels].get(mark, mark) for mark in part)
    return tone


def pitch_levels(tone: str) -> str:
    r"""Return a tone's pitches as tone letters, accents read in three levels; "" for steps and tones' names."""
    extra = dict(zip(EXTRA, "˥˩", strict=True))
    return "".join(extra.get(mark, mark) for mark in read_tones(tone) if mark in PITCHES + EXTRA)


def shown_tone(tone: str) -> str:
    """Return a tone, or another symbol, as people can read it: an accent that stands alone is on a dotted circle."""
    return f"◌{tone}" if tone and unicodedata.combining(tone[0]) else tone


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
    places = [place for place, mark in enumerate(part.modifiers) if mark not in MARKS and full_letter(mark)]
    if not places or is_modifier(part.letter):
        return [part]
    before, release, after = part.modifiers[: places[0]], part.modifiers[places[0]], part.modifiers[places[0] + 1 :]
    tied = Part(full_letter(release), "", after, part.tie)
    return [replace(part, modifiers=before, tie=TIE), *_with_release(tied)]

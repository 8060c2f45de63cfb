"""What each diacritic and modifier letter of the IPA sets in a segment's features.

The values are those by which the rows of PanPhon's table differ (Mortensen et al. 2016; release 0.22.2, in which
secondary articulations leave `back` as it is); PanPhon allows a mark on some segments only, here it may stand on any.
Marks that PanPhon lacks are below the line: their values are ours, after the mark's name in the IPA chart (2020) and
its extensions.

A row is: code point, name, what it sets, and, after "if", the features that a segment must have for that. Marks are
applied in this order, whatever the order in which they were written; where two set the same feature, the later stays.

Tone marks: which they are, how they come off a segment, and how they read as tone letters.

Tone is written as letters (˥ … ˩), as accents, as pitch numbers (a55, a⁵¹) or as a tone's number (ma1), with downstep ꜜ
and upstep ꜛ. The tilde is no tone: it is nasality. Inside, every pitch is in tone letters.

Letters stand as they are. Accents have no fixed pitch; `three` reads them by register, as languages with high, mid and
low tone use them, `five` as the IPA chart (2020) pairs them with letters. Pitch numbers are Chao's (1930), 5 high to 1
low; a number of one digit, or with 0 or 6 to 9, names a tone and has no pitch.
"""

import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby
from typing import Literal

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

    @property
    def features(self) -> set[str]:
        """The features that the mark speaks of."""
        return {*self.sets, *self.needs}


def values_of(words: str) -> dict[str, int]:
    """Return the values that words give to features."""
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
LETTERS = {
    "ⱱ": ("ʋ", "+cons"),
    "ʜ": ("ħ", ""),
    "ʢ": ("ʕ", ""),
    "ʡ": ("ħ", "-cont"),
    "ᶑ": ("ɖ", "+cg"),
    "ȶ": ("t", "-ant +distr +hi"),
    "ȡ": ("d", "-ant +distr +hi"),
    "ȵ": ("n", "-ant +distr +hi"),
    "ȴ": ("l", "-ant +distr +hi"),
    "ɿ": ("z", "+syl"),
    "ʅ": ("ʐ", "+syl"),
    "ʮ": ("z", "+syl +round +hi"),
    "ʯ": ("ʐ", "+syl +round +hi"),
    "ᴀ": ("a", ""),
    "ᴇ": ("e", ""),
}


# Tone marks: which they are, how they come off a segment, and how they read as tone letters.

Levels = Literal["three", "five"]

STEPS = "ꜛꜜ"
PITCHES = "˥˦˧˨˩"
TONE_LETTERS = PITCHES + STEPS
ACCENTS = "\u0300\u0301\u0302\u0304\u030b\u030c\u030f\u1dc4\u1dc5\u1dc6\u1dc7\u1dc8\u1dc9"
EXTRA = "\u030b\u030f"  # extra high and extra low, which a system of three levels has not
DIGITS = "0123456789⁰¹²³⁴⁵⁶⁷⁸⁹"
READINGS: dict[Levels, dict[str, str]] = {
    "three": {
        "\u0301": "˥",
        "\u0304": "˧",
        "\u0300": "˩",
        "\u0302": "˥˩",
        "\u030c": "˩˥",
        "\u1dc4": "˧˥",
        "\u1dc5": "˩˧",
        "\u1dc6": "˧˩",
        "\u1dc7": "˥˧",
        "\u1dc8": "˩˥˩",
        "\u1dc9": "˥˩˥",
    },
    "five": {
        "\u030b": "˥",
        "\u0301": "˦",
        "\u0304": "˧",
        "\u0300": "˨",
        "\u030f": "˩",
        "\u0302": "˥˩",
        "\u030c": "˩˥",
        "\u1dc4": "˦˥",
        "\u1dc5": "˩˨",
        "\u1dc6": "˧˨",
        "\u1dc7": "˦˧",
        "\u1dc8": "˧˦˧",
        "\u1dc9": "˦˨˦",
    },
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
    r"""Return a symbol's tone marks as tones separated by spaces: pitches in tone letters, steps each on their own."""
    return " ".join(_runs(marks, levels))


def _runs(marks: str, levels: Levels) -> Iterator[str]:
    run = ""
    for mark in marks:
        if mark in STEPS:
            yield from filter(None, [_pitch(run, levels), mark])
            run = ""
        else:
            run += mark
    yield from filter(None, [_pitch(run, levels)])


def _pitch(run: str, levels: Levels) -> str:
    parts = [(digits, "".join(part)) for digits, part in groupby(run, DIGITS.__contains__)]
    return "".join(_number(part) if digits else _accented(part, levels) for digits, part in parts)


def _accented(part: str, levels: Levels) -> str:
    return "".join(READINGS[levels].get(mark, mark) for mark in part)


def _number(part: str) -> str:
    raised = part.translate(_RAISED)
    pitched = len(raised) > 1 and set(raised) <= set(_CHAO)
    return "".join(map(_CHAO.__getitem__, raised)) if pitched else raised


def pitch_levels(tone: str) -> str:
    r"""Return a tone's pitches as tone letters, accents read in three levels; "" for steps and tones' names."""
    extra = dict(zip(EXTRA, "˥˩", strict=True))
    return "".join(extra.get(mark, mark) for mark in read_tones(tone) if mark in PITCHES + EXTRA)


def shown_tone(tone: str) -> str:
    """Return a tone, or another symbol, as people can read it: an accent that stands alone is on a dotted circle."""
    return f"◌{tone}" if tone and unicodedata.combining(tone[0]) else tone

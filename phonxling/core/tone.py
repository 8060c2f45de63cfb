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
"""

import re
import unicodedata
from collections.abc import Mapping
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


def pairs_of(text: str) -> dict[str, str]:
    """Return every second word of a text by the word before it."""
    words = text.split()
    return dict(zip(words[::2], words[1::2], strict=True))


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

"""Tone marks: which they are, how they come off a segment, and how they read as tone letters.

Tone is written as letters (˥ … ˩), as accents, as pitch numbers (a55, a⁵¹) or as a tone's number (ma1), with downstep ꜜ
and upstep ꜛ. The tilde is no tone: it is nasality. Inside, every pitch is in tone letters.

Letters stand as they are. Accents have no fixed pitch; `three` reads them by register, as languages with high, mid and
low tone use them, `five` as the IPA chart (2020) pairs them with letters. Pitch numbers are Chao's (1930), 5 high to 1
low; a number of one digit, or with 0 or 6 to 9, names a tone and has no pitch.
"""

import unicodedata
from collections.abc import Iterator
from itertools import groupby
from typing import Literal

Levels = Literal["three", "five"]

STEPS = "ꜛꜜ"
PITCHES = "˥˦˧˨˩"
LETTERS = PITCHES + STEPS
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
_MARKS = frozenset(LETTERS + ACCENTS)
_RAISED = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
_CHAO = dict(zip("⁵⁴³²¹", PITCHES, strict=True))


def split_tone(symbol: str) -> tuple[str, str]:
    """Return (segment, tone marks) of a symbol, both in NFD; the marks are "" when there are none.

    Digits are tone at the end of a symbol that holds something else; raised ones also alone.

    Examples
    --------
    >>> split_tone("á") == ("a", chr(0x301)), split_tone("ɔ̃˥˩"), split_tone("a55"), split_tone("ã")[1]
    (True, ('ɔ̃', '˥˩'), ('a', '55'), '')
    """
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
    r"""Return a symbol's tone marks as tones separated by spaces: pitches in tone letters, steps each on their own.

    A step stands between the tones that it sets apart, so it is a tone of its own: "áꜜ k á" and "á ꜜk á" are both
    ˥ ꜜ ˥. Neighbouring levels are one contour. Under `three`, extra high and extra low stay accents. A number that
    names a tone is written raised, so that it is not taken for a quantity.

    Examples
    --------
    >>> read_tones("\u0301"), read_tones("\u0301", "five"), read_tones("\u0301\u0300"), read_tones("\u0302")
    ('˥', '˦', '˥˩', '˥˩')
    >>> read_tones("214"), read_tones("1"), read_tones("˥ꜜ")
    ('˨˩˦', '¹', '˥ ꜜ')
    """
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
    r"""Return a tone's pitches as tone letters, accents read in three levels; "" for steps and tones' names.

    Extra high and extra low, which have no letter among three levels, are as high and as low as letters go.

    Examples
    --------
    >>> pitch_levels("\u0301\u0300"), pitch_levels("\u030b"), pitch_levels("5ꜜ")
    ('˥˩', '˥', '')
    """
    extra = dict(zip(EXTRA, "˥˩", strict=True))
    return "".join(extra.get(mark, mark) for mark in read_tones(tone) if mark in PITCHES + EXTRA)


def shown_tone(tone: str) -> str:
    """Return a tone, or another symbol, as people can read it: an accent that stands alone is on a dotted circle."""
    return f"◌{tone}" if tone and unicodedata.combining(tone[0]) else tone

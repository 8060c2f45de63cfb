"""Tone marks: which they are, and how they come off a segment.

Tone is written as letters (˥ … ˩, with ꜛ and ꜜ), as accents, or as digits (a5, a⁵⁵). The tilde is no tone: it is
nasality. In `LEVELS` each simple mark has the pitch level that the IPA chart (2020) gives it, as a tone letter.
"""

import unicodedata

LETTERS = "˥˦˧˨˩ꜛꜜ"
ACCENTS = "\u0300\u0301\u0302\u0304\u030b\u030c\u030f\u1dc4\u1dc5\u1dc6\u1dc7\u1dc8\u1dc9"
DIGITS = "0123456789⁰¹²³⁴⁵⁶⁷⁸⁹"
LEVELS = {
    "\u030b": "˥",
    "\u0301": "˦",
    "\u0304": "˧",
    "\u0300": "˨",
    "\u030f": "˩",
    "\u0302": "˥˩",
    "\u030c": "˩˥",
    "\u1dc4": "˧˥",
    "\u1dc5": "˩˧",
    "\u1dc6": "˧˩",
    "\u1dc7": "˥˧",
    "\u1dc8": "˧˦˨",
    "\u1dc9": "˧˨˦",
}
_MARKS = frozenset(LETTERS + ACCENTS)


def split_tone(symbol: str) -> tuple[str, str]:
    """Return (segment, tone) of a symbol, both in NFD; the tone is "" when there is none.

    Digits are tone only at the end of a symbol that holds something else.

    Examples
    --------
    >>> split_tone("á") == ("a", chr(0x301)), split_tone("ɔ̃˥˩"), split_tone("a55"), split_tone("ã")[1]
    (True, ('ɔ̃', '˥˩'), ('a', '55'), '')
    """
    letters = unicodedata.normalize("NFD", symbol)
    segment = "".join(letter for letter in letters if letter not in _MARKS)
    tone = "".join(letter for letter in letters if letter in _MARKS)
    bare = segment.rstrip(DIGITS)
    return (bare, tone + segment[len(bare) :]) if bare else (segment, tone)


def pitch_levels(tone: str) -> str:
    """Return a tone as tone letters where they say the same ("" for digits and steps, which have no fixed pitch)."""
    return "".join(LEVELS.get(mark, mark if mark in "˥˦˧˨˩" else "") for mark in tone)

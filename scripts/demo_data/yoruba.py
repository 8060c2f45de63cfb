"""Yoruba spelling → phones, and the codes that make espeak's Hindi voice say them.

espeak-ng has no Yoruba. The phoneme table of its Hindi voice has what Yoruba needs: nasal vowels, open and close mid
vowels, a tap, ʃ and dʒ; only k͡p and ɡ͡b are missing and are said as k+p and g+b, whose intervals are merged afterwards.
Tone is not spoken. Spelling gives a broad transcription: n after a vowel and before no vowel nasalises it, `an` is ã
(in many varieties ɔ̃), and a vowel after a nasal consonant is left oral.
"""

import re
from collections.abc import Sequence

from .timing import Interval

_VOWELS = {"a": "a", "e": "e", "ẹ": "ɛ", "i": "i", "o": "o", "ọ": "ɔ", "u": "u"}
_NASAL_VOWELS = {"an": "ã", "ẹn": "ɛ̃", "in": "ĩ", "ọn": "ɔ̃", "un": "ũ"}
_CONSONANTS = {
    "b": "b", "d": "d", "f": "f", "g": "ɡ", "gb": "ɡ͡b", "h": "h", "j": "d͡ʒ", "k": "k", "l": "l", "m": "m", "n": "n",
    "p": "k͡p", "r": "ɾ", "s": "s", "ṣ": "ʃ", "t": "t", "w": "w", "y": "j",
}  # fmt: skip
_PHONES = _VOWELS | _NASAL_VOWELS | _CONSONANTS
_LETTERS = re.compile(r"[aẹiọu]n(?![aeẹioọu])|gb|.")

# What espeak calls them; a phone that is not here is its own code.
_CODES = {
    "ɛ": "E", "ɔ": "O", "ã": "a~", "ɛ̃": "E~", "ĩ": "i~", "ɔ̃": "O~", "ũ": "u~",
    "ɡ": "g", "ɡ͡b": "gb", "k͡p": "kp", "d͡ʒ": "dZ", "ɾ": "*", "ʃ": "S",
}  # fmt: skip
_MERGED = {("k", "p"): "k͡p", ("ɡ", "b"): "ɡ͡b"}


def spell(word: str) -> list[str]:
    """Return the phones of a word: ɔ, k͡p and ɔ̃ of “ọpọn”."""
    letters = _LETTERS.findall(word.lower())
    if unknown := [letter for letter in letters if letter not in _PHONES]:
        raise ValueError(f"no phone for the letters {unknown} of the Yoruba word {word!r}")
    return [_PHONES[letter] for letter in letters]


def encode(text: str) -> str:
    """Return a sentence in espeak's phoneme codes; commas stay as pauses.

    Every vowel is stressed, for espeak shortens and centralises the others.
    """
    vowels = {*_VOWELS.values(), *_NASAL_VOWELS.values()}
    codes = {phone: "'" * (phone in vowels) + _CODES.get(phone, phone) for phone in _PHONES.values()}
    clauses = [
        ["".join(map(codes.get, spell(word))) for word in clause.split()] for clause in text.rstrip(".").split(",")
    ]
    return ", ".join(f"[[{' '.join(words)}]]" for words in clauses)


def merge_labial_velars(intervals: Sequence[Interval]) -> list[Interval]:
    """Join each k+p and g+b, which Yoruba has only as k͡p and ɡ͡b, into one interval."""
    merged: list[Interval] = []
    for interval in intervals:
        joined = _MERGED.get((merged[-1].phone, interval.phone)) if merged else None
        if joined:
            interval = Interval(merged.pop().start, interval.end, joined)
        merged.append(interval)
    return merged

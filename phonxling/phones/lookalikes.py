"""Letters that look like, or stand for, the IPA's own: what is written to what is meant, one way only.

Only what has one meaning is folded. Left alone, and so unknown: ? (glottal stop, or doubt), ! and | (clicks, or
boundaries), dots below (ẹ ṣ), å ř ł ı, Cyrillic letters other than ә ӕ; `phones.refusals` says what they look like.
"""

import re

TIE = "\u0361"

LETTERS = {
    # ASCII, and letters of other blocks with the same shape
    "g": "ɡ",
    ":": "ː",
    "'": "ʼ",  # ejective; at the start of a symbol it is stress
    "’": "ʼ",
    "ꞌ": "ʼ",
    "ǝ": "ə",
    "ә": "ə",
    "ӕ": "æ",
    "ε": "ɛ",
    "φ": "ɸ",
    "ϕ": "ɸ",
    "γ": "ɣ",
    "α": "ɑ",
    "ˁ": "ˤ",
    # ligatures; the rhotic vowels are spelt as the feature table spells them
    "ʧ": "t͡ʃ",
    "ʤ": "d͡ʒ",
    "ʦ": "t͡s",
    "ʣ": "d͡z",
    "ʨ": "t͡ɕ",
    "ʥ": "d͡ʑ",
    "ɚ": "ə˞",
    "ɝ": "ɜ˞",
    "ᵻ": "ɪ\u0308",
    "ᵿ": "ʊ\u0308",
    # letters that the IPA has withdrawn for others
    "ɷ": "ʊ",
    "ɩ": "ɪ",
    "ʚ": "ɞ",
    "ʇ": "ǀ",
    "ʗ": "ǃ",
    "ʖ": "ǁ",
    "ƥ": "ɓ\u0325",
    "ƭ": "ɗ\u0325",
    "ƈ": "ʄ\u0325",
    "ƙ": "ɠ\u0325",
    "ʠ": "ʛ\u0325",
    "ƫ": "tʲ",
    "ʆ": "ʃʲ",
    "ʓ": "ʒʲ",
    "ɼ": "r\u031d",
    # Americanist affricates
    "ƛ": "t͡ɬ",
    "λ": "d͡ɮ",
    # marks: the other tie bar, a mark above for a letter with a descender, a mark beside for one below
    "\u035c": TIE,
    "\u030d": "\u0329",
    "\u0311": "\u032f",
    "˔": "\u031d",
    "˕": "\u031e",
    "˖": "\u031f",
    "ˍ": "\u0320",
    "˗": "\u0320",
    "ʴ": "˞",
}
_TABLE = str.maketrans(LETTERS)
_CARON = {"c\u030c": "t͡ʃ", "s\u030c": "ʃ", "z\u030c": "ʒ"}  # Americanist; no tone stands there (on j one may)
_SPECIAL = re.compile("|".join(_CARON) + "|(?<![auAU])\u030a")  # å and ů are letters of their own


def fold_letters(letters: str) -> str:
    """Return letters in NFD with look-alikes folded."""
    return _SPECIAL.sub(lambda match: _CARON.get(match[0], "\u0325"), letters).translate(_TABLE)

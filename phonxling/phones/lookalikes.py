"""Letters that look like, or stand for, the IPA's own: what is written to what is meant, one way only.

Only what has one meaning is folded. Left alone, and so unknown: ? (glottal stop, or doubt), ! and | (clicks, or
boundaries), dots below (ẹ ṣ), å ř ł ı, Cyrillic letters other than ә ӕ; `phones.refusals` says what they look like.
"""

import re

from phonxling.core.tone import pairs_of

# Pairs of a letter (or its code point) and what is meant: ASCII, and letters of other blocks with the same shape;
# ligatures, with rhotic vowels as the feature table spells them; letters that the IPA has withdrawn; Americanist
# affricates; the other tie bar, a mark above for a letter with a descender, a mark beside for one below.
_PAIRS = """
    g ɡ  : ː  ' ʼ  ’ ʼ  ꞌ ʼ  ǝ ə  ә ə  ӕ æ  ε ɛ  φ ɸ  ϕ ɸ  γ ɣ  α ɑ  ˁ ˤ
    ʧ t͡ʃ  ʤ d͡ʒ  ʦ t͡s  ʣ d͡z  ʨ t͡ɕ  ʥ d͡ʑ  ɚ ə˞  ɝ ɜ˞  ᵻ ɪ+0308  ᵿ ʊ+0308
    ɷ ʊ  ɩ ɪ  ʚ ɞ  ʇ ǀ  ʗ ǃ  ʖ ǁ  ƥ ɓ+0325  ƭ ɗ+0325  ƈ ʄ+0325  ƙ ɠ+0325  ʠ ʛ+0325  ƫ tʲ  ʆ ʃʲ  ʓ ʒʲ  ɼ r+031d
    ƛ t͡ɬ  λ d͡ɮ
    +035c +0361  +030d +0329  +0311 +032f  ˔ +031d  ˕ +031e  ˖ +031f  ˍ +0320  ˗ +0320  ʴ ˞
"""
LETTERS = pairs_of(re.sub(r"\+(....)", lambda code: chr(int(code[1], 16)), _PAIRS))
_TABLE = str.maketrans(LETTERS)
_CARON = {"c\u030c": "t͡ʃ", "s\u030c": "ʃ", "z\u030c": "ʒ"}  # Americanist; no tone stands there (on j one may)
_SPECIAL = re.compile("|".join(_CARON) + "|(?<![auAU])\u030a")  # å and ů are letters of their own


def fold_letters(letters: str) -> str:
    """Return letters in NFD with look-alikes folded."""
    return _SPECIAL.sub(lambda match: _CARON.get(match[0], "\u0325"), letters).translate(_TABLE)

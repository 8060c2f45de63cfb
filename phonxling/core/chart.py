"""The letters of the IPA chart and their places: the order of phones and the charts that are drawn both go by it.

References
----------
International Phonetic Association (2020), The International Phonetic Alphabet.
"""

PLACES = (
    *("bilabial", "labiodental", "dental", "alveolar", "postalveolar", "retroflex", "alveolo-palatal"),
    *("palatal", "velar", "uvular", "pharyngeal", "epiglottal", "glottal"),
)
# A row's letters under the places, voiceless and voiced; · where there is none.
ROWS = {
    "plosive": "pb ·· ·· td ·· ʈɖ ȶȡ cɟ kɡ qɢ ·· ʡ· ʔ·",
    "implosive": "·ɓ ·· ·· ·ɗ ·· ·ᶑ ·· ·ʄ ·ɠ ·ʛ ·· ·· ··",
    "click": "ʘ· ·· ǀ· ǃ· ǂ· ·· ·· ·· ·· ·· ·· ·· ··",
    "lateral click": "·· ·· ·· ǁ· ·· ·· ·· ·· ·· ·· ·· ·· ··",
    "nasal": "·m ·ɱ ·· ·n ·· ·ɳ ·ȵ ·ɲ ·ŋ ·ɴ ·· ·· ··",
    "trill": "·ʙ ·· ·· ·r ·· ·· ·· ·· ·· ·ʀ ·· ·· ··",
    "tap or flap": "·· ·ⱱ ·· ·ɾ ·· ·ɽ ·· ·· ·· ·· ·· ·· ··",
    "lateral flap": "·· ·· ·· ·ɺ ·· ·· ·· ·· ·· ·· ·· ·· ··",
    "affricate": "",  # two letters
    "lateral affricate": "",
    "fricative": "ɸβ fv θð sz ʃʒ ʂʐ ɕʑ çʝ xɣ χʁ ħʕ ʜʢ hɦ",
    "lateral fricative": "·· ·· ·· ɬɮ ·· ·· ·· ·· ·· ·· ·· ·· ··",
    "approximant": "·· ·ʋ ·· ·ɹ ·· ·ɻ ·· ·j ·ɰ ·· ·· ·· ··",
    "lateral approximant": "·· ·· ·· ·l ·· ·ɭ ·ȴ ·ʎ ·ʟ ·· ·· ·· ··",
}
TWO_PLACES = {  # a row and the places; in the order of phones they follow the letters of the row
    "ɥ": "approximant bilabial palatal",
    "ʍ": "approximant bilabial velar",
    "w": "approximant bilabial velar",
    "ɧ": "fricative postalveolar velar",
}
# Front, central and back vowels, unrounded and rounded, from close to open in half steps.
HEIGHTS = "iy ɨʉ ɯu / ɪʏ ·· ·ʊ / eø ɘɵ ɤo / ᴇ· ə· ·· / ɛœ ɜɞ ʌɔ / æ· ɐ· ·· / aɶ ᴀ· ɑɒ"


def letters_of(*rows: str) -> str:
    """Return the letters of rows in the order of the chart."""
    placed = [ROWS[row].replace("·", "").replace(" ", "") for row in rows]
    return "".join(
        own + "".join(letter for letter, where in TWO_PLACES.items() if where.split()[0] == row)
        for row, own in zip(rows, placed, strict=True)
    )

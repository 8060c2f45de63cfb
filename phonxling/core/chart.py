"""The letters of the IPA chart: consonants by manner, place and voice, vowels by height, backness and rounding.

References
----------
International Phonetic Association (2020), The International Phonetic Alphabet.
"""

import re

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
    placed = [ROWS[row].replace("·", "").replace(" ", "") for row in rows]
    return "".join(
        own + "".join(letter for letter, where in TWO_PLACES.items() if where.split()[0] == row)
        for row, own in zip(rows, placed, strict=True)
    )


# The rows of the order, with their letters; those that the chart lacks come last in theirs.
CHART = {
    "vowels": re.sub("[· /]", "", HEIGHTS),
    "syllabic consonants": "ɿʮʅʯ",  # sinologists' apical vowels
    "stops": letters_of("plosive", "implosive"),
    "affricates": "",
    "nasals": letters_of("nasal"),
    "trills and taps": letters_of("trill", "tap or flap"),
    "fricatives": letters_of("fricative", "lateral fricative"),
    "approximants": letters_of("approximant"),
    "laterals": letters_of("lateral approximant", "lateral flap") + "ɫ",
    "clicks": letters_of("click", "lateral click"),
    "other": "",
    "tones": "˥˦˧˨˩",
    "silence": "",
}

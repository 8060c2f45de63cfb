"""The order of the IPA chart: consonants by place, voiceless before voiced; vowels from close to open, front to back.

The letters stand as the chart (2020) has them: in each of its rows from left to right, the pulmonic consonants first,
then implosives, clicks and other symbols, then the vowels, unrounded before rounded.

References
----------
International Phonetic Association (2020), The International Phonetic Alphabet.
"""

import unicodedata
from collections.abc import Iterable, Mapping

_ROWS = (
    "pbtdʈɖcɟkɡqɢʡʔ",  # plosives
    "ɓɗʄɠʛ",  # implosives
    "mɱnɳɲŋɴ",
    "ʙrʀ",
    "ⱱɾɽɺ",
    "ɸβfvθðszʃʒɕʑʂʐçʝɧxɣχʁħʕʜʢhɦ",
    "ɬɮ",
    "ʘǀǃǂǁ",
    "ʋɹɻjɥɰʍw",
    "lɭʎʟɫ",
    "iyɨʉɯuɪʏʊeøɘɵɤoəɛœɜɞʌɔæɐaɶɑɒ",
)
_PLACE = {letter: place for place, letter in enumerate("".join(_ROWS))}


def chart_key(phone: str) -> tuple[int, tuple[int, ...], int, str]:
    """Return what puts phones in the order of the chart: of more letters after those of one; those it lacks last.

    Marks come after the letter alone: ã after a.

    Examples
    --------
    >>> sorted(["aɪ", "ŋ", "u", "d", "ã", "i", "s", "a", "t", "?"], key=chart_key)
    ['t', 'd', 'ŋ', 's', 'i', 'u', 'a', 'ã', 'aɪ', '?']
    """
    letters = unicodedata.normalize("NFD", phone)
    places = tuple(_PLACE[letter] for letter in letters if letter in _PLACE)
    return len(places) or len(_PLACE), places, len(letters), phone


def by_chart(phones: Iterable[str], classes: Mapping[str, str], names: Iterable[str]) -> list[str]:
    """Return the phones, each once: by class, in the order of `names`, and within a class in that of the chart."""
    rank = {name: place for place, name in enumerate(names)}
    return sorted(
        dict.fromkeys(phones), key=lambda phone: (rank.get(classes.get(phone, ""), len(rank)), chart_key(phone))
    )

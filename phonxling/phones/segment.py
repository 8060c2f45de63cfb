"""Joined IPA strings to phones, by longest match: each letter takes the marks that belong to it, and ties join letters.

What is in doubt is decided so: two letters without a tie bar are one phone when the feature table has it as an
affricate or a labial-velar (tʃ, dʒ, ts, kp, ɡb), since these are often written so; a superscript nasal or stop before a
consonant, and a superscript h or n between a vowel and a consonant, belong to what follows (ⁿd, aʰt); every other
modifier belongs to what precedes it; two vowels are one phone only when one of them is marked as non-syllabic or tied.
Stress marks go with the phone after them. White space and syllable dots separate phones and are left out.
"""

import unicodedata
from typing import Literal

import numpy as np

from phonxling.core.phonology.features import FeatureTable
from phonxling.core.phonology.spelling import NON_SYLLABIC, TIE, is_modifier, parse
from phonxling.core.phonology.tone import DIGITS, LETTERS, split_tone
from phonxling.core.sequences import Transcript
from phonxling.phones.expand import parts_of
from phonxling.phones.lookalikes import fold_letters
from phonxling.phones.maps import SILENCE
from phonxling.phones.ties import tied_form

Ties = Literal["optional", "required"]
_STRESS = "ˈˌ"
_BEFORE = "ᵐᶬᶯᶮᵑᶰᵏᶢᵇᵈ"  # superscript nasals and stops
_BETWEEN = "ʰⁿ"


def segment(text: str, table: FeatureTable, ties: Ties = "optional") -> list[str]:
    """Return the phones of a joined string as they are written there (NFC); letters that nobody knows stand alone.

    With `ties: required` two letters without a tie bar are always two phones.
    """
    return [phone for word in text.replace(".", " ").split() for phone in _word(word, table, ties)]


def segmented(transcript: Transcript, table: FeatureTable) -> Transcript:
    """Return a transcript of words as one of phones, each in an equal share of its word's time; silences stay whole."""
    names = [_silence_or_phones(symbol, table) for symbol in transcript.symbols]
    places: dict[str, str] = {}
    for phones, place in zip(names, transcript.places, strict=True):
        for phone in phones:
            places.setdefault(phone, place)
    codes = {phone: code for code, phone in enumerate(places)}
    alive = np.ones(len(transcript.codes), dtype=bool)
    columns, _ = parts_of(transcript, [[codes[phone] for phone in phones] for phones in names], alive, transcript.start)
    return Transcript(**columns, symbols=tuple(places), places=tuple(places.values()))


def _silence_or_phones(symbol: str, table: FeatureTable) -> list[str]:
    return [symbol] if symbol.lower() in SILENCE else segment(symbol, table) or [symbol]


def _word(word: str, table: FeatureTable, ties: Ties) -> list[str]:
    phones: list[str] = []
    for unit in _units(unicodedata.normalize("NFD", word), table):
        if phones and _one_phone(phones[-1], unit, table, ties):
            phones[-1] += unit
        else:
            phones.append(unit)
    return [unicodedata.normalize("NFC", phone) for phone in phones]


def _units(letters: str, table: FeatureTable) -> list[str]:
    """Return letters with their marks, in NFD; a tie bar joins two letters."""
    units: list[str] = []
    before = ""
    for place, letter in enumerate(letters):
        starts = letter in _STRESS or (not units and letter in "'ꜛꜜ")
        marks_it = before[-1:] in {*_BEFORE} and unicodedata.combining(letter)
        if starts or marks_it or _is_before(letter, letters[place + 1 :], units, table):
            before += letter
        elif units and not before and (_is_mark(letter) or units[-1].endswith((TIE, "\u035c"))):
            units[-1] += letter
        else:
            units.append(before + letter)
            before = ""
    return [*units, *([before] if before else [])]


def _is_mark(letter: str) -> bool:
    return bool(unicodedata.combining(letter)) or is_modifier(letter) or letter in LETTERS + DIGITS + ":'’"


def _is_before(letter: str, after: str, units: list[str], table: FeatureTable) -> bool:
    """Return whether a superscript letter belongs to the consonant after it."""
    following = next((base for base in after if not unicodedata.combining(base)), "")
    if letter not in _BEFORE + _BETWEEN or not table.matches(fold_letters(following), "-syl"):
        return False
    return letter in _BEFORE or not units or table.matches(_bare(units[-1]), "+syl")


def _bare(unit: str) -> str:
    return split_tone(fold_letters(unit.lstrip(_STRESS + "'")))[0]


def _one_phone(first: str, second: str, table: FeatureTable, ties: Ties) -> bool:
    if second[0] in _STRESS:
        return False
    letters = _bare(first), _bare(second)
    glides = [all(NON_SYLLABIC in part.marks for part in parse(unit)) for unit in letters]
    if any(glides) and table.vowels("".join(letters)):
        return True
    form = tied_form("".join(letters), table) if ties == "optional" and split_tone(first)[1] == "" else None
    if form is None or table.spelling(form) is None:
        return False
    return table.matches(form, "+delrel") or table.matches(form, "+lab -cor")

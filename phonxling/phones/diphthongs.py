"""Diphthongs split into their vowels."""

import unicodedata
from dataclasses import replace

from phonxling.core.phonology.features import FeatureTable
from phonxling.core.phonology.spelling import NON_SYLLABIC, parse
from phonxling.core.phonology.tone import split_tone
from phonxling.phones.ipa import Fate


def split_diphthongs(fate: Fate, table: FeatureTable) -> Fate:
    """Return a fate whose diphthongs are their vowels (glides tied to a vowel included), each a phone of its own.

    The marks of non-syllabicity go with the diphthong: aɪ̯ gives a and ɪ, as aɪ does. Tone that is attached to the
    phone goes to the syllabic vowel, the first where there are several.
    """
    phones = tuple(vowel for phone in fate.phones for vowel in _vowels(phone, table))
    if phones == fate.phones:
        return fate
    table_only = all(table.vector(phone)[1] == "table" for phone in phones)
    return replace(fate, phones=phones, action="split", features="table" if table_only else "composed")


def _vowels(phone: str, table: FeatureTable) -> tuple[str, ...]:
    segment, tone = split_tone(phone)
    vowels = [table.spelling(vowel) or unicodedata.normalize("NFC", vowel) for vowel in table.vowels(segment)]
    if not vowels:
        return (phone,)
    silent = [NON_SYLLABIC in part.marks or not table.matches(part.letter, "+syl") for part in parse(segment)]
    nucleus = silent.index(False) if len(silent) == len(vowels) and False in silent else 0
    vowels[nucleus] = unicodedata.normalize("NFC", vowels[nucleus] + tone)
    return tuple(vowels)

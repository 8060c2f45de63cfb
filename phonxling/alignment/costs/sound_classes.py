"""Classes of sounds, by features: which phones may correspond in words of a common origin, and which are lost first."""

import numpy as np
from numpy.typing import NDArray

from phonxling.core.phonology.features import FeatureTable
from phonxling.core.phonology.tone import DIGITS, LETTERS

_BOUNDARIES = frozenset("_+#◦")
_LARYNGEALS = frozenset("hɦʔħʕ")
_SCHWAS = frozenset("əɘɐǝ")
_APICAL = frozenset("ɿʅʮʯ")  # the vowels after Chinese sibilants
NEEDED = ("syl", "son", "cons", "cont", "nas", "cor", "hi", "lo", "back", "round")


def sound_class(phone: str, table: FeatureTable) -> str:
    """Return a phone's class: the name of the setting that says what its loss costs.

    Examples
    --------
    >>> from phonxling.load.resources.features import panphon_features
    >>> [sound_class(phone, panphon_features()) for phone in ("tʰ", "r", "ŋ", "w", "ʔ", "n̩", "ai", "ə", "²¹", "_")]
    ['obstruent', 'liquid', 'nasal', 'glide', 'laryngeal', 'syllabic', 'vowel', 'schwa', 'tone', 'boundary']
    """
    return class_and_features(phone, table)[0]


def class_and_features(phone: str, table: FeatureTable) -> tuple[str, NDArray[np.int8]]:
    """Return a phone's class and its features, 0 where it has none."""
    nothing = np.zeros(len(table.features), dtype=np.int8)
    if set(phone) <= set(LETTERS + DIGITS):
        return "tone", nothing
    if set(phone) <= _BOUNDARIES:
        return "boundary", nothing
    if phone[0] in _APICAL:
        return "vowel", nothing
    vector = _known_beginning(phone, table)
    return ("unknown", nothing) if vector is None else (_class_of(phone, vector, table), vector)


def _known_beginning(phone: str, table: FeatureTable) -> NDArray[np.int8] | None:
    vectors = (table.vector(phone[:length])[0] for length in range(len(phone), 0, -1))
    return next((vector for vector in vectors if vector is not None), None)


def _class_of(phone: str, vector: NDArray[np.int8], table: FeatureTable) -> str:
    value = dict(zip(table.features, vector.tolist(), strict=True))
    if value["syl"] > 0:
        vocalic = value["cons"] < 0 or value["son"] < 0  # a syllabic fricative is an apical vowel
        return ("schwa" if phone in _SCHWAS else "vowel") if vocalic else "syllabic"
    if phone[0] in _LARYNGEALS:
        return "laryngeal"
    if value["nas"] > 0:
        return "nasal"
    if value["cons"] < 0:
        return "glide"
    return "liquid" if value["son"] > 0 else "obstruent"

"""Major classes of phones by their features: vowels, stops, fricatives and so on."""

from phonxling.core.features import FeatureTable

EDGE = "#"  # the edge of an utterance
OTHER = "other"
CLASSES = {
    "vowel": "+syl -cons",
    "syllabic consonant": "+syl +cons",
    "stop": "-syl -son -cont -delrel",
    "affricate": "-syl -son -cont +delrel",
    "fricative": "-syl -son +cont",
    "nasal": "-syl +son +nas",
    "approximant": "-syl +son -nas",
}


def major_class(phone: str, table: FeatureTable) -> str:
    """Return the first of `CLASSES` whose features a phone has; `other` when it has none of them, or no features.

    Examples
    --------
    >>> table = FeatureTable(name="toy", digest="", features=("syl", "cons", "son", "nas"), segments=("a", "n"),
    ...                      values=[[1, -1, 1, -1], [-1, 1, 1, 1]], weights={})
    >>> major_class("a", table), major_class("n", table), major_class("!", table)
    ('vowel', 'nasal', 'other')
    """
    return next((name for name, values in CLASSES.items() if table.matches(phone, values)), OTHER)

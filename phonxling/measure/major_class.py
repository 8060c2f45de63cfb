"""Major classes of phones by their features: vowels, stops, fricatives and so on.

panphon calls ʔ, h and ɦ sonorants; here they are a stop and fricatives, as on the IPA chart. Taps, trills and laterals
that are not fricatives are approximants.
"""

from phonxling.core.features import FeatureTable

EDGE = "#"  # the edge of an utterance
OTHER = "other"
CLASSES = (
    ("vowel", "+syl -cons"),
    ("syllabic consonant", "+syl +cons"),
    ("stop", "-syl +son -nas -cont"),  # ʔ, a sonorant for panphon
    ("fricative", "-syl +son +cons +cont -delrel -nas -lat -cor -lab"),  # h and ɦ likewise
    ("stop", "-syl -son -cont -delrel"),
    ("affricate", "-syl -son -cont +delrel"),
    ("fricative", "-syl -son +cont"),
    ("nasal", "-syl +son +nas"),
    ("approximant", "-syl +son -nas"),
)


def major_class(phone: str, table: FeatureTable) -> str:
    """Return the first of `CLASSES` whose features a phone has; `other` when it has those of none, or no features.

    Examples
    --------
    >>> table = FeatureTable(name="toy", digest="", features=("syl", "cons", "son", "nas"), segments=("a", "n"),
    ...                      values=[[1, -1, 1, -1], [-1, 1, 1, 1]], weights={})
    >>> major_class("a", table), major_class("n", table), major_class("!", table)
    ('vowel', 'nasal', 'other')
    """
    return next((name for name, values in CLASSES if table.matches(phone, values)), OTHER)

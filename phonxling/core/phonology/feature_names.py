"""What panphon's features are called where there is room for a word."""

_NAMES = {
    "syl": "syllabic",
    "son": "sonorant",
    "cons": "consonantal",
    "cont": "continuant",
    "delrel": "delayed release",
    "lat": "lateral",
    "nas": "nasal",
    "strid": "strident",
    "voi": "voiced",
    "sg": "spread glottis",
    "cg": "constricted glottis",
    "ant": "anterior",
    "cor": "coronal",
    "distr": "distributed",
    "lab": "labial",
    "hi": "high",
    "lo": "low",
    "hitone": "high tone",
    "hireg": "high register",
}


def feature_name(feature: str) -> str:
    """Return the word for a feature; one that panphon does not abbreviate, or does not have, is its own word.

    Examples
    --------
    >>> [feature_name(feature) for feature in ("syl", "delrel", "back", "my_own")]
    ['syllabic', 'delayed release', 'back', 'my_own']
    """
    return _NAMES.get(feature, feature)

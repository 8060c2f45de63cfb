"""Feature queries: what they hold, and what is no query."""

import numpy as np
import pytest

from phonxling.core.features import FeatureTable
from phonxling.core.spelling import Query

TOY = FeatureTable(
    name="toy",
    digest="",
    features=("syl", "nas", "hi-lo"),
    segments=("a", "ã", "m", "b"),
    values=np.array([[1, -1, -1], [1, 1, -1], [-1, 1, 0], [-1, -1, 0]], dtype=np.int8),
    weights={},
)


@pytest.mark.parametrize(
    ("text", "members"),
    [
        ("+syl +nas", "ã"),
        ("+nas", "ãm"),
        ("0hi-lo -nas|+syl -nas", "ab"),
        ("-syl +hi-lo", ""),
    ],
)
def test_a_query_holds_the_phones_with_all_values_of_one_alternative(text: str, members: str) -> None:
    phones = ["a", "ã", "m", "b", "∅", "unknown"]
    found = Query(text).members(phones, TOY)
    assert "".join(phone for phone, member in zip(phones, found, strict=True) if member) == members


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "'' asks for no feature"),
        ("syl +nas", "'syl' is not a feature with its sign"),
        ("+", r"'\+' is not a feature with its sign"),
        ("+syl -syl", "names the feature syl twice"),
    ],
)
def test_what_is_no_query_says_how_one_is_written(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Query(text)

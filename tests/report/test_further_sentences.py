"""What the page says of contrasts, by type and divergence, and of target languages and their groups."""

import numpy as np
import pandas as pd

from phonxling.report.findings import contrast_sentences, language_sentences
from phonxling.report.numbers import Sentence
from phonxling.results.tables import table_of


def contrasts(**columns: list[object]) -> list[Sentence]:
    """Return the sentences on four contrasts, whose columns may be others."""
    table = {
        "phone": ["p", "t", "i", "e"],
        "other": ["b", "d", "ĩ", "ɛ"],
        "type": ["TC", "TC", "SC", "UC"],
        "category": ["p", "t", "i", "ɪ"],
        "other_category": ["b", "d", "i", "ɛ"],
        "js": [0.9, 0.5, 0.01, 0.4],
        "js_low": [0.8, 0.3, 0.0, 0.2],
        "js_high": [1.0, 0.7, 0.05, 0.6],
    }
    return [*contrast_sentences("yoruba", pd.DataFrame({**table, **columns}))]


def test_types_of_contrasts_are_counted() -> None:
    each = "two-category (TC), 1 single-category (SC), 1 uncategorised–categorised (UC)"
    assert str(contrasts()[0]) == f"Of 4 contrasts: 2 {each}."
    assert str(contrasts(type=["TC", "", "SC", "UC"])[0]).startswith(f"Of 4 contrasts: 1 {each}; 1 without a type")
    assert "none with a type" in str(contrasts(type=[""] * 4)[0])
    assert [*map(str, contrasts(js=[np.nan] * 4))] == ["No contrast has enough tokens."]
    assert str(contrasts(js=[0.9, np.nan, np.nan, np.nan])[0]) == "Of 1 contrast: 1 two-category (TC)."


def test_the_least_divergences_stand_first() -> None:
    (_, least) = contrasts()
    assert str(least).endswith(
        ": i – ĩ 0.0100 [0, 0.0500], e – ɛ 0.400 [0.200, 0.600], t – d 0.500 [0.300, 0.700], p – b 0.900 [0.80, 1.00]."
    )
    addresses = [part.address for part in least.parts if part.address]
    assert addresses[:2] == ["#corpus=yoruba&gold=i&predicted=i", "#corpus=yoruba&gold=%C4%A9&predicted=i"]


def said_of_languages(*groups: dict[str, object], note: str = "") -> list[str]:
    every = {"by": "", "group": "all", "languages": 8, "value": 0.2, "low": 0.15, "high": 0.25, "note": note}
    tested = {"difference": 0.1, "difference_low": 0.04, "difference_high": 0.16}
    rows = [every, *({"languages": 4, **tested, **group} for group in groups)]
    table = table_of("language_groups", [{"measure": "wper", **row} for row in rows])
    return [str(one) for one in language_sentences("", table)]


def test_the_mean_over_languages_has_its_note() -> None:
    assert said_of_languages() == ["0.200 [0.150, 0.250] is the mean wPER of 8 target languages."]
    assert said_of_languages(note="why")[0].endswith(" of 8 target languages (why).")


def test_two_groups_are_one_test_and_of_more_those_that_differ_are_named() -> None:
    seen = [{"by": "seen", "group": name, "q": 0.3} for name in ("seen", "unseen")]
    assert said_of_languages(*seen)[1:] == [
        "By seen, seen (4) and all others (4) do not differ clearly: the difference is 0.100 [0.040, 0.160] (q = 0.3)."
    ]
    families = [{"by": "family", "group": name, "q": q} for name, q in (("A", 0.2), ("B", 0.01), ("C", np.nan))]
    assert said_of_languages(*families)[1:] == [
        "By family, groups that differ from all other languages (q below 0.05): 1 of 2 tested.",
        "By family, B (4) and all others (8) differ by 0.100 [0.040, 0.160] (q = 0.01).",
    ]

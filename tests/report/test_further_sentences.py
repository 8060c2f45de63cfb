"""What the page says of contrasts: how many are of which type, and the least divergences."""

import numpy as np
import pandas as pd

from phonxling.report.further import assimilation_sentences


def contrasts(**columns: list[object]) -> pd.DataFrame:
    """Return a table of four contrasts, whose columns may be others."""
    table = {
        "phone": ["p", "t", "i", "e"],
        "other": ["b", "d", "ĩ", "ɛ"],
        "type": ["TC", "TC", "SC", "UC"],
        "category": ["p", "t", "i", "ɪ"],
        "category_other": ["b", "d", "i", "ɛ"],
        "js": [0.9, 0.5, 0.01, 0.4],
        "js_low": [0.8, 0.3, 0.0, 0.2],
        "js_high": [1.0, 0.7, 0.05, 0.6],
    }
    return pd.DataFrame({**table, **columns})


def said_of_contrasts(table: pd.DataFrame) -> list[str]:
    return [str(one) for one in assimilation_sentences("yoruba", {"assimilation": table})]


def test_types_are_counted_and_contrasts_without_one_are_named() -> None:
    each = "two-category (TC), 1 single-category (SC), 1 uncategorised–categorised (UC)"
    assert said_of_contrasts(contrasts())[0] == f"Of 4 contrasts: 2 {each}."
    untyped = said_of_contrasts(contrasts(type=["TC", np.nan, "SC", "UC"]))[0]
    assert untyped.startswith(f"Of 4 contrasts: 1 {each}; 1 without a type")
    assert "none with a type" in said_of_contrasts(contrasts(type=[""] * 4))[0]


def test_the_least_divergences_stand_first_and_lead_to_the_answers() -> None:
    (_, least) = assimilation_sentences("yoruba", {"assimilation": contrasts()})
    assert str(least).endswith(
        ": i – ĩ 0.0100 [0, 0.0500], e – ɛ 0.400 [0.200, 0.600], t – d 0.500 [0.300, 0.700], p – b 0.900 [0.80, 1.00]."
    )
    addresses = [part.address for part in least.parts if part.address]
    assert addresses[:2] == ["#corpus=yoruba&gold=i&heard=i", "#corpus=yoruba&gold=%C4%A9&heard=i"]


def test_contrasts_without_numbers_are_not_counted() -> None:
    assert said_of_contrasts(contrasts(js=[np.nan] * 4)) == ["No contrast has enough tokens."]
    assert said_of_contrasts(contrasts(js=[0.9, np.nan, np.nan, np.nan]))[0] == "Of 1 contrast: 1 two-category (TC)."

"""What the page says of contrasts: types as far as they are sure, and the least divergences."""

import numpy as np
import pandas as pd

from phonxling.core.estimate import DESCRIPTIVE
from phonxling.report.further import assimilation_sentences

FEW = f"{DESCRIPTIVE}the interval rests on 4 speakers only"


def contrasts(**columns: list[object]) -> pd.DataFrame:
    """Return a table of four contrasts, whose columns may be others."""
    table = {
        "phone": ["p", "t", "i", "e"],
        "other": ["b", "d", "ĩ", "ɛ"],
        "type": ["TC", "TC", "SC", "UC"],
        "probability": [1.0, 0.7, 0.8, 0.99],
        "category": ["p", "t", "i", "ɪ"],
        "category_other": ["b", "d", "i", "ɛ"],
        "js": [0.9, 0.5, 0.01, 0.4],
        "js_low": [0.8, 0.3, 0.0, 0.2],
        "js_high": [1.0, 0.7, 0.05, 0.6],
        "note": ["", "", "", ""],
    }
    return pd.DataFrame({**table, **columns})


def said_of_contrasts(table: pd.DataFrame) -> list[str]:
    return [str(one) for one in assimilation_sentences("yoruba", {"assimilation": table})]


def test_types_are_counted_as_far_as_replicates_agree() -> None:
    types, _ = said_of_contrasts(contrasts())
    agree = "3 with a type in 80 % of the replicates or more"
    each = "1 two-category (TC), 1 single-category (SC), 1 uncategorised–categorised (UC)"
    assert types == f"Of 4 contrasts, {agree}: {each}."
    unsure = said_of_contrasts(contrasts(probability=[0.5] * 4))[0]
    assert unsure == "Of 4 contrasts, none has a type in 80 % of the replicates or more."


def test_few_speakers_and_no_replicates_make_no_type_sure() -> None:
    few = contrasts(note=[FEW] * 4)
    for table in (few, contrasts(probability=[np.nan] * 4)):
        assert said_of_contrasts(table)[0].startswith(
            "Of 4 contrasts, in these data, 2 two-category (TC), 1 single-category (SC)"
        )
        assert "to say how sure that is" in said_of_contrasts(table)[0]


def test_the_least_divergences_stand_first_and_lead_to_what_was_heard() -> None:
    (_, least) = assimilation_sentences("yoruba", {"assimilation": contrasts()})
    assert str(least).endswith(
        ": i – ĩ 0.0100 [0.0000, 0.0500], e – ɛ 0.400 [0.200, 0.600], t – d 0.500 [0.300, 0.700], "
        "p – b 0.90 [0.80, 1.00]."
    )
    addresses = [part.address for part in least.parts if part.address]
    assert addresses[:2] == ["#corpus=yoruba&gold=i&heard=i", "#corpus=yoruba&gold=%C4%A9&heard=i"]


def test_contrasts_without_numbers_are_not_counted() -> None:
    assert said_of_contrasts(contrasts(js=[np.nan] * 4)) == ["No contrast has enough tokens."]
    assert said_of_contrasts(contrasts(js=[0.9, np.nan, np.nan, np.nan]))[0].startswith("Of 1 contrast, 1 with a type")

"""What the page says of pooled confusions: phones whose upper limit of κ is low, and sure answers of rare phones."""

import numpy as np
import pandas as pd

from phonxling.core.estimate import DESCRIPTIVE
from phonxling.report.further import POOLING_PART as PART
from phonxling.report.further import pooling_sentences
from phonxling.tables.columns import column_names


def phones(**columns: list[object]) -> pd.DataFrame:
    """Return a table of three phones, whose columns may be others."""
    table: dict[str, list[object]] = {"phone": ["k", "p", "a"], "note": ["", "", ""]}
    for part, middle, high in (
        ("right", [8.0, 20.0, np.nan], [20.0, 90.0, np.nan]),
        ("wrong", [60.0] * 3, [np.inf] * 3),
    ):
        table |= {f"kappa_{part}": middle, f"kappa_{part}_low": [3.0] * 3, f"kappa_{part}_high": high}
    return pd.DataFrame({**table, **columns})


def cells(tokens: int = 10) -> pd.DataFrame:
    """Return the cells of a phone of so many tokens."""
    return pd.DataFrame(
        {
            "gold": ["ɛ̃", "ɛ̃"],
            "predicted": ["æ", "i"],
            "tokens": [tokens] * 2,
            "observed": [0.8, 0.2],
            "pooled": [0.64, 0.1],
            "low": [0.5, 0.02],
            "high": [0.78, 0.2],
        }
    )


def said(table: pd.DataFrame, of: pd.DataFrame) -> list[str]:
    return [str(one) for one in pooling_sentences("yoruba", {"pooled_phones": table, "pooled": of})]


def test_phones_with_a_low_upper_limit_are_counted_and_named() -> None:
    right, wrong, _ = said(phones(), cells())
    claim = "Speakers or utterances clearly differ (κ below 50) in"
    assert right == f"{claim} how often they are heard right for 1 of 2 phones, first k κ 8.0 [3.0, 20.0]."
    assert wrong == f"{claim} what they are heard as when wrong for none of 3 phones."


def test_rare_phones_have_their_sure_answers_which_lead_to_the_utterances() -> None:
    *_, last = pooling_sentences("yoruba", {"pooled_phones": phones(), "pooled": cells()})
    assert str(last).endswith(": ɛ̃ as æ 0.64 [0.50, 0.78] (0.80 of 10 tokens).")
    assert [part.address for part in last.parts if part.address] == ["#corpus=yoruba&gold=%C9%9B%CC%83&heard=%C3%A6"]
    assert "none has an answer" in said(phones(), cells().assign(low=0.01))[-1]
    assert len(said(phones(), cells(500))) == 2


def test_few_speakers_are_not_said_to_differ() -> None:
    few = phones(note=[f"{DESCRIPTIVE}the interval rests on 4 speakers only"] * 3)
    assert len(said(few, cells())) == 1


def test_the_part_shows_columns_that_the_table_has() -> None:
    assert set(PART.columns) <= set(column_names("pooled_phones"))

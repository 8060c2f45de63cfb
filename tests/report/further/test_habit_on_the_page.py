"""What the page says of habit: no more than interval, p and q support."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

from phonxling.report.further.habit import PART

NO_ERRORS = pd.DataFrame({"gold": [], "predicted": [], "excess": [], "low": [], "high": [], "p": [], "q": []})


def said(share: float, low: float, high: float, p: float, note: str = "") -> list[str]:
    limits = {"share": [share], "low": [low], "high": [high], "p": [p], "q": [np.nan], "note": [note]}
    contexts = pd.DataFrame({"kind": ["all"], "context": ["all"], "tokens": [1072.0], **limits})
    return [str(one) for one in PART.sentences("spanish", {"habit": NO_ERRORS, "habit_contexts": contexts})]


@pytest.mark.parametrize(
    ("numbers", "told"),
    [
        ((0.34, 0.14, 0.53, 0.003), "follow the reference’s phonotactics as much as if a share of 0.34 [0.14, 0.53]"),
        ((0.12, -0.06, 0.30, 0.14), "are not told apart from phones heard by sound alone: share pulled 0.12"),
        ((0.34, -0.01, 0.53, 0.003), "are not told apart"),
        ((-0.3, -0.5, -0.1, 0.01), "avoid what the reference’s phonotactics have there"),
        ((0.34, np.nan, np.nan, np.nan), "is not judged"),
        ((np.nan, np.nan, np.nan, np.nan, "places differ too little"), "Nothing is told of habit from 1,072 wrong"),
        ((0.3, 0.1, 0.5, 0.01, "descriptive: the interval rests on 4 speakers only"), "is not judged"),
    ],
)
def test_a_sentence_claims_what_its_interval_supports(numbers: tuple[Any, ...], told: str) -> None:
    first, *others = said(*numbers)
    assert told in first
    assert others == ([f"To be minded: {numbers[4]}."] if len(numbers) > 4 and not np.isnan(numbers[0]) else [])


def test_contexts_and_errors_are_named_by_q() -> None:
    contexts = pd.DataFrame(
        {
            "kind": ["all", "left", "right", "position"],
            "context": ["all", "vowels", "stops", "medial"],
            "tokens": [100, 50, 50, 100],
            "share": [0.3, 0.5, 0.2, -0.4],
            "low": [0.1, 0.2, 0.1, -0.6],
            "high": [0.5, 0.8, 0.3, -0.2],
            "p": [0.01, 0.01, 0.04, 0.01],
            "q": [np.nan, 0.02, 0.08, 0.02],
            "note": [""] * 4,
        }
    )
    errors = pd.DataFrame(
        {
            "gold": ["ɾ", "n", "t"],
            "predicted": ["ɹ", "ŋ", "k"],
            "excess": [2.5, 1.0, -1.0],
            "low": [1.3, 0.1, -2.0],
            "high": [3.6, 1.9, -0.1],
            "p": [0.001, 0.03, 0.001],
            "q": [0.003, 0.2, 0.003],
        }
    )
    _, places, named = PART.sentences("yoruba", {"habit": errors, "habit_contexts": contexts})
    assert str(places) == "The share is above 0 (q < 0.05) in these contexts: after vowels 0.50 [0.20, 0.80]."
    assert (
        str(named)
        == "Single errors in the places that the reference has them in: ɾ heard as ɹ (excess 2.5 [1.3, 3.6] bits)."
    )
    assert named.parts[1].address == "#corpus=yoruba&gold=%C9%BE&heard=%C9%B9"


def test_without_tokens_nothing_is_told() -> None:
    empty = pd.DataFrame({"kind": [], "note": []})
    (only,) = PART.sentences("spanish", {"habit": NO_ERRORS, "habit_contexts": empty})
    assert "nothing is told" in str(only)

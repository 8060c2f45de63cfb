"""Intervals as a user meets them: in the tables of a run and of a score."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from running import read_tsv

import phonxling as px

UPPER = 1.959964**2 / (1.959964**2 + 90 / 1.2)  # of no error in 90 phones, three an utterance
COUNTS = {"gold_tokens", "utterances", "speakers"}  # what there is: nothing is estimated
OTHERS = (  # whose intervals their own tests see to
    *("error_share", "ece", "brier", "normalised", "chance", "skill", "posterior", "expected", "nce", "decision"),
    *("tone", "trust", "distance", "wper_excess", "mutual_information_excess"),
    "one_to_one_accuracy",  # whose halves are drawn from the seed
    *("inventory_", "boundary_", "r_value", "times_", "pfer"),
    "speaker_sd",  # of these speakers
)
KEYS = ["measure", "variant"]


def estimated(rows: pd.DataFrame) -> pd.DataFrame:
    rows = rows[rows["variant"] != "ml"]  # which has none
    rows = rows[~rows["measure"].str.startswith(OTHERS) & ~rows["measure"].isin(COUNTS)]
    return rows.dropna(subset="value").set_index(KEYS)


def score_of(utterances: int, *settings: str) -> px.Score:
    """Return the score of made utterances of twelve speakers, with some phones left out of either side."""
    draws = np.random.default_rng(4)
    gold = draws.choice(list("ptkai"), (utterances, 9))
    predicted = np.where(draws.random(gold.shape) < 0.2, draws.choice(list("ptkai"), gold.shape), gold)
    sides = [[[*row[draws.random(9) < 0.9]] for row in side] for side in (gold, predicted)]
    speakers = [f"s{number % 12}" for number in range(utterances)]
    return px.score(*sides, speakers=speakers, settings=["chance.models=[constant]", *settings])


@pytest.fixture(scope="module")
def scored() -> px.Score:
    return score_of(60)


def test_every_number_of_alignment_and_counts_has_an_interval_around_it(small_run: Path, scored: px.Score) -> None:
    stored = read_tsv(small_run / "results" / "summary.tsv")
    for rows in (stored[stored["corpus"] == "yoruba"], scored.summary):
        own = estimated(rows)
        assert len(own) > 10
        assert ((own["low"] <= own["value"]) & (own["value"] <= own["high"])).all()
    phones = scored.phones
    for name in (column.removesuffix("_low") for column in phones.columns if column.endswith("_low")):
        known = phones[phones[f"{name}_low"].notna()]
        assert ((known[f"{name}_low"] <= known[name]) & (known[name] <= known[f"{name}_high"])).all(), name


def test_four_speakers_of_four_utterances_have_no_intervals_and_no_verdict() -> None:
    rows = score_of(4).summary.set_index("measure")
    known = rows[rows["value"].notna()].drop(index=COUNTS)
    assert known[["low", "high"]].isna().all(axis=None)
    for name in ("per", "wper", "skill_wper", "conditional_entropy"):
        assert rows.loc[[name], "status"].iloc[0] == "too-few-clusters"
    assert not known["note"].str.contains("better than|worse than").any()


def test_the_seed_moves_neither_numbers_nor_limits_and_a_lower_level_has_narrower_ones(scored: px.Score) -> None:
    first, again, lower = (
        estimated(one.summary) for one in (scored, score_of(60, "seed=21"), score_of(60, "uncertainty.level=0.8"))
    )
    numbers = ["value", "low", "high"]
    pd.testing.assert_frame_equal(again[numbers], first[numbers])
    known = first["low"].notna()
    assert (first.loc[known, "low"] <= lower.loc[known, "low"]).all()
    assert (first.loc[known, "high"] >= lower.loc[known, "high"]).all()
    assert lower["value"].equals(first["value"])


def test_a_recogniser_without_error_is_not_shown_as_certain() -> None:
    found = px.score(["p a t"] * 30, ["p a t"] * 30, settings=["chance.models=[constant]"])
    for rate in (found.per, found.wper):
        assert (rate.low, rate.high) == pytest.approx((0, UPPER), abs=1e-5)
    assert (found.skill_per, found.skill_per.low) == pytest.approx((1, 1 - UPPER / (2 / 3)))
    assert np.isnan(found.conditional_entropy.low)
    assert found.conditional_entropy.status == "undefined"


def check_shares(cells: pd.DataFrame) -> None:
    for side, share in (("gold", "share_of_gold"), ("predicted", "share_of_predicted")):
        own = cells[cells[side] != "∅"]
        tokens = own[side].map(own.groupby(side)["count"].sum())  # deleted and inserted ones included
        assert own[share].to_numpy() == pytest.approx((own["count"] / tokens).to_numpy())


def test_with_gaps_the_gap_is_a_symbol_of_all_probabilities() -> None:
    found = score_of(60, "entropy.gaps=include")
    cells = found.confusions
    assert {"∅"} < set(cells["gold"]) & set(cells["predicted"])
    check_shares(cells)
    joint = cells["count"] / cells["count"].sum()
    gold, predicted = (cells[side].map(joint.groupby(cells[side]).sum()) for side in ("gold", "predicted"))
    pmi = np.log2(joint / gold / predicted)
    assert cells["pmi"].to_numpy() == pytest.approx(pmi.to_numpy(), abs=1e-12)
    assert cells["npmi"].to_numpy() == pytest.approx((-pmi / np.log2(joint)).to_numpy(), abs=1e-12)
    assert (joint * pmi).sum() == pytest.approx(found["mutual_information:ml"])


def test_without_gaps_the_gap_has_counts_and_shares_alone(scored: px.Score) -> None:
    cells = scored.confusions
    gaps = (cells["gold"] == "∅") | (cells["predicted"] == "∅")
    assert gaps.any()
    assert cells.loc[gaps, ["pmi", "npmi"]].isna().all(axis=None)
    assert cells.loc[~gaps, ["pmi", "npmi"]].notna().all(axis=None)
    check_shares(cells)


def test_the_order_of_many_utterances_of_the_same_phones_decides_nothing() -> None:
    """210 utterances are left out in groups: by their phones, and by the answers where the phones are the same."""
    draws = np.random.default_rng(1)
    rows = [("t a", " ".join(draws.choice(list("ptkai"), 2))) for _ in range(210)]
    settings = {"settings": ["chance.models=[constant]"]}
    tables = [
        estimated(px.score(*map(list, zip(*order, strict=True)), **settings).summary) for order in (rows, rows[::-1])
    ]
    columns = ["value", "low", "high"]
    assert tables[0].index.size > 10
    np.testing.assert_allclose(*(table[columns] for table in tables), rtol=1e-9)

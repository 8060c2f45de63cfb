"""Intervals as a user meets them: in summary.tsv and phones.tsv of an experiment."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from running import tables_of
from small_experiment import make_experiment
from support import transcript

import phonxling as px
from phonxling.alignment.confusions import stack_confusions

Tables = dict[str, pd.DataFrame]
UPPER = 1.959964**2 / (1.959964**2 + 90 / 1.2)  # of no error in 90 phones, three an utterance
COUNTS = {"gold_tokens", "utterances", "speakers"}  # what there is: nothing is estimated
OTHERS = (  # whose intervals their own tests see to
    *("error_share", "ece", "brier", "normalised", "chance", "skill", "posterior", "expected", "nce"),
    *("tone", "trust", "distance", "wper_excess", "mutual_information_excess"),
    "one_to_one_accuracy",  # whose halves are drawn from the seed
    *("inventory_", "boundary_", "r_value"),
    "speaker_sd",  # of these speakers
)
CONFIGURATION = """\
corpora:
  yoruba:
    recogniser: {inventory: [P, B, T, AA, IY, UW, S]}
    gold:      {path: yoruba/gold.tsv}
    predicted: {path: yoruba/predicted.tsv, symbols: arpabet}
    speakers:  {path: yoruba/speakers.tsv}
chance:      {models: [constant]}
"""


@pytest.fixture(scope="module")
def config(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made(tmp_path_factory.mktemp("intervals"), 24)


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Tables:
    """Four utterances of four speakers."""
    return tables_of(made(tmp_path_factory.mktemp("tiny"), 4))


@pytest.fixture(scope="module")
def tables(config: Path) -> Callable[..., Tables]:
    return partial(tables_of, config)


def made(folder: Path, utterances: int) -> Path:
    make_experiment(folder, utterances)
    path = folder / "yoruba.yaml"
    path.write_text(CONFIGURATION, encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def plain(tables: Callable[..., Tables]) -> Tables:
    return tables()


def rows_of(found: Tables, corpus: str = "yoruba") -> pd.DataFrame:
    rows = found["summary"]
    rows = rows[rows["variant"] != "ml"]  # which has none
    return rows[(rows["corpus"] == corpus) & ~rows["measure"].str.startswith(OTHERS) & ~rows["measure"].isin(COUNTS)]


def test_every_number_of_alignment_and_counts_has_an_interval(plain: Tables) -> None:
    rows = rows_of(plain).dropna(subset="value")  # no phone is deleted here, nor inserted
    assert len(rows) > 20
    assert rows[rows["low"].isna()]["measure"].tolist() == []
    assert (rows["low"] < rows["high"]).all()


def test_numbers_lie_within_their_intervals(plain: Tables, tiny: Tables) -> None:
    for found in (plain, tiny):
        rows = found["summary"]
        assert ((rows["low"] <= rows["value"]) & (rows["value"] <= rows["high"]))[rows["low"].notna()].all()
        phones = found["yoruba/phones"]
        for name in (column.removesuffix("_low") for column in phones.columns if column.endswith("_low")):
            known = phones[phones[f"{name}_low"].notna()]
            assert ((known[f"{name}_low"] <= known[name]) & (known[name] <= known[f"{name}_high"])).all(), name


def test_four_speakers_of_four_utterances_have_no_intervals_and_no_verdict(tiny: Tables) -> None:
    rows = tiny["summary"]
    rows = rows[~rows["measure"].isin(COUNTS) & rows["value"].notna()]
    assert rows[["low", "high"]].isna().all(axis=None)
    own = rows.set_index(["measure", "variant"])
    for key in (("per", ""), ("wper", ""), ("skill_wper", "best"), ("conditional_entropy", "")):
        assert (own.loc[key, "status"], own.loc[key, "n"] > 0) == ("too-few-clusters", True)
    assert "utterances: too few for intervals" in own.loc[("wper", ""), "note"]
    assert not rows["note"].str.contains("better than|worse than").any()


def spoken(config: Path, plain: Tables) -> px.Corpus:
    """Return the corpus of the run with its speakers."""
    data = config.parent / "yoruba"
    read = px.load_corpus(data / "gold.tsv", data / "predicted.tsv", symbols=("ipa", "arpabet"))
    speakers = tuple(plain["yoruba/utterances"]["speaker"])
    return px.Corpus(gold=read.gold, predicted=read.predicted, speakers=speakers)


def test_the_seed_moves_neither_numbers_nor_limits_and_a_lower_level_has_narrower_ones(
    tables: Callable[..., Tables], plain: Tables
) -> None:
    keys, limits = ["measure", "variant"], ["low", "high"]
    first = rows_of(plain).set_index(keys)
    again, lower = (rows_of(tables(setting)).set_index(keys) for setting in ("seed=21", "uncertainty.level=0.8"))
    pd.testing.assert_frame_equal(again[["value", *limits]], first[["value", *limits]])
    known = first["low"].notna()
    assert (first.loc[known, "low"] <= lower.loc[known, "low"]).all()
    assert (first.loc[known, "high"] >= lower.loc[known, "high"]).all()
    assert lower["value"].equals(first["value"])


def test_a_recogniser_without_error_is_not_shown_as_certain(tmp_path: Path) -> None:
    for name in ("gold", "predicted"):
        transcript(tmp_path / f"{name}.tsv", ["p a t"] * 30)
    (tmp_path / "c.yaml").write_text("corpora: {x: {gold: gold.tsv, predicted: predicted.tsv}}\n", encoding="utf-8")
    found = tables_of(tmp_path / "c.yaml", "chance.models=[constant]")
    rows = rows_of(found, "x").set_index(["measure", "variant"])
    for rate in ("per", "wper"):
        assert (rows.loc[(rate, ""), "low"], rows.loc[(rate, ""), "high"]) == pytest.approx((0, UPPER), abs=1e-5)
    skill = found["summary"].set_index(["measure", "variant"]).loc[("skill_per", "best")]
    assert (skill["value"], skill["low"]) == pytest.approx((1, 1 - UPPER / (2 / 3)))
    assert "better than constant predictions" in skill["note"]
    assert np.isnan(rows.loc[("conditional_entropy", ""), "low"])
    assert rows.loc[("conditional_entropy", ""), "status"] == "undefined"


def test_the_limits_of_a_rate_are_those_of_the_python_interface(config: Path, plain: Tables) -> None:
    corpus = spoken(config, plain)
    costs = px.feature_costs(corpus.gold_inventory, corpus.predicted_inventory)
    stack = stack_confusions(px.align_corpus(corpus, costs))
    found = px.jackknife(
        lambda matrix: px.weighted_phone_error_rate(matrix, costs), stack, speakers=corpus.speaker_numbers, kind="rate"
    )
    row = rows_of(plain).set_index("measure").loc["wper"]
    assert (row["value"], row["low"], row["high"]) == pytest.approx((found.value, found.low, found.high))


@pytest.fixture(scope="module")
def gappy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same with phones left out of gold first, and of the predictions later on."""
    path = made(tmp_path_factory.mktemp("gappy"), 24)
    for name in ("gold", "predicted"):
        file = path.parent / "yoruba" / f"{name}.tsv"
        header, *lines = file.read_text(encoding="utf-8").splitlines()
        early = [number < len(lines) / 2 for number in range(len(lines))]
        left = [line for place, line in enumerate(lines) if place % 5 != 3 or early[place] != (name == "gold")]
        file.write_text("\n".join([header, *left]) + "\n", encoding="utf-8")
    return path


def test_with_gaps_the_gap_is_a_symbol_of_all_probabilities(gappy: Path) -> None:
    found = tables_of(gappy, "entropy.gaps=include")
    cells = found["yoruba/confusions"]
    assert {"∅"} < set(cells["gold"])
    assert {"∅"} < set(cells["predicted"])
    for side, share in (("gold", "share_of_gold"), ("predicted", "share_of_predicted")):
        assert cells.groupby(side)[share].sum().to_numpy() == pytest.approx(1)
    joint = cells["count"] / cells["count"].sum()
    gold, predicted = (cells[side].map(joint.groupby(cells[side]).sum()) for side in ("gold", "predicted"))
    pmi = np.log2(joint / gold / predicted)
    assert cells["pmi"].to_numpy() == pytest.approx(pmi.to_numpy(), abs=1e-12)
    assert cells["npmi"].to_numpy() == pytest.approx((-pmi / np.log2(joint)).to_numpy(), abs=1e-12)
    numbers = found["summary"].set_index(["measure", "variant"])["value"]
    assert (joint * pmi).sum() == pytest.approx(numbers["mutual_information", "ml"])


def test_without_gaps_the_gap_has_counts_and_shares_alone(gappy: Path) -> None:
    cells = tables_of(gappy)["yoruba/confusions"]
    gaps = (cells["gold"] == "∅") | (cells["predicted"] == "∅")
    assert gaps.any()
    assert cells.loc[gaps, ["pmi", "npmi"]].isna().all(axis=None)
    assert cells.loc[~gaps, ["pmi", "npmi"]].notna().all(axis=None)
    for side, share in (("gold", "share_of_gold"), ("predicted", "share_of_predicted")):
        own = cells[cells[side] != "∅"]
        tokens = own[side].map(own.groupby(side)["count"].sum())  # deleted and inserted ones included
        assert own[share].to_numpy() == pytest.approx((own["count"] / tokens).to_numpy())

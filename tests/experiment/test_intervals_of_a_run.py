"""Intervals as a user meets them: in summary.tsv and phones.tsv of an experiment."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from running import all_numbers, tables_of
from small_experiment import make_experiment
from support import transcript

import phonxling as px
from phonxling.core.estimate import is_descriptive

Tables = dict[str, pd.DataFrame]
UPPER = 1.959964**2 / (1.959964**2 + 90 / 1.2)  # of no error in 90 phones, three an utterance
COUNTS = {"gold_tokens", "utterances", "speakers"}  # what there is: nothing is estimated
OTHERS = (  # whose intervals their own tests see to
    *("error_share", "frames", "ece", "brier", "normalised", "chance", "skill", "posterior", "expected", "nce"),
    *("tone", "trust", "distance", "wper_excess", "mutual_information_excess"),
    "one_to_one_accuracy",  # whose halves are drawn from the seed
    *("inventory_", "boundary_", "r_value"),
    *(f"{rate}_{what}" for rate in ("per", "wper") for what in ("median", "sd", "min", "max")),  # of utterances
)
INFORMATION = ("conditional_entropy", "conditional_entropy_given_predicted", "mutual_information")


CONFIGURATION = """\
corpora:
  yoruba:
    recogniser: {inventory: [P, B, T, AA, IY, UW, S]}
    gold:      {path: yoruba/gold.tsv}
    predicted: {path: yoruba/predicted.tsv, symbols: arpabet}
    speakers:  {path: yoruba/speakers.tsv}
chance:      {models: [constant]}
uncertainty: {resamples: 50}
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
    rows = all_numbers(found)
    rows = rows[~rows["variant"].str.startswith(("null", "excess"))]  # of chance
    rows = rows[~rows["variant"].isin(["ml", "chao-shen"])]  # which have none
    return rows[(rows["corpus"] == corpus) & ~rows["measure"].str.startswith(OTHERS) & ~rows["measure"].isin(COUNTS)]


def test_every_number_of_alignment_and_counts_has_an_interval(plain: Tables) -> None:
    rows = rows_of(plain).dropna(subset="value")  # no phone is deleted here, nor inserted
    assert len(rows) > 20
    assert rows[rows["low"].isna()]["measure"].tolist() == []
    assert (rows["low"] < rows["high"]).all()
    assert (rows["level"] == 0.95).all()


def test_numbers_lie_within_their_intervals(plain: Tables, tiny: Tables) -> None:
    for found in (plain, tiny):
        rows = all_numbers(found)
        assert ((rows["low"] <= rows["value"]) & (rows["value"] <= rows["high"]))[rows["low"].notna()].all()
        phones = found["yoruba/phones.tsv"]
        for name in (column.removesuffix("_low") for column in phones.columns if column.endswith("_low")):
            known = phones[phones[f"{name}_low"].notna()]
            assert ((known[f"{name}_low"] <= known[name]) & (known[name] <= known[f"{name}_high"])).all(), name


def test_estimators_stand_beside_the_corrected_estimate_without_intervals(plain: Tables) -> None:
    rows = all_numbers(plain)
    for measure in INFORMATION:
        mine = rows[rows["measure"] == measure].set_index("variant")
        assert mine.index.tolist() == ["", "ml", "chao-shen"]
        assert mine["low"].notna().tolist() == mine["high"].notna().tolist() == [True, False, False]
    bits, phones = (rows[rows["measure"] == name].iloc[0] for name in ("conditional_entropy", "perplexity"))
    for number in ("value", "low", "high"):
        assert phones[number] == pytest.approx(2 ** bits[number])


def test_few_tokens_a_cell_are_told_beside_every_measure_of_information(plain: Tables, tiny: Tables) -> None:
    for found, few in ((plain, False), (tiny, True)):
        mean = found["yoruba/confusions.tsv"].query("gold != '∅' and predicted != '∅'")["count"].mean()
        assert (mean < 4) == few
        warning = f"only {mean:.1f} tokens a cell seen: the interval holds the truth less often than it says"
        rows = rows_of(found)
        told = rows.loc[rows["measure"].isin(INFORMATION), "note"].str.contains(warning, regex=False)
        assert told.tolist() == [few] * len(told)


def spoken(config: Path, plain: Tables) -> px.Corpus:
    """Return the corpus of the run with its speakers."""
    data = config.parent / "yoruba"
    read = px.load_corpus(data / "gold.tsv", data / "predicted.tsv", symbols=("ipa", "arpabet"))
    speakers = tuple(plain["yoruba/utterances.tsv"]["speaker"])
    return px.Corpus(gold=read.gold, predicted=read.predicted, speakers=speakers)


def test_each_phone_with_tokens_has_limits_around_its_shares(plain: Tables) -> None:
    rows = plain["yoruba/phones.tsv"]
    rows = rows[rows["tokens"] > 0]
    for name, there in (("accuracy", rows), ("deletion_rate", rows[rows["side"] == "gold"])):
        assert (there[f"{name}_low"] <= there[name]).all()
        assert (there[name] <= there[f"{name}_high"]).all()
        assert (there[f"{name}_low"] < there[f"{name}_high"]).all()
    known = rows[rows["entropy_low"].notna()]
    assert len(known) > 10
    assert known["perplexity_low"].to_numpy() == pytest.approx(2 ** known["entropy_low"].to_numpy())
    number = plain["yoruba/phones.tsv"]["side"].value_counts()
    most = known["side"].map({"gold": np.log2(number["predicted"]), "predicted": np.log2(number["gold"])})
    within = known[(known["entropy_low"] > 0) & (known["entropy_high"] < most - 1e-9)]
    assert len(within) >= 5
    middles = within[["entropy_low", "entropy_high"]].mean(axis=1).to_numpy()
    assert middles == pytest.approx(within["entropy"].to_numpy())
    unknown = rows[rows["entropy_low"].isna()]
    assert unknown["note"].str.contains("no interval").all()
    told = rows["note"].str.contains(r"no interval of [^;]*mean_substitution_cost", regex=True)
    assert (told == (rows["mean_substitution_cost"].notna() & rows["mean_substitution_cost_low"].isna())).all()


def test_phones_with_few_tokens_are_warned_of(plain: Tables, tiny: Tables) -> None:
    for found, few in ((plain, False), (tiny, True)):
        gold = found["yoruba/phones.tsv"].query("side == 'gold'")
        aligned = gold["tokens"] * (1 - gold["deletion_rate"])
        assert (aligned < 20).any() == few
        assert ((aligned < 20) == gold["note"].str.contains("fewer than 20 tokens")).all()
        assert gold.loc[gold["accuracy_low"].notna(), "note"].map(is_descriptive).any() == few


def test_numbers_stay_whatever_the_method_and_seed_and_limits_move(
    tables: Callable[..., Tables], plain: Tables
) -> None:
    first = rows_of(plain).set_index(["measure", "variant"])
    chance = "chance.models=[constant,unigram]", "chance.replicates=3"
    runs = {method: tables(f"uncertainty.method={method}", *chance) for method in ("percentile", "basic", "bca")}
    others = {name: rows_of(found) for name, found in {**runs, "seed": tables("seed=21")}.items()}
    for method in ("percentile", "basic"):
        rows = all_numbers(runs[method])
        rows = rows[rows["measure"].str.contains("entropy|information|perplexity|coefficient") & rows["low"].notna()]
        assert len(rows) >= 7
        assert ((rows["low"] <= rows["value"]) & (rows["value"] <= rows["high"])).all()
    for name, rows in others.items():
        found = rows.set_index(["measure", "variant"])
        assert found["value"].equals(first["value"]), name
        assert found.loc[("wper", ""), "low"] != first.loc[("wper", ""), "low"]
    assert others["bca"]["signature"].str.contains("|ci:bca|", regex=False).all()
    assert not first["signature"].str.contains("ci:").any()


def test_a_recogniser_without_error_is_not_shown_as_certain(tmp_path: Path) -> None:
    for name in ("gold", "predicted"):
        transcript(tmp_path / f"{name}.tsv", ["p a t"] * 30)
    (tmp_path / "c.yaml").write_text("corpora: {x: {gold: gold.tsv, predicted: predicted.tsv}}\n", encoding="utf-8")
    found = tables_of(tmp_path / "c.yaml", "chance.models=[constant]", "uncertainty.resamples=50")
    rows = rows_of(found, "x").set_index(["measure", "variant"])
    for rate in ("per", "wper", "per_aligned"):
        assert (rows.loc[(rate, ""), "low"], rows.loc[(rate, ""), "high"]) == pytest.approx((0, UPPER), abs=1e-5)
        assert "nothing but 0 was seen" in rows.loc[(rate, ""), "note"]
    assert rows.loc[("accuracy", ""), "low"] == pytest.approx(1 - UPPER, abs=1e-5)
    skill = found["summary.tsv"].set_index(["measure", "variant"]).loc[("skill_per", "best")]
    assert (skill["value"], skill["low"]) == pytest.approx((1, 1 - UPPER / (2 / 3)))
    assert "better than constant predictions" in skill["note"]
    assert np.isnan(rows.loc[("conditional_entropy", ""), "low"])
    assert "do not differ" in rows.loc[("conditional_entropy", ""), "note"]


def test_the_limits_of_a_rate_are_those_of_the_python_interface(config: Path, plain: Tables) -> None:
    corpus = spoken(config, plain)
    costs = px.feature_costs(corpus.gold_inventory, corpus.predicted_inventory)
    stack = px.stack_confusions(px.align_corpus(corpus, costs))
    found = px.bootstrap(
        lambda matrix: px.weighted_phone_error_rate(matrix, costs),
        stack,
        speakers=corpus.speaker_numbers,
        replicates=50,
        seed=20,
        kind="rate",
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
    found = tables_of(gappy, "entropy.gaps=include", "uncertainty.resamples=2")
    cells, total = found["yoruba/confusions.tsv"], found["yoruba/confusions.tsv"]["count"].sum()
    assert {"∅"} < set(cells["gold"])
    assert {"∅"} < set(cells["predicted"])
    for side, share in (("gold", "p_predicted_given_gold"), ("predicted", "p_gold_given_predicted")):
        assert cells.groupby(side)[share].sum().to_numpy() == pytest.approx(1)
    assert cells["p_joint"].to_numpy() == pytest.approx(cells["count"].to_numpy() / total)
    gold, predicted = (cells[side].map(cells.groupby(side)["p_joint"].sum()) for side in ("gold", "predicted"))
    pmi = np.log2(cells["p_joint"] / gold / predicted)
    assert cells["pmi"].to_numpy() == pytest.approx(pmi.to_numpy(), abs=1e-12)
    assert cells["npmi"].to_numpy() == pytest.approx((-pmi / np.log2(cells["p_joint"])).to_numpy(), abs=1e-12)
    numbers = all_numbers(found).set_index(["measure", "variant"])["value"]
    assert (cells["p_joint"] * pmi).sum() == pytest.approx(numbers["mutual_information", "ml"])


def test_without_gaps_the_gap_has_counts_and_shares_alone(gappy: Path) -> None:
    cells = tables_of(gappy, "uncertainty.resamples=2")["yoruba/confusions.tsv"]
    gaps = (cells["gold"] == "∅") | (cells["predicted"] == "∅")
    assert gaps.any()
    assert cells.loc[gaps, ["p_joint", "pmi", "npmi"]].isna().all(axis=None)
    for side, other, share in (
        ("gold", "predicted", "p_predicted_given_gold"),
        ("predicted", "gold", "p_gold_given_predicted"),
    ):
        own = cells[cells[side] != "∅"]
        assert own[own[other] != "∅"].groupby(side)[share].sum().to_numpy() == pytest.approx(1)
        lost = own[own[other] == "∅"].set_index(side)
        tokens = own.groupby(side)["count"].sum()
        assert lost[share].to_numpy() == pytest.approx((lost["count"] / tokens[lost.index]).to_numpy())

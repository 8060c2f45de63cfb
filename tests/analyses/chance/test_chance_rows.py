"""Chance beside every measure: levels and draws by hand, and rows of the summary."""

import zlib
from io import StringIO
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from running import all_numbers, read_numbers_tsv, tables_of
from support import corpus_of

import phonxling as px
from phonxling.alignment.corpus import align_sequences
from phonxling.alignment.costs import cost_table
from phonxling.analyses.chance import ChanceSettings, bigram_predictions, chance_levels, constant_prediction
from phonxling.analyses.entropy import confusion_information
from phonxling.analyses.statistics import MUTUAL_INFORMATION, CountSettings
from phonxling.core.sequences import Corpus, PhoneSequences
from phonxling.count.confusions import count_confusions
from phonxling.resample.intervals import resampling
from phonxling.tables.files import read_table

PHONES = ["a", "e", "i", "u", "b", "d"]
MODELS = ["constant", "unigram", "bigram", "shuffled"]


def random_corpus(utterances: int, seed: int, phones: int = 8) -> Corpus:
    """Return gold and predictions that know nothing of each other."""
    generator = np.random.default_rng(seed)
    return corpus_of(*([list(generator.choice(PHONES, phones)) for _ in range(utterances)] for _ in range(2)))


def test_a_draw_is_a_replicate_under_the_weights_of_the_corpus() -> None:
    """Draw r is of the model's replicate r mod 3, aligned anew, each utterance as often as draw r has it."""
    corpus = random_corpus(9, 1)
    costs = px.feature_costs(corpus.gold_inventory, corpus.predicted_inventory)
    weights = resampling(9, ["x", "x", "y", "y", "z", "z", "v", "v", "v"], resamples=7, seed=4)
    counting = CountSettings(np.arange(9, dtype=np.int8) % 2)
    settings = ChanceSettings(("bigram",), 3, 5, weights, counting, (MUTUAL_INFORMATION.key,))
    (level,) = chance_levels(corpus, settings, costs=costs)
    key = [5, zlib.crc32(b"bigram")]
    for draw in range(7):
        drawn = bigram_predictions(corpus.predicted, np.random.default_rng([*key, draw % 3]))
        aligned = align_sequences(corpus.gold, drawn, costs)
        often = weights.weights[draw][weights.clusters]
        assert level.drawn_cost[draw] == pytest.approx((aligned.cost / aligned.denominator * often).sum())
        chosen = np.repeat(np.arange(9), often)
        again = align_sequences(*(_repeated(side, chosen) for side in (corpus.gold, drawn)), costs)
        wanted = confusion_information(count_confusions(again), "miller-madow")
        assert level.drawn_measures["mutual_information"][draw] == pytest.approx(wanted, abs=1e-9)
    assert level.rate == pytest.approx(level.cost.sum() / 72)


def _repeated(side: PhoneSequences, chosen: np.ndarray) -> PhoneSequences:
    found = side.select(chosen)
    names = tuple(f"r{number}" for number in range(len(chosen)))
    return PhoneSequences(utterances=names, offsets=found.offsets, codes=found.codes, inventory=found.inventory)


def test_the_best_constant_is_chosen_anew_in_each_draw() -> None:
    corpus = random_corpus(6, 3)
    costs = cost_table("unit", corpus.gold_inventory, corpus.predicted_inventory, None)
    weights = resampling(6, None, resamples=40, seed=4)
    (level,) = chance_levels(corpus, ChanceSettings(("constant",), 3, 5, resampling=weights), costs=costs)
    constants = (constant_prediction(corpus.predicted, code) for code in range(len(corpus.predicted_inventory)))
    each = np.array([align_sequences(corpus.gold, drawn, costs).cost / costs.denominator for drawn in constants])
    every = each @ weights.weights.T.astype(float)
    assert len(set(every.argmin(axis=0).tolist())) > 1
    assert level.drawn_cost == pytest.approx(every.min(axis=0))


@pytest.fixture(scope="module")
def rows(small_run: Path) -> pd.DataFrame:
    found = read_numbers_tsv(small_run / "results")
    return found[found["corpus"] == "yoruba"].set_index(["measure", "variant"])


def test_pandas_reads_every_variant_as_it_stands(rows: pd.DataFrame) -> None:
    """A variant called null alone would be read as missing."""
    written = rows.reset_index()["variant"]
    assert pd.read_csv(StringIO(written.to_csv()))["variant"].fillna("").tolist() == written.tolist()


def test_every_measure_stands_beside_its_null(rows: pd.DataFrame) -> None:
    value = rows["value"]
    for name in ("per", "wper"):
        levels = value[f"chance_{name}"]
        assert sorted(levels.index) == sorted(["best", *MODELS])
        assert levels["best"] == levels[MODELS].min()
        assert value[f"skill_{name}"].to_dict() == pytest.approx({"best": 1 - value[name, ""] / levels["best"]})
    accuracy = value["one_to_one_accuracy"]
    assert sorted(accuracy.index) == ["cross-fitted", "excess best", "null best"]
    assert accuracy["excess best"] == pytest.approx(accuracy["cross-fitted"] - accuracy["null best"])
    assert "the constant is left out" in rows["note"]["mutual_information_excess", "best"]


def test_nulls_have_intervals_and_say_whether_they_are_passed(rows: pd.DataFrame) -> None:
    beside = rows[rows.index.get_level_values(0).str.contains("chance|skill|null|excess") & (rows["unit"] != "phones")]
    of_others = "^posterior|^decision|^expected|tone"
    beside = beside[~beside.index.get_level_values(0).str.contains(of_others)]
    assert len(beside) >= 15
    assert (beside["low"] <= beside["value"]).all()
    assert (beside["value"] <= beside["high"]).all()
    assert "better than" in rows["note"]["mutual_information_excess", "best"]
    hardest = rows[rows.index.get_level_values(1).str.endswith("best")]
    assert all(any(model in note for model in MODELS) for note in hardest["note"])


def test_levels_of_what_cannot_be_negative_have_no_limits_below_0(small_run: Path) -> None:
    settings = "uncertainty.resamples=30", "uncertainty.level=0.9999999999", "chance.replicates=2"
    found = all_numbers(tables_of(small_run / "small.yaml", *settings))
    levels = found[found["measure"].isin(["conditional_entropy", "mutual_information", "one_to_one_accuracy"])]
    levels = levels[~levels["variant"].str.startswith("excess")]
    assert (levels["low"] == 0).any()
    assert (levels["low"].dropna() >= 0).all()


def test_without_resamples_there_are_values_and_no_intervals(small_run: Path) -> None:
    settings = "uncertainty.resamples=0", "chance.models=[shuffled]", "expected.correction=benjamini-yekutieli"
    found = all_numbers(tables_of(small_run / "small.yaml", *settings))
    measures = ["chance_wper", "skill_wper", "mutual_information_excess", "expected_js"]
    shown = found[(found["corpus"] == "yoruba") & found["measure"].isin(measures)]
    assert shown["value"].notna().all()
    assert shown["low"].isna().all()
    skill = found[(found["corpus"] == "yoruba") & (found["measure"] == "skill_wper") & (found["variant"] == "best")]
    assert skill["note"].tolist() == ["not tested against shuffled predictions"]
    tests = found[(found["corpus"] == "yoruba") & found["measure"].isin(["expected_level", "expected_level_p"])]
    assert len(tests) == 2
    assert tests["value"].isna().all()
    assert tests["note"].str.contains("not tested").all()


def test_cells_that_carry_a_verdict_are_tested(small_run: Path) -> None:
    cells = read_table(small_run / "results", "yoruba/expected.tsv")
    tested = cells[cells["p"].notna()]
    assert ((tested["observed"] > 0) | (tested["expected"] > 0)).all()
    assert (tested["q"] >= tested["p"]).all()
    outside = (tested["low"] > 0) | (tested["high"] < 0)
    assert (outside == (tested["p"] < 0.05)).all()
    assert cells.loc[cells["p"].isna(), "q"].isna().all()


def test_divergences_and_the_level_have_intervals(rows: pd.DataFrame) -> None:
    for key in (("expected_js", ""), ("wper_excess", ""), ("expected_share_kept", "")):
        assert rows["low"][key] <= rows["high"][key]
    low, value, high = (rows[column]["expected_level", ""] for column in ("low", "value", "high"))
    assert low <= value <= high
    told_apart = low > 0 or high < 0
    assert (rows["value"]["expected_level_p", ""] < 0.05) == told_apart

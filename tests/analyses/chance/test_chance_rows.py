"""Chance beside every measure: levels and draws by hand, and rows of the summary."""

import zlib
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from running import read_tsv
from scipy import stats
from support import corpus_of

import phonxling as px
from phonxling.alignment.confusions import count_confusions
from phonxling.alignment.corpus import align_sequences
from phonxling.analyses.chance import ChanceSettings, bigram_predictions, chance_levels
from phonxling.analyses.rates import skill_of
from phonxling.analyses.statistics import CountSettings, confusion_information
from phonxling.core.sequences import Corpus
from phonxling.stats.jackknife import clusters_of

PHONES = ["a", "e", "i", "u", "b", "d"]
MODELS = ["constant", "unigram", "bigram", "shuffled"]


def random_corpus(utterances: int, seed: int, phones: int = 8) -> Corpus:
    """Return gold and predictions that know nothing of each other."""
    generator = np.random.default_rng(seed)
    return corpus_of(*([list(generator.choice(PHONES, phones)) for _ in range(utterances)] for _ in range(2)))


def test_levels_without_a_speaker_are_those_of_the_others_utterances() -> None:
    """The mean over replicates, each aligned anew; information of the others' confusions alone."""
    corpus, speakers = random_corpus(9, 1), np.array([0, 0, 1, 1, 2, 2, 3, 3, 3])
    costs = px.feature_costs(corpus.gold_inventory, corpus.predicted_inventory)
    clusters = clusters_of(corpus.gold.lengths.astype(float), speakers, cluster="speaker")
    counting, never = CountSettings(np.arange(9, dtype=np.int8) % 2), np.full(2, np.nan)
    keys = ("mutual_information",)
    (level,) = chance_levels(corpus, ChanceSettings(("bigram",), 3, 5, clusters, never, counting, keys), costs=costs)
    key, paid, told = [5, zlib.crc32(b"bigram")], np.zeros(9), np.zeros((3, 5))
    for number in range(3):
        drawn = bigram_predictions(corpus.predicted, np.random.default_rng([*key, number]))
        aligned = align_sequences(corpus.gold, drawn, costs)
        paid += aligned.cost / aligned.denominator / 3
        for place, chosen in enumerate([speakers >= 0, *(speakers != one for one in range(4))]):
            again = align_sequences(*(side.select(np.flatnonzero(chosen)) for side in (corpus.gold, drawn)), costs)
            told[number, place] = confusion_information(count_confusions(again), "miller-madow")
    assert level.cost == pytest.approx(paid)
    found = level.measures["mutual_information"]
    assert [found.value, *found.left_out] == pytest.approx(told.mean(axis=0).tolist(), abs=1e-9)
    assert level.rate == pytest.approx(level.cost.sum() / 72)


def test_skill_leaves_out_rate_chance_and_floor_together() -> None:
    generator = np.random.default_rng(2)
    cost, chance, floor = generator.uniform(0, 1, 6), generator.uniform(3, 4, 6), generator.uniform(0, 0.5, 6)
    found = skill_of(cost, chance, floor, clusters_of(np.full(6, 10.0), np.arange(6)))
    left = [skill_of(*(np.delete(one, own) for one in (cost, chance, floor)), clusters_of(np.full(5, 10.0))).value
            for own in range(6)]  # fmt: skip
    scaled = -np.log(1 - np.array(left))
    error = np.sqrt(5 / 6 * ((scaled - scaled.mean()) ** 2).sum())
    centre, reach = -np.log(1 - found.value), stats.t(5).ppf(0.975) * error
    assert found.value == pytest.approx((chance.sum() - cost.sum()) / (chance.sum() - floor.sum()))
    assert (found.low, found.high) == pytest.approx((1 - np.exp(reach - centre), 1 - np.exp(-reach - centre)))


def test_skill_of_no_errors_and_without_room() -> None:
    clusters = clusters_of(np.full(8, 50.0), np.arange(8))
    none, chance = np.zeros(8), np.full(8, 25.0)
    perfect = skill_of(none, chance, none, clusters)
    assert (perfect.value, perfect.high) == (1, 1)
    assert 0.5 < perfect.low < 1
    nothing = skill_of(none, chance, chance, clusters)
    assert np.isnan(nothing.value)
    assert nothing.status == "undefined"


@pytest.fixture(scope="module")
def rows(small_run: Path) -> pd.DataFrame:
    found = read_tsv(small_run / "results" / "summary.tsv")
    return found[found["corpus"] == "yoruba"].set_index(["measure", "variant"])


def test_every_measure_stands_beside_its_null(rows: pd.DataFrame) -> None:
    value = rows["value"]
    for name in ("per", "wper"):
        levels = value[f"chance_{name}"]
        assert sorted(levels.index) == sorted(["best", *MODELS])
        assert levels["best"] == levels[MODELS].min()
        skill = (levels["best"] - value[name, ""]) / (levels["best"] - value[f"floor_{name}", ""])
        assert value[f"skill_{name}"].to_dict() == pytest.approx({"best": skill})
    assert 0 < value["one_to_one_accuracy_excess", "best"] < value["one_to_one_accuracy", ""]
    assert "the constant is left out" in rows["note"]["mutual_information_excess", "best"]


def test_nulls_have_intervals_and_say_whether_they_are_passed(rows: pd.DataFrame) -> None:
    names = rows.index.get_level_values(0)
    nulls = names.str.contains("chance|skill|excess") & ~names.str.contains("^posterior|^wper_excess|tone")
    beside = rows[nulls & (rows["unit"] != "phones")]
    assert len(beside) >= 14
    assert ((beside["low"] <= beside["value"]) & (beside["value"] <= beside["high"])).all()
    assert "better than" in rows["note"]["mutual_information_excess", "best"]


def test_levels_of_what_cannot_be_negative_have_no_limits_below_0() -> None:
    draws = np.random.default_rng(1)
    gold, heard = (draws.choice(PHONES, (60, 8)).tolist() for _ in range(2))
    wide = ["uncertainty.level=0.9999999999", "chance.replicates=2"]
    found = px.score(gold, heard, speakers=[f"s{n % 6}" for n in range(60)], settings=wide).summary
    levels = found[found["measure"].isin(["conditional_entropy", "mutual_information", "one_to_one_accuracy"])]
    assert (levels["low"] == 0).any()
    assert (levels["low"].dropna() >= 0).all()

"""The phone map: what stands beside it, what is left out of it and why, and nearest phones by copying tokens."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray
from scipy.stats import t as student

from phonxling.analyses.map import FAITHFULNESS, PhoneMap, PhoneTokens, map_phones, nearest_table
from phonxling.core.inventory import Inventory
from phonxling.core.posteriorgram import TokenPosteriors
from phonxling.count.posteriors import means_of_tokens
from phonxling.resample.intervals import resampling
from phonxling.settings.models import Experiment


def spoken(phones: Mapping[str, int], seed: int, columns: int = 5, utterances: int = 20) -> TokenPosteriors:
    """Return so many tokens of each phone, each phone with a mean of its own."""
    generator = np.random.default_rng(seed)
    codes = np.repeat(np.arange(len(phones)), list(phones.values()))
    centres = generator.dirichlet(np.full(columns, 0.5), len(phones))
    rows = np.array([generator.dirichlet(8 * centres[code] + 0.05) for code in codes]).reshape(-1, columns)
    return TokenPosteriors(
        phones=Inventory(tuple(phones)),
        columns=Inventory(tuple(f"e{number}" for number in range(columns))),
        codes=codes,
        rows=rows,
        weight=np.ones(len(codes)),
        utterances=generator.integers(0, utterances, len(codes)),
        without_frame=np.zeros(len(phones)),
        silent=np.zeros(len(phones)),
    )


def held(tokens: TokenPosteriors, utterances: int = 20, replicates: int = 40) -> PhoneTokens:
    weights = resampling(utterances, None, resamples=replicates, level=0.9, seed=2)
    return PhoneTokens(tokens=tokens, means=means_of_tokens(tokens), resampling=weights)


def experiment(**sections: object) -> Experiment:
    gold = {"path": "gold.tsv"}
    corpora = {
        "english": {"role": "reference", "recogniser": "toy", "gold": gold, "posteriors": {"path": "p.npz"}},
        "yoruba": {"recogniser": "toy", "gold": gold, "posteriors": {"path": "p.npz"}},
    }
    settings: dict[str, object] = {
        "name": "x",
        "corpora": corpora,
        "embedding": {"method": "pca"},
        "uncertainty": {"resamples": 20},
    }
    return Experiment.model_validate(settings | sections)


def mapped(english: TokenPosteriors, yoruba: TokenPosteriors, **sections: object) -> PhoneMap:
    weights = resampling(20, None, resamples=20, seed=2)
    tokens = {"yoruba": yoruba, "english": english}
    settings = experiment(**sections)
    return map_phones(
        tokens,
        dict.fromkeys(tokens, weights),
        settings.embedding,
        reference="english",
        recognisers={name: corpus.recogniser.name for name, corpus in settings.corpora.items()},
        allow_other_recogniser=settings.expected.allow_other_recogniser,
        seed=settings.seed,
    )


def hellinger(p: NDArray[np.float64], q: NDArray[np.float64]) -> float:
    """Hellinger's distance, by its formula."""
    return float(np.sqrt(1 - np.sqrt(p * q).sum()))


FIVE = dict.fromkeys("ptkai", 12)


def mean_of(side: PhoneTokens, code: int, weights: Sequence[int] | NDArray[np.integer]) -> NDArray[np.float64]:
    own = side.tokens.codes == code
    owner = side.tokens.utterances[own]
    return np.average(side.tokens.rows[own], axis=0, weights=np.asarray(weights)[owner])


def test_intervals_of_distances_by_copying_tokens() -> None:
    """Squares less their bias (a jackknife of each side) ± t errors, on 19 degrees; replicate r beside r − 1."""
    target, reference = held(spoken({"a": 30, "b": 25}, 1)), held(spoken({"x": 30, "y": 40, "z": 22}, 2))
    found = nearest_table(target, reference)
    drawn = [
        [[mean_of(side, code, w) for w in side.resampling.weights] for code in range(len(side.means.phones))]
        for side in (target, reference)
    ]
    without = 1 - np.eye(20, dtype=int)
    assert len(found) == 6
    for row in found.to_dict("records"):
        one, other = "ab".index(row["phone"]), "xyz".index(row["reference"])
        square = row["distance"] ** 2
        ours = [hellinger(mean_of(target, one, w), reference.means.means[other]) ** 2 for w in without]
        theirs = [hellinger(target.means.means[one], mean_of(reference, other, w)) ** 2 for w in without]
        best = square + 19 * (square - np.mean(ours)) + 19 * (square - np.mean(theirs))
        jackknife = np.sqrt(19 * (np.var(ours) + np.var(theirs)))
        draws = [hellinger(drawn[0][one][r], drawn[1][other][r - 1]) ** 2 for r in range(40)]
        tokens = (
            Counter(side.tokens.utterances[side.tokens.codes == code].tolist()).values()
            for side, code in ((target, one), (reference, other))
        )
        clusters = min(sum(own) ** 2 / sum(m**2 for m in own) for own in tokens)
        error = max(jackknife, np.std(draws, ddof=1) * np.sqrt(clusters / (clusters - 1)))
        reach = student.ppf(0.95, clusters - 1) * error
        assert row["low"] == pytest.approx(min(row["distance"], np.sqrt(max(0, best - reach))))
        assert row["high"] == pytest.approx(max(row["distance"], np.sqrt(best + reach)))
        assert row["note"] == ""
        every = [[hellinger(drawn[0][one][r], drawn[1][place][r - 1]) for place in range(3)] for r in range(40)]
        assert row["share_nearest"] == np.mean(np.argmin(every, axis=1) == other)


def test_a_language_beside_its_double_has_distances_of_0_in_the_interval() -> None:
    """Both sides are drawn from the same means: the plug-in distance is noise alone, and limits reach to 0."""
    held_to_be_none = 0
    for seed in range(6):
        tokens = [
            replace(spoken(FIVE, 1), rows=np.random.default_rng([seed, side]).dirichlet(np.ones(5), 60))
            for side in (1, 2)
        ]
        found = nearest_table(*(held(one) for one in tokens))
        namesakes = found[found["namesake"] == "yes"]
        assert (namesakes["distance"] > 0.02).all()
        held_to_be_none += int((namesakes["low"] == 0).sum())
    assert held_to_be_none >= 25  # of 30


def test_nearest_phones_that_rest_on_little_say_so() -> None:
    target, reference = spoken({"a": 30, "b": 4, "c": 1}, 1), spoken({"x": 30, "y": 19}, 2)
    found = nearest_table(held(target), held(reference)).set_index(["phone", "reference"])
    assert found.loc[("a", "x"), "note"] == ""
    assert found.loc[("a", "y"), "note"] == "few tokens (reference y 19): the distance is likely too large"
    assert str(found.loc[("b", "x"), "note"]).startswith(
        "few tokens (b 4): the distance is likely too large; descriptive: "
    )
    alone = found.loc[("c", "y")]
    assert np.isnan(alone["high"])
    assert str(alone["note"]).startswith("few tokens (c 1, reference y 19): ")
    assert str(alone["note"]).endswith("no interval: it has one utterance only")


def test_nearest_phones_without_replicates_or_other_phones() -> None:
    found = nearest_table(held(spoken(FIVE, 1), replicates=0), held(spoken(FIVE, 2), replicates=0))
    assert len(found[found["rank"] <= 3]) == 15
    assert found.loc[found["namesake"] == "yes", "reference"].tolist() == [*FIVE]
    assert found[["low", "high", "share_nearest"]].isna().all(axis=None)
    alone = held(spoken({"a": 9}, 1))
    assert len(nearest_table(alone, alone)) == 0
    assert len(nearest_table(held(spoken({}, 1)), alone)) == 0
    assert len(nearest_table(alone, held(spoken({}, 1)))) == 0


def test_tables_and_rows_of_a_map() -> None:
    found = mapped(spoken(FIVE, 1), spoken({"b": 30}, 2))
    table = found.embedding["yoruba"]
    columns = ["phone", "tokens", "x", "y", "nearest_reference", "distance", "spread", "namesake_distance"]
    assert table.columns.tolist() == columns
    for rows in found.rows.values():
        assert [(row.measure, row.variant) for row in rows] == [(measure, "pca") for measure in FAITHFULNESS]
    assert found.problems == ()


def one_hot(phones: Mapping[str, int]) -> TokenPosteriors:
    """Return tokens heard each as a phone of their own: all axes hold the same."""
    return replace(spoken(phones, 1, len(phones)), rows=np.eye(len(phones))[spoken(phones, 1).codes])


def test_a_map_whose_axes_keep_little_says_so() -> None:
    """Fifteen phones at equal distances: fourteen axes hold a fourteenth of the variance each."""
    many = dict.fromkeys("abcdefghijklmno", 4)
    found = mapped(one_hot(many), one_hot(many))
    little = "keeps 14 % of the variance: distances on the map mean little"
    assert [(row.measure, row.note) for row in found.rows["english"]] == [
        ("trustworthiness", little),
        ("distance_correlation", f"{little}; too few phones, or all distances are equal"),
    ]


@pytest.mark.parametrize("phones", [1, 2, 3])
def test_too_few_reference_phones_leave_the_nearest_phones(phones: int) -> None:
    found = mapped(spoken(dict(list(FIVE.items())[:phones]), 1), spoken(FIVE, 2))
    assert found.embedding == {}
    assert found.problems == (f"no phone map: a map needs at least 4 reference phones with frames; there are {phones}",)
    assert {row.note for rows in found.rows.values() for row in rows} == set(found.problems)
    assert len(found.nearest["yoruba"]) == 5 * phones


def test_a_target_over_other_columns_is_left_out_and_the_map_stays() -> None:
    found = mapped(spoken(FIVE, 1), spoken(FIVE, 2, columns=6))
    assert set(found.embedding) == set(found.nearest) == {"english"}
    (why,) = found.problems
    assert why.startswith("yoruba: not on the phone map: reference and target posteriors must be over the same")
    assert all(np.isnan(row.estimate.value) and row.note in why for row in found.rows["yoruba"])


def test_a_target_of_another_recogniser_is_left_out_unless_allowed_and_marked() -> None:
    corpora = {
        "english": {"role": "reference", "recogniser": "toy", "gold": {"path": "g"}, "posteriors": {"path": "p"}},
        "yoruba": {"recogniser": "other", "gold": {"path": "g"}, "posteriors": {"path": "p"}},
    }
    mark = "another recogniser: other, reference toy"
    refused = mapped(spoken(FIVE, 1), spoken(FIVE, 2), corpora=corpora)
    assert set(refused.embedding) == {"english"}
    assert mark in refused.problems[0]
    assert "allow_other_recogniser: true" in refused.problems[0]
    allowed = mapped(spoken(FIVE, 1), spoken(FIVE, 2), corpora=corpora, expected={"allow_other_recogniser": True})
    assert set(allowed.embedding) == {"english", "yoruba"}
    assert {row.note for row in allowed.rows["yoruba"]} == {mark}


def test_nearest_tsv_reads_back_with_its_words(small_run: Path) -> None:
    found = pd.read_csv(small_run / "results/yoruba/nearest.tsv", sep="\t", keep_default_na=False)
    assert found.columns.tolist() == [
        *("phone", "rank", "reference", "distance", "tokens", "reference_tokens"),
        *("low", "high", "share_nearest", "namesake", "note"),
    ]
    assert found.loc[found["rank"] <= 3, "rank"].tolist() == [1, 2, 3] * 7
    assert ((found["phone"] == found["reference"]) == (found["namesake"] == "yes")).all()


def test_phones_of_one_symbol_have_their_distance_on_the_map() -> None:
    found = mapped(spoken(FIVE, 1), spoken(dict.fromkeys("ptkou", 15), 2)).embedding
    english = found["english"].set_index("phone")
    for row in found["yoruba"].to_dict("records"):
        if row["phone"] in english.index:
            reference = english.loc[row["phone"]]
            apart = np.hypot(row["x"] - reference["x"], row["y"] - reference["y"])
            assert row["namesake_distance"] == pytest.approx(apart)
        else:
            assert np.isnan(row["namesake_distance"])
    assert found["english"]["namesake_distance"].isna().all()

"""Feature information transfer: a published table, plain loops, and what few tokens do to it."""

import math
from collections import Counter, defaultdict

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings, strategies as st

import phonxling as px
from phonxling.analyses.feature_transfer import feature_transfer, feature_values, relative_transfer

# Wang & Bilger (1973), Consonant confusions in noise: a study of perceptual features, JASA 54(5), table 6: stimulus
# (rows) by response, and the features of the article.
CONSONANTS = ["p", "t", "k", "b", "d", "g", "f", "θ", "s", "ʃ", "v", "ð", "z", "ʒ", "t͡ʃ", "d͡ʒ"]
COUNTS = """
773 38 35 9 14 6 16 8 9 2 2 2 4 7 1 4
33 783 27 7 19 6 0 3 8 3 3 4 11 8 6 9
71 89 585 11 14 18 14 2 4 15 9 2 6 9 37 47
21 11 8 587 28 17 33 28 8 1 133 47 5 3 0 3
9 10 4 32 771 24 1 9 12 3 18 8 12 5 3 9
4 4 8 27 41 764 3 3 5 1 21 3 8 14 2 19
43 7 13 44 4 4 681 63 17 3 20 11 13 4 2 4
22 15 13 64 11 2 321 355 34 2 27 38 14 0 1 2
10 4 4 23 7 3 31 26 732 7 13 5 60 4 0 1
5 4 7 3 5 6 0 1 7 745 2 0 9 19 93 21
7 10 9 128 11 2 23 31 6 3 567 38 50 6 4 6
11 1 5 88 24 14 21 57 18 7 407 204 58 9 2 7
7 8 9 15 9 2 10 9 20 5 28 70 756 15 2 7
6 9 8 10 16 48 4 4 5 21 7 34 17 612 8 149
3 17 4 7 5 3 9 6 13 37 3 3 4 11 794 14
3 6 4 2 8 40 3 4 8 12 5 0 25 76 3 734
"""
FEATURES = {
    "voice": "0001110000111101",
    "frication": "0000001111111111",
    "sibilance": "0000000011001111",
    "stridency": "0000001011101111",
    "duration": "0000000011001100",
    "place1": "0120120112011222",
    "place2": "0130130112011222",
    "place3": "0140140123012333",
    "high": "0010010001000111",
    "back": "0010010000000000",
    "coronal": "0100100111011111",
    "continuant": "0000001111111100",
}
PUBLISHED = {
    "high": 0.629,
    "sibilance": 0.586,
    "voice": 0.572,
    "place3": 0.532,
    "place2": 0.526,
    "place1": 0.507,
    "frication": 0.506,
    "duration": 0.482,
    "back": 0.481,
    "continuant": 0.463,
    "coronal": 0.370,
    "stridency": 0.367,
}


@pytest.fixture(scope="module")
def consonants() -> px.ConfusionMatrix:
    counts = np.array([line.split() for line in COUNTS.strip().splitlines()], dtype=float)
    return px.ConfusionMatrix(CONSONANTS, CONSONANTS, counts)


@pytest.fixture(scope="module")
def features() -> pd.DataFrame:
    return pd.DataFrame({name: list(values) for name, values in FEATURES.items()}, index=CONSONANTS)


def test_the_published_table(consonants: px.ConfusionMatrix, features: pd.DataFrame) -> None:
    found = feature_transfer(consonants, features).set_index("feature")["relative"]
    assert {name: round(value, 3) for name, value in found.items()} == pytest.approx(PUBLISHED, abs=0.0011)


def test_the_published_totals(consonants: px.ConfusionMatrix) -> None:
    assert consonants.counts.sum() == 14_924
    assert px.measures.operations(consonants).correct / 14_924 == pytest.approx(0.69975, abs=5e-6)
    information = px.mutual_information(consonants)
    assert information == pytest.approx(2.31827, abs=5e-6)
    assert px.conditional_entropy(consonants, given="predicted") + information == pytest.approx(3.99982, abs=5e-6)
    assert px.conditional_entropy(consonants) == pytest.approx(1.64780, abs=5e-6)
    assert px.measures.uncertainty_coefficient(consonants) == pytest.approx(0.57959, abs=5e-6)


def test_sequential_transfer_takes_each_feature_once_and_never_more_than_there_is(
    consonants: px.ConfusionMatrix, features: pd.DataFrame
) -> None:
    found = feature_transfer(consonants, features, sequential=True)
    assert found["feature"][0] == "high"
    assert sorted(found["feature"]) == sorted(FEATURES)
    assert found["transferred"].sum() <= px.mutual_information(consonants)
    assert found["entropy"].sum() == pytest.approx(3.99982, abs=5e-6)  # together they tell all sixteen apart
    determined = found[found["entropy"] < 1e-9]
    assert determined["relative"].isna().all()
    assert (found.index[-len(determined) :] == determined.index).all()


def _by_loops(pairs: Counter[tuple[str, str]], table: pd.DataFrame, name: str, held: list[str]) -> tuple[float, float]:
    """H(F | S) and the transferred information, from the sums of definition 6 written out."""
    total, values = sum(pairs.values()), table.to_dict("index")
    p_fs: dict[tuple[object, ...], float] = defaultdict(float)
    p_s: dict[object, float] = defaultdict(float)
    joint: dict[tuple[object, ...], float] = defaultdict(float)
    for (gold, predicted), count in pairs.items():
        state = tuple(values[gold][key] for key in held)
        p_fs[values[gold][name], state] += count / total
        p_s[state] += count / total
        if predicted != "∅" and state == tuple(values[predicted][key] for key in held):
            joint[values[gold][name], values[predicted][name], state] += count / total
        elif not held:
            joint[values[gold][name], "∅", state] += count / total
    bits = -sum(p * math.log2(p / p_s[key[1]]) for key, p in p_fs.items() if p)
    gold_s: dict[object, float] = defaultdict(float)
    first: dict[tuple[object, ...], float] = defaultdict(float)
    second: dict[tuple[object, ...], float] = defaultdict(float)
    for (f, g, s), p in joint.items():
        gold_s[s] += p
        first[f, s] += p
        second[g, s] += p
    passed = sum(p * math.log2(p * gold_s[s] / (first[f, s] * second[g, s])) for (f, g, s), p in joint.items() if p)
    return bits, passed


@settings(max_examples=25)
@given(st.data(), st.booleans())
def test_by_plain_loops(data: st.DataObject, deletions: bool) -> None:
    phones = ["p", "b", "m", "i"]
    row = st.lists(st.integers(0, 5), min_size=5, max_size=5)
    counts = np.array(data.draw(st.lists(row, min_size=4, max_size=4)))
    columns = {name: data.draw(st.lists(st.sampled_from("+-0"), min_size=4, max_size=4)) for name in "abc"}
    table = pd.DataFrame(columns, index=phones)
    matrix = px.ConfusionMatrix(phones, phones, np.vstack([counts, [3, 1, 0, 2, 0]]))
    width = 5 if deletions else 4
    pairs = Counter(
        {(g, p): int(counts[i, j]) for i, g in enumerate(phones) for j, p in enumerate([*phones, "∅"][:width])}
    )
    held: list[str] = []
    for _, found in feature_transfer(matrix, table, sequential=True, deletions=deletions).iterrows():
        if not sum(pairs.values()):
            assert math.isnan(found["entropy"])
            continue
        bits, passed = _by_loops(pairs, table, found["feature"], held)
        assert (found["entropy"], found["transferred"]) == pytest.approx((bits, passed), abs=1e-9)
        rest = [name for name in "abc" if name not in held]
        shares = {name: p / h for name in rest for h, p in [_by_loops(pairs, table, name, held)] if h > 1e-9}
        if shares:
            assert shares[found["feature"]] == pytest.approx(max(shares.values()), abs=1e-9)
        held.append(found["feature"])


def test_panphons_features() -> None:
    matrix = px.ConfusionMatrix(["p", "b"], ["p", "b"], [[3, 1], [1, 3]])
    found = feature_transfer(matrix, px.costs.panphon_features()).set_index("feature")
    assert found["entropy"]["voi"] == 1
    assert found["transferred"]["voi"] == pytest.approx(px.mutual_information(matrix))
    assert found["entropy"]["nas"] == 0
    assert math.isnan(found["relative"]["nas"])


def test_a_held_value_that_no_predicted_phone_has() -> None:
    matrix = px.ConfusionMatrix(["p", "b", "m"], ["p"], [[2], [3], [1]])
    table = pd.DataFrame({"voice": [0, 1, 1], "nasal": [0, 0, 1]}, index=["p", "b", "m"])
    found = feature_transfer(matrix, table, sequential=True)
    assert found["transferred"].tolist() == [0, 0]
    assert found["entropy"].tolist() == pytest.approx([0.91830, 0.54085], abs=1e-5)


def test_phones_without_features_are_all_named(features: pd.DataFrame) -> None:
    matrix = px.ConfusionMatrix(["p", "@"], ["p", "%"], [[1, 0], [0, 1]])
    with pytest.raises(ValueError, match="2 phones have no features: @ %"):
        feature_transfer(matrix, features)


ORDER = ["high", "voice", "back", "sibilance", "frication", "duration", "place1"]  # by the loops of test below


def test_the_whole_sequence_of_the_published_table_by_plain_loops(
    consonants: px.ConfusionMatrix, features: pd.DataFrame
) -> None:
    """Every choice, its bits, and the end: what is left is determined by the features held.

    Duration and continuant are equally good in their round; the first of the table goes first.
    """
    cells = consonants.substitutions.astype(int)
    pairs = Counter({(g, p): cells[i, j] for i, g in enumerate(CONSONANTS) for j, p in enumerate(CONSONANTS)})
    found = feature_transfer(consonants, features, sequential=True)
    held: list[str] = []
    for _, row in found[: len(ORDER)].iterrows():
        left = [name for name in FEATURES if name not in held]
        bits = {name: _by_loops(pairs, features, name, held) for name in left}
        shares = {name: round(passed / h, 9) for name, (h, passed) in bits.items() if h > 1e-9}
        assert row["feature"] == max(shares, key=lambda name: shares[name])  # the first of equals
        assert (row["entropy"], row["transferred"]) == pytest.approx(bits[row["feature"]], abs=1e-9)
        held.append(row["feature"])
    assert held == ORDER
    for name in set(FEATURES) - set(held):
        assert _by_loops(pairs, features, name, held)[0] == pytest.approx(0, abs=1e-9)
    assert found["relative"][len(ORDER) :].isna().all()


def test_values_may_be_any_and_of_any_number() -> None:
    phones = ["p", "t", "k", "b"]
    matrix = px.ConfusionMatrix(phones, phones, [[8, 1, 1, 2], [2, 7, 1, 0], [0, 3, 9, 0], [2, 0, 0, 8]])
    place = pd.DataFrame({"place": ["lip", "ridge", None, "lip"], "voice": [0, 0, 0, 0.5]}, index=phones)
    coded = pd.DataFrame({"place": [5, 1, 2, 5], "voice": list("aaab")}, index=phones)
    for sequential in (False, True):
        first, second = (feature_transfer(matrix, table, sequential=sequential) for table in (place, coded))
        pd.testing.assert_frame_equal(first, second)


@settings(max_examples=25)
@given(st.lists(st.lists(st.integers(0, 9), min_size=4, max_size=4), min_size=5, max_size=5), st.booleans())
def test_all_features_at_once_are_those_one_by_one(rows: list[list[int]], deletions: bool) -> None:
    table, phones = px.costs.panphon_features(), ["p", "b", "m", "sil"]
    counts = np.pad(np.array(rows)[:4], ((0, 1), (0, 1)))
    counts[:4, 4], counts[4, :4] = rows[4], rows[4]
    matrix = px.ConfusionMatrix(phones, phones, counts)
    values = feature_values(matrix.gold, matrix.predicted, table)
    found = relative_transfer(values.collapse(matrix.counts, deletions=deletions))
    known = px.ConfusionMatrix(phones[:3], phones[:3], np.delete(np.delete(matrix.counts, 3, 0), 3, 1))
    one_by_one = feature_transfer(known, table, deletions=deletions)["relative"].to_numpy()
    assert found == pytest.approx(one_by_one, abs=1e-9, nan_ok=True)
    replicates = np.stack([matrix.counts, np.zeros_like(counts), 3 * matrix.counts], axis=-1)
    drawn = relative_transfer(values.collapse(replicates, deletions=deletions))
    assert drawn[:, 0] == pytest.approx(found, abs=1e-12, nan_ok=True)
    assert np.isnan(drawn[:, 1]).all()
    assert drawn[:, 2] == pytest.approx(found, abs=1e-12, nan_ok=True)


def test_a_feature_of_one_value_has_no_transfer_by_any_estimator() -> None:
    matrix = px.ConfusionMatrix(["p", "t"], ["p", "t"], [[3, 1], [1, 3]])
    table = pd.DataFrame({"voice": [0, 0]}, index=["p", "t"])
    for estimator in ("ml", "miller-madow", "grassberger"):
        assert math.isnan(feature_transfer(matrix, table, estimator=estimator)["relative"][0])


def _listeners(
    consonants: px.ConfusionMatrix, table: pd.DataFrame, trials: int, number: int
) -> tuple[float, dict[str, float]]:
    """The pooled transfer, and the mean of listeners with so many trials each, by estimator."""
    generator = np.random.default_rng(3)
    share = (consonants.substitutions / consonants.counts.sum()).ravel()
    found: dict[str, list[float]] = {"ml": [], "grassberger": []}
    for _ in range(number):
        matrix = px.ConfusionMatrix(CONSONANTS, CONSONANTS, generator.multinomial(trials, share).reshape(16, 16))
        for name, values in found.items():
            values.append(float(feature_transfer(matrix, table, estimator=name)["relative"][0]))
    truth = float(feature_transfer(consonants, table)["relative"][0])
    return truth, {name: float(np.mean(values)) for name, values in found.items()}


def test_few_trials_a_listener_make_a_feature_s_transfer_too_high_and_the_correction_takes_most_of_it_off(
    consonants: px.ConfusionMatrix, features: pd.DataFrame
) -> None:
    """150 trials each: the plug-in of a feature of five values is several points too high."""
    truth, mean = _listeners(consonants, features[["place3"]], 150, 60)
    assert mean["ml"] > truth + 0.02
    assert abs(mean["grassberger"] - truth) < (mean["ml"] - truth) / 2


def test_few_trials_a_listener_make_the_transfer_of_phones_too_high_and_the_correction_takes_most_of_it_off(
    consonants: px.ConfusionMatrix,
) -> None:
    """700 trials each: five to six points above the pooled 58 %, as the literature's 60 % are above 54 %."""
    phones = pd.DataFrame({"phone": CONSONANTS}, index=CONSONANTS)
    truth, mean = _listeners(consonants, phones, 700, 40)
    assert truth == pytest.approx(0.57959, abs=5e-6)
    assert 0.04 < mean["ml"] - truth < 0.07
    assert abs(mean["grassberger"] - truth) < (mean["ml"] - truth) / 2

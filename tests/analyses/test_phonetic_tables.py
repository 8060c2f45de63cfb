"""Classes, errors by reason, shares and inventories through a whole experiment, and by published numbers and sets."""

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings, strategies as st
from made_alignments import stack_of_cells
from running import Tables, measured, tables_of
from small_experiment import make_experiment

import phonxling as px
from phonxling.analyses.error_parts import Reasons
from phonxling.analyses.phones import SIDES, entropy_limits, left_out_sums, scores, share_limits
from phonxling.analyses.statistics import CountSettings
from phonxling.core.estimate import FEW_TOKENS, Estimate
from phonxling.core.inventory import Inventory
from phonxling.stats.jackknife import clusters_of, correct_bias

OWN = 'classes: {nasal vowels: "+syl +nas", low: "+lo", lateral vowels: "+syl +lat", high: "+hi"}\n'
RATES = ("substitution_rate", "deletion_rate", "insertion_rate")
PARTS = ["absent", "expected", "level", "unexplained", "deleted", "inserted"]


@pytest.fixture(scope="module")
def exact(tmp_path_factory: pytest.TempPathFactory) -> Tables:
    path = make_experiment(tmp_path_factory.mktemp("phonetic"))
    path.write_text(path.read_text(encoding="utf-8") + OWN, encoding="utf-8")
    return tables_of(path, "chance.models=[constant]")


def test_classes_make_up_the_rates_of_all_phones(exact: Tables) -> None:
    rows = exact["yoruba/classes"].set_index("class")
    default = rows.loc[["vowels", "stops", "fricatives"]]
    number = {name: measured(exact, "yoruba", name)["value"].iloc[0] for name in ("gold_tokens", *RATES)}
    right = number["gold_tokens"] * (1 - number["substitution_rate"] - number["deletion_rate"])
    assert list(rows.index[:2]) == ["vowels", "consonants"]
    assert default["tokens"].drop("vowels").sum() == rows.loc["consonants", "tokens"]
    assert (default["accuracy"] * default["tokens"]).sum() == pytest.approx(right)
    assert default["tokens"].sum() == number["gold_tokens"]
    assert default["accuracy"].between(default["accuracy_low"], default["accuracy_high"]).all()


def test_phones_have_their_class_and_one_answer_that_is_most_frequent(exact: Tables) -> None:
    phones, cells = exact["yoruba/phones"].set_index(["side", "phone"]), exact["yoruba/confusions"]
    assert phones.loc["gold", "class"].loc[["a", "t", "s"]].tolist() == ["vowels", "stops", "fricatives"]
    for side, other in (("gold", "predicted"), ("predicted", "gold")):
        wrong = cells[(cells["gold"] != cells["predicted"]) & ~cells[["gold", "predicted"]].eq("∅").any(axis=1)]
        for phone, row in phones.loc[side].iterrows():
            own = wrong[wrong[side] == phone].set_index(other)["count"]
            assert row["confused_with"] == (own.idxmax() if len(own) else "")
            assert row["share"] == pytest.approx(own.max() / row["tokens"] if len(own) else np.nan, nan_ok=True)


def test_confidences_of_phones_are_means_over_their_answers(exact: Tables) -> None:
    phones, pairs = exact["yoruba/phones"].set_index(["side", "phone"])["confidence"], exact["yoruba/alignments"]
    for side in ("gold", "predicted"):
        wanted = pairs.groupby(side)["confidence"].mean().drop("∅", errors="ignore")
        assert phones[side].dropna().to_dict() == pytest.approx(wanted.dropna().to_dict(), abs=1e-4)


def test_rates_of_vowels_consonants_and_shared_phones_are_those_of_the_tables(exact: Tables) -> None:
    rows, phones = (exact[f"yoruba/{name}"] for name in ("classes", "phones"))
    rows, own = rows.set_index("class"), phones[phones["side"] == "gold"].set_index("phone")
    for name in ("vowels", "consonants"):
        number = measured(exact, "yoruba", f"per_{name}").iloc[0]
        assert number["n"] == rows["tokens"][name]
        wanted = 1 - rows.loc[name, ["accuracy", "accuracy_high", "accuracy_low"]].astype(float)
        assert number[["value", "low", "high"]].tolist() == pytest.approx(wanted.tolist())
    shared, number = own.loc[[*"btis"]].sum(numeric_only=True), measured(exact, "yoruba", "per_shared").iloc[0]
    assert number["value"] == pytest.approx(1 - shared["correct"] / shared["tokens"])
    assert (number["n"], number["note"][:22]) == (shared["tokens"], "of 4 of 7 gold phones")


def test_a_users_classes_stand_beside_them(exact: Tables) -> None:
    rows = exact["yoruba/classes"].set_index("class")
    phones = exact["yoruba/phones"].query("side == 'gold'").set_index("phone")["tokens"]
    members = {"nasal vowels": ["ĩ"], "low": ["a"], "lateral vowels": [], "high": ["i", "ĩ", "k͡p"]}
    assert list(rows.index[-4:]) == list(members)
    assert rows["tokens"][-4:].tolist() == [phones[own].sum() for own in members.values()]
    assert rows["accuracy"]["nasal vowels"] == 0  # the recogniser has no nasal vowel
    assert rows["accuracy_low"]["nasal vowels"] == 0 < rows["accuracy_high"]["nasal vowels"] < 1


def errors_of(tables: Tables, corpus: str = "yoruba") -> pd.DataFrame:
    """Return the errors of each gold phone by reason, 0 for what has no row."""
    rows = tables[f"{corpus}/errors"].pivot_table(index="gold", columns="reason", values="count", fill_value=0)
    return rows.reindex(columns=[*Reasons.names], fill_value=0)


def test_every_error_of_a_phone_has_one_reason_and_the_shares_are_of_all(exact: Tables) -> None:
    assert (exact["yoruba/errors"]["count"] > 0).all()
    rows, cells = errors_of(exact), exact["yoruba/confusions"]
    wrong = cells[cells["gold"] != cells["predicted"]].groupby("gold")["count"].sum()
    assert (
        rows[["absent", "substituted", "unexplained", "deleted", "inserted"]].sum(axis=1).to_dict() == wrong.to_dict()
    )
    assert set(rows.index[rows["absent"] > 0]) == {"a", "ĩ", "k͡p"}
    shares, own, total = measured(exact, "yoruba", "error_share").loc[PARTS], rows.sum(), wrong.sum()
    rates = (measured(exact, "yoruba", name)["value"].iloc[0] for name in ("gold_tokens", *RATES))
    tokens, *each = rates
    assert total == round(sum(each) * tokens)
    assert shares["value"].sum() == pytest.approx(1, abs=1e-12)
    expected = min(own["substituted"], own["expected"])
    wanted = own.to_dict() | {"expected": expected, "level": own["substituted"] - expected}
    assert (shares["value"] * total).to_dict() == pytest.approx({part: wanted[part] for part in PARTS})
    near = measured(exact, "yoruba", "error_share").loc["absent near", "value"]
    assert near * total == pytest.approx(own["absent_near"])
    assert shares["low"]["absent"] < shares["value"]["absent"] < shares["high"]["absent"]


def test_without_a_reference_the_parts_that_need_one_are_missing_with_the_reason(exact: Tables) -> None:
    shares = measured(exact, "english", "error_share").loc[PARTS]
    assert shares["value"].sum() == pytest.approx(1)
    assert list(shares["value"].dropna().index) == ["absent", "unexplained", "deleted", "inserted"]
    assert set(shares.loc[["expected", "level"], "note"]) == {"this is the reference itself"}
    assert not {"substituted", "expected"} & {*exact["english/errors"]["reason"]}


PHONES = ["a", "b", "c", "d"]
sets = st.sets(st.sampled_from(PHONES))


@given(sets, sets)
def test_scores_of_inventories_are_those_of_sets(gold: set[str], predicted: set[str]) -> None:
    found = scores(np.eye(4), *(np.array([phone in side for phone in PHONES]) for side in (gold, predicted)))
    if not gold or not predicted:
        assert np.isnan(found).all()
        return
    precision, recall = (len(gold & predicted) / len(side) for side in (predicted, gold))
    both = 2 * precision * recall / (precision + recall) if precision + recall else 0.0
    assert found.tolist() == pytest.approx([precision, recall, both])


GOLD, PREDICTED = Inventory(("a", "b", "c")), Inventory(("a", "x", "b", "y"))
cells = st.dictionaries(st.integers(0, 18), st.integers(1, 9), max_size=6)


@settings(max_examples=40)
@given(st.lists(cells, min_size=7, max_size=14), st.booleans(), st.booleans())
def test_limits_of_all_phones_at_once_are_those_of_each(
    rows: list[dict[int, int]], gaps: bool, by_speaker: bool
) -> None:
    stack = stack_of_cells(rows, GOLD, PREDICTED)
    speakers = [f"s{number % 6}" for number in range(len(rows))] if by_speaker else None
    clusters = clusters_of(np.ones(len(rows)), speakers)
    found = left_out_sums(stack, clusters, CountSettings(np.zeros(len(rows), np.int8), gaps))
    for side, other in zip(SIDES, (PREDICTED, GOLD), strict=True):
        whole, left_out = found[side]
        tokens, correct, answers = whole[:3, :, None] - left_out[:3]
        most = math.log2(len(other) + gaps)
        value = correct_bias(whole[3], left_out[3], answers)
        limits = np.transpose(entropy_limits(value, left_out[3], answers, clusters, most))
        shares = np.transpose(share_limits(correct, tokens, clusters))
        for phone in range(len(whole[0])):
            bits = clusters.estimate(whole[3, phone], left_out[3, phone], corrected=True, sizes=answers[phone])
            bits = bits.within(0, most) if answers[phone].sum() >= FEW_TOKENS else Estimate(bits.value)
            assert limits[phone].tolist() == pytest.approx([bits.low, bits.high], abs=1e-9, nan_ok=True)
            alone = clusters.ratio_of_sums(correct[phone], tokens[phone], "share")
            assert np.isnan(shares[phone, 0]) == (alone.status in {"too-few-clusters", "undefined"})
            assert np.isnan(shares[phone, 0]) or shares[phone, 0] <= alone.value <= shares[phone, 1]


def test_the_limits_of_an_accuracy_away_from_0_and_1_are_those_of_a_ratio() -> None:
    correct = np.array([[12, 18, 15, 9, 20, 14], [0, 0, 0, 0, 0, 0]], float)
    tokens, clusters = np.full((2, 6), 30.0), clusters_of(np.full(6, 60.0), [*"abcdef"])
    low, high = share_limits(correct, tokens, clusters)
    alone = clusters.ratio_of_sums(correct[0], tokens[0], "share")
    assert (low[0], high[0]) == pytest.approx((alone.low, alone.high))
    assert low[1] == 0 < high[1] < 0.2
    assert np.isnan(share_limits(correct, tokens, clusters_of(np.array([900.0, *[9.0] * 5]), [*"abcdef"]))).all()


def test_by_features_a_near_phone_counts_almost_as_much() -> None:
    costs = px.feature_costs(["e", "t"], ["ɛ", "t", "m"])
    similarity = 1 - costs.substitution / costs.denominator
    precision, recall, f1 = scores(similarity, np.array([True] * 2), np.array([True] * 3))
    assert precision == pytest.approx((similarity[0, 0] + 1 + similarity[:, 2].max()) / 3)
    assert recall == pytest.approx((similarity[0, 0] + 1) / 2)
    assert f1 == pytest.approx(2 / (1 / precision + 1 / recall))


def test_inventories_by_hand() -> None:
    rows = px.score(["p a t", "b i"], ["p a s", "p i"]).summary.set_index(["measure", "variant"])
    assert rows.loc[("inventory_f1", ""), "value"] == pytest.approx(2 / 3)
    assert rows.loc[("inventory_f1", ""), "note"].startswith("4 phones were predicted, 5 are gold")
    assert 2 / 3 < rows.loc[("inventory_f1", "features"), "value"] < 1
    raw = px.score(["p a t", "b i"], ["p a s", "p i"], symbols=("raw", "raw"), settings=["alignment.costs=unit"])
    assert np.isnan(raw["inventory_f1:features"])

"""Errors of the gold: which are assumed, and what is left when they are taken out of counts and costs."""

from dataclasses import replace

import numpy as np
import pytest

import phonxling as px
from phonxling.analyses.gold_errors.counts import Rewriting, by_truth, priced
from phonxling.analyses.gold_errors.errors import WritingErrors, by_features, of_table
from phonxling.core.inventory import Inventory
from phonxling.core.sequences import PhoneSequences, from_lists
from phonxling.load.resources.features import panphon_features

PHONES = Inventory(("p", "b", "t", "i", "e", "a"))
TOKENS = np.array([40.0, 10.0, 30.0, 20.0, 0.0, 100.0])
TABLE = {("p", "b"): 0.1, ("t", "p"): 0.2, ("a", "i"): 0.05}


def near() -> WritingErrors:
    return by_features(PHONES, TOKENS, panphon_features(), 0.05)


def test_errors_by_features_leave_frequencies_as_they_are() -> None:
    joint = near().joint(0.08)
    assert joint.sum(axis=0) == pytest.approx(TOKENS / TOKENS.sum())
    assert joint.sum(axis=1) == pytest.approx(TOKENS / TOKENS.sum())
    assert joint.sum() - np.trace(joint) == pytest.approx(0.08)
    assert near().written(0.08) == pytest.approx(near().true(0.08))


def test_errors_by_features_are_in_proportion_to_frequencies_and_nearness() -> None:
    flow, p, b, t = near().flow, *(PHONES.code(phone) for phone in "pbt")
    distances = {
        (one, other): px.feature_costs(PHONES, PHONES, "panphon").cost(one, other) for one, other in ("pb", "pt")
    }
    expected = 10 * np.exp(-float(distances["p", "b"]) / 0.05) / (30 * np.exp(-float(distances["p", "t"]) / 0.05))
    assert flow[p, b] / flow[p, t] == pytest.approx(expected)


def test_a_table_says_its_rate_and_any_rate_scales_it() -> None:
    errors, rate = of_table(PHONES, TOKENS, TABLE)
    assert rate == pytest.approx((0.1 * 40 + 0.2 * 30 + 0.05 * 100) / 200)
    assert errors.true(rate)[PHONES.code("t"), PHONES.code("p")] == pytest.approx(0.2)
    assert errors.true(rate / 2)[PHONES.code("t"), PHONES.code("p")] == pytest.approx(0.1)
    spoken = 40 * 0.9 + 30 * 0.2  # p in truth: what is rightly written p, and a fifth of what is written t
    assert errors.written(rate)[PHONES.code("p"), PHONES.code("t")] == pytest.approx(6 / spoken)


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ({("p", "ɡ"): 0.1}, "the gold never has ɡ"),
        ({("e", "i"): 0.1}, "no error of a phone"),
        ({}, "no error of a phone"),
    ],
)
def test_a_table_that_says_nothing_of_this_gold_is_refused(table: dict[tuple[str, str], float], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        of_table(PHONES, TOKENS, table)


def test_a_rate_at_which_a_phone_is_mostly_wrong_is_refused() -> None:
    errors, rate = of_table(PHONES, TOKENS, TABLE)
    assert not errors.refusal(rate)
    assert errors.refusal(3 * rate) == "more than half of the tokens of t would be wrong"


@pytest.mark.parametrize("errors", [near(), of_table(PHONES, TOKENS, TABLE)[0]], ids=["features", "table"])
def test_counts_mixed_token_by_token_come_back(errors: WritingErrors) -> None:
    """The oracle mixes by loops over true and written phones, from q(z|y) alone."""
    generator, rate = np.random.default_rng(1), 0.06
    spoken = {z: sum(errors.true(rate)[y, z] * TOKENS[y] for y in range(6)) for z in range(6)}
    true = np.array([generator.dirichlet(np.ones(5)) * spoken[z] for z in range(6)] + [np.full(5, 3.0)])
    written = np.zeros((7, 5))
    written[6] = true[6]
    for y in range(6):
        for z in range(6):
            if spoken[z]:
                written[y] += true[z] * errors.true(rate)[y, z] * TOKENS[y] / spoken[z]
    assert by_truth(written, errors.unmix(rate)) == pytest.approx(true)


def corpus(generator: np.random.Generator, utterances: int) -> tuple[PhoneSequences, PhoneSequences]:
    names = [str(number) for number in range(utterances)]
    said = [[PHONES.phones[code] for code in generator.choice(6, 9, p=TOKENS / 200)] for _ in names]
    heard = [[phone if generator.random() < 0.7 else "a" for phone in one if generator.random() < 0.9] for one in said]
    gold, predicted = (from_lists(names, one) for one in (said, heard))
    return replace(gold, codes=gold.recode(PHONES).codes, inventory=PHONES), predicted


def test_costs_taken_out_are_those_of_counts_by_truth_and_what_aligning_saved() -> None:
    gold, predicted = corpus(np.random.default_rng(2), 30)
    costs, errors = px.feature_costs(PHONES, predicted.inventory, "panphon"), near()
    writing = Rewriting(errors, 0.1, 3, np.random.default_rng(3))
    one = priced(gold, predicted, costs, writing, costs)
    counts = one.stack.total().counts
    expected = (by_truth(counts, errors.unmix(0.04)) * costs.with_gaps()).sum() + 0.04 * one.saved.sum()
    assert one.cost(errors, 0.04).sum() == pytest.approx(expected)
    assert one.cost(errors, 0.0).sum() == pytest.approx((counts * costs.with_gaps()).sum())


def test_aligning_anew_saves_what_two_alignments_say() -> None:
    """The oracle draws the same errors, and prices the old alignments pair by pair."""
    gold, predicted = corpus(np.random.default_rng(4), 5)
    costs, errors = px.feature_costs(PHONES, predicted.inventory, "unit"), near()
    saved = priced(gold, predicted, costs, Rewriting(errors, 0.2, 1, np.random.default_rng(5)), costs).saved
    codes = Rewriting(errors, 0.2, 1, np.random.default_rng(5)).codes(gold.codes)
    assert 0 < (codes != gold.codes).mean() < 0.5
    old = px.align_corpus(px.Corpus(gold=gold, predicted=predicted), costs)
    new = px.align_corpus(px.Corpus(gold=replace(gold, codes=codes), predicted=predicted), costs)
    for utterance in range(5):
        phones = iter(PHONES.phones[code] for code in codes[gold.offsets[utterance] : gold.offsets[utterance + 1]])
        pairs = [(next(phones) if one != "∅" else one, other) for one, other in old.pairs_of(utterance)]
        kept = sum(one != other for one, other in pairs)
        assert saved[utterance] == pytest.approx((kept - new.cost[utterance]) / 0.2)
        assert kept >= new.cost[utterance]


def test_as_many_phones_are_rewritten_as_the_rate_says() -> None:
    codes = np.repeat(np.arange(6), (100 * TOKENS).astype(int))
    drawn = Rewriting(near(), 0.07, 1, np.random.default_rng(6)).codes(codes)
    assert (drawn != codes).mean() == pytest.approx(0.07, abs=0.01)
    assert np.bincount(drawn, minlength=6) == pytest.approx(100 * TOKENS, abs=150)

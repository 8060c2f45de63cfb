"""Answers to the same gold, approximate randomisation, and numbers by phone and feature: against plain loops."""

from collections import Counter
from dataclasses import replace
from itertools import permutations, product
from math import log
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from made_alignments import Pair, alignments_of
from scipy import stats
from scipy.sparse import csr_array
from simulations.agreement import ALIKE, SUSPECT, channel_of, lines as study, simulated
from sklearn.metrics import cohen_kappa_score

import phonxling as px
from phonxling.analyses.features import feature_errors
from phonxling.analyses.statistics import Counts, CountSettings
from phonxling.comparison.agreement import Answers, HeardTokens, compared_answers, heard_tokens, suspects, together
from phonxling.comparison.items import gold_times
from phonxling.comparison.pairs import approximate_randomisation, by_feature, by_phone, randomised_measure
from phonxling.core.inventory import GAP, Inventory
from phonxling.resample.intervals import resampling

FIRST: list[list[Pair]] = [
    [("a", "a"), ("n", "n"), (GAP, "t"), ("p", "b"), ("i", "i")],
    [],
    [("a", GAP), ("p", "b")],
]
SECOND: list[list[Pair]] = [[("a", "a"), ("n", "t"), ("p", "b"), ("i", "i")], [], [(GAP, "b"), ("a", "a"), ("p", "b")]]
CHANNEL = channel_of(np.random.default_rng(3))


def tokens_of(gold: str, *heard: str) -> HeardTokens:
    """Return one token an utterance, a letter each; - for nothing."""
    phones = Inventory(tuple(sorted({*gold, *"".join(heard)} - {"-"})))
    codes = [np.array([*phones, "-"].index(letter)) for letter in gold + "".join(heard)]
    table = np.array(codes, dtype=np.int64).reshape(1 + len(heard), len(gold))
    return HeardTokens(
        phones=phones,
        utterances=tuple(f"u{number}" for number in range(len(gold))),
        utterance=np.arange(len(gold)),
        position=np.ones(len(gold), np.int64),
        gold=table[0],
        heard=table[1:],
        neighbours=np.full(len(gold), 2),
    )


def answers_of(gold: str, first: str, second: str) -> Answers:
    letters = sorted({*gold, *first, *second})
    codes = (np.array([letters.index(letter) for letter in text]) for text in (gold, first, second))
    return Answers(*codes, np.ones((len(gold), 1)))


def test_tokens_stand_beside_each_other_whatever_was_inserted() -> None:
    tokens = heard_tokens(
        [alignments_of(FIRST), alignments_of(SECOND, gold=("p", "n", "i", "a"), predicted=("t", "b", "i", "a"))]
    )
    phones = [*tokens.phones, GAP]
    assert [phones[code] for code in tokens.gold] == ["a", "n", "p", "i", "a", "p"]
    assert [[phones[code] for code in own] for own in tokens.heard] == [
        ["a", "n", "b", "i", GAP, "b"],
        ["a", "t", "b", "i", "a", "b"],
    ]
    assert tokens.utterance.tolist() == [0, 0, 0, 0, 2, 2]
    assert tokens.position.tolist() == [1, 2, 3, 4, 1, 2]
    assert tokens.neighbours.tolist() == [1, 1, 1, 1, 0, 1]


def test_times_are_those_of_the_gold_phones(tmp_path: Path) -> None:
    rows = ["u\tt\t∅\t\t", "u\t∅\ta\t0.1\t0.2", "v\ta\ta\t0.3\t0.4", "u\t∅\tb\t0.2\t0.5"]
    file = tmp_path / "alignments.tsv"
    file.write_text("\n".join(["utterance\tpredicted\tgold\tgold_start\tgold_end", *rows]) + "\n", encoding="utf-8")
    assert gold_times(file, ["u"]).to_numpy().tolist() == [["u", 1, 0.1, 0.2], ["u", 2, 0.2, 0.5]]
    file.write_text("utterance\tpredicted\tgold\nu\ta\ta\n", encoding="utf-8")
    assert gold_times(file, ["u"]).empty


def oracle(gold: str, first: str, second: str, chosen: set[int]) -> tuple[float, float, int]:
    """Return agreements, those expected of different tokens, and tokens: all pairs of tokens one after the other."""
    alike = expected = number = 0.0
    for phone in set(gold):
        own = [place for place in chosen if gold[place] == phone]
        if len(own) < 2:
            continue
        pairs = [(a, b) for a, b in product(own, own) if a != b]
        alike += sum(first[place] == second[place] for place in own)
        expected += len(own) * sum(first[a] == second[b] for a, b in pairs) / len(pairs)
        number += len(own)
    return alike, expected, int(number)


@pytest.mark.parametrize("seed", range(5))
def test_agreement_is_that_of_all_pairs_of_tokens(seed: int) -> None:
    generator = np.random.default_rng(seed)
    gold = "".join(generator.choice([*"abc"], 60)) + "z"  # a phone with one token says nothing
    first, second = (
        "".join(x if generator.random() < 0.5 else generator.choice([*"abcd-"]) for x in gold) for _ in "12"
    )
    numbers = {name: float(one[0]) for name, one in together(answers_of(gold, first, second))[0].items()}
    right = ["".join("ny"[x == y] for x, y in zip(gold, heard, strict=True)) for heard in (first, second)]
    alike, expected, number = oracle(gold, *right, chosen={*range(len(gold))})
    assert numbers["kappa_given_phone"] == pytest.approx((alike - expected) / (number - expected))
    both = {place for place, marks in enumerate(zip(*right, strict=True)) if marks == ("n", "n")}
    assert numbers["both_wrong_expected"] == pytest.approx(len(both) - (alike - expected) / 2)
    alike, expected, number = oracle(gold, first, second, chosen=both)
    assert numbers["same_share"] == pytest.approx(alike / number)
    assert numbers["same_excess"] == pytest.approx((alike - expected) / number)
    assert numbers["kappa"] == pytest.approx(cohen_kappa_score([*right[0]], [*right[1]]))


def test_the_odds_ratio_is_that_of_mantel_and_haenszel() -> None:
    """Their formula by hand: of a, 3 2 1 4 of 10, of b, 5 1 2 2 of 10: (1.2 + 1.0) / (0.2 + 0.2)."""
    tables, kinds = {"a": (3, 2, 1, 4), "b": (5, 1, 2, 2)}, ("==", "=x", "x=", "xx")
    rows = [
        y + kind
        for y, cells in tables.items()
        for number, kind in zip(cells, kinds, strict=True)
        for _ in range(number)
    ]
    gold = "".join(row[0] for row in rows)
    first, second = ("".join(row[0] if row[side] == "=" else "x" for row in rows) for side in (1, 2))
    assert float(together(answers_of(gold, first, second))[0]["odds_ratio"][0]) == pytest.approx(2.2 / 0.4)


def test_the_variance_by_token_is_that_of_all_orders() -> None:
    gold, first, second = "aaaaabbbb", "xxyyzxyyy", "xyyzzxxyz"
    spread = 0.0
    for phone in "ab":
        own = [place for place, letter in enumerate(gold) if letter == phone]
        orders = permutations([second[place] for place in own])
        excess = [
            oracle("".join("a" * len(own)), "".join(first[place] for place in own), "".join(order), {*range(len(own))})
            for order in orders
        ]
        spread += float(np.var([alike - expected for alike, expected, _ in excess]))
    variance = together(answers_of(gold, first, second))[1]["same_excess"]
    assert float(variance[0]) == pytest.approx(spread / len(gold) ** 2)


def test_draws_are_the_measures_of_utterances_drawn_anew() -> None:
    tokens, speakers = simulated(
        (4, 480), channel_of(np.random.default_rng(3)), ALIKE["independent"], generator=np.random.default_rng(1)
    )
    draws = resampling(len(speakers), speakers, resamples=3, seed=1)
    _, value, drawn = compared_answers(tokens, (0, 1), draws)
    for number, weights in enumerate(draws.weights):
        own = np.repeat(np.arange(len(tokens.gold)), weights[speakers[tokens.utterance]])
        anew = Answers(tokens.gold[own], tokens.heard[0, own], tokens.heard[1, own], np.ones((len(own), 1)))
        for name, numbers in together(anew)[0].items():
            assert drawn[name][number] == pytest.approx(numbers[0]), name
    assert value[0].keys() == drawn.keys()


def test_nothing_is_defined_where_nobody_errs() -> None:
    numbers = together(answers_of("aabb", "aabb", "aabb"))[0]
    assert all(np.isnan(numbers[name][0]) for name in ("kappa", "kappa_given_phone", "odds_ratio", "same_excess"))


def test_a_suspect_has_the_likelihood_ratio_of_its_definition() -> None:
    gold, first, second = "aaaaaabbbbc", "aaabb-bbbba", "aaacb-bbabc"
    ranked, _ = suspects(tokens_of(gold, first, second))
    ratio = 1.0
    for heard in (first, second):
        counts, n = Counter(zip(gold, heard, strict=True)), Counter(gold)
        usual = Counter(heard)["b"] / len(gold)
        right = (counts["b", "b"] + 0.5) / (n["b"] + 1)
        ratio *= right / ((counts["a", "b"] - 1 + usual) / (n["a"] - 1 + 1))
    place = ranked.token.tolist().index(4)
    assert {*ranked.token.tolist()} == {4, 5}
    assert log(ranked.ratio[place]) == pytest.approx(log(ratio))
    assert ranked.alike.tolist() == [1, 1]


def test_phones_that_the_gold_never_has_make_no_suspects() -> None:
    assert suspects(tokens_of("aabb", "aaxb", "aaxb"))[0].empty
    assert suspects(tokens_of("", "", ""))[0].empty


def test_suspects_beside_right_neighbours_stand_first() -> None:
    tokens = tokens_of("a" * 50 + "b" * 50, *["a" * 48 + "bb" + "b" * 50] * 2)
    beside = np.full(100, 2)
    beside[[48, *range(70, 80)]] = 0
    ranked, _ = suspects(replace(tokens, neighbours=beside))
    assert ranked.token.tolist() == [49, 48]


def test_planted_errors_of_the_gold_come_first() -> None:
    number, shared = SUSPECT["noisy utterances"]
    generator = np.random.default_rng(5)
    tokens, _ = simulated(
        (12, 6000), channel_of(np.random.default_rng(3)), shared, items=number, errors=0.02, generator=generator
    )
    wrong = tokens.position[suspects(tokens)[0].token] < 0
    assert wrong[:20].mean() > 0.9
    assert wrong.mean() < 0.5


def test_suspects_by_chance_are_those_of_loops() -> None:
    """Of two items: those the first alone heard so times those the second alone, over those neither did."""
    generator = np.random.default_rng(4)
    gold = "".join(generator.choice([*"abc"], 90))
    heard = ["".join(x if generator.random() < 0.4 else generator.choice([*"abc-"]) for x in gold) for _ in "12"]
    tokens = replace(tokens_of(gold, *heard), neighbours=generator.integers(0, 3, 90))
    expected = 0.0
    for beside, phone, answer in product(range(3), "abc", "abc-"):
        own = [place for place in range(90) if gold[place] == phone and tokens.neighbours[place] == beside]
        kinds = Counter((heard[0][place] == answer, heard[1][place] == answer) for place in own)
        if phone != answer:
            expected += kinds[True, False] * kinds[False, True] / kinds[False, False]
    found, by_chance = suspects(tokens)
    assert by_chance == pytest.approx(expected, rel=1e-6)
    assert np.all(np.diff(found.by_chance) >= 0)
    assert 0 <= found.by_chance.iloc[0] < found.by_chance.iloc[-1] <= by_chance


@pytest.mark.parametrize(("items", "wrong"), [(2, 0.0), (2, 0.02), (3, 0.0), (3, 0.02)])
def test_of_a_right_gold_there_are_as_many_suspects_as_by_chance_and_of_a_wrong_one_more(
    items: int, wrong: float
) -> None:
    """Ten corpora of independent recognisers; with planted errors the others are as many as by chance."""
    rows = []
    for number in range(10):
        generator = np.random.default_rng([number, items])
        channel = channel_of(generator)
        tokens, _ = simulated((12, 6000), channel, ALIKE["independent"], items=items, errors=wrong, generator=generator)
        found, by_chance = suspects(tokens)
        planted = tokens.position[found.token] < 0
        rows.append([len(planted), planted.sum(), by_chance, found.by_chance[:10].iloc[-1], planted[:10].sum()])
    number, planted, chance, ten, true = np.mean(rows, axis=0)
    assert number - planted == pytest.approx(chance, rel=0.12)
    if wrong:
        assert planted > 30
        assert ten < 1
        assert true > 9
    else:
        assert 7 < ten < 13


@pytest.mark.slow  # 80 corpora with 300 draws each
def test_independent_recognisers_agree_by_nothing_beyond_the_phone() -> None:
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in study(20, seed=1)]
    agreements = [row for row in rows if len(row) == 12]
    kinds = "independent", "30 % of wrong answers copied"
    independent, copied = (
        np.array([[float(cell.replace(",", "")) for cell in row[1:]] for row in agreements if row[0] == kind])
        for kind in kinds
    )
    assert abs(independent[:, [3, 5]].mean(axis=0)).max() < 0.01
    assert independent[:, [7, 8]].mean() < 8
    assert independent[:, 6].mean() > 20  # Cohen's κ takes hard phones for agreement
    assert copied[:, 5] == pytest.approx(0.24, abs=0.03)
    assert copied[:, 8].mean() > 85


def every_swap(differences: list[int]) -> float:
    sums = [
        abs(sum(s * d for s, d in zip(signs, differences, strict=True)))
        for signs in product((1, -1), repeat=len(differences))
    ]
    return sum(value >= abs(sum(differences)) for value in sums) / len(sums)


@given(st.lists(st.integers(-5, 5), min_size=1, max_size=9))
@settings(max_examples=30)
def test_p_nears_the_share_of_all_swaps(differences: list[int]) -> None:
    exact = every_swap(differences)
    found = approximate_randomisation(np.array(differences)[:, None], seed=1, swaps=4_000)[0]
    assert found == pytest.approx(exact, abs=5 * np.sqrt(exact * (1 - exact) / 4_000) + 1 / 4_001)


def test_p_is_that_of_scipy() -> None:
    generator = np.random.default_rng(2)
    first, second = generator.poisson(5.0, 40), generator.poisson(4.2, 40)
    wanted = stats.permutation_test(
        (first, second),
        lambda a, b, axis: (a - b).sum(axis=axis),
        permutation_type="samples",
        vectorized=True,
        n_resamples=20_000,
        rng=generator,
    ).pvalue
    found = approximate_randomisation((first - second)[:, None], seed=3, swaps=20_000)[0]
    assert found == pytest.approx(wanted, abs=0.01)


def test_measures_are_swapped_together_and_by_the_seed() -> None:
    differences = np.random.default_rng(4).normal(0.3, 1.0, (15, 2))
    both = approximate_randomisation(differences, seed=5)
    assert both[0] == approximate_randomisation(differences[:, :1], seed=5)[0]
    assert (approximate_randomisation(differences, seed=6) != both).any()


def test_sums_that_differ_by_rounding_alone_are_as_large() -> None:
    differences = np.array([[0.1], [0.2], [0.3]])
    assert approximate_randomisation(-differences, seed=1)[0] == approximate_randomisation(differences, seed=1)[0]
    assert approximate_randomisation(differences * 0, seed=1)[0] == 1


def test_a_measure_that_is_no_sum_nears_the_share_of_all_swaps() -> None:
    first, second = np.random.default_rng(7).poisson(3.0, (2, 7, 5)).astype(float)

    def entropy(counts: np.ndarray) -> np.ndarray:
        return np.array([stats.entropy(counts, base=2, axis=0)])

    differences = []
    for swaps in product((False, True), repeat=7):
        chosen = np.array(swaps)[:, None]
        sides = np.where(chosen, second, first), np.where(chosen, first, second)
        both = np.stack([side.sum(axis=0) for side in sides], axis=1)
        differences.append(abs(np.subtract(*entropy(both)[0])))
    exact = np.mean(np.array(differences) >= differences[0] - 1e-12)
    found = randomised_measure(csr_array(first), csr_array(second), entropy, seed=8, swaps=2_000)[0]
    assert 0.1 < exact < 1
    assert found == pytest.approx(exact, abs=0.04)


GOLD = ["p", "b", "t", "a", "e", "i", "u", "s", "ʃ", "n", "ʘ͡¤"]  # the last has no features
PREDICTED = ["p", "t", "d", "a", "i", "ɪ", "s", "n", "ŋ", "t͡ʃ"]


@pytest.fixture(scope="module")
def matrices() -> list[px.ConfusionMatrix]:
    counts = np.random.default_rng(1).poisson(2.0, (3, len(GOLD) + 1, len(PREDICTED) + 1)).astype(float)
    counts[:, -1, -1] = 0
    counts[:, 1] = 0  # b does not occur
    counts[:, 2, :-1] = 0  # t is always deleted
    counts[:, 3, 1:] = 0  # a is always heard as p
    return [px.ConfusionMatrix(GOLD, PREDICTED, one) for one in counts]


def counts_of(matrices: list[px.ConfusionMatrix], *, gaps: bool = False) -> Counts:
    counts = np.stack([matrix.counts.ravel() for matrix in matrices], axis=-1)[:, None]
    empty = px.ConfusionMatrix.zero(matrices[0].gold, matrices[0].predicted)
    return Counts(np.arange(len(counts)), counts, empty, CountSettings(np.zeros(1, np.int8), gaps=gaps))


@pytest.mark.parametrize("gaps", ["exclude", "include"])
def test_entropies_of_phones(matrices: list[px.ConfusionMatrix], gaps: str) -> None:
    shown = by_phone(counts_of(matrices, gaps=gaps == "include"))["phone", "entropy"]
    for replicate, matrix in enumerate(matrices):
        wanted = px.confusion_entropy(matrix, estimator="miller-madow", gaps=gaps)
        assert shown[:, replicate].tolist() == pytest.approx([wanted[phone] for phone in GOLD], nan_ok=True)
    if gaps == "exclude":
        assert (shown[GOLD.index("a")] == 0).all()


def test_accuracy_counts_deletions_and_is_missing_without_tokens(matrices: list[px.ConfusionMatrix]) -> None:
    shown = by_phone(counts_of(matrices))["phone", "accuracy"]
    row, column = GOLD.index("s"), PREDICTED.index("s")
    for replicate, matrix in enumerate(matrices):
        assert shown[row, replicate] == matrix.counts[row, column] / matrix.counts[row].sum()
    assert (shown[GOLD.index("t")] == 0).all()
    assert np.isnan(shown[GOLD.index("b")]).all()


def test_features(matrices: list[px.ConfusionMatrix]) -> None:
    table = px.costs.panphon_features()
    shown = by_feature(counts_of(matrices), table)
    for replicate, matrix in enumerate(matrices):
        changed = feature_errors(matrix, table)["changed"]
        known = px.ConfusionMatrix(GOLD[:-1], PREDICTED, matrix.substitutions[:-1])
        transfer = px.feature_transfer(known, table).set_index("feature")["relative"]
        assert shown["feature", "changed"][:, replicate] == pytest.approx(changed[list(table.features)].to_numpy())
        assert shown["feature", "transfer"][:, replicate] == pytest.approx(
            transfer[list(table.features)].to_numpy(), nan_ok=True, abs=1e-9
        )


def test_no_counts_leave_everything_missing(matrices: list[px.ConfusionMatrix]) -> None:
    empty = counts_of([px.ConfusionMatrix.zero(matrices[0].gold, matrices[0].predicted)])
    for shown in (by_phone(empty) | by_feature(empty, px.costs.panphon_features())).values():
        assert np.isnan(shown).all()

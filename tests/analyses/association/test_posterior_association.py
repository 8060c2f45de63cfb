"""Joint distributions from posteriors, without each cluster and permuted, against plain loops and other programs."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, strategies as st
from numpy.typing import NDArray
from scipy import stats
from sklearn.metrics import adjusted_mutual_info_score
from sklearn.metrics.cluster import expected_mutual_information

from phonxling.alignment import confusions as count_rows
from phonxling.analyses.association import information_of, joint_information, permuted_information, unless_few
from phonxling.core.estimate import Estimate
from phonxling.core.inventory import Inventory
from phonxling.core.posteriorgram import TokenPosteriors
from phonxling.posteriors.joint import means_of_tokens
from phonxling.stats.estimators import entropy
from phonxling.stats.jackknife import clusters_of

HEARD = np.random.default_rng(1).integers(0, 4, 500)
CODES = np.random.default_rng(0).integers(0, 6, 500)


def tokens_of(
    codes: NDArray[np.integer],
    rows: NDArray[np.float64],
    utterances: NDArray[np.integer] | None = None,
    phones: int = 6,
) -> TokenPosteriors:
    """Tokens that weigh 1, 2, 3, 1, 2, 3, …"""
    return TokenPosteriors(
        phones=Inventory(tuple("abcdefgh"[:phones])),
        columns=Inventory(tuple("pqrstuvw"[: rows.shape[1]])),
        codes=codes,
        rows=rows,
        weight=np.arange(len(codes)) % 3 + 1.0,
        utterances=np.zeros(len(codes)) if utterances is None else utterances,
        without_frame=np.zeros(phones),
        silent=np.zeros(phones),
    )


def by_hand(
    tokens: TokenPosteriors, times: list[float], labels: list[int] | None = None, *, hard: bool = False
) -> list[list[float]]:
    """The joint mass when token i counts times[i], in a plain loop."""
    mass = [[0.0] * len(tokens.columns) for _ in tokens.phones]
    for token, (label, row) in enumerate(zip(labels or tokens.codes.tolist(), tokens.rows.tolist(), strict=True)):
        for column, share in enumerate(row):
            mass[label][column] += times[token] * (float(column == row.index(max(row))) if hard else share)
    return mass


@st.composite
def corpora(draw: st.DrawFn) -> TokenPosteriors:
    number = draw(st.integers(1, 25))
    rows = draw(
        st.lists(st.lists(st.integers(0, 4), min_size=3, max_size=3).filter(any), min_size=number, max_size=number)
    )
    codes, owners = (draw(st.lists(st.integers(0, top), min_size=number, max_size=number)) for top in (2, 4))
    return tokens_of(np.array(codes), np.array([np.array(row) / sum(row) for row in rows]), np.array(owners), phones=3)


@given(corpora(), st.booleans())
def test_a_token_counts_once_whatever_its_weight(tokens: TokenPosteriors, hard: bool) -> None:
    found, _ = joint_information(tokens, clusters_of(np.ones(5)), hard=hard)
    np.testing.assert_allclose(found.mass, by_hand(tokens, [1.0] * len(tokens), hard=hard))


def entropy_of(table: NDArray[np.float64]) -> float:
    """By Miller and Madow: the plug-in and (cells with tokens − 1) / 2N nats."""
    counts = table.ravel()[table.ravel() > 0]
    return float(stats.entropy(counts, base=2) + (len(counts) - 1) / (2 * counts.sum()) / math.log(2))


def test_the_value_is_the_jackknife_of_miller_and_madow() -> None:
    """Over five speakers; draws from posteriors are no counts, and their plug-in is jackknifed."""
    rows = 0.6 * np.eye(4)[CODES % 4] + 0.4 * np.random.default_rng(2).dirichlet(np.full(4, 0.01), 500)
    rows = np.where(np.arange(500)[:, None] % 3 == 0, rows[::-1], rows)
    tokens = tokens_of(CODES, rows, np.arange(500) // 100)
    clusters = clusters_of(np.full(5, 100.0))
    decided = rows.argmax(axis=1)

    def corrected(chosen: NDArray[np.bool_]) -> float:
        table = np.zeros((6, 4))
        np.add.at(table, (tokens.codes[chosen], decided[chosen]), 1)
        return entropy_of(table.sum(axis=0)) + entropy_of(table.sum(axis=1)) - entropy_of(table)

    def plug_in(chosen: NDArray[np.bool_]) -> float:
        table = np.zeros((6, 4))
        np.add.at(table, tokens.codes[chosen], rows[chosen])
        return information_of(table)

    for hard, measure in ((True, corrected), (False, plug_in)):
        parts = [measure(tokens.utterances != speaker) for speaker in range(5)]
        wanted = 5 * measure(tokens.utterances >= 0) - 4 * float(np.mean(parts))
        found = joint_information(tokens, clusters, hard=hard)[1]
        assert found.value == pytest.approx(wanted, abs=1e-12)
        error = math.sqrt(4 / 5 * np.square(np.array(parts) - np.mean(parts)).sum())
        assert found.high - found.value == pytest.approx(stats.t(4).ppf(0.975) * error)


def test_where_much_is_chance_there_is_no_interval() -> None:
    number = Estimate(0.5, 0.4, 0.6, 0.95)
    assert unless_few(number, 1.0, np.array([0.2, 0.3])) == unless_few(number, 1.0, np.zeros(0)) == number
    few = unless_few(number, 1.0, np.array([0.2, 0.4]))
    assert (few.value, few.status, math.isnan(few.low), "30%" in few.note) == (0.5, "bias-warning", True, True)


def permuted(tokens: TokenPosteriors, number: int, seed: int) -> NDArray[np.float64]:
    """The null of decisions and of draws, labels permuted among all tokens."""
    among_all = np.zeros(len(tokens), np.int64)
    return permuted_information(tokens, among_all, permutations=number, generator=np.random.default_rng(seed))


def test_rows_on_disk_give_what_rows_in_memory_give(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(count_rows, "_BATCH_SIZE", 80)  # some twenty tokens
    monkeypatch.setattr(count_rows, "_MOST_COUNTS", 0)
    rows = np.random.default_rng(2).dirichlet(np.ones(4), 500)
    tokens = replace(tokens_of(CODES, rows, np.repeat(np.arange(50), 10), phones=8), places=np.arange(500))
    room = count_rows.Room(500, 4)
    room.add(rows[:123])
    room.add(rows[123:])
    assert not isinstance(room.filled(), np.ndarray)
    other, clusters = replace(tokens, rows=room.filled()), clusters_of(np.full(50, 10.0))
    assert other.hard.tolist() == tokens.hard.tolist()
    assert other.mass.tolist() == tokens.mass.tolist()
    for hard in (True, False):
        one, two = (joint_information(of, clusters, hard=hard) for of in (tokens, other))
        assert repr(one) == repr(two)
        assert one[0] == two[0]
    assert permuted(other, 3, 1).tolist() == permuted(tokens, 3, 1).tolist()
    means = [means_of_tokens(of) for of in (tokens, other)]
    assert means[0].means.tolist() == means[1].means.tolist()
    assert means[0].batch_means.tolist() == means[1].batch_means.tolist()


class TestPermutation:
    def test_it_gives_each_row_another_tokens_label(self) -> None:
        tokens = tokens_of(CODES, np.random.default_rng(2).dirichlet(np.ones(4), 500), phones=8)
        for hard, found in zip((True, False), permuted(tokens, 11, 9), strict=True):
            generator = np.random.default_rng(9)
            for value in found:
                labels = generator.permutation(tokens.codes).tolist()
                table = by_hand(tokens, [1.0] * 500, labels, hard=hard)
                assert value == pytest.approx(information_of(np.array(table)), abs=1e-12)

    def test_its_mean_is_the_exact_expectation(self) -> None:
        """Scikit-learn sums the hypergeometric distribution that permuting samples from."""
        tokens = tokens_of(CODES, np.eye(4)[HEARD])
        found, _ = permuted(tokens, 400, 4)
        counts = np.zeros((6, 4), dtype=np.int64)
        np.add.at(counts, (CODES, HEARD), 1)
        exact = expected_mutual_information(counts, 500) / math.log(2)
        assert found.mean() == pytest.approx(exact, abs=4 * found.std() / math.sqrt(400))
        assert 0 < exact < 0.05
        adjusted = (information_of(counts) - exact) / (entropy(counts.sum(axis=1)) - exact)
        assert adjusted == pytest.approx(adjusted_mutual_info_score(CODES, HEARD, average_method="max"), abs=1e-9)

    def test_labels_change_places_within_groups_alone(self) -> None:
        """Each speaker has one label, so that nothing changes at all; among all tokens the association would vanish."""
        speakers = np.repeat([0, 1, 2, 3], 50)
        tokens = tokens_of(speakers, np.eye(4)[speakers])
        random = np.random.default_rng(3)
        found = permuted_information(tokens, speakers, permutations=3, generator=random)
        assert found.ravel().tolist() == pytest.approx([2.0] * 6)
        assert permuted(tokens, 3, 3).max() < 0.3

"""Joint distributions from posteriors under resampling and permutation, against plain loops and other programs."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, strategies as st
from numpy.typing import NDArray
from scipy import stats
from sklearn.metrics import adjusted_mutual_info_score
from sklearn.metrics.cluster import expected_mutual_information

from phonxling.analyses.association import cell_tests, permuted_information, resampled_joint
from phonxling.analyses.entropy import information_of, npmi_of
from phonxling.core.inventory import Inventory
from phonxling.core.posteriorgram import TokenPosteriors
from phonxling.count import confusions as count_rows
from phonxling.count.posteriors import Unit, joint_of_tokens, means_of_tokens
from phonxling.resample.estimators import entropy
from phonxling.resample.intervals import Resampling, resampling

HEARD = np.random.default_rng(1).integers(0, 4, 500)
CODES = np.random.default_rng(0).integers(0, 6, 500)


def tokens_of(
    codes: NDArray[np.integer],
    rows: NDArray[np.float64],
    utterances: NDArray[np.integer] | None = None,
    phones: int = 6,
) -> TokenPosteriors:
    """Tokens that weigh 1, 2, 3, 1, 2, 3, …; of the weight a fifth is of frames that decide for the last phone."""
    weight = np.arange(len(codes)) % 3 + 1.0
    own, last = (np.eye(rows.shape[1])[chosen] for chosen in (rows.argmax(axis=1), [rows.shape[1] - 1]))
    return TokenPosteriors(
        phones=Inventory(tuple("abcdefgh"[:phones])),
        columns=Inventory(tuple("pqrstuvw"[: rows.shape[1]])),
        codes=codes,
        rows=rows,
        weight=weight,
        decided=weight[:, None] * (0.8 * own + 0.2 * last),
        utterances=np.zeros(len(codes)) if utterances is None else utterances,
        without_frame=np.zeros(phones),
        silent=np.zeros(phones),
    )


def by_hand(
    tokens: TokenPosteriors, times: list[float], unit: str, labels: list[int] | None = None, *, hard: bool = False
) -> list[list[float]]:
    """The joint mass when token i counts times[i], in a plain loop."""
    mass = [[0.0] * len(tokens.columns) for _ in tokens.phones]
    for token, (label, row) in enumerate(zip(labels or tokens.codes.tolist(), tokens.rows.tolist(), strict=True)):
        count = times[token] * (float(tokens.weight[token]) if unit == "frame" else 1.0)
        for column, share in enumerate(row):
            given_to = float(column == row.index(max(row))) if hard else share
            if hard and unit == "frame":
                given_to = 0.8 * given_to + 0.2 * (column == len(row) - 1)
            mass[label][column] += count * given_to
    return mass


@st.composite
def corpora(draw: st.DrawFn) -> TokenPosteriors:
    number = draw(st.integers(1, 25))
    rows = draw(
        st.lists(st.lists(st.integers(0, 4), min_size=3, max_size=3).filter(any), min_size=number, max_size=number)
    )
    codes, owners = (draw(st.lists(st.integers(0, top), min_size=number, max_size=number)) for top in (2, 4))
    return tokens_of(np.array(codes), np.array([np.array(row) / sum(row) for row in rows]), np.array(owners), phones=3)


@given(corpora(), st.sampled_from(["token", "frame"]), st.booleans(), st.booleans())
def test_replicates_and_left_out_parts_count_whole_clusters(
    tokens: TokenPosteriors, unit: Unit, hard: bool, by_speaker: bool
) -> None:
    drawn = resampling(5, ["x", "y", "x", "z", "y"] if by_speaker else None, resamples=4, seed=3)
    found = resampled_joint(tokens, drawn, unit, hard=hard)
    np.testing.assert_allclose(found.whole.mass, by_hand(tokens, [1.0] * len(tokens), unit, hard=hard))
    clusters = drawn.clusters[tokens.utterances].tolist()
    for replicate, mass in enumerate(found.drawn):
        times = [float(drawn.weights[replicate, cluster]) for cluster in clusters]
        np.testing.assert_allclose(mass, by_hand(tokens, times, unit, hard=hard), atol=1e-12)
    for cluster, mass in enumerate(found.left_out):
        times = [float(own != cluster) for own in clusters]
        np.testing.assert_allclose(mass, by_hand(tokens, times, unit, hard=hard), atol=1e-12)


def test_more_clusters_than_parts_are_left_out_in_groups() -> None:
    rows = np.eye(4)[np.resize(HEARD, 450)]
    tokens = tokens_of(np.resize(CODES, 450), rows, np.arange(450))
    found = resampled_joint(tokens, resampling(450, None, resamples=0, seed=1)).left_out
    assert len(found) == 200
    assert found.sum() == pytest.approx(450 * 199)  # each token is left out once
    assert found[7].tolist() == by_hand(tokens, [float(token % 200 != 7) for token in range(450)], "token")


def entropy_of(table: NDArray[np.float64]) -> float:
    """By Miller and Madow: the plug-in and (cells with tokens − 1) / 2N nats."""
    counts = table.ravel()[table.ravel() > 0]
    return float(stats.entropy(counts, base=2) + (len(counts) - 1) / (2 * counts.sum()) / math.log(2))


def test_the_value_is_the_jackknife_of_miller_and_madow() -> None:
    """Over four speakers; draws from posteriors are no counts, and their plug-in is jackknifed."""
    rows = 0.6 * np.eye(4)[CODES % 4] + 0.4 * np.random.default_rng(2).dirichlet(np.full(4, 0.01), 500)
    rows = np.where(np.arange(500)[:, None] % 3 == 0, rows[::-1], rows)
    tokens = tokens_of(CODES, rows, np.arange(500) // 125)
    drawn = resampling(4, None, resamples=50, seed=3)
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
        parts = [measure(tokens.utterances != speaker) for speaker in range(4)]
        wanted = 4 * measure(tokens.utterances >= 0) - 3 * float(np.mean(parts))
        found = resampled_joint(tokens, drawn, hard=hard).information()
        assert found.value == pytest.approx(wanted, abs=1e-12)
        assert found.low < found.value < found.high


def permuted(tokens: TokenPosteriors, unit: Unit, number: int, seed: int) -> NDArray[np.float64]:
    """The null of decisions and of draws, labels permuted among all tokens."""
    among_all = np.zeros(len(tokens), np.int64)
    return permuted_information(tokens, unit, among_all, permutations=number, generator=np.random.default_rng(seed))


@pytest.mark.parametrize("unit", ["token", "frame"])
def test_rows_on_disk_give_what_rows_in_memory_give(unit: Unit, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(count_rows, "_TOGETHER", 80)  # some twenty tokens
    monkeypatch.setattr(count_rows, "_MOST", 0)
    rows = np.random.default_rng(2).dirichlet(np.ones(4), 500)
    tokens = replace(tokens_of(CODES, rows, np.repeat(np.arange(50), 10), phones=8), places=np.arange(500))
    on_disk = {}
    for name in ("rows", "decided"):
        room = count_rows.Room(500, 4)
        room.add(np.asarray(getattr(tokens, name))[:123])
        room.add(np.asarray(getattr(tokens, name))[123:])
        on_disk[name] = room.filled()
    assert not isinstance(on_disk["rows"], np.ndarray)
    other, drawn = replace(tokens, **on_disk), resampling(50, None, resamples=20, seed=1)
    assert other.hard.tolist() == tokens.hard.tolist()
    assert other.mass.tolist() == tokens.mass.tolist()
    for hard in (True, False):
        one, two = (resampled_joint(of, drawn, unit, hard=hard) for of in (tokens, other))
        assert one.whole == two.whole
        assert (one.drawn.tolist(), one.left_out.tolist()) == (two.drawn.tolist(), two.left_out.tolist())
    assert permuted(other, unit, 3, 1).tolist() == permuted(tokens, unit, 3, 1).tolist()
    means = [means_of_tokens(of) for of in (tokens, other)]
    assert means[0].means.tolist() == means[1].means.tolist()
    assert means[0].batch_means.tolist() == means[1].batch_means.tolist()


class TestPermutation:
    def test_it_gives_each_row_another_tokens_label(self) -> None:
        tokens = tokens_of(CODES, np.random.default_rng(2).dirichlet(np.ones(4), 500), phones=8)
        units: tuple[Unit, ...] = ("token", "frame")
        for unit in units:
            both = permuted(tokens, unit, 11, 9)
            for hard, found in zip((True, False), both, strict=True):
                generator = np.random.default_rng(9)
                for value in found:
                    labels = generator.permutation(tokens.codes).tolist()
                    table = by_hand(tokens, [1.0] * 500, unit, labels, hard=hard)
                    assert value == pytest.approx(information_of(np.array(table)), abs=1e-12)

    def test_its_mean_is_the_exact_expectation(self) -> None:
        """Scikit-learn sums the hypergeometric distribution that permuting samples from."""
        tokens = tokens_of(CODES, np.eye(4)[HEARD])
        found, _ = permuted(tokens, "token", 400, 4)
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
        found = permuted_information(tokens, "token", speakers, permutations=3, generator=random)
        assert found.ravel().tolist() == pytest.approx([2.0] * 6)
        assert permuted(tokens, "token", 3, 3).max() < 0.3

    def test_without_tokens_there_is_none(self) -> None:
        nothing = tokens_of(np.zeros(0, np.int64), np.zeros((0, 4)))
        assert np.isnan(permuted(nothing, "token", 3, 0)).all()


class TestCells:
    tokens = tokens_of(CODES, np.eye(4)[HEARD], np.arange(500) // 10)
    drawn = resampling(50, None, resamples=300, seed=3)

    def found(self, tokens: TokenPosteriors, clusters: int = 50, drawn: Resampling = drawn) -> dict[str, np.ndarray]:
        joint = resampled_joint(tokens, drawn)
        return cell_tests(tokens, joint, counts=np.ones(len(tokens)), clusters=np.full((2, 6), clusters))

    def test_p_is_that_of_the_residual_over_the_larger_of_two_errors(self) -> None:
        found = self.found(self.tokens)
        joints = resampled_joint(self.tokens, self.drawn).drawn
        shares = [joint / joint.sum() for joint in joints]
        residuals = [share[2, 1] - share[2].sum() * share[:, 1].sum() for share in shares]
        p = np.mean((CODES == 2) & (HEARD == 1))
        residual = p - np.mean(CODES == 2) * np.mean(HEARD == 1)
        generator, permuted = np.random.default_rng(6), []
        for _ in range(20_000):
            hits = np.count_nonzero(HEARD[generator.permutation(CODES) == 2] == 1)
            permuted.append(hits / 500 - np.mean(CODES == 2) * np.mean(HEARD == 1))
        number = 50
        spread = max(float(np.std(residuals, ddof=1)) * (number / (number - 1)) ** 0.5, float(np.std(permuted)))
        expected = 2 * stats.t(number - 1).sf(abs(residual) / spread)
        assert found["p"][2, 1] == pytest.approx(expected, abs=0.01)
        q = stats.false_discovery_control(found["p"].ravel())
        assert found["q"].ravel().tolist() == pytest.approx(q.tolist())
        mass = joint_of_tokens(self.tokens).mass
        npmi = npmi_of(mass / mass.sum())[2, 1]
        error = np.std([npmi_of(share)[2, 1] for share in shares], ddof=1) * (number / (number - 1)) ** 0.5
        reach = stats.t(number - 1).ppf(0.975) * error
        assert [found["low"][2, 1], found["high"][2, 1]] == pytest.approx([npmi - reach, npmi + reach])

    def test_with_few_clusters_of_a_phone_or_without_replicates_nothing_is_tested(self) -> None:
        none = resampling(50, None, resamples=0, seed=3)
        for found in (self.found(self.tokens, clusters=9), self.found(self.tokens, drawn=none)):
            assert all(np.isnan(values).all() for values in found.values())

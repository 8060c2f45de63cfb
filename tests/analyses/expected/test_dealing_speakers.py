"""Speakers dealt anew to two corpora: what stays, how speakers hear, and false alarms where nothing differs."""

import numpy as np
import pytest

from phonxling.analyses.expected_confusions import deals, heard_shares, undealt
from phonxling.resample.intervals import resampling
from phonxling.resample.p_values import p_value

RIGHT = np.eye(4, dtype=bool)


def hearing(generator: np.random.Generator, speakers: int, tokens: np.ndarray, spread: float) -> np.ndarray:
    """Counts [C, 4, 4] of speakers who hear 70 % right, on the logit scale with this standard deviation."""
    right = 1 / (1 + np.exp(-(np.log(0.7 / 0.3) + generator.normal(0, spread, (speakers, 1)) + np.zeros(4))))
    shares = np.where(RIGHT, right[..., None], (1 - right[..., None]) * np.array([0.7, 0.2, 0.1, 0.0])[WRONG])
    rows = [[generator.multinomial(n, row) for n, row in zip(tokens, table, strict=True)] for table in shares]
    return np.array(rows, dtype=np.float64)


WRONG = np.array([[3, 0, 1, 2], [0, 3, 1, 2], [2, 0, 3, 1], [1, 2, 0, 3]])  # which of the kinds each cell is


def test_cells_without_tokens_change_no_draw() -> None:
    """Against all cells dealt one after the other, by the tokens of each place and the shares of the speaker there."""
    generator = np.random.default_rng(7)
    first, second = (hearing(generator, 3, np.array(tokens), 1.0) for tokens in ([5, 0, 1, 2], [2, 3, 0, 1]))
    speakers, shares = np.concatenate([first, second]), heard_shares(first, second, RIGHT)
    own, same = np.random.default_rng(8), np.random.default_rng(8)
    orders = [own.permutation(6) for _ in range(9)]
    for both, order in zip(deals(first, second, RIGHT, number=9, generator=same), orders, strict=True):
        dealt = np.concatenate(both)
        for row, column in np.ndindex(4, 4):
            given = [speakers[place, row].sum() * shares[order[place], row, column] for place in range(6)]
            odds = np.array(given) / sum(given) if sum(given) else np.full(6, 1 / 6)
            wanted = own.multinomial(int(speakers[:, row, column].sum()), odds)
            assert dealt[:, row, column].tolist() == wanted.tolist()


@pytest.fixture(scope="module")
def slow() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Two corpora, and each of their tokens dealt to a place 3,000 times."""
    generator = np.random.default_rng(17)
    first, second = (hearing(generator, *of, 1.5) for of in ((4, np.array([9, 2, 0, 4])), (6, np.array([3, 7, 1, 2]))))
    speakers, shares = np.concatenate([first, second]), heard_shares(first, second, RIGHT)
    slow = np.zeros((3_000, len(speakers), 4, 4))
    for one in slow:
        order = generator.permutation(len(speakers))
        given = speakers.sum(axis=2)[..., None] * shares[order]
        for row, column in zip(*np.nonzero(speakers.sum(axis=0)), strict=True):
            odds = given[:, row, column].cumsum()
            for _ in range(int(speakers[:, row, column].sum())):
                one[np.searchsorted(odds, generator.random() * odds[-1], side="right"), row, column] += 1
    return first, second, slow


@pytest.mark.parametrize(("groups", "bounds"), [(1, [[0], [4]]), (2, [[0, 2], [4, 7]])])
def test_groups_have_the_sums_of_tokens_dealt_to_speakers_one_by_one(
    slow: tuple[np.ndarray, np.ndarray, np.ndarray], groups: int, bounds: list[list[int]]
) -> None:
    """Against the slow dealing: mean, variance, tenths of the tokens right and wrong."""
    first, second, dealt = slow
    generator = np.random.default_rng(18)
    wanted = np.add.reduceat(dealt, np.concatenate(bounds).astype(np.int64), axis=1)
    both = deals(first, second, RIGHT, number=3_000, generator=generator, groups=groups)
    found = np.stack([np.concatenate(sides) for sides in both])
    assert found.shape == wanted.shape
    for sums in ((found, wanted), [side[:, :, RIGHT].sum(axis=2) for side in (found, wanted)]):
        (own, other), errors = (side.mean(axis=0) for side in sums), sums[1].std(axis=0) / np.sqrt(1_500)
        assert (np.abs(own - other) <= 4.5 * errors + 1e-9).all()
        assert sums[0].var(axis=0) == pytest.approx(sums[1].var(axis=0), rel=0.25, abs=0.01)
        tenths = (np.quantile(side, [0.1, 0.5, 0.9], axis=0) for side in sums)
        assert np.abs(np.subtract(*tenths)).max() <= 1


def test_speakers_differ_as_much_as_they_really_do() -> None:
    """Of a hundred speakers with few tokens: the variance of their shares less that of chance, in either corpus."""
    generator, tokens = np.random.default_rng(3), np.full(4, 12)
    alike = [hearing(generator, 100, tokens, 0.0) for _ in range(2)]
    differ = [hearing(generator, 100, tokens, 1.0) for _ in range(2)]
    truth = 1 / (1 + np.exp(-(np.log(0.7 / 0.3) + np.random.default_rng(0).normal(0, 1, 100_000))))
    spread = [np.std([table[RIGHT] for table in heard_shares(*pair, RIGHT)]) for pair in (alike, differ)]
    assert spread[0] < 0.05
    assert spread[1] == pytest.approx(truth.std(), rel=0.15)
    assert heard_shares(*differ, RIGHT).sum(axis=2) == pytest.approx(np.ones((200, 4)))


def test_a_difference_between_the_corpora_is_none_between_speakers() -> None:
    generator, tokens = np.random.default_rng(4), np.full(4, 500)
    first, second = hearing(generator, 6, tokens, 0.0), hearing(generator, 6, tokens, 0.0)[:, :, [0, 2, 1, 3]]
    assert heard_shares(first, second, RIGHT)[:, 0].std(axis=0).max() < 0.02


def test_phones_that_nobody_hears_right_and_fractions_are_dealt() -> None:
    generator = np.random.default_rng(5)
    first, second = np.full((2, 2, 3), 1.5), np.full((3, 2, 3), 2.5)
    first[:, 1], second[:, 1] = 0, 0
    none = np.zeros((2, 3), dtype=bool)
    for mine, theirs in deals(first, second, none, number=3, generator=generator):
        assert (mine.sum(axis=0) + theirs.sum(axis=0)).tolist() == [[10, 10, 10], [0, 0, 0]]
    assert np.isfinite(heard_shares(first, second, none)).all()


def test_without_speakers_or_with_one_there_is_a_reason() -> None:
    utterances, one = resampling(4, None, resamples=0, seed=1), resampling(4, ["s"] * 4, resamples=0, seed=1)
    speakers = resampling(4, list("abcd"), resamples=0, seed=1)
    assert undealt(speakers, speakers) == ""
    assert "utterances are resampled" in undealt(speakers, utterances)
    assert "has one only" in undealt(one, speakers)


def divergence(mine: np.ndarray, theirs: np.ndarray) -> float:
    """Σ over phones, by the first corpus' tokens, of the distance of the two corpora's shares."""
    first, second = mine.sum(axis=0), theirs.sum(axis=0)
    shares = [table / np.maximum(table.sum(axis=1, keepdims=True), 1) for table in (first, second)]
    return float((first.sum(axis=1) * np.abs(shares[0] - shares[1]).sum(axis=1)).sum() / first.sum())


@pytest.mark.slow
@pytest.mark.parametrize(("here", "there"), [(4, 12), (8, 8)])
def test_false_alarms_are_as_many_as_they_should_be(here: int, there: int) -> None:
    """Speakers differ, the corpora do not, but say the phones more or less often: 300 pairs, p < .05 in 2 to 8 %."""
    generator, p_values = np.random.default_rng(6), []
    for _ in range(300):
        first = hearing(generator, here, np.array([60, 5, 30, 5]), 0.5)
        second = hearing(generator, there, np.array([5, 40, 5, 50]), 0.5)
        null = [divergence(*both) for both in deals(first, second, RIGHT, number=99, generator=generator)]
        p_values.append(p_value(divergence(first, second), np.array(null)))
    assert 0.02 <= np.mean(np.array(p_values) <= 0.05) <= 0.08
    assert 0.42 <= np.mean(p_values) <= 0.58

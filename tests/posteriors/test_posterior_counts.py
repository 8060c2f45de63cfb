"""Posteriors and segments to tokens, joint distributions and phone means, against plain loops over exact times.

Times lie on a grid of 5 ms and frames are 10 ms apart, so many intervals begin and end exactly at a frame's centre.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, strategies as st
from made_posteriors import posteriors_of, timed_phones

from phonxling.core.errors import DataError
from phonxling.core.inventory import Inventory
from phonxling.core.posteriorgram import Posteriorgrams, TokenPosteriors
from phonxling.core.sequences import PhoneSequences
from phonxling.posteriors.joint import joint_distribution, means_of_tokens, token_posteriors

GOLD, HEARD = Inventory(("a", "b", "c")), Inventory(("x", "y", "z"))
COLUMNS = (0, 1, -1, 2, 0)  # the third column is silence; the first and the last are one phone
SHIFT, GRID = Fraction(1, 100), Fraction(1, 200)


@dataclass
class Utterance:
    intervals: list[tuple[str, Fraction, Fraction]]
    frames: list[list[float]]


def posteriorgrams(corpus: list[Utterance], offset: Fraction = Fraction(0)) -> Posteriorgrams:
    frames = [np.reshape(utterance.frames, (-1, len(COLUMNS))) for utterance in corpus]
    return posteriors_of(frames, HEARD, columns=np.array(COLUMNS), frame_offset=float(offset))


def segments(corpus: list[Utterance]) -> PhoneSequences:
    return timed_phones([utterance.intervals for utterance in corpus], GOLD)


_row = st.lists(st.integers(0, 4), min_size=5, max_size=5).filter(any)


@st.composite
def utterances(draw: st.DrawFn) -> Utterance:
    at, intervals = Fraction(draw(st.integers(0, 3))) * GRID, []
    for phone in draw(st.lists(st.sampled_from(GOLD.phones), max_size=6)):
        end = at + draw(st.integers(0, 7)) * GRID
        intervals.append((phone, at, end))
        at = end + draw(st.sampled_from([0, 0, 0, 1, 3])) * GRID
    frames = draw(st.lists(_row, max_size=14))
    return Utterance(intervals, [[value / sum(row) for value in row] for row in frames])


corpora = st.lists(utterances(), min_size=1, max_size=4)
offsets = st.integers(-1, 3).map(lambda steps: steps * GRID)


def oracle(
    corpus: list[Utterance], offset: Fraction
) -> tuple[list[tuple[str, int, list[float]]], dict[str, list[int]]]:
    """Each token's phone, utterance and mass; and of each phone how many tokens have no frame, and only silence."""
    tokens, lost = [], {phone: [0, 0] for phone in GOLD}
    for number, utterance in enumerate(corpus):
        for phone, start, end in utterance.intervals:
            inside = [
                frame
                for t, frame in enumerate(utterance.frames)
                if start <= offset + (t + Fraction(1, 2)) * SHIFT < end
            ]
            mass = [sum(frame[c] for frame in inside for c in range(5) if COLUMNS[c] == k) for k in range(3)]
            if not inside:
                lost[phone][0] += 1
            elif not sum(mass):
                lost[phone][1] += 1
            else:
                tokens.append((phone, number, mass))
    return tokens, lost


@given(corpora, offsets)
def test_tokens_are_the_means_of_their_frames(corpus: list[Utterance], offset: Fraction) -> None:
    found = token_posteriors(posteriorgrams(corpus, offset), segments(corpus))
    tokens, lost = oracle(corpus, offset)
    assert [GOLD.phones[code] for code in found.codes] == [phone for phone, _, _ in tokens]
    assert found.utterances.tolist() == [number for _, number, _ in tokens]
    assert found.without_frame.tolist() == [lost[phone][0] for phone in GOLD]
    assert found.silent.tolist() == [lost[phone][1] for phone in GOLD]
    for row, mass, (_, _, expected) in zip(found.rows, found.mass, tokens, strict=True):
        assert mass.tolist() == pytest.approx(expected, abs=1e-12)
        assert row.tolist() == pytest.approx([value / sum(expected) for value in expected], abs=1e-12)


@given(corpora, offsets)
def test_joint_distributions_by_token_and_by_frame(corpus: list[Utterance], offset: Fraction) -> None:
    tokens, _ = oracle(corpus, offset)
    by_token, by_frame = np.zeros((3, 3)), np.zeros((3, 3))
    for phone, _, mass in tokens:
        for k in range(3):
            by_token[GOLD.code(phone), k] += mass[k] / sum(mass)
            by_frame[GOLD.code(phone), k] += mass[k]
    pair = posteriorgrams(corpus, offset), segments(corpus)
    np.testing.assert_allclose(joint_distribution(*pair).mass, by_token, atol=1e-12)
    np.testing.assert_allclose(joint_distribution(*pair, unit="frame").mass, by_frame, atol=1e-12)
    assert joint_distribution(*pair).mass.sum() == pytest.approx(len(tokens))


def tokens_of(codes: Sequence[int] | np.ndarray, rows: np.ndarray) -> TokenPosteriors:
    none, codes = np.zeros(3), np.array(codes, np.int32)
    return TokenPosteriors(
        phones=GOLD,
        columns=HEARD,
        codes=codes,
        rows=rows,
        weight=np.ones(len(codes)),
        utterances=np.zeros(len(codes)),
        without_frame=none,
        silent=none,
    )


@given(st.lists(st.tuples(st.integers(0, 2), st.lists(st.integers(0, 9), min_size=3, max_size=3).filter(any))))
def test_phone_means_and_their_batches(drawn: list[tuple[int, list[int]]]) -> None:
    rows = [[value / sum(row) for value in row] for _, row in drawn]
    found = means_of_tokens(tokens_of([code for code, _ in drawn], np.reshape(rows, (-1, 3))), batches=2)
    by_phone = {
        phone: [row for (code, _), row in zip(drawn, rows, strict=True) if code == n] for n, phone in enumerate(GOLD)
    }
    present = [phone for phone in GOLD if by_phone[phone]]
    assert list(found.phones) == present
    assert found.tokens.tolist() == [len(by_phone[phone]) for phone in present]
    batches = []
    for number, phone in enumerate(present):
        mine = by_phone[phone]
        assert found.means[number].tolist() == pytest.approx(
            [sum(column) / len(mine) for column in zip(*mine, strict=True)]
        )
        half = (len(mine) + 1) // 2
        parts = [mine[:half], mine[half:]] if len(mine) >= 10 else [mine]
        batches += [(number, part) for part in parts]
    assert found.batch_phones.tolist() == [number for number, _ in batches]
    for mean, (_, part) in zip(found.batch_means, batches, strict=True):
        assert mean.tolist() == pytest.approx([sum(column) / len(part) for column in zip(*part, strict=True)])


@pytest.mark.parametrize(("number", "sizes"), [(4, [4]), (9, [9]), (10, [5, 5]), (23, [6, 6, 6, 5]), (80, [20] * 4)])
def test_batches_hold_at_least_five_tokens(number: int, sizes: list[int]) -> None:
    rows = np.zeros((number, 3))
    rows[:, 0] = np.arange(number)  # no distribution, but it shows which tokens a batch holds
    ends = np.cumsum(sizes)
    middles = [(end - size + end - 1) / 2 for size, end in zip(sizes, ends, strict=True)]
    assert means_of_tokens(tokens_of(np.zeros(number), rows), batches=4).batch_means[:, 0].tolist() == middles


def test_times_that_binary_numbers_cannot_hold_give_each_token_its_frame() -> None:
    number = 3000
    frames = [[float(n % 3 == k) for k in (0, 1, 9, 2, 9)] for n in range(number)]
    tiled = Utterance([("a", n * SHIFT, (n + 1) * SHIFT) for n in range(number)], frames)
    found = token_posteriors(posteriorgrams([tiled]), segments([tiled]))
    assert found.mass.argmax(axis=1).tolist() == [n % 3 for n in range(number)]
    assert found.weight.tolist() == [1.0] * number
    half = SHIFT / 2  # every boundary is a frame's centre: the frame belongs to the interval that begins there
    tiled = Utterance([("a", n * SHIFT + half, (n + 1) * SHIFT + half) for n in range(number)], frames)
    found = token_posteriors(posteriorgrams([tiled]), segments([tiled]))
    assert found.mass.argmax(axis=1).tolist() == [n % 3 for n in range(number)]


class TestErrors:
    def pair(self, intervals: list[tuple[str, Fraction, Fraction]]) -> tuple[Posteriorgrams, PhoneSequences]:
        one = [Utterance(intervals, [[1, 0, 0, 0, 0]] * 4)]
        return posteriorgrams(one), segments(one)

    def test_segments_without_times(self) -> None:
        scored, timed = self.pair([("a", Fraction(0), SHIFT)])
        untimed = PhoneSequences(**{**timed.__dict__, "start": None, "end": None})
        with pytest.raises(DataError, match="have no times"):
            token_posteriors(scored, untimed)

    def test_other_utterances_are_all_listed(self) -> None:
        two = [Utterance([], []), Utterance([], [])]
        with pytest.raises(DataError, match=r"only in memory \(2\): u1 u2"):
            token_posteriors(posteriorgrams([*two, *two[:1]]), segments(two[:1]))
        with pytest.raises(DataError, match=r"only in gold \(1\): u1"):
            token_posteriors(posteriorgrams(two[:1]), segments(two))

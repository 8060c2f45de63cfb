"""Times, certainty and mean posteriors: cases whose answer is known, and sums by definition."""

from dataclasses import replace

import numpy as np
import pytest
from forced_oracle import Enumerated, made, peaky

from phonxling.core.inventory import Inventory
from phonxling.forced.aligning import force_align, forced_tokens, shared_blanks
from phonxling.forced.values import ForcedRules, SoundModel


def plain(columns: int, right: float = 0.7) -> SoundModel:
    """Return a model by which most phones are heard as themselves."""
    names = Inventory(tuple("abcdefgh"[:columns]))
    other = (1 - right) / (columns - 1)
    table = np.full((columns, columns), other) + (right - other) * np.eye(columns)
    return SoundModel(gold=names, recogniser=names, probabilities=table, between=np.eye(columns + 1)[-1])


@pytest.mark.parametrize("topology", ["auto", "left-to-right"])
def test_peaks_are_found(topology: str) -> None:
    generator = np.random.default_rng(2)
    codes = [generator.integers(8, size=12) for _ in range(10)]
    frames, places = zip(*(peaky(generator, row.tolist(), 8) for row in codes), strict=True)
    posteriorgrams, gold = made(frames, [["abcdefgh"[c] for c in row] for row in codes], "abcdefgh", blank=True)
    posteriorgrams = replace(posteriorgrams, frame_offset=0.5)
    rules = ForcedRules(topology=topology, minimum=1)  # type: ignore[arg-type]
    times = force_align(posteriorgrams, gold, plain(8), rules=rules).segments
    peaks = posteriorgrams.frame_offset + (np.concatenate(places) + 0.5) * 0.01
    assert times.start is not None
    assert times.end is not None
    assert ((times.start < peaks) & (peaks < times.end)).all()
    assert (times.end[:-1] - times.start[1:])[np.diff(times.token_utterances()) == 0].max() < 1e-9
    if topology == "left-to-right":
        np.testing.assert_allclose((times.start + times.end) / 2, peaks)


def test_segments_of_silence_and_phones_have_the_borders_of_the_frames() -> None:
    frames = np.zeros((12, 3))
    for column, run in ((2, [0, 1, 8, 11]), (0, [2, 3, 4, 9, 10]), (1, [5, 6, 7])):
        frames[run, column] = 1
    posteriorgrams, gold = made([frames], [["a", "b", "a"]], "ab", blank=False, shift=0.02)
    found = force_align(posteriorgrams, gold, plain(2), rules=ForcedRules(minimum=2))
    assert found.rules.topology == "left-to-right"
    np.testing.assert_allclose(found.segments.start, [0.04, 0.10, 0.18])
    np.testing.assert_allclose(found.segments.end, [0.10, 0.16, 0.22])
    assert found.certainty.min() > 0.9


@pytest.mark.parametrize("blank", [False, True])
def test_certainty_weights_and_sums_by_their_definition(blank: bool) -> None:
    generator = np.random.default_rng(4)
    frames = [generator.dirichlet(np.full(4, 0.4), size=length) for length in (6, 5)]
    phones = [["a", "b", "a"], ["c"]]
    posteriorgrams, gold = made(frames, phones, "abc", blank=blank)
    rules = ForcedRules(minimum=1, noise=0.02)
    times, tokens = forced_tokens(posteriorgrams, gold, plain(3), rules=rules, decide=True)
    token = 0
    for number, (heard, row) in enumerate(zip(frames, phones, strict=True)):
        oracle = Enumerated(heard, ["abc".index(p) for p in row], plain(3).rows(), 0.02, minimum=1, blank=blank)
        shares = oracle.occupied()
        assert times.log_likelihood[number] == pytest.approx(oracle.log_likelihood())
        (path,) = oracle.best()
        for place in range(len(row)):
            own = np.flatnonzero(np.array(path) == 2 * place + 1)
            assert times.certainty[token] == pytest.approx(shares[own, place].mean())
            if not blank:
                assert times.segments.start[token] == pytest.approx(own[0] * 0.01)
                assert times.segments.end[token] == pytest.approx((own[-1] + 1) * 0.01)
            mass = shares[:, place] @ heard[:, :3]
            np.testing.assert_allclose(tokens.mass[token], mass)
            decided = np.zeros(3)
            for share, frame in zip(shares[:, place], heard, strict=True):
                decided[frame[:3].argmax()] += share * frame[:3].sum()
            np.testing.assert_allclose(tokens.decided[token], decided)
            token += 1
    assert tokens.read == 11
    assert np.isnan(tokens.blank_share) != blank


def test_blanks_are_shared_by_the_rule() -> None:
    first, last = np.array([4, 8, 40, 2]), np.array([5, 10, 41, 3])
    begins, ends = shared_blanks(first, last, np.array([0, 3, 3, 4]), np.array([60, 7, 5]))
    median = np.median([3, 30])
    np.testing.assert_allclose(begins, [0, 6.5, 25, 0])
    np.testing.assert_allclose(ends, [6.5, 25, 41 + median, 5])

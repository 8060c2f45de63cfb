"""Posteriors as a stream: blocks and threads change no number, frames outside phones count, and faults are counted."""

from fractions import Fraction
from functools import partial
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, strategies as st
from made_posteriors import posteriors_of, timed_phones
from numpy.typing import NDArray
from support import memory

import phonxling as px
from phonxling.core.errors import DataError
from phonxling.core.inventory import Inventory
from phonxling.core.posteriorgram import Posteriorgrams
from phonxling.core.sequences import PhoneSequences
from phonxling.core.work import Threads
from phonxling.posteriors import joint as posteriors_module
from phonxling.posteriors.joint import Unit, joint_distribution, token_posteriors

PHONES = Inventory(("a", "b", "c"))
SHIFT = 0.01
segments = partial(timed_phones, phones=PHONES)
UNITS: tuple[Unit, ...] = ("token", "frame")


def frames_of(number: int, seed: int = 1) -> NDArray[np.float64]:
    return np.random.default_rng(seed).dirichlet(np.ones(3), number)


def posteriorgrams(matrices: list[NDArray[np.generic]]) -> Posteriorgrams:
    return posteriors_of(matrices, PHONES)


def long_corpus(utterances: int = 5, tokens: int = 400) -> tuple[Posteriorgrams, PhoneSequences]:
    """Utterances of tokens of one to nine frames, with gaps between them."""
    generator, matrices, intervals = np.random.default_rng(8), [], []
    for number in range(utterances):
        edges = np.cumsum(generator.integers(1, 10, 2 * tokens)) * SHIFT
        codes = generator.integers(0, 3, tokens)
        intervals.append([(int(codes[n]), float(edges[2 * n]), float(edges[2 * n + 1])) for n in range(tokens)])
        matrices.append(frames_of(round(edges[-1] / SHIFT) + 3, number).astype(np.float32))
    return posteriorgrams(matrices), segments(intervals)


@pytest.mark.parametrize("hard", [False, True])
def test_any_number_of_workers_gives_the_same_bytes(hard: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(posteriors_module, "_FRAMES", 9_000)  # several shards
    pair = long_corpus(utterances=30)
    one, by_frame = (joint_distribution(*pair, unit=unit, hard=hard).mass for unit in UNITS)
    rows = token_posteriors(*pair).rows
    for workers in (2, 3, 7):
        assert joint_distribution(*pair, hard=hard, workers=workers).mass.tobytes() == one.tobytes()
        frames = joint_distribution(*pair, unit="frame", hard=hard, workers=workers)
        assert frames.mass.tobytes() == by_frame.tobytes()
        assert token_posteriors(*pair, work=Threads(workers)).rows.tobytes() == rows.tobytes()


def test_blocks_cut_tokens_without_losing_a_frame(monkeypatch: pytest.MonkeyPatch) -> None:
    pair = long_corpus()
    whole = token_posteriors(*pair)
    for size in (1, 7, 64, 1000):
        monkeypatch.setattr(posteriors_module, "BLOCK", size)
        found = token_posteriors(*pair)
        assert (found.frames == whole.frames).all()
        assert (found.read, found.codes.tolist()) == (whole.read, whole.codes.tolist())
        np.testing.assert_allclose(found.mass, whole.mass, rtol=1e-13)


def test_a_block_in_which_rows_must_be_looked_at_again_is_counted_once(monkeypatch: pytest.MonkeyPatch) -> None:
    matrix = np.tile(np.array([0.5, 0.25, 0.25]), (40, 1))
    matrix[[9, 17]] = [0.5, 0.25, 0.25995]  # within 0.01 of 1, and too near the limit for a quick look
    matrix[10, 2] = -0.0  # a sign, and no negative number
    matrix[10, 1] = 0.5
    monkeypatch.setattr(posteriors_module, "BLOCK", 8)
    pair = posteriorgrams([matrix]), segments([[(0, 0.0, 0.205), (1, 0.205, 0.4)]])
    found = token_posteriors(*pair)
    np.testing.assert_allclose(found.mass, [matrix[:20].sum(axis=0), matrix[20:].sum(axis=0)])
    decided = joint_distribution(*pair, unit="frame", hard=True).mass
    np.testing.assert_allclose(decided[:2], [[matrix[:20].sum(), 0, 0], [matrix[20:].sum(), 0, 0]])


class TestFramesOutsidePhones:
    @given(st.lists(st.integers(0, 12), min_size=2, max_size=8), st.integers(0, 20))
    def test_each_frame_is_of_one_token_or_outside(self, steps: list[int], number: int) -> None:
        edges = np.cumsum(steps) * Fraction(1, 200)
        intervals = [(n % 3, float(edges[n]), float(edges[n + 1])) for n in range(len(steps) - 1)]
        found = token_posteriors(posteriorgrams([frames_of(number)]), segments([intervals]))
        inside = sum(edges[0] <= (t + Fraction(1, 2)) / 100 < edges[-1] for t in range(number))
        assert (found.frames.sum(), found.read - found.outside, found.read) == (inside, inside, number)


def test_a_token_without_a_frame_is_the_first_named() -> None:
    pair = posteriorgrams([frames_of(10)]), segments([[(0, 0.02, 0.05), (1, 0.051, 0.052), (2, 0.06, 0.061)]])
    assert token_posteriors(*pair).first_without == 1
    assert token_posteriors(posteriorgrams([frames_of(3)]), segments([[(0, 0.0, 0.03)]])).first_without == -1


def test_one_hot_posteriors_give_the_confusion_matrix_itself() -> None:
    """Through the public API: each phone lasts two frames, and the posteriors say what was predicted."""
    generator = np.random.default_rng(2)
    said, heard = generator.integers(0, 3, 60), generator.integers(0, 3, 60)
    counts = np.zeros((3, 3))
    np.add.at(counts, (said, heard), 1)
    matrix = px.ConfusionMatrix(PHONES, PHONES, counts)
    timed = segments([[(int(code), 2 * n * SHIFT, 2 * (n + 1) * SHIFT) for n, code in enumerate(said)]])
    found = posteriorgrams([np.eye(3)[np.repeat(heard, 2)]])
    for hard in (False, True):
        joint = px.joint_distribution(found, timed, hard=hard)
        assert joint.mass.tolist() == counts.tolist()
        assert px.mutual_information(joint) == px.mutual_information(matrix)
        for association in (px.pmi, px.npmi):
            assert association(joint).to_numpy().tolist() == association(matrix).to_numpy().tolist()
    assert px.joint_distribution(found, timed, unit="frame").mass.tolist() == (2 * counts).tolist()


class TestFaults:
    def test_after_the_first_shard_with_a_fault_no_more_are_read(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(posteriors_module, "_FRAMES", 6)  # two utterances
        bad = posteriorgrams([frames_of(4), frames_of(4), frames_of(4) * 2, frames_of(4) * 2, frames_of(4) * 2])
        with pytest.raises(DataError) as caught:
            token_posteriors(bad, segments([[(0, 0.0, 0.02)]] * 5))
        first, *others = str(caught.value).splitlines()
        assert first == "2 utterances cannot be used; there may be more, since no more were read:"
        assert [line.split("'")[1] for line in others] == ["u2", "u3"]

    def test_the_frame_is_named_by_its_place_in_the_whole_utterance(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(posteriors_module, "BLOCK", 8)
        matrix = frames_of(40)
        matrix[[21, 35]] = -1
        with pytest.raises(DataError, match="frame 21 holds a negative value; 1 more such frames there"):
            token_posteriors(posteriorgrams([matrix]), segments([[(0, 0.0, 0.02)]]))

    def test_overlapping_intervals_of_all_utterances_are_listed(self) -> None:
        overlap = [(0, 0.0, 0.03), (1, 0.02, 0.05)]
        backwards = [(0, 0.03, 0.04), (1, 0.0, 0.01)]
        with pytest.raises(DataError) as caught:
            token_posteriors(posteriorgrams([frames_of(9)] * 3), segments([overlap, [], backwards]))
        assert str(caught.value).splitlines() == [
            "2 utterances cannot be used:",
            "  gold: utterance 'u0': intervals overlap (1 times, first at 0.02 s)",
            "  gold: utterance 'u2': intervals are not in the order of time (first at 0 s)",
            "a frame can belong to one phone only.",
        ]


class TestMemory:
    def test_a_mapped_file_of_half_precision_is_not_held(self, tmp_path: Path) -> None:
        """100,000 frames of 64 columns: decoded at once they would be 25 MB, and read into memory 13 MB."""
        np.save(tmp_path / "u0.npy", np.full((100_000, 64), 1 / 64, np.float16))
        phones = [f"a{number}" for number in range(64)]
        opened = px.load_posteriorgrams(
            tmp_path / "u0.npy", symbols="raw", labels=phones, frame_shift=SHIFT, format="npy"
        )
        edges = np.arange(10_001) * 10 * SHIFT
        timed = segments([[(n % 3, *span) for n, span in enumerate(pairwise(edges))]])
        joint_distribution(opened, timed)  # compiled
        with memory(13_000_000):  # the tokens' own sums are 5 MB, a block 4 MB
            joint = joint_distribution(opened, timed)
        assert joint.mass.sum() == pytest.approx(10_000)

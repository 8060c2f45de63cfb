"""Forced times: what is learned, tied phones, times of tokens, and the trellis against all paths."""

from dataclasses import replace

import numpy as np
import pytest
from forced_oracle import Enumerated, made, peaky
from hypothesis import given, strategies as st

import phonxling as px
from phonxling.core.errors import ConfigurationError, DataError
from phonxling.core.inventory import Inventory
from phonxling.core.sequences import from_lists
from phonxling.load.resources import panphon_features
from phonxling.posteriors.forced_alignment import ForcedRules, SoundModel, forced_tokens, share_blanks, similar_sounds
from phonxling.posteriors.forced_learning import fold_numbers, learn


def start(gold: str, heard: str, seed: int = 0) -> SoundModel:
    generator = np.random.default_rng(seed)
    return sounds(gold, heard, generator.dirichlet(np.ones(len(heard)), size=len(gold)))


def sounds(gold: str, heard: str, probabilities: np.ndarray) -> SoundModel:
    """Return a model with nothing but silence between phones."""
    rows = np.zeros((len(gold) + 1, len(heard) + 1))
    rows[:-1, :-1], rows[-1, -1] = probabilities, 1
    return SoundModel(gold=Inventory(tuple(gold)), recogniser=Inventory(tuple(heard)), rows=rows)


@pytest.mark.parametrize("blank", [False, True])
def test_each_step_by_its_definition(blank: bool) -> None:
    generator = np.random.default_rng(1)
    rules = ForcedRules(minimum=1, noise=0.02, smoothing=0.7, background=0.4, iterations=3, tolerance=0)
    frames = [generator.dirichlet(np.full(4, 0.5), size=length) for length in (4, 6, 3)]
    phones = ["aa", "ab", "b"] if blank else ["ab", "abb", "b"]
    posteriorgrams, gold = made(frames, phones, "xyz", blank=blank)
    first = start("ab", "xyz")
    learned = learn(posteriorgrams, gold, first, rules=rules)

    weight = 0.7 * np.concatenate(frames)[:, :3].sum() / sum(map(len, phones))  # 0.7 tokens, in frames
    rows = first.rows.copy()
    rows[-1] = 0.6 * rows[-1] + 0.4 * np.concatenate(frames).mean(axis=0)
    prior, objective = rows.copy(), []
    for _ in range(4):
        codes = [["ab".index(phone) for phone in row] for row in phones]
        whole = [
            Enumerated(heard, code, rows, 0.02, minimum=1, blank=blank)
            for heard, code in zip(frames, codes, strict=True)
        ]
        value = sum(one.log_likelihood() for one in whole)
        objective.append(value + weight * (prior[prior > 0] * np.log(rows[prior > 0])).sum())
        last, counts = rows, sum(one.counts() for one in whole) + weight * prior
        rows = counts / counts.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(learned.objective, objective, rtol=1e-11)
    np.testing.assert_allclose(learned.model.rows, last, rtol=1e-9, atol=1e-15)
    np.testing.assert_allclose(learned.counts, sum(one.counts() for one in whole)[:-1, :-1], rtol=1e-9, atol=1e-15)
    assert not learned.converged


@given(seed=st.integers(0, 10_000), blank=st.booleans(), smoothing=st.sampled_from([0.0, 0.1, 5.0]))
def test_the_objective_never_falls(seed: int, blank: bool, smoothing: float) -> None:
    generator = np.random.default_rng(seed)
    phones = [generator.choice(list("abc"), size=generator.integers(1, 5)).tolist() for _ in range(4)]
    frames = [generator.dirichlet(np.full(4, 0.3), size=3 * len(row) + 2) for row in phones]
    rules = ForcedRules(minimum=2, smoothing=smoothing, iterations=6, tolerance=0)
    learned = learn(*made(frames, phones, "xyz", blank=blank), start("abc", "xyz", seed), rules=rules)
    assert np.diff(learned.objective).min() >= -1e-9
    assert np.allclose(learned.model.rows.sum(axis=1), 1)


def case(seed: int = 0, number: int = 30) -> tuple[list[np.ndarray], list[list[str]]]:
    """Return frames of a recogniser that calls a x, b y, c z, and the gold phones."""
    generator = np.random.default_rng(seed)
    codes = [generator.integers(3, size=6).tolist() for _ in range(number)]
    return [peaky(generator, row, 3, noise=0.1)[0] for row in codes], [["abc"[code] for code in row] for row in codes]


def test_it_learns_what_phones_sound_like_from_nothing() -> None:
    posteriorgrams, gold = made(*case(), "xyz", blank=True)
    even = sounds("abc", "xyz", np.full((3, 3), 1 / 3) + 0.01 * np.eye(3) - 0.01 / 3)
    learned = learn(posteriorgrams, gold, even, rules=ForcedRules(smoothing=1, tolerance=1e-6, iterations=60))
    assert learned.converged
    assert (learned.model.probabilities.diagonal() > 0.85).all()
    assert learned.model.rows[-1, -1] > 0.9


def test_what_cannot_be_learned_from_is_refused() -> None:
    posteriorgrams, gold = made([np.full((5, 3), 1 / 3), np.ones((5, 3))], ["a", "b"], "xy", blank=False)
    with pytest.raises(DataError, match="utterance 'u1', frame 0 does not sum to 1"):
        learn(posteriorgrams, gold, start("ab", "xy"))
    with pytest.raises(DataError, match="its phones are not those of the sound model"):
        learn(posteriorgrams, gold, start("ab", "xyz"))
    with pytest.raises(ConfigurationError, match="at least, not 0"):
        ForcedRules(minimum=0)


def test_similar_phones_are_likelier() -> None:
    model = similar_sounds(Inventory(("e", "b")), Inventory(("ɛ", "p", "s")), panphon_features())
    assert model.probabilities.argmax(axis=1).tolist() == [0, 1]
    same = similar_sounds(Inventory(("7", "8")), Inventory(("8", "9")), None, 2.0)
    np.testing.assert_allclose(same.probabilities, [[0.5, 0.5], [1 / (1 + np.exp(-2)), 1 / (1 + np.exp(2))]])


def test_folds_keep_speakers_together() -> None:
    segments = from_lists(list("uvwxyz"), [["a"]] * 6)
    numbers = fold_numbers(segments, 3, ("s", "r", "s", "q", "p", "r"))
    assert numbers.tolist() == [0, 1, 0, 2, 0, 1]


def test_all_that_is_tied_has_the_same_bits_for_any_number_of_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("phonxling.posteriors.forced_alignment._TOKENS", 20)
    generator = np.random.default_rng(3)
    codes = [generator.integers(3, size=8).tolist() for _ in range(12)]
    frames = [peaky(generator, row, 3, noise=0.1)[0] for row in codes]
    posteriorgrams, gold = made(frames, [["aiu"[code] for code in row] for row in codes], "aiu", blank=True)
    tied, other = (px.align_posteriors(posteriorgrams, gold, workers=number) for number in (1, 3))
    assert tied.learned.objective == other.learned.objective
    np.testing.assert_array_equal(tied.times.segments.start, other.times.segments.start)
    for name in ("rows", "weight"):
        np.testing.assert_array_equal(getattr(tied.tokens, name), getattr(other.tokens, name))
    np.testing.assert_array_equal(tied.times.certainty, other.times.certainty)
    joint = tied.joint()
    assert [joint.columns.phones[best] for best in joint.probabilities().argmax(axis=1)] == [*joint.rows.phones]
    assert abs(joint.probabilities().sum() - 1) < 1e-12


def plain(columns: int, right: float = 0.7) -> SoundModel:
    """Return a model by which most phones are heard as themselves."""
    names = "abcdefgh"[:columns]
    other = (1 - right) / (columns - 1)
    table = np.full((columns, columns), other) + (right - other) * np.eye(columns)
    return sounds(names, names, table)


@pytest.mark.parametrize("between_blanks", [True, False])
def test_peaks_are_found(between_blanks: bool) -> None:
    generator = np.random.default_rng(2)
    codes = [generator.integers(8, size=12) for _ in range(10)]
    frames, places = zip(*(peaky(generator, row.tolist(), 8) for row in codes), strict=True)
    posteriorgrams, gold = made(frames, [["abcdefgh"[c] for c in row] for row in codes], "abcdefgh", blank=True)
    posteriorgrams = replace(posteriorgrams, frame_offset=0.5)
    times = forced_tokens(posteriorgrams, gold, plain(8), rules=ForcedRules(peaks=between_blanks, minimum=1))[
        0
    ].segments
    peaks = posteriorgrams.frame_offset + (np.concatenate(places) + 0.5) * 0.01
    assert times.start is not None
    assert times.end is not None
    assert ((times.start < peaks) & (peaks < times.end)).all()
    assert (times.end[:-1] - times.start[1:])[np.diff(times.token_utterances()) == 0].max() < 1e-9
    if not between_blanks:
        np.testing.assert_allclose((times.start + times.end) / 2, peaks)


@pytest.mark.parametrize("blank", [False, True])
def test_certainty_weights_and_sums_by_their_definition(blank: bool) -> None:
    generator = np.random.default_rng(4)
    frames = [generator.dirichlet(np.full(4, 0.4), size=length) for length in (6, 5)]
    phones = [["a", "b", "a"], ["c"]]
    posteriorgrams, gold = made(frames, phones, "abc", blank=blank)
    rules = ForcedRules(minimum=1, noise=0.02)
    times, tokens = forced_tokens(posteriorgrams, gold, plain(3), rules=rules)
    token = 0
    for number, (heard, row) in enumerate(zip(frames, phones, strict=True)):
        oracle = Enumerated(heard, ["abc".index(p) for p in row], plain(3).rows, 0.02, minimum=1, blank=blank)
        shares = oracle.occupied()
        assert times.log_likelihood[number] == pytest.approx(oracle.log_likelihood())
        (path,) = oracle.best()
        for place in range(len(row)):
            own = np.flatnonzero(np.array(path) == 2 * place + 1)
            assert times.certainty[token] == pytest.approx(shares[own, place].mean())
            if not blank:
                assert times.segments.start[token] == pytest.approx(own[0] * 0.01)
                assert times.segments.end[token] == pytest.approx((own[-1] + 1) * 0.01)
            np.testing.assert_allclose(tokens.mass[token], shares[:, place] @ heard[:, :3])
            token += 1
    assert tokens.read == 11
    assert np.isnan(tokens.blank_share) != blank


def test_blanks_are_shared_by_the_rule() -> None:
    first, last = np.array([4, 8, 40, 2]), np.array([5, 10, 41, 3])
    begins, ends = share_blanks(first, last, np.array([0, 3, 3, 4]), np.array([60, 7, 5]))
    median = np.median([3, 30])
    np.testing.assert_allclose(begins, [0, 6.5, 25, 0])
    np.testing.assert_allclose(ends, [6.5, 25, 41 + median, 5])

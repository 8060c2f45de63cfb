"""Expectation–maximisation against its definition, and what it promises: the objective never falls, workers agree."""

import numpy as np
import pytest
from forced_oracle import Enumerated, made, peaky
from hypothesis import given, strategies as st

from phonxling.core.errors import ConfigurationError, DataError
from phonxling.core.inventory import Inventory
from phonxling.core.sequences import from_lists
from phonxling.forced.aligning import similar_sounds
from phonxling.forced.learning import fold_numbers, learn
from phonxling.forced.values import ForcedRules, SoundModel
from phonxling.load.resources import panphon_features


def start(gold: str, heard: str, seed: int = 0) -> SoundModel:
    generator = np.random.default_rng(seed)
    return SoundModel(
        gold=Inventory(tuple(gold)),
        recogniser=Inventory(tuple(heard)),
        probabilities=generator.dirichlet(np.ones(len(heard)), size=len(gold)),
        between=np.eye(len(heard) + 1)[-1],
    )


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
    rows = first.rows()
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
    np.testing.assert_allclose(learned.model.rows(), last, rtol=1e-9, atol=1e-15)
    np.testing.assert_allclose(learned.counts, sum(one.counts() for one in whole)[:-1, :-1], rtol=1e-9, atol=1e-15)
    assert learned.frames == 13
    assert not learned.converged


@given(seed=st.integers(0, 10_000), blank=st.booleans(), smoothing=st.sampled_from([0.0, 0.1, 5.0]))
def test_the_objective_never_falls(seed: int, blank: bool, smoothing: float) -> None:
    generator = np.random.default_rng(seed)
    phones = [generator.choice(list("abc"), size=generator.integers(1, 5)).tolist() for _ in range(4)]
    frames = [generator.dirichlet(np.full(4, 0.3), size=3 * len(row) + 2) for row in phones]
    rules = ForcedRules(minimum=2, smoothing=smoothing, iterations=6, tolerance=0)
    learned = learn(*made(frames, phones, "xyz", blank=blank), start("abc", "xyz", seed), rules=rules)
    assert np.diff(learned.objective).min() >= -1e-9
    assert np.allclose(learned.model.rows().sum(axis=1), 1)


def case(seed: int = 0, number: int = 30) -> tuple[list[np.ndarray], list[list[str]]]:
    """Return frames of a recogniser that calls a x, b y, c z, and the gold phones."""
    generator = np.random.default_rng(seed)
    codes = [generator.integers(3, size=6).tolist() for _ in range(number)]
    return [peaky(generator, row, 3, noise=0.1)[0] for row in codes], [["abc"[code] for code in row] for row in codes]


def test_it_learns_what_phones_sound_like_from_nothing() -> None:
    posteriorgrams, gold = made(*case(), "xyz", blank=True)
    even = SoundModel(
        gold=gold.inventory,
        recogniser=posteriorgrams.inventory,
        probabilities=np.full((3, 3), 1 / 3) + 0.01 * np.eye(3) - 0.01 / 3,
        between=np.eye(4)[-1],
    )
    learned = learn(posteriorgrams, gold, even, rules=ForcedRules(smoothing=1, tolerance=1e-6, iterations=60))
    assert learned.converged
    assert (learned.model.probabilities.diagonal() > 0.85).all()
    assert learned.model.between[-1] > 0.9


def test_too_many_phones_are_all_told_at_once() -> None:
    frames = [np.full((length, 3), 1 / 3) for length in (2, 5, 3)]
    posteriorgrams, gold = made(frames, ["aba", "ab", "aab"], "xy", blank=True)
    with pytest.raises(DataError) as told:
        learn(posteriorgrams, gold, start("ab", "xy"))
    assert "2 utterances have more gold phones than frames can hold (one each, and a blank" in str(told.value)
    assert "'u0': 3 phones need 3 frames, and there are 2" in str(told.value)
    assert "'u2': 3 phones need 4 frames, and there are 3" in str(told.value)


def test_frames_that_are_no_probabilities_are_told() -> None:
    posteriorgrams, gold = made([np.full((5, 3), 1 / 3), np.ones((5, 3))], ["a", "b"], "xy", blank=False)
    with pytest.raises(DataError, match="utterance 'u1', frame 0 does not sum to 1"):
        learn(posteriorgrams, gold, start("ab", "xy"))


def test_a_model_of_another_recogniser_is_refused() -> None:
    posteriorgrams, gold = made([np.full((5, 3), 1 / 3)], ["a"], "xy", blank=False)
    with pytest.raises(DataError, match="its phones are not those of the sound model"):
        learn(posteriorgrams, gold, start("ab", "xyz"))


def test_an_utterance_without_phones_adds_nothing() -> None:
    frames, phones = case(number=4)
    without = made(frames, phones, "xyz", blank=True)
    rest = [*frames, np.full((9, 4), 0.25)]
    with_one = made(rest, [*phones, []], "xyz", blank=True)
    first = start("abc", "xyz")
    rules = ForcedRules(iterations=2, tolerance=0)
    one, two = (learn(*pair, first, rules=rules) for pair in (without, with_one))
    np.testing.assert_array_equal(one.model.rows(), two.model.rows())


@pytest.mark.parametrize(
    ("name", "value"), [("minimum", 0), ("noise", 0.0), ("smoothing", np.inf), ("background", 1.0)]
)
def test_rules_out_of_range_are_refused(name: str, value: float) -> None:
    with pytest.raises(ConfigurationError, match=name):
        ForcedRules(**{name: value})


def test_similar_phones_are_likelier() -> None:
    model = similar_sounds(Inventory(("e", "b")), Inventory(("ɛ", "p", "s")), panphon_features())
    assert model.probabilities.argmax(axis=1).tolist() == [0, 1]
    same = similar_sounds(Inventory(("7", "8")), Inventory(("8", "9")), None, 2.0)
    np.testing.assert_allclose(same.probabilities, [[0.5, 0.5], [1 / (1 + np.exp(-2)), 1 / (1 + np.exp(2))]])


def test_folds_keep_speakers_together() -> None:
    segments = from_lists(list("uvwxyz"), [["a"]] * 6)
    numbers = fold_numbers(segments, 3, ("s", "r", "s", "q", "p", "r"))
    assert numbers.tolist() == [0, 1, 0, 2, 0, 1]

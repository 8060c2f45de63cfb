"""The library's interface: what it returns hangs together, and M is what was heard."""

import numpy as np
import pytest
from forced_oracle import made, peaky

import phonxling as px
from phonxling.core.work import Threads
from phonxling.forced.aligning import force_align, similar_sounds
from phonxling.forced.learning import learn


def test_all_that_is_tied_hangs_together_with_the_same_bits_for_any_number_of_workers(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("phonxling.forced.aligning._TOKENS", 20)
    generator = np.random.default_rng(3)
    codes = [generator.integers(3, size=8).tolist() for _ in range(12)]
    frames = [peaky(generator, row, 3, noise=0.1)[0] for row in codes]
    posteriorgrams, gold = made(frames, [["aiu"[code] for code in row] for row in codes], "aiu", blank=True)
    rules = px.posteriors.ForcedRules(smoothing=1)
    tied, other = (px.align_posteriors(posteriorgrams, gold, rules=rules, workers=number) for number in (1, 3))
    start = similar_sounds(gold.inventory, posteriorgrams.inventory, px.costs.panphon_features())
    learned = learn(posteriorgrams, gold, start, rules=rules, work=Threads(2))
    assert learned.objective == tied.learned.objective == other.learned.objective
    np.testing.assert_array_equal(tied.learned.model.rows(), learned.model.rows())
    times = force_align(posteriorgrams, gold, learned.model, rules=rules)
    np.testing.assert_array_equal(tied.times.segments.start, times.segments.start)
    for name in ("rows", "weight"):
        np.testing.assert_array_equal(getattr(tied.tokens, name), getattr(other.tokens, name))
    np.testing.assert_array_equal(tied.times.certainty, other.times.certainty)
    joint = tied.joint()
    assert [joint.columns.phones[best] for best in joint.probabilities().argmax(axis=1)] == [*joint.rows.phones]
    assert abs(joint.probabilities().sum() - 1) < 1e-12

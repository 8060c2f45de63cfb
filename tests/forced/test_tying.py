"""The library's interface: what it returns hangs together, and M is what was heard."""

import numpy as np
from forced_oracle import made, peaky

import phonxling as px
from phonxling.core.work import Threads
from phonxling.forced.aligning import force_align, similar_sounds
from phonxling.forced.learning import learn


def test_all_that_is_tied_hangs_together() -> None:
    generator = np.random.default_rng(3)
    codes = [generator.integers(3, size=8).tolist() for _ in range(12)]
    frames = [peaky(generator, row, 3, noise=0.1)[0] for row in codes]
    posteriorgrams, gold = made(frames, [["aiu"[code] for code in row] for row in codes], "aiu", blank=True)
    rules = px.posteriors.ForcedRules(smoothing=1)
    tied, other = (px.align_posteriors(posteriorgrams, gold, rules=rules, workers=number) for number in (1, 2))
    start = similar_sounds(gold.inventory, posteriorgrams.inventory, px.costs.panphon_features())
    learned = learn(posteriorgrams, gold, start, rules=rules, work=Threads(2))
    np.testing.assert_array_equal(tied.learned.model.rows(), learned.model.rows())
    times = force_align(posteriorgrams, gold, learned.model, rules=rules)
    np.testing.assert_array_equal(tied.times.segments.start, times.segments.start)
    np.testing.assert_array_equal(tied.tokens.rows, other.tokens.rows)
    joint = tied.joint().probabilities()
    assert (joint.argmax(axis=1) == [0, 1, 2]).all()
    assert abs(joint.sum() - 1) < 1e-12

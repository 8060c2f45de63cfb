"""What posteriors give the predicted phone over its interval, and how sharp single frames are, by plain loops."""

import numpy as np
import pytest
from made_posteriors import posteriors_of, timed_phones
from scipy.stats import entropy as scipy_entropy

from phonxling.core.inventory import Inventory
from phonxling.core.posteriorgram import Posteriorgrams
from phonxling.core.sequences import PhoneSequences
from phonxling.posteriors.joint import frame_entropy, interval_confidence

PHONES, COLUMNS = Inventory(("a", "b", "c")), np.array([0, 1, -1, 2, 0])  # the third column is silence
SAID = Inventory(("x", "c", "a"))  # x is no column
SHIFT = 0.01


def made(seed: int) -> tuple[Posteriorgrams, PhoneSequences, dict[str, np.ndarray]]:
    rng = np.random.default_rng(seed)
    frames: dict[str, np.ndarray] = {}
    intervals: list[list[tuple[int, float, float]]] = []
    for utterance in range(4):
        at = rng.integers(0, 3) * SHIFT / 2
        intervals.append([])
        for _ in range(rng.integers(1, 6)):
            end = at + rng.integers(0, 8) * SHIFT / 2
            intervals[-1].append((int(rng.integers(0, 3)), at, end))
            at = end + rng.integers(0, 2) * SHIFT / 2
        frames[f"u{utterance}"] = rng.dirichlet(np.full(5, 0.3), int(at / SHIFT) + 2)
    return posteriors(frames), timed_phones(intervals, SAID, "said"), frames


def posteriors(frames: dict[str, np.ndarray]) -> Posteriorgrams:
    return posteriors_of(frames, PHONES, columns=COLUMNS)


def phones_of(frame: np.ndarray) -> np.ndarray:
    return np.array([frame[0] + frame[4], frame[1], frame[3]])


@pytest.mark.parametrize("seed", range(8))
def test_confidences_and_entropies_are_those_of_plain_loops(seed: int) -> None:
    grams, segments, frames = made(seed)
    confidence, found = interval_confidence(grams, segments), frame_entropy(grams, segments)
    assert segments.start is not None
    assert segments.end is not None
    for place, utterance in enumerate(segments.token_utterances()):
        inside = [
            phones_of(frame)
            for t, frame in enumerate(frames[f"u{utterance}"])
            if segments.start[place] - 1e-9 <= (t + 0.5) * SHIFT < segments.end[place] - 1e-9
        ]
        mass = sum(row.sum() for row in inside)
        phone = SAID.phones[segments.codes[place]]
        if not inside or phone == "x":
            assert np.isnan(confidence[place])
        else:
            wanted = sum(row[PHONES.code(phone)] for row in inside) / mass
            assert confidence[place] == pytest.approx(wanted, rel=1e-9)
        bits = sum(row.sum() * scipy_entropy(row, base=2) for row in inside)
        assert found.bits[place] == pytest.approx(bits, rel=1e-9, abs=1e-12)
        assert found.mass[place] == pytest.approx(mass, abs=1e-12)


def test_frames_of_silence_have_no_entropy_and_give_no_confidence() -> None:
    grams, said = posteriors({"u0": np.array([[0.0, 0, 1, 0, 0]] * 2)}), timed_phones([[(2, 0, 0.02)]], SAID)
    assert np.isnan(interval_confidence(grams, said)).all()
    assert (frame_entropy(grams, said).bits.tolist(), frame_entropy(grams, said).mass.tolist()) == ([0.0], [0.0])

"""Made-up posteriors over 45 phones with the gold phone of each frame; seeded."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

import phonxling as px
from benchmarks.workload import INVENTORY, SEED
from phonxling.core.arrays import offsets_of

SHIFT = 0.01  # seconds


@dataclass(frozen=True)
class Frames:
    """Utterances of so many frames, one after the other: posteriors [T, 45], the gold phone of each [T], with times."""

    rows: NDArray[np.float32]
    codes: NDArray[np.int64]
    segments: px.values.PhoneSequences
    length: int

    def runs(self) -> list[NDArray[np.float32]]:
        """Return each utterance's frames."""
        return [self.rows[start : start + self.length] for start in range(0, len(self.rows), self.length)]

    def posteriorgrams(self) -> px.values.Posteriorgrams:
        """Return the frames as a reader that gives views of the array."""
        names = self.segments.utterances
        runs = dict(zip(names, self.runs(), strict=True))
        columns = np.arange(len(INVENTORY))
        made_of = {"source": "made up", "inventory": INVENTORY, "columns": columns, "frame_shift": SHIFT}
        return px.values.Posteriorgrams(utterances=names, read=runs.__getitem__, **made_of)


def made(utterances: int, length: int) -> Frames:
    """Return utterances of so many frames, in phones of 3 to 13 frames that fill them."""
    generator = np.random.default_rng([SEED, utterances, length])
    values = generator.random((utterances * length, len(INVENTORY)), dtype=np.float32) ** 8
    values /= values.sum(axis=1, keepdims=True)
    cuts = [_cuts(length, generator) for _ in range(utterances)]
    counts = [len(cut) - 1 for cut in cuts]
    codes = generator.integers(0, len(INVENTORY), sum(counts))
    starts, ends = (np.concatenate([cut[part] for cut in cuts]) for part in (slice(-1), slice(1, None)))
    segments = px.values.PhoneSequences(
        utterances=tuple(f"u{number:06}" for number in range(utterances)),
        offsets=offsets_of(counts),
        codes=codes.astype(np.int32),
        start=starts * SHIFT,
        end=ends * SHIFT,
        inventory=INVENTORY,
        source="made up",
    )
    return Frames(values, np.repeat(codes, ends - starts), segments, length)


def _cuts(length: int, generator: np.random.Generator) -> NDArray[np.int64]:
    inner = np.cumsum(generator.integers(3, 14, length // 3))
    return np.concatenate([[0], inner[inner < length], [length]])

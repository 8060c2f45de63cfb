"""Forced alignment by its definition: every way of dealing frames out to gold phones is written down and weighed."""

from collections.abc import Iterator, Sequence
from itertools import combinations_with_replacement

import numpy as np
from numpy.typing import NDArray

from phonxling.core.inventory import Inventory
from phonxling.core.posteriorgram import Posteriorgrams
from phonxling.core.sequences import PhoneSequences, from_lists

Floats = NDArray[np.float64]


def segmentations(codes: Sequence[int], frames: int, minimum: int, *, blank: bool) -> Iterator[tuple[int, ...]]:
    """Yield what each frame is: 2i + 1 for token i, 2i for what stands before it, 2n for what stands after the last."""
    for places in combinations_with_replacement(range(2 * len(codes) + 1), frames):
        long = all(places.count(2 * i + 1) >= minimum for i in range(len(codes)))
        apart = all(codes[i] != codes[i - 1] or 2 * i in places for i in range(1, len(codes)))
        if long and (apart or not blank):
            yield places


class Enumerated:
    """All segmentations of one utterance with their weights; `heard` is [T, E + 1], `rows` [G + 1, E + 1]."""

    def __init__(
        self, heard: Floats, codes: Sequence[int], rows: Floats, noise: float, *, minimum: int, blank: bool
    ) -> None:
        self.heard, self.codes, self.rows, self.noise = heard, codes, rows, noise
        self.paths = list(segmentations(codes, len(heard), minimum, blank=blank))
        self.weights = np.array([np.prod([self.emission(t, k) for t, k in enumerate(path)]) for path in self.paths])

    def row(self, place: int) -> int:
        """Return the model's row of what a frame is."""
        return self.codes[place // 2] if place % 2 else len(self.rows) - 1

    def emission(self, frame: int, place: int) -> float:
        """Return the probability of a frame, by the definition."""
        heard, row = self.heard[frame], self.rows[self.row(place)]
        mixed = sum(float(m) * float(p) for m, p in zip(row, heard, strict=True))
        return (1 - self.noise) * mixed + self.noise / len(heard)

    def log_likelihood(self) -> float:
        return float(np.log(self.weights.sum()))

    def best(self) -> set[tuple[int, ...]]:
        """Return the paths of the largest weight (all but for rounding)."""
        return {p for p, w in zip(self.paths, self.weights, strict=True) if w >= self.weights.max() * (1 - 1e-9)}

    def occupied(self) -> Floats:
        """Return the probability that each frame is each token's, [T, n]."""
        shares = np.zeros((len(self.heard), len(self.codes)))
        for path, weight in zip(self.paths, self.weights / self.weights.sum(), strict=True):
            for frame, place in enumerate(path):
                if place % 2:
                    shares[frame, place // 2] += weight
        return shares

    def counts(self) -> Floats:
        """Return the expected number of frames of each row that each column caused, noise left out."""
        sums = np.zeros_like(self.rows)
        for path, weight in zip(self.paths, self.weights / self.weights.sum(), strict=True):
            for frame, place in enumerate(path):
                for column, heard in enumerate(self.heard[frame]):
                    caused = (1 - self.noise) * self.rows[self.row(place), column] * heard
                    sums[self.row(place), column] += weight * caused / self.emission(frame, place)
        return sums


def made(
    frames: Sequence[Floats], phones: Sequence[Sequence[str]], inventory: str, *, blank: bool, shift: float = 0.01
) -> tuple[Posteriorgrams, PhoneSequences]:
    """Return posteriorgrams of frames [T, E + 1], whose last column is silence or blank, and their gold phones."""
    names = [f"u{number}" for number in range(len(frames))]
    columns = np.append(np.arange(len(inventory)), -1)
    heard = Posteriorgrams(
        source="made",
        utterances=tuple(names),
        inventory=Inventory(tuple(inventory)),
        columns=columns,
        read=dict(zip(names, frames, strict=True)).__getitem__,
        frame_shift=shift,
        blank=len(inventory) if blank else None,
    )
    return heard, from_lists(names, [list(row) for row in phones])


def peaky(
    generator: np.random.Generator, phones: Sequence[int], columns: int, *, noise: float = 0.0
) -> tuple[Floats, NDArray[np.int64]]:
    """Return frames [T, columns + 1] that show each phone in one frame between blanks, and those frames' numbers.

    With `noise` that share of the phones is heard as another, drawn at random.
    """
    gaps = generator.integers(2, 8, len(phones) + 1)
    places = np.cumsum(gaps[:-1] + 1) - 1
    heard = np.full((int(gaps.sum()) + len(phones), columns + 1), 0.001)
    heard[:, -1] = 1
    shown = np.where(generator.random(len(phones)) < noise, generator.integers(columns, size=len(phones)), phones)
    heard[places, -1], heard[places, shown] = 0.05, 0.9
    return heard / heard.sum(axis=1, keepdims=True), places

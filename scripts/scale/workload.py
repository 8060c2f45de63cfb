"""Workload W: pairs of about 40 phones, 45 symbols, 25 % errors, most of them between similar phones; seeded."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

import phonxling as px
from phonxling.core.arrays import offsets_of
from phonxling.core.sequences import PhoneSequences

PHONES = (*"pbtdkɡmnŋfvθðszʃʒhlrwjɲʔxɣɾχβɬ", *"ieɛaoɔuəɪʊæɑʌyø")
INVENTORY = px.Inventory(PHONES)
PAIRS, BLOCK = 20_000, 20_000
SUBSTITUTED, DELETED, INSERTED = 0.15, 0.05, 0.05  # shares of gold phones
SEED = 20

Codes = NDArray[np.int32]


@dataclass(frozen=True)
class Side:
    """Phone codes of many utterances, cut by offsets."""

    codes: Codes
    offsets: NDArray[np.int64]

    def runs(self) -> list[Codes]:
        """Return each utterance's codes."""
        return [self.codes[start:stop] for start, stop in zip(self.offsets[:-1], self.offsets[1:], strict=True)]

    def sequences(self) -> PhoneSequences:
        """Return the same as phones."""
        names = tuple(f"u{number:07}" for number in range(len(self.offsets) - 1))
        return PhoneSequences(utterances=names, offsets=self.offsets, codes=self.codes, inventory=INVENTORY)


def workload(pairs: int) -> tuple[Side, Side]:
    """Return the gold and the predicted side of the first pairs of W."""
    rows = list(blocks(pairs))
    return _joined([gold for gold, _ in rows]), _joined([predicted for _, predicted in rows])


def corpus_of(gold: Side, predicted: Side) -> px.Corpus:
    """Return two sides as a corpus."""
    return px.Corpus(gold=gold.sequences(), predicted=predicted.sequences())


def blocks(pairs: int) -> Iterator[tuple[Side, Side]]:
    """Yield W in blocks of 20,000 pairs, each from a seed of its own."""
    heard = _confusable()
    for number, first in enumerate(range(0, pairs, BLOCK)):
        yield _block(min(BLOCK, pairs - first), np.random.default_rng([SEED, number]), heard)


def _confusable() -> NDArray[np.float64]:
    """Return, for each phone, the cumulative probabilities of what it is misheard as: similar phones first."""
    costs = px.feature_costs(INVENTORY, INVENTORY).with_gaps()[:-1, :-1]
    likely = np.exp(-16 * costs)
    np.fill_diagonal(likely, 0)
    return np.asarray((likely / likely.sum(axis=1, keepdims=True)).cumsum(axis=1))


def _block(pairs: int, generator: np.random.Generator, heard: NDArray[np.float64]) -> tuple[Side, Side]:
    lengths = np.clip(generator.normal(40, 15, pairs).round(), 3, 120).astype(np.int64)
    common = 1 / (np.arange(len(PHONES)) + 3.0)  # a few phones are frequent, as in any language
    gold = generator.choice(len(PHONES), int(lengths.sum()), p=common / common.sum()).astype(np.int32)
    fate = generator.random(len(gold))
    copies = np.ones(len(gold), np.int64)
    copies[fate < DELETED] = 0
    copies[(fate >= DELETED) & (fate < DELETED + INSERTED)] = 2
    copies[offsets_of(lengths)[:-1]] = np.maximum(1, copies[offsets_of(lengths)[:-1]])  # no utterance is empty
    changed = np.flatnonzero(fate > 1 - SUBSTITUTED)
    said = gold.copy()
    draws = generator.random(len(changed))
    said[changed] = np.minimum((heard[gold[changed]] < draws[:, None]).sum(axis=1), len(PHONES) - 1)
    predicted = np.repeat(said, copies)
    second = np.cumsum(copies)[copies == 2] - 1
    predicted[second] = generator.integers(0, len(PHONES), len(second))
    ends = np.concatenate([[0], np.cumsum(copies)])[offsets_of(lengths)]
    return Side(gold, offsets_of(lengths)), Side(predicted, ends)


def _joined(sides: list[Side]) -> Side:
    lengths = np.concatenate([np.diff(side.offsets) for side in sides])
    return Side(np.concatenate([side.codes for side in sides]), offsets_of(lengths))

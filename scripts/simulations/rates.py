"""How often intervals of PER and wPER hold the truth, over utterances and over speakers."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

import phonxling as px
from phonxling.core.inventory import Inventory
from phonxling.core.sequences import PhoneSequences
from phonxling.resample.weights import resampling
from simulations.corpora import Floats, percent

PHONES = Inventory(("p", "b", "t", "d", "k", "ɡ", "s", "z", "m", "n", "l", "r", "i", "e", "a", "o", "u", "w", "j", "h"))
SPEAKERS, UTTERANCES, LENGTH, REPLICATES = 40, 5, 30, 1000
HEARD, DELETED, INSERTED = 0.7, 0.06, 0.05
SPREADS = (0.0, 0.05, 0.1)  # of the speakers' share of phones that are heard right
POPULATION = 8  # speakers a simulation, in whom the aligner's own rates are measured, as the truth
Codes = NDArray[np.int64]


def lines(times: int, seed: int = 20) -> Iterator[str]:
    """Yield the table as Markdown: per cent of the simulations in which the interval held the truth."""
    yield "| speakers | counts | PER: over utterances | over speakers | wPER: over utterances | over speakers |"
    yield "|---|---|---:|---:|---:|---:|"
    for spread in SPREADS:
        cells = _coverage(times, spread, np.random.default_rng([seed, int(100 * spread)]))
        for counts, row in zip(("drawn", "of the aligner"), (cells[:4], cells[4:]), strict=True):
            title = f"differ: {HEARD:g} ± {spread:g} right" if spread else "alike"
            yield f"| {title} | {counts} | {' | '.join(row)} |"
    yield ""


def _coverage(times: int, spread: float, generator: np.random.Generator) -> list[str]:
    names = np.repeat(np.arange(SPEAKERS), UTTERANCES).astype(str).tolist()
    drawn = [resampling(len(names), units, resamples=REPLICATES, seed=20) for units in (None, names)]
    *found, tokens = _corpus(POPULATION * times, spread, generator)
    truth = [*_expected(), *(above.sum() / tokens.sum() for above in found[2:])]
    held: list[list[bool]] = [[] for _ in range(8)]
    for _ in range(times):
        *found, tokens = _corpus(SPEAKERS, spread, generator)
        for place, (above, true) in enumerate(zip(found, truth, strict=True)):
            for more, weights in enumerate(drawn):
                one = weights.ratio(above, tokens, "rate")
                held[2 * place + more].append(one.low <= true <= one.high)
    return [percent(row) for row in held]


def _channel() -> Floats:
    """Return p(x|y), [20, 21], ∅ last: 70 % right, 6 % deleted, the rest spread over the other phones."""
    number = len(PHONES)
    table = np.full((number, number + 1), (1 - HEARD - DELETED) / (number - 1))
    table[np.arange(number), np.arange(number)] = HEARD
    table[:, -1] = DELETED
    return table


def _own_channels(speakers: int, spread: float, generator: np.random.Generator) -> Floats:
    """Return each speaker's p(x|y): a share of his own is right, Beta around 70 %, and errors keep their shares."""
    strength = HEARD * (1 - HEARD) / spread**2 - 1 if spread else np.inf
    right = generator.beta(HEARD * strength, (1 - HEARD) * strength, speakers) if spread else np.full(speakers, HEARD)
    perfect = np.eye(len(PHONES), len(PHONES) + 1)
    errors = (_channel() - HEARD * perfect) / (1 - HEARD)
    return np.asarray(right[:, None, None] * perfect + (1 - right)[:, None, None] * errors)


def _prices(name: str) -> Floats:
    """Return what a gold phone costs that is heard so, [20, 21]."""
    return px.feature_costs(PHONES, PHONES, name).with_gaps()[:-1]


def _expected() -> list[float]:
    """Return PER and wPER of the counts drawn: what a gold phone costs on average, and insertions."""
    return [float((_channel() * _prices(name)).sum(axis=1).mean()) + INSERTED for name in ("unit", "panphon")]


def _corpus(speakers: int, spread: float, generator: np.random.Generator) -> list[Floats]:
    """Return of each utterance: errors and cost as drawn, errors and cost that the aligner finds, gold phones."""
    lengths = generator.integers(LENGTH // 2, 3 * LENGTH // 2, speakers * UTTERANCES)
    owner = np.repeat(np.arange(len(lengths)), lengths)
    gold = generator.integers(0, len(PHONES), len(owner))
    rows = _own_channels(speakers, spread, generator)[owner // UTTERANCES, gold]
    heard = (rows.cumsum(axis=1) > generator.random((len(rows), 1))).argmax(axis=1)
    more = np.where(generator.random(len(owner)) < INSERTED, generator.integers(0, len(PHONES), len(owner)), -1)
    spoken = np.column_stack([np.where(heard < len(PHONES), heard, -1), more]).ravel()
    twice = np.repeat(owner, 2)[spoken >= 0]
    corpus = px.Corpus(
        gold=_sequences(gold, lengths),
        predicted=_sequences(spoken[spoken >= 0], np.bincount(twice, minlength=len(lengths))),
    )
    drawn = [np.bincount(owner, weights=_prices(name)[gold, heard] + (more >= 0)) for name in ("unit", "panphon")]
    aligned = [px.align_corpus(corpus, px.feature_costs(PHONES, PHONES, name)) for name in ("unit", "panphon")]
    return [*drawn, *(found.cost / found.denominator for found in aligned), lengths.astype(np.float64)]


def _sequences(codes: Codes, lengths: Codes) -> PhoneSequences:
    offsets = np.concatenate([[0], lengths.cumsum()])
    names = tuple(map(str, range(len(lengths))))
    return PhoneSequences(utterances=names, inventory=PHONES, offsets=offsets, codes=codes)

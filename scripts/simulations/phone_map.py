"""How often limits of distances between phones hold the truth.

Each speaker hears each phone in a way of their own, drawn around the phone's mean; tokens are drawn around that. Phones
that differ in few features are confused more.
"""

from collections.abc import Iterator
from functools import partial
from itertools import product

import numpy as np

from phonxling.analyses.map import PhoneTokens, nearest_table
from phonxling.analyses.projection import distances_between
from phonxling.core.arrays import Floats
from phonxling.count.posteriors import means_of_tokens
from phonxling.resample.intervals import resampling
from phonxling.settings.models import METRIC
from simulations.corpora import tokens_of
from simulations.runner import markdown, percent, trials

PHONES, FEATURES, REPLICATES = 30, 12, 200
SPEAKER, TOKEN, LEAST = 40.0, 3.0, 1e-3  # concentrations of a speaker's means and of tokens, and the least of each cell
REFERENCE = (12, 120)  # speakers, tokens a phone
KINDS = {"often wrong": 0.4, "nearly one-hot": 0.93}  # the mass of a phone's own column
SIZES = ((5, 25), (12, 25), (12, 120), (40, 120), (40, 600))


def lines(times: int, seed: int = 20) -> Iterator[str]:
    """Yield the table as Markdown: per cent of a tenth of the simulations in which limits held the truth."""
    rows = []
    for (kind, own), (speakers, tokens) in product(KINDS.items(), SIZES):
        held = trials(times // 10 + 1, [seed, speakers, tokens], partial(_held, own, (speakers, tokens)))
        rows.append([kind, speakers, tokens, *map(percent, held.T)])
    yield from markdown(["means", "speakers", "tokens a phone", "distances", "of namesakes"], rows)


def _held(own: float, size: tuple[int, int], generator: np.random.Generator) -> tuple[float, float]:
    """Return the shares of distances held, of different phones and of namesakes."""
    features = generator.integers(-1, 2, (PHONES, FEATURES)).astype(float)
    apart = np.abs(features[:, None] - features).mean(axis=2)
    near = np.exp(-6 * apart) * generator.gamma(1, 1, apart.shape) * (1 - np.eye(PHONES))  # others by likeness
    means = own * np.eye(PHONES) + (1 - own) * near / near.sum(axis=1, keepdims=True)
    target, reference = (_spoken(means, *each, generator) for each in (size, REFERENCE))
    truth = (TOKEN * (SPEAKER * means + LEAST) / (SPEAKER + PHONES * LEAST) + LEAST) / (TOKEN + PHONES * LEAST)
    distances, phones = distances_between(truth, truth, METRIC), target.means.phones
    table = nearest_table(target, reference)
    true = [distances[phones.code(row.phone), phones.code(row.reference)] for row in table.itertuples()]
    held, same = table["low"].le(true) & table["high"].ge(true), table["namesake"] == "yes"
    return float(held[~same].mean()), float(held[same].mean())


def _spoken(means: Floats, speakers: int, tokens: int, generator: np.random.Generator) -> PhoneTokens:
    """Return so many tokens of each phone, of so many speakers, each of whom is one utterance."""
    codes = np.repeat(np.arange(PHONES), tokens)
    owner = generator.integers(0, speakers, len(codes))
    own = np.array([[generator.dirichlet(SPEAKER * mean + LEAST) for mean in means] for _ in range(speakers)])
    rows = generator.standard_gamma(TOKEN * own[owner, codes] + LEAST) + 1e-12
    held = tokens_of(codes, rows / rows.sum(axis=1, keepdims=True), owner, PHONES)
    weights = resampling(speakers, None, resamples=REPLICATES, seed=int(generator.integers(1 << 30)))
    return PhoneTokens(tokens=held, means=means_of_tokens(held), resampling=weights)

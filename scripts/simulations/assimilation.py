"""Contrasts of known types of assimilation: whether the types come back, how sure they are, and what limits hold."""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise, product

import numpy as np

from phonxling.analyses.assimilation import TYPES, above_chance, kind, probabilities, types, widened
from phonxling.analyses.discriminability import Heard, discriminability, divergence, overlap
from phonxling.core.arrays import Floats
from phonxling.resample.intervals import resampling
from simulations.corpora import REPLICATES, speakers_own, stack_of
from simulations.runner import markdown, percent

CATEGORIES, CONTRASTS = 14, 20
SIZE = ("speakers", "tokens", "concentration")
SIZES = ((6, 60, 20), (8, 24, 0), (12, 50, 20), (12, 200, 20), (24, 24, 0), (24, 500, 20), (40, 100, 10))
APART = (0.0, 0.2, 0.5, 1.0)  # how far the second phone of a contrast is from the first, towards an unrelated one
CRITERIA = 0.5, 0.1  # θ, δ
SURE = (0.0, 0.5, 0.7, 0.9, 0.99, 1.01)


def lines(times: int, seed: int = 20) -> Iterator[str]:
    """Yield three tables as Markdown: limits of overlap and divergence, probabilities of types, kinds of phones."""
    yield from _limits(max(1, times // 10), seed)
    yield from _types(max(1, times // 10), seed)
    yield from _kinds(max(1, times // 40), seed)


def simulated(truth: Floats, size: tuple[int, int, int], generator: np.random.Generator) -> Heard:
    """Return what G phones are heard as of which the truth [G, P] is known.

    Of so many speakers, so many tokens of each phone, and a concentration of speakers around the truth (0: all
    alike).
    """
    speakers, tokens, strength = size
    own = speakers_own(truth, speakers, strength, generator)
    each = np.moveaxis(generator.multinomial(tokens, np.full(speakers, 1 / speakers), len(truth)), -1, 0)
    counts = np.pad(generator.multinomial(each, own), ((0, 0), (0, 1), (0, 1))).astype(np.float64)
    return Heard(stack_of(counts), resampling(speakers, None, resamples=REPLICATES, seed=20))


def contrast(generator: np.random.Generator, type_: str) -> Floats:
    """Return what two phones of a type of assimilation are heard as, [2, P]: of one category, SC or CG as it comes."""
    first, second = generator.choice(CATEGORIES, 2, replace=False)
    categorised = {"TC": (True, True), "UC": (True, False), "UU": (False, False)}.get(type_, (True, True))
    tops = (first, second if type_ in {"TC", "UU"} else first)
    return np.stack([_phone(generator, top, sure) for top, sure in zip(tops, categorised, strict=True)])


def _phone(generator: np.random.Generator, top: int, categorised: bool) -> Floats:
    """Return a distribution of which the greatest share is from 0.5 to 1, or below."""
    while True:
        share = generator.uniform(0.5, 1.0) if categorised else generator.uniform(0.2, 0.5)
        rest = (1 - share) * generator.dirichlet(np.full(CATEGORIES - 1, 0.7))
        if categorised or rest.max() < CRITERIA[0]:
            return np.insert(rest, top, share)


def _limits(times: int, seed: int) -> Iterator[str]:
    heads, rows = (f"overlap / JS held, {apart:g} apart (bias of JS)" for apart in APART), []
    for size in SIZES:
        cells = []
        for apart in APART:
            generator = np.random.default_rng([seed, *size, int(10 * apart)])
            common, js, off = np.array([row for _ in range(times) for row in _held(size, apart, generator)]).T
            cells.append(f"{percent(common)} / {percent(js)} ({off.mean():+.3f})")
        rows.append([*size, *cells])
    yield from markdown([*SIZE, *heads], rows, left=0)


def _held(size: tuple[int, int, int], apart: float, generator: np.random.Generator) -> Iterator[Sequence[float]]:
    """Yield of each contrast whether the limits of overlap and of JS held the truth, and by how much JS is off."""
    first, other = generator.dirichlet(np.full(CATEGORIES, 0.2), (2, CONTRASTS))
    truth = np.stack([first, (1 - apart) * first + apart * other], axis=1)
    heard = simulated(truth.reshape(-1, CATEGORIES), size, generator)
    for number, pair in enumerate(truth):
        judged = discriminability(heard, (2 * number, 2 * number + 1))
        truths = float(overlap(*pair)), float(divergence(*pair))
        both = zip((judged.overlap, judged.divergence), truths, strict=True)
        held = (float(one.low - 1e-9 <= value <= one.high + 1e-9) for one, value in both)
        yield [*held, judged.divergence.value - truths[1]]


def _types(times: int, seed: int) -> Iterator[str]:
    bins = (f"right of those given {low:g}–{min(high, 1):g}" for low, high in pairwise(SURE))
    rows = []
    for size in SIZES:
        generator = np.random.default_rng([seed, *size])
        judged = [_judged(size, generator) for _ in range(times)]
        sure, right = (np.concatenate(part) for part in zip(*judged, strict=True))
        chosen = ((low <= sure) & (sure < high) for low, high in pairwise(SURE))
        cells = (f"{percent(right[own])} of {own.sum()}" if own.any() else "–" for own in chosen)
        rows.append([*size, percent(right), *cells])
    yield from markdown([*SIZE, "types right", *bins], rows, left=0)


def _judged(size: tuple[int, int, int], generator: np.random.Generator) -> tuple[Floats, Floats]:
    """Return the probability of the type that each contrast is given, and whether it is the true one."""
    truth = np.concatenate([contrast(generator, TYPES[generator.choice(5)]) for _ in range(CONTRASTS)])
    pairs = np.arange(len(truth)).reshape(-1, 2)
    heard = simulated(truth, size, generator)
    shares = heard.shares[:, :-1]
    every = np.stack([heard.drawn.of(row)[:-1] for row in range(len(shares))])
    drawn = widened(shares, every, heard.clusters)
    given = types(shares, shares, pairs, *CRITERIA)
    sure = probabilities(types(drawn, drawn, pairs, *CRITERIA))[np.arange(len(pairs)), given]
    return sure, (given == types(truth, truth, pairs, *CRITERIA)).astype(np.float64)


def _kinds(times: int, seed: int) -> Iterator[str]:
    truths = {
        "dispersed": np.full(CATEGORIES, 1 / CATEGORIES),
        "focalised": np.r_[0.45, np.full(CATEGORIES - 1, 0.55 / (CATEGORIES - 1))],
        "clustered": np.r_[0.4, 0.3, np.full(CATEGORIES - 2, 0.3 / (CATEGORIES - 2))],
    }
    rows = []
    for size, (name, truth) in product(SIZES, truths.items()):
        generator = np.random.default_rng([seed, *size])
        heard = (simulated(np.tile(truth, (2 * CONTRASTS, 1)), size, generator) for _ in range(times))
        kinds = Counter(kind(row) for one in heard for row in above_chance(one, CATEGORIES))
        rows.append([*size, name, *(f"{100 * kinds[each] / kinds.total():.0f}" for each in truths)])
    yield from markdown([*SIZE, "true kind", *truths], rows, left=0)

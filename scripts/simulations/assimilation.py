"""Contrasts of known types of assimilation: whether the types come back, and whether limits of JS hold."""

from collections.abc import Iterator, Sequence

import numpy as np

from phonxling.analyses import contrasts
from phonxling.analyses.contrasts import TYPES, Answers, divergence, type_of
from phonxling.core.arrays import Floats
from simulations.corpora import speakers_of, speakers_own, stack_of
from simulations.runner import markdown, percent

CATEGORIES, CONTRASTS = 14, 20
SIZE = ("speakers", "tokens", "concentration")
SIZES = ((5, 60, 20), (8, 24, 0), (8, 60, 20), (12, 50, 20), (12, 200, 20), (20, 24, 0), (20, 500, 20))
APART = (0.0, 0.2, 0.5, 1.0)  # how far the second phone of a contrast is from the first, towards an unrelated one


def lines(times: int, seed: int = 20) -> Iterator[str]:
    """Yield a table as Markdown: how often types are right, how often limits of JS hold the truth, and its bias."""
    times, rows = max(1, times // 10), []
    for size in SIZES:
        right = [_types_right(size, np.random.default_rng([seed, *size, number])) for number in range(times)]
        cells = []
        for apart in APART:
            generator = np.random.default_rng([seed, *size, int(10 * apart)])
            held, off = np.array([row for _ in range(times) for row in _held(size, apart, generator)]).T
            cells.append(f"{percent(held)} ({off.mean():+.3f})")
        rows.append([*size, percent(right), *cells])
    yield from markdown([*SIZE, "types right", *(f"JS held, {apart:g} apart (bias)" for apart in APART)], rows, left=0)


def simulated(truth: Floats, size: tuple[int, int, int], generator: np.random.Generator) -> Answers:
    """Return the answers to G phones of which the truth [G, P] is known.

    Of so many speakers, so many tokens of each phone, and a concentration of speakers around the truth (0: all
    alike).
    """
    speakers, tokens, strength = size
    own = speakers_own(truth, speakers, strength, generator)
    each = np.moveaxis(generator.multinomial(tokens, np.full(speakers, 1 / speakers), len(truth)), -1, 0)
    counts = np.pad(generator.multinomial(each, own), ((0, 0), (0, 1), (0, 1))).astype(np.float64)
    return Answers(stack_of(counts), speakers_of(counts))


def contrast(generator: np.random.Generator, type_: str) -> Floats:
    """Return the shares of answers to two phones of a type, [2, P]: of one category, SC or CG as it comes."""
    first, second = generator.choice(CATEGORIES, 2, replace=False)
    categorised = {"TC": (True, True), "UC": (True, False), "UU": (False, False)}.get(type_, (True, True))
    tops = (first, second if type_ in {"TC", "UU"} else first)
    return np.stack([_phone(generator, top, sure) for top, sure in zip(tops, categorised, strict=True)])


def _phone(generator: np.random.Generator, top: int, categorised: bool) -> Floats:
    """Return a distribution of which the greatest share is from 0.5 to 1, or below."""
    while True:
        share = generator.uniform(0.5, 1.0) if categorised else generator.uniform(0.2, 0.5)
        rest = (1 - share) * generator.dirichlet(np.full(CATEGORIES - 1, 0.7))
        if categorised or rest.max() < 0.5:
            return np.insert(rest, top, share)


def _types_right(size: tuple[int, int, int], generator: np.random.Generator) -> float:
    truth = np.stack([contrast(generator, TYPES[generator.choice(5)]) for _ in range(CONTRASTS)])
    answers = simulated(truth.reshape(-1, CATEGORIES), size, generator)
    given = answers.shares[:, :-1].reshape(truth.shape)
    return float(np.mean([_type(own) == _type(shown) for own, shown in zip(truth, given, strict=True)]))


def _type(shares: Floats) -> str:
    top, best = shares.argmax(axis=1), shares.max(axis=1)
    apart = float(shares[0, top[0]] - shares[1, top[0]])
    return type_of(best, same=bool(top[0] == top[1]), apart=apart)


def _held(size: tuple[int, int, int], apart: float, generator: np.random.Generator) -> Iterator[Sequence[float]]:
    """Yield of each contrast whether the limits of JS held the truth, and by how much it is off."""
    first, other = generator.dirichlet(np.full(CATEGORIES, 0.2), (2, CONTRASTS))
    truth = np.stack([first, (1 - apart) * first + apart * other], axis=1)
    answers = simulated(truth.reshape(-1, CATEGORIES), size, generator)
    for number, pair in enumerate(truth):
        found, bits = contrasts.divergence_of_pair(answers, [2 * number, 2 * number + 1]), float(divergence(*pair))
        held = float(found.low - 1e-9 <= bits <= found.high + 1e-9)
        yield [np.nan if np.isnan(found.low) else held, found.value - bits]

"""What is simulated: a confusion matrix, speakers who differ from it, and the counts of their utterances."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import product

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import expit, logit

from phonxling.core.arrays import Codes, Floats, divided
from phonxling.core.confusion import ConfusionStack
from phonxling.core.estimate import Estimate
from phonxling.core.inventory import Inventory
from phonxling.core.posteriorgram import TokenPosteriors
from phonxling.resample.intervals import Resampling, resampling
from phonxling.resample.student import between, contrast, spread

GOLD, HEARD = 30, 42
SPEAKERS, TOKENS = (4, 6, 8, 12, 24, 40), (500, 2000, 20_000)
RIGHT, SPREAD, REPLICATES, LEVEL = 0.7, 0.5, 300, 0.95
NORMALS = np.random.default_rng(0).normal(size=200_000)  # that stand for all speakers
Held = Mapping[str, tuple[float, float]]  # of each measure the share of intervals that held the truth, and warned
Outcome = tuple[float, float]  # whether one interval held the truth, NaN without one, and whether its note warned
Simulate = Callable[[Resampling, int, np.random.Generator], Mapping[str, Sequence[Outcome]]]


def right_shares(normals: Floats) -> Floats:
    """Return the share of phones heard right of speakers: the logistic of logit(0.7) + 0.5 · a standard normal."""
    return np.asarray(expit(logit(RIGHT) + SPREAD * normals))


def shares(generator: np.random.Generator, concentration: float, right: float = 0.5) -> Floats:
    """Return p(x|y), [30, 42]: `right` on the diagonal, the rest Dirichlet: even for 1, of a few phones for 0.1."""
    found = (1 - right) * generator.dirichlet(np.full(HEARD, concentration), GOLD)
    found[np.arange(GOLD), np.arange(GOLD)] += right
    return found


def speakers_own(truth: Floats, number: int, strength: float, generator: np.random.Generator) -> Floats:
    """Return each speaker's p(x|y), [number, …]: Dirichlet around the truth, so that their mean is the truth.

    `strength` is its concentration: 30 lets an accuracy of 0.5 vary by 0.09 from speaker to speaker. 0: all alike.
    """
    if not strength:
        return np.broadcast_to(truth, (number, *truth.shape))
    drawn = generator.gamma(np.broadcast_to(truth * strength, (number, *truth.shape)))
    return np.asarray(drawn / np.maximum(drawn.sum(axis=-1, keepdims=True), 1e-300))


def stack_of(counts: Floats, gold: str = "g") -> ConfusionStack:
    """Return counts of utterances [U, G + 1, P + 1], ∅ last, as a stack; p for the same phones on both sides."""
    utterances, rows, columns = counts.shape
    flat = counts.reshape(utterances, -1)
    owner, cells = np.nonzero(flat)
    return ConfusionStack(
        utterances=tuple(map(str, range(utterances))),
        gold=Inventory(tuple(f"{gold}{number}" for number in range(rows - 1))),
        predicted=Inventory(tuple(f"p{number}" for number in range(columns - 1))),
        offsets=np.searchsorted(owner, np.arange(utterances + 1)),
        cells=cells,
        counts=flat[owner, cells],
    )


def markdown(
    heads: Sequence[object], rows: Iterable[Sequence[object]], left: int = 1, texts: Sequence[int] = ()
) -> Iterator[str]:
    """Yield the lines of a table whose first columns, and those at further places, are text; the others are numbers."""
    yield f"| {' | '.join(map(str, heads))} |"
    yield "|" + "".join("---|" if place < left or place in texts else "---:|" for place in range(len(heads)))
    yield from (f"| {' | '.join(map(str, row))} |" for row in rows)
    yield ""


def percent(held: ArrayLike, digits: int = 0) -> str:
    """Return the share of True in per cent; NaN is left out."""
    return f"{100 * np.nanmean(held):.{digits}f}"


def trials(times: int, seeds: Sequence[int], trial: Callable[[np.random.Generator], ArrayLike]) -> Floats:
    """Return what a trial gives in so many worlds, [times, numbers]; each world has a generator of its own."""
    return np.array([trial(np.random.default_rng([*seeds, number])) for number in range(times)], dtype=np.float64)


def rate_of(weights: Resampling, wrong: Floats, said: Floats) -> tuple[float, Floats]:
    """Return the rate over clusters, of which wrong and all tokens [C] are given, and that of each draw, [R]."""
    return float(wrong.sum() / said.sum()), divided(*weights.drawn_sums(wrong, said))


def differ(
    first: tuple[float, Floats], second: tuple[float, Floats], clusters: Sequence[float], *, paired: bool = False
) -> bool:
    """Return whether two rates with their draws differ with p < .05, of the same clusters or of two samples."""
    if paired:
        apart = spread((first[1] - second[1])[:, None], clusters[0])
    else:
        sides = zip((first, second), clusters, strict=True)
        apart = between(*(spread(drawn[:, None], number) for (_, drawn), number in sides))
    return bool(contrast(np.array([first[0] - second[0]]), apart, LEVEL).p[0] < 1 - LEVEL)


def tokens_of(codes: Codes, rows: Floats, owner: Codes, phones: int) -> TokenPosteriors:
    """Return tokens of so many phones, with their posteriors [N, K] and the utterance of each."""
    gold, columns = (Inventory(tuple(f"p{number}" for number in range(size))) for size in (phones, rows.shape[1]))
    nothing = np.zeros(phones, np.int64)
    return TokenPosteriors(
        phones=gold,
        columns=columns,
        codes=codes,
        rows=rows,
        weight=np.ones(len(codes)),
        utterances=owner,
        without_frame=nothing,
        silent=nothing,
    )


def study(times: int, seed: int, simulate: Simulate) -> Iterator[str]:
    """Yield the table of a study as Markdown."""
    found = {}
    for speakers, tokens in product(SPEAKERS, TOKENS):
        names = [f"{number:02}" for number in range(speakers)]
        weights, rows = resampling(speakers, names, resamples=REPLICATES, seed=seed), defaultdict(list)
        for number in range(times):
            generator = np.random.default_rng([seed, speakers, tokens, number])
            for name, each in simulate(weights, tokens, generator).items():
                rows[name] += each
        found[speakers, tokens] = {name: _shares(each) for name, each in rows.items()}
    yield from held_table(found, SPEAKERS, TOKENS)


def held_table(found: Mapping[tuple[int, int], Held], speakers: Sequence[int], tokens: Sequence[int]) -> Iterator[str]:
    """Yield as Markdown, by measure and tokens, how often intervals held the truth (and how often a note warned)."""
    rows = []
    for name, size in product(next(iter(found.values())), tokens):
        cells = [found[number, size][name] for number in speakers]
        shown = (f"{100 * held:.0f}" + f" ({100 * warned:.0f})" * (warned >= 0.005) for held, warned in cells)
        rows.append([name, f"{size:,}", *shown])
    yield from markdown(["measure", "tokens", *(f"{number} speakers" for number in speakers)], rows)


def outcome(number: Estimate, truth: float, *, warned: bool = False) -> Outcome:
    """Return whether an interval held the truth, NaN without one, and whether its note warned."""
    inside = float(number.low <= truth <= number.high)
    return (float("nan") if np.isnan(number.low) else inside), float(warned)


def _shares(rows: Sequence[Outcome]) -> tuple[float, float]:
    inside, warned = (float(np.nanmean(column)) for column in zip(*rows, strict=True))
    return inside, warned

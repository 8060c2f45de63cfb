"""How often intervals of H(X|Y) and I(X;Y) hold the truth, by tokens a cell seen."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from phonxling.core.estimate import Estimate
from phonxling.resample.entropy_sums import entropy_sums, information
from phonxling.resample.information_interval import few_per_cell, information_interval
from phonxling.resample.intervals import estimate
from phonxling.resample.jackknife import cluster_cells, jackknife
from phonxling.resample.replicates import replicate_counts
from phonxling.resample.weights import Resampling, resampling
from simulations.corpora import GOLD, Floats, percent, shares, speakers_own, stack_of

SPEAKERS, REPLICATES = 50, 300
TOKENS = (500, 1000, 2000, 3000, 6000, 30_000)
CASES = (
    ("even errors", 1.0, 0.0),
    ("errors of a few kinds", 0.1, 0.0),
    ("even errors, speakers differ", 1.0, 30.0),
    ("no information", 0.0, 0.0),
)
MEASURES = ("conditional_entropy", "mutual_information")
METHODS = ("percentile", "t limits of the jackknifed Miller–Madow estimate")


def lines(times: int, seed: int = 20) -> Iterator[str]:
    """Yield the tables as Markdown: per cent of the simulations in which the interval held H(X|Y), and I."""
    drawn = resampling(SPEAKERS, None, resamples=REPLICATES, seed=seed)
    for title, concentration, strength in CASES:
        yield f"| {title}: tokens | a cell seen | {' | '.join(METHODS)} | warned |"
        yield f"|---:|---:|{'---:|' * (len(METHODS) + 1)}"
        for tokens in TOKENS:
            generator = np.random.default_rng([seed, tokens])
            yield _line(tokens, times, (concentration, strength), drawn, generator)
        yield ""


def _line(tokens: int, times: int, case: tuple[float, float], drawn: Resampling, generator: np.random.Generator) -> str:
    held: dict[str, list[list[bool]]] = {method: [] for method in METHODS}
    warned, per_cell = [], []
    for _ in range(times):
        joint, counts = _simulated(tokens, *case, generator)
        truth = information(entropy_sums(joint))
        found, warning, mean = _intervals(counts, drawn)
        for method, each in found.items():
            held[method].append([one.low <= float(truth[name]) <= one.high for name, one in each.items()])
        warned.append(bool(warning))
        per_cell.append(mean)
    cells = (" / ".join(percent([row[place] for row in held[method]]) for place in (0, 1)) for method in METHODS)
    return f"| {tokens:,} | {np.mean(per_cell):.1f} | {' | '.join(cells)} | {percent(warned)} |"


def _simulated(
    tokens: int, concentration: float, strength: float, generator: np.random.Generator
) -> tuple[Floats, Floats]:
    """Return a joint distribution and the counts of each speaker from it, without gaps."""
    given = shares(generator, concentration or 1.0)
    given = given if concentration else np.broadcast_to(given[:1], given.shape)
    gold = generator.dirichlet(np.full(GOLD, 2.0))
    own = speakers_own(given, SPEAKERS, strength, generator) * gold[:, None]
    counts = np.stack([generator.multinomial(tokens // SPEAKERS, one.ravel() / one.sum()) for one in own])
    return given * gold[:, None], np.pad(counts.reshape(SPEAKERS, *given.shape), ((0, 0), (0, 1), (0, 1))).astype(float)


def _intervals(counts: Floats, drawn: Resampling) -> tuple[dict[str, dict[str, Estimate]], str, float]:
    stack = stack_of(counts)
    parts, table = cluster_cells(stack, drawn), counts.sum(axis=0)[:-1, :-1]
    draws = [information(entropy_sums(part[:-1, :-1])) for part in replicate_counts(stack, drawn)]
    plug_in, corrected = (information(entropy_sums(table, corrected=right)) for right in (False, True))
    found: dict[str, dict[str, Estimate]] = {method: {} for method in METHODS}
    for name in MEASURES:
        value, row = float(plug_in[name]), np.concatenate([part[name] for part in draws])
        left_out = parts.left_out[name]
        each = (
            estimate(value, row, replace(drawn, method="percentile")),
            information_interval(jackknife(float(corrected[name]), left_out), row, drawn, left_out=left_out),
        )
        for method, one in zip(METHODS, each, strict=True):
            found[method][name] = one
    return found, few_per_cell(table), table.sum() / np.count_nonzero(table)

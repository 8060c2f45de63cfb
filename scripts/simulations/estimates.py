"""How far estimates of H(X|Y) and I(X;Y) are off, from few speakers and few tokens to many."""

from collections.abc import Iterator

import numpy as np

from phonxling.analyses.entropy import conditional_entropy, confusion_information
from phonxling.analyses.statistics import INFORMATION, CountSettings, values
from phonxling.resample.entropy_sums import entropy_sums, information
from phonxling.resample.jackknife import cluster_cells
from phonxling.resample.weights import resampling
from simulations.corpora import GOLD, Floats, shares, speakers_own, stack_of

SIZES = ((6, 500), (12, 2000), (24, 20_000))  # speakers, tokens
CASES = (
    ("even errors", 1.0, 0.0),
    ("errors of a few kinds", 0.1, 0.0),
    ("even errors, speakers differ", 1.0, 30.0),
    ("errors of a few kinds, speakers differ", 0.1, 30.0),
)
ESTIMATORS = ("ml", "miller-madow", "chao-shen")


def lines(times: int, seed: int = 20) -> Iterator[str]:
    """Yield the table as Markdown: root mean square errors of H(X|Y) and I in bits."""
    yield f"| confusions | speakers | tokens | {' | '.join(ESTIMATORS)} | jackknifed Miller–Madow |"
    yield f"|---|---:|---:|{'---:|' * (len(ESTIMATORS) + 1)}"
    for title, concentration, strength in CASES:
        for speakers, tokens in SIZES:
            generator = np.random.default_rng([seed, speakers, tokens])
            errors = [_errors(speakers, tokens, (concentration, strength), generator) for _ in range(times)]
            off = np.sqrt(np.mean(np.square(errors), axis=0))
            cells = " | ".join(f"{bits:.3f} / {told:.3f}" for bits, told in off)
            yield f"| {title} | {speakers} | {tokens:,} | {cells} |"
    yield ""


def _errors(speakers: int, tokens: int, case: tuple[float, float], generator: np.random.Generator) -> Floats:
    """Return by how much each estimate of H(X|Y) and of I is off, [estimators + 1, 2]."""
    given = shares(generator, case[0])
    gold = generator.dirichlet(np.full(GOLD, 2.0))
    own = speakers_own(given, speakers, case[1], generator) * gold[:, None]
    counts = np.stack([generator.multinomial(tokens // speakers, one.ravel() / one.sum()) for one in own])
    stack = stack_of(np.pad(counts.reshape(own.shape), ((0, 0), (0, 1), (0, 1))).astype(float))
    clusters = cluster_cells(stack, resampling(speakers, None, resamples=0, seed=0))
    best = values(INFORMATION, stack, CountSettings(np.zeros(speakers, np.int8)), clusters)
    matrix, truth = stack.total(), information(entropy_sums(given * gold[:, None]))
    found = [(conditional_entropy(matrix, name), confusion_information(matrix, name)) for name in ESTIMATORS]
    found.append((best["conditional_entropy"], best["mutual_information"]))
    return np.array(found) - [float(truth[name]) for name in ("conditional_entropy", "mutual_information")]

"""How far each estimator of entropy is off, by sample size, on made distributions whose entropy is known.

A phone is heard as one of 42 phones, mostly as a few of them: a Dirichlet of concentration 0.1 draws how often, anew
for each sample. The joint of 30 gold phones and these 42 is what mutual information rests on.
"""

from collections.abc import Iterator

import numpy as np

from phonxling.resample.estimators import ESTIMATORS, entropy
from simulations.runner import markdown

PHONE = (42, (5, 10, 20, 50, 100, 500, 2000))
JOINT = (30 * 42, (300, 1000, 3000, 10_000, 30_000))


def errors(symbols: int, tokens: int, samples: int, generator: np.random.Generator) -> dict[str, tuple[float, float]]:
    """Return each estimator's bias and root mean square error in bits over `samples` distributions."""
    found: dict[str, list[float]] = {name: [] for name in ESTIMATORS}
    for _ in range(samples):
        truth = generator.dirichlet(np.full(symbols, 0.1))
        counts = generator.multinomial(tokens, truth)
        exact = entropy(truth)
        for name, off in found.items():
            off.append(entropy(counts, name) - exact)
    return {name: (float(np.mean(off)), float(np.sqrt(np.mean(np.square(off))))) for name, off in found.items()}


def lines(samples: int, seed: int = 20) -> Iterator[str]:
    """Yield the two tables as Markdown: bias ± root mean square error in bits."""
    generator = np.random.default_rng(seed)
    for title, (symbols, sizes), share in (("One phone", PHONE, 1), ("The joint", JOINT, 10)):
        rows = []
        for tokens in sizes:
            off = errors(symbols, tokens, max(1, samples // share), generator)
            rows.append([f"{tokens:,}", *(f"{bias:+.2f} ({rms:.2f})" for bias, rms in off.values())])
        yield from markdown([f"{title}: tokens", *ESTIMATORS], rows, left=0)

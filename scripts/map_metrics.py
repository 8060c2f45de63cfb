"""Prints what each distance between phones keeps, on the corpora of a configuration: the table of docs/validation.md.

Usage: python scripts/map_metrics.py CONFIG…   (configs/demo.yaml takes one minute)

Halves, PCA and UMAP are of the configuration's reference. Numbers that take a target are means over targets.
"""

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import get_args

import numpy as np
from scipy.spatial.distance import pdist
from scipy.stats import spearmanr

from phonxling.analyses import map as points
from phonxling.analyses.map import distance_correlation, neighbourhood_trust, project
from phonxling.configuration.models import Metric
from phonxling.configuration.reading import load_configuration
from phonxling.core.arrays import Floats
from phonxling.core.posteriorgram import PhoneMeans, TokenPosteriors
from phonxling.core.work import SERIAL, SilentProgress
from phonxling.experiment.checking import read_all
from phonxling.experiment.corpora import load_corpora
from phonxling.posteriors.joint import means_of_tokens

SPLITS, SEEDS, MASSES = 20, 4, (1e-2, 1e-3, 1e-4)
HEAD = "| distance | halves agree (ρ) | namesake nearest | PCA keeps | UMAP: trustworthiness | distances (ρ) |"


def main(paths: list[str]) -> None:
    """Print a table for each configuration, and that of the means over them."""
    lines = [tabulated(Path(path)) for path in paths]
    if len(lines) > 1:
        print(f"\nmeans over {len(lines)} configurations\n\n{HEAD}\n{'|---' * 6}|")
        for name in lines[0]:
            print(line(name, np.mean([table[name] for table in lines], axis=0).tolist()))


def tabulated(path: Path) -> dict[str, list[float]]:
    """Print the table of a configuration, and return its numbers."""
    experiment = load_configuration(path, [])
    corpora = load_corpora(experiment)
    tokens = {name: read.tokens for name, read in read_all(corpora, experiment, SERIAL, SilentProgress()).items()}
    reference = next(loaded.name for loaded in corpora if loaded.role == "reference")
    ordered = {name: tokens[name] for name in dict.fromkeys([reference, *tokens])}
    sizes = ", ".join(f"{name} {len(one)} tokens" for name, one in ordered.items())
    print(f"\n{experiment.name}: {sizes}\n\n{HEAD}\n{'|---' * 6}|", flush=True)
    table = {}
    for metric in get_args(Metric):
        for mass in MASSES if metric == "aitchison" else MASSES[:1]:
            points.PSEUDO_MASS = mass
            name = f"{metric} {mass:g}" if metric == "aitchison" else metric
            table[name] = criteria(ordered, metric)
            print(line(name, table[name]), flush=True)
    return table


def line(name: str, numbers: list[float]) -> str:
    """Return a line of a table."""
    return f"| {name} | {' | '.join(f'{number:.2f}' for number in numbers)} |"


def criteria(tokens: Mapping[str, TokenPosteriors], metric: Metric) -> list[float]:
    """Return the numbers of one line: of the data, of PCA, and the means of UMAP's maps over seeds."""
    reference, *targets = (means_of_tokens(one) for one in tokens.values())
    space = points.metric_points(reference.means, metric)
    planes = [project(reference, *targets, metric=metric, seed=seed).reference for seed in range(SEEDS)]
    return [
        _halves(next(iter(tokens.values())), metric),
        float(np.mean([_namesakes(target, reference, metric) for target in targets])) if targets else np.nan,
        project(reference, metric=metric, method="pca").variance_kept,
        float(np.mean([neighbourhood_trust(space, plane) for plane in planes])),
        float(np.mean([distance_correlation(space, plane) for plane in planes])),
    ]


def _halves(tokens: TokenPosteriors, metric: Metric) -> float:
    """Return the rank correlation of the distances that two random halves of the utterances give, mean over splits."""
    generator = np.random.default_rng(1)
    agree = []
    for _ in range(SPLITS):
        first = generator.permutation(tokens.utterances.max() + 1) % 2 == 0
        sides = [_means(tokens, first[tokens.utterances] == side) for side in (True, False)]
        known = ~np.isnan(sides[0][:, 0]) & ~np.isnan(sides[1][:, 0])
        apart = [pdist(points.metric_points(side[known], metric)) for side in sides]
        agree.append(float(spearmanr(*apart).statistic))
    return float(np.mean(agree))


def _means(tokens: TokenPosteriors, chosen: Floats) -> Floats:
    sums = np.zeros((len(tokens.phones), tokens.rows.shape[1]))
    np.add.at(sums, tokens.codes[chosen], tokens.rows[chosen])
    with np.errstate(invalid="ignore"):
        return sums / sums.sum(axis=1, keepdims=True)


def _namesakes(target: PhoneMeans, reference: PhoneMeans, metric: Metric) -> float:
    """Return the share of target phones with a namesake whose nearest reference phone it is."""
    nearest, _ = points.nearest_phones(target, reference, metric)
    own, others = target.phones.phones, reference.phones.phones
    return float(
        np.mean([others[place] == phone for phone, place in zip(own, nearest, strict=True) if phone in others])
    )


if __name__ == "__main__":
    main(sys.argv[1:])

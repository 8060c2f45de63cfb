"""Summary rows of rates beside chance: the level of each model, and the skill above it, resampled together."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from phonxling.analyses.case.analysed import AnalysedCorpus
from phonxling.analyses.chance.levels import ChanceLevel, best
from phonxling.analyses.rows import Row, row_of
from phonxling.core.estimate import Estimate
from phonxling.resample.bootstrap import estimate
from phonxling.resample.weights import divided

Floats = NDArray[np.float64]


def chance_rows(
    name: str, analysis: AnalysedCorpus, cost: Floats, levels: list[ChanceLevel], said: str = ""
) -> Iterator[Row]:
    """Yield a rate's chance level and its skill above it, by model and against the lowest (`best`)."""
    lowest = best(levels)
    named = [(found.model, found) for found in levels] + ([("best", lowest)] if lowest else [])
    n, weights = analysis.gold_tokens.sum(), analysis.resampling
    tokens, own = weights.drawn_sums(weights.by_cluster(analysis.gold_tokens), weights.by_cluster(cost))
    for variant, found in named:
        if found.missing:
            yield row_of(f"chance_{name}", np.nan, n, variant, found.missing)
            continue
        level = estimate(found.rate, divided(found.drawn_cost, tokens), weights)
        note = "; ".join(filter(None, [described(found, variant), said]))
        yield Row(f"chance_{name}", level, n, variant, note)
    for variant, found in named:
        if found.missing or not found.cost.sum():
            yield row_of(f"skill_{name}", np.nan, n, variant, found.missing or "the chance rate is 0")
            continue
        value = 1 - float(cost.sum() / found.cost.sum())
        skill = estimate(value, 1 - divided(own, found.drawn_cost), weights)
        yield Row(f"skill_{name}", skill, n, variant, judged(skill, found) if variant == "best" else "")


def described(found: ChanceLevel, variant: str) -> str:
    """Return what the model's level is of; under `best` with the model's name."""
    what = f"always '{found.phone}'" if found.model == "constant" else f"{len(found.rates)} replicates"
    return f"{found.model}: {what}" if variant == "best" else what


def judged(above: Estimate, found: ChanceLevel) -> str:
    """Return in words whether what is above chance differs from 0."""
    alone = found.model == "constant"
    rival = f"always answering '{found.phone}'" if alone else f"{found.model} predictions"
    if np.isnan(above.low):
        return f"not tested against {rival}"
    if above.high < 0:
        return f"worse than {rival}, which hear{'s' if alone else ''} nothing"
    return f"better than {rival}" if above.low > 0 else f"not told apart from {rival}"

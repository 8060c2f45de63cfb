"""How well each gold phone fits each category: its goodness, from posteriors, confidences, or shares of tokens.

Where there are posteriors, the goodness of y in x is the mean posterior of x over the tokens of y. Else, where the
predictions have confidences (for listeners: their ratings of goodness, from 0 to 1), the mean confidence of the tokens
of y that were heard as x. Else p(x|y) itself.
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from phonxling.analyses.assimilation.heard import Heard
from phonxling.analyses.case.case import Case
from phonxling.core.arrays import Codes, Floats, divided
from phonxling.core.inventory import Inventory
from phonxling.core.means import TokenPosteriors
from phonxling.count.posteriors import joint_of_tokens
from phonxling.resample.sums import replicate_group_sums, replicate_means, sums_by

Source = Literal["posteriors", "confidence", "shares"]


@dataclass(frozen=True, eq=False)
class Goodness:
    """The goodness of each phone in each category, [G, P], and in replicates, [G, P, R]; NaN where it is not known."""

    source: Source
    values: Floats
    drawn: Floats


def goodness(case: Case, heard: Heard) -> Goodness:
    """Return the goodness of the phones of a case."""
    if case.tokens is not None and not case.without_tokens:
        return _of_posteriors(case, case.tokens, heard)
    confidence = case.counted.corpus.predicted.confidence
    if confidence is not None:
        return _of_confidences(case, confidence, heard)
    return Goodness("shares", heard.shares[:, :-1], heard.drawn[:, :-1])


def _of_posteriors(case: Case, tokens: TokenPosteriors, heard: Heard) -> Goodness:
    mass, groups = joint_of_tokens(tokens, "token").mass, len(tokens.phones)
    values = divided(mass, mass.sum(axis=1, keepdims=True))
    drawn = replicate_means(
        tokens.rows, tokens.codes, groups=groups, owner=tokens.utterances, resampling=case.token_resampling
    )
    rows, columns = _codes(heard.gold, tokens.phones), _codes(heard.categories, tokens.columns)
    known, places = (rows >= 0)[:, None] & (columns >= 0), np.ix_(rows, columns)
    means = np.moveaxis(drawn, 0, -1)[places]
    return Goodness("posteriors", np.where(known, values[places], np.nan), np.where(known[..., None], means, np.nan))


def _codes(phones: Inventory, other: Inventory) -> Codes:
    """Return the codes of phones in another inventory, −1 for those that it lacks."""
    return np.array([other.code(phone) if phone in other else -1 for phone in phones], dtype=np.int64)


def _of_confidences(case: Case, confidence: Floats, heard: Heard) -> Goodness:
    path, predicted = case.counted.by_costs, case.counted.corpus.predicted
    gold = path.gold[path.predicted < len(heard.categories)]  # an alignment spells the predictions in their order
    known = (gold < len(heard.gold)) & np.isfinite(confidence)
    shape = len(heard.gold), len(heard.categories)
    place = gold[known].astype(np.int64) * shape[1] + predicted.codes[known]
    values = np.stack([confidence[known], np.ones(int(known.sum()))], axis=1)
    sums = sums_by(place, values, shape[0] * shape[1])
    drawn = replicate_group_sums(
        values, place, groups=len(sums), owner=predicted.token_utterances()[known], resampling=heard.resampling
    )
    means = divided(drawn[..., 0], drawn[..., 1]).T
    return Goodness("confidence", divided(sums[:, 0], sums[:, 1]).reshape(shape), means.reshape(*shape, -1))

"""People as a ceiling: how far a second transcriber of the same utterances is from gold, by the recogniser's measures.

Conventions
-----------
What the second transcriber wrote stands in the place of predictions, in the utterances that both have. PER is of least
unit cost. Weighted rate, κ and confusions are of one best alignment under the costs in use; where these are learned, of
one under the costs from which learning starts, and there is no weighted rate, for people would have others.

Cohen's κ of N aligned pairs, ∅ a label like the others: (o − e) / (1 − e), o the share of pairs with the same phone on
both sides, e = Σ_x n(x, ·) n(·, x) / N². It is given of the second transcriber, and of the recogniser on the same
utterances. Gold is one of the two, so a recogniser as near to gold as the other transcriber is as good as people agree.

References
----------
Cohen (1960), A coefficient of agreement for nominal scales. Cucchiarini (1996), Assessing transcription agreement.
"""

import math
from typing import NamedTuple

import numpy as np

from phonxling.alignment.corpus import align_sequences, least_costs
from phonxling.alignment.costs import cost_table
from phonxling.analyses.case import Case, Items
from phonxling.analyses.fitting import Learning, alignment_costs, scoring_costs
from phonxling.analyses.rows import Row, row_of
from phonxling.core.alignment import Alignments
from phonxling.core.arrays import Codes, Floats, divided, sum_by
from phonxling.core.corpus import Corpus
from phonxling.core.costs import CostTable
from phonxling.core.errors import DataError
from phonxling.core.inventory import merge
from phonxling.count.confusions import stack_confusions
from phonxling.resample.intervals import Resampling, estimate
from phonxling.resample.replicates import over_replicates

_LEARNED = "costs are learned from the recogniser's confusions, and people would have others"
_LACKING = "the cost table lacks phones of the second transcriber"
_NO_RATE = "these costs are no phonetic distances, so there is no weighted rate"


class Both(NamedTuple):
    """A second transcriber beside gold, where their U utterances stand in the corpus, and how the two are aligned."""

    pair: Corpus
    places: Codes
    path: Alignments
    scoring: CostTable | None
    missing: str


def both(case: Case) -> Both | None:
    """Return the utterances of a second transcriber, aligned with gold; None without one."""
    pair = case.loaded.people
    if pair is None:
        return None
    phones, missing = (pair.gold_inventory, pair.predicted_inventory), _NO_RATE
    aligning, scoring = cost_table("unit", *phones, None), None
    try:
        costs, weighing = alignment_costs(*phones, case.experiment), scoring_costs(*phones, case.experiment)
        aligning = costs.start if isinstance(costs, Learning) else costs
        if isinstance(costs, Learning) or isinstance(weighing, Learning):
            missing = _LEARNED
        elif weighing.as_rate:
            scoring = weighing
    except DataError:
        missing = _LACKING
    place = {name: number for number, name in enumerate(case.counted.corpus.utterances)}
    places = np.array([place[name] for name in pair.utterances], dtype=np.int64)
    return Both(pair, places, align_sequences(pair.gold, pair.predicted, aligning, case.work), scoring, missing)


def people(case: Case, _: None) -> Items:
    """Yield the rates and κ of the second transcriber, and κ of the recogniser in the same utterances."""
    found = both(case)
    if found is None:
        return
    analysed, (pair, places, path, scoring, missing) = case.counted, found
    drawn, tokens = analysed.resampling.at(places), pair.gold.lengths.astype(np.float64)
    every, costs = analysed.corpus.utterances, dict[str, Floats]()
    other = len({*pair.unpaired} - {*every})
    about = f"on {len(places):,} of {len(every):,} utterances" + f"; {other} more are not in gold" * bool(other)
    if scoring is not None:
        weights = scoring.with_gaps()[path.gold, path.predicted]
        costs["wper"] = sum_by(path.pair_utterances(), weights, len(places))
    unit = cost_table("unit", pair.gold_inventory, pair.predicted_inventory, None)
    costs["per"] = least_costs(pair.gold, pair.predicted, unit, case.work)
    for name, own in (("wper", analysed.cost), ("per", analysed.unit_cost)):
        if name in costs:
            beside = f"the recogniser’s there is {divided(own[places].sum(), tokens.sum()):.4f}"
            number = drawn.ratio(costs[name], tokens, "rate")
            yield row_of(f"people_{name}", number, tokens.sum(), "", about, beside)
        else:
            yield row_of(f"people_{name}", math.nan, tokens.sum(), "", missing)
    heard = align_sequences(pair.gold, analysed.corpus.predicted.select(places), analysed.costs, case.work)
    for variant, aligned in (("people", path), ("recogniser", heard)):
        yield _kappa_row(aligned, drawn, variant, about)


def _kappa_row(aligned: Alignments, drawn: Resampling, variant: str, about: str) -> Row:
    labels = merge(aligned.gold_inventory, aligned.predicted_inventory)
    stack = stack_confusions(aligned).over(labels, labels)
    counts = stack.total().counts
    value = float(kappa(counts[..., None])[0])
    number = estimate(value, over_replicates(stack, drawn, kappa), drawn).within(-1, 1)
    return row_of("kappa", number, counts.sum(), variant, about if value == value else "all pairs are of one phone")


def kappa(counts: Floats) -> Floats:
    """Return Cohen's κ of counts [K, K, R] of the same K labels on both sides, [R].

    >>> kappa(np.array([[[20.0], [5.0]], [[10.0], [15.0]]])).round(9).tolist()  # (0.7 − 0.5) / (1 − 0.5)
    [0.4]
    """
    total = counts.sum(axis=(0, 1))
    observed = divided(np.trace(counts), total)
    expected = divided((counts.sum(axis=1) * counts.sum(axis=0)).sum(axis=0), total**2)
    return divided(observed - expected, 1 - expected)

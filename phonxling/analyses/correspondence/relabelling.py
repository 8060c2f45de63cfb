"""The phone error rate after the best relabelling of what was predicted: what is wrong beyond the names of phones.

Each predicted phone gets the name of the gold phone that it stands for, and PER is taken anew, aligned under unit
costs. Many-to-one: the gold phone that it was aligned with most often; one-to-one: its partner in the assignment that
matches most tokens. A predicted phone that stands for none is always wrong. Cross-fitted: each half of the utterances
is relabelled by the alignments of the other half, or a rare phone would be right by its name alone.
"""

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from phonxling.alignment.corpus import least_costs
from phonxling.alignment.costs.named import cost_table
from phonxling.analyses.case.case import Case, Items
from phonxling.analyses.correspondence.one_to_one import one_to_one
from phonxling.analyses.rows import row_of
from phonxling.core.arrays import Codes, Floats, code_type
from phonxling.core.confusion import ConfusionStack
from phonxling.core.corpus import Corpus
from phonxling.core.inventory import Inventory
from phonxling.core.sequences import PhoneSequences

_FITTED = "relabelled by the other half of the utterances; the relabelling itself is not resampled"
_NO_HALVES = "one utterance has no halves"


def many_names(counts: Floats) -> Codes:
    """Return the gold phone most often aligned with each predicted one, of counts [G + 1, P + 1], [P]; −1 for none.

    Examples
    --------
    >>> many_names(np.array([[5, 3, 0, 0], [4, 4, 0, 0], [0, 0, 0, 0]])).tolist()
    [0, 1, -1]
    """
    pairs = counts[:-1, :-1]
    return np.where(pairs.any(axis=0), pairs.argmax(axis=0), -1)


def single_names(counts: Floats) -> Codes:
    """Return the gold phone that each predicted one is the partner of, of counts [G + 1, P + 1], [P]; −1 for none."""
    partner = one_to_one(counts)
    names = np.full(counts.shape[1] - 1, -1, dtype=np.int64)
    names[partner[partner >= 0]] = np.flatnonzero(partner >= 0)
    return names


NAMINGS: dict[str, Callable[[Floats], Codes]] = {"many-to-one": many_names, "one-to-one": single_names}


def relabelled_rates(case: Case, _: None) -> Items:
    """Yield the phone error rate after the best relabelling of each kind."""
    analysed, counting = case.counted, case.counted.counting
    tokens = analysed.gold_tokens
    if counting is None or not counting.half.any():
        yield from (row_of("per_relabelled", math.nan, tokens.sum(), kind, _NO_HALVES) for kind in NAMINGS)
        return
    halves, corpus = _by_half(analysed.stack, counting.half), analysed.corpus
    for kind, naming in NAMINGS.items():
        names = np.array([naming(halves[1]), naming(halves[0])])
        predicted = _relabelled(corpus, names, counting.half)
        unit = cost_table("unit", corpus.gold_inventory, predicted.inventory, None)
        cost = least_costs(corpus.gold, predicted, unit, case.work)
        yield row_of("per_relabelled", analysed.resampling.ratio(cost, tokens, "rate"), tokens.sum(), kind, _FITTED)


def _by_half(stack: ConfusionStack, half: NDArray[np.int8]) -> Floats:
    """Return the counts of each half, [2, G + 1, P + 1]."""
    return stack.sums_by(half, 2).reshape(2, len(stack.gold) + 1, len(stack.predicted) + 1)


def _relabelled(corpus: Corpus, names: Codes, half: NDArray[np.int8]) -> PhoneSequences:
    """Return the predictions with the names [2, P] of their half, over the gold phones and one that is none of them."""
    predicted, gold = corpus.predicted, corpus.gold_inventory
    codes = np.where(names < 0, len(gold), names).astype(code_type(len(gold) + 1))
    nameless = "?" * (1 + max(map(len, gold), default=0))
    return PhoneSequences(
        utterances=predicted.utterances,
        offsets=predicted.offsets,
        codes=codes[np.repeat(half, predicted.lengths), predicted.codes],
        inventory=Inventory((*gold, nameless)),
    )

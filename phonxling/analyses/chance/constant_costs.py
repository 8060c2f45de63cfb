"""What always answering one phone costs, without aligning.

Predictions of one phone q alone can be aligned with any of the gold phones, in their order. So the least cost of an
utterance is that of gaps alone, Σ deletions + m insertions, less what pairs save: of its gold phones those pair that
save most, substitution − deletion − insertion < 0, m at most. That needs only how often the utterance has each phone.
"""

import numpy as np

from phonxling.analyses.chance.kernel import pay_constants
from phonxling.core.arrays import Floats
from phonxling.core.corpus import Corpus
from phonxling.core.costs import CostTable


def constant_costs(corpus: Corpus, costs: CostTable, answers: range) -> Floats:
    """Return what each utterance costs at least if every prediction is one phone, [k, U], by the phones' codes.

    Costs of opening gaps are not counted.

    Examples
    --------
    Of b, a, b the two b are right, and a is deleted:

    >>> from phonxling.alignment.costs.named import cost_table
    >>> from phonxling.core.sequences import from_lists
    >>> gold, predicted = from_lists(["u"], [["b", "a", "b"]]), from_lists(["u"], [["a", "b"]])
    >>> unit = cost_table("unit", gold.inventory, predicted.inventory, None)
    >>> constant_costs(Corpus(gold=gold, predicted=predicted), unit, range(2)).tolist()
    [[2.0], [1.0]]
    """
    gold, phones = corpus.gold.recode(costs.gold), corpus.predicted.inventory.phones
    codes = np.array([costs.predicted.code(phones[answer]) for answer in answers], np.int64)
    deletion, insertion = costs.deletion.astype(np.int64), costs.insertion[codes].astype(np.int64)
    saved = costs.substitution[:, codes].T - deletion - insertion[:, None]
    order = np.argsort(saved, axis=1, kind="stable")
    paid = np.empty((len(codes), len(gold)), np.int64)
    saved = np.minimum(np.take_along_axis(saved, order, axis=1), 0)
    pay_constants(gold.codes, gold.offsets, corpus.predicted.lengths, deletion, insertion, order, saved, paid)
    return paid / costs.denominator

"""M before anything was learned: gold phones sound like what the recogniser has that is similar to them by features."""

import numpy as np

from phonxling.alignment.costs.named import cost_table
from phonxling.core.inventory import Inventory
from phonxling.core.phonology.features import FeatureTable
from phonxling.forced.values import ForcedRules, SoundModel

_RULES = ForcedRules()


def similar_sounds(
    gold: Inventory, recogniser: Inventory, table: FeatureTable | None, sharpness: float = _RULES.sharpness
) -> SoundModel:
    """Return M(e|y) ∝ exp(−sharpness · c(y, e)), c the mean difference of features (`panphon` costs).

    Without a feature table c is 0 for equal symbols, else 1. Between phones nothing but silence and blank is heard.

    Examples
    --------
    >>> from phonxling.load.resources.features import panphon_features
    >>> model = similar_sounds(Inventory(("e",)), Inventory(("ɛ", "p")), panphon_features())
    >>> model.probabilities.round(3).tolist()
    [[0.993, 0.007]]
    """
    costs = cost_table("unit" if table is None else "panphon", gold, recogniser, table)
    weights = np.exp(-sharpness * costs.substitution / costs.denominator)
    return SoundModel(
        gold=gold,
        recogniser=recogniser,
        probabilities=weights / weights.sum(axis=1, keepdims=True),
        between=np.eye(len(recogniser) + 1)[-1],
    )

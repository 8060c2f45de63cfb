"""sensitivity.tsv: how what is expected from the reference moves with the choice of which phones are the same."""

import math
from collections.abc import Iterator

import pandas as pd

from phonxling.analyses.case.same_phones import choices
from phonxling.analyses.expected.confusions import expected_confusions
from phonxling.core.confusion import ConfusionMatrix
from phonxling.core.costs import CostTable
from phonxling.settings.models import Experiment


def sensitivity_table(
    target: ConfusionMatrix,
    reference: ConfusionMatrix,
    costs: CostTable | None,
    experiment: Experiment,
    *,
    raw: bool = False,
) -> pd.DataFrame:
    """Return a row a choice: how many phones are common, how much is kept, and the divergence and excess that follow.

    `counterparts` lists the target phones that another symbol stands for. Rows of equal counterparts are equal. `raw`
    symbols have no features, so that only the rows without a distance are there.
    """
    return pd.DataFrame(list(_rows(target, reference, costs, experiment, raw)))


def _rows(
    target: ConfusionMatrix, reference: ConfusionMatrix, costs: CostTable | None, experiment: Experiment, raw: bool
) -> Iterator[dict[str, object]]:
    for choice, distance, same in choices(target, reference, experiment, raw=raw):
        found = expected_confusions(target, reference, experiment.expected.predicted, same=same)
        paid = costs is not None and costs.as_rate and found.target.sum() > 0
        renamed = [f"{phone}→{same[phone]}" for phone in found.gold if same[phone] != phone]
        yield {
            "common": choice,
            "distance": math.nan if distance is None else round(distance, 6),
            "common_phones": len(found.gold),
            "expected_share_kept": found.kept,
            "expected_js": found.jensen_shannon(),
            "expected_kl": found.kullback_leibler(experiment.expected.smoothing),
            "alpha": experiment.expected.smoothing,
            "wper_excess": found.cost_excess(costs) if paid and costs is not None else math.nan,
            "counterparts": " ".join(renamed),
        }

"""What is kept of costs in the results: learned tables, their rounds, and how each table came about."""

from collections.abc import Iterator, Mapping

import pandas as pd

from phonxling.analyses.analysed import AnalysedCorpus
from phonxling.analyses.fitting import Fitted
from phonxling.core.costs import CostTable, LearnedCosts, cost_text
from phonxling.tables.files import table_of

_NAMES = {"alignment": "costs", "scoring": "scoring_costs"}
_ON = ("all", "first half", "second half")


def learned_tables(
    learned: Mapping[str, LearnedCosts], fitted: Fitted, weighed: Fitted
) -> Iterator[tuple[str, pd.DataFrame]]:
    """Yield costs.tsv (learned on the whole corpus, to be read back as a table of costs) and learning.tsv, if any."""
    rows: list[tuple[object, ...]] = []
    for use, whole in learned.items():
        yield _NAMES[use], cost_rows(whole.costs)
        # the table that weighs the second half was learned on the first
        halves = (fitted if use == "alignment" else weighed).learned[::-1]
        for on, one in zip(_ON, (whole, *halves), strict=True):
            rows += [(use, on, done.number, done.rate, done.changed) for done in one.rounds]
    if rows:
        yield "learning", table_of("learning", rows)


def cost_rows(costs: CostTable) -> pd.DataFrame:
    """Return a table of costs as a user's own would be written: gold, predicted, cost, ∅ for no phone."""
    return table_of("costs", ((gold, predicted, cost_text(cost)) for gold, predicted, cost in costs.rows()))


def describe_costs(analysis: AnalysedCorpus) -> dict[str, object]:
    """Return what the manifest says of the costs of one corpus: names, denominators, rounding, learning."""
    uses = {"alignment": (analysis.costs, analysis.fitted), "scoring": (analysis.scoring, analysis.weighed)}
    return {use: _described(costs, fitted) for use, (costs, fitted) in uses.items()}


def _described(costs: CostTable, fitted: Fitted) -> dict[str, object]:
    record: dict[str, object] = {"name": costs.name, "denominator": costs.denominator, "note": costs.note}
    if fitted.learned:
        record["cross_fitted"] = [
            {
                "start": one.start,
                "smoothing": one.smoothing,
                "rounds": len(one.rounds),
                "converged": one.converged,
                "denominator": one.costs.denominator,
            }
            for one in fitted.learned[::-1]
        ]
    return record

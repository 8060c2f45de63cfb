"""What the reference language leads one to expect of each target: summary rows."""

import math
from collections.abc import Iterator

from phonxling.analyses.case.analysed import AnalysedCorpus
from phonxling.analyses.case.costs import scoring_costs
from phonxling.analyses.case.loaded import LoadedCorpus
from phonxling.analyses.case.same_phones import same_phones
from phonxling.analyses.expected.confusions import SMOOTHINGS, ExpectedConfusions, expected_confusions
from phonxling.analyses.rows import Row, row_of
from phonxling.core.corpus import Corpus
from phonxling.core.costs import CostTable
from phonxling.core.inventory import merge
from phonxling.settings.models import Experiment

_MEASURES = (
    ("expected_js", "bits"),
    ("expected_kl", "bits"),
    ("expected_share_kept", "ratio"),
    ("wper_excess", "ratio"),
)


def refusal(target: LoadedCorpus, reference: LoadedCorpus | None, experiment: Experiment) -> str:
    """Return why nothing can be expected for a target, "" when it can."""
    if reference is None:
        return "no corpus has the role reference"
    if reference.corpus is None:
        return f"the reference {reference.name} has no predictions"
    other = target.recogniser != reference.recogniser
    if other and not experiment.expected.allow_other_recogniser:
        named = f"{target.recogniser or 'not named'} here, {reference.recogniser or 'not named'} in {reference.name}"
        return (
            f"another recogniser than the reference's ({named}); allow with expected: {{allow_other_recogniser: true}}"
        )
    return ""


def mark(target: LoadedCorpus, reference: LoadedCorpus) -> str:
    """Return the warning to put beside numbers that compare two recognisers, "" when it is one."""
    if target.recogniser == reference.recogniser:
        return ""
    return f"another recogniser: {target.recogniser or 'not named'}, reference {reference.recogniser or 'not named'}"


def expect(target: AnalysedCorpus, reference: AnalysedCorpus, experiment: Experiment) -> ExpectedConfusions:
    """Return the target's confusions beside those of the reference."""
    same = same_phones(target.matrix, reference.matrix, experiment)
    return expected_confusions(target.matrix, reference.matrix, experiment.expected.predicted, same=same)


def union_costs(target: Corpus, reference: Corpus, experiment: Experiment) -> CostTable | None:
    """Return the scoring costs between the target's gold phones and all that either corpus has as predicted.

    None for learned costs, which hold for the corpus that they were learned from.
    """
    heard = merge(target.predicted_inventory, reference.predicted_inventory)
    costs = scoring_costs(target.gold_inventory, heard, experiment)
    return costs if isinstance(costs, CostTable) else None


def expected_rows(found: ExpectedConfusions, costs: CostTable | None, smoothing: float, note: str) -> Iterator[Row]:
    """Yield divergence from the reference, plain and smoothed, the share kept, and the excess cost."""
    n = float(found.target.sum())
    missing = "" if n else "the two languages have no common phone with tokens"
    if found.left_out:
        note = "; ".join(filter(None, [note, f"nothing to expect for {' '.join(found.left_out)}"]))
    beside = missing or note
    yield row_of("expected_js", found.jensen_shannon(), n, "", beside)
    plain_value = found.kullback_leibler()
    seen = "the target has confusions that the reference never shows" if math.isinf(plain_value) else ""
    yield row_of("expected_kl", plain_value, n, "plain", "; ".join(filter(None, [beside, seen])))
    for alpha in sorted({*SMOOTHINGS, smoothing}):
        yield row_of("expected_kl", found.kullback_leibler(alpha), n, f"{alpha:g}", beside)
    none = "" if not math.isnan(found.kept) else "no gold phone was aligned with a predicted one"
    yield row_of("expected_share_kept", found.kept, n, "", none or note)
    excess = found.cost_excess(costs) if costs is not None and costs.as_rate and n else math.nan
    beside = missing or "; ".join(filter(None, [note, _no_excess(costs)]))
    yield row_of("wper_excess", excess, n, "", beside)


def _no_excess(costs: CostTable | None) -> str:
    if costs is None:
        return "learned costs hold for the corpus that they were learned from alone"
    return "" if costs.as_rate else f"{costs.name}'s costs are no phonetic distances"


def missing_rows(why: str) -> Iterator[Row]:
    """Yield the same measures, missing, with the reason."""
    yield from (row_of(measure, math.nan, 0, "", why) for measure, unit in _MEASURES)

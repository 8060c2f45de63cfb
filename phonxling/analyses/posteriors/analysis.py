"""The analysis of what posteriors say of the gold phones."""

from collections.abc import Mapping

from phonxling.analyses.case.case import Case, Items
from phonxling.analyses.posteriors import tables
from phonxling.analyses.posteriors.gold_labels import label_shares
from phonxling.analyses.posteriors.quality import token_quality
from phonxling.analyses.posteriors.rows import posterior_rows
from phonxling.settings.sections import Confidence


def posteriors(case: Case, _: Confidence) -> Items:
    """Yield posteriors.tsv, posterior_utterances.tsv and their rows."""
    assert case.tokens is not None  # noqa: S101 - it is given cases with posteriors alone
    found = token_quality(case.loaded, case.tokens, case.aligned, case.experiment)
    yield "posteriors", tables.by_phone(found)
    yield "posterior_utterances", tables.by_utterance(found)
    yield from posterior_rows(found, *_reference_shares(case))


def _reference_shares(case: Case) -> tuple[Mapping[str, float] | None, str]:
    """Return the shares of the reference's gold phones, or why there are none; neither for the reference itself."""
    if case.is_reference:
        return None, ""
    if case.reference is None:
        return None, "no corpus has the role reference"
    if case.reference.tokens is None:
        return None, f"the reference {case.reference.name} has no posteriors with times"
    return label_shares(case.reference.tokens, case.experiment), ""

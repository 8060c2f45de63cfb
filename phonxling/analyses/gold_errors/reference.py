"""Claims on a target beside its reference, if some of the target's gold phones were wrong.

Nothing is taken out of the target's counts here: the same errors are put into what the reference leads one to expect.
Of the tokens written y, q(z|y) are z in truth, and heard as the reference hears z: Σ_z q(z|y) p_E(x|z). The reference's
own gold is taken as it is, and so are true phones that the reference lacks, which count as right.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from phonxling.analyses.case.case import Case
from phonxling.analyses.expected.analysis import divergence_p
from phonxling.analyses.expected.cells import cell_tests
from phonxling.analyses.expected.comparison import Comparison, compare
from phonxling.analyses.expected.confusions import ExpectedConfusions
from phonxling.analyses.expected.dealing import deals
from phonxling.analyses.expected.replicates import Clusters
from phonxling.analyses.gold_errors.errors import WritingErrors
from phonxling.core.arrays import Bools, Floats, divided
from phonxling.resample.p_values import SIGNIFICANT, adjusted

_DEALS = 499  # of speakers, at each rate


@dataclass(frozen=True, eq=False)
class Beyond:
    """At a rate of errors: p of no difference from the reference, and which cells are surely beyond it, [T, P]."""

    rate: float
    p: float
    excess: Bools
    residual: Floats


def comparison_of(case: Case) -> Comparison | None:
    """Return a target beside its reference where that is tested, else None."""
    if case.refusal or case.reference is None:
        return None
    comparison = compare(case, case.reference, case.experiment.expected, case.same_phones(case.reference))
    return None if comparison.untested else comparison


def beyond_reference(comparison: Comparison, errors: WritingErrors, rates: tuple[float, ...]) -> Iterator[Beyond]:
    """Yield what is beyond the reference with errors at each rate put into it; the first rate is 0.

    The cells that are tested are those of the first: mixing would leave hardly any cell without counts.
    """
    settings, level = comparison.settings, comparison.target.level
    tested: Bools | None = None
    for rate in rates:
        clusters = _mixed(comparison, errors, rate)
        confusions = replace(comparison.confusions, reference=clusters.reference.sum(axis=0))
        p = cell_tests(confusions, clusters, level=level, correction=settings.correction).p
        tested = ~np.isnan(p) if tested is None else tested
        q = adjusted(np.where(tested, p, np.nan), settings.correction)
        excess = (q < SIGNIFICANT) & (confusions.residual > 0) & ~_named_alike(confusions)
        speakers = len(clusters.target), len(clusters.reference)
        whole = divergence_p(confusions, _dealt(comparison, clusters, confusions, rate), speakers).p
        yield Beyond(rate, whole, excess, np.asarray(confusions.residual))


def _dealt(comparison: Comparison, clusters: Clusters, confusions: ExpectedConfusions, rate: float) -> Floats:
    """Return the divergence where chance alone tells the languages apart, [deals]."""
    if not rate:
        return np.asarray(comparison.dealt.confusions.jensen_shannon())
    generator = comparison.target.generator("expected")
    both = deals(clusters.target, clusters.reference, comparison.right, number=_DEALS, generator=generator)
    tables = [(own.sum(axis=0), other.sum(axis=0)) for own, other in both]
    target, reference = (np.stack(side, axis=-1) for side in zip(*tables, strict=True))
    return np.asarray(replace(confusions, target=target, reference=reference).jensen_shannon())


def _named_alike(confusions: ExpectedConfusions) -> Bools:
    gold, predicted = (np.array(side.phones, dtype=object) for side in (confusions.gold, confusions.predicted))
    return np.asarray(gold[:, None] == predicted, dtype=bool)


def _mixed(comparison: Comparison, errors: WritingErrors, rate: float) -> Clusters:
    """Return the counts of clusters, the reference's mixed as errors mix its phones; its tokens stay as many."""
    own, other = comparison.clusters.target, comparison.clusters.reference
    codes = [errors.gold.code(phone) for phone in comparison.confusions.gold]
    true = errors.true(rate)[np.ix_(codes, codes)]
    true[np.diag_indices(len(true))] += 1 - true.sum(axis=1)
    tokens = other.sum(axis=(0, 2))
    share = divided(true * tokens[:, None], tokens, undefined=0.0)
    return Clusters(own, np.einsum("yz,czx->cyx", share, other) if rate else other)

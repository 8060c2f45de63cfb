"""All analyses, in the order of their rows in summary.tsv: what each takes, and which signature its rows bear."""

from phonxling.analyses.analysis import (
    INFORMATION,
    PHONE_ERROR_RATE,
    TONE_TIER,
    WEIGHTED_RATE,
    Analysis,
    JointAnalysis,
    of_best_alignment,
    of_costs,
)
from phonxling.analyses.assimilation import assimilation
from phonxling.analyses.association import association
from phonxling.analyses.asymmetry import asymmetries
from phonxling.analyses.beside_chance import confusions_beside_chance
from phonxling.analyses.boundaries import segmentation
from phonxling.analyses.case import Case
from phonxling.analyses.classes import classes
from phonxling.analyses.confidence import confidence
from phonxling.analyses.contexts import contexts
from phonxling.analyses.correspondence import correspondences, rank_correlation, relabelled_rates
from phonxling.analyses.decoded import decoded
from phonxling.analyses.differences import differences
from phonxling.analyses.expected import expected
from phonxling.analyses.features import features
from phonxling.analyses.forced import forced
from phonxling.analyses.insertions import insertions
from phonxling.analyses.inventories import inventories
from phonxling.analyses.mantel import phone_map
from phonxling.analyses.missed import missed
from phonxling.analyses.orders import orders
from phonxling.analyses.phones import phones
from phonxling.analyses.pooling import pooling
from phonxling.analyses.posteriors import posteriors, posteriors_over_time
from phonxling.analyses.rates import feature_edits
from phonxling.analyses.signature import (
    beside_forced,
    boundary_signature,
    confidence_signature,
    posterior_signature,
    quality_signature,
)
from phonxling.analyses.tone import tone_with_segment
from phonxling.analyses.utterances import learned_costs, weighted_tables


def _of_posteriors(case: Case) -> str:
    reference = None if case.reference is None else case.reference.loaded
    return beside_forced(posterior_signature(case.experiment, case.loaded), reference)


def _of_boundaries(case: Case) -> str:
    return boundary_signature(case.experiment, case.loaded, case.counted.costs)


def _of_confidence(case: Case) -> str:
    return confidence_signature(case.experiment, case.loaded, case.counted.costs)


def _of_quality(case: Case) -> str:
    reference = None if case.reference is None else case.reference.loaded
    return beside_forced(quality_signature(case.experiment, case.loaded, case.token_resampling), reference)


ANALYSES: tuple[Analysis, ...] = (
    Analysis(decoded, "", of_costs, scored=False),
    PHONE_ERROR_RATE,
    WEIGHTED_RATE,
    Analysis(weighted_tables, "alignment", of_costs, scored=False),
    INFORMATION,
    Analysis(rank_correlation, "", of_costs),
    Analysis(confusions_beside_chance, "", of_costs),
    Analysis(phones, "entropy", of_costs, scored=False),
    Analysis(features, "alignment", of_costs, scored=False),
    Analysis(classes, "classes", of_costs, scored=False),
    Analysis(correspondences, "", of_costs, scored=False),
    Analysis(relabelled_rates, "", of_costs, scored=False),
    Analysis(asymmetries, "", of_costs, scored=False),
    Analysis(learned_costs, "", of_costs, scored=False),
    Analysis(assimilation, "assimilation", of_costs, scored=False),
    Analysis(insertions, "", of_costs),
    Analysis(contexts, "context", of_costs),
    Analysis(tone_with_segment, "", of_costs),
    Analysis(inventories, "", of_costs),
    Analysis(segmentation, "boundaries", _of_boundaries),
    Analysis(feature_edits, "", of_best_alignment("panphon-hamming")),
    TONE_TIER,
    Analysis(expected, "expected", of_costs, scored=False),
    Analysis(missed, "expected", of_costs, scored=False),
    Analysis(forced, "forced", _of_posteriors, "posteriors", scored=False),
    Analysis(association, "information", _of_posteriors, "posteriors", scored=False),
    Analysis(phone_map, "embedding", _of_posteriors, "posteriors", scored=False),
    Analysis(confidence, "confidence", _of_confidence),
    Analysis(posteriors, "confidence", _of_quality, "posteriors", scored=False),
    Analysis(posteriors_over_time, "posteriorgrams", of_costs, scored=False),
)

JOINT: tuple[JointAnalysis, ...] = (
    JointAnalysis(orders, ""),
    JointAnalysis(differences, ""),
    JointAnalysis(pooling, "pooling"),
)
"""Those of all corpora together."""

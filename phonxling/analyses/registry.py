"""All analyses, in the order of their rows in summary.tsv: what each takes, and which signature its rows bear."""

from phonxling.analyses import analysis as first
from phonxling.analyses.analysis import Analysis, JointAnalysis
from phonxling.analyses.assimilation import assimilation
from phonxling.analyses.association import association
from phonxling.analyses.beside_chance import confusions_beside_chance
from phonxling.analyses.boundaries import segmentation
from phonxling.analyses.case import (
    of_best_alignment,
    of_boundaries,
    of_confidence,
    of_costs,
    of_posteriors,
    of_quality,
)
from phonxling.analyses.confidence import confidence
from phonxling.analyses.contexts import contexts, insertions
from phonxling.analyses.correspondence import correspondences, rank_correlation, relabelled_rates
from phonxling.analyses.differences import differences
from phonxling.analyses.expected import expected
from phonxling.analyses.features import classes, features
from phonxling.analyses.forced import forced
from phonxling.analyses.groups import speaker_groups
from phonxling.analyses.map import phone_map
from phonxling.analyses.missed import missed
from phonxling.analyses.orders import orders
from phonxling.analyses.phones import inventories, phones
from phonxling.analyses.posteriors import posteriors, posteriors_over_time
from phonxling.analyses.rates import feature_edits, hamming_edits
from phonxling.analyses.tone import tone_with_segment
from phonxling.analyses.utterances import decoded, learned_costs, weighted_tables

ANALYSES: tuple[Analysis, ...] = (
    Analysis(decoded, "", of_costs, scored=False),
    first.PHONE_ERROR_RATE,
    first.WEIGHTED_RATE,
    Analysis(weighted_tables, "alignment", of_costs, scored=False, of_trials=True),
    first.INFORMATION,
    first.PEOPLE,
    Analysis(rank_correlation, "", of_costs),
    Analysis(confusions_beside_chance, "", of_costs),
    Analysis(speaker_groups, "", of_costs, scored=False),
    Analysis(phones, "entropy", of_costs, scored=False, of_trials=True),
    Analysis(features, "alignment", of_costs, scored=False, of_trials=True),
    Analysis(classes, "classes", of_costs, scored=False, of_trials=True),
    Analysis(correspondences, "", of_costs, scored=False, of_trials=True),
    Analysis(relabelled_rates, "", of_costs, scored=False),
    Analysis(learned_costs, "", of_costs, scored=False),
    Analysis(assimilation, "assimilation", of_costs, scored=False, of_trials=True),
    Analysis(insertions, "", of_costs),
    Analysis(contexts, "context", of_costs),
    Analysis(tone_with_segment, "", of_costs),
    Analysis(inventories, "", of_costs),
    Analysis(segmentation, "boundaries", of_boundaries),
    Analysis(feature_edits, "", of_best_alignment("panphon-edit")),
    Analysis(hamming_edits, "", of_best_alignment("panphon-hamming")),
    first.TONE_TIER,
    Analysis(expected, "expected", of_costs, scored=False),
    Analysis(missed, "expected", of_costs, scored=False),
    Analysis(forced, "forced", of_posteriors, "posteriors", scored=False),
    Analysis(association, "information", of_posteriors, "posteriors", scored=False),
    Analysis(phone_map, "embedding", of_posteriors, "posteriors", scored=False),
    Analysis(confidence, "confidence", of_confidence),
    Analysis(posteriors, "confidence", of_quality, "posteriors", scored=False),
    Analysis(posteriors_over_time, "posteriorgrams", of_costs, scored=False),
)

JOINT: tuple[JointAnalysis, ...] = (  # those of all corpora together
    JointAnalysis(orders, "", of_trials=False),
    JointAnalysis(differences, "differences"),
)

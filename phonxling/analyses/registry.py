"""All analyses, in the order of their rows in summary.tsv: what each takes, and which signature its rows bear."""

from phonxling.analyses import analysis as first, case
from phonxling.analyses.analysis import Analysis
from phonxling.analyses.assimilation import assimilation
from phonxling.analyses.association import association
from phonxling.analyses.beside_chance import confusions_beside_chance
from phonxling.analyses.boundaries import segmentation
from phonxling.analyses.confidence import confidence
from phonxling.analyses.contexts import contexts
from phonxling.analyses.expected import expected
from phonxling.analyses.features import classes, features
from phonxling.analyses.forced import forced
from phonxling.analyses.groups import speaker_groups
from phonxling.analyses.map import phone_map
from phonxling.analyses.missed import missed
from phonxling.analyses.partners import partners
from phonxling.analyses.phones import inventories, phones
from phonxling.analyses.posteriors import posteriors, posteriors_over_time
from phonxling.analyses.rates import feature_edits, hamming_edits
from phonxling.analyses.tone import tone_with_segment
from phonxling.analyses.utterances import decoded, weighted_tables

ANALYSES: tuple[Analysis, ...] = (
    Analysis(decoded, "", case.of_costs, scored=False),
    first.PHONE_ERROR_RATE,
    first.WEIGHTED_RATE,
    Analysis(weighted_tables, "", case.of_costs, scored=False),
    first.INFORMATION,
    first.PEOPLE,
    Analysis(confusions_beside_chance, "", case.of_costs),
    Analysis(speaker_groups, "", case.of_costs, scored=False),
    Analysis(phones, "entropy", case.of_costs, scored=False),
    Analysis(features, "alignment", case.of_costs, scored=False),
    Analysis(classes, "classes", case.of_costs, scored=False),
    Analysis(partners, "", case.of_costs, scored=False),
    Analysis(assimilation, "assimilation", case.of_costs, scored=False),
    Analysis(contexts, "context", case.of_costs),
    Analysis(tone_with_segment, "", case.of_costs),
    Analysis(inventories, "", case.of_costs),
    Analysis(segmentation, "boundaries", case.of_boundaries),
    Analysis(feature_edits, "", case.of_named_costs("panphon-edit")),
    Analysis(hamming_edits, "", case.of_named_costs("panphon-hamming")),
    first.TONE_TIER,
    Analysis(expected, "expected", case.of_costs, scored=False),
    Analysis(missed, "expected", case.of_costs, scored=False),
    Analysis(forced, "forced", case.of_posteriors, "posteriors", scored=False),
    Analysis(association, "information", case.of_posteriors, "posteriors", scored=False),
    Analysis(phone_map, "embedding", case.of_posteriors, "posteriors", scored=False),
    Analysis(confidence, "confidence", case.of_confidence),
    Analysis(posteriors, "confidence", case.of_quality, "posteriors", scored=False),
    Analysis(posteriors_over_time, "posteriorgrams", case.of_costs, scored=False),
)

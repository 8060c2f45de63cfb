"""All analyses, in the order of their rows in summary.tsv: and what each takes."""

from phonxling.analyses import analysis as first
from phonxling.analyses.analysis import Analysis
from phonxling.analyses.assimilation import assimilation
from phonxling.analyses.association import association
from phonxling.analyses.beside_chance import confusions_beside_chance
from phonxling.analyses.boundaries import segmentation
from phonxling.analyses.confidence import confidence
from phonxling.analyses.contexts import contexts
from phonxling.analyses.expected import expected, missed
from phonxling.analyses.features import class_rates, classes, features
from phonxling.analyses.forced import forced
from phonxling.analyses.groups import speaker_groups
from phonxling.analyses.map import phone_map
from phonxling.analyses.partners import partners
from phonxling.analyses.phones import inventories, phones
from phonxling.analyses.posteriors import posteriors, posteriors_over_time
from phonxling.analyses.rates import feature_edits, hamming_edits
from phonxling.analyses.tone import tone_with_segment
from phonxling.analyses.utterances import decoded, weighted_tables

ANALYSES: tuple[Analysis, ...] = (
    Analysis(decoded, "", scored=False),
    first.PHONE_ERROR_RATE,
    first.WEIGHTED_RATE,
    Analysis(class_rates, ""),
    Analysis(weighted_tables, "", scored=False),
    first.INFORMATION,
    first.PEOPLE,
    Analysis(confusions_beside_chance, ""),
    Analysis(speaker_groups, "", scored=False),
    Analysis(phones, "entropy", scored=False),
    Analysis(features, "alignment", scored=False),
    Analysis(classes, "classes", scored=False),
    Analysis(partners, "", scored=False),
    Analysis(assimilation, "assimilation", scored=False),
    Analysis(contexts, "context"),
    Analysis(tone_with_segment, ""),
    Analysis(inventories, ""),
    Analysis(segmentation, "boundaries"),
    Analysis(feature_edits, ""),
    Analysis(hamming_edits, ""),
    first.TONE_TIER,
    Analysis(expected, "expected", scored=False),
    Analysis(missed, "expected", scored=False),
    Analysis(forced, "forced", "posteriors", scored=False),
    Analysis(association, "information", "posteriors", scored=False),
    Analysis(phone_map, "embedding", "posteriors", scored=False),
    Analysis(confidence, "confidence"),
    Analysis(posteriors, "confidence", "posteriors", scored=False),
    Analysis(posteriors_over_time, "posteriorgrams", scored=False),
)

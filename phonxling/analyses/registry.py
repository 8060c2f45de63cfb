"""All analyses, in the order of their rows in summary.tsv: and what each takes."""

from phonxling.analyses import analysis as first
from phonxling.analyses.analysis import Analysis
from phonxling.analyses.association import association
from phonxling.analyses.boundaries import segmentation
from phonxling.analyses.calibration import confidence
from phonxling.analyses.contexts import contexts
from phonxling.analyses.contrasts import contrasts
from phonxling.analyses.expected import errors, expected
from phonxling.analyses.features import class_rates, classes, features
from phonxling.analyses.forced import forced
from phonxling.analyses.groups import speaker_groups
from phonxling.analyses.map import phone_map
from phonxling.analyses.phones import inventories, phones
from phonxling.analyses.posteriors import posteriors
from phonxling.analyses.rates import feature_edits, hamming_edits
from phonxling.analyses.utterances import weighted_tables

ANALYSES: tuple[Analysis, ...] = (
    first.PHONE_ERROR_RATE,
    first.WEIGHTED_RATE,
    Analysis(class_rates, ""),
    Analysis(weighted_tables, "", scored=False),
    first.INFORMATION,
    first.PEOPLE,
    *first.INFORMATION_BESIDE_CHANCE,
    Analysis(speaker_groups, "", scored=False),
    Analysis(phones, "", scored=False),
    Analysis(features, "", scored=False),
    Analysis(classes, "", scored=False),
    Analysis(contrasts, "contrasts", scored=False),
    Analysis(contexts, "context", scored=False),
    Analysis(inventories, ""),
    Analysis(segmentation, "boundaries"),
    Analysis(feature_edits, ""),
    Analysis(hamming_edits, ""),
    first.TONE_TIER,
    Analysis(expected, "expected", scored=False),
    Analysis(errors, "expected", scored=False),
    Analysis(forced, "times", "posteriors", scored=False),
    Analysis(association, "information", "posteriors", scored=False),
    Analysis(phone_map, "map", "posteriors", scored=False),
    Analysis(confidence, "confidence"),
    Analysis(posteriors, "confidence", "posteriors", scored=False),
)

"""Phonetic cross-lingual error analysis: what a phone recogniser trained on one language hears in another.

Names are imported when they are first used, so that `phonxling --help` need not wait for numba and pandas.
"""

import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING

from phonxling.core.version import __version__

if TYPE_CHECKING:
    from phonxling.analyses.classes.errors import class_confusions, class_errors
    from phonxling.analyses.confidence.calibration import brier_score, calibrated_error, expected_calibration_error
    from phonxling.analyses.confidence.nce import binned_nce, nist_nce
    from phonxling.analyses.confidence.reliability import reliability_table
    from phonxling.analyses.correspondence.one_to_one import one_to_one, one_to_one_accuracy
    from phonxling.analyses.expected.confusions import ExpectedConfusions, expected_confusions
    from phonxling.analyses.expected.cross_entropy import confusion_cross_entropy
    from phonxling.analyses.features.transfer import feature_transfer
    from phonxling.analyses.information.entropy import (
        conditional_entropy,
        confusion_entropy,
        marginal_entropy,
        perplexity,
        uncertainty_coefficient,
    )
    from phonxling.analyses.information.pointwise import mutual_information, npmi, pmi
    from phonxling.analyses.map.faithfulness import nearest_references
    from phonxling.analyses.map.projection import Projection, project
    from phonxling.analyses.missed.parts import error_parts
    from phonxling.analyses.posteriors.log_loss import cross_entropy, normalised_cross_entropy
    from phonxling.analyses.rates.error_rate import operations, phone_error_rate, skill, weighted_phone_error_rate
    from phonxling.analyses.tone.tier import tone_confusions, tone_error_rate
    from phonxling.compare.compare import Comparison, compare
    from phonxling.core.alignment import Alignments
    from phonxling.core.confusion import ConfusionMatrix
    from phonxling.core.corpus import Corpus
    from phonxling.core.costs import CostTable
    from phonxling.core.errors import ConfigurationError, DataError, PhonxlingError
    from phonxling.core.estimate import Estimate
    from phonxling.core.expected_alignment import ExpectedAlignments
    from phonxling.core.inventory import GAP, Inventory
    from phonxling.core.joint import JointDistribution
    from phonxling.core.learned_costs import LearnedCosts
    from phonxling.core.means import PhoneMeans
    from phonxling.core.phonology.features import FeatureTable
    from phonxling.core.posteriorgram import Posteriorgrams
    from phonxling.core.sequences import PhoneSequences, Transcript
    from phonxling.core.stack import ConfusionStack
    from phonxling.count.confusions import count_confusions, count_operations, stack_confusions
    from phonxling.count.interval_confidence import posterior_confidence
    from phonxling.count.posteriors import joint_distribution, phone_means
    from phonxling.experiment.api import (
        align,
        align_corpus,
        align_expected,
        feature_costs,
        load_corpus,
        load_posteriorgrams,
        load_segments,
        segment_ipa,
    )
    from phonxling.experiment.cost_api import learn_costs, save_costs
    from phonxling.load.resources.features import panphon_features
    from phonxling.load.resources.user_features import load_features
    from phonxling.load.transcripts.build import TranscriptBuilder
    from phonxling.phones.natural_classes import NaturalClasses, natural_classes
    from phonxling.phones.normalise import SymbolRules
    from phonxling.report.transcript import save_transcript
    from phonxling.resample.bootstrap import bootstrap
    from phonxling.resample.estimators import entropy

__all__ = [
    "GAP",
    "Alignments",
    "Comparison",
    "ConfigurationError",
    "ConfusionMatrix",
    "ConfusionStack",
    "Corpus",
    "CostTable",
    "DataError",
    "Estimate",
    "ExpectedAlignments",
    "ExpectedConfusions",
    "FeatureTable",
    "Inventory",
    "JointDistribution",
    "LearnedCosts",
    "NaturalClasses",
    "PhoneMeans",
    "PhoneSequences",
    "PhonxlingError",
    "Posteriorgrams",
    "Projection",
    "SymbolRules",
    "Transcript",
    "TranscriptBuilder",
    "__version__",
    "align",
    "align_corpus",
    "align_expected",
    "binned_nce",
    "bootstrap",
    "brier_score",
    "calibrated_error",
    "class_confusions",
    "class_errors",
    "compare",
    "conditional_entropy",
    "confusion_cross_entropy",
    "confusion_entropy",
    "count_confusions",
    "count_operations",
    "cross_entropy",
    "entropy",
    "error_parts",
    "expected_calibration_error",
    "expected_confusions",
    "feature_costs",
    "feature_transfer",
    "joint_distribution",
    "learn_costs",
    "load_corpus",
    "load_features",
    "load_posteriorgrams",
    "load_segments",
    "marginal_entropy",
    "mutual_information",
    "natural_classes",
    "nearest_references",
    "nist_nce",
    "normalised_cross_entropy",
    "npmi",
    "one_to_one",
    "one_to_one_accuracy",
    "operations",
    "panphon_features",
    "perplexity",
    "phone_error_rate",
    "phone_means",
    "pmi",
    "posterior_confidence",
    "project",
    "reliability_table",
    "save_costs",
    "save_transcript",
    "segment_ipa",
    "skill",
    "stack_confusions",
    "tone_confusions",
    "tone_error_rate",
    "uncertainty_coefficient",
    "weighted_phone_error_rate",
]


_NAMES = {
    "phonxling.core.learned_costs": "LearnedCosts",
    "phonxling.core.alignment": "Alignments",
    "phonxling.core.confusion": "ConfusionMatrix",
    "phonxling.core.corpus": "Corpus",
    "phonxling.core.costs": "CostTable",
    "phonxling.core.errors": "ConfigurationError DataError PhonxlingError",
    "phonxling.core.estimate": "Estimate",
    "phonxling.core.expected_alignment": "ExpectedAlignments",
    "phonxling.core.phonology.features": "FeatureTable",
    "phonxling.core.inventory": "GAP Inventory",
    "phonxling.core.joint": "JointDistribution",
    "phonxling.core.means": "PhoneMeans",
    "phonxling.core.posteriorgram": "Posteriorgrams",
    "phonxling.core.sequences": "PhoneSequences Transcript",
    "phonxling.core.stack": "ConfusionStack",
    "phonxling.count.confusions": "count_confusions count_operations stack_confusions",
    "phonxling.count.interval_confidence": "posterior_confidence",
    "phonxling.count.posteriors": "joint_distribution phone_means",
    "phonxling.experiment.api": (
        "align align_corpus align_expected feature_costs load_corpus load_posteriorgrams load_segments segment_ipa"
    ),
    "phonxling.compare.compare": "Comparison compare",
    "phonxling.experiment.cost_api": "learn_costs save_costs",
    "phonxling.analyses.tone.tier": "tone_confusions tone_error_rate",
    "phonxling.load.transcripts.build": "TranscriptBuilder",
    "phonxling.load.resources.features": "panphon_features",
    "phonxling.load.resources.user_features": "load_features",
    "phonxling.resample.bootstrap": "bootstrap",
    "phonxling.analyses.confidence.calibration": "brier_score calibrated_error expected_calibration_error",
    "phonxling.analyses.classes.errors": "class_confusions class_errors",
    "phonxling.analyses.confidence.nce": "binned_nce nist_nce",
    "phonxling.analyses.expected.cross_entropy": "confusion_cross_entropy",
    "phonxling.analyses.information.entropy": (
        "conditional_entropy confusion_entropy marginal_entropy perplexity uncertainty_coefficient"
    ),
    "phonxling.analyses.rates.error_rate": "operations phone_error_rate skill weighted_phone_error_rate",
    "phonxling.resample.estimators": "entropy",
    "phonxling.analyses.expected.confusions": "ExpectedConfusions expected_confusions",
    "phonxling.analyses.information.pointwise": "mutual_information npmi pmi",
    "phonxling.analyses.correspondence.one_to_one": "one_to_one one_to_one_accuracy",
    "phonxling.analyses.missed.parts": "error_parts",
    "phonxling.phones.natural_classes": "NaturalClasses natural_classes",
    "phonxling.analyses.posteriors.log_loss": "cross_entropy normalised_cross_entropy",
    "phonxling.analyses.confidence.reliability": "reliability_table",
    "phonxling.analyses.features.transfer": "feature_transfer",
    "phonxling.phones.normalise": "SymbolRules",
    "phonxling.analyses.map.faithfulness": "nearest_references",
    "phonxling.analyses.map.projection": "Projection project",
    "phonxling.report.transcript": "save_transcript",
}
_HOME = {name: module for module, names in _NAMES.items() for name in names.split()}


def __getattr__(name: str) -> object:
    if name not in _HOME:
        raise AttributeError(f"module 'phonxling' has no attribute {name!r}")
    return getattr(import_module(_HOME[name]), name)


def __dir__() -> list[str]:
    return list(__all__)


class _Package(ModuleType):
    """`align` and `compare` are functions for users, whatever folder of that name Python has imported meanwhile."""

    def __setattr__(self, name: str, value: object) -> None:
        if not (name in _HOME and isinstance(value, ModuleType)):
            super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Package

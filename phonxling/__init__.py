"""Phonetic cross-lingual error analysis: what a phone recogniser trained on one language hears in another.

Names are imported when they are first used, so that `phonxling --help` need not wait for numba and pandas.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from phonxling.core.alignment import Alignments
    from phonxling.core.confusion import ConfusionMatrix
    from phonxling.core.corpus import Corpus
    from phonxling.core.costs import CostTable
    from phonxling.core.errors import ConfigurationError, DataError, PhonxlingError
    from phonxling.core.estimate import Estimate
    from phonxling.core.expected_alignment import ExpectedAlignments
    from phonxling.core.features import FeatureTable
    from phonxling.core.inventory import GAP, Inventory
    from phonxling.core.joint import JointDistribution
    from phonxling.core.learned_costs import LearnedCosts
    from phonxling.core.means import PhoneMeans
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
    from phonxling.experiment.comparison.compare import Comparison, compare
    from phonxling.experiment.cost_api import learn_costs, save_costs
    from phonxling.experiment.tone import tone_confusions, tone_error_rate
    from phonxling.load.build import TranscriptBuilder
    from phonxling.load.features import panphon_features
    from phonxling.load.user_features import load_features
    from phonxling.measure.bootstrap import bootstrap
    from phonxling.measure.calibration import brier_score, calibrated_error, expected_calibration_error
    from phonxling.measure.class_errors import class_confusions, class_errors
    from phonxling.measure.confidence import binned_nce, nist_nce
    from phonxling.measure.cross_entropy import confusion_cross_entropy
    from phonxling.measure.entropy import (
        conditional_entropy,
        confusion_entropy,
        marginal_entropy,
        perplexity,
        uncertainty_coefficient,
    )
    from phonxling.measure.error_rate import operations, phone_error_rate, skill, weighted_phone_error_rate
    from phonxling.measure.estimators import entropy
    from phonxling.measure.expected import ExpectedConfusions, expected_confusions
    from phonxling.measure.information import mutual_information, npmi, pmi
    from phonxling.measure.log_loss import cross_entropy, normalised_cross_entropy
    from phonxling.measure.missed import error_parts
    from phonxling.measure.natural_classes import NaturalClasses, natural_classes
    from phonxling.measure.one_to_one import one_to_one, one_to_one_accuracy
    from phonxling.measure.reliability import reliability_table
    from phonxling.measure.transfer import feature_transfer
    from phonxling.normalise.phones import SymbolRules
    from phonxling.projection.faithfulness import nearest_references
    from phonxling.projection.projection import Projection, project
    from phonxling.report.transcript import save_transcript

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

__version__ = "0.1.0"

_NAMES = {
    "phonxling.core.learned_costs": "LearnedCosts",
    "phonxling.core.alignment": "Alignments",
    "phonxling.core.confusion": "ConfusionMatrix",
    "phonxling.core.corpus": "Corpus",
    "phonxling.core.costs": "CostTable",
    "phonxling.core.errors": "ConfigurationError DataError PhonxlingError",
    "phonxling.core.estimate": "Estimate",
    "phonxling.core.expected_alignment": "ExpectedAlignments",
    "phonxling.core.features": "FeatureTable",
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
    "phonxling.experiment.comparison.compare": "Comparison compare",
    "phonxling.experiment.cost_api": "learn_costs save_costs",
    "phonxling.experiment.tone": "tone_confusions tone_error_rate",
    "phonxling.load.build": "TranscriptBuilder",
    "phonxling.load.features": "panphon_features",
    "phonxling.load.user_features": "load_features",
    "phonxling.measure.bootstrap": "bootstrap",
    "phonxling.measure.calibration": "brier_score calibrated_error expected_calibration_error",
    "phonxling.measure.class_errors": "class_confusions class_errors",
    "phonxling.measure.confidence": "binned_nce nist_nce",
    "phonxling.measure.cross_entropy": "confusion_cross_entropy",
    "phonxling.measure.entropy": (
        "conditional_entropy confusion_entropy marginal_entropy perplexity uncertainty_coefficient"
    ),
    "phonxling.measure.error_rate": "operations phone_error_rate skill weighted_phone_error_rate",
    "phonxling.measure.estimators": "entropy",
    "phonxling.measure.expected": "ExpectedConfusions expected_confusions",
    "phonxling.measure.information": "mutual_information npmi pmi",
    "phonxling.measure.one_to_one": "one_to_one one_to_one_accuracy",
    "phonxling.measure.missed": "error_parts",
    "phonxling.measure.natural_classes": "NaturalClasses natural_classes",
    "phonxling.measure.log_loss": "cross_entropy normalised_cross_entropy",
    "phonxling.measure.reliability": "reliability_table",
    "phonxling.measure.transfer": "feature_transfer",
    "phonxling.normalise.phones": "SymbolRules",
    "phonxling.projection.faithfulness": "nearest_references",
    "phonxling.projection.projection": "Projection project",
    "phonxling.report.transcript": "save_transcript",
}
_HOME = {name: module for module, names in _NAMES.items() for name in names.split()}


def __getattr__(name: str) -> object:
    if name not in _HOME:
        raise AttributeError(f"module 'phonxling' has no attribute {name!r}")
    return getattr(import_module(_HOME[name]), name)


def __dir__() -> list[str]:
    return list(__all__)

"""Phonetic cross-lingual error analysis: what a phone recogniser trained on one language hears in another.

Names are imported when they are first used, so that `phonxling --help` need not wait for numba and pandas.
"""

from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING

from phonxling.version import __version__ as __version__

if TYPE_CHECKING:  # the one list of public names: type checkers read it as it stands, and `_modules` reads it as text
    from phonxling.analyses.classes import class_confusions as class_confusions, class_errors as class_errors
    from phonxling.analyses.calibration import (
        calibrated_error as calibrated_error,
        expected_calibration_error as expected_calibration_error,
        reliability_table as reliability_table,
    )
    from phonxling.analyses.calibration import binned_nce as binned_nce, nist_nce as nist_nce
    from phonxling.analyses.one_to_one import one_to_one as one_to_one, one_to_one_accuracy as one_to_one_accuracy
    from phonxling.analyses.expected_confusions import (
        ExpectedConfusions as ExpectedConfusions,
        confusion_cross_entropy as confusion_cross_entropy,
        expected_confusions as expected_confusions,
    )
    from phonxling.analyses.feature_transfer import feature_transfer as feature_transfer
    from phonxling.analyses.entropy import (
        conditional_entropy as conditional_entropy,
        confusion_entropy as confusion_entropy,
        marginal_entropy as marginal_entropy,
        perplexity as perplexity,
        uncertainty_coefficient as uncertainty_coefficient,
    )
    from phonxling.analyses.pointwise import mutual_information as mutual_information, npmi as npmi, pmi as pmi
    from phonxling.analyses.nearest import nearest_references as nearest_references
    from phonxling.analyses.projection import Projection as Projection, project as project
    from phonxling.analyses.missed import error_parts as error_parts
    from phonxling.analyses.error_rate import (
        operations as operations,
        phone_error_rate as phone_error_rate,
        skill as skill,
        weighted_phone_error_rate as weighted_phone_error_rate,
    )
    from phonxling.analyses.scoring_rules import (
        brier_score as brier_score,
        cross_entropy as cross_entropy,
        normalised_cross_entropy as normalised_cross_entropy,
    )
    from phonxling.analyses.tone import tone_confusions as tone_confusions, tone_error_rate as tone_error_rate
    from phonxling.comparison.compare import Comparison as Comparison, compare as compare
    from phonxling.comparison.plan import Plan as Plan, plan as plan
    from phonxling.core.alignment import Alignments as Alignments
    from phonxling.core.confusion import ConfusionMatrix as ConfusionMatrix
    from phonxling.core.corpus import Corpus as Corpus
    from phonxling.core.costs import CostTable as CostTable
    from phonxling.core.errors import (
        ConfigurationError as ConfigurationError,
        DataError as DataError,
        PhonxlingError as PhonxlingError,
    )
    from phonxling.core.estimate import Estimate as Estimate
    from phonxling.core.alignment import ExpectedAlignments as ExpectedAlignments
    from phonxling.core.inventory import GAP as GAP, Inventory as Inventory
    from phonxling.core.means import JointDistribution as JointDistribution
    from phonxling.core.costs import LearnedCosts as LearnedCosts
    from phonxling.core.means import PhoneMeans as PhoneMeans
    from phonxling.core.features import FeatureTable as FeatureTable
    from phonxling.core.posteriorgram import Posteriorgrams as Posteriorgrams
    from phonxling.core.sequences import PhoneSequences as PhoneSequences, Transcript as Transcript
    from phonxling.core.confusion import ConfusionStack as ConfusionStack
    from phonxling.count.confusions import (
        count_confusions as count_confusions,
        count_operations as count_operations,
        stack_confusions as stack_confusions,
    )
    from phonxling.count.posteriors import posterior_confidence as posterior_confidence
    from phonxling.count.posteriors import joint_distribution as joint_distribution, phone_means as phone_means
    from phonxling.decoding.decode import decode as decode
    from phonxling.experiment.aligning import (
        align as align,
        align_corpus as align_corpus,
        align_expected as align_expected,
        feature_costs as feature_costs,
        learn_costs as learn_costs,
        save_costs as save_costs,
    )
    from phonxling.experiment.loading import (
        load_corpus as load_corpus,
        load_posteriorgrams as load_posteriorgrams,
        load_segments as load_segments,
    )
    from phonxling.experiment.phone_errors import PhoneErrors as PhoneErrors
    from phonxling.experiment.phone_errors import PhoneErrorRates as PhoneErrorRates
    from phonxling.experiment.notebook import figure as figure
    from phonxling.experiment.notebook import Results as Results, load_results as load_results
    from phonxling.experiment.notebook import run as run
    from phonxling.experiment.notebook import score as score
    from phonxling.experiment.loading import segment_ipa as segment_ipa
    from phonxling.forced.learning import TiedPosteriors as TiedPosteriors, align_posteriors as align_posteriors
    from phonxling.forced.values import ForcedRules as ForcedRules
    from phonxling.load.features import panphon_features as panphon_features
    from phonxling.load.features import load_features as load_features
    from phonxling.load.building import TranscriptBuilder as TranscriptBuilder
    from phonxling.phones.natural_classes import NaturalClasses as NaturalClasses, natural_classes as natural_classes
    from phonxling.phones.rules import SymbolRules as SymbolRules
    from phonxling.report.transcript import save_transcript as save_transcript
    from phonxling.resample.replicates import bootstrap as bootstrap
    from phonxling.resample.estimators import entropy as entropy


@cache
def _modules() -> dict[str, str]:
    """Return the module of each public name, by the list above; only when a name is used, since it takes 10 ms."""
    ast, text = import_module("ast"), import_module("pathlib").Path(__file__).read_text(encoding="utf-8")
    statements = ast.parse(text).body
    (public,) = (statement.body for statement in statements if isinstance(statement, ast.If))
    imports = [statement for statement in public if isinstance(statement, ast.ImportFrom)]
    return {alias.name: str(statement.module) for statement in imports for alias in statement.names}


def __getattr__(name: str) -> object:
    if name == "__all__":
        return __dir__()
    if name not in _modules():
        raise AttributeError(f"module 'phonxling' has no attribute {name!r}")
    return getattr(import_module(_modules()[name]), name)


def __dir__() -> list[str]:
    return ["__version__", *_modules()]

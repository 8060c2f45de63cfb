"""Phonetic cross-lingual error analysis: which phones a recogniser of one language gets wrong in another.

- To score two files, or data in memory: `score`, which returns a `Score`. To see first whether they are sound: `check`.
- To run a whole experiment: `run`, which returns `Results`. To read them later: `load_results`. To draw: `figure`.
- To compare systems or languages: `compare`.
- To score while a model trains: `PhoneErrors`.
- To go step by step: `load_corpus`, `feature_costs`, `align_corpus`, `count_confusions`, and of the `ConfusionMatrix`
  `weighted_phone_error_rate`, `confusion_entropy`, `mutual_information`, with intervals by `jackknife`.
- To use posteriors: `load_posteriorgrams`, then `decode` for phones, `align_posteriors` for the times of gold phones,
  `load_segments` and `joint_distribution` for `pmi` and `npmi`, `phone_means` and `project` for a map.
- To set a target language beside the reference: `expected_confusions`, `feature_transfer`.

A number with its interval is an `Estimate`, which is a float. More functions are in the modules `estimators`, `files`
and `symbols`. What goes wrong is a `DataError` or a `ConfigurationError`, both a `PhonxlingError`. Names are imported
when they are first used.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Final

from phonxling.version import __version__ as __version__

if TYPE_CHECKING:  # what type checkers see; a test holds it against the table below
    from phonxling import estimators as estimators, files as files, symbols as symbols
    from phonxling.alignment.confusions import count_confusions as count_confusions
    from phonxling.analyses.association import mutual_information as mutual_information, npmi as npmi, pmi as pmi
    from phonxling.analyses.calibration import (
        nist_nce as nist_nce,
        normalised_cross_entropy as normalised_cross_entropy,
    )
    from phonxling.analyses.costs import (
        phone_error_rate as phone_error_rate,
        weighted_phone_error_rate as weighted_phone_error_rate,
    )
    from phonxling.analyses.expected import expected_confusions as expected_confusions
    from phonxling.analyses.features import feature_transfer as feature_transfer
    from phonxling.analyses.map import project as project
    from phonxling.analyses.statistics import (
        conditional_entropy as conditional_entropy,
        confusion_entropy as confusion_entropy,
    )
    from phonxling.comparison.compare import compare as compare
    from phonxling.core.confusion import ConfusionMatrix as ConfusionMatrix
    from phonxling.core.errors import (
        ConfigurationError as ConfigurationError,
        DataError as DataError,
        PhonxlingError as PhonxlingError,
    )
    from phonxling.core.estimate import Estimate as Estimate
    from phonxling.core.inventory import Inventory as Inventory
    from phonxling.core.posteriorgram import JointDistribution as JointDistribution
    from phonxling.core.sequences import Corpus as Corpus
    from phonxling.experiment.notebook import check as check, run as run, score as score
    from phonxling.experiment.phone_errors import PhoneErrors as PhoneErrors
    from phonxling.experiment.scoring import Score as Score
    from phonxling.experiment.single import align as align, align_corpus as align_corpus, feature_costs as feature_costs
    from phonxling.experiment.single import load_corpus as load_corpus, load_posteriorgrams as load_posteriorgrams
    from phonxling.experiment.single import load_segments as load_segments
    from phonxling.experiment.results import Results as Results, figure as figure, load_results as load_results
    from phonxling.posteriors.decode import decode as decode
    from phonxling.posteriors.forced_learning import align_posteriors as align_posteriors
    from phonxling.posteriors.joint import joint_distribution as joint_distribution, phone_means as phone_means
    from phonxling.stats.jackknife import jackknife as jackknife


# Where each public name is; imported at its first use, so that `import phonxling` takes no time.
_PLACES: Final = {
    "alignment.confusions": "count_confusions",
    "analyses.association": "mutual_information npmi pmi",
    "analyses.calibration": "nist_nce normalised_cross_entropy",
    "analyses.costs": "phone_error_rate weighted_phone_error_rate",
    "analyses.expected": "expected_confusions",
    "analyses.features": "feature_transfer",
    "analyses.map": "project",
    "analyses.statistics": "conditional_entropy confusion_entropy",
    "comparison.compare": "compare",
    "core.confusion": "ConfusionMatrix",
    "core.errors": "ConfigurationError DataError PhonxlingError",
    "core.estimate": "Estimate",
    "core.inventory": "Inventory",
    "core.posteriorgram": "JointDistribution",
    "core.sequences": "Corpus",
    "experiment.notebook": "check run score",
    "experiment.phone_errors": "PhoneErrors",
    "experiment.scoring": "Score",
    "experiment.single": "align align_corpus feature_costs load_corpus load_posteriorgrams load_segments",
    "experiment.results": "Results figure load_results",
    "posteriors.decode": "decode",
    "posteriors.forced_learning": "align_posteriors",
    "posteriors.joint": "joint_distribution phone_means",
    "stats.jackknife": "jackknife",
}
_NAMES: Final = {name: f"phonxling.{module}" for module, names in _PLACES.items() for name in names.split()}
_MODULES: Final = ("estimators", "files", "symbols")


# A module's own __getattr__: https://peps.python.org/pep-0562/
def __getattr__(name: str) -> object:
    if name == "__all__":
        return ["__version__", *_NAMES]
    if name in _NAMES:
        return getattr(import_module(_NAMES[name]), name)
    if name in _MODULES:
        return import_module(f"{__name__}.{name}")
    if not name.startswith("_"):
        for module in _MODULES:
            if hasattr(import_module(f"{__name__}.{module}"), name):
                raise AttributeError(f"{__name__}.{name} is {__name__}.{module}.{name}")
    raise AttributeError(f"{__name__} has no name {name!r}")


def __dir__() -> list[str]:
    return ["__version__", *_NAMES, *_MODULES]

"""Phonetic cross-lingual error analysis: which phones a recogniser of one language gets wrong in another.

- To score two files, or data in memory: `score`. To see first whether they are sound: `check`.
- To run a whole experiment: `run`. To read its tables: `load_results`. To draw one figure at your size: `figure`.
- To compare systems or languages: `compare`.
- To score while a model trains: `PhoneErrors`.
- To go step by step: `load_corpus`, `feature_costs`, `align_corpus`, `count_confusions`, and of the `ConfusionMatrix`
  `weighted_phone_error_rate`, `confusion_entropy`, `mutual_information`, with intervals by `bootstrap`.
- To use posteriors: `load_posteriorgrams`, then `decode` for phones, `align_posteriors` for the times of gold phones,
  `load_segments` and `joint_distribution` for `pmi` and `npmi`, `phone_means` and `project` for a map.
- To set a target language beside the reference: `expected_confusions`, `feature_transfer`.

More functions are in the modules `calibration`, `costs`, `estimators`, `files`, `measures`, `posteriors` and `symbols`;
the types that functions return are in `values`. What goes wrong is a `DataError` or a `ConfigurationError`, both a
`PhonxlingError`. Names are imported when they are first used.
"""

from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING

from phonxling.version import __version__ as __version__

if TYPE_CHECKING:  # the one list of public names: type checkers read it as it stands, and `_modules` reads it as text
    from phonxling.analyses.calibration import nist_nce as nist_nce
    from phonxling.analyses.entropy import (
        conditional_entropy as conditional_entropy,
        confusion_entropy as confusion_entropy,
        mutual_information as mutual_information,
        npmi as npmi,
        pmi as pmi,
    )
    from phonxling.analyses.error_rate import (
        phone_error_rate as phone_error_rate,
        weighted_phone_error_rate as weighted_phone_error_rate,
    )
    from phonxling.analyses.expected_confusions import expected_confusions as expected_confusions
    from phonxling.analyses.features import feature_transfer as feature_transfer
    from phonxling.analyses.projection import project as project
    from phonxling.analyses.calibration import normalised_cross_entropy as normalised_cross_entropy
    from phonxling.comparison.compare import compare as compare
    from phonxling.core.confusion import ConfusionMatrix as ConfusionMatrix
    from phonxling.core.sequences import Corpus as Corpus
    from phonxling.core.errors import (
        ConfigurationError as ConfigurationError,
        DataError as DataError,
        PhonxlingError as PhonxlingError,
    )
    from phonxling.core.inventory import Inventory as Inventory
    from phonxling.core.posteriorgram import JointDistribution as JointDistribution
    from phonxling.count.confusions import count_confusions as count_confusions, stack_confusions as stack_confusions
    from phonxling.count.posteriors import joint_distribution as joint_distribution, phone_means as phone_means
    from phonxling.decoding.decode import decode as decode
    from phonxling.experiment.single import (
        align as align,
        align_corpus as align_corpus,
        feature_costs as feature_costs,
    )
    from phonxling.experiment.single import (
        load_corpus as load_corpus,
        load_posteriorgrams as load_posteriorgrams,
        load_segments as load_segments,
    )
    from phonxling.experiment.notebook import (
        check as check,
        figure as figure,
        load_results as load_results,
        run as run,
        score as score,
    )
    from phonxling.experiment.phone_errors import PhoneErrors as PhoneErrors
    from phonxling.forced.learning import align_posteriors as align_posteriors
    from phonxling.resample.replicates import bootstrap as bootstrap
    from phonxling import (
        calibration as calibration,
        costs as costs,
        estimators as estimators,
        files as files,
        measures as measures,
        posteriors as posteriors,
        symbols as symbols,
        values as values,
    )


@cache
def _modules() -> dict[str, str]:
    """Return the module of each public name, by the list above; only when a name is used, since it takes 10 ms."""
    ast, text = import_module("ast"), import_module("pathlib").Path(__file__).read_text(encoding="utf-8")
    (public,) = (statement.body for statement in ast.parse(text).body if isinstance(statement, ast.If))
    return {
        alias.name: f"{each.module}.{alias.name}" if each.module == __name__ else str(each.module)
        for each in public
        for alias in each.names
    }


def __getattr__(name: str) -> object:
    if name == "__all__":
        return [each for each in __dir__() if _modules().get(each) != f"{__name__}.{each}"]
    if name not in _modules():
        places = (module for module in _modules().values() if module.count(".") == 1)
        place = next((one for one in places if name in vars(import_module(one))), "") if name[0] != "_" else ""
        raise AttributeError(f"{__name__}.{name} is {place}.{name}" if place else f"{__name__} has no name {name!r}")
    module = import_module(_modules()[name])
    return module if _modules()[name] == f"{__name__}.{name}" else getattr(module, name)


def __dir__() -> list[str]:
    return ["__version__", *_modules()]

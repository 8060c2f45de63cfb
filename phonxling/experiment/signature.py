"""The line that fixes how a number came about, to be quoted beside it."""

from phonxling import __version__
from phonxling.alignment.costs import is_feature_cost
from phonxling.core.costs import CostTable
from phonxling.experiment.configuration.models import Experiment
from phonxling.experiment.corpora import LoadedCorpus
from phonxling.experiment.feature_table import features_of


def signature(experiment: Experiment, loaded: LoadedCorpus, costs: CostTable, scoring: CostTable | None = None) -> str:
    """Return `key:value|…` for numbers of one corpus under these costs.

    `feat` is a hash of the feature table; `ins` and `del` the gap costs; `score` the scoring costs where they differ;
    `tau` the temperature of expected alignment. Without scoring costs the numbers are of a best alignment.
    """
    parts = {
        "costs": costs.name,
        **({"feat": features_of(experiment).digest[:4]} if is_feature_cost(costs.name) else {}),
        "ins": _gap(costs, insertion=True),
        "del": _gap(costs, insertion=False),
        **(_method(experiment.alignment.averaged_at) if scoring is not None else {"align": "viterbi"}),
        "ties": costs.ties,
        **(_scored(scoring) if scoring is not None and scoring is not costs else {}),
        **loaded.symbols,
        "gaps": experiment.entropy.gaps,
        "support": experiment.entropy.support,
        "boot": str(experiment.uncertainty.resamples),
        "cluster": experiment.uncertainty.cluster,
        "seed": str(experiment.seed),
        "v": __version__,
    }
    return "|".join(f"{key}:{value}" for key, value in parts.items())


def posterior_signature(experiment: Experiment, loaded: LoadedCorpus) -> str:
    """Return the signature of numbers from one corpus' posteriors and of the phone map."""
    parts = {
        **loaded.symbols,
        "unit": experiment.information.unit,
        "perm": str(experiment.information.permutations),
        "map": f"{experiment.embedding.method}/{experiment.embedding.n_neighbors}/{experiment.embedding.batches}",
        "seed": str(experiment.seed),
        "v": __version__,
    }
    return "|".join(f"{key}:{value}" for key, value in parts.items())


def _method(temperature: float | None) -> dict[str, str]:
    return {"align": "viterbi"} if temperature is None else {"align": "expected", "tau": f"{temperature:.15g}"}


def _scored(scoring: CostTable) -> dict[str, str]:
    return {"score": f"{scoring.name}/{_gap(scoring, insertion=True)}/{_gap(scoring, insertion=False)}"}


def _gap(costs: CostTable, *, insertion: bool) -> str:
    values = costs.insertion if insertion else costs.deletion
    return f"{values[0] / costs.denominator:g}" if len(values) else "-"

"""The line that fixes how a number came about, to be quoted beside it."""

import hashlib
from pathlib import Path

from phonxling.alignment.costs import is_feature_cost
from phonxling.alignment.learned import LEARNED
from phonxling.analyses.loaded import LoadedCorpus, RecogniserInventory, features_of, forced_rules
from phonxling.core.costs import CostTable
from phonxling.core.files import digest
from phonxling.core.inventory import Inventory
from phonxling.load.resources import load_cost_table
from phonxling.load.urls import local
from phonxling.resample.weights import Resampling
from phonxling.settings.models import Experiment
from phonxling.version import __version__


def signature(experiment: Experiment, loaded: LoadedCorpus, costs: CostTable, scoring: CostTable | None = None) -> str:
    """Return `key:value|…` for numbers of one corpus under these costs."""
    names = {costs.name, scoring.name if scoring is not None else costs.name}
    parts = {
        "costs": costs.name,
        **({"feat": features_of(experiment).digest[:4]} if _uses_features(names, experiment) else {}),
        **({"tonew": f"{experiment.alignment.tone_weight:g}"} if "panphon-weighted" in names else {}),
        **({"learn": _learning(experiment)} if LEARNED in names else {}),
        "ins": _gap(costs, insertion=True),
        "del": _gap(costs, insertion=False),
        **({"rounded": f"1/{costs.denominator}"} if costs.note else {}),
        **(_method(experiment) if scoring is not None else {"align": "viterbi"}),
        "ties": costs.ties,
        **(_scored(scoring) if scoring is not None and scoring is not costs else {}),
        **loaded.symbols,
        **({"predicted": f"decoded-{loaded.decoder}"} if loaded.decoder else {}),
        "gaps": experiment.entropy.gaps,
        "support": experiment.entropy.support,
        **({} if loaded.inventory is None else {"inventory": _inventory(loaded.inventory)}),
        **_same(experiment),
        "boot": str(experiment.uncertainty.resamples),
        **({} if experiment.uncertainty.method == "auto" else {"ci": experiment.uncertainty.method}),
        "cluster": _drawn(experiment, loaded),
        "seed": str(experiment.seed),
        "v": __version__,
    }
    return "|".join(f"{key}:{value}" for key, value in parts.items())


def posterior_signature(experiment: Experiment, loaded: LoadedCorpus) -> str:
    """Return the signature of numbers from one corpus' posteriors and of the phone map."""
    chosen = experiment.embedding
    parts = {
        **loaded.symbols,
        **(_forced(experiment) if loaded.forced else {}),
        "unit": experiment.information.unit,
        "perm": str(experiment.information.permutations),
        "map": f"{chosen.method}/{chosen.metric}/{chosen.n_neighbors}/{chosen.batches}",
        "seed": str(experiment.seed),
        "v": __version__,
    }
    return "|".join(f"{key}:{value}" for key, value in parts.items())


def with_inventory(line: str, inventory: RecogniserInventory) -> str:
    """Return the signature of numbers that the declared phones of a recogniser move; "" where none are declared."""
    return _marked(line, inventory=_inventory(inventory.phones)) if inventory.declared else ""


def _inventory(declared: Inventory) -> str:
    return f"{len(declared)}/{hashlib.sha256(' '.join(sorted(declared)).encode()).hexdigest()[:8]}"


def _same(experiment: Experiment) -> dict[str, str]:
    """Return which reference phones count as the same, unless by symbol."""
    chosen = experiment.expected
    if isinstance(chosen.common, Path):
        return {"same": f"table/{hashlib.sha256(chosen.common.read_bytes()).hexdigest()[:8]}"}
    return {} if chosen.common == "exact" else {"same": f"features/{chosen.distance:g}"}


def _method(experiment: Experiment) -> dict[str, str]:
    method, temperature = experiment.alignment.method, experiment.alignment.averaged_at
    tau = {} if temperature is None else {"tau": f"{temperature:.15g}"}
    return {"align": method, **tau, **(_forced(experiment) if method == "posterior" else {})}


def _forced(experiment: Experiment) -> dict[str, str]:
    """Return that times come from the posteriors, and how: weights of frames, least certainty, folds, and the rules."""
    chosen = experiment.forced
    rules = ",".join(f"{name}={value}" for name, value in forced_rules(chosen).signature().items())
    own = {"weights": chosen.weights, "certain": f"{chosen.minimum_certainty:g}", "folds": str(chosen.folds)}
    return {"times": "forced", **own, "force": rules}


def _drawn(experiment: Experiment, loaded: LoadedCorpus) -> str:
    """Return what is drawn together: utterances too where speakers are asked for and not known."""
    known = loaded.corpus is not None and loaded.corpus.speakers is not None
    return experiment.uncertainty.cluster if known else "utterance"


def _scored(scoring: CostTable) -> dict[str, str]:
    rounded = f"/rounded 1/{scoring.denominator}" if scoring.note else ""
    return {"score": f"{scoring.name}/{_gap(scoring, insertion=True)}/{_gap(scoring, insertion=False)}{rounded}"}


def _uses_features(names: set[str], experiment: Experiment) -> bool:
    started = {str(experiment.learning.start)} if LEARNED in names else set()
    return any(is_feature_cost(name) for name in names | started)


def _learning(experiment: Experiment) -> str:
    learning = experiment.learning
    start = learning.start
    named = f"table/{load_cost_table(start).digest[:8]}" if isinstance(start, Path) else start
    return f"{named},{learning.rounds},{learning.smoothing:g},cross-fitted"


def _gap(costs: CostTable, *, insertion: bool) -> str:
    values = costs.insertion if insertion else costs.deletion
    name = costs.insertion_name if insertion else costs.deletion_name
    return name or f"{values[0] / costs.denominator:g}" if len(values) else "-"


def beside_forced(line: str, reference: LoadedCorpus | None) -> str:
    """Return the signature of numbers that rest on a reference's posteriors, too, whose times may be forced ones."""
    return _marked(line, reference_times="forced") if reference is not None and reference.forced else line


def confidence_signature(experiment: Experiment, loaded: LoadedCorpus, costs: CostTable) -> str:
    """Return the signature of numbers from confidences, which depend on bins."""
    return _marked(signature(experiment, loaded, costs), bins=str(experiment.confidence.bins))


def boundary_signature(experiment: Experiment, loaded: LoadedCorpus, costs: CostTable) -> str:
    """Return the signature of numbers of boundaries, which depend on how far apart two may be that meet."""
    return _marked(signature(experiment, loaded, costs), tolerance=f"{experiment.boundaries.tolerance:g}")


def quality_signature(experiment: Experiment, loaded: LoadedCorpus, resampling: Resampling) -> str:
    """Return the signature of numbers on how good posteriors are."""
    chosen, table = experiment.confidence, local(experiment.confidence.map)
    named = {} if table is None else {"same": f"{table.name}/{digest(table)[:8]}"}
    return _marked(
        posterior_signature(experiment, loaded),
        floor=f"{chosen.floor:g}",
        **named,
        boot=str(resampling.replicates),
        cluster=resampling.unit,
    )


def _marked(line: str, **parts: str) -> str:
    """Return a signature with further parts before its version; a part that it has already stays as it is."""
    head, version = line.rsplit("|", 1)
    new = [f"{key}:{value}" for key, value in parts.items() if f"|{key}:" not in head]
    return "|".join([head, *new, version])

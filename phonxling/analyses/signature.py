"""The line that fixes how a number came about, `key:value|…`, to be quoted beside it."""

import hashlib
from collections.abc import Callable
from pathlib import Path

from phonxling.alignment.costs import cost_table, is_feature_cost
from phonxling.alignment.learned import LEARNED
from phonxling.analyses.case import Case
from phonxling.analyses.loaded import LoadedCorpus, RecogniserInventory, features_of, forced_rules
from phonxling.core.costs import CostTable
from phonxling.core.files import digest
from phonxling.core.inventory import Inventory
from phonxling.load.resources import load_cost_table
from phonxling.load.urls import local
from phonxling.settings.models import Embedding, Experiment
from phonxling.version import __version__


def of_costs(case: Case) -> str:
    return signature(case.experiment, case.loaded, case.counted.costs, case.counted.scoring)


def of_people(case: Case) -> str:
    """Return the signature of numbers of a second transcriber, whose symbols it names; without one, of the costs."""
    line, file = of_costs(case), case.experiment.corpora[case.name].gold_second
    return line if file is None else _marked(line, second="+".join(Path(name).name for name in file.symbol_names))


def of_best_alignment(costs: str) -> Callable[[Case], str]:
    """Return what gives the signature of numbers of the best alignments under costs of this name."""

    def line(case: Case) -> str:
        corpus = case.counted.corpus
        table = cost_table(costs, corpus.gold_inventory, corpus.predicted_inventory, case.all_features)
        return signature(case.experiment, case.loaded, table)

    return line


def of_boundaries(case: Case) -> str:
    """Return the signature of numbers of boundaries, which depend on how far apart two may be that meet."""
    line = signature(case.experiment, case.loaded, case.counted.costs)
    return _marked(line, tolerance=f"{case.experiment.boundaries.tolerance:g}")


def of_confidence(case: Case) -> str:
    """Return the signature of numbers from confidences, which depend on bins."""
    line = signature(case.experiment, case.loaded, case.counted.costs)
    return _marked(line, bins=str(case.experiment.confidence.bins))


def of_posteriors(case: Case, **further: str) -> str:
    """Return the signature of numbers from one corpus' posteriors, maybe beside the reference's, and of the map."""
    chosen, loaded, association = case.experiment.embedding, case.loaded, case.experiment.information
    parts = {
        **loaded.symbols,
        **(_forced(case.experiment) if loaded.forced else {}),
        "unit": association.unit,
        "perm": str(association.permutations),
        "map": "/".join(
            [f"{chosen.method}/{chosen.metric}/{chosen.n_neighbors}/{chosen.batches}", *map_choices(chosen)]
        ),
        "seed": str(case.experiment.seed),
        "v": __version__,
    }
    if case.reference is not None and case.reference.loaded.forced:
        further["reference_times"] = "forced"
    return _marked(_line(parts), **further)


def map_choices(chosen: Embedding) -> list[str]:
    """Return what a map does otherwise than by default: its own fit, correct tokens, first peaks."""
    return [
        choice for choice in (chosen.fit, chosen.tokens, chosen.frames) if choice not in {"reference", "all", "mean"}
    ]


def of_quality(case: Case) -> str:
    chosen, table, drawn = case.experiment.confidence, local(case.experiment.confidence.map), case.token_resampling
    named = {} if table is None else {"same": f"{table.name}/{digest(table)[:8]}"}
    return of_posteriors(case, floor=f"{chosen.floor:g}", **named, boot=str(drawn.replicates), cluster=drawn.unit)


def with_inventory(line: str, inventory: RecogniserInventory) -> str:
    """Return the signature of numbers that the declared phones of a recogniser move; "" where none are declared."""
    return _marked(line, inventory=_inventory(inventory.phones)) if inventory.declared else ""


def signature(experiment: Experiment, loaded: LoadedCorpus, costs: CostTable, scoring: CostTable | None = None) -> str:
    """Return the signature of numbers of one corpus under these costs; without scoring costs of best alignments."""
    names = {costs.name, costs.name if scoring is None else scoring.name}
    method, expected = experiment.alignment, experiment.expected
    parts = {"costs": costs.name, **_sources(names, experiment)}
    parts["ins"], parts["del"] = _gaps(costs)
    if costs.note:
        parts["rounded"] = f"1/{costs.denominator}"
    parts["align"] = "viterbi" if scoring is None else method.method
    if scoring is not None and method.averaged_at is not None:
        parts["tau"] = f"{method.averaged_at:.15g}"
    if scoring is not None and method.method == "posterior":
        parts |= _forced(experiment)
    parts["ties"] = costs.ties
    if scoring is not None and scoring is not costs:
        rounded = f"/rounded 1/{scoring.denominator}" if scoring.note else ""
        parts["score"] = "/".join([scoring.name, *_gaps(scoring)]) + rounded
    parts |= loaded.symbols
    if loaded.decoder:
        parts["predicted"] = f"decoded-{loaded.decoder}"
    parts |= {"gaps": experiment.entropy.gaps, "support": experiment.entropy.support}
    if loaded.inventory is not None:
        parts["inventory"] = _inventory(loaded.inventory)
    if isinstance(expected.common, Path):
        parts["same"] = f"table/{hashlib.sha256(expected.common.read_bytes()).hexdigest()[:8]}"
    elif expected.common != "exact":
        parts["same"] = f"features/{expected.distance:g}"
    uncertain, speakers_known = experiment.uncertainty, loaded.corpus is not None and loaded.corpus.speakers is not None
    parts |= {
        "boot": str(uncertain.resamples),
        **({} if uncertain.method == "auto" else {"ci": uncertain.method}),
        "cluster": uncertain.cluster if speakers_known else "utterance",
        **({"prompts": uncertain.prompts} if uncertain.prompts == "drawn" else {}),
        "seed": str(experiment.seed),
        "v": __version__,
    }
    return _line(parts)


def _sources(names: set[str], experiment: Experiment) -> dict[str, str]:
    """Return what costs of these names come from: features, the weight of tone, and how they were learned."""
    parts, learning = dict[str, str](), experiment.learning
    if any(map(is_feature_cost, names | ({str(learning.start)} if LEARNED in names else set()))):
        parts["feat"] = features_of(experiment).digest[:4]
    if "panphon-weighted" in names:
        parts["tonew"] = f"{experiment.alignment.tone_weight:g}"
    if LEARNED in names:
        start = learning.start
        named = f"table/{load_cost_table(start).digest[:8]}" if isinstance(start, Path) else start
        parts["learn"] = f"{named},{learning.rounds},{learning.smoothing:g},cross-fitted"
    return parts


def _gaps(costs: CostTable) -> list[str]:
    """Return the costs of an insertion and of a deletion, by their name where phones differ."""
    sides = (costs.insertion, costs.insertion_name), (costs.deletion, costs.deletion_name)
    return [name or f"{values[0] / costs.denominator:g}" if len(values) else "-" for values, name in sides]


def _inventory(declared: Inventory) -> str:
    return f"{len(declared)}/{hashlib.sha256(' '.join(sorted(declared)).encode()).hexdigest()[:8]}"


def _forced(experiment: Experiment) -> dict[str, str]:
    """Return that times come from the posteriors, and how: weights of frames, least certainty, folds, and the rules."""
    chosen = experiment.forced
    rules = ",".join(f"{name}={value}" for name, value in forced_rules(chosen).signature().items())
    own = {"weights": chosen.weights, "certain": f"{chosen.minimum_certainty:g}", "folds": str(chosen.folds)}
    return {"times": "forced", **own, "force": rules}


def _line(parts: dict[str, str]) -> str:
    return "|".join(f"{key}:{value}" for key, value in parts.items())


def _marked(line: str, **parts: str) -> str:
    """Return a signature with further parts before its version; a part that it has already stays as it is."""
    head, version = line.rsplit("|", 1)
    new = [f"{key}:{value}" for key, value in parts.items() if f"|{key}:" not in head]
    return "|".join([head, *new, version])

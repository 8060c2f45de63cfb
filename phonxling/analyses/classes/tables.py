"""classes.tsv, class_confusions.tsv and feature_classes.tsv: errors by natural class."""

from collections.abc import Iterator

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from phonxling.analyses.case.analysed import AnalysedCorpus
from phonxling.analyses.case.features import features_of
from phonxling.analyses.classes.errors import class_confusions, class_errors, of_gold, ratio
from phonxling.analyses.features.errors import feature_errors
from phonxling.core.arrays import divided, whole
from phonxling.core.errors import ConfigurationError, join_problems
from phonxling.core.inventory import GAP
from phonxling.core.phonology.features import FeatureTable
from phonxling.phones.natural_classes import NaturalClasses, natural_classes
from phonxling.resample.bootstrap import estimate, replicate_values
from phonxling.settings.models import Experiment

Floats = NDArray[np.float64]
_COUNTS = ("tokens", "correct", "within", "between", "deleted", "inserted")
_NONE = "no gold phone of the corpus is in this class"


def check_classes(experiment: Experiment) -> None:
    """Raise ConfigurationError when a class of the configuration asks for features that the feature table lacks."""
    problems = []
    for name, query in experiment.classes.items():
        try:
            natural_classes((), features_of(experiment), {name: query})
        except ValueError as error:
            problems.append(f"{experiment.where(f'classes.{name}')}: classes.{name}: {error}")
    if problems:
        raise ConfigurationError(join_problems("natural classes that the features cannot tell:", problems))


def class_tables(analysis: AnalysedCorpus, experiment: Experiment) -> Iterator[tuple[str, pd.DataFrame]]:
    """Yield the tables by natural class; those of a corpus without any class (no features) are left out."""
    table, matrix = features_of(experiment), analysis.matrix
    phones = list(dict.fromkeys([*matrix.gold, *matrix.predicted]))
    classes = natural_classes(phones, table, experiment.classes)
    if not classes.names:
        return
    yield "classes", _rates(analysis, classes)
    if classes.default:
        yield "class_confusions", _confusions(analysis, classes)
    yield "feature_classes", _features(analysis, classes, table)


def _rates(analysis: AnalysedCorpus, classes: NaturalClasses) -> pd.DataFrame:
    """Return classes.tsv: default classes that have phones, then the user's; intervals by resampling."""
    matrix, costs = analysis.matrix, analysis.cell_costs if analysis.scoring.as_rate else None
    found = class_errors(matrix, classes, costs)
    kind = ["default"] * classes.default + ["user"] * (len(classes.names) - classes.default)
    gold = classes.of(matrix.gold)
    intervals = _intervals(analysis, gold, found, costs)
    table = pd.DataFrame(
        {
            "kind": kind,
            **{name: whole(found[name].to_numpy()) for name in _COUNTS[:2]},
            "accuracy": found["accuracy"],
            "accuracy_low": intervals[0],
            "accuracy_high": intervals[1],
            "deletion_rate": found["deletion_rate"],
            "wper": found["wper"],
            "wper_low": intervals[2],
            "wper_high": intervals[3],
            "share_of_wper": found["share_of_wper"],
            **{name: whole(found[name].to_numpy()) for name in _COUNTS[2:]},
            "members": [" ".join(np.array(matrix.gold.phones, dtype=object)[row]) for row in gold],
            "note": _notes(classes, gold, intervals[4]),
        },
        index=found.index,
    )
    spoken = classes.members.any(axis=1) | (np.arange(len(classes.names)) >= classes.default)
    return table[spoken].reset_index()


def _intervals(
    analysis: AnalysedCorpus, gold: NDArray[np.bool_], found: pd.DataFrame, costs: Floats | None
) -> tuple[list[float], list[float], list[float], list[float], list[str]]:
    """Return the limits of accuracy and of wper by class, and what is to be said of them."""
    same, paid = np.pad(analysis.matrix.same_symbol(), ((0, 0), (0, 1))), 0.0 if costs is None else costs[:-1]

    def sums(counts: Floats) -> Floats:
        of_phone = [counts[:-1], np.where(same, counts[:-1], 0.0), counts[:-1] * paid]
        return np.stack([gold @ part.sum(axis=1) for part in of_phone])

    drawn = replicate_values(analysis.stack, analysis.resampling, sums).reshape(-1, 3, len(gold))
    rates = [
        [
            estimate(value, ratio(part, below), analysis.resampling)
            for value, part, below in zip(values, parts.T, drawn[:, 0].T, strict=True)
        ]
        for values, parts in ((found["accuracy"], drawn[:, 1]), (found["wper"], drawn[:, 2]))
    ]
    notes = [f"accuracy: {first.note}" * bool(first.note) for first in rates[0]]
    accuracy, wper = rates
    return (
        [one.low for one in accuracy],
        [one.high for one in accuracy],
        [one.low for one in wper],
        [one.high for one in wper],
        notes,
    )


def _notes(classes: NaturalClasses, gold: NDArray[np.bool_], intervals: list[str]) -> list[str]:
    notes = []
    for number, (row, interval) in enumerate(zip(gold, intervals, strict=True)):
        shared = classes.overlaps(number) if number >= classes.default else []
        said = [_NONE] * (not row.any()) + [f"shares phones with {', '.join(shared)}"] * bool(shared)
        notes.append("; ".join(filter(None, [*said, interval])))
    return notes


def _confusions(analysis: AnalysedCorpus, classes: NaturalClasses) -> pd.DataFrame:
    """Return class_confusions.tsv: every pair of default classes, ∅ last; shares as in confusions.tsv."""
    matrix = class_confusions(analysis.matrix, classes)
    gold, predicted = [*matrix.gold, GAP], [*matrix.predicted, GAP]
    kept = matrix.counts[:, :-1].sum(axis=1, keepdims=True)
    shares = np.full(matrix.counts.shape, np.nan)
    shares[:-1, :-1] = divided(matrix.substitutions, kept[:-1])
    shares[:-1, -1] = divided(matrix.deletions, matrix.tokens)
    shares[-1, :-1] = divided(matrix.insertions, kept[-1])
    cells = {"count": whole(matrix.counts).ravel(), "p_predicted_given_gold": shares.ravel()}
    labels = {"gold": np.repeat(np.array(gold, dtype=object), len(predicted)), "predicted": predicted * len(gold)}
    return pd.DataFrame({**labels, **cells}).iloc[:-1]


def _features(analysis: AnalysedCorpus, classes: NaturalClasses, table: FeatureTable) -> pd.DataFrame:
    """Return feature_classes.tsv: what features.tsv says of all errors, for the gold phones of each class that errs."""
    gold, parts = classes.of(analysis.matrix.gold), []
    for number, (name, members) in enumerate(zip(classes.names, gold, strict=True)):
        errors = feature_errors(of_gold(analysis.matrix, members), table).reset_index()
        if errors["substitutions"].any():
            errors.insert(0, "class", name)
            errors.insert(1, "kind", "default" if number < classes.default else "user")
            parts.append(errors)
    moves = ["changed", "plus_to_minus", "minus_to_plus", "from_zero", "to_zero"]
    columns = ["class", "kind", "feature", *moves, "substitutions"]
    return pd.concat(parts)[columns] if parts else pd.DataFrame(columns=columns)

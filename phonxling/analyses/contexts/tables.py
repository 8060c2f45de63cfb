"""Context in the results, on request: contexts.tsv, and the information that contexts add in the summary."""

import math
import zlib
from collections.abc import Callable, Iterator

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from phonxling.analyses.case.analysed import AnalysedCorpus
from phonxling.analyses.contexts.counting import (
    ContextCounts,
    Contexts,
    count_contexts,
    joined,
    neighbours,
    positions,
)
from phonxling.analyses.contexts.information import added_information, permuted_added_information
from phonxling.analyses.information.entropy import conditional_entropy
from phonxling.analyses.insertions.tables import ONE_PATH
from phonxling.analyses.rows import Row, interval_of, row_of
from phonxling.analyses.tables import share
from phonxling.core.alignment import Alignments
from phonxling.core.confusion import ConfusionMatrix
from phonxling.core.inventory import GAP
from phonxling.phones.natural_classes import NaturalClasses
from phonxling.resample.bootstrap import estimate, replicate_values
from phonxling.settings.models import Experiment

Floats = NDArray[np.float64]
Codes = NDArray[np.int64]
_MEASURES = ("conditional_entropy_given_context", "context_information", "context_information_excess")
_HIGH = "too high where contexts make small cells: compare the excess over the null"
_UNTOLD = "the feature table tells no classes of these symbols"
_LOW = "a cautious estimate, too low where context matters"


def wanted_contexts(aligned: Alignments, experiment: Experiment, classes: NaturalClasses) -> dict[str, Contexts]:
    """Return the contexts that the configuration asks for, by kind: left, right, both, position.

    `both` is there when both neighbours are asked for as classes; pairs of phones would be too many for any count.
    Classes are the default ones; where the feature table tells none, contexts by class are left out.
    """
    asked = experiment.context
    kinds: dict[str, Callable[[str], str]] = {"class": classes.default_of, "phone": str}
    told = kinds if classes.tell else {"phone"}
    sides = {side: kind for side, kind in (("left", asked.left), ("right", asked.right)) if kind in told}
    found = {side: neighbours(aligned, side, kinds[kind]) for side, kind in sides.items()}
    if list(sides.values()) == ["class", "class"]:
        found["both"] = joined(found["left"], found["right"])
    return found | ({"position": positions(aligned)} if asked.position else {})


def context_rows(name: str, analysis: AnalysedCorpus, experiment: Experiment, classes: NaturalClasses) -> Iterator[Row]:
    """Yield H(X|Y, context) and the information that each kind of context adds, beside its null; none unless asked."""
    for kind, contexts in wanted_contexts(analysis.path, experiment, classes).items():
        counted = count_contexts(analysis.path, contexts)
        yield from _kind_rows(kind, counted, analysis, experiment, _generator(name, kind, experiment))
    if not classes.tell:
        sides = [side for side in ("left", "right") if getattr(experiment.context, side) == "class"]
        for kind in [*sides, *["both"] * (len(sides) == 2)]:
            yield from (row_of(measure, math.nan, 0, kind, _UNTOLD) for measure in _MEASURES)


def context_table(analysis: AnalysedCorpus, experiment: Experiment, classes: NaturalClasses) -> pd.DataFrame | None:
    """Return contexts.tsv: what each gold phone was heard as in each context; None unless a context is asked for.

    `p` is over phones without ∅ as in confusions.tsv, and for ∅ the share of all tokens; `p_anywhere` is the same over
    all contexts.
    """
    wanted = wanted_contexts(analysis.path, experiment, classes)
    kinds = [_kind_table(kind, contexts, analysis) for kind, contexts in wanted.items()]
    return pd.concat(kinds, ignore_index=True) if kinds else None


def _kind_rows(
    kind: str, counted: ContextCounts, analysis: AnalysedCorpus, experiment: Experiment, generator: np.random.Generator
) -> Iterator[Row]:
    phones, split = counted.phones, counted.stack.total()
    width = len(split.predicted) + (experiment.entropy.gaps == "include")
    counts = split.counts[:-1, :width]
    n = float(counts.sum())
    if not n:
        why = "no gold phone was aligned with a predicted one"
        yield from (row_of(measure, math.nan, 0, kind, why) for measure in _MEASURES)
        return

    def added(part: Floats) -> float:
        return added_information(part[:-1, :width], phones)

    yield from _estimated(kind, split, _collapsed(split, phones, analysis), analysis, experiment, n)
    if experiment.information.permutations:
        null = permuted_added_information(counts, phones, experiment.information.permutations, generator)
        drawn = replicate_values(counted.stack, analysis.resampling, added)
        yield from _null_rows(kind, added(split.counts), null, drawn, analysis, n)


def _estimated(
    kind: str,
    split: ConfusionMatrix,
    whole: ConfusionMatrix,
    analysis: AnalysedCorpus,
    experiment: Experiment,
    n: float,
) -> Iterator[Row]:
    entropy, said = experiment.entropy, ONE_PATH if analysis.path is not analysis.aligned else ""
    for name in dict.fromkeys(entropy.estimators):
        given, without = (
            conditional_entropy(part, name, "gold", entropy.gaps, entropy.support) for part in (split, whole)
        )
        variant, beside = f"{kind}:{name}", "; ".join(filter(None, [said, _HIGH]))
        yield row_of("conditional_entropy_given_context", given, n, variant, said)
        yield row_of("context_information", without - given, n, variant, beside)


def _null_rows(
    kind: str, value: float, null: Floats, drawn: Floats, analysis: AnalysedCorpus, n: float
) -> Iterator[Row]:
    level, excess = analysis.resampling.level, value - float(null.mean())
    note = f"{len(null)} permutations of the contexts within each gold phone"
    yield Row("context_information_null", interval_of(null, level), n, kind, note)
    centred = estimate(excess, drawn, analysis.resampling, "normal", centre=excess)
    yield Row("context_information_excess", centred, n, kind, _LOW)
    p = (int((null >= value).sum()) + 1) / (len(null) + 1)
    yield row_of("context_information_p", p, n, kind, f"least possible: {1 / (len(null) + 1):.2g}")


def _collapsed(split: ConfusionMatrix, phones: Codes, analysis: AnalysedCorpus) -> ConfusionMatrix:
    """Return the same counts without contexts."""
    gold = analysis.path.gold_inventory
    counts = np.zeros((len(gold) + 1, split.counts.shape[1]))
    np.add.at(counts, phones, split.counts[:-1])
    return ConfusionMatrix(gold, split.predicted, counts)


def _kind_table(kind: str, contexts: Contexts, analysis: AnalysedCorpus) -> pd.DataFrame:
    counted = count_contexts(analysis.path, contexts)
    split = counted.stack.total()
    anywhere = _shares(_collapsed(split, counted.phones, analysis).counts[:-1])[counted.phones]
    here, counts = _shares(split.counts[:-1]), split.counts[:-1]
    rows, columns = np.nonzero(counts)
    gold, predicted = (
        np.array(side, dtype=object) for side in (analysis.path.gold_inventory.phones, (*split.predicted, GAP))
    )
    return pd.DataFrame(
        {
            "kind": kind,
            "context": np.array(contexts.labels, dtype=object)[counted.contexts[rows]],
            "gold": gold[counted.phones[rows]],
            "predicted": predicted[columns],
            "count": counts[rows, columns].astype(np.int64),
            "p": here[rows, columns],
            "p_anywhere": anywhere[rows, columns],
        }
    )


def _shares(counts: Floats) -> Floats:
    """Return p(x | row), ∅ last: over phones without ∅, and for ∅ its share of all."""
    heard, every = counts[:, :-1].sum(axis=1, keepdims=True), counts.sum(axis=1, keepdims=True)
    return np.hstack([share(counts[:, :-1], heard), share(counts[:, -1:], every)])


def _generator(name: str, kind: str, experiment: Experiment) -> np.random.Generator:
    return np.random.default_rng([experiment.seed, zlib.crc32(name.encode()), zlib.crc32(f"context {kind}".encode())])

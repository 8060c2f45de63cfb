"""Alignment with path and counts, against libraries that align and a C twin; and from text files to counts."""

import ctypes
from collections.abc import Iterator

import numpy as np

import phonxling as px
from benchmarks import aligners, twin
from benchmarks.contest import Contest, Goal, Peer, Row, Settings, measure
from benchmarks.counting import text_to_counts
from benchmarks.workload import INVENTORY, PAIRS, Side, corpus_of, workload


def rows(settings: Settings) -> Iterator[Row]:
    """Yield the section's rows."""
    gold, predicted = workload(settings.size(PAIRS, quick=3_000))
    corpus = corpus_of(gold, predicted)
    library, reason = twin.build()
    weighted, unit = px.feature_costs(INVENTORY, INVENTORY), px.feature_costs(INVENTORY, INVENTORY, "unit")
    many = corpus_of(*workload(settings.size(10 * PAIRS, quick=30_000)))
    for contest in (
        _weighted(corpus, gold, predicted, weighted, library, reason),
        _panphon(corpus, gold, predicted),
        _unit(corpus, gold, predicted, unit),
        _threads(many, weighted),
    ):
        yield from measure(contest, settings.repeats)
    yield text_to_counts(settings)


def align_and_count(
    corpus: px.Corpus, costs: px.values.CostTable, workers: int = 1
) -> tuple[px.values.Alignments, np.ndarray]:
    """Do what is timed: alignments of all pairs, and their counts."""
    aligned = px.align_corpus(corpus, costs, workers=workers)
    return aligned, px.count_confusions(aligned).counts


def _weighted(
    corpus: px.Corpus,
    gold: Side,
    predicted: Side,
    costs: px.values.CostTable,
    library: ctypes.CDLL | None,
    reason: str,
) -> Contest:
    aligned, counts = align_and_count(corpus, costs)
    unit = px.align_corpus(corpus, px.feature_costs(INVENTORY, INVENTORY, "unit"))
    peers = [
        aligners.biopython(gold, predicted, costs, aligned.cost),
        aligners.kaldialign(gold, predicted, unit.cost, Goal(ratio=25)),
        _twin(library, reason, gold, predicted, costs, aligned, counts, vectors=True),
        _twin(library, reason, gold, predicted, costs, aligned, counts, vectors=False),
    ]
    work = f"{len(corpus.utterances):,} pairs, panphon costs, path and counts"
    return Contest("alignment", work, lambda: align_and_count(corpus, costs), peers)


def _twin(
    library: ctypes.CDLL | None,
    reason: str,
    gold: Side,
    predicted: Side,
    costs: px.values.CostTable,
    aligned: px.values.Alignments,
    counts: np.ndarray,
    *,
    vectors: bool,
) -> Peer:
    name, goal = ("C twin, by AVX-512", Goal(ratio=0.8)) if vectors else ("C twin, cell by cell", None)
    if library is None:
        return Peer(name, None, goal=goal, note=reason)
    run = twin.Twin(library, gold, predicted, costs, vectors=vectors)
    if vectors and not run.vectors:
        return Peer(name, None, goal=goal, note="this processor or compiler has no AVX-512BW")

    def same() -> bool:
        cost, found = run()
        return bool((cost == aligned.cost).all() and (found == counts).all())

    return Peer(name, run, same, goal, note="same costs, same counts")


def _panphon(corpus: px.Corpus, gold: Side, predicted: Side) -> Contest:
    costs = aligners.panphon_gaps()
    cost = px.align_corpus(corpus, costs).cost
    peer = aligners.panphon(gold, predicted, costs, cost)
    work = f"{len(corpus.utterances):,} pairs, panphon's own gap costs, path and counts"
    return Contest("alignment", work, lambda: align_and_count(corpus, costs), [peer])


def _unit(corpus: px.Corpus, gold: Side, predicted: Side, costs: px.values.CostTable) -> Contest:
    cost = px.align_corpus(corpus, costs).cost
    peers = [
        aligners.rapidfuzz(gold, predicted, cost),
        aligners.kaldialign(gold, predicted, cost),
    ]
    work = f"{len(corpus.utterances):,} pairs, unit costs, path and counts"
    return Contest("alignment", work, lambda: align_and_count(corpus, costs), peers)


def _threads(corpus: px.Corpus, costs: px.values.CostTable) -> Contest:
    expected = align_and_count(corpus, costs, 2)[1]

    def same() -> bool:
        return bool((align_and_count(corpus, costs)[1] == expected).all())

    one = Peer("1 thread", lambda: align_and_count(corpus, costs), same, Goal(ratio=1.6))
    work = f"{len(corpus.utterances):,} pairs, panphon costs, path and counts, 2 threads"
    return Contest("alignment", work, lambda: align_and_count(corpus, costs, 2), [one], threads=True)

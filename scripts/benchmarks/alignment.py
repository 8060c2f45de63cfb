"""Alignment with path and counts, against libraries that align and a C twin; and from text files to counts."""

from collections.abc import Iterator
from functools import partial

import numpy as np

import phonxling as px
from benchmarks import aligners
from benchmarks.contest import Contest, Goal, Peer, Row, Settings, measure
from benchmarks.counting import text_to_counts
from benchmarks.workload import INVENTORY, PAIRS, corpus_of, workload
from phonxling.core.confusion import Alignments
from phonxling.core.costs import CostTable


def rows(settings: Settings) -> Iterator[Row]:
    """Yield the section's rows."""
    sides = workload(settings.size(PAIRS, quick=3_000))
    corpus, many = corpus_of(*sides), corpus_of(*workload(settings.size(10 * PAIRS, quick=30_000)))
    weighted, unit = (px.feature_costs(INVENTORY, INVENTORY, name) for name in ("panphon", "unit"))
    own_gaps = aligners.panphon_gaps()
    aligned, counts = align_and_count(corpus, weighted)
    unit_cost, gap_cost = (px.align_corpus(corpus, costs).cost for costs in (unit, own_gaps))

    def twin_of_ours(*, vectors: bool) -> Peer:
        name, goal = ("C twin, by AVX-512", None) if vectors else ("C twin, cell by cell", Goal(ratio=0.85))
        library, reason = aligners.build()
        if library is None:
            return Peer(name, None, goal=goal, note=reason)
        run = aligners.Twin(library, *sides, weighted, vectors=vectors)
        if vectors and not run.vectors:
            return Peer(name, None, goal=goal, note="this processor or compiler has no AVX-512BW")

        def same() -> bool:
            return all(np.array_equal(*pair) for pair in zip(run(), (aligned.cost, counts), strict=True))

        return Peer(name, run, same, goal, note="same costs, same counts")

    one_thread = partial(align_and_count, many, weighted)
    two_threads = partial(align_and_count, many, weighted, 2)
    one = Peer("1 thread", one_thread, lambda: bool((one_thread()[1] == two_threads()[1]).all()), Goal(ratio=1.6))
    kaldialign = aligners.kaldialign(*sides, unit_cost)
    contests = {
        "panphon costs": (
            weighted,
            [
                aligners.biopython(*sides, weighted, aligned.cost),
                aligners.kaldialign(*sides, unit_cost, Goal(ratio=25)),
                twin_of_ours(vectors=True),
                twin_of_ours(vectors=False),
            ],
        ),
        "panphon's own gap costs": (own_gaps, [aligners.panphon(*sides, own_gaps, gap_cost)]),
        "unit costs": (unit, [aligners.rapidfuzz(*sides, unit_cost), kaldialign]),
    }
    for what, (costs, peers) in contests.items():
        work = f"{len(corpus.utterances):,} pairs, {what}, path and counts"
        yield from measure(Contest("alignment", work, partial(align_and_count, corpus, costs), peers), settings.repeats)
    work = f"{len(many.utterances):,} pairs, panphon costs, path and counts, 2 threads"
    yield from measure(Contest("alignment", work, two_threads, [one], threads=True), settings.repeats)
    yield text_to_counts(settings)


def align_and_count(corpus: px.Corpus, costs: CostTable, workers: int = 1) -> tuple[Alignments, np.ndarray]:
    """Do what is timed: alignments of all pairs, and their counts."""
    aligned = px.align_corpus(corpus, costs, workers=workers)
    return aligned, px.count_confusions(aligned).counts

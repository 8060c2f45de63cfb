"""Confusions counted from the posteriors: each gold token beside what it is heard as at its forced times.

No edit distance has a part in which phones are paired, so none in what they seem to have in common. A token without a
phone in its frames is deleted; there are no insertions, since a path through the gold phones has no place for them.
"""

from dataclasses import replace

import numpy as np

from phonxling.analyses import chance_levels
from phonxling.analyses.fitting import Fitted, scored_cost
from phonxling.analyses.forced_corpus import ForcedCorpus, Unrelated
from phonxling.core.alignment import Alignments
from phonxling.core.arrays import pair_type
from phonxling.core.corpus import Corpus
from phonxling.core.errors import DataError
from phonxling.count.confusions import stack_confusions


def forced_times(name: str, corpus: Corpus, forced: ForcedCorpus | None) -> ForcedCorpus:
    """Return the forced times by which the confusions of a corpus can be counted."""
    if forced is None:
        raise AssertionError(f"{name} has no forced times")
    segments = forced.forced.segments
    if segments.utterances != corpus.utterances or not np.array_equal(segments.codes, corpus.gold.codes):
        msg = f"corpus {name}: alignment: {{method: posterior}} needs posteriors of every utterance with predictions"
        raise DataError(f"{msg}, and no other segments than the gold phones")
    return forced


def heard_path(corpus: Corpus, forced: ForcedCorpus, fitted: Fitted, unrelated: Unrelated | None = None) -> Alignments:
    """Return each token, of the gold phones or unrelated ones, beside what it is heard as, with the costs of a fit."""
    said = corpus.predicted_inventory
    codes, heard = (corpus.gold.codes, forced.forced.heard) if unrelated is None else unrelated[:2]
    columns = np.array([*(said.code(phone) for phone in forced.tokens.columns), len(said)])
    kind = pair_type(len(corpus.gold_inventory), len(said))
    free = Alignments(
        utterances=corpus.utterances,
        gold_inventory=corpus.gold_inventory,
        predicted_inventory=said,
        offsets=corpus.gold.offsets,
        gold=codes.astype(kind),
        predicted=columns[heard].astype(kind),
        cost=np.zeros(len(corpus.gold), np.int64),
        denominator=int(np.lcm.reduce([table.denominator for table in fitted.tables])),
    )
    return replace(free, cost=np.rint(fitted.cost(free) * free.denominator).astype(np.int64))


def unrelated_level(
    corpus: Corpus, forced: ForcedCorpus, settings: chance_levels.ChanceSettings, fitted: Fitted, weighed: Fitted
) -> chance_levels.ChanceLevel:
    """Return the level of unrelated gold phones, learned and aligned anew; `weighed` has the scoring costs."""
    if not forced.unrelated:
        return chance_levels.ChanceLevel(model="unrelated", missing=f"no unrelated gold phones: {forced.missing}")
    own, records = replace(settings, models=("unrelated",), replicates=len(forced.unrelated)), []
    for number, one in enumerate(forced.unrelated):
        aligned = heard_path(corpus, forced, fitted, one)
        cost = scored_cost(aligned, fitted, weighed)
        records.append(chance_levels.replicate_record(cost, stack_confusions(aligned), number, own))
    return chance_levels.level_of_replicates("unrelated", chance_levels.merged(records, own.replicates), corpus, own)

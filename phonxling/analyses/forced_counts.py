"""Confusions counted from the posteriors: each gold token beside what it is heard as at its forced times.

No edit distance has a part in which phones are paired, so none in what they seem to have in common. A token without a
phone in its frames is deleted; there are no insertions, since a path through the gold phones has no place for them.
"""

from dataclasses import dataclass, replace

import numpy as np

from phonxling.analyses.chance_levels import ChanceLevel, ChanceSettings, level_of_replicates, replicate_record
from phonxling.analyses.fitting import Fitted, scored_cost
from phonxling.analyses.forced_corpus import ForcedCorpus
from phonxling.core.alignment import Alignments
from phonxling.core.arrays import Codes, pair_type
from phonxling.core.corpus import Corpus
from phonxling.core.errors import DataError
from phonxling.count.confusions import stack_confusions

WITHOUT_INSERTIONS = "counted from posteriors at forced times, which leaves no place for insertions"
NOT_REDRAWN = ChanceLevel(model="errors", missing="phones that posteriors decide for are not redrawn one by one")
_MODEL = "unrelated"


@dataclass(frozen=True, eq=False)
class ForcedCounts:
    """A corpus whose confusions are counted from what its posteriors say of each gold token."""

    corpus: Corpus
    forced: ForcedCorpus

    def aligned(self, fitted: Fitted) -> Alignments:
        """Return each gold token beside what it is heard as, with the costs of `fitted`."""
        return self._beside(self.corpus.gold.codes.astype(np.int64), self.forced.forced.heard, fitted)

    def levels(self, settings: ChanceSettings, fitted: Fitted, weighed: Fitted) -> list[ChanceLevel]:
        """Return the level of unrelated gold phones, learned and aligned anew; `weighed` has the scoring costs."""
        drawn = self.forced.unrelated
        if not drawn:
            return [ChanceLevel(model=_MODEL, missing=f"no unrelated gold phones: {self.forced.missing}")]
        own = replace(settings, models=(_MODEL,), replicates=len(drawn))
        records = []
        for number, one in enumerate(drawn):
            aligned = self._beside(one.codes, one.heard, fitted)
            cost = scored_cost(aligned, fitted, weighed)
            records.append(replicate_record(cost, stack_confusions(aligned), number, own))
        return [level_of_replicates(_MODEL, records, self.corpus, own)]

    def _beside(self, codes: Codes, heard: Codes, fitted: Fitted) -> Alignments:
        """Return gold phones [N] beside the recogniser's phones [N] that they are heard as."""
        gold, said = self.corpus.gold_inventory, self.corpus.predicted_inventory
        columns = np.array([*(said.code(phone) for phone in self.forced.tokens.columns), len(said)])
        kind = pair_type(len(gold), len(said))
        free = Alignments(
            utterances=self.corpus.utterances,
            gold_inventory=gold,
            predicted_inventory=said,
            offsets=self.corpus.gold.offsets,
            gold=codes.astype(kind),
            predicted=columns[heard].astype(kind),
            cost=np.zeros(len(self.corpus.gold), np.int64),
            denominator=int(np.lcm.reduce([table.denominator for table in fitted.tables])),
        )
        return replace(free, cost=np.rint(fitted.cost(free) * free.denominator).astype(np.int64))


def forced_counts(name: str, corpus: Corpus, forced: ForcedCorpus | None) -> ForcedCounts:
    """Return how confusions of a corpus with forced times are counted."""
    if forced is None:
        raise AssertionError(f"{name} has no forced times")
    segments = forced.forced.segments
    if segments.utterances != corpus.utterances or not np.array_equal(segments.codes, corpus.gold.codes):
        msg = f"corpus {name}: alignment: {{method: posterior}} needs posteriors of every utterance with predictions"
        raise DataError(f"{msg}, and no other segments than the gold phones")
    return ForcedCounts(corpus, forced)

"""The alignment in use, one best or expected: the same for the predictions, for chance, and for other gap costs."""

from dataclasses import dataclass

from phonxling.align.corpus import align_sequences
from phonxling.align.expected import expect_sequences
from phonxling.core.alignment import Aligned
from phonxling.core.costs import CostTable
from phonxling.core.sequences import PhoneSequences
from phonxling.core.work import SERIAL, Work


@dataclass(frozen=True, slots=True)
class Aligner:
    """Aligns by the one best alignment, or, with a temperature, by the average over alignments."""

    temperature: float | None = None
    work: Work = SERIAL

    def __call__(self, gold: PhoneSequences, predicted: PhoneSequences, costs: CostTable) -> Aligned:
        """Return the alignments of each pair under the costs; errors as for `align_sequences`."""
        if self.temperature is None:
            return align_sequences(gold, predicted, costs, self.work)
        return expect_sequences(gold, predicted, costs, self.temperature, self.work)

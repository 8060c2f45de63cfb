"""Whether boundaries between phones are where the gold ones are: F1 and R-value.

A predicted boundary is a hit when it meets a gold one, one to one, at most the tolerance apart. Precision is hits /
predicted boundaries, recall (hit rate) hits / gold boundaries, F1 their harmonic mean. Saying more boundaries raises
F1 even at random; the R-value punishes that: with OS = predicted / gold − 1 and HR the recall,
r₁ = √((1 − HR)² + OS²), r₂ = (HR − 1 − OS)/√2, R = 1 − (|r₁| + |r₂|)/2.

References
----------
Räsänen, Laine & Altosaar (2009), An improved speech segmentation quality measure: the R-value.
"""

import numpy as np

from phonxling.analyses.case import Case, Items
from phonxling.analyses.measures import row_of
from phonxling.core.arrays import Floats, divided
from phonxling.core.sequences import PhoneSequences
from phonxling.count.kernel import boundaries, meetings
from phonxling.settings.models import Boundaries as Settings

_NONE = "the gold phones have no inner boundary"


def segmentation(case: Case, settings: Settings) -> Items:
    """Yield F1 and R-value of the boundaries, where gold and predicted phones have times."""
    analysed, gold = case.counted, _timed_gold(case)
    if gold is None or analysed.corpus.predicted.start is None or analysed.corpus.predicted.end is None:
        return
    said, heard = boundaries(gold), boundaries(analysed.corpus.predicted)
    hits, clusters = meetings(said, heard, settings.tolerance), analysed.clusters
    number, predicted = said.numbers, heard.numbers
    counted = f"{number.sum():.0f} gold boundaries, {predicted.sum():.0f} predicted, {hits.sum():.0f} met"
    counted += "; those predicted are the edges of CTC peaks, not of phones" if case.loaded.peaky else ""
    f1 = clusters.ratio(2 * hits, number + predicted, "share")
    yield row_of("boundary_f1", f1, number.sum(), "", counted)
    sums = np.stack([clusters.sums(each) for each in (hits, number, predicted)])
    whole, left_out = r_value(*sums.sum(axis=1)), r_value(*(sums.sum(axis=1, keepdims=True) - sums))
    result = clusters.estimate(float(whole), left_out, "skill", sizes=sums[1])
    yield row_of("r_value", result, number.sum(), "", counted if number.any() else _NONE)


def _timed_gold(case: Case) -> PhoneSequences | None:
    """Return the gold phones with times, in the order of the corpus: the gold itself, else the segments, if any."""
    gold, segments = case.counted.corpus.gold, case.loaded.segments
    if gold.start is not None and gold.end is not None:
        return gold
    if segments is None or segments.start is None or not set(gold.utterances) <= set(segments.utterances):
        return None
    return segments.select(segments.places_of(gold.utterances))


def r_value(hits: Floats, gold: Floats, predicted: Floats) -> Floats:
    """Return the R-value of numbers of hits, gold and predicted boundaries, of any shape."""
    recall, over = divided(hits, gold), divided(predicted, gold) - 1
    first, second = np.hypot(1 - recall, over), (recall - 1 - over) / np.sqrt(2)
    return np.asarray(1 - (first + np.abs(second)) / 2)

"""The columns of alignments.tsv that are there only where the data have them: times, and confidences."""

from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from phonxling.analyses.case.case import Case
from phonxling.core.alignment import Alignments
from phonxling.core.arrays import Codes, Floats
from phonxling.core.sequences import PhoneSequences

_DIGITS = 4  # after the point: 0.1 ms


class PairColumn(NamedTuple):
    """A number of each phone of one side, [N], NaN for none; `offsets` [U + 1] cuts the phones into utterances."""

    name: str
    side: Literal["gold", "predicted"]
    values: Floats
    offsets: NDArray[np.int64]


def pair_columns(case: Case) -> tuple[PairColumn, ...]:
    """Return the columns of a corpus.

    None of the predictions where they are not what stands in the alignment: where that is what posteriors say of gold
    phones.
    """
    analysed, times = case.counted, gold_times(case)
    gold, predicted = analysed.corpus.gold, analysed.corpus.predicted
    columns = [] if times is None else [("gold_start", times[0]), ("gold_end", times[1])]
    heard = {"predicted_start": predicted.start, "predicted_end": predicted.end, "confidence": predicted.confidence}
    in_use = heard if analysed.path is analysed.by_costs else {}
    return (
        *(PairColumn(name, "gold", values, gold.offsets) for name, values in columns),
        *(PairColumn(name, "predicted", own, predicted.offsets) for name, own in in_use.items() if own is not None),
    )


def gold_times(case: Case) -> tuple[Floats, Floats] | None:
    """Return when each gold phone begins and ends, in seconds [N] each; None where no times are known.

    Forced times where there are such, else the gold's own, else those of segments with the same phones in an utterance.
    """
    gold, segments = case.counted.corpus.gold, case.loaded.segments
    if case.forced is not None:
        segments = case.forced.forced.segments
    elif gold.start is not None and gold.end is not None:
        return gold.start, gold.end
    if segments is None or segments.start is None or segments.end is None:
        return None
    ours, theirs = same_tokens(gold, segments)
    start, end = np.full((2, len(gold.codes)), np.nan)
    start[ours], end[ours] = segments.start[theirs], segments.end[theirs]
    return start, end


def same_tokens(first: PhoneSequences, second: PhoneSequences) -> tuple[Codes, Codes]:
    """Return where the tokens of the utterances stand that have the same phones in both, [n] in each.

    Examples
    --------
    >>> from phonxling.core.sequences import from_lists
    >>> one, other = from_lists(["u", "v"], [["a"], ["b", "a"]]), from_lists(["v", "u"], [["b", "a"], ["b"]])
    >>> [places.tolist() for places in same_tokens(one, other)]
    [[1, 2], [0, 1]]
    """
    places = {name: place for place, name in enumerate(second.utterances)}
    other = np.array([places.get(name, -1) for name in first.utterances], dtype=np.int64)
    alike = np.flatnonzero(other >= 0)
    alike = alike[first.lengths[alike] == second.lengths[other[alike]]]
    known = [first.inventory.code(phone) if phone in first.inventory else -1 for phone in second.inventory]
    heard = np.array(known, dtype=np.int64)[second.codes[second.token_order(other[alike])]]
    differs = heard != first.codes[first.token_order(alike)]
    owner = np.repeat(np.arange(len(alike)), first.lengths[alike])
    alike = alike[np.bincount(owner, weights=differs, minlength=len(alike)) == 0]
    return first.token_order(alike), second.token_order(other[alike])


def pair_texts(column: PairColumn, aligned: Alignments, utterances: slice) -> list[str]:
    """Return the cell of each pair of a run of utterances, with a tab before it, rounded to 4 digits; "" for none.

    An alignment has all phones of a side in their order: they stand where that side of a pair is not ∅.
    """
    sides = {
        "gold": (aligned.gold, aligned.gold_inventory),
        "predicted": (aligned.predicted, aligned.predicted_inventory),
    }
    codes, inventory = sides[column.side]
    here = slice(aligned.offsets[utterances.start], aligned.offsets[utterances.stop])
    values = column.values[column.offsets[utterances.start] : column.offsets[utterances.stop]]
    numbers, place = np.unique(values.round(_DIGITS), return_inverse=True)  # few of times that are those of frames
    texts = np.full(here.stop - here.start, "\t", dtype=object)
    shown = [f"\t{number!r}" if number == number else "\t" for number in numbers.tolist()]
    texts[codes[here] != len(inventory)] = np.array(shown, dtype=object)[place]
    cells: list[str] = texts.tolist()
    return cells

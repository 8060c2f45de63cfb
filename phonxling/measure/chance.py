"""Predictions without information: what an aligner scores when the recogniser has heard nothing.

A feature-weighted rate of unrelated sequences is far below 1, so a rate alone misleads. Each model redraws the
predictions, of the same lengths; they are aligned anew, for the alignment itself makes unrelated sequences look alike.

- `constant`: one phone only; of all phones the one that scores best.
- `unigram`: each phone drawn at random from the predictions' own frequencies.
- `shuffled`: the predictions of another utterance of similar length.
"""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from phonxling.core.sequences import PhoneSequences

_BLOCK = 16  # utterances of neighbouring lengths among which predictions change places


def constant_predictions(predicted: PhoneSequences) -> Iterator[tuple[str, PhoneSequences]]:
    """Yield (phone, predictions) for each phone of the inventory: every predicted phone replaced by it.

    Examples
    --------
    >>> from phonxling.core.sequences import from_lists
    >>> [(phone, p.phones_of(0)) for phone, p in constant_predictions(from_lists(["u"], [["b", "a"]]))]
    [('a', ['a', 'a']), ('b', ['b', 'b'])]
    """
    for code, phone in enumerate(predicted.inventory):
        yield phone, _recoded(predicted, np.full(len(predicted.codes), code, dtype=np.int32))


def unigram_predictions(predicted: PhoneSequences, generator: np.random.Generator) -> PhoneSequences:
    """Return predictions of the same lengths, each phone drawn from the frequencies of all predicted phones."""
    if not len(predicted.codes):
        return predicted
    counts = np.bincount(predicted.codes, minlength=len(predicted.inventory))
    drawn = generator.choice(len(counts), size=len(predicted.codes), p=counts / counts.sum())
    return _recoded(predicted, drawn.astype(np.int32))


def shuffled_predictions(predicted: PhoneSequences, generator: np.random.Generator) -> PhoneSequences:
    """Return predictions in which every utterance has those of another one of similar length.

    Utterances are sorted by the number of predicted phones (ties at random) and moved around a ring within blocks of
    16 neighbours, so that none keeps its own.

    Raises
    ------
    ValueError
        If there are fewer than two utterances: there is no other one.
    """
    if len(predicted) < 2:
        raise ValueError("predictions can be shuffled among two utterances or more")
    order = np.lexsort((generator.random(len(predicted)), predicted.lengths))
    donor = np.empty(len(predicted), dtype=np.int64)
    for block in np.array_split(order, max(1, len(order) // _BLOCK)):
        mixed = generator.permutation(block)
        donor[mixed] = np.roll(mixed, 1)
    moved = predicted.select(donor)
    return PhoneSequences(
        utterances=predicted.utterances, offsets=moved.offsets, codes=moved.codes, inventory=predicted.inventory
    )


def _recoded(predicted: PhoneSequences, codes: NDArray[np.int32]) -> PhoneSequences:
    return PhoneSequences(
        utterances=predicted.utterances, offsets=predicted.offsets, codes=codes, inventory=predicted.inventory
    )

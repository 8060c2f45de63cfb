"""Predictions without information: what an aligner scores when the recogniser has heard nothing.

A feature-weighted rate of unrelated sequences is far below 1, so a rate alone misleads. Each model redraws the
predictions, of the same lengths; they are aligned anew, for the alignment itself makes unrelated sequences look alike.

- `constant`: one phone only; of all phones the one that scores best.
- `uniform`: each phone drawn at random, all phones of the recogniser's inventory alike.
- `unigram`: each phone drawn at random from the predictions' own frequencies.
- `bigram`: the first phone drawn from the predictions' first phones, each other one from what follows its predecessor
  in the predictions; after a phone that nothing ever follows, from the frequencies of all phones.
- `shuffled`: the predictions of another utterance, with other gold phones and of another speaker where speakers are
  known, from a random place on; those of further such utterances follow, as many as are needed; the last one is cut.
"""

from collections.abc import Callable, Iterator
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from phonxling.analyses.chance.donors import Donors, joined_predictions
from phonxling.analyses.chance.kernel import (
    count_followers,
    find_among,
    guide_followers,
    take_followers,
    turn_places,
)
from phonxling.core.alignment import Alignments
from phonxling.core.arrays import Bools, offsets_of
from phonxling.core.confusion import ConfusionMatrix
from phonxling.core.sequences import PhoneSequences

_AT_ONCE = 1 << 20  # numbers that are drawn at one time
_PART_BITS = 8  # of what follows a phone: in each of 256 parts few phones are looked at


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


def unigram_predictions(
    predicted: PhoneSequences, generator: np.random.Generator, _: Donors | None = None
) -> PhoneSequences:
    """Return predictions of the same lengths, each phone drawn from the frequencies of all predicted phones."""
    if not len(predicted.codes):
        return predicted
    counts = np.bincount(predicted.codes, minlength=len(predicted.inventory))
    shares = np.cumsum(counts / counts.sum())
    shares /= shares[-1]
    drawn = np.empty_like(predicted.codes)
    for first in range(0, len(drawn), _AT_ONCE):  # as `Generator.choice` draws, with less memory
        part = drawn[first : first + _AT_ONCE]
        find_among(shares, generator.random(len(part)), part)
    return _recoded(predicted, drawn)


def bigram_predictions(
    predicted: PhoneSequences, generator: np.random.Generator, _: Donors | None = None
) -> PhoneSequences:
    """Return predictions of the same lengths, drawn phone by phone from the predictions' own pairs of neighbours.

    A first phone comes from the first phones of the utterances, any other from the phones that follow its predecessor
    within an utterance. Where nothing ever follows the predecessor, it comes from all predicted phones (back-off).

    Examples
    --------
    After a comes b and after b comes a, always:

    >>> from phonxling.core.sequences import from_lists
    >>> drawn = bigram_predictions(from_lists(["u"], [["a", "b", "a", "b"]]), np.random.default_rng(1))
    >>> drawn.phones_of(0)
    ['a', 'b', 'a', 'b']
    """
    if not len(predicted.codes):
        return predicted
    codes, phones = np.empty_like(predicted.codes), len(predicted.inventory)
    following = np.zeros((phones + 2, phones), np.int64)  # after each phone, at the beginning, and anywhere
    count_followers(predicted.codes, predicted.offsets, following)
    following[:-1][~following[:-1].any(axis=1)] = following[-1]  # nothing follows it
    ends = np.cumsum(following[:-1], axis=1)
    sizes = ends[:, -1]
    shifts = np.array([max(0, int(size).bit_length() - _PART_BITS) for size in sizes])
    guide = np.zeros((phones + 1, 1 << _PART_BITS), np.int32)
    guide_followers(ends, shifts, guide)
    order = np.argsort(-predicted.lengths, kind="stable")
    going = np.cumsum(np.bincount(predicted.lengths)[::-1])[::-1][1:]  # utterances that are longer than 0, 1, …
    before, begins, by_place = np.full(len(order), phones, codes.dtype), offsets_of(going), np.empty_like(codes)
    for first, last in pairwise(begins.tolist()):
        before, after = before[: last - first], by_place[first:last]
        drawn = generator.integers(0, sizes[before])
        take_followers(ends, shifts, guide, drawn, before, after)
        before = after
    turn_places(by_place, begins, predicted.lengths[order], predicted.offsets[:-1][order], codes)
    return _recoded(predicted, codes)


def uniform_predictions(
    predicted: PhoneSequences, generator: np.random.Generator, _: Donors | None = None
) -> PhoneSequences:
    """Return predictions of the same lengths, each phone drawn from the inventory, all phones alike."""
    drawn = np.empty_like(predicted.codes)
    for first in range(0, len(drawn), _AT_ONCE):
        part = drawn[first : first + _AT_ONCE]
        part[:] = generator.integers(0, len(predicted.inventory), len(part), np.int32)
    return _recoded(predicted, drawn)


def shuffled_predictions(
    predicted: PhoneSequences, generator: np.random.Generator, donors: Donors | None
) -> PhoneSequences:
    """Return predictions of the same lengths, each those of another utterance from a random place on.

    Where these are too short, those of further utterances follow; the last ones are cut. Every utterance with
    predictions must have a donor.
    """
    if donors is None:
        raise AssertionError("predictions are shuffled among donors")
    return _recoded(predicted, joined_predictions(predicted, donors, generator))


def redrawn_errors(predicted: PhoneSequences, generator: np.random.Generator, right: Bools) -> PhoneSequences:
    """Return predictions in which each wrong one, inserted ones included, is drawn from the frequencies of them all.

    Examples
    --------
    >>> from phonxling.core.sequences import from_lists
    >>> heard = from_lists(["u"], [["a", "b", "a", "b"]])
    >>> redrawn_errors(heard, np.random.default_rng(1), np.array([True, False, True, False])).phones_of(0)
    ['a', 'b', 'a', 'b']
    """
    codes, wrong = np.array(predicted.codes), np.flatnonzero(~right)
    codes[wrong] = codes[wrong[generator.integers(0, max(1, len(wrong)), len(wrong))]]
    return _recoded(predicted, codes)


def heard_right(path: Alignments) -> Bools:
    """Return which predicted phones are aligned with the same symbol, [N]."""
    same = ConfusionMatrix.zero(path.gold_inventory, path.predicted_inventory).same_symbol()
    predicted = path.predicted < len(path.predicted_inventory)
    return np.asarray(np.pad(same, ((0, 1), (0, 1)))[path.gold[predicted], path.predicted[predicted]])


Draw = Callable[[PhoneSequences, np.random.Generator, Donors | None], PhoneSequences]
MODELS: dict[str, Draw] = {
    "uniform": uniform_predictions,
    "unigram": unigram_predictions,
    "bigram": bigram_predictions,
    "shuffled": shuffled_predictions,
}


def refusal(model: str, predicted: PhoneSequences, donors: Donors | None) -> str:
    """Return why a model has nothing to redraw, "" when it has."""
    if not len(predicted.codes):
        return "there are no predictions to redraw"
    return donors.missing(predicted) if model == "shuffled" and donors else ""


def _recoded(predicted: PhoneSequences, codes: NDArray[np.integer]) -> PhoneSequences:
    codes.flags.writeable = False  # so that nobody needs to copy them
    return PhoneSequences(
        utterances=predicted.utterances, offsets=predicted.offsets, codes=codes, inventory=predicted.inventory
    )

"""Predictions without information: what an aligner scores when the recogniser has heard nothing.

A feature-weighted rate of unrelated sequences is far below 1, so a rate alone misleads. Each model redraws the
predictions, of the same lengths; they are aligned anew, for the alignment itself makes unrelated sequences look alike.

- `constant`: one phone only; of all phones the one that scores best.
- `unigram`: each phone drawn at random from the predictions' own frequencies.
- `bigram`: the first phone drawn from the predictions' first phones, each other one from what follows its predecessor
  in the predictions; after a phone that nothing ever follows, from the frequencies of all phones.
- `shuffled`: the predictions of another utterance of similar length.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from phonxling.core.arrays import offsets_of
from phonxling.core.sequences import PhoneSequences
from phonxling.resample.kernel import find_among

_BLOCK = 16  # utterances of neighbouring lengths among which predictions change places
_FEWEST = 8  # utterances of one length that do so among themselves
_AT_ONCE = 1 << 20  # numbers that are drawn at one time


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
    shares = np.cumsum(counts / counts.sum())
    shares /= shares[-1]
    drawn, one_row = np.empty(len(predicted.codes), np.int32), np.zeros(0, np.int64)
    for first in range(0, len(drawn), _AT_ONCE):  # as `Generator.choice` draws, with less memory
        part = drawn[first : first + _AT_ONCE]
        find_among(shares, len(shares), one_row, generator.random(len(part)), part)
    return _recoded(predicted, drawn)


def bigram_predictions(predicted: PhoneSequences, generator: np.random.Generator) -> PhoneSequences:
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
    codes = np.array(predicted.codes)
    following = _followers(predicted)
    bounds = np.cumsum(following)  # the rows one after the other: whole numbers, so that no draw falls between two
    rows = np.concatenate([[0], np.cumsum(following.sum(axis=1))])
    order = np.argsort(-predicted.lengths, kind="stable")
    starts, longest = predicted.offsets[:-1][order], predicted.lengths[order]
    before = np.full(len(order), len(predicted.inventory))  # the last row: first phones
    for place in range(int(longest.max(initial=0))):
        going = int(np.searchsorted(-longest, -place))  # those longer than this
        before = before[:going]
        drawn = generator.integers(rows[before], rows[before + 1])
        found = np.empty(going, np.int32)
        find_among(bounds, following.shape[1], before, drawn, found)
        codes[starts[:going] + place], before = found, found.astype(np.int64)
    return _recoded(predicted, codes)


def shuffled_predictions(predicted: PhoneSequences, generator: np.random.Generator) -> PhoneSequences:
    """Return predictions in which every utterance has those of another one of similar length.

    Predictions move around a random ring within a block of utterances, so that none keeps its own. Utterances with the
    same number of predicted phones make a block; where there are fewer than 8 of a length, neighbouring lengths go
    together, about 16 utterances a block.

    Raises
    ------
    ValueError
        If there are fewer than two utterances: there is no other one.
    """
    if len(predicted) < 2:
        raise ValueError("predictions can be shuffled among two utterances or more")
    order = np.lexsort((generator.random(len(predicted)), predicted.lengths))
    donor = np.empty(len(predicted), dtype=np.int64)
    for like in np.split(order, _bounds(predicted.lengths[order])):
        parts = max(1, len(like) // _BLOCK) if np.ptp(predicted.lengths[like]) else 1
        for block in np.array_split(like, parts):
            mixed = generator.permutation(block)
            donor[mixed] = np.roll(mixed, 1)
    some = range(0, len(donor), _BLOCK << 12)
    codes = [predicted.codes[predicted.token_order(donor[first : first + some.step])] for first in some]
    return PhoneSequences(
        utterances=predicted.utterances,
        offsets=offsets_of(predicted.lengths[donor]),
        codes=np.concatenate(codes),
        inventory=predicted.inventory,
    )


@dataclass(frozen=True, slots=True)
class ChanceModel:
    """How predictions are redrawn at random, and why that may be impossible for a corpus ("" where it is possible)."""

    draw: Callable[[PhoneSequences, np.random.Generator], PhoneSequences]
    refusal: Callable[[PhoneSequences], str] = lambda _: ""


def _no_other(predicted: PhoneSequences) -> str:
    return "predictions cannot be shuffled: there is one utterance only" if len(predicted) < 2 else ""


MODELS = {
    "unigram": ChanceModel(unigram_predictions),
    "bigram": ChanceModel(bigram_predictions),
    "shuffled": ChanceModel(shuffled_predictions, _no_other),
}


def refusal(model: str, predicted: PhoneSequences) -> str:
    """Return why a model has nothing to redraw, "" when it has."""
    if not len(predicted.codes):
        return "there are no predictions to redraw"
    return MODELS[model].refusal(predicted) if model in MODELS else ""


def _bounds(lengths: NDArray[np.int64]) -> list[int]:
    """Return where ascending lengths are to be parted, so that each part has few lengths and 8 members at least."""
    bounds = [0]
    for place in np.flatnonzero(np.diff(lengths)) + 1:
        if place - bounds[-1] >= _FEWEST and len(lengths) - place >= _FEWEST:
            bounds.append(int(place))
    return bounds[1:]


def _followers(predicted: PhoneSequences) -> NDArray[np.int64]:
    """Return how often each phone follows each, [P + 1, P]: last how often it comes first; back-off where none does."""
    codes, phones = predicted.codes.astype(np.int64), len(predicted.inventory)
    first = np.zeros(len(codes), dtype=bool)
    first[predicted.offsets[:-1][predicted.lengths > 0]] = True
    before = np.where(first, phones, np.roll(codes, 1))
    counts = np.bincount(before * phones + codes, minlength=(phones + 1) * phones).reshape(phones + 1, phones)
    alone = counts.sum(axis=1, keepdims=True) == 0
    return np.where(alone, np.bincount(codes, minlength=phones), counts)


def _recoded(predicted: PhoneSequences, codes: NDArray[np.int32]) -> PhoneSequences:
    return PhoneSequences(
        utterances=predicted.utterances, offsets=predicted.offsets, codes=codes, inventory=predicted.inventory
    )

"""The wrong tokens of a corpus: what each was heard as, between which phones, and which tokens it is compared with."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields

import numpy as np

from phonxling.core.alignment import Alignments
from phonxling.core.arrays import Bools, Codes, Floats, divided
from phonxling.core.confusion import ConfusionMatrix
from phonxling.core.inventory import Inventory
from phonxling.count.neighbours import gold_neighbours, predicted_neighbours


@dataclass(frozen=True, eq=False, kw_only=True)
class WrongTokens:
    """N gold tokens that were heard as another phone, by stratum.

    Parameters
    ----------
    gold, heard : int64 array [N]
        The gold phone, and what it was heard as, one of the K phones of the recogniser.
    left, right : int64 array [N]
        The predicted phones beside it, K for the utterance's edge.
    gold_left, gold_right : int64 array [N]
        The gold phones beside it, G for the utterance's edge.
    same : int64 array [N]
        The recogniser's phone of the gold phone's symbol, −1 for none.
    utterance, pair : int64 array [N]
        Where it stands: in which utterance, and which of all aligned pairs it is.
    stratum : int64 array [N]
        Tokens of one gold phone between gold neighbours of the same classes, in ascending order.
    """

    gold: Codes
    heard: Codes
    left: Codes
    right: Codes
    gold_left: Codes
    gold_right: Codes
    same: Codes
    utterance: Codes
    pair: Codes
    stratum: Codes

    def __len__(self) -> int:
        return len(self.gold)

    def of(self, heard: Bools) -> "WrongTokens":
        """Return the tokens that were heard as some phones, bool [K]."""
        return self.at(np.flatnonzero(heard[self.heard]))

    def at(self, places: Codes | slice) -> "WrongTokens":
        """Return some of the tokens."""
        return WrongTokens(**{field.name: getattr(self, field.name)[places] for field in fields(self)})

    def by_gold(self) -> Iterator[tuple[slice, "WrongTokens"]]:
        """Yield where the tokens of each gold phone stand, and these."""
        ends = np.append(np.flatnonzero(np.diff(self.gold)) + 1, len(self))
        for first, last in zip(np.append(0, ends), ends, strict=False):
            if last > first:
                yield slice(first, last), self.at(slice(first, last))


def wrong_tokens(aligned: Alignments, phones: Inventory, *, usual: Bools, classes: Codes) -> WrongTokens:
    """Return the wrong tokens of an alignment between phones that were heard as usual, and not as one of these.

    Parameters
    ----------
    aligned : Alignments
        The alignment.
    phones : Inventory
        The K phones of the recogniser.
    usual : bool array [G, P]
        Whether a predicted phone is a usual answer to a gold phone.
    classes : int64 array [G + 1]
        The class of each gold neighbour, the edge's last.
    """
    gold, predicted = aligned.gold_inventory, aligned.predicted_inventory
    own = np.array([*map(phones.code, predicted), len(phones)], np.int64)
    same = np.array([phones.code(phone) if phone in phones else -1 for phone in gold], np.int64)
    wrong = (aligned.gold < len(gold)) & (aligned.predicted < len(predicted))
    wrong[wrong] = same[aligned.gold[wrong]] != own[aligned.predicted[wrong]]
    places = np.flatnonzero(wrong & _between_anchors(aligned, usual))
    heard, left, right = (own[side[places]] for side in (aligned.predicted, *predicted_neighbours(aligned)))
    y, before, behind = (side[places].astype(np.int64) for side in (aligned.gold, *gold_neighbours(aligned)))
    kinds = int(classes.max()) + 1
    tokens = WrongTokens(
        gold=y,
        heard=heard,
        left=left,
        right=right,
        gold_left=before,
        gold_right=behind,
        same=same[y],
        utterance=aligned.pair_utterances()[places],
        pair=places,
        stratum=(y * kinds + classes[before]) * kinds + classes[behind],
    )
    places = np.flatnonzero((heard != left) & (heard != right))
    return tokens.at(places[np.argsort(tokens.stratum[places], kind="stable")])


def usual_answers(matrix: ConfusionMatrix, nearest: Mapping[str, str]) -> Bools:
    """Return whether each phone is the nearest one to a gold phone, or its most frequent answer, bool [G, P]."""
    counts = matrix.substitutions
    usual = (counts > 0) & (counts == counts.max(axis=1, initial=0, keepdims=True))
    for row, phone in enumerate(matrix.gold):
        if nearest.get(phone, "") in matrix.predicted:
            usual[row, matrix.predicted.code(nearest[phone])] = True
    return np.asarray(usual)


def _between_anchors(aligned: Alignments, usual: Bools) -> Bools:
    """Return whether the pairs before and after each pair are usual, or it stands at the edge, [L]."""
    anchors = np.pad(usual, ((0, 1), (0, 1)))[aligned.gold, aligned.predicted]
    first, last = np.zeros((2, len(anchors)), dtype=bool)
    filled = np.diff(aligned.offsets) > 0
    first[aligned.offsets[:-1][filled]] = last[aligned.offsets[1:][filled] - 1] = True
    return np.asarray((first | np.roll(anchors, 1)) & (last | np.roll(anchors, -1)))


@dataclass(frozen=True, eq=False)
class Strata:
    """Where the strata of some tokens begin, and how many tokens each has, int64 [S] each."""

    starts: Codes
    sizes: Codes

    def mean(self, values: Floats, weights: Floats) -> Floats:
        """Return of each token its stratum's mean, [N, K], over the tokens of weight 1; 0 where there is none."""
        sums, counts = (np.add.reduceat(each, self.starts, axis=0) for each in (values * weights, weights))
        return np.repeat(divided(sums, counts, undefined=0.0), self.sizes, axis=0)

    @property
    def unbiased(self) -> Floats:
        """Return n/(n − 1) of each token's stratum of n tokens, [N]; 0 for a stratum of one."""
        return np.repeat(np.where(self.sizes > 1, self.sizes / np.maximum(self.sizes - 1, 1), 0.0), self.sizes)


def strata_of(tokens: WrongTokens) -> Strata:
    """Return the strata of some tokens."""
    _, starts, sizes = np.unique(tokens.stratum, return_index=True, return_counts=True)
    return Strata(starts, sizes)

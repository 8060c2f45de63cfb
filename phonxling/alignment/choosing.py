"""Alignments of the same utterances under several cost tables, each utterance's taken from one of them."""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from phonxling.core.alignment import Aligned, Alignments, ExpectedAlignments
from phonxling.core.arrays import offsets_of
from phonxling.core.confusion import ConfusionStack

_Which = NDArray[np.integer]


def choose(parts: Sequence[Aligned], which: _Which) -> Aligned:
    """Return best or expected alignments, each utterance's from the part that `which`, [U], says.

    Costs are over the parts' least common denominator.

    Raises
    ------
    ValueError
        If the parts hold different utterances or phones, or not all are of one kind.
    """
    best = [part for part in parts if isinstance(part, Alignments)]
    expected = [part for part in parts if isinstance(part, ExpectedAlignments)]
    if best and expected:
        raise ValueError("best and expected alignments cannot be chosen from together")
    return choose_paths(best, which) if best else _expected(expected, which)


def choose_paths(parts: Sequence[Alignments], which: _Which) -> Alignments:
    """Return best alignments, each utterance's from the part that `which`, [U], says. Errors as for `choose`."""
    if len(parts) == 1:
        return parts[0]
    _check(parts)
    places, offsets = _runs([part.offsets for part in parts], which)
    denominator = math.lcm(*(part.denominator for part in parts))
    cost = np.stack([part.cost * (denominator // part.denominator) for part in parts])
    return Alignments(
        utterances=parts[0].utterances,
        gold_inventory=parts[0].gold_inventory,
        predicted_inventory=parts[0].predicted_inventory,
        offsets=offsets,
        gold=np.concatenate([part.gold for part in parts])[places],
        predicted=np.concatenate([part.predicted for part in parts])[places],
        cost=cost[which, np.arange(len(which))],
        denominator=denominator,
    )


def _expected(parts: Sequence[ExpectedAlignments], which: _Which) -> ExpectedAlignments:
    if len(parts) == 1:
        return parts[0]
    _check(parts)
    stacks = [part.counts for part in parts]
    places, offsets = _runs([stack.offsets for stack in stacks], which)
    denominator = math.lcm(*(part.denominator for part in parts))
    cost = np.stack([part.cost * (denominator // part.denominator) for part in parts])
    ambiguity = np.stack([part.ambiguity for part in parts])
    utterance = np.arange(len(which))
    counts = ConfusionStack(
        utterances=stacks[0].utterances,
        gold=stacks[0].gold,
        predicted=stacks[0].predicted,
        offsets=offsets,
        cells=np.concatenate([stack.cells for stack in stacks])[places],
        counts=np.concatenate([stack.counts for stack in stacks])[places],
    )
    return ExpectedAlignments(
        counts=counts,
        cost=cost[which, utterance],
        ambiguity=ambiguity[which, utterance],
        denominator=denominator,
        temperature=parts[0].temperature,
    )


def _check(parts: Sequence[Aligned]) -> None:
    if len({(part.utterances, part.gold_inventory, part.predicted_inventory) for part in parts}) > 1:
        raise ValueError("only alignments of the same utterances and phones can be chosen from")


def _runs(offsets: Sequence[NDArray[np.int64]], which: _Which) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the places of the chosen runs in the parts' columns laid end to end, and the offsets of the result."""
    utterance = np.arange(len(which))
    begin = np.cumsum([0, *(ends[-1] for ends in offsets[:-1])])
    lengths = np.stack([np.diff(ends) for ends in offsets])[which, utterance]
    starts = (np.stack([ends[:-1] for ends in offsets]) + begin[:, None])[which, utterance]
    ends = offsets_of(lengths)
    return np.arange(ends[-1]) + np.repeat(starts - ends[:-1], lengths), ends

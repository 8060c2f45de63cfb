"""Items of the same utterances with the same gold phones, and what they heard at each gold token."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce

import numpy as np

from phonxling.comparison.measured import Measured
from phonxling.core.alignment import CORRECT, Alignments
from phonxling.core.arrays import Bools, Codes
from phonxling.core.inventory import Inventory, merge


@dataclass(frozen=True, eq=False, kw_only=True)
class HeardTokens:
    """N gold tokens, utterance by utterance, as S items heard them.

    Parameters
    ----------
    phones : Inventory
        P phones, of gold and of all items.
    utterances : tuple of str
        U ids.
    utterance, position : int64 array [N]
        Which utterance a token belongs to, and which of its gold phones it is, from 1.
    gold : int64 array [N]
        The code of its gold phone.
    heard : int64 array [S, N]
        The code of what each item heard; P for nothing (a deletion).
    neighbours : int64 array [N]
        How many of the two aligned pairs beside the token are right in all items, 0 to 2; an edge of the utterance
        counts as right.
    """

    phones: Inventory
    utterances: tuple[str, ...]
    utterance: Codes
    position: Codes
    gold: Codes
    heard: Codes
    neighbours: Codes


def heard_tokens(paths: Sequence[Alignments]) -> HeardTokens:
    """Return the gold tokens of alignments of the same utterances, in the same order, with the same gold phones."""
    inventories = (one for path in paths for one in (path.gold_inventory, path.predicted_inventory))
    phones = reduce(merge, inventories)
    spoken = [np.flatnonzero(path.gold < len(path.gold_inventory)) for path in paths]
    sides = list(zip(paths, spoken, strict=True))
    heard = [_codes(path.predicted_inventory, phones)[path.predicted[own]] for path, own in sides]
    beside = [_beside(path)[:, own] for path, own in sides]
    first, own = paths[0], spoken[0]
    utterance = first.pair_utterances()[own]
    begins = np.searchsorted(utterance, np.arange(len(first)))
    return HeardTokens(
        phones=phones,
        utterances=first.utterances,
        utterance=utterance,
        position=np.arange(len(own)) - begins[utterance] + 1,
        gold=_codes(first.gold_inventory, phones)[first.gold[own]],
        heard=np.stack(heard),
        neighbours=np.logical_and.reduce(beside).sum(axis=0),
    )


def _codes(own: Inventory, phones: Inventory) -> Codes:
    """Return the code among all phones of each of an inventory, and of none."""
    return np.array([*(phones.code(phone) for phone in own), len(phones)], dtype=np.int64)


def _beside(path: Alignments) -> Bools:
    """Return whether the pair before and the pair after each pair are right, [2, L]."""
    right = path.operations == CORRECT
    before, after = np.ones((2, len(right)), dtype=bool)
    before[1:], after[:-1] = right[:-1], right[1:]
    filled = np.diff(path.offsets) > 0
    before[path.offsets[:-1][filled]] = True
    after[path.offsets[1:][filled] - 1] = True
    return np.stack([before, after])


@dataclass(frozen=True, eq=False)
class Group:
    """Two or more items of the same utterances with the same gold phones, and their tokens."""

    members: tuple[Measured, ...]
    tokens: HeardTokens


def groups_of(items: Sequence[Measured]) -> list[Group]:
    """Return the groups of two or more items that are resampled together, in the order of their first items."""
    alike = (tuple(one for one in items if one.group == number) for number in dict.fromkeys(one.group for one in items))
    return [Group(members, heard_tokens([one.item.path for one in members])) for members in alike if len(members) > 1]

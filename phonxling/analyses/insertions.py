"""Insertions in the results: insertions.tsv.

Insertions: what is inserted, between which gold phones, and of which kind.

Kinds
-----
Every insertion is of exactly one kind, decided by its own phone, the gold phone before it and the one after it (an
utterance's edge is no phone). The first that holds of:

- `repeated_neighbour`: the same symbol as a gold neighbour. A long phone was heard twice, or its place shifted.
- `empty_gold`: the utterance has no gold phone at all. Noise or another speaker was heard as speech.
- `unclassified`: it, or a neighbour, has no features, or the feature table lacks syl or cons, so that nobody can tell
  vowel from consonant.
- `vowel_between_consonants`: what epenthesis looks like; also where a release or a voiced transition is heard.
- `vowel_at_edge`: a consonant on one side, the edge on the other; what prothesis and paragoge, and noise, look like.
- `vowel_beside_vowel`: a vowel on at least one side. One vowel was heard as two: a glide, a diphthong, a long vowel.
- `consonant_between_vowels`: what filling a hiatus looks like.
- `consonant_at_edge`: one neighbour is the edge. Breath, clicks and noise.
- `consonant_beside_consonant`: a consonant on at least one side and no edge.

A vowel is `+syl -cons`; all else with features is a consonant, syllabic ones and glides included.

The level without structure
---------------------------
If the same phones had been inserted without regard to place, phone x would stand between gold phones l and r with
probability p(x)·p(l, r): p(x) its share of the insertions, p(l, r) the share of such places (an utterance of n phones
has n + 1 places). The share of a kind is then Σ p(x) p(l, r) over what belongs to it. It says nothing of how an aligner
places insertions: among places that cost the same, the tie rule decides.
"""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from phonxling.analyses.case import Case, Items
from phonxling.core.alignment import Alignments
from phonxling.core.arrays import Codes
from phonxling.core.features import FeatureTable
from phonxling.core.inventory import Inventory
from phonxling.count.confusions import EDGE, gold_neighbours

# Insertions: what is inserted, between which gold phones, and of which kind.

KINDS = (
    "repeated_neighbour",
    "empty_gold",
    "unclassified",
    "vowel_between_consonants",
    "vowel_at_edge",
    "vowel_beside_vowel",
    "consonant_between_vowels",
    "consonant_at_edge",
    "consonant_beside_consonant",
)
_VOWEL, _CONSONANT, _EDGE, _UNKNOWN = range(4)


@dataclass(frozen=True, eq=False)
class InsertionKinds:
    """The kind of inserting x between gold l and r, `kinds[x, l, r]`: a position in `KINDS`, of any number at once."""

    own: Codes
    around: Codes
    same: Codes

    def __getitem__(self, places: tuple[ArrayLike, ArrayLike, ArrayLike]) -> NDArray[np.int8]:
        phone, before, after = np.broadcast_arrays(*places)
        own, left, right, same = self.own[phone], self.around[before], self.around[after], self.same[phone]
        vowel = own == _VOWEL
        rules = [
            (same == before) | (same == after),
            (left == _EDGE) & (right == _EDGE),
            (own == _UNKNOWN) | (left == _UNKNOWN) | (right == _UNKNOWN),
            vowel & (left == _CONSONANT) & (right == _CONSONANT),
            vowel & (left != _VOWEL) & (right != _VOWEL),
            vowel,
            (left == _VOWEL) & (right == _VOWEL),
            (left == _EDGE) | (right == _EDGE),
        ]
        return np.asarray(np.select(rules, range(8), 8), np.int8)


def insertion_kinds(gold: Inventory, predicted: Inventory, table: FeatureTable) -> InsertionKinds:
    """Return the kind of inserting any predicted phone between any two gold phones."""
    same = [gold.code(phone) if phone in gold else -1 for phone in predicted]
    return InsertionKinds(_sorts(predicted, table), np.append(_sorts(gold, table), _EDGE), np.array(same, np.int64))


def inserted_between(aligned: Alignments) -> tuple[Codes, ...]:
    """Return each insertion's predicted phone and the gold phones before and after it, by code; G for an edge."""
    inserted = aligned.gold == len(aligned.gold_inventory)
    left, right = gold_neighbours(aligned)
    return tuple(side[inserted].astype(np.int64) for side in (aligned.predicted, left, right))


def _sorts(phones: Inventory, table: FeatureTable) -> Codes:
    tells_vowels = {"syl", "cons"} <= set(table.features)
    return np.array([_sort(phone, table) if tells_vowels else _UNKNOWN for phone in phones], np.int64)


def _sort(phone: str, table: FeatureTable) -> int:
    if table.vector(phone)[0] is None:
        return _UNKNOWN
    return _VOWEL if table.is_vowel(phone) else _CONSONANT


def insertions(case: Case, _: None) -> Items:
    """Yield insertions.tsv."""
    path = case.counted.path
    kinds = insertion_kinds(path.gold_inventory, path.predicted_inventory, case.features)
    yield "insertions", _table(case, kinds)


def _table(case: Case, kinds: InsertionKinds) -> pd.DataFrame:
    """Return how often each phone is inserted between gold phones of which classes, and as what kind."""
    path = case.counted.path
    (phone, left, right), number = np.unique(np.stack(inserted_between(path)), axis=1, return_counts=True)
    classes = np.array([*map(case.classes.default_of, path.gold_inventory), EDGE], dtype=object)
    inserted = pd.DataFrame(
        {
            "code": phone,
            "predicted": np.array(path.predicted_inventory.phones, dtype=object)[phone],
            "left": classes[left],
            "right": classes[right],
            "kind": np.array(KINDS, dtype=object)[kinds[phone, left, right]],
            "count": number,
        }
    )
    counted = inserted.groupby(list(inserted.columns[:-1]))["count"].sum().reset_index().drop(columns="code")
    return counted.assign(share=counted["count"] / max(number.sum(), 1))

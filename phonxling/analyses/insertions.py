"""Insertions, insertions.tsv: what is inserted, between which gold phones, and of which kind.

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

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from phonxling.analyses.case import Case, Items
from phonxling.core.alignment import Alignments
from phonxling.core.arrays import Codes
from phonxling.core.features import FeatureTable
from phonxling.core.inventory import Inventory
from phonxling.count.confusions import EDGE, gold_neighbours

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


def kinds_of(places: tuple[Codes, ...], gold: Inventory, predicted: Inventory, table: FeatureTable) -> NDArray[np.int8]:
    """Return the kind, a position in `KINDS`, of inserting phones x between gold l and r (G is the edge), [N] each."""

    def sorts(phones: Inventory) -> Codes:
        known = [{"syl", "cons"} <= set(table.features) and table.vector(phone)[0] is not None for phone in phones]
        vowels = [has and table.is_vowel(phone) for phone, has in zip(phones, known, strict=True)]
        told = np.where(np.array(vowels, bool), _VOWEL, _CONSONANT)
        return np.where(np.array(known, bool), told, _UNKNOWN).astype(np.int64)

    phone, before, after = places
    around = np.append(sorts(gold), _EDGE)
    own, left, right = sorts(predicted)[phone], around[before], around[after]
    same = np.array([gold.code(one) if one in gold else -1 for one in predicted], np.int64)[phone]
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


def inserted_between(aligned: Alignments) -> tuple[Codes, ...]:
    """Return each insertion's predicted phone and the gold phones before and after it, by code; G for an edge."""
    inserted = aligned.gold == len(aligned.gold_inventory)
    left, right = gold_neighbours(aligned)
    return tuple(side[inserted].astype(np.int64) for side in (aligned.predicted, left, right))


def insertions(case: Case, _: None) -> Items:
    """Yield insertions.tsv: how often each phone is inserted between gold phones of which classes, as what kind."""
    path, gold, predicted = case.counted.path, case.counted.path.gold_inventory, case.counted.path.predicted_inventory
    places, number = np.unique(np.stack(inserted_between(path)), axis=1, return_counts=True)
    phone, left, right = places
    classes = np.array([*map(case.classes.default_of, gold), EDGE], dtype=object)
    columns = {
        "code": phone,
        "predicted": np.array(predicted.phones, dtype=object)[phone],
        "left": classes[left],
        "right": classes[right],
        "kind": np.array(KINDS, dtype=object)[kinds_of((phone, left, right), gold, predicted, case.features)],
    }
    inserted = pd.DataFrame({**columns, "count": number})
    counted = inserted.groupby(list(columns))["count"].sum().reset_index().drop(columns="code")
    yield "insertions", counted.assign(share=counted["count"] / max(number.sum(), 1))

"""Costs that align cognate words as historical linguists do: which sounds may correspond, and which are lost first.

Conventions
-----------
Costs are in units of the loss of an obstruent. Each phone is of one class, by its features; a phone that has none is
taken as its longest beginning that has (bˁ as b). A phone costs 0 to itself. Beyond that

- tones stand with tones alone, word boundaries with boundaries alone, vowels never with consonants;
- any two vowels, and any two tones, cost `vowels` and `tones`: their places in the word tell more than their qualities;
- two consonants cost `scale` · Σ w |f − g| / 2 over the features but syllabicity and tone, weights by name (panphon's),
  at most `dissimilar`; a vowel and its own glide (i with j, u with w) cost `dissimilar`;
- a gap costs by the class of what is lost, and each run of gaps `opening` more (Gotoh 1982);
- of equally good alignments, the one whose gaps stand latest: words agree from their beginning on (ties `late`).

The classes and the order of their stability follow Dolgopolsky (1964), Kondrak (2000) and List (2012).
"""

import math
from dataclasses import dataclass, fields
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from phonxling.alignment.costs.sound_classes import NEEDED, class_and_features
from phonxling.core.costs import CostTable, Ties
from phonxling.core.errors import DataError
from phonxling.core.inventory import Inventory
from phonxling.core.phonology.features import TONE_FEATURES, FeatureTable

COGNATE = "cognate"
_HEIGHT_AND_PLACE = ("hi", "lo", "back", "round")
_WEIGHT_UNIT = 8  # weights are multiples of 1/8
Integers = NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True)
class CognateSettings:
    """The numbers of the costs, in units of the loss of an obstruent, each with its reason."""

    scale: Fraction = Fraction(6, 5)
    """Of consonants' distance: voice or place changes cheaply, manner dearly, and sonority as much as a loss."""
    dissimilar: Fraction = Fraction(9, 5)
    """At most, for two consonants: less than to lose both (2.8 with opening), so that the place decides."""
    vowels: Fraction = Fraction(0)
    """Any two vowels: qualities change so freely that they tell little of which vowels correspond."""
    tones: Fraction = Fraction(0)
    """Any two tones, for the same reason."""
    never: Fraction = Fraction(4)
    """Pairs that do not correspond: dearer than to lose both."""
    obstruent: Fraction = Fraction(1)
    """The loss of a stop, affricate or fricative: the unit."""
    liquid: Fraction = Fraction(1)
    """The loss of l or r, which last as long as obstruents."""
    nasal: Fraction = Fraction(4, 5)
    """The loss of a nasal, which leaves nasal vowels behind."""
    glide: Fraction = Fraction(4, 5)
    """The loss of a glide, which joins its vowel."""
    laryngeal: Fraction = Fraction(3, 5)
    """The loss of h or ʔ: the last step of weakening before nothing."""
    syllabic: Fraction = Fraction(4, 5)
    """The loss of a syllabic consonant."""
    vowel: Fraction = Fraction(4, 5)
    """The loss of a vowel: apocope and syncope are common."""
    schwa: Fraction = Fraction(2, 5)
    """The loss of a central, reduced vowel: the commonest of all."""
    tone: Fraction = Fraction(1)
    """The loss of a tone, which goes with its syllable."""
    boundary: Fraction = Fraction(1)
    """The loss of a boundary between words."""
    unknown: Fraction = Fraction(1)
    """The loss of a phone of which nothing is known."""
    opening: Fraction = Fraction(2, 5)
    """Each run of gaps: a syllable or an ending goes as a whole."""
    ties: Ties = "late"
    """Words agree from their beginning on."""


@dataclass(frozen=True, eq=False)
class _Phones:
    """Phones of one side: class of each, and its features (0 without), int64 [P, F]."""

    classes: NDArray[np.str_]
    features: Integers


def cognate_costs(
    gold: Inventory, predicted: Inventory, table: FeatureTable, settings: CognateSettings | None = None
) -> CostTable:
    """Return the costs between two inventories, exact, with a cost of opening a run of gaps.

    Raises
    ------
    DataError
        If the feature table lacks a feature that the classes need, or weights.

    Examples
    --------
    >>> from phonxling.load.resources.features import panphon_features
    >>> costs = cognate_costs(Inventory(("a", "t")), Inventory(("o", "d", "⁵⁵")), panphon_features())
    >>> [str(costs.cost(*pair)) for pair in [("a", "o"), ("t", "d"), ("t", "o"), ("a", "⁵⁵"), ("a", None)]]
    ['0', '3/20', '4', '4', '4/5']
    """
    missing = [name for name in NEEDED if name not in table.features]
    if missing:
        raise DataError(f"the costs '{COGNATE}' need the features {', '.join(missing)}, which {table.name} lacks")
    if not table.weights:
        raise DataError(f"the costs '{COGNATE}' need weights of features, which {table.name} lacks")
    chosen = settings or CognateSettings()
    numbers = {part.name: getattr(chosen, part.name) for part in fields(chosen) if part.name != "ties"}
    unit = math.lcm(2 * _WEIGHT_UNIT * chosen.scale.denominator, *(number.denominator for number in numbers.values()))
    price = {name: int(number * unit) for name, number in numbers.items()}
    first, second = _phones(gold, table), _phones(predicted, table)
    same = np.array([[g == p for p in predicted] for g in gold], dtype=bool).reshape(len(gold), len(predicted))
    pairs = np.where(same, 0, _pairs(first, second, table, price))
    losses = [np.array([price[kind] for kind in side.classes], dtype=np.int64) for side in (first, second)]
    shared = math.gcd(unit, *price.values(), *(int(cost) for cost in np.unique(pairs)))
    return CostTable(
        gold=gold,
        predicted=predicted,
        substitution=(pairs // shared).astype(np.int32),
        deletion=(losses[0] // shared).astype(np.int32),
        insertion=(losses[1] // shared).astype(np.int32),
        opening=price["opening"] // shared,
        denominator=unit // shared,
        name=COGNATE,
        ties=chosen.ties,
        as_rate=False,
        deletion_name=COGNATE,
        insertion_name=COGNATE,
    )


def _phones(inventory: Inventory, table: FeatureTable) -> _Phones:
    phones = [class_and_features(phone, table) for phone in inventory]
    vectors = np.array([vector for _, vector in phones], dtype=np.int64).reshape(len(phones), len(table.features))
    return _Phones(np.array([kind for kind, _ in phones], dtype=np.str_), vectors)


def _pairs(first: _Phones, second: _Phones, table: FeatureTable, price: dict[str, int]) -> Integers:
    """Return what different phones of the two sides cost, int64 [G, P]."""
    groups = [np.array([_GROUPS.get(kind, "consonant") for kind in side.classes]) for side in (first, second)]
    alike = groups[0][:, None] == groups[1][None, :]
    unknown = (groups[0] == "unknown")[:, None] | (groups[1] == "unknown")[None, :]
    apart = np.isin(groups[0], ("tone", "boundary"))[:, None] | np.isin(groups[1], ("tone", "boundary"))[None, :]
    within = {"vowel": price["vowels"], "tone": price["tones"], "boundary": 0}
    costs = np.minimum(_distances(first, second, table, price), price["dissimilar"])
    for group, cost in within.items():
        costs = np.where(alike & (groups[0] == group)[:, None], cost, costs)
    costs = np.where(alike, costs, price["never"])
    return np.where((unknown & ~apart) | _own_glide(first, second, table), price["dissimilar"], costs)


_GROUPS = {"vowel": "vowel", "schwa": "vowel", "tone": "tone", "boundary": "boundary", "unknown": "unknown"}


def _distances(first: _Phones, second: _Phones, table: FeatureTable, price: dict[str, int]) -> Integers:
    left_out = {"syl", *TONE_FEATURES}
    weights = [0.0 if name in left_out else table.weights.get(name, 0.0) for name in table.features]
    exact = np.array([round(weight * _WEIGHT_UNIT) for weight in weights], dtype=np.int64)
    difference = np.abs(first.features[:, None, :] - second.features[None, :, :])
    return np.asarray(difference @ exact * (price["scale"] // (2 * _WEIGHT_UNIT)), dtype=np.int64)


def _own_glide(first: _Phones, second: _Phones, table: FeatureTable) -> NDArray[np.bool_]:
    """Return which pairs are a high vowel and the glide of its height, backness and rounding."""
    column = {name: table.features.index(name) for name in NEEDED}
    places = [column[name] for name in _HEIGHT_AND_PLACE]
    same = (first.features[:, None, places] == second.features[None, :, places]).all(axis=2)
    vowels = [np.isin(side.classes, ("vowel", "schwa")) for side in (first, second)]
    glides = [
        (side.classes == "glide") & (side.features[:, column["hi"]] > 0) & (side.features[:, column["cor"]] < 0)
        for side in (first, second)
    ]
    crossed = (vowels[0][:, None] & glides[1][None, :]) | (glides[0][:, None] & vowels[1][None, :])
    return np.asarray(same & crossed)

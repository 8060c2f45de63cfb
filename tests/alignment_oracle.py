"""A slow alignment that shares no code with the product: a full table of fractions, read as definition 3 says it."""

import functools
import itertools
from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from phonxling.core.costs import CostTable, Ties
from phonxling.core.inventory import GAP, Inventory

Pairs = list[tuple[str, str]]


def made_costs(
    numbers: Sequence[int], *, gold: Inventory, predicted: Inventory, denominator: int = 1, ties: Ties = "identical"
) -> CostTable:
    """Return costs of numbers in a row: substitutions by gold phone, then deletions, then insertions."""
    values, size = np.array(numbers), len(gold) * len(predicted)
    return CostTable(
        gold=gold,
        predicted=predicted,
        substitution=values[:size].reshape(len(gold), len(predicted)),
        deletion=values[size : size + len(gold)],
        insertion=values[size + len(gold) :],
        denominator=denominator,
        name="test",
        ties=ties,
    )


def price(pairs: Pairs, costs: CostTable) -> Fraction:
    return sum((costs.cost(None if g == GAP else g, None if p == GAP else p) for g, p in pairs), Fraction(0))


def full_table(gold: Sequence[str], predicted: Sequence[str], costs: CostTable) -> tuple[Fraction, Pairs]:
    """Fill a whole table of (cost, −identical) and trace it from the end."""
    paid = functools.cache(costs.cost)
    best: dict[tuple[int, int], tuple[Fraction, int]] = {}
    step: dict[tuple[int, int], int] = {}
    counted, diagonal = costs.ties == "identical", 3 if costs.ties == "kaldi" else 0
    for i, j in itertools.product(range(len(gold) + 1), range(len(predicted) + 1)):
        choices: list[tuple[tuple[Fraction, int], int]] = []
        if i and j:
            cost, same = best[i - 1, j - 1]
            identical = int(counted and gold[i - 1] == predicted[j - 1])
            choices.append(((cost + paid(gold[i - 1], predicted[j - 1]), same - identical), diagonal))
        if j:
            cost, same = best[i, j - 1]
            choices.append(((cost + paid(None, predicted[j - 1]), same), 1))
        if i:
            cost, same = best[i - 1, j]
            choices.append(((cost + paid(gold[i - 1], None), same), 2))
        best[i, j], step[i, j] = min(choices, default=((Fraction(0), 0), -1))
    pairs: Pairs = []
    i, j = len(gold), len(predicted)
    while i or j:
        move = step[i, j]
        i, j = i - (move != 1), j - (move != 2)
        pairs.append((GAP if move == 1 else gold[i], GAP if move == 2 else predicted[j]))
    return best[len(gold), len(predicted)][0], pairs[::-1]

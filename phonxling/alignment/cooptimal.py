"""Whether an alignment is among the best of two sequences, and how many best ones there are: counted exactly."""

from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise

from phonxling.alignment.affine import pack
from phonxling.core.costs import CostTable

Links = frozenset[tuple[int, int]]
_Best = tuple[int | None, int]  # the least value (None: out of reach) and the number of alignments that have it


class BestAlignments:
    """Compares alignments with the best ones under given costs.

    An alignment is a set of links, pairs of positions. The best ones have least cost and, among these, most of what the
    ties ask for: identical pairs, or gaps that stand late. The order in which the traced path is chosen is no such
    criterion, so all that it chooses from are best.
    """

    def __init__(self, costs: CostTable) -> None:
        substitution, deletion, insertion, self._opening = pack(costs)
        self._pair: list[list[int]] = substitution.tolist()
        self._out: list[int] = deletion.tolist()
        self._into: list[int] = insertion.tolist()
        self._late = int(costs.ties == "late")

    def share(self, gold: Sequence[int], predicted: Sequence[int], links: Links) -> Fraction:
        """Return 1 / the number of best alignments of two sequences of codes if `links` is one of them, else 0.

        Examples
        --------
        Under unit costs "a" stands as well with the first as with the second "a" of "aa":

        >>> from phonxling.alignment.costs import cost_table
        >>> from phonxling.core.inventory import Inventory
        >>> best = BestAlignments(cost_table("unit", Inventory(("a",)), Inventory(("a",)), None))
        >>> best.share([0], [0, 0], frozenset({(0, 1)})), best.share([0], [0, 0], frozenset())
        (Fraction(1, 2), Fraction(0, 1))
        """
        least, number = self._count(gold, predicted)
        return Fraction(int(self._value(gold, predicted, links) == least), number)

    def _value(self, gold: Sequence[int], predicted: Sequence[int], links: Links) -> int:
        """Return what an alignment is worth: its links, its gaps, and each word's runs of gaps between two links."""
        ends = [(-1, -1), *sorted(links), (len(gold), len(predicted))]
        value = sum(self._pair[gold[i]][predicted[j]] for i, j in links)
        for (i, j), (next_i, next_j) in pairwise(ends):
            value += sum(self._out[gold[k]] - k * self._late for k in range(i + 1, next_i))
            value += sum(self._into[predicted[k]] - k * self._late for k in range(j + 1, next_j))
            value += self._opening * ((next_i > i + 1) + (next_j > j + 1))
        return value

    def _count(self, gold: Sequence[int], predicted: Sequence[int]) -> tuple[int, int]:
        """Return the least value and how many alignments have it, by the three states of `phonxling.alignment.affine`."""
        above: list[tuple[_Best, _Best, _Best]] = []
        for i in range(len(gold) + 1):
            row: list[tuple[_Best, _Best, _Best]] = []
            for j in range(len(predicted) + 1):
                pair: _Best = (None, 0) if i or j else (0, 1)
                into = out = (None, 0)
                if i and j:
                    pair = _least((*above[j - 1],), self._pair[gold[i - 1]][predicted[j - 1]])
                if j:
                    before = row[j - 1]
                    into = _least(
                        (_more(before[0], self._opening), before[1]),
                        self._into[predicted[j - 1]] - (j - 1) * self._late,
                    )
                if i:
                    before = above[j]
                    opened = (_more(before[0], self._opening), _more(before[1], self._opening), before[2])
                    out = _least(opened, self._out[gold[i - 1]] - (i - 1) * self._late)
                row.append((pair, into, out))
            above = row
        least, number = _least(above[-1], 0)
        return least or 0, number


def _more(best: _Best, cost: int) -> _Best:
    return best if best[0] is None else (best[0] + cost, best[1])


def _least(states: Sequence[_Best], cost: int) -> _Best:
    """Return the least value of several states, how many alignments have it in all, and `cost` added to it."""
    reached = [value for value, _ in states if value is not None]
    if not reached:
        return None, 0
    least = min(reached)
    return least + cost, sum(number for value, number in states if value == least)

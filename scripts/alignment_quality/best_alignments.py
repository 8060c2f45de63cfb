"""Whether an alignment is among the best of two sequences, and how many best ones there are: counted exactly."""

from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise

from phonxling.alignment.affine import pack
from phonxling.core.costs import CostTable

Links = frozenset[tuple[int, int]]
_Best = tuple[int, int]  # the least value, and the number of alignments that have it
_Cell = tuple[_Best, _Best, _Best]  # of those that end in a pair, an insertion, a deletion
_FAR = (1 << 200, 0)  # out of reach


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

        >>> from phonxling.alignment.costs.named import cost_table
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
            value += sum(self._deletion(gold, place) for place in range(i + 1, next_i))
            value += sum(self._insertion(predicted, place) for place in range(j + 1, next_j))
            value += self._opening * ((next_i > i + 1) + (next_j > j + 1))
        return value

    def _count(self, gold: Sequence[int], predicted: Sequence[int]) -> tuple[int, int]:
        """Return the least value and how many alignments have it, by the three states of `alignment.affine`."""
        above: list[_Cell] = []
        for i in range(len(gold) + 1):
            row: list[_Cell] = []
            for j in range(len(predicted) + 1):
                pair = _least(above[j - 1], self._pair[gold[i - 1]][predicted[j - 1]]) if i and j else _start(i, j)
                into = _least(self._opened(row[j - 1][:2], 1), self._insertion(predicted, j - 1)) if j else _FAR
                out = _least(self._opened(above[j], 2), self._deletion(gold, i - 1)) if i else _FAR
                row.append((pair, into, out))
            above = row
        return _least(above[-1], 0)

    def _opened(self, states: Sequence[_Best], going_on: int) -> list[_Best]:
        """Return the states with the cost of opening a gap after each but the one in which it is open."""
        return [(value + self._opening * (state != going_on), n) for state, (value, n) in enumerate(states)]

    def _deletion(self, gold: Sequence[int], place: int) -> int:
        return self._out[gold[place]] - place * self._late

    def _insertion(self, predicted: Sequence[int], place: int) -> int:
        return self._into[predicted[place]] - place * self._late


def _start(i: int, j: int) -> _Best:
    return _FAR if i or j else (0, 1)


def _least(states: Sequence[_Best], cost: int) -> _Best:
    """Return the least value of several states with a cost added, and how many alignments have it in all."""
    least = min(value for value, _ in states)
    return least + cost, sum(number for value, number in states if value == least)

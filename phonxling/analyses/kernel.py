"""The loops of the analyses: what constants cost, and best assignments.

All stand in one file, since numba's cache does not see a change in another one.

The best assignment
-------------------
An assignment of columns to rows is best exactly when every pair in it is tight, c = u + v, for prices u ≥ 0 of rows and
v ≥ 0 of columns with c ≤ u + v everywhere, and whoever has a price above 0 has a partner (complementary slackness).
Rows find a partner by the way on which prices change least (the Hungarian method with the search of Dijkstra). Whatever
these prices are, all best assignments are made of the few tight pairs, and the first one, in the order of the rows, is
found among these without assigning anew.

References
----------
Kuhn (1955), The Hungarian method for the assignment problem. Jonker & Volgenant (1987), A shortest augmenting path
algorithm. Schrijver (2003), Combinatorial Optimization, chapters 17 and 18.
"""

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from phonxling.core.arrays import Bools, Codes, Floats
from phonxling.core.jit import numba

Integers: TypeAlias = NDArray[np.integer]
Pairs: TypeAlias = tuple[Codes, Codes, Floats]  # where each row's begin, the column of each, its tokens
Match: TypeAlias = tuple[Codes, Codes, Floats, Floats]  # each row's column, each column's row, both sides' prices
Search: TypeAlias = tuple[Floats, Codes, Codes, Bools]  # how far each column is, from which row, which are met, done
Free: TypeAlias = tuple[Bools, Bools, Bools]  # which rows and which columns need no partner, which columns are fixed
_U = numba.uint64
_TIE = 1e-9  # of the tokens: how far apart equal sums may lie; fractional counts have rounding, whole ones differ by 1
_compiled = numba.njit(cache=True, nogil=True, boundscheck=False, error_model="numpy")


@_compiled
def pay_constants(
    gold: Integers,
    offsets: Codes,
    lengths: Codes,
    deletion: Codes,
    insertion: Codes,
    order: Codes,
    saved: Codes,
    paid: Codes,
) -> None:
    """Write to `paid` [k, U] what each utterance costs at least if every prediction is one of k answers."""
    tokens = np.zeros(deletion.size, np.int64)
    for utterance in range(lengths.size):
        first, last, deleted = offsets[utterance], offsets[utterance + 1], 0
        for place in range(first, last):
            tokens[gold[_U(place)]] += 1
            deleted += deletion[gold[_U(place)]]
        for answer in range(insertion.size):
            total, left, at = deleted + lengths[utterance] * insertion[answer], min(lengths[utterance], last - first), 0
            while left > 0:
                pairs = min(left, tokens[_U(order[answer, at])])
                total, left, at = total + pairs * saved[answer, at], left - pairs, at + 1
            paid[answer, utterance] = total
        for place in range(first, last):
            tokens[gold[_U(place)]] = 0


@_compiled
def best_partners(first: Codes, column: Codes, tokens: Floats, columns: int, partners: Codes) -> None:
    """Write to `partners` [T, G] the first of the best assignments of each of T tables in the order of the rows."""
    rows = first.size - 1
    places, counts, starts = np.empty(column.size, np.int64), np.empty(column.size), np.empty(rows + 1, np.int64)
    starts[0] = 0
    owner, row_price, column_price = np.empty(columns, np.int64), np.empty(rows), np.empty(columns)
    reach, done = np.empty(columns), np.empty(columns, np.bool_)
    search = reach, np.empty(columns, np.int64), np.empty(columns, np.int64), done
    for table in range(len(tokens)):
        own, partner, number, total = tokens[table], partners[table], 0, 0.0
        owner[:], column_price[:], reach[:], done[:] = -1, 0.0, np.inf, False
        partner[:], row_price[:] = -1, 0.0
        for row in range(rows):
            for pair in range(first[row], first[row + 1]):
                places[_U(number)], counts[_U(number)] = column[_U(pair)], own[_U(pair)]
                number += own[_U(pair)] > 0
                total += own[_U(pair)]
            starts[row + 1] = number
        pairs, match = (starts, places, counts), (partner, owner, row_price, column_price)
        for row in range(rows):
            _find_partner(row, pairs, match, search)
        _take_the_first(pairs, match, _TIE * total)


@_compiled
def _find_partner(row: int, pairs: Pairs, match: Match, search: Search) -> None:  # noqa: C901 - one search
    """Give `row` a partner, others changing theirs."""
    (first, column, tokens), (partner, owner, row_price, column_price), (reach, came, met, done) = pairs, match, search
    for pair in range(first[row], first[row + 1]):
        row_price[row] = max(row_price[row], tokens[_U(pair)] - column_price[_U(column[_U(pair)])])
    here, far, finished, number = row, 0.0, 0, 0
    least, last, nearest, at = row_price[row], row, -1, -1
    while True:
        for pair in range(first[here], first[here + 1]):
            place = _U(column[_U(pair)])
            way = far + row_price[here] + column_price[place] - tokens[_U(pair)]
            if way <= least and way < reach[place] and not done[place]:
                if reach[place] == np.inf:
                    met[_U(number)] = place
                    number += 1
                reach[place], came[place] = way, here
        at, far = -1, least
        for one in range(finished, number):
            way = reach[_U(met[_U(one)])]
            if way < far or (at < 0 and way == far):
                at, far = one, way
        if at < 0:
            break
        nearest = met[at]
        if owner[nearest] < 0:
            break
        met[at], met[finished] = met[finished], nearest
        done[nearest], here, finished = True, owner[nearest], finished + 1
        if far + row_price[here] < least:
            least, last = far + row_price[here], here
    row_price[row] -= far
    for one in range(finished):
        place = _U(met[one])
        column_price[place] += far - reach[place]
        row_price[owner[place]] -= far - reach[place]
    for one in range(number):
        reach[met[one]], done[met[one]] = np.inf, False
    if at < 0 and last == row:
        return
    if at < 0:
        nearest, partner[last] = partner[last], -1
    while nearest >= 0:
        giver = came[nearest]
        given = partner[giver]
        partner[giver], owner[nearest], nearest = nearest, giver, given


@_compiled
def _take_the_first(pairs: Pairs, match: Match, tie: float) -> None:
    """Change a best assignment into the first of the best; `tie` is how far apart equal sums may lie."""
    (first, column, tokens), (partner, owner, row_price, column_price) = pairs, match
    rows, columns = partner.size, owner.size
    starts, tight, number = np.empty(rows + 1, np.int64), np.empty(tokens.size, np.int64), 0
    starts[0] = 0
    for row in range(rows):
        for pair in range(first[row], first[row + 1]):
            tight[_U(number)] = column[_U(pair)]
            number += tokens[_U(pair)] >= row_price[row] + column_price[_U(column[_U(pair)])] - tie
        starts[row + 1] = number
    fixed = np.zeros(columns, np.bool_)
    free = row_price <= tie, column_price <= tie, fixed
    for row in range(rows):
        for at in range(starts[row], starts[row + 1]):
            wanted = tight[at]
            if wanted == partner[row]:
                break
            if not fixed[wanted] and _take(row, wanted, starts, tight, partner, owner, free):
                break
        if partner[row] >= 0:
            fixed[partner[row]] = True


@_compiled
def _take(  # noqa: C901 - one search
    row: int, wanted: int, starts: Codes, tight: Codes, partner: Codes, owner: Codes, free: Free
) -> bool:
    """Give `row` the column that it wants if an assignment remains the best so, and say whether it does."""
    free_row, free_column, fixed = free
    nobody, left, waiting, done, found = partner.size, partner[row], 1, 0, False
    queue = np.empty(nobody + 1, np.int64)
    came, taken = np.full(nobody + 1, -1), np.full(nobody + 1, -1)  # who drives each out, of which column
    queue[0] = here = owner[wanted] if owner[wanted] >= 0 else nobody
    came[here] = here
    while not found:
        if done == waiting:
            return False
        here = queue[done]
        done += 1
        if here == nobody:
            found = left < 0 or free_column[left]
            for other in range(row + 1, nobody):
                place = partner[other]
                if came[other] < 0 and (place < 0 or (free_column[place] and not fixed[place])):
                    came[other], taken[other], queue[waiting] = nobody, place, other
                    waiting += 1
            continue
        if free_row[here] and came[nobody] < 0:
            came[nobody], queue[waiting] = here, nobody
            waiting += 1
        for at in range(starts[here], starts[here + 1]):
            place = tight[at]
            other = owner[place] if owner[place] >= 0 else nobody
            found = place == left
            if found:
                break
            if not fixed[place] and came[other] < 0:
                came[other], taken[other], queue[waiting] = here, place, other
                waiting += 1
    if left >= 0:
        owner[left] = -1
    while True:  # the last one gets the column that is left, each before it that of the one that it drives out
        if here < nobody:
            if partner[here] >= 0 and owner[partner[here]] == here:
                owner[partner[here]] = -1
            partner[here] = left
            if left >= 0:
                owner[left] = here
        if came[here] == here:
            break
        here, left = came[here], taken[here]
    partner[row], owner[wanted] = wanted, row
    return True

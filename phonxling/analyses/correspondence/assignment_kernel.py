"""The loops that find, of several best assignments, the first one.

An assignment is best exactly when every pair in it is tight, c = u + v, for prices u ≥ 0 of rows and v ≥ 0 of columns
with c ≤ u + v everywhere, and whoever has a price above 0 has a partner (complementary slackness). So one best
assignment gives the prices, and all others are found among the few tight pairs, without assigning anew.

References
----------
Schrijver (2003), Combinatorial Optimization, chapters 17 and 18.
"""

import numba
import numpy as np
from numpy.typing import NDArray


@numba.njit(cache=True, nogil=True)
def first_of_the_best(
    first: NDArray[np.int64],
    column: NDArray[np.int64],
    tokens: NDArray[np.float64],
    partner: NDArray[np.int64],
    columns: int,
    tie: float,
) -> None:
    """Change a best assignment `partner` [G], −1 for none, into the first of the best in the order of the rows.

    Row y has the pairs first[y] to first[y + 1] − 1, by ascending column, each with tokens > 0; `tie` is how far apart
    equal sums may lie.
    """
    rows = partner.size
    owner = np.full(columns, -1)
    for row in range(rows):
        if partner[row] >= 0:
            owner[partner[row]] = row
    row_price, column_price = _prices(first, column, tokens, partner, owner, tie)
    tight = np.zeros(tokens.size, np.bool_)
    for row in range(rows):
        for pair in range(first[row], first[row + 1]):
            tight[pair] = tokens[pair] >= row_price[row] + column_price[column[pair]] - tie
    free_row, free_column = row_price <= tie, column_price <= tie
    fixed = np.zeros(columns, np.bool_)
    for row in range(rows):
        for pair in range(first[row], first[row + 1]):
            wanted = column[pair]
            if wanted == partner[row]:
                break
            if tight[pair] and not fixed[wanted] and _take(
                row, wanted, first, column, tight, partner, owner, free_row, free_column, fixed
            ):  # fmt: skip
                break
        if partner[row] >= 0:
            fixed[partner[row]] = True


@numba.njit(cache=True, nogil=True)
def _prices(
    first: NDArray[np.int64],
    column: NDArray[np.int64],
    tokens: NDArray[np.float64],
    partner: NDArray[np.int64],
    owner: NDArray[np.int64],
    tie: float,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the least prices of rows, and those of columns that go with them, by the algorithm of Bellman and Ford."""
    rows = partner.size
    price, won = np.zeros(rows), np.zeros(rows)
    for row in range(rows):
        for pair in range(first[row], first[row + 1]):
            if column[pair] == partner[row]:
                won[row] = tokens[pair]
    changed = True
    while changed:
        changed = False
        for row in range(rows):
            for pair in range(first[row], first[row + 1]):
                other = owner[column[pair]]
                least = tokens[pair] - (won[other] - price[other] if other >= 0 else 0.0)
                if least > price[row] + tie:
                    price[row], changed = least, True
    of_columns = np.zeros(owner.size)
    for place in range(owner.size):
        if owner[place] >= 0:
            of_columns[place] = won[owner[place]] - price[owner[place]]
    return price, of_columns


@numba.njit(cache=True, nogil=True)
def _take(
    row: int,
    wanted: int,
    first: NDArray[np.int64],
    column: NDArray[np.int64],
    tight: NDArray[np.bool_],
    partner: NDArray[np.int64],
    owner: NDArray[np.int64],
    free_row: NDArray[np.bool_],
    free_column: NDArray[np.bool_],
    fixed: NDArray[np.bool_],
) -> bool:
    """Give `row` the column that it wants if an assignment remains the best so, and say whether it does.

    Rows drive each other out, breadth first, until one of them takes what `row` has left. Node G is nobody: a row ends
    there with a column that nobody has, or with none if it is free to; from there on goes any row without a column, or
    with one that is free to have no row. Rows before `row`, and their columns, stay as they are.
    """
    nobody, left = partner.size, partner[row]
    came, taken = np.full(nobody + 1, -1), np.full(nobody + 1, -1)  # who drives each one out, and of which column
    queue, waiting, done = np.empty(nobody + 1, np.int64), 1, 0
    queue[0] = owner[wanted] if owner[wanted] >= 0 else nobody
    came[queue[0]] = queue[0]
    while done < waiting:
        here = queue[done]
        done += 1
        if here == nobody:
            if left < 0 or free_column[left]:
                _move(nobody, -1, row, wanted, came, taken, partner, owner)
                return True
            waiting = _from_nobody(row, came, taken, queue, waiting, partner, free_column, fixed)
            continue
        if free_row[here] and came[nobody] < 0:
            came[nobody], queue[waiting] = here, nobody
            waiting += 1
        for pair in range(first[here], first[here + 1]):
            place = column[pair]
            other = owner[place] if owner[place] >= 0 else nobody
            if tight[pair] and place == left:
                _move(here, place, row, wanted, came, taken, partner, owner)
                return True
            if tight[pair] and not fixed[place] and came[other] < 0:
                came[other], taken[other], queue[waiting] = here, place, other
                waiting += 1
    return False


@numba.njit(cache=True, nogil=True)
def _from_nobody(
    row: int,
    came: NDArray[np.int64],
    taken: NDArray[np.int64],
    queue: NDArray[np.int64],
    waiting: int,
    partner: NDArray[np.int64],
    free_column: NDArray[np.bool_],
    fixed: NDArray[np.bool_],
) -> int:
    """Let the rows wait that nobody can drive out, and return how many are waiting then."""
    for other in range(row + 1, partner.size):
        place = partner[other]
        if came[other] < 0 and (place < 0 or (free_column[place] and not fixed[place])):
            came[other], taken[other], queue[waiting] = partner.size, place, other
            waiting += 1
    return waiting


@numba.njit(cache=True, nogil=True)
def _move(
    end: int,
    last: int,
    row: int,
    wanted: int,
    came: NDArray[np.int64],
    taken: NDArray[np.int64],
    partner: NDArray[np.int64],
    owner: NDArray[np.int64],
) -> None:
    """Give `end` the column `last`, each one before it the column of the one that it drives out, and `row` its own."""
    if partner[row] >= 0:
        owner[partner[row]] = -1
    while True:
        if end < partner.size:
            if partner[end] >= 0 and owner[partner[end]] == end:
                owner[partner[end]] = -1
            partner[end] = last
            if last >= 0:
                owner[last] = end
        if came[end] == end:
            break
        end, last = came[end], taken[end]
    partner[row], owner[wanted] = wanted, row

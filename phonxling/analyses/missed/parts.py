"""Why phones are missed: every error put into one part, by gold phone; the parts sum to all errors exactly.

Conventions
-----------
y is a gold phone of the target, x a predicted one, C[y, x] counts, n_y = Σ_x C[y, x] the tokens of y that were not
deleted, E the reference language, y′ the reference phone that is the same as y (itself, unless another choice is made).
An error is any pair of two different symbols, a deletion or an insertion. The parts:

- `deleted`, `inserted`: C[y, ∅] and Σ_x C[∅, x]. A missing or an additional phone has no sound that could be compared.
- `absent`: substitutions of y where the recogniser's inventory lacks y. It could not be right, whatever it heard.
- `unattested`: substitutions of a y that the recogniser has, but of which the reference shows no token (no y′, or y′
  always deleted). Whether the confusions are usual there cannot be known.
- `expected`: for other y, of each substitution min(C[y, x], n_y p_E(x|y′)): n_y p_E(x|y′) tokens would have gone to x
  if the target's y had been heard as the reference's y′ is. Not more than were observed can be explained so, hence the
  minimum; confusions that the reference has and the target lacks explain nothing here. Where y′ is another symbol than
  y, being heard as y′ is a substitution by symbol, and expected as far as y′ is recognised.
- `specific`: C[y, x] less that: what this language (its sounds, or its recordings) adds.

The literature has no formulas for these parts; they are ours. The minimum is biased: where the reference has few tokens
its p_E scatters, and `expected` comes out too low, `specific` too high.

Whole counts are split in fractions, without rounding. Replicates stand last, [G + 1, P + 1, R].
"""

from collections.abc import Container, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeAlias

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from phonxling.core.arrays import Bools, Codes, Floats, along
from phonxling.core.confusion import ConfusionMatrix
from phonxling.core.inventory import GAP, Inventory

Cells: TypeAlias = NDArray[Any]  # floats, or fractions as objects
PARTS = ("absent", "expected", "specific", "unattested", "deleted", "inserted")


@dataclass(frozen=True, eq=False, kw_only=True)
class Split:
    """What splitting errors takes besides the counts.

    Parameters
    ----------
    same : bool array [G, P]
        Which pairs are one symbol.
    present : bool array [G]
        Which gold phones the recogniser has.
    counterparts : int64 array [G]
        The row of each gold phone's counterpart in the reference; −1 for none.
    columns : int64 array [P]
        The column of each predicted phone in the reference; −1 for one that the reference never has as predicted.
    """

    same: Bools
    present: Bools
    counterparts: Codes
    columns: Codes

    def parts(self, counts: Cells, reference: Cells) -> Cells:
        """Return the parts of the errors, [6, G + 1 …]: by gold phone, insertions last.

        `counts` is [G + 1, P + 1 …], `reference` [G_E + 1, P_E + 1 …], ∅ last, of as many axes.
        """
        pairs, present = counts[:-1, :-1], along(self.present, counts[:, 0])
        wrong = np.where(along(self.same, counts), 0, pairs)
        rates, attested = self._rates(reference)
        substituted = wrong.sum(axis=1)
        usual = np.minimum(wrong, pairs.sum(axis=1)[:, None] * rates).sum(axis=1)
        compared = present & attested
        parts = np.zeros((len(PARTS), *counts[:, 0].shape), dtype=counts.dtype)
        parts[0, :-1] = substituted * ~present
        parts[1, :-1] = usual * compared
        parts[2, :-1] = (substituted - usual) * compared
        parts[3, :-1] = substituted * (present & ~attested)
        parts[4, :-1] = counts[:-1, -1]
        parts[5, -1] = counts[-1, :-1].sum(axis=0)
        return parts

    def _rates(self, reference: Cells) -> tuple[Cells, Bools]:
        """Return p_E(x|y′), [G, P …], 0 where nothing is known, and for which gold phones something is, [G …]."""
        replicates = [(0, 0)] * (reference.ndim - 2)
        pairs = np.pad(reference[:-1, :-1], ((0, 1), (0, 1), *replicates))  # −1 reads an empty row or column
        tokens = pairs.sum(axis=1)[self.counterparts]
        attested = np.asarray(tokens > 0, dtype=bool)
        return pairs[np.ix_(self.counterparts, self.columns)] / np.where(attested, tokens, 1)[:, None], attested


def split_of(
    target: ConfusionMatrix,
    reference: ConfusionMatrix,
    *,
    present: Container[str] | None = None,
    same: Mapping[str, str] | None = None,
) -> Split:
    """Return what splitting the errors of two languages' counts takes; see `error_parts`."""
    inventory: Container[str] = {*target.predicted, *reference.predicted} if present is None else present
    pairs = {phone: phone for phone in target.gold} if same is None else same
    return Split(
        same=target.same_symbol(),
        present=np.array([phone in inventory for phone in target.gold], dtype=bool),
        counterparts=_codes(reference.gold, [pairs.get(phone, "") for phone in target.gold]),
        columns=_codes(reference.predicted, list(target.predicted)),
    )


def error_parts(
    target: ConfusionMatrix,
    reference: ConfusionMatrix | None = None,
    *,
    present: Container[str] | None = None,
    same: Mapping[str, str] | None = None,
) -> pd.DataFrame:
    """Return the errors of each gold phone by their reason, and of ∅ the insertions.

    Parameters
    ----------
    target : ConfusionMatrix
        Counts of the analysed language.
    reference : ConfusionMatrix, optional
        Counts of the recogniser's own language. Without it nothing is known of what is usual: `expected` and `specific`
        are 0, and all substitutions of phones that the recogniser has are `unattested`.
    present : set of str, optional
        The gold phones that the recogniser has; by default those that either matrix has as predicted.
    same : mapping of str to str, optional
        The reference phone that stands for each target phone; by default each for itself.

    Returns
    -------
    DataFrame
        By gold phone, ∅ last: `absent`, `expected`, `specific`, `unattested`, `deleted`, `inserted`; `errors` is their
        sum. `Fraction` where all counts are whole, else float.

    Examples
    --------
    The recogniser lacks ɓ. English hears a tenth of its p as b, the target a fifth:

    >>> english = ConfusionMatrix(["p", "b"], ["p", "b"], [[9, 1], [0, 10]])
    >>> target = ConfusionMatrix(["p", "ɓ"], ["p", "b"], [[8, 2, 1], [1, 3, 0], [2, 0, 0]])
    >>> error_parts(target, english).astype(int).loc[["p", "ɓ", "∅"]].to_numpy().tolist()
    [[0, 1, 1, 0, 1, 0, 3], [4, 0, 0, 0, 0, 0, 4], [0, 0, 0, 0, 0, 2, 2]]
    """
    other = ConfusionMatrix.zero() if reference is None else reference
    parts = split_of(target, other, present=present, same=same).parts(_exact(target.counts), _exact(other.counts))
    table = pd.DataFrame(parts.T, columns=list(PARTS), index=pd.Index([*target.gold, GAP], name="phone"))
    return table.assign(errors=parts.sum(axis=0))


def _exact(counts: Floats) -> Cells:
    """Return whole counts as fractions, others as they are."""
    if (counts != np.round(counts)).any():
        return counts
    return np.array([[Fraction(int(count)) for count in row] for row in counts], dtype=object).reshape(counts.shape)


def _codes(inventory: Inventory, phones: list[str]) -> Codes:
    return np.array([inventory.code(phone) if phone in inventory else -1 for phone in phones], dtype=np.int64)

"""Why phones are missed: every error put into one part, by gold phone; the parts sum to all errors exactly.

Conventions
-----------
y is a gold phone of the target, x a predicted one, C[y, x] counts, n_y = Σ_x C[y, x] the tokens of y that were not
deleted, E the reference language, y′ the reference phone that is the same as y (itself, unless another choice is made).
An error is any pair of two different symbols, a deletion or an insertion. The parts:

- `deleted`, `inserted`: C[y, ∅] and Σ_x C[∅, x]. A missing or an additional phone has no sound that could be compared.
- `absent`: substitutions of y where the recogniser's declared inventory lacks y. It could not be right, whatever it
  heard. Without a declared inventory it is missing, and each y counts as one that the recogniser has.
- `unattested`: substitutions of a y that the recogniser has, but of which the reference shows no token (no y′, or y′
  always deleted). Whether the confusions are usual there cannot be known.
- `expected`: for other y, of each substitution min(C[y, x], n_y p_E(x|y′)): n_y p_E(x|y′) tokens would have gone to x
  if the target's y had been heard as the reference's y′ is. Not more than were observed can be explained so, hence the
  minimum; confusions that the reference has and the target lacks explain nothing here. Where y′ is another symbol than
  y, being heard as y′ is a substitution by symbol, and expected as far as y′ is recognised.
- `level`: the substitutions of y beyond the number n_y (1 − p_E(y|y′)) that the reference's rate of error leads one to
  expect: y is wrong more often. Of what kinds they are, it does not say.
- `pattern`: what is left of the substitutions of y: within the expected number, but of other kinds.

The literature has no formulas for these parts; they are ours. `level` and `pattern` are positive by chance alone, and
more so the fewer tokens or speakers there are: they mean something beside what speakers dealt anew to the two languages
give.

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
from phonxling.core.interface.arguments import checked_types
from phonxling.core.inventory import GAP, Inventory

Cells: TypeAlias = NDArray[Any]  # floats, or fractions as objects
PARTS = ("absent", "expected", "level", "pattern", "unattested", "deleted", "inserted")
COMPARED = ("expected", "level", "pattern")  # substitutions of phones that the reference has tokens of


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
    right : int64 array [G]
        The same of each gold phone.
    """

    same: Bools
    present: Bools
    counterparts: Codes
    columns: Codes
    right: Codes

    def parts(self, counts: Cells, reference: Cells) -> Cells:
        """Return the parts of the errors, [7, G + 1 …]: by gold phone, insertions last.

        `counts` is [G + 1, P + 1 …], `reference` [G_E + 1, P_E + 1 …], ∅ last, of as many axes.
        """
        rates, errors, attested = self._rates(reference)
        present = along(self.present, counts[:, 0])
        substituted = np.where(along(self.same, counts), 0, counts[:-1, :-1]).sum(axis=1)
        parts = np.zeros((len(PARTS), *counts[:, 0].shape), dtype=counts.dtype)
        parts[0, :-1] = substituted * ~present
        for place, part in enumerate(beyond(counts[:-1, :-1], rates, errors, self.same), start=1):
            parts[place, :-1] = part * (present & attested)
        parts[4, :-1] = substituted * (present & ~attested)
        parts[5, :-1] = counts[:-1, -1]
        parts[6, -1] = counts[-1, :-1].sum(axis=0)
        return parts

    def _rates(self, reference: Cells) -> tuple[Cells, Cells, Bools]:
        """Return p_E(x|y′), [G, P …], 0 where nothing is known, 1 − p_E(y|y′), and where something is, [G …] each."""
        replicates = [(0, 0)] * (reference.ndim - 2)
        pairs = np.pad(reference[:-1, :-1], ((0, 1), (0, 1), *replicates))  # −1 reads an empty row or column
        tokens = pairs.sum(axis=1)[self.counterparts]
        attested = np.asarray(tokens > 0, dtype=bool)
        known = np.where(attested, tokens, 1)
        errors = 1 - pairs[self.counterparts, self.right] / known
        return pairs[np.ix_(self.counterparts, self.columns)] / known[:, None], errors, attested


def beyond(pairs: Cells, rates: Cells, errors: Cells, same: Bools) -> tuple[Cells, Cells, Cells]:
    """Return each gold phone's substitutions that are expected, and those beyond by level and by pattern, [G …].

    Parameters
    ----------
    pairs : array [G, P …]
        The target's counts.
    rates, errors : array [G, P …] and [G …]
        p_E(x|y′), and the reference's rate of error 1 − p_E(y|y′).
    same : bool array [G, P]
        Which pairs are one symbol.
    """
    tokens, wrong = pairs.sum(axis=1), np.where(along(same, pairs), 0, pairs)
    substituted, usual = wrong.sum(axis=1), np.minimum(wrong, tokens[:, None] * rates).sum(axis=1)
    level = np.maximum(substituted - tokens * errors, 0)
    return usual, level, np.maximum(substituted - usual - level, 0)


def split_of(
    target: ConfusionMatrix,
    reference: ConfusionMatrix,
    *,
    present: Container[str] | None = None,
    same: Mapping[str, str] | None = None,
) -> Split:
    """Return what splitting the errors of two languages' counts takes; see `error_parts`."""
    pairs = {phone: phone for phone in target.gold} if same is None else same
    return Split(
        same=target.same_symbol(),
        present=np.array([present is None or phone in present for phone in target.gold], dtype=bool),
        counterparts=_codes(reference.gold, [pairs.get(phone, "") for phone in target.gold]),
        columns=_codes(reference.predicted, list(target.predicted)),
        right=_codes(reference.predicted, list(target.gold)),
    )


@checked_types
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
        Counts of the recogniser's own language. Without it nothing is known of what is usual: `expected`, `level` and
        `pattern` are 0, and all substitutions of phones that the recogniser has are `unattested`.
    present : set of str, optional
        The gold phones that the recogniser has. Left out, none is known to be absent: `absent` is missing, and its
        substitutions are in the other parts. What was predicted does not tell what could have been.
    same : mapping of str to str, optional
        The reference phone that stands for each target phone; by default each for itself.

    Returns
    -------
    DataFrame
        By gold phone, ∅ last: `absent`, `expected`, `level`, `pattern`, `unattested`, `deleted`, `inserted`; their sum
        is `errors`. `Fraction` where all counts are whole, else float.

    Examples
    --------
    The recogniser lacks ɓ. English hears a tenth of its p as b, the target a fifth:

    >>> english = ConfusionMatrix(["p", "b"], ["p", "b"], [[9, 1], [0, 10]])
    >>> target = ConfusionMatrix(["p", "ɓ"], ["p", "b"], [[8, 2, 1], [1, 3, 0], [2, 0, 0]])
    >>> error_parts(target, english, present={"p", "b"}).astype(int).loc[["p", "ɓ", "∅"]].to_numpy().tolist()
    [[0, 1, 1, 0, 0, 1, 0, 3], [4, 0, 0, 0, 0, 0, 0, 4], [0, 0, 0, 0, 0, 0, 2, 2]]
    """
    other = ConfusionMatrix.zero() if reference is None else reference
    parts = split_of(target, other, present=present, same=same).parts(_exact(target.counts), _exact(other.counts))
    table = pd.DataFrame(parts.T, columns=list(PARTS), index=pd.Index([*target.gold, GAP], name="phone"))
    unknown = {"absent": np.nan} if present is None else {}
    return table.assign(errors=parts.sum(axis=0), **unknown)


def _exact(counts: Floats) -> Cells:
    """Return whole counts as fractions, others as they are."""
    if (counts != np.round(counts)).any():
        return counts
    return np.array([[Fraction(int(count)) for count in row] for row in counts], dtype=object).reshape(counts.shape)


def _codes(inventory: Inventory, phones: list[str]) -> Codes:
    return np.array([inventory.code(phone) if phone in inventory else -1 for phone in phones], dtype=np.int64)

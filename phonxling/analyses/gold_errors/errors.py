"""Which gold phones are written for which, at a rate of errors.

Conventions
-----------
z is the true phone, y the written one, J(z, y) the share of the gold tokens that are z and written y: off its diagonal
εF(z, y), F summing to 1, ε the rate of errors; its columns sum to the shares p(y) of the gold as it is. So p(z) are its
row sums, e(y|z) = J / p(z), and q(z|y) = J / p(y).

Models
------
- a table q₀(z|y) of errors: F ∝ p(y) q₀(z|y); ε scales all its errors alike.
- by features: F(z, y) ∝ p(z) p(y) exp(−d(z, y) / τ). Near phones are written for each other more often, and frequent
  ones more often than rare ones, which would else be mostly errors. F is symmetric: as many z are written y as y are
  written z, so that errors leave the frequencies of phones as they are, and e(y|z) = q(y|z).
"""

from dataclasses import dataclass

import numpy as np

from phonxling.alignment.costs.named import cost_table
from phonxling.core.arrays import Floats, divided
from phonxling.core.inventory import Inventory
from phonxling.core.phonology.features import FeatureTable
from phonxling.core.phonology.spelling import canonical
from phonxling.load.resources.gold_errors import Shares

_MOST = 0.5  # of a phone’s tokens written otherwise: from there on what was heard of it is mostly that of others


@dataclass(frozen=True, eq=False)
class WritingErrors:
    """Errors of a corpus' gold: its phones, their shares p(y) [G], and F [G, G], true phones as rows."""

    gold: Inventory
    shares: Floats
    flow: Floats
    note: str = ""

    def joint(self, rate: float) -> Floats:
        """Return J at a rate, [G, G]; below 0 on the diagonal where more tokens would be wrong than there are."""
        wrong = rate * self.flow
        return wrong + np.diag(self.shares - wrong.sum(axis=0))

    def written(self, rate: float) -> Floats:
        """Return e(y|z), [G true, G written]; a phone without tokens is written right."""
        joint = self.joint(rate)
        spoken = joint.sum(axis=1, keepdims=True)
        return np.where(spoken > 0, divided(joint, spoken, undefined=0.0), np.eye(len(joint)))

    def true(self, rate: float) -> Floats:
        """Return q(z|y), [G written, G true]; a phone without tokens is right."""
        joint = self.joint(rate).T
        tokens = self.shares[:, None]
        return np.where(tokens > 0, divided(joint, tokens, undefined=0.0), np.eye(len(joint)))

    def unmix(self, rate: float) -> Floats:
        """Return what makes counts by true phone of counts by written phone, [G + 1, G + 1], ∅ last and as it is.

        The inverse of e turned over: if what was heard of a true phone does not depend on how it was written, counts
        n(y, x) are Σ_z m(z, x) e(y|z).
        """
        square = np.eye(len(self.shares) + 1)
        square[:-1, :-1] = np.linalg.inv(self.written(rate).T)
        return square

    def refusal(self, rate: float) -> str:
        """Return why so many errors cannot be taken out, "" when they can."""
        right = np.diag(self.joint(rate))
        kept = np.minimum(np.diag(self.true(rate)), np.diag(self.written(rate)))
        worst = int(np.argmin(kept))
        if right.min() >= 0 and kept[worst] > _MOST:
            return ""
        return f"more than half of the tokens of {self.gold.phones[worst]} would be wrong"


def by_features(gold: Inventory, tokens: Floats, features: FeatureTable, nearness: float) -> WritingErrors:
    """Return errors that are more frequent among near phones, of so many tokens of each gold phone [G].

    ValueError when fewer than two phones have tokens.
    """
    costs = cost_table("panphon", gold, gold, features)
    near = np.exp(-(costs.substitution / costs.denominator) / nearness)
    flow = tokens[:, None] * tokens * near
    np.fill_diagonal(flow, 0.0)
    if not flow.sum():
        raise ValueError("fewer than two gold phones have tokens")
    how = f"errors by features: exp(−distance / {nearness:g}) times the frequencies of both phones"
    return WritingErrors(gold, tokens / tokens.sum(), flow / flow.sum(), how)


def of_table(gold: Inventory, tokens: Floats, table: Shares) -> tuple[WritingErrors, float]:
    """Return the errors of a table, of so many tokens of each gold phone [G], and the rate that the table says.

    ValueError when the gold writes none of its phones wrongly, or never has a phone that is true there.
    """
    flow, codes = np.zeros((len(gold), len(gold))), {canonical(phone): code for code, phone in enumerate(gold)}
    rows = [(codes[written], true, share) for (written, true), share in table.items() if written in codes]
    if unknown := {true for written, true, share in rows if share * tokens[written] and true not in codes}:
        listed = " ".join(sorted(unknown))
        raise ValueError(f"the gold never has {listed}: what was heard of it cannot be told from what it is written as")
    for written, true, share in rows:
        if true in codes:
            flow[codes[true], written] = share * tokens[written] / tokens.sum()
    if not flow.sum():
        raise ValueError("the table has no error of a phone that this gold has")
    rate = float(flow.sum())
    return WritingErrors(gold, tokens / tokens.sum(), flow / rate, f"the table says {rate:.3g} of this gold"), rate

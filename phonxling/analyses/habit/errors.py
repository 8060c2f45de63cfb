"""Each error y → x: how much likelier the habit makes it in its own places than where y is heard as something else.

Measures
--------
The log ratio of a place is log₂ P(x | l, r)/P(n | l, r): how much likelier the habit makes what was heard than n, the
phone of the recogniser that is nearest to y. The excess is its mean over the tokens heard as x, each less the mean over
the stratum (see `pulls`): 0 on average where x sounds near y wherever it stands. Tokens are left out where a neighbour
is x or n. An error y → n has no log ratio.

p is the largest of three: by cluster, by context, and by what was heard dealt anew to the places of each stratum of n
tokens, whose variance is Σ n/(n − 1) p(x)(1 − p(x)) Σ (log ratio − its mean)². An error is tested if ten of its tokens,
and ten of other errors, are in strata that have both. q is Benjamini & Hochberg's over the errors of the corpus.
"""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from phonxling.analyses.habit.bigram import Bigram
from phonxling.analyses.habit.share import by_context, over_groups, two_sided
from phonxling.analyses.habit.tokens import WrongTokens, strata_of
from phonxling.core.arrays import Bools, Floats
from phonxling.core.inventory import Inventory
from phonxling.resample.p_values import adjusted
from phonxling.resample.student import FEW_CLUSTERS, t_reach
from phonxling.resample.two_corpora.cells import FEW_EVENTS
from phonxling.resample.weights import Resampling

_Row = dict[str, Any]
_DECIMALS = 12  # what is left behind these is rounding


@dataclass(frozen=True, eq=False, kw_only=True)
class Errors:
    """The errors of a corpus, and what they are compared by.

    Parameters
    ----------
    tokens : WrongTokens
        The wrong tokens, all heard as phones that the habit knows.
    habit : Bigram
        The habit.
    gold, phones : Inventory
        The gold phones, and those of the recogniser.
    nearest : mapping of str to str
        The phone of the recogniser that is nearest to each gold phone.
    resampling : Resampling
        Gives the clusters and the level.
    """

    tokens: WrongTokens
    habit: Bigram
    gold: Inventory
    phones: Inventory
    nearest: Mapping[str, str]
    resampling: Resampling

    def rows(self) -> list[_Row]:
        """Return the rows of habit.tsv: by gold phone, and of each the most frequent errors first."""
        rows = [row for _, own in self.tokens.by_gold() for row in self._of_phone(own)]
        q = adjusted([row["p"] for row in rows]).tolist()
        return [{**row, "q": one} for row, one in zip(rows, q, strict=True)]

    def _of_phone(self, own: WrongTokens) -> Iterator[_Row]:
        phone = self.gold.phones[own.gold[0]]
        near = self.nearest.get(phone, "")
        between = self.habit.between(own.left, own.right)
        counts = np.bincount(own.heard)
        for x in sorted(np.flatnonzero(counts).tolist(), key=lambda code: -int(counts[code])):
            row = {"gold": phone, "predicted": self.phones.phones[x], "nearest": near, "tokens": int(counts[x])}
            n = self.phones.code(near) if near in self.phones else -1
            if n < 0 or n == x or not self.habit.known[n]:
                yield {**row, "p": math.nan, "note": _untold(near, self.phones.phones[x])}
                continue
            possible = np.all([side != code for side in (own.left, own.right) for code in (x, n)], axis=0)
            some = own.at(np.flatnonzero(possible))
            ratio = np.log2(between[possible, x] / between[possible, n])
            yield {**row, **self._compared(some, some.heard == x, ratio)}

    def _compared(self, tokens: WrongTokens, here: Bools, ratio: Floats) -> _Row:
        """Return the mean log ratio of the tokens that were heard so, that elsewhere, the excess, and its test."""
        number = int(here.sum())
        if not number:
            return {"p": math.nan, "note": "no test: always beside x or the nearest phone"}
        strata = strata_of(tokens)
        every = np.ones((len(tokens), 1))
        share, mean = (strata.mean(each[:, None], every)[:, 0] for each in (here.astype(np.float64), ratio))
        apart = ratio - mean
        row = {"log_ratio": float(ratio[here].mean()), "log_ratio_elsewhere": float(mean[here].mean())}
        both = (share > 0) & (share < 1)
        if not both.any():
            return {**row, "p": math.nan, "note": "no excess: no other error of the phone to compare with"}
        row["excess"] = excess = round(float(apart[here].mean()), _DECIMALS)
        if min((both & here).sum(), (both & ~here).sum()) < FEW_EVENTS:
            return {**row, "p": math.nan, "note": f"no test: fewer than {FEW_EVENTS} tokens on a side"}
        residuals = (here - share) * apart - excess * here
        errors = [over_groups(residuals, self.resampling.clusters[tokens.utterance]), by_context(residuals, tokens)]
        if min(groups for _, groups in errors) < FEW_CLUSTERS:
            few = f"fewer than {FEW_CLUSTERS} {self.resampling.unit}s or contexts"
            return {**row, "p": math.nan, "note": f"no test: {few}"}
        dealt = math.sqrt(float((strata.unbiased * share * (1 - share) * apart**2).sum()))
        tests = [(error / number, groups - 1.0) for error, groups in errors]
        reach = max(float(t_reach(freedom, self.resampling.level)) * error for error, freedom in tests)
        p = two_sided(excess, *tests, (dealt / number, math.inf))
        return {**row, "low": excess - reach, "high": excess + reach, "p": p, "note": ""}


def _untold(near: str, heard: str) -> str:
    if not near:
        return "no log ratio: the nearest phone is not known"
    return "no log ratio: " + (
        "this is the nearest phone" if near == heard else "the nearest phone is never said there"
    )

"""suspects.tsv: tokens that all items hear alike against the gold, those first where the gold is most likely wrong.

Conventions
-----------
A token of the gold phone y is suspect where all items heard the same x ≠ y: a phone of the gold, or nothing (∅). Were x
said, the items would hear it so with Π_k p_k(x|x); were y said, with Π_k p_k(x|y). p_k(x|x) is the share of the tokens
of x that item k has right, (c + ½)/(n + 1), and 1 for ∅. p_k(x|y) is taken from those tokens of y that not all heard as
x, for the others may be errors of the gold themselves: (c + q)/(n + 1), q the share of x among all that k heard. The
ratio of the two products is the likelihood ratio; the odds are this times ε/((1 − ε) P) π_x/π_y, with π the shares of
the P gold phones (of ∅: 1/P), and ε the share of errors in the gold that is expected.

Where both items are led astray in the same place, whole passages are shifted, and all hear the next phone alike. So the
odds, as a probability, are divided by their mean over all tokens with as many right neighbours: suspects beside phones
that all hear right come first. The quotient ranks, and is no probability that the gold is wrong: items that make the
same mistakes look like errors of the gold.

Of a right gold, too, items hear some tokens alike. Of the n tokens of y with j right neighbours, independent items
would all hear x at N π, π = Π_k p_k: p_k = π + (1 − π) c_k / n′, with n′ = n − o tokens that not all heard as x, of
which item k did at c_k, and N = n′ / (1 − π). The o suspects do not enter, because they may be errors of the gold. Of
two items this is c₁ c₂ / n₀, the fourth cell of a table whose rows and columns are independent. The sum of all that
rank as high or higher is how many suspects of this rank chance would make.

References
----------
Dawid & Skene (1979), whose model this is with the gold as one observer more. Sekar & Deming (1949), on the fourth cell.
"""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from phonxling.comparison.agreement import Group, HeardTokens
from phonxling.comparison.items import gold_times
from phonxling.core.arrays import Codes, Floats, divided
from phonxling.core.inventory import GAP
from phonxling.tables.files import table_of

LISTED = 1000  # suspects of a group of items that are listed
_GOLD_ERRORS = 0.02  # ε
_ROUNDS = 60  # towards the share that all hear alike


def suspects(tokens: HeardTokens) -> tuple[pd.DataFrame, float]:
    """Return token, ratio, alike and by_chance of what all hear alike against the gold, ranked; all by chance."""
    heard, number = tokens.heard[0], len(tokens.phones)
    said = np.bincount(tokens.gold, minlength=number + 1)
    kinds = max(1, int(np.count_nonzero(said)))
    said[number] = -(-len(heard) // kinds)  # ∅ takes the place of an average phone
    every = (tokens.heard == heard).all(axis=0) & (heard != tokens.gold) & (said[heard] > 0)
    alike = np.flatnonzero(every)
    cells = _counts(tokens.gold[alike], heard[alike], number)
    ratio = np.exp(sum(_log_ratio(_counts(tokens.gold, own, number), cells) for own in tokens.heard))
    odds = ratio * divided(said, said[:, None], undefined=0) * _GOLD_ERRORS / (1 - _GOLD_ERRORS) / kinds
    likely = odds / (1 + odds)
    gold, phone, beside = tokens.gold[alike], heard[alike], tokens.neighbours[alike]
    sums = np.bincount(beside, likely[gold, phone], minlength=3) + 1
    mean = sums / (np.bincount(tokens.neighbours, minlength=3) + 2)
    scores = likely / mean[:, None, None]
    order = np.lexsort((alike, -odds[gold, phone], -scores[beside, gold, phone]))
    gold, phone, beside = gold[order], phone[order], beside[order]
    falling = np.argsort(-scores, axis=None)
    chance = (_by_chance(tokens) * (said > 0)).ravel()[falling]
    totals = np.concatenate([[0.0], np.cumsum(chance)])
    above = np.searchsorted(-scores.ravel()[falling], -scores[beside, gold, phone], side="right")
    ranked = {"ratio": ratio[gold, phone], "alike": cells[gold, phone], "by_chance": totals[above]}
    return pd.DataFrame({"token": alike[order], **ranked}), float(totals[-1])


def _counts(gold: Codes, heard: Codes, number: int) -> Codes:
    """Return how many tokens of each gold phone were heard as each phone, or ∅, [P + 1, P + 1]."""
    return np.bincount(gold * (number + 1) + heard, minlength=(number + 1) ** 2).reshape(number + 1, number + 1)


def _log_ratio(counts: Codes, alike: Codes) -> Floats:
    """Return log p(x|x) − log p(x|y) of one item by gold phone y and phone x, ∅ last; 0 if x is unheard."""
    said, usual = counts.sum(axis=1), counts.sum(axis=0) / max(1, counts.sum())
    right = (np.diagonal(counts) + 0.5) / (said + 1)
    right[-1] = 1.0
    wrong = (counts - alike + usual) / (said[:, None] - alike + 1)
    return np.asarray(np.log(right) - np.log(np.where(wrong > 0, wrong, right)), dtype=np.float64)


def _by_chance(tokens: HeardTokens) -> Floats:
    """Return how many tokens with 0, 1, 2 right neighbours all items would hear alike by chance, [3, P + 1, P + 1]."""
    number = len(tokens.phones)
    expected = np.zeros((3, number + 1, number + 1))
    for beside in range(3):
        own = tokens.neighbours == beside
        gold, heard = tokens.gold[own], tokens.heard[:, own]
        same = (heard == heard[0]).all(axis=0)
        together = _counts(gold[same], heard[0, same], number)
        left = np.bincount(gold, minlength=number + 1)[:, None] - together
        shares = np.stack([divided(_counts(gold, one, number) - together, left, undefined=0) for one in heard])
        all_alike = np.zeros(shares.shape[1:])
        for _ in range(_ROUNDS):
            all_alike = (all_alike + (1 - all_alike) * shares).prod(axis=0)
        expected[beside] = left * divided(all_alike, 1 - all_alike, undefined=0)
        np.fill_diagonal(expected[beside], 0)
    return expected


def suspect_table(groups: Sequence[Group]) -> pd.DataFrame:
    """Return suspects.tsv: the first suspects of each group of items with the same gold."""
    rows = (row for group in groups for row in _rows(group).itertuples(index=False, name=None))
    return table_of("comparison/suspects", rows)


def _rows(group: Group) -> pd.DataFrame:
    """Return the rows of a group, with the times of their gold phones from the first item that has times."""
    (members, tokens), (found, by_chance) = group, suspects(group[1])
    listed = found[:LISTED]
    first, phones = listed["token"].to_numpy(), np.array([*tokens.phones, GAP], dtype=object)
    rows = pd.DataFrame(
        {
            "items": ", ".join(one.item.name for one in members),
            "systems": len(members),
            "rank": np.arange(len(first)) + 1,
            "utterance": np.array(tokens.utterances, dtype=object)[tokens.utterance[first]],
            "position": tokens.position[first],
            "gold": phones[tokens.gold[first]],
            "heard": phones[tokens.heard[0, first]],
            "neighbours": tokens.neighbours[first],
            "alike": listed["alike"],
            "tokens": np.bincount(tokens.gold)[tokens.gold[first]],
            "by_chance": listed["by_chance"],
            "suspects": len(found),
            "suspects_by_chance": by_chance,
        }
    )
    for one in members:
        times = gold_times(one.item.folder / one.item.corpus / "alignments.tsv", set(rows["utterance"]))
        if len(times):
            return rows.merge(times, on=["utterance", "position"], how="left")
    return rows.assign(gold_start=np.nan, gold_end=np.nan)

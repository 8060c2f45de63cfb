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

References
----------
Dawid & Skene (1979), whose model this is with the gold as one observer more.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from phonxling.comparison.same_gold.tokens import Group, HeardTokens
from phonxling.comparison.stored_alignments import gold_times
from phonxling.core.arrays import Codes, Floats
from phonxling.core.inventory import GAP
from phonxling.tables.files import table_of

LISTED = 1000  # suspects of a group of items that are listed
_GOLD_ERRORS = 0.02  # ε
_TIMES = ["gold_start", "gold_end"]


@dataclass(frozen=True, eq=False)
class Suspects:
    """M suspect tokens, the most suspect first.

    `token` [M] are their places among all, `ratio` [M] the likelihood ratios, `alike` [M] how many tokens of the gold
    phone all items hear so.
    """

    token: Codes
    ratio: Floats
    alike: Codes


def suspects(tokens: HeardTokens) -> Suspects:
    """Return the tokens that all items hear alike against the gold, ranked."""
    heard, number = tokens.heard[0], len(tokens.phones)
    said = np.bincount(tokens.gold, minlength=number + 1)
    kinds = max(1, int(np.count_nonzero(said)))
    said[number] = -(-len(heard) // kinds)  # ∅ takes the place of an average phone
    alike = np.flatnonzero((tokens.heard == heard).all(axis=0) & (heard != tokens.gold) & (said[heard] > 0))
    gold, phone = tokens.gold[alike], heard[alike]
    cells = np.bincount(gold * (number + 1) + phone, minlength=(number + 1) ** 2).reshape(number + 1, number + 1)
    ratio = np.exp(sum(_log_ratio(tokens.gold, own, cells, (gold, phone)) for own in tokens.heard))
    odds = ratio * (said[phone] / said[gold]) * _GOLD_ERRORS / (1 - _GOLD_ERRORS) / kinds
    score = _beside(odds / (1 + odds), tokens.neighbours, alike)
    order = np.lexsort((alike, -odds, -score))
    return Suspects(alike[order], ratio[order], cells[gold, phone][order])


def _log_ratio(gold: Codes, heard: Codes, cells: Codes, suspect: tuple[Codes, Codes]) -> Floats:
    """Return log p(x|x) − log p(x|y) of one item for the gold and the heard phones of suspects."""
    counts = np.bincount(gold * len(cells) + heard, minlength=cells.size).reshape(cells.shape)
    said, usual = counts.sum(axis=1), counts.sum(axis=0) / max(1, len(gold))
    right = (np.diagonal(counts) + 0.5) / (said + 1)
    right[-1] = 1.0
    own, phone = suspect
    others = counts[own, phone] - cells[own, phone]
    wrong = (others + usual[phone]) / (said[own] - cells[own, phone] + 1)
    return np.asarray(np.log(right[phone]) - np.log(wrong), dtype=np.float64)


def _beside(probability: Floats, neighbours: Codes, alike: Codes) -> Floats:
    """Return probabilities over their mean among all tokens with as many right neighbours."""
    sums = np.bincount(neighbours[alike], probability, minlength=3) + 1
    return np.asarray(probability / (sums / (np.bincount(neighbours, minlength=3) + 2))[neighbours[alike]])


def suspect_table(groups: Sequence[Group]) -> pd.DataFrame:
    """Return suspects.tsv: the first suspects of each group of items with the same gold."""
    rows = (row for group in groups for row in _rows(group).itertuples(index=False, name=None))
    return table_of("comparison/suspects", rows)


def _rows(group: Group) -> pd.DataFrame:
    tokens, found = group.tokens, suspects(group.tokens)
    first = found.token[:LISTED]
    phones = np.array([*tokens.phones, GAP], dtype=object)
    rows = pd.DataFrame(
        {
            "items": ", ".join(one.item.name for one in group.members),
            "systems": len(group.members),
            "rank": np.arange(len(first)) + 1,
            "utterance": np.array(tokens.utterances, dtype=object)[tokens.utterance[first]],
            "position": tokens.position[first],
            "gold": phones[tokens.gold[first]],
            "heard": phones[tokens.heard[0, first]],
            "likelihood_ratio": found.ratio[: len(first)],
            "neighbours": tokens.neighbours[first],
            "alike": found.alike[: len(first)],
            "tokens": np.bincount(tokens.gold)[tokens.gold[first]],
            "suspects": len(found.token),
        }
    )
    return _with_times(rows, group)


def _with_times(rows: pd.DataFrame, group: Group) -> pd.DataFrame:
    """Return rows with the times of their gold phones, from the first item that has times."""
    for one in group.members:
        times = gold_times(one.item.folder / one.item.corpus / "alignments.tsv", set(rows["utterance"]))
        if len(times):
            return rows.merge(times, on=["utterance", "position"], how="left")
    return rows.assign(**dict.fromkeys(_TIMES, np.nan))

"""Whether two items are wrong at the same tokens, and wrong alike, more often than independent items would be.

Conventions
-----------
An item's answer to a gold token is the phone that the token was aligned with, or nothing (∅, a deletion); it is right
where it is the gold phone. Of n_y tokens of the gold phone y, the first item gives the answer x to a_x, the second to
b_x, and both the same to o_y. Independent items would agree on as many as the first, at one token of y, agrees with the
second at another: e_y = (Σ_x a_x b_x − o_y) / (n_y − 1). So items that find the same phones hard agree by 0 beyond
that. A phone with one token says nothing.

Measures
--------
κ given the phone is Σ(o_y − e_y) / Σ(n_y − e_y), of the answers right and wrong. Cohen's κ takes all tokens for one
phone, and each token beside itself, too. The odds ratio is Mantel and Haenszel's over the phones' 2 × 2 tables. The
excess of same answers is Σ(o_y − e_y) / Σ n_y over the tokens at which both are wrong, of their wrong answers.

A difference from 0 is tested twice, by cluster and by token, as `resample.two_corpora` does; by token with the
variance of o_y when the second's answers are dealt to the tokens of y at random.

Suspects
--------
suspects.tsv: tokens that all items hear alike against the gold, those first where the gold is most likely wrong.

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
Cohen (1960). Barlow, Lai & Azen (1991), on κ over strata. Mantel & Haenszel (1959). Geirhos, Meding & Wichmann (2020),
who call κ of right and wrong the consistency of errors.
Dawid & Skene (1979), whose model this is with the gold as one observer more. Sekar & Deming (1949), on the fourth cell.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy.sparse import csr_array

from phonxling.comparison.items import gold_times
from phonxling.comparison.pairs import Measured, Pair
from phonxling.core.arrays import Codes, Floats, divided
from phonxling.core.confusion import CORRECT, Alignments, ConfusionStack
from phonxling.core.estimate import joined
from phonxling.core.inventory import GAP, Inventory, merge
from phonxling.resample.intervals import Resampling, estimate
from phonxling.resample.p_values import Correction, adjusted
from phonxling.resample.replicates import cell_counts
from phonxling.resample.student import Contrast, contrast, spread
from phonxling.resample.two_corpora import FEW_TOKENS, Errors
from phonxling.tables.files import table_of

_TESTED = {"kappa_given_phone": "p", "same_excess": "same_p"}  # and the column of p
LISTED = 1000  # suspects of a group of items that are listed
_GOLD_ERRORS = 0.02  # ε
_ROUNDS = 60  # towards the share that all hear alike


@dataclass(frozen=True, eq=False, kw_only=True)
class HeardTokens:
    """N gold tokens, utterance by utterance, as S items heard them, [S, N]; how many neighbours all have right."""

    phones: Inventory
    utterances: tuple[str, ...]
    utterance: Codes
    position: Codes
    gold: Codes
    heard: Codes
    neighbours: Codes


Group = tuple[Sequence[Measured], HeardTokens]
"""Two or more items of the same utterances with the same gold phones, and their tokens."""
Common = tuple[Mapping[str, Floats], Mapping[str, Floats]]
"""A number [R] of each measure, and the variances by token of those with a test."""


class Answers(NamedTuple):
    """Counts [K, R] of the tokens with a gold phone, an answer of the first and one of the second item, [K] each."""

    gold: Codes
    first: Codes
    second: Codes
    counts: Floats


def groups_of(items: Sequence[Measured]) -> list[Group]:
    """Return the groups of two or more items that are resampled together, in the order of their first items."""
    alike = ([one for one in items if one.group == number] for number in dict.fromkeys(one.group for one in items))
    return [(members, heard_tokens([one.item.path for one in members])) for members in alike if len(members) > 1]


def heard_tokens(paths: Sequence[Alignments]) -> HeardTokens:
    """Return the gold tokens of alignments of the same utterances, in the same order, with the same gold phones."""
    phones = reduce(merge, (one for path in paths for one in (path.gold_inventory, path.predicted_inventory)))
    heard, beside = [], []
    for path in paths:
        own, right = np.flatnonzero(path.gold < len(path.gold_inventory)), path.operations == CORRECT
        before, after = np.ones((2, len(right)), dtype=bool)  # is the pair before and after each pair right?
        before[1:], after[:-1] = right[:-1], right[1:]
        filled = np.diff(path.offsets) > 0
        before[path.offsets[:-1][filled]] = True
        after[path.offsets[1:][filled] - 1] = True
        heard.append(_codes(path.predicted_inventory, phones)[path.predicted[own]])
        beside.append(np.stack([before, after])[:, own])
    first = paths[0]
    own = np.flatnonzero(first.gold < len(first.gold_inventory))
    utterance = first.pair_utterances()[own]
    begins = np.searchsorted(utterance, np.arange(len(first)))
    return HeardTokens(
        phones=phones,
        utterances=first.utterances,
        utterance=utterance,
        position=np.arange(len(own)) - begins[utterance] + 1,
        gold=_codes(first.gold_inventory, phones)[first.gold[own]],
        heard=np.stack(heard),
        neighbours=np.logical_and.reduce(beside).sum(axis=0),
    )


def _codes(own: Inventory, phones: Inventory) -> Codes:
    """Return the code among all phones of each of an inventory, and of none."""
    return np.array([*(phones.code(phone) for phone in own), len(phones)], dtype=np.int64)


def _summed(codes: Codes, counts: Floats, size: int) -> Floats:
    """Return the sums of counts [K, R] by code [K], [size, R]."""
    sums = csr_array((np.ones(len(codes)), (codes, np.arange(len(codes)))), shape=(size, len(codes)))
    return np.asarray(sums @ counts, dtype=np.float64)


def _agreement(gold: Codes, first: Codes, second: Codes, counts: Floats) -> Floats:
    """Return n, o, e and the variance of o by token, each summed over the phones with two tokens or more, [4, R]."""
    phones, size = int(gold.max(initial=0)) + 1, int(max(first.max(initial=0), second.max(initial=0))) + 1
    same = first == second
    tokens, alike = _summed(gold, counts, phones), _summed(gold[same], counts[same], phones)
    cells, places = np.unique(np.stack([gold * size + first, gold * size + second]), return_inverse=True)
    own, other = (_summed(place, counts, len(cells)) for place in places)
    products = own * other, own * other * (own + other)
    together, mixed = (_summed(cells // size, values, phones) for values in products)
    several = tokens > 1
    others = np.where(several, tokens - 1, 0)
    expected = divided(together - alike, others, undefined=0)
    variance = divided(together**2 - tokens * mixed + tokens**2 * together, others**3)
    return np.stack([np.where(several, part, 0).sum(axis=0) for part in (tokens, alike, expected, variance)])


def together(answers: Answers) -> Common:
    """Return every measure of what two items have in common; NaN where one is not defined."""
    gold, first, second, counts = answers
    wrong, other = first != gold, second != gold
    both = wrong & other
    kinds = (~wrong & ~other, both, wrong & ~other, ~wrong & other)
    phones = int(gold.max(initial=0)) + 1
    right, twice, once, elsewhere = (_summed(gold[kind], counts[kind], phones) for kind in kinds)
    said = right + twice + once + elsewhere
    products = right * twice, once * elsewhere
    above, below = (divided(product, said, undefined=0).sum(axis=0) for product in products)
    every = counts.sum(axis=0)
    own, others, equal = (counts[chosen].sum(axis=0) for chosen in (wrong, other, wrong == other))
    by_chance = divided(own * others + (every - own) * (every - others), every)
    tokens, alike, expected, variance = _agreement(gold, wrong.astype(np.int64), other.astype(np.int64), counts)
    errors, same, usual, same_variance = _agreement(gold[both], first[both], second[both], counts[both])
    numbers = {
        "kappa": divided(equal - by_chance, every - by_chance),
        "kappa_given_phone": divided(alike - expected, tokens - expected),
        "odds_ratio": divided(above, below),
        "both_wrong_expected": twice.sum(axis=0) - (alike - expected) / 2,
        "same_share": divided(same, errors),
        "same_expected": divided(usual, errors),
        "same_excess": divided(same - usual, errors),
    }
    variances = divided(variance, (tokens - expected) ** 2), divided(same_variance, errors**2)
    return numbers, dict(zip(_TESTED, variances, strict=True))


def compared_answers(
    tokens: HeardTokens, sides: tuple[int, int], resampling: Resampling
) -> tuple[Answers, Common, Mapping[str, Floats]]:
    """Return the answers of two of the items [K, 1], what they have in common, and its numbers over the draws [R]."""
    pairs, column = np.unique(tokens.heard[list(sides)], axis=1, return_inverse=True)
    columns = pairs.shape[1] + 1
    size = (len(tokens.phones) + 1) * columns
    places = tokens.utterance * size + tokens.gold * columns + column.ravel()
    attested, counts = np.unique(places, return_counts=True)
    stack = ConfusionStack(  # of gold phones and pairs of answers
        utterances=tokens.utterances,
        gold=tokens.phones,
        predicted=Inventory(tuple(map(str, range(pairs.shape[1])))),
        offsets=np.searchsorted(attested // size, np.arange(len(tokens.utterances) + 1)),
        cells=attested % size,
        counts=counts,
    )
    cells = stack.attested
    gold, pair = np.divmod(cells, columns)
    answers = Answers(gold, pairs[0, pair], pairs[1, pair], stack.total().counts.ravel()[cells][:, None])
    draws = [together(answers._replace(counts=part[:, 0]))[0] for part in cell_counts(stack, resampling, cells)]
    value = together(answers)
    return answers, value, {name: np.concatenate([draw[name] for draw in draws]) for name in value[0]}


def tested(value: Common, drawn: Mapping[str, Floats], draws: Resampling) -> Contrast:
    """Return limits and p of κ given the phone and of the excess of same answers, [2]."""
    spreads = spread(np.column_stack([drawn[name] for name in _TESTED]), draws.effective)
    numbers, by_token = (np.concatenate([part[name] for name in _TESTED]) for part in value)
    return Errors(spreads, by_token).contrast(numbers, draws.level)


def agreement_table(pairs: Sequence[Pair], groups: Sequence[Group], correction: Correction) -> pd.DataFrame:
    """Return agreement.tsv: a row a pair of items with the same gold, and what both get wrong together."""
    table = table_of("comparison/agreement", _rows(pairs, groups))
    p = {name: table[name].to_numpy(float) for name in _TESTED.values()}
    q = {name.replace("p", "q"): adjusted(values, correction) for name, values in p.items()}
    return table.assign(**q, comparisons=int(np.isfinite(p["p"]).sum()), correction=correction)


def _rows(pairs: Sequence[Pair], groups: Sequence[Group]) -> Iterator[dict[str, object]]:
    for pair in pairs:
        for members, tokens in groups:
            if pair.first in members and pair.second in members:
                sides = members.index(pair.first), members.index(pair.second)
                yield _row(pair, *compared_answers(tokens, sides, pair.first.resampling), len(tokens.phones))


def _row(pair: Pair, answers: Answers, value: Common, drawn: Mapping[str, Floats], nothing: int) -> dict[str, object]:
    draws, numbers = pair.first.resampling, {name: float(one[0]) for name, one in value[0].items()}
    counts, tests = _counts(answers, nothing), tested(value, drawn, draws)
    few = (np.array([counts["tokens"], counts["both_wrong"]]) < FEW_TOKENS) | bool(pair.untested)
    plain = contrast(value[0]["kappa"], spread(drawn["kappa"][:, None], draws.effective), draws.level)
    odds = estimate(numbers["odds_ratio"], drawn["odds_ratio"], draws, kind="rate")
    low, high = (dict(zip(_TESTED, limits.tolist(), strict=True)) for limits in (tests.low, tests.high))
    low |= {"kappa": float(plain.low[0]), "odds_ratio": odds.low}
    high |= {"kappa": float(plain.high[0]), "odds_ratio": odds.high}
    constant = [kind for kind, p in zip(("right and wrong", "same wrong answers"), tests.p, strict=True) if np.isnan(p)]
    why = f"{' and '.join(constant)} not tested: the resampled values do not differ" * bool(constant)
    if counts["both_wrong"] < FEW_TOKENS:
        why = f"same wrong answers are not tested: both are wrong at fewer than {FEW_TOKENS} tokens"
    return {
        "item": pair.first.item.name,
        "other": pair.second.item.name,
        **counts,
        **numbers,
        **{f"{name}_low": max(limit, -1.0) for name, limit in low.items()},
        **{f"{name}_high": limit if name == "odds_ratio" else min(limit, 1.0) for name, limit in high.items()},
        **dict(zip(_TESTED.values(), np.where(few, np.nan, tests.p).tolist(), strict=True)),
        "level": draws.level,
        "note": joined([pair.untested or why, pair.weakness]),
    }


def _counts(answers: Answers, nothing: int) -> dict[str, int]:
    gold, first, second, counts = answers
    wrong, other = first != gold, second != gold
    both = wrong & other
    kinds = {
        "tokens": np.ones_like(wrong),
        "both_right": ~wrong & ~other,
        "item_right": ~wrong & other,
        "other_right": wrong & ~other,
        "both_wrong": both,
        "same_wrong": both & (first == second),
        "both_deleted": both & (first == nothing) & (second == nothing),
    }
    return {name: int(counts[chosen].sum()) for name, chosen in kinds.items()}


def suspects(tokens: HeardTokens) -> tuple[pd.DataFrame, float]:
    """Return token, ratio, alike and by_chance of what all hear alike against the gold, ranked; all by chance."""
    heard, number = tokens.heard[0], len(tokens.phones)
    said = np.bincount(tokens.gold, minlength=number + 1)
    kinds = max(1, int(np.count_nonzero(said)))
    said[number] = -(-len(heard) // kinds)  # ∅ takes the place of an average phone
    every = (tokens.heard == heard).all(axis=0) & (heard != tokens.gold) & (said[heard] > 0)
    alike = np.flatnonzero(every)
    cells = _cells(tokens.gold[alike], heard[alike], number)
    ratio = np.exp(sum(_log_ratio(_cells(tokens.gold, own, number), cells) for own in tokens.heard))
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


def _cells(gold: Codes, heard: Codes, number: int) -> Codes:
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
        together = _cells(gold[same], heard[0, same], number)
        left = np.bincount(gold, minlength=number + 1)[:, None] - together
        shares = np.stack([divided(_cells(gold, one, number) - together, left, undefined=0) for one in heard])
        all_alike = np.zeros(shares.shape[1:])
        for _ in range(_ROUNDS):
            all_alike = (all_alike + (1 - all_alike) * shares).prod(axis=0)
        expected[beside] = left * divided(all_alike, 1 - all_alike, undefined=0)
        np.fill_diagonal(expected[beside], 0)
    return expected


def suspect_table(groups: Sequence[Group]) -> pd.DataFrame:
    """Return suspects.tsv: the first suspects of each group of items with the same gold."""
    rows = (row for group in groups for row in _suspect_rows(group).itertuples(index=False, name=None))
    return table_of("comparison/suspects", rows)


def _suspect_rows(group: Group) -> pd.DataFrame:
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

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

A difference from 0 is tested twice, by cluster and by token, as `resample.two_corpora.cells` does; by token with the
variance of o_y when the second's answers are dealt to the tokens of y at random.

References
----------
Cohen (1960). Barlow, Lai & Azen (1991), on κ over strata. Mantel & Haenszel (1959). Geirhos, Meding & Wichmann (2020),
who call κ of right and wrong the consistency of errors.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce

import numpy as np
import pandas as pd
from scipy.sparse import csr_array

from phonxling.comparison.measured import Measured
from phonxling.comparison.pairs import Pair
from phonxling.core.alignment import CORRECT, Alignments
from phonxling.core.arrays import Bools, Codes, Floats, divided
from phonxling.core.confusion import ConfusionStack
from phonxling.core.estimate import joined
from phonxling.core.inventory import Inventory, merge
from phonxling.resample.intervals import estimate
from phonxling.resample.p_values import Correction, adjusted
from phonxling.resample.replicates import cell_counts
from phonxling.resample.student import Contrast, contrast, spread
from phonxling.resample.two_corpora import FEW_TOKENS, Errors
from phonxling.resample.weights import Resampling
from phonxling.tables.files import table_of

# Items of the same utterances with the same gold phones, and what they heard at each gold token.


@dataclass(frozen=True, eq=False, kw_only=True)
class HeardTokens:
    """N gold tokens, utterance by utterance, as S items heard them."""

    phones: Inventory
    utterances: tuple[str, ...]
    utterance: Codes
    position: Codes
    gold: Codes
    heard: Codes
    neighbours: Codes


def heard_tokens(paths: Sequence[Alignments]) -> HeardTokens:
    """Return the gold tokens of alignments of the same utterances, in the same order, with the same gold phones."""
    inventories = (one for path in paths for one in (path.gold_inventory, path.predicted_inventory))
    phones = reduce(merge, inventories)
    spoken = [np.flatnonzero(path.gold < len(path.gold_inventory)) for path in paths]
    sides = list(zip(paths, spoken, strict=True))
    heard = [_codes(path.predicted_inventory, phones)[path.predicted[own]] for path, own in sides]
    beside = [_beside(path)[:, own] for path, own in sides]
    first, own = paths[0], spoken[0]
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


def _beside(path: Alignments) -> Bools:
    """Return whether the pair before and the pair after each pair are right, [2, L]."""
    right = path.operations == CORRECT
    before, after = np.ones((2, len(right)), dtype=bool)
    before[1:], after[:-1] = right[:-1], right[1:]
    filled = np.diff(path.offsets) > 0
    before[path.offsets[:-1][filled]] = True
    after[path.offsets[1:][filled] - 1] = True
    return np.stack([before, after])


@dataclass(frozen=True, eq=False)
class Group:
    """Two or more items of the same utterances with the same gold phones, and their tokens."""

    members: tuple[Measured, ...]
    tokens: HeardTokens


def groups_of(items: Sequence[Measured]) -> list[Group]:
    """Return the groups of two or more items that are resampled together, in the order of their first items."""
    alike = (tuple(one for one in items if one.group == number) for number in dict.fromkeys(one.group for one in items))
    return [Group(members, heard_tokens([one.item.path for one in members])) for members in alike if len(members) > 1]


@dataclass(frozen=True, eq=False)
class Agreement:
    """Tokens of R tables, those with the same answer, how many are expected, and the variance by token; [R] each."""

    tokens: Floats
    alike: Floats
    expected: Floats
    variance: Floats

    @property
    def beyond(self) -> Floats:
        """Tokens with the same answer beyond those expected."""
        return self.alike - self.expected

    def per(self, whole: Floats) -> tuple[Floats, Floats]:
        """Return `beyond` as a share of something, and the variance of that share by token."""
        return divided(self.beyond, whole), divided(self.variance, whole**2)


@dataclass(frozen=True, eq=False)
class Answers:
    """Counts [K, R] of the tokens with a gold phone, an answer of the first and one of the second item, [K] each."""

    gold: Codes
    first: Codes
    second: Codes
    counts: Floats

    @property
    def wrong(self) -> tuple[Bools, Bools]:
        """Whether the first, and the second, is wrong, [K] each."""
        return self.first != self.gold, self.second != self.gold

    @property
    def marked(self) -> "Answers":
        """The same with 1 for a wrong answer and 0 for a right one."""
        first, second = (wrong.astype(np.int64) for wrong in self.wrong)
        return replace(self, first=first, second=second)

    def where(self, chosen: Bools) -> "Answers":
        """Return those chosen [K]."""
        return Answers(self.gold[chosen], self.first[chosen], self.second[chosen], self.counts[chosen])

    def by_phone(self, chosen: Bools) -> Floats:
        """Return the tokens of each gold phone among those chosen, [G, R]."""
        return _summed(self.gold[chosen], self.counts[chosen], int(self.gold.max(initial=0)) + 1)

    def agreement(self) -> Agreement:
        """Return the agreement over the phones with two tokens or more."""
        size = int(max(self.first.max(initial=0), self.second.max(initial=0))) + 1
        tokens, alike = (self.by_phone(chosen) for chosen in (self.gold >= 0, self.first == self.second))
        places = np.stack([self.gold * size + self.first, self.gold * size + self.second])
        cells, places = np.unique(places, return_inverse=True)
        own, other = (_summed(place, self.counts, len(cells)) for place in places)
        together, mixed = (
            _summed(cells // size, values, len(tokens)) for values in (own * other, own * other * (own + other))
        )
        several = tokens > 1
        expected = divided(together - alike, np.where(several, tokens - 1, 0), undefined=0)
        variance = divided(together**2 - tokens * mixed + tokens**2 * together, np.where(several, tokens - 1, 0) ** 3)
        parts = tokens, alike, expected, variance
        return Agreement(*(np.where(several, part, 0).sum(axis=0) for part in parts))


def _summed(codes: Codes, counts: Floats, size: int) -> Floats:
    """Return the sums of counts [K, R] by code [K], [size, R]."""
    sums = csr_array((np.ones(len(codes)), (codes, np.arange(len(codes)))), shape=(size, len(codes)))
    return np.asarray(sums @ counts, dtype=np.float64)


@dataclass(frozen=True, eq=False)
class Together:
    """What two items have in common: a number [R] of each measure, and the variances by token of those with a test."""

    numbers: Mapping[str, Floats]
    variances: Mapping[str, Floats]


def together(answers: Answers) -> Together:
    """Return every measure of answers; NaN where one is not defined."""
    wrong, other_wrong = answers.wrong
    rights, errors = answers.marked.agreement(), answers.where(wrong & other_wrong).agreement()
    kappa, variance = rights.per(rights.tokens - rights.expected)
    excess, excess_variance = errors.per(errors.tokens)
    numbers = {
        "kappa": _cohens_kappa(answers),
        "kappa_given_phone": kappa,
        "odds_ratio": _odds_ratio(answers),
        "both_wrong_expected": answers.by_phone(wrong & other_wrong).sum(axis=0) - rights.beyond / 2,
        "same_share": divided(errors.alike, errors.tokens),
        "same_expected": divided(errors.expected, errors.tokens),
        "same_excess": excess,
    }
    return Together(numbers, {"kappa_given_phone": variance, "same_excess": excess_variance})


def _cohens_kappa(answers: Answers) -> Floats:
    wrong, other = answers.wrong
    tokens = answers.counts.sum(axis=0)
    own, others, alike = (answers.counts[chosen].sum(axis=0) for chosen in (wrong, other, wrong == other))
    expected = divided(own * others + (tokens - own) * (tokens - others), tokens)
    return divided(alike - expected, tokens - expected)


def _odds_ratio(answers: Answers) -> Floats:
    wrong, other = answers.wrong
    kinds = (~wrong & ~other, wrong & other, wrong & ~other, ~wrong & other)
    right, both, first, second = (answers.by_phone(chosen) for chosen in kinds)
    tokens = right + both + first + second
    above, below = (divided(product, tokens, undefined=0).sum(axis=0) for product in (right * both, first * second))
    return divided(above, below)


def compared_answers(
    tokens: HeardTokens, sides: tuple[int, int], resampling: Resampling
) -> tuple[Answers, Together, Mapping[str, Floats]]:
    """Return the answers of two of the items [K, 1], what they have in common, and its numbers over the draws [R]."""
    stack, pairs = _stacked(tokens, sides)
    cells = stack.attested
    gold, pair = np.divmod(cells, pairs.shape[1] + 1)
    answers = Answers(gold, pairs[0, pair], pairs[1, pair], stack.total().counts.ravel()[cells][:, None])
    draws = [together(replace(answers, counts=part[:, 0])).numbers for part in cell_counts(stack, resampling, cells)]
    value = together(answers)
    return answers, value, {name: np.concatenate([draw[name] for draw in draws]) for name in value.numbers}


def _stacked(tokens: HeardTokens, sides: tuple[int, int]) -> tuple[ConfusionStack, Codes]:
    """Return the counts by utterance of gold phones and pairs of answers, and the pairs [2, P]."""
    pairs, column = np.unique(tokens.heard[list(sides)], axis=1, return_inverse=True)
    columns = pairs.shape[1] + 1
    size = (len(tokens.phones) + 1) * columns
    cells = tokens.utterance * size + tokens.gold * columns + column.ravel()
    attested, counts = np.unique(cells, return_counts=True)
    stack = ConfusionStack(
        utterances=tokens.utterances,
        gold=tokens.phones,
        predicted=Inventory(tuple(map(str, range(pairs.shape[1])))),
        offsets=np.searchsorted(attested // size, np.arange(len(tokens.utterances) + 1)),
        cells=attested % size,
        counts=counts,
    )
    return stack, pairs


# agreement.tsv: what each two items of the same gold get wrong together.

_TESTED = {"kappa_given_phone": "p", "same_excess": "same_p"}  # and the column of p


def agreement_table(pairs: Sequence[Pair], groups: Sequence[Group], correction: Correction) -> pd.DataFrame:
    """Return agreement.tsv: a row a pair of items with the same gold."""
    table = table_of("comparison/agreement", (_row(pair, group) for pair, group in _grouped(pairs, groups)))
    p = {name: table[name].to_numpy(float) for name in _TESTED.values()}
    q = {name.replace("p", "q"): adjusted(values, correction) for name, values in p.items()}
    return table.assign(**q, comparisons=int(np.isfinite(p["p"]).sum()), correction=correction)


def _grouped(pairs: Sequence[Pair], groups: Sequence[Group]) -> Iterator[tuple[Pair, Group]]:
    for pair in pairs:
        yield from ((pair, group) for group in groups if pair.first in group.members and pair.second in group.members)


def _row(pair: Pair, group: Group) -> dict[str, object]:
    draws = pair.first.resampling
    sides = group.members.index(pair.first), group.members.index(pair.second)
    answers, value, drawn = compared_answers(group.tokens, sides, draws)
    numbers = {name: float(one[0]) for name, one in value.numbers.items()}
    counts = _counts(answers, len(group.tokens.phones))
    tests = tested(value, drawn, draws)
    few = (np.array([counts["tokens"], counts["both_wrong"]]) < FEW_TOKENS) | bool(pair.untested)
    plain = contrast(value.numbers["kappa"], spread(drawn["kappa"][:, None], draws.effective), draws.level)
    odds = estimate(numbers["odds_ratio"], drawn["odds_ratio"], draws, kind="rate")
    low, high = (dict(zip(_TESTED, limits.tolist(), strict=True)) for limits in (tests.low, tests.high))
    low |= {"kappa": float(plain.low[0]), "odds_ratio": odds.low}
    high |= {"kappa": float(plain.high[0]), "odds_ratio": odds.high}
    return {
        "item": pair.first.item.name,
        "other": pair.second.item.name,
        **counts,
        **numbers,
        **{f"{name}_low": max(limit, -1.0) for name, limit in low.items()},
        **{f"{name}_high": limit if name == "odds_ratio" else min(limit, 1.0) for name, limit in high.items()},
        **dict(zip(_TESTED.values(), np.where(few, np.nan, tests.p).tolist(), strict=True)),
        "level": draws.level,
        "note": joined([_why_untested(pair, counts, tests.p), pair.weakness, pair.averaged]),
    }


def tested(value: Together, drawn: Mapping[str, Floats], draws: Resampling) -> Contrast:
    """Return limits and p of κ given the phone and of the excess of same answers, [2]."""
    spreads = spread(np.column_stack([drawn[name] for name in _TESTED]), draws.effective)
    by_token = np.concatenate([value.variances[name] for name in _TESTED])
    return Errors(spreads, by_token).contrast(np.concatenate([value.numbers[name] for name in _TESTED]), draws.level)


def _counts(answers: Answers, nothing: int) -> dict[str, int]:
    wrong, other = answers.wrong
    both = wrong & other
    kinds = {
        "tokens": np.ones_like(wrong),
        "both_right": ~wrong & ~other,
        "item_right": ~wrong & other,
        "other_right": wrong & ~other,
        "both_wrong": both,
        "same_wrong": both & (answers.first == answers.second),
        "both_deleted": both & (answers.first == nothing) & (answers.second == nothing),
    }
    return {name: int(answers.counts[chosen].sum()) for name, chosen in kinds.items()}


def _why_untested(pair: Pair, counts: dict[str, int], p: Floats) -> str:
    if pair.untested:
        return pair.untested
    if counts["both_wrong"] < FEW_TOKENS:
        return f"same wrong answers are not tested: both are wrong at fewer than {FEW_TOKENS} tokens"
    kinds = ("right and wrong", "same wrong answers")
    constant = " and ".join(kind for kind, one in zip(kinds, p.tolist(), strict=True) if np.isnan(one))
    return f"{constant} not tested: the resampled values do not differ" if constant else ""

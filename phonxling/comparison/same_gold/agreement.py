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

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from scipy.sparse import csr_array

from phonxling.comparison.same_gold.tokens import HeardTokens
from phonxling.core.arrays import Bools, Codes, Floats, divided
from phonxling.core.confusion import ConfusionStack
from phonxling.core.inventory import Inventory
from phonxling.resample.replicates import cell_counts
from phonxling.resample.weights import Resampling


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

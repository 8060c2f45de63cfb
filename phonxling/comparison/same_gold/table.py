"""agreement.tsv: what each two items of the same gold get wrong together."""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import pandas as pd

from phonxling.comparison.pairs import Pair
from phonxling.comparison.same_gold.agreement import Answers, Together, compared_answers
from phonxling.comparison.same_gold.tokens import Group
from phonxling.core.arrays import Floats
from phonxling.core.estimate import joined
from phonxling.resample.intervals import estimate
from phonxling.resample.p_values import Correction, adjusted
from phonxling.resample.student import Contrast, contrast, spread
from phonxling.resample.two_corpora.cells import FEW_TOKENS, Errors
from phonxling.resample.weights import Resampling
from phonxling.tables.files import table_of

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

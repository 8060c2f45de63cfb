"""The rows of summary.tsv on posteriors: association from soft and from hard decisions, and the frames behind it."""

import math
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from phonxling.analyses.association.association import Association, share_of_gold
from phonxling.analyses.case.notes import unpaired_note
from phonxling.analyses.information.pointwise import information_of
from phonxling.analyses.rows import Row, interval_of, row_of
from phonxling.core.estimate import Estimate
from phonxling.core.means import TokenPosteriors
from phonxling.resample.estimators import entropy
from phonxling.resample.p_values import p_value

Floats = NDArray[np.float64]
_BIASED = 0.1  # share of the value that the null is, above which intervals cover too little
_ROUNDING = 1e-12  # sums in another order
_MI = "posterior_mutual_information"


def association_rows(found: Association, untied: Sequence[str] = ()) -> Iterator[Row]:
    """Yield I(Y;E) of soft and hard decisions, its level without association, and what the posteriors rest on."""
    tokens, n = found.tokens, float(len(found.tokens))
    missing = "" if n else "no gold token has a frame"
    note = missing or _note(tokens, untied)
    yield from _rows(found, note, missing, hard=False)
    yield from _rows(found, missing, missing, hard=True)
    for variant, number in (("in phones", tokens.read - tokens.outside), ("outside", tokens.outside)):
        yield row_of("frames", float(number), float(tokens.read), variant)
    for variant, lost in (("no frame", tokens.without_frame), ("silence alone", tokens.silent)):
        each = " ".join(f"{phone} {lost[code]}" for code, phone in enumerate(tokens.phones) if lost[code])
        whole = n + float(tokens.without_frame.sum() + tokens.silent.sum())
        yield row_of("tokens_left_out", float(lost.sum()), whole, variant, each)


def _note(tokens: TokenPosteriors, untied: Sequence[str]) -> str:
    short, silent = int(tokens.without_frame.sum()), int(tokens.silent.sum())
    told = {
        unpaired_note(untied, " with posteriors"): bool(untied),
        f"tokens too short to hold a frame: {short}": short > 0,
        f"tokens heard as silence alone: {silent}": silent > 0,
        f"share of the mass that is blank: {tokens.blank_share:.3f}": not math.isnan(tokens.blank_share),
    }
    return "; ".join(text for text, tell in told.items() if tell)


def _rows(found: Association, note: str, missing: str, *, hard: bool) -> Iterator[Row]:
    n, variant = float(len(found.tokens)), f"{found.unit} hard" if hard else found.unit
    gold = entropy((found.hard.mass if hard else found.soft.mass).sum(axis=1))
    drawn = found.null(hard=hard) if n else np.zeros(0)
    value = found.information(information_of, hard=hard)
    yield Row(_MI, value, n, variant, "; ".join(filter(None, [note, _thin(value, drawn)])))
    none = missing or ("" if gold > 0 else "H(gold) is 0")
    share = found.information(share_of_gold, hard=hard, most=1.0)
    yield Row("uncertainty_coefficient", share, n, f"posterior{' hard' if hard else ''}", none)
    if len(drawn):
        yield from _null_rows(drawn, value.value, gold, (n, variant, found.experiment.uncertainty.level))


def _thin(value: Estimate, null: Floats) -> str:
    """Return a warning where tokens are few: the documentation has how often such intervals hold the truth."""
    if not len(null) or math.isnan(value.low) or null.mean() <= _BIASED * value.value:
        return ""
    share = null.mean() / value.value if value.value > 0 else math.inf
    return f"few tokens, so the interval covers too little: the null is {share:.0%} of the value"


def _null_rows(drawn: Floats, value: float, gold: float, about: tuple[float, str, float]) -> Iterator[Row]:
    n, variant, level = about
    null, least = float(drawn.mean()), 1 / (len(drawn) + 1)
    note = f"{len(drawn)} permutations of the tokens' labels"
    yield Row(f"{_MI}_null", interval_of(drawn, level), n, variant, note)
    yield row_of(f"{_MI}_excess", value - null, n, variant)
    left = gold - null
    adjusted = (value - null) / left if left > 0 else math.nan
    yield row_of(f"{_MI}_adjusted", adjusted, n, variant, "" if left > 0 else "H(gold) is at its null")
    p = p_value(value - _ROUNDING, drawn)
    yield row_of(f"{_MI}_p", p, n, variant, f"least possible: {least:.2g}")

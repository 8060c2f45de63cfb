"""Gold phones beside what posteriors say: association from soft and from hard decisions, and the frames behind it."""

import math
from collections.abc import Iterator, Sequence

import numpy as np

from phonxling.analyses.association.cells import cell_tests
from phonxling.analyses.association.joints import (
    ResampledJoint,
    permuted_information,
    resampled_joint,
    share_of_gold,
)
from phonxling.analyses.association.tables import association_table, frame_table
from phonxling.analyses.case.case import Case, Items
from phonxling.analyses.case.notes import unpaired_note
from phonxling.analyses.information.pointwise import information_of
from phonxling.analyses.rows import Row, interval_of, row_of
from phonxling.core.arrays import Floats
from phonxling.core.estimate import Estimate, joined
from phonxling.core.means import TokenPosteriors
from phonxling.count.posteriors import token_weights
from phonxling.resample.estimators import entropy
from phonxling.resample.p_values import p_value
from phonxling.resample.sums import clusters_with
from phonxling.settings.sections import Information

_BIASED = 0.1  # share of the value that the null is, above which intervals cover too little
_ROUNDING = 1e-12  # sums in another order
_MI = "posterior_mutual_information"


def association(case: Case, settings: Information) -> Items:
    """Yield association.tsv, frames.tsv, and I(Y;E) of soft and hard decisions with its level without association."""
    tokens, weights, unit = case.token_posteriors, case.token_resampling, settings.unit
    soft, hard = (resampled_joint(tokens, weights, unit, hard=hard) for hard in (False, True))
    phones, owner = len(tokens.phones), tokens.utterances
    clusters = clusters_with(tokens.codes, groups=phones, owner=owner, resampling=weights)
    tests = cell_tests(tokens, soft, counts=token_weights(tokens, unit), clusters=clusters)
    yield "association", association_table(soft.whole, hard.whole, tests)
    yield "frames", frame_table(tokens)
    nulls = np.zeros((2, 0))
    if len(tokens):
        nulls = permuted_information(tokens, unit, settings.permutations, case.generator("permutation"))
    missing = "" if len(tokens) else "no gold token has a frame"
    note = missing or _note(tokens, case.loaded.untied)
    yield from _rows(soft, nulls[0], (unit, "posterior"), tokens=len(tokens), missing=missing, note=note)
    names = f"{unit} hard", "posterior hard"
    yield from _rows(hard, nulls[1], names, tokens=len(tokens), missing=missing, note=missing)
    yield from _frame_rows(tokens)


def _note(tokens: TokenPosteriors, untied: Sequence[str]) -> str:
    short, silent = int(tokens.without_frame.sum()), int(tokens.silent.sum())
    blank = tokens.blank_share
    return joined(
        [
            unpaired_note(untied, " with posteriors"),
            f"tokens too short to hold a frame: {short}" if short else "",
            f"tokens heard as silence alone: {silent}" if silent else "",
            "" if math.isnan(blank) else f"share of the mass that is blank: {blank:.3f}",
        ]
    )


def _rows(
    joint: ResampledJoint, null: Floats, variants: tuple[str, str], *, tokens: int, missing: str, note: str
) -> Iterator[Row]:
    """Yield I(Y;E), I/H(gold) and what I is beside its null [permutations]; the variants are of the first two."""
    variant, share_variant = variants
    gold = entropy(joint.whole.mass.sum(axis=1))
    information = joint.information(information_of)
    yield row_of(_MI, information, tokens, variant, note, _few_tokens(information, null))
    undefined = missing or ("" if gold > 0 else "H(gold) is 0")
    yield row_of("uncertainty_coefficient", joint.information(share_of_gold, 1.0), tokens, share_variant, undefined)
    if not len(null):
        return
    value, mean = information.value, float(null.mean())
    about = f"{len(null)} permutations of the labels of tokens"
    yield row_of(f"{_MI}_null", interval_of(null, joint.resampling.level), tokens, variant, about)
    yield row_of(f"{_MI}_excess", value - mean, tokens, variant)
    most_excess = gold - mean
    adjusted = (value - mean) / most_excess if most_excess > 0 else math.nan
    yield row_of(f"{_MI}_adjusted", adjusted, tokens, variant, "" if most_excess > 0 else "H(gold) is at its null")
    yield row_of(
        f"{_MI}_p", p_value(value - _ROUNDING, null), tokens, variant, f"least possible: {1 / (len(null) + 1):.2g}"
    )


def _few_tokens(information: Estimate, null: Floats) -> str:
    """Return a warning where tokens are few: the documentation has how often such intervals hold the truth."""
    if not len(null) or math.isnan(information.low) or null.mean() <= _BIASED * information.value:
        return ""
    share = null.mean() / information.value if information.value > 0 else math.inf
    return f"few tokens, so the interval covers too little: the null is {share:.0%} of the value"


def _frame_rows(tokens: TokenPosteriors) -> Iterator[Row]:
    for variant, frames in (("in phones", tokens.read - tokens.outside), ("outside", tokens.outside)):
        yield row_of("frames", frames, tokens.read, variant)
    all_tokens = len(tokens) + int(tokens.without_frame.sum() + tokens.silent.sum())
    for variant, lost in (("no frame", tokens.without_frame), ("silence alone", tokens.silent)):
        phones = " ".join(f"{phone} {lost[code]}" for code, phone in enumerate(tokens.phones) if lost[code])
        yield row_of("tokens_left_out", int(lost.sum()), all_tokens, variant, phones)

"""Gold phones beside what posteriors say: what the most probable phone tells, what one drawn tells, and the frames."""

import math
from collections.abc import Iterator

import numpy as np

from phonxling.analyses.association.cells import cell_tests
from phonxling.analyses.association.joints import ResampledJoint, few_tokens, permuted_information, resampled_joint
from phonxling.analyses.association.tables import association_table, frame_table
from phonxling.analyses.case.case import Case, Items
from phonxling.analyses.case.notes import unpaired_note
from phonxling.analyses.forced.reading import ForcedCorpus
from phonxling.analyses.rows import Row, interval_of, row_of
from phonxling.core.arrays import Codes, Floats
from phonxling.core.estimate import joined
from phonxling.core.means import TokenPosteriors
from phonxling.count.posteriors import token_weights
from phonxling.resample.estimators import entropy
from phonxling.resample.p_values import p_value
from phonxling.resample.sums import clusters_with
from phonxling.resample.weights import Resampling
from phonxling.settings.sections import Information

_LEAST = 50  # tokens of a speaker: among fewer, labels cannot change places without meeting themselves
_ROUNDING = 1e-12  # sums in another order
_DECISION, _DRAW = "decision_mutual_information", "posterior_mutual_information"
_PEAKS = "a phone has its peak alone: the blanks around it are outside"


def association(case: Case, settings: Information) -> Items:
    """Yield association.tsv, frames.tsv, and what decisions, and draws from the posteriors, tell about gold phones."""
    tokens, weights, unit = case.token_posteriors, case.token_resampling, settings.unit
    decided = resampled_joint(tokens, weights, unit, hard=True)
    sampled = resampled_joint(tokens, weights, unit, drawn=case.drawn_mass if unit == "token" else None)
    phones, owner = len(tokens.phones), tokens.utterances
    clusters = clusters_with(tokens.codes, groups=phones, owner=owner, resampling=weights)
    tests = cell_tests(tokens, sampled, counts=token_weights(tokens, unit), clusters=clusters)
    yield "association", association_table(sampled.whole, decided.whole, tests)
    yield "frames", frame_table(tokens)
    within, whose = _exchangeable(tokens, weights)
    nulls = np.zeros((2, 0))
    if len(tokens):
        random = case.generator("permutation")
        nulls = permuted_information(tokens, unit, within, permutations=settings.permutations, generator=random)
    missing = case.without_tokens
    variant = "frame" * (unit == "frame")
    for name, joint, null in zip((_DECISION, _DRAW), (decided, sampled), nulls, strict=True):
        note = missing or _note(tokens, case, name)
        yield from _information_rows(joint, null, name, variant, n=len(tokens), missing=missing, note=note)
        yield from _rows_beside_null(joint, null, name, variant, n=len(tokens), missing=missing, whose=whose)
    yield from _frame_rows(tokens, _PEAKS if case.forced is not None and not math.isnan(tokens.blank_share) else "")


def _exchangeable(tokens: TokenPosteriors, resampling: Resampling) -> tuple[Codes, str]:
    """Return the groups [N] within which tokens change labels, and what they are: speakers, where these have enough.

    Speakers may differ in what they say and in how they sound, which ties labels to posteriors though neither tells of
    the other.
    """
    speakers = resampling.clusters[tokens.utterances]
    known = resampling.unit == "speaker" and len(tokens) >= _LEAST * len(np.unique(speakers))
    return (speakers, "the tokens of each speaker") if known else (np.zeros(len(tokens), np.int64), "all tokens")


def _optimistic(found: ForcedCorpus, name: str) -> str:
    certainty = f"mean certainty {found.forced.certainty.mean():.3f}"
    return f"times were found from these posteriors ({certainty}), which is optimistic: see {name}_unrelated"


def _note(tokens: TokenPosteriors, case: Case, name: str) -> str:
    short, silent = int(tokens.without_frame.sum()), int(tokens.silent.sum())
    blank = tokens.blank_share
    return joined(
        [
            "" if case.forced is None else _optimistic(case.forced, name),
            unpaired_note(case.loaded.untied, " with posteriors"),
            f"tokens too short to hold a frame: {short}" if short else "",
            f"tokens heard as silence alone: {silent}" if silent else "",
            "" if math.isnan(blank) else f"share of the mass that is blank: {blank:.3f}",
        ]
    )


def _information_rows(
    joint: ResampledJoint, null: Floats, name: str, variant: str, *, n: int, missing: str, note: str
) -> Iterator[Row]:
    """Yield the information, bias-corrected with its interval and plug-in, and its share of H(gold)."""
    plug_in = joint.plug_in()
    yield row_of(name, joint.information(), n, variant, note, few_tokens(plug_in, null))
    yield row_of(name, plug_in, n, f"{variant} ml".strip(), missing)
    if name == _DRAW:
        undefined = missing or ("" if entropy(joint.whole.mass.sum(axis=1)) > 0 else "H(gold) is 0")
        share = joint.information("uncertainty_coefficient_gold", most=1.0)
        yield row_of("uncertainty_coefficient", share, n, "posterior", undefined)


def _rows_beside_null(
    joint: ResampledJoint, null: Floats, name: str, variant: str, *, n: int, missing: str, whose: str
) -> Iterator[Row]:
    """Yield the mean of the null [permutations], the plug-in above it, and p."""
    why = missing or ("" if len(null) else "no permutations were asked for")
    if why:
        yield from (row_of(f"{name}_{part}", math.nan, n, variant, why) for part in ("null", "excess", "p"))
        return
    value, mean = joint.plug_in(), float(null.mean())
    about = f"{len(null)} permutations of labels among {whose}"
    yield row_of(f"{name}_null", interval_of(null, joint.resampling.level), n, variant, about)
    yield row_of(f"{name}_excess", value - mean, n, variant, "plug-in less its null")
    dealt, least = f"labels change places among {whose}", f"least possible: {1 / (len(null) + 1):.2g}"
    yield row_of(f"{name}_p", p_value(value - _ROUNDING, null), n, variant, dealt, least)


def _frame_rows(tokens: TokenPosteriors, note: str) -> Iterator[Row]:
    yield row_of("frames", tokens.read - tokens.outside, tokens.read, "in phones", note)

"""Gold phones beside what posteriors say: what the most probable phone tells, what one drawn tells, and the frames.

Conventions
-----------
Rows are gold phones y, columns recognised phones e: the most probable ones (`hard`; by frames each frame's own, of
equal ones the first), or phones drawn from the posterior. A token counts once (`token`) or by the mass of its frames
(`frame`).

Which cells differ from independence
------------------------------------
Residual r(y,e) = p̂(y,e) − p̂(y)·p̂(e), 0 in expectation without association. t = r / SE(r); SE is the larger
of two: over the bootstrap's replicates, in which whole utterances or speakers are drawn, and over permutations of the
labels, since counts of few tokens hardly vary over replicates. p is Student's on C − 1 degrees of freedom, C clusters
that hold the gold phone, and q by Benjamini & Hochberg over the cells that are tested. Limits of NPMI are t limits.

References
----------
Benjamini & Hochberg (1995), Controlling the false discovery rate. Davison & Hinkley (1997), chapter 4.
"""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise

import numpy as np
import pandas as pd

from phonxling.analyses.case import Case, Items
from phonxling.analyses.entropy import margins, npmi_of, pmi_of
from phonxling.analyses.loaded import unpaired_note
from phonxling.analyses.measures import Row, row_of
from phonxling.core.arrays import Codes, Floats, code_type
from phonxling.core.estimate import Estimate, joined
from phonxling.core.posteriorgram import JointDistribution, TokenPosteriors
from phonxling.count.confusions import parts_of, stack_cells
from phonxling.count.posteriors import Unit, decided_rows, joint_of_tokens, token_weights
from phonxling.resample.entropies import entropy_sums, information, information_interval, jackknife
from phonxling.resample.estimators import entropy
from phonxling.resample.intervals import Resampling, interval_of
from phonxling.resample.kernel import add_relabelled, add_relabelled_cells
from phonxling.resample.p_values import adjusted, least_p, p_value
from phonxling.resample.replicates import TokenGroups, over_replicates
from phonxling.resample.student import contrast, freedom_of, spread
from phonxling.resample.two_corpora import FEW_EVENTS, FEW_TOKENS
from phonxling.settings.models import Information

_BIASED = 0.25  # share of the plug-in that its null is, above which intervals hold the truth in fewer than 90 %
_FEWEST, _MOST = 8, 32  # permutations that one pass over the tokens serves
_LABELS = 160_000_000  # bytes that they may take where that is more than the fewest
_TOGETHER = 16  # tables of mass that are measured at one time
_CLUSTERS = 10  # that hold a gold phone, for a test of its cells
_LEAST = 50  # tokens of a speaker: among fewer, labels cannot change places without meeting themselves
_ROUNDING = 1e-12  # sums in another order
_DECISION, _DRAW = "decision_mutual_information", "posterior_mutual_information"
_PEAKS = "a phone has its peak alone: the blanks around it are outside"


@dataclass(frozen=True, eq=False, kw_only=True)
class ResampledJoint:
    """The joint distribution of all tokens [G, K], of each replicate [R, G, K], and without parts of them [B, G, K]."""

    whole: JointDistribution
    drawn: Floats
    left_out: Floats
    resampling: Resampling
    counted: bool

    def information(self, name: str = "mutual_information", most: float = math.inf) -> Estimate:
        """Return a measure of information by its name, bias-corrected, with its interval."""
        drawn, left_out = (one[name] for one in self._measured)
        value = float(_each(self.whole.mass[None], corrected=self.counted)[name][0])
        number = jackknife(value, left_out)
        return information_interval(number, drawn, self.resampling, left_out=left_out, most=most)

    @cached_property
    def _measured(self) -> list[Mapping[str, Floats]]:
        return [_each(masses, corrected=self.counted) for masses in (self.drawn, self.left_out)]


def resampled_joint(
    tokens: TokenPosteriors,
    resampling: Resampling,
    unit: Unit = "token",
    *,
    hard: bool = False,
) -> ResampledJoint:
    """Return the joint distribution of tokens, over all of them and under resampling."""
    rows, counts = decided_rows(tokens, unit) if hard else (tokens.rows, token_weights(tokens, unit))
    counted = hard and unit == "token"
    groups = TokenGroups(tokens.codes, len(tokens.phones), tokens.utterances, resampling)
    drawn = _drawn_decisions(tokens, resampling) if counted else groups.drawn(rows, counts)
    left_out = groups.left_out(rows, counts)
    whole = joint_of_tokens(tokens, unit, hard=hard)
    return ResampledJoint(whole=whole, drawn=drawn, left_out=left_out, resampling=resampling, counted=counted)


def _drawn_decisions(tokens: TokenPosteriors, resampling: Resampling) -> Floats:
    """Return the replicate sums of decisions, [R, G, K], from counts: an utterance has few of all pairs of phones."""
    cells, sides = tokens.codes * (len(tokens.columns) + 1) + tokens.hard, (tokens.phones, tokens.columns)
    names = tuple(map(str, range(len(resampling.clusters))))
    stack = stack_cells(tokens.utterances, cells, sides, utterances=names)
    return np.moveaxis(over_replicates(stack, resampling, lambda drawn: drawn[:-1, :-1]), -1, 0)


def permuted_information(
    tokens: TokenPosteriors, unit: Unit, within: Codes, *, permutations: int, generator: np.random.Generator
) -> Floats:
    """Return the plug-in I(Y;E) for random permutations of the gold labels, bits: its level without association."""
    codes = tokens.codes.astype(code_type(len(tokens.phones)))
    order, groups = np.argsort(within, kind="stable"), np.cumsum([0, *np.bincount(within)]).tolist()
    weights, decisions = token_weights(tokens, unit), decided_rows(tokens, unit)[0]
    parts = []
    for part in parts_of(tokens.rows):  # of decisions the values that are not 0: the row, the column, and the value
        row, column = np.nonzero(decisions[part])
        parts.append((part, (row.astype(np.int32), column.astype(np.int32), decisions[part][row, column])))
    drawn = np.empty((2, permutations))
    together = min(max(_FEWEST, _LABELS // max(1, codes.nbytes)), _MOST)
    for first in range(0, permutations, together):
        labels = np.empty((min(together, permutations - first), len(codes)), codes.dtype)
        for labelling in labels:
            own = codes[order]
            for begin, end in pairwise(groups):
                generator.shuffle(own[begin:end])
            labelling[order] = own
        decided, sampled = np.zeros((2, len(labels), len(tokens.phones), len(tokens.columns)))
        for part, cells in parts:
            some = np.ascontiguousarray(labels[:, part])
            add_relabelled(tokens.rows[part].astype(np.float64, copy=False), weights[part], some, sampled)
            add_relabelled_cells(*cells, some, decided)
        drawn[:, first : first + len(labels)] = [_each(masses)["mutual_information"] for masses in (decided, sampled)]
    return drawn


def few_tokens(plug_in: float, null: Floats) -> str:
    """Return a warning where tokens are few: the documentation has how often such intervals hold the truth."""
    share = null.mean() / plug_in if len(null) and plug_in > 0 else 0.0
    if share <= _BIASED:
        return ""
    return f"few tokens: the interval covers too little, since {share:.0%} of the plug-in is chance"


def _each(masses: Floats, *, corrected: bool = False) -> Mapping[str, Floats]:
    """Return each measure of information of each table of mass [R, G, K], [R], some tables at a time."""
    firsts = range(0, max(1, len(masses)), _TOGETHER)
    parts = (np.moveaxis(masses[first : first + _TOGETHER], 0, -1) for first in firsts)
    measured = [information(entropy_sums(part, corrected=corrected)) for part in parts]
    return {name: np.concatenate([part[name] for part in measured]) for name in measured[0]}


def cell_tests(
    tokens: TokenPosteriors, joint: ResampledJoint, *, counts: Floats, clusters: Floats
) -> dict[str, Floats]:
    """Return limits of each cell's NPMI (low, high), p and q, [G, K] each; NaN where too little carries them."""
    mass, level = joint.whole.mass, joint.resampling.level
    low, high, p = np.full((3, *mass.shape), np.nan)
    drawn = joint.drawn[joint.drawn.sum(axis=(1, 2)) > 0]
    if len(drawn) < 2:
        return {"low": low, "high": high, "p": p, "q": adjusted(p)}
    shares, share = drawn / drawn.sum(axis=(1, 2), keepdims=True), mass / mass.sum()
    rows, columns = margins(share)
    residual, null_error = share - rows * columns, _null_error(tokens, counts, share.sum(axis=0))
    carried = np.maximum(share, share - residual) * len(tokens) >= FEW_EVENTS
    spoken = np.bincount(tokens.codes, minlength=len(mass)) >= FEW_TOKENS
    tested = carried & (spoken & (clusters[0] >= _CLUSTERS))[:, None]
    phone, recognised = np.nonzero(tested)
    cells, number = shares[:, phone, recognised], clusters[1, phone]
    own = shares.sum(axis=2)[:, phone], shares.sum(axis=1)[:, recognised]
    apart, together = (spread(values, number) for values in (cells - own[0] * own[1], npmi_of(cells, own)))
    variance = np.fmax(apart.variance, null_error[tested] ** 2)
    p[tested] = contrast(residual[tested], replace(apart, variance=variance, freedom=freedom_of(number)), level).p
    limits = contrast(npmi_of(share)[tested], together, level)
    low[tested], high[tested] = np.maximum(limits.low, -1), np.minimum(limits.high, 1)
    return {"low": low, "high": high, "p": p, "q": adjusted(p)}


def _null_error(tokens: TokenPosteriors, counts: Floats, p: Floats) -> Floats:
    """Return the standard deviation of each residual over all permutations of the labels, [G, K]."""
    number = len(tokens)
    squares = counts**2
    twice, once = np.zeros((2, len(p)))
    for part in parts_of(tokens.rows):
        rows = tokens.rows[part]
        twice, once = twice + np.einsum("n,nk,nk->k", squares[part], rows, rows), once + squares[part] @ rows
    scatter = np.maximum(twice - 2 * p * once + p**2 * squares.sum(), 0.0) / counts.sum() ** 2
    tokens_of_phone = np.bincount(tokens.codes, minlength=len(tokens.phones))[:, None]
    return np.asarray(np.sqrt(tokens_of_phone * (1 - tokens_of_phone / number) * scatter / max(number - 1, 1)))


def association(case: Case, settings: Information) -> Items:
    """Yield association.tsv, frames.tsv, and what decisions, and draws from the posteriors, tell about gold phones."""
    tokens, weights, unit = case.token_posteriors, case.token_resampling, settings.unit
    decided = resampled_joint(tokens, weights, unit, hard=True)
    sampled = resampled_joint(tokens, weights, unit)
    phones, owner = len(tokens.phones), tokens.utterances
    clusters = TokenGroups(tokens.codes, phones, owner, weights).clusters()
    tests = cell_tests(tokens, sampled, counts=token_weights(tokens, unit), clusters=clusters)
    yield "association", _pair_table(sampled.whole, decided.whole, tests)
    tied = np.bincount(tokens.codes, minlength=phones)
    lost = {"without_frame": tokens.without_frame, "silence_alone": tokens.silent, "frames": tokens.frames}
    every = {"tokens": tied + tokens.without_frame + tokens.silent, "with_posteriors": tied}
    yield "frames", pd.DataFrame({"phone": tokens.phones.phones, **every, **lost})
    speakers, within, whose = weights.clusters[owner], np.zeros(len(tokens), np.int64), "all tokens"
    if weights.unit == "speaker" and len(tokens) >= _LEAST * len(np.unique(speakers)):
        within, whose = speakers, "the tokens of each speaker"
    nulls = np.zeros((2, 0))
    if len(tokens):
        random = case.generator("permutation")
        nulls = permuted_information(tokens, unit, within, permutations=settings.permutations, generator=random)
    for name, joint, null in zip((_DECISION, _DRAW), (decided, sampled), nulls, strict=True):
        yield from _rows(case, joint, null, name=name, variant="frame" * (unit == "frame"), whose=whose)
    peaks = case.forced is not None and not math.isnan(tokens.blank_share)
    yield row_of("frames", tokens.read - tokens.outside, tokens.read, "in phones", _PEAKS * peaks)


def _pair_table(sampled: JointDistribution, decided: JointDistribution, tests: Mapping[str, Floats]) -> pd.DataFrame:
    """Return association.tsv: every pair, from posteriors, and beside it from the most probable phones."""
    values: dict[str, Floats] = {}
    for of, joint in (("", sampled), ("_decision", decided)):
        shares = joint.probabilities()
        values |= {f"p_joint{of}": shares, f"pmi{of}": pmi_of(shares), f"npmi{of}": npmi_of(shares)}
        values |= {} if of else {name: tests[name] for name in ("low", "high", "q")}
    gold = np.repeat(sampled.rows.phones, len(sampled.columns))
    labels = {"gold": gold, "recognised": np.tile(sampled.columns.phones, len(sampled.rows))}
    return pd.DataFrame({**labels, **{name: table.ravel() for name, table in values.items()}})


def _rows(case: Case, joint: ResampledJoint, null: Floats, *, name: str, variant: str, whose: str) -> Iterator[Row]:
    """Yield information with its interval and plug-in, its share of H(gold), its null, and what is above it."""
    n, missing = len(case.token_posteriors), case.without_tokens
    plug_in = float(_each(joint.whole.mass[None])["mutual_information"][0])
    yield row_of(name, joint.information(), n, variant, missing or _note(case, name), few_tokens(plug_in, null))
    yield row_of(name, plug_in, n, f"{variant} ml".strip(), missing)
    if name == _DRAW:
        undefined = missing or ("" if entropy(joint.whole.mass.sum(axis=1)) > 0 else "H(gold) is 0")
        share = joint.information("uncertainty_coefficient_gold", most=1.0)
        yield row_of("uncertainty_coefficient", share, n, "posterior", undefined)
    if why := missing or "no permutations were chosen" * (not len(null)):
        yield from (row_of(f"{name}_{part}", math.nan, n, variant, why) for part in ("null", "excess", "p"))
        return
    about = f"{len(null)} permutations of labels among {whose}"
    yield row_of(f"{name}_null", interval_of(null, joint.resampling.level), n, variant, about)
    yield row_of(f"{name}_excess", plug_in - float(null.mean()), n, variant, "plug-in less its null")
    dealt, least = f"labels change places among {whose}", least_p(len(null))
    yield row_of(f"{name}_p", p_value(plug_in - _ROUNDING, null), n, variant, dealt, least)


def _note(case: Case, name: str) -> str:
    tokens, notes = case.token_posteriors, list[str]()
    if case.forced is not None:
        certainty = f"mean certainty {case.forced.forced.certainty.mean():.3f}"
        notes = [f"times were found from these posteriors ({certainty}), which is optimistic: see {name}_unrelated"]
    notes.append(unpaired_note(case.loaded.untied, " with posteriors"))
    if short := int(tokens.without_frame.sum()):
        notes.append(f"tokens too short to hold a frame: {short}")
    if silent := int(tokens.silent.sum()):
        notes.append(f"tokens of silence alone: {silent}")
    if not math.isnan(tokens.blank_share):
        notes.append(f"share of the mass that is blank: {tokens.blank_share:.3f}")
    return joined(notes)

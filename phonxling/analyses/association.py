"""Gold phones beside what posteriors say: what the most probable phone tells, what one drawn tells, and the frames.

Conventions
-----------
Rows are gold phones y, columns recognised phones e: the most probable ones (`hard`; by frames each frame's own, of
equal ones the first), or phones drawn from the posterior. A token counts once (`token`) or by the mass of its frames
(`frame`).

The information is jackknifed over clusters: of decisions the Miller–Madow estimate, of draws the plug-in, because
shares of tokens are no counts. Where tokens are few it has no interval.

References
----------
Davison & Hinkley (1997), chapter 4, on permutations.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import pandas as pd

from phonxling.analyses.case import Case, Items
from phonxling.analyses.entropy import npmi_of, pmi_of
from phonxling.analyses.loaded import unpaired_note
from phonxling.analyses.measures import Row, row_of
from phonxling.core.arrays import Codes, Floats, code_type
from phonxling.core.estimate import Estimate, joined
from phonxling.core.posteriorgram import JointDistribution, TokenPosteriors
from phonxling.core.sequences import contents_of, numbered_speakers
from phonxling.count.confusions import parts_of
from phonxling.count.posteriors import Unit, decided_rows, joint_of_tokens, token_weights
from phonxling.resample.entropies import entropy_sums, information
from phonxling.resample.estimators import entropy
from phonxling.resample.jackknife import Clusters
from phonxling.resample.kernel import add_relabelled, add_relabelled_cells
from phonxling.resample.p_values import least_p, p_value
from phonxling.resample.tokens import TokenGroups, without_each
from phonxling.settings.models import Information

_BIASED = 0.25  # share of the plug-in that its null is, above which intervals held the truth in fewer than 90 %
_FEWEST, _MOST = 8, 32  # permutations that one pass over the tokens serves
_LABELS = 160_000_000  # bytes that they may take where that is more than the fewest
_LEAST = 50  # tokens of a speaker: among fewer, labels cannot change places without meeting themselves
_ROUNDING = 1e-12  # sums in another order
_DECISION, _DRAW = "decision_mutual_information", "posterior_mutual_information"
_PEAKS = "a phone has its peak alone: the blanks around it are outside"


@dataclass(frozen=True, eq=False, kw_only=True)
class LeftOutJoint:
    """The joint distribution of all tokens [G, K], and the mass of each group of clusters, [C, G, K]."""

    whole: JointDistribution
    by_cluster: Floats
    clusters: Clusters
    counted: bool

    def information(self, name: str = "mutual_information", most: float = math.inf) -> Estimate:
        """Return a measure of information by its name, bias-corrected, with its interval."""
        value = _each(self.whole.mass[None], corrected=self.counted)[name][0]
        left_out = _each(without_each(self.by_cluster), corrected=self.counted)[name]
        sizes = self.by_cluster.sum(axis=(1, 2))
        return self.clusters.estimate(float(value), left_out, corrected=True, sizes=sizes).within(0.0, most)


def left_out_joint(
    tokens: TokenPosteriors, clusters: Clusters, unit: Unit = "token", *, hard: bool = False
) -> LeftOutJoint:
    """Return the joint distribution of tokens, over all of them and by cluster."""
    rows, counts = decided_rows(tokens, unit) if hard else (tokens.rows, token_weights(tokens, unit))
    groups = TokenGroups(tokens.codes, len(tokens.phones), tokens.utterances, clusters)
    return LeftOutJoint(
        whole=joint_of_tokens(tokens, unit, hard=hard),
        by_cluster=groups.by_cluster(rows, counts),
        clusters=clusters,
        counted=hard and unit == "token",
    )


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


def unless_few(number: Estimate, plug_in: float, null: Floats) -> Estimate:
    """Return a number without its interval where much of the plug-in is chance: it would hold the truth too rarely."""
    share = null.mean() / plug_in if len(null) and plug_in > 0 else 0.0
    if share <= _BIASED:
        return number
    note = f"no interval: few tokens, since {share:.0%} of the plug-in is chance"
    return Estimate(number.value, note=note, status="bias-warning")


def _each(masses: Floats, *, corrected: bool = False) -> dict[str, Floats]:
    """Return each measure of information of each table of mass [R, G, K], [R]."""
    return dict(information(entropy_sums(np.moveaxis(masses, 0, -1), corrected=corrected)))


def association(case: Case, settings: Information) -> Items:
    """Yield association.tsv, frames.tsv, and what decisions, and draws from the posteriors, tell about gold phones."""
    tokens, unit = case.token_posteriors, settings.unit
    decided, sampled = (left_out_joint(tokens, case.token_clusters, unit, hard=hard) for hard in (True, False))
    yield "association", _pair_table(sampled.whole)
    tied = np.bincount(tokens.codes, minlength=len(tokens.phones))
    lost = {"without_frame": tokens.without_frame, "silence_alone": tokens.silent, "frames": tokens.frames}
    every = {"tokens": tied + tokens.without_frame + tokens.silent, "with_posteriors": tied}
    yield "frames", pd.DataFrame({"phone": tokens.phones.phones, **every, **lost})
    within, whose = np.zeros(len(tokens), np.int64), "all tokens"
    speakers = _speakers(case)
    if speakers is not None and len(tokens) >= _LEAST * (int(speakers.max(initial=0)) + 1):
        within, whose = speakers[tokens.utterances], "the tokens of each speaker"
    nulls = np.zeros((2, 0))
    if len(tokens):
        random = case.generator("permutation")
        nulls = permuted_information(tokens, unit, within, permutations=settings.permutations, generator=random)
    for name, joint, null in zip((_DECISION, _DRAW), (decided, sampled), nulls, strict=True):
        yield from _rows(case, joint, null, name=name, variant="frame" * (unit == "frame"), whose=whose)
    peaks = case.forced is not None and not math.isnan(tokens.blank_share)
    yield row_of("frames", tokens.read - tokens.outside, tokens.read, "in phones", _PEAKS * peaks)


def _speakers(case: Case) -> Codes | None:
    """Return who says each utterance of the segments, by number; None where that is unknown."""
    segments, own = case.segments, case.aligned
    if own is not None and own.corpus.speaker_numbers is not None:
        places = own.corpus.gold.places_of(segments.utterances)
        if (places >= 0).all():
            return own.corpus.speaker_numbers[places]
    if segments.speakers is None:
        return None
    return numbered_speakers(segments.speakers, contents_of(segments).tolist())


def _pair_table(joint: JointDistribution) -> pd.DataFrame:
    """Return association.tsv: every pair."""
    shares = joint.probabilities()
    gold = np.repeat(joint.rows.phones, len(joint.columns))
    labels = {"gold": gold, "recognised": np.tile(joint.columns.phones, len(joint.rows))}
    values = {"p_joint": shares, "pmi": pmi_of(shares), "npmi": npmi_of(shares)}
    return pd.DataFrame({**labels, **{name: table.ravel() for name, table in values.items()}})


def _rows(case: Case, joint: LeftOutJoint, null: Floats, *, name: str, variant: str, whose: str) -> Iterator[Row]:
    """Yield information with its interval and plug-in, its share of H(gold), its null, and what is above it."""
    n, missing = len(case.token_posteriors), case.without_tokens
    plug_in = float(_each(joint.whole.mass[None])["mutual_information"][0])
    number = unless_few(joint.information(), plug_in, null)
    yield row_of(name, number, n, variant, missing or _note(case, name))
    yield row_of(name, plug_in, n, f"{variant} ml".strip(), missing)
    if name == _DRAW:
        undefined = missing or ("" if entropy(joint.whole.mass.sum(axis=1)) > 0 else "H(gold) is 0")
        share = unless_few(joint.information("uncertainty_coefficient_gold", most=1.0), plug_in, null)
        yield row_of("uncertainty_coefficient", share, n, "posterior", undefined)
    if why := missing or "no permutations were chosen" * (not len(null)):
        yield from (row_of(f"{name}_{part}", math.nan, n, variant, why) for part in ("null", "excess", "p"))
        return
    level = float(null.mean())
    yield row_of(f"{name}_null", level, n, variant, f"{len(null)} permutations of labels among {whose}")
    yield row_of(f"{name}_excess", plug_in - level, n, variant, "plug-in less its null")
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

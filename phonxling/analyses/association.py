"""Gold phones beside what posteriors say: what the most probable phone tells, and what one drawn tells.

Conventions
-----------
Rows are gold phones y, columns recognised phones e: the most probable ones (`hard`), or phones drawn from the
posterior. A token counts once.

The information is jackknifed over clusters: of decisions the Miller–Madow estimate, of draws the plug-in, because
shares of tokens are no counts. Where tokens are few it has no interval.

References
----------
Davison & Hinkley (1997), chapter 4, on permutations.
"""

import math
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import pandas as pd

from phonxling.analyses.case import Case, Items
from phonxling.analyses.entropy import npmi_of, pmi_of
from phonxling.analyses.loaded import unpaired_note
from phonxling.analyses.measures import row_of
from phonxling.core.arrays import Codes, Floats, code_type
from phonxling.core.estimate import Estimate, joined
from phonxling.core.posteriorgram import JointDistribution, TokenPosteriors
from phonxling.core.sequences import contents_of, numbered_speakers
from phonxling.count.confusions import OneHot, parts_of
from phonxling.count.kernel import add_relabelled, add_relabelled_cells
from phonxling.count.posteriors import joint_of_tokens
from phonxling.resample.estimators import entropy_sums, information
from phonxling.resample.jackknife import Clusters, TokenGroups, without_each
from phonxling.settings.models import Information

_BIASED = 0.25  # share of the plug-in that its null is, above which intervals held the truth in fewer than 90 %
_FEWEST, _MOST = 8, 32  # permutations that one pass over the tokens serves
_LABELS = 160_000_000  # bytes that they may take where that is more than the fewest
_LEAST = 50  # tokens of a speaker: among fewer, labels cannot change places without meeting themselves
_DECISION, _DRAW = "decision_mutual_information", "posterior_mutual_information"


@dataclass(frozen=True, eq=False, kw_only=True)
class LeftOutJoint:
    """The joint distribution of all tokens [G, K], and the mass of each group of clusters, [C, G, K]."""

    whole: JointDistribution
    by_cluster: Floats
    clusters: Clusters
    counted: bool

    def information(self) -> Estimate:
        """Return I(Y;E), bias-corrected, with its interval."""
        value = _each(self.whole.mass[None], corrected=self.counted)["mutual_information"][0]
        left_out = _each(without_each(self.by_cluster), corrected=self.counted)["mutual_information"]
        sizes = self.by_cluster.sum(axis=(1, 2))
        return self.clusters.estimate(float(value), left_out, corrected=True, sizes=sizes).within(0.0, math.inf)


def left_out_joint(tokens: TokenPosteriors, clusters: Clusters, *, hard: bool = False) -> LeftOutJoint:
    """Return the joint distribution of tokens, over all of them and by cluster."""
    rows = OneHot(tokens.hard, len(tokens.columns)) if hard else tokens.rows
    groups = TokenGroups(tokens.codes, len(tokens.phones), tokens.utterances, clusters)
    return LeftOutJoint(
        whole=joint_of_tokens(tokens, hard=hard),
        by_cluster=groups.by_cluster(rows),
        clusters=clusters,
        counted=hard,
    )


def permuted_information(
    tokens: TokenPosteriors, within: Codes, *, permutations: int, generator: np.random.Generator
) -> Floats:
    """Return the plug-in I(Y;E) for random permutations of the gold labels, bits: its level without association."""
    codes = tokens.codes.astype(code_type(len(tokens.phones)))
    order, groups = np.argsort(within, kind="stable"), np.cumsum([0, *np.bincount(within)]).tolist()
    once, decisions = np.ones(len(tokens)), OneHot(tokens.hard, len(tokens.columns))
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
            add_relabelled(tokens.rows[part].astype(np.float64, copy=False), once[part], some, sampled)
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
    """Yield the table of association, and what draws from the posteriors, and decisions, tell about gold phones."""
    tokens, clusters = case.token_posteriors, case.token_clusters
    decided, sampled = (left_out_joint(tokens, clusters, hard=hard) for hard in (True, False))
    yield "association", _pair_table(sampled.whole)
    within, whose = np.zeros(len(tokens), np.int64), "all tokens"
    speakers = _speakers(case)
    if speakers is not None and len(tokens) >= _LEAST * (int(speakers.max(initial=0)) + 1):
        within, whose = speakers[tokens.utterances], "the tokens of each speaker"
    nulls = np.zeros((2, 0))
    if len(tokens):
        random = case.generator("permutation")
        nulls = permuted_information(tokens, within, permutations=settings.permutations, generator=random)
    n, missing, note = len(tokens), case.without_tokens, _note(case)
    for name, joint, null in zip((_DECISION, _DRAW), (decided, sampled), nulls, strict=True):
        plug_in = float(_each(joint.whole.mass[None])["mutual_information"][0])
        yield row_of(name, unless_few(joint.information(), plug_in, null), n, "", missing or note)
        if name == _DRAW:
            why = missing or "no permutations were chosen" * (not len(null))
            excess = math.nan if why else plug_in - float(null.mean())
            chance = "" if why else f"chance is {null.mean():.3g}: {len(null)} permutations of labels among {whose}"
            yield row_of(f"{name}_excess", excess, n, "", why or chance)


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
    """Return the table of association: every pair."""
    shares = joint.probabilities()
    gold = np.repeat(joint.rows.phones, len(joint.columns))
    labels = {"gold": gold, "recognised": np.tile(joint.columns.phones, len(joint.rows))}
    values = {"p_joint": shares, "pmi": pmi_of(shares), "npmi": npmi_of(shares)}
    return pd.DataFrame({**labels, **{name: table.ravel() for name, table in values.items()}})


def _note(case: Case) -> str:
    """Return what weakens numbers of posteriors: forced times, utterances and tokens that are left out, blanks."""
    tokens, notes = case.token_posteriors, list[str]()
    if case.forced is not None:
        certainty = f"mean certainty {case.forced.forced.certainty.mean():.3f}"
        notes = [f"times were found from these posteriors ({certainty}), which is optimistic"]
    notes.append(unpaired_note(case.loaded.untied, " with posteriors"))
    if short := int(tokens.without_frame.sum()):
        notes.append(f"tokens too short to hold a frame: {short}")
    if silent := int(tokens.silent.sum()):
        notes.append(f"tokens of silence alone: {silent}")
    if not math.isnan(tokens.blank_share):
        notes.append(f"share of the mass that is blank: {tokens.blank_share:.3f}")
    return joined(notes)

"""Each error's part: what the reference language leads one to expect of a target's errors, and what not."""

import math
from collections.abc import Container, Iterator, Mapping

import numpy as np
import scipy

from phonxling.analyses.context import AnalysisOutput, CorpusContext
from phonxling.analyses.expected import (
    ROUNDING,
    counterparts,
    feature_distances,
    nearest_phones,
    of_phones,
    with_status,
)
from phonxling.analyses.measures import Row, row_of
from phonxling.configuration.models import Expected
from phonxling.core.arrays import Bools, Floats, divide
from phonxling.core.confusion import ConfusionMatrix
from phonxling.core.estimate import Estimate
from phonxling.core.inventory import GAP
from phonxling.results.tables import table_of
from phonxling.stats.jackknife import by_cluster
from phonxling.stats.two_corpora import JackknifedDifference, jackknife_counts

PARTS = ("absent", "expected", "level", "unexplained", "deleted", "inserted")
_COMPARED_PARTS = ("expected", "level")
_ONE_FEATURE = 1 / 24 + ROUNDING
_UNDECLARED_NOTE = "phones that the recogniser may lack are among them, because its inventory is not declared"


# - absent: substitutions of a phone y that the recogniser's declared inventory lacks, `absent near` of which were
#   answered by a phone that at most one feature tells apart.
# - Of the others, those on phones that the reference says are `substituted`, S in all, where its rates of error lead
#   one to expect E = Σ n_y · err_E(y): expected = min(S, E), level = max(S − E, 0), pooled; by phone, max(0, ·) would
#   make level of noise. Where the same phone y′ is another symbol than y, answers y′ are errors, and expected as often
#   as y′ is recognised.
# - unexplained: the rest, where y has no counterpart in the reference, or there is no reference.
# - deleted, inserted: phones without a partner.
#
# Shares are of all errors. Their intervals leave out clusters of the target, and of the reference where it moves them.
class Reasons:
    """What puts the errors of a target into parts, of counts of both languages."""

    names = ("absent", "absent_near", "substituted", "expected", "unexplained", "deleted", "inserted")

    def __init__(
        self,
        target: ConfusionMatrix,
        reference: ConfusionMatrix,
        same: Mapping[str, str],
        *,
        near: Bools,
        present: Container[str] | None,
    ) -> None:
        self._phones, self._other = (*target.gold, ""), reference  # the last row is that of ∅
        self._theirs = [same.get(phone, "") for phone in self._phones]
        self._right = np.pad(target.same_symbol(), ((0, 1), (0, 0)))
        self._near = np.pad(near, ((0, 1), (0, 0)))
        self._gap = np.array([*np.zeros(len(target.gold), bool), True])
        lacking = [present is not None and phone not in present for phone in self._phones]
        self._absent = np.array(lacking, dtype=bool) & ~self._gap

    def target_sums(self, counts: Floats) -> Floats:
        """Return each phone's tokens not deleted, wrong, wrong but one feature away, and deleted, [..., 4, G + 1]."""
        pairs = counts[..., :-1]
        wrong = np.where(self._right, 0.0, pairs)
        return np.stack([pairs.sum(-1), wrong.sum(-1), (wrong * self._near).sum(-1), counts[..., -1]], axis=-2)

    def reference_sums(self, counts: Floats) -> Floats:
        """Return each counterpart's tokens not deleted, and those answered by the target's phone, [..., 2, G + 1]."""
        tokens, right = (
            of_phones(counts, self._other, self._theirs, columns) for columns in (self._other.predicted, self._phones)
        )
        return np.stack([tokens.sum(-1), np.diagonal(right, axis1=-2, axis2=-1)], axis=-2)

    def by_phone(self, target: Floats, reference: Floats) -> dict[str, Floats]:
        """Return each phone's errors by `names`, [..., G + 1], ∅ last."""
        answered, wrong, near, deleted = np.moveaxis(target, -2, 0)
        tokens, right = np.moveaxis(reference, -2, 0)
        # a phone without a label can never be right, whatever the reference has: absent comes first
        compared = (tokens > 0) & ~self._absent
        usual = answered * (1 - divide(right, tokens, undefined=0.0))
        rest = ~(self._absent | compared | self._gap)
        parts = wrong * self._absent, near * self._absent, wrong * compared, usual * compared, wrong * rest
        return dict(zip(self.names, (*parts, deleted, wrong * self._gap), strict=True))

    def shares(self, target: Floats, reference: Floats) -> dict[str, Floats]:
        """Return the share of all errors of each of the six parts and of `absent near`, [...]."""
        found = {name: values.sum(-1) for name, values in self.by_phone(target, reference).items()}
        several, usual = found.pop("substituted"), found["expected"]
        # where there are fewer errors than expected, all of them are expected
        found |= {"expected": np.minimum(several, usual), "level": np.maximum(several - usual, 0.0)}
        found["absent near"] = found.pop("absent_near")
        errors = sum(found[name] for name in PARTS)
        return {name: divide(found[name], errors) for name in (*PARTS, "absent near")}


def errors(case: CorpusContext, settings: Expected) -> AnalysisOutput:
    """Yield the table of errors by gold phone and reason, and each part's share of all errors."""
    matrix, known, reference = case.matrix, case.recogniser_inventory, None if case.refusal else case.reference
    other = ConfusionMatrix.zero() if reference is None else reference.matrix
    same = {} if reference is None else counterparts(matrix, other, settings, case.all_features)
    present = {phone for phone in matrix.gold if phone in known.phones or same.get(phone) in known.phones}
    if settings.common == "features":
        nearest = nearest_phones(matrix.gold, known.phones, case.features)
        present |= {phone for phone, (_, apart) in nearest.items() if apart <= settings.distance + ROUNDING}
    near = feature_distances(matrix.gold, matrix.predicted, case.features) <= _ONE_FEATURE
    reasons = Reasons(matrix, other, same, present=None if known.missing else present, near=near)
    sums = reasons.target_sums(matrix.counts), reasons.reference_sums(other.counts)
    counts = reasons.by_phone(*sums)
    phones = enumerate([*matrix.gold, GAP])
    rows = ((phone, reason, counts[reason][place]) for place, phone in phones for reason in Reasons.names)
    detected = [] if case.detection is None else case.detection.error_rows()
    yield "errors", table_of("errors", [*(row for row in rows if row[2]), *detected])
    yield from _share_rows(case, reference, reasons, sums)


def _share_rows(
    case: CorpusContext, reference: CorpusContext | None, reasons: Reasons, sums: tuple[Floats, Floats]
) -> Iterator[Row]:
    """Yield each part's share of all errors; the reference's clusters are left out, too, where they move it."""
    own, known, n = case.clusters, case.recogniser_inventory, float(sums[0][[1, 3]].sum())
    target, undeclared = reasons.target_sums(by_cluster(case.stack, own)), _UNDECLARED_NOTE * bool(known.missing)
    parts = {name.replace("_", " "): each.sum(-1) for name, each in reasons.by_phone(target, sums[1]).items()}
    shares = reasons.shares(*sums)
    for name, share in shares.items():
        why = known.missing * name.startswith("absent") or (case.refusal or "") * (name in _COMPARED_PARTS)
        if why or not n:
            yield row_of("error_share", math.nan, n, name, why or "there are no errors")
        elif name in _COMPARED_PARTS and reference is not None:
            other = reasons.reference_sums(by_cluster(reference.stack, reference.clusters))
            found = jackknife_counts(lambda *counts, part=name: reasons.shares(*counts)[part], target, other)
            number = with_status(share_limits(found, case.level), own, reference.clusters)
            yield row_of("error_share", number, n, name, case.reference_note, undeclared)
        elif not share and name not in {"deleted", "inserted"}:  # no phone is of this kind
            yield row_of("error_share", 0.0, n, name)
        else:
            number = own.ratio_of_sums(parts[name], target[:, [1, 3]].sum((1, 2)), "share")
            nearby = f"{divide(shares['absent near'], share):.0%} of them were answered by a phone one feature away"
            notes = nearby * bool(name == "absent" and share > 0), undeclared * (name == "unexplained")
            yield row_of("error_share", number, n, name, *notes)


def share_limits(found: JackknifedDifference, confidence: float) -> Estimate:
    """Return a share of two corpora with limits on the logit scale; at 0 and 1 there are none."""
    raw, share = found.estimate(confidence), found.value
    if math.isnan(raw.low) or not 0 < share < 1:
        return Estimate(share, status=raw.status or "undefined", note=raw.note or "no interval at an end of the range")
    # the delta method: d logit(p) = dp / (p (1 − p)), so that limits stay inside 0 … 1
    margin = (raw.high - share) / (share * (1 - share))
    low, high = scipy.special.expit(scipy.special.logit(share) + np.array([-margin, margin])).tolist()
    return Estimate(share, low, high, confidence)

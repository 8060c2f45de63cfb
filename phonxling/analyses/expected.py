"""What the reference language leads one to expect of a target: its confusions, and how many errors.

T are the phones y that both languages say and the recogniser predicts, X the predicted phones. Counts C[y, x] of both
languages are restricted to T × X, or to T × T (the variant `common`); deletions and insertions have rates of their own.
Which phone y′ of the reference E is "the same" as y is a choice: by its symbol, as a user's table says, or the nearest
by features within a distance.

    observed      P(x, y)
    expected      P(y) · p_E(x|y), P(y) the target's
    residual      observed − expected: 0 in sum over x
    KL            Σ_y P(y) Σ_x p(x|y) log2 p(x|y) / p_E(x|y), each share as (c + α) / (n + α|X|)
    JS            Jensen–Shannon divergence of observed and expected, from 0 to 1 bit
    level         Σ_y w_y (error rate of y − its error rate in E), w_y = n m / (n + m) over their sum (Mantel–Haenszel)
    wPER excess   Σ residual · cost

Intervals leave out one cluster of either language at a time, with Welch's degrees of freedom. T × T keeps only answers
that are phones of T, so it depends on what was answered, and leaves out the errors whose answers are other phones.

References
----------
Kullback & Leibler (1951). Miller (1955), on the bias of entropies. Lin (1991), Divergence measures based on the Shannon
entropy. Mantel & Haenszel (1959). Arvesen (1969), Jackknifing U-statistics. Benjamini & Hochberg (1995).
"""

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import numpy as np
import scipy

from phonxling.analyses.context import AnalysisOutput, CorpusContext
from phonxling.analyses.costs import costs_between
from phonxling.analyses.measures import Row, row_of
from phonxling.configuration.models import Expected
from phonxling.core.arrays import Bools, Floats, divide, make_read_only, nearest_first, same_symbols
from phonxling.core.confusion import ConfusionMatrix
from phonxling.core.costs import cost_table
from phonxling.core.errors import DataError, check_arguments, join_problems
from phonxling.core.estimate import Estimate, ReadableValue, cells, join_notes, list_phones as first_of
from phonxling.core.features import FeatureTable, chart_steps
from phonxling.core.inventory import GAP, Inventory, merge
from phonxling.core.spelling import canonical_form
from phonxling.load.resources import load_same_phones
from phonxling.stats.estimators import FEW_PER_CELL_OF_DIVERGENCES, few_per_cell
from phonxling.stats.jackknife import Clusters, by_cluster
from phonxling.stats.p_values import adjust_p_values
from phonxling.stats.student import contrast
from phonxling.stats.two_corpora import (
    FEW_TOKENS,
    JackknifedDifference,
    cell_shares,
    common_weights,
    have_enough_tokens,
    jackknife_counts,
    unpaired_errors,
)

if TYPE_CHECKING:
    from pandas import DataFrame

_MEASURES = ("expected_js", "expected_kl", "expected_level", "expected_level_p", "wper_excess")
# A distance of 1/24 is no exact float, so that one that is just allowed would depend on rounding.
ROUNDING = 1e-9
_NO_INTERVAL = {
    "too-few-clusters": "too few speakers or utterances have these phones",
    "undefined": "no interval: no speaker or utterance differs from the others",
}
# A reference is small when so much of the target is of phones that it has few tokens of: what is expected of these
# is hardly known.
_SMALL = 0.1


# Measures of both languages' counts [..., T, P]


def observed_and_expected(target: Floats, reference: Floats) -> tuple[Floats, Floats]:
    """Return observed and expected, [..., T, P]; phones without reference tokens are left out of both."""
    # A phone that the reference never has leads one to expect nothing, rather than no error.
    known = np.where(reference.sum(-1, keepdims=True) > 0, target, 0.0)
    observed = divide(known, known.sum((-2, -1), keepdims=True))
    shares = divide(reference, reference.sum(-1, keepdims=True), undefined=0.0)
    return observed, np.asarray(observed.sum(-1, keepdims=True) * shares)


def jensen_shannon(target: Floats, reference: Floats) -> Floats:
    observed, expected = observed_and_expected(target, reference)
    middle = (observed + expected) / 2
    terms = scipy.special.rel_entr(observed, middle) + scipy.special.rel_entr(expected, middle)
    return np.asarray(terms.sum((-2, -1)) / (2 * math.log(2)))


def corrected_jensen_shannon(target: Floats, reference: Floats) -> Floats:
    """Return JS less the bias of its entropies, after Miller and Madow; it may be below 0."""
    own = np.where(reference.sum(-1, keepdims=True) > 0, target, 0.0)
    n, m = (np.maximum(side.sum(-1), 1.0) for side in (own, reference))
    p, q = own / n[..., None], reference / m[..., None]
    # JS_y is H of the mixture less the mean of both languages' H. To second order the plug-in H of the mixture, w, is
    # too low by Σ_x [p(1 − p)/n + q(1 − q)/n_E] / (8 w ln 2): the variance of p(x|y) is binomial …
    variances = p * (1 - p) / n[..., None] + q * (1 - q) / m[..., None]
    mixed = divide(variances, p + q, undefined=0.0).sum(-1) / 4
    # … and that of each language by (k − 1) / (2n ln 2) for n tokens in k cells.
    seen = ((own > 0).sum(-1) - 1) / (4 * n) + ((reference > 0).sum(-1) - 1) / (4 * m)
    bias = divide(own.sum(-1), own.sum((-2, -1))[..., None]) * (seen - mixed) / math.log(2)
    return np.asarray(jensen_shannon(target, reference) - bias.sum(-1))


def kullback_leibler(target: Floats, reference: Floats, smoothing: float) -> Floats:
    tokens = np.where(reference.sum(-1) > 0, target.sum(-1), 0.0)
    p, q = (divide(side + smoothing, (side + smoothing).sum(-1, keepdims=True)) for side in (target, reference))
    by_phone = np.where(tokens > 0, scipy.special.rel_entr(p, q).sum(-1), 0.0) / math.log(2)
    # Rounding may leave a sum of nothing just below 0, which no divergence is.
    return np.asarray(np.maximum((divide(tokens, tokens.sum(-1, keepdims=True)) * by_phone).sum(-1), 0.0))


def cost_excess(target: Floats, reference: Floats, prices: Floats) -> Floats:
    observed, expected = observed_and_expected(target, reference)
    return np.asarray(((observed - expected) * prices).sum((-2, -1)))


def level(target: Floats, reference: Floats, right: tuple[Bools, Bools], weights: Floats) -> Floats:
    sides = zip((target, reference), right, strict=True)
    own, other = (divide(np.where(same, 0.0, side).sum(-1), side.sum(-1), undefined=0.0) for side, same in sides)
    return np.asarray(((own - other) * weights).sum(-1))


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class ExpectedConfusions(ReadableValue):
    """The target's confusions beside those that the reference language would lead one to expect.

    `gold` are the phones T compared, `predicted` those kept (all, or the counterparts of T); `target` and `reference`,
    [T, P], the restricted counts; `kept` the share of the target's aligned pairs that the restriction keeps; `left_out`
    phones of both languages whose counterpart has no reference token inside of it.
    """

    gold: Inventory
    predicted: Inventory
    target: Floats
    reference: Floats
    kept: float
    left_out: tuple[str, ...]

    def __post_init__(self) -> None:
        make_read_only(self, target=np.float64, reference=np.float64)

    def _facts(self) -> Iterator[str]:
        yield f"{len(self.gold)} gold × {len(self.predicted)} predicted phones in common"
        yield f"{self.kept:.1%} of the target's tokens kept"
        yield f"nothing expected for {first_of(self.left_out)}" if self.left_out else ""

    @property
    def observed(self) -> Floats:
        """P(x, y) of the target, [T, P]; NaN without tokens."""
        return observed_and_expected(self.target, self.reference)[0]

    @property
    def expected(self) -> Floats:
        """P(y)·p_E(x|y), [T, P]."""
        return observed_and_expected(self.target, self.reference)[1]

    @property
    def residual(self) -> Floats:
        """Observed less expected, [T, P]: more than expected is positive; each row sums to 0."""
        return self.observed - self.expected

    def kullback_leibler(self, smoothing: float = 0.0) -> float:
        """Return KL in bits, infinite where the reference never makes a confusion seen here; NaN without tokens."""
        return float(kullback_leibler(self.target, self.reference, smoothing)) if self.target.any() else math.nan

    def jensen_shannon(self) -> float:
        """Return JS in bits, from 0 to 1; NaN without tokens."""
        return float(jensen_shannon(self.target, self.reference)) if self.target.any() else math.nan

    def to_frame(self, *, wide: bool = False) -> "DataFrame":
        """Return gold, predicted, observed, expected, residual: a row a cell; `wide`: residuals, gold phones down."""
        labels, names = (self.gold.phones, self.predicted.phones), ("gold", "predicted", "residual")
        table = cells(self.residual, labels, names, wide=wide)
        if wide:
            return table
        more = {"observed": self.observed.ravel(), "expected": self.expected.ravel()}
        return table.assign(**more)[["gold", "predicted", "observed", "expected", "residual"]]


@check_arguments
def expected_confusions(
    target: ConfusionMatrix,
    reference: ConfusionMatrix,
    *,
    predicted: Literal["all", "common"] = "all",
    same: Mapping[str, str] | None = None,
) -> ExpectedConfusions:
    """Return the target's confusions beside those expected from the reference language.

    Parameters
    ----------
    target, reference : ConfusionMatrix
        Counts of the analysed language and of the recogniser's own.
    predicted : {"all", "common"}
        Keep every prediction (T × X), or those of common phones alone (T × T).
    same : mapping of str to str, optional
        The reference phone that stands for each target phone; by default each for itself.

    Examples
    --------
    The reference's a is recognised as e half of the time; the target's a is always recognised as a:

    >>> english = ConfusionMatrix(["a", "e"], ["a", "e"], [[1, 1], [0, 2]])
    >>> target = ConfusionMatrix(["a", "e"], ["a", "e"], [[4, 0], [0, 4]])
    >>> expected_confusions(target, english).residual.tolist()
    [[0.25, -0.25], [0.0, 0.0]]

    A phone that the reference lacks may stand for one that it has:

    >>> nasal = ConfusionMatrix(["ã", "e"], ["a", "e"], [[2, 2], [0, 4]])
    >>> expected_confusions(nasal, english, same={"ã": "a", "e": "e"}).residual.tolist()
    [[0.0, 0.0], [0.0, 0.0]]
    """
    every = merge(target.predicted, reference.predicted)
    pairs = {phone: phone for phone in target.gold} if same is None else same
    others = {phone for phone in phones_with_tokens(reference) if phone in every}
    possible = {phone: pairs[phone] for phone in phones_with_tokens(target) if pairs.get(phone) in others}
    common = possible
    while True:
        columns = list(every) if predicted == "all" else list(dict.fromkeys(common.values()))
        beside = of_phones(reference.counts, reference, common.values(), columns)
        # A phone that the reference never answers by one of those kept has no p_E: it leaves, and with it a column,
        # which may make others leave.
        stay = dict(pair for pair, tokens in zip(common.items(), beside.sum(axis=1), strict=True) if tokens > 0)
        if len(stay) == len(common):
            break
        common = stay
    own = of_phones(target.counts, target, common, columns)
    return ExpectedConfusions(
        gold=Inventory(tuple(common)),
        predicted=Inventory(tuple(columns)),
        target=own,
        reference=beside,
        kept=float(divide(own.sum(), target.substitutions.sum())),
        left_out=tuple(phone for phone in possible if phone not in common),
    )


# Which phone of the reference is the same


def counterparts(
    target: ConfusionMatrix, reference: ConfusionMatrix, settings: Expected, features: FeatureTable
) -> dict[str, str]:
    """Return the reference phone of each target phone that has one: by symbol, as a table says, or the nearest."""
    # Several target phones may share a counterpart. Only phones with tokens have one, and are one.
    own, others = phones_with_tokens(target), phones_with_tokens(reference)
    if settings.common == "features":
        near = nearest_phones(own, others, features)
        return {phone: other for phone, (other, apart) in near.items() if apart <= settings.distance + ROUNDING}
    table = read_counterparts(settings.common, target.gold, reference.gold) if isinstance(settings.common, Path) else {}
    chosen = {phone: table.get(phone, phone) for phone in own}
    return {phone: other for phone, other in chosen.items() if other in others}


def read_counterparts(path: Path, target: Inventory, reference: Inventory) -> dict[str, str]:
    """Return a user's table in the spelling of two languages' gold phones; ∅ is the counterpart of none."""
    rows = load_same_phones(path)
    own, others = ({canonical_form(phone): phone for phone in phones} for phones in (target, reference))
    gone = [f"{path}:{line}: '{other}'" for other, line in rows.values() if other not in (*others, GAP)]
    if gone:
        raise DataError(join_problems("phones that the reference language never has as gold:", gone, limit=10))
    return {own[phone]: others.get(other, other) for phone, (other, _) in rows.items() if phone in own}


def nearest_phones(phones: Inventory, others: Inventory, features: FeatureTable) -> dict[str, tuple[str, float]]:
    """Return for each phone the nearest other by features and its distance: itself first, then by the chart."""
    if not len(others):
        return {}
    # Equally near ones are decided by the chart: eɪ is e for a phonetician, and i is as near by features.
    distances = feature_distances(phones, others, features)
    nearest = nearest_first(distances, ties=chart_steps(phones, others))[:, 0].tolist()
    near = zip(phones, nearest, distances[np.arange(len(nearest)), nearest].tolist(), strict=True)
    return {phone: (others.phones[x], max(apart, 0.0)) for phone, x, apart in near if math.isfinite(apart)}


def feature_distances(phones: Inventory, others: Inventory, features: FeatureTable) -> Floats:
    """Return the mean difference of features, [N, M]; −1 for the same symbol, infinite where no phone has features."""
    if not features.vectors([*phones, *others])[1].any():
        return np.where(same_symbols(phones, others), -1.0, np.inf)
    costs = cost_table("panphon", phones, others, features)
    return np.where(costs.identical(), -1.0, costs.substitution / costs.denominator)


def phones_with_tokens(matrix: ConfusionMatrix) -> Inventory:
    return Inventory(tuple(phone for phone, tokens in zip(matrix.gold, matrix.tokens, strict=True) if tokens > 0))


def of_phones(counts: Floats, over: ConfusionMatrix, gold: Iterable[str], predicted: Iterable[str]) -> Floats:
    """Return these phones' counts [..., T, P] of counts over a matrix's phones and ∅; 0 for phones that it lacks."""
    padded = np.pad(counts[..., :-1, :-1], [(0, 0)] * (counts.ndim - 2) + [(0, 1)] * 2)  # −1 reads an empty line
    return np.asarray(padded[..., over.gold.codes(gold), :][..., over.predicted.codes(predicted)])


# Both languages' clusters


@dataclass(frozen=True, eq=False, kw_only=True)
class Languages:
    """The counts of clusters of a target and of its reference, [C, T, P] each, and what is compared of them."""

    confusions: ExpectedConfusions
    target: Floats
    reference: Floats
    right: Bools

    @property
    def own_right(self) -> Bools:
        """Which answers are right in the target, [T, P]: a phone's counterpart, and the phone itself."""
        return self.right | same_symbols(self.confusions.gold, self.confusions.predicted)

    def divergence(self, confidence: float) -> Estimate:
        """Return the jackknifed JS; without an interval where cells have few tokens."""
        samples = self.target, self.reference
        number = jackknife_counts(corrected_jensen_shannon, *samples, corrected=True).estimate(confidence)
        # There the interval is too narrow: it held the truth in 76 % with five speakers.
        if few_per_cell(np.stack([side.sum(axis=0) for side in samples]), FEW_PER_CELL_OF_DIVERGENCES):
            number = Estimate(number.value, note="no interval: few tokens in a cell", status="bias-warning")
        return number.within(0.0, 1.0)

    def level(self) -> JackknifedDifference | None:
        """Return how many more errors there are a phone; None where no phone can be compared."""
        weights = common_weights(self.target.sum(axis=2), self.reference.sum(axis=2))
        if not weights.any():
            return None
        # Weights stay those of all clusters, so that what varies is the error rates alone.
        fixed = partial(level, right=(self.own_right, self.right), weights=weights)
        return jackknife_counts(fixed, self.target, self.reference)

    def cell_tests(self, confidence: float, *, tested: bool = True) -> dict[str, Floats]:
        """Return limits and q of each residual, [T, P] each; NaN for cells with too few tokens or clusters."""
        first, second = cell_shares(self.target), cell_shares(self.reference)
        errors = unpaired_errors(first, second)
        few = errors.by_cluster.few | ~have_enough_tokens(first, second) | (not tested)
        # The larger of both variances: a cell that one side never shows varies over none of its clusters.
        variance = np.maximum(errors.by_cluster.variance, errors.by_token)
        with np.errstate(divide="ignore", invalid="ignore"):
            spread = replace(errors.by_cluster, variance=variance, few=few)
            tests = contrast(first.shares - second.shares, spread, confidence)
        scale = divide(first.tokens, first.tokens.sum())  # of a residual, P(y) times a difference of shares
        return {"low": scale * tests.low, "high": scale * tests.high, "q": adjust_p_values(tests.p)}

    def halves(self) -> "Languages":
        """Return the reference's clusters in two halves, one in place of the target."""
        # Every other one by size, so that both halves have about as many tokens.
        by_size = np.argsort(-self.reference.sum((1, 2)), kind="stable")
        return replace(self, target=self.reference[by_size[::2]], reference=self.reference[by_size[1::2]])


def languages(
    case: CorpusContext, reference: CorpusContext, same: Mapping[str, str], predicted: Literal["all", "common"]
) -> Languages:
    sides = case, reference
    confusions = expected_confusions(*(side.matrix for side in sides), predicted=predicted, same=same)
    theirs, columns = [same[phone] for phone in confusions.gold], confusions.predicted.phones
    target, beside = (
        of_phones(by_cluster(side.stack, side.clusters), side.matrix, gold, columns)
        for side, gold in zip(sides, (confusions.gold.phones, theirs), strict=True)
    )
    return Languages(confusions=confusions, target=target, reference=beside, right=same_symbols(theirs, columns))


def with_status(number: Estimate, *clusters: Clusters) -> Estimate:
    """Return a number of both languages with what weakens the intervals of either."""
    none = _NO_INTERVAL.get(number.status, "") * (not number.note)
    notes = join_notes([number.note or none, *dict.fromkeys(one.note for one in clusters)])
    if any(one.few for one in clusters):
        return Estimate(number.value, status="too-few-clusters", note=notes)
    return number.changed(note=notes, status=number.status or next((one.status for one in clusters if one.status), ""))


# The analysis: the table of expected confusions and its rows


def analyse_expected(case: CorpusContext, settings: Expected) -> AnalysisOutput:
    """Yield the table of expected confusions and its rows for a target, or why there are none."""
    if case.is_reference:
        return
    if case.refusal or case.reference is None:
        yield from (row_of(name, math.nan, 0, "", case.refusal) for name in _MEASURES)
        return
    same = counterparts(case.matrix, case.reference.matrix, settings, case.all_features)
    both = languages(case, case.reference, same, settings.predicted)
    sides = case.clusters, case.reference.clusters
    tests = both.cell_tests(case.level, tested=all(one.comparable for one in sides))
    yield "expected", both.confusions.to_frame().assign(**{name: values.ravel() for name, values in tests.items()})
    if not both.confusions.target.any():
        why = "no gold phone of this language is the same as one of the reference"
        if same:
            why = f"common phones ({first_of(same.values(), 5)}), but none is answered by a phone in both languages"
        yield from (row_of(name, math.nan, 0, "", why) for name in _MEASURES)
        return
    leaves = left_out_note(case.matrix, both) if settings.predicted == "common" else ""
    left = both.confusions.left_out
    nothing = f"nothing to expect for {' '.join(left)}" if left else ""
    few = both.confusions.reference.sum(axis=1) < FEW_TOKENS
    share = float(both.confusions.target[few].sum() / both.confusions.target.sum())
    phones = f"{np.count_nonzero(few)} of {len(few)} common phones, {share:.0%} of the tokens compared,"
    small = f"a small reference: {phones} have fewer than {FEW_TOKENS} tokens there" if share > _SMALL else ""
    note = join_notes([case.reference_note, nothing, small, leaves])
    yield from _divergence_rows(case, both, settings.smoothing, "", note)
    common = languages(case, case.reference, same, "common")
    if common.confusions.target.any():
        leaves = left_out_note(case.matrix, common)
        yield from _divergence_rows(case, common, settings.smoothing, "common", leaves)
    yield from _level_rows(case, case.reference, both, note)


def _divergence_rows(case: CorpusContext, both: Languages, smoothing: float, variant: str, note: str) -> Iterator[Row]:
    """Yield JS beside that of the reference's halves, KL, and the excess of costs, of T × X or T × T."""
    reference = case.require(case.reference, "reference")
    n, sides = float(both.target.sum()), (case.clusters, reference.clusters)
    yield row_of("expected_js", with_status(both.divergence(case.level), *sides), n, variant, note)
    if not variant and len(both.reference) > 1:
        # Two halves of one language are as far apart as chance makes them: what JS is to be held against.
        apart = both.halves().divergence(case.level)
        if not math.isnan(apart.value):
            yield row_of("expected_js", with_status(apart, sides[1]), float(both.reference.sum()), "reference halves")
    smoothed = both.confusions.kullback_leibler(smoothing)
    yield row_of("expected_kl", smoothed, n, variant, f"α = {smoothing:g}", note)
    if not variant:
        plain = both.confusions.kullback_leibler()
        never = "the target has confusions that the reference never shows" * math.isinf(plain)
        yield row_of("expected_kl", plain, n, "plain", note, never)
    costs = costs_between(case.corpus, reference.corpus, case.experiment)
    if not costs.as_rate:
        yield row_of("wper_excess", math.nan, n, variant, f"the costs {costs.name} are not phonetic distances")
        return
    of = costs.gold.codes(both.confusions.gold), costs.predicted.codes(both.confusions.predicted)
    priced = partial(cost_excess, prices=costs.substitution[np.ix_(*of)] / costs.denominator)
    excess = jackknife_counts(priced, both.target, both.reference).estimate(case.level)
    yield row_of("wper_excess", with_status(excess, *sides), n, variant, note)


def _level_rows(case: CorpusContext, reference: CorpusContext, both: Languages, note: str) -> Iterator[Row]:
    """Yield how many more errors there are, with p, and with q, which `adjust_levels` makes of p."""
    n, level_test = float(both.target.sum()), both.level()
    sides = case.clusters, reference.clusters
    number, why = Estimate(math.nan, status="undefined"), "no phone has tokens of two clusters in both languages"
    if level_test is not None:
        number, why = with_status(level_test.estimate(case.level), *sides), ""
    comparable = all(one.comparable for one in sides)
    swapped = "fewer errors than in the reference, the language that a recogniser knows best: are the roles swapped?"
    yield row_of("expected_level", number, n, "", why, note, swapped * (comparable and number.high < 0))
    p = level_test.p if level_test is not None and comparable else math.nan
    tested = Estimate(p) if p == p else Estimate(p, status=number.status, note=f"not tested: {why or number.note}")
    yield row_of("expected_level_p", tested, n)
    yield row_of("expected_level_p", tested, n, "q")


def adjust_levels(corpora: Iterable[list[Row]]) -> None:
    """Make q of the p of all targets' levels of a run (Benjamini–Hochberg)."""
    key = "expected_level_p", "q"
    places = [(rows, k) for rows in corpora for k, row in enumerate(rows) if (row.measure, row.variant) == key]
    # One test a language: the languages of a run are the family.
    family = adjust_p_values([rows[place].estimate.value for rows, place in places])
    targets = int(np.count_nonzero(~np.isnan(family)))
    tested = f"of {targets} language" + "s" * (targets != 1)
    for (rows, place), q in zip(places, family.tolist(), strict=True):
        number, note = rows[place].estimate, tested * (q == q)
        rows[place] = replace(rows[place], estimate=number.changed(value=q, note=join_notes([number.note, note])))


def left_out_note(target: ConfusionMatrix, common: Languages) -> str:
    """Return how many of the errors on common phones T × T leaves out: all whose answer is none of these phones."""
    kept = np.isin(target.predicted.phones, common.confusions.predicted.phones)
    left = np.where(target.same_symbol() | kept, 0.0, target.substitutions)[target.gold.codes(common.confusions.gold)]
    share = divide(left.sum(), left.sum() + common.confusions.target[~common.own_right].sum(), undefined=0.0)
    return f"leaves out {float(share):.0%} of the errors on common phones, whose answers are other phones"

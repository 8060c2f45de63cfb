"""A target beside its reference: both languages' counts, resampled, jackknifed, and dealt anew to the two languages."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from phonxling.analyses.case.case import Case
from phonxling.analyses.expected.common_channel import common_channel, languages
from phonxling.analyses.expected.confusions import ExpectedConfusions, expected_confusions
from phonxling.analyses.expected.dealing import undealt
from phonxling.analyses.expected.replicates import LEFT_OUT, Clusters, Measure, clusters_of, dealt, resampled
from phonxling.core.arrays import Bools, Floats
from phonxling.core.confusion import ConfusionMatrix
from phonxling.core.costs import CostTable
from phonxling.core.estimate import Estimate
from phonxling.resample.information_interval import (
    FEW_PER_CELL_OF_DIVERGENCES,
    few_per_cell,
    information_interval,
)
from phonxling.resample.intervals import estimate, so_many
from phonxling.resample.student import FEW_CLUSTERS, too_few
from phonxling.resample.two_corpora.measures import Resampled
from phonxling.resample.weights import Resampling
from phonxling.settings.sections import Expected

SMOOTHINGS = (0.01, 0.1, 0.5, 1.0)
FEW = 20  # tokens of a phone in the reference
_SMALL = 0.1  # a reference is small when so much of the target is of phones that it has few tokens of


@dataclass(frozen=True, eq=False, kw_only=True)
class Comparison:
    """A target beside its reference.

    Parameters
    ----------
    target, reference : Case
        The two.
    same : mapping of str to str
        The reference phone that stands for each target phone.
    settings : Expected
        What is compared.
    confusions : ExpectedConfusions
        Both languages' counts of the common phones.
    """

    target: Case
    reference: Case
    same: Mapping[str, str]
    settings: Expected
    confusions: ExpectedConfusions

    @property
    def counterparts(self) -> list[str]:
        """The reference phone that stands for each common phone."""
        return [self.same[phone] for phone in self.confusions.gold]

    @property
    def smoothings(self) -> list[float]:
        """The pseudo-counts of rows."""
        return sorted({*SMOOTHINGS, self.settings.smoothing})

    @cached_property
    def costs(self) -> CostTable | None:
        """What substitutions cost, between the phones of both languages; None for learned costs."""
        return self.target.costs_beside(self.reference)

    @property
    def fewer(self) -> Resampling:
        """The weights of the language with fewer effective clusters, on which intervals rest."""
        return min(self._weights, key=lambda weights: weights.effective)

    @property
    def _weights(self) -> tuple[Resampling, Resampling]:
        return self.target.counted.resampling, self.reference.counted.resampling

    @property
    def speakers_unknown(self) -> bool:
        """Whether utterances of unknown speakers are drawn of either language."""
        return any(weights.speakers_unknown for weights in self._weights)

    @property
    def tokens(self) -> float:
        """The target's tokens that are compared."""
        return float(self.confusions.target.sum())

    @cached_property
    def missing(self) -> str:
        """Why nothing is compared, "" when something is."""
        if self.tokens:
            return ""
        own, other = self.target.counted.matrix, self.reference.counted.matrix
        return nothing_in_common(own, other, self.same, self.confusions)

    @property
    def undealt(self) -> str:
        """Why nothing is tested, "" when something is."""
        return self.missing or undealt(*self._weights)

    @property
    def untested(self) -> str:
        """Why cells are not tested one by one, "" where they are."""
        here = so_many(self.fewer.effective, "speaker")
        few = f"no test below {FEW_CLUSTERS} speakers of a language, and here are {here}"
        return self.undealt or self.asked or (few if too_few(self.fewer.effective) else "")

    @property
    def asked(self) -> str:
        """Why nothing uncertain was asked for, "" where it was."""
        return "" if self.target.counted.resampling.replicates else "not tested: uncertainty.resamples is 0"

    @cached_property
    def clusters(self) -> Clusters:
        """The counts of both languages' clusters."""
        return self._clusters()

    @cached_property
    def few_clusters(self) -> Clusters:
        """The same, neighbours put together where there are many."""
        return self._clusters(LEFT_OUT)

    def _clusters(self, most: int | None = None) -> Clusters:
        phones = self.confusions.gold.phones, self.counterparts
        return clusters_of(*self._corpora, phones=phones, predicted=self.confusions.predicted, most=most)

    @property
    def _corpora(self) -> tuple[Resampled, Resampled]:
        own, other = ((case.counted.stack, case.counted.resampling) for case in (self.target, self.reference))
        return own, other

    @property
    def few_per_cell(self) -> str:
        """The warning that cells have too few tokens for the divergence to be known well, or ""."""
        both = np.concatenate([self.confusions.target, self.confusions.reference])
        return few_per_cell(both, FEW_PER_CELL_OF_DIVERGENCES)

    @cached_property
    def draws(self) -> ExpectedConfusions:
        """Both languages' counts of bootstrap replicates."""
        return resampled(self.confusions, *self._corpora, counterparts=self.counterparts)

    @cached_property
    def dealt(self) -> Floats:
        """The divergence that chance alone gives: of speakers dealt anew to the two languages, [DEALS]."""
        divergence = ExpectedConfusions.corrected_jensen_shannon
        return dealt(self.clusters, self.confusions, self.right, divergence, self.target.generator("expected"))

    @cached_property
    def common_channel(self) -> tuple[list[tuple[Floats, Floats]], str]:
        """Both languages' restricted counts of one channel, so many times, and what is to be said of them."""
        both = languages(self.target, self.reference)
        if both is None:
            return [], "what the aligner adds is not taken off: these pairs are not of an aligner with given costs"
        gold, predicted = (self.confusions.gold.phones, self.counterparts), self.confusions.predicted.phones
        same = dict(zip(*gold, strict=True))
        drawn = common_channel(*both, same, self.target.generator("channel"))
        columns = [both[0].predicted.code(phone) for phone in predicted]
        rows = [[one.gold.inventory.code(phone) for phone in phones] for one, phones in zip(both, gold, strict=True)]
        own, other = (np.ix_(one, columns) for one in rows)
        return [(target[own], reference[other]) for target, reference in drawn], ""

    @property
    def right(self) -> Bools:
        """Which cells are of phones that were heard right, [T, P]: as the counterpart, in most choices the phone."""
        predicted = self.confusions.predicted.phones
        return np.array([[other == phone for phone in predicted] for other in self.counterparts], dtype=bool)

    def jackknifed(self, measure: Measure) -> tuple[float, float]:
        """Return a measure without the bias of few clusters, and its standard error; as it is where it is infinite."""
        return self.few_clusters.jackknifed(self.confusions, measure)

    def value(self, measure: Measure) -> float:
        """Return the jackknifed estimate of a measure that is at least 0."""
        return float(np.maximum(self.jackknifed(measure)[0], 0.0))

    def plain(self, measure: Measure) -> Estimate:
        """Return an unbiased measure with its interval."""
        value, drawn = float(measure(self.confusions)), np.asarray(measure(self.draws))
        return estimate(value, drawn, self.fewer, error=self.jackknifed(measure)[1])

    def corrected(self, measure: Measure) -> Estimate:
        """Return the jackknifed estimate of a measure in bits with its interval, both at least 0."""
        value, error = self.jackknifed(measure)
        return information_interval(value, np.asarray(measure(self.draws)), self.fewer, error=error)


def compare(target: Case, reference: Case, settings: Expected, same: Mapping[str, str]) -> Comparison:
    """Return a target beside its reference, for a choice of which phones are the same."""
    own, other = target.counted.matrix, reference.counted.matrix
    confusions = expected_confusions(own, other, predicted=settings.predicted, same=same)
    return Comparison(target=target, reference=reference, same=same, settings=settings, confusions=confusions)


def nothing_in_common(
    own: ConfusionMatrix, other: ConfusionMatrix, same: Mapping[str, str], confusions: ExpectedConfusions
) -> str:
    """Return why no tokens can be compared."""
    spoken = {phone for phone, tokens in zip(other.gold, other.tokens, strict=True) if tokens}
    shared = [phone for phone in own.gold if same.get(phone) in spoken]
    if not shared:
        return "no gold phone of this language is the same as one of the reference"
    listed = " ".join(shared[:5]) + (" …" if len(shared) > 5 else "")
    if not {*own.predicted, *other.predicted} & {same[phone] for phone in shared}:
        return f"common phones ({listed}), but the recogniser predicts none of them in either language"
    if not len(confusions.gold):
        return f"common phones ({listed}), but the reference is never heard as one of them where it says one"
    return f"common phones ({listed}), but this language is never heard as one of them where it says one"


def weaknesses(comparison: Comparison) -> list[str]:
    """Return what weakens a comparison: another recogniser, phones left out, a small or a worse reference."""
    left_out = " ".join(comparison.confusions.left_out)
    nothing = [f"nothing to expect for {left_out}"] if left_out else []
    return [comparison.target.reference_note, *nothing, *_small_reference(comparison), *_worse_reference(comparison)]


def _small_reference(comparison: Comparison) -> list[str]:
    confusions, utterances = comparison.confusions, len(comparison.reference.counted.corpus.gold)
    few = confusions.reference.sum(axis=1) < FEW
    share = confusions.target[few].sum() / max(confusions.target.sum(), 1.0)
    if share <= _SMALL:
        return []
    phones = f"{np.count_nonzero(few)} of {len(few)} common phones, {share:.0%} of the tokens compared,"
    return [f"a small reference ({utterances} utterances): {phones} have fewer than {FEW} tokens there"]


def _worse_reference(comparison: Comparison) -> list[str]:
    """Say it where the reference is heard worse than the target: its own recogniser should hear it better."""

    def lead(confusions: ExpectedConfusions) -> Floats:
        right = comparison.right if confusions.target.ndim == 2 else comparison.right[..., None]
        return np.asarray(np.where(right, confusions.observed - confusions.expected, 0.0).sum(axis=(0, 1)))

    number = comparison.plain(lead) if comparison.tokens else Estimate(0.0)
    judged = not too_few(comparison.fewer.effective) and not comparison.speakers_unknown
    if not (judged and number.low > 0):
        return []
    right = np.where(comparison.right, comparison.confusions.observed, 0.0).sum()
    there = f"{right:.0%} of these phones are heard right here and {right - number.value:.0%} in the reference"
    return [f"{there}, the language that the recogniser should know best: are the roles swapped?"]

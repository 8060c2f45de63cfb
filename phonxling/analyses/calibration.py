"""Proper scoring rules, and confidence: whether a recogniser is right 80 times of 100 where it is sure to 80 %.

`labels` [N] are what was true. `probabilities` [N, K] hold a row over K classes an item, and labels are positions 0 …
K − 1; or they are [N], the probability that the label is 1, and labels are 0 or 1: whether each predicted phone is
right, `correct` [M], beside its `confidence` [M]. Bits. A probability of 0 for what is true costs infinitely many bits;
`floor` > 0 takes every probability below it as the floor (and, where there are two classes, every one above 1 − floor
as that), and is never applied unasked.

Cross-entropy −(1/N) Σ log2 p(y_i|x_i), perplexity 2^that; normalised: divided by what a constant baseline pays.
Brier score: mean (p − y)², of K classes mean Σ_e (p_e − 1{e = y})². ECE = Σ_b (n_b/n) |accuracy_b − confidence_b| over
bins (from, to], the first one [from, to], of equal width over 0 … 1.

References
----------
Brier (1950). Good (1952). Naeini, Cooper & Hauskrecht (2015). Guo et al. (2017), On calibration of modern neural
networks. NIST SCTK, sclite. Siu & Gish (1999), Evaluation of word confidence for speech recognition systems.
"""

import math
from dataclasses import replace
from typing import Literal

import numpy as np
import pandas as pd
import scipy
from numpy.typing import ArrayLike, NDArray

from phonxling.analyses.context import AnalysisOutput, CorpusContext
from phonxling.analyses.measures import row_of
from phonxling.configuration.models import Confidence
from phonxling.core.arrays import Codes, Floats, code_type, divide
from phonxling.core.confusion import CORRECT
from phonxling.core.errors import DataError, check_arguments
from phonxling.core.estimate import Estimate, join_notes
from phonxling.posteriors.joint import interval_confidence
from phonxling.stats.jackknife import Clusters, limits_of_rows, mean_of_tokens, sums_by, sums_by_cluster
from phonxling.stats.student import with_wilson

Bins = tuple[Floats, NDArray[np.integer]]  # B + 1 edges, and the bin of each confidence, [M]
# As sclite does: a confidence of 0 or 1 that is wrong would cost infinitely many bits.
_CLIP = 1e-7
# Phones that are multiplied at one time: their turns are a table of complex numbers.
_BATCH_SIZE = 1024
# Phones, right or wrong: numbers that rest on fewer move by a tenth with each of them.
_FEW_PHONES = 10


def bits_of_truth(labels: ArrayLike, probabilities: ArrayLike, floor: float = 0.0) -> Floats:
    """Return −log2 of the probability that each item's label was given, float64 [N], infinite where it is 0."""
    if not 0 <= floor < 0.5:
        raise ValueError(f"a floor lies in 0 … ½, not {floor:g}")
    places, p = check_probabilities(labels, probabilities)
    if p.ndim == 1:
        p = np.stack([1 - p, p], axis=1)
        p = np.clip(p, floor, 1 - floor)
    truth = np.maximum(p[np.arange(len(places)), places], floor)
    with np.errstate(divide="ignore"):
        return np.asarray(np.maximum(-np.log2(truth), 0.0))


def check_probabilities(labels: ArrayLike, probabilities: ArrayLike) -> tuple[Codes, Floats]:
    """Return labels and probabilities as arrays; ValueError as for `bits_of_truth`."""
    places, p = np.asarray(labels), np.asarray(probabilities, dtype=np.float64)
    if p.ndim not in {1, 2} or places.shape != p.shape[:1]:
        raise ValueError(f"one label for each item is needed: {places.shape} labels for {p.shape} probabilities")
    if not ((p >= 0) & (p <= 1 + 1e-6)).all():
        raise ValueError("probabilities must lie in 0 … 1")
    classes = p.shape[1] if p.ndim == 2 else 2
    codes = places.astype(np.int64)
    if (codes != places).any() or (codes < 0).any() or (codes >= classes).any():
        raise ValueError(f"labels must be whole numbers from 0 to {classes - 1}")
    return codes, np.minimum(p, 1.0)


@check_arguments
def normalised_cross_entropy(
    labels: ArrayLike,
    probabilities: ArrayLike,
    baseline: ArrayLike | None = None,
    denominator: Literal["labels", "baseline"] = "labels",
    floor: float = 0.0,
) -> float:
    """Return the mean log loss over that of a constant baseline: 1 is no better than the baseline, lower is better.

    `baseline` [K], or that of label 1, sums to 1: the shares of a training or reference set; by default those of the
    labels. With the `denominator` "baseline" its own entropy takes the place of what it pays on these labels, and it
    scores 1 only where both sets have the same shares. NaN without items, and where the baseline pays nothing, or
    infinitely much. `labels` [N], `probabilities` [N, K] or of label 1 [N], `floor` in 0 … ½: see the module's text.
    ValueError if there is not one label an item, a label names no class, a probability lies outside 0 … 1, or the
    baseline is no distribution over the classes.

    Examples
    --------
    The baseline scores 1, being sure and right 0; of correctness it is 1 − NCE:

    >>> normalised_cross_entropy([1, 1, 1, 0], [0.75] * 4), normalised_cross_entropy([0, 1], [[1, 0], [0, 1]])
    (1.0, 0.0)
    >>> normalised_cross_entropy([1, 0, 0, 0], [0.5] * 4, baseline=0.5)
    1.0
    """
    places, p = check_probabilities(labels, probabilities)
    bits, classes = bits_of_truth(places, p, floor), p.shape[1] if p.ndim == 2 else 2
    loss = float(bits.mean()) if len(bits) else math.nan
    shares = np.bincount(places, minlength=classes) / max(len(places), 1)
    constant = shares if baseline is None else np.asarray(baseline, dtype=np.float64)
    if constant.ndim == 0 and p.ndim == 1:
        constant = np.stack([1 - constant, constant])
    is_distribution = constant.shape == (classes,) and (constant >= 0).all() and abs(constant.sum() - 1) <= 1e-6
    if baseline is not None and not is_distribution:
        raise ValueError(f"the baseline must be {classes} probabilities that sum to 1")
    possible = constant > 0
    shares = constant if denominator == "baseline" else shares
    if math.isnan(loss) or (shares[~possible] > 0).any():
        return math.nan
    baseline_loss = float(-(shares[possible] * np.log2(constant[possible])).sum())
    return loss / baseline_loss if baseline_loss > 0 else math.nan


def squared_distances(labels: ArrayLike, probabilities: ArrayLike) -> Floats:
    """Return each item's squared distance of probabilities from the truth, [M]; errors as for `bits_of_truth`."""
    places, p = check_probabilities(labels, probabilities)
    if p.ndim == 1:
        return np.asarray((p - places) ** 2)
    truth = p[np.arange(len(places)), places]
    return np.asarray((p**2).sum(axis=1) - truth**2 + (1 - truth) ** 2)


def in_bins(phones: pd.DataFrame, bins: int, clusters: Clusters) -> tuple[Bins, Floats]:
    """Return the bins of phones, columns as of `confidences`, and what groups of clusters have in them, [C, B, 3]."""
    correct, confidence, owner = (phones[name].to_numpy() for name in ("correct", "confidence", "owner"))
    edges = np.arange(bins + 1) / bins  # 0.3 is 3/10, where steps of a tenth would end beside it
    places: NDArray[np.integer] = np.searchsorted(edges[1:-1], confidence, side="left").astype(code_type(bins))
    # What is summed: how many phones, how many correct ones, and their confidences.
    values = np.stack([np.ones(len(confidence)), correct.astype(np.float64), confidence]).T
    return (edges, places), sums_by_cluster(values, places, bins, owner, clusters)


def ece_of_sums(sums: Floats) -> Floats:
    """Return ECE of the sums of bins […, B, 3], for one table or many […], in [0, 1]; NaN without phones."""
    number, right, confidences = np.moveaxis(sums, -1, 0)
    return divide(abs(right - confidences).sum(axis=-1), number.sum(axis=-1))


# Chance differences within bins are counted as miscalibration too, so ECE is too high where tokens are few. How high it
# is expected to be for a recogniser that is perfectly calibrated is exact (to 1e-9): Σ_b E|K_b − Σ a| / n, the number
# K_b of correct phones of a bin being Poisson-binomial (Hong 2013).
def error_of_calibrated(confidences: Floats, cuts: Bins) -> tuple[float, float]:
    """Return the mean and the standard deviation of the ECE of phones whose confidences are exactly right; or NaN."""
    (edges, places), number = cuts, len(confidences) or math.nan
    distances = np.array([_mean_distance(confidences[places == place]) for place in range(len(edges) - 1)])
    variances = np.bincount(places, weights=confidences * (1 - confidences), minlength=len(edges) - 1)
    return math.fsum(distances) / number, math.sqrt(max(math.fsum(variances - distances**2), 0.0)) / number


def _mean_distance(shares: Floats) -> float:
    """Return E|K − Σ a| of K correct phones, each correct with its own probability a, [n]."""
    mean, variance = shares.sum(), (shares * (1 - shares)).sum()
    if not variance:
        return 0.0
    # Bernstein's inequality, P(|K − mean| > r) ≤ 2 exp(−r² / 2(variance + r/3)): less than 1e-20 lies beyond.
    reach = math.ceil(16 + math.sqrt(236 + 93 * variance))
    window = 2 * reach + 1
    angles = 2 * np.pi * np.arange(reach + 1) / window
    # |φ(t)| ≤ exp(−variance (1 − cos t)), so what is left out is below 1e-20, too.
    turns = np.exp(1j * angles[variance * (1 - np.cos(angles)) < 47])
    characteristic = np.ones_like(turns)
    for first in range(0, len(shares), _BATCH_SIZE):
        some = shares[first : first + _BATCH_SIZE, None]
        characteristic *= np.multiply.reduce(1 - some + some * turns, axis=0)
    # Hong (2013): the probabilities are the Fourier transform of the characteristic function.
    probability = np.fft.irfft(characteristic.conj(), window)
    numbers = math.floor(mean) + np.arange(-reach, reach + 1)
    return float(abs(numbers - mean) @ np.maximum(probability[numbers % window], 0.0))


def nist_nce(correct: ArrayLike, confidence: ArrayLike) -> float:
    """Return NIST's normalised cross-entropy: 0 when confidences say no more than the share that is right, at most 1.

    With M predicted phones, insertions among them, m of them correct, and p = m/M:
    H_max = −m log2 p − (M − m) log2(1 − p);
    NCE = (H_max + Σ_correct log2 â + Σ_incorrect log2(1 − â)) / H_max, â clipped to 1e-7 … 1 − 1e-7.

    NaN when no phone, or every phone, is correct: the baseline has no entropy then. ValueError if the two differ in
    length, `correct` holds more than 0 and 1, or a confidence lies outside 0 … 1 or is not a number.

    Examples
    --------
    A constant confidence equal to the share of correct phones says nothing; a certain and right one says everything:

    >>> nist_nce([1, 1, 1, 0], [0.75] * 4)
    0.0
    >>> round(nist_nce([1, 0], [1.0, 0.0]), 6)
    1.0
    """
    return float(nce_of_sums(nce_values(correct, confidence).sum(axis=0)))


def nce_values(correct: ArrayLike, confidence: ArrayLike) -> Floats:
    """Return what NCE sums over phones, [M, 3]: 1, whether the phone is correct, and its gain."""
    right, confidences = np.asarray(correct, dtype=bool), np.asarray(confidence, dtype=np.float64)
    if right.shape != confidences.shape or right.ndim != 1:
        raise ValueError(f"one confidence for each predicted phone is needed: {confidences.shape} for {right.shape}")
    if (right != np.asarray(correct)).any():
        raise ValueError("what is correct must be 1 or true, and what is not 0 or false")
    if not ((confidences >= 0) & (confidences <= 1)).all():
        raise ValueError("confidences must lie in 0 … 1")
    clipped = np.clip(confidences, _CLIP, 1 - _CLIP)
    gained = np.log2(np.where(right, clipped, 1 - clipped))
    return np.stack([np.ones(len(confidences)), right, gained]).T


def nce_of_sums(sums: Floats) -> Floats:
    """Return NCE of sums […, 3] of `nce_values`, for one set or many […]; NaN as for `nist_nce`."""
    total, hits, gained = np.moveaxis(sums, -1, 0)
    baseline = _entropies(hits, total)
    defined = (hits > 0) & (hits < total)
    return np.asarray(np.divide(baseline + gained, baseline, out=np.full_like(baseline, np.nan), where=defined))


def nce_estimate(values: Floats, owner: Codes, clusters: Clusters) -> Estimate:
    """Return NCE of `nce_values` [M, 3] with its interval; `owner` [M] are the positions of the phones' utterances."""
    by_cluster, total = sums_by(clusters.group[owner], values, len(clusters.sizes)), values.sum(axis=0)
    left_out = nce_of_sums(total - by_cluster)
    return clusters.estimate(float(nce_of_sums(total)), left_out, "skill", sizes=by_cluster[:, 0])


def binned_nce_of_sums(sums: Floats) -> Floats:
    """Return NCE after each confidence is replaced by the accuracy of its bin, of sums […, B, 3], in [0, 1]."""
    number, hits, _ = np.moveaxis(sums, -1, 0)
    gained = -_entropies(hits, number).sum(axis=-1)
    return nce_of_sums(np.stack([number.sum(axis=-1), hits.sum(axis=-1), gained], axis=-1))


def _entropies(hits: Floats, total: Floats) -> Floats:
    """Return −h log2(h/n) − (n − h) log2(1 − h/n), 0 where either kind is missing."""
    share = np.divide(hits, total, out=np.zeros_like(total), where=total > 0)
    mixed = (hits > 0) & (hits < total)
    logs = np.log2(np.where(mixed, share, 0.5)), np.log2(np.where(mixed, 1 - share, 0.5))
    return np.where(mixed, -hits * logs[0] - (total - hits) * logs[1], 0.0)


def confidence(case: CorpusContext, settings: Confidence) -> AnalysisOutput:
    """Yield NCE, Brier score and calibration error of the predicted phones, and the table of calibration."""
    clusters = case.clusters
    phones, missing, note = confidences(case)
    if missing:
        measures = ("nce", "brier", "ece", "ece_calibrated")
        yield from (row_of(name, math.nan, len(phones), "", join_notes([missing, note])) for name in measures)
        return
    cuts, sums = in_bins(phones, settings.bins, clusters)
    whole = sums.sum(axis=0)
    right, shares, owner = (phones[name].to_numpy() for name in ("correct", "confidence", "owner"))
    n, hits = len(shares), int(right.sum())
    number, kind = min((hits, "correct"), (n - hits, "wrong"))
    note = join_notes([note, f"rests on {number} {kind} phones only" if 0 < number < _FEW_PHONES else ""])
    nce = nce_estimate(nce_values(right, shares), owner, clusters)
    undefined = "no predicted phone, or every one, is correct" if np.isnan(nce.value) else ""
    yield row_of("nce", nce, n, "", undefined, note)
    mean, deviation = error_of_calibrated(shares, cuts)
    none = "no interval: chance differences within bins count as errors; see ece_calibrated"
    ece = Estimate(float(ece_of_sums(whole)), status="undefined", note=none)
    # ECE is above 0 by chance alone, so it is held against what perfect calibration would show.
    perfect = bool(ece.value <= mean + scipy.special.ndtri((1 + clusters.level) / 2) * deviation)
    yield row_of("ece", ece, n, "", "does not differ clearly from perfect calibration" * perfect, note)
    seen = f"each of {len(whole)} bins has its own accuracy, seen on the same phones: too high, no interval"
    gain = Estimate(float(binned_nce_of_sums(whole)), status="undefined")
    yield row_of("nce", gain, n, "binned", undefined or seen, note)
    yield row_of("ece_calibrated", mean, n, "", "expected if perfectly calibrated")
    yield row_of("brier", mean_of_tokens(squared_distances(right, shares), owner, clusters), n, "", note)
    yield "calibration", calibration_table(cuts[0], sums, clusters)


# The confidences of the predicted phones are those of their file; where it has none, those that posteriors give to the
# intervals of the phones. A phone is correct or wrong by the best alignment.
def confidences(case: CorpusContext) -> tuple[pd.DataFrame, str, str]:
    """Return the predicted phones, `owner` their utterances, why they have no confidence, and a note on whose it is."""
    path, predicted, posteriors = case.alignments, case.corpus.predicted, case.loaded.posteriorgrams
    is_predicted = path.predicted < len(path.predicted_inventory)
    # An alignment spells the predictions in their order, so its predicted side runs beside the confidences.
    correct, owner = path.operations[is_predicted] == CORRECT, predicted.token_utterances()
    phones = pd.DataFrame({"correct": correct, "confidence": np.nan, "code": predicted.codes, "owner": owner})
    if predicted.confidence is not None:
        return phones.assign(confidence=predicted.confidence), "", ""
    if posteriors is None:
        return phones, "the predictions have no confidences", ""
    if predicted.start is None:
        return phones, "the predictions have no times, and posteriors cannot be tied to them without", ""
    # Posteriors may be of some utterances only; the phones of the others have no confidence.
    scored = set(posteriors.utterances)
    chosen = np.array([place for place, name in enumerate(predicted.utterances) if name in scored], dtype=np.int64)
    chosen_phones = predicted.select(chosen)
    shares = np.full(len(phones), np.nan)
    try:
        own = replace(posteriors, utterances=chosen_phones.utterances)
        shares[predicted.token_order(chosen)] = interval_confidence(own, chosen_phones, case.work)
    except DataError as error:
        return phones, str(error), ""
    columnless = int((posteriors.inventory.codes(predicted.inventory)[predicted.codes] < 0).sum())
    defined = ~np.isnan(shares)
    lost = int((~defined).sum()) - columnless
    reasons = {"no frame in their interval, or silence alone": lost, "no column of the posteriors": columnless}
    notes = [f"{number} predicted phones are left out: {why}" for why, number in reasons.items() if number > 0]
    missing = "" if defined.any() else "no predicted phone has a frame in its interval"
    source = "confidences are the posteriors of the phones’ intervals" * (not missing)
    return phones.assign(confidence=shares)[defined], missing, join_notes([source, *notes])


# A reliability diagram (Murphy & Winkler 1977), with Wilson's (1927) limits at its ends.
def calibration_table(edges: Floats, sums: Floats, clusters: Clusters) -> pd.DataFrame:
    """Return the accuracy of each bin beside its mean confidence, of the sums of each group of clusters, [C, B, 3]."""
    number, hits, total = sums.sum(axis=0).T
    tokens, events = (np.ascontiguousarray(sums[..., place].T) for place in (0, 1))
    accuracy = divide(hits, number)
    without, rest = (side.sum(axis=1, keepdims=True) - side for side in (events, tokens))
    own = limits_of_rows(accuracy, divide(without, rest), tokens, clusters, "share")
    # Near 0 and 1 the jackknife's intervals shrink to nothing; Wilson's do not.
    low, high = with_wilson(events, tokens, own, clusters.level)
    columns = {"from": edges[:-1], "to": edges[1:], "n": number.astype(np.int64), "confidence": divide(total, number)}
    limits = {"accuracy": accuracy, "accuracy_low": low, "accuracy_high": high}
    return pd.DataFrame({"bin": np.arange(1, len(edges)), **columns, **limits})

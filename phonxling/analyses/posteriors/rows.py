"""Summary rows of posteriors on gold: log loss, plain and normalised, perplexity, Brier score, entropy."""

import math
from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from phonxling.analyses.posteriors.quality import TokenQuality
from phonxling.analyses.rows import Row, row_of
from phonxling.analyses.scoring_rules import Denominator
from phonxling.core.estimate import Estimate
from phonxling.resample.token_estimates import mean_of_tokens, ratio_of_tokens

Floats = NDArray[np.float64]
FEW = 20  # tokens below which a number is said to rest on few
LARGEST = math.log2(np.finfo(float).max)  # bits above which 2 to their power is no number


def posterior_rows(found: TokenQuality, reference: Mapping[str, float] | None, why: str) -> Iterator[Row]:
    """Yield every row of one corpus; `reference` holds the shares of the reference's phones, or `why` there are none.

    Variants that end in `floored` take probabilities below the floor as the floor, and are there when some are below.
    """
    inside, n = found.labels.inside, float(found.labels.inside.sum())
    outside = 1 - n / len(inside) if len(inside) else np.nan
    none = "" if len(inside) else "no gold token has a frame"
    yield Row("posterior_outside", _outside(found), float(len(inside)), "", none or _foreign(found))
    told = f"of the tokens whose phone the recogniser has; share outside: {outside:.3f}" if outside else ""
    note = _joined([told, f"rests on {n:.0f} tokens only" if 0 < n < FEW else ""])
    missing = none or ("" if n else "the recogniser has none of the gold phones")
    for variant, bits, said in _readings(found):
        yield from _loss_rows(found, variant, bits, missing or _joined([note, said]))
        yield from _normalised_rows(found, variant, bits, (reference, why), missing, _joined([note, said]))
    brier = mean_of_tokens(found.brier[inside], found.owner[inside], found.resampling)
    yield Row("brier", brier, n, "multiclass", missing or note)
    yield from _entropy_rows(found, none)


def _readings(found: TokenQuality) -> Iterator[tuple[str, Floats, str]]:
    """Yield the losses as they are and, where a probability is below the floor, with the floor: suffix, bits, note."""
    zero, low = int(found.zero.sum()), int(found.low.sum())
    yield "", found.bits, f"infinite: {zero} tokens whose gold phone has the probability 0" if zero else ""
    if low:
        yield " floored", found.floored, f"probabilities below {found.floor:g} taken as {found.floor:g}: {low} tokens"


def _loss_rows(found: TokenQuality, suffix: str, bits: Floats, note: str) -> Iterator[Row]:
    """Yield cross-entropy and its perplexity: of tokens, of utterances (each weighs the same), of whole sequences."""
    inside = found.labels.inside
    tokens = mean_of_tokens(bits[inside], found.owner[inside], found.resampling)
    total, number = per_utterance(found, bits)
    spoken = number > 0
    owner = np.flatnonzero(spoken)
    means = mean_of_tokens(total[spoken] / number[spoken], owner, found.resampling)
    whole = mean_of_tokens(total[spoken], owner, found.resampling)
    counts = float(inside.sum()), float(spoken.sum())
    for variant, n, value in (
        ("token", counts[0], tokens),
        ("utterance", counts[1], means),
        ("sequence", counts[1], whole),
    ):
        yield Row("posterior_cross_entropy", value, n, variant + suffix, note)
        beyond = "2 to the cross-entropy is beyond all numbers" if LARGEST < value.value < math.inf else ""
        yield Row("posterior_perplexity", power(value), n, variant + suffix, _joined([note, beyond]))


def per_utterance(found: TokenQuality, values: Floats) -> tuple[Floats, Floats]:
    """Return the sum of values over the tokens inside the inventory, and their number, of each utterance, [U] each."""
    inside, size = found.labels.inside, len(found.segments)
    owner = found.owner[inside]
    number = np.bincount(owner, minlength=size).astype(np.float64)
    return np.bincount(owner, values[inside], size).astype(np.float64), number


def power(bits: Estimate) -> Estimate:
    """Return 2 to an estimate and to its limits: NaN where that is beyond all numbers, inf for infinite bits."""
    value, low, high = (
        math.inf if end == math.inf else math.nan if not end <= LARGEST else 2.0**end
        for end in (bits.value, bits.low, bits.high)
    )
    return Estimate(value, low, high, bits.level, bits.note)


def _normalised_rows(
    found: TokenQuality,
    suffix: str,
    bits: Floats,
    reference: tuple[Mapping[str, float] | None, str],
    missing: str,
    note: str,
) -> Iterator[Row]:
    """Yield the loss over a constant baseline's: own shares, the reference's, and over the reference's own entropy."""
    inside, columns = found.labels.inside, found.tokens.columns
    n, named = float(inside.sum()), found.labels.of_token[inside]
    own = np.bincount(named, minlength=len(columns)) / max(n, 1)
    yield _normalised(found, bits, own, "labels", "own" + suffix, missing, note)
    shares, why = reference
    if why and shares is None and not suffix:
        for variant in ("reference", "reference entropy"):
            yield row_of("normalised_cross_entropy", math.nan, n, variant + suffix, missing or why)
    if shares is None:
        return
    constant = np.array([shares.get(phone, 0.0) for phone in columns])
    never = [phone for phone, own_share, other in zip(columns, own, constant, strict=True) if own_share and not other]
    lacking = f"the reference never says {' '.join(never)}, which its shares would call impossible" if never else ""
    constant = constant / constant.sum() if constant.sum() else constant
    ways: tuple[tuple[str, Denominator], ...] = (("reference", "labels"), ("reference entropy", "baseline"))
    for variant, denominator in ways:
        blame = lacking if denominator == "labels" else ""
        yield _normalised(found, bits, constant, denominator, variant + suffix, missing or blame, note)


def _normalised(
    found: TokenQuality, bits: Floats, constant: Floats, denominator: Denominator, variant: str, missing: str, note: str
) -> Row:
    """Return one ratio of losses; own shares are of the corpus, and replicates keep them."""
    inside = found.labels.inside
    paid, named = bits[inside], found.labels.of_token[inside]
    entropy = float(-(constant[constant > 0] * np.log2(constant[constant > 0])).sum())
    with np.errstate(divide="ignore"):
        baseline = -np.log2(constant)[named] if denominator == "labels" else np.full(len(named), entropy)
    least = baseline.sum()
    if missing or not least > 0:
        reason = missing or "the baseline pays nothing: there is one phone only"
        return row_of("normalised_cross_entropy", math.nan, float(len(paid)), variant, reason)
    value = ratio_of_tokens(paid, baseline, owner=found.owner[inside], resampling=found.resampling)
    return Row("normalised_cross_entropy", value, float(len(paid)), variant, note)


def _entropy_rows(found: TokenQuality, missing: str) -> Iterator[Row]:
    n = float(len(found.entropy))
    yield Row("posterior_entropy", mean_of_tokens(found.entropy, found.owner, found.resampling), n, "token", missing)
    owner = found.segments.token_utterances()
    value = ratio_of_tokens(found.frames.bits, found.frames.mass, owner=owner, resampling=found.resampling)
    silent = "" if found.frames.mass.any() else "no frame but silence"
    yield Row("posterior_entropy", value, n, "frame", missing or silent)


def _outside(found: TokenQuality) -> Estimate:
    return mean_of_tokens((~found.labels.inside).astype(np.float64), found.owner, found.resampling)


def _foreign(found: TokenQuality) -> str:
    present = np.unique(found.tokens.codes)
    names = [found.tokens.phones.phones[code] for code in present if found.labels.of_phone[code] < 0]
    return f"the recogniser has no {' '.join(names)}" if names else ""


def _joined(parts: Sequence[str]) -> str:
    return "; ".join(part for part in parts if part)

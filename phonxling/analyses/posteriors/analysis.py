"""What posteriors say of the gold phones: log loss, plain and normalised, perplexity, Brier score, entropy."""

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from phonxling.analyses.case.case import Case, Items
from phonxling.analyses.posteriors.gold_labels import label_shares
from phonxling.analyses.posteriors.quality import TokenQuality, token_quality
from phonxling.analyses.posteriors.tables import by_phone, by_utterance
from phonxling.analyses.rows import Row, row_of
from phonxling.analyses.scoring_rules import perplexity_of
from phonxling.core.arrays import Floats
from phonxling.core.estimate import joined
from phonxling.resample.token_estimates import mean_of_tokens, ratio_of_tokens, share_of_tokens
from phonxling.settings.sections import Confidence

FEW = 20  # tokens below which a number is said to rest on few


def posteriors(case: Case, settings: Confidence) -> Items:
    """Yield posteriors.tsv, posterior_utterances.tsv and their rows."""
    quality = token_quality(case, settings)
    yield "posteriors", by_phone(quality)
    yield "posterior_utterances", by_utterance(quality)
    yield from _rows(quality, list(_baselines(case, quality, settings)), case.without_tokens)


@dataclass(frozen=True, eq=False)
class _Baseline:
    """A constant recogniser: the probabilities that it always gives, [K], or why it is missing."""

    variant: str
    shares: Floats | None
    missing: str = ""


def _baselines(case: Case, quality: TokenQuality, settings: Confidence) -> Iterator[_Baseline]:
    """Yield the corpus' own shares, and the reference's."""
    columns, labels = quality.tokens.columns, quality.labels
    counts = np.bincount(labels.of_token[labels.inside], minlength=len(columns))
    own = counts / max(counts.sum(), 1)
    yield _Baseline("own", own)
    if case.is_reference:
        return
    reference = case.reference
    if reference is None or reference.tokens is None:
        name = "" if reference is None else reference.name
        why = f"the reference {name} has no posteriors with times" if name else "no corpus has the role reference"
        yield _Baseline("reference", None, why)
        return
    shares = label_shares(reference.token_posteriors, settings)
    constant = np.array([shares.get(phone, 0.0) for phone in columns])
    never = [phone for phone, ours, theirs in zip(columns, own, constant, strict=True) if ours and not theirs]
    lacking = f"the reference never says {' '.join(never)}, which its shares would call impossible" if never else ""
    constant = constant / constant.sum() if constant.sum() else constant
    yield _Baseline("reference", constant, lacking)


def _rows(quality: TokenQuality, baselines: list[_Baseline], none: str) -> Iterator[Row]:
    """Yield every row of one corpus; `none` says why there are no tokens."""
    inside, every = quality.labels.inside, len(quality.labels.inside)
    n = int(inside.sum())
    outside = share_of_tokens(~inside, quality.owner, quality.resampling)
    yield row_of("posterior_outside", outside, every, "", none or _foreign(quality))
    share = 1 - n / every if every else 0.0
    part = f"of the tokens whose phone the recogniser has; share outside: {share:.3f}" if share else ""
    note = joined([part, f"rests on {n} tokens only" if 0 < n < FEW else ""])
    missing = none or ("" if n else "the recogniser has none of the gold phones")
    floor, low = f"{quality.floor:g}", int(quality.low.sum())
    about = f"probabilities below {floor} taken as {floor}: {low} tokens ({low / max(n, 1):.2%})" if low else ""
    beside = joined([note, about])
    yield from _loss_rows(quality, missing or beside)
    for baseline in baselines:
        yield _normalised(quality, baseline, missing=missing, note=beside)
    yield row_of("brier", quality.mean_inside(quality.brier), n, "multiclass", missing or note)
    yield from _entropy_rows(quality, none)


def _loss_rows(quality: TokenQuality, note: str) -> Iterator[Row]:
    """Yield cross-entropy of tokens, with its perplexity, and of utterances, each of which weighs the same."""
    tokens, n = quality.mean_inside(quality.bits), int(quality.labels.inside.sum())
    yield row_of("posterior_cross_entropy", tokens, n, "token", note)
    yield row_of("posterior_perplexity", perplexity_of(tokens), n, "token", note)
    total, number = quality.sums_by_utterance(quality.bits)
    utterances = np.flatnonzero(number)
    means = mean_of_tokens(total[utterances] / number[utterances], utterances, quality.resampling)
    yield row_of("posterior_cross_entropy", means, len(utterances), "utterance", note)


def _normalised(quality: TokenQuality, baseline: _Baseline, *, missing: str, note: str) -> Row:
    """Return the loss over a baseline's; own shares are of the corpus, and replicates keep them."""
    inside, name, variant = quality.labels.inside, "normalised_cross_entropy", baseline.variant
    loss, n = quality.bits[inside], int(inside.sum())
    missing = missing or baseline.missing
    if missing or baseline.shares is None:
        return row_of(name, math.nan, n, variant, missing)
    with np.errstate(divide="ignore"):
        baseline_loss = -np.log2(baseline.shares)[quality.labels.of_token[inside]]
    if not baseline_loss.sum() > 0:
        return row_of(name, math.nan, n, variant, "the baseline pays nothing: there is one phone only")
    ratio = ratio_of_tokens(loss, baseline_loss, owner=quality.owner[inside], resampling=quality.resampling)
    return row_of(name, ratio, n, variant, note)


def _entropy_rows(quality: TokenQuality, missing: str) -> Iterator[Row]:
    n, frames, resampling = len(quality.entropy), quality.frames, quality.resampling
    tokens = mean_of_tokens(quality.entropy, quality.owner, resampling)
    yield row_of("posterior_entropy", tokens, n, "token", missing)
    owner = quality.segments.token_utterances()
    by_frame = ratio_of_tokens(frames.bits, frames.mass, owner=owner, resampling=resampling)
    silent = "" if frames.mass.any() else "no frame but silence"
    yield row_of("posterior_entropy", by_frame, n, "frame", missing or silent)


def _foreign(quality: TokenQuality) -> str:
    phones, columns = quality.tokens.phones.phones, quality.labels.of_phone
    names = [phones[code] for code in np.unique(quality.tokens.codes) if columns[code] < 0]
    return f"the recogniser has no {' '.join(names)}" if names else ""

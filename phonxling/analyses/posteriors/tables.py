"""posteriors.tsv, by gold phone, and posterior_utterances.tsv: what the posteriors say of the gold phones."""

import math
from collections.abc import Mapping

import numpy as np
import pandas as pd

from phonxling.analyses.posteriors.quality import TokenQuality
from phonxling.analyses.scoring_rules import perplexity_of
from phonxling.core.arrays import divided
from phonxling.core.estimate import Estimate, joined
from phonxling.resample.token_estimates import means_by_group
from phonxling.tables.files import table_of

LEAST = 20


def by_phone(quality: TokenQuality) -> pd.DataFrame:
    """Return posteriors.tsv: of each gold phone its log loss, Brier score and entropies, and what they rest on."""
    codes, size, owner = quality.tokens.codes, len(quality.tokens.phones), quality.owner
    measured = {
        name: means_by_group(values, codes, groups=size, owner=owner, resampling=quality.resampling)
        for name, values in {"cross_entropy": quality.bits, "brier": quality.brier, "entropy": quality.entropy}.items()
    }
    rows = [
        {"phone": phone, **_phone_row(quality, code, {name: means[code] for name, means in measured.items()})}
        for code, phone in enumerate(quality.tokens.phones)
    ]
    return table_of("posteriors", rows)


def _phone_row(quality: TokenQuality, code: int, measured: Mapping[str, Estimate]) -> dict[str, object]:
    chosen = np.asarray(quality.tokens.codes == code)
    label, n = int(quality.labels.of_phone[code]), int(chosen.sum())
    frames = quality.segments.codes == code
    mass = quality.frames.mass[frames].sum()
    notes = [
        "" if n else "no token has a frame",
        "the recogniser has no such phone" if label < 0 else "",
        f"fewer than {LEAST} tokens: no intervals" if 0 < n < LEAST else "",
    ]
    limits = {
        f"{name}{end}": limit
        for name, number in measured.items()
        for end, limit in (("", number.value), ("_low", number.low), ("_high", number.high))
        if not end or n >= LEAST
    }
    return limits | {
        "recognised": quality.tokens.columns.phones[label] if label >= 0 else "",
        "tokens": n,
        "perplexity": perplexity_of(measured["cross_entropy"]).value,
        "zero": int(quality.zero[chosen].sum()) if label >= 0 else math.nan,
        "entropy_frames": quality.frames.bits[frames].sum() / mass if mass else math.nan,
        "note": joined(notes),
    }


def by_utterance(quality: TokenQuality) -> pd.DataFrame:
    """Return posterior_utterances.tsv: log loss a phone and of the whole sequence, and the perplexity of each.

    A perplexity that is beyond all numbers is missing; its bits are not.
    """
    total, number = quality.sums_by_utterance(quality.bits)
    every = np.bincount(quality.owner, minlength=len(quality.segments))
    mean = divided(total, number)
    total = np.where(number > 0, total, np.nan)
    return pd.DataFrame(
        {
            "utterance": quality.segments.utterances,
            "tokens": every,
            "inside": number.astype(np.int64),
            "cross_entropy": mean,
            "perplexity": [perplexity_of(Estimate(bits)).value for bits in mean],
            "sequence_cross_entropy": total,
            "sequence_perplexity": [perplexity_of(Estimate(bits)).value for bits in total],
        }
    )

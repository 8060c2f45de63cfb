"""posteriors.tsv, by gold phone, and posterior_utterances.tsv: what the posteriors say of the gold phones."""

import math
from collections.abc import Mapping

import numpy as np
import pandas as pd

from phonxling.analyses.posteriors.quality import TokenQuality
from phonxling.analyses.posteriors.rows import per_utterance, power
from phonxling.core.estimate import Estimate
from phonxling.resample.token_estimates import means_by_group
from phonxling.tables.files import table_of

LEAST = 20


def by_phone(found: TokenQuality) -> pd.DataFrame:
    """Return posteriors.tsv: of each gold phone its log loss, Brier score and entropies, and what they rest on."""
    codes, size, owner = found.tokens.codes, len(found.tokens.phones), found.owner
    measured = {
        name: means_by_group(values, codes, groups=size, owner=owner, resampling=found.resampling)
        for name, values in {"cross_entropy": found.bits, "brier": found.brier, "entropy": found.entropy}.items()
    }
    rows = [
        {"phone": phone, **_phone_row(found, code, {name: means[code] for name, means in measured.items()})}
        for code, phone in enumerate(found.tokens.phones)
    ]
    return table_of("posteriors", rows)


def _phone_row(found: TokenQuality, code: int, measured: Mapping[str, Estimate]) -> dict[str, object]:
    chosen = np.asarray(found.tokens.codes == code)
    label, n = int(found.labels.of_phone[code]), int(chosen.sum())
    frames = found.segments.codes == code
    mass = found.frames.mass[frames].sum()
    notes = {
        "no token has a frame": not n,
        "the recogniser has no such phone": label < 0,
        f"fewer than {LEAST} tokens: no intervals": 0 < n < LEAST,
    }
    limits = {
        f"{name}{end}": limit
        for name, one in measured.items()
        for end, limit in (("", one.value), ("_low", one.low), ("_high", one.high))
        if not end or n >= LEAST
    }
    return limits | {
        "recognised": found.tokens.columns.phones[label] if label >= 0 else "",
        "tokens": n,
        "perplexity": power(measured["cross_entropy"]).value,
        "cross_entropy_floored": found.floored[chosen].mean() if n else math.nan,
        "zero": int(found.zero[chosen].sum()) if label >= 0 else math.nan,
        "entropy_frames": found.frames.bits[frames].sum() / mass if mass else math.nan,
        "note": "; ".join(text for text, tell in notes.items() if tell),
    }


def by_utterance(found: TokenQuality) -> pd.DataFrame:
    """Return posterior_utterances.tsv: log loss a phone and of the whole sequence, and the perplexity of each.

    A perplexity that is beyond all numbers is missing; its bits are not.
    """
    total, number = per_utterance(found, found.bits)
    every = np.bincount(found.owner, minlength=len(found.segments))
    mean = np.divide(total, number, out=np.full(len(total), np.nan), where=number > 0)
    total = np.where(number > 0, total, np.nan)
    return pd.DataFrame(
        {
            "utterance": found.segments.utterances,
            "tokens": every,
            "inside": number.astype(np.int64),
            "cross_entropy": mean,
            "perplexity": [power(Estimate(bits)).value for bits in mean],
            "sequence_cross_entropy": total,
            "sequence_perplexity": [power(Estimate(bits)).value for bits in total],
        }
    )

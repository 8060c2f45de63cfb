"""Posteriors and timed phones held in memory."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from phonxling.core.inventory import Inventory
from phonxling.core.posteriorgram import PhoneMeans, Posteriorgrams
from phonxling.core.sequences import PhoneSequences


def posteriors_of(frames: Sequence[Any] | Mapping[str, Any], phones: Inventory, **more: object) -> Posteriorgrams:
    """Return posteriors of utterances u0, u1, … at 10 ms a frame, a column a phone unless `columns` says otherwise."""
    held = dict(frames) if isinstance(frames, Mapping) else {f"u{number}": each for number, each in enumerate(frames)}
    given = {"columns": np.arange(len(phones)), "frame_shift": 0.01, **more}
    return Posteriorgrams(
        source="memory",
        utterances=tuple(held),
        inventory=phones,
        read=held.__getitem__,
        **given,  # type: ignore[arg-type]
    )


def timed_phones(
    utterances: Sequence[Sequence[tuple[Any, Any, Any]]], phones: Inventory, source: str = "gold"
) -> PhoneSequences:
    """Return utterances u0, u1, … of (phone or its code, start, end)."""
    rows = [row for utterance in utterances for row in utterance]
    return PhoneSequences(
        utterances=tuple(f"u{number}" for number in range(len(utterances))),
        offsets=np.cumsum([0, *map(len, utterances)]),
        codes=np.array([phones.code(phone) if isinstance(phone, str) else phone for phone, _, _ in rows], np.int32),
        start=np.array([float(start) for _, start, _ in rows]),
        end=np.array([float(end) for _, _, end in rows]),
        inventory=phones,
        source=source,
    )


def phone_means(
    means: np.ndarray, batches: np.ndarray | None = None, *, prefix: str = "p", columns: Sequence[str] | None = None
) -> PhoneMeans:
    """Return means of phones p0, p1, … over e0, e1, …; `batches` [G, n, K] of each phone, by default the mean."""
    parts, codes = means[:, None] if batches is None else batches, np.arange(len(means))
    return PhoneMeans(
        phones=Inventory(tuple(f"{prefix}{code}" for code in codes)),
        columns=Inventory(tuple(columns or (f"e{number}" for number in range(means.shape[1])))),
        means=means,
        tokens=7 + codes,
        batch_phones=np.repeat(codes, parts.shape[1]),
        batch_means=parts.reshape(-1, means.shape[1]),
    )

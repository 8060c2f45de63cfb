"""Phones as recognisers write them: between slashes, and in records of their own.

POWSM writes `<yor><pr><notimestamps> /k//a/`, PhoneticXeus `k/a` in its field `predicted_transcript`. allophant's
`predict` writes JSON lines: the first is about the run, and each other one has its candidates, the best first, and its
labels; they become the fields `predicted` and `gold`.
"""

import re
from collections.abc import Mapping
from typing import Any

RECORDING = re.compile(r"\S+\.(?:wav|flac|mp3|ogg|opus|m4a)", re.IGNORECASE)
TASK = "<pr>"
FIELDS = {  # where PRiSM and PhoneticXeus have the phones of a side, the plainest first
    "gold": ("transcription", "target"),
    "predicted": ("predicted_transcript", "processed_transcript", "prediction", "pred"),
}
_SLASHED = "predicted_transcript"
_TAGS = re.compile(r"\s*(?:<[^<>\s]*>\s*)*")
_ENCLOSED = re.compile(r"/.+/|", re.DOTALL)
_LAYERS = ("phoneme", "phonemes", "phone", "phones")


def phones_of(text: str, field: str = "") -> list[str]:
    """Return the phones of a text, which spaces separate, or slashes where these enclose all of them.

    >>> phones_of("k a"), phones_of("<yor><pr><notimestamps> /k//a/"), phones_of("k/a", "predicted_transcript")
    (['k', 'a'], ['k', 'a'], ['k', 'a'])
    """
    if "/" not in text and TASK not in text:
        return text.split()
    bare = text[_TAGS.match(text).end() :].strip() if TASK in text else text.strip()  # type: ignore[union-attr]
    if field == _SLASHED or _ENCLOSED.fullmatch(bare):
        return [phone for phone in re.split(r"[/\s]+", bare) if phone]
    return text.split()


def own_record(row: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """Return the record of an utterance, whose fields are renamed if allophant wrote it; None for one on the run."""
    if "prediction_arguments" in row and "utterance_id" not in row:
        return None
    candidates = row.get("predictions")
    if "utterance_id" not in row or not isinstance(candidates, Mapping):
        return row
    layer = next((candidates[name] for name in _LAYERS if name in candidates), None)
    sides = {"gold": row.get("labels"), "predicted": layer}
    best = {side: values[0] for side, values in sides.items() if isinstance(values, list) and values}
    return {"utterance": row["utterance_id"], "language": row.get("language"), **best}

"""Speakers of utterances, given in Python."""

from collections.abc import Mapping
from typing import Any

from phonxling.core.errors import DataError
from phonxling.load.field_names import ROLES, listed
from phonxling.load.in_memory.values import Data, as_texts, columns_of_frame, is_pandas, items_of, row_labels
from phonxling.load.transcripts.build import TranscriptBuilder


def read_speakers(data: Data, utterances: int) -> dict[str, str]:
    """Return the speaker of each utterance.

    They come in a mapping or Series by id, a DataFrame with the columns `utterance` and `speaker`, or a list in the
    order of so many utterances. DataError when a speaker is no text, or a list has another length.
    """
    ids, names = _owners(data)
    if ids is None and len(names) != utterances:
        msg = f"speakers: a list of {len(names)} for {utterances} utterances"
        raise DataError(f"{msg}; give one each, in their order, or a mapping {{id: speaker}}")
    where = TranscriptBuilder("speakers", "utterance").where
    ids = as_texts(where, list(range(utterances)) if ids is None else ids, "utterance id")
    speaker_of: dict[str, str] = {}
    for utterance, speaker in zip(ids, as_texts(where, names, "speaker", ids), strict=True):
        if speaker_of.setdefault(utterance, speaker) != speaker:
            raise DataError(f"{where(utterance)}: has a second speaker")
    return speaker_of


def _owners(data: Any) -> tuple[list[Any] | None, list[Any]]:  # noqa: ANN401
    """Return ids (None where data have none) and speakers."""
    if isinstance(data, Mapping):
        return list(data), list(data.values())
    if is_pandas(data, "Series"):
        return row_labels(data), list(data)
    if not is_pandas(data, "DataFrame"):
        return None, list(items_of("speakers", data))
    table = columns_of_frame("speakers", data, {name: name for name in ROLES})
    if missing := [name for name in ("utterance", "speaker") if name not in table]:
        raise DataError(f"speakers: no column {', '.join(missing)}; the table has: {listed(table)}")
    return list(table["utterance"]), list(table["speaker"])

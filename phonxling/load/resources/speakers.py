"""Speakers of utterances: a TSV or CSV with the columns `utterance` and `speaker`, or Kaldi's utt2spk."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal

from phonxling.core.errors import DataError, shown
from phonxling.load.text import check_plain, read_lines
from phonxling.load.transcripts.tables import csv_rows


def load_speakers(
    path: Path, columns: Mapping[str, str] | None = None, form: Literal["tsv", "csv", "utt2spk"] | None = None
) -> dict[str, str]:
    """Return the speaker of each utterance; the format follows from the name unless given.

    Kaldi's utt2spk has no header: an utterance and its speaker on each line, separated by a space.

    Raises
    ------
    DataError
        If the file is missing, lacks a column, has a row of another length, or gives an utterance a second speaker.
        If an id or a speaker holds a control character, or is longer than 4,096 letters.
    """
    names = {"utterance": "utterance", "speaker": "speaker", **(columns or {})}
    comma = form == "csv" if form else path.suffix.lower() == ".csv"
    kaldi = form == "utt2spk" if form else path.name == "utt2spk"
    rows = csv_rows(path) if comma else ((line, text.split(None if kaldi else "\t")) for line, text in read_lines(path))
    _, header = (0, ["utterance", "speaker"]) if kaldi else next(rows, (1, []))
    missing = [names[name] for name in ("utterance", "speaker") if names[name] not in header]
    if missing:
        has = shown(", ".join(header), 400) or "nothing"
        raise DataError(f"{path}:1: no column {', '.join(missing)}; the file has: {has}")
    utterance, speaker = header.index(names["utterance"]), header.index(names["speaker"])
    found: dict[str, str] = {}
    for line, row in rows:
        if len(row) != len(header):
            wanted = "utt2spk has an utterance and its speaker" if kaldi else f"the header has {len(header)}"
            raise DataError(f"{path}:{line}: {len(row)} cell{'s' * (len(row) != 1)}, but {wanted}")
        check_plain(row[utterance], "utterance id", f"{path}:{line}")
        check_plain(row[speaker], "speaker", f"{path}:{line}")
        if found.setdefault(row[utterance], row[speaker]) != row[speaker]:
            raise DataError(f"{path}:{line}: utterance '{row[utterance]}' has a second speaker")
    return found


def speakers_of(utterances: Sequence[str], speaker_of: Mapping[str, str], source: str) -> tuple[str, ...]:
    """Return the speaker of each utterance; DataError when some have none."""
    missing = [utterance for utterance in utterances if utterance not in speaker_of]
    if missing:
        some = " ".join(missing[:5]) + (" …" if len(missing) > 5 else "")
        raise DataError(f"{source}: no speaker for {len(missing)} of {len(utterances)} utterances: {some}")
    return tuple(speaker_of[utterance] for utterance in utterances)

"""Speakers of utterances: a TSV or CSV with `utterance` and `speaker`, Kaldi's utt2spk, or how their ids begin."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import count
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


def speakers_in_ids(utterances: Sequence[str], pattern: str) -> tuple[str, ...]:
    """Return what a regular expression finds at the beginning of each id: its first group, or all of it.

    DataError where some ids hold no speaker so.

    Examples
    --------
    >>> speakers_in_ids(["fdhc0_si1559", "fjas0_si1400"], "[^_]+")
    ('fdhc0', 'fjas0')
    """
    whole = re.compile(pattern)
    found = {each: match[min(whole.groups, 1)] for each in utterances if (match := whole.match(each))}
    return speakers_of(utterances, {each: name for each, name in found.items() if name}, f"speaker_pattern {pattern}")


def proposed_pattern(utterances: Sequence[str]) -> str:
    """Return the pattern of speakers that ids suggest, "" where they suggest none.

    It is their beginning up to a separator if there are three or more such beginnings, and nine of ten utterances share
    theirs with others. Utterances that are numbered, or each begin otherwise, suggest nothing.

    Examples
    --------
    >>> proposed_pattern([f"s{speaker}_{place}" for speaker in range(3) for place in range(2)])
    '[^_]+'
    >>> proposed_pattern([f"es_0{speaker}_{place}" for speaker in range(3) for place in range(2)])
    '[^_]+_[^_]+'
    >>> proposed_pattern(["utt_001", "utt_002", "utt_003"]), proposed_pattern(["a_1", "b_1", "c_1"])
    ('', '')
    """
    for separator in ("/", *sorted("_-. ", key=lambda one: utterances[0].find(one) % _FAR if utterances else 0)):
        parts = [each.split(separator) for each in utterances]
        for depth in count(1):
            if min(map(len, parts), default=0) <= depth:
                break
            shared = Counter(tuple(part[:depth]) for part in parts)
            alone = sum(number == 1 for number in shared.values())
            if alone > _ALONE * len(parts):
                break
            if len(shared) >= _SEVERAL:
                part = f"[^{separator}]+"
                return separator.join([part] * depth)
    return ""


_SEVERAL, _ALONE = 3, 0.1  # speakers at least; share of the utterances that may be a speaker's only one
_FAR = 1 << 30  # a separator that an id lacks, −1 of so many, comes last

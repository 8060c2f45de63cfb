"""Files of text that are no transcripts: lists of labels, maps of symbols, tables of speakers, dictionaries."""

from pathlib import Path
from unicodedata import normalize

from phonxling.core.errors import DataError
from phonxling.experiment.starter.inputs.names import named, words_of
from phonxling.experiment.starter.inputs.sides import SpeakerTable
from phonxling.load.encoding import decode
from phonxling.load.field_names import meanings
from phonxling.load.formats import fields_of
from phonxling.load.matrices.limits import MOST_COLUMNS
from phonxling.load.resources.maps import load_symbol_map
from phonxling.load.resources.speakers import load_speakers
from phonxling.load.text import read_head, split_lines

_HEAD = 1 << 16
_NOT_SPOKEN = "dict dictionary dictionaries lexicon lexicons pronunciations map mapping readme license"


def labels_in(path: Path) -> tuple[str, ...]:
    """Return the labels of a list (one a line, or `label number` as Kaldi numbers symbols); () when it is none."""
    rows = _rows(path)
    numbered = all(len(row) == 2 and row[1].isdecimal() for row in rows)
    labels = tuple(row[0] for row in rows)
    if not 1 < len(labels) <= MOST_COLUMNS or len(set(labels)) < len(labels):
        return ()
    return labels if all(len(row) == 1 for row in rows) else labels if numbered else ()


def symbols_of_map(path: Path) -> frozenset[str]:
    """Return the symbols that a map (symbol, ipa) has; none when the file is no map."""
    first = _rows(path)[:1]
    if path.suffix.lower() != ".tsv" or (first != [["symbol", "ipa"]] and "map" not in words_of(path.name)):
        return frozenset()
    try:
        return frozenset(normalize("NFC", symbol) for symbol in load_symbol_map(path))
    except DataError:
        return frozenset()


def is_no_transcript(path: Path) -> bool:
    """Return whether a name says that a file is a dictionary, a map, or for people to read."""
    return bool({*_NOT_SPOKEN.split()} & {word for part in (path.name, path.parent.name) for word in words_of(part)})


def speakers_in(path: Path, root: Path) -> SpeakerTable | None:
    """Return a table of speakers; None when the file is none."""
    key = named(path.relative_to(root)).key
    try:
        if path.name == "utt2spk":
            return SpeakerTable(path, key, frozenset(load_speakers(path)))
        if path.suffix.lower() not in {".tsv", ".csv"}:
            return None
        kinds = meanings(fields_of(path))
        if set(kinds) - {"utterance", "speaker"} or len(kinds) < 2:
            return None
        called = {"utterance": kinds["utterance"][0], "speaker": kinds["speaker"][0]}
        ids = frozenset(load_speakers(path, called))
        return SpeakerTable(path, key, ids, columns={n: t for n, t in called.items() if n != t})
    except DataError:
        return None


def _rows(path: Path) -> list[list[str]]:
    try:
        return [line.split() for line in split_lines(decode(path, read_head(path, _HEAD))) if line.strip()]
    except DataError:
        return []

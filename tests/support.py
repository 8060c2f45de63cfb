"""Small helpers that the tests of loading, normalising and core share."""

import csv
import tracemalloc
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from importlib.resources import files
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import settings

from phonxling.core.arrays import offsets_of
from phonxling.core.errors import DataError
from phonxling.core.inventory import Inventory
from phonxling.core.sequences import Corpus, PhoneSequences, Transcript, from_lists
from phonxling.load.posteriors import load_raw_posteriors


def more(times: int) -> settings:
    """Return settings of so many times the examples of the profile that is in force."""
    return settings(max_examples=times * settings.default.max_examples)


@cache
def panphon_itself() -> Any:  # noqa: ANN401 - where it is installed: it has no wheels beyond Python 3.12
    """Return panphon's own distances, with its feature table as `fm`: it takes a second to read, and rates read it."""
    theirs = pytest.importorskip("panphon.distance").Distance()
    pytest.MonkeyPatch().setattr("panphon.distance.featuretable", SimpleNamespace(FeatureTable=lambda: theirs.fm))
    return theirs


@cache
def panphon_rows() -> dict[str, dict[str, int]]:
    """Return panphon's rows by segment in NFD, read by the csv module alone."""
    with (files("phonxling.load") / "panphon-0.22.2" / "ipa_all.csv").open(encoding="utf-8", newline="") as file:
        rows = {unicodedata.normalize("NFD", row.pop("ipa")): row for row in csv.DictReader(file)}
    return {segment: {name: "-0+".index(value) - 1 for name, value in row.items()} for segment, row in rows.items()}


def write(path: Path, text: str, encoding: str = "utf-8") -> Path:
    """Write a file with the line ends that the text has, making its folder."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode(encoding))
    return path


def transcript(path: Path, rows: Mapping[str, str | Sequence[str]] | Sequence[Sequence[str]]) -> Path:
    """Write a TSV of utterances and their phones; of rows without ids they are u0, u1, …"""
    named = rows if isinstance(rows, Mapping) else {f"u{number}": row for number, row in enumerate(rows)}
    phones = (row if isinstance(row, str) else " ".join(row) for row in named.values())
    lines = (f"{name}\t{row}\n" for name, row in zip(named, phones, strict=True))
    return write(path, "".join(["utterance\tphones\n", *lines]))


def error_of(kind: type[Exception], function: Callable[..., object], *arguments: Any, **options: Any) -> str:  # noqa: ANN401
    """Return what the error of this kind says that a function raises."""
    with pytest.raises(kind) as caught:
        function(*arguments, **options)
    return str(caught.value)


@contextmanager
def memory(most: int) -> Iterator[None]:
    """Hold Python's memory below so many bytes at its peak."""
    tracemalloc.start()
    try:
        yield
        assert tracemalloc.get_traced_memory()[1] < most
    finally:
        tracemalloc.stop()


def speakers_file(path: Path, speakers: Mapping[str, str]) -> Path:
    """Write a TSV of utterances and their speakers."""
    return write(path, "utterance\tspeaker\n" + "".join(f"{name}\t{of}\n" for name, of in speakers.items()))


def refusal(read: Callable[..., object], path: Path, *arguments: object, **options: object) -> str:
    """Return what a reader says of a file that it refuses, with the file's path taken off the beginning."""
    return error_of(DataError, read, path, *arguments, **options).removeprefix(str(path))


def refused_posteriors(path: Path, form: str | None = None, labels: list[str] | None = None) -> str:
    """Return what is said of posteriors of which not every utterance can be read."""

    def read() -> None:
        raw = load_raw_posteriors(path, form, labels)
        for utterance in raw.utterances:
            np.asarray(raw.read(utterance))

    message = error_of(DataError, read)
    assert message.startswith(str(path.parent))
    return message


def times_of(transcript: Transcript) -> list[tuple[float, float]]:
    """Return the start and end of each token, which must have some."""
    assert transcript.start is not None
    assert transcript.end is not None
    return [*zip(transcript.start.tolist(), transcript.end.tolist(), strict=True)]


def symbols_by_utterance(transcript: Transcript) -> dict[str, list[str]]:
    """Return the raw symbols of each utterance."""
    runs = np.split(transcript.codes, transcript.offsets[1:-1])
    return {
        utterance: [transcript.symbols[code] for code in run]
        for utterance, run in zip(transcript.utterances, runs, strict=True)
    }


def phones_by_utterance(sequences: PhoneSequences) -> list[list[str]]:
    """Return the phones of each utterance."""
    return [sequences.phones_of(place) for place in range(len(sequences))]


def transcript_of(
    rows: Sequence[Sequence[str]], times: Sequence[tuple[float, float]] | None = None, **more: object
) -> Transcript:
    """Return a transcript of utterances u0, u1, …; the place of each symbol is "gold.tsv:" and its utterance's line."""
    symbols = tuple(dict.fromkeys(symbol for row in rows for symbol in row))
    first = {symbol: next(n for n, row in enumerate(rows) if symbol in row) for symbol in symbols}
    given = {
        "utterances": tuple(f"u{number}" for number in range(len(rows))),
        "offsets": offsets_of([len(row) for row in rows]),
        "codes": np.array([symbols.index(symbol) for row in rows for symbol in row], dtype=np.int32),
        "start": None if times is None else np.array([start for start, _ in times]),
        "end": None if times is None else np.array([end for _, end in times]),
        "source": "gold.tsv",
        "symbols": symbols,
        "places": tuple(f"gold.tsv:{first[symbol] + 2}" for symbol in symbols),
    }
    return Transcript(**{**given, **more})  # type: ignore[arg-type]


def corpus_of(
    gold: Sequence[Sequence[str]],
    predicted: Sequence[Sequence[str]],
    phones: tuple[Inventory | None, Inventory | None] = (None, None),
    **more: object,
) -> Corpus:
    """Return the phones of utterances u0, u1, …, over inventories of the two sides if they are given."""
    names = [f"u{number}" for number in range(len(gold))]
    said, heard = (
        from_lists(names, [list(row) for row in side], inventory)
        for side, inventory in zip((gold, predicted), phones, strict=True)
    )
    return Corpus(gold=said, predicted=heard, **more)  # type: ignore[arg-type]

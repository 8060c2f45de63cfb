"""Hostile bytes by mutation of valid files, and what must hold of every reader, whatever the bytes."""

from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path

from hypothesis import strategies as st
from valid_files import OTHERS, TRANSCRIPTS

from phonxling.core.errors import ConfigurationError, DataError
from phonxling.core.sequences import Columns, Transcript
from phonxling.load.building import LoaderOptions, complete_transcript
from phonxling.load.formats import BUILT_IN, fields_of, guess_format, load_transcript
from phonxling.load.resources import (
    load_cost_table,
    load_features,
    load_gap_costs,
    load_same_phones,
    load_speakers,
    load_symbol_map,
)

NUMBERS = "1e999 -1 nan inf -inf 1_0 ٣ 0x1 1e-400 -0.0 2147483648 18446744073709551616 1e308 0.1.2"
LETTERS = [*"\x00\ufeff\r\n\t\u202e\u200b\u2028\x85\x9b∅😀\ufffe", "\r\n", "\x1b[2J", "é̂"]
MARKS = [*"\"',()<>&\\{}[]:!.%*=", '""', "///", ";;"]
WORDS = [
    *("utterance", "phones", "phone", "start", "confidence", "#!MLF!#", "ooTextFile", "<exists>", "@End", "%pho:\t"),
    *('"*/u1.lab"', "null", "true", '"\\ud800"', '{"a": 1, "a": 2}', "[" * 3000, '{"a":' * 3000, "9" * 5000, "∅\t∅"),
    *('TIME_VALUE="1e5"', f'TIME_VALUE="{"9" * 400}"', "<TIER TIER_ID='x'/>", 'encoding="rot13"', "&#x1b;", "&x;"),
    *('<!DOCTYPE x [<!ENTITY y SYSTEM "file:///etc/hostname">]>', "<![CDATA[", "-->", "u1", "u2", "s1", "a1", "a2"),
]
TOKENS = [text.encode() for text in (*NUMBERS.split(), *LETTERS, *MARKS, *WORDS)]
TOKENS += [b"\xff", b"\xc2", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xff\xfe", b"\xfe\xff", b"\xff\xfe\0\0", b"\x80"]
ENCODINGS = ("utf-8", "utf-8-sig", "utf-16", "utf-16-be", "utf-32", "latin-1")
Edit = tuple[str, float, float, bytes]


def _insert(data: bytes, first: int, last: int, token: bytes) -> bytes:  # noqa: ARG001 - all edits are called alike
    return data[:first] + token + data[first:]


EDITS: Mapping[str, Callable[[bytes, int, int, bytes], bytes]] = {
    "insert": _insert,
    "replace": lambda data, first, last, token: data[:first] + token + data[last:],
    "cut out": lambda data, first, last, _: data[:first] + data[last:],
    "cut off": lambda data, first, _last, _token: data[:first],
    "repeat": lambda data, first, last, token: data[:last] + data[first:last] * (len(token) % 7) + data[last:],
    "line ends": lambda data, _first, last, _token: data.replace(b"\n", (b"\r", b"\r\n", b"\n\n", b"\n\r")[last % 4]),
    "write as": lambda data, first, _last, _token: data.decode("utf-8", "replace").encode(
        ENCODINGS[first % len(ENCODINGS)], "replace"
    ),
}


def mutated(data: bytes, edits: list[Edit]) -> bytes:
    """Return a file's bytes after edits, each between two places given as shares of the length."""
    for name, one, other, token in edits:
        first, last = sorted((int(one * len(data)), int(other * len(data))))
        data = EDITS[name](data, first, last, token)[:200_000]
    return data


_SHARES = st.floats(0, 1)
_EDIT = st.tuples(st.sampled_from(sorted(EDITS)), _SHARES, _SHARES, st.sampled_from(TOKENS))


@cache  # a strategy that is made anew for each example is validated anew, too
def files_like(seeds: tuple[bytes, ...]) -> st.SearchStrategy[bytes]:
    """Return a strategy of files: mutations of these, rows of hostile pieces, and any bytes."""
    mutations = st.builds(mutated, st.sampled_from(seeds), st.lists(_EDIT, min_size=1, max_size=5))
    pieces = st.lists(st.sampled_from([*TOKENS, b" ", b"\t", b"\n", b"a", *seeds[0].split()]), max_size=25).map(
        b"".join
    )
    return st.one_of(mutations, mutations, mutations, pieces, st.binary(max_size=60))


def check_consistent(read: Columns) -> None:
    """Fail when a transcript's parts do not fit together, or it holds what tables could not."""
    assert len(set(read.utterances)) == len(read.utterances) > 0
    assert read.offsets[0] == 0
    assert read.offsets[-1] == len(read.codes)
    assert (read.lengths >= 0).all()
    assert not len(read.codes) or 0 <= read.codes.min() <= read.codes.max() < read.size
    assert (read.start is None) == (read.end is None)
    assert read.start is None or read.end is None or (read.start <= read.end).all()
    assert read.confidence is None or ((read.confidence >= 0) & (read.confidence <= 1)).all()
    assert all(column is None or len(column) == len(read.codes) for column in (read.start, read.end, read.confidence))
    assert read.speakers is None or len(read.speakers) == len(read.utterances)
    names = [*read.utterances, *(read.speakers or ())]
    assert all(names)
    if isinstance(read, Transcript):
        assert len(set(read.symbols)) == len(read.symbols) == len(read.places)
        names += read.symbols
    assert not any(letter in name for name in names for letter in "\t\n\r\x00\x1b\x85")
    "".join(names).encode()  # no lone surrogates, which no file could hold


def check_message(error: Exception, listed: int) -> None:
    """Fail when a message could be taken for several, does things to a terminal, or has no end."""
    text = str(error)
    assert text
    assert all(letter.isprintable() or letter == "\n" for letter in text)
    assert len(text.splitlines()) <= listed
    assert len(text) <= (2000 if listed == 1 else 110_000)


def outcome(read: Callable[[], object], listed: int = 1) -> object:
    """Return what a reader returns, or None when it refuses the file with a documented error."""
    try:
        return read()
    except (DataError, ConfigurationError) as error:
        check_message(error, listed)
        return None


_COLUMNS: tuple[dict[str, str], ...] = (
    {"phones": "phone", "utterance": "speaker"},
    {"phones": "ref"},
    {"phones": "reference"},
    {"times": "start"},
)


def read_transcript(name: str, path: Path) -> None:
    """Read a file as one of a format, by all its ways; fail when what is read is not consistent."""
    for tier in (None, "p*") if "tier" in BUILT_IN[name].takes else (None,):
        read = outcome(
            lambda tier=tier: BUILT_IN[name].load(path, LoaderOptions(tier=tier, utterance="u", speaker="x"))
        )
        if isinstance(read, Transcript):
            check_consistent(read)
            check_consistent(complete_transcript(read))
    for columns in _COLUMNS if "columns" in BUILT_IN[name].takes else ():
        read = outcome(lambda columns=columns: BUILT_IN[name].load(path, LoaderOptions(columns)))
        if isinstance(read, Transcript):
            check_consistent(read)
    outcome(lambda: fields_of(path, name))


def read_guessed(path: Path) -> None:
    """Read a file of whatever format it seems to be."""
    if outcome(lambda: guess_format(path)) is not None:
        read = outcome(lambda: load_transcript(path))
        if isinstance(read, Transcript):
            check_consistent(read)


def _speakers(path: Path) -> None:
    for form in ("tsv", "csv"):
        found = outcome(lambda form=form: load_speakers(path, form=form), _LISTED)
        assert found is None or all(isinstance(name, str) for name in found.values())  # type: ignore[attr-defined]


_LISTED = 25  # lines of a message that lists problems
READERS: Mapping[str, Callable[[Path], object]] = {
    "speakers": _speakers,
    "symbol map": lambda path: outcome(lambda: load_symbol_map(path), _LISTED),
    "cost table": lambda path: outcome(lambda: load_cost_table(path), _LISTED),
    "gap costs": lambda path: outcome(lambda: load_gap_costs(path), _LISTED),
    "feature table": lambda path: outcome(lambda: load_features(path, "none"), _LISTED),
    "same phones": lambda path: outcome(lambda: load_same_phones(path), _LISTED),
}
assert set(READERS) == set(OTHERS)


def readers() -> dict[str, tuple[Callable[[Path], object], tuple[bytes, ...]]]:
    """Return, by name, everything that reads a file of text, and valid files for it."""
    found: dict[str, tuple[Callable[[Path], object], tuple[bytes, ...]]] = {
        name: (lambda path, name=name: read_transcript(name, path), seeds) for name, seeds in TRANSCRIPTS.items()
    }
    found["any format"] = (read_guessed, tuple(seeds[0] for seeds in TRANSCRIPTS.values()))
    return {**found, **{name: (READERS[name], seeds) for name, seeds in OTHERS.items()}}

"""Large files are read as bytes: the same as the careful reader reads them, and its errors where it has any."""

import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from support import symbols_by_utterance, write

from phonxling.core.errors import DataError
from phonxling.core.sequences import Transcript
from phonxling.load import tables
from phonxling.load.large import LARGE, load_large
from phonxling.load.tables import load_tsv

HEADER = "utterance\tphones\n"
SPOKEN = "utterance\tphones\tspeaker\n"
HEADERS = [
    HEADER,
    "\ufeff" + HEADER,
    "utterance\tphones\r\n",
    "phones\tutterance\n",
    "utterance\tremark\tphones\n",
    SPOKEN,
    "start\tutterance\tend\tphone\n",
]
LETTERS = ["a", "ɛ", "k͡p", "ᵻ", "’", "‿", "e̞ː˥˩", "i" * 9, "i" * 8 + "j", "u1", "u2", "\ufeff", "\u200b", "\U0001f600"]
ODD = "\x00\x0b\x0c\x1c\x1f\x7f\x80\x85\x9f\u00a0\u1680\u2000\u200a\u2028\u2029\u202f\u205f\u3000"
PIECES = [*LETTERS, *" \t\n\r", "\t", "\n", "\r\n", "\nu3\t", "\nu4\ta ", *ODD]
BROKEN = [b"\xff", b"\xc2", b"\xe2\x80", b"\xed\xa0\x80", b"\x80"]
SLOW = [HealthCheck.function_scoped_fixture, HealthCheck.too_slow]

words = st.lists(st.sampled_from(LETTERS), min_size=1, max_size=3).map("".join)
rows = st.lists(st.tuples(words, st.lists(words, max_size=5)), min_size=1, max_size=8, unique_by=lambda row: row[0])
text = st.lists(st.one_of(st.sampled_from(PIECES), words), max_size=30).map("".join)
data = st.lists(st.one_of(text.map(str.encode), st.sampled_from(BROKEN)), max_size=3).map(b"".join)


def outcome(path: Path, large: int) -> Transcript | str:
    try:
        return load_tsv(path, {}, large)
    except DataError as error:
        return str(error)


def same(one: Transcript | str, other: Transcript | str) -> bool:
    if isinstance(one, str) or isinstance(other, str):
        return one == other
    names = ("utterances", "symbols", "places", "source", "speakers")
    columns = ("offsets", "codes", "start", "end", "confidence")
    arrays = all(np.array_equal(getattr(one, name), getattr(other, name)) for name in columns)
    return arrays and all(getattr(one, name) == getattr(other, name) for name in names)


@pytest.mark.slow
@given(header=st.sampled_from(HEADERS), body=data)
@settings(max_examples=400, suppress_health_check=SLOW)
@example(header=HEADER, body=b"u1\t")
@example(header=HEADER, body=b"u1\ta\r")
@example(header=HEADER, body=b"u1\ta\r\r\n\r\n \t \nu2\t\r\n")
@example(header=HEADER, body=b"u1\ta\rb\n")
@example(header=HEADER, body=b"\xc2\xa0\t\n")
@example(header=HEADER, body=b"u\xff\ta\n")
@example(header=HEADER, body=b"u\ta\xff\n")
@example(header=HEADER, body=b"u1\ta\n\nu1\tb\n")
@example(header="utterance\tremark\tphones\n", body=b"u1\t\xff\ta\n")
@example(header="start\tutterance\tend\tphone\n", body=b"0\tu1\t0.5\ta\r\n \r\n0.5\tu1\t1\tb\r\n\n0\tu2\t1\ta\r")
@example(header="start\tutterance\tend\tphone\n", body=b"0\tu1\t0.5\ta b\n0.5\tu1\t1\t\n")
@example(header=SPOKEN, body=b"u1\ta\tx\nu2\ta b\ty z\nu3\t\tx\n")
@example(header=SPOKEN, body=b"u1\ta\t\nu2\ta\t\n")
@example(header=SPOKEN, body=b"u1\ta\tx\nu2\ta\t\n")
@example(header=SPOKEN, body=b"u1\ta\tx\xff\n")
@example(header=SPOKEN, body=b"u1\ta\tx\xc2\x85\n")
def test_any_bytes_give_what_the_careful_reader_gives(tmp_path: Path, header: str, body: bytes) -> None:
    path = tmp_path / "gold.tsv"
    path.write_bytes(header.encode() + body)
    assert same(outcome(path, 0), outcome(path, sys.maxsize))


@given(rows=rows, end=st.sampled_from(["\n", "\r\n"]), gap=st.sampled_from([" ", "  "]))
@settings(max_examples=100, suppress_health_check=SLOW)
def test_clean_files_are_read_as_bytes(tmp_path: Path, rows: list[tuple[str, list[str]]], end: str, gap: str) -> None:
    lines = [f"{utterance}\t{gap.join(symbols)}{end}" for utterance, symbols in rows]
    path = write(tmp_path / "gold.tsv", HEADER + "".join(lines))
    found = load_large(path, lambda header: {name: at for at, name in enumerate(header)}, 0)
    assert found is not None
    assert symbols_by_utterance(found) == dict(rows)
    assert same(found, outcome(path, sys.maxsize))


def test_speakers_are_read_as_bytes(tmp_path: Path) -> None:
    path = write(tmp_path / "gold.tsv", "speaker\tutterance\tphones\nÀnna b\tu1\ta b\r\nx\tu2\t\nÀnna b\tu3\ta\n")
    found = load_large(path, lambda header: {name: at for at, name in enumerate(header)}, 0)
    assert found is not None
    assert found.speakers == ("Ànna b", "x", "Ànna b")
    assert same(found, outcome(path, sys.maxsize))


fields = st.sampled_from(["0", "0.5", "1", " 1 ", "1e-1", "nan", "inf", "x", "", "-1", "0.30000000000000004"])
spans = st.sampled_from(["0\t0.5", "0.5\t0.5", "1\t2", "0.1\t0.30000000000000004"])
owners = st.sampled_from(["u1\tx", "u1\tx", "u1\tx", "u2\tx", "u2\ty", "u3\ty", "u4\tx", "u5\t", "\tx", "u\x7f\tx"])
heard = st.sampled_from(["a", "a", "a", " a", "ɛ", "", "b c", "k\x7f"])
clean = st.tuples(owners, spans, heard, st.just("0.5")).map("\t".join)
odd = st.tuples(owners, st.tuples(fields, fields).map("\t".join), heard, fields).map("\t".join)
INTERVALS = "utterance\tspeaker\tstart\tend\tphone\tconfidence\n"


@given(lines=st.lists(st.one_of(clean, clean, clean, clean, odd, st.sampled_from(["", "u1\tx\t0\t1"])), max_size=24))
@settings(max_examples=300, suppress_health_check=SLOW)
@example(lines=[f"u{number}\tx\t0\t1\ta\t0.5" for number in (1, 1, 2, 2, 2, 1)])
@example(lines=[f"u1\t{speaker}\t0\t1\ta\t0.5" for speaker in "xxxyx"])
@example(lines=["u1\tx\t0\t1\ta\t0.5", "", "u1\tx\t1\t2\ta\t1.5"])
def test_intervals_read_by_the_batch_are_those_read_by_the_row(tmp_path: Path, lines: list[str]) -> None:
    path = write(tmp_path / "gold.tsv", INTERVALS + "\n".join(lines))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tables, "_add_batch", lambda *_: False)
        slow = outcome(path, sys.maxsize)
    assert same(outcome(path, 0), slow)
    for size in (1, 2, 5, 4096):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(tables, "_AT_ONCE", size)
            assert same(outcome(path, sys.maxsize), slow)


@pytest.mark.slow
@given(
    times=st.lists(st.from_regex(r"[0-9]{1,8}(\.[0-9]{1,7})?", fullmatch=True), min_size=1, max_size=20),
    end=st.sampled_from(["\n", "\r\n", "\n\n"]),
)
@settings(max_examples=300, suppress_health_check=SLOW)
def test_times_read_as_bytes_are_those_of_python(tmp_path: Path, times: list[str], end: str) -> None:
    rows = [f"x {place // 3}\t{time}\ty\tu{place // 3}\t{time}\ta\t0.{place}" for place, time in enumerate(times)]
    header = "speaker\tend\tremark\tutterance\tstart\tphone\tconfidence\n"
    path = write(tmp_path / "gold.tsv", header + end.join(rows))
    found = load_large(path, lambda header: {name: at for at, name in enumerate(header) if name != "remark"}, 0)
    assert found is not None
    assert found.end is not None
    assert found.end.tolist() == [float(time) for time in times]
    assert same(found, outcome(path, sys.maxsize))


def test_one_column_may_be_both_times(tmp_path: Path) -> None:
    path = write(tmp_path / "gold.tsv", "utterance\tt\tphone\nu1\t0.5\ta\nu1\t1.5\tb\n")
    read = load_tsv(path, {"start": "t", "end": "t"}, 0)
    assert read.start is not None
    assert read.end is not None
    assert read.start.tolist() == read.end.tolist() == [0.5, 1.5]


@pytest.mark.parametrize("number", [180, 181, 2048, 2049])
def test_any_number_of_symbols(tmp_path: Path, number: int) -> None:
    symbols = [f"s{code}" * (1 + code % 4) for code in range(number)]
    path = write(tmp_path / "gold.tsv", f"{HEADER}u1\t{' '.join(symbols)}\nu2\t{' '.join(symbols[::-1])}\n")
    assert symbols_by_utterance(load_tsv(path, {}, 0)) == {"u1": symbols, "u2": symbols[::-1]}
    assert same(outcome(path, 0), outcome(path, sys.maxsize))


@pytest.mark.slow
def test_a_file_above_the_size_is_read_whole(tmp_path: Path) -> None:
    codes = np.random.default_rng(0).integers(0, 3, (60_000, 30))
    rows = [f"u{number}\t{' '.join('aɛs'[code] for code in row)}\n" for number, row in enumerate(codes.tolist())]
    path = write(tmp_path / "gold.tsv", HEADER + "".join(rows))
    assert path.stat().st_size >= LARGE
    read = load_tsv(path, {})
    wanted = np.array([read.symbols.index(symbol) for symbol in "aɛs"])[codes]
    assert np.array_equal(read.codes.reshape(codes.shape), wanted)
    assert read.utterances[-1] == "u59999"


def test_a_large_file_with_an_error_names_its_line(tmp_path: Path) -> None:
    rows = "".join(f"u{number}\t{'a b ' * 40}\n" for number in range(30_000))
    path = write(tmp_path / "gold.tsv", f"{HEADER}{rows}u7\ta\n")
    with pytest.raises(DataError, match=r":30002: utterance 'u7' occurs again \(first at line 9\)"):
        load_tsv(path, {})

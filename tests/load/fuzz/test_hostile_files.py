"""Files that once crashed, hung or misled a reader, and any bytes: a value that fits together, or one clear line."""

import os
import socket
import struct
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from fuzzing import files_like, readers
from hypothesis import HealthCheck, given, settings, strategies as st
from running import python
from support import error_of, more, write
from valid_files import TRANSCRIPTS

from phonxling.core.errors import DataError
from phonxling.load.building import LoaderOptions
from phonxling.load.formats import BUILT_IN, load_transcript
from phonxling.load.resources import load_cost_table, load_features, load_same_phones, load_speakers, load_symbol_map

EAF = TRANSCRIPTS["eaf"][0].decode()
GRID = TRANSCRIPTS["textgrid"][0].decode()
MANY = 200_000  # of whatever once took time with the square of its number: these would not end


def refused(read: Callable[[], object]) -> str:
    text = error_of(DataError, read)
    assert "\n" not in text
    assert text.isprintable()
    assert len(text) < 2000
    return text


def refused_text(path: Path, text: str, form: str | None = None) -> str:
    return refused(lambda: load_transcript(write(path, text), form))


TABLES = [load_transcript, load_symbol_map, load_cost_table, load_same_phones, load_features, load_speakers]


@pytest.mark.parametrize("read", TABLES)
def test_a_pipe_a_socket_and_a_device_are_refused_at_once(
    tmp_path: Path, read: Callable[[Path], object], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # a socket's name must be short
    os.mkfifo("pipe.tsv")
    with socket.socket(socket.AF_UNIX) as bound:
        bound.bind("socket.tsv")
        assert "it is a pipe; write what it gives into a file first" in refused(lambda: read(Path("pipe.tsv")))
        assert "it is a socket" in refused(lambda: read(Path("socket.tsv")))
    zero = tmp_path / "zero.tsv"
    zero.symlink_to("/dev/zero")
    assert "it is a device" in refused(lambda: read(zero))


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("x.trn", " " * MANY + "x\n"),
        ("x.TextGrid", GRID.replace("1.5", "9" * MANY + "x", 1)),
        ("x.cha", "@UTF8\n*CHI:\ta\n%pho:\ta\n" + "\tb\n" * MANY),
        ("x.eaf", EAF.replace("<ANNOTATION_VALUE>a<", f"<ANNOTATION_VALUE>{'a&amp;' * MANY}<")),
        ("x.csv", 'utterance,phones\nu,"' + "a " * MANY),
        ("x.jsonl", '{"id": "u", "phones": ' + "[" * MANY),
    ],
    ids=lambda value: value[:40].strip() if "." not in value else value,
)
def test_what_has_no_end_is_refused_in_time_that_grows_with_its_size(tmp_path: Path, name: str, text: str) -> None:
    refused(lambda: load_transcript(write(tmp_path / name, text), tier="phones" if name[-3:] in "eaf Grid" else None))


@pytest.mark.slow
def test_many_annotations_of_one_parent_are_read_in_time_that_grows_with_their_number(tmp_path: Path) -> None:
    one = '<ANNOTATION><REF_ANNOTATION ANNOTATION_ID="r{}" ANNOTATION_REF="a1"><ANNOTATION_VALUE>a</ANNOTATION_VALUE>'
    many = "".join(one.format(number) + "</REF_ANNOTATION></ANNOTATION>" for number in range(30_000))
    path = write(tmp_path / "u.eaf", EAF.replace('PARENT_REF="words">', f'PARENT_REF="words">{many}'))
    assert load_transcript(path, tier="phones").lengths.tolist() == [30_002]


def test_a_line_of_the_length_of_a_file(tmp_path: Path) -> None:
    text = "a " * 9_000_000
    for name, begin in (("x.tsv", "utterance\tphones\nu\t"), ("x.csv", "utterance,phones\nu,"), ("text", "u ")):
        said = refused_text(tmp_path / name, begin + text, None)
        assert "a line of 18,000,0" in said
        assert "more than the 16,777,216 that one may have" in said


LAUGHS = "".join(f'<!ENTITY a{n} "{f"&a{n - 1};" * 10}">' for n in range(1, 20))


@pytest.mark.parametrize(
    "doctype",
    [
        f'<!DOCTYPE x [<!ENTITY a0 "ha">{LAUGHS}]>',
        '<!DOCTYPE x [<!ENTITY a19 SYSTEM "file:///etc/passwd">]>',
    ],
    ids=["laughs", "file"],
)
def test_entities_are_neither_unpacked_nor_fetched(tmp_path: Path, doctype: str) -> None:
    path = write(tmp_path / "x.eaf", EAF.replace("\n", f"\n{doctype}\n", 1).replace(">a<", ">&a19;<"))
    assert "has a document type of its own" in refused(lambda: load_transcript(path, tier="phones"))


def test_a_letter_with_marks_without_end(tmp_path: Path) -> None:
    marks = "a" + "\u0323\u0301" * 4_000
    assert "more than 100 marks in a row" in refused_text(tmp_path / "x.tsv", f"utterance\tphones\nu\t{marks}\n")
    path = write(tmp_path / "map.tsv", f"{'x' * 20_000}\ta\n")
    assert "longer than the 10,000 letters" in refused(lambda: load_symbol_map(path))


def test_messages_show_a_hostile_header_on_one_line(tmp_path: Path) -> None:
    header = '"\x1b]0;owned\x07\nerror: all is well","\u202e",' + ",".join(f"c{number}" for number in range(2_000))
    said = refused_text(tmp_path / "x.csv", f"{header}\n", "csv")
    assert r"\x1b]0;owned\x07\nerror: all is well, \u202e, c0, c1" in said
    tiers = GRID.replace('"bells"', '"\x1b[2J\nbells"')
    assert r"'\x1b[2J\nbells'" in refused_text(tmp_path / "x.TextGrid", tiers)


def test_thousands_of_wrong_rows_are_counted(tmp_path: Path) -> None:
    path = write(tmp_path / "costs.tsv", "gold\tpredicted\tcost\n" + "x\n" * 2_000)
    with pytest.raises(DataError, match="2000 rows of the table of costs cannot be used") as caught:
        load_cost_table(path)
    assert str(caught.value).endswith("… and 1990 more")


def test_a_text_that_all_rows_of_a_parquet_share(tmp_path: Path) -> None:
    shared = pa.DictionaryArray.from_arrays(pa.array([0] * 300, pa.int32()), pa.array(["a " * 250_000]))
    table = pa.table({"utterance": [f"u{number}" for number in range(300)], "phones": shared})
    pq.write_table(table, tmp_path / "x.parquet", compression="zstd", store_schema=False)
    assert (tmp_path / "x.parquet").stat().st_size < 20_000  # and 150 MB unpacked
    assert "unpacks to more than 0.07 GB" in refused(lambda: load_transcript(tmp_path / "x.parquet"))


def test_a_parquet_whose_statistics_contradict_its_schema_does_not_end_the_process(tmp_path: Path) -> None:
    path = tmp_path / "x.parquet"
    pq.write_table(pa.table({"id": ["u"], "phones": ["a"]}), path)
    data = path.read_bytes()
    length = struct.unpack("<I", data[-8:-4])[0]
    footer = data[-8 - length : -8].replace(b"\x26\x00\x02", b"\x16\x02")  # two counts of levels become one
    path.write_bytes(data[: -8 - length] + footer + struct.pack("<I", len(footer)) + b"PAR1")
    read = "import sys, pathlib, phonxling.load.formats as formats; formats.load_transcript(pathlib.Path(sys.argv[1]))"
    done = python("-c", read, str(path))  # the library ends the process when it is asked for a column's size
    assert done.returncode == 1
    assert "no readable Parquet table: Definition level histogram size mismatch" in done.stderr


READERS = readers()


@pytest.mark.parametrize("name", TRANSCRIPTS)
def test_the_files_that_are_mutated_are_valid(name: str, tmp_path: Path) -> None:
    for number, data in enumerate(TRANSCRIPTS[name]):
        path = tmp_path / str(number)
        path.write_bytes(data)
        tier = "p*" if "tier" in BUILT_IN[name].takes else None
        assert len(BUILT_IN[name].load(path, LoaderOptions(tier=tier, utterance="u", side="gold")))


@pytest.mark.parametrize("name", READERS)
@settings(more(3), derandomize=True, database=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(draw=st.data())
def test_any_bytes_give_a_value_or_a_documented_error(name: str, draw: st.DataObject, tmp_path: Path) -> None:
    read, seeds = READERS[name]
    path = tmp_path / "fuzzed"
    path.write_bytes(draw.draw(files_like(seeds)))
    read(path)
    assert list(tmp_path.iterdir()) == [path]

"""JSON lines and Parquet: rows with lists, and with records within, as Hugging Face's datasets export them."""

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings, strategies as st
from made_tables import save_rows
from pyarrow import parquet as pq
from support import refusal, symbols_by_utterance, times_of, write

from phonxling.load.formats import load_transcript

BOTH = pytest.mark.parametrize("name", ["x.jsonl", "x.parquet"])


@BOTH
@pytest.mark.parametrize("phones", ["a k͡p  NA", ["a", "k͡p", "NA"]])
def test_a_text_or_a_list(tmp_path: Path, name: str, phones: object) -> None:
    empty = type(phones)()
    rows = [{"id": 7, "phones": phones, "speaker": "anna", "audio": "x"}, {"id": 8, "phones": empty, "speaker": "ben"}]
    path = save_rows(tmp_path / name, rows)
    read = load_transcript(path)
    assert symbols_by_utterance(read) == {"7": ["a", "k͡p", "NA"], "8": []}
    assert read.speakers == ("anna", "ben")
    assert read.start is None
    assert read.places == (f"{path}:1",) * 3


INTERVALS = [{"phone": "a b", "start": 0, "end": 0.5}, {"phone": "", "start": 0.5, "end": 0.75}]
TURNED = {"phone": ["a b", ""], "start": [0, 0.5], "end": [0.5, 0.75]}


@BOTH
@pytest.mark.parametrize(
    "row",
    [
        {"utterance": "u", "phones": INTERVALS},
        {"utterance": "u", "phones": TURNED},
        {"utterance": "u", "phones": ["a b", ""], "start": [0, 0.5], "end": [0.5, 0.75]},
    ],
)
def test_intervals_of_an_utterance(tmp_path: Path, name: str, row: dict[str, Any]) -> None:
    read = load_transcript(save_rows(tmp_path / name, [row, {**row, "utterance": "v"}]))
    assert symbols_by_utterance(read) == {"u": ["a b", ""], "v": ["a b", ""]}  # what is separate is never cut again
    assert times_of(read) == [(0, 0.5), (0.5, 0.75)] * 2


@BOTH
def test_other_names_within_records_too(tmp_path: Path, name: str) -> None:
    detail = {"start": [0.0, 1.0], "stop": [1.0, 2.0], "utterance": ["a", "b"], "score": [1.0, 0.5]}
    rows = [{"file": "f1", "phonetic_detail": detail, "who": "anna"}]
    names = {"utterance": "file", "phones": "phonetic_detail", "phone": "utterance", "end": "stop", "speaker": "who"}
    read = load_transcript(save_rows(tmp_path / name, rows), columns={**names, "confidence": "score"})
    assert symbols_by_utterance(read) == {"f1": ["a", "b"]}
    assert (read.confidence.tolist(), read.end.tolist(), read.speakers) == ([1, 0.5], [1, 2], ("anna",))


@BOTH
@pytest.mark.parametrize(
    ("row", "complaint"),
    [
        ({"id": "u", "score": 1}, "no column phones; the table has: "),
        ({"id": "u", "phones": None}, ":1: phones must be a text or a list"),
        ({"id": 1.5, "phones": "a"}, ":1: id must be a text or a whole number, not float '1.5'"),
        ({"id": "u", "phones": ["a"], "start": [0], "end": [1, 2]}, ":1: lists of one utterance differ in lengt"),
    ],
)
def test_what_is_wrong_with_rows(tmp_path: Path, name: str, row: dict[str, Any], complaint: str) -> None:
    assert complaint in refusal(load_transcript, save_rows(tmp_path / name, [row]))


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ('{"id": "u", "phones": "a"}\n{"id": "v", "pho', ":2: no JSON object: "),
        ('{"id": "u", "id": "v", "phones": "a"}', ":1: no JSON object: a key occurs twice: id"),
        ('{"id": "u", "phones": "a"}\n{"id": "v", "phones": ["b"], "start": [0], "end": [1]}', ": 1 of 2 phones have"),
    ],
)
def test_what_is_wrong_with_lines(tmp_path: Path, text: str, complaint: str) -> None:
    path = write(tmp_path / "x.jsonl", text)
    assert refusal(load_transcript, path).startswith(complaint)


SPANS = st.lists(st.tuples(st.sampled_from(["a", "ɛ̃́", "", "NA", "a b"]), st.integers(0, 99)), max_size=5)


@settings(max_examples=25)
@given(corpus=st.dictionaries(st.text("abé0_-", min_size=1), SPANS, min_size=1, max_size=5))
def test_what_pyarrow_writes_comes_back(corpus: dict[str, list[tuple[str, int]]]) -> None:
    rows = [
        {"utterance": name, "phones": [{"phone": phone, "start": at / 4, "end": at / 4 + 1} for phone, at in spans]}
        for name, spans in corpus.items()
    ]
    corpus = {name: sorted(spans, key=lambda span: span[1]) for name, spans in corpus.items()}
    with TemporaryDirectory() as folder:
        reads = [load_transcript(save_rows(Path(folder) / name, rows)) for name in ("x.jsonl", "x.parquet")]
    for read in reads:
        assert symbols_by_utterance(read) == {name: [phone for phone, _ in spans] for name, spans in corpus.items()}
        starts = [at / 4 for spans in corpus.values() for _, at in spans]
        assert (read.start.tolist() if read.start is not None else []) == starts


def test_other_types_of_text_and_many_rows(tmp_path: Path) -> None:
    names = [f"u{number}" for number in range(1000)]
    phones = pa.array([["a", "b"]] * 1000, pa.large_list(pa.large_string()))
    table = pa.table({"utterance": pa.array(names).dictionary_encode(), "phones": phones, "audio": [b"\0" * 10] * 1000})
    pq.write_table(table, tmp_path / "x.parquet", row_group_size=300)
    read = load_transcript(tmp_path / "x.parquet")
    assert read.utterances == tuple(names)
    assert read.places == (f"{tmp_path / 'x.parquet'}:1",) * 2
    assert set(read.lengths.tolist()) == {2}

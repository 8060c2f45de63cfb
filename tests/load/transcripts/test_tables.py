"""TSV and CSV: what is read, and what is refused."""

import json
from pathlib import Path

import pytest
from hypothesis import given, settings, strategies as st
from support import refusal, symbols_by_utterance, times_of, write

from phonxling.load.building import TranscriptBuilder, encode_texts
from phonxling.load.formats import fields_of, load_transcript
from phonxling.load.tables import phones_of

ROWS = "utterance\tphones\n"
INTERVALS = "utterance\tstart\tend\tphone\n"
SCORED = "utterance\tstart\tend\tphone\tconfidence\tspeaker\n"


SHAPES = "utterance\tphones\nu1\tk a t\nu2\td o g\n"
EXPECTED = {"u1": ["k", "a", "t"], "u2": ["d", "o", "g"]}


def test_a_row_an_utterance(tmp_path: Path) -> None:
    path = write(tmp_path / "gold.tsv", "utterance\tphones\tspeaker\nu2\tk͡p a  b\tanna\nu1\t\tben\n")
    read = load_transcript(path)
    assert symbols_by_utterance(read) == {"u2": ["k͡p", "a", "b"], "u1": []}
    assert read.utterances == ("u2", "u1")
    assert read.speakers == ("anna", "ben")
    assert read.start is read.end is read.confidence is None
    assert read.source == str(path)
    assert read.symbols == ("k͡p", "a", "b")
    assert read.places == (f"{path}:2",) * 3


TOKENS = st.sampled_from(
    ["a", "ɛ̃", "t͡ʃʷː", "t͡ʃʰː", "b<", "/a/", "<pr>", "\u00a0", "\x1f", "\u3000x", "k" * 8, "k" * 9, ""]
)


@settings(max_examples=60)
@given(rows=st.lists(st.lists(TOKENS, max_size=6).map(" ".join), min_size=1, max_size=8), seed=st.integers(0, 3))
def test_columns_are_coded_at_once_as_row_by_row(rows: list[str], seed: int) -> None:
    ids = [f" u{number}" for number in range(len(rows))]
    for split in (str.split, phones_of):
        one, other = TranscriptBuilder("x"), TranscriptBuilder("x")
        for start, end in ((0, min(seed, len(rows))), (seed, len(rows))):
            one.add_texts(range(start, end), ids[start:end], rows[start:end], split=split)
        for line, (name, row) in enumerate(zip(ids, rows, strict=True)):
            other.add_utterance(name, split(row), line)
        first, second = one.finish(), other.finish()
        assert (first.utterances, first.symbols, first.places) == (second.utterances, second.symbols, second.places)
        assert (first.codes.tolist(), first.offsets.tolist()) == (second.codes.tolist(), second.offsets.tolist())


@pytest.mark.parametrize("bits", [1, 2, 20])
def test_symbols_that_share_a_slot_stay_apart(bits: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("phonxling.load.building._HASH_BITS", bits)
    codes, lengths, symbols = encode_texts(["a b c d", "", "d c e a"])
    assert (codes.tolist(), lengths.tolist()) == ([0, 1, 2, 3, 3, 2, 4, 0], [4, 0, 4])
    assert symbols == {"a": 0, "b": 0, "c": 0, "d": 0, "e": 2}
    assert encode_texts(["a", "a\0"]) is encode_texts(["a\nb"]) is encode_texts(["a\u2003b"]) is None


@pytest.mark.parametrize("cell", ["NA", "nan", "NaN", "null", "None", '"a', '"', "1", "#", "''"])
def test_cells_stay_text(tmp_path: Path, cell: str) -> None:
    rows = load_transcript(write(tmp_path / "rows.tsv", f"{ROWS}u1\ta {cell} b\n{cell}\t{cell}\n"))
    assert symbols_by_utterance(rows) == {"u1": ["a", cell, "b"], cell: [cell]}
    intervals = load_transcript(write(tmp_path / "intervals.tsv", f"{INTERVALS}u1\t0\t1\t{cell}\nu1\t1\t2\tb\n"))
    assert symbols_by_utterance(intervals) == {"u1": [cell, "b"]}


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("x.tsv", INTERVALS + "u1\t0\t1\t\nu1\t1\t2\ta\n", {"u1": ["", "a"]}),  # an empty label is a symbol
        ("x.tsv", ROWS + "u1\ta", {"u1": ["a"]}),
        ("x.csv", 'utterance,phones\n"u,1","a ""b"""\nu2,NA nan\nu3,"c\nd"\n',
         {"u,1": ["a", '"b"'], "u2": ["NA", "nan"], "u3": ["c", "d"]}),
        ("x.csv", "utterance,phones,remark\nu1,a b,x\u2028y\u0085z\nu2,c,\n", {"u1": ["a", "b"], "u2": ["c"]}),
        ("x.tsv", SHAPES.replace("utterance", "id"), EXPECTED),
        ("x.csv", ",utterance,phones\n0,u1,k a t\n1,u2,d o g\n", EXPECTED),  # the index of pandas
    ],
)  # fmt: skip
def test_what_is_read(tmp_path: Path, name: str, text: str, expected: dict[str, list[str]]) -> None:
    assert symbols_by_utterance(load_transcript(write(tmp_path / name, text))) == expected


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        (ROWS + "u1\ta\nu2\tb\tc\n", ":3: 3 cells, but the header has 2"),
        (ROWS + "u1\ta\n\nu2\tb\nu1\tc\n", ":5: utterance 'u1' occurs again (first at line 2)"),
        (INTERVALS + "u1\t0\t1\ta\nu1\t2\t1\ta\n", ":3: an interval must not end (1) before it starts (2)"),
        (INTERVALS + "u1\tzero\t1\ta\n", ":2: start is not a number: 'zero'"),
        (SCORED + "u1\t0\t1\ta\t1.01\tx\n", ":2: the confidence 1.01 lies outside 0 … 1"),
        (ROWS + "u\x07\ta\n", ":2: the utterance id 'u\\x07' holds"),
        ("utterance\tphones\tphones\nu1\ta\tb\n", ":1: a column name occurs twice: utterance, phones, phones"),
        (
            INTERVALS + "u1\t\t\t\nu1\t0\t1\ta\n",
            ":2: a row without a phone, though the utterance has others; leave it out, or write <eps>",
        ),
        ("utterance phones\nu1 k a t\n", ":1: the first line, 'utterance phones', is one column"),
        ("u1\tk a\n", ":1: no header: the first line is 'u1, k a'. If it names the columns, call"),
        (ROWS + "u1\ta\t\nu2\tb\t\n", ":2: 3 cells, but the header has 2 (and 1 more such row); its last cells are"),
        ("sep=;\nutterance;phones\nu1;a\n", ":1: the first line, sep=…, is a mark for Excel; remove it"),
        (ROWS + "u1\ta\n" + ROWS + "u2\tb\n", ":3: the header stands here again, as where tables were put one after"),
        (SCORED + "u1\t0\t1\ta\t\tx\nu1\t1\t2\ta\t0.5\tx\n", ": 1 of 2 intervals have a confidence; give all or none"),
        (ROWS + 'u1\t"k a"\nu2\t"p a"\n', ":2: cells are in quotes, which are part of them in a TSV"),
        ('"utterance"\t"phones"\n"u1"\t"a"\n', ":1: cells are in quotes, which are part of them in a TSV"),
        ("utterance,phones\nu1,\"['k', 'a']\"\n", ":2: a list of Python, not phones with spaces between them"),
        ("utterance;start;end;phone\nu1;0,5;1;a\n", ":2: start is not a number: '0,5'; write a point for the"),
        ('utterance,phones\nu1,"a b\n', ":2: not CSV"),
        ("", ": the file is empty"),
    ],
)
def test_what_is_wrong_is_named_with_its_line(tmp_path: Path, text: str, complaint: str) -> None:
    name = "gold.csv" if text.startswith(("utterance,", "utterance;", "sep=")) else "gold.tsv"
    assert refusal(load_transcript, write(tmp_path / name, text)).startswith(complaint)


@pytest.mark.parametrize("ends", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
@pytest.mark.parametrize(("name", "separator"), [(each, mark) for each in ("x.tsv", "x.csv", "x") for mark in "\t,;"])
def test_line_ends_byte_order_marks_and_separators(
    tmp_path: Path, ends: str, mark: str, name: str, separator: str
) -> None:
    text = mark + SHAPES.replace("\t", separator).replace("\n", ends)
    assert symbols_by_utterance(load_transcript(write(tmp_path / name, text))) == EXPECTED


@pytest.mark.parametrize("mark", ["\t", ",", ";"])
@pytest.mark.parametrize("begin", ["", "\ufeff"])
@pytest.mark.parametrize("ids", ["rec01 rec02 rec03", "1 2 3", "spk1_utt001 spk1_utt002 spk2_utt001", "anna ben cleo"])
def test_a_table_without_a_header_loses_no_row(tmp_path: Path, mark: str, begin: str, ids: str) -> None:
    phones = ["i o a k", "o a", "k i a"]
    text = "".join(f"{name}{mark}{each}\n" for name, each in zip(ids.split(), phones, strict=True))
    path = write(tmp_path / ("x.tsv" if mark == "\t" else "x.csv"), begin + text)
    read = load_transcript(path)
    assert symbols_by_utterance(read) == dict(zip(ids.split(), map(str.split, phones), strict=True))
    where = "ids from column 1, phones from column 2"
    assert read.notes == (f"the first line is an utterance, not a header, so columns are read by position: {where}",)
    assert fields_of(path) == []


@pytest.mark.parametrize(
    ("text", "side", "expected"),
    [
        ("kode\tlyder\nu1\tk a t\nu2\tt a k\nu3\ta k\n", "gold", ["k a t", "t a k", "a k"]),  # by the cells
        ("u1\tanna\tk a t\nu2\tanna\tt a k\n", "gold", ["k a t", "t a k"]),  # a speaker is neither
        ("u1\tkæt\nu2\tdɔɡ\n", "gold", ["kæt", "dɔɡ"]),
        ("utt\thuman\tasr\nu1\tk a\tk\nu2\ta\ta k\n", "gold", ["k a", "a"]),
        ("file\tipa\tbuckeye_transcript\nu1\tk æ\tk ae\nu2\tæ\tae\n", "gold", ["k æ", "æ"]),
        ("utt\tbegin\tend\tlabel\nu1\t0\t1\ta\nu1\t1\t2\tb\nu2\t0\t1\tc\n", "gold", ["a b", "c"]),
        ("n\tbegin\tend\tlabel\n1\t0\t1\ta\n2\t1\t2\tb\n", "gold", ["a b"]),  # n numbers the rows
        ("id\tphone\nu1\ta b\nu2\tb\n", "gold", ["a b", "b"]),
        ("id\tphones\thyp\nu1\ta b\tc\nu2\tb\td\n", "predicted", ["c", "d"]),  # phones are gold's then
        ("fichier\tréférence\thypothèse\na.wav\tk a\tk\nb.wav\ta k\ta\n", "gold", ["k a", "a k"]),
    ],
)
def test_columns_are_recognised(tmp_path: Path, text: str, side: str, expected: list[str]) -> None:
    read = load_transcript(write(tmp_path / "x.tsv", text), side=side)
    assert [" ".join(phones) for phones in symbols_by_utterance(read).values()] == expected
    assert len(read.notes) == 1 + text.startswith("n\t") - (side in text)  # a column called as the side is no guess


def test_a_column_is_never_both_ids_and_phones(tmp_path: Path) -> None:
    matrix = "gold\tp\tt\np\t3\t1\nt\t0\t2\nk\t1\t1\n"
    assert "no column utterance" in refusal(load_transcript, write(tmp_path / "x.tsv", matrix), side="gold")
    both = {"utterance": "gold", "phones": "gold"}
    assert "both ids and phones" in refusal(load_transcript, tmp_path / "x.tsv", columns=both)


@pytest.mark.parametrize("name", ["phones", "phone", "label"])
def test_a_row_may_be_one_phone_without_times(tmp_path: Path, name: str) -> None:
    rows = [("u1", phone) for phone in "kat"] + [("u2", phone) for phone in "taka"]
    text = "".join(f"{utterance}\t{phone} \n" for utterance, phone in rows)
    read = load_transcript(write(tmp_path / "x.tsv", f"utterance\t{name}\n{text}"))
    assert symbols_by_utterance(read) == {"u1": [*"kat"], "u2": [*"taka"]}
    assert read.start is None
    assert "each row is one phone, without times" in read.notes[-1]
    apart = "".join(f"{utterance}\t{phone}\n" for utterance, phone in rows[::2] + rows[1::2])
    assert refusal(load_transcript, write(tmp_path / "x.tsv", f"utterance\t{name}\n{apart}"))


@pytest.mark.parametrize("around", ["[]", "//", "⟨⟩", "[ ]"])
def test_brackets_around_utterances_are_left_out(tmp_path: Path, around: str) -> None:
    left, right = around[0] + around[1:-1], around[1:-1] + around[-1]
    path = write(tmp_path / "x.txt", f"u1 {left}k a t{right}\nu2 {left}a{right}\n")
    read = load_transcript(path, "kaldi-text")
    assert symbols_by_utterance(read) == {"u1": [*"kat"], "u2": ["a"]}
    path.write_text("u1 [sil] k a [sil]\nu2 a [sil]\n", encoding="utf-8")
    assert symbols_by_utterance(load_transcript(path, "kaldi-text"))["u1"] == ["[sil]", "k", "a", "[sil]"]


def test_a_table_an_utterance_is_called_as_its_file(tmp_path: Path) -> None:
    write(tmp_path / "data" / "u1.csv", "begin,end,phone\n0,0.1,k\n0.1,0.2,a\n")
    write(tmp_path / "data" / "s1" / "u2.csv", "begin,end,phone\n0,0.1,k\n")
    read = load_transcript(tmp_path / "data")
    assert symbols_by_utterance(read) == {"s1_u2": ["k"], "u1": ["k", "a"]}
    assert "the table has no ids, so that it is one utterance, named by its file" in read.notes
    several = write(tmp_path / "x.csv", "start,end,phone\n0,1,k\n1,2,a\n0,1,k\n")  # the times begin again
    assert "no column utterance" in refusal(load_transcript, several)


@pytest.mark.parametrize("form", ["tsv", "jsonl"])
def test_rows_without_an_id_are_told_of_with_their_lines(tmp_path: Path, form: str) -> None:
    cells = [("u1", "a"), ("", "b"), (" ", "c"), ("u2", "d"), ("", "e")]
    text = ROWS + "".join(f"{name}\t{phones}\n" for name, phones in cells)
    if form == "jsonl":
        text = "\n" + "".join(json.dumps({"id": name or None, "phones": phones}) + "\n" for name, phones in cells)
    complaint = refusal(load_transcript, write(tmp_path / f"x.{form}", text))
    assert complaint == ":3: the utterance id is empty, as in 2 more lines: 4, 6"


def test_ids_and_speakers_are_trimmed(tmp_path: Path) -> None:
    rows = "u1 \t0\t1\ta\t1\t anna\nu1\t1\t2\tb\t1\tanna \n"
    read = load_transcript(write(tmp_path / "x.tsv", SCORED + rows))
    assert (symbols_by_utterance(read), read.speakers) == ({"u1": ["a", "b"]}, ("anna",))


def test_ragged_rows_are_counted_beyond_the_rows_that_are_read_at_once(tmp_path: Path) -> None:
    rows = "".join(f"u{number}\ta\n" for number in range(5000)) + "v1\ta\tb\nv2\n"
    path = write(tmp_path / "x.tsv", "utterance\tphones\nw\ta\tb\tc\n" + rows)
    assert refusal(load_transcript, path).startswith(":2: 4 cells, but the header has 2 (and 2 more such rows);")


@pytest.mark.parametrize("form", ["tsv", "jsonl"])
def test_times_of_all_phones_in_one_cell(tmp_path: Path, form: str) -> None:
    cells = "0.156-0.240 0.240-0.390"
    texts = {
        "tsv": f"utt\tipa\twhen\nu1\ti p\t{cells}\nu2\t\t\n",
        "jsonl": f'{{"utt": "u1", "ipa": ["i", "p"], "when": "{cells}"}}\n{{"utt": "u2", "ipa": "", "when": ""}}\n',
    }
    path = write(tmp_path / "x", texts[form])
    columns = {"utterance": "utt", "phones": "ipa", "times": "when"}
    assert times_of(load_transcript(path, form, columns)) == [(0.156, 0.24), (0.24, 0.39)]
    assert symbols_by_utterance(load_transcript(path, form, columns)) == {"u1": ["i", "p"], "u2": []}
    pairs = write(tmp_path / "y.jsonl", '{"id": "u1", "phones": "i p", "when": [[0.5, 1], [1, 2.5]]}\n')
    assert times_of(load_transcript(pairs, columns={"times": "when"})) == [(0.5, 1), (1, 2.5)]


@pytest.mark.parametrize(
    ("cell", "complaint"),
    [
        ("0.1-0.2", ":2: 2 phones, but 1 times; each phone needs its start-end"),
        ("0.1-0.2 0.2", ":2: not the times of a phone: '0.2'; write start-end in seconds: 0.1-0.2"),
    ],
)
def test_what_is_wrong_with_times_in_one_cell(tmp_path: Path, cell: str, complaint: str) -> None:
    path = write(tmp_path / "x.tsv", f"utterance\tphones\tt\nu1\ta b\t{cell}\n")
    assert refusal(load_transcript, path, columns={"times": "t"}).startswith(complaint)


def test_an_utterance_may_have_no_interval(tmp_path: Path) -> None:
    rows = [SCORED.strip(), "u1\t0\t1\ta\t0.5\ts", "u2\t\t\t\t\tt", "u3\t1\t2\tb\t0.25\ts"]
    read = load_transcript(write(tmp_path / "x.tsv", "\n".join(rows)))
    assert symbols_by_utterance(read) == {"u1": ["a"], "u2": [], "u3": ["b"]}
    assert read.speakers == ("s", "t", "s")
    assert read.confidence.tolist() == [0.5, 0.25]


def test_a_file_of_such_utterances_alone_joins_others(tmp_path: Path) -> None:
    write(tmp_path / "data" / "x.tsv", f"{INTERVALS}u1\t\t\t\n")
    write(tmp_path / "data" / "y.tsv", f"{INTERVALS}u2\t0\t1\ta\n")
    read = load_transcript(tmp_path / "data")
    assert (symbols_by_utterance(read), times_of(read)) == ({"u1": [], "u2": ["a"]}, [(0, 1)])

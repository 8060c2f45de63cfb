"""Files that hold gold and predicted phones: reports of scoring tools, JSON of inference, tables with both columns."""

import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from made_tables import KINDS, save_rows
from support import refusal, symbols_by_utterance, write

from phonxling.core.errors import DataError
from phonxling.load.columns import choose_columns
from phonxling.load.formats import fields_of, guess_format, load_transcript

PER_UTT = """s1-u1 ref  k  ***  ae   t
s1-u1 hyp  k    a  ***  d
s1-u1 op   C    I    D  S
s1-u1 #csid 1 1 1 1
s1-u2 ref
s1-u2 hyp
s1-u2 op
s1-u2 #csid 0 0 0 0
"""
RECOGS = """s1-u1:\tref=['k', 'ae', 't']
s1-u1:\thyp=['k', 'a', 'd']
s1-u1:\ttimestamp_hyp=[0.120, 0.280, 0.360]
s1-u2:\tref=[]
s1-u2:\thyp=[]
"""
REPORTS = {"kaldi-per-utt": PER_UTT, "icefall-recogs": RECOGS}


@pytest.mark.parametrize("form", REPORTS)
def test_reports_of_scoring_tools(tmp_path: Path, form: str) -> None:
    path = write(tmp_path / "report.txt", REPORTS[form])
    assert guess_format(path) == form
    assert fields_of(path) == ["utterance", "ref", "hyp"]
    both = [symbols_by_utterance(load_transcript(path, columns={"phones": side})) for side in ("ref", "hyp")]
    assert both == [{"s1-u1": ["k", "ae", "t"], "s1-u2": []}, {"s1-u1": ["k", "a", "d"], "s1-u2": []}]
    by_side = [symbols_by_utterance(load_transcript(path, side=side)) for side in ("gold", "predicted")]
    assert by_side == both


def test_kaldis_file_is_known_by_its_name(tmp_path: Path) -> None:
    path = write(tmp_path / "wer_details" / "per_utt", PER_UTT)
    assert guess_format(path) == guess_format(path.parent) == "kaldi-per-utt"
    assert len(load_transcript(path.parent, columns={"phones": "hyp"})) == 2


def test_symbols_as_python_prints_them(tmp_path: Path) -> None:
    symbols = ["d'", 'r"', "r\\", "ɛ̃", "'\"", "x, y", "[", "\u200b"]
    path = write(tmp_path / "recogs.txt", f"u 1:\tref={symbols}\nu 1:\thyp=a b\n")
    assert symbols_by_utterance(load_transcript(path, columns={"phones": "ref"})) == {"u 1": symbols}
    assert symbols_by_utterance(load_transcript(path, columns={"phones": "hyp"})) == {"u 1": ["a", "b"]}


@pytest.mark.parametrize(
    ("form", "text", "complaint"),
    [
        ("kaldi-per-utt", "u1 ref a\nu1 hyp a\nu2 ref a\n", ":3: utterance 'u2' has the lines ref; it needs one ref"),
        ("icefall-recogs", "u1:\tref=['a', b]\n", ":1: not a list of symbols such as ['a', 'b']: ['a', b]"),
    ],
)
def test_what_is_wrong_with_reports(tmp_path: Path, form: str, text: str, complaint: str) -> None:
    assert refusal(load_transcript, write(tmp_path / "x", text), form, {"phones": "ref"}).startswith(complaint)


INFERENCE = {
    str(number): {"pred": [{"processed_transcript": heard}], "passthrough": {"target": gold, "utt_id": name}}
    for number, (name, gold, heard) in enumerate([("utt1", "ɑb", "ɑp"), ("utt2", "kæt", "kæ")])
}


def test_json_of_inference_by_ids_in_one_file_or_in_lines(tmp_path: Path) -> None:
    whole = write(tmp_path / "x.json", json.dumps(INFERENCE, ensure_ascii=False))
    lines = "".join(json.dumps({key: one}) + "\n" for key, one in INFERENCE.items())
    for path in (whole, write(tmp_path / "x.jsonl", lines), write(tmp_path / "y.json", lines)):
        reads = [symbols_by_utterance(load_transcript(path, side=side)) for side in ("gold", "predicted")]
        assert reads == [{"utt1": ["ɑb"], "utt2": ["kæt"]}, {"utt1": ["ɑp"], "utt2": ["kæ"]}]


def test_other_shapes_of_json(tmp_path: Path) -> None:
    records = [{"id": "u1", "phones": "a b"}, {"id": "u2", "phones": []}]
    expected = {"u1": ["a", "b"], "u2": []}
    shapes = (
        records,
        {each["id"]: each for each in records},
        {each["id"]: each["phones"] for each in records},
        {"version": 1, "utterances": records},
        {"utt": ["u1", "u2"], "phones": ["a b", []]},
        {"utts": {each["id"]: each for each in records}},
    )
    for value in shapes:
        assert symbols_by_utterance(load_transcript(write(tmp_path / "x.json", json.dumps(value)))) == expected
    one = load_transcript(write(tmp_path / "x.json", json.dumps(records[0])))  # not the utterances `id` and `phones`
    assert symbols_by_utterance(one) == {"u1": ["a", "b"]}


@pytest.mark.parametrize(
    ("value", "complaint"),
    [
        ({"segments": [], "language": "en"}, ": looks like the words of one recording: write its phones as a TSV"),
        ([1, 2], ": JSON of another shape than an array of records"),
        ([{"id": "u1", "phones": "['a', 'b']"}], ":1: a list of Python, not phones with spaces between them"),
        ([{"phones": "a"}, {"phones": "b"}], ":1: no column utterance; the table has: phones. Add a column utterance"),
    ],
)
def test_json_that_holds_no_utterances(tmp_path: Path, value: object, complaint: str) -> None:
    path = write(tmp_path / "x.json", json.dumps(value))
    assert refusal(load_transcript, path).startswith(complaint)


@pytest.mark.parametrize(("gold", "predicted"), [("reference", "prediction"), ("goldPhones", "recognisedPhones")])
@pytest.mark.parametrize("kind", KINDS)
def test_one_table_with_both_sides(tmp_path: Path, gold: str, predicted: str, kind: str) -> None:
    rows = [
        {"sample": "u1", predicted: "a p", gold: "a b", "score": "0.5"},
        {"sample": "u2", predicted: "c", gold: "c", "score": "1"},
    ]
    path = save_rows(tmp_path / f"x.{kind}", rows)
    columns = [choose_columns(fields_of(path), side=side).setting for side in ("gold", "predicted")]
    assert columns == [{"utterance": "sample", "phones": side} for side in (gold, predicted)]
    reads = [symbols_by_utterance(load_transcript(path, side=side)) for side in ("gold", "predicted")]
    assert reads == [{"u1": ["a", "b"], "u2": ["c"]}, {"u1": ["a", "p"], "u2": ["c"]}]


def test_of_several_columns_of_phones_the_one_whose_symbols_are_known() -> None:
    fields = ["id", "wide_phones", "narrow_phones"]
    rows = [["u1", "k ae t", "k æ t"], ["u2", "t ae", "t æ"]]

    def known_share(tokens: Sequence[str]) -> float:
        return 1 - [*tokens].count("ae") / len(tokens)

    assert choose_columns(fields, rows, side="gold", known_share=known_share).titles["phones"] == "narrow_phones"
    with pytest.raises(DataError, match="or another of wide_phones, narrow_phones"):
        choose_columns(fields, rows, side="gold")

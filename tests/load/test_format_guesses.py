"""Which format a path is taken for; what is not clear is an error that says what it could be."""

from pathlib import Path

import pytest
from support import write

from phonxling.core.errors import DataError
from phonxling.load.formats import guess_format, load_transcript


def refusal(path: Path) -> str:
    with pytest.raises(DataError) as caught:
        load_transcript(path)
    return str(caught.value)


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("utterance,phones\nu1,a b\n", "csv"),
        ('{"id": "u1", "phones": "a"}\n', "jsonl"),
        ('#!MLF!#\n"*/u1.lab"\na\n.\n', "mlf"),
        ("0 600000 sil\n600000 1900000 a\n", "lab"),
        ("0 1000 sil\n1000 3000 a\n", "phn"),
        ("u1 1 0.0 0.1 1\nu1 1 0.1 0.1 a\n", "ctm"),
        ("u1 1 anna 0.0 0.1\nu2 1 anna 0 1 a b\n", "stm"),
        ("a b (u1)\n(u2)\n", "trn"),
    ],
)
def test_the_lines_of_a_file_tell(tmp_path: Path, text: str, form: str) -> None:
    assert guess_format(write(tmp_path / "x.txt", text)) == form
    assert len(load_transcript(tmp_path / "x.txt")) > 0


def test_columns_with_other_names_tell_too(tmp_path: Path) -> None:
    path = write(tmp_path / "x.txt", "sample\tipa\nu1\ta b\n")
    names = {"utterance": "sample", "phones": "ipa"}
    assert guess_format(path, names) == "tsv"
    assert len(load_transcript(path, columns=names)) == 1


def test_lengths_that_fit_no_unit_could_be_either(tmp_path: Path) -> None:
    path = write(tmp_path / "x.txt", "0 60000 a\n60000 120000 b\n")
    assert refusal(path) == f"{path}: its lines could be lab or phn; say which (--format or format:)"


def test_a_folder_of_several_formats(tmp_path: Path) -> None:
    for name in ("u1.lab", "u2.LAB", "u1.TextGrid"):
        write(tmp_path / "data" / name, "a\n")
    text = refusal(tmp_path / "data")
    assert "the folder holds files of several formats: lab (2), textgrid (1); give format: (--format)" in text
    assert load_transcript(tmp_path / "data", "lab").utterances == ("u1", "u2")
    assert "could be lab (2), textgrid (1)" in refusal(tmp_path / "data" / "*")


@pytest.mark.parametrize(
    ("data", "what"),
    [
        (b"\x1f\x8b\x08\x00", "a gzip archive: unpack it first"),
        (b"PK\x03\x04\x00", "a zip archive, or a spreadsheet"),
        (b"RIFF\x00\x00", "sound (WAV)"),
        (b"\x80\x04\x95", "a Python pickle, which could run any program"),
        (b"LHD: Partitur 1.3\nREP: Bonn\nMAU:\t0\t99\t-1\t<p:>\n", "a BAS Partitur file"),
        (b"signal s1.sd\ntype 0\nnfields 1\n#\n  0.5  122 {B}\n  0.75  122 eh\n", "an xlabel file (Buckeye"),
        (b"cat\tk ae t\ndog\td ao g\n", "a pronunciation dictionary"),
        (b"cat 1.0 0.5\tk\tae\tt\nme\tm\tiy\n", "a pronunciation dictionary"),
        (b"cats\nk.ae.t.s\nare\naa.r\n", "an interlinear text"),
        (b"word,ipa,count\ncat,k.a.t,3\n", "a table with the columns word, ipa, count"),
        (b"a\tb\tc\n1\t2\t3\n", "a table with the columns a, b, c"),
        (b"<?xml version='1.0'?>\n<Trans>\n", "XML (<Trans>) of no format that is read here"),
        (b"1\n00:00:01,000 --> 00:00:02,000\nhello\n", "subtitles"),
        (b"                 SYSTEM SUMMARY PERCENTAGES by SPEAKER\n", "a report of sclite's"),
    ],
)
def test_what_is_read_elsewhere_is_called_by_its_name(tmp_path: Path, data: bytes, what: str) -> None:
    path = tmp_path / "x.dat"
    path.write_bytes(data)
    assert refusal(path).startswith(f"{path}: looks like {what}")


def test_an_empty_file_of_no_ending(tmp_path: Path) -> None:
    assert "holds nothing; its name tells no format either" in refusal(write(tmp_path / "x", "\n\n"))

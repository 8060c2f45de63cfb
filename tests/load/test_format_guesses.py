"""Which format a path is taken for; what is not clear is an error that says what it could be."""

import ast
import io
import pickle
import shlex
import zipfile
from pathlib import Path

import pytest
from support import write

from phonxling.core.errors import DataError
from phonxling.load.formats import guess_format, load_transcript
from phonxling.load.posteriors import load_raw_posteriors


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


def zipped(name: str, text: str = "x") -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr(name, text)
    return buffer.getvalue()


@pytest.mark.parametrize(
    ("data", "what"),
    [
        (b"\x1f\x8b\x08\x00", "a gzip archive: unpack it first"),
        (b"PK\x03\x04\x00", "a zip archive: unpack it first"),
        (zipped("[Content_Types].xml"), "a spreadsheet (.xlsx, .ods): export its table"),
        (zipped("mimetype", "application/vnd.oasis.opendocument.spreadsheet"), "a spreadsheet (.xlsx, .ods)"),
        (zipped("u1.npy"), "arrays (.npz): give them as posteriors"),
        (zipped("m/data.pkl"), "a file of PyTorch, whose pickle could run any program and is never opened here"),
        (pickle.dumps({"u1": ["a"]}, protocol=5), "a Python pickle, which could run any program"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1", "an old spreadsheet or document (.xls, .doc)"),
        (b"ARROW1\x00\x00", "an Arrow file: write the data set with to_parquet or to_json"),
        (b"u1|a b\nu2|c\n", "a table with columns between |: write it as a TSV"),
        (b"%WER = 3.20\nErrors: 1\nSearch below\n\nPER-UTT DETAILS: corr or (ref->hyp)\n", "icefall’s errs: give"),
        (b"compute-wer ark:a ark:b\n%WER 3.2 [ 1 / 2, 0 ins, 1 del, 0 sub ]\n%SER 1\n", "an error rate alone"),
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


@pytest.mark.parametrize("ending", ["csv", "tsv", "jsonl", "json", "trn"])
def test_a_spreadsheet_under_the_name_of_a_text(tmp_path: Path, ending: str) -> None:
    (tmp_path / f"x.{ending}").write_bytes(zipped("[Content_Types].xml", "ä" * 99))
    assert "looks like a spreadsheet (.xlsx, .ods): export its table as CSV UTF-8" in refusal(tmp_path / f"x.{ending}")


@pytest.mark.parametrize("ending", ["pt", "pth", "ckpt", "pkl"])
def test_posteriors_in_a_pickle_are_never_opened(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"my 'posteriors'.{ending}"
    path.write_bytes(zipped("x/data.pkl"))
    with pytest.raises(DataError) as caught:
        load_raw_posteriors(path)
    said = str(caught.value)
    assert said.startswith(f"{path}: looks like a ")
    assert "could run any program and is never opened here" in said
    if ending != "pkl":
        *_, option, program = shlex.split(said)  # the line can be pasted into a shell
        assert option == "-c"
        assert ast.parse(program)
        assert str(path.with_suffix(".npz")) in program
    with pytest.raises(DataError) as caught:
        load_raw_posteriors(tmp_path)
    assert f"holds no file of posteriors (known endings: .npz .npy .h5 .hdf5 .ark .scp .safetensors). {path}" in str(
        caught.value
    )


def test_an_empty_file_of_no_ending(tmp_path: Path) -> None:
    assert "holds nothing; its name tells no format either" in refusal(write(tmp_path / "x", "\n\n"))

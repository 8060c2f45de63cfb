"""Files of speakers, and users' symbol maps."""

from pathlib import Path

import pytest
from support import write

from phonxling.core.errors import DataError
from phonxling.load.resources import load_speakers, load_symbol_map


def test_speakers_of_tsv_and_csv(tmp_path: Path) -> None:
    path = write(
        tmp_path / "s.tsv", '\ufeffage\tutterance\tspeaker\r\n9\tu1\t"anna\r\n\r\n8\tNA\tnan\r\n8\tNA\tnan\r\n'
    )
    assert load_speakers(path) == {"u1": '"anna', "NA": "nan"}
    path = write(tmp_path / "s.csv", 'utterance,speaker\nu1,"b, c"\nu2,x\u2028y\n')
    assert load_speakers(path) == {"u1": "b, c", "u2": "x\u2028y"}


def test_speakers_of_renamed_columns(tmp_path: Path) -> None:
    path = write(tmp_path / "s.tsv", "id\twho\nu1\tanna\n")
    assert load_speakers(path, {"utterance": "id", "speaker": "who"}) == {"u1": "anna"}


def test_speakers_of_kaldi(tmp_path: Path) -> None:
    text = "anna_u1 anna\nben_u1  ben\n"
    assert load_speakers(write(tmp_path / "utt2spk", text)) == {"anna_u1": "anna", "ben_u1": "ben"}
    assert load_speakers(write(tmp_path / "who", text), form="utt2spk") == {"anna_u1": "anna", "ben_u1": "ben"}
    with pytest.raises(DataError, match=":2: 3 cells, but utt2spk has an utterance and its speaker"):
        load_speakers(write(tmp_path / "utt2spk", "u1 anna\nu2 ben x\n"))


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("id\twho\nu1\tanna\n", ":1: no column utterance, speaker; the file has: id, who"),
        ("", ":1: no column utterance, speaker; the file has: nothing"),
        ("utterance\tspeaker\nu1\tanna\nu2\n", ":3: 1 cell, but the header has 2"),
        ("utterance\tspeaker\nu1\tanna\nu1\tben\n", ":3: utterance 'u1' has a second speaker"),
    ],
)
def test_what_is_wrong_with_speakers(tmp_path: Path, text: str, complaint: str) -> None:
    path = write(tmp_path / "s.tsv", text)
    with pytest.raises(DataError) as caught:
        load_speakers(path)
    assert str(caught.value) == f"{path}{complaint}"


@pytest.mark.parametrize("header", ["", "symbol\tipa\n", "\ufeffSymbol\tIPA\r\n"])
def test_a_map_with_and_without_header(tmp_path: Path, header: str) -> None:
    rows = 'A\ta\r\n"x"\tk s\nNA\tn\n\nsil\t\n'
    assert load_symbol_map(write(tmp_path / "m.tsv", header + rows)) == {"A": "a", '"x"': "k s", "NA": "n", "sil": ""}


def test_the_words_of_a_header_are_symbols_further_down(tmp_path: Path) -> None:
    path = write(tmp_path / "m.tsv", "a\ta\nsymbol\tipa\n")
    assert load_symbol_map(path) == {"a": "a", "symbol": "ipa"}


def test_symbols_are_found_in_any_unicode_form(tmp_path: Path) -> None:
    assert load_symbol_map(write(tmp_path / "m.tsv", "e\u0301\tə\n")) == {"\u00e9": "ə"}


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("a\ta\nb\n", ":2: a symbol map has two cells a row"),
        ("a\ta\tb\n", ":1: a symbol map has two cells a row"),
        ("a\ta\n \tb\n", ":2: a symbol map has two cells a row"),
        ("a\ta\nb\tb\na\tɑ\n", ":3: 'a' is mapped a second time, to 'ɑ' after 'a'"),
        ("\u00e9\ta\ne\u0301\tɑ\n", ":2: '\u00e9' is mapped a second time"),
        ("", ": the symbol map is empty"),
        ("symbol\tipa\n", ": the symbol map is empty"),
    ],
)
def test_what_is_wrong_with_a_map(tmp_path: Path, text: str, complaint: str) -> None:
    path = write(tmp_path / "m.tsv", text)
    with pytest.raises(DataError) as caught:
        load_symbol_map(path)
    assert str(caught.value).startswith(f"{path}{complaint}")


def test_the_same_row_twice_is_no_conflict(tmp_path: Path) -> None:
    assert load_symbol_map(write(tmp_path / "m.tsv", "a\ta\na\ta\n")) == {"a": "a"}

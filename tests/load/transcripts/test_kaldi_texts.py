"""Kaldi's text files."""

from pathlib import Path

import pytest
from support import symbols_by_utterance, write

from phonxling.core.errors import DataError
from phonxling.load.formats import guess_format, load_transcript


def test_an_id_then_phones(tmp_path: Path) -> None:
    path = write(tmp_path / "test" / "text", "anna-1 a  k͡p\nben_2\ncleo\tb NA\n")
    expected = {"anna-1": ["a", "k͡p"], "ben_2": [], "cleo": ["b", "NA"]}
    assert guess_format(path) == "kaldi-text"
    assert symbols_by_utterance(load_transcript(path)) == expected
    write(tmp_path / "test" / "wav.scp", "anna-1 a.wav\n")
    assert symbols_by_utterance(load_transcript(tmp_path / "test")) == expected
    other = path.rename(tmp_path / "ref.txt")
    assert symbols_by_utterance(load_transcript(other, "kaldi-text")) == expected


def test_ids_must_differ(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"text:2: utterance 'u1' occurs again \(first at line 1\)"):
        load_transcript(write(tmp_path / "text", "u1 a\nu1 b\n"))


def test_text_of_any_other_name_is_not_taken_for_it(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"a line is an id and its phones \(kaldi-text\)"):
        load_transcript(write(tmp_path / "ref.txt", "i am a sentence\nu1 a b\n"))

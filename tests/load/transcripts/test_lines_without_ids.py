"""Parallel files: the phones of an utterance on each line, and no ids."""

from pathlib import Path

import pytest
from support import symbols_by_utterance, write

import phonxling as px
from phonxling.core.errors import DataError
from phonxling.load.formats import load_transcript


@pytest.mark.parametrize("text", ["a b\n\nc\n", "a b\r\n\r\nc\r\n", "\ufeffa b\n\nc", "a b\r\rc\r"])
def test_a_line_an_utterance(tmp_path: Path, text: str) -> None:
    read = load_transcript(write(tmp_path / "ref.txt", text), "lines")
    assert symbols_by_utterance(read) == {"1-of-3": ["a", "b"], "2-of-3": [], "3-of-3": ["c"]}


def test_files_of_as_many_lines_pair(tmp_path: Path) -> None:
    gold, predicted = write(tmp_path / "ref.txt", "a b\nb\n"), write(tmp_path / "hyp.txt", "a p\n\n")
    corpus = px.load_corpus(gold, predicted, format="lines")
    assert corpus.gold.utterances == corpus.predicted.utterances == ("1-of-2", "2-of-2")
    longer = write(tmp_path / "long.txt", "a p\n\nb\n")
    with pytest.raises(DataError) as caught:
        px.load_corpus(gold, longer, format="lines", allow_unpaired=0.5)
    pairing = "Files without ids pair line by line: find the line that one lacks."
    assert str(caught.value).endswith(f"{gold} has 2 lines, {longer} 3. {pairing}")


def test_nothing_is_guessed_but_the_format_is_suggested(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"phones alone, in the order of the other side’s lines \(lines\)"):
        load_transcript(write(tmp_path / "ref.txt", "a b\nb c d\n"))
    with pytest.raises(DataError, match="holds no utterance"):
        load_transcript(write(tmp_path / "empty.txt", ""), "lines")

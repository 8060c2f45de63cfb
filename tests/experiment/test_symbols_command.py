"""phonxling symbols: the sets, and each as a table that says what its symbols become."""

from pathlib import Path

import pytest
from running import Command
from support import phones_by_utterance, transcript_of, write

from phonxling.core.features import FeatureTable
from phonxling.experiment.inventories import symbol_set
from phonxling.phones.normalise import normalise
from phonxling.phones.symbols import BUILT_IN, SymbolRules


def test_all_sets_are_listed(phonxling: Command) -> None:
    lines = phonxling("symbols").stdout.splitlines()
    assert {line.split("\t")[0] for line in lines[1:]} == set(BUILT_IN)


@pytest.mark.parametrize("name", ["timit61", "timit48", "timit39", "arpabet", "xsampa"])
def test_each_row_says_what_normalising_makes_of_its_symbol(name: str, phonxling: Command, table: FeatureTable) -> None:
    lines = [line.split("\t") for line in phonxling("symbols", name).stdout.splitlines()]
    assert lines[0] == ["symbol", "ipa", "kind"]
    for symbol, ipa, kind in lines[1:]:
        if kind not in {"mark", "tone"}:
            phones, _ = normalise(transcript_of([[symbol]]), symbol_set(name), table, SymbolRules())
            assert " ".join(phones_by_utterance(phones)[0]) == ipa, symbol


def test_kinds(phonxling: Command, tmp_path: Path) -> None:
    extra = write(tmp_path / "extra.tsv", "oh\to\nnoisy\t\nbreath\tsil\n")
    text = phonxling("symbols", f"timit61+{extra}").stdout
    for row in ("oh\to\tphone", "noisy\t\tdropped", "breath\t\tsilence", "tcl\tt\tclosure", "h#\t\tsilence"):
        assert f"{row}\n" in text
    assert "q\t\tdropped\n" in phonxling("symbols", "timit39").stdout
    assert "_h\tʰ\tmark\n" in phonxling("symbols", "xsampa").stdout
    assert "ʧ\tt͡ʃ\tlook-alike\n" in phonxling("symbols", "ipa").stdout


def test_what_has_no_table_is_refused(phonxling: Command) -> None:
    assert phonxling("symbols", "raw").code == 2
    assert "no symbol set is called 'cmu'; there are: ipa" in phonxling("symbols", "cmu").stderr

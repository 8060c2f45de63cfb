"""A built-in symbol set with a user's rows over it: in a configuration, on the command line and in Python."""

import json
from pathlib import Path

import pytest
from support import phones_by_utterance, transcript_of, write
from typer.testing import CliRunner

import phonxling as px
from phonxling.cli import app
from phonxling.core.errors import ConfigurationError
from phonxling.core.features import FeatureTable
from phonxling.experiment.configuration import load_configuration, resolved
from phonxling.experiment.corpora import load_corpora
from phonxling.experiment.inventories import symbol_set
from phonxling.experiment.manifest import input_files
from phonxling.phones.normalise import normalise
from phonxling.phones.symbols import SymbolRules


def read(names: list[str], symbols: str, table: FeatureTable) -> list[str]:
    phones, _ = normalise(transcript_of([symbols.split()]), symbol_set(names), table, SymbolRules())
    return phones_by_utterance(phones)[0]


@pytest.mark.parametrize(
    ("name", "symbols", "phones"),
    [
        ("timit61", "AH oh OTH gone tcl t", "ʌ o ɑ i t"),  # without regard to case, as the set is
        ("arpabet", "AH1 OH oth1 gone", "ʌ o ɑ i"),
        ("ipa", "tʃ oh g OTH gone", "t͡ʃ o ɡ OTH"),
        ("xsampa", "t_S oh @", "t͡ʃ o ə"),
        ("ipa-joined", "tʃaẹ", "t͡ʃ a ɛ"),
    ],
)
def test_rows_go_before_the_set_and_the_rest_stays(
    name: str, symbols: str, phones: str, table: FeatureTable, tmp_path: Path
) -> None:
    extra = write(tmp_path / "extra.tsv", "symbol\tipa\noh\to\noth\tɑ i\ngone\t\nẹ\tɛ\npau\tp\n")
    if name == "ipa":
        symbols, phones = symbols.replace("OTH ", ""), phones.replace(" OTH", "")
    assert read([name, str(extra)], symbols, table) == phones.split()
    assert read([name, str(extra)], "pau", table) == ["p"]  # a row decides what is silence
    assert symbol_set([name, str(extra)]).name == f"{name}+extra.tsv"


def test_later_tables_lie_over_earlier_ones_and_over_closures(table: FeatureTable, tmp_path: Path) -> None:
    first = write(tmp_path / "first.tsv", "bcl\tm\nx\tk s\n")
    second = write(tmp_path / "second.tsv", "x\tx\n")
    assert read(["timit61", str(first), str(second)], "bcl b x", table) == ["m", "b", "x"]
    assert read([str(first), str(second)], "bcl x", table) == ["m", "x"]


@pytest.mark.parametrize("names", [["timit61", "arpabet"], ["raw", "extra.tsv"]])
def test_what_cannot_be_laid_over_is_refused(names: list[str], tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match=r"no table that can be laid over"):
        symbol_set(names)
    files = "gold: gold.tsv, predicted: {path: heard.tsv, symbols: [" + ", ".join(names) + "]}"
    write(tmp_path / "extra.tsv", "a\ta\n")
    with pytest.raises(ConfigurationError, match=r"laid over"):
        load_configuration(write(tmp_path / "c.yaml", f"corpora:\n  c: {{{files}}}\n"))


@pytest.fixture
def files(tmp_path: Path) -> Path:
    write(tmp_path / "gold.tsv", "utterance\tphones\nu1\ta o\n")
    write(tmp_path / "heard.tsv", "utterance\tphones\nu1\tAA OH\n")
    write(tmp_path / "my/extra.tsv", "oh\to\n")
    return tmp_path


def test_a_configuration_counts_paths_from_its_folder_and_names_the_input(files: Path) -> None:
    settings = "corpora: {c: {gold: gold.tsv, predicted: {path: heard.tsv, symbols: [arpabet, my/extra.tsv]}}}"
    experiment = load_configuration(write(files / "c.yaml", settings))
    (loaded,) = load_corpora(experiment)
    assert loaded.corpus is not None
    assert phones_by_utterance(loaded.corpus.predicted) == [["ɑ", "o"]]
    assert loaded.symbols["sym"] == "ipa,arpabet+extra.tsv"
    assert files / "my/extra.tsv" in input_files(experiment)
    assert resolved(experiment)["corpora"]["c"]["predicted"]["symbols"] == ["arpabet", "my/extra.tsv"]
    missing = write(files / "d.yaml", settings.replace("extra", "other"))
    with pytest.raises(ConfigurationError, match=r"symbols\.1: there is no table of symbols .*other\.tsv"):
        load_configuration(missing)


def test_the_command_line_and_python_take_the_same(files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(files)
    arguments = ["score", "gold.tsv", "heard.tsv", "--symbols", "ipa,arpabet+my/extra.tsv", "--json"]
    scored = json.loads(CliRunner().invoke(app, arguments, catch_exceptions=False).stdout)
    assert scored["per"] == 0.5  # ɑ for a
    corpus = px.load_corpus("gold.tsv", "heard.tsv", symbols=("ipa", ["arpabet", "my/extra.tsv"]))
    assert phones_by_utterance(corpus.predicted) == [["ɑ", "o"]]

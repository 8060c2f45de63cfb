"""Settings of symbols: rules, sets, and sets that are extended by one's own tables."""

import hashlib
import json
from pathlib import Path

import pytest
from running import printed
from support import phones_by_utterance, transcript_of, write

import phonxling as px
from phonxling.analyses.loaded import features_of
from phonxling.configuration.files import find_path_mark, section_of
from phonxling.configuration.models import Experiment
from phonxling.configuration.reading import experiment_of, load_configuration
from phonxling.core.errors import ConfigurationError, DataError
from phonxling.core.features import FeatureTable
from phonxling.experiment.corpora import load_corpora, symbol_set
from phonxling.experiment.pipeline import describe_experiment, input_files
from phonxling.phones.normalise import normalise
from phonxling.phones.symbols import SymbolRules

TABLE = "features: {path: own.tsv, base: none}\n"
OWN = "phone\thigh\tback\nɑ\t-\t+\ni\t+\t-\nu\t+\t+\n"


def score(*arguments: str) -> dict[str, object]:
    return dict(json.loads(printed("score", *arguments, "--json")))


@pytest.fixture
def vowels(tmp_path: Path) -> tuple[str, str]:
    gold = write(tmp_path / "gold.tsv", "utterance\tphones\nu1\ti u ɑ\nu2\ti\n")
    heard = write(tmp_path / "heard.tsv", "utterance\tphones\nu1\tu u ɑ\nu2\tɑ\n")
    return str(gold), str(heard)


def test_phones_that_the_table_lacks_are_unknown(vowels: tuple[str, str], tmp_path: Path) -> None:
    own = write(tmp_path / "own.tsv", OWN.replace("ɑ\t-\t+\n", ""))
    with pytest.raises(DataError, match=r"1 of 3 symbols is not known .* with the features of own"):
        score(*vowels, "--set", f"features={{path: {own}, base: none}}")
    with pytest.raises(DataError, match="not the features of panphon"):
        score(*vowels, "--set", f"features.path={own}")
    with pytest.raises(ConfigurationError, match="base none leaves no feature table; give its path"):
        score(*vowels, "--set", "features.base=none")


def test_the_table_is_an_input_of_the_manifest(tmp_path: Path) -> None:
    own = write(tmp_path / "own.tsv", OWN)
    for name in ("gold.tsv", "heard.tsv"):
        write(tmp_path / name, "utterance\tphones\nu\ta\n")
    config = write(tmp_path / "x.yaml", f"{TABLE}corpora: {{x: {{gold: gold.tsv, predicted: heard.tsv}}}}\n")
    experiment = load_configuration(config)
    assert own in input_files(experiment)
    table = describe_experiment(experiment)["feature_table"]
    assert table == {"name": "own.tsv", "sha256": hashlib.sha256(own.read_bytes()).hexdigest()}


def test_a_table_that_has_changed_is_read_again(tmp_path: Path) -> None:
    own = write(tmp_path / "own.tsv", OWN)
    config = write(tmp_path / "x.yaml", f"{TABLE}corpora: {{x: {{gold: g, predicted: p}}}}\n")
    first = features_of(load_configuration(config))
    assert features_of(load_configuration(config)) is first
    write(own, OWN + "o\t0\t+\n")
    assert len(features_of(load_configuration(config)).segments) == 4


def test_diphthongs_are_split_for_all_files_or_for_one(tmp_path: Path) -> None:
    gold = write(tmp_path / "g.tsv", "utterance\tphones\nu1\tt aɪ\n")
    heard = write(tmp_path / "p.tsv", "utterance\tphones\nu1\tT AA IH\n")
    files = (str(gold), str(heard), "--symbols", "ipa,arpabet")
    assert score(*files)["gold_tokens"] == 2
    found = score(*files, "--set", "symbols.diphthongs=split")
    assert (found["gold_tokens"], found["per"], found["substitution_rate"]) == (3, 1 / 3, 1 / 3)
    assert "|diphthongs:split|" in str(found["signature"])
    sides = {"gold": {"path": str(gold), "diphthongs": "split"}, "predicted": {"path": str(gold)}}
    (loaded,) = load_corpora(experiment_of({"name": "x", "corpora": {"x": sides}}, "test"))
    assert loaded.corpus.gold.inventory.phones == ("ɪ", "a", "t")
    assert loaded.corpus.predicted.inventory.phones == ("aɪ", "t")


def test_python_takes_the_same_choices(vowels: tuple[str, str], tmp_path: Path) -> None:
    table = px.symbols.load_features(write(tmp_path / "own.tsv", OWN), base="none")
    corpus = px.load_corpus(*vowels, features=table)
    costs = px.feature_costs(corpus.gold_inventory, corpus.predicted_inventory, features=table)
    aligned = px.align_corpus(corpus, costs)
    assert px.weighted_phone_error_rate(px.count_confusions(aligned), costs) == pytest.approx((1 / 2 + 1) / 4)
    assert px.load_corpus(["aɪ"], ["aɪ"], diphthongs="split").gold_inventory.phones == ("ɪ", "a")


PATHS = [
    (section, key)
    for section, field in Experiment.model_fields.items()
    if (model := section_of(field)) is not None and section != "corpora"
    for key, setting in model.model_fields.items()
    if find_path_mark(setting) is not None
]


@pytest.mark.parametrize(("section", "key"), PATHS)
def test_every_setting_that_may_be_a_path_counts_from_its_file_and_is_an_input(
    section: str, key: str, tmp_path: Path
) -> None:
    """Whoever adds one lists it nowhere."""
    for name in ("g.tsv", "p.tsv"):
        (tmp_path / name).write_text("utterance\tphones\nu\ta\n", encoding="utf-8")
    (tmp_path / "own.tsv").write_text("x\n", encoding="utf-8")
    text = f"corpora: {{c: {{gold: g.tsv, predicted: p.tsv}}}}\n{section}: {{{key}: ./own.tsv}}\n"
    (tmp_path / "x.yaml").write_text(text, encoding="utf-8")
    assert tmp_path / "own.tsv" in input_files(load_configuration(tmp_path / "x.yaml"))


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


def test_no_symbol_set_at_all_is_one_clear_error() -> None:
    with pytest.raises(ConfigurationError, match=r"gold\.symbols: must be ipa, .* not nothing"):
        px.score(["a b"], ["a b"], symbols=None)  # type: ignore[arg-type]

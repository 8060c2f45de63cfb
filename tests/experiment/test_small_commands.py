"""Small things of the command line: symbols, NIST's confidences, unpaired utterances, no room, defaults."""

import os
import subprocess
from inspect import signature
from pathlib import Path

import numpy as np
import pytest
from running import Command, command, python, tables_of
from small_experiment import make_experiment
from support import phones_by_utterance, transcript_of

import phonxling as px
from phonxling.configuration import files, models
from phonxling.core.features import FeatureTable
from phonxling.experiment.corpora import symbol_set
from phonxling.phones.normalise import normalise
from phonxling.phones.symbols import SymbolRules


@pytest.mark.parametrize("name", ["timit61", "timit48", "timit39", "arpabet", "xsampa"])
def test_each_row_says_what_normalising_makes_of_its_symbol(name: str, phonxling: Command, table: FeatureTable) -> None:
    lines = [line.split("\t") for line in phonxling("symbols", name).stdout.splitlines()]
    assert lines[0] == ["symbol", "ipa", "kind"]
    for symbol, ipa, kind in lines[1:]:
        if kind not in {"mark", "tone"}:
            phones, _ = normalise(transcript_of([[symbol]]), symbol_set(name), table, SymbolRules())
            assert " ".join(phones_by_utterance(phones)[0]) == ipa, symbol


def test_what_has_no_table_is_refused(phonxling: Command) -> None:
    assert phonxling("symbols", "raw").code == 2
    assert "no symbol set is called 'cmu'; there are: ipa" in phonxling("symbols", "cmu").stderr


PAIRED = "left out as unpaired, 2 utterances: yoruba_03 heard"
TIED = "left out as unpaired with posteriors, 2 utterances: yoruba_03 scored"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return the folder of an experiment where neither predictions nor posteriors know yoruba_03; each has one more."""
    make_experiment(tmp_path, utterances=8)
    predicted, posteriors = tmp_path / "yoruba" / "predicted.tsv", tmp_path / "yoruba" / "posteriors.npz"
    text = predicted.read_text(encoding="utf-8")
    predicted.write_text(text.replace("yoruba_03\t", "heard\t"), encoding="utf-8")
    with np.load(posteriors) as archive:
        arrays = {name.replace("yoruba_03", "scored"): archive[name] for name in archive.files}
    np.savez(posteriors, **arrays)
    return tmp_path


def test_an_allowed_share_is_left_out_and_named_in_the_results(folder: Path) -> None:
    allowed = "--set=pairing.allow_unpaired=0.25"
    code, text = command("check", folder / "small.yaml", allowed)
    assert code == 0
    assert "yoruba (target): 7 utterances, 56 gold phones" in text
    assert {f"note: yoruba: {PAIRED}", f"note: yoruba: {TIED}"} < set(text.splitlines())
    summary = tables_of(folder / "small.yaml", "pairing.allow_unpaired=0.25")["summary"]
    rows = summary[summary["corpus"] == "yoruba"].set_index("measure")
    assert rows.loc["utterances", ["value", "note"]].tolist() == [7, PAIRED]
    assert rows.loc["posterior_mutual_information", "note"].split("; ")[0] == TIED
    assert not summary[summary["corpus"] == "english"]["note"].str.contains("unpaired").any()


def test_output_that_nobody_reads_is_one_error() -> None:
    read, write = os.pipe()
    os.close(read)
    done = python("-m", "phonxling", "schema", capture_output=False, stdout=write, stderr=subprocess.PIPE)
    os.close(write)
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].startswith("error: standard output was closed, so not all was printed")


def defaults(function: object) -> dict[str, object]:
    assert callable(function)
    return {name: each.default for name, each in signature(function).parameters.items()}


def test_the_rules_of_symbols_have_the_configurations_defaults() -> None:
    configured = dict(models.SymbolRules())
    loaded = defaults(px.load_corpus)
    assert {name: loaded[name] for name in configured} == configured
    assert set(SymbolRules.__slots__) == set(configured)
    assert defaults(px.load_segments)["rules"] == defaults(px.load_posteriorgrams)["rules"] == px.symbols.SymbolRules()


def test_every_other_default_is_the_configurations() -> None:
    file = {name: field.default for name, field in files.PosteriorFile.model_fields.items()}
    read, corpus = defaults(px.load_posteriorgrams), defaults(px.load_corpus)
    assert all(read[name] == file[name] for name in ("symbols", "scale", "frame_shift", "blank", "labels", "format"))
    assert corpus["symbols"] == file["symbols"]
    assert corpus["allow_unpaired"] == models.Pairing().allow_unpaired
    assert defaults(px.feature_costs)["name"] == models.Alignment().costs

"""Inputs by URL, end to end: the same tables as from files of this machine, and messages that name the addresses."""

import gc
import hashlib
import json
import shutil
from itertools import count
from pathlib import Path

import fsspec
import numpy as np
import pytest
from object_store import Store, Web
from running import command
from small_experiment import make_experiment
from support import write

import phonxling as px
from phonxling.core.errors import DataError
from phonxling.core.work import SERIAL, Silent
from phonxling.experiment.computing import compute, result_tables
from phonxling.experiment.configuration import load_configuration, local_inputs, resolved
from phonxling.settings.models import Experiment
from phonxling.tables.files import table_bytes

_NAMES = (f"inputs-{number}" for number in count())


def from_memory(folder: Path) -> str:
    """Put the files of a folder into fsspec's memory, and return the address of the folder there."""
    name, system = next(_NAMES), fsspec.filesystem("memory")
    for file in folder.rglob("*"):
        if file.is_file():
            system.pipe_file(f"/{name}/{file.relative_to(folder).as_posix()}", file.read_bytes())
    return f"memory://{name}"


CONFIGURATION = """
name: one
corpora:
  yoruba:
    gold:       {path: yoruba/gold.tsv}
    predicted:  {path: yoruba/predicted.tsv, symbols: map.tsv}
    speakers:   {path: yoruba/speakers.tsv}
chance:      {models: [constant]}
uncertainty: {resamples: 0}
figures:     {formats: [svg]}
report:      {html: false}
"""
MAP = {"P": "p", "B": "b", "T": "t", "AA": "ɑ", "IY": "i", "UW": "u", "S": "s", "SIL": ""}


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a corpus, and a table of symbols."""
    folder = make_experiment(tmp_path_factory.mktemp("url") / "data", 6).parent
    write(folder / "map.tsv", "".join(f"{symbol}\t{phone}\n" for symbol, phone in MAP.items()))
    return folder


def configured(path: Path, text: str, address: str) -> Path:
    """Write a configuration whose files are elsewhere."""
    return write(path, text.replace(" yoruba/", f" {address}/yoruba/").replace(" map.tsv", f" {address}/map.tsv"))


def tables_of(experiment: Experiment, copies: Path) -> dict[str, bytes]:
    with local_inputs(experiment, copies, Silent()) as local:
        tables = result_tables(compute(local, SERIAL, Silent()))
    return {name: table_bytes(table) for name, table in tables.items()}


@pytest.mark.slow
def test_a_run_from_an_object_store_has_the_tables_of_one_from_files(store: Store, data: Path, tmp_path: Path) -> None:
    address = store.fill(bucket := next(_NAMES), data)
    there, results = configured(tmp_path / "small.yaml", CONFIGURATION, address), tmp_path / "results"
    code, said = command("run", there, "--output", results, "--workers", 1, "--verbose")
    assert code == 0, said
    assert f"fetching {address}/yoruba/gold.tsv" in said
    tables = tables_of(load_configuration(write(data / "small.yaml", CONFIGURATION)), tmp_path)
    assert {name: (results / name).read_bytes() for name in tables} == tables

    manifest = json.loads((results / "manifest.json").read_text())
    assert manifest["configuration"]["corpora"]["yoruba"]["predicted"]["symbols"] == f"{address}/map.tsv"
    read = [data / "map.tsv", *(data / "yoruba").glob("*.tsv")]
    assert manifest["inputs"] == {f"{address}/{path.relative_to(data).as_posix()}": sha256(path) for path in read}
    for path in results.rglob("*.*"):
        if path.is_file() and ".cache" not in path.parts:
            assert b".cache" not in path.read_bytes()

    assert command("verify", results, "--remote")[0] == 0
    store.put(bucket, "yoruba/gold.tsv", (data / "english" / "gold.tsv").read_bytes())
    store.client.delete_object(Bucket=bucket, Key="yoruba/speakers.tsv")
    code, said = command("verify", results, "--remote")
    assert (code, "yoruba/speakers.tsv: cannot be fetched: FileNotFoundError" in said) == (1, True)
    store.put(bucket, "yoruba/speakers.tsv", (data / "yoruba" / "speakers.tsv").read_bytes())
    code, said = command("verify", results, "--remote")
    assert f"input {address}/yoruba/gold.tsv: is another file than the one that was read" in said
    assert (code, said.count("is another file")) == (1, 1)


def sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def test_an_object_that_changed_between_two_runs_is_read_anew(tmp_path: Path) -> None:
    write(tmp_path / "data" / "gold.tsv", "utterance\tphones\nu\ta b\nv\tb a\n")
    write(tmp_path / "data" / "predicted.tsv", "utterance\tphones\nu\ta b\nv\tb a\n")
    address = from_memory(tmp_path / "data")
    configuration = write(
        tmp_path / "a.yaml", f"corpora: {{one: {{gold: {address}/gold.tsv, predicted: {address}/predicted.tsv}}}}"
    )
    experiment = load_configuration(configuration)

    def tokens() -> int:
        with local_inputs(experiment, tmp_path / "copies", Silent()) as local:
            found = px.load_corpus(*(getattr(local.corpora["one"], side).path for side in ("gold", "predicted")))
            assert resolved(local) == resolved(experiment)
        return len(found.predicted.codes)

    assert tokens() == 4
    fsspec.filesystem("memory").pipe_file(
        f"/{address.partition('://')[2]}/predicted.tsv", b"utterance\tphones\nu\ta\nv\ta\n"
    )
    assert tokens() == 2
    write(tmp_path / "a.yaml", f"corpora: {{one: {{gold: {tmp_path}/data/gold.tsv, predicted: {address}/gold.tsv}}}}")
    experiment = load_configuration(configuration)
    assert tokens() == 4
    assert len(list((tmp_path / "copies").glob("*/"))) == 1  # what is no longer an input is removed


@pytest.mark.slow
def test_folders_of_textgrids_and_posteriors_are_loaded_by_the_library(tmp_path: Path) -> None:
    grid = (
        'File type = "ooTextFile"\nObject class = "TextGrid"\n\nxmin = 0\nxmax = 0.4\ntiers? <exists>\n'
        "size = 1\nitem []:\n"
        '    item [1]:\n        class = "IntervalTier"\n        name = "phones"\n        xmin = 0\n        xmax = 0.4\n'
        "        intervals: size = 2\n        intervals [1]:\n            xmin = 0\n            xmax = 0.2\n"
        '            text = "a"\n        intervals [2]:\n            xmin = 0.2\n            xmax = 0.4\n'
        '            text = "b"\n'
    )
    for name in ("s1/u", "s2/v"):
        write(tmp_path / "data" / "grids" / f"{name}.TextGrid", grid)
    values = np.array([[0.9, 0.1], [0.2, 0.8]])
    np.savez(tmp_path / "data" / "posteriors.npz", phones=np.array(["a", "b"]), s1_u=values, s2_v=values)
    address = from_memory(tmp_path / "data")
    segments = px.load_segments(f"{address}/grids/*/*.TextGrid")
    assert (segments.utterances, segments.source) == (("s1_u", "s2_v"), f"{address}/grids/*/*.TextGrid")
    found = px.load_posteriorgrams(f"{address}/posteriors.npz", frame_shift=0.2)
    gc.collect()  # the copy is there as long as what reads it
    assert np.array_equal(px.joint_distribution(found, segments).mass, [[1.8, 0.2], [0.4, 1.6]])
    assert found.source == f"{address}/posteriors.npz"
    corpus = px.load_corpus(f"{address}/grids", f"{address}/grids/")
    assert corpus.speakers == ("s1", "s2")


@pytest.mark.slow
def test_temporary_copies_are_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "temporary"))
    (tmp_path / "temporary").mkdir()
    np.savez(tmp_path / "posteriors.npz", phones=np.array(["a", "b"]), u=np.array([[0.9, 0.3]]))
    write(tmp_path / "gold.tsv", "utterance\tphones\nu\ta ?!\n")
    address = from_memory(tmp_path)
    found = px.load_posteriorgrams(f"{address}/posteriors.npz", frame_shift=0.01)
    assert len(list((tmp_path / "temporary").iterdir())) == 1
    with pytest.raises(DataError, match=f"{address}/posteriors.npz: utterance 'u'"):
        found.frames("u")
    del found
    gc.collect()
    with pytest.raises(DataError, match=rf"{address}/gold\.tsv:2"):
        px.load_corpus(f"{address}/gold.tsv", tmp_path / "gold.tsv")
    assert not list((tmp_path / "temporary").iterdir())


def test_score_and_check_take_addresses_and_errors_name_them(web: Web, tmp_path: Path) -> None:
    write(tmp_path / "web" / "gold.tsv", "utterance\tphones\nu\ta b a\nv\tb b a\n")
    write(tmp_path / "web" / "wrong.tsv", "utterance\tphones\nu\ta b %\n")
    write(tmp_path / "web" / "costs.tsv", "gold\tpredicted\tcost\na\tb\tx\n")
    gold, wrong, costs = (f"{web.address}/{name}.tsv" for name in ("gold", "wrong", "costs"))
    code, said = command("score", gold, gold, "--json")
    assert (code, json.loads(said)["accuracy"]) == (0, 1)
    code, said = command("score", gold, wrong)
    assert code == 1
    assert f"{wrong}:2" in said
    code, said = command("score", gold, gold, "--costs", costs)
    assert (code, f"{costs}:2" in said) == (1, True)
    code, said = command("score", gold, f"{web.address}/gone.tsv")
    assert (code, f"{web.address}/gone.tsv: cannot be fetched: ClientResponseError: 404" in said) == (1, True)
    code, said = command("score", gold, f"{gold}?token=SECRET")
    assert (code, "SECRET" in said) == (2, False)

    configuration = write(tmp_path / "a.yaml", f"corpora: {{one: {{gold: '{gold}', predicted: '{wrong}'}}}}")
    code, said = command("check", configuration)
    assert (code, f"{wrong}:2" in said) == (1, True)
    code, said = command("check", configuration, "--set", f"corpora.one.predicted={gold}")
    assert (code, "no problems found" in said) == (0, True)
    configuration.write_text(f"corpora: {{one: {{gold: '{gold}s', predicted: '{wrong}s'}}}}")
    code, said = command("check", configuration)
    assert (code, said.splitlines()[0]) == (1, "2 inputs cannot be fetched:")


def test_a_file_of_this_machine_may_be_written_as_an_address(tmp_path: Path) -> None:
    gold = write(tmp_path / "gold.tsv", "utterance\tphones\nu\ta b a\nv\tb b a\n")
    code, said = command("score", f"file://{gold}", gold, "--json")
    assert (code, json.loads(said)["accuracy"]) == (0, 1)
    configuration = write(tmp_path / "a.yaml", f"corpora: {{one: {{gold: 'file://{gold}', predicted: gold.tsv}}}}")
    experiment = load_configuration(configuration)
    assert resolved(experiment)["corpora"]["one"]["gold"]["path"] == "gold.tsv"
    shutil.rmtree(tmp_path)

"""Results from Python: run, read as tables of pandas, drawn one figure at a time."""

import json
import shutil
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure
from matplotlib.text import Text
from support import error_of

import phonxling as px
from phonxling.comparison.compare import Choices
from phonxling.core.work import SilentProgress
from phonxling.experiment.results import compare_results


@pytest.fixture
def results(small_run: Path) -> px.Results:
    return px.load_results(small_run / "results")


@pytest.mark.slow
def test_a_run_from_python_writes_what_the_command_writes(small_run: Path, tmp_path: Path) -> None:
    shutil.copytree(small_run, tmp_path / "run")
    before = json.loads((tmp_path / "run/results/manifest.json").read_text(encoding="utf-8"))["outputs"]
    said: list[str] = []
    results = px.run(tmp_path / "run/small.yaml", tmp_path / "run/results", workers=1, messages=said.append)
    assert results.manifest["outputs"] == before
    assert any("nothing is computed or drawn again" in message for message in said)


@pytest.mark.slow
def test_a_mapping_is_run_as_its_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    text = "utterance\tphones\nu1\tp a nan\nu2\tb a NA\n"
    (tmp_path / "gold.tsv").write_text(text, encoding="utf-8")
    (tmp_path / "predicted.tsv").write_text(text.replace("b a NA", "p a"), encoding="utf-8")
    raw = {"symbols": "raw"}
    sides = {"gold": {"path": Path("gold.tsv"), **raw}, "predicted": {"path": "predicted.tsv", **raw}}
    config = {"corpora": {"toy": sides}, "alignment": {"costs": "unit"}}
    results = px.run(config, settings=["seed=3", "figures.formats=[png]"])
    assert results.folder == Path("results/experiment")
    assert results.manifest["configuration"]["seed"] == 3
    assert "no posteriors" in capsys.readouterr().out
    cells = results.table("confusions", "toy")
    assert {"nan", "NA"} <= {*cells["gold"]}
    assert cells.loc[cells["gold"] == "NA", "predicted"].tolist() == ["∅"]
    assert cells["gold"].map(type).eq(str).all()


def test_tables_have_their_types(results: px.Results) -> None:
    alignments = results.table("alignments", "yoruba")
    assert alignments["position"].dtype == np.int64
    assert alignments["cost"].dtype == np.float64
    assert results.summary["note"].map(type).eq(str).all()
    assert results.summary["value"].dtype == np.float64
    stored = pd.read_csv(results.folder / "phones.tsv", sep="\t", keep_default_na=False, dtype=str)
    stored = stored[stored["corpus"] == "yoruba"]
    phones = results.table("phones", "yoruba")
    assert phones["phone"].tolist() == stored["phone"].tolist()
    assert phones["deletion_rate"].isna().tolist() == [not text for text in stored["deletion_rate"]]


def test_all_tables_can_be_read_by_name(results: px.Results) -> None:
    files = {path.stem for path in results.folder.glob("*.tsv")} - {"codebook"}
    assert files == {*results.tables}
    for name in results.tables:
        assert len(getattr(results, name).columns)
    assert results["yoruba"]["wper"].low < results["yoruba"]["wper"] < results["yoruba"]["chance_wper"]


def test_what_is_not_there_is_answered_with_what_is(results: px.Results, tmp_path: Path) -> None:
    with pytest.raises(px.DataError, match=r"no table is called 'phone'; did you mean 'phones'\?; there are: summary,"):
        results.table("phone")
    with pytest.raises(px.DataError, match="no corpus is called 'yorba'; did you mean 'yoruba'"):
        results.table("phones", "yorba")
    with pytest.raises(AttributeError, match="did you mean 'phones'"):
        _ = results.phone
    with pytest.raises(KeyError, match="did you mean 'yoruba'"):
        _ = results["yorba"]
    with pytest.raises(px.DataError, match=r"there is no such folder; results are where `run` says"):
        px.load_results(tmp_path / "nowhere")
    with pytest.raises(px.DataError, match=r"is not one itself; choose one: .*results"):
        px.load_results(results.folder.parent)


def test_a_figure_is_that_of_the_run(results: px.Results) -> None:
    figure = px.figure(results, "confusions", "yoruba")
    assert isinstance(figure, Figure)
    labels = {text.get_text() for text in figure.findobj(Text)}
    assert {*results.table("confusions", "yoruba")["gold"]} - {"∅"} <= labels
    assert px.figure(results.folder, "rates").get_figwidth() == pytest.approx(84 / 25.4)
    wide = results.figure("phones", "english", width=174)
    assert wide.get_figwidth() == pytest.approx(174 / 25.4)
    assert len(results.figure("phones", "english", entropy=True).axes) == len(wide.axes) + 1
    with pytest.raises(px.ConfigurationError, match="phones alone has entropies, not 'map'"):
        results.figure("map", entropy=True)


def test_every_figure_has_a_name_whether_it_was_drawn_or_not(results: px.Results) -> None:
    drawn = {path.stem for path in (results.folder / "figures").glob("*.png")}
    message = error_of(px.ConfigurationError, px.figure, results, "confusion", "yoruba")
    assert "did you mean 'confusions'" in message
    of_corpus = message.rpartition("there are: ")[2].split(", ")
    assert {f"yoruba-{name}" for name in of_corpus} >= {name for name in drawn if name.startswith("yoruba-")}
    assert isinstance(px.figure(results, "features", "yoruba"), Figure)
    message = error_of(px.ConfigurationError, px.figure, results, "everything")
    together = {name for name in drawn if not name.startswith(("yoruba-", "english-"))}
    listed = message.rpartition("there are: ")[2].split(", ")
    assert [name for name in together if name not in listed and name.partition("-")[0] not in listed] == []
    with pytest.raises(px.ConfigurationError, match=r"of which corpus. There are: english, yoruba"):
        px.figure(results, "confusions")


def test_a_matrix_has_a_figure() -> None:
    matrix = px.ConfusionMatrix(gold=["a", "nan"], predicted=["a", "b"], counts=[[3, 1, 0], [1, 0, 2], [0, 1, 0]])
    figure = px.figure(matrix)
    texts = [text.get_text() for text in figure.texts] + [
        text.get_text() for axes in figure.axes for text in axes.texts
    ]
    assert any("Confusions" in text for text in texts)
    assert px.figure(matrix, corpus="yoruba", order="features")
    picture = figure._repr_png_()  # type: ignore[attr-defined]
    assert picture.startswith(b"\x89PNG")
    assert int.from_bytes(picture[16:20]) == pytest.approx(figure.get_figwidth() * 150, abs=1)  # its width, in dots
    with pytest.raises(px.ConfigurationError, match="of a matrix there is the figure confusions"):
        px.figure(matrix, "entropy")
    with pytest.raises(px.DataError, match="no counts"):
        px.figure(px.ConfusionMatrix.zero(["a"], ["a"]))


@pytest.mark.slow
def test_a_comparison_is_read_and_drawn(small_run: Path, tmp_path: Path) -> None:
    compare_results([small_run / "results"], tmp_path / "compared", Choices(), SilentProgress())
    results = px.load_results(tmp_path / "compared")
    assert results.corpora == ()
    assert results.tables == ("differences", "phones", "confusions", "features")
    assert {*results.to_frame()["item"]} == {"english"}
    assert isinstance(px.figure(results, "differences"), Figure)
    with pytest.raises(px.ConfigurationError, match="no figure is called 'ranking'; there are: differences"):
        px.figure(results, "ranking")

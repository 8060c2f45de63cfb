"""Results from Python: run, read as tables of pandas, drawn one figure at a time."""

import json
import shutil
from pathlib import Path

import pytest
from matplotlib.figure import Figure
from matplotlib.text import Text

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


def test_all_tables_can_be_read_by_name(results: px.Results) -> None:
    files = {path.stem for path in results.folder.glob("*.tsv")} - {"codebook"}
    assert files == {*results.tables}
    for name in results.tables:
        assert len(getattr(results, name).columns)
    assert results["yoruba"]["wper"].low < results["yoruba"]["wper"] < results["yoruba"]["chance_wper"]


def test_what_is_not_there_is_answered_with_what_is(results: px.Results, tmp_path: Path) -> None:
    for call, error, remedy in (
        (lambda: results.table("phone"), px.DataError, r"did you mean 'phones'\?; there are: summary,"),
        (lambda: results.table("phones", "yorba"), px.DataError, "did you mean 'yoruba'"),
        (lambda: results.phone, AttributeError, "did you mean 'phones'"),
        (lambda: results["yorba"], KeyError, "did you mean 'yoruba'"),
        (lambda: px.load_results(tmp_path / "nowhere"), px.DataError, "there is no such folder"),
        (lambda: px.load_results(results.folder.parent), px.DataError, "choose one: .*results"),
        (lambda: px.figure(results, "confusion", "yoruba"), px.ConfigurationError, "did you mean 'confusions'"),
        (
            lambda: px.figure(results, "residuals", "english"),
            px.ConfigurationError,
            "'residuals'; there are: confusions",
        ),
        (lambda: px.figure(results, "confusions"), px.ConfigurationError, "There are: english, yoruba"),
    ):
        with pytest.raises(error, match=remedy):
            call()


def test_a_figure_is_that_of_the_run(results: px.Results) -> None:
    figure = px.figure(results, "confusions", "yoruba")
    assert isinstance(figure, Figure)
    labels = {text.get_text() for text in figure.findobj(Text)}
    assert {*results.table("confusions", "yoruba")["gold"]} - {"∅"} <= labels
    assert px.figure(results.folder, "rates").get_figwidth() == pytest.approx(84 / 25.4)
    assert results.figure("phones", "english", width=174).get_figwidth() == pytest.approx(174 / 25.4)


def test_a_matrix_has_a_figure() -> None:
    matrix = px.ConfusionMatrix(gold=["a", "nan"], predicted=["a", "b"], counts=[[3, 1, 0], [1, 0, 2], [0, 1, 0]])
    figure = px.figure(matrix)
    assert px.figure(matrix, corpus="yoruba")
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
    assert {*results.differences["item"]} == {"english"}
    assert isinstance(px.figure(results, "differences"), Figure)
    with pytest.raises(px.ConfigurationError, match="no figure is called 'ranking'; there are: differences"):
        px.figure(results, "ranking")

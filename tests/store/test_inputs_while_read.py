"""Inputs that change, come or go between the first and the last look at them."""

import os
from pathlib import Path

import pytest
from small_experiment import make_experiment

import phonxling as px
from phonxling.experiment.configuration import load_configuration
from phonxling.experiment.manifest import check_inputs, read_inputs
from phonxling.store.tasks import Inputs


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    paths = [tmp_path / name for name in ("a", "b", "c")]
    for path in paths:
        path.write_text(path.name, encoding="utf-8")
    return paths


def test_a_file_that_was_written_anew_is_another_whatever_it_holds_now(files: list[Path]) -> None:
    inputs = Inputs(files)
    os.utime(files[0], (1, 1))
    assert inputs.touched(files) == files[:1]
    with pytest.raises(px.DataError, match=str(files[0])):
        inputs.check()


def test_all_that_changed_are_named(files: list[Path]) -> None:
    inputs = Inputs(files)
    files[0].write_text("longer than before", encoding="utf-8")
    files[2].unlink()
    with pytest.raises(px.DataError) as caught:
        inputs.check()
    assert [line.strip() for line in str(caught.value).splitlines()[1:3]] == [str(files[0]), str(files[2])]
    assert "Nothing was written" in str(caught.value)


def test_a_file_replaced_by_one_of_the_same_size_and_time_is_another(files: list[Path]) -> None:
    inputs, state = Inputs(files), files[0].stat()
    new = files[0].with_name("new")
    new.write_text("z", encoding="utf-8")
    os.utime(new, ns=(state.st_atime_ns, state.st_mtime_ns))
    new.replace(files[0])
    with pytest.raises(px.DataError, match="changed while they were read"):
        inputs.check()


def test_a_path_is_known_by_any_way_to_write_it(files: list[Path], monkeypatch: pytest.MonkeyPatch) -> None:
    inputs = Inputs(files)
    before = inputs.digest(files[0])
    files[0].write_text("other", encoding="utf-8")
    monkeypatch.chdir(files[0].parent)
    assert inputs.digest(Path("a")) == inputs.digest(files[0].parent / "." / "a") == before


def test_a_file_that_comes_or_goes_is_named(tmp_path: Path) -> None:
    config = make_experiment(tmp_path, utterances=2)
    folder = tmp_path / "english" / "gold"
    folder.mkdir()
    (tmp_path / "english" / "gold.tsv").rename(folder / "gold.tsv")
    experiment = load_configuration(config, ["corpora.english.gold.path=" + str(folder)])
    inputs, named = read_inputs(experiment)
    check_inputs(experiment, inputs, named)
    (folder / "more.tsv").write_text("utterance\tphones\n", encoding="utf-8")
    with pytest.raises(px.DataError, match=r"english/gold/more\.tsv: is new"):
        check_inputs(experiment, inputs, named)

"""phonxling verify: whether results are what they say, from the command line."""

import json
import shutil
from functools import partial
from pathlib import Path

import pytest
from running import command

verify = partial(command, "verify")


@pytest.fixture
def copy(small_run: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(small_run, tmp_path / "copy"))


@pytest.mark.slow
def test_fresh_results_are_as_they_say_and_come_out_the_same(small_run: Path) -> None:
    code, said = verify(small_run / "results", "--recompute", "--workers", 2)
    assert code == 0, said
    assert "every table comes out the same, byte for byte" in said
    assert "as the manifest says" in said


def test_results_may_move_with_their_data(copy: Path) -> None:
    assert verify(copy / "results")[0] == 0


def test_a_changed_table_and_a_missing_figure_are_both_named(copy: Path) -> None:
    path = copy / "results/yoruba/phones.tsv"
    path.write_text(path.read_text(encoding="utf-8").replace("0.", "1.", 1), encoding="utf-8")
    (copy / "results/figures/rates.png").unlink()
    code, said = verify(copy / "results")
    assert code == 1
    assert "yoruba/phones.tsv: was changed after it was written" in said
    assert "figures/rates.png: is gone" in said


def test_another_input_is_named(copy: Path) -> None:
    path = copy / "yoruba/gold.tsv"
    path.write_text(path.read_text(encoding="utf-8").replace("\ts\n", "\tt\n", 1), encoding="utf-8")
    code, said = verify(copy / "results")
    assert code == 1
    assert "input yoruba/gold.tsv: is another file than the one that was read" in said


def test_a_number_forged_together_with_its_hash_comes_out_differently(copy: Path) -> None:
    from phonxling.core.files import digest

    path, manifest = copy / "results/summary.tsv", copy / "results/manifest.json"
    lines = path.read_text(encoding="utf-8").split("\n")
    cells = lines[1].split("\t")
    lines[1] = "\t".join([*cells[:3], "0.01", *cells[4:]])
    path.write_text("\n".join(lines), encoding="utf-8")
    told = json.loads(manifest.read_text(encoding="utf-8"))
    told["outputs"]["summary.tsv"] = digest(path)
    manifest.write_text(json.dumps(told), encoding="utf-8")
    assert verify(copy / "results")[0] == 0  # the hashes agree
    code, said = verify(copy / "results", "--recompute")
    assert code == 1
    assert "summary.tsv: comes out differently" in said


def test_inputs_that_are_elsewhere_are_asked_for_and_found(copy: Path, small_run: Path, tmp_path: Path) -> None:
    alone = Path(shutil.copytree(copy / "results", tmp_path / "alone"))
    code, said = verify(alone)
    assert code == 1
    assert "give the configuration's folder with --inputs" in said
    assert verify(alone, "--inputs", small_run)[0] == 0


def test_a_folder_without_results_is_refused(tmp_path: Path) -> None:
    code, said = verify(tmp_path)
    assert code == 1
    assert "no folder of finished results" in said

"""phonxling verify: whether results are what they say, from the command line."""

import json
import shutil
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from running import command

from phonxling.core.files import digest
from phonxling.results.folder import write_manifest

verify = partial(command, "verify")


@pytest.fixture
def copy(small_run: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(small_run, tmp_path / "copy", ignore=shutil.ignore_patterns(".phonxling")))


@pytest.mark.slow
def test_fresh_results_are_as_they_say_and_come_out_the_same(small_run: Path) -> None:
    code, said = verify(small_run / "results", "--recompute", "--workers", 2)
    assert code == 0, said
    assert "every table comes out the same, byte for byte" in said
    assert "as the manifest says" in said


def test_a_changed_table_and_a_missing_figure_are_both_named(copy: Path) -> None:
    path = copy / "results/phones.tsv"
    path.write_text(path.read_text(encoding="utf-8").replace("0.", "1.", 1), encoding="utf-8")
    (copy / "results/figures/rates.png").unlink()
    code, said = verify(copy / "results")
    assert code == 1
    assert "phones.tsv: was changed after it was written" in said
    assert "figures/rates.png: is gone" in said


def test_another_input_is_named(copy: Path) -> None:
    path = copy / "yoruba/gold.tsv"
    path.write_text(path.read_text(encoding="utf-8").replace("\ts\n", "\tt\n", 1), encoding="utf-8")
    code, said = verify(copy / "results")
    assert code == 1
    assert "input yoruba/gold.tsv: is another file than the one that was read" in said


def test_a_number_forged_together_with_its_hash_comes_out_differently(copy: Path) -> None:
    path = copy / "results/summary.tsv"
    lines = path.read_text(encoding="utf-8").split("\n")
    cells = lines[1].split("\t")
    lines[1] = "\t".join([*cells[:3], "0.01", *cells[4:]])
    path.write_text("\n".join(lines), encoding="utf-8")

    def change(told: dict[str, Any]) -> None:
        told["outputs"]["summary.tsv"] = digest(path)

    forge(copy, change, signed=False)
    assert "manifest.json: was changed after it was written" in verify(copy / "results")[1]
    forge(copy, change)
    assert verify(copy / "results")[0] == 0  # the hashes agree
    code, said = verify(copy / "results", "--recompute")
    assert code == 1
    assert "summary.tsv: comes out differently" in said


def test_inputs_that_are_elsewhere_are_asked_for_and_found(copy: Path, small_run: Path, tmp_path: Path) -> None:
    alone = Path(shutil.copytree(copy / "results", tmp_path / "alone"))
    assert "--inputs" in verify(alone)[1]
    assert verify(alone, "--inputs", small_run)[0] == 0


def forge(copy: Path, change: Callable[[dict[str, Any]], object], *, signed: bool = True) -> None:
    """Change a manifest, and its own sha256 with it."""
    path = copy / "results/manifest.json"
    told = json.loads(path.read_text(encoding="utf-8"))
    change(told)
    if signed:
        write_manifest(copy / "results", told, told["outputs"])
    else:
        path.write_text(json.dumps(told), encoding="utf-8")


def test_tables_that_the_manifest_does_not_name_and_other_versions_are_told(copy: Path) -> None:
    forge(copy, lambda told: told["libraries"].update(numpy="1.0"))
    code, said = verify(copy / "results")
    assert code == 0
    assert "other versions: numpy 1.0 then" in said
    forge(copy, lambda told: told["outputs"].pop("summary.tsv"))
    assert "summary.tsv: the manifest does not name it" in verify(copy / "results")[1]


def test_a_link_in_the_place_of_a_table_is_read_by_nobody(copy: Path, tmp_path: Path) -> None:
    (tmp_path / "private").write_text("secret", encoding="utf-8")
    (copy / "results/symbols.tsv").unlink()
    (copy / "results/symbols.tsv").symlink_to(tmp_path / "private")
    code, said = command("report", "--quiet", copy / "results")
    assert code == 1
    assert "symbols.tsv: is a link; put the table itself there" in said
    assert "secret" not in (copy / "results/report.html").read_text(encoding="utf-8")


@pytest.mark.slow
def test_last_digits_of_another_processor_have_a_verdict_of_their_own(copy: Path) -> None:
    name, table = "phones.tsv", copy / "results/phones.tsv"
    lines = [line.split("\t") for line in table.read_text(encoding="utf-8").split("\n")]
    place = lines[0].index("accuracy")
    row = next(line for line in lines[1:] if len(line) > place and 0 < float(line[place] or 0) < 1)
    for change, code, verdict in (
        (1e-13, 0, "not byte for byte: they were computed on another kind of processor (other then,"),
        (1e-3, 1, "phones.tsv: comes out differently, by up to 1.0e-03"),
    ):
        row[place] = repr(float(row[place]) * (1 + change))
        table.write_text("\n".join(map("\t".join, lines)), encoding="utf-8")
        changed = digest(table)
        forge(copy, lambda told, own=changed: told.update(blas="other", outputs={**told["outputs"], name: own}))
        found, said = verify(copy / "results", "--recompute")
        assert found == code, said
        assert verdict in said

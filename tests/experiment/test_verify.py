"""phonxling verify: whether results are what they say, from the command line."""

import json
import shutil
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from running import command, python

from phonxling.core.files import digest
from phonxling.store.folder import _own_digest

verify = partial(command, "verify", "--follow")


@pytest.fixture
def copy(small_run: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(small_run, tmp_path / "copy", ignore=shutil.ignore_patterns(".cache")))


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
    code, said = verify(alone)
    assert code == 1
    assert "give the configuration's folder with --inputs" in said
    assert verify(alone, "--inputs", small_run)[0] == 0


CHANGES = {
    "seed": "manifest.json: seed is 1, and 20 in the configuration",
    "name": "manifest.json: name is other, and small in the configuration",
    "phonxling": "manifest.json: v is 0.0.1, and",
    "libraries": "other versions: numpy 1.0 then",
    "costs": "costs of english are other, and panphon in the signatures",
    "feature_table": "manifest.json: feat is 0000, and",
    "outputs": "not of these results: figures/rates.png",
}


def forge(copy: Path, change: Callable[[dict[str, Any]], object], *, signed: bool = True) -> None:
    """Change a manifest, and its own sha256 with it."""
    path = copy / "results/manifest.json"
    told = json.loads(path.read_text(encoding="utf-8"))
    own = told.pop("sha256")
    change(told)
    path.write_text(json.dumps({**told, "sha256": _own_digest(told) if signed else own}), encoding="utf-8")


@pytest.mark.parametrize(("part", "signed"), [("seed", False), *((part, True) for part in CHANGES)])
def test_each_part_of_the_manifest_is_guarded(copy: Path, part: str, *, signed: bool) -> None:
    """Changed alone it is seen; where the manifest's own sha256 goes with it, by what it contradicts."""
    changes = {"seed": 1, "name": "other", "phonxling": "0.0.1", "feature_table": {"sha256": "0" * 64}}

    def change(told: dict[str, Any]) -> None:
        if part == "outputs":
            told["outputs"].pop("figures/rates.png")
        elif part == "costs":
            told["costs"]["english"]["name"] = "other"
        elif part == "libraries":
            told["libraries"]["numpy"] = "1.0"
        else:
            told[part] = changes[part]

    forge(copy, change, signed=signed)
    code, said = verify(copy / "results")
    assert code == (part not in {"libraries", "outputs"})  # these contradict nothing; what nothing names is listed
    assert ("manifest.json: was changed after it was written" in said) is not signed
    assert CHANGES[part] in said


SETTINGS = {  # one of each kind of part, changed in the configuration alone
    ("uncertainty", "resamples"): (1000, "boot is 1000, and 50 in the signatures"),
    ("uncertainty", "level"): (0.9, "level is 0.9, and 0.95 in summary.tsv"),
    ("uncertainty", "cluster"): ("utterance", "cluster is utterance, and speaker in the signatures"),
    ("alignment", "insertion"): (2, "ins is 2, and 1 in the signatures"),
    ("alignment", "costs"): ("unit", "costs is unit, and panphon in the signatures"),
    ("symbols", "silence"): ("keep", "silence is keep, and drop in the signatures"),
    ("entropy", "gaps"): ("include", "gaps is include, and exclude in the signatures"),
    ("embedding", "method"): ("mds", "map is mds/tempered/10/2, and pca/tempered/10/2 in the signatures"),
}


@pytest.mark.parametrize("part", SETTINGS)
def test_settings_must_agree_with_the_signatures(copy: Path, part: tuple[str, str]) -> None:
    """Also where the manifest's own sha256 goes with the change."""
    (section, setting), (value, said) = part, SETTINGS[part]
    forge(copy, lambda told: told["configuration"][section].update({setting: value}))
    code, found = verify(copy / "results")
    assert code == 1
    assert f"manifest.json: {said}" in found


def test_without_follow_nothing_outside_is_opened_or_searched(copy: Path) -> None:
    """A stranger's manifest names a file of the system, and a pattern; Python tells of every file that it opens."""

    def change(told: dict[str, Any]) -> None:
        told["inputs"]["/etc/hostname"] = "0" * 64
        told["configuration"]["corpora"]["english"]["gold"]["path"] = "/etc/*"

    forge(copy, change)
    watched = (
        "import sys; sys.addaudithook(lambda event, given: print('opened', given[0], file=sys.stderr)"
        " if event in {'open', 'os.listdir', 'os.scandir'} and str(given[0]).startswith('/etc') else None);"
        "from phonxling.cli import main; sys.argv[0] = 'phonxling'; main()"
    )
    asked = "-c", watched, "verify", str(copy / "results")
    done = python(*asked)
    assert done.returncode == 0, done.stderr
    assert "9 inputs outside the results" in done.stdout
    assert "opened" not in done.stderr
    assert "opened /etc" in python(*asked, "--follow").stderr


def test_a_link_in_the_place_of_a_table_is_read_by_nobody(copy: Path, tmp_path: Path) -> None:
    (tmp_path / "private").write_text("secret", encoding="utf-8")
    (copy / "results/symbols.tsv").unlink()
    (copy / "results/symbols.tsv").symlink_to(tmp_path / "private")
    code, said = command("report", "--quiet", copy / "results")
    assert code == 1
    assert "symbols.tsv: is a link; put the table itself there" in said
    assert "secret" not in (copy / "results/report.html").read_text(encoding="utf-8")
    assert (copy / "results/manifest.json").exists()


@pytest.mark.slow
def test_last_digits_of_another_processor_have_a_verdict_of_their_own(copy: Path) -> None:
    name, table = "yoruba/phones.tsv", copy / "results/yoruba/phones.tsv"
    lines = [line.split("\t") for line in table.read_text(encoding="utf-8").split("\n")]
    place = lines[0].index("accuracy")
    row = next(line for line in lines[1:] if len(line) > place and 0 < float(line[place] or 0) < 1)
    for change, code, verdict in (
        (1e-13, 0, "not byte for byte: they were computed on another kind of processor (other then,"),
        (1e-3, 1, "yoruba/phones.tsv: comes out differently, by up to 1.0e-03"),
    ):
        row[place] = repr(float(row[place]) * (1 + change))
        table.write_text("\n".join(map("\t".join, lines)), encoding="utf-8")
        changed = digest(table)
        forge(copy, lambda told, own=changed: told.update(blas="other", outputs={**told["outputs"], name: own}))
        found, said = verify(copy / "results", "--recompute")
        assert found == code, said
        assert verdict in said


def test_a_folder_without_results_is_refused(tmp_path: Path) -> None:
    code, said = verify(tmp_path)
    assert code == 1
    assert "no folder of finished results" in said

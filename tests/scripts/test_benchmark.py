"""The benchmark from end to end on tiny workloads: its rows, what it does without a peer, what it refuses."""

from functools import partial
from pathlib import Path

import pytest
from benchmark import print_race
from running import script

pytestmark = pytest.mark.slow  # processes of their own

benchmark = partial(script, "benchmark.py")


def test_every_peer_that_is_installed_has_a_row_beside_ours(tmp_path: Path) -> None:
    (tmp_path / "kaldialign.py").write_text("raise ImportError('as if it were not there')\n")
    sections = "per,ipa,confusions,features,joint,score"
    done = benchmark("--scale", "0.005", "--rounds", "1", "--only", sections, before=(tmp_path,))
    assert done.returncode == 0, done.stderr
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in done.stdout.splitlines()[2:]]
    beside = [name for _, _, name, *_ in rows]
    assert beside.count("rapidfuzz, four lines") == 2
    assert {"panphon's ipa_segs", "panphon's feature_edit_distance", "SciPy, sparse one-hot @"} <= {*beside}
    assert "kaldialign is not installed: no row of it" in done.stderr
    for _, ours, name, theirs, ratio in rows:
        assert name == "–" or float(ratio) == pytest.approx(float(ours[:-2]) / float(theirs[:-2]), rel=0.1)


def test_a_section_that_does_not_exist_is_one_error_with_exit_code_2() -> None:
    done = benchmark("--only", "joint,alignmnt")
    assert (done.returncode, "there is no alignmnt; there are: per" in done.stderr) == (2, True)


def test_a_result_that_is_not_ours_is_no_ratio(capsys: pytest.CaptureFixture[str]) -> None:
    print_race("1 + 2", {"": lambda: 3, "right": lambda: sum([1, 2])}, 1)
    assert "| right |" in capsys.readouterr().out
    with pytest.raises(SystemExit, match=r"1 \+ 2: the result of wrong is not ours"):
        print_race("1 + 2", {"": lambda: 3, "wrong": lambda: sum([1])}, 1)

"""The benchmark from end to end on tiny workloads: what it writes, what it refuses, and what it does without a peer."""

import json
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from running import ROOT, script

pytestmark = pytest.mark.slow  # processes of their own

benchmark = partial(script, "benchmark.py")
TINY = ("--quick", "--scale", "0.01", "--repeats", "1")


@pytest.fixture(scope="module")
def everything(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, Any], str]:
    """All sections, on a machine where kaldialign is not installed."""
    folder = tmp_path_factory.mktemp("benchmark")
    (folder / "kaldialign.py").write_text("raise ImportError('as if it were not there')\n")
    done = benchmark(*TINY, "--json", str(folder / "found.json"), before=(folder,))
    assert done.returncode == 0, done.stderr
    return json.loads((folder / "found.json").read_text(encoding="utf-8")), done.stdout


def test_the_rows_have_their_keys(everything: tuple[dict[str, Any], str]) -> None:
    found, _ = everything
    keys = {"section", "work", "against", "goal", "ratio", "ratio_low", "ratio_high", "ours_seconds", "peer_seconds"}
    assert all(set(row) == {*keys, "megabytes", "repeats", "note"} for row in found["rows"])
    assert {row["section"] for row in found["rows"]} == {"alignment", "posteriors", "startup"}
    assert found["settings"]["scale"] == 0.01
    assert {"python", "numpy", "phonxling"} <= set(found["versions"])


def test_a_ratio_is_the_others_time_over_ours(everything: tuple[dict[str, Any], str]) -> None:
    timed = [row for row in everything[0]["rows"] if row["peer_seconds"] is not None]
    assert len(timed) >= 8  # SciPy, NumPy, np.load, panphon, one thread, and a bare Python are always there
    for row in timed:  # of one round
        assert row["ratio"] == pytest.approx(row["peer_seconds"] / row["ours_seconds"])
        assert row["ratio_low"] == row["ratio"] == row["ratio_high"]


def test_a_missing_library_is_a_row_that_says_how_to_install_it(everything: tuple[dict[str, Any], str]) -> None:
    found, table = everything
    rows = [row for row in found["rows"] if row["against"] == "kaldialign.align"]
    assert [row["note"] for row in rows] == ["not installed: pip install kaldialign"] * 2
    assert {row["ratio"] for row in rows} == {None}
    assert "pip install kaldialign" in table


def test_whole_commands_stand_beside_an_older_checkout(tmp_path: Path) -> None:
    written = tmp_path / "rows.json"
    done = benchmark(*TINY, "--sections", "run", "--before", str(ROOT), "--json", str(written))
    assert done.returncode == 0, done.stderr
    rows = json.loads(written.read_text(encoding="utf-8"))["rows"]
    assert [row["work"] for row in rows] == ["run 2 utterances", "score"]
    for row in rows:
        assert row["ratio"] == pytest.approx(row["peer_seconds"] / row["ours_seconds"])
        assert row["megabytes"] > 50


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--before", "nowhere"), "nowhere: no such file or folder"),
        (("--sections", "startup,alignmnt"), "no section is called 'alignmnt'; there are: alignment, posteriors"),
        (("--repeats", "0"), "--repeats must be 1 or more"),
        (("--scale", "nan"), "--scale a number above 0"),
        (("--json", "nowhere/found.json"), "there is no such folder"),
    ],
)
def test_bad_usage_is_one_error_with_exit_code_2(arguments: tuple[str, ...], message: str) -> None:
    done = benchmark(*arguments)
    assert done.returncode == 2
    assert message in done.stderr.splitlines()[-1]
    assert "Traceback" not in done.stderr


def test_a_result_that_is_not_ours_is_no_ratio(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "scripts"))
    from benchmarks.contest import Contest, MismatchError, Peer, measure

    right = Peer("right", lambda: sum([1, 2]), lambda: sum([1, 2]) == 3)
    wrong = Peer("wrong", lambda: sum([1]), lambda: sum([1]) == 3)
    assert [row.against for row in measure(Contest("sums", "1 + 2", lambda: 3, [right]), 2)] == ["right"]
    with pytest.raises(MismatchError, match=r"sums, 1 \+ 2: the result of wrong is not ours"):
        measure(Contest("sums", "1 + 2", lambda: 3, [right, wrong]), 2)

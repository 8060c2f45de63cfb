"""Runs that are killed, interrupted, without room or permission: a small part of scripts/fault_matrix.py."""

import os
import shutil
import signal
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from fault_matrix import QUICK
from faults.attempts import Setting, attempt, contents, kills, remains
from faults.processes import Ended, Server, Strike
from small_experiment import make_experiment

pytestmark = [
    pytest.mark.slow,  # processes of their own
    pytest.mark.skipif(not sys.platform.startswith("linux"), reason="it looks into /proc"),
]


@pytest.fixture(scope="module")
def matrix(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Setting, Ended, Path]]:
    """A setting, how its undisturbed run ended, and a folder to work in."""
    folder = tmp_path_factory.mktemp("matrix")
    arguments = ["run", str(make_experiment(folder, utterances=6)), "--workers", "1", "--verbose", *QUICK]
    with Server(folder) as server:
        setting = Setting(server, arguments, {})
        undisturbed = setting.run(folder / "whole")
        assert undisturbed.code == 0, undisturbed.error
        yield replace(setting, wanted=contents(folder / "whole")), undisturbed, folder


def test_runs_that_are_killed_while_they_write_are_made_good(matrix: tuple[Setting, Ended, Path]) -> None:
    setting, undisturbed, folder = matrix
    points = [point for point in kills(undisturbed, 10, seed=1) if point.at][1::3]
    assert {point.how for point in points} == {"before", "within"}
    for point in points:
        tried = attempt(setting, folder / "killed", point)
        assert not tried.problems, str(tried)
        assert tried.first.struck


@pytest.mark.parametrize(("numbers", "code"), [((signal.SIGINT,), 130), ((signal.SIGTERM,), 143)])
def test_an_interruption_is_one_line_and_the_shells_code(
    matrix: tuple[Setting, Ended, Path], numbers: tuple[int, ...], code: int
) -> None:
    setting, undisturbed, folder = matrix
    shutil.rmtree(folder / "interrupted", ignore_errors=True)
    strike = Strike(at=len(undisturbed.changes) // 2, signals=numbers)
    ended = setting.run(folder / "interrupted", strike)
    assert (ended.code, ended.left) == (code, ())
    assert "Traceback" not in ended.error
    assert ended.error.splitlines()[-1].startswith("interrupted; what is finished is kept")
    assert remains(setting, folder / "interrupted", ended) == []


def test_a_disk_that_fills_up_is_one_error_and_the_next_run_ends_right(matrix: tuple[Setting, Ended, Path]) -> None:
    """Here the limit is on each file's size, so it is met in a table, and later in a figure or the page."""
    setting, _, folder = matrix
    sizes = sorted(path.stat().st_size for path in (folder / "whole").rglob("*") if path.is_file())
    out = folder / "full"
    quiet = replace(setting, arguments=[*setting.arguments, "--quiet"])  # standard error is a file, too
    for limit in (sizes[len(sizes) // 2], sizes[-1] - 1):
        ended = quiet.run(out, Strike(limit=limit))
        errors = [line for line in ended.error.splitlines() if line.startswith("error:")]
        assert (ended.code, len(errors)) == (1, 1), ended.error
        assert errors[0].endswith("cannot be written: File too large")
        assert "Traceback" not in ended.error
        assert remains(setting, out, ended) == []
        assert not (out / "manifest.json").exists()
    assert setting.run(out).code == 0
    assert contents(out) == setting.wanted


def test_places_without_permission_are_refused_before_anything_is_loaded(matrix: tuple[Setting, Ended, Path]) -> None:
    setting, _, folder = matrix
    prefix = []
    if os.geteuid() == 0:
        if not shutil.which("setpriv"):
            pytest.skip("the superuser may write everywhere, and there is no setpriv to be somebody else")
        prefix = ["setpriv", "--bounding-set=-dac_override,-dac_read_search"]
    locked = folder / "locked"
    (locked / "out").mkdir(parents=True)
    (locked / "out").chmod(0o555)
    locked.chmod(0o555)
    with Server(folder, prefix) as ordinary:
        for place in (locked / "out", locked / "new", locked / "new" / "below"):
            ended = replace(setting, server=ordinary).run(place)
            assert ended.code == 1
            assert f"error: {place}: cannot be written: Permission denied" in ended.error
            assert "loading" not in ended.error
    locked.chmod(0o755)
    assert [path.name for path in locked.iterdir()] == ["out"]
    assert list((locked / "out").iterdir()) == []

"""Settings of all tests."""

import fcntl
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from process_state import differences, process_state
from running import Command, Outcome
from small_experiment import make_experiment
from typer.testing import CliRunner

from phonxling.cli import app, main
from phonxling.core.features import FeatureTable
from phonxling.load.resources import panphon_features

# Machines are noisy: no example fails for being slow. scripts/check.sh asks for the thorough profile.
for _name, _examples in (("quick", 16), ("thorough", 60)):
    settings.register_profile(
        _name, deadline=None, max_examples=_examples, suppress_health_check=[HealthCheck.too_slow]
    )
settings.load_profile("quick")


@pytest.fixture(scope="session", autouse=True)
def _told_to_the_tests(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keep what is remembered of a machine among the tests' files, not with whoever runs the tests."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_DATA_HOME", str(tmp_path_factory.mktemp("data")))
        patch.setattr("phonxling.cli._CORES", 1)  # the tests have the processors; `report` draws in this process
        yield


@pytest.fixture(autouse=True)
def _process_as_it_was() -> Iterator[None]:
    """Fail a test that leaves handlers, variables, a folder or random state of its own behind for the next one."""
    before = process_state()
    yield
    if changed := differences(before, process_state()):
        pytest.fail("left behind in the process:\n" + "\n".join(changed))


@pytest.fixture(scope="session")
def table() -> FeatureTable:
    """panphon's feature table."""
    return panphon_features()


@pytest.fixture
def phonxling(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Command:
    """The command as a shell would run it, in this process: a new one takes seconds to import its libraries."""
    monkeypatch.setattr(sys, "excepthook", sys.excepthook)  # typer sets its own

    def command(*arguments: str | Path) -> Outcome:
        monkeypatch.chdir(tmp_path)
        monkeypatch.setattr(sys, "argv", ["phonxling", *map(str, arguments)])
        with pytest.raises(SystemExit) as ended:
            main()
        code = ended.value.code
        return Outcome(code if isinstance(code, int) else 0, *capsys.readouterr())

    return command


@pytest.fixture(scope="session")
def small_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small experiment that was run: its results are in `results`, and tests that change anything copy it first.

    One of xdist's workers runs it for all of them; the others wait for its lock.
    """
    own = tmp_path_factory.getbasetemp()
    folder = (own.parent if "PYTEST_XDIST_WORKER" in os.environ else own) / "small"
    with folder.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / "printed.txt").exists():
            arguments = ["run", str(make_experiment(folder)), "--output", str(folder / "results"), "--workers", "1"]
            done = CliRunner().invoke(app, arguments, catch_exceptions=False)
            assert done.exit_code == 0, done.output
            (folder / "printed.txt").write_text(done.output, encoding="utf-8")
    return folder

"""The job script, the queue as SLURM's programs tell of it, and the same path with jobs of this machine.

SLURM itself is tried by scripts/slurm_trial.sh.
"""

import os
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from running import python
from tasks import times

from phonxling.core.errors import ConfigurationError
from phonxling.experiment.configuration import experiment_of, load_configuration, resolved
from phonxling.settings.models import ClusterJobs
from phonxling.workers.cluster import Cluster, JobQueue, arguments, dask_library, private_folder, submitted
from phonxling.workers.scheduling import chosen

JOBS = ClusterJobs(
    queue="long",
    account="phon",
    cores=4,
    memory="16 GB",
    walltime="1-12:00:00",
    directives=("--constraint=avx2",),
    prologue=("module load python/3.11", "export OMP_NUM_THREADS=1"),
    interface="lo",
    python="/opt/env/bin/python",
    scratch="$TMPDIR",
)


def test_the_job_script() -> None:
    with dask_library("dask_jobqueue").SLURMCluster(**arguments(JOBS, Path("/shared/jobs-1"))) as cluster:
        *header, command = cluster.job_script().strip().splitlines()
    assert header == [
        "#!/usr/bin/env bash",
        "",
        "#SBATCH -J phonxling",
        "#SBATCH -p long",
        "#SBATCH -A phon",
        "#SBATCH -n 1",
        "#SBATCH --cpus-per-task=4",
        "#SBATCH --mem=15G",
        "#SBATCH -t 1-12:00:00",
        "#SBATCH --output=/shared/jobs-1/slurm-%j.out",
        "#SBATCH --constraint=avx2",
        "module load python/3.11",
        "export OMP_NUM_THREADS=1",
    ]
    assert command.startswith("/opt/env/bin/python -m distributed.cli.dask_worker tcp://127.0.0.1:")
    parts = ("--nthreads 1", "--nworkers 4", "--interface lo", "--local-directory $TMPDIR", "--no-dashboard")
    for part in parts:
        assert part in command


# dask-jobqueue leaves the pipes to its local jobs open
@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_the_same_path_with_jobs_of_this_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(filter(None, sys.path)))
    LocalCluster = dask_library("dask_jobqueue.local").LocalCluster  # noqa: N806 - a class

    messages: list[str] = []
    jobs = ClusterJobs(cores=2, memory="2 GB", interface="lo", scratch=str(tmp_path))
    with Cluster(partial(submitted, jobs, tmp_path / "cache", messages.append, LocalCluster)) as work:
        records = list(work.map(times, 3, range(8)))
        (private,) = (tmp_path / "cache").iterdir()
        assert private.stat().st_mode & 0o777 == 0o700
        assert {file.name: file.stat().st_mode & 0o777 for file in private.glob("*.pem")} == dict.fromkeys(
            ("ca_file.pem", "cert.pem", "key.pem"), 0o600
        )
        address = work._client.scheduler.address
        assert address.startswith("tls://")
        for scheme in ("tcp", "tls"):  # a stranger, without our certificate
            with pytest.raises((OSError, TypeError, RuntimeError)):
                dask_library().Client(address.replace("tls", scheme), timeout="1s", set_as_default=False)
    assert [int(record["product"][0]) for record in records] == list(range(0, 24, 3))
    assert os.getpid() not in {int(record["process"][0]) for record in records}
    assert messages == [f"waiting for the first of 1 jobs to start; their output is in {private}"]
    assert not private.exists()


Program = Callable[[str, str], None]


@pytest.fixture
def slurm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Program:
    """Give what puts a program of SLURM's into the path."""
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}/usr/bin{os.pathsep}/bin")

    def program(name: str, text: str) -> None:
        (tmp_path / name).write_text(f"#!/bin/sh\n{text}", encoding="utf-8")
        (tmp_path / name).chmod(0o755)

    return program


def why_none(folder: Path, seconds: float = 1.0) -> str:
    return JobQueue(["12", "9"], folder).why_none(seconds)


def test_jobs_that_are_over(slurm: Program, tmp_path: Path) -> None:
    slurm("squeue", "echo '9|FAILED|NonZeroExitCode'; echo '12|CANCELLED|None'; echo no line of the queue\n")
    (tmp_path / "slurm-9.out").write_text("".join(f"line {number}\n\n" for number in range(20)), encoding="utf-8")
    assert why_none(tmp_path).splitlines() == [
        "all jobs have ended, and work is left:",
        "  job 9: FAILED (NonZeroExitCode)",
        "  job 12: CANCELLED",
        f"The end of {tmp_path}/slurm-9.out:",
        *(f"  line {number}" for number in range(12, 20)),
        "When jobs can run, run again: what is finished is kept.",
    ]


def test_jobs_that_slurm_has_forgotten(slurm: Program, tmp_path: Path) -> None:
    slurm("squeue", "echo 'slurm_load_jobs error: Invalid job id specified' >&2; exit 1\n")
    why = why_none(tmp_path)
    assert "  job 9: no longer known to SLURM\n" in why
    assert "They wrote nothing." in why


@pytest.mark.parametrize(
    ("states", "seconds"), [(("COMPLETED", "PENDING"), 20.0), (("RUNNING", "FAILED"), 20.0), (("COMPLETED",) * 2, 0.0)]
)
def test_workers_may_come_or_are_there(slurm: Program, tmp_path: Path, states: tuple[str, str], seconds: float) -> None:
    slurm("squeue", "echo '9|{}|None'; echo '12|{}|Resources'\n".format(*states))
    assert why_none(tmp_path, seconds) == ""


def test_a_queue_that_does_not_answer(slurm: Program, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    slurm("squeue", "echo 'Unable to contact slurm controller' >&2; exit 1\n")
    assert why_none(tmp_path, 1000.0) == ""  # but soon may
    monkeypatch.setattr("phonxling.workers.cluster._NO_ANSWER", -1.0)
    assert (
        why_none(tmp_path, 1000.0)
        == "the queue cannot be asked what became of the jobs: Unable to contact slurm controller"
    )


def test_output_stays_when_a_run_fails_and_goes_with_the_next(tmp_path: Path) -> None:
    def fail(output: str) -> None:
        with private_folder(None, tmp_path) as private:
            (private / "key.pem").write_text("secret", encoding="ascii")
            (private / "slurm-1.out").write_text(output, encoding="utf-8")
            raise KeyError(private)

    with pytest.raises(KeyError) as caught:
        fail("exit 127")
    private = caught.value.args[0]
    assert sorted(tmp_path.rglob("*")) == [private, private / "slurm-1.out"]
    with pytest.raises(KeyError):
        fail("")
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_a_job_cannot_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PHONXLING_TEST", "jobs")
    with (
        pytest.raises(ConfigurationError, match=r"my results: a job's script cannot name this path.*cluster: \{folder"),
        private_folder(None, tmp_path / "my results"),
    ):
        pass
    with private_folder(f"{tmp_path}/$PHONXLING_TEST", tmp_path / "my results") as private:
        assert private.parent == tmp_path / "jobs"


@pytest.mark.parametrize("sbatch", ["", "echo 'invalid partition specified: long' >&2; exit 1\n"])
def test_jobs_that_cannot_be_submitted(sbatch: str, slurm: Program, tmp_path: Path) -> None:
    if sbatch:
        slurm("sbatch", sbatch)
    why = "invalid partition specified: long$" if sbatch else ".*sbatch"
    with (
        pytest.raises(ConfigurationError, match=rf"(?s)^--scheduler slurm: jobs cannot be submitted: {why}"),
        submitted(ClusterJobs(interface="lo"), tmp_path / "cache", lambda _: None),
    ):
        pass
    assert list((tmp_path / "cache").iterdir()) == []


def test_jobs_are_submitted_when_there_is_work_for_them(slurm: Program, tmp_path: Path) -> None:
    slurm("sbatch", f"touch '{tmp_path}/asked'; exit 1\n")
    with chosen("slurm", 1, lambda _: None, jobs=ClusterJobs(interface="lo"), folder=tmp_path) as work:
        assert [int(record["product"][0]) for record in work.map(times, 3, [2])] == [6]
        assert list(work.map(times, 3, [])) == []
        assert not (tmp_path / "asked").exists()
        with pytest.raises(ConfigurationError, match="jobs cannot be submitted"):
            list(work.map(times, 3, [1, 2]))
    assert (tmp_path / "asked").exists()


@pytest.mark.parametrize(
    ("key", "value", "told"),
    [
        ("queue", "a b", "must be a word, not 'a b'"),
        ("account", "$(id)", r"must be a word, not '\$\(id\)'"),
        ("python", "python;id", "must be a word"),
        ("memory", "much", "must be a size such as 8 GB, not 'much'"),
        ("walltime", "2 h", "must be a time such as 02:00:00 or 1-12:00:00, not '2 h'"),
        ("prologue", ["one\ntwo"], r".*holds the control character U\+000A"),
        ("directives", "--x", r"must be a list: write \[--x\]"),
        ("jobs", 0, "must be a whole number of at least 1, not 0"),
    ],
)
def test_settings_that_no_script_should_hold_are_refused(key: str, value: object, told: str) -> None:
    with pytest.raises(ConfigurationError, match=f"cluster.{key}: {told}"):
        experiment_of({"name": "x", "corpora": {"a": {"gold": "g", "predicted": "p"}}, "cluster": {key: value}}, "x")


def test_results_do_not_tell_of_jobs(tmp_path: Path) -> None:
    text = "corpora: {a: {gold: g.tsv, predicted: p.tsv}}\n"
    (tmp_path / "x.yaml").write_text(text, encoding="utf-8")
    plain = resolved(load_configuration(tmp_path / "x.yaml"))
    assert resolved(load_configuration(tmp_path / "x.yaml", ["cluster.queue=long"])) == plain


def test_ctrl_c_stays_what_it_was() -> None:
    code = "import signal; from phonxling.workers.cluster import dask_library; "
    code += "before = signal.getsignal(signal.SIGINT); dask_library('dask_jobqueue'); "
    code += "assert signal.getsignal(signal.SIGINT) is before"
    python("-c", code, check=True)

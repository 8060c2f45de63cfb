"""The job script for SLURM, which cannot run here, and the same path with jobs that are processes of this machine."""

import os
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest
from tasks import times

from phonxling.core.errors import ConfigurationError
from phonxling.experiment.configuration.reading import experiment_of, load_configuration, resolved
from phonxling.settings.cluster import ClusterJobs
from phonxling.workers.choose import chosen
from phonxling.workers.cluster import Cluster, dask_library
from phonxling.workers.slurm import arguments, submitted

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
    with dask_library("dask_jobqueue").SLURMCluster(**arguments(JOBS)) as cluster:
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
        "#SBATCH --constraint=avx2",
        "module load python/3.11",
        "export OMP_NUM_THREADS=1",
    ]
    assert command.startswith("/opt/env/bin/python -m distributed.cli.dask_worker tcp://127.0.0.1:")
    for part in ("--nthreads 1", "--nworkers 4", "--interface lo", "--local-directory $TMPDIR"):
        assert part in command


# dask-jobqueue leaves the pipes to its local jobs open
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_the_same_path_with_jobs_of_this_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(filter(None, sys.path)))
    LocalCluster = dask_library("dask_jobqueue.local").LocalCluster  # noqa: N806 - a class

    said: list[str] = []
    jobs = ClusterJobs(cores=2, memory="2 GB", interface="lo", scratch=str(tmp_path))
    with Cluster(partial(submitted, jobs, said.append, LocalCluster), patience=None) as work:
        found = list(work.map(times, 3, range(8)))
    assert [int(record["product"][0]) for record in found] == list(range(0, 24, 3))
    assert os.getpid() not in {int(record["process"][0]) for record in found}
    assert said == ["waiting for the first of 1 jobs to start"]


@pytest.mark.parametrize("sbatch", ["", "#!/bin/sh\necho 'invalid partition specified: long' >&2; exit 1\n"])
def test_jobs_that_cannot_be_submitted(sbatch: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if sbatch:
        (tmp_path / "sbatch").write_text(sbatch, encoding="utf-8")
        (tmp_path / "sbatch").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}/usr/bin{os.pathsep}/bin")
    told = "invalid partition specified" if sbatch else "sbatch"
    with (
        pytest.raises(ConfigurationError, match=rf"(?s)^--scheduler slurm: jobs cannot be submitted: .*{told}"),
        submitted(ClusterJobs(interface="lo"), lambda _: None),
    ):
        pass


def test_jobs_are_submitted_when_there_is_work_for_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "sbatch").write_text(f"#!/bin/sh\ntouch '{tmp_path}/asked'; exit 1\n", encoding="utf-8")
    (tmp_path / "sbatch").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}/usr/bin{os.pathsep}/bin")
    with chosen("slurm", 1, ClusterJobs(interface="lo"), lambda _: None) as work:
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
    subprocess.run([sys.executable, "-c", code], check=True)  # noqa: S603 - our own program

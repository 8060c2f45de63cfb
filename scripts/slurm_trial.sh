#!/usr/bin/env bash
# A trial with SLURM itself, on one machine, in two to ten minutes:
#     scripts/slurm_trial.sh [PYTHON]        PYTHON has phonxling[distributed]; .venv/bin/python by default
# It needs the programs of SLURM and MUNGE (Debian: apt-get install slurm-wlm munge; their services need not run). It
# starts daemons of its own in a scratch folder, as the user who calls it, and ends them. Of the demo it makes results
# with threads, with two jobs of which one is cancelled in the middle, and with two jobs that are both cancelled, and a
# second run; the three must be equal byte for byte. Then it shows how a run ends whose jobs fail, or are refused.
# It is no part of the tests, which know nothing of SLURM's programs. Exit code 1: something was not as it should be.
set -euo pipefail
cd "$(dirname "$0")/.."
python=$(realpath -s "${1:-.venv/bin/python}")
export PATH="$PATH:/usr/sbin:/sbin"
for program in munged slurmctld slurmd sbatch squeue scancel; do
    command -v "$program" >/dev/null || { echo "$program is not installed (Debian: slurm-wlm, munge)" >&2; exit 1; }
done

scratch=$(mktemp -d)
export SLURM_CONF=$scratch/slurm.conf
host=$(hostname -s)
user=$(id -un)
failures=0

tear_down() {
    for daemon in slurmd slurmctld munged; do
        [ -s "$scratch/$daemon.pid" ] && kill "$(cat "$scratch/$daemon.pid")" 2>/dev/null
    done
    sleep 2
    if [ "$failures" = 0 ]; then rm -rf "$scratch"; else echo "everything is in $scratch"; fi
}
trap tear_down EXIT

free_port() { "$python" -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'; }

start_daemons() {
    chmod 711 "$scratch"
    mkdir -m 755 "$scratch"/{munge,state,spool,log}
    (umask 077 && head -c 1024 /dev/urandom >"$scratch/munge/key")
    printf 'CgroupPlugin=cgroup/v1\nCgroupAutomount=no\n' >"$scratch/cgroup.conf"
    cat >"$SLURM_CONF" <<CONF
ClusterName=trial
SlurmctldHost=$host(127.0.0.1)
SlurmUser=$user
SlurmdUser=$user
SlurmctldPort=$(free_port)
SlurmdPort=$(free_port)
AuthType=auth/munge
AuthInfo=socket=$scratch/munge/socket
StateSaveLocation=$scratch/state
SlurmdSpoolDir=$scratch/spool
SlurmctldPidFile=$scratch/slurmctld.pid
SlurmdPidFile=$scratch/slurmd.pid
SlurmctldLogFile=$scratch/log/slurmctld.log
SlurmdLogFile=$scratch/log/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
ReturnToService=2
SwitchType=switch/none
MpiDefault=none
NodeName=$host NodeAddr=127.0.0.1 CPUs=$(nproc) RealMemory=8000 State=UNKNOWN
PartitionName=trial Nodes=$host Default=YES MaxTime=INFINITE State=UP
CONF
    munged --key-file="$scratch/munge/key" --socket="$scratch/munge/socket" --pid-file="$scratch/munged.pid" \
        --log-file="$scratch/log/munged.log" --seed-file="$scratch/munge/seed"
    slurmctld
    slurmd -N "$host"
    for _ in $(seq 30); do
        [ "$(sinfo --noheader --format=%T)" = idle ] && return
        sleep 1
    done
    echo "SLURM's node does not come up; see $scratch/log" >&2
    failures=1
    exit 1
}

# results NAME OPTION…: run the demo, seconds and exit code into NAME.end, all that it prints into NAME.log
results() {
    local name=$1 begun=$SECONDS code=0
    shift
    "$python" -m phonxling run configs/demo.yaml --output "$scratch/$name" --set embedding.method=pca \
        --set chance.replicates=40 --set 'figures.formats=[png]' "$@" >"$scratch/$name.log" 2>&1 || code=$?
    echo "exit code $code after $((SECONDS - begun)) s" >"$scratch/$name.end"
}

jobs=(--scheduler slurm --set cluster.jobs=2 --set cluster.interface=lo --set cluster.memory="2 GB")

# cancelled NAME one|all: the same through two jobs, cancelled when the tenth task is stored
cancelled() {
    results "$1" "${jobs[@]}" &
    local run=$!
    while kill -0 "$run" 2>/dev/null && [ "$(find "$scratch/$1/.cache/tasks" -type f 2>/dev/null | wc -l)" -lt 6 ]; do
        sleep 0.2
    done
    squeue --noheader --states=RUNNING --format=%i | if [ "$2" = one ]; then head -n 1; else cat; fi | xargs scancel
    wait "$run"
}

# check WHAT CONDITION…
check() {
    local what=$1
    shift
    if "$@"; then echo "  right: $what"; else echo "  WRONG: $what"; failures=1; fi
}

same() { diff -rq --exclude=.cache --exclude=.lock --exclude=run.json "$scratch/threads" "$scratch/$1"; }
ended() { grep -q "exit code $2" "$scratch/$1.end"; }
message() { grep -qF "$2" "$scratch/$1.log"; }
show() { sed -n '/^error/,$p' "$scratch/$1.log" | sed 's/^/    /'; }

start_daemons
echo "$(slurmctld -V), munge $(munged --version | grep -o '[0-9][0-9.]*' | head -n 1), as $user"
results threads
echo "threads: $(cat "$scratch/threads.end")"
cancelled one one
echo "two jobs, one of them cancelled: $(cat "$scratch/one.end")"
check "the run notices" message one ": CANCELLED"
check "its results are those of threads, byte for byte" same one
cancelled all all
echo "two jobs, both cancelled: $(cat "$scratch/all.end")"
show all
check "it ends with what happened" message all "all jobs have ended, and work is left"
results all "${jobs[@]}"
echo "the same again: $(cat "$scratch/all.end")"
check "it goes on where it was" message all "kept from an earlier run"
check "its results are those of threads, byte for byte" same all
results fail "${jobs[@]}" --set 'cluster.prologue=["echo no such module; exit 3"]'
echo "jobs that fail at once: $(cat "$scratch/fail.end")"
show fail
check "it ends with their output" message fail "no such module"
results partition "${jobs[@]}" --set cluster.queue=nowhere
echo "a partition that does not exist: $(cat "$scratch/partition.end")"
show partition
check "it is refused" ended partition 2
check "no job is left in the queue" test -z "$(squeue --noheader)"
check "nothing was written here" test -z "$(find . -maxdepth 1 -name 'slurm-*.out')"
exit "$failures"

"""A million pairs from two text files to confusion counts, in a process of its own: seconds and peak memory."""

import json
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
from scale.text import write_text

import phonxling as px
from benchmarks.contest import Goal, MismatchError, Row, Settings

_GOAL = Goal(seconds=4, megabytes=600)


def text_to_counts(settings: Settings) -> Row:
    """Return the row: loading, pairing, aligning and counting by one thread, in its seconds of the processor."""
    pairs = settings.size(1_000_000, quick=20_000)
    work = f"{pairs:,} pairs, two TSV files to counts, 1 thread"
    print(f"alignment: {work}", file=sys.stderr)
    folder = write_text(settings.folder / "pairs", pairs).parent
    files = [str(folder / f"{side}.tsv") for side in ("gold", "predicted")]
    written = [len(Path(file).read_text(encoding="utf-8").split()) - 2 - pairs for file in files]  # header and ids
    command = [sys.executable, "-m", "benchmarks.counting", *files]
    seconds, peaks = [], []
    for _ in range(2 if settings.quick else 4):
        done = subprocess.run(command, cwd=Path(__file__).parents[1], capture_output=True, text=True, check=True)  # noqa: S603 - ourselves
        took, peak, counted = json.loads(done.stdout)
        if counted != written:
            raise MismatchError(f"alignment, {work}: {counted} tokens were counted of {written}")
        seconds.append(took)
        peaks.append(peak)
    return Row(
        section="alignment",
        work=work,
        against="",
        goal=_GOAL if settings.whole else None,
        ours_seconds=float(np.median(seconds[1:])),  # the first warms up
        megabytes=max(filter(None, peaks[1:]), default=None),
        repeats=len(seconds) - 1,
        note="peak memory of the process, imports included" if settings.whole else "a smaller workload: no goal",
    )


def _counted(gold: str, predicted: str) -> tuple[float, float | None, list[int]]:
    """Return the seconds, the peak memory and how many tokens were counted."""
    clock = time.process_time()
    corpus = px.load_corpus(gold, predicted)
    costs = px.feature_costs(corpus.gold_inventory, corpus.predicted_inventory)
    matrix = px.count_confusions(px.align_corpus(corpus, costs))
    seconds = time.process_time() - clock
    return seconds, _peak_megabytes(), [int(matrix.counts[:-1].sum()), int(matrix.counts[:, :-1].sum())]


def _peak_megabytes() -> float | None:
    """Return the most memory that this process held, where Linux tells; its ru_maxrss would count the parent's too."""
    status = Path("/proc/self/status")
    lines = status.read_text(encoding="ascii").splitlines() if status.exists() else []
    return next((int(line.split()[1]) * 1024 / 1e6 for line in lines if line.startswith("VmHWM")), None)


if __name__ == "__main__":
    print(json.dumps(_counted(*sys.argv[1:])))

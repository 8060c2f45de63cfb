"""A million pairs from two text files to confusion counts, in a process of its own: seconds and peak memory."""

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np

import phonxling as px
from benchmarks.contest import Goal, MismatchError, Row, Settings
from benchmarks.workload import PHONES, Side, blocks

_GOAL = Goal(seconds=4, megabytes=600)


@dataclass(frozen=True)
class Run:
    """What one process found: gold and predicted tokens counted, and what that took."""

    seconds: float
    megabytes: float | None
    tokens: list[int]


def text_to_counts(settings: Settings) -> Row:
    """Return the row: loading, pairing, aligning and counting by one thread, in its seconds of the processor."""
    pairs = settings.size(1_000_000, quick=20_000)
    work = f"{pairs:,} pairs, two TSV files to counts, 1 thread"
    print(f"alignment: {work}", file=sys.stderr)
    files = settings.folder / "gold.tsv", settings.folder / "predicted.tsv"
    tokens = [_written(file, pairs, side) for side, file in enumerate(files)]
    runs = [_in_a_child(*files) for _ in range(2 if settings.quick else 4)][1:]  # once to warm up
    for run in runs:
        if run.tokens != tokens:
            raise MismatchError(f"alignment, {work}: {run.tokens} tokens were counted of {tokens}")
    return Row(
        section="alignment",
        work=work,
        against="",
        goal=_GOAL if settings.whole else None,
        ours_seconds=float(np.median([run.seconds for run in runs])),
        megabytes=max((run.megabytes for run in runs if run.megabytes), default=None),
        repeats=len(runs),
        note="peak memory of the process, imports included" if settings.whole else "a smaller workload: no goal",
    )


def _written(path: Path, pairs: int, side: int) -> int:
    """Write one side of W as a table of utterances and return its number of tokens."""
    tokens = 0
    with path.open("w", encoding="utf-8") as file:
        file.write("utterance\tphones\n")
        for number, block in enumerate(blocks(pairs)):
            file.writelines(_lines(block[side], number))
            tokens += len(block[side].codes)
    return tokens


def _lines(side: Side, block: int) -> Iterator[str]:
    names = list(map(PHONES.__getitem__, side.codes.tolist()))
    ends = side.offsets.tolist()
    for place, (start, stop) in enumerate(pairwise(ends)):
        yield f"b{block:02}-{place:05}\t{' '.join(names[start:stop])}\n"


def _in_a_child(gold: Path, predicted: Path) -> Run:
    command = [sys.executable, "-m", "benchmarks.counting", str(gold), str(predicted)]
    folder = Path(__file__).resolve().parent.parent
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)  # noqa: S603 - ourselves
    return Run(**json.loads(done.stdout))


def _count(gold: Path, predicted: Path) -> Run:
    clock = time.process_time()
    corpus = px.load_corpus(gold, predicted)
    costs = px.feature_costs(corpus.gold_inventory, corpus.predicted_inventory)
    matrix = px.count_confusions(px.align_corpus(corpus, costs))
    seconds = time.process_time() - clock
    tokens = [int(matrix.counts[:-1].sum()), int(matrix.counts[:, :-1].sum())]
    return Run(seconds, peak_megabytes(), tokens)


def peak_megabytes() -> float | None:
    """Return the most memory that this process held. Linux's ru_maxrss would count the parent's too."""
    status = Path("/proc/self/status")
    if status.exists():
        peak = next(line for line in status.read_text().splitlines() if line.startswith("VmHWM"))
        return int(peak.split()[1]) * 1024 / 1e6
    try:
        import resource
    except ImportError:  # on Windows
        return None
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6  # bytes on macOS


if __name__ == "__main__":
    print(json.dumps(asdict(_count(Path(sys.argv[1]), Path(sys.argv[2])))))

"""A file of posteriors larger than memory should be, to joint counts, in a process of its own; only on request."""

import json
import shutil
import subprocess
import sys
import time
import zipfile
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

import phonxling as px
from benchmarks.contest import Goal, Row, Settings
from benchmarks.counting import peak_megabytes
from benchmarks.frames import SHIFT
from benchmarks.workload import INVENTORY, PHONES
from phonxling.core.arrays import offsets_of

_LENGTH, _PHONE = 36_000, 10  # frames an utterance (six minutes) and a phone
_SIZE = _LENGTH * len(PHONES) * 2  # bytes of an utterance in half precision


@dataclass(frozen=True)
class Run:
    """What one process took; `seconds` of the clock, since reading is not the processor's work."""

    frames: int
    seconds: float
    megabytes: float | None


def rows(settings: Settings) -> Iterator[Row]:
    """Yield the section's row: memory for all frames against that for a quarter of them.

    Raises
    ------
    OSError
        If the disk has no room for the file.
    """
    number = max(4, round(settings.gigabytes * 1e9 / _SIZE))
    if shutil.disk_usage(settings.folder).free < 1.1 * number * _SIZE:
        raise OSError(f"no room for {number * _SIZE / 1e9:.1f} GB in {settings.folder}")
    few, all_of = (_measured(settings.folder / "stream.npz", size) for size in (number // 4, number))
    speed = f"{all_of.frames / all_of.seconds / 1e6:.1f} M frames a second"
    yield Row(
        section="stream",
        work=f"{number * _SIZE / 1e9:.1f} GB of float16 in one npz to joint counts, {all_of.frames:,} frames",
        against="a quarter of it",
        goal=Goal(megabytes=500),
        ratio=few.megabytes / all_of.megabytes if few.megabytes and all_of.megabytes else None,
        ours_seconds=all_of.seconds,
        megabytes=all_of.megabytes,
        repeats=1,
        note=f"{few.megabytes or 0:,.0f} MB for a quarter; {speed}",
    )


def _measured(file: Path, utterances: int) -> Run:
    _write(file, utterances)
    try:
        return _in_a_child(file, utterances)
    finally:
        file.unlink()


def _write(file: Path, utterances: int) -> None:
    """Write the same utterance again and again, which nothing that reads can tell."""
    values = np.random.default_rng(1).random((_LENGTH, len(PHONES)), dtype=np.float32) ** 8
    values /= values.sum(axis=1, keepdims=True)
    with zipfile.ZipFile(file, "w") as archive:
        for name, array in (("phones", np.array(PHONES)), *((_name(n), values) for n in range(utterances))):
            with archive.open(f"{name}.npy", "w") as member:
                np.save(member, array.astype(np.float16) if array is values else array)


def _name(utterance: int) -> str:
    return f"u{utterance:06}"


def _in_a_child(file: Path, utterances: int) -> Run:
    command = [sys.executable, "-m", "benchmarks.stream", str(file), str(utterances)]
    folder = Path(__file__).resolve().parent.parent
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)  # noqa: S603 - ourselves
    return Run(**json.loads(done.stdout))


def _accumulate(file: Path, utterances: int) -> Run:
    segments = _segments(utterances)
    clock = time.perf_counter()
    posteriorgrams = px.load_posteriorgrams(file, frame_shift=SHIFT)
    heard: list[int] = []
    joint = px.joint_distribution(posteriorgrams, segments, workers=2, heard=heard.append)
    seconds = time.perf_counter() - clock
    if round(joint.mass.sum()) != len(segments.codes):
        raise RuntimeError("tokens were lost")
    return Run(sum(heard), seconds, peak_megabytes())


def _segments(utterances: int) -> px.values.PhoneSequences:
    tokens = _LENGTH // _PHONE
    start = np.tile(np.arange(tokens) * _PHONE * SHIFT, utterances)
    return px.values.PhoneSequences(
        utterances=tuple(map(_name, range(utterances))),
        offsets=offsets_of([tokens] * utterances),
        codes=np.random.default_rng(2).integers(0, len(INVENTORY), len(start)).astype(np.uint8),
        start=start,
        end=start + _PHONE * SHIFT,
        inventory=INVENTORY,
        source="made up",
    )


if __name__ == "__main__":
    print(json.dumps(asdict(_accumulate(Path(sys.argv[1]), int(sys.argv[2])))))

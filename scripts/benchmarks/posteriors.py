"""Posteriors and timed phones to joint counts, against other ways to sum rows by label, and against memory itself."""

import tracemalloc
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

import phonxling as px
from benchmarks import aligners
from benchmarks.contest import Contest, Goal, Peer, Row, Settings, measure
from benchmarks.workload import INVENTORY, PHONES, SEED
from phonxling.core.arrays import offsets_of
from phonxling.core.posteriorgram import Posteriorgrams
from phonxling.core.sequences import PhoneSequences

SHIFT = 0.01  # seconds


@dataclass(frozen=True)
class Frames:
    """Utterances of so many frames, one after the other: posteriors [T, 45], the gold phone of each [T], with times."""

    rows: NDArray[np.float32]
    codes: NDArray[np.int64]
    segments: PhoneSequences
    length: int

    def runs(self) -> list[NDArray[np.float32]]:
        """Return each utterance's frames."""
        return [self.rows[start : start + self.length] for start in range(0, len(self.rows), self.length)]

    def posteriorgrams(self) -> Posteriorgrams:
        """Return the frames as a reader that gives views of the array."""
        names = self.segments.utterances
        runs = dict(zip(names, self.runs(), strict=True))
        columns = np.arange(len(INVENTORY))
        made_of = {"source": "made up", "inventory": INVENTORY, "columns": columns, "frame_shift": SHIFT}
        return Posteriorgrams(utterances=names, read=runs.__getitem__, **made_of)


def rows(settings: Settings) -> Iterator[Row]:
    """Yield the section's rows."""
    frames = _made(settings.size(200, quick=20), 10_000)
    yield from measure(_in_memory(frames), settings.repeats)
    short = _made(settings.size(2_000, quick=200), 1_000)  # where each utterance's own work, in Python, counts for more
    contest = Contest("posteriors", _work(short), lambda: _joint(short), [_reader(short.rows)])
    yield from measure(contest, settings.repeats)
    yield from measure(_small_files(settings), settings.repeats)
    yield _memory(settings)


def _in_memory(frames: Frames) -> Contest:
    values, codes = frames.rows, frames.codes
    hot = sparse.csr_array(
        (np.ones(len(codes), np.float32), codes, np.arange(len(codes) + 1)), shape=(len(codes), len(INVENTORY))
    ).T.tocsr()
    expected = _joint(frames)

    def added() -> NDArray[np.float64]:
        mass = np.zeros((len(INVENTORY), values.shape[1]))
        np.add.at(mass, codes, values)
        return mass

    def close(found: NDArray[np.floating]) -> bool:  # the others' sums are of single precision
        return np.allclose(found, expected, rtol=1e-3)

    peers = [
        _reader(values),
        Peer("SciPy: CSR one-hot @", lambda: hot @ values, lambda: close(hot @ values), Goal(ratio=1.3)),
        Peer("NumPy: np.add.at", added, lambda: close(added()), Goal(ratio=75)),
    ]
    return Contest("posteriors", _work(frames), lambda: _joint(frames), peers)


def _work(frames: Frames) -> str:
    return f"{len(frames.codes):,} frames of {frames.rows.shape[1]} float32, in {frames.length * SHIFT:g} s"


def _joint(frames: Frames) -> NDArray[np.float64]:
    return px.joint_distribution(frames.posteriorgrams(), frames.segments, unit="frame").mass


def _reader(values: NDArray[np.float32]) -> Peer:
    library, reason = aligners.build()
    name, goal = "C loop that only reads", Goal(ratio=0.6)
    if library is None:
        return Peer(name, None, goal=goal, note=reason)

    def same() -> bool:
        return bool(np.isclose(aligners.read_all(library, values), values.sum(dtype=np.float64), rtol=1e-4))

    return Peer(name, lambda: aligners.read_all(library, values), same, goal)


def _small_files(settings: Settings) -> Contest:
    """Return the contest over a folder of files of 3 s: reading and counting, against reading alone."""
    frames = _made(settings.size(2_000, quick=500), 300)
    folder = settings.folder / "npy"
    folder.mkdir(exist_ok=True)
    files = [folder / f"{name}.npy" for name in frames.segments.utterances]
    for file, values in zip(files, frames.runs(), strict=True):
        np.save(file, values)

    def counted() -> NDArray[np.float64]:
        opened = px.load_posteriorgrams(folder, frame_shift=SHIFT, labels=list(PHONES))
        joint = px.joint_distribution(opened, frames.segments, unit="frame")
        return joint.reindex(INVENTORY, INVENTORY).mass

    def loaded() -> int:
        return sum(len(np.load(file)) for file in files)

    peer = Peer("np.load of each", loaded, lambda: np.allclose(counted(), _joint(frames)), Goal(ratio=3))
    work = f"{len(files):,} .npy files of 300 frames to joint counts"
    return Contest("posteriors", work, counted, [peer])


def _memory(settings: Settings) -> Row:
    """Return the row on what is held at most, for some frames and for four times as many, of a mapped file."""
    few = settings.size(500, quick=50)
    small, large = (_peak(settings.folder / "frames.npy", _made(number, 1_000)) for number in (few, 4 * few))
    return Row(
        section="posteriors",
        work=f"memory held at most, {4 * few * 1_000:,} mapped frames",
        against="a quarter of the frames",
        goal=Goal(ratio=0.9) if settings.whole else None,
        ratio=small / large,
        megabytes=large / 1e6,
        repeats=1,
        note=f"{small / 1e6:.2f} MB; 1 when memory does not grow",
    )


def _peak(file: Path, frames: Frames) -> int:
    """Return the bytes held at most while frames are counted; a map's pages are the system's and are not counted."""
    np.save(file, frames.rows)
    posteriorgrams = replace(frames, rows=np.load(file, mmap_mode="r")).posteriorgrams()
    px.joint_distribution(posteriorgrams, frames.segments)  # compiled and warm
    tracemalloc.start()
    px.joint_distribution(posteriorgrams, frames.segments)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak


def _made(utterances: int, length: int) -> Frames:
    """Return utterances of so many frames, in phones of 3 to 13 frames that fill them."""
    generator = np.random.default_rng([SEED, utterances, length])
    values = generator.random((utterances * length, len(INVENTORY)), dtype=np.float32) ** 8
    values /= values.sum(axis=1, keepdims=True)
    cuts = [_cuts(length, generator) for _ in range(utterances)]
    counts = [len(cut) - 1 for cut in cuts]
    codes = generator.integers(0, len(INVENTORY), sum(counts))
    starts, ends = (np.concatenate([cut[part] for cut in cuts]) for part in (slice(-1), slice(1, None)))
    segments = PhoneSequences(
        utterances=tuple(f"u{number:06}" for number in range(utterances)),
        offsets=offsets_of(counts),
        codes=codes.astype(np.int32),
        start=starts * SHIFT,
        end=ends * SHIFT,
        inventory=INVENTORY,
        source="made up",
    )
    return Frames(values, np.repeat(codes, ends - starts), segments, length)


def _cuts(length: int, generator: np.random.Generator) -> NDArray[np.int64]:
    inner = np.cumsum(generator.integers(3, 14, length // 3))
    return np.concatenate([[0], inner[inner < length], [length]])

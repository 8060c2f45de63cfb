"""A corpus with posteriors: pairs of workload W with times, and an npz of float16, written an utterance at a time."""

import zipfile
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

import numpy as np
from benchmarks.workload import PHONES, SEED, blocks
from numpy.lib import format as npy
from numpy.typing import NDArray

from scale.text import name_of

COLUMNS, SHIFT = 40, 0.01  # the first 40 of the 45 phones; seconds
_VARIANTS = 64  # different rows for each phone
_CONFIGURATION = """\
corpora:
  made:
    gold: {path: gold.tsv}
    predicted: {path: predicted.tsv}
    posteriors: {path: posteriors.npz}
"""
Ints = NDArray[np.int64]


def write_frames(folder: Path, frames: int, frames_a_token: int = 10) -> Path:
    """Write gold.tsv and predicted.tsv with times, posteriors.npz, and the configuration; return its path.

    Gold tokens last `frames_a_token` frames on average, ± 50 %; predicted ones share their utterance's time equally.
    Utterances are added until there are at least so many frames.
    """
    folder.mkdir(parents=True, exist_ok=True)
    generator = np.random.default_rng([SEED, frames_a_token])
    rows, left, number = _rows(), frames, 0
    with (
        (folder / "gold.tsv").open("w", encoding="utf-8") as gold,
        (folder / "predicted.tsv").open("w", encoding="utf-8") as predicted,
        zipfile.ZipFile(folder / "posteriors.npz", "w") as archive,
    ):
        _store(archive, "phones", np.array(PHONES[:COLUMNS]))
        _store(archive, "frame_shift_s", np.array(SHIFT))
        for file in (gold, predicted):
            file.write("utterance\tstart\tend\tphone\n")
        pairs = (zip(spoken.runs(), answers.runs(), strict=True) for spoken, answers in blocks(1 << 40))  # without end
        for said, heard in chain.from_iterable(pairs):
            length = generator.integers(max(1, frames_a_token // 2), frames_a_token * 3 // 2 + 1, len(said))
            ends = np.cumsum(length)
            gold.writelines(_intervals(number, said, ends))
            predicted.writelines(_intervals(number, heard, ends[-1] * np.arange(1, len(heard) + 1) // len(heard)))
            chosen = generator.integers(0, _VARIANTS, ends[-1])
            _store(archive, name_of(number), rows[np.repeat(said, length), chosen])
            left, number = left - int(ends[-1]), number + 1
            if left <= 0:
                break
    configuration = folder / "made.yaml"
    configuration.write_text(_CONFIGURATION, encoding="utf-8")
    return configuration


def _rows() -> NDArray[np.float16]:
    """Return posteriors of each phone, [45, 64, 40]: most of the mass on the phone itself; of the last 5 on no one."""
    generator = np.random.default_rng(SEED)
    values = generator.random((len(PHONES), _VARIANTS, COLUMNS)) ** 8
    for phone in range(COLUMNS):
        values[phone, :, phone] += generator.gamma(1.0, 4.0, _VARIANTS)
    return (values / values.sum(axis=2, keepdims=True)).astype(np.float16)


def _store(archive: zipfile.ZipFile, name: str, values: NDArray[np.generic]) -> None:
    with archive.open(zipfile.ZipInfo(f"{name}.npy"), "w") as member:
        npy.write_array(member, values, allow_pickle=False)


def _intervals(number: int, codes: NDArray[np.int32], ends: Ints) -> Iterator[str]:
    name, times = name_of(number), [f"{end / 100:.2f}" for end in (0, *ends.tolist())]
    for place, code in enumerate(codes.tolist()):
        yield f"{name}\t{times[place]}\t{times[place + 1]}\t{PHONES[code]}\n"

"""A corpus with posteriors: pairs of workload W with times, and an npz of float16, written an utterance at a time."""

import zipfile
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from phonxling.core.arrays import offsets_of
from phonxling.core.posteriorgram import Posteriorgrams
from phonxling.core.sequences import PhoneSequences
from scale.text import CONFIGURATION, name_of
from scale.workload import INVENTORY, PHONES, SEED, blocks

COLUMNS, SHIFT = 40, 0.01  # the first 40 of the 45 phones; seconds
_VARIANTS = 64  # different rows for each phone
Ints = NDArray[np.int64]


def write_frames(folder: Path, frames: int) -> Path:
    """Write gold.tsv and predicted.tsv with times, posteriors.npz, and the configuration; return its path.

    Gold tokens last ten frames on average, ± 50 %; predicted ones share their utterance's time equally. Utterances are
    added until there are at least so many frames.
    """
    folder.mkdir(parents=True, exist_ok=True)
    generator = np.random.default_rng([SEED, 10])
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
            length = generator.integers(5, 16, len(said))
            ends = np.cumsum(length)
            gold.writelines(_intervals(number, said, ends))
            predicted.writelines(_intervals(number, heard, ends[-1] * np.arange(1, len(heard) + 1) // len(heard)))
            chosen = generator.integers(0, _VARIANTS, ends[-1])
            _store(archive, name_of(number), rows[np.repeat(said, length), chosen])
            left, number = left - int(ends[-1]), number + 1
            if left <= 0:
                break
    configuration = folder / "made.yaml"
    configuration.write_text(f"{CONFIGURATION}    posteriors: {{path: posteriors.npz}}\n", encoding="utf-8")
    return configuration


def frames_in_memory(
    utterances: int, length: int = 1_000
) -> tuple[NDArray[np.float32], PhoneSequences, Posteriorgrams]:
    """Return posteriors [T, 45] of utterances of so many frames, the gold phones that fill them, and their reader."""
    generator = np.random.default_rng([SEED, utterances, length])
    values = generator.random((utterances * length, len(PHONES)), dtype=np.float32) ** 8
    values /= values.sum(axis=1, keepdims=True)
    cuts = [_cuts(length, generator) for _ in range(utterances)]
    counts = [len(cut) - 1 for cut in cuts]
    names = tuple(map(name_of, range(utterances)))
    segments = PhoneSequences(
        utterances=names,
        offsets=offsets_of(counts),
        codes=generator.integers(0, len(PHONES), sum(counts)).astype(np.int32),
        start=np.concatenate([cut[:-1] for cut in cuts]) * SHIFT,
        end=np.concatenate([cut[1:] for cut in cuts]) * SHIFT,
        inventory=INVENTORY,
        source="made up",
    )
    runs = dict(zip(names, np.split(values, utterances), strict=True))
    return (
        values,
        segments,
        Posteriorgrams(
            utterances=names,
            read=runs.__getitem__,
            source="made up",
            inventory=INVENTORY,
            columns=np.arange(len(PHONES)),
            frame_shift=SHIFT,
        ),
    )


def _cuts(length: int, generator: np.random.Generator) -> Ints:
    """Return where phones of 3 to 13 frames begin, and the end."""
    inner = np.cumsum(generator.integers(3, 14, length // 3))
    return np.concatenate([[0], inner[inner < length], [length]])


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

"""The files of a language, and their checksums."""

import hashlib
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from .features import FRAME_SHIFT
from .recogniser import PHONES, Recognised
from .speech import Utterance

CHECKSUMS = "SHA256SUMS"


def write_language(
    folder: Path,
    utterances: Sequence[Utterance],
    posteriors: Sequence[NDArray[np.float16]] | None,
    recognised: Sequence[Sequence[Recognised]],
) -> None:
    """Write text, speakers, gold, predictions and, where they are given, posteriors of one language."""
    gold = [
        (utterance.name, f"{interval.start:.4f}", f"{interval.end:.4f}", interval.phone)
        for utterance in utterances
        for interval in utterance.phones
    ]
    predicted = []
    for utterance, phones in zip(utterances, recognised, strict=True):
        for phone in phones:
            start, end = (f"{frame * FRAME_SHIFT:.4f}" for frame in (phone.start, phone.end))
            predicted.append((utterance.name, start, end, PHONES[phone.column], f"{phone.confidence:.4f}"))
    for name, header, rows in (
        ("text", "utterance text", [(each.name, each.text) for each in utterances]),
        ("speakers", "utterance speaker", [(each.name, each.speaker) for each in utterances]),
        ("gold", "utterance start end phone", gold),
        ("predicted", "utterance start end phone confidence", predicted),
    ):
        _write(folder / f"{name}.tsv", ("\t".join(row) for row in (header.split(), *rows)))
    if posteriors is not None:
        write_arrays(folder / "posteriors.npz", utterances, posteriors, labels=PHONES, frame_shift=FRAME_SHIFT)


def write_arrays(
    path: Path,
    utterances: Sequence[Utterance],
    arrays: Sequence[NDArray[np.float16]],
    *,
    labels: Sequence[str],
    frame_shift: float,
) -> None:
    """Write an array [frames, labels] an utterance, the labels of its columns and seconds from frame to frame."""
    named = {utterance.name: array for utterance, array in zip(utterances, arrays, strict=True)}
    np.savez_compressed(path, phones=np.array(labels), frame_shift_s=np.array(frame_shift), **named)


def write_checksums(folder: Path) -> None:
    """Write the sha256 of each file below a folder, as ``sha256sum --check`` reads them."""
    paths = sorted(path for path in folder.rglob("*") if path.is_file() and path.name != CHECKSUMS)
    digests = (hashlib.sha256(path.read_bytes()).hexdigest() for path in paths)
    names = (path.relative_to(folder).as_posix() for path in paths)
    _write(folder / CHECKSUMS, (f"{digest}  {name}" for digest, name in zip(digests, names, strict=True)))


def _write(path: Path, lines: Iterable[str]) -> None:
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8", newline="\n")

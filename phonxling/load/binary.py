"""What files of bytes are by their beginning, so that the error can say what to do."""

import json
import shlex
from pathlib import Path

_PICKLE = "a Python pickle, which could run any program and is never opened here: write"
_TEXT = f"{_PICKLE} transcripts as TSV or JSONL, posteriors with numpy.savez"
_MAGIC = {
    b"\x1f\x8b": "a gzip archive: unpack it first",
    b"BZh": "a bzip2 archive: unpack it first",
    b"\xfd7zXZ": "an xz archive: unpack it first",
    b"RIFF": "sound (WAV), not a transcript",
    b"fLaC": "sound (FLAC), not a transcript",
    b"NIST_1A": "sound (NIST SPHERE), not a transcript",
    b"ID3": "sound (MP3), not a transcript",
    b"\x93NUMPY": "an array (.npy): give it as posteriors",
    b"\x89HDF": "HDF5: give it as posteriors",
    **{bytes([0x80, protocol]): _TEXT for protocol in range(2, 6)},
    b"\xd0\xcf\x11\xe0": "an old spreadsheet or document (.xls, .doc): export its table as CSV UTF-8, or as TSV",
    **dict.fromkeys((b"ARROW1", b"\xff\xff\xff\xff"), "an Arrow file: write the data set with to_parquet or to_json"),
    b"%PDF": "a PDF: copy its table into a TSV",
}
_ZIP = b"PK\x03\x04"
_TORCH_ENDINGS = frozenset({".pt", ".pth", ".ckpt"})


def binary(path: Path, data: bytes) -> str:
    """Return what a file is by its first bytes, when it is no text and no format of ours; else ""."""
    if data.startswith(_ZIP):
        return _of_zip(path, data)
    return next((what for magic, what in _MAGIC.items() if data.startswith(magic)), "")


def unopened(path: Path) -> str:
    """Return what a file of posteriors is whose ending is a pickle's, and how to convert it; "" for other endings.

    Examples
    --------
    >>> print(unopened(Path("out.pt")).partition(": ")[2])  # doctest: +NORMALIZE_WHITESPACE
    python -c 'import numpy, torch; numpy.savez("out.npz", **{utterance: frames.float().numpy()
    for utterance, frames in torch.load("out.pt", map_location="cpu", weights_only=True).items()})'
    """
    if path.suffix.lower() in _TORCH_ENDINGS:
        return _torch(path)
    return _TEXT if path.suffix.lower() in {".pkl", ".pickle"} else ""


def _of_zip(path: Path, data: bytes) -> str:
    """Return what a zip archive is by the name of its first file."""
    first = data[30 : 30 + int.from_bytes(data[26:28], "little")]
    if first.endswith((b"/data.pkl", b"/version", b"/byteorder")):
        return _torch(path)
    if first.endswith(b".npy"):
        return "arrays (.npz): give them as posteriors"
    if first.startswith((b"[Content_Types]", b"xl/", b"_rels/")) or b"opendocument.spreadsheet" in data[:200]:
        return "a spreadsheet (.xlsx, .ods): export its table as CSV UTF-8, or as TSV"
    return "a zip archive: unpack it first"


def _torch(path: Path) -> str:
    names = [json.dumps(str(name), ensure_ascii=False) for name in (path.with_suffix(".npz"), path)]
    load = f'torch.load({names[1]}, map_location="cpu", weights_only=True)'
    arrays = f"**{{utterance: frames.float().numpy() for utterance, frames in {load}.items()}}"
    program = shlex.quote(f"import numpy, torch; numpy.savez({names[0]}, {arrays})")
    what = "a file of PyTorch, whose pickle could run any program and is never opened here"
    return f"{what}. If it holds a matrix an utterance, write them as npz: python -c {program}"

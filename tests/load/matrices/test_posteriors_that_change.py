"""Files of posteriors that another program changes while they are read: an error, never a number or a signal."""

import os
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from saved_posteriors import save_posteriors

from phonxling.core.errors import DataError
from phonxling.core.posteriorgram import RawPosteriors
from phonxling.load.posteriors import load_raw_posteriors

FRAMES = np.tile(np.array([[0.25, 0.75], [1.0, 0.0]], dtype=np.float32), (400_000, 1))  # 6 MB: not read at one go
LABELS = ["a", "b"]


WRITTEN = ("u.npz", "packed.npz", "u.npy", "u.h5", "u.safetensors", "u.ark")


def cut(path: Path) -> None:
    os.truncate(path, path.stat().st_size // 2)


def grown(path: Path) -> None:
    with path.open("ab") as file:
        file.write(b"more")


def overwritten(path: Path) -> None:
    before = path.stat()
    with path.open("r+b") as file:
        file.seek(before.st_size // 2)
        file.write(b"\0" * 64)
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns + 4_000_000))  # clocks of file systems tick in ms


def replaced(path: Path) -> None:
    copy = path.with_suffix(".new")
    copy.write_bytes(path.read_bytes())
    copy.replace(path)


def gone(path: Path) -> None:
    path.unlink()


def opened(path: Path) -> RawPosteriors:
    raw = load_raw_posteriors(save_posteriors(path, {"u": FRAMES}), labels=LABELS)
    if path.suffix != ".npy":
        return raw
    matrix = raw.read("u")  # an npy file is opened for its one utterance
    return RawPosteriors(source=raw.source, labels=raw.labels, utterances=raw.utterances, read=lambda _: matrix)


@pytest.mark.parametrize("name", WRITTEN)
@pytest.mark.parametrize("change", [cut, grown, overwritten, replaced, gone])
def test_a_file_that_changes_after_it_was_opened_is_refused(
    tmp_path: Path, name: str, change: Callable[[Path], None]
) -> None:
    path = tmp_path / name
    raw = opened(path)
    np.testing.assert_array_equal(raw.read("u")[:], FRAMES)
    change(path)
    with pytest.raises(DataError, match="while it was read") as caught:
        raw.read("u")[:]
    assert str(caught.value).startswith(str(path))


def test_a_list_of_places_watches_the_archives_that_it_names(tmp_path: Path) -> None:
    save_posteriors(tmp_path / "u.ark", {"u": FRAMES})
    (tmp_path / "u.scp").write_text("u u.ark:2\n", encoding="utf-8")
    raw = load_raw_posteriors(tmp_path / "u.scp", labels=LABELS)
    cut(tmp_path / "u.ark")
    with pytest.raises(DataError, match=r"u\.ark: was changed while it was read"):
        raw.read("u")

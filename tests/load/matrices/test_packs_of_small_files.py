"""Many small matrices read at once are those that are read one by one; whatever is unusual is read by itself."""

import pickle
import struct
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from numpy.lib import format as npy
from numpy.typing import NDArray

from phonxling.core.errors import DataError
from phonxling.core.posteriorgram import RawPosteriors, packs_of
from phonxling.load import stored as packs
from phonxling.load.posteriors import load_raw_posteriors

Matrices = dict[str, NDArray[np.generic]]
LABELS = ["a", "b", "c"]


def plain(number: int = 12) -> Matrices:
    generator = np.random.default_rng(number)
    return {f"u{place:02}": generator.random((1 + place % 5, 3)).astype(np.float32) for place in range(number)}


def unusual() -> Matrices:
    """What the quick way does not take, among what it does."""
    values = np.random.default_rng(1).random((4, 3))
    own: dict[str, NDArray[np.generic]] = {
        "u02 fortran": np.asfortranarray(values.astype(np.float32)),
        "u03 swapped": values.astype(">f4"),
        "u05 whole": np.eye(3, dtype=np.int64),
        "u06 empty": np.zeros((0, 3), np.float32),
        "u07 wide": np.zeros((2, 4), np.float32),
        "u08 half": values.astype(np.float16),
        "u08 half again": values[:2].astype(np.float16),
        "u09 double": values,
        "u10 large": np.zeros((300_000, 3), np.float32),
        "u11 flat": np.zeros(4, np.float32),
    }
    return dict(sorted((plain() | own).items()))


def npy_files(folder: Path, matrices: Matrices) -> RawPosteriors:
    for name, values in matrices.items():
        np.save(folder / f"{name}.npy", values)
    return load_raw_posteriors(folder, labels=LABELS)


def version_2(folder: Path, matrices: Matrices) -> RawPosteriors:
    for name, values in matrices.items():
        with (folder / f"{name}.npy").open("wb") as file:
            npy.write_array(file, values, version=(2, 0))
    return load_raw_posteriors(folder, labels=LABELS)


def npz(folder: Path, matrices: Matrices) -> RawPosteriors:
    np.savez(folder / "all.npz", **matrices)
    return load_raw_posteriors(folder / "all.npz", labels=LABELS)


def compressed(folder: Path, matrices: Matrices) -> RawPosteriors:
    np.savez_compressed(folder / "all.npz", **matrices)
    return load_raw_posteriors(folder / "all.npz", labels=LABELS)


def streamed(folder: Path, matrices: Matrices) -> RawPosteriors:
    """As programs write it that do not go back in the file."""
    with zipfile.ZipFile(folder / "all.npz", "w") as archive:
        for name, values in matrices.items():
            with archive.open(f"{name}.npy", "w") as member:
                npy.write_array(member, values)
    return load_raw_posteriors(folder / "all.npz", labels=LABELS)


def several(folder: Path, matrices: Matrices) -> RawPosteriors:
    names = list(matrices)
    for place in range(3):
        np.savez(folder / f"{place}.npz", **{name: matrices[name] for name in names[place::3]})
    return load_raw_posteriors(folder, labels=LABELS)


def together(raw: RawPosteriors, names: list[str]) -> tuple[Matrices, list[int]]:
    """Return what packs hold, and how many utterances each has; those read alone as `read` gives them."""
    held, sizes, at = dict[str, NDArray[np.generic]](), [], 0
    for place, until, pack in packs_of(raw.read, names):
        assert place == at
        if pack is None:
            assert until == place + 1
            held[names[place]] = np.asarray(raw.read(names[place]))
        else:
            ends = np.cumsum(pack.lengths)
            assert len(pack.values) == ends[-1]
            for name, end, length in zip(names[place:until], ends, pack.lengths, strict=True):
                held[name] = pack.values[end - length : end].copy()
            sizes.append(until - place)
        at = until
    assert at == len(names)
    return held, sizes


@pytest.mark.parametrize("write", [npy_files, npz, streamed, several, version_2, compressed])
@pytest.mark.parametrize("matrices", [plain(), unusual()], ids=["plain", "unusual"])
def test_they_are_those_read_one_by_one(
    tmp_path: Path, write: Callable[..., RawPosteriors], matrices: Matrices
) -> None:
    raw, names = write(tmp_path, matrices), list(matrices)
    for opened in (raw.read, pickle.loads(pickle.dumps(raw.read))):  # noqa: S301 - as in another process
        held, sizes = together(RawPosteriors(source="", labels=(), utterances=(), read=opened), names)
        assert list(held) == names
        for name, values in matrices.items():
            assert held[name].dtype == values.dtype
            np.testing.assert_array_equal(held[name], values)
        if write in {npy_files, npz, streamed} and len(names) == 12:
            assert sizes == [12]
        if write in {version_2, compressed}:
            assert sizes == []


def test_a_full_pack_gives_way_to_the_next(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    matrices = plain()
    raw = npy_files(tmp_path, matrices)
    monkeypatch.setattr(packs, "_ROOM", 100)
    held, sizes = together(raw, list(matrices))
    assert len(sizes) > 3
    assert all((held[name] == values).all() for name, values in matrices.items())


def test_where_files_cannot_be_read_at_a_place_they_are_read_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(packs, "_PLACED", False)
    assert together(npy_files(tmp_path, plain()), list(plain()))[1] == []


@pytest.mark.parametrize("write", [npy_files, npz])
@pytest.mark.parametrize("change", ["longer", "other time", "other file", "gone"])
def test_a_file_that_changed_is_left_to_whoever_says_so(
    tmp_path: Path, write: Callable[..., RawPosteriors], change: str
) -> None:
    raw = write(tmp_path, plain())
    path = next(iter(sorted(tmp_path.iterdir())))
    if change == "longer":
        path.write_bytes(path.read_bytes() + b"more")
    elif change == "other time":
        path.touch()
    elif change == "other file":
        path.with_suffix(".new").write_bytes(path.read_bytes())
        path.with_suffix(".new").replace(path)
    else:
        path.unlink()
    (place, until, pack), *_ = packs_of(raw.read, ["u00", "u01"])
    assert (place, pack) == (0, None)
    with pytest.raises(DataError, match="while it was read"):
        raw.read("u00")
    assert until in {1, 2}


def test_a_damaged_member_is_left_to_whoever_says_so(tmp_path: Path) -> None:
    raw = npz(tmp_path, {"u": np.full((4, 3), 0.25, np.float32), "v": np.ones((4, 3), np.float32)})
    content = (tmp_path / "all.npz").read_bytes()
    damaged = content.replace(struct.pack("<f", 0.25), struct.pack("<f", 0.5), 1)
    assert len(damaged) == len(content)
    (tmp_path / "all.npz").write_bytes(damaged)
    raw = load_raw_posteriors(tmp_path / "all.npz", labels=LABELS)
    assert [pack is None for _, _, pack in packs_of(raw.read, ["u", "v"])] == [True, False]
    with pytest.raises(DataError, match=r"'u' cannot be read: .*CRC"):
        raw.read("u")

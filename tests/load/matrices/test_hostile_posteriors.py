"""Posteriors' files that are bombs, lead to other files, or hold what is no name or no number: one clear error each."""

import io
import struct
import zipfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import h5py
import numpy as np
import pytest
from hypothesis import given, strategies as st
from saved_posteriors import save_posteriors
from support import memory, more, refused_posteriors

from phonxling.core.errors import DataError
from phonxling.load.posteriors import load_raw_posteriors

FRAMES = np.array([[0.25, 0.75], [1.0, 0.0], [0.5, 0.5]], dtype=np.float32)
LABELS = ["a", "b"]


def refusal(path: Path, labels: list[str] | None = LABELS) -> str:
    return refused_posteriors(path, None, labels)


def header(text: str, version: int = 1) -> bytes:
    body = text.encode()
    return b"\x93NUMPY" + bytes([version, 0]) + struct.pack("<H" if version == 1 else "<I", len(body)) + body


def npy(values: object, *, pickled: bool = False) -> bytes:
    buffer = io.BytesIO()
    np.lib.format.write_array(buffer, np.asarray(values), allow_pickle=pickled)
    return buffer.getvalue()


def archive(folder: Path, **members: bytes) -> Path:
    path = folder / "p.npz"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as zipped:
        for name, data in members.items():
            zipped.writestr(f"{name}.npy", data)
    return path


def inflating(folder: Path, name: str, shape: str, megabytes: int) -> Path:
    """Write an archive of some kilobytes with a member of so many megabytes."""
    path = archive(folder, u=npy(FRAMES)) if name != "u" else archive(folder)
    with zipfile.ZipFile(path, "a", zipfile.ZIP_DEFLATED) as zipped, zipped.open(f"{name}.npy", "w") as member:
        member.write(header(f"{{'descr':'<f4','fortran_order':False,'shape':{shape}}}"))
        for _ in range(megabytes):
            member.write(bytes(1 << 20))
    return path


@pytest.mark.parametrize(
    ("name", "shape", "message"),
    [
        ("u", "(130000000, 2)", "'u' cannot be read: it would take 1.04 GB, more than the 1 GB"),
        ("phones", "(20000000,)", "'phones' cannot be read: it would take 0.08 GB, more than the 0.008 GB"),
    ],
)
def test_an_archive_that_inflates_is_refused_before_it_does(
    tmp_path: Path, name: str, shape: str, message: str
) -> None:
    path = inflating(tmp_path, name, shape, 80)
    with memory(20_000_000):
        assert message in refusal(path)


def test_a_header_of_an_array_that_has_no_end_is_not_read(tmp_path: Path) -> None:
    path = archive(tmp_path, u=header("{'descr':'<f4','fortran_order':False,'shape':(1,2)}" + " " * 50_000_000, 2))
    with memory(20_000_000):
        assert "a header of 50,000,0" in refusal(path)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{'descr':__import__('os').system('echo'),'fortran_order':False,'shape':(1,2)}", "cannot be read"),
        ("{'descr':'<f4','fortran_order':False,'shape':(-1,-2)}", "asks for the shape (-1, -2)"),
        ("{'descr':'<f4','fortran_order':False,'shape':(99,2)}", "which its bytes do not fill"),
    ],
)
def test_headers_of_arrays_that_are_no_headers(tmp_path: Path, text: str, message: str) -> None:
    assert message in refusal(archive(tmp_path, u=header(text) + bytes(64)))
    (tmp_path / "u.npy").write_bytes(header(text) + bytes(64))
    assert "not a readable npy file" in refusal(tmp_path / "u.npy")


class Trap:
    """An object that shows when it is unpickled."""

    def __reduce__(self) -> tuple[Callable[..., None], tuple[str]]:
        return pytest.fail, ("an object was unpickled",)


def test_nothing_is_unpickled(tmp_path: Path) -> None:
    pickled = npy(np.array([Trap()], dtype=object), pickled=True)
    assert "'u' cannot be read" in refusal(archive(tmp_path, u=pickled))
    assert "'phones' cannot be read" in refusal(archive(tmp_path, u=npy(FRAMES), phones=pickled), None)
    (tmp_path / "u.npy").write_bytes(pickled)
    assert "Python objects" in refusal(tmp_path / "u.npy")


def with_secret(folder: Path) -> Path:
    with h5py.File(folder / "secret.h5", "w") as file:
        file["frames"], file["phones"], file["shift"] = FRAMES, ["s", "t"], 0.5
    FRAMES.tofile(folder / "secret.bin")
    return folder / "p.h5"


def link_labels(file: h5py.File) -> None:
    file["phones"] = h5py.ExternalLink("secret.h5", "/phones")
    file["frame_shift_s"] = h5py.ExternalLink("secret.h5", "/shift")
    file["soft"] = h5py.SoftLink("/phones")
    file["group/loop"] = h5py.SoftLink("/group")


def test_hdf5_takes_no_labels_from_other_files(tmp_path: Path) -> None:
    path = with_secret(tmp_path)
    with h5py.File(path, "w") as file:
        file["u"] = FRAMES
        link_labels(file)
    raw = load_raw_posteriors(path, None, LABELS)
    assert (raw.labels, raw.frame_shift, raw.utterances) == (("a", "b"), None, ("u",))
    assert "the labels of the columns are not in the file" in refusal(path, None)


def external(file: h5py.File, name: str) -> None:
    kept = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    kept.set_external(b"secret.bin", 0, 24)
    h5py.h5d.create(file.id, name.encode(), h5py.h5t.IEEE_F32LE, h5py.h5s.create_simple((3, 2)), kept)


def virtual(file: h5py.File, name: str) -> None:
    layout = h5py.VirtualLayout((3, 2), "f4")
    layout[:] = h5py.VirtualSource("secret.h5", "frames", (3, 2))
    file.create_virtual_dataset(name, layout)


@pytest.mark.parametrize(("make", "name"), [(external, "u"), (virtual, "phones")])
def test_hdf5_takes_no_numbers_from_other_files(
    tmp_path: Path, make: Callable[[h5py.File, str], None], name: str
) -> None:
    path = with_secret(tmp_path)
    with h5py.File(path, "w") as file:
        make(file, name)
    assert f"'{name}' cannot be read: it takes its numbers from other files" in refusal(path)


def test_hdf5_bombs_are_refused_before_memory_is_taken(tmp_path: Path) -> None:
    for name, shape, message in (
        ("u", (10**9, 2), "GB"),
        ("phones", (10**9,), "GB"),
        ("frame_shift_s", (10**9,), "GB"),
    ):
        path = tmp_path / f"{name}.h5"
        with h5py.File(path, "w") as file:
            file.create_dataset(name, shape, "f4", chunks=(1000, *shape[1:]))
        with memory(20_000_000):
            assert message in refusal(path)
    with h5py.File(tmp_path / "chunks.h5", "w") as file:
        file.create_dataset("u", (4, 2), "f4", chunks=(500_000_000, 2), maxshape=(None, None))
    assert "GB" in refusal(tmp_path / "chunks.h5")


@pytest.mark.parametrize("target", ["u.ark:9000000000000000000", "x" * 100_000, "/dev/zero:0"])
def test_lists_of_places_that_lead_nowhere_or_run_something(tmp_path: Path, target: str) -> None:
    save_posteriors(tmp_path / "u.ark", {"u": FRAMES})
    (tmp_path / "p.scp").write_text(f"u {target}\n", encoding="utf-8")
    message = refusal(tmp_path / "p.scp")
    assert str(tmp_path) in message
    assert len(message) < 1000


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give the folder of a valid file of each ending; their bytes would be too long for a message of hypothesis."""
    folder = tmp_path_factory.mktemp("sound")
    for ending in ENDINGS:
        save_posteriors(
            folder / f"valid.{ending}", {"u": FRAMES, "g/v": FRAMES[:1]} if ending == "h5" else MATRICES, LABELS
        )
    return folder


MATRICES = {"u": FRAMES, "v": FRAMES[:1]}
ENDINGS = ("npz", "npy", "h5", "ark", "safetensors")
edits = st.lists(st.tuples(st.floats(0, 1), st.binary(max_size=6), st.integers(0, 6)), min_size=1, max_size=4)


@more(4)
@given(st.sampled_from(ENDINGS), edits, st.floats(0, 1))
def test_damaged_files_are_read_or_refused(
    tmp_path_factory: pytest.TempPathFactory,
    sound: Path,
    ending: str,
    changes: list[tuple[float, bytes, int]],
    end: float,
) -> None:
    data = bytearray((sound / f"valid.{ending}").read_bytes())
    for place, added, gone in changes:
        at = int(place * len(data))
        data[at : at + gone] = added
    path = tmp_path_factory.getbasetemp() / f"damaged.{ending}"
    path.write_bytes(bytes(data[: len(data) - int(end**8 * len(data))]))
    with suppress(DataError):
        raw = load_raw_posteriors(path, None, LABELS)
        assert all(isinstance(np.asarray(raw.read(name)), np.ndarray) for name in raw.utterances)

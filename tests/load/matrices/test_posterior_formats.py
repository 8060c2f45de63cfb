"""Posteriors in HDF5, Kaldi archives and safetensors, written by the libraries of these formats, and damaged ones."""

import json
import os
from pathlib import Path

import h5py
import kaldi_native_io
import numpy as np
import pytest
from hypothesis import given, strategies as st
from hypothesis.extra.numpy import arrays
from safetensors.numpy import save_file
from saved_posteriors import save_posteriors
from support import refused_posteriors as refusal, write

from phonxling.load.posteriors import load_raw_posteriors

FRAMES = np.array([[0.25, 0.75], [1.0, 0.0], [0.5, 0.5]], dtype=np.float32)
LABELS = ["a", "b"]


def test_hdf5_with_groups_labels_and_a_frame_shift(tmp_path: Path) -> None:
    path = tmp_path / "p.h5"
    with h5py.File(path, "w") as file:
        file["u1"] = FRAMES
        file.create_dataset("anna/u2", data=FRAMES[:2].astype(np.float16), compression="gzip")
        file["phones"] = LABELS
        file.attrs["frame_shift_s"] = 0.02
    raw = load_raw_posteriors(path)
    assert (raw.labels, set(raw.utterances), raw.frame_shift) == (("a", "b"), {"u1", "anna_u2"}, 0.02)
    np.testing.assert_array_equal(raw.read("anna_u2"), FRAMES[:2])


def test_hdf5_that_is_damaged_or_holds_no_numbers(tmp_path: Path) -> None:
    with h5py.File(tmp_path / "q.h5", "w") as file:
        file["u"] = ["x", "y"]
    assert "'u' cannot be read: it holds no real numbers" in refusal(tmp_path / "q.h5", labels=LABELS)
    with h5py.File(tmp_path / "r.h5", "w") as file:
        file["a/b"], file["a_b"] = FRAMES, FRAMES
    assert "two data sets would be one utterance" in refusal(tmp_path / "r.h5", labels=LABELS)


def test_safetensors(tmp_path: Path) -> None:
    path = tmp_path / "p.safetensors"
    save_file({"u1": FRAMES, "u2": FRAMES[:1]}, path, metadata={"phones": json.dumps(LABELS), "frame_shift_s": "0.01"})
    raw = load_raw_posteriors(path)
    assert (raw.labels, raw.utterances, raw.frame_shift) == (("a", "b"), ("u1", "u2"), 0.01)
    np.testing.assert_array_equal(raw.read("u1"), FRAMES)


def test_safetensors_that_are_damaged_or_of_a_type_that_numpy_lacks(tmp_path: Path) -> None:
    header = json.dumps({"u": {"dtype": "BF16", "shape": [1, 2], "data_offsets": [0, 4]}}).encode()
    (tmp_path / "b.safetensors").write_bytes(len(header).to_bytes(8, "little") + header + bytes(4))
    assert "'u' cannot be read: it is of the type bfloat16" in refusal(tmp_path / "b.safetensors", labels=LABELS)


@pytest.mark.parametrize("kind", ["ark", "ark,t"])
@pytest.mark.parametrize("name", ["FloatMatrixWriter", "DoubleMatrixWriter"])
def test_kaldi_archives_binary_and_text(tmp_path: Path, kind: str, name: str) -> None:
    path = tmp_path / "p.ark"
    values = FRAMES.astype(np.float64 if "Double" in name else np.float32)
    with getattr(kaldi_native_io, name)(f"{kind}:{path}") as writer:
        writer.write("u1", values)
        writer.write("ɛ̃-2", values[:1])
    raw = load_raw_posteriors(path, labels=LABELS)
    assert raw.utterances == ("u1", "ɛ̃-2")
    np.testing.assert_array_equal(raw.read("ɛ̃-2"), FRAMES[:1])
    np.testing.assert_array_equal(raw.read("u1"), FRAMES)


@pytest.mark.parametrize("method", [1, 2, 3, 5])
def test_compressed_kaldi_archives(tmp_path: Path, method: int) -> None:
    path = tmp_path / "p.ark"
    values = np.random.default_rng(1).random((20, 5)).astype(np.float32)
    with kaldi_native_io.CompressedMatrixWriter(f"ark:{path}") as writer:
        writer.write("u1", values, kaldi_native_io.CompressionMethod(method))
        writer.write("u2", values[:10], kaldi_native_io.CompressionMethod(method))
    raw = load_raw_posteriors(path, labels=list("abcde"))
    assert raw.utterances == ("u1", "u2")
    np.testing.assert_allclose(raw.read("u2"), values[:10], atol=0.02)


def test_a_kaldi_list_of_places_from_here_or_from_its_folder(tmp_path: Path) -> None:
    with kaldi_native_io.FloatMatrixWriter(f"ark,scp:{tmp_path / 'p.ark'},{tmp_path / 'p.scp'}") as writer:
        for name in ("u1", "u2"):
            writer.write(name, FRAMES * len(name))
    absolute = (tmp_path / "p.scp").read_text(encoding="utf-8")
    for text in (absolute, absolute.replace(f"{tmp_path}{os.sep}", "")):
        raw = load_raw_posteriors(write(tmp_path / "q.scp", text), labels=LABELS)
        assert raw.utterances == ("u1", "u2")
        np.testing.assert_array_equal(raw.read("u2"), FRAMES * 2)


@pytest.mark.parametrize("line", ["u1 touch {0}/ran |", "u1 | touch {0}/ran", "u1 gunzip -c x.gz|"])
def test_commands_in_kaldi_lists_are_refused_and_not_run(tmp_path: Path, line: str) -> None:
    path = write(tmp_path / "p.scp", line.format(tmp_path))
    assert refusal(path, labels=LABELS).startswith(f"{path}:1: ")
    assert "is a command, and commands are not run" in refusal(path, labels=LABELS)
    assert not (tmp_path / "ran").exists()


def test_kaldi_archives_cut_anywhere_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "p.ark"
    for kind in ("ark", "ark,t"):
        with kaldi_native_io.FloatMatrixWriter(f"{kind}:{path}") as writer:
            writer.write("u1", FRAMES)
        whole = path.read_bytes()
        for length in range(len(whole) - 2):
            path.write_bytes(whole[:length])
            assert refusal(path, labels=LABELS).startswith(str(path))


@given(
    arrays(np.float32, st.tuples(st.integers(1, 6), st.integers(1, 4)), elements=st.floats(0, 1, width=32)),
    st.lists(st.text("abɛŋ-_0", min_size=1, max_size=5), min_size=1, max_size=4, unique=True),
)
def test_every_format_gives_back_what_its_library_wrote(
    tmp_path_factory: pytest.TempPathFactory, values: np.ndarray, names: list[str]
) -> None:
    folder = tmp_path_factory.mktemp("p")
    labels = [f"p{column}" for column in range(values.shape[1])]
    for ending in ("safetensors", "npz", "h5", "ark"):
        path = save_posteriors(folder / f"p.{ending}", dict.fromkeys(names, values))
        raw = load_raw_posteriors(path, labels=labels)
        assert sorted(raw.utterances) == sorted(names)
        for name in names:
            np.testing.assert_array_equal(raw.read(name), values)


def test_a_folder_of_archives_is_read_as_one(tmp_path: Path) -> None:
    for name in ("x", "y"):
        save_posteriors(tmp_path / f"{name}.npz", {f"{name}1": FRAMES}, LABELS)
    assert load_raw_posteriors(tmp_path).utterances == ("x1", "y1")
    np.savez(tmp_path / "z.npz", z1=FRAMES, phones=np.array(["b", "a"]))
    assert "labels or frame shift are not those of" in refusal(tmp_path)
    np.savez(tmp_path / "z.npz", x1=FRAMES, phones=np.array(LABELS))
    assert "z.npz: utterance 'x1' occurs again (first in " in refusal(tmp_path)
    np.save(tmp_path / "u.npy", FRAMES)
    assert "holds files of several formats (npy, npz)" in refusal(tmp_path)


def test_a_library_that_is_not_installed_is_named_with_the_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(__import__("sys").modules, "h5py", None)
    path = write(tmp_path / "p.h5", "")
    assert refusal(path) == f'{path}: HDF5 needs h5py: pip install "phonxling[formats]"'

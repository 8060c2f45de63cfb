"""Posteriors in npz and npy, and labels of models: what is read, and what is refused."""

import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from support import refused_posteriors as refusal, write

from phonxling.core.errors import DataError
from phonxling.experiment.single import load_posteriorgrams
from phonxling.load.posteriors import load_raw_posteriors
from phonxling.load.resources import Labels, read_labels

FRAMES = np.array([[0.25, 0.75], [1.0, 0.0]], dtype=np.float32)
LABELS = np.array(["a", "b"])


def saved(path: Path, **arrays: np.ndarray) -> Path:
    np.savez(path, **arrays)  # type: ignore[arg-type]
    return path


@pytest.mark.parametrize("save", [np.savez, np.savez_compressed])
def test_npz(tmp_path: Path, save: Callable[..., None]) -> None:
    save(tmp_path / "p.npz", u2=FRAMES, u1=FRAMES[:0], phones=LABELS, frame_shift_s=np.float32(0.25))
    raw = load_raw_posteriors(tmp_path / "p.npz")
    assert (raw.labels, raw.utterances, raw.frame_shift) == (("a", "b"), ("u2", "u1"), 0.25)
    np.testing.assert_array_equal(raw.read("u2"), FRAMES)
    assert raw.read("u1").shape == (0, 2)
    save(tmp_path / "q.npz", u=FRAMES, phones=LABELS, frame_shift_s=np.array([0.1, 0.1]))
    assert "`frame_shift_s` must be one number" in refusal(tmp_path / "q.npz")


def test_labels_given_go_before_those_of_the_file(tmp_path: Path) -> None:
    path = saved(tmp_path / "p.npz", u=FRAMES, phones=LABELS)
    assert load_raw_posteriors(path, labels=["x", "y"]).labels == ("x", "y")
    names = write(tmp_path / "labels.txt", "\ufeffɛ\r\n<blk>\n\n")
    assert load_raw_posteriors(saved(tmp_path / "q.npz", u=FRAMES), labels=names).labels == ("ɛ", "<blk>")


def test_npy_file_folder_and_glob(tmp_path: Path) -> None:
    for name in ("anna/u2", "anna/u1", "u3"):
        path = tmp_path / "out" / f"{name}.npy"
        path.parent.mkdir(parents=True, exist_ok=True)
        np.save(path, FRAMES + len(name))
    folder = load_raw_posteriors(tmp_path / "out", labels=["a", "b"])
    assert folder.utterances == ("anna_u1", "anna_u2", "u3")
    assert folder.frame_shift is None
    np.testing.assert_array_equal(folder.read("u3"), FRAMES + 2)
    assert load_raw_posteriors(tmp_path / "out" / "anna" / "*.npy", labels=["a", "b"]).utterances == ("u1", "u2")
    single = load_raw_posteriors(tmp_path / "out" / "u3.npy", "npy", ["a", "b"])
    np.testing.assert_array_equal(single.read("u3"), FRAMES + 2)


def test_labels_that_lack_or_are_double_or_no_strings(tmp_path: Path) -> None:
    assert "the labels of the columns are not in the file" in refusal(saved(tmp_path / "a.npz", u=FRAMES))
    double = saved(tmp_path / "b.npz", u=FRAMES, phones=np.array(["b", "a", "c", "b", "a"]))
    assert refusal(double).endswith("these occur twice: a b")
    assert "`phones` must be a list of strings" in refusal(saved(tmp_path / "c.npz", u=FRAMES, phones=LABELS[None]))
    assert load_raw_posteriors(saved(tmp_path / "e.npz", u=FRAMES, phones=np.array([b"a", b"b"]))).labels == ("a", "b")


def test_npy_that_is_missing_or_none(tmp_path: Path) -> None:
    assert refusal(tmp_path / "no.npy", labels=["a"]).endswith("no such file")
    (tmp_path / "out").mkdir()
    assert refusal(tmp_path / "out", "npy-directory", labels=["a"]).endswith("holds no *.npy file")
    archive = saved(tmp_path / "p.npz", u=FRAMES).rename(tmp_path / "archive.npy")
    assert "looks like npz, not npy; give format: npz" in refusal(archive, labels=["a"])
    with zipfile.ZipFile(tmp_path / "torch.npy", "w") as zipped:
        zipped.writestr("archive/data.pkl", b"")
    assert "a file of PyTorch, whose pickle" in refusal(tmp_path / "torch.npy", labels=["a"])


@pytest.mark.parametrize("dtype", ["<f2", "<f8", ">f4"])
@pytest.mark.parametrize("rows", [0, 3, 700_000])  # the last is more than is read in one go
def test_a_matrix_is_what_numpy_reads(tmp_path: Path, dtype: str, rows: int) -> None:
    path = tmp_path / "u.npy"
    values = (np.arange(2 * rows) % 7).reshape(rows, 2).astype(dtype)
    for stored in (values, np.asfortranarray(values)):
        np.save(path, stored)
        read = load_raw_posteriors(path, labels=["a", "b"]).read("u")
        np.testing.assert_array_equal(read, np.load(path))
        assert (read.dtype, read.shape, len(read)) == (np.dtype(dtype), (rows, 2), rows)
        for part in (slice(0, 2), slice(1, rows), slice(rows - 1, rows + 9), slice(rows, rows), slice(None)):
            np.testing.assert_array_equal(read[part], np.load(path)[part])


@pytest.mark.parametrize(
    ("name", "text", "labels", "blank"),
    [
        ("vocab.json", '{"a": 2, "[PAD]": 0, "|": 1}', "[PAD] | a", "[PAD]"),
        ("vocab.json", '{"<pad>": 1, "a": 0, "<blank>": 2}', "a <pad> <blank>", "<blank>"),
        ("tokens.txt", "a 1\n<blk> 0\n#0 3\nb 2\n", "<blk> a b", "<blk>"),
        ("phones.txt", "a\nɑː\n<blank>\n", "a ɑː <blank>", None),
        ("config.yaml", "lr: 1\ntoken_list: [<blank>, a, 'no']\n", "<blank> a no", "<blank>"),
        ("model_config.yaml", "decoder: {vocabulary: [a, b]}\n", "a b <blank>", "<blank>"),
    ],
)
def test_the_order_and_the_blank(tmp_path: Path, name: str, text: str, labels: str, blank: str | None) -> None:
    assert read_labels(write(tmp_path / name, text)) == Labels(tuple(labels.split()), blank)


@pytest.mark.parametrize(("name", "text"), [("vocab.json", '{"a": 1, "<pad>": 0}'), ("tokens.txt", "a 1\n<blk> 0\n")])
def test_a_model_s_list_is_found_beside_arrays(tmp_path: Path, name: str, text: str) -> None:
    np.save(tmp_path / "u1.npy", np.array([[0.9, 0.1], [0.2, 0.8]]))
    write(tmp_path / name, text)
    raw = load_raw_posteriors(tmp_path / "u1.npy")
    assert raw.labels[1] == "a"
    assert raw.blank == raw.labels[0]
    write(tmp_path / "phones.txt", "b\nc\n")
    assert load_raw_posteriors(tmp_path / "u1.npy").labels == ("b", "c")


def test_a_batch_of_one_is_the_recording(tmp_path: Path) -> None:
    rows = np.full((1, 5, 4), 0.25)
    np.save(tmp_path / "u1.npy", rows)
    loaded = load_posteriorgrams(tmp_path / "u1.npy", labels=list("abcd"), frame_shift=0.01)
    np.testing.assert_array_equal(loaded.frames("u1"), rows[0])
    np.save(tmp_path / "u2.npy", np.full((2, 5, 4), 0.25))
    with pytest.raises(DataError, match=r"has the shape \(2, 5, 4\)"):
        load_posteriorgrams(tmp_path / "u2.npy", labels=list("abcd"), frame_shift=0.01).frames("u2")

"""Posteriors in rows of JSON lines, Parquet and Arrow, by lists or by the paths of files; and batches of one."""

import json
import pickle
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet
from safetensors.numpy import save_file
from support import error_of, write

from phonxling.core.errors import DataError
from phonxling.core.posteriorgram import RawPosteriors
from phonxling.experiment.single import load_posteriorgrams
from phonxling.load.posteriors import files_referred_to, load_raw_posteriors

ARRAYS = {name: np.random.default_rng(place).random((3 + place, 4)) for place, name in enumerate(("u1", "u2", "u3"))}
LABELS = ["a", "b", "c", "d"]


def jsonl(folder: Path, rows: list[dict[str, object]]) -> Path:
    return write(folder / "rows.jsonl", "".join(json.dumps(row) + "\n" for row in rows))


def in_lists(folder: Path) -> Path:
    return jsonl(folder, [{"id": name, "logits": values.tolist()} for name, values in ARRAYS.items()])


def in_npy_files(folder: Path) -> Path:
    (folder / "npy").mkdir()
    for name, values in ARRAYS.items():
        np.save(folder / "npy" / f"{name}.npy", values)
    return jsonl(folder, [{"id": name, "text": "x", "logits": f"npy/{name}.npy"} for name in ARRAYS])


def in_tensors(folder: Path) -> Path:
    for name, values in ARRAYS.items():
        save_file({"logits": values}, folder / f"{name}.safetensors")
    return jsonl(folder, [{"id": name, "logits": f"{name}.safetensors"} for name in ARRAYS])


def _table() -> pa.Table:
    cells = {"path": [*ARRAYS], "n": [1, 2, 3], "logits": [values.tolist() for values in ARRAYS.values()]}
    return pa.table(cells)


def in_parquet(folder: Path) -> Path:
    parquet.write_table(_table(), folder / "rows.parquet")
    return folder / "rows.parquet"


def in_a_stream(folder: Path) -> Path:
    table = _table()
    with pa.OSFile(str(folder / "data-00000.arrow"), "wb") as file, pa.ipc.new_stream(file, table.schema) as writer:
        writer.write_table(table, max_chunksize=2)
    write(folder / "state.json", "{}")
    return folder


def in_a_file(folder: Path) -> Path:
    table = _table()
    with pa.OSFile(str(folder / "rows.arrow"), "wb") as file, pa.ipc.new_file(file, table.schema) as writer:
        writer.write_table(table)
    return folder / "rows.arrow"


def in_batches_of_one(folder: Path) -> Path:
    cells = {"path": [*ARRAYS], "logits": [[values.tolist()] for values in ARRAYS.values()]}
    parquet.write_table(pa.table(cells), folder / "rows.parquet")
    return folder / "rows.parquet"


def test_a_batch_of_one_in_a_table_keeps_its_shape_and_rows_of_several_lengths_are_no_matrix(tmp_path: Path) -> None:
    opened = load_posteriorgrams(in_batches_of_one(tmp_path), labels=LABELS, symbols="raw", frame_shift=0.01)
    assert opened.raw("u1").shape == ARRAYS["u1"].shape
    parquet.write_table(
        pa.table({"path": ["u1"], "logits": [[[0.5, 0.5], [0.25, 0.25, 0.5, 0.0]]]}), tmp_path / "x.parquet"
    )
    with pytest.raises(DataError, match="no matrix of numbers"):
        load_raw_posteriors(tmp_path / "x.parquet", labels=["a", "b", "c"])


def held(raw: RawPosteriors) -> None:
    assert raw.utterances == tuple(ARRAYS)
    for name, values in ARRAYS.items():
        np.testing.assert_array_equal(np.asarray(raw.read(name)), values)


@pytest.mark.parametrize("make", [in_lists, in_npy_files, in_tensors, in_parquet, in_a_stream, in_a_file])
def test_rows_hold_matrices(make: object, tmp_path: Path) -> None:
    path = make(tmp_path)  # type: ignore[operator]
    raw = load_raw_posteriors(path, labels=LABELS)
    held(raw)
    held(pickle.loads(pickle.dumps(raw)))  # noqa: S301 - our own, as a worker gets it
    named = {file.name for file in files_referred_to(path)}
    assert named == {file.name for file in tmp_path.rglob("*.npy")} | {
        file.name for file in tmp_path.glob("*.safetensors")
    }


@pytest.mark.parametrize(
    ("rows", "complaint"),
    [
        ([{"id": "u"}], ":1: a row has an id"),
        ([{"logits": [[1]]}], ":1: a row has an id"),
        ([{"id": "u", "a": [[1]], "b": [[2]]}], "this one has: id, a, b"),
        ([{"id": "u", "a": [[1]]}, {"id": "u", "a": [[1]]}], ":2: utterance 'u' occurs again"),
        ([{"id": "u", "a": [[1], [1, 2]]}], ":1: no matrix of numbers"),
        ([{"id": "u", "a": [["x"]]}], ":1: no matrix of numbers"),
        ([{"id": "u", "a": [[1]]}, {"id": "v", "a": "v.npy"}], "1 of 2 rows name files, the others hold numbers"),
        ([{"id": "u", "a": "u.npy"}], "u.npy: not a readable npy file"),
    ],
)
def test_what_is_wrong_with_rows(tmp_path: Path, rows: list[dict[str, object]], complaint: str) -> None:
    assert complaint in error_of(DataError, load_raw_posteriors, jsonl(tmp_path, rows), labels=LABELS)


def test_a_batch_of_one_is_the_recording(tmp_path: Path) -> None:
    rows = np.full((1, 5, 4), 0.25)
    np.save(tmp_path / "u1.npy", rows)
    loaded = load_posteriorgrams(tmp_path / "u1.npy", labels=LABELS, frame_shift=0.01)
    np.testing.assert_array_equal(loaded.frames("u1"), rows[0])
    np.save(tmp_path / "u2.npy", np.full((2, 5, 4), 0.25))
    with pytest.raises(DataError, match=r"has the shape \(2, 5, 4\)"):
        load_posteriorgrams(tmp_path / "u2.npy", labels=LABELS, frame_shift=0.01).frames("u2")

"""Tables of rows, written in each format of tables."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyarrow import parquet
from support import write

KINDS = ("tsv", "csv", "jsonl", "json", "parquet", "arrow")


def save_rows(path: Path, rows: Sequence[Mapping[str, Any]]) -> Path:
    """Write rows as the ending says."""
    kind = path.suffix[1:]
    if kind in {"tsv", "csv"}:
        mark = "\t" if kind == "tsv" else ","
        table = ([*rows[0]], *(row.values() for row in rows))
        return write(path, "".join(mark.join(map(str, row)) + "\n" for row in table))
    if kind in {"json", "jsonl"}:
        return write(path, json.dumps(rows) if kind == "json" else "".join(json.dumps(row) + "\n" for row in rows))
    stored = pa.Table.from_pylist([*rows])
    if kind == "parquet":
        parquet.write_table(stored, path)
    else:
        with pa.OSFile(str(path), "wb") as file, pa.ipc.new_stream(file, stored.schema) as writer:
            writer.write_table(stored)
    return path

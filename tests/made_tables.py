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
        lines = ("\t,"[kind == "csv"].join(map(str, row)) for row in ([*rows[0]], *(row.values() for row in rows)))
        return write(path, "".join(f"{line}\n" for line in lines))
    if kind in {"json", "jsonl"}:
        return write(path, json.dumps(rows) if kind == "json" else "".join(json.dumps(row) + "\n" for row in rows))
    table = pa.Table.from_pylist([*rows])
    if kind == "parquet":
        parquet.write_table(table, path)
    else:
        with pa.OSFile(str(path), "wb") as file, pa.ipc.new_stream(file, table.schema) as writer:
            writer.write_table(table)
    return path

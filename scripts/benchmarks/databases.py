"""Sums of rows by label in Polars and DuckDB: a column a phone, made beforehand; one thread, as ours."""

import os
from collections.abc import Callable

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from benchmarks.contest import Peer
from benchmarks.libraries import library

Rows = NDArray[np.floating]
Codes = NDArray[np.integer]


def polars(values: Rows, codes: Codes, close: Callable[[Rows], bool]) -> Peer:
    """Return Polars' group_by."""
    name = "Polars: group_by(label).sum()"
    os.environ.setdefault("POLARS_MAX_THREADS", "1")  # read when it is imported
    module, reason = library("polars")
    if module is None:
        return Peer(name, None, note=reason)
    table = module.DataFrame({"label": codes, **{str(k): column.copy() for k, column in enumerate(values.T)}})

    def work() -> Rows:
        return table.group_by("label").sum().sort("label").drop("label").to_numpy()

    return Peer(name, work, lambda: close(work()))


def duckdb(values: Rows, codes: Codes, close: Callable[[Rows], bool]) -> Peer:
    """Return DuckDB's GROUP BY over a table of its own."""
    name = "DuckDB: sum … group by label"
    module, reason = library("duckdb")
    if module is None:
        return Peer(name, None, note=reason)
    columns = [f"c{k}" for k in range(values.shape[1])]
    connection = module.connect(config={"threads": 1})
    connection.register("given", pd.DataFrame(values, columns=columns).assign(label=codes))
    connection.execute("create table frames as select * from given")
    connection.unregister("given")
    query = f"select {', '.join(f'sum({column})' for column in columns)} from frames group by label order by label"  # noqa: S608 - our own names

    def work() -> Rows:
        return np.column_stack([*connection.execute(query).fetchnumpy().values()])

    return Peer(name, work, lambda: close(work()))

"""The alignments of finished results, read some rows at a time: their texts are never held as a whole."""

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from phonxling.core.alignment import Alignments
from phonxling.core.arrays import offsets_of, pair_type
from phonxling.core.errors import DataError
from phonxling.core.files import open_regular
from phonxling.core.inventory import GAP, Inventory
from phonxling.tables.files import header_of

_ROWS = 1 << 18  # that are text at one time


def stored_path(file: Path, tables: Mapping[str, pd.DataFrame]) -> Alignments:
    """Return the alignments of a file as those of the utterances in their order; their costs are in that table.

    DataError when it has an utterance or a phone that the other tables lack.
    """
    ids, phones = pd.Index(tables["utterances"]["utterance"]), tables["phones"]
    sides = {side: Inventory(tuple(phones.loc[phones["side"] == side, "phone"])) for side in ("gold", "predicted")}
    index = {"utterance": ids, **{side: pd.Index([*inventory, GAP]) for side, inventory in sides.items()}}
    kinds = {"utterance": np.int32, **dict.fromkeys(sides, pair_type(*map(len, sides.values())))}
    codes: dict[str, list[NDArray[np.integer]]] = {name: [np.zeros(0, kind)] for name, kind in kinds.items()}
    options: dict[str, Any] = {"sep": "\t", "dtype": str, "na_filter": False, "quoting": 3, "usecols": list(index)}
    with open_regular(file) as lines, pd.read_csv(lines, chunksize=_ROWS, **options) as parts:
        for part in parts:
            for name, known in index.items():
                codes[name].append(known.get_indexer(pd.Index(part[name])).astype(kinds[name]))
                if (codes[name][-1] < 0).any():
                    raise DataError(f"{file}: has {name}s that the tables beside it lack; run the experiment again")
    owner, gold, predicted = (np.concatenate(codes[name]) for name in index)
    order = np.argsort(owner, kind="stable")
    return Alignments(
        utterances=tuple(ids),
        gold_inventory=sides["gold"],
        predicted_inventory=sides["predicted"],
        offsets=offsets_of(np.bincount(owner, minlength=len(ids))),
        gold=gold[order],
        predicted=predicted[order],
        cost=np.zeros(len(ids), np.int64),
        denominator=1,
    )


def gold_times(file: Path, utterances: Collection[str]) -> pd.DataFrame:
    """Return utterance, position (from 1), gold_start and gold_end of the gold phones of utterances.

    No rows where the file has no times.
    """
    columns = ["utterance", "gold", "gold_start", "gold_end"]
    if not set(columns) <= set(header_of(file)):
        return pd.DataFrame(columns=columns)
    options: dict[str, Any] = {"sep": "\t", "na_filter": False, "quoting": 3, "usecols": columns, "dtype": str}
    with open_regular(file) as lines, pd.read_csv(lines, chunksize=_ROWS, **options) as parts:
        rows = pd.concat([part[part["utterance"].isin(utterances) & (part["gold"] != GAP)] for part in parts])
    rows["position"] = rows.groupby("utterance").cumcount() + 1
    times = rows[columns[2:]].apply(pd.to_numeric)
    return rows[["utterance", "position"]].join(times)

"""panphon's feature table and weights, read as data: its own reader takes a second and drops what it does not know."""

import csv
import hashlib
import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.metadata import version
from importlib.util import find_spec
from itertools import chain, islice
from pathlib import Path
from typing import Any, Literal

import numpy as np

from phonxling.core.arguments import checked_types
from phonxling.core.errors import DataError, join_problems, shown
from phonxling.core.features import FeatureTable
from phonxling.core.inventory import GAP
from phonxling.core.spelling import canonical
from phonxling.load.text import check_symbol, read_bytes, read_lines

_VALUES = {"+": 1, "0": 0, "-": -1}


@cache
def panphon_features() -> FeatureTable:
    """Return the feature table of the installed panphon: 24 ternary features, 6,367 segments (release 0.22.2).

    Weights are joined to features by name; the two tone features have none in panphon's file.

    Raises
    ------
    DataError
        If panphon is not installed.
        If its tables do not look as expected.

    Source: Mortensen et al. (2016), PanPhon: a resource for mapping IPA segments to articulatory feature vectors.
    """
    spec = find_spec("panphon")
    if spec is None or spec.origin is None:
        raise DataError("panphon is not installed, and its feature table is needed: pip install panphon==0.22.2")
    folder = Path(spec.origin).parent / "data"
    segments, weights = folder / "ipa_all.csv", folder / "feature_weights.csv"
    names, rows = _read(segments)
    digest = hashlib.sha256(segments.read_bytes() + weights.read_bytes()).hexdigest()
    return FeatureTable(
        name=f"panphon {version('panphon')}",
        digest=digest,
        features=tuple(names[1:]),
        segments=tuple(row[0] for row in rows),
        values=np.array([[_VALUES[value] for value in row[1:]] for row in rows], dtype=np.int8),
        weights=_weights(weights),
    )


def stored_features(manifest: Mapping[str, Any]) -> FeatureTable | None:
    """Return the feature table of stored results where this package has it: panphon's; None for a user's own."""
    table = panphon_features()
    return table if manifest["feature_table"]["sha256"] == table.digest else None


def _read(path: Path) -> tuple[list[str], list[list[str]]]:
    with path.open(encoding="utf-8", newline="") as lines:
        header, *rows = csv.reader(lines)
    if not rows or any(len(row) != len(header) for row in rows):
        raise DataError(f"{path.name} of panphon does not look as expected; install panphon==0.22.2")
    return header, rows


def _weights(path: Path) -> dict[str, float]:
    names, rows = _read(path)
    return {name: float(value) for name, value in zip(names, rows[0], strict=True)}


# A user's feature table: a TSV of segments and their features, which adds to panphon's table or stands alone.

Base = Literal["panphon", "none"]
_USER_FEATURES_VALUES = {"+": 1, "0": 0, "-": -1, "−": -1, "1": 1, "+1": 1, "-1": -1, "−1": -1}
_SHOWN = 20  # problems; the rest are counted


@checked_types
def load_features(path: Path | str, base: Base = "panphon") -> FeatureTable:
    """Return the feature table of a TSV, alone or laid over panphon's.

    The first row holds a title for the segments and the feature names; each further row a segment and its values, +, 0
    or - (or 1, 0, -1). A row `weight` holds a number ≥ 0 a feature, for `panphon-weighted` costs.

    Parameters
    ----------
    path : path
        The TSV.
    base : {"panphon", "none"}
        With "panphon", the file has panphon's 24 features in any order; its rows are added, or replace panphon's, and
        its weights replace panphon's. With "none", it is the whole feature system: its features may be any.

    Raises
    ------
    DataError
        If the file is missing or holds no segment.
        If the header names a feature twice, or, with panphon as the base, other features than panphon's.
        If a row has another number of cells than the header, a value is none of these, a segment has two rows or is ∅,
        or weights are negative, not finite, or all 0: every such row is listed.
    """
    file = Path(path)
    under = panphon_features() if base == "panphon" else None
    rows = _user_features_read(file, under)
    overlaid = _overlaid(under, rows) if under is not None else rows
    content = read_bytes(file) + (b"" if under is None else under.digest.encode())
    return FeatureTable(
        name=file.name if under is None else f"{file.name} over {under.name}",
        digest=hashlib.sha256(content).hexdigest(),
        features=overlaid.features,
        segments=tuple(overlaid.vectors),
        values=np.array(list(overlaid.vectors.values()), dtype=np.int8),
        weights=overlaid.weights,
    )


@dataclass(slots=True)
class _Rows:
    features: tuple[str, ...]
    vectors: dict[str, list[int]] = field(default_factory=dict)
    weights: dict[str, float] = field(default_factory=dict)
    lines: dict[str, int] = field(default_factory=dict)


def _overlaid(under: FeatureTable, rows: _Rows) -> _Rows:
    """Return panphon's rows with a file's: in panphon's order of features, new segments last."""
    order = [rows.features.index(name) for name in under.features]
    spelt = {canonical(segment): segment for segment in under.segments}
    vectors = dict(zip(under.segments, under.values.tolist(), strict=True))
    for segment, values in rows.vectors.items():
        vectors[spelt.get(canonical(segment), segment)] = [values[place] for place in order]
    return _Rows(under.features, vectors, {**under.weights, **rows.weights})


def _user_features_read(path: Path, under: FeatureTable | None) -> _Rows:
    lines = _rows(path)
    _, header = next(lines, (1, []))
    second = next(lines, None)
    if second is None:
        raise DataError(f"{path}: no segments; a feature table has a header (segment, features) and a row a segment")
    _check_header(path, header[1:], under)
    rows = _Rows(tuple(header[1:]))
    faults = (f"{path}:{line}: {fault}" for line, cells in chain([second], lines) for fault in _take(rows, line, cells))
    problems = list(islice(faults, _SHOWN))
    more = sum(1 for _ in faults)  # counted, not kept
    if problems:
        count = f"{len(problems) + more} problem{'s' * (len(problems) > 1)} in the feature table:"
        raise DataError(join_problems(count, problems, more=more))
    if not rows.vectors:
        raise DataError(f"{path}: no segments, only weights")
    return rows


def _rows(path: Path) -> Iterator[tuple[int, list[str]]]:
    for line, text in read_lines(path):
        cells = [cell.strip() for cell in text.split("\t")]
        for cell in cells:
            check_symbol(cell, f"{path}:{line}")
        yield line, cells


def _check_header(path: Path, names: list[str], under: FeatureTable | None) -> None:
    if not names or "" in names or len(set(names)) != len(names):
        raise DataError(f"{path}:1: the header needs a title for the segments and a name, each once, for every feature")
    wanted = names if under is None else list(under.features)
    if set(names) != set(wanted):
        missing, more = _listed(set(wanted) - set(names)), _listed(set(names) - set(wanted))
        msg = f"{path}:1: these are not the features of {'' if under is None else under.name}: missing {missing}"
        raise DataError(f"{msg}; more {more}. A table with features of its own replaces the system: base none")


def _listed(names: Iterable[str]) -> str:
    return shown(", ".join(sorted(names)), 400) or "none"


def _take(rows: _Rows, line: int, cells: list[str]) -> Iterator[str]:
    """Take one row; yield what is wrong with it."""
    name, values = canonical(cells[0]), cells[1:]
    if len(values) != len(rows.features):
        yield f"{len(cells)} cells, but the header has {len(rows.features) + 1}"
    elif not name or name == GAP:
        yield f"'{shown(cells[0])}' cannot be a segment"
    elif name in rows.lines:
        yield f"'{shown(cells[0])}' has a row already, in line {rows.lines[name]}"
    elif name == "weight":
        yield from _weigh(rows, values)
    elif wrong := [value for value in values if value not in _USER_FEATURES_VALUES]:
        yield f"'{shown(cells[0])}': a value is +, 0 or - (or 1, 0, -1), not '{shown(wrong[0])}'"
    else:
        rows.vectors[cells[0]] = [_USER_FEATURES_VALUES[value] for value in values]
    rows.lines.setdefault(name, line)


def _weigh(rows: _Rows, values: list[str]) -> Iterator[str]:
    try:
        weights = [float(value) for value in values]
    except ValueError:
        weights = [math.nan]
    if not all(math.isfinite(weight) and weight >= 0 for weight in weights) or not any(weights):
        yield "a weight is a number ≥ 0, and one at least is not 0"
    else:
        rows.weights = dict(zip(rows.features, weights, strict=True))

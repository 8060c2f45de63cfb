"""panphon's feature table and weights, read as data: its own reader takes a second and drops what it does not know."""

import csv
import hashlib
import math
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.metadata import version
from importlib.util import find_spec
from itertools import chain
from pathlib import Path
from typing import Any, Literal

import numpy as np

from phonxling.core.arguments import checked_types
from phonxling.core.errors import DataError, shown
from phonxling.core.features import FeatureTable
from phonxling.core.inventory import GAP
from phonxling.core.spelling import canonical
from phonxling.load.resources import checked_symbols, take_rows
from phonxling.load.text import read_bytes, read_lines

Base = Literal["panphon", "none"]
_VALUES = {"+": 1, "0": 0, "-": -1}
_USER_VALUES = {**_VALUES, "−": -1, "1": 1, "+1": 1, "-1": -1, "−1": -1}
_SHOWN = 20  # problems; the rest are counted


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
    (names, rows), (weighted, numbers) = _read(segments), _read(weights)
    digest = hashlib.sha256(segments.read_bytes() + weights.read_bytes()).hexdigest()
    return FeatureTable(
        name=f"panphon {version('panphon')}",
        digest=digest,
        features=tuple(names[1:]),
        segments=tuple(row[0] for row in rows),
        values=np.array([[_VALUES[value] for value in row[1:]] for row in rows], dtype=np.int8),
        weights=dict(zip(weighted, map(float, numbers[0]), strict=True)),
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
    features, vectors, weights = _user_rows(file, under)
    digest = read_bytes(file)
    if under is not None:  # in panphon's order of features, new segments last
        order = [features.index(name) for name in under.features]
        spelt = {canonical(segment): segment for segment in under.segments}
        laid = {spelt.get(canonical(name), name): [values[at] for at in order] for name, values in vectors.items()}
        features, vectors = under.features, dict(zip(under.segments, under.values.tolist(), strict=True)) | laid
        weights, digest = {**under.weights, **weights}, digest + under.digest.encode()
    return FeatureTable(
        name=file.name if under is None else f"{file.name} over {under.name}",
        digest=hashlib.sha256(digest).hexdigest(),
        features=features,
        segments=tuple(vectors),
        values=np.array(list(vectors.values()), dtype=np.int8),
        weights=weights,
    )


def _user_rows(
    path: Path, under: FeatureTable | None
) -> tuple[tuple[str, ...], dict[str, list[int]], dict[str, float]]:
    """Return the features of a file, the values of each segment, and the weights."""
    lines = read_lines(path)
    header, second = next(lines, (1, "")), next(lines, None)
    _, *features = checked_symbols(f"{path}:{header[0]}", header[1].split("\t"))
    if second is None:
        raise DataError(f"{path}: no segments; a feature table has a header (segment, features) and a row a segment")
    _check_header(path, features, under)
    vectors: dict[str, list[int]] = {}
    weights: dict[str, float] = {}
    known: dict[str, int] = {}

    def take(line: int, text: str) -> str:
        cell, *values = checked_symbols(f"{path}:{line}", text.split("\t"))
        name, fault = canonical(cell), ""
        if len(values) != len(features):
            fault = f"{len(values) + 1} cells, but the header has {len(features) + 1}"
        elif not name or name == GAP:
            fault = f"'{shown(cell)}' cannot be a segment"
        elif name in known:
            fault = f"'{shown(cell)}' has a row already, in line {known[name]}"
        elif name == "weight":
            weights.update(zip(features, _weights(values), strict=False))
            fault = "" if weights else "a weight is a number ≥ 0, and one at least is not 0"
        elif wrong := [value for value in values if value not in _USER_VALUES]:
            fault = f"'{shown(cell)}': a value is +, 0 or - (or 1, 0, -1), not '{shown(wrong[0])}'"
        else:
            vectors[cell] = [_USER_VALUES[value] for value in values]
        known.setdefault(name, line)
        return fault

    def headline(number: int) -> str:
        return f"{number} problem{'s' * (number > 1)} in the feature table:"

    take_rows(path, chain([second], lines), take, headline, _SHOWN)
    if not vectors:
        raise DataError(f"{path}: no segments, only weights")
    return tuple(features), vectors, weights


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


def _weights(values: list[str]) -> list[float]:
    """Return weights, none when they cannot be used."""
    try:
        weights = [float(value) for value in values]
    except ValueError:
        return []
    fine = all(math.isfinite(weight) and weight >= 0 for weight in weights) and any(weights)
    return weights if fine else []

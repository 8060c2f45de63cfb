"""panphon's feature table and weights, read as data: its own reader takes a second and drops what it does not know."""

import csv
import hashlib
from collections.abc import Mapping
from functools import cache
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from phonxling.core.errors import DataError
from phonxling.core.phonology.features import FeatureTable

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

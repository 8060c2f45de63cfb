"""Features of the phones on the page: of each corpus a table of +, 0 and −, words for names, packed."""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from phonxling.core.phonology.feature_names import feature_name
from phonxling.core.phonology.features import FeatureTable
from phonxling.load.resources.features import stored_features
from phonxling.report.page.packing import packed_table
from phonxling.tables.files import read_table

_SIGNS = {1: "+", 0: "0", -1: "−"}


def features_of_corpora(folder: Path, manifest: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield each corpus whose phones have features that are at hand, with them.

    Raw symbols have none, even where they look like IPA: their features.tsv counts no substitution.
    """
    table = stored_features(manifest)
    for name in manifest["configuration"]["corpora"]:
        counted = folder / name / "features.tsv"
        if table and counted.exists() and read_table(folder, f"{name}/features.tsv")["substitutions"].any():
            yield name, packed_features(read_table(folder, f"{name}/phones.tsv")["phone"], table)


def packed_features(phones: Iterable[str], table: FeatureTable) -> str:
    """Return the features of those phones that have some, packed as a table: phones in the first column."""
    lines = [("", *map(feature_name, table.features))]
    for phone in dict.fromkeys(phones):
        vector, _ = table.vector(phone)
        if vector is not None:
            lines.append((phone, *(_SIGNS[value] for value in vector.tolist())))
    return packed_table("\n".join(map("\t".join, lines)).encode())

"""One corpus on the page: its findings, its headline numbers, its phones and aligned pairs.

Times and confidences of aligned pairs on the page, packed beside their phones; nothing where a corpus has none.

How they are packed
-------------------
Each is an array with a number for each pair that the page carries, deflated, in base64 (little-endian):

`gold_gaps`, `gold_lengths`, `predicted_gaps`, `predicted_lengths` : int32
    Times in hundredths of a second: how long after the end of the phone before, on the same side of the same utterance,
    a phone begins (of the first: after 0), and how long it lasts; −1 lasts a phone without times, and ∅, after which
    the end of the phone before stays what it was.
`confidence` : uint8
    Hundredths of the predicted phone's confidence; 255 for none.
`times` : str, not packed
    "forced" where the gold times were found from the posteriors, else "".

A corpus has those that alignments.tsv has columns for. `readAlignments` in `scripts/data.js` makes seconds and shares
of them again.
"""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from phonxling.analyses.notes import silence_note
from phonxling.core.arrays import Bools, Floats
from phonxling.core.features import FeatureTable
from phonxling.core.inventory import GAP
from phonxling.core.queries import feature_name
from phonxling.load.features import stored_features
from phonxling.report.findings import findings
from phonxling.report.numbers import Numbers, figure
from phonxling.report.render import (
    LIMIT,
    CorpusPart,
    PagePairs,
    carried_pairs,
    chosen_utterances,
    packed,
    packed_pairs,
    packed_rates,
    packed_table,
    printed_matrix,
)
from phonxling.tables.files import header_of, read_table

# Times and confidences of aligned pairs on the page, packed beside their phones; nothing where a corpus has none.

_SIDES = ("gold", "predicted")


def packed_times(file: Path, pairs: PagePairs, chosen: NDArray[np.int64]) -> dict[str, str]:
    """Return what alignments.tsv says of times and confidences of the pairs of the chosen utterances, packed."""
    columns = header_of(file)
    of_sides = {side: [f"{side}_start", f"{side}_end"] for side in _SIDES if f"{side}_end" in columns}
    scored = ["confidence"] if "confidence" in columns else []
    wanted = [*(name for names in of_sides.values() for name in names), *scored]
    if not wanted:
        return {}
    values = _values(file, wanted, carried_pairs(pairs, chosen))
    owner = np.repeat(chosen, pairs.lengths[chosen])
    result = {"times": "forced" if "times" in columns else ""}
    for side, names in of_sides.items():
        gaps, lasting = gaps_and_lengths(values[names[0]], values[names[1]], owner)
        result |= {f"{side}_gaps": packed(gaps.tobytes()), f"{side}_lengths": packed(lasting.tobytes())}
    for name in scored:
        result[name] = packed(np.where(np.isnan(values[name]), 255, hundredths(values[name])).astype("u1").tobytes())
    return result


def _values(file: Path, columns: list[str], carried: Bools) -> dict[str, Floats]:
    """Return columns of numbers of those pairs of a file that are carried; it is read a million rows at a time."""
    options: dict[str, Any] = {"sep": "\t", "usecols": columns, "dtype": np.float64, "quoting": 3}
    parts, first = [pd.DataFrame(columns=columns, dtype=np.float64)], 0
    for part in pd.read_csv(file, chunksize=_CHUNK, **options):
        parts.append(part[carried[first : first + len(part)]])
        first += len(part)
    return {name: np.concatenate([part[name].to_numpy(np.float64) for part in parts]) for name in columns}


def gaps_and_lengths(start: Floats, end: Floats, owner: NDArray[np.int64]) -> tuple[NDArray[np.int32], ...]:
    """Return what is packed of the times of pairs, whose utterances are `owner`."""
    timed = np.flatnonzero(~np.isnan(start) & ~np.isnan(end))
    begins, ends, of = hundredths(start[timed]), hundredths(end[timed]), owner[timed]
    before = np.concatenate([np.zeros(1, np.int32), ends])[:-1][: len(ends)]
    gaps, lengths = np.zeros(len(start), "<i4"), np.full(len(start), -1, "<i4")
    gaps[timed] = begins - np.where(np.diff(of, prepend=-1) == 0, before, 0)
    lengths[timed] = ends - begins
    return gaps, lengths


def hundredths(values: Floats) -> NDArray[np.int32]:
    """Return seconds, or shares, as whole hundredths; of NaN anything."""
    return np.rint(np.nan_to_num(values) * 100).astype("<i4")


_CHUNK = 1_000_000
_READ = ("phones", "utterances", "classes", "confusions")


def corpus_part(folder: Path, numbers: Numbers, about: Mapping[str, Any], title: str) -> CorpusPart:
    """Return a corpus' part of the page from its numbers and its stored tables."""
    name = numbers.name
    tables = {table: _table_if_any(folder, f"{name}/{table}.tsv") for table in _READ}
    phones = {side: _phones(tables["phones"], side) for side in ("gold", "predicted")}
    recogniser = about.get("recogniser")
    number = len(tables["utterances"])
    return CorpusPart(
        name=name,
        title=title,
        role=about["role"],
        language=about.get("language") or "",
        recogniser=(recogniser.get("name") if isinstance(recogniser, Mapping) else recogniser) or "",
        findings=findings(numbers),
        warnings=list(_warnings(numbers, _table_if_any(folder, "symbols.tsv"))),
        matrix=printed_matrix(tables["confusions"], title, phones),
        data={
            **phones,
            "classes": _classes(tables["classes"]),
            "alignments": _alignments(folder / name, tables["utterances"], phones) if number else None,
            "sampled": _rule(number) if number > LIMIT else "",
        },
    )


def _table_if_any(folder: Path, file: str) -> pd.DataFrame:
    """Return a table below a folder of results, an empty one when there is none."""
    return read_table(folder, file) if (folder / file).exists() else pd.DataFrame()


def _alignments(folder: Path, utterances: pd.DataFrame, phones: Mapping[str, list[str]]) -> dict[str, str]:
    """Return the aligned pairs that the page carries, rates, and times and confidences where the corpus has them."""
    pairs = read_pairs(folder, utterances, phones)
    chosen = chosen_utterances(pairs)
    times = packed_times(folder / "alignments.tsv", pairs, chosen)
    return packed_pairs(pairs, chosen) | packed_rates(utterances, chosen) | times


def read_pairs(folder: Path, utterances: pd.DataFrame, phones: Mapping[str, list[str]]) -> PagePairs:
    """Return the pairs of alignments.tsv, read a million at a time, as codes."""
    labels: dict[str, Any] = {
        "utterance": utterances["utterance"],
        **{side: [*names, GAP] for side, names in phones.items()},
    }
    kinds = {column: pd.CategoricalDtype(pd.Index(texts, dtype=str)) for column, texts in labels.items()}
    lengths = np.zeros(len(utterances), dtype=np.int64)
    parts: dict[str, list[np.ndarray[Any, np.dtype[np.uint16]]]] = {side: [] for side in phones}
    options: dict[str, Any] = {"sep": "\t", "dtype": kinds, "na_filter": False, "quoting": 3, "usecols": [*kinds]}
    for chunk in pd.read_csv(folder / "alignments.tsv", chunksize=_CHUNK, **options):
        lengths += np.bincount(chunk["utterance"].cat.codes, minlength=len(lengths))
        for side, codes in parts.items():
            codes.append(np.asarray(chunk[side].cat.codes).astype(np.uint16))
    empty = [np.zeros(0, np.uint16)]
    return PagePairs(
        utterances=utterances["utterance"].tolist(),
        speakers=utterances["speaker"].tolist(),
        lengths=lengths,
        gold=np.concatenate(parts["gold"] or empty),
        predicted=np.concatenate(parts["predicted"] or empty),
    )


def _phones(phones: pd.DataFrame, side: str) -> list[str]:
    return list(phones.loc[phones["side"] == side, "phone"]) if len(phones) else []


def _classes(classes: pd.DataFrame) -> dict[str, list[str]]:
    """Return the gold phones of each natural class that has some."""
    if not len(classes):
        return {}
    members = zip(classes["class"], classes["members"], strict=True)
    return {name: phones.split() for name, phones in members if phones}


def _warnings(numbers: Numbers, symbols: pd.DataFrame) -> Iterator[str]:
    own = symbols[symbols["corpus"] == numbers.name] if len(symbols) else symbols
    rows = ((row["side"], row["raw"], row["action"], int(row["count"])) for row in own.to_dict("records"))
    if note := silence_note(rows):
        yield note
    if note := numbers.get("utterances").note:
        yield note


def _rule(number: int) -> str:
    return (
        f"the page carries {figure(float(LIMIT))} of {figure(float(number))} utterances: the first with each pair of "
        "phones, then others evenly spaced; all are in alignments.tsv."
    )


# Features of the phones on the page: of each corpus a table of +, 0 and −, words for names, packed.

_SIGNS = {1: "+", 0: "0", -1: "−"}


def features_of_corpora(folder: Path, manifest: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield each corpus whose phones have features that are at hand, with them."""
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

"""One corpus on the page: its findings, its headline numbers, its phones and aligned pairs."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from phonxling.analyses.case.notes import silence_note
from phonxling.core.inventory import GAP
from phonxling.report.findings import findings
from phonxling.report.findings.numbers import Numbers, figure
from phonxling.report.page.packing import LIMIT, PagePairs, chosen_utterances, packed_pairs, packed_rates
from phonxling.report.page.printed import printed_matrix
from phonxling.report.page.render import CorpusPart
from phonxling.report.page.times import packed_times
from phonxling.tables.files import read_table

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

"""One corpus on the page: its findings, its headline numbers, its phones and aligned pairs.

Times and confidences
---------------------
They stand beside the phones of aligned pairs, where the corpus has some: each an array with a number for each pair that
the page carries, deflated, in base85 (little-endian). `readAlignments` in `scripts/data.js` makes seconds and shares of
them again.

`gold_gaps`, `gold_lengths`, `predicted_gaps`, `predicted_lengths` : int32
    Times in hundredths of a second: how long after the end of the phone before, on the same side of the same utterance,
    a phone begins (of the first: after 0), and how long it lasts; −1 lasts a phone without times, and ∅, after which
    the end of the phone before stays what it was.
`confidence` : uint8
    Hundredths of the predicted phone's confidence; 255 for none.
`times` : str, not packed
    "forced" where the gold times were found from the posteriors, else "".
"""

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from phonxling.analyses.features import with_consonants
from phonxling.analyses.loaded import boundary_note, silence_note
from phonxling.core.arrays import Codes, Floats
from phonxling.core.inventory import GAP
from phonxling.core.spelling import Query
from phonxling.load.resources import panphon_features
from phonxling.phones.chart import natural_classes
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
)
from phonxling.tables.files import read_rows, table_if_any, table_parts

_SIDES = ("gold", "predicted")
_TIMED = [f"{side}_{end}" for side in _SIDES for end in ("start", "end")]


def corpus_part(
    folder: Path,
    numbers: Numbers,
    about: Mapping[str, Any],
    title: str,
    *,
    classes: Mapping[str, str] = {},
    limit: int = LIMIT,
) -> CorpusPart:
    """Return one corpus of the page; `classes` are those of the configuration."""
    corpus = numbers.name
    phones, utterances = (table_if_any(folder, table, corpus) for table in ("phones", "utterances"))
    names = {side: list(phones.loc[phones["side"] == side, "phone"]) for side in _SIDES}
    alignments, sampled, number = None, "", len(utterances)
    if number:
        pairs = read_pairs(folder, corpus, utterances, names)
        chosen = chosen_utterances(pairs, limit)
        forced = numbers.get("times_certainty").defined
        alignments = packed_pairs(pairs, chosen) | packed_rates(utterances, chosen)
        alignments |= {"times": "forced" * forced} | packed_times(folder, corpus, pairs, chosen)
    if number > limit:
        sampled = (
            f"the page carries {figure(float(limit))} of {figure(float(number))} utterances: the first with each pair "
            "of phones, then others evenly spaced; all are in alignments.tsv."
        )
    symbols = read_rows(folder, "symbols", corpus)
    read = [(row["side"], row["raw"], row["action"], int(row["count"])) for row in symbols]
    recogniser = about.get("recogniser")
    return CorpusPart(
        name=corpus,
        title=title,
        role=about["role"],
        language=about.get("language") or "",
        recogniser=(recogniser.get("name") if isinstance(recogniser, Mapping) else recogniser) or "",
        findings=findings(numbers),
        warnings=[*filter(None, (silence_note(read), boundary_note(read), numbers.get("utterances").note))],
        data={
            **names,
            "classes": _members(names["gold"], {row["class"] for row in read_rows(folder, "classes", corpus)}, classes),
            "alignments": alignments,
            "sampled": sampled,
        },
    )


def _members(phones: Sequence[str], known: Collection[str], own: Mapping[str, str]) -> dict[str, list[str]]:
    """Return the gold phones of each natural class that a corpus' table has, as panphon's features have them."""
    table = panphon_features()
    asked = {name: query for name, query in own.items() if {*Query(query).features} <= {*table.features}}
    natural = with_consonants(natural_classes(phones, table, asked))
    return {
        name: [phone for phone, belongs in zip(natural.phones, row, strict=True) if belongs]
        for name, row in zip(natural.names, natural.members, strict=True)
        if name in known and row.any()
    }


def read_pairs(folder: Path, corpus: str, utterances: pd.DataFrame, phones: Mapping[str, list[str]]) -> PagePairs:
    """Return the aligned pairs of a corpus as codes."""
    labels: dict[str, Any] = {"utterance": utterances["utterance"], **{side: [*phones[side], GAP] for side in _SIDES}}
    kinds = {column: pd.CategoricalDtype(pd.Index(texts, dtype=str)) for column, texts in labels.items()}
    lengths = np.zeros(len(utterances), dtype=np.int64)
    parts = {side: [np.zeros(0, np.uint16)] for side in _SIDES}
    for rows in table_parts(folder, "alignments", corpus, [*kinds]):
        part = rows.astype(kinds)
        lengths += np.bincount(part["utterance"].cat.codes, minlength=len(lengths))
        for side, codes in parts.items():
            codes.append(np.asarray(part[side].cat.codes).astype(np.uint16))
    gold, predicted = map(np.concatenate, parts.values())
    names, speakers = utterances["utterance"].tolist(), utterances["speaker"].tolist()
    return PagePairs(utterances=names, speakers=speakers, lengths=lengths, gold=gold, predicted=predicted)


def packed_times(folder: Path, corpus: str, pairs: PagePairs, chosen: Codes) -> dict[str, str]:
    """Return the times and confidences of the pairs of the chosen utterances, packed: those that the corpus has."""
    carried, first = carried_pairs(pairs, chosen), 0
    parts = [np.zeros((0, len(_TIMED) + 1))]
    for part in table_parts(folder, "alignments", corpus, [*_TIMED, "confidence"]):
        parts.append(part[carried[first : first + len(part)]].to_numpy(np.float64))
        first += len(part)
    *times, scores = np.concatenate(parts).T
    owner, result = np.repeat(chosen, pairs.lengths[chosen]), dict[str, str]()
    for side, start, end in zip(_SIDES, times[::2], times[1::2], strict=True):
        timed = np.flatnonzero(~np.isnan(start) & ~np.isnan(end))
        if not len(timed):
            continue
        begins, ends = _hundredths(start[timed]), _hundredths(end[timed])
        before = np.where(np.diff(owner[timed], prepend=-1) == 0, np.append(0, ends)[:-1], 0)
        gaps, lengths = np.zeros(len(start), "<i4"), np.full(len(start), -1, "<i4")
        gaps[timed], lengths[timed] = begins - before, ends - begins
        result |= {f"{side}_gaps": packed(gaps.tobytes()), f"{side}_lengths": packed(lengths.tobytes())}
    if not np.isnan(scores).all():
        result["confidence"] = packed(np.where(np.isnan(scores), 255, _hundredths(scores)).astype("u1").tobytes())
    return result


def _hundredths(values: Floats) -> NDArray[np.int32]:
    """Return seconds, or shares, as whole hundredths; of NaN anything."""
    return np.rint(np.nan_to_num(values) * 100).astype("<i4")

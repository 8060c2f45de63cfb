"""One corpus on the page: its findings, its headline numbers, its phones and aligned pairs.

Times and confidences
---------------------
They stand beside the phones of aligned pairs, where alignments.tsv has columns for them: each an array with a number
for each pair that the page carries, deflated, in base85 (little-endian). `readAlignments` in `scripts/data.js` makes
seconds and shares of them again.

`gold_gaps`, `gold_lengths`, `predicted_gaps`, `predicted_lengths` : int32
    Times in hundredths of a second: how long after the end of the phone before, on the same side of the same utterance,
    a phone begins (of the first: after 0), and how long it lasts; −1 lasts a phone without times, and ∅, after which
    the end of the phone before stays what it was.
`confidence` : uint8
    Hundredths of the predicted phone's confidence; 255 for none.
`times` : str, not packed
    "forced" where the gold times were found from the posteriors, else "".
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from phonxling.analyses.loaded import boundary_note, silence_note
from phonxling.core.arrays import Codes, Floats
from phonxling.core.inventory import GAP
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
from phonxling.tables.files import header_of, read_table

_CHUNK = 1_000_000  # rows of alignments.tsv that are read together
_SIDES = ("gold", "predicted")


def corpus_part(folder: Path, numbers: Numbers, about: Mapping[str, Any], title: str, limit: int = LIMIT) -> CorpusPart:
    own = folder / numbers.name
    phones, utterances, classes = (
        _table_if_any(folder, f"{numbers.name}/{table}.tsv") for table in ("phones", "utterances", "classes")
    )
    names = {side: list(phones.loc[phones["side"] == side, "phone"]) if len(phones) else [] for side in _SIDES}
    alignments, sampled, number = None, "", len(utterances)
    if number:
        pairs = read_pairs(own, utterances, names)
        chosen = chosen_utterances(pairs, limit)
        alignments = packed_pairs(pairs, chosen) | packed_rates(utterances, chosen)
        alignments |= packed_times(own / "alignments.tsv", pairs, chosen)
    if number > limit:
        sampled = (
            f"the page carries {figure(float(limit))} of {figure(float(number))} utterances: the first with each pair "
            "of phones, then others evenly spaced; all are in alignments.tsv."
        )
    members = zip(classes["class"], classes["members"], strict=True) if len(classes) else ()
    symbols = _table_if_any(folder, "symbols.tsv")
    symbols = symbols[symbols["corpus"] == numbers.name] if len(symbols) else symbols
    told = [(row["side"], row["raw"], row["action"], int(row["count"])) for row in symbols.to_dict("records")]
    recogniser = about.get("recogniser")
    return CorpusPart(
        name=numbers.name,
        title=title,
        role=about["role"],
        language=about.get("language") or "",
        recogniser=(recogniser.get("name") if isinstance(recogniser, Mapping) else recogniser) or "",
        findings=findings(numbers),
        warnings=[*filter(None, (silence_note(told), boundary_note(told), numbers.get("utterances").note))],
        data={
            **names,
            "classes": {name: own.split() for name, own in members if own},
            "alignments": alignments,
            "sampled": sampled,
        },
    )


def _table_if_any(folder: Path, file: str) -> pd.DataFrame:
    return read_table(folder, file) if (folder / file).exists() else pd.DataFrame()


def read_pairs(folder: Path, utterances: pd.DataFrame, phones: Mapping[str, list[str]]) -> PagePairs:
    """Return the pairs of alignments.tsv as codes."""
    labels: dict[str, Any] = {"utterance": utterances["utterance"], **{side: [*phones[side], GAP] for side in _SIDES}}
    kinds = {column: pd.CategoricalDtype(pd.Index(texts, dtype=str)) for column, texts in labels.items()}
    lengths = np.zeros(len(utterances), dtype=np.int64)
    parts = {side: [np.zeros(0, np.uint16)] for side in _SIDES}
    options: dict[str, Any] = {"sep": "\t", "dtype": kinds, "na_filter": False, "quoting": 3, "usecols": [*kinds]}
    for chunk in pd.read_csv(folder / "alignments.tsv", chunksize=_CHUNK, **options):
        lengths += np.bincount(chunk["utterance"].cat.codes, minlength=len(lengths))
        for side, codes in parts.items():
            codes.append(np.asarray(chunk[side].cat.codes).astype(np.uint16))
    gold, predicted = map(np.concatenate, parts.values())
    names, speakers = utterances["utterance"].tolist(), utterances["speaker"].tolist()
    return PagePairs(utterances=names, speakers=speakers, lengths=lengths, gold=gold, predicted=predicted)


def packed_times(file: Path, pairs: PagePairs, chosen: Codes) -> dict[str, str]:
    """Return what alignments.tsv says of times and confidences of the pairs of the chosen utterances, packed."""
    columns = header_of(file)
    sides = [side for side in _SIDES if f"{side}_end" in columns]
    wanted = [f"{side}_{end}" for side in sides for end in ("start", "end")]
    wanted += ["confidence"] * ("confidence" in columns)
    if not wanted:
        return {}
    options: dict[str, Any] = {"sep": "\t", "usecols": wanted, "dtype": np.float64, "quoting": 3}
    carried, first = carried_pairs(pairs, chosen), 0
    parts = [pd.DataFrame(columns=wanted, dtype=np.float64)]
    for part in pd.read_csv(file, chunksize=_CHUNK, **options):
        parts.append(part[carried[first : first + len(part)]])
        first += len(part)
    values = {name: np.concatenate([part[name].to_numpy(np.float64) for part in parts]) for name in wanted}
    owner = np.repeat(chosen, pairs.lengths[chosen])
    result = {"times": "forced" if "times" in columns else ""}
    for side in sides:
        start, end = values[f"{side}_start"], values[f"{side}_end"]
        timed = np.flatnonzero(~np.isnan(start) & ~np.isnan(end))
        begins, ends = _hundredths(start[timed]), _hundredths(end[timed])
        before = np.where(np.diff(owner[timed], prepend=-1) == 0, np.append(0, ends)[:-1], 0)
        gaps, lengths = np.zeros(len(start), "<i4"), np.full(len(start), -1, "<i4")
        gaps[timed], lengths[timed] = begins - before, ends - begins
        result |= {f"{side}_gaps": packed(gaps.tobytes()), f"{side}_lengths": packed(lengths.tobytes())}
    if "confidence" in columns:
        scores = values["confidence"]
        result["confidence"] = packed(np.where(np.isnan(scores), 255, _hundredths(scores)).astype("u1").tobytes())
    return result


def _hundredths(values: Floats) -> NDArray[np.int32]:
    """Return seconds, or shares, as whole hundredths; of NaN anything."""
    return np.rint(np.nan_to_num(values) * 100).astype("<i4")

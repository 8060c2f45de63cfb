"""Columns of posteriors to phones: several may sum into one; silence and blank are left out."""

import numpy as np

from phonxling.core.arrays import offsets_of
from phonxling.core.corpus import SymbolAudit
from phonxling.core.errors import DataError
from phonxling.core.inventory import Inventory
from phonxling.core.phonology.features import FeatureTable
from phonxling.core.posteriorgram import Posteriorgrams, RawPosteriors, Scale
from phonxling.core.sequences import Transcript
from phonxling.phones.maps import SymbolSet
from phonxling.phones.normalise import normalise
from phonxling.phones.rules import SymbolRules


def normalise_columns(
    raw: RawPosteriors,
    symbols: SymbolSet,
    table: FeatureTable,
    rules: SymbolRules,
    *,
    frame_shift: float | None = None,
    frame_offset: float = 0.0,
    blank: str | None = None,
    scale: Scale = "probability",
) -> tuple[Posteriorgrams, SymbolAudit]:
    """Return posteriors over phones, and the audit of the columns (each counted once).

    Raises
    ------
    DataError
        If a label is unknown (all are listed), or `blank` is no label.
        If a label stands for several phones, for a column cannot be split.
        If no frame shift is known.
    """
    shift = frame_shift if frame_shift is not None else raw.frame_shift
    if shift is None:
        raise DataError(f"{raw.source}: the frame shift is not in the file; give frame_shift: (seconds)")
    if blank is not None and blank not in raw.labels:
        raise DataError(f"{raw.source}: blank '{blank}' is none of its columns: {' '.join(raw.labels)}")
    named = [label for label in raw.labels if label != blank]
    phones, audit = normalise(_one_token_each(raw.source, named), symbols, table, rules)
    if phones.lengths.max(initial=0) > 1:
        several = [label for label, length in zip(named, phones.lengths, strict=True) if length > 1]
        remedy = ", or set diphthongs: keep" if rules.diphthongs == "split" else ""
        raise DataError(
            f"{raw.source}: a column cannot stand for several phones: {' '.join(several)}; map each to one{remedy}"
        )
    codes = {label: phones.codes[phones.offsets[n]] for n, label in enumerate(named) if phones.lengths[n]}
    inventory: Inventory = phones.inventory
    return Posteriorgrams(
        source=raw.source,
        utterances=raw.utterances,
        inventory=inventory,
        columns=np.array([codes.get(label, -1) for label in raw.labels], dtype=np.int64),
        read=raw.read,
        files=raw.files,
        frame_shift=shift,
        frame_offset=frame_offset,
        scale=scale,
        blank=None if blank is None else raw.labels.index(blank),
    ), audit


def _one_token_each(source: str, labels: list[str]) -> Transcript:
    return Transcript(
        utterances=tuple(labels),
        offsets=offsets_of(np.ones(len(labels))),
        codes=np.arange(len(labels), dtype=np.int32),
        source=source,
        symbols=tuple(labels),
        places=tuple(f"{source}: column {number}" for number in range(1, len(labels) + 1)),
    )

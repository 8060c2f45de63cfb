"""Transcripts to phone sequences: every distinct symbol is decided once, then tokens follow by table look-up."""

import unicodedata
from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from phonxling.core.arrays import Bools, offsets_of
from phonxling.core.errors import DataError
from phonxling.core.features import FeatureTable
from phonxling.core.inventory import GAP
from phonxling.core.posteriorgram import Posteriorgrams, RawPosteriors, Scale, Spelling
from phonxling.core.sequences import AuditRow, PhoneSequences, SymbolAudit, Transcript
from phonxling.phones.deciding import decide, join_tones, joined_fates, unknown_symbols
from phonxling.phones.ipa import Fate, keep_ipa, read_ipa
from phonxling.phones.maps import BLANKS, MARKERS, SymbolSet
from phonxling.phones.rules import SymbolRules, refuse_text_units
from phonxling.phones.segment import expand, merged_closures, segmented, words_of


def normalise(
    transcript: Transcript, symbols: SymbolSet, table: FeatureTable, rules: SymbolRules, *, side: str = ""
) -> tuple[PhoneSequences, SymbolAudit]:
    """Return a transcript's phones, and the audit of what became of each raw symbol."""
    if symbols.joined:
        transcript = segmented(transcript, table, symbols.joined)
    fates = [decide(symbol, symbols, table, rules) for symbol in transcript.symbols]
    unknown = [code for code, fate in enumerate(fates) if fate is None]
    if unknown and rules.unknown == "error":
        raise unknown_symbols(transcript, symbols, table, codes=unknown, counts=transcript.counts, side=side)
    gap = f"the symbol {GAP} (U+2205) stands for 'no phone' and cannot be a phone; rename it"
    refused = {GAP: gap} if symbols.row(GAP) is None else {}
    if symbols.raw:
        refused[""] = "a phone cannot be the empty string"
    for symbol in refused.keys() & {*transcript.symbols}:
        raise DataError(f"{transcript.places[transcript.symbols.index(symbol)]}: {refused[symbol]}")
    known = [fate or _unknown_fate(transcript.symbols[code], symbols, table, rules) for code, fate in enumerate(fates)]
    if rules.tone == "attach" and not symbols.raw:
        transcript, known = join_tones(transcript, known, table)
    merged = merged_closures(transcript, symbols, rules) if rules.closures == "merge" else None
    phones = expand(transcript, known, merged, keep_tones=rules.tone == "tier" and not symbols.raw)
    words = words_of(transcript, known, merged)
    return phones if words is None else replace(phones, words=words), _audit(transcript, known, merged)


def _unknown_fate(raw: str, symbols: SymbolSet, table: FeatureTable, rules: SymbolRules) -> Fate:
    """Return what an unknown symbol becomes: nothing, or kept as it is mapped (as it stands, when the map lacks it)."""
    raw = rules.written(raw)
    if rules.unknown == "drop":
        return Fate((), "unknown", "none")
    mapped = symbols.to_ipa(raw)
    if mapped is None:
        return Fate((unicodedata.normalize("NFC", raw),), "unknown", "none")
    texts = [raw] if symbols.row(raw) is None and not symbols.mapped else mapped.split()
    how = rules.tone, rules.tone_levels
    phones, tone = joined_fates([read_ipa(text, table, *how) or keep_ipa(text, *how) for text in texts])
    return Fate(phones, "unknown", "none", tone)


def _audit(transcript: Transcript, fates: list[Fate], merged: Bools | None) -> SymbolAudit:
    counts, gone = transcript.counts, np.zeros(len(fates), np.int64)
    if merged is not None:
        gone = np.bincount(transcript.codes[merged], minlength=len(fates))
    rows = []
    for raw, fate, count, joined in zip(transcript.symbols, fates, counts, gone, strict=True):
        if count > joined:
            symbol = fate.shown if fate.action != "merged" else "(its phone)"
            rows.append(AuditRow(raw, symbol, fate.action, int(count - joined), fate.features))
        if joined:
            rows.append(AuditRow(raw, "(its release)", "merged", int(joined), "none"))
    return tuple(rows)


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
    """Return posteriors over phones, and the audit of the columns (each counted once)."""
    shift = frame_shift if frame_shift is not None else raw.frame_shift
    if shift is None:
        raise DataError(
            f"{raw.source}: the frame shift is not in the file; give frame_shift: (decode: --frame-shift), in seconds"
        )
    blank = raw.blank if blank is None else blank
    if blank is not None and blank not in raw.labels:
        raise DataError(f"{raw.source}: blank '{blank}' is none of its columns: {' '.join(raw.labels)}")
    named, markers = [label for label in raw.labels if label != blank], []
    if not symbols.raw:  # a table of symbols that has a marker decides
        markers = [label for label in named if symbols.row(label) is None and label.lower() in MARKERS]
        named = [label for label in named if label not in markers]
        unmapped = [label for label in named if symbols.row(label) is None]
        refuse_text_units(raw.source, unmapped, markers)
    read = partial(normalise, symbols=symbols, table=table, rules=rules, side="posteriors")
    phones, audit = read(one_token_each(raw.source, named, raw.labels))
    codes = {label: phones.codes[slice(*phones.offsets[n : n + 2])].tolist() for n, label in enumerate(named)}
    keys = {label: _key(phones, place, label, symbols, rules) for place, label in enumerate(named)}
    suspected = [place for place, label in enumerate(raw.labels) if label.lower() in BLANKS]
    alone = {blank, *(raw.labels[place] for place in suspected)}
    read_as = [("blank", label) if label in alone else keys.get(label, ()) for label in raw.labels]
    numbers = {key: number for number, key in enumerate(dict.fromkeys(read_as))}
    spelling = Spelling(
        labels=raw.labels,
        classes=np.array([numbers[key] for key in read_as], np.int64),
        spoken=np.array([bool(keys.get(label)) for label in raw.labels]),
        suspected=np.array(suspected, np.int64),
        read=read,
    )
    posteriorgrams = Posteriorgrams(
        source=raw.source,
        utterances=raw.utterances,
        inventory=phones.inventory,
        columns=np.array([(codes.get(label) or [-1])[0] for label in raw.labels], dtype=np.int64),
        several={n: tuple(of) for n, label in enumerate(raw.labels) if len(of := codes.get(label, [])) > 1},
        read=raw.read,
        files=raw.files,
        frame_shift=shift,
        frame_offset=frame_offset,
        scale=scale,
        blank=None if blank is None else raw.labels.index(blank),
        spelling=spelling,
    )
    return posteriorgrams, (*audit, *(AuditRow(label, "", "dropped", 1, "none") for label in markers))


def _key(phones: PhoneSequences, place: int, label: str, symbols: SymbolSet, rules: SymbolRules) -> tuple[object, ...]:
    """Return what a label is read as, equal for labels that are read alike; () for one without phone or tone."""
    if rules.closures == "merge" and symbols.fold(label) in symbols.closures:
        return (label,)
    tiers = [phones] if phones.tones is None else [phones, phones.tones]
    read = tuple(tuple(tier.codes[tier.offsets[place] : tier.offsets[place + 1]].tolist()) for tier in tiers)
    return read if any(read) else ()


def one_token_each(source: str, labels: Sequence[str], columns: Sequence[str] = ()) -> Transcript:
    """Return labels as symbols of a file, at their places among all columns."""
    return Transcript(
        utterances=tuple(labels),
        offsets=offsets_of(np.ones(len(labels))),
        codes=np.arange(len(labels), dtype=np.int32),
        source=source,
        symbols=tuple(labels),
        places=tuple(f"{source}: column {(columns or labels).index(label) + 1}" for label in labels),
    )

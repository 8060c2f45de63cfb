"""Transcripts to phone sequences: every distinct symbol is decided once, then tokens follow by table look-up."""

import unicodedata

import numpy as np

from phonxling.core.arrays import Bools
from phonxling.core.corpus import AuditRow, SymbolAudit
from phonxling.core.errors import DataError
from phonxling.core.inventory import GAP
from phonxling.core.phonology.features import FeatureTable
from phonxling.core.sequences import PhoneSequences, Transcript
from phonxling.phones.deciding import decide, joined_fates
from phonxling.phones.expand import expand, merged_closures
from phonxling.phones.ipa import Fate, keep_ipa, read_ipa
from phonxling.phones.maps import SymbolSet
from phonxling.phones.refusals.symbols import unknown_symbols
from phonxling.phones.rules import SymbolRules
from phonxling.phones.segment import segmented
from phonxling.phones.tones import join_tones


def normalise(
    transcript: Transcript, symbols: SymbolSet, table: FeatureTable, rules: SymbolRules, *, side: str = ""
) -> tuple[PhoneSequences, SymbolAudit]:
    """Return a transcript's phones, and the audit of what became of each raw symbol.

    Utterances stay, even when nothing is left of them. The audit's counts sum to the tokens read. Messages name the
    `side` that the transcript is of.

    Raises
    ------
    UnknownSymbolsError
        If symbols are unknown and `rules.unknown` is "error".
    DataError
        If a symbol is ∅, which means "no phone" here.
    """
    if symbols.joined:
        transcript = segmented(transcript, table)
    fates = [decide(symbol, symbols, table, rules) for symbol in transcript.symbols]
    unknown = [code for code, fate in enumerate(fates) if fate is None]
    if unknown and rules.unknown == "error":
        raise unknown_symbols(transcript, symbols, table, codes=unknown, counts=transcript.counts, side=side)
    _refuse_gap(transcript, symbols)
    _refuse_empty(transcript, symbols)
    known = [fate or _unknown_fate(transcript.symbols[code], symbols, table, rules) for code, fate in enumerate(fates)]
    if rules.tone == "attach" and not symbols.raw:
        transcript, known = join_tones(transcript, known, table)
    merged = merged_closures(transcript, symbols) if rules.closures == "merge" else None
    phones = expand(transcript, known, merged, keep_tones=rules.tone == "tier" and not symbols.raw)
    return phones, _audit(transcript, known, merged)


def _refuse_gap(transcript: Transcript, symbols: SymbolSet) -> None:
    if GAP in transcript.symbols and symbols.row(GAP) is None:
        place = transcript.places[transcript.symbols.index(GAP)]
        raise DataError(f"{place}: the symbol {GAP} (U+2205) stands for 'no phone' and cannot be a phone; rename it")


def _refuse_empty(transcript: Transcript, symbols: SymbolSet) -> None:
    if symbols.raw and "" in transcript.symbols:
        raise DataError(f"{transcript.places[transcript.symbols.index('')]}: a phone cannot be the empty string")


def _unknown_fate(raw: str, symbols: SymbolSet, table: FeatureTable, rules: SymbolRules) -> Fate:
    """Return what an unknown symbol becomes: nothing, or kept as it is mapped (as it stands, when the map lacks it)."""
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

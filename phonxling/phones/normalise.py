"""Transcripts to phone sequences: every distinct symbol is decided once, then tokens follow by table look-up."""

import difflib
import unicodedata

import numpy as np

from phonxling.core.arrays import Bools, Codes, count_codes
from phonxling.core.corpus import AuditRow, SymbolAudit
from phonxling.core.errors import DataError, join_problems, shown
from phonxling.core.inventory import GAP
from phonxling.core.phonology.features import FeatureTable
from phonxling.core.phonology.spelling import canonical
from phonxling.core.phonology.tone import shown_tone
from phonxling.core.sequences import PhoneSequences, Transcript
from phonxling.phones.deciding import decide, joined_fates
from phonxling.phones.expand import expand, merged_closures
from phonxling.phones.ipa import Fate, keep_ipa, read_ipa
from phonxling.phones.maps import SymbolSet
from phonxling.phones.rules import SymbolRules
from phonxling.phones.segment import segmented
from phonxling.phones.tones import join_tones

MANY = 200  # unknown symbols: with more, it is the set that is wrong, and looking for each one's nearest takes minutes
_LETTERS = 40  # of a symbol that are shown


def normalise(
    transcript: Transcript, symbols: SymbolSet, table: FeatureTable, rules: SymbolRules
) -> tuple[PhoneSequences, SymbolAudit]:
    """Return a transcript's phones, and the audit of what became of each raw symbol.

    Utterances stay, even when nothing is left of them. The audit's counts sum to the tokens read.

    Raises
    ------
    DataError
        If symbols are unknown and `rules.unknown` is "error": one message lists all of them.
        If a symbol is ∅, which means "no phone" here.
    """
    if symbols.joined:
        transcript = segmented(transcript, table)
    fates = [decide(symbol, symbols, table, rules) for symbol in transcript.symbols]
    counts = count_codes(transcript.codes, len(fates))
    unknown = [code for code, fate in enumerate(fates) if fate is None]
    if unknown and rules.unknown == "error":
        raise DataError(_unknown_message(transcript, symbols, table, unknown, counts))
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
    counts = count_codes(transcript.codes, len(fates))
    gone = np.bincount(transcript.codes[merged], minlength=len(fates)) if merged is not None else np.zeros_like(counts)
    rows = []
    for raw, fate, count, joined in zip(transcript.symbols, fates, counts, gone, strict=True):
        if count > joined:
            symbol = fate.shown if fate.action != "merged" else "(its phone)"
            rows.append(AuditRow(raw, symbol, fate.action, int(count - joined), fate.features))
        if joined:
            rows.append(AuditRow(raw, "(its release)", "merged", int(joined), "none"))
    return tuple(rows)


def _unknown_message(
    transcript: Transcript, symbols: SymbolSet, table: FeatureTable, unknown: list[int], counts: Codes
) -> str:
    """Return the message about the transcript's symbols of these codes."""
    choices = sorted(symbols.ipa) if symbols.ipa is not None else list(map(canonical, table.segments))
    lines = []
    for code in unknown:
        raw, count = transcript.symbols[code], int(counts[code])
        letters = " ".join(f"U+{ord(letter):04X}" for letter in raw[:_LETTERS]) + " …" * (len(raw) > _LETTERS)
        times = "once" if count == 1 else f"{count} times"
        hint = _hint(symbols.fold(raw), symbols, choices) if len(unknown) <= MANY else ""
        lines.append(
            f"{shown(shown_tone(raw), _LETTERS)}  ({letters}) {times}, first at {transcript.places[code]}{hint}"
        )
    known = "the feature table" if not symbols.mapped else f"the symbol set '{symbols.name}'"
    headline = f"{transcript.source}: {len(unknown)} symbol{'s' * (len(unknown) > 1)} not known to {known}:"
    remedy = "Map them with a two-column TSV (symbol, ipa), choose another symbol set, or set unknown: keep or drop."
    return join_problems(headline, lines, remedy)


def _hint(raw: str, symbols: SymbolSet, choices: list[str]) -> str:
    mapped = symbols.to_ipa(raw) if symbols.mapped else None
    if mapped is not None:
        return f"; mapped to '{mapped}', which the feature table does not know"
    if symbols.reading is not None:
        return ""
    near = difflib.get_close_matches(canonical(raw), choices, n=1, cutoff=0.3)
    return f"; nearest known: {unicodedata.normalize('NFC', near[0])}" if near else ""

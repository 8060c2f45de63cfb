"""Transcripts to phone sequences: every distinct symbol is decided once, then tokens follow by table look-up."""

import difflib
import unicodedata
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from phonxling.core.arrays import count_codes
from phonxling.core.audit import Action, AuditRow, SymbolAudit
from phonxling.core.errors import DataError, join_problems
from phonxling.core.features import FeatureTable, Origin, canonical
from phonxling.core.inventory import GAP
from phonxling.core.sequences import PhoneSequences, Transcript
from phonxling.core.tone import Levels, shown_tone
from phonxling.normalise.closures import merged_closures
from phonxling.normalise.expand import expand
from phonxling.normalise.ipa import Fate, Tone, keep_ipa, read_ipa
from phonxling.normalise.maps import SILENCE, SILENCE_PHONE, SymbolSet
from phonxling.normalise.tone_tokens import join_tones


@dataclass(frozen=True, slots=True)
class SymbolRules:
    """How symbols are treated (definition 12); the defaults are the configuration's.

    `tone_levels` says how tone accents read (see `phonxling.core.tone`). Where the configuration has `auto`, it is
    settled for a corpus before its symbols are read.
    """

    unknown: Literal["error", "drop", "keep"] = "error"
    tone: Tone = "tier"
    silence: Literal["drop", "keep"] = "drop"
    closures: Literal["merge", "alone"] = "merge"
    tone_levels: Levels = "three"


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
    fates = [decide(symbol, symbols, table, rules) for symbol in transcript.symbols]
    counts = count_codes(transcript.codes, len(fates))
    unknown = [code for code, fate in enumerate(fates) if fate is None]
    if unknown and rules.unknown == "error":
        raise DataError(_unknown_message(transcript, symbols, table, unknown, counts))
    _refuse_gap(transcript, symbols)
    known = [fate or _unknown_fate(transcript.symbols[code], symbols, table, rules) for code, fate in enumerate(fates)]
    if rules.tone == "attach" and not symbols.raw:
        transcript, known = join_tones(transcript, known, table)
    merged = merged_closures(transcript, symbols) if rules.closures == "merge" else None
    phones = expand(transcript, known, merged, keep_tones=rules.tone == "tier" and not symbols.raw)
    return phones, _audit(transcript, known, merged)


def _refuse_gap(transcript: Transcript, symbols: SymbolSet) -> None:
    if GAP in transcript.symbols and GAP not in (symbols.ipa or {}):
        place = transcript.places[transcript.symbols.index(GAP)]
        raise DataError(f"{place}: the symbol {GAP} (U+2205) stands for 'no phone' and cannot be a phone; rename it")


def decide(raw: str, symbols: SymbolSet, table: FeatureTable, rules: SymbolRules) -> Fate | None:
    """Return what one raw symbol becomes; None when it is unknown."""
    if symbols.raw:
        return Fate((raw,), "kept", "none")
    folded = symbols.fold(raw)
    mapped = symbols.ipa.get(folded) if symbols.ipa is not None else None
    if (raw if mapped is None else mapped or "-").lower() in SILENCE:
        kept = rules.silence == "keep"
        return Fate((SILENCE_PHONE,), "kept" if raw == SILENCE_PHONE else "mapped", "none") if kept else _DROPPED
    if symbols.ipa is None:
        return read_ipa(raw, table, rules.tone, rules.tone_levels)
    if folded in symbols.closures:
        stop = _closure(symbols.ipa[symbols.closures[folded][0]], rules)
        return Fate((stop,), "mapped", table.vector(stop)[1])
    return None if mapped is None else _through_map(raw, mapped, table, rules)


_DROPPED = Fate((), "dropped", "none")
MANY = 200  # unknown symbols: with more, it is the set that is wrong, and looking for each one's nearest takes minutes


def _closure(stop: str, rules: SymbolRules) -> str:
    """Return what a closure without its release counts as: the stop, or unreleased when closures stand alone."""
    return stop if rules.closures == "merge" else stop + "\u031a"


def _through_map(raw: str, mapped: str, table: FeatureTable, rules: SymbolRules) -> Fate | None:
    parts = [read_ipa(part, table, rules.tone, rules.tone_levels) for part in mapped.split()]
    found = [part for part in parts if part is not None]
    if len(found) != len(parts):
        return None
    phones, tone = _joined(found)
    if not phones and not tone:
        return _DROPPED
    same = phones == (unicodedata.normalize("NFC", raw),)
    action: Action = "split" if len(phones) > 1 else "kept" if same else "mapped"
    origin: Origin = "composed" if any(part.features == "composed" for part in found) else "table"
    return Fate(phones, action, origin, tone)


def _joined(parts: list[Fate]) -> tuple[tuple[str, ...], str]:
    return tuple(phone for part in parts for phone in part.phones), " ".join(part.tone for part in parts if part.tone)


def _unknown_fate(raw: str, symbols: SymbolSet, table: FeatureTable, rules: SymbolRules) -> Fate:
    """Return what an unknown symbol becomes: nothing, or kept as it is mapped (as it stands, when the map lacks it)."""
    if rules.unknown == "drop":
        return _DROPPED
    mapped = raw if symbols.ipa is None else symbols.ipa.get(symbols.fold(raw))
    if mapped is None:
        return Fate((unicodedata.normalize("NFC", raw),), "unknown", "none")
    texts = [raw] if symbols.ipa is None else mapped.split()
    how = rules.tone, rules.tone_levels
    phones, tone = _joined([read_ipa(text, table, *how) or keep_ipa(text, *how) for text in texts])
    return Fate(phones, "unknown", "none", tone)


def _audit(transcript: Transcript, fates: list[Fate], merged: NDArray[np.bool_] | None) -> SymbolAudit:
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
    transcript: Transcript, symbols: SymbolSet, table: FeatureTable, unknown: list[int], counts: NDArray[np.int64]
) -> str:
    choices = sorted(symbols.ipa) if symbols.ipa is not None else list(table.segments)
    lines = []
    for code in unknown:
        raw, count = transcript.symbols[code], int(counts[code])
        letters = " ".join(f"U+{ord(letter):04X}" for letter in raw)
        times = "once" if count == 1 else f"{count} times"
        hint = _hint(symbols.fold(raw), symbols, choices) if len(unknown) <= MANY else ""
        lines.append(f"{shown_tone(raw)}  ({letters}) {times}, first at {transcript.places[code]}{hint}")
    known = "the feature table" if symbols.ipa is None else f"the symbol set '{symbols.name}'"
    headline = f"{transcript.source}: {len(unknown)} symbol{'s' * (len(unknown) > 1)} not known to {known}:"
    remedy = "Map them with a two-column TSV (symbol, ipa), choose another symbol set, or set unknown: keep or drop."
    return join_problems(headline, lines, remedy)


def _hint(raw: str, symbols: SymbolSet, choices: list[str]) -> str:
    if symbols.ipa is not None and raw in symbols.ipa:
        return f"; mapped to '{symbols.ipa[raw]}', which the feature table does not know"
    near = difflib.get_close_matches(canonical(raw), choices, n=1, cutoff=0.3)
    return f"; nearest known: {near[0]}" if near else ""

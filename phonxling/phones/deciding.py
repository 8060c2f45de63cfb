"""What one raw symbol becomes: through a table of symbols, as IPA, as silence, or unknown."""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from phonxling.core.corpus import Action
from phonxling.core.features import FeatureTable, Origin
from phonxling.core.sequences import Transcript
from phonxling.core.tone import ACCENTS, EXTRA, Levels, read_tones, split_tone
from phonxling.phones.ipa import Fate, by_rules, read_ipa
from phonxling.phones.maps import BUILT_IN, CLOSURES, LABELS, SILENCE, SILENCE_PHONE, SymbolSet, is_boundary
from phonxling.phones.rules import SymbolRules
from phonxling.phones.segment import segment


def decide(raw: str, symbols: SymbolSet, table: FeatureTable, rules: SymbolRules) -> Fate | None:
    """Return what one raw symbol becomes; None when it is unknown."""
    fate = _decide(rules.written(raw), symbols, table, rules)
    return fate if fate is None or fate.features == "none" else by_rules(fate, table, rules)


def _decide(raw: str, symbols: SymbolSet, table: FeatureTable, rules: SymbolRules) -> Fate | None:
    if symbols.raw:
        return Fate((unicodedata.normalize("NFC", raw),), "kept", "none")
    row = symbols.row(raw)
    named = raw if row is None else row or "-"  # a table decides what is silence
    if named.lower() in SILENCE:
        if rules.silence != "keep":
            return Fate((), "silence", "none")
        return Fate((SILENCE_PHONE,), "kept" if raw == SILENCE_PHONE else "mapped", "none")
    if row is None and is_boundary(raw):
        return Fate((), "boundary", "none")
    if row is None and not symbols.mapped:
        return read_ipa(raw, table, rules.tone, rules.tone_levels)
    if symbols.fold(raw) in symbols.closures:  # without its release: the stop, unreleased where it is alone
        stop = symbols.to_ipa(symbols.closures[symbols.fold(raw)][0]) or ""
        stop += "\u031a" * (rules.closures == "alone")
        return Fate((stop,), "mapped", table.vector(stop)[1])
    mapped = symbols.to_ipa(raw)
    return None if mapped is None else _through_map(raw, mapped, table, rules)


def _through_map(raw: str, mapped: str, table: FeatureTable, rules: SymbolRules) -> Fate | None:
    parts = [read_ipa(part, table, rules.tone, rules.tone_levels) for part in mapped.split()]
    known = [part for part in parts if part is not None]
    if len(known) != len(parts):
        return None
    phones, tone = joined_fates(known)
    if not phones and not tone:
        return Fate((), "dropped", "none")
    same = phones == (unicodedata.normalize("NFC", raw),)
    action: Action = "split" if len(phones) > 1 else "kept" if same else "mapped"
    origin: Origin = "composed" if any(part.features == "composed" for part in known) else "table"
    return Fate(phones, action, origin, tone)


def joined_fates(parts: list[Fate]) -> tuple[tuple[str, ...], str]:
    """Return the phones and the tones of parts, one after the other."""
    return tuple(phone for part in parts for phone in part.phones), " ".join(part.tone for part in parts if part.tone)


MOST = 500  # symbols, the most frequent, that are tried: words are many, and each takes a millisecond
_SETS = ("ipa", "arpabet", "timit39", "timit48", "timit61", "xsampa", "espeak", "ipa-joined")  # of equals the first
_PLAIN = re.compile(r"[A-Za-z]{2,}")  # a label or a word, unlikely to be the spelling of one phone in IPA


@dataclass(frozen=True, slots=True)
class Fit:
    """How one built-in symbol set reads some symbols."""

    name: str
    tried: int
    unknown: tuple[str, ...]
    doubtful: tuple[str, ...]
    merged: tuple[tuple[str, str], ...]


def fits(counts: Mapping[str, int], table: FeatureTable) -> list[Fit]:
    """Return how each built-in set reads raw symbols (number of tokens by symbol), the set that fits best first."""
    symbols = sorted(counts, key=lambda symbol: -counts[symbol])[:MOST]
    spoken = {symbol.lower() for symbol in symbols if not is_boundary(symbol)} - SILENCE
    own = next((name for name, labels in LABELS.items() if spoken <= labels), "")
    tried = [_fit(name, symbols, table) for name in _SETS]
    few_words = 2 * len(tried[0].unknown) <= len(symbols)
    return sorted(tried, key=lambda fit: (few_words and fit.name == "ipa-joined", *_misfit(fit, own)))


def _misfit(fit: Fit, own: str) -> tuple[int, int, int, bool, int]:
    doubts = len(fit.unknown) + len(fit.doubtful)
    return doubts, len(fit.unknown), len(fit.merged), fit.name not in {own, "ipa"}, _SETS.index(fit.name)


def _fit(name: str, symbols: list[str], table: FeatureTable) -> Fit:
    chosen = BUILT_IN[name]
    unknown, doubtful, merged = [], [], []
    first: dict[tuple[str, ...], str] = {(): ""}
    for symbol in symbols:
        silent = symbol.lower() in SILENCE or is_boundary(symbol)
        parts = segment(symbol, table) if chosen.joined and not silent else [symbol]
        fates = [decide(part, chosen, table, SymbolRules()) for part in parts]
        known = [fate for fate in fates if fate is not None]
        if len(known) < len(fates):
            unknown.append(symbol)
            continue
        odd = _PLAIN.fullmatch(symbol) or (name == "espeak" and symbol.isascii() and not symbol.islower())
        if chosen.ipa is None and odd and not silent:
            doubtful.append(symbol)
        if not silent and symbol.lower() not in CLOSURES:
            twin = first.setdefault(joined_fates(known)[0], symbol)
            merged += [(symbol, twin)] if twin != symbol else []
    return Fit(name, len(symbols), tuple(unknown), tuple(doubtful), tuple(merged))


def tone_levels(sides: Iterable[tuple[Transcript, SymbolSet]]) -> Levels:
    """Return the reading of accents that goes with all tones of a corpus, gold and predicted."""
    inner = outer = 0
    for transcript, symbols in sides:
        for raw, count in zip(transcript.symbols, transcript.counts.tolist(), strict=True):
            for part in (symbols.to_ipa(raw) or "").split() if count else ():
                marks = {*split_tone(part)[1]}
                if marks & {*EXTRA}:
                    return "five"
                level = [] if marks & {*ACCENTS} else [{*tone} for tone in read_tones(split_tone(part)[1]).split()]
                inner += count * sum(tone in ({"˦"}, {"˨"}) for tone in level)
                outer += count * sum(tone in ({"˥"}, {"˩"}) for tone in level)
    return "five" if inner > outer else "three"


def join_tones(transcript: Transcript, fates: Sequence[Fate], table: FeatureTable) -> tuple[Transcript, list[Fate]]:
    """Return the transcript, and its symbols' fates, with each tone that stands alone attached to a phone."""
    alone = [len(fate.phones) == 1 and fate.action != "unknown" and not split_tone(fate.phones[0])[0] for fate in fates]
    if not any(alone):
        return transcript, list(fates)
    codes = transcript.codes.astype(np.int64)
    symbols, places, all_fates = [*transcript.symbols], [*transcript.places], [*fates]
    added: dict[tuple[int, str], int] = {}

    def coded(code: int, tone: str, fate: Fate) -> int:
        if (code, tone) not in added:
            added[code, tone] = len(all_fates)
            all_fates.append(fate)
            symbols.append(symbols[code])
            places.append(places[code])
        return added[code, tone]

    bears = [_bears(fate.phones, table) if fate.phones != (SILENCE_PHONE,) else [] for fate in fates]
    for token, bearer in _bearers(transcript, alone, bears):
        tone, code = fates[codes[token]].phones[0], int(codes[bearer])
        codes[bearer] = coded(code, tone, _with_tone(all_fates[code], tone, table))
        codes[token] = coded(int(codes[token]), "", Fate((), "merged", "none"))
    return replace(transcript, codes=codes, symbols=tuple(symbols), places=tuple(places)), all_fates


def _bearers(transcript: Transcript, alone: list[bool], bears: list[list[bool]]) -> Iterator[tuple[int, int]]:
    """Yield (token of a tone, token of its phone)."""
    codes = transcript.codes.tolist()
    for first, end in zip(transcript.offsets[:-1].tolist(), transcript.offsets[1:].tolist(), strict=True):
        bearer = latest = -1
        for token in range(first, end):
            code = codes[token]
            if alone[code] and latest >= 0:
                yield token, latest if bearer < 0 else bearer
            elif bears[code] and not alone[code]:
                latest, bearer = token, token if any(bears[code]) else bearer


def _bears(phones: Sequence[str], table: FeatureTable) -> list[bool]:
    return [bool(split_tone(phone)[1]) or table.matches(phone, "+syl") for phone in phones]


def _with_tone(fate: Fate, tone: str, table: FeatureTable) -> Fate:
    bears = _bears(fate.phones, table)
    place = max((n for n, bearing in enumerate(bears) if bearing), default=len(bears) - 1)
    segment, marks = split_tone(fate.phones[place] + tone)  # the names ¹ and ⁵ side by side are the pitches ˩˥
    toned = unicodedata.normalize("NFC", segment + read_tones(marks).replace(" ", ""))
    phones = (*fate.phones[:place], toned, *fate.phones[place + 1 :])
    return Fate(phones, "unknown" if fate.action == "unknown" else "folded", table.vector(toned)[1])

"""What one raw symbol becomes: phones by a symbol set or as IPA, silence, a boundary, or unknown."""

import unicodedata

from phonxling.core.features import FeatureTable, Origin
from phonxling.core.inventory import SILENCE_PHONE
from phonxling.core.sequences import Action
from phonxling.phones.ipa import NormalisedSymbol, apply_rules, read_ipa
from phonxling.phones.symbols import SILENCE, SymbolRules, SymbolSet, is_boundary


def decide(raw: str, symbols: SymbolSet, table: FeatureTable, rules: SymbolRules) -> NormalisedSymbol | None:
    """Return what one raw symbol becomes; None when it is unknown."""
    fate = _decide(rules.respell(raw), symbols, table, rules)
    return fate if fate is None or fate.features == "none" else apply_rules(fate, table, rules)


def _decide(raw: str, symbols: SymbolSet, table: FeatureTable, rules: SymbolRules) -> NormalisedSymbol | None:
    if symbols.raw:
        return NormalisedSymbol((unicodedata.normalize("NFC", raw),), "kept", "none")
    row = symbols.row(raw)
    named = raw if row is None else row or "-"  # a table decides what is silence
    if named.lower() in SILENCE:
        if rules.silence != "keep":
            return NormalisedSymbol((), "silence", "none")
        return NormalisedSymbol((SILENCE_PHONE,), "kept" if raw == SILENCE_PHONE else "mapped", "none")
    # A boundary is dropped, but kept apart from silence: word boundaries give phones their words.
    if row is None and is_boundary(raw):
        return NormalisedSymbol((), "boundary", "none")
    if row is None and not symbols.mapped:
        return read_ipa(raw, table, rules.tone, rules.tone_levels)
    if symbols.fold(raw) in symbols.closures:  # without its release: the stop, unreleased where it is alone
        stop = symbols.to_ipa(symbols.closures[symbols.fold(raw)][0]) or ""
        stop += "\u031a" * (rules.closures == "alone")
        return NormalisedSymbol((stop,), "mapped", table.vector(stop)[1])
    mapped = symbols.to_ipa(raw)
    return None if mapped is None else _read_mapped(raw, mapped, table, rules)


def _read_mapped(raw: str, mapped: str, table: FeatureTable, rules: SymbolRules) -> NormalisedSymbol | None:
    parts = [read_ipa(part, table, rules.tone, rules.tone_levels) for part in mapped.split()]
    known = [part for part in parts if part is not None]
    if len(known) != len(parts):
        return None
    phones, tone = join_fates(known)
    if not phones and not tone:
        return NormalisedSymbol((), "dropped", "none")
    same = phones == (unicodedata.normalize("NFC", raw),)
    action: Action = "split" if len(phones) > 1 else "kept" if same else "mapped"
    origin: Origin = "composed" if any(part.features == "composed" for part in known) else "table"
    return NormalisedSymbol(phones, action, origin, tone)


def join_fates(parts: list[NormalisedSymbol]) -> tuple[tuple[str, ...], str]:
    return tuple(phone for part in parts for phone in part.phones), " ".join(part.tone for part in parts if part.tone)

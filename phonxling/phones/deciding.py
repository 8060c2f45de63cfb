"""What one raw symbol becomes: through a table of symbols, as IPA, as silence, or unknown."""

import unicodedata

from phonxling.core.corpus import Action
from phonxling.core.phonology.features import FeatureTable, Origin
from phonxling.phones.ipa import Fate, read_ipa, split_diphthongs
from phonxling.phones.maps import SILENCE, SILENCE_PHONE, SymbolSet
from phonxling.phones.rules import SymbolRules


def decide(raw: str, symbols: SymbolSet, table: FeatureTable, rules: SymbolRules) -> Fate | None:
    """Return what one raw symbol becomes; None when it is unknown."""
    fate = _decide(raw, symbols, table, rules)
    return split_diphthongs(fate, table) if fate is not None and rules.diphthongs == "split" else fate


def _decide(raw: str, symbols: SymbolSet, table: FeatureTable, rules: SymbolRules) -> Fate | None:
    if symbols.raw:
        return Fate((unicodedata.normalize("NFC", raw),), "kept", "none")
    row = symbols.row(raw)
    named = raw if row is None else row or "-"  # a table decides what is silence
    if named.lower() in SILENCE:
        if rules.silence != "keep":
            return _SILENT
        return Fate((SILENCE_PHONE,), "kept" if raw == SILENCE_PHONE else "mapped", "none")
    if row is None and not symbols.mapped:
        return read_ipa(raw, table, rules.tone, rules.tone_levels)
    release = symbols.closures.get(symbols.fold(raw))
    if release is not None:
        stop = _closure(symbols.to_ipa(release[0]) or "", rules)
        return Fate((stop,), "mapped", table.vector(stop)[1])
    mapped = symbols.to_ipa(raw)
    return None if mapped is None else _through_map(raw, mapped, table, rules)


_DROPPED, _SILENT = (Fate((), action, "none") for action in ("dropped", "silence"))


def _closure(stop: str, rules: SymbolRules) -> str:
    """Return what a closure without its release counts as: the stop, or unreleased when closures stand alone."""
    return stop if rules.closures == "merge" else stop + "\u031a"


def _through_map(raw: str, mapped: str, table: FeatureTable, rules: SymbolRules) -> Fate | None:
    parts = [read_ipa(part, table, rules.tone, rules.tone_levels) for part in mapped.split()]
    known = [part for part in parts if part is not None]
    if len(known) != len(parts):
        return None
    phones, tone = joined_fates(known)
    if not phones and not tone:
        return _DROPPED
    same = phones == (unicodedata.normalize("NFC", raw),)
    action: Action = "split" if len(phones) > 1 else "kept" if same else "mapped"
    origin: Origin = "composed" if any(part.features == "composed" for part in known) else "table"
    return Fate(phones, action, origin, tone)


def joined_fates(parts: list[Fate]) -> tuple[tuple[str, ...], str]:
    """Return the phones and the tones of parts, one after the other."""
    return tuple(phone for part in parts for phone in part.phones), " ".join(part.tone for part in parts if part.tone)

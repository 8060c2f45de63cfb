"""What symbols become, as text: utterances parted by " / ", symbols and phones by spaces."""

import unicodedata

from support import phones_by_utterance, transcript_of

from phonxling.core.sequences import PhoneSequences, SymbolAudit
from phonxling.load.resources import panphon_features
from phonxling.phones.ipa import NormalisedSymbol, decide
from phonxling.phones.normalise import normalise
from phonxling.phones.symbols import BUILT_IN, SymbolRules, SymbolSet


def cases(text: str) -> list[list[str]]:
    """Return the fields (parted by " = ") of cases (parted by two spaces or more, or lines)."""
    rows = [row.strip() for line in text.splitlines() for row in line.split("  ") if row.strip()]
    return [row.split(" = ") for row in rows]


def nfc(text: str) -> str:
    return unicodedata.normalize("NFC", text)


def fate(symbol: str, symbols: str = "ipa", **rules: str) -> NormalisedSymbol | None:
    return decide(symbol, BUILT_IN[symbols], panphon_features(), SymbolRules(**rules))  # type: ignore[arg-type]


def known(symbol: str, symbols: str = "ipa", **rules: str) -> NormalisedSymbol:
    found = fate(symbol, symbols, **rules)
    assert found is not None, symbol
    return found


def normalised(
    utterances: str, symbols: str | SymbolSet = "ipa", *, given: dict[str, object] | None = None, **rules: str
) -> tuple[PhoneSequences, SymbolAudit]:
    rows = [[symbol for symbol in row.split(" ") if symbol] for row in utterances.split(" / ")]
    chosen = BUILT_IN[symbols] if isinstance(symbols, str) else symbols
    rules_of = SymbolRules(**rules)  # type: ignore[arg-type]
    return normalise(transcript_of(rows, **(given or {})), chosen, panphon_features(), rules_of)  # type: ignore[arg-type]


def text_of(phones: PhoneSequences | None) -> str:
    return "no tier" if phones is None else " / ".join(map(" ".join, phones_by_utterance(phones)))


def phones_of(utterances: str, symbols: str | SymbolSet = "ipa", **rules: str) -> str:
    return text_of(normalised(utterances, symbols, **rules)[0])


def tones_of(utterances: str, symbols: str | SymbolSet = "ipa", **rules: str) -> str:
    return text_of(normalised(utterances, symbols, **rules)[0].tones)


def audit_of(utterances: str, symbols: str | SymbolSet = "ipa", **rules: str) -> list[str]:
    """Return the rows of the audit as `raw > phones: action count features`."""
    audit = normalised(utterances, symbols, **rules)[1]
    return [f"{row.raw} > {row.symbol}: {row.action} {row.count} {row.features}" for row in audit]

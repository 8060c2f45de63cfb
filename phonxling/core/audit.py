"""The symbol audit: what became of every raw symbol, and how often."""

from dataclasses import dataclass
from typing import Literal

Action = Literal["kept", "folded", "mapped", "split", "merged", "dropped", "unknown"]


@dataclass(frozen=True, slots=True)
class AuditRow:
    """One raw symbol (or one fate of it): what it became, by which action, and how many tokens.

    Actions: `kept` as it was (up to Unicode normal form), `folded` to the standard letter, `mapped` by a symbol set,
    `split` into several parts or into a phone and its tone, `merged` with its neighbour (a closure with its release, a
    tone with its phone), `dropped` (silence, or by its map), `unknown` to the feature table (dropped on request when
    `symbol` is empty, else kept). `features` says whence the phone's feature vector comes: `table`, `composed` by rule
    from known parts, or `none`.
    """

    raw: str
    symbol: str
    action: Action
    count: int
    features: Literal["table", "composed", "none"]


SymbolAudit = tuple[AuditRow, ...]

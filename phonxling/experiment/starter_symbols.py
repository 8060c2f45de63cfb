"""Symbols, for a starter configuration: the set that fits best, and a table that guesses what it does not know.

No symbol is kept or left out unasked: one that the set does not know stands in `symbols-extra.tsv` with a guess of its
IPA, to be read by a person, or with `?`, which stays an error until somebody writes what it is.
"""

import unicodedata
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from phonxling.core.errors import shown
from phonxling.load.features import panphon_features
from phonxling.phones.deciding import decide, fits
from phonxling.phones.maps import BUILT_IN, SILENCE, is_boundary
from phonxling.phones.refusals import ALIKE
from phonxling.phones.rules import SymbolRules
from phonxling.phones.segment import segment

EXTRA = "symbols-extra.tsv"
UNSURE = "?"  # what the table has for a symbol without a guess: no phone, so that it stays an error
_TRIED = 60  # symbols where there are so many that they may be words
_MANY, _LONG = 300, 4.0  # distinct symbols, and their mean length, beyond which they may be words
_LONG_PHONES = 2.5  # the mean length up to which symbols are phones, and not words of joined ones
_KNOWN = 0.7  # the share of tokens that a set must know of phones
_OF_WORDS = 0.85  # the same of words of joined phones: some of plain letters could be of any language
_SHOWN = 5  # symbols of a decision
_TABLES = ("arpabet", "timit61", "timit48")  # whose labels may stand among those of another set
_RULES = SymbolRules()


class Written(NamedTuple):
    """The symbol set that fits best, by name or as a map's path; the symbols that it does not know; what it knows."""

    symbols: str | Path
    unknown: tuple[str, ...]
    share: float

    @property
    def plausible(self) -> bool:
        return self.share >= (_OF_WORDS if self.symbols == "ipa-joined" else _KNOWN)


def written(
    counts: Mapping[str, int], maps: Mapping[Path, frozenset[str]] | None = None, *, columns: bool = False
) -> Written:
    """Return in which set symbols are written. A map that knows all, and most of which is used, goes first.

    Of symbols that may be words, the commonest decide; the labels of columns never are.
    """
    spoken = Counter({symbol: number for symbol, number in counts.items() if symbol.lower() not in SILENCE})
    names = {unicodedata.normalize("NFC", symbol) for symbol in spoken}
    for path, known in (maps or {}).items():
        if names <= known and len(names) >= len(known) / 2:
            return Written(path, (), 1.0)
    length = sum(len(symbol) * number for symbol, number in spoken.items()) / max(spoken.total(), 1)
    may_be_words = not columns and (len(spoken) > _MANY or length > _LONG)
    tried = Counter(dict(spoken.most_common(_TRIED))) if may_be_words else spoken
    joined = length > _LONG_PHONES and not columns
    best = next(fit for fit in fits(tried, panphon_features()) if joined or fit.name != "ipa-joined")
    doubtful = {*best.unknown, *best.doubtful, *(symbol for symbol in tried if len(symbol.split()) > 1)}
    share = sum(tried[symbol] for symbol in tried if symbol not in doubtful) / max(tried.total(), 1)
    unknown = best.unknown
    if len(tried) < len(spoken) and best.name != "ipa-joined":  # all of them, now that the set is known
        unknown = tuple(symbol for symbol in spoken if not _known(symbol, best.name))
    return Written(best.name, unknown, share if len(tried) > 1 else 0.0)


def _known(symbol: str, name: str = "ipa") -> bool:
    return decide(symbol, BUILT_IN[name], panphon_features(), _RULES) is not None


def guessed(symbol: str, name: str) -> str:
    """Return what a symbol's IPA may be, several phones with spaces between them; "" of a boundary; ? without a guess.

    Tried are letters that look like IPA, the labels of other sets of the kind, several phones in a row, the letters
    without their marks, and X-SAMPA.
    """
    if is_boundary(symbol) or symbol in {"##", "+"}:
        return ""
    others = _TABLES if name in _TABLES or name == "timit39" else ()
    letters = unicodedata.normalize("NFD", symbol)
    table = panphon_features()
    tries = [
        "".join(ALIKE.get(letter, letter) for letter in letters),
        *filter(None, (BUILT_IN[other].row(symbol) for other in others)),
        "" if symbol.isascii() else " ".join(segment(symbol, table)),
        "".join(letter for letter in letters if not unicodedata.combining(letter)),
        BUILT_IN["xsampa"].to_ipa(symbol) or "",
    ]
    fitting = (ipa for ipa in tries if ipa and all(map(_known, ipa.split())))
    return unicodedata.normalize("NFC", next(fitting, UNSURE))


def extra_table(symbols: Mapping[str, str]) -> str:
    """Return the text of the table of guesses, by symbol."""
    return "".join(f"{symbol}\t{ipa}\n" for symbol, ipa in {"symbol": "ipa", **symbols}.items())


def to_read(unknown: Mapping[str, str], of: str, name: str, beside: str = "") -> str:
    """Return the decision about unknown symbols, each with what to say of it, and what their table guesses."""
    guesses = {symbol: guessed(symbol, name) for symbol in unknown}
    named = [f"{shown(symbol)} {about}".rstrip() for symbol, about in [*unknown.items()][:_SHOWN]]
    more = f" … and {len(unknown) - _SHOWN} more" * (len(unknown) > _SHOWN)
    boundaries = [symbol for symbol, ipa in guesses.items() if not ipa]
    unsure = sum(ipa == UNSURE for ipa in guesses.values())
    verb = f"{of} is" if len(unknown) == 1 else f"{of}s are"
    clauses = [f"{len(unknown)} {verb} not known to {name}{beside}: {', '.join(named)}{more}"]
    clauses += [f"{' '.join(boundaries[:_SHOWN])} seem to be boundaries, which are no phones"] if boundaries else []
    remedy = f"read their IPA in {EXTRA}, which is a guess"
    write = f", and write it where it has {UNSURE} ({unsure}), or nothing for what is no phone"
    return "; ".join([*clauses, remedy + write * bool(unsure)])

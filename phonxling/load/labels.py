"""Labels that are more than a phone: "canonical,perceived,type" of mispronounced speech, and quotation marks."""

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import compress
from typing import Any

import numpy as np
from numpy.typing import NDArray

from phonxling.core.arrays import code_type, offsets_of
from phonxling.core.errors import quote
from phonxling.core.sequences import Transcript

# L2-ARCTIC (Zhao et al. 2018, "L2-ARCTIC: A non-native English speech corpus", Interspeech, and the corpus' README,
# https://psi.engr.tamu.edu/l2-arctic-corpus/): a phone that was said as it should be has one label. Another has three
# parts: what should be said, what was perceived, and s for a substitution, d for a deletion (sil was perceived), a for
# an addition (sil should be said). A star behind a phone says that it was near that phone and no other.
_PARTS = re.compile(r"\s*([^,\s]+)\s*,\s*([^,\s]+)\s*,\s*([sda])\s*", re.IGNORECASE)
_NOTHING = frozenset({"sil", "sp", "-", "<eps>"})
CANONICAL = "canonical"
_QUOTED_LABEL = re.compile("['\"\u2018\u201c\u201e\u00ab](.+)['\"\u2019\u201d\u201c\u00bb]")


def split_label(text: str) -> tuple[str, str] | None:
    """Return what should be said and what was perceived, "" for nothing; None where a label has no such parts."""
    match = _PARTS.fullmatch(text)
    if match is None:
        return None
    canonical, perceived, kind = match[1].rstrip("*"), match[2].rstrip("*"), match[3].lower()
    # Where the letter contradicts the parts, nobody can say which of the two is meant: it is no such label.
    silent = canonical.lower() in _NOTHING, perceived.lower() in _NOTHING
    if silent[0] != (kind == "a") or silent[1] != (kind == "d"):
        return None
    return "" if silent[0] else canonical, "" if silent[1] else perceived


def choose_labels(read: Transcript, side: str = "") -> Transcript:
    """Return a transcript with one part of such labels: the canonical one for that side, else what was perceived."""
    parts = [split_label(symbol) if symbol.count(",") == 2 else None for symbol in read.symbols]
    counts = dict(zip(read.symbols, read.counts.tolist(), strict=True))
    of_commas = sum(number for symbol, number in counts.items() if "," in symbol and symbol != ",")
    labelled = sum(number for number, each in zip(counts.values(), parts, strict=True) if each)
    # Majorities: a handful of such labels among others is a slip, and a table full of commas has lists in its cells.
    if not labelled or 2 * labelled < of_commas or 2 * of_commas > len(read.codes):
        return read
    chosen = [name if each is None else each[side != CANONICAL] for name, each in zip(read.symbols, parts, strict=True)]
    spoken = np.array([each is None or symbol != "" for symbol, each in zip(chosen, parts, strict=True)])
    part = "what should be said" if side == CANONICAL else "what was perceived"
    first = quote(next(symbol for symbol, each in zip(read.symbols, parts, strict=True) if each))
    note = f'of labels "canonical,perceived,type" ({labelled:,}, first {first}), {part} is read'
    return _rename_labels(read, chosen, spoken, note)


def _rename_labels(read: Transcript, names: Sequence[str], spoken: NDArray[np.bool_], note: str) -> Transcript:
    places, table = distinct_symbols(names, read.places, spoken.tolist())
    kept = spoken[read.codes]
    lengths = np.bincount(read.token_utterances()[kept], minlength=len(read))
    return select_tokens(
        read,
        kept,
        offsets=offsets_of(lengths),
        codes=table[read.codes][kept],
        symbols=tuple(places),
        places=tuple(places.values()),
        notes=(*read.notes, note),
    )


def strip_quotes(read: Transcript) -> Transcript:
    """Return a transcript without quotation marks where each symbol stands in some; one alone is stress or ejective."""
    # Only where every symbol is quoted: in some transcriptions ' is an ejective or stress, and " is X-SAMPA's stress.
    inside = [_QUOTED_LABEL.fullmatch(symbol) for symbol in read.symbols]
    if len(inside) < 2 or not all(inside):
        return read
    note = f"each phone stands in quotation marks, which are left out (first {quote(read.symbols[0])})"
    return _rename_labels(read, [match[1] for match in inside if match], np.ones(len(inside), bool), note)


def strip_brackets(read: Transcript) -> Transcript:
    """Return a transcript without brackets, or slashes, around the phones of its utterances: [k a t]."""
    held = read.lengths > 0
    first, last = read.codes[read.offsets[:-1][held]], read.codes[read.offsets[1:][held] - 1]
    for left, right in ("[]", "//", "⟨⟩") if read.start is None else ():
        opening = np.array([symbol.startswith(left) for symbol in read.symbols], dtype=bool)
        closing = np.array([symbol.endswith(right) for symbol in read.symbols], dtype=bool)
        number = int((opening[first] & closing[last]).sum())
        # [ is dental in espeak-ng's labels and / separates phones in others: brackets within are no mere frame.
        marks = [sum(map(symbol.count, {left, right})) for symbol in read.symbols]
        if 2 * number > len(first) and np.array(marks)[read.codes].sum() == 2 * number:  # none is elsewhere
            bare = [symbol.strip(left + right) for symbol in read.symbols]
            note = f"{left} {right} around the phones of {number:,} utterances are left out"
            return _rename_labels(read, bare, np.array([*map(bool, bare)]), note)
    return read


def select_tokens(read: Transcript, tokens: NDArray[Any], **others: Any) -> Transcript:  # noqa: ANN401 - columns by name
    names = ("codes", "start", "end", "confidence")
    columns: dict[str, Any] = {name: of[tokens] for name in names if (of := getattr(read, name)) is not None}
    return replace(read, **{**columns, **others})


def distinct_symbols(
    symbols: Sequence[str], places: Sequence[str], kept: Sequence[bool] | None = None
) -> tuple[dict[str, str], NDArray[np.integer]]:
    """Return the first place of each of the symbols that are kept, and the new code of each old one, 0 of others."""
    first: dict[str, str] = {}
    for symbol, place in compress(zip(symbols, places, strict=True), kept or [True] * len(symbols)):
        first.setdefault(symbol, place)
    codes = {symbol: code for code, symbol in enumerate(first)}
    return first, np.array([codes.get(symbol, 0) for symbol in symbols], dtype=code_type(len(codes)))

"""The message about symbols that nobody knows: all of them, with their place, their count, and what is nearest."""

import difflib

import numpy as np
from numpy.typing import NDArray

from phonxling.core.errors import join_problems
from phonxling.core.messages import shown
from phonxling.core.phonology.features import FeatureTable
from phonxling.core.phonology.spelling import canonical
from phonxling.core.phonology.tone import shown_tone
from phonxling.core.sequences import Transcript
from phonxling.phones.maps import SymbolSet

MANY = 200  # unknown symbols: with more, it is the set that is wrong, and looking for each one's nearest takes minutes
_LETTERS = 40  # of a symbol that are shown


def unknown_message(
    transcript: Transcript, symbols: SymbolSet, table: FeatureTable, unknown: list[int], counts: NDArray[np.int64]
) -> str:
    """Return the message about the transcript's symbols of these codes."""
    choices = sorted(symbols.ipa) if symbols.ipa is not None else list(table.segments)
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
    return f"; nearest known: {near[0]}" if near else ""

"""Stop closures that TIMIT labels apart from their releases (tcl t): which of them are part of the next phone."""

import numpy as np
from numpy.typing import NDArray

from phonxling.core.sequences import Transcript
from phonxling.normalise.maps import SymbolSet


def merged_closures(transcript: Transcript, symbols: SymbolSet) -> NDArray[np.bool_] | None:
    """Return which tokens are closures followed, in the same utterance, by their release; None when the set has none.

    "tcl t" and "tcl ch" are one phone each; a tcl before anything else is a stop without a release and stays.
    """
    names = [symbols.fold(symbol) for symbol in transcript.symbols]
    if not any(name in symbols.closures for name in names):
        return None
    belongs = np.array([[second in symbols.closures.get(first, ()) for second in names] for first in names])
    merged = np.zeros(len(transcript.codes), dtype=bool)
    merged[:-1] = belongs[transcript.codes[:-1], transcript.codes[1:]]
    merged[transcript.offsets[1:][transcript.lengths > 0] - 1] = False
    return merged

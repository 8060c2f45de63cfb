"""Stop closures that TIMIT labels apart from their releases (tcl t): which of them are part of the next phone."""

import numpy as np
from numpy.typing import NDArray

from phonxling.core.sequences import Transcript
from phonxling.phones.maps import SymbolSet


def merged_closures(transcript: Transcript, symbols: SymbolSet) -> NDArray[np.bool_] | None:
    """Return which tokens are closures followed, in the same utterance, by their release; None when the set has none.

    "tcl t" and "tcl ch" are one phone each; a tcl before anything else is a stop without a release and stays.
    """
    names = [symbols.fold(symbol) for symbol in transcript.symbols]
    closures = sorted({name for name in names if name in symbols.closures})
    if not closures:
        return None
    none = len(closures)  # the row of all symbols that are no closure
    row = np.array([closures.index(name) if name in symbols.closures else none for name in names])
    releases = [*(symbols.closures[name] for name in closures), ()]
    belongs = np.array([[second in those for second in names] for those in releases])
    merged = np.zeros(len(transcript.codes), dtype=bool)
    merged[:-1] = belongs[row[transcript.codes[:-1]], transcript.codes[1:]]
    merged[transcript.offsets[1:][transcript.lengths > 0] - 1] = False
    return merged

"""How a corpus' tone accents read: in three levels, or in the IPA chart's five."""

from collections.abc import Iterable, Iterator

import numpy as np

from phonxling.core.sequences import Transcript
from phonxling.core.tone import EXTRA, Levels, split_tone
from phonxling.normalise.maps import SymbolSet


def tone_levels(sides: Iterable[tuple[Transcript, SymbolSet]]) -> Levels:
    """Return the reading of accents that goes with all tones of a corpus, gold and predicted.

    `five` when an extra high or extra low accent occurs (then á is not the highest), or when its tone letters say more
    often ˦ and ˨ than ˥ and ˩ (then they are written as the chart pairs them with á and à); otherwise `three`.

    Examples
    --------
    >>> from phonxling.core.sequences import Transcript
    >>> rows = {"utterances": ("u",), "offsets": [0, 2], "codes": [0, 1], "places": ("", "")}
    >>> ipa = SymbolSet("ipa")
    >>> [tone_levels([(Transcript(symbols=two, **rows), ipa)]) for two in (("a˥", "a˩"), ("a˦", "a˨"), ("á", "a̋"))]
    ['three', 'five', 'five']
    """
    inner = outer = 0
    for marks, count in _marks(sides):
        if set(marks) & set(EXTRA):
            return "five"
        inner += count * sum(marks.count(letter) for letter in "˦˨")
        outer += count * sum(marks.count(letter) for letter in "˥˩")
    return "five" if inner > outer else "three"


def _marks(sides: Iterable[tuple[Transcript, SymbolSet]]) -> Iterator[tuple[str, int]]:
    """Yield the tone marks of each symbol that has some, and how often it occurs."""
    for transcript, symbols in sides:
        counts = np.bincount(transcript.codes, minlength=len(transcript.symbols)).tolist()
        for raw, count in zip(transcript.symbols, counts, strict=True):
            text = raw if symbols.ipa is None else symbols.ipa.get(symbols.fold(raw), "")
            marks = "".join(split_tone(part)[1] for part in text.split())
            if marks and count:
                yield marks, count

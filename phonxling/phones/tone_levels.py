"""How a corpus' tone accents read: in three levels, or in the IPA chart's five."""

from collections.abc import Iterable, Iterator

from phonxling.core.arrays import count_codes
from phonxling.core.phonology.tone import ACCENTS, EXTRA, Levels, read_tones, split_tone
from phonxling.core.sequences import Transcript
from phonxling.phones.maps import SymbolSet


def tone_levels(sides: Iterable[tuple[Transcript, SymbolSet]]) -> Levels:
    """Return the reading of accents that goes with all tones of a corpus, gold and predicted.

    `five` when an extra high or extra low accent occurs (then á is not the highest), or when more of the level tones in
    letters are ˦ and ˨ than ˥ and ˩ (then they are written as the chart pairs them with á and à); otherwise `three`.

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
        level = [set(tone) for tone in read_tones(marks).split() if not set(marks) & set(ACCENTS)]
        inner += count * sum(tone in ({"˦"}, {"˨"}) for tone in level)
        outer += count * sum(tone in ({"˥"}, {"˩"}) for tone in level)
    return "five" if inner > outer else "three"


def _marks(sides: Iterable[tuple[Transcript, SymbolSet]]) -> Iterator[tuple[str, int]]:
    """Yield the tone marks of each part of a symbol that has some, and how often it occurs."""
    for transcript, symbols in sides:
        counts = count_codes(transcript.codes, len(transcript.symbols)).tolist()
        for raw, count in zip(transcript.symbols, counts, strict=True):
            text = symbols.to_ipa(raw) or ""
            marks = (split_tone(part)[1] for part in text.split())
            yield from ((mark, count) for mark in marks if mark and count)

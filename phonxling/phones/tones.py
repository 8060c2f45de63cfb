"""Tones of a corpus: in how many levels its accents read, and which phones tones that stand alone belong to."""

import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

import numpy as np

from phonxling.core.phonology.features import FeatureTable
from phonxling.core.phonology.tone import ACCENTS, EXTRA, Levels, read_tones, split_tone
from phonxling.core.sequences import Transcript
from phonxling.phones.ipa import Fate
from phonxling.phones.maps import SILENCE_PHONE, SymbolSet

_JOINED = Fate((), "merged", "none")


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
        for raw, count in zip(transcript.symbols, transcript.counts.tolist(), strict=True):
            text = symbols.to_ipa(raw) or ""
            marks = (split_tone(part)[1] for part in text.split())
            yield from ((mark, count) for mark in marks if mark and count)


def join_tones(transcript: Transcript, fates: Sequence[Fate], table: FeatureTable) -> tuple[Transcript, list[Fate]]:
    """Return the transcript, and its symbols' fates, with each tone that stands alone attached to a phone.

    That phone is, within the utterance, the nearest one before it that is syllabic or has a tone, else the one just
    before it. A tone with no phone before it stays as it is. A symbol whose phone takes on a tone, and a tone that is
    taken on, are listed as symbols once more, with that fate.
    """
    alone = [_is_tone(fate) for fate in fates]
    if not any(alone):
        return transcript, list(fates)
    codes = transcript.codes.astype(np.int64)
    symbols, places, all_fates = [*transcript.symbols], [*transcript.places], [*fates]
    added: dict[tuple[int, str], int] = {}

    def coded(code: int, tone: str, fate: Fate) -> int:
        if (code, tone) not in added:
            added[code, tone] = len(all_fates)
            all_fates.append(fate)
            symbols.append(symbols[code])
            places.append(places[code])
        return added[code, tone]

    bears = [_bears(fate.phones, table) if fate.phones != (SILENCE_PHONE,) else [] for fate in fates]
    for token, bearer in _bearers(transcript, alone, bears):
        tone, code = fates[codes[token]].phones[0], int(codes[bearer])
        codes[bearer] = coded(code, tone, _with_tone(all_fates[code], tone, table))
        codes[token] = coded(int(codes[token]), "", _JOINED)
    return replace(transcript, codes=codes, symbols=tuple(symbols), places=tuple(places)), all_fates


def _bearers(transcript: Transcript, alone: list[bool], bears: list[list[bool]]) -> Iterator[tuple[int, int]]:
    """Yield (token of a tone, token of its phone)."""
    codes = transcript.codes.tolist()
    for first, end in zip(transcript.offsets[:-1].tolist(), transcript.offsets[1:].tolist(), strict=True):
        bearer = latest = -1
        for token in range(first, end):
            code = codes[token]
            if alone[code] and latest >= 0:
                yield token, latest if bearer < 0 else bearer
            elif bears[code] and not alone[code]:
                latest, bearer = token, token if any(bears[code]) else bearer


def _is_tone(fate: Fate) -> bool:
    return len(fate.phones) == 1 and fate.action != "unknown" and not split_tone(fate.phones[0])[0]


def _bears(phones: Sequence[str], table: FeatureTable) -> list[bool]:
    return [bool(split_tone(phone)[1]) or _is_syllabic(phone, table) for phone in phones]


def _is_syllabic(phone: str, table: FeatureTable) -> bool:
    vector = table.vector(phone)[0]
    return vector is not None and "syl" in table.features and bool(vector[table.features.index("syl")] > 0)


def _with_tone(fate: Fate, tone: str, table: FeatureTable) -> Fate:
    bears = _bears(fate.phones, table)
    place = max((n for n, bearing in enumerate(bears) if bearing), default=len(bears) - 1)
    phones = tuple(_toned(phone, tone) if n == place else phone for n, phone in enumerate(fate.phones))
    return Fate(phones, "unknown" if fate.action == "unknown" else "folded", table.vector(phones[place])[1])


def _toned(phone: str, tone: str) -> str:
    """Return the phone with one more tone, read as one: the names ¹ and ⁵ side by side are the pitches ˩˥."""
    segment, marks = split_tone(phone + tone)
    return unicodedata.normalize("NFC", segment + read_tones(marks).replace(" ", ""))

"""Praat's TextGrid: long or short, UTF-8 or UTF-16, interval and point tiers; one utterance a file.

Read as Praat reads it ("TextGrid file formats" in its manual): what counts are the free-standing numbers, texts in
double quotes (a quote within is doubled) and flags such as <exists>, in their order; everything else is for people, and
so is what follows an exclamation mark to the end of its line.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

from phonxling.core.errors import DataError, shown
from phonxling.core.sequences import Transcript
from phonxling.load.building import TranscriptBuilder
from phonxling.load.reading import Reading
from phonxling.load.text import LARGEST_DOCUMENT, decode, read_document

# Which tier of a file holds the phones.

_LISTED = 50  # tiers of a message


def choose_tier(source: str, names: Sequence[str], wanted: str | None) -> int:
    """Return the position of the tier that is wanted; a file's only tier needs no wanting."""
    if not names:
        raise DataError(f"{source}: has no tier")
    meant = _meant(names, wanted)
    if len(meant) == 1:
        return meant[0]
    listed = ", ".join(f"'{shown(name)}'" for name in names[:_LISTED]) + " …" * (len(names) > _LISTED)
    if wanted is None:
        what = f"has {len(names)} tiers"
    else:
        what = f"has no tier '{wanted}'" if not meant else f"has {len(meant)} tiers that '{wanted}' stands for"
    renamed = "; tiers of one name cannot be told apart: rename them" if _same(names, meant) else ""
    raise DataError(f"{source}: {what}; choose one with tier: (--tier), by name or glob: {listed}{renamed}")


def _meant(names: Sequence[str], wanted: str | None) -> list[int]:
    if wanted is None:
        return list(range(len(names)))
    exact = [place for place, name in enumerate(names) if name == wanted]
    return exact or [place for place, name in enumerate(names) if fnmatchcase(name, wanted)]


def _same(names: Sequence[str], meant: Sequence[int]) -> bool:
    return len(meant) > len({names[place] for place in meant})


_TOKEN = re.compile(r'(?P<gap>[\s=]+|!.*)|"(?P<text>[^"]*(?:""[^"]*)*)"|<(?P<flag>\w+)>|(?P<word>[^\s=]+)')
_NUMBER = re.compile(r"[-+]?(\d+(\.\d*)?|\.\d+)([eE][-+]?\d+)?")  # one way to read a run of digits, or it takes long
_CHRONOLOGICAL = '"Praat chronological TextGrid'


@dataclass(frozen=True, slots=True)
class Label:
    """One interval of a tier, or one point (start = end), and the line that its label begins on."""

    start: float
    end: float
    text: str
    line: int


@dataclass(frozen=True, slots=True)
class Tier:
    """A named tier and its labels in the file's order."""

    name: str
    labels: tuple[Label, ...]


def load_textgrid(path: Path, reading: Reading) -> Transcript:
    """Return the labels of one tier with their times; an empty label is silence, a point has equal start and end."""
    tiers = read_textgrid(path)
    chosen = tiers[choose_tier(str(path), [tier.name for tier in tiers], reading.tier)]
    builder = TranscriptBuilder(str(path))
    if not chosen.labels:
        builder.add_utterance(reading.utterance, (), 1, reading.speaker)
    for label in chosen.labels:
        times = (label.start, label.end)
        text = " ".join(label.text.split())
        builder.add_interval(reading.utterance, text, label.line, times, speaker=reading.speaker)
    return builder.finish()


def read_textgrid(path: Path) -> list[Tier]:
    """Return all tiers of a TextGrid; DataError when it is none, or is cut off."""
    data = read_document(path)
    if data.startswith(b"ooBinaryFile"):
        raise DataError(f"{path}: a binary TextGrid; save it as a text file in Praat")
    text = decode(path, data, wide=True)
    if text.lstrip().startswith(_CHRONOLOGICAL):
        raise DataError(f"{path}: a chronological TextGrid; save it as a text file (long or short) in Praat")
    return _Reader(path, text).tiers()


class _Reader:
    """Takes the values that count from a text one by one, and says what is missing where."""

    def __init__(self, path: Path, text: str) -> None:
        self._path, self._values, self._line = path, _values(text), 1

    def tiers(self) -> list[Tier]:
        if not self._next("text", "a file type").startswith("ooTextFile"):
            raise DataError(f"{self._path}:1: no TextGrid: it does not begin with ooTextFile")
        kind = self._next("text", "an object class")
        if kind != "TextGrid":
            raise DataError(f"{self._path}:{self._line}: a Praat {shown(kind)}, not a TextGrid; it holds no phones")
        self._span("the file")
        if self._next("flag", "whether there are tiers") != "exists":
            return []
        tiers = [self._tier(number + 1) for number in range(self._size("the number of tiers"))]
        if (more := next(self._values, None)) is not None:
            msg = "something follows the last tier; the numbers of tiers or intervals in the file are too small"
            raise DataError(f"{self._path}:{more[2]}: {msg}")
        return tiers

    def _tier(self, number: int) -> Tier:
        kind = self._next("text", f"the class of tier {number}")
        if kind not in {"IntervalTier", "TextTier"}:
            raise DataError(f"{self._path}:{self._line}: tier {number} is of the unknown class '{shown(kind)}'")
        name = self._next("text", f"the name of tier {number}")
        of = f"tier '{shown(name)}'"
        self._span(of)
        size = self._size(f"the size of {of}")
        places = (f"label {place + 1} of {size} of {of}" for place in range(size))
        return Tier(name, tuple(self._label(what, point=kind == "TextTier") for what in places))

    def _label(self, what: str, *, point: bool) -> Label:
        start = self._number(what)
        end = start if point else self._number(what)
        text = self._next("text", what)
        return Label(start, end, text, self._line)

    def _span(self, of: str) -> None:
        """Pass over a start and an end: the labels have times of their own."""
        for edge in ("start", "end"):
            self._number(f"the {edge} of {of}")

    def _size(self, what: str) -> int:
        size = self._number(what)
        if not (0 <= size <= LARGEST_DOCUMENT and size == int(size)):
            raise DataError(f"{self._path}:{self._line}: {what} cannot be {size:g}")
        return int(size)

    def _number(self, what: str) -> float:
        return float(self._next("number", what))

    def _next(self, kind: str, what: str) -> str:
        actual, value, self._line = next(self._values, ("end", "", self._line))
        if actual == "end":
            raise DataError(f"{self._path}:{self._line}: the file ends before {what}; it has been cut off")
        if actual != kind:
            raise DataError(f"{self._path}:{self._line}: a {kind} is needed for {what}, not {actual} '{shown(value)}'")
        return value


def _values(text: str) -> Iterator[tuple[str, str, int]]:
    """Yield (kind, value, line) of every number, text and flag; a quote that is never closed ends the file."""
    line = 1
    for token in _TOKEN.finditer(text):
        kind, value = token.lastgroup, token[0]
        if kind == "text":
            yield "text", token["text"].replace('""', '"'), line
        elif kind == "flag":
            yield "flag", token["flag"], line
        elif kind == "word" and _NUMBER.fullmatch(value):
            yield "number", value, line
        elif kind == "word" and value.startswith('"'):
            return
        line += value.count("\n")

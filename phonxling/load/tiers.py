"""Formats with tiers, an utterance a file or a line of one: Praat's TextGrid, ELAN's .eaf, and CHAT.

A TextGrid is read as Praat reads it ("TextGrid file formats" in its manual), long or short, UTF-8 or UTF-16: what
counts are the free-standing numbers, texts in double quotes (a quote within is doubled) and flags such as <exists>, in
their order; everything else is for people, and so is what follows an exclamation mark to the end of its line.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from xml.parsers import expat

from phonxling.core.errors import DataError, shown
from phonxling.load.building import TranscriptBuilder, built
from phonxling.load.reading import Reading
from phonxling.load.text import LARGEST_DOCUMENT, decode, document_lines, read_document

_LISTED = 50  # tiers of a message
_Times = tuple[float, float]


def choose_tier(source: Path, names: Sequence[str], wanted: str | None) -> int:
    """Return the position of the tier that is wanted; a file's only tier needs no wanting."""
    if not names:
        raise DataError(f"{source}: has no tier")
    exact = [place for place, name in enumerate(names) if name == wanted]
    meant = exact or [place for place, name in enumerate(names) if wanted is None or fnmatchcase(name, wanted)]
    if wanted is not None and not meant:  # as people name tiers: Phones, phones, "phones "
        plain = [plain_tier(name) for name in names]
        meant = [place for place, name in enumerate(plain) if fnmatchcase(name, plain_tier(wanted))]
    if len(meant) == 1:
        return meant[0]
    listed = ", ".join(f"'{shown(name)}'" for name in names[:_LISTED]) + " …" * (len(names) > _LISTED)
    what = f"has {len(names)} tiers"
    if wanted is not None:
        what = f"has {len(meant)} tiers that '{wanted}' stands for" if meant else f"has no tier '{wanted}'"
    alike = len(meant) > len({names[place] for place in meant})
    renamed = "; tiers of one name cannot be told apart: rename them" if alike else ""
    raise DataError(f"{source}: {what}; choose one with tier: (--tier), by name or glob: {listed}{renamed}")


def plain_tier(name: str) -> str:
    """Return a tier's name without case and spaces."""
    return "".join(name.casefold().split())


# TextGrid.

_TOKEN = re.compile(r'(?P<gap>[\s=]+|!.*)|"(?P<text>[^"]*(?:""[^"]*)*)"|<(?P<flag>\w+)>|(?P<word>[^\s=]+)')
_NUMBER = re.compile(r"[-+]?(\d+(\.\d*)?|\.\d+)([eE][-+]?\d+)?")  # one way to read a run of digits, or it takes long


@dataclass(frozen=True, slots=True)
class Tier:
    """A named tier, and (line, text, times) of its labels; a point starts where it ends."""

    name: str
    labels: tuple[tuple[int, str, _Times], ...]


@built
def load_textgrid(builder: TranscriptBuilder, path: Path, reading: Reading) -> None:
    """Read the labels of one tier with their times; an empty label is silence."""
    tiers = read_textgrid(path)
    chosen = tiers[choose_tier(path, [tier.name for tier in tiers], reading.tier)]
    labels = ((line, " ".join(text.split()), times) for line, text, times in chosen.labels)
    builder.add_timed(reading.utterance, labels, reading.speaker)


def read_textgrid(path: Path) -> list[Tier]:
    """Return all tiers of a TextGrid; DataError when it is none, or is cut off."""
    data = read_document(path)
    if data.startswith(b"ooBinaryFile"):
        raise DataError(f"{path}: a binary TextGrid; save it as a text file in Praat")
    text = decode(path, data, wide=True)
    if text.lstrip().startswith('"Praat chronological TextGrid'):
        raise DataError(f"{path}: a chronological TextGrid; save it as a text file (long or short) in Praat")
    return _TextGrid(path, text).tiers()


class _TextGrid:
    """Takes the values that count from a text one by one, and says what is missing where."""

    def __init__(self, path: Path, text: str) -> None:
        self._path, self._values, self._line = path, _values(text), 1

    def tiers(self) -> list[Tier]:
        if not self._next("text", "a file type").startswith("ooTextFile"):
            raise DataError(f"{self._path}:1: no TextGrid: it does not begin with ooTextFile")
        kind = self._next("text", "an object class")
        if kind != "TextGrid":
            raise self._fault(f"a Praat {shown(kind)}, not a TextGrid; it holds no phones")
        self._span("the file")
        if self._next("flag", "whether there are tiers") != "exists":
            return []
        tiers = [self._tier(number + 1) for number in range(self._size("the number of tiers"))]
        if (more := next(self._values, None)) is not None:
            self._line = more[2]
            msg = "something follows the last tier; the numbers of tiers or intervals in the file are too small"
            raise self._fault(msg)
        return tiers

    def _tier(self, number: int) -> Tier:
        kind = self._next("text", f"the class of tier {number}")
        if kind not in {"IntervalTier", "TextTier"}:
            raise self._fault(f"tier {number} is of the unknown class '{shown(kind)}'")
        name = self._next("text", f"the name of tier {number}")
        of = f"tier '{shown(name)}'"
        self._span(of)
        size = self._size(f"the size of {of}")
        places = (f"label {place + 1} of {size} of {of}" for place in range(size))
        return Tier(name, tuple(self._label(what, point=kind == "TextTier") for what in places))

    def _label(self, what: str, *, point: bool) -> tuple[int, str, _Times]:
        start = self._number(what)
        end = start if point else self._number(what)
        text = self._next("text", what)
        return self._line, text, (start, end)

    def _span(self, of: str) -> None:
        """Pass over a start and an end: the labels have times of their own."""
        for edge in ("start", "end"):
            self._number(f"the {edge} of {of}")

    def _size(self, what: str) -> int:
        size = self._number(what)
        if not (0 <= size <= LARGEST_DOCUMENT and size == int(size)):
            raise self._fault(f"{what} cannot be {size:g}")
        return int(size)

    def _number(self, what: str) -> float:
        return float(self._next("number", what))

    def _next(self, kind: str, what: str) -> str:
        actual, value, self._line = next(self._values, ("end", "", self._line))
        if actual == "end":
            raise self._fault(f"the file ends before {what}; it has been cut off")
        if actual != kind:
            raise self._fault(f"a {kind} is needed for {what}, not {actual} '{shown(value)}'")
        return value

    def _fault(self, what: str) -> DataError:
        return DataError(f"{self._path}:{self._line}: {what}")


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


# ELAN's .eaf, which is XML.


@dataclass(slots=True)
class _Annotation:
    """An annotation: two slots of time, or the annotation that it belongs to and the one before it there."""

    name: str
    line: int
    slots: tuple[str, ...]
    parent: str
    previous: str
    text: str = ""


@dataclass(slots=True)
class _ElanTier:
    name: str
    type: str
    annotations: list[_Annotation] = field(default_factory=list)


@built
def load_eaf(builder: TranscriptBuilder, path: Path, reading: Reading) -> None:
    """Read the annotations of one tier in the order of time; an empty one is silence."""
    document = _Elan(path)
    tier = document.tiers[choose_tier(path, [tier.name for tier in document.tiers], reading.tier)]
    document.tier_of = {each.name: tier for tier in document.tiers for each in tier.annotations}
    try:
        ordered = list(document.ordered(tier))
    except (KeyError, RecursionError) as missing:
        problem = "in a circle" if isinstance(missing, RecursionError) else shown(str(missing))
        msg = f"{path}: tier '{shown(tier.name)}' refers to times or annotations that are not there: {problem}"
        raise DataError(msg) from missing
    texts = [" ".join(each.text.split()) for each, _ in ordered]
    if all(span is not None for _, span in ordered):
        rows = zip(texts, ordered, strict=True)
        builder.add_timed(reading.utterance, ((each.line, text, span or (0, 0)) for text, (each, span) in rows))
    else:
        builder.add_utterance(reading.utterance, texts, ordered[0][0].line)


class _Elan:
    """What counts of a file: seconds by slot (None where ELAN keeps none), tiers, constraints by linguistic type."""

    def __init__(self, path: Path) -> None:
        self._path, self._root = path, ""
        self._value: list[str] | None = None  # the parts of the text, within an annotation's value
        self.seconds: dict[str, float | None] = {}
        self.tiers: list[_ElanTier] = []
        self.constraints: dict[str, str] = {}
        self.tier_of: dict[str, _ElanTier] = {}
        self._parser = expat.ParserCreate()
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.CharacterDataHandler = self._text
        self._parser.StartDoctypeDeclHandler = self._refuse
        try:
            self._parser.Parse(read_document(path), True)
        except expat.ExpatError as error:
            raise DataError(f"{path}:{error.lineno}: no whole XML: {expat.ErrorString(error.code)}") from error
        except (LookupError, ValueError, ArithmeticError) as error:
            msg = f"an element lacks what ELAN gives it, or is out of place: {shown(str(error))}"
            raise DataError(f"{path}:{self._parser.CurrentLineNumber}: {msg}") from error

    def ordered(self, tier: _ElanTier) -> Iterator[tuple[_Annotation, _Times | None]]:
        """Yield the annotations of a tier with their times; KeyError when one refers to nothing."""
        timed = [(self._span(each), each) for each in tier.annotations if each.slots]
        if any(span is None for span, _ in timed):  # where times are missing, ELAN's slots stand in their order
            slots = {slot: place for place, slot in enumerate(self.seconds)}
            timed.sort(key=lambda pair: [slots[slot] for slot in pair[1].slots])
        else:
            timed.sort(key=lambda pair: pair[0] or ())
        yield from ((each, span) for span, each in timed)
        if dependent := [each for each in tier.annotations if not each.slots]:
            yield from self._dependent(tier, dependent)

    def _dependent(
        self, tier: _ElanTier, annotations: list[_Annotation]
    ) -> Iterator[tuple[_Annotation, _Times | None]]:
        same_time = self.constraints.get(tier.type) == "Symbolic_Association"
        children: dict[tuple[str, str], list[_Annotation]] = {}
        for each in annotations:
            children.setdefault((each.parent, each.previous), []).append(each)
        left = {each.name: each.parent for each in annotations}
        for parent, span in self.ordered(self.tier_of[annotations[0].parent]):
            queue = children.get((parent.name, ""), [])[::-1]
            while queue:
                child = queue.pop()
                queue += reversed(children.get((parent.name, child.name), []))
                del left[child.name]
                yield child, span if same_time else None
        if left:
            raise KeyError(*left.values())

    def _span(self, each: _Annotation) -> _Times | None:
        start, end = (self.seconds[slot] for slot in each.slots)
        return None if start is None or end is None else (start, end)

    def _start(self, tag: str, has: Mapping[str, str]) -> None:
        if not self._root and tag != "ANNOTATION_DOCUMENT":
            raise DataError(f"{self._path}: XML, but no document of ELAN's: it begins with <{shown(tag)}>")
        self._root = tag
        self._value = [] if tag == "ANNOTATION_VALUE" else None
        if tag == "TIME_SLOT":
            time = has.get("TIME_VALUE")
            self.seconds[has["TIME_SLOT_ID"]] = None if time is None else int(time) / 1000
        elif tag == "LINGUISTIC_TYPE":
            self.constraints[has["LINGUISTIC_TYPE_ID"]] = has.get("CONSTRAINTS", "")
        elif tag == "TIER":
            self.tiers.append(_ElanTier(has["TIER_ID"], has.get("LINGUISTIC_TYPE_REF", "")))
        elif tag in {"ALIGNABLE_ANNOTATION", "REF_ANNOTATION"}:
            slots = tuple(has[key] for key in ("TIME_SLOT_REF1", "TIME_SLOT_REF2") if key in has)
            if len(slots) == 1:
                raise ValueError("an annotation with one of its two limits")
            belongs = has.get("ANNOTATION_REF", ""), has.get("PREVIOUS_ANNOTATION", "")
            found = _Annotation(has["ANNOTATION_ID"], self._parser.CurrentLineNumber, slots, *belongs)
            self.tiers[-1].annotations.append(found)

    def _text(self, text: str) -> None:
        if self._value is not None:
            self._value.append(text)

    def _end(self, _: str) -> None:
        if self._value is not None:
            self.tiers[-1].annotations[-1].text = "".join(self._value)
        self._value = None

    def _refuse(self, *_: object) -> None:
        raise DataError(f"{self._path}: has a document type of its own, which ELAN's files never have; not read")


# CHAT (CHILDES, PhonBank): a line an utterance, phones on the dependent tiers %pho (actual) and %mod (the model).


@built
def load_cha(builder: TranscriptBuilder, path: Path, reading: Reading) -> None:
    """Read what stands on one dependent tier, `pho` unless another is named."""
    utterances: list[tuple[str, dict[str, tuple[int, str]]]] = []
    for line, text in _joined_lines(path):
        if main := re.match(r"\*(\w+):", text):
            utterances.append((main[1], {}))
        elif utterances and (tier := re.match(r"%(\w+):\s*(.*)", text)):
            if tier[1] in utterances[-1][1]:
                raise builder.fault(line, f"the utterance has a second tier %{shown(tier[1])}")
            utterances[-1][1][tier[1]] = line, tier[2]
    names = list(dict.fromkeys(name for _, tiers in utterances for name in tiers))
    chosen = names[choose_tier(path, names, (reading.tier or "pho").removeprefix("%"))]
    for number, (speaker, tiers) in enumerate(utterances, start=1):
        if chosen in tiers:
            line, text = tiers[chosen]
            name = f"{reading.utterance}-{number}"
            builder.add_utterance(name, text.split(), line, f"{reading.utterance}_{speaker}")


def _joined_lines(path: Path) -> list[tuple[int, str]]:
    """Return the file's lines, each with those that go on with it: they begin with a tab."""
    parts: list[tuple[int, list[str]]] = []
    for line, text in document_lines(path):
        if text.startswith("\t") and parts:
            parts[-1][1].append(text.strip())
        else:
            parts.append((line, [text.strip()]))
    lines = [(line, " ".join(texts)) for line, texts in parts]
    if not lines or lines[0][1] not in {"@UTF8", "@Begin"}:
        raise DataError(f"{path}:1: a CHAT file begins with @UTF8")
    if lines[-1][1] != "@End":
        raise DataError(f"{path}:{lines[-1][0]}: a CHAT file ends with @End; this one has been cut off")
    return lines

"""ELAN's .eaf, which is XML: the annotations of a tier are the phones of one utterance a file."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from xml.parsers import expat

from phonxling.core.errors import DataError, shown
from phonxling.core.sequences import Transcript
from phonxling.load.building import TranscriptBuilder
from phonxling.load.reading import Reading
from phonxling.load.text import read_document
from phonxling.load.textgrid import choose_tier

_SAME_TIME = "Symbolic_Association"  # of a tier whose annotations last as long as those they belong to
_Span = tuple[float, float] | None


@dataclass(slots=True)
class _Annotation:
    """An annotation: two slots of time, or the annotation that it belongs to and the one before it there."""

    name: str
    line: int
    slots: tuple[str, ...] = ()
    parent: str = ""
    previous: str = ""
    text: str = ""


@dataclass(slots=True)
class _Tier:
    """A tier, and the name of its linguistic type."""

    name: str
    type: str
    annotations: list[_Annotation] = field(default_factory=list)


@dataclass(slots=True)
class _Document:
    """What counts of a file: seconds by slot (None where ELAN keeps none), tiers, constraints by linguistic type."""

    seconds: dict[str, float | None] = field(default_factory=dict)
    tiers: list[_Tier] = field(default_factory=list)
    constraints: dict[str, str] = field(default_factory=dict)


def load_eaf(path: Path, reading: Reading) -> Transcript:
    """Return the annotations of one tier in the order of time; an empty one is silence."""
    document = _read_document(path)
    tier = document.tiers[choose_tier(str(path), [tier.name for tier in document.tiers], reading.tier)]
    try:
        ordered = list(_Order(document).of(tier))
    except (KeyError, RecursionError) as missing:
        problem = "in a circle" if isinstance(missing, RecursionError) else shown(str(missing))
        msg = f"{path}: tier '{shown(tier.name)}' refers to times or annotations that are not there: {problem}"
        raise DataError(msg) from missing
    builder = TranscriptBuilder(str(path))
    texts = [" ".join(each.text.split()) for each, _ in ordered]
    if all(span is not None for _, span in ordered) and ordered:
        for text, (each, span) in zip(texts, ordered, strict=True):
            builder.add_interval(reading.utterance, text, each.line, span or (0.0, 0.0))
    else:
        builder.add_utterance(reading.utterance, texts, ordered[0][0].line if ordered else 1)
    return builder.finish()


class _Order:
    """The order and the times of annotations, through all that they belong to."""

    def __init__(self, document: _Document) -> None:
        self._document = document
        self._slots = {slot: place for place, slot in enumerate(document.seconds)}
        self._tier_of = {each.name: tier for tier in document.tiers for each in tier.annotations}

    def of(self, tier: _Tier) -> Iterator[tuple[_Annotation, _Span]]:
        """Yield the annotations of a tier with their times; KeyError when one refers to nothing."""
        aligned = [each for each in tier.annotations if each.slots]
        timed = [(self._span(each), each) for each in aligned]
        if any(span is None for span, _ in timed):  # where times are missing, ELAN's slots stand in their order
            timed.sort(key=lambda pair: [self._slots[slot] for slot in pair[1].slots])
        else:
            timed.sort(key=lambda pair: pair[0] or ())
        yield from ((each, span) for span, each in timed)
        dependent = [each for each in tier.annotations if not each.slots]
        if dependent:
            yield from self._dependent(tier, dependent)

    def _dependent(self, tier: _Tier, annotations: list[_Annotation]) -> Iterator[tuple[_Annotation, _Span]]:
        own = self._document.constraints.get(tier.type) == _SAME_TIME
        children: dict[tuple[str, str], list[_Annotation]] = {}
        for each in annotations:
            children.setdefault((each.parent, each.previous), []).append(each)
        left = {each.name: each.parent for each in annotations}
        for parent, span in self.of(self._tier_of[annotations[0].parent]):
            queue = children.get((parent.name, ""), [])[::-1]
            while queue:
                child = queue.pop()
                queue += reversed(children.get((parent.name, child.name), []))
                del left[child.name]
                yield child, span if own else None
        if left:
            raise KeyError(*left.values())

    def _span(self, each: _Annotation) -> _Span:
        start, end = (self._document.seconds[slot] for slot in each.slots)
        return None if start is None or end is None else (start, end)


def _read_document(path: Path) -> _Document:
    """Return what an .eaf file holds."""
    reader = _Reader(path)
    try:
        reader.parser.Parse(read_document(path), True)
    except expat.ExpatError as error:
        raise DataError(f"{path}:{error.lineno}: no whole XML: {expat.ErrorString(error.code)}") from error
    except (LookupError, ValueError, ArithmeticError) as error:
        where = f"{path}:{reader.parser.CurrentLineNumber}"
        raise DataError(
            f"{where}: an element lacks what ELAN gives it, or is out of place: {shown(str(error))}"
        ) from error
    return reader.document


class _Reader:
    """Collects a document while expat walks through the file."""

    def __init__(self, path: Path) -> None:
        self.document, self._path, self._root = _Document(), path, ""
        self._value: list[str] | None = None  # the parts of the text, within an annotation's value
        self.parser = expat.ParserCreate()
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        self.parser.CharacterDataHandler = self._text
        self.parser.StartDoctypeDeclHandler = self._refuse

    def _start(self, tag: str, has: Mapping[str, str]) -> None:
        if not self._root and tag != "ANNOTATION_DOCUMENT":
            raise DataError(f"{self._path}: XML, but no document of ELAN's: it begins with <{shown(tag)}>")
        self._root = tag
        self._value = [] if tag == "ANNOTATION_VALUE" else None
        document = self.document
        if tag == "TIME_SLOT":
            time = has.get("TIME_VALUE")
            document.seconds[has["TIME_SLOT_ID"]] = None if time is None else int(time) / 1000
        elif tag == "LINGUISTIC_TYPE":
            document.constraints[has["LINGUISTIC_TYPE_ID"]] = has.get("CONSTRAINTS", "")
        elif tag == "TIER":
            document.tiers.append(_Tier(has["TIER_ID"], has.get("LINGUISTIC_TYPE_REF", "")))
        elif tag in {"ALIGNABLE_ANNOTATION", "REF_ANNOTATION"}:
            document.tiers[-1].annotations.append(self._annotation(has))

    def _annotation(self, has: Mapping[str, str]) -> _Annotation:
        slots = tuple(has[key] for key in ("TIME_SLOT_REF1", "TIME_SLOT_REF2") if key in has)
        if len(slots) == 1:
            raise ValueError("an annotation with one of its two limits")
        return _Annotation(
            name=has["ANNOTATION_ID"],
            line=self.parser.CurrentLineNumber,
            slots=slots,
            parent=has.get("ANNOTATION_REF", ""),
            previous=has.get("PREVIOUS_ANNOTATION", ""),
        )

    def _text(self, text: str) -> None:
        if self._value is not None:
            self._value.append(text)

    def _end(self, _: str) -> None:
        if self._value is not None:
            self.document.tiers[-1].annotations[-1].text = "".join(self._value)
        self._value = None

    def _refuse(self, *_: object) -> None:
        raise DataError(f"{self._path}: has a document type of its own, which ELAN's files never have; not read")

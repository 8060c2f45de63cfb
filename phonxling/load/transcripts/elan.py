"""The XML of ELAN's .eaf files, as values; each annotation knows its line."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from xml.parsers import expat

from phonxling.core.errors import DataError
from phonxling.core.messages import shown
from phonxling.load.text import read_document


@dataclass(slots=True)
class Annotation:
    """An annotation: two slots of time, or the annotation that it belongs to and the one before it there."""

    name: str
    line: int
    slots: tuple[str, ...] = ()
    parent: str = ""
    previous: str = ""
    text: str = ""


@dataclass(slots=True)
class Tier:
    """A tier, and the name of its linguistic type."""

    name: str
    type: str
    annotations: list[Annotation] = field(default_factory=list)


@dataclass(slots=True)
class Document:
    """What counts of a file: seconds by slot (None where ELAN keeps none), tiers, constraints by linguistic type."""

    seconds: dict[str, float | None] = field(default_factory=dict)
    tiers: list[Tier] = field(default_factory=list)
    constraints: dict[str, str] = field(default_factory=dict)


def read_eaf(path: Path) -> Document:
    """Return what an .eaf file holds.

    Raises
    ------
    DataError
        If it is no XML, in no encoding that is known, or cut off; is no document of ELAN's; has more than 64 MB; or
        defines entities, which can be made to unpack to any size.
    """
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
        self.document, self._path, self._root = Document(), path, ""
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
            document.tiers.append(Tier(has["TIER_ID"], has.get("LINGUISTIC_TYPE_REF", "")))
        elif tag in {"ALIGNABLE_ANNOTATION", "REF_ANNOTATION"}:
            document.tiers[-1].annotations.append(self._annotation(has))

    def _annotation(self, has: Mapping[str, str]) -> Annotation:
        slots = tuple(has[key] for key in ("TIME_SLOT_REF1", "TIME_SLOT_REF2") if key in has)
        if len(slots) == 1:
            raise ValueError("an annotation with one of its two limits")
        return Annotation(
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

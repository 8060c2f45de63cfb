"""Formats with tiers, an utterance a file or a line of one: Praat's TextGrid, ELAN's .eaf, and CHAT."""

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from itertools import count
from pathlib import Path
from xml.etree import ElementTree
from xml.parsers import expat

from phonxling.core.errors import DataError, quote
from phonxling.load.building import LoaderOptions, TranscriptBuilder, build_transcript
from phonxling.load.text import decode, read_bytes, read_lines

_LISTED_TIERS = 50  # tiers of a message
_Times = tuple[float, float]


def choose_tier(source: Path, names: Sequence[str], wanted: str | None) -> int:
    if not names:
        raise DataError(f"{source}: has no tier")
    exact = [place for place, name in enumerate(names) if name == wanted]
    # A tier called `*` or `phones [old]` is meant literally where it is there; otherwise the name is a glob.
    meant = exact or [place for place, name in enumerate(names) if wanted is None or fnmatchcase(name, wanted)]
    if wanted is not None and not meant:  # as people name tiers: Phones, phones, "phones "
        plain = [fold_tier_name(name) for name in names]
        meant = [place for place, name in enumerate(plain) if fnmatchcase(name, fold_tier_name(wanted))]
    if len(meant) == 1:
        return meant[0]
    listed = ", ".join(f"'{quote(name)}'" for name in names[:_LISTED_TIERS]) + " …" * (len(names) > _LISTED_TIERS)
    what = f"has {len(names)} tiers"
    if wanted is not None:
        what = f"has {len(meant)} tiers whose name fits '{wanted}'" if meant else f"has no tier '{wanted}'"
    renamed = "; tiers need different names: rename them" if len(meant) > len({names[place] for place in meant}) else ""
    raise DataError(f"{source}: {what}; choose one with tier: (--tier), by name or glob: {listed}{renamed}")


def fold_tier_name(name: str) -> str:
    return "".join(name.casefold().split())


# A TextGrid is read as Praat reads it (https://www.fon.hum.uva.nl/praat/manual/TextGrid_file_formats.html), long or
# short, UTF-8 or UTF-16: what counts are the free-standing numbers, texts in double quotes (a quote within is doubled)
# and flags such as <exists>, in their order; everything else is for people, and so is what follows an exclamation mark
# to the end of its line.

_TOKEN = re.compile(r'(?P<gap>[\s=]+|!.*)|"(?P<text>[^"]*(?:""[^"]*)*)"|<(?P<flag>\w+)>|(?P<word>[^\s=]+)')
_NUMBER = re.compile(r"[-+]?(\d+(\.\d*)?|\.\d+)([eE][-+]?\d+)?")  # one way to read a run of digits, or it takes long


@dataclass(frozen=True, slots=True)
class Tier:
    """A named tier, and (line, text, times) of its labels; a point starts where it ends."""

    name: str
    labels: tuple[tuple[int, str, _Times], ...]


@build_transcript
def load_textgrid(builder: TranscriptBuilder, path: Path, options: LoaderOptions) -> None:
    """Read the labels of one tier with their times; an empty label is silence."""
    tiers = read_textgrid(path)
    chosen = tiers[choose_tier(path, [tier.name for tier in tiers], options.tier)]
    labels = ((line, " ".join(text.split()), times) for line, text, times in chosen.labels)
    builder.add_timed(options.utterance, labels, options.speaker)


def read_textgrid(path: Path) -> list[Tier]:
    # Praat writes ASCII until a label holds IPA, and UTF-16BE from then on: `decode` knows both.
    data = read_bytes(path)
    if data.startswith(b"ooBinaryFile"):
        raise DataError(f"{path}: a binary TextGrid; save it as a text file in Praat")
    text = decode(path, data)
    if text.lstrip().startswith('"Praat chronological TextGrid'):
        raise DataError(f"{path}: a chronological TextGrid; save it as a text file (long or short) in Praat")
    return _TextGrid(path, text).read_tiers()


class _TextGrid:
    def __init__(self, path: Path, text: str) -> None:
        self._path, self._values, self._line = path, _tokenise(text), 1

    def read_tiers(self) -> list[Tier]:
        if not self._take("text", "a file type").startswith("ooTextFile"):
            raise DataError(f"{self._path}:1: not a TextGrid: it does not begin with ooTextFile")
        kind = self._take("text", "an object class")
        if kind != "TextGrid":
            raise self._fault(f"a Praat {quote(kind)}, not a TextGrid; it holds no phones")
        for edge in ("start", "end"):  # of which nothing depends, as labels have times of their own
            self._take("number", f"the {edge} of the file")
        if self._take("flag", "whether there are tiers") != "exists":
            return []
        tiers = [self._read_tier(number + 1) for number in range(self._read_size("the number of tiers"))]
        if (more := next(self._values, None)) is not None:
            self._line = more[2]
            raise self._fault("something follows the last tier; the numbers of tiers or intervals are too small")
        return tiers

    def _read_tier(self, number: int) -> Tier:
        kind = self._take("text", f"the class of tier {number}")
        if kind not in {"IntervalTier", "TextTier"}:
            raise self._fault(f"tier {number} is of the unknown class '{quote(kind)}'")
        name = self._take("text", f"the name of tier {number}")
        of = f"tier '{quote(name)}'"
        for edge in ("start", "end"):
            self._take("number", f"the {edge} of {of}")
        size = self._read_size(f"the size of {of}")
        labels: list[tuple[int, str, _Times]] = []
        for place in range(size):
            what = f"label {place + 1} of {size} of {of}"
            start = self._read_number(what)
            end = start if kind == "TextTier" else self._read_number(what)  # points have one time
            text = self._take("text", what)
            labels.append((self._line, text, (start, end)))
        return Tier(name, tuple(labels))

    def _read_size(self, what: str) -> int:
        size = self._read_number(what)
        if not 0 <= size < math.inf or size % 1:
            raise self._fault(f"{what} cannot be {size:g}")
        return int(size)

    def _read_number(self, what: str) -> float:
        return float(self._take("number", what))

    def _take(self, kind: str, what: str) -> str:
        actual, value, self._line = next(self._values, ("end", "", self._line))
        if actual == "end":
            raise self._fault(f"the file ends before {what}; it has been cut off")
        if actual != kind:
            raise self._fault(f"a {kind} is needed for {what}, not {actual} '{quote(value)}'")
        return value

    def _fault(self, what: str) -> DataError:
        return DataError(f"{self._path}:{self._line}: {what}")


def _tokenise(text: str) -> Iterator[tuple[str, str, int]]:
    # A quote that is never closed ends the file.
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


# ELAN's .eaf, which is XML: https://www.mpi.nl/tools/elan/EAF_Annotation_Format_3.0_and_ELAN.pdf. An annotation has two
# slots of time, or belongs to one of another tier and follows another.

_SLOTS = ("TIME_SLOT_REF1", "TIME_SLOT_REF2")


@build_transcript
def load_eaf(builder: TranscriptBuilder, path: Path, options: LoaderOptions) -> None:
    """Read the annotations of one tier in the order of time; an empty one is silence."""
    builder.item, data = "annotation", read_bytes(path)
    try:
        root = ElementTree.fromstring(data, ElementTree.XMLParser(target=_WithoutDoctype()))  # noqa: S314 - no entities
    except ElementTree.ParseError as error:
        raise DataError(f"{path}:{error.position[0]}: no whole XML: {expat.ErrorString(error.code)}") from error
    except (ValueError, LookupError) as error:  # such as an encoding that there is not
        raise DataError(f"{path}: no XML of ELAN's: {quote(str(error))}") from error
    if root.tag != "ANNOTATION_DOCUMENT":
        raise DataError(f"{path}: XML, but not a document of ELAN's: it begins with <{quote(root.tag)}>")
    try:
        document, tiers = _Elan(root), [*root.iter("TIER")]
        tier = tiers[choose_tier(path, [tier.attrib["TIER_ID"] for tier in tiers], options.tier)]
        ordered = [*document.order_annotations(tier)]
    except (LookupError, ValueError, ArithmeticError, RecursionError) as error:
        problem = "in a circle" if isinstance(error, RecursionError) else quote(str(error))
        msg = "an element lacks what ELAN gives it, or refers to times or annotations that are not there"
        raise DataError(f"{path}: {msg}: {problem}") from error
    texts = [" ".join((each.findtext("ANNOTATION_VALUE") or "").split()) for each, _ in ordered]
    spans = [span for _, span in ordered if span is not None]
    if len(spans) == len(texts):
        builder.add_timed(options.utterance, zip(count(1), texts, spans, strict=False))
    else:
        builder.add_utterance(options.utterance, texts, 1)


class _WithoutDoctype(ElementTree.TreeBuilder):
    # Entities of entities grow to gigabytes (a "billion laughs"); ELAN declares a schema, and never a document type.

    def doctype(self, *_: object) -> None:
        raise ValueError("it has a document type of its own, which ELAN's files never have")


class _Elan:
    """Seconds by slot (None where ELAN keeps none), constraints by linguistic type, and tiers by their annotations."""

    def __init__(self, root: ElementTree.Element) -> None:
        times = ((slot.attrib["TIME_SLOT_ID"], slot.get("TIME_VALUE")) for slot in root.iter("TIME_SLOT"))
        self.seconds = {name: None if time is None else int(time) / 1000 for name, time in times}
        types = root.iter("LINGUISTIC_TYPE")
        self.constraints = {each.attrib["LINGUISTIC_TYPE_ID"]: each.get("CONSTRAINTS", "") for each in types}
        tiers = ((tier, each.get("ANNOTATION_ID")) for tier in root.iter("TIER") for each in tier.iter())
        self.tier_of = {name: tier for tier, name in tiers if name}

    def order_annotations(self, tier: ElementTree.Element) -> Iterator[tuple[ElementTree.Element, _Times | None]]:
        slots = {slot: place for place, slot in enumerate(self.seconds)}
        timed = [(each, self._span(each)) for each in tier.iter("ALIGNABLE_ANNOTATION")]
        if any(span is None for _, span in timed):  # where times are missing, ELAN's slots stand in their order
            timed.sort(key=lambda pair: [slots[pair[0].attrib[name]] for name in _SLOTS])
        else:
            timed.sort(key=lambda pair: pair[1] or ())
        yield from timed
        if dependent := [*tier.iter("REF_ANNOTATION")]:
            yield from self._order_dependent(tier, dependent)

    def _order_dependent(
        self, tier: ElementTree.Element, annotations: list[ElementTree.Element]
    ) -> Iterator[tuple[ElementTree.Element, _Times | None]]:
        # Of a symbolic association each annotation has one child, which lasts as long; of a subdivision several share
        # the parent's time, and nothing says where one ends.
        same_time = self.constraints.get(tier.get("LINGUISTIC_TYPE_REF", "")) == "Symbolic_Association"
        children: dict[tuple[str, str], list[ElementTree.Element]] = {}
        for each in annotations:
            children.setdefault((each.attrib["ANNOTATION_REF"], each.get("PREVIOUS_ANNOTATION", "")), []).append(each)
        left = {each.attrib["ANNOTATION_ID"]: each.attrib["ANNOTATION_REF"] for each in annotations}
        for parent, span in self.order_annotations(self.tier_of[annotations[0].attrib["ANNOTATION_REF"]]):
            owner = parent.attrib["ANNOTATION_ID"]
            queue = children.get((owner, ""), [])[::-1]
            while queue:  # a stack of our own: a chain of a thousand phones would exceed Python's recursion
                child = queue.pop()
                queue += reversed(children.get((owner, child.attrib["ANNOTATION_ID"]), []))
                del left[child.attrib["ANNOTATION_ID"]]
                yield child, span if same_time else None
        if left:
            raise KeyError(*left.values())

    def _span(self, each: ElementTree.Element) -> _Times | None:
        start, end = (self.seconds[each.attrib[name]] for name in _SLOTS)
        return None if start is None or end is None else (start, end)


# CHAT (CHILDES, PhonBank; https://talkbank.org/manuals/CHAT.pdf): a line an utterance, phones on the dependent tiers
# %pho (actual) and %mod (the model).


@build_transcript
def load_cha(builder: TranscriptBuilder, path: Path, options: LoaderOptions) -> None:
    """Read what stands on one dependent tier, `pho` unless another is named."""
    utterances: list[tuple[str, dict[str, tuple[int, str]]]] = []
    for line, text in _join_lines(path):
        if main := re.match(r"\*(\w+):", text):
            utterances.append((main[1], {}))
        elif utterances and (tier := re.match(r"%(\w+):\s*(.*)", text)):
            if tier[1] in utterances[-1][1]:
                raise builder.fault(line, f"the utterance has a second tier %{quote(tier[1])}")
            utterances[-1][1][tier[1]] = line, tier[2]
    names = list(dict.fromkeys(name for _, tiers in utterances for name in tiers))
    chosen = names[choose_tier(path, names, (options.tier or "pho").removeprefix("%"))]
    for number, (speaker, tiers) in enumerate(utterances, start=1):
        if chosen in tiers:
            line, text = tiers[chosen]
            builder.add_utterance(f"{options.utterance}-{number}", text.split(), line, f"{options.utterance}_{speaker}")


def _join_lines(path: Path) -> list[tuple[int, str]]:
    parts: list[tuple[int, list[str]]] = []
    for line, text in read_lines(path):
        if text.startswith("\t") and parts:  # a long line goes on after a tab
            parts[-1][1].append(text.strip())
        else:
            parts.append((line, [text.strip()]))
    lines = [(line, " ".join(texts)) for line, texts in parts]
    if not lines or lines[0][1] not in {"@UTF8", "@Begin"}:
        raise DataError(f"{path}:1: a CHAT file begins with @UTF8")
    if lines[-1][1] != "@End":
        raise DataError(f"{path}:{lines[-1][0]}: a CHAT file ends with @End; this one has been cut off")
    return lines

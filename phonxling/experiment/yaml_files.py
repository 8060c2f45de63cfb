"""YAML 1.2 files → plain data with positions. Whatever is wrong is one error that names file, line and column.

The data are put together here, not by ruamel.yaml, for three reasons. Every key and value keeps its line and column.
Plain words are read by the core schema of YAML 1.2 whatever a `%YAML` directive says, so that the language `no` and the
phone `on` stay text. And what could build objects or grow without bound (tags, aliases, deep nesting) is refused before
it is built.

What a starter configuration leaves to a person: comments that begin with DECIDE, repeated until they are gone.
"""

import io
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError, YAMLError
from ruamel.yaml.events import (
    AliasEvent,
    DocumentEndEvent,
    Event,
    MappingEndEvent,
    NodeEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
    StreamEndEvent,
)
from ruamel.yaml.reader import ReaderError

from phonxling.core.errors import ConfigurationError, MissingFileError
from phonxling.load.text import nearest as nearest_yaml_files
from phonxling.settings.checks import MAX_DEPTH, Document, KeyPath, Plain, Position, fail

MAX_BYTES: Final = 1_000_000
_STRING_TAGS = (None, "!", "tag:yaml.org,2002:str")
_INTEGER = re.compile(r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+")
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?|[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)")
_WORDS: Final[dict[str, bool | None]] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
_EXPLAINED = {
    "could not find expected ':'": "a key without its colon (key: value), or a text that needs quotes",
    "mapping values are not allowed here": "a colon where none can stand; quote the text, or check the indentation",
}


Locate = Callable[[int, int], Position]  # of a line and a column, both from 1


def read_yaml(path: Path) -> Document:
    document = parse_yaml(_read_text(path), lambda line, column: Position(str(path), line, column))
    if document.data is None:
        fail(Position(str(path), 1, 1), "the file is empty; it needs at least the key corpora")
    if not isinstance(document.data, dict):
        fail(document.values_at[()], "the file must be a mapping (key: value), with at least the key corpora")
    return document


def parse_yaml(text: str, locate: Locate) -> Document:
    composer = _Composer(locate)
    try:
        data = composer.compose(YAML(typ="safe", pure=True).parse(io.StringIO(text)))
    except ReaderError as error:
        fail(_place(text, error.position, locate), f"the character U+{error.character:04X} must not stand here")
    except MarkedYAMLError as error:
        late = error.problem == "could not find expected ':'"  # ruamel notices this at the next key
        mark = error.context_mark if late else error.problem_mark or error.context_mark
        fail(locate(mark.line + 1, mark.column + 1) if mark else locate(1, 1), _explained(error, text))
    except (YAMLError, ValueError, OverflowError) as error:  # such as an escape beyond Unicode
        fail(locate(1, 1), f"this is no valid YAML: {error}")
    return Document(data, composer.keys, composer.values)


def _read_text(path: Path) -> str:
    try:
        with path.open("rb") as file:
            raw = file.read(MAX_BYTES + 1)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        missing = isinstance(error, FileNotFoundError)
        hint = nearest_yaml_files(path) if missing else ""
        kind = MissingFileError if missing else ConfigurationError
        raise kind(f"{path}: the configuration cannot be read: {reason}{hint}") from None
    start = Position(str(path), 1, 1)
    if len(raw) > MAX_BYTES:
        fail(start, f"larger than {MAX_BYTES:,} bytes; this is hardly a configuration")
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        position = _place(raw[: error.start].decode("utf-8-sig", "ignore"), None, lambda *at: Position(str(path), *at))
        fail(position, f"the byte 0x{raw[error.start]:02X} is no UTF-8; save the file as UTF-8")


def _place(text: str, offset: int | None, locate: Locate) -> Position:
    before = text[:offset].split("\n")
    return locate(len(before), len(before[-1]) + 1)


def _explained(error: MarkedYAMLError, text: str) -> str:
    mark, lines = error.problem_mark, text.splitlines()
    if mark and mark.line < len(lines) and lines[mark.line][mark.column : mark.column + 1] == "\t":
        return "a tab; YAML is indented with spaces"
    if error.problem in _EXPLAINED:
        return _EXPLAINED[error.problem]
    return f"this is no valid YAML: {', '.join(part for part in (error.context, error.problem) if part)}"


class _Composer:
    """Puts the events of one document together; keeps the positions on the way."""

    def __init__(self, locate: Locate) -> None:
        self.keys: dict[KeyPath, Position] = {}
        self.values: dict[KeyPath, Position] = {}
        self._locate = locate

    def compose(self, events: Iterator[Event]) -> Plain:
        data: Plain = None
        self.values[()] = self._locate(1, 1)
        for event in events:
            if isinstance(event, NodeEvent):
                data = self._node(event, events, ())
            elif isinstance(event, DocumentEndEvent):
                break
        if not isinstance(after := next(events, None), StreamEndEvent | None):
            fail(self._at(after), "a second document begins here; a configuration is one document")
        return data

    def _node(self, event: Event, events: Iterator[Event], path: KeyPath) -> Plain:
        self.values[path] = self._at(event)
        if isinstance(event, AliasEvent):
            fail(self._at(event), f"the alias *{event.anchor} is not supported; write the value out")
        if len(path) > MAX_DEPTH:
            fail(self._at(event), f"nested deeper than {MAX_DEPTH} levels")
        if isinstance(event, ScalarEvent):
            self._refuse_tag(event, _STRING_TAGS)
            return self._plain(event) if event.tag is None and event.implicit[0] else self._text(event)
        self._refuse_tag(event, (None, "!"))
        if not isinstance(event, SequenceStartEvent):
            return self._mapping(events, path)
        items: list[Plain] = []
        while not isinstance(item := next(events), SequenceEndEvent):
            items.append(self._node(item, events, (*path, str(len(items)))))
        return items

    def _mapping(self, events: Iterator[Event], path: KeyPath) -> dict[str, Plain]:
        items: dict[str, Plain] = {}
        while not isinstance(event := next(events), MappingEndEvent):
            if not isinstance(event, ScalarEvent):
                fail(self._at(event), "a key must be a word")
            self._refuse_tag(event, _STRING_TAGS)
            if not event.value:
                fail(self._at(event), "a key is missing before the colon")
            key = self._text(event)  # as it is written: `no`, `1` and `true` are names
            if key in items:
                fail(self._at(event), f"the key {key!r} is given twice, first at {self.keys[(*path, key)]}")
            self.keys[(*path, key)] = self._at(event)
            items[key] = self._node(next(events), events, (*path, key))
            if items[key] is None:  # an empty value has no place of its own
                self.values[(*path, key)] = self.keys[(*path, key)]
        return items

    def _plain(self, event: ScalarEvent) -> Plain:
        word = event.value
        if word in _WORDS:
            return _WORDS[word]
        if _INTEGER.fullmatch(word):
            if len(word) > 100:
                fail(self._at(event), f"a number of {len(word)} digits")
            return int(word, 0 if word[:2] in ("0o", "0x") else 10)
        if _FLOAT.fullmatch(word):
            return float(word.lower().replace(".inf", "inf").replace(".nan", "nan"))
        return self._text(event)

    def _text(self, event: ScalarEvent) -> str:
        text: str = event.value
        if any("\ud800" <= letter <= "\udfff" for letter in text):
            fail(self._at(event), "half of a surrogate pair is no character; write the character itself")
        return text

    def _refuse_tag(self, event: Event, allowed: tuple[str | None, ...]) -> None:
        tag: str | None = getattr(event, "tag", None)
        if tag not in allowed:
            tag = str(tag).replace("tag:yaml.org,2002:", "!!")
            fail(self._at(event), f"the tag {tag[:60]} is not supported; a configuration holds plain values alone")

    def _at(self, event: Event) -> Position:
        return self._locate(event.start_mark.line + 1, event.start_mark.column + 1)


MARK = "DECIDE:"


def open_decisions(path: Path) -> list[str]:
    """Return each comment `# DECIDE: …` of a configuration, with the line where it stands."""
    found: list[str] = []
    goes_on = False
    lines = path.read_text(encoding="utf-8", errors="replace").splitlines() if path.is_file() else []
    for number, text in enumerate(lines, start=1):
        comment = text.strip()
        if comment.startswith(f"# {MARK}"):
            found.append(f"{path}:{number}: {comment.removeprefix(f'# {MARK}').strip()}")
            goes_on = True
        elif goes_on and comment.startswith("#   "):
            found[-1] += f" {comment[1:].strip()}"
        else:
            goes_on = False
    return found

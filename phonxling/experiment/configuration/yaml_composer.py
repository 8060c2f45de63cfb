"""YAML events → plain data with positions.

The data are put together here, not by ruamel.yaml, for three reasons. Every key and value keeps its line and column.
Plain words are read by the core schema of YAML 1.2 whatever a `%YAML` directive says, so that the language `no` and the
phone `on` stay text. And what could build objects or grow without bound (tags, aliases, deep nesting) is refused before
it is built.
"""

import re
from collections.abc import Callable, Iterator
from typing import Final, NoReturn

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

from phonxling.core.errors import ConfigurationError
from phonxling.settings.positions import KeyPath, Plain, Position

MAX_DEPTH: Final = 50

Locate = Callable[[int, int], Position]
"""Turns a line and a column, both from 1, into a position."""

_STRING_TAGS = (None, "!", "tag:yaml.org,2002:str")
_INTEGER = re.compile(r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+")
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?|[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)")
_WORDS: Final[dict[str, bool | None]] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}


def fail(position: Position, text: str) -> NoReturn:
    """Raise the error that names a position and what is wrong there."""
    raise ConfigurationError(f"{position}: {text}") from None


class Composer:
    """Puts the events of one document together; keeps the positions on the way."""

    def __init__(self, locate: Locate) -> None:
        self.keys: dict[KeyPath, Position] = {}
        self.values: dict[KeyPath, Position] = {}
        self._locate = locate

    def compose(self, events: Iterator[Event]) -> Plain:
        """Return the data of the only document; no document is None."""
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
            return self._scalar(event)
        self._refuse_tag(event, (None, "!"))
        if isinstance(event, SequenceStartEvent):
            return self._sequence(events, path)
        return self._mapping(events, path)

    def _sequence(self, events: Iterator[Event], path: KeyPath) -> list[Plain]:
        items: list[Plain] = []
        for event in events:
            if isinstance(event, SequenceEndEvent):
                break
            items.append(self._node(event, events, (*path, str(len(items)))))
        return items

    def _mapping(self, events: Iterator[Event], path: KeyPath) -> dict[str, Plain]:
        items: dict[str, Plain] = {}
        for event in events:
            if isinstance(event, MappingEndEvent):
                break
            key = self._key(event)
            if key in items:
                fail(self._at(event), f"the key {key!r} is given twice, first at {self.keys[(*path, key)]}")
            self.keys[(*path, key)] = self._at(event)
            items[key] = self._node(next(events), events, (*path, key))
            if items[key] is None:  # an empty value has no place of its own
                self.values[(*path, key)] = self.keys[(*path, key)]
        return items

    def _key(self, event: Event) -> str:
        """Return a key as it is written: `no`, `1` and `true` are names."""
        if not isinstance(event, ScalarEvent):
            fail(self._at(event), "a key must be a word")
        self._refuse_tag(event, _STRING_TAGS)
        if not event.value:
            fail(self._at(event), "a key is missing before the colon")
        return self._text(event)

    def _scalar(self, event: ScalarEvent) -> Plain:
        self._refuse_tag(event, _STRING_TAGS)
        if event.tag is None and event.implicit[0]:
            return self._plain(event)
        return self._text(event)

    def _plain(self, event: ScalarEvent) -> Plain:
        """Return the value of an unquoted word by the core schema of YAML 1.2 (section 10.3)."""
        word = event.value
        if word in _WORDS:
            return _WORDS[word]
        if _INTEGER.fullmatch(word):
            return self._integer(event)
        if _FLOAT.fullmatch(word):
            return float(word.lower().replace(".inf", "inf").replace(".nan", "nan"))
        return self._text(event)

    def _integer(self, event: ScalarEvent) -> int:
        if len(event.value) > 100:
            fail(self._at(event), f"a number of {len(event.value)} digits")
        return int(event.value, 0 if event.value[:2] in ("0o", "0x") else 10)

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

"""YAML 1.2 files → plain data, by ruamel.yaml's safe loader. Whatever is wrong is one error of one line."""

import os
from pathlib import Path
from typing import Final, cast

from ruamel.yaml import YAML
from ruamel.yaml.constructor import DuplicateKeyError
from ruamel.yaml.error import MarkedYAMLError, YAMLError
from ruamel.yaml.events import AliasEvent, CollectionEndEvent, CollectionStartEvent, DocumentStartEvent
from ruamel.yaml.reader import ReaderError

from phonxling.configuration.checks import MAX_DEPTH, KeyPath, PlainData, fail
from phonxling.core.errors import ConfigurationError, DataError, MissingFileError, quote
from phonxling.load.text import decode, read_bytes

# https://yaml.org/spec/1.2.2/
MAX_BYTES: Final = 1_000_000
_LARGEST_NUMBER: Final = 10**100  # of whole numbers, which become floats where a setting is one
_LONGEST_KEY: Final = 400  # letters of an error of YAML, which may quote a value
# What ruamel.yaml says of the commonest slips, in words for those who write the file.
_EXPLANATIONS = {
    "could not find expected ':'": "a key without its colon (key: value), or a text that needs quotes",
    "mapping values are not allowed here": "a colon where none can stand; quote the text, or check the indentation",
    "expected '<document start>', but found ('<scalar>',)": "a text that begins with { or [ needs quotes around it",
    "found character '\\t' that cannot start any token": "a tab; YAML is indented with spaces",
}


def read_yaml(path: Path) -> dict[str, PlainData]:
    try:
        raw = read_bytes(path, MAX_BYTES + 1)
        text = decode(path, raw[:MAX_BYTES], whole=len(raw) <= MAX_BYTES)
    except DataError as error:
        there = os.path.exists(path)  # noqa: PTH110 - it never raises
        raise (ConfigurationError if there else MissingFileError)(str(error)) from None
    if len(raw) > MAX_BYTES:
        fail(str(path), f"larger than {MAX_BYTES:,} bytes; this is hardly a configuration")
    data = parse_yaml(text, str(path))
    if data is None:
        fail(str(path), "the file is empty; it needs at least the key corpora")
    if not isinstance(data, dict):
        fail(str(path), "the file must be a mapping (key: value), with at least the key corpora")
    return data


def parse_yaml(text: str, source: str) -> PlainData:
    """Return the data of one document; `source` names its file, or the override that holds it."""
    data = None
    try:
        problem = _find_more_than_data(text)
        data = YAML(typ="safe", pure=True).load(text) if problem is None else None
    except (YAMLError, ValueError, OverflowError) as error:
        problem = _explain_error(error, text)
    if problem is not None:
        place = source if source.startswith("--set ") else f"{source}:{problem[0]}"
        fail(place, quote(" ".join(problem[1].split()), _LONGEST_KEY))
    _refuse_odd_values(data, source, ())
    return cast("PlainData", data)


def _find_more_than_data(text: str) -> tuple[int, str] | None:
    # Events come one by one, before any object is built: what would grow without bound is refused while it is small.
    # Aliases of aliases grow without bound, tags build objects, and under `%YAML 1.1` the language `no` and the phone
    # `on` would be truth values.
    depth = 0
    for event in YAML(typ="safe", pure=True).parse(text):
        line, tag = event.start_mark.line + 1, getattr(event, "tag", None)
        depth += isinstance(event, CollectionStartEvent) - isinstance(event, CollectionEndEvent)
        if isinstance(event, DocumentStartEvent) and (event.version or event.tags):
            return line, "directives (%YAML, %TAG) are not supported; leave them out"
        if isinstance(event, AliasEvent):
            return line, f"the alias *{event.anchor} is not supported; write the value out"
        if tag is not None:
            return line, f"the tag {quote(str(tag))} is not supported; a configuration holds plain values alone"
        if depth > MAX_DEPTH:
            return line, f"nested deeper than {MAX_DEPTH} levels"
    return None


def _explain_error(error: Exception, text: str) -> tuple[int, str]:
    if isinstance(error, ReaderError):
        line = text.count("\n", 0, error.position) + 1
        return line, f"the character U+{error.character:04X} must not stand here"
    if not isinstance(error, MarkedYAMLError):  # such as an escape beyond Unicode, whose line is not known
        return 1, f"this is not valid YAML: {error}"
    if isinstance(error, DuplicateKeyError):
        again = error.problem_mark
        *before, key = (line[again.column :].partition(":")[0] for line in text.split("\n")[: again.line + 1])
        first = len(before) - before[::-1].index(key) if key in before else again.line + 1  # as in {a: 1, a: 2}
        return again.line + 1, f"the key {key} stands here and in line {first}; keep one of the two"
    late = error.problem == "could not find expected ':'"  # ruamel notices this at the next key
    mark = error.context_mark if late else error.problem_mark or error.context_mark
    whole = ", ".join(part for part in (error.context, error.problem) if part)
    return mark.line + 1 if mark else 1, _EXPLANATIONS.get(error.problem, f"this is not valid YAML: {whole}")


def _refuse_odd_values(data: object, source: str, path: KeyPath) -> None:
    # Refuse keys that are no texts, halves of letters, and numbers that no setting can have.
    place = f"{source}: {'.'.join(path)}" if path else source
    if isinstance(data, dict):
        for key, value in data.items():
            if not isinstance(key, str) or not key:
                remedy = "put it in quotes" if key != "" else "give it a name"
                fail(place, f"a key must be a text, not {quote(repr(key))}; {remedy}")
            _refuse_odd_values(key, source, path)
            _refuse_odd_values(value, source, (*path, key))
    elif isinstance(data, list):
        for value in data:
            _refuse_odd_values(value, source, path)
    elif isinstance(data, str) and any("\ud800" <= letter <= "\udfff" for letter in data):
        fail(place, "half of a surrogate pair is not a character; write the character itself")
    elif isinstance(data, int) and abs(data) > _LARGEST_NUMBER:
        fail(place, "a number of more than 100 digits")


MARK = "DECIDE:"  # what a starter configuration leaves to a person, repeated until it is gone


def find_decisions(path: Path) -> list[str]:
    """Return each comment `# DECIDE: …` of a configuration, with the line where it stands."""
    decisions, goes_on = list[str](), False
    lines = path.read_text(encoding="utf-8", errors="replace").splitlines() if path.is_file() else []
    for number, text in enumerate(lines, start=1):
        comment = text.strip()
        if comment.startswith(f"# {MARK}"):
            decisions.append(f"{path}:{number}: {comment.removeprefix(f'# {MARK}').strip()}")
            goes_on = True
        elif goes_on and comment.startswith("#   "):  # a long decision goes on, indented
            decisions[-1] += f" {comment[1:].strip()}"
        else:
            goes_on = False
    return decisions

"""YAML 1.2 files → plain data, by ruamel.yaml's safe loader. Whatever is wrong is one error of one line.

Aliases, tags and directives are refused before anything is built: aliases of aliases grow without bound, tags build
objects, and under `%YAML 1.1` the language `no` and the phone `on` would be truth values.

What a starter configuration leaves to a person: comments that begin with DECIDE, repeated until they are gone.
"""

from pathlib import Path
from typing import Final, cast

from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError, YAMLError
from ruamel.yaml.events import AliasEvent, CollectionEndEvent, CollectionStartEvent, DocumentStartEvent
from ruamel.yaml.reader import ReaderError

from phonxling.configuration.checks import MAX_DEPTH, KeyPath, PlainData, fail
from phonxling.core.errors import ConfigurationError, MissingFileError, quote as printed
from phonxling.core.files import open_regular
from phonxling.load.text import nearest_names as nearest_yaml_files

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
    data = parse_yaml(_read_text(path), str(path))
    if data is None:
        fail(str(path), "the file is empty; it needs at least the key corpora")
    if not isinstance(data, dict):
        fail(str(path), "the file must be a mapping (key: value), with at least the key corpora")
    return data


def parse_yaml(text: str, source: str) -> PlainData:
    """Return the data of one document; `source` names its file, or the override that holds it."""
    try:
        _refuse_more_than_data(text, source)
        data = YAML(typ="safe", pure=True).load(text)
    except (YAMLError, ValueError, OverflowError) as error:
        line, problem = _explain_error(error, text)
        fail(_name_place(source, line), printed(" ".join(problem.split()), _LONGEST_KEY))
    _refuse_odd_values(data, source, ())
    return cast("PlainData", data)


def _read_text(path: Path) -> str:
    try:
        with open_regular(path) as file:
            raw = file.read(MAX_BYTES + 1)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        missing = isinstance(error, FileNotFoundError)
        hint = nearest_yaml_files(path) if missing else ""
        kind = MissingFileError if missing else ConfigurationError
        raise kind(f"{path}: the configuration cannot be read: {reason}{hint}") from None
    if len(raw) > MAX_BYTES:
        fail(str(path), f"larger than {MAX_BYTES:,} bytes; this is hardly a configuration")
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        fail(f"{path}:{line}", f"the byte 0x{raw[error.start]:02X} is not UTF-8; save the file as UTF-8")


def _name_place(source: str, line: int) -> str:
    return source if source.startswith("--set ") else f"{source}:{line}"


def _refuse_more_than_data(text: str, source: str) -> None:
    # Events come one by one, before any object is built: what would grow without bound is refused while it is small.
    depth = 0
    for event in YAML(typ="safe", pure=True).parse(text):
        place, tag = _name_place(source, event.start_mark.line + 1), getattr(event, "tag", None)
        if isinstance(event, DocumentStartEvent) and (event.version or event.tags):
            fail(place, "directives (%YAML, %TAG) are not supported; leave them out")
        if isinstance(event, AliasEvent):
            fail(place, f"the alias *{event.anchor} is not supported; write the value out")
        if tag is not None:
            fail(place, f"the tag {printed(str(tag))} is not supported; a configuration holds plain values alone")
        depth += isinstance(event, CollectionStartEvent) - isinstance(event, CollectionEndEvent)
        if depth > MAX_DEPTH:
            fail(place, f"nested deeper than {MAX_DEPTH} levels")


def _explain_error(error: Exception, text: str) -> tuple[int, str]:
    """Return the line of an error, and what is wrong there."""
    if isinstance(error, ReaderError):
        line = text.count("\n", 0, error.position) + 1
        return line, f"the character U+{error.character:04X} must not stand here"
    if not isinstance(error, MarkedYAMLError):  # such as an escape beyond Unicode, whose line is not known
        return 1, f"this is not valid YAML: {error}"
    late = error.problem == "could not find expected ':'"  # ruamel notices this at the next key
    mark = error.context_mark if late else error.problem_mark or error.context_mark
    whole = ", ".join(part for part in (error.context, error.problem) if part)
    return mark.line + 1 if mark else 1, _EXPLANATIONS.get(error.problem, f"this is not valid YAML: {whole}")


def _refuse_odd_values(data: object, source: str, path: KeyPath) -> None:
    """Refuse keys that are no texts, halves of letters, and numbers that no setting can have."""
    place = f"{source}: {'.'.join(path)}" if path else source
    if isinstance(data, dict):
        for key, value in data.items():
            if not isinstance(key, str) or not key:
                fail(place, f"a key must be a text, not {printed(repr(key))}; put it in quotes")
            _refuse_odd_values(key, source, path)
            _refuse_odd_values(value, source, (*path, key))
    elif isinstance(data, list):
        for value in data:
            _refuse_odd_values(value, source, path)
    elif isinstance(data, str) and any("\ud800" <= letter <= "\udfff" for letter in data):
        fail(place, "half of a surrogate pair is not a character; write the character itself")
    elif isinstance(data, int) and abs(data) > _LARGEST_NUMBER:
        fail(place, "a number of more than 100 digits")


MARK = "DECIDE:"


def find_decisions(path: Path) -> list[str]:
    """Return each comment `# DECIDE: …` of a configuration, with the line where it stands."""
    found: list[str] = []
    goes_on = False
    lines = path.read_text(encoding="utf-8", errors="replace").splitlines() if path.is_file() else []
    for number, text in enumerate(lines, start=1):
        comment = text.strip()
        if comment.startswith(f"# {MARK}"):
            found.append(f"{path}:{number}: {comment.removeprefix(f'# {MARK}').strip()}")
            goes_on = True
        elif goes_on and comment.startswith("#   "):  # a long decision goes on, indented
            found[-1] += f" {comment[1:].strip()}"
        else:
            goes_on = False
    return found

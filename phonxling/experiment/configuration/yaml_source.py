"""YAML 1.2 files → plain data with positions. Whatever is wrong is one error that names file, line and column."""

import io
from pathlib import Path
from typing import Final

from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError, YAMLError
from ruamel.yaml.reader import ReaderError

from phonxling.core.errors import ConfigurationError
from phonxling.experiment.configuration.yaml_composer import Composer, Locate, fail
from phonxling.load.unreadable import nearest
from phonxling.settings.positions import Document, Position

MAX_BYTES: Final = 1_000_000

_EXPLAINED = {
    "could not find expected ':'": "a key without its colon (key: value), or a text that needs quotes",
    "mapping values are not allowed here": "a colon where none can stand; quote the text, or check the indentation",
}


def read_yaml(path: Path) -> Document:
    """Return the mapping that a YAML file holds, with positions.

    Raises
    ------
    ConfigurationError
        The file cannot be read, is larger than `MAX_BYTES` or is not UTF-8.
        The text is no YAML, or uses what a configuration has no need of: tags, aliases, several documents.
        The document is empty or no mapping, gives a key twice, or is nested deeper than `MAX_DEPTH`.
    """
    document = parse_yaml(_read_text(path), lambda line, column: Position(str(path), line, column))
    if document.data is None:
        fail(Position(str(path), 1, 1), "the file is empty; it needs at least the key corpora")
    if not isinstance(document.data, dict):
        fail(document.values_at[()], "the file must be a mapping (key: value), with at least the key corpora")
    return document


def parse_yaml(text: str, locate: Locate) -> Document:
    """Return what a YAML text holds, of whatever type; no text is None. `locate` turns line and column to a position.

    Raises
    ------
    ConfigurationError
        As `read_yaml`, as far as it concerns the text.

    Examples
    --------
    >>> parse_yaml("{language: no, seed: 20}", lambda line, column: Position("a.yaml", line, column)).data
    {'language': 'no', 'seed': 20}
    """
    composer = Composer(locate)
    try:
        data = composer.compose(YAML(typ="safe", pure=True).parse(io.StringIO(text)))
    except ReaderError as error:
        fail(_place(text, error.position, locate), f"the character U+{error.character:04X} must not stand here")
    except MarkedYAMLError as error:
        fail(_error_position(error, locate), _explain(error, text))
    except (YAMLError, ValueError, OverflowError) as error:  # such as an escape beyond Unicode
        fail(locate(1, 1), f"this is no valid YAML: {error}")
    return Document(data, composer.keys, composer.values)


def _read_text(path: Path) -> str:
    try:
        with path.open("rb") as file:
            raw = file.read(MAX_BYTES + 1)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        hint = nearest(path) if isinstance(error, FileNotFoundError) else ""
        raise ConfigurationError(f"{path}: the configuration cannot be read: {reason}{hint}") from None
    start = Position(str(path), 1, 1)
    if len(raw) > MAX_BYTES:
        fail(start, f"larger than {MAX_BYTES:,} bytes; this is hardly a configuration")
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        position = _place(raw[: error.start].decode("utf-8-sig", "ignore"), None, lambda *at: Position(str(path), *at))
        fail(position, f"the byte 0x{raw[error.start]:02X} is no UTF-8; save the file as UTF-8")


def _place(text: str, offset: int | None, locate: Locate) -> Position:
    """Return the position of a character of the text; None: of the end."""
    before = text[:offset].split("\n")
    return locate(len(before), len(before[-1]) + 1)


def _error_position(error: MarkedYAMLError, locate: Locate) -> Position:
    late = error.problem == "could not find expected ':'"  # ruamel notices this at the next key
    mark = error.context_mark if late else error.problem_mark or error.context_mark
    return locate(mark.line + 1, mark.column + 1) if mark else locate(1, 1)


def _explain(error: MarkedYAMLError, text: str) -> str:
    mark = error.problem_mark
    lines = text.splitlines()
    if mark and mark.line < len(lines) and lines[mark.line][mark.column : mark.column + 1] == "\t":
        return "a tab; YAML is indented with spaces"
    if error.problem in _EXPLAINED:
        return _EXPLAINED[error.problem]
    return f"this is no valid YAML: {', '.join(part for part in (error.context, error.problem) if part)}"

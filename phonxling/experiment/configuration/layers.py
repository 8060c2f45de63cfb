"""The files and overrides that make up one configuration, merged into one document.

Mappings merge deeply, lists and scalars replace. Every layer is settled before it is merged: a file, or a recogniser,
given as a plain string becomes its mapping, and relative paths become absolute, each from the folder of the file that
holds it.
"""

import os
from collections.abc import Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, get_origin

from phonxling.core.errors import ConfigurationError
from phonxling.experiment.configuration.documents import Document, KeyPath, Plain, Position, fail, nearest
from phonxling.experiment.configuration.yaml_files import MAX_DEPTH, parse_yaml, read_yaml
from phonxling.load.remote.urls import is_url
from phonxling.load.unreadable import is_file
from phonxling.settings.checks import LONGEST_PATH, did_you_mean, shown
from phonxling.settings.files import Section, path_mark, section_of
from phonxling.settings.models import Experiment
from phonxling.settings.value_types import PathMark

_LONGEST_CHAIN: Final = 50  # files


def read_layers(path: Path) -> tuple[Document, ...]:
    """Return a file, then the file that it extends, and so on.

    Raises
    ------
    ConfigurationError
        A file cannot be read (`read_yaml`), `extends` names no file, or the files extend each other in a circle.
    """
    layers: list[Document] = []
    chain: list[Path] = []
    while True:
        chain.append(path)
        document = read_yaml(path)
        layers.append(settle(document, path.parent.resolve()))
        name = _mapping(document.data).get("extends")
        if "extends" not in _mapping(document.data):
            return tuple(layers)
        path = _extended(name, document.values_at[("extends",)], chain)


def _extended(name: Plain, position: Position, chain: list[Path]) -> Path:
    if not isinstance(name, str) or not name:
        fail(position, f"extends: must be the path of a configuration, not {shown(name)}")
    path = chain[-1].parent / name
    if not is_file(path):
        fail(position, f"extends: there is no file {str(path)[:LONGEST_PATH]}")
    if len(chain) >= _LONGEST_CHAIN:
        fail(position, f"extends: more than {_LONGEST_CHAIN} files, each of which extends the next")
    if path.resolve() in [link.resolve() for link in chain]:
        circle = " → ".join(str(link) for link in [*chain, path])
        fail(position, f"extends: the files extend each other in a circle: {circle}")
    return path


def merge(base: Document, top: Document) -> Document:
    """Return the base with the top laid over it. A position is that of the layer that has the last word."""
    replaced: set[KeyPath] = set()
    data = _merge(base.data, top.data, (), replaced)
    left = {path for path in base.values_at if not any(path[:end] in replaced for end in range(len(path) + 1))}
    return Document(data, _laid_over(base.keys_at, top.keys_at, left), _laid_over(base.values_at, top.values_at, left))


def _merge(base: Plain, top: Plain, path: KeyPath, replaced: set[KeyPath]) -> Plain:
    if not isinstance(base, dict) or not isinstance(top, dict):
        replaced.add(path)
        return top
    return base | {
        key: _merge(base[key], value, (*path, key), replaced) if key in base else value for key, value in top.items()
    }


def _laid_over(
    base: Mapping[KeyPath, Position], top: Mapping[KeyPath, Position], left: set[KeyPath]
) -> dict[KeyPath, Position]:
    return {path: position for path, position in base.items() if path in left} | dict(top)


def override(document: Document, setting: str) -> Document:
    """Return the document with one override `key.path=value` laid over it; the value is YAML.

    Raises
    ------
    ConfigurationError
        The override is not of that form, its value is no YAML, or it reaches into a corpus that is not there.
    """
    key, equals, text = setting.partition("=")
    position = Position(f"--set {key}")
    path = _split(key, document.data)
    if not equals or not all(path) or len(path) > MAX_DEPTH:
        msg = f"--set {setting[:100]}: write --set key.path=value, such as --set alignment.costs=unit"
        raise ConfigurationError(msg)
    _check_reach(path, document, position)
    value = parse_yaml(text, lambda _line, _column: position)
    top = Document(
        _nested(path, value.data),
        {(*path, *rest): position for rest in value.keys_at} | {path: position},
        {(*path, *rest): position for rest in value.values_at},
    )
    merged = merge(document, settle(top, Path.cwd()))
    around = {path[:end]: position for end in range(len(path))}
    return Document(merged.data, around | dict(merged.keys_at), around | dict(merged.values_at))


def _check_reach(path: KeyPath, document: Document, position: Position) -> None:
    corpora = _mapping(_mapping(document.data).get("corpora"))
    if path[0] == "extends":
        fail(position, "must be written in a file")
    if path[0] == "corpora" and len(path) > 2 and path[1] not in corpora:
        fail(position, f"unknown corpus{did_you_mean(path[1], corpora)}")


def _split(key: str, data: Plain) -> KeyPath:
    """Return the keys of a dotted path; a corpus' name that holds a dot stays whole."""
    corpora = _mapping(_mapping(data).get("corpora"))
    for name in sorted(corpora, key=len, reverse=True):
        head = f"corpora.{name}"
        if key == head or key.startswith(f"{head}."):
            return ("corpora", name, *key[len(head) + 1 :].split(".")) if key != head else ("corpora", name)
    return tuple(key.split("."))


def _nested(path: KeyPath, value: Plain) -> Plain:
    for key in reversed(path):
        value = {key: value}
    return value


def settle(document: Document, folder: Path) -> Document:
    """Return a layer without `extends`, with each file as a mapping and every path absolute."""
    data = deepcopy({key: value for key, value in _mapping(document.data).items() if key != "extends"})
    written: dict[KeyPath, Position] = {}
    for place, model, section in _sections(data, Experiment):
        for key in section:
            file, kind = section[key], _section_at(model, key)
            fields = {} if kind is None else kind.model_fields
            short = "path" if "path" in fields else "name" if "name" in fields else ""
            if isinstance(file, str) and short:
                others = {"inventory": None} if short == "name" else {}  # of another name, it would be another's
                section[key] = {short: file, **others}
                written[(*place, key, short)] = nearest((*place, key), document.values_at)
    for path in paths_in(data):
        path.holder[path.key] = _joined(path.text, folder)
    return Document(data, document.keys_at, {**document.values_at, **written})


@dataclass(frozen=True, slots=True)
class PathText:
    """A text of a configuration that is meant as a path: the section or list that holds it, and what it leads to."""

    place: KeyPath
    holder: Any
    key: str | int
    mark: PathMark

    @property
    def text(self) -> str:
        """The path as it is written."""
        return str(self.holder[self.key])


def paths_in(data: Plain) -> Iterator[PathText]:
    """Yield each text of a configuration that is meant as a path."""
    for place, model, section in _sections(data, Experiment):
        for key, value in section.items():
            mark = path_mark(model.model_fields[key]) if key in model.model_fields else None
            if mark is None:
                continue
            if isinstance(value, str) and mark.meant(value):
                yield PathText((*place, key), section, key, mark)
            elif isinstance(value, list) and mark.several:
                texts = [number for number, text in enumerate(value) if isinstance(text, str) and mark.meant(text)]
                yield from (PathText((*place, key, str(number)), value, number, mark) for number in texts)


def _sections(
    data: Plain, model: type[Section], place: KeyPath = ()
) -> Iterator[tuple[KeyPath, type[Section], dict[str, Plain]]]:
    """Yield each section of a configuration with its place and its model, the outer ones first."""
    if not isinstance(data, dict):
        return
    yield place, model, data
    for key, value in data.items():
        section = _section_at(model, key)
        if section is not None and get_origin(model.model_fields[key].annotation) is Mapping:
            for name, one in _mapping(value).items():
                yield from _sections(one, section, (*place, key, name))
        elif section is not None:
            yield from _sections(value, section, (*place, key))


def _section_at(model: type[Section], key: str) -> type[Section] | None:
    return section_of(model.model_fields[key]) if key in model.model_fields else None


def _joined(path: str, folder: Path) -> str:
    if not path or is_url(path) or "\0" in path:
        return path  # addresses stay as they are; the rest is for the checks to refuse
    return Path(os.path.normpath(folder / path)).as_posix()


def _mapping(value: Plain) -> dict[str, Plain]:
    return value if isinstance(value, dict) else {}

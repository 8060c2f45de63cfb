"""What is stored of finished work in a folder of results, below `.cache`.

Of a stage (the tables, figures of a corpus, the page, a step of computing) it is stored which files were written from
what: one JSON a stage, trusted only when this user signed it and the files are whole.
"""

import json
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from phonxling.core.errors import DataError
from phonxling.core.files import digest, read_json, write_bytes
from phonxling.store.content import content_digest
from phonxling.store.folder import CACHE, outputs
from phonxling.store.signing import Signatures
from phonxling.store.versions import versions

_LETTERS = 16  # of the name of a stage's file


class Stage(NamedTuple):
    """A finished stage: the sha256 of each file that it wrote, by its path below the results, and what it told."""

    files: Mapping[str, str]
    about: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Stages:
    """The finished stages that a folder has on record, signed, whose files are below the results' folder."""

    folder: Path
    results: Path
    signatures: Signatures

    def read(self, stage: str, key: str) -> Stage | None:
        """Return a stage that was done from this key's content and whose files are all as it wrote them, else None."""
        try:
            content = read_json(self.path(stage))
            body = {name: content[name] for name in ("key", "files", "about")}
            text, signature = json.dumps(["stage", stage, body]), content.get("signature")
        except (OSError, ValueError, KeyError, TypeError):
            return None
        if body["key"] != key or not self.signatures.holds(text, signature, self.folder):
            return None
        try:
            whole = all(digest(self.results / name) == wanted for name, wanted in body["files"].items())
        except DataError:  # one is gone
            return None
        return Stage(body["files"], body["about"]) if whole else None

    def write(self, stage: str, key: str, files: Mapping[str, str], about: Mapping[str, Any] | None = None) -> None:
        """Store what a stage wrote, if that can be done."""
        body = {"key": key, "files": dict(files), "about": dict(about or {})}
        signature = self.signatures.sign(json.dumps(["stage", stage, body]))
        text = json.dumps({"signature": signature, **body}, ensure_ascii=False, indent=1)
        try:
            write_bytes(self.path(stage), text.encode())
        except DataError:  # the disk is full: the results count, not what is stored for a next run
            with suppress(OSError):  # what cannot be removed is checked before it is trusted
                self.path(stage).unlink(missing_ok=True)

    def path(self, stage: str) -> Path:
        return self.folder / f"{content_digest(stage)[:_LETTERS]}.json"


@dataclass(frozen=True, eq=False)
class Parts:
    """What a run makes of its tables, part by part: a part that was made of the same before is left as it is."""

    stages: Stages
    tables: Mapping[str, str]
    names: list[str] = field(default_factory=list)
    reused: list[str] = field(default_factory=list)
    messages: list[str] = field(default_factory=list)
    named: dict[str, str] = field(default_factory=dict)

    def unchanged(self, part: str, settings: object, tables: Iterable[str] | None = None) -> list[Path] | None:
        """Return the files of a part when they are as they would be made now; else None."""
        self.names.append(part)
        stage = self.stages.read(part, self._key(settings, tables))
        if stage is None:
            return None
        self.reused.append(part)
        self.named.update(stage.files)
        return [self.stages.results / name for name in stage.files]

    def add(self, part: str, settings: object, files: Iterable[Path], tables: Iterable[str] | None = None) -> None:
        """Store what a part was made of, and what it is."""
        made = outputs(self.stages.results, files)
        self.named.update(made)
        self.stages.write(part, self._key(settings, tables), made)

    def _key(self, settings: object, tables: Iterable[str] | None) -> str:
        chosen = sorted(self.tables) if tables is None else list(tables)
        return content_digest((versions(), settings, [(name, self.tables.get(name)) for name in chosen]))


def kept(names: Iterable[str]) -> str:
    """Return what is said of finished work that is used again."""
    return f"kept from an earlier run: {', '.join(names)}"


def kept_files(folder: Path) -> list[Path]:
    """Return what this package has stored in a folder, and nothing else that may be there: it could be a link."""
    return [*folder.glob(f"{'[0-9a-f]' * _LETTERS}*"), *folder.glob(".*.part")]


def forget(results: Path) -> None:
    """Remove what is stored of a folder's finished work; DataError when it cannot be."""
    folder = results / CACHE
    try:
        for path in (*kept_files(folder), *kept_files(folder / "tasks")):
            path.unlink(missing_ok=True)
    except OSError as error:
        raise DataError(f"{folder}: cannot be emptied: {error.strerror}") from error

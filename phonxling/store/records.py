"""What a finished stage wrote, and from what: one JSON a stage, trusted only when it is whole and the files are too."""

import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from phonxling.core.errors import DataError
from phonxling.core.files import digest, write_bytes
from phonxling.store.content import content_digest


@dataclass(frozen=True, slots=True)
class Stage:
    """A finished stage: the sha256 of each file that it wrote, by its path below the results, and what it told."""

    files: Mapping[str, str]
    about: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Records:
    """The records of stages in a folder, about files below the results' folder."""

    folder: Path
    results: Path

    def read(self, stage: str, key: str) -> Stage | None:
        """Return a stage that was done from this key's content and whose files are all as it wrote them, else None."""
        found = self._stored(stage)
        if found is None or found["key"] != key:
            return None
        files = found["files"]
        whole = all(_sha256(self.results / name) == wanted for name, wanted in files.items())
        return Stage(files, found["about"]) if whole else None

    def write(self, stage: str, key: str, files: Mapping[str, str], about: Mapping[str, Any] | None = None) -> bool:
        """Keep what a stage wrote, and return whether that could be done."""
        body = {"key": key, "files": dict(files), "about": dict(about or {})}
        text = json.dumps({"sha256": content_digest(_text(body)), **body}, ensure_ascii=False, indent=1)
        try:
            write_bytes(self._path(stage), text.encode())
        except DataError:  # the disk is full: the results count, not what is kept
            self.remove(stage)
            return False
        return True

    def remove(self, stage: str) -> None:
        """Forget a stage."""
        with suppress(OSError):  # what cannot be removed is checked before it is trusted
            self._path(stage).unlink(missing_ok=True)

    def _stored(self, stage: str) -> dict[str, Any] | None:
        try:
            found = json.loads(self._path(stage).read_text(encoding="utf-8"))
            body = {name: found[name] for name in ("key", "files", "about")}
            return body if found["sha256"] == content_digest(_text(body)) else None
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def _path(self, stage: str) -> Path:
        return self.folder / f"{content_digest(stage)[:16]}.json"


def _text(body: Mapping[str, Any]) -> str:
    return json.dumps(body, ensure_ascii=False)


def _sha256(path: Path) -> str:
    try:
        return digest(path)
    except DataError:
        return ""

"""Copies on this machine of inputs by URL, and how messages and the manifest name them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Copies:
    """The URL of each input and file by the path of its copy, and of what each folder of copies stands for."""

    files: Mapping[Path, str] = field(default_factory=dict)
    folders: Mapping[Path, str] = field(default_factory=dict)

    def url_of(self, path: Path) -> str | None:
        """Return the URL of what is read at a path; None when it is no copy."""
        return self.files.get(path)

    def path_of(self, url: str) -> Path | None:
        """Return the copy of a URL; None when there is none."""
        return next((path for path, known in self.files.items() if known == url), None)

    def named(self, text: str) -> str:
        """Return a text with URLs where it names copies."""
        for path, url in self.files.items():
            text = text.replace(str(path), url.rstrip("/"))
        for folder, url in self.folders.items():
            text = text.replace(f"{folder}/", f"{url}/")
        return text

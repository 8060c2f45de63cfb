"""What stands in a folder of results, and how two folders differ."""

import hashlib
import shutil
from pathlib import Path

MAY_DIFFER = "run.json"
Contents = dict[str, str]


def contents(folder: Path) -> Contents:
    """Return the sha256 of each file that must be the same in equal runs: all but run.json and hidden folders'."""
    files = [path for path in folder.rglob("*") if path.is_file()]
    names = {path.relative_to(folder): path for path in files}
    return {
        name.as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for name, path in sorted(names.items())
        if name.as_posix() != MAY_DIFFER and not any(part.startswith(".") for part in name.parts[:-1])
    }


def differences(found: Contents, wanted: Contents) -> list[str]:
    """Return the names of files that are missing, too many or other, each with which."""
    return [
        *(f"missing: {name}" for name in wanted if name not in found),
        *(f"too many: {name}" for name in found if name not in wanted),
        *(f"other: {name}" for name in wanted if name in found and found[name] != wanted[name]),
    ]


def torn(found: Contents, known: list[Contents]) -> list[str]:
    """Return the files, scratch files aside, that stand there with the content of no finished run."""
    return [
        name
        for name, digest in found.items()
        if not Path(name).name.startswith(".") and all(digest != one.get(name) for one in known)
    ]


def begin(folder: Path, before: Path | None) -> None:
    """Make a folder anew: empty, or as another one."""
    shutil.rmtree(folder, ignore_errors=True)
    if before is not None:
        shutil.copytree(before, folder)

"""Check that the wheel holds the package's files as git has them, and the sdist what building and testing need."""

import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

NEEDED = (
    "README.md",
    "LICENSE",
    "CHANGELOG.md",
    "CITATION.cff",
    "pyproject.toml",
    "constraints.txt",
    "scripts/test.sh",
    "tests/conftest.py",
)


def in_git(folder: str) -> set[str]:
    """Return the paths of all files of a folder that git knows, or would take."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", folder]
    listed = subprocess.run(command, capture_output=True, text=True, check=True)  # noqa: S603 - a fixed command
    return {path for path in listed.stdout.splitlines() if Path(path).exists()}


def main(folder: Path) -> None:
    """Compare the wheel and the sdist of a folder with the checkout; files that differ are named, with exit code 1."""
    (wheel,), (sdist,) = folder.glob("*.whl"), folder.glob("*.tar.gz")
    with zipfile.ZipFile(wheel) as archive:
        packed = {name for name in archive.namelist() if name.startswith("phonxling/")}
    with tarfile.open(sdist) as archive:
        source = {name.partition("/")[2] for name in archive.getnames()}
    ours = in_git("phonxling")
    for what, paths in (
        ("only in the wheel", packed - ours),
        ("not in the wheel", ours - packed),
        ("not in the sdist", (ours | in_git("tests") | in_git("docs") | in_git("data") | set(NEEDED)) - source),
    ):
        if paths:
            sys.exit(f"{what}: {', '.join(sorted(paths))}")
    print(f"{wheel.name}: {len(packed)} files of the package; {sdist.name}: {len(source)} files")


if __name__ == "__main__":
    main(Path(sys.argv[1]))

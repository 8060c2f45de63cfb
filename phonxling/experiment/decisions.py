"""What a starter configuration leaves to a person: comments that begin with DECIDE, repeated until they are gone."""

from pathlib import Path

MARK = "DECIDE:"


def open_decisions(path: Path) -> list[str]:
    """Return each comment `# DECIDE: …` of a configuration, with the line where it stands."""
    found: list[str] = []
    goes_on = False
    lines = path.read_text(encoding="utf-8", errors="replace").splitlines() if path.is_file() else []
    for number, text in enumerate(lines, start=1):
        comment = text.strip()
        if comment.startswith(f"# {MARK}"):
            found.append(f"{path}:{number}: {comment.removeprefix(f'# {MARK}').strip()}")
            goes_on = True
        elif goes_on and comment.startswith("#   "):
            found[-1] += f" {comment[1:].strip()}"
        else:
            goes_on = False
    return found

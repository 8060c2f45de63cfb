"""Print constraints that hold each library at the lowest version that pyproject.toml claims to work with."""

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2] / "pyproject.toml"
USERS = ("formats", "distributed")  # extras that users install; the tests' own tools are not held


def lowest(project: dict[str, object]) -> Iterator[str]:
    """Yield `name==version` for each requirement of users with a lower bound."""
    extras = project["optional-dependencies"]
    for requirement in [*project["dependencies"], *(line for extra in USERS for line in extras[extra])]:
        name, bound = re.fullmatch(r"([\w.-]+)(?:\[.*\])?[>=]=([\w.]+)", requirement).groups()
        yield f"{name}=={bound}"


if __name__ == "__main__":
    print("\n".join(lowest(tomllib.loads(PROJECT.read_text(encoding="utf-8"))["project"])))

"""What scripts/demo.sh and scripts/test.sh import is what they install, by the imports and by pyproject.toml."""

import ast
import re
import sys
import tomllib
from collections.abc import Iterable, Iterator
from importlib.metadata import PackageNotFoundError, packages_distributions, requires
from pathlib import Path

from packaging.requirements import Requirement

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = sorted((ROOT / "phonxling").rglob("*.py"))
OUR_PATHS = (ROOT, *(ROOT / folder for folder in ("tests", "tests/browser", "scripts")))  # as pytest has them


def test_the_package_imports_the_base_installation_alone() -> None:
    assert strangers(PACKAGE, installed()) == {}


def test_the_quick_tests_import_what_the_extra_test_brings() -> None:
    assert strangers(collected(), installed("test")) == {}


def test_an_import_of_another_extra_is_seen(tmp_path: Path) -> None:
    (tmp_path / "helper.py").write_text("def wait():\n    from playwright.sync_api import Page\n", encoding="utf-8")
    assert strangers([tmp_path / "helper.py"], installed("test")) == {"helper.py": ["playwright"]}
    assert strangers([ROOT / "tests/object_store.py"], installed()) == {"object_store.py": ["boto3", "moto"]}


def installed(*extras: str) -> set[str]:
    """Return the distributions that pip installs with these extras, whatever else is installed here."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    waiting = [*project["dependencies"], *(f"phonxling[{extra}]" for extra in extras)]
    found: set[str] = set()
    while waiting:
        requirement = Requirement(waiting.pop())
        if requirement.name == "phonxling":
            waiting += [line for extra in requirement.extras for line in project["optional-dependencies"][extra]]
        elif (asked := f"{normal(requirement.name)}{sorted(requirement.extras)}") not in found:
            found |= {asked, normal(requirement.name)}
            waiting += [str(each) for each in needed(requirement)]
    return found


def needed(requirement: Requirement) -> Iterator[Requirement]:
    """Yield what an installed distribution asks for; nothing of one that is missing: it was an extra's own."""
    try:
        lines = requires(requirement.name) or []
    except PackageNotFoundError:
        return
    for each in map(Requirement, lines):
        if each.marker is None or any(each.marker.evaluate({"extra": extra}) for extra in ("", *requirement.extras)):
            yield each


def normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def collected() -> set[Path]:
    """Return the modules that pytest collects without being told otherwise, and those of ours that they import."""
    waiting = [path for path in (ROOT / "tests").rglob("*.py") if "browser" not in path.parts]
    found: set[Path] = set()
    while waiting:
        if (path := waiting.pop()) not in found:
            found.add(path)
            waiting += [module for name in imported(path) for module in ours(name) if "phonxling" not in module.parts]
    return found


def ours(name: str) -> Iterator[Path]:
    """Yield our files that an import of this name runs."""
    parts = name.split(".")
    for top in OUR_PATHS:
        for length in range(1, len(parts) + 1):
            path = top.joinpath(*parts[:length])
            yield from (file for file in (path.with_suffix(".py"), path / "__init__.py") if file.is_file())


def imported(path: Path) -> set[str]:
    """Return what a module imports; of a script, which may ask first what is there, as it is imported itself."""
    found: set[str] = set()
    waiting: list[ast.AST] = [ast.parse(path.read_text(encoding="utf-8"))]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found |= {node.module} | {f"{node.module}.{alias.name}" for alias in node.names}
        elif isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        if not (isinstance(node, ast.FunctionDef) and ROOT / "scripts" in path.parents):
            waiting += ast.iter_child_nodes(node)
    return found


def strangers(paths: Iterable[Path], allowed: set[str]) -> dict[str, list[str]]:
    """Return by file the imports that are neither Python's, nor ours, nor of these distributions."""
    known = packages_distributions()
    found = {
        path.name: sorted(
            {
                name.partition(".")[0]
                for name in imported(path)
                if name.partition(".")[0] not in sys.stdlib_module_names
                and not any(True for _ in ours(name))
                and not allowed & {normal(each) for each in known.get(name.partition(".")[0], ())}
            }
        )
        for path in paths
    }
    return {name: names for name, names in found.items() if names}

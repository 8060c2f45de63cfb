"""The tree's rules: layers, who may import what, and a command line that starts at once."""

import ast
import subprocess
import sys
from collections import Counter
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest
from importlinter.application.use_cases import lint_imports

import phonxling

HEAVY = {"numpy", "pandas", "numba", "matplotlib", "umap", "sklearn", "scipy"}
ROOT = Path(__file__).resolve().parent.parent


def test_the_layers_hold() -> None:
    from importlinter.configuration import configure

    configure()
    assert lint_imports(config_filename=str(ROOT / "pyproject.toml"), no_logo=True, cache_dir=None)


def test_every_public_name_can_be_imported() -> None:
    names = dir(phonxling)
    assert {"__version__", "ConfusionMatrix", "load_corpus"} <= {*names}
    for name in names:
        assert getattr(phonxling, name) is not None


def test_no_public_name_is_that_of_a_module() -> None:
    modules = {path.stem for path in (ROOT / "phonxling").iterdir()}
    assert len(modules) > 15
    assert modules.isdisjoint(phonxling.__all__)  # importing such a module would hide the name


@pytest.mark.parametrize(
    ("module", "heavy"),
    [
        ("cli", HEAVY),
        ("console", HEAVY),
        ("experiment.verification", HEAVY - {"numpy"}),
        ("experiment.pipeline", HEAVY - {"numpy"}),
        ("experiment.checking", {"pandas", "matplotlib", "umap", "sklearn", "scipy.special"}),
        ("experiment.scoring", {"pandas", "matplotlib", "umap", "sklearn", "scipy.stats", "scipy.optimize"}),
    ],
)
def test_nothing_heavy_is_loaded_before_it_is_needed(module: str, heavy: set[str]) -> None:
    code = f"import sys, phonxling.{module}; print(*({heavy!r} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)  # noqa: S603 - ours
    assert done.stdout.split() == []


# Longer than the rule, and why.
LONG_FILES = {
    "phonxling/alignment/kernel.py": "one kernel, whose parts are compiled together",
    "phonxling/cli.py": "all commands with their help",
}
COMPILED = "kernel.py"  # the end of the names of compiled modules: Numba has no keyword-only arguments
SOURCES = {
    ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): path
    for path in (ROOT / "phonxling").rglob("*.py")
}


def test_folders_are_small() -> None:
    modules = Counter(path.parent for path in SOURCES.values() if path.name != "__init__.py")
    large = {str(folder.relative_to(ROOT)): number for folder, number in modules.items() if number > 16}
    assert large == {}


def test_files_are_short() -> None:
    lines = {path: len(path.read_text(encoding="utf-8").splitlines()) for path in SOURCES.values()}
    long = {str(path.relative_to(ROOT)): number for path, number in lines.items() if number > 300}
    assert long.keys() == LONG_FILES.keys(), long


def test_functions_take_at_most_five_arguments_by_position() -> None:
    greedy = {
        f"{path.relative_to(ROOT)} {node.name}"
        for path in SOURCES.values()
        for node in ast.walk(tree_of(path))
        if isinstance(node, ast.FunctionDef) and len(positional(node)) > 5
        if not path.name.endswith(COMPILED) and not is_command(node)
    }
    assert greedy == set()


def positional(function: ast.FunctionDef) -> list[str]:
    names = [argument.arg for argument in (*function.args.posonlyargs, *function.args.args)]
    return names[1:] if names[:1] in (["self"], ["cls"]) else names


def is_command(function: ast.FunctionDef) -> bool:
    """Whether it is a command, whose parameters are its arguments and options."""
    return any(ast.unparse(each) == "app.command()" for each in function.decorator_list)


def test_no_module_imports_itself_in_a_circle() -> None:
    """Imports inside functions count, too; those for types alone, under TYPE_CHECKING, do not."""
    try:
        tuple(TopologicalSorter({name: imports_of(name, path) for name, path in SOURCES.items()}).static_order())
    except CycleError as error:
        pytest.fail(" → ".join(error.args[1]))


def imports_of(name: str, path: Path) -> set[str]:
    imported: set[str] = set()
    waiting: list[ast.AST] = [tree_of(path)]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.ImportFrom) and node.module:
            imported |= {f"{node.module}.{alias.name}" for alias in node.names} | {node.module}
        elif isinstance(node, ast.Import):
            imported |= {alias.name for alias in node.names}
        if not (isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"):
            waiting += ast.iter_child_nodes(node)
    return (imported & SOURCES.keys()) - {name}


@cache
def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))

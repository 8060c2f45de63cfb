"""The tree's rules: layers, who may import what, what is installed, and a command line that starts at once."""

import ast
import re
import sys
import tomllib
from collections.abc import Iterator
from functools import cache
from graphlib import CycleError, TopologicalSorter
from importlib.metadata import PackageNotFoundError, packages_distributions, requires
from pathlib import Path

import pytest
from importlinter.application.use_cases import lint_imports
from packaging.requirements import Requirement
from running import python

import phonxling

HEAVY = {"numpy", "pandas", "numba", "matplotlib", "umap", "sklearn", "scipy"}
ROOT = Path(__file__).resolve().parent.parent
SOURCES = {
    ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): path
    for path in (ROOT / "phonxling").rglob("*.py")
}


def test_the_layers_hold() -> None:
    from importlinter.configuration import configure

    configure()
    assert lint_imports(config_filename=str(ROOT / "pyproject.toml"), no_logo=True, cache_dir=None)


def test_every_public_name_can_be_imported() -> None:
    assert {"__version__", "ConfusionMatrix", "load_corpus"} <= {*phonxling.__all__}
    for name in dir(phonxling):
        assert getattr(phonxling, name) is not None


def test_type_checkers_see_the_same_names() -> None:
    tree = ast.parse((ROOT / "phonxling/__init__.py").read_text(encoding="utf-8"))
    (seen,) = (statement.body for statement in tree.body if isinstance(statement, ast.If))
    names = {alias.name: each.module for each in seen if isinstance(each, ast.ImportFrom) for alias in each.names}
    assert names == phonxling._NAMES | dict.fromkeys(phonxling._MODULES, "phonxling")


def test_a_name_that_lives_in_a_module_is_said() -> None:
    with pytest.raises(AttributeError, match=r"^phonxling\.segment_ipa is phonxling\.symbols\.segment_ipa$"):
        _ = phonxling.segment_ipa
    with pytest.raises(AttributeError, match=r"^phonxling has no name 'brier'$"):
        _ = phonxling.brier


def test_no_public_name_is_that_of_a_module() -> None:
    modules = {path.stem for path in (ROOT / "phonxling").iterdir()}
    assert len(modules) > 15
    assert modules.isdisjoint(phonxling.__all__)  # importing such a module would hide the name


# What an adjective or participle ends in, and such as end in nothing of the kind.
ADJECTIVES = re.compile(
    r".*(ed|ing|[^t]able|ible|(near|rar|small|larg|low|high|great|long|short)est|less|ous|ful|ative|itive|ical|ential)|best|worst|worse|first|last|flat|some|two|whole|enough"
    r"|right|wrong|ready|lazy|common|distinct|canonical|frozen|written|made|held|kept|known|unknown|shown|drawn"
    r"|told|found|met|laid|gone|silent|coarser|joint|constant|harmonic|capital|equal|unequal|same|other"
)
NOUNS = {
    "Decoding": "the section `decoding` of a configuration",
    "Expected": "the section `expected` of a configuration",
    "Pairing": "the section `pairing` of a configuration",
    "Drawing": "a figure that was drawn, with its caption",
    "Reading": "what the steps of reading a corpus share",
    "Spelling": "what the labels of columns spell",
    "heading": "of the page",
    "listing": "of a folder",
    "opening": "a context in which a file is opened",
    "setting": "of a configuration",
}


def test_names_of_functions_and_classes_are_no_lone_adjectives() -> None:
    """A function is a verb with its object, a value a noun: `printable` and `Held` say neither."""
    lone = {
        f"{module}: {name}"
        for module, path in SOURCES.items()
        for name in re.findall(r"^(?:def|class) _*([^\W_]+)_*\b", path.read_text(encoding="utf-8"), re.MULTILINE)
        if ADJECTIVES.fullmatch(name.lower()) and name not in NOUNS
    }
    assert sorted(lone) == []


LATE = {"pandas", "matplotlib", "umap", "sklearn"}
LIGHT = {  # in the order in which one process imports them
    "cli": HEAVY,
    "console": HEAVY,
    "configuration.reading": HEAVY,
    "experiment.pipeline": HEAVY - {"numpy"},
    "experiment.checking": {*LATE, "scipy.special"},
    "experiment.scoring": {*LATE, "scipy.stats", "scipy.optimize"},
}


def test_nothing_heavy_is_loaded_before_it_is_needed() -> None:
    lines = (
        f"import phonxling.{name}; print({name!r}, *({heavy!r} & {{*sys.modules}}))" for name, heavy in LIGHT.items()
    )
    assert python("-c", "\n".join(["import sys", *lines]), check=True).stdout.split() == [*LIGHT]


BLOCKS = ("body", "orelse", "handlers", "finalbody", "cases")  # where statements hold statements
COMPILED = "kernel.py"  # the end of the names of compiled modules: Numba has no keyword-only arguments


def test_files_are_as_long_as_their_subject() -> None:
    texts = {name: path.read_text(encoding="utf-8").splitlines() for name, path in SOURCES.items()}
    lines = {name: sum(line.lstrip()[:1] != "#" for line in own) for name, own in texts.items()}  # reasons cost nothing
    assert {name: number for name, number in lines.items() if number > 600} == {}


@pytest.mark.slow
def test_functions_take_at_most_five_arguments_by_position() -> None:
    greedy = {
        f"{path.relative_to(ROOT)} {node.name}"
        for path in SOURCES.values()
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef) and len(positional(node)) > 5
        if not path.name.endswith(COMPILED)
        if not any(ast.unparse(each) == "app.command()" for each in node.decorator_list)  # its options are parameters
    }
    assert greedy == set()


def positional(function: ast.FunctionDef) -> list[str]:
    names = [argument.arg for argument in (*function.args.posonlyargs, *function.args.args)]
    return names[1:] if names[:1] in (["self"], ["cls"]) else names


def test_no_module_imports_itself_in_a_circle() -> None:
    """Imports inside functions count, too; those for types alone, under TYPE_CHECKING, do not."""
    try:
        imports = {name: (imported(path)[0] & SOURCES.keys()) - {name} for name, path in SOURCES.items()}
        tuple(TopologicalSorter(imports).static_order())
    except CycleError as error:
        pytest.fail(" → ".join(error.args[1]))


@cache  # of the names alone: trees of all modules are half a million objects
def imported(path: Path) -> tuple[set[str], set[str]]:
    """Return what a module imports, in functions, too, and what for types alone."""
    found: tuple[set[str], set[str]] = set(), set()
    waiting: list[tuple[ast.AST, bool]] = [(ast.parse(path.read_text(encoding="utf-8")), False)]
    while waiting:
        node, for_types = waiting.pop()
        if isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found[for_types].update({node.module}, (f"{node.module}.{alias.name}" for alias in node.names))
        elif isinstance(node, ast.Import):
            found[for_types].update(alias.name for alias in node.names)
        else:
            for_types |= isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
            waiting += [(inner, for_types) for block in BLOCKS for inner in getattr(node, block, ())]
    return found


def test_the_package_imports_the_base_installation_alone() -> None:
    """What pip installs with it, by pyproject.toml, whatever else is installed here."""
    allowed, known = installed(), packages_distributions()
    strangers = {
        f"{name} imports {top}"
        for name, path in SOURCES.items()
        if path.name != "torchmetrics.py"  # imported by its name alone
        for top in {each.partition(".")[0] for each in set.union(*imported(path))}
        if top != "phonxling" and top not in sys.stdlib_module_names
        if not allowed & {normal(each) for each in known.get(top, ())}
    }
    assert strangers == set()


def installed() -> set[str]:
    """Return the distributions that pip installs with the package, and what these ask for."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    waiting, found = [*map(Requirement, project["dependencies"])], set[str]()
    while waiting:
        requirement = waiting.pop()
        if (asked := f"{normal(requirement.name)}{sorted(requirement.extras)}") not in found:
            found |= {asked, normal(requirement.name)}
            waiting += needed(requirement)
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

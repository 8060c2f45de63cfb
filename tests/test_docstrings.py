"""The examples of docstrings give what they show."""

import doctest
import inspect
from importlib import import_module
from pathlib import Path

import pytest

import phonxling

ROOT = Path(__file__).resolve().parent.parent
MODULES = [
    ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
    for path in sorted((ROOT / "phonxling").rglob("*.py"))
    if ">>> " in path.read_text(encoding="utf-8")
]


@pytest.mark.parametrize("name", MODULES)
def test_examples_of_docstrings(name: str) -> None:
    failed, tried = doctest.testmod(import_module(name), optionflags=doctest.NORMALIZE_WHITESPACE)
    assert tried > 0
    assert failed == 0  # what differs is printed


def test_what_is_public_is_documented() -> None:
    names = {*phonxling.__all__} - {"__version__", "GAP"}
    assert [name for name in names if not inspect.getdoc(getattr(phonxling, name))] == []

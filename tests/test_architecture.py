"""The tree's rules: layers, who may import what, and a command line that starts at once."""

import inspect
import subprocess
import sys
from importlib import import_module
from pathlib import Path

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


def test_no_public_name_is_hidden_by_a_folder_of_that_name() -> None:
    for path in (ROOT / "phonxling").iterdir():
        if path.name in phonxling.__all__:
            import_module(f"phonxling.{path.stem}")  # which sets this name of the package
            assert inspect.isfunction(getattr(phonxling, path.stem))


def test_help_loads_nothing_heavy() -> None:
    code = f"import sys, phonxling.cli; raise SystemExit(len({HEAVY!r} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0  # noqa: S603 - our own program

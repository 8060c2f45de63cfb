"""The ratchet: what there is may not grow beyond limits.toml, which follows when something is taken away."""

import tomllib
from collections.abc import Iterator
from pathlib import Path

from pydantic import BaseModel
from typer.main import get_command

import phonxling
from phonxling.analyses.measures import measures
from phonxling.cli import app
from phonxling.configuration.files import section_of
from phonxling.configuration.models import Experiment
from phonxling.draw.gallery import FIGURES
from phonxling.results.tables import declared_columns, declared_tables

ROOT = Path(__file__).resolve().parent.parent
LIMITS = tomllib.loads((ROOT / "limits.toml").read_text(encoding="utf-8"))
COMMENTS = {".js": ("//", "/**", "* ", "*/"), ".css": ("/*",), ".jinja": ("{#",)}  # how one begins; "#" in Python
SLACK = {"lines": 100}  # for small changes; what is counted one by one has none


def files(*patterns: str) -> list[Path]:
    return [path for pattern in patterns for path in ROOT.glob(pattern) if "__pycache__" not in path.parts]


def count_lines(*patterns: str) -> int:
    """Return how many lines the files have, without lines that are comments alone: reasons cost nothing."""
    return sum(
        not line.strip().startswith(COMMENTS.get(path.suffix, ("#",)))
        for path in files(*patterns)
        for line in path.read_text(encoding="utf-8").splitlines()
    )


def settings_of(section: type[BaseModel], above: str = "") -> Iterator[str]:
    """Yield each setting outside the corpora by its path of keys."""
    for name, field in section.model_fields.items():
        inner = section_of(field)
        if name != "corpora":
            yield from [f"{above}{name}"] if inner is None else settings_of(inner, f"{above}{name}.")


def options_of_score() -> dict[str, None]:
    """Return the options of `score`, without -q, -v and --help, in their order."""
    command = get_command(app).commands["score"]  # type: ignore[attr-defined]
    options = [one for one in command.params if one.param_type_name == "option"]
    return {max(one.opts, key=len): None for one in options if one.name not in {"help", "quiet", "verbose"}}


def counted() -> dict[str, dict[str, int]]:
    return {
        "lines": {
            "package": count_lines("phonxling/**/*.py"),
            "tests": count_lines("tests/**/*.py"),
            "scripts": count_lines("scripts/**/*.py", "scripts/**/*.sh"),
            "page": count_lines(*(f"phonxling/report/assets/**/*.{ending}" for ending in ("js", "css", "jinja"))),
        },
        "counts": {
            "modules": len(files("phonxling/**/*.py")),
            "tables": len({table.name for table in declared_tables()}),
            "columns": len(declared_columns()),
            "measures": len({one.name for one in measures()}),
            "settings": len([*settings_of(Experiment)]),
            "options of score": len(options_of_score()),
            "figures": len({figure.name for figure in FIGURES}),
            "public names": len({*dir(phonxling)} - {"__version__"}),
        },
    }


def test_nothing_has_grown_and_the_limits_follow_what_was_taken_away() -> None:
    """Raising a limit needs an addition that was asked for, and a sentence in the commit."""
    wrong = {
        f"{kind}.{name}": f"{number:,}, and the limit is {LIMITS[kind][name]:,}"
        for kind, numbers in counted().items()
        for name, number in numbers.items()
        if not 0 <= LIMITS[kind][name] - number <= SLACK.get(kind, 0)
    }
    assert wrong == {}, "lower the limits in limits.toml, or take something away"
    assert {kind: {*names} for kind, names in counted().items()} == {kind: {*names} for kind, names in LIMITS.items()}

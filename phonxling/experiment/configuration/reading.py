"""The configuration of an experiment: YAML files and overrides → one frozen value, or every error at once.

Examples
--------
An experiment with two corpora needs no more than this::

    corpora:
      english: {role: reference, gold: english/gold.tsv, predicted: english/predicted.tsv}
      yoruba: {gold: yoruba/gold.tsv, predicted: yoruba/predicted.tsv}
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import reduce
from pathlib import Path
from typing import Any, Final

from pydantic import ValidationError

from phonxling.core.errors import ConfigurationError, join_problems
from phonxling.experiment.configuration.layers import merge, override, read_layers, settle
from phonxling.experiment.configuration.messages import document_problems, model_problems
from phonxling.experiment.configuration.schema import json_schema
from phonxling.settings.models import Experiment
from phonxling.settings.positions import Document, KeyPath, Position, Problem

MOST_SHOWN: Final = 100  # problems in one message; the rest are counted

__all__ = ["Experiment", "experiment_of", "json_schema", "load_configuration", "resolved", "restored"]


def load_configuration(path: Path, overrides: Sequence[str] = ()) -> Experiment:
    """Return the experiment that a file configures, with the files that it extends and overrides `key.path=value`.

    Paths are absolute: relative ones count from the folder of the file that holds them, an override's from the current
    folder. Whether the data are there is the loaders' matter; tables of symbols must be.

    Raises
    ------
    ConfigurationError
        A file cannot be read or is no YAML, extends a file that is not there, or itself.
        An override is not of the form `key.path=value`.
        Keys are unknown or missing, values wrong: every problem on a line, `file:line:column: key: what is wrong`.
    """
    layers = read_layers(path)
    document = reduce(override, overrides, reduce(merge, reversed(layers)))
    found = list(document_problems(document))
    try:
        experiment = Experiment.model_validate(_named(document, path))
    except ValidationError as error:
        found += model_problems(error, document)
    if found:
        raise ConfigurationError(_report(found, layers)) from None
    return _with_origin(experiment, path, document)


def experiment_of(settings: Mapping[str, Any], source: str) -> Experiment:
    """Return the experiment that settings in memory describe; `source` names them in messages.

    Raises
    ------
    ConfigurationError
        Keys are unknown or missing, values wrong: every problem on a line.
    """
    place: dict[KeyPath, Position] = {(): Position(source)}
    document = Document(dict(settings), place, place)
    found = list(document_problems(document))
    try:
        experiment = Experiment.model_validate(settings)
    except ValidationError as error:
        found += model_problems(error, document)
    if found:
        raise ConfigurationError(
            join_problems("wrong usage:", map(str, dict.fromkeys(found)), limit=MOST_SHOWN)
        ) from None
    return experiment


def restored(configuration: Mapping[str, Any], folder: Path) -> Experiment:
    """Return the experiment whose `resolved` configuration this is, its files looked for from `folder`.

    Raises
    ------
    ConfigurationError
        The configuration is of another version, or was changed: every problem on a line.
    """
    place: dict[KeyPath, Position] = {(): Position("the stored configuration")}
    document = settle(Document(dict(configuration), place, place), folder.resolve())
    try:
        experiment = Experiment.model_validate(document.data)
    except ValidationError as error:
        found = map(str, dict.fromkeys(model_problems(error, document)))
        raise ConfigurationError(join_problems("wrong configuration:", found, limit=MOST_SHOWN)) from None
    experiment._folder = folder.resolve()
    return experiment


def resolved(experiment: Experiment) -> dict[str, Any]:
    """Return the whole configuration, defaults included, as plain JSON data in a fixed order.

    Paths are relative to the folder of the configuration, so that equal experiments on two machines are equal here;
    addresses are as they were written. The jobs of a cluster are left out: they change no number.
    """
    context = {"folder": experiment.folder, "copies": experiment.copies}
    return experiment.model_dump(mode="json", context=context, exclude={"cluster"})


def _named(document: Document, path: Path) -> dict[str, Any]:
    data = document.data if isinstance(document.data, dict) else {}
    return {"name": path.stem, **data}


def _report(problems: Iterable[Problem], layers: Sequence[Document]) -> str:
    """Return every problem once, in the order of the files and of the lines in them; overrides last."""
    sources = [layer.values_at[()].source for layer in layers]
    ordered = sorted(
        dict.fromkeys(problems),
        key=lambda problem: (
            sources.index(problem.position.source) if problem.position.source in sources else len(sources),
            problem.position.line,
            problem.position.column,
        ),
    )
    count = f"{len(ordered)} problem{'s' if len(ordered) > 1 else ''}"
    return join_problems(f"{count} in the configuration:", map(str, ordered), limit=MOST_SHOWN)


def _with_origin(experiment: Experiment, path: Path, document: Document) -> Experiment:
    """Return the experiment, just made and seen by nobody, with the folder and positions it came from."""
    experiment._folder = path.parent.resolve()
    experiment._positions = {".".join(place): str(position) for place, position in document.values_at.items()}
    return experiment

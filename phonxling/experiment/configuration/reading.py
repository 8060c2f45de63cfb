"""The configuration of an experiment: YAML files and overrides → one frozen value, or every error at once.

Examples
--------
An experiment with two corpora needs no more than this::

    corpora:
      english: {role: reference, gold: english/gold.tsv, predicted: english/predicted.tsv}
      yoruba: {gold: yoruba/gold.tsv, predicted: yoruba/predicted.tsv}
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial, reduce
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from pydantic import ValidationError

from phonxling.core.errors import ConfigurationError, join_problems
from phonxling.experiment.configuration.documents import Document, KeyPath, Position, Problem
from phonxling.experiment.configuration.layers import merge, override, read_layers, settle
from phonxling.experiment.configuration.messages import document_problems, missing_tables, model_problems
from phonxling.experiment.configuration.schema import json_schema
from phonxling.settings.models import Experiment

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
    named = replace(document, data={"name": path.stem, **(document.data if isinstance(document.data, dict) else {})})
    experiment = _validated(named, "in the configuration:", [layer.values_at[()].source for layer in layers])
    experiment._folder = path.parent.resolve()
    experiment._positions = {".".join(place): str(position) for place, position in document.values_at.items()}
    return experiment


def experiment_of(
    settings: Mapping[str, Any],
    source: str,
    *,
    folder: Path | None = None,
    overrides: Sequence[str] = (),
    options: Mapping[KeyPath, str] = MappingProxyType({}),
) -> Experiment:
    """Return the experiment that settings in memory describe; `source` names them in messages.

    `options` are those of the command line that settings come from, such as `--costs`, which messages name instead.

    With a folder, paths in them count from it, and a file may stand in for its mapping, as in a configuration file.

    Raises
    ------
    ConfigurationError
        Keys are unknown or missing, values wrong: every problem on a line.
        An override is not of the form `key.path=value`.
    """
    document = _document(settings, source, options)
    if folder is None:
        experiment = _validated(document, "wrong usage:")
        experiment._positions = {".".join(place): str(option) for place, option in document.values_at.items() if place}
        return experiment
    experiment = _validated(reduce(override, overrides, settle(document, folder.resolve())), "in the configuration:")
    experiment._folder = folder.resolve()
    return experiment


def restored(configuration: Mapping[str, Any], folder: Path) -> Experiment:
    """Return the experiment whose `resolved` configuration this is, its files looked for from `folder`.

    Raises
    ------
    ConfigurationError
        The configuration is of another version, or was changed: every problem on a line.
    """
    document = settle(_document(configuration, "the stored configuration"), folder.resolve())
    experiment = _validated(document, "wrong configuration:", tables=False)
    experiment._folder = folder.resolve()
    return experiment


def resolved(experiment: Experiment) -> dict[str, Any]:
    """Return the whole configuration, defaults included, as plain JSON data in a fixed order.

    Paths are relative to the folder of the configuration, so that equal experiments on two machines are equal here;
    addresses are as they were written. The jobs of a cluster are left out: they change no number.
    """
    context = {"folder": experiment.folder, "copies": experiment.copies}
    return experiment.model_dump(mode="json", context=context, exclude={"cluster"})


def _document(
    settings: Mapping[str, Any], source: str, options: Mapping[KeyPath, str] = MappingProxyType({})
) -> Document:
    """Return settings in memory as a document; messages name its source, or the options."""
    places = {path: Position(named) for path, named in {(): source, **options}.items()}
    return Document(dict(settings), places, places)


def _validated(document: Document, headline: str, sources: Sequence[str] = (), *, tables: bool = True) -> Experiment:
    """Return the experiment, just made and seen by nobody; ConfigurationError with every problem.

    `sources` are the files, whose problems are counted and shown in their order; `tables` that are not there are one.
    """
    problems = [*document_problems(document), *(missing_tables(document) if tables else ())]
    try:
        experiment = Experiment.model_validate(document.data)
    except ValidationError as error:
        problems += model_problems(error, document)
    if not problems:
        return experiment
    problems = sorted(dict.fromkeys(problems), key=partial(_order, sources=sources))
    count = f"{len(problems)} problem{'s' if len(problems) > 1 else ''} " if sources else ""
    raise ConfigurationError(join_problems(f"{count}{headline}", map(str, problems), limit=MOST_SHOWN)) from None


def _order(problem: Problem, sources: Sequence[str]) -> tuple[int, int, int]:
    """Return the place of a problem by the order of the files and of the lines in them; overrides are last."""
    position = problem.position
    file = sources.index(position.source) if position.source in sources else len(sources)
    return file, position.line, position.column

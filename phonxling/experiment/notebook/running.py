"""A whole experiment from Python: what the command `run` does."""

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from phonxling.core.errors import ConfigurationError
from phonxling.core.progress import Silent
from phonxling.core.work import Threads
from phonxling.experiment.configuration.reading import experiment_of, load_configuration
from phonxling.experiment.notebook.results import Results, load_results
from phonxling.experiment.pipeline import run as run_experiment
from phonxling.settings.models import Experiment

Config = str | Path | Mapping[str, Any]
_NAME = "experiment"


class _Messages(Silent):
    """Hears everything, and hands on what a user should know."""

    def __init__(self, tell: Callable[[str], object]) -> None:
        self._tell = tell

    def say(self, *messages: object) -> None:
        """Hand a message on."""
        self._tell("; ".join(map(str, messages)))


def run(
    config: Config,
    output: str | Path | None = None,
    *,
    settings: Sequence[str] = (),
    workers: int | None = None,
    fresh: bool = False,
    messages: Callable[[str], object] = print,
) -> Results:
    """Run a whole experiment, as `phonxling run` does, and return its results: the same files, bit for bit.

    What an earlier run of the same experiment finished in that folder is not computed again.

    Parameters
    ----------
    config : path or mapping
        A configuration file, or what would stand in one; paths in a mapping count from the current folder.
    output : path, optional
        Folder of the results; `results/<name>` by default, the name being that of the configuration, or `experiment`.
    settings : list of str
        Overrides such as "alignment.costs=unit".
    workers : int, optional
        Threads that compute; by default as many as there are processors. They change no number.
    fresh : bool
        Whether all is computed and drawn anew, whatever an earlier run has finished.
    messages : callable
        What is done with each message of what a user should know; printed by default.

    Raises
    ------
    ConfigurationError
        If settings are unknown or wrong: all are listed.
        If the folder holds something else than results.
    DataError
        If the data cannot be analysed, or another run has the folder.

    Examples
    --------
    >>> run({"corpora": {"yoruba": {"gold": "gold.tsv"}}})
    Traceback (most recent call last):
    phonxling.core.errors.ConfigurationError: in the configuration:
      px.run: corpora.yoruba: needs at least one of predicted and posteriors
    """
    experiment = _experiment(config, settings)
    folder = Path(output) if output is not None else Path("results") / experiment.name
    work = Threads(workers or os.cpu_count() or 1)
    run_experiment(experiment, folder, work, _Messages(messages), fresh=fresh, drawers=1)
    return load_results(folder)


def _experiment(config: Config, settings: Sequence[str]) -> Experiment:
    if isinstance(settings, str):
        raise ConfigurationError(f"settings are a list of texts, such as [{settings!r}], not one text")
    if isinstance(config, Mapping):
        plain = {"name": _NAME, **_plain(config)}
        return experiment_of(plain, "px.run", folder=Path.cwd(), overrides=settings)
    if not isinstance(config, str | Path):
        raise ConfigurationError(f"a configuration is the path of a file, or a mapping, not {type(config).__name__}")
    return load_configuration(Path(config), settings)


def _plain(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return settings as a file would have them: paths as text, mappings and sequences as YAML has them."""
    return {str(name): _value(value) for name, value in settings.items()}


def _value(value: Any) -> Any:  # noqa: ANN401 - what a configuration may hold
    if isinstance(value, Mapping):
        return _plain(value)
    if isinstance(value, list | tuple):
        return [_value(part) for part in value]
    return str(value) if isinstance(value, Path) else value

"""The feature table of an experiment: panphon's, or the user's."""

from dataclasses import replace
from functools import lru_cache
from pathlib import Path

from phonxling.core.errors import ConfigurationError
from phonxling.core.phonology.features import FeatureTable
from phonxling.load.remote.urls import local
from phonxling.load.resources.features import panphon_features
from phonxling.load.resources.user_features import Base, load_features
from phonxling.load.unreadable import is_file
from phonxling.settings.models import Experiment


def features_of(experiment: Experiment) -> FeatureTable:
    """Return the feature table that an experiment's costs and rules of symbols rest on.

    Raises
    ------
    ConfigurationError
        If there is no table: `base: none` without a path.
    DataError
        If the table cannot be read; see `load_features`.
    """
    chosen = experiment.features
    if chosen.path is None:
        if chosen.base == "none":
            raise ConfigurationError("features: base none leaves no feature table; give its path")
        return panphon_features()
    path = local(chosen.path)
    state = path.stat() if is_file(path) else None
    return _loaded(path, chosen.base, None if state is None else (state.st_mtime_ns, state.st_size))


def features_for(experiment: Experiment, *, raw: bool) -> FeatureTable:
    """Return the feature table for a corpus' symbols; raw ones have no features, even where they look like IPA."""
    table = features_of(experiment)
    return replace(table, segments=(), values=table.values[:0]) if raw else table


@lru_cache(maxsize=4)
def _loaded(path: Path, base: Base, _: tuple[int, int] | None) -> FeatureTable:
    return load_features(path, base)

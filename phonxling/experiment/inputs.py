"""The files that an experiment reads, by their names in the manifest."""

from collections.abc import Iterable

from phonxling.core.errors import DataError, join_problems
from phonxling.experiment.manifest import input_files, relative
from phonxling.settings.models import Experiment
from phonxling.store.inputs import Inputs

_SHOWN = 10


def read_inputs(experiment: Experiment) -> tuple[Inputs, dict[str, str]]:
    """Return what an experiment reads, and the sha256 of each file by its name in the manifest.

    DataError when a file is not there or cannot be read.
    """
    paths = input_files(experiment)
    inputs = Inputs(paths)
    return inputs, {relative(path, experiment): inputs.digest(path) for path in paths}


def check_inputs(experiment: Experiment, inputs: Inputs, names: Iterable[str]) -> None:
    """Raise DataError when a file's content changed since `read_inputs`, or a folder or pattern holds other files."""
    inputs.check()
    before, now = set(names), {relative(path, experiment) for path in input_files(experiment)}
    if before != now:
        odd = [f"{name}: {'is new' if name in now else 'is gone'}" for name in sorted(before ^ now)]
        remedy = "Nothing was written. Wait until all are there, then run again."
        raise DataError(join_problems("inputs came or went while they were read:", odd, remedy, limit=_SHOWN))

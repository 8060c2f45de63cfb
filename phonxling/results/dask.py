"""Tasks on the workers of a Dask scheduler, by its address: the same results as threads give, bit for bit.

Whoever has SLURM starts the scheduler and its workers as jobs: docs/scale.md shows how. Dask itself gives the tasks of
a worker that died to another one.
"""

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from importlib.metadata import version
from typing import Any, Self

from phonxling.core.errors import ConfigurationError, DataError, OtherFileError, install_command
from phonxling.core.files import source_digest
from phonxling.core.work import Common, Record, Task, one_thread_from_now_on
from phonxling.version import __version__

_AHEAD = 3  # tasks a thread that may be done, or under way, before they are asked for
_TRIES = 3  # how often a task may be lost with its worker
_PATIENCE = 30  # seconds for a scheduler and its first worker to answer
_LIBRARIES = ("numpy", "numba", "scipy")  # on which numbers may rest to the last bit
_AGAIN = "what is finished is kept: run again to go on"


class DaskWork:
    """The workers of a Dask scheduler; a context manager.

    Parameters
    ----------
    address : str
        What `dask scheduler` prints as “Scheduler at”, such as tcp://host:8786.

    ConfigurationError when no scheduler with workers answers there, or workers have other versions than this machine.
    """

    def __init__(self, address: str) -> None:
        try:
            library: Any = import_module("distributed")  # an extra
        except ImportError:
            raise ConfigurationError(f"a Dask scheduler needs the extra: {install_command('distributed')}") from None
        self._address = address
        try:
            # Not the default client: a notebook that has one of its own keeps it.
            self._client = library.Client(address, timeout=_PATIENCE, set_as_default=False)
            self._client.wait_for_workers(1, timeout=_PATIENCE)
        except (OSError, TimeoutError, ValueError) as error:
            raise ConfigurationError(f"{address}: no Dask scheduler with workers answers there: {error}") from None
        here = _versions()
        if others := {worker: has for worker, has in self._client.run(_versions).items() if has != here}:
            worker, has = next(iter(others.items()))
            odd = ", ".join(f"{name} {has.get(name)}, here {own}" for name, own in here.items() if has.get(name) != own)
            self._client.close()
            raise ConfigurationError(
                f"{address}: {len(others)} workers have other versions, and might give other numbers: {worker}: {odd}"
            )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._client.close()

    @property
    def workers(self) -> int:
        """Threads of the workers that are there now."""
        return max(1, int(sum(self._client.nthreads().values())))

    def map(
        self, function: Callable[[Common, Task], Record], common: Common, tasks: Sequence[Task]
    ) -> Iterator[Record]:
        """Yield function(common, task) of each task, in their order; DataError for what is lost again and again."""
        library = import_module("distributed")
        # A task of its own, so that Dask makes it again where the worker that has it dies.
        shared = self._client.submit(_return, common, pure=False, retries=_TRIES)
        waiting: deque[Any] = deque()
        try:
            for task in tasks:
                if len(waiting) >= _AHEAD * self.workers:
                    yield waiting.popleft().result()
                # pure=False: Dask would else hash what may be large, and give an earlier result for the same arguments.
                waiting.append(self._client.submit(_call, function, shared, task, pure=False))
            while waiting:
                yield waiting.popleft().result()
        except library.KilledWorker as error:
            fault = f"{self._address}: workers died of the same task, perhaps for want of memory: {error}"
            raise DataError(f"{fault}; {_AGAIN}") from None
        except (library.CancelledError, OSError) as error:
            raise DataError(f"{self._address}: the scheduler is gone ({error}); {_AGAIN}") from None
        finally:
            # After an error, workers should not go on with tasks that nobody waits for.
            self._client.cancel([*waiting], force=True)


def _return(common: object) -> object:
    return common


def _call(function: Callable[[Common, Task], Record], common: Common, task: Task) -> Record:
    one_thread_from_now_on()  # so that matrix products sum in the same order on every machine
    try:
        return function(common, task)
    except (OtherFileError, OSError) as error:  # an OSError here would look like a lost connection there
        fault = f"{error}\nAll machines must see the same files, with the same times, at the same paths"
        raise DataError(fault) from None


def _versions() -> dict[str, str]:
    own = {"phonxling": __version__, "its source": source_digest()[:12]}
    return own | {name: version(name) for name in _LIBRARIES}

"""How much is measured."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from benchmarks.rows import Row


@dataclass(frozen=True)
class Settings:
    """The size of the workloads and the number of rounds.

    Parameters
    ----------
    quick : bool
        Smaller workloads, fewer rounds.
    scale : float
        A factor on every workload.
    repeats : int
        Rounds; each runs ours and every peer once.
    folder : Path
        Where files for the measurement may be written.
    gigabytes : float
        Size of the file of the section `stream`.
    before : Path, optional
        An older checkout, which the section `run` measures too.
    experiments : tuple of Path
        Configurations that the section `run` measures besides its own.
    """

    quick: bool
    scale: float
    repeats: int
    folder: Path
    gigabytes: float = 0.0
    before: Path | None = None
    experiments: tuple[Path, ...] = ()

    def size(self, full: int, quick: int) -> int:
        """Return how many items of a workload to make."""
        return max(2, round(self.scale * (quick if self.quick else full)))

    @property
    def whole(self) -> bool:
        """Whether the workloads are those that the goals in seconds and megabytes are for."""
        return not self.quick and self.scale == 1


Section = Callable[[Settings], Iterator[Row]]

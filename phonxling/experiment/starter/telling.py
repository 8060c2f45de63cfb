"""What a person is told of a starter configuration, in the terminal."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from phonxling.experiment.starter.inputs.posteriors import described
from phonxling.experiment.starter.inputs.sides import Inputs

_SHOWN = 6  # corpora, decisions, lines of a problem, notes


@dataclass(frozen=True, slots=True)
class Starter:
    """A configuration that was written.

    Parameters
    ----------
    path : Path
        The file.
    corpora : tuple of str
        The names of its corpora.
    decisions : tuple of str
        What a person must decide, each after its corpus' name.
    notes : tuple of str
        What was not looked at.
    problem : str, optional
        What `phonxling check` says against it, "" nothing; None when the data are too large to be checked at once.
    checked : tuple of str
        What `phonxling check` says of each corpus, where it has nothing against it.
    unfinished : bool
        Whether a corpus has nothing yet to compare with gold, which is the problem then.
    """

    path: Path
    corpora: tuple[str, ...]
    decisions: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    problem: str | None = ""
    checked: tuple[str, ...] = ()
    unfinished: bool = False

    def lines(self) -> Iterator[str]:
        """Yield what a person is told."""
        number = f"{len(self.corpora)} corpora" if len(self.corpora) > 1 else "1 corpus"
        yield f"wrote {self.path}: {number} ({_some(self.corpora)}); {self._outcome()}"
        yield from (f"  {line}" for line in self.checked)
        if self.decisions:
            yield "to decide, at the places marked in the file:"
            yield from (f"  {text}" for text in _first(self.decisions, "decisions"))
        if self.problem and not self.unfinished:
            yield from (f"  {line}" for line in _first(self.problem.splitlines(), "lines"))
        yield from (f"note: {text}" for text in _first(self.notes, "notes"))
        yield f"next: phonxling {'check' if self.problem != '' else 'run'} {self.path}"

    def _outcome(self) -> str:
        if self.problem is None:
            return "the data are large, and were not checked"
        if not self.problem:
            return "phonxling check finds no problems"
        return "phonxling check refuses it" + (" until something is decided" if self.decisions else ":")


def notes_of(inputs: Inputs) -> Iterator[str]:
    """Yield what was met, but not read."""
    if inputs.unread:
        path, why = next(iter(inputs.unread.items()))
        more = len(inputs.unread) - 1
        yield f"not read as phones: {path.as_posix()}{f' and {more} more' if more else ''} ({why})"
    yield from inputs.notes


def without_gold(folder: Path, inputs: Inputs, notes: Sequence[str]) -> str:
    """Return what to say of a folder in which nothing is gold."""
    heard = [described(each, folder) for each in inputs.arrays[:1]]
    heard += [f"predictions ({side.path.relative_to(folder).as_posix()})" for side in inputs.sides[:1]]
    what = f"{' and '.join(heard)}, but " if heard else ""
    remedy = "add a table gold.tsv with the columns utterance and phones, and with the same ids"
    found = f"{folder}: holds {what}no gold phones, which say what was spoken: {remedy}"
    return "\n".join([found, *(f"  {note}" for note in notes[:_SHOWN])])


def _some(names: Sequence[str]) -> str:
    return ", ".join(names[:_SHOWN]) + (" …" if len(names) > _SHOWN else "")


def _first(lines: Sequence[str], what: str) -> Iterator[str]:
    yield from lines[:_SHOWN]
    if len(lines) > _SHOWN:
        yield f"… and {len(lines) - _SHOWN} more {what}"

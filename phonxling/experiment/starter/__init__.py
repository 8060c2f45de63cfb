"""A starter configuration: what lies in a folder, taken for what its contents say that it is, with comments."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import ceil
from pathlib import Path

from phonxling.core.errors import ConfigurationError, DataError
from phonxling.core.files import write_bytes
from phonxling.experiment.starter.grouping import Grouped, corpora_of
from phonxling.experiment.starter.inputs.meeting import met
from phonxling.experiment.starter.inputs.posteriors import described
from phonxling.experiment.starter.inputs.sides import Inputs
from phonxling.experiment.starter.inputs.walking import listing
from phonxling.experiment.starter.naming import corpus_names, experiment_name
from phonxling.experiment.starter.settled import Settled, is_english, settled
from phonxling.experiment.starter.trial import problem
from phonxling.experiment.starter.writing import NAME, text_of

__all__ = ["NAME", "Starter", "write_starter"]


_SHOWN = 6  # corpora, lines of a problem, notes
_OUTCOME = {
    "fine": "phonxling check finds no problems",
    "large": "the data are large, so they were not checked",
    "undecided": "phonxling check accepts it once this is decided",
    "refused": "phonxling check says:",
}


@dataclass(frozen=True, slots=True)
class Starter:
    """A configuration that was written: its corpora, what a person must decide, and what was not looked at."""

    path: Path
    corpora: tuple[str, ...]
    decisions: tuple[str, ...]
    notes: tuple[str, ...]
    problem: str | None

    def lines(self) -> Iterator[str]:
        """Yield what a person should be told."""
        number = f"{len(self.corpora)} corpora" if len(self.corpora) > 1 else "1 corpus"
        yield f"wrote {self.path}: {number} ({_some(self.corpora)}); {_OUTCOME[self._outcome]}"
        if self.decisions:
            yield "to decide, at the places marked in the file:"
            yield from (f"  {text}" for text in self.decisions)
        if self._outcome == "refused":
            yield from (f"  {line}" for line in str(self.problem).splitlines()[:_SHOWN])
        yield from (f"note: {text}" for text in self.notes[:_SHOWN])
        yield f"next: phonxling {'run' if self._outcome == 'fine' else 'check'} {self.path}"

    @property
    def _outcome(self) -> str:
        if self.problem is None:
            return "large"
        return "fine" if not self.problem else "refused" if not self.decisions else "undecided"


def write_starter(folder: Path) -> Starter:
    """Write `experiment.yaml` for the files found in a folder and the folders in it.

    Raises
    ------
    ConfigurationError
        If it is there already, or the folder is none.
    DataError
        If nothing in the folder can be gold phones; the message says what was met instead.
    """
    if not folder.is_dir():
        raise ConfigurationError(f"{folder}: there is no such folder")
    if (folder / NAME).exists():
        raise ConfigurationError(f"{folder / NAME}: is there already; remove it, or write another by hand")
    files = listing(folder)
    inputs = met(folder, files)
    corpora = corpora_of(inputs)
    notes = (*inputs.notes, *files.notes())
    if not corpora:
        raise DataError(_nothing(folder, inputs, notes))
    by_name = dict(zip(corpus_names(corpora, folder), corpora, strict=True))
    configured = _configured(by_name, folder, inputs)
    text = text_of(experiment_name(folder), configured, _allowed(corpora))
    write_bytes(folder / NAME, text.encode())
    decisions = tuple(f"{name}: {text}" for name, one in configured.items() for text in one.decisions)
    return Starter(folder / NAME, tuple(by_name), decisions, notes, problem(folder / NAME))


def _some(names: Sequence[str]) -> str:
    return ", ".join(names[:_SHOWN]) + (" …" if len(names) > _SHOWN else "")


def _configured(corpora: Mapping[str, Grouped], folder: Path, inputs: Inputs) -> dict[str, Settled]:
    lines = {name: settled(corpus, folder, inputs.maps) for name, corpus in corpora.items()}
    english = [name for name, each in lines.items() if is_english(name, each)] if len(lines) > 1 else []
    return {name: Settled("reference" if english[:1] == [name] else "target", each) for name, each in lines.items()}


def _allowed(corpora: Sequence[Grouped]) -> float | None:
    """Return the share of utterances that lack posteriors, rounded up; None when none do."""
    return max(filter(None, map(_lacking, corpora)), default=None)


def _lacking(corpus: Grouped) -> float:
    if corpus.posteriors is None or "posteriors" in corpus.decisions or "pairing" in corpus.decisions:
        return 0.0
    gold, heard = corpus.gold.ids.keys(), corpus.posteriors.ids
    return ceil(100 * len(gold ^ heard) / len(gold | heard)) / 100


def _nothing(folder: Path, inputs: Inputs, notes: Sequence[str]) -> str:
    """Return what to say of a folder without gold phones."""
    met_instead = [described(each, folder) for each in inputs.arrays[:1]]
    met_instead += [f"predictions ({side.path.relative_to(folder)})" for side in inputs.sides[:1]]
    what = f"{' and '.join(met_instead)}, but " if met_instead else ""
    remedy = "add a table gold.tsv with the columns utterance and phones, and with the same ids"
    return "; ".join([f"{folder}: holds {what}no gold phones, which say what was spoken: {remedy}", *notes[:3]])

"""A starter configuration: what lies in a folder, taken for what its contents say that it is, with comments."""

from collections.abc import Mapping, Sequence
from math import ceil
from pathlib import Path

from phonxling.core.errors import ConfigurationError, DataError
from phonxling.core.files import write_bytes
from phonxling.experiment.starter.grouping import Grouped, corpora_of
from phonxling.experiment.starter.inputs.meeting import met
from phonxling.experiment.starter.inputs.sides import Inputs
from phonxling.experiment.starter.inputs.walking import listing
from phonxling.experiment.starter.naming import corpus_names, experiment_name
from phonxling.experiment.starter.settled import Settled, inventory_of, is_english, settled
from phonxling.experiment.starter.telling import Starter, notes_of, without_gold
from phonxling.experiment.starter.trial import tried
from phonxling.experiment.starter.writing import NAME, text_of

__all__ = ["NAME", "Starter", "write_starter"]


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
    notes = (*notes_of(inputs), *files.notes())
    if not corpora:
        raise DataError(without_gold(folder, inputs, notes))
    by_name = dict(zip(corpus_names(corpora, folder), corpora, strict=True))
    configured = _configured(by_name, folder, inputs)
    name, allowed = experiment_name(folder), _allowed(corpora)
    write_bytes(folder / NAME, text_of(name, configured, allowed).encode())
    decisions = tuple(f"{name}: {text}" for name, one in configured.items() for text in one.decisions)
    trial = tried(folder / NAME)
    if trial.patterns:
        suggested = {corpus: one.suggesting(trial.patterns.get(corpus)) for corpus, one in configured.items()}
        write_bytes(folder / NAME, text_of(name, suggested, allowed).encode())
    unfinished = not all(corpus.usable for corpus in corpora)
    return Starter(folder / NAME, tuple(by_name), decisions, notes, trial.problem, trial.lines, unfinished)


def _configured(corpora: Mapping[str, Grouped], folder: Path, inputs: Inputs) -> dict[str, Settled]:
    lines = {name: settled(corpus, folder, inputs.maps) for name, corpus in corpora.items()}
    english = [name for name, each in lines.items() if is_english(name, each)] if len(lines) > 1 else []
    return {
        name: Settled("reference" if english[:1] == [name] else "target", each, inventory_of(corpora[name], each))
        for name, each in lines.items()
    }


def _allowed(corpora: Sequence[Grouped]) -> float | None:
    """Return the share of utterances that lack posteriors, rounded up; None when none do."""
    return max(filter(None, map(_lacking, corpora)), default=None)


def _lacking(corpus: Grouped) -> float:
    undecided = {"posteriors", "pairing"} & corpus.decisions.keys()
    if corpus.posteriors is None or undecided or not corpus.gold.whole:
        return 0.0
    gold, heard = corpus.gold.ids.keys(), corpus.posteriors.ids
    return ceil(100 * len(gold ^ heard) / len(gold | heard)) / 100

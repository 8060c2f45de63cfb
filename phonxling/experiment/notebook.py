"""An experiment from Python: `run`, `score` and `check` do what the commands of that name do, also in memory."""

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from os import PathLike
from pathlib import Path
from typing import Any

from phonxling.configuration.files import Corpus as CorpusSettings
from phonxling.configuration.models import Experiment
from phonxling.configuration.reading import IN_MEMORY, experiment_of, load_configuration
from phonxling.core.errors import ConfigurationError, Note, PhonxlingError
from phonxling.core.posteriorgram import Posteriorgrams
from phonxling.core.sequences import Transcript
from phonxling.core.work import SilentProgress, Threads
from phonxling.experiment.checking import all_notes
from phonxling.experiment.corpora import InMemoryData, of_each
from phonxling.experiment.pipeline import run as run_experiment
from phonxling.experiment.results import Results, load_results
from phonxling.experiment.scoring import Score, score_files
from phonxling.experiment.single import SIDES, Columns, Symbols, are_joined, for_both_sides, titles_of, two_sides
from phonxling.load import in_memory
from phonxling.load.posteriors import posteriors_in_memory

Config = str | Path | Mapping[str, Any]


class _Messages(SilentProgress):
    """Hears everything, and hands on what a user should know."""

    def __init__(self, report: Callable[[str], object]) -> None:
        self._report = report

    def say(self, *messages: object) -> None:
        self._report("; ".join(map(str, messages)))


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

    ConfigurationError lists all settings that are wrong, or says that the folder holds something else than results;
    DataError: the data cannot be analysed, or another run has the folder.
    """
    experiment = _experiment(config, settings)
    folder = Path(output) if output is not None else Path("results") / experiment.name
    work = Threads(os.cpu_count() or 1 if workers is None else workers)
    run_experiment(experiment, folder, work, _Messages(messages), fresh=fresh)
    return load_results(folder)


def _experiment(config: Any, settings: Sequence[str], source: str = "px.run") -> Experiment:  # noqa: ANN401 - checked
    if isinstance(config, Mapping):
        named, held = _with_held(config)
        plain = {"name": "experiment", **_as_plain(named)}
        return experiment_of(plain, source, folder=Path.cwd(), overrides=settings, held=held)
    if not isinstance(config, str | Path):
        raise ConfigurationError(f"a configuration is the path of a file, or a mapping, not {type(config).__name__}")
    return load_configuration(Path(config), settings)


def _as_plain(value: Any) -> Any:  # noqa: ANN401 - what a configuration may hold
    if isinstance(value, Mapping):
        return {str(name): _as_plain(part) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [_as_plain(part) for part in value]
    return str(value) if isinstance(value, Path) else value


def _with_held(config: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, InMemoryData]]:
    """Return settings in which data in memory have a name instead of a path, and these data by corpus."""
    corpora = config.get("corpora")
    if not isinstance(corpora, Mapping):
        return dict(config), {}
    # Settings are hashed and stored, so data in memory stand in them by a name, with a hash of their own.
    named: dict[str, Any] = {}
    given: dict[str, dict[str, tuple[Any, dict[str, Any]]]] = {}
    for name, corpus in corpora.items():
        parts = corpus.items() if isinstance(corpus, Mapping) else ()
        own = {side: _data_of(value, side) for side, value in parts if side in CorpusSettings.FILES}
        given[str(name)] = {side: one for side, one in own.items() if one is not None}
        known = given[str(name)].items()
        paths = {side: {**about, "path": f"corpora.{name}.{side}{IN_MEMORY}"} for side, (_, about) in known}
        named[str(name)] = {**corpus, **paths} if paths else corpus
    held: dict[str, InMemoryData] = {}
    for name, one in of_each(given, _read_in_memory).items():
        digests = {f"corpora.{name}.{side}{IN_MEMORY}": each for side, each in one.digests.items()}
        held |= {name: replace(one, digests=digests)} if digests else {}
    return {**config, "corpora": named}, held


def _data_of(value: Any, side: str) -> tuple[Any, dict[str, Any]] | None:  # noqa: ANN401 - anything can be given
    """Return data that are in memory, and the settings beside them; None for files."""
    if value is None or isinstance(value, str | PathLike | float | int):
        return None
    if isinstance(value, Mapping):
        # A mapping may be settings of a file, settings beside data, or data by utterance: its keys tell.
        keys = {*map(str, value)}
        if "data" in keys:
            return value["data"], {str(key): part for key, part in value.items() if key != "data"}
        if {"path", "pattern"} & keys or (keys and keys <= {*CorpusSettings.FILES[side].model_fields}):
            return None
    return value, {}


def _read_in_memory(given: Mapping[str, tuple[Any, dict[str, Any]]]) -> InMemoryData:
    """Return what of a corpus is in memory, read by the rules of files."""
    read: dict[str, in_memory.GivenData] = {}
    for side, (data, about) in given.items():
        if side not in {"posteriors", "speakers"}:
            read[side] = in_memory.read_side(data, side, form=None, tier=None, columns=titles_of(about.get("columns")))
    if "gold" in read and "predicted" in read:
        symbols = (about.get("symbols") for _, about in given.values())
        in_memory.check_sides(read["gold"], read["predicted"], joined=are_joined(*symbols))
    contents = _transcripts(read)
    digests = {side: in_memory.digest_of(content) for side, content in contents.items()}
    posteriors, speakers = None, None
    if "posteriors" in given:
        data, about = given["posteriors"]
        options = {"form": about.get("format"), "frame_shift": about.get("frame_shift")}
        own = isinstance(data, Posteriorgrams)
        posteriors = data if own else posteriors_in_memory(data, about.get("labels"), **options)
        digests["posteriors"] = in_memory.digest_of(posteriors)
    if "speakers" in given:
        data, about = given["speakers"]
        if about:
            raise ConfigurationError(f"speakers: {', '.join(about)} cannot be given for data in memory; write a table")
        speakers, digests["speakers"] = partial(in_memory.match_speakers, data), in_memory.digest_of(data)
    return InMemoryData(sides=contents, speakers=speakers, posteriors=posteriors, digests=digests)


def _transcripts(read: Mapping[str, in_memory.GivenData]) -> dict[str, Transcript]:
    """Return the symbols of each side; ConfigurationError for phones that are normalised already."""
    contents = {side: one.content for side, one in read.items() if isinstance(one.content, Transcript)}
    if other := {*read} - {*contents}:
        kind = type(read[side := min(other)].content).__name__
        raise ConfigurationError(f"{side}: give phones as texts or lists, or a file, not {kind}")
    return contents


def score(
    gold: in_memory.Source | in_memory.Data,
    predicted: in_memory.Source | in_memory.Data | None = None,
    *,
    symbols: Symbols | tuple[Symbols, Symbols] = "ipa",
    format: str | tuple[str | None, str | None] | None = None,  # noqa: A002 - the interface's name
    tier: str | tuple[str | None, str | None] | None = None,
    columns: Columns | tuple[Columns | None, Columns | None] | None = None,
    speakers: in_memory.Speakers | None = None,
    inventory: str | Sequence[str] | None = None,
    settings: Sequence[str] = (),
    workers: int | None = None,
) -> Score:
    """Return the error rates of predictions beside what chance would score, with all that `phonxling score` has.

    `wper` is the feature-weighted error rate, `per` the phone error rate. Errors as for `load_corpus`.

    Parameters
    ----------
    gold, predicted, symbols, format, tier, columns, speakers
        As for `load_corpus`: files, or phones in memory. Of one table with both sides `columns` names them:
        ("gold", "predicted"), or with others, {"gold": "reference", "predicted": "answer", "utterance": "id"}.
    inventory : str, or list of str, optional
        The recogniser's phones: `arpabet`, `timit61`, `timit48`, `timit39`, the path of a file, or a list. Without it
        there is no floor, and skill is against 0.
    settings, workers
        As for `run`, such as "alignment.costs=unit" or "symbols.tone=strip".

    Examples
    --------
    One of four phones is wrong, and b is one feature of 24 from p:

    >>> found = score(["p a t a", "t a p a"], ["b a t a", "t a b a"])
    >>> found.per.value, found.wper == 2 / 24 / 8
    (0.25, True)
    >>> print(found.verdict)
    wPER is 0.0104, and PER 0.250, over 8 gold phones. 0.0326 is what guessing scores (by the bigram model of chance).
    2 utterances: too few for intervals.
    """
    given = {"symbols": symbols, "format": format, "tier": tier, "columns": columns}
    configuration, held = _two_sides(gold, predicted, speakers, inventory, **given)
    work = Threads(os.cpu_count() or 1 if workers is None else workers)
    return score_files(configuration, work, overrides=settings, source="px.score", held=held)


def check(
    config: Config | in_memory.Source | in_memory.Data,
    predicted: in_memory.Source | in_memory.Data | None = None,
    *,
    symbols: Symbols | tuple[Symbols, Symbols] = "ipa",
    format: str | tuple[str | None, str | None] | None = None,  # noqa: A002 - the interface's name
    tier: str | tuple[str | None, str | None] | None = None,
    columns: Columns | tuple[Columns | None, Columns | None] | None = None,
    speakers: in_memory.Speakers | None = None,
    inventory: str | Sequence[str] | None = None,
    settings: Sequence[str] = (),
) -> list[Note]:
    """Return what `phonxling check` says of an experiment, or of two sides: notes, or the errors that stop it.

    Nothing is written, and nothing is raised because data or settings are wrong.

    Each note has `corpus`, its name ("" where it is of all); `text`; and `kind`, "note" or "error". Without any error
    the experiment can be run, and without any note nothing is suspicious.

    Parameters
    ----------
    config : path, mapping, or gold
        A configuration, as for `run`; with `predicted`, gold phones, as for `score`.
    predicted, symbols, format, tier, columns, speakers, inventory, settings
        As for `score`; without `predicted` they stand in the configuration.

    Examples
    --------
    Gold has one phone and predicted three, in one utterance:

    >>> for note in check({"u1": "p"}, {"u1": "b a t"}):
    ...     print(note.kind, note.text.partition(":")[0])
    note 3 phones are predicted for 1 gold ones
    note 1 utterance
    note speakers unknown
    >>> check({"u1": "p"}, {"u2": "b"})[0].kind
    'error'
    """
    try:
        if predicted is None:
            return all_notes(_experiment(config, settings, "px.check"))
        given = {"symbols": symbols, "format": format, "tier": tier, "columns": columns}
        configuration, held = _two_sides(config, predicted, speakers, inventory, **given)
        return all_notes(experiment_of(configuration, "px.check", overrides=settings, held=held))
    except PhonxlingError as error:
        return [Note("", str(error), "error")]


def _two_sides(
    gold: Any,  # noqa: ANN401 - this and the others as for `score`
    predicted: Any,  # noqa: ANN401
    speakers: in_memory.Speakers | None,
    inventory: str | Sequence[str] | None,
    **given: Any,  # noqa: ANN401
) -> tuple[Mapping[str, object], Mapping[str, InMemoryData]]:
    names = for_both_sides(given.pop("symbols"))
    sides = dict(zip(SIDES, two_sides(gold, predicted, joined=are_joined(*names), **given), strict=True))
    match = None if speakers is None else partial(in_memory.match_speakers, speakers)
    held = InMemoryData(sides=_transcripts(sides), speakers=match)
    files = {"gold": gold, "predicted": gold if predicted is None else predicted}
    corpus: dict[str, object] = {
        side: {
            "path": str(files[side]) if isinstance(files[side], str | PathLike) else f"{side}{IN_MEMORY}",
            "symbols": [*name] if isinstance(name, list | tuple) else name,
        }
        for side, name in zip(SIDES, names, strict=True)
    }
    if inventory is not None:
        corpus["recogniser"] = {"inventory": inventory if isinstance(inventory, str) else [*inventory]}
    return {"name": "score", "corpora": {"score": corpus}}, {"score": held}

"""An experiment from Python, and finished results: tables and figures read and drawn when they are asked for.

`run` and `score` do what the commands of that name do; matplotlib, which takes long to import, waits for a figure.
"""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from phonxling.analyses.measures import headline
from phonxling.core.confusion import ConfusionMatrix
from phonxling.core.display import Shown, counted, listed, tidy
from phonxling.core.errors import ConfigurationError, DataError, Note, PhonxlingError
from phonxling.core.sequences import Transcript
from phonxling.core.work import Silent, Threads
from phonxling.experiment.checking import all_notes
from phonxling.experiment.configuration import experiment_of, load_configuration
from phonxling.experiment.corpora import Held
from phonxling.experiment.pipeline import run as run_experiment
from phonxling.experiment.results import stored_results, vectors_of
from phonxling.experiment.scoring import score_files
from phonxling.experiment.single import SIDES, Columns, Symbols, both, two_sides
from phonxling.load.in_memory import Data, Source, Speakers, speakers_given
from phonxling.report.numbers import rounded
from phonxling.results.folder import MANIFEST, reading, whole_manifest
from phonxling.settings.checks import did_you_mean
from phonxling.settings.models import Experiment
from phonxling.tables.files import columns_of, declared_table, declared_tables, read_table

if TYPE_CHECKING:
    from phonxling.draw.figure import Figure
    from phonxling.draw.style import FigureOptions

Config = str | Path | Mapping[str, Any]
_SHOWN = 5  # folders that a message names


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Results(Shown):
    """The results of a run, or a comparison, in a folder; each table is read from there at its first use.

    `manifest` tells what made them: configuration, inputs, versions, and the files with their sha256. After
    `results = px.load_results("results/demo")`: `results.summary`, `results.table("confusions", "yoruba")`,
    `results.table("phones")` (all corpora, with a column `corpus`), `px.figure(results, "confusions", "yoruba")`.
    """

    folder: Path
    manifest: Mapping[str, Any] = field(repr=False)

    def _facts(self) -> Iterator[str]:
        yield f"{self.name} in {self.folder}"
        named = f"{counted(len(self.corpora), 'corpus', 'corpora')}: {listed(self.corpora)}"
        yield named if self.corpora else "a comparison"
        yield f"{counted(len(self.tables), 'table')}: {listed(self.tables, _SHOWN)}"

    def _head(self) -> pd.DataFrame | None:
        if not self.corpora:
            return None
        numbers = {
            (row["corpus"], row["measure"], row["variant"]): rounded(row["value"], row["low"], row["high"])
            for row in self.summary.dropna(subset="value").to_dict("records")
        }
        known = {key[1:] for key in numbers}
        named = [one for one in headline() if one.short and (one.name, one.variant) in known]
        columns = {
            one.short: [numbers.get((corpus, one.name, one.variant), "") for corpus in self.corpora] for one in named
        }
        return tidy({"corpus": [*self.corpora], **columns})

    @property
    def name(self) -> str:
        """The name of the experiment; that of its folder for a comparison."""
        return str(self.manifest.get("configuration", {}).get("name", self.folder.name))

    @property
    def corpora(self) -> tuple[str, ...]:
        """The names of the corpora; of a comparison, none."""
        return tuple(self.manifest.get("configuration", {}).get("corpora", ()))

    @property
    def files(self) -> tuple[Path, ...]:
        """Every file of the results: tables, figures, tables for papers, the page."""
        return tuple(self.folder / name for name in self.manifest["outputs"])

    @property
    def tables(self) -> tuple[str, ...]:
        """The names of the tables that there are, of all corpora or of one at least."""
        names = {Path(file).stem for file in self._tables()}
        return tuple(dict.fromkeys(table.name for table in declared_tables() if table.name in names))

    @property
    def summary(self) -> pd.DataFrame:
        """The headline numbers: a row a measure of a corpus; of a comparison, its ranking."""
        return self.table("ranking" if self.manifest.get("kind") == "comparison" else "summary")

    def table(self, name: str, corpus: str | None = None) -> pd.DataFrame:
        """Return a table by its name, of one corpus, or of all that have it with `corpus` as the first column.

        Columns of text are strings (a phone called nan or NA stays one), whole numbers int64 (float64 where some are
        missing), all other numbers float64: missing is NaN, infinite is inf. docs/tables.md says what each column is.
        DataError if there is no such table or corpus, the file is another table, or a run is writing there.
        """
        files = [file for file in self._tables() if Path(file).stem == name]
        if corpus is not None and corpus not in self.corpora:
            raise DataError(self._lacks("corpus", corpus, self.corpora))
        if corpus is not None and "/" in "".join(files):
            files = [file for file in files if file == f"{corpus}/{name}.tsv"]
        if not files:
            own = [Path(file).stem for file in self._tables() if corpus is None or file.startswith(f"{corpus}/")]
            raise DataError(self._lacks("table", name, [one for one in self.tables if one in own], corpus))
        with reading(self.folder):
            parts = {file: _typed(self.folder, file) for file in files}
        if corpus is not None or "/" not in files[0]:
            return parts[files[0]]
        labelled = [table.assign(corpus=file.rpartition("/")[0]) for file, table in parts.items()]
        together = pd.concat(labelled, ignore_index=True)
        return together[["corpus", *(column for column in together if column != "corpus")]]

    def to_frame(self) -> pd.DataFrame:
        """Return the summary."""
        return self.summary

    def _tables(self) -> list[str]:
        tables = (file for file in self.manifest["outputs"] if file.endswith(".tsv") and file[:8] != "figures/")
        order = {corpus: place for place, corpus in enumerate(self.corpora)}
        return sorted(filter(declared_table, tables), key=lambda file: order.get(file.rpartition("/")[0], -1))

    def _lacks(self, what: str, name: str, known: Sequence[str], corpus: str | None = None) -> str:
        of = f" of {corpus}" if corpus else ""
        names = ", ".join(known) or "none"
        return f"{self.folder}: no {what}{of} is called {name!r}{did_you_mean(name, known)}; there are: {names}"


def load_results(folder: str | Path) -> Results:
    """Return the results that a run, or a comparison, has written into a folder.

    DataError if it holds no finished results (those right below it are named); ConfigurationError if a version wrote
    them whose settings this one does not know.
    """
    path = Path(folder)
    if not path.is_dir():
        raise DataError(f"{path}: there is no such folder; results are where `run` says at its end")
    if not (path / MANIFEST).exists() and (below := sorted(part.parent for part in path.glob(f"*/{MANIFEST}"))):
        named = ", ".join(map(str, below[:_SHOWN])) + (" …" if len(below) > _SHOWN else "")
        raise DataError(f"{path}: holds folders of results, and is none itself; choose one: {named}")
    return Results(folder=path, manifest=whole_manifest(path))


def _typed(folder: Path, file: str) -> pd.DataFrame:
    table, declared = read_table(folder, file), declared_table(file)
    columns = columns_of(declared, table.columns) if declared is not None else {}
    whole = [name for name, column in columns.items() if column.type == "whole" and table[name].notna().all()]
    return table.astype(dict.fromkeys(whole, "int64"))


def figure(
    source: Results | ConfusionMatrix | str | Path,
    name: str = "confusions",
    corpus: str | None = None,
    *,
    width: float | None = None,
    order: str | None = None,
    cells: str | None = None,
    font: str | None = None,
) -> "Figure":
    """Return one figure of results, or the confusions of a matrix, as matplotlib has it; nothing is shown or written.

    In a notebook it is shown as the value of a cell; `figure.savefig("confusions.pdf")` writes it.

    Parameters
    ----------
    source : Results, path or ConfusionMatrix
        Results, the folder of some, or a matrix.
    name : str
        What the figure's file is called, without the corpus: confusions, entropy, features, rates, map, … , whether or
        not the run has drawn it. A name that there is not is answered with all that there are.
    corpus : str, optional
        Whose figure; of results with one corpus it need not be said. The title, for a matrix.
    width, order, cells, font : optional
        By default those of the results: millimetres (84 one column, 174 two); the order of phones among confusions
        (similarity, features, frequency or inventory), and what these show (probability or count); a font, or auto.

    ConfigurationError if there is no such figure or corpus, or an option is wrong; DataError as for `load_results`.
    """
    from phonxling.draw.style import FigureOptions

    given = {"width_mm": width, "order": order, "cells": cells, "font": font}
    chosen: dict[str, Any] = {key: value for key, value in given.items() if value is not None}
    if isinstance(source, ConfusionMatrix):
        return _of_matrix(source, name, corpus or "", replace(FigureOptions(), **chosen))
    return _of_results(source if isinstance(source, Results) else load_results(source), name, corpus, chosen)


def _of_matrix(matrix: ConfusionMatrix, name: str, title: str, options: "FigureOptions") -> "Figure":
    from phonxling.draw.confusions import CONFUSIONS as FIGURE
    from phonxling.draw.figure import Stored, StoredCorpus
    from phonxling.draw.labels import with_drawable_names

    if name != FIGURE.name:
        raise ConfigurationError(f"of a matrix there is the figure {FIGURE.name}, not {name!r}")
    if not matrix.counts.any():
        raise DataError("the matrix has no counts, so there is nothing to draw")
    tables = {title: {FIGURE.name: with_drawable_names(matrix.to_frame())}}
    stored = Stored(tables=tables, options=options, vectors=vectors_of(tables))
    return FIGURE.draw(StoredCorpus(title, stored))[0].figure


def _of_results(results: Results, name: str, corpus: str | None, chosen: dict[str, Any]) -> "Figure":
    from phonxling.draw.figure import Stored
    from phonxling.draw.gallery import declared, draw_named, tables_of
    from phonxling.draw.style import figure_options

    of, settings = _corpus(results, name, corpus), results.manifest.get("configuration", {})
    options = replace(figure_options(results.manifest.get("figures") or settings["figures"]), **chosen)
    known = declared(name, of)
    tables = tables_of(known) if known is not None else ()
    if of == "":
        ranking = {table: read_table(results.folder, f"{table}.tsv") for table in tables}
        stored = Stored(tables={"": ranking}, options=options)
    else:
        corpora = results.corpora if of is None else (of,)
        wanted = dict.fromkeys((*tables, *(() if of is None else ("confusions",))))  # the order of phones is in these
        stored = stored_results(results.folder, settings, options, corpora=corpora, tables=wanted)
    drawing = draw_named(stored, name, of)
    if drawing is None:
        raise DataError(f"{results.folder}: there are no data for the figure {name!r}")
    return drawing.figure


def _corpus(results: Results, name: str, corpus: str | None) -> str | None:
    """Return whose figure is meant: a corpus', that of all together (None), or of a comparison ("")."""
    from phonxling.draw.gallery import declared, figures_of

    here: dict[str | None, set[str]] = {
        name: {Path(file).stem for file in results._tables() if file.startswith(f"{name}/")} for name in results.corpora
    }
    here |= {None: {*results.tables}} if here else {"": {*results.tables}}
    names = {
        owner: [one.name for one in figures_of(owner) if {*one.tables} <= tables] for owner, tables in here.items()
    }
    if corpus is not None and corpus not in names:
        raise ConfigurationError(results._lacks("corpus", corpus, results.corpora))
    asked = {owner: own for owner, own in names.items() if corpus in {None, owner}}
    having = [owner for owner, own in asked.items() if name in own]
    having = having or [owner for owner in asked if not owner and declared(name, owner)]
    if not having:
        known = list(dict.fromkeys(one for own in asked.values() for one in own))
        raise ConfigurationError(results._lacks("figure", name, known, corpus).partition(": ")[2])
    if len(having) > 1:
        raise ConfigurationError(f"the figure {name!r} of which corpus? There are: {', '.join(map(str, having))}")
    return having[0]


class _Messages(Silent):
    """Hears everything, and hands on what a user should know."""

    def __init__(self, tell: Callable[[str], object]) -> None:
        self._tell = tell

    def say(self, *messages: object) -> None:
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

    ConfigurationError lists all settings that are wrong, or says that the folder holds something else than results;
    DataError: the data cannot be analysed, or another run has the folder.
    """
    experiment = _experiment(config, settings)
    folder = Path(output) if output is not None else Path("results") / experiment.name
    work = Threads(workers or os.cpu_count() or 1)
    run_experiment(experiment, folder, work, _Messages(messages), fresh=fresh)
    return load_results(folder)


def _experiment(config: Any, settings: Sequence[str], source: str = "px.run") -> Experiment:  # noqa: ANN401 - checked
    if isinstance(config, Mapping):
        plain = {"name": "experiment", **_plain(config)}
        return experiment_of(plain, source, folder=Path.cwd(), overrides=settings)
    if not isinstance(config, str | Path):
        raise ConfigurationError(f"a configuration is the path of a file, or a mapping, not {type(config).__name__}")
    return load_configuration(Path(config), settings)


def _plain(value: Any) -> Any:  # noqa: ANN401 - what a configuration may hold
    if isinstance(value, Mapping):
        return {str(name): _plain(part) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(part) for part in value]
    return str(value) if isinstance(value, Path) else value


def score(
    gold: Source | Data,
    predicted: Source | Data,
    *,
    symbols: Symbols | tuple[Symbols, Symbols] = "ipa",
    format: str | tuple[str | None, str | None] | None = None,  # noqa: A002 - the interface's name
    tier: str | tuple[str | None, str | None] | None = None,
    columns: Columns | tuple[Columns | None, Columns | None] | None = None,
    speakers: Speakers | None = None,
    inventory: str | Sequence[str] | None = None,
    settings: Sequence[str] = (),
    workers: int | None = None,
) -> dict[str, object]:
    """Return the error rates of predictions beside what chance would score: what `phonxling score --json` prints.

    It has each measure by its name (None where it is missing), its limits as `<name>_low` and `<name>_high`, why one
    is missing as `<name>_status`, `verdict`, `signature`, and `notes`, a list of `px.values.Note`. `wper` is the
    feature-weighted error rate, `per` the phone error rate. Errors as for `load_corpus`.

    Parameters
    ----------
    gold, predicted, symbols, format, tier, columns, speakers
        As for `load_corpus`: files, or phones in memory.
    inventory : str, or list of str, optional
        The recogniser's phones: `arpabet`, `timit61`, `timit48`, `timit39`, the path of a file, or a list. Without it
        there is no floor, and skill is against 0.
    settings, workers
        As for `run`, such as "alignment.costs=unit" or "symbols.tone=strip".

    Examples
    --------
    One of four phones is wrong, and b is one feature of 24 from p:

    >>> found = score(["p a t a", "t a p a"], ["b a t a", "t a b a"])
    >>> found["per"], found["wper"] == 2 / 24 / 8
    (0.25, True)

    Printed, it is the verdict; of two utterances nothing can be said of others:

    >>> found
    wPER is 0.0104, and PER 0.250, over 8 gold phones.
    0.0326 is what guessing scores (by the bigram model of chance).
    2 utterances: too few for intervals.
    """
    given = {"symbols": symbols, "format": format, "tier": tier, "columns": columns}
    configuration, held = _two_sides(gold, predicted, speakers, inventory, **given)
    work = Threads(workers or os.cpu_count() or 1)
    return score_files(configuration, work, overrides=settings, source="px.score", held=held).flat()


def check(
    config: Config | Source | Data,
    predicted: Source | Data | None = None,
    *,
    symbols: Symbols | tuple[Symbols, Symbols] = "ipa",
    format: str | tuple[str | None, str | None] | None = None,  # noqa: A002 - the interface's name
    tier: str | tuple[str | None, str | None] | None = None,
    columns: Columns | tuple[Columns | None, Columns | None] | None = None,
    speakers: Speakers | None = None,
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
    note one utterance alone
    note speakers unknown
    >>> check({"u1": "p"}, {"u2": "b"})[0].kind
    'error'
    """
    try:
        if predicted is None:
            return all_notes(_experiment(config, settings, "px.check"))
        given = {"symbols": symbols, "format": format, "tier": tier, "columns": columns}
        configuration, held = _two_sides(config, predicted, speakers, inventory, **given)
        return all_notes(experiment_of(configuration, "px.check", overrides=settings), held)
    except PhonxlingError as error:
        return [Note("", str(error), "error")]


def _two_sides(
    gold: Any,  # noqa: ANN401 - this and the others as for `score`
    predicted: Any,  # noqa: ANN401
    speakers: Speakers | None,
    inventory: str | Sequence[str] | None,
    **given: Any,  # noqa: ANN401
) -> tuple[Mapping[str, object], Held]:
    names = both(given.pop("symbols"))
    joined = any(name in str(names) for name in ("ipa-joined", "ipa-panphon", "ipa-ipatok"))
    sides = dict(zip(SIDES, two_sides(gold, predicted, joined=joined, **given), strict=True))
    contents = {side: held.content for side, held in sides.items() if isinstance(held.content, Transcript)}
    if other := {*sides} - {*contents}:
        kind = type(sides[side := min(other)].content).__name__
        raise ConfigurationError(f"{side}: give phones as texts or lists, or a file, not {kind}")
    held = Held(sides=contents, speakers=None if speakers is None else partial(speakers_given, speakers))
    corpus: dict[str, object] = {
        side: {"path": content.source, "symbols": name if isinstance(name, str) else [*name]}
        for (side, content), name in zip(contents.items(), names, strict=True)
    }
    if inventory is not None:
        corpus["recogniser"] = {"inventory": inventory if isinstance(inventory, str) else [*inventory]}
    return {"name": "score", "corpora": {"score": corpus}}, held

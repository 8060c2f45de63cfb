"""Quick rates of two files: an experiment of one corpus, with nothing written."""

import json
import math
import sys
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from html import escape
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from textwrap import shorten, wrap
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from phonxling.analyses import measures
from phonxling.analyses.analysis import FIRST, INFORMATION_BESIDE_CHANCE, analyse
from phonxling.analyses.context import CorpusContext
from phonxling.analyses.loaded import LoadedCorpus
from phonxling.configuration.checks import did_you_mean
from phonxling.configuration.models import Experiment
from phonxling.configuration.reading import experiment_of, resolve_settings
from phonxling.core.errors import DataError, Note
from phonxling.core.estimate import Estimate, format_count
from phonxling.core.files import write_bytes
from phonxling.core.work import SERIAL, SILENT, Progress, Work, one_thread
from phonxling.experiment.corpora import InMemoryData, load_configured
from phonxling.report.numbers import Numbers, round_number
from phonxling.report.sections import rate_sentences, verdict_sentences
from phonxling.results.tables import WholeTable, column_names, tables_of, typed_table, write_table
from phonxling.version import __version__

if TYPE_CHECKING:
    import pandas as pd

    from phonxling.draw.figure import Figure

_WORTH_THREADS = 10_000  # gold phones
_SENTENCES = 3  # of a verdict
_LINES, _WIDTH = 8, 80  # of a score in a terminal


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Score(Mapping[str, Estimate]):
    """The numbers of one pair of files, or of data in memory, and what they are made of.

    Each measure is an attribute and an item, an `Estimate`: `s.wper`, `s["wper"]`, `s["chance_wper:bigram"]` with a
    variant; `dict(s)` has all. Each table is an attribute, a DataFrame with the columns of docs/tables.md:
    `s.summary`, `s.phones`, `s.confusions`, `s.alignments`, … . Of a name that both have, the attribute is the table.
    Tables, and measures beyond the first, are computed when one of them is first asked for.

    Examples
    --------
    One of four phones is wrong, and b is one feature of 24 from p:

    >>> import phonxling as px
    >>> s = px.score(["p a t a", "t a p a"], ["b a t a", "t a b a"])
    >>> s.per.value, s.wper < 0.3, round(s["chance_wper:unigram"], 2)
    (0.25, True, 0.21)
    >>> s.show(1)
    0
      gold      p a t a
      predicted b a t a
    """

    case: CorpusContext
    first: Sequence[dict[str, Any]] = field(repr=False)

    def __getitem__(self, name: str) -> Estimate:
        measure_name, colon, variant = name.partition(":")
        if measure_name in measures.measures_by_name():
            key = measure_name, variant if colon else measures.measure(measure_name).variant
            if (row := _find(self.first, key) or _find(self._rows, key)) is not None:
                return measures.stored_estimates([row], self.case.level)[key]
        raise KeyError(f"no measure of this score is called {name!r}{did_you_mean(name, [*self])}")

    def __iter__(self) -> Iterator[str]:
        return (measures.json_key(row["measure"], row["variant"]) for row in self._rows)

    def __len__(self) -> int:
        return len(self._rows)

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - a measure, or a table
        if name.startswith("_"):
            raise AttributeError(name)
        if name in tables_of("results") and name in self._tables:
            return self.table(name)
        if name in measures.measures_by_name() and name in self:
            return self[name]
        known = dict.fromkeys([*self._tables, *(each for each in self if ":" not in each)])
        named = f"measures: {', '.join(each for each in self if ':' not in each)}; tables: {', '.join(self._tables)}"
        raise AttributeError(f"a score has no {name!r}{did_you_mean(name, [*known])}; there are {named}")

    def __reduce__(self) -> tuple[Any, ...]:  # what was loaded, of which all is computed again
        return _score_loaded, (self.case.loaded, self.case.experiment, self.case.work)

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self._tables, *(name for name in self if ":" not in name)]

    def __repr__(self) -> str:
        """Return what may be said of the rate, and the first numbers, in eight lines at most."""
        from phonxling.report.findings import short_verdict

        verdict = wrap(short_verdict(self.findings), _WIDTH)
        gold = self.case.corpus.gold
        size = f"{format_count(len(gold), 'utterance')}, {format_count(len(gold.codes), 'gold phone')}"
        numbers = number_lines(self.shown_rows(_LINES - 1 - len(verdict)))
        return "\n".join([*verdict, *numbers, f"{size}; see .summary .show() .to_dict()"])

    def _repr_html_(self) -> str:
        rows = ""
        for row in self.shown_rows():
            name, number = row["measure"], round_number(row["value"], row["low"], row["high"])
            title, unit = escape(measures.title_of(name, row["variant"])), row["unit"].removeprefix("ratio")
            rows += f"<tr><td>{title}</td><td><code>{name}</code></td><td>{number} {unit}</td></tr>"
        return f"<div>{escape(self.verdict)}<table>{rows}</table></div>"

    @cached_property
    def _tables(self) -> Mapping[str, WholeTable]:
        """Every table of a run of this corpus."""
        from phonxling.experiment.computing import result_tables  # which brings pandas

        with one_thread():
            return result_tables([self.case])

    @cached_property
    def _rows(self) -> Sequence[dict[str, Any]]:
        return [{str(name): value for name, value in row.items()} for row in self.table("summary").to_dict("records")]

    def table(self, name: str) -> "pd.DataFrame":
        """Return a table by its name; DataError, with those that there are, for another."""
        if name not in self._tables:
            raise DataError(f"no table of this score is called {name!r}; there are: {', '.join(self._tables)}")
        # Through its file, so that types and missing values are those of a table of a run.
        with TemporaryDirectory() as place:
            write_table(Path(place), name, self._tables[name])
            return typed_table(Path(place), name, self.case.name)

    def to_frame(self) -> "pd.DataFrame":
        """Return the summary: a row a measure."""
        return self.table("summary")

    def to_dict(self) -> dict[str, object]:
        """Return what `score --json` prints, as plain data.

        Each measure has its number, limits and status (`wper`, `wper_low`, `wper_high`, `wper_status`), a variant
        after a colon; None is missing. Beside them are counts, the verdict, notes and the signature.
        """
        values = dict[str, object]()
        for row in self._rows:
            key = measures.json_key(row["measure"], row["variant"])
            for end in ("value", "low", "high"):
                number = float(row[end])
                whole = measures.measure(row["measure"]).kind == "count" and number.is_integer()
                known = None if not math.isfinite(number) else int(number) if whole else number
                values[f"{key}_{end}".removesuffix("_value")] = known
            values[f"{key}_status"] = row["status"]
        sums = self.case.operations.sum(axis=0).tolist()
        values |= dict(zip(("correct", "substitutions", "deletions", "insertions"), sums, strict=True))
        notes = [asdict(note) for note in self.notes]
        return values | {"verdict": self.verdict, "notes": notes, "signature": self.signature}

    @property
    def verdict(self) -> str:
        """The error rate, what guessing scores, and whether the rate is better: at most three sentences."""
        return " ".join(self._sentences[:_SENTENCES])

    @property
    def cautions(self) -> list[str]:
        """What the verdict alone would hide, a sentence each."""
        return self._sentences[_SENTENCES:]

    @property
    def notes(self) -> list[Note]:
        """What `check` says of the data."""
        from phonxling.experiment.checking import notes_of

        return notes_of([self.case.loaded], self.case.experiment, {})

    @property
    def signature(self) -> str:
        """What fixes the numbers and differs from the defaults, the version, and a hash of all settings."""
        return self.case.signature

    def show(self, utterances: int = 3) -> None:
        """Print the first so many utterances' aligned phones, gold above predicted."""
        sys.stdout.write("".join(f"{line}\n" for line in self.aligned_lines(utterances)))

    def figure(self, name: str = "confusions", **options: Any) -> "Figure":  # noqa: ANN401 - as px.figure has them
        """Return a figure of these numbers; name and options as for `px.figure`."""
        from phonxling.experiment.results import figure, load_results

        with TemporaryDirectory() as place:
            self._write(Path(place), {"configuration": resolve_settings(self.case.experiment)})
            return figure(load_results(place), name, **options)

    def write(self, folder: Path) -> None:
        """Write the numbers as `--json` has them, and the tables of a run of this one corpus."""
        from phonxling.experiment.pipeline import input_files
        from phonxling.results import folder as on_disk

        numbers = json.dumps(self.to_dict(), ensure_ascii=False) + "\n"
        with (
            on_disk.lock_folder(folder, sys.stderr.write, kind="score", inputs=input_files(self.case.experiment)),
            on_disk.replace_folder(folder) as new,
        ):
            write_bytes(new / "score.json", numbers.encode())
            self._write(new, {}, new / "score.json")

    def _write(self, folder: Path, about: Mapping[str, Any], *files: Path) -> None:
        from phonxling.results import folder as on_disk

        named = on_disk.write_tables(folder, self._tables) | on_disk.outputs(folder, files)
        manifest = {"phonxling": __version__, "kind": "score", "inputs": {}, "libraries": {}, **about}
        on_disk.write_manifest(folder, manifest, named)

    @cached_property
    def findings(self) -> Numbers:
        return Numbers.of_rows(self.first, self.case.name)

    @property
    def _sentences(self) -> list[str]:
        return list(map(str, [*islice(rate_sentences(self.findings), 1), *verdict_sentences(self.findings)]))

    def shown_rows(self, most: int = 10) -> list[dict[str, Any]]:
        """Return the first rows that are shown: of too few utterances the rates alone, beside what guessing scores."""
        # Without intervals, a skill would look like a finding.
        rates = {"per", "wper", "chance_per", "chance_wper"}
        by_name = {(row["measure"], row["variant"]): row for row in self.first}
        shown = (one for one in measures.scored_measures() if not self.findings.few or one.name in rates)
        known = (one for one in shown if self.findings.get(one.name).defined)
        return [by_name[one.name, one.variant] for one in islice(known, most)]

    def aligned_lines(self, number: int) -> Iterator[str]:
        """Yield the first so many utterances' aligned phones, gold above predicted."""
        aligned = self.case.alignments
        for utterance in range(min(number, len(aligned))):
            pairs = aligned.pairs_of(utterance)
            widths = [max(map(_width, pair)) for pair in pairs]
            yield aligned.utterances[utterance]
            for side, name in enumerate(("gold", "predicted")):
                named = zip((pair[side] for pair in pairs), widths, strict=True)
                cells = (phone + " " * (wide - _width(phone)) for phone, wide in named)
                yield f"  {name:<10}" + " ".join(cells).rstrip()


def number_lines(rows: Sequence[Mapping[str, Any]], width: int = _WIDTH) -> Iterator[str]:
    """Yield a line of each number: its name, the number with its limits and unit, and what it is."""
    rates, lines = {name: measures.measure(name) for name in ("wper", "per")}, list[tuple[str, str, str]]()
    for row in rows:
        name, title = row["measure"], measures.title_of(row["measure"], row["variant"])
        if name in rates:
            title = f"{title} ({rates[name].short})"
        else:  # in which the rates go by their short names
            for rate in rates.values():
                title = title.replace(f"the {rate.title.lower()}", rate.short).replace(rate.title.lower(), rate.short)
        number = round_number(row["value"], row["low"], row["high"]) or "–"
        unit = f" {row['unit']}".removesuffix(" ratio")
        lines.append((measures.json_key(name, row["variant"]), number + unit, title))
    wide = [max((len(line[column]) for line in lines), default=0) for column in (0, 1)]
    for name, number, title in lines:
        head = f"{name:<{wide[0]}}  {number:<{wide[1]}}  "
        yield head + shorten(title, max(width - len(head), 2), placeholder=" …")


def score_files(
    settings: Mapping[str, Any],
    work: Work = SERIAL,
    progress: Progress = SILENT,
    *,
    options: Mapping[tuple[str, ...], str] = MappingProxyType({}),
    overrides: Sequence[str] = (),
    source: str = "score",
    held: Mapping[str, InMemoryData] = MappingProxyType({}),
) -> Score:
    """Return the score of the one corpus that settings describe; what is in memory is `held`."""
    experiment = experiment_of(settings, source, overrides=overrides, options=options, held=held)
    ((name, corpus),) = experiment.corpora.items()
    progress.begin(3)
    progress.step("loading")
    return _score_loaded(load_configured(name, corpus, experiment), experiment, work, progress)


@one_thread()
def _score_loaded(loaded: LoadedCorpus, experiment: Experiment, work: Work, progress: Progress = SILENT) -> Score:
    if loaded.corpus is None:
        raise AssertionError("a score has predictions")
    # Of few phones, starting threads takes longer than what they compute; they change no number.
    if work.workers > 1 and len(loaded.corpus.gold.codes) < _WORTH_THREADS:
        work = SERIAL
    progress.step(f"aligning {len(loaded.corpus.utterances):,} utterances, with their chance levels")
    case = CorpusContext(loaded=loaded, experiment=experiment, quick=True, corpora=(loaded,), work=work)
    case.align()
    progress.step("measuring")
    rows, _ = analyse(case, FIRST)
    score = Score(case=case, first=_summary_rows(loaded.name, rows))
    # Whether answers tell anything of gold is asked only of a rate that guessing reaches, too; it takes many draws.
    if not score.findings.worse_or_alike:
        return score
    more, _ = analyse(case, INFORMATION_BESIDE_CHANCE)
    return replace(score, first=_summary_rows(loaded.name, [*rows, *more]))


def _find(rows: Sequence[dict[str, Any]], key: tuple[str, str]) -> dict[str, Any] | None:
    return next((row for row in rows if (row["measure"], row["variant"]) == key), None)


def _summary_rows(corpus: str, rows: Sequence[measures.Row]) -> list[dict[str, Any]]:
    return [dict(zip(column_names("summary"), row, strict=True)) for row in measures.number_rows(corpus, rows)]


def _width(text: str) -> int:
    # Combining marks, such as the tie bar of t͡ʃ, take no room in a terminal.
    return sum(1 for letter in text if not unicodedata.combining(letter))

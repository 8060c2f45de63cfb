"""Quick rates of two files: an experiment of one corpus, with nothing written.

The tables that other programs print of the same phones: PhoneticXeus, PRiSM, and NIST's sclite.

PhoneticXeus and PRiSM take their distances from panphon, each aligned for itself. FED is the sum over utterances of
`feature_edit_distance`. PhoneticXeus calls FED / gold phones PFER, PRiSM calls it FER; PRiSM's PFER is the mean over
utterances of `hamming_feature_edit_distance`. PER is the least number of edits; of equally few, both take, from the end
of an utterance, a pair before a deletion, and a deletion before an insertion. sclite aligns at 4 for a substitution and
3 for a gap, and here an insertion goes before a deletion; S.Err is the share of utterances with an error.

References
----------
Code of changelinglab/PhoneticXeus and changelinglab/prism (`src/metrics/phone_recognition.py`); NIST SCTK's sclite.
"""

import json
import math
import sys
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from itertools import chain, islice
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal

import numpy as np

from phonxling.alignment.corpus import align_sequences, least_costs
from phonxling.alignment.costs import cost_table
from phonxling.analyses.analysed import AnalysedCorpus, analyse
from phonxling.analyses.analysis import FIRST, INFORMATION_BESIDE_CHANCE, Analysis, analyse as analyse_case
from phonxling.analyses.case import Case
from phonxling.analyses.loaded import SIDES, LoadedCorpus, features_of
from phonxling.analyses.measures import Measure, Section, measure, number_rows, number_tables
from phonxling.core.arrays import Floats, divided
from phonxling.core.confusion import Alignments
from phonxling.core.errors import ConfigurationError, Note
from phonxling.core.features import FeatureTable
from phonxling.core.files import write_bytes
from phonxling.core.sequences import Corpus
from phonxling.core.work import SERIAL, Progress, Silent, Work, one_thread
from phonxling.count.confusions import count_operations
from phonxling.experiment.configuration import experiment_of
from phonxling.experiment.corpora import Held, load_configured
from phonxling.experiment.manifest import input_files
from phonxling.report.numbers import Numbers, numbers_of
from phonxling.report.sections import rate_sentences, verdict_sentences
from phonxling.results import folder as on_disk
from phonxling.settings.models import Experiment
from phonxling.tables.files import Table, column_names
from phonxling.version import __version__

Program = Literal["phoneticxeus", "prism", "sclite"]
_LABELS = {  # of the two programs: what they call a number, and its decimal places
    "N": ("Utterances (N)", 0),
    "phones": ("Total Phones", 0),
    "PFER": ("PFER (%)", 2),
    "FER": ("FER (%)", 2),
    "FED": ("FED (total)", 2),
    **{name: (f"{name} (%)", 2) for name in ("PER", "SUB", "INS", "DEL")},
}
_SCLITE = ("Corr", "Sub", "Del", "Ins", "Err", "S.Err")
_SUMMED = "Sum/Avg"


def numbers_like(program: Program, corpus: Corpus, features: FeatureTable) -> Mapping[str, Mapping[str, float]]:
    """Return the numbers of a program's table by name, a row each: of sclite one a speaker, then of all."""
    if program == "sclite":
        return _sclite(corpus)
    gold, predicted, phones = corpus.gold, corpus.predicted, float(corpus.gold.lengths.sum())

    def distance(name: str) -> Floats:
        costs = cost_table(name, corpus.gold_inventory, corpus.predicted_inventory, features)
        return least_costs(gold, predicted, costs)

    swapped = align_sequences(
        predicted, gold, cost_table("unit", corpus.predicted_inventory, corpus.gold_inventory, None)
    )
    _, substituted, inserted, deleted = count_operations(swapped).sum(axis=0).tolist()
    edits = distance("panphon-edit").sum()
    rate = 100 / phones if phones else 0.0
    of_edits = {"PFER": edits * rate}
    if program == "prism":
        of_edits = {"PFER": distance("panphon-hamming").sum() / max(len(gold), 1), "FER": edits * rate}
    errors = {"PER": substituted + inserted + deleted, "SUB": substituted, "INS": inserted, "DEL": deleted}
    counted = {"N": len(gold), "phones": phones, **of_edits, "FED": edits}
    return {_SUMMED: {**counted, **{name: number * rate for name, number in errors.items()}}}


def _sclite(corpus: Corpus) -> Mapping[str, Mapping[str, float]]:
    costs = cost_table("sclite", corpus.gold_inventory, corpus.predicted_inventory, None)
    operations = count_operations(align_sequences(corpus.gold, corpus.predicted, costs)).astype(np.float64)
    wrong = operations[:, 1:].sum(axis=1)
    sentences = np.stack([np.ones(len(wrong)), corpus.gold.lengths, *operations.T, wrong, wrong > 0], axis=1)
    speakers = np.array(corpus.speakers or (), dtype=object)
    rows = {str(one): sentences[speakers == one].sum(axis=0) for one in dict.fromkeys(speakers)}
    rows[_SUMMED] = sentences.sum(axis=0)
    named: dict[str, Mapping[str, float]] = {}
    for name, (number, words, *counts, failed) in rows.items():
        rates = [*(100 * divided(np.array(counts), words)).tolist(), 100 * failed / max(number, 1)]
        named[name] = {"# Snt": number, "# Wrd": words, **dict(zip(_SCLITE, rates, strict=True))}
    return named


def lines_like(program: Program, numbers: Mapping[str, Mapping[str, float]]) -> Iterator[str]:
    """Yield a program's table, with its names and as many decimal places."""
    if program != "sclite":
        for name, number in numbers[_SUMMED].items():
            averaged = (program, name) == ("prism", "PFER")
            label, places = ("PFER (avg per utt)", 4) if averaged else _LABELS[name]
            yield f"{label:<20}{number:.{places}f}"
        return
    wide = max(6, *map(len, numbers))
    yield f"| {'SPKR':<{wide}} | # Snt  # Wrd | " + " ".join(f"{name:>6}" for name in _SCLITE) + " |"
    shown = {name: list(row.values()) for name, row in numbers.items()}
    if len(by_speaker := np.array([row for name, row in shown.items() if name != _SUMMED])) > 1:
        shown["Mean"], shown["S.D."] = by_speaker.mean(axis=0).tolist(), by_speaker.std(axis=0, ddof=1).tolist()
        shown["Median"] = np.median(by_speaker, axis=0).tolist()
    for name, (sentences, words, *rates) in shown.items():
        places = int(name in ("Mean", "S.D.", "Median"))
        counts = f"{sentences:>5.{places}f} {words:>6.{places}f}"
        yield f"| {name:<{wide}} | {counts} | " + " ".join(f"{rate:>6.1f}" for rate in rates) + " |"


class FlatScore(dict[str, object]):
    """The numbers of a score by name; printed, it says what the verdict is."""

    def __init__(self, numbers: Mapping[str, object], *, lines: Sequence[str] = ()) -> None:
        super().__init__(numbers)
        self._lines = lines

    def __repr__(self) -> str:
        return "\n".join(self._lines)


@dataclass(frozen=True, eq=False, kw_only=True)
class Score:
    """The numbers of one pair of files, and the alignment behind them."""

    loaded: LoadedCorpus
    experiment: Experiment
    analysis: AnalysedCorpus
    numbers: Sequence[dict[str, Any]]
    signature: str
    tables: Mapping[str, Table]

    def flat(self) -> "FlatScore":
        """Return each measure's number, limits and status, silences, the verdict, the signature; missing is None."""
        values = dict[str, object]()
        for row in self.numbers:
            name = row["measure"]
            if row["variant"] == measure(name).variant:
                numbers = {f"{name}_{end}".removesuffix("_value"): row[end] for end in ("value", "low", "high")}
                values |= {key: _plain(number, measure(name)) for key, number in numbers.items()}
                values[f"{name}_status"] = row["status"]
        silent = {
            f"{side}_silence": sum(row.count for row in self.loaded.audits[side] if row.action == "silence")
            for side in SIDES
        }
        said = {"verdict": " ".join(self.verdict), "signature": self.signature, "notes": self.notes}
        return FlatScore(values | silent | said, lines=self.verdict)

    @property
    def notes(self) -> list[Note]:
        """What `check` says of it; on the terminal the verdict says whether speakers are known."""
        from phonxling.experiment.checking import corpus_notes

        return [Note(self.loaded.name, text) for text in corpus_notes(self.loaded, self.experiment, None)]

    def write(self, folder: Path) -> None:
        """Write the numbers as `--json` has them, and the tables of a run of this one corpus."""
        said = json.dumps(self.flat(), default=asdict, ensure_ascii=False) + "\n"
        with (
            on_disk.locked(folder, sys.stderr.write, kind="score", inputs=input_files(self.experiment)),
            on_disk.replacing(folder) as new,
        ):
            named = on_disk.write_tables(new, self.tables)
            write_bytes(new / "score.json", said.encode())
            named |= on_disk.outputs(new, [new / "score.json"])
            manifest = {"phonxling": __version__, "kind": "score", "inputs": {}, "libraries": {}}
            on_disk.write_manifest(new, manifest, named)

    @cached_property
    def findings(self) -> Numbers:
        return Numbers(by_name=numbers_of(self.numbers), name=self.loaded.name)

    @property
    def verdict(self) -> list[str]:
        """The error rate, and whether it is better than chance, in the sentences of a run."""
        return list(map(str, [*islice(rate_sentences(self.findings), 1), *verdict_sentences(self.findings)]))

    @property
    def intervals(self) -> str:
        """Of what the intervals are; "" where there are none, which the verdict says."""
        clusters, whole = self.analysis.clusters, len(self.analysis.clusters.sizes)
        of = f"{whole} groups of {clusters.unit}s" if clusters.number > whole else f"{whole} {clusters.unit}s"
        named = " Name the speakers with --speakers FILE." * (clusters.status == "no-speakers")
        told = f"Intervals: {100 * clusters.level:g} %, leaving out one of {of} at a time.{named}"
        return "" if clusters.few else told

    def like(self, program: "Program", *, as_json: bool = False) -> str:
        if self.loaded.raw and program != "sclite":
            raise ConfigurationError(f"{program}: raw symbols have no phonological features; give --symbols")
        rows = numbers_like(program, self.analysis.corpus, features_of(self.experiment))
        numbers = rows if program == "sclite" else next(iter(rows.values()))
        return json.dumps(numbers, ensure_ascii=False) if as_json else "\n".join(lines_like(program, rows))

    def aligned_lines(self, number: int) -> Iterator[str]:
        """Yield the first so many utterances' aligned phones, gold above predicted."""
        aligned: Alignments = self.analysis.aligned
        for utterance in range(min(number, len(aligned))):
            pairs = aligned.pairs_of(utterance)
            widths = [max(_width(gold), _width(predicted)) for gold, predicted in pairs]
            yield aligned.utterances[utterance]
            for name, side in (("gold", 0), ("predicted", 1)):
                cells = (
                    pair[side] + " " * (width - _width(pair[side])) for pair, width in zip(pairs, widths, strict=True)
                )
                yield f"  {name:<10}" + " ".join(cells).rstrip()


def score_files(
    settings: Mapping[str, Any],
    work: Work = SERIAL,
    progress: Progress | None = None,
    *,
    every: bool = True,
    tables: bool = False,
    options: Mapping[tuple[str, ...], str] = MappingProxyType({}),
    overrides: Sequence[str] = (),
    source: str = "score",
    held: Held | None = None,
) -> Score:
    listener = progress or Silent()
    experiment = experiment_of(settings, source, overrides=overrides, options=options)
    return _score(experiment, work, listener, every=every, tables=tables, held=held)


@one_thread()
def _score(
    experiment: Experiment, work: Work, progress: Progress, *, every: bool, tables: bool, held: Held | None
) -> Score:
    ((name, corpus),) = experiment.corpora.items()
    progress.begin(3)
    progress.step("loading")
    loaded = load_configured(name, corpus, experiment, held=held)
    if loaded.corpus is None:
        raise AssertionError("a score has predictions")
    progress.step(f"aligning {len(loaded.corpus.utterances):,} utterances, with their chance levels")
    analysis = analyse(loaded.corpus, experiment, work, only=None if every else "rates")
    progress.step("measuring")
    case = Case(loaded=loaded, experiment=experiment, aligned=analysis, corpora=(loaded,), work=work)
    sections, made = analyse_case(case, _every(tables=tables) if every else FIRST)
    files = {f"{loaded.name}/{table}.tsv": content for table, content in made.items()}
    files |= number_tables(sections) if tables else {}
    score = Score(
        loaded=loaded, experiment=experiment, analysis=analysis, numbers=_numbers(sections),
        signature=case.signature, tables=files,
    )  # fmt: skip
    if every or not score.findings.worse_or_alike:
        return score
    informed = analyse(loaded.corpus, experiment, work, only="information")
    more, _ = analyse_case(replace(case, aligned=informed), INFORMATION_BESIDE_CHANCE)
    return replace(score, numbers=_numbers([*sections, *more]))


def _numbers(sections: Sequence[Section]) -> list[dict[str, Any]]:
    rows, names = chain(*number_rows(sections).values()), column_names("summary")
    return [dict(zip(names, row, strict=True)) for row in rows]


def _every(*, tables: bool) -> list[Analysis]:
    """Return the analyses of a score; with those that say how each utterance was aligned, where tables are wanted."""
    from phonxling.analyses.registry import ANALYSES  # which brings pandas
    from phonxling.analyses.utterances import weighted_tables

    return [analysis for analysis in ANALYSES if analysis.scored or (tables and analysis.run is weighted_tables)]


def _width(text: str) -> int:
    return sum(1 for letter in text if not unicodedata.combining(letter))


def _plain(number: float, measured: Measure) -> float | int | None:
    value = float(number)
    if math.isnan(value):
        return None
    return int(value) if measured.kind == "count" and value.is_integer() else value

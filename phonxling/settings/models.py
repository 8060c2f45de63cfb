"""The whole configuration of an experiment, as a frozen value."""

import re
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Annotated, Any, TypeAlias

from pydantic import BeforeValidator, PrivateAttr, SerializerFunctionWrapHandler, model_serializer

from phonxling.settings import checks, sections
from phonxling.settings.checks import check_mapping
from phonxling.settings.files import (
    ClassName,
    ClassQuery,
    Corpus,
    CorpusName,
    Extra,
    FolderName,
    Section,
)

_WORD = re.compile(r"[\w./+@:=,${}-]+")  # what a shell leaves as it is, but for variables
_MEMORY = re.compile(r"[0-9]+(\.[0-9]+)? ?[kMGT]i?B")
_WALLTIME = re.compile(r"([0-9]+-)?[0-9]{1,2}:[0-9]{2}:[0-9]{2}")


def _check_word(value: object, pattern: re.Pattern[str] = _WORD, what: str = "a word") -> str:
    text = checks.check_text(value)
    if pattern.fullmatch(text):
        return text
    raise ValueError(f"must be {what}, not {checks.shown(text)}")


def _check_lines(value: object) -> object:
    if value in ([], ()):
        return value
    lines = checks.check_list(value)
    for line in lines if isinstance(lines, list | tuple) else ():
        if not checks.check_text(line).isprintable():
            raise ValueError(f"each entry must be one line, not {checks.shown(line)}")
    return lines


Word: TypeAlias = Annotated[str, BeforeValidator(_check_word)]
Lines: TypeAlias = Annotated[tuple[str, ...], BeforeValidator(_check_lines)]


class ClusterJobs(Section):
    """The jobs of `--scheduler slurm`: who computes. Results are the same without, and do not tell of it."""

    queue: Word | None = None
    """The partition that jobs are submitted to."""
    account: Word | None = None
    """The account that they are charged to."""
    jobs: sections.UpTo1000 = 1
    """How many."""
    cores: sections.UpTo1000 = 1
    """The cores of a job, each with a process."""
    memory: Annotated[str, BeforeValidator(partial(_check_word, pattern=_MEMORY, what="a size such as 8 GB"))] = "4 GB"
    """The memory of a job."""
    walltime: Annotated[
        str, BeforeValidator(partial(_check_word, pattern=_WALLTIME, what="a time such as 02:00:00 or 1-12:00:00"))
    ] = "01:00:00"
    """How long a job may take, hours:minutes:seconds."""
    directives: Lines = ()
    """Further options of sbatch, such as --constraint=avx2."""
    prologue: Lines = ()
    """Commands that a job's shell runs first, such as module load python."""
    interface: Word | None = None
    """The network by which jobs and this machine reach each other, such as ib0."""
    python: Word | None = None
    """The Python of the jobs, with this package; the one that runs here by default."""
    scratch: Word | None = None
    """A folder on the jobs' own disks."""
    folder: Word | None = None
    """A folder that this machine and the jobs see, for the jobs' output; .cache of the results' folder by default."""


RETIRED = {
    "gold_errors": "errors of gold are not simulated any more; a second transcription shows how sure gold is",
    "habit": "too few errors showed whether they follow the phonotactics of the reference",
    "variation": "fit the mixed model of docs/r.md to alignments.tsv instead",
}
"""Sections of earlier versions, and what is to be said of each."""


def _check_corpora(value: object) -> object:
    if check_mapping(value):
        return value
    raise ValueError("needs at least one corpus")


class Experiment(Section):
    """The configuration of an experiment: corpora, and how they are analysed."""

    name: FolderName
    """The experiment's name and its folder of results; the file's name when left out."""
    seed: sections.Seed = 20
    """Everything random derives from it."""
    corpora: Annotated[Mapping[CorpusName, Corpus], BeforeValidator(_check_corpora)]
    """The corpora by name, one or more."""
    symbols: sections.SymbolRules = sections.SymbolRules()
    """How raw symbols become phones; a corpus' file may override each."""
    features: sections.Features = sections.Features()
    """The phonological features of phones, on which costs rest."""
    alignment: sections.Alignment = sections.Alignment()
    """How gold and predicted phones are aligned."""
    scoring: sections.Scoring = sections.Scoring()
    """The costs that weigh errors once they are aligned."""
    learning: sections.Learning = sections.Learning()
    """How learned costs are learned."""
    pairing: sections.Pairing = sections.Pairing()
    """How utterances of gold and predicted find each other."""
    decoding: sections.Decoding = sections.Decoding()
    """How phones are decoded from the posteriors of a corpus without predictions."""
    entropy: sections.Entropy = sections.Entropy()
    """Entropies of confusions."""
    expected: sections.Expected = sections.Expected()
    """The confusions of a target to be expected from those of the reference."""
    forced: sections.Forced = sections.Forced()
    """Times of gold phones that are found from the posteriors, where gold has none."""
    information: sections.Information = sections.Information()
    """Mutual information from posteriors."""
    confidence: sections.Confidence = sections.Confidence()
    """How far confidences and posteriors can be trusted."""
    posteriorgrams: sections.Posteriorgrams = sections.Posteriorgrams()
    """What posteriors say over time, kept of some utterances."""
    boundaries: sections.Boundaries = sections.Boundaries()
    """Boundaries between phones, where both sides have times."""
    chance: sections.Chance = sections.Chance()
    """Recognisers that hear nothing, for comparison."""
    uncertainty: sections.Uncertainty = sections.Uncertainty()
    """Intervals by resampling."""
    classes: Annotated[Mapping[ClassName, ClassQuery], BeforeValidator(check_mapping)] = {}
    """Natural classes beside the default ones, each by its features: {nasal vowels: "+syl +nas"}; "|" joins queries."""
    context: sections.Context = sections.Context()
    """The contexts in which confusions are counted apart."""
    embedding: sections.Embedding = sections.Embedding()
    """The map of phones."""
    assimilation: Extra[sections.Assimilation] = None
    """How contrasts of gold phones are assimilated; left out, they are not looked at, {}: with its defaults."""
    pooling: Extra[sections.Pooling] = None
    """Pooled confusions: speakers around their language, and languages around the habit of the recogniser; left out,
    they are not made, {}: with its defaults."""
    figures: sections.Figures = sections.Figures()
    """How figures are drawn."""
    report: sections.Report = sections.Report()
    """What is written beside tables and figures."""
    cluster: ClusterJobs = ClusterJobs()
    """The jobs of `--scheduler slurm`; of no effect on results."""

    _folder: Path | None = PrivateAttr(default=None)
    _positions: Mapping[str, str] = PrivateAttr(default_factory=dict)
    _copies: Mapping[Path, str] = PrivateAttr(default_factory=dict)

    @model_serializer(mode="wrap")
    def _without_absent(self, plain: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """Return plain data without the sections that are left out, so that it loads again."""
        return {name: value for name, value in plain(self).items() if value is not None}

    @property
    def folder(self) -> Path | None:
        return self._folder

    @property
    def copies(self) -> Mapping[Path, str]:
        """The URL of each copy that is read instead of an input by URL, once these were fetched."""
        return self._copies

    def where(self, key: str) -> str:
        """Return where a value is written, such as `yoruba.yaml:7:12`; a default: where the mapping around it begins.

        A configuration that comes from no file has no positions; the key itself is returned.
        """
        place = key
        while place and place not in self._positions:
            place = place.rpartition(".")[0]
        return self._positions.get(place, key)

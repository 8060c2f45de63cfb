"""A starter configuration: the files of a folder, taken for what their names say they are, with comments."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from phonxling.core.errors import ConfigurationError, DataError, PhonxlingError
from phonxling.core.files import write_bytes
from phonxling.core.sequences import Transcript
from phonxling.experiment.configuration.symbol_sets import symbol_set
from phonxling.load.formats import known_endings, load_transcript
from phonxling.load.posteriors import FORMATS, load_raw_posteriors
from phonxling.load.resources.features import panphon_features
from phonxling.phones.deciding import decide
from phonxling.phones.rules import SymbolRules

NAME = "experiment.yaml"
_WORDS = {
    "speakers": "speaker speakers spk utt2spk",
    "posteriors": "posterior posteriors ppg ppgs posteriorgram posteriorgrams probs probabilities logits softmax",
    "segments": "segment segments times alignment alignments intervals",
    "predicted": "predicted prediction predictions pred hyp hypothesis decoded recognised recognized output ctm",
    "gold": "gold ref reference truth canonical transcript transcripts stm phones",
}
_SETS = ("ipa", "arpabet", "timit61", "xsampa", "ipa-joined")  # of equals the first
_ENGLISH = frozenset({"english", "eng", "en", "timit", "reference", "source"})

_REST = """
# What follows are defaults, to be changed by taking the # away. `phonxling schema` lists all settings.
# seed: 20                                  # everything random derives from it
# symbols: {unknown: error, tone: tier, silence: drop, closures: merge}
# alignment: {costs: panphon}               # or panphon-weighted, unit, sclite, learned, a table …
# chance: {models: [constant, unigram, shuffled], replicates: 20}
# uncertainty: {resamples: 1000, level: 0.95, cluster: speaker}
# figures: {formats: [pdf, png], width: 84 mm}
"""


@dataclass
class _CorpusFiles:
    """The files of one corpus by what they are, and what is to be said of each."""

    files: dict[str, Path] = field(default_factory=dict)
    symbols: dict[str, str] = field(default_factory=dict)
    remarks: dict[str, str] = field(default_factory=dict)


def write_starter(folder: Path) -> Path:
    """Write `experiment.yaml` for the files found in a folder and the folders in it, and return its path.

    Raises
    ------
    ConfigurationError
        If it is there already, or the folder is none.
    DataError
        If nothing in the folder looks like gold phones.
    """
    if not folder.is_dir():
        raise ConfigurationError(f"{folder}: there is no such folder")
    if (folder / NAME).exists():
        raise ConfigurationError(f"{folder / NAME}: is there already; remove it, or write another by hand")
    corpora = {name: corpus for name, corpus in _corpora(folder) if "gold" in corpus.files}
    if not corpora:
        words = _WORDS["gold"].replace(" ", ", ")
        raise DataError(f"{folder}: no file is named like gold phones ({words}), here or one folder below")
    write_bytes(folder / NAME, _text(corpora, folder).encode())
    return folder / NAME


def _corpora(folder: Path) -> Iterator[tuple[str, _CorpusFiles]]:
    endings = {*known_endings(), *FORMATS, ".txt", ""}
    for place in (folder, *sorted(path for path in folder.iterdir() if path.is_dir())):
        files = sorted(path for path in place.iterdir() if path.suffix.lower() in endings and path.name != NAME)
        corpus = _CorpusFiles()
        for path in files:
            kind = _kind(path)
            if kind and kind not in corpus.files and not path.name.startswith("."):
                corpus.files[kind] = path
        if "gold" in corpus.files:
            _look(corpus)
            yield _name(place), corpus


def _name(folder: Path) -> str:
    return re.sub(r"[^\w.-]+", "-", folder.resolve().name).strip("-.") or "data"


def _kind(path: Path) -> str:
    """Return what a file's name says it is, "" when it says nothing."""
    words_of_name = set(re.split(r"[^a-z0-9]+", path.name.lower()))
    if "panphon" in words_of_name:
        return ""
    return next((kind for kind, words in _WORDS.items() if words_of_name & set(words.split())), "")


def _look(corpus: _CorpusFiles) -> None:
    """Open each file and see which symbols it is written in."""
    for kind, path in corpus.files.items():
        if kind == "speakers":
            continue
        try:
            labels = _labels(kind, path)
        except PhonxlingError as error:
            corpus.remarks[kind] = f"could not be read: {str(error).splitlines()[0]}"
            continue
        name, unknown = guessed_symbols(labels)
        corpus.symbols[kind] = name
        corpus.remarks[kind] = f"unknown in this set: {' '.join(unknown[:5])}" if unknown else ""


def _labels(kind: str, path: Path) -> list[str]:
    if kind == "posteriors":
        return list(load_raw_posteriors(path).labels)
    transcript: Transcript = load_transcript(path)
    return list(transcript.symbols)


def guessed_symbols(labels: Iterable[str]) -> tuple[str, list[str]]:
    """Return the symbol set that knows most of some labels, and the labels that it does not know.

    Examples
    --------
    >>> guessed_symbols(["hh", "ax-h", "iy"]), guessed_symbols(["k͡p", "a"])
    (('timit61', []), ('ipa', []))
    """
    every, table = list(labels), panphon_features()
    tried: list[tuple[float, int, str, list[str]]] = []
    for place, name in enumerate(_SETS):
        chosen = symbol_set(name)
        unknown = [
            label for label in every if not chosen.joined and decide(label, chosen, table, SymbolRules()) is None
        ]
        tried.append((len(unknown) if not chosen.joined else len(every) / 2, place, name, unknown))
    *_, name, unknown = min(tried)
    return name, unknown


def _text(corpora: Mapping[str, _CorpusFiles], folder: Path) -> str:
    reference = next((name for name in corpora if name.lower() in _ENGLISH), "") if len(corpora) > 1 else ""
    lines = [
        "# A starter for the files found here: look it over, then run",
        f"#   phonxling check {NAME}",
        f"#   phonxling run {NAME}",
        f"name: {json.dumps(_name(folder), ensure_ascii=False)}",
        "corpora:",
    ]
    for name, corpus in corpora.items():
        lines += [
            f"  {json.dumps(name, ensure_ascii=False)}:",
            *_corpus(corpus, folder, is_reference=name == reference),
        ]
    return "\n".join(lines) + "\n" + _REST


def _corpus(corpus: _CorpusFiles, folder: Path, *, is_reference: bool) -> Iterator[str]:
    role = "reference" if is_reference else "target"
    yield f"    role: {role:<11}# reference: the language that the recogniser was trained on; target: one it is run on"
    yield "    # language: xxx       # ISO 639-3"
    yield "    # recogniser: name    # a target is compared with a reference of the same recogniser"
    for kind in ("gold", "predicted", "posteriors", "segments", "speakers"):
        if kind in corpus.files:
            path = corpus.files[kind].relative_to(folder).as_posix()
            symbols = f", symbols: {corpus.symbols[kind]}" if kind in corpus.symbols else ""
            remark = f"   # {corpus.remarks[kind]}" if corpus.remarks.get(kind) else ""
            yield f"    {kind}: {{path: {json.dumps(path, ensure_ascii=False)}{symbols}}}{remark}"
    if not {"predicted", "posteriors"} & set(corpus.files):
        yield "    # predicted: {path: …}   # a corpus needs predictions or posteriors; none were found"

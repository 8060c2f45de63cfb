"""A starter configuration: what lies in a folder, taken for what its contents say that it is, with comments."""

import json
import re
import textwrap
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import ceil
from pathlib import Path

from phonxling.core.errors import ConfigurationError, DataError, PhonxlingError, shown
from phonxling.core.files import write_bytes
from phonxling.experiment.checking import checked, corpus_lines, suggested_pattern
from phonxling.experiment.configuration import load_configuration
from phonxling.experiment.starter_files import Arrays, Inputs, Side, SpeakerTable, Written, listing, written
from phonxling.experiment.starter_grouping import Grouped, corpora_of, corpus_names, experiment_name
from phonxling.experiment.starter_inputs import described, met
from phonxling.load.formats import known_endings
from phonxling.load.paths import matching
from phonxling.load.posteriors import known_endings as posterior_endings
from phonxling.phones.maps import BUILT_IN, LABELS, MARKERS, SILENCE
from phonxling.settings.models import Experiment

# A corpus' inputs → its settings: paths, formats, symbol sets, and what a person should know or decide of each.

_KEPT = 0.05  # the share of tokens of unknown symbols up to which these are kept as they stand
_LOST = 0.01  # the share of the mass that columns without a phone may have
_SHOWN = 5
_ENGLISH = frozenset({"arpabet", "timit39", "timit48", "timit61"})
_NAMES_OF_ENGLISH = frozenset({"english", "eng", "en", "timit"})
Maps = Mapping[Path, frozenset[str]]
Value = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Line:
    """A setting of a corpus; not active where it would be refused until a person decides."""

    kind: str
    value: Value | str
    remarks: Sequence[str] = ()
    decisions: Sequence[str] = ()
    active: bool = True


@dataclass(frozen=True, slots=True)
class Settled:
    """The settings of a corpus; `inventory` is the set of labels that its recogniser has, "" where it is not known."""

    role: str
    lines: tuple[Line, ...]
    inventory: str = ""

    def suggesting(self, pattern: str | None) -> "Settled":
        """Return the same with a pattern of speakers as a comment, if there is one: a person has to accept it."""
        remark = "the speakers, if ids begin with them: take the # away"
        line = Line("speaker_pattern", pattern or "", remarks=[remark], active=False)
        return replace(self, lines=(*self.lines, line)) if pattern else self

    @property
    def decisions(self) -> list[str]:
        """What a person must decide."""
        return [text for line in self.lines for text in line.decisions]


def settled(corpus: Grouped, folder: Path, maps: Maps) -> tuple[Line, ...]:
    """Return the settings of a corpus; paths count from the folder."""
    return tuple(_lines(corpus, folder, _sets(corpus, maps)))


def is_english(name: str, lines: Sequence[Line]) -> bool:
    """Return whether a corpus is evidently the recogniser's own language: English by its name, heard in its labels."""
    named = (line.value for line in lines if line.kind in {"predicted", "posteriors"})
    heard = {value.get("symbols") for value in named if isinstance(value, Mapping)}
    return name.lower() in _NAMES_OF_ENGLISH and bool(heard & _ENGLISH)


def inventory_of(corpus: Grouped, lines: Sequence[Line]) -> str:
    """Return the set of labels that predictions are written in, where it has all of them; posteriors tell their own."""
    active = ((line.kind, line.value) for line in lines if line.active)
    names = {kind: value.get("symbols") for kind, value in active if isinstance(value, Mapping)}
    name = str(names.get("predicted", ""))
    if corpus.predicted is None or "posteriors" in names or name not in LABELS:
        return ""
    symbols = {BUILT_IN[name].fold(symbol) for symbol in corpus.predicted.counts if symbol.lower() not in SILENCE}
    return name if symbols <= LABELS[name] else ""


def _sets(corpus: Grouped, maps: Maps) -> dict[str, Written]:
    """Return the symbol set of each input: one set for all that are written in labels, where one knows them all."""
    counts = {kind: side.counts for kind, side in _sides(corpus)}
    if corpus.posteriors is not None and corpus.posteriors.columns:
        counts["posteriors"] = _spoken(corpus.posteriors)
    each = {kind: written(symbols, maps) for kind, symbols in counts.items()}
    labels = [kind for kind, one in each.items() if one.symbols in _ENGLISH]
    union = written(sum((counts[kind] for kind in labels), Counter[str]())) if labels else None
    if union is None or set(union.unknown) - {symbol for kind in labels for symbol in each[kind].unknown}:
        return each
    return each | {kind: Written(union.symbols, each[kind].unknown, each[kind].share) for kind in labels}


def _spoken(heard: Arrays) -> Counter[str]:
    return Counter(label for label in heard.columns if label != heard.blank and label.lower() not in MARKERS)


def _sides(corpus: Grouped) -> Iterator[tuple[str, Side]]:
    for kind in ("gold", "predicted", "segments"):
        side = getattr(corpus, kind)
        if side is not None:
            yield kind, side


def _lines(corpus: Grouped, folder: Path, sets: Mapping[str, Written]) -> Iterator[Line]:
    sides = dict(_sides(corpus))
    for kind in ("gold", "predicted", "posteriors", "segments", "speakers"):
        remarks, decisions = [*corpus.remarks.get(kind, ())], [*corpus.decisions.get(kind, ())]
        if kind in sides:
            value, unknown = _side(sides[kind], folder, sets[kind])
            yield Line(kind, value, remarks, [*decisions, *unknown])
        elif kind == "posteriors" and corpus.posteriors is not None:
            value, known, more = _arrays(corpus, corpus.posteriors, folder, sets.get(kind))
            lines = [*remarks, *filter(None, [known])], [*decisions, *filter(None, [more])]
            yield Line(kind, value, *lines, active=not decisions)
        elif kind == "speakers" and corpus.speakers is not None:
            yield Line(kind, _speakers(corpus.speakers, folder), remarks)
    if corpus.predicted is None and corpus.posteriors is None:
        missing = "no file holds predictions, or posteriors, of the same utterances; name it here"
        yield Line("predicted", {"path": "…"}, decisions=[missing], active=False)
    yield from (Line("pairing", {}, decisions=[text]) for text in corpus.decisions.get("pairing", ()))


def _side(side: Side, folder: Path, symbols: Written) -> tuple[Value, list[str]]:
    given = {
        "path": _relative(side.path, folder),
        "format": side.form,
        "tier": side.tier,
        "columns": dict(side.columns),
    }
    value: dict[str, object] = {key: item for key, item in given.items() if item}
    value["symbols"] = _name(symbols, folder)
    if not symbols.unknown:
        return value, []
    number = sum(side.counts[symbol] for symbol in symbols.unknown)
    few = number <= _KEPT * side.counts.total()
    what = f"{_some(symbols.unknown, side.counts)} not known to {value['symbols']}"
    if few:
        return {**value, "unknown": "keep"}, [f"{what}: kept as they stand; map them, or write unknown: drop"]
    return value, [f"{what}: choose another symbol set, or map them (docs/symbols.md)"]


def _some(symbols: Sequence[str], counts: Mapping[str, int]) -> str:
    named = " ".join(f"{symbol} ({counts[symbol]})" for symbol in symbols[:_SHOWN])
    more = f" … and {len(symbols) - _SHOWN} more" if len(symbols) > _SHOWN else ""
    return f"{named}{more}: {'symbols' if len(symbols) > 1 else 'a symbol'}"


def _arrays(corpus: Grouped, heard: Arrays, folder: Path, symbols: Written | None) -> tuple[Value, str, str]:
    value: dict[str, object] = {"path": _relative(heard.path, folder)}
    if symbols is not None:
        value["symbols"] = _name(symbols, folder)
    if heard.labels is not None:
        value["labels"] = _relative(heard.labels, folder)
    if heard.scale != "probability":
        value["scale"] = heard.scale
    if heard.blank:
        value["blank"] = heard.blank
    if heard.frame_shift is None:
        value["frame_shift"] = corpus.frame_shift or "…"
    if symbols is None or not symbols.unknown:
        return value, "", ""
    share = sum(heard.mass[label] for label in symbols.unknown)
    text = (
        f"columns not known to {value['symbols']} are left out, with {share:.1%} of the mass: {_names(symbols.unknown)}"
    )
    value["unknown"] = "drop"
    return (value, text, "") if share <= _LOST else (value, "", f"{text}; map them, or choose another set")


def _names(symbols: Sequence[str]) -> str:
    return " ".join(symbols[:_SHOWN]) + (" …" if len(symbols) > _SHOWN else "")


def _speakers(table: SpeakerTable, folder: Path) -> Value:
    value = {"path": _relative(table.path, folder), "columns": dict(table.columns)}
    return {key: item for key, item in value.items() if item}


def _name(symbols: Written, folder: Path) -> str:
    return symbols.symbols if isinstance(symbols.symbols, str) else _relative(symbols.symbols, folder)


def _relative(path: Path, folder: Path) -> str:
    return path.relative_to(folder).as_posix()


# What a person is told of a starter configuration, in the terminal.

_TELLING_SHOWN = 6  # corpora, decisions, lines of a problem, notes


@dataclass(frozen=True, slots=True)
class Starter:
    """A configuration that was written."""

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
        yield f"wrote {self.path}: {number} ({_telling_some(self.corpora)}); {self._outcome()}"
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
    return "\n".join([found, *(f"  {note}" for note in notes[:_TELLING_SHOWN])])


def _telling_some(names: Sequence[str]) -> str:
    return ", ".join(names[:_TELLING_SHOWN]) + (" …" if len(names) > _TELLING_SHOWN else "")


def _first(lines: Sequence[str], what: str) -> Iterator[str]:
    yield from lines[:_TELLING_SHOWN]
    if len(lines) > _TELLING_SHOWN:
        yield f"… and {len(lines) - _TELLING_SHOWN} more {what}"


# Plain data → YAML on one line; a text stands without quotes where that cannot be misread.

_PLAIN = re.compile(r"[^\W\d_][\w./-]*|\w+[.](?=[^\W\d])[\w./-]*")
_WORDS = frozenset({"true", "false", "null", "yes", "no", "on", "off", "y", "n"})


def flow(value: object) -> str:
    """Return a value as YAML writes it on one line."""
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{flow(key)}: {flow(item)}" for key, item in value.items()) + "}"
    if isinstance(value, Sequence) and not isinstance(value, str):
        return "[" + ", ".join(map(flow, value)) + "]"
    plain = isinstance(value, str) and _PLAIN.fullmatch(value) and value.lower() not in _WORDS
    return str(value) if plain else json.dumps(value, ensure_ascii=False)


# The defaults of the configuration, as comments: read off the models, so that they are what is used.

SHOWN = ("seed", "symbols", "alignment", "chance", "uncertainty", "figures")  # what is changed most
_WIDTH = 118


def default_lines() -> Iterator[str]:
    """Yield some settings with their defaults, each a comment that becomes a setting without its `# `."""
    yield "# What follows are defaults, to be changed by taking the # away. `phonxling schema` lists all settings."
    for name in SHOWN:
        field = Experiment.model_fields[name]
        value = field.default.model_dump(mode="json") if hasattr(field.default, "model_dump") else field.default
        text = f"{name}: {flow(value)}"
        yield from (f"# {line}" for line in textwrap.wrap(text, _WIDTH, subsequent_indent="  ", break_on_hyphens=False))


# Corpora → the text of a configuration: what was met, with what a person should know or decide beside it.

NAME = "experiment.yaml"


def text_of(name: str, corpora: Mapping[str, Settled], allow_unpaired: float | None) -> str:
    """Return the configuration; `allow_unpaired` where some posteriors lack."""
    lines = [
        "# Written by `phonxling init` for the files of this folder. Look it over, then:",
        f"#   phonxling check {NAME}",
        f"#   phonxling run {NAME}",
        f"name: {flow(name)}",
        "corpora:",
    ]
    for corpus_name, corpus in corpora.items():
        lines += [f"  {flow(corpus_name)}:", *_corpus(corpus)]
    if allow_unpaired is not None:
        note = "utterances without posteriors are left out of what rests on these"
        lines.append(f"pairing: {{allow_unpaired: {allow_unpaired:g}}}   # {note}")
    return "\n".join([*lines, "", *default_lines(), ""])


def _corpus(corpus: Settled) -> Iterator[str]:
    yield f"    role: {corpus.role:<11}# {_ROLES[corpus.role]}"
    yield "    # language: xxx       # ISO 639-3"
    yield _recogniser(corpus)
    for line in corpus.lines:
        yield from _commented(line)


def _recogniser(corpus: Settled) -> str:
    """Return the line of the recogniser: its inventory where the labels tell it, or how both are written."""
    if corpus.inventory:
        known = "the phones that it can predict, all of this set; name: … where there are several recognisers"
        return f"    recogniser: {{inventory: {corpus.inventory}}}   # {known}"
    tells = any(line.kind == "posteriors" and line.active for line in corpus.lines)
    value = "name" if tells else "{name: …, inventory: phones.txt}"
    return f"    # recogniser: {value}    # a target is compared with a reference of the same recogniser"


_ROLES = {
    "reference": "the language that the recogniser was trained on, by its name; all others are targets",
    "target": "reference: the language that the recogniser was trained on; target: one it is run on",
}


def _commented(line: Line) -> Iterator[str]:
    """Yield a setting: what is to be decided above it, what is to be known behind it, or above where that is long."""
    for text in line.decisions:
        yield from _wrapped(f"to decide: {text}")
    setting = f"    {'' if line.active else '# '}{line.kind}: {flow(line.value)}" if line.value else ""
    known = "; ".join(line.remarks)
    if known and len(setting) + len(known) + 4 <= _WIDTH:
        yield f"{setting}   # {known}" if setting else f"    # {known}"
        return
    if known:
        yield from _wrapped(known)
    if setting:
        yield setting


def _wrapped(text: str) -> Sequence[str]:
    return textwrap.wrap(text, _WIDTH, initial_indent="    # ", subsequent_indent="    #   ", break_on_hyphens=False)


# What `phonxling check` says of a configuration that was just written, unless its data are too much to read now.

MOST_BYTES, MOST_FILES = 300_000_000, 5_000
_LONGEST = 200  # letters of a line


@dataclass(frozen=True, slots=True)
class Trial:
    """What is wrong, "" when nothing is, None when there is too much to read now; lines on each corpus."""

    problem: str | None
    lines: tuple[str, ...] = ()
    patterns: Mapping[str, str] = field(default_factory=dict)


def tried(path: Path) -> Trial:
    """Check a configuration as `phonxling check` does."""
    try:
        experiment = load_configuration(path)
        if _is_large(experiment):
            return Trial(None)
        corpora, read = checked(experiment)
    except PhonxlingError as error:
        return Trial(str(error))
    each = (corpus_lines(loaded, experiment, read.get(loaded.name), verbose=False) for loaded in corpora)
    patterns = {loaded.name: pattern for loaded in corpora if (pattern := suggested_pattern(loaded))}
    return Trial("", tuple(shown(line, _LONGEST) for lines in each for line in lines), patterns)


def _is_large(experiment: Experiment) -> bool:
    """Return whether reading all inputs would take long."""
    files = (getattr(corpus, kind) for corpus in experiment.corpora.values() for kind in corpus.FILES)
    paths = dict.fromkeys(Path(str(file.path)) for file in files if file is not None)
    each = [file for path in paths for file in matching(path, (*known_endings(), *posterior_endings()))[1]]
    return len(each) > MOST_FILES or sum(file.stat().st_size for file in each) > MOST_BYTES


__all__ = ["NAME", "Starter", "write_starter"]


def write_starter(folder: Path) -> Starter:
    """Write `experiment.yaml` for the files found in a folder and the folders in it."""
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

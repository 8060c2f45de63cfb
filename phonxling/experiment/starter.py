"""A starter configuration: files of a folder → inputs → corpora → text with comments → `check`."""

import json
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import permutations
from pathlib import Path

from phonxling.configuration.files import LONGEST_NAME, check_name, fold_name
from phonxling.configuration.reading import load_configuration
from phonxling.configuration.yaml_files import MARK, find_decisions
from phonxling.core.errors import ConfigurationError, DataError, MissingFileError, PhonxlingError, quote
from phonxling.core.files import write_new
from phonxling.core.ids import same_ids
from phonxling.experiment.checking import all_lines, check_corpora, shorten_lines
from phonxling.experiment.starter_files import Input, Inputs, find_symbols, scan_folder
from phonxling.phones.symbols import BUILT_IN, LABELS, MARKERS, SILENCE

NAME = "experiment.yaml"
_HEAD = f"""\
# Written by `phonxling init` for the files of this folder. Look it over, then:
#   phonxling check {NAME}
#   phonxling run {NAME}
name: %s
corpora:"""
_ABOUT = """\
    role: target     # reference: the language of the recogniser's training; target: another language
    # language: xxx  # ISO 639-3"""
_RECOGNISER = "    # recogniser: {name: …, inventory: phones.txt}   # a target's is that of its reference"
_INVENTORY = "    recogniser: {inventory: %s}   # the phones that it can predict, all of this set"
_FOOT = "\n# `phonxling schema` lists all settings, with their defaults.\n"
_NO_PREDICTIONS = "no file holds predictions, or posteriors, of the same utterances; name it here"
_UNCLEAR = "nothing says which of the two is gold; exchange them if this is wrong"
_PLAIN_VALUE = re.compile(r"[^\W\d_][\w./-]*|\w+[.](?=[^\W\d])[\w./-]*")
_WORDS = frozenset({"true", "false", "null", "yes", "no", "on", "off", "y", "n"})
_MOST_NAMED = 6  # decisions, lines of a problem, notes
_LONGEST = 500  # letters of a line that `check` says
_SHARED_IDS = 0.5  # the share of the smaller side's ids that the other must have


@dataclass(frozen=True)
class CorpusInputs:
    gold: Input
    predicted: Input | None = None
    posteriors: Input | None = None
    speakers: Input | None = None


@dataclass(frozen=True)
class Starter:
    """A configuration that was written, and what `check` says of it; `problem` is "" where it finds none."""

    path: Path
    corpora: tuple[str, ...]
    decisions: tuple[str, ...]
    notes: tuple[str, ...]
    problem: str
    checked: tuple[str, ...]

    def lines(self) -> Iterator[str]:
        number = f"{len(self.corpora)} corpora" if len(self.corpora) > 1 else "1 corpus"
        refused = "phonxling check refuses it" + (" until something is decided" if self.decisions else ":")
        outcome = refused if self.problem else "phonxling check finds no problems"
        yield f"wrote {self.path}: {number} ({', '.join(self.corpora)}); {outcome}"
        yield from (f"  {line}" for line in self.checked)
        if self.decisions:
            yield "to decide, at the places marked in the file:"
        said = self.decisions or self.problem.splitlines()
        yield from (f"  {line}" for line in shorten_lines(said, _MOST_NAMED, " lines"))
        yield from (f"note: {text}" for text in shorten_lines(self.notes, _MOST_NAMED, " notes"))
        yield f"next: phonxling {'check' if self.problem else 'run'} {self.path}"


def write_starter(folder: Path) -> Starter:
    """Write `experiment.yaml` for the files below a folder; ConfigurationError where another one is there already."""
    path = folder / NAME
    if not folder.is_dir():
        raise MissingFileError(f"{folder}: there is no such folder")
    if os.path.lexists(path):
        raise ConfigurationError(f"{path}: is there already, and is left as it is; move it away to have a new one")
    inputs = scan_folder(folder)
    corpora, notes = _find_corpora(inputs), tuple(inputs.passed_over())
    if not corpora:
        remedy = "add a table gold.tsv with the columns utterance and phones, and with the same ids"
        text = f"{folder}: holds no gold phones, which say what was spoken: {remedy}"
        raise DataError("\n".join([text, *(f"  {note}" for note in notes[:_MOST_NAMED])]))
    name = _make_name(folder.resolve().name)
    by_name = dict(zip(_name_corpora(corpora, name), corpora, strict=True))
    lines = [_HEAD % write_flow(name)]
    for one, corpus in by_name.items():
        lines += [f"  {write_flow(one)}:", *_write_corpus(corpus, inputs)]
    write_new(path, "\n".join([*lines, _FOOT]).encode())
    names, problem, checked = tuple(by_name), "", tuple[str, ...]()
    try:
        experiment = load_configuration(path)
        names = tuple(experiment.corpora)
        loaded, read = check_corpora(experiment)
        checked = tuple(quote(line, _LONGEST) for line in all_lines(loaded, experiment, read, verbose=False))
    except PhonxlingError as error:
        problem = str(error)
    return Starter(path, names, tuple(find_decisions(path)), notes, problem, checked)


# Of all pairs that can be gold and predicted (by names, and by half of the smaller side's ids) the one worth most
# becomes a corpus, and what it uses is gone: a file is of one corpus. Gold with posteriors alone comes next.
def _find_corpora(inputs: Inputs) -> list[CorpusInputs]:
    left, pairs = list(inputs.sides), list[tuple[Input, Input | None]]()
    for pair in sorted(_list_pairs(left), key=_rank_pair, reverse=True):
        if all(side in left for side in pair):
            pairs.append(pair)
            left = [side for side in left if not any(_overlap(side, chosen) for chosen in pair)]
    alone = [side for side in left if side.role != "predicted"]
    alone.sort(key=lambda side: (side.role, len(side.ids)), reverse=True)
    with_posteriors = [gold for gold in alone if _find_beside(gold, inputs.arrays) is not None]
    for gold in with_posteriors or ([] if pairs else alone[:1]):
        chosen = [side for side, _ in pairs]
        same = any(side.key == gold.key and _share(gold, side) >= _SHARED_IDS for side in chosen)
        if not same and not any(_overlap(gold, side) for side in chosen):
            pairs.append((gold, None))
    corpora = []
    for gold, predicted in sorted(pairs, key=lambda pair: (pair[0].path, pair[0].key)):
        posteriors = _find_beside(gold, inputs.arrays)
        tables = [table for table in inputs.speakers if _count_common_ids(gold, table) == len(gold.ids)]
        corpora.append(CorpusInputs(gold, predicted, posteriors, _find_beside(gold, tables)))
    return corpora


def _list_pairs(sides: Sequence[Input]) -> Iterator[tuple[Input, Input]]:
    for gold, predicted in permutations(sides, 2):
        one = gold.path == predicted.path and gold.settings == predicted.settings
        if gold.role != "predicted" and predicted.role != "gold" and not one:
            same = bool(gold.role and predicted.role) and gold.key == predicted.key
            if same or _share(gold, predicted) >= _SHARED_IDS:
                yield gold, predicted


# What decides comes first: two columns or tiers of one file, then names, ids, and which have times.
def _rank_pair(pair: tuple[Input, Input]) -> tuple[float, ...]:
    gold, predicted = pair
    return (
        gold.path == predicted.path,
        bool(gold.role) + bool(predicted.role),
        _share(gold, predicted) >= _SHARED_IDS,
        gold.key == predicted.key,
        _count_common_ids(gold, predicted),
        predicted.timed + gold.timed,
    )


@lru_cache(maxsize=4096)
def _count_common_ids(gold: Input, other: Input) -> int:
    names = same_ids(sorted(gold.ids), sorted(other.ids)).names
    return len(gold.ids & {names.get(name, name) for name in other.ids})


def _share(first: Input, second: Input) -> float:
    return _count_common_ids(first, second) / max(1, min(len(first.ids), len(second.ids)))


def _overlap(side: Input, chosen: Input) -> bool:
    nested = side.path in chosen.path.parents or chosen.path in side.path.parents
    return side.path == chosen.path or (nested and bool(side.tier) == bool(chosen.tier))


def _find_beside(gold: Input, others: Sequence[Input]) -> Input | None:
    """Return the posteriors, or the table of speakers, of the utterances of gold: of the same corpus by name first."""
    having = [one for one in others if _count_common_ids(gold, one)]
    return max(having, key=lambda one: (one.key == gold.key, _count_common_ids(gold, one)), default=None)


def _name_corpora(corpora: Sequence[CorpusInputs], folder: str) -> list[str]:
    names: list[str] = []
    for corpus in corpora if len(corpora) > 1 else ():
        place = corpus.gold.path if corpus.gold.path.is_dir() else corpus.gold.path.parent
        name = _make_name("-".join(corpus.gold.key) or place.resolve().name)
        taken = {fold_name(each) for each in names}
        numbered = [name, *(f"{name}-{number}" for number in range(2, len(corpora) + 2))]
        names.append(next(each for each in numbered if fold_name(each) not in taken))
    return names or [folder]


def _make_name(text: str) -> str:
    name = re.sub(r"[^\w.-]+", "-", text).strip("-.").encode()[: LONGEST_NAME - 10].decode(errors="ignore") or "data"
    try:
        return check_name(name)
    except ValueError:
        return f"{name.strip('.')}-data"


def _write_corpus(corpus: CorpusInputs, inputs: Inputs) -> Iterator[str]:
    gold, predicted, posteriors = corpus.gold, corpus.predicted, corpus.posteriors
    yield _ABOUT
    if gold.language and (predicted is None or predicted.language == gold.language):
        yield f"    split_by: {write_flow(gold.language)}   # a corpus of each value of this column"
    inventory = "" if predicted is None or posteriors is not None else _declare_inventory(predicted, inputs)
    yield _INVENTORY % inventory if inventory else _RECOGNISER
    if predicted is not None and not gold.role and not predicted.role:
        yield f"    # {MARK} {_UNCLEAR}"
    for kind in ("gold", "predicted", "posteriors", "speakers"):
        if (one := getattr(corpus, kind)) is not None:
            yield f"    {kind}: {write_flow(_describe_input(kind, one, inputs))}"
    if predicted is None and posteriors is None:
        yield from (f"    # {MARK} {_NO_PREDICTIONS}", "    # predicted: {path: …}")


def _declare_inventory(predicted: Input, inputs: Inputs) -> str:
    """Return the set of labels that predictions are written in, whose phones are the recogniser's; "" of others."""
    name = find_symbols(predicted.counts, inputs.maps).symbols
    spoken = (symbol for symbol in predicted.counts if symbol.lower() not in SILENCE)
    if isinstance(name, str) and name in LABELS and {BUILT_IN[name].fold(symbol) for symbol in spoken} <= LABELS[name]:
        return name
    return ""


def _describe_input(kind: str, one: Input, inputs: Inputs) -> dict[str, object]:
    """Return the settings of a file: its path, in which symbols it is written, and what its contents do not show."""

    def relative(path: Path | str) -> str:
        return path if isinstance(path, str) else path.relative_to(inputs.root).as_posix()

    value: dict[str, object] = {"path": relative(one.path)}
    if counts := one.counts:
        if kind == "posteriors":
            unspoken = {*MARKERS, str(one.settings["blank"]).lower()}
            counts = type(counts)(label for label in counts if label.lower() not in unspoken)
        found = find_symbols(counts, inputs.maps, columns=kind == "posteriors")
        table = next((path for path, known in inputs.maps.items() if known.issuperset(found.unknown)), None)
        name = relative(found.symbols)
        value["symbols"] = [name, relative(table)] if found.unknown and table is not None else name
    return {key: item for key, item in {**value, **one.settings}.items() if item}


def write_flow(value: object) -> str:
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{write_flow(key)}: {write_flow(item)}" for key, item in value.items()) + "}"
    if isinstance(value, Sequence) and not isinstance(value, str):
        return "[" + ", ".join(map(write_flow, value)) + "]"
    plain = isinstance(value, str) and _PLAIN_VALUE.fullmatch(value) and value.lower() not in _WORDS
    return str(value) if plain else json.dumps(value, ensure_ascii=False)

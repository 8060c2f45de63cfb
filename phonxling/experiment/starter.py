"""A starter configuration: files of a folder → inputs → corpora → settings, remarks, decisions → text → `check`."""

import json
import os
import re
import textwrap
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import permutations
from math import ceil
from pathlib import Path
from typing import Any, NamedTuple, cast

from phonxling.configuration.files import LONGEST_NAME, check_name, fold_name
from phonxling.configuration.reading import experiment_of
from phonxling.configuration.yaml_files import MARK, find_decisions, parse_yaml
from phonxling.core.errors import ConfigurationError, DataError, MissingFileError, PhonxlingError, quote
from phonxling.core.files import write_new
from phonxling.core.ids import same_ids
from phonxling.experiment.checking import all_lines, check_corpora, shorten_lines, suggested_pattern
from phonxling.experiment.corpora import symbol_set
from phonxling.experiment.starter_files import MOST_BYTES, Input, Inputs, SymbolsFound, find_symbols, scan_folder
from phonxling.load.formats import known_endings, load_transcript
from phonxling.load.posteriors import known_endings as posterior_endings
from phonxling.load.resources import panphon_features
from phonxling.load.text import matching_files
from phonxling.load.tiers import fold_tier_name
from phonxling.phones.normalise import make_transcript, normalise
from phonxling.phones.pairing import shorten
from phonxling.phones.symbols import BUILT_IN, LABELS, MARKERS, SILENCE, SymbolRules
from phonxling.phones.unknown import UnknownSymbolsError

NAME = "experiment.yaml"
_ROLES = {
    "reference": "the language of the recogniser's training, by its name; all others are targets",
    "target": "reference: the language of the recogniser's training; target: another language",
}
_ENGLISH = frozenset({"arpabet", "timit39", "timit48", "timit61"})
_NAMES_OF_ENGLISH = frozenset({"english", "eng", "en", "timit"})
_PLAIN_VALUE = re.compile(r"[^\W\d_][\w./-]*|\w+[.](?=[^\W\d])[\w./-]*")
_WORDS = frozenset({"true", "false", "null", "yes", "no", "on", "off", "y", "n"})
_NO_PREDICTIONS = "no file holds predictions, or posteriors, of the same utterances; name it here"
_NO_SHIFT = "frame_shift: the file does not say it; write the seconds from frame to frame"
_SHOWN_SYMBOLS = 5  # of a decision
_MOST_NAMED = 6  # corpora, decisions, lines of a problem, notes
_WIDTH, _LONGEST = 118, 500  # letters of a line of the file, and of one that `check` says
MOST_FILES = 5_000  # that are read at once
_SHARED_IDS = 0.5  # the share of the smaller side's ids that the other must have


@dataclass
class CorpusInputs:
    gold: Input
    predicted: Input | None = None
    posteriors: Input | None = None
    speakers: Input | None = None
    split_by: str = ""
    remarks: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))  # by the input they are about
    decisions: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))


class Line(NamedTuple):
    """A setting of a corpus; not active where it would be refused until a person decides."""

    kind: str
    value: Any  # a mapping, or a text
    remarks: Sequence[str] = ()
    decisions: Sequence[str] = ()
    active: bool = True


@dataclass(frozen=True)
class Starter:
    """A configuration that was written, and what `check` says of it."""

    path: Path
    corpora: tuple[str, ...]
    decisions: tuple[str, ...]
    notes: tuple[str, ...]
    problem: str | None  # "": nothing; None: too much to read
    checked: tuple[str, ...]

    def lines(self) -> Iterator[str]:
        outcome = {None: "the data are large, and were not checked", "": "phonxling check finds no problems"}
        refused = "phonxling check refuses it" + (" until something is decided" if self.decisions else ":")
        number = f"{len(self.corpora)} corpora" if len(self.corpora) > 1 else "1 corpus"
        names = ", ".join(self.corpora[:_MOST_NAMED]) + (" …" if len(self.corpora) > _MOST_NAMED else "")
        yield f"wrote {self.path}: {number} ({names}); {outcome.get(self.problem, refused)}"
        yield from (f"  {line}" for line in self.checked)
        if self.decisions:
            yield "to decide, at the places marked in the file:"
            yield from (f"  {text}" for text in shorten_lines(self.decisions, _MOST_NAMED, " decisions"))
        elif self.problem:
            yield from (f"  {line}" for line in shorten_lines(self.problem.splitlines(), _MOST_NAMED, " lines"))
        yield from (f"note: {text}" for text in shorten_lines(self.notes, _MOST_NAMED, " notes"))
        yield f"next: phonxling {'check' if self.problem != '' else 'run'} {self.path}"


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
        others = [_relative_path(one.path, inputs) for one in (*inputs.arrays[:1], *inputs.sides[:1])]
        what = f"{' and '.join(others)}, but " if others else ""
        remedy = "add a table gold.tsv with the columns utterance and phones, and with the same ids"
        text = f"{inputs.root}: holds {what}no gold phones, which say what was spoken: {remedy}"
        raise DataError("\n".join([text, *(f"  {note}" for note in notes[:_MOST_NAMED])]))
    by_name = dict(zip(_name_corpora(corpora, folder), corpora, strict=True))
    settings = {name: [*_list_settings(corpus, inputs)] for name, corpus in by_name.items()}
    experiment = _make_name(folder.resolve().name)
    # What was written is read as `check` reads it, so that nobody starts from a file that cannot be read.
    problem, lines, patterns = _try_configuration(path, _write_text(experiment, by_name, settings))
    remark = ["the speakers, if ids begin with them: take the # away"]
    for name in (name for name in by_name if patterns.get(name)):
        settings[name].append(Line("speakers", {"pattern": patterns[name]}, remark, active=False))
    write_new(path, _write_text(experiment, by_name, settings).encode())
    return Starter(path, tuple(patterns or by_name), tuple(find_decisions(path)), notes, problem, lines)


# Of all pairs that can be gold and predicted (by names, and by half of the smaller side's ids) the one worth most
# becomes a corpus, and what it uses is gone: a file is of one corpus. Gold with posteriors alone comes next.
def _find_corpora(inputs: Inputs) -> list[CorpusInputs]:
    left, corpora = list(inputs.sides), list[CorpusInputs]()
    for pair in sorted(_list_pairs(left), key=_rank_pair, reverse=True):
        if all(side in left for side in pair):
            corpora.append(_pair_sides(*pair))
            left = _without_other_tiers(left, corpora[-1])
            left = [side for side in left if not any(_overlap(side, chosen) for chosen in pair)]
    for gold in [side for side in left if side.role != "predicted"]:
        taken = any(corpus.gold.key == gold.key and _share(gold, corpus.gold) >= _SHARED_IDS for corpus in corpora)
        if gold in left and not taken and _find_posteriors(gold, inputs.arrays) is not None:
            corpora.append(CorpusInputs(gold))
            left = [side for side in left if not _overlap(side, gold)]
    if not corpora and (alone := [side for side in left if not _holds_predictions(side, left)]):
        gold = max(alone, key=lambda side: (side.role, len(side.ids), -len(side.path.parts)))
        corpora.append(CorpusInputs(gold))
        left = [side for side in left if not _overlap(side, gold)]
    for corpus in corpora:
        _add_other_inputs(corpus, inputs)
    for side in left:  # beside the predictions it is said which other files hold the same utterances
        for corpus in corpora:
            if corpus.gold.key == side.key and _share(side, corpus.gold) >= _SHARED_IDS:
                corpus.remarks["gold" if side.role == "gold" else "predicted"].append(f"or {side.path.name}")
    return sorted(corpora, key=lambda corpus: (corpus.gold.path.parent, corpus.gold.path, corpus.gold.key))


def _without_other_tiers(left: Sequence[Input], corpus: CorpusInputs) -> list[Input]:
    chosen = [one for one in (corpus.gold, corpus.predicted) if one is not None and one.tier]
    others = [side for side in left if side.tier and any(_is_nested(side, one) for one in chosen)]
    free = [side for side in others if fold_tier_name(side.tier) not in {fold_tier_name(one.tier) for one in chosen}]
    for kind, role in (("gold", "predicted"), ("predicted", "gold")):
        if names := [*dict.fromkeys(f"'{side.tier}'" for side in free if side.role != role)]:
            several = f"the tiers {' '.join(names)}" if len(names) > 1 else f"the tier {names[0]}"
            corpus.decisions[kind].append(f"{several} of the same files could be {kind} as well")
    return [side for side in left if side not in others]


def _list_pairs(sides: Sequence[Input]) -> Iterator[tuple[Input, Input]]:
    for gold, predicted in permutations(sides, 2):
        alike = (gold.form, gold.tier, gold.columns) == (predicted.form, predicted.tier, predicted.columns)
        if gold.role != "predicted" and predicted.role != "gold" and not (alike and _is_nested(gold, predicted)):
            same = bool(gold.role and predicted.role) and gold.key == predicted.key
            if same or _share(gold, predicted) >= _SHARED_IDS:
                yield gold, predicted


# What decides comes first: two columns or tiers of one file, then names, ids, and what symbols and times tell; at the
# end the shorter path, so that the same folder has the same answer.
def _rank_pair(pair: tuple[Input, Input]) -> tuple[float, ...]:
    gold, predicted = pair
    return (
        gold.path == predicted.path and bool(gold.columns or (gold.tier and (gold.role or predicted.role))),
        bool(gold.role) + bool(predicted.role),
        _share(gold, predicted) >= _SHARED_IDS,
        gold.key == predicted.key,
        _count_common_ids(gold, predicted),
        round(gold.known + predicted.known, 2),
        predicted.timed + gold.timed,
        -len(gold.path.parts) - len(predicted.path.parts),
        -len(gold.path.name) - len(predicted.path.name),
    )


@lru_cache(maxsize=4096)
def _rename_ids(one: Input, gold: Input) -> Input:
    # Where its own ids are those of gold but for folder and the like.
    names = same_ids(sorted(gold.ids), sorted(one.ids)).names
    return replace(one, ids=frozenset(names.get(name, name) for name in one.ids)) if names else one


@lru_cache(maxsize=4096)
def _count_common_ids(gold: Input, other: Input) -> int:
    return len(gold.ids & _rename_ids(other, gold).ids)


def _share(first: Input, second: Input) -> float:
    return _count_common_ids(first, second) / max(1, min(len(first.ids), len(second.ids)))


def _overlap(side: Input, chosen: Input) -> bool:
    return side.path == chosen.path or (_is_nested(side, chosen) and side.tier == chosen.tier)


def _holds_predictions(side: Input, others: Sequence[Input]) -> bool:
    inside = any(one.role == "predicted" and side.path in one.path.parents for one in others)
    return side.role == "predicted" or (inside and not side.role)


def _is_nested(side: Input, chosen: Input) -> bool:
    return side.path == chosen.path or side.path in chosen.path.parents or chosen.path in side.path.parents


def _pair_sides(gold: Input, predicted: Input) -> CorpusInputs:
    note = same_ids(sorted(gold.ids), sorted(predicted.ids)).note("predicted")
    predicted = _rename_ids(predicted, gold)
    corpus = CorpusInputs(gold, predicted)
    corpus.remarks["predicted"] += [note] if note else []
    if not gold.role and not predicted.role:
        corpus.decisions["gold"].append("nothing says which of the two is gold; exchange them if this is wrong")
    alone = {"gold": gold.ids - predicted.ids, "predicted": predicted.ids - gold.ids}
    if not gold.ids & predicted.ids:
        why = f"no id is that of a gold utterance ({min(gold.ids)} there, {min(predicted.ids)} here)"
        corpus.decisions["predicted"].append(f"{why}: write the same ids on both sides")
    elif any(alone.values()):
        all_ids = len(gold.ids | predicted.ids)
        where = [
            f"{len(ids):,} of {all_ids:,} utterances are in {side} alone: {shorten(sorted(ids), 3)}"
            for side, ids in alone.items()
            if ids
        ]
        remedy = f"add what is missing, or write pairing: {{allow_unpaired: {_share_lacking(gold, predicted):g}}}"
        corpus.decisions["pairing"].append(f"{'; '.join(where)}; {remedy}")
    return corpus


def _share_lacking(gold: Input, other: Input) -> float:
    return ceil(100 * len(gold.ids ^ other.ids) / len(gold.ids | other.ids)) / 100


def _find_posteriors(gold: Input, arrays: Sequence[Input]) -> Input | None:
    having = [one for one in arrays if _count_common_ids(gold, one)]
    best = max(having, key=lambda one: (one.key == gold.key, _count_common_ids(gold, one), -len(one.key)), default=None)
    return None if best is None else _rename_ids(best, gold)


def _add_other_inputs(corpus: CorpusInputs, inputs: Inputs) -> None:
    gold, predicted = corpus.gold, corpus.predicted
    if gold.language and (predicted is None or predicted.language == gold.language):
        corpus.split_by = gold.language
    elif gold.language:
        why = f"the column {gold.language} has several values, and the predictions have no such column"
        corpus.decisions["gold"].append(f"{why}: if they are languages, give each a corpus of its own")
    for kind, one in (("gold", gold), ("predicted", predicted)):
        corpus.decisions[kind] += [one.decision] if one is not None and one.decision else []
    tables = [table for table in inputs.speakers if _count_common_ids(gold, table) == len(gold.ids)]
    corpus.speakers = max(tables, key=lambda table: (table.key == gold.key, -len(table.ids)), default=None)
    posteriors = corpus.posteriors = _find_posteriors(gold, inputs.arrays)
    if posteriors is None:
        return
    decisions = [posteriors.decision] if posteriors.decision else []
    decoded = predicted is None and bool(posteriors.counts) and not posteriors.settings["blank"]
    if not posteriors.timed and (gold.timed or (predicted is not None and predicted.timed) or decoded):
        decisions.append(_NO_SHIFT)
    if corpus.split_by:
        path = f"write {{{corpus.split_by}}} into path"
        decisions.append(f"posteriors of several languages: give each a file, and {path}")
    corpus.decisions["posteriors"] += decisions
    if gold.ids ^ posteriors.ids:
        number = f"{len(gold.ids & posteriors.ids):,} of {len(gold.ids):,}"
        corpus.remarks["posteriors"].append(f"posteriors of {number} utterances")


def _list_settings(corpus: CorpusInputs, inputs: Inputs) -> Iterator[Line]:
    sets = _choose_symbol_sets(corpus, inputs.maps)
    if corpus.split_by:
        yield Line("split_by", corpus.split_by, ["a corpus of each value of this column"])
    gold = corpus.gold
    canonical = None if gold.canonical is None else replace(gold, settings={**gold.settings, "columns": gold.canonical})
    for kind in ("gold", "canonical", "predicted", "posteriors", "speakers"):
        one = canonical if kind == "canonical" else getattr(corpus, kind)
        if one is None:
            continue
        remarks, decisions = [*corpus.remarks[kind]], [*corpus.decisions[kind]]
        if kind == "canonical":
            remarks.append("what should be said, in the same labels; gold is what was said")
        active = kind != "posteriors" or not decisions
        value: dict[str, object] = {"path": _relative_path(one.path, inputs)}
        if kind in sets:
            name, unknown = _relative_path(sets[kind].symbols, inputs), sets[kind].unknown
            table = next((table for table, known in inputs.maps.items() if known.issuperset(unknown)), None)
            value["symbols"] = [name, _relative_path(table, inputs)] if unknown and table is not None else name
            if unknown and table is None and kind != "canonical":  # whose labels are those of gold
                decisions += _decide_unknown(kind, one, sets[kind], name)
        value |= {**one.settings, "frame_shift": "…" * (_NO_SHIFT in decisions)}
        yield Line(kind, {key: item for key, item in value.items() if item}, remarks, decisions, active)
    if corpus.predicted is None and corpus.posteriors is None:
        yield Line("predicted", {"path": "…"}, decisions=[_NO_PREDICTIONS], active=False)
    yield from (Line("pairing", {}, decisions=[text]) for text in corpus.decisions["pairing"])


def _decide_unknown(kind: str, one: Input, read: SymbolsFound, name: str) -> Iterator[str]:
    # Which symbols, or columns, a set does not know, and what `check` proposes.
    often = sorted(read.unknown, key=lambda symbol: -one.counts[symbol])
    columns = kind == "posteriors"
    each = [quote(symbol) + f" {one.counts[symbol]:,}" * (not columns) for symbol in often[:_SHOWN_SYMBOLS]]
    names = ", ".join(each) + f" … and {len(often) - _SHOWN_SYMBOLS} more" * (len(often) > _SHOWN_SYMBOLS)
    what = ("column" if columns else "symbol") + (" is" if len(often) == 1 else "s are")
    given = make_transcript(one.path.name, [*one.counts])
    with suppress(DataError):  # as they follow one another, since marks may stand apart from their letters
        form = str(one.settings.get("format", "")) or None
        given = given if columns else load_transcript(one.path, form, one.columns or None, one.tier or None, side=kind)
    try:
        normalise(given, symbol_set(str(read.symbols)), panphon_features(), SymbolRules(), side=kind)
    except UnknownSymbolsError as error:
        yield f"{len(often)} {what} not known to {name}: {names}. {str(error).splitlines()[-1].strip()}"


def _relative_path(path: Path | str, inputs: Inputs) -> str:
    return path if isinstance(path, str) else path.relative_to(inputs.root).as_posix()


def _choose_symbol_sets(corpus: CorpusInputs, maps: Mapping[Path, frozenset[str]]) -> dict[str, SymbolsFound]:
    counts = {"gold": corpus.gold.counts} | ({"predicted": corpus.predicted.counts} if corpus.predicted else {})
    if (one := corpus.posteriors) is not None and one.counts:
        blank = one.settings["blank"]
        counts["posteriors"] = Counter(name for name in one.counts if name != blank and name.lower() not in MARKERS)
    each = {kind: find_symbols(symbols, maps, columns=kind == "posteriors") for kind, symbols in counts.items()}
    # Sides that are written in labels are of one set where it knows all: few labels of one side may fit several sets.
    labels = [kind for kind, read in each.items() if read.symbols in _ENGLISH]
    union = find_symbols(sum((counts[kind] for kind in labels), Counter[str]())) if labels else None
    if union is not None and {*union.unknown} <= {symbol for kind in labels for symbol in each[kind].unknown}:
        each |= {kind: each[kind]._replace(symbols=union.symbols) for kind in labels}
    return each | ({"canonical": each["gold"]} if corpus.gold.canonical is not None else {})


def _name_corpora(corpora: Sequence[CorpusInputs], folder: Path) -> list[str]:
    if len(corpora) == 1:
        return [_make_name(folder.resolve().name)]
    names: list[str] = []
    for corpus in corpora:
        place = corpus.gold.path if corpus.gold.path.is_dir() else corpus.gold.path.parent
        name = _make_name("-".join(corpus.gold.key) or place.resolve().name)
        taken = {fold_name(each) for each in names}
        numbered = [name, *(f"{name}-{number}" for number in range(2, len(corpora) + 2))]
        names.append(next(each for each in numbered if fold_name(each) not in taken))
    return names


def _make_name(text: str) -> str:
    name = re.sub(r"[^\w.-]+", "-", text).strip("-.").encode()[: LONGEST_NAME - 10].decode(errors="ignore") or "data"
    try:
        return check_name(name)
    except ValueError:
        return f"{name.strip('.')}-data"


def _write_text(name: str, corpora: Mapping[str, CorpusInputs], settings: Mapping[str, Sequence[Line]]) -> str:
    lines = [
        "# Written by `phonxling init` for the files of this folder. Look it over, then:",
        f"#   phonxling check {NAME}",
        f"#   phonxling run {NAME}",
        f"name: {write_flow(name)}",
        "corpora:",
    ]
    english = []  # evidently the recogniser's own language: English by its name, predicted in its labels
    for one, own in settings.items() if len(corpora) > 1 else ():
        used = {str(line.value.get("symbols")) for line in own if line.kind in {"predicted", "posteriors"}}
        english += [one] if one.lower() in _NAMES_OF_ENGLISH and used & _ENGLISH else []
    lacking = 0.0
    for one, corpus in corpora.items():
        role = "reference" if english[:1] == [one] else "target"
        lines += [f"  {write_flow(one)}:", f"    role: {role:<11}# {_ROLES[role]}"]
        lines += [] if corpus.split_by else ["    # language: xxx       # ISO 639-3"]
        lines.append(_write_recogniser(corpus, settings[one]))
        lines += [text for line in settings[one] for text in _write_line(line)]
        if corpus.posteriors is not None and not corpus.decisions["posteriors"] and not corpus.decisions["pairing"]:
            lacking = max(lacking, _share_lacking(corpus.gold, corpus.posteriors))
    if lacking:
        note = "utterances without posteriors are left out of what rests on these"
        lines.append(f"pairing: {{allow_unpaired: {lacking:g}}}   # {note}")
    return "\n".join([*lines, "", "# `phonxling schema` lists all settings, with their defaults.", ""])


def _write_recogniser(corpus: CorpusInputs, lines: Sequence[Line]) -> str:
    # Its inventory stands there where the labels of predictions tell it, else how it is written.
    used = [line for line in lines if line.kind in {"predicted", "posteriors"} and line.active]
    names = {line.kind: str(line.value.get("symbols", "")) for line in used}
    name = names.get("predicted", "")
    if corpus.predicted is not None and "posteriors" not in names and name in LABELS:
        spoken = (symbol for symbol in corpus.predicted.counts if symbol.lower() not in SILENCE)
        if {BUILT_IN[name].fold(symbol) for symbol in spoken} <= LABELS[name]:
            known = "the phones that it can predict, all of this set; name: … where there are several recognisers"
            return f"    recogniser: {{inventory: {name}}}   # {known}"
    value = "name" if "posteriors" in names else "{name: …, inventory: phones.txt}"
    return f"    # recogniser: {value}    # a target is compared with a reference of the same recogniser"


def _write_line(line: Line) -> Iterator[str]:
    setting = f"    {'' if line.active else '# '}{line.kind}: {write_flow(line.value)}" if line.value else ""
    known = "; ".join(line.remarks)
    beside = bool(known) and len(setting) + len(known) + 4 <= _WIDTH
    for text in [f"{MARK} {text}" for text in line.decisions] + [known] * (not beside):
        wrapped = textwrap.wrap(text, _WIDTH - 4, initial_indent="# ", subsequent_indent="#   ", break_on_hyphens=False)
        yield from (f"    {one}" for one in wrapped)
    if beside:
        yield f"{setting}   # {known}" if setting else f"    # {known}"
    elif setting:
        yield setting


def write_flow(value: object) -> str:
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{write_flow(key)}: {write_flow(item)}" for key, item in value.items()) + "}"
    if isinstance(value, Sequence) and not isinstance(value, str):
        return "[" + ", ".join(map(write_flow, value)) + "]"
    plain = isinstance(value, str) and _PLAIN_VALUE.fullmatch(value) and value.lower() not in _WORDS
    return str(value) if plain else json.dumps(value, ensure_ascii=False)


def _try_configuration(path: Path, text: str) -> tuple[str | None, tuple[str, ...], dict[str, str]]:
    # What `check` finds wrong and says, and by corpus the pattern of speakers that ids suggest.
    try:
        settings = cast("dict[str, Any]", parse_yaml(text, str(path)))
        experiment = experiment_of(settings, str(path), folder=path.parent)
        files = (getattr(corpus, kind) for corpus in experiment.corpora.values() for kind in corpus.FILES)
        paths = dict.fromkeys(Path(str(file.path)) for file in files if file is not None)
        endings = *known_endings(), *posterior_endings(), ".txt"
        each = [file for one in paths for file in matching_files(one, endings)[1]]
        if len(each) > MOST_FILES or sum(file.stat().st_size for file in each) > MOST_BYTES:
            return None, (), {}
        corpora, read = check_corpora(experiment)
    except PhonxlingError as error:
        return str(error), (), {}
    lines = tuple(quote(line, _LONGEST) for line in all_lines(corpora, experiment, read, verbose=False))
    return "", lines, {loaded.name: suggested_pattern(loaded) for loaded in corpora}

"""A starter configuration: what lies in a folder, taken for what its contents say that it is, with comments.

    files of a folder → inputs → corpora → settings of each, with remarks and decisions → text → `phonxling check`

Of all pairs that can be gold and predicted (by names, and by half of the smaller side's ids) the one worth most becomes
a corpus, then the best of what is left; gold with posteriors alone comes next. A setting that would be refused stands
there as a comment until a person decides. Symbols are of the set that knows most of them, gold and predicted of one set
where it knows all. Of several corpora the English one, heard in English labels, is the reference.
"""

import json
import math
import os
import re
import textwrap
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import permutations
from math import ceil
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from types import MappingProxyType
from typing import Any, NamedTuple, TypeAlias, cast

from phonxling.core.errors import ConfigurationError, DataError, MissingFileError, PhonxlingError, shown
from phonxling.core.files import write_new
from phonxling.experiment.checking import all_lines, checked, suggested_pattern
from phonxling.experiment.configuration import experiment_of
from phonxling.experiment.starter_files import MOST_BYTES, Arrays, Inputs, Side, SpeakerTable, met
from phonxling.experiment.starter_symbols import EXTRA, Written, guessed, to_read, written
from phonxling.experiment.yaml_files import MARK, parse_yaml
from phonxling.load.formats import known_endings
from phonxling.load.posteriors import known_endings as posterior_endings
from phonxling.load.text import matching
from phonxling.load.tiers import plain_tier
from phonxling.phones.pairing import agreeing, bare_id
from phonxling.phones.symbols import BUILT_IN, LABELS, MARKERS, SILENCE
from phonxling.settings.files import LONGEST, check_name, same_name
from phonxling.settings.models import Experiment

NAME = "experiment.yaml"
SHOWN = ("seed", "symbols", "alignment", "chance", "uncertainty", "figures")  # what is changed most
_ROLES = {
    "reference": "the language of the recogniser's training, by its name; all others are targets",
    "target": "reference: the language of the recogniser's training; target: another language",
}
_ENGLISH = frozenset({"arpabet", "timit39", "timit48", "timit61"})
_NAMES_OF_ENGLISH = frozenset({"english", "eng", "en", "timit"})
_PLAIN = re.compile(r"[^\W\d_][\w./-]*|\w+[.](?=[^\W\d])[\w./-]*")
_WORDS = frozenset({"true", "false", "null", "yes", "no", "on", "off", "y", "n"})

_TOLD = 6  # corpora, decisions, lines of a problem, notes
_WIDTH, _LONGEST = 118, 200  # letters of a line of the file, and of one that `check` says
MOST_FILES = 5_000  # that are read at once
_SHARED = 0.5  # the share of the smaller side's ids that the other must have
_SPREAD = 0.05  # how far an utterance's frame shift may lie from the median

Texts: TypeAlias = defaultdict[str, list[str]]


@dataclass(slots=True)
class Grouped:
    """The inputs of one corpus, and what a person must know or decide, by the input that it is about."""

    gold: Side
    predicted: Side | None = None
    posteriors: Arrays | None = None
    segments: Side | None = None
    speakers: SpeakerTable | None = None
    frame_shift: float | None = None
    remarks: Texts = field(default_factory=lambda: defaultdict(list))
    decisions: Texts = field(default_factory=lambda: defaultdict(list))


class Line(NamedTuple):
    """A setting of a corpus; not active where it would be refused until a person decides."""

    kind: str
    value: Any  # a mapping, or a text
    remarks: Sequence[str] = ()
    decisions: Sequence[str] = ()
    active: bool = True
    guesses: Mapping[str, str] = MappingProxyType({})  # the IPA of symbols that the set does not know


@dataclass(frozen=True, slots=True)
class Starter:
    """A configuration that was written: `problem` is what is wrong, "" if nothing, None if too much was to be read."""

    path: Path
    corpora: tuple[str, ...]
    decisions: tuple[str, ...]
    notes: tuple[str, ...]
    problem: str | None
    checked: tuple[str, ...]
    unfinished: bool

    def lines(self) -> Iterator[str]:
        outcome = {None: "the data are large, and were not checked", "": "phonxling check finds no problems"}
        refused = "phonxling check refuses it" + (" until something is decided" if self.decisions else ":")
        number = f"{len(self.corpora)} corpora" if len(self.corpora) > 1 else "1 corpus"
        names = ", ".join(self.corpora[:_TOLD]) + (" …" if len(self.corpora) > _TOLD else "")
        yield f"wrote {self.path}: {number} ({names}); {outcome.get(self.problem, refused)}"
        yield from (f"  {line}" for line in self.checked)
        if self.decisions:
            yield "to decide, at the places marked in the file:"
            yield from (f"  {text}" for text in _first(self.decisions, "decisions"))
        if self.problem and not self.unfinished:
            yield from (f"  {line}" for line in _first(self.problem.splitlines(), "lines"))
        yield from (f"note: {text}" for text in _first(self.notes, "notes"))
        yield f"next: phonxling {'check' if self.problem != '' else 'run'} {self.path}"


def _first(lines: Sequence[str], what: str) -> Iterator[str]:
    yield from lines[:_TOLD]
    if len(lines) > _TOLD:
        yield f"… and {len(lines) - _TOLD} more {what}"


def write_starter(folder: Path) -> Starter:
    """Write `experiment.yaml` for the files below a folder; ConfigurationError where another one is there already."""
    path = folder / NAME
    if not folder.is_dir():
        raise MissingFileError(f"{folder}: there is no such folder")
    if os.path.lexists(path):
        raise ConfigurationError(f"{path}: is there already, and is left as it is; move it away to have a new one")
    inputs = met(folder)
    corpora = _corpora_of(inputs)
    notes = (*inputs.passed_over(), *inputs.notes)
    if not corpora:
        raise DataError(_without_gold(inputs, notes))
    by_name = dict(zip(_corpus_names(corpora, folder), corpora, strict=True))
    settings = {name: [*_settings(corpus, inputs)] for name, corpus in by_name.items()}
    guesses = {symbol: ipa for lines in settings.values() for line in lines for symbol, ipa in line.guesses.items()}
    rows = {"symbol": "ipa", **guesses, **inputs.extra} if guesses else {}
    extra = "".join(f"{symbol}\t{ipa}\n" for symbol, ipa in rows.items())
    experiment = _usable(folder.resolve().name)
    open_for: dict[str, list[str]] = {}
    for name, line in ((name, line) for name, lines in settings.items() for line in lines):
        for each in line.decisions:
            open_for.setdefault(each, []).append(name)
    decisions = [f"{' '.join(names)}: {each}" for each, names in open_for.items()]
    problem, said, patterns = _tried(path, _text(experiment, by_name, settings), extra)
    remark = ["the speakers, if ids begin with them: take the # away"]
    for name, pattern in patterns.items():
        settings[name].append(Line("speakers", {"pattern": pattern}, remark, active=False))
    if not guesses.keys() <= inputs.extra.keys():  # else the user's own rows are there already
        write_new(folder / EXTRA, extra.encode())
    write_new(path, _text(experiment, by_name, settings).encode())
    usable = (one.predicted or (one.posteriors and "posteriors" not in one.decisions) for one in corpora)
    return Starter(path, tuple(by_name), tuple(decisions), notes, problem, said, not all(usable))


def _without_gold(inputs: Inputs, notes: Sequence[str]) -> str:
    heard = [f"posteriors ({_relative(one.path, inputs)})" for one in inputs.arrays[:1]]
    heard += [f"predictions ({_relative(side.path, inputs)})" for side in inputs.sides[:1]]
    what = f"{' and '.join(heard)}, but " * bool(heard)
    remedy = "add a table gold.tsv with the columns utterance and phones, and with the same ids"
    found = f"{inputs.root}: holds {what}no gold phones, which say what was spoken: {remedy}"
    return "\n".join([found, *(f"  {note}" for note in notes[:_TOLD])])


def _corpora_of(inputs: Inputs) -> list[Grouped]:
    left, corpora = list(inputs.sides), list[Grouped]()
    while (best := max(_pairs(left), key=_worth, default=None)) is not None:
        corpora.append(_paired(*best))
        left = _without_other_tiers(left, corpora[-1])
        left = [side for side in left if not any(_overlap(side, chosen) for chosen in best)]
    for side in [side for side in left if side.role != "predicted"]:
        taken = any(corpus.gold.key == side.key and _share(side, corpus.gold) >= _SHARED for corpus in corpora)
        if side in left and not taken and (heard := _posteriors_of(side, inputs.arrays)) is not None:
            corpora.append(Grouped(side, posteriors=heard))
            left = [other for other in left if not _overlap(other, side)]
    others = [side for side in left if side.role != "predicted"]
    if not corpora and (alone := [side for side in others if side.role == "gold"] or others):
        gold = max(alone, key=lambda side: (len(side.ids), -len(side.path.parts)))
        corpora.append(Grouped(gold))
        left = [other for other in left if not _overlap(other, gold)]
    corpora = [part for corpus in corpora for part in _by_language(corpus)]
    for corpus in corpora:
        _join(corpus, inputs, left)
    for side in left:  # beside the predictions it is said which other files hold the same utterances
        near = [corpus for corpus in corpora if _share(side, corpus.gold) >= _SHARED and side is not corpus.segments]
        if near:
            nearest = max(near, key=lambda corpus: (corpus.gold.key == side.key, _common(side, corpus.gold)))
            nearest.remarks["gold" if side.role == "gold" else "predicted"].append(f"or {side.path.name}")
    return sorted(corpora, key=lambda corpus: (corpus.gold.path.parent, corpus.gold.path, corpus.gold.key))


def _without_other_tiers(left: Sequence[Side], corpus: Grouped) -> list[Side]:
    chosen = [one for one in (corpus.gold, corpus.predicted) if one is not None and one.tier]
    others = [side for side in left if side.tier and any(_nested(side, one) for one in chosen)]
    free = [side for side in others if plain_tier(side.tier) not in {plain_tier(one.tier) for one in chosen}]
    for kind, role in (("gold", "predicted"), ("predicted", "gold")):
        if names := [*dict.fromkeys(f"'{side.tier}'" for side in free if side.role != role)]:
            several = f"the tiers {' '.join(names)}" if len(names) > 1 else f"the tier {names[0]}"
            corpus.decisions[kind].append(f"{several} of the same files could be {kind} as well")
    return [side for side in left if side not in others]


def _by_language(corpus: Grouped) -> Iterator[Grouped]:
    gold, predicted = corpus.gold, corpus.predicted
    names = [name for name in gold.languages if predicted is None or name in predicted.languages]
    if len(names) < len(gold.languages) or not names:
        if gold.languages:
            column = next(iter(next(iter(gold.languages.values())).where))
            why = f"the column {column} has {len(gold.languages)} values, and the predictions have no such column"
            corpus.decisions["gold"].append(f"{why}: if they are languages, give each a corpus of its own")
        yield corpus
        return
    for name in names:
        one = gold.languages[name]
        yield Grouped(one) if predicted is None else _paired(one, predicted.languages[name])


def _pairs(sides: Sequence[Side]) -> Iterator[tuple[Side, Side]]:
    for gold, predicted in permutations(sides, 2):
        fits = gold.role != "predicted" and predicted.role != "gold"
        fits = fits and bool(gold.role or predicted.role or not gold.confident)
        same = bool(gold.role and predicted.role) and gold.key == predicted.key
        if fits and (same or _share(gold, predicted) >= _SHARED):
            yield gold, predicted


def _worth(pair: tuple[Side, Side]) -> tuple[float, ...]:
    gold, predicted = pair
    return (
        gold.path == predicted.path and bool(gold.columns or gold.tier),
        bool(gold.role) + bool(predicted.role),
        _share(gold, predicted) >= _SHARED,
        gold.key == predicted.key,
        _common(gold, predicted),
        round(gold.known + predicted.known, 2),
        predicted.timed + gold.timed + predicted.confident - gold.confident,
        -len(gold.path.parts) - len(predicted.path.parts),
        -len(gold.path.name) - len(predicted.path.name),
    )


def _common(first: Side, second: Side) -> int:
    same = len(first.ids.keys() & second.ids.keys())
    return same or len(_bare(frozenset(first.ids)) & _bare(frozenset(second.ids)))


@lru_cache(maxsize=1024)
def _bare(ids: frozenset[str]) -> frozenset[str]:
    """Return ids without folder and ending, none where these are what tells them apart."""
    bare = frozenset(map(bare_id, ids))
    return bare if len(bare) == len(ids) else frozenset()


def _share(first: Side, second: Side) -> float:
    return _common(first, second) / max(1, min(len(first.ids), len(second.ids)))


def _overlap(side: Side, chosen: Side) -> bool:
    return side.path == chosen.path or (_nested(side, chosen) and side.tier == chosen.tier)


def _nested(side: Side, chosen: Side) -> bool:
    return side.path == chosen.path or side.path in chosen.path.parents or chosen.path in side.path.parents


def _paired(gold: Side, predicted: Side) -> Grouped:
    names = agreeing([*gold.ids], [*predicted.ids])
    predicted = replace(predicted, ids={names.get(name, name): end for name, end in predicted.ids.items()})
    corpus = Grouped(gold, predicted)
    if names:
        corpus.remarks["predicted"].append("its ids are compared with gold's without folder and ending")
    if not gold.role and not predicted.role:
        corpus.decisions["gold"].append("nothing says which of the two is gold; exchange them if this is wrong")
    alone = {"gold": gold.ids.keys() - predicted.ids.keys(), "predicted": predicted.ids.keys() - gold.ids.keys()}
    together = len(gold.ids.keys() | predicted.ids.keys())
    where = [
        f"{len(ids):,} of {together:,} utterances are in {side} alone: {' '.join(sorted(ids)[:3])}"
        + " …" * (len(ids) > 3)
        for side, ids in alone.items()
        if ids
    ]
    if not _common(gold, predicted):
        example = f"{next(iter(gold.ids))} there, {next(iter(predicted.ids))} here"
        text = f"no id is that of a gold utterance ({example}): write the same ids on both sides"
        corpus.decisions["predicted"].append(text)
    elif where:
        share = ceil(100 * sum(map(len, alone.values())) / together) / 100
        remedy = f"add what is missing, or write pairing: {{allow_unpaired: {share:g}}}"
        corpus.decisions["pairing"].append(f"{'; '.join(where)}; {remedy}")
    return corpus


def _posteriors_of(gold: Side, arrays: Iterable[Arrays]) -> Arrays | None:
    having: list[tuple[int, Arrays]] = []
    for heard in arrays:
        if names := agreeing([*gold.ids], [*heard.ids]):
            frames = {names.get(name, name): number for name, number in heard.frames.items()}
            heard = replace(heard, ids=frozenset(names.get(name, name) for name in heard.ids), frames=frames)
        if shared := len(heard.ids & gold.ids.keys()):
            having.append((shared, heard))
    best = max(having, key=lambda pair: (pair[1].key == gold.key, pair[0], -len(pair[1].key)), default=None)
    return None if best is None else best[1]


def _join(corpus: Grouped, inputs: Inputs, left: Sequence[Side]) -> None:
    """Give a corpus its posteriors, segments and speakers, and say what has to be known and decided of each."""
    gold = corpus.gold
    for kind, one in (("gold", gold), ("predicted", corpus.predicted)):
        if one is not None and one.decision:
            corpus.decisions[kind].append(one.decision)
    if gold.remark:
        corpus.remarks["gold"].append(gold.remark)
    tables = [table for table in inputs.speakers if table.ids >= gold.ids.keys()]
    corpus.speakers = max(tables, key=lambda table: (table.key == gold.key, -len(table.ids)), default=None)
    heard = corpus.posteriors = _posteriors_of(gold, inputs.arrays)
    for other in inputs.arrays:
        if (
            heard is not None
            and other.path != heard.path
            and other.key[: len(gold.key)] == gold.key
            and other.ids == gold.ids.keys()
        ):
            corpus.remarks["posteriors"].append(f"or {other.path.name}")
    if heard is not None:
        _join_posteriors(corpus, heard, left)


def _join_posteriors(corpus: Grouped, heard: Arrays, left: Sequence[Side]) -> None:
    gold, remarks, decisions = corpus.gold, corpus.remarks["posteriors"], []
    timed = [side for side in left if side.timed and side.role != "predicted" and _share(side, gold) == 1]
    if not gold.timed and timed and len(timed[0].ids) == len(gold.ids):
        corpus.segments = timed[0]
    named = {"predicted": corpus.predicted, "segments'": corpus.segments, "gold": gold}
    sides = {name: side for name, side in named.items() if side is not None}
    if heard.decision:
        decisions.append(heard.decision)
    if heard.frame_shift is None:
        shifts = {name: shift for name, side in sides.items() if (shift := _frame_shift(heard, side))}
        corpus.frame_shift = next(iter(shifts.values()), None)
        needed = any(side.timed for side in sides.values())
        needed |= corpus.predicted is None and bool(heard.columns) and not heard.blank
        if corpus.frame_shift is None and needed:
            decisions.append("frame_shift: the file does not say it; write the seconds from frame to frame")
        elif corpus.frame_shift is not None:
            remarks.append(f"the frame shift is that of the {next(iter(shifts))} times")
    if gold.ids.keys() ^ heard.ids:
        remarks.append(f"they are of {len(gold.ids.keys() & heard.ids):,} of {len(gold.ids):,} utterances")
    if decisions:
        corpus.decisions["posteriors"] = decisions


def _frame_shift(heard: Arrays, side: Side) -> float | None:
    ends = {name: end for name in heard.frames if not math.isnan(end := side.ids.get(name, math.nan))}
    shifts = [end / heard.frames[name] for name, end in ends.items() if heard.frames[name]]
    rounded = round(median(shifts), 3) if shifts else 0.0
    near = [shift for shift in shifts if abs(shift - rounded) <= _SPREAD * rounded]
    return rounded if rounded and len(near) >= 0.8 * len(shifts) else None


def _settings(corpus: Grouped, inputs: Inputs) -> Iterator[Line]:
    sets = _symbol_sets(corpus, inputs.maps)
    for kind in ("gold", "predicted", "posteriors", "segments", "speakers"):
        one = getattr(corpus, kind)
        if one is None:
            continue
        remarks, decisions = [*corpus.remarks.get(kind, ())], [*corpus.decisions.get(kind, ())]
        guesses: dict[str, str] = {}
        active = kind != "posteriors" or not decisions
        name = _relative(sets[kind].symbols, inputs) if kind in sets else ""
        value: dict[str, object] = {"path": _relative(one.path, inputs)}
        if isinstance(one, Arrays):
            asked = any(each.startswith("frame_shift") for each in decisions)
            shift = corpus.frame_shift or ("…" if asked else "")
            scale = "" if one.scale == "probability" else one.scale
            labels = _relative(one.labels, inputs) if one.labels else ""
            value |= {"symbols": name, "labels": labels, "scale": scale, "blank": one.blank, "frame_shift": shift}
        elif isinstance(one, Side):
            value |= {"format": one.form, "tier": one.tier, "columns": dict(one.columns)}
            value |= {"where": dict(one.where), "symbols": name}
        else:
            value |= {"columns": dict(one.columns)}
        met = one.counts if isinstance(one, Side) else one.mass if isinstance(one, Arrays) else {}
        if kind in sets and (unknown := [symbol for symbol in sets[kind].unknown if symbol in met]):
            value["symbols"] = [name, EXTRA]
            if unread := [symbol for symbol in unknown if symbol not in inputs.extra]:
                shares = {symbol: met[symbol] for symbol in unread}
                decisions.append(to_read(shares, name, columns=kind == "posteriors"))
            guesses = {symbol: inputs.extra.get(symbol, guessed(symbol, name)) for symbol in unknown}
        value = {key: item for key, item in value.items() if item}
        yield Line(kind, value, remarks, decisions, active, guesses)
    if corpus.predicted is None and corpus.posteriors is None:
        missing = "no file holds predictions, or posteriors, of the same utterances; name it here"
        yield Line("predicted", {"path": "…"}, decisions=[missing], active=False)
    yield from (Line("pairing", {}, decisions=[text]) for text in corpus.decisions.get("pairing", ()))


def _relative(path: Path | str, inputs: Inputs) -> str:
    return path if isinstance(path, str) else path.relative_to(inputs.root).as_posix()


def _symbol_sets(corpus: Grouped, maps: Mapping[Path, frozenset[str]]) -> dict[str, Written]:
    sides = {"gold": corpus.gold, "predicted": corpus.predicted, "segments": corpus.segments}
    counts = {kind: side.table or side.counts for kind, side in sides.items() if side is not None}
    if (heard := corpus.posteriors) is not None and heard.columns:
        spoken = (label for label in heard.columns if label != heard.blank and label.lower() not in MARKERS)
        counts["posteriors"] = Counter(spoken)
    each = {kind: written(symbols, maps, columns=kind == "posteriors") for kind, symbols in counts.items()}
    labels = [kind for kind, one in each.items() if one.symbols in _ENGLISH]
    union = written(sum((counts[kind] for kind in labels), Counter[str]())) if labels else None
    if union is None or {*union.unknown} - {symbol for kind in labels for symbol in each[kind].unknown}:
        return each
    return each | {kind: each[kind]._replace(symbols=union.symbols) for kind in labels}


def _corpus_names(corpora: Sequence[Grouped], folder: Path) -> list[str]:
    if len(corpora) == 1:
        return [_usable(folder.resolve().name)]
    names: list[str] = []
    for corpus in corpora:
        place = corpus.gold.path if corpus.gold.path.is_dir() else corpus.gold.path.parent
        name = _usable("-".join(corpus.gold.key) or place.resolve().name)
        taken = {same_name(each) for each in names}
        numbered = [name, *(f"{name}-{number}" for number in range(2, len(corpora) + 2))]
        names.append(next(each for each in numbered if same_name(each) not in taken))
    return names


def _usable(text: str) -> str:
    name = re.sub(r"[^\w.-]+", "-", text).strip("-.").encode()[: LONGEST - 10].decode(errors="ignore") or "data"
    try:
        return check_name(name)
    except ValueError:
        return f"{name.strip('.')}-data"


def _text(name: str, corpora: Mapping[str, Grouped], settings: Mapping[str, Sequence[Line]]) -> str:
    lines = [
        "# Written by `phonxling init` for the files of this folder. Look it over, then:",
        f"#   phonxling check {NAME}",
        f"#   phonxling run {NAME}",
        f"name: {flow(name)}",
        "corpora:",
    ]
    english = []  # evidently the recogniser's own language: English by its name, heard in its labels
    for one, own in settings.items() if len(corpora) > 1 else ():
        heard = {str(line.value.get("symbols")) for line in own if line.kind in {"predicted", "posteriors"}}
        english += [one] if one.lower() in _NAMES_OF_ENGLISH and heard & _ENGLISH else []
    for one, corpus in corpora.items():
        role = "reference" if english[:1] == [one] else "target"
        lines += [f"  {flow(one)}:", f"    role: {role:<11}# {_ROLES[role]}"]
        code = next((value for value in corpus.gold.where.values() if re.fullmatch("[a-z]{3}", value)), "")
        lines.append(f"    language: {code}" if code else "    # language: xxx       # ISO 639-3")
        lines += [_recogniser(corpus, settings[one]), *(text for line in settings[one] for text in _commented(line))]
    if lacking := max(map(_lacking, corpora.values())):
        note = "utterances without posteriors are left out of what rests on these"
        lines.append(f"pairing: {{allow_unpaired: {lacking:g}}}   # {note}")
    return "\n".join([*lines, "", *default_lines(), ""])


def _recogniser(corpus: Grouped, lines: Sequence[Line]) -> str:
    """Return the line of the recogniser: its inventory where labels of predictions tell it, or how it is written."""
    names = {line.kind: str(line.value.get("symbols", "")) for line in lines if line.active}
    name = names.get("predicted", "")
    if corpus.predicted is not None and "posteriors" not in names and name in LABELS:
        spoken = (
            symbol for symbol in corpus.predicted.table or corpus.predicted.counts if symbol.lower() not in SILENCE
        )
        if {BUILT_IN[name].fold(symbol) for symbol in spoken} <= LABELS[name]:
            known = "the phones that it can predict, all of this set; name: … where there are several recognisers"
            return f"    recogniser: {{inventory: {name}}}   # {known}"
    value = "name" if "posteriors" in names else "{name: …, inventory: phones.txt}"
    return f"    # recogniser: {value}    # a target is compared with a reference of the same recogniser"


def _commented(line: Line) -> Iterator[str]:
    setting = f"    {'' if line.active else '# '}{line.kind}: {flow(line.value)}" if line.value else ""
    known = "; ".join(line.remarks)
    beside = bool(known) and len(setting) + len(known) + 4 <= _WIDTH
    above = [f"{MARK} {text}" for text in line.decisions] + [known] * (not beside)
    for text in above:
        wrapped = textwrap.wrap(text, _WIDTH - 4, initial_indent="# ", subsequent_indent="#   ", break_on_hyphens=False)
        yield from (f"    {one}" for one in wrapped)
    if beside:
        yield f"{setting}   # {known}" if setting else f"    # {known}"
    elif setting:
        yield setting


def _lacking(corpus: Grouped) -> float:
    undecided = {"posteriors", "pairing"} & corpus.decisions.keys()
    if corpus.posteriors is None or undecided:
        return 0.0
    gold, heard = corpus.gold.ids.keys(), corpus.posteriors.ids
    return ceil(100 * len(gold ^ heard) / len(gold | heard)) / 100


def flow(value: object) -> str:
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{flow(key)}: {flow(item)}" for key, item in value.items()) + "}"
    if isinstance(value, Sequence) and not isinstance(value, str):
        return "[" + ", ".join(map(flow, value)) + "]"
    plain = isinstance(value, str) and _PLAIN.fullmatch(value) and value.lower() not in _WORDS
    return str(value) if plain else json.dumps(value, ensure_ascii=False)


def default_lines() -> Iterator[str]:
    """Yield some settings with the models' defaults, each a comment that becomes a setting without its `# `."""
    yield "# What follows are defaults, to be changed by taking the # away. `phonxling schema` lists all settings."
    for name in SHOWN:
        default = Experiment.model_fields[name].default
        value = default.model_dump(mode="json") if hasattr(default, "model_dump") else default
        lines = textwrap.wrap(f"{name}: {flow(value)}", _WIDTH, subsequent_indent="  ", break_on_hyphens=False)
        yield from (f"# {line}" for line in lines)


def _tried(path: Path, text: str, extra: str) -> tuple[str | None, tuple[str, ...], Mapping[str, str]]:
    """Return what `check` finds wrong ("": nothing; None: too much to read), what it says, and patterns of speakers."""
    with TemporaryDirectory(prefix="phonxling-") as folder:
        table = Path(folder) / EXTRA
        table.write_text(extra, encoding="utf-8")
        settings = parse_yaml(text.replace(EXTRA, flow(table.as_posix())), str(path))
        try:
            experiment = experiment_of(cast("dict[str, Any]", settings), str(path), folder=path.parent)
            files = (getattr(corpus, kind) for corpus in experiment.corpora.values() for kind in corpus.FILES)
            paths = dict.fromkeys(Path(str(file.path)) for file in files if file is not None)
            each = [file for one in paths for file in matching(one, (*known_endings(), *posterior_endings()))[1]]
            if len(each) > MOST_FILES or sum(file.stat().st_size for file in each) > MOST_BYTES:
                return None, (), {}
            corpora, read = checked(experiment)
        except PhonxlingError as error:
            return str(error).replace(str(table), str(path.with_name(EXTRA))), (), {}
    said = all_lines(corpora, experiment, read, verbose=False)
    patterns = {loaded.name: pattern for loaded in corpora if (pattern := suggested_pattern(loaded))}
    return "", tuple(shown(line, _LONGEST) for line in said), patterns

"""What lies in a folder, for a starter configuration: phones, posteriors, speakers, labels, maps of symbols."""

import os
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cache
from html import unescape
from itertools import islice
from pathlib import Path, PurePath
from types import MappingProxyType
from typing import Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from phonxling.core.errors import DataError, PhonxlingError, quote
from phonxling.core.posteriorgram import RawPosteriors, probabilities, scale_of
from phonxling.core.sequences import Transcript
from phonxling.load.columns import choose_columns, choose_table_columns, find_phone_columns, recognise_fields
from phonxling.load.formats import BUILT_IN, fields_of, guess_format, known_endings, load_transcript, values_in
from phonxling.load.posteriors import FORMATS, MOST_COLUMNS, load_raw_posteriors
from phonxling.load.resources import LANGUAGES, load_speakers, load_symbol_map, panphon_features, read_labels
from phonxling.load.tables import cells_of
from phonxling.load.text import decode, find_files, has_ending, read_bytes, split_lines
from phonxling.load.tiers import fold_tier_name, read_textgrid
from phonxling.phones.ipa import decide
from phonxling.phones.symbols import BLANKS, BUILT_IN as SYMBOL_SETS, SILENCE, SymbolRules
from phonxling.phones.unknown import match_sets

Role: TypeAlias = Literal["gold", "predicted", ""]
Key: TypeAlias = tuple[str, ...]

MOST_FOLDERS, DEEPEST = 300, 6
MOST_BYTES = 300_000_000  # that are read at once
_OF_A_RUN = frozenset({"manifest.json", "run.json"})  # a folder that holds them is one of results
_OF_THE_SYSTEM = frozenset(map(Path, ("/proc", "/sys", "/dev")))  # whose files may wait, or have no end
_MOST_LANGUAGES = 300
_FORM_OF = {
    ending: name for name, form in BUILT_IN.items() if form.by_speaker or name == "eaf" for ending in form.endings
}
# Hugging Face's names (data-00000-of-00002.parquet), and outputs that are numbered by process (pred.0.jsonl).
_SHARD = re.compile(r"(?<=-)\d{5}(?=-of-\d{5}\.)|(?<=\.)\d+(?=\.jsonl$)")  # which of several files of one table
_SHARDED_ENDINGS = frozenset({".jsonl", ".ndjson", ".parquet", ".arrow"})
_VOCABULARIES = {".json", ".yaml", ".yml"}
_NO_TEXT = {".wav", ".flac", ".mp3", ".md", ".py", ".pdf"}
_NOT_SPOKEN = "dict dictionary dictionaries lexicon lexicons pronunciations map mapping readme license"
_NO_PHONES = "holds no phones that a symbol set knows, or no ids"

_TEXTS, _OPENED, _ARRAYS = 100, 200, 100  # files of a folder: of text, of an utterance each, of posteriors
_UTTERANCES, _FRAMES = 12, 400  # of a file of posteriors, and of each of these
_NAMED, _LONGEST = 3, 200  # files with one reason; letters of a reason
_SAMPLE = 50  # rows of a table, or files of an utterance each
_LIST = 1 << 16  # bytes of a list of labels
# A CTC recogniser gives most frames to its blank; no phone of a language has so much of all speech.
_BLANK_MASS = 0.3  # the mean mass that a blank has at least

# Words are thousands of different "symbols", and asking of each what it could be takes long: the commonest decide.
_TRIED_SYMBOLS = 60  # symbols where there are so many that they may be words
_MANY, _LONG = 300, 4.0  # distinct symbols, and their mean length, beyond which they may be words
_LONG_PHONES = 2.5  # the mean length up to which symbols are phones, and not words of joined ones
# A person decides about the rest: some symbols of its own, as most transcriptions have, do not make a file unfit.
_KNOWN_SHARE = 0.7  # the share of tokens that a set must know of phones
_KNOWN_OF_SIDE = 0.5  # the same where a name says gold or predicted
_OF_WORDS = 0.85  # the same of words of joined phones: some of plain letters could be of any language
_OF_IPA = 0.15  # the share of words with a letter of the IPA alone, beyond which they are no spelling
_IPA = re.compile("[\u0250-\u02ffæðøŋœβθχ]")


@dataclass(frozen=True, eq=False)
class Input:
    """Phones of one side, posteriors or speakers: a file, a part of one (columns, a tier), or a folder of files."""

    path: Path
    key: Key
    ids: frozenset[str] = frozenset()
    counts: Counter[str] = field(default_factory=Counter)  # of symbols; of posteriors each column once
    settings: Mapping[str, object] = field(default_factory=dict)  # what a configuration has to say of it
    decision: str = ""
    role: Role = ""
    form: str = ""
    tier: str = ""
    columns: Mapping[str, str] = field(default_factory=dict)
    timed: bool = False
    known: float = 1.0  # the share of its symbols that a set knows
    language: str = ""  # the column of a table of several languages
    canonical: Mapping[str, str] | None = None  # of a file that says what should be said, too: its columns


@dataclass
class Inputs:
    """All that was met below a folder."""

    root: Path
    sides: list[Input] = field(default_factory=list)
    arrays: list[Input] = field(default_factory=list)
    speakers: list[Input] = field(default_factory=list)
    maps: dict[Path, frozenset[str]] = field(default_factory=dict)
    labels: dict[Path, tuple[str, ...]] = field(default_factory=dict)
    passed: dict[tuple[bool, str], list[Path]] = field(default_factory=dict)  # of no use: should they be, and why

    def pass_over(self, path: Path, why: str | Exception, *, wanted: bool = False) -> None:
        """Note that a file is of no use, though its name may say so; an error's first line tells why."""
        if isinstance(why, Exception):
            first = str(why).splitlines()[0].partition(": ")[2] or "cannot be read"
            why = re.sub(r"; found: .*?(?=\. [A-Z]|$)", "", first)
        self.passed.setdefault((wanted, why), []).append(path.relative_to(self.root))

    def passed_over(self) -> Iterator[str]:
        """Yield which files are of no use and why, first those whose names say that they are."""
        used = {one.path.relative_to(self.root) for one in self.arrays}
        for (wanted, why), every in sorted(self.passed.items(), key=lambda item: not item[0][0]):
            if paths := [quote(path.as_posix()) for path in every if path not in used]:
                names = " ".join(paths[:_NAMED]) + f" and {len(paths) - _NAMED} more" * (len(paths) > _NAMED)
                yield f"{'not read as phones' if wanted else 'passed over'}: {names} ({quote(why, _LONGEST)})"


def scan_folder(root: Path) -> Inputs:
    inputs, files = Inputs(root), dict[Path, list[Path]]()
    for folder, paths in _list_files(inputs).items():
        sharded = (path for path in paths if path.suffix.lower() in _SHARDED_ENDINGS)
        globs = {path: path.with_name(_SHARD.sub("*", path.name)) for path in sharded}
        # One file alone keeps its name: a pattern would take in what comes into the folder later.
        several = {glob for glob, number in Counter(globs.values()).items() if number > 1}
        files[folder] = [*dict.fromkeys(glob if (glob := globs.get(path)) in several else path for path in paths)]
    every = [path for paths in files.values() for path in paths]
    alone: dict[Path, str] = {path: form for path in every if (form := _FORM_OF.get(path.suffix.lower()))}
    for path in every:
        if (ending := path.suffix.lower()) in _NO_TEXT:
            inputs.pass_over(path, f"{ending} holds no phones")
    for paths in files.values():
        texts = [path for path in paths if path.suffix.lower() not in {*_FORM_OF, *FORMATS, *_NO_TEXT}]
        # Files whose names say gold or predicted go first, so that a folder of notes does not crowd them out.
        texts.sort(key=lambda path: not read_role(path.relative_to(root))[0])
        for path in texts[:_TEXTS]:
            _add_text(path, inputs)
        for path in texts[_TEXTS:]:
            inputs.pass_over(path, f"after the first {_TEXTS} files of a folder")
        # Files of one utterance each, named by its file, are an input of their folder, not one each.
        own = [side for side in inputs.sides if side.path in texts]
        if all(side.ids == {side.path.stem} for side in own):
            inputs.sides = [side for side in inputs.sides if side not in own]
            forms = {side.path.suffix.lower(): guess_format(side.path) for side in own}
            alone |= {path: forms[path.suffix.lower()] for path in texts if path.suffix.lower() in forms}
    inputs.sides += _folder_sides(files, alone, inputs)
    for folder, paths in files.items():
        inputs.arrays += _arrays_in(folder, paths, inputs)
    return inputs


def _list_files(inputs: Inputs) -> dict[Path, list[Path]]:
    files, seen, root = dict[Path, list[Path]](), set[Path](), inputs.root
    # Links are followed, since data sets are often linked into a project; each real folder is searched once.
    for name, folders, names in os.walk(root, followlinks=True):
        place, real, why = Path(name), Path(name).resolve(), ""
        if real in seen | {*root.resolve().parents}:
            why = "a link to a folder that was searched, or holds this one"
        elif _OF_THE_SYSTEM & {real, *real.parents}:
            why = "a folder of the system"
        elif len(place.relative_to(root).parts) > DEEPEST or len(seen) >= MOST_FOLDERS:
            why = f"not searched, beyond {MOST_FOLDERS} folders or too deep"
        if why:
            inputs.pass_over(place, why)
        skip = bool(why) or (place != root and not _OF_A_RUN.isdisjoint(names))
        folders[:] = [] if skip else sorted(each for each in folders if each[:1] != ".")
        seen.add(real)
        for path in () if skip else (place / each for each in sorted(names) if each[:1] != "."):
            if not os.path.isfile(path):  # noqa: PTH113 - it never raises
                inputs.pass_over(path, "a link that leads nowhere, a pipe or a device")
            else:
                files.setdefault(place, []).append(path)
    return files


# What a file is, its lines say, by the functions that read it later. Names say only which of two sides is gold, and
# which files are of one corpus.
def _add_text(path: Path, inputs: Inputs) -> None:
    role, key = read_role(path.relative_to(inputs.root))
    try:
        if path.is_file() and path.stat().st_size > MOST_BYTES:
            why = f"larger than {MOST_BYTES // 1_000_000} MB: write its path into the configuration"
            inputs.pass_over(path, why, wanted=bool(role))
        elif labels := _labels_in(path):
            inputs.labels[path] = labels
        elif known := _symbols_of_map(path):
            inputs.maps[path] = known
        elif (table := _speakers_in(path, key)) is not None:
            inputs.speakers.append(table)
        elif words := {*_NOT_SPOKEN.split()} & {*_words_of(" ".join(path.relative_to(inputs.root).parts[-2:]))}:
            inputs.pass_over(path, f"called {min(words)}")
        else:
            sides = _sides_of(path, role, key)
            inputs.sides += sides
            if not sides:
                inputs.pass_over(path, _NO_PHONES, wanted=bool(role))
    except (PhonxlingError, OSError) as error:
        inputs.pass_over(path, error, wanted=bool(role))


def _labels_in(path: Path) -> tuple[str, ...]:
    # A vocabulary, or a list of one label a line that may be numbered.
    if path.suffix.lower() in _VOCABULARIES:
        with suppress(DataError):
            return read_labels(path).names
        return ()
    rows = _rows(path) if path.suffix.lower() != ".csv" else []
    numbered = all(len(row) == 2 and row[1].isdecimal() for row in rows)
    if not (numbered or all(len(row) == 1 for row in rows)) or not 1 < len(rows) <= MOST_COLUMNS:
        return ()
    return read_labels(path).names if numbered else tuple(dict.fromkeys(row[0] for row in rows))


def _symbols_of_map(path: Path) -> frozenset[str]:
    if path.suffix.lower() == ".tsv" and (_rows(path)[:1] == [["symbol", "ipa"]] or "map" in _words_of(path.name)):
        with suppress(DataError):
            return frozenset(unicodedata.normalize("NFC", symbol) for symbol in load_symbol_map(path))
    return frozenset()


def _rows(path: Path) -> list[list[str]]:
    with suppress(DataError):
        return [line.split() for line in split_lines(decode(path, read_bytes(path, _LIST))) if line.strip()]
    return []


def _speakers_in(path: Path, key: Key) -> Input | None:
    with suppress(DataError):
        if path.name == "utt2spk":
            return Input(path, key, frozenset(load_speakers(path)))
        kinds = recognise_fields(fields_of(path)) if path.suffix.lower() in {".tsv", ".csv"} else {}
        if kinds.keys() == {"utterance", "speaker"}:
            called = {kind: names[0] for kind, names in kinds.items()}
            columns = {kind: name for kind, name in called.items() if kind != name}
            return Input(path, key, frozenset(load_speakers(path, called)), settings={"columns": columns})
    return None


def _sides_of(path: Path, role: Role, key: Key) -> list[Input]:
    # Nothing when it holds no phones, two sides when it holds gold and predicted.
    form, needs_form = _guess_form(path, role)
    fields = fields_of(path, form)
    kinds: list[Role] = [own for own in ("gold", "predicted") if own in recognise_fields(fields)]
    sides, problems = list[Input](), list[DataError]()
    sole: Role = role or (kinds[0] if kinds else "")
    settings = {"format": form} if needs_form else {}
    for own in kinds if len(kinds) == 2 else [sole]:
        try:
            sides += filter(None, [_read_side(Input(path, key, role=own, form=form, settings=settings), fields)])
        except DataError as error:
            problems.append(error)
    if problems and not sides and not sole and form in {"tsv", "csv"}:  # a person decides which of two is gold
        names = find_phone_columns(fields, _first_rows(path, form)[1:])
        asked = [_choose_columns(path, form, "", {"phones": name}) for name in names if len(names) == 2]
        sides += filter(None, [_read_side(Input(path, key, form=form, columns=each), fields) for each in asked])
    if problems and not sides:
        raise problems[0]
    return sides


def _first_rows(path: Path, form: str) -> list[list[str]]:
    return [row for _, row in islice(cells_of(find_files(path, (f".{form}",))[0][1], form), _SAMPLE)]


def _choose_columns(
    path: Path, form: str, side: str, asked: Mapping[str, str] = MappingProxyType({})
) -> dict[str, str]:
    # Columns are written down, so that a person sees what is read; {} where the reader needs none.
    with suppress(DataError):
        if form in {"tsv", "csv"}:
            rows = _first_rows(path, form)
            chosen = choose_table_columns(rows, asked, side, lambda some: find_symbols(Counter(some)).share, alone=True)
        else:
            chosen = choose_columns(fields_of(path, form), side=side)
        times = recognise_fields(chosen.fields).get("times", []) if "phones" in chosen.titles else []
        return {**chosen.setting, **({"times": times[0]} if len(times) == 1 else {})}
    return {}


def _read_side(side: Input, fields: Sequence[str]) -> Input | None:
    # Each of its languages is read alone where ids occur in several. None where it holds no phones.
    path, form, reader = side.path, side.form, side.role or "gold"
    columns = side.columns or _choose_columns(path, form, reader)
    language = next((name for name in fields if name.lower() in LANGUAGES), "")
    names = values_in(path, form, columns, language)[:_MOST_LANGUAGES] if language else []
    try:
        parts = [load_transcript(path, form, columns or None, side=reader)]
    except DataError:
        if len(names) < 2:
            raise
        wheres = ({language: [name]} for name in names)
        parts = [load_transcript(path, form, columns or None, where=where, side=reader) for where in wheres]
    counts = sum(map(_count_tokens, parts), Counter[str]())
    if not (best := find_symbols(counts)).is_plausible(side.role):
        return None
    asked = reader == "gold" and "canonical" in recognise_fields(fields)
    return replace(
        side,
        ids=frozenset(name for part in parts for name in part.utterances),
        counts=counts,
        known=best.share,
        columns=columns,
        settings={**side.settings, "columns": columns},
        language=language if len(names) > 1 else "",
        canonical=_choose_columns(path, form, "canonical") if asked else None,
        timed=parts[0].start is not None,
    )


def _count_tokens(transcript: Transcript) -> Counter[str]:
    return Counter(dict(zip(transcript.symbols, transcript.counts.tolist(), strict=True)))


def _guess_form(path: Path, role: Role) -> tuple[str, bool]:
    # The format of a file, and whether it has to be named since nothing shows it.
    try:
        return guess_format(path), False
    except DataError:
        if path.suffix.lower() not in {"", ".txt"}:
            raise
        lines = read_bytes(path, 1 << 16).decode("utf-8", errors="replace").split("\n")[:-1]
        rows = [row for line in lines if (row := line.split())]
        # An id a line, each once, and phones after it; of plain lines, first words come again.
        if len({row[0] for row in rows}) == len(rows) and sum(len(row) > 2 for row in rows) > len(rows) / 2:
            return "kaldi-text", True
        if role and len(rows) > 1:
            return "lines", True
        raise


def _folder_sides(files: Mapping[Path, Sequence[Path]], alone: Mapping[Path, str], inputs: Inputs) -> Iterator[Input]:
    # Of files that hold one utterance each every folder below which they are is an input, and every tier with phones.
    opened: dict[Path, Mapping[str, Transcript]] = {}  # by tier
    groups: dict[tuple[Path, str], list[Path]] = {}  # files of an utterance each, by each folder around them and format
    for folder, paths in files.items():
        own = [path for path in paths if path in alone]
        some = own[:: max(1, -(-len(own) // _OPENED))]
        opened |= {path: _open_transcripts(path, alone[path], inputs) for path in some}
        for above in (above for above in (folder, *folder.parents) if above.is_relative_to(inputs.root)):
            for path in own:
                groups.setdefault((above, alone[path]), []).append(path)
    without = dict.fromkeys(path for path, tiers in opened.items() if tiers)  # files in which no phones were found
    for (folder, form), members in groups.items():
        if {"gold", "predicted"} <= {read_role(path.parent.relative_to(folder))[0] for path in members}:
            continue  # a folder around gold and predictions is neither
        tiers = [(path, tier, own) for path in members for tier, own in opened.get(path, {}).items()]
        several = max(Counter(path for path, *_ in tiers).values(), default=0) > 1
        for plain in dict.fromkeys(fold_tier_name(tier) for _, tier, _ in tiers):  # case and spaces do not matter
            read = {path: own for path, tier, own in tiers if fold_tier_name(tier) == plain}
            names = Counter(tier for _, tier, _ in tiers if fold_tier_name(tier) == plain) if several else {"": 1}
            lacking = [path for path in members if path in opened and path not in read]
            side = Input(folder, (), form=form, tier=max(names, key=lambda name: names[name]))
            if (whole := _join_files(side, members, read, lacking, inputs.root)) is not None:
                without = {path: None for path in without if path not in read}
                yield whole
    for path in without:
        inputs.pass_over(path, _NO_PHONES)


def _open_transcripts(path: Path, form: str, inputs: Inputs) -> dict[str, Transcript]:
    # By tier; `Mary - phones` is `* - phones` where one tier alone is called so.
    by_tier, problems, tiers = dict[str, Transcript](), list[DataError](), [""]
    try:
        if form == "textgrid":
            tiers = [tier.name for tier in read_textgrid(path)]
        elif form == "eaf":
            text = decode(path, read_bytes(path))
            tiers = [unescape(name) for name in re.findall(r'<TIER\b[^>]*?\bTIER_ID="([^"]*)"', text)]
    except DataError as error:
        problems.append(error)
    general = {name: re.sub("^.* - ", "* - ", name) for name in tiers}
    number = Counter(map(fold_tier_name, general.values()))
    for tier in tiers if not problems else ():
        name = general[tier] if number[fold_tier_name(general[tier])] == 1 else tier
        try:
            by_tier[name] = load_transcript(path, form, tier=tier or None)
        except DataError as error:  # such as the words of another tier
            problems.append(error)
    if problems and not by_tier:
        inputs.pass_over(path, problems[0])
    return by_tier


def _join_files(
    side: Input, members: Sequence[Path], read: Mapping[Path, Transcript], lacking: Sequence[Path], root: Path
) -> Input | None:
    counts = sum(map(_count_tokens, read.values()), Counter[str]())
    path = side.path if len(read) > 1 or not lacking else next(iter(read))
    role, key = read_role(path.relative_to(root))
    named = _role_of_tier(side.tier)
    role = role if named is None else named
    if not (best := find_symbols(counts)).is_plausible(role):
        return None
    decision = ""
    if lacking and path == side.path:
        decision = f"{len(lacking)} of {len(members)} files have no tier '{side.tier}', such as {lacking[0].name}"
        decision += "; keep those that have it in a folder of their own"
    having = [file for file in members if file not in {*lacking}]
    names = (file.relative_to(path) if file != path else Path(file.name) for file in having)
    tier = side.tier or None
    # Labels may say what should be said beside what was said.
    canonical = any(
        _count_tokens(load_transcript(file, side.form, tier=tier, side="canonical")) != _count_tokens(own)
        for file, own in islice(read.items(), _SAMPLE)
    )
    # A folder stands for the format's endings alone.
    alike = has_ending(members[0].name, BUILT_IN[side.form].endings) or path != side.path
    depth = "*" if all(file.parent == path for file in members) else "**/*"
    return replace(
        side,
        path=path if alike else path / f"{depth}{members[0].suffix}",
        role=role,
        key=key,
        ids=frozenset(name.with_suffix("").as_posix().replace("/", "_") for name in names),
        counts=counts,
        settings={"format": side.form if path == side.path else "", "tier": side.tier},  # other files may come into it
        timed=all(each.start is not None for each in read.values()),
        known=best.share,
        canonical={} if canonical else None,
        decision=decision,
    )


def _arrays_in(folder: Path, files: Sequence[Path], inputs: Inputs) -> Iterator[Input]:
    arrays = [path for path in files if path.suffix.lower() in FORMATS]
    if any(path.suffix.lower() == ".scp" for path in arrays):  # a list names the archives beside it
        arrays = [path for path in arrays if path.suffix.lower() != ".ark"]
    alone = [path for path in arrays if path.suffix.lower() == ".npy"]
    several = [path for path in arrays if path.suffix.lower() != ".npy"]
    each: list[Input] = []
    for path in [*([_pattern(folder, alone, files)] if alone else []), *several[:_ARRAYS]]:
        try:
            each.append(_read_posteriors(path, inputs))
        except (DataError, OSError) as error:
            inputs.pass_over(path, error, wanted=True)
    yield from each
    ids = Counter(name for one in each for name in one.ids)
    alike = len({(*one.counts, one.path.suffix) for one in each}) == 1 and len(ids) == ids.total()
    if len(each) == len(several) > 1 and not alone and alike:
        key = tuple(word for word in each[0].key if all(word in one.key for one in each))
        yield replace(each[0], path=_pattern(folder, several, files), key=key, ids=frozenset(ids))


def _pattern(folder: Path, meant: Sequence[Path], files: Sequence[Path]) -> Path:
    if len(meant) == len(files):
        return folder
    return folder / f"{os.path.commonprefix([path.stem for path in meant])}*{meant[0].suffix}"  # noqa: RUF071 - letters are compared


def _read_posteriors(path: Path, inputs: Inputs) -> Input:
    # The first frames tell the scale (rows that sum to 1, or whose exponentials do, or numbers of both signs), and the
    # blank: a column that is called so, with more of the mass than any phone could have.
    names, raw = _find_labels(path, inputs.labels)
    first = [_read_frames(raw, name) for name in raw.utterances[:: max(1, len(raw.utterances) // _UTTERANCES)]]
    if len(widths := {each.shape[1] for each in first}) > 1:
        msg = f"arrays have {min(widths)} to {max(widths)} columns, where posteriors are [frames, columns]; transposed?"
        raise DataError(f"{raw.source}: {msg}")
    values = np.concatenate([each[:_FRAMES] for each in first])
    scale, numbers = scale_of(values), np.asarray(values, dtype=np.float64)
    mass = np.zeros(values.shape[1])  # the share of all probability that each column has
    if scale:
        mass = np.asarray(probabilities(numbers, scale, "posteriors").mean(axis=0))
    decision = "" if scale else f"scale: a row sums to {float(values[0].sum()):.3g}, not to 1; say what the numbers are"
    if not raw.labels:
        remedy = "write one label per line into phones.txt beside them"
        decision = f"labels: no list names the {values.shape[1]} columns; {remedy}"
    called = [place for place, label in enumerate(raw.labels) if label.lower() in BLANKS]
    blank = max(called, key=lambda place: float(mass[place]), default=None)
    settings = {
        "labels": names.relative_to(inputs.root).as_posix() if names else "",
        "scale": "" if scale == "probability" else scale,
        "blank": raw.labels[blank] if blank is not None and mass[blank] >= _BLANK_MASS else "",
    }
    key, timed = read_role(path.relative_to(inputs.root))[1], raw.frame_shift is not None
    return Input(path, key, frozenset(raw.utterances), Counter(raw.labels), settings, decision, timed=timed)


def _find_labels(path: Path, lists: Mapping[Path, tuple[str, ...]]) -> tuple[Path | None, RawPosteriors]:
    try:
        return None, load_raw_posteriors(path)
    except DataError:
        raw = load_raw_posteriors(path, labels=["unlabelled"])  # raises when it is not the labels that are missing
    columns = _read_frames(raw, raw.utterances[0]).shape[1]
    near = sorted(lists, key=lambda each: (len(os.path.relpath(each, path.parent)), each))
    fitting = next((each for each in near if len(lists[each]) == columns), None)
    return fitting, replace(raw, labels=() if fitting is None else lists[fitting])


def _read_frames(raw: RawPosteriors, name: str) -> NDArray[np.floating]:
    rows = np.asarray(raw.read(name))
    rows = rows[0] if rows.ndim == 3 and len(rows) == 1 else rows
    if rows.ndim != 2 or rows.dtype.kind not in "fiu":
        raise DataError(f"{raw.source}: '{name}' has the shape {rows.shape}; posteriors are [frames, columns]")
    return rows


class SymbolsFound(NamedTuple):
    """The symbol set that fits best, by name or as a map's path; the symbols that it does not know; what it knows."""

    symbols: str | Path
    unknown: tuple[str, ...]
    share: float

    def is_plausible(self, role: Role = "") -> bool:
        """Return whether these are phones; of a side that is called one, a person decides about the others."""
        return self.share >= (_KNOWN_OF_SIDE if role else _OF_WORDS if self.symbols == "ipa-joined" else _KNOWN_SHARE)


def find_symbols(
    counts: Mapping[str, int], maps: Mapping[Path, frozenset[str]] | None = None, *, columns: bool = False
) -> SymbolsFound:
    """Return in which set symbols are written: a map that knows all goes first; of words, the commonest decide."""
    spoken = Counter({symbol: number for symbol, number in counts.items() if symbol.lower() not in SILENCE})
    names = {unicodedata.normalize("NFC", symbol) for symbol in spoken}
    for path, known in (maps or {}).items():
        # Half of the map at least, or any map that has a, e, i, o and u would fit.
        if names <= known and len(names) >= len(known) / 2:
            return SymbolsFound(path, (), 1.0)
    # By tokens, so that rare typos without spaces do not make phones look like words.
    length = sum(len(symbol) * number for symbol, number in spoken.items()) / max(spoken.total(), 1)
    may_be_words = not columns and (len(spoken) > _MANY or length > _LONG)
    tried = Counter(dict(spoken.most_common(_TRIED_SYMBOLS))) if may_be_words else spoken
    # Two letters or three are a phone with its diacritics, or a label such as ah0; more are words.
    joined = length > _LONG_PHONES and not columns
    best = next(fit for fit in match_sets(tried, panphon_features()) if joined or fit.name != "ipa-joined")
    ipa = sum(tried[symbol] for symbol in tried if _IPA.search(symbol)) >= _OF_IPA * tried.total()
    plain = () if best.name == "ipa-joined" and ipa else best.doubtful  # of some languages most words are of a to z
    doubtful = {*best.unknown, *plain, *(symbol for symbol in tried if len(symbol.split()) > 1)}
    # By tokens as well: one unknown symbol that is frequent weighs more than ten that occur once.
    share = sum(tried[symbol] for symbol in tried if symbol not in doubtful) / max(tried.total(), 1)
    unknown = best.unknown
    if len(tried) < len(spoken) and best.name != "ipa-joined":  # all of them, now that the set is known
        chosen, table, rules = SYMBOL_SETS[best.name], panphon_features(), SymbolRules()
        unknown = tuple(symbol for symbol in spoken if decide(symbol, chosen, table, rules) is None)
    return SymbolsFound(best.name, unknown, share if len(tried) > 1 else 0.0)


# A word for a side in the file's name, or else in that of a folder around it, is its role; the words that are left are
# the key of its corpus. A recogniser's name is a word for predictions; in a tier's name, a forced aligner's is, too.
def _split_words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_RECOGNISERS = _split_words("""
    wav2vec wav2vec2 w2v w2v2 hubert wavlm xlsr xls whisper allosaurus allophant zipa powsm xeus phoneticxeus
    recogniser recognizer
""")
_OF_TIERS = _split_words("mfa maus auto automatic model machine system kaldi espnet nemo icefall ctc espeak")
_WORDS_OF_PREDICTED = _split_words("""
    predicted prediction predictions pred preds hyp hyps hypothesis hypotheses decoded recognised recognized
    output outputs asr decode decoding
""")
_GOLD = _split_words("gold ref refs reference references truth canonical manual human stm")
_PERHAPS_GOLD = _split_words("transcript transcripts transcription transcriptions text labels phones")
_OTHER_WORDS = _split_words("""
    posterior posteriors post ppg ppgs posteriorgram posteriorgrams probs probabilities logits speaker speakers
    spk utt2spk segment segments times alignment alignments intervals vs and
""")
_PREDICTED_WORDS = _WORDS_OF_PREDICTED | _RECOGNISERS
_CLEAR: Mapping[Role, frozenset[str]] = {"gold": _GOLD, "predicted": _PREDICTED_WORDS}
_UNCLEAR: Mapping[Role, frozenset[str]] = {"gold": _PERHAPS_GOLD, "predicted": frozenset({"ctm"})}
_SIDES = _GOLD | _WORDS_OF_PREDICTED | _PERHAPS_GOLD | {"ctm"}
_SHARD_NAME = re.compile(r"-(\d{5}|\*)-of-\d{5}")  # of a data set in several files
_PHONES = {"phones", "phone", "phoneme", "phonemes", "segments", "segment", "mau", "ipa"}


def read_role(path: PurePath) -> tuple[Role, Key]:
    """Return what a path below the folder says: the role, "" when it says none, or both; the words of the corpus."""
    path = path.with_suffix("") if path.suffix.lower() in _endings() else path
    parts = [_words_of(_SHARD_NAME.sub("", part)) for part in path.parts] or [[]]
    places = [(known, place) for known in (_CLEAR, _UNCLEAR) for place in reversed(range(len(parts)))]
    # Clear words of any folder go before unclear ones of the file: predicted/text.txt holds predictions.
    roles = ((role, place) for known, place in places if (role := _role_of_words(parts[place], known)))
    role, giving = next(roles, ("", -1))
    of_no_corpus = {giving: _SIDES, len(parts) - 1: _SIDES | _OTHER_WORDS}
    key = (word for place, part in enumerate(parts) for word in part if word not in of_no_corpus.get(place, ()))
    return role, tuple(key)


@cache
def _endings() -> frozenset[str]:
    return frozenset((*known_endings(), *FORMATS, ".txt")) - {".ctm", ".stm"}  # which say what a file is


def _role_of_tier(tier: str) -> Role | None:
    # The role that a tier's name says, "" where it says both, None where it says nothing.
    # MFA and MAUS call their tiers phones and MAU; which side they are, the other words say.
    words = {*_words_of(tier)} - _PHONES
    if words & (_PREDICTED_WORDS | _OF_TIERS):
        return "" if words & _GOLD else "predicted"
    return _role_of_words(words, _CLEAR) or _role_of_words(words, _UNCLEAR) or None


def _role_of_words(words: Iterable[str], known: Mapping[Role, frozenset[str]]) -> Role:
    roles = [role for role, names in known.items() if names & {*words}]
    return roles[0] if len(roles) == 1 else ""


def _words_of(name: str) -> list[str]:
    return [word for word in re.split(r"[\W_]+", name.lower()) if word]

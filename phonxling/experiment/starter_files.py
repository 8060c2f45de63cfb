"""What lies in a folder, for a starter configuration: phones, posteriors, speakers, labels, maps of symbols."""

import os
import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cache
from html import unescape
from itertools import islice
from pathlib import Path, PurePath
from typing import Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from phonxling.core.errors import DataError, PhonxlingError, quote
from phonxling.core.posteriorgram import RawPosteriors, probabilities, scale_of
from phonxling.core.sequences import Transcript
from phonxling.load.columns import choose_columns, choose_table_columns, recognise_fields
from phonxling.load.formats import BUILT_IN, fields_of, guess_format, known_endings, load_transcript, values_in
from phonxling.load.posteriors import FORMATS, MOST_COLUMNS, load_raw_posteriors
from phonxling.load.resources import LANGUAGES, load_speakers, load_symbol_map, panphon_features, read_labels
from phonxling.load.tables import cells_of
from phonxling.load.text import decode, find_files, read_bytes, split_lines
from phonxling.load.tiers import fold_tier_name, read_textgrid
from phonxling.phones.symbols import BLANKS, SILENCE
from phonxling.phones.unknown import match_sets

Role: TypeAlias = Literal["gold", "predicted", ""]
Key: TypeAlias = tuple[str, ...]

MOST_FOLDERS, DEEPEST = 300, 6
MOST_BYTES = 300_000_000  # of a file that is read for its symbols
_OF_A_RUN = frozenset({"manifest.json", "run.json"})  # a folder that holds them is one of results
_OF_THE_SYSTEM = frozenset(map(Path, ("/proc", "/sys", "/dev")))  # whose files may wait, or have no end
_MOST_LANGUAGES = 300
_FORM_OF = {
    ending: name for name, form in BUILT_IN.items() if form.by_speaker or name == "eaf" for ending in form.endings
}
# Hugging Face's names (data-00000-of-00002.parquet), and outputs that are numbered by process (pred.0.jsonl).
_SHARD = re.compile(r"(?<=-)\d{5}(?=-of-\d{5}\.)|(?<=\.)\d+(?=\.jsonl$)")  # which of several files of one table
_VOCABULARIES = {".json", ".yaml", ".yml"}
_NO_TEXT = {".wav", ".flac", ".mp3", ".md", ".py", ".pdf"}
_NOT_SPOKEN = frozenset({"dict", "dictionary", "lexicon", "lexicons", "pronunciations", "map", "readme", "license"})
_NO_PHONES = "holds no phones that a symbol set knows, or no ids"

_TEXTS, _OPENED, _ARRAYS = 100, 200, 100  # files of a folder: of text, of an utterance each, of posteriors
_UTTERANCES, _FRAMES = 12, 400  # of a file of posteriors, and of each of these
_LONGEST = 200  # letters of a reason
_SAMPLE = 50  # rows of a table
_HEAD = 1 << 16  # bytes by which a list of labels, and the format of lines, are known
# A CTC recogniser gives most frames to its blank; no phone of a language has so much of all speech.
_BLANK_MASS = 0.3  # the mean mass that a blank has at least

_TRIED_SYMBOLS = 100  # of words, which are thousands of different "symbols", the commonest decide
_LONG_PHONES = 2.5  # the mean length up to which symbols are phones, and not words of joined ones
# Some symbols of its own, as most transcriptions have, do not make a file unfit.
_KNOWN_SHARE = 0.6  # the share of tokens that a set must know of phones
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
    role: Role = ""
    tier: str = ""
    timed: bool = False
    language: str = ""  # the column of a table of several languages


@dataclass
class Inputs:
    """All that was met below a folder."""

    root: Path
    sides: list[Input] = field(default_factory=list)
    arrays: list[Input] = field(default_factory=list)
    speakers: list[Input] = field(default_factory=list)
    maps: dict[Path, frozenset[str]] = field(default_factory=dict)
    labels: dict[Path, tuple[str, ...]] = field(default_factory=dict)
    passed: dict[Path, str] = field(default_factory=dict)  # of no use, and why

    def pass_over(self, path: Path, why: str | Exception) -> None:
        """Note that a file is of no use; an error's first line tells why."""
        if isinstance(why, Exception):
            why = str(why).splitlines()[0].partition(": ")[2] or "cannot be read"
        self.passed[path.relative_to(self.root)] = why

    def passed_over(self) -> Iterator[str]:
        """Yield which files are of no use and why, first those whose names say what they should be."""
        for path, why in sorted(self.passed.items(), key=lambda item: not read_role(item[0])[0]):
            yield f"passed over: {quote(path.as_posix())} ({quote(why, _LONGEST)})"


def scan_folder(root: Path) -> Inputs:
    inputs = Inputs(root)
    files = _list_files(inputs)
    alone: dict[Path, str] = {}  # files of an utterance each, and their format
    for folder, paths in files.items():
        alone |= {path: form for path in paths if (form := _FORM_OF.get(path.suffix.lower()))}
        texts = [path for path in paths if path.suffix.lower() not in {*_FORM_OF, *FORMATS, *_NO_TEXT}]
        # Files whose names say gold or predicted go first, so that a folder of notes does not crowd them out.
        texts.sort(key=lambda path: not read_role(path.relative_to(root))[0])
        for path in texts[:_TEXTS]:
            _add_text(path, inputs)
        if len(texts) > _TEXTS:
            inputs.pass_over(folder, f"after its first {_TEXTS} files")
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
        place, real = Path(name), Path(name).resolve()
        no_data = real in seen | {*root.resolve().parents} or bool(_OF_THE_SYSTEM & {real, *real.parents})
        too_many = len(place.relative_to(root).parts) > DEEPEST or len(seen) >= MOST_FOLDERS
        if too_many:
            inputs.pass_over(place, f"not searched, beyond {MOST_FOLDERS} folders or too deep")
        if no_data or too_many or (place != root and not _OF_A_RUN.isdisjoint(names)):
            folders.clear()
            continue
        folders[:] = sorted(each for each in folders if each[:1] != ".")
        seen.add(real)
        found = (place / each for each in sorted(names) if each[:1] != ".")
        regular = [path for path in found if os.path.isfile(path)]  # noqa: PTH113 - it never raises
        files[place] = [*dict.fromkeys(path.with_name(_SHARD.sub("*", path.name)) for path in regular)]
    return files


# What a file is, its lines say, by the functions that read it later. Names say only which of two sides is gold, and
# which files are of one corpus.
def _add_text(path: Path, inputs: Inputs) -> None:
    role, key = read_role(path.relative_to(inputs.root))
    try:
        if path.is_file() and path.stat().st_size > MOST_BYTES:
            raise DataError(f"{path}: larger than {MOST_BYTES // 1_000_000} MB; write its path into the configuration")
        if labels := _labels_in(path):
            inputs.labels[path] = labels
        elif known := _symbols_of_map(path):
            inputs.maps[path] = known
        elif (table := _speakers_in(path, key)) is not None:
            inputs.speakers.append(table)
        elif not _NOT_SPOKEN & {*_words_of(path.name), *_words_of(path.parent.name)}:
            sides = _sides_of(path, role, key)
            inputs.sides += sides
            if not sides:
                inputs.pass_over(path, _NO_PHONES)
    except (PhonxlingError, OSError) as error:
        inputs.pass_over(path, error)


def _labels_in(path: Path) -> tuple[str, ...]:
    # A vocabulary, or a list of one label a line that may be numbered.
    if path.suffix.lower() in _VOCABULARIES:
        with suppress(DataError):
            return read_labels(path).names
        return ()
    rows = _head_rows(path) if path.suffix.lower() != ".csv" else []
    numbered = all(len(row) == 2 and row[1].isdecimal() for row in rows)
    if not (numbered or all(len(row) == 1 for row in rows)) or not 1 < len(rows) <= MOST_COLUMNS:
        return ()
    return read_labels(path).names if numbered else tuple(dict.fromkeys(row[0] for row in rows))


def _symbols_of_map(path: Path) -> frozenset[str]:
    if path.suffix.lower() == ".tsv" and (_head_rows(path)[:1] == [["symbol", "ipa"]] or "map" in _words_of(path.name)):
        with suppress(DataError):
            return frozenset(unicodedata.normalize("NFC", symbol) for symbol in load_symbol_map(path))
    return frozenset()


def _head_rows(path: Path) -> list[list[str]]:
    with suppress(DataError):
        return [line.split() for line in split_lines(decode(path, read_bytes(path, _HEAD))) if line.strip()]
    return []


def _speakers_in(path: Path, key: Key) -> Input | None:
    with suppress(DataError):
        if path.name == "utt2spk":
            return Input(path, key, frozenset(load_speakers(path)))
        kinds = recognise_fields(fields_of(path)) if path.suffix.lower() in {".tsv", ".csv"} else {}
        if kinds.keys() == {"utterance", "speaker"}:
            columns = {kind: names[0] for kind, names in kinds.items() if kind != names[0]}
            return Input(path, key, frozenset(load_speakers(path, columns)), settings={"columns": columns})
    return None


def _sides_of(path: Path, role: Role, key: Key) -> list[Input]:
    # Nothing when it holds no phones, two sides when it holds gold and predicted.
    form, needs_form = _guess_form(path, role)
    fields = fields_of(path, form)
    both: tuple[Role, Role] = ("gold", "predicted")
    kinds = [own for own in both if own in recognise_fields(fields)]
    sides, problems = list[Input](), list[DataError]()
    sole: Role = role or (kinds[0] if kinds else "")
    settings = {"format": form} if needs_form else {}
    for own in kinds if len(kinds) == 2 else [sole]:
        try:
            sides += filter(None, [_read_side(Input(path, key, role=own, settings=settings), form, fields)])
        except DataError as error:
            problems.append(error)
    if problems and not sides:
        raise problems[0]
    return sides


def _choose_columns(path: Path, form: str, side: str) -> dict[str, str]:
    # Columns are written down, so that a person sees what is read; {} where the reader needs none.
    with suppress(DataError):
        if form in {"tsv", "csv"}:
            cells = cells_of(find_files(path, (f".{form}",))[0][1], form)
            rows = [row for _, row in islice(cells, _SAMPLE)]
            chosen = choose_table_columns(rows, {}, side, lambda some: find_symbols(Counter(some)).share, alone=True)
        else:
            chosen = choose_columns(fields_of(path, form), side=side)
        times = recognise_fields(chosen.fields).get("times", []) if "phones" in chosen.titles else []
        return {**chosen.setting, **({"times": times[0]} if len(times) == 1 else {})}
    return {}


def _read_side(side: Input, form: str, fields: Sequence[str]) -> Input | None:
    # Each of its languages is read alone where ids occur in several. None where it holds no phones.
    path, reader = side.path, side.role or "gold"
    columns = _choose_columns(path, form, reader)
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
    if not find_symbols(counts).plausible:
        return None
    return replace(
        side,
        ids=frozenset(name for part in parts for name in part.utterances),
        counts=counts,
        settings={**side.settings, "columns": columns},
        language=language if len(names) > 1 else "",
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
        lines = read_bytes(path, _HEAD).decode("utf-8", errors="replace").split("\n")[:-1]
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
    groups: dict[tuple[Path, str], list[Path]] = {}
    for folder, paths in files.items():
        own = [path for path in paths if path in alone]
        some = own[:: max(1, -(-len(own) // _OPENED))]
        opened |= {path: _open_transcripts(path, alone[path], inputs) for path in some}
        for above in (above for above in (folder, *folder.parents) if above.is_relative_to(inputs.root)):
            for path in own:
                groups.setdefault((above, alone[path]), []).append(path)
    for (folder, form), members in groups.items():
        if {"gold", "predicted"} <= {read_role(path.parent.relative_to(folder))[0] for path in members}:
            continue  # a folder around gold and predictions is neither
        tiers = [(path, tier, own) for path in members for tier, own in opened.get(path, {}).items()]
        several = max(Counter(path for path, *_ in tiers).values(), default=0) > 1
        found = False
        for plain in dict.fromkeys(fold_tier_name(tier) for _, tier, _ in tiers):  # case and spaces do not matter
            read = [own for _, tier, own in tiers if fold_tier_name(tier) == plain]
            name, _ = Counter(tier for _, tier, _ in tiers if fold_tier_name(tier) == plain).most_common(1)[0]
            tier = name if several else ""
            if (whole := _join_files(folder, form, tier, read, members=members, root=inputs.root)) is not None:
                found = True
                yield whole
        if not found and tiers:
            inputs.pass_over(folder, f"its {form} files: {_NO_PHONES}")


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
        inputs.pass_over(path, error)
        return {}
    general = {name: re.sub("^.* - ", "* - ", name) for name in tiers}
    number = Counter(map(fold_tier_name, general.values()))
    for tier in tiers:
        name = general[tier] if number[fold_tier_name(general[tier])] == 1 else tier
        try:
            by_tier[name] = load_transcript(path, form, tier=tier or None)
        except DataError as error:  # such as the words of another tier
            problems.append(error)
    if problems and not by_tier:
        inputs.pass_over(path, problems[0])
    return by_tier


def _join_files(
    folder: Path, form: str, tier: str, read: Sequence[Transcript], *, members: Sequence[Path], root: Path
) -> Input | None:
    counts = sum(map(_count_tokens, read), Counter[str]())
    if not find_symbols(counts).plausible:
        return None
    return Input(
        path=folder,
        key=read_role(folder.relative_to(root))[1],
        ids=frozenset(file.relative_to(folder).with_suffix("").as_posix().replace("/", "_") for file in members),
        counts=counts,
        settings={"format": form, "tier": tier},  # other files may come into the folder
        role=read_role(folder.relative_to(root) / tier.replace("/", " "))[0],
        tier=tier,
        timed=all(each.start is not None for each in read),
    )


def _arrays_in(folder: Path, files: Sequence[Path], inputs: Inputs) -> Iterator[Input]:
    arrays = [path for path in files if path.suffix.lower() in FORMATS]
    if any(path.suffix.lower() == ".scp" for path in arrays):  # a list names the archives beside it
        arrays = [path for path in arrays if path.suffix.lower() != ".ark"]
    single = [path for path in arrays if path.suffix.lower() == ".npy"]  # of an utterance each
    together = [folder if len(single) == len(files) else folder / "*.npy"] if single else []
    for path in [*together, *(path for path in arrays if path not in single)][:_ARRAYS]:
        try:
            yield _read_posteriors(path, inputs)
        except (DataError, OSError) as error:
            inputs.pass_over(path, error)


def _read_posteriors(path: Path, inputs: Inputs) -> Input:
    # The first frames tell the scale (rows that sum to 1, or whose exponentials do, or numbers of both signs), and the
    # blank: a column that is called so, with more of the mass than any phone could have.
    names, raw = _find_labels(path, inputs.labels)
    first = [_read_frames(raw, name) for name in raw.utterances[:: max(1, len(raw.utterances) // _UTTERANCES)]]
    values = np.concatenate([each[:_FRAMES] for each in first])
    scale, mass = scale_of(values), np.zeros(values.shape[1])  # the share of all probability that each column has
    if scale:
        mass = np.asarray(probabilities(np.asarray(values, np.float64), scale, "posteriors").mean(axis=0))
    called = [place for place, label in enumerate(raw.labels) if label.lower() in BLANKS]
    blank = max(called, key=lambda place: float(mass[place]), default=None)
    settings = {
        "labels": names.relative_to(inputs.root).as_posix() if names else "",
        "scale": "" if scale == "probability" else scale,
        "blank": raw.labels[blank] if blank is not None and mass[blank] >= _BLANK_MASS else "",
    }
    key = read_role(path.relative_to(inputs.root))[1]
    return Input(path, key, frozenset(raw.utterances), Counter(raw.labels), settings)


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

    @property
    def plausible(self) -> bool:
        """Whether these are phones."""
        return self.share >= (_OF_WORDS if self.symbols == "ipa-joined" else _KNOWN_SHARE)


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
    # By tokens, so that rare typos without spaces do not make phones look like words. Two letters or three are a phone
    # with its diacritics, or a label such as ah0; more are words.
    length = sum(len(symbol) * number for symbol, number in spoken.items()) / max(spoken.total(), 1)
    joined = length > _LONG_PHONES and not columns
    tried = Counter(dict(spoken.most_common(_TRIED_SYMBOLS)))
    best = next(fit for fit in match_sets(tried, panphon_features()) if joined or fit.name != "ipa-joined")
    ipa = sum(tried[symbol] for symbol in tried if _IPA.search(symbol)) >= _OF_IPA * tried.total()
    plain = () if best.name == "ipa-joined" and ipa else best.doubtful  # of some languages most words are of a to z
    doubtful = {*best.unknown, *plain, *(symbol for symbol in tried if len(symbol.split()) > 1)}
    # By tokens as well: one unknown symbol that is frequent weighs more than ten that occur once.
    share = sum(tried[symbol] for symbol in tried if symbol not in doubtful) / max(tried.total(), 1)
    return SymbolsFound(best.name, best.unknown, share if len(tried) > 1 else 0.0)


_OTHER_WORDS = frozenset(
    {"posteriors", "posterior", "post", "ppg", "probs", "logits", "utt2spk", "ctm", "stm", "vs", "and"}
)


def read_role(path: PurePath) -> tuple[Role, Key]:
    """Return which side a path below the folder says, "" when it says none, or both; and the words of the corpus.

    By the words that columns are known by, of the file or else of a folder around it.
    """
    path = path.with_suffix("") if path.suffix.lower() in _endings() else path
    parts = [_words_of(re.sub(r"-(\d{5}|\*)-of-\d{5}", "", part)) for part in path.parts]
    kinds = {word: next(iter(recognise_fields([word])), "") for part in parts for word in part}
    key = tuple(word for part in parts for word in part if not kinds[word] and word not in _OTHER_WORDS)
    # Clear words of any folder go before unclear ones of the file: predicted/text.txt holds predictions.
    for clear in (True, False):
        for part in reversed(parts):
            own = {kinds[word] for word in part} & ({"gold", "predicted"} if clear else {"phones"})
            if len(own) == 1:
                return ("predicted" if "predicted" in own else "gold"), key
            if own:
                return "", key
    return "", key


@cache
def _endings() -> frozenset[str]:
    return frozenset((*known_endings(), *FORMATS, ".txt"))


def _words_of(name: str) -> list[str]:
    return [word for word in re.split(r"[\W_]+", name.lower()) if word]

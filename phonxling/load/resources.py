"""Users' tables beside transcripts: costs, symbol maps, phones that are the same, speakers, features, languages."""

import csv
import difflib
import hashlib
import json
import math
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from itertools import chain, count, islice, permutations
from operator import itemgetter
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeVar

import numpy as np

from phonxling.core.costs import CostEntries, GapEntries, parse_cost
from phonxling.core.errors import DataError, check_arguments, join_problems, quote
from phonxling.core.features import FeatureTable
from phonxling.core.ids import same_ids
from phonxling.core.inventory import GAP
from phonxling.core.spelling import canonical_form
from phonxling.load.columns import list_columns, recognise_fields
from phonxling.load.formats import fields_of, values_in
from phonxling.load.tables import cells_of
from phonxling.load.text import MOST_MARKS, check_symbol, is_number, name_errors, read_bytes, read_lines, read_text

_Row = tuple[int, list[str]]
_Value = TypeVar("_Value")
_SHOWN_ROWS = 10  # faulty rows; the rest are counted


def _read_cells(path: Path, form: str = "") -> Iterator[_Row]:
    # No result could hold a cell with a tab or a line end.
    for line, cells in cells_of(path, form):
        bare = [cell.strip() for cell in cells]
        for cell in bare:
            if len(cell) > MOST_MARKS or not cell.isprintable():  # which are few of many rows
                check_symbol(cell, f"{path}:{line}", "cell")
        yield line, bare


def _take_rows(
    path: Path, what: str, header: Sequence[str], rows: Iterator[_Row], take: Callable[[int, list[str]], object]
) -> None:
    # `take` raises ValueError at a fault; the first ones are listed, and the others counted.

    def faults() -> Iterator[str]:
        line = 0
        for line, cells in rows:
            try:
                if len(cells) != len(header):
                    wanted = f"{len(header)}: {quote(', '.join(header), 60)}"
                    raise ValueError(f"{len(cells)} cell{'s' * (len(cells) != 1)}, but a row has {wanted}")
                take(line, cells)
            except ValueError as error:
                yield f"{path}:{line}: {error}"
        if not line:
            raise DataError(f"{path}: the {what} has no row")

    faulty = faults()
    problems = [*islice(faulty, _SHOWN_ROWS)]
    if number := len(problems) + sum(1 for _ in faulty):  # counted, not kept
        headline = f"{path}: {number} rows of the {what} cannot be used:"
        raise DataError(problems[0] if number == 1 else join_problems(headline, problems, more=number - len(problems)))


def _read_table(
    path: Path, what: str, header: Sequence[str], take: Callable[[int, list[str]], object], *, optional: bool = False
) -> None:
    rows = _read_cells(path)
    line, first = next(rows, (1, []))
    if [cell.lower() for cell in first] != [*header]:
        if not optional:
            wanted = f"{', '.join(header)} (tab-separated)"
            raise DataError(f"{path}:{line}: a {what} has the header {wanted}, not {list_columns(first)}")
        rows = chain([(line, first)] if first else [], rows)
    _take_rows(path, what, header, rows, take)


# A cost is a decimal number or a fraction, read exactly. ∅ (U+2205) on one side of a pair stands for no phone, so such
# a row is the cost of a deletion or an insertion.


def load_cost_table(path: Path) -> CostEntries:
    """Return the costs of a TSV with the header `gold, predicted, cost`."""
    rows = _read_keyed_rows(path, "table of costs", ("gold", "predicted", "cost"), parse_cost)
    pairs = {(gold, predicted): cost for (gold, predicted), (cost, _) in rows.items()}
    return CostEntries(pairs=pairs, source=str(path), digest=hashlib.sha256(read_bytes(path)).hexdigest())


def load_gap_costs(path: Path) -> GapEntries:
    """Return the costs of a TSV with the header `phone, cost`: of inserting, or of deleting, each phone."""
    rows = _read_keyed_rows(path, "table of costs", ("phone", "cost"), parse_cost)
    phones = {phone: cost for (phone,), (cost, _) in rows.items()}
    return GapEntries(phones=phones, source=str(path), digest=hashlib.sha256(read_bytes(path)).hexdigest())


def load_same_phones(path: Path) -> dict[str, tuple[str, int]]:
    """Return the counterpart of each phone of a TSV (target, reference), and its line; ∅ stands for none."""
    rows = _read_keyed_rows(path, "table of phones", ("target", "reference"), canonical_form)
    return {target: counterpart for (target,), counterpart in rows.items()}


def _read_keyed_rows(
    path: Path, what: str, header: tuple[str, ...], read: Callable[[str], _Value]
) -> dict[tuple[str, ...], tuple[_Value, int]]:
    rows: dict[tuple[str, ...], tuple[_Value, int]] = {}

    def take(line: int, cells: list[str]) -> None:
        key = tuple(map(canonical_form, cells[:-1]))
        if empty := [name for name, cell in zip(header, cells, strict=True) if not cell]:
            raise ValueError(f"an empty {empty[0]}" + f"; no phone is written {GAP} (U+2205)" * (empty[0] != "cost"))
        if set(key) == {GAP}:
            raise ValueError(f"{GAP} cannot be paired with {GAP}" if len(key) > 1 else f"{GAP} is not a phone")
        if key in rows:
            raise ValueError(f"{quote(' → '.join(key))} stands here again, after line {rows[key][1]}")
        rows[key] = read(cells[-1]), line

    _read_table(path, what, header, take)
    return rows


def load_contrasts(path: Path) -> tuple[tuple[str, str], ...]:
    """Return the pairs of phones of a TSV of two columns; a first row "phone, other" is a header."""
    pairs: list[tuple[str, str]] = []

    def take(_: int, cells: list[str]) -> None:
        first, other = cells
        if not first or not other or first == other:
            raise ValueError("a contrast is two different phones")
        pairs.append((first, other))

    _read_table(path, "table of contrasts", ("phone", "other"), take, optional=True)
    return tuple(pairs)


def load_symbol_map(path: Path) -> dict[str, str]:
    """Return IPA by symbol from a two-column TSV; a first row "symbol, ipa" is a header."""
    table: dict[str, str] = {}

    def take(_: int, cells: list[str]) -> None:
        symbol, ipa = unicodedata.normalize("NFC", cells[0]), cells[1]
        if not symbol:
            raise ValueError("an empty symbol")
        if table.setdefault(symbol, ipa) != ipa:
            symbols = f"to '{quote(ipa)}' after '{quote(table[symbol])}'"
            raise ValueError(f"'{quote(symbol)}' is mapped a second time, {symbols}")

    _read_table(path, "symbol map", ("symbol", "ipa"), take, optional=True)
    return table


def language_name(code: str) -> str:
    """Return the English name of a language of ISO 639-3, "" for a code that stands for none."""
    from iso639 import Lang  # a fortieth of a second, which a score need not wait
    from iso639.exceptions import InvalidLanguageValue

    # The standard's names say more than people write: Swahili (macrolanguage), Modern Greek (1453-).
    try:
        return str(Lang(code).name).partition(" (")[0]
    except InvalidLanguageValue:
        return ""


def corpus_titles(corpora: Mapping[str, Mapping[str, Any]]) -> dict[str, str]:
    """Return what people read of each corpus: its title, or its language; with its name where several share it."""
    titles = {name: about.get("title") or language_name(about.get("language") or "") for name, about in corpora.items()}
    number = Counter(titles.values())
    return {
        name: (title if number[title] == 1 else f"{title} ({name})") if title else name
        for name, title in titles.items()
    }


# Speakers of utterances: a TSV or CSV with `utterance` and `speaker`, Kaldi's utt2spk, or how their ids begin.

# Three speakers at least, and at most a tenth of the utterances each the only one of a speaker: otherwise the part of
# ids that differs is more likely a sentence, or a number.
_SEVERAL, _ALONE = 3, 0.1
_FAR = 1 << 30  # `find` gives −1 for a separator that an id lacks, which modulo this comes last


_Form = Literal["tsv", "csv", "utt2spk"]


def load_speakers(path: Path, columns: Mapping[str, str] | None = None, form: _Form | None = None) -> dict[str, str]:
    rows = _read_speaker_rows(path, columns or {}, form)
    return _collect_values(path, "the speaker of utterance", ((line, *cells) for line, cells in rows))


def load_groups(
    path: Path, columns: Mapping[str, str], form: _Form | None, names: Sequence[str]
) -> dict[str, dict[str, str]]:
    """Return what each of these columns says of each speaker, "" for nothing; DataError where it says two things."""
    rows = _read_speaker_rows(path, columns, form, names)
    return {
        name: _collect_values(path, f"{name} of speaker", ((line, cells[1], cells[place]) for line, cells in rows))
        for place, name in enumerate(names, start=2)
    }


def load_prompts(path: Path, columns: Mapping[str, str], form: _Form | None, name: str) -> dict[str, str]:
    return {utterance: prompt for _, (utterance, _, prompt) in _read_speaker_rows(path, columns, form, [name])}


def _collect_values(path: Path, what: str, rows: Iterable[Sequence[Any]]) -> dict[str, str]:
    values: dict[str, tuple[str, int]] = {}
    for line, owner, value in rows:
        other, first = values.setdefault(owner, (value, line))
        if other != value:
            both = f"'{quote(other)}' in line {first} and '{quote(value)}' here"
            raise DataError(f"{path}:{line}: {what} '{quote(owner)}' is {both}; it has one")
    return {owner: value for owner, (value, _) in values.items()}


def _read_speaker_rows(
    path: Path, columns: Mapping[str, str], form: _Form | None, more: Sequence[str] = ()
) -> list[tuple[int, tuple[str, ...]]]:
    # Kaldi's utt2spk has no header, and white space of any kind between id and speaker.
    kaldi = form == "utt2spk" if form else path.name == "utt2spk"
    split = ((line, text.split()) for line, text in read_lines(path))
    rows = split if kaldi else _read_cells(path, form or "")
    header = ["utterance", "speaker"] if kaldi else next(rows, (1, []))[1]
    # Ids come with the likeliest name first; of `speaker_sex` and `speaker_name`, none is the speaker for certain.
    kinds = recognise_fields(header)
    called = {role: named[0] for role, named in kinds.items() if role == "utterance" or len(named) == 1}
    exact = {role: role for role in header}
    names = [*({**called, **exact, **columns}.get(role, role) for role in ("utterance", "speaker")), *more]
    if missing := [name for name in names if name not in header]:
        remedy = "The first line names the columns, utterance and speaker; Kaldi's list, without it, is called utt2spk"
        raise DataError(f"{path}:1: no column {', '.join(missing)}; the file has: {list_columns(header)}. {remedy}")
    chosen = itemgetter(*map(header.index, names))
    chosen_rows: list[tuple[int, tuple[str, ...]]] = []
    _take_rows(path, "table of speakers", header, rows, lambda line, cells: chosen_rows.append((line, chosen(cells))))
    return chosen_rows


def speakers_of(utterances: Sequence[str], speaker_of: Mapping[str, str], source: str) -> tuple[str, ...]:
    names = {first: second for second, first in same_ids(utterances, speaker_of).names.items()}
    if missing := [utterance for utterance in utterances if not speaker_of.get(names.get(utterance, utterance))]:
        first = " ".join(missing[:5]) + (" …" if len(missing) > 5 else "")
        raise DataError(f"{source}: no speaker for {len(missing)} of {len(utterances)} utterances: {first}")
    return tuple(speaker_of[names.get(utterance, utterance)] for utterance in utterances)


SPEAKER = "{speaker}"


def speakers_in_ids(utterances: Sequence[str], pattern: str) -> tuple[str, ...]:
    """Return what stands in each id where a pattern has {speaker}; DataError when the pattern does not fit some.

    The speaker is the shortest text up to what follows; * stands for anything, all else for itself. With
    `{speaker}_*` the speaker of `fdhc0_si1559` is `fdhc0`, with `*/{speaker}/*` that of `dr1/fcjf0/sa1` is `fcjf0`.
    """
    first, *parts = re.split(r"([*]+|[{]speaker[}])", pattern)
    marked = zip(parts[::2], map(re.escape, parts[1::2]), strict=True)
    *before, last = (("(.+?)" if mark == SPEAKER else ".*?") + text for mark, text in marked)
    # Atomic groups take the first place that fits, and never go back: the time grows with an id's length alone.
    fits = re.compile(re.escape(first) + "".join(f"(?>{part})" for part in before) + last, re.DOTALL)
    speakers = {each: match[match.lastindex or 0] for each in utterances if (match := fits.fullmatch(each))}
    return speakers_of(utterances, speakers, f"speakers: the pattern {pattern}")


def propose_pattern(utterances: Sequence[str]) -> str:
    """Return the pattern of speakers that ids suggest, "" where they suggest none."""
    for separator in ("/", *sorted("_-. ", key=lambda one: utterances[0].find(one) % _FAR if utterances else 0)):
        parts = [each.split(separator) for each in utterances]
        for depth in count(1):
            if min(map(len, parts), default=0) <= depth:
                break
            shared = Counter(tuple(part[:depth]) for part in parts)
            if sum(number == 1 for number in shared.values()) > _ALONE * len(parts):
                break
            if len(shared) >= _SEVERAL and len({names[-1] for names in shared}) == len(shared):
                return separator.join([*["*"] * (depth - 1), SPEAKER, "*"])
    return ""


# Labels of the columns may stand in a list beside the arrays, as recognisers keep them. A text file has one a line, or
# each with its number (icefall's `tokens.txt`, Kaldi's `phones.txt`), which is then the order. JSON is Hugging Face's
# `vocab.json` (numbers by label) or a list. YAML is a configuration of ESPnet (`token_list`) or NeMo (`vocabulary` or
# `labels`, to which its blank comes last). What these programs call a blank is one, if the settings name none.

LABELS_FILE = "phones.txt"  # the labels of the columns of posteriors, beside these
LISTS = (LABELS_FILE, "vocab.json", "tokens.txt")
BLANK = "<blank>"
_BLANKS = (BLANK, "<blk>", "[pad]", "<pad>")  # the first of these that a vocabulary has
_DISAMBIGUATION = re.compile(r"#\d+")
_SHOWN_LABELS = 5


class Labels(NamedTuple):
    """Labels in the order of the columns, and the one of the blank, where the file says it."""

    names: tuple[str, ...] = ()
    blank: str | None = None


def read_labels(labels: Path | Sequence[str] | None) -> Labels:
    if not isinstance(labels, Path):
        return Labels(tuple(labels or ()))
    ending = labels.suffix.lower()
    if ending == ".json":
        with name_errors(f"{labels}: no JSON"):
            return _order_vocabulary(labels, json.loads(read_text(labels)))
    if ending in {".yaml", ".yml"}:
        from ruamel.yaml import YAML

        with name_errors(f"{labels}: no YAML"):
            held = YAML(typ="safe", pure=True).load(read_text(labels))
        lists = {key: value for key, value in _walk_keys(held) if isinstance(value, list)}
        # NeMo's network has one column more than its vocabulary: the blank, which no list names, is the last.
        for key, last in (("token_list", ()), ("vocabulary", (BLANK,)), ("labels", (BLANK,))):
            if key in lists:
                return _order_vocabulary(labels, [*map(str, lists[key]), *last])
        keys = "neither token_list (ESPnet) nor vocabulary or labels (NeMo)"
        raise DataError(f"{labels}: holds {keys} as a list of labels")
    lines = [text.strip() for _, text in read_lines(labels)]
    numbered = [line.rsplit(maxsplit=1) for line in lines]
    if lines and all(len(each) == 2 and each[1].isdecimal() for each in numbered):
        # Kaldi's phones.txt ends in #0, #1 …, which keep homophones of a lexicon apart and are no columns.
        tokens = {label: int(number) for label, number in numbered if not _DISAMBIGUATION.fullmatch(label)}
        return _order_vocabulary(labels, tokens)
    return Labels(tuple(lines))


def _order_vocabulary(path: Path, held: object) -> Labels:
    if isinstance(held, Mapping) and held and all(type(number) is int for number in held.values()):
        if missing := sorted({*range(len(held))} - {*held.values()}):
            numbers = " ".join(map(str, missing[:_SHOWN_LABELS])) + " …" * (len(missing) > _SHOWN_LABELS)
            why = "two labels have one number, or a second file has the others (added_tokens.json)"
            number = "1 column has" if len(missing) == 1 else f"{len(missing)} columns have"
            raise DataError(f"{path}: {number} no label: {numbers}; {why}")
        held = sorted(held, key=held.__getitem__)
    if not isinstance(held, list) or not held or not all(isinstance(label, str) for label in held):
        shape = 'numbers by label, {"[PAD]": 0, "a": 1}, as in Hugging Face\'s vocab.json, or a list of labels'
        raise DataError(f"{path}: no list of labels; it needs {shape}")
    # The first of several spellings counts, in the order in which the programs prefer them: [PAD] is Hugging Face's
    # blank.
    lower = {label.lower(): label for label in reversed(held)}
    return Labels(tuple(held), next((lower[name] for name in _BLANKS if name in lower), None))


def _walk_keys(held: object, depth: int = 3) -> Iterator[tuple[str, object]]:
    for key, value in held.items() if isinstance(held, Mapping) and depth else ():
        yield from _walk_keys(value, depth - 1)
        yield str(key), value


Base = Literal["panphon", "none"]
Release = Literal["panphon-0.22.2", "panphon-0.20"]
PANPHON: Release = "panphon-0.22.2"
RELEASES: tuple[Release, ...] = (PANPHON, "panphon-0.20")
# PanPhon's tables are read as data: its own reader takes a second, and drops what it does not know.

# https://aclanthology.org/C16-1328/
# Spreadsheets and word processors write − (U+2212) for -, and turn +1 into 1.
_VALUES = {"+": 1, "0": 0, "-": -1, "−": -1, "1": 1, "+1": 1, "-1": -1, "−1": -1}


@cache
@check_arguments
def panphon_features(release: Release = PANPHON) -> FeatureTable:
    """Return the feature table of a release of PanPhon: 24 ternary features, 6,367 segments.

    The tables come with this package (MIT, their licence beside them), for PanPhon itself needs a library that has no
    wheels beyond Python 3.12. Releases differ in 6,222 rows, mostly in `strid` and `back`, so published rates do, too.
    Of a segment with several rows the last counts, as in PanPhon. Weights are joined to features by name; the two tone
    features have none in PanPhon's file.

    Source: Mortensen et al. (2016), PanPhon: a resource for mapping IPA segments to articulatory feature vectors.
    """
    # The file of weights has its features in another order than the table of segments.
    folder = files("phonxling.load") / release
    segments, weights = ((folder / name).read_bytes() for name in ("ipa_all.csv", "feature_weights.csv"))
    (names, *rows), (weighted, numbers) = (csv.reader(text.decode().splitlines()) for text in (segments, weights))
    signs = {row[0]: "".join(row[1:]) for row in rows}
    sign = np.frombuffer("".join(signs.values()).encode(), np.uint8).reshape(len(signs), -1)
    return FeatureTable(
        name=release.replace("-", " "),
        digest=hashlib.sha256(segments + weights).hexdigest(),
        features=tuple(names[1:]),
        segments=tuple(signs),
        values=np.subtract(sign == ord("+"), sign == ord("-"), dtype=np.int8),
        weights=dict(zip(weighted, map(float, numbers), strict=True)),
    )


def stored_features(manifest: Mapping[str, Any]) -> FeatureTable | None:
    """Return the feature table of stored results where this package has it: PanPhon's; None for a user's own."""
    digest = manifest["feature_table"]["sha256"]
    return next((table for table in map(panphon_features, RELEASES) if table.digest == digest), None)


@check_arguments
def load_features(path: Path | str, base: Base = "panphon", table: Release = PANPHON) -> FeatureTable:
    """Return the feature table of a TSV, alone or laid over panphon's.

    The first row holds a title for the segments and the feature names; each further row a segment and its values, +, 0
    or - (or 1, 0, -1). A row `weight` holds a number ≥ 0 a feature, for `panphon-weighted` costs.

    Parameters
    ----------
    path : path
        The TSV.
    base : {"panphon", "none"}
        With "panphon", the file has panphon's 24 features in any order; its rows are added, or replace panphon's, and
        its weights replace panphon's. With "none", it is the whole feature system: its features may be any.
    table : {"panphon-0.22.2", "panphon-0.20"}
        Which release's rows it is laid over.

    Raises
    ------
    DataError
        If the file is missing or holds no segment.
        If the header names a feature twice, or, with panphon as the base, other features than panphon's.
        If a row has another number of cells than the header, a value is none of these, a segment has two rows or is ∅,
        or weights are negative, not finite, or all 0: every such row is listed.
    """
    file = Path(path)
    under = panphon_features(table) if base == "panphon" else None
    features, vectors, weights = _read_feature_rows(file, under)
    digest = read_bytes(file)
    if under is not None:  # in panphon's order of features, new segments last
        order = [features.index(name) for name in under.features]
        spelt = {canonical_form(segment): segment for segment in under.segments}
        laid = {spelt.get(canonical_form(name), name): [values[at] for at in order] for name, values in vectors.items()}
        features, vectors = under.features, dict(zip(under.segments, under.values.tolist(), strict=True)) | laid
        weights, digest = {**under.weights, **weights}, digest + under.digest.encode()
    return FeatureTable(
        name=file.name if under is None else f"{file.name} over {under.name}",
        digest=hashlib.sha256(digest).hexdigest(),
        features=features,
        segments=tuple(vectors),
        values=np.array(list(vectors.values()), dtype=np.int8),
        weights=weights,
    )


def _read_feature_rows(
    path: Path, under: FeatureTable | None
) -> tuple[tuple[str, ...], dict[str, list[int]], dict[str, float]]:
    rows = _read_cells(path)
    line, header = next(rows, (1, []))
    features = header[1:]
    if not features or "" in features or len(set(features)) != len(features):
        msg = "the header needs a title for the segments and a name, each once, for every feature"
        raise DataError(f"{path}:{line}: {msg}")
    if under is not None and set(features) != set(under.features):
        missing, more = (list_columns(sorted({*one} - {*two})) for one, two in permutations((under.features, features)))
        msg = f"these are not the features of {under.name}: missing {missing}; more {more}"
        raise DataError(f"{path}:{line}: {msg}. A table with features of its own replaces the system: base none")
    vectors: dict[str, list[int]] = {}
    weights: dict[str, float] = {}
    known: dict[str, int] = {}

    def take(line: int, cells: list[str]) -> None:
        cell, *values = cells
        name = canonical_form(cell)
        if not name or name == GAP:
            raise ValueError(f"'{quote(cell)}' cannot be a segment")
        # Two spellings of one segment (NFC, NFD, marks in another order) are one row twice.
        if known.setdefault(name, line) != line:
            raise ValueError(f"'{quote(cell)}' has a row already, in line {known[name]}")
        if name == "weight":
            numbers = [float(value) if is_number(value) else -1 for value in values]
            if not any(numbers) or not all(0 <= number < math.inf for number in numbers):
                raise ValueError("a weight is a number ≥ 0, and one at least is not 0")
            weights.update(zip(features, numbers, strict=True))
        elif wrong := [value for value in values if value not in _VALUES]:
            raise ValueError(f"'{quote(cell)}': a value is +, 0 or - (or 1, 0, -1), not '{quote(wrong[0])}'")
        else:
            vectors[cell] = [_VALUES[value] for value in values]

    _take_rows(path, "feature table", header, rows, take)
    if not vectors:
        raise DataError(f"{path}: no segments, only weights")
    return tuple(features), vectors, weights


LANGUAGE_COLUMNS = ("code", "name", "family", "group", "seen")
_SEEN_VALUES = {"yes": "seen", "no": "unseen", "": ""}
_NAMED_ITEMS = 10
LANGUAGES = frozenset(("lang", "language", "lang_sym", "lang_id", "iso", "iso639_3", "iso_639_3", "iso639-3", "locale"))


@dataclass(frozen=True, slots=True)
class Language:
    """A row: `seen` is "seen", "unseen" or "" (not known); `more` has the cells of further columns."""

    code: str
    line: int
    name: str = ""
    family: str = ""
    group: str = ""
    seen: str = ""
    more: Mapping[str, str] | None = None


def load_languages(path: Path) -> dict[str, Language]:
    """Return the languages of a TSV by code; DataError where a row is no language, or a code stands there twice."""
    rows = _read_cells(path)
    line, header = next(rows, (1, []))
    if "code" not in header or len({*header}) < len(header) or "" in header:
        fault = "a column code, and each name once" if "code" in header else "a column code (tab-separated)"
        raise DataError(f"{path}:{line}: a table of languages has {fault}; this one has: {list_columns(header)}")
    languages: dict[str, Language] = {}

    def take(line: int, cells: list[str]) -> None:
        row = dict(zip(header, cells, strict=True))
        code, seen = row["code"], row.get("seen", "").lower()
        if not code:
            raise ValueError("the code is empty")
        if code in languages:
            raise ValueError(f"the code {quote(code)} stands here again, after line {languages[code].line}")
        if seen not in _SEEN_VALUES:
            raise ValueError(f"seen must be yes, no or empty, not '{quote(row['seen'])}'")
        more = {name: cell for name, cell in row.items() if name not in LANGUAGE_COLUMNS}
        name = row.get("name") or language_name(code) or code
        family, group = row.get("family", ""), row.get("group", "")
        languages[code] = Language(code, line, name, family, group, _SEEN_VALUES[seen], more)

    _take_rows(path, "table of languages", header, rows, take)
    return languages


def select_numeric(languages: Iterable[Language]) -> dict[str, list[float]]:
    """Return the further columns that hold numbers alone, at least three, as numbers; an empty cell is NaN."""
    rows = [one.more or {} for one in languages]
    cells = {name: [row.get(name, "") for row in rows] for name in dict.fromkeys(name for row in rows for name in row)}
    return {
        name: [float(cell or "nan") for cell in own]
        for name, own in cells.items()
        if all(is_number(cell) for cell in own if cell) and sum(map(bool, own)) > 2
    }


def rows_of(path: Path, languages: Mapping[str, Language], corpora: Mapping[str, str | None]) -> dict[str, Language]:
    """Return the row of each corpus, given its code or None: of its code, else of its name; DataError without."""
    own = {name: languages.get(code or name) or languages.get(name) for name, code in corpora.items()}
    if lacking := [corpora[name] or name for name, row in own.items() if row is None]:
        near = difflib.get_close_matches(lacking[0], languages, n=1)
        hint = f"; the nearest code there is '{near[0]}' (line {languages[near[0]].line})" if near else ""
        several = f"{len(lacking)} corpora have" if len(lacking) > 1 else "one corpus has"
        named = " ".join(lacking[:_NAMED_ITEMS]) + " …" * (len(lacking) > _NAMED_ITEMS)
        raise DataError(f"{path}: {several} no row in this table: {named}{hint}. Add a row for each")
    return {name: row for name, row in own.items() if row is not None}


def note_languages(path: Path, languages: Mapping[str, Language], used: Iterable[Language]) -> list[str]:
    codes = {one.code for one in used}
    idle = [one for one in languages.values() if one.code not in codes]
    odd = [one for one in languages.values() if re.fullmatch("[a-z]{3}", one.code) and not language_name(one.code)]
    notes = (odd, "is not a code of ISO 639-3; it is read as a name of your own"), (idle, "is in no corpus")
    return [
        f"{path}:{rows[0].line}: {quote(rows[0].code)} {what}" + f" (and {len(rows) - 1} more rows)" * (len(rows) > 1)
        for rows, what in notes
        if rows
    ]


def note_unsplit(path: Path, form: str | None, columns: Mapping[str, str], chosen: Container[str]) -> str:
    """Return what to say of a table of several languages, none of which is chosen; "" where there is no such column."""
    for name in (each for each in fields_of(path, form) if each.lower() in LANGUAGES and each not in chosen):
        if (number := len(values_in(path, form, columns, name))) > 1:
            return f"the table has a column {name} with {number} values; split_by: {name} makes a corpus of each"
    return ""

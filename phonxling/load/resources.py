"""Users' tables beside transcripts: costs, symbol maps, phones that are the same, speakers; and names of languages.

A table of costs is a TSV of pairs (gold, predicted, cost), or of phones (phone, cost) for insertions or deletions. A
cost is a decimal number or a fraction, read exactly. ∅ (U+2205) on one side of a pair stands for no phone, so such a
row is the cost of a deletion or an insertion.

panphon's feature table and weights, read as data: its own reader takes a second and drops what it does not know.

A user's table of languages: code, and maybe name, family, group, whether seen in training, and further columns.
"""

import csv
import difflib
import hashlib
import math
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from importlib.util import find_spec
from itertools import chain, count, islice
from pathlib import Path
from typing import Any, Literal, TypeVar

import numpy as np

from phonxling.core.costs import CostEntries, GapEntries, parse_cost
from phonxling.core.errors import DataError, join_problems, shown
from phonxling.core.features import FeatureTable
from phonxling.core.inventory import GAP
from phonxling.core.spelling import canonical
from phonxling.load.building import listed
from phonxling.load.formats import fields_of, values_in
from phonxling.load.tables import cells_of
from phonxling.load.text import check_plain, check_symbol, is_number, read_bytes, read_lines

_Line = tuple[int, str]
_Value = TypeVar("_Value")
_FOLDERS_ENDING = r"^.*[/\\]|\.[A-Za-z][A-Za-z0-9]{0,7}$"  # what file names have, and ids of the same may lack


def checked_symbols(where: str, cells: Sequence[str]) -> list[str]:
    """Return cells without the spaces around them; DataError when one is unfit for a symbol."""
    bare = [cell.strip() for cell in cells]
    for cell in bare:
        check_symbol(cell, where)
    return bare


def _header_and_lines(path: Path) -> tuple[str, list[str], Iterator[_Line]]:
    """Return the place and the cells of a table's header, and the lines below it."""
    lines = read_lines(path)
    line, first = next(lines, (1, ""))
    return f"{path}:{line}", first.split("\t"), lines


def _take_rows(
    path: Path,
    what: str,
    header: Sequence[str],
    lines: Iterator[_Line],
    take: Callable[[int, list[str]], str],
    *,
    most: int = 10,
) -> None:
    """Take each row; DataError where there is none, or that lists what is wrong with the first ones, of how many."""

    def fault(line: int, cells: list[str]) -> str:
        lacking = f"{len(cells)} cells, but the header has {len(header)}"
        return take(line, cells) if len(cells) == len(header) else lacking

    if (first := next(lines, None)) is None:
        raise DataError(f"{path}: the {what} has a header but no row")
    rows = chain([first], lines)
    faults = (f"{path}:{line}: {wrong}" for line, text in rows if (wrong := fault(line, text.split("\t"))))
    problems = list(islice(faults, most))
    more = sum(1 for _ in faults)  # counted, not kept
    if number := len(problems) + more:
        headline = f"{path}: {number} row{'s' * (number > 1)} of the {what} cannot be used:"
        raise DataError(join_problems(headline, problems, more=more))


def load_cost_table(path: Path) -> CostEntries:
    """Return the costs of a TSV with the header `gold, predicted, cost`."""
    rows = _keyed_rows(path, "table of costs", ("gold", "predicted", "cost"), lambda cell, _: parse_cost(cell))
    return CostEntries(pairs={(gold, heard): cost for (gold, heard), (cost, _) in rows.items()}, **_origin(path))


def load_gap_costs(path: Path) -> GapEntries:
    """Return the costs of a TSV with the header `phone, cost`: of inserting, or of deleting, each phone."""
    rows = _keyed_rows(path, "table of costs", ("phone", "cost"), lambda cell, _: parse_cost(cell))
    return GapEntries(phones={phone: cost for (phone,), (cost, _) in rows.items()}, **_origin(path))


def load_same_phones(path: Path) -> dict[str, tuple[str, int]]:
    """Return the counterpart of each phone of a TSV (target, reference), and its line; ∅ stands for none."""

    def counterpart(cell: str, where: str) -> str:
        (phone,) = map(canonical, checked_symbols(where, [cell]))
        if not phone:
            raise ValueError(f"an empty reference; no counterpart is written {GAP} (U+2205)")
        return phone

    rows = _keyed_rows(path, "table of phones", ("target", "reference"), counterpart)
    return {target: found for (target,), found in rows.items()}


def load_contrasts(path: Path) -> tuple[tuple[str, str], ...]:
    """Return the pairs of phones of a TSV of two columns; a first row "phone, other" is a header."""
    pairs = list[tuple[str, str]]()
    for line, text in read_lines(path):
        first, *others = checked_symbols(f"{path}:{line}", text.split("\t"))
        if len(others) != 1 or not first or not others[0] or first == others[0]:
            raise DataError(f"{path}:{line}: a contrast is two different phones, separated by a tab")
        if line > 1 or (first, others[0]) != ("phone", "other"):
            pairs.append((first, others[0]))
    return tuple(pairs)


def _origin(path: Path) -> dict[str, str]:
    return {"source": str(path), "digest": hashlib.sha256(read_bytes(path)).hexdigest()}


def _keyed_rows(
    path: Path, what: str, header: tuple[str, ...], read: Callable[[str, str], _Value]
) -> dict[tuple[str, ...], tuple[_Value, int]]:
    where, found, lines = _header_and_lines(path)
    if tuple(found) != header:
        raise DataError(f"{where}: a {what} has the header {', '.join(header)} (tab-separated), not {listed(found)}")
    rows: dict[tuple[str, ...], tuple[_Value, int]] = {}

    def take(line: int, cells: list[str]) -> str:
        *phones, value = cells
        key = tuple(map(canonical, checked_symbols(f"{path}:{line}", phones)))
        if "" in key:
            return f"an empty {header[key.index('')]}; no phone is written {GAP} (U+2205)"
        if set(key) == {GAP}:
            return f"no edit pairs {GAP} with {GAP}" if len(key) > 1 else f"{GAP} is no phone"
        if key in rows:
            return f"{shown(' → '.join(key))} stands here again, after line {rows[key][1]}"
        try:
            rows[key] = read(value, f"{path}:{line}"), line
        except ValueError as error:
            return str(error)
        return ""

    _take_rows(path, what, header, lines, take)
    return rows


def load_symbol_map(path: Path) -> dict[str, str]:
    """Return IPA by symbol from a two-column TSV; a first row "symbol, ipa" is a header."""
    table: dict[str, str] = {}
    for line, text in read_lines(path):
        cells = text.split("\t")
        if len(cells) != 2 or not cells[0].strip():
            raise DataError(f"{path}:{line}: a symbol map has two cells a row (symbol, ipa), separated by a tab")
        symbol, ipa = checked_symbols(f"{path}:{line}", cells)
        symbol = unicodedata.normalize("NFC", symbol)
        if line == 1 and (symbol.lower(), ipa.lower()) == ("symbol", "ipa"):
            continue
        if table.setdefault(symbol, ipa) != ipa:
            symbols = f"to '{shown(ipa)}' after '{shown(table[symbol])}'"
            raise DataError(f"{path}:{line}: '{shown(symbol)}' is mapped a second time, {symbols}")
    if not table:
        raise DataError(f"{path}: the symbol map is empty")
    return table


def language_name(code: str) -> str:
    """Return the English name of a language of ISO 639-3, "" for a code that stands for none."""
    from iso639 import Lang  # a fortieth of a second, which a score need not wait
    from iso639.exceptions import InvalidLanguageValue

    try:
        return str(Lang(code).name).partition(" (")[0]  # Swahili (macrolanguage), Modern Greek (1453-)
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

_SEVERAL, _ALONE = 3, 0.1  # speakers at least; share of the utterances that may be a speaker's only one
_FAR = 1 << 30  # a separator that an id lacks, −1 of so many, comes last


_Form = Literal["tsv", "csv", "utt2spk"]


def load_speakers(path: Path, columns: Mapping[str, str] | None = None, form: _Form | None = None) -> dict[str, str]:
    """Return the speaker of each utterance; the format follows from the name unless given."""
    found: dict[str, str] = {}
    for line, utterance, speaker, _ in _speaker_rows(path, columns or {}, form):
        check_plain(utterance, "utterance id", f"{path}:{line}")
        check_plain(speaker, "speaker", f"{path}:{line}")
        if found.setdefault(utterance, speaker) != speaker:
            raise DataError(f"{path}:{line}: utterance '{utterance}' has a second speaker")
    return found


def load_groups(
    path: Path, columns: Mapping[str, str], form: _Form | None, names: Sequence[str]
) -> dict[str, dict[str, str]]:
    """Return what each of these columns says of each speaker, "" for nothing; DataError where it says two things."""
    found: dict[str, dict[str, tuple[str, int]]] = {name: {} for name in names}
    for line, _, speaker, cells in _speaker_rows(path, columns, form, names):
        for (name, known), value in zip(found.items(), map(str.strip, cells), strict=True):
            if value:
                check_plain(value, name, f"{path}:{line}")
            other, first = known.setdefault(speaker, (value, line))
            if other != value:
                both = f"'{shown(other)}' in line {first} and '{shown(value)}' here"
                raise DataError(f"{path}:{line}: {name} of speaker '{shown(speaker)}' is {both}; a speaker has one")
    return {name: {speaker: value for speaker, (value, _) in known.items()} for name, known in found.items()}


def load_prompts(path: Path, columns: Mapping[str, str], form: _Form | None, name: str) -> dict[str, str]:
    return {utterance: cell.strip() for _, utterance, _, (cell,) in _speaker_rows(path, columns, form, [name])}


def _speaker_rows(
    path: Path, columns: Mapping[str, str], form: _Form | None, more: Sequence[str] = ()
) -> Iterator[tuple[int, str, str, list[str]]]:
    kaldi = form == "utt2spk" if form else path.name == "utt2spk"
    rows = ((line, text.split()) for line, text in read_lines(path)) if kaldi else cells_of(path, form or "")
    _, header = (0, ["utterance", "speaker"]) if kaldi else next(rows, (1, []))
    names = [*(columns.get(name, name) for name in ("utterance", "speaker")), *more]
    missing = [name for name in names if name not in header]
    if missing:
        raise DataError(f"{path}:1: no column {', '.join(missing)}; the file has: {listed(header)}")
    utterance, speaker, *others = map(header.index, names)
    for line, row in rows:
        if len(row) != len(header):
            wanted = "utt2spk has an utterance and its speaker" if kaldi else f"the header has {len(header)}"
            raise DataError(f"{path}:{line}: {len(row)} cell{'s' * (len(row) != 1)}, but {wanted}")
        yield line, row[utterance], row[speaker], [row[place] for place in others]


def speakers_of(utterances: Sequence[str], speaker_of: Mapping[str, str], source: str) -> tuple[str, ...]:
    """Return the speaker of each utterance; DataError when some have none."""
    missing = [utterance for utterance in utterances if utterance not in speaker_of]
    if missing:
        some = " ".join(missing[:5]) + (" …" if len(missing) > 5 else "")
        fault = f"{source}: no speaker for {len(missing)} of {len(utterances)} utterances: {some}"
        bare = {re.sub(_FOLDERS_ENDING, "", name): name for name in speaker_of}
        if other := [(name, bare[key]) for name in missing if (key := re.sub(_FOLDERS_ENDING, "", name)) in bare]:
            alike = f"{len(other)} differ in their ending or folder alone: '{other[0][1]}' there, '{other[0][0]}' here"
            fault = f"{fault}\n{alike}. Write the ids of the utterances into {source}."
        raise DataError(fault)
    return tuple(speaker_of[utterance] for utterance in utterances)


SPEAKER = "{speaker}"


def speakers_in_ids(utterances: Sequence[str], pattern: str) -> tuple[str, ...]:
    """Return what stands in each id where a pattern has {speaker}; DataError when the pattern does not fit some.

    The speaker is the shortest text up to what follows; * stands for anything, all else for itself. With
    `{speaker}_*` the speaker of `fdhc0_si1559` is `fdhc0`, with `*/{speaker}/*` that of `dr1/fcjf0/sa1` is `fcjf0`.
    """
    found = {each: name for each in utterances if (name := _speaker_in(each, pattern))}
    return speakers_of(utterances, found, f"speakers: the pattern {pattern}")


def _speaker_in(name: str, pattern: str) -> str:
    """Return the speaker of one id, "" where the pattern does not fit: no regular expression, which may take long."""
    first, *parts = re.split(r"([*]+|[{]speaker[}])", pattern)
    if not name.startswith(first):
        return ""
    place, speaker = len(first), ""
    for number, (mark, text) in enumerate(zip(parts[::2], parts[1::2], strict=True), 1):
        least = place + (mark == SPEAKER)
        last = number == len(parts) // 2
        end = len(name) - len(text) if last and name.endswith(text) else -1 if last else name.find(text, least)
        if end < least:
            return ""
        speaker = name[place:end] if mark == SPEAKER else speaker
        place = end + len(text)
    return speaker if place == len(name) else ""


def proposed_pattern(utterances: Sequence[str]) -> str:
    """Return the pattern of speakers that ids suggest, "" where they suggest none."""
    for separator in ("/", *sorted("_-. ", key=lambda one: utterances[0].find(one) % _FAR if utterances else 0)):
        parts = [each.split(separator) for each in utterances]
        for depth in count(1):
            if min(map(len, parts), default=0) <= depth:
                break
            shared = Counter(tuple(part[:depth]) for part in parts)
            alone = sum(number == 1 for number in shared.values())
            if alone > _ALONE * len(parts):
                break
            if len(shared) >= _SEVERAL and len({names[-1] for names in shared}) == len(shared):
                return separator.join([*["*"] * (depth - 1), SPEAKER, "*"])
    return ""


Base = Literal["panphon", "none"]
_VALUES = {"+": 1, "0": 0, "-": -1}
_USER_VALUES = {**_VALUES, "−": -1, "1": 1, "+1": 1, "-1": -1, "−1": -1}
_SHOWN = 20  # problems; the rest are counted


@cache
def panphon_features() -> FeatureTable:
    """Return the feature table of the installed panphon: 24 ternary features, 6,367 segments (release 0.22.2).

    Weights are joined to features by name; the two tone features have none in panphon's file.

    Raises
    ------
    DataError
        If panphon is not installed.
        If its tables do not look as expected.

    Source: Mortensen et al. (2016), PanPhon: a resource for mapping IPA segments to articulatory feature vectors.
    """
    spec = find_spec("panphon")
    if spec is None or spec.origin is None:
        raise DataError("panphon is not installed, and its feature table is needed: pip install panphon==0.22.2")
    folder = Path(spec.origin).parent / "data"
    segments, weights = folder / "ipa_all.csv", folder / "feature_weights.csv"
    (names, rows), (weighted, numbers) = _read(segments), _read(weights)
    digest = hashlib.sha256(segments.read_bytes() + weights.read_bytes()).hexdigest()
    return FeatureTable(
        name=f"panphon {version('panphon')}",
        digest=digest,
        features=tuple(names[1:]),
        segments=tuple(row[0] for row in rows),
        values=np.array([[_VALUES[value] for value in row[1:]] for row in rows], dtype=np.int8),
        weights=dict(zip(weighted, map(float, numbers[0]), strict=True)),
    )


def stored_features(manifest: Mapping[str, Any]) -> FeatureTable | None:
    """Return the feature table of stored results where this package has it: panphon's; None for a user's own."""
    table = panphon_features()
    return table if manifest["feature_table"]["sha256"] == table.digest else None


def _read(path: Path) -> tuple[list[str], list[list[str]]]:
    with path.open(encoding="utf-8", newline="") as lines:
        header, *rows = csv.reader(lines)
    if not rows or any(len(row) != len(header) for row in rows):
        raise DataError(f"{path.name} of panphon does not look as expected; install panphon==0.22.2")
    return header, rows


def load_features(path: Path | str, base: Base = "panphon") -> FeatureTable:
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

    Raises
    ------
    DataError
        If the file is missing or holds no segment.
        If the header names a feature twice, or, with panphon as the base, other features than panphon's.
        If a row has another number of cells than the header, a value is none of these, a segment has two rows or is ∅,
        or weights are negative, not finite, or all 0: every such row is listed.
    """
    file = Path(path)
    under = panphon_features() if base == "panphon" else None
    features, vectors, weights = _user_rows(file, under)
    digest = read_bytes(file)
    if under is not None:  # in panphon's order of features, new segments last
        order = [features.index(name) for name in under.features]
        spelt = {canonical(segment): segment for segment in under.segments}
        laid = {spelt.get(canonical(name), name): [values[at] for at in order] for name, values in vectors.items()}
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


def _user_rows(
    path: Path, under: FeatureTable | None
) -> tuple[tuple[str, ...], dict[str, list[int]], dict[str, float]]:
    where, header, lines = _header_and_lines(path)
    _, *features = checked_symbols(where, header)
    if (second := next(lines, None)) is None:
        raise DataError(f"{path}: no segments; a feature table has a header (segment, features) and a row a segment")
    _check_header(path, features, under)
    vectors: dict[str, list[int]] = {}
    weights: dict[str, float] = {}
    known: dict[str, int] = {}

    def take(line: int, cells: list[str]) -> str:
        cell, *values = checked_symbols(f"{path}:{line}", cells)
        name, fault = canonical(cell), ""
        if not name or name == GAP:
            fault = f"'{shown(cell)}' cannot be a segment"
        elif name in known:
            fault = f"'{shown(cell)}' has a row already, in line {known[name]}"
        elif name == "weight":
            weights.update(zip(features, _weights(values), strict=False))
            fault = "" if weights else "a weight is a number ≥ 0, and one at least is not 0"
        elif wrong := [value for value in values if value not in _USER_VALUES]:
            fault = f"'{shown(cell)}': a value is +, 0 or - (or 1, 0, -1), not '{shown(wrong[0])}'"
        else:
            vectors[cell] = [_USER_VALUES[value] for value in values]
        known.setdefault(name, line)
        return fault

    _take_rows(path, "feature table", header, chain([second], lines), take, most=_SHOWN)
    if not vectors:
        raise DataError(f"{path}: no segments, only weights")
    return tuple(features), vectors, weights


def _check_header(path: Path, names: list[str], under: FeatureTable | None) -> None:
    if not names or "" in names or len(set(names)) != len(names):
        raise DataError(f"{path}:1: the header needs a title for the segments and a name, each once, for every feature")
    wanted = names if under is None else list(under.features)
    if set(names) != set(wanted):
        missing, more = _listed(set(wanted) - set(names)), _listed(set(names) - set(wanted))
        msg = f"{path}:1: these are not the features of {'' if under is None else under.name}: missing {missing}"
        raise DataError(f"{msg}; more {more}. A table with features of its own replaces the system: base none")


def _listed(names: Iterable[str]) -> str:
    return shown(", ".join(sorted(names)), 400) or "none"


def _weights(values: list[str]) -> list[float]:
    try:
        weights = [float(value) for value in values]
    except ValueError:
        return []
    fine = all(math.isfinite(weight) and weight >= 0 for weight in weights) and any(weights)
    return weights if fine else []


KNOWN = ("code", "name", "family", "group", "seen")
_SEEN = {"yes": "seen", "no": "unseen", "": ""}
_NAMED = 10
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
    where, header, lines = _header_and_lines(path)
    if "code" not in header or len({*header}) < len(header) or "" in header:
        fault = "a column code, and each name once" if "code" in header else "a column code (tab-separated)"
        raise DataError(f"{where}: a table of languages has {fault}; this one has: {shown(', '.join(header), 400)}")
    found: dict[str, Language] = {}

    def take(line: int, cells: list[str]) -> str:
        row = dict(zip(header, map(str.strip, cells), strict=True))
        code, seen = row["code"], row.get("seen", "").lower()
        if not code:
            return "the code is empty"
        if code in found:
            return f"the code {shown(code)} stands here again, after line {found[code].line}"
        if seen not in _SEEN:
            return f"seen must be yes, no or empty, not '{shown(row['seen'])}'"
        about = {name: row.get(name, "") for name in ("family", "group")}
        more = {name: cell for name, cell in row.items() if name not in KNOWN}
        name = row.get("name") or language_name(code) or code
        found[code] = Language(code, line, name=name, seen=_SEEN[seen], more=more, **about)
        return ""

    _take_rows(path, "table of languages", header, lines, take)
    return found


def numbers_of(languages: Iterable[Language]) -> dict[str, list[float]]:
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
        named = " ".join(lacking[:_NAMED]) + " …" * (len(lacking) > _NAMED)
        raise DataError(f"{path}: {several} no row in this table: {named}{hint}. Add a row for each")
    return {name: row for name, row in own.items() if row is not None}


def language_notes(path: Path, languages: Mapping[str, Language], used: Iterable[Language]) -> list[str]:
    """Return what is odd about a table: codes that ISO 639-3 has not, and rows that no corpus has."""
    codes = {one.code for one in used}
    idle = [one for one in languages.values() if one.code not in codes]
    odd = [one for one in languages.values() if re.fullmatch("[a-z]{3}", one.code) and not language_name(one.code)]
    return [
        f"{path}:{rows[0].line}: {shown(rows[0].code)} {what}" + f" (and {len(rows) - 1} more rows)" * (len(rows) > 1)
        for rows, what in (
            (odd, "is no code of ISO 639-3; it is read as a name of your own"),
            (idle, "is in no corpus"),
        )
        if rows
    ]


def unsplit_note(path: Path, form: str | None, columns: Mapping[str, str], chosen: Container[str]) -> str:
    """Return what to say of a table of several languages, none of which is chosen; "" where there is no such column."""
    for name in (each for each in fields_of(path, form) if each.lower() in LANGUAGES and each not in chosen):
        if (number := len(values_in(path, form, columns, name))) > 1:
            return f"the table has a column {name} with {number} values; split_by: {name} makes a corpus of each"
    return ""

"""A user's costs: a TSV of pairs (gold, predicted, cost), or of phones (phone, cost) for insertions or deletions.

A cost is a decimal number or a fraction, read exactly. ∅ (U+2205) on one side of a pair stands for no phone, so such a
row is the cost of a deletion or an insertion.
"""

import hashlib
import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import count, islice
from pathlib import Path
from typing import Any, Literal

from iso639 import Lang
from iso639.exceptions import InvalidLanguageValue

from phonxling.core.costs import CostEntries, GapEntries, parse_cost
from phonxling.core.errors import DataError, join_problems, shown
from phonxling.core.inventory import GAP
from phonxling.core.spelling import canonical
from phonxling.load.tables import csv_rows
from phonxling.load.text import check_plain, check_symbol, read_bytes, read_lines

_SHOWN = 10
_Key = tuple[str, ...]


def load_cost_table(path: Path) -> CostEntries:
    """Return the costs of a TSV with the header `gold, predicted, cost`."""
    rows = _rows(path, ("gold", "predicted"))
    return CostEntries(pairs={(gold, heard): cost for (gold, heard), cost in rows.items()}, **_origin(path))


def load_gap_costs(path: Path) -> GapEntries:
    """Return the costs of a TSV with the header `phone, cost`: of inserting, or of deleting, each phone."""
    return GapEntries(phones={phone: cost for (phone,), cost in _rows(path, ("phone",)).items()}, **_origin(path))


def _origin(path: Path) -> dict[str, str]:
    return {"source": str(path), "digest": hashlib.sha256(read_bytes(path)).hexdigest()}


def _rows(path: Path, names: tuple[str, ...]) -> dict[_Key, Fraction]:
    lines = read_lines(path)
    header = (*names, "cost")
    line, first = next(lines, (0, ""))
    if not line:
        raise DataError(f"{path}: the table of costs is empty; it needs the header {', '.join(header)} and rows")
    if tuple(first.split("\t")) != header:
        actual = shown(first.replace("\t", ", "))
        raise DataError(
            f"{path}:{line}: a table of costs has the header {', '.join(header)} (tab-separated), not {actual}"
        )
    rows: dict[_Key, Fraction] = {}
    faults = _read(path, lines, header, rows)
    problems = [f"{path}:{text}" for text in islice(faults, _SHOWN)]
    more = sum(1 for _ in faults)  # counted, not kept
    if problems:
        number = f"{len(problems) + more} row{'s' if len(problems) > 1 else ''} of the table of costs cannot be used:"
        raise DataError(join_problems(f"{path}: {number}", problems, more=more))
    if not rows:
        raise DataError(f"{path}: the table of costs has a header but no row")
    return rows


def _read(
    path: Path, lines: Iterator[tuple[int, str]], header: tuple[str, ...], rows: dict[_Key, Fraction]
) -> Iterator[str]:
    """Fill `rows`, and yield what is wrong with a line."""
    places: dict[_Key, int] = {}
    for line, text in lines:
        *cells, cost = text.split("\t")
        for cell in cells:
            check_symbol(cell.strip(), f"{path}:{line}")
        key = tuple(canonical(cell.strip()) for cell in cells)
        fault = _fault(key, header)
        if not fault and key in places:
            fault = f"{shown(' → '.join(key))} stands here again, after line {places[key]}"
        if not fault:
            places[key] = line
            try:
                rows[key] = parse_cost(cost)
            except ValueError as error:
                fault = str(error)
        if fault:
            yield f"{line}: {fault}"


def _fault(key: _Key, header: tuple[str, ...]) -> str:
    if len(key) + 1 != len(header):
        return f"{len(key) + 1} cells, but the header has {len(header)}"
    if "" in key:
        return f"an empty {header[key.index('')]}; no phone is written {GAP} (U+2205)"
    if set(key) == {GAP}:
        return f"no edit pairs {GAP} with {GAP}" if len(key) > 1 else f"{GAP} is no phone"
    return ""


# Names of languages by their codes, and what a corpus is called on the page and in figures.


def language_name(code: str) -> str:
    """Return the English name of a language of ISO 639-3, "" for a code that stands for none."""
    try:
        return str(Lang(code).name).partition(" (")[0]  # Swahili (macrolanguage), Modern Greek (1453-)
    except InvalidLanguageValue:
        return ""


def corpus_titles(corpora: Mapping[str, Mapping[str, Any]]) -> dict[str, str]:
    """Return what each corpus is called where people read of it: its language."""
    languages = {name: language_name(about.get("language") or "") for name, about in corpora.items()}
    number = Counter(languages.values())
    return {name: _title(name, language, number[language]) for name, language in languages.items()}


def _title(name: str, language: str, number: int) -> str:
    """Return a corpus' title, of as many corpora of its language."""
    if not language:
        return name
    return f"{language} ({name})" if number > 1 else language


# A user's symbol map: a TSV of two columns, symbol and ipa.


def load_symbol_map(path: Path) -> dict[str, str]:
    """Return IPA by symbol from a two-column TSV; a first row "symbol, ipa" is a header."""
    table: dict[str, str] = {}
    for line, text in read_lines(path):
        cells = text.split("\t")
        if len(cells) != 2 or not cells[0].strip():
            raise DataError(f"{path}:{line}: a symbol map has two cells a row (symbol, ipa), separated by a tab")
        for cell in cells:
            check_symbol(cell.strip(), f"{path}:{line}")
        symbol, ipa = unicodedata.normalize("NFC", cells[0].strip()), cells[1].strip()
        if line == 1 and (symbol.lower(), ipa.lower()) == ("symbol", "ipa"):
            continue
        if table.get(symbol, ipa) != ipa:
            symbols = f"to '{shown(ipa)}' after '{shown(table[symbol])}'"
            raise DataError(f"{path}:{line}: '{shown(symbol)}' is mapped a second time, {symbols}")
        table[symbol] = ipa
    if not table:
        raise DataError(f"{path}: the symbol map is empty")
    return table


# A user's table of which reference phone each target phone is the same as: a TSV with the header target, reference.

_HEADER = ("target", "reference")


def load_same_phones(path: Path) -> dict[str, tuple[str, int]]:
    """Return the counterpart of each phone listed, in canonical spelling, and its line; ∅ stands for none."""
    lines = read_lines(path)
    _, first = next(lines, (1, ""))
    if tuple(first.split("\t")) != _HEADER:
        header = shown(first.replace("\t", ", ")) or "nothing"
        raise DataError(
            f"{path}:1: a table of phones has the header {', '.join(_HEADER)} (tab-separated), not {header}"
        )
    rows: dict[str, tuple[str, int]] = {}
    faults = _same_phones_read(path, lines, rows)
    problems = [f"{path}:{text}" for text in islice(faults, _SHOWN)]
    more = sum(1 for _ in faults)  # counted, not kept
    if problems:
        raise DataError(join_problems(f"{path}: rows of the table of phones cannot be used:", problems, more=more))
    return rows


def _same_phones_read(path: Path, lines: Iterator[tuple[int, str]], rows: dict[str, tuple[str, int]]) -> Iterator[str]:
    """Fill `rows`, and yield what is wrong with a line."""
    for line, text in lines:
        parts = [cell.strip() for cell in text.split("\t")]
        for part in parts:
            check_symbol(part, f"{path}:{line}")
        cells = [canonical(part) for part in parts]
        fault = _same_phones_fault(cells, rows)
        if fault:
            yield f"{line}: {fault}"
        else:
            rows[cells[0]] = (cells[1], line)


def _same_phones_fault(cells: list[str], rows: dict[str, tuple[str, int]]) -> str:
    if len(cells) != len(_HEADER):
        return f"{len(cells)} cells, but the header has {len(_HEADER)}"
    if "" in cells:
        return f"an empty {_HEADER[cells.index('')]}; no counterpart is written {GAP} (U+2205)"
    if cells[0] == GAP:
        return f"{GAP} is no phone of the target"
    return f"'{shown(cells[0])}' stands here again, after line {rows[cells[0]][1]}" if cells[0] in rows else ""


# Speakers of utterances: a TSV or CSV with `utterance` and `speaker`, Kaldi's utt2spk, or how their ids begin.


def load_speakers(
    path: Path, columns: Mapping[str, str] | None = None, form: Literal["tsv", "csv", "utt2spk"] | None = None
) -> dict[str, str]:
    """Return the speaker of each utterance; the format follows from the name unless given."""
    names = {"utterance": "utterance", "speaker": "speaker", **(columns or {})}
    comma = form == "csv" if form else path.suffix.lower() == ".csv"
    kaldi = form == "utt2spk" if form else path.name == "utt2spk"
    rows = csv_rows(path) if comma else ((line, text.split(None if kaldi else "\t")) for line, text in read_lines(path))
    _, header = (0, ["utterance", "speaker"]) if kaldi else next(rows, (1, []))
    missing = [names[name] for name in ("utterance", "speaker") if names[name] not in header]
    if missing:
        has = shown(", ".join(header), 400) or "nothing"
        raise DataError(f"{path}:1: no column {', '.join(missing)}; the file has: {has}")
    utterance, speaker = header.index(names["utterance"]), header.index(names["speaker"])
    found: dict[str, str] = {}
    for line, row in rows:
        if len(row) != len(header):
            wanted = "utt2spk has an utterance and its speaker" if kaldi else f"the header has {len(header)}"
            raise DataError(f"{path}:{line}: {len(row)} cell{'s' * (len(row) != 1)}, but {wanted}")
        check_plain(row[utterance], "utterance id", f"{path}:{line}")
        check_plain(row[speaker], "speaker", f"{path}:{line}")
        if found.setdefault(row[utterance], row[speaker]) != row[speaker]:
            raise DataError(f"{path}:{line}: utterance '{row[utterance]}' has a second speaker")
    return found


def speakers_of(utterances: Sequence[str], speaker_of: Mapping[str, str], source: str) -> tuple[str, ...]:
    """Return the speaker of each utterance; DataError when some have none."""
    missing = [utterance for utterance in utterances if utterance not in speaker_of]
    if missing:
        some = " ".join(missing[:5]) + (" …" if len(missing) > 5 else "")
        raise DataError(f"{source}: no speaker for {len(missing)} of {len(utterances)} utterances: {some}")
    return tuple(speaker_of[utterance] for utterance in utterances)


def speakers_in_ids(utterances: Sequence[str], pattern: str) -> tuple[str, ...]:
    """Return what a regular expression finds at the beginning of each id: its first group, or all of it."""
    whole = re.compile(pattern)
    found = {each: match[min(whole.groups, 1)] for each in utterances if (match := whole.match(each))}
    return speakers_of(utterances, {each: name for each, name in found.items() if name}, f"speaker_pattern {pattern}")


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
            if len(shared) >= _SEVERAL:
                part = f"[^{separator}]+"
                return separator.join([part] * depth)
    return ""


_SEVERAL, _ALONE = 3, 0.1  # speakers at least; share of the utterances that may be a speaker's only one
_FAR = 1 << 30  # a separator that an id lacks, −1 of so many, comes last

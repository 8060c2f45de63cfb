"""Transcripts to phone sequences: every distinct symbol is decided once, then tokens follow by table look-up.

A raw symbol becomes phones through a table of symbols or as IPA, is silence, or is unknown. Of unknown ones a message
says which, where, and the set or the table to give instead.
"""

import json
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from phonxling.core.arrays import Bools, Codes, offsets_of
from phonxling.core.errors import DataError, join_problems, shown
from phonxling.core.features import FeatureTable, Origin
from phonxling.core.inventory import GAP, SILENCE_PHONE
from phonxling.core.posteriorgram import Posteriorgrams, RawPosteriors, Scale, Spelling
from phonxling.core.sequences import Action, AuditRow, PhoneSequences, SymbolAudit, Transcript
from phonxling.core.spelling import ACCENTS, EXTRA, Levels, read_tones, shown_tone, split_tone
from phonxling.phones.ipa import (
    Fate,
    by_rules,
    expand,
    keep_ipa,
    merged_closures,
    read_ipa,
    segment,
    segmented,
    words_of,
)
from phonxling.phones.symbols import (
    BLANKS,
    BUILT_IN,
    CLOSURES,
    LABELS,
    MARKERS,
    POSITION,
    SILENCE,
    SymbolRules,
    SymbolSet,
    is_boundary,
    refuse_text_units,
    xsampa_to_ipa,
)


def decide(raw: str, symbols: SymbolSet, table: FeatureTable, rules: SymbolRules) -> Fate | None:
    """Return what one raw symbol becomes; None when it is unknown."""
    fate = _decide(rules.written(raw), symbols, table, rules)
    return fate if fate is None or fate.features == "none" else by_rules(fate, table, rules)


def _decide(raw: str, symbols: SymbolSet, table: FeatureTable, rules: SymbolRules) -> Fate | None:
    if symbols.raw:
        return Fate((unicodedata.normalize("NFC", raw),), "kept", "none")
    row = symbols.row(raw)
    named = raw if row is None else row or "-"  # a table decides what is silence
    if named.lower() in SILENCE:
        if rules.silence != "keep":
            return Fate((), "silence", "none")
        return Fate((SILENCE_PHONE,), "kept" if raw == SILENCE_PHONE else "mapped", "none")
    if row is None and is_boundary(raw):
        return Fate((), "boundary", "none")
    if row is None and not symbols.mapped:
        return read_ipa(raw, table, rules.tone, rules.tone_levels)
    if symbols.fold(raw) in symbols.closures:  # without its release: the stop, unreleased where it is alone
        stop = symbols.to_ipa(symbols.closures[symbols.fold(raw)][0]) or ""
        stop += "\u031a" * (rules.closures == "alone")
        return Fate((stop,), "mapped", table.vector(stop)[1])
    mapped = symbols.to_ipa(raw)
    return None if mapped is None else _through_map(raw, mapped, table, rules)


def _through_map(raw: str, mapped: str, table: FeatureTable, rules: SymbolRules) -> Fate | None:
    parts = [read_ipa(part, table, rules.tone, rules.tone_levels) for part in mapped.split()]
    known = [part for part in parts if part is not None]
    if len(known) != len(parts):
        return None
    phones, tone = joined_fates(known)
    if not phones and not tone:
        return Fate((), "dropped", "none")
    same = phones == (unicodedata.normalize("NFC", raw),)
    action: Action = "split" if len(phones) > 1 else "kept" if same else "mapped"
    origin: Origin = "composed" if any(part.features == "composed" for part in known) else "table"
    return Fate(phones, action, origin, tone)


def joined_fates(parts: list[Fate]) -> tuple[tuple[str, ...], str]:
    return tuple(phone for part in parts for phone in part.phones), " ".join(part.tone for part in parts if part.tone)


MOST = 500  # symbols, the most frequent, that are tried: words are many, and each takes a millisecond
_SETS = ("ipa", "arpabet", "timit39", "timit48", "timit61", "xsampa", "espeak", "ipa-joined")  # of equals the first
_PLAIN = re.compile(r"[A-Za-z]{2,}")  # a label or a word, unlikely to be the spelling of one phone in IPA


@dataclass(frozen=True, slots=True)
class Fit:
    """How one built-in symbol set reads some symbols."""

    name: str
    tried: int
    unknown: tuple[str, ...]
    doubtful: tuple[str, ...]
    merged: tuple[tuple[str, str], ...]


def fits(counts: Mapping[str, int], table: FeatureTable) -> list[Fit]:
    """Return how each built-in set reads raw symbols (number of tokens by symbol), the set that fits best first."""
    symbols = _frequent(counts)
    spoken = {symbol.lower() for symbol in symbols if not is_boundary(symbol)} - SILENCE
    own = next((name for name, labels in LABELS.items() if spoken <= labels), "")
    tried = [_fit(name, symbols, table) for name in _SETS]
    few_words = 2 * len(tried[0].unknown) <= len(symbols)
    return sorted(tried, key=lambda fit: (few_words and fit.name == "ipa-joined", *_misfit(fit, own)))


def fit_of(name: str, counts: Mapping[str, int], table: FeatureTable) -> Fit | None:
    """Return how one built-in set reads raw symbols; None when there is no such set to try."""
    return _fit(name, _frequent(counts), table) if name in _SETS else None


def _frequent(counts: Mapping[str, int]) -> list[str]:
    return sorted(counts, key=lambda symbol: -counts[symbol])[:MOST]


def _misfit(fit: Fit, own: str) -> tuple[int, int, int, bool, int]:
    doubts = len(fit.unknown) + len(fit.doubtful)
    return doubts, len(fit.unknown), len(fit.merged), fit.name not in {own, "ipa"}, _SETS.index(fit.name)


def _fit(name: str, symbols: list[str], table: FeatureTable) -> Fit:
    chosen, rules = BUILT_IN[name], SymbolRules()
    unknown, doubtful, merged = [], [], []
    first: dict[tuple[str, ...], str] = {(): ""}
    for symbol in symbols:
        silent = symbol.lower() in SILENCE or is_boundary(symbol)
        parts = segment(symbol, table) if chosen.joined and not silent else [symbol]
        fates = [decide(part, chosen, table, rules) for part in parts]
        known = [fate for fate in fates if fate is not None]
        if len(known) < len(fates):
            unknown.append(symbol)
            continue
        odd = _PLAIN.fullmatch(symbol) or (name == "espeak" and symbol.isascii() and not symbol.islower())
        if chosen.ipa is None and odd and not silent:
            doubtful.append(symbol)
        if not silent and symbol.lower() not in CLOSURES:
            twin = first.setdefault(joined_fates(known)[0], symbol)
            merged += [(symbol, twin)] if twin != symbol else []
    return Fit(name, len(symbols), tuple(unknown), tuple(doubtful), tuple(merged))


def tone_levels(sides: Iterable[tuple[Transcript, SymbolSet]]) -> Levels:
    """Return the reading of accents that goes with all tones of a corpus, gold and predicted."""
    inner = outer = 0
    for transcript, symbols in sides:
        for raw, count in zip(transcript.symbols, transcript.counts.tolist(), strict=True):
            for part in (symbols.to_ipa(raw) or "").split() if count else ():
                marks = {*split_tone(part)[1]}
                if marks & {*EXTRA}:
                    return "five"
                level = [] if marks & {*ACCENTS} else [{*tone} for tone in read_tones(split_tone(part)[1]).split()]
                inner += count * sum(tone in ({"˦"}, {"˨"}) for tone in level)
                outer += count * sum(tone in ({"˥"}, {"˩"}) for tone in level)
    return "five" if inner > outer else "three"


def join_tones(transcript: Transcript, fates: Sequence[Fate], table: FeatureTable) -> tuple[Transcript, list[Fate]]:
    """Return the transcript, and its symbols' fates, with each tone that stands alone attached to a phone."""
    alone = [len(fate.phones) == 1 and fate.action != "unknown" and not split_tone(fate.phones[0])[0] for fate in fates]
    if not any(alone):
        return transcript, list(fates)
    codes = transcript.codes.astype(np.int64)
    symbols, places, all_fates = [*transcript.symbols], [*transcript.places], [*fates]
    added: dict[tuple[int, str], int] = {}

    def coded(code: int, tone: str, fate: Fate) -> int:
        if (code, tone) not in added:
            added[code, tone] = len(all_fates)
            all_fates.append(fate)
            symbols.append(symbols[code])
            places.append(places[code])
        return added[code, tone]

    bears = [_bears(fate.phones, table) if fate.phones != (SILENCE_PHONE,) else [] for fate in fates]
    for token, bearer in _bearers(transcript, alone, bears):
        tone, code = fates[codes[token]].phones[0], int(codes[bearer])
        codes[bearer] = coded(code, tone, _with_tone(all_fates[code], tone, table))
        codes[token] = coded(int(codes[token]), "", Fate((), "merged", "none"))
    return replace(transcript, codes=codes, symbols=tuple(symbols), places=tuple(places)), all_fates


def _bearers(transcript: Transcript, alone: list[bool], bears: list[list[bool]]) -> Iterator[tuple[int, int]]:
    codes = transcript.codes.tolist()
    for first, end in zip(transcript.offsets[:-1].tolist(), transcript.offsets[1:].tolist(), strict=True):
        bearer = latest = -1
        for token in range(first, end):
            code = codes[token]
            if alone[code] and latest >= 0:
                yield token, latest if bearer < 0 else bearer
            elif bears[code] and not alone[code]:
                latest, bearer = token, token if any(bears[code]) else bearer


def _bears(phones: Sequence[str], table: FeatureTable) -> list[bool]:
    return [bool(split_tone(phone)[1]) or table.matches(phone, "+syl") for phone in phones]


def _with_tone(fate: Fate, tone: str, table: FeatureTable) -> Fate:
    bears = _bears(fate.phones, table)
    place = max((n for n, bearing in enumerate(bears) if bearing), default=len(bears) - 1)
    segment, marks = split_tone(fate.phones[place] + tone)  # the names ¹ and ⁵ side by side are the pitches ˩˥
    toned = unicodedata.normalize("NFC", segment + read_tones(marks).replace(" ", ""))
    phones = (*fate.phones[:place], toned, *fate.phones[place + 1 :])
    return Fate(phones, "unknown" if fate.action == "unknown" else "folded", table.vector(toned)[1])


# What looks like a letter or a mark of the IPA, and may stand for it or for something else: never folded, only named.
ALIKE = {
    **dict(zip("аеорсухіјѕһԁԛԝөєзӡ", "aeopcyxijshdqwɵɛɜʒ", strict=True)),
    **dict(zip("οινυητκρωδ", "oɩvʋŋtkpɯð", strict=True)),
    **dict(zip("?ɂ!ı∫ß\u0331\u0323\u0328\u0327", "ʔʔǃɪʃβ\u0320\u0329\u0303\u0321", strict=True)),
}
_RULES = SymbolRules()
_RAISED = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


def hint(raw: str, symbols: SymbolSet, table: FeatureTable) -> str:
    """Return what an unknown symbol may be, "" when nothing sensible can be said."""
    row = symbols.to_ipa(raw) if symbols.mapped else symbols.row(raw)
    if symbols.mapped and not raw.isascii() and _known(raw, table):
        return "IPA already"
    if row is not None:
        return f"mapped to '{row}', which the feature table does not know"
    return "" if symbols.mapped else _as_ipa(raw, table)


def _as_ipa(raw: str, table: FeatureTable) -> str:
    if raw.isascii() and raw.isdigit():
        return f"a tone as a symbol of its own? A table says so: {raw}, tab, {raw.translate(_RAISED)}"
    if raw not in ALIKE and (meant := xsampa_to_ipa(raw)) not in {None, raw} and _known(meant or "", table):
        return f"X-SAMPA's {meant}"
    letters = unicodedata.normalize("NFD", raw)
    likely = "".join(ALIKE.get(letter, letter) for letter in letters)
    if likely != letters and _known(likely, table):
        doubtful = [letter for letter in dict.fromkeys(letters) if letter in ALIKE]
        return "; ".join(f"{_named(letter)} looks like the IPA's {_named(ALIKE[letter])}" for letter in doubtful)
    bare = "".join(letter for letter in letters if not unicodedata.combining(letter))
    if not bare:
        return "a mark without its letter"
    if bare != letters and _known(bare, table):
        marks = [letter for letter in letters if unicodedata.combining(letter)]
        odd = [mark for mark in marks if not _known(bare + mark, table)] or marks
        return f"{bare} is known, with {_named(odd[0])} it is not"
    parts = segment(raw, table)
    if 1 < len(parts) <= 3 and all(_known(part, table) for part in parts) and not raw.isascii():
        return f"several phones? {' '.join(parts)}"
    return ""


def _named(letter: str) -> str:
    name = unicodedata.name(letter, "").lower().removeprefix("combining ")
    return f"{shown_tone(letter)} (U+{ord(letter):04X}, {name})"


def _known(symbol: str, table: FeatureTable) -> bool:
    return decide(symbol, BUILT_IN["ipa"], table, _RULES) is not None


_LETTERS = 40  # of a symbol that are shown
_FEW, _DETAILED, _NAMED = 5, 10, 60  # symbols of a sentence, with a line each, and by name alone
_OWN_TABLE = "a table of your own (symbol, tab, IPA)"


class UnknownSymbolsError(DataError):
    """Symbols that a set does not know; `best` is what to give instead, "" when it is the right one."""

    def __init__(self, message: str, best: str = "") -> None:
        super().__init__(message)
        self.best = best


def unknown_symbols(
    transcript: Transcript, symbols: SymbolSet, table: FeatureTable, *, codes: Sequence[int], counts: Codes, side: str
) -> UnknownSymbolsError:
    """Return the error about the transcript's symbols of these codes; `side` says whose they are, "" where unknown."""
    best = fits({symbol: int(count) for symbol, count in zip(transcript.symbols, counts, strict=True)}, table)[0]
    given = symbols.name.partition("+")[0]
    ordered = sorted(codes, key=lambda code: -counts[code])
    names = [transcript.symbols[code] for code in ordered]
    whose = f" ({side})" if side not in {"", transcript.source} else ""
    own = "" if table.name.startswith("panphon") else f" with the features of {table.name}"
    verb = "is" if len(codes) == 1 else "are"
    headline = f"{transcript.source}{whose}: {len(codes)} of {len(transcript.symbols)} symbols {verb} not known to"
    headline = f"{headline} the symbol set '{symbols.name}'{own}:"
    whose = f" for {side.partition(',')[0]}" if side else ""
    if 2 * len(marked := [name for name in names if POSITION.search(name)]) > len(names):
        text = f"{headline} {_some(names)} (first at {transcript.places[min(codes)]})"
        return UnknownSymbolsError(*_without_marks(text, marked, symbols, table, whose))
    doubts = 0 if best.name == "ipa-joined" else len(best.doubtful)
    if best.name != given and 2 * (len(best.unknown) + doubts) <= min(len(codes), best.tried):
        text = f"{headline} {_some(names)} (first at {transcript.places[min(codes)]})"
        return UnknownSymbolsError(f"{text}\n{_other_set(best, table, names, whose)}", best.name)
    lines = [_line(transcript, code, counts) for code in ordered[:_DETAILED]]
    hints = [hint(name, symbols, table) for name in names[:_DETAILED]]
    lines = [f"{line}; {what}" if what else line for line, what in zip(lines, hints, strict=True)]
    if rest := names[_DETAILED:]:
        lines.append(f"{len(rest)} more: {_some(rest, _NAMED)}")
    last = "where they are no phones, unknown: drop leaves them out (unknown: keep makes each a phone of its own"
    last += "; score: --set symbols.unknown=drop)"
    if given in BUILT_IN and not symbols.over:
        remedy = f"Give their IPA in {_OWN_TABLE}, extra.tsv, and set symbols: [{given}, extra.tsv]{whose}; {last}."
        return UnknownSymbolsError(join_problems(headline, lines, remedy), f"{given}+extra.tsv")
    remedy = f"Add them to {symbols.name.rpartition('+')[2]} (symbol, tab, IPA); {last}."
    return UnknownSymbolsError(join_problems(headline, lines, remedy))


def on_both_sides(errors: Mapping[str, UnknownSymbolsError], sets: Mapping[str, str], *, for_score: bool) -> DataError:
    """Return one error for both sides of a corpus, of which `sets` are given, with what to give instead by `score`."""
    lines = [*map(str, errors.values())]
    better = {side: errors[side].best if side in errors else name for side, name in sets.items()}
    if len(errors) > 1 and [*better.values()] == [*sets.values()][::-1]:
        lines.append("Each side fits the other's symbol set: were gold and predicted swapped?")
    elif for_score and all(better.values()):
        pair = ", ".join(json.dumps(name if "+" not in name else name.split("+")) for name in better.values())
        lines.append(f"For score: --symbols {','.join(better.values())}; in Python: symbols=({pair})")
    return DataError("\n".join(lines))


def _some(names: Sequence[str], most: int = _FEW) -> str:
    more = " …" if len(names) > most else ""
    return " ".join(shown(shown_tone(name), _LETTERS) for name in names[:most]) + more


def _line(transcript: Transcript, code: int, counts: Codes) -> str:
    raw, count = transcript.symbols[code], int(counts[code])
    letters = " ".join(f"U+{ord(letter):04X}" for letter in raw[:_LETTERS]) + " …" * (len(raw) > _LETTERS)
    times = "once" if count == 1 else f"{count} times"
    return f"{_some([raw])}  ({letters}) {times}, first at {transcript.places[code]}"


def _without_marks(
    text: str, marked: Sequence[str], symbols: SymbolSet, table: FeatureTable, whose: str
) -> tuple[str, str]:
    """Return the message that names Kaldi's position marks, and the set to give, "" where it is the right one."""
    bare = dict.fromkeys((POSITION.sub("", name) for name in marked), 1)
    known = all(decide(name, symbols, table, _RULES) is not None for name in bare)
    other = "" if known else fits(bare, table)[0].name
    remedy = f"set position_marks: strip{f' and symbols: {other}' * bool(other)}{whose}"
    for_score = "for score: --set symbols.position_marks=strip"
    return (
        f"{text}\n{len(marked)} end in Kaldi's marks of the place in a word (_B _I _E _S): {remedy} ({for_score}).",
        other,
    )


def _other_set(best: Fit, table: FeatureTable, names: Sequence[str], whose: str) -> str:
    if best.name == "ipa-joined":
        example = next((name for name in names if len(segment(name, table)) > 1), names[0])
        spelling = " If they are spelling rather than IPA, write them as phones first." if best.doubtful else ""
        read = f"as in {shown(example, _LETTERS)} → {' '.join(segment(example[:_LETTERS], table))}"
        return f"They look like words of IPA without spaces, {read}: set symbols: ipa-joined{whose}.{spelling}"
    known = best.tried - len(best.unknown)
    if not best.unknown:
        return f"All {known} are {best.name}: set symbols: {best.name}{whose}."
    rest = f"for the others ({_some(best.unknown)}), {_OWN_TABLE} over it: symbols: [{best.name}, extra.tsv]"
    return f"{known} of {best.tried} are {best.name}: set symbols: {best.name}{whose}; {rest}."


def normalise(
    transcript: Transcript, symbols: SymbolSet, table: FeatureTable, rules: SymbolRules, *, side: str = ""
) -> tuple[PhoneSequences, SymbolAudit]:
    if symbols.joined:
        transcript = segmented(transcript, table, symbols.joined)
    fates = [decide(symbol, symbols, table, rules) for symbol in transcript.symbols]
    unknown = [code for code, fate in enumerate(fates) if fate is None]
    if unknown and rules.unknown == "error":
        raise unknown_symbols(transcript, symbols, table, codes=unknown, counts=transcript.counts, side=side)
    gap = f"the symbol {GAP} (U+2205) stands for 'no phone' and cannot be a phone; rename it"
    refused = {GAP: gap} if symbols.row(GAP) is None else {}
    if symbols.raw:
        refused[""] = "a phone cannot be the empty string"
    for symbol in refused.keys() & {*transcript.symbols}:
        raise DataError(f"{transcript.places[transcript.symbols.index(symbol)]}: {refused[symbol]}")
    known = [fate or _unknown_fate(transcript.symbols[code], symbols, table, rules) for code, fate in enumerate(fates)]
    if rules.tone == "attach" and not symbols.raw:
        transcript, known = join_tones(transcript, known, table)
    merged = merged_closures(transcript, symbols, rules) if rules.closures == "merge" else None
    phones = expand(transcript, known, merged, keep_tones=rules.tone == "tier" and not symbols.raw)
    words = words_of(transcript, known, merged)
    return phones if words is None else replace(phones, words=words), _audit(transcript, known, merged)


def _unknown_fate(raw: str, symbols: SymbolSet, table: FeatureTable, rules: SymbolRules) -> Fate:
    """Return what an unknown symbol becomes: nothing, or kept as it is mapped (as it stands, when the map lacks it)."""
    raw = rules.written(raw)
    if rules.unknown == "drop":
        return Fate((), "unknown", "none")
    mapped = symbols.to_ipa(raw)
    if mapped is None:
        return Fate((unicodedata.normalize("NFC", raw),), "unknown", "none")
    texts = [raw] if symbols.row(raw) is None and not symbols.mapped else mapped.split()
    how = rules.tone, rules.tone_levels
    phones, tone = joined_fates([read_ipa(text, table, *how) or keep_ipa(text, *how) for text in texts])
    return Fate(phones, "unknown", "none", tone)


def _audit(transcript: Transcript, fates: list[Fate], merged: Bools | None) -> SymbolAudit:
    counts, gone = transcript.counts, np.zeros(len(fates), np.int64)
    if merged is not None:
        gone = np.bincount(transcript.codes[merged], minlength=len(fates))
    rows = []
    for raw, fate, count, joined in zip(transcript.symbols, fates, counts, gone, strict=True):
        if count > joined:
            symbol = fate.shown if fate.action != "merged" else "(its phone)"
            rows.append(AuditRow(raw, symbol, fate.action, int(count - joined), fate.features))
        if joined:
            rows.append(AuditRow(raw, "(its release)", "merged", int(joined), "none"))
    return tuple(rows)


def normalise_columns(
    raw: RawPosteriors,
    symbols: SymbolSet,
    table: FeatureTable,
    rules: SymbolRules,
    *,
    frame_shift: float | None = None,
    frame_offset: float = 0.0,
    blank: str | None = None,
    scale: Scale = "probability",
) -> tuple[Posteriorgrams, SymbolAudit]:
    shift = frame_shift if frame_shift is not None else raw.frame_shift
    if shift is None:
        raise DataError(
            f"{raw.source}: the frame shift is not in the file; give frame_shift: (decode: --frame-shift), in seconds"
        )
    blank = raw.blank if blank is None else blank
    if blank is not None and blank not in raw.labels:
        raise DataError(f"{raw.source}: blank '{blank}' is none of its columns: {' '.join(raw.labels)}")
    named, markers = [label for label in raw.labels if label != blank], []
    if not symbols.raw:  # a table of symbols that has a marker decides
        markers = [label for label in named if symbols.row(label) is None and label.lower() in MARKERS]
        named = [label for label in named if label not in markers]
        unmapped = [label for label in named if symbols.row(label) is None]
        refuse_text_units(raw.source, unmapped, markers)
    read = partial(normalise, symbols=symbols, table=table, rules=rules, side="posteriors")
    phones, audit = read(one_token_each(raw.source, named, raw.labels))
    codes = {label: phones.codes[slice(*phones.offsets[n : n + 2])].tolist() for n, label in enumerate(named)}
    keys = {label: _key(phones, place, label, symbols, rules) for place, label in enumerate(named)}
    suspected = [place for place, label in enumerate(raw.labels) if label.lower() in BLANKS]
    alone = {blank, *(raw.labels[place] for place in suspected)}
    read_as = [("blank", label) if label in alone else keys.get(label, ()) for label in raw.labels]
    numbers = {key: number for number, key in enumerate(dict.fromkeys(read_as))}
    spelling = Spelling(
        labels=raw.labels,
        classes=np.array([numbers[key] for key in read_as], np.int64),
        spoken=np.array([bool(keys.get(label)) for label in raw.labels]),
        suspected=np.array(suspected, np.int64),
        read=read,
    )
    posteriorgrams = Posteriorgrams(
        source=raw.source,
        utterances=raw.utterances,
        inventory=phones.inventory,
        columns=np.array([(codes.get(label) or [-1])[0] for label in raw.labels], dtype=np.int64),
        several={n: tuple(of) for n, label in enumerate(raw.labels) if len(of := codes.get(label, [])) > 1},
        read=raw.read,
        files=raw.files,
        frame_shift=shift,
        frame_offset=frame_offset,
        scale=scale,
        blank=None if blank is None else raw.labels.index(blank),
        spelling=spelling,
    )
    return posteriorgrams, (*audit, *(AuditRow(label, "", "dropped", 1, "none") for label in markers))


def _key(phones: PhoneSequences, place: int, label: str, symbols: SymbolSet, rules: SymbolRules) -> tuple[object, ...]:
    """Return what a label is read as, equal for labels that are read alike; () for one without phone or tone."""
    if rules.closures == "merge" and symbols.fold(label) in symbols.closures:
        return (label,)
    tiers = [phones] if phones.tones is None else [phones, phones.tones]
    read = tuple(tuple(tier.codes[tier.offsets[place] : tier.offsets[place + 1]].tolist()) for tier in tiers)
    return read if any(read) else ()


def one_token_each(source: str, labels: Sequence[str], columns: Sequence[str] = ()) -> Transcript:
    """Return labels as symbols of a file, at their places among all columns."""
    return Transcript(
        utterances=tuple(labels),
        offsets=offsets_of(np.ones(len(labels))),
        codes=np.arange(len(labels), dtype=np.int32),
        source=source,
        symbols=tuple(labels),
        places=tuple(f"{source}: column {(columns or labels).index(label) + 1}" for label in labels),
    )

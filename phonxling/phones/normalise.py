"""Transcripts to phone sequences: every distinct symbol is decided once, then tokens follow by table look-up."""

import math
import unicodedata
from bisect import bisect
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import pairwise

import numpy as np

from phonxling.core.arrays import Bools, offsets_of
from phonxling.core.errors import DataError
from phonxling.core.features import FeatureTable
from phonxling.core.inventory import GAP, SILENCE_PHONE
from phonxling.core.posteriorgram import Posteriorgrams, RawPosteriors, Scale, Spelling
from phonxling.core.sequences import AuditRow, PhoneSequences, SymbolAudit, Transcript
from phonxling.core.spelling import ACCENTS, EXTRA, Levels, read_tones, split_tone
from phonxling.phones.ipa import (
    NormalisedSymbol,
    decide,
    expand,
    find_merged_closures,
    join_fates,
    keep_ipa,
    lacks_letter,
    number_words,
    read_ipa,
    segment_words,
)
from phonxling.phones.symbols import BLANKS, MARKERS, SymbolRules, SymbolSet, refuse_text_units
from phonxling.phones.unknown import unknown_symbols


def choose_tone_levels(sides: Iterable[tuple[Transcript, SymbolSet]]) -> Levels:
    """Return the reading of accents that goes with all tones of a corpus, gold and predicted."""
    # Extra-high and extra-low accents exist in five levels alone. Otherwise tone letters of the same corpus decide: a
    # transcription with ˦ and ˨ writes á for ˦. Both sides count together, for they are compared.
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


def join_tones(
    transcript: Transcript, fates: Sequence[NormalisedSymbol], table: FeatureTable
) -> tuple[Transcript, list[NormalisedSymbol]]:
    """Return the transcript, and its symbols' fates, with each tone that stands alone attached to a phone."""
    alone = [len(fate.phones) == 1 and fate.action != "unknown" and not split_tone(fate.phones[0])[0] for fate in fates]
    if not any(alone):
        return transcript, list(fates)
    codes = transcript.codes.astype(np.int64)
    made = [*enumerate(fates)]  # the symbol and the fate of each code
    kinds = {kind: code for code, kind in enumerate(made)}

    def code_of(symbol: int, fate: NormalisedSymbol) -> int:
        if (symbol, fate) not in kinds:
            kinds[symbol, fate] = len(made)
            made.append((symbol, fate))
        return kinds[symbol, fate]

    none = [tone or fate.phones == (SILENCE_PHONE,) for tone, fate in zip(alone, fates, strict=True)]
    bears = [[] if none[code] else _find_tone_bearing(fate.phones, table) for code, fate in enumerate(fates)]
    for token, bearer in _find_bearers(transcript, alone, bears):
        if bearer >= 0:
            symbol, fate = made[codes[bearer]]
            tone = fates[codes[token]].phones[0]
            codes[bearer] = code_of(symbol, _add_tone(fate, tone, table, before=token < bearer))
        codes[token] = code_of(int(codes[token]), NormalisedSymbol((), "merged" if bearer >= 0 else "dropped", "none"))
    symbols, places = (tuple(names[symbol] for symbol, _ in made) for names in (transcript.symbols, transcript.places))
    return replace(transcript, codes=codes, symbols=symbols, places=places), [fate for _, fate in made]


def _find_bearers(transcript: Transcript, alone: list[bool], bears: list[list[bool]]) -> Iterator[tuple[int, int]]:
    # Each tone that stands alone with the phone before it that bears it, or the first after it; −1 for none.
    codes = transcript.codes.tolist()
    for first, end in pairwise(transcript.offsets.tolist()):
        phones = [token for token in range(first, end) if bears[codes[token]]]
        vowels = [token for token in phones if any(bears[codes[token]])]
        tones = [token for token in range(first, end) if alone[codes[token]]]
        leading = bisect(tones, phones[0]) if phones else len(tones)
        # Tones before the first phone are taken from the last to the first, since each goes in front of what is there.
        for tone in (*tones[leading:], *reversed(tones[:leading])):
            # A tone stands behind its syllable: the vowel before it bears it, else the phone before it; where there is
            # none, the first vowel after it, or the first phone.
            before = [each[place - 1] for each in (vowels, phones) if (place := bisect(each, tone))]
            yield tone, [*before, *vowels[:1], *phones[:1], -1][0]


def _find_tone_bearing(phones: Sequence[str], table: FeatureTable) -> list[bool]:
    return [bool(split_tone(phone)[1]) or table.matches(phone, "+syl") for phone in phones]


def _add_tone(fate: NormalisedSymbol, tone: str, table: FeatureTable, *, before: bool) -> NormalisedSymbol:
    bears = _find_tone_bearing(fate.phones, table)
    place = max((n for n, bearing in enumerate(bears) if bearing), default=len(bears) - 1)
    segment, own = split_tone(fate.phones[place])
    marks = tone + own if before else own + tone  # the names ¹ and ⁵ side by side are the pitches ˩˥
    toned = unicodedata.normalize("NFC", segment + read_tones(marks).replace(" ", ""))
    phones = (*fate.phones[:place], toned, *fate.phones[place + 1 :])
    return NormalisedSymbol(phones, "unknown" if fate.action == "unknown" else "folded", table.vector(toned)[1])


def normalise(
    transcript: Transcript, symbols: SymbolSet, table: FeatureTable, rules: SymbolRules, *, side: str = ""
) -> tuple[PhoneSequences, SymbolAudit]:
    """Return a transcript's phones, and what each of its symbols became; DataError for symbols that are refused."""
    if symbols.joined:
        transcript = segment_words(transcript, table, symbols.joined)
    fates = [decide(symbol, symbols, table, rules) for symbol in transcript.symbols]
    unknown = [code for code, fate in enumerate(fates) if fate is None]
    if unknown and rules.unknown == "error":
        raise unknown_symbols(transcript, symbols, table, codes=unknown, side=side)
    # Confusion tables and cost tables write ∅ for the partner of an insertion or a deletion.
    gap = f"the symbol {GAP} (U+2205) stands for 'no phone' and cannot be a phone; rename it"
    refused = {GAP: gap} if symbols.row(GAP) is None else {}
    if symbols.raw:
        refused[""] = "a phone cannot be the empty string"
    for symbol in refused.keys() & {*transcript.symbols}:
        raise DataError(f"{transcript.places[transcript.symbols.index(symbol)]}: {refused[symbol]}")
    pairs = zip(transcript.symbols, fates, strict=True)
    known = [fate or _keep_unknown(symbol, symbols, table, rules) for symbol, fate in pairs]
    if rules.tone == "attach" and not symbols.raw:
        transcript, known = join_tones(transcript, known, table)
    merged = find_merged_closures(transcript, symbols, rules) if rules.closures == "merge" else None
    phones = expand(transcript, known, merged, keep_tones=rules.tone == "tier" and not symbols.raw)
    words = number_words(transcript, known, merged)
    return phones if words is None else replace(phones, words=words), _audit(transcript, known, merged)


def _keep_unknown(raw: str, symbols: SymbolSet, table: FeatureTable, rules: SymbolRules) -> NormalisedSymbol:
    # An unknown symbol is dropped, or kept as it is mapped (as it stands, when the map lacks it).
    raw = rules.respell(raw)
    if rules.unknown == "drop":
        return NormalisedSymbol((), "unknown", "none")
    if (mapped := symbols.to_ipa(raw)) is None:
        return NormalisedSymbol((unicodedata.normalize("NFC", raw),), "unknown", "none")
    texts = [raw] if symbols.row(raw) is None and not symbols.mapped else mapped.split()
    how = rules.tone, rules.tone_levels
    phones, tone = join_fates([read_ipa(text, table, *how) or keep_ipa(text, *how) for text in texts])
    return NormalisedSymbol(phones, "unknown", "none", tone)


def _audit(transcript: Transcript, fates: list[NormalisedSymbol], merged: Bools | None) -> SymbolAudit:
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
    """Return posteriors whose columns are phones, and what each label became; DataError without a frame shift."""
    shift = frame_shift if frame_shift is not None else raw.frame_shift
    if shift is None:
        remedy = "give frame_shift: (decode: --frame-shift), in seconds"
        raise DataError(f"{raw.source}: the frame shift is not in the file; {remedy}")
    stored = shift if raw.frame_shift is None else raw.frame_shift
    other = f"frame_shift: {shift:g} is used, though the posteriors' file says {stored:g} s"
    blank = raw.blank if blank is None else blank
    if blank is not None and blank not in raw.labels:
        raise DataError(f"{raw.source}: blank '{blank}' is not one of its columns: {' '.join(raw.labels)}")
    named, markers, apart = _sort_labels(raw, symbols, blank)
    read = partial(normalise, symbols=symbols, table=table, rules=rules, side="posteriors")
    phones, audit = read(make_transcript(raw.source, named, raw.labels))
    codes = {label: phones.codes[slice(*phones.offsets[n : n + 2])].tolist() for n, label in enumerate(named)}
    keys: dict[str, tuple[object, ...]] = {label: (label,) for label in apart}
    tiers = [phones] if phones.tones is None else [phones, phones.tones]
    for place, label in enumerate(named):
        # Labels that are read alike have one key; () is that of one without phone or tone.
        parts = tuple(tuple(tier.codes[slice(*tier.offsets[place : place + 2])].tolist()) for tier in tiers)
        closure = rules.closures == "merge" and symbols.fold(label) in symbols.closures
        keys[label] = (label,) if closure else parts if any(parts) else ()
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
        spelling=_spell_labels(raw.labels, keys, blank, read),
        apart=tuple(apart),
        notes=() if math.isclose(shift, stored, rel_tol=1e-6) else (other,),
    )
    rows = [AuditRow(label, "", "dropped", 1, "none") for label in markers]
    rows += [AuditRow(label, "(its letter)", "merged", 1, "none") for label in apart]
    return posteriorgrams, (*audit, *rows)


def _sort_labels(raw: RawPosteriors, symbols: SymbolSet, blank: str | None) -> tuple[list[str], list[str], list[str]]:
    named, markers = [label for label in raw.labels if label != blank], []
    if not symbols.raw:  # a table of symbols that has a marker decides
        markers = [label for label in named if symbols.row(label) is None and label.lower() in MARKERS]
        named = [label for label in named if label not in markers]
        refuse_text_units(raw.source, [label for label in named if symbols.row(label) is None], markers)
    apart = [label for label in named if symbols.joined == "own" and lacks_letter(label)]
    return [label for label in named if label not in apart], markers, apart


def _spell_labels(
    labels: tuple[str, ...],
    keys: Mapping[str, tuple[object, ...]],
    blank: str | None,
    read: Callable[[Transcript], tuple[PhoneSequences, SymbolAudit]],
) -> Spelling:
    # Columns of one class are read alike. What may be a blank is a class of its own.
    suspected = [place for place, label in enumerate(labels) if label.lower() in BLANKS]
    alone = {blank, *(labels[place] for place in suspected)}
    read_as = [("blank", label) if label in alone else keys.get(label, ()) for label in labels]
    numbers: dict[tuple[object, ...], int] = {}
    return Spelling(
        labels=labels,
        classes=np.array([numbers.setdefault(key, len(numbers)) for key in read_as], np.int64),
        spoken=np.array([bool(keys.get(label)) for label in labels]),
        suspected=np.array(suspected, np.int64),
        read=read,
    )


def make_transcript(source: str, labels: Sequence[str], columns: Sequence[str] = ()) -> Transcript:
    """Return labels as symbols of a file, at their places among all columns."""
    return Transcript(
        utterances=tuple(labels),
        offsets=offsets_of(np.ones(len(labels))),
        codes=np.arange(len(labels), dtype=np.int32),
        source=source,
        symbols=tuple(labels),
        places=tuple(f"{source}: column {(columns or labels).index(label) + 1}" for label in labels),
    )

"""What one raw symbol becomes: phones by a symbol set or as IPA, silence, a boundary, unknown; words of joined IPA."""

import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from itertools import accumulate, chain, groupby, pairwise
from typing import Any, Literal

import numpy as np

from phonxling.core.arrays import Bools, Codes, code_type, count_codes, offsets_of
from phonxling.core.features import FeatureTable, Origin
from phonxling.core.inventory import SILENCE_PHONE, sorted_inventory
from phonxling.core.sequences import Action, PhoneSequences, Transcript
from phonxling.core.spelling import (
    CHART,
    DIGITS,
    MARKS,
    NON_SYLLABIC,
    PITCHES,
    STEPS,
    STRESS,
    TIE,
    TONE_LETTERS,
    Levels,
    Part,
    fold_letters,
    is_modifier,
    join_parts,
    order_marks,
    parse,
    parts_of_phone,
    pieces,
    placed_tie,
    read_tones,
    shown_tone,
    split_tone,
)
from phonxling.phones.symbols import (
    BETWEEN_WORDS,
    SILENCE,
    JoinedReading,
    SymbolRules,
    SymbolSet,
    Tone,
    is_boundary,
    is_pause,
)

# The forms that PanPhon's table has of prenasalised stops and clicks' accompaniments.
_SUPERSCRIPTS = {"m": "ᵐ", "ɱ": "ᶬ", "n": "ⁿ", "ɳ": "ᶯ", "ɲ": "ᶮ", "ŋ": "ᵑ", "ɴ": "ᶰ", "k": "ᵏ", "ɡ": "ᶢ"}
_MOST_LETTERS = 4  # that no tie joins: a nasal before a click with a stop and a fricative
_LENGTH, _OWN = "ːˑ", "\u0329\u032f˞"  # what is no mere mark: syllabicity makes a vowel, rhoticity another one
_PLACES = ("+lab", "+cor")


# A symbol that was given as one is one phone (it is never split), so two letters in it are one phone too, if the rules
# know what: an affricate (tʂ is t͡ʂ), a labial-velar (ŋm is ŋ͡m), a prenasalised obstruent (nd and n͡d are ⁿd), a click
# with its accompaniment (ɡǃ and ɡ͡ǃ are ᶢǃ).
def tie_letters(segment: str, table: FeatureTable) -> str | None:
    """Return two letters with the tie bar that they lack; None when they are not one phone."""
    parts = parse(segment)
    if len(parts) != 2 or parts[0].tie or parts[1].tie:
        return None
    first, second = (str(replace(part, modifiers="")) for part in parts)
    form = join_parts([replace(parts[0], tie=TIE), parts[1]])
    # What the table has is one phone; else features decide: a stop and a fricative of one place and voice are an
    # affricate (tθ, not tɣ), two nasals of which the second is labial a labial-velar (ŋm).
    if table.spelling(form) is not None:
        return form
    if parts[0].modifiers:
        return None
    if table.matches(first, "+velaric") and table.matches(second, "-syl"):
        return form
    affricate = table.matches(first, "-son -cont -delrel") and table.matches(second, "-son +cont")
    nasals = table.matches(first, "+son +nas -lab -cor") and table.matches(second, "+son +nas +lab")
    return form if nasals or (affricate and _have_same_features(table, first, second, (*_PLACES, "+voi"))) else None


def raise_first(segment: str, table: FeatureTable) -> str | None:
    # A nasal before an obstruent, or a velar before a click; anything else stays as it is (None).
    first, *rest = parse(segment)
    if not rest or first.letter not in _SUPERSCRIPTS or first.modifiers:
        return None
    release = join_parts(rest)
    release = tie_letters(release, table) or release
    letter = first.letter + first.marks
    nasal = table.matches(letter, "+son +nas") and table.matches(release, "-son")
    # nd is prenasalised, nɡ two phones that met; a tie bar says that they are one whatever their places.
    homorganic = bool(first.tie) or _have_same_features(table, letter, release, _PLACES)
    if table.matches(release, "+velaric") or (nasal and homorganic):
        return _SUPERSCRIPTS[first.letter] + first.marks + release
    return None


def _have_same_features(table: FeatureTable, first: str, second: str, values: tuple[str, ...]) -> bool:
    return all(table.matches(first, value) == table.matches(second, value) for value in values)


@dataclass(frozen=True, slots=True)
class NormalisedSymbol:
    """What a raw symbol becomes: no phone, one, or several, and the tones (separated by spaces) that came off it."""

    phones: tuple[str, ...]
    action: Action
    features: Origin
    tone: str = ""

    @property
    def shown(self) -> str:
        """The symbol as the audit shows it: the phones, then the tones."""
        return " ".join([*self.phones, *map(shown_tone, self.tone.split())])


@lru_cache(maxsize=4096)
def read_ipa(raw: str, table: FeatureTable, tone: Tone, levels: Levels = "three") -> NormalisedSymbol | None:
    """Return what an IPA symbol becomes; None when neither the table nor a rule knows it."""
    letters = sum(letter.isalpha() and not is_modifier(letter) for letter in raw)
    # Words of spelling come by the thousand, and each would be tried in every way: longer than any phone is unknown.
    if len(raw) > table.longest and letters - sum(map(raw.count, _TIES)) > _MOST_LETTERS:
        return None
    # Tone comes off before the table is asked: PanPhon's rows have none, and its own reader drops tone letters.
    segment, marks = _segment_and_tone(raw, levels)
    if raw and not raw.strip(STRESS):
        return NormalisedSymbol((), "dropped", "none")
    if not segment and marks and tone != "attach":
        kept = tone == "tier"
        return NormalisedSymbol((), "split" if kept else "dropped", "none", marks if kept else "")
    bare, accents = split_tone(raw)
    if table.spelling(bare) is not None and read_tones(accents, levels) == marks:
        segment = bare  # a row of the table goes before any fold, unless the fold takes an accent for a letter's (š)
    (phone, features), tones = _spell(segment, table), marks if tone == "tier" else ""
    if phone is None:
        return None
    if tone == "attach" and marks:
        phone = unicodedata.normalize("NFC", phone + marks.replace(" ", ""))
        features = table.vector(phone)[1]
    elif not phone:
        return None
    action: Action = "kept" if unicodedata.normalize("NFC", raw) == phone else "folded"
    return NormalisedSymbol((phone,), "split" if tones else action, features, tones)


def keep_ipa(raw: str, tone: Tone, levels: Levels = "three") -> NormalisedSymbol:
    """Return an IPA symbol that nobody knows as a phone: folded, its tone treated as that of any other symbol."""
    segment, marks = _segment_and_tone(raw, levels)
    phone = unicodedata.normalize("NFC", segment + marks.replace(" ", "") if tone == "attach" else segment) or raw
    return NormalisedSymbol((phone,), "unknown", "none", marks if tone == "tier" else "")


def apply_rules(fate: NormalisedSymbol, table: FeatureTable, rules: SymbolRules) -> NormalisedSymbol:
    """Return a fate without the marks, and with the diphthongs and affricates split, that the rules say."""
    whole = [_strip_marks(phone, rules) for phone in fate.phones]
    if rules.diphthongs == "split":
        whole = [vowel for phone in whole for vowel in _split_diphthong(phone, table)]
    if rules.affricates == "split":
        whole = [part for phone in whole for part in _split_affricate(phone, table)]
    phones = tuple(whole)
    if phones == fate.phones or "none" in (origins := {table.vector(phone)[1] for phone in phones}):
        return fate
    action: Action = "split" if len(phones) > len(fate.phones) else "mapped"
    return replace(fate, phones=phones, action=action, features="table" if origins == {"table"} else "composed")


def _strip_marks(phone: str, rules: SymbolRules) -> str:
    off = {*_LENGTH} if rules.length == "strip" else set()
    off |= MARKS.keys() - {*_LENGTH, *_OWN} if rules.diacritics == "strip" else set()
    segment, tone = split_tone(phone)
    kept = segment[:1] + "".join(letter for letter in segment[1:] if letter not in off)
    return phone if kept == segment else unicodedata.normalize("NFC", kept + tone)


def _split_affricate(phone: str, table: FeatureTable) -> tuple[str, ...]:
    parts = parse(phone)
    if len(parts) < 2 or not parts[-2].tie:
        return (phone,)
    stop, fricative = join_parts([*parts[:-2], replace(parts[-2], tie="")]), str(parts[-1])
    if not table.matches(parts[-2].letter, "-son -cont") or not table.matches(parts[-1].letter, "-son +cont"):
        return (phone,)
    return tuple(table.spelling(part) or unicodedata.normalize("NFC", part) for part in (stop, fricative))


def _split_diphthong(phone: str, table: FeatureTable) -> tuple[str, ...]:
    segment, tone = split_tone(phone)
    # The tone of a diphthong is its nucleus', the first part that is a syllabic vowel.
    vowels = [table.spelling(vowel) or unicodedata.normalize("NFC", vowel) for vowel in table.vowels(segment)]
    if not vowels:
        return (phone,)
    silent = [NON_SYLLABIC in part.marks or not table.matches(part.letter, "+syl") for part in parse(segment)]
    nucleus = silent.index(False) if len(silent) == len(vowels) and False in silent else 0
    vowels[nucleus] = unicodedata.normalize("NFC", vowels[nucleus] + tone)
    return tuple(vowels)


def _segment_and_tone(raw: str, levels: Levels) -> tuple[str, str]:
    # NFD, so that á in one letter or two is one symbol (https://unicode.org/reports/tr15/). Of letters that look like,
    # or stand for, the IPA's own, only what has one meaning is folded. Left alone, and so unknown: ? (glottal stop, or
    # doubt), ! (a click, or a mark), dots below (ẹ ṣ), å ř ł ı, Cyrillic letters other than ә ӕ. Tone comes off before
    # other marks are ordered: its accents are the only ones whose order means something.
    letters = fold_letters(unicodedata.normalize("NFD", raw).lstrip("'" + STRESS))
    segment, marks = split_tone("".join(letter for letter in letters if letter not in STRESS))
    return placed_tie(segment), read_tones(marks, levels)


def _spell(segment: str, table: FeatureTable) -> tuple[str | None, Origin]:
    if not segment:
        return "", "none"
    if (spelt := table.spelling(segment)) is not None:
        return spelt, "table"
    bare = segment.replace(TIE, "")
    diphthong = bare if table.vowels(bare) else None  # no tie bar is needed between vowels
    for form in (diphthong, raise_first(segment, table), segment, tie_letters(segment, table)):
        origin = "none" if form is None else table.vector(form)[1]
        if form is not None and origin != "none":
            return table.spelling(form) or unicodedata.normalize("NFC", order_marks(form)), origin
    return None, "none"


def decide(raw: str, symbols: SymbolSet, table: FeatureTable, rules: SymbolRules) -> NormalisedSymbol | None:
    """Return what one raw symbol becomes; None when it is unknown."""
    fate = _decide(rules.respell(raw), symbols, table, rules)
    return fate if fate is None or fate.features == "none" else apply_rules(fate, table, rules)


def _decide(raw: str, symbols: SymbolSet, table: FeatureTable, rules: SymbolRules) -> NormalisedSymbol | None:
    composed = unicodedata.normalize("NFC", raw)
    if symbols.raw:
        return NormalisedSymbol((composed,), "kept", "none")
    row = symbols.row(raw)
    # A table decides what is silence.
    if (raw if row is None else row or "-").lower() in SILENCE:
        if rules.silence != "keep":
            return NormalisedSymbol((), "silence", "none")
        return NormalisedSymbol((SILENCE_PHONE,), "kept" if raw == SILENCE_PHONE else "mapped", "none")
    # A boundary is dropped, but kept apart from silence: word boundaries give phones their words.
    if row is None and is_boundary(raw):
        return NormalisedSymbol((), "boundary", "none")
    if row is None and not symbols.mapped:
        return read_ipa(raw, table, rules.tone, rules.tone_levels)
    if symbols.fold(raw) in symbols.closures:  # without its release: the stop, unreleased where it is alone
        stop = symbols.to_ipa(symbols.closures[symbols.fold(raw)][0]) or ""
        stop += "\u031a" * (rules.closures == "alone")
        return NormalisedSymbol((stop,), "mapped", table.vector(stop)[1])
    if (mapped := symbols.to_ipa(raw)) is None:
        return None
    parts = [read_ipa(part, table, rules.tone, rules.tone_levels) for part in mapped.split()]
    known = [part for part in parts if part is not None]
    if len(known) != len(parts):
        return None
    phones, tone = join_fates(known)
    if not phones and not tone:
        return NormalisedSymbol((), "dropped", "none")
    action: Action = "split" if len(phones) > 1 else "kept" if phones == (composed,) else "mapped"
    origin: Origin = "composed" if any(part.features == "composed" for part in known) else "table"
    return NormalisedSymbol(phones, action, origin, tone)


def join_fates(parts: list[NormalisedSymbol]) -> tuple[tuple[str, ...], str]:
    return tuple(phone for part in parts for phone in part.phones), " ".join(part.tone for part in parts if part.tone)


def expand(
    transcript: Transcript, fates: Sequence[NormalisedSymbol], merged: Bools | None, *, keep_tones: bool
) -> PhoneSequences:
    """Return the phones that the fates give; tokens in `merged` join the next one, which then starts where they did."""
    phones, behind = _make_sequences(transcript, [fate.phones for fate in fates], merged)
    if not keep_tones or not any(fate.tone for fate in fates):
        return phones
    tones, source = _make_sequences(transcript, [tuple(fate.tone.split()) for fate in fates], merged)
    tokens, first = np.arange(len(transcript.codes)), phones.offsets[tones.token_utterances()]
    after = np.searchsorted(tokens[behind], tokens[source], side="right") - first
    return PhoneSequences(**{**phones.__dict__, "tones": PhoneSequences(**{**tones.__dict__, "after": after})})


def number_words(transcript: Transcript, fates: Sequence[NormalisedSymbol], merged: Bools | None) -> Codes | None:
    """Return the number of each phone's word, [N], which its neighbours share; None where nothing parts words."""
    silent = np.array([not (fate.phones or fate.tone) for fate in fates], bool)
    between = silent & np.array([bool(BETWEEN_WORDS.fullmatch(one.lower())) for one in transcript.symbols], bool)
    if not between.any():
        return None
    repeats = np.array([len(fate.phones) for fate in fates])[transcript.codes]
    if merged is not None:
        repeats[merged] = 0
    return np.repeat(np.cumsum(between[transcript.codes]), repeats)


def find_merged_closures(transcript: Transcript, symbols: SymbolSet, rules: SymbolRules) -> Bools | None:
    """Return which tokens are stop closures that belong to the next token; None when the symbol set has none."""
    names = [symbols.fold(rules.respell(symbol)) for symbol in transcript.symbols]
    if not (closures := sorted({name for name in names if name in symbols.closures})):
        return None
    # The last row is that of all symbols that are no closure.
    row = np.array([closures.index(name) if name in symbols.closures else len(closures) for name in names])
    releases = [*(symbols.closures[name] for name in closures), ()]
    belongs = np.array([[second in those for second in names] for those in releases])
    merged = np.zeros(len(transcript.codes), dtype=bool)
    merged[:-1] = belongs[row[transcript.codes[:-1]], transcript.codes[1:]]
    # The last token of an utterance has no release in it: what follows in the array is another utterance's.
    merged[transcript.offsets[1:][transcript.lengths > 0] - 1] = False
    return merged


def _make_sequences(
    transcript: Transcript, names: list[tuple[str, ...]], merged: Bools | None
) -> tuple[PhoneSequences, Codes | Bools | slice]:
    counts = transcript.counts if merged is None else count_codes(transcript.codes[~merged], len(names))
    inventory = sorted_inventory(name for count, parts in zip(counts, names, strict=True) if count for name in parts)
    columns, source = expand_columns(transcript, [inventory.codes(parts).tolist() for parts in names], merged)
    return PhoneSequences(**columns, inventory=inventory), source


def expand_columns(
    transcript: Transcript, codes: list[list[int]], merged: Bools | None = None
) -> tuple[dict[str, Any], Codes | Bools | slice]:
    """Return the columns of the parts of each token, by its symbol's codes, and from which token each part comes."""
    # A token that is merged has no part, and the next one starts where it does.
    start, end = transcript.start, transcript.end
    source: Codes | Bools | slice = slice(None)
    width = np.array([len(parts) for parts in codes], np.min_scalar_type(max(map(len, codes), default=0)))
    table = np.array([code for parts in codes for code in parts] + [0], np.int32)
    table = table.astype(code_type(int(table.max()) + 1))
    first, repeats, offsets = offsets_of(width)[:-1], width[transcript.codes], transcript.offsets
    if merged is not None:
        repeats[merged] = 0
        if start is not None:
            start = np.array(start)
            for token in np.flatnonzero(merged):  # in order, so that a chain hands its first start on
                start[token + 1] = start[token]
    # Codes of corpora run to millions: the general way makes an index a part, the usual one a mask, or nothing at all.
    if (width > 1).any():
        source = np.repeat(np.arange(len(repeats)), repeats)
        offsets = offsets_of(repeats)[offsets]
    elif merged is not None or not width.all():
        source = kept = repeats > 0
        offsets = offsets - np.searchsorted(np.flatnonzero(~kept), offsets)
    start, end, confidence = (None if each is None else each[source] for each in (start, end, transcript.confidence))
    chosen = table[first][transcript.codes[source]]
    if (width > 1).any():
        part = np.arange(int(offsets[-1])) - np.repeat(offsets_of(repeats)[:-1], repeats)
        chosen = table[first[transcript.codes[source]] + part]
        if start is not None and end is not None:  # an interval that becomes several phones is cut equally
            last, piece = part + 1 == repeats[source], (end - start) / repeats[source]
            start = start + part * piece
            end = np.where(last, end, start + piece)
    chosen.flags.writeable = False  # so that nobody needs to copy them
    as_they_are = {name: getattr(transcript, name) for name in ("utterances", "speakers", "source", "notes")}
    made = {"offsets": offsets, "codes": chosen, "start": start, "end": end, "confidence": confidence}
    return as_they_are | made, source


Ties = Literal["optional", "required"]
_PRENASAL_LETTERS = "ᵐᶬᶯᶮᵑᶰᵏᶢᵇᵈ"  # superscript nasals and stops
_SUPERSCRIPT = re.compile("[ʰⁿ][\u0300-\u036f]*$")  # between vowel and consonant of the latter
_TIES = TIE + "\u035c"


# Joined strings are cut by longest match: each letter takes the marks that belong to it, and ties join letters. What is
# in doubt is decided so: two letters without a tie bar are one phone when the feature table has it as an affricate or a
# labial-velar (tʃ, dʒ, ts, kp, ɡb), since these are often written so; a superscript nasal or stop before a consonant,
# and a superscript h or n between a vowel and a consonant, belong to what follows (ⁿd, aʰt); every other modifier
# belongs to what precedes it; two vowels are one phone only when one of them is marked as non-syllabic or tied. Stress
# marks go with the phone after them. White space and syllable dots separate phones and are left out.
def segment(text: str, table: FeatureTable, ties: Ties = "optional") -> list[str]:
    """Return the phones of a joined string as they are written there (NFC); letters that nobody knows stand alone."""
    phones = list[str]()
    for word in text.replace(".", " ").split():
        cut = [""]
        for unit in _unit_pattern().findall(unicodedata.normalize("NFD", word)):
            cut[-1:] = _add_unit(cut[-1], unit, table, ties)
        phones += [unicodedata.normalize("NFC", phone) for phone in cut if phone]
    return phones


@lru_cache(maxsize=4)
def _segment_pattern(table: FeatureTable) -> re.Pattern[str]:
    return pieces(unicodedata.normalize("NFD", each) for each in table.segments)


def segment_as_panphon(text: str, table: FeatureTable) -> list[str]:
    """Return what panphon's `ipa_segs` does, the longest segments (NFD), and the letters that it leaves out alone."""
    longest = _segment_pattern(table)
    return [each for word in unicodedata.normalize("NFD", text).split() for each in longest.findall(word)]


def segment_words(transcript: Transcript, table: FeatureTable, how: JoinedReading) -> Transcript:
    """Return a transcript of words as one of phones, each in an equal share of its word's time; silences stay whole."""
    if how == "own":
        transcript = join_marks(transcript, table)
    cut = segment if how == "own" else segment_as_panphon
    names = [[symbol] if is_pause(symbol) else cut(symbol, table) or [symbol] for symbol in transcript.symbols]
    composed = [[unicodedata.normalize("NFC", phone) for phone in phones] for phones in names]
    pairs = zip(composed, transcript.places, strict=True)
    symbols, places, codes = _number_names((phone, place) for phones, place in pairs for phone in phones)
    columns, _ = expand_columns(transcript, [[codes[phone] for phone in phones] for phones in composed])
    return Transcript(**columns, symbols=symbols, places=places)


def _number_names(names: Iterable[tuple[str, str]]) -> tuple[tuple[str, ...], tuple[str, ...], dict[str, int]]:
    # Different names in the order in which they come, the place of each one's first, and their codes.
    first: dict[str, str] = {}
    for name, place in names:
        first.setdefault(name, place)
    return tuple(first), tuple(first.values()), {name: code for code, name in enumerate(first)}


def _is_only(symbol: str, belongs: Callable[[str], bool]) -> bool:
    return symbol != "" and all(map(belongs, unicodedata.normalize("NFD", symbol)))


def lacks_letter(symbol: str) -> bool:
    """Return whether a symbol is a mark without its letter (ʰ ː), or a letter whose tie bar joins nothing (d͡)."""
    return symbol.endswith((*_TIES,)) or _is_only(symbol, lambda letter: is_mark(letter) or letter == ":")


def join_marks(transcript: Transcript, table: FeatureTable) -> Transcript:
    """Return a transcript whose marks that stand alone (t ʰ, a ː, d͡ ʒ, ˧ ˨) are joined with what they belong to."""
    # That is what they would belong to in a joined string; of tokens without such marks none are joined.
    symbols, codes = transcript.symbols, transcript.codes
    tone = np.array([_is_only(symbol, PITCHES.__contains__) for symbol in symbols], bool)
    odd = tone | np.array([lacks_letter(symbol) for symbol in symbols], bool)
    apart = np.array([is_pause(symbol) for symbol in symbols], bool)
    joins = np.zeros(len(codes), bool)
    for first, end in pairwise(transcript.offsets.tolist() if odd.any() else ()):
        for silent, run in groupby(range(first, end), lambda place: apart[codes[place]]):
            places = [*run]
            if silent or not odd[codes[places]].any():
                continue
            letters = [unicodedata.normalize("NFD", symbols[codes[place]]) for place in places]
            # The run is cut as if it were joined; where no cut falls between two tokens, the second belongs to the
            # first.
            cuts = {*accumulate(len(unicodedata.normalize("NFD", each)) for each in segment("".join(letters), table))}
            for place, edge in zip(places[1:], accumulate(map(len, letters)), strict=False):
                before, here = codes[place - 1], codes[place]
                tones = bool(tone[before]), bool(tone[here] or (tone[before] and symbols[here] in "ʔˀ"))
                joins[place] = edge not in cuts and (odd[before] or odd[here]) and tones[0] == tones[1]
    return _join_tokens(transcript, joins) if joins.any() else transcript


def _join_tokens(transcript: Transcript, joins: Bools) -> Transcript:
    # Each token of `joins`, [N], is one with the token before it: from the start of the first to the end of the last.
    first = np.flatnonzero(~joins)
    last = np.append(first[1:], len(joins)) - 1
    tokens = [transcript.symbols[code] for code in transcript.codes.tolist()]
    names = ["".join(tokens[begin : end + 1]) for begin, end in zip(first.tolist(), last.tolist(), strict=True)]
    where = [transcript.places[code] for code in transcript.codes[first].tolist()]
    symbols, places, codes = _number_names(zip(names, where, strict=True))
    example = int(np.argmax(last > first))
    alone = " ".join(tokens[first[example] : last[example] + 1])
    note = f"marks apart from their letters were joined with them ({alone} as {names[example]})"
    confidence = transcript.confidence  # of joined tokens the least: a phone is no surer than its parts
    return replace(
        transcript,
        offsets=np.searchsorted(first, transcript.offsets),
        codes=np.array([codes[name] for name in names], np.int64),
        start=None if transcript.start is None else transcript.start[first],
        end=None if transcript.end is None else transcript.end[last],
        confidence=None if confidence is None else np.minimum.reduceat(confidence, first),
        symbols=symbols,
        places=places,
        notes=(*transcript.notes, note),
    )


@cache
def _unit_pattern() -> re.Pattern[str]:
    # Finds letters with their marks in NFD; a tie bar joins letters, and stress stands before its letter. ʔ between
    # tones, or after one where no vowel follows, is a mark: it is of the tone.
    codes = chain(range(0x80, 0x2200), range(0x3000, 0x3100), range(0xA600, 0xAC00))
    marks = "".join(filter(is_mark, map(chr, codes))) + ":'’"
    tones = TONE_LETTERS + DIGITS
    every, vowels = f"{marks}{tones}", CHART["vowels"]
    glottal = f"(?<=[{tones}])ʔ(?![{marks}{vowels}])"
    before = f"[{_PRENASAL_LETTERS}][\u0300-\u036f]*(?=[^{every}{STRESS}{vowels}])"
    after = "".join(mark for mark in every if mark not in _PRENASAL_LETTERS)
    own = f"[{after}]+|(?!{before})[{_PRENASAL_LETTERS}]|(?<=[{_TIES}])[^{every}{STRESS}]|{glottal}"
    letters = f"[^{every}{STRESS}](?:{own})*"
    start = f"(?:^['{STEPS}{STRESS}]+|[{STRESS}]*)(?:{before})?"
    return re.compile(f"{start}(?:{letters}|(?:[{every}]|{glottal})+)|^['{STEPS}]+|[{STRESS}]+")


def is_mark(letter: str) -> bool:
    """Return whether a letter belongs to the one beside it, combining or a modifier; a stress or tone mark does not."""
    return bool(unicodedata.combining(letter)) or (is_modifier(letter) and letter not in STRESS)


@lru_cache(maxsize=1 << 14)
def _add_unit(phone: str, unit: str, table: FeatureTable, ties: Ties) -> tuple[str, ...]:
    # A phone and the unit behind it are one phone or two. Words are many, but made of few units: cached, so that what
    # two of them are is decided once.
    # ʰ and ⁿ follow their letter, but in aʰt and aⁿd they belong to the stop: between a vowel and a consonant they go
    # on.
    head = phone
    if (superscript := _SUPERSCRIPT.search(phone)) and table.matches(fold_letters(unit[0]), "-syl"):
        before = phone[: superscript.start()]
        if not before.strip(STRESS) or table.matches(join_parts(_parse_unit(before)), "+syl"):
            head, unit = before, superscript[0] + unit
    whole = not head.strip(f"'{STEPS}{STRESS}") or _is_one_phone(head, unit, table, ties)
    return (head + unit,) if whole else (head, unit)


def _is_one_phone(first: str, second: str, table: FeatureTable, ties: Ties) -> bool:
    if second[0] in STRESS:
        return False
    parts = *_parse_unit(first), *_parse_unit(second)
    # aɪ̯ is one phone, aɪ two: without a mark nobody knows whether vowels in hiatus or a diphthong are meant.
    if NON_SYLLABIC in first + second:
        glides = [all(NON_SYLLABIC in part.marks for part in _parse_unit(unit)) for unit in (first, second)]
        if any(glides) and table.vowels(join_parts(parts)):
            return True
    if ties == "required" or len(parts) != 2 or (parts[0].letter, parts[1].letter) not in _find_tied_letters(table):
        return False
    form = join_parts([replace(parts[0], tie=TIE), parts[1]])
    if table.spelling(form) is None or split_tone(first)[1]:
        return False
    return table.matches(form, "+delrel") or table.matches(form, "+lab -cor")


def _parse_unit(unit: str) -> tuple[Part, ...]:
    return parts_of_phone(unit.lstrip(STRESS + "'"))


@lru_cache(maxsize=4)
def _find_tied_letters(table: FeatureTable) -> frozenset[tuple[str, str]]:
    # The letters that a table ties, as those of affricates, which are often written without their tie bar.
    rows = [parse(each) for each in table.segments if TIE in unicodedata.normalize("NFD", each)]
    return frozenset((row[0].letter, row[1].letter) for row in rows if len(row) == 2)

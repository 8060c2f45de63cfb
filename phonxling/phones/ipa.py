"""IPA symbols to phones: Unicode forms, look-alikes, tie bars, stress; one symbol at a time, each only once.

A symbol that was given as one is one phone (it is never split), so two letters in it are one phone too, if the rules
know what: an affricate (tʂ is t͡ʂ), a labial-velar (ŋm is ŋ͡m), a prenasalised obstruent (nd and n͡d are ⁿd), a click
with its accompaniment (ɡǃ and ɡ͡ǃ are ᶢǃ).

Of letters that look like, or stand for, the IPA's own, only what has one meaning is folded. Left alone, and so unknown:
? (glottal stop, or doubt), ! (a click, or a mark), dots below (ẹ ṣ), å ř ł ı, Cyrillic letters other than ә ӕ;
`phones.normalise` says what they look like.

Joined strings are cut by longest match: each letter takes the marks that belong to it, and ties join letters. What is
in doubt is decided so: two letters without a tie bar are one phone when the feature table has it as an
affricate or a labial-velar (tʃ, dʒ, ts, kp, ɡb), since these are often written so; a superscript nasal or stop before a
consonant, and a superscript h or n between a vowel and a consonant, belong to what follows (ⁿd, aʰt); every other
modifier belongs to what precedes it; two vowels are one phone only when one of them is marked as non-syllabic or tied.
Stress marks go with the phone after them. White space and syllable dots separate phones and are left out.
"""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, Literal

import numpy as np

from phonxling.core.arrays import Bools, Codes, Floats, code_type, offsets_of, places_of
from phonxling.core.features import FeatureTable, Origin
from phonxling.core.inventory import sorted_inventory
from phonxling.core.sequences import Action, PhoneSequences, Transcript
from phonxling.core.spelling import (
    DIGITS,
    MARKS,
    NON_SYLLABIC,
    TIE,
    TONE_LETTERS,
    Levels,
    is_modifier,
    joined,
    ordered,
    pairs_of,
    parse,
    placed_tie,
    read_tones,
    shown_tone,
    split_tone,
)
from phonxling.phones.symbols import SILENCE, Joined, SymbolRules, SymbolSet, Tone, is_between_words, is_boundary

# Pairs of a letter (or its code point) and what is meant: ASCII, and letters of other blocks with the same shape;
# ligatures, with rhotic vowels as the feature table spells them; letters that the IPA has withdrawn; Americanist
# affricates; the other tie bar, a mark above for a letter with a descender, a mark beside for one below.
_PAIRS = """
    g ɡ  : ː  ' ʼ  ’ ʼ  ꞌ ʼ  ǝ ə  ә ə  ӕ æ  ε ɛ  φ ɸ  ϕ ɸ  γ ɣ  α ɑ  ˁ ˤ
    ʧ t͡ʃ  ʤ d͡ʒ  ʦ t͡s  ʣ d͡z  ʨ t͡ɕ  ʥ d͡ʑ  ɚ ə˞  ɝ ɜ˞  ᵻ ɪ+0308  ᵿ ʊ+0308
    ɷ ʊ  ɩ ɪ  ʚ ɞ  ʇ ǀ  ʗ ǃ  ʖ ǁ  ƥ ɓ+0325  ƭ ɗ+0325  ƈ ʄ+0325  ƙ ɠ+0325  ʠ ʛ+0325  ƫ tʲ  ʆ ʃʲ  ʓ ʒʲ  ɼ r+031d
    ƛ t͡ɬ  λ d͡ɮ
    +035c +0361  +030d +0329  +0311 +032f  ˔ +031d  ˕ +031e  ˖ +031f  ˍ +0320  ˗ +0320  ʴ ˞
"""
LETTERS = pairs_of(re.sub(r"\+(....)", lambda code: chr(int(code[1], 16)), _PAIRS))
_TABLE = str.maketrans(LETTERS)
_CARON = {"c\u030c": "t͡ʃ", "s\u030c": "ʃ", "z\u030c": "ʒ"}  # Americanist; no tone stands there (on j one may)
_SPECIAL = re.compile("|".join(_CARON) + "|(?<![auAU])\u030a")  # å and ů are letters of their own
_SUPERSCRIPTS = {"m": "ᵐ", "ɱ": "ᶬ", "n": "ⁿ", "ɳ": "ᶯ", "ɲ": "ᶮ", "ŋ": "ᵑ", "ɴ": "ᶰ", "k": "ᵏ", "ɡ": "ᶢ"}
_STRESS = "ˈˌ"
_LENGTH, _OWN = "ːˑ", "\u0329\u032f˞"  # what is no mere mark: syllabicity makes a vowel, rhoticity another one
_PLACES = ("+lab", "+cor")


def fold_letters(letters: str) -> str:
    return _SPECIAL.sub(lambda match: _CARON.get(match[0], "\u0325"), letters).translate(_TABLE)


def tied_form(segment: str, table: FeatureTable) -> str | None:
    """Return two letters with the tie bar that they lack; None when they are not one phone."""
    parts = parse(segment)
    if len(parts) != 2 or parts[0].tie or parts[1].tie:
        return None
    first, second = (str(replace(part, modifiers="")) for part in parts)
    form = joined([replace(parts[0], tie=TIE), parts[1]])
    if table.spelling(form) is not None:
        return form
    if parts[0].modifiers:
        return None
    if table.matches(first, "+velaric") and table.matches(second, "-syl"):
        return form
    affricate = table.matches(first, "-son -cont -delrel") and table.matches(second, "-son +cont")
    nasals = table.matches(first, "+son +nas -lab -cor") and table.matches(second, "+son +nas +lab")
    return form if nasals or (affricate and _alike(table, first, second, (*_PLACES, "+voi"))) else None


def with_superscript(segment: str, table: FeatureTable) -> str | None:
    """Return a nasal before an obstruent, or a velar before a click, as a superscript; None for anything else."""
    first, *rest = parse(segment)
    if not rest or first.letter not in _SUPERSCRIPTS or first.modifiers:
        return None
    release = joined(rest)
    release = tied_form(release, table) or release
    letter = first.letter + first.marks
    nasal = table.matches(letter, "+son +nas") and table.matches(release, "-son")
    homorganic = bool(first.tie) or _alike(table, letter, release, _PLACES)
    if table.matches(release, "+velaric") or (nasal and homorganic):
        return _SUPERSCRIPTS[first.letter] + first.marks + release
    return None


def _alike(table: FeatureTable, first: str, second: str, values: tuple[str, ...]) -> bool:
    return all(table.matches(first, value) == table.matches(second, value) for value in values)


@dataclass(frozen=True, slots=True)
class Fate:
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
def read_ipa(raw: str, table: FeatureTable, tone: Tone, levels: Levels = "three") -> Fate | None:
    """Return what an IPA symbol becomes; None when neither the table nor a rule knows it."""
    segment, marks = _segment_and_tone(raw, levels)
    if raw and not raw.strip(_STRESS):
        return Fate((), "dropped", "none")
    if not segment and marks and tone != "attach":
        return Fate((), "split", "none", marks) if tone == "tier" else Fate((), "dropped", "none")
    bare, accents = split_tone(raw)
    if table.spelling(bare) is not None and read_tones(accents, levels) == marks:
        segment = bare  # a row of the table goes before any fold, unless the fold takes an accent for a letter's (š)
    if tone == "attach" and marks:
        phone = _spell(segment, table)[0] if segment else ""
        whole = None if phone is None else unicodedata.normalize("NFC", phone + marks.replace(" ", ""))
        return None if whole is None else Fate((whole,), _kept_or_folded(raw, whole), table.vector(whole)[1])
    phone, features = _spell(segment, table)
    if phone is None:
        return None
    if marks:
        return Fate((phone,), "split" if tone == "tier" else "folded", features, marks if tone == "tier" else "")
    return Fate((phone,), _kept_or_folded(raw, phone), features)


def keep_ipa(raw: str, tone: Tone, levels: Levels = "three") -> Fate:
    """Return an IPA symbol that nobody knows as a phone: folded, its tone treated as that of any other symbol."""
    segment, marks = _segment_and_tone(raw, levels)
    phone = unicodedata.normalize("NFC", segment + marks.replace(" ", "") if tone == "attach" else segment) or raw
    return Fate((phone,), "unknown", "none", marks if tone == "tier" else "")


def by_rules(fate: Fate, table: FeatureTable, rules: SymbolRules) -> Fate:
    """Return a fate without the marks, and with the diphthongs and affricates split, that the rules say."""
    whole = [_bared(phone, rules) for phone in fate.phones]
    if rules.diphthongs == "split":
        whole = [vowel for phone in whole for vowel in _vowels(phone, table)]
    if rules.affricates == "split":
        whole = [part for phone in whole for part in _stop_and_fricative(phone, table)]
    phones = tuple(whole)
    if phones == fate.phones or "none" in (origins := {table.vector(phone)[1] for phone in phones}):
        return fate
    action: Action = "split" if len(phones) > len(fate.phones) else "mapped"
    return replace(fate, phones=phones, action=action, features="table" if origins == {"table"} else "composed")


def _bared(phone: str, rules: SymbolRules) -> str:
    """Return a phone without length or other marks, where they are stripped; its tone stays."""
    off = {*_LENGTH} if rules.length == "strip" else set()
    off |= MARKS.keys() - {*_LENGTH, *_OWN} if rules.diacritics == "strip" else set()
    segment, tone = split_tone(phone)
    kept = segment[:1] + "".join(letter for letter in segment[1:] if letter not in off)
    return phone if kept == segment else unicodedata.normalize("NFC", kept + tone)


def _stop_and_fricative(phone: str, table: FeatureTable) -> tuple[str, ...]:
    """Return the two parts of an affricate, marks with their letters; any other phone by itself."""
    parts = parse(phone)
    if len(parts) < 2 or not parts[-2].tie:
        return (phone,)
    stop, fricative = joined([*parts[:-2], replace(parts[-2], tie="")]), str(parts[-1])
    if not table.matches(parts[-2].letter, "-son -cont") or not table.matches(parts[-1].letter, "-son +cont"):
        return (phone,)
    return tuple(table.spelling(part) or unicodedata.normalize("NFC", part) for part in (stop, fricative))


def _vowels(phone: str, table: FeatureTable) -> tuple[str, ...]:
    segment, tone = split_tone(phone)
    vowels = [table.spelling(vowel) or unicodedata.normalize("NFC", vowel) for vowel in table.vowels(segment)]
    if not vowels:
        return (phone,)
    silent = [NON_SYLLABIC in part.marks or not table.matches(part.letter, "+syl") for part in parse(segment)]
    nucleus = silent.index(False) if len(silent) == len(vowels) and False in silent else 0
    vowels[nucleus] = unicodedata.normalize("NFC", vowels[nucleus] + tone)
    return tuple(vowels)


def _segment_and_tone(raw: str, levels: Levels) -> tuple[str, str]:
    """Return a symbol's canonical segment and its tones: tone first, whose accents are the only marks with an order."""
    letters = fold_letters(unicodedata.normalize("NFD", raw).lstrip("'" + _STRESS))
    segment, marks = split_tone("".join(letter for letter in letters if letter not in _STRESS))
    return placed_tie(segment), read_tones(marks, levels)


def _spell(segment: str, table: FeatureTable) -> tuple[str | None, Origin]:
    if not segment:
        return None, "none"
    if (spelt := table.spelling(segment)) is not None:
        return spelt, "table"
    bare = segment.replace(TIE, "")
    diphthong = bare if table.vowels(bare) else None  # no tie bar is needed between vowels
    for form in (diphthong, with_superscript(segment, table), segment, tied_form(segment, table)):
        origin = "none" if form is None else table.vector(form)[1]
        if form is not None and origin != "none":
            return table.spelling(form) or unicodedata.normalize("NFC", ordered(form)), origin
    return None, "none"


def _kept_or_folded(raw: str, phone: str) -> Action:
    return "kept" if unicodedata.normalize("NFC", raw) == phone else "folded"


_BY_TOKEN = ("codes", "start", "end", "confidence")


def expand(transcript: Transcript, fates: Sequence[Fate], merged: Bools | None, *, keep_tones: bool) -> PhoneSequences:
    """Return the phones that the fates give; tokens in `merged` join the next one, which then starts where they did."""
    toned = keep_tones and any(fate.tone for fate in fates)
    if merged is None and not toned and all(len(fate.phones) <= 1 for fate in fates):
        return _renamed(transcript, [fate.phones for fate in fates])
    alive = np.ones(len(transcript.codes), dtype=bool) if merged is None else ~merged
    start = _joined_starts(transcript, merged)
    phones, behind = _sequences(transcript, [fate.phones for fate in fates], alive, start)
    if not toned:
        return phones
    tones, source = _sequences(transcript, [tuple(fate.tone.split()) for fate in fates], alive, start)
    first = phones.offsets[tones.token_utterances()]
    after = np.searchsorted(behind, source, side="right") - first
    return PhoneSequences(**{**phones.__dict__, "tones": PhoneSequences(**{**tones.__dict__, "after": after})})


def words_of(transcript: Transcript, fates: Sequence[Fate], merged: Bools | None) -> Codes | None:
    """Return the number of each phone's word, [N], which its neighbours share; None where nothing parts words."""
    pairs = zip(transcript.symbols, fates, strict=True)
    between = np.array([not (fate.phones or fate.tone) and is_between_words(symbol) for symbol, fate in pairs], bool)
    if not between.any():
        return None
    repeats = np.array([len(fate.phones) for fate in fates])[transcript.codes]
    if merged is not None:
        repeats[merged] = 0
    return np.repeat(np.cumsum(between[transcript.codes]), repeats)


def merged_closures(transcript: Transcript, symbols: SymbolSet, rules: SymbolRules) -> Bools | None:
    """Return which tokens are stop closures that belong to the next token; None when the symbol set has none."""
    names = [symbols.fold(rules.written(symbol)) for symbol in transcript.symbols]
    closures = sorted({name for name in names if name in symbols.closures})
    if not closures:
        return None
    none = len(closures)  # the row of all symbols that are no closure
    row = np.array([closures.index(name) if name in symbols.closures else none for name in names])
    releases = [*(symbols.closures[name] for name in closures), ()]
    belongs = np.array([[second in those for second in names] for those in releases])
    merged = np.zeros(len(transcript.codes), dtype=bool)
    merged[:-1] = belongs[row[transcript.codes[:-1]], transcript.codes[1:]]
    merged[transcript.offsets[1:][transcript.lengths > 0] - 1] = False
    return merged


def _sequences(
    transcript: Transcript, names: list[tuple[str, ...]], alive: Bools, start: Floats | None
) -> tuple[PhoneSequences, Codes]:
    used = np.bincount(transcript.codes[alive], minlength=len(names)) > 0
    inventory = sorted_inventory(name for code, parts in enumerate(names) if used[code] for name in parts)
    codes = [[inventory.code(name) if name in inventory else -1 for name in parts] for parts in names]
    columns, source = parts_of(transcript, codes, alive, start)
    return PhoneSequences(**columns, inventory=inventory), source


def parts_of(
    transcript: Transcript, codes: list[list[int]], alive: Bools, start: Floats | None
) -> tuple[dict[str, Any], Codes]:
    """Return the columns of the parts of each living token, by its symbol's codes, and from which token each comes."""
    width = np.array([len(parts) for parts in codes], dtype=np.int64)
    table = np.array([code for parts in codes for code in parts], dtype=np.int32)
    repeats = np.where(alive, width[transcript.codes], 0)
    source = np.repeat(np.arange(len(transcript.codes)), repeats)
    part = np.arange(len(source)) - np.repeat(offsets_of(repeats)[:-1], repeats)
    chosen = table[places_of(offsets_of(width)[:-1][transcript.codes], repeats)]
    start_end: tuple[Floats | None, Floats | None] = None, None
    if start is not None and transcript.end is not None:  # an interval that becomes several phones is cut equally
        piece = (transcript.end - start)[source] / np.maximum(repeats[source], 1)
        first = start[source] + part * piece
        start_end = first, np.where(part + 1 == repeats[source], transcript.end[source], first + piece)
    columns = {
        "utterances": transcript.utterances,
        "offsets": offsets_of(repeats)[transcript.offsets],
        "codes": chosen,
        "start": start_end[0],
        "end": start_end[1],
        "confidence": None if transcript.confidence is None else transcript.confidence[source],
        "speakers": transcript.speakers,
        "source": transcript.source,
    }
    return columns, source


def _renamed(transcript: Transcript, names: list[tuple[str, ...]]) -> PhoneSequences:
    """Return what `_sequences` does where a symbol gives one phone or none, in a tenth of the memory."""
    used = transcript.counts > 0
    inventory = sorted_inventory(parts[0] for code, parts in enumerate(names) if used[code] and parts)
    codes = [inventory.code(parts[0]) if parts and parts[0] in inventory else 0 for parts in names]
    columns = {name: values for name in _BY_TOKEN if (values := getattr(transcript, name)) is not None}
    dropped = np.zeros(0, np.int64)
    if not all(names):
        dropped = np.flatnonzero(np.array([not parts for parts in names])[transcript.codes])
        columns = {name: np.delete(values, dropped) for name, values in columns.items()}
    if names:
        columns["codes"] = np.array(codes, dtype=code_type(len(inventory)))[columns["codes"]]
        columns["codes"].flags.writeable = False  # so that nobody needs to copy them
    return PhoneSequences(
        utterances=transcript.utterances,
        offsets=transcript.offsets - np.searchsorted(dropped, transcript.offsets),
        speakers=transcript.speakers,
        source=transcript.source,
        inventory=inventory,
        **columns,
    )


def _joined_starts(transcript: Transcript, merged: Bools | None) -> Floats | None:
    if transcript.start is None or merged is None:
        return transcript.start
    start = np.array(transcript.start)
    for token in np.flatnonzero(merged):  # in order, so that a chain hands its first start on
        start[token + 1] = start[token]
    return start


Ties = Literal["optional", "required"]
_BEFORE = "ᵐᶬᶯᶮᵑᶰᵏᶢᵇᵈ"  # superscript nasals and stops
_BETWEEN = "ʰⁿ"


def segment(text: str, table: FeatureTable, ties: Ties = "optional") -> list[str]:
    """Return the phones of a joined string as they are written there (NFC); letters that nobody knows stand alone."""
    return [phone for word in text.replace(".", " ").split() for phone in _word(word, table, ties)]


@lru_cache(maxsize=4)
def _known_to(table: FeatureTable) -> frozenset[str]:
    return frozenset(unicodedata.normalize("NFD", each) for each in table.segments)


def as_panphon(text: str, table: FeatureTable) -> list[str]:
    """Return what panphon's `ipa_segs` does, the longest segments, and the letters that it leaves out alone."""
    known, found = _known_to(table), list[str]()
    longest = max(map(len, known))
    for word in text.split():
        letters = unicodedata.normalize("NFD", word)
        while letters:
            size = next((n for n in range(longest, 0, -1) if letters[:n] in known), 1)
            found.append(letters[:size])
            letters = letters[size:]
    return [unicodedata.normalize("NFC", each) for each in found]


def cut(text: str, table: FeatureTable, how: Joined) -> list[str]:
    """Return a word of joined IPA as phones, by the rules of this program or of another."""
    return segment(text, table) if how == "own" else as_panphon(text, table)


def segmented(transcript: Transcript, table: FeatureTable, how: Joined) -> Transcript:
    """Return a transcript of words as one of phones, each in an equal share of its word's time; silences stay whole."""
    names = [
        [symbol] if symbol.lower() in SILENCE or is_boundary(symbol) else cut(symbol, table, how) or [symbol]
        for symbol in transcript.symbols
    ]
    places: dict[str, str] = {}
    for phones, place in zip(names, transcript.places, strict=True):
        for phone in phones:
            places.setdefault(phone, place)
    codes = {phone: code for code, phone in enumerate(places)}
    alive = np.ones(len(transcript.codes), dtype=bool)
    columns, _ = parts_of(transcript, [[codes[phone] for phone in phones] for phones in names], alive, transcript.start)
    return Transcript(**columns, symbols=tuple(places), places=tuple(places.values()))


def _word(word: str, table: FeatureTable, ties: Ties) -> list[str]:
    phones: list[str] = []
    for unit in _units(unicodedata.normalize("NFD", word), table):
        if phones and _one_phone(phones[-1], unit, table, ties):
            phones[-1] += unit
        else:
            phones.append(unit)
    return [unicodedata.normalize("NFC", phone) for phone in phones]


def _units(letters: str, table: FeatureTable) -> list[str]:
    """Return letters with their marks, in NFD; a tie bar joins two letters."""
    units: list[str] = []
    before = ""
    for place, letter in enumerate(letters):
        starts = letter in _STRESS or (not units and letter in "'ꜛꜜ")
        marks_it = before[-1:] in {*_BEFORE} and unicodedata.combining(letter)
        if starts or marks_it or _is_before(letter, letters[place + 1 :], units, table):
            before += letter
        elif units and not before and (_is_mark(letter) or units[-1].endswith((TIE, "\u035c"))):
            units[-1] += letter
        else:
            units.append(before + letter)
            before = ""
    return [*units, *([before] if before else [])]


def _is_mark(letter: str) -> bool:
    return bool(unicodedata.combining(letter)) or is_modifier(letter) or letter in TONE_LETTERS + DIGITS + ":'’"


def _is_before(letter: str, after: str, units: list[str], table: FeatureTable) -> bool:
    following = next((base for base in after if not unicodedata.combining(base)), "")
    if letter not in _BEFORE + _BETWEEN or not table.matches(fold_letters(following), "-syl"):
        return False
    return letter in _BEFORE or not units or table.matches(_bare(units[-1]), "+syl")


def _bare(unit: str) -> str:
    return split_tone(fold_letters(unit.lstrip(_STRESS + "'")))[0]


def _one_phone(first: str, second: str, table: FeatureTable, ties: Ties) -> bool:
    if second[0] in _STRESS:
        return False
    letters = _bare(first), _bare(second)
    glides = [all(NON_SYLLABIC in part.marks for part in parse(unit)) for unit in letters]
    if any(glides) and table.vowels("".join(letters)):
        return True
    form = tied_form("".join(letters), table) if ties == "optional" and split_tone(first)[1] == "" else None
    if form is None or table.spelling(form) is None:
        return False
    return table.matches(form, "+delrel") or table.matches(form, "+lab -cor")

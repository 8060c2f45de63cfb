"""IPA symbols to phones: Unicode forms, look-alikes, tie bars, stress; one symbol at a time, each only once.

A symbol that was given as one is one phone (it is never split), so two letters in it are one phone too, if the rules
know what: an affricate (tʂ is t͡ʂ), a labial-velar (ŋm is ŋ͡m), a prenasalised obstruent (nd and n͡d are ⁿd), a click
with its accompaniment (ɡǃ and ɡ͡ǃ are ᶢǃ).

Of letters that look like, or stand for, the IPA's own, only what has one meaning is folded. Left alone, and so unknown:
? (glottal stop, or doubt), ! (a click, or a mark), dots below (ẹ ṣ), å ř ł ı, Cyrillic letters other than ә ӕ;
`phones.refusals` says what they look like.
"""

import re
import unicodedata
from dataclasses import dataclass, replace
from functools import lru_cache

from phonxling.core.features import FeatureTable, Origin
from phonxling.core.sequences import Action
from phonxling.core.spelling import NON_SYLLABIC, TIE, joined, ordered, parse, placed_tie
from phonxling.core.tone import MARKS, Levels, pairs_of, read_tones, shown_tone, split_tone
from phonxling.phones.rules import SymbolRules, Tone

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
    """Return letters in NFD with look-alikes folded."""
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

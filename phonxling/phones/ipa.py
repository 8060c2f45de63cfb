"""IPA symbols to phones: Unicode forms, look-alikes, tie bars, stress; one symbol at a time, each only once.

Phones written as two letters without a tie bar, and as letters that are better written as superscripts.

A symbol that was given as one is one phone (it is never split), so two letters in it are one phone too, if the rules
know what: an affricate (tʂ is t͡ʂ), a labial-velar (ŋm is ŋ͡m), a prenasalised obstruent (nd and n͡d are ⁿd), a click
with its accompaniment (ɡǃ and ɡ͡ǃ are ᶢǃ).
"""

import unicodedata
from dataclasses import dataclass, replace
from functools import lru_cache

from phonxling.core.corpus import Action
from phonxling.core.features import FeatureTable, Origin
from phonxling.core.spelling import NON_SYLLABIC, TIE, joined, ordered, parse, placed_tie
from phonxling.core.tone import Levels, read_tones, shown_tone, split_tone
from phonxling.phones.lookalikes import fold_letters
from phonxling.phones.rules import Tone

# Phones written as two letters without a tie bar, and as letters that are better written as superscripts.

_SUPERSCRIPTS = {"m": "ᵐ", "ɱ": "ᶬ", "n": "ⁿ", "ɳ": "ᶯ", "ɲ": "ᶮ", "ŋ": "ᵑ", "ɴ": "ᶰ", "k": "ᵏ", "ɡ": "ᶢ"}
_PLACES = ("+lab", "+cor")


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


_STRESS = "ˈˌ"


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
        return _attached(raw, segment, marks, table)
    phone, features = _spell(segment, table)
    if phone is None:
        return None
    if marks:
        return Fate((phone,), "split" if tone == "tier" else "folded", features, marks if tone == "tier" else "")
    return Fate((phone,), _kept_or_folded(raw, phone), features)


def keep_ipa(raw: str, tone: Tone, levels: Levels = "three") -> Fate:
    """Return an IPA symbol that nobody knows as a phone: folded, its tone treated as that of any other symbol."""
    segment, marks = _segment_and_tone(raw, levels)
    phone = unicodedata.normalize("NFC", segment + _joined(marks) if tone == "attach" else segment) or raw
    return Fate((phone,), "unknown", "none", marks if tone == "tier" else "")


def split_diphthongs(fate: Fate, table: FeatureTable) -> Fate:
    """Return a fate whose diphthongs are their vowels (glides tied to a vowel included), each a phone of its own."""
    phones = tuple(vowel for phone in fate.phones for vowel in _vowels(phone, table))
    if phones == fate.phones:
        return fate
    table_only = all(table.vector(phone)[1] == "table" for phone in phones)
    return replace(fate, phones=phones, action="split", features="table" if table_only else "composed")


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
    segment, marks = split_tone(_fold(raw))
    return placed_tie(segment), read_tones(marks, levels)


def _joined(tones: str) -> str:
    return tones.replace(" ", "")


def _attached(raw: str, segment: str, tones: str, table: FeatureTable) -> Fate | None:
    phone, _ = _spell(segment, table) if segment else ("", "table")
    if phone is None:
        return None
    whole = unicodedata.normalize("NFC", phone + _joined(tones))
    return Fate((whole,), _kept_or_folded(raw, whole), table.vector(whole)[1])


def _fold(raw: str) -> str:
    letters = fold_letters(unicodedata.normalize("NFD", raw).lstrip("'" + _STRESS))
    return "".join(letter for letter in letters if letter not in _STRESS)


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

"""How a phone is spelt: its letters, marks and tone; what each mark sets in its features; natural classes in words."""

import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from phonxling.core.features import FeatureTable


# The values of marks are those by which the rows of PanPhon's table differ (Mortensen et al. 2016; release 0.22.2, in
# which secondary articulations leave `back` as it is); PanPhon allows a mark on some segments only, here it may stand
# on any. Marks that PanPhon lacks are below the line: their values are ours, after the mark's name in the IPA chart
# (2020) and its extensions. A row is: code point, name, what it sets, and, after "if", the features that a segment must
# have for that. Marks are applied in this order, however they were written; where two set the same feature, the later
# stays.
_SIGNS = {"+": 1, "0": 0, "-": -1}
_ROWS = """
0325 voiceless -voi
0324 breathy +sg
0330 creaky +cg
032A dental +ant +distr if +cor
033A apical -distr if +cor
033B laminal +distr if +cor
033C linguolabial +lab
0318 advanced-root +tense
0319 retracted-root -tense
031F advanced
0320 retracted
0308 centralised
031D raised
031E lowered
0303 nasalised +nas
0329 syllabic +syl
032F non-syllabic -syl
0334 velarised-or-pharyngealised +hi
207F nasal-release +nas
02E1 lateral-release +lat +delrel
02B7 labialised +round +hi
02B2 palatalised +hi
1DA3 labio-palatalised +hi +round
02E0 velarised +hi
02E4 pharyngealised +lo
02B0 aspirated +sg
02BC ejective +cg
02C0 glottalised +cg
02DE rhotic -ant +hi +round if +syl
02D0 long +long
0306 extra-short -long
---- ---------------------------------------------
032C voiced +voi
033D mid-centralised
0339 more-rounded
031C less-rounded
031A unreleased
0347 alveolar
0348 strong
0349 weak
034B nasal-escape +nas
02B1 breathy-aspirated +sg
02B6 uvularised -hi
1D50 bilabial-nasal-release +nas
1DAC labiodental-nasal-release +nas
1DAF retroflex-nasal-release +nas
1DAE palatal-nasal-release +nas
1D51 velar-nasal-release +nas
1DB0 uvular-nasal-release +nas
1D4A schwa-release
02ED unaspirated
02D1 half-long 0long
"""


@dataclass(frozen=True, slots=True)
class Mark:
    """What one mark does: its name, the values that it sets by feature, and those that a segment must have for it."""

    name: str
    sets: Mapping[str, int]
    needs: Mapping[str, int]


def pairs_of(text: str) -> dict[str, str]:
    words = text.split()
    return dict(zip(words[::2], words[1::2], strict=True))


def values_of(words: str) -> dict[str, int]:
    return {word[1:]: _SIGNS[word[0]] for word in words.split()}


MARKS: dict[str, Mark] = {}
for _row in re.findall(r"(?m)^(\w+) (\S+)(.*)", _ROWS):
    _sets, _, _needs = _row[2].partition("if")
    MARKS[chr(int(_row[0], 16))] = Mark(_row[1].replace("-", " "), values_of(_sets), values_of(_needs))
ORDER = {mark: place for place, mark in enumerate(MARKS)}

# Letters that PanPhon's table lacks: the phone that each is like, and what it sets. The flap is to its approximant, and
# the epiglottal plosive to the pharyngeal fricative, as panphon's own pairs are; epiglottals share the pharyngeals'
# features. Sinologists' letters (no IPA): alveolo-palatals, apical vowels, and the central and mid vowels ᴀ and ᴇ.
_LIKE = """
    ⱱ ʋ/+cons  ʜ ħ/  ʢ ʕ/  ʡ ħ/-cont  ᶑ ɖ/+cg  ᴀ a/  ᴇ e/
    ȶ t/-ant_+distr_+hi  ȡ d/-ant_+distr_+hi  ȵ n/-ant_+distr_+hi  ȴ l/-ant_+distr_+hi
    ɿ z/+syl  ʅ ʐ/+syl  ʮ z/+syl_+round_+hi  ʯ ʐ/+syl_+round_+hi
"""
LETTERS = {letter: (like[0], like[2:].replace("_", " ")) for letter, like in pairs_of(_LIKE).items()}

# Tone is written as letters (˥ … ˩), as accents, as pitch numbers (a55, a⁵¹) or as a tone's number (ma1), with downstep
# ꜜ and upstep ꜛ; the tilde is nasality. Inside, every pitch is in tone letters. Accents have no fixed pitch; `three`
# reads them by register, as languages with high, mid and low tone use them, `five` as the IPA chart (2020) pairs them
# with letters. Pitch numbers are Chao's (1930), 5 high to 1 low; a number of one digit, or with 0 or 6 to 9, names a
# tone and has no pitch. ʔ or ˀ in or after letters or numbers of tone is glottalisation of it (˧˨ʔ, ˦ˀ˥, a³⁵ʔ): no
# phone, but another tone than without it; both are ˀ inside.

Levels = Literal["three", "five"]
STEPS = "ꜛꜜ"
PITCHES = "˥˦˧˨˩"
TONE_LETTERS = PITCHES + STEPS
ACCENTS = "\u0300\u0301\u0302\u0304\u030b\u030c\u030f\u1dc4\u1dc5\u1dc6\u1dc7\u1dc8\u1dc9"
EXTRA = "\u030b\u030f"  # extra high and extra low, which a system of three levels has not
DIGITS = "0123456789⁰¹²³⁴⁵⁶⁷⁸⁹"
_READINGS = {
    "three": "0301 ˥ 0304 ˧ 0300 ˩ 0302 ˥˩ 030c ˩˥ 1dc4 ˧˥ 1dc5 ˩˧ 1dc6 ˧˩ 1dc7 ˥˧ 1dc8 ˩˥˩ 1dc9 ˥˩˥",
    "five": "030b ˥ 0301 ˦ 0304 ˧ 0300 ˨ 030f ˩ 0302 ˥˩ 030c ˩˥ 1dc4 ˦˥ 1dc5 ˩˨ 1dc6 ˧˨ 1dc7 ˦˧ 1dc8 ˧˦˧ 1dc9 ˦˨˦",
}
READINGS = {
    levels: {chr(int(code, 16)): tone for code, tone in pairs_of(row).items()} for levels, row in _READINGS.items()
}
_MARKS = frozenset(TONE_LETTERS + ACCENTS)
_TONAL = _MARKS | {*DIGITS}
_GLOTTAL = re.compile(f"(?<=[{TONE_LETTERS}{DIGITS}])[ʔˀ](?=[{TONE_LETTERS}{DIGITS}]|$)")
GLOTTALISATION = "ˀ"
_PARTS = re.compile(f"[{DIGITS}][{DIGITS}{GLOTTALISATION}]*|[^{DIGITS}]+")
_CEDILLA = re.compile("c([\u0334-\u0338]*)\u0327")  # which strokes through a letter come before
_SUPERSCRIPTS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
_CHAO = dict(zip("⁵⁴³²¹", PITCHES, strict=True))


def decompose(symbol: str) -> str:
    """Return a symbol in NFD, but with ç as the letter that it is."""
    letters = unicodedata.normalize("NFD", symbol)
    return _CEDILLA.sub(r"ç\1", letters) if "\u0327" in letters else letters


def split_tone(symbol: str) -> tuple[str, str]:
    """Return (segment, tone marks) of a symbol, both decomposed; the marks are "" when there are none."""
    letters = decompose(symbol)
    if _TONAL.isdisjoint(letters):
        return letters, ""
    if letters[0].isascii() and not letters.strip(DIGITS + "ʔˀ"):
        return letters, ""  # a number alone may be anything
    toned = {match.start() for match in _GLOTTAL.finditer(letters)}
    toned |= {place for place, letter in enumerate(letters) if letter in _MARKS}
    for place in reversed(range(len(letters))):  # numbers at the end, whatever marks of tone stand among them
        if place not in toned and letters[place] not in DIGITS:
            break
        toned.add(place)
    segment = "".join(letter for place, letter in enumerate(letters) if place not in toned)
    return segment, "".join(letters[place] for place in sorted(toned))


def read_tones(marks: str, levels: Levels = "three") -> str:
    """Return a symbol's tone marks as tones separated by spaces: pitches in tone letters, steps each on their own."""
    tones = []
    for run in re.split(f"([{STEPS}])", marks.replace("ʔ", GLOTTALISATION)):
        tone = ""
        for part in _PARTS.findall(run):
            numbers = part.translate(_SUPERSCRIPTS)
            names = numbers.replace(GLOTTALISATION, "")
            if part[0] not in DIGITS:
                tone += "".join(READINGS[levels].get(mark, mark) for mark in part)
            elif len(names) > 1 and set(names) <= set(_CHAO):
                tone += "".join(_CHAO.get(number, number) for number in numbers)
            else:
                tone += numbers
        tones.append(tone)
    return " ".join(filter(None, tones))


def pitch_levels(tone: str) -> str:
    r"""Return a tone's pitches as tone letters, accents read in three levels; "" for steps and tones' names."""
    extra = dict(zip(EXTRA, "˥˩", strict=True))
    return "".join(extra.get(mark, mark) for mark in read_tones(tone) if mark in PITCHES + EXTRA)


def shown_tone(tone: str) -> str:
    """Return a tone, or another symbol, as people can read it: an accent that stands alone is on a dotted circle."""
    return f"◌{tone}" if tone and unicodedata.combining(tone[0]) else tone


# How the letters and marks of one phone are ordered, and how they fall into its parts. A superscript letter counts as a
# part tied to its neighbour (kˣ is k͡x, ⁿd is n͡d). ç is a letter of its own, though Unicode takes it apart into c and a
# cedilla. Of letters that look like, or stand for, the IPA's own, only what has one meaning is folded.

SILENCE_PHONE = "sil"
STRESS = "ˈˌ"
TIE = "\u0361"
NON_SYLLABIC = "\u032f"
SYLLABIC = "\u0329"
LATERAL = "ˡ"
# Letters with at most one combining mark each, before any modifier letters: nothing to put in order.
_IN_ORDER = re.compile("(?:[^\u02b0-\u036f\u1ab0-\u1dff\u2070-\u20ff][\u0300-\u036f]?[\u02b0-\u02ff]*)*")


@dataclass(frozen=True, slots=True)
class Part:
    """One letter of a phone with what belongs to it; a modifier letter before all others is a part of its own."""

    letter: str
    marks: str = ""
    modifiers: str = ""
    tie: str = ""

    def __str__(self) -> str:
        return self.letter + self.marks + self.modifiers + self.tie


def parse(symbol: str) -> list[Part]:
    """Return the parts of a phone without tone: the one way to take a phone apart, for features, chart, and order."""
    groups: list[list[str]] = []  # letter, marks, modifiers, tie bars
    for letter in decompose(symbol):
        last = groups[-1] if groups else None
        if unicodedata.combining(letter):
            last = last or ["", "", "", ""]
            last[3 if letter == TIE and last[0] else 1] += letter
            groups = groups or [last]
        elif last and last[0] and not last[3] and is_modifier(letter):
            last[2] += letter
        else:
            groups.append([letter, "", "", ""])
    return [Part(letter, "".join(sorted(marks)), modifiers, tie) for letter, marks, modifiers, tie in groups]


def join_parts(parts: Iterable[Part]) -> str:
    """Return parts as a string: each letter, its combining marks, its modifier letters, the tie bar."""
    return "".join(map(str, parts))


def canonical_form(symbol: str) -> str:
    """Return the form used for look-up: decomposed, the marks of each letter in code-point order, the tie bar last."""
    letters = decompose(symbol)
    return letters if _IN_ORDER.fullmatch(letters) else join_parts(parse(letters))


@lru_cache(maxsize=1024)
def order_marks(symbol: str) -> str:
    """Return the canonical form with each letter's modifier letters in one order too: kʰʷ and kʷʰ are one."""
    return order_modifiers(canonical_form(symbol))


def order_modifiers(form: str) -> str:
    if sum(map(is_modifier, form)) < 2:
        return form
    return join_parts(replace(part, modifiers=sorted_marks(part.modifiers)) for part in parse(form))


def sorted_marks(marks: Iterable[str]) -> str:
    return "".join(sorted(marks, key=lambda mark: (ORDER.get(mark, len(ORDER)), mark)))


def placed_tie(symbol: str) -> str:
    """Return the canonical form with a tie bar that stands after the last letter (kp͡) moved before it (k͡p)."""
    parts = parse(symbol)
    if len(parts) < 2 or not parts[-1].tie or parts[-2].tie or not parts[-1].letter.isalpha():
        return join_parts(parts)
    return join_parts([*parts[:-2], replace(parts[-2], tie=parts[-1].tie), replace(parts[-1], tie="")])


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
LOOK_ALIKES = pairs_of(re.sub(r"\+(....)", lambda code: chr(int(code[1], 16)), _PAIRS))
_FOLDS = str.maketrans(LOOK_ALIKES)
_CARON = {"c\u030c": "t͡ʃ", "s\u030c": "ʃ", "z\u030c": "ʒ"}  # Americanist; no tone stands there (on j one may)
_SPECIAL = re.compile("|".join(_CARON) + "|(?<![auAU])\u030a")  # å and ů are letters of their own


def fold_letters(letters: str) -> str:
    """Return decomposed letters with those that look like, or stand for, the IPA's own as these."""
    return _SPECIAL.sub(lambda match: _CARON.get(match[0], "\u0325"), letters).translate(_FOLDS)


@lru_cache(maxsize=4096)
def parts_of_phone(phone: str) -> tuple[Part, ...]:
    """Return the parts of a phone, its letters folded, its tone and stress left out; none of a tone alone."""
    return tuple(parse(fold_letters(split_tone(phone)[0]).lstrip(STRESS)))


def pieces(words: Iterable[str]) -> re.Pattern[str]:
    """Return what finds, at each place of a text, the longest of words, or one letter."""
    return re.compile(f"{_longest_words({*words})}|.", re.DOTALL)


def _longest_words(words: set[str]) -> str:
    # A tree of letters, not a list of words: a regular expression tries alternatives one after the other, and here it
    # tries one a letter; the end of a word comes last, so that the longest word is found.
    rest: dict[str, set[str]] = {}
    for word in filter(None, words):
        rest.setdefault(word[0], set()).add(word[1:])
    each = "|".join(re.escape(letter) + _longest_words(after) for letter, after in rest.items())
    return f"(?:{each})" + "?" * ("" in words) if each else ""


@cache
def is_modifier(letter: str) -> bool:
    """Return whether a letter modifies its neighbour without standing above or below it (ʰ ʷ ː ˞); no tone letter."""
    return letter > "\x7f" and letter not in TONE_LETTERS and unicodedata.category(letter) in {"Lm", "Sk"}


def full_letter(modifier: str) -> str:
    """Return the letter that a superscript one is the small form of (ᵐ → m); "" when there is none."""
    kind, _, code = unicodedata.decomposition(modifier or " ").partition(" ")
    return chr(int(code, 16)) if kind == "<super>" else ""


# The letters of the IPA chart (International Phonetic Association 2020): consonants by manner, place and voice, vowels
# by height, backness and rounding.

PLACES = (
    *("bilabial", "labiodental", "dental", "alveolar", "postalveolar", "retroflex", "alveolo-palatal"),
    *("palatal", "velar", "uvular", "pharyngeal", "epiglottal", "glottal"),
)
# A row's letters under the places, voiceless and voiced; · where there is none.
ROWS = {
    "plosive": "pb ·· ·· td ·· ʈɖ ȶȡ cɟ kɡ qɢ ·· ʡ· ʔ·",
    "implosive": "·ɓ ·· ·· ·ɗ ·· ·ᶑ ·· ·ʄ ·ɠ ·ʛ ·· ·· ··",
    "click": "ʘ· ·· ǀ· ǃ· ǂ· ·· ·· ·· ·· ·· ·· ·· ··",
    "lateral click": "·· ·· ·· ǁ· ·· ·· ·· ·· ·· ·· ·· ·· ··",
    "nasal": "·m ·ɱ ·· ·n ·· ·ɳ ·ȵ ·ɲ ·ŋ ·ɴ ·· ·· ··",
    "trill": "·ʙ ·· ·· ·r ·· ·· ·· ·· ·· ·ʀ ·· ·· ··",
    "tap or flap": "·· ·ⱱ ·· ·ɾ ·· ·ɽ ·· ·· ·· ·· ·· ·· ··",
    "lateral flap": "·· ·· ·· ·ɺ ·· ·· ·· ·· ·· ·· ·· ·· ··",
    "affricate": "",  # two letters
    "lateral affricate": "",
    "fricative": "ɸβ fv θð sz ʃʒ ʂʐ ɕʑ çʝ xɣ χʁ ħʕ ʜʢ hɦ",
    "lateral fricative": "·· ·· ·· ɬɮ ·· ·· ·· ·· ·· ·· ·· ·· ··",
    "approximant": "·· ·ʋ ·· ·ɹ ·· ·ɻ ·· ·j ·ɰ ·· ·· ·· ··",
    "lateral approximant": "·· ·· ·· ·l ·· ·ɭ ·ȴ ·ʎ ·ʟ ·· ·· ·· ··",
}
TWO_PLACES = {  # a row and the places; in the order of phones they follow the letters of the row
    "ɥ": "approximant bilabial palatal",
    "ʍ": "approximant bilabial velar",
    "w": "approximant bilabial velar",
    "ɧ": "fricative postalveolar velar",
}
# Front, central and back vowels, unrounded and rounded, from close to open in half steps.
HEIGHTS = "iy ɨʉ ɯu / ɪʏ ·· ·ʊ / eø ɘɵ ɤo / ᴇ· ə· ·· / ɛœ ɜɞ ʌɔ / æ· ɐ· ·· / aɶ ᴀ· ɑɒ"


def _letters_of(*rows: str) -> str:
    more = {row: [letter for letter, where in TWO_PLACES.items() if where.split()[0] == row] for row in rows}
    return "".join(re.sub("[· ]", "", ROWS[row]) + "".join(more[row]) for row in rows)


# The rows of the order, with their letters; those that the chart lacks come last in theirs.
CHART = {
    "vowels": re.sub("[· /]", "", HEIGHTS),
    "syllabic consonants": "ɿʮʅʯ",  # sinologists' apical vowels
    "stops": _letters_of("plosive", "implosive"),
    "affricates": "",
    "nasals": _letters_of("nasal"),
    "trills and taps": _letters_of("trill", "tap or flap"),
    "fricatives": _letters_of("fricative", "lateral fricative"),
    "approximants": _letters_of("approximant"),
    "laterals": _letters_of("lateral approximant", "lateral flap") + "ɫ",
    "clicks": _letters_of("click", "lateral click"),
    "other": "",
    "tones": "˥˦˧˨˩",
    "silence": "",
}


_WORD = re.compile(r"[+0-][^\s+|-][^\s|]*")


@dataclass(frozen=True, slots=True)
class Query:
    """A class of phones by their features: a phone belongs when it has all values of one alternative at least."""

    text: str

    def __post_init__(self) -> None:
        written = "a class is written '+syl +nas'"
        for part in self.text.split("|"):
            words = part.split()
            if not words:
                raise ValueError(f"'{self.text}' asks for no feature; {written}")
            if wrong := [word for word in words if not _WORD.fullmatch(word)]:
                raise ValueError(f"'{wrong[0]}' is not a feature with its sign (+, - or 0); {written}")
            names = [word[1:] for word in words]
            if twice := [name for name in names if names.count(name) > 1]:
                raise ValueError(f"'{part.strip()}' names the feature {twice[0]} twice")

    @property
    def alternatives(self) -> list[str]:
        return [part.strip() for part in self.text.split("|")]

    @property
    def features(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(name for part in self.alternatives for name in values_of(part)))

    def members(self, phones: Iterable[str], table: "FeatureTable") -> list[bool]:
        return [any(table.matches(phone, part) for part in self.alternatives) for phone in phones]


# The manners of the IPA chart (2020): a phone is in the first that holds it. PanPhon has ʔ, h and ɦ as sonorants; the
# chart, and these, have a plosive and two fricatives.
DEFAULT_CLASSES = {
    "vowels": "+syl -cons +cont",
    "syllabic consonants": "+syl +cons | +syl -cont",
    "clicks": "-syl +velaric",
    "affricates": "-syl -son -cont +delrel",
    "stops": "-syl -son -cont | -syl +son -cont -cons",
    "fricatives": "-syl -son +cont | -syl +son +cons +cont -delrel -cor -lab -lat",
    "nasals": "-syl +son +cons +nas -cont",
    "trills and taps": "-syl +son +cons -lat",
    "laterals": "-syl +son +lat",
    "approximants": "-syl +son -cons",
}
OTHER_CLASS = "other"  # what none of them holds
CONSONANTS = "consonants"  # what all of them hold but vowels
RESERVED_CLASSES = (*DEFAULT_CLASSES, CONSONANTS, OTHER_CLASS)  # names that a user's class cannot have


# What panphon's features are called where there is room for a word.
_WORDS = """
    syl syllabic  son sonorant  cons consonantal  cont continuant  delrel delayed_release  lat lateral  nas nasal
    strid strident  voi voiced  sg spread_glottis  cg constricted_glottis  ant anterior  cor coronal  distr distributed
    lab labial  hi high  lo low  hitone high_tone  hireg high_register
"""
_NAMES = pairs_of(_WORDS)


def feature_name(feature: str) -> str:
    """Return the word for a feature; one that panphon does not abbreviate, or does not have, is its own word."""
    return _NAMES.get(feature, feature).replace("_", " ")

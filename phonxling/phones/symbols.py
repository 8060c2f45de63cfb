"""How symbols are treated, and the symbol sets: labels of TIMIT, ARPAbet, X-SAMPA, espeak-ng, a user's own table.

No set has another behind it: a label that a set does not know is unknown, whatever it would be in the IPA.
"""

import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Final, Literal, TypeAlias

from phonxling.core.errors import DataError, check_argument, quote
from phonxling.core.spelling import CHART, MARKS, SILENCE_PHONE, STRESS, TIE, Levels, decompose, pairs_of, pieces

Unknown: TypeAlias = Literal["error", "drop", "keep"]
Tone: TypeAlias = Literal["tier", "attach", "strip"]
Silence: TypeAlias = Literal["drop", "keep"]
Closures: TypeAlias = Literal["merge", "alone"]
Parts: TypeAlias = Literal["keep", "split"]
Marks: TypeAlias = Literal["keep", "strip"]
Case: TypeAlias = Literal["keep", "fold"]
LevelsOrAuto: TypeAlias = Literal["auto", "three", "five"]
RARE: Final = ("affricates", "length", "diacritics", "position_marks", "case")  # in a signature where they are not kept
POSITION: Final = re.compile("(?<=.)_[BIES]$")  # begin, inside, end, or all of a word
TONE_LEVELS: Final = "auto"  # the default before it is settled for a corpus


@dataclass(frozen=True, slots=True)
class SymbolRules:
    """The rules by which raw symbols become phones.

    Parameters
    ----------
    unknown : {"error", "drop", "keep"}
        What to do with a symbol that the symbol set does not have.
    tone : {"tier", "attach", "strip"}
        Whether tones stand on a tier of their own, are attached to their vowel, or are left out.
    silence : {"drop", "keep"}
        Whether silences are dropped or kept as a phone.
    closures : {"merge", "alone"}
        Whether a stop closure is merged with its release or stands alone.
    tone_levels : {"three", "five"}
        How tone accents read as pitch (see `phonxling.core.spelling`). The `auto` of the configuration and of
        `load_corpus` is settled for a corpus before its symbols are read.
    diphthongs, affricates : {"keep", "split"}
        Whether a diphthong is one phone or split into its vowels, and an affricate into stop and fricative.
    length, diacritics : {"keep", "strip"}
        Whether length (ː ˑ), and marks other than length, syllabicity and rhoticity, are part of a phone or taken off.
    position_marks : {"keep", "strip"}
        Whether Kaldi's marks of the place in a word (`_B`, `_I`, `_E`, `_S`) stay at the end of symbols.
    case : {"keep", "fold"}
        Whether capitals differ from small letters in symbols.
    """

    unknown: Unknown = "error"
    tone: Tone = "tier"
    silence: Silence = "drop"
    closures: Closures = "merge"
    tone_levels: Levels = "three"
    diphthongs: Parts = "keep"
    affricates: Parts = "keep"
    length: Marks = "keep"
    diacritics: Marks = "keep"
    position_marks: Marks = "keep"
    case: Case = "keep"

    def __post_init__(self) -> None:
        for one in fields(self):
            check_argument(one.name, getattr(self, one.name), one.type)

    def respell(self, raw: str) -> str:
        """Return a raw symbol as a set is asked for it: without position mark, in small letters, or as it is."""
        bare = POSITION.sub("", raw) if self.position_marks == "strip" else raw
        return bare.casefold() if self.case == "fold" else bare


# Columns that are characters or pieces of words, not phones: refused, since their errors are not phonetic ones.
# SentencePiece's word begin, WordPiece's and BPE's joints, and the word begin of BPE over bytes.
_PIECE = re.compile(r"\u2581.*|##.+|.+@@|\u0120.*|.+</w>")
_ALPHABET = frozenset("abcdefghijklmnopqrstuvwxyz")
_WORD_BOUNDARIES = frozenset({"|", "\u2581", "<space>", " ", "'", "\u2019"})  # what stands between words, or in them
# Letters, where there is also something between words: fewer may be the phones of a small inventory.
_MANY = 20
_SHOWN_SYMBOLS = 5
_IPA_SCRIPTS = ("LATIN", "GREEK", "MODIFIER", "SUPERSCRIPT")


def refuse_text_units(source: str, labels: Sequence[str], between: Sequence[str]) -> None:
    """Raise DataError when labels are clearly units of writing; `between` are the columns that stand for no sound."""
    bare = {label: label.lstrip("\u0120").replace("</w>", "") for label in labels if _PIECE.fullmatch(label)}
    kinds = {label: [unicodedata.category(letter)[0] for letter in piece] for label, piece in bare.items()}
    split = [label for label, kind in kinds.items() if kind.count("L") > 1]
    letters = [label for label in labels if _as_latin(label)]
    known = {_as_latin(label) for label in letters}
    others = [label for label in labels if not _as_latin(label) and label not in _WORD_BOUNDARIES and label != "-"]
    spelt = not others and (known >= _ALPHABET or (len(letters) >= _MANY and _WORD_BOUNDARIES & {*labels, *between}))
    first = {label: label[:1] for label in labels if unicodedata.category(label[:1] or " ")[0] == "L"}
    foreign = [label for label, each in first.items() if not unicodedata.name(each, "?").startswith(_IPA_SCRIPTS)]
    for what, found, enough in (
        ("pieces of written words", split, split),
        ("the letters of an alphabet", letters, spelt),
        ("characters of a script", foreign, 2 * len(foreign) > len(labels)),
    ):
        if enough:
            examples = " ".join(quote(label, 20) for label in found[:_SHOWN_SYMBOLS])
            examples += " …" * (len(found) > _SHOWN_SYMBOLS)
            remedy = "take a recogniser of phones, or map each label to a phone with a two-column TSV (symbol, ipa)"
            raise DataError(f"{source}: its columns are {what}, not phones: {examples}; {remedy} (docs/ctc.md)")


def _as_latin(label: str) -> str:
    # The letter a … z that a label is, accents and case left out; "" for any other label.
    bare = "".join(letter for letter in unicodedata.normalize("NFD", label) if not unicodedata.combining(letter))
    return bare.lower() if bare.lower() in _ALPHABET else ""


# X-SAMPA: the IPA in ASCII (Wells 1995, https://www.phon.ucl.ac.uk/home/sampa/ipasam-x.pdf). Case matters. A symbol is
# read from the left by longest match: `t_S` is t͡ʃ, but `t_d` is dental t̪ and `N_m` laminal ŋ̻, since a tie bar is `_`
# where no diacritic is meant. Tones become the IPA's accents (`_T _H _M _L _B`, the contours `_R _F _H_T _B_L _R_F`),
# downstep `!` and upstep `^` its arrows, and `_1` … `_6`, which each language defines, digits. `<R>` and `<F>` (global
# rise and fall) are no part of a phone, and unknown.
_LETTERS = r"""
    a a   b b   b_< ɓ   c c   d d   d` ɖ   d_< ɗ   e e   f f   g ɡ   g_< ɠ   h h   h\ ɦ   i i   j j   j\ ʝ   k k
    l l   l` ɭ   l\ ɺ   m m   n n   n` ɳ   o o   p p   p\ ɸ   q q   r r   r` ɽ   r\ ɹ   r\` ɻ   s s   s` ʂ   s\ ɕ
    t t   t` ʈ   u u   v v   v\ ʋ   P ʋ   w w   x x   x\ ɧ   y y   z z   z` ʐ   z\ ʑ
    p_< ɓ̥   t_< ɗ̥   c_< ʄ̥   k_< ɠ̥   q_< ʛ̥   d`_< ᶑ
    A ɑ   B β   B\ ʙ   C ç   D ð   E ɛ   F ɱ   G ɣ   G\ ɢ   G\_< ʛ   H ɥ   H\ ʜ   I ɪ   I\ ᵻ   J ɲ   J\ ɟ   J\_< ʄ
    K ɬ   K\ ɮ   L ʎ   L\ ʟ   M ɯ   M\ ɰ   N ŋ   N\ ɴ   O ɔ   O\ ʘ   Q ɒ   R ʁ   R\ ʀ   S ʃ   T θ   U ʊ   U\ ᵿ   V ʌ
    W ʍ   X χ   X\ ħ   Y ʏ   Z ʒ
    @ ə   @\ ɘ   { æ   } ʉ   1 ɨ   2 ø   3 ɜ   3\ ɞ   4 ɾ   5 ɫ   6 ɐ   7 ɤ   8 ɵ   9 œ   & ɶ   ? ʔ   ?\ ʕ
    <\ ʢ   >\ ʡ   ! ꜜ   !\ ǃ   |\ ǀ   |\|\ ǁ   =\ ǂ   ^ ꜛ   " ˈ   % ˌ   : ː   :\ ˑ   ` ˞   ' ʲ
    = 0329   ~ 0303   _" 0308   _+ 031F   _- 0320   _/ 030C   _0 0325   _= 0329   _> ʼ   _?\ ˤ   _\ 0302   _^ 032F
    _} 031A   _~ 0303   _A 0318   _a 033A   _B 030F   _B_L 1DC5   _c 031C   _d 032A   _e 0334   _F 0302   _G ˠ
    _H 0301   _H_T 1DC4   _h ʰ   _j ʲ   _k 0330   _L 0300   _l ˡ   _M 0304   _m 033B   _N 033C   _n ⁿ   _O 0339
    _o 031E   _q 0319   _R 030C   _R_F 1DC8   _r 031D   _T 030B   _t 0324   _v 032C   _w ʷ   _X 0306   _x 033D
    _1 1   _2 2   _3 3   _4 4   _5 5   _6 6   _ 0361
"""


TABLE = {key: chr(int(value, 16)) if len(value) == 4 else value for key, value in pairs_of(_LETTERS).items()}
_PIECES = pieces(TABLE)


def xsampa_to_ipa(symbol: str) -> str | None:
    r"""Return the IPA of an X-SAMPA symbol (NFC); None when a character of it is no X-SAMPA."""
    letters = [TABLE.get(piece) for piece in _PIECES.findall(symbol)]
    known = [letter for letter in letters if letter is not None]
    return unicodedata.normalize("NFC", "".join(known)) if 0 < len(known) == len(letters) else None


# espeak-ng's phonemes as phonemizer separates them (https://github.com/espeak-ng/espeak-ng/blob/master/docs/phonemes.md):
# IPA mixed with the names of phonemes that it has no IPA for. In these, h is aspiration, a dot a retroflex, `[` dental,
# `^` palatal, a letter twice length; a digit is a tone, of which espeak-ng writes 3 as ɜ in Mandarin. A vowel and ɹ are
# two phones. `a.` and `u.` are read as the plain vowel.
_ESPEAK = pairs_of("""
    əl ə+l  ja j+a  ju j+u  aɪə aɪ+ə  aɪɚ aɪ+ə˞  ər ə˞  i. ʅ  i.ː ʅː  i̪ ɿ  r. ɽ  s. ʂ  ts. tʂ  ts.h tʂʰ  a. a  a.ː aː
    u. u  u.ː uː  sx ɧ  ?? ʔ  u" ʉ  ʲ j  ɪ^ ɪ  ɯᵝ ɯ
""")
_ESPEAK_RULES = (  # in this order: a letter twice is length before h, [ and ^ are read
    ("^(.+)\\1$", r"\1ː"),
    ("([ʲː])\\1", r"\1"),
    ("(.)\\1", r"\1ː"),
    ("^ɯᵝ", "ɯ"),
    ("^oe", "œ"),
    ("(?<=.)ɹ$", " ɹ"),
    ("(?<=[ptksɕʂʃ])h$", "ʰ"),
    (r"\[$", "\u032a"),
    (r"\^", "ʲ"),
)
_ESPEAK_TONES = str.maketrans("123456789ɜ", "¹²³⁴⁵⁶⁷⁸⁹³")
_TONE_BEARING = {*CHART["vowels"], *"ɿʅɚɝᵻmnŋlɹ"}  # a syllable's vowel, or the sonorant in its place: no zz9
_ESPEAK_LETTERS = str.maketrans("SZNX", "ʃʒŋχ")
# The IPA's letters, modifiers and diacritics in its labels; other marks, and tones of the IPA, are none of its own.
_ESPEAK_IPA = "".join(dict.fromkeys("".join(row for name, row in CHART.items() if name != "tones") + "ɚɝᵻgʰʲʷˤʼː˞"))
_OF_ESPEAK = frozenset({*_ESPEAK_IPA, *STRESS, *" :\u030a", TIE, *filter(unicodedata.combining, MARKS)})


def espeak_to_ipa(symbol: str) -> str | None:
    """Return a phoneme of espeak-ng in IPA, a space between its phones (NFC); None for what is no label of it."""
    letters = unicodedata.normalize("NFC", symbol)
    # A tone ends its syllable, so that it stands behind a final nasal, which is a phone of its own.
    toned = re.fullmatch("([^1-9]*?)(ŋ|nɡ)?([1-9ɜ])([ʔˀ]?)ʲ?", letters) if letters != "ɜ" else None
    if toned is None:
        return _espeak_segment(letters)
    vowel, nasal, tone, glottal = toned.groups()
    ipa = _espeak_segment(vowel) if vowel else ""
    bears = not vowel or not _TONE_BEARING.isdisjoint(ipa or "")
    return None if ipa is None or not bears else f"{ipa}{tone.translate(_ESPEAK_TONES)}{glottal}{' ŋ' * bool(nasal)}"


def _espeak_segment(letters: str) -> str | None:
    if letters in _ESPEAK:
        return _ESPEAK[letters].replace("+", " ")
    for pattern, by in _ESPEAK_RULES:
        letters = re.sub(pattern, by, letters)
    letters = letters.translate(_ESPEAK_LETTERS)
    return unicodedata.normalize("NFC", letters) if _OF_ESPEAK.issuperset(decompose(letters)) else None


# The TIMIT documentation's list of labels (Garofolo et al. 1993, https://catalog.ldc.upenn.edu/LDC93S1), and the CMU
# Pronouncing Dictionary's (http://www.speech.cs.cmu.edu/cgi-bin/cmudict). The IPA letters are the usual ones; where a
# label names an allophone, its diacritic is kept (ax-h ə̥, nx ɾ̃, eng ŋ̩).
_SHARED_LABELS = """
    aa ɑ  ae æ  ah ʌ  aw aʊ  ay aɪ  b b  ch t͡ʃ  d d  dh ð  dx ɾ  eh ɛ  er ɜ˞  ey eɪ  f f  g ɡ  hh h  ih ɪ  iy i
    jh d͡ʒ  k k  l l  m m  n n  ng ŋ  ow oʊ  oy ɔɪ  p p  r ɹ  s s  sh ʃ  t t  th θ  uh ʊ  uw u  v v  w w  y j  z z
"""
_FINER48 = _SHARED_LABELS + "ao ɔ  ax ə  el l̩  en n̩  ix ɨ  zh ʒ"
_FINER61 = _FINER48 + "  ax-h ə̥  axr ə˞  em m̩  eng ŋ̩  hv ɦ  nx ɾ̃  q ʔ  ux ʉ"
# Lee & Hon's foldings (https://doi.org/10.1109/29.46546), for labels that a coarser set lacks; q, the glottal stop, is
# deleted, and the audit counts it.
_TO48 = """
    ax-h ax  axr er  em m  eng ng  hv hh  nx n  ux uw  bcl vcl  dcl vcl  gcl vcl  pcl cl  tcl cl  kcl cl
"""
_TO39 = "ao aa  ax ah  el l  en n  ix ih  zh sh"
_ARPABET = _FINER61.replace("ax-h ə̥", "") + "  wh ʍ"

# Labels of a closure that stands before its release, and the releases it may belong to.
CLOSURES = {"bcl": ("b",), "dcl": ("d", "jh"), "gcl": ("g",), "pcl": ("p",), "tcl": ("t", "ch"), "kcl": ("k",)}
# Silence, noise and padding of all sets; without regard to case. The empty label is Praat's silence, (.) CHAT's pause.
SILENCE = frozenset(
    {"", "h#", "#", "pau", "epi", "sil", "sp", "spn", "nsn", "cl", "vcl", "silence", "noise"}
    | {"<sil>", "<sp>", "<spn>", "<nsn>", "<eps>", "<blk>", "<blank>", "<p:>", "<noise>", "(.)", "(..)", "(...)"}
)
# Columns of a network that stand for no sound: padding, begin and end of a text, what is unknown, the space of a text.
BLANKS = frozenset({"blank", "<blank>", "<blk>", "pad", "<pad>", "[pad]"})  # what a CTC blank is called
UNKNOWN = frozenset({"<unk>", "[unk]"})  # what a recogniser writes where it knows no label
MARKERS = UNKNOWN | {"<s>", "</s>", "<bos>", "<eos>", "<sos>", "<sos/eos>", "blank", "pad", "<pad>", "[pad]"}
MARKERS |= {"[cls]", "[sep]", "<mask>", "[mask]", "|", "\u2581", "<space>"}
_BOUNDARY = re.compile(r"[|_.\u2016\u203f]+")  # of words, feet, syllables; # is among the silences
BETWEEN_WORDS = re.compile(r"#+|_*[|\u2016]+_*|\u2581+|<space>")


def is_boundary(symbol: str) -> bool:
    """Return whether a symbol marks a boundary, or is a special one of a recogniser: | || _|_ . <s> <pad> <unk>."""
    return symbol.lower() in MARKERS or _BOUNDARY.fullmatch(symbol) is not None


def is_pause(symbol: str) -> bool:
    """Return whether a symbol is no sound: a silence, or a boundary."""
    return symbol.lower() in SILENCE or is_boundary(symbol)


JoinedReading: TypeAlias = Literal["own", "panphon"]  # whose rules cut words of joined IPA


@dataclass(frozen=True)
class SymbolSet:
    """A named set of symbols and their IPA."""

    name: str
    ipa: Mapping[str, str] | None = None
    caseless: bool = False
    stress_digits: bool = False
    closures: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    raw: bool = False
    reading: Callable[[str], str | None] | None = None
    letters: tuple[str, ...] = ()  # that a set with a reading is made of
    joined: JoinedReading | None = None
    over: Mapping[str, str] = field(default_factory=dict)

    @property
    def mapped(self) -> bool:
        return self.ipa is not None or self.reading is not None

    def row(self, raw: str) -> str | None:
        """Return what a table says of a symbol, parts separated by spaces; None where it has no row."""
        symbol = self.fold(raw)
        return self.over[symbol] if symbol in self.over else (self.ipa or {}).get(symbol)

    def to_ipa(self, raw: str) -> str | None:
        """Return a symbol in IPA, parts separated by spaces; None when it is not of the set."""
        if (row := self.row(raw)) is not None:
            return row
        if self.reading is not None:
            return self.reading(unicodedata.normalize("NFC", raw))
        return raw if self.ipa is None else None

    def fold(self, raw: str) -> str:
        """Return the symbol as the map spells it: NFC, lower case and without a stress digit where the set says so."""
        symbol = self._fold_case(raw)
        bare = symbol.rstrip("012")  # the CMU dictionary's stress: AH0, AH1, AH2
        known = self.stress_digits and symbol not in self.over and (bare in self.over or bare in (self.ipa or {}))
        return bare if known and len(symbol) - len(bare) == 1 else symbol

    def extend(self, name: str, rows: Mapping[str, str]) -> "SymbolSet":
        over = {**self.over, **{self._fold_case(symbol): ipa for symbol, ipa in rows.items()}}
        # A user's row for a closure says what it is; it is no longer merged with a release.
        closures = {label: releases for label, releases in self.closures.items() if label not in over}
        return replace(self, name=name, over=over, closures=closures)

    def _fold_case(self, raw: str) -> str:
        composed = unicodedata.normalize("NFC", raw)
        return composed.lower() if self.caseless else composed


def _fold_labels(own: dict[str, str], *foldings: str) -> dict[str, str]:
    # A set has the finer labels that fold to its own, too; the last folding comes first.
    table = {**own, "q": "", "cl": SILENCE_PHONE, "vcl": SILENCE_PHONE}
    for folding in reversed(foldings):
        table.update({finer: table[coarser] for finer, coarser in pairs_of(folding).items()})
    return table


# What TIMIT's transcriptions, and their foldings, are written in; the CMU dictionary's labels are ARPAbet's.
LABELS = {
    "arpabet": {*pairs_of(_SHARED_LABELS), "ao", "zh"} - {"dx"},
    "timit39": {*pairs_of(_SHARED_LABELS), "sil"},
    "timit48": {*pairs_of(_FINER48), "sil", "cl", "vcl", "epi"},
    "timit61": {*pairs_of(_FINER61), *CLOSURES, "h#", "pau", "epi"},
}
BUILT_IN = {
    "ipa": SymbolSet("ipa"),
    "raw": SymbolSet("raw", raw=True),
    "ipa-joined": SymbolSet("ipa-joined", joined="own"),
    "ipa-panphon": SymbolSet("ipa-panphon", joined="panphon"),
    "xsampa": SymbolSet("xsampa", reading=xsampa_to_ipa, letters=(*TABLE,)),
    "espeak": SymbolSet("espeak", reading=espeak_to_ipa, letters=(*_ESPEAK, *_ESPEAK_IPA)),
    "timit39": SymbolSet("timit39", _fold_labels(pairs_of(_SHARED_LABELS), _TO48, _TO39), caseless=True),
    "timit48": SymbolSet("timit48", _fold_labels(pairs_of(_FINER48), _TO48), caseless=True),
    "timit61": SymbolSet("timit61", pairs_of(_FINER61), caseless=True, closures=CLOSURES),
    "arpabet": SymbolSet("arpabet", pairs_of(_ARPABET), caseless=True, stress_digits=True, closures=CLOSURES),
}

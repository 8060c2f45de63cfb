"""Symbols that a set does not know: what they may be, which other set reads them, and the message that says so."""

import json
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from unicodedata import combining

from phonxling.core.errors import DataError, join_problems, quote
from phonxling.core.features import FeatureTable
from phonxling.core.sequences import Transcript
from phonxling.core.spelling import is_modifier, shown_tone
from phonxling.phones.ipa import decide, join_fates, lacks_letter, segment, segment_words
from phonxling.phones.symbols import (
    BUILT_IN,
    CLOSURES,
    LABELS,
    POSITION,
    SymbolRules,
    SymbolSet,
    is_pause,
    xsampa_to_ipa,
)

MOST_SYMBOLS = 500  # symbols, the most frequent, that are tried: words are many, and each takes a millisecond
_SETS = ("ipa", "arpabet", "timit39", "timit48", "timit61", "xsampa", "espeak", "ipa-joined")  # of equals the first
_PLAIN_WORD = re.compile(r"[A-Za-z]{2,}")  # a label or a word, unlikely to be the spelling of one phone in IPA


@dataclass(frozen=True, slots=True)
class SymbolSetMatch:
    """How one built-in symbol set reads some symbols."""

    name: str
    tried: int
    unknown: tuple[str, ...]
    doubtful: tuple[str, ...]
    merged: tuple[tuple[str, str], ...]


def match_sets(counts: Mapping[str, int], table: FeatureTable) -> list[SymbolSetMatch]:
    """Return how each built-in set reads raw symbols (number of tokens by symbol), the set that fits best first."""
    symbols = _most_frequent(counts)
    spoken = {symbol.lower() for symbol in symbols if not is_pause(symbol)}
    own = next((name for name, labels in LABELS.items() if spoken <= labels), "ipa")
    tried = [_match_set(name, counts, table) for name in _SETS]
    few_words = 2 * len(tried[0].unknown) <= len(symbols)

    # Fewest unknown and doubtful symbols first, then fewest unknown; then fewest symbols that become the same phone as
    # another, a sign that capitals or digits mean something; then the set to which all symbols belong. Any symbols can
    # be read as words of joined IPA, so that this comes last where most are known otherwise.
    def misfit(fit: SymbolSetMatch) -> tuple[bool, int, int, int, bool]:
        doubts, words = len(fit.unknown) + len(fit.doubtful), few_words and fit.name == "ipa-joined"
        return words, doubts, len(fit.unknown), len(fit.merged), fit.name not in {own, "ipa"}

    return sorted(tried, key=misfit)


def match_set(name: str, counts: Mapping[str, int], table: FeatureTable) -> SymbolSetMatch | None:
    """Return how one built-in set reads raw symbols; None when there is no such set to try."""
    return _match_set(name, counts, table) if name in _SETS else None


def _match_set(name: str, counts: Mapping[str, int], table: FeatureTable) -> SymbolSetMatch:
    chosen, rules, symbols = BUILT_IN[name], SymbolRules(), _most_frequent(counts)
    unknown, doubtful, merged, affix = [], [], [], _find_affix(symbols) if chosen.joined else ""
    first: dict[tuple[str, ...], str] = {(): ""}
    for symbol in symbols:
        silent = is_pause(symbol)
        # A language's name would be read as phones.
        whole = silent or not chosen.joined or (affix and affix in symbol)
        fates = [decide(part, chosen, table, rules) for part in ([symbol] if whole else segment(symbol, table))]
        known = [fate for fate in fates if fate is not None]
        if len(known) < len(fates):
            unknown.append(symbol)
            continue
        odd = _PLAIN_WORD.fullmatch(symbol) or (name == "espeak" and symbol.isascii() and not symbol.islower())
        if chosen.ipa is None and odd and not silent:
            doubtful.append(symbol)
        if not silent and symbol.lower() not in CLOSURES:
            twin = first.setdefault(join_fates(known)[0], symbol)
            merged += [(symbol, twin)] if twin != symbol else []
    return SymbolSetMatch(name, len(symbols), tuple(unknown), tuple(doubtful), tuple(merged))


def _most_frequent(counts: Mapping[str, int]) -> list[str]:
    return sorted(counts, key=lambda symbol: -counts[symbol])[:MOST_SYMBOLS]


_PREFIX, _SUFFIX = re.compile(r"[^\W_]{2,5}[:_/|@](?=.)"), re.compile(r"(?<=.)[:_/|@][^\W_]{2,5}$")
_RECURS = 5  # labels, at least


def _find_affix(names: Sequence[str]) -> str:
    # What more than half of all labels begin or end with, as the name of a language: en:ə, ə_en.
    found = Counter(match[0] for form in (_PREFIX.match, _SUFFIX.search) for match in map(form, names) if match)
    return next((affix for affix, number in found.items() if number >= _RECURS and 2 * number > len(names)), "")


# What looks like a letter or a mark of the IPA, and may stand for it or for something else: never folded, only named.
LOOKALIKES = {
    **dict(zip("аеорсухіјѕһԁԛԝөєзӡ", "aeopcyxijshdqwɵɛɜʒ", strict=True)),
    **dict(zip("οινυητκρωδ", "oɩvʋŋtkpɯð", strict=True)),
    **dict(zip("?ɂ!ı∫ß\u0331\u0323\u0328\u0327", "ʔʔǃɪʃβ\u0320\u0329\u0303\u0321", strict=True)),
}
_RULES = SymbolRules()
_SUPERSCRIPTS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


def _guess_meaning(raw: str, symbols: SymbolSet, table: FeatureTable) -> str:
    # What an unknown symbol may be, "" when nothing sensible can be said.
    row = symbols.to_ipa(raw) if symbols.mapped else symbols.row(raw)
    letters = unicodedata.normalize("NFD", raw)
    likely, parts = "".join(LOOKALIKES.get(letter, letter) for letter in letters), segment(raw, table)
    if symbols.mapped and not raw.isascii() and _is_known(raw, table):
        return "IPA already"
    if row is not None:
        return f"mapped to '{row}', which the feature table does not know"
    if symbols.mapped:
        return ""
    if raw.isascii() and raw.isdigit():
        return f"a tone as a symbol of its own? A table says so: {raw}, tab, {raw.translate(_SUPERSCRIPTS)}"
    if raw not in LOOKALIKES and (meant := xsampa_to_ipa(raw)) not in {None, raw} and _is_known(meant or "", table):
        return f"X-SAMPA's {meant}"
    if likely != letters and _is_known(likely, table):
        pairs = {_name_letter(each): _name_letter(LOOKALIKES[each]) for each in letters if each in LOOKALIKES}
        return "; ".join(f"{letter} looks like the IPA's {other}" for letter, other in pairs.items())
    if 1 < len(parts) <= 3 and all(_is_known(part, table) for part in parts) and not raw.isascii():
        return f"several phones? {' '.join(parts)}"
    return _explain_letters(raw, table)


def _explain_letters(raw: str, table: FeatureTable) -> str:
    if lacks_letter(raw):
        return "a mark without its letter" if lacks_letter(raw[0]) else "its tie bar joins no second letter"
    if odd := _odd_marks(raw, table):
        known = unicodedata.normalize("NFC", unicodedata.normalize("NFD", raw).replace(odd[0], ""))
        return f"{known} is known, with {_name_letter(odd[0])} it is not"
    with suppress(ValueError):  # no such bytes: spreadsheets read UTF-8 as Windows-1252
        if _is_known(meant := raw.encode("cp1252").decode(), table) and meant != raw:
            return f"{meant} in UTF-8 that was read as Windows-1252: save its source as UTF-8 anew"
    return ""


def _name_letter(letter: str) -> str:
    name = unicodedata.name(letter, "").lower().removeprefix("combining ")
    return f"{shown_tone(letter)} (U+{ord(letter):04X}, {name})"


def _is_known(symbol: str, table: FeatureTable, symbols: SymbolSet = BUILT_IN["ipa"]) -> bool:
    return decide(symbol, symbols, table, _RULES) is not None


_LETTERS = 40  # of a symbol that are shown
_FEW, _DETAILED, _NAMED = 5, 4, 60  # symbols of a sentence, with a line each, and by name alone
_LARGEST_SHARE = 0.5  # of the symbols: above it the message is that they are something else than phones
_SEPARATORS = "-,;|+._/·–\u200b"
_QUOTES = "\"'“”„«»"
_LONG = 2.5  # letters of a word, on average, from which a text may be in spelling
_PLAIN_WORDS, _IMPLAUSIBLE = 0.95, 0.2  # of its words, at least, that have no letter of the IPA, and that look spelt
_IN_SPELLING = re.compile(r"[A-ZÀ-Þcqxy]|([a-z])\1|[a-z]['’][a-z]")  # capitals, letters that are rare in the IPA, ll
_OWN_TABLE = "a table of your own (symbol, tab, IPA)"
_NO_PHONES = "where they are not phones, unknown: drop leaves them out (unknown: keep makes each a phone of its own; "
_NO_PHONES += "score: --set symbols.unknown=drop)."
_NUMBERS = "They look like the numbers of a symbol table (phones.txt), not like phones. Give"
_TABLE = (
    "a table of them (number, tab, IPA), symbols: phones.tsv{}; or compare them as they are: symbols: raw on both sides"
)
_STATES = "They look like the states of a hidden Markov model, not like phones: write the file with one label per phone"
# What most symbols may be, of posteriors alone or of all: their form, and the message.
_OTHER_THINGS = (
    ("posteriors", r"\d+", f"{_NUMBERS} labels: phones.txt, with the names in the order of the columns."),
    ("", r"\d+", f"{_NUMBERS} {_TABLE}, with alignment: {{{{costs: unit}}}} (score: --symbols raw,raw --costs unit)."),
    ("", r"s[1-9]|.+[_-]s[1-9]|.+\[[1-9]\]", f"{_STATES} (HVite without -f)."),  # s2, aa_s2, sil[2]: of HTK and HTS
)


class UnknownSymbolsError(DataError):
    """Symbols that a set does not know; `best` is what to give instead, "" when it is the right one."""

    def __init__(self, message: str, best: str = "") -> None:
        super().__init__(message)
        self.best = best


@dataclass(frozen=True)
class _UnknownSymbols:
    transcript: Transcript
    symbols: SymbolSet
    table: FeatureTable
    names: Sequence[str]  # that the set does not know, the most frequent first
    counts: Mapping[str, int]  # of all symbols
    side: str
    given: str  # the set's name, without the tables laid over it
    whose: str

    @cached_property
    def best(self) -> SymbolSetMatch:
        return match_sets(self.counts, self.table)[0]

    def share(self, belongs: Callable[[str], object]) -> float:
        """Return the share of the transcript's symbols, silences and boundaries aside, of which this is so."""
        spoken = [each for each in self.counts if not is_pause(each)]
        return sum(bool(belongs(each)) for each in spoken) / max(len(spoken), 1)


# What unknown symbols are, with what was tried and helps; and the set to give, "" where that is none.
_Remedy = tuple[str, str]


def unknown_symbols(
    transcript: Transcript, symbols: SymbolSet, table: FeatureTable, *, codes: Sequence[int], side: str
) -> UnknownSymbolsError:
    """Return the error about the transcript's symbols of these codes; `side` says whose they are, "" where unknown."""
    counts = dict(zip(transcript.symbols, transcript.counts.tolist(), strict=True))
    names = sorted((transcript.symbols[code] for code in codes), key=lambda name: -counts[name])
    whose = f" for {side.partition(',')[0]}" if side else ""
    unknown = _UnknownSymbols(transcript, symbols, table, names, counts, side, symbols.name.partition("+")[0], whose)
    of_side = f" ({side})" if side not in {"", transcript.source} else ""
    own = "" if table.name.startswith("panphon") else f" with the features of {table.name}"
    number = f"{len(codes)} of {len(counts)} symbols {'is' if len(codes) == 1 else 'are'}"
    headline = f"{transcript.source}{of_side}: {number} not known to the symbol set '{symbols.name}'{own}:"
    # From what explains all symbols at once to what explains single ones: the first explanation is the message.
    for read in (_as_other_things, _as_placed, _as_separated, _as_marks_apart, _as_spelling, _as_other_set):
        if (remedy := read(unknown)) is not None:
            first = f"{headline} {_shorten(names)} (first at {transcript.places[min(codes)]})"
            return UnknownSymbolsError(f"{first}\n{remedy[0]}", remedy[1])
    lines = list[str]()
    for raw in names[:_DETAILED]:
        letters = " ".join(f"U+{ord(letter):04X}" for letter in raw[:_LETTERS]) + " …" * (len(raw) > _LETTERS)
        times = "once" if counts[raw] == 1 else f"{counts[raw]} times"
        place = transcript.places[transcript.symbols.index(raw)]
        what = _guess_meaning(raw, symbols, table)
        lines.append(f"{_shorten([raw])}  ({letters}) {times}, first at {place}{'; ' * bool(what)}{what}")
    if rest := names[_DETAILED:]:
        lines.append(f"{len(rest)} more: {_shorten(rest, _NAMED)}")
    if unknown.given not in BUILT_IN or symbols.over:
        last = f"Add them to {symbols.name.rpartition('+')[2]} (symbol, tab, IPA); {_NO_PHONES}"
        return UnknownSymbolsError(join_problems(headline, lines, last))
    last = f"Give their IPA in {_OWN_TABLE}, extra.tsv, and set symbols: [{unknown.given}, extra.tsv]{unknown.whose}; "
    return UnknownSymbolsError(join_problems(headline, lines, last + _NO_PHONES), f"{unknown.given}+extra.tsv")


def _shorten(names: Sequence[str], most: int = _FEW) -> str:
    return " ".join(quote(shown_tone(name), _LETTERS) for name in names[:most]) + " …" * (len(names) > most)


def _as_other_things(unknown: _UnknownSymbols) -> _Remedy | None:
    for side, form, text in _OTHER_THINGS:
        if unknown.side.startswith(side) and unknown.share(re.compile(form).fullmatch) > _LARGEST_SHARE:
            return text.format(unknown.whose), ""
    return None


def _as_placed(unknown: _UnknownSymbols) -> _Remedy | None:
    marked = [name for name in unknown.names if POSITION.search(name)]
    if len(marked) <= _LARGEST_SHARE * len(unknown.names):
        return None
    bare, best = dict.fromkeys((POSITION.sub("", name) for name in marked), 1), ""
    if not all(_is_known(name, unknown.table, unknown.symbols) for name in bare):
        fit = match_sets(bare, unknown.table)[0]
        best = fit.name
        if 2 * len(fit.unknown) > len(bare):
            return None
    text = f"{len(marked)} end in Kaldi's marks of the place in a word (_B _I _E _S): set position_marks: strip"
    text += f"{f' and symbols: {best}' * bool(best)}{unknown.whose}"
    return f"{text} (for score: --set symbols.position_marks=strip).", best


def _as_separated(unknown: _UnknownSymbols) -> _Remedy | None:
    tried = [name.strip(_QUOTES) for name in unknown.names[:MOST_SYMBOLS]]
    if (affix := _find_affix(tried)) and unknown.given in BUILT_IN and not unknown.symbols.over:
        best = match_sets(dict.fromkeys((name.replace(affix, "") for name in tried), 1), unknown.table)[0].name
        text = f"Labels {'end' if affix[-1].isalnum() else 'begin'} with {affix}, as in {quote(tried[0], _LETTERS)}"
        how = f", and set symbols: {best}{unknown.whose}" * (best != unknown.given)
        return f"{text}: write them without it{how}.", ""
    spaced = [name for name in tried if " " in name]
    if 2 * len(spaced) > len(tried):
        text = f"Labels hold several phones, with spaces between them (as in {quote(spaced[0], _LETTERS)}): "
        if unknown.given == "ipa" and all(_is_known(part, unknown.table) for name in tried for part in name.split()):
            return f"{text}set symbols: ipa-joined{unknown.whose}, which separates them.", "ipa-joined"
        return f"{text}write one phone into each label.", ""
    for mark in _SEPARATORS:
        words = [name for name in tried if mark in name]
        if unknown.share(re.compile(re.escape(mark)).search) <= _LARGEST_SHARE or 2 * len(words) <= len(tried):
            continue
        parts = dict.fromkeys((part for word in words for part in word.split(mark) if part), 1)
        text = f"Phones are separated by {mark} (as in {quote(words[0], _LETTERS)}): write spaces in its place"
        if unknown.given == "ipa" and not _match_set("ipa-joined", dict.fromkeys(words, 1), unknown.table).unknown:
            if all(_is_known(part, unknown.table) for part in parts):
                return f"{text}, or set symbols: ipa-joined{unknown.whose}.", "ipa-joined"
            syllables = f"They look like words of IPA with {mark} between syllables, as in {quote(words[0], _LETTERS)}"
            return f"{syllables}: set symbols: ipa-joined{unknown.whose}.", "ipa-joined"
        if all(_is_known(part, unknown.table, unknown.symbols) for part in parts):
            return f"{text}.", ""
        if not (fit := match_sets(parts, unknown.table)[0]).unknown and fit.name != "ipa-joined":
            return f"{text}, and set symbols: {fit.name}{unknown.whose}.", ""
    return None


def _as_marks_apart(unknown: _UnknownSymbols) -> _Remedy | None:
    transcript, joined_ipa = unknown.transcript, BUILT_IN["ipa-joined"]
    apart = [name for name in unknown.names if lacks_letter(name)]
    # Where each code point is a token, t ʰ stands for tʰ; above half of the unknown symbols it is no slip.
    if unknown.given != "ipa" or len(apart) <= _LARGEST_SHARE * len(unknown.names):
        return None
    if unknown.side.startswith("posteriors"):  # a column has no neighbour: only what is decoded can be joined
        parts = f"marks or letters to be tied ({_shorten(apart)}), not whole phones"
        text = f"Columns are {parts}, so phones have no posteriors."
        how = " Decode with phonxling decode --symbols ipa-joined, and give the phones as predicted."
        return text + how * (len(apart) == len(unknown.names) < len(unknown.counts)), ""
    offsets = transcript.offsets[: MOST_SYMBOLS + 1]  # of the first utterances
    first = Transcript(
        utterances=transcript.utterances[:MOST_SYMBOLS],
        offsets=offsets,
        codes=transcript.codes[: offsets[-1]],
        symbols=transcript.symbols,
        places=transcript.places,
    )
    whole = segment_words(first, unknown.table, "own")
    left = [name for name in whole.symbols if not _is_known(name, unknown.table, joined_ipa)]
    if len(left) >= len(unknown.names):
        return None
    text = f"Marks stand apart from their letters: set symbols: ipa-joined{unknown.whose}, which joins them"
    return f"{text}{f', but for {_shorten(left)}' * bool(left)}.", "ipa-joined"


def _as_spelling(unknown: _UnknownSymbols) -> _Remedy | None:
    # Words in plain spelling: of ASCII, and with letters that hardly stand so in words of IPA.
    words, best = [name for name in unknown.names[:MOST_SYMBOLS] if len(name) > 1], unknown.best
    labels = unknown.symbols.over or unknown.given not in BUILT_IN or not (best.unknown or best.doubtful)
    few = unknown.share({*unknown.names}.__contains__) <= _LARGEST_SHARE
    if labels or few or sum(map(len, words)) <= _LONG * len(words):
        return None
    plain = []
    for word in words:  # without a letter of the IPA's own: a to z are any alphabet's
        own = (each for each in unicodedata.normalize("NFD", word) if not each.isascii() and not combining(each))
        plain += [] if any(each in "ːˈˌ" or _is_known(each, unknown.table) for each in own) else [word]
    implausible = sum(
        _IN_SPELLING.search(word) is not None
        or any(each.isalpha() and not _is_known(each, unknown.table) for each in unicodedata.normalize("NFC", word))
        for word in plain
    )
    if len(plain) < _PLAIN_WORDS * len(words) or implausible < _IMPLAUSIBLE * len(words):
        return None
    text = "They look like words in spelling, not like phones: turn them into phones first"
    return f"{text}, with a tool such as espeak-ng or Epitran.", ""


def _as_other_set(unknown: _UnknownSymbols) -> _Remedy | None:
    best, names, table = unknown.best, unknown.names, unknown.table
    # X-SAMPA has small letters, too, for most consonants, and labels such as AH have a set of their own.
    others = unknown.given == "ipa" and best.name not in LABELS
    capitals = others and unknown.share(lambda name: name == name.upper()) == 1
    if capitals and all(_is_known(name.lower(), table) for name in names):
        return f"They are in capitals: set case: fold{unknown.whose} (for score: --set symbols.case=fold).", ""
    doubts = 0 if best.name == "ipa-joined" else len(best.doubtful)
    if best.name == unknown.given or 2 * (len(best.unknown) + doubts) > min(len(names), best.tried):
        return None
    # Digits read as X-SAMPA vowels, and a mark that this table lacks is still IPA: neither speaks for another set.
    tones = all(map(str.isdecimal, names))
    odd = (any(not mark.isascii() for mark in _odd_marks(name, table)) for name in names[:MOST_SYMBOLS])
    if unknown.given == "ipa" and (tones or all(odd)):
        return None
    how = f"set symbols: {best.name}{unknown.whose}"
    if best.name == "ipa-joined":
        example = next((name for name in names if len(segment(name, table)) > 1), names[0])
        read = f"as in {quote(example, _LETTERS)} → {' '.join(segment(example[:_LETTERS], table))}"
        return f"They look like words of IPA without spaces, {read}: {how}.", best.name
    if not best.unknown:
        return f"All {best.tried} are {best.name}: {how}.", best.name
    rest = f"for the others ({_shorten(best.unknown)}), {_OWN_TABLE} over it: symbols: [{best.name}, extra.tsv]"
    return f"{best.tried - len(best.unknown)} of {best.tried} are {best.name}: {how}; {rest}.", best.name


def _odd_marks(name: str, table: FeatureTable) -> list[str]:
    # The marks with which a symbol is not known, without which it is; none where that is not so.
    letters = unicodedata.normalize("NFD", name)
    marks = [each for each in dict.fromkeys(letters[1:]) if combining(each) or is_modifier(each)]
    marks += [each for each in dict.fromkeys(letters) if unicodedata.category(each) == "Cf"]  # a zero-width joiner
    odd = [mark for mark in marks if _is_known(letters.replace(mark, ""), table)]
    bare = "".join(each for each in letters if each not in marks)
    return odd or (marks if marks and bare and _is_known(bare, table) else [])


def join_sides(errors: Mapping[str, UnknownSymbolsError], sets: Mapping[str, str], *, for_score: bool) -> DataError:
    """Return one error for both sides of a corpus, of which `sets` are given, with what to give instead by `score`."""
    lines = [*map(str, errors.values())]
    better = {side: errors[side].best if side in errors else name for side, name in sets.items()}
    if len(errors) > 1 and [*better.values()] == [*sets.values()][::-1]:
        lines.append("Each side fits the other's symbol set: were gold and predicted swapped?")
    elif for_score and all(better.values()) and better != sets:  # those of another side are no option of `score`
        pair = ", ".join(json.dumps(name if "+" not in name else name.split("+")) for name in better.values())
        lines.append(f"For score: --symbols {','.join(better.values())}; in Python: symbols=({pair})")
    return DataError("\n".join(lines))

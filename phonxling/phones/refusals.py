"""The message about symbols that a set does not know: which, where, and the set or the table to give instead."""

import json
import unicodedata
from collections.abc import Mapping, Sequence

from phonxling.core.arrays import Codes
from phonxling.core.errors import DataError, join_problems, shown
from phonxling.core.features import FeatureTable
from phonxling.core.sequences import Transcript
from phonxling.core.tone import shown_tone
from phonxling.phones.deciding import Fit, decide, fits
from phonxling.phones.maps import BUILT_IN, SymbolSet, xsampa_to_ipa
from phonxling.phones.rules import POSITION, SymbolRules
from phonxling.phones.segment import segment

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
_TABLE = "a table of your own (symbol, tab, IPA)"


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
    last = "where they are no phones, unknown: drop leaves them out (unknown: keep makes each a phone of its own)"
    if given in BUILT_IN and not symbols.over:
        remedy = f"Give their IPA in {_TABLE}, extra.tsv, and set symbols: [{given}, extra.tsv]{whose}; {last}."
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
    remedy = f"set position_marks: strip{f' and symbols: {other}' * bool(other)}{whose} (score: --position-marks strip)"
    return f"{text}\n{len(marked)} end in Kaldi's marks of the place in a word (_B _I _E _S): {remedy}.", other


def _other_set(best: Fit, table: FeatureTable, names: Sequence[str], whose: str) -> str:
    """Return the sentence that names the set which knows all of the symbols, or most."""
    if best.name == "ipa-joined":
        example = next((name for name in names if len(segment(name, table)) > 1), names[0])
        spelling = " If they are spelling rather than IPA, write them as phones first." if best.doubtful else ""
        read = f"as in {shown(example, _LETTERS)} → {' '.join(segment(example[:_LETTERS], table))}"
        return f"They look like words of IPA without spaces, {read}: set symbols: ipa-joined{whose}.{spelling}"
    known = best.tried - len(best.unknown)
    if not best.unknown:
        return f"All {known} are {best.name}: set symbols: {best.name}{whose}."
    rest = f"for the others ({_some(best.unknown)}), {_TABLE} over it: symbols: [{best.name}, extra.tsv]"
    return f"{known} of {best.tried} are {best.name}: set symbols: {best.name}{whose}; {rest}."

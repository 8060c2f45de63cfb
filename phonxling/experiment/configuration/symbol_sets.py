"""Symbol sets by name, and users' own: a table alone, or laid over another set."""

from collections.abc import Sequence
from pathlib import Path
from unicodedata import combining

from phonxling.core.errors import ConfigurationError
from phonxling.core.phonology.features import FeatureTable
from phonxling.load.resources.features import panphon_features
from phonxling.load.resources.maps import load_symbol_map
from phonxling.phones.deciding import decide
from phonxling.phones.lookalikes import LETTERS
from phonxling.phones.maps import BUILT_IN, SILENCE, SymbolSet
from phonxling.phones.rules import SymbolRules
from phonxling.phones.xsampa import TABLE as XSAMPA
from phonxling.settings.files import SymbolFile
from phonxling.settings.models import Experiment


def symbol_set(names: str | Sequence[str]) -> SymbolSet:
    """Return a built-in symbol set by name, or a user's from a TSV; of several, each lies over those before it.

    ConfigurationError for a name that is neither, and for a built-in set that is not the first.
    """
    first, *tables = (names,) if isinstance(names, str) else names
    chosen = _one_set(first)
    for number, table in enumerate(tables, 2):
        if not _is_path(table) or chosen.raw:
            msg = f"symbols: '{table}' is no table that can be laid over '{first}'"
            raise ConfigurationError(f"{msg}; give a set, then paths of tables: [timit61, extra.tsv]")
        chosen = chosen.extended(symbols_name([first, *tables][:number]), load_symbol_map(Path(table)))
    return chosen


def _one_set(name: str) -> SymbolSet:
    if name in BUILT_IN:
        return BUILT_IN[name]
    if _is_path(name):
        return SymbolSet(Path(name).name, load_symbol_map(Path(name)))
    msg = f"no symbol set is called '{name}'; there are: {', '.join(BUILT_IN)}, or the path of a TSV (symbol, ipa)"
    raise ConfigurationError(msg)


def symbols_name(names: Sequence[str]) -> str:
    """Return how signatures and messages call a set and the tables laid over it.

    Examples
    --------
    >>> symbols_name(["timit61", "my/extra.tsv"])
    'timit61+extra.tsv'
    """
    return "+".join(Path(name).name for name in names)


def rules_of(file: SymbolFile, experiment: Experiment) -> SymbolRules:
    """Return how the symbols of a file become phones; `tone_levels: auto` is three until a corpus settles it."""
    chosen = experiment.symbols.of(file)
    levels = "three" if chosen.tone_levels == "auto" else chosen.tone_levels
    return SymbolRules(chosen.unknown, chosen.tone, chosen.silence, chosen.closures, levels, chosen.diphthongs)


def _is_path(name: str) -> bool:
    return "." in name or "/" in name


_ABOUT = {
    "ipa": "the IPA, a phone a symbol, however it is spelt",
    "ipa-joined": "words of the IPA without spaces between the phones",
    "xsampa": "X-SAMPA (Wells 1995)",
    "arpabet": "ARPAbet, as in the CMU dictionary; stress digits come off",
    "timit61": "TIMIT's transcriptions; closures merge with their releases",
    "timit48": "TIMIT, folded to 48 classes (Lee & Hon 1989)",
    "timit39": "TIMIT, folded to 39 classes (Lee & Hon 1989)",
    "raw": "any symbols, compared as they stand",
}


def described_sets() -> list[tuple[str, str]]:
    """Return the built-in symbol sets, each with what it is, under a header."""
    return [("set", "what it is"), *_ABOUT.items()]


def symbol_rows(names: str | Sequence[str]) -> list[tuple[str, str, str]]:
    """Return a symbol set as rows: each symbol, the phones that it stands for, and what kind it is; a header first.

    The kinds are `phone`, `tone`, `closure` (with the phone that it counts as when no release follows), `silence`,
    `dropped`, `look-alike` (of a letter of the IPA) and `mark` (of the letter before it).

    ConfigurationError for a set that there is not, and for `raw`, which has no symbols of its own.
    """
    chosen, table = symbol_set(names), panphon_features()
    if chosen.raw:
        raise ConfigurationError("raw symbols are compared as they stand, so there is no table of them")
    listed = [*chosen.ipa] if chosen.ipa else [*XSAMPA] if chosen.reading else [*table.segments, *LETTERS]
    symbols = dict.fromkeys([*chosen.over, *listed, *chosen.closures, *sorted(SILENCE - {""})])
    return [("symbol", "ipa", "kind"), *(_row(symbol, chosen, table) for symbol in symbols)]


def _row(symbol: str, chosen: SymbolSet, table: FeatureTable) -> tuple[str, str, str]:
    fate = decide(symbol, chosen, table, SymbolRules())
    own = chosen.row(symbol)
    if fate is None:  # it is none alone
        ipa = own or (XSAMPA if chosen.reading else LETTERS).get(symbol, symbol)
        return symbol, "".join(f"◌{one}" if combining(one) else one for one in ipa), "mark"
    if fate.tone and not fate.phones:
        return symbol, fate.shown, "tone"
    if not fate.phones:
        return symbol, "", fate.action
    alike = not chosen.mapped and own is None and symbol in LETTERS
    return symbol, fate.shown, "closure" if symbol in chosen.closures else "look-alike" if alike else "phone"

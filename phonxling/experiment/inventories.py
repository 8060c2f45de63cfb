"""Symbol sets by name, or users' own; and the inventories that corpora declare of their recognisers, read with these.

A user's set is a table alone, or tables laid over another set. An inventory is what a recogniser can predict: a
built-in set of labels, a list, or a file, read with the symbol set and the rules of the predictions, or else as IPA.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from unicodedata import combining

from phonxling.analyses.loaded import features_of
from phonxling.core.errors import ConfigurationError, DataError, join_problems, shown
from phonxling.core.features import FeatureTable
from phonxling.core.inventory import SILENCE_PHONE, Inventory
from phonxling.load.resources import load_symbol_map, panphon_features
from phonxling.load.text import read_lines
from phonxling.phones.ipa import LETTERS
from phonxling.phones.normalise import decide, normalise, one_token_each
from phonxling.phones.pairing import some
from phonxling.phones.symbols import BUILT_IN, LABELS, RARE, SILENCE, TABLE as XSAMPA, SymbolRules, SymbolSet
from phonxling.settings.files import Corpus, SymbolFile
from phonxling.settings.models import Experiment

_SHOWN = 20  # phones of a message
_ABOUT = {
    "ipa": "the IPA, a phone a symbol, however it is spelt",
    "ipa-joined": "words of the IPA without spaces between the phones",
    "ipa-panphon": "the same, cut as panphon does (ipa_segs, word_fts)",
    "ipa-ipatok": "the same, cut as ipatok does (tokenise)",
    "xsampa": "X-SAMPA (Wells 1995)",
    "arpabet": "ARPAbet, as in the CMU dictionary; stress digits come off",
    "timit61": "TIMIT's transcriptions; closures merge with their releases",
    "timit48": "TIMIT, folded to 48 classes (Lee & Hon 1989)",
    "timit39": "TIMIT, folded to 39 classes (Lee & Hon 1989)",
    "espeak": "espeak-ng's phonemes, as phonemizer and wav2vec2-lv-60-espeak-cv-ft write them",
    "raw": "any symbols, compared as they stand",
}


def symbol_set(names: str | Sequence[str]) -> SymbolSet:
    """Return a built-in symbol set by name, or a user's from a TSV; of several, each lies over those before it."""
    first, *tables = (names,) if isinstance(names, str) else names
    if first not in BUILT_IN and not _is_path(first):
        known = f"{', '.join(BUILT_IN)}, or the path of a TSV (symbol, ipa)"
        raise ConfigurationError(f"no symbol set is called '{first}'; there are: {known}")
    chosen = BUILT_IN.get(first) or SymbolSet(Path(first).name, load_symbol_map(Path(first)))
    for number, table in enumerate(tables, 2):
        if not _is_path(table) or chosen.raw:
            msg = f"symbols: '{table}' is no table that can be laid over '{first}'"
            raise ConfigurationError(f"{msg}; give a set, then paths of tables: [timit61, extra.tsv]")
        chosen = chosen.extended(symbols_name([first, *tables][:number]), load_symbol_map(Path(table)))
    return chosen


def symbols_name(names: Sequence[str]) -> str:
    return "+".join(Path(name).name for name in names)


def rules_of(file: SymbolFile, experiment: Experiment) -> SymbolRules:
    chosen = experiment.symbols.of(file)
    levels = "three" if chosen.tone_levels == "auto" else chosen.tone_levels
    return SymbolRules(**{name: getattr(chosen, name) for name in SymbolRules.__slots__} | {"tone_levels": levels})


def symbol_parts(settings: Corpus, experiment: Experiment) -> dict[str, str]:
    files = [file for file in (settings.gold, settings.predicted or settings.posteriors) if file is not None]
    rules = [rules_of(file, experiment) for file in files]
    shared = {key: dict.fromkeys(str(getattr(rule, key)) for rule in rules) for key in SymbolRules.__slots__}
    usual = {key: {getattr(SymbolRules(), key)} for key in RARE}  # said only where they are not as usual
    shared = {key: values for key, values in shared.items() if values.keys() != usual.get(key)}
    names = ",".join(symbols_name(file.symbol_names) for file in files)
    return {"sym": names, **{key: ",".join(values) for key, values in shared.items()}}


def _is_path(name: str) -> bool:
    return "." in name or "/" in name


def described_sets() -> list[tuple[str, str]]:
    return [("set", "what it is"), *_ABOUT.items()]


def symbol_rows(names: str | Sequence[str]) -> list[tuple[str, str, str]]:
    """Return a symbol set as rows: each symbol, the phones that it stands for, and what kind it is; a header first."""
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


def declared_inventory(name: str, settings: Corpus, experiment: Experiment) -> Inventory | None:
    own = settings.recogniser
    if own is None:
        return None
    if own.inventory is not None:
        return _read(name, settings, experiment)
    alike = _declaring(experiment).get(own.name or "", [])
    return _read(alike[0], experiment.corpora[alike[0]], experiment) if alike else None


def refuse_contradictions(experiment: Experiment) -> None:
    for recogniser, (first, *others) in _declaring(experiment).items():
        for other in others:
            given = [experiment.corpora[name].recogniser for name in (first, other)]
            one, two = (_read(name, experiment.corpora[name], experiment) for name in (first, other))
            apart = sorted({*one} ^ {*two})
            if apart and given[0] != given[1]:
                msg = f"{_place(other, experiment)}: another inventory of {recogniser} than {first} declares"
                raise ConfigurationError(f"{msg}; the two differ in {some(apart, _SHOWN)}: declare it once")


def _declaring(experiment: Experiment) -> Mapping[str, list[str]]:
    found: dict[str, list[str]] = {}
    for name, corpus in experiment.corpora.items():
        one = corpus.recogniser
        if one is not None and one.name and one.inventory is not None:
            found.setdefault(one.name, []).append(name)
    return found


def _place(corpus: str, experiment: Experiment) -> str:
    """Return where an inventory is declared: in a configuration, or by the argument of that name of a score."""
    return "inventory" if experiment.folder is None else f"corpora.{corpus}.recogniser.inventory"


def _read(name: str, settings: Corpus, experiment: Experiment) -> Inventory:
    heard = settings.predicted or settings.posteriors
    if settings.recogniser is None or heard is None:
        raise AssertionError(f"{name} has predictions, and an inventory")
    given, rules, place = settings.recogniser.inventory, rules_of(heard, experiment), _place(name, experiment)
    own = BUILT_IN["ipa"] if (named := symbol_set(heard.symbol_names)).joined else named
    sets = (own,) if own.raw else (own, BUILT_IN["ipa"])
    if isinstance(given, str):
        read_as_is = own.raw or given == heard.symbol_names[0]
        sets = (own,) if read_as_is else (BUILT_IN[given],)
        labels = dict.fromkeys(sorted(LABELS[given] | (set() if own.raw else {SILENCE_PHONE})), place)
    elif isinstance(given, tuple):
        labels = {label: f"{place}.{number}" for number, label in enumerate(given)}
    elif given is not None:
        rows = {text.strip(): f"{given}:{line}" for line, text in read_lines(given)}
        labels = rows
        if any("\t" in row for row in rows):
            sets = (SymbolSet(given.name, load_symbol_map(given)),)
            places = {row.partition("\t")[0].strip(): place for row, place in rows.items()}
            labels = {symbol: places.get(symbol, str(given)) for symbol in sets[0].ipa or {}}
    alone = replace(one_token_each("inventory", [*labels]), places=tuple(labels.values()))  # no closure has a release
    phones, _ = normalise(alone, _fitting(labels, sets, rules, experiment), features_of(experiment), rules)
    if not len(phones.inventory):
        raise ConfigurationError(f"{place}: the inventory has no phone")
    return phones.inventory


def _fitting(
    labels: Mapping[str, str], sets: tuple[SymbolSet, ...], rules: SymbolRules, experiment: Experiment
) -> SymbolSet:
    """Return the first of the sets that knows all labels; DataError with those that none knows, and their places."""
    table = features_of(experiment)
    unknown = [[label for label in labels if decide(label, each, table, rules) is None] for each in sets]
    known = next((each for each, missing in zip(sets, unknown, strict=True) if not missing), None)
    if known is not None or rules.unknown != "error":
        return known or sets[0]
    fewest = min(unknown, key=len)
    names = " or ".join(dict.fromkeys(f"'{each.name}'" for each in sets))
    number = f"{len(fewest)} of {len(labels)} phones of the inventory {'is' if len(fewest) == 1 else 'are'} not"
    each = [f"{labels[label]}: {shown(label)}" for label in fewest]
    raise DataError(join_problems(f"{number} known to the symbol set {names}:", each))


def refuse_others(declared: Inventory, predicted: Mapping[str, int], name: str, experiment: Experiment) -> None:
    """Raise DataError when phones were predicted, each so often, that a declared inventory lacks."""
    others = {phone: count for phone, count in predicted.items() if phone not in declared}
    if others:
        tokens = [f"{phone} ({others[phone]:,})" for phone in sorted(others, key=lambda phone: (-others[phone], phone))]
        number = f"{len(others)} predicted phone{'s are' if len(others) > 1 else ' is'}"
        msg = f"{_place(name, experiment)}: {number} outside the declared inventory of {len(declared)}"
        remedy = "add what the recogniser can say, or map its symbols (docs/symbols.md)"
        raise DataError(f"{msg}: {some(tokens, _SHOWN)}; {remedy}")

"""One corpus of an experiment as it was loaded, and what a user should know of its data.

That is what was left out, read one way of several, or kept on request, and what is suspicious where nothing is wrong.
"""

import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

from phonxling.configuration.files import Corpus as CorpusSettings
from phonxling.configuration.models import Confidence, Expected, Experiment
from phonxling.core.errors import ConfigurationError, DataError
from phonxling.core.features import FeatureTable
from phonxling.core.inventory import Inventory
from phonxling.core.posteriorgram import Posteriorgrams
from phonxling.core.sequences import AuditRow, Corpus, PhoneSequences, SymbolAudit, Transcript
from phonxling.core.spelling import ACCENTS, DIGITS, PITCHES, fold_letters, shown_tone, split_tone
from phonxling.load.resources import (
    Base,
    Language,
    Release,
    load_features,
    load_languages,
    load_symbol_map,
    panphon_features,
    rows_of,
)
from phonxling.load.text import is_file
from phonxling.phones.pairing import shorten
from phonxling.phones.symbols import UNKNOWN
from phonxling.phones.unknown import match_set, match_sets

SIDES = ("gold", "predicted")
_SETTING = "symbols: {silence: keep}"
_KINDS = 5  # silences that are named
_FEW_TOKENS = 20  # ids that a note names in a terminal; tables have them all
_LONGER = 2.0  # times as many phones predicted as gold, or as few
_FOLDING = {"timit39", "timit48"}


@dataclass(frozen=True, eq=False, kw_only=True)
class LoadedCorpus:
    name: str
    role: str = "target"
    recogniser: str | None = None
    inventory: Inventory | None = None
    gold: PhoneSequences
    corpus: Corpus | None
    people: Corpus | None = None
    canonical: PhoneSequences | None = None
    groups: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    posteriorgrams: Posteriorgrams | None = None
    segments: PhoneSequences | None = None
    forced: bool = False
    audits: Mapping[str, SymbolAudit] = field(default_factory=dict)
    symbols: Mapping[str, str] = field(default_factory=lambda: {"sym": "ipa,ipa", "tone": "tier"})
    untied: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    decoded: Transcript | None = None
    decoder: str = ""
    language: Language | None = None

    @property
    def raw(self) -> bool:
        """Whether a side's symbols are compared as they stand, and so have no features."""
        return "raw" in self.symbols["sym"].split(",")


def refusal(target: LoadedCorpus, reference: LoadedCorpus | None, settings: Expected) -> str:
    """Return why nothing can be expected for a target, "" when it can."""
    if reference is None:
        return "no corpus has the role reference"
    if reference.corpus is None:
        return f"the reference {reference.name} has no predictions"
    if target.recogniser == reference.recogniser or settings.allow_other_recogniser:
        return ""
    names = f"{target.recogniser or 'not named'} here, {reference.recogniser or 'not named'} in {reference.name}"
    allow = "allow with expected: {allow_other_recogniser: true}"
    return f"another recogniser than that of the reference ({names}); {allow}"


def recogniser_note(target: str | None, reference: str | None) -> str:
    """Return the warning to put beside numbers that compare two recognisers, "" when it is one."""
    if target == reference:
        return ""
    return f"another recogniser: {target or 'not named'}, reference {reference or 'not named'}"


class RecogniserInventory(NamedTuple):
    """The phones that a recogniser can predict, and why they may not be all, "" where they are declared."""

    phones: Inventory
    missing: str


def languages_of(experiment: Experiment) -> dict[str, Language]:
    """Return what the table of languages says of each corpus; DataError for corpora of which it says nothing."""
    if experiment.languages is None:
        return {}
    codes = {name: settings.language for name, settings in experiment.corpora.items()}
    return rows_of(experiment.languages, load_languages(experiment.languages), codes)


def read_map(columns: Inventory, settings: Confidence) -> Mapping[str, str]:
    """Return the recogniser's phone of each gold phone that the user's map names; DataError for one that it lacks."""
    path = settings.map
    given = {} if path is None else load_symbol_map(path)
    phone_map = {gold: unicodedata.normalize("NFC", own) for gold, own in given.items()}
    foreign = sorted({own for own in phone_map.values() if own and own not in columns})
    if foreign:
        raise DataError(f"{path}: the recogniser has no phone {' '.join(foreign)}; it has {' '.join(columns)}")
    return phone_map


def features_of(experiment: Experiment) -> FeatureTable:
    """Return the feature table, panphon's or the user's, that an experiment's costs and rules of symbols rest on."""
    chosen = experiment.features
    if chosen.path is None:
        if chosen.base == "none":
            raise ConfigurationError("features: base none leaves no feature table; give its path")
        return panphon_features(chosen.table)
    state = chosen.path.stat() if is_file(chosen.path) else None
    when = None if state is None else (state.st_mtime_ns, state.st_size)
    return _load_features(chosen.path, chosen.base, chosen.table, when)


@lru_cache(maxsize=4)
def _load_features(path: Path, base: Base, table: Release, _: tuple[int, int] | None) -> FeatureTable:
    return load_features(path, base, table)


def corpus_notes(
    corpus: Corpus | None,
    untied: Sequence[str],
    audits: Mapping[str, SymbolAudit],
    settings: CorpusSettings,
    experiment: Experiment,
) -> tuple[str, ...]:
    """Return the notes on one corpus, each a clause; `untied` are ids that posteriors or segments alone have."""
    rows = [(side, row.raw, row.action, row.count) for side, audit in audits.items() for row in audit]
    # Data in memory have the settings of a command.
    setting = "--set symbols.silence=keep" if experiment.folder is None else _SETTING
    notes = []
    if corpus is not None:
        if silent := _without_phones(corpus.gold):
            many = _format_number(len(silent))
            notes.append(f"no gold phone, and so no rate of its own, in {many}: {shorten(silent)}")
        notes += [unpaired_note(corpus.unpaired, most=_FEW_TOKENS), _prompt_note(corpus, experiment)]
    notes += [silence_note(rows, setting), boundary_note(rows), unpaired_note(untied, " with posteriors", _FEW_TOKENS)]
    files = [file for file in (settings.gold, settings.predicted) if file is not None]
    marks = {mark for _, raw, *_ in rows for mark in split_tone(raw)[1]}
    has_tones = any(file.symbols != "raw" and experiment.symbols.of(file).tone != "strip" for file in files)
    # Five levels of letters beside three of accents would make two tones of one.
    if has_tones and marks & set(ACCENTS) and marks & set(PITCHES):
        levels = experiment.symbols.tone_levels
        reading = "á ˥, ā ˧, à ˩" if levels == "three" else "a̋ ˥, á ˦, ā ˧, à ˨, ȁ ˩"
        notes.append(f"tone is written in accents and in letters; accents are read in {levels} levels ({reading})")
    return tuple(filter(None, [*notes, *_symbol_notes(audits, features_of(experiment))]))


def _prompt_note(corpus: Corpus, experiment: Experiment) -> str:
    """Return how many utterances are of prompts that several speakers read, where half are; "" where prompts count."""
    numbers, uncertain = corpus.speaker_numbers, experiment.uncertainty
    if numbers is None or uncertain.cluster == "utterance" or uncertain.prompts == "drawn":
        return ""
    pairs = np.unique(np.stack([corpus.prompt_numbers, numbers]), axis=1)
    shared = int((np.bincount(pairs[0])[corpus.prompt_numbers] > 1).sum())
    if 2 * shared < len(numbers):
        return ""
    return (
        f"{shared:,} of {len(numbers):,} utterances are prompts that several speakers read: intervals are of these "
        "prompts; uncertainty: {prompts: drawn} makes them of other prompts, too"
    )


def silence_note(rows: Iterable[tuple[str, str, str, int]], setting: str = _SETTING) -> str:
    """Return how many symbols are left out as silence, as what, and what counts them; "" where none are."""
    left_out = _left_out(rows, "silence")
    return f"{left_out} left out as silence; {setting} counts them" if left_out else ""


def boundary_note(rows: Sequence[tuple[str, str, str, int]]) -> str:
    """Return how many symbols are left out as boundaries and specials, and how many hide a phone; "" where none are."""
    if not (left_out := _left_out(rows, "boundary")):
        return ""
    hidden = sum(count for _, raw, action, count in rows if action == "boundary" and raw.lower() in UNKNOWN)
    more = f", and {hidden:,} of them (<unk>) each stand for an unknown sound" if hidden else ""
    return f"{left_out} left out, because boundaries and a recogniser's specials are not phones{more}"


def _left_out(rows: Iterable[tuple[str, str, str, int]], reason: str) -> str:
    """Return how many symbols of each side are left out by this action, which, and the verb; "" where none are."""
    totals, gone, parts = Counter[str](), {side: Counter[str]() for side in SIDES}, []
    for side, raw, action, count in rows:
        totals[side] += count
        if action == reason and side in gone:
            gone[side][raw or "(empty)"] += count
    for side, own in gone.items():
        if own:
            named = [f"{raw} {count:,}" for raw, count in own.most_common(_KINDS)] if len(own) > 1 else [*own]
            named += [f"{len(own) - _KINDS} more"] if len(own) > _KINDS else []
            symbols = "symbol" if totals[side] == 1 else "symbols"
            parts.append(f"{own.total():,} of {totals[side]:,} {side} {symbols} ({', '.join(named)})")
    verb = "is" if sum(own.total() for own in gone.values()) == 1 else "are"
    return f"{' and '.join(parts)} {verb}" if parts else ""


def decoded_notes(decoded: Transcript, decoder: str) -> Iterator[str]:
    """Yield that predictions were decoded from posteriors, and in which utterances nothing was."""
    yield f"no predictions are given; they were decoded from the posteriors ({decoder})"
    if silent := _without_phones(decoded):
        yield f"no phone was decoded in {_format_number(len(silent))}: {shorten(silent)}"


def unpaired_note(ids: Sequence[str], what: str = "", most: int | None = None) -> str:
    """Return which utterances were left out because one side alone has them, the first so many; "" when none were."""
    named = shorten(ids, len(ids) if most is None else most)
    return f"left out as unpaired{what}, {_format_number(len(ids))}: {named}" if ids else ""


def _without_phones(side: PhoneSequences | Transcript) -> list[str]:
    return [side.utterances[place] for place in (side.lengths == 0).nonzero()[0]]


def _format_number(many: int, of: str = "utterance") -> str:
    return f"one {of}" if many == 1 else f"{many} {of}s"


def _symbol_notes(audits: Mapping[str, SymbolAudit], table: FeatureTable) -> Iterator[str]:
    """Yield accents and digits read as tone where it hardly stands (ś; s2, a state); then unknown symbols."""

    def is_toned_obstruent(row: AuditRow) -> bool:
        segment = split_tone(row.symbol.split()[0])[0] if row.symbol else ""
        marks = split_tone(fold_letters(unicodedata.normalize("NFD", row.raw)))[1]  # the caron of š is none: it is ʃ
        return bool(set(marks) & {*ACCENTS, *DIGITS}) and table.matches(segment, "-son -syl")

    for side, audit in audits.items():
        if toned := [row for row in audit if row.action in {"split", "folded"} and is_toned_obstruent(row)]:
            listed = ", ".join(f"{row.raw} {row.count}" for row in toned)
            what = "digits" if all(row.raw[-1:] in DIGITS for row in toned) else "accents"
            yield f"{what} on obstruents of {side} are read as tone: {listed}; map the symbols where they are letters"
    for side, audit in audits.items():
        for fate, kept in (("dropped", False), ("kept", True)):
            rows = [row for row in audit if row.action == "unknown" and bool(row.symbol) is kept]
            if rows and (side != "posteriors" or kept):  # what frames such columns win is said instead
                listed = ", ".join(f"{shown_tone(row.raw)} {row.count}" for row in rows)
                yield f"unknown symbols of {side}, {fate} on request: {listed}"


def suspect_symbols(loaded: LoadedCorpus, sets: Mapping[str, str], table: FeatureTable) -> Iterator[str]:
    """Yield what is suspicious about one corpus; `sets` are the built-in symbol sets of gold and predicted by side."""
    if loaded.corpus is not None:
        yield from suspect_sides(loaded.corpus, decoded=loaded.decoded is not None)
    sides = (side for side in sets if side in loaded.audits)
    yield from filter(None, (better_set(side, sets, loaded.audits[side], table) for side in sides))


def suspect_sides(corpus: Corpus, *, decoded: bool = False) -> Iterator[str]:
    """Yield what is suspicious about gold and predicted phones together."""
    from phonxling.stats.student import FEW_CLUSTERS  # which brings SciPy

    gold, predicted = corpus.gold, corpus.predicted
    if _are_same(gold, predicted) and _are_same(gold.tones or gold, predicted.tones or predicted):
        yield "gold and predicted are the same in every utterance: was one file given for both?"
    # A label a frame makes many times as many; utterances without predictions are noted on their own.
    counts = int(gold.lengths[predicted.lengths > 0].sum()), len(predicted.codes)
    if counts[1] and not counts[0] < _LONGER * counts[1] < _LONGER**2 * counts[0]:
        question = "perhaps one label for each frame, or gold for only a part of the recordings"
        question = "are parts of the recordings missing in the predictions?" if counts[1] < counts[0] else question
        yield f"{counts[1]:,} phones are predicted for {counts[0]:,} gold ones: {question}"
    if gold.confidence is not None and predicted.confidence is None:
        yield "gold has confidences and predicted has none: were the two swapped? If so, give each for the other"
    speakers = None if corpus.speakers is None else len(set(corpus.speakers))
    if speakers is not None and speakers < FEW_CLUSTERS <= len(gold):
        yield f"{_format_number(speakers, 'speaker')} alone: too few for intervals over speakers"
    silent = [corpus.utterances[place] for place in ((predicted.lengths == 0) & (gold.lengths > 0)).nonzero()[0]]
    if silent and not decoded:
        yield f"no phone is predicted in {len(silent)} of {len(gold)} utterances: {shorten(silent)}"


def _are_same(first: PhoneSequences, second: PhoneSequences) -> bool:
    names = [np.array(side.inventory.phones)[side.codes] for side in (first, second)]
    return np.array_equal(first.offsets, second.offsets) and np.array_equal(*names)


def better_set(side: str, sets: Mapping[str, str], audit: SymbolAudit, table: FeatureTable) -> str:
    """Tell when a side's symbol set reads as one, or as odd, what another one that knows all symbols keeps apart."""
    given, counts = sets[side], Counter[str]()
    for row in audit:
        counts[row.raw] += row.count
    own = match_set(given, counts, table)
    if own is None or not (own.doubtful or (own.merged and given in _FOLDING)):
        return ""  # as of most data: the other sets need not be tried
    best = match_sets(counts, table)[0]
    if best.unknown or best.name in {given, "ipa-joined"} or given.startswith("ipa-"):
        return ""
    if own.doubtful and len(own.doubtful) > len(best.doubtful):
        names = _list_names(own.doubtful)
        return f"{side}: {given} reads {names} as one phone each, but all are {best.name}: symbols: {best.name}"
    kept = {symbol for symbol, _ in best.merged}
    merged = [(symbol, twin) for symbol, twin in own.merged if symbol not in kept]
    # Where both sides fold phones, as papers on TIMIT do, that is meant.
    if not merged or given not in _FOLDING or all(name in _FOLDING for name in sets.values()):
        return ""
    lost = [f"{symbol} as {twin}" if twin else f"no phone in {symbol}" for symbol, twin in merged]
    return f"{side}: {given} reads {_list_names(lost)}; {best.name} keeps them apart: symbols: {best.name}"


def _list_names(names: Sequence[str]) -> str:
    return ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")


def worse_reference(reference: str, rates: Mapping[str, float]) -> str:
    """Tell when a recogniser makes more errors in the language that it was trained on than in others."""
    better = [f"{name} {rate:.3f}" for name, rate in rates.items() if rate < rates[reference]]
    rate = f"a phone error rate of {rates[reference]:.3f}, more than {', '.join(better[:3])}"
    return f"the reference {reference} has {rate}: is its role right, and are its files?" if better else ""

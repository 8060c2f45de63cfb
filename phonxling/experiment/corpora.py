"""The configuration's corpora, loaded: phones paired and audited, posteriors opened, segments with times.

Symbol sets by name, or users' own; and the inventories that corpora declare of their recognisers, read with these.

A user's set is a table alone, or tables laid over another set. An inventory is what a recogniser can predict: a
built-in set of labels, a list, or a file, read with the symbol set and the rules of the predictions, or else as IPA.
"""

import errno
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal, TypeVar
from unicodedata import combining

import numpy as np

from phonxling.analyses.conventions import conventions
from phonxling.analyses.costs import needs_features
from phonxling.analyses.loaded import (
    LoadedCorpus,
    corpus_notes,
    decoded_notes,
    features_of,
    languages_of,
    suspect_symbols,
)
from phonxling.configuration.files import Corpus as CorpusSettings, PhoneFile, PosteriorFile, SpeakerFile, SymbolFile
from phonxling.configuration.models import Experiment
from phonxling.configuration.reading import find_input_paths
from phonxling.core.errors import ConfigurationError, DataError, PhonxlingError, join_problems, quote
from phonxling.core.features import FeatureTable
from phonxling.core.ids import same_ids
from phonxling.core.inventory import SILENCE_PHONE, Inventory, merge
from phonxling.core.posteriorgram import FRAMES, Posteriorgrams, RawPosteriors
from phonxling.core.sequences import Corpus, PhoneSequences, SymbolAudit, Transcript, reading_notes
from phonxling.core.spelling import LOOK_ALIKES as LETTERS
from phonxling.core.work import SERIAL, Work
from phonxling.load import resources
from phonxling.load.formats import load_transcript
from phonxling.load.text import is_glob, read_lines, reading_error
from phonxling.phones.ipa import decide
from phonxling.phones.normalise import choose_tone_levels, make_transcript, normalise, normalise_columns
from phonxling.phones.pairing import pair, pair_posteriors, shorten
from phonxling.phones.symbols import BUILT_IN, LABELS, RARE, SILENCE, SymbolRules, SymbolSet
from phonxling.phones.unknown import UnknownSymbolsError, join_sides

_Corpus = TypeVar("_Corpus")
_T = TypeVar("_T")


def load_corpora(experiment: Experiment, work: Work = SERIAL) -> list[LoadedCorpus]:
    # What one recogniser can say is declared alike wherever it is.
    for recogniser, (first, *others) in _corpora_by_recogniser(experiment).items():
        for other in others:
            given = [experiment.corpora[name].recogniser for name in (first, other)]
            apart = sorted({*_read_inventory(first, experiment)} ^ {*_read_inventory(other, experiment)})
            if apart and given[0] != given[1]:
                msg = f"{_place(other, experiment)}: another inventory of {recogniser} than {first} declares"
                raise ConfigurationError(f"{msg}; the two differ in {shorten(apart, _SHOWN_ITEMS)}: declare it once")
    languages = languages_of(experiment)

    def load(name: str) -> LoadedCorpus:
        return replace(load_configured(name, experiment.corpora[name], experiment, work), language=languages.get(name))

    return list(of_each({name: name for name in experiment.corpora}, load).values())


def of_each(corpora: Mapping[str, _Corpus], make: Callable[[_Corpus], _T]) -> dict[str, _T]:
    """Return what is made of each corpus; what is wrong with them is one error, of settings if it is these alone."""
    made: dict[str, _T] = {}
    problems: dict[str, PhonxlingError] = {}
    for name, corpus in corpora.items():
        try:
            made[name] = make(corpus)
        except PhonxlingError as error:
            problems[name] = error
    if problems:
        # The exit code tells scripts whether to mend the configuration (2) or the data (1).
        usage = all(isinstance(error, ConfigurationError) for error in problems.values())
        kind = ConfigurationError if usage else DataError
        raised = kind("\n".join(f"corpus {name}: {error}" for name, error in problems.items()))
        raised.problems = {name: str(error) for name, error in problems.items()}
        raise raised
    return made


@dataclass(frozen=True)
class InMemoryData:
    """What of a corpus is in memory, instead of in the files that its settings name: symbols by side, and others.

    `digests` has the sha256 of each by the name that stands in the settings for its path.
    """

    sides: Mapping[str, Transcript] = field(default_factory=dict)
    speakers: Callable[[tuple[str, ...]], tuple[str, ...]] | None = None
    posteriors: RawPosteriors | Posteriorgrams | None = None
    digests: Mapping[str, str] = field(default_factory=dict)

    def transcript(self, side: str, file: PhoneFile) -> Transcript:
        own = side if side in {"predicted", "canonical"} else "gold"  # of the sides that one file may have
        return (
            self.sides[side] if side in self.sides else load_transcript(*file.reading, file.tier, file.where, side=own)
        )

    def raw_posteriors(self, file: PosteriorFile) -> RawPosteriors:
        """Return posteriors as they are read; those whose columns are phones already with these as labels."""
        one = self.posteriors
        if isinstance(one, Posteriorgrams):
            ids, labels, shift = one.utterances, one.inventory.phones, one.frame_shift
            return RawPosteriors(source=one.source, labels=labels, utterances=ids, read=one.raw, frame_shift=shift)
        if one is not None:
            return one
        from phonxling.load.posteriors import load_raw_posteriors

        return load_raw_posteriors(file.path, file.format, file.labels)


def load_configured(name: str, settings: CorpusSettings, experiment: Experiment, work: Work = SERIAL) -> LoadedCorpus:
    """Return one corpus of a configuration; its predictions are decoded from its posteriors when none are given."""
    held: InMemoryData = experiment.held.get(name, InMemoryData())
    _refuse_missing_files(settings)
    sides = "gold", "canonical", "gold_second", "predicted"
    files = {side: file for side in sides if (file := getattr(settings, side)) is not None}
    try:
        loaded = _load_corpus(name, settings, experiment, work, held)
        sets = {side: file.symbol_names[0] for side, file in files.items() if len(file.symbol_names) == 1}
        notes = [*loaded.notes, *suspect_symbols(loaded, sets, features_of(experiment))]
        if loaded.decoded is not None and settings.posteriors is not None:
            sets["posteriors"] = settings.posteriors.symbol_names[0]
        notes += conventions(loaded, sets, experiment)
        if "gold" not in held.sides:
            notes.append(resources.note_unsplit(*settings.gold.reading, settings.gold.where))
        if loaded.posteriorgrams is not None:
            from phonxling.analyses.belonging import doubt_posteriors

            notes += doubt_posteriors(loaded, check=experiment.pairing.check_posteriors)
        return replace(loaded, notes=tuple(dict.fromkeys(filter(None, notes))))
    except UnknownSymbolsError as error:  # both sides are told of at once
        errors: dict[str, UnknownSymbolsError] = {}
        for side, file in files.items():
            try:
                normalise_side(held.transcript(side, file), file, experiment, side)
            except UnknownSymbolsError as refused:
                errors[side] = refused
        sets = {side: "+".join(files[side].symbol_names) for side in ("gold", "predicted") if side in files}
        # Without a folder, the settings are those of a command.
        raise (join_sides(errors, sets, for_score=experiment.folder is None) if errors else error) from None


def _refuse_missing_files(settings: CorpusSettings) -> None:
    """Raise DataError where several files are not there, such as below a misspelt folder; of one its reader tells."""
    paths = dict.fromkeys(path for *_, path in find_input_paths(settings))
    missing = [path for path in paths if not is_glob(path) and not os.path.exists(path)]  # noqa: PTH110 - never raises
    if len(missing) > 1:
        each = (str(reading_error(path, FileNotFoundError(errno.ENOENT, ""))) for path in missing)
        raise DataError(join_problems(f"{len(missing)} files are not there:", each))


@dataclass(frozen=True)
class _Reading:
    """What the steps of loading a corpus share; each adds to `audits` what became of symbols, and to `notes`."""

    settings: CorpusSettings
    experiment: Experiment
    held: InMemoryData
    audits: dict[str, SymbolAudit] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    def normalise(self, side: str, file: SymbolFile, transcript: Transcript) -> PhoneSequences:
        phones, self.audits[side] = normalise_side(transcript, file, self.experiment, side)
        return phones

    def read_if_any(self, side: str) -> PhoneSequences | None:
        """Return the phones of a side, None where the corpus has no such file."""
        file = getattr(self.settings, side)
        return None if file is None else self.normalise(side, file, self.held.transcript(side, file))

    def speakers(self, utterances: tuple[str, ...]) -> tuple[str, ...] | None:
        named = self.settings.speakers
        if self.held.speakers is not None:
            return self.held.speakers(utterances)
        if named is None:
            return None
        if named.pattern is not None:
            return resources.speakers_in_ids(utterances, named.pattern)
        table = resources.load_speakers(*_table_of(named))
        self.notes.append(same_ids(utterances, table).note("speakers"))
        return resources.speakers_of(utterances, table, str(named.path))


def _load_corpus(
    name: str, settings: CorpusSettings, experiment: Experiment, work: Work, held: InMemoryData
) -> LoadedCorpus:
    raw = held.transcript("gold", settings.gold)
    raw_predicted = None if settings.predicted is None else held.transcript("predicted", settings.predicted)
    opened = None if settings.posteriors is None else held.raw_posteriors(settings.posteriors)
    least = experiment.decoding.least if settings.predicted is None and opened is not None else None
    labelled = settings.predicted or (settings.posteriors if least is not None else None)
    # The levels of tones are those of all tones of both sides, so they are known before either is normalised.
    labels = raw_predicted or (make_transcript(opened.source, opened.labels) if opened and least is not None else None)
    experiment = _with_tone_levels(experiment, [(settings.gold, raw), (labelled, labels)])
    reading = _Reading(settings, experiment, held)
    timed = settings.segments is not None or any(text and text.start is not None for text in (raw, raw_predicted))
    gold = reading.normalise("gold", settings.gold, raw)
    del raw  # a million utterances' symbols are not kept beside their phones
    posteriorgrams = None if opened is None else _open_columns(reading, opened, least, timed=timed)
    decoded, decoder = None, ""
    if posteriorgrams is not None and least is not None:
        from phonxling.posteriors.decode import decode_labels

        decoded = decode_labels(posteriorgrams, least, work)
        decoder = f"frames/{least:g}" if posteriorgrams.blank is None else "greedy"  # its name in the signature
    predicted, symbols = None, raw_predicted if decoded is None else decoded
    if labelled is not None and symbols is not None:
        predicted = reading.normalise("predicted", labelled, symbols)
        _refuse_raw_features([settings.gold, labelled], experiment)
    segments: PhoneSequences | None = None
    forced, untied = False, tuple[str, ...]()
    if posteriorgrams is not None:
        posteriorgrams, segments, forced, untied = _tie_posteriors(reading, gold, predicted, posteriorgrams)
    declared, table = declared_inventory(name, settings, experiment), settings.speakers
    if predicted is not None:
        columns = Inventory(()) if posteriorgrams is None else posteriorgrams.inventory
        predicted = _with_all_phones(predicted, declared, columns, name, experiment)
    sides = _pair_sides(reading, gold, predicted)
    return LoadedCorpus(
        name=name,
        role=settings.role,
        recogniser=settings.recogniser.name if settings.recogniser else None,
        inventory=declared,
        gold=gold,
        corpus=sides["predicted"],
        people=sides["gold_second"],
        canonical=None if (beside := sides["canonical"]) is None else beside.predicted,
        groups=resources.load_groups(*_table_of(table), [*map(str, table.groups)]) if table and table.groups else {},
        posteriorgrams=posteriorgrams,
        segments=segments,
        forced=forced,
        audits=reading.audits,
        symbols=symbol_parts(settings, experiment),
        untied=untied,
        decoded=decoded,
        decoder=decoder,
        notes=(
            *corpus_notes(sides["predicted"], untied, reading.audits, settings, experiment),
            *([] if decoded is None else decoded_notes(decoded, decoder)),
            *filter(None, reading.notes),
            *_notes_on_reading(gold, segments if settings.segments else None, sides),
        ),
    )


def _pair_sides(reading: _Reading, gold: PhoneSequences, predicted: PhoneSequences | None) -> dict[str, Corpus | None]:
    """Return gold beside predicted, canonical and a second transcription, None where there is none."""
    share, corpus, people = reading.experiment.pairing.allow_unpaired, None, None
    if predicted is not None:
        audits = reading.audits["gold"], reading.audits["predicted"]
        corpus = _add_speakers(pair(gold, predicted, audits, share), reading)
        second = reading.read_if_any("gold_second")
        # A second transcription may be of a sample alone, so any share of utterances may lack it.
        people = None if second is None else pair(corpus.gold, second, allow_unpaired=1.0, what="gold_second")
    asked = reading.read_if_any("canonical")
    beside = None if asked is None else pair(gold, asked, allow_unpaired=share, what="canonical")
    return {"predicted": corpus, "canonical": beside, "gold_second": people}


def _notes_on_reading(
    gold: PhoneSequences, segments: PhoneSequences | None, paired: Mapping[str, Corpus | None]
) -> Iterator[str]:
    """Yield what was read otherwise than it stands in the files, each sentence once; then how ids were paired."""
    others = {side: None if one is None else one.predicted for side, one in paired.items()}
    yield from reading_notes({"gold": gold, **others, "segments": segments})
    for side, one in paired.items():
        if one is not None:
            read = {*reading_notes({"gold": gold, side: one.predicted})}
            yield from (note for note in one.notes if note not in read)


def _open_columns(reading: _Reading, opened: RawPosteriors, least: float | None, *, timed: bool) -> Posteriorgrams:
    """Return posteriors whose columns are phones, as they are where they are given so."""
    if isinstance(held := reading.held.posteriors, Posteriorgrams):
        reading.audits["posteriors"] = ()
        return held
    file = reading.settings.posteriors
    if file is None:
        raise AssertionError("posteriors have settings")
    # Frames stand for seconds where nothing is in seconds: neither times of phones nor a least duration.
    lasting = least is not None and least > 0 and (opened.blank or file.blank) is None
    in_frames = not timed and not lasting and file.frame_shift is None and opened.frame_shift is None
    posteriorgrams, reading.audits["posteriors"] = normalise_columns(
        opened,
        symbol_set(file.symbol_names),
        features_of(reading.experiment),
        rules_of(file, reading.experiment),
        frame_shift=FRAMES if in_frames else file.frame_shift,
        frame_offset=file.frame_offset or 0.0,
        blank=file.blank,
        scale=file.scale,
    )
    if in_frames:
        reading.notes.append("times are counted in frames, as no file says the frame shift and gold has no times")
    reading.notes.extend(posteriorgrams.notes)
    return posteriorgrams


def _tie_posteriors(
    reading: _Reading, gold: PhoneSequences, predicted: PhoneSequences | None, posteriorgrams: Posteriorgrams
) -> tuple[Posteriorgrams, PhoneSequences, bool, tuple[str, ...]]:
    """Return posteriors and the gold phones tied to them, whether times are to be found, and which have no partner."""
    reading.notes.append(same_ids(gold.utterances, posteriorgrams.utterances).note("posteriors"))
    own, times = reading.read_if_any("segments"), reading.settings.times
    if own is not None and own.start is None and times != "forced":
        msg = f"{own.source}: has no times, so it cannot say where the gold phones are"
        raise DataError(f"{msg}; leave segments out, and times are found from the posteriors")
    segments = gold if own is None else own
    if forced := times == "forced" or segments.start is None:
        segments = replace(segments, start=None, end=None)
    share = reading.experiment.pairing.allow_unpaired
    posteriorgrams, segments, untied = pair_posteriors(posteriorgrams, segments, share)
    # Elsewhere the speakers are those of the corpus, whose utterances may be others than these.
    speakers = reading.speakers(segments.utterances) if predicted is None or forced else None
    return posteriorgrams, segments if speakers is None else replace(segments, speakers=speakers), forced, untied


def _with_all_phones(
    predicted: PhoneSequences, declared: Inventory | None, columns: Inventory, name: str, experiment: Experiment
) -> PhoneSequences:
    """Return predictions with what the recogniser can say over what it happened to say; DataError for other phones."""
    known = merge(declared or Inventory(()), columns)
    tokens = np.bincount(predicted.codes, minlength=len(predicted.inventory)).tolist()
    counts = dict(zip(predicted.inventory, tokens, strict=True))
    others = sorted((phone for phone in counts if phone not in known), key=lambda phone: (-counts[phone], phone))
    if declared is not None and others:
        number = f"{len(others)} predicted phone{'s are' if len(others) > 1 else ' is'}"
        msg = f"{_place(name, experiment)}: {number} outside the declared inventory of {len(known)}"
        remedy = "add what the recogniser can say, or map its symbols (docs/symbols.md)"
        named = shorten([f"{phone} ({counts[phone]:,})" for phone in others], _SHOWN_ITEMS)
        raise DataError(f"{msg}: {named}; {remedy}")
    return predicted.recode(merge(predicted.inventory, known))


def _add_speakers(corpus: Corpus, reading: _Reading) -> Corpus:
    """Return a corpus with the speakers and prompts of its utterances, where these are known."""
    table = reading.settings.speakers
    speakers = reading.speakers(corpus.utterances)
    prompts = resources.load_prompts(*_table_of(table), str(table.prompt)) if table and table.prompt else None
    own = {first: second for second, first in same_ids(corpus.utterances, prompts or ()).names.items()}
    # An utterance without a prompt is a prompt of its own.
    chosen = prompts and tuple(prompts[own.get(name, name)] or name for name in corpus.utterances)
    return replace(corpus, speakers=corpus.speakers if speakers is None else speakers, prompts=chosen or None)


def normalise_side(
    transcript: Transcript, file: SymbolFile, experiment: Experiment, side: str
) -> tuple[PhoneSequences, SymbolAudit]:
    column = _titles_of(file) if isinstance(file, PhoneFile) else {}
    named = next((f"{side}, column {column[name]}" for name in ("phones", "phone") if name in column), side)
    rules = rules_of(file, experiment)
    return normalise(transcript, symbol_set(file.symbol_names), features_of(experiment), rules, side=named)


def _with_tone_levels(experiment: Experiment, sides: list[tuple[SymbolFile | None, Transcript | None]]) -> Experiment:
    if experiment.symbols.tone_levels != "auto":
        return experiment
    read = [(text, symbol_set(file.symbol_names)) for file, text in sides if file is not None and text is not None]
    symbols = experiment.symbols.model_copy(update={"tone_levels": choose_tone_levels(read)})
    return experiment.model_copy(update={"symbols": symbols})


def _table_of(file: SpeakerFile) -> tuple[Path, dict[str, str], Literal["tsv", "csv", "utt2spk"] | None]:
    if file.path is None:
        raise AssertionError("speakers are those of a table")
    return file.path, _titles_of(file), file.format


def _titles_of(file: PhoneFile | SpeakerFile) -> dict[str, str]:
    return {str(name): title for name, title in file.columns.items()}


def _refuse_raw_features(files: list[SymbolFile], experiment: Experiment) -> None:
    why = "raw symbols have no phonological features"
    raw = any(file.symbol_names == ("raw",) for file in files)
    if raw and needs_features(experiment):
        raise ConfigurationError(f"{why}; set alignment: {{costs: unit}}")
    if raw and experiment.expected.common == "features":
        raise ConfigurationError(f"{why}; set expected: {{common: exact}}, or the path of a table")


_SHOWN_ITEMS = 20  # phones of a message
_SET_MEANINGS = {
    "ipa": "the IPA, one phone per symbol, however it is spelt",
    "ipa-joined": "words of the IPA without spaces between the phones",
    "ipa-panphon": "the same, cut as panphon does (ipa_segs, word_fts)",
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
    chosen = BUILT_IN.get(first) or SymbolSet(Path(first).name, resources.load_symbol_map(Path(first)))
    for number, table in enumerate(tables, 2):
        if not _is_path(table) or chosen.raw:
            msg = f"symbols: '{table}' is not a table that can be laid over '{first}'"
            raise ConfigurationError(f"{msg}; give a set, then paths of tables: [timit61, extra.tsv]")
        chosen = chosen.extend(symbols_name([first, *tables][:number]), resources.load_symbol_map(Path(table)))
    return chosen


def symbols_name(names: Sequence[str]) -> str:
    return "+".join(Path(name).name for name in names)


def rules_of(file: SymbolFile, experiment: Experiment) -> SymbolRules:
    chosen = experiment.symbols.of(file)
    levels = "three" if chosen.tone_levels == "auto" else chosen.tone_levels
    return SymbolRules(**{name: getattr(chosen, name) for name in SymbolRules.__slots__} | {"tone_levels": levels})


def symbol_parts(settings: CorpusSettings, experiment: Experiment) -> dict[str, str]:
    files = [file for file in (settings.gold, settings.predicted or settings.posteriors) if file is not None]
    rules = [rules_of(file, experiment) for file in files]
    shared = {key: dict.fromkeys(str(getattr(rule, key)) for rule in rules) for key in SymbolRules.__slots__}
    # A signature says rare rules only where they are not as usual, so that it stays short.
    usual = {key: {getattr(SymbolRules(), key)} for key in RARE}
    shared = {key: values for key, values in shared.items() if values.keys() != usual.get(key)}
    names = ",".join(symbols_name(file.symbol_names) for file in files)
    return {"sym": names, **{key: ",".join(values) for key, values in shared.items()}}


def _is_path(name: str) -> bool:
    return "." in name or "/" in name


def symbol_rows(names: str | Sequence[str]) -> list[tuple[str, ...]]:
    """Return a symbol set as rows: each symbol, the phones that it stands for, and what kind it is; a header first.

    Without a name, which sets there are.
    """
    if not names:
        return [("set", "what it is"), *_SET_MEANINGS.items()]
    chosen, table = symbol_set(names), resources.panphon_features()
    if chosen.raw:
        raise ConfigurationError("raw symbols are compared as they stand, so there is no table of them")
    listed = [*chosen.ipa] if chosen.ipa else [*chosen.letters] if chosen.reading else [*table.segments, *LETTERS]
    symbols = dict.fromkeys([*chosen.over, *listed, *chosen.closures, *sorted(SILENCE - {""})])
    return [("symbol", "ipa", "kind"), *(_describe_symbol(symbol, chosen, table) for symbol in symbols)]


def _describe_symbol(symbol: str, chosen: SymbolSet, table: FeatureTable) -> tuple[str, str, str]:
    fate = decide(symbol, chosen, table, SymbolRules())
    own = chosen.row(symbol)
    if fate is None:  # it is none alone
        ipa = own or (chosen.reading(symbol) if chosen.reading else LETTERS.get(symbol)) or symbol
        return symbol, "".join(f"◌{one}" if combining(one) else one for one in ipa), "mark"
    if fate.tone and not fate.phones:
        return symbol, fate.shown, "tone"
    if not fate.phones:
        return symbol, "", fate.action
    alike = not chosen.mapped and own is None and symbol in LETTERS
    return symbol, fate.shown, "closure" if symbol in chosen.closures else "look-alike" if alike else "phone"


def declared_inventory(name: str, settings: CorpusSettings, experiment: Experiment) -> Inventory | None:
    if (own := settings.recogniser) is None:
        return None
    alike = [name] if own.inventory is not None else _corpora_by_recogniser(experiment).get(own.name or "", [])
    return _read_inventory(alike[0], experiment) if alike else None


def _corpora_by_recogniser(experiment: Experiment) -> Mapping[str, list[str]]:
    """Return the corpora that declare an inventory, by the name of their recogniser."""
    declaring: dict[str, list[str]] = {}
    for name, corpus in experiment.corpora.items():
        if (one := corpus.recogniser) is not None and one.name and one.inventory is not None:
            declaring.setdefault(one.name, []).append(name)
    return declaring


def _place(corpus: str, experiment: Experiment) -> str:
    """Return where an inventory is declared: in a configuration, or by the argument of that name of a score."""
    return "inventory" if experiment.folder is None else f"corpora.{corpus}.recogniser.inventory"


def _read_inventory(name: str, experiment: Experiment) -> Inventory:
    settings = experiment.corpora[name]
    labelled = settings.predicted or settings.posteriors
    if settings.recogniser is None or labelled is None:
        raise AssertionError(f"{name} has predictions, and an inventory")
    given, rules, place = settings.recogniser.inventory, rules_of(labelled, experiment), _place(name, experiment)
    own = BUILT_IN["ipa"] if (named := symbol_set(labelled.symbol_names)).joined else named
    # Predictions may be labels while the inventory is in IPA, as papers have it: the set that knows more is meant.
    sets = (own,) if own.raw else (own, BUILT_IN["ipa"])
    if isinstance(given, str):
        sets = (own,) if own.raw or given == labelled.symbol_names[0] else (BUILT_IN[given],)
        labels = dict.fromkeys(sorted(LABELS[given] | (set() if own.raw else {SILENCE_PHONE})), place)
    elif isinstance(given, tuple):
        labels = {label: f"{place}.{number}" for number, label in enumerate(given)}
    elif given is not None:
        rows = {text.strip(): f"{given}:{line}" for line, text in read_lines(given)}
        if any("\t" in row for row in rows):
            sets = (SymbolSet(given.name, resources.load_symbol_map(given)),)
            places = {row.partition("\t")[0].strip(): place for row, place in rows.items()}
            labels = {symbol: places.get(symbol, str(given)) for symbol in sets[0].ipa or {}}
        else:  # one phone a line, or a network's own list
            labels = {label: rows.get(label, str(given)) for label in resources.read_labels(given).names}
    alone = replace(make_transcript("inventory", [*labels]), places=tuple(labels.values()))  # no closure has a release
    table = features_of(experiment)
    unknown = [[label for label in labels if decide(label, each, table, rules) is None] for each in sets]
    missing = min(unknown, key=len)
    fitting = sets[0] if missing else sets[unknown.index(missing)]
    if missing and rules.unknown == "error":
        names = " or ".join(dict.fromkeys(f"'{each.name}'" for each in sets))
        number = f"{len(missing)} of {len(labels)} phones of the inventory {'is' if len(missing) == 1 else 'are'} not"
        each = [f"{labels[label]}: {quote(label)}" for label in missing]
        raise DataError(join_problems(f"{number} known to the symbol set {names}:", each))
    phones, _ = normalise(alone, fitting, table, rules)
    if not len(phones.inventory):
        raise ConfigurationError(f"{place}: the inventory has no phone")
    return phones.inventory

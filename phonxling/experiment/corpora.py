"""The configuration's corpora, loaded: phones paired and audited, posteriors opened, segments with times."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal, TypeVar

import numpy as np

from phonxling.alignment.costs import LEARNED
from phonxling.analyses.conventions import conventions
from phonxling.analyses.fitting import needs_features
from phonxling.analyses.loaded import LoadedCorpus, corpus_notes, decoded_notes, features_of, languages_of, suspicions
from phonxling.core.errors import ConfigurationError, DataError, PhonxlingError
from phonxling.core.inventory import Inventory, merge
from phonxling.core.posteriorgram import FRAMES, Posteriorgrams, RawPosteriors
from phonxling.core.sequences import Corpus, PhoneSequences, SymbolAudit, Transcript
from phonxling.core.work import SERIAL, Work
from phonxling.decoding.rules import DecodingRules
from phonxling.experiment.inventories import (
    declared_inventory,
    refuse_contradictions,
    refuse_others,
    rules_of,
    symbol_parts,
    symbol_set,
)
from phonxling.load.formats import load_transcript
from phonxling.load.remote import local
from phonxling.load.resources import (
    load_groups,
    load_prompts,
    load_speakers,
    speakers_in_ids,
    speakers_of,
    unsplit_note,
)
from phonxling.load.tables import rating_range
from phonxling.phones.normalise import (
    UnknownSymbolsError,
    normalise,
    normalise_columns,
    on_both_sides,
    one_token_each,
    tone_levels,
)
from phonxling.phones.pairing import agreeing_note, pair, pair_posteriors
from phonxling.settings.files import TRIALS, Corpus as CorpusSettings, PhoneFile, PosteriorFile, SpeakerFile, SymbolFile
from phonxling.settings.models import Experiment

_Corpus = TypeVar("_Corpus")
_Made = TypeVar("_Made")


def load_corpora(experiment: Experiment, work: Work = SERIAL, held: "Held | None" = None) -> list[LoadedCorpus]:
    refuse_contradictions(experiment)
    languages = languages_of(experiment)

    def load(name: str) -> LoadedCorpus:
        one = load_configured(name, experiment.corpora[name], experiment, work, held)
        return replace(one, language=languages.get(name))

    return list(of_each({name: name for name in experiment.corpora}, load).values())


def of_each(corpora: Mapping[str, _Corpus], make: Callable[[_Corpus], _Made]) -> dict[str, _Made]:
    """Return what is made of each corpus; what is wrong with them is one error, of settings if it is these alone."""
    made: dict[str, _Made] = {}
    problems: dict[str, PhonxlingError] = {}
    for name, corpus in corpora.items():
        try:
            made[name] = make(corpus)
        except PhonxlingError as error:
            problems[name] = error
    if problems:
        usage = all(isinstance(error, ConfigurationError) for error in problems.values())
        kind = ConfigurationError if usage else DataError
        raised = kind("\n".join(f"corpus {name}: {error}" for name, error in problems.items()))
        raised.problems = {name: str(error) for name, error in problems.items()}
        raise raised
    return made


@dataclass(frozen=True)
class Held:
    """What of a corpus is in memory, instead of in the files that its settings name: symbols by side, and speakers."""

    sides: Mapping[str, Transcript] = field(default_factory=dict)
    speakers: Callable[[tuple[str, ...]], tuple[str, ...]] | None = None

    def transcript(self, side: str, file: PhoneFile) -> Transcript:
        return self.sides[side] if side in self.sides else _transcript(file, side)


def load_configured(
    name: str, settings: CorpusSettings, experiment: Experiment, work: Work = SERIAL, held: Held | None = None
) -> LoadedCorpus:
    """Return one corpus of a configuration; its predictions are decoded from its posteriors when none are given."""
    held = held or Held()
    files = {
        side: file for side in ("gold", "gold_second", "predicted") if (file := getattr(settings, side)) is not None
    }
    try:
        loaded = _loaded(name, settings, experiment, work, held)
        sets = {side: file.symbol_names[0] for side, file in files.items() if len(file.symbol_names) == 1}
        notes = [*loaded.notes, *suspicions(loaded, sets, features_of(experiment))]
        if loaded.corpus is not None:
            if loaded.decoded is not None and settings.posteriors is not None:
                sets["posteriors"] = settings.posteriors.symbol_names[0]
            notes += conventions(loaded.corpus, sets, experiment)
        if "gold" not in held.sides and settings.gold.format != TRIALS:
            notes.append(unsplit_note(*settings.gold.reading, settings.gold.where))
        if loaded.posteriorgrams is not None:
            from phonxling.analyses.belonging import doubts

            notes += doubts(loaded, check=experiment.pairing.check_posteriors)
        return replace(loaded, notes=tuple(filter(None, notes)))
    except UnknownSymbolsError as error:  # both sides are told of at once
        errors: dict[str, UnknownSymbolsError] = {}
        for side, file in files.items():
            try:
                _phones(held.transcript(side, file), file, experiment, side)
            except UnknownSymbolsError as refused:
                errors[side] = refused
        sets = {side: "+".join(file.symbol_names) for side, file in files.items()}
        in_memory = experiment.folder is None  # the settings are those of a command
        raise (on_both_sides(errors, sets, for_score=in_memory) if errors else error) from None


def _loaded(name: str, settings: CorpusSettings, experiment: Experiment, work: Work, held: Held) -> LoadedCorpus:
    audits: dict[str, SymbolAudit] = {}
    raw = held.transcript("gold", settings.gold)
    raw_predicted = None if settings.predicted is None else held.transcript("predicted", settings.predicted)
    file = settings.posteriors
    opened = None
    if file is not None:
        from phonxling.load.posteriors import load_raw_posteriors

        opened = load_raw_posteriors(local(file.path), file.format, local(file.labels))
    decoding = experiment.decoding.rules if settings.predicted is None and opened is not None else None
    heard = settings.predicted or (file if decoding else None)
    labels = raw_predicted or (one_token_each(opened.source, opened.labels) if opened and decoding else None)
    experiment = _with_tone_levels(experiment, [(settings.gold, raw), (heard, labels)])
    in_frames = _in_frames(settings, opened, decoding, (raw, raw_predicted))
    gold, audits["gold"] = _phones(raw, settings.gold, experiment, "gold")
    del raw  # a million utterances' symbols are not kept beside their phones
    predicted, posteriorgrams, segments = None, None, None
    untied: tuple[str, ...] = ()
    remark, forced, decoder, decoded = "", False, "", None
    if file is not None and opened is not None:
        posteriorgrams, column_audit, remark = _posteriors(opened, file, experiment, in_frames=in_frames)
        if decoding is not None:
            from phonxling.decoding.decode import decode_labels

            raw_predicted = decoded = decode_labels(posteriorgrams, decoding, work)
            decoder = decoding.described(blank=posteriorgrams.blank is not None)
    if heard is not None and raw_predicted is not None:
        predicted, audits["predicted"] = _phones(raw_predicted, heard, experiment, "predicted")
        _refuse_raw_features([settings.gold, heard], experiment)
    given = {"predicted": predicted if decoded is None else None, "posteriors": posteriorgrams}
    agreed = [agreeing_note(side, gold.utterances, one.utterances) for side, one in given.items() if one is not None]
    if posteriorgrams is not None:
        audits["posteriors"] = column_audit
        segments = _segments(gold, settings, experiment, audits)
        forced = settings.times == "forced" or segments.start is None
        segments = replace(segments, start=None, end=None) if forced else segments
        posteriorgrams, segments, untied = pair_posteriors(posteriorgrams, segments, experiment.pairing.allow_unpaired)
        if (predicted is None or forced) and (speakers := _speakers(settings, segments.utterances)) is not None:
            segments = replace(segments, speakers=speakers)
    if experiment.alignment.method == "posterior":
        _check_counts_of_posteriors(settings, experiment, forced=forced)
    declared, corpus, people, table = declared_inventory(name, settings, experiment), None, None, settings.speakers
    if predicted is not None:  # the recogniser can say more than it happened to say
        known = merge(declared or Inventory(()), Inventory(()) if posteriorgrams is None else posteriorgrams.inventory)
        if declared is not None:
            counts = np.bincount(predicted.codes, minlength=len(predicted.inventory)).tolist()
            refuse_others(known, dict(zip(predicted.inventory, counts, strict=True)), name, experiment)
        predicted = predicted.recode(merge(predicted.inventory, known))
        sides = audits["gold"], audits["predicted"]
        corpus = _spoken(pair(gold, predicted, sides, experiment.pairing.allow_unpaired), settings, held)
        people = _people(corpus, settings, experiment, held, audits)
    return LoadedCorpus(
        name=name,
        role=settings.role,
        recogniser=settings.recogniser.name if settings.recogniser else None,
        inventory=declared,
        gold=gold,
        corpus=corpus,
        people=people,
        groups=load_groups(*_table(table), [*map(str, table.groups)]) if table and table.groups else {},
        posteriorgrams=posteriorgrams,
        segments=segments,
        forced=forced,
        audits=audits,
        symbols=symbol_parts(settings, experiment),
        untied=untied,
        decoded=decoded,
        decoder=decoder,
        notes=(
            *corpus_notes(corpus, untied, audits, settings, experiment),
            *([] if decoded is None else decoded_notes(decoded, decoder)),
            *filter(None, [remark, *agreed, _trials_note(settings)]),
        ),
    )


def _in_frames(
    settings: CorpusSettings,
    opened: RawPosteriors | None,
    decoding: DecodingRules | None,
    texts: tuple[Transcript | None, ...],
) -> bool:
    """Return whether frames can stand for seconds: no file has times, and decoding asks for none."""
    file = settings.posteriors
    blank = opened.blank or file.blank if opened and file else None
    seconds = decoding is not None and decoding.min_duration > 0 and blank is None
    return settings.segments is None and not any(text and text.start is not None for text in texts) and not seconds


def _spoken(corpus: Corpus, settings: CorpusSettings, held: Held) -> Corpus:
    """Return a corpus with the speakers and prompts of its utterances, where they are told."""
    table = settings.speakers
    speakers = held.speakers(corpus.utterances) if held.speakers else _speakers(settings, corpus.utterances)
    prompts = load_prompts(*_table(table), str(table.prompt)) if table and table.prompt else None
    chosen = prompts and tuple(prompts[name] or name for name in corpus.utterances)  # without one, its own
    return replace(corpus, speakers=corpus.speakers if speakers is None else speakers, prompts=chosen or None)


def _people(
    corpus: Corpus, settings: CorpusSettings, experiment: Experiment, held: Held, audits: dict[str, SymbolAudit]
) -> Corpus | None:
    """Return gold and a second transcriber of the utterances of a corpus that both have."""
    if (file := settings.gold_second) is None:
        return None
    second = held.transcript("gold_second", file)
    phones, audits["gold_second"] = _phones(second, file, experiment, "gold_second")
    return pair(corpus.gold, phones, allow_unpaired=1.0)


def _segments(
    gold: PhoneSequences, settings: CorpusSettings, experiment: Experiment, audits: dict[str, SymbolAudit]
) -> PhoneSequences:
    if settings.segments is None:
        return gold
    segments, audits["segments"] = _phones(
        _transcript(settings.segments, "gold"), settings.segments, experiment, "segments"
    )
    if segments.start is None and settings.times != "forced":
        msg = f"{segments.source}: has no times, so it cannot say where the gold phones are"
        raise DataError(f"{msg}; leave segments out, and times are found from the posteriors")
    return segments


def _transcript(file: PhoneFile, side: str) -> Transcript:
    return load_transcript(*file.reading, file.tier, file.where, side=side.removesuffix("_second"))


def _phones(
    transcript: Transcript, file: SymbolFile, experiment: Experiment, side: str
) -> tuple[PhoneSequences, SymbolAudit]:
    column = _titles(file) if isinstance(file, PhoneFile) else {}
    named = next((f"{side}, column {column[name]}" for name in ("phones", "phone") if name in column), side)
    rules = rules_of(file, experiment)
    return normalise(transcript, symbol_set(file.symbol_names), features_of(experiment), rules, side=named)


def _with_tone_levels(experiment: Experiment, sides: list[tuple[SymbolFile | None, Transcript | None]]) -> Experiment:
    if experiment.symbols.tone_levels != "auto":
        return experiment
    read = [(text, symbol_set(file.symbol_names)) for file, text in sides if file is not None and text is not None]
    symbols = experiment.symbols.model_copy(update={"tone_levels": tone_levels(read)})
    return experiment.model_copy(update={"symbols": symbols})


def _trials_note(settings: CorpusSettings) -> str:
    """Return how the ratings of a table of listeners' answers are read, "" where there are none."""
    file = settings.predicted
    if file is None or file.format != TRIALS or "confidence" not in file.columns:
        return ""
    low, high = rating_range(local(file.path), file.columns["confidence"], file.columns["phones"])
    return f"ratings from {low:g} to {high:g} are read as 0 to 1"


def _posteriors(
    raw: RawPosteriors, file: PosteriorFile, experiment: Experiment, *, in_frames: bool
) -> tuple[Posteriorgrams, SymbolAudit, str]:
    unsaid = in_frames and file.frame_shift is None and raw.frame_shift is None
    posteriorgrams, audit = normalise_columns(
        raw,
        symbol_set(file.symbol_names),
        features_of(experiment),
        rules_of(file, experiment),
        frame_shift=FRAMES if unsaid else file.frame_shift,
        frame_offset=file.frame_offset or 0.0,
        blank=file.blank,
        scale=file.scale,
    )
    chosen, stored = file.frame_shift, raw.frame_shift
    remark = "times are counted in frames, because no file says the frame shift and gold has no times" if unsaid else ""
    if chosen is not None and stored is not None and not math.isclose(chosen, stored, rel_tol=1e-6):
        remark = f"frame_shift: {chosen:g} is used, though the posteriors' file says {stored:g} s"
    return posteriorgrams, audit, remark


def _speakers(settings: CorpusSettings, utterances: tuple[str, ...]) -> tuple[str, ...] | None:
    if settings.speaker_pattern is not None:
        return speakers_in_ids(utterances, settings.speaker_pattern)
    if settings.speakers is None:
        return None
    return speakers_of(utterances, load_speakers(*_table(settings.speakers)), str(settings.speakers.path))


def _table(file: SpeakerFile) -> tuple[Path, dict[str, str], Literal["tsv", "csv", "utt2spk"] | None]:
    return local(file.path), _titles(file), file.format


def _titles(file: PhoneFile | SpeakerFile) -> dict[str, str]:
    return {str(name): title for name, title in file.columns.items()}


def _refuse_raw_features(files: list[SymbolFile], experiment: Experiment) -> None:
    why = "raw symbols have no phonological features"
    raw = any(file.symbol_names == ("raw",) for file in files)
    if raw and needs_features(experiment):
        raise ConfigurationError(f"{why}; set alignment: {{costs: unit}}, or learning: {{start: unit}}")
    if raw and experiment.expected.common == "features":
        raise ConfigurationError(f"{why}; set expected: {{common: exact}}, or the path of a table")


def _check_counts_of_posteriors(settings: CorpusSettings, experiment: Experiment, *, forced: bool) -> None:
    needs = "alignment: {method: posterior} counts what posteriors say of gold phones at forced times"
    if settings.posteriors is None:
        raise ConfigurationError(f"{needs}, and there are no posteriors")
    if not forced:
        raise ConfigurationError(f"{needs}, and the gold phones have times; set times: forced for the corpus")
    if LEARNED in {experiment.alignment.costs, experiment.scoring.costs}:
        raise ConfigurationError(f"{needs}, from which no costs can be learned; choose other costs")

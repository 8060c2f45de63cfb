"""Corpora that are loaded, checked: their costs made, their posteriors read; and what users are told of them.

The mean posterior of each gold token is read at times that gold has, or that are forced from the posteriors. Too many
tokens that hold the centre of no frame are an error: a frame shift or offset is likely to be wrong.
"""

import json
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import NamedTuple, TypeAlias

import numpy as np

from phonxling.alignment.corpus import refuse_too_long
from phonxling.analyses.belonging import check_length, refuse_learned
from phonxling.analyses.costs import costs_between, costs_in_use
from phonxling.analyses.forced import ForcedCorpus, force_corpus
from phonxling.analyses.loaded import LoadedCorpus, features_of, read_map, refusal
from phonxling.configuration.files import Section
from phonxling.configuration.models import Experiment
from phonxling.core.errors import ConfigurationError, DataError, Note, PhonxlingError, join_problems
from phonxling.core.estimate import format_count
from phonxling.core.files import write_new
from phonxling.core.posteriorgram import Posteriorgrams, TokenPosteriors, scale_of
from phonxling.core.spelling import shown_tone
from phonxling.core.work import SERIAL, SILENT, Progress, Work
from phonxling.experiment.corpora import load_corpora, of_each
from phonxling.load.resources import load_languages, note_languages, propose_pattern, speakers_in_ids
from phonxling.phones.chart import natural_classes
from phonxling.posteriors.decode import decode_labels
from phonxling.posteriors.joint import token_posteriors
from phonxling.stats.jackknife import SPEAKERS_UNKNOWN, TOO_FEW
from phonxling.stats.student import FEW_CLUSTERS

_NAMED_ITEMS = 3  # corpora that are named even where a note is of all, or is alike in them
_FRAMES = 1 << 14  # of an utterance, that tell what posteriors' numbers are
_MOST_NOTES = 25  # lines that `check` prints unless more are asked for
# Names, numbers and what stands in brackets: notes that differ in these alone say the same thing of several corpora.
_VARYING = re.compile(r"'[^'\n]*'|\([^()\n]*\)|\d[\d.,]*")  # what differs in notes that are alike
# Some short phones hold the centre of no frame in any data; of more than half it is the frame shift or offset that is
# wrong, and every number of the posteriors would be of other phones.
_WITHOUT_FRAME = 0.5  # share of gold tokens that may hold the centre of no frame


class TokensRead(NamedTuple):
    """The mean posterior of each gold token, and how its times were found where gold has none."""

    tokens: TokenPosteriors
    forced: ForcedCorpus | None = None


def check_corpora(experiment: Experiment) -> tuple[list[LoadedCorpus], dict[str, TokensRead]]:
    if (font := experiment.figures.font) != "auto":  # of which some font is always there
        from phonxling.draw.style import choose_font  # brings matplotlib

        choose_font(font)
    # In the order of a run, so that both end with the same error of the same data.
    corpora = load_corpora(experiment)
    check_costs(corpora, experiment)
    return corpora, read_all(corpora, experiment, SERIAL, SILENT)


def all_notes(experiment: Experiment) -> list[Note]:
    """Return what `check` prints of each corpus: notes, or what is wrong."""
    try:
        corpora, read = check_corpora(experiment)
    except PhonxlingError as error:
        return [Note(name, text, "error") for name, text in (error.problems or {"": str(error)}).items()]
    return notes_of(corpora, experiment, read)


def check_costs(corpora: Sequence[LoadedCorpus], experiment: Experiment) -> None:
    unknown = []
    for name, query in experiment.classes.items():
        try:
            natural_classes((), features_of(experiment), {name: query})
        except ValueError as error:
            unknown.append(f"classes.{name}: {error}")
    if unknown:
        raise ConfigurationError(join_problems("natural classes that the features cannot define:", unknown))
    reference = next((corpus for corpus in corpora if corpus.role == "reference"), None)

    def check(loaded: LoadedCorpus) -> None:
        if loaded.posteriorgrams is not None:
            read_map(loaded.posteriorgrams.inventory, experiment.confidence)
        if (corpus := loaded.corpus) is None:
            return
        refuse_too_long(corpus.gold, corpus.predicted)
        costs_in_use(corpus.gold_inventory, corpus.predicted_inventory, experiment)
        other = None if reference is None or loaded.role != "target" else reference.corpus
        if other is not None and not refusal(loaded, reference, experiment.expected):
            costs_between(corpus, other, experiment)
            if isinstance(experiment.expected.common, Path):
                from phonxling.analyses.expected import read_counterparts  # which brings SciPy

                read_counterparts(experiment.expected.common, corpus.gold_inventory, other.gold_inventory)

    of_each({corpus.name: corpus for corpus in corpora}, check)


def all_lines(
    corpora: Sequence[LoadedCorpus], experiment: Experiment, read: Mapping[str, TokensRead], *, verbose: bool
) -> Iterator[str]:
    """Yield lines on each corpus, then the notes; all of them where `verbose`, else at most 25 and what is left out."""
    about = [line for one in corpora for line in _corpus_lines(one, experiment, read.get(one.name), verbose=verbose)]
    notes = merge_notes(notes_of(corpora, experiment, read), len(corpora), each=verbose)
    most = len(about) + len(notes) if verbose else _MOST_NOTES
    # Half of the lines at least go to the corpora, however many notes there are.
    room = max(most - len(notes), most // 2)  # of the corpora, so that notes are seen below many of them
    yield from shorten_lines(about, room, " (--verbose)")
    yield from shorten_lines([f"note: {note}" for note in notes], most - min(len(about), room), " (--verbose)")


def shorten_lines(lines: Sequence[str], most: int, others: str) -> Iterator[str]:
    """Yield the first lines, and how many others there are."""
    yield from lines[:most]
    if len(lines) > most:
        yield f"… and {len(lines) - most} more{others}"


def notes_of(corpora: Sequence[LoadedCorpus], experiment: Experiment, read: Mapping[str, TokensRead]) -> list[Note]:
    """Return the notes of each corpus, then those of all together."""
    own: list[Note] = []
    for loaded in corpora:
        texts = [*loaded.notes, *(left_out_lines(read[loaded.name]) if loaded.name in read else ())]
        if loaded.corpus is not None and len(loaded.gold) < FEW_CLUSTERS:  # which the verdict of a run says
            texts.append(format_count(len(loaded.gold), "utterance") + TOO_FEW)
        if _speakers_of(loaded) is None and experiment.uncertainty.cluster != "utterance":
            if pattern := suggested_pattern(loaded):
                names = dict.fromkeys(speakers_in_ids(loaded.gold.utterances, pattern))
                some = " ".join(islice(names, 3)) + " …" * (len(names) > 3)
                line = f"if they are right, write speakers: {{pattern: {json.dumps(pattern)}}}"
                texts.append(f"speakers are unknown, and ids suggest {len(names)} ({some}): {line}")
            else:
                how = "speakers: FILE" if experiment.folder else "--speakers FILE (in Python speakers=)"
                texts.append(f"{SPEAKERS_UNKNOWN}; name them with {how}")
        own += [Note(loaded.name, text) for text in texts]
    return [*own, *general_notes(corpora, experiment)]


def general_notes(corpora: Sequence[LoadedCorpus], experiment: Experiment) -> list[Note]:
    """Return the notes that are of no corpus: on the table of languages, and on settings without effect."""
    notes = without_effect(corpora, experiment)
    if experiment.languages is not None:
        spoken = (one.language for one in corpora if one.language is not None)
        notes += note_languages(experiment.languages, load_languages(experiment.languages), spoken)
    return [Note("", text) for text in notes]


def merge_notes(notes: Iterable[Note], corpora: int, *, each: bool = False) -> list[str]:
    """Return notes as lines, one for all of the corpora that it is said of.

    Notes of several corpora that are alike but for numbers and examples are one line, too, unless `each` is asked for.
    """
    alike: dict[str, dict[str, list[str]]] = {}
    for note in notes:
        texts = alike.setdefault(note.text if each else _VARYING.sub("", note.text), {})
        texts.setdefault(note.text, []).append(note.corpus)
    lines = []
    for texts in alike.values():
        merged = len(texts) > _NAMED_ITEMS
        groups = {next(iter(texts)): [name for own in texts.values() for name in own]} if merged else texts
        for text, names in groups.items():
            every = f"all {corpora} corpora" if len(names) == corpora > _NAMED_ITEMS else ", ".join(names)
            others = f" (numbers of {names[0]}; check --verbose has those of each)" if merged else ""
            lines.append(f"{every}: {text}{others}" if names[0] and corpora > 1 else text)
    return lines


def without_effect(corpora: Sequence[LoadedCorpus], experiment: Experiment) -> list[str]:
    """Return which settings were changed although, with these data, nothing depends on them."""
    idle: dict[str, list[str]] = {}
    for name, section in ((name, section) for name, section in experiment if isinstance(section, Section)):
        fields = type(section).model_fields
        for setting in (f"{name}.{key}" for key, value in section if value != fields[key].default):
            for needs, reason, holds in _NEEDS:
                # A setting is named once, by the first need that is not met, which is the most general one.
                if any(f"{setting}.".startswith(f"{one}.") for one in needs.split()) and not holds(corpora, experiment):
                    idle.setdefault(reason, []).append(setting)
                    break
    given = experiment.corpora.items()
    if forced := [f"corpora.{name}.times" for name, one in given if one.times == "forced" and not one.posteriors]:
        idle["there are no posteriors"] = forced
    return [f"{' and '.join(names)} {'have' if names[1:] else 'has'} no effect: {why}" for why, names in idle.items()]


def _has_posteriors(loaded: LoadedCorpus) -> bool:
    return loaded.posteriorgrams is not None


def _has_confidences(loaded: LoadedCorpus) -> bool:
    return _has_posteriors(loaded) or (loaded.corpus is not None and loaded.corpus.predicted.confidence is not None)


def _has_decoded_runs(loaded: LoadedCorpus) -> bool:
    return loaded.decoded is not None and loaded.posteriorgrams is not None and loaded.posteriorgrams.blank is None


def _has_times(loaded: LoadedCorpus) -> bool:
    both = loaded.corpus
    return both is not None and both.gold.start is not None and both.predicted.start is not None


_Condition: TypeAlias = Callable[[Sequence[LoadedCorpus], Experiment], bool]


def _any_corpus(has: Callable[[LoadedCorpus], bool]) -> _Condition:
    return lambda corpora, _: any(map(has, corpora))


_OF_POSTERIORS = "map information confidence.map pairing.check_posteriors"
# Settings or sections, why they may have no effect, and whether they have one.
_NEEDS: tuple[tuple[str, str, _Condition], ...] = (
    (_OF_POSTERIORS, "no corpus has posteriors", _any_corpus(_has_posteriors)),
    ("map.n_neighbors", "map.method is not umap", lambda _, experiment: experiment.map.method == "umap"),
    ("confidence.bins", "no corpus has confidences or posteriors", _any_corpus(_has_confidences)),
    ("decoding", "every corpus has predictions", lambda _, of: any(not one.predicted for one in of.corpora.values())),
    ("decoding.min_duration", "no posteriors without a blank are decoded", _any_corpus(_has_decoded_runs)),
    ("times", "no times of gold are found from posteriors", _any_corpus(lambda one: one.forced)),
    ("expected", "there is no reference beside a target", lambda corpora, _: len({one.role for one in corpora}) > 1),
    ("expected.distance", "expected.common is not features", lambda _, one: one.expected.common == "features"),
    ("boundaries", "no corpus has times of gold and predicted phones", _any_corpus(_has_times)),
)


def _corpus_lines(
    loaded: LoadedCorpus, experiment: Experiment, read: TokensRead | None, *, verbose: bool
) -> Iterator[str]:
    gold, posteriorgrams = loaded.gold, loaded.posteriorgrams
    predicted_size, posteriors = "no predictions", "no posteriors"
    if loaded.corpus is not None:
        gold, predicted = loaded.corpus.gold, loaded.corpus.predicted
        predicted_size = f"{len(predicted.codes):,} predicted ({len(np.unique(predicted.codes))} different)"
    if posteriorgrams is not None:
        posteriors = f"posteriors of {len(posteriorgrams):,} utterances"
    size = f"{len(gold.codes):,} gold phones ({len(np.unique(gold.codes))} different), {predicted_size}, {posteriors}"
    yield f"{loaded.name} ({loaded.role}): {format_count(len(gold), 'utterance')}, {size}"
    if not verbose:
        return
    yield from _corpus_details(loaded)
    yield from (f"  posteriors {line}" for line in ([] if read is None else frame_lines(read)))
    if loaded.corpus is not None:
        costs = costs_in_use(loaded.corpus.gold_inventory, loaded.corpus.predicted_inventory, experiment)
        note = f"; {costs.note}" if costs.note else ""
        yield f"  costs      {costs.name}, multiples of 1/{costs.denominator}{note}"


def _speakers_of(loaded: LoadedCorpus) -> Sequence[str] | None:
    return loaded.gold.speakers if loaded.corpus is None else loaded.corpus.speakers


def suggested_pattern(loaded: LoadedCorpus) -> str:
    """Return the pattern of speakers that the ids of a corpus suggest, "" where they suggest none or are not needed."""
    return "" if _speakers_of(loaded) is not None else propose_pattern(loaded.gold.utterances)


def _corpus_details(loaded: LoadedCorpus) -> Iterator[str]:
    predicted = None if loaded.corpus is None else loaded.corpus.predicted
    sides = {"gold": loaded.gold, "predicted": predicted, "canonical": loaded.canonical}
    for side, sequences in sides.items():
        if sequences is not None:
            number = f"{len(sequences.codes):,} phones of {len(sequences):,} utterances, " * (side == "canonical")
            yield f"  {side:<10} {number}{len(sequences.inventory)} phones: {' '.join(sequences.inventory)}"
    for side, sequences in sides.items():
        if sequences is not None and (tones := sequences.tones) is not None:
            yield f"  {side} tones: {len(tones.codes)}, namely {' '.join(map(shown_tone, tones.inventory))}"
    if loaded.posteriorgrams is not None:
        yield f"  posteriors over {len(loaded.posteriorgrams.inventory)} phones"
    for side, audit in loaded.audits.items():
        for action in dict.fromkeys(row.action for row in audit if row.action != "kept"):
            rows = [row for row in audit if row.action == action]
            pairs = ", ".join(f"{row.raw or '(empty)'}→{row.symbol or '–'} {row.count}" for row in rows)
            yield f"  {side} {action}: {pairs}"
        if composed := [f"{row.symbol} {row.count}" for row in audit if row.features == "composed"]:
            yield f"  {side} with features composed by rule: {', '.join(composed)}"


def spreadsheet_notes(corpora: Iterable[LoadedCorpus]) -> list[Note]:
    """Return what to say of names that begin like formulas and are more than that sign."""
    # Spreadsheets compute what begins like a formula (https://owasp.org/www-community/attacks/CSV_Injection). Tables
    # are for programs first, so such names are mentioned, and not changed.
    every: set[str] = set()
    for loaded in corpora:
        every |= {*loaded.gold.utterances, *loaded.gold.inventory}
        every |= {name for audit in loaded.audits.values() for row in audit for name in (row.raw, row.symbol)}
        if loaded.corpus is not None:
            every |= {*loaded.corpus.predicted_inventory, *(loaded.corpus.speakers or ())}
    names = sorted(name for name in every if len(name) > 1 and name[0] in "=+-@")
    number = "1 name begins" if len(names) == 1 else f"{len(names):,} names begin"
    remedy = "import the tables into a spreadsheet as text (docs/scale.md)"
    return [Note("", f"{number} with =, +, - or @, such as '{name[:40]}': {remedy}") for name in names[:1]]


def read_all(
    corpora: Iterable[LoadedCorpus], experiment: Experiment, work: Work, progress: Progress
) -> dict[str, TokensRead]:
    def read(loaded: LoadedCorpus) -> TokensRead | None:
        progress.step(f"reading posteriors of {loaded.name}")
        return read_tokens(loaded, experiment, work, progress.frames)

    every = of_each({loaded.name: loaded for loaded in corpora}, read)
    return {name: tokens for name, tokens in every.items() if tokens is not None}


def read_tokens(
    loaded: LoadedCorpus, experiment: Experiment, work: Work, report: Callable[[int], object]
) -> TokensRead | None:
    if loaded.posteriorgrams is None or loaded.segments is None:
        return None
    if loaded.forced:
        forced = force_corpus(loaded, experiment, work, report)
        if experiment.pairing.check_posteriors:
            refuse_learned(forced.learned, loaded.segments, loaded.posteriorgrams.source)
        return TokensRead(forced.tokens, forced)
    tokens = token_posteriors(loaded.posteriorgrams, loaded.segments, work=work, report=report, entropies=True)
    lost, segments = int(tokens.without_frame.sum()), loaded.segments
    if lost <= _WITHOUT_FRAME * len(segments.codes) or not experiment.pairing.check_posteriors:
        return TokensRead(tokens)
    first = f"first in utterance '{segments.utterances[int(segments.token_utterances()[tokens.first_without])]}'"
    if segments.start is not None:
        first += f" at {segments.start[tokens.first_without]:g} s"
    msg = f"{lost} of {len(segments.codes)} gold tokens hold the centre of no frame ({first}): {_count_tokens(tokens)}"
    doubt = check_length(loaded.posteriorgrams, segments)
    remedy = f"The {doubt}." if doubt else "Are frame_shift and frame_offset right?"
    raise DataError(f"{segments.source}: {msg}\n{remedy}")


def frame_lines(read: TokensRead) -> Iterator[str]:
    tokens, forced = read
    if forced is not None:
        yield f"times forced from the posteriors, mean certainty {forced.certainty.mean():.3f}"
    if forced is not None and not math.isnan(tokens.blank_share):
        yield f"{tokens.read} frames, {tokens.blank_share:.1%} of their mass blank"
    elif tokens.read:
        yield f"{tokens.read:,} frames; {tokens.outside:,} of them lie outside all gold phones"
    yield from left_out_lines(read)


def left_out_lines(read: TokensRead) -> Iterator[str]:
    """Yield which gold tokens posteriors say nothing of, a clause for each reason."""
    if each := _count_tokens(read.tokens):
        yield f"gold tokens that hold the centre of no frame: {each}"


def _count_tokens(tokens: TokenPosteriors) -> str:
    counts = zip(tokens.phones, tokens.without_frame, strict=True)
    lost = sorted(((phone, int(number)) for phone, number in counts if number), key=lambda pair: -pair[1])
    return " ".join(f"{phone} {number}" for phone, number in lost)


def with_likely_scale(posteriorgrams: Posteriorgrams) -> Posteriorgrams:
    """Return posteriors of the scale that the first frames look like; as they are where they look like none."""
    # One utterance tells the scale: rows of logits, logarithms and probabilities differ in every frame.
    frames = next((rows for name in posteriorgrams.utterances if len(rows := posteriorgrams.raw(name))), ())
    scale = scale_of(frames[:_FRAMES]) if len(frames) else ""
    return replace(posteriorgrams, scale=scale or posteriorgrams.scale)


def decode_file(posteriorgrams: Posteriorgrams, output: Path, min_duration: float, work: Work = SERIAL) -> str:
    labels = decode_labels(posteriorgrams, min_duration, work)
    from phonxling.analyses.utterances import decoded_text  # brings pandas

    write_new(output, decoded_text(labels).encode())
    empty = int((labels.lengths == 0).sum())
    runs = f"runs of frames of {min_duration:g} s or more"
    how = runs if posteriorgrams.blank is None else "the best label of each frame"
    none = f", {empty} of them without any" if empty else ""
    return f"{output}: {len(labels.codes):,} phones in {format_count(len(labels), 'utterance')}{none} ({how})"

"""Checks of loaded corpora: their costs and posteriors; and what users are told of them, by `check` or a run."""

import json
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path

import numpy as np

from phonxling.analyses.costs import Costs, Learning, alignment_costs, costs_between, scoring_costs
from phonxling.analyses.fitting import halving
from phonxling.analyses.gold_labels import read_map
from phonxling.analyses.loaded import LoadedCorpus, features_of, refusal
from phonxling.analyses.same_phones import listed
from phonxling.core.corpus import Corpus
from phonxling.core.errors import ConfigurationError, PhonxlingError, join_problems
from phonxling.core.sequences import PhoneSequences
from phonxling.core.tone import shown_tone
from phonxling.core.work import SERIAL, Silent
from phonxling.experiment.corpora import load_corpora, raise_problems
from phonxling.experiment.posterior_reading import Read, frame_lines, left_out_lines, read_all
from phonxling.load.resources import proposed_pattern, speakers_in_ids
from phonxling.phones.natural_classes import natural_classes
from phonxling.settings.models import Experiment

_QUIET = {"kept"}
_FORMULA = ("=", "+", "-", "@")  # how a cell begins that a spreadsheet would compute


def checked(experiment: Experiment) -> tuple[list[LoadedCorpus], dict[str, Read]]:
    """Return the corpora of a configuration, and what their posteriors say, once all of it is checked."""
    corpora = load_corpora(experiment)
    check_costs(corpora, experiment)
    return corpora, check_posteriors(corpora, experiment)


def check_posteriors(corpora: Iterable[LoadedCorpus], experiment: Experiment) -> dict[str, Read]:
    """Read all posteriors once, and return what they say of each corpus that has some; DataError with all problems."""
    without_chance = experiment.model_copy(update={"forced": experiment.forced.model_copy(update={"replicates": 0})})
    return read_all(corpora, without_chance, SERIAL, Silent())


def check_costs(corpora: Iterable[LoadedCorpus], experiment: Experiment) -> None:
    """Make every corpus' costs, read the map of its phones and tables; raise DataError with what is wrong."""
    check_classes(experiment)
    loaded = list(corpora)
    reference = next((corpus for corpus in loaded if corpus.role == "reference"), None)
    problems: dict[str, PhonxlingError] = {}
    for corpus in loaded:
        try:
            _make_costs(corpus, reference, experiment)
            if corpus.posteriorgrams is not None:
                read_map(corpus.posteriorgrams.inventory, experiment.confidence)
        except PhonxlingError as error:
            problems[corpus.name] = error
    raise_problems(problems)


def check_classes(experiment: Experiment) -> None:
    """Raise ConfigurationError when a class of the configuration asks for features that the feature table lacks."""
    problems = []
    for name, query in experiment.classes.items():
        try:
            natural_classes((), features_of(experiment), {name: query})
        except ValueError as error:
            problems.append(f"{experiment.where(f'classes.{name}')}: classes.{name}: {error}")
    if problems:
        raise ConfigurationError(join_problems("natural classes that the features cannot tell:", problems))


def _make_costs(loaded: LoadedCorpus, reference: LoadedCorpus | None, experiment: Experiment) -> None:
    if loaded.corpus is None:
        return
    made = _costs(loaded.corpus, experiment)
    if any(isinstance(costs, Learning) for costs in made):
        halving(loaded.corpus, experiment.seed, by_speaker=True)
    if loaded.role == "target" and reference is not None and not refusal(loaded, reference, experiment.expected):
        other = reference.corpus
        if other is not None:
            costs_between(loaded.corpus, other, experiment)
            if isinstance(experiment.expected.common, Path):
                listed(experiment.expected.common, loaded.corpus.gold_inventory, other.gold_inventory)


def _costs(corpus: Corpus, experiment: Experiment) -> tuple[Costs, Costs]:
    phones = corpus.gold_inventory, corpus.predicted_inventory
    return alignment_costs(*phones, experiment), scoring_costs(*phones, experiment)


def describe_corpus_costs(loaded: LoadedCorpus, experiment: Experiment) -> Iterator[str]:
    """Yield lines on the costs of one corpus: which they are, their unit, and how they were rounded."""
    if loaded.corpus is None:
        return
    align, score = _costs(loaded.corpus, experiment)
    for use, costs in (("costs", align), ("scoring", score)):
        table = costs.start if isinstance(costs, Learning) else costs
        learned = f"learned, beginning with {table.name}" if isinstance(costs, Learning) else table.name
        note = f"; {table.note}" if table.note else ""
        yield f"  {use:<10} {learned}, multiples of 1/{table.denominator}{note}"


def corpus_lines(loaded: LoadedCorpus, experiment: Experiment, read: Read | None, *, verbose: bool) -> Iterator[str]:
    """Yield what `check` says of one corpus: a line, its notes, and, when verbose, all that is known of it."""
    yield corpus_line(loaded)
    left_out = [] if read is None else left_out_lines(read)
    yield from (f"  note: {note}" for note in (*loaded.notes, *left_out, *speaker_notes(loaded, experiment)))
    if verbose:
        yield from describe_corpus(loaded)
        yield from (f"  posteriors {line}" for line in ([] if read is None else frame_lines(read)))
        yield from describe_corpus_costs(loaded, experiment)


def speaker_notes(loaded: LoadedCorpus, experiment: Experiment) -> Iterator[str]:
    """Yield that speakers are unknown, and which ones the ids suggest, with the line to write."""
    if suggested_pattern(loaded) and experiment.uncertainty.cluster == "speaker":
        pattern = suggested_pattern(loaded)
        names = dict.fromkeys(speakers_in_ids(loaded.gold.utterances, pattern))
        some = " ".join(islice(names, 3)) + " …" * (len(names) > 3)
        line = f"speaker_pattern: {json.dumps(pattern)}"
        yield f"speakers are unknown, and ids suggest {len(names)} ({some}): if they are right, write {line}"


def suggested_pattern(loaded: LoadedCorpus) -> str:
    """Return the pattern of speakers that the ids of a corpus suggest, "" where they suggest none or are not needed."""
    known = loaded.gold.speakers if loaded.corpus is None else loaded.corpus.speakers
    return "" if known is not None else proposed_pattern(loaded.gold.utterances)


def corpus_line(loaded: LoadedCorpus) -> str:
    """Return one line on a corpus: utterances, and of each side the tokens and the different phones."""
    gold = loaded.gold if loaded.corpus is None else loaded.corpus.gold
    heard = "no predictions"
    if loaded.corpus is not None:
        predicted = loaded.corpus.predicted
        heard = f"{len(predicted.codes):,} predicted ({_different(predicted)} different)"
    posteriors = "no posteriors"
    if loaded.posteriorgrams is not None:
        posteriors = f"posteriors of {len(loaded.posteriorgrams):,} utterances"
    sides = f"{len(gold.codes):,} gold phones ({_different(gold)} different), {heard}, {posteriors}"
    return f"{loaded.name} ({loaded.role}): {len(gold):,} utterances, {sides}"


def _different(sequences: PhoneSequences) -> int:
    return int(np.count_nonzero(np.bincount(sequences.codes, minlength=1)))


def describe_corpus(loaded: LoadedCorpus) -> Iterator[str]:
    """Yield lines on one corpus: inventories, what became of symbols, and which features are by rule."""
    yield f"  gold       {len(loaded.gold.inventory)} phones: {' '.join(loaded.gold.inventory)}"
    if loaded.corpus is not None:
        inventory = loaded.corpus.predicted_inventory
        yield f"  predicted  {len(inventory)} phones: {' '.join(inventory)}"
    yield from _tones(loaded)
    if loaded.posteriorgrams is not None:
        yield f"  posteriors over {len(loaded.posteriorgrams.inventory)} phones"
    for side, audit in loaded.audits.items():
        for action in dict.fromkeys(row.action for row in audit):
            rows = [row for row in audit if row.action == action and action not in _QUIET]
            if rows:
                pairs = ", ".join(f"{row.raw or '(empty)'}→{row.symbol or '–'} {row.count}" for row in rows)
                yield f"  {side} {action}: {pairs}"
        composed = [f"{row.symbol} {row.count}" for row in audit if row.features == "composed"]
        if composed:
            yield f"  {side} with features composed by rule: {', '.join(composed)}"


def _tones(loaded: LoadedCorpus) -> Iterator[str]:
    sides = {"gold": loaded.gold, "predicted": None if loaded.corpus is None else loaded.corpus.predicted}
    for side, sequences in sides.items():
        if sequences is not None and sequences.tones is not None:
            tones = sequences.tones
            yield f"  {side} tones: {len(tones.codes)}, namely {' '.join(map(shown_tone, tones.inventory))}"


def spreadsheet_note(corpora: Iterable[LoadedCorpus]) -> str:
    """Return what to say of names that begin like formulas and are more than that sign; "" when there are none."""
    names = sorted({name for loaded in corpora for name in _names(loaded) if is_formula(name)})
    if not names:
        return ""
    number = "1 name begins" if len(names) == 1 else f"{len(names):,} names begin"
    shown = f"with =, +, - or @, such as '{names[0][:40]}'"
    return f"{number} {shown}: import the tables into a spreadsheet as text (docs/scale.md)"


def is_formula(text: str) -> bool:
    """Return whether a spreadsheet would compute a cell."""
    return len(text) > 1 and text.startswith(_FORMULA)


def _names(loaded: LoadedCorpus) -> Iterator[str]:
    yield from loaded.gold.utterances
    yield from loaded.gold.inventory
    for audit in loaded.audits.values():
        yield from (name for row in audit for name in (row.raw, row.symbol))
    if loaded.corpus is not None:
        yield from loaded.corpus.predicted_inventory
        yield from loaded.corpus.speakers or ()

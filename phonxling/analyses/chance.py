"""Predictions without information: what an aligner scores when the recogniser has heard nothing.

A feature-weighted rate of unrelated sequences is far below 1, so a rate alone misleads. Each model redraws the
predictions, of the same lengths; they are aligned anew, for the alignment itself makes unrelated sequences
look alike.

- `constant`: one phone only; of all phones the one that scores best.
- `uniform`: each phone drawn at random, all phones of the recogniser's inventory alike.
- `unigram`: each phone drawn at random from the predictions' own frequencies.
- `bigram`: the first phone drawn from the predictions' first phones, each other one from what follows its predecessor
  in the predictions; after a phone that nothing ever follows, from the frequencies of all phones.
- `shuffled`: the predictions of another utterance, with other gold phones and of another speaker where speakers are
  known, from a random place on; those of further such utterances follow, as many as are needed; the last one is cut.

A level is the mean over replicates, each of which comes about from its own seed (experiment, model, replicate) alone,
so that no other setting moves it, and tasks can be done anywhere. While clusters are left out, draws, and the
constant's phone, stay what they are: rate and level are left out together.
"""

import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from phonxling.alignment.confusions import stack_parts
from phonxling.alignment.corpus import align_in_parts, least_costs
from phonxling.alignment.counting_kernel import pay_constants
from phonxling.analyses.statistics import CountSettings, MeasuredValue, measure_statistics, statistics_called
from phonxling.core.arrays import Codes, Floats, offsets_of
from phonxling.core.confusion import Alignments, ConfusionStack
from phonxling.core.costs import CostTable
from phonxling.core.sequences import Corpus, PhoneSequences
from phonxling.core.work import SERIAL, Record, Work
from phonxling.stats.jackknife import Clusters
from phonxling.stats.student import jackknife_error

_CELLS = 20_000_000  # gold tokens, times constants, in a task
_TOGETHER = 40_000  # phones of the replicates in a task: fewer take less time than starting to align them
_AT_FIRST = 5  # replicates that are drawn before asking whether more are needed, and each time after
# Of the standard error of the number that is held against a level, which is a tenth of the width of its interval: no
# more is drawn where the level's own error over draws is below that.
_SETTLED_RATIO = 0.4


class Donors(NamedTuple):
    """The donors of each of U utterances, among the D utterances with predictions, in the order of their speakers."""

    order: Codes
    text: Codes
    first: Codes
    keys: Codes
    own: Codes
    skipped: Codes
    number: Codes
    by_speaker: bool

    def draw(self, utterances: Codes, generator: np.random.Generator) -> Codes:
        """Return a donor for each utterance, all of its donors being equally likely."""
        place = generator.integers(0, self.number[utterances])  # among those of another text and another speaker
        place += np.where(place >= self.own[utterances], self.skipped[utterances], 0)
        text = self.text[utterances]
        # those of the utterance's own text are skipped by counting how many of them come before
        before = np.searchsorted(self.keys, text * (len(self.order) + 1) + place, "right") - self.first[text]
        return np.asarray(self.order[place + before])

    def missing(self, predicted: PhoneSequences) -> str:
        """Return why predictions cannot be shuffled, "" where every one of them has a donor."""
        needed = predicted.lengths > 0
        without = int((self.number[needed] == 0).sum())
        if not without:
            return ""
        if needed.sum() < 2:
            return "predictions cannot be shuffled: there is one utterance only"
        speaker = " of another speaker" * self.by_speaker
        reason = f"no utterance{speaker} has predictions and other gold phones"
        return f"predictions cannot be shuffled: {without} of {needed.sum()} utterances have no donor, since {reason}"


def texts_of(gold: PhoneSequences) -> Codes:
    """Return the text of each utterance by number, [U]: equal where all gold phones are, and all tones of a tier."""
    numbers: dict[tuple[bytes, ...], int] = {}
    tiers = [gold] if gold.tones is None else [gold, gold.tones]
    runs = zip(*(tier.runs() for tier in tiers), strict=True)
    return np.array([numbers.setdefault(run, len(numbers)) for run in runs], np.int64)


# With shared prompts another speaker's utterance of the same text knows the answer, so it is no donor. Donors are drawn
# at random, all alike; each draw takes a search among D, whatever the texts and the speakers are.
def donors_of(corpus: Corpus, text: Codes) -> Donors:
    """Return the donors of each utterance of a corpus; `text` [U] is that of each, by number."""
    speaker = np.zeros(len(text), np.int64) if corpus.speaker_numbers is None else corpus.speaker_numbers
    by_speaker = bool(speaker.any())
    pool = np.flatnonzero(corpus.predicted.lengths)
    order = pool[np.argsort(speaker[pool], kind="stable")]
    by_text = np.argsort(text[order], kind="stable")  # places in `order`, text by text
    first = offsets_of(np.bincount(text[order], minlength=int(text.max(initial=-1)) + 1))
    rows, size = text[order][by_text], len(order)
    places = rows * (size + 1) + by_text
    own = after = np.zeros(len(text), np.int64)
    if by_speaker:
        own, after = (np.searchsorted(speaker[order], speaker, side) for side in ("left", "right"))
    own, after = (  # less those of the utterance's own text
        end - np.searchsorted(places, text * (size + 1) + end) + first[text] for end in (own, after)
    )
    keys, skipped = places - (np.arange(size) - first[rows]), after - own
    return Donors(order, text, first[:-1], keys, own, skipped, size - np.diff(first)[text] - skipped, by_speaker)


# Each model returns predictions of the same lengths.


def shuffled_predictions(predicted: PhoneSequences, generator: np.random.Generator, donors: Donors) -> PhoneSequences:
    codes = np.empty_like(predicted.codes)
    filled, ends, lengths = predicted.offsets[:-1].copy(), predicted.offsets[1:], predicted.lengths
    going, place = np.flatnonzero(lengths), None
    while len(going):
        donor = donors.draw(going, generator)
        # from a random place on, for all utterances may begin alike; further donors are read from their start
        place = generator.integers(0, lengths[donor]) if place is None else np.zeros(len(donor), np.int64)
        taken = np.minimum(lengths[donor] - place, ends[going] - filled[going])
        steps = np.arange(taken.sum()) - np.repeat(np.cumsum(taken) - taken, taken)
        source = np.repeat(predicted.offsets[donor] + place, taken) + steps
        codes[np.repeat(filled[going], taken) + steps] = predicted.codes[source]
        filled[going] += taken
        going = going[filled[going] < ends[going]]
    return recode_predictions(predicted, codes)


def uniform_predictions(predicted: PhoneSequences, generator: np.random.Generator) -> PhoneSequences:
    drawn = generator.integers(0, len(predicted.inventory), len(predicted.codes), np.int32)
    return recode_predictions(predicted, drawn.astype(predicted.codes.dtype))


def unigram_predictions(predicted: PhoneSequences, generator: np.random.Generator) -> PhoneSequences:
    number = len(predicted.codes)
    return recode_predictions(predicted, predicted.codes[generator.integers(0, number, number)])


def bigram_predictions(predicted: PhoneSequences, generator: np.random.Generator) -> PhoneSequences:
    phones, codes = len(predicted.inventory), np.empty_like(predicted.codes)
    # of the smallest type, for codes of one or two bytes are sorted ten times as fast
    before = np.append(phones, predicted.codes)[:-1].astype(np.min_scalar_type(phones))
    before[predicted.offsets[:-1][predicted.lengths > 0]] = phones  # what comes first follows nothing
    sizes = np.bincount(before, minlength=phones + 1)
    following = np.concatenate([predicted.codes[np.argsort(before, kind="stable")], predicted.codes])
    bounds = offsets_of(sizes)[:-1]
    alone = sizes == 0  # what nothing ever follows is followed by any phone
    bounds[alone], sizes[alone] = len(codes), len(codes)
    order = np.argsort(-predicted.lengths, kind="stable")
    begins, last = predicted.offsets[:-1][order], np.full(len(order), phones)
    # the longest utterances first, so that those still going at a place are the first ones
    longer = np.cumsum(np.bincount(predicted.lengths)[::-1])[::-1][1:]  # utterances that are longer than 0, 1, …
    for place, going in enumerate(longer.tolist()):
        last = last[:going]
        last = following[bounds[last] + generator.integers(0, sizes[last])]
        codes[begins[:going] + place] = last
    return recode_predictions(predicted, codes)


MODELS: dict[str, Callable[[PhoneSequences, np.random.Generator], PhoneSequences]] = {  # and `shuffled`, among donors
    "uniform": uniform_predictions,
    "unigram": unigram_predictions,
    "bigram": bigram_predictions,
}


def recode_predictions(predicted: PhoneSequences, codes: NDArray[np.integer]) -> PhoneSequences:
    """Return predictions of the same lengths, of other phones."""
    codes.flags.writeable = False  # so that nobody needs to copy them
    return PhoneSequences(
        utterances=predicted.utterances, offsets=predicted.offsets, codes=codes, inventory=predicted.inventory
    )


def count_aligned(gold: PhoneSequences, predicted: PhoneSequences, costs: CostTable) -> tuple[Floats, ConfusionStack]:
    """Return each pair's least cost, [U], and the confusions, with the paths of some utterances held at a time."""
    cost, pairs = [np.zeros(0)], len(gold.codes) + len(predicted.codes)

    def parts() -> Iterator[Alignments]:
        for aligned in align_in_parts(gold, predicted, costs):
            cost.append(aligned.cost / aligned.denominator)
            yield aligned

    stack = stack_parts(parts(), (costs.gold, costs.predicted), utterances=gold.utterances, pairs=pairs)
    return np.concatenate(cost), stack


# Predictions of one phone alone can be aligned with any of the gold phones, in their order. So the least cost of an
# utterance is that of gaps alone, Σ deletions + m insertions, less what pairs save: of its gold phones those pair that
# save most, substitution − deletion − insertion < 0, m at most. That needs only how often the utterance has each phone.
def constant_costs(corpus: Corpus, costs: CostTable, answers: range) -> Floats:
    """Return what each utterance costs at least if every prediction is one phone, [k, U], by the phones' codes."""
    gold, phones = corpus.gold.recode(costs.gold), corpus.predicted.inventory.phones
    codes = np.array([costs.predicted.code(phones[answer]) for answer in answers], np.int64)
    deletion, insertion = costs.deletion.astype(np.int64), costs.insertion[codes].astype(np.int64)
    saved = costs.substitution[:, codes].T - deletion - insertion[:, None]
    order = np.argsort(saved, axis=1, kind="stable")
    paid = np.empty((len(codes), len(gold)), np.int64)
    # a pair is made only where it is cheaper than a deletion and an insertion
    saved = np.minimum(np.take_along_axis(saved, order, axis=1), 0)
    tokens = np.zeros_like(deletion)
    pay_constants(gold.codes, gold.offsets, corpus.predicted.lengths, deletion, insertion, order, saved, tokens, paid)
    return paid / costs.denominator


@dataclass(frozen=True, slots=True)
class ChanceSettings:
    """Models, most replicates, seed, who is left out, and what is measured of confusions.

    `errors` are the standard errors of the corpus' own rate, and of its statistics, [1 + M]; NaN where there is none.
    """

    models: tuple[str, ...]
    replicates: int
    seed: int
    clusters: Clusters
    errors: Floats
    counting: CountSettings | None = None
    statistics: tuple[str, ...] = ()  # by their names: what holds functions cannot be kept for a next run


@dataclass(frozen=True, eq=False, kw_only=True)
class ChanceLevel:
    """What one chance model scores under one cost table.

    `rates` [k] are those of its replicates, `cost` [U] the mean cost of each utterance, `measures` the mean statistics,
    `phone` the constant's, `missing` why there is no level.
    """

    model: str
    rates: Floats = field(default_factory=lambda: np.zeros(0))
    cost: Floats = field(default_factory=lambda: np.zeros(0))
    measures: Mapping[str, MeasuredValue] = field(default_factory=dict)
    phone: str = ""
    missing: str = ""

    @property
    def rate(self) -> float:
        """Mean rate over replicates; NaN when there is none."""
        return float(self.rates.mean()) if len(self.rates) else float("nan")


def chance_levels(
    corpus: Corpus, settings: ChanceSettings, *, costs: CostTable, texts: Codes | None = None, work: Work = SERIAL
) -> list[ChanceLevel]:
    """Return the level of each model, for predictions aligned and weighed by `costs`."""
    gold, predicted = (  # without what redrawing and aligning have no use for
        PhoneSequences(utterances=side.utterances, offsets=side.offsets, codes=side.codes, inventory=side.inventory)
        for side in (corpus.gold, corpus.predicted)
    )
    donors, missing = None, "" if len(predicted.codes) else "there are no predictions to redraw"
    if "shuffled" in settings.models:
        donors = donors_of(corpus, texts_of(gold) if texts is None else texts)
    redrawn = _RedrawnCorpus(Corpus(gold=gold, predicted=predicted), costs, donors, settings)
    levels, going = dict[str, ChanceLevel](), dict[str, _Level]()
    for model in settings.models:
        if why := missing or (donors.missing(predicted) if donors and model == "shuffled" else ""):
            levels[model] = ChanceLevel(model=model, missing=why)
        elif model == "constant":
            levels[model] = _constant_level(redrawn, work)
        else:
            going[model] = _Level(redrawn)
    size = len(gold.codes) + len(predicted.codes) + len(gold)
    together = max(1, _TOGETHER // max(1, size)) if settings.counting is None else 1
    for first in range(0, settings.replicates, _AT_FIRST):
        numbers = range(first, min(first + _AT_FIRST, settings.replicates))
        parts = [(model, number) for model, level in going.items() if not level.settled for number in numbers]
        tasks = [parts[at : at + together] for at in range(0, len(parts), together)]
        for task, record in zip(tasks, work.map(draw_replicates, redrawn, tasks), strict=True):
            for (model, _), cost in zip(task, record["cost"], strict=True):
                going[model].add(cost, record)
    levels |= {model: level.mean(model) for model, level in going.items()}
    return [levels[model] for model in settings.models]


def errors_over_clusters(
    cost: Floats, tokens: Floats, clusters: Clusters, statistics: Iterable[MeasuredValue] = ()
) -> Floats:
    """Return the standard errors of Σ cost / Σ tokens over utterances, [U], and of statistics; NaN without any."""
    rate = clusters.ratio_without(cost, tokens)
    errors = jackknife_error(np.array([rate, *(one.left_out for one in statistics)]), clusters.sizes)
    return errors * (np.nan if clusters.few else 1.0)


class _RedrawnCorpus(NamedTuple):
    """A corpus whose predictions are redrawn, and how they are aligned and weighed."""

    corpus: Corpus
    costs: CostTable
    donors: Donors | None
    settings: ChanceSettings


def draw_replicates(redrawn: _RedrawnCorpus, parts: Sequence[tuple[str, int]]) -> Record:
    """Return what replicates of models come to: `cost` [K, U]; `measures` [M] and `left_out` [M, C] of one alone."""
    return _record_costs(redrawn, [_draw(redrawn, *part) for part in parts])


def _draw(redrawn: _RedrawnCorpus, model: str, number: int) -> PhoneSequences:
    generator = np.random.default_rng([redrawn.settings.seed, zlib.crc32(model.encode()), number])
    if model == "shuffled" and redrawn.donors is not None:
        return shuffled_predictions(redrawn.corpus.predicted, generator, redrawn.donors)
    return MODELS[model](redrawn.corpus.predicted, generator)


def _record_costs(redrawn: _RedrawnCorpus, drawn: Sequence[PhoneSequences]) -> Record:
    settings, gold, predictions, found = redrawn.settings, redrawn.corpus.gold, drawn[0], dict[str, MeasuredValue]()
    if len(drawn) > 1:
        every = np.tile(np.arange(len(gold)), len(drawn))
        codes = np.concatenate([one.codes for one in drawn])
        gold, predictions = gold.select(every), recode_predictions(predictions.select(every), codes)
    if settings.counting is None:
        cost = least_costs(gold, predictions, redrawn.costs)
    else:
        cost, stack = count_aligned(gold, predictions, redrawn.costs)
        chosen = statistics_called(settings.statistics)
        found = measure_statistics(chosen, stack, settings.clusters, settings.counting)
    left_out = np.array([one.left_out for one in found.values()]).reshape(len(found), len(settings.clusters.sizes))
    measures = np.array([one.value for one in found.values()], np.float64)
    return {"cost": cost.reshape(len(drawn), -1), "measures": measures, "left_out": left_out}


class _Level:
    """The level of a random model, as its replicates come in."""

    def __init__(self, redrawn: _RedrawnCorpus) -> None:
        self._gold_tokens, self._settings = float(redrawn.corpus.gold.lengths.sum()), redrawn.settings
        self._rates, self._measures = list[float](), list[Floats]()
        self._cost = self._left_out = np.zeros(1)
        self._rate_settled = False

    def add(self, cost: Floats, record: Record) -> None:
        """Add a replicate; only sums are kept, since the costs of all of a million utterances take a gigabyte."""
        # The rate's level rests on the replicates until it is settled itself, whatever statistics are drawn further
        # for: so it is the same with and without them.
        if not self._rate_settled:
            self._cost = self._cost + cost
            self._rates.append(float(cost.sum()) / self._gold_tokens)
        self._left_out = self._left_out + record["left_out"]
        self._measures.append(record["measures"])
        if len(self._measures) % _AT_FIRST == 0:
            self._rate_settled = _are_sure(np.array(self._rates)[:, None], self._settings.errors[:1])

    @property
    def settled(self) -> bool:
        """Whether further replicates would tell no more, of the rate and of all statistics."""
        return self._rate_settled and _are_sure(np.array(self._measures), self._settings.errors[1:])

    def mean(self, model: str) -> ChanceLevel:
        means = np.mean(self._measures, axis=0), self._left_out / len(self._measures)
        cost, rates = self._cost / len(self._rates), np.array(self._rates)
        return ChanceLevel(model=model, rates=rates, cost=cost, measures=_by_name(self._settings, *means))


def _are_sure(draws: Floats, errors: Floats) -> bool:
    """Return whether the means of draws [k, M] are as sure as numbers with these standard errors need them to be."""
    by_draw = draws.std(axis=0, ddof=1) / np.sqrt(len(draws))
    return bool((by_draw <= _SETTLED_RATIO * errors).all())  # NaN is not settled


def _by_name(settings: ChanceSettings, values: Floats, left_out: Floats) -> dict[str, MeasuredValue]:
    """Return statistics by their names, of values [M] and those without each group of clusters, [M, C]."""
    return dict(zip(settings.statistics, map(MeasuredValue, values.tolist(), left_out), strict=True))


def _constant_level(redrawn: _RedrawnCorpus, work: Work) -> ChanceLevel:
    """Return the level of the one phone that scores best; of equal ones the first."""
    (gold, predicted), measures = (redrawn.corpus.gold, redrawn.corpus.predicted), dict[str, MeasuredValue]()
    # so that a task holds a bounded table of gold tokens by constants
    number, together = len(predicted.inventory), max(1, _CELLS // max(1, len(gold.codes)))
    parts = [range(first, min(first + together, number)) for first in range(0, number, together)]
    totals = [record["total"] for record in work.map(constant_totals, redrawn, parts)]
    code = int(np.concatenate(totals).argmin())
    cost = constant_costs(redrawn.corpus, redrawn.costs, range(code, code + 1))[0]
    if redrawn.settings.statistics:
        record = _record_costs(redrawn, [recode_predictions(predicted, np.full(len(predicted.codes), code, np.int32))])
        measures = _by_name(redrawn.settings, record["measures"], record["left_out"])
    rates, phone = np.array([cost.sum() / gold.lengths.sum()]), predicted.inventory.phones[code]
    return ChanceLevel(model="constant", rates=rates, cost=cost, measures=measures, phone=phone)


def constant_totals(redrawn: _RedrawnCorpus, answers: range) -> Record:
    """Return what each of some phones costs in all if every prediction is that one, [k]."""
    return {"total": constant_costs(redrawn.corpus, redrawn.costs, answers).sum(axis=1)}

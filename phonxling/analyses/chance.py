"""Predictions without information: what an aligner scores when the recogniser has heard nothing.

A feature-weighted rate of unrelated sequences is far below 1, so a rate alone misleads. Each model redraws the
predictions, all but one of the same lengths; they are aligned anew, for the alignment itself makes unrelated sequences
look alike.

- `constant`: one phone only; of all phones the one that scores best.
- `uniform`: each phone drawn at random, all phones of the recogniser's inventory alike.
- `unigram`: each phone drawn at random from the predictions' own frequencies.
- `bigram`: the first phone drawn from the predictions' first phones, each other one from what follows its predecessor
  in the predictions; after a phone that nothing ever follows, from the frequencies of all phones.
- `bigram-free`: the same, until what follows is the end of an utterance: of lengths of its own.
- `shuffled`: the predictions of another utterance, with other gold phones and of another speaker where speakers are
  known, from a random place on; those of further such utterances follow, as many as are needed; the last one is cut.

Donors
------
With shared prompts another speaker's utterance of the same text knows the answer, so it is no donor. Donors are drawn
at random, all alike; each draw takes a search among D, whatever the texts and the speakers are.

What a constant costs
---------------------
Predictions of one phone q alone can be aligned with any of the gold phones, in their order. So the least cost of an
utterance is that of gaps alone, Σ deletions + m insertions, less what pairs save: of its gold phones those pair that
save most, substitution − deletion − insertion < 0, m at most. That needs only how often the utterance has each phone.

Levels
------
Bootstrap draw r takes the model's replicate r mod K under the corpus' own weights, so that an interval holds both the
choice of utterances and the randomness of the model. Of each replicate only its draws are kept, never its counts.
Replicates are shards, whose results are added up in their order. Each comes about from its own seed (experiment, model,
replicate) alone, so that no other setting moves it, and tasks can be done anywhere.
"""

import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from phonxling.alignment.corpus import align_in_parts, cells_of, least_costs
from phonxling.analyses import kernel
from phonxling.analyses.statistics import CountSettings, draws, keyed, values
from phonxling.core.arrays import Codes, Floats, offsets_of
from phonxling.core.confusion import Alignments, ConfusionStack
from phonxling.core.costs import CostTable
from phonxling.core.sequences import Corpus, PhoneSequences
from phonxling.core.work import SERIAL, Record, Work
from phonxling.count.confusions import stack_parts
from phonxling.resample.entropies import cluster_cells
from phonxling.resample.intervals import Resampling

_AT_ONCE = 1 << 20  # numbers that are drawn at one time
_CELLS = 20_000_000  # cells of the full tables in a task
_CANDIDATES = 4  # constants, at least, among which the best is chosen anew in each bootstrap draw
_NUMBERS = 4_000_000  # utterances times candidates that are kept


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


def constant_prediction(predicted: PhoneSequences, code: int) -> PhoneSequences:
    """Return predictions of the same lengths, every phone replaced by one."""
    return _recoded(predicted, np.full(len(predicted.codes), code, dtype=np.int32))


# Each model returns predictions, all but `bigram-free` of the same lengths.


def shuffled_predictions(predicted: PhoneSequences, generator: np.random.Generator, donors: Donors) -> PhoneSequences:
    codes = np.empty_like(predicted.codes)
    filled, ends, lengths = predicted.offsets[:-1].copy(), predicted.offsets[1:], predicted.lengths
    going, place = np.flatnonzero(lengths), None
    while len(going):
        donor = donors.draw(going, generator)
        place = generator.integers(0, lengths[donor]) if place is None else np.zeros(len(donor), np.int64)
        taken = np.minimum(lengths[donor] - place, ends[going] - filled[going])
        steps = np.arange(taken.sum()) - np.repeat(np.cumsum(taken) - taken, taken)
        said = np.repeat(predicted.offsets[donor] + place, taken) + steps
        codes[np.repeat(filled[going], taken) + steps] = predicted.codes[said]
        filled[going] += taken
        going = going[filled[going] < ends[going]]
    return _recoded(predicted, codes)


def uniform_predictions(predicted: PhoneSequences, generator: np.random.Generator) -> PhoneSequences:
    drawn = generator.integers(0, len(predicted.inventory), len(predicted.codes), np.int32)
    return _recoded(predicted, drawn.astype(predicted.codes.dtype))


def unigram_predictions(predicted: PhoneSequences, generator: np.random.Generator) -> PhoneSequences:
    counts = np.bincount(predicted.codes, minlength=len(predicted.inventory))
    shares = np.cumsum(counts / counts.sum())
    shares /= shares[-1]
    drawn = np.empty_like(predicted.codes)
    for first in range(0, len(drawn), _AT_ONCE):  # as `Generator.choice` draws, with less memory
        part = drawn[first : first + _AT_ONCE]
        part[:] = shares.searchsorted(generator.random(len(part)), side="right")
    return _recoded(predicted, drawn)


def bigram_predictions(predicted: PhoneSequences, generator: np.random.Generator) -> PhoneSequences:
    codes, phones, following = np.empty_like(predicted.codes), len(predicted.inventory), _followers(predicted)
    following[~following.any(axis=1)] = following.sum(axis=0)  # nothing follows it
    sizes, bounds, ends = _numbered(following)
    order = np.argsort(-predicted.lengths, kind="stable")
    begins, before = predicted.offsets[:-1][order], np.full(len(order), phones)
    longer = np.cumsum(np.bincount(predicted.lengths)[::-1])[::-1][1:]  # utterances that are longer than 0, 1, …
    for place, going in enumerate(longer.tolist()):
        before = before[:going]
        drawn = bounds[before] + generator.integers(0, sizes[before])
        before = np.searchsorted(ends, drawn, "right") - before * phones
        codes[begins[:going] + place] = before
    return _recoded(predicted, codes)


def free_bigram_predictions(predicted: PhoneSequences, generator: np.random.Generator) -> PhoneSequences:
    phones, number = len(predicted.inventory), len(predicted)
    last = predicted.codes[predicted.offsets[1:][predicted.lengths > 0] - 1]
    stops = np.bincount(last, minlength=phones + 1)
    stops[-1] = number - len(last)  # begun utterances that are empty
    sizes, bounds, ends = _numbered(np.column_stack([_followers(predicted), stops]))
    steps = [(np.zeros(0, np.int64), np.zeros(0, np.int64))]
    before, going = np.full(number, phones), np.arange(number)
    while len(going):
        place = bounds[before] + generator.integers(0, sizes[before])
        after = np.searchsorted(ends, place, "right") - before * (phones + 1)
        going, before = going[after < phones], after[after < phones]
        steps.append((going, before))
    owner, codes = (np.concatenate(part) for part in zip(*steps, strict=True))
    return PhoneSequences(
        utterances=predicted.utterances,
        offsets=offsets_of(np.bincount(owner, minlength=number)),
        codes=codes[np.argsort(owner, kind="stable")].astype(predicted.codes.dtype),
        inventory=predicted.inventory,
    )


def _followers(predicted: PhoneSequences) -> Codes:
    """Return how often each phone follows each one, and in the last row how often it comes first, [P + 1, P]."""
    phones = len(predicted.inventory)
    before = np.append(phones, predicted.codes)[:-1]
    before[predicted.offsets[:-1][predicted.lengths > 0]] = phones
    return np.bincount(before * phones + predicted.codes, minlength=(phones + 1) * phones).reshape(-1, phones)


def _numbered(following: Codes) -> tuple[Codes, Codes, Codes]:
    """Return how many followers each row has, how many the rows before it, and how many there are up to each cell."""
    sizes = following.sum(axis=1)
    return sizes, np.cumsum(sizes) - sizes, np.cumsum(following)


MODELS: dict[str, Callable[[PhoneSequences, np.random.Generator], PhoneSequences]] = {  # and `shuffled`, among donors
    "uniform": uniform_predictions,
    "unigram": unigram_predictions,
    "bigram": bigram_predictions,
    "bigram-free": free_bigram_predictions,
}


def _recoded(predicted: PhoneSequences, codes: NDArray[np.integer]) -> PhoneSequences:
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


def constant_costs(corpus: Corpus, costs: CostTable, answers: range) -> Floats:
    """Return what each utterance costs at least if every prediction is one phone, [k, U], by the phones' codes."""
    gold, phones = corpus.gold.recode(costs.gold), corpus.predicted.inventory.phones
    codes = np.array([costs.predicted.code(phones[answer]) for answer in answers], np.int64)
    deletion, insertion = costs.deletion.astype(np.int64), costs.insertion[codes].astype(np.int64)
    saved = costs.substitution[:, codes].T - deletion - insertion[:, None]
    order = np.argsort(saved, axis=1, kind="stable")
    paid = np.empty((len(codes), len(gold)), np.int64)
    saved = np.minimum(np.take_along_axis(saved, order, axis=1), 0)
    kernel.pay_constants(gold.codes, gold.offsets, corpus.predicted.lengths, deletion, insertion, order, saved, paid)
    return paid / costs.denominator


@dataclass(frozen=True, slots=True)
class ChanceSettings:
    """Models, replicates, seed, and what is measured of confusions."""

    models: tuple[str, ...]
    replicates: int
    seed: int
    resampling: Resampling | None = None
    counting: CountSettings | None = None
    statistics: tuple[str, ...] = ()  # by their keys: what holds functions cannot be kept for a next run


@dataclass(frozen=True, eq=False, kw_only=True)
class ChanceLevel:
    """What one chance model scores under one cost table."""

    model: str
    rates: Floats = field(default_factory=lambda: np.zeros(0))
    cost: Floats = field(default_factory=lambda: np.zeros(0))
    first: Floats = field(default_factory=lambda: np.zeros(0))
    drawn_cost: Floats = field(default_factory=lambda: np.zeros(0))
    measures: Mapping[str, Floats] = field(default_factory=dict)
    drawn_measures: Mapping[str, Floats] = field(default_factory=dict)
    phone: str = ""
    missing: str = ""

    @property
    def rate(self) -> float:
        """Mean rate over replicates; NaN when there is none."""
        return float(self.rates.mean()) if len(self.rates) else float("nan")


def best(levels: Iterable[ChanceLevel]) -> ChanceLevel | None:
    """Return the level with the lowest rate; None when there is none."""
    return min((level for level in levels if len(level.rates)), key=lambda level: level.rate, default=None)


def chance_levels(
    corpus: Corpus,
    settings: ChanceSettings,
    *,
    costs: CostTable,
    texts: Codes | None = None,
    work: Work = SERIAL,
) -> list[ChanceLevel]:
    """Return the level of each model, for predictions aligned and weighed by `costs`."""
    gold, predicted = (  # without what redrawing and aligning have no use for
        PhoneSequences(utterances=side.utterances, offsets=side.offsets, codes=side.codes, inventory=side.inventory)
        for side in (corpus.gold, corpus.predicted)
    )
    donors, missing = None, "" if len(predicted.codes) else "there are no predictions to redraw"
    if "shuffled" in settings.models:
        donors = donors_of(corpus, texts_of(gold) if texts is None else texts)
    redrawn = _Redrawn(Corpus(gold=gold, predicted=predicted), costs, donors, settings)
    levels, parts = dict[str, ChanceLevel](), list[_Part]()
    for model in settings.models:
        if why := missing or (donors.missing(predicted) if donors and model == "shuffled" else ""):
            levels[model] = ChanceLevel(model=model, missing=why)
        else:
            parts += _parts(model, redrawn)
    if settings.resampling:
        settings.resampling.draw()  # once, not by each replicate
    records = zip(parts, work.map(replicates, redrawn, parts), strict=True)
    for model, own in groupby(records, key=lambda pair: pair[0][0]):
        if model == "constant":
            levels[model] = _constant(own, redrawn)
        else:
            levels[model] = _level_of_replicates(model, (record for _, record in own), corpus, settings)
    return [levels[model] for model in settings.models]


class _Redrawn(NamedTuple):
    """A corpus whose predictions are redrawn, and how they are aligned and weighed."""

    corpus: Corpus
    costs: CostTable
    donors: Donors | None
    settings: ChanceSettings


_Part: TypeAlias = tuple[str, int, int]  # a model, and its replicates from one to before another; phones of `constant`


def _parts(model: str, redrawn: _Redrawn) -> list[_Part]:
    """Return a model's replicates, as many together as make a task."""
    corpus, settings = redrawn.corpus, redrawn.settings
    number = len(corpus.predicted.inventory) if model == "constant" else settings.replicates
    together = max(1, _CELLS // max(1, int(cells_of(corpus.gold, corpus.predicted).sum())))
    return [(model, first, min(first + together, number)) for first in range(0, number, together)]


def replicates(redrawn: _Redrawn, part: _Part) -> Record:
    """Return what k replicates of a model came to, [k, ...] each."""
    corpus, settings, (model, first, last), records = redrawn.corpus, redrawn.settings, part, []
    if model == "constant":
        return {"cost": constant_costs(corpus, redrawn.costs, range(first, last))}
    for number in range(first, last):
        generator = np.random.default_rng([settings.seed, zlib.crc32(model.encode()), number])
        if model == "shuffled" and redrawn.donors is not None:
            predictions = shuffled_predictions(corpus.predicted, generator, redrawn.donors)
        else:
            predictions = MODELS[model](corpus.predicted, generator)
        records.append(_replicate_record(*_counted(redrawn, predictions), number, settings))
    return {name: np.concatenate([record[name] for record in records]) for name in records[0]}


def _replicate_record(cost: Floats, stack: ConfusionStack | None, number: int, settings: ChanceSettings) -> Record:
    """Return a replicate's statistics, [1, M], and its cost [1, W] and statistics [1, M, W] in the draws it serves."""
    weights, of = settings.resampling, settings.replicates
    share = weights.share(number, of) if weights else None
    measures, drawn = _measures(stack, share, settings)
    rows = np.concatenate([_drawn_costs([cost], share), drawn])
    most = -(-weights.replicates // of) if weights else 0
    rows = np.pad(rows, ((0, 0), (0, most - rows.shape[1])), constant_values=np.nan)
    return {"cost": cost[None], "measures": measures[None], "drawn_cost": rows[:1], "drawn_measures": rows[None, 1:]}


def _level_of_replicates(
    model: str, records: Iterable[Record], corpus: Corpus, settings: ChanceSettings
) -> ChanceLevel:
    """Return the level of a random model from its replicates, of which blocks come one after the other."""
    number = settings.resampling.replicates if settings.resampling else 0
    blocks, sums, mean, first = [], list[float](), np.zeros(0), np.zeros(0)
    for record in records:  # the costs of all replicates of a million utterances would take a gigabyte
        blocks.append([record[name] for name in ("measures", "drawn_cost", "drawn_measures")])
        for cost in record["cost"]:
            first = first if sums else cost
            mean = (mean if sums else 0.0) + cost / settings.replicates
            sums.append(cost.sum())
    measures, drawn_cost, drawn = (np.concatenate(parts) for parts in zip(*blocks, strict=True))
    drawn = np.moveaxis(drawn, 0, -1)  # draw r: of replicate r mod K
    return ChanceLevel(
        model=model,
        rates=np.array(sums) / corpus.gold.lengths.sum(),
        cost=mean,
        first=first,
        drawn_cost=drawn_cost.T.ravel()[:number],
        measures=dict(zip(settings.statistics, measures.T.copy(), strict=True)),
        drawn_measures={key: own.ravel()[:number] for key, own in zip(settings.statistics, drawn, strict=True)},
    )


def _constant(parts: Iterable[tuple[_Part, Record]], redrawn: _Redrawn) -> ChanceLevel:
    """Return the level of the best constant: of all phones on the corpus, of the best few anew in each draw."""
    settings, corpus, constants = redrawn.settings, redrawn.corpus, list[tuple[float, int, Floats]]()
    number = max(_CANDIDATES, _NUMBERS // max(1, len(corpus.gold)))
    for (_, first, _), record in parts:  # of equal ones the first comes first
        constants += [(float(cost.sum()), code, cost) for code, cost in enumerate(record["cost"], first)]
        constants = sorted(constants, key=lambda constant: constant[0])[:number]
    (total, code, cost), measures, drawn = constants[0], {}, {}
    if keys := settings.statistics:
        _, stack = _counted(redrawn, constant_prediction(corpus.predicted, code))
        measured = _measures(stack, settings.resampling, settings)
        measures, drawn = (dict(zip(keys, of, strict=True)) for of in (measured[0][:, None], measured[1]))
    return ChanceLevel(
        model="constant",
        rates=np.array([total / corpus.gold.lengths.sum()]),
        cost=cost,
        first=cost,
        drawn_cost=_drawn_costs([cost for _, _, cost in constants], settings.resampling).min(axis=0),
        measures=measures,
        drawn_measures=drawn,
        phone=corpus.predicted.inventory.phones[code],
    )


def _counted(redrawn: _Redrawn, predictions: PhoneSequences) -> tuple[Floats, ConfusionStack | None]:
    """Return each utterance's cost [U], and its confusions if they are to be measured."""
    if redrawn.settings.counting is None:
        return least_costs(redrawn.corpus.gold, predictions, redrawn.costs), None
    return count_aligned(redrawn.corpus.gold, predictions, redrawn.costs)


def _drawn_costs(costs: Sequence[Floats], weights: Resampling | None) -> Floats:
    """Return the total of each of k costs [U] in each bootstrap draw, [k, R]."""
    return weights.drawn_sums(*(weights.by_cluster(cost) for cost in costs)) if weights else np.zeros((len(costs), 0))


def _measures(
    stack: ConfusionStack | None, weights: Resampling | None, settings: ChanceSettings
) -> tuple[Floats, Floats]:
    """Return the M statistics of confusions, [M], and of their draws, [M, R]."""
    statistics, number = keyed(settings.statistics), weights.replicates if weights else 0
    if stack is None or settings.counting is None or settings.resampling is None:
        return np.zeros(0), np.zeros((0, number))
    clusters = cluster_cells(stack, settings.resampling, gaps=settings.counting.gaps)
    measured = np.array(list(values(statistics, stack, settings.counting, clusters).values()))
    drawn = draws(statistics, stack, weights, settings.counting) if weights else {}
    return measured, np.array(list(drawn.values())).reshape(len(statistics), number)

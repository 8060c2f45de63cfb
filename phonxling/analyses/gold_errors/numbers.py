"""The numbers of a corpus with errors of the gold taken out, at each rate of errors."""

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from phonxling.alignment.corpus import align_sequences
from phonxling.alignment.costs.named import cost_table
from phonxling.analyses.beside_chance import Sums, bounded, hardest, level_of, skill, summed
from phonxling.analyses.case.case import Case
from phonxling.analyses.chance.levels import ChanceLevel, best
from phonxling.analyses.gold_errors.chance import chance_predictions, moved_levels
from phonxling.analyses.gold_errors.counts import Priced, Rewriting, by_truth, priced
from phonxling.analyses.gold_errors.errors import WritingErrors
from phonxling.analyses.information.statistics import STATISTICS
from phonxling.analyses.verdict import verdict
from phonxling.core.alignment import Alignments
from phonxling.core.arrays import Bools, Codes, Floats, divided
from phonxling.core.costs import CostTable
from phonxling.core.estimate import Estimate
from phonxling.count.confusions import stack_confusions
from phonxling.resample.entropy_sums import entropy_sums, information
from phonxling.resample.intervals import estimate
from phonxling.resample.jackknife import jackknife
from phonxling.resample.replicates import replicate_counts

ENTROPY, BITS = (
    next(one for one in STATISTICS if one.name == name) for name in ("conditional_entropy", "mutual_information")
)
CONFUSION = "confusion"  # the share of a gold phone's tokens that are heard as another
_IMPOSSIBLE = "so many wrong gold phones would give more errors than there are"
_TOO_FEW = "not told: most of what is confused would be errors of the gold"
_MOST = 0.3  # of the confused tokens that may be errors of the gold; beyond, H and I were off in simulations
_NOTHING = 1e-9  # a count that subtraction leaves of none
_GROUPS = 200  # clusters that are left out one by one; of more, neighbours are left out together


@dataclass(frozen=True, slots=True)
class Number:
    """A number at a rate of errors: of a measure, or of a cell, p(predicted | gold)."""

    rate: float
    measure: str
    estimate: Estimate
    gold: str = ""
    predicted: str = ""
    verdict: str = ""
    rank: int = 0
    note: str = ""


def error_rates(name: str, case: Case, writing: Rewriting, rates: tuple[float, ...]) -> Iterator[Number]:
    """Yield a rate (`per` or `wper`), its lowest chance level and its skill, at each rate of errors."""
    analysed, errors = case.counted, writing.errors
    if name == "wper" and not analysed.scoring.as_rate:
        return
    unit, own = _unit(case), _own(name, case, writing)
    lowest, costs = best(analysed.unit_chance), (unit, unit)
    if name == "wper":
        lowest, costs = best(analysed.chance), (analysed.costs, analysed.scoring)
    moved = moved_levels(lowest, case, costs, writing=writing, rates=rates) if lowest else np.ones(len(rates))
    for rate, times in zip(rates, moved.tolist(), strict=True):
        cost = own.cost(errors, rate)
        if rate and not cost.sum() > 0:
            names = [name, f"skill_{name}"] if lowest else [name]
            yield from (Number(rate, one, Estimate(math.nan), note=_IMPOSSIBLE) for one in names)
            continue
        yield Number(rate, name, analysed.resampling.ratio(cost, analysed.gold_tokens, "rate"))
        if lowest is not None:
            yield from _beside_chance(name, case, cost, level=lowest, moved=(rate, times))


def _beside_chance(
    name: str, case: Case, cost: Floats, *, level: ChanceLevel, moved: tuple[float, float]
) -> Iterator[Number]:
    """Yield the lowest chance level and the skill above it; `moved`: the rate of errors, and how it moves the level."""
    analysed, (rate, times) = case.counted, moved
    tokens, errors = summed(analysed, analysed.gold_tokens, cost)
    plain = level_of(level, analysed)
    chance = Sums(plain.clusters * times, plain.drawn * times)
    drawn, left_out = divided(chance.drawn, tokens.drawn), divided(chance.left_out, tokens.left_out)
    whole = estimate(chance.total / tokens.total, drawn, analysed.resampling, kind="rate", left_out=left_out)
    yield Number(rate, f"chance_{name}", whole, note=level.model)
    above = skill(errors, chance, tokens, analysed)
    yield Number(rate, f"skill_{name}", above, verdict=verdict(above.low, above.high, above.note).value)


def _unit(case: Case) -> CostTable:
    corpus = case.counted.corpus
    return cost_table("unit", corpus.gold_inventory, corpus.predicted_inventory, None)


def _own(name: str, case: Case, writing: Rewriting) -> Priced:
    """Return what the corpus' utterances cost; what aligning saves only where one table aligns and weighs alike."""
    analysed, corpus = case.counted, case.counted.corpus
    if name == "per":
        unit = _unit(case)
        return priced(corpus.gold, corpus.predicted, unit, writing, unit)
    plain = analysed.scoring is analysed.costs and len(analysed.fitted.tables) == 1
    if plain and isinstance(analysed.aligned, Alignments):
        saved = writing.saved(analysed.aligned, corpus.gold, corpus.predicted, analysed.costs)
    else:
        saved = np.zeros(len(corpus.gold))
    return Priced(analysed.stack, analysed.cell_costs, saved)


@dataclass(frozen=True, eq=False)
class Drawn:
    """Over replicates, at each rate: H(X|Y) and I(X;Y), [rates, 2, R], and shares of K cells [rates, K, R]."""

    bits: Floats
    cells: Floats


def drawn(case: Case, errors: WritingErrors, rates: tuple[float, ...], cells: Codes) -> Drawn:
    """Return what the bootstrap replicates show; `cells` [K, 2] are rows and columns."""
    analysed, matrices = case.counted, [errors.unmix(rate) for rate in rates]
    bits, shares = [np.zeros((len(rates), 2, 0))], [np.zeros((len(rates), len(cells), 0))]
    for counts in replicate_counts(analysed.stack, analysed.resampling):
        true = [by_truth(counts, unmix) for unmix in matrices]
        bits.append(np.stack([_bits(one, counts, case) for one in true]))
        shares.append(np.stack([cell_shares(one, cells) for one in true]))
    return Drawn(np.concatenate(bits, axis=-1), np.concatenate(shares, axis=-1))


def cell_shares(true: Floats, cells: Codes) -> Floats:
    """Return p(x|z) of K cells [K, 2] of counts by true phone [G + 1, P + 1, …], [K, …]; ∅ left out."""
    return divided(true[cells[:, 0], cells[:, 1]], true[:, :-1].sum(axis=1)[cells[:, 0]])


def _bits(true: Floats, counts: Floats, case: Case) -> Floats:
    """Return H(X|Y) and I(X;Y) of counts by true phone, [2, …], over the cells that have counts; none below 0."""
    settings = case.counted.counting
    known = np.where(counts > 0, np.maximum(true, 0.0), 0.0)
    symbols = known if settings is not None and settings.gaps else known[:-1, :-1]
    found = information(entropy_sums(symbols, corrected=case.counted.stack.whole))
    return np.stack([found[ENTROPY.key], found[BITS.key]])


def entropies(case: Case, errors: WritingErrors, rates: tuple[float, ...], draws: Floats) -> Iterator[Number]:
    """Yield H(X|Y), I(X;Y), the highest chance level of I, and what is above it; `draws` [rates, 2, R].

    Each is the estimate of the summary, moved by as much as taking the errors out moves the jackknifed estimate.
    """
    analysed, pair = case.counted, (ENTROPY, BITS)
    groups, level = _by_group(case), hardest(BITS, [one for one in case.counted.chance if one.model != "constant"])
    moved = _moved_bits(level, case, errors, rates) if level else np.zeros(len(rates))
    bits = np.stack([_jackknifed(case, errors.unmix(rate), groups) for rate in rates])
    values = np.array([analysed.statistics[one.key] for one in pair]) + bits - bits[0]
    for number, rate in enumerate(rates):
        if rate * _confusable(case) > _MOST:
            names = (*(one.name for one in pair), f"{BITS.name}_excess")
            yield from (Number(rate, name, Estimate(math.nan), note=_TOO_FEW) for name in names)
            continue
        for statistic, value, of in zip(pair, values[number], draws[number], strict=True):
            yield Number(rate, statistic.name, bounded(statistic, float(value), of, analysed))
        if level is not None:
            own = float(values[number, 1]), draws[number, 1]
            yield from _above(case, own, level=level, moved=(rate, float(moved[number])))


def _confusable(case: Case) -> float:
    """Return how many aligned tokens there are for each that was confused."""
    matrix = case.counted.matrix
    confused = np.where(matrix.same_symbol(), 0.0, matrix.substitutions).sum()
    return float(matrix.substitutions.sum() / confused) if confused else math.inf


def _above(
    case: Case, value: tuple[float, Floats], *, level: ChanceLevel, moved: tuple[float, float]
) -> Iterator[Number]:
    """Yield the chance level of I(X;Y), moved by so many bits at a rate, and what is above it."""
    analysed, (rate, bits) = case.counted, moved
    mean, drawn = float(np.mean(level.measures[BITS.key])) + bits, level.drawn_measures[BITS.key] + bits
    yield Number(rate, f"{BITS.name}_null", bounded(BITS, mean, drawn, analysed), note=level.model)
    whole, least = (BITS.possible(one, analysed.clusters.shape) for one in (value[0], mean))
    above = bounded(BITS, whole - least, value[1] - drawn, analysed, (-math.inf, math.inf))
    says = verdict(above.low, above.high, above.note, share=False).value
    yield Number(rate, f"{BITS.name}_excess", above, verdict=says)


def _jackknifed(case: Case, unmix: Floats, groups: Floats) -> Floats:
    """Return the jackknife of H(X|Y) and I(X;Y) over groups of clusters, [2]; as they are for one group."""
    whole = case.counted.matrix.counts[..., None]
    values = _bits(by_truth(whole, unmix), whole, case)[:, 0]
    if groups.shape[-1] < 2:
        return values
    rest = np.where(whole - groups > _NOTHING, whole - groups, 0.0)
    left_out = _bits(by_truth(rest, unmix), rest, case)
    return np.array([jackknife(float(value), one) for value, one in zip(values, left_out, strict=True)])


def _by_group(case: Case) -> Floats:
    """Return the counts of at most 200 groups of neighbouring clusters, [G + 1, P + 1, groups]."""
    stack, weights = case.counted.stack, case.counted.resampling
    groups = min(weights.number, _GROUPS)
    sums = stack.sums_by(weights.clusters * groups // weights.number, groups)
    return np.ascontiguousarray(sums.T).reshape(len(stack.gold) + 1, len(stack.predicted) + 1, groups)


def _moved_bits(level: ChanceLevel, case: Case, errors: WritingErrors, rates: tuple[float, ...]) -> Floats:
    """Return by how many bits taking errors out moves I(X;Y) of predictions without information, [rates]."""
    gold, costs = case.counted.corpus.gold, case.counted.costs
    predictions = chance_predictions(level, case)
    tables = np.stack(
        [stack_confusions(align_sequences(gold, one, costs)).total().counts for one in predictions], axis=-1
    )
    bits = [float(_bits(by_truth(tables, errors.unmix(rate)), tables, case)[1].mean()) for rate in (0.0, *rates)]
    return np.array(bits[1:]) - bits[0]


def most_confused(counts: Floats, same: Bools) -> Codes:
    """Return rows and columns of the pairs of two symbols that have counts [G, P], most frequent first, [K, 2]."""
    wrong = np.where(same, 0.0, counts)
    order = np.argsort(-wrong, axis=None, kind="stable")[: np.count_nonzero(wrong > 0)]
    return np.stack(np.unravel_index(order, counts.shape), axis=1).astype(np.int64)


def confusions(
    case: Case, errors: WritingErrors, rates: tuple[float, ...], *, cells: Codes, draws: Floats
) -> Iterator[Number]:
    """Yield p(x|y) of cells [K, 2] at each rate, `draws` [rates, K, R], and their place among all by frequency."""
    analysed = case.counted
    gold, predicted, same = analysed.matrix.gold.phones, analysed.matrix.predicted.phones, analysed.matrix.same_symbol()
    for number, rate in enumerate(rates):
        true = by_truth(analysed.matrix.counts, errors.unmix(rate))
        ranks = {tuple(cell): place for place, cell in enumerate(most_confused(true[:-1, :-1], same).tolist(), 1)}
        for place, (row, column) in enumerate(cells.tolist()):
            value = float(cell_shares(true, cells)[place])
            share = estimate(value, draws[number, place], analysed.resampling).within(0, 1)
            rank = ranks.get((row, column), same.size)
            yield Number(rate, CONFUSION, share, gold[row], predicted[column], rank=rank)

"""Gold of which a known share is wrong: how often intervals with the errors taken out held the truth of right gold.

Speakers differ as in `speakers`. What is heard instead of a phone is near it, as what is written instead of it is. Gold
is corrupted, aligned as it is written, and analysed as a corpus is; the truth is what the aligner finds for the right
gold of a population of thousands of speakers. The last table
assumes other rates than the true one.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from types import SimpleNamespace
from typing import cast

import numpy as np

import phonxling as px
from phonxling.analyses.case.analysed import analyse
from phonxling.analyses.case.case import Case
from phonxling.analyses.case.loaded import LoadedCorpus
from phonxling.analyses.expected.comparison import compare
from phonxling.analyses.gold_errors.analysis import numbers_at
from phonxling.analyses.gold_errors.counts import Rewriting
from phonxling.analyses.gold_errors.errors import by_features
from phonxling.analyses.gold_errors.numbers import CONFUSION, Number
from phonxling.analyses.gold_errors.reference import beyond_reference
from phonxling.load.resources.features import panphon_features
from phonxling.resample.p_values import SIGNIFICANT
from phonxling.settings.models import Experiment
from simulations.aligned import DELETED, GOLD, HEARD, INSERTED, LENGTH, SAME, sequences
from simulations.corpora import held_table, right_shares

SIZES = ((8, 2000), (12, 2000), (24, 2000), (8, 20_000), (12, 20_000), (24, 20_000))  # speakers, tokens
RATES = (0.05, 0.1)
POPULATION = 4000  # speakers of four utterances, who give the truth
CELLS = (("z", "s"), ("e", "i"), ("b", "p"))
AS_IT_IS = ("per", "wper", "conditional_entropy")
CORPUS = {"gold": {"path": "gold.tsv"}, "predicted": {"path": "predicted.tsv"}}
SETTINGS = {"uncertainty": {"resamples": 300}, "chance": {"models": ["constant", "unigram"], "replicates": 5}}
EXPERIMENT = Experiment.model_validate({"name": "simulated", "corpora": {"simulated": CORPUS}, **SETTINGS})
COSTS = px.feature_costs(GOLD, HEARD, "panphon")
NEAR = np.exp(-COSTS.substitution / COSTS.denominator / 0.1) * (1 - COSTS.identical())
SHARES = np.random.default_rng(3).dirichlet(np.full(len(GOLD), 3.0))
NEARNESS = 0.05
ERRORS = by_features(GOLD, SHARES, panphon_features(), NEARNESS)
Numbers = Mapping[str, tuple[float, float, float]]


def lines(times: int, seed: int = 20) -> Iterator[str]:
    """Yield the tables as Markdown: per cent of intervals that held the truth; then numbers at other rates."""
    truth = numbers_of(population(seed), (0.0,))[0.0]
    for rate in RATES:
        yield f"{100 * rate:g} % of the gold wrong"
        yield ""
        found = {size: _held(size, rate, truth, times, seed) for size in SIZES}
        yield from held_table(found, sorted({one for one, _ in SIZES}), sorted({one for _, one in SIZES}))
    yield from _off(seed)
    yield from _alike(max(1, times // 2), seed)


def _held(
    size: tuple[int, int], rate: float, truth: Numbers, times: int, seed: int
) -> Mapping[str, tuple[float, float]]:
    """Return of each number the share of intervals that held the truth, and how often there was none."""
    held: dict[str, list[float]] = {}
    for number in range(times):
        generator = np.random.default_rng([seed, *size, int(1000 * rate), number])
        case = corrupted(corpus(*size, generator), rate, generator)
        for assumed, numbers in numbers_of(case, (0.0, rate)).items():
            for name, (_, low, high) in numbers.items():
                if assumed or name in AS_IT_IS:
                    inside = float(low <= truth[name][0] <= high) if np.isfinite(low) else np.nan
                    held.setdefault(f"{name}{'' if assumed else ', errors left in'}", []).append(inside)
    return {name: (float(np.nanmean(values)), float(np.isnan(values).mean())) for name, values in held.items()}


def _off(seed: int) -> Iterator[str]:
    """Yield what is said of a large corpus at rates that are not its own."""
    rates = (0.0, 0.02, 0.05, 0.08, 0.1)
    generator = np.random.default_rng([seed, 5])
    right = corpus(200, 200_000, generator)
    truth, found = numbers_of(as_case(right), (0.0,))[0.0], numbers_of(corrupted(right, 0.05, generator), rates)
    yield "5 % of the gold wrong, at other rates:"
    yield ""
    yield "| number | right gold | " + " | ".join(f"rate {rate:g}" for rate in rates) + " |"
    yield "|---|---:|" + "---:|" * len(rates)
    for name, (value, *_) in truth.items():
        yield f"| {name} | {value:.4f} | " + " | ".join(f"{found[rate][name][0]:.4f}" for rate in rates) + " |"
    yield ""


def _alike(times: int, seed: int) -> Iterator[str]:
    """Yield how often a target is called different from a reference that is heard alike, its own gold being wrong."""
    yield "Target and reference heard alike, the gold of the target wrong (per cent of simulations):"
    yield ""
    yield "| speakers | tokens | wrong | differs | at that rate | any cell beyond | at that rate |"
    yield "|---:|---:|---:|---:|---:|---:|---:|"
    for speakers, tokens, rate in ((12, 6000, 0.05), (24, 20_000, 0.05), (24, 20_000, 0.1)):
        found = np.array([_beyond((speakers, tokens), rate, [seed, speakers, tokens, n]) for n in range(times)])
        shares = " | ".join(f"{100 * share:.0f}" for share in found.mean(axis=0))
        yield f"| {speakers} | {tokens:,} | {100 * rate:g} % | {shares} |"
    yield ""


def _beyond(size: tuple[int, int], rate: float, key: list[int]) -> list[bool]:
    """Return whether confusions differ, as the gold is and at its rate; the same of whether any is beyond."""
    generator = np.random.default_rng([*key, int(1000 * rate)])
    reference = as_case(corpus(*size, generator))
    target = corrupted(corpus(*size, generator), rate, generator)
    common = {phone: phone for phone in GOLD if phone in HEARD}
    comparison, matrix = compare(target, reference, EXPERIMENT.expected, common), target.counted.matrix
    errors = by_features(matrix.gold, matrix.tokens, target.features, NEARNESS)
    rates = list(beyond_reference(comparison, errors, (0.0, rate)))
    return [*(one.p < SIGNIFICANT for one in rates), *(bool(one.excess.any()) for one in rates)]


def numbers_of(case: Case, rates: tuple[float, ...]) -> dict[float, Numbers]:
    """Return value, low and high of each number at each rate."""
    found: dict[float, dict[str, tuple[float, float, float]]] = {rate: {} for rate in rates}
    for one in numbers_at_rates(case, rates):
        name = f"{one.gold} heard as {one.predicted}" if one.measure == CONFUSION else one.measure
        if not one.measure.startswith("chance") and not one.measure.endswith("null"):
            found[one.rate][name] = (one.estimate.value, one.estimate.low, one.estimate.high)
    return dict(found)


def numbers_at_rates(case: Case, rates: tuple[float, ...]) -> list[Number]:
    """Return the numbers of a case at each rate, under errors by features."""
    matrix = case.counted.matrix
    errors = by_features(matrix.gold, matrix.tokens, case.features, NEARNESS)
    codes = [(GOLD.code(gold), HEARD.code(heard)) for gold, heard in CELLS]
    return list(numbers_at(case, errors, rates, np.array(codes)))


def population(seed: int) -> Case:
    """Return many speakers with right gold."""
    return as_case(corpus(POPULATION, POPULATION * 4 * LENGTH, np.random.default_rng(seed)))


def corrupted(right: px.Corpus, rate: float, generator: np.random.Generator) -> Case:
    """Return a corpus with a share of its gold written wrongly."""
    writing = Rewriting(ERRORS, rate, 1, generator)
    return as_case(replace(right, gold=replace(right.gold, codes=writing.codes(right.gold.codes))))


def as_case(simulated: px.Corpus) -> Case:
    """Return a corpus as analyses are given it."""
    loaded = cast("LoadedCorpus", SimpleNamespace(name="simulated", raw=False, role="target"))
    return Case(loaded=loaded, experiment=EXPERIMENT, aligned=analyse("simulated", simulated, EXPERIMENT))


def corpus(speakers: int, tokens: int, generator: np.random.Generator) -> px.Corpus:
    """Return what some speakers said, in utterances of twelve phones, and what was heard."""
    utterances = max(1, round(tokens / speakers / LENGTH))
    number = speakers * utterances
    owner = np.repeat(np.arange(number), LENGTH)
    gold = generator.choice(len(GOLD), len(owner), p=SHARES)
    right = right_shares(generator.normal(size=speakers))[owner // utterances]
    bounds = (NEAR / NEAR.sum(axis=1, keepdims=True)).cumsum(axis=1)
    near = np.minimum((generator.random(len(owner))[:, None] > bounds[gold]).sum(axis=1), len(HEARD) - 1)
    heard = np.where((generator.random(len(owner)) < right) & (SAME[gold] >= 0), SAME[gold], near)
    heard = np.where(generator.random(len(owner)) < DELETED, -1, heard)
    more = np.where(generator.random(len(owner)) < INSERTED, generator.integers(0, len(HEARD), len(owner)), -1)
    every = np.column_stack([heard, more]).ravel()
    lengths = np.bincount(np.repeat(owner, 2)[every >= 0], minlength=number)
    names = tuple(f"{place // utterances:05}" for place in range(number))
    sides = (gold, np.full(number, LENGTH), GOLD), (every[every >= 0], lengths, HEARD)
    said, spoken = (sequences(*side) for side in sides)
    return px.Corpus(gold=said, predicted=spoken, speakers=names)

"""Corpora of speakers who differ, through the aligner: how often intervals of rates and skills hold the truth.

Speakers differ as in `speakers`. Gold has three phones that the recogniser never says, so that the floor is above 0.
Utterances are of twelve phones throughout, since what an aligner finds depends on their length. The truth is what the
aligner finds for a population of thousands of speakers.
"""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

import phonxling as px
from phonxling.analyses.beside_chance import level_of, skill, summed
from phonxling.analyses.chance import ChanceSettings, chance_levels
from phonxling.analyses.rates import answer_costs
from phonxling.core.arrays import Codes, sum_by
from phonxling.core.estimate import Estimate
from phonxling.core.inventory import Inventory
from phonxling.core.sequences import PhoneSequences
from phonxling.resample.intervals import Resampling, resampling
from simulations.corpora import RIGHT, right_shares
from simulations.runner import Outcome, outcome, study

GOLD = Inventory(("p", "b", "t", "d", "k", "ɡ", "s", "z", "m", "n", "l", "r", "i", "e", "a", "o", "u", "w", "j", "h"))
HEARD = Inventory(tuple(phone for phone in GOLD if phone not in {"z", "r", "h"}))
LENGTH, DELETED, INSERTED = 12, 0.06, 0.05
POPULATION = 10_000  # speakers of four utterances, who give the truth
SAME = np.array([HEARD.code(phone) if phone in HEARD else -1 for phone in GOLD])
COSTS = {"PER": px.feature_costs(GOLD, HEARD, "unit"), "wPER": px.feature_costs(GOLD, HEARD, "panphon")}


def lines(times: int, seed: int = 20) -> Iterator[str]:
    """Yield the table as Markdown: per cent of intervals that held the truth."""
    people = np.random.default_rng(seed)
    truth = {name: number.value for name, number in _numbers(*_corpus(POPULATION, 4, people), drawn=0).items()}

    def simulated(weights: Resampling, tokens: int, generator: np.random.Generator) -> Mapping[str, Sequence[Outcome]]:
        utterances = max(1, round(tokens / weights.number / LENGTH))
        numbers = _numbers(*_corpus(weights.number, utterances, generator), drawn=weights.replicates)
        return {name: [outcome(numbers[name], true)] for name, true in truth.items()}

    yield from study(times, seed, simulated)


def _numbers(corpus: px.Corpus, speakers: list[str], *, drawn: int) -> Mapping[str, Estimate]:
    """Return each rate, its skill against the best constant, and its attainable skill."""
    weights, alone = (resampling(len(speakers), names, resamples=drawn, seed=20) for names in (speakers, None))
    tokens, owner = corpus.gold.lengths.astype(np.float64), corpus.gold.token_utterances()
    numbers: dict[str, Estimate] = {}
    for label, costs in COSTS.items():
        aligned = px.align_corpus(corpus, costs)
        cost, floor = aligned.cost / aligned.denominator, answer_costs(costs)[corpus.gold.codes]
        settings = ChanceSettings(("constant",), 1, 20, resampling=weights)
        (level,) = chance_levels(corpus, settings, costs=costs)
        errors, least = summed(weights, cost, sum_by(owner, floor, len(speakers)))
        chance = level_of(level, weights)
        numbers[label] = weights.ratio(cost, tokens, "rate")
        numbers[f"{label}, over utterances instead"] = alone.ratio(cost, tokens, "rate")
        crossed = weights.crossed(cost, level.cost)
        numbers[f"skill, {label}"] = skill(errors, chance, tokens, weights, crossed)
        numbers[f"attainable skill, {label}"] = skill(errors - least, chance - least, tokens, weights, crossed)
    return numbers


def _corpus(speakers: int, utterances: int, generator: np.random.Generator) -> tuple[px.Corpus, list[str]]:
    """Return what some speakers said in so many utterances each and what was heard, and the speaker of each."""
    number = speakers * utterances
    owner = np.repeat(np.arange(number), LENGTH)
    gold = generator.integers(0, len(GOLD), len(owner))
    right = right_shares(generator.normal(size=speakers))[owner // utterances]
    wrong = np.where(
        generator.random(len(owner)) < DELETED / (1 - RIGHT), -1, generator.integers(0, len(HEARD), len(owner))
    )
    heard = np.where((generator.random(len(owner)) < right) & (SAME[gold] >= 0), SAME[gold], wrong)
    more = np.where(generator.random(len(owner)) < INSERTED, generator.integers(0, len(HEARD), len(owner)), -1)
    said, predicted = sides((gold, GOLD), (heard, more, HEARD))
    return px.Corpus(gold=said, predicted=predicted), [f"{place // utterances:05}" for place in range(number)]


def sides(
    said: tuple[Codes, Inventory], heard: tuple[Codes, Codes, Inventory]
) -> tuple[PhoneSequences, PhoneSequences]:
    """Return utterances of twelve phones, and what is heard as each and inserted after it, where it is not -1."""
    spoken, number = np.column_stack(heard[:2]).ravel(), len(said[0]) // LENGTH
    lengths = np.bincount(np.repeat(np.arange(number), 2 * LENGTH)[spoken >= 0], minlength=number)
    names, ends = tuple(map(str, range(number))), np.concatenate([[0], lengths.cumsum()])
    gold = PhoneSequences(utterances=names, inventory=said[1], offsets=LENGTH * np.arange(number + 1), codes=said[0])
    return gold, PhoneSequences(utterances=names, inventory=heard[2], offsets=ends, codes=spoken[spoken >= 0])

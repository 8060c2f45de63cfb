"""Corpora of speakers who differ, through the aligner: how often intervals of what stands beside chance hold the truth.

Speakers differ as in `speakers`. Gold has three phones that the recogniser never says, so that the floor is above 0.
Utterances are of twelve phones throughout, since what an aligner finds depends on their length. The truth is what the
aligner finds for a population of thousands of speakers. Chance is that of a run: the best constant, and phones drawn at
random, which are aligned anew; both stay as they are while speakers are left out.
"""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

import phonxling as px
from phonxling.analyses.chance import ChanceLevel
from phonxling.analyses.context import CorpusContext
from phonxling.analyses.loaded import LoadedCorpus
from phonxling.analyses.rates import answer_costs, skill_of, statistic_beside_chance
from phonxling.analyses.statistics import statistics_called
from phonxling.configuration.models import Experiment
from phonxling.core.arrays import Codes, Floats
from phonxling.core.costs import CostTable
from phonxling.core.estimate import Estimate
from phonxling.core.inventory import Inventory
from phonxling.core.sequences import PhoneSequences
from phonxling.stats.jackknife import clusters_of
from simulations.corpora import RIGHT, right_shares
from simulations.runner import Outcome, outcome, study

GOLD = Inventory(("p", "b", "t", "d", "k", "ɡ", "s", "z", "m", "n", "l", "r", "i", "e", "a", "o", "u", "w", "j", "h"))
HEARD = Inventory(tuple(phone for phone in GOLD if phone not in {"z", "r", "h"}))
LENGTH, DELETED, INSERTED = 12, 0.06, 0.05
POPULATION = 10_000  # speakers of four utterances, who give the truth
SAME = np.array([HEARD.code(phone) if phone in HEARD else -1 for phone in GOLD])
SETTINGS = Experiment.model_validate(
    {
        "name": "aligned",
        "corpora": {"x": {"gold": {"path": "gold.tsv"}, "predicted": {"path": "predicted.tsv"}}},
        "chance": {"models": ["constant", "unigram"]},
        "uncertainty": {"cluster": "speaker"},
    }
)


def lines(times: int, seed: int = 20) -> Iterator[str]:
    """Yield the table as Markdown: per cent of intervals that held the truth."""
    people = np.random.default_rng(seed)
    truth = {name: number.value for name, number in _numbers(_corpus([4 * LENGTH] * POPULATION, people)).items()}

    def simulated(tokens: list[int], generator: np.random.Generator) -> Mapping[str, Sequence[Outcome]]:
        numbers = _numbers(_corpus(tokens, generator))
        return {name: [outcome(numbers[name], true)] for name, true in truth.items()}

    yield from study(times, seed, simulated)


def _numbers(corpus: px.Corpus) -> dict[str, Estimate]:
    """Return rates and their skills, and information and the one-to-one accuracy above chance."""
    found = CorpusContext(loaded=LoadedCorpus(name="x", gold=corpus.gold, corpus=corpus), experiment=SETTINGS)
    alone = clusters_of(found.gold_tokens, cluster="utterance")
    numbers = {"PER, over utterances instead": alone.ratio(found.unit_cost, found.gold_tokens, "rate")}
    unit = px.feature_costs(GOLD, HEARD, "unit")
    numbers |= _beside_chance("PER", corpus, found, found.unit_cost, found.unit_chance, unit)
    numbers |= _beside_chance("wPER", corpus, found, found.cost, found.chance, px.feature_costs(GOLD, HEARD))
    for key, name in (("mutual_information", "information"), ("one_to_one_accuracy", "one-to-one accuracy")):
        rows = statistic_beside_chance(*statistics_called([key]), found)
        numbers[f"{name} above chance"] = next(row.estimate for row in rows if "excess" in row.measure + row.variant)
    return numbers


def _beside_chance(
    name: str, corpus: px.Corpus, found: CorpusContext, cost: Floats, levels: list[ChanceLevel], costs: CostTable
) -> dict[str, Estimate]:
    """Return a rate, its floor, and its skill against 0 and against the floor."""
    floor, chance = corpus.gold.sums(answer_costs(costs)), min(levels, key=lambda level: level.rate).cost
    return {
        name: found.clusters.ratio(cost, found.gold_tokens, "rate"),
        f"floor, {name}": found.clusters.ratio(floor, found.gold_tokens, "rate"),
        f"skill, {name}": skill_of(cost, chance, 0.0 * floor, found.clusters),
        f"skill above a floor, {name}": skill_of(cost, chance, floor, found.clusters),
    }


def _corpus(tokens: list[int], generator: np.random.Generator) -> px.Corpus:
    """Return what speakers said, of about so many phones each, and what was predicted."""
    utterances = np.maximum(np.rint(np.array(tokens) / LENGTH), 1).astype(int)
    speaker = np.repeat(np.arange(len(tokens)), utterances)
    owner = np.repeat(np.arange(len(speaker)), LENGTH)
    gold = generator.integers(0, len(GOLD), len(owner))
    right = right_shares(generator.normal(size=len(tokens)))[speaker[owner]]
    wrong = np.where(
        generator.random(len(owner)) < DELETED / (1 - RIGHT), -1, generator.integers(0, len(HEARD), len(owner))
    )
    heard = np.where((generator.random(len(owner)) < right) & (SAME[gold] >= 0), SAME[gold], wrong)
    more = np.where(generator.random(len(owner)) < INSERTED, generator.integers(0, len(HEARD), len(owner)), -1)
    said, predicted = sides((gold, GOLD), (heard, more, HEARD))
    return px.Corpus(gold=said, predicted=predicted, speakers=tuple(map(str, speaker)))


def sides(
    said: tuple[Codes, Inventory], heard: tuple[Codes, Codes, Inventory]
) -> tuple[PhoneSequences, PhoneSequences]:
    """Return utterances of twelve phones, and what is heard as each and inserted after it, where it is not -1."""
    spoken, number = np.column_stack(heard[:2]).ravel(), len(said[0]) // LENGTH
    lengths = np.bincount(np.repeat(np.arange(number), 2 * LENGTH)[spoken >= 0], minlength=number)
    names, ends = tuple(map(str, range(number))), np.concatenate([[0], lengths.cumsum()])
    gold = PhoneSequences(utterances=names, inventory=said[1], offsets=LENGTH * np.arange(number + 1), codes=said[0])
    return gold, PhoneSequences(utterances=names, inventory=heard[2], offsets=ends, codes=spoken[spoken >= 0])

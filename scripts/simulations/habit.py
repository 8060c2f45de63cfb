"""Recognisers that are pulled by a habit at a known rate, or not at all, through the aligner: estimates and alarms.

Reference and target are chains of phones with bigrams of their own, each phone followed by few. The recogniser lacks
three of the 20 gold phones; a phone that is misheard sounds as near ones do, or, at a known rate, is drawn from the
reference's bigrams between what was heard before and after it. 6 % of phones are deleted, and 5 % inserted anywhere.
The habit is estimated from a reference of its own of 6,000 phones.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

import phonxling as px
from phonxling.analyses.case.same_phones import nearest_in
from phonxling.analyses.habit.bigram import bigram
from phonxling.analyses.habit.epenthesis import difference, places_of, seen_pairs
from phonxling.analyses.habit.errors import Errors
from phonxling.analyses.habit.pulls import pulls
from phonxling.analyses.habit.share import share_of
from phonxling.analyses.habit.tokens import usual_answers, wrong_tokens
from phonxling.core.arrays import Bools, Codes, Floats
from phonxling.core.sequences import PhoneSequences
from phonxling.load.resources.features import panphon_features
from phonxling.phones.natural_classes import natural_classes
from phonxling.resample.weights import resampling
from simulations.aligned import COSTS, DELETED, GOLD, HEARD, INSERTED, SAME, sequences
from simulations.corpora import REPLICATES, right_shares

LENGTH, REFERENCE = 24, 6_000
NEAR = COSTS["wPER"].substitution / COSTS["wPER"].denominator
EDGE = len(HEARD)


@dataclass(frozen=True, kw_only=True)
class World:
    """How a corpus comes about; the rate is the share of wrong phones that are pulled.

    Parameters
    ----------
    rate : float
        The share of wrong phones that are pulled.
    speakers, tokens : int
        How many speakers say how many gold phones in all.
    alike : bool
        Whether the target has the reference's bigrams.
    coarticulated : str
        Whether what a phone sounds like depends on its gold neighbours: on their classes, or on which they are.
    own : bool
        Whether each speaker has confusions of their own.
    merged : bool
        Whether two equal phones in a row are heard as one.
    split : float
        The share of gold phones that are heard as two, both near.
    broken, epenthesis : float
        How often a vowel is heard in a cluster of consonants, on average over pairs that differ, and how much more
        often in one that the reference lacks.
    """

    rate: float = 0.0
    speakers: int = 12
    tokens: int = 6_000
    alike: bool = False
    coarticulated: str = ""
    own: bool = False
    merged: bool = False
    split: float = 0.0
    broken: float = 0.0
    epenthesis: float = 0.0


RATES = tuple(World(rate=rate, tokens=tokens) for tokens in (2_000, 6_000) for rate in (0.0, 0.05, 0.1, 0.2, 0.4))
WITHOUT = {
    "target like the reference": World(alike=True),
    "few speakers": World(speakers=6),
    "sounds depend on the classes of neighbours": World(coarticulated="classes", alike=True),
    "sounds depend on neighbours": World(coarticulated="phones", alike=True),
    "sounds depend on neighbours, 20,000 phones": World(coarticulated="phones", tokens=20_000),
    "speakers differ in what they confuse": World(own=True),
    "equal phones in a row are heard as one": World(merged=True, alike=True),
    "a fifth of the phones is heard as two": World(split=0.2, alike=True),
}


def lines(times: int, seed: int = 20) -> Iterator[str]:
    """Yield the tables as Markdown."""
    yield "| gold phones | rate % | pulled of those counted % | estimate % | held % | p < 0.05 % | errors: p | any q |"
    yield "|---:|---:|---:|---:|---:|---:|---:|---:|"
    for world in RATES:
        truth, value, *shares = 100 * np.nanmean(_times(world, times, seed), axis=0)
        shown = " | ".join(f"{share:.0f}" for share in shares)
        yield f"| {world.tokens:,} | {100 * world.rate:.0f} | {truth:.1f} | {value:.1f} | {shown} |"
    yield ""
    yield "| nothing is pulled | estimate % | held % | p < 0.05 % | errors: p | any q |"
    yield "|---|---:|---:|---:|---:|---:|"
    for name, world in WITHOUT.items():
        shown = " | ".join(f"{number:.1f}" for number in 100 * np.nanmean(_times(world, times, seed), axis=0)[1:])
        yield f"| {name} | {shown} |"
    yield ""
    yield "| more in unseen clusters % | excess over seen % | over elsewhere % | p < 0.05 % | p < 0.05 % |"
    yield "|---:|---:|---:|---:|---:|"
    for more in (0.0, 0.05, 0.1, 0.2):
        shown = 100 * np.nanmean(_broken(World(broken=0.08, epenthesis=more), times, seed), axis=0)
        yield f"| {100 * more:.0f} | " + " | ".join(f"{number:.1f}" for number in shown) + " |"
    yield ""


def _broken(world: World, times: int, seed: int) -> list[list[float]]:
    """Return of each corpus the excess beyond seen clusters and elsewhere, and whether each p is below 0.05."""
    rows = []
    for number in range(times):
        corpus, reference, _ = simulated(world, np.random.default_rng([seed, number]))
        weights = resampling(len(corpus.gold), corpus.speakers, resamples=REPLICATES, seed=number)
        seen = seen_pairs(reference, NEAREST, GOLD.phones) > 0
        aligned = px.align_corpus(corpus, COSTS["wPER"])
        places = places_of(aligned, vowels=(VOWELS, HEARD_VOWELS), consonants=CONSONANTS, seen=seen)
        tests = [difference(places, kind, weights) for kind in (1, 2)]
        rows.append([*(test.value.value for test in tests), *(float(test.p < 0.05) for test in tests)])
    return rows


def _times(world: World, times: int, seed: int) -> list[list[float]]:
    return [one(world, np.random.default_rng([seed, number])) for number in range(times)]


def one(world: World, generator: np.random.Generator) -> list[float]:
    """Return the true share and its estimate, whether its interval holds it, whether p < 0.05; the same of errors.

    Of these the share with p < 0.05, and whether any has q < 0.05.
    """
    corpus, reference, pulled = simulated(world, generator)
    aligned, speakers = px.align_corpus(corpus, COSTS["wPER"]), corpus.speakers
    habit = bigram(reference, HEARD)
    usual = usual_answers(px.count_confusions(aligned), NEAREST)
    tokens = wrong_tokens(aligned, HEARD, usual=usual, classes=CLASSES).of(habit.known)
    truth = pulled[np.cumsum(aligned.predicted < len(HEARD))[tokens.pair] - 1].mean()
    weights = resampling(len(corpus.gold), speakers, resamples=REPLICATES, seed=int(generator.integers(1 << 30)))
    share = share_of(pulls(tokens, habit), tokens, weights)
    low, high = share.value.low, share.value.high
    rows = Errors(
        tokens=tokens, habit=habit, gold=aligned.gold_inventory, phones=HEARD, nearest=NEAREST, resampling=weights
    ).rows()
    p, q = ([row[name] for row in rows if row["p"] >= 0] for name in ("p", "q"))
    alarms = [float(np.mean(np.array(p) < 0.05)) if p else np.nan, float(min(q, default=1.0) < 0.05)]
    return [truth, share.value.value, float(low <= truth <= high), float(share.p < 0.05), *alarms]


def simulated(world: World, generator: np.random.Generator) -> tuple[px.Corpus, PhoneSequences, Bools]:
    """Return the target, the reference's gold phones, and which of the target's predicted phones were pulled."""
    following = _language(generator, len(HEARD))
    spoken = HEARD_AS_GOLD[_said(following, REFERENCE // LENGTH, generator)]
    reference = sequences(spoken.ravel(), np.full(len(spoken), LENGTH), GOLD)
    own = _language(generator, len(GOLD))
    number = max(world.speakers, world.tokens // LENGTH)
    gold = HEARD_AS_GOLD[_said(following, number, generator)] if world.alike else _said(own, number, generator)
    speaker = np.arange(number) % world.speakers
    breaks = _breaks(world, reference, generator)
    heard = [_pulled(each, world, following, generator) for each in _heard(gold, speaker, world, breaks, generator)]
    said, pulled = (np.concatenate(side) for side in zip(*heard, strict=True))
    lengths = np.array([len(phones) for phones, _ in heard])
    sides = sequences(gold.ravel(), np.full(number, LENGTH), GOLD), sequences(said, lengths, HEARD)
    names = tuple(f"{each:02}" for each in speaker)
    return px.Corpus(gold=sides[0], predicted=sides[1], speakers=names), reference, pulled


def _language(generator: np.random.Generator, phones: int) -> Floats:
    """Return which phone follows which, [phones + 1, phones], the beginning last; few do, and none itself."""
    shares = generator.gamma(0.4, size=(phones + 1, phones)) + 0.003
    shares[np.arange(phones), np.arange(phones)] = 0.0
    return np.asarray(shares / shares.sum(axis=1, keepdims=True))


def _said(following: Floats, utterances: int, generator: np.random.Generator) -> Codes:
    """Return the phones of so many utterances, [U, 24]."""
    bounds, before = following.cumsum(axis=1), np.full(utterances, len(following) - 1)
    said = np.empty((utterances, LENGTH), np.int64)
    for place in range(LENGTH):
        drawn = generator.random((utterances, 1)) > bounds[before, :-1]
        said[:, place] = before = drawn.sum(axis=1)
    return said


def _breaks(world: World, reference: PhoneSequences, generator: np.random.Generator) -> Floats:
    """Return how often a vowel is heard between two gold phones, [G, G]: inside clusters alone."""
    rates = np.minimum(world.broken * generator.gamma(1.0, size=(len(GOLD), len(GOLD))), 1.0)
    lacking = seen_pairs(reference, NEAREST, GOLD.phones) == 0
    return np.asarray(np.where(CONSONANTS[:, None] & CONSONANTS, rates + world.epenthesis * lacking, 0.0))


def _heard(
    gold: Codes, speaker: Codes, world: World, breaks: Floats, generator: np.random.Generator
) -> Iterator[tuple[Codes, Codes]]:
    """Yield what is heard of each utterance, and of each phone the gold phone that it is wrong for, −1 for none."""
    right = right_shares(generator.normal(size=world.speakers))[speaker, None]
    wrong = (generator.random(gold.shape) > right) | (SAME[gold] < 0)
    kinds = np.pad(CLASSES[gold] if world.coarticulated == "classes" else gold, ((0, 0), (1, 1)))
    context = (kinds[:, :-2] * 100 + kinds[:, 2:]) * bool(world.coarticulated) + 10_000 * speaker[:, None] * world.own
    answers = _answers(np.unique(context, return_inverse=True)[1].reshape(gold.shape), gold, generator)
    near = np.where(wrong, answers, SAME[gold])
    second = np.where(generator.random(gold.shape) < world.split, _answers(0 * gold, gold, generator), -1)
    added = np.where(generator.random(gold.shape) < INSERTED, generator.integers(0, len(HEARD), gold.shape), -1)
    between = np.pad(breaks[gold[:, :-1], gold[:, 1:]], ((0, 0), (0, 1)))
    vowels = generator.choice(np.flatnonzero(HEARD_VOWELS), gold.shape)
    added = np.where(generator.random(gold.shape) < between, vowels, added)
    near[wrong & (generator.random(gold.shape) < 2 * DELETED)] = -1
    source = np.stack([np.where(wrong, gold, -1), np.where(second >= 0, gold, -1), np.full(gold.shape, -1)], axis=2)
    every = np.stack([near, second, added], axis=2)
    for phones, of in zip(every.reshape(len(gold), -1), source.reshape(len(gold), -1), strict=True):
        yield phones[phones >= 0], of[phones >= 0]


def _answers(context: Codes, gold: Codes, generator: np.random.Generator) -> Codes:
    """Return a wrong phone for each gold phone: near ones more often, some of them by far, by context."""
    laws = np.exp(-8 * NEAR) * generator.gamma(0.5, size=(int(context.max()) + 1, *NEAR.shape))
    laws[:, np.flatnonzero(SAME >= 0), SAME[SAME >= 0]] = 0.0
    bounds = laws.cumsum(axis=2)[context, gold]
    drawn = generator.random((*gold.shape, 1)) * bounds[..., -1:]
    return np.asarray((drawn > bounds[..., :-1]).sum(axis=2))


def _pulled(
    heard: tuple[Codes, Codes], world: World, following: Floats, generator: np.random.Generator
) -> tuple[Codes, Bools]:
    """Return an utterance's phones, and which were pulled: drawn from the habit at the rate, one after the other."""
    phones, wrong = np.append(heard[0], EDGE), heard[1]
    pulled = (wrong >= 0) & (generator.random(len(wrong)) < world.rate)
    behind = np.column_stack([following[:-1], np.ones(EDGE)])
    for place in np.flatnonzero(pulled):
        chances = following[phones[place - 1]] * behind[:, phones[place + 1]]
        if SAME[wrong[place]] >= 0:
            chances[SAME[wrong[place]]] = 0.0
        phones[place] = generator.choice(EDGE, p=chances / chances.sum())
    kept = np.append(True, phones[1:-1] != phones[:-2]) | (not world.merged)
    return phones[:-1][kept], pulled[kept]


HEARD_AS_GOLD = np.array([GOLD.code(phone) for phone in HEARD])
NEAREST = {phone: near for phone, (near, _) in nearest_in(GOLD, HEARD, panphon_features()).items()}
VOWELS, HEARD_VOWELS = (np.array([panphon_features().is_vowel(phone) for phone in side]) for side in (GOLD, HEARD))
CONSONANTS = ~VOWELS
_FEATURES = natural_classes(GOLD, panphon_features())
CLASSES = np.unique([*map(_FEATURES.default_of, GOLD), "#"], return_inverse=True)[1]

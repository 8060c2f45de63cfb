"""Plans of studies: whether components come back, limits hold the truth, and tests find what they are said to find.

An utterance has more phones for some speakers than for others. Its error rate is the sum of the rate of all, a part of
the speaker's (skewed: few speakers are much worse), a part of its own, and more the longer it is; errors are binomial.
The truth is that of 20,000 speakers.
"""

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import product

import numpy as np

from phonxling.analyses.measures import measure
from phonxling.comparison.plan import Pilot, Wanted, rows_of
from phonxling.core.arrays import Codes, Floats
from phonxling.resample.intervals import Resampling, resampling
from phonxling.resample.planning import Components, components, linearised
from simulations.corpora import LEVEL, REPLICATES, differ, rate_of
from simulations.runner import markdown, percent, trials

RATE, BETWEEN, WITHIN, LONGER, OTHER = 0.3, 0.06, 0.05, 0.02, 0.5  # OTHER: what a second system shares of both spreads
PILOTS, UTTERANCES = (4, 6, 12, 24, 48), (5, 20, 80)
PLANNED, DESIGNS = (5, 8, 12, 24), ((6, 20), (12, 20), (24, 5))
ASKED = ((0.06, 20), (0.035, 20))  # a difference of two corpora, of two systems, with utterances of each speaker
POWER = 0.8
Corpus = tuple[Floats, Floats, Floats, Codes]  # errors of two systems, phones, the speaker of each utterance


def lines(times: int, seed: int = 20) -> Iterator[str]:
    """Yield the tables as Markdown: components and limits by pilot, then rejections by design."""
    truth = [_components(_corpus(np.random.default_rng(seed), [50] * 20_000), paired) for paired in (False, True)]
    yield from _recovery(truth, times, seed)
    yield from _rejections(truth, times, seed)
    yield from _speakers(truth, times, seed)


def _corpus(generator: np.random.Generator, sizes: Sequence[int], apart: Sequence[float] = (0, 0)) -> Corpus:
    """Return speakers of so many utterances; the rates of the two systems are higher by `apart`."""
    speaker = np.repeat(np.arange(len(sizes)), sizes)
    talkative = generator.normal(size=len(sizes))[speaker]
    long = 0.3 * talkative + 0.4 * generator.normal(size=len(speaker))
    phones = np.round(np.exp(np.log(30) + long)).clip(3)
    own, other = (BETWEEN * (generator.gamma(2, size=len(sizes)) - 2) / np.sqrt(2) for _ in "ab")
    each, another = WITHIN * generator.normal(size=(2, len(speaker)))
    mean = RATE + LONGER * long
    rates = own[speaker] + each, (own + OTHER * (other - own))[speaker] + each + OTHER * (another - each)
    first, second = (
        generator.binomial(phones.astype(int), (mean + rate + more).clip(0.001, 0.999)).astype(float)
        for rate, more in zip(rates, apart, strict=True)
    )
    return first, second, phones, speaker


def _components(corpus: Corpus, paired: bool) -> Components:
    first, second, phones, speaker = corpus
    moved = linearised(first, phones) - (linearised(second, phones) if paired else 0.0)
    return components(moved, speaker, int(speaker.max()) + 1)


def _planned(generator: np.random.Generator, speakers: int, paired: bool) -> Components:
    """Return the components of a pilot of so many speakers, who said more or less."""
    sizes = [int(size) for size in np.exp(np.log(12) + 0.7 * generator.normal(size=speakers)).clip(2, 200)]
    return _components(_corpus(generator, sizes), paired)


def _recovery(truth: Sequence[Components], times: int, seed: int) -> Iterator[str]:
    shown = []
    for paired, speakers in product((False, True), PILOTS):
        recovered = partial(_recovered, truth[paired], speakers, paired)
        *means, reaches = trials(times, [seed, paired, speakers], recovered).T
        parts = [f"{share.mean():.2f}" for share in means[:2]]
        name = "difference of systems" if paired else "error rate"
        shown.append([name, speakers, *parts, *map(percent, means[2:]), f"{np.median(reaches):.1f}"])
    errors = (f"SE, {number} utterances" for number in UTTERANCES)
    yield from markdown(["pilot", "speakers", "τ²", "σ²", *errors, "upper limit / SE"], shown)


def _recovered(whole: Components, speakers: int, paired: bool, generator: np.random.Generator) -> list[float]:
    """Return the components of a pilot over the true ones, whether its limits hold, and how far the upper one is."""
    parts = _planned(generator, speakers, paired)
    limits = [(parts.limits(each, LEVEL), whole.variance(each)) for each in UTTERANCES]
    inside = [low <= value <= high for (low, high), value in limits]
    reach = np.sqrt(limits[1][0][1] / parts.variance(UTTERANCES[1]))
    return [parts.between / whole.between, parts.within / whole.within, *inside, reach]


def _rejections(truth: Sequence[Components], times: int, seed: int) -> Iterator[str]:
    heads = [
        f"{kind}: {what}" for kind in ("unpaired", "paired") for what in ("found", "power", "plugged in", "where none")
    ]
    shown = []
    for pilot, (speakers, each) in product(PLANNED, DESIGNS):
        weights = [resampling(speakers, None, resamples=REPLICATES, seed=one) for one in (1, 2)]
        cells = [f"{pilot}", f"{speakers}", f"{each}"]
        for paired in (False, True):
            true = truth[paired].variance(each) * np.ones(1)
            rows = []
            for number in range(times):
                generator = np.random.default_rng([seed, pilot, number, paired])
                parts = _planned(generator, pilot, paired)
                design = _pilot(parts, paired=paired)
                variances = parts.possible(each), parts.variance(each) * np.ones(1)
                assured, plugged = (design.least(speakers, one, POWER) for one in variances)
                powers = [design.power(speakers, true, apart) for apart in (assured, plugged)]
                found, none = (_found(generator, weights, each, apart, paired) for apart in (assured, 0.0))
                rows.append([found, *powers, none])
            found, power, plugged, none = 100 * np.array(rows).T
            low, high = np.quantile(power, [0.1, 0.9])
            cells += [f"{found.mean():.0f}", f"{power.mean():.0f} ({low:.0f}–{high:.0f})"]
            cells += [f"{plugged.mean():.0f}", f"{none.mean():.1f}"]
        shown.append(cells)
    yield from markdown(["pilot’s speakers", "speakers", "utterances each", *heads], shown, left=0)


def _speakers(truth: Sequence[Components], times: int, seed: int) -> Iterator[str]:
    """Yield how many speakers pilots ask of a study of a difference, and with which power these find it."""
    heads = [f"{kind}: {what}" for kind in ("unpaired", "paired") for what in ("speakers needed", "power")]
    shown = []
    for pilot in PLANNED:
        cells = [str(pilot)]
        for paired, (apart, each) in enumerate(ASKED):
            rows = []
            for number in range(times):
                generator = np.random.default_rng([seed, pilot, number, paired])
                own = _pilot(_planned(generator, pilot, bool(paired)), paired=bool(paired))
                planned = rows_of(own, Wanted(apart, POWER, (12,), (each,)))
                needed = next(int(str(row["speakers"])) for row in planned if row["needed"] == "yes")
                true = truth[paired].variance(each) * np.ones(1)
                rows.append([needed, 100 * own.power(needed, true, apart)])
            low, middle, high = np.quantile([row[0] for row in rows], [0.1, 0.5, 0.9])
            cells += [f"{middle:.0f} ({low:.0f}–{high:.0f})", f"{np.mean([row[1] for row in rows]):.0f}"]
        shown.append(cells)
    yield from markdown(["pilot’s speakers", *heads], shown, left=0)


def _pilot(parts: Components, *, paired: bool) -> Pilot:
    kind = {
        "names": ("a", "b")[: 1 + paired],
        "measure": measure("per"),
        "value": RATE,
        "level": LEVEL,
        "signature": "",
    }
    return Pilot(utterances=parts.clusters, components=parts, by_speaker=True, **kind)


def _found(
    generator: np.random.Generator, weights: Sequence[Resampling], each: int, apart: float, paired: bool
) -> bool:
    """Return whether the two systems differ on the same or on other speakers of so many utterances."""
    sizes = [each] * weights[0].number
    first = _corpus(generator, sizes, (0, apart))
    rate = _rate(first, 0, weights[0])
    other = _rate(first, 1, weights[0]) if paired else _rate(_corpus(generator, sizes, (apart, 0)), 0, weights[1])
    return differ(rate, other, [len(sizes)] * 2, paired=paired)


def _rate(corpus: Corpus, system: int, weights: Resampling) -> tuple[float, Floats]:
    """Return the error rate of a system, and that of each draw, [R]."""
    sums = (np.bincount(corpus[3], values, minlength=weights.number) for values in (corpus[system], corpus[2]))
    return rate_of(weights, *sums)

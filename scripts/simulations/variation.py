"""Where variation comes from: whether simulated shares of the variance come back, and how often intervals hold them.

Languages draw their phones from a common stock; phones are of uneven frequency, so that many cells have few tokens or
none. `another` adds differences of each speaker in each phone, which the model does not have.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import expit

from phonxling.analyses.variation.components import LANGUAGE, PHONE, PHONE_IN_LANGUAGE, design
from phonxling.analyses.variation.heard import Heard
from phonxling.analyses.variation.shares import RESIDUAL, SPEAKER, TOKEN_VARIANCE, Row, shares
from phonxling.resample.student import FEW_CLUSTERS
from simulations.corpora import Floats, percent

MEAN = 0.7  # the logit of a token that is of the mean in all


@dataclass(frozen=True, kw_only=True)
class World:
    """An experiment: how many there are of each, and the variances of their effects."""

    languages: int = 1
    speakers: int = 8
    stock: int = 30
    phones: int = 25
    tokens: int = 600
    language: float = 0.2
    phone: float = 1.0
    both: float = 0.3
    speaker: float = 0.15
    another: float = 0.0

    def variances(self) -> Mapping[str, float]:
        """Return the true variances of the components that are estimated."""
        if self.languages == 1:
            return {PHONE: self.phone + self.both, SPEAKER: self.speaker}
        own = {PHONE: self.phone, PHONE_IN_LANGUAGE: self.both, SPEAKER: self.speaker}
        return {LANGUAGE: self.language, **own} if self.languages >= FEW_CLUSTERS else own

    def heard(self, levels: Floats, generator: np.random.Generator) -> Iterator[Heard]:
        """Yield what each language shows, whose own effects are `levels`."""
        stock = generator.normal(0, np.sqrt(self.phone), self.stock)
        for language, level in enumerate(levels):
            said = generator.choice(self.stock, self.phones, replace=False)
            apart = level + generator.normal(0, np.sqrt(self.both), self.phones)
            speaker = generator.normal(0, np.sqrt(self.speaker), (self.speakers, 1))
            another = generator.normal(0, np.sqrt(self.another), (self.speakers, self.phones))
            frequency = generator.dirichlet(np.full(self.phones, 0.7))
            tokens = generator.multinomial(self.tokens, frequency, self.speakers)
            right = generator.binomial(tokens, expit(MEAN + stock[said] + apart + speaker + another))
            some = tokens.any(axis=0)
            yield Heard(
                corpus=f"l{language}",
                language=f"l{language}",
                recogniser="",
                speakers=[(f"l{language}", str(number)) for number in range(self.speakers)],
                phones=[f"p{number}" for number in said[some]],
                tokens=tokens[:, some].astype(np.float64),
                right=right[:, some].astype(np.float64),
                absent=0.0,
            )


WORLDS = {
    "4 speakers": World(speakers=4),
    "8 speakers": World(),
    "24 speakers": World(speakers=24, tokens=250),
    "60 utterances of 30 tokens": World(speakers=60, tokens=30),
    "2 languages": World(languages=2),
    "4 languages": World(languages=4, speakers=6, tokens=400),
    "4 languages, 60 tokens a speaker": World(languages=4, speakers=6, tokens=60),
    "4 languages, speakers and languages alike": World(languages=4, speakers=6, tokens=400, both=0.0, speaker=0.0),
    "4 languages, speakers differ in each phone": World(languages=4, speakers=6, tokens=400, another=0.1),
    "6 languages": World(languages=6, speakers=4, stock=16, phones=12, tokens=400),
}


def lines(times: int, seed: int = 20) -> Iterator[str]:
    """Yield the table as Markdown."""
    yield "| experiment | component | true variance | mean, median found | true share | interval holds it | reaches 0 |"
    yield "|---|---|---:|---:|---:|---:|---:|"
    for number, (name, world) in enumerate(WORLDS.items()):
        found = [_simulated(world, np.random.default_rng([seed, number, each])) for each in range(times)]
        for component in found[0]:
            yield f"| {name} | {component} | {_summary([one[component] for one in found])} |"
    yield ""


def _simulated(world: World, generator: np.random.Generator) -> Mapping[str, tuple[float, float, Row]]:
    """Return the true variance and share of each component, and what was found.

    Few languages are described: their true variance is that of the effects drawn, and their share has no interval.
    """
    levels = generator.normal(0, np.sqrt(world.language), world.languages)
    rows = shares(design(list(world.heard(levels, generator))), unit=SPEAKER, level=0.95)
    true = dict(world.variances())
    if 1 < world.languages < FEW_CLUSTERS:
        true = {LANGUAGE: float(levels.var(ddof=1)), **true}
    whole = sum(true.values()) + TOKEN_VARIANCE
    return {
        row.component: (true[row.component], true[row.component] / whole, row)
        for row in rows
        if row.component != RESIDUAL
    }


def _summary(found: Sequence[tuple[float, float, Row]]) -> str:
    true, share, rows = zip(*found, strict=True)
    variances = [row.variance for row in rows]
    numbers = f"{np.mean(true):.2f} | {np.mean(variances):.3f}, {np.median(variances):.3f} | {np.mean(share):.3f}"
    if np.isnan(rows[0].low):
        return f"{numbers} | – | –"
    held = [row.low - 1e-6 <= one <= row.high for row, one in zip(rows, share, strict=True)]
    return f"{numbers} | {percent(held)} | {percent([row.low < 1e-6 for row in rows])}"

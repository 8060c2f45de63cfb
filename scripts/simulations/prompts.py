"""Speakers who read the same prompts: how often intervals hold the rate of all speakers and all prompts.

Each utterance has 20 phones; the logit of its rate of error is that of 0.3, more or less by its speaker and its prompt.
The truth is the mean rate over both. `alike`: prompts do not differ; else they differ as much as speakers do.
"""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from scipy.special import expit, logit

from phonxling.resample.intervals import resampling
from simulations.corpora import NORMALS
from simulations.runner import markdown, percent

DESIGNS = ((6, 10), (12, 10), (12, 30), (24, 30), (40, 8), (40, 100))
SPREAD, PHONES, RATE = 0.4, 20, 0.3
REPLICATES = 100  # the jackknife over speakers is in the limits, too


def held(times: int, speakers: int, prompts: int, spread: float) -> list[tuple[bool, bool]]:
    """Return whether intervals over speakers alone, and over speakers × prompts, hold the truth."""
    whole = np.sqrt(SPREAD**2 + spread**2)
    truth = float(expit(logit(RATE) + whole * NORMALS).mean())
    speaker, prompt = (axis.ravel() for axis in np.indices((speakers, prompts)))
    tokens, found = np.full(len(speaker), float(PHONES)), []
    for number in range(times):
        draws = np.random.default_rng([7, speakers, prompts, number])
        own, its = draws.normal(0, SPREAD, speakers), draws.normal(0, spread, prompts)
        errors = draws.binomial(PHONES, expit(logit(RATE) + own[speaker] + its[prompt])).astype(np.float64)
        alone = resampling(len(speaker), speaker, resamples=REPLICATES, seed=number, tokens=tokens)
        limits = [each.ratio(errors, tokens, "rate") for each in (alone, replace(alone, prompts=prompt))]
        found.append((limits[0].low <= truth <= limits[0].high, limits[1].low <= truth <= limits[1].high))
    return found


def lines(times: int) -> Iterator[str]:
    """Yield the table as Markdown."""
    heads = ["shared prompts", "limits over", *(f"{one} × {other}" for one, other in DESIGNS)]
    rows = []
    for name, spread in (("prompts differ as speakers do", SPREAD), ("prompts are alike", 0.0)):
        by_design = [held(times, *design, spread) for design in DESIGNS]
        for place, over in enumerate(("speakers", "speakers × prompts")):
            rows.append([name, over, *(percent([one[place] for one in each]) for each in by_design)])
    yield from markdown(heads, rows, left=2)

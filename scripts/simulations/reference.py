"""The comparison with a reference: false alarms where nothing differs, and what the divergence's estimate is worth.

15 phones, 70 % right on average, errors of a few kinds. Speakers differ by a standard deviation of 0.5 on the logit
scale in all phones, and by 0.25 in each. How often each language says each phone is drawn anew for both.
"""

from collections.abc import Iterator

import numpy as np
from scipy.special import expit, logit

from phonxling.analyses.expected.cells import cell_tests
from phonxling.analyses.expected.confusions import ExpectedConfusions
from phonxling.analyses.expected.dealing import deals, ways
from phonxling.analyses.expected.replicates import Clusters
from phonxling.analyses.missed.parts import beyond
from phonxling.core.inventory import Inventory
from phonxling.resample.p_values import p_value
from phonxling.resample.student import student_limits
from simulations.corpora import Floats

PHONES = Inventory(tuple(f"p{number}" for number in range(15)))
RIGHT = np.eye(len(PHONES), dtype=bool)
DEALS = 199
CASES = (
    (4, 4, 2000, 2000),
    (6, 6, 2000, 2000),
    (8, 8, 500, 500),
    (8, 8, 2000, 2000),
    (12, 12, 2000, 2000),
    (12, 12, 20_000, 20_000),
    (24, 24, 2000, 2000),
    (4, 24, 2000, 6000),
    (12, 6, 6000, 1000),
)
_WELL_FILLED = 20  # tokens expected in a cell


def lines(times: int, seed: int = 20) -> Iterator[str]:
    """Yield the table as Markdown."""
    yield "| speakers | tokens | p | tokens kept by speakers | level | pattern | cells | any q | JS: plug-in | value |"
    yield "|---|---|---:|---:|---:|---:|---:|---:|---:|---:|"
    for case in CASES:
        here, there, *tokens = case
        rows = np.array([_one(case, np.random.default_rng([seed, *case, number])) for number in range(times)])
        alarms, (plug_in, value, held) = 100 * np.nanmean(rows[:, :6], axis=0), np.nanmean(rows[:, 6:], axis=0)
        shown = " | ".join(f"{alarm:.1f}" for alarm in alarms)
        amounts = f"{tokens[0]:,} and {tokens[1]:,}"
        yield f"| {here} and {there} | {amounts} | {shown} | {plug_in:.4f} | {value:.4f} ({100 * held:.0f}) |"
    yield ""


def _one(case: tuple[int, int, int, int], generator: np.random.Generator) -> list[float]:
    here, there, tokens_here, tokens_there = case
    channel = _channel(generator)
    clusters = Clusters(*(_language(channel, *of, generator) for of in ((here, tokens_here), (there, tokens_there))))
    both = _beside(clusters)
    cells = cell_tests(both, clusters, level=0.95, correction="benjamini-hochberg")
    filled = (both.expected * tokens_here >= _WELL_FILLED) & ~np.isnan(cells.p)
    value, error = clusters.jackknifed(both, ExpectedConfusions.corrected_jensen_shannon)
    low, _ = student_limits(max(value, 0.0), error, freedom=min(here, there) - 1, level=0.95, kind="number")
    return [
        *_p_values(clusters, both, generator),
        float((cells.p[filled] < 0.05).mean()) if filled.any() else np.nan,
        float(np.nanmin(cells.q, initial=1.0) < 0.05),
        float(both.jensen_shannon()),
        max(value, 0.0),
        float(low <= 0),
    ]


def _p_values(clusters: Clusters, both: ExpectedConfusions, generator: np.random.Generator) -> Iterator[float]:
    """Yield whether p < .05 of JS, of JS with speakers dealt with all their tokens, of level and of pattern."""
    first, second = clusters.target, clusters.reference
    drawn = list(deals(first, second, RIGHT, number=DEALS, generator=generator))
    measured = np.array([_measures(_beside(Clusters(*one))) for one in drawn])
    every, naive = np.concatenate([first, second]), []
    for _ in range(DEALS):
        order = generator.permutation(len(every))
        naive.append(_measures(_beside(Clusters(every[order[: len(first)]], every[order[len(first) :]])))[0])
    divergence, level, pattern = _measures(both)
    yield float(max(p_value(divergence, measured[:, 0]), 1 / ways(len(first), len(second))) <= 0.05)
    yield float(p_value(divergence, np.array(naive)) <= 0.05)
    yield float(p_value(level, measured[:, 1]) <= 0.05)
    yield float(p_value(pattern, measured[:, 2]) <= 0.05)


def _measures(both: ExpectedConfusions) -> tuple[float, float, float]:
    there = both.reference / np.maximum(both.reference.sum(axis=1, keepdims=True), 1)
    _, level, pattern = beyond(both.target, there, 1 - there[RIGHT], RIGHT)
    return float(both.jensen_shannon()), float(level.sum()), float(pattern.sum())


def _beside(clusters: Clusters) -> ExpectedConfusions:
    counts = {"target": clusters.target.sum(axis=0), "reference": clusters.reference.sum(axis=0)}
    return ExpectedConfusions(gold=PHONES, predicted=PHONES, **counts, kept=1.0, left_out=())


def _channel(generator: np.random.Generator) -> Floats:
    """Return p(x|y) of the speaker in the middle, [15, 15]."""
    number = len(PHONES)
    right = expit(logit(0.7) + generator.normal(0, 0.5, number))
    shares = np.zeros((number, number))
    shares[~RIGHT] = generator.dirichlet(np.full(number - 1, 0.3), number).ravel()
    return np.asarray(np.where(RIGHT, right[:, None], (1 - right[:, None]) * shares))


def _language(channel: Floats, speakers: int, tokens: int, generator: np.random.Generator) -> Floats:
    """Return the counts of speakers who differ, [speakers, 15, 15]; the language says phones more or less often."""
    number = len(PHONES)
    said = 0.9 * generator.dirichlet(np.full(number, 0.8)) + 0.1 / number
    apart = generator.normal(0, 0.5, (speakers, 1)) + generator.normal(0, 0.25, (speakers, number))
    usual = channel[RIGHT]
    right = expit(logit(usual) + apart)[..., None]
    shares = np.where(RIGHT, right, channel / (1 - usual[:, None]) * (1 - right))
    amounts = generator.multinomial(tokens // speakers, said, speakers)
    return np.asarray(generator.multinomial(amounts, shares), dtype=np.float64)

"""Speakers around their language, languages around a habit: how often the credible intervals of pooled shares hold.

Truth is the mean of a language's speakers. Speakers are of four kinds: of the model (how often a phone is right, and as
what it is heard when wrong, vary apart); of one Dirichlet over both; with heavy tails (logarithms of shares moved by
Student's t with three degrees of freedom); and one in twelve is odd (half of the tokens are heard as anything). Cells
are classed by what a reader sees: the tokens of the gold phone in the language, and a pooled share of 1 % or more.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import product

import numpy as np

from phonxling.analyses.pooled_posterior import grid_quantiles
from phonxling.analyses.pooling import PooledShares, pooled_shares
from phonxling.core.arrays import Codes, Floats
from simulations.corpora import markdown

LANGUAGES, PHONES, HEARD, TOKENS = 3, 20, 24, 2000
OWN = np.where(np.arange(PHONES) < PHONES - 4, np.arange(PHONES), -1)  # the recogniser lacks four
KNOWN = OWN >= 0
AROUND, ABOVE, KAPPA = 20.0, 5.0, 30.0
SPEAKERS, DRAWS, POPULATION = (4, 12, 24), 400, 2000
CLASSES = (1, 10, 50, 200)  # tokens of the gold phone, at least
KINDS = ("of the model", "one Dirichlet", "heavy tails", "one in twelve odd")


def lines(times: int, seed: int = 20) -> Iterator[str]:
    """Yield three tables as Markdown: per cent of intervals that held the truth, losses of new speakers, and κ."""
    results = {
        (kind, speakers): [
            _trial(kind, speakers, np.random.default_rng([seed, speakers, world]))
            for world in range(max(1, times // 30))
        ]
        for kind in KINDS
        for speakers in SPEAKERS
    }
    cases = [[kind, speakers] for kind, speakers in results]
    heads = [*(f"{least}+ tokens" for least in CLASSES), "below 1 %"]
    held = ([*case, *_held(trials)] for case, trials in zip(cases, results.values(), strict=True))
    yield from markdown(["speakers are", "speakers", *heads], held)
    bits = (_mean(trials, "bits") for trials in results.values())
    losses = ([*case, *(f"{one:.3f}" for one in own)] for case, own in zip(cases, bits, strict=True))
    yield from markdown(["speakers are", "speakers", "pooled", "add ½", "plug-in"], losses)
    kappas = []
    for part, speakers in product(("right", "wrong"), SPEAKERS):
        ratio, share = _mean(results[KINDS[0], speakers], part)
        kappas.append([part, speakers, f"{np.exp(ratio):.2f}", f"{100 * share:.0f}"])
    yield from markdown(["κ of", "speakers", "κ / truth", "held, %"], kappas)


def _mean(trials: Sequence[Mapping[str, Floats]], name: str) -> Floats:
    return np.asarray(np.mean([trial[name] for trial in trials], axis=0))


def _held(trials: Sequence[Mapping[str, Floats]]) -> Iterator[str]:
    """Yield per cent of intervals that held the truth: by tokens of cells of 1 % or more, and of the other cells."""
    held, share, tokens = (np.concatenate([trial[name] for trial in trials]) for name in ("held", "share", "n"))
    place = np.searchsorted(CLASSES, tokens, "right") - 1
    classes = [(share >= 0.01) & (place == one) for one in range(len(CLASSES))]
    yield from (f"{100 * held[one].mean():.1f}" for one in [*classes, share < 0.01])


def dirichlet(shapes: Floats, generator: np.random.Generator) -> Floats:
    """Draw a distribution from each row of shapes; shapes of 0 give 0."""
    drawn = generator.standard_gamma(shapes)
    return np.asarray(drawn / np.maximum(drawn.sum(axis=-1, keepdims=True), 1e-300))


def joined(right: Floats, wrong: Floats) -> Floats:
    """Return shares of right ones [..., PHONES] and of outcomes when wrong [..., PHONES, HEARD] in one."""
    shares = (1 - right)[..., None] * wrong
    shares[..., KNOWN, OWN[KNOWN]] += right[..., KNOWN]
    return np.asarray(shares)


def _world(generator: np.random.Generator) -> tuple[Floats, Floats, Floats, Floats]:
    """Return each language's right shares, shares when wrong, and both κ, [2, LANGUAGES, PHONES]; tokens' shares."""
    possible = np.arange(HEARD) != OWN[:, None]
    base = generator.dirichlet(np.full(HEARD, 0.7)) * possible
    habit = dirichlet(ABOVE * base / base.sum(axis=1, keepdims=True), generator)
    level = generator.beta(3, 2, PHONES) * KNOWN
    many = (LANGUAGES, PHONES)
    right = generator.beta(AROUND * level + 1e-9, AROUND * (1 - level) + 1e-9, many) * KNOWN
    wrong = dirichlet(np.broadcast_to(AROUND * habit, (*many, HEARD)), generator)
    return (
        right,
        wrong,
        KAPPA * np.exp(0.5 * generator.normal(size=(2, *many))),
        generator.dirichlet(np.full(PHONES, 0.5), LANGUAGES),
    )


def _speakers(kind: str, world: tuple[Floats, ...], number: int, generator: np.random.Generator) -> Floats:
    """Return p(x|y) of speakers, [number, LANGUAGES, PHONES, HEARD]."""
    right, wrong, kappa, _ = world
    mean, size = joined(right, wrong), (number, *right.shape)
    if kind == "one Dirichlet":
        return dirichlet(np.broadcast_to(KAPPA * mean, (number, *mean.shape)), generator)
    if kind == "heavy tails":
        moved = mean * np.exp(0.5 * generator.standard_t(3, (number, *mean.shape)).clip(-8, 8))
        return np.asarray(moved / moved.sum(axis=-1, keepdims=True))
    own = generator.beta(kappa[0] * right + 1e-9, kappa[0] * (1 - right) + 1e-9, size) * KNOWN
    usual = joined(own, dirichlet(np.broadcast_to(kappa[1][..., None] * wrong, (number, *mean.shape)), generator))
    if kind == "of the model":
        return usual
    alien = dirichlet(np.full((number, *mean.shape), 0.3), generator)
    return np.where(generator.random((number, 1, 1, 1)) < 1 / 12, (usual + alien) / 2, usual)


def fitted(counts: Codes, generator: np.random.Generator) -> tuple[Codes, PooledShares]:
    """Return the languages and phones of rows [2, R], and what is pooled of counts [S, LANGUAGES, PHONES, HEARD]."""
    rows = np.argwhere(counts.sum(axis=(0, 3)) > 0).T
    number = np.full(counts.shape[1:3], -1)
    number[tuple(rows)] = np.arange(rows.shape[1])
    speaker, language, phone, heard = np.nonzero(counts)
    habits, habit = np.unique(rows[1], return_inverse=True)
    cells = np.stack([speaker * len(counts[0]) + language, number[language, phone], heard])
    return rows, pooled_shares(
        cells,
        counts[speaker, language, phone, heard],
        rows=np.stack([rows[0], habit]),
        own=OWN[habits],
        columns=HEARD,
        generator=generator,
        draws=DRAWS,
    )


def _trial(kind: str, speakers: int, generator: np.random.Generator) -> Mapping[str, Floats]:
    world = _world(generator)
    p = _speakers(kind, world, speakers + 1, generator)
    tokens = generator.multinomial(TOKENS // speakers, world[3], (speakers, LANGUAGES))
    counts = generator.multinomial(tokens, p[:-1] / p[:-1].sum(axis=-1, keepdims=True))
    rows, pooled = fitted(counts, generator)
    truth = joined(*world[:2]) if kind in KINDS[:2] else _speakers(kind, world, POPULATION, generator).mean(axis=0)
    (low, high), own = pooled.limits(0.95), truth[tuple(rows)]
    seen = counts.sum(axis=0)[tuple(rows)]
    n = seen.sum(axis=1, keepdims=True)
    plain = np.maximum(seen / n, 1e-7)
    joint = p[-1][tuple(rows)] * world[3][tuple(rows)][:, None]
    guesses = (pooled.mean, (seen + 0.5) / (n + HEARD / 2), plain / plain.sum(axis=1, keepdims=True))
    bits = [-(joint * np.log2(np.maximum(guess, 1e-300))).sum() / LANGUAGES for guess in guesses]
    known = KNOWN[rows[1]]
    return {
        "held": ((low <= own) & (own <= high)).ravel(),
        "share": pooled.mean.ravel(),
        "n": np.broadcast_to(n, own.shape).ravel(),
        "bits": np.array(bits),
        "right": _alike(pooled.right.kappa[known], world[2][0][tuple(rows)][known]),
        "wrong": _alike(pooled.wrong.kappa, world[2][1][tuple(rows)]),
    }


def _alike(odds: Floats, truth: Floats) -> Floats:
    """Return the mean logarithm of κ over the truth, and how often the interval held it."""
    low, middle, high = grid_quantiles(odds, 0.025, 0.5, 0.975)
    return np.array([np.log(middle / truth).mean(), ((low <= truth) & (truth <= high)).mean()])

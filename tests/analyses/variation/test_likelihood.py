"""The likelihood of variances: an oracle that shares no code with it, the numbers of glmmTMB, limits by definition."""

from collections.abc import Callable, Iterator

import numpy as np
import pandas as pd
import pytest
import scipy

from phonxling.analyses.variation.components import design
from phonxling.analyses.variation.heard import Heard
from phonxling.analyses.variation.likelihood import Likelihood
from phonxling.analyses.variation.model import Effects, laplace
from phonxling.core.arrays import Floats


def languages(*, number: int, speakers: int = 6, phones: int = 8, seed: int = 3) -> list[Heard]:
    """Return languages that share half of their phones with the next one."""
    generator = np.random.default_rng(seed)
    stock = generator.normal(0, 1, 2 * phones)
    heard = []
    for language in range(number):
        said = (np.arange(phones) + language * phones // 2) % (2 * phones)
        logits = 0.5 + stock[said] + generator.normal(0, 0.6, phones) + generator.normal(0, 0.5, (speakers, 1))
        tokens = generator.poisson(8, (speakers, phones))
        right = generator.binomial(tokens, 1 / (1 + np.exp(-logits)))
        heard.append(
            Heard(
                corpus=f"l{language}",
                language=f"l{language}",
                recogniser="",
                speakers=[(f"l{language}", f"s{one}") for one in range(speakers)],
                phones=[f"p{one}" for one in said],
                tokens=tokens.astype(float),
                right=right.astype(float),
                absent=0.0,
            )
        )
    return heard


def cells(heard: list[Heard]) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "language": one.language,
            "phone": phone,
            "both": f"{one.language} {phone}",
            "speaker": f"{one.language} {speaker[1]}",
            "tokens": one.tokens[row, column],
            "right": one.right[row, column],
        }
        for one in heard
        for row, speaker in enumerate(one.speakers)
        for column, phone in enumerate(one.phones)
    )


def oracle(table: pd.DataFrame, random: list[str], fixed: Floats) -> Callable[[Floats], float]:
    """Return the restricted log likelihood of variances by Laplace's method, all effects in one dense system."""
    dummies = [pd.get_dummies(table[name]).to_numpy(float) for name in random]
    columns = np.hstack([fixed, *dummies])
    tokens, right = table["tokens"].to_numpy(), table["right"].to_numpy()

    def likelihood(variances: Floats) -> float:
        of_effect = np.concatenate([np.full(own.shape[1], one) for own, one in zip(dummies, variances, strict=True)])
        penalty = np.concatenate([np.zeros(fixed.shape[1]), 1 / of_effect])

        def loss(effects: Floats) -> float:
            logits = columns @ effects
            return float(-(right * logits - tokens * np.log1p(np.exp(logits))).sum() + effects**2 @ penalty / 2)

        def slope(effects: Floats) -> Floats:
            share = 1 / (1 + np.exp(-columns @ effects))
            return -columns.T @ (right - tokens * share) + penalty * effects

        def curvature(effects: Floats) -> Floats:
            share = 1 / (1 + np.exp(-columns @ effects))
            return columns.T @ ((tokens * share * (1 - share))[:, None] * columns) + np.diag(penalty)

        best = scipy.optimize.minimize(
            loss, np.zeros(columns.shape[1]), jac=slope, hess=curvature, method="trust-exact", options={"gtol": 1e-9}
        ).x
        return -loss(best) - np.linalg.slogdet(curvature(best))[1] / 2 - np.log(of_effect).sum() / 2

    return likelihood


RANDOM = ["phone", "both", "speaker"]


def made_up() -> Iterator[Heard]:
    """Yield two languages of five speakers and nine phones, of which six are in both."""
    for language in range(2):
        speaker, phone = np.ogrid[0:5, 3 * language : 9 + 3 * language]
        tokens = 3 + (7 * speaker + 5 * phone + 3 * language) % 11
        share = (1 + 3 * phone % 7 + 0.9 * (2 * speaker % 5) + 3 * (phone * (language + 1) % 3)) / 18
        yield Heard(
            corpus=f"l{language}",
            language=f"l{language}",
            recogniser="",
            speakers=[(f"l{language}", f"s{one}") for one in range(5)],
            phones=[f"p{one}" for one in phone[0]],
            tokens=tokens.astype(float),
            right=np.floor(tokens * share),
            absent=0.0,
        )


def test_variances_are_those_of_glmmtmb() -> None:
    """glmmTMB(cbind(right, tokens - right) ~ language + (1|phone) + (1|both) + (1|speaker), binomial, REML = TRUE)."""
    heard = list(made_up())
    assert Likelihood(design(heard).model).best == pytest.approx([0.483044, 0.153985, 0.024312], rel=1e-4)


@pytest.mark.parametrize("number", [1, 3, 5])
def test_the_likelihood_is_that_of_one_dense_system(number: int) -> None:
    heard = languages(number=number)
    table = cells(heard)
    one, few = number == 1, number < 5
    random = ["phone", "speaker"] if one else RANDOM if few else ["language", *RANDOM]
    fixed = pd.get_dummies(table["language"]).to_numpy(float) if few else np.ones((len(table), 1))
    slow = oracle(table, random, fixed)
    model = design(heard).model
    for variances in (np.linspace(0.2, 1.1, len(random)), np.linspace(2.0, 0.1, len(random))):
        assert laplace(model, variances).value == pytest.approx(slow(variances), abs=1e-6)


def test_the_mode_does_not_depend_on_where_it_is_sought_from() -> None:
    model = design(languages(number=2)).model
    variances = np.array([1.0, 0.3, 0.2])
    wanted = laplace(model, variances)
    generator = np.random.default_rng(1)
    for far in (1.0, 30.0, 3000.0):
        start = Effects(
            far * generator.normal(size=len(model.component)), [far * generator.normal(size=6) for _ in range(2)]
        )
        mode = laplace(model, variances, start)
        assert mode.value == pytest.approx(wanted.value, abs=1e-9)
        assert mode.effects.shared == pytest.approx(wanted.effects.shared, abs=1e-7)


def test_the_most_likely_variances_and_the_limits_are_those_of_the_dense_system() -> None:
    heard = languages(number=1, speakers=8)
    slow = oracle(cells(heard), ["phone", "speaker"], np.ones((64, 1)))
    likelihood = Likelihood(design(heard).model)
    best = scipy.optimize.minimize(lambda place: -slow(np.exp(place)), [0.0, -1.0], method="Nelder-Mead")
    assert likelihood.best == pytest.approx(np.exp(best.x), rel=0.01)
    for limit in likelihood.limits(lambda variances: float(variances[0] / (variances.sum() + 3.0)), 0.95):
        highest = scipy.optimize.minimize_scalar(
            lambda other, limit=limit: -slow(np.array([limit / (1 - limit) * (other + 3.0), other])),
            bounds=(1e-4, 5),
            method="bounded",
        )
        assert -highest.fun - -best.fun == pytest.approx(-scipy.stats.chi2.ppf(0.95, 1) / 2, abs=0.02)


def test_effects_without_variance_give_none() -> None:
    tokens = np.full((6, 10), 30.0)
    right = np.random.default_rng(1).binomial(30, 0.7, (6, 10)).astype(float)
    speakers = [("l", f"s{one}") for one in range(6)]
    phones = [f"p{one}" for one in range(10)]
    alike = Heard(
        corpus="l", language="l", recogniser="", speakers=speakers, phones=phones, tokens=tokens, right=right, absent=0
    )
    likelihood = Likelihood(design([alike]).model)
    assert likelihood.best.max() < 0.03
    for place in (0, 1):
        low, high = likelihood.limits(
            lambda variances, place=place: float(variances[place] / (variances.sum() + 3)), 0.95
        )
        assert low == pytest.approx(0, abs=1e-6)
        assert 0 < high < 0.05

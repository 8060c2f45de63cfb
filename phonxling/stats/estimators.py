"""Estimators of the entropy of a discrete distribution from counts, in bits; and entropies of given distributions.

Small counts bias the plug-in estimate down; the others correct for that in different ways. n is the number of tokens,
n_i those of symbol i, m the number of symbols seen, K the support: how many symbols were possible, seen or not.

- `ml`: the plug-in, −Σ p̂ log2 p̂ with p̂_i = n_i / n.
- `miller-madow`: plug-in + (m − 1) / 2n nats (Miller 1955).
- `chao-shen`: coverage-adjusted Horvitz–Thompson: with coverage C = 1 − f₁/n (f₁ symbols seen once; n − 1 in place of
  f₁ = n, as R's `entropy` does) and p̃ = C·p̂, −Σ p̃ log2 p̃ / (1 − (1 − p̃)ⁿ) (Chao & Shen 2003).
- `grassberger`: ln n − (1/n) Σ n_i G(n_i) nats, G(n) = ψ(n) + ½ (−1)ⁿ [ψ((n + 1)/2) − ψ(n/2)], the form of Grassberger
  (2003), which is almost unbiased for large K. Of one symbol alone it is a little above 0.
- `shrink`: the plug-in of λ/K + (1 − λ) p̂, λ = (1 − Σ p̂²) / ((n − 1) Σ (1/K − p̂)²) within [0, 1] (James–Stein;
  Hausser & Strimmer 2009). Uses K.
- `jeffreys`, `laplace`: the plug-in of (n_i + a) / (n + K·a), a = ½ (Krichevsky & Trofimov 1981) and 1 (Laplace's rule
  of succession). Use K.
- `nsb`: the posterior mean under a mixture of symmetric Dirichlet priors that is flat in the expected entropy
  (Nemenman, Shafee & Bialek 2002), by numerical integration. Uses K.

Of given distributions p and q over K symbols: entropy H(p) = −Σ p log p, cross-entropy H(p, q) = −Σ p log q, divergence
D(p‖q) = Σ p log (p/q) = H(p, q) − H(p) (Kullback & Leibler 1951); of tokens with probabilities q_i: −(1/n) Σ log q_i.
Each over log K where it is normalised, so that the uniform distribution has 1.

References
----------
Quenouille (1956), Notes on bias in estimation. Zahl (1977), Jackknifing an index of diversity. Miller (1955).
"""

import math
from collections.abc import Callable, Mapping

import numpy as np
import scipy  # its modules are loaded when they are needed: `score` of few utterances needs none
from numpy.typing import ArrayLike, NDArray

from phonxling.core.arrays import Codes, Floats
from phonxling.core.errors import ConfigurationError
from phonxling.core.estimate import Estimate

_WIDEST = 30.0  # ln β from −30 to 30
_COARSE, _FINE = 241, 2001
_SUMS_TO_1 = 1e-6
_NEGLIGIBLE = 45.0  # nats below the greatest value of the integrand: 1e-20 of it
Estimator = Callable[[Floats, int], float]


def entropy(counts: ArrayLike, estimator: str = "ml") -> float:
    """Return the entropy in bits of the distribution that counts were drawn from; NaN when all counts are 0.

    Parameters
    ----------
    counts : array
        Counts ≥ 0 of each possible symbol; those of 0 count towards the support K, which `shrink`, `jeffreys`,
        `laplace` and `nsb` use and the others do not. Probabilities do for `ml`.
    estimator : str
        One of `ESTIMATORS`.

    ConfigurationError if no estimator has that name; ValueError if a count is negative or not finite, or is a fraction
    where the estimator needs whole numbers (see `NEED_WHOLE`).

    Examples
    --------
    >>> entropy([1, 1]), entropy([2, 1, 1]), round(entropy([1] * 26), 2), entropy([5])
    (1.0, 1.5, 4.7, 0.0)

    Laplace adds one token to each possible symbol, so that (2, 0) becomes (3, 1):

    >>> entropy([2, 0], "laplace") == entropy([3, 1])
    True
    """
    return estimate_entropy(check_counts(counts, estimator), estimator)


def cross_entropy(p: ArrayLike, q: ArrayLike | None = None, *, base: float = 2.0, normalised: bool = False) -> float:
    """Return −Σ p log q of two given distributions [K]; without q the entropy of p. Infinite where q lacks what p has.

    Parameters
    ----------
    p, q : array [K]
        Probabilities of the same symbols, each summing to 1.
    base : float
        Of the logarithm, above 1: 2 for bits, e for nats, 10 for bans.
    normalised : bool
        Whether the result is divided by log K; NaN for one symbol.

    Raises
    ------
    ValueError
        If a probability is negative or not finite, or they do not sum to 1; if p and q differ in length; for a base
        of 1 or less.

    Examples
    --------
    >>> cross_entropy([0.5, 0.25, 0.25]), cross_entropy([0.5, 0.5], [0.25, 0.75], base=10) > cross_entropy([1, 0])
    (1.5, True)
    >>> cross_entropy([0.5, 0.5], normalised=True), cross_entropy([0.5, 0.5], [1, 0])
    (1.0, inf)
    """
    first = _check_distribution(p)
    nats = float(scipy.special.entr(first).sum() + (0.0 if q is None else _divergence(first, q)))
    return _scale_entropy(nats, len(first), base, normalised)


def divergence(p: ArrayLike, q: ArrayLike, *, base: float = 2.0, normalised: bool = False) -> float:
    """Return the Kullback–Leibler divergence Σ p log (p/q), at least 0; parameters and errors as `cross_entropy`.

    Examples
    --------
    >>> round(divergence([0.5, 0.5], [0.75, 0.25]), 3), divergence([0.5, 0.5], [0.5, 0.5])
    (0.208, 0.0)
    """
    first = _check_distribution(p)
    return _scale_entropy(_divergence(first, q), len(first), base, normalised)


def token_cross_entropy(logs: ArrayLike, *, base: float = 2.0, symbols: int | None = None) -> float:
    """Return the mean −log probability of tokens, of their natural logarithms [n]; over log `symbols` where given.

    NaN without tokens. `base` to the power of it is the perplexity. ValueError where a logarithm is above
    0 or not a number, for a base of 1 or less, and for less than one symbol.

    Examples
    --------
    Two tokens of probability ½ and ⅛:

    >>> token_cross_entropy(np.log([0.5, 0.125]))
    2.0
    """
    values = np.asarray(logs, dtype=np.float64).ravel()
    if not (values <= 0).all():
        raise ValueError("logarithms of probabilities must be at most 0: give natural logarithms, not probabilities")
    if symbols is not None and symbols < 1:
        raise ValueError(f"there is at least one symbol, not {symbols}")
    mean = -float(values.mean()) + 0.0 if len(values) else math.nan
    return _scale_entropy(mean, symbols or 1, base, symbols is not None)


def _check_distribution(shares: ArrayLike) -> Floats:
    values = np.asarray(shares, dtype=np.float64).ravel()
    if not (values >= 0).all() or not abs(float(values.sum()) - 1) <= _SUMS_TO_1:
        raise ValueError(f"probabilities must not be negative, and must sum to 1, not to {values.sum():.10g}")
    return values


def _divergence(first: Floats, q: ArrayLike) -> float:
    second = _check_distribution(q)
    if len(first) != len(second):
        raise ValueError(f"both distributions must be of the same symbols: one has {len(first)}, one {len(second)}")
    return max(0.0, float(scipy.special.rel_entr(first, second).sum()))


def _scale_entropy(nats: float, symbols: int, base: float, normalised: bool) -> float:
    if not base > 1:
        raise ValueError(f"the base of a logarithm of probabilities must be above 1, not {base:g}")
    if normalised:
        return nats / math.log(symbols) if symbols > 1 else math.nan
    return nats / math.log(base)


def check_counts(counts: ArrayLike, estimator: str) -> Floats:
    """Return counts of any shape in a row, [K]; errors as for `entropy`."""
    values = np.asarray(counts, dtype=np.float64).ravel()
    if estimator not in ESTIMATORS:
        raise ConfigurationError(f"no entropy estimator is called '{estimator}'; there are: {', '.join(ESTIMATORS)}")
    if not np.isfinite(values).all() or (values < 0).any():
        raise ValueError("counts must be finite and not negative")
    if estimator in NEED_WHOLE and (values != np.round(values)).any():
        raise ValueError(f"the estimator {estimator} needs whole counts, and some are fractional; use ml")
    return values


def estimate_entropy(counts: Floats, estimator: str) -> float:
    """Return the entropy of counts [K] as of `check_counts`."""
    seen = counts[counts > 0]
    return ESTIMATORS[estimator](seen, len(counts)) if len(seen) else math.nan


def miller_madow(seen: Floats, support: int) -> float:  # noqa: ARG001 - all estimators are called alike
    # (m − 1)/2n is the plug-in’s bias to first order in 1/n; K would be right instead of m, but is seldom known (Miller
    # 1955).
    return _with_unseen(seen, 0.0, 0) + (len(seen) - 1) / (2 * float(seen.sum()) * math.log(2))


def chao_shen(seen: Floats, support: int) -> float:  # noqa: ARG001
    # Where all tokens are singletons the coverage would be 0 and the estimate 0/0: one fewer is taken, as R’s `entropy`
    # does.
    n, singletons = float(seen.sum()), float((seen == 1).sum())
    coverage = 1 - (min(singletons, n - 1)) / n
    # Horvitz–Thompson: a symbol weighs 1 over its probability of being seen at all in n draws.
    share = coverage * seen / n
    inclusion = -np.expm1(n * np.log1p(-share)) if (share < 1).all() else np.ones_like(share)
    return float(-(share * np.log2(share) / inclusion).sum()) + 0.0


def grassberger(seen: Floats, support: int) -> float:  # noqa: ARG001
    # (−1)ⁿ/2 of G(n): the term with which the sum is almost without bias for small n_i, too (Grassberger 2003).
    sign, digamma = np.where(seen % 2 == 0, 0.5, -0.5), scipy.special.digamma
    terms = digamma(seen) + sign * (digamma((seen + 1) / 2) - digamma(seen / 2))
    n = float(seen.sum())
    return (math.log(n) - float((seen * terms).sum()) / n) / math.log(2)


def shrink(seen: Floats, support: int) -> float:
    n = float(seen.sum())
    share, target = seen / n, 1 / support
    unseen = support - len(seen)
    distance = float(((target - share) ** 2).sum()) + unseen * target**2
    # λ is the estimated variance of the shares over their squared distance from the target, the uniform distribution
    # (Hausser & Strimmer 2009): few tokens pull the estimate to it, many leave the shares as they are.
    spread = 1 - float((share**2).sum())
    pull = 1.0 if n <= 1 or distance == 0 else min(1.0, max(0.0, spread / ((n - 1) * distance)))
    return _with_unseen(pull * target + (1 - pull) * share, pull * target, unseen)


def _with_unseen(seen: Floats, unseen: float, number: int) -> float:
    """Return the plug-in of these weights and of `number` more symbols that all weigh `unseen`."""
    total = float(seen.sum()) + number * unseen
    share, rest = seen / total, unseen / total
    share = share[share > 0]  # the smallest floats become 0 when divided
    more = number * rest * math.log2(rest) if number and rest > 0 else 0.0
    return float(-(share * np.log2(share)).sum() - more) + 0.0


def nsb(seen: Floats, support: int) -> float:
    if support == 1:
        return 0.0
    # Symbols with equal counts have equal terms: a table of thousands of cells has few distinct counts.
    sizes, times = np.unique(seen, return_counts=True)
    # A coarse grid over all ln β finds where the integrand is not negligible, a fine one is summed there: its peak is
    # narrow for many tokens, and may stand anywhere.
    coarse = np.linspace(-_WIDEST, _WIDEST, _COARSE)
    weight = _log_weight(coarse, sizes, times, support)
    near = coarse[weight > weight.max() - _NEGLIGIBLE]
    step = coarse[1] - coarse[0]
    fine = np.linspace(near[0] - step, near[-1] + step, _FINE)
    weight = _log_weight(fine, sizes, times, support)
    share = np.exp(weight - weight.max())
    # The posterior mean of H, in nats, under a Dirichlet prior of β a symbol: ψ(N + 1) − Σ (n_i + β)/N ψ(n_i + β + 1),
    # N = n + K β; symbols that were not seen are K − m equal terms.
    beta, digamma = np.exp(fine), scipy.special.digamma
    total, unseen = float((sizes * times).sum()) + support * beta, support - int(times.sum())
    terms = unseen * beta * digamma(beta + 1)
    for size, number in zip(sizes, times, strict=True):
        terms = terms + number * (size + beta) * digamma(size + beta + 1)
    return float((share * (digamma(total + 1) - terms / total)).sum() / share.sum()) / math.log(2)


def _log_weight(log_beta: Floats, sizes: Floats, times: Codes, support: int) -> Floats:
    """Return ln(ρ · dξ/dβ · β): the weight of each ln β."""
    beta, n = np.exp(log_beta), float((sizes * times).sum())
    # dξ/dβ, the prior that makes the expected entropy ξ(β) = ψ(Kβ + 1) − ψ(β + 1) flat (Nemenman, Shafee & Bialek
    # 2002); the last β is for summing over ln β.
    slope = support * scipy.special.polygamma(1, support * beta + 1) - scipy.special.polygamma(1, beta + 1)
    evidence = -_log_rising(support * beta, n)
    for size, number in zip(sizes, times, strict=True):
        evidence = evidence + number * _log_rising(beta, float(size))
    with np.errstate(divide="ignore"):
        return np.asarray(evidence + np.log(np.maximum(slope, 0)) + log_beta)


def _log_rising(base: Floats, steps: float) -> Floats:
    """Return ln Γ(base + steps) − ln Γ(base) without the loss of digits that their difference has for a large base."""
    # B(a, n) = Γ(a) Γ(n) / Γ(a + n).
    return np.asarray(math.lgamma(steps) - scipy.special.betaln(base, steps))


ESTIMATORS: dict[str, Estimator] = {
    "ml": lambda seen, _: _with_unseen(seen, 0.0, 0),
    "miller-madow": miller_madow,
    "chao-shen": chao_shen,
    "shrink": shrink,
    "grassberger": grassberger,
    "jeffreys": lambda seen, support: _with_unseen(seen + 0.5, 0.5, support - len(seen)),
    "laplace": lambda seen, support: _with_unseen(seen + 1.0, 1.0, support - len(seen)),
    "nsb": nsb,
}
NEED_WHOLE = frozenset({"miller-madow", "chao-shen", "grassberger", "nsb"})  # they count how often symbols were seen


FEW_PER_CELL = 4.0  # below so many tokens a cell seen, intervals held the truth in fewer than 90 % of simulations
FEW_PER_CELL_OF_DIVERGENCES = 15.0  # the same of these
_LARGEST_EXPONENT = math.log2(np.finfo(float).max)  # bits above which 2 to their power is no number


def n_log_n(counts: Floats) -> Floats:
    """Return n log2 n, 0 for n = 0; most cells of a large table are 0, and have no logarithm taken."""
    found = np.zeros(counts.shape)
    np.log2(counts, out=found, where=~(counts <= 0))  # NaN stays
    found *= counts
    return found


def shares_entropy(shares: Floats, axis: int = -1) -> Floats:
    """Return the entropy in bits of the distributions along an axis; 0 where all shares are 0."""
    return np.asarray(0.0 - n_log_n(shares).sum(axis=axis))


def table_information(pairs: Floats, *, corrected: bool = False) -> Mapping[str, Floats]:
    """Return each measure of information of tables [G, P, …] by its name; `corrected`: by Miller–Madow."""
    seen = np.count_nonzero(pairs > 0, axis=(0, 1)) if corrected else None
    return _measure_information(pairs.sum(axis=1), pairs.sum(axis=0), n_log_n(pairs).sum(axis=(0, 1)), seen)


def cell_information(rows: Codes, columns: Codes, counts: Floats, shape: tuple[int, int]) -> Mapping[str, Floats]:
    """Return the corrected measures of tables that have counts in K cells only, [K, R]; `rows`, `columns` say which."""
    from scipy.sparse import csc_array  # a fifth of a second, which `check` need not wait

    each, ones = np.arange(len(counts) + 1), np.ones(len(counts))  # a column of the matrix has one cell
    of_rows, of_columns = (
        np.asarray(csc_array((ones, codes, each), shape=(size, len(counts))) @ counts)
        for codes, size in zip((rows, columns), shape, strict=True)
    )
    return _measure_information(of_rows, of_columns, n_log_n(counts).sum(axis=0), np.count_nonzero(counts > 0, axis=0))


def _measure_information(
    rows: Floats, columns: Floats, cells: Floats, seen: NDArray[np.int64] | None
) -> Mapping[str, Floats]:
    """Return the measures in bits of tokens by row and column, with Σ n log2 n over cells; NaN without tokens.

    They are corrected where it is said how many cells were `seen`.
    """
    # H(Y) = log2 N − Σ_y n_y log2 n_y / N, and H(X), H(X,Y) alike; H(X|Y) = H(X,Y) − H(Y); I = H(X) + H(Y) − H(X,Y).
    # The Miller–Madow correction adds (m − 1) / 2N nats to each of the three, m the number of rows, columns or cells
    # with tokens. The jackknife over clusters of it is the estimate (see `jackknife`): what bias is left (cells never
    # seen, tokens of one speaker that are alike) is of order 1/N too, and the jackknife takes it off.
    total = rows.sum(axis=0)
    tokens, by_column = np.where(total > 0, total, math.nan), n_log_n(columns)
    # One after the other, so that no phone that is never predicted changes a bit.
    of_columns = by_column.cumsum(axis=0)[-1] if len(by_column) else by_column.sum(axis=0)

    # Each of the three entropies has its own correction, and I and the conditional ones are composed of these: so
    # I = H(X) + H(Y) − H(X,Y) holds for the corrected values, too.
    def bits(sums: Floats, number: NDArray[np.int64]) -> Floats:
        more = 0.0 if seen is None else 1 / (2 * tokens * math.log(2)) * (number - 1)
        return np.asarray(np.log2(tokens) - sums / tokens + more)

    gold = bits(n_log_n(rows).sum(axis=0), np.count_nonzero(rows > 0, axis=0))
    predicted = bits(of_columns, np.count_nonzero(columns > 0, axis=0))
    joint = bits(cells, np.zeros(0, np.int64) if seen is None else seen)
    measures = {
        "conditional_entropy": joint - gold,
        "conditional_entropy_given_predicted": joint - predicted,
        "entropy_gold": gold,
        "entropy_predicted": predicted,
        "mutual_information": gold + predicted - joint,
    }
    # Corrected values may fall below 0, and stay, for cutting them would bias the jackknife; plug-in ones only by
    # rounding.
    return {name: np.maximum(value, 0.0) for name, value in measures.items()} if seen is None else measures


def largest_information(shape: tuple[int, int]) -> Mapping[str, float]:
    """Return the largest value that each measure of information in bits can have."""
    rows, columns = (math.log2(max(number, 1)) for number in shape)
    return {
        "conditional_entropy": columns,
        "conditional_entropy_given_predicted": rows,
        "entropy_gold": rows,
        "entropy_predicted": columns,
        "mutual_information": min(rows, columns),
    }


def row_entropies(rows: Floats, cells: Floats, seen: Floats | NDArray[np.int64]) -> Floats:
    """Return each row's entropy by Miller–Madow, its tokens, its sum and its cells seen given; NaN without tokens."""
    tokens = np.where(rows > 0, rows, math.nan)
    plain = np.maximum(np.log2(tokens) - cells / tokens, 0.0)
    more = (seen - 1) / (2 * tokens * math.log(2))
    return np.where(seen == 1, 0.0, plain + more)  # one cell alone leaves nothing unknown, and no rounding either


def in_phones(bits: Estimate) -> Estimate:
    """Return an entropy's value and interval as perplexities, 2^bits: NaN where that is beyond all numbers."""
    value, low, high = (2.0**end if end <= _LARGEST_EXPONENT else math.nan for end in (bits.value, bits.low, bits.high))
    return bits.changed(value=value, low=low, high=high)


def few_per_cell(counts: Floats, least: float = FEW_PER_CELL) -> bool:
    """Return whether the cells seen have so few tokens that the interval holds the truth less often than it says."""
    seen = int(np.count_nonzero(counts))
    return bool(seen) and float(counts.sum()) / seen < least

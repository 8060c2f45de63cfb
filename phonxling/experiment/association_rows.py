"""The rows of summary.tsv on posteriors: association from soft and from hard decisions, and the frames behind it."""

import math
from collections.abc import Iterator, Sequence

import numpy as np

from phonxling.core.means import TokenPosteriors
from phonxling.experiment.association import Association, share_of_gold
from phonxling.experiment.corpus_notes import unpaired_note
from phonxling.experiment.summary import Row, interval_of, plain
from phonxling.measure.estimators import entropy
from phonxling.measure.information import information_of

_MANY = 10  # tokens an occupied cell, below which intervals cover too little
_MI = "posterior_mutual_information"


def association_rows(found: Association, untied: Sequence[str] = ()) -> Iterator[Row]:
    """Yield I(Y;E) of soft and hard decisions, its level without association, and what the posteriors rest on."""
    tokens, n = found.tokens, float(len(found.tokens))
    missing = "" if n else "no gold token has a frame"
    note = missing or _note(tokens, untied)
    yield from _rows(found, note, missing, hard=False)
    yield from _rows(found, missing, missing, hard=True)
    yield plain("posterior_entropy", _mean_entropy(tokens), "bits", n, "token", missing)
    for variant, number in (("in phones", tokens.read - tokens.outside), ("outside", tokens.outside)):
        yield plain("frames", float(number), "frames", float(tokens.read), variant)
    for variant, lost in (("no frame", tokens.without_frame), ("silence alone", tokens.silent)):
        said = " ".join(f"{phone} {lost[code]}" for code, phone in enumerate(tokens.phones) if lost[code])
        number = float(lost.sum())
        yield plain("tokens_left_out", number, "tokens", n + tokens.without_frame.sum() + tokens.silent.sum(), variant, said)


def _note(tokens: TokenPosteriors, untied: Sequence[str]) -> str:
    short, silent = int(tokens.without_frame.sum()), int(tokens.silent.sum())
    told = {
        unpaired_note(untied, " with posteriors"): bool(untied),
        f"tokens too short to hold a frame: {short}": short > 0,
        f"tokens heard as silence alone: {silent}": silent > 0,
        f"share of the mass that is blank: {tokens.blank_share:.3f}": not math.isnan(tokens.blank_share),
    }
    return "; ".join(text for text, tell in told.items() if tell)


def _rows(found: Association, note: str, missing: str, *, hard: bool) -> Iterator[Row]:
    n, variant = float(len(found.tokens)), f"{found.unit} hard" if hard else found.unit
    mass = found.hard.mass if hard else found.soft.mass
    gold = entropy(mass.sum(axis=1))
    value = found.information(information_of, hard=hard)
    thin = _thin(mass, n) if hard and not math.isnan(value.low) else ""
    yield Row(_MI, value, "bits", n, variant, "; ".join(filter(None, [note, thin])))
    none = missing or ("" if gold > 0 else "H(gold) is 0")
    share = found.information(share_of_gold, hard=hard)
    yield Row("uncertainty_coefficient", share, "ratio", n, f"posterior{' hard' if hard else ''}", none)
    if n and found.experiment.information.permutations:
        yield from _null_rows(found, value.value, gold, variant, hard=hard)


def _thin(mass: np.ndarray[tuple[int, ...], np.dtype[np.float64]], n: float) -> str:
    """Return a warning where tokens are too few for the cells that they occupy; the documentation has the coverage."""
    each = n / np.count_nonzero(mass)
    return f"the interval covers too little: {each:.1f} tokens an occupied cell" if each < _MANY else ""


def _null_rows(found: Association, value: float, gold: float, variant: str, *, hard: bool) -> Iterator[Row]:
    drawn, n = found.null(hard=hard), float(len(found.tokens))
    null, level = float(drawn.mean()), found.experiment.uncertainty.level
    note = f"{len(drawn)} permutations of the tokens' labels"
    yield Row(f"{_MI}_null", interval_of(drawn, level), "bits", n, variant, note)
    yield plain(f"{_MI}_excess", value - null, "bits", n, variant)
    left = gold - null
    adjusted = (value - null) / left if left > 0 else math.nan
    yield plain(f"{_MI}_adjusted", adjusted, "ratio", n, variant, "" if left > 0 else "H(gold) is at its null")
    p = (int((drawn >= value).sum()) + 1) / (len(drawn) + 1)
    yield plain(f"{_MI}_p", p, "probability", n, variant, f"least possible: {1 / (len(drawn) + 1):.2g}")


def _mean_entropy(tokens: TokenPosteriors) -> float:
    return float(np.mean([entropy(row) for row in tokens.rows])) if len(tokens) else math.nan

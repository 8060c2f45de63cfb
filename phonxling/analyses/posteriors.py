"""What posteriors say of the gold phones: log loss, plain and normalised, perplexity, Brier score, entropy.

Each gold token with frames has the mean posterior of its frames. Its loss is −log2 of what that gives the gold phone;
tokens whose phone the recogniser does not have are left out, and the note says how many. Baselines give every token the
same probabilities: the shares of the corpus' own phones, and those of the reference's.
"""

import math
from collections.abc import Iterator, Sequence

import numpy as np
import pandas as pd

from phonxling.analyses.calibration import bits_of_truth, squared_distances
from phonxling.analyses.case import Case, Items
from phonxling.analyses.loaded import read_map
from phonxling.analyses.measures import Row, row_of
from phonxling.core.arrays import Codes, Floats
from phonxling.core.estimate import joined
from phonxling.core.posteriorgram import TokenPosteriors
from phonxling.count.posteriors import frame_entropy
from phonxling.resample.estimators import in_phones, shares_entropy
from phonxling.resample.jackknife import mean_of_tokens, ratio_of_tokens, sums_by
from phonxling.settings.models import Confidence

FEW = 20  # tokens below which a number is said to rest on few
FLOOR = 1e-7  # probabilities below it are taken as it: a phone that is ruled out would cost infinitely many bits
_TOGETHER = 1 << 16  # tokens whose rows are worked on at one time


def posteriors(case: Case, settings: Confidence) -> Items:
    """Yield log loss, perplexity, Brier score and entropy; forced posteriors are read again for frames."""
    labels = _gold_labels(case.token_posteriors, settings)
    tokens = _measure_tokens(case.token_posteriors, labels)
    frames = case.token_posteriors.entropy or frame_entropy(case.posteriorgrams, case.segments, case.work)
    yield from _losses(case, settings, tokens)
    n, missing, clusters = len(tokens), case.without_tokens, case.token_clusters
    mean = mean_of_tokens(tokens["entropy"].to_numpy(), tokens["owner"].to_numpy(), clusters)
    yield row_of("posterior_entropy", mean, n, "", missing)
    owner = case.segments.token_utterances()
    by_frame = ratio_of_tokens(frames.bits, frames.mass, owner=owner, clusters=clusters)
    silent = "" if frames.mass.any() else "no frame but silence"
    yield row_of("posterior_entropy", by_frame, n, "frame", missing or silent)


def _gold_labels(tokens: TokenPosteriors, settings: Confidence) -> Codes:
    """Return the column of each token's gold phone, [N]: −1 where the recogniser has no such phone."""
    phone_map = read_map(tokens.columns, settings)
    return tokens.columns.codes(phone_map.get(phone, phone) for phone in tokens.phones)[tokens.codes]


def _measure_tokens(tokens: TokenPosteriors, labels: Codes) -> pd.DataFrame:
    """Return the values of N gold tokens with frames; NaN where the recogniser does not have the phone (`inside`)."""
    bits, plain, brier, entropy = np.full((4, len(tokens)), np.nan)
    for first in range(0, len(tokens), _TOGETHER):
        part = slice(first, first + _TOGETHER)
        rows, columns = tokens.rows[part].astype(np.float64, copy=False), labels[part]
        inside = columns >= 0
        entropy[part] = np.maximum(shares_entropy(rows), 0.0)
        rows, columns = rows[inside], columns[inside]
        plain[part][inside] = bits_of_truth(columns, rows)
        bits[part][inside] = bits_of_truth(columns, rows, FLOOR)
        brier[part][inside] = squared_distances(columns, rows)
    named = {"code": tokens.codes, "label": labels, "owner": tokens.utterances, "inside": labels >= 0}
    return pd.DataFrame(named | {"cross_entropy": bits, "brier": brier, "entropy": entropy, "low": plain > bits})


def _baselines(case: Case, settings: Confidence, own: Codes) -> Iterator[tuple[str, Floats, str]]:
    """Yield the shares that a constant recogniser gives, [K]: the corpus' own, and the reference's; or why not.

    `own` are the columns of the gold tokens whose phone the recogniser has.
    """
    columns, reference = case.token_posteriors.columns, case.reference
    shares = _shares(own, len(columns))
    yield "", shares, ""
    if case.is_reference:
        return
    if reference is None or reference.tokens is None:
        name = "" if reference is None else reference.name
        why = f"the reference {name} has no posteriors with times" if name else "no corpus has the role reference"
        yield "reference", shares, why
        return
    theirs, labels = reference.token_posteriors.columns, _gold_labels(reference.token_posteriors, settings)
    constant = np.append(_shares(labels[labels >= 0], len(theirs)), 0.0)[theirs.codes(columns)]
    never = [phone for phone, ours, other in zip(columns, shares, constant, strict=True) if ours and not other]
    lacking = f"the reference never says {' '.join(never)}, which its shares would call impossible" if never else ""
    yield "reference", constant / constant.sum() if constant.sum() else constant, lacking


def _shares(labels: Codes, size: int) -> Floats:
    counts = np.bincount(labels, minlength=size)
    return np.asarray(counts / max(counts.sum(), 1), dtype=np.float64)


def _losses(case: Case, settings: Confidence, tokens: pd.DataFrame) -> Iterator[Row]:
    """Yield the loss by token and by utterance, beside baselines, and the Brier score."""
    clusters, own = case.token_clusters, tokens[tokens["inside"]]
    n, owner, bits = len(own), own["owner"].to_numpy(), own["cross_entropy"].to_numpy()
    note, beside = _notes(case.token_posteriors.phones.phones, tokens)
    missing = case.without_tokens or ("" if n else "the recogniser has none of the gold phones")
    loss = mean_of_tokens(bits, owner, clusters)
    yield row_of("posterior_cross_entropy", loss, n, "", missing or beside)
    yield row_of("posterior_perplexity", in_phones(loss), n, "", missing or beside)
    total, number = sums_by(owner, np.stack([bits, np.ones(n)], axis=1), len(case.segments)).T
    spoken = np.flatnonzero(number)  # utterances, each of which weighs the same
    means = mean_of_tokens(total[spoken] / number[spoken], spoken, clusters)
    yield row_of("posterior_cross_entropy", means, len(spoken), "utterance", missing or beside)
    for variant, shares, lacking in _baselines(case, settings, own["label"].to_numpy()):
        why = missing or lacking
        if not why:
            with np.errstate(divide="ignore"):
                constant = -np.log2(shares)[own["label"].to_numpy()]
            why = "" if constant.sum() > 0 else "the baseline pays nothing: there is one phone only"
        # own shares are of the corpus, whoever is left out
        ratio = math.nan if why else ratio_of_tokens(bits, constant, owner=owner, clusters=clusters)
        yield row_of("normalised_cross_entropy", ratio, n, variant, why or beside)
    brier = mean_of_tokens(own["brier"].to_numpy(), owner, clusters)
    yield row_of("brier", brier, n, "multiclass", missing or note)


def _notes(phones: Sequence[str], tokens: pd.DataFrame) -> tuple[str, str]:
    """Return a note on what numbers rest on, and the same with how many probabilities lie below the floor."""
    every, n = len(tokens), int(tokens["inside"].sum())
    foreign = [phones[code] for code in np.unique(tokens["code"][~tokens["inside"]])]
    share = 1 - n / every if every else 0.0
    part = f"of the tokens whose phone the recogniser has; share outside ({' '.join(foreign)}): {share:.3f}"
    note = joined([part * bool(share), f"rests on {n} tokens only" if 0 < n < FEW else ""])
    low = int(tokens["low"].sum())
    about = f"probabilities below {FLOOR:g} taken as {FLOOR:g}: {low} tokens ({low / max(n, 1):.2%})" * bool(low)
    return note, joined([note, about])

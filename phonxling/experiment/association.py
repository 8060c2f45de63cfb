"""Posteriors with time-stamped gold: association tables, summary rows, phone means."""

import math
import zlib
from collections.abc import Iterator, Sequence

import numpy as np

from phonxling.core.means import TokenPosteriors
from phonxling.count.posteriors import joint_of_tokens, token_posteriors
from phonxling.experiment.configuration.models import Experiment
from phonxling.experiment.corpora import LoadedCorpus
from phonxling.experiment.corpus_notes import unpaired_note
from phonxling.experiment.summary import Row, interval_of, plain
from phonxling.measure.estimators import entropy
from phonxling.measure.information import mutual_information, permuted_information


def read_tokens(loaded: LoadedCorpus) -> TokenPosteriors | None:
    """Return the mean posterior of each gold token; None when the corpus has no posteriors."""
    if loaded.posteriorgrams is None or loaded.segments is None:
        return None
    return token_posteriors(loaded.posteriorgrams, loaded.segments)


def association_rows(
    name: str, tokens: TokenPosteriors, experiment: Experiment, untied: Sequence[str] = ()
) -> Iterator[Row]:
    """Yield I(Y;E), its level without association, and and what is above it."""
    settings, n = experiment.information, float(len(tokens))
    joint = joint_of_tokens(tokens, settings.unit)
    value = mutual_information(joint)
    left = int(tokens.without_frame.sum()), int(tokens.silent.sum())
    told = {
        unpaired_note(untied, " with posteriors"): bool(untied),
        f"tokens too short to hold a frame: {left[0]}": left[0] > 0,
        f"tokens heard as silence alone: {left[1]}": left[1] > 0,
        f"share of the mass that is blank: {tokens.blank_share:.3f}": not math.isnan(tokens.blank_share),
    }
    note = "; ".join(text for text, tell in told.items() if tell)
    missing = "" if n else "no gold token has a frame"
    yield plain("posterior_mutual_information", value, "bits", n, settings.unit, missing or note)
    gold_entropy = entropy(joint.mass.sum(axis=1))
    share = value / gold_entropy if gold_entropy > 0 else math.nan
    none = "" if gold_entropy > 0 else "H(gold) is 0"
    yield plain("uncertainty_coefficient", share, "ratio", n, "posterior", missing or none)
    yield from _null_rows(name, tokens, experiment, value, gold_entropy)


def _null_rows(
    name: str, tokens: TokenPosteriors, experiment: Experiment, value: float, gold_entropy: float
) -> Iterator[Row]:
    settings, n = experiment.information, float(len(tokens))
    if not settings.permutations or not n:
        return
    generator = np.random.default_rng([experiment.seed, zlib.crc32(name.encode()), zlib.crc32(b"permutation")])
    rows = tokens.rows if settings.unit == "token" else tokens.mass
    drawn = permuted_information(tokens.codes, rows, len(tokens.phones), settings.permutations, generator)
    null, unit = float(drawn.mean()), settings.unit
    yield Row(
        "posterior_mutual_information_null",
        interval_of(drawn, experiment.uncertainty.level),
        "bits",
        n,
        unit,
        f"{settings.permutations} permutations of the tokens' labels",
    )
    yield plain("posterior_mutual_information_excess", value - null, "bits", n, unit)
    left = gold_entropy - null
    adjusted = (value - null) / left if left > 0 else math.nan
    yield plain(
        "posterior_mutual_information_adjusted",
        adjusted,
        "ratio",
        n,
        unit,
        "" if left > 0 else "H(gold) is at its null",
    )
    p = (int((drawn >= value).sum()) + 1) / (len(drawn) + 1)
    yield plain(
        "posterior_mutual_information_p", p, "probability", n, unit, f"least possible: {1 / (len(drawn) + 1):.2g}"
    )

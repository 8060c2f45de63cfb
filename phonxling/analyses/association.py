"""Association of gold and recognised phones, cell by cell and in all; and the losses of posteriors.

Of joint probabilities p̂(y,e), from counts or posteriors, gold y in rows and recognised e in columns:
PMI = log2 p̂(y,e) / (p̂(y) p̂(e)); NPMI = PMI / −log2 p̂(y,e); I(Y;E) = Σ p̂(y,e) PMI(y,e), bits. From posteriors E is a
phone sampled from the posterior, so I(Y;E) is at most the information that the posterior itself carries about y; or the
most probable one (`hard`). With one-hot posteriors all equals counts. A token counts once.

References
----------
Church & Hanks (1990). Bouma (2009), Normalized (pointwise) mutual information in collocation extraction.
"""

import math
import zlib
from collections.abc import Callable, Iterator
from itertools import pairwise

import numpy as np
import pandas as pd

from phonxling.alignment.confusions import OneHot, parts_of
from phonxling.alignment.counting_kernel import add_relabelled, add_relabelled_cells
from phonxling.analyses.calibration import bits_of_truth, squared_distances
from phonxling.analyses.context import AnalysisOutput, CorpusContext
from phonxling.analyses.loaded import read_map, unpaired_note
from phonxling.analyses.measures import Row, row_of
from phonxling.analyses.statistics import Gaps, confusion_information, counted_symbols
from phonxling.configuration.models import Confidence, Information
from phonxling.core.arrays import Codes, Floats, code_type, divide
from phonxling.core.confusion import ConfusionMatrix
from phonxling.core.errors import check_arguments
from phonxling.core.estimate import Estimate, join_notes
from phonxling.core.inventory import GAP
from phonxling.core.posteriorgram import JointDistribution, TokenPosteriors
from phonxling.posteriors.joint import frame_entropy, joint_of_tokens
from phonxling.stats.estimators import entropy, in_phones, shares_entropy, table_information
from phonxling.stats.jackknife import Clusters, mean_of_tokens, ratio_of_tokens, sums_by, sums_by_cluster, without_each

# Share of the plug-in that its null is, above which intervals held the truth in fewer than 90 %.
_BIASED_RATIO = 0.25
_NO_BITS = 1e-12
# Permutations that one pass over the tokens serves, and bytes that their labels may take where that is more than the
# fewest: a pass over rows on disk costs more than the labels do.
_FEWEST, _MOST, _LABELS = 8, 32, 160_000_000
# Of a speaker, on average: among fewer tokens labels cannot change places without meeting themselves.
_LEAST_TOKENS = 50
# Tokens below which a loss is said to rest on few.
_FEW_TOKENS = 20
# Probabilities below it are taken as it: a phone that is ruled out would cost infinitely many bits.
FLOOR = 1e-7
_BATCH_SIZE = 1 << 16  # tokens whose rows are worked on at one time


@check_arguments
def pmi(joint: JointDistribution | ConfusionMatrix, gaps: Gaps = "exclude") -> pd.DataFrame:
    """Return pointwise mutual information in bits, [gold, recognised].

    −inf where a pair never occurs though both of its phones do; NaN where one of them has no mass. Of a confusion
    matrix, ∅ is left out unless `gaps="include"` makes it the last row and column.

    Examples
    --------
    >>> pmi(JointDistribution(["a", "b"], ["x", "y"], [[1, 0], [0, 1]])).to_numpy().tolist()
    [[1.0, -inf], [-inf, 1.0]]
    """
    return _pair_table(joint, gaps, pmi_of)


@check_arguments
def npmi(joint: JointDistribution | ConfusionMatrix, gaps: Gaps = "exclude") -> pd.DataFrame:
    """Return PMI / −log2 p̂(y,e), in [−1, 1], [gold, recognised]: −1 never together, 0 independent, 1 only together.

    −1 where p̂(y,e) = 0 and both marginals are positive; 1 where p̂(y,e) = 1; NaN where a marginal is 0. `gaps` as for
    `pmi`.

    Examples
    --------
    >>> npmi(JointDistribution(["a", "b"], ["x", "y"], [[1, 0], [0, 1]])).to_numpy().tolist()
    [[1.0, -1.0], [-1.0, 1.0]]

    a is always deleted, and nothing else ever is:

    >>> npmi(ConfusionMatrix(["a", "b"], ["x"], [[0, 1], [1, 0], [0, 0]]), gaps="include")["∅"].tolist()
    [1.0, -1.0, nan]
    """
    return _pair_table(joint, gaps, npmi_of)


def pmi_of(p: Floats) -> Floats:
    """Return PMI of a joint probability table, [G, K]; see `pmi`."""
    rows, columns = p.sum(axis=1, keepdims=True), p.sum(axis=0, keepdims=True)
    with np.errstate(divide="ignore", invalid="ignore"):
        values: Floats = np.log2(p) - np.log2(rows) - np.log2(columns)
    return np.where((rows > 0) & (columns > 0), values, np.nan)


def npmi_of(p: Floats) -> Floats:
    """Return NPMI of what `pmi_of` takes; see `npmi`."""
    pmi_values = pmi_of(p)
    with np.errstate(divide="ignore", invalid="ignore"):
        values = pmi_values / -np.log2(p)
    # The limits of NPMI: of a pair that always occurs, and of one that never does though both its sides do.
    values = np.where(p == 1, 1.0, np.where((p == 0) & ~np.isnan(pmi_values), -1.0, values))
    return np.clip(values, -1, 1)


@check_arguments
def mutual_information(table: JointDistribution | ConfusionMatrix) -> float:
    """Return I(Y;E), or I(X;Y) of a confusion matrix without its ∅, in bits, ≥ 0; NaN without mass.

    Examples
    --------
    >>> mutual_information(JointDistribution(["a", "b"], ["x", "y"], [[1, 1], [1, 1]]))
    0.0
    """
    if isinstance(table, ConfusionMatrix):
        return confusion_information(table)
    return information_of(table.mass)


def information_of(mass: Floats) -> float:
    """Return H(Y) + H(E) − H(Y,E) of a table of mass, in bits."""
    value = entropy(mass.sum(axis=1)) + entropy(mass.sum(axis=0)) - entropy(mass)
    return value if np.isnan(value) else max(value, 0.0)


def _pair_table(table: JointDistribution | ConfusionMatrix, gaps: Gaps, of: Callable[[Floats], Floats]) -> pd.DataFrame:
    if isinstance(table, JointDistribution):
        mass, rows, columns = table.mass, table.rows.phones, table.columns.phones
    else:
        gap = (GAP,) * (gaps == "include")
        mass, rows, columns = counted_symbols(table, gaps=gaps), (*table.gold, *gap), (*table.predicted, *gap)
    values = of(divide(mass, mass.sum()))
    return pd.DataFrame(values, pd.Index(rows, name="gold"), pd.Index(columns, name="recognised"))


def joint_information(
    tokens: TokenPosteriors, clusters: Clusters, *, hard: bool = False
) -> tuple[JointDistribution, Estimate]:
    """Return the joint distribution of tokens, and its I(Y;E), bias-corrected, with its interval."""
    rows = OneHot(tokens.hard, len(tokens.columns)) if hard else tokens.rows
    joint = joint_of_tokens(tokens, hard=hard)
    by_cluster = sums_by_cluster(rows, tokens.codes, len(tokens.phones), tokens.utterances, clusters)
    # Decisions are counts, which Miller and Madow correct; shares of tokens are none.
    value = _measure_information(joint.mass[None], corrected=hard)[0]
    left_out = _measure_information(without_each(by_cluster), corrected=hard)
    sizes = by_cluster.sum(axis=(1, 2))
    return joint, clusters.estimate(float(value), left_out, corrected=True, sizes=sizes).within(0.0, math.inf)


# Davison & Hinkley (1997), chapter 4, on permutations. Whole tokens change labels, since the frames of one token are no
# independent draws.
def permuted_information(
    tokens: TokenPosteriors, within: Codes, *, permutations: int, generator: np.random.Generator
) -> Floats:
    """Return the plug-in I(Y;E) for random permutations of the gold labels, bits: its level without association."""
    codes = tokens.codes.astype(code_type(len(tokens.phones)))
    order, groups = np.argsort(within, kind="stable"), np.cumsum([0, *np.bincount(within)]).tolist()
    once, decisions = np.ones(len(tokens)), OneHot(tokens.hard, len(tokens.columns))
    parts = []
    for part in parts_of(tokens.rows):
        # Tables of 0 and 1 are mostly 0: of decisions the row, the column and the value of the others are kept, once
        # for all permutations.
        row, column = np.nonzero(decisions[part])
        parts.append((part, (row.astype(np.int32), column.astype(np.int32), decisions[part][row, column])))
    drawn = np.empty((2, permutations))
    together = min(max(_FEWEST, _LABELS // max(1, codes.nbytes)), _MOST)
    for first in range(0, permutations, together):
        labels = np.empty((min(together, permutations - first), len(codes)), codes.dtype)
        # Labels move within their groups alone.
        for labelling in labels:
            own = codes[order]
            for begin, end in pairwise(groups):
                generator.shuffle(own[begin:end])
            labelling[order] = own
        decided, sampled = np.zeros((2, len(labels), len(tokens.phones), len(tokens.columns)))
        for part, cells in parts:
            drawn_labels = np.ascontiguousarray(labels[:, part])
            add_relabelled(tokens.rows[part].astype(np.float64, copy=False), once[part], drawn_labels, sampled)
            add_relabelled_cells(*cells, drawn_labels, decided)
        drawn[:, first : first + len(labels)] = [_measure_information(masses) for masses in (decided, sampled)]
    return drawn


def unless_few(number: Estimate, plug_in: float, null: Floats) -> Estimate:
    """Return a number without its interval where much of the plug-in is chance."""
    share = null.mean() / plug_in if len(null) and plug_in > 0 else 0.0
    if share <= _BIASED_RATIO:
        return number
    note = f"no interval: tokens are few, or say little, since {min(share, 1.0):.0%} of the plug-in is chance"
    return Estimate(number.value, note=note, status="bias-warning")


def _measure_information(masses: Floats, *, corrected: bool = False) -> Floats:
    """Return I(Y;E) of each table of mass [R, G, K], [R]."""
    bits = table_information(np.moveaxis(masses, 0, -1), corrected=corrected)["mutual_information"]
    # Of one gold phone rounding would leave a little, which the jackknife multiplies.
    return np.where(np.abs(bits) < _NO_BITS, 0.0, bits)


def association(case: CorpusContext, settings: Information) -> AnalysisOutput:
    """Yield the table of association, and what draws from the posteriors, and decisions, tell about gold phones."""
    tokens, clusters = case.token_posteriors, case.token_clusters
    decided, (every, sampled) = (joint_information(tokens, clusters, hard=hard) for hard in (True, False))
    shares = every.probabilities()
    pairs = {"gold": np.repeat(every.rows.phones, len(every.columns)), "p_joint": shares.ravel()}
    pairs |= {"recognised": np.tile(every.columns.phones, len(every.rows))}
    yield "association", pd.DataFrame(pairs | {"pmi": pmi_of(shares).ravel(), "npmi": npmi_of(shares).ravel()})
    within, whose = np.zeros(len(tokens), np.int64), "all tokens"
    speakers = case.token_speakers
    if speakers is not None and len(tokens) >= _LEAST_TOKENS * (int(speakers.max(initial=0)) + 1):
        within, whose = speakers[tokens.utterances], "the tokens of each speaker"
    nulls = np.zeros((2, 0))
    if len(tokens):
        # Random numbers for this alone: no other setting, and no name, moves them.
        random = np.random.default_rng([case.experiment.seed, zlib.crc32(b"permutation")])
        nulls = permuted_information(tokens, within, permutations=settings.permutations, generator=random)
    # What weakens numbers of posteriors: forced times, utterances and tokens that are left out, blanks.
    certainty = "" if case.forced is None else f"mean certainty {case.forced.certainty.mean():.3f}"
    forced = f"times were found from these posteriors ({certainty}), which is optimistic" * bool(certainty)
    counts = {"too short to hold a frame": tokens.without_frame.sum(), "of silence alone": tokens.silent.sum()}
    left_out = [f"tokens {kind}: {number:.0f}" for kind, number in counts.items() if number]
    blank = f"share of the mass that is blank: {tokens.blank_share:.3f}" * (not math.isnan(tokens.blank_share))
    note = join_notes([forced, unpaired_note(case.loaded.untied, " with posteriors"), *left_out, blank])
    n, missing = len(tokens), case.without_tokens
    for name, joint, number, null in (("decision", *decided, nulls[0]), ("posterior", every, sampled, nulls[1])):
        plug_in = float(_measure_information(joint.mass[None])[0])
        number = unless_few(number, plug_in, null)
        yield row_of(f"{name}_mutual_information", number, n, "", missing or note)
    # Only draws, the last of the two, have an excess.
    why = missing or "no permutations were chosen" * (not len(null))
    excess = math.nan if why else plug_in - float(null.mean())
    chance = "" if why else f"chance is {null.mean():.3g}: {len(null)} permutations of labels among {whose}"
    yield row_of("posterior_mutual_information_excess", excess, n, "", why or chance)


# Each gold token with frames has the mean posterior of its frames. Its loss is −log2 of what that gives the gold phone;
# tokens whose phone the recogniser does not have are left out, and the note says how many. Baselines give every token
# the same probabilities: the shares of the corpus' own phones, and those of the reference's.
def posteriors(case: CorpusContext, settings: Confidence) -> AnalysisOutput:
    """Yield log loss, perplexity, Brier score and entropy; forced posteriors are read again for frames."""
    own, labels = case.token_posteriors, _gold_labels(case.token_posteriors, settings)
    # NaN where the recogniser does not have the phone (`inside`).
    bits, plain, brier, entropy = np.full((4, len(own)), np.nan)
    for first in range(0, len(own), _BATCH_SIZE):
        part = slice(first, first + _BATCH_SIZE)
        rows, columns = own.rows[part].astype(np.float64, copy=False), labels[part]
        inside = columns >= 0
        entropy[part] = np.maximum(shares_entropy(rows), 0.0)
        rows, columns = rows[inside], columns[inside]
        plain[part][inside] = bits_of_truth(columns, rows)
        bits[part][inside] = bits_of_truth(columns, rows, FLOOR)
        brier[part][inside] = squared_distances(columns, rows)
    named = {"code": own.codes, "label": labels, "owner": own.utterances, "inside": labels >= 0}
    values = {"cross_entropy": bits, "brier": brier, "entropy": entropy, "low": plain > bits}
    tokens = pd.DataFrame(named | values)
    frames = own.entropy or frame_entropy(case.posteriorgrams, case.segments, case.work)
    yield from _measure_losses(case, settings, tokens)
    n, missing, clusters = len(tokens), case.without_tokens, case.token_clusters
    mean = mean_of_tokens(tokens["entropy"].to_numpy(), tokens["owner"].to_numpy(), clusters)
    yield row_of("posterior_entropy", mean, n, "", missing)
    owner = case.segments.token_utterances()
    by_frame = ratio_of_tokens(frames.bits, frames.mass, owner=owner, clusters=clusters)
    silent = "" if frames.mass.any() else "all frames are silence"
    yield row_of("posterior_entropy", by_frame, n, "frame", missing or silent)


def _gold_labels(tokens: TokenPosteriors, settings: Confidence) -> Codes:
    """Return the column of each token's gold phone, [N]: −1 where the recogniser has no such phone."""
    phone_map = read_map(tokens.columns, settings)
    return tokens.columns.codes(phone_map.get(phone, phone) for phone in tokens.phones)[tokens.codes]


def _measure_baselines(case: CorpusContext, settings: Confidence, own: Codes) -> Iterator[tuple[str, Floats, str]]:
    """Yield the shares that a constant recogniser gives, [K]: the corpus' own, by columns, and the reference's."""
    columns, reference = case.token_posteriors.columns, case.reference
    shares = _shares_of(own, len(columns))
    yield "", shares, ""
    if case.is_reference:
        return
    if reference is None or reference.tokens is None:
        name = "" if reference is None else reference.name
        why = f"the reference {name} has no posteriors with times" if name else "no corpus has the role reference"
        yield "reference", shares, why
        return
    theirs, labels = reference.token_posteriors.columns, _gold_labels(reference.token_posteriors, settings)
    constant = np.append(_shares_of(labels[labels >= 0], len(theirs)), 0.0)[theirs.codes(columns)]
    never = [phone for phone, ours, other in zip(columns, shares, constant, strict=True) if ours and not other]
    lacking = f"never in the reference, so impossible by its shares: {' '.join(never)}" if never else ""
    yield "reference", constant / constant.sum() if constant.sum() else constant, lacking


def _shares_of(labels: Codes, size: int) -> Floats:
    counts = np.bincount(labels, minlength=size)
    return np.asarray(counts / max(counts.sum(), 1), dtype=np.float64)


def _measure_losses(case: CorpusContext, settings: Confidence, tokens: pd.DataFrame) -> Iterator[Row]:
    clusters, own = case.token_clusters, tokens[tokens["inside"]]
    n, owner, bits = len(own), own["owner"].to_numpy(), own["cross_entropy"].to_numpy()
    outside, phones = np.unique(tokens["code"][~tokens["inside"]]), case.token_posteriors.phones.phones
    foreign = " ".join(phones[code] for code in outside)
    share = 1 - n / max(len(tokens), 1)
    part = f"of the tokens whose phone the recogniser has; share outside ({foreign}): {share:.3f}" * bool(foreign)
    note = join_notes([part, f"rests on {n} tokens only" if 0 < n < _FEW_TOKENS else ""])
    low = int(tokens["low"].sum())
    about = f"probabilities below {FLOOR:g} taken as {FLOOR:g}: {low} tokens ({low / max(n, 1):.2%})" * bool(low)
    beside = join_notes([note, about])
    missing = case.without_tokens or ("" if n else "the recogniser has none of the gold phones")
    loss = mean_of_tokens(bits, owner, clusters)
    yield row_of("posterior_cross_entropy", loss, n, "", missing or beside)
    yield row_of("posterior_perplexity", in_phones(loss), n, "", missing or beside)
    total, number = sums_by(owner, np.stack([bits, np.ones(n)], axis=1), len(case.segments)).T
    spoken = np.flatnonzero(number)
    # Each utterance weighs the same, however many tokens it has.
    means = mean_of_tokens(total[spoken] / number[spoken], spoken, clusters)
    yield row_of("posterior_cross_entropy", means, len(spoken), "utterance", missing or beside)
    for variant, shares, lacking in _measure_baselines(case, settings, own["label"].to_numpy()):
        why = missing or lacking
        if not why:
            with np.errstate(divide="ignore"):
                constant = -np.log2(shares)[own["label"].to_numpy()]
            why = "" if constant.sum() > 0 else "the baseline has no loss: there is only one phone"
        # The shares are those of the whole corpus, whoever is left out: a baseline does not vary.
        ratio = math.nan if why else ratio_of_tokens(bits, constant, owner=owner, clusters=clusters)
        yield row_of("normalised_cross_entropy", ratio, n, variant, why or beside)
    brier = mean_of_tokens(own["brier"].to_numpy(), owner, clusters)
    yield row_of("brier", brier, n, "multiclass", missing or note)

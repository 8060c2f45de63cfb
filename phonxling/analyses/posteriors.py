"""What posteriors say of the gold phones: log loss, plain and normalised, perplexity, Brier score, entropy.

posteriorgrams.tsv: what the posteriors of some utterances say over time, so that errors can be looked at.

Which utterances
----------------
As many as are asked for, evenly spaced in the order of the phone error rate, the best and the worst among them, and, of
an odd number, the median one. Utterances of equal rate stand in the order of the corpus.

How fine
--------
Frames are averaged into steps of 30 ms, or as many frames as fit into it. Where the table would be larger than
150,000 bytes, of all utterances into longer ones, until it is not.
"""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd

from phonxling.analyses.case import Case, Items
from phonxling.analyses.error_rate import utterance_rates
from phonxling.analyses.gold_labels import GoldLabels, gold_labels, label_shares
from phonxling.analyses.rows import Row, row_of
from phonxling.analyses.scoring_rules import bits_of_truth, perplexity_of, squared_distances
from phonxling.core.arrays import Bools, Codes, Floats, divided
from phonxling.core.estimate import Estimate, joined
from phonxling.core.means import FrameEntropy, TokenPosteriors
from phonxling.core.posteriorgram import Posteriorgrams
from phonxling.core.sequences import PhoneSequences
from phonxling.core.work import Record, Work
from phonxling.count.posteriors import frame_entropy
from phonxling.count.tokens import without_names
from phonxling.decoding.decode import blocks
from phonxling.resample.entropy_sums import shares_entropy
from phonxling.resample.information_interval import mean_of_tokens, means_by_group, ratio_of_tokens, share_of_tokens
from phonxling.resample.replicates import sums_by
from phonxling.resample.weights import Resampling
from phonxling.settings.sections import Confidence
from phonxling.settings.sections import Posteriorgrams as Settings
from phonxling.tables.files import table_bytes, table_of

# What posteriors say of the gold phone: the values of each gold token, from which rows and tables are made.

_TOGETHER = 1 << 16  # tokens whose rows are worked on at one time


@dataclass(frozen=True, eq=False, kw_only=True)
class TokenQuality:
    """The values of N gold tokens with frames; NaN where the recogniser does not have the phone."""

    tokens: TokenPosteriors
    labels: GoldLabels
    bits: Floats
    zero: Bools
    low: Bools
    brier: Floats
    entropy: Floats
    frames: FrameEntropy
    segments: PhoneSequences
    resampling: Resampling
    floor: float

    @property
    def owner(self) -> Codes:
        """Position of each token's utterance among the segments', [N]."""
        return self.tokens.utterances

    def mean_inside(self, values: Floats) -> Estimate:
        """Return the mean of values [N] over the tokens whose phone the recogniser has, with its interval."""
        inside = self.labels.inside
        return mean_of_tokens(values[inside], self.owner[inside], self.resampling)

    def sums_by_utterance(self, values: Floats) -> tuple[Floats, Floats]:
        """Return the sum of values [N] over the same tokens of each utterance, and their number, [U] each."""
        inside = self.labels.inside
        pairs = np.stack([values[inside], np.ones(int(inside.sum()))], axis=1)
        total, number = sums_by(self.owner[inside], pairs, len(self.segments)).T
        return total, number


def token_quality(case: Case, settings: Confidence) -> TokenQuality:
    """Return the values of the case's tokens; forced ones are read once more, for the entropies of frames."""
    tokens = case.token_posteriors
    labels = gold_labels(tokens, settings)
    bits, plain, brier, entropy = np.full((4, len(tokens)), np.nan)
    for first in range(0, len(tokens), _TOGETHER):
        part = slice(first, first + _TOGETHER)
        rows, columns = tokens.rows[part].astype(np.float64, copy=False), labels.of_token[part]
        inside = columns >= 0
        entropy[part] = np.maximum(shares_entropy(rows), 0.0)
        rows, columns = rows[inside], columns[inside]
        plain[part][inside] = bits_of_truth(columns, rows)
        bits[part][inside] = bits_of_truth(columns, rows, settings.floor)
        brier[part][inside] = squared_distances(columns, rows)
    return TokenQuality(
        tokens=tokens,
        labels=labels,
        bits=bits,
        zero=np.isinf(plain),
        low=np.asarray(plain > bits),
        brier=brier,
        entropy=entropy,
        frames=tokens.entropy or frame_entropy(case.posteriorgrams, case.segments, case.work),
        segments=case.segments,
        resampling=case.token_resampling,
        floor=settings.floor,
    )


# posteriors.tsv, by gold phone, and posterior_utterances.tsv: what the posteriors say of the gold phones.

TABLES_LEAST = 20


def by_phone(quality: TokenQuality) -> pd.DataFrame:
    """Return posteriors.tsv: of each gold phone its log loss, Brier score and entropies, and what they rest on."""
    codes, size, owner = quality.tokens.codes, len(quality.tokens.phones), quality.owner
    measured = {
        name: means_by_group(values, codes, groups=size, owner=owner, resampling=quality.resampling)
        for name, values in {"cross_entropy": quality.bits, "brier": quality.brier, "entropy": quality.entropy}.items()
    }
    rows = [
        {"phone": phone, **_phone_row(quality, code, {name: means[code] for name, means in measured.items()})}
        for code, phone in enumerate(quality.tokens.phones)
    ]
    return table_of("posteriors", rows)


def _phone_row(quality: TokenQuality, code: int, measured: Mapping[str, Estimate]) -> dict[str, object]:
    chosen = np.asarray(quality.tokens.codes == code)
    label, n = int(quality.labels.of_phone[code]), int(chosen.sum())
    frames = quality.segments.codes == code
    mass = quality.frames.mass[frames].sum()
    notes = [
        "" if n else "no token has a frame",
        "the recogniser has no such phone" if label < 0 else "",
        f"fewer than {TABLES_LEAST} tokens: no intervals" if 0 < n < TABLES_LEAST else "",
    ]
    limits = {
        f"{name}{end}": limit
        for name, number in measured.items()
        for end, limit in (("", number.value), ("_low", number.low), ("_high", number.high))
        if not end or n >= TABLES_LEAST
    }
    return limits | {
        "recognised": quality.tokens.columns.phones[label] if label >= 0 else "",
        "tokens": n,
        "perplexity": perplexity_of(measured["cross_entropy"]).value,
        "zero": int(quality.zero[chosen].sum()) if label >= 0 else math.nan,
        "entropy_frames": quality.frames.bits[frames].sum() / mass if mass else math.nan,
        "note": joined(notes),
    }


def by_utterance(quality: TokenQuality) -> pd.DataFrame:
    """Return posterior_utterances.tsv: log loss a phone and of the whole sequence, and the perplexity of each."""
    total, number = quality.sums_by_utterance(quality.bits)
    every = np.bincount(quality.owner, minlength=len(quality.segments))
    mean = divided(total, number)
    total = np.where(number > 0, total, np.nan)
    return pd.DataFrame(
        {
            "utterance": quality.segments.utterances,
            "tokens": every,
            "inside": number.astype(np.int64),
            "cross_entropy": mean,
            "perplexity": [perplexity_of(Estimate(bits)).value for bits in mean],
            "sequence_cross_entropy": total,
            "sequence_perplexity": [perplexity_of(Estimate(bits)).value for bits in total],
        }
    )


FEW = 20  # tokens below which a number is said to rest on few


def posteriors(case: Case, settings: Confidence) -> Items:
    """Yield posteriors.tsv, posterior_utterances.tsv and their rows."""
    quality = token_quality(case, settings)
    yield "posteriors", by_phone(quality)
    yield "posterior_utterances", by_utterance(quality)
    yield from _rows(quality, list(_baselines(case, quality, settings)), case.without_tokens)


@dataclass(frozen=True, eq=False)
class _Baseline:
    """A constant recogniser: the probabilities that it always gives, [K], or why it is missing."""

    variant: str
    shares: Floats | None
    missing: str = ""


def _baselines(case: Case, quality: TokenQuality, settings: Confidence) -> Iterator[_Baseline]:
    """Yield the corpus' own shares, and the reference's."""
    columns, labels = quality.tokens.columns, quality.labels
    counts = np.bincount(labels.of_token[labels.inside], minlength=len(columns))
    own = counts / max(counts.sum(), 1)
    yield _Baseline("own", own)
    if case.is_reference:
        return
    reference = case.reference
    if reference is None or reference.tokens is None:
        name = "" if reference is None else reference.name
        why = f"the reference {name} has no posteriors with times" if name else "no corpus has the role reference"
        yield _Baseline("reference", None, why)
        return
    shares = label_shares(reference.token_posteriors, settings)
    constant = np.array([shares.get(phone, 0.0) for phone in columns])
    never = [phone for phone, ours, theirs in zip(columns, own, constant, strict=True) if ours and not theirs]
    lacking = f"the reference never says {' '.join(never)}, which its shares would call impossible" if never else ""
    constant = constant / constant.sum() if constant.sum() else constant
    yield _Baseline("reference", constant, lacking)


def _rows(quality: TokenQuality, baselines: list[_Baseline], none: str) -> Iterator[Row]:
    """Yield every row of one corpus; `none` says why there are no tokens."""
    inside, every = quality.labels.inside, len(quality.labels.inside)
    n = int(inside.sum())
    outside = share_of_tokens(~inside, quality.owner, quality.resampling)
    yield row_of("posterior_outside", outside, every, "", none or _foreign(quality))
    share = 1 - n / every if every else 0.0
    part = f"of the tokens whose phone the recogniser has; share outside: {share:.3f}" if share else ""
    note = joined([part, f"rests on {n} tokens only" if 0 < n < FEW else ""])
    missing = none or ("" if n else "the recogniser has none of the gold phones")
    floor, low = f"{quality.floor:g}", int(quality.low.sum())
    about = f"probabilities below {floor} taken as {floor}: {low} tokens ({low / max(n, 1):.2%})" if low else ""
    beside = joined([note, about])
    yield from _loss_rows(quality, missing or beside)
    for baseline in baselines:
        yield _normalised(quality, baseline, missing=missing, note=beside)
    yield row_of("brier", quality.mean_inside(quality.brier), n, "multiclass", missing or note)
    yield from _entropy_rows(quality, none)


def _loss_rows(quality: TokenQuality, note: str) -> Iterator[Row]:
    """Yield cross-entropy of tokens, with its perplexity, and of utterances, each of which weighs the same."""
    tokens, n = quality.mean_inside(quality.bits), int(quality.labels.inside.sum())
    yield row_of("posterior_cross_entropy", tokens, n, "token", note)
    yield row_of("posterior_perplexity", perplexity_of(tokens), n, "token", note)
    total, number = quality.sums_by_utterance(quality.bits)
    utterances = np.flatnonzero(number)
    means = mean_of_tokens(total[utterances] / number[utterances], utterances, quality.resampling)
    yield row_of("posterior_cross_entropy", means, len(utterances), "utterance", note)


def _normalised(quality: TokenQuality, baseline: _Baseline, *, missing: str, note: str) -> Row:
    """Return the loss over a baseline's; own shares are of the corpus, and replicates keep them."""
    inside, name, variant = quality.labels.inside, "normalised_cross_entropy", baseline.variant
    loss, n = quality.bits[inside], int(inside.sum())
    missing = missing or baseline.missing
    if missing or baseline.shares is None:
        return row_of(name, math.nan, n, variant, missing)
    with np.errstate(divide="ignore"):
        baseline_loss = -np.log2(baseline.shares)[quality.labels.of_token[inside]]
    if not baseline_loss.sum() > 0:
        return row_of(name, math.nan, n, variant, "the baseline pays nothing: there is one phone only")
    ratio = ratio_of_tokens(loss, baseline_loss, owner=quality.owner[inside], resampling=quality.resampling)
    return row_of(name, ratio, n, variant, note)


def _entropy_rows(quality: TokenQuality, missing: str) -> Iterator[Row]:
    n, frames, resampling = len(quality.entropy), quality.frames, quality.resampling
    tokens = mean_of_tokens(quality.entropy, quality.owner, resampling)
    yield row_of("posterior_entropy", tokens, n, "token", missing)
    owner = quality.segments.token_utterances()
    by_frame = ratio_of_tokens(frames.bits, frames.mass, owner=owner, resampling=resampling)
    silent = "" if frames.mass.any() else "no frame but silence"
    yield row_of("posterior_entropy", by_frame, n, "frame", missing or silent)


def _foreign(quality: TokenQuality) -> str:
    phones, columns = quality.tokens.phones.phones, quality.labels.of_phone
    names = [phones[code] for code in np.unique(quality.tokens.codes) if columns[code] < 0]
    return f"the recogniser has no {' '.join(names)}" if names else ""


# What posteriors say over time: frames averaged into steps, and of each step the labels of highest probability.

MOST = 4  # labels of a step
LEAST = 5  # hundredths


def label_names(posteriorgrams: Posteriorgrams) -> tuple[tuple[str, ...], Codes]:
    """Return the L names of labels, and the number of that of each column, [K]."""
    if posteriorgrams.spelling is None:
        raise AssertionError("the labels are known")
    phones, columns = posteriorgrams.inventory.phones, posteriorgrams.columns
    others = list(
        dict.fromkeys(label for label, of in zip(posteriorgrams.spelling.labels, columns, strict=True) if of < 0)
    )
    labels = zip(posteriorgrams.spelling.labels, columns.tolist(), strict=True)
    codes = [of if of >= 0 else len(phones) + others.index(label) for label, of in labels]
    return (*phones, *others), np.array(codes, dtype=np.int64)


@dataclass(frozen=True, eq=False)
class Stepping:
    """Frames by the number of the label of each column, [K], and how many frames are averaged."""

    posteriorgrams: Posteriorgrams
    labels: Codes
    frames: int


def steps_shard(stepping: Stepping, utterance: str) -> Record:
    """Return the labels of an utterance's steps, `first` and `last` (exclusive) frame, `label`."""
    means = np.concatenate(list(_means(stepping, utterance)))
    order = np.argsort(-means, axis=1, kind="stable")[:, :MOST]
    hundredths = np.rint(np.take_along_axis(means, order, axis=1) * 100).astype(np.int64)
    shown = np.where(hundredths >= LEAST, order, -1)
    said = np.concatenate([shown, np.where(shown >= 0, hundredths, 0)], axis=1)
    begins = np.flatnonzero(np.append(True, (said[1:] != said[:-1]).any(axis=1))[: len(said)])
    until = np.append(begins[1:], len(said))
    total = len(stepping.posteriorgrams.raw(utterance))
    step, rank = np.nonzero(shown[begins] >= 0)
    return {
        "first": begins[step] * stepping.frames,
        "last": np.minimum(until[step] * stepping.frames, total),
        "label": shown[begins][step, rank],
        "hundredths": hundredths[begins][step, rank],
    }


def _means(stepping: Stepping, utterance: str) -> Iterator[Floats]:
    """Yield the mean probability of each label in one step after the other, [S, L]; the last step may be short."""
    size, labels = stepping.frames, int(stepping.labels.max(initial=-1)) + 1
    yield np.zeros((0, labels))
    rest = np.zeros((0, len(stepping.labels)))
    for block in blocks(stepping.posteriorgrams, utterance):
        rows = np.concatenate([rest, block])
        whole = len(rows) // size * size
        yield _summed(rows[:whole].reshape(-1, size, rows.shape[1]).mean(axis=1), stepping.labels, labels)
        rest = rows[whole:]
    if len(rest):
        yield _summed(rest.mean(axis=0, keepdims=True), stepping.labels, labels)


def _summed(columns: Floats, codes: Codes, labels: int) -> Floats:
    summed = np.zeros((len(columns), labels))
    for column, label in enumerate(codes):
        summed[:, label] += columns[:, column]
    return summed


# posteriorgrams.tsv: what the posteriors of some utterances say over time, so that errors can be looked at.

BUDGET = 150_000  # bytes
_STEP = 0.03  # seconds
_ROUNDING = 1e-6  # of a frame
_DIGITS = 4  # of seconds: 0.1 ms


def posteriors_over_time(case: Case, settings: Settings) -> Items:
    """Yield posteriorgrams.tsv, where there are posteriors and utterances are asked for."""
    if case.loaded.posteriorgrams is not None and (chosen := shown_utterances(case, settings.utterances)):
        yield "posteriorgrams", table_over_time(case.loaded.posteriorgrams, chosen, case.work)


def shown_utterances(case: Case, number: int) -> list[str]:
    """Return the utterances that are shown, in the order of the corpus; of those that have posteriors and a rate."""
    analysed, scored = case.counted, set(case.posteriorgrams.utterances)
    rates = utterance_rates(analysed.unit_cost, analysed.corpus.gold.lengths)
    has_posteriors = np.array([name in scored for name in analysed.corpus.utterances], dtype=bool)
    places = np.flatnonzero(has_posteriors & ~np.isnan(rates))
    return [analysed.corpus.utterances[place] for place in np.sort(places[evenly_ranked(rates[places], number)])]


def evenly_ranked(rates: Floats, number: int) -> Codes:
    """Return so many positions, evenly spaced in the order of the rates, the lowest and the highest among them."""
    order, last = np.argsort(rates, kind="stable"), len(rates) - 1
    if number > last:
        return order
    if number < 2:
        return order[[last // 2] * number]
    return order[(np.arange(number) * last * 2 + number - 1) // (2 * (number - 1))]


def table_over_time(posteriorgrams: Posteriorgrams, utterances: list[str], work: Work) -> pd.DataFrame:
    """Return posteriorgrams.tsv of utterances, in steps as fine as the budget allows."""
    frames = max(1, int(_STEP / posteriorgrams.frame_shift + _ROUNDING))
    longest = max(len(posteriorgrams.raw(name)) for name in utterances)
    while True:
        table = _table(posteriorgrams, utterances, frames, work)
        size = len(table_bytes(table))
        if size <= BUDGET or frames >= longest:
            return table
        frames = max(frames + 1, math.ceil(frames * size / BUDGET))


def _table(posteriorgrams: Posteriorgrams, utterances: list[str], frames: int, work: Work) -> pd.DataFrame:
    names, codes = label_names(posteriorgrams)
    stepping = Stepping(without_names(posteriorgrams), codes, frames)
    shift, offset = posteriorgrams.frame_shift, posteriorgrams.frame_offset
    parts = []
    for utterance, steps in zip(utterances, work.map(steps_shard, stepping, utterances), strict=True):
        columns = {
            "utterance": utterance,
            "start": (offset + steps["first"] * shift).round(_DIGITS),
            "end": (offset + steps["last"] * shift).round(_DIGITS),
            "phone": np.array(names, dtype=object)[steps["label"]],
            "probability": steps["hundredths"] / 100,
        }
        parts.append(pd.DataFrame(columns))
    return pd.concat(parts, ignore_index=True)

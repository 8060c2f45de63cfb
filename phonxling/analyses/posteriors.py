"""What posteriors say of the gold phones: log loss, plain and normalised, perplexity, Brier score, entropy; over time.

Each gold token with frames has the mean posterior of its frames. Its loss is −log2 of what that gives the gold phone;
tokens whose phone the recogniser does not have are counted apart. Baselines give every token the same probabilities:
the shares of the corpus' own phones, and those of the reference's.

Over time: posteriorgrams.tsv, so that errors can be looked at
--------------------------------------------------------------
As many utterances as are asked for, evenly spaced in the order of the phone error rate, the best and the worst among
them, and, of an odd number, the median one. Utterances of equal rate stand in the order of the corpus. Frames are
averaged into steps of 30 ms, or as many frames as fit into it; where the table would be larger than 150,000 bytes, of
all utterances into longer ones, until it is not. Steps that show the same labels are one row a label.
"""

import math
from collections.abc import Iterator

import numpy as np
import pandas as pd

from phonxling.analyses.calibration import bits_of_truth, squared_distances
from phonxling.analyses.case import Case, Items
from phonxling.analyses.loaded import read_map
from phonxling.analyses.measures import Row, row_of
from phonxling.core.arrays import Codes, Floats, divided
from phonxling.core.estimate import Estimate, joined
from phonxling.core.posteriorgram import FrameEntropy, Posteriorgrams, TokenPosteriors
from phonxling.core.work import Record, Work
from phonxling.count.posteriors import frame_entropy
from phonxling.count.tokens import without_names
from phonxling.decoding.decode import blocks
from phonxling.resample.entropies import in_phones, shares_entropy
from phonxling.resample.tokens import TokenGroups, mean_of_tokens, ratio_of_tokens, sums_by
from phonxling.settings.models import Confidence, Posteriorgrams as Settings
from phonxling.tables.files import table_bytes, table_of

FEW = 20  # tokens below which a number is said to rest on few, and a phone has no intervals
MOST, LEAST = 4, 5  # labels of a step, and hundredths of a label that is shown
BUDGET = 150_000  # bytes
_STEP = 0.03  # seconds
_ROUNDING = 1e-6  # of a frame
_DIGITS = 4  # of seconds: 0.1 ms
_TOGETHER = 1 << 16  # tokens whose rows are worked on at one time


def posteriors(case: Case, settings: Confidence) -> Items:
    """Yield posteriors.tsv, posterior_utterances.tsv and their rows; forced posteriors are read again for frames."""
    columns, labels = _gold_labels(case.token_posteriors, settings)
    tokens = _tokens(case, labels, settings.floor)
    frames = case.token_posteriors.entropy or frame_entropy(case.posteriorgrams, case.segments, case.work)
    yield "posteriors", _by_phone(case, columns, tokens, frames)
    yield "posterior_utterances", _by_utterance(case, tokens)
    yield from _rows(case, settings, columns, tokens)
    n, missing, clusters = len(tokens), case.without_tokens, case.token_clusters
    mean = mean_of_tokens(tokens["entropy"].to_numpy(), tokens["owner"].to_numpy(), clusters)
    yield row_of("posterior_entropy", mean, n, "token", missing)
    owner = case.segments.token_utterances()
    by_frame = ratio_of_tokens(frames.bits, frames.mass, owner=owner, clusters=clusters)
    silent = "" if frames.mass.any() else "no frame but silence"
    yield row_of("posterior_entropy", by_frame, n, "frame", missing or silent)


def _gold_labels(tokens: TokenPosteriors, settings: Confidence) -> tuple[Codes, Codes]:
    """Return the column of each gold phone, [G], and of each token, [N]: −1 where the recogniser has no such phone."""
    phone_map = read_map(tokens.columns, settings)
    of_phone = tokens.columns.codes(phone_map.get(phone, phone) for phone in tokens.phones)
    return of_phone, of_phone[tokens.codes]


def _tokens(case: Case, labels: Codes, floor: float) -> pd.DataFrame:
    """Return the values of N gold tokens with frames; NaN where the recogniser does not have the phone (`inside`)."""
    tokens = case.token_posteriors
    bits, plain, brier, entropy = np.full((4, len(tokens)), np.nan)
    for first in range(0, len(tokens), _TOGETHER):
        part = slice(first, first + _TOGETHER)
        rows, columns = tokens.rows[part].astype(np.float64, copy=False), labels[part]
        inside = columns >= 0
        entropy[part] = np.maximum(shares_entropy(rows), 0.0)
        rows, columns = rows[inside], columns[inside]
        plain[part][inside] = bits_of_truth(columns, rows)
        bits[part][inside] = bits_of_truth(columns, rows, floor)
        brier[part][inside] = squared_distances(columns, rows)
    named = {"code": tokens.codes, "label": labels, "owner": tokens.utterances, "inside": labels >= 0}
    values = {"cross_entropy": bits, "brier": brier, "entropy": entropy, "zero": np.isinf(plain), "low": plain > bits}
    return pd.DataFrame(named | values)


def _by_phone(case: Case, label_of: Codes, tokens: pd.DataFrame, frames: FrameEntropy) -> pd.DataFrame:
    """Return posteriors.tsv: of each gold phone its log loss, Brier score and entropies, and what they rest on."""
    phones, columns = case.token_posteriors.phones, case.token_posteriors.columns.phones
    codes = tokens["code"].to_numpy()
    by_phone = TokenGroups(codes, len(phones), tokens["owner"].to_numpy(), case.token_clusters)
    measured = {name: by_phone.means(tokens[name].to_numpy()) for name in ("cross_entropy", "brier", "entropy")}
    rows = []
    for code, phone in enumerate(phones):
        label, chosen, spoken = int(label_of[code]), codes == code, case.segments.codes == code
        n, mass = int(chosen.sum()), frames.mass[spoken].sum()
        notes = [
            "" if n else "no token has a frame",
            "the recogniser has no such phone" if label < 0 else "",
            f"fewer than {FEW} tokens: no intervals" if 0 < n < FEW else "",
        ]
        row = {
            "phone": phone,
            "recognised": columns[label] if label >= 0 else "",
            "tokens": n,
            "perplexity": in_phones(measured["cross_entropy"][code]).value,
            "zero": int(tokens["zero"].to_numpy()[chosen].sum()) if label >= 0 else math.nan,
            "entropy_frames": frames.bits[spoken].sum() / mass if mass else math.nan,
            "note": joined(notes),
        }
        for name, of_phones in measured.items():
            row[name] = of_phones[code].value
            if n >= FEW:
                row |= {f"{name}_low": of_phones[code].low, f"{name}_high": of_phones[code].high}
        rows.append(row)
    return table_of("posteriors", rows)


def _sums(case: Case, tokens: pd.DataFrame) -> tuple[Floats, Floats]:
    """Return the loss of each utterance's tokens whose phone the recogniser has, and their number, [U] each."""
    own = tokens[tokens["inside"]]
    pairs = np.stack([own["cross_entropy"].to_numpy(), np.ones(len(own))], axis=1)
    total, number = sums_by(own["owner"].to_numpy(), pairs, len(case.segments)).T
    return total, number


def _by_utterance(case: Case, tokens: pd.DataFrame) -> pd.DataFrame:
    """Return posterior_utterances.tsv: log loss a phone and of the whole sequence, and the perplexity of each."""
    total, number = _sums(case, tokens)
    columns = {
        "utterance": case.segments.utterances,
        "tokens": np.bincount(tokens["owner"], minlength=len(case.segments)),
        "inside": number.astype(np.int64),
    }
    for name, losses in (("", divided(total, number)), ("sequence_", np.where(number > 0, total, np.nan))):
        columns[f"{name}cross_entropy"] = losses
        columns[f"{name}perplexity"] = np.array([in_phones(Estimate(bits)).value for bits in losses])
    return pd.DataFrame(columns)


def _baselines(case: Case, settings: Confidence, tokens: pd.DataFrame) -> Iterator[tuple[str, Floats, str]]:
    """Yield the shares that a constant recogniser gives, [K]: the corpus' own, and the reference's; or why not."""
    columns, reference = case.token_posteriors.columns, case.reference
    counts = np.bincount(tokens["label"][tokens["inside"]], minlength=len(columns))
    own = counts / max(counts.sum(), 1)
    yield "own", own, ""
    if case.is_reference:
        return
    if reference is None or reference.tokens is None:
        name = "" if reference is None else reference.name
        why = f"the reference {name} has no posteriors with times" if name else "no corpus has the role reference"
        yield "reference", own, why
        return
    theirs = reference.token_posteriors.columns
    _, labels = _gold_labels(reference.token_posteriors, settings)
    counts = np.bincount(labels[labels >= 0], minlength=len(theirs))
    constant = np.append(counts / max(counts.sum(), 1), 0.0)[theirs.codes(columns)]
    never = [phone for phone, ours, theirs in zip(columns, own, constant, strict=True) if ours and not theirs]
    lacking = f"the reference never says {' '.join(never)}, which its shares would call impossible" if never else ""
    yield "reference", constant / constant.sum() if constant.sum() else constant, lacking


def _rows(case: Case, settings: Confidence, label_of: Codes, tokens: pd.DataFrame) -> Iterator[Row]:
    """Yield what lies outside of the recogniser's phones, the loss by token and utterance, beside baselines, Brier."""
    clusters, every, none = case.token_clusters, len(tokens), case.without_tokens
    own = tokens[tokens["inside"]]
    n, owner, bits = len(own), own["owner"].to_numpy(), own["cross_entropy"].to_numpy()
    phones = case.token_posteriors.phones.phones
    foreign = [phones[code] for code in np.unique(tokens["code"]) if label_of[code] < 0]
    whose, size = tokens["owner"].to_numpy(), len(clusters.group)
    beyond, said = (np.bincount(own, minlength=size).astype(np.float64) for own in (whose[~tokens["inside"]], whose))
    outside = clusters.ratio(beyond, said, "share")
    lacks = f"the recogniser has no {' '.join(foreign)}" if foreign else ""
    yield row_of("posterior_outside", outside, every, "", none or lacks)
    share = 1 - n / every if every else 0.0
    part = f"of the tokens whose phone the recogniser has; share outside: {share:.3f}" if share else ""
    note = joined([part, f"rests on {n} tokens only" if 0 < n < FEW else ""])
    missing = none or ("" if n else "the recogniser has none of the gold phones")
    floor, low = f"{settings.floor:g}", int(tokens["low"].sum())
    about = f"probabilities below {floor} taken as {floor}: {low} tokens ({low / max(n, 1):.2%})" if low else ""
    beside = joined([note, about])
    loss = mean_of_tokens(bits, owner, clusters)
    yield row_of("posterior_cross_entropy", loss, n, "token", missing or beside)
    yield row_of("posterior_perplexity", in_phones(loss), n, "token", missing or beside)
    total, number = _sums(case, tokens)
    spoken = np.flatnonzero(number)  # utterances, each of which weighs the same
    means = mean_of_tokens(total[spoken] / number[spoken], spoken, clusters)
    yield row_of("posterior_cross_entropy", means, len(spoken), "utterance", missing or beside)
    for variant, shares, lacking in list(_baselines(case, settings, tokens)):
        name, why = "normalised_cross_entropy", missing or lacking
        if not why:
            with np.errstate(divide="ignore"):
                constant = -np.log2(shares)[own["label"].to_numpy()]
            why = "" if constant.sum() > 0 else "the baseline pays nothing: there is one phone only"
        # own shares are of the corpus, whoever is left out
        ratio = math.nan if why else ratio_of_tokens(bits, constant, owner=owner, clusters=clusters)
        yield row_of(name, ratio, n, variant, why or beside)
    brier = mean_of_tokens(own["brier"].to_numpy(), owner, clusters)
    yield row_of("brier", brier, n, "multiclass", missing or note)


def posteriors_over_time(case: Case, settings: Settings) -> Items:
    """Yield posteriorgrams.tsv, where there are posteriors and utterances are asked for."""
    if case.loaded.posteriorgrams is not None and (chosen := shown_utterances(case, settings.utterances)):
        yield "posteriorgrams", table_over_time(case.loaded.posteriorgrams, chosen, case.work)


def shown_utterances(case: Case, number: int) -> list[str]:
    """Return the utterances that are shown, in the order of the corpus; of those that have posteriors and a rate."""
    analysed, scored = case.counted, set(case.posteriorgrams.utterances)
    rates = divided(analysed.unit_cost, analysed.corpus.gold.lengths)
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
    """Return the steps of so many frames of utterances: of each the labels of highest probability."""
    if posteriorgrams.spelling is None:
        raise AssertionError("the labels are known")
    phones, known = posteriorgrams.inventory.phones, posteriorgrams.columns.copy()
    known[list(posteriorgrams.several)] = -1  # a column of several phones has the name of its label
    labels = list(zip(posteriorgrams.spelling.labels, known.tolist(), strict=True))
    others = list(dict.fromkeys(label for label, of in labels if of < 0))
    codes = np.array([of if of >= 0 else len(phones) + others.index(label) for label, of in labels], dtype=np.int64)
    names = np.array([*phones, *others], dtype=object)
    shift, offset = posteriorgrams.frame_shift, posteriorgrams.frame_offset
    common, parts = (without_names(posteriorgrams), codes, frames), []
    for utterance, steps in zip(utterances, work.map(steps_shard, common, utterances), strict=True):
        columns = {
            "utterance": utterance,
            "start": (offset + steps["first"] * shift).round(_DIGITS),
            "end": (offset + steps["last"] * shift).round(_DIGITS),
            "phone": names[steps["label"]],
            "probability": steps["hundredths"] / 100,
        }
        parts.append(pd.DataFrame(columns))
    return pd.concat(parts, ignore_index=True)


def steps_shard(common: tuple[Posteriorgrams, Codes, int], utterance: str) -> Record:
    """Return the labels of an utterance's steps, `first` and `last` (exclusive) frame, `label`."""
    posteriorgrams, labels, frames = common
    means = np.concatenate(list(_means(posteriorgrams, labels, frames, utterance)))
    order = np.argsort(-means, axis=1, kind="stable")[:, :MOST]
    hundredths = np.rint(np.take_along_axis(means, order, axis=1) * 100).astype(np.int64)
    shown = np.where(hundredths >= LEAST, order, -1)
    said = np.concatenate([shown, np.where(shown >= 0, hundredths, 0)], axis=1)
    begins = np.flatnonzero(np.append(True, (said[1:] != said[:-1]).any(axis=1))[: len(said)])
    until = np.append(begins[1:], len(said))
    step, rank = np.nonzero(shown[begins] >= 0)
    return {
        "first": begins[step] * frames,
        "last": np.minimum(until[step] * frames, len(posteriorgrams.raw(utterance))),
        "label": shown[begins][step, rank],
        "hundredths": hundredths[begins][step, rank],
    }


def _means(posteriorgrams: Posteriorgrams, labels: Codes, frames: int, utterance: str) -> Iterator[Floats]:
    """Yield the mean probability of each label in one step after the other, [S, L]; the last step may be short."""

    def summed(columns: Floats) -> Floats:
        total = np.zeros((len(columns), int(labels.max(initial=-1)) + 1))
        for column, label in enumerate(labels):
            total[:, label] += columns[:, column]
        return total

    rest = np.zeros((0, len(labels)))
    yield summed(rest)
    for block in blocks(posteriorgrams, utterance):
        rows = np.concatenate([rest, block])
        whole = len(rows) // frames * frames
        yield summed(rows[:whole].reshape(-1, frames, rows.shape[1]).mean(axis=1))
        rest = rows[whole:]
    if len(rest):
        yield summed(rest.mean(axis=0, keepdims=True))

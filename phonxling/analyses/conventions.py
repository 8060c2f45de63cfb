"""Two sides that are written in two conventions: what one has as one phone and the other as two, marks, case.

Nothing of this is wrong in form, and all of it counts as errors. Evidence comes first from the inventories: one side
alone has what a rule of symbols would change, and the other has what it would become (the two phones side by side; the
phone without its mark, which the first side never writes bare). A contrast that the recogniser lacks is none: there the
first side has both. Then the rule is tried, and a note is made only where it mends enough errors for each such phone.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass
from itertools import product

import numpy as np

from phonxling.alignment.corpus import least_costs
from phonxling.analyses.costs import attested, costs_in_use, needs_features, phone_error_rate
from phonxling.analyses.loaded import features_of
from phonxling.core.arrays import Codes
from phonxling.core.sequences import Corpus, PhoneSequences, from_lists
from phonxling.phones.ipa import Fate, by_rules
from phonxling.phones.normalise import decide, fits
from phonxling.phones.symbols import BUILT_IN, LABELS, POSITION, SymbolRules
from phonxling.settings.models import Experiment

_MOST = 2_000  # utterances on which a rule is tried
_TOKENS = 20  # phones that a rule changes, at least
_OTHER_SIDE = 0.05  # of a side's share of such phones may be the other's, which is then said to have none
_PRESENT = 0.25  # of a phone's tokens, at least, the other side has as the rule would have them, and so has the phone
_EVIDENCE = 0.5  # of such tokens, at least, are of phones that the other side has
_BARE = 0.1  # of a marked phone's tokens may be written without the mark on the same side
_MENDED = 0.1  # errors for each such phone, at least
_SHOWN = 4  # phones that a note shows
_PHONES = 5  # different ones, of each side, before it is odd that none is shared
_ALONE, _MANY = 0.01, 0.05  # raw symbols of one side alone: that sets are tried; that are told of anyway
_SEVERAL = 5  # tokens of a phone that is written as two
_SYLLABIC = re.compile("[˞ɚɝ\u0329]")  # rhotic vowels and syllabic consonants
_RULES = {
    "diphthongs": SymbolRules(diphthongs="split"),
    "affricates": SymbolRules(affricates="split"),
    "length": SymbolRules(length="strip"),
    "diacritics": SymbolRules(diacritics="strip"),
    "position_marks": SymbolRules(position_marks="strip"),
    "case": SymbolRules(case="fold"),
}
_AS_IT_IS, _WRITTEN = SymbolRules(), SymbolRules(position_marks="strip", case="fold")
_Read = dict[str, tuple[str, ...]]
_NAMES = {"length": "long phones", "diacritics": "phones with marks"}


@dataclass(frozen=True)
class _Side:
    """One side: how often it has each phone, and each two side by side."""

    name: str
    tokens: Counter[str]
    pairs: Counter[tuple[str, ...]]

    @classmethod
    def of(cls, name: str, side: PhoneSequences) -> "_Side":
        phones, width = side.inventory.phones, len(side.inventory)
        next_too = np.ones(max(len(side.codes) - 1, 0), bool)
        ends = side.offsets[1:-1]
        next_too[ends[(ends > 0) & (ends < len(side.codes))] - 1] = False
        codes = side.codes.astype(np.int64)
        cells, counts = np.unique((codes[:-1] * width + codes[1:])[next_too], return_counts=True)
        number = np.bincount(codes, minlength=width)
        return cls(
            name,
            Counter({phone: int(count) for phone, count in zip(phones, number, strict=True) if count}),
            Counter({(phones[c // width], phones[c % width]): int(n) for c, n in zip(cells, counts, strict=True)}),
        )

    def has(self, phones: tuple[str, ...]) -> int:
        return self.tokens[phones[0]] if len(phones) == 1 else self.pairs[phones[:2]]


@dataclass(frozen=True)
class _Trial:
    """A corpus on which phones are read otherwise; `sets` are the built-in symbol sets by side, or of posteriors."""

    corpus: Corpus
    sets: Mapping[str, str]
    experiment: Experiment

    def changes(self, tokens: Mapping[str, int], *rules: str) -> _Read:
        """Return what rules make of phones, of those that they change."""
        table = features_of(self.experiment)
        whole = [Fate((phone,), "kept", "table") for phone in tokens]
        read = ((fate.phones, by_rules(fate, table, _RULES[rule]).phones) for rule in rules for fate in whole)
        return {phones[0]: parts for phones, parts in read if parts != phones}

    def named(self, sets: Mapping[str, str]) -> str:
        """Return how the symbol sets of some sides are given."""
        if self.experiment.folder is None:
            return f"--symbols {','.join({**self.sets, **sets}.values())}"
        several = {side: f"[{name.replace('+', ', ')}]" if "+" in name else name for side, name in sets.items()}
        return ", ".join(f"symbols: {name} for {side}" for side, name in several.items())

    def told(self, what: str, how: str, number: float, **read: _Read) -> str:
        """Return the note, with the rates as they are and with sides read so; "" where it mends too little."""
        before = self.corpus.select(np.arange(min(len(self.corpus.utterances), _MOST)))
        gold, predicted = (_reread(getattr(before, side), read.get(side, {})) for side in ("gold", "predicted"))
        after = Corpus(gold=gold, predicted=predicted)
        share = len(before.gold.codes) / max(len(self.corpus.gold.codes), 1)
        rates = [(phone_error_rate(one), _weighted(one, self.experiment)) for one in (before, after)]
        (per, wper), (new_per, new_wper) = rates
        mends = per * len(before.gold.codes) - new_per * len(after.gold.codes) >= _MENDED * number * share
        if not mends or (wper or 0) < (new_wper or 0):
            return ""
        weighted = "" if wper is None or new_wper is None else f", wPER {wper:.3f} to {new_wper:.3f}"
        sample = "" if share == 1 else f" in the first {len(before.utterances):,} utterances"
        return f"{what}: {how} takes PER from {per:.3f} to {new_per:.3f}{weighted}{sample}"


def conventions(corpus: Corpus, sets: Mapping[str, str], experiment: Experiment) -> Iterator[str]:
    """Yield what is written in two conventions, how many phones it is, the rates with and without it, and the setting.

    `sets` are the built-in symbol sets of gold and of predicted, or of the posteriors that were decoded.
    """
    gold, predicted = (_Side.of(*side) for side in (("gold", corpus.gold), ("predicted", corpus.predicted)))
    if not gold.tokens or not predicted.tokens:
        return
    trial, raw, notes = _Trial(corpus, sets, experiment), "raw" in sets.values(), list[str]()
    if raw:
        read = _in_sets(gold, predicted, trial)
        notes = [read] if read else [_as_written(rule, gold, predicted, trial) for rule in ("position_marks", "case")]
    else:
        told, both = set[str](), ((gold, predicted), (predicted, gold))
        for rule, (one, other) in product(("diphthongs", "affricates", "length", "diacritics"), both):
            notes.append(_in_two_ways(rule, one, other, trial))
            told |= trial.changes(one.tokens, rule).keys() if notes[-1] else set()
        notes += [_in_two(one, other, told, trial) for one, other in both]
    yield from filter(None, notes)
    if not any(notes) and (none := _none_shared(gold, predicted, raw=raw)):
        yield none
    if [*sets.values()] == ["timit48", "timit48"]:
        yield _in_39_classes(corpus)


def _in_two_ways(rule: str, one: _Side, other: _Side, trial: _Trial) -> str:
    changed, also = (trial.changes(side.tokens, rule) for side in (one, other))
    number = sum(one.tokens[phone] for phone in changed)
    share = number / one.tokens.total()
    if number < _TOKENS or sum(other.tokens[phone] for phone in also) / other.tokens.total() > _OTHER_SIDE * share:
        return ""
    found = []
    for phone, parts in changed.items():  # a mark tells two phones apart where the side has the bare one, too
        alone = len(parts) > 1 or one.tokens[parts[0]] <= _BARE * one.tokens[phone]
        found += [phone] if alone and other.has(parts) >= _PRESENT * one.tokens[phone] else []
    if sum(one.tokens[phone] for phone in found) < _EVIDENCE * number:
        return ""
    often = sorted(found, key=lambda phone: -one.tokens[phone])
    shown = ", ".join(f"{phone} as {' '.join(changed[phone])}" for phone in often[:_SHOWN])
    shown += " …" * (len(often) > _SHOWN)
    what = f"{number:,} {one.name} tokens are {_NAMES.get(rule, rule)} that {other.name} writes otherwise ({shown})"
    read = changed | also
    return trial.told(what, setting_of(rule, trial.experiment), number, gold=read, predicted=read)


def _in_two(one: _Side, other: _Side, told: Container[str], trial: _Trial) -> str:
    """Tell of phones in whose utterances the other side has two, which no rule makes of them, such as a j of aɪ."""
    section = one.name if one.name in trial.sets else "posteriors"
    if section not in trial.sets:
        return ""
    some = trial.corpus.select(np.arange(min(len(trial.corpus.utterances), _MOST)))
    double, found = trial.changes(one.tokens, "diphthongs", "affricates"), _Read()
    for phone, number in one.tokens.items():
        alone = phone not in told and number >= _SEVERAL and other.tokens[phone] <= _OTHER_SIDE * number
        if not alone or not (phone in double or _SYLLABIC.search(unicodedata.normalize("NFD", phone))):
            continue
        pairs = [two for two, n in other.pairs.items() if number <= 2 * n <= 4 * number and one.has(two) <= _BARE * n]
        own, others = _each(getattr(some, one.name), (phone,)), [_each(getattr(some, other.name), two) for two in pairs]
        shares = [np.minimum(own, each).sum() / max(own.sum(), each.sum(), 1) for each in others]
        if shares and max(shares) >= _EVIDENCE:
            found[phone] = pairs[int(np.argmax(shares))]
    number = sum(one.tokens[phone] for phone in found)
    if number < _TOKENS:
        return ""
    known = BUILT_IN[trial.sets[section]]
    labels = {known.to_ipa(label): label for label in known.ipa or {}}
    often = sorted(found, key=lambda phone: -one.tokens[phone])
    rows = ", ".join(f"{labels.get(phone, phone)} → {' '.join(found[phone])}" for phone in often)
    what = f"{number:,} {one.name} tokens are phones that {other.name} writes as two"
    how = f"a table extra.tsv (symbol, tab, IPA) of {rows}, with {trial.named({section: f'{known.name}+extra.tsv'})},"
    return trial.told(what, how, number / 2 / _MENDED, **{one.name: found})


def _each(side: PhoneSequences, phones: tuple[str, ...]) -> Codes:
    """Return how often each utterance has these phones in a row."""
    codes = side.inventory.codes(phones)
    owner, last = side.token_utterances(), len(side.codes) - len(phones) + 1
    here = np.logical_and.reduce([side.codes[n : n + last] == code for n, code in enumerate(codes)])
    here &= owner[:last] == owner[len(phones) - 1 :]
    return np.bincount(owner[:last][here], minlength=len(side))


def _as_written(rule: str, gold: _Side, predicted: _Side, trial: _Trial) -> str:
    """Tell of raw symbols that meet, or meet far more often, without position marks or capitals."""
    read: _Read = {phone: (_RULES[rule].written(phone),) for phone in gold.tokens | predicted.tokens}
    tokens = gold.tokens + predicted.tokens
    number = sum(n for phone, n in tokens.items() if read[phone] != (phone,))
    if rule == "position_marks" and not _marked(gold) and not _marked(predicted):
        return ""
    met = _apart(gold, predicted) - _apart(gold, predicted, _RULES[rule])
    if not number or (rule == "case" and met < _OTHER_SIDE * tokens.total()):
        return ""
    marks = "end in Kaldi's position marks (_B _I _E _S)" if rule == "position_marks" else "have capitals"
    what = f"{number:,} of {tokens.total():,} raw symbols {marks}"
    return trial.told(what, setting_of(rule, trial.experiment), number // 2, gold=read, predicted=read)


def _apart(gold: _Side, predicted: _Side, rules: SymbolRules = _AS_IT_IS) -> int:
    """Return how many raw symbols of either side the other does not have, written as rules say."""
    known = [{rules.written(phone) for phone in side.tokens} for side in (predicted, gold)]
    sides = zip((gold, predicted), known, strict=True)
    return sum(n for side, others in sides for phone, n in side.tokens.items() if rules.written(phone) not in others)


def _in_sets(gold: _Side, predicted: _Side, trial: _Trial) -> str:
    """Tell of raw symbols that one side alone has, where built-in sets read them as the same phones."""
    table, total = features_of(trial.experiment), gold.tokens.total() + predicted.tokens.total()
    sides = {side: one for side, one in (("gold", gold), ("predicted", predicted)) if trial.sets.get(side) == "raw"}
    if (apart := _apart(gold, predicted, _WRITTEN)) < _ALONE * total:
        return ""
    found = {side: fits(one.tokens, table)[0] for side, one in sides.items()}
    if any(fit.unknown or fit.doubtful or fit.name == "ipa-joined" for fit in found.values()):
        return ""
    read = {side: _Read() for side in found}
    for side, phone in ((side, phone) for side, one in sides.items() for phone in one.tokens):
        if (fate := decide(phone, BUILT_IN[found[side].name], table, _AS_IT_IS)) is not None:
            read[side][phone] = fate.phones
    what = f"{_apart(gold, predicted):,} of {total:,} raw symbols are of one side alone"
    how = f"{trial.named({side: fit.name for side, fit in found.items()})} instead of raw"
    return trial.told(what, how, apart, **read)


def _marked(side: _Side) -> bool:
    marked = [phone for phone in side.tokens if POSITION.search(phone)]
    return len({phone[-1] for phone in marked}) > 2 and 2 * len(marked) > len(side.tokens)


def _reread(side: PhoneSequences, read: _Read) -> PhoneSequences:
    """Return the first utterances of a side with phones that are read otherwise."""
    some = range(min(len(side), _MOST))
    rows = [[part for phone in side.phones_of(u) for part in read.get(phone, (phone,))] for u in some]
    return from_lists(list(side.utterances[: len(rows)]), rows)


def setting_of(rule: str, experiment: Experiment) -> str:
    """Return how a rule of symbols is set: by `--set` where a command has the settings in memory."""
    value = getattr(_RULES[rule], rule)
    return f"--set symbols.{rule}={value}" if experiment.folder is None else f"symbols: {{{rule}: {value}}}"


def _weighted(corpus: Corpus, experiment: Experiment) -> float | None:
    """Return wPER, None where costs do not come from features."""
    if not needs_features(experiment):
        return None
    costs = costs_in_use(corpus.gold_inventory, corpus.predicted_inventory, experiment, attested(corpus))
    return float(least_costs(corpus.gold, corpus.predicted, costs).sum()) / len(corpus.gold.codes)


def _none_shared(gold: _Side, predicted: _Side, *, raw: bool) -> str:
    for one, other in ((gold, predicted), (predicted, gold)) if raw and _apart(gold, predicted) else ():
        alone = sorted(one.tokens.keys() - other.tokens.keys(), key=lambda phone: -one.tokens[phone])
        number, total = sum(one.tokens[phone] for phone in alone), one.tokens.total()
        if _MANY * total <= number < total:
            some = " ".join(alone[:_SHOWN]) + " …" * (len(alone) > _SHOWN)
            wrong = f"are none of {other.name}, so each is wrong; a symbol set may say why"
            return f"{number:,} of {total:,} raw {one.name} symbols ({some}) {wrong}"
    sides = [list(side.tokens) for side in (gold, predicted)]
    if {*sides[0]} & {*sides[1]} or min(map(len, sides)) < _PHONES:
        return ""
    shown = [" ".join(sorted(side)[:_SHOWN]) + " …" * (len(side) > _SHOWN) for side in sides]
    sides_of = f"gold ({shown[0]}) and predicted ({shown[1]})"
    return f"{sides_of} share no phone, so every one counts as wrong: are both symbol sets right?"


def _in_39_classes(corpus: Corpus) -> str:
    sets = BUILT_IN["timit48"], BUILT_IN["timit39"]
    labels = [[each.to_ipa(label) or "" for each in sets] for label in LABELS["timit48"]]
    read: _Read = {fine: (coarse,) for fine, coarse in labels}
    folded = Corpus(gold=_reread(corpus.gold, read), predicted=_reread(corpus.predicted, read))
    per = phone_error_rate(corpus.select(np.arange(len(folded.utterances))))
    more = f"over the 39 that papers report {phone_error_rate(folded):.3f}: symbols: timit39"
    return f"PER over TIMIT's 48 classes is {per:.3f}, {more}"

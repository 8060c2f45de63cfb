"""Two sides that are written in two conventions: what one has as one phone and the other as two, marks, case.

Nothing of this is wrong in form, and all of it counts as errors. Evidence comes first from the inventories: one side
alone has what a rule of symbols would change, and the other has what it would become (the two phones side by side; the
phone without its mark, which the first side never writes bare). A contrast that the recogniser lacks is none: there the
first side has both. Then the rule is tried, and a note is made only where it mends enough errors for each such phone.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from phonxling.alignment.corpus import least_costs
from phonxling.alignment.costs import is_feature_cost
from phonxling.analyses.error_rate import phone_error_rate
from phonxling.analyses.fitting import Learning, alignment_costs, attested
from phonxling.analyses.loaded import features_of
from phonxling.core.corpus import Corpus
from phonxling.core.features import FeatureTable
from phonxling.core.sequences import PhoneSequences, from_lists
from phonxling.phones.ipa import Fate, by_rules
from phonxling.phones.maps import BUILT_IN, LABELS
from phonxling.phones.rules import POSITION, SymbolRules
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
_SETS_RIGHT = "are both symbol sets right?"
_RULES = {
    "diphthongs": SymbolRules(diphthongs="split"),
    "affricates": SymbolRules(affricates="split"),
    "length": SymbolRules(length="strip"),
    "diacritics": SymbolRules(diacritics="strip"),
    "position_marks": SymbolRules(position_marks="strip"),
    "case": SymbolRules(case="fold"),
}
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


def conventions(corpus: Corpus, sets: Mapping[str, str], experiment: Experiment) -> Iterator[str]:
    """Yield what is written in two conventions, how many phones it is, the rates with and without it, and the setting.

    `sets` are the built-in symbol sets of gold and predicted, by side.
    """
    gold, predicted = (_Side.of(*side) for side in (("gold", corpus.gold), ("predicted", corpus.predicted)))
    if not gold.tokens or not predicted.tokens:
        return
    if "raw" in sets.values():
        notes = [_as_written(rule, gold, predicted, corpus, experiment) for rule in ("position_marks", "case")]
    else:
        table = features_of(experiment)
        notes = [
            _in_two_ways(rule, one, other, corpus=corpus, experiment=experiment, table=table)
            for rule in ("diphthongs", "affricates", "length", "diacritics")
            for one, other in ((gold, predicted), (predicted, gold))
        ]
    yield from filter(None, notes)
    if not any(notes) and (none := _none_shared(gold, predicted)):
        yield none
    if [*sets.values()] == ["timit48", "timit48"]:
        yield _in_39_classes(corpus)


def _in_two_ways(
    rule: str, one: _Side, other: _Side, *, corpus: Corpus, experiment: Experiment, table: FeatureTable
) -> str:
    rules = _RULES[rule]
    changed, also = (_changes(side.tokens, rules, table) for side in (one, other))
    number = sum(one.tokens[phone] for phone in changed)
    share = number / one.tokens.total()
    if number < _TOKENS or sum(other.tokens[phone] for phone in also) / other.tokens.total() > _OTHER_SIDE * share:
        return ""
    alone = {phone: parts for phone, parts in changed.items() if not _contrasts(one, phone, parts)}
    found = [phone for phone, parts in alone.items() if other.has(parts) >= _PRESENT * one.tokens[phone]]
    if sum(one.tokens[phone] for phone in found) < _EVIDENCE * number:
        return ""
    often = sorted(found, key=lambda phone: -one.tokens[phone])
    shown = ", ".join(f"{phone} as {' '.join(changed[phone])}" for phone in often[:_SHOWN])
    shown += " …" * (len(often) > _SHOWN)
    what = f"{number:,} {one.name} tokens are {_NAMES.get(rule, rule)} that {other.name} writes otherwise ({shown})"
    mended = [_reread(side, read) for side, read in ((corpus.gold, changed | also), (corpus.predicted, changed | also))]
    return _told(what, f"{rule}: {getattr(rules, rule)}", number, corpus=corpus, mended=mended, experiment=experiment)


def _contrasts(side: _Side, phone: str, parts: tuple[str, ...]) -> bool:
    """Return whether a side has the bare phone beside the marked one: then the mark tells two phones apart."""
    return len(parts) == 1 and side.tokens[parts[0]] > _BARE * side.tokens[phone]


def _changes(tokens: Mapping[str, int], rules: SymbolRules, table: FeatureTable) -> _Read:
    read = {phone: by_rules(Fate((phone,), "kept", "table"), table, rules).phones for phone in tokens}
    return {phone: parts for phone, parts in read.items() if parts != (phone,)}


def _as_written(rule: str, gold: _Side, predicted: _Side, corpus: Corpus, experiment: Experiment) -> str:
    """Tell of raw symbols that meet, or meet far more often, without position marks or capitals."""
    rules = _RULES[rule]
    read: _Read = {phone: (rules.written(phone),) for side in (gold, predicted) for phone in side.tokens}
    number = sum(side.tokens[phone] for side in (gold, predicted) for phone in side.tokens if read[phone] != (phone,))
    if rule == "position_marks" and not _marked(gold) and not _marked(predicted):
        return ""
    shared = sum(number for phone, number in gold.tokens.items() if phone in predicted.tokens)
    if not number or (rule == "case" and shared > _OTHER_SIDE * gold.tokens.total()):
        return ""
    marks = "end in Kaldi's position marks (_B _I _E _S)" if rule == "position_marks" else "have capitals"
    what = f"{number:,} of {gold.tokens.total() + predicted.tokens.total():,} raw symbols {marks}"
    mended = [_reread(side, read) for side in (corpus.gold, corpus.predicted)]
    return _told(
        what, f"{rule}: {getattr(rules, rule)}", number // 2, corpus=corpus, mended=mended, experiment=experiment
    )


def _marked(side: _Side) -> bool:
    marked = [phone for phone in side.tokens if POSITION.search(phone)]
    return len({phone[-1] for phone in marked}) > 2 and 2 * len(marked) > len(side.tokens)


def _reread(side: PhoneSequences, read: _Read) -> PhoneSequences:
    """Return the first utterances of a side with phones that are read otherwise."""
    some = range(min(len(side), _MOST))
    rows = [[part for phone in side.phones_of(u) for part in read.get(phone, (phone,))] for u in some]
    return from_lists(list(side.utterances[: len(rows)]), rows)


def _told(
    what: str, setting: str, number: int, *, corpus: Corpus, mended: Sequence[PhoneSequences], experiment: Experiment
) -> str:
    """Return the note, with the rates as they are and with the setting; "" where it mends too little."""
    before = corpus.select(np.arange(min(len(corpus.utterances), _MOST)))
    after = Corpus(gold=mended[0], predicted=mended[1])
    share = len(before.gold.codes) / max(len(corpus.gold.codes), 1)
    rates = [(phone_error_rate(one), _weighted(one, experiment)) for one in (before, after)]
    (per, wper), (new_per, new_wper) = rates
    mends = per * len(before.gold.codes) - new_per * len(after.gold.codes) >= _MENDED * number * share
    if not mends or (wper or 0) < (new_wper or 0):
        return ""
    weighted = "" if wper is None or new_wper is None else f", wPER {wper:.3f} to {new_wper:.3f}"
    how = setting_of(setting, experiment)
    sample = "" if share == 1 else f" in the first {len(before.utterances):,} utterances"
    return f"{what}: {how} takes PER from {per:.3f} to {new_per:.3f}{weighted}{sample}"


def setting_of(setting: str, experiment: Experiment) -> str:
    """Return how a rule of symbols is set: by an option of a command where settings are in memory."""
    option = f"--{setting.replace('_', '-').replace(':', '')}"
    return option if experiment.folder is None else f"symbols: {{{setting}}}"


def _weighted(corpus: Corpus, experiment: Experiment) -> float | None:
    """Return wPER under the costs that align, None where others weigh."""
    if not is_feature_cost(str(experiment.alignment.costs)) or experiment.scoring.costs != "same":
        return None
    costs = alignment_costs(corpus.gold_inventory, corpus.predicted_inventory, experiment, attested(corpus))
    if isinstance(costs, Learning):
        return None
    return float(least_costs(corpus.gold, corpus.predicted, costs).sum()) / len(corpus.gold.codes)


def _none_shared(gold: _Side, predicted: _Side) -> str:
    sides = [list(side.tokens) for side in (gold, predicted)]
    if {*sides[0]} & {*sides[1]} or min(map(len, sides)) < _PHONES:
        return ""
    shown = [" ".join(sorted(side)[:_SHOWN]) + " …" * (len(side) > _SHOWN) for side in sides]
    return f"gold ({shown[0]}) and predicted ({shown[1]}) share no phone, so every one counts as wrong: {_SETS_RIGHT}"


def _in_39_classes(corpus: Corpus) -> str:
    sets = BUILT_IN["timit48"], BUILT_IN["timit39"]
    labels = [[each.to_ipa(label) or "" for each in sets] for label in LABELS["timit48"]]
    read: _Read = {fine: (coarse,) for fine, coarse in labels}
    folded = Corpus(gold=_reread(corpus.gold, read), predicted=_reread(corpus.predicted, read))
    per = phone_error_rate(corpus.select(np.arange(len(folded.utterances))))
    more = f"over the 39 that papers report {phone_error_rate(folded):.3f}: symbols: timit39"
    return f"PER over TIMIT's 48 classes is {per:.3f}, {more}"

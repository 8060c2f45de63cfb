"""Two sides that are written in two conventions: marks, length, one phone written as two, case, another symbol set.

Nothing of this is wrong in form, and all of it counts as errors. One question decides what is noted: are phones that
are re-read so, on both sides, in fewer errors? A trial re-reads a sample's phones and aligns them anew at unit costs.

    touched = tokens of either side that the trial changes
    mended  = those of them that were errors before, and all of whose phones are right after
    r       = the share of the other tokens that are right after: what of the touched ones can be, at least ½
    noted   ⇔ PER falls by at least a twentieth, and 2 · mended > r · touched

A rule of `symbols` is given to both sides. A pair of spellings (z for x y, aa for aː) is learned from the alignment,
where z is often z′, or x y, on the other side, with letters in common, and neither side tells the two apart.
A contrast that gold has and predicted lacks (i and iː, recognised as i) would be mended by a rule too, and hidden: so
no rule is tried where gold has most of what it changes in both forms.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from phonxling.alignment.corpus import align_sequences, cells_of, least_costs
from phonxling.analyses.costs import costs_in_use, needs_features, observed_phones
from phonxling.analyses.loaded import SIDES, LoadedCorpus, features_of
from phonxling.configuration.models import Experiment
from phonxling.core.arrays import Bools, Codes, offsets_of, places_of
from phonxling.core.confusion import Alignments
from phonxling.core.costs import cost_table
from phonxling.core.estimate import list_phones
from phonxling.core.inventory import SILENCE_PHONE, sorted_inventory
from phonxling.core.sequences import Corpus, PhoneSequences
from phonxling.core.spelling import parse, split_tone
from phonxling.load.resources import panphon_features
from phonxling.phones.ipa import NormalisedSymbol, apply_rules, decide
from phonxling.phones.symbols import BUILT_IN, LABELS, SymbolRules
from phonxling.phones.unknown import match_sets

# Utterances on which a trial is made: its rate is then known to about a hundredth of itself.
_SAMPLE = 2_000
# Of the tables of their alignments: a trial takes a quarter of a second at most.
_CELLS = 100_000_000
# Of PER, at least: less is no matter of conventions, and would be noted on most data.
_FALL = 0.05
# Of tokens that are right, at least: less would let chance mend enough.
_ATTAINABLE = 0.5
# That a trial touches, at least: of fewer, most may be mended by chance.
_TOKENS = 20
# Of the tokens of one spelling, up to which a side is said not to have the other: transcribers slip.
_FEW_TOKENS = 0.1
# Of the tokens of a phone that are aligned with its other spelling, from which that one is tried; the trial decides, so
# that this need only be low enough for recognisers that err on most of them.
_LEARNED_SHARE = 0.25
# Of the rate under a rule, below which a table is noted in its place: a setting is less to write.
_CLEARLY = 0.75
_SHOWN_SYMBOLS = 4  # examples of a note
# Different ones, of each side, before it is odd that none is shared: a few phones may all be answered wrongly.
_PHONES = 5
# Of raw symbols, that are of one side alone, before it is said: a rare phone that is never predicted is no matter of
# symbols.
_ALONE_SHARE = 0.05
_UNRELEASED_MARK = "\u031a"
# Which two phones may stand for whose letters are others: ɚ for ə ɹ, l̩ for ə l.
_SYLLABIC = re.compile("[˞\u0329]")
_OTHER: Mapping[str, str] = dict(zip(SIDES, reversed(SIDES), strict=True))

Reading = Mapping[str, tuple[str, ...]]  # what phones become; others stay
_RULES = {  # the value that is tried, and what it changes
    "diphthongs": ("split", "diphthongs"),
    "affricates": ("split", "affricates"),
    "length": ("strip", "long phones"),
    "diacritics": ("strip", "phones with marks"),
    "tone": ("strip", "phones with a tone"),
    "closures": ("merge", "closures"),
    "silence": ("drop", "silences"),
    "position_marks": ("strip", "symbols with Kaldi's position marks (_B _I _E _S)"),
    "case": ("fold", "symbols with capitals"),
}
_OF_RAW = ("position_marks", "case")


@dataclass(frozen=True)
class _AlignedSample:
    """A sample, aligned at unit costs: which tokens of each side are right, and PER."""

    corpus: Corpus

    @cached_property
    def path(self) -> Alignments:
        unit = cost_table("unit", self.corpus.gold_inventory, self.corpus.predicted_inventory, None)
        return align_sequences(self.corpus.gold, self.corpus.predicted, unit)

    def right(self, side: str) -> Bools:
        codes, inventory = (getattr(self.path, name) for name in (side, f"{side}_inventory"))
        return np.asarray(self.path.operations[codes < len(inventory)] == 0)

    @cached_property
    def rate(self) -> float:
        return float(self.path.cost.sum()) / self.path.denominator / max(len(self.corpus.gold.codes), 1)

    def tokens(self, side: str) -> Counter[str]:
        phones: PhoneSequences = getattr(self.corpus, side)
        return _count_names(phones.inventory.phones, phones.codes)

    def runs(self, side: str) -> Counter[tuple[str, ...]]:
        """Return how often a side has each phone, and each two phones side by side."""
        phones: PhoneSequences = getattr(self.corpus, side)
        names, width, owner = phones.inventory.phones, len(phones.inventory), phones.token_utterances()
        codes = phones.codes.astype(np.int64)
        cells, counts = np.unique((codes[:-1] * width + codes[1:])[owner[:-1] == owner[1:]], return_counts=True)
        runs: Counter[tuple[str, ...]] = Counter({(phone,): count for phone, count in self.tokens(side).items()})
        pairs = zip(cells.tolist(), counts.tolist(), strict=True)
        runs.update({(names[cell // width], names[cell % width]): count for cell, count in pairs})
        return runs


@dataclass(frozen=True)
class _Trial:
    """What a re-reading does to a sample: tokens that it touches, by side and phone, those it mends, and the rates."""

    readings: Mapping[str, Reading]
    touched: Mapping[str, Counter[str]]
    mended: Counter[str]
    attainable: float
    before: _AlignedSample
    after: _AlignedSample

    @property
    def phones(self) -> set[str]:
        """The phones that are read otherwise, and what they are read as where that is one phone."""
        both = [item for reading in self.readings.values() for item in reading.items()]
        return {name for phone, parts in both for name in (phone, *parts[: len(parts) == 1])}

    @property
    def falls(self) -> bool:
        return self.before.rate - self.after.rate >= _FALL * self.before.rate > 0

    def mends(self, phones: Iterable[str]) -> bool:
        """Return whether most tokens of these phones are mended, of those that can be."""
        each = [*phones]
        number = sum(touched[phone] for touched in self.touched.values() for phone in each)
        return 2 * sum(self.mended[phone] for phone in each) > self.attainable * number

    @property
    def noted(self) -> bool:
        phones = self.touched["gold"] + self.touched["predicted"]
        return self.falls and phones.total() >= _TOKENS and self.mends(phones)


def reread(side: PhoneSequences, reading: Reading) -> tuple[PhoneSequences, Codes]:
    """Return a side with its phones read otherwise, without times, and which of its tokens each phone comes from."""
    parts = [reading.get(phone, (phone,)) for phone in side.inventory]
    inventory = sorted_inventory(phone for each in parts for phone in each)
    width = np.array([len(each) for each in parts], np.int64)
    table = np.array([inventory.code(phone) for each in parts for phone in each], np.int32)
    repeats = width[side.codes]
    codes = table[places_of(offsets_of(width)[:-1][side.codes], repeats)]
    offsets = offsets_of(repeats)[side.offsets]
    phones = PhoneSequences(utterances=side.utterances, offsets=offsets, codes=codes, inventory=inventory)
    return phones, np.repeat(np.arange(len(side.codes)), repeats)


def _try_readings(before: _AlignedSample, readings: Mapping[str, Reading]) -> _Trial:
    old = {side: getattr(before.corpus, side) for side in SIDES}
    new = {side: reread(old[side], readings.get(side, {})) for side in SIDES}
    after = _AlignedSample(Corpus(gold=new["gold"][0], predicted=new["predicted"][0]))
    touched, mended, others = dict[str, Counter[str]](), Counter[str](), [np.zeros(0, bool)]
    for side, (_, source) in new.items():
        names, reading = old[side].inventory.phones, readings.get(side, {})
        here = np.array([phone in reading for phone in names], bool)[old[side].codes]
        # A token that is read as several phones is right where all of them are; one that is read as none is, too.
        parts = np.bincount(source, minlength=len(here))
        whole = np.bincount(source[after.right(side)], minlength=len(here)) == parts
        others.append(whole[~here])
        touched[side] = _count_names(names, old[side].codes[here])
        mended += _count_names(names, old[side].codes[here & whole & ~before.right(side)])
    share = float(np.concatenate(others).mean()) if any(map(len, others)) else 0.0
    return _Trial(readings, touched, mended, max(share, _ATTAINABLE), before, after)


def _count_names(names: Sequence[str], codes: NDArray[np.integer]) -> Counter[str]:
    counts = np.bincount(codes, minlength=len(names)).tolist()
    return Counter({name: count for name, count in zip(names, counts, strict=True) if count})


@dataclass(frozen=True)
class _Case:
    """A sample as it is read, and how its sides are set; `sets` are their symbol sets, where each has one."""

    before: _AlignedSample
    loaded: LoadedCorpus
    sets: Mapping[str, str]
    experiment: Experiment
    utterances: int

    @property
    def raw(self) -> set[str]:
        return {side for side in SIDES if self.sets.get(self.section(side)) == "raw"}

    def section(self, side: str) -> str:
        """Return the section whose symbols a side has: predicted phones may be decoded from posteriors."""
        return side if side in self.sets else "posteriors"

    def with_sets(self, given: Mapping[str, str]) -> str:
        if self.experiment.folder is None:
            return f"--symbols {','.join({**self.sets, **given}.values())}"
        names = {side: f"[{name.replace('+', ', ')}]" if "+" in name else name for side, name in given.items()}
        return ", ".join(f"symbols: {name} for {side}" for side, name in names.items())

    def with_rates(self, how: str, trial: _Trial) -> str:
        before, after = trial.before, trial.after
        note = f"{how} takes PER from {before.rate:.3f} to {after.rate:.3f}"
        if needs_features(self.experiment):
            rates = []
            for one in (before.corpus, after.corpus):
                sides = one.gold_inventory, one.predicted_inventory
                costs = costs_in_use(*sides, self.experiment, observed_phones(one))
                rates.append(least_costs(one.gold, one.predicted, costs).sum() / max(len(one.gold.codes), 1))
            note += ", wPER {:.3f} to {:.3f}".format(*rates)
        number = len(before.corpus.utterances)
        return note if number == self.utterances else f"{note} (in {number:,} of {self.utterances:,} utterances)"


def conventions(loaded: LoadedCorpus, sets: Mapping[str, str], experiment: Experiment) -> Iterator[str]:
    """Yield what is written in two conventions, with the number of tokens, the rates, and what to set."""
    # `sets` are the symbol sets of gold and of predicted, or of the posteriors that were decoded, where each has one.
    corpus = loaded.corpus
    if corpus is None or not len(corpus.gold.codes) or not len(corpus.predicted.codes):
        return
    cells, number = cells_of(corpus.gold, corpus.predicted), len(corpus.utterances)
    most = min(_SAMPLE, 1 + int(_CELLS / cells.mean()))
    chosen = np.unique(np.linspace(0, number - 1, most).astype(np.int64))
    if cells[chosen].max() > _CELLS:
        return
    before = _AlignedSample(corpus.select(chosen))
    if not len(before.corpus.gold.codes) or not len(before.corpus.predicted.codes):
        return
    own = {section: name for section, name in sets.items() if section in (*SIDES, "posteriors")}
    case = _Case(before, loaded, own, experiment, number)
    rules, tables = _rules_that_mend(case), dict[str, _Trial]()
    notes = [*_set_notes(case)] if case.raw and not rules else []
    # Predicted first: where both could be read otherwise, gold stays as it is.
    for side in reversed(SIDES) if not notes else ():
        tables[side] = _table_that_mends(case, side, {phone for table in tables.values() for phone in table.phones})
        # A rule and a table that mend the same phones: one of them is enough.
        rivals = {rule: trial for rule, trial in rules.items() if trial.phones & tables[side].phones}
        if all(tables[side].after.rate < _CLEARLY * trial.after.rate for trial in rivals.values()):
            rules = {rule: trial for rule, trial in rules.items() if rule not in rivals}
        else:
            tables[side] = _table_that_mends(case, side, {phone for trial in rules.values() for phone in trial.phones})
    notes += [_rule_note(case, rule, trial) for rule, trial in rules.items()]
    notes += [_table_note(case, side, trial) for side, trial in tables.items() if trial.noted]
    yield from notes or _apart_notes(case)
    if [*own.values()] == ["timit48", "timit48"]:
        # Papers that decode the 48 classes fold them into 39 before they score.
        fine, coarse = BUILT_IN["timit48"], BUILT_IN["timit39"]
        reading = {fine.to_ipa(label) or "": (coarse.to_ipa(label) or "",) for label in LABELS["timit48"]}
        rate = _try_readings(before, dict.fromkeys(SIDES, reading)).after.rate
        more = f"over the 39 that papers report {rate:.3f}: symbols: timit39"
        yield f"PER over TIMIT's 48 classes is {before.rate:.3f}, {more}"


def _rules_that_mend(case: _Case) -> dict[str, _Trial]:
    trials, runs = dict[str, _Trial](), {side: case.before.runs(side) for side in SIDES}
    for rule in _OF_RAW if case.raw else _RULES:
        readings = {side: _by_rule(rule, runs[side], case) for side in SIDES}
        own, gold = runs["gold"], readings["gold"]
        # Gold has most of what the rule changes both ways: a contrast, which predicted may lack, and would be hidden.
        both = sum(own[phone,] for phone, parts in gold.items() if own[parts[:2]] > _FEW_TOKENS * own[phone,])
        distinct = 2 * both > sum(own[phone,] for phone in gold)
        if any(readings.values()) and not distinct and (trial := _try_readings(case.before, readings)).noted:
            trials[rule] = trial
    return trials


def _rule_note(case: _Case, rule: str, trial: _Trial) -> str:
    counts = {side: tokens.total() for side, tokens in trial.touched.items() if tokens}
    named = " and ".join(f"{number:,} {side}" for side, number in counts.items())
    other = "the two sides write" if len(counts) > 1 else f"{_OTHER[next(iter(counts))]} writes"
    both = {**trial.readings["gold"], **trial.readings["predicted"]}
    often = [f"{phone} as {' '.join(both[phone]) or 'none'}" for phone, _ in trial.mended.most_common()]
    value, changed = _RULES[rule]
    what = f"{named} tokens are {changed} that {other} otherwise ({_list_examples(often)})"
    # A command has its settings in memory, and takes others by --set.
    in_memory = case.experiment.folder is None
    setting = f"--set symbols.{rule}={value}" if in_memory else f"symbols: {{{rule}: {value}}}"
    return case.with_rates(f"{what}: {setting}", trial)


def _list_examples(examples: Sequence[str]) -> str:
    return ", ".join([*examples[:_SHOWN_SYMBOLS], *["…"] * (len(examples) > _SHOWN_SYMBOLS)])


def _by_rule(rule: str, runs: Counter[tuple[str, ...]], case: _Case) -> Reading:
    """Return what a rule makes of the phones of a side, of those that it changes."""
    given: dict[str, Any] = {rule: _RULES[rule][0]}
    rules, read = SymbolRules(**given), dict[str, tuple[str, ...]]()
    for phone in (run[0] for run in runs if len(run) == 1):
        if rule == "silence":
            read[phone] = () if phone == SILENCE_PHONE else (phone,)
        elif rule == "closures":
            # One phone with its release, as most are; a lone closure counts as the stop.
            stop = phone.removesuffix(_UNRELEASED_MARK)
            read[phone] = () if stop != phone and 2 * runs[phone, stop] > runs[phone,] else (stop,)
        elif rule in _OF_RAW:
            read[phone] = (rules.respell(phone),)
        elif rule == "tone":
            read[phone] = (unicodedata.normalize("NFC", split_tone(phone)[0]) or phone,)
        else:
            kept = NormalisedSymbol((phone,), "kept", "table")
            read[phone] = apply_rules(kept, features_of(case.experiment), rules).phones
    return {phone: parts for phone, parts in read.items() if parts != (phone,)}


def _table_that_mends(case: _Case, side: str, known: set[str]) -> _Trial:
    """Return the trial of the pairs of spellings that mend, but for those of phones that are known already."""
    spellings = {phone: parts for phone, parts in _find_spellings(case, side).items() if not known & {phone, *parts}}
    trial = _try_readings(case.before, {side: spellings})
    # One pair that does not mend its phone would hide those that do.
    mending = {phone: parts for phone, parts in spellings.items() if trial.mends([phone])}
    return _try_readings(case.before, {side: mending})


def _table_note(case: _Case, side: str, trial: _Trial) -> str:
    audit = sorted(case.loaded.audits.get(side, ()), key=lambda row: row.count)
    labels, often = {row.symbol: row.raw for row in audit}, [phone for phone, _ in trial.touched[side].most_common()]
    rows = [f"{labels.get(phone, phone)} → {' '.join(trial.readings[side][phone])}" for phone in often]
    what = f"{trial.touched[side].total():,} {side} tokens are phones that {_OTHER[side]} writes otherwise"
    section = case.section(side)
    given = {section: f"{case.sets[section]}+extra.tsv"} if section in case.sets else {}
    over = f"with {case.with_sets(given)}" if given else f"over the symbols of {section}"
    how = f"a table extra.tsv (symbol, tab, IPA) of {', '.join(rows)}, {over},"
    if side in case.raw:
        how = f"one spelling ({_list_examples(rows)})"
    return case.with_rates(f"{what}: {how}", trial)


def _find_spellings(case: _Case, side: str) -> Reading:
    """Return phones of a side that seem to be one other phone, or the same two, of the other side, to be tried."""
    own, others = case.before.runs(side), case.before.runs(_OTHER[side])
    spellings, best = dict[str, tuple[str, ...]](), dict[str, tuple[int, tuple[str, ...]]]()
    for (phone, parts), number in _count_partners(case.before.path, side).items():
        best[phone] = max(best.get(phone, (0, ())), (number, parts))
    total = case.before.tokens(side).total()
    for phone, (number, parts) in best.items():
        # Two phones meet by chance, too, up to two standard deviations above what is expected: s s is no sː.
        meeting = own[parts[0],] * own[parts[1],] / total if len(parts) > 1 else 0.0
        both = own[parts] > _FEW_TOKENS * own[phone,] + meeting + 2 * sqrt(meeting)
        distinct = both or others[phone,] > _FEW_TOKENS * others[parts]
        if number > _LEARNED_SHARE * own[phone,] and not distinct and (case.raw or _are_akin(phone, parts)):
            spellings[phone] = parts
    return spellings


def _count_partners(path: Alignments, side: str) -> Counter[tuple[str, tuple[str, ...]]]:
    """Return how often a wrong phone of a side is beside one phone of the other, or two where one is inserted there."""
    sides = (path.gold_inventory, path.gold), (path.predicted_inventory, path.predicted)
    gold, predicted = ([*map([*phones, ""].__getitem__, codes.tolist())] for phones, codes in sides)
    own, other = (gold, predicted) if side == "gold" else (predicted, gold)
    begins, partners = {*path.offsets.tolist()}, Counter[tuple[str, tuple[str, ...]]]()
    for place in np.flatnonzero(path.operations == 1).tolist():
        # Traced from the end, diagonal first: what is inserted beside a substitution always stands before it.
        two = place not in begins and not own[place - 1]
        partners[own[place], tuple(other[place - two : place + 1])] += 1
    return partners


def _are_akin(phone: str, parts: Sequence[str]) -> bool:
    """Return whether spellings have a letter in common, as other ways to write one phone do, and errors seldom."""
    first, second = ({part.letter for part in parse(split_tone(name)[0])} for name in (phone, "".join(parts)))
    if len(parts) == 1:
        return first == second
    return bool(first & second) or _SYLLABIC.search(unicodedata.normalize("NFD", phone)) is not None


def _set_notes(case: _Case) -> Iterator[str]:
    """Yield the built-in symbol sets that read raw symbols as the phones of the other side."""
    table, readings, better = panphon_features(), dict[str, Reading](), dict[str, str]()
    for side in sorted(case.raw):
        tokens = case.before.tokens(side)
        best = match_sets(tokens, table)[0]
        if best.unknown or best.doubtful or best.name == "ipa-joined":
            return
        fates = {phone: decide(phone, BUILT_IN[best.name], table, SymbolRules()) for phone in tokens}
        readings[side] = {phone: fate.phones for phone, fate in fates.items() if fate and fate.phones != (phone,)}
        better[case.section(side)] = best.name
    trial = _try_readings(case.before, readings)
    if trial.falls:
        number = sum(tokens.total() for tokens in _tokens_alone(case.before).values())
        total = sum(case.before.tokens(side).total() for side in SIDES)
        what = f"{number:,} of {total:,} raw symbols are of one side alone"
        yield case.with_rates(f"{what}: {case.with_sets(better)} instead of raw", trial)


def _tokens_alone(before: _AlignedSample) -> dict[str, Counter[str]]:
    own = {side: before.tokens(side) for side in SIDES}
    alone = {side: [item for item in own[side].items() if item[0] not in own[_OTHER[side]]] for side in SIDES}
    return {side: Counter(dict(items)) for side, items in alone.items()}


def _apart_notes(case: _Case) -> Iterator[str]:
    """Yield that gold and predicted share no phone, or which raw symbols are of one side alone."""
    alone = _tokens_alone(case.before)
    names = {side: list_phones(sorted(own), _SHOWN_SYMBOLS) for side, own in alone.items()}
    totals = {side: case.before.tokens(side).total() for side in SIDES}
    if all(own.total() == totals[side] for side, own in alone.items()):
        if min(map(len, alone.values())) >= _PHONES:
            shared = f"gold ({names['gold']}) and predicted ({names['predicted']}) share no phone"
            yield f"{shared}, so every one counts as wrong: are both symbol sets right?"
        return
    for side, own in alone.items():
        if case.raw and own.total() >= _ALONE_SHARE * totals[side]:
            number = f"{own.total():,} of {totals[side]:,} raw {side} symbols ({names[side]})"
            yield f"{number} are not among those of {_OTHER[side]}, so each is wrong; a symbol set may explain it"

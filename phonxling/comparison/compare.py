"""Two or more finished results side by side: every measure with its difference, tests, and what is not alike.

A row of a table holds both values, their difference with its interval, and q over the tests of its table, of cells over
those of its pair: letters, sentences, page and figure all read the q of differences.tsv. `status` says why something is
not tested, `unlike` what is not defined alike; `note` says for people what weakens a test.
"""

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pandas as pd

from phonxling.analyses.features import feature_transfer, with_features
from phonxling.analyses.measures import Measure, compared_measures, measure
from phonxling.comparison.alike import coarser_set, refuse_unlike
from phonxling.comparison.items import Item, read_items
from phonxling.comparison.pairs import Pair, measure_items, pairs_of, refuse_unpaired
from phonxling.configuration.models import LARGEST_SEED
from phonxling.core.arrays import Floats
from phonxling.core.errors import ConfigurationError, check_argument, check_arguments
from phonxling.core.estimate import SIGNIFICANT, ReadableValue, format_count, list_phones
from phonxling.core.work import Progress, SilentProgress, one_thread
from phonxling.load.resources import stored_features
from phonxling.results.tables import column_names, table_of
from phonxling.stats.p_values import family_of, with_q
from phonxling.stats.student import EstimateSpread, contrast
from phonxling.stats.two_corpora import FEW_TOKENS, Side, cell_differences

Pairing = Literal["auto", "yes", "no"]
_PHONES = {"accuracy": "substitution_rate", "entropy": "conditional_entropy"}  # and a measure that is defined like it
_CELLS = "substitution_rate"  # what confusions and features are defined like
_Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Choices:
    """What `compare` takes; ConfigurationError for a choice that there is not."""

    against: str | None = None
    allow_different: bool = False
    paired: Pairing = "auto"
    seed: int | None = None

    def __post_init__(self) -> None:
        if (self.seed or 0) > LARGEST_SEED:
            raise ConfigurationError(f"seed: may be at most {LARGEST_SEED:,}, not {self.seed}")
        check_argument("paired", self.paired, Pairing)


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Comparison(ReadableValue):
    """Results beside each other: what was compared (corpora, folders, or folder:corpus), and its tables.

    `differences` has each measure of each pair: values, difference with interval, p, q, test, status; `phones` accuracy
    and entropy by gold phone that both have; `confusions` differences of p(predicted | gold), of the cells with tokens
    enough in both; `features` how often each feature changes, and how much is transferred.
    """

    items: tuple[str, ...]
    differences: pd.DataFrame
    phones: pd.DataFrame
    confusions: pd.DataFrame
    features: pd.DataFrame

    def _facts(self) -> Iterator[str]:
        yield f"{len(self.items)} items: {list_phones(self.items)}"
        clear = int((self.differences["q"] < SIGNIFICANT).sum())
        tested = self.differences["q"].count()
        yield f"{format_count(len(self.differences), 'difference')}, {clear} of {tested} tested clear"

    def _head(self) -> pd.DataFrame:
        return self.differences

    def to_frame(self) -> pd.DataFrame:
        """Return the differences of measures: `differences`."""
        return self.differences


@check_arguments
def compare(
    results: Sequence[str | PathLike[str]] | str | PathLike[str],
    *others: str | PathLike[str],
    against: str | None = None,
    allow_different: bool = False,
    paired: Pairing = "auto",
    seed: int | None = None,
) -> Comparison:
    """Return finished results side by side, from their stored tables alone.

    Parameters
    ----------
    results, *others : paths or Results, or a list of them
        Finished results, or their folders; every corpus of each that has predictions is compared.
    against : str, optional
        The one item that all others are compared with; all pairs otherwise.
    allow_different : bool
        Compare numbers that are not defined alike, and mark them.
    paired : {"auto", "yes", "no"}
        Whether the same speakers or utterances are left out of items with the same utterances; `yes` refuses others.
    seed : int, optional
        Of approximate randomisation; by default the first result's.

    Raises
    ------
    ConfigurationError
        If there are fewer than two items, or a folder is given twice.
        If numbers are not defined alike, or the same utterances have other gold phones, unless `allow_different`.
        If no item is called `against`.
    DataError
        If a folder holds no finished results, or a table has changed.
        If `paired` is "yes" and two items are not of the same utterances.
    """
    given: object = [results, *others] if others else results
    if isinstance(given, str) or not isinstance(given, Iterable):
        kind = "text" if isinstance(given, str) else type(given).__name__
        raise ConfigurationError(f"results are a list of folders, such as ['results/a'], not one {kind}")
    folders = [*given]
    for folder in folders:
        check_argument("results", folder, str | Path | PathLike)
    choices = Choices(against, allow_different, paired, seed)
    return compare_items(read_items([*map(Path, folders)], SilentProgress()), choices, SilentProgress())


@one_thread()
def compare_items(items: Sequence[Item], choices: Choices, progress: Progress) -> Comparison:
    """Return items side by side; errors as for `compare`."""
    if len(items) < 2:
        only = ", ".join(f"{item.corpus} of {item.folder}" for item in items) or "nothing"
        raise ConfigurationError(f"a comparison needs two or more corpora with predictions; here is {only}")
    sides = measure_items(items, paired=choices.paired != "no")
    pairs = pairs_of(sides, choices.against)
    if not choices.allow_different:
        golds = [pair.other_gold for pair in pairs if pair.other_gold]
        coarsest = (coarser_set(pair.first.item, pair.second.item) for pair in pairs if pair.other_gold)
        refuse_unlike(items, golds=golds, symbols=next(filter(None, coarsest), ""))
    if choices.paired == "yes":
        refuse_unpaired(pairs)
    relations = Counter(pair.relation for pair in pairs)
    kinds = "; ".join(f"{number} with {relation}" for relation, number in relations.items())
    alone = f"{pairs[0].first.item.name} and {pairs[0].second.item.name}: {pairs[0].relation}"
    progress.say(alone if len(pairs) == 1 else f"{len(items)} items, {len(pairs)} pairs: {kinds}")
    for one in sides:
        progress.step(f"leaving clusters out of {one.item.name}")
        _ = one.measured  # what takes long
    progress.step("testing")
    # Of cells, a family is a pair: there are hundreds of them, and more pairs would hide what differs in each.
    cells = (row for pair in pairs for row in with_q([*_cell_rows(pair)]))
    return Comparison(
        items=tuple(item.name for item in items),
        differences=_difference_table(pairs, seed_of(items, choices)),
        phones=_declared_table("phones", with_q([row for pair in pairs for row in _phone_rows(pair)])),
        confusions=_declared_table("confusions", cells),
        features=_declared_table("features", with_q([row for pair in pairs for row in _feature_rows(pair)])),
    )


def _declared_table(name: str, rows: Iterable[_Row]) -> pd.DataFrame:
    """Return a table of a comparison; what its tests are made of, and is not declared, is left out."""
    columns = column_names(f"comparison/{name}")
    return table_of(f"comparison/{name}", ({key: row[key] for key in columns if key in row} for row in rows))


def seed_of(items: Sequence[Item], choices: Choices) -> int:
    """Return the seed of everything random: the one chosen, else the first result's."""
    return int(items[0].settings["seed"]) if choices.seed is None else choices.seed


def _difference_table(pairs: Sequence[Pair], seed: int) -> pd.DataFrame:
    """Return differences.tsv: all its tests are one family, of which each says what it would have found."""
    rows, spreads = list[_Row](), list[EstimateSpread]()
    for pair in pairs:
        randomised = pair.randomised(seed) if pair.test == "paired" else {}
        for one in compared_measures():
            values, apart = np.array([[side.estimate(one)] for side in pair.sides]), pair.spread_of(one.name)
            (row,) = _test_rows(pair, values, apart, np.array([np.inf]))
            missing, untested = _explain_missing(pair, one), row["test"] == "none"
            alike = f"the difference does not vary between {pair.first.clusters.unit}s"
            constant = alike * (untested and pair.test != "none" and not apart.few.any())
            row |= {"measure": one.name, "variant": one.variant, "unlike": pair.differ_in(one)}
            row |= {"status": "undefined" if missing else row["status"], "note": missing or constant or pair.weakness}
            rows.append(row | {"randomisation": math.nan if untested else randomised.get(one.name, math.nan)})
            spreads.append(apart)
    # Every test of the table is one family, so that more pairs do not make more false alarms.
    family = family_of([row["p"] for row in rows], spreads, pairs[0].first.clusters.level)
    made = zip(rows, *(numbers.tolist() for numbers in family), strict=True)
    return _declared_table("differences", ({**row, "q": q, "least_difference": least} for row, q, least in made))


def _test_rows(pair: Pair, values: Floats, apart: EstimateSpread, fewest: Floats) -> Iterator[_Row]:
    """Yield what all rows have of K differences of values, [2, K], of so many tokens at least on either side, [K]."""
    tests = contrast(values[0] - values[1], apart, pair.first.clusters.level)
    limits = zip(tests.low.tolist(), tests.high.tolist(), tests.p.tolist(), apart.few.tolist(), strict=True)
    for (value, other), tokens, (low, high, p, few) in zip(values.T.tolist(), fewest.tolist(), limits, strict=True):
        # The normal or t distribution of a share needs some tokens.
        if tokens < FEW_TOKENS:
            low = high = p = math.nan
        test = "none" if math.isnan(p) or pair.test == "none" else pair.test
        status = pair.status or "too-few-clusters" * few or "undefined" * (test == "none")
        row = {**pair.names, "value": value, "other_value": other, "difference": value - other}
        yield row | {"low": low, "high": high, "p": math.nan if test == "none" else p, "test": test, "status": status}


def _explain_missing(pair: Pair, one: Measure) -> str:
    for side in pair.sides:
        number = side.estimate(one)
        if not number.defined:
            return f"{side.item.name}: {number.note or 'it is not defined'}"
        if math.isnan(side.measured[one.name].value):
            return f"{side.item.name}: its results do not keep what it is made of by utterance"
    return ""


def _phone_rows(pair: Pair) -> Iterator[_Row]:
    """Yield accuracy and entropy of the gold phones that both items have."""
    tokens, other_tokens = (side.phones["tokens"] for side in pair.sides)
    phones = [str(phone) for phone in tokens.index[tokens > 0] if other_tokens.get(phone, 0) > 0]
    for name, like in _PHONES.items() if phones else ():
        values = np.array([side.phones.loc[phones, name].to_numpy(float) for side in pair.sides])
        apart = pair.spread(*(side.of_phones(name, phones) for side in pair.sides))
        fewest = np.minimum(tokens[phones].to_numpy(float), other_tokens[phones].to_numpy(float))
        beside = {"measure": name, "unlike": pair.differ_in(measure(like))}
        for phone, row in zip(phones, _test_rows(pair, values, apart, fewest), strict=True):
            # Of a phone that was always deleted there is no entropy.
            status = "undefined" if math.isnan(row["difference"]) else row["status"]
            yield row | beside | {"phone": phone, "status": status}


def _feature_rows(pair: Pair) -> Iterator[_Row]:
    """Yield how often each feature changes, phone by phone, with a test, and how much of it is transferred."""
    table, other = (stored_features(side.item.manifest) for side in pair.sides)
    phones = [phone for phone in pair.first.item.stack.gold if phone in {*pair.second.item.stack.gold}]
    if table is None or other is None or not phones:
        return
    unlike, (shares, number, apart) = pair.differ_in(measure(_CELLS)), pair.changes(phones, table)
    fewest = np.full(len(table.features), number.min())
    for feature, row in zip(table.features, _test_rows(pair, shares, apart, fewest), strict=True):
        yield row | {"feature": feature, "measure": "changed", "unlike": unlike}
    # How much is transferred depends on how often each phone is said, so that a test would find other texts.
    stacks = (with_features(side.item.stack.total(), table) for side in pair.sides)
    transferred = np.array([feature_transfer(one, table)["relative"] for one in stacks])
    untested = {"low": math.nan, "high": math.nan, "p": math.nan, "status": pair.status or "undefined"}
    for feature, row in zip(table.features, _test_rows(pair, transferred, apart, fewest), strict=True):
        yield row | untested | {"feature": feature, "measure": "transferred", "unlike": unlike}


def _cell_rows(pair: Pair) -> Iterator[_Row]:
    unlike, both = pair.differ_in(measure(_CELLS)), pair.sides
    sides = (Side(stack=one.item.stack, clusters=one.clusters, gaps=one.counting.gaps) for one in both)
    for row in cell_differences(*sides, same=pair.paired, tested=pair.test != "none"):
        yield {**row, **pair.names, "status": pair.status or row["status"], "unlike": unlike}

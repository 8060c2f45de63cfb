"""Two or more finished results side by side: every measure with its difference, tests, and what is not alike.

A row of a table holds both values, their difference with its interval, p, and q over the tests of its kind in that
table: letters, sentences, page and figure all read the q of comparison.tsv. `status` says why something is not tested,
`unlike` what is not defined alike; `note` says for people what weakens a test.
"""

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np
import pandas as pd

from phonxling.analyses.differences import cell_differences
from phonxling.analyses.measures import Measure, compared, derived, measure
from phonxling.analyses.orders import letters_of_tests
from phonxling.analyses.statistics import named
from phonxling.comparison.alike import (
    coarser,
    items_by_value,
    ranked,
    refuse_unlike,
    settings_table,
    symbol_sets,
    unlike,
)
from phonxling.comparison.items import Item, read_items
from phonxling.comparison.pairs import Numbers, Pair, numbers_of, pairs_of, refuse_unpaired
from phonxling.core.arrays import Floats
from phonxling.core.display import Shown, counted, listed
from phonxling.core.errors import ConfigurationError
from phonxling.core.work import Progress, Silent, one_thread
from phonxling.load.resources import stored_features
from phonxling.resample.p_values import with_q
from phonxling.resample.power import family_of
from phonxling.resample.student import Spread, contrast
from phonxling.resample.two_corpora import FEW_TOKENS
from phonxling.settings.models import LARGEST_SEED
from phonxling.tables.files import table_of

Paired = Literal["auto", "yes", "no"]
_PHONES = {"accuracy": "per_aligned", "entropy": "conditional_entropy"}  # and the measure whose definition each shares
_DELETED = "not defined, because all its tokens were deleted"
_CONSTANT = "no test: no cluster differs from the others"
_FEW = f"not tested: fewer than {FEW_TOKENS} tokens"
_TRANSFER = "not tested: what is transferred depends on how often each phone is said"
_Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Choices:
    """What `compare` takes; ConfigurationError for a choice that there is not."""

    against: str | None = None
    allow_different: bool = False
    paired: Paired = "auto"
    seed: int | None = None

    def __post_init__(self) -> None:
        if (self.seed or 0) > LARGEST_SEED:
            raise ConfigurationError(f"seed: may be at most {LARGEST_SEED:,}, not {self.seed}")
        if self.paired not in get_args(Paired):
            raise ConfigurationError(f"paired: '{self.paired}' is none of {', '.join(get_args(Paired))}")


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Comparison(Shown):
    """Results beside each other.

    Parameters
    ----------
    items : tuple of str
        What was compared: corpora, folders, or folder:corpus.
    comparison : DataFrame
        Each measure of each pair: values, difference with interval, p, q, test, status.
    phones, features : DataFrame
        The same by gold phone that both have, and by feature.
    contrasts : DataFrame
        How well each contrast is told apart, of results with the section `assimilation`; no rows of others.
    cells : DataFrame
        Differences of p(predicted | gold), of the cells with tokens enough in both.
    ranking : DataFrame
        Each item's rates, information and chance levels, best first.
    settings : DataFrame
        The settings in which items differ.
    """

    items: tuple[str, ...]
    comparison: pd.DataFrame
    phones: pd.DataFrame
    features: pd.DataFrame
    contrasts: pd.DataFrame
    cells: pd.DataFrame
    ranking: pd.DataFrame
    settings: pd.DataFrame

    def _facts(self) -> Iterator[str]:
        yield f"{len(self.items)} items: {listed(self.items)}"
        yield counted(len(self.comparison), "difference")
        yield f"{counted(len(self.settings), 'row')} of settings in which they differ" if len(self.settings) else ""

    def to_frame(self) -> pd.DataFrame:
        """Return the differences: `comparison`."""
        return self.comparison


def compare(
    results: Sequence[str | Path],
    *,
    against: str | None = None,
    allow_different: bool = False,
    paired: Paired = "auto",
    seed: int | None = None,
) -> Comparison:
    """Return finished results side by side, from their stored tables alone.

    Parameters
    ----------
    results : list of paths
        Folders of finished results; every corpus of each that has predictions is compared.
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
    if isinstance(results, str):
        raise ConfigurationError(f"results are a list of folders, such as [{results!r}], not one text")
    choices = Choices(against, allow_different, paired, seed)
    return compare_items(read_items([Path(folder) for folder in results], Silent()), choices, Silent())


@one_thread()
def compare_items(items: Sequence[Item], choices: Choices, progress: Progress) -> Comparison:
    """Return items side by side; errors as for `compare`."""
    if len(items) < 2:
        only = ", ".join(f"{item.corpus} of {item.folder}" for item in items) or "nothing"
        raise ConfigurationError(f"a comparison needs two or more corpora with predictions; here is {only}")
    sides = numbers_of(items, paired=choices.paired != "no")
    pairs = pairs_of(sides, choices.against)
    if not choices.allow_different:
        golds = [pair.other_gold for pair in pairs if pair.other_gold]
        coarsest = (coarser(pair.first.item, pair.second.item) for pair in pairs if pair.other_gold)
        refuse_unlike(items, golds=golds, symbols=next(filter(None, coarsest), ""))
    if choices.paired == "yes":
        refuse_unpaired(pairs)
    _say(items, pairs, progress)
    for one in sides:
        progress.step(f"leaving clusters out of {one.item.name}")
        _ = one.measured  # what takes long
    progress.step("testing")
    differences = comparison_table(pairs, seed_of(items, choices))
    parts = {"phones": _phone_rows, "features": _feature_rows, "contrasts": _contrast_rows}
    tables = {
        name: table_of(f"comparison/{name}", with_q([row for pair in pairs for row in rows(pair)]))
        for name, rows in parts.items()
    }
    cells = (row for pair in pairs for row in with_q([*_cell_rows(pair)]))  # a family is a pair
    return Comparison(
        items=tuple(item.name for item in items),
        comparison=differences,
        **tables,
        cells=table_of("comparison/cells", cells),
        ranking=ranking_table(sides, pairs, differences),
        settings=settings_table(items),
    )


def seed_of(items: Sequence[Item], choices: Choices) -> int:
    """Return the seed of everything random: the one chosen, else the first result's."""
    return int(items[0].settings["seed"]) if choices.seed is None else choices.seed


def _say(items: Sequence[Item], pairs: Sequence[Pair], progress: Progress) -> None:
    if len(pairs) == 1:
        progress.say(f"{pairs[0].first.item.name} and {pairs[0].second.item.name}: {pairs[0].relation}")
    else:
        relations = Counter(pair.relation for pair in pairs)
        kinds = "; ".join(f"{number} with {relation}" for relation, number in relations.items())
        progress.say(f"{len(items)} items, {len(pairs)} pairs: {kinds}")
    if below := [item.name for item in items if not item.above_chance]:
        progress.say(f"not above chance, so that nothing is tested of them: {', '.join(below)}")
    for place, side in enumerate(("gold", "predicted")):
        sets = items_by_value((item.name, symbol_sets(item)[place]) for item in items)
        if len(sets) > 1:
            progress.say(f"note: {side} phones are in other symbol sets: {'; '.join(sets)}")
    versions = dict.fromkeys(str(item.manifest["phonxling"]) for item in items)
    if len(versions) > 1:
        progress.say(f"the results were made by different versions of phonxling: {', '.join(versions)}")


def comparison_table(pairs: Sequence[Pair], seed: int) -> pd.DataFrame:
    """Return comparison.tsv: all its tests are one family, of which each says what it would have found."""
    rows, spreads = [], list[Spread]()
    for pair in pairs:
        randomised = pair.randomised(seed) if pair.test == "paired" else {}
        for one in compared():
            apart = pair.spread_of(one.name)
            row = _measure_row(pair, one, apart)
            rows.append(
                row | {"randomisation": randomised.get(one.name, math.nan) if row["test"] != "none" else math.nan}
            )
            spreads.append(apart)
    tests = family_of([row["p"] for row in rows], spreads, pairs[0].first.clusters.level)
    made = zip(rows, tests.q.tolist(), tests.least.tolist(), strict=True)
    return table_of(
        "comparison/comparison",
        [{**row, "q": q, "comparisons": tests.number, "least_difference": least} for row, q, least in made],
    )


def _measure_row(pair: Pair, one: Measure, apart: Spread) -> _Row:
    first, second = (side.estimate(one) for side in pair.sides)
    row, missing = _difference(pair, first.value, second.value, apart), _missing(pair, one)
    constant = "" if row["test"] != "none" or row["status"] else _CONSTANT
    return {
        **row,
        "measure": one.name,
        "variant": one.variant,
        "low": first.low,
        "high": first.high,
        "other_low": second.low,
        "other_high": second.high,
        "n": pair.first.tokens.sum(),
        "other_n": pair.second.tokens.sum(),
        "unit": one.unit,
        "unlike": _apart(pair, one),
        "status": "undefined" if missing or constant else row["status"],
        "note": missing or constant or pair.weakness,
    }


def _difference(pair: Pair, value: float, other: float, apart: Spread, *, tested: bool = True) -> _Row:
    """Return the columns that all rows of a pair have, with the test of one difference, where there may be one."""
    limits = contrast(value - other, apart, pair.first.clusters.level)
    p = float(limits.p[0]) if tested and pair.test != "none" else math.nan
    few = bool(apart.few[0]) and not pair.status
    return {
        **_names(pair),
        "value": value,
        "other_value": other,
        "difference": value - other,
        "difference_low": float(limits.low[0]) if tested else math.nan,
        "difference_high": float(limits.high[0]) if tested else math.nan,
        "p": p,
        "test": "none" if math.isnan(p) else pair.test,
        "level": pair.first.clusters.level,
        "status": "too-few-clusters" if few else pair.status,
    }


def _names(pair: Pair) -> _Row:
    return {"item": pair.first.item.name, "other": pair.second.item.name, "paired": "yes" if pair.paired else "no"}


def _apart(pair: Pair, one: Measure) -> str:
    """Return how two items' definitions of a measure differ, "" when they are alike."""
    return "; ".join(filter(None, (pair.other_gold, unlike(pair.first.item, pair.second.item, one))))


def _missing(pair: Pair, one: Measure) -> str:
    """Return why there is no difference, "" when there is one."""
    for side in pair.sides:
        found = side.estimate(one)
        if math.isnan(found.value):
            return f"{side.item.name}: {found.note or 'it is not defined'}"
        if math.isnan(side.measured[one.name].value):
            return f"{side.item.name}: its results do not keep what it is made of by utterance"
    return ""


def ranking_table(items: Sequence[Numbers], pairs: Sequence[Pair], tests: pd.DataFrame) -> pd.DataFrame:
    """Return ranking.tsv: of each measure the best value first, with the letters of its own tests."""
    rows: list[tuple[object, ...]] = []
    for one in ranked():
        known = [item for item in items if not math.isnan(item.estimate(one).value)]
        known.sort(key=lambda item: item.estimate(one).value, reverse=one.direction == "higher")
        own = tests[tests["measure"] == one.name]
        q = dict(zip(zip(own["item"], own["other"], strict=True), own["q"], strict=True))
        groups = letters_of_tests([item.item.name for item in known], q)
        apart = "yes" if any(_apart(pair, one) for pair in pairs) else ""
        level = None if named(one.name) else next((made for made in derived(one.name) if made.kind == "level"), None)
        for item in known:
            number, name = item.estimate(one), item.item.name
            chance = 0.0 if one.of else _stored(item, level)  # a skill of 0 is chance
            floor = _stored(item, measure(f"floor_{one.name}")) if level else math.nan
            rows.append((one.name, name, number.value, number.low, number.high, chance, floor, groups[name], apart))
    return table_of("comparison/ranking", rows)


def _stored(item: Numbers, one: Measure | None) -> float:
    row = None if one is None else item.item.stored(one.name, one.variant)
    return math.nan if row is None else float(row["value"])


def _phone_rows(pair: Pair) -> Iterator[_Row]:
    """Yield accuracy and entropy of the gold phones that both items have."""
    tokens, other_tokens = (side.phones["tokens"] for side in pair.sides)
    phones = [str(phone) for phone in tokens.index[tokens > 0] if other_tokens.get(phone, 0) > 0]
    for name, like in _PHONES.items() if phones else ():
        values = np.array([side.phones.loc[phones, name].to_numpy(float) for side in pair.sides])
        apart = pair.spread(*(side.of_phones(name, phones) for side in pair.sides))
        numbers = np.array([tokens[phones].to_numpy(float), other_tokens[phones].to_numpy(float)])
        beside = {"unit": measure(like).unit, "unlike": _apart(pair, measure(like))}
        for place, row in enumerate(_rows(pair, values, apart, numbers)):
            lost = [side.item.name for side, value in zip(pair.sides, values[:, place], strict=True) if value != value]
            note = {"note": f"{lost[0]}: {_DELETED}", "status": "undefined"} if lost else {}
            yield {**row, **note, "phone": phones[place], "measure": name, **beside}


def _rows(pair: Pair, values: Floats, apart: Spread, tokens: Floats) -> Iterator[_Row]:
    """Yield the rows of K differences of values [2, K] of so many tokens, [2, K]."""
    spreads = zip(apart.variance, apart.freedom, apart.clusters, apart.few, strict=True)
    for (value, other), (n, other_n), spread in zip(values.T.tolist(), tokens.T.tolist(), spreads, strict=True):
        few = min(n, other_n) < FEW_TOKENS
        row = _difference(pair, value, other, Spread(*(np.array([one]) for one in spread)), tested=not few)
        constant = not row["status"] and row["test"] == "none" and not few
        status = {"status": "undefined"} if constant or (few and not row["status"]) else {}
        yield {
            **row,
            **status,
            "n": n,
            "other_n": other_n,
            "note": _FEW if few else _CONSTANT if constant else pair.weakness,
        }


def _feature_rows(pair: Pair) -> Iterator[_Row]:
    """Yield how often each feature changes, phone by phone, with a test, and how much of it is transferred."""
    table, other = (stored_features(side.item.manifest) for side in pair.sides)
    phones = [phone for phone in pair.first.item.stack.gold if phone in {*pair.second.item.stack.gold}]
    if table is None or other is None or not phones:
        return
    beside = {"unit": "ratio", "unlike": _apart(pair, measure("per_aligned"))}
    shares, number, apart = pair.changes(phones, table)
    tokens = np.repeat(number[:, None], len(table.features), axis=1)
    for feature, row in zip(table.features, _rows(pair, shares, apart, tokens), strict=True):
        yield {**row, "feature": feature, "measure": "changed", **beside}
    transfers = np.array([side.transfer(table) for side in pair.sides])
    for feature, row in zip(table.features, _rows(pair, transfers, apart, np.nan * tokens), strict=True):
        untested = {"p": math.nan, "test": "none", "status": pair.status or "undefined", "note": _TRANSFER}
        row |= {"difference_low": math.nan, "difference_high": math.nan, "feature": feature, "measure": "transfer"}
        yield {**row, **untested, **beside}


def _contrast_rows(pair: Pair) -> Iterator[_Row]:
    """Yield the Jensen–Shannon divergence of each contrast for which both items have one."""
    tables = [side.item.contrasts for side in pair.sides]
    if any(table is None for table in tables):
        return
    first, second = (one.set_index(["phone", "other"])["js"].dropna() for one in tables if one is not None)
    both = [(str(phone), str(other)) for phone, other in first.index.intersection(second.index, sort=False)]
    values = np.array([own[both].to_numpy(float) for own in (first, second)])
    beside = {"unlike": _apart(pair, measure("per_aligned"))}
    for (phone, other), row in zip(both, _rows(pair, values, pair.contrasts(both), np.nan * values), strict=True):
        del row["n"], row["other_n"]
        yield {**row, "phone": phone, "other_phone": other, **beside}


def _cell_rows(pair: Pair) -> Iterator[_Row]:
    apart = _apart(pair, measure("per_aligned"))
    cells = (side.cells for side in pair.sides)
    for row in cell_differences(*cells, same=pair.paired, tested=pair.test != "none"):
        yield {**_names(pair), **row, "status": pair.status or row["status"], "unlike": apart}

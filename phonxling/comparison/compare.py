"""Two or more finished results side by side: every measure with its difference, tests, and what is not alike.

A row of a table holds both values, their difference with its interval, p, and a note that says why something is not
tested, what weakens it, or what is not defined alike. q and the number of comparisons are put beside p at the end.
"""

import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

import numpy as np
import pandas as pd

from phonxling.analyses.differences import cell_differences
from phonxling.analyses.discriminability import Heard, divergence
from phonxling.analyses.measures import Measure, compared, derived, measure
from phonxling.analyses.orders import letters
from phonxling.analyses.statistics import named
from phonxling.comparison.items import (
    Item,
    coarser,
    held,
    ranked,
    read_items,
    refuse_unlike,
    settings_table,
    signature_of,
    symbol_sets,
    unlike,
)
from phonxling.comparison.pairs import (
    Measured,
    Numbers,
    Pair,
    approximate_randomisation,
    measured,
    pairs_of,
    refuse_unpaired,
)
from phonxling.core.arrays import Floats
from phonxling.core.display import Shown, counted, listed
from phonxling.core.errors import ConfigurationError
from phonxling.core.estimate import SIGNIFICANT
from phonxling.core.work import Progress, Silent, one_thread
from phonxling.resample.p_values import adjusted
from phonxling.resample.replicates import TokenGroups
from phonxling.resample.two_corpora import FEW_TOKENS
from phonxling.settings.models import LARGEST_SEED, MOST_RESAMPLES
from phonxling.tables.files import NOT_ALIKE, table_of

Paired = Literal["auto", "yes", "no"]
Correction = Literal["benjamini-hochberg", "holm"]
RANDOMISATION = "approximate randomisation"
_PARTS = {  # what is compared by phone and by feature, and the measure whose definition it shares
    "phone": {"accuracy": "per_aligned", "entropy": "conditional_entropy"},
    "feature": {"changed": "per_aligned", "transfer": "per_aligned"},
}
_UNDEFINED = {
    "phone": "not defined, because all its tokens were deleted",
    "feature": "not defined: no substitution of phones with features, or the feature has one value only",
}
_CONSTANT = "no test: the resampled values do not differ"
_NOT_TESTED = "not tested: the resampled values of an item do not differ, or are of fewer than five effective clusters"
_Row = dict[str, object]


@dataclass(frozen=True, slots=True)
class Choices:
    """What `compare` takes; ConfigurationError for a choice that there is not."""

    against: str | None = None
    allow_different: bool = False
    paired: Paired = "auto"
    correction: Correction = "benjamini-hochberg"
    resamples: int | None = None
    seed: int | None = None

    def __post_init__(self) -> None:
        for name, most in (("resamples", MOST_RESAMPLES), ("seed", LARGEST_SEED)):
            if (getattr(self, name) or 0) > most:
                raise ConfigurationError(f"{name}: may be at most {most:,}, not {getattr(self, name)}")
        for name, allowed in (("paired", get_args(Paired)), ("correction", get_args(Correction))):
            if getattr(self, name) not in allowed:
                raise ConfigurationError(f"{name}: '{getattr(self, name)}' is none of {', '.join(allowed)}")


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Comparison(Shown):
    """Results beside each other.

    Parameters
    ----------
    items : tuple of str
        What was compared: corpora, folders, or folder:corpus.
    comparison : DataFrame
        Each measure of each pair: values, difference with interval, p, q, test, number of comparisons.
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
    correction: Correction = "benjamini-hochberg",
    resamples: int | None = None,
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
        Whether items of the same utterances are resampled together; `yes` refuses any other.
    correction : {"benjamini-hochberg", "holm"}
        How p-values are corrected over a family: all tests of one kind in one table.
    resamples, seed : int, optional
        Of the bootstrap; by default the most that the results have, and the first one's.

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
    choices = Choices(against, allow_different, paired, correction, resamples, seed)
    return compare_items(read_items([Path(folder) for folder in results], Silent()), choices, Silent())


@one_thread()
def compare_items(items: Sequence[Item], choices: Choices, progress: Progress) -> Comparison:
    """Return items side by side; errors as for `compare`."""
    if len(items) < 2:
        only = ", ".join(f"{item.corpus} of {item.folder}" for item in items) or "nothing"
        raise ConfigurationError(f"a comparison needs two or more corpora with predictions; here is {only}")
    most = max(int(item.settings["uncertainty"]["resamples"]) for item in items)
    resamples = most if choices.resamples is None else choices.resamples
    if resamples < 2:
        raise ConfigurationError("a comparison needs resamples; say --resamples 1000")
    seed, correction = seed_of(items, choices), choices.correction
    sides = measured(items, paired=choices.paired != "no", resamples=resamples, seed=seed)
    pairs = pairs_of(sides, choices.against)
    if not choices.allow_different:
        golds = [pair.other_gold for pair in pairs if pair.other_gold]
        coarsest = (coarser(pair.first.item, pair.second.item) for pair in pairs if pair.other_gold)
        refuse_unlike(items, golds=golds, symbols=next(filter(None, coarsest), ""))
    if choices.paired == "yes":
        refuse_unpaired(pairs)
    _say(items, pairs, progress)
    for one in sides:
        progress.step(f"resampling {one.item.name}")
        _ = one.estimates, one.confusions  # what takes long
    progress.step("testing")
    kinds: dict[str, Callable[[Pair], Iterator[_Row]]] = {
        "comparison": lambda pair: _measure_rows(pair, seed),
        "phones": lambda pair: _part_rows(pair, "phone"),
        "features": lambda pair: _part_rows(pair, "feature"),
        "contrasts": _contrast_rows,
        "cells": _cell_rows,
    }
    tables = {}
    for name, rows in kinds.items():
        table = table_of(f"comparison/{name}", (row for pair in pairs for row in rows(pair)))
        # a family is one kind of test, in which bootstraps are one; of cells, a pair
        pair_of = table["item"] + "\n" + table["other"]
        family = table["test"].str.replace(r"^(un)?paired ", "", regex=True) if "test" in table else pair_of
        tables[name] = _corrected(table, family, correction)
    return Comparison(
        items=tuple(item.name for item in items),
        **tables,
        ranking=ranking_table(sides, pairs, tables["comparison"]),
        settings=settings_table(items),
    )


def seed_of(items: Sequence[Item], choices: Choices) -> int:
    """Return the seed of everything random: the one chosen, else the first result's."""
    return int(items[0].settings["seed"]) if choices.seed is None else choices.seed


def _corrected(table: pd.DataFrame, family: pd.Series, correction: Correction) -> pd.DataFrame:
    """Return a table with q and the number of comparisons, over the rows of one family each."""
    q, number = np.full(len(table), np.nan), np.zeros(len(table), dtype=np.int64)
    for one in family.unique():
        rows = (family == one).to_numpy()
        p = table.loc[rows, "p"].to_numpy(float)
        q[rows], number[rows] = adjusted(p, correction), int(np.isfinite(p).sum())
    return table.assign(q=q, comparisons=number, correction=correction)


def _say(items: Sequence[Item], pairs: Sequence[Pair], progress: Progress) -> None:
    if len(pairs) == 1:
        progress.say(f"{pairs[0].first.item.name} and {pairs[0].second.item.name}: {pairs[0].relation}")
    else:
        relations = Counter(pair.relation for pair in pairs)
        kinds = "; ".join(f"{number} with {relation}" for relation, number in relations.items())
        progress.say(f"{len(items)} items, {len(pairs)} pairs: {kinds}")
    for place, side in enumerate(("gold", "predicted")):
        sets = held((item.name, symbol_sets(item)[place]) for item in items)
        if len(sets) > 1:
            progress.say(f"note: {side} phones are in other symbol sets: {'; '.join(sets)}")
    versions = dict.fromkeys(str(item.manifest["phonxling"]) for item in items)
    if len(versions) > 1:
        progress.say(f"the results were made by different versions of phonxling: {', '.join(versions)}")


def ranking_table(items: Sequence[Measured], pairs: Sequence[Pair], tests: pd.DataFrame) -> pd.DataFrame:
    """Return ranking.tsv; of each measure the best value first, skill where an item has no attainable skill."""
    rows: list[tuple[object, ...]] = []
    for one in ranked():
        estimates = [item.estimates for item in items]
        if one.kind == "attainable" and any(
            math.isnan(own[one.name].value) and not math.isnan(own[f"skill_{one.of}"].value) for own in estimates
        ):
            one = measure(one.name.removeprefix("attainable_"))
        known = [item for item in items if not math.isnan(item.estimates[one.name].value)]
        known.sort(key=lambda item: item.estimates[one.name].value, reverse=one.direction == "higher")
        groups = _groups([item.item.name for item in known], tests[tests["measure"] == one.name])
        apart = "not defined alike in all items: see comparison.tsv" * any(_apart(pair, one) for pair in pairs)
        level = None if named(one.name) else next((own for own in derived(one.name) if own.kind == "level"), None)
        for item in known:
            number, name = item.estimates[one.name], item.item.name
            row = item.item.stored(level.name, level.variant) if level else None
            floor = item.item.stored(f"floor_{one.name}")
            chance = (0.0 if one.of else math.nan) if row is None else row["value"]  # skill: nothing was heard
            least = math.nan if floor is None else floor["value"]
            numbers = number.value, number.low, number.high, chance, least
            rows.append((one.name, name, *numbers, groups.get(name, ""), apart))
    return table_of("comparison/ranking", rows)


def _groups(names: Sequence[str], tests: pd.DataFrame) -> Mapping[str, str]:
    """Return the letters of items; none where not all pairs were compared, or nothing could be tested."""
    own = tests[tests["test"].str.endswith("bootstrap")]
    if len(own) < math.comb(len(names), 2) or own["q"].isna().all():
        return {}
    apart = own[(own["q"] < SIGNIFICANT) & own["item"].isin(names) & own["other"].isin(names)]
    return letters(names, list(zip(apart["item"], apart["other"], strict=True)))


def _row(pair: Pair, values: tuple[float, float]) -> _Row:
    """Return the columns that all rows of a pair have."""
    return {
        "item": pair.first.item.name,
        "value": values[0],
        "other": pair.second.item.name,
        "other_value": values[1],
        "difference": values[0] - values[1],
        "test": "paired bootstrap" if pair.paired else "unpaired bootstrap",
        "paired": "yes" if pair.paired else "no",
        "level": pair.first.resampling.level,
    }


def _apart(pair: Pair, one: Measure) -> str:
    """Return how two items' definitions of a measure differ, "" when they are alike."""
    differ = _joined(pair.other_gold, unlike(pair.first.item, pair.second.item, one.name, one.variant))
    return f"{NOT_ALIKE}{differ}" if differ else ""


def _joined(*notes: object) -> str:
    return "; ".join(str(note) for note in notes if note)


def _measure_rows(pair: Pair, seed: int) -> Iterator[_Row]:
    tests, spread = pair.tests(pair.first.compared, pair.second.compared)
    rows: dict[str, _Row] = {}  # without limits and p
    for one, shown, share in zip(compared(), tests, spread.lost, strict=True):
        first, second = (side.estimates[one.name] for side in pair.sides)
        signatures = dict.fromkeys(signature_of(side.item, one.name, one.variant) for side in pair.sides)
        apart, missing = _apart(pair, one), _missing(pair, one)
        lost = f"{share:.0%} of the replicates have no value" * bool(share)
        constant = (pair.untested or _CONSTANT) if math.isnan(shown["p"]) else ""
        rows[one.name] = {
            **_row(pair, (first.value, second.value)),
            "measure": one.name,
            "variant": one.variant,
            "low": first.low,
            "high": first.high,
            "other_low": second.low,
            "other_high": second.high,
            "n": pair.first.tokens.sum(),
            "other_n": pair.second.tokens.sum(),
            "unit": one.unit,
            "note": apart,
            "signatures": " / ".join(signatures),
        }
        yield {
            **rows[one.name],
            **shown,
            "note": _joined(missing, apart) if missing else _joined(constant, pair.weakness, lost, apart),
        }
    if pair.paired and not pair.untested:
        for name, p in _randomised(pair, seed):
            yield {**rows[name], "p": p, "test": RANDOMISATION}


def _missing(pair: Pair, one: Measure) -> str:
    """Return why there is no difference, "" when there is one."""
    side = next((side for side in pair.sides if math.isnan(side.estimates[one.name].value)), None)
    if side is None:
        return ""
    why = "its results do not keep what it is made of by utterance" if one.of else "it is not defined"
    row = side.item.stored(one.name, one.variant) or side.item.stored(one.of or one.name)
    if row is not None and row["note"] and math.isnan(row["value"]):
        why = row["note"]
    return f"{side.item.name}: {why}"


def _randomised(pair: Pair, seed: int) -> Iterator[tuple[str, float]]:
    """Yield the p of rates, then of statistics, when the two systems' outputs of a cluster are swapped."""
    drawn, rates = pair.first.resampling, [one for one in compared() if not (one.of or named(one.name))]
    errors = [drawn.by_cluster(pair.first.errors(one.name) - pair.second.errors(one.name)) for one in rates]
    p = approximate_randomisation(np.nan_to_num(np.stack(errors, axis=1)), seed)
    yield from ((one.name, value) for one, value in zip(rates, p.tolist(), strict=True) if not _missing(pair, one))
    yield from ((name, value) for name, value in pair.randomised(seed).items() if not math.isnan(value))


def _part_rows(pair: Pair, kind: str) -> Iterator[_Row]:
    """Yield the rows of all measures of the gold phones that both items have, or of features."""
    if kind == "phone":
        first, second = (side.phone_tokens for side in pair.sides)
        parts = [phone for phone in first.index[first > 0] if second.get(phone, 0) > 0]
    else:
        tables = [side.features for side in pair.sides]
        parts = list(tables[0].features) if tables[0] and tables[1] else []
    for name, like in _PARTS[kind].items() if parts else ():
        (own, tokens), (other, other_tokens) = (_part(side, kind, name, parts) for side in pair.sides)
        apart, values_of = _apart(pair, measure(like)), zip(own[0].tolist(), other[0].tolist(), strict=True)
        numbers = zip(parts, values_of, tokens, other_tokens, pair.tests(own, other)[0], strict=True)
        for part, values, n, other_n, shown in numbers:
            if few := min(n, other_n) < FEW_TOKENS:
                shown = dict.fromkeys(shown, math.nan)
            undefined = (
                f"{side.item.name}: {_UNDEFINED[kind]}"
                for side, value in zip(pair.sides, values, strict=True)
                if math.isnan(value)
            )
            why = next(undefined, f"not tested: fewer than {FEW_TOKENS} tokens" if few else pair.untested)
            yield {
                **_row(pair, values),
                kind: part,
                "measure": name,
                **shown,
                "n": n,
                "other_n": other_n,
                "unit": measure(like).unit,
                "note": _joined(why or (_NOT_TESTED if math.isnan(shown["p"]) else pair.weakness), apart),
            }


def _part(side: Measured, kind: str, name: str, parts: Sequence[str]) -> tuple[Numbers, Floats]:
    """Return a measure of these phones or features, and the tokens that it is of."""
    value, drawn, clusters = side.confusions[kind, name]
    if kind == "feature":
        counts = side.item.stack.total()
        same = counts.substitutions[counts.same_symbol()].sum() if name == "changed" else 0.0
        return (value, drawn, clusters), np.full(len(parts), counts.substitutions.sum() - same)
    path, tokens = side.item.path, side.phone_tokens[list(parts)].to_numpy(float)
    codes, phones = [path.gold_inventory.code(phone) for phone in parts], len(path.gold_inventory)
    said, owner = path.gold.astype(np.int64), path.pair_utterances()
    _, number = TokenGroups(said, phones, owner, side.resampling).clusters()
    return (value[codes], np.ascontiguousarray(drawn[:, codes]), number[codes]), tokens


def _contrast_rows(pair: Pair) -> Iterator[_Row]:
    """Yield the Jensen–Shannon divergence of each contrast for which both items have one."""
    tables = [side.item.contrasts for side in pair.sides]
    if any(table is None for table in tables):
        return
    first, second = (one.set_index(["phone", "other"])["js"].dropna() for one in tables if one is not None)
    both = [(str(phone), str(other)) for phone, other in first.index.intersection(second.index, sort=False)]
    numbers = []
    for side, js in zip(pair.sides, (first, second), strict=True):
        heard = Heard(side.item.stack, side.resampling)
        rows = np.array([[heard.gold.code(phone) for phone in cell] for cell in both], dtype=np.int64).reshape(-1, 2)
        drawn = np.array([divergence(*map(heard.drawn.of, row)) for row in rows]).reshape(len(rows), -1).T
        numbers.append((js[both].to_numpy(float), drawn, heard.clusters[rows].min(axis=1)))
    apart, values = _apart(pair, measure("per_aligned")), zip(numbers[0][0], numbers[1][0], strict=True)
    for (phone, other), value, shown in zip(both, values, pair.tests(*numbers)[0], strict=True):
        why = pair.untested or (_NOT_TESTED if math.isnan(shown["p"]) else pair.weakness)
        yield {**_row(pair, value), "phone": phone, "other_phone": other, **shown, "note": _joined(why, apart)}


def _cell_rows(pair: Pair) -> Iterator[_Row]:
    apart = _apart(pair, measure("per_aligned"))
    names = {"item": pair.first.item.name, "other": pair.second.item.name, "paired": "yes" if pair.paired else "no"}
    for row in cell_differences(*(side.cells for side in pair.sides), same=pair.paired):
        yield {**names, **row, "note": _joined(row["note"] or pair.weakness, apart)}

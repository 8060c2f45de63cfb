"""Two or more finished results side by side: every measure with its difference, tests, and what is not alike."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

import numpy as np
import pandas as pd

from phonxling.comparison.agreement import agreement_table, groups_of
from phonxling.comparison.items import Item, read_items
from phonxling.comparison.measured import measured
from phonxling.comparison.other_gold import coarser, held, refuse_unlike, settings_table, symbol_sets
from phonxling.comparison.pairs import Pair, pairs_of, refuse_unpaired
from phonxling.comparison.rows import cell_table, comparison_table, part_table, ranking_table
from phonxling.comparison.suspects import suspect_table
from phonxling.core.arguments import checked_types
from phonxling.core.display import Shown, counted, listed
from phonxling.core.errors import ConfigurationError
from phonxling.core.work import Progress, Silent
from phonxling.resample.p_values import adjusted, one_thread
from phonxling.settings.sections import LARGEST_SEED, MOST_RESAMPLES

Paired = Literal["auto", "yes", "no"]
Correction = Literal["benjamini-hochberg", "holm"]


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
    cells : DataFrame
        Differences of p(predicted | gold), of the cells with tokens enough in both.
    ranking : DataFrame
        Each item's rates, information and chance levels, best first.
    agreement : DataFrame
        What each two items with the same gold phones get wrong together; no rows where none have.
    suspects : DataFrame
        Tokens that all items with the same gold phones hear alike against it, the most suspect first.
    settings : DataFrame
        The settings in which items differ.
    """

    items: tuple[str, ...]
    comparison: pd.DataFrame
    phones: pd.DataFrame
    features: pd.DataFrame
    cells: pd.DataFrame
    ranking: pd.DataFrame
    agreement: pd.DataFrame
    suspects: pd.DataFrame
    settings: pd.DataFrame

    def _facts(self) -> Iterator[str]:
        yield f"{len(self.items)} items: {listed(self.items)}"
        yield counted(len(self.comparison), "difference")
        yield f"{counted(len(self.settings), 'row')} of settings in which they differ" if len(self.settings) else ""

    def to_frame(self) -> pd.DataFrame:
        """Return the differences: `comparison`."""
        return self.comparison


@checked_types
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
    comparison, phones, features = (  # a family is one kind of test: bootstraps are one
        _corrected(table, table["test"].str.replace(r"^(un)?paired ", "", regex=True), correction)
        for table in (comparison_table(pairs, seed), part_table(pairs, "phone"), part_table(pairs, "feature"))
    )
    cells, groups = cell_table(pairs), groups_of(sides)
    return Comparison(
        items=tuple(item.name for item in items),
        comparison=comparison,
        phones=phones,
        features=features,
        cells=_corrected(cells, cells["item"] + "\n" + cells["other"], correction),
        ranking=ranking_table(sides, pairs, comparison),
        agreement=agreement_table(pairs, groups, correction),
        suspects=suspect_table(groups),
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

"""How many speakers and utterances are enough, from the variances that finished results show."""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from phonxling.comparison.items import read_items
from phonxling.comparison.measured import measured
from phonxling.comparison.planning.designs import Wanted, rows_of
from phonxling.comparison.planning.pilot import pilots
from phonxling.core.display.shown import Shown, counted, listed
from phonxling.core.interface.arguments import checked_types
from phonxling.core.progress import Progress, Silent
from phonxling.store.folder import reading
from phonxling.tables.files import table_of


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Plan(Shown):
    """What designs of a study would find.

    Parameters
    ----------
    table : DataFrame
        A row a design: speakers, utterances of each, standard error, least difference, assurance. The first
        row of an item is the design that was asked for first, or that of the results themselves. docs/tables.md.
    """

    table: pd.DataFrame

    def _facts(self) -> Iterator[str]:
        first = self.table.drop_duplicates(["item", "other"])
        yield f"{first['measure'].iloc[0]} of {listed(dict.fromkeys(first['item']))}"
        for row in first.to_dict("records"):
            number = f"{row['speakers']:g} speakers × " if row["speakers"] == row["speakers"] else ""
            least = f"{row['least_difference']:.3g} with an assurance of {row['power']:.0%}"
            yield f"{number}{row['utterances']:g} utterances find {least}" + ", paired" * (row["paired"] == "yes")
        yield counted(len(self.table), "design")

    def to_frame(self) -> pd.DataFrame:
        """Return the designs: `table`."""
        return self.table


@checked_types
def plan(
    results: str | Path | Sequence[str | Path],
    *,
    corpus: str | None = None,
    measure: str | None = None,
    difference: float | None = None,
    power: float = 0.8,
    speakers: Sequence[int] | None = None,
    utterances: Sequence[int] | None = None,
) -> Plan:
    """Return what studies of so many speakers and utterances would find, from stored results alone.

    The measure is a ratio R = Σ a / Σ b over utterances; one of them moves it by y = (a − R b) / mean(b). An analysis
    of variance gives the variance of y between speakers, τ², and within them, σ². C speakers of U utterances then have
    the standard error √((τ² + σ²/U) / C). The least difference is what a two-sided t test finds with the assurance
    `power`, its probability averaged over the τ² and σ² that the results leave possible: between two independent
    corpora of that design (2 (C − 1) degrees of freedom), and, where two of the items have the same utterances, between
    two systems on one corpus (C − 1).

    Parameters
    ----------
    results : path, or list of paths
        Folders of finished results: one or more items, as for `compare`.
    corpus : str, optional
        Plan with this corpus alone.
    measure : str, optional
        A ratio that `compare` knows: wper (default, per where there is none), per, per_aligned, accuracy,
        substitution_rate, deletion_rate, insertion_rate, skill_per, skill_wper, attainable_skill_per,
        attainable_skill_wper.
    difference : float, optional
        In the unit of the measure, above 0: with which assurance designs find it, and how many speakers that needs.
    power : float
        From 0.5 to below 1.
    speakers, utterances : list of int, optional
        Designs: speakers (2 or more), utterances of each. Of results without speakers: utterances of all.

    Raises
    ------
    ConfigurationError
        If there is no such corpus or measure; if a number is out of its range; if a folder is given twice.
    DataError
        If a folder holds no finished results, or a table has changed.
        If there is one speaker only, or (no speakers being known) one utterance.
        If an item has no such measure by utterance.

    References
    ----------
    Searle, Casella & McCulloch (1992), chapter 3. Cochran (1977), chapters 6 and 10. O'Hagan, Stevens &
    Campbell (2005).

    Examples
    --------
    `px.plan("results/demo", corpus="yoruba", difference=0.02).table`
    """
    folders = [results] if isinstance(results, str | Path) else [*results]
    wanted = Wanted(difference, power, tuple(speakers or ()), tuple(utterances or ()))
    return planned([Path(folder) for folder in folders], wanted, Silent(), corpus=corpus, measure=measure)


def planned(
    folders: Sequence[Path], wanted: Wanted, progress: Progress, *, corpus: str | None, measure: str | None
) -> Plan:
    """Return the plan of finished results; errors as for `plan`."""
    with ExitStack() as readings:
        for folder in folders:
            readings.enter_context(reading(folder))
        items = read_items(folders, progress, corpus)
    sides = measured(items, paired=True, resamples=0, seed=0)
    known = [*pilots(sides, measure, progress)]
    if wanted.speakers and not all(pilot.by_speaker for pilot in known):
        progress.say("note: where speakers are not known, --utterances are those of all, and --speakers is not used")
    return Plan(table=table_of("plan/plan", (row for pilot in known for row in rows_of(pilot, wanted))))

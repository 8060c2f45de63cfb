"""What a person sees in the terminal: the progress bar on standard error, and numbers as a table.

The bar comes first, so what brings pandas or computes is imported where numbers are shown.
"""

import math
import sys
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from textwrap import fill
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from rich.cells import cell_len, set_cell_size
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, Task, TextColumn, TimeElapsedColumn
from rich.table import Column, Table
from rich.text import Text

from phonxling.analyses.measures import headline as headline_measures, measure, scored
from phonxling.core.errors import from_here, printable, whole_message
from phonxling.report.numbers import rounded

if TYPE_CHECKING:
    import pandas as pd

    from phonxling.experiment.scoring import Score


_FRAME = 3  # what a column of a table takes beside its text
_IMPORTANT = ("wper", "skill_wper", "per", "chance_wper")  # where a terminal is narrow
_PAUSE = 0.2  # seconds between two counts
_MOST, _REASONS = 24, 5  # rows of a comparison; why items are not alike
_FEW = 10  # rows of a score
_NARROW = 4  # columns of a table where a terminal is narrow
_WIDTH = 80  # letters of a line of words in a wider terminal
_Row = dict[str, Any]


class _Steps(MofNCompleteColumn):
    """How many steps are done, once it is known of how many."""

    def render(self, task: Task) -> Text:
        return Text() if task.total is None else super().render(task)


class Bar:
    """A progress bar on standard error, in a terminal; no messages when quiet, every step when verbose."""

    def __init__(self, *, quiet: bool, verbose: bool = False) -> None:
        self._quiet, self._verbose, self._clock = quiet, verbose, time.perf_counter()
        self._console = Console(stderr=True, highlight=False, markup=False, emoji=False)  # data may look like either
        columns = TextColumn("{task.description}", markup=False), BarColumn(), _Steps(), TimeElapsedColumn()
        shown = sys.stderr.isatty() and not quiet  # rich takes a notebook's pipe for a terminal, by FORCE_COLOR
        self._progress = Progress(*columns, console=self._console, transient=True, disable=not shown)
        self._task = self._progress.add_task("loading libraries", total=None)
        self._done = self._total = 0
        self._label, self._frames, self._began, self._told = "", 0, self._clock, self._clock

    def __enter__(self) -> Self:
        self._progress.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._progress.stop()

    def begin(self, steps: int) -> None:
        self._total += steps
        self._progress.update(self._task, total=self._total)

    def step(self, label: str) -> None:
        self._done += 1
        self._label, self._frames, self._began, self._told = label, 0, time.perf_counter(), time.perf_counter()
        grown = max(self._total, self._done) if self._total else None
        self._progress.update(self._task, description=printable(label), completed=self._done - 1, total=grown)
        if self._verbose:
            self.say(f"{time.perf_counter() - self._clock:7.1f} s  {label}")

    def frames(self, number: int) -> None:
        """Show how many frames this step has read, and how many a second, a few times a second."""
        self._frames, now = self._frames + number, time.perf_counter()
        if now - self._told > _PAUSE:
            self._told, rate = now, self._frames / (now - self._began)
            told = f"{self._label}: {self._frames:,} frames, {rate:,.0f} a second"
            self._progress.update(self._task, description=told)

    def shards(self, done: int, total: int) -> None:
        """Show how many shards of a longer computation are done, where the step does not count frames."""
        now = time.perf_counter()
        if total > 1 and not self._frames and now - self._told >= _PAUSE:
            self._told = now
            self._progress.update(self._task, description=f"{self._label}: shard {done} of {total}")

    def say(self, message: str) -> None:
        if not self._quiet:
            wide = not self._console.is_terminal  # in a pipe, lines are as long as they are
            self._console.print(whole_message(from_here(message)), soft_wrap=wide)

    def detail(self, message: str) -> None:
        if self._verbose:
            self.say(message)


def headline(folder: Path) -> str:
    from phonxling.report.findings import numbers_alone, order_sentences
    from phonxling.report.sections import rate_in_words, verdict_sentences
    from phonxling.results.folder import read_manifest

    corpora = numbers_alone(folder)
    defined = {key for numbers in corpora.values() for key, number in numbers.by_name.items() if number.defined}
    measures = [one for one in headline_measures() if one.short and (one.name, one.variant) in defined]
    cells = [
        [one.short, *(str(numbers.get(one.name, one.variant)) or "–" for numbers in corpora.values())]
        for one in measures
    ]
    titles = {name: numbers.title(name) for name, numbers in corpora.items()}
    names = ["corpus", *titles.values()]
    shown = _fitting(names, dict(zip([one.name for one in measures], cells, strict=True)))
    table = _table(
        [names[0], *(column[0] for column in shown)], zip(names[1:], *(column[1:] for column in shown), strict=True)
    )
    lines = [f"{titles[name]}: {sentence}" for name, one in corpora.items() for sentence in verdict_sentences(one)]
    alignment = read_manifest(folder)["configuration"]["alignment"]
    rates = dict.fromkeys(rate_in_words(numbers, alignment) for numbers in corpora.values() if numbers.rate.defined)
    lines += order_sentences(folder, titles)
    return "\n".join([table, *map(_wrapped, [*rates, *lines]), f"results: {folder}", f"figures: {folder / 'figures'}"])


def _fitting(names: Sequence[str], columns: Mapping[str, Sequence[str]]) -> list[Sequence[str]]:
    """Return the columns that the terminal has room for beside the names, the most important served first."""
    most = _NARROW - 1 if _columns() <= _WIDTH else len(columns)
    room = _columns() - min(max(map(cell_len, names)), _columns() // 3) - _FRAME - 1
    kept: dict[str, Sequence[str]] = {}
    for name in sorted(columns, key=lambda name: _IMPORTANT.index(name) if name in _IMPORTANT else len(_IMPORTANT)):
        head, *cells = columns[name]
        for form in ([head, *cells], [head, *(cell.partition(" [")[0] for cell in cells)]):
            needed = max(map(cell_len, form)) + _FRAME
            if needed <= room and name not in kept and len(kept) < most:
                kept[name], room = form, room - needed
    return [kept[name] for name in columns if name in kept]


def comparison_lines(folder: Path) -> Iterator[str]:
    """Yield a table of the differences of the measures that are ranked in a comparison, and where everything is."""
    from phonxling.report.findings import below_chance, undecided
    from phonxling.tables.files import read_table

    rows = _records(read_table(folder, "comparison.tsv"))
    yield from _not_alike(rows)
    places = {name: place for place, name in enumerate(dict.fromkeys(read_table(folder, "ranking.tsv")["measure"]))}
    chosen = sorted((row for row in rows if row["measure"] in places), key=lambda row: places[row["measure"]])
    heads = ["measure", "item", "value", "other", "value", "difference", "interval", "p", "q"]
    lines = [*map(_difference, chosen[:_MOST])]
    if _columns() <= _WIDTH:
        heads = ["measure", "items", "difference", "q"]
        lines = [[row[0], f"{row[1]}\n{row[3]}", f"{row[5]}\n{row[6]}".rstrip(), row[8]] for row in lines]
    yield _table(heads, lines, ruled=_columns() <= _WIDTH)
    if len(chosen) > _MOST:
        yield f"… and {len(chosen) - _MOST} more rows in {folder / 'comparison.tsv'}"
    yield from map(_wrapped, filter(None, [below_chance(chosen), *_tests(chosen), undecided(chosen)]))
    yield f"comparison: {folder}"


def _tests(rows: Sequence[_Row]) -> Iterator[str]:
    """Yield which tests there are, and what weakens them or why there are none, as the rows' notes say it."""
    kinds = " and ".join(dict.fromkeys(row["test"] for row in rows if row["test"] != "none"))
    if kinds:
        number = int(rows[0]["comparisons"])
        yield f"Tests: {kinds}; q: Benjamini and Hochberg over {number} comparisons, all in comparison.tsv"
    weak = [row for row in rows if row["status"] not in {"", "undefined", "not-above-chance"}]
    for note in [*dict.fromkeys(row["note"] for row in weak)][:_REASONS]:
        yield f"{'' if kinds else 'No test: '}{note}"


def _not_alike(rows: Sequence[_Row]) -> Iterator[str]:
    """Yield what is not alike in the items compared; nothing where all is."""
    marked = [row for row in rows if row["unlike"]]
    reasons: dict[str, list[str]] = {}
    for row in marked:
        pair = f"{row['item']} and {row['other']}"
        if pair not in reasons.setdefault(row["unlike"], []):
            reasons[row["unlike"]].append(pair)
    if reasons:
        yield "NOT ALIKE: what is marked ≠ differs in part by how the numbers were made, not by what was recognised"
        shown = [f"  {', '.join(pairs[:3])}{' …' * (len(pairs) > 3)}: {reason}" for reason, pairs in reasons.items()]
        yield from map(printable, shown[:_REASONS])
        yield f"  see `unlike` in {len(marked)} rows of comparison.tsv, and settings.tsv"


def score_lines(score: "Score") -> Iterator[str]:
    """Yield the verdict on a score, then its numbers with their limits and units, then what they rest on."""
    from phonxling.report.sections import rate_in_words

    yield from map(_wrapped, score.verdict)
    yield _wrapped(rate_in_words(score.findings, vars(score.experiment.alignment)))
    yield ""
    yield from _number_lines(list(_first(score)))
    skill = "" if score.findings.few else f"Skill: {measure('skill_per').reading} {score.intervals} "
    yield from ("", _wrapped(f"{skill}More numbers: --json."))
    yield from (_wrapped(f"note: {note}") for note in score.loaded.notes)
    yield f"signature: {score.signature}"


def columns(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    rows = [[*map(printable, row)] for row in rows]
    if not Console().is_terminal:
        yield from ("\t".join(row) for row in rows)
        return
    widths = [max(map(cell_len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        yield "  ".join(set_cell_size(cell, width) for cell, width in zip(row, widths, strict=True)).rstrip()


def _first(score: "Score") -> Iterator[_Row]:
    """Yield the first rows: of too few utterances the rates alone, beside what guessing scores."""
    numbers, by_name = score.findings, {(row["measure"], row["variant"]): row for row in score.numbers}
    known = (one for one in scored() if numbers.get(one.name).defined)
    alone = {"per", "wper", "chance_per", "chance_wper"} if numbers.few else {one.name for one in scored()}
    return islice((by_name[one.name, one.variant] for one in known if one.name in alone), _FEW)


def _number_lines(rows: Sequence[_Row]) -> Iterator[str]:
    """Yield a line of each number."""
    names = [row["measure"] for row in rows]
    numbers = [rounded(row["value"], row["low"], row["high"]) or "–" for row in rows]
    wide = [max(map(len, cells), default=0) for cells in (names, numbers, [row["unit"] for row in rows])]
    for row, name, number in zip(rows, names, numbers, strict=True):
        cells = zip((name, number, row["unit"]), wide, strict=True)
        yield printable("  ".join(f"{cell:<{width}}" for cell, width in cells)).rstrip()


def _wrapped(words: str) -> str:
    console = Console()
    if not console.is_terminal:
        return printable(words)
    return fill(printable(words), min(console.width, _WIDTH), break_on_hyphens=False)


def _records(table: "pd.DataFrame") -> list[_Row]:
    return [{str(name): value for name, value in row.items()} for row in table.to_dict("records")]


def _number(value: float) -> str:
    if math.isnan(value):
        return "–"
    return f"{value:,.0f}" if value == int(value) and abs(value) >= 2 else f"{value:z.4f}"


def _difference(row: _Row) -> list[str]:
    return [
        row["measure"] + " ≠" * bool(row["unlike"]),
        *(row["item"], _number(row["value"]), row["other"], _number(row["other_value"]), _number(row["difference"])),
        "" if math.isnan(row["difference_low"]) else f"[{row['difference_low']:z.4f}, {row['difference_high']:z.4f}]",
        *("< 0.0001" if p < 1e-4 else _number(p) for p in (row["p"], row["q"])),
    ]


def _columns() -> int:
    console = Console(highlight=False)
    return console.width if console.is_terminal else 240


def _table(heads: Iterable[str], rows: Iterable[Sequence[str]], *, ruled: bool = False) -> str:
    table = Table(*(Column(printable(head), overflow="fold") for head in heads), show_lines=ruled)
    for row in rows:
        table.add_row(*map(printable, row))
    narrow = Console(width=_columns(), highlight=False, color_system=None, markup=False, emoji=False)
    with narrow.capture() as caught:
        narrow.print(table)
    return caught.get().rstrip()

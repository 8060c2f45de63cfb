"""What a person sees in the terminal: the progress bar on standard error, and numbers as a table.

The bar comes first, so what brings pandas or computes is imported where numbers are shown.
"""

import math
import sys
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING, Any, Self

from rich.cells import cell_len, set_cell_size
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, Task, TextColumn, TimeElapsedColumn
from rich.table import Column, Table
from rich.text import Text

from phonxling.analyses.measures import headline as headline_measures, measure
from phonxling.core.errors import escape_unprintable, from_here, whole_message
from phonxling.report.numbers import probability, round_estimate, round_number

if TYPE_CHECKING:
    from phonxling.experiment.scoring import Score


_FRAME = 3  # what a column of a table takes beside its text
_IMPORTANT = ("wper", "skill_wper", "per", "chance_wper")  # where a terminal is narrow
_PAUSE = 0.2  # seconds between two counts
_MOST, _REASONS = 24, 5  # rows of a comparison; why items are not alike
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
        self._label, self._frames, self._began, self._shown_at = "", 0, self._clock, self._clock

    def __enter__(self) -> Self:
        self._progress.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._progress.stop()

    def begin(self, steps: int) -> None:
        self._total += steps
        self._progress.update(self._task, total=self._total)

    def step(self, label: str) -> None:
        self._done += 1
        self._label, self._frames, self._began, self._shown_at = label, 0, time.perf_counter(), time.perf_counter()
        grown = max(self._total, self._done) if self._total else None
        self._progress.update(self._task, description=escape_unprintable(label), completed=self._done - 1, total=grown)
        if self._verbose:
            self.say(f"{time.perf_counter() - self._clock:7.1f} s  {label}")

    def frames(self, number: int) -> None:
        """Show how many frames this step has read, and how many a second, a few times a second."""
        self._frames, now = self._frames + number, time.perf_counter()
        if now - self._shown_at > _PAUSE:
            self._shown_at, rate = now, self._frames / (now - self._began)
            pace = f"{self._label}: {self._frames:,} frames, {rate:,.0f} a second"
            self._progress.update(self._task, description=pace)

    def shards(self, done: int, total: int) -> None:
        """Show how many shards of a longer computation are done, where the step does not count frames."""
        now = time.perf_counter()
        if total > 1 and not self._frames and now - self._shown_at >= _PAUSE:
            self._shown_at = now
            self._progress.update(self._task, description=f"{self._label}: shard {done} of {total}")

    def say(self, message: str) -> None:
        if not self._quiet:
            # In a pipe, lines are as long as they are.
            self._console.print(whole_message(from_here(message)), soft_wrap=not self._console.is_terminal)


def headline(folder: Path) -> str:
    """Return the numbers of each corpus, what may be said of them, and where the page is."""
    from phonxling.core.errors import Note
    from phonxling.experiment.checking import merge_notes
    from phonxling.report.findings import numbers_alone, order_sentences
    from phonxling.report.sections import rate_in_words, verdict_sentences
    from phonxling.results.folder import PAGE, read_manifest

    corpora = numbers_alone(folder)
    defined = {key for numbers in corpora.values() for key, number in numbers.by_name.items() if number.defined}
    measures = [one for one in headline_measures() if one.short and (one.name, one.variant) in defined]
    cells = [
        [one.short, *(round_estimate(numbers.get(one.name, one.variant)) or "–" for numbers in corpora.values())]
        for one in measures
    ]
    titles = {name: numbers.title(name) for name, numbers in corpora.items()}
    names = ["corpus", *titles.values()]
    shown = _choose_columns(names, dict(zip([one.name for one in measures], cells, strict=True)))
    heads, *rows = zip(names, *shown, strict=True)
    table = _table(heads, rows)
    verdicts = [Note(titles[name], str(each)) for name, one in corpora.items() for each in verdict_sentences(one)]
    lines = merge_notes(verdicts, len(corpora), each=True)
    alignment = read_manifest(folder)["configuration"]["alignment"]
    rates = dict.fromkeys(rate_in_words(numbers, alignment) for numbers in corpora.values() if numbers.rate.defined)
    lines += order_sentences(folder, titles)
    page = folder / PAGE
    return "\n".join([table, *map(_wrap, [*rates, *lines]), str(page if page.exists() else folder)])


def _choose_columns(names: Sequence[str], columns: Mapping[str, Sequence[str]]) -> list[Sequence[str]]:
    """Return the columns that the terminal has room for beside the names, the most important served first."""
    most = _NARROW - 1 if _columns() <= _WIDTH else len(columns)
    room = _columns() - min(max(map(cell_len, names)), _columns() // 3) - _FRAME - 1
    kept: dict[str, Sequence[str]] = {}
    for name in sorted(columns, key=lambda name: _IMPORTANT.index(name) if name in _IMPORTANT else len(_IMPORTANT)):
        head, *cells = columns[name]
        # With its interval where there is room, else the number alone.
        for form in ([head, *cells], [head, *(cell.partition(" [")[0] for cell in cells)]):
            needed = max(map(cell_len, form)) + _FRAME
            if needed <= room and name not in kept and len(kept) < most:
                kept[name], room = form, room - needed
    return [kept[name] for name in columns if name in kept]


def comparison_lines(folder: Path) -> Iterator[str]:
    """Yield which item of a comparison is better, the numbers, what is not alike, and where the page is."""
    from phonxling.report.findings import judging_measure, settings_apart, verdict
    from phonxling.results.folder import PAGE, read_manifest
    from phonxling.results.tables import read_table

    differences, manifest = read_table(folder, "comparison/differences"), read_manifest(folder)
    rows = [{str(name): value for name, value in row.items()} for row in differences.to_dict("records")]
    words = verdict(differences, {name: name for name in manifest["items"]})
    yield from (_wrap(words), "")
    names, numbers, chosen = ["measure"], [rows[0]["item"], rows[0]["other"], "difference", "q"], rows
    # Of two items a table of measures, of several one measure of each pair.
    if several := len({(row["item"], row["other"]) for row in rows}) > 1:
        names, numbers = ["item", "other"], ["value", "other’s", "difference", "q"]
        chosen = [row for row in rows if row["measure"] == judging_measure(differences)]
        yield measure(chosen[0]["measure"]).title
    cells = []
    for row in chosen[:_MOST] if several else chosen:
        one, mark = measure(row["measure"]), " ≠" * bool(row["unlike"])
        named = [row["item"] + mark, row["other"]]
        named = named if several else [one.title + f" ({one.unit})" * (one.unit != "ratio") + mark]
        values = [round_number(row[name]) or "–" for name in ("value", "other_value", "difference")]
        cells.append([*named, *values, probability(row["q"]) or "–"])
    columns = [Column(escape_unprintable(head), overflow="fold") for head in names]
    columns += [Column(escape_unprintable(head), overflow="fold", justify="right", min_width=7) for head in numbers]
    table = _render_table(Table(*columns, box=None, pad_edge=False), cells, min(_columns(), _WIDTH))
    yield "\n".join(line.rstrip() for line in table.splitlines())
    if several and len(chosen) > _MOST:
        yield f"… and {len(chosen) - _MOST} more pairs in {folder / 'differences.tsv'}"
    lines = [*_notes_on_tests(rows), settings_apart(manifest["differ"], _REASONS)]
    yield from (_wrap(line) for line in lines if line not in words)  # nor what is said of two that are not tested
    yield f"comparison: {folder / PAGE if (folder / PAGE).exists() else folder}"


def _notes_on_tests(rows: Sequence[_Row]) -> Iterator[str]:
    """Yield which tests there are, what weakens them, as the rows' notes say it, and which items are not alike."""
    kinds = " and ".join(dict.fromkeys(row["test"] for row in rows if row["test"] != "none"))
    tests = sum(not math.isnan(row["p"]) for row in rows)
    if kinds:
        yield f"Tests: {kinds}. q: Benjamini and Hochberg over {tests} tests."
    weak = [row for row in rows if row["status"] not in {"", "undefined", "not-above-chance"}]
    yield from [*dict.fromkeys(row["note"] for row in weak)][:_REASONS]
    reasons: dict[str, dict[str, None]] = {}
    for row in rows:
        if row["unlike"]:
            reasons.setdefault(row["unlike"], {})[f"{row['item']} and {row['other']}"] = None
    if reasons:
        yield "NOT ALIKE: what is marked ≠ differs in part by how the numbers were made, not by what was recognised"
    for reason, pairs in [*reasons.items()][:_REASONS]:
        yield f"  {', '.join([*pairs][:3])}{' …' * (len(pairs) > 3)}: {reason}"


def score_lines(score: "Score", *, chosen: bool = False) -> Iterator[str]:
    """Yield the verdict on a score, its first numbers, what they mean, notes, and the signature.

    `chosen`: whether settings were chosen, of which some may have no effect.
    """
    from phonxling.experiment.scoring import number_lines
    from phonxling.report.sections import rate_in_words

    loaded, experiment = score.case.loaded, score.case.experiment
    yield from (_wrap(score.verdict), "")
    yield from map(escape_unprintable, number_lines(score.shown_rows(), min(_columns(), _WIDTH)))
    skill = "" if score.findings.few else f"Skill: {measure('skill_per').reading} "
    clusters = score.case.clusters
    if skill and not clusters.few:
        whole, number = len(clusters.sizes), clusters.number
        of = f"{whole} groups of {clusters.unit}s" if number > whole else f"{whole} {clusters.unit}s"
        skill += f"Intervals: {100 * clusters.level:g} %, leaving out one of {of} at a time. "
        skill += "Name the speakers with --speakers FILE. " * (clusters.status == "no-speakers")
    yield from ("", _wrap(f"{rate_in_words(score.findings, vars(experiment.alignment))} {skill}More numbers: --json."))
    notes = [*score.cautions, *loaded.notes]
    if chosen:
        from phonxling.experiment.checking import general_notes

        notes += [note.text for note in general_notes([loaded], experiment)]
    yield from (_wrap(f"note: {note}") for note in notes)
    yield f"signature: {score.signature}"


def columns(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    rows = [[*map(escape_unprintable, row)] for row in rows]
    # What reads a pipe wants tabs, not columns of spaces.
    if not Console().is_terminal:
        yield from ("\t".join(row) for row in rows)
        return
    widths = [max(map(cell_len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        yield "  ".join(set_cell_size(cell, width) for cell, width in zip(row, widths, strict=True)).rstrip()


def _wrap(words: str) -> str:
    return fill(escape_unprintable(words), min(_columns(), _WIDTH), break_long_words=False, break_on_hyphens=False)


def _columns() -> int:
    console = Console(highlight=False)
    return console.width if console.is_terminal else _WIDTH


def _table(heads: Iterable[str], rows: Iterable[Sequence[str]]) -> str:
    columns = (Column(escape_unprintable(head), overflow="fold") for head in heads)
    return _render_table(Table(*columns), rows, _columns())


def _render_table(table: Table, rows: Iterable[Sequence[str]], width: int) -> str:
    for row in rows:
        table.add_row(*map(escape_unprintable, row))
    console = Console(width=width, highlight=False, color_system=None, markup=False, emoji=False)
    with console.capture() as caught:
        console.print(table)
    return caught.get().rstrip()

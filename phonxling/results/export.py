"""Alignments as files that one opens in Praat or ELAN: an utterance a file, with tiers of both sides and of errors.

    gold        the gold phones, at their times
    predicted   the predicted phones, at theirs, where predictions have times
    error       on the gold phone that it is of: r → t, a → ∅
    inserted    ∅ → m, at the predicted phone's middle, or where gold's neighbours meet: points in a TextGrid, for an
                insertion may lie within a gold phone

Neither program knows overlaps in a tier, or labels without duration: an interval ends where the next one starts, and
what has no duration then is left out of its tier and counted.
"""

import math
import re
from collections.abc import Callable, Iterable, Iterator
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal

from phonxling.core.errors import DataError
from phonxling.core.files import write_new
from phonxling.core.inventory import GAP
from phonxling.load.text import import_library
from phonxling.results.folder import guard_reading, read_manifest
from phonxling.results.tables import has_table, table_parts

Format = Literal["textgrid", "eaf"]
_COLUMNS = ("utterance", "gold", "predicted", "operation", "gold_start", "gold_end", "predicted_start", "predicted_end")
_UNFIT = re.compile(r"[^\w.+-]+")  # letters that some file system, or a shell, takes otherwise
_MOST_FILES = 200  # letters of a file's name
_POINT = 0.02  # seconds that an insertion takes up in an EAF, which has no points
_DATE = "2000-01-01T00:00:00+00:00"  # ELAN wants one; the same results give the same bytes
_TICK = 1000  # an EAF counts milliseconds
Labels = list[tuple[float, float, str]]  # start, end (seconds), text
Tiers = dict[str, Labels]  # of one utterance: gold, predicted, error, inserted (of which start and end are one)


def export_results(folder: Path, output: Path, form: Format = "textgrid") -> Iterator[str]:
    """Write a file for each utterance with times, in a folder of each corpus; yield what was written, and what not.

    DataError when there are no results, or none has times; ConfigurationError when a file of another content is there.
    """
    write = {"textgrid": _textgrid_of, "eaf": _eaf_of}[form]
    with guard_reading(folder):
        corpora = read_manifest(folder).get("configuration", {}).get("corpora")
        if not corpora or not has_table(folder, "alignments"):
            raise DataError(f"{folder}: holds no alignments of an experiment; export takes what `phonxling run` wrote")
        written = 0
        for corpus in corpora:
            known, lost, number = dict[str, str](), 0, 0
            parts = table_parts(folder, "alignments", corpus, _COLUMNS)
            pairs = (row for part in parts for row in part.itertuples(index=False, name=None))
            for utterance, rows in groupby(pairs, key=itemgetter(0)):
                if (tiers := _tiers_of(rows)) is None:
                    continue
                name = _UNFIT.sub("_", utterance)[:_MOST_FILES].strip(".") or "_"
                if known.setdefault(name, utterance) != utterance:
                    pair = f"'{known[name]}' and '{utterance}'"
                    raise DataError(f"{folder}: the utterances {pair} would both be written to {name}.{form}")
                cut = {name: separate_labels(labels) for name, labels in tiers.items() if name != "inserted"}
                lost += sum(len(tiers[name]) - len(cut[name]) for name in ("gold", "predicted"))
                cut["inserted"] = tiers["inserted"]
                place = output / corpus / f"{name}.{'TextGrid' if form == 'textgrid' else form}"
                write_new(place, write(cut, place))
                number += 1
            written += number
            none = f"{corpus}: no utterance has times of gold phones"
            yield f"{output / corpus}: {number:,} files" if number else none
            if lost:
                yield f"{corpus}: {lost:,} phones have no duration, and are in no tier"
    if not written:
        remedy = "give segments: (or gold with times), and run again"
        raise DataError(f"{folder}: no corpus has times of gold phones: {remedy}")


def _tiers_of(rows: Iterable[tuple[Any, ...]]) -> Tiers | None:
    """Return the tiers of an utterance; None where its gold phones have no times."""
    tiers, before = Tiers(gold=[], predicted=[], error=[], inserted=[]), 0.0
    for _, gold, predicted, operation, start, end, own_start, own_end in rows:
        text = f"{gold} → {predicted}"
        if gold != GAP:
            if start != start:  # NaN
                return None
            tiers["gold"].append((start, end, gold))
            before = end
            if operation != "correct":
                tiers["error"].append((start, end, text))
        has_own = own_start == own_start
        if predicted != GAP and has_own:
            tiers["predicted"].append((own_start, own_end, predicted))
        if gold == GAP:
            at = (own_start + own_end) / 2 if has_own else before
            tiers["inserted"].append((at, at, text))
    return tiers


def separate_labels(labels: Labels) -> Labels:
    """Return labels that do not overlap, without those that have no duration."""
    after = [start for start, _, _ in labels][1:] + [math.inf] * bool(labels)
    # In ticks: an EAF knows nothing shorter than a millisecond, and both formats should have the same tiers.
    cut = ((start, min(end, limit), text) for (start, end, text), limit in zip(labels, after, strict=True))
    return [(start, end, text) for start, end, text in cut if round(start * _TICK) < round(end * _TICK)]


# Praat's formats: https://www.fon.hum.uva.nl/praat/manual/TextGrid_file_formats.html
def _textgrid_of(tiers: Tiers, place: Path) -> bytes:
    praat = import_library("praatio.textgrid", place, "a TextGrid", extra="praat")
    grid = praat.Textgrid(0, max([1 / _TICK, *(end for labels in tiers.values() for _, end, _ in labels)]))
    for name in ("gold", "predicted", "error"):
        if tiers[name] or name != "predicted":
            grid.addTier(praat.IntervalTier(name, tiers[name], 0, grid.maxTimestamp))
    grid.addTier(praat.PointTier("inserted", _join_points(tiers["inserted"]), 0, grid.maxTimestamp))
    return _bytes_written(lambda path: grid.save(path, "long_textgrid", includeBlankSpaces=True))


def _join_points(points: Labels) -> list[tuple[float, str]]:
    """Return points in order of time, those at the same time as one: Praat takes one label at a time."""
    by_time = groupby(sorted(points, key=itemgetter(0)), itemgetter(0))
    return [(at, " ".join(text for _, _, text in same)) for at, same in by_time]


# ELAN's format: https://www.mpi.nl/tools/elan/EAF_Annotation_Format_3.0_and_ELAN.pdf
def _eaf_of(tiers: Tiers, place: Path) -> bytes:
    elan = import_library("pympi", place, "an EAF", extra="praat").Eaf(author="phonxling")
    elan.adocument["DATE"] = _DATE
    elan.remove_tier("default")
    points = [(at, at + _POINT, text) for at, text in _join_points(tiers["inserted"])]
    for name, labels in {**tiers, "inserted": separate_labels(points)}.items():
        elan.add_tier(name)
        for start, end, text in labels:
            elan.add_annotation(name, round(start * _TICK), round(end * _TICK), text)
    return _bytes_written(elan.to_file)


def _bytes_written(save: Callable[[str], object]) -> bytes:
    """Return what a library writes to a file of the name that it is given."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "file"
        save(str(path))
        return path.read_bytes()

"""Corpora that are made from tables: one for each language of a column, or each group of listeners.

`split_by: lang` gives each value of the column a corpus, called by the value: its files are read `where` their column
lang has that value, or from paths that hold the value at `{lang}`. All of this is done with plain data, before the
models see them, so that the resolved configuration names each corpus.
"""

import glob
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from phonxling.core.errors import DataError, shown
from phonxling.experiment.yaml_files import Document, Plain, Position, fail, mapping_of, nearest
from phonxling.load.urls import is_url
from phonxling.settings.checks import listed
from phonxling.settings.files import Corpus, Identification, PhoneFile, check_corpus_name

_OTHERS = ("gold_second", "predicted", "segments", "posteriors", "speakers")


def made_corpora(document: Document) -> Document:
    """Return a document in which every corpus that a table stands for is written out, and has its title."""
    return _with_titles(_with_trials(_with_splits(document)))


def _with_splits(document: Document) -> Document:
    """Return a document in which a corpus with `split_by` is one for each value of that column."""
    corpora, data = mapping_of(mapping_of(document.data).get("corpora")), dict[str, Plain]()
    split = [name for name, corpus in corpora.items() if "split_by" in mapping_of(corpus)]
    if not split:
        return document
    from phonxling.load.resources import language_name  # here, since it brings NumPy

    places = dict(document.values_at)
    for name, corpus in corpora.items():
        rest = {key: value for key, value in mapping_of(corpus).items() if key != "split_by"}
        if name not in split or not _is_corpus(mapping_of(corpus)):  # what is wrong is told with all else, and once
            data[name] = corpus
            continue
        at, column = nearest(("corpora", name, "split_by"), places), str(mapping_of(corpus)["split_by"])
        gold, sides = mapping_of(rest["gold"]), [side for side in ("gold", *_OTHERS) if rest.get(side)]
        columns = {side for side in sides if _by_column(side, mapping_of(rest[side]), column, at)}
        values = _values(gold, column, at)
        taken = {value for other in corpora.values() for value in _chosen(other, gold, column)}
        for value in sorted({*values} - taken):
            part = re.sub(r"[^\w.-]+", "-", value).strip("-.")
            part = part if len(split) == 1 else f"{name}-{part}"  # two tables may have the same languages
            if part in data or (part in corpora and part not in split):
                fail(at, f"split_by: two corpora would be called '{part}'; rename one")
            try:
                check_corpus_name(part)
            except ValueError as error:
                fail(at, f"split_by: the column {column} has '{shown(value)}': {error}")
            own = {side: _of_value(rest[side], column, value, by_column=side in columns) for side in sides}
            code = {"language": value} if re.fullmatch("[a-z]{3}", value) and language_name(value) else {}
            data[part], places[("corpora", part)] = {**code, **rest, **own}, at
    return replace(document, data={**mapping_of(document.data), "corpora": data}, values_at=places)


def _is_corpus(corpus: Mapping[str, Plain]) -> bool:
    try:
        Corpus.model_validate(corpus)
    except ValidationError:
        return False
    return "identification" not in corpus


def _chosen(corpus: Plain, gold: Mapping[str, Plain], column: str) -> Iterator[str]:
    """Yield the values of the column that a corpus beside takes from the same file: they are its own."""
    other = mapping_of(mapping_of(corpus).get("gold"))
    if other.get("path") == gold["path"] and other is not gold:
        value = mapping_of(other.get("where")).get(column, ())
        yield from map(str, value if isinstance(value, list | tuple) else (value,))


def _values(gold: Mapping[str, Plain], column: str, at: Position) -> list[str]:
    """Return the values by which gold is split: those of its column, or what its files have in place of {column}."""
    path, held = str(gold["path"]), f"{{{column}}}"
    if held in path:
        head, *tail = map(re.escape, path.split(held))
        form = re.compile(f"{head}(?P<value>[^/]+){'(?P=value)'.join(tail)}")
        found = (form.fullmatch(one) for one in glob.glob("*".join(map(glob.escape, path.split(held)))))  # noqa: PTH207
        if values := [match["value"] for match in found if match]:
            return values
        fail(at, f"split_by: no file is called {path}, whatever stands at {held}")
    from phonxling.load.formats import values_in  # here, since it brings NumPy

    file = PhoneFile.model_validate(gold)
    if column in file.where:
        return [*file.where[column]]
    try:
        values = values_in(Path(path), file.format, {str(name): title for name, title in file.columns.items()}, column)
    except DataError as error:
        fail(at, f"split_by: {error}")
    return values or fail(at, f"split_by: no row of {path} has a value in the column {column}")


def _by_column(side: str, file: Mapping[str, Plain], column: str, at: Position) -> bool:
    """Return whether a file is split by its column, not by its path; speakers may stand in one file for all."""
    from phonxling.load.formats import fields_of

    path, form, held = str(file["path"]), file.get("format"), f"{{{column}}}"
    if is_url(path) and side == "gold":
        fail(at, "split_by: the values of a column are read from a file on this machine, and gold is a URL")
    if held in path or side == "speakers":
        return False
    try:
        if side != "posteriors" and column in fields_of(Path(path), str(form) if form else None):
            return True
    except DataError as error:
        fail(at, f"split_by: {error}")
    return fail(at, f"split_by: the {side} file {path} has no column {column}; add it, or write {held} into its path")


def _of_value(file: Plain, column: str, value: str, *, by_column: bool) -> Plain:
    """Return a file's settings for one value of the column."""
    own = mapping_of(file)
    if by_column:
        return {**own, "where": {**mapping_of(own.get("where")), column: [value]}}
    return {**own, "path": str(own["path"]).replace(f"{{{column}}}", value)}


def _with_trials(document: Document) -> Document:
    """Return a document in which a table of listeners' answers is gold and predicted, of each of its parts."""
    corpora, data = mapping_of(mapping_of(document.data).get("corpora")), dict[str, Plain]()
    if not any("identification" in mapping_of(corpus) for corpus in corpora.values()):
        return document
    from phonxling.load.tables import trials_of  # here, since it brings NumPy

    places = dict(document.values_at)
    for name, corpus in corpora.items():
        if (table := mapping_of(corpus).get("identification")) is None:
            data[name] = corpus
            continue
        at, rest = nearest(("corpora", name, "identification"), places), {**mapping_of(corpus)}
        if others := {"gold", "predicted", "posteriors"} & rest.keys():
            fail(at, f"identification takes the place of {listed(sorted(others))}; keep one of the two")
        try:
            chosen = Identification.model_validate(table)
        except ValidationError:  # which is told with all others
            data[name] = {**rest, "gold": {"path": "."}, "predicted": {"path": "."}}
            continue
        del rest["identification"]
        trials = trials_of(Path(str(chosen.path)), chosen.split)
        for values in dict.fromkeys(tuple(row[column] for column in chosen.split) for _, row in trials):
            part = "-".join([name, *(re.sub(r"[^\w.-]+", "-", value).strip("-.") for value in values)])
            if part in data:
                fail(at, f"two groups would be the corpus '{part}'; write their values otherwise")
            sides: dict[str, Any] = chosen.sides(dict(zip(chosen.split, values, strict=True)))
            data[part], places["corpora", part] = {**rest, **sides}, at
    return replace(document, data={"assimilation": {}, **mapping_of(document.data), "corpora": data}, values_at=places)


def _with_titles(document: Document) -> Document:
    """Return a document in which a corpus without a title has the name in the table of languages."""
    settings = mapping_of(document.data)
    if not (path := settings.get("languages")):
        return document
    from phonxling.load.languages import load_languages  # here, since it brings NumPy

    try:
        known = load_languages(Path(str(path)))
    except (DataError, OSError):  # which is told with all others
        return document
    corpora = {
        name: {"title": " ".join(row.name.split()), **mapping_of(corpus)}
        if (row := known.get(str(mapping_of(corpus).get("language") or name))) and mapping_of(corpus)
        else corpus
        for name, corpus in mapping_of(settings.get("corpora")).items()
    }
    return replace(document, data={**settings, "corpora": corpora})

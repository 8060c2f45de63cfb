"""The configuration of an experiment: YAML files and overrides → one frozen value, or every error at once.

Tables may stand for several corpora. `split_by: lang` gives each value of the column a corpus, called by the value: its
files are read `where` their column lang has that value, or from paths that hold the value at `{lang}`. This is done
with plain data, before the models see them, so that the resolved configuration names each corpus.

Files and overrides merge into plain data: mappings deeply, lists and scalars replace. Every layer is settled before
it is merged: a file, or a recogniser, given as a plain string becomes its mapping, and relative paths become absolute,
each from the folder of the file that holds it. The models then find what is wrong, and report each problem with
the path of its keys, in words for those who write it.

Examples
--------
An experiment with two corpora needs no more than this::

    corpora:
      english: {role: reference, gold: english/gold.tsv, predicted: english/predicted.tsv}
      yoruba: {gold: yoruba/gold.tsv, predicted: yoruba/predicted.tsv}
"""

import glob
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from functools import reduce
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, TypeAlias, get_origin

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from phonxling.configuration.checks import (
    LONGEST_PATH,
    MAX_DEPTH,
    KeyPath,
    PlainData,
    did_you_mean,
    fail,
    join_choices,
    mapping_of,
    quote_value,
)
from phonxling.configuration.files import (
    Corpus,
    PathMark,
    PhoneFile,
    Recogniser,
    Section,
    check_name,
    find_corpora_problems,
    find_path_mark,
    section_of,
)
from phonxling.configuration.models import Experiment
from phonxling.core.errors import ConfigurationError, DataError, MissingFileError, join_problems
from phonxling.load.text import is_file, is_url, nearest_names as nearest_file

_Settings: TypeAlias = dict[str, PlainData]
_Problem: TypeAlias = tuple[KeyPath, str]  # the place that it concerns, and what is wrong there


def _split_corpora(settings: _Settings) -> tuple[_Settings, list[_Problem]]:
    """Return settings in which a corpus with `split_by` is one for each value of that column, and what is wrong."""
    corpora, data, problems = mapping_of(settings.get("corpora")), dict[str, PlainData](), list[_Problem]()
    split = [name for name, corpus in corpora.items() if "split_by" in mapping_of(corpus)]
    for name, corpus in corpora.items():
        # A corpus with faults stays as it is: the models report them with all others, and once, not once a part.
        if name not in split or not _is_corpus(mapping_of(corpus)):
            data[name] = corpus
            continue
        try:
            for value, part in _split_corpus(mapping_of(corpus), corpora):
                key = re.sub(r"[^\w.-]+", "-", value).strip("-.")
                key = key if len(split) == 1 else f"{name}-{key}"  # two tables may have the same languages
                if key in data or (key in corpora and key not in split):
                    raise ValueError(f"two corpora would be called '{key}'; rename one")
                data[check_name(key)] = part
        except (ValueError, DataError) as error:
            problems.append((("corpora", name, "split_by"), str(error)))
            data[name] = {key: value for key, value in mapping_of(corpus).items() if key != "split_by"}
    return ({**settings, "corpora": data} if split else settings), problems


def _split_corpus(corpus: _Settings, corpora: _Settings) -> Iterator[tuple[str, _Settings]]:
    """Yield each value of the column that splits a corpus, and the corpus that it makes."""
    from phonxling.load.resources import language_name  # here, since it brings NumPy

    column, rest = str(corpus["split_by"]), {key: value for key, value in corpus.items() if key != "split_by"}
    gold, sides = mapping_of(rest["gold"]), [side for side in Corpus.FILES if rest.get(side)]
    columns = {side for side in sides if _is_split_by_column(side, mapping_of(rest[side]), column)}
    # A corpus that is written out beside the split has its values: so one language can have settings of its own.
    taken = {value for other in corpora.values() for value in _chosen_values(other, gold, column)}
    for value in sorted({*_find_values(gold, column)} - taken):
        own: dict[str, PlainData] = {}
        for side in sides:
            file = mapping_of(rest[side])
            if side in columns:
                own[side] = {**file, "where": {**mapping_of(file.get("where")), column: [value]}}
            elif "path" in file:
                own[side] = {**file, "path": str(file["path"]).replace(f"{{{column}}}", value)}
        code = {"language": value} if re.fullmatch("[a-z]{3}", value) and language_name(value) else {}
        yield value, {**code, **rest, **own}


def _is_corpus(corpus: Mapping[str, PlainData]) -> bool:
    try:
        Corpus.model_validate(corpus)
    except ValidationError:
        return False
    return True


def _chosen_values(corpus: PlainData, gold: Mapping[str, PlainData], column: str) -> Iterator[str]:
    other = mapping_of(mapping_of(corpus).get("gold"))
    if other.get("path") == gold["path"] and other is not gold:
        value = mapping_of(other.get("where")).get(column, ())
        yield from map(str, value if isinstance(value, list | tuple) else (value,))


def _find_values(gold: Mapping[str, PlainData], column: str) -> list[str]:
    path, held = str(gold["path"]), f"{{{column}}}"
    if held in path:
        # The same value at every place: {lang}/gold_{lang}.tsv must not pair yor/ with gold_ibo.tsv.
        head, *tail = map(re.escape, path.split(held))
        form = re.compile(f"{head}(?P<value>[^/]+){'(?P=value)'.join(tail)}")
        found = (form.fullmatch(one) for one in glob.glob("*".join(map(glob.escape, path.split(held)))))  # noqa: PTH207
        if values := [match["value"] for match in found if match]:
            return values
        raise ValueError(f"no file is called {path}, whatever stands at {held}")
    from phonxling.load.formats import values_in  # here, since it brings NumPy

    file = PhoneFile.model_validate(gold)
    if column in file.where:
        return [*file.where[column]]
    if values := values_in(*file.reading, column, whole=True):
        return values
    raise ValueError(f"no row of {path} has a value in the column {column}")


def _is_split_by_column(side: str, file: Mapping[str, PlainData], column: str) -> bool:
    """Return whether a file is split by its column, not by its path; speakers may stand in one file for all."""
    from phonxling.load.formats import fields_of

    path, form, held = str(file.get("path")), file.get("format"), f"{{{column}}}"
    if held in path or side == "speakers":
        return False
    if side != "posteriors" and column in fields_of(Path(path), str(form) if form else None):
        return True
    raise ValueError(f"the {side} file {path} has no column {column}; add it, or write {held} into its path")


def _add_titles(settings: _Settings) -> _Settings:
    """Return settings in which a corpus without a title has the name in the table of languages."""
    if not (path := settings.get("languages")):
        return settings
    from phonxling.load.resources import load_languages  # here, since it brings NumPy

    try:
        known = load_languages(Path(str(path)))
    except (DataError, OSError):  # reported with all other problems when the table is needed
        return settings
    corpora = {
        name: {"title": " ".join(row.name.split()), **mapping_of(corpus)}
        if (row := known.get(str(mapping_of(corpus).get("language") or name)) or known.get(name)) and mapping_of(corpus)
        else corpus
        for name, corpus in mapping_of(settings.get("corpora")).items()
    }
    return {**settings, "corpora": corpora}


__all__ = ["Experiment", "experiment_of", "json_schema", "load_configuration", "resolve_settings", "restore_experiment"]

MOST_SHOWN: Final = 100  # problems in one message; the rest are counted
IN_MEMORY: Final = " (in memory)"
_LONGEST_CHAIN: Final = 50  # files
_MISSING = {
    "corpora": "missing: a configuration needs at least one corpus",
    "gold": "missing: every corpus needs gold, what was said",
    "path": "missing: a file needs its path",
}
_Schema: TypeAlias = dict[str, Any]  # JSON of any shape, as pydantic types it
_FILE_NEEDS: Final[_Schema] = {"required": ["path"]}
_CORPUS_NEEDS: Final[_Schema] = {
    "anyOf": [{"required": needed} for needed in (["gold", "predicted"], ["gold", "posteriors"])],
    "properties": dict.fromkeys(Corpus.FILES, _FILE_NEEDS),
}
_PathText: TypeAlias = tuple[KeyPath, Any, str | int, PathMark]  # its place, what holds it, under which key, its kind


def load_configuration(path: Path, overrides: Sequence[str] = ()) -> Experiment:
    """Return the experiment that a file configures, with the files that it extends and overrides `key.path=value`."""
    layers = _read_layers(path)
    settings, problems = _apply_overrides(reduce(_merge_settings, reversed(layers.values())), overrides)
    first, *extended = map(str, layers)
    source = f"{first} (extends {', '.join(extended)})" if extended else first
    experiment = _validate({"name": path.stem, **settings}, source, problems)
    experiment._folder = path.parent.resolve()
    return experiment


def experiment_of(
    settings: Mapping[str, Any],
    source: str,
    *,
    folder: Path | None = None,
    overrides: Sequence[str] = (),
    options: Mapping[KeyPath, str] = MappingProxyType({}),
    held: Mapping[str, object] = MappingProxyType({}),
) -> Experiment:
    """Return the experiment that settings in memory describe; `source` names them in messages, `options` keys.

    `held` is what of each corpus is in memory, too; in place of its path stands a name that ends in `IN_MEMORY`.
    """
    data = dict(settings) if folder is None else _settle_paths(settings, folder.resolve())
    data, problems = _apply_overrides(data, overrides)
    experiment = _validate(data, source, problems, options=options)
    experiment._folder = None if folder is None else folder.resolve()
    experiment._held = held
    return experiment


def restore_experiment(configuration: Mapping[str, Any], folder: Path) -> Experiment:
    experiment = _validate(_settle_paths(configuration, folder.resolve()), "the stored configuration", tables=False)
    experiment._folder = folder.resolve()
    return experiment


def resolve_settings(experiment: Experiment) -> dict[str, Any]:
    """Return the whole configuration, defaults included, as plain JSON data in a fixed order."""
    return experiment.model_dump(mode="json", context={"folder": experiment.folder})


def _validate(
    settings: _Settings,
    source: str,
    known: Sequence[_Problem] = (),
    *,
    options: Mapping[KeyPath, str] = MappingProxyType({}),
    tables: bool = True,
) -> Experiment:
    """Return the experiment, seen by nobody yet; ConfigurationError with every problem, those that are known first."""
    settings, split = _split_corpora(settings)
    settings = _add_titles(settings)
    # A run stops here before it computes anything; stored results can be read when their tables are gone.
    missing = [*_find_missing_tables(settings)] if tables else []
    between = find_corpora_problems(mapping_of(settings.get("corpora")))  # which a wrong part hides from models
    problems = [*known, *split, *between, *missing]
    try:
        experiment = Experiment.model_validate(settings)
    except ValidationError as error:
        problems += [_describe_problem(details) for details in error.errors(include_url=False)]
    if not problems:
        return experiment
    lines = [f"{place}: {text}" if (place := _name_setting(path, options)) else text for path, text in problems]
    headline = f"{source}: {len(lines)} problem{'s' if len(lines) > 1 else ''}:"
    kind = MissingFileError if len(missing) == len(problems) else ConfigurationError
    raise kind(join_problems(headline, lines, limit=MOST_SHOWN)) from None


def _name_setting(path: KeyPath, options: Mapping[KeyPath, str]) -> str:
    """Return the option of the command line that sets a value, or else the path of its keys."""
    option = next((options[path[:end]] for end in range(len(path), 0, -1) if path[:end] in options), None)
    return option or ".".join(path)


def _read_layers(path: Path) -> dict[Path, _Settings]:
    """Return the settings of a file, and of those that it extends, each with absolute paths."""
    from phonxling.configuration.yaml_files import read_yaml  # a score has none

    layers: dict[Path, _Settings] = {}
    while True:
        settings = read_yaml(path)
        layers[path] = _settle_paths(settings, path.parent.resolve())
        if "extends" not in settings:
            return layers
        name, place = settings["extends"], f"{path}: extends"
        if not isinstance(name, str) or not name:
            fail(place, f"must be the path of a configuration, not {quote_value(name)}")
        path = path.parent / name
        if not is_file(path):
            raise MissingFileError(f"{place}: there is no file {str(path)[:LONGEST_PATH]}")
        if len(layers) >= _LONGEST_CHAIN:
            fail(place, f"more than {_LONGEST_CHAIN} files, each of which extends the next")
        if path.resolve() in [link.resolve() for link in layers]:
            circle = " → ".join(str(link) for link in [*layers, path])
            fail(place, f"the files extend each other in a circle: {circle}")


def _merge_settings(base: _Settings, top: _Settings) -> _Settings:
    """Return settings laid over others: mappings merge, all else replaces."""
    merged = {**base, **top}
    for key, value in top.items():
        below = base.get(key)
        if isinstance(below, dict) and isinstance(value, dict):
            merged[key] = _merge_settings(below, value)
    return merged


def _apply_overrides(settings: _Settings, overrides: Sequence[str]) -> tuple[_Settings, list[_Problem]]:
    """Return settings with `key.path=value` laid over them, whose paths count from the current folder; what is wrong.

    They may also make a corpus that the settings do not have, if they say as much of it as it needs.
    """
    if isinstance(overrides, str):
        raise ConfigurationError(f"settings are a list of texts, such as [{overrides!r}], not one text")
    known, problems = [*mapping_of(settings.get("corpora"))], list[_Problem]()
    for override in overrides:
        try:
            settings = _merge_settings(settings, _settle_paths(_parse_override(override, known), Path.cwd()))
        except ConfigurationError as error:
            problems.append(((), str(error)))
    corpora = dict(mapping_of(settings.get("corpora")))
    for name in [name for name in corpora if known and name not in known]:
        new = mapping_of(corpora[name])
        if not new.get("gold") or not (new.get("predicted") or new.get("posteriors")):
            del corpora[name]
            near = did_you_mean(name, known) or "; a new one needs gold, and predicted or posteriors"
            problems.append((("corpora", name), f"unknown corpus{near}"))
    return ({**settings, "corpora": corpora} if known else settings), problems


def _parse_override(override: str, corpora: Sequence[str]) -> _Settings:
    """Return one `key.path=value` as settings."""
    key, equals, text = override.partition("=")
    path = tuple(key.split("."))
    for name in sorted(corpora, key=len, reverse=True):  # a corpus' name that holds a dot stays whole
        if f"{key}.".startswith(f"corpora.{name}."):
            path = ("corpora", name, *key.split(".")[2 + name.count(".") :])
            break
    if not equals or not all(path) or len(path) > MAX_DEPTH:
        fail(f"--set {override[:100]}", "write --set key.path=value, such as --set alignment.costs=unit")
    if path[0] == "extends":
        fail(f"--set {key}", "must be written in a file")
    from phonxling.configuration.yaml_files import parse_yaml

    value = parse_yaml(text, f"--set {key}")
    for part in reversed(path):
        value = {part: value}
    return mapping_of(value)


def _settle_paths(settings: Mapping[str, Any], folder: Path) -> _Settings:
    """Return settings without `extends`, with each file as a mapping and every path absolute."""
    data: _Settings = deepcopy({key: value for key, value in settings.items() if key != "extends"})
    for _, model, section in _walk_sections(data, Experiment):
        for key in section:
            file, kind = section[key], _section_at(model, key)
            fields = {} if kind is None else kind.model_fields
            short = "path" if "path" in fields else "name" if "name" in fields else ""
            if isinstance(file, str) and short:
                # The short form is the whole setting: it takes away the other key, which a file below may have.
                other = {"recogniser": "inventory", "speakers": "pattern"}.get(key)  # which a file below may have
                section[key] = {short: file} | ({other: None} if other else {})
    for _, holder, at, _ in _find_paths(data):
        text = holder[at]
        if text and not is_url(text) and "\0" not in text:  # the rest is for the checks to refuse
            holder[at] = Path(os.path.normpath(folder / text)).as_posix()
    return data


def _find_paths(data: PlainData) -> Iterator[_PathText]:
    for place, model, section in _walk_sections(data, Experiment):
        for key, value in section.items():
            mark = find_path_mark(model.model_fields[key]) if key in model.model_fields else None
            if mark is None:
                continue
            if isinstance(value, str) and mark.meant(value):
                yield (*place, key), section, key, mark
            elif isinstance(value, list) and mark.several:
                texts = [number for number, text in enumerate(value) if isinstance(text, str) and mark.meant(text)]
                yield from (((*place, key, str(number)), value, number, mark) for number in texts)


def _walk_sections(
    data: PlainData, model: type[Section], place: KeyPath = ()
) -> Iterator[tuple[KeyPath, type[Section], dict[str, PlainData]]]:
    if not isinstance(data, dict):
        return
    yield place, model, data
    for key, value in data.items():
        section = _section_at(model, key)
        if section is not None and get_origin(model.model_fields[key].annotation) is Mapping:
            for name, one in mapping_of(value).items():
                yield from _walk_sections(one, section, (*place, key, name))
        elif section is not None:
            yield from _walk_sections(value, section, (*place, key))


def _section_at(model: type[Section], key: str) -> type[Section] | None:
    return section_of(model.model_fields[key]) if key in model.model_fields else None


def _find_missing_tables(settings: _Settings) -> Iterator[tuple[KeyPath, str]]:
    """Yield which tables of costs, phones and symbols are not there; files of data are the loaders' to report."""
    for place, holder, key, mark in _find_paths(settings):
        text = str(holder[key])
        if mark.of and not is_url(text) and len(text) <= LONGEST_PATH and not is_file(Path(text)):
            table = Path(text)
            near = nearest_file(table) if mark.of == "symbols" else did_you_mean(table.name, mark.names)
            yield place, f"there is no table of {mark.of} {text}{near}"


def _describe_problem(details: ErrorDetails) -> tuple[KeyPath, str]:
    path = tuple(str(key) for key in details["loc"] if key != "[key]")
    if details["type"] == "value_error":
        return path, str(details["ctx"]["error"])
    if details["type"] == "missing":
        return path, _MISSING.get(path[-1], "missing")
    if details["type"] == "extra_forbidden":
        return path, _explain_unknown_key(path)
    wanted = "a path or a mapping with a path" if len(path) == 3 and path[0] == "corpora" else "a mapping of settings"
    return path, f"must be {wanted}, not {quote_value(details['input'])}"


def _explain_unknown_key(path: KeyPath) -> str:
    *around, key = path
    section = _section_of(around)
    if section is Corpus and key in {"reference", "target"}:
        return f"not a key of a corpus; write role: {key}"
    files = [kind for kind, model in Corpus.FILES.items() if key in model.model_fields]
    if files and section in (Corpus, *Corpus.FILES.values()):
        of = "a corpus" if section is Corpus else around[-1]
        return f"has no meaning for {of}; it belongs to {join_choices(files)}"
    names = [*section.model_fields, *(["extends"] if section is Experiment else [])]
    corpus = around[1] if around[:1] == ["corpora"] else "NAME"
    if same := [f"'{'.'.join(place)}'" for place in _list_places(corpus) if place[-1] == key.casefold()]:
        return f"unknown key; did you mean {join_choices(same)}?"
    return f"unknown key{did_you_mean(key, names) or '; the keys here: ' + ', '.join(names)}"


def _section_of(around: Sequence[str]) -> type[Section]:
    """Return the section that holds keys: the whole, one of it, a corpus, or a file of that."""
    within: list[type[Section] | None] = [Experiment]
    within += [_section_at(Experiment, around[0])] if around else []
    within += [_section_at(Corpus, around[2])] if around[:1] == ["corpora"] and len(around) > 2 else []
    return within[-1] or fail(".".join(around), "has no keys")


def _list_places(corpus: str) -> Iterator[KeyPath]:
    """Yield the path of every setting but those of files."""
    for name, field in Experiment.model_fields.items():
        yield (name,)
        if (section := section_of(field)) not in (None, Corpus):
            yield from ((name, key) for key in section.model_fields)
    yield from (("corpora", corpus, key) for key in Corpus.model_fields)
    yield from (("corpora", corpus, "recogniser", key) for key in Recogniser.model_fields)


def find_input_paths(holder: Section | Mapping[str, object]) -> Iterator[tuple[object, str, Path]]:
    """Yield every path of the settings with what holds it and its key: patterns are not expanded, nothing is opened."""
    for name, value in dict(holder).items():
        if isinstance(value, Section | Mapping):
            yield from find_input_paths(value)
        else:
            several = value if isinstance(value, tuple) else (value,)
            paths = (one for one in several if isinstance(one, Path) and not one.name.endswith(IN_MEMORY))
            yield from ((holder, name, one) for one in paths)


def json_schema() -> _Schema:
    schema = Experiment.model_json_schema()
    for part in [schema, *schema["$defs"].values()]:  # each file of a chain is checked alone, and has some keys only
        part.pop("required", None)
    for name, field in Experiment.model_fields.items():  # pydantic leaves out what the section says itself
        schema["properties"][name]["description"] = field.description
    shorts: dict[str, type[Section]] = {**Corpus.FILES, "recogniser": Recogniser}
    for kind, model in shorts.items():
        _allow_short(schema["$defs"]["Corpus"]["properties"][kind], model)
    schema["properties"]["extends"] = {
        "type": "string",
        "title": "Extends",
        "description": "Another configuration, relative to this one, whose settings are taken over.",
    }
    # A file that extends another may leave out what that one has: only without `extends` must all be there.
    needs = {"required": ["corpora"], "properties": {"corpora": {"additionalProperties": _CORPUS_NEEDS}}}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **schema,
        "if": {"not": {"required": ["extends"]}},
        "then": needs,
    }


def _allow_short(field: _Schema, model: type[Section]) -> None:
    # Strings become mappings before pydantic sees them, so that its schema knows nothing of the short form.
    field.pop("$ref", None)
    nullable = {"type": "null"} in field.get("anyOf", ())
    key = "path" if "path" in model.model_fields else "name"
    short = {"type": "string", "description": f"Short for {{{key}: …}}."}
    field["anyOf"] = [short, {"$ref": f"#/$defs/{model.__name__}"}, *([{"type": "null"}] if nullable else [])]

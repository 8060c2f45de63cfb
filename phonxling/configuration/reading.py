"""The configuration of an experiment: YAML files and overrides → one frozen value, or every error at once."""

import glob
import inspect
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
    choices_of,
    find_corpora_problems,
    find_path_mark,
    section_of,
)
from phonxling.configuration.models import Experiment
from phonxling.core.errors import ConfigurationError, DataError, MissingFileError, join_problems
from phonxling.load.text import is_file, is_url, nearest_names as nearest_file

_Settings: TypeAlias = dict[str, PlainData]
_Problem: TypeAlias = tuple[KeyPath, str]  # the place that it concerns, and what is wrong there


# Tables may stand for several corpora. `split_by: lang` gives each value of the column a corpus, called by the value:
# its files are read `where` their column lang has that value, or from paths that hold the value at `{lang}`. This is
# done with plain data, before the models see them, so that the resolved configuration names each corpus.
def _split_corpora(settings: _Settings) -> tuple[_Settings, list[_Problem]]:
    corpora, data, problems = mapping_of(settings.get("corpora")), dict[str, PlainData](), list[_Problem]()
    split = [name for name, corpus in corpora.items() if "split_by" in mapping_of(corpus)]
    for name, corpus in corpora.items():
        if name not in split:
            data[name] = corpus
            continue
        try:
            Corpus.model_validate(corpus)
            for value, part in _split_corpus(mapping_of(corpus), corpora):
                key = re.sub(r"[^\w.-]+", "-", value).strip("-.")
                key = key if len(split) == 1 else f"{name}-{key}"  # two tables may have the same languages
                if key in data or (key in corpora and key not in split):
                    raise ValueError(f"two corpora would be called '{key}'; rename one")
                data[check_name(key)] = part
        except ValidationError:
            # A corpus with faults stays as it is: the models report them with all others, and once, not once a part.
            data[name] = corpus
        except (ValueError, DataError) as error:
            problems.append((("corpora", name, "split_by"), str(error)))
            data[name] = {key: value for key, value in mapping_of(corpus).items() if key != "split_by"}
    return ({**settings, "corpora": data} if split else settings), problems


def _split_corpus(corpus: _Settings, corpora: _Settings) -> Iterator[tuple[str, _Settings]]:
    from phonxling.load.resources import language_name  # here, since it brings NumPy

    column, rest = str(corpus["split_by"]), {key: value for key, value in corpus.items() if key != "split_by"}
    gold, files = mapping_of(rest["gold"]), {side: mapping_of(rest[side]) for side in Corpus.FILES if rest.get(side)}
    columns = {side for side, file in files.items() if _is_split_by_column(side, file, column)}
    taken = set[str]()
    for other in (mapping_of(mapping_of(each).get("gold")) for each in corpora.values()):
        # A corpus that is written out beside the split has its values: so one language can have settings of its own.
        if other.get("path") == gold["path"] and other is not gold:
            chosen = mapping_of(other.get("where")).get(column, ())
            taken.update(map(str, chosen if isinstance(chosen, list | tuple) else (chosen,)))
    for value in sorted({*_find_values(gold, column)} - taken):
        own: dict[str, PlainData] = {}
        for side, file in files.items():
            if side in columns:
                own[side] = {**file, "where": {**mapping_of(file.get("where")), column: [value]}}
            elif "path" in file:
                own[side] = {**file, "path": str(file["path"]).replace(f"{{{column}}}", value)}
        code = {"language": value} if re.fullmatch("[a-z]{3}", value) and language_name(value) else {}
        yield value, {**code, **rest, **own}


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
    # Whether a file is split by its column, not by its path; speakers may stand in one file for all.
    from phonxling.load.formats import fields_of

    path, form, held = str(file.get("path")), file.get("format"), f"{{{column}}}"
    if held in path or side == "speakers":
        return False
    if side != "posteriors" and column in fields_of(Path(path), str(form) if form else None):
        return True
    raise ValueError(f"the {side} file {path} has no column {column}; add it, or write {held} into its path")


def _add_titles(settings: _Settings) -> _Settings:
    # Settings in which a corpus without a title has the name in the table of languages.
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
_MISSING = {
    "corpora": "missing: a configuration needs at least one corpus",
    "gold": "missing: every corpus needs gold, what was said",
    "path": "missing: a file needs its path",
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
    # The experiment, seen by nobody yet; ConfigurationError with every problem, those that are known first.
    settings, split = _split_corpora(settings)
    settings = _add_titles(settings)
    # A run stops here before it computes anything; stored results can be read when their tables are gone.
    # Tables of costs, phones and symbols are meant; files of data are the loaders' to report.
    missing = list[_Problem]()
    for place, holder, key, mark in _find_paths(settings) if tables else ():
        table = Path(str(holder[key]))
        if mark.of and not is_url(holder[key]) and len(holder[key]) <= LONGEST_PATH and not is_file(table):
            near = nearest_file(table) if mark.of == "symbols" else did_you_mean(table.name, mark.names)
            missing.append((place, f"there is no table of {mark.of} {table}{near}"))
    # What is wrong between corpora, a wrong part would hide from models.
    problems = [*known, *split, *find_corpora_problems(mapping_of(settings.get("corpora"))), *missing]
    try:
        experiment = Experiment.model_validate(settings)
    except ValidationError as error:
        problems += [_describe_problem(details) for details in error.errors(include_url=False)]
    if not problems:
        return experiment
    lines = list[str]()
    for keys, text in problems:
        # An option of the command line that sets a value is what its user knows, else the path of its keys.
        outer = (keys[:end] for end in range(len(keys), 0, -1))
        name = next((options[part] for part in outer if part in options), ".".join(keys))
        lines.append(f"{name}: {text}" if name else text)
    headline = f"{source}: {len(lines)} problem{'s' if len(lines) > 1 else ''}:"
    kind = MissingFileError if len(missing) == len(problems) else ConfigurationError
    raise kind(join_problems(headline, lines, limit=MOST_SHOWN)) from None


def _read_layers(path: Path) -> dict[Path, _Settings]:
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
        if path.resolve() in [link.resolve() for link in layers]:
            fail(place, f"the files extend each other in a circle: {' → '.join(map(str, [*layers, path]))}")


def _merge_settings(base: _Settings, top: _Settings) -> _Settings:
    merged = {**base, **top}
    for key, value in top.items():
        below = base.get(key)
        if isinstance(below, dict) and isinstance(value, dict):
            merged[key] = _merge_settings(below, value)
    return merged


def _apply_overrides(settings: _Settings, overrides: Sequence[str]) -> tuple[_Settings, list[_Problem]]:
    # Settings with `key.path=value` laid over them, whose paths count from the current folder; what is wrong. They may
    # also make a corpus that the settings do not have, if they say as much of it as it needs.
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


# Files and overrides merge into plain data: mappings deeply, lists and scalars replace. Every layer is settled before
# it is merged: a file, or a recogniser, given as a plain string becomes its mapping, and relative paths become
# absolute, each from the folder of the file that holds it.
def _settle_paths(settings: Mapping[str, Any], folder: Path) -> _Settings:
    data: _Settings = deepcopy({key: value for key, value in settings.items() if key != "extends"})
    for _, model, section in _walk_sections(data, Experiment):
        for key in section:
            file, kind = section[key], _section_at(model, key)
            fields = {} if kind is None else kind.model_fields
            short = "path" if "path" in fields else "name" if "name" in fields else ""
            if isinstance(file, str) and short:
                # The short form is the whole setting: it takes away the other key, which a file below may have.
                other = {"recogniser": "inventory", "speakers": "pattern"}.get(key)
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


def _describe_problem(details: ErrorDetails) -> tuple[KeyPath, str]:
    path = tuple(str(key) for key in details["loc"] if key != "[key]")
    if details["type"] == "value_error":
        return path, str(details["ctx"]["error"])
    if details["type"] == "missing":
        return path, _MISSING.get(path[-1], "missing")
    if details["type"] == "too_short":
        return path, "needs at least one corpus"
    if details["type"] == "extra_forbidden":
        return path, _explain_unknown_key(path)
    if details["type"] == "literal_error":
        # Behind the key of a setting may stand the number of one of its entries, or a name within it.
        keys, fields = _without_name(path), _section_around(path).model_fields
        words = choices_of(next(fields[key] for key in keys if key in fields))
        wrong = details["input"]
        return path, f"must be {join_choices(words)}, not {quote_value(wrong)}{did_you_mean(wrong, words)}"
    wanted = "a path or a mapping with a path" if path[-1] in Corpus.FILES else "a mapping of settings"
    return path, f"must be {wanted}, not {quote_value(details['input'])}"


def _explain_unknown_key(path: KeyPath) -> str:
    *around, key = path
    section = _section_around(around)
    if section is Corpus and key in {"reference", "target"}:
        return f"not a key of a corpus; write role: {key}"
    files = [kind for kind, model in Corpus.FILES.items() if key in model.model_fields]
    if files and section in (Corpus, *Corpus.FILES.values()):
        of = "a corpus" if section is Corpus else around[-1]
        return f"has no meaning for {of}; it belongs to {join_choices(files)}"
    names = [*section.model_fields, *(["extends"] if section is Experiment else [])]
    corpus = around[1] if around[:1] == ["corpora"] else "NAME"
    places: list[KeyPath] = [(name,) for name in Experiment.model_fields]
    for name, field in Experiment.model_fields.items():
        inner = section_of(field)
        places += [(name, own) for own in inner.model_fields] if inner not in {None, Corpus} else []
    places += [("corpora", corpus, name) for name in Corpus.model_fields]
    places += [("corpora", corpus, "recogniser", name) for name in Recogniser.model_fields]
    if same := [f"'{'.'.join(place)}'" for place in places if place[-1] == key.casefold()]:
        return f"unknown key; did you mean {join_choices(same)}?"
    return f"unknown key{did_you_mean(key, names) or '; the keys here: ' + ', '.join(names)}"


def _without_name(keys: Sequence[str]) -> Sequence[str]:
    # A path of keys without the name of a corpus, which may be any.
    return [*keys[:1], *keys[2:]] if keys and keys[0] == "corpora" else keys


def _section_around(keys: Sequence[str]) -> type[Section]:
    whole: type[Section] = Experiment
    return reduce(lambda model, key: _section_at(model, key) or model, _without_name(keys), whole)


def find_input_paths(holder: Section | Mapping[str, object]) -> Iterator[tuple[object, str, Path]]:
    """Yield every path of the settings with what holds it and its key: patterns are not expanded, nothing is opened."""
    for name, value in dict(holder).items():
        if isinstance(value, Section | Mapping):
            yield from find_input_paths(value)
        else:
            several = value if isinstance(value, tuple) else (value,)
            paths = (one for one in several if isinstance(one, Path) and not one.name.endswith(IN_MEMORY))
            yield from ((holder, name, one) for one in paths)


def json_schema() -> dict[str, Any]:
    schema = Experiment.model_json_schema()
    for part in [schema, *schema["$defs"].values()]:  # each file of a chain is checked alone, and has some keys only
        part.pop("required", None)
    for name, field in Experiment.model_fields.items():  # pydantic leaves out what the section says itself
        schema["properties"][name]["description"] = field.description or inspect.getdoc(section_of(field))
    # Strings become mappings before pydantic sees them, so that its schema knows nothing of the short form.
    shorts: dict[str, type[Section]] = {**Corpus.FILES, "recogniser": Recogniser}
    for kind, model in shorts.items():
        part = schema["$defs"]["Corpus"]["properties"][kind]
        part.pop("$ref", None)
        null = [{"type": "null"}] if {"type": "null"} in part.get("anyOf", ()) else []
        short = f"Short for {{{'path' if 'path' in model.model_fields else 'name'}: …}}."
        part["anyOf"] = [{"type": "string", "description": short}, {"$ref": f"#/$defs/{model.__name__}"}, *null]
    schema["properties"]["extends"] = {
        "type": "string",
        "title": "Extends",
        "description": "Another configuration, relative to this one, whose settings are taken over.",
    }
    # A file that extends another may leave out what that one has: only without `extends` must all be there.
    corpus = {
        "anyOf": [{"required": ["gold", side]} for side in ("predicted", "posteriors")],
        "properties": {side: {"required": ["path"]} for side in Corpus.FILES},
    }
    needs = {"required": ["corpora"], "properties": {"corpora": {"additionalProperties": corpus}}}
    link = "https://json-schema.org/draft/2020-12/schema"
    return {"$schema": link, **schema, "if": {"not": {"required": ["extends"]}}, "then": needs}

"""The JSON schema of the configuration, by which editors complete and check it."""

from typing import Any, Final, TypeAlias

from phonxling.settings.files import Corpus, Recogniser, Section
from phonxling.settings.models import Experiment

_Schema: TypeAlias = dict[str, Any]  # JSON of any shape, as pydantic types it

_FILE_NEEDS: Final[_Schema] = {"required": ["path"]}
_CORPUS_NEEDS: Final[_Schema] = {
    "required": ["gold"],
    "anyOf": [{"required": ["predicted"]}, {"required": ["posteriors"]}],
    "properties": dict.fromkeys(Corpus.FILES, _FILE_NEEDS),
}


def json_schema() -> _Schema:
    """Return the JSON schema (draft 2020-12) of a configuration's file.

    A file that `extends` another may leave out what that one has, so what is required is required of others alone.
    """
    schema = Experiment.model_json_schema()
    for part in [schema, *schema["$defs"].values()]:
        part.pop("required", None)
    shorts: dict[str, type[Section]] = {**Corpus.FILES, "recogniser": Recogniser}
    for kind, model in shorts.items():
        _allow_short(schema["$defs"]["Corpus"]["properties"][kind], model)
    schema["properties"]["extends"] = {
        "type": "string",
        "title": "Extends",
        "description": "Another configuration, relative to this one, whose settings are taken over.",
    }
    needs = {"required": ["corpora"], "properties": {"corpora": {"additionalProperties": _CORPUS_NEEDS}}}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **schema,
        "if": {"not": {"required": ["extends"]}},
        "then": needs,
    }


def _allow_short(field: _Schema, model: type[Section]) -> None:
    """Let a file, or a recogniser, be given as a plain string, in place."""
    field.pop("$ref", None)
    nullable = {"type": "null"} in field.get("anyOf", ())
    key = "path" if "path" in model.model_fields else "name"
    short = {"type": "string", "description": f"Short for {{{key}: …}}."}
    field["anyOf"] = [short, {"$ref": f"#/$defs/{model.__name__}"}, *([{"type": "null"}] if nullable else [])]

"""Reading YAML: plain data, one clear error for whatever is wrong."""

import json
import os
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import example, given, strategies as st
from support import error_of

from phonxling.configuration.checks import MAX_DEPTH, PlainData
from phonxling.configuration.yaml_files import MAX_BYTES, parse_yaml, read_yaml
from phonxling.core.errors import ConfigurationError, MissingFileError


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="Windows has no such pipes")
def test_a_pipe_in_the_place_of_a_configuration_keeps_nobody_waiting(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.yaml")
    assert "it is a pipe" in error_of(ConfigurationError, read_yaml, tmp_path / "pipe.yaml")


def parse(text: str) -> PlainData:
    return parse_yaml(text, "a.yaml")


def write(folder: Path, content: str | bytes) -> Path:
    path = folder / "a.yaml"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


WORDS = {
    **{word: word for word in ("no", "on", "12:30")},
    "true": True,
    "~": None,
    "'20'": "20",
    "010": 10,
    "1e3": 1000.0,
}


@pytest.mark.parametrize(("word", "value"), WORDS.items())
def test_words_are_read_by_the_core_schema_of_yaml_1_2(word: str, value: object) -> None:
    data = parse(f"key: {word}")
    assert data == {"key": value}
    assert isinstance(data, dict)
    assert type(data["key"]) is type(value)


def test_no_and_on_stay_text_as_values_and_as_keys() -> None:
    assert parse("no: no\non: [on, n]\n'1': x") == {"no": "no", "on": ["on", "n"], "1": "x"}
    with pytest.raises(ConfigurationError, match="directives"):
        parse("%YAML 1.1\n---\nno: no")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a: 1\na: 2", "a.yaml:2: the key a stands here and in line 1; keep one of the two"),
        ("b:\n  - c: 1\n    a: {}\n    a: {}", "a.yaml:4: the key a stands here and in line 3; keep one of the two"),
        ("b: {a: 1, a: 2}", "a.yaml:1: the key a stands here and in line 1; keep one of the two"),
        ("a: b: c", "a.yaml:1: a colon where none can stand"),
        ("b: {1: 1}", "a.yaml: b: a key must be a text, not 1; put it in quotes"),
        ("b: {'': 1}", "a.yaml: b: a key must be a text, not ''; give it a name"),
        ("a: 1\n---\nb: 2", "a.yaml:2: this is not valid YAML: expected a single document in the stream"),
        ("x: 1\na: !!python/object/apply:os.system [x]", "a.yaml:2: the tag tag:yaml.org,2002:python/object/apply:os"),
        ("a: &x [1]\nb: *x", "a.yaml:2: the alias *x"),
        ('a: {b: "\\uD800"}', "a.yaml: a.b: half of a surrogate pair"),
        ('a: "\\U00110000"', "not valid YAML"),
        (f"a: {'9' * 200}", "a.yaml: a: a number of more than 100 digits"),
    ],
)
def test_what_is_wrong_is_named_with_its_place(text: str, message: str) -> None:
    told = error_of(ConfigurationError, parse, text)
    assert message in told
    assert told.startswith("a.yaml:")
    assert "\n" not in told


@pytest.mark.parametrize("opening", ["[", "{a: "])
def test_deep_nesting_is_refused_before_it_is_built(opening: str) -> None:
    with pytest.raises(ConfigurationError, match=r"nested deeper than 50 levels|not valid YAML"):
        parse(opening * 20_000)


def test_the_depth_limit_is_exact() -> None:
    assert parse("[" * MAX_DEPTH + "1" + "]" * MAX_DEPTH)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", ": the file is empty"),
        ("- a\n- b", ": the file must be a mapping"),
        ("a: 1\nb: é\n".encode("latin-1"), ":2: not UTF-8"),
        (b"#" * (MAX_BYTES + 1), ": larger than 1,000,000 bytes"),
    ],
)
def test_files_that_are_no_configuration(tmp_path: Path, content: str | bytes, message: str) -> None:
    path = write(tmp_path, content)
    told = error_of(ConfigurationError, read_yaml, path)
    assert told.startswith(str(path))
    assert message in told


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(MissingFileError, match=r"no\.yaml: cannot be read: no such file"):
        read_yaml(tmp_path / "no.yaml")
    with pytest.raises(ConfigurationError, match="cannot be read: "):
        read_yaml(tmp_path)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_how_windows_saves_a_file_is_no_matter(tmp_path: Path, encoding: str) -> None:
    assert read_yaml(write(tmp_path, "\ufeffa: 1\r\nb: é\r\n".encode(encoding))) == {"a": 1, "b": "é"}


@given(st.text("ab:-[]{}&*!|>?#%@'\"\\ \t\n,.0~<", max_size=40))
@example("a: |99\n b")
@example("%TAG ! x\n%TAG ! y\n---\n!a b")
@example("%FOO x\n---\na: 1")
def test_no_text_brings_anything_but_data_or_a_configuration_error(text: str) -> None:
    with suppress(ConfigurationError):
        json.dumps(parse(text), default=str)

"""Reading YAML: plain data, exact positions, one clear error for whatever is wrong."""

import json
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import example, given, strategies as st
from support import error_of

from phonxling.core.errors import ConfigurationError
from phonxling.experiment.yaml_files import MAX_BYTES, parse_yaml, read_yaml
from phonxling.settings.checks import MAX_DEPTH, Document, Position


def parse(text: str) -> Document:
    return parse_yaml(text, lambda line, column: Position("a.yaml", line, column))


def write(folder: Path, content: str | bytes) -> Path:
    path = folder / "a.yaml"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


WORDS = {
    **{word: word for word in ("no", "on", "y", "Off", "1_000", "2024-01-01", "12:30", "=")},
    "true": True,
    "FALSE": False,
    "~": None,
    "": None,
    "null": None,
    "'20'": "20",
    "!!str 20": "20",
    "010": 10,
    "0o10": 8,
    "0x1F": 31,
    "-3": -3,
    "1e3": 1000.0,
    ".5": 0.5,
    "-.inf": float("-inf"),
}


@pytest.mark.parametrize(("word", "value"), WORDS.items())
def test_words_are_read_by_the_core_schema_of_yaml_1_2(word: str, value: object) -> None:
    data = parse(f"key: {word}").data
    assert data == {"key": value}
    assert isinstance(data, dict)
    assert type(data["key"]) is type(value)


@pytest.mark.parametrize("directive", ["", "%YAML 1.1\n---\n", "%YAML 1.2\n---\n"])
def test_no_and_on_stay_text_whatever_the_directive_and_as_keys(directive: str) -> None:
    assert parse(f"{directive}no: no\non: [on, n]\n1: x").data == {"no": "no", "on": ["on", "n"], "1": "x"}


def test_every_key_and_value_keeps_its_line_and_column() -> None:
    document = parse("a: 1\nb:\n  c: [x, {d: y}]\n  ɛ: z\ne:\nf: 2\n")
    places = {path: (position.line, position.column) for path, position in document.values_at.items()}
    assert places == {
        (): (1, 1),
        ("a",): (1, 4),
        ("b",): (3, 3),
        ("b", "c"): (3, 6),
        ("b", "c", "0"): (3, 7),
        ("b", "c", "1"): (3, 10),
        ("b", "c", "1", "d"): (3, 14),
        ("b", "ɛ"): (4, 6),
        ("e",): (5, 1),
        ("f",): (6, 4),
    }
    assert str(document.keys_at["b", "c", "1", "d"]) == "a.yaml:3:11"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a: 1\na: 2", "a.yaml:2:1: the key 'a' is given twice, first at a.yaml:1:1"),
        ("b: {a: 1, a: 2}", "a.yaml:1:11: the key 'a' is given twice"),
        ("a:\n\tb: 1", "a.yaml:2:1: a tab"),
        ("a:\n  b: 1\n\tc: 1", "a.yaml:3:1: a tab"),
        ("a: [1,", "no valid YAML"),
        ("a: 'x", "no valid YAML"),
        ("a: b: c", "a.yaml:1:5: a colon where none can stand"),
        ("a: 1\nb\nc: 1", "a.yaml:2:1: a key without its colon"),
        ("? [a]\n: 1", "a.yaml:1:3: a key must be a word"),
        (": 1", "a.yaml:1:1: a key is missing"),
        ("a: 1\n---\nb: 2", "a.yaml:2:1: a second document"),
        ("a: \x07", "a.yaml:1:4: the character U+0007"),
        ("x: 1\na: !!python/object/apply:os.system [x]", "a.yaml:2:4: the tag !!python/object/apply:os.system"),
        ("a: !!set {x}", "the tag !!set"),
        ("!!python/name:os.system a: 1", "the tag !!python"),
        ("a: &x [1]\nb: *x", "a.yaml:2:4: the alias *x"),
        ('a: "\\uD800"', "a.yaml:1:4: half of a surrogate pair"),
        ('a: "\\U00110000"', "no valid YAML"),
        (f"a: {'9' * 5000}", "a.yaml:1:4: a number of 5000 digits"),
    ],
)
def test_what_is_wrong_is_named_with_its_place(text: str, message: str) -> None:
    told = error_of(ConfigurationError, parse, text)
    assert message in told
    assert told.startswith("a.yaml:")
    assert "\n" not in told


@pytest.mark.parametrize("opening", ["[", "{a: ", "- ", "? "])
def test_deep_nesting_is_refused_before_it_is_built(opening: str) -> None:
    with pytest.raises(ConfigurationError, match=r"nested deeper than 50 levels|a key must be a word"):
        parse(opening * 100_000)


def test_the_depth_limit_is_exact() -> None:
    assert parse("[" * MAX_DEPTH + "1" + "]" * MAX_DEPTH).data
    with pytest.raises(ConfigurationError, match=r"^a\.yaml:1:52: nested deeper than 50 levels$"):
        parse("[" * (MAX_DEPTH + 1) + "1" + "]" * (MAX_DEPTH + 1))


def test_a_bomb_of_aliases_is_refused() -> None:
    bomb = "a0: &a0 [x, x]\n" + "".join(f"a{i}: &a{i} [*a{i - 1}, *a{i - 1}]\n" for i in range(1, 40))
    with pytest.raises(ConfigurationError, match=r"a\.yaml:2:10: the alias \*a0"):
        parse(bomb)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", ":1:1: the file is empty"),
        ("# a comment\n", ":1:1: the file is empty"),
        ("- a\n- b", ":1:1: the file must be a mapping"),
        ("\n  word", ":2:3: the file must be a mapping"),
        ("a: 1\nb: é".encode("latin-1"), ":2:4: the byte 0xE9 is no UTF-8"),
        ("a: 1".encode("utf-16"), "0xFF is no UTF-8"),
        (b"\xef\xbb", "is no UTF-8"),
        (b"\xef\xbb\xff: 1", "is no UTF-8"),
        (b"#" * (MAX_BYTES + 1), ":1:1: larger than 1,000,000 bytes"),
    ],
)
def test_files_that_are_no_configuration(tmp_path: Path, content: str | bytes, message: str) -> None:
    path = write(tmp_path, content)
    told = error_of(ConfigurationError, read_yaml, path)
    assert told.startswith(str(path))
    assert message in told


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match=r"no\.yaml: the configuration cannot be read: No such file"):
        read_yaml(tmp_path / "no.yaml")
    with pytest.raises(ConfigurationError, match="cannot be read: Is a directory"):
        read_yaml(tmp_path)


def test_a_byte_order_mark_and_windows_line_ends_are_no_matter(tmp_path: Path) -> None:
    document = read_yaml(write(tmp_path, "\ufeffa: 1\r\nb: 2\r\n"))
    assert document.data == {"a": 1, "b": 2}
    assert (document.values_at[("b",)].line, document.values_at[("b",)].column) == (2, 4)


words = st.text(st.characters(exclude_categories=["C"]), min_size=1, max_size=6)
scalars = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | words
trees = st.recursive(scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(words, inner, max_size=3))


@given(trees)
def test_json_is_yaml_and_reads_the_same(data: object) -> None:
    text = json.dumps({"key": data}, ensure_ascii=False)
    assert parse(text).data == json.loads(text)


@given(st.text("ab:-[]{}&*!|>?#%@'\"\\ \t\n,.0~<", max_size=40))
@example("a: |99\n b")
@example("%TAG ! x\n%TAG ! y\n---\n!a b")
@example("%FOO x\n---\na: 1")
def test_no_text_brings_anything_but_data_or_a_configuration_error(text: str) -> None:
    with suppress(ConfigurationError):
        assert () in parse(text).values_at

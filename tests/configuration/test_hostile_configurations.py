"""Configurations that ask for days, all memory, other folders or code: refused, in bounded time, in few words."""

import json
from pathlib import Path

import pytest
from hypothesis import given, strategies as st
from support import error_of

from phonxling.configuration.checks import LONGEST_PATH
from phonxling.configuration.files import LONGEST_NAME, check_name
from phonxling.configuration.reading import MOST_SHOWN, Experiment, load_configuration, resolve_settings
from phonxling.core.errors import ConfigurationError

CORPUS = "{gold: gold.tsv, predicted: predicted.tsv}"
MINIMAL = f"corpora: {{yoruba: {CORPUS}}}\n"


def loaded(folder: Path, text: str, *overrides: str) -> Experiment:
    path = folder / "a.yaml"
    path.write_bytes(text.encode(errors="surrogatepass"))
    return load_configuration(path, overrides)


def refusal(folder: Path, text: str, *overrides: str) -> str:
    message = error_of(ConfigurationError, loaded, folder, text, *overrides)
    assert len(message) < 50_000
    return message


@pytest.mark.parametrize(
    ("setting", "most"),
    [
        ("seed", 4_000_000_000),
        ("alignment.insertion", 1_000_000),
        ("alignment.deletion", 1_000_000),
        ("expected.smoothing", 1_000_000),
        ("information.permutations", 100_000),
        ("confidence.bins", 1_000),
        ("chance.replicates", 10_000),
        ("map.n_neighbors", 1_000),
        ("map.batches", 1_000),
        ("figures.width", 400),
    ],
)
def test_every_number_that_costs_time_or_memory_has_a_limit(tmp_path: Path, setting: str, most: int) -> None:
    assert resolve_settings(loaded(tmp_path, MINIMAL, f"{setting}={most}"))
    for above in (most + 1, 10**12, 10**90):
        message = refusal(tmp_path, MINIMAL, f"{setting}={above}")
        assert f"{setting}: may be at most {most:,}, not {above}"[:90] in message or "a figure is 60 to 400" in message
    described = (Path(__file__).parents[2] / "docs" / "scale.md").read_text(encoding="utf-8")
    assert f"`{setting}`" in described
    assert f"{most:,}" in described


@pytest.mark.parametrize(
    "name",
    [
        *("../../x", "/etc/passwd", "..", "", "a\\b", "a\0b", "a\nb", "a b", ".a", "a.", "~", "$HOME", "C:x"),
        *("CON", "con", "Aux.txt", "COM1", "lpt9.x", "NUL", "x" * (LONGEST_NAME + 1), "ẹ" * 40, "a\u202eb", "\u0301a"),
    ],
)
def test_names_that_cannot_be_files_everywhere(tmp_path: Path, name: str) -> None:
    assert "a.yaml: " in refusal(tmp_path, f"corpora: {{{json.dumps(name)}: {CORPUS}}}")
    assert "a.yaml: " in refusal(tmp_path, f"name: {json.dumps(name)}\n{MINIMAL}")


@given(st.text(max_size=120))
def test_a_name_that_is_taken_is_one_file_below_the_results(name: str) -> None:
    try:
        found = check_name(name)
    except ValueError:
        return
    path = Path("results") / found
    assert path.parent == Path("results")
    assert len(f".{found}-posterior_utterances.tsv.1234567.part".encode()) < 255
    assert found.isprintable()


@pytest.mark.parametrize(("name", "twin"), [("ELO\u030dWE", "elo\u030dwe"), ("Ä-x", "ä-x")])
def test_two_corpora_that_some_machines_take_for_one(tmp_path: Path, name: str, twin: str) -> None:
    assert "take both for one file" in refusal(tmp_path, f"corpora: {{{name}: {CORPUS}, {twin}: {CORPUS}}}")


def test_many_problems_are_counted_not_listed(tmp_path: Path) -> None:
    message = refusal(tmp_path, MINIMAL + "".join(f"key{n}: 1\n" for n in range(300)))
    assert message.splitlines()[0].endswith("a.yaml: 300 problems:")
    assert f"… and {300 - MOST_SHOWN} more" in message


def test_paths_without_end(tmp_path: Path) -> None:
    for key in ("alignment.insertion", "corpora.yoruba.gold.symbols", "features.path"):
        assert "a path has at most" in refusal(tmp_path, MINIMAL, f"{key}={'x/' * LONGEST_PATH}")
    long = f"alignment.insertion=./{'x' * 300}"  # longer than any file system takes
    assert "there is no table" in refusal(tmp_path, MINIMAL, long)


def test_an_override_deeper_than_any_configuration(tmp_path: Path) -> None:
    assert "write --set key.path=value" in refusal(tmp_path, MINIMAL, f"{'a.' * 50_000}a=1")


@pytest.mark.parametrize(
    ("key", "text"),
    [("corpora.yoruba.recogniser", "a\nb"), ("corpora.yoruba.gold.where.lang", "\x1b]0;x\x07"), ("classes.x", "a\0")],
)
def test_texts_with_control_characters(tmp_path: Path, key: str, text: str) -> None:
    assert "control character" in refusal(tmp_path, MINIMAL, f"{key}={json.dumps(text)}")


@pytest.mark.parametrize("query", ["+syl|" * 300, "+" + "x" * 2000, "(" * 1500])
def test_queries_without_end(tmp_path: Path, query: str) -> None:
    assert "at most 1,000 letters" in refusal(tmp_path, f"{MINIMAL}classes: {{x: '{query}'}}")

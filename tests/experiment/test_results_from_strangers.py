"""Folders of results from someone else: any manifest and any kind of file ends in one clear message, and soon."""

import json
import os
import shutil
import signal
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from phonxling.comparison.compare import Choices
from phonxling.configuration.reading import load_configuration
from phonxling.core.errors import PhonxlingError
from phonxling.core.files import digest
from phonxling.core.work import SERIAL, SilentProgress
from phonxling.experiment.pipeline import run, verify
from phonxling.experiment.results import compare_results, redraw
from phonxling.results.folder import MANIFEST, write_manifest

CHOICES = Choices(None, allow_different=True)
BAD = (None, [None], {"../" * 2000: "x"}, {"a\0b": "x"})
DEEP = b"[" * 200_000


@pytest.fixture
def out(small_run: Path, tmp_path: Path) -> Path:
    """A copy of results, without figures."""
    ignored = shutil.ignore_patterns("figures", "report.html")
    return Path(shutil.copytree(small_run / "results", tmp_path / "out", ignore=ignored))


@contextmanager
def ending() -> Iterator[None]:
    """Raise TimeoutError in what waits for ever, such as for a pipe: after ten minutes, however busy the machine is."""

    def end(*_: object) -> None:
        raise TimeoutError

    before = signal.signal(signal.SIGALRM, end)
    signal.alarm(600)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def refusal(command: Callable[[Path], object], out: Path) -> str:
    with pytest.raises(PhonxlingError) as caught, ending():
        command(out)
    return str(caught.value)


def verify_only(out: Path) -> list[str]:
    return verify(out, out.parent, None, SilentProgress())


def draw_again(out: Path) -> object:
    return redraw(out, SilentProgress())


def compare_with_itself(out: Path) -> object:
    twin = Path(shutil.copytree(out, out.parent / "twin", symlinks=True, copy_function=os.link, dirs_exist_ok=True))
    return compare_results([out, twin], out.parent / "comparison", CHOICES, SilentProgress())


def run_over(out: Path) -> object:
    from small_experiment import make_experiment

    return run(load_configuration(make_experiment(out.parent / "data", utterances=2)), out, SERIAL, SilentProgress())


def change(out: Path, parts: Mapping[str, Any]) -> None:
    """Write other parts into a manifest; of names with dots, parts of parts."""
    manifest = json.loads((out / MANIFEST).read_text(encoding="utf-8"))
    for place, value in parts.items():
        *above, last = place.split(".")
        holder = manifest
        for name in above:
            holder = holder[name]
        holder[last] = value
    if isinstance(manifest["outputs"], dict):
        write_manifest(out, manifest, manifest["outputs"])
    else:
        (out / MANIFEST).write_text(json.dumps(manifest), encoding="utf-8")


@pytest.mark.parametrize(
    "part", ["outputs", "inputs", "libraries", "phonxling", "configuration", "configuration.corpora"]
)
def test_a_manifest_with_any_other_part_is_never_as_it_says(small_run: Path, tmp_path: Path, part: str) -> None:
    for value in BAD:
        shutil.copyfile(small_run / "results" / MANIFEST, tmp_path / MANIFEST)
        change(tmp_path, {part: value})
        refusal(verify_only, tmp_path)
        if "configuration" in part:
            assert "its settings are not valid: " in refusal(draw_again, tmp_path)


@pytest.mark.parametrize("whole", [b"[]", b"\xff", DEEP])
@pytest.mark.parametrize("command", [verify_only, draw_again, compare_with_itself, run_over])
def test_a_manifest_that_is_none_is_one_message(
    tmp_path: Path, whole: bytes, command: Callable[[Path], object]
) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / MANIFEST).write_bytes(whole)
    assert MANIFEST in refusal(command, tmp_path / "out")


@pytest.mark.parametrize("told", [DEEP, b'{"configuration_folder": "a\\u0000b"}'])
def test_any_place_where_the_configuration_was_said_to_be_is_one_message(out: Path, told: bytes) -> None:
    (out / "run.json").write_bytes(told)
    said = refusal(lambda folder: verify(folder, None, None, SilentProgress()), out)
    assert "run.json: does not say where the configuration was" in said


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="Windows has no such pipes")
@pytest.mark.parametrize(
    ("command", "name"),
    [
        *((command, MANIFEST) for command in (verify_only, compare_with_itself, draw_again, run_over)),
        *((command, "phones.tsv") for command in (verify_only, compare_with_itself, draw_again)),
    ],
)
def test_a_pipe_in_the_place_of_a_file_keeps_nobody_waiting(
    out: Path, name: str, command: Callable[[Path], object]
) -> None:
    (out / name).unlink(missing_ok=True)
    os.mkfifo(out / name)
    with ending(), suppress(PhonxlingError):  # a run may replace it, and reading passes it over or names it
        command(out)


def test_formats_of_figures_lead_nowhere_else(out: Path, tmp_path: Path) -> None:
    change(out, {"configuration.figures.formats": ["/../../../escaped.png"]})
    refusal(draw_again, out)
    assert not list(tmp_path.rglob("escaped*"))


def test_a_control_character_in_a_table_is_one_message_with_its_line(out: Path) -> None:
    name = "alignments.tsv"
    header, first, rest = (out / name).read_text(encoding="utf-8").split("\n", 2)
    cells = first.split("\t")
    cells[2] += "\0"
    (out / name).write_text("\n".join([header, "\t".join(cells), rest]), encoding="utf-8", newline="")
    manifest = json.loads((out / MANIFEST).read_text(encoding="utf-8"))
    manifest["configuration"]["figures"]["kinds"] = ["utterances"]  # which reads that table
    write_manifest(out, manifest, {**manifest["outputs"], name: digest(out / name)})
    assert f"{name}:2: holds a control character" in refusal(draw_again, out)

"""A loader that another distribution brings: installed in an environment of its own, found, used, and named."""

import hashlib
import json
import os
import sys
import tomllib
from pathlib import Path

import pytest
from documentation import ROOT, blocks
from running import python
from support import write

MODULE = '''
from pathlib import Path

from phonxling import DataError
from phonxling.files import Transcript, TranscriptBuilder
from phonxling.load.building import Format, LoaderOptions


def load(path: Path, reading: LoaderOptions) -> Transcript:
    """Read `id: phone-phone-phone` on each line."""
    builder = TranscriptBuilder(str(path))
    for line, text in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        name, mark, phones = text.partition(": ")
        if not mark:
            raise DataError(f"{path}:{line}: no colon")
        builder.add_utterance(name, phones.split("-"), line)
    return builder.finish()


dashed = Format("anything", load, (".dsh", ".dashes"))
'''
DICT = "def load(path, reading):\n    return {}\n"


def install(folder: Path, name: str, points: str, module: str = MODULE) -> dict[str, str]:
    """Put a distribution where an installer would, and return an environment that has it."""
    place, file = folder / "installed", name.replace("-", "_")
    about = place / f"{file}-2.5.dist-info"
    write(place / f"{file}.py", module)
    write(about / "METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: 2.5\n")
    write(about / "entry_points.txt", f"[phonxling.loaders]\n{points}\n")
    write(about / "RECORD", f"{file}.py,,\n")
    return {**os.environ, "PYTHONPATH": os.pathsep.join([str(place), *sys.path])}


LOAD = "from pathlib import Path; from phonxling.load.formats import load_transcript; load_transcript(Path('x.dashed'))"
CONFIGURE = (
    "from pathlib import Path; from phonxling.configuration.reading import load_configuration;"
    "load_configuration(Path('x.yaml'))"
)
CONFIGURATION = """\
corpora:
  x:
    gold: gold.dsh
    predicted: {path: heard.txt, format: dashed}
chance: {replicates: 2}
map: {method: pca}
figures: {formats: [png]}
"""


@pytest.mark.slow
def test_a_loader_is_found_used_and_named(tmp_path: Path) -> None:
    environment = install(tmp_path, "phones-in-dashes", "dashed = phones_in_dashes:dashed")
    text = "u1: p-a-t\nu2: b-i\nu3: a-b\n"
    write(tmp_path / "gold.dsh", text)
    write(tmp_path / "heard.txt", text.replace("t", "d"))
    write(tmp_path / "x.yaml", CONFIGURATION)
    found = python("-m", "phonxling", "run", "x.yaml", "--quiet", cwd=tmp_path, env=environment)
    assert found.returncode == 0, found.stderr
    manifest = json.loads((tmp_path / "results/x/manifest.json").read_text(encoding="utf-8"))
    source = hashlib.sha256(MODULE.encode()).hexdigest()[:12]
    assert manifest["loaders"] == {"dashed": f"phones-in-dashes 2.5 {source}"}
    assert set(manifest["inputs"]) == {"gold.dsh", "heard.txt"}
    without = python("-c", CONFIGURE, cwd=tmp_path, env=dict(os.environ))
    assert without.returncode == 1
    assert "corpora.x.predicted.format: must be tsv, csv" in without.stderr


@pytest.mark.parametrize(
    ("points", "module", "text"),
    [
        ("dashed = phones_in_dashes:gone", MODULE, "the loader of 'dashed' (phones-in-dashes 2.5) cannot be imported"),
        ("dashed = phones_in_dashes:load", MODULE, "x.dashed:2: no colon"),
        ("dashed = phones_in_dashes:load", DICT, "x.dashed: the loader of 'dashed' must return a Transcript, not dict"),
    ],
)
def test_what_is_wrong_with_a_loader(points: str, module: str, text: str, tmp_path: Path) -> None:
    environment = install(tmp_path, "phones-in-dashes", points, module)
    write(tmp_path / "x.dashed", "u1: a-b\nu2 a\n")
    found = python("-c", LOAD, cwd=tmp_path, env=environment)
    assert found.returncode == 1
    assert text in found.stderr.splitlines()[-1]


def test_two_packages_that_claim_one_name(tmp_path: Path) -> None:
    for name in ("one", "two"):
        environment = install(tmp_path, name, f"dashed = {name}:dashed")
    write(tmp_path / "x.dashed", "u1: a-b\n")
    found = python("-c", LOAD, cwd=tmp_path, env=environment)
    assert (
        "the format 'dashed' is claimed by two installed packages, one 2.5 and two 2.5; uninstall one" in found.stderr
    )


@pytest.mark.slow
def test_the_loader_of_the_documentation_is_one(tmp_path: Path) -> None:
    files = {block.file: block.text for block in blocks(ROOT / "docs/loader.md") if block.file}
    project = tomllib.loads(files["pyproject.toml"])["project"]
    points = "\n".join(f"{name} = {place}" for name, place in project["entry-points"]["phonxling.loaders"].items())
    environment = install(tmp_path, project["name"], points, files["phones_in_dashes.py"])
    write(tmp_path / "dashed.yaml", files["dashed.yaml"])
    write(tmp_path / "gold.dashed", "u1: p-a-t\nu2: b-i\n")
    write(tmp_path / "predicted.txt", "u1: p-a\nu2: b-i\n")
    done = python("-m", "phonxling", "check", "dashed.yaml", cwd=tmp_path, env=environment)
    assert done.returncode == 0, done.stderr
    assert "2 utterances, 5 gold phones" in done.stdout
    write(tmp_path / "predicted.txt", "u1 p-a\n")
    done = python("-m", "phonxling", "check", "dashed.yaml", cwd=tmp_path, env=environment)
    assert "predicted.txt:1: there is no colon and space after the id" in done.stderr

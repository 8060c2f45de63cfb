"""The documentation: its examples run, its commands and settings are the program's, its links lead somewhere."""

import os
import re
import shutil
import subprocess
import sys
import tomllib
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import jinja2
import pytest
import write_docs
from documentation import COMMANDS, KNOWN, PAGES, ROOT, blocks, commands, commands_in_text, prepare, try_block
from ruamel.yaml import YAML
from running import python
from support import panphon_itself

from phonxling.configuration.reading import load_configuration
from phonxling.draw.gallery import FIGURES
from phonxling.version import __version__

NAMES = {page.relative_to(ROOT).as_posix(): page for page in PAGES}
TEXTS = {name: page.read_text(encoding="utf-8") for name, page in NAMES.items()}
WITH_BLOCKS = [name for name, page in NAMES.items() if blocks(page)]
RUN = {  # by page, the commands that are run
    name: [words for block in blocks(page) if block.language == "sh" and not block.why
           for words in commands(block) if words[0] == "phonxling"]
    for name, page in NAMES.items()
}  # fmt: skip


@pytest.mark.parametrize("name", WITH_BLOCKS)
def test_examples_run_and_settings_and_commands_are_right(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    prepare(NAMES[name], tmp_path)
    monkeypatch.chdir(tmp_path)
    scope: dict[str, object] = {}
    for block in blocks(NAMES[name]):
        assert block.language in KNOWN
        if "panphon" in block.text and block.language == "python" and "import" in block.text:
            panphon_itself()  # skips where it is not installed
            monkeypatch.setattr("panphon.distance.Distance", panphon_itself)
        try_block(block, tmp_path, scope)


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in RUN if RUN[name]])
def test_commands_run(name: str, tmp_path: Path) -> None:
    prepare(NAMES[name], tmp_path)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), *sys.path])}
    for words in RUN[name]:
        python("-m", *words, cwd=tmp_path, check=True, env=environment)


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("Rscript") is None, reason="R is not installed")
@pytest.mark.parametrize("library", ["", "glmmTMB"])
def test_r_reads_the_tables(small_run: Path, library: str) -> None:
    known = ["Rscript", "-e", f"quit(status = !requireNamespace('{library}', quietly = TRUE))"]
    if library and subprocess.run(known, check=False).returncode:  # noqa: S603 - our own text
        pytest.skip(f"R's {library} is not installed")
    programs = (block.text for block in blocks(NAMES["docs/r.md"]) if block.language == "r")
    text = next(text for text in programs if f"library({library})" in text or not library)
    program = text.replace("results/demo", str(small_run / "results"))
    subprocess.run(["Rscript", "-e", program], check=True)  # noqa: S603, S607 - our own text


@pytest.mark.slow
@pytest.mark.skipif(find_spec("statsmodels") is None, reason="statsmodels is not installed")
def test_statsmodels_fits_the_mixed_model(small_run: Path) -> None:
    programs = (block.text for block in blocks(NAMES["docs/r.md"]) if block.language == "python")
    text = next(text for text in programs if "statsmodels" in text)
    program = text.replace("results/demo", str(small_run / "results"))
    subprocess.run([sys.executable, "-W", "ignore", "-c", program], check=True)  # noqa: S603 - our own text


def test_commands_and_options_that_sentences_name_exist() -> None:
    for words in (words for page in PAGES for words in commands_in_text(page)):
        options = [option for one in COMMANDS[words[0]].params for option in one.opts]
        assert [word for word in words if word.startswith("--") and word.partition("=")[0] not in options] == [], words


def test_generated_parts_are_what_the_program_declares() -> None:
    """A difference is mended by `python scripts/write_docs.py`."""
    for name, text in TEXTS.items():
        assert text == write_docs.filled(text), name


def test_pages_need_no_build_to_be_read() -> None:
    for name, text in TEXTS.items():
        blocks = re.findall(r"^```\{([\w-]+)", text, re.MULTILINE)
        assert set(blocks) <= {"code-cell"} | ({"sentences", "said"} if name == "docs/sentences.md" else set()), name


# What people ask, and the pages that answer it.
ASKED = {
    "the definition of wPER": "docs/measures/rates.md",
    "chance": "docs/measures/chance.md",
    "how to cite": "docs/cite.md",
    "features of one's own": "docs/symbols.md",
    "CTC logits": "docs/ctc.md",
    "a column": "docs/tables.md",
    "the size of a figure": "docs/results.md",
    "speakers": "docs/own_data.md",
    "two systems": "docs/compare.md",
}


def test_an_answer_is_at_most_two_clicks_from_the_readme() -> None:
    near = {"README.md"}
    for _ in range(2):
        links = [
            NAMES[name].parent / link
            for name in near & {*NAMES}
            for link in re.findall(r"\]\(((?!https?:)[^)#\s]+)", TEXTS[name])
        ]
        near |= {to.resolve().relative_to(ROOT).as_posix() for to in links}
    assert {question for question, page in ASKED.items() if page not in near} == set()


def test_every_figure_that_the_gallery_names_has_its_picture() -> None:
    pictures = re.findall(r"\((.*\.png)\)", TEXTS["docs/gallery.md"])
    assert {f"images/gallery/{one.name}.png" for one in FIGURES} <= {*pictures}


def test_links_lead_to_files_and_headings() -> None:
    links = [(NAMES[name], link) for name in NAMES for link in re.findall(r"\]\(((?!https?:)[^)\s]+)\)", TEXTS[name])]
    for page, (file, _, heading) in ((page, link.partition("#")) for page, link in links):
        target = (page.parent / file) if file else page
        assert target.exists(), (page, file)
        assert not heading or heading in headings(target), (page, heading)


@cache
def headings(page: Path) -> set[str]:
    """Return what links to a page's headings end in, as both GitHub and the site make it."""
    lines = re.findall(r"^#+ (.*)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", line.casefold()).strip().replace(" ", "-") for line in lines}


def test_scripts_and_configurations_that_pages_name_are_there() -> None:
    named = re.findall(r"(?<![\w/])((?:scripts|configs)/[\w-]+\.\w+)", "\n".join(TEXTS.values()))
    assert [path for path in named if not (ROOT / path).exists()] == []


def test_shipped_configurations_are_valid() -> None:
    for path in (ROOT / "configs").glob("*.yaml"):
        assert load_configuration(path).name == path.stem


def test_each_place_has_the_version_of_the_package() -> None:
    places = {
        "CITATION.cff": r"(?m)^version: (.*)$",
        "CHANGELOG.md": r"\n## ([\d.]+)",
        "docs/cite.md": r"version = \{(.*)\}",
        "docs/glossary.md": r"“v:(.*?)”",
        "docs/own_data.md": r"\|v:(.*?)\|",
    }
    found = {name: re.search(pattern, (ROOT / name).read_text(encoding="utf-8")) for name, pattern in places.items()}
    assert {name: match and match[1] for name, match in found.items()} == dict.fromkeys(places, __version__)


# What people search, and pages that must be among the raw files found.
SEARCHED = {
    "journal width": "docs/results.md",
    "p_predicted_given_gold": "docs/tables.md",
    "share_of_gold": "docs/tables.md",
    "worst phones": "docs/results.md",
    "PCC": "docs/measures/features.md",
    "mispronunciation": "docs/measures/mispronunciation.md",
    "CTC logits": "docs/ctc.md",
    "BibTeX": "docs/cite.md",
}


def test_a_search_in_the_files_finds_the_page() -> None:
    assert [words for words, page in SEARCHED.items() if words.casefold() not in TEXTS[page].casefold()] == []


def test_the_conda_recipe_takes_its_version_and_its_libraries_from_the_project() -> None:
    folder = ROOT / "scripts/packaging/conda"

    def load_file_data(path: str, from_recipe_dir: bool) -> dict[str, Any]:
        assert from_recipe_dir
        return tomllib.loads((folder / path).read_text(encoding="utf-8"))

    def load_file_regex(path: str, pattern: str, from_recipe_dir: bool) -> re.Match[str] | None:
        assert from_recipe_dir
        return re.search(pattern, (folder / path).read_text(encoding="utf-8"))

    template = jinja2.Template((folder / "meta.yaml").read_text(encoding="utf-8"))
    text = template.render(load_file_data=load_file_data, load_file_regex=load_file_regex)
    recipe, project = YAML(typ="safe").load(text), load_file_data("../../../pyproject.toml", True)["project"]
    assert recipe["package"] == {"name": "phonxling", "version": __version__}
    assert (folder / recipe["source"]["url"]).resolve() == ROOT / f"dist/phonxling-{__version__}.tar.gz"
    assert recipe["requirements"]["run"] == [f"python {project['requires-python']}", *project["dependencies"]]

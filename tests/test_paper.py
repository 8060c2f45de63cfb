"""docs/paper/paper.tex takes from results only what a run of configs/paper.yaml writes."""

import re
from pathlib import Path

import pytest
from running import Command, read_tsv

from phonxling.configuration.reading import load_configuration

ROOT = Path(__file__).resolve().parent.parent
PAPER = re.sub(r"(?<!\\)%.*", "", (ROOT / "docs/paper/paper.tex").read_text(encoding="utf-8"))
LITTLE = ("chance.replicates=1", "information.permutations=10", "figures.formats=[pdf]", "report.html=false")
SETTINGS = [*(word for one in LITTLE for word in ("--set", one)), "--output", "results", "--workers", "1"]


def expanded() -> str:
    """Return the paper with the commands that it defines for each language written out."""
    text = PAPER
    for name in ("detailsof", "fromreference"):
        body = text.split(rf"\newcommand{{\{name}}}[1]")[1].split("\\newcommand", 1)[0].split("\\title", 1)[0]
        text = text.replace(body, "")
        text = re.sub(rf"\\{name}\{{(\w+)\}}", lambda found, body=body: body.replace("#1", found[1]), text)
    return text


def files_wanted() -> tuple[set[str], set[str]]:
    """Return the files that the paper takes from the results, and from the comparison."""
    taken = re.findall(r"\\result(?:table|figure)\{([^#}]+)\}", expanded())
    command = r"\\(?:input|settable|includegraphics(?:\[[^\]]*\])?|bibliography)"
    named = re.findall(command + r"\{\\(results|comparison)/([^#}]+)\}", PAPER)
    files = [("results", name) for name in taken] + named
    ends = {"paper/references": ".bib"}
    whole = [(side, name if "." in name else name + ends.get(name, ".tex")) for side, name in files]
    own = {name for side, name in whole if side == "results"}
    return own, {name for side, name in whole if side == "comparison"}


def test_every_language_of_the_configuration_is_in_the_paper() -> None:
    corpora = set(load_configuration(ROOT / "configs/paper.yaml", []).corpora)
    assert set(re.findall(r"\\detailsof\{(\w+)\}", PAPER)) == corpora
    assert {f"paper/phones-{corpus}.tex" for corpus in corpora} < files_wanted()[0]
    assert {"figures/differences.pdf", "paper/differences.tex"} == files_wanted()[1]


def test_no_number_is_typed() -> None:
    body = PAPER.split(r"\begin{document}")[1]
    assert re.findall(r"\d+\.\d+", body.replace("0.05", "", 1)) == []


@pytest.mark.slow
def test_the_paper_of_the_method_stands_where_its_page_says(phonxling: Command, tmp_path: Path) -> None:
    ran = phonxling("run", ROOT / "configs/method-paper.yaml", *SETTINGS)
    assert ran.code == 0, ran.stderr
    page = (ROOT / "docs/method_paper.md").read_text(encoding="utf-8")
    rows = [re.split(r"(?<!\\)\|", line) for line in page.splitlines() if line.startswith("| ")][1:]
    missing = list[str]()
    assert len(rows) > 15
    for _, item, where, *_ in rows:
        for part in where.split(";"):
            file, *names = re.findall("`([^`]+)`", part)
            path = tmp_path / "results" / file
            if not path.is_file():
                missing.append(f"{item}: {file}")
            elif file.endswith(".tsv"):
                table = read_tsv(path)
                known = {*table.columns, *table.get("side", [])}
                if "measure" in table:
                    known |= {*(table["measure"] + " " + table["variant"].fillna("")).str.strip()}
                missing += [f"{item}: {file}: {name}" for name in names if name not in known]
    assert missing == []


@pytest.mark.slow
def test_a_run_writes_all_that_the_paper_takes(phonxling: Command, tmp_path: Path) -> None:
    ran = phonxling("run", ROOT / "configs/paper.yaml", *SETTINGS)
    assert ran.code == 0, ran.stderr
    compared = phonxling("compare", "results", "--output", "languages")
    assert compared.code == 0, compared.stderr
    own, other = files_wanted()
    assert sorted(name for name in own if not (tmp_path / "results" / name).is_file()) == []
    assert sorted(name for name in other if not (tmp_path / "languages" / name).is_file()) == []
    captions = (tmp_path / "results/paper/captions.tex").read_text(encoding="utf-8")
    for name in re.findall(r"\\figurecaption\{([^}]+)\}", expanded()):
        assert f"figurecaption:{name}\\endcsname" in captions
        assert f"figures/{name}.pdf" in own

"""Of recognisers that are not above chance nothing is tested and nothing called better, in a run or a comparison."""

import re
from pathlib import Path

import numpy as np
import pytest
from compared_results import finish, invoke, misheard, printed, table, write
from support import speakers_file

from phonxling.analyses.languages import ranked_items
from phonxling.report.page_comparison import page_of_comparison
from phonxling.results.folder import read_manifest

PHONES = ["p", "b", "t", "a", "i", "u", "s"]
BELOW = ("random", "collapsed", "two")
TEXT = """\
name: {name}
corpora: {{{corpora}}}
chance: {{models: [constant, unigram, shuffled], replicates: 5}}
figures: {{formats: [svg]}}
report: {{html: false}}
"""


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two languages of twelve speakers; recognisers that say phones of their own frequencies, or one or two phones."""
    made, generator = tmp_path_factory.mktemp("chance"), np.random.default_rng(3)
    for language in ("one", "other"):
        names = [f"{language}{number:02d}" for number in range(60)]
        gold = [generator.choice(PHONES, 12).tolist() for _ in names]
        heard = {"good": [misheard(line, 0.2, generator, PHONES) for line in gold]}
        drawn = [phone for line in heard["good"] for phone in line]
        heard["random"] = [generator.choice(drawn, 12).tolist() for _ in names]
        heard["collapsed"] = [["a"] * 12 for _ in names]
        heard["two"] = [generator.choice(["a", "t"], 12).tolist() for _ in names]
        for name, lines in {"gold": gold, **heard}.items():
            write(made / f"{language}-{name}.tsv", names, lines)
        speakers_file(made / f"{language}-speakers.tsv", {one: f"{language}s{at % 12}" for at, one in enumerate(names)})
    return made


def results(data: Path, name: str, *systems: str) -> Path:
    corpora = []
    for one in systems:
        language = one.partition("-")[0]
        files = f"gold: {language}-gold.tsv, predicted: {one}.tsv, speakers: {language}-speakers.tsv"
        corpora.append(f"{one.replace('-', '')}: {{{files}}}")
    return finish(data, name, TEXT.format(name=name, corpora=", ".join(corpora)))


@pytest.fixture(scope="module")
def compared(data: Path) -> Path:
    every = [*(f"one-{name}" for name in ("good", *BELOW)), "other-good", "other-random"]
    found = invoke(results(data, "all", *every), "--output", data / "out")
    assert found.exit_code == 0, found.output
    assert printed(found).count("Nothing is tested between onegood and onerandom, onegood and onecollapsed, ") == 1
    return data / "out"


def test_only_the_two_that_are_above_chance_are_tested(compared: Path) -> None:
    for name in ("differences", "phones", "confusions", "features"):
        rows = table(compared / f"{name}.tsv")
        assert len(rows)
        above = rows["item"].str.endswith("good") & rows["other"].str.endswith("good")
        assert above.any()
        assert (rows["status"] == "not-above-chance")[~above].all()
        assert rows.loc[~above, "q"].isna().all()
        assert rows.loc[above, "q"].notna().any()
    rows = table(compared / "differences.tsv")
    assert set(rows.loc[rows["test"] != "none", "item"]) == {"onegood"}
    letters = {item: own for item, (_, own) in ranked_items(rows, "skill_wper").items()}
    assert all(bool(own) == item.endswith("good") for item, own in letters.items())


def test_no_sentence_calls_one_of_them_better_or_orders_them(compared: Path, data: Path) -> None:
    page = page_of_comparison(compared, read_manifest(compared))
    order, _, untested = page.ranking.partition("Nothing is tested between ")
    assert set(re.findall(r"\w+(?= [0-9.]+ \()", order)) == {"onegood", "othergood"}
    assert "random" in untested
    rows = table(data / "results" / "all" / "languages.tsv").query("measure == 'skill_wper'")
    below = ~rows["corpus"].str.endswith("good")
    assert {*zip(rows[below]["status"], rows[below]["letters"], strict=True)} == {("not-above-chance", "")}
    for pair in page.findings:
        if pair["first"].endswith("good") and pair["second"].endswith("good"):
            continue
        assert pair["verdict"].startswith("Nothing is tested between ")
        assert not any(pair[part] for part in ("phones", "confusions", "undecided"))

"""A second transcriber against known disagreements, and Cohen's κ against scikit-learn's."""

import json
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from running import command
from sklearn.metrics import cohen_kappa_score
from support import transcript

import phonxling as px
from phonxling.analyses.rates import kappa

PHONES = ["p", "t", "k", "m", "s", "a", "i", "u", "o"]
Said = dict[str, list[str]]


@pytest.fixture(scope="module")
def made() -> dict[str, Said]:
    """Every second u is an o for both others, in half of the utterances one of them leaves the last phone out."""
    generator = np.random.default_rng(4)
    gold = {f"u{number}": list(generator.choice(PHONES, 10)) for number in range(30)}
    seen = 0
    theirs: Said = {}
    for utterance, phones in gold.items():
        theirs[utterance] = []
        for phone in phones:
            seen += phone == "u"
            theirs[utterance].append("o" if phone == "u" and seen % 2 else phone)
    heard = {name: ["k" if phone == "t" else phone for phone in phones] for name, phones in theirs.items()}
    second = {name: phones[:-1] if int(name[1:]) % 2 else phones for name, phones in list(theirs.items())[:20]}
    return {"gold": gold, "second": second, "heard": heard}


@pytest.fixture(scope="module")
def scored(made: dict[str, Said], tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    folder = tmp_path_factory.mktemp("people")
    files = {name: transcript(folder / f"{name}.tsv", said) for name, said in made.items()}
    second = f"corpora.score.gold_second={files['second']}"
    code, text = command("score", files["gold"], files["heard"], "--set", second, "-o", folder / "out")
    assert code == 0
    return folder / "out", text


def pairs(one: Said, other: Said) -> tuple[list[str], list[str]]:
    """Aligned phones of utterances whose differences are substitutions, and at most a last phone left out."""
    cells = [
        (phone, other[name][place] if place < len(other[name]) else "∅")
        for name in other
        for place, phone in enumerate(one[name])
    ]
    first, second = zip(*cells, strict=True)
    return list(first), list(second)


def test_rates_are_those_of_the_known_disagreements(made: dict[str, Said], scored: tuple[Path, str]) -> None:
    folder, said = scored
    gold, second = pairs(made["gold"], made["second"])
    changed, left_out = sum(a != b != "∅" for a, b in zip(gold, second, strict=True)), second.count("∅")
    assert changed > 5
    assert left_out == 10
    cost = float(px.feature_costs(["u"], ["o"]).cost("u", "o"))
    found = json.loads((folder / "score.json").read_text(encoding="utf-8"))
    assert found["people_per"] == pytest.approx((changed + left_out) / 200, rel=1e-12)
    assert found["people_wper"] == pytest.approx((changed * cost + left_out) / 200, rel=1e-12)
    assert found["people_wper_low"] < found["people_wper"] < found["people_wper_high"]
    rows = pd.read_csv(folder / "summary.tsv", sep="\t").set_index("measure")
    of_recogniser = cost_of_both(made) / 200
    assert rows.loc["people_wper", "note"].startswith(
        f"on 20 of 30 utterances; the recogniser’s there is {of_recogniser:.4f}"
    )
    assert re.search(r"people_wper +0\.0537 \[0\.0342, 0\.0845\]", said)


def cost_of_both(made: dict[str, Said]) -> float:
    costs = px.feature_costs(PHONES, PHONES)
    gold, heard = pairs(made["gold"], {name: made["heard"][name] for name in made["second"]})
    return float(sum(costs.cost(*cell) for cell in zip(gold, heard, strict=True)))


def test_kappa_is_scikit_learns(made: dict[str, Said], scored: tuple[Path, str]) -> None:
    rows = pd.read_csv(scored[0] / "summary.tsv", sep="\t")
    found = rows[rows["measure"] == "kappa"].set_index("variant")
    heard = {name: made["heard"][name] for name in made["second"]}
    for variant, other in (("people", made["second"]), ("recogniser", heard)):
        assert found.loc[variant, "value"] == pytest.approx(cohen_kappa_score(*pairs(made["gold"], other)), rel=1e-12)
        assert found.loc[variant, "low"] < found.loc[variant, "value"] < found.loc[variant, "high"]


def test_kappa_of_tables_drawn_at_random() -> None:
    generator = np.random.default_rng(1)
    counts = generator.integers(0, 5, (4, 4, 3)).astype(float)
    for table, found in zip(np.moveaxis(counts, -1, 0).astype(int), kappa(counts), strict=True):
        rows, columns = np.indices(table.shape)
        assert found == pytest.approx(
            cohen_kappa_score(np.repeat(rows, table.ravel()), np.repeat(columns, table.ravel()))
        )


RUN = """\
corpora:
  made: {gold: {path: gold.tsv}, gold_second: {path: second.tsv}, predicted: {path: heard.tsv}}
chance: {models: [constant], replicates: 1}
figures: {formats: [svg]}
"""


@pytest.mark.slow
def test_people_stand_where_the_floor_stands(made: dict[str, Said], tmp_path: Path) -> None:
    for name, said in made.items():
        transcript(tmp_path / f"{name}.tsv", said)
    (tmp_path / "run.yaml").write_text(RUN, encoding="utf-8")
    code, text = command("run", tmp_path / "run.yaml", "-o", tmp_path / "out", "--workers", 1)
    assert code == 0, text
    assert "is the rate of a second transcriber beside gold" in " ".join(text.split())
    page = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    strips = page[page.index('id="first-section"') : page.index('id="strips-key"')]
    assert strips.count('stroke="var(--text)"') == 1  # the line of the second transcriber
    assert "Line: a second transcriber." in page
    assert "second transcriber" in (tmp_path / "out" / "figures" / "rates.svg").read_text(encoding="utf-8")
    assert command("verify", tmp_path / "out")[0] == 0


def test_without_distances_there_is_no_weighted_rate(made: dict[str, Said], tmp_path: Path) -> None:
    files = {name: transcript(tmp_path / f"{name}.tsv", said) for name, said in made.items()}
    second = f"corpora.score.gold_second={files['second']}"
    command("score", files["gold"], files["heard"], "--set", second, "-o", tmp_path / "out", "--costs", "sclite")
    rows = pd.read_csv(tmp_path / "out/summary.tsv", sep="\t").set_index("measure")
    assert "not phonetic distances" in rows.loc["people_wper", "note"]

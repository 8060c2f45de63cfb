"""Every kind of cost from the command line: what is computed, what is recorded, and what bad tables are told."""

import json
import zlib
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from running import printed, read_tsv
from small_experiment import make_experiment
from support import write

import phonxling as px
from phonxling.analyses.costs import observed_phones
from phonxling.configuration.reading import load_configuration
from phonxling.core.costs import cost_table
from phonxling.core.files import digest
from phonxling.core.inventory import Inventory
from phonxling.core.work import SERIAL, SilentProgress
from phonxling.experiment.pipeline import run
from phonxling.load.resources import panphon_features

GOLD = ("b", "t", "a", "i", "ĩ", "k͡p", "s")
HEARD = ("p", "b", "t", "ɑ", "i", "u", "s")
ENGLISH = ("p", "b", "t", "ɑ", "i", "u", "s")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("costs")
    make_experiment(made)
    return made


def rows_of(cost: Callable[[str, str], str], gaps: bool = False) -> str:
    gold, heard = sorted({*GOLD, *ENGLISH}), list(HEARD)
    rows = [(g, p, cost(g, p)) for g in gold for p in heard]
    if gaps:
        rows += [(g, "∅", cost(g, "∅")) for g in gold] + [("∅", p, cost("∅", p)) for p in heard]
    return "gold\tpredicted\tcost\n" + "".join("\t".join(row) + "\n" for row in rows)


def made_up(gold: str, heard: str) -> str:
    number = zlib.crc32(f"{gold}>{heard}".encode()) % 7
    return "0" if gold == heard else f"{number}/7" if "∅" not in (gold, heard) else "0.75"


def score(folder: Path, *arguments: str) -> dict[str, float | str | None]:
    sides = [str(folder / "yoruba" / f"{side}.tsv") for side in ("gold", "predicted")]
    return dict(json.loads(printed("score", *sides, "--symbols", "ipa,arpabet", "--json", *arguments)))


def corpus(folder: Path) -> px.Corpus:
    return px.load_corpus(folder / "yoruba/gold.tsv", folder / "yoruba/predicted.tsv", symbols=("ipa", "arpabet"))


def test_costs_over_their_largest_rest_on_no_declared_inventory(folder: Path) -> None:
    found = score(folder, "--costs", "panphon-nonzero")
    declared = score(folder, "--costs", "panphon-nonzero", "--inventory", "arpabet")
    assert [declared[name] for name in ("wper", "wper_low")] == [found[name] for name in ("wper", "wper_low")]
    read = corpus(folder)
    costs = px.feature_costs(read.gold_inventory, read.predicted_inventory, "panphon-nonzero")
    assert max(costs.cost(gold, heard) for gold in read.gold_inventory for heard in read.predicted_inventory) == 1
    wide = Inventory((*read.predicted_inventory, "k", "h", "oʊ", "ʒ"))
    table = cost_table("panphon-nonzero", read.gold_inventory, wide, panphon_features(), within=observed_phones(read))
    assert [table.cost("a", heard) for heard in HEARD] == [costs.cost("a", heard) for heard in HEARD]


def test_score_with_a_table_and_gaps_by_phone(folder: Path, tmp_path: Path) -> None:
    path = write(tmp_path / "own.tsv", rows_of(made_up))
    gaps = write(tmp_path / "gaps.tsv", "phone\tcost\n" + "".join(f"{phone}\t1/3\n" for phone in {*GOLD, *HEARD}))
    own = ["--set", f"alignment.insertion={gaps}", "--set", "alignment.deletion=2/3"]
    found, read = score(folder, "--costs", str(path), *own), corpus(folder)
    costs = px.feature_costs(
        read.gold_inventory, read.predicted_inventory, path, insertion=Fraction(1, 3), deletion=Fraction(2, 3)
    )
    wanted = px.weighted_phone_error_rate(px.count_confusions(px.align_corpus(read, costs)), costs)
    assert found["wper"] == pytest.approx(wanted, rel=1e-14)
    assert f"costs:table/{digest(path)[:8]}|ins:table/{digest(gaps)[:8]}|del:0.666667|" in str(found["signature"])


@pytest.mark.slow
def test_a_run_with_a_table_records_it(folder: Path, tmp_path: Path) -> None:
    write(folder / "own/costs.tsv", rows_of(made_up, gaps=True))
    (folder / "table.yaml").write_text(
        "extends: small.yaml\nalignment: {costs: own/costs.tsv, insertion: 0.2}\n", encoding="utf-8"
    )
    run(load_configuration(folder / "table.yaml"), tmp_path, SERIAL, SilentProgress())
    manifest = json.loads((tmp_path / "manifest.json").read_text(encoding="utf-8"))
    own = digest(folder / "own/costs.tsv")
    assert manifest["inputs"]["own/costs.tsv"] == own
    assert manifest["configuration"]["alignment"]["costs"] == "own/costs.tsv"
    assert manifest["costs"]["yoruba"] == {"name": f"table/{own[:8]}", "denominator": 140, "note": ""}
    assert manifest["signatures"]["yoruba"].startswith(f"costs:table/{own[:8]}|ins:0.2|sym:")
    pairs = read_tsv(tmp_path / "alignments.tsv").query("corpus == 'yoruba'")
    wanted = {
        (gold, heard): 0.2 if gold == px.symbols.GAP else float(Fraction(made_up(gold, heard)))
        for gold, heard in zip(pairs["gold"], pairs["predicted"], strict=True)
    }
    paid = [wanted[pair] for pair in zip(pairs["gold"], pairs["predicted"], strict=True)]
    assert np.allclose(pairs["cost"], paid)
    (wper,) = read_tsv(tmp_path / "summary.tsv").query("corpus == 'yoruba' and measure == 'wper'")["value"]
    assert wper == pytest.approx(sum(paid) / 192)

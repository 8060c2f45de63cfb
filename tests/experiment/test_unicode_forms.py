"""Labels are in Unicode NFC, however files and tables spell them, and the form of a file changes no number."""

import unicodedata
from pathlib import Path

import pandas as pd
import pytest
from running import read_tsv, write_tables_of
from small_experiment import make_experiment

import phonxling as px
from phonxling.analyses.costs import operations

TEXT = "utterance\tphones\n1\tẽ b ɔ̃ ç t͡ʃ\n2\tẽ ã ẽ ɲ à ɖ̰̃\n"
FORMS = ("NFC", "NFD")


def written(folder: Path, form: str) -> Path:
    path = folder / f"{form}.tsv"
    path.write_text(unicodedata.normalize(form, TEXT), encoding="utf-8")  # type: ignore[arg-type]
    return path


def composed(table: pd.DataFrame) -> bool:
    cells = table.to_numpy().ravel().tolist()
    return all(unicodedata.is_normalized("NFC", str(cell)) for cell in cells)


@pytest.mark.parametrize(("symbols", "tone"), [("ipa", "tier"), ("ipa", "attach"), ("raw", "strip")])
def test_a_files_form_makes_no_difference(tmp_path: Path, symbols: str, tone: str) -> None:
    files = [written(tmp_path, form) for form in FORMS]
    for gold, predicted in ((0, 0), (0, 1), (1, 0), (1, 1)):
        pair = files[gold], files[predicted]
        corpus = px.load_corpus(*pair, symbols=(symbols, symbols), tone=tone)  # type: ignore[arg-type]
        assert corpus.gold_inventory == corpus.predicted_inventory
        assert corpus.gold.codes.tolist() == corpus.predicted.codes.tolist()
        assert "ẽ" in corpus.gold_inventory.phones
        assert all(unicodedata.is_normalized("NFC", phone) for phone in corpus.gold_inventory)


@pytest.mark.parametrize("form", FORMS)
def test_what_is_given_in_python_is_known_in_either_form(form: str) -> None:
    def spelt(phone: str) -> str:
        return unicodedata.normalize(form, phone)  # type: ignore[arg-type]

    costs = px.feature_costs([spelt("ẽ"), "e"], ["ẽ", "e"], insertion={spelt("ẽ"): 0.5, "e": 1})
    assert costs.cost("ẽ", spelt("ẽ")) == 0
    assert float(costs.cost(None, spelt("ẽ"))) == 0.5
    assert px.align([spelt("ẽ")], ["ẽ"], costs) == [("ẽ", "ẽ")]
    matrix = px.ConfusionMatrix(gold=[spelt("ẽ")], predicted=["ẽ"], counts=[[3]])
    assert (matrix + px.ConfusionMatrix(gold=["ẽ"], predicted=["ẽ"], counts=[[1]])).gold.phones == ("ẽ",)
    found = operations(matrix)
    assert (found.correct, found.insertions) == (found.gold_tokens, 0)
    assert px.symbols.natural_classes([spelt("ẽ")], px.symbols.panphon_features()).default_of("ẽ") == "vowels"


SETTINGS = """\
features: {path: features.tsv}
alignment: {costs: costs.tsv, deletion: deletion.tsv}
expected: {common: common.tsv}
confidence: {map: map.tsv}
"""
GOLD = ("ĩ", *"bpstaɑiu", "k͡p")
TABLES = {  # the user's own tables of these settings
    "features": "segment\t" + "\t".join(px.symbols.panphon_features().features) + "\nĩ" + "\t0" * 24 + "\n",
    "costs": "gold\tpredicted\tcost\n" + "".join(f"{g}\t{p}\t1\n" for g in GOLD for p in "pbtɑius"),
    "deletion": "phone\tcost\n" + "".join(f"{phone}\t0.5\n" for phone in GOLD),
    "common": "target\treference\nĩ\ti\nb\tb\nt\tt\ns\ts\n",
    "map": "symbol\tipa\nĩ\ti\n",
}


@pytest.mark.slow
def test_the_tables_of_a_run_are_composed_and_the_same(tmp_path: Path) -> None:
    """Gold and the user's own tables, each in either form: every table is the same, but for the raw symbols."""
    configuration = make_experiment(tmp_path)
    configuration.write_text(configuration.read_text(encoding="utf-8") + SETTINGS, encoding="utf-8")
    gold = tmp_path / "yoruba" / "gold.tsv"
    own, runs = {tmp_path / f"{name}.tsv": text for name, text in TABLES.items()}, []
    content = {gold: gold.read_text(encoding="utf-8")}
    for number, forms in enumerate((("NFC", "NFC"), ("NFD", "NFC"), ("NFC", "NFD"))):
        for files, form in zip((content, own), forms, strict=True):
            for path, text in files.items():
                path.write_text(unicodedata.normalize(form, text), encoding="utf-8")  # type: ignore[arg-type]
        runs.append(tmp_path / f"run{number}")
        write_tables_of(configuration, runs[-1])
    names = [path.relative_to(runs[0]) for path in runs[0].glob("*.tsv")]
    assert len(names) > 12
    for name in names:
        first, *others = (read_tsv(run / name).drop(columns=["raw"], errors="ignore") for run in runs)
        for other in others:
            pd.testing.assert_frame_equal(first, other, check_exact=True, obj=str(name))
        assert composed(first), name

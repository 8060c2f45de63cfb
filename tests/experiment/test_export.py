"""Exported results: what other readers of TextGrid and EAF find is what the table of alignments holds."""

from pathlib import Path

import pandas as pd
import pytest
from pympi import Eaf
from running import Command

import phonxling as px
from phonxling.load.tiers import read_textgrid
from phonxling.results.export import export_results, separate_labels
from phonxling.results.tables import read_table


def expected_labels(rows: pd.DataFrame) -> dict[str, list[tuple[str, float, float]]]:
    """Return (text, start, end) of each tier by the table alone."""
    gold, predicted = rows[rows["gold"] != "∅"], rows[rows["predicted"] != "∅"]
    wrong, added = gold[gold["operation"] != "correct"], rows[rows["gold"] == "∅"]
    text = wrong["gold"] + " → " + wrong["predicted"]
    middle = (added["predicted_start"] + added["predicted_end"]) / 2
    return {
        "gold": [*zip(gold["gold"], gold["gold_start"], gold["gold_end"], strict=True)],
        "predicted": [
            *zip(predicted["predicted"], predicted["predicted_start"], predicted["predicted_end"], strict=True)
        ],
        "error": [*zip(text, wrong["gold_start"], wrong["gold_end"], strict=True)],
        "inserted": [(f"∅ → {phone}", at, at) for phone, at in zip(added["predicted"], middle, strict=True)],
    }


@pytest.mark.parametrize("form", ["textgrid", "eaf"])
def test_every_utterance_reads_back_as_the_table_has_it(
    form: str, small_run: Path, tmp_path: Path, phonxling: Command
) -> None:
    done = phonxling("export", small_run / "results", tmp_path / "out", "--format", form)
    table = read_table(small_run / "results", "alignments", "yoruba")
    utterances = dict(list(table.groupby("utterance")))
    assert f"yoruba: {len(utterances)} files" in done.stdout
    for name, rows in utterances.items():
        if form == "textgrid":
            tiers = {tier.name: tier.labels for tier in read_textgrid(tmp_path / "out" / "yoruba" / f"{name}.TextGrid")}
            found = {tier: [(text, *times) for _, text, times in own if text] for tier, own in tiers.items()}
        else:
            read = Eaf(str(tmp_path / "out" / "yoruba" / f"{name}.eaf"))
            every = {tier: read.get_annotation_data_for_tier(tier) for tier in read.get_tier_names()}
            found = {tier: [(one[2], one[0] / 1000, one[1] / 1000) for one in own] for tier, own in every.items()}
            found["inserted"] = [(text, start, start) for text, start, _ in found["inserted"]]
        for tier, labels in expected_labels(rows).items():
            assert [text for text, *_ in found[tier]] == [text for text, *_ in labels]
            times = [time for _, *own in found[tier] for time in own]
            assert times == pytest.approx([time for _, *own in labels for time in own], abs=0.001)


def test_files_that_are_there_already_stay(small_run: Path, tmp_path: Path, phonxling: Command) -> None:
    assert [*export_results(small_run / "results", tmp_path)] == [
        *export_results(small_run / "results", tmp_path)
    ]  # the same bytes
    own = next((tmp_path / "yoruba").iterdir())
    own.write_text("mine", encoding="utf-8")
    done = phonxling("export", small_run / "results", tmp_path)
    assert done.code == 2
    assert f"{own.name}: is there already" in done.stderr
    assert own.read_text(encoding="utf-8") == "mine"


def test_results_without_times_are_refused_with_the_remedy(tmp_path: Path) -> None:
    corpora = {"a": {"gold": ["p a", "t a"], "predicted": ["b a", "t"]}}
    quick = {"figures": {"kinds": ["rates"], "formats": ["svg"]}, "report": {"html": False}}
    made = px.run({"corpora": corpora, **quick}, tmp_path / "run")
    with pytest.raises(px.DataError, match="no corpus has times of gold phones: give segments"):
        [*export_results(made.folder, tmp_path / "out")]
    assert not (tmp_path / "out").exists()


def test_overlaps_are_cut_and_what_has_no_duration_is_left_out() -> None:
    cut = separate_labels([(0.0, 0.2, "a"), (0.1, 0.1, "b"), (0.1, 0.3, "c")])
    assert cut == [(0.0, 0.1, "a"), (0.1, 0.3, "c")]

"""What a phone is most often heard as, and what is most like it, the phone itself among the others."""

from pathlib import Path

import pytest
from running import read_tsv

import phonxling as px


def test_lists_may_hold_the_phone_itself(small_run: Path) -> None:
    """The confusions sorted by count, and features by distance, each of ties in the order of the inventory."""
    folder = small_run / "results" / "yoruba"
    table, cells = read_tsv(folder / "correspondences.tsv"), read_tsv(folder / "confusions.tsv")
    phones = read_tsv(folder / "phones.tsv")
    predicted = phones.loc[phones["side"] == "predicted", "phone"].tolist()
    cells = cells[(cells["gold"] != "∅") & (cells["predicted"] != "∅")]
    own = table[table["given"] == "gold"]
    itself = 0
    for phone, rows in own.groupby("phone"):
        counts = cells[cells["gold"] == phone].set_index("predicted")["count"]
        wanted = sorted(counts.index, key=lambda x: (-counts[x], predicted.index(x)))[:5]
        assert [x for x in rows["heard_as"] if x] == wanted
        shares = [p for p, x in zip(rows["heard_as_share"], rows["heard_as"], strict=True) if x]
        assert [float(p) for p in shares] == pytest.approx([counts[x] / counts.sum() for x in wanted])
        costs = px.feature_costs([phone], predicted)
        near = sorted(predicted, key=lambda x: (x != phone, costs.cost(phone, x), predicted.index(x)))[:5]
        assert [x for x in rows["most_similar"] if x] == near
        itself += near[0] == phone
        assert phone not in {*rows["confused_with"], *rows["nearest"]}
    assert itself > 2


def test_a_table_for_papers_has_both_lists(small_run: Path) -> None:
    text = (small_run / "results" / "tables" / "yoruba-correspondences.md").read_text(encoding="utf-8")
    assert "| phone | most often heard as | most similar by features |" in text
    (line,) = [line for line in text.splitlines() if line.startswith("| ĩ |")]
    assert line.split("|")[2].strip().startswith("i (0.")
    assert line.split("|")[3].strip().startswith("i, ")

"""The user's table of errors in the gold."""

from pathlib import Path

import pytest

from phonxling.core.errors import DataError
from phonxling.load.resources.gold_errors import load_gold_errors

HEADER = "written\ttrue\tprobability\n"


def written(folder: Path, text: str) -> Path:
    path = folder / "errors.tsv"
    path.write_text(text, encoding="utf-8")
    return path


def test_rows_of_right_phones_are_left_out(tmp_path: Path) -> None:
    path = written(tmp_path, f"{HEADER}e\tɛ\t0.1\ne\te\t0.9\no\tɔ\t.25\n")
    assert load_gold_errors(path) == {("e", "ɛ"): 0.1, ("o", "ɔ"): 0.25}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "header written, true, probability"),
        ("phone\tcost\n", "header written, true, probability .tab-separated., not phone, cost"),
        (f"{HEADER}e\t0.1\n", "errors.tsv:2: 2 cells, but the header has 3"),
        (f"{HEADER}e\t\t0.1\n", "errors.tsv:2: an empty true phone"),
        (f"{HEADER}e\t∅\t0.1\n", "errors.tsv:2: ∅ is no phone: missing and additional gold phones are not modelled"),
        (f"{HEADER}e\tɛ\t1.1\n", "errors.tsv:2: no probability from 0 to 1: '1.1'"),
        (f"{HEADER}e\tɛ\tnan\n", "errors.tsv:2: no probability from 0 to 1: 'nan'"),
        (f"{HEADER}e\tɛ\t0.1\ne\tɛ\t0.2\n", "errors.tsv:3: e → ɛ stands here again"),
        (f"{HEADER}e\tɛ\t0.7\ne\ti\t0.3\n", "a written phone is never right, its errors come to 1 or more:\n  e: 1"),
    ],
)
def test_a_table_that_cannot_be_used_is_refused(text: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(DataError, match=said):
        load_gold_errors(written(tmp_path, text))


def test_every_row_that_cannot_be_used_is_counted(tmp_path: Path) -> None:
    rows = "".join(f"e\tɛ\t{number}\n" for number in range(2, 20))
    with pytest.raises(DataError, match=r"and 8 more"):
        load_gold_errors(written(tmp_path, HEADER + rows))

"""Users' tables: costs, phones that are the same, speakers, symbol maps; what is read, and what every fault says."""

from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given, strategies as st
from support import write

from phonxling.core.costs import LARGEST, cost_text, parse_cost
from phonxling.core.errors import DataError
from phonxling.load.resources import load_cost_table, load_gap_costs, load_same_phones, load_speakers, load_symbol_map

HEADER = "gold\tpredicted\tcost\n"


def fault(folder: Path, text: str) -> str:
    with pytest.raises(DataError) as caught:
        load_cost_table(write(folder / "costs.tsv", text))
    return str(caught.value).replace(f"{folder}/", "")


def test_fractions_decimals_and_gaps_are_read_exactly(tmp_path: Path) -> None:
    found = load_cost_table(
        write(tmp_path / "c.tsv", f"\ufeff{HEADER}a\tb\t1/3\na\t∅\t1e-3\r\n\n∅\tb\t.25\nk͡p\tb\t2\n")
    )
    wanted = {("a", "b"): "1/3", ("a", "∅"): "1/1000", ("∅", "b"): "1/4", ("k͡p", "b"): "2"}
    assert found.pairs == {pair: Fraction(cost) for pair, cost in wanted.items()}
    assert found.source.endswith("c.tsv")
    assert len(found.digest) == 64


def test_gap_costs_by_phone(tmp_path: Path) -> None:
    assert load_gap_costs(write(tmp_path / "g.tsv", "phone\tcost\na\t0.5\nb\t0\n")).phones == {
        "a": Fraction(1, 2),
        "b": 0,
    }
    with pytest.raises(DataError, match=r"g\.tsv:2: ∅ is no phone"):
        load_gap_costs(write(tmp_path / "g.tsv", "phone\tcost\n∅\t0.5\n"))
    with pytest.raises(DataError, match=r"g\.tsv:1: a table of costs has the header phone, cost"):
        load_gap_costs(write(tmp_path / "g.tsv", f"{HEADER}a\tb\t1\n"))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "costs.tsv:1: a table of costs has the header gold, predicted, cost (tab-separated), not nothing"),
        (HEADER, "costs.tsv: a table of costs has a header but no row"),
        ("gold\theard\tcost\na\tb\t1\n", "costs.tsv:1: a table of costs has the header gold, predicted, cost (tab-"),
        (
            "a\tb\t1\n",
            "costs.tsv:1: a table of costs has the header gold, predicted, cost (tab-separated), not a,",
        ),
        (f"{HEADER}a\tb\t-0.5\n", "costs.tsv:2: a negative cost: '-0.5'"),
        (f"{HEADER}a\tb\t-1/3\n", "costs.tsv:2: a negative cost: '-1/3'"),
        (f"{HEADER}a\tb\tinf\n", "costs.tsv:2: a cost that is not finite: 'inf'"),
        (f"{HEADER}a\tb\tNaN\n", "costs.tsv:2: a cost that is not finite: 'NaN'"),
        (f"{HEADER}a\tb\t\n", "costs.tsv:2: an empty cost: ''"),
        (f"{HEADER}a\tb\tone\n", "costs.tsv:2: no cost: 'one'; a cost is a number of at least 0, such as 0.25 or 1/3"),
        (f"{HEADER}a\tb\t1/0\n", "costs.tsv:2: no cost: '1/0'"),
        (f"{HEADER}a\tb\t1e999\n", "costs.tsv:2: no cost: '1e999'"),
        (f"{HEADER}a\tb\t1e12\n", "costs.tsv:2: the cost 1e12 is too large for 32 bits"),
        (f"{HEADER}a\tb\n", "costs.tsv:2: 2 cells, but the header has 3"),
        (f"{HEADER}a\t\t1\n", "costs.tsv:2: an empty predicted; no phone is written ∅ (U+2205)"),
        (f"{HEADER}∅\t∅\t1\n", "costs.tsv:2: no edit pairs ∅ with ∅"),
        (f"{HEADER}a\tb\t1\na\tb\t1\n", "costs.tsv:3: a → b stands here again, after line 2"),
    ],
)
def test_every_fault_is_named_with_its_line(tmp_path: Path, text: str, message: str) -> None:
    assert message in fault(tmp_path, text)


def test_all_faulty_rows_are_counted(tmp_path: Path) -> None:
    message = fault(tmp_path, HEADER + "".join(f"a\tb{number}\tx\n" for number in range(14)))
    assert message.startswith("costs.tsv: 14 rows of the table cannot be used:\n  costs.tsv:2: ")
    assert message.endswith("… and 4 more")


def test_two_spellings_of_one_phone_are_one_phone(tmp_path: Path) -> None:
    assert "stands here again" in fault(tmp_path, f"{HEADER}ã\tb\t1\na\u0303\tb\t0\n")


def test_a_missing_file_and_another_encoding(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"none\.tsv: cannot be read: no such file"):
        load_cost_table(tmp_path / "none.tsv")
    with pytest.raises(DataError, match=r"costs\.tsv:2: not UTF-8 text"):
        load_cost_table(write(tmp_path / "costs.tsv", f"{HEADER}é\tb\t1\n", encoding="latin-1"))


@given(st.fractions(0, LARGEST))
def test_a_cost_written_is_read_back_exactly(cost: Fraction) -> None:
    assert parse_cost(cost_text(cost)) == cost


@given(st.decimals(0, 1000, places=9))
def test_a_decimal_number_stays_one(number: object) -> None:
    assert "/" not in cost_text(Fraction(str(number)))


def test_same_phones_with_their_lines(tmp_path: Path) -> None:
    path = write(tmp_path / "same.tsv", "target\treference\nɓ\tb\n\nã \t ɑ\nx\t∅\n")
    assert load_same_phones(path) == {"ɓ": ("b", 2), "a\u0303": ("ɑ", 4), "x": ("∅", 5)}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "same.tsv:1: a table of phones has the header target, reference .tab-separated., not nothing"),
        ("phone\tsame\na\tb\n", "same.tsv:1: a table of phones has the header target, reference .*, not phone, same"),
        ("target\treference\na\n", "same.tsv:2: 1 cells, but the header has 2"),
        ("target\treference\na\t\n", r"same.tsv:2: an empty reference; no counterpart is written ∅"),
        ("target\treference\n∅\ta\n", "same.tsv:2: ∅ is no phone"),
        ("target\treference\na\tb\na\tc\n", "same.tsv:3: a stands here again, after line 2"),
    ],
)
def test_a_table_of_same_phones_that_cannot_be_used(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(DataError, match=message):
        load_same_phones(write(tmp_path / "same.tsv", text))


def test_speakers_of_tsv_and_csv(tmp_path: Path) -> None:
    path = write(
        tmp_path / "s.tsv", '\ufeffage\tutterance\tspeaker\r\n9\tu1\t"anna\r\n\r\n8\tNA\tnan\r\n8\tNA\tnan\r\n'
    )
    assert load_speakers(path) == {"u1": '"anna', "NA": "nan"}
    path = write(tmp_path / "s.csv", 'utterance,speaker\nu1,"b, c"\nu2,x\u2028y\n')
    assert load_speakers(path) == {"u1": "b, c", "u2": "x\u2028y"}


def test_speakers_of_renamed_columns(tmp_path: Path) -> None:
    path = write(tmp_path / "s.tsv", "id\twho\nu1\tanna\n")
    assert load_speakers(path, {"utterance": "id", "speaker": "who"}) == {"u1": "anna"}


def test_speakers_of_kaldi(tmp_path: Path) -> None:
    text = "anna_u1 anna\nben_u1  ben\n"
    assert load_speakers(write(tmp_path / "utt2spk", text)) == {"anna_u1": "anna", "ben_u1": "ben"}
    assert load_speakers(write(tmp_path / "who", text), form="utt2spk") == {"anna_u1": "anna", "ben_u1": "ben"}
    with pytest.raises(DataError, match=":2: 3 cells, but utt2spk has an utterance and its speaker"):
        load_speakers(write(tmp_path / "utt2spk", "u1 anna\nu2 ben x\n"))


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("id\twho\nu1\tanna\n", ":1: no column utterance, speaker; the file has: id, who"),
        ("", ":1: no column utterance, speaker; the file has: nothing"),
        ("utterance\tspeaker\nu1\tanna\nu2\n", ":3: 1 cell, but the header has 2"),
        ("utterance\tspeaker\nu1\tanna\nu1\tben\n", ":3: utterance 'u1' has a second speaker"),
    ],
)
def test_what_is_wrong_with_speakers(tmp_path: Path, text: str, complaint: str) -> None:
    path = write(tmp_path / "s.tsv", text)
    with pytest.raises(DataError) as caught:
        load_speakers(path)
    assert str(caught.value) == f"{path}{complaint}"


@pytest.mark.parametrize("header", ["", "symbol\tipa\n", "\ufeffSymbol\tIPA\r\n"])
def test_a_map_with_and_without_header(tmp_path: Path, header: str) -> None:
    rows = 'A\ta\r\n"x"\tk s\nNA\tn\n\nsil\t\n'
    assert load_symbol_map(write(tmp_path / "m.tsv", header + rows)) == {"A": "a", '"x"': "k s", "NA": "n", "sil": ""}


def test_the_words_of_a_header_are_symbols_further_down(tmp_path: Path) -> None:
    path = write(tmp_path / "m.tsv", "a\ta\nsymbol\tipa\n")
    assert load_symbol_map(path) == {"a": "a", "symbol": "ipa"}


def test_symbols_are_found_in_any_unicode_form(tmp_path: Path) -> None:
    assert load_symbol_map(write(tmp_path / "m.tsv", "e\u0301\tə\n")) == {"\u00e9": "ə"}


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("a\ta\nb\n", ":2: a symbol map has two cells a row"),
        ("a\ta\tb\n", ":1: a symbol map has two cells a row"),
        ("a\ta\n \tb\n", ":2: a symbol map has two cells a row"),
        ("a\ta\nb\tb\na\tɑ\n", ":3: 'a' is mapped a second time, to 'ɑ' after 'a'"),
        ("\u00e9\ta\ne\u0301\tɑ\n", ":2: '\u00e9' is mapped a second time"),
        ("", ": the symbol map is empty"),
        ("symbol\tipa\n", ": the symbol map is empty"),
    ],
)
def test_what_is_wrong_with_a_map(tmp_path: Path, text: str, complaint: str) -> None:
    path = write(tmp_path / "m.tsv", text)
    with pytest.raises(DataError) as caught:
        load_symbol_map(path)
    assert str(caught.value).startswith(f"{path}{complaint}")


def test_the_same_row_twice_is_no_conflict(tmp_path: Path) -> None:
    assert load_symbol_map(write(tmp_path / "m.tsv", "a\ta\na\ta\n")) == {"a": "a"}

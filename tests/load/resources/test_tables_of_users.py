"""Users' tables and PanPhon's releases: what is read, and what every fault says."""

import csv
import unicodedata
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, strategies as st
from support import error_of, panphon_rows, write

import phonxling as px
from phonxling.core.costs import LARGEST_COST, cost_text, parse_cost
from phonxling.core.errors import ConfigurationError, DataError
from phonxling.load.resources import (
    RELEASES,
    load_cost_table,
    load_features,
    load_same_phones,
    load_speakers,
    load_symbol_map,
    panphon_features,
)

HEADER = "gold\tpredicted\tcost\n"


def fault(folder: Path, text: str) -> str:
    return error_of(DataError, load_cost_table, write(folder / "costs.tsv", text)).replace(f"{folder}/", "")


def test_fractions_decimals_and_gaps_are_read_exactly(tmp_path: Path) -> None:
    found = load_cost_table(
        write(tmp_path / "c.tsv", f"\ufeff{HEADER}a\tb\t1/3\na\t∅\t1e-3\r\n\n∅\tb\t.25\nk͡p\tb\t2\n")
    )
    wanted = {("a", "b"): "1/3", ("a", "∅"): "1/1000", ("∅", "b"): "1/4", ("k͡p", "b"): "2"}
    assert found.pairs == {pair: Fraction(cost) for pair, cost in wanted.items()}
    assert found.source.endswith("c.tsv")
    assert len(found.digest) == 64


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (HEADER, "costs.tsv: the table of costs has no row"),
        (f"{HEADER}a\tb\t-0.5\n", "costs.tsv:2: a negative cost: '-0.5'"),
        (f"{HEADER}a\tb\tone\n", "costs.tsv:2: no cost: 'one'; a cost is a number of at least 0, such as 0.25 or 1/3"),
        (f"{HEADER}a\t\t1\n", "costs.tsv:2: an empty predicted; no phone is written ∅ (U+2205)"),
        (f"{HEADER}∅\t∅\t1\n", "costs.tsv:2: ∅ cannot be paired with ∅"),
        (f"{HEADER}a\tb\t1\na\tb\t1\n", "costs.tsv:3: a → b stands here again, after line 2"),
    ],
)
def test_every_fault_is_named_with_its_line(tmp_path: Path, text: str, message: str) -> None:
    assert message in fault(tmp_path, text)


def test_two_spellings_of_one_phone_are_one_phone(tmp_path: Path) -> None:
    assert "stands here again" in fault(tmp_path, f"{HEADER}ã\tb\t1\na\u0303\tb\t0\n")


@given(st.fractions(0, LARGEST_COST))
def test_a_cost_written_is_read_back_exactly(cost: Fraction) -> None:
    assert parse_cost(cost_text(cost)) == cost


def test_same_phones_with_their_lines(tmp_path: Path) -> None:
    path = write(tmp_path / "same.tsv", "target\treference\nɓ\tb\n\nã \t ɑ\nx\t∅\n")
    assert load_same_phones(path) == {"ɓ": ("b", 2), "a\u0303": ("ɑ", 4), "x": ("∅", 5)}


def test_speakers_of_tsv_and_csv(tmp_path: Path) -> None:
    path = write(
        tmp_path / "s.tsv", '\ufeffage\tutterance\tspeaker\r\n9\tu1\t"anna\r\n\r\n8\tNA\tnan\r\n8\tNA\tnan\r\n'
    )
    assert load_speakers(path) == {"u1": '"anna', "NA": "nan"}
    path = write(tmp_path / "s.csv", 'utterance,speaker\nu1,"b, c"\nu2,x\u2028y\n')
    assert load_speakers(path) == {"u1": "b, c", "u2": "x\u2028y"}


def test_speakers_of_columns_with_usual_names(tmp_path: Path) -> None:
    path = write(tmp_path / "s.csv", "sex,path,utt_id,spk\nf,w/u1.wav,u1,anna\n")
    assert load_speakers(path) == {"u1": "anna"}
    assert load_speakers(path, {"utterance": "path", "speaker": "sex"}) == {"w/u1.wav": "f"}
    path = write(tmp_path / "s.csv", "id,speaker_sex,speaker_name\nu1,f,anna\n")
    assert ":1: no column speaker; the file has: id, speaker_sex, speaker_name" in error_of(
        DataError, load_speakers, path
    )


def test_speakers_of_kaldi(tmp_path: Path) -> None:
    text = "anna_u1 anna\nben_u1  ben\n"
    assert load_speakers(write(tmp_path / "utt2spk", text)) == {"anna_u1": "anna", "ben_u1": "ben"}
    assert load_speakers(write(tmp_path / "who", text), form="utt2spk") == {"anna_u1": "anna", "ben_u1": "ben"}


@pytest.mark.parametrize("header", ["", "symbol\tipa\n", "\ufeffSymbol\tIPA\r\n"])
def test_a_map_with_and_without_header(tmp_path: Path, header: str) -> None:
    rows = 'A\ta\r\n"x"\tk s\nNA\tn\n\nsil\t\n'
    assert load_symbol_map(write(tmp_path / "m.tsv", header + rows)) == {"A": "a", '"x"': "k s", "NA": "n", "sil": ""}


OWN_FEATURES = partial(load_features, base="none")
SPEAKERS = "utterance\tspeaker\nu1\tanna\n"


@pytest.mark.parametrize(
    ("read", "text", "complaint"),
    [
        (load_speakers, f"{SPEAKERS}u2\n", ":3: 1 cell, but a row has 2: utterance, speaker"),
        (
            load_speakers,
            f"{SPEAKERS}u1\tben\n",
            ":3: the speaker of utterance 'u1' is 'anna' in line 2 and 'ben' here; it",
        ),
        (load_symbol_map, "a\ta\n \tb\n", ":2: an empty symbol"),
        (load_symbol_map, "a\ta\nb\tb\na\tɑ\n", ":3: 'a' is mapped a second time, to 'ɑ' after 'a'"),
        (load_symbol_map, "\u00e9\ta\ne\u0301\tɑ\n", ":2: '\u00e9' is mapped a second time"),
        (OWN_FEATURES, "ipa\tsyl\n", ": the feature table has no row"),
        (OWN_FEATURES, "ipa\tsyl\nweight\t1\n", ": no segments, only weights"),
        (OWN_FEATURES, "ipa\tsyl\n∅\t+\n", ":2: '∅' cannot be a segment"),
        (OWN_FEATURES, "ipa\tsyl\na\tyes\n", ":2: 'a': a value is +, 0 or - (or 1, 0, -1), not 'yes'"),
        (OWN_FEATURES, "ipa\tsyl\nã\t+\na\u0303\t+\n", ":3: 'a\u0303' has a row already, in line 2"),
        (OWN_FEATURES, "ipa\tsyl\na\t+\nweight\t-1\n", ":3: a weight is a number ≥ 0, and one at least is not 0"),
    ],
)
def test_what_is_wrong_is_said_with_its_line(
    tmp_path: Path, read: Callable[[Path], object], text: str, complaint: str
) -> None:
    path = write(tmp_path / "x.tsv", text)
    assert f"{path}{complaint}" in error_of(DataError, read, path)


NAMES = panphon_features().features
OWN = "phone\thigh\tback\tround\ni\t+\t-\t-\nu\t1\t1\t1\na\t-1\t0\t−\nweight\t2\t0.3\t0\n"


def row(segment: str, like: str, **changed: str) -> str:
    vector, _ = panphon_features().vector(like)
    assert vector is not None
    cells = dict(zip(NAMES, ["-0+"[value + 1] for value in vector], strict=True)) | changed
    return "\t".join([segment, *(cells[name] for name in reversed(NAMES))])


def test_rows_are_added_and_replaced(tmp_path: Path) -> None:
    header = "\t".join(["ipa", *reversed(NAMES)])
    path = write(tmp_path / "mine.tsv", "\n".join([header, row("ẹ", "e", tense="-"), row("e\u0303", "e", nas="0")]))
    table, base = load_features(path), panphon_features()
    assert (len(table.segments), table.features, table.weights) == (len(base.segments) + 1, NAMES, base.weights)
    assert table.name == "mine.tsv over panphon 0.22.2"
    for phone in ("ẹ", "e\u0323"):
        vector, origin = table.vector(phone)
        assert origin == "table"
        assert vector[NAMES.index("tense")] == -1
    nasal = table.vector("ẽ")[0]
    assert nasal[NAMES.index("nas")] == 0
    untouched = [segment for segment in base.segments if unicodedata.normalize("NFC", segment) != "ẽ"]
    assert table.vectors(untouched)[0].tolist() == base.vectors(untouched)[0].tolist()
    assert table.vector("ẹː")[1] == "composed"  # rules build on the user's rows too


def test_a_system_of_ones_own(tmp_path: Path) -> None:
    table = load_features(write(tmp_path / "own.tsv", OWN), base="none")
    assert (table.name, table.features) == ("own.tsv", ("high", "back", "round"))
    assert table.vectors(["i", "u", "a", "t"])[0].tolist() == [[1, -1, -1], [1, 1, 1], [-1, 0, -1], [0, 0, 0]]
    assert table.vector("ai") == (None, "none")  # no rule speaks of these features
    assert table.vector("a\u031f")[1] == "composed"  # advanced changes none
    assert table.weights == {"high": 2.0, "back": 0.3, "round": 0.0}


def test_costs_rest_on_the_tables_features_and_weights(tmp_path: Path) -> None:
    table = load_features(write(tmp_path / "own.tsv", OWN), base="none")
    phones = ["i", "u", "a"]
    plain = px.feature_costs(phones, phones, features=table)
    assert plain.cost("i", "u") == Fraction(2 + 2, 2 * 3)
    assert plain.cost("i", "a") == Fraction(2 + 1, 2 * 3)
    weighted = px.feature_costs(phones, phones, "panphon-weighted", features=table)
    assert weighted.cost("i", "u") == Fraction(6, 10) / (2 * Fraction(23, 10))
    assert weighted.cost("i", "a") == Fraction(43, 10) / (2 * Fraction(23, 10))
    assert px.feature_costs(phones, phones, "panphon-hamming", features=table).cost("i", "u") == Fraction(2, 3)


def test_weighted_costs_without_weights_are_refused(tmp_path: Path) -> None:
    table = load_features(write(tmp_path / "own.tsv", OWN.rpartition("weight")[0]), base="none")
    with pytest.raises(
        ConfigurationError, match="own.tsv has none for high, back, round; add a row 'weight'".replace(".", r"\.")
    ):
        px.feature_costs(["i"], ["a"], "panphon-weighted", features=table)


def test_the_digest_tells_content_and_base(tmp_path: Path) -> None:
    header = "\t".join(["ipa", *reversed(NAMES)])
    one = write(tmp_path / "one.tsv", "\n".join([header, row("ẹ", "e")]))
    same = write(tmp_path / "same.tsv", "\n".join([header, row("ẹ", "e")]))
    other = write(tmp_path / "other.tsv", "\n".join([header, row("ẹ", "ɛ")]))
    digests = [load_features(one).digest, load_features(other).digest, load_features(one, "none").digest]
    assert len({*digests, panphon_features().digest}) == 4
    assert load_features(same).digest == digests[0]


def test_six_hundred_segments_have_the_vectors_of_the_file() -> None:
    table, segments = panphon_features(), list(panphon_rows())
    for place in np.random.default_rng(3).permutation(len(segments))[:600]:
        for form in ("NFC", "NFD"):
            vector, origin = table.vector(unicodedata.normalize(form, segments[place]))
            assert origin == "table"
            assert dict(zip(table.features, vector.tolist(), strict=True)) == panphon_rows()[segments[place]]


def test_weights_go_with_their_names() -> None:
    table = panphon_features()
    with (files("phonxling.load") / "panphon-0.22.2" / "feature_weights.csv").open(encoding="utf-8") as file:
        (weights,) = csv.DictReader(file)
    assert table.weights == {name: float(value) for name, value in weights.items()}
    assert set(table.features) - set(table.weights) == {"hitone", "hireg"}


@pytest.mark.parametrize("name", ["ipa_all.csv", "feature_weights.csv"])
def test_the_table_is_that_of_the_release(name: str) -> None:
    installed = pytest.importorskip("panphon", reason="panphon has no wheels for this Python")
    theirs = files(installed) / "data" / name
    assert (files("phonxling.load") / "panphon-0.22.2" / name).read_bytes() == theirs.read_bytes()


def test_both_releases_have_the_same_segments_and_6222_other_rows() -> None:
    new, old = map(panphon_features, RELEASES)
    assert (new.name, old.name) == ("panphon 0.22.2", "panphon 0.20")
    assert new.features == old.features
    assert len(new.segments) == len({*new.segments} & {*old.segments}) == 6367
    place = {segment: row for row, segment in enumerate(old.segments)}
    rows = old.values[[place[segment] for segment in new.segments]]
    assert int((new.values != rows).any(axis=1).sum()) == 6222
    assert new.features[int((new.values != rows).sum(axis=0).argmax())] == "strid"


def test_the_release_is_a_setting_that_moves_costs_and_the_signature() -> None:
    # In 0.22.2 s is +strid and t is −strid; in 0.20 neither has a value: one feature of 24 fewer.
    found = [px.feature_costs(["s"], ["t"], features=panphon_features(each)).cost("s", "t") for each in RELEASES]
    assert found == [Fraction(4, 48), Fraction(2, 48)]
    score = px.score(["s a"], ["t a"], settings=["features.table=panphon-0.20"])
    assert "table:panphon-0.20|" in score.signature
    assert score.wper.value == pytest.approx(found[1] / 2)


def test_tables_of_ones_own_lie_over_either_release(tmp_path: Path) -> None:
    path = tmp_path / "mine.tsv"
    table = panphon_features("panphon-0.20")
    path.write_text("\t".join(["segment", *table.features]) + "\n" + "\t".join(["p", *["0"] * 24]) + "\n")
    over = px.symbols.load_features(path, table="panphon-0.20")
    assert over.name == "mine.tsv over panphon 0.20"
    assert over.vector("t")[0].tolist() == table.vector("t")[0].tolist()
    assert not over.vector("p")[0].any()

"""A user's feature table: rows over panphon's, or a system of its own; every mistake is listed with its line."""

import unicodedata
from fractions import Fraction
from pathlib import Path

import pytest
from support import write

import phonxling as px
from phonxling.core.errors import ConfigurationError, DataError
from phonxling.load.resources import load_features, panphon_features

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
        assert vector is not None
        assert origin == "table"
        assert vector[NAMES.index("tense")] == -1
    nasal = table.vector("ẽ")[0]
    assert nasal is not None
    assert nasal[NAMES.index("nas")] == 0
    untouched = [segment for segment in base.segments if unicodedata.normalize("NFC", segment) != "ẽ"]
    assert table.vectors(untouched)[0].tolist() == base.vectors(untouched)[0].tolist()
    assert table.vector("ẹː")[1] == "composed"  # rules build on the user's rows too


def test_a_row_goes_before_any_fold(tmp_path: Path) -> None:
    header = "\t".join(["ipa", *reversed(NAMES)])
    path = write(tmp_path / "mine.tsv", "\n".join([header, row("ɚ", "ə", lab="+"), row("g", "ɡ", back="-")]))
    gold = write(tmp_path / "g.tsv", "utterance\tphones\nu\tɚ g ʧ\n")
    assert px.load_corpus(gold, gold).gold_inventory.phones == ("ə˞", "ɡ", "t͡ʃ")
    assert px.load_corpus(gold, gold, features=load_features(path)).gold_inventory.phones == ("ɚ", "g", "t͡ʃ")


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


def test_weights_over_panphons(tmp_path: Path) -> None:
    header, weights = "\t".join(["ipa", *NAMES]), "\t".join(["weight", *["1"] * 24])
    table = load_features(write(tmp_path / "w.tsv", "\n".join([header, weights, row("x", "x")])).resolve())
    assert table.weights == dict.fromkeys(NAMES, 1.0)


def test_the_digest_tells_content_and_base(tmp_path: Path) -> None:
    header = "\t".join(["ipa", *reversed(NAMES)])
    one = write(tmp_path / "one.tsv", "\n".join([header, row("ẹ", "e")]))
    same = write(tmp_path / "same.tsv", "\n".join([header, row("ẹ", "e")]))
    other = write(tmp_path / "other.tsv", "\n".join([header, row("ẹ", "ɛ")]))
    digests = [load_features(one).digest, load_features(other).digest, load_features(one, "none").digest]
    assert len({*digests, panphon_features().digest}) == 4
    assert load_features(same).digest == digests[0]


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", ": no segments"),
        ("ipa\tsyl\n", ": no segments"),
        ("ipa\tsyl\nweight\t1\n", ": no segments, only weights"),
        ("ipa\na\n", ":1: the header needs"),
        ("ipa\tsyl\tsyl\na\t+\t+\n", ":1: the header needs"),
        ("ipa\tsyl\t\na\t+\t+\n", ":1: the header needs"),
        ("ipa\tsyl\na\t+\t-\n", ":2: 3 cells, but the header has 2"),
        ("ipa\tsyl\n∅\t+\n", ":2: '∅' cannot be a segment"),
        ("ipa\tsyl\n\t+\n", ":2: '' cannot be a segment"),
        ("ipa\tsyl\na\tyes\n", ":2: 'a': a value is +, 0 or - (or 1, 0, -1), not 'yes'"),
        ("ipa\tsyl\nã\t+\na\u0303\t+\n", ":3: 'a\u0303' has a row already, in line 2"),
        ("ipa\tsyl\na\t+\nweight\t-1\n", ":3: a weight is a number ≥ 0, and one at least is not 0"),
        ("ipa\tsyl\na\t+\nweight\tinf\n", ":3: a weight is"),
        ("ipa\tsyl\na\t+\nweight\t0\n", ":3: a weight is"),
        ("ipa\tsyl\na\t+\nweight\t+\n", ":3: a weight is"),
    ],
)
def test_what_is_wrong(tmp_path: Path, text: str, complaint: str) -> None:
    path = write(tmp_path / "f.tsv", text)
    with pytest.raises(DataError) as caught:
        load_features(path, base="none")
    assert f"{path}{complaint}" in str(caught.value)


def test_all_mistakes_at_once(tmp_path: Path) -> None:
    path = write(tmp_path / "f.tsv", "ipa\tsyl\n" + "".join(f"s{n}\tx\n" for n in range(30)))
    with pytest.raises(DataError) as caught:
        load_features(path, base="none")
    lines = str(caught.value).split("\n")
    assert lines[0] == "30 problems in the feature table:"
    assert lines[-1] == "  … and 10 more"


def test_other_features_than_panphons_need_to_say_so(tmp_path: Path) -> None:
    path = write(tmp_path / "own.tsv", OWN)
    with pytest.raises(DataError) as caught:
        load_features(path)
    assert str(caught.value).startswith(f"{path}:1: these are not the features of panphon 0.22.2: missing ant, cg")
    assert "more high" in str(caught.value)
    assert str(caught.value).endswith("base none")
    with pytest.raises(DataError, match="no such file"):
        load_features(tmp_path / "none.tsv")

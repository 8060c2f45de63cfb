"""The bundled maps, against TIMIT's documentation and Lee & Hon (1989), written here as facts."""

from typing import Literal

import pytest
from support import phones_by_utterance, transcript_of

from phonxling.core.features import FeatureTable
from phonxling.phones.deciding import decide
from phonxling.phones.ipa import Fate
from phonxling.phones.maps import BUILT_IN
from phonxling.phones.normalise import normalise
from phonxling.phones.rules import SymbolRules

# Lee & Hon (1989), table I and its folding: TIMIT's 61 labels, their class of 48, their class of 39. "-" is deleted.
FOLDINGS = """
    aa aa aa      ae ae ae      ah ah ah      ao ao aa      aw aw aw      ax ax ah      ax-h ax ah    axr er er
    ay ay ay      b b b         bcl vcl sil   ch ch ch      d d d         dcl vcl sil   dh dh dh      dx dx dx
    eh eh eh      el el l       em m m        en en n       eng ng ng     epi epi sil   er er er      ey ey ey
    f f f         g g g         gcl vcl sil   h# sil sil    hh hh hh      hv hh hh      ih ih ih      ix ix ih
    iy iy iy      jh jh jh      k k k         kcl cl sil    l l l         m m m         n n n         ng ng ng
    nx n n        ow ow ow      oy oy oy      p p p         pau sil sil   pcl cl sil    q - -         r r r
    s s s         sh sh sh      t t t         tcl cl sil    th th th      uh uh uh      uw uw uw      ux uw uw
    v v v         w w w         y y y         z z z         zh zh sh
"""
WORDS = FOLDINGS.split()
FOLD = {label: (to48, to39) for label, to48, to39 in zip(WORDS[::3], WORDS[1::3], WORDS[2::3], strict=True)}
TO39 = dict(FOLD.values())
SILENT = {"sil", "cl", "vcl", "epi", "pau", "h#"}
CMUDICT = """
    AA AE AH AO AW AY B CH D DH EH ER EY F G HH IH IY JH K L M N NG OW OY P R S SH T TH UH UW V W Y Z ZH
"""


def ipa(name: str, label: str, table: FeatureTable) -> tuple[str, ...]:
    fate = decide(label, BUILT_IN[name], table, SymbolRules())
    assert fate is not None, label
    return fate.phones


def test_the_facts_have_the_published_numbers() -> None:
    assert len(FOLD) == 61
    assert len({to48 for to48, _ in FOLD.values()} - {"-"}) == 48
    assert len({to39 for _, to39 in FOLD.values()} - {"-"}) == 39
    assert len(TO39) == 49  # a label of 48 folds to one of 39 whatever it came from


@pytest.mark.parametrize(
    ("name", "labels"),
    [
        ("timit61", set(FOLD)),
        ("timit48", {to48 for to48, _ in FOLD.values()} - {"-"}),
        ("timit39", {to39 for _, to39 in FOLD.values()} - {"-"}),
        ("arpabet", set(CMUDICT.split())),
    ],
)
def test_every_label_is_known_in_upper_and_lower_case(table: FeatureTable, name: str, labels: set[str]) -> None:
    for label in labels:
        assert ipa(name, label.lower(), table) == ipa(name, label.upper(), table)
        assert len(ipa(name, label, table)) == (0 if label in SILENT else 1)


@pytest.mark.parametrize(("name", "column"), [("timit48", 0), ("timit39", 1)])
@pytest.mark.parametrize("silence", ["drop", "keep"])
def test_a_folding_reads_all_61_labels_as_their_classes(
    table: FeatureTable, name: str, column: int, silence: Literal["drop", "keep"]
) -> None:
    rules = SymbolRules(silence=silence)
    for label, fold in FOLD.items():
        read = decide(label, BUILT_IN[name], table, rules)
        own = Fate((), "dropped", "none") if label == "q" else decide(fold[column], BUILT_IN[name], table, rules)
        assert read is not None
        assert own is not None
        assert (read.phones, read.features) == (own.phones, own.features), label
    phones = {decide(label, BUILT_IN[name], table, SymbolRules()) for label in FOLD}
    assert len({fate.phones for fate in phones if fate is not None} - {()}) == len(
        {fold[column] for fold in FOLD.values()} - SILENT - {"-"}
    )


def test_what_a_folding_did_is_in_the_audit(table: FeatureTable) -> None:
    phones, audit = normalise(transcript_of([["h#", "tcl", "t", "UX", "q"]]), BUILT_IN["timit39"], table, SymbolRules())
    assert phones_by_utterance(phones) == [["t", "u"]]
    assert [(row.raw, row.symbol, row.action) for row in audit] == [
        ("h#", "", "silence"),
        ("tcl", "", "silence"),
        ("t", "t", "kept"),
        ("UX", "u", "mapped"),
        ("q", "", "dropped"),
    ]


def test_different_labels_are_different_phones(table: FeatureTable) -> None:
    for name, labels in (("timit39", {f[1] for f in FOLD.values()}), ("timit48", {f[0] for f in FOLD.values()})):
        sounding = labels - SILENT - {"-"}
        assert len({ipa(name, label, table) for label in sounding}) == len(sounding)
    sounding = {label for label in FOLD if label not in SILENT and not label.endswith("cl")}
    assert len({ipa("timit61", label, table) for label in sounding}) == len(sounding)


def test_a_class_has_the_phone_of_the_label_it_is_named_after(table: FeatureTable) -> None:
    for label, (to48, to39) in FOLD.items():
        if label in SILENT or label.endswith("cl") or label == "q":
            continue
        if to48 == label:
            assert ipa("timit48", label, table) == ipa("timit61", label, table)
        if to39 == label:
            assert ipa("timit39", label, table) == ipa("timit48", label, table)
        assert ipa("timit48", to48, table) == ipa("timit61", to48, table)
        assert ipa("timit39", to39, table) == ipa("timit61", to39, table)


def test_silences_fold_to_silence(table: FeatureTable) -> None:
    assert {label for label, (_, to39) in FOLD.items() if to39 == "sil"} == {
        *("h#", "pau", "epi"),
        *("bcl", "dcl", "gcl", "pcl", "tcl", "kcl"),
    }
    for name in ("timit48", "timit39"):
        assert all(ipa(name, label, table) == () for label in SILENT)


@pytest.mark.parametrize("name", ["timit48", "timit39"])
def test_q_is_counted_as_dropped_where_the_folding_deletes_it(table: FeatureTable, name: str) -> None:
    phones, audit = normalise(
        transcript_of([["q", "aa", "Q", "q"]]), BUILT_IN[name], table, SymbolRules(silence="keep")
    )
    assert phones_by_utterance(phones) == [["ɑ"]]
    assert [(row.raw, row.action, row.count) for row in audit] == [
        ("q", "dropped", 2),
        ("aa", "mapped", 1),
        ("Q", "dropped", 1),
    ]


def test_some_phones_by_name(table: FeatureTable) -> None:
    expected = {
        "sh": "ʃ",
        "jh": "d͡ʒ",
        "ng": "ŋ",
        "dh": "ð",
        "y": "j",
        "ao": "ɔ",
        "r": "ɹ",
        "dx": "ɾ",
        "er": "ɜ˞",
        "q": "ʔ",
    }
    assert {label: ipa("timit61", label, table)[0] for label in expected} == expected


def test_diphthongs_have_composed_features(table: FeatureTable) -> None:
    _, audit = normalise(
        transcript_of([["ay", "aw", "oy", "ey", "ow", "iy"]]), BUILT_IN["arpabet"], table, SymbolRules()
    )
    assert [row.symbol for row in audit] == ["aɪ", "aʊ", "ɔɪ", "eɪ", "oʊ", "i"]
    assert [row.features for row in audit] == ["composed"] * 5 + ["table"]


def test_arpabet_stress_digits_come_off(table: FeatureTable) -> None:
    assert {ipa("arpabet", f"ah{digit}", table) for digit in ("", "0", "1", "2")} == {("ʌ",)}
    assert ipa("arpabet", "ER1", table) == ("ɜ˞",)
    for label in ("ah3", "ah12", "1", "zz1"):
        assert decide(label, BUILT_IN["arpabet"], table, SymbolRules()) is None
    assert decide("ah0", BUILT_IN["timit61"], table, SymbolRules()) is None

"""Symbol sets against facts: TIMIT's documentation, Lee & Hon (1989), panphon's list of X-SAMPA; and a user's maps."""

import csv
import unicodedata
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, strategies as st
from made_phones import audit_of, cases, fate, known, nfc, normalised, phones_of, text_of, tones_of
from support import panphon_itself

from phonxling.core.errors import DataError
from phonxling.core.features import FeatureTable
from phonxling.phones.ipa import segment_as_panphon
from phonxling.phones.symbols import SymbolSet, xsampa_to_ipa
from phonxling.phones.unknown import SymbolSetMatch, match_sets

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
FOLD = {label: folds for label, *folds in zip(WORDS[::3], WORDS[1::3], WORDS[2::3], strict=True)}
SILENT = {"sil", "cl", "vcl", "epi", "pau", "h#"}
CMU = "AA AE AH AO AW AY B CH D DH EH ER EY F G HH IH IY JH K L M N NG OW OY P R S SH T TH UH UW V W Y Z ZH"
SETS = {
    "timit61": {*FOLD},
    "timit48": {folds[0] for folds in FOLD.values()} - {"-"},
    "timit39": {folds[1] for folds in FOLD.values()} - {"-"},
    "arpabet": {*CMU.split()},
}


@pytest.mark.parametrize("name", SETS)
def test_every_label_is_known_in_upper_and_lower_case_as_a_phone_of_its_own(name: str) -> None:
    phones = {label: known(label, name).phones for label in SETS[name]}
    for label, own in phones.items():
        assert own == known(label.lower(), name).phones == known(label.upper(), name).phones
        assert len(own) == (0 if label in SILENT else 1)
    sounding = [own for label, own in phones.items() if own and not label.endswith("cl")]
    assert len({*sounding}) == len(sounding)


@pytest.mark.parametrize(("name", "column"), [("timit48", 0), ("timit39", 1)])
@pytest.mark.parametrize("silence", ["drop", "keep"])
def test_a_folding_reads_all_61_labels_as_their_classes(name: str, column: int, silence: str) -> None:
    for label, folds in FOLD.items():
        read = known(label, name, silence=silence)
        if label == "q":
            assert (read.phones, read.action) == ((), "dropped")
            continue
        own = known(folds[column], name, silence=silence)
        assert (read.phones, read.features) == (own.phones, own.features), label
        if silence == "drop" and label not in SILENT and not label.endswith("cl"):
            finer = ("timit61", "timit48")[column]  # a class has the phone of the label that it is named after
            assert known(folds[column], name).phones == known(folds[column], finer).phones


def test_what_a_folding_did_is_in_the_audit() -> None:
    rows = ["h# > : silence 1 none", "tcl > : silence 1 none", "t > t: kept 1 table", "UX > u: mapped 1 table"]
    assert audit_of("h# tcl t UX q", "timit39") == [*rows, "q > : dropped 1 none"]
    for name in ("timit48", "timit39"):
        rows = audit_of("q aa Q q", name, silence="keep")
        assert rows == ["q > : dropped 2 none", "aa > ɑ: mapped 1 table", "Q > : dropped 1 none"]


def test_some_phones_by_name_and_stress_digits_come_off() -> None:
    named = cases("sh = ʃ  jh = d͡ʒ  ng = ŋ  dh = ð  y = j  ao = ɔ  r = ɹ  dx = ɾ  er = ɜ˞  q = ʔ")
    assert [known(label, "timit61").phones for label, _ in named] == [(phone,) for _, phone in named]
    assert phones_of("ah ah0 ah1 ah2 ER1", "arpabet") == "ʌ ʌ ʌ ʌ ɜ˞"


CLOSURES = """
    tcl t = t  TCL t = t  tcl ch = t͡ʃ  dcl d = d  dcl jh = d͡ʒ  bcl b = b  gcl g = ɡ  pcl p = p  kcl k = k
    bcl = b  tcl = t  tcl s = t s  tcl d = t d  tcl tcl t = t t  t tcl = t t  tcl pau t = t t
    gcl d gcl g = ɡ d ɡ
"""
UNRELEASED = "t\u031a"


@pytest.mark.parametrize("name", ["timit61", "arpabet"])
@pytest.mark.parametrize(("labels", "phones"), cases(CLOSURES))
def test_a_closure_joins_its_release_alone(name: str, labels: str, phones: str) -> None:
    assert phones_of(labels, name) == phones
    assert sum(row.count for row in normalised(labels, name)[1]) == len(labels.split())


def test_a_phone_lasts_from_its_closures_start_to_its_releases_end(table: FeatureTable) -> None:
    times = [(0, 1), (1, 3), (3, 4), (4, 5), (0, 2), (2, 6)]
    ends = {"merge": ([0, 1, 4, 0], [1, 4, 5, 6]), "alone": tuple(map(list, zip(*times, strict=True)))}
    read = {"merge": "ɑ t s / t͡ʃ", "alone": f"ɑ {UNRELEASED} t s / {UNRELEASED} t͡ʃ"}
    for closures, (start, end) in ends.items():
        found, _ = normalised("aa tcl t s / tcl ch", "timit61", given={"times": times}, closures=closures)
        assert text_of(found) == read[closures]
        assert (found.start.tolist(), found.end.tolist()) == (start, end)
    np.testing.assert_array_equal(table.vector(UNRELEASED)[0], table.vector("t")[0])
    assert audit_of("tcl t", "timit61", closures="alone")[0] == f"tcl > {UNRELEASED}: mapped 1 composed"


def test_utterances_end_and_begin_without_touching_and_other_sets_have_no_closures() -> None:
    labels = "aa tcl / t /  / tcl /  / t tcl"
    assert phones_of(labels, "timit61") == "ɑ t / t /  / t /  / t t"
    assert not any(": merged" in row for row in audit_of(labels, "timit61"))
    assert phones_of("cl t vcl d", "timit48") == "t d"


def test_the_audit_counts_merged_and_lone_closures_apart() -> None:
    rows = ["tcl > t: mapped 1 table", "tcl > (its release): merged 2 none", "t > t: kept 2 table"]
    assert audit_of("tcl t tcl s tcl t", "timit61") == [*rows, "s > s: kept 1 table"]


# In panphon's list: no phones (syllable break), a slip ('=\\), a retroflex affricate with an alveolar stop, and k_< as
# the letter that the IPA has withdrawn.
NOT_COMPARED = {".", "'=\\", "ts`", "tz`", "k_<"}
TONES = dict(zip("˥˦˧˨˩", "\u030b\u0301\u0304\u0300\u030f", strict=True))


def test_panphons_list_has_the_same_ipa() -> None:
    installed = pytest.importorskip("panphon", reason="panphon has no wheels for this Python")
    with (Path(installed.__file__).parent / "data" / "ipa-xsampa.csv").open(encoding="utf-8", newline="") as file:
        rows = [(row["X-SAMPA"], row["IPA"].strip("◌\b")) for row in csv.DictReader(file)]
    pairs = [row for row in rows if row[0] not in NOT_COMPARED]
    assert len(pairs) == 169
    for symbol, ipa in pairs:
        wanted = TONES.get(ipa, ipa)
        if unicodedata.normalize("NFD", xsampa_to_ipa(symbol) or "") != unicodedata.normalize("NFD", wanted):
            # the same phone, spelt in another way: a tie bar that is left out, g for ɡ, ɚ for ə˞
            assert known(symbol, "xsampa").phones == known(wanted).phones


XSAMPA = r"""
    @` = ə˞  b_< = ɓ  J\_< = ʄ  d`_< = ᶑ  p_< = ɓ̥  t_> = tʼ  tS_> = t͡ʃʼ  t_S = t͡ʃ  k_p = k͡p  t_d = t̪
    N_m = ŋ̻  n_= = n̩  n= = n̩  E~ = ɛ̃  E_~ = ɛ̃  a: = aː  a:\ = aˑ  t' = tʲ  t_j = tʲ  k_w_h = kʷʰ
    l_G = lˠ  s_?\ = sˤ  b_t = b̤  b_k = b̰  d_0 = d̥  a_X = ă  t_} = t̚  t_l = tˡ  t_n = tⁿ  aI_^ = aɪ̯
    aI = aɪ  U\ = ʊ̈  r\` = ɻ  r` = ɽ  |\|\ = ǁ  !\_h = ǃʰ  "a = a  %a = a
"""
TONED = r"""
    a_H = a = ˥  a~_T = ã = ̋  a_B_L = a = ˩˧  a_H_T = a = ˧˥  a_R_F = a = ˩˥˩  a_R = a = ˩˥  a_\ = a = ˥˩
    a_5 = a = ⁵  !a_H = a = ꜜ ˥
"""


@pytest.mark.parametrize(("symbol", "ipa"), cases(XSAMPA))
def test_samples_of_xsampa_by_hand(symbol: str, ipa: str) -> None:
    assert (known(symbol, "xsampa").phones, known(symbol, "xsampa").tone) == ((nfc(ipa),), "")


@pytest.mark.parametrize(("symbol", "phone", "tone"), cases(TONED))
def test_tones_come_off_xsampa(symbol: str, phone: str, tone: str) -> None:
    found = known(symbol, "xsampa")
    assert (found.phones, found.tone, found.action) == ((nfc(phone),), tone, "mapped")


def test_case_matters_and_what_is_no_xsampa_is_unknown() -> None:
    assert phones_of("s S n N e E", "xsampa") == "s ʃ n ŋ e ɛ"
    assert [fate(symbol, "xsampa") for symbol in ("ß", "<R>", "SS", "-", "#a")] == [None] * 5
    with pytest.raises(DataError, match="2 of 2 symbols are not known to the symbol set 'xsampa'") as caught:
        normalised("ß SS", "xsampa")
    assert "SS  (U+0053 U+0053) once, first at gold.tsv:2; mapped to 'ʃʃ', which" in str(caught.value)


# The labels of facebook/wav2vec2-lv-60-espeak-cv-ft, from the tests of Hugging Face transformers, without specials.
ESPEAK = """
    n s t ə l a i k d m ɛ ɾ e ɪ p o ɐ z ð f j v b ɹ ʁ ʊ iː r w ʌ u ɡ æ aɪ ʃ h ɔ ɑː ŋ ɚ eɪ β uː y ɑ̃ oʊ ᵻ
    eː θ aʊ ts oː ɔ̃ ɣ ɜ ɑ dʒ əl x ɜː ç ʒ tʃ ɔː ɑːɹ ɛ̃ ʎ ɔːɹ ʋ aː ɕ œ ø oːɹ ɲ yː ʔ iə i5 s. tɕ ?? nʲ ɛː
    œ̃ ɭ ɔø ʑ tʲ ɨ ɛɹ ts. rʲ ɪɹ ɭʲ i.5 ɔɪ q sʲ u5 ʊɹ iɜ a5 iɛ5 øː ʕ ja əɜ th ɑ5 oɪ dʲ ə5 tɕh ts.h mʲ ɯ
    dʑ vʲ e̞ tʃʲ ei5 o5 onɡ5 ɑu5 iɑ5 ai5 aɪɚ kh ə1 ʐ i2 ʉ ħ t[ aɪə ʲ ju ə2 u2 oɜ pː iɛɜ ou5 y5 uɜ tː uo5
    d[ uoɜ tsh ɑɜ ɵ i̪5 uei5 ɟ aɜ ɑɨ i.ɜ eʊ o2 ɐ̃ ä pʲ kʲ n̩ ɒ ph ɑu2 uɨ əɪ ɫ ɬ yɜ bʲ ɑ2 s̪ aiɜ χ ɐ̃ʊ̃ 1
    ə4 yæɜ a2 ɨː t̪ iouɜ ũ onɡɜ aɨ iɛ2 ɔɨ ɑuɜ o̞ ei2 iou2 c kː y2 ɖ oe dˤ yɛɜ əʊ S ɡʲ onɡ2 u" eiɜ ʈ ɯᵝ
    iou5 dZ r̝̊ i.2 tS s^ ʝ yə5 iɑɜ uə5 pf ɨu iɑ2 ou2 ər2 fʲ ai2 r̝ uəɜ ɳ əɨ ua5 uɪ ɽ bː yu5 uo2 yɛ5 l̩
    ɻ ərɜ ʂ i̪2 ouɜ uaɜ a. a.ː yæ5 dː r̩ ee ɪu ər5 i̪ æi u: i.ː t^ o1 ɪ^ ai ueiɜ æː ɛɪ eə i. ɴ ie ua2 ɑ1
    o4 tʃː o: ɑ: u1 N i̪1 au yæ2 u. qː yəɜ y: kʰ tʃʰ iʊ sx õ uo tʰ uai5 bʰ u.ː uə2 ʊə d^ s̪ː yiɜ dʰ r.
    oe: i1 ɟː yu2 nʲʲ i̪4 uei2 tsʲ ɸ ĩ ɑ4 t̪ː eɑ u4 e: tsː ʈʰ ɡʰ ɯɯ dʒʲ ʂʲ X ɵː uaiɜ tɕʲ ã t^ː ẽː yɛ2 cː
    i.1 ɛʊ dˤdˤ dʒː i4 ɡː yi ɕʲ ɟʰ pʰ dʑʲ yuɜ ua1 ua4 æiː ɐɐ ui iou1 ʊː a1 iou4 cʰ iɛ1 yə2 ɖʰ ẽ ʒʲ ää
    ər4 iːː ɪː iɑ1 ər1 œː øi ɪuː cʰcʰ əː1 iː1 kʰː o̞o̞ xʲ ou1 iɛ4 e̞e̞ y1 dzː dʲʲ dʰː ɯᵝɯᵝ lː uo1 i.4 i:
    yɛ5ʲ a4
"""
ESPEAK_READ = """
    ɑːɹ = ɑː ɹ  ɛɹ = ɛ ɹ  aɪɚ = aɪ ə˞  əl = ə l  ju = j u  th = tʰ  tɕh = t͡ɕʰ  ts.h = t͡ʂʰ  ts. = t͡ʂ  t[ = t̪  S = ʃ
    dZ = d͡ʒ  sx = ɧ  s. = ʂ  r. = ɽ  t^ = tʲ  ɯᵝɯᵝ = ɯː  dˤdˤ = dˤː  nʲʲ = nʲ  ɜ = ɜ  aɪ = aɪ  ts = t͡s  o: = oː
    X = χ  h = h
"""


def test_every_label_of_an_espeak_recogniser_is_read_as_phones(table: FeatureTable) -> None:
    assert len({*ESPEAK.split()}) == 387
    found = {label: known(label, "espeak") for label in ESPEAK.split()}
    assert {label for label, read in found.items() if not read.phones} == {"1"}  # a tone that stands alone
    assert match_sets(Counter(ESPEAK.split()), table)[0].name == "espeak"
    tones = {label: (label.rstrip("ʲ") or label)[-1].translate(str.maketrans("12345ɜ", "¹²³⁴⁵³")) for label in found}
    assert {label: read.tone for label, read in found.items() if read.tone} == {
        label: tone for label, tone in tones.items() if tone in "¹²³⁴⁵" and label != "ɜ"
    }
    assert (found["onɡɜ"].phones, found["onɡɜ"].tone) == (("o", "ŋ"), "³")
    assert phones_of("iɜ ei5 ər2 yɛ5ʲ i.ɜ", "espeak") == "i ei ə˞ yɛ ʅ"


@pytest.mark.parametrize(("label", "phones"), cases(ESPEAK_READ))
def test_samples_of_espeak_by_hand(label: str, phones: str) -> None:
    assert phones_of(label, "espeak") == nfc(phones)


@pytest.mark.parametrize("tone", "123456789")
def test_an_espeak_label_is_read_alike_with_every_tone(tone: str) -> None:
    for label, phones in cases("oe = œ  aa = aː  aai = aːi  oey = œy  i. = ʅ  ər = ə˞  ɯᵝ = ɯ  onɡ = o ŋ  ŋ = ŋ"):
        assert (phones_of(label + tone, "espeak"), tones_of(label + tone, "espeak")) == (phones, tone.translate(RAISED))


NONE_OF_THEIRS = """
    espeak = ɨᵝ  espeak = ɯ̟ᵝ  espeak = a0  espeak = á  espeak = a˥  espeak = aˠ  espeak = ⁿd  espeak = a⁵
    espeak = 118  espeak = a11  espeak = zz9  espeak = t5
    xsampa = ʃ  xsampa = a˥  arpabet = ʃ  arpabet = a  timit61 = ɑ  timit48 = ɾ  timit39 = aː  arpabet = AH3
"""


@pytest.mark.parametrize(("symbols", "label"), cases(NONE_OF_THEIRS))
def test_no_set_has_another_behind_it(symbols: str, label: str) -> None:
    assert fate(label, symbols) is None


RAISED = str.maketrans("123456789", "¹²³⁴⁵⁶⁷⁸⁹")
MINE = SymbolSet("mine.tsv", {"A": "a", "X": "k s", "M": "a ʧ ŋ", "gone": "", "b": "b", "\u00e9": "e"})


def test_a_users_map_gives_one_phone_several_or_none() -> None:
    rows = "A X gone / gone / M b \u00e9 e\u0301"
    assert phones_of(rows, MINE) == "a k s /  / a t͡ʃ ŋ b e e"
    assert audit_of(rows, MINE) == [
        "A > a: mapped 1 table", "X > k s: split 1 table", "gone > : dropped 2 none", "M > a t͡ʃ ŋ: split 1 table",
        "b > b: kept 1 table", "\u00e9 > e: mapped 1 table", "e\u0301 > e: mapped 1 table",
    ]  # fmt: skip
    assert phones_of("a A", MINE, unknown="drop") == "a"


def by_name(labels: str, table: FeatureTable) -> dict[str, SymbolSetMatch]:
    return {fit.name: fit for fit in match_sets(Counter(labels.split()), table)}


@pytest.mark.parametrize(
    ("labels", "name"),
    [
        ("k͡p a ɔ̃ ã́", "ipa"), ("p t k m n", "ipa"), ("HH AH0 L OW1", "arpabet"), (CMU, "arpabet"),
        (CMU.lower(), "arpabet"), (CMU + " SIL", "arpabet"), ("aa ae ah dx sil sh", "timit39"),
        ("aa ax cl vcl zh sil", "timit48"), ("bcl b ax-h h#", "timit61"), ("b d aa iy ae", "arpabet"),
        ("t_S @ E~", "xsampa"), ("tS dZ aI @ E p", "xsampa"), ("kpàtàkì ɔkɔ̃ aba ŋlá", "ipa-joined"),
    ],
)  # fmt: skip
def test_the_set_that_fits_best_knows_all(labels: str, name: str, table: FeatureTable) -> None:
    best = match_sets(Counter(labels.split()), table)[0]
    assert (best.name, best.unknown) == (name, ())


def test_what_is_unknown_merged_or_doubtful_is_named(table: FeatureTable) -> None:
    assert by_name("hh ah l ow oth", table)["arpabet"].unknown == ("oth",)
    assert next(iter(by_name("hh ah l ow oth", table))) == "arpabet"
    assert next(iter(by_name("p a ʃ ɔ ẹ ṣ", table))) == "ipa"
    assert by_name(CMU.lower(), table)["timit39"].merged == (("ao", "aa"), ("zh", "sh"))
    assert by_name(CMU.lower(), table)["arpabet"].merged == ()
    assert by_name("aa q", table)["timit48"].merged == (("q", ""),)
    words = by_name("hello world", table)
    assert (words["ipa-joined"].doubtful, words["ipa"].unknown) == (("hello", "world"), ("hello", "world"))


LETTERS = "ptkbdɡmnŋszʃʒfvθðrlɹjwaeiouɑɛɪɔʊəʔʼʰʲʷː\u0325\u0329\u032a\u0303\u0361ˑʘǃⁿˀˤçɚᵐ"


@given(word=st.text(alphabet=LETTERS, min_size=1, max_size=9))
def test_words_are_cut_as_panphon_cuts_them(word: str, table: FeatureTable) -> None:
    found = [unicodedata.normalize("NFD", each) for each in segment_as_panphon(word, table)]
    theirs = panphon_itself().fm
    assert found == theirs.segs_safe(word)
    assert [each for each in found if each in theirs.seg_dict] == theirs.ipa_segs(word)


def test_the_two_ways_to_cut_a_word_are_symbol_sets() -> None:
    read = {name: phones_of("aɪ̯tʃa kpa", name) for name in ("ipa-joined", "ipa-panphon")}
    assert read == {
        "ipa-joined": "aɪ̯ t͡ʃ a k͡p a",
        "ipa-panphon": " ".join(known(each).phones[0] for each in panphon_itself().fm.ipa_segs("aɪ̯tʃakpa")),
    }

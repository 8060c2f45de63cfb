"""Phones that panphon lacks: which features each rule changes, stated here by hand over panphon's own rows."""

import pytest
from made_phones import cases
from support import panphon_rows

from phonxling.core.features import FeatureTable
from phonxling.core.spelling import MARKS
from phonxling.load.resources import panphon_features


@pytest.fixture(scope="module")
def rows() -> dict[str, dict[str, int]]:
    return panphon_rows()


def values(text: str) -> dict[str, int]:
    return {word[1:]: "-0+".index(word[0]) - 1 for word in text.split()}


def found(phone: str, table: FeatureTable, origin: str = "composed") -> dict[str, int]:
    vector, whence = table.vector(phone)
    assert whence == origin, phone
    return dict(zip(table.features, vector.tolist(), strict=True))


# Marks without a row of panphon's, letters that it lacks, superscripts before, affricates, double articulations,
# syllabic consonants of several parts, clicks, diphthongs.
CHANGED = """
    d̥ = d = -voi  s̬ = s = +voi  p̤ = p = +sg  p̰ = p = +cg  ʈ̪ = ʈ = +ant +distr  p̪ = p = .  p̼ = p = .
    d̼̥ = d = +lab -voi  s̃ = s = +nas  t̩ = t = +syl  ʂ̹ = ʂ = .  t̚ = t = .  t̽ = t = .  a̽ = a = .
    aˑ = a = 0long  aːː = a = +long  aʰ = a = +sg  dʱ = d = +sg  bʶ = b = -hi  kʶ = k = -hi  k͈ = k = .
    tᵊ = t = .  pᵐ = p = +nas  tʷʰˀ = t = +round +hi +sg +cg  ⱱ = ʋ = +cons  ʡ = ħ = -cont  ʢ = ʕ = .
    ᶑ = ɖ = +cg  ȵ = n = -ant +distr +hi  ȶʰ = t = -ant +distr +hi +sg  ɿ = z = +syl  ⁿd = d = +nas
    ᵐb = b = +nas  ᵑɡ = ɡ = +nas  ⁿd͡ʒ = d͡ʒ = +nas  n͡d = d = +nas  ŋ͡ɡ͡b = ɡ͡b = +nas  ʰt = t = +sg
    ˀt͡ʂ = ʂ = -cont +delrel +cg  ʔ͡t = t = +cg  t͡ʔ = t = +cg  ᵈn = n = 0son 0nas  d͡n = n = 0son 0nas
    ᵈl = l = 0son 0cont 0lat  t͡ʂ = ʂ = -cont +delrel  t͡θ = θ = -cont +delrel  d͡ʐ = ʐ = -cont +delrel
    p͡s = s = -cont +delrel +lab  t͡x = x = -cont +delrel +cor -distr  kˣ = x = -cont +delrel
    tˢ = s = -cont +delrel  d͡s = s = -cont +delrel 0voi  t͡r = r = -cont +delrel -son 0voi
    t͡ʂʼ = ʂ = -cont +delrel +cg  t͡ʂʰː = ʂ = -cont +delrel +sg +long  ŋ͡m = ŋ = 0ant +lab
    ɡ͡ɓ = ɡ = 0ant +lab +cg  ɸ͡x = x = 0ant +lab  ɡ͡ɓʷ = ɡ = 0ant +lab +cg +round  ŋ͡m̩ = ŋ = 0ant +lab +syl
    t͡ʂ̩ = ʂ = -cont +delrel +syl  ⁿd̩ = d = +nas +syl  ŋ͡ǃ̩ = ǃ = +voi +son +nas +syl  ᶢǀ = ǀ = +voi
    ɡǀ = ǀ = +voi  ᵑǃ = ǃ = +voi +son +nas  ŋ͡ǃ = ǃ = +voi +son +nas  ᵑ̥ǃ = ǃ = +son +nas  k͡ǁʰ = ǁ = +sg
    ǃ͡χ = ǃ = +delrel  ǃ͡χʼ = ǃ = +delrel +cg  ǃqʼ = ǃ = +cg  aɪ = a = 0hi 0lo 0back 0tense
    a͡ɪ = a = 0hi 0lo 0back 0tense  aɪ̯ = a = 0hi 0lo 0back 0tense  aⁱ = a = 0hi 0lo 0back
    aa̯ = a = .  j͡a = a = 0hi 0lo 0back 0tense  uoː = u = 0hi 0lab +long  ãĩ = ã = 0hi 0lo 0back
"""


@pytest.mark.parametrize(("phone", "like", "changed"), cases(CHANGED))
def test_a_phone_is_another_but_for_stated_features(table: FeatureTable, phone: str, like: str, changed: str) -> None:
    assert found(phone, table) == found(like, table, "table") | values(changed.strip("."))


@pytest.mark.parametrize(
    "phone",
    ["a͡t", "t͡a", "s͡t", "n͡a", "aeiou", "t͡w", "tʰ͡", "ⁿ", "ⁿⁿ", "ᵐa", "ʷʰt", "t͡͡s", "☃ʰ", "t☃", "s͡t\u0329", "t͡a\u0329"],
)
def test_what_no_rule_joins_has_no_features(table: FeatureTable, phone: str) -> None:
    assert table.vector(phone) == (None, "none")


def test_marks_make_panphons_own_rows_from_their_letters(rows: dict[str, dict[str, int]]) -> None:
    right, wrong = 0, []
    for segment, row in rows.items():
        marks = sorted((letter for letter in segment if letter in MARKS), key=list(MARKS).index)
        letters = "".join(letter for letter in segment if letter not in MARKS)
        if not marks or letters not in rows:
            continue
        made = dict(rows[letters])
        for rule in (MARKS[mark] for mark in marks):
            if rule.needs.items() <= made.items():
                made |= rule.sets
        if made == row:
            right += 1
        else:
            wrong.append(segment)
    assert (right, len(wrong)) == (5979, 155)
    dental, lateral = [s for s in wrong if "\u032a" in s], [s for s in wrong if "ɮ" in s]
    assert len(set(wrong) - set(dental) - set(lateral)) == 8  # five tone letters with ˤ, and ɜ̘
    assert all("͡" in segment for segment in dental if "\u033a" not in segment and "\u0334" not in segment)


def test_words_that_nobody_cut_and_heaps_of_marks_are_no_phone_and_take_no_time() -> None:
    """The ways to leave marks out double with each mark: sixty would never end."""
    words = ["a" * 3000, "t͡" * 1500 + "s", "kp" * 1500, "a" + "\u0325" * 60, "t" + "ʰʷʲˠˤ" * 12]
    for word in words:
        assert panphon_features().vector(word) == (None, "none")
        assert panphon_features().vowels(word) == ()


def test_tone_sets_the_features_of_tone_alone_and_its_glottalisation_cg(table: FeatureTable) -> None:
    plain, toned, glottal = (dict(zip(table.features, table.vector(one)[0], strict=True)) for one in ("a", "a˥", "a˥ʔ"))
    assert {name for name in plain if plain[name] != toned[name]} == {"hitone", "hireg"}
    assert {name for name in toned if toned[name] != glottal[name]} == {"cg"}

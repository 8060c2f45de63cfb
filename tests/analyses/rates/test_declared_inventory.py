"""A recogniser's inventory is declared: a collapse to few phones is no skill; without a declaration, none is said."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from compared_results import finish, invoke, row, table, write
from running import Tables, all_numbers, tables_of

from phonxling.core.errors import ConfigurationError, DataError

LABELS = [  # 35 of a recogniser, and what they are in IPA
    *("p p", "b b", "t t", "d d", "k k", "g ɡ", "m m", "n n", "ng ŋ", "f f", "v v", "s s", "z z", "sh ʃ", "th θ"),
    *("dh ð", "hh h", "l l", "r ɹ", "w w", "y j", "iy i", "ih ɪ", "eh ɛ", "ae æ", "aa ɑ", "ah ʌ", "uh ʊ", "uw u"),
    *("ey eɪ", "ay aɪ", "aw aʊ", "ow oʊ", "ch t͡ʃ", "jh d͡ʒ"),
]
HAS = dict(pair.split() for pair in LABELS)
FEW = ("t", "k", "s", "n", "iy", "aa")  # to which a collapsed one is reduced
SPOKEN = {**dict.fromkeys([HAS[one] for one in FEW], 0.07), **dict.fromkeys("pbdmflwuɪɛzh", 0.04), "ɓ": 0.05, "ã": 0.05}
SETTINGS = "chance: {models: [constant, unigram], replicates: 2}\nuncertainty: {resamples: 200}\n"
DECLARED = f"{{name: toy, inventory: [{', '.join(HAS)}]}}"


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with gold, a recogniser that has all of its phones, and one that answers with six of them."""
    folder, draws = tmp_path_factory.mktemp("collapsed"), np.random.default_rng(3)
    label, chances = {phone: name for name, phone in HAS.items()}, np.array([*SPOKEN.values()])
    names = [f"u{number:02d}" for number in range(48)]
    gold = [draws.choice([*SPOKEN], 25, p=chances / chances.sum()).tolist() for _ in names]

    def heard(phone: str, right: float, others: list[str]) -> str:
        own = label.get(phone, "")
        return own if own in others and draws.random() < right else str(draws.choice(others))

    write(folder / "gold.tsv", names, gold)
    write(folder / "good.tsv", names, [[heard(phone, 0.45, [*HAS]) for phone in line] for line in gold])
    write(folder / "collapsed.tsv", names, [[heard(phone, 0.9, [*FEW]) for phone in line] for line in gold])
    speakers = "\n".join(f"{name}\ts{number % 12}" for number, name in enumerate(names))
    (folder / "speakers.tsv").write_text(f"utterance\tspeaker\n{speakers}\n", encoding="utf-8")
    return folder


def configured(system: str, recogniser: str) -> str:
    predicted = f"predicted: {{path: {system}.tsv, symbols: arpabet}}"
    corpus = f"{{gold: gold.tsv, {predicted}, speakers: speakers.tsv, recogniser: {recogniser}}}"
    return f"name: {system}\ncorpora: {{one: {corpus}}}\n{SETTINGS}"


def numbers(data: Path, system: str, recogniser: str) -> dict[tuple[str, str], pd.Series]:
    (data / "c.yaml").write_text(configured(system, recogniser), encoding="utf-8")
    found = all_numbers(tables_of(data / "c.yaml"))
    return {(each["measure"], each["variant"]): each for _, each in found.iterrows()}


def test_a_collapsed_recogniser_gains_nothing_by_the_phones_that_it_no_longer_says(data: Path) -> None:
    good, collapsed = (numbers(data, system, DECLARED) for system in ("good", "collapsed"))
    spoken = [phone for line in pd.read_csv(data / "gold.tsv", sep="\t")["phones"] for phone in line.split()]
    lacking = sum(phone not in HAS.values() for phone in spoken) / len(spoken)
    for rows in (good, collapsed):
        rate, chance = rows["per", ""]["value"], rows["chance_per", "best"]["value"]
        assert rows["floor_per", ""]["value"] == pytest.approx(lacking)
        assert rows["attainable_skill_per", "best"]["value"] == pytest.approx((chance - rate) / (chance - lacking))
        assert "|inventory:35/" in rows["per", ""]["signature"]
    own = {HAS[one] for one in FEW}
    guessed = sum(phone not in own for phone in spoken) / len(spoken)  # the floor, were six phones the inventory
    rate, chance = collapsed["per", ""]["value"], collapsed["chance_per", "best"]["value"]
    assert (chance - rate) / (chance - guessed) > 0.75
    for name in ("attainable_skill_per", "attainable_skill_wper"):
        assert collapsed[name, "best"]["value"] < good[name, "best"]["value"] < 0.6


@pytest.mark.parametrize("recogniser", ["toy", "null"])
def test_without_a_declared_inventory_nothing_rests_on_one_and_the_line_to_write_is_said(
    data: Path, recogniser: str
) -> None:
    rows = numbers(data, "collapsed", recogniser)
    line = "recogniser: {name: toy, inventory: arpabet}" if recogniser == "toy" else "recogniser: {inventory: arpabet}"
    missing = [(f"floor_{rate}", "") for rate in ("per", "wper")]
    missing += [(f"attainable_skill_{rate}", "best") for rate in ("per", "wper")]
    for name in (*missing, ("error_share", "absent")):
        assert np.isnan(rows[name]["value"])
        assert "inventory is not declared" in rows[name]["note"]
        assert rows[name]["note"].endswith(f"write {line}")
    assert rows["skill_per", "best"]["value"] > 0
    assert "may lack are among them" in rows["error_share", "confused"]["note"]
    parts = [rows["error_share", name]["value"] for name in ("confused", "deleted", "inserted")]
    assert sum(parts) == pytest.approx(1)
    assert "inventory:35" not in rows["per", ""]["signature"]


def test_what_was_never_predicted_is_not_called_lacking(data: Path) -> None:
    (data / "c.yaml").write_text(configured("collapsed", "toy"), encoding="utf-8")
    tables: Tables = tables_of(data / "c.yaml")
    missed = tables["one/missed.tsv"].set_index("phone")
    own = {HAS[one] for one in FEW}
    wanted = {phone: "predicted" if phone in own else "never predicted" for phone in SPOKEN}
    assert missed["in_inventory"].to_dict() == {**wanted, "∅": ""}
    assert missed[["absent", "absent_as_nearest"]].isna().all(axis=None)
    assert missed["errors"].sum() == missed[["confused", "deleted", "inserted"]].sum(axis=None)
    assert not [name for name in tables["one/utterances.tsv"].columns if name.startswith("floor_")]


@pytest.mark.slow
def test_compare_gives_no_verdict_on_an_attainable_skill_that_is_not_known(data: Path) -> None:
    found = {
        kind: [finish(data, f"{system}-{kind}", configured(system, recogniser)) for system in ("good", "collapsed")]
        for kind, recogniser in (("toy", "toy"), ("declared", DECLARED))
    }
    for kind, folders in {**found, "mixed": [found["declared"][0], found["toy"][1]]}.items():
        out = data / f"compared-{kind}"
        printed = invoke(*folders, "--output", out)
        assert printed.exit_code == 0
        assert ("attainable" in printed.output) == (kind == "declared")
        items = [folder.name for folder in folders]
        skill = row(out, "attainable_skill_per", *items, "paired bootstrap")
        ranked = set(table(out / "ranking.tsv")["measure"])
        assert {"skill_wper", "attainable_skill_wper"} & ranked == {f"{'attainable_' * (kind == 'declared')}skill_wper"}
        if kind == "declared":
            assert skill["difference"] > 0
            assert np.isfinite(skill["p"])
        else:
            assert np.isnan(skill["p"])
            assert np.isnan(skill["difference"])
            assert "inventory is not declared" in skill["note"]


def corpora(**recognisers: str) -> str:
    files = "gold: gold.tsv, predicted: {path: good.tsv, symbols: arpabet}"
    lines = [f"  {name}: {{{files}, recogniser: {recogniser}}}" for name, recogniser in recognisers.items()]
    return "\n".join(["corpora:", *lines, SETTINGS])


@pytest.mark.slow
def test_corpora_that_name_the_same_recogniser_share_its_inventory(data: Path) -> None:
    (data / "c.yaml").write_text(corpora(one="toy", two=DECLARED, three="other"), encoding="utf-8")
    rows = all_numbers(tables_of(data / "c.yaml", "uncertainty.resamples=20")).set_index(["corpus", "measure"])
    floors = rows.loc[pd.IndexSlice[:, "floor_per"], "value"].droplevel("measure")
    assert floors["one"] == floors["two"] > 0
    assert np.isnan(floors["three"])


def test_two_inventories_of_one_recogniser_are_one_error(data: Path) -> None:
    (data / "c.yaml").write_text(corpora(one=DECLARED, two="{name: toy, inventory: arpabet}"), encoding="utf-8")
    with pytest.raises(ConfigurationError) as found:
        tables_of(data / "c.yaml")
    message = str(found.value)
    assert message.count("\n") == 0
    assert "c.yaml:3:" in message
    assert "another inventory of toy than one declares; the two differ in ɔ ɔɪ ɜ˞ ʒ" in message
    same = f"{{name: toy, inventory: [{', '.join(reversed(HAS))}]}}"
    (data / "c.yaml").write_text(corpora(one=DECLARED, two=same), encoding="utf-8")
    tables_of(data / "c.yaml", "uncertainty.resamples=20")


def test_a_predicted_phone_outside_the_inventory_is_an_error_that_names_it(data: Path) -> None:
    few = ", ".join(name for name in HAS if name not in {"sh", "zh"})
    (data / "c.yaml").write_text(corpora(one=f"{{inventory: [{few}]}}"), encoding="utf-8")
    count = (data / "good.tsv").read_text(encoding="utf-8").split().count("sh")
    with pytest.raises(DataError, match=rf"c\.yaml:2:.* 1 predicted phone is outside .* of 34: ʃ \({count}\)"):
        tables_of(data / "c.yaml")


@pytest.mark.parametrize(
    ("text", "floor"),
    [
        ("\n".join([*HAS, "sil"]), True),
        ("\n".join(HAS.values()), True),
        ("symbol\tipa\n" + "\n".join(f"{name}\t{phone}" for name, phone in HAS.items()) + "\nsp\t\n", True),
        ("\n".join([*HAS, "qq"]), "inventory.txt:36: qq"),
        ("\n".join(f"{name}\t{phone}" for name, phone in HAS.items()) + "\nzz\tqqq\n", "inventory.txt:36: zz"),
        ("sil\n", "the inventory has no phone"),
    ],
    ids=["labels", "IPA", "two columns", "unknown", "unknown IPA", "silence alone"],
)
def test_a_file_of_phones(data: Path, text: str, floor: bool | str) -> None:
    (data / "inventory.txt").write_text(text, encoding="utf-8")
    (data / "c.yaml").write_text(corpora(one="{inventory: inventory.txt}", two=DECLARED), encoding="utf-8")
    if isinstance(floor, str):
        with pytest.raises((DataError, ConfigurationError), match=floor):
            tables_of(data / "c.yaml")
        return
    rows = all_numbers(tables_of(data / "c.yaml", "uncertainty.resamples=20"))
    one, two = (rows[rows["corpus"] == name].set_index(["measure", "variant"]) for name in ("one", "two"))
    for name in (("floor_per", ""), ("floor_wper", ""), ("attainable_skill_per", "best")):
        assert one.loc[name, "value"] == two.loc[name, "value"]
    assert one["signature"].tolist() == two["signature"].tolist()

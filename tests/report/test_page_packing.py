"""What the page carries: packed and unpacked alike, a sample without gaps, and scripts that fit together."""

import json
import re
from dataclasses import fields
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, strategies as st

from phonxling.analyses.measures import Measure
from phonxling.report import render
from phonxling.report.corpus_part import read_pairs
from phonxling.report.first_screen import cards
from phonxling.report.numbers import Confusion, Number, Numbers, Part, address, sentence
from phonxling.report.render import (
    CorpusPart,
    Page,
    PagePairs,
    chosen_utterances,
    packed_pairs,
    packed_rates,
    packed_table,
    page_html,
    script,
    source_of,
    style,
    unpacked,
)

SCRIPTS = Path(render.__file__).parent / "assets" / "scripts"
IMPORT = re.compile(r'^import \{([^}]*)\} from "([^"]+)";$', re.MULTILINE)
EXPORT = re.compile(r"^export (?:async )?(?:const|function) (\w+)", re.MULTILINE)
HOSTILE = "</script><img src=x onerror=alert(1)>'\"&<b>"


def pairs_of(utterances: list[list[tuple[int, int]]]) -> PagePairs:
    every = [pair for pairs in utterances for pair in pairs]
    gold, predicted = (np.array([pair[side] for pair in every], np.uint16) for side in (0, 1))
    names = [f"u{place}" for place in range(len(utterances))]
    lengths = np.array([len(pairs) for pairs in utterances], np.int64)
    return PagePairs(utterances=names, speakers=names, lengths=lengths, gold=gold, predicted=predicted)


def test_names_that_look_like_numbers_are_read_as_texts(tmp_path: Path) -> None:
    rows = ["0411\t1\t1\t∅", "0411\t2\t01\tNA", "411\t1\t∅\t1", "4.0\t1\t01\t1"]
    text = "\n".join(["utterance\tposition\tgold\tpredicted", *rows, ""])
    (tmp_path / "alignments.tsv").write_text(text, encoding="utf-8")
    utterances = pd.DataFrame({"utterance": ["411", "0411", "4", "4.0"], "speaker": [""] * 4}, dtype=str)
    pairs = read_pairs(tmp_path, utterances, {"gold": ["1", "01"], "predicted": ["NA", "1"]})
    found = [each.tolist() for each in (pairs.lengths, pairs.gold, pairs.predicted)]
    assert found == [[1, 2, 0, 1], [0, 1, 2, 1], [2, 0, 1, 1]]


UTTERANCES = st.lists(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), max_size=6), min_size=1, max_size=40)


@given(UTTERANCES, st.integers(1, 30), st.integers(1, 9))
def test_pairs_looked_at_a_few_at_a_time_give_the_same_sample(
    utterances: list[list[tuple[int, int]]], limit: int, together: int
) -> None:
    chosen = chosen_utterances(pairs_of(utterances), limit).tolist()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(render, "_AT_ONCE", together)
        assert chosen_utterances(pairs_of(utterances), limit).tolist() == chosen


@given(UTTERANCES, st.integers(25, 30))
def test_the_sample_holds_every_pair_and_no_more_utterances_than_allowed(
    utterances: list[list[tuple[int, int]]], limit: int
) -> None:
    chosen = chosen_utterances(pairs_of(utterances), limit)
    assert len(chosen) == min(limit, len(utterances))
    assert (np.diff(chosen) > 0).all()
    every = {pair for pairs in utterances for pair in pairs}
    assert {pair for u in chosen for pair in utterances[u]} == every


def test_packed_pairs_are_those_of_the_chosen_utterances() -> None:
    found = packed_pairs(pairs_of([[(0, 1), (2, 2)], [(1, 1)], [], [(3, 0)]]), np.array([0, 2, 3]))
    assert unpacked(found["ids"]).decode().split("\n") == ["u0", "u2", "u3"]
    assert np.frombuffer(unpacked(found["lengths"]), "<u4").tolist() == [2, 0, 1]
    assert np.frombuffer(unpacked(found["gold"]), "<u2").tolist() == [0, 2, 3]
    assert np.frombuffer(unpacked(found["predicted"]), "<u2").tolist() == [1, 2, 0]


def test_rates_are_packed_as_the_table_has_them_and_undefined_ones_stay_so() -> None:
    table = pd.DataFrame({"wper": [0.1, 0.25, np.nan], "per": [1.0, 2.5, np.nan], "cost": [1, 2, 3]})
    rates = packed_rates(table, np.array([0, 2]))
    assert list(rates) == ["wper", "per"]
    np.testing.assert_array_equal(np.frombuffer(unpacked(rates["wper"]), "<f4"), np.float32([0.1, np.nan]))
    np.testing.assert_array_equal(np.frombuffer(unpacked(rates["per"]), "<f4"), np.float32([1.0, np.nan]))


def hostile_page(*findings: str) -> str:
    part = CorpusPart(
        name=HOSTILE,
        title=HOSTILE,
        role="target",
        findings=[sentence(HOSTILE, Part(HOSTILE, address(HOSTILE, gold=HOSTILE))), *map(sentence, findings)],
        warnings=[HOSTILE],
        data={"gold": [HOSTILE], "predicted": [HOSTILE], "classes": {}, "alignments": None, "sampled": HOSTILE},
    )
    numbers = Numbers(
        {("per", ""): Number(0.5, note=HOSTILE), ("error_share", "level"): Number(1.0)},
        name=HOSTILE,
        confusions=(Confusion(HOSTILE, HOSTILE * 2, 1, 2),),
    )
    definition = Measure(**{column.name: HOSTILE for column in fields(Measure)} | {"name": "wper"})
    row = {"corpus": HOSTILE, "side": "gold", "action": "kept", "symbols": "1", "tokens": "1", "which": HOSTILE}
    return page_html(
        Page(
            title=HOSTILE,
            version="1",
            corpora=[part],
            cards=cards({HOSTILE: numbers, "": Numbers()}),
            audit=[row],
            definitions=[definition],
            headline=[{"key": HOSTILE, "measure": "wper", "title": HOSTILE, "texts": [(HOSTILE, HOSTILE)]}],
            signatures=[(HOSTILE, [HOSTILE])],
            citation=HOSTILE,
            tables={HOSTILE: packed_table(f"{HOSTILE}\n".encode())},
        )
    )


def test_text_from_data_never_becomes_markup() -> None:
    text = hostile_page()
    assert "<img" not in text
    assert text.count("</script>") == 2  # of the data and of the scripts
    (data,) = re.findall(r'<script type="application/json" id="data">(.*?)</script>', text, re.DOTALL)
    assert json.loads(data)["corpora"][0]["name"] == HOSTILE


def test_findings_are_whole_unless_a_name_has_no_end() -> None:
    sentence, name = "word " * 100, "x" * 3000
    text = hostile_page(sentence, name)
    assert f"<li>{sentence}</li>" in text
    assert f'<li><span class="long" tabindex="0">{name}</span></li>' in text


def test_the_policy_names_the_very_style_and_script_that_the_page_holds() -> None:
    text = hostile_page()
    (held,) = re.findall(r"<style>(.*?)</style>", text, re.DOTALL)
    (run,) = re.findall(r'<script type="module">(.*?)</script>', text, re.DOTALL)
    assert (held, run) == (style(), script())
    (policy,) = re.findall(r'Content-Security-Policy" content="([^"]*)"', text)
    assert policy.startswith("default-src &#39;none&#39;; ")
    for part in (held, run):
        assert source_of(part).strip("'") in policy.replace("&#43;", "+")
    assert "unsafe" not in policy
    unquoted = re.sub(r'"[^"]*"', '""', text.replace(run, "").replace(held, ""))
    assert not re.search(r"<[^>]+\s(style|on\w+)=", unquoted), "an attribute that the policy forbids"


def test_nothing_on_the_page_comes_from_elsewhere() -> None:
    assert not re.findall(r'(?:src|href)="(?!#)[^"]*"', hostile_page())
    assert "url(" not in style()
    assert "import " not in script()


def test_a_page_of_60_by_40_phones_and_5_000_utterances_is_below_2_megabytes() -> None:
    generator = np.random.default_rng(2)
    lengths = np.full(6_000, 40, np.int64)
    gold, predicted = (generator.integers(0, size, lengths.sum()).astype(np.uint16) for size in (60, 40))
    names = [f"utterance{number:06d}" for number in range(6_000)]
    pairs = PagePairs(utterances=names, speakers=names, lengths=lengths, gold=gold, predicted=predicted)
    found = packed_pairs(pairs, chosen_utterances(pairs))
    assert len(np.frombuffer(unpacked(found["lengths"]), "<u4")) == 5_000
    assert len(script()) + len(style()) + sum(map(len, found.values())) < 2_000_000


def test_every_imported_name_is_exported() -> None:
    missing, imports = [], 0
    for file in SCRIPTS.rglob("*.js"):
        for names, path in IMPORT.findall(file.read_text(encoding="utf-8")):
            imports += 1
            exported = EXPORT.findall((file.parent / path).read_text(encoding="utf-8"))
            wanted = [name.strip() for name in names.split(",") if name.strip()]
            missing += [f"{file.name}: {name} of {path}" for name in wanted if name not in exported]
    assert missing == []
    assert imports > 50


def test_every_script_is_in_the_bundle() -> None:
    names = {file.relative_to(SCRIPTS).with_suffix("").as_posix() for file in SCRIPTS.rglob("*.js")} - {"main"}
    bundled = script()
    assert {name for name in names if f"const ${name.replace('/', '$')} = " not in bundled} == set()

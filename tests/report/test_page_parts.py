"""What the page carries: packed and unpacked alike, a sample without gaps, orders, features, a map."""

import json
import math
import re
from dataclasses import fields
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, strategies as st
from made_page import unpack

from phonxling.analyses.measures import Measure
from phonxling.core.estimate import Estimate
from phonxling.report import render
from phonxling.report.first_screen import cards
from phonxling.report.numbers import Cell, Numbers, Part, address, sentence
from phonxling.report.page import packed_times, page_of, read_pairs, tables_by_corpus
from phonxling.results.folder import read_manifest
from phonxling.results.tables import ByCorpus, table_of, write_table

HOSTILE = "</script><img src=x onerror=alert(1)>'\"&<b>"


def pairs_of(utterances: list[list[tuple[int, int]]]) -> render.PagePairs:
    every = [pair for pairs in utterances for pair in pairs]
    gold, predicted = (np.array([pair[side] for pair in every], np.uint16) for side in (0, 1))
    names = [f"u{place}" for place in range(len(utterances))]
    lengths = np.array([len(pairs) for pairs in utterances], np.int64)
    return render.PagePairs(utterances=names, speakers=names, lengths=lengths, gold=gold, predicted=predicted)


def write_alignments(folder: Path, corpora: dict[str, list[dict[str, object]]]) -> None:
    parts = tuple((name, table_of("alignments", rows)) for name, rows in corpora.items())
    write_table(folder, "alignments", ByCorpus(parts))


def test_names_that_look_like_numbers_are_read_as_texts(tmp_path: Path) -> None:
    rows = [("0411", "1", "∅"), ("0411", "01", "NA"), ("411", "∅", "1"), ("4.0", "01", "1")]
    made = [dict(zip(("utterance", "gold", "predicted"), row, strict=True)) for row in rows]
    write_alignments(tmp_path, {"other": made[:1], "own": made})
    utterances = pd.DataFrame({"utterance": ["411", "0411", "4", "4.0"], "speaker": [""] * 4}, dtype=str)
    pairs = read_pairs(tmp_path, "own", utterances, {"gold": ["1", "01"], "predicted": ["NA", "1"]})
    found = [each.tolist() for each in (pairs.lengths, pairs.gold, pairs.predicted)]
    assert found == [[1, 2, 0, 1], [0, 1, 2, 1], [2, 0, 1, 1]]


UTTERANCES = st.lists(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), max_size=6), min_size=1, max_size=40)


@given(UTTERANCES, st.integers(25, 30), st.integers(1, 9))
def test_the_sample_holds_every_pair_and_no_more_utterances_than_allowed(
    utterances: list[list[tuple[int, int]]], limit: int, together: int
) -> None:
    chosen = render.chosen_utterances(pairs_of(utterances), limit)
    assert len(chosen) == min(limit, len(utterances))
    assert (np.diff(chosen) > 0).all()
    every = {pair for pairs in utterances for pair in pairs}
    assert {pair for u in chosen for pair in utterances[u]} == every
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("phonxling.report.render._AT_ONCE", together)  # pairs are looked at a few at a time
        assert render.chosen_utterances(pairs_of(utterances), limit).tolist() == chosen.tolist()


def test_packed_pairs_and_rates_are_those_of_the_chosen_utterances() -> None:
    rates = pd.DataFrame({"wper": [0.1, 0.25, np.nan, 2.5], "per": [1.0, 2.5, np.nan, 0.5]})
    packed = render.packed_pairs(pairs_of([[(0, 1), (2, 2)], [(1, 1)], [], [(3, 0)]]), rates, np.array([0, 2, 3]))
    assert unpack(packed["ids"]).decode().split("\n") == ["u0", "u2", "u3"]
    assert np.frombuffer(unpack(packed["lengths"]), "<u4").tolist() == [2, 0, 1]
    assert np.frombuffer(unpack(packed["gold"]), "u1").tolist() == [0, 2, 3]
    assert np.frombuffer(unpack(packed["predicted"]), "u1").tolist() == [1, 2, 0]
    for name, values in (("wper", [0.1, np.nan, 2.5]), ("per", [1.0, np.nan, 0.5])):
        np.testing.assert_array_equal(np.frombuffer(unpack(packed[name]), "<f4"), np.float32(values))
    wide = render.packed_pairs(pairs_of([[(300, 1)]]), rates, np.array([0]))
    assert np.frombuffer(unpack(wide["gold"]), "<u2").tolist() == [300]


def hostile_page(*findings: str) -> str:
    part = render.CorpusPart(
        name=HOSTILE,
        title=HOSTILE,
        role="target",
        findings=[sentence(HOSTILE, Part(HOSTILE, address(HOSTILE, gold=HOSTILE))), *map(sentence, findings)],
        data={"gold": [HOSTILE], "predicted": [HOSTILE], "alignments": None, "sampled": HOSTILE},
    )
    numbers = Numbers(
        {("per", ""): Estimate(0.5, note=HOSTILE), ("error_share", "level"): Estimate(1.0)},
        name=HOSTILE,
        confusions=(Cell(HOSTILE, HOSTILE * 2, 1, 2),),
    )
    definition = Measure(**{column.name: HOSTILE for column in fields(Measure)} | {"name": "wper"})
    row = {"corpus": HOSTILE, "side": "gold", "action": "kept", "symbols": "1", "tokens": "1", "which": HOSTILE}
    return render.page_html(
        render.Page(
            title=HOSTILE,
            version="1",
            corpora=[part],
            cards=cards({HOSTILE: numbers, "": Numbers()}),
            warnings=[(HOSTILE, HOSTILE)],
            audit=[row],
            definitions=[definition],
            headline=[{"key": HOSTILE, "measure": "wper", "title": HOSTILE, "texts": [(HOSTILE, HOSTILE)]}],
            signatures=[(HOSTILE, HOSTILE)],
            citation=HOSTILE,
            tables={HOSTILE: render.packed_table(f"{HOSTILE}\n".encode())},
        )
    )


def test_text_from_data_never_becomes_markup() -> None:
    text = hostile_page()
    assert "<img" not in text
    assert text.count("</script>") == 2  # of the data and of the scripts
    (data,) = re.findall(r'<script type="application/json" id="data">(.*?)</script>', text, re.DOTALL)
    assert json.loads(data)["corpora"][0]["name"] == HOSTILE


def test_findings_are_whole_and_names_without_end_can_be_opened() -> None:
    sentence, name = "word " * 100, "x" * 3000
    text = hostile_page(sentence, name)
    assert f"<li>{sentence}</li>" in text
    assert f'<li><span class="long" tabindex="0">{name}</span></li>' in text


def test_the_policy_names_the_very_style_and_script_that_the_page_holds_and_nothing_comes_from_elsewhere() -> None:
    text = hostile_page()
    (held,) = re.findall(r"<style>(.*?)</style>", text, re.DOTALL)
    (run,) = re.findall(r'<script type="module">(.*?)</script>', text, re.DOTALL)
    assert (held, run) == (render.style(), render.script())
    (policy,) = re.findall(r'Content-Security-Policy" content="([^"]*)"', text)
    assert policy.startswith("default-src &#39;none&#39;; ")
    assert [part for part in (held, run) if render.source_of(part).strip("'") not in policy.replace("&#43;", "+")] == []
    assert "unsafe" not in policy
    unquoted = re.sub(r'"[^"]*"', '""', text.replace(run, "").replace(held, ""))
    assert not re.search(r"<[^>]+\s(style|on\w+)=", unquoted), "an attribute that the policy forbids"
    assert not re.findall(r'(?:src|href)="(?!#)[^"]*"', text)
    assert "url(" not in held


def test_every_script_is_in_the_list_and_gives_names_of_its_own() -> None:
    folder = Path(render.__file__).parent / "assets" / "scripts"
    names = (folder / "order.txt").read_text(encoding="utf-8").split()
    assert sorted(names) == sorted(str(file.relative_to(folder).with_suffix("")) for file in folder.rglob("*.js"))
    given = re.findall(r"^(?:async )?(?:function|const|let) (\w+)", render.script(), re.MULTILINE)
    assert sorted({name for name in given if given.count(name) > 1}) == []


@pytest.mark.parametrize("at_once", [1, 100])
def test_packed_times_are_those_of_the_chosen_utterances(
    at_once: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of each pair the gap to the end before it and its length, in 10 ms, and the confidence in hundredths."""
    names = ("gold_start", "gold_end", "predicted_start", "predicted_end", "confidence")
    none, first = [math.nan] * 5, [0.1, 0.25, *[math.nan] * 2, 0.5]
    numbers = [[9.0, 9.5, *none[2:]], none, first, none, [0.3, 0.37, *none[2:]], [2.0, 2.02, *none[2:4], 1.0]]
    rows = [{"utterance": "u", "gold": '"', **dict(zip(names, row, strict=True))} for row in numbers]
    write_alignments(tmp_path, {"own": rows})
    monkeypatch.setattr("phonxling.results.tables._ROWS", at_once)
    packed = packed_times(tmp_path, "own", pairs_of([[(0, 0)] * size for size in (1, 4, 1)]), np.array([1, 2]))
    found = {
        name: np.frombuffer(unpack(text), "u1" if name == "confidence" else "<i4") for name, text in packed.items()
    }
    assert {name: values.tolist() for name, values in found.items()} == {
        "gold_gaps": [0, 10, 0, 5, 200],
        "gold_lengths": [-1, 15, -1, 7, 2],
        "confidence": [255, 50, 255, 255, 100],
    }


def test_tables_are_carried_by_corpus_without_that_column_and_large_ones_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = {"a": table_of("sounds", [{"gold": "p", "recognised": "b"}]), "b": table_of("sounds", [{"gold": "t"}] * 9)}
    write_table(tmp_path, "sounds", ByCorpus(tuple(own.items())))
    found = dict(tables_by_corpus(tmp_path, "sounds"))
    assert found["a"].decode().splitlines() == ["gold\trecognised\tprobability\tcertainty", "p\tb\t\t"]
    assert list(found) == ["a", "b"]
    monkeypatch.setattr("phonxling.report.page.LARGEST_TABLE", len(found["a"]))
    assert list(dict(tables_by_corpus(tmp_path, "sounds"))) == ["a"]


def test_numbers_of_tables_have_five_digits_and_names_stay_what_they_are() -> None:
    table = b"utterance\tp\tq\n1.23456789\t0.0123456789\t1e-05\n2\t-12.3456789e-10\t\n"
    columns = unpack(render.packed_table(table, {b"p", b"q"})).decode().splitlines()
    assert columns == ["utterance\t1.23456789\t2", "p\t0.012346\t-1.2346e-09", "q\t1e-05\t"]
    assert unpack(render.packed_table(table)).decode().splitlines()[1] == "p\t0.0123456789\t-12.3456789e-10"


def test_of_many_corpora_a_page_carries_fewer_utterances_of_each(
    small_run: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = small_run / "results"
    assert not any(one.data["sampled"] for one in page_of(folder, read_manifest(folder)).corpora)
    monkeypatch.setattr("phonxling.report.page._TOGETHER", 7)
    monkeypatch.setattr("phonxling.report.page._FEWEST", 2)
    for one in page_of(folder, read_manifest(folder)).corpora:
        assert str(one.data["sampled"]).startswith("the page carries 3 of ")

"""What the page carries: packed and unpacked alike, a sample without gaps, orders, features, a map."""

import json
import math
import re
import tempfile
from dataclasses import fields
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, strategies as st

from phonxling.analyses.measures import Measure
from phonxling.core.estimate import Estimate
from phonxling.report import render
from phonxling.report.first_screen import cards
from phonxling.report.numbers import Cell, Numbers, Part, address, round_number, sentence
from phonxling.report.page import heading, packed_times, page_of, read_pairs, tables_by_corpus
from phonxling.report.render import (
    SCRIPTS,
    CorpusPart,
    Page,
    PagePairs,
    chosen_utterances,
    packed_pairs,
    packed_table,
    page_html,
    script,
    source_of,
    style,
    unpack,
)
from phonxling.results.folder import read_manifest
from phonxling.results.tables import ByCorpus, read_rows, table_of, write_table

HOSTILE = "</script><img src=x onerror=alert(1)>'\"&<b>"


def pairs_of(utterances: list[list[tuple[int, int]]]) -> PagePairs:
    every = [pair for pairs in utterances for pair in pairs]
    gold, predicted = (np.array([pair[side] for pair in every], np.uint16) for side in (0, 1))
    names = [f"u{place}" for place in range(len(utterances))]
    lengths = np.array([len(pairs) for pairs in utterances], np.int64)
    return PagePairs(utterances=names, speakers=names, lengths=lengths, gold=gold, predicted=predicted)


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
    chosen = chosen_utterances(pairs_of(utterances), limit)
    assert len(chosen) == min(limit, len(utterances))
    assert (np.diff(chosen) > 0).all()
    every = {pair for pairs in utterances for pair in pairs}
    assert {pair for u in chosen for pair in utterances[u]} == every
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("phonxling.report.render._AT_ONCE", together)  # pairs are looked at a few at a time
        assert chosen_utterances(pairs_of(utterances), limit).tolist() == chosen.tolist()


def test_packed_pairs_and_rates_are_those_of_the_chosen_utterances() -> None:
    rates = pd.DataFrame({"wper": [0.1, 0.25, np.nan, 2.5], "per": [1.0, 2.5, np.nan, 0.5]})
    packed = packed_pairs(pairs_of([[(0, 1), (2, 2)], [(1, 1)], [], [(3, 0)]]), rates, np.array([0, 2, 3]))
    assert unpack(packed["ids"]).decode().split("\n") == ["u0", "u2", "u3"]
    assert np.frombuffer(unpack(packed["lengths"]), "<u4").tolist() == [2, 0, 1]
    assert np.frombuffer(unpack(packed["gold"]), "u1").tolist() == [0, 2, 3]
    assert np.frombuffer(unpack(packed["predicted"]), "u1").tolist() == [1, 2, 0]
    for name, values in (("wper", [0.1, np.nan, 2.5]), ("per", [1.0, np.nan, 0.5])):
        np.testing.assert_array_equal(np.frombuffer(unpack(packed[name]), "<f4"), np.float32(values))
    wide = packed_pairs(pairs_of([[(300, 1)]]), rates, np.array([0]))
    assert np.frombuffer(unpack(wide["gold"]), "<u2").tolist() == [300]


def hostile_page(*findings: str) -> str:
    part = CorpusPart(
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
    return page_html(
        Page(
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


def test_every_script_is_in_the_list_after_what_it_uses() -> None:
    folder = Path(render.__file__).parent / "assets" / "scripts"
    assert sorted(SCRIPTS) == sorted(str(file.relative_to(folder).with_suffix("")) for file in folder.rglob("*.js"))
    known: set[str] = set()
    for name in SCRIPTS:
        text = (folder / f"{name}.js").read_text(encoding="utf-8")
        used = re.findall(r'= modules(?:\.(\w+)|\["([^"]+)"\]);', text)
        assert {one or other for one, other in used} <= known, name
        known.add(name)


COLUMNS = ("gold_start", "gold_end", "predicted_start", "predicted_end", "confidence")
SPAN = st.tuples(st.floats(0, 5000), st.floats(0, 20)).map(lambda span: (span[0], span[0] + span[1]))
NONE = st.just((math.nan, math.nan))
ROW = st.builds(
    lambda gold, heard, score: (*gold, *heard, score), SPAN | NONE, SPAN | NONE, st.floats(0, 1) | st.just(math.nan)
)


def numbers_of(text: str, kind: str) -> list[int]:
    whole: list[int] = np.frombuffer(unpack(text), kind).tolist()
    return whole


def spans(packed: dict[str, str], side: str, lengths: list[int]) -> list[tuple[float, float]]:
    """Return start and end of each pair, by what the module says of the packed arrays."""
    gaps, lasting = (iter(numbers_of(packed[f"{side}_{name}"], "<i4")) for name in ("gaps", "lengths"))
    result: list[tuple[float, float]] = []
    for length in lengths:
        end = 0
        for gap, time in zip((next(gaps) for _ in range(length)), (next(lasting) for _ in range(length)), strict=True):
            result.append((math.nan, math.nan) if time < 0 else ((end + gap) / 100, (end + gap + time) / 100))
            end += 0 if time < 0 else gap + time
    assert next(gaps, None) is next(lasting, None) is None
    return result


def packed_of(utterances: list[list[tuple[float, ...]]], chosen: list[int]) -> dict[str, str]:
    """Return what is packed of a written table of alignments of these rows."""
    rows = [
        {"utterance": "u", "gold": '"', **dict(zip(COLUMNS, row, strict=True))} for own in utterances for row in own
    ]
    lengths = np.array([len(rows) for rows in utterances])
    codes = np.zeros(lengths.sum(), np.uint16)
    names = [str(number) for number in range(len(utterances))]
    pairs = PagePairs(utterances=names, speakers=names, lengths=lengths, gold=codes, predicted=codes)
    with tempfile.TemporaryDirectory() as folder:
        write_alignments(Path(folder), {"own": rows})
        return packed_times(Path(folder), "own", pairs, np.array(chosen))


@given(st.lists(st.lists(ROW, max_size=4), min_size=1, max_size=5), st.integers(1, 7), st.data())
def test_what_is_unpacked_is_what_the_table_says_of_the_chosen_utterances(
    utterances: list[list[tuple[float, ...]]], at_once: int, data: st.DataObject
) -> None:
    chosen = sorted(data.draw(st.sets(st.integers(0, len(utterances) - 1), min_size=1)))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("phonxling.results.tables._ROWS", at_once)
        packed = packed_of(utterances, chosen)
    rows, lengths = [row for place in chosen for row in utterances[place]], [len(utterances[place]) for place in chosen]
    for side, first in (("gold", 0), ("predicted", 2)):
        wanted = np.array([row[first : first + 2] for row in rows]).reshape(-1, 2)
        if f"{side}_gaps" in packed:
            np.testing.assert_allclose(np.array(spans(packed, side, lengths)).reshape(-1, 2), wanted, atol=0.00501)
        else:
            assert np.isnan(wanted).all()
    scores = [row[4] for row in rows]
    if "confidence" in packed:
        found = [math.nan if one == 255 else one / 100 for one in numbers_of(packed["confidence"], "u1")]
        np.testing.assert_allclose(found, scores, atol=0.00501)
    else:
        assert np.isnan(scores).all()


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
    columns = unpack(packed_table(table, {b"p", b"q"})).decode().splitlines()
    assert columns == ["utterance\t1.23456789\t2", "p\t0.012346\t-1.2346e-09", "q\t1e-05\t"]
    assert unpack(packed_table(table)).decode().splitlines()[1] == "p\t0.0123456789\t-12.3456789e-10"


def test_of_many_corpora_a_page_carries_fewer_utterances_of_each(
    small_run: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = small_run / "results"
    assert not any(one.data["sampled"] for one in page_of(folder, read_manifest(folder)).corpora)
    monkeypatch.setattr("phonxling.report.page._TOGETHER", 7)
    monkeypatch.setattr("phonxling.report.page._FEWEST", 2)
    for one in page_of(folder, read_manifest(folder)).corpora:
        assert str(one.data["sampled"]).startswith("the page carries 3 of ")


def test_the_heading_says_what_was_run_on_what() -> None:
    roles = {"eng": {"role": "reference"}, "yor": {"role": "target"}}
    assert heading(roles) == "A recogniser (trained on eng): the phones of yor"
    assert heading({"eng": roles["eng"]}) == "A recogniser: the phones of eng"
    assert heading({"yor": roles["yor"]}) == "The phones of yor, gold and predicted"


def test_the_table_of_the_page_has_numbers_in_three_digits(small_run: Path) -> None:
    folder = small_run / "results"
    stored = {row["corpus"]: row for row in read_rows(folder, "summary") if row["measure"] == "per"}
    (texts,) = [row["texts"] for row in page_of(folder, read_manifest(folder)).headline if row["measure"] == "per"]
    assert dict(texts) == {
        corpus: round_number(row["value"], row["low"], row["high"]) for corpus, row in stored.items()
    }

"""What a paper takes: methods of what was done, captions as TeX reads them, tables rounded by intervals."""

import json
import math
import re
import shutil
from collections.abc import Callable, Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from typing import get_args

import pandas as pd
import pytest
from running import read_tsv

from phonxling.analyses.measures import measure
from phonxling.configuration import models
from phonxling.configuration.models import Method, Metric
from phonxling.load.resources import corpus_titles, panphon_features
from phonxling.phones import symbols as rules
from phonxling.report import paper
from phonxling.report.numbers import probability, round_alike, round_number
from phonxling.results.folder import read_manifest
from phonxling.results.tables import declared_figures, read_rows, read_table


@pytest.fixture(scope="module")
def told(small_run: Path) -> Callable[..., str]:
    """Return the paragraph on a run whose numbers or settings are others."""
    manifest = json.loads((small_run / "results/manifest.json").read_text(encoding="utf-8"))
    numbers, settings = read_tsv(small_run / "results" / "summary.tsv"), manifest["configuration"]

    def text(of: str = "", **sections: Mapping[str, object]) -> str:
        changed = {name: {**settings[name], **values} for name, values in sections.items()}
        known = numbers[numbers["measure"].str.fullmatch(of)] if of else numbers
        return paper.methods({**manifest, "configuration": {**settings, **changed}}, known)

    return text


@pytest.mark.parametrize(
    ("section", "key", "choices"),
    [
        ("chance", "models", [[model] for model in get_args(models.ChanceModel)]),
        ("map", "method", get_args(Method)),
        ("map", "metric", get_args(Metric)),
        ("expected", "predicted", get_args(models.Expected.model_fields["predicted"].annotation)),
        ("alignment", "costs", [*get_args(models.GivenName), "costs.tsv"]),
        ("alignment", "ties", ["identical", "nist", "kaldi"]),
        ("uncertainty", "prompts", ["fixed", "drawn"]),
    ],
)
def test_every_choice_of_a_setting_has_its_words(
    told: Callable[..., str], section: str, key: str, choices: Sequence[object]
) -> None:
    texts = [told(**{section: {key: choice}}) for choice in choices]
    assert len({*texts}) == len(choices) > 1
    assert ["table of our own" in text for text in texts] == [choice == "costs.tsv" for choice in choices]


def test_every_rule_of_symbols_has_its_words(told: Callable[..., str]) -> None:
    rules_of = {"silence": get_args(rules.Silence), "closures": get_args(rules.Closures), "tone": ("attach", "strip")}
    rules_of["diphthongs"] = get_args(rules.Parts)
    rules_of |= {
        rule: ("fold" if rule == "case" else "split" if rule == "affricates" else "strip",) for rule in rules.RARE
    }
    every = [(rule, value) for rule, values in rules_of.items() for value in values]
    usual = models.SymbolRules().model_dump()
    texts = {told(symbols={rule: value}) for rule, value in every}
    assert len(texts) == len(every) - sum(usual[rule] == value for rule, value in every) + 1


def test_settings_show_in_the_text(told: Callable[..., str]) -> None:
    text = told(uncertainty={"level": 0.9, "cluster": "utterance"}, alignment={"costs": "unit"})
    assert "Intervals at 90 % are by the jackknife over utterances, one left out at a time" in text
    assert "a substitution costs 1, an insertion 1 and a deletion 1; of equally good alignments that of NIST" in text
    assert "panphon" not in text.lower()
    text = told(chance={"models": ["bigram"], "replicates": 7}, alignment={"deletion": 0.5})
    assert "an insertion 1 and a deletion 0.5" in text
    assert "aligned anew: phones drawn with the bigrams of the predictions (at most 7 replicates" in text
    assert "a feature table of our own" in told(features={"path": "own.tsv", "base": "none"})


def test_what_was_not_done_or_only_for_some_corpora_is_not_told(told: Callable[..., str], small_run: Path) -> None:
    text = told(of="per|wper")
    words = ("chance", "Skill", "floor", "expected from", "posteriors", "map", "Confidences", "bits")
    assert [word for word in words if word in text] == []
    corpora = read_manifest(small_run / "results")["configuration"]["corpora"]
    other = {side: {**corpora["yoruba"][side], "symbols": "raw2", "silence": "keep"} for side in ("gold", "predicted")}
    for words in ("Gold symbols were read as", "ilences were left out"):
        assert words in told()
        assert words not in told(corpora={"yoruba": {**corpora["yoruba"], **other}})
    text = told(of="(?!trustworthiness|expected_).*")  # without a reference
    assert ("From the posteriors of each token" in text, "map" in text) == (True, False)
    for statuses, who in (
        (["no-speakers", "these-speakers-alone"], "utterances,"),
        (["", "no-speakers"], "speakers, or utterances where they are unknown or too few,"),
    ):
        numbers = pd.DataFrame({"corpus": ["a", "b"], "measure": "per", "value": 0.5, "status": statuses})
        assert f"the jackknife over {who} one left" in paper.methods(read_manifest(small_run / "results"), numbers)


def test_every_citation_has_an_entry_and_only_what_is_cited_is_in_the_bibliography() -> None:
    source, stored = (
        files("phonxling.report").joinpath(name).read_text(encoding="utf-8")
        for name in ("methods.md.jinja", "references.bib")
    )
    cited = {*re.findall(r"\[@([\w-]+)\]", source)} - {"key"}
    assert cited == {*re.findall(r"^@\w+\{([\w-]+),", stored, re.MULTILINE)}
    assert stored.count("{") == stored.count("}")
    text = "A map by UMAP [@umap] and again [@umap]."
    assert paper.cite(text) == r"A map by UMAP~\cite{umap} and again~\cite{umap}."
    entries = paper.bibliography(text, "1.2.3")
    assert (entries.count("@"), "McInnes" in entries) == (1, True)
    assert "Version 1.2.3" in paper.bibliography("[@phonxling]", "1.2.3")


def test_differences_have_an_asterisk_by_q_and_say_what_is_unlike() -> None:
    row = {"item": "a_1", "other": "b", "test": "unpaired", "low": -0.2, "high": 0.2, "unlike": "costs: x against y"}
    rows = [
        {"measure": "wper", "difference": -0.1234, "p": 0.0004, "q": 0.0012},
        {"measure": "per", "difference": 0.05, "p": 0.4, "q": 0.6},
    ]
    comparison = pd.DataFrame([{**row, **one} for one in rows])
    table = paper.differences(comparison, [measure("wper"), measure("per")], 0.95)
    assert table.rows == [["a_1 − b", "−0.123 [−0.200, 0.200]*", "0.0500 [−0.2000, 0.2000]"]]
    assert any("over 2 comparisons" in note for note in table.notes)
    assert table.notes[-1] == "Careful, not alike: costs: x against y."


@pytest.mark.parametrize(
    ("value", "low", "high", "text"),
    [
        (-0.0196, -0.0262, -0.0138, "−0.0196 [−0.0262, −0.0138]"),
        (58512.4, 58000.2, 59000.7, "58,512 [58,000, 59,001]"),
        (4.5046, math.nan, math.nan, "4.50"),
        (0.0, math.nan, math.nan, "0"),
        (math.inf, math.nan, math.nan, "∞"),
        (math.nan, math.nan, math.nan, ""),
        (0.00012345, -0.3, 0.3, "0.000123 [−0.300, 0.300]"),  # the value by itself
    ],
)
def test_a_number_has_three_digits_whatever_its_interval(value: float, low: float, high: float, text: str) -> None:
    assert round_number(value, low, high) == text


def test_latex_s_letters_and_line_breaks_in_notes_are_text() -> None:
    table = paper.PaperTable(
        header=["a & b_c"], rows=[["50 % of {x}~^\\"]], notes=["50 %\ntwo"], signatures=["one\ntwo"]
    )
    text = paper.latex(table)
    assert r"a \& b\_c \\" in text
    assert r"50~\% of \{x\}\textasciitilde{}\textasciicircum{}\textbackslash{} \\" in text
    assert "% one two\n" in text
    assert "\\item[] 50~\\% two\n" in text


@pytest.mark.parametrize(
    ("p", "shown"), [(0.0497, "0.0497"), (0.0503, "0.0503"), (0.05, "0.05"), (0.0213, "0.021"), (0.0004, "< 0.001")]
)
def test_no_probability_is_rounded_across_five_per_cent(p: float, shown: str) -> None:
    assert probability(p) == shown


def test_each_row_of_a_table_has_the_cells_of_its_columns(small_run: Path) -> None:
    results = small_run / "results"
    numbers, corpora = read_table(results, "summary"), read_manifest(results)["configuration"]["corpora"]
    tables = [*paper.tables_of_corpora(numbers, dict.fromkeys(corpora, "costs:x"), corpus_titles(corpora), 0.95)]
    tables += [(f"phones-{corpus}", paper.table_of_phones(results, corpus, "costs:x")) for corpus in corpora]
    for name, table in tables:
        text = paper.latex(table)
        begin, *lines = text.split(r"\begin{tabular}{")[1].split(r"\end{tabular}")[0].splitlines()
        columns = len(re.findall("[lS]", re.sub(r"\[[^]]*\]|@\{.*?\}", "", begin)))
        rows = [line.removesuffix(r" \\") for line in lines if line.endswith(r" \\")]
        for row in rows:
            cells = re.split(r"(?<!\\)&", row)
            spans = [re.search(r"\\multicolumn\{(\d)\}", cell) for cell in cells]
            assert sum(int(one[1]) if one else 1 for one in spans) == columns, (name, row)
        assert len(rows) >= len(table.rows) + 1
        assert text.count("{") == text.count("}")


def test_numbers_stand_by_their_points_with_one_precision_and_stars_beside() -> None:
    shown = round_alike([(0.163, 0.147, 0.18), (0.01541, 0.0146, 0.0163), (0.0,), (math.nan,)], 3)
    assert shown == ["0.163 [0.147, 0.180]", "0.015 [0.015, 0.016]", "0.000", ""]
    rows = [["−0.12 [−0.20, 0.20]*", "1,204", "–"], ["0.05 [−0.20, 0.20]", "7", "0.5"]]
    text = paper.latex(paper.PaperTable(header=["d", "n", "p"], rows=rows, rules=frozenset({1})))
    assert "{@{}S[table-format=-1.2,table-space-text-post={*}]@{\\,}lS[table-format=4]S[table-format=1.1]@{}}" in text
    assert "\n-0.12{*} & [$-$0.20, 0.20] & 1204 & {–} \\\\\n\\midrule\n0.05 & [" in text
    text = paper.latex(paper.PaperTable(header=["d", "n", "p"], rows=rows, below=True))
    assert "-0.12{*} & 1204 & {–} \\\\\n{\\scriptsize [$-$0.20, 0.20]} &  &  \\\\\n0.05 &" in text


def test_a_long_name_goes_on_above_or_below() -> None:
    rows = [["share of errors beyond the number expected", "0.5 [0.4, 0.6]"]]
    text = paper.latex(paper.PaperTable(header=["measure", "skill of rates"], rows=rows, below=True))
    assert "measure & {\\shortstack[c]{skill of\\\\rates}} \\\\" in text
    assert "the number & 0.5 \\\\\nexpected & {\\scriptsize [0.4, 0.6]} \\\\" in text


def test_above_five_corpora_stand_in_several_tables_with_the_same_measures(small_run: Path) -> None:
    numbers = read_table(small_run / "results", "summary")
    own = numbers[numbers["corpus"] == numbers["corpus"].iloc[0]]
    names = [f"l{place}" for place in range(11)]
    several = pd.concat([own.assign(corpus=name) for name in names], ignore_index=True)
    tables = dict(
        paper.tables_of_corpora(several, dict.fromkeys(names, "costs:x"), {name: name for name in names}, 0.95)
    )
    parts = [tables[name] for name in ("summary", "summary-2", "summary-3")]
    assert [name for part in parts for name in part.header[1:]] == names
    assert {tuple(row[0] for row in part.rows) for part in parts} == {tuple(row[0] for row in parts[0].rows)}
    assert {cell for part in parts for row in part.rows for cell in row[2:] if cell != row[1]} == set()
    assert len(tables["rates"].rows) == 11


def test_of_more_than_a_dozen_corpora_there_is_one_table(
    small_run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = Path(shutil.copytree(small_run / "results", tmp_path / "results"))
    monkeypatch.setattr("phonxling.report.paper.EACH_UP_TO", 1)
    written = {path.name for path in paper.write_paper_files(folder, read_manifest(folder), {})}
    assert written == {"rates.tex", "captions.tex", "methods.tex", "references.bib"}


def test_what_the_recogniser_lacks_has_no_accuracy_and_classes_have_rules(small_run: Path) -> None:
    results = small_run / "results"
    table = paper.table_of_phones(results, "yoruba", "")
    absent = {row["gold"] for row in read_rows(results, "errors", "yoruba") if row["reason"] == "absent"}
    lacking = {phone for phone, _, accuracy, *_ in table.rows if accuracy == "–"}
    assert lacking == absent
    assert any(note.startswith("–") for note in table.notes) == bool(lacking)
    vowels = [panphon_features().is_vowel(phone) for phone, *_ in table.rows]
    assert vowels == sorted(vowels, reverse=True)
    assert vowels.index(False) in table.rules


DEFINED = re.compile(r"^\\expandafter\\def\\csname figure(\w+):(.*?)\\endcsname\{(.*)\}%$", re.MULTILINE)


def test_every_figure_has_its_caption_in_the_file_for_latex(small_run: Path) -> None:
    results = small_run / "results"
    figures = {path.stem for path in (results / "figures").iterdir()}
    lines = DEFINED.findall((results / "paper/captions.tex").read_text(encoding="utf-8"))
    names = [name for kind, name, _ in lines if kind == "caption"]
    assert sorted(names) == sorted(figures)
    for _, _, caption in lines:
        bare = re.sub(r"\\[%&$#_{}]", "", caption)
        assert bare.count("{") == bare.count("}")
        assert not re.search(r"[%&#_^]", bare)


def test_how_several_figures_are_read_stands_once() -> None:
    reading = declared_figures()["corpus", "confusions"].reading
    made = {f"{name}-confusions": f"{name}: confusions. {reading} {name} alone." for name in "ab"}
    text = paper.captions_file(made | {"map": "A map."})
    assert text.count("Each row: a gold phone") == 1
    found = {(kind, name): caption for kind, name, caption in DEFINED.findall(text)}
    assert found["caption", "a-confusions"] == (r"a: confusions. \csname figurereading:confusions\endcsname{} a alone.")
    assert found["caption", "map"] == "A map."
    assert ("reading", "map") not in found

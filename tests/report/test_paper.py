"""What a paper takes: methods of what was done, numbers by name as TeX reads them, tables rounded by intervals."""

import json
import math
import re
from collections.abc import Callable, Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from typing import get_args

import pandas as pd
import pytest
from hypothesis import given, strategies as st
from running import read_numbers_tsv, read_tsv

from phonxling.analyses.measures import measure
from phonxling.load.resources import corpus_titles, panphon_features
from phonxling.phones import symbols as rules
from phonxling.report.findings import stored_numbers
from phonxling.report.numbers import alike, decimals, probability, rounded
from phonxling.report.paper import (
    bibliography,
    cited,
    difference_numbers,
    differences,
    methods,
    numbers_file,
    tables_of_corpora,
    tables_of_corpus,
)
from phonxling.report.paper_tables import PaperTable, latex, markdown
from phonxling.results.folder import read_manifest
from phonxling.settings import models
from phonxling.settings.models import Method, Metric
from phonxling.tables.files import read_numbers


def line(costs: str = "panphon", **parts: str) -> str:
    given = {"costs": costs, "ins": "1", "del": "1", "ties": "identical", "sym": "ipa,arpabet"}
    return "|".join(f"{key}:{value}" for key, value in {**given, "cluster": "speaker", **parts}.items())


@pytest.fixture(scope="module")
def told(small_run: Path) -> Callable[..., str]:
    """Return the paragraph on a run whose signatures, numbers or settings are others."""
    manifest = json.loads((small_run / "results/manifest.json").read_text(encoding="utf-8"))
    numbers, settings = read_numbers_tsv(small_run / "results"), manifest["configuration"]

    def text(*lines: str, of: str = "", **sections: Mapping[str, object]) -> str:
        changed = {name: {**settings[name], **values} for name, values in sections.items()}
        signatures = dict(zip("ab", lines or [line()], strict=False))
        known = numbers[numbers["measure"].str.fullmatch(of)] if of else numbers
        return methods({**manifest, "configuration": {**settings, **changed}}, known, signatures)

    return text


def choices_of(kind: object) -> tuple[str, ...]:
    return get_args(get_args(kind)[0]) or get_args(kind)


@pytest.mark.parametrize(
    ("section", "key", "choices"),
    [
        ("chance", "models", [[model] for model in choices_of(models.ChanceModel)]),
        ("embedding", "method", choices_of(Method)),
        ("embedding", "metric", choices_of(Metric)),
        ("uncertainty", "method", choices_of(models.Uncertainty.model_fields["method"].annotation)),
        ("expected", "correction", choices_of(models.Expected.model_fields["correction"].annotation)),
    ],
)
def test_every_choice_of_a_setting_has_its_words(
    told: Callable[..., str], section: str, key: str, choices: Sequence[object]
) -> None:
    texts = {told(**{section: {key: choice}}) for choice in choices}
    assert len(texts) == len(choices) > 1


def test_every_cost_and_rule_has_its_words(told: Callable[..., str]) -> None:
    for costs in get_args(models.GivenName):
        assert "table of our own" not in told(line(costs)), costs
    assert "what a table of our own says" in told(line("table/12345678"))
    rules_of = {"silence": get_args(rules.Silence), "closures": get_args(rules.Closures), "tone": ("attach", "strip")}
    rules_of["diphthongs"] = get_args(rules.Parts)
    rules_of |= {
        rule: ("fold" if rule == "case" else "split" if rule == "affricates" else "strip",) for rule in rules.RARE
    }
    texts = {told(line(**{rule: value})) for rule, values in rules_of.items() for value in values}
    assert told() not in texts
    assert len(texts) == sum(map(len, rules_of.values()))


def test_settings_show_in_the_text(told: Callable[..., str]) -> None:
    text = told(line("unit", ties="nist"), uncertainty={"level": 0.9, "resamples": 500, "method": "bca"})
    assert "Intervals at 90 % come from 500 bootstrap resamples of speakers" in text
    assert "[@efron-1987]" in text
    assert "a substitution costs 1, an insertion 1 and a deletion 1; of equally good alignments that of NIST" in text
    assert "panphon" not in text.lower()
    text = told(chance={"models": ["bigram"], "replicates": 7})
    assert "aligned anew: phones drawn with the bigrams of the predictions (7 replicates" in text
    assert "always one phone" not in text
    assert "a feature table of our own" in told(features={"path": "own.tsv", "base": "none"})


def test_what_was_not_done_or_only_for_some_corpora_is_not_told(told: Callable[..., str]) -> None:
    text = told(of="per|wper", uncertainty={"resamples": 0})
    assert "There was no bootstrap" in text
    for word in ("chance", "Skill", "floor", "expected from", "posteriors", "map", "Confidences", "bits"):
        assert word not in text, word
    text = told(line(silence="drop"), line(silence="keep", sym="ipa,timit61", cluster="utterance"))
    assert "ilences" not in text
    assert "arpabet" not in text
    assert "speakers, or utterances where they are not known" in text
    text = told(of="(?!trustworthiness|expected_).*")  # without a reference
    assert "From the posteriors of each token" in text
    assert "map" not in text


def test_every_citation_has_an_entry_and_only_what_is_cited_is_in_the_bibliography() -> None:
    source, stored = (
        files("phonxling.report").joinpath(name).read_text(encoding="utf-8")
        for name in ("methods.md.jinja", "references.bib")
    )
    assert set(re.findall(r"\[@([\w-]+)\]", source)) - {"key"} == set(
        re.findall(r"^@\w+\{([\w-]+),", stored, re.MULTILINE)
    )
    assert stored.count("{") == stored.count("}")
    text = "A map by UMAP [@umap] and again [@umap]."
    assert cited(text) == r"A map by UMAP~\cite{umap} and again~\cite{umap}."
    entries = bibliography(text, "1.2.3")
    assert entries.count("@") == 1
    assert "McInnes" in entries
    assert "Version 1.2.3" in bibliography("[@phonxling]", "1.2.3")


DEFINED = re.compile(r"^\\phonxlingdefine\{([^{}]*)\}\{([^{}]*)\}\{(.*)\}%(.*)$")


def named(text: str) -> dict[tuple[str, str], str]:
    """Return the texts of a file by corpus and name; a name that stands twice fails."""
    lines = [line for line in text.splitlines() if line.startswith(r"\phonxlingdefine{")]
    found = [DEFINED.match(line) for line in lines]
    keys = [(one[1], one[2]) for one in found if one]
    assert len(set(keys)) == len(lines)
    return {(one[1], one[2]): one[3] for one in found if one}


@pytest.fixture(scope="module")
def summary(small_run: Path) -> pd.DataFrame:
    return read_tsv(small_run / "results/summary.tsv")


@pytest.fixture(scope="module")
def written(small_run: Path) -> dict[tuple[str, str], str]:
    return named((small_run / "results/tables/numbers.tex").read_text(encoding="utf-8"))


def as_number(text: str) -> tuple[float, float]:
    """Return a printed number, and half a unit of its last digit."""
    plain = text.replace("$-$", "-").replace(",", "").replace(r"$\infty$", "inf")
    return float(plain), 0.5001 * 10.0 ** -len(plain.partition(".")[2])


def test_every_number_of_the_summary_has_a_name(summary: pd.DataFrame, written: dict[tuple[str, str], str]) -> None:
    for row in summary[summary["value"].notna() & (summary["unit"] != "probability")].to_dict("records"):
        name = f"{row['measure']} {row['variant']}".strip()
        key = (row["corpus"], name if (row["corpus"], name) in written else row["measure"])
        value, half = as_number(written[key[0], f"{key[1]} value"])
        assert value == pytest.approx(row["value"], abs=half), key
        limits = re.fullmatch(r"[^~]*~\[(.+), (.+)\]", written[key])
        assert (limits is None) == pd.isna(row["low"]), key
        for text, limit in zip(limits.groups() if limits else (), (row["low"], row["high"]), strict=False):
            shown, half = as_number(text)
            assert shown == pytest.approx(limit, abs=half), key


def test_a_share_of_errors_is_never_named_by_its_measure_alone(written: dict[tuple[str, str], str]) -> None:
    assert "error_share" not in {name for _, name in written}
    assert "error_share absent" in {name for _, name in written}


def test_what_is_not_defined_has_no_name_and_says_why(small_run: Path, written: dict[tuple[str, str], str]) -> None:
    text = (small_run / "results/tables/numbers.tex").read_text(encoding="utf-8")
    assert "tone_error_rate" not in {name for _, name in written}
    assert re.search(r"^% \w+, tone_error_rate: not defined: .*tone", text, re.MULTILINE)


def test_the_verdict_has_the_numbers_of_the_summary(summary: pd.DataFrame, written: dict[tuple[str, str], str]) -> None:
    by_name = summary.set_index(["corpus", "measure", "variant"])["value"]
    for corpus in dict.fromkeys(summary["corpus"]):
        rate = re.search(r"wPER is ([\d.]+)", written[corpus, "verdict"])
        chance = re.search(r"would score ([\d.]+)", written[corpus, "verdict"])
        assert rate
        assert chance
        shown, half = as_number(rate[1])
        assert shown == pytest.approx(by_name[corpus, "wper", ""], abs=half)
        shown, half = as_number(chance[1])
        assert shown == pytest.approx(by_name[corpus, "chance_wper", "best"], abs=half)


def test_the_ceiling_is_told_where_there_is_one_and_where_there_is_none(
    summary: pd.DataFrame, written: dict[tuple[str, str], str]
) -> None:
    floors = summary[summary["measure"] == "floor_wper"].set_index("corpus")["value"]
    for corpus, floor in floors.items():
        told = "no answers score below" if floor > 0 else "could score 0."
        assert told in written[str(corpus), "verdict"]


def test_tex_can_read_every_text(written: dict[tuple[str, str], str]) -> None:
    for text in written.values():
        bare = re.sub(r"\\[%&$#_{}]", "", text)
        assert bare.count("{") == bare.count("}")
        assert not re.search(r"[%&#_^]", bare)
        assert bare.count("$") % 2 == 0
        outside = re.sub(r"\\ipa\{[^{}]*\}", "", bare)
        assert all(letter < "ɐ" or letter in "“”‘’–—…" for letter in outside)


def test_signs_of_tex_in_names_and_notes_are_letters(small_run: Path, summary: pd.DataFrame) -> None:
    rows = summary.head(1).assign(note="50 % of {x}\n\\end & more", value=float("nan"), low=float("nan"))
    lines = numbers_file(rows, {}).splitlines()
    assert lines[-1].startswith("%")
    assert lines[-1].endswith(r"50 % of {x} \end & more")
    assert stored_numbers(small_run / "results", read_manifest(small_run / "results")["configuration"]["corpora"])


def comparison() -> pd.DataFrame:
    """Two differences by the bootstrap, and the check of one of them."""
    row = {"item": "a_1", "other": "b", "unit": "ratio", "level": 0.95, "correction": "benjamini-hochberg"}
    rows = [
        {"measure": "wper", "difference": -0.1234, "p": 0.0004, "q": 0.0012, "test": "unpaired bootstrap"},
        {"measure": "per", "difference": 0.05, "p": 0.4, "q": 0.6, "test": "unpaired bootstrap"},
        {"measure": "per", "difference": 0.05, "p": 0.3, "q": 0.3, "test": "approximate randomisation"},
    ]
    limits = {"difference_low": -0.2, "difference_high": 0.2, "comparisons": 3.0, "note": ""}
    return pd.DataFrame([{**row, **limits, **one} for one in rows])


def test_differences_have_names_and_an_asterisk_by_q() -> None:
    texts = named(difference_numbers(comparison()))
    assert texts["a_1 - b", "wper"] == "$-$0.123~[$-$0.200, 0.200]"
    assert (texts["a_1 - b", "wper q"], texts["a_1 - b", "per q"]) == ("0.0012", "0.6")
    assert texts["a_1 - b", "wper p"] == "< 0.001"
    table = differences(comparison(), [measure("wper"), measure("per")])
    assert table.rows == [["a_1 − b", "−0.123 [−0.200, 0.200]*", "0.050 [−0.200, 0.200]"]]
    assert any("over 3 comparisons" in note for note in table.notes)
    assert not any("Careful" in note for note in table.notes)


def test_differences_of_unlike_numbers_say_so() -> None:
    unlike = comparison().assign(note="few speakers; not alike: costs: panphon against unit")
    notes = differences(unlike, [measure("wper")]).notes
    assert notes[-1] == "Careful: not alike: costs: panphon against unit."


@pytest.mark.parametrize(
    ("value", "low", "high", "text"),
    [
        (0.28734, 0.2839, 0.2917, "0.287 [0.284, 0.292]"),
        (-0.0196, -0.0262, -0.0138, "−0.0196 [−0.0262, −0.0138]"),
        (58512.4, 58000.2, 59000.7, "58,512 [58,000, 59,001]"),
        (4.5046, math.nan, math.nan, "4.50"),
        (0.0, math.nan, math.nan, "0"),
        (math.inf, math.nan, math.nan, "∞"),
        (math.nan, math.nan, math.nan, ""),
        (0.0001, -0.3, 0.3, "0.000 [−0.300, 0.300]"),
    ],
)
def test_digits_are_three_of_the_largest(value: float, low: float, high: float, text: str) -> None:
    assert rounded(value, low, high) == text


@given(st.floats(1e-4, 40))
def test_a_size_shows_three_digits(size: float) -> None:
    shown = f"{size:.{decimals(size)}f}"
    digits = shown.replace(".", "").lstrip("0")
    assert len(digits) == 3 or digits == "1000"


def test_latex_s_letters_and_line_breaks_in_notes_are_text() -> None:
    table = PaperTable(header=["a & b_c"], rows=[["50 % of {x}~^\\"]], notes=["50 %\ntwo"], signatures=["one\ntwo"])
    text = latex(table)
    assert r"a \& b\_c \\" in text
    assert r"50~\% of \{x\}\textasciitilde{}\textasciicircum{}\textbackslash{} \\" in text
    assert "% one two\n" in text
    assert "\\item[] 50~\\% two\n" in text


def test_markdown_holds_no_markup_of_data() -> None:
    text = markdown(PaperTable(header=["x"], rows=[["<img src=x>|&"]]))
    assert "| &lt;img src=x>\\|&amp; |" in text


def test_phonetic_columns_are_set_in_the_phonetic_font() -> None:
    table = PaperTable(header=["phone", "n"], rows=[["k͡p", "1"], ["", "2"]], phonetic=frozenset({0}))
    text = latex(table)
    assert "\\ipa{k͡p} & 1 \\\\" in text
    assert "\n & 2 \\\\" in text


@pytest.mark.parametrize(
    ("p", "shown"), [(0.0497, "0.0497"), (0.0503, "0.0503"), (0.05, "0.05"), (0.0213, "0.021"), (0.0004, "< 0.001")]
)
def test_no_probability_is_rounded_across_five_per_cent(p: float, shown: str) -> None:
    assert probability(p) == shown


def test_what_predicted_phones_stand_for_stands_least_ambiguous_first(small_run: Path) -> None:
    results = small_run / "results"
    table = dict(tables_of_corpus(results, "yoruba", ""))["yoruba-mapping"]
    phones, confusions = read_tsv(results / "yoruba/phones.tsv"), read_tsv(results / "yoruba/confusions.tsv")
    phones = phones[(phones["side"] == "predicted") & (phones["tokens"] > 0)]
    order = sorted(phones.to_dict("records"), key=lambda row: (row["tokens"] < 20, row["entropy"]))
    assert [row[0] for row in table.rows] == [row["phone"] for row in order]
    pairs = confusions[(confusions["gold"] != "∅") & (confusions["predicted"] == table.rows[0][0])]
    first = pairs.sort_values("count", ascending=False, kind="stable").iloc[0]
    share = f"{first['count'] / pairs['count'].sum():.2f}"
    assert table.rows[0][2].split(", ")[0] == f"{first['gold']} ({share})"
    shown, _ = as_number(table.rows[0][3].split(" ")[0])
    assert shown == pytest.approx(order[0]["entropy"], abs=0.01)


CELL = re.compile(r"\\multicolumn\{(\d)\}")


@pytest.mark.parametrize("intervals", [True, False])
def test_each_row_of_a_table_has_the_cells_of_its_columns(small_run: Path, intervals: bool) -> None:
    results = small_run / "results"
    numbers, corpora = read_numbers(results), read_manifest(results)["configuration"]["corpora"]
    tables = [*tables_of_corpora(numbers, dict.fromkeys(corpora, "costs:x"), corpus_titles(corpora))]
    tables += [table for corpus in corpora for table in tables_of_corpus(results, corpus, "costs:x")]
    for name, table in tables:
        text = latex(table, intervals=intervals)
        begin, *lines = text.split(r"\begin{tabular}{")[1].split(r"\end{tabular}")[0].splitlines()
        columns = len(re.findall("[lS]", re.sub(r"\[[^]]*\]|@\{.*?\}", "", begin)))
        rows = [line.removesuffix(r" \\") for line in lines if line.endswith(r" \\")]
        for row in rows:
            cells = re.split(r"(?<!\\)&", row)
            assert sum(int(one[1]) if (one := CELL.search(cell)) else 1 for cell in cells) == columns, (name, row)
        assert len(rows) >= len(table.rows) + 1
        assert text.count("{") == text.count("}")
        assert (re.search(r"\[.*, .*\]", text.split(r"\midrule", 1)[1].split(r"\end{tabular}")[0]) is None) or intervals
        formats = re.findall(r"table-format=-?(\d+)(?:\.(\d+))?", begin)
        assert all(1 <= int(whole) <= 7 and int(part or 0) <= 6 for whole, part in formats)


def test_numbers_stand_by_their_points_with_one_precision_and_stars_beside() -> None:
    shown = alike([(0.163, 0.147, 0.18), (0.1563, 0.1485, 0.1645), (0.01541, 0.0146, 0.0163), (0.0,)], 3)
    assert shown == ["0.163 [0.147, 0.180]", "0.156 [0.148, 0.165]", "0.015 [0.015, 0.016]", "0.000"]
    assert alike([(0.5, 0.4, 0.6), (0.123, 0.1229, 0.1231), (7.0,), (math.nan,)]) == [
        "0.500 [0.400, 0.600]",
        "0.123 [0.123, 0.123]",
        "7.000",
        "",
    ]
    rows = [["−0.12 [−0.20, 0.20]*", "1,204", "–"], ["0.05 [−0.20, 0.20]", "7", "0.5"]]
    text = latex(PaperTable(header=["d", "n", "p"], rows=rows, rules=frozenset({1})))
    assert "@{\\,}lS[table-format=4]S[table-format=1.1]@{}}" in text
    assert "\n-0.12{*} & [$-$0.20, 0.20] & 1204 & {–} \\\\\n\\midrule\n0.05 & [" in text
    assert "{@{}S[table-format=-1.2,table-space-text-post={*}]@{\\,}l" in text
    text = latex(PaperTable(header=["d", "n", "p"], rows=rows, below=True))
    assert "-0.12{*} & 1204 & {–} \\\\\n{\\scriptsize [$-$0.20, 0.20]} &  &  \\\\\n0.05 &" in text


def test_long_heads_and_labels_take_two_lines_where_intervals_stand_below() -> None:
    label = "share of errors beyond the number expected"
    table = PaperTable(header=["measure", "attainable skill"], rows=[[label, "0.5 [0.4, 0.6]"]], below=True)
    assert "measure & {\\shortstack[c]{attainable\\\\skill}} \\\\" in latex(table)
    rows = "share of errors beyond the number & 0.5 \\\\\nexpected & {\\scriptsize [0.4, 0.6]} \\\\"
    assert rows in latex(table)
    assert f"{label} & 0.5 \\\\" in latex(table, intervals=False)


def test_above_five_corpora_stand_in_several_tables_with_the_same_measures(small_run: Path) -> None:
    numbers = read_numbers(small_run / "results")
    own = numbers[numbers["corpus"] == numbers["corpus"].iloc[0]]
    names = [f"l{place}" for place in range(11)]
    several = pd.concat([own.assign(corpus=name) for name in names], ignore_index=True)
    tables = dict(tables_of_corpora(several, dict.fromkeys(names, "costs:x"), {name: name for name in names}))
    parts = [tables[name] for name in ("summary", "summary-2", "summary-3")]
    assert [name for part in parts for name in part.header[1:]] == names
    assert {tuple(row[0] for row in part.rows) for part in parts} == {tuple(row[0] for row in parts[0].rows)}
    assert {cell for part in parts for row in part.rows for cell in row[2:] if cell != row[1]} == set()
    assert len(tables["rates"].rows) == 11


def test_what_the_recogniser_lacks_has_no_accuracy_and_classes_have_rules(small_run: Path) -> None:
    results = small_run / "results"
    table = dict(tables_of_corpus(results, "yoruba", ""))["yoruba-phones"]
    missed = read_tsv(results / "yoruba/missed.tsv").set_index("phone")["in_inventory"]
    lacking = {phone for phone, _, accuracy, *_ in table.rows if accuracy == "–"}
    assert lacking == {phone for phone, *_ in table.rows if missed[phone] == "no"}
    assert any(note.startswith("–") for note in table.notes) == bool(lacking)
    vowels = [panphon_features().is_vowel(phone) for phone, *_ in table.rows]
    assert vowels == sorted(vowels, reverse=True)
    assert vowels.index(False) in table.rules


def test_the_best_the_median_and_the_worst_alignment(small_run: Path) -> None:
    folder = small_run / "results"
    table = dict(tables_of_corpus(folder, "yoruba", "costs:panphon"))["yoruba-alignments"]
    utterances = read_tsv(folder / "yoruba/utterances.tsv").sort_values("wper", kind="stable")
    pairs = read_tsv(folder / "yoruba/alignments.tsv")
    begins = [place for place, row in enumerate(table.rows) if row[0]]
    wanted = [utterances.iloc[place] for place in (0, (len(utterances) - 1) // 2, -1)]
    assert len(begins) == 3
    for begin, end, own, name in zip(begins, [*begins[1:], None], wanted, ("best", "median", "worst"), strict=True):
        rows = table.rows[begin:end]
        assert rows[0][:2] == [f"{name}: {own['utterance']}", rounded(own["wper"])]
        for place, side in enumerate(("gold", "predicted")):
            cells = [cell for row in rows[place::2] for cell in row[3:] if cell]
            assert cells == pairs.loc[pairs["utterance"] == own["utterance"], side].tolist()
            assert {row[2] for row in rows[place::2]} == {side}
    assert len({len(row) for row in table.rows}) == 1
    assert [*table.signatures] == ["costs:panphon"]

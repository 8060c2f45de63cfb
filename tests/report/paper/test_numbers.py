"""Numbers by name for LaTeX: each agrees with summary.tsv, each name stands once, and TeX can read every line."""

import re
from pathlib import Path

import pandas as pd
import pytest
from running import read_tsv

from phonxling.analyses.measures import measure
from phonxling.report.findings import stored_numbers
from phonxling.report.paper import difference_numbers, differences, numbers_file
from phonxling.store.folder import read_manifest

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
        rate = re.search(r"feature-weighted error rate is ([\d.]+)", written[corpus, "verdict"])
        skill = re.search(r"[;(] ?skill (\$-\$)?([\d.]+)", written[corpus, "verdict"])
        assert rate
        assert skill
        shown, half = as_number(rate[1])
        assert shown == pytest.approx(by_name[corpus, "wper", ""], abs=half)
        shown, half = as_number(f"{'-' if skill[1] else ''}{skill[2]}")
        assert shown == pytest.approx(by_name[corpus, "skill_wper", "best"], abs=half)


def test_the_ceiling_is_told_where_there_is_one_and_where_there_is_none(
    summary: pd.DataFrame, written: dict[tuple[str, str], str]
) -> None:
    floors = summary[summary["measure"] == "floor_wper"].set_index("corpus")["value"]
    for corpus, floor in floors.items():
        told = "no recogniser scores below" if floor > 0 else "could score 0."
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
    assert texts["a_1 - b", "wper"] == "$-$0.12~[$-$0.20, 0.20]"
    assert (texts["a_1 - b", "wper q"], texts["a_1 - b", "per q"]) == ("0.0012", "0.6")
    assert texts["a_1 - b", "wper p"] == "< 0.001"
    table = differences(comparison(), [measure("wper"), measure("per")])
    assert table.rows == [["a_1 − b", "−0.12 [−0.20, 0.20]*", "0.05 [−0.20, 0.20]"]]
    assert any("over 3 comparisons" in note for note in table.notes)
    assert not any("Careful" in note for note in table.notes)


def test_differences_of_unlike_numbers_say_so() -> None:
    unlike = comparison().assign(note="few speakers; not alike: costs: panphon against unit")
    notes = differences(unlike, [measure("wper")]).notes
    assert notes[-1] == "Careful: not alike: costs: panphon against unit."

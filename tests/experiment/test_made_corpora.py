"""Corpora of one table: a column, or the names of files, say which there are; and the table of languages."""

import json
from pathlib import Path

import pytest
from running import Command, tables_of
from support import error_of, write

from phonxling.configuration.reading import load_configuration, resolve_settings, restore_experiment
from phonxling.core.errors import ConfigurationError, DataError
from phonxling.experiment.corpora import load_corpora
from phonxling.load.resources import load_languages, select_numeric

ROWS = {"ibo": "a b", "yor": "e b a", "eng": "s a t", "x y": "a"}
SPLIT = "corpora:\n  all:\n    split_by: lang\n    gold: gold.tsv\n    predicted: predicted.tsv\n"


@pytest.fixture
def table(tmp_path: Path) -> Path:
    for side in ("gold", "predicted"):
        rows = [f"{lang}{n}\t{phones}\t{lang}" for n in range(3) for lang, phones in ROWS.items()]
        write(tmp_path / f"{side}.tsv", "\n".join(["utterance\tphones\tlang", *rows]) + "\n")
    return tmp_path


def test_each_value_of_the_column_is_a_corpus_of_its_rows(table: Path) -> None:
    path = write(table / "c.yaml", SPLIT)
    experiment = load_configuration(path)
    assert {name: one.language for name, one in experiment.corpora.items()} == {
        "eng": "eng",
        "ibo": "ibo",
        "x-y": None,
        "yor": "yor",
    }
    assert restore_experiment(json.loads(json.dumps(resolve_settings(experiment))), table).corpora == experiment.corpora
    summary = tables_of(path, "chance.replicates=2")["summary"]
    tokens = summary[summary["measure"] == "per"].set_index("corpus")["n"].to_dict()
    assert tokens == {"eng": 9, "ibo": 6, "x-y": 3, "yor": 9}


def test_a_value_that_another_corpus_asks_for_is_its_own(table: Path) -> None:
    sides = ", ".join(f"{side}: {{path: {side}.tsv, where: {{lang: eng}}}}" for side in ("gold", "predicted"))
    path = write(table / "c.yaml", f"{SPLIT}  english: {{role: reference, {sides}}}\n")
    assert [*load_configuration(path).corpora] == ["ibo", "x-y", "yor", "english"]


def test_the_names_of_files_say_which_there_are(tmp_path: Path) -> None:
    for lang in ("ibo", "yor"):
        for side in ("gold", "predicted"):
            write(tmp_path / lang / f"{side}-{lang}.tsv", "utterance\tphones\nu\ta b\n")
    write(tmp_path / "efi" / "gold-ibo.tsv", "")  # one name, two values
    text = SPLIT.replace("gold.tsv", "'{lang}/gold-{lang}.tsv'").replace(
        "predicted.tsv", "'{lang}/predicted-{lang}.tsv'"
    )
    corpora = load_configuration(write(tmp_path / "c.yaml", text)).corpora
    assert {name: str(one.gold.path) for name, one in corpora.items()} == {
        lang: str(tmp_path / lang / f"gold-{lang}.tsv") for lang in ("ibo", "yor")
    }


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (
            "split_by: lang",
            "split_by: tongue",
            "  corpora.all.split_by: the gold file {folder}/gold.tsv has no column",
        ),
        ("corpora:", "corpora:\n  ibo: {gold: gold.tsv, predicted: gold.tsv}", "two corpora would be called 'ibo'"),
    ],
)
def test_what_cannot_be_split_is_said_once(table: Path, old: str, new: str, said: str) -> None:
    path = write(table / "c.yaml", SPLIT.replace(old, new, 1))
    assert error_of(ConfigurationError, load_configuration, path).count(said.replace("{folder}", str(table))) == 1


def by_language(folder: Path, form: str, languages: list[str | None]) -> str:
    """Write a table of both sides, a row a language, and return its file."""
    rows = [{"id": f"u{n}", "ref": "p a", "hyp": "p a", "lang": each} for n, each in enumerate(languages)]
    if form == "jsonl":
        text = "".join(json.dumps(row) + "\n" for row in rows)
    else:
        text = "id,ref,hyp,lang\n" + "".join(f"{row['id']},p a,p a,{row['lang'] or ''}\n" for row in rows)
    write(folder / f"all.{form}", text)
    return f"all.{form}"


BY_COLUMN = """corpora:
  c:
{how}    gold: {{path: {file}, {where}columns: {{phones: ref}}}}
    predicted: {{path: {file}, {where}columns: {{phones: hyp}}}}
"""


@pytest.mark.parametrize(("form", "how"), [("csv", "split_by"), ("jsonl", "where")])
def test_rows_without_a_language_are_an_error_that_names_them(table: Path, form: str, how: str) -> None:
    file = by_language(table, form, ["yor", None, "ibo", " "])
    split, where = ("    split_by: lang\n", "") if how == "split_by" else ("", "where: {lang: yor}, ")
    path = write(table / "c.yaml", BY_COLUMN.format(how=split, where=where, file=file))
    message = error_of((ConfigurationError, DataError), lambda: load_corpora(load_configuration(path)))
    assert "2 rows have nothing in the column lang, so nobody knows where they belong:" in message
    assert [line.rpartition(":")[2] for line in message.splitlines() if line.startswith("  /")] == (
        ["3", "5"] if form == "csv" else ["2", "4"]
    )


def test_spaces_around_a_language_make_no_second_corpus(table: Path) -> None:
    file = by_language(table, "csv", ["yor", "yor ", "\tibo", "ibo"])
    path = write(table / "c.yaml", BY_COLUMN.format(how="    split_by: lang\n", where="", file=file))
    loaded = load_corpora(load_configuration(path))
    assert {one.name: one.corpus.utterances for one in loaded} == {"ibo": ("u2", "u3"), "yor": ("u0", "u1")}


def test_the_table_of_languages_and_the_corpora_are_held_against_each_other(table: Path, phonxling: Command) -> None:
    path, languages = write(table / "c.yaml", f"languages: languages.tsv\n{SPLIT}"), table / "languages.tsv"
    write(languages, "code\tfamily\nyor\tA\nibo\tA\neng\tB\nzul\tA\nqqq\t\nxyy\tC\n")
    outcome = phonxling("check", path)
    assert (outcome.code, "no row in this table: x-y; the nearest code there is 'xyy'" in outcome.stderr) == (1, True)
    write(languages, languages.read_text(encoding="utf-8").replace("xyy", "x-y"))
    outcome = phonxling("check", path)
    assert outcome.code == 0, outcome.stderr
    assert "languages.tsv:6: qqq is not a code of ISO 639-3" in outcome.stdout
    assert "languages.tsv:5: zul is in no corpus" in outcome.stdout


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("name\tfamily\n", ":1: a table of languages has a column code (tab-separated); this one has: name, family"),
        ("code\tseen\nibo\tmaybe\n", ":2: seen must be yes, no or empty, not 'maybe'"),
    ],
)
def test_a_faulty_table_of_languages_is_refused(tmp_path: Path, text: str, said: str) -> None:
    assert said in error_of(DataError, load_languages, write(tmp_path / "languages.tsv", text))


def test_columns_of_numbers_are_told_from_texts(tmp_path: Path) -> None:
    rows = "code\tname\tseen\thours\tscript\tfew\nibo\t\tYES\t1\tLatn\t1\nyor\tYor\t\t2e1\tLatn\t\nzz\t\tno\t3\t1\t\n"
    found = load_languages(write(tmp_path / "languages.tsv", rows))
    assert [(one.name, one.seen) for one in found.values()] == [("Igbo", "seen"), ("Yor", ""), ("zz", "unseen")]
    assert select_numeric(found.values()) == {"hours": [1.0, 20.0, 3.0]}

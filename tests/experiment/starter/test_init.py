"""phonxling init: what it writes, what it prints, and what it does with odd folders."""

import os
from pathlib import Path

import made_folders as made
import pytest
from made_folders import IPA, LABELS, UTTERANCES, spoken
from running import command
from small_experiment import make_experiment
from support import write

from phonxling.configuration.reading import load_configuration
from phonxling.experiment.starter import write_starter


def small_folder(folder: Path) -> Path:
    made.table(folder / "gold.tsv", spoken(IPA))
    made.table(folder / "hyp.tsv", spoken(LABELS, 4))
    return folder


def test_a_folder_s_starter_passes_check_as_it_stands(tmp_path: Path) -> None:
    make_experiment(tmp_path / "my data").unlink()
    code, printed = command("init", tmp_path / "my data")
    assert code == 0, printed
    assert "2 corpora (english, yoruba); phonxling check finds no problems" in printed
    following = next(line for line in printed.splitlines() if line.startswith("next: "))
    path = Path(following.removeprefix("next: phonxling run "))  # from here where that is shorter
    assert path.resolve() == (tmp_path / "my data/experiment.yaml").resolve()
    experiment = load_configuration(tmp_path / "my data/experiment.yaml")
    assert {name: corpus.role for name, corpus in experiment.corpora.items()} == {
        "english": "reference",
        "yoruba": "target",
    }
    assert experiment.corpora["yoruba"].predicted.symbols == "arpabet"
    code, printed = command("check", tmp_path / "my data/experiment.yaml")
    assert code == 0, printed


@pytest.mark.parametrize(
    ("labels", "line"),
    [
        (LABELS, "    recogniser: {inventory: arpabet}   # the phones that it can predict"),
        (["dx", *LABELS], "    recogniser: {inventory: timit39}   #"),
        (IPA, "    # recogniser: {name: …, inventory: phones.txt}    #"),
    ],
    ids=["ARPAbet", "TIMIT", "IPA"],
)
def test_the_inventory_is_written_where_the_labels_tell_it(tmp_path: Path, labels: list[str], line: str) -> None:
    made.table(tmp_path / "gold.tsv", spoken(IPA))
    made.table(tmp_path / "hyp.tsv", spoken(labels, 4))
    code, printed = command("init", tmp_path)
    assert code == 0, printed
    text = (tmp_path / "experiment.yaml").read_text(encoding="utf-8")
    assert [one for one in text.splitlines() if "recogniser:" in one and one.startswith(line)]
    assert text.count("recogniser:") == 1


def test_what_is_there_is_not_overwritten(tmp_path: Path) -> None:
    small_folder(tmp_path)
    assert command("init", tmp_path)[0] == 0
    text = (tmp_path / "experiment.yaml").read_text(encoding="utf-8")
    write(tmp_path / "experiment.yaml", text.replace("symbols: arpabet", "symbols: timit61"))
    edited = (tmp_path / "experiment.yaml").read_bytes()
    code, printed = command("init", tmp_path)
    assert code == 2
    assert "experiment.yaml: is there already, and is left as it is; move it away to have a new one" in printed
    assert (tmp_path / "experiment.yaml").read_bytes() == edited


def test_gold_without_predictions_is_written_with_what_is_to_be_decided(tmp_path: Path) -> None:
    made.table(tmp_path / "gold.tsv", spoken(IPA))
    code, printed = command("init", tmp_path)
    assert code == 0
    assert "no file holds predictions, or posteriors, of the same utterances" in printed
    assert "until something is decided" in printed
    text = (tmp_path / "experiment.yaml").read_text(encoding="utf-8")
    assert "    # predicted: {path:" in text


def test_utterances_of_one_side_alone_are_to_be_decided(tmp_path: Path) -> None:
    made.table(tmp_path / "gold.tsv", spoken(IPA))
    made.table(tmp_path / "hyp.tsv", spoken(LABELS, ids=UTTERANCES[:-1]))
    starter = write_starter(tmp_path)
    (decision,) = starter.decisions
    assert f"1 of 12 utterances are in gold alone: {UTTERANCES[-1]}; add what is missing" in decision
    assert "pairing: {allow_unpaired: 0.09}" in decision


def test_symbols_that_no_set_knows_stay_errors_until_a_table_says_what_they_are(tmp_path: Path) -> None:
    rows = spoken(IPA)
    rows[UTTERANCES[0]][:2] = ["tʃə", "ꙮ"]
    made.table(tmp_path / "gold.tsv", rows)
    made.table(tmp_path / "hyp.tsv", spoken(LABELS, 4))
    starter = write_starter(tmp_path)
    (corpus,) = load_configuration(starter.path).corpora.values()
    assert corpus.gold.unknown is None
    (decision,) = starter.decisions
    assert "2 symbols are not known to ipa: tʃə 1, ꙮ 1. Give their IPA in a table" in decision
    assert "set symbols: [ipa, extra.tsv] for gold" in decision
    assert "ꙮ" in (starter.problem or "")
    code, printed = command("check", starter.path)
    assert code == 1
    assert "to decide; remove each comment when it is done:" in printed
    assert "experiment.yaml:10: " in printed
    write(tmp_path / "extra.tsv", "symbol\tipa\ntʃə\ttʃ ə\nꙮ\t\n")
    starter.path.unlink()
    assert write_starter(tmp_path).decisions == ()
    assert "symbols: [ipa, extra.tsv]" in starter.path.read_text(encoding="utf-8")
    code, printed = command("check", starter.path)
    assert code == 0, printed


def test_odd_names_do_not_break_the_file(tmp_path: Path) -> None:
    folder = small_folder(tmp_path / 'odd: "name" #1/- [x], {y}')
    starter = write_starter(tmp_path)
    assert starter.problem == ""
    (corpus,) = load_configuration(starter.path).corpora.values()
    assert corpus.gold.path == folder / "gold.tsv"


def test_pipes_links_and_locked_files_are_left_alone_and_named(tmp_path: Path) -> None:
    folder = small_folder(tmp_path / "data")
    os.mkfifo(folder / "gold.ctm")
    (folder / "loop").symlink_to(folder)
    (folder / "out").symlink_to("/")
    (folder / "kernel").symlink_to("/proc")
    (folder / "nowhere.tsv").symlink_to(tmp_path / "missing.tsv")
    starter = write_starter(folder)
    assert starter.problem == ""
    assert len(starter.notes) == 3, starter.notes
    assert "passed over: kernel (a folder of the system)" in starter.notes
    assert "passed over: gold.ctm nowhere.tsv (a link that leads nowhere, a pipe or a device)" in starter.notes


def test_results_of_a_run_are_no_data(tmp_path: Path) -> None:
    small_folder(tmp_path)
    made.table(tmp_path / "results/run/gold.tsv", spoken(IPA))
    made.table(tmp_path / "results/run/hyp.tsv", spoken(LABELS))
    write(tmp_path / "results/run/manifest.json", "{}")
    assert len(write_starter(tmp_path).corpora) == 1


def test_ids_that_differ_are_said_with_an_example(tmp_path: Path) -> None:
    made.table(tmp_path / "gold.tsv", spoken(IPA))
    made.table(tmp_path / "hyp.tsv", spoken(LABELS, ids=[f"x{name}" for name in UTTERANCES]))
    (decision,) = write_starter(tmp_path).decisions
    assert "no id is that of a gold utterance (spk0_u00 there, xspk0_u00 here)" in decision


def by_language(path: Path, phones: list[str], seed: int) -> None:
    rows = "".join(
        f"{language}\t{name}\tspeaker{number % 4}\t{' '.join(row)}\n"
        for language in ("ewe", "ibo", "yor")
        for number, (name, row) in enumerate(spoken(phones, seed).items())
    )
    write(path, "lang\tutterance\tclient_id\tphones\n" + rows)


def test_a_table_of_several_languages_is_a_corpus_of_each(tmp_path: Path) -> None:
    """Whose utterances have the same ids."""
    by_language(tmp_path / "gold.tsv", IPA, 3)
    by_language(tmp_path / "hyp.tsv", LABELS, 4)
    starter = write_starter(tmp_path)
    assert (starter.problem, starter.decisions) == ("", ()), starter
    corpora = load_configuration(starter.path).corpora
    assert {name: corpus.gold.where for name, corpus in corpora.items()} == {
        name: {"lang": (name,)} for name in ("ewe", "ibo", "yor")
    }
    for corpus in corpora.values():
        assert corpus.predicted.where == corpus.gold.where
        assert corpus.gold.columns == {"speaker": "client_id"}
    code, printed = command("check", starter.path)
    assert code == 0, printed
    assert printed.count("12 utterances") == 3
    assert "speakers are unknown" not in printed


def test_languages_that_the_predictions_do_not_tell_apart_are_to_be_decided(tmp_path: Path) -> None:
    rows = [f"{name}\t{' '.join(row)}\n" for name, row in spoken(IPA).items()]
    lines = [f"{('ewe', 'yor')[number % 2]}\t{row}" for number, row in enumerate(rows)]
    write(tmp_path / "gold.tsv", "lang\tutterance\tphones\n" + "".join(lines))
    made.table(tmp_path / "hyp.tsv", spoken(LABELS, 4))
    (decision,) = write_starter(tmp_path).decisions
    assert "the column lang has several values, and the predictions have no such column" in decision


def test_tiers_match_without_case_and_spaces_and_recognisers_are_predictions(tmp_path: Path) -> None:
    gold, heard, other = spoken(IPA), spoken(IPA, 4), spoken(IPA, 5)
    for number, name in enumerate(UTTERANCES):
        spelling = ("Phones", "phones ", "PHONES")[number % 3]
        made.text_grid(
            tmp_path / "grids" / f"{name}.TextGrid",
            {spelling: gold[name], "wav2vec2": heard[name], "MFA phones": other[name]},
        )
    starter = write_starter(tmp_path)
    ((corpus,), problem) = load_configuration(starter.path).corpora.values(), starter.problem
    assert problem == ""
    assert (corpus.gold.tier, corpus.predicted.tier) == ("Phones", "wav2vec2")
    (decision,) = starter.decisions
    assert "the tier 'MFA phones' of the same files could be predicted as well" in decision


def test_files_that_are_passed_over_are_named_with_the_reason(tmp_path: Path) -> None:
    small_folder(tmp_path)
    write(tmp_path / "lexicon.txt", "CAT k ae t\n")
    write(tmp_path / "u1.wav", "RIFF")
    write(tmp_path / "words.tsv", "utterance\ttext\nu1\tYes, we were!\n")
    notes = write_starter(tmp_path).notes
    assert "passed over: u1.wav (.wav holds no phones)" in notes
    assert "passed over: lexicon.txt (called lexicon)" in notes
    assert any(note.startswith("passed over: words.tsv (") for note in notes)


def test_columns_without_a_phone_are_all_judged_and_never_dropped(tmp_path: Path) -> None:
    """As those of a large model: beyond the sixty that are used most, each may have mass that is not blank."""
    made.table(tmp_path / "gold.tsv", spoken(IPA))
    vowels = [f"{vowel}{mark}" for vowel in "aeiouɛɔɪʊə" for mark in ("", "ː", "̃", "̃ː", "̥", "̤", "̰")]
    labels = [*dict.fromkeys([*IPA, *vowels]), "ɑːɹq", "ꙮ9"]
    heard = {name: [*row, "ɑːɹq"] for name, row in spoken(IPA, 4).items()}
    made.posteriors(tmp_path / "post.npz", heard, labels, blank="<pad>")
    starter = write_starter(tmp_path)
    (corpus,) = load_configuration(starter.path).corpora.values()
    assert corpus.posteriors.unknown is None
    (decision,) = starter.decisions
    assert "2 columns are not known to ipa: ɑːɹq, ꙮ9. Give their IPA in a table" in decision

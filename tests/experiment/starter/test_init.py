"""phonxling init: for each shape of folder that people have, the lines that are written; check accepts them."""

import json
import os
from collections.abc import Callable
from pathlib import Path

import made_folders as made
import numpy as np
import pytest
from made_folders import IPA, LABELS, UTTERANCES, spoken
from running import command
from small_experiment import make_experiment
from support import write

from phonxling.configuration.reading import load_configuration
from phonxling.experiment.corpora import load_corpora
from phonxling.experiment.starter import write_starter

GOLD, HEARD = spoken(LABELS), spoken(LABELS, 4)


def small_folder(folder: Path) -> Path:
    made.table(folder / "gold.tsv", spoken(IPA))
    made.table(folder / "hyp.tsv", HEARD)
    return folder


def test_a_folder_s_starter_passes_check_as_it_stands(tmp_path: Path) -> None:
    make_experiment(tmp_path / "my data").unlink()
    code, printed = command("init", tmp_path / "my data")
    assert code == 0, printed
    following = next(line for line in printed.splitlines() if line.startswith("next: "))
    path = Path(following.removeprefix("next: phonxling run "))  # from here where that is shorter
    assert path.resolve() == (tmp_path / "my data/experiment.yaml").resolve()
    experiment = load_configuration(tmp_path / "my data/experiment.yaml")
    assert {*experiment.corpora} == {"english", "yoruba"}
    assert experiment.corpora["yoruba"].predicted.symbols == "arpabet"
    code, printed = command("check", tmp_path / "my data/experiment.yaml")
    assert code == 0, printed


def _labels_of_timit(folder: Path) -> None:
    made.table(small_folder(folder) / "hyp.tsv", spoken(["dx", *LABELS], 4))


def _several_forms_of_predictions(folder: Path) -> None:
    """As a GMM's output: `text` of Kaldi by another name, a CTM, a list of phones, posteriors."""
    made.kaldi_text(folder / "ref_14.txt", GOLD)
    made.kaldi_text(folder / "hyp_14.txt", HEARD)
    made.ctm(folder / "hyp_14.ctm", HEARD)
    write(folder / "phones_14.txt", "\n".join(LABELS) + "\n")
    write(folder / "SOURCE.txt", "Made for a test, as a folder of data has it.\nNot to be read as phones.\n")
    made.posteriors(folder / "posteriors_14phones.npz", HEARD, LABELS)


def _both_sides_and_a_map_of_symbols(folder: Path) -> None:
    gold, heard = spoken(IPA), spoken([*LABELS[:-1], "oh"])
    rows = [f"{n}\t{' '.join(heard[n])}\t{' '.join(gold[n])}" for n in UTTERANCES]
    write(folder / "predicted_vs_gold.tsv", "\n".join(["sample\tpredicted_arpabet\tgold_ipa", *rows]) + "\n")
    pairs = zip([*LABELS[:-1], "oh"], IPA, strict=True)
    write(folder / "map.tsv", "symbol\tipa\n" + "".join(f"{symbol}\t{ipa}\n" for symbol, ipa in pairs))


def _words_of_ipa_in_one_table(folder: Path) -> None:
    gold, heard = spoken(["ɑ", "ŋ", "k", "i", "ɔ", "m"]), spoken(["ɑ", "ŋ", "k", "i", "ɔ", "m"], 4)
    rows = [f"{name},{''.join(gold[name])},{''.join(heard[name])}\n" for name in gold]
    write(folder / "all.csv", "id,human,asr\n" + "".join(rows))


def _text_grids_by_speaker(folder: Path) -> None:
    for side, rows in (("gold", GOLD), ("hyp", HEARD)):
        for name, phones in rows.items():
            tiers = {f"{name[:4]} - words": ["hello there", "you"], f"{name[:4]} - phones": phones}
            made.text_grid(folder / side / name[:4] / f"{name}.TextGrid", tiers)


def _labels_of_a_corpus(folder: Path) -> None:
    for name, phones in GOLD.items():
        lines = [f"{960 * n} {960 * (n + 1)} {phone}" for n, phone in enumerate(phones)]
        write(folder / "train" / name[:4] / f"{name[5:]}.phn", "\n".join(lines) + "\n")
        write(folder / "train" / name[:4] / f"{name[5:]}.txt", "0 7680 She had your dark suit.\n")
    made.ctm(folder / "hyp.ctm", {f"train_{name}": phones for name, phones in HEARD.items()})


def _languages_within_sides(folder: Path) -> None:
    for language in ("yor", "spa"):
        made.kaldi_text(folder / "ref" / f"{language}.txt", GOLD)
        made.kaldi_text(folder / "asr" / f"{language}.txt", HEARD)


def _parts_of_one_table(folder: Path) -> None:
    for part, ids in enumerate((UTTERANCES[::2], UTTERANCES[1::2])):
        about = {"target": "k a t", "prediction": "k a d"}
        rows = [{"path": f"{lang}/{n}.wav", "lang_sym": lang, **about} for lang in ("yor", "ewe") for n in ids]
        write(folder / f"data-0000{part}-of-00002.jsonl", "".join(json.dumps(row) + "\n" for row in rows))


def _words_and_phones(folder: Path) -> None:
    """A stray list of phones, a dictionary and transcripts of words lie about."""
    small_folder(folder)
    write(folder / "phones.txt", "\n".join(LABELS) + "\n")
    write(folder / "lexicon.txt", "CAT k ae t\nDOG d ao g\n")
    for name in UTTERANCES:
        write(folder / "words" / f"{name}.lab", "this is what was said in the room\n")


def _logits(folder: Path) -> None:
    """And arrays that are no posteriors."""
    (small_folder(folder) / "hyp.tsv").unlink()
    made.posteriors(folder / "logits.npz", HEARD, LABELS, blank="<blank>", kind="logit")
    np.savez(folder / "energies.npz", **{name: np.ones(5) for name in UTTERANCES})
    write(folder / "broken.npz", "no archive")


def _labels_in_a_list(folder: Path) -> None:
    write(small_folder(folder) / "phones_14.txt", "\n".join(LABELS) + "\n")
    made.posteriors(folder / "post.npz", HEARD, LABELS, labelled=False)


def _annotated_mispronunciations(folder: Path) -> None:
    for name, phones in GOLD.items():
        marked = [f"{phones[0].upper()},{phones[-1].upper()},s", "T,sil,d", "sil,K,a", *phones[3:]]
        made.text_grid(folder / "annotation" / f"{name}.TextGrid", {"words": ["hello there"], "phones": marked})
        made.text_grid(folder / "decoded" / f"{name}.TextGrid", {"phones": phones})


def _rows_without_a_title(folder: Path) -> None:
    for name, rows in (("gold", spoken(IPA)), ("hyp", HEARD)):
        made.table(folder / f"{name}.tsv", rows, ("", "phones"))


def _files_with_a_shared_ending(folder: Path) -> None:
    made.table(folder / "gold.tsv", spoken(IPA))
    for name, phones in HEARD.items():
        lines = [f"{0.06 * place:.3f} 0.045 {phone}\n" for place, phone in enumerate(phones)]
        write(folder / "hyp" / f"{name}.txt", "".join(lines))


def _files_with_another_ending(folder: Path) -> None:
    _labels_of_a_corpus(folder)
    for path in [*folder.rglob("*.phn"), *folder.rglob("*.PHN")]:
        path.rename(path.with_suffix(".txt"))


@pytest.mark.parametrize(
    ("make", "names", "lines"),
    [
        (_files_with_another_ending, "data", ["*.txt", "format: phn}"]),
        (_rows_without_a_title, "data", ["gold: {path: gold.tsv, symbols: ipa}"]),
        (_files_with_a_shared_ending, "data", ["predicted: {path: hyp, symbols: arpabet, format: allosaurus}"]),
        (small_folder, "data", ["recogniser: {inventory: arpabet}", "{path: hyp.tsv, symbols: arpabet}"]),
        (_labels_of_timit, "data", ["recogniser: {inventory: timit39}"]),
        (_several_forms_of_predictions, "data", ["gold: {path: ref_14.txt,", "predicted: {path: hyp_14.ctm,"]),
        (_both_sides_and_a_map_of_symbols, "data", ["phones: gold_ipa}", "phones: predicted_arpabet}", "map.tsv"]),
        (_words_of_ipa_in_one_table, "data", ["phones: human}", "phones: asr}"]),
        (_text_grids_by_speaker, "data", ["gold: {path: gold,", "predicted: {path: hyp,"]),
        (_labels_of_a_corpus, "data", ["format: phn}", "predicted: {path: hyp.ctm,"]),
        (_languages_within_sides, "spa yor", ["gold: {path: ref/yor.txt,"]),
        (_parts_of_one_table, "ewe yor", ["data-*-of-00002.jsonl", "lang_sym"]),
        (_words_and_phones, "data", ["gold: {path: gold.tsv"]),
        (_logits, "data", ["path: logits.npz, symbols: arpabet", "scale: logit", "<blank>"]),
        (_labels_in_a_list, "data", ["labels: phones_14.txt"]),
        (_annotated_mispronunciations, "data", ["gold: {path: annotation,", "predicted: {path: decoded,"]),
    ],
)
def test_check_accepts_what_is_proposed(
    tmp_path: Path, make: Callable[[Path], object], names: str, lines: list[str]
) -> None:
    make(tmp_path / "data")
    starter = write_starter(tmp_path / "data")
    text = " ".join(starter.path.read_text(encoding="utf-8").split())
    assert (starter.problem, starter.decisions) == ("", ()), text
    experiment = load_configuration(starter.path)
    assert sorted(experiment.corpora) == names.split()
    assert all(len(corpus.gold) == len(UTTERANCES) for corpus in load_corpora(experiment))
    for line in lines:
        assert line in text


def test_a_folder_s_own_name_hides_nothing_and_odd_arrays_are_passed_over(tmp_path: Path) -> None:
    folder = small_folder(tmp_path / "map of a dictionary")
    np.savez(folder / "post.npz", **{name: np.ones((3, 7 + place)) for place, name in enumerate(UTTERANCES)})
    starter = write_starter(folder)
    assert (starter.problem, starter.decisions) == ("", ())
    assert any("post.npz (arrays have 7 to " in note and "transposed?" in note for note in starter.notes)


def test_a_second_speaker_in_files_is_no_prediction(tmp_path: Path) -> None:
    for name, phones in GOLD.items():
        made.text_grid(tmp_path / "gold" / f"{name}.TextGrid", {"anna - phones": phones, "bob - phones": phones[::-1]})
    made.table(tmp_path / "hyp.tsv", HEARD)
    decision, *_ = write_starter(tmp_path).decisions
    assert "the tier 'bob - phones' of the same files could be gold as well" in decision
    text = (tmp_path / "experiment.yaml").read_text(encoding="utf-8")
    assert 'tier: "anna - phones"}' in text
    assert "predicted: {path: hyp.tsv," in text


def test_marks_that_stand_apart_are_joined_by_what_is_to_be_decided(tmp_path: Path) -> None:
    write(tmp_path / "gold.tsv", "utterance\tphones\nu1\ttʰ aː k i\nu2\tpʷ ã s u\n")
    write(tmp_path / "hyp.tsv", "utterance\tphones\nu1\tt ʰ a ː k i\nu2\tp ʷ a \u0303 s u\n")
    (decision,) = write_starter(tmp_path).decisions
    assert decision.endswith(
        "Marks stand apart from their letters: set symbols: ipa-joined for predicted, which joins them."
    )


def test_gold_without_predictions_is_written_with_what_is_to_be_decided(tmp_path: Path) -> None:
    made.table(tmp_path / "gold.tsv", spoken(IPA))
    code, printed = command("init", tmp_path)
    assert code == 0
    assert "no file holds predictions, or posteriors, of the same utterances" in printed
    assert "    # predicted: {path:" in (tmp_path / "experiment.yaml").read_text(encoding="utf-8")


def test_symbols_that_no_set_knows_stay_errors_until_a_table_says_what_they_are(tmp_path: Path) -> None:
    rows = spoken(IPA)
    rows[UTTERANCES[0]][:2] = ["tʃə", "ꙮ"]
    made.table(small_folder(tmp_path) / "gold.tsv", rows)
    starter = write_starter(tmp_path)
    (corpus,) = load_configuration(starter.path).corpora.values()
    assert corpus.gold.unknown is None
    assert "set symbols: [ipa, extra.tsv] for gold" in "\n".join([*starter.decisions, starter.problem or ""])
    assert command("check", starter.path)[0] == 1
    write(tmp_path / "extra.tsv", "symbol\tipa\ntʃə\ttʃ ə\nꙮ\t\n")
    starter.path.unlink()
    assert write_starter(tmp_path).decisions == ()
    assert "symbols: [ipa, extra.tsv]" in starter.path.read_text(encoding="utf-8")
    code, printed = command("check", starter.path)
    assert code == 0, printed


def test_odd_names_links_pipes_and_results_do_not_break_the_file(tmp_path: Path) -> None:
    folder = small_folder(tmp_path / 'odd: "name" #1/- [x], {y}')
    os.mkfifo(folder / "gold.ctm")
    (folder / "loop").symlink_to(folder)
    (folder / "out").symlink_to("/")
    (folder / "kernel").symlink_to("/proc")
    (folder / "nowhere.tsv").symlink_to(tmp_path / "missing.tsv")
    write(folder / "empty.tsv", "")
    small_folder(tmp_path / "results/run")
    write(tmp_path / "results/run/manifest.json", "{}")
    starter = write_starter(tmp_path)
    assert starter.problem == ""
    (corpus,) = load_configuration(starter.path).corpora.values()
    assert corpus.gold.path == folder / "gold.tsv"

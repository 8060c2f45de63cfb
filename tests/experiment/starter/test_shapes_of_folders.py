"""phonxling init: for each shape of folder that people have, a configuration that check accepts."""

import json
from collections.abc import Callable
from pathlib import Path

import made_folders as made
import numpy as np
import pytest
from made_folders import IPA, LABELS, UTTERANCES, spoken
from support import write

from phonxling.configuration.models import Experiment
from phonxling.configuration.reading import load_configuration
from phonxling.experiment.corpora import load_corpora
from phonxling.experiment.starter import Starter, write_starter
from phonxling.experiment.starter_files import read_role

GOLD, HEARD = spoken(LABELS), spoken(LABELS, 4)


def started(folder: Path) -> tuple[Starter, Experiment]:
    starter = write_starter(folder)
    return starter, load_configuration(starter.path)


def accepted(folder: Path) -> Experiment:
    starter, experiment = started(folder)
    assert (starter.problem, starter.decisions) == ("", ()), starter.path.read_text(encoding="utf-8")
    return experiment


def path_of(folder: Path, file: object) -> str:
    return getattr(file, "path").relative_to(folder).as_posix()  # noqa: B009 - a file of any kind


def test_lists_of_phones_and_a_second_form_of_the_predictions_are_no_gold(tmp_path: Path) -> None:
    """As a GMM's output: `text` of Kaldi by another name, a CTM, a list of phones, posteriors."""
    made.kaldi_text(tmp_path / "ref_14.txt", GOLD)
    made.kaldi_text(tmp_path / "hyp_14.txt", HEARD)
    made.ctm(tmp_path / "hyp_14.ctm", HEARD)
    write(tmp_path / "phones_14.txt", "\n".join(LABELS) + "\n")
    write(tmp_path / "SOURCE.txt", "Made for a test, as a folder of data has it.\nNot to be read as phones.\n")
    made.posteriors(tmp_path / "posteriors_14phones.npz", HEARD, LABELS)
    (corpus,) = accepted(tmp_path).corpora.values()
    assert corpus.gold.path == tmp_path / "ref_14.txt"
    assert corpus.gold.format == "kaldi-text"
    assert corpus.predicted.path == tmp_path / "hyp_14.ctm"
    assert {corpus.gold.symbols, corpus.predicted.symbols, corpus.posteriors.symbols} == {"arpabet"}
    assert "hyp_14.txt" in (tmp_path / "experiment.yaml").read_text(encoding="utf-8")


def test_one_table_with_both_sides_and_a_map_of_symbols(tmp_path: Path) -> None:
    gold, heard = spoken(IPA), spoken([*LABELS[:-1], "oh"])
    rows = [f"{n}\t{' '.join(heard[n])}\t{' '.join(gold[n])}" for n in UTTERANCES]
    write(tmp_path / "yoruba_predicted_vs_gold.tsv", "sample\tpredicted_arpabet\tgold_ipa\n" + "\n".join(rows) + "\n")
    pairs = zip([*LABELS[:-1], "oh"], IPA, strict=True)
    write(tmp_path / "map.tsv", "symbol\tipa\n" + "".join(f"{symbol}\t{ipa}\n" for symbol, ipa in pairs))
    (corpus,) = accepted(tmp_path).corpora.values()
    assert corpus.gold.columns == {"utterance": "sample", "phones": "gold_ipa"}
    assert corpus.predicted.columns == {"utterance": "sample", "phones": "predicted_arpabet"}
    assert (corpus.gold.symbols, corpus.predicted.symbols) == ("ipa", tmp_path / "map.tsv")


@pytest.mark.parametrize("names", [("reference", "prediction"), ("text", "pred_text"), ("ref", "hyp")])
def test_rows_with_both_sides(tmp_path: Path, names: tuple[str, str]) -> None:
    rows = [f'{{"id": "{n}", "{names[0]}": "{" ".join(GOLD[n])}", "{names[1]}": "{" ".join(HEARD[n])}"}}' for n in GOLD]
    write(tmp_path / "results.jsonl", "\n".join(rows) + "\n")
    (corpus,) = accepted(tmp_path).corpora.values()
    assert (corpus.gold.columns["phones"], corpus.predicted.columns["phones"]) == names


def test_posteriors_of_some_languages_beside_tables_of_all(tmp_path: Path) -> None:
    made.table(tmp_path / "gold.tsv", spoken(IPA), ("utt", "phones_ipa"))
    made.table(tmp_path / "hyp.tsv", HEARD, ("utt", "phones_arpabet"))
    write(tmp_path / "phones_14.txt", "\n".join(LABELS) + "\n")
    for language, part in (("ewe", UTTERANCES[:4]), ("ibo", UTTERANCES[4:7])):
        rows = {name: HEARD[name] for name in part}
        made.posteriors(tmp_path / f"post_{language}.npz", rows, LABELS, labelled=False)
    experiment = accepted(tmp_path)
    (corpus,) = experiment.corpora.values()
    assert path_of(tmp_path, corpus.posteriors) == "post_*.npz"
    assert corpus.posteriors.labels == tmp_path / "phones_14.txt"
    assert experiment.pairing.allow_unpaired == 0.42  # 5 of 12, rounded up


@pytest.mark.parametrize("predictions", ["none", "times", "plain"])
def test_a_frame_shift_that_no_file_says_is_to_be_decided_where_it_matters(tmp_path: Path, predictions: str) -> None:
    made.table(tmp_path / "gold.tsv", spoken(IPA))
    made.posteriors(tmp_path / "post.npz", HEARD, LABELS, shift=None)
    if predictions == "times":
        made.ctm(tmp_path / "hyp.ctm", HEARD)
    if predictions == "plain":
        made.table(tmp_path / "hyp.tsv", HEARD)
        (corpus,) = accepted(tmp_path).corpora.values()
        assert corpus.posteriors.frame_shift is None
        return
    starter = write_starter(tmp_path)
    assert "frame_shift" in "".join(starter.decisions)
    assert "# posteriors: {path: post.npz" in starter.path.read_text(encoding="utf-8")


@pytest.mark.parametrize("kind", ["log-probability", "logit"])
def test_the_scale_and_the_blank_follow_from_the_numbers(tmp_path: Path, kind: str) -> None:
    made.table(tmp_path / "gold.tsv", spoken(IPA))
    made.posteriors(tmp_path / "logits.npz", HEARD, LABELS, blank="<blank>", kind=kind)
    (corpus,) = accepted(tmp_path).corpora.values()
    assert (corpus.posteriors.scale, corpus.posteriors.blank) == (kind, "<blank>")


def test_a_folder_of_arrays_takes_its_labels_from_the_list_above(tmp_path: Path) -> None:
    made.table(tmp_path / "gold.tsv", spoken(IPA))
    made.posteriors(tmp_path / "one.npz", HEARD, [*LABELS, "pad"], blank="blank", kind="logit")
    with np.load(tmp_path / "one.npz") as arrays:
        (tmp_path / "logits").mkdir()
        for name in UTTERANCES:
            np.save(tmp_path / "logits" / f"{name}.npy", arrays[name])
    (tmp_path / "one.npz").unlink()
    write(tmp_path / "phones.txt", "\n".join([*LABELS, "pad", "blank"]) + "\n")
    text = write_starter(tmp_path).path.read_text(encoding="utf-8")
    line = "path: logits, symbols: arpabet, labels: phones.txt, scale: logit, blank: blank"
    assert line in text


def _text_grids(folder: Path) -> None:
    for side, rows in (("gold", GOLD), ("hyp", HEARD)):
        for name, phones in rows.items():
            made.text_grid(folder / side / f"{name}.TextGrid", {"words": ["hello there", "you"], "phones": phones})


def _text_grids_by_speaker(folder: Path) -> None:
    for side, rows in (("gold", GOLD), ("hyp", HEARD)):
        for name, phones in rows.items():
            made.text_grid(folder / side / name[:4] / f"{name}.TextGrid", {f"{name[:4]} - phones": phones})


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


def _languages(folder: Path) -> None:
    for language in ("english", "yoruba", "spanish"):
        made.table(folder / language / "gold.tsv", spoken(IPA))
        made.table(folder / language / "hyp.tsv", HEARD)
        write(
            folder / language / "text.tsv", "utterance\ttext\n" + "".join(f"{n}\tYes, we were.\n" for n in UTTERANCES)
        )


def _words_and_phones(folder: Path) -> None:
    """A stray list of phones, a dictionary and transcripts of words lie about."""
    made.table(folder / "a/gold.tsv", spoken(IPA))
    made.table(folder / "a/hyp.tsv", HEARD)
    write(folder / "phones.txt", "\n".join(LABELS) + "\n")
    write(folder / "lexicon.txt", "CAT k ae t\nDOG d ao g\n")
    for name in UTTERANCES:
        write(folder / "words" / f"{name}.lab", "this is what was said in the room\n")


def _words_of_ipa_in_one_table(folder: Path) -> None:
    gold, heard = spoken(["ɑ", "ŋ", "k", "i", "ɔ", "m"]), spoken(["ɑ", "ŋ", "k", "i", "ɔ", "m"], 4)
    rows = [f"{name},{''.join(gold[name])},{''.join(heard[name])}\n" for name in gold]
    write(folder / "all.csv", "id,human,asr\n" + "".join(rows))


@pytest.mark.parametrize(
    ("make", "names"),
    [
        (_words_of_ipa_in_one_table, {"data"}),
        (_text_grids, {"data"}),
        (_text_grids_by_speaker, {"data"}),
        (_labels_of_a_corpus, {"data"}),
        (_languages_within_sides, {"yor", "spa"}),
        (_languages, {"english", "yoruba", "spanish"}),
        (_words_and_phones, {"data"}),
    ],
)
def test_check_accepts_what_is_proposed(tmp_path: Path, make: Callable[[Path], None], names: set[str]) -> None:
    make(tmp_path / "data")
    experiment = accepted(tmp_path / "data")
    assert set(experiment.corpora) == names
    for corpus in load_corpora(experiment):
        assert len(corpus.gold) == len(UTTERANCES)
        assert corpus.corpus is not None
    english = {name for name in names if name in {"english", "eng"}}
    assert {name for name, corpus in experiment.corpora.items() if corpus.role == "reference"} == english


def test_annotated_mispronunciations_beside_predictions(tmp_path: Path) -> None:
    """Gold is what was perceived; a symbol that no set knows is to be decided, and the folder is a folder still."""
    for name, phones in GOLD.items():
        marked = [f"{phones[0].upper()},{phones[-1].upper()},s", "T,sil,d", "sil,K,a", *phones[3:]]
        made.text_grid(tmp_path / "annotation" / f"{name}.TextGrid", {"words": ["hello there"], "phones": marked})
        made.text_grid(tmp_path / "decoded" / f"{name}.TextGrid", {"phones": phones})
    (corpus,) = accepted(tmp_path).corpora.values()
    assert [path_of(tmp_path, file) for file in (corpus.gold, corpus.canonical, corpus.predicted)] == [
        "annotation",
        "annotation",
        "decoded",
    ]
    (first,) = GOLD[UTTERANCES[0]][-1:]
    (loaded,) = load_corpora(load_configuration(tmp_path / "experiment.yaml"))
    assert len(loaded.gold.phones_of(0)) == len(loaded.canonical.phones_of(0))
    made.text_grid(
        tmp_path / "annotation" / f"{UTTERANCES[0]}.TextGrid", {"words": [""], "phones": ["T,err,s", first, "K", "K"]}
    )
    (tmp_path / "experiment.yaml").unlink()
    starter, experiment = started(tmp_path)
    (decision,) = starter.decisions  # of gold alone: what should be said has no such symbol
    assert "1 symbol is not known to arpabet: err 1. Give their IPA in a table" in decision
    assert path_of(tmp_path, next(iter(experiment.corpora.values())).gold) == "annotation"


def test_of_two_columns_of_phones_the_one_whose_symbols_are_known_is_gold(tmp_path: Path) -> None:
    lines = [f"{n},{' '.join(GOLD[n])},{' '.join(f'x{p}q' for p in GOLD[n])},{' '.join(HEARD[n])}" for n in GOLD]
    write(tmp_path / "all.csv", "\n".join(["file,ipa,buckeye_transcript,prediction", *lines]) + "\n")
    (corpus,) = accepted(tmp_path).corpora.values()
    assert (corpus.gold.columns["phones"], corpus.predicted.columns["phones"]) == ("ipa", "prediction")


@pytest.mark.parametrize(
    ("path", "role", "key"),
    [
        ("yor_gold.tsv", "gold", ("yor",)),
        ("predicted/yor/text.txt", "predicted", ("yor",)),  # a clear word of a folder before the file's unclear one
        ("post_ewe.npz", "", ("ewe",)),
        ("text/segments-ewe.txt", "gold", ("ewe",)),
        ("gold_and_hyp.csv", "", ()),
        ("hyp-00000-of-00002.parquet", "predicted", ()),
    ],
)
def test_names_say_the_side_and_the_corpus(path: str, role: str, key: tuple[str, ...]) -> None:
    assert read_role(Path(path)) == (role, key)


def test_a_file_of_predictions_that_holds_none_is_named(tmp_path: Path) -> None:
    made.table(tmp_path / "gold.tsv", GOLD)
    write(tmp_path / "hyp.tsv", "no table at all\nx y z\n")
    starter = write_starter(tmp_path)
    assert any(note.startswith("not read as phones: hyp.tsv (the first line") for note in starter.notes)


def test_arrays_that_are_no_posteriors_do_not_hide_those_that_are(tmp_path: Path) -> None:
    made.table(tmp_path / "gold.tsv", spoken(IPA))
    made.posteriors(tmp_path / "post.npz", HEARD, LABELS)
    np.savez(tmp_path / "energies.npz", **{name: np.ones(5) for name in UTTERANCES})
    write(tmp_path / "broken.npz", "no archive")
    (corpus,) = accepted(tmp_path).corpora.values()
    assert corpus.posteriors is not None
    assert path_of(tmp_path, corpus.posteriors) == "post.npz"


@pytest.mark.parametrize("name", ["data-{:05}-of-00002.jsonl", "transcription.{}.jsonl"])
def test_several_files_of_one_table_are_one_corpus(tmp_path: Path, name: str) -> None:
    for part, ids in enumerate((UTTERANCES[::2], UTTERANCES[1::2])):
        about = {"target": "k a t", "prediction": "k a d"}
        rows = [{"path": f"clips/{each}.wav", "lang_sym": "yor", **about} for each in ids]
        rows += [{"path": f"clips/x{each}.wav", "lang_sym": "ewe", **about} for each in ids]
        write(tmp_path / "set" / name.format(part), "".join(json.dumps(row) + "\n" for row in rows))
    corpora = accepted(tmp_path).corpora
    assert [*corpora] == ["ewe", "yor"]
    corpus = corpora["yor"]
    assert corpus.gold.path == corpus.predicted.path == tmp_path / "set" / name.replace("{}", "*").replace("{:05}", "*")

"""The tables that other programs print of the same phones: PhoneticXeus and PRiSM, NIST's sclite, Kaldi's compute-wer.

PhoneticXeus and PRiSM read strings. Spaces and ASCII punctuation are removed, g becomes ɡ, and panphon cuts what is
left into its longest segments: letters that it does not know (ɚ ɝ ᵻ ʧ ʤ) are left out, and tone letters are phones. So
their numbers are of other phones than ours, which is said with counts. FED is the sum over utterances of panphon's
`feature_edit_distance`. PhoneticXeus calls FED / gold phones PFER, PRiSM calls it FER; PRiSM's PFER is the mean over
utterances of `hamming_feature_edit_distance`. Of equally few edits, both take, from the end of an utterance, a pair
before a deletion, and a deletion before an insertion.

PRiSM's table of inventories is of the strings as they are, without tokens that are silences. A phone of one inventory
is in the other to the degree to which it shares features with the nearest there, or, one to one, with its partner;
`cut off` leaves out the rarest predicted phones so that F1 is highest.

sclite aligns at 4 for a substitution and 3 for a gap, and here an insertion goes before a deletion; S.Err is the share
of utterances with an error. Kaldi aligns at 1 each, and takes gaps before pairs (`ties: kaldi`).

References
----------
Code of changelinglab/PhoneticXeus, changelinglab/prism (`src/metrics/phone_recognition.py`) and
changelinglab/phone-inventory-metric; NIST SCTK's sclite; Kaldi's `compute-wer`. Mortensen et al. (2016), PanPhon.
"""

import math
import string
import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from types import MappingProxyType
from typing import Any, Literal, NamedTuple

import numpy as np

from phonxling.alignment.confusions import count_operations
from phonxling.alignment.corpus import align_sequences, least_costs
from phonxling.analyses.loaded import features_of
from phonxling.configuration.files import Corpus as CorpusSettings, PhoneFile
from phonxling.configuration.models import Experiment
from phonxling.configuration.reading import experiment_of
from phonxling.core.arrays import Codes, Floats, divide
from phonxling.core.costs import cost_table
from phonxling.core.errors import ConfigurationError
from phonxling.core.features import FeatureTable
from phonxling.core.inventory import sorted_inventory
from phonxling.core.sequences import Corpus, PhoneSequences, Transcript, from_lists
from phonxling.core.spelling import TONE_LETTERS, is_modifier
from phonxling.experiment.corpora import InMemoryData, load_configured, normalise_side
from phonxling.phones.ipa import segment_as_panphon
from phonxling.phones.pairing import pair
from phonxling.phones.symbols import SILENCE

Program = Literal["phoneticxeus", "prism", "sclite", "kaldi"]
_IPA = frozenset({"ipa", "ipa-joined", "ipa-panphon"})  # symbol sets of which these programs read what is written
_LABELS = {  # of the programs of strings: what they call a number, and its decimal places
    "N": ("Utterances (N)", 0),
    "phones": ("Total Phones", 0),
    "PFER": ("PFER (%)", 2),
    "FER": ("FER (%)", 2),
    "FED": ("FED (total)", 2),
    **{name: (f"{name} (%)", 2) for name in ("PER", "SUB", "INS", "DEL")},
}
_SCLITE = ("Corr", "Sub", "Del", "Ins", "Err", "S.Err")
_ALL = "Sum/Avg"
_CLEANING = str.maketrans({**dict.fromkeys(f" {string.punctuation}"), "g": "ɡ"})
_SHOWN_ITEMS = 6  # letters that a note names
# PRiSM's rows of inventories: whether phones have one partner each, by shared features, at the best cut-off.
_INVENTORIES = (
    (False, False, False),
    (False, False, True),
    (False, True, False),
    (True, True, False),
    (False, True, True),
    (True, True, True),
)


class PrintedTable(NamedTuple):
    """A table as another program prints it, its numbers, and what differs from phones as we read them."""

    lines: list[str]
    numbers: Mapping[str, Any]
    notes: Sequence[str]


def print_like(
    program: Program,
    settings: Mapping[str, Any],
    *,
    options: Mapping[tuple[str, ...], str] = MappingProxyType({}),
    overrides: Sequence[str] = (),
) -> PrintedTable:
    """Return the table of the one corpus that settings describe, as another program would print it."""
    experiment = experiment_of(settings, "score", overrides=overrides, options=options)
    ((name, settings_of_corpus),) = experiment.corpora.items()
    if program in {"sclite", "kaldi"}:
        corpus = load_configured(name, settings_of_corpus, experiment).corpus
        if corpus is None:
            raise AssertionError("a score has predictions")
        return _print_kaldi(corpus) if program == "kaldi" else _print_sclite(corpus)
    strings, table = read_strings(settings_of_corpus, experiment), features_of(experiment)
    cut, notes = cut_strings(strings, table)
    numbers, lines = rates_of_strings(program, cut, table), list[str]()
    for key, number in numbers.items():
        label, places = ("PFER (avg per utt)", 4) if (program, key) == ("prism", "PFER") else _LABELS[key]
        lines.append(f"{label:<20}{number:.{places}f}")
    if program == "prism":
        numbers["inventory"] = rows = inventory_agreement(strings, table)
        lines += ["", f"{'one to one':<12}{'features':<10}{'cut off':<9}{'F1':>7}{'precision':>11}{'recall':>8}"]
        for row in rows:
            marks = ["x" * row[key] for key in ("exclusive", "featured", "cut_off")]
            scores = f"{row['f1']:>7.3f}{row['precision']:>11.3f}{row['recall']:>8.3f}"
            lines.append(f"{marks[0]:<12}{marks[1]:<10}{marks[2]:<9}{scores}")
    return PrintedTable(lines, numbers, [*strings.notes, *notes])


class Strings(NamedTuple):
    """What both sides of each utterance are, as one text each; `notes` are on how these were read and paired."""

    utterances: Sequence[str]
    gold: Sequence[str]
    predicted: Sequence[str]
    notes: Sequence[str] = ()


def read_strings(corpus: CorpusSettings, experiment: Experiment) -> Strings:
    """Return what is written of each utterance on both sides; of other sets than of IPA, their phones joined."""
    texts, places = list[list[str]](), list[PhoneSequences]()
    for side in ("gold", "predicted"):
        file: PhoneFile = getattr(corpus, side)
        transcript = InMemoryData().transcript(side, file)
        tokens: Transcript | PhoneSequences = transcript
        symbols: Sequence[str] = transcript.symbols
        if "raw" in file.symbol_names:
            raise ConfigurationError(f"{side}: raw symbols have no phonological features; give --symbols")
        if {*file.symbol_names} <= _IPA:  # these programs would read silences as letters
            symbols = ["" if symbol.lower() in SILENCE else symbol for symbol in symbols]
        else:
            tokens, _ = normalise_side(transcript, file, experiment, side)
            symbols = tokens.inventory.phones
        runs = np.split(tokens.codes, tokens.offsets[1:-1])
        texts.append([" ".join(symbols[code] for code in run.tolist()) for run in runs])
        numbers = from_lists([*transcript.utterances], [[str(n)] for n in range(len(transcript))])
        places.append(replace(numbers, source=transcript.source, notes=transcript.notes))
    # Each utterance stands for its number here, so that ids are paired as everywhere.
    both = pair(places[0], places[1], allow_unpaired=experiment.pairing.allow_unpaired)
    chosen = [[int(side.phones_of(u)[0]) for u in range(len(side))] for side in (both.gold, both.predicted)]
    gold, predicted = ([own[n] for n in numbers] for own, numbers in zip(texts, chosen, strict=True))
    return Strings(both.utterances, gold, predicted, both.notes)


def clean_text(text: str) -> str:
    """Return a text as PRiSM and PhoneticXeus clean it.

    >>> clean_text("t͡ʃ: g/a")
    't͡ʃɡa'
    """
    return unicodedata.normalize("NFD", text).translate(_CLEANING).strip()


def panphon_segments(text: str, table: FeatureTable) -> tuple[list[str], Counter[str]]:
    """Return the longest segments of a text that panphon's table has, NFD, and the letters that it leaves out.

    >>> from phonxling.load.resources import panphon_features
    >>> panphon_segments("kpʧa˥", panphon_features())
    (['k', 'p', 'a', '˥'], Counter({'ʧ': 1}))
    """
    known, cut = _known_to(table), segment_as_panphon(text, table)
    return [each for each in cut if each in known], Counter(each for each in cut if each not in known)


@lru_cache(maxsize=2)
def _known_to(table: FeatureTable) -> frozenset[str]:
    return frozenset(unicodedata.normalize("NFD", segment) for segment in table.segments)


def cut_strings(strings: Strings, table: FeatureTable) -> tuple[Corpus, list[str]]:
    """Return both sides, cleaned and cut as panphon does, and notes on what was left out or is no phone of ours."""
    left_out, rows, notes = Counter[str](), list[list[list[str]]](), list[str]()
    for side in (strings.gold, strings.predicted):
        cut = {text: panphon_segments(clean_text(text), table) for text in dict.fromkeys(side)}
        rows.append([cut[text][0] for text in side])
        for text, number in Counter(side).items():
            left_out.update({letter: number * count for letter, count in cut[text][1].items()})
    phones = [phone for side in rows for row in side for phone in row]
    if left_out:
        named = " ".join(f"{letter} {number:,}" for letter, number in left_out.most_common(_SHOWN_ITEMS))
        more, letters = " …" * (len(left_out) > _SHOWN_ITEMS), f"{left_out.total():,} letters"
        notes.append(f"panphon does not know {letters} and leaves them out ({named}{more}): no rate of all phones")
    if tones := sum(phone[:1] in TONE_LETTERS for phone in phones):
        notes.append(f"{tones:,} tone letters count as phones")
    gold, predicted = (from_lists([*strings.utterances], side, sorted_inventory(phones)) for side in rows)
    return Corpus(gold=gold, predicted=predicted), notes


def rates_of_strings(program: Program, corpus: Corpus, features: FeatureTable) -> dict[str, Any]:
    """Return the numbers of PhoneticXeus' or PRiSM's table by name."""
    gold, predicted, phones = corpus.gold, corpus.predicted, float(corpus.gold.lengths.sum())

    def distance(name: str) -> Floats:
        costs = cost_table(name, corpus.gold_inventory, corpus.predicted_inventory, features)
        return least_costs(gold, predicted, costs)

    # Our tie rule takes an insertion before a deletion, theirs a deletion before an insertion: with the sides
    # exchanged, ours is theirs, and what we call a deletion is their insertion.
    swapped = cost_table("unit", corpus.predicted_inventory, corpus.gold_inventory, None)
    operations = count_operations(align_sequences(predicted, gold, swapped))
    _, substituted, inserted, deleted = operations.sum(axis=0).tolist()
    edits = distance("panphon-edit").sum()
    rate = 100 / phones if phones else 0.0
    of_edits = {"PFER": edits * rate}
    if program == "prism":
        # One name, two numbers: PRiSM's PFER is a mean over utterances, PhoneticXeus' is per gold phone.
        of_edits = {"PFER": distance("panphon-hamming").sum() / max(len(gold), 1), "FER": edits * rate}
    errors = {"PER": substituted + inserted + deleted, "SUB": substituted, "INS": inserted, "DEL": deleted}
    counted = {"N": len(gold), "phones": phones, **of_edits, "FED": edits}
    return {**counted, **{name: number * rate for name, number in errors.items()}}


def inventory_agreement(strings: Strings, table: FeatureTable) -> list[dict[str, Any]]:
    """Return PRiSM's rows of inventories: of phones alike, of shared features, one to one, and at the best cut-off."""
    gold, predicted = (_list_phones(side, table) for side in (strings.gold, strings.predicted))
    vectors = [_vectors(side, table) for side in (gold, predicted)]
    rows = []
    for exclusive, featured, cut_off in _INVENTORIES:
        size = len(vectors[1]) if featured else len(predicted)
        scores = []
        for n in (range(1, size + 1) if cut_off else [size]) if size and gold else ():
            if featured:
                scores.append(_of_features(vectors[0], vectors[1][:n], exclusive=exclusive))
            else:
                both = len({*gold} & {*predicted[:n]})
                scores.append(_harmonic_mean(both / n, both / len(gold)))
        f1, precision, recall = max(scores, default=_NOTHING)
        row = {"exclusive": exclusive or not featured, "featured": featured, "cut_off": cut_off}
        rows.append({**row, "f1": f1, "precision": precision, "recall": recall})
    return rows


_Score = tuple[float, float, float]
_NOTHING: _Score = (math.nan, math.nan, math.nan)


def _list_phones(texts: Sequence[str], table: FeatureTable) -> list[str]:
    """Return the phones of texts, the most frequent first; tones are none."""
    segments = Counter(segment for text in texts for segment in panphon_segments(text, table)[0])
    parts = Counter[str]()
    for segment, _ in segments.most_common():
        toneless = "".join(letter for letter in segment if letter not in TONE_LETTERS)
        # As phone-inventory-metric has it: a modifier before its letter, as in ʰp, is a phone of its own.
        before = len(toneless) > 1 and is_modifier(toneless[0])
        parts.update(filter(None, (toneless[0], toneless[1:]) if before else (toneless,)))
    return [part for part, _ in parts.most_common()]


def _vectors(phones: Sequence[str], table: FeatureTable) -> Codes:
    """Return the features of phones, [P, F], as panphon cuts all of them written together."""
    cut, _ = panphon_segments("".join(phones), table)
    return np.array([table.vector(unicodedata.normalize("NFC", one))[0] for one in cut]).reshape(len(cut), -1)


def _of_features(gold: Codes, predicted: Codes, *, exclusive: bool) -> _Score:
    alike = (gold[:, None] == predicted).mean(axis=-1)
    if exclusive:
        from scipy.optimize import linear_sum_assignment

        partners = linear_sum_assignment(alike, maximize=True)
        matched = np.zeros_like(alike)
        matched[partners] = alike[partners]
        alike = matched
    return _harmonic_mean(float(alike.max(axis=0).mean()), float(alike.max(axis=1).mean()))


def _harmonic_mean(precision: float, recall: float) -> _Score:
    return (2 / (1 / precision + 1 / recall), precision, recall) if precision and recall else _NOTHING


def _print_sclite(corpus: Corpus) -> PrintedTable:
    """Return sclite's table: speakers, all, and mean, standard deviation and median over speakers."""
    # https://github.com/usnistgov/SCTK, doc/sclite.htm: a substitution costs 4, an insertion or deletion 3.
    costs = cost_table("sclite", corpus.gold_inventory, corpus.predicted_inventory, None)
    operations = count_operations(align_sequences(corpus.gold, corpus.predicted, costs)).astype(np.float64)
    wrong = operations[:, 1:].sum(axis=1)
    sentences = np.stack([np.ones(len(wrong)), corpus.gold.lengths, *operations.T, wrong, wrong > 0], axis=1)
    speakers = np.array(corpus.speakers or (), dtype=object)
    sums = {str(one): sentences[speakers == one].sum(axis=0) for one in dict.fromkeys(speakers)}
    shown: dict[str, list[float]] = {}
    for name, (number, words, *counts, failed) in {**sums, _ALL: sentences.sum(axis=0)}.items():
        rates = [*(100 * divide(np.array(counts), words)).tolist(), 100 * failed / max(number, 1)]
        shown[name] = [number, words, *rates]
    numbers = {name: dict(zip(("# Snt", "# Wrd", *_SCLITE), row, strict=True)) for name, row in shown.items()}
    if len(by_speaker := np.array([row for name, row in shown.items() if name != _ALL])) > 1:
        # sclite's deviation is that of a sample, over n − 1 speakers.
        shown["Mean"], shown["S.D."] = by_speaker.mean(axis=0).tolist(), by_speaker.std(axis=0, ddof=1).tolist()
        shown["Median"] = np.median(by_speaker, axis=0).tolist()
    wide = max(6, *map(len, numbers))
    lines = [f"| {'SPKR':<{wide}} | # Snt  # Wrd | " + " ".join(f"{name:>6}" for name in _SCLITE) + " |"]
    for name, (number, words, *rates) in shown.items():
        places = int(name in ("Mean", "S.D.", "Median"))
        counts = f"{number:>5.{places}f} {words:>6.{places}f}"
        lines.append(f"| {name:<{wide}} | {counts} | " + " ".join(f"{rate:>6.1f}" for rate in rates) + " |")
    return PrintedTable(lines, numbers, corpus.notes)


def _print_kaldi(corpus: Corpus) -> PrintedTable:
    """Return the counts of Kaldi's compute-wer, and what it makes of them in percent."""
    # https://github.com/kaldi-asr/kaldi, src/util/edit-distance-inl.h: of equal costs it takes gaps before pairs.
    costs = cost_table("unit", corpus.gold_inventory, corpus.predicted_inventory, None, ties="kaldi")
    operations = count_operations(align_sequences(corpus.gold, corpus.predicted, costs))
    _, substituted, deleted, inserted = operations.sum(axis=0).tolist()
    errors, words = substituted + deleted + inserted, int(corpus.gold.lengths.sum())
    failed, sentences = int((operations[:, 1:].sum(axis=1) > 0).sum()), len(operations)
    wer, ser = 100 * errors / words if words else 0.0, 100 * failed / max(sentences, 1)
    lines = [
        f"%WER {wer:.2f} [ {errors} / {words}, {inserted} ins, {deleted} del, {substituted} sub ]",
        f"%SER {ser:.2f} [ {failed} / {sentences} ]",
        f"Scored {sentences} sentences, 0 not present in hyp.",
    ]
    counts = {"errors": errors, "words": words, "ins": inserted, "del": deleted, "sub": substituted}
    numbers = {"WER": wer, "SER": ser, **counts, "wrong": failed, "sentences": sentences}
    return PrintedTable(lines, numbers, corpus.notes)

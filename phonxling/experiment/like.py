"""The tables that other programs print of the same phones: PhoneticXeus, PRiSM, and NIST's sclite.

PhoneticXeus and PRiSM take their distances from panphon, each aligned for itself. FED is the sum over utterances of
`feature_edit_distance`. PhoneticXeus calls FED / gold phones PFER, PRiSM calls it FER; PRiSM's PFER is the mean over
utterances of `hamming_feature_edit_distance`. PER is the least number of edits; of equally few, both take, from the end
of an utterance, a pair before a deletion, and a deletion before an insertion. sclite aligns at 4 for a substitution and
3 for a gap, and here an insertion goes before a deletion; S.Err is the share of utterances with an error.

References
----------
Code of changelinglab/PhoneticXeus and changelinglab/prism (`src/metrics/phone_recognition.py`); NIST SCTK's sclite.
"""

from collections.abc import Iterator, Mapping
from typing import Literal

import numpy as np

from phonxling.alignment.corpus import align_sequences, least_costs
from phonxling.alignment.costs import cost_table
from phonxling.core.arrays import Floats, divided
from phonxling.core.corpus import Corpus
from phonxling.core.features import FeatureTable
from phonxling.count.confusions import count_operations

Program = Literal["phoneticxeus", "prism", "sclite"]
_LABELS = {  # of the two programs: what they call a number, and its decimal places
    "N": ("Utterances (N)", 0),
    "phones": ("Total Phones", 0),
    "PFER": ("PFER (%)", 2),
    "FER": ("FER (%)", 2),
    "FED": ("FED (total)", 2),
    **{name: (f"{name} (%)", 2) for name in ("PER", "SUB", "INS", "DEL")},
}
_SCLITE = ("Corr", "Sub", "Del", "Ins", "Err", "S.Err")
_SUMMED = "Sum/Avg"


def numbers_like(program: Program, corpus: Corpus, features: FeatureTable) -> Mapping[str, Mapping[str, float]]:
    """Return the numbers of a program's table by name, a row each: of sclite one a speaker, then of all."""
    if program == "sclite":
        return _sclite(corpus)
    gold, predicted, phones = corpus.gold, corpus.predicted, float(corpus.gold.lengths.sum())

    def distance(name: str) -> Floats:
        costs = cost_table(name, corpus.gold_inventory, corpus.predicted_inventory, features)
        return least_costs(gold, predicted, costs)

    swapped = align_sequences(
        predicted, gold, cost_table("unit", corpus.predicted_inventory, corpus.gold_inventory, None)
    )
    _, substituted, inserted, deleted = count_operations(swapped).sum(axis=0).tolist()
    edits = distance("panphon-edit").sum()
    rate = 100 / phones if phones else 0.0
    of_edits = {"PFER": edits * rate}
    if program == "prism":
        of_edits = {"PFER": distance("panphon-hamming").sum() / max(len(gold), 1), "FER": edits * rate}
    errors = {"PER": substituted + inserted + deleted, "SUB": substituted, "INS": inserted, "DEL": deleted}
    counted = {"N": len(gold), "phones": phones, **of_edits, "FED": edits}
    return {_SUMMED: {**counted, **{name: number * rate for name, number in errors.items()}}}


def _sclite(corpus: Corpus) -> Mapping[str, Mapping[str, float]]:
    costs = cost_table("sclite", corpus.gold_inventory, corpus.predicted_inventory, None)
    operations = count_operations(align_sequences(corpus.gold, corpus.predicted, costs)).astype(np.float64)
    wrong = operations[:, 1:].sum(axis=1)
    sentences = np.stack([np.ones(len(wrong)), corpus.gold.lengths, *operations.T, wrong, wrong > 0], axis=1)
    speakers = np.array(corpus.speakers or (), dtype=object)
    rows = {str(one): sentences[speakers == one].sum(axis=0) for one in dict.fromkeys(speakers)}
    rows[_SUMMED] = sentences.sum(axis=0)
    named: dict[str, Mapping[str, float]] = {}
    for name, (number, words, *counts, failed) in rows.items():
        rates = [*(100 * divided(np.array(counts), words)).tolist(), 100 * failed / max(number, 1)]
        named[name] = {"# Snt": number, "# Wrd": words, **dict(zip(_SCLITE, rates, strict=True))}
    return named


def lines_like(program: Program, numbers: Mapping[str, Mapping[str, float]]) -> Iterator[str]:
    """Yield a program's table, with its names and as many decimal places."""
    if program != "sclite":
        for name, number in numbers[_SUMMED].items():
            averaged = (program, name) == ("prism", "PFER")
            label, places = ("PFER (avg per utt)", 4) if averaged else _LABELS[name]
            yield f"{label:<20}{number:.{places}f}"
        return
    wide = max(6, *map(len, numbers))
    yield f"| {'SPKR':<{wide}} | # Snt  # Wrd | " + " ".join(f"{name:>6}" for name in _SCLITE) + " |"
    shown = {name: list(row.values()) for name, row in numbers.items()}
    if len(by_speaker := np.array([row for name, row in shown.items() if name != _SUMMED])) > 1:
        shown["Mean"], shown["S.D."] = by_speaker.mean(axis=0).tolist(), by_speaker.std(axis=0, ddof=1).tolist()
        shown["Median"] = np.median(by_speaker, axis=0).tolist()
    for name, (sentences, words, *rates) in shown.items():
        places = int(name in ("Mean", "S.D.", "Median"))
        counts = f"{sentences:>5.{places}f} {words:>6.{places}f}"
        yield f"| {name:<{wide}} | {counts} | " + " ".join(f"{rate:>6.1f}" for rate in rates) + " |"

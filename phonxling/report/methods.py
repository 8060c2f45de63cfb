"""The paragraph on methods: each sentence from the settings and signatures of the results, and only of what was done.

Citations are written [@key], as pandoc has them. A sentence that would hold for some of the corpora only is left out.
"""

import re
from collections.abc import Iterator, Mapping
from importlib.resources import files
from typing import Any

import pandas as pd

from phonxling.report.rounding import prose

_SUBSTITUTION = {
    "panphon": "a substitution costs half the mean absolute difference of both phones’ features{features}",
    "panphon-weighted": "a substitution costs half the weighted mean absolute difference of both phones’ features"
    "{features}",
    "panphon-weighted-0.22.2": "a substitution costs the weighted sum of the differences of both phones’ "
    "features{features}, as PanPhon 0.22.2 computes it",
    "panphon-hamming": "a substitution costs the share of features{features} in which both phones differ",
    "unit": "a substitution costs 1",
    "sclite": "a substitution costs 4, as in NIST’s sclite",
    "learned": "costs were learned from the aligned phones themselves, cross-fitted, as (1 − NPMI) / 2, as in the "
    "alignment by pointwise mutual information [@wieling-etal-2009]",
}
_TIES = {
    "identical": "; of equally good alignments the one with the most identical phones was taken",
    "nist": "; of equally good alignments that of NIST’s sclite was taken",
}
_RULES = {
    ("silence", "drop"): "silences were left out",
    ("silence", "keep"): "silences count as a phone",
    ("closures", "merge"): "closures were merged with their releases",
    ("closures", "alone"): "closures are phones of their own",
    ("diphthongs", "keep"): "a diphthong is one phone",
    ("diphthongs", "split"): "a diphthong is two phones",
    ("tone", "attach"): "tones belong to the phones that bear them",
    ("tone", "strip"): "tones were left out",
}
_CHANCE = {
    "constant": "always one phone (the one that scores best)",
    "uniform": "phones drawn alike from the inventory",
    "unigram": "phones drawn with the frequencies of the predictions",
    "bigram": "phones drawn with the bigrams of the predictions",
    "shuffled": "the predictions of other utterances",
}
_CORRECTIONS = {
    "benjamini-hochberg": "Benjamini and Hochberg’s [@benjamini-hochberg-1995]",
    "benjamini-yekutieli": "Benjamini and Yekutieli’s [@benjamini-yekutieli-2001]",
}
_COMMON = {"exact": "", "features": " or that the other language has nearly, by features"}
_TABLE = ", as a table of our own says"
_LIMITS = {
    "auto": ", with limits by Student’s t and the larger of the bootstrap’s and, where it was computed, the "
    "jackknife’s standard error",
    "percentile": ", with percentile limits",
    "basic": ", with basic limits",
    "bca": ", with bias-corrected and accelerated limits [@efron-1987] where they can be computed",
}
_MAPS = {
    "umap": "UMAP [@umap] of {n_neighbors} neighbours",
    "pca": "principal components",
    "mds": "multidimensional scaling",
}
_DISTANCES = {
    "hellinger": "Hellinger’s distance",
    "tempered": "Hellinger’s distance of their renormalised square roots",
    "aitchison": "Aitchison’s distance",
}


def methods(manifest: Mapping[str, Any], numbers: pd.DataFrame, signatures: Mapping[str, str]) -> Iterator[str]:
    """Yield the sentences on how the numbers of a result came about."""
    settings, shared = manifest["configuration"], _shared(signatures)
    done = set(numbers.loc[numbers["value"].notna(), "measure"])
    yield f"Phones were compared with phonxling {manifest['phonxling']} [@phonxling], with the seed {settings['seed']}."
    yield from _symbols(shared)
    yield from _alignment(manifest, shared)
    yield from _rates(settings, done)
    yield from _uncertainty(settings, shared, done)
    yield from _reference(settings, done)
    yield from _posteriors(settings, done)
    yield "The versions of all libraries and the checksums of all inputs are in the manifest of the results."


def _shared(signatures: Mapping[str, str]) -> dict[str, str]:
    """Return the parts of the corpora's signatures that all of them have alike."""
    parts = [dict(part.split(":", 1) for part in line.split("|") if ":" in part) for line in signatures.values()]
    return {key: value for key, value in parts[0].items() if all(other.get(key) == value for other in parts)}


def _symbols(shared: Mapping[str, str]) -> Iterator[str]:
    gold, _, predicted = shared.get("sym", "").partition(",")
    if gold and predicted:
        yield f"Gold symbols were read as {gold}, those of the recogniser as {predicted}."
    rules = [text for (rule, value), text in _RULES.items() if shared.get(rule) == value]
    if rules and "raw" not in (gold, predicted):
        yield f"{_listed([rules[0][0].upper() + rules[0][1:], *rules[1:]])}."
    if shared.get("predicted"):
        yield "Predicted phones were decoded from the posteriors."


def _alignment(manifest: Mapping[str, Any], shared: Mapping[str, str]) -> Iterator[str]:
    costs, settings = shared.get("costs", ""), manifest["configuration"]
    if shared.get("align") == "posterior":
        yield "Confusions are what the posteriors say of the gold phones at the times found for them."
    if not costs:
        return
    features = f" in {_feature_table(manifest)}"
    sentence = _cost_of(costs, features)
    gaps = [shared.get("ins", ""), shared.get("del", "")]
    if costs != "learned" and all(gap.replace(".", "").isdigit() for gap in gaps):
        sentence += f", an insertion {gaps[0]} and a deletion {gaps[1]}"
    ties = _TIES.get(shared.get("ties", ""), "") if shared.get("align") == "viterbi" else ""
    yield f"Gold and predicted phones were aligned at the least total cost: {sentence}{ties}."
    tau = settings["alignment"]["temperature"] or 0
    if shared.get("align") == "expected":
        weights = f"weighted by exp(−cost / {tau:g})" if tau else "that cost the least, all alike"
        yield f"Counts are averages over the alignments {weights}."
    if "score" in shared:
        weighing = _cost_of(shared["score"].split("/")[0], features)
        yield f"Once they are aligned, errors are weighted by other costs: {weighing}."


def _cost_of(costs: str, features: str) -> str:
    return _SUBSTITUTION.get(costs, "substitutions cost what a table of our own says").format(features=features)


def _feature_table(manifest: Mapping[str, Any]) -> str:
    own, base = manifest["configuration"]["features"]["path"], manifest["configuration"]["features"]["base"]
    if own and base == "none":
        return "a feature table of our own"
    panphon = f"PanPhon {manifest['libraries']['panphon']} [@panphon]"
    return f"{panphon}, changed by a table of our own" if own else panphon


def _rates(settings: Mapping[str, Any], done: set[str]) -> Iterator[str]:
    if "per" in done:
        weighted = "; the weighted rate (wPER) is the cost of all errors over the same number" if "wper" in done else ""
        yield f"The phone error rate (PER) is the least number of edits over the number of gold phones{weighted}."
    if not done & {"chance_per", "chance_wper"}:
        return
    models = _listed([_CHANCE[model] for model in settings["chance"]["models"]])
    lowest = "; the chance level is the lowest of these" if len(settings["chance"]["models"]) > 1 else ""
    yield (
        f"Rates are set beside those of predictions without information, aligned anew: {models} "
        f"({settings['chance']['replicates']} replicates where there is chance in it){lowest}."
    )
    yield "Skill is 1 − rate / chance level: 0 at chance, 1 when perfect."
    if done & {"floor_per", "floor_wper"}:
        yield (
            "The floor is the least that any recogniser with the same inventory could score, and attainable skill is "
            "(chance level − rate) / (chance level − floor)."
        )


def _uncertainty(settings: Mapping[str, Any], shared: Mapping[str, str], done: set[str]) -> Iterator[str]:
    chosen, cluster = settings["uncertainty"], shared.get("cluster", "cluster")
    clusters = {"speaker": "speakers", "utterance": "utterances"}.get(
        cluster, "speakers, or utterances where they are not known"
    )
    if not chosen["resamples"]:
        yield "There was no bootstrap, and so there are no intervals of rates."
    else:
        resamples = f"{chosen['resamples']:,} bootstrap resamples of {clusters} [@bisani-ney-2004]"
        yield f"Intervals at {100 * chosen['level']:g} % come from {resamples}{_LIMITS[chosen['method']]}."
    if "conditional_entropy" in done:
        gaps = {"exclude": "are left out", "include": "count as confusions with no phone"}[settings["entropy"]["gaps"]]
        yield (
            f"Entropies and information are in bits and corrected for the bias of small samples by the jackknife over "
            f"{clusters}; insertions and deletions {gaps}."
        )


def _reference(settings: Mapping[str, Any], done: set[str]) -> Iterator[str]:
    reference = next((name for name, about in settings["corpora"].items() if about["role"] == "reference"), "")
    if "expected_js" not in done:
        return
    common = _COMMON.get(settings["expected"]["common"], _TABLE)
    yield (
        f"The confusions to be expected from {reference} are its P(predicted | gold) times the frequencies of the "
        f"other language’s phones, over the phones that both have{common}; the observed ones are compared with them "
        "by the Jensen–Shannon divergence [@lin-1991]."
    )
    if "expected_level_p" in done:
        yield (
            "Whether there are more errors is tested by the Mantel–Haenszel difference of error rates over common "
            "phones and Student’s t over speakers, whether they are of other kinds by random signs of speakers; what "
            "the aligner makes of one channel in both languages is subtracted. q of single confusions is "
            f"{_CORRECTIONS[settings['expected']['correction']]}."
        )


def _posteriors(settings: Mapping[str, Any], done: set[str]) -> Iterator[str]:
    if "posterior_mutual_information" in done:
        unit, permutations = settings["information"]["unit"], settings["information"]["permutations"]
        tested = f", and tested by {permutations:,} permutations" if "posterior_mutual_information_p" in done else ""
        yield (
            f"From the posteriors of each {unit}, the mutual information of gold phones with a phone drawn from them, "
            f"and with the most probable one, was computed{tested}."
        )
    if "forced_certainty" in done:
        yield "Times of gold phones were found from the posteriors by forced alignment."
    if "trustworthiness" in done:
        chosen = settings["embedding"]
        drawn = _MAPS[chosen["method"]].format(n_neighbors=chosen["n_neighbors"])
        yield f"The map of phones shows their mean posteriors by {drawn}, at {_DISTANCES[chosen['metric']]}."
    if "nce" in done:
        yield (
            "Confidences are judged by NIST’s normalised cross-entropy, by the Brier score, and by the expected "
            f"calibration error over {settings['confidence']['bins']} bins."
        )


def _listed(parts: list[str]) -> str:
    """Return parts as a sentence lists them."""
    return ", ".join(parts[:-1]) + f" and {parts[-1]}" if len(parts) > 1 else "".join(parts)


# Citations, written [@key] as pandoc has them, and their entries for BibTeX, from references.bib.

_CITATION = re.compile(r" ?\[@([\w-]+)\]")


def cited(text: str) -> str:
    r"""Return a text in LaTeX, its citations as \cite."""
    parts = _CITATION.split(text)
    return "".join(f"~\\cite{{{part}}}" if place % 2 else prose(part) for place, part in enumerate(parts))


def bibliography(text: str, version: str) -> str:
    """Return the entries of what a text cites, the version of this program filled in."""
    stored = files("phonxling.report").joinpath("references.bib").read_text(encoding="utf-8")
    entries = {re.split(r"[{,]", entry)[1]: entry.strip() for entry in stored.split("\n\n") if entry.strip()}
    chosen = [entries[key] for key in dict.fromkeys(_CITATION.findall(text))]
    return "\n\n".join(chosen).replace("VERSION", version) + "\n"

"""One corpus analysed: costs, alignments, counts, chance levels. What the tables and the summary are made of."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from phonxling.alignment.corpus import least_costs
from phonxling.alignment.costs import cost_table
from phonxling.analyses.chance import heard_right
from phonxling.analyses.chance_levels import ChanceLevel, ChanceSettings, chance_levels, two_chance_levels
from phonxling.analyses.costs import Costs, Learning, alignment_costs, scores_as_aligned, scoring_costs
from phonxling.analyses.entropy import STATISTICS as INFORMATION
from phonxling.analyses.fitting import Aligner, Fitted, fit, fit_note, halving, learn_from, scored_cost, whole_halves
from phonxling.analyses.forced_corpus import ForcedCorpus
from phonxling.analyses.forced_counts import NOT_REDRAWN, WITHOUT_INSERTIONS, ForcedCounts, forced_counts
from phonxling.analyses.statistic import CountSettings, Statistic, draws, values
from phonxling.analyses.statistics import STATISTICS
from phonxling.core.alignment import Aligned, Alignments
from phonxling.core.arrays import Codes, Floats
from phonxling.core.confusion import ConfusionMatrix, ConfusionStack
from phonxling.core.corpus import Corpus
from phonxling.core.costs import CostTable, LearnedCosts
from phonxling.core.estimate import joined
from phonxling.core.sequences import PhoneSequences, contents_of, numbered_speakers
from phonxling.core.work import SERIAL, Work
from phonxling.count.confusions import count_confusions, count_operations, stack_confusions
from phonxling.resample.jackknife import ClusterCells, cluster_cells
from phonxling.resample.replicates import Halving
from phonxling.resample.weights import Resampling, resampling
from phonxling.settings.models import Experiment

# The bootstrap weights of a corpus, and of its utterances that have posteriors, in the order of their segments.


def corpus_resampling(
    gold: PhoneSequences, speakers: Sequence[str] | None, numbers: Codes | None, experiment: Experiment
) -> Resampling:
    """Return weights over speakers, of which each utterance has one by name and by number, or over utterances."""
    settings = experiment.uncertainty
    by_speaker = settings.cluster == "speaker" and speakers is not None
    return resampling(
        len(gold),
        numbers if by_speaker else None,
        resamples=settings.resamples,
        level=settings.level,
        seed=experiment.seed,
        method=settings.method,
        tokens=gold.lengths.astype(np.float64),
        names=speakers if by_speaker else gold.utterances,
        speakers_unknown=settings.cluster == "speaker" and speakers is None,
    )


def token_resampling(segments: PhoneSequences, analysis: "AnalysedCorpus | None", experiment: Experiment) -> Resampling:
    """Return the weights of these utterances: those of the corpus' analysis where it has them all, else their own."""
    if analysis is not None:
        places = {utterance: place for place, utterance in enumerate(analysis.corpus.utterances)}
        if all(utterance in places for utterance in segments.utterances):
            chosen = np.array([places[utterance] for utterance in segments.utterances], dtype=np.int64)
            return analysis.resampling.at(chosen)
    speakers = segments.speakers
    numbers = None if speakers is None else numbered_speakers(speakers, contents_of(segments).tolist())
    return corpus_resampling(segments, speakers, numbers, experiment)


@dataclass(frozen=True, eq=False, kw_only=True)
class AnalysedCorpus:
    """Everything that was computed from the alignments of one corpus."""

    corpus: Corpus
    costs: CostTable
    scoring: CostTable
    fitted: Fitted
    weighed: Fitted
    learned: Mapping[str, LearnedCosts] = field(default_factory=dict)
    note: str = ""
    aligned: Aligned
    path: Alignments
    by_costs: Alignments
    unit_cost: Floats
    chance: list[ChanceLevel]
    unit_chance: list[ChanceLevel]
    errors: list[ChanceLevel] = field(default_factory=list)
    resampling: Resampling
    counting: CountSettings | None = None
    measured: tuple[Statistic, ...] = STATISTICS

    @cached_property
    def matrix(self) -> ConfusionMatrix:
        """Confusion counts of the alignment in use."""
        return count_confusions(self.aligned)

    @cached_property
    def stack(self) -> ConfusionStack:
        """The same counts by utterance, for resampling."""
        return stack_confusions(self.aligned)

    @cached_property
    def clusters(self) -> ClusterCells:
        """The counts of what is resampled, speakers or utterances, with ∅ if entropies have it."""
        return cluster_cells(self.stack, self.resampling, gaps=self.counting is not None and self.counting.gaps)

    @cached_property
    def statistics(self) -> Mapping[str, float]:
        """The statistics of the confusions by key; none without settings."""
        return values(self.measured, self.stack, self.counting, self.clusters) if self.counting else {}

    @cached_property
    def drawn(self) -> Mapping[str, Floats]:
        """The statistics of the bootstrap replicates of the confusions by key, [R] each."""
        return draws(self.measured, self.stack, self.resampling, self._counted)

    @property
    def _counted(self) -> CountSettings:
        if self.counting is None:
            raise AssertionError("nothing is measured of these confusions")
        return self.counting

    @cached_property
    def operations(self) -> NDArray[np.int64] | Floats:
        """Each utterance's correct, substituted, deleted, inserted phones in the alignment in use, [U, 4]."""
        return count_operations(self.aligned)

    @cached_property
    def cost(self) -> Floats:
        """Each utterance's cost under the scoring costs, [U]."""
        return scored_cost(self.aligned, self.fitted, self.weighed)

    @cached_property
    def cell_costs(self) -> Floats:
        """What a pair of phones costs, [G + 1, P + 1], ∅ last: of learned costs the mean over the pair's tokens."""
        if len(self.weighed.tables) == 1:
            return self.scoring.with_gaps()
        counts = self.matrix.counts
        mean = self.weighed.total(self.aligned) / np.where(counts > 0, counts, 1)
        return np.where(counts > 0, mean, self.scoring.with_gaps())

    @property
    def path_note(self) -> str:
        """What is to be said beside numbers of the one path where the alignment in use is an average of many."""
        return "" if self.path is self.aligned else "of one best alignment"

    @property
    def gold_tokens(self) -> Floats:
        """Each utterance's gold phones, [U]."""
        return self.corpus.gold.lengths.astype(np.float64)


def analyse(
    name: str,
    corpus: Corpus,
    experiment: Experiment,
    work: Work = SERIAL,
    forced: ForcedCorpus | None = None,
    *,
    quick: bool = False,
) -> AnalysedCorpus:
    """Return the analysis of one corpus under the experiment's settings; `forced` is what its posteriors say."""
    costs, scoring = _costs(corpus, experiment)
    unit = cost_table("unit", corpus.gold_inventory, corpus.predicted_inventory, None)
    learns = isinstance(costs, Learning) or isinstance(scoring, Learning)
    half, dealt = _halves(corpus, experiment, learns=learns)
    fitted = fit(costs, corpus.gold, corpus.predicted, half, work)
    weighed = fitted if scoring is costs else fit(scoring, corpus.gold, corpus.predicted, half, work)
    learned = dict(_learned(corpus, costs, scoring, work))
    by_costs, temperature = fitted.path(corpus.gold, corpus.predicted, work), experiment.alignment.averaged_at
    from_posteriors = _forced_counts(name, corpus, experiment, forced)
    path = from_posteriors.aligned(fitted) if from_posteriors else by_costs
    averaged = None if temperature is None else Aligner(temperature, work)
    weights = corpus_resampling(corpus.gold, corpus.speakers, corpus.speaker_numbers, experiment)
    near = scoring if isinstance(scoring, CostTable) and scoring.as_rate else None
    drawn = dealt if dealt and len(dealt.order) == weights.number else None  # one speaker is halved by utterances
    counting = CountSettings(half, experiment.entropy.gaps == "include", near, drawn)
    chance = ChanceSettings(
        experiment.chance.models, experiment.chance.replicates, experiment.seed, half=half, resampling=weights
    )
    measured = replace(chance, temperature=temperature, counting=None if quick else counting)
    wrong = replace(measured, models=() if quick else ("errors",), right=heard_right(path))
    if from_posteriors is None:
        levels = two_chance_levels(corpus, measured, costs=costs, scoring=scoring, unit=unit, work=work)
    else:
        own = from_posteriors.levels(measured, fitted, weighed)
        levels = own, chance_levels(corpus, chance, costs=unit, work=work)
    return AnalysedCorpus(
        corpus=corpus,
        costs=_whole(costs, learned, "alignment"),
        scoring=_whole(scoring, learned, "alignment" if scoring is costs else "scoring"),
        fitted=fitted,
        weighed=weighed,
        learned=learned,
        note=WITHOUT_INSERTIONS
        if from_posteriors
        else _note(fitted, weighed, corpus, by_speaker=_by_speaker(experiment)),
        aligned=fitted.align(corpus.gold, corpus.predicted, averaged) if averaged else path,
        path=path,
        by_costs=by_costs,
        unit_cost=least_costs(corpus.gold, corpus.predicted, unit, work),
        chance=levels[0],
        unit_chance=levels[1],
        errors=(chance_levels(corpus, wrong, costs=costs, work=work) if from_posteriors is None else [NOT_REDRAWN]),
        resampling=weights,
        counting=counting,
        measured=INFORMATION if quick else STATISTICS,
    )


def _costs(corpus: Corpus, experiment: Experiment) -> tuple[Costs, Costs]:
    """Return the costs that align and those that weigh errors: one object where they are the same."""
    phones = corpus.gold_inventory, corpus.predicted_inventory
    costs = alignment_costs(*phones, experiment)
    return costs, costs if scores_as_aligned(experiment) else scoring_costs(*phones, experiment)


def _forced_counts(
    name: str, corpus: Corpus, experiment: Experiment, forced: ForcedCorpus | None
) -> ForcedCounts | None:
    """Return how confusions are counted from posteriors, None where they are not. Errors as for `forced_counts`."""
    return forced_counts(name, corpus, forced) if experiment.alignment.method == "posterior" else None


def _halves(corpus: Corpus, experiment: Experiment, *, learns: bool) -> tuple[NDArray[np.int8], Halving | None]:
    """Return the half of each utterance, and how they were dealt; all 0 for one, from which nothing can be learned."""
    if not learns and len(corpus.gold) < 2:
        return np.zeros(len(corpus.gold), np.int8), None
    dealt, cluster = halving(corpus, experiment.seed, by_speaker=_by_speaker(experiment))
    return whole_halves(dealt)[cluster], dealt


def _by_speaker(experiment: Experiment) -> bool:
    return experiment.uncertainty.cluster == "speaker"


def _whole(costs: Costs, learned: Mapping[str, LearnedCosts], use: str) -> CostTable:
    """Return given costs, or those learned on the whole corpus for a use."""
    return costs if isinstance(costs, CostTable) else learned[use].costs


def _learned(corpus: Corpus, costs: Costs, scoring: Costs, work: Work) -> Iterator[tuple[str, LearnedCosts]]:
    """Yield the costs learned on the whole corpus, by their use; costs of both uses once."""
    every = np.arange(len(corpus.gold))
    for use, table in {"alignment": costs, **({"scoring": scoring} if scoring is not costs else {})}.items():
        if isinstance(table, Learning):
            yield use, learn_from(table, corpus.gold, corpus.predicted, every, work)


def _note(fitted: Fitted, weighed: Fitted, corpus: Corpus, *, by_speaker: bool) -> str:
    notes = [fit_note(weighed, corpus, by_speaker=by_speaker)]
    if fitted is not weighed:
        aligning = fit_note(fitted, corpus, by_speaker=by_speaker)
        notes += [f"alignment: {aligning}"] if aligning else []
    return joined(notes)

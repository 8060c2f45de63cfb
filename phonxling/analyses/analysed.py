"""One corpus analysed: costs, alignments, counts, chance levels. What the tables and the summary are made of."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from phonxling.alignment.corpus import least_costs
from phonxling.alignment.costs import cost_table
from phonxling.analyses import fitting, statistics
from phonxling.analyses.chance import ChanceLevel, ChanceSettings, chance_levels, heard_right
from phonxling.analyses.fitting import Fitted, Learning
from phonxling.analyses.statistics import CountSettings, Statistic
from phonxling.core.arrays import Codes, Floats
from phonxling.core.confusion import Aligned, Alignments, ConfusionMatrix, ConfusionStack
from phonxling.core.costs import CostTable, LearnedCosts
from phonxling.core.estimate import joined
from phonxling.core.sequences import Corpus, PhoneSequences, contents_of, numbered_speakers
from phonxling.core.work import SERIAL, Work
from phonxling.count.confusions import count_confusions, count_operations, stack_confusions
from phonxling.resample.entropies import ClusterCells, cluster_cells
from phonxling.resample.intervals import Resampling, resampling
from phonxling.settings.models import Experiment

if TYPE_CHECKING:
    from phonxling.analyses.forced import ForcedCorpus

_WITHOUT_INSERTIONS = "counted from posteriors at forced times, which leaves no place for insertions"
_NOT_REDRAWN = ChanceLevel(model="errors", missing="phones that posteriors decide for are not redrawn one by one")


@dataclass(frozen=True, eq=False, kw_only=True)
class AnalysedCorpus:
    """Everything that was computed from the alignments of one corpus."""

    corpus: Corpus
    costs: CostTable
    scoring: CostTable
    fitted: Fitted
    weighed: Fitted
    learned: Mapping[str, LearnedCosts]
    note: str
    aligned: Aligned
    path: Alignments
    by_costs: Alignments
    unit_cost: Floats
    chance: list[ChanceLevel]
    unit_chance: list[ChanceLevel]
    errors: list[ChanceLevel]
    resampling: Resampling
    counting: CountSettings
    measured: tuple[Statistic, ...]

    @cached_property
    def matrix(self) -> ConfusionMatrix:
        return count_confusions(self.aligned)

    @cached_property
    def stack(self) -> ConfusionStack:
        """The same counts by utterance, for resampling."""
        return stack_confusions(self.aligned)

    @cached_property
    def clusters(self) -> ClusterCells:
        """The counts of what is resampled, speakers or utterances, with ∅ if entropies have it."""
        return cluster_cells(self.stack, self.resampling, gaps=self.counting.gaps)

    @cached_property
    def statistics(self) -> Mapping[str, float]:
        return statistics.values(self.measured, self.stack, self.counting, self.clusters)

    @cached_property
    def drawn(self) -> Mapping[str, Floats]:
        """The statistics of the bootstrap replicates of the confusions by key, [R] each."""
        return statistics.draws(self.measured, self.stack, self.resampling, self.counting)

    @cached_property
    def operations(self) -> NDArray[np.int64] | Floats:
        """Each utterance's correct, substituted, deleted, inserted phones in the alignment in use, [U, 4]."""
        return count_operations(self.aligned)

    @cached_property
    def cost(self) -> Floats:
        """Each utterance's cost under the scoring costs, [U]."""
        return fitting.scored_cost(self.aligned, self.fitted, self.weighed)

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
        return self.corpus.gold.lengths.astype(np.float64)


def analyse(
    name: str,
    corpus: Corpus,
    experiment: Experiment,
    work: Work = SERIAL,
    forced: "ForcedCorpus | None" = None,
    *,
    only: Literal["rates", "information"] | None = None,
) -> AnalysedCorpus:
    """Return the analysis of one corpus under the experiment's settings; `forced` is what its posteriors say.

    `only` leaves out what a score does not show: all chance levels but those of rates, or of the mutual information.
    """
    sides, phones = (corpus.gold, corpus.predicted), (corpus.gold_inventory, corpus.predicted_inventory)
    occurring, scores, unit = fitting.attested(corpus), experiment.scoring, cost_table("unit", *phones, None)
    costs = fitting.costs_in_use(*phones, experiment, occurring)
    alike = (scores.costs, scores.insertion, scores.deletion) == ("same", "same", "same")
    scoring = costs if alike else fitting.costs_in_use(*phones, experiment, occurring, scoring=True)
    uses = {"alignment": costs} if alike else {"alignment": costs, "scoring": scoring}
    every, by_speaker = np.arange(len(corpus.gold)), experiment.uncertainty.cluster == "speaker"
    half, dealt = np.zeros(len(every), np.int8), None
    if len(every) > 1 or any(isinstance(table, Learning) for table in uses.values()):
        dealt, cluster = fitting.halving(corpus, experiment.seed, by_speaker=by_speaker)
        half = fitting.whole_halves(dealt)[cluster]
    fits = {use: fitting.fit(table, *sides, half, work) for use, table in uses.items()}
    learning = {use: own for use, own in uses.items() if isinstance(own, Learning)}
    learned = {use: fitting.learn_from(own, *sides, every, work) for use, own in learning.items()}
    fitted, weighed = fits["alignment"], fits.get("scoring", fits["alignment"])
    notes = [weighed.note(corpus, by_speaker=by_speaker)]
    if not alike and (aligning := fitted.note(corpus, by_speaker=by_speaker)):
        notes.append(f"alignment: {aligning}")
    tables = {use: learned[use].costs if isinstance(table, Learning) else table for use, table in uses.items()}

    by_costs, temperature = fitted.path(*sides, work), experiment.alignment.averaged_at
    heard, path = None, by_costs
    if experiment.alignment.method == "posterior":
        from phonxling.analyses.forced import forced_times, heard_path, unrelated_level

        heard = forced_times(name, corpus, forced)
        path = heard_path(corpus, heard, fitted)
    weights = _corpus_resampling(corpus.gold, corpus.speakers, corpus.speaker_numbers, experiment)
    if experiment.uncertainty.prompts == "drawn" and weights.unit == "speaker":
        weights = replace(weights, prompts=corpus.prompt_numbers)
    counting = CountSettings(
        half,
        gaps=experiment.entropy.gaps == "include",
        similarity=scoring if isinstance(scoring, CostTable) and scoring.as_rate else None,
        halving=dealt if dealt and len(dealt.order) == weights.number else None,  # one speaker is halved by utterances
    )
    models, number = experiment.chance.models, experiment.chance.replicates
    if only == "information":  # a constant has none
        models = tuple(model for model in models if model != "constant")
    chance = ChanceSettings(models, number, experiment.seed, half=half, resampling=weights)
    counted = None if only == "rates" else counting
    beside = statistics.beside_chance("predictions") if only is None else ()
    if only == "information":
        beside = (statistics.MUTUAL_INFORMATION,)
    measured = replace(chance, temperature=temperature, counting=counted, statistics=tuple(one.key for one in beside))
    errors = list[ChanceLevel]()
    if heard:
        levels, errors = [unrelated_level(corpus, heard, measured, fitted, weighed)], [_NOT_REDRAWN]
    else:
        levels = chance_levels(corpus, measured, costs=costs, scoring=scoring, work=work)
    if not heard and only is None:
        wrong = tuple(one.key for one in statistics.beside_chance("errors"))
        redrawn = replace(measured, models=("errors",), statistics=wrong, right=heard_right(path))
        errors = chance_levels(corpus, redrawn, costs=costs, work=work)
    shown = statistics.STATISTICS if only is None else statistics.INFORMATION
    return AnalysedCorpus(
        corpus=corpus,
        costs=tables["alignment"],
        scoring=tables.get("scoring", tables["alignment"]),
        fitted=fitted,
        weighed=weighed,
        learned=learned,
        note=_WITHOUT_INSERTIONS if heard else joined(notes),
        aligned=path if temperature is None else fitted.align(*sides, temperature, work),
        path=path,
        by_costs=by_costs,
        unit_cost=least_costs(*sides, unit, work),
        chance=levels,
        unit_chance=levels if only == "information" else chance_levels(corpus, chance, costs=unit, work=work),
        errors=errors,
        resampling=weights,
        counting=counting,
        measured=(*shown, statistics.ONE_TO_ONE) if only == "information" else shown,
    )


def token_resampling(segments: PhoneSequences, analysis: AnalysedCorpus | None, experiment: Experiment) -> Resampling:
    """Return the weights of these utterances: those of the corpus' analysis where it has them all, else their own."""
    if analysis is not None:
        places = analysis.corpus.gold.places_of(segments.utterances)
        if (places >= 0).all():
            return analysis.resampling.at(places)
    speakers = segments.speakers
    numbers = None if speakers is None else numbered_speakers(speakers, contents_of(segments).tolist())
    return _corpus_resampling(segments, speakers, numbers, experiment)


def _corpus_resampling(
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

"""Quick rates of two files: an experiment of one corpus, with nothing written."""

import math
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import pandas as pd

from phonxling.analyses.case.analysed import AnalysedCorpus, analyse
from phonxling.analyses.case.case import Case
from phonxling.analyses.case.loaded import LoadedCorpus
from phonxling.analyses.measures import Measure, measure
from phonxling.analyses.registry import analyse as analyse_case
from phonxling.analyses.rows import number_tables
from phonxling.core.alignment import Alignments
from phonxling.core.progress import Progress, Silent
from phonxling.core.work import SERIAL, Work
from phonxling.experiment.configuration.reading import experiment_of
from phonxling.experiment.corpora import load_configured
from phonxling.experiment.remote_inputs import local_inputs
from phonxling.resample.linear_algebra import one_thread
from phonxling.settings.models import Experiment


@dataclass(frozen=True, eq=False, kw_only=True)
class Score:
    """The numbers of one pair of files, and the alignment behind them."""

    loaded: LoadedCorpus
    analysis: AnalysedCorpus
    numbers: pd.DataFrame

    def flat(self) -> dict[str, object]:
        """Return the numbers by measure name, None where missing, and the signature of the alignment in use."""
        rows = zip(*(self.numbers[name] for name in ("measure", "variant", "value")), strict=True)
        values = {
            name: _plain(value, measure(name)) for name, variant, value in rows if variant == measure(name).variant
        }
        return {**values, "signature": self.signature}

    @property
    def signature(self) -> str:
        """The signature of the alignment in use."""
        return str(self.numbers.loc[self.numbers["measure"] == "wper", "signature"].iloc[0])

    def aligned_lines(self, number: int) -> Iterator[str]:
        """Yield the first so many utterances' aligned phones, gold above predicted."""
        aligned: Alignments = self.analysis.path
        for utterance in range(min(number, len(aligned))):
            pairs = aligned.pairs_of(utterance)
            widths = [max(_width(gold), _width(predicted)) for gold, predicted in pairs]
            yield aligned.utterances[utterance]
            for name, side in (("gold", 0), ("predicted", 1)):
                cells = (
                    pair[side] + " " * (width - _width(pair[side])) for pair, width in zip(pairs, widths, strict=True)
                )
                yield f"  {name:<10}" + " ".join(cells).rstrip()


def score_files(settings: Mapping[str, Any], work: Work = SERIAL, progress: Progress | None = None) -> Score:
    """Return the score of the one corpus that settings (as in a configuration file) describe.

    Raises
    ------
    ConfigurationError
        If a setting is unknown or wrong.
    DataError
        If files cannot be fetched, or the data not scored; see `load_configured`.
    """
    with local_inputs(experiment_of(settings, "score"), None, progress or Silent()) as experiment:
        return _score(experiment, work)


@one_thread()
def _score(experiment: Experiment, work: Work) -> Score:
    ((name, corpus),) = experiment.corpora.items()
    loaded = load_configured(name, corpus, experiment)
    if loaded.corpus is None:
        raise AssertionError("a score has predictions")
    analysis = analyse(loaded.name, loaded.corpus, experiment, work)
    sections, _ = analyse_case(Case(loaded=loaded, experiment=experiment, aligned=analysis, work=work), scored=True)
    numbers = pd.concat(number_tables(sections).values(), ignore_index=True)
    return Score(loaded=loaded, analysis=analysis, numbers=numbers)


def _width(text: str) -> int:
    return sum(1 for letter in text if not unicodedata.combining(letter))


def _plain(value: float, measured: Measure) -> float | int | None:
    """Return a number as JSON has it: None where it is missing, counts as integers where they are whole."""
    if math.isnan(value):
        return None
    return int(value) if measured.kind == "count" and value.is_integer() else value

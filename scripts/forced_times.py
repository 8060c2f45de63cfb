#!/usr/bin/env python3
"""Prints how near times from forced alignment come to known ones, on the corpora of configurations with such times.

Usage: .venv/bin/python scripts/forced_times.py [CONFIG]…   (configs/demo.yaml and demo-ctc.yaml take a minute each)

Beside them stand two other ways to get times without knowing any: the utterance dealt out evenly to its gold phones,
and the times of the predicted phones that the edit distance aligns the gold phones with, a gold phone without such a
partner being put between its neighbours' centres. Models are cross-fitted: no utterance's times rest on a model that
has seen it. Without a configuration, the recogniser is made up: each phone, of 3 to 12 frames, is shown in one of them,
between blanks; some phones are shown as another one, drawn at random, and as many are not shown.
"""

import sys
from pathlib import Path

import numpy as np

from phonxling.alignment.corpus import align_sequences
from phonxling.analyses.forced import align_folds
from phonxling.analyses.loaded import LoadedCorpus, features_of
from phonxling.configuration.models import Experiment
from phonxling.configuration.reading import load_configuration
from phonxling.core.arrays import Bools, Floats
from phonxling.core.costs import cost_table
from phonxling.core.inventory import Inventory
from phonxling.core.posteriorgram import Posteriorgrams
from phonxling.core.sequences import PhoneSequences
from phonxling.experiment.corpora import load_corpora
from phonxling.load.resources import panphon_features
from phonxling.posteriors.forced_alignment import ForcedRules, SoundModel, similar_sounds
from phonxling.posteriors.forced_learning import fold_numbers

NEAR, FOLDS = 0.02, 5  # seconds; parts, of which each is aligned by what was learned on the others
_RULES = ForcedRules()
Times = tuple[Floats, Floats]
HEAD = "| corpus | gold phones | times | centre in the true phone | error of borders, mean | 90th centile | ≤ 20 ms |"
UTTERANCES, PHONES, SHIFT = 200, tuple("aeioubdfghjklmnprstvwz"), 0.02  # of the made-up recogniser


def main(paths: list[str]) -> None:
    """Print a line for each corpus and each way to get times."""
    print(f"{HEAD}\n|---|---:|---|---:|---:|---:|---:|")
    for path in paths:
        experiment = with_known_times(load_configuration(Path(path), []))
        for loaded in load_corpora(experiment):
            if loaded.segments is not None and loaded.posteriorgrams is not None:
                print("\n".join(lines(loaded, experiment)), flush=True)
    for share in () if paths else (0.0, 0.1, 0.2, 0.4, 0.6):
        print("\n".join(made_lines(share)), flush=True)


def with_known_times(experiment: Experiment) -> Experiment:
    """Return the experiment with the times of the gold phones read, where a corpus has them found from posteriors."""
    corpora = {name: corpus.model_copy(update={"times": "auto"}) for name, corpus in experiment.corpora.items()}
    return experiment.model_copy(update={"corpora": corpora})


def lines(loaded: LoadedCorpus, experiment: Experiment) -> list[str]:
    """Return the lines of a corpus: forced alignment, decoded phones where there are some, even parts."""
    posteriorgrams, segments = loaded.posteriorgrams, loaded.segments
    start = similar_sounds(segments.inventory, posteriorgrams.inventory, features_of(experiment))
    ways = {"forced": forced_times(posteriorgrams, segments, start, speakers=_speakers(loaded))}
    if loaded.corpus is not None and loaded.corpus.predicted.start is not None:
        ways["decoded"] = decoded_times(loaded, segments, experiment)
    return rows_of(loaded.name, segments, {**ways, "even": even_times(posteriorgrams, segments)})


def rows_of(name: str, segments: PhoneSequences, ways: dict[str, Times]) -> list[str]:
    """Return a line for each way to get times."""
    return [f"| {name} | {len(segments.codes):,} | {way} | {score(segments, times)} |" for way, times in ways.items()]


def made_lines(share: float) -> list[str]:
    """Return the lines of the made-up recogniser, which shows that share of the phones wrongly or not at all."""
    posteriorgrams, segments = made(share, np.random.default_rng(0))
    model = similar_sounds(segments.inventory, posteriorgrams.inventory, panphon_features())
    peaks = ForcedRules(peaks=False, minimum=1)  # blanks are not shared: a phone has its own frames alone
    ways = {
        "forced, peaks alone": forced_times(posteriorgrams, segments, model, rules=peaks),
        "forced": forced_times(posteriorgrams, segments, model),
        "even": even_times(posteriorgrams, segments),
    }
    return rows_of(f"made up, {100 * share:.0f} % wrong", segments, ways)


def made(share: float, generator: np.random.Generator) -> tuple[Posteriorgrams, PhoneSequences]:
    """Return posteriors with a blank, and the gold phones with their times."""
    frames, codes, borders = {}, [], []
    for number in range(UTTERANCES):
        own, lengths = generator.integers(len(PHONES), size=30), generator.integers(3, 13, size=30)
        ends = 10 + np.cumsum(lengths)
        heard = np.full((ends[-1] + 10, len(PHONES) + 1), 1e-3)
        heard[:, -1] = 1
        fate, peaks = generator.random(30), generator.integers(ends - lengths, ends)
        shown = np.where(fate < share / 2, generator.integers(len(PHONES), size=30), own)
        there = (fate < share / 2) | (fate >= share)
        heard[peaks[there], shown[there]], heard[peaks[there], -1] = 1, 0.1
        frames[f"u{number}"] = heard / heard.sum(axis=1, keepdims=True)
        codes.append(own)
        borders.append(np.stack([ends - lengths, ends]) * SHIFT)
    common = {"utterances": tuple(frames), "inventory": Inventory(PHONES), "source": "made up"}
    start, end = np.concatenate(borders, axis=1)
    offsets, columns = np.arange(UTTERANCES + 1) * 30, np.append(np.arange(len(PHONES)), -1)
    shown = {"columns": columns, "read": frames.__getitem__, "frame_shift": SHIFT, "blank": len(PHONES)}
    segments = PhoneSequences(offsets=offsets, codes=np.concatenate(codes), start=start, end=end, **common)
    return Posteriorgrams(**shown, **common), segments


def _speakers(loaded: LoadedCorpus) -> tuple[str, ...] | None:
    """Return the speaker of each utterance of the segments, where they are known."""
    if loaded.corpus is None or loaded.corpus.speakers is None:
        return loaded.segments.speakers
    owner = dict(zip(loaded.corpus.utterances, loaded.corpus.speakers, strict=True))
    return tuple(owner[utterance] for utterance in loaded.segments.utterances)


def score(segments: PhoneSequences, times: Times) -> str:
    """Return the columns of a line: of tokens, of their borders (both of each)."""
    start, end = known(segments)
    centre = (times[0] + times[1]) / 2
    off = np.abs(np.concatenate([times[0] - start, times[1] - end]))
    right = np.mean((start <= centre) & (centre < end))
    late = f"{1000 * off.mean():.0f} ms | {1000 * np.quantile(off, 0.9):.0f} ms"
    return f"{100 * right:.1f} % | {late} | {100 * np.mean(off <= NEAR):.1f} %"


def known(segments: PhoneSequences) -> Times:
    """Return the true times."""
    return segments.start, segments.end


def forced_times(
    posteriorgrams: Posteriorgrams,
    segments: PhoneSequences,
    start: SoundModel,
    *,
    speakers: tuple[str, ...] | None = None,
    rules: ForcedRules = _RULES,
) -> Times:
    """Return the best path's times under models of the other folds."""
    fold = fold_numbers(segments, FOLDS, speakers)
    return known(align_folds(posteriorgrams, segments, start, fold, rules=rules, soft=True).segments)


def even_times(posteriorgrams: Posteriorgrams, segments: PhoneSequences) -> Times:
    """Return equal parts of each utterance's frames."""
    borders = [
        np.linspace(0, len(posteriorgrams.raw(utterance)) * posteriorgrams.frame_shift, length + 1)
        for utterance, length in zip(segments.utterances, segments.lengths, strict=True)
    ]
    start, end = (np.concatenate([np.zeros(0), *(part[cut] for part in borders)]) for cut in (np.s_[:-1], np.s_[1:]))
    return start + posteriorgrams.frame_offset, end + posteriorgrams.frame_offset


def decoded_times(loaded: LoadedCorpus, segments: PhoneSequences, experiment: Experiment) -> Times:
    """Return the times of the predicted phones that the gold phones are aligned with."""
    predicted = loaded.corpus.predicted
    heard_start, heard_end = known(predicted)
    costs = cost_table("panphon", segments.inventory, predicted.inventory, features_of(experiment))
    order = [loaded.corpus.utterances.index(utterance) for utterance in segments.utterances]
    aligned = align_sequences(segments, predicted.select(np.array(order)), costs)
    gold, other = aligned.gold < len(segments.inventory), aligned.predicted < len(predicted.inventory)
    partner = np.where(other, np.cumsum(other) - 1, -1)[gold]
    places = predicted.token_order(np.array(order))
    start, end = heard_start[places][partner], heard_end[places][partner]
    return between_neighbours(start, end, partner >= 0, segments, loaded)


def between_neighbours(
    start: Floats, end: Floats, paired: Bools, segments: PhoneSequences, loaded: LoadedCorpus
) -> Times:
    """Return the times, and for gold phones without a partner the middles between centres that are interpolated."""
    start, end, centre = start.copy(), end.copy(), (start + end) / 2
    for place in range(len(segments)):
        run = slice(segments.offsets[place], segments.offsets[place + 1])
        posteriorgrams = loaded.posteriorgrams
        last = len(posteriorgrams.raw(segments.utterances[place])) * posteriorgrams.frame_shift
        tokens, own = np.arange(run.stop - run.start), paired[run]
        known_places = np.concatenate([[-1], tokens[own], [len(tokens)]])
        centres = np.interp(tokens, known_places, np.concatenate([[0.0], centre[run][own], [last]]))
        middles = (np.concatenate([[0.0], centres]) + np.concatenate([centres, [last]])) / 2
        start[run], end[run] = np.where(own, start[run], middles[:-1]), np.where(own, end[run], middles[1:])
    return start, end


if __name__ == "__main__":
    main(sys.argv[1:])

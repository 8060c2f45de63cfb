"""The whole experiment: load, normalise, align, count, measure, project; then tables, figures, manifest."""

import os
import platform
import sys
import time
from datetime import UTC, datetime
from pathlib import Path

from phonxling.core.work import Work
from phonxling.experiment.analysis import Analysis, analyse
from phonxling.experiment.assemble import Computed, result_tables
from phonxling.experiment.association import Association
from phonxling.experiment.checking import check_costs
from phonxling.experiment.configuration.models import Experiment
from phonxling.experiment.configuration.reading import resolved
from phonxling.experiment.corpora import load_corpora
from phonxling.experiment.cost_records import describe_costs
from phonxling.experiment.drawing import figure_options
from phonxling.experiment.embedding import map_phones
from phonxling.experiment.manifest import manifest
from phonxling.experiment.posterior_reading import frame_lines, read_all
from phonxling.experiment.progress import Progress
from phonxling.experiment.results import Written, check_folder, write_results
from phonxling.experiment.token_resampling import token_resampling
from phonxling.experiment.workers.counted import Counted


def run(experiment: Experiment, folder: Path, work: Work, progress: Progress) -> Written:
    """Run an experiment and write its results; nothing is written before everything is computed.

    Raises
    ------
    DataError
        If the data cannot be analysed, or results cannot be written.
    ConfigurationError
        If the folder holds something else than results, or figures cannot be drawn as asked.
    """
    started, clock = datetime.now(UTC), time.perf_counter()
    check_folder(folder)
    figure_options(resolved(experiment)["figures"])
    computed = compute(experiment, work, progress)
    progress.step("measuring")
    tables = result_tables(experiment, computed, work)
    seconds = time.perf_counter() - clock
    about = {
        "started": started.isoformat(timespec="seconds"),
        "seconds_computing": round(seconds, 3),
        "workers": work.workers,
        "python": sys.version.split()[0],
        "machine": f"{platform.system()} {platform.machine()}",
        "configuration_folder": Path(os.path.relpath(experiment.folder or Path.cwd(), folder)).as_posix(),
    }
    drawers = min(work.workers, os.cpu_count() or 1)  # figures are drawn here
    costs = {name: describe_costs(analysis) for name, analysis in computed.analyses.items()}
    return write_results(folder, tables, {**manifest(experiment), "costs": costs}, about, progress, drawers)


def compute(experiment: Experiment, work: Work, progress: Progress) -> Computed:
    """Return everything computed of an experiment, with nothing written."""
    counted = Counted(work, progress.shards)
    progress.begin(2 * len(experiment.corpora) + 3)
    progress.step("loading")
    corpora = load_corpora(experiment)
    check_costs(corpora, experiment)
    for loaded in corpora:
        for note in loaded.notes:
            progress.say(f"{loaded.name}: {note}")
    analyses: dict[str, Analysis] = {}
    associations: dict[str, Association] = {}
    for loaded in corpora:
        progress.step(f"aligning {loaded.name}")
        if loaded.corpus is not None:
            analyses[loaded.name] = analyse(loaded.name, loaded.corpus, experiment, counted)
        else:
            progress.say(f"{loaded.name}: no predictions, so no alignments, rates or confusions")
    tokens = read_all(corpora, experiment, work, progress)
    for loaded in corpora:
        found = tokens.get(loaded.name)
        if found is None or loaded.segments is None:
            progress.say(f"{loaded.name}: no posteriors, so no association and no place on the phone map")
            continue
        for line in frame_lines(found):
            progress.say(f"{loaded.name}: {line}")
        drawn = token_resampling(loaded.segments, analyses.get(loaded.name), experiment)
        associations[loaded.name] = Association(name=loaded.name, tokens=found, experiment=experiment, resampling=drawn)
    reference = next((loaded.name for loaded in corpora if loaded.role == "reference"), None)
    progress.step("mapping phones")
    weights = {name: found.resampling for name, found in associations.items() if found.resampling is not None}
    phone_map = map_phones(tokens, weights, reference, experiment)
    for problem in phone_map.problems:
        progress.say(problem)
    return Computed(corpora=corpora, analyses=analyses, tokens=tokens, associations=associations, phone_map=phone_map)

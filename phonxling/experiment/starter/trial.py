"""What `phonxling check` says of a configuration that was just written, unless its data are too much to read now."""

from pathlib import Path

from phonxling.core.errors import PhonxlingError
from phonxling.experiment.checking import check_costs, check_posteriors
from phonxling.experiment.configuration.reading import load_configuration
from phonxling.experiment.corpora import load_corpora
from phonxling.load.formats import known_endings
from phonxling.load.paths import matching
from phonxling.load.posteriors import known_endings as posterior_endings
from phonxling.settings.models import Experiment

MOST_BYTES, MOST_FILES = 300_000_000, 5_000


def problem(path: Path) -> str | None:
    """Return what is wrong with a configuration, "" when nothing is; None when there is too much to read now."""
    try:
        experiment = load_configuration(path)
        if _is_large(experiment):
            return None
        corpora = load_corpora(experiment)
        check_costs(corpora, experiment)
        check_posteriors(corpora, experiment)
    except PhonxlingError as error:
        return str(error)
    return ""


def _is_large(experiment: Experiment) -> bool:
    """Return whether reading all inputs would take long."""
    files = (getattr(corpus, kind) for corpus in experiment.corpora.values() for kind in corpus.FILES)
    paths = dict.fromkeys(Path(str(file.path)) for file in files if file is not None)
    each = [file for path in paths for file in matching(path, (*known_endings(), *posterior_endings()))[1]]
    return len(each) > MOST_FILES or sum(file.stat().st_size for file in each) > MOST_BYTES

"""What `phonxling check` says of a configuration that was just written, unless its data are too much to read now."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from phonxling.core.errors import PhonxlingError, shown
from phonxling.experiment.checking import checked, corpus_lines, suggested_pattern
from phonxling.experiment.configuration.reading import load_configuration
from phonxling.load.formats import known_endings
from phonxling.load.paths import matching
from phonxling.load.posteriors import known_endings as posterior_endings
from phonxling.settings.models import Experiment

MOST_BYTES, MOST_FILES = 300_000_000, 5_000
_LONGEST = 200  # letters of a line


@dataclass(frozen=True, slots=True)
class Trial:
    """What is wrong, "" when nothing is, None when there is too much to read now; lines on each corpus.

    `patterns`: of speakers, by the name of each corpus without any whose ids suggest some.
    """

    problem: str | None
    lines: tuple[str, ...] = ()
    patterns: Mapping[str, str] = field(default_factory=dict)


def tried(path: Path) -> Trial:
    """Check a configuration as `phonxling check` does."""
    try:
        experiment = load_configuration(path)
        if _is_large(experiment):
            return Trial(None)
        corpora, read = checked(experiment)
    except PhonxlingError as error:
        return Trial(str(error))
    each = (corpus_lines(loaded, experiment, read.get(loaded.name), verbose=False) for loaded in corpora)
    patterns = {loaded.name: pattern for loaded in corpora if (pattern := suggested_pattern(loaded))}
    return Trial("", tuple(shown(line, _LONGEST) for lines in each for line in lines), patterns)


def _is_large(experiment: Experiment) -> bool:
    """Return whether reading all inputs would take long."""
    files = (getattr(corpus, kind) for corpus in experiment.corpora.values() for kind in corpus.FILES)
    paths = dict.fromkeys(Path(str(file.path)) for file in files if file is not None)
    each = [file for path in paths for file in matching(path, (*known_endings(), *posterior_endings()))[1]]
    return len(each) > MOST_FILES or sum(file.stat().st_size for file in each) > MOST_BYTES

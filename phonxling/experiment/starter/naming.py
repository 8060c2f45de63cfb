"""Names of corpora and of the experiment, which become folders of results."""

import re
from collections.abc import Sequence
from pathlib import Path

from phonxling.experiment.starter.grouping import Grouped
from phonxling.settings.folder_names import LONGEST, check_corpus_name, same_folder


def experiment_name(folder: Path) -> str:
    """Return the folder's name as one that can name a folder of results."""
    return _usable(folder.resolve().name)


def corpus_names(corpora: Sequence[Grouped], folder: Path) -> list[str]:
    """Return a name for each corpus: the folder's where there is one corpus, else what tells them apart."""
    if len(corpora) == 1:
        return [_usable(folder.resolve().name)]
    names: list[str] = []
    for corpus in corpora:
        place = corpus.gold.path if corpus.gold.path.is_dir() else corpus.gold.path.parent
        name = _usable("-".join(corpus.gold.key) or place.resolve().name)
        taken = {same_folder(each) for each in names}
        numbered = (f"{name}-{number}" for number in range(2, len(corpora) + 2))
        names.append(
            name if same_folder(name) not in taken else next(n for n in numbered if same_folder(n) not in taken)
        )
    return names


def _usable(text: str) -> str:
    """Return a text as a name that a folder of results can have.

    Examples
    --------
    >>> _usable('odd: "name" #1'), _usable("tables"), _usable("…")
    ('odd-name-1', 'tables-data', 'data')
    """
    name = re.sub(r"[^\w.-]+", "-", text).strip("-.").encode()[: LONGEST - 10].decode(errors="ignore") or "data"
    try:
        return check_corpus_name(name)
    except ValueError:
        return f"{name.strip('.')}-data"

"""A folder → all inputs in it: each file is what its first lines, or its arrays, say that it is."""

from collections.abc import Sequence
from pathlib import Path

from phonxling.core.errors import PhonxlingError
from phonxling.experiment.starter.inputs.folders import FORMS, folder_sides
from phonxling.experiment.starter.inputs.lists import is_no_transcript, labels_in, speakers_in, symbols_of_map
from phonxling.experiment.starter.inputs.names import Named, named
from phonxling.experiment.starter.inputs.posteriors import arrays_in
from phonxling.experiment.starter.inputs.sides import Inputs, reason_in
from phonxling.experiment.starter.inputs.transcripts import sides_of
from phonxling.experiment.starter.inputs.walking import Listing
from phonxling.load.formats import BUILT_IN
from phonxling.load.posteriors import FORMATS

_OPENED = 100  # files of text of a folder
_UTTERANCE_EACH = frozenset(ending for form in FORMS for ending in BUILT_IN[form].endings)
_NO_TEXT = _UTTERANCE_EACH | {*FORMATS, ".yaml", ".yml", ".wav", ".flac", ".mp3", ".md", ".py", ".pdf"}


def met(root: Path, listing: Listing) -> Inputs:
    """Return what the files below a folder are."""
    inputs = Inputs()
    for folder, files in listing.files.items():
        text = [path for path in files if path.suffix.lower() not in _NO_TEXT]
        if len(text) > _OPENED:
            inputs.notes.append(
                f"{_OPENED} of {len(text):,} files of {folder.relative_to(root).as_posix()} were looked at"
            )
        for path in _first(text, root):
            _look(path, root, inputs)
    inputs.sides += folder_sides(root, listing.files)
    for folder, files in listing.files.items():
        inputs.arrays += arrays_in(folder, files, root, inputs)
    return inputs


def _first(files: Sequence[Path], root: Path) -> Sequence[Path]:
    """Return the files to be opened: all, or those first whose names say gold or predicted."""
    if len(files) <= _OPENED:
        return files
    return sorted(files, key=lambda path: (not named(path.relative_to(root)).role, path))[:_OPENED]


def _look(path: Path, root: Path, inputs: Inputs) -> None:
    """Add what one file is; of one that cannot be read, that it cannot."""
    by_name = named(path.relative_to(root))
    try:
        _add(path, by_name, root, inputs)
    except (PhonxlingError, OSError) as error:
        if by_name.role:
            inputs.unread[path.relative_to(root)] = reason_in(error)


def _add(path: Path, by_name: Named, root: Path, inputs: Inputs) -> None:
    if labels := labels_in(path):
        inputs.labels[path] = labels
    elif known := symbols_of_map(path):
        inputs.maps[path] = known
    elif (table := speakers_in(path, root)) is not None:
        inputs.speakers.append(table)
    elif not is_no_transcript(path):
        sides = sides_of(path, by_name.key, by_name.role)
        inputs.sides += sides
        if by_name.role and not sides:
            inputs.unread[path.relative_to(root)] = "holds no phones that a symbol set knows, or no ids"

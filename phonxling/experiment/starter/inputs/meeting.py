"""A folder → all inputs in it: each file is what its first lines, or its arrays, say that it is."""

from pathlib import Path

from phonxling.core.errors import PhonxlingError
from phonxling.experiment.starter.inputs.folders import FORMS, folder_sides
from phonxling.experiment.starter.inputs.lists import is_no_transcript, labels_in, speakers_in, symbols_of_map
from phonxling.experiment.starter.inputs.names import named
from phonxling.experiment.starter.inputs.posteriors import arrays_in
from phonxling.experiment.starter.inputs.sides import Inputs
from phonxling.experiment.starter.inputs.transcripts import sides_of
from phonxling.experiment.starter.inputs.walking import Listing
from phonxling.load.formats import BUILT_IN
from phonxling.load.paths import has_ending
from phonxling.load.posteriors import FORMATS

_OPENED = 100  # files of text of a folder
_UTTERANCE_EACH = tuple(ending for form in FORMS for ending in BUILT_IN[form].endings)
_OTHERS = frozenset({".yaml", ".yml", ".wav", ".flac", ".mp3", ".md", ".py", ".pdf"})  # of no phones


def met(root: Path, found: Listing) -> Inputs:
    """Return what the files below a folder are."""
    inputs = Inputs()
    for folder, files in found.files.items():
        text = [path for path in files if _may_hold_text(path)]
        if len(text) > _OPENED:
            inputs.notes.append(f"{folder}: {_OPENED} of {len(text):,} files were looked at")
        for path in sorted(text, key=lambda path: (not named(path.relative_to(root)).role, path))[:_OPENED]:
            _look(path, root, inputs)
    inputs.sides += folder_sides(root, found.files)
    for folder, files in found.files.items():
        try:
            inputs.arrays += arrays_in(folder, files, root, inputs.labels)
        except PhonxlingError as error:
            inputs.notes.append(first_line(error))
    return inputs


def first_line(error: PhonxlingError) -> str:
    """Return the first line of a message."""
    return str(error).splitlines()[0]


def _may_hold_text(path: Path) -> bool:
    return path.suffix.lower() not in {*FORMATS, *_OTHERS} and not has_ending(path, _UTTERANCE_EACH)


def _look(path: Path, root: Path, inputs: Inputs) -> None:
    """Add what one file is."""
    said = named(path.relative_to(root))
    if labels := labels_in(path):
        inputs.labels[path] = labels
    elif known := symbols_of_map(path):
        inputs.maps[path] = known
    elif (table := speakers_in(path, root)) is not None:
        inputs.speakers.append(table)
    elif not is_no_transcript(path):
        try:
            inputs.sides += sides_of(path, said.key, said.role)
        except PhonxlingError as error:
            if said.role:
                inputs.notes.append(first_line(error))

"""The names of the formats of transcripts: those read here, and those of the entry-point group `phonxling.loaders`."""

from importlib.metadata import EntryPoint, entry_points

from phonxling.core.errors import DataError

BUILT_IN = (
    *("tsv", "csv", "jsonl", "parquet", "trn", "ctm", "stm", "kaldi-text"),
    *("phn", "lab", "mlf", "textgrid", "eaf", "cha"),
)
GROUP = "phonxling.loaders"


def format_names() -> tuple[str, ...]:
    """Return the names of all formats: the built-in ones, which no plug-in replaces, then those of plug-ins."""
    return (*BUILT_IN, *(name for name in sorted(plugged()) if name not in BUILT_IN))


def plugged() -> dict[str, EntryPoint]:
    """Return the entry points by format name, nothing imported yet; DataError when two distributions claim a name."""
    found: dict[str, EntryPoint] = {}
    for point in entry_points(group=GROUP):
        other = found.setdefault(point.name, point)
        if other.value != point.value:
            msg = f"the format '{point.name}' is claimed by two installed packages, {owner(other)} and {owner(point)}"
            raise DataError(f"{msg}; uninstall one")
    return found


def owner(point: EntryPoint) -> str:
    """Return the name and version of the distribution that an entry point comes with."""
    return f"{point.dist.name} {point.dist.version}" if point.dist is not None else point.value

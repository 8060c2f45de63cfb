"""Citations, written [@key] as pandoc has them, and their entries for BibTeX, from references.bib."""

import re
from importlib.resources import files

from phonxling.report.typesetting import prose

_CITATION = re.compile(r" ?\[@([\w-]+)\]")


def cited(text: str) -> str:
    r"""Return a text in LaTeX, its citations as \cite.

    Examples
    --------
    >>> print(cited("50 % of PanPhon’s features [@panphon]."))
    50~\% of PanPhon’s features~\cite{panphon}.
    """
    parts = _CITATION.split(text)
    return "".join(f"~\\cite{{{part}}}" if place % 2 else prose(part) for place, part in enumerate(parts))


def bibliography(text: str, version: str) -> str:
    """Return the entries of what a text cites, the version of this program filled in."""
    stored = files("phonxling.report.paper").joinpath("references.bib").read_text(encoding="utf-8")
    entries = {re.split(r"[{,]", entry)[1]: entry.strip() for entry in stored.split("\n\n") if entry.strip()}
    chosen = [entries[key] for key in dict.fromkeys(_CITATION.findall(text))]
    return "\n\n".join(chosen).replace("VERSION", version) + "\n"

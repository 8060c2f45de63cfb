"""The paragraph on methods: each sentence from the settings and signatures of the results, and only of what was done.

Its sentences, and the words for each choice of a setting, are in methods.md.jinja; the entries of what it cites in
references.bib. A sentence that would hold for some of the corpora only is left out.
"""

import re
from collections.abc import Mapping
from importlib.resources import files
from typing import Any

import pandas as pd

from phonxling.report.rounding import prose

_CITATION = re.compile(r" ?\[@([\w-]+)\]")


def methods(manifest: Mapping[str, Any], numbers: pd.DataFrame, signatures: Mapping[str, str]) -> str:
    """Return the sentences on how the numbers of a result came about."""
    from jinja2 import Environment, StrictUndefined  # waits until a text is written

    settings = manifest["configuration"]
    first, *others = (
        dict(part.split(":", 1) for part in line.split("|") if ":" in part) for line in signatures.values()
    )
    options: dict[str, Any] = {"undefined": StrictUndefined, "trim_blocks": True}
    text = (
        Environment(**options)  # noqa: S701 - plain text, not to be escaped
        .from_string(_stored("methods.md.jinja"))
        .render(
            version=manifest["phonxling"],
            panphon=manifest["libraries"]["panphon"],
            settings=settings,
            # what the signatures of all corpora have alike
            shared={key: value for key, value in first.items() if all(other.get(key) == value for other in others)},
            done=set(numbers.loc[numbers["value"].notna(), "measure"]),
            reference=next((name for name, one in settings["corpora"].items() if one["role"] == "reference"), ""),
        )
    )
    return re.sub(r"[ \n]+", " ", text).strip()


def cited(text: str) -> str:
    r"""Return a text in LaTeX, its citations as \cite."""
    parts = _CITATION.split(text)
    return "".join(f"~\\cite{{{part}}}" if place % 2 else prose(part) for place, part in enumerate(parts))


def bibliography(text: str, version: str) -> str:
    """Return the entries of what a text cites, the version of this program filled in."""
    stored = _stored("references.bib")
    entries = {re.split(r"[{,]", entry)[1]: entry.strip() for entry in stored.split("\n\n") if entry.strip()}
    chosen = [entries[key] for key in dict.fromkeys(_CITATION.findall(text))]
    return "\n\n".join(chosen).replace("VERSION", version) + "\n"


def _stored(name: str) -> str:
    return files("phonxling.report").joinpath(name).read_text(encoding="utf-8")

"""Corpora → the text of a configuration: what was met, with what a person should know or decide beside it."""

import textwrap
from collections.abc import Iterator, Mapping, Sequence

from phonxling.experiment.starter.defaults import default_lines
from phonxling.experiment.starter.settled import Line, Settled
from phonxling.experiment.starter.yaml_text import flow

NAME = "experiment.yaml"
_WIDTH = 118


def text_of(name: str, corpora: Mapping[str, Settled], allow_unpaired: float | None) -> str:
    """Return the configuration; `allow_unpaired` where some posteriors lack."""
    lines = [
        "# Written by `phonxling init` for the files of this folder. Look it over, then:",
        f"#   phonxling check {NAME}",
        f"#   phonxling run {NAME}",
        f"name: {flow(name)}",
        "corpora:",
    ]
    for corpus_name, corpus in corpora.items():
        lines += [f"  {flow(corpus_name)}:", *_corpus(corpus)]
    if allow_unpaired is not None:
        note = "utterances without posteriors are left out of what rests on these"
        lines.append(f"pairing: {{allow_unpaired: {allow_unpaired:g}}}   # {note}")
    return "\n".join([*lines, "", *default_lines(), ""])


def _corpus(corpus: Settled) -> Iterator[str]:
    yield f"    role: {corpus.role:<11}# {_ROLES[corpus.role]}"
    yield "    # language: xxx       # ISO 639-3"
    yield _recogniser(corpus)
    for line in corpus.lines:
        yield from _commented(line)


def _recogniser(corpus: Settled) -> str:
    """Return the line of the recogniser: its inventory where the labels tell it, or how both are written."""
    if corpus.inventory:
        known = "the phones that it can predict, all of this set; name: … where there are several recognisers"
        return f"    recogniser: {{inventory: {corpus.inventory}}}   # {known}"
    tells = any(line.kind == "posteriors" and line.active for line in corpus.lines)
    value = "name" if tells else "{name: …, inventory: phones.txt}"
    return f"    # recogniser: {value}    # a target is compared with a reference of the same recogniser"


_ROLES = {
    "reference": "the language that the recogniser was trained on, by its name; all others are targets",
    "target": "reference: the language that the recogniser was trained on; target: one it is run on",
}


def _commented(line: Line) -> Iterator[str]:
    """Yield a setting: what is to be decided above it, what is to be known behind it, or above where that is long."""
    for text in line.decisions:
        yield from _wrapped(f"to decide: {text}")
    setting = f"    {'' if line.active else '# '}{line.kind}: {flow(line.value)}" if line.value else ""
    known = "; ".join(line.remarks)
    if known and len(setting) + len(known) + 4 <= _WIDTH:
        yield f"{setting}   # {known}" if setting else f"    # {known}"
        return
    if known:
        yield from _wrapped(known)
    if setting:
        yield setting


def _wrapped(text: str) -> Sequence[str]:
    return textwrap.wrap(text, _WIDTH, initial_indent="    # ", subsequent_indent="    #   ", break_on_hyphens=False)

"""The defaults of the configuration, as comments: read off the models, so that they are what is used."""

import textwrap
from collections.abc import Iterator

from phonxling.experiment.starter.yaml_text import flow
from phonxling.settings.models import Experiment

SHOWN = ("seed", "symbols", "alignment", "chance", "uncertainty", "figures")  # what is changed most
_WIDTH = 118


def default_lines() -> Iterator[str]:
    """Yield some settings with their defaults, each a comment that becomes a setting without its `# `."""
    yield "# What follows are defaults, to be changed by taking the # away. `phonxling schema` lists all settings."
    for name in SHOWN:
        field = Experiment.model_fields[name]
        value = field.default.model_dump(mode="json") if hasattr(field.default, "model_dump") else field.default
        text = f"{name}: {flow(value)}"
        yield from (f"# {line}" for line in textwrap.wrap(text, _WIDTH, subsequent_indent="  ", break_on_hyphens=False))

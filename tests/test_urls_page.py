"""The page on inputs by URL: its example is a configuration, and its list of parameters is the one in use."""

import re
from pathlib import Path

from phonxling.experiment.configuration.reading import load_configuration, resolved
from phonxling.load.remote.urls import HARMLESS

PAGE = (Path(__file__).resolve().parent.parent / "docs/scale.md").read_text(encoding="utf-8")


def test_the_example_is_valid_and_keeps_its_addresses(tmp_path: Path) -> None:
    (example,) = (text for text in re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL) if "://" in text)
    path = tmp_path / "example.yaml"
    path.write_text(example, encoding="utf-8")
    plain = resolved(load_configuration(path))["corpora"]["yoruba"]
    assert plain["gold"]["path"] == "s3://bucket/yoruba/*/*.TextGrid"
    assert plain["predicted"]["symbols"] == "s3://bucket/yoruba/map.tsv"


def test_the_harmless_parameters_are_those_of_the_page() -> None:
    sentence = re.search(r"refused, and the\s+refusal does not repeat it: (.*?)\.\s", PAGE, re.DOTALL)
    assert sentence is not None
    assert set(re.findall(r"`(\w+)`", sentence[1].casefold())) == HARMLESS

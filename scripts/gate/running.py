"""Experiments run without figures and pages, with finished steps that another version of the source may have left."""

from pathlib import Path
from unittest.mock import patch

from phonxling.comparison.compare import Choices
from phonxling.core.work import SERIAL, Silent
from phonxling.experiment.comparing import compare_results
from phonxling.experiment.configuration import load_configuration
from phonxling.experiment.pipeline import run


def run_tables(configuration: Path, folder: Path) -> None:
    """Write the tables of an experiment to a folder."""
    with (
        patch("phonxling.experiment.results.draw_figures", lambda *_: []),
        patch("phonxling.experiment.results.write_documents", lambda *_: []),
        patch("phonxling.store.tasks.own_source", lambda: "any source"),
    ):
        run(load_configuration(configuration), folder, SERIAL, Silent(), drawers=1)


def compare_folders(results: list[Path], folder: Path) -> None:
    """Write the comparison of results to a folder, without its figure."""
    choices = Choices(allow_different=True)
    with patch("phonxling.experiment.comparing.draw_comparison", lambda *_: []):
        compare_results(results, folder, choices, Silent())

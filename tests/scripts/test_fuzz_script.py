"""The fuzzing script end to end on few inputs: with atheris or without, it counts, and saves what it finds."""

from pathlib import Path

import pytest
from running import script

pytestmark = pytest.mark.slow  # processes of their own


def test_inputs_are_counted_and_without_atheris_it_is_said(tmp_path: Path) -> None:
    (tmp_path / "atheris.py").write_text("raise ImportError", encoding="utf-8")
    done = script(
        "fuzz/run.py", "--inputs", "50", "--only", "trn", "--output", str(tmp_path / "found"), before=(tmp_path,)
    )
    assert done.returncode == 0, done.stderr
    first, second = done.stdout.splitlines()
    assert first == "atheris is not installed: inputs by blind mutation"
    assert second.startswith("trn: 50 inputs in ")


def test_what_is_found_is_told_and_saved(tmp_path: Path) -> None:
    (tmp_path / "atheris.py").write_text("raise ImportError", encoding="utf-8")
    broken = tmp_path / "sitecustomize.py"
    code = "from phonxling.load import resources\nresources.load_same_phones = lambda path: 1 / 0\n"
    broken.write_text(code, encoding="utf-8")
    found = tmp_path / "found"
    done = script("fuzz/run.py", "--inputs", "5", "--only", "same phones", "--output", str(found), before=(tmp_path,))
    assert done.returncode == 1
    assert "ZeroDivisionError at sitecustomize.py:2: 'division by zero' (5 inputs)" in done.stdout
    assert (found / "same-phones-0").is_file()

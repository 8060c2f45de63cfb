"""Settings of all tests."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from object_store import SETTINGS, Store, Web, serve, start_store

# Machines are noisy: no example fails for being slow.
settings.register_profile("unhurried", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("unhurried")


@pytest.fixture
def store(monkeypatch: pytest.MonkeyPatch) -> Store:
    """An object store on loopback, which s3fs finds by its usual settings."""
    found = start_store()
    for name, value in {**SETTINGS, "AWS_ENDPOINT_URL": found.endpoint}.items():
        monkeypatch.setenv(name, value)
    return found


@pytest.fixture
def web(tmp_path: Path) -> Iterator[Web]:
    """A web server on loopback, of the folder `web`."""
    (tmp_path / "web").mkdir()
    with serve(tmp_path / "web") as found:
        yield found

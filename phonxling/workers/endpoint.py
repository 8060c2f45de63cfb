"""Where a Dask scheduler is, and whether it answers: asked with a deadline of our own."""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from phonxling.core.errors import ConfigurationError
from phonxling.workers.dask_library import dask_library

PATIENCE = 30.0  # seconds for a scheduler to answer, for its first worker, and for new ones when all are gone
_TLS = "DASK_DISTRIBUTED__COMM__TLS__CA_FILE, …__CLIENT__CERT and …__CLIENT__KEY"


@dataclass(frozen=True)
class Endpoint:
    """A Dask scheduler.

    Parameters
    ----------
    name : str
        What messages call it.
    cluster : str or Dask's cluster
        What Dask's client takes.
    security : Dask's Security, optional
        Certificates, for `tls://`.
    why_none : callable
        Takes the seconds since there was a worker; returns why none will come any more, "" while one may.
    """

    name: str
    cluster: Any
    security: Any
    why_none: Callable[[float], str]

    @property
    def address(self) -> str:
        """The scheduler's address, such as `tls://10.0.0.1:8786`."""
        return str(getattr(self.cluster, "scheduler_address", self.cluster))


@contextmanager
def at_address(address: str) -> Iterator[Endpoint]:
    """Yield the scheduler at an address; that of `tls://` is spoken to with the certificates of Dask's configuration.

    ConfigurationError when these are missing.
    """

    def why_none(seconds: float) -> str:
        late = f"the scheduler has had no worker for {PATIENCE:g} seconds; start some (dask worker {address})"
        return f"{late}, and run again: what is finished is kept" if seconds >= PATIENCE else ""

    security = dask_library().Security()
    if address.startswith("tls://") and not (security.tls_ca_file and security.tls_client_cert):
        problem = "tls:// needs certificates, which Dask is told of by its configuration or the environment"
        raise ConfigurationError(f"{address}: {problem}: {_TLS}, each the path of a file")
    yield Endpoint(address, address, security, why_none)


def check_scheduler(endpoint: Endpoint) -> None:
    """Raise ConfigurationError when no Dask scheduler answers in time."""
    try:
        kind = asyncio.run(asyncio.wait_for(_kind(endpoint), PATIENCE))
    except Exception as error:  # noqa: BLE001 - another program at this port may bring up anything
        why = f"nothing that it understands within {PATIENCE:g} seconds" if isinstance(error, TimeoutError) else error
        raise ConfigurationError(_silent(endpoint.name, why)) from None
    if kind != "Scheduler":
        raise ConfigurationError(_silent(endpoint.name, f"it is the port of a Dask {kind.lower()}"))


def _silent(address: str, why: object) -> str:
    problem = f"{address}: no Dask scheduler answers there: {why or type(why).__name__}"
    return f"{problem}\nGive the address that `dask scheduler` printed as “Scheduler at”, not that of its dashboard."


async def _kind(endpoint: Endpoint) -> str:
    """Return what kind of Dask's servers is at an address."""
    distributed = dask_library()
    arguments = endpoint.security.get_connection_args("client") if endpoint.security else {}
    connection = await distributed.comm.connect(endpoint.address, timeout=PATIENCE, **arguments)
    try:
        await connection.write({"op": "identity", "reply": True, "close": True})
        return str((await connection.read())["type"])
    finally:
        connection.abort()

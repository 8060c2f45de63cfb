"""Servers on loopback, for inputs by URL: an object store that speaks S3 (moto's), and the web."""

import logging
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache, partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

SETTINGS = {"AWS_ACCESS_KEY_ID": "key", "AWS_SECRET_ACCESS_KEY": "secret", "AWS_DEFAULT_REGION": "us-east-1"}


@dataclass(frozen=True)
class Store:
    """A running object store: its address, and boto3's client of it."""

    endpoint: str
    client: Any

    def fill(self, bucket: str, folder: Path) -> str:
        """Make a bucket of the files of a folder, and return its address."""
        self.client.create_bucket(Bucket=bucket)
        for file in sorted(folder.rglob("*")):
            if file.is_file():
                self.put(bucket, file.relative_to(folder).as_posix(), file.read_bytes())
        return f"s3://{bucket}"

    def put(self, bucket: str, key: str, content: bytes) -> None:
        """Write an object."""
        self.client.put_object(Bucket=bucket, Key=key, Body=content)


@cache
def start_store() -> Store:
    """Return the one object store of this process; it ends with it."""
    import boto3
    from moto.server import ThreadedMotoServer

    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    keys = {"aws_access_key_id": "key", "aws_secret_access_key": "secret", "region_name": "us-east-1"}
    return Store(f"http://{host}:{port}", boto3.client("s3", endpoint_url=f"http://{host}:{port}", **keys))


@dataclass
class Web:
    """A running web server of a folder: what was asked of it, and how it misbehaves, by path."""

    address: str = ""
    asked: list[str] = field(default_factory=list)
    status: dict[str, int] = field(default_factory=dict)
    promised: dict[str, int] = field(default_factory=dict)  # how many bytes are promised, whatever is sent
    failures: dict[str, int] = field(default_factory=dict)  # how many more times the connection is cut


class _Handler(SimpleHTTPRequestHandler):
    def __init__(self, web: Web, folder: Path, request: Any, address: Any, server: Any) -> None:  # noqa: ANN401
        self.web = web
        super().__init__(request, address, server, directory=str(folder))

    def do_GET(self) -> None:
        self.web.asked.append(f"GET {self.path}")
        if not self._misbehaves():
            super().do_GET()

    def do_HEAD(self) -> None:
        self.web.asked.append(f"HEAD {self.path}")
        if not self._misbehaves():
            super().do_HEAD()

    def _misbehaves(self) -> bool:
        web = self.web
        if status := web.status.get(self.path):
            self.send_error(status)
            return True
        if self.command == "HEAD" and self.path in web.promised:
            self.send_response(200)
            self.send_header("Content-Length", str(web.promised[self.path]))
            self.end_headers()
            return True
        if self.command == "HEAD" or not web.failures.get(self.path):
            return False
        web.failures[self.path] -= 1
        content = Path(self.translate_path(self.path)).read_bytes()
        self.send_response(200)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content[: len(content) // 2])
        self.close_connection = True
        return True

    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def serve(folder: Path) -> Iterator[Web]:
    """Serve a folder over HTTP."""
    web = Web()
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Handler, web, folder))
    web.address = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield web
    finally:
        server.shutdown()
        thread.join()
        server.server_close()

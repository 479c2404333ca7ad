"""Starts the service for tests of Python clients: a process of its own, on a free port, with a data folder of its own."""

from __future__ import annotations

import contextlib
import os
import re
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

#: Tests of a device send thousands of requests within a minute.
SETTINGS = {
    "QCS_PORT": "0",
    "QCS_MIN_FREE_DISK_MIB": "0",
    "QCS_WARM_UP": "0",
    "QCS_RATE_LIMIT_STANDARD": "1000000",
    "QCS_PUBLIC_RATE_LIMIT": "1000000",
}


@dataclass(frozen=True)
class Service:
    """A running service."""

    #: ``http://127.0.0.1:PORT``
    origin: str
    #: Key with the default scopes.
    key: str


@contextlib.contextmanager
def running_service(settings: Mapping[str, str] | None = None) -> Iterator[Service]:
    """Starts the service and stops it at the end.

    :param settings: Environment variables that replace those of ``SETTINGS``.
    :raises RuntimeError: if the service ends before it listens; the message has what it printed.
    """
    with tempfile.TemporaryDirectory(prefix="qcs-clients-") as folder:
        path = f"{ROOT / 'node_modules' / '.bin'}{os.pathsep}{os.environ.get('PATH', '')}"
        environment = {**os.environ, **SETTINGS, "PATH": path, "QCS_DATA_DIR": folder, **(settings or {})}
        # A file, because a pipe that nobody reads would fill up.
        with open(Path(folder) / "log", "w+") as log:
            process = subprocess.Popen(
                ["node", "src/main.ts"], cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=log, text=True
            )
            try:
                yield _started(process, log)
            finally:
                process.terminate()
                process.wait()


def wait_until(holds: Callable[[], bool], limit_s: float = 300) -> None:
    """Waits for something that takes as long as the machine needs.

    :raises TimeoutError:
    """
    deadline = time.monotonic() + limit_s
    while not holds():
        if time.monotonic() > deadline:
            raise TimeoutError
        time.sleep(0.05)


def _started(process: subprocess.Popen[str], log) -> Service:
    printed = ""
    for line in process.stdout:
        printed += line
        if "Ready" not in line:
            continue
        origin = re.search(r"http://127\.0\.0\.1:\d+", printed)
        key = re.search(r"\bqcs_[A-Za-z0-9_-]+", printed)
        if origin is None or key is None:
            break
        return Service(origin[0], key[0])
    log.seek(0)
    raise RuntimeError(f"The service did not start:\n{printed}{log.read()}")

"""Errors of the service as Qiskit's kind of exception."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager

from qiskit.exceptions import QiskitError

from ..errors import QcsError


class QcsQiskitError(QiskitError):
    """The service refused or failed a request; ``__cause__`` is the client's own exception."""


@contextmanager
def qiskit_errors() -> Generator[None, None, None]:
    """Raises exceptions of the client that its block raises as :class:`QcsQiskitError`."""
    try:
        yield
    except QcsError as error:
        raise QcsQiskitError(str(error)) from error

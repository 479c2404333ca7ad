"""Exceptions of the client. Those for an answer of the service are one class for each of its error codes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


class QcsError(Exception):
    """Base class of all exceptions of this package."""


class UnreachableError(QcsError):
    """No service answered at the address, after all retries."""


class WaitTimeoutError(QcsError, TimeoutError):
    """The job had not ended when the caller's time was over. The job goes on."""


@dataclass(frozen=True)
class ErrorDetail:
    """One fault of a request."""

    code: str
    """Exact condition, one of those in docs/errors.md."""
    path: str
    """Place in the request, such as ``circuit[3].qubit``; empty for the whole request."""
    message: str


class ServiceError(QcsError):
    """The service refused a request, or failed to answer it."""

    def __init__(self, status: int, error: Mapping[str, Any], request_id: str | None = None) -> None:
        self.status = status
        self.code = str(error.get("code", ""))
        self.message = str(error.get("message", f"The service answered with status {status}."))
        self.details = [
            ErrorDetail(str(d.get("code", "")), str(d.get("path", "")), str(d.get("message", "")))
            for d in error.get("details") or []
        ]
        self.request_id = request_id
        super().__init__("\n".join([self.message, *self._listed()]))

    def _listed(self) -> list[str]:
        """A line for each detail. The message says the only detail already."""
        if len(self.details) < 2:
            return []
        return [f"  {d.path}: {d.message}" if d.path else f"  {d.message}" for d in self.details]


class BadRequestError(ServiceError):
    """The request is invalid; ``details`` has every fault with its path."""


class UnauthorizedError(ServiceError):
    """The API key is missing, unknown, revoked or expired."""


class ForbiddenError(ServiceError):
    """The API key lacks the scope for this endpoint."""


class NotFoundError(ServiceError):
    """There is no such job, processor or other resource for this key."""


class RateLimitError(ServiceError):
    """A limit of the API key is used up, and the retries with it."""


class InternalError(ServiceError):
    """The service failed."""


class UnavailableError(ServiceError):
    """The processor is offline, in maintenance or has a full queue."""


class JobFailedError(ServiceError):
    """The job was accepted and then failed; ``record`` is its record."""

    def __init__(self, record: Mapping[str, Any]) -> None:
        self.record = record
        super().__init__(500, record.get("error") or {"message": "The job failed."})


class JobCancelledError(QcsError):
    """The job was cancelled; it has no result."""


_BY_CODE: dict[str, type[ServiceError]] = {
    "BAD_REQUEST": BadRequestError,
    "UNAUTHORIZED": UnauthorizedError,
    "FORBIDDEN": ForbiddenError,
    "NOT_FOUND": NotFoundError,
    "RATE_LIMIT_EXCEEDED": RateLimitError,
    "INTERNAL_ERROR": InternalError,
    "SERVICE_UNAVAILABLE": UnavailableError,
}


def service_error(status: int, body: Any) -> ServiceError:
    """Exception for an answer, by its error code. ``body`` may be anything, such as a proxy's page."""
    envelope = body if isinstance(body, Mapping) else {}
    error = envelope.get("error")
    meta = envelope.get("meta")
    facts: Mapping[str, Any] = error if isinstance(error, Mapping) else {}
    request_id = meta.get("request_id") if isinstance(meta, Mapping) else None
    return _BY_CODE.get(str(facts.get("code")), ServiceError)(status, facts, request_id)

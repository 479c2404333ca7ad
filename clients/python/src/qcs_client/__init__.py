"""Client of the quantum compute service.

``qcs_client.qiskit``, ``qcs_client.pennylane`` and ``qcs_client.cirq`` put the frameworks on top of it.
"""

from .client import Client, Program
from .errors import (
    BadRequestError,
    ErrorDetail,
    ForbiddenError,
    InternalError,
    JobCancelledError,
    JobFailedError,
    NotFoundError,
    QcsError,
    RateLimitError,
    ServiceError,
    UnauthorizedError,
    UnavailableError,
    UnreachableError,
    WaitTimeoutError,
)
from .events import Event
from .jobs import Job
from .results import BatchResult, CircuitResult, ProgramResult

__version__ = "0.1.0"

__all__ = [
    "BadRequestError",
    "BatchResult",
    "CircuitResult",
    "Client",
    "ErrorDetail",
    "Event",
    "ForbiddenError",
    "InternalError",
    "Job",
    "JobCancelledError",
    "JobFailedError",
    "NotFoundError",
    "Program",
    "ProgramResult",
    "QcsError",
    "RateLimitError",
    "ServiceError",
    "UnauthorizedError",
    "UnavailableError",
    "UnreachableError",
    "WaitTimeoutError",
]

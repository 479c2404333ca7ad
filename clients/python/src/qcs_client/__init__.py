"""Client of the quantum compute service.

``qcs_client.qiskit``, ``qcs_client.pennylane``, ``qcs_client.cirq`` and ``qcs_client.stim`` put the frameworks on top
of it.
"""

from .async_client import AsyncClient
from .async_jobs import AsyncJob
from .client import Client
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
from .experiments import ExperimentResult, TaskCounts
from .jobs import Job
from .requests import Program, Qir
from .results import BatchResult, CircuitResult, ProgramResult

__version__ = "1.0.0"

__all__ = [
    "AsyncClient",
    "AsyncJob",
    "BadRequestError",
    "BatchResult",
    "CircuitResult",
    "Client",
    "ErrorDetail",
    "Event",
    "ExperimentResult",
    "ForbiddenError",
    "InternalError",
    "Job",
    "JobCancelledError",
    "JobFailedError",
    "NotFoundError",
    "Program",
    "ProgramResult",
    "QcsError",
    "Qir",
    "RateLimitError",
    "ServiceError",
    "TaskCounts",
    "UnauthorizedError",
    "UnavailableError",
    "UnreachableError",
    "WaitTimeoutError",
]

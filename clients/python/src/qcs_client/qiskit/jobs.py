"""Jobs of the service as Qiskit's jobs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Generic, Protocol, TypeVar

from qiskit.primitives import BasePrimitiveJob, PrimitiveResult
from qiskit.providers import JobStatus, JobV1

from ..jobs import Job
from ..requests import Program
from ..results import BatchResult, ProgramResult
from .errors import qiskit_errors

ResultT = TypeVar("ResultT")

_STATUS = {
    "queued": JobStatus.QUEUED,
    "running": JobStatus.RUNNING,
    "completed": JobStatus.DONE,
    "failed": JobStatus.ERROR,
    "cancelled": JobStatus.CANCELLED,
}


class _BatchJob(Generic[ResultT]):
    """Status, result and cancelling of a batch; the rest is in Qiskit's base classes."""

    _batch: Job[BatchResult] | None
    _read: Callable[[BatchResult | None], ResultT]
    _result: ResultT | None = None

    def result(self, timeout: float | None = None) -> ResultT:
        """Waits for the result, for ``timeout`` seconds at most."""
        if self._result is None:
            with qiskit_errors():
                self._result = self._read(None if self._batch is None else self._batch.result(timeout))
        return self._result

    def status(self) -> JobStatus:
        if self._batch is None:
            return JobStatus.DONE
        if not self._batch.ended:
            with qiskit_errors():
                self._batch.refresh()
        return _STATUS[self._batch.status]

    def cancel(self) -> bool:
        """Cancels the batch; False if it had ended."""
        if self._batch is None:
            return False
        with qiskit_errors():
            self._batch.cancel()
        return self._batch.status == "cancelled"


def method_metadata(results: Sequence[ProgramResult]) -> dict[str, Any]:
    """How the service simulated a PUB; of matrix product states the most that was cut of a point, and the largest bond.

    Where an evolution was a product formula, the ``error_bound`` of the point that has the greatest.
    """
    methods = sorted({result.method for result in results if result.method is not None})
    cut = [result.truncation_error.max() for result in results if result.truncation_error is not None]
    bonds = [result.largest_bond.max() for result in results if result.largest_bond is not None]
    errors = [result.error_bound.max() for result in results if result.error_bound is not None]
    return {
        **({"method": methods[0] if len(methods) == 1 else methods} if methods else {}),
        **({"truncation_error": float(max(cut))} if cut else {}),
        **({"largest_bond": int(max(bonds))} if bonds else {}),
        **({"error_bound": float(max(errors))} if errors else {}),
    }


class QcsJob(_BatchJob[Any], JobV1):
    """Circuits given to ``QcsBackend.run``; the result is a ``qiskit.result.Result``."""

    def __init__(self, backend: Any, batch: Job[BatchResult], read: Callable[[Any], Any]) -> None:
        JobV1.__init__(self, backend, batch.id)
        self._batch = batch
        self._read = read

    def submit(self) -> None:
        """The job was submitted when it was made."""


class QcsPrimitiveJob(_BatchJob[ResultT], BasePrimitiveJob):
    """PUBs of a primitive; the result is a ``PrimitiveResult``. Without any point there is no batch."""

    def __init__(self, batch: Job[BatchResult] | None, read: Callable[[Any], ResultT]) -> None:
        BasePrimitiveJob.__init__(self, batch.id if batch is not None else "empty")
        self._batch = batch
        self._read = read

    def done(self) -> bool:
        return self.status() is JobStatus.DONE

    def running(self) -> bool:
        return self.status() is JobStatus.RUNNING

    def cancelled(self) -> bool:
        return self.status() is JobStatus.CANCELLED

    def in_final_state(self) -> bool:
        return self.status() in (JobStatus.DONE, JobStatus.ERROR, JobStatus.CANCELLED)


class PubPlan(Protocol):
    """A PUB, the programs that it needs, and what becomes of their results."""

    programs: list[Program]

    def read(self, results: list[ProgramResult]) -> Any: ...


def submit_pubs(
    backend: Any, plans: Sequence[PubPlan], **fields: Any
) -> QcsPrimitiveJob[PrimitiveResult[Any]]:
    """Submits the programs of all PUBs as one batch."""
    programs = [program for plan in plans for program in plan.programs]
    batch = backend.submit(programs, **fields) if programs else None

    def read(result: BatchResult | None) -> PrimitiveResult[Any]:
        results = iter(result or ())
        pubs = [plan.read([next(results) for _ in plan.programs]) for plan in plans]
        return PrimitiveResult(pubs, metadata={"version": 2})

    return QcsPrimitiveJob(batch, read)

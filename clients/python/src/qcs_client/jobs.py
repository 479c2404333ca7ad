"""Jobs: what was submitted and may still be running."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Generic, TypeVar

from .arrays import ComplexArray
from .async_jobs import RECONNECT_S, AsyncJob
from .events import Event
from .http_io import iterate_now, now
from .job_view import JobView, Progress

ResultT = TypeVar("ResultT")


class Job(JobView, Generic[ResultT]):
    """A circuit, batch, experiment, task or TPU job at the service. ``id`` finds it again: ``client.job(id)``."""

    def __init__(self, core: AsyncJob[ResultT]) -> None:
        super().__init__(core._state)
        self._core = core

    def refresh(self) -> Job[ResultT]:
        """Fetches the record."""
        now(self._core.refresh())
        return self

    def events(self, *, reconnect_for: float = RECONNECT_S) -> Iterator[Event]:
        """Events of the job from the first to ``done``, across lost connections."""
        return iterate_now(self._core.events(reconnect_for=reconnect_for))

    def wait(self, timeout: float | None = None, *, progress: Progress = False) -> Job[ResultT]:
        """Waits until the job has ended, however it ended.

        Raises:
            WaitTimeoutError: after ``timeout`` seconds. The job goes on.
        """
        now(self._core.wait(timeout, progress=progress))
        return self

    def result(self, timeout: float | None = None, *, progress: Progress = False) -> ResultT:
        """Waits for the job and returns its result.

        Raises:
            JobFailedError: if it failed.
            JobCancelledError: if it was cancelled.
            WaitTimeoutError: after ``timeout`` seconds. The job goes on.
        """
        return now(self._core.result(timeout, progress=progress))

    def statevector(self, *, dtype: str = "<c16") -> ComplexArray:
        """Waits for the job and downloads the state vector of a circuit that keeps it, by basis index.

        Args:
            dtype: ``<c16`` for two floats of 64 bits each amplitude, ``<c8`` for two of 32 bits.

        Raises:
            NotFoundError: if the circuit was not submitted with ``return_=["statevector"]`` and
                ``statevector_format="binary"``.
        """
        return now(self._core.statevector(dtype=dtype))

    def cancel(self) -> Job[ResultT]:
        """Cancels the job if it waits or runs."""
        now(self._core.cancel())
        return self

    def retry(self) -> Job[ResultT]:
        """Submits a failed or cancelled job again, as a new job."""
        return Job(now(self._core.retry()))

    def delete(self) -> None:
        """Deletes a job that has ended, with its result."""
        now(self._core.delete())

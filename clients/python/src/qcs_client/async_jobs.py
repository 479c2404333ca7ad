"""Jobs of :class:`AsyncClient`, and all that any job asks the service."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from typing import Any, Generic, TypeVar

import numpy as np

from .arrays import ComplexArray
from .errors import JobCancelledError, JobFailedError
from .events import Event, follow
from .job_view import KINDS, JobState, JobView, Progress, shown
from .transport import Transport

ResultT = TypeVar("ResultT")

#: A service that is restarted, or a network that comes back, does so within this time.
RECONNECT_S = 600.0


class AsyncJob(JobView, Generic[ResultT]):
    """A job whose methods are awaited; they are those of :class:`Job`."""

    def __init__(self, transport: Transport, state: JobState) -> None:
        super().__init__(state)
        path, self._read_result = KINDS[prefix_of(state.id)]
        self._path = f"{path}/{state.id}"
        self._transport = transport

    async def refresh(self) -> AsyncJob[ResultT]:
        """Fetches the record."""
        self._state.record = await self._transport.get(self._path)
        return self

    def events(self, *, reconnect_for: float = RECONNECT_S) -> AsyncGenerator[Event, None]:
        """Events of the job from the first to ``done``, across lost connections."""
        return follow(self._transport, self._path, reconnect_for=reconnect_for)

    async def wait(self, timeout: float | None = None, *, progress: Progress = False) -> AsyncJob[ResultT]:
        """Waits until the job has ended, however it ended; see :meth:`Job.wait`."""
        if self.ended:
            return self
        events = follow(self._transport, self._path, reconnect_for=RECONNECT_S, timeout=timeout)
        async with aclosing(events):
            with shown(progress) as show:
                async for event in events:
                    if event.type == "progress":
                        show(float(event.data["progress"]))
        return await self.refresh()

    async def result(self, timeout: float | None = None, *, progress: Progress = False) -> ResultT:
        """Waits for the job and returns its result; see :meth:`Job.result`."""
        await self.wait(timeout, progress=progress)
        if self.status == "failed":
            raise JobFailedError(self.record)
        if self.status == "cancelled":
            raise JobCancelledError(f"{self.id} was cancelled.")
        result: ResultT = self._read_result(self.record)
        return result

    async def statevector(self, *, dtype: str = "<c16") -> ComplexArray:
        """Waits for the job and downloads the state that it keeps; see :meth:`Job.statevector`."""
        await self.result()
        content = await self._transport.get_bytes(f"{self._path}/statevector", {"dtype": dtype})
        return np.frombuffer(content, dtype=dtype)

    async def cancel(self) -> AsyncJob[ResultT]:
        """Cancels the job if it waits or runs."""
        self._state.record = await self._transport.post(f"{self._path}/cancel")
        return self

    async def retry(self) -> AsyncJob[ResultT]:
        """Submits a failed or cancelled job again, as a new job."""
        return job_of(self._transport, await self._transport.post(f"{self._path}/retry", wait=0))

    async def delete(self) -> None:
        """Deletes a job that has ended, with its result."""
        await self._transport.delete(self._path)


def prefix_of(id: str) -> str:
    """What an id begins with, up to and including the first ``_``."""
    return id[: id.find("_") + 1]


def job_of(transport: Transport, record: Mapping[str, Any]) -> AsyncJob[Any]:
    """Job of a record, whose id is in the field of its kind."""
    for field in ("circuit_id", "batch_id", "experiment_id", "task_id", "job_id"):
        if field in record:
            return AsyncJob(transport, JobState(str(record[field]), record))
    raise ValueError("The record has no id of a job.")

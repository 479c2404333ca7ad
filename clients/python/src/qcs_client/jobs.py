"""Jobs: what was submitted and may still be running."""

from __future__ import annotations

import html
import sys
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Generic, TypeVar

from .errors import JobCancelledError, JobFailedError
from .events import Event, follow
from .results import BatchResult, CircuitResult
from .transport import Transport

ResultT = TypeVar("ResultT")
#: Progress is shown by a bar on stderr (True), or given to a function as a number from 0 to 1.
Progress = bool | Callable[[float], None]

_FINAL = frozenset({"completed", "failed", "cancelled"})
_BAR_WIDTH = 40
#: A service that is restarted, or a network that comes back, does so within this time.
_RECONNECT_S = 600.0


def task_result(record: Mapping[str, Any]) -> Any:
    """Result of a task or a TPU job, as the service answers it."""
    return record.get("result")


#: Path and reader of results of each kind of job, by the prefix of its ids.
KINDS: dict[str, tuple[str, Callable[[Mapping[str, Any]], Any]]] = {
    "circ_": ("/quantum/circuits", CircuitResult),
    "batch_": ("/quantum/batches", BatchResult),
    "task_": ("/tasks", task_result),
    "tpujob_": ("/tpu/jobs", task_result),
}


class Job(Generic[ResultT]):
    """A circuit, batch, task or TPU job at the service. ``id`` finds it again: ``client.job(id)``."""

    def __init__(self, transport: Transport, id: str, record: Mapping[str, Any]) -> None:
        self.id = id
        prefix = id[: id.index("_") + 1]
        path, self._read_result = KINDS[prefix]
        self._path = f"{path}/{id}"
        self._transport = transport
        self._record = record

    @property
    def record(self) -> Mapping[str, Any]:
        """The record as it was last fetched."""
        return self._record

    @property
    def status(self) -> str:
        """``queued``, ``running``, ``completed``, ``failed`` or ``cancelled``, as last fetched."""
        return str(self._record["status"])

    @property
    def ended(self) -> bool:
        """Whether the status, as last fetched, is final."""
        return self.status in _FINAL

    def refresh(self) -> Job[ResultT]:
        """Fetches the record."""
        self._record = self._transport.get(self._path)
        return self

    def events(self, *, reconnect_for: float = _RECONNECT_S) -> Iterator[Event]:
        """Events of the job from the first to ``done``, across lost connections."""
        return follow(self._transport, self._path, reconnect_for=reconnect_for)

    def wait(self, timeout: float | None = None, *, progress: Progress = False) -> Job[ResultT]:
        """Waits until the job has ended, however it ended.

        Raises:
            WaitTimeoutError: after ``timeout`` seconds. The job goes on.
        """
        if self.ended:
            return self
        with _shown(progress) as show:
            for event in follow(self._transport, self._path, reconnect_for=_RECONNECT_S, timeout=timeout):
                if event.type == "progress":
                    show(float(event.data["progress"]))
        return self.refresh()

    def result(self, timeout: float | None = None, *, progress: Progress = False) -> ResultT:
        """Waits for the job and returns its result.

        Raises:
            JobFailedError: if it failed.
            JobCancelledError: if it was cancelled.
            WaitTimeoutError: after ``timeout`` seconds. The job goes on.
        """
        self.wait(timeout, progress=progress)
        if self.status == "failed":
            raise JobFailedError(self._record)
        if self.status == "cancelled":
            raise JobCancelledError(f"{self.id} was cancelled.")
        result: ResultT = self._read_result(self._record)
        return result

    def cancel(self) -> Job[ResultT]:
        """Cancels the job if it waits or runs."""
        self._record = self._transport.post(f"{self._path}/cancel")
        return self

    def retry(self) -> Job[ResultT]:
        """Submits a failed or cancelled job again, as a new job."""
        return job_of(self._transport, self._transport.post(f"{self._path}/retry", wait=0))

    def delete(self) -> None:
        """Deletes a job that has ended, with its result."""
        self._transport.delete(self._path)

    def __repr__(self) -> str:
        return f"<Job {self.id} {self.status}>"

    def _repr_html_(self) -> str:
        keys = ("status", "processor", "created_at", "started_at", "finished_at", "progress")
        rows = "".join(
            f"<tr><th style='text-align:left'>{key}</th><td>{html.escape(str(self._record[key]))}</td></tr>"
            for key in keys
            if self._record.get(key) is not None
        )
        return f"<p><b>{html.escape(self.id)}</b></p><table>{rows}</table>"


def job_of(transport: Transport, record: Mapping[str, Any]) -> Job[Any]:
    """Job of a record, whose id is in the field of its kind."""
    for field in ("circuit_id", "batch_id", "task_id", "job_id"):
        if field in record:
            return Job(transport, str(record[field]), record)
    raise ValueError("The record has no id of a job.")


class _shown:
    """Shows progress while its block runs."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress

    def __enter__(self) -> Callable[[float], None]:
        if callable(self._progress):
            return self._progress
        return self._draw if self._progress else lambda fraction: None

    def _draw(self, fraction: float) -> None:
        filled = round(_BAR_WIDTH * fraction)
        bar = "█" * filled + "░" * (_BAR_WIDTH - filled)
        sys.stderr.write(f"\r{bar} {100 * fraction:3.0f} %")
        sys.stderr.flush()

    def __exit__(self, *_: object) -> None:
        if self._progress is True:
            sys.stderr.write("\n")

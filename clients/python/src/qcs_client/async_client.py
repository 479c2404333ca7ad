"""The client with asyncio, and all that any client asks the service."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping, Sequence
from typing import Any, Generic, TypeVar

import httpx

from .async_jobs import AsyncJob, job_of, prefix_of
from .errors import QcsError
from .experiments import ExperimentResult, Task, experiment_body
from .http_io import AsyncIo, Io
from .job_view import KINDS, JobState, Progress
from .requests import (
    DEFAULT_PROCESSOR,
    Circuit,
    Program,
    StimCircuit,
    batch_body,
    circuit_body,
    compile_body,
)
from .results import BatchResult, CircuitResult
from .samples import Samples, reference_sample, sample, sample_detectors
from .transport import Transport

ResultT = TypeVar("ResultT")

#: A submission that waits for its result asks the service to hold the answer for this long. A job that takes longer
#: is then watched by its events, so that no proxy on the way meets a request of many minutes.
_HELD_S = 20


class AsyncClient:
    """Client of one service whose methods are awaited; they are those of :class:`Client`.

    It belongs to the event loop in which it is used first.

    Args:
        url, key, retry_for: as of :class:`Client`.
        http: an ``httpx.AsyncClient`` of your own, for proxies or certificates.
    """

    def __init__(
        self,
        url: str | None = None,
        key: str | None = None,
        *,
        retry_for: float = 120.0,
        http: httpx.AsyncClient | None = None,
    ) -> None:
        self._open(url, key, retry_for, AsyncIo(http))

    def _open(self, url: str | None, key: str | None, retry_for: float, io: Io) -> None:
        self._transport = Transport(url, key, retry_for=retry_for, io=io)
        self.circuits = AsyncCircuits(self._transport, "circ_")
        """Circuits: ``run``, ``submit`` and ``list``."""
        self.batches = AsyncBatches(self._transport, "batch_")
        """Batches: ``run``, ``submit`` and ``list``."""
        self.experiments = AsyncExperiments(self._transport, "exp_")
        """Experiments: ``run``, ``submit`` and ``list``."""

    @property
    def url(self) -> str:
        return self._transport.url

    async def job(self, id: str) -> AsyncJob[Any]:
        """Job of any kind by its id."""
        kind = KINDS.get(prefix_of(id))
        if kind is None:
            raise QcsError(f"{id!r} is no id of a job; one begins with {', '.join(KINDS)}.")
        return AsyncJob(self._transport, JobState(id, await self._transport.get(f"{kind[0]}/{id}")))

    async def collect(
        self,
        tasks: Task | Sequence[Task],
        *,
        max_shots: int | None = None,
        max_errors: int | None = None,
        timeout: float | None = None,
        progress: Progress = False,
        **fields: Any,
    ) -> ExperimentResult:
        """Counts logical errors of tasks; see :meth:`Client.collect`."""
        return await self.experiments.run(
            tasks, timeout=timeout, progress=progress, max_shots=max_shots, max_errors=max_errors, **fields
        )

    async def sample(
        self,
        circuit: StimCircuit | str,
        shots: int,
        *,
        seed: int | None = None,
        bit_packed: bool = False,
        processor: str = "qvm",
    ) -> Samples:
        """Measurements of a circuit; see :meth:`Client.sample`."""
        return await sample(self, circuit, shots, seed=seed, bit_packed=bit_packed, processor=processor)

    async def reference_sample(
        self, circuit: StimCircuit | str, *, bit_packed: bool = False, processor: str = "qvm"
    ) -> Samples:
        """Measurements of one run without noise; see :meth:`Client.reference_sample`."""
        return await reference_sample(self, circuit, bit_packed=bit_packed, processor=processor)

    async def sample_detectors(
        self,
        circuit: StimCircuit | str,
        shots: int,
        *,
        seed: int | None = None,
        prepend_observables: bool = False,
        append_observables: bool = False,
        separate_observables: bool = False,
        bit_packed: bool = False,
        processor: str = "qvm",
    ) -> Samples | tuple[Samples, Samples]:
        """Detection events of a circuit; see :meth:`Client.sample_detectors`."""
        return await sample_detectors(
            self,
            circuit,
            shots,
            seed=seed,
            prepend_observables=prepend_observables,
            append_observables=append_observables,
            separate_observables=separate_observables,
            bit_packed=bit_packed,
            processor=processor,
        )

    async def processors(self) -> list[dict[str, Any]]:
        """Processors with their limits and whether they take work now."""
        return list((await self._transport.get("/quantum/processors"))["processors"])

    async def processor(self, id: str) -> dict[str, Any]:
        """One processor."""
        return dict(await self._transport.get(f"/quantum/processors/{id}"))

    async def operations(self) -> list[dict[str, Any]]:
        """Catalog of gates and other operations."""
        return list((await self._transport.get("/quantum/operations"))["operations"])

    async def compile(self, circuit: Circuit, **fields: Any) -> dict[str, Any]:
        """Compiles a circuit without running it; ``fields`` are those of ``POST /quantum/compile``."""
        return dict(await self._transport.post("/quantum/compile", compile_body(circuit, fields)))

    async def key_info(self) -> dict[str, Any]:
        """Tier, limits and current usage of the key."""
        return dict(await self._transport.get("/keys/info"))

    async def close(self) -> None:
        """Closes the connections."""
        await self._transport.close()

    async def __aenter__(self) -> AsyncClient:  # noqa: PYI034
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.url}>"


class _AsyncJobs(Generic[ResultT]):
    """Jobs of one kind."""

    def __init__(self, transport: Transport, prefix: str) -> None:
        self._transport = transport
        self._path = KINDS[prefix][0]

    async def list(self, **filters: Any) -> AsyncGenerator[AsyncJob[ResultT], None]:
        """The key's jobs, newest first, fetched page by page; ``filters`` are those of :meth:`Client.circuits.list`."""
        cursor: str | None = None
        while True:
            page = await self._transport.get(
                self._path, {**filters, **({"cursor": cursor} if cursor else {})}
            )
            for record in page[self._path.rpartition("/")[2]]:
                yield job_of(self._transport, record)
            cursor = page.get("next_cursor")
            if cursor is None:
                return

    async def _estimate(self, body: Mapping[str, Any] | bytes) -> dict[str, Any]:
        return dict(await self._transport.post("/quantum/estimate", body))

    async def _submit(
        self, body: Mapping[str, Any] | bytes, wait: int, idempotency_key: str | None
    ) -> AsyncJob[ResultT]:
        record = await self._transport.post(self._path, body, wait=wait, idempotency_key=idempotency_key)
        return job_of(self._transport, record)


class AsyncCircuits(_AsyncJobs[CircuitResult]):
    """Single circuits, as of :class:`Client`."""

    async def run(
        self,
        circuit: Circuit,
        *,
        shots: int = 1000,
        processor: str = DEFAULT_PROCESSOR,
        timeout: float | None = None,
        progress: Progress = False,
        **fields: Any,
    ) -> CircuitResult:
        """Runs a circuit and returns its result."""
        job = await self._submit(circuit_body(circuit, shots, processor, fields), _HELD_S, None)
        return await job.result(timeout, progress=progress)

    async def submit(
        self,
        circuit: Circuit,
        *,
        shots: int = 1000,
        processor: str = DEFAULT_PROCESSOR,
        wait: int = 0,
        idempotency_key: str | None = None,
        **fields: Any,
    ) -> AsyncJob[CircuitResult]:
        """Submits a circuit and returns its job at once, or after ``wait`` seconds at most."""
        return await self._submit(circuit_body(circuit, shots, processor, fields), wait, idempotency_key)

    async def estimate(
        self,
        circuit: Circuit,
        *,
        shots: int = 1000,
        processor: str = DEFAULT_PROCESSOR,
        **fields: Any,
    ) -> dict[str, Any]:
        """Estimates a run without submitting it."""
        return await self._estimate(circuit_body(circuit, shots, processor, fields))


class AsyncBatches(_AsyncJobs[BatchResult]):
    """Many programs in one request, as of :class:`Client`."""

    async def run(
        self,
        programs: Sequence[Mapping[str, Any] | Program],
        *,
        processor: str = DEFAULT_PROCESSOR,
        timeout: float | None = None,
        progress: Progress = False,
        **fields: Any,
    ) -> BatchResult:
        """Runs programs and returns their results in order."""
        job = await self._submit(batch_body(programs, processor, fields), _HELD_S, None)
        return await job.result(timeout, progress=progress)

    async def submit(
        self,
        programs: Sequence[Mapping[str, Any] | Program],
        *,
        processor: str = DEFAULT_PROCESSOR,
        wait: int = 0,
        idempotency_key: str | None = None,
        **fields: Any,
    ) -> AsyncJob[BatchResult]:
        """Submits programs and returns their job at once, or after ``wait`` seconds at most."""
        return await self._submit(batch_body(programs, processor, fields), wait, idempotency_key)

    async def estimate(
        self,
        programs: Sequence[Mapping[str, Any] | Program],
        *,
        processor: str = DEFAULT_PROCESSOR,
        **fields: Any,
    ) -> dict[str, Any]:
        """Estimates a run without submitting it."""
        return await self._estimate(batch_body(programs, processor, fields))


class AsyncExperiments(_AsyncJobs[ExperimentResult]):
    """Logical errors of many circuits, as of :class:`Client`."""

    async def run(
        self,
        tasks: Task | Sequence[Task],
        *,
        processor: str | None = None,
        timeout: float | None = None,
        progress: Progress = False,
        **fields: Any,
    ) -> ExperimentResult:
        """Runs tasks and returns their counts in order."""
        job = await self._submit(experiment_body(tasks, processor, fields), _HELD_S, None)
        return await job.result(timeout, progress=progress)

    async def submit(
        self,
        tasks: Task | Sequence[Task],
        *,
        processor: str | None = None,
        wait: int = 0,
        idempotency_key: str | None = None,
        **fields: Any,
    ) -> AsyncJob[ExperimentResult]:
        """Submits tasks and returns their job at once, or after ``wait`` seconds at most."""
        return await self._submit(experiment_body(tasks, processor, fields), wait, idempotency_key)

    async def estimate(
        self,
        tasks: Task | Sequence[Task],
        *,
        processor: str | None = None,
        **fields: Any,
    ) -> dict[str, Any]:
        """Estimates a run without submitting it."""
        return await self._estimate(experiment_body(tasks, processor, fields))

"""The client of one service, which waits for each answer."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import httpx

from .async_client import AsyncBatches, AsyncCircuits, AsyncClient, AsyncExperiments
from .experiments import ExperimentResult, Task
from .http_io import BlockingIo, iterate_now, now
from .job_view import Progress
from .jobs import Job
from .requests import DEFAULT_PROCESSOR, Circuit, Program, StimCircuit
from .results import BatchResult, CircuitResult
from .samples import Samples


class Client:
    """Client of one service. Safe to share between threads.

    Args:
        url: address of the service, with or without ``/api/v1``; by default ``QCS_URL``, or the service on this machine.
        key: API key; by default ``QCS_API_KEY``.
        retry_for: seconds for which a request is tried again after lost connections and refusals that say when to
            come back (rate limits, a service that restarts). A service that has not answered yet is tried for two
            seconds.
        http: an ``httpx.Client`` of your own, for proxies or certificates.
    """

    def __init__(
        self,
        url: str | None = None,
        key: str | None = None,
        *,
        retry_for: float = 120.0,
        http: httpx.Client | None = None,
    ) -> None:
        self._core = _BlockingCore(url, key, retry_for, http)
        self.circuits = Circuits(self._core.circuits)
        """Circuits: ``run``, ``submit`` and ``list``."""
        self.batches = Batches(self._core.batches)
        """Batches: ``run``, ``submit`` and ``list``."""
        self.experiments = Experiments(self._core.experiments)
        """Experiments: ``run``, ``submit`` and ``list``."""

    @property
    def url(self) -> str:
        return self._core.url

    def job(self, id: str) -> Job[Any]:
        """Job of any kind by its id."""
        return Job(now(self._core.job(id)))

    def collect(
        self,
        tasks: Task | Sequence[Task],
        *,
        max_shots: int | None = None,
        max_errors: int | None = None,
        timeout: float | None = None,
        progress: Progress = False,
        **fields: Any,
    ) -> ExperimentResult:
        """Samples and decodes tasks until each has its shots or errors, and returns their counts, as ``sinter.collect``
        does.

        A task is a ``sinter.Task``, a ``stim.Circuit``, or an object as in the request. ``fields`` are further fields of
        the request: ``decoder`` (Sinter's ``pymatching`` is ``matching``), ``relative_error``, ``sampling``, ``seed``,
        ``priority``, ``name`` and ``tags``.
        """
        return now(
            self._core.collect(
                tasks,
                max_shots=max_shots,
                max_errors=max_errors,
                timeout=timeout,
                progress=progress,
                **fields,
            )
        )

    def sample(
        self,
        circuit: StimCircuit | str,
        shots: int,
        *,
        seed: int | None = None,
        bit_packed: bool = False,
        processor: str = "qvm",
    ) -> Samples:
        """Measurements of a circuit, as ``circuit.compile_sampler(seed=…).sample(shots, bit_packed=…)`` returns them.

        Shots that are too many for one request are drawn by several, with successive seeds.

        Args:
            circuit: a ``stim.Circuit``, or text in Stim's format, which may have gates that Stim does not read, such as T.
                A text without measurements has all its qubits measured.
            seed: draws the same shots again, on the same version of the service.

        Returns:
            Shape (shots, measurements), or (shots, ⌈measurements / 8⌉) if ``bit_packed``.
        """
        return now(self._core.sample(circuit, shots, seed=seed, bit_packed=bit_packed, processor=processor))

    def reference_sample(
        self, circuit: StimCircuit | str, *, bit_packed: bool = False, processor: str = "qvm"
    ) -> Samples:
        """Measurements of one run without noise, as ``circuit.reference_sample(bit_packed=…)`` returns them.

        Args:
            circuit: as of :meth:`sample`, with Clifford gates alone.

        Returns:
            Shape (measurements,), or (⌈measurements / 8⌉,) if ``bit_packed``.
        """
        return now(self._core.reference_sample(circuit, bit_packed=bit_packed, processor=processor))

    def sample_detectors(
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
        """Detection events of a circuit, as ``circuit.compile_detector_sampler(seed=…).sample(shots, …)`` returns them.

        Args:
            circuit, seed: as of :meth:`sample`.
            prepend_observables, append_observables: put the flips of the logical observables before or after the events.
            separate_observables: returns both as two arrays.

        Returns:
            Shape (shots, detectors), with more columns for observables, or two arrays.

        Raises:
            ValueError: if observables are asked for separately and as columns.
        """
        return now(
            self._core.sample_detectors(
                circuit,
                shots,
                seed=seed,
                prepend_observables=prepend_observables,
                append_observables=append_observables,
                separate_observables=separate_observables,
                bit_packed=bit_packed,
                processor=processor,
            )
        )

    def processors(self) -> list[dict[str, Any]]:
        """Processors with their limits and whether they take work now."""
        return now(self._core.processors())

    def processor(self, id: str) -> dict[str, Any]:
        """One processor."""
        return now(self._core.processor(id))

    def operations(self) -> list[dict[str, Any]]:
        """Catalog of gates and other operations."""
        return now(self._core.operations())

    def compile(self, circuit: Circuit, **fields: Any) -> dict[str, Any]:
        """Compiles a circuit without running it; ``fields`` are those of ``POST /quantum/compile``, such as
        ``target_processor`` and ``device``."""
        return now(self._core.compile(circuit, **fields))

    def key_info(self) -> dict[str, Any]:
        """Tier, limits and current usage of the key."""
        return now(self._core.key_info())

    def close(self) -> None:
        """Closes the connections."""
        now(self._core.close())

    def __enter__(self) -> Client:  # noqa: PYI034
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Client {self.url}>"


class _BlockingCore(AsyncClient):
    """Coroutines that wait in the thread of their caller."""

    def __init__(self, url: str | None, key: str | None, retry_for: float, http: httpx.Client | None) -> None:
        self._open(url, key, retry_for, BlockingIo(http))


class Circuits:
    """Single circuits."""

    def __init__(self, core: AsyncCircuits) -> None:
        self._core = core

    def run(
        self,
        circuit: Circuit,
        *,
        shots: int = 1000,
        processor: str = DEFAULT_PROCESSOR,
        timeout: float | None = None,
        progress: Progress = False,
        **fields: Any,
    ) -> CircuitResult:
        """Runs a circuit and returns its result.

        ``circuit`` is a list of gate objects, or OpenQASM text. ``fields`` are further fields of the request:
        ``inputs``, ``observables``, ``basis_states``, ``qubits``, ``seed``, ``noise`` (a model or its name), ``method``, ``device`` (for the
        processor ``emulator``), ``priority``, ``name``, ``tags``, and ``return_`` for ``return``.
        """
        return now(
            self._core.run(
                circuit, shots=shots, processor=processor, timeout=timeout, progress=progress, **fields
            )
        )

    def submit(
        self,
        circuit: Circuit,
        *,
        shots: int = 1000,
        processor: str = DEFAULT_PROCESSOR,
        wait: int = 0,
        idempotency_key: str | None = None,
        **fields: Any,
    ) -> Job[CircuitResult]:
        """Submits a circuit and returns its job at once, or after ``wait`` seconds at most."""
        return Job(
            now(
                self._core.submit(
                    circuit,
                    shots=shots,
                    processor=processor,
                    wait=wait,
                    idempotency_key=idempotency_key,
                    **fields,
                )
            )
        )

    def estimate(
        self,
        circuit: Circuit,
        *,
        shots: int = 1000,
        processor: str = DEFAULT_PROCESSOR,
        **fields: Any,
    ) -> dict[str, Any]:
        """Estimates a run without submitting it; the arguments are those of :meth:`run`.

        Returns:
            The fields of ``POST /quantum/estimate``: ``run_ms``, ``memory_bytes``, ``method``, ``method_reason``,
            ``expected_start_at`` and others. Times are milliseconds.
        """
        return now(self._core.estimate(circuit, shots=shots, processor=processor, **fields))

    def list(self, **filters: Any) -> Iterator[Job[CircuitResult]]:
        """The key's circuits, newest first, fetched page by page.

        ``filters`` are those of the listing: ``status``, ``name``, ``tag``, ``search``, ``created_after``,
        ``created_before``, and ``limit``, the number of jobs in a page.
        """
        return map(Job, iterate_now(self._core.list(**filters)))


class Batches:
    """Many programs in one request; each may be a sweep of its inputs."""

    def __init__(self, core: AsyncBatches) -> None:
        self._core = core

    def run(
        self,
        programs: Sequence[Mapping[str, Any] | Program],
        *,
        processor: str = DEFAULT_PROCESSOR,
        timeout: float | None = None,
        progress: Progress = False,
        **fields: Any,
    ) -> BatchResult:
        """Runs programs and returns their results in order.

        A program is a :class:`Program`, or an object as in the request. ``fields`` are further fields of the request,
        such as ``shots``, ``seed``, ``noise`` (a model or its name), ``method``, ``device`` (for the processor
        ``emulator``) and ``priority``, and ``return_`` for ``return``.
        """
        return now(
            self._core.run(programs, processor=processor, timeout=timeout, progress=progress, **fields)
        )

    def submit(
        self,
        programs: Sequence[Mapping[str, Any] | Program],
        *,
        processor: str = DEFAULT_PROCESSOR,
        wait: int = 0,
        idempotency_key: str | None = None,
        **fields: Any,
    ) -> Job[BatchResult]:
        """Submits programs and returns their job at once, or after ``wait`` seconds at most."""
        return Job(
            now(
                self._core.submit(
                    programs, processor=processor, wait=wait, idempotency_key=idempotency_key, **fields
                )
            )
        )

    def estimate(
        self,
        programs: Sequence[Mapping[str, Any] | Program],
        *,
        processor: str = DEFAULT_PROCESSOR,
        **fields: Any,
    ) -> dict[str, Any]:
        """Estimates a run without submitting it; see :meth:`Circuits.estimate`. ``programs`` has the figures of each."""
        return now(self._core.estimate(programs, processor=processor, **fields))

    def list(self, **filters: Any) -> Iterator[Job[BatchResult]]:
        """The key's batches, newest first; ``filters`` as of :meth:`Circuits.list`."""
        return map(Job, iterate_now(self._core.list(**filters)))


class Experiments:
    """Logical errors of many circuits in one request."""

    def __init__(self, core: AsyncExperiments) -> None:
        self._core = core

    def run(
        self,
        tasks: Task | Sequence[Task],
        *,
        processor: str | None = None,
        timeout: float | None = None,
        progress: Progress = False,
        **fields: Any,
    ) -> ExperimentResult:
        """Runs tasks and returns their counts in order; see :meth:`Client.collect`."""
        return now(
            self._core.run(tasks, processor=processor, timeout=timeout, progress=progress, **fields)
        )

    def submit(
        self,
        tasks: Task | Sequence[Task],
        *,
        processor: str | None = None,
        wait: int = 0,
        idempotency_key: str | None = None,
        **fields: Any,
    ) -> Job[ExperimentResult]:
        """Submits tasks and returns their job at once, or after ``wait`` seconds at most."""
        return Job(
            now(
                self._core.submit(
                    tasks, processor=processor, wait=wait, idempotency_key=idempotency_key, **fields
                )
            )
        )

    def estimate(
        self,
        tasks: Task | Sequence[Task],
        *,
        processor: str | None = None,
        **fields: Any,
    ) -> dict[str, Any]:
        """Estimates the time for ``max_shots`` of all tasks; see :meth:`Circuits.estimate`. ``tasks`` has the figures of each."""
        return now(self._core.estimate(tasks, processor=processor, **fields))

    def list(self, **filters: Any) -> Iterator[Job[ExperimentResult]]:
        """The key's experiments, newest first; ``filters`` as of :meth:`Circuits.list`."""
        return map(Job, iterate_now(self._core.list(**filters)))

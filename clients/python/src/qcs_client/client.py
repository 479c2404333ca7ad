"""The client of one service."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Generic, TypeVar

import httpx
import numpy as np

from .arrays import pack
from .errors import QcsError
from .jobs import KINDS, Job, Progress, job_of
from .results import BatchResult, CircuitResult
from .transport import Transport

ResultT = TypeVar("ResultT")

DEFAULT_URL = "http://127.0.0.1:8080"
DEFAULT_PROCESSOR = "statevector-sim"
#: A submission that waits for its result asks the service to hold the answer for this long. A job that takes longer
#: is then watched by its events, so that no proxy on the way meets a request of many minutes.
_HELD_S = 20


class Client:
    """Client of one service.

    Args:
        url: address of the service; by default ``QCS_URL``, or the service on this machine.
        key: API key; by default ``QCS_API_KEY``.
        retry_for: seconds for which a request is tried again after lost connections and refusals that say when to
            come back (rate limits, a service that restarts).
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
        key = key or os.environ.get("QCS_API_KEY")
        if not key:
            raise QcsError("There is no API key: pass key=… or set QCS_API_KEY.")
        url = url or os.environ.get("QCS_URL") or DEFAULT_URL
        self._transport = Transport(url, key, retry_for=retry_for, http=http)
        self.circuits = Circuits(self._transport, "circ_")
        """Circuits: ``run``, ``submit`` and ``list``."""
        self.batches = Batches(self._transport, "batch_")
        """Batches: ``run``, ``submit`` and ``list``."""

    @property
    def url(self) -> str:
        return self._transport.url

    def job(self, id: str) -> Job[Any]:
        """Job of any kind by its id."""
        prefix, found, _ = id.partition("_")
        if not found or f"{prefix}_" not in KINDS:
            raise QcsError(f"{id!r} is no id of a job; one begins with {', '.join(KINDS)}.")
        return Job(self._transport, id, self._transport.get(f"{KINDS[f'{prefix}_'][0]}/{id}"))

    def processors(self) -> list[dict[str, Any]]:
        """Processors with their limits and whether they take work now."""
        return list(self._transport.get("/quantum/processors")["processors"])

    def processor(self, id: str) -> dict[str, Any]:
        """One processor."""
        return dict(self._transport.get(f"/quantum/processors/{id}"))

    def operations(self) -> list[dict[str, Any]]:
        """Catalog of gates and other operations."""
        return list(self._transport.get("/quantum/operations")["operations"])

    def compile(self, circuit: Sequence[Mapping[str, Any]] | str, **fields: Any) -> dict[str, Any]:
        """Compiles a circuit without running it; ``fields`` are those of ``POST /quantum/compile``."""
        return dict(self._transport.post("/quantum/compile", {**source(circuit), **fields}))

    def key_info(self) -> dict[str, Any]:
        """Tier, limits and current usage of the key."""
        return dict(self._transport.get("/keys/info"))

    def close(self) -> None:
        """Closes the connections."""
        self._transport.close()

    def __enter__(self) -> Client:  # noqa: PYI034
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Client {self.url}>"


class _Jobs(Generic[ResultT]):
    """Jobs of one kind."""

    def __init__(self, transport: Transport, prefix: str) -> None:
        self._transport = transport
        self._path = KINDS[prefix][0]

    def list(self, **filters: Any) -> Iterator[Job[ResultT]]:
        """The key's jobs, newest first, fetched page by page.

        ``filters`` are those of the listing: ``status``, ``name``, ``tag``, ``created_after``, ``created_before``, and
        ``limit``, the number of jobs in a page.
        """
        cursor: str | None = None
        while True:
            page = self._transport.get(self._path, {**filters, **({"cursor": cursor} if cursor else {})})
            for record in page[self._path.rpartition("/")[2]]:
                yield job_of(self._transport, record)
            cursor = page.get("next_cursor")
            if cursor is None:
                return

    def _submit(
        self, body: Mapping[str, Any] | bytes, wait: int, idempotency_key: str | None
    ) -> Job[ResultT]:
        record = self._transport.post(self._path, body, wait=wait, idempotency_key=idempotency_key)
        return job_of(self._transport, record)


class Circuits(_Jobs[CircuitResult]):
    """Single circuits."""

    def run(
        self,
        circuit: Sequence[Mapping[str, Any]] | str,
        *,
        shots: int = 1000,
        processor: str = DEFAULT_PROCESSOR,
        timeout: float | None = None,
        progress: Progress = False,
        **fields: Any,
    ) -> CircuitResult:
        """Runs a circuit and returns its result.

        ``circuit`` is a list of gate objects, or OpenQASM text. ``fields`` are further fields of the request:
        ``inputs``, ``observables``, ``qubits``, ``seed``, ``priority``, ``name``, ``tags``, and ``return_`` for
        ``return``.
        """
        job = self._submit(_circuit_body(circuit, shots, processor, fields), _HELD_S, None)
        return job.result(timeout, progress=progress)

    def submit(
        self,
        circuit: Sequence[Mapping[str, Any]] | str,
        *,
        shots: int = 1000,
        processor: str = DEFAULT_PROCESSOR,
        wait: int = 0,
        idempotency_key: str | None = None,
        **fields: Any,
    ) -> Job[CircuitResult]:
        """Submits a circuit and returns its job at once, or after ``wait`` seconds at most."""
        return self._submit(_circuit_body(circuit, shots, processor, fields), wait, idempotency_key)


class Batches(_Jobs[BatchResult]):
    """Many programs in one request; each may be a sweep of its inputs."""

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
        such as ``shots``, ``seed`` and ``priority``, and ``return_`` for ``return``.
        """
        job = self._submit(_batch_body(programs, processor, fields), _HELD_S, None)
        return job.result(timeout, progress=progress)

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
        return self._submit(_batch_body(programs, processor, fields), wait, idempotency_key)


class Program:
    """A circuit of a batch with values of its inputs.

    A structure that is sent many times is written as JSON once: pass ``source_json`` and ``observables_json`` from an
    earlier program instead of the objects (``program.source_json``).

    Args:
        circuit: gate objects or OpenQASM text.
        inputs: values by name: numbers, or arrays of one length, which make a sweep.
        observables: Pauli terms, or lists of terms that are summed.
        fields: further fields of a program: ``shots``, ``seed``, ``qubits``, ``name``, and ``return_`` for ``return``.
    """

    def __init__(
        self,
        circuit: Sequence[Mapping[str, Any]] | str | None = None,
        *,
        inputs: Mapping[str, Any] | None = None,
        observables: Sequence[Any] | None = None,
        source_json: str | None = None,
        observables_json: str | None = None,
        **fields: Any,
    ) -> None:
        if circuit is not None:
            source_json = _inner(source(circuit))
        if source_json is None:
            raise ValueError("A program needs a circuit.")
        self.source_json = source_json
        self.observables_json = json.dumps(observables) if observables is not None else observables_json
        self._inputs = inputs or {}
        self._fields = _named(fields)

    def to_json(self) -> str:
        """The program as it stands in the request."""
        parts = [self.source_json]
        if self._inputs:
            parts.append(f'"inputs":{json.dumps(_input_values(self._inputs), allow_nan=False)}')
        if self.observables_json is not None:
            parts.append(f'"observables":{self.observables_json}')
        if self._fields:
            parts.append(_inner(self._fields))
        return "{" + ",".join(parts) + "}"


def source(circuit: Sequence[Mapping[str, Any]] | str) -> dict[str, Any]:
    """Field of a request that holds a circuit: ``qasm`` for text, ``circuit`` for gate objects."""
    return {"qasm": circuit} if isinstance(circuit, str) else {"circuit": list(circuit)}


def _circuit_body(
    circuit: Sequence[Mapping[str, Any]] | str, shots: int, processor: str, fields: Mapping[str, Any]
) -> dict[str, Any]:
    return {**source(circuit), "target_processor": processor, "shots": shots, **_named(fields)}


def _batch_body(
    programs: Sequence[Mapping[str, Any] | Program], processor: str, fields: Mapping[str, Any]
) -> bytes:
    listed = ",".join(
        program.to_json() if isinstance(program, Program) else _object_json(program) for program in programs
    )
    body = {"target_processor": processor, "array_format": "base64", **_named(fields)}
    return f'{{{_inner(body)},"programs":[{listed}]}}'.encode()


def _object_json(program: Mapping[str, Any]) -> str:
    if "inputs" not in program:
        return json.dumps(program, allow_nan=False)
    return json.dumps({**program, "inputs": _input_values(program["inputs"])}, allow_nan=False)


def _input_values(inputs: Mapping[str, Any]) -> dict[str, Any]:
    for name, value in inputs.items():
        # JSON has no such numbers. Those in arrays are refused by the service.
        if isinstance(value, float) and not math.isfinite(value):
            raise QcsError(f"The input {name} is {value}; it must be finite.")
    return {name: _input_value(value) for name, value in inputs.items()}


def _input_value(value: Any) -> Any:
    """Arrays of numbers go as base64; what is not an array of numbers goes as it is."""
    if isinstance(value, (bool, int, float, str)):
        return value
    array = np.asarray(value)
    if array.ndim == 0:
        return array.item()
    return array.tolist() if array.dtype.kind == "b" else pack(array)


def _inner(fields: Mapping[str, Any]) -> str:
    """Members of an object as JSON, without the braces."""
    return json.dumps(fields, allow_nan=False, separators=(",", ":"))[1:-1]


def _named(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Fields of a request; ``return`` is a word of Python and comes as ``return_``. None stands for absent."""
    return {name.rstrip("_"): value for name, value in fields.items() if value is not None}

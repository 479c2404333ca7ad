"""Samples of a circuit in Stim's format, as the samplers that Stim compiles return them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from .requests import StimCircuit, StimText
from .results import CircuitResult

if TYPE_CHECKING:
    from .async_client import AsyncClient

Samples: TypeAlias = NDArray[Any]
"""One row for each shot: bool with a column for each bit, or uint8 with eight bits in each, the first the lowest."""

#: Bits that a request returns at most, of all shots; the rows of a shot are padded to bytes.
_MAX_BITS = 2**28
#: Most bits of a shot: its measurements, or its detectors and observables.
_MAX_WIDTH = 2**20
_SEEDS = 2**53


async def sample(
    client: AsyncClient,
    circuit: StimCircuit | str,
    shots: int,
    *,
    seed: int | None,
    bit_packed: bool,
    processor: str,
) -> Samples:
    """See :meth:`qcs_client.Client.sample`."""

    def bits(result: CircuitResult) -> Samples:
        drawn: Samples = _present(result.measurements)
        return drawn

    width = None if isinstance(circuit, str) else circuit.num_measurements
    drawn = await _drawn(client, circuit, shots, "measurements", width, seed, processor, bits)
    return _rows(drawn, bit_packed)


async def reference_sample(
    client: AsyncClient, circuit: StimCircuit | str, *, bit_packed: bool, processor: str
) -> Samples:
    """See :meth:`qcs_client.Client.reference_sample`."""

    def bits(result: CircuitResult) -> Samples:
        drawn: Samples = _present(result.reference_sample)[np.newaxis]
        return drawn

    width = None if isinstance(circuit, str) else circuit.num_measurements
    drawn = await _drawn(client, circuit, 1, "reference_sample", width, None, processor, bits)
    row: Samples = _rows(drawn, bit_packed)[0]
    return row


async def sample_detectors(
    client: AsyncClient,
    circuit: StimCircuit | str,
    shots: int,
    *,
    seed: int | None,
    prepend_observables: bool,
    append_observables: bool,
    separate_observables: bool,
    bit_packed: bool,
    processor: str,
) -> Samples | tuple[Samples, Samples]:
    """See :meth:`qcs_client.Client.sample_detectors`."""
    if separate_observables and (prepend_observables or append_observables):
        raise ValueError("separate_observables goes with neither prepend_observables nor append_observables.")
    num_detectors = 0 if isinstance(circuit, str) else circuit.num_detectors
    width = None if isinstance(circuit, str) else num_detectors + circuit.num_observables

    def bits(result: CircuitResult) -> Samples:
        nonlocal num_detectors
        events = _present(result.detection_events)
        num_detectors = events[0].shape[1]
        return np.concatenate(events, axis=1)

    drawn = await _drawn(client, circuit, shots, "detection_events", width, seed, processor, bits)
    detectors, observables = drawn[:, :num_detectors], drawn[:, num_detectors:]
    if separate_observables:
        return _rows(detectors, bit_packed), _rows(observables, bit_packed)
    columns = [observables] * prepend_observables + [detectors] + [observables] * append_observables
    return _rows(np.concatenate(columns, axis=1), bit_packed)


async def _drawn(
    client: AsyncClient,
    circuit: StimCircuit | str,
    shots: int,
    output: str,
    width: int | None,
    seed: int | None,
    processor: str,
    bits: Callable[[CircuitResult], Samples],
) -> Samples:
    """Bits of all shots, by as many requests as that takes. ``width`` is the number of bits of a shot, None if unknown."""
    if width is not None and (shots == 0 or width == 0):
        return np.zeros((shots, width), dtype=bool)
    source = StimText(circuit) if isinstance(circuit, str) else circuit
    most = int((await client.processor(processor))["max_shots"])
    # A text says how wide its shots are by its first answer, which has one shot if none are wanted.
    widest = _MAX_WIDTH if isinstance(circuit, str) else max(width or 0, circuit.num_measurements)
    parts: list[Samples] = []
    while not parts or sum(map(len, parts)) < shots:
        limit = max(1, min(most, _MAX_BITS // (8 * -(-widest // 8))))
        result = await client.circuits.run(
            source,
            shots=max(1, min(limit, shots - sum(map(len, parts)))),
            processor=processor,
            return_=[output],
            seed=None if seed is None else (seed + len(parts)) % _SEEDS,
        )
        parts.append(bits(result))
        widest = max(1, parts[0].shape[1], len(result.measured_qubits or []))
    return np.concatenate(parts)[:shots]


def _present(value: Any) -> Any:
    """An output that was asked for."""
    if value is None:
        raise RuntimeError("unreachable: the answer lacks an output of its request")
    return value


def _rows(bits: Samples, bit_packed: bool) -> Samples:
    return np.packbits(bits, axis=1, bitorder="little") if bit_packed else bits

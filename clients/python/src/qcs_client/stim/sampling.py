"""Samples of a ``stim.Circuit``, as the samplers that Stim compiles return them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ..client import Client
from ..results import CircuitResult

Samples: TypeAlias = NDArray[Any]
"""One row for each shot: bool with a column for each bit, or uint8 with eight bits in each, the first the lowest."""

#: Bits that a request returns at most, of all shots; the rows of a shot are padded to bytes.
_MAX_BITS = 2**28
_SEEDS = 2**53


def sample(
    client: Client,
    circuit: Any,
    shots: int,
    *,
    seed: int | None = None,
    bit_packed: bool = False,
    processor: str = "qvm",
) -> Samples:
    """Measurements of a circuit, as ``circuit.compile_sampler(seed=…).sample(shots, bit_packed=…)`` returns them.

    Shots that are too many for one request are drawn by several, with successive seeds.

    Args:
        circuit: a ``stim.Circuit``.
        seed: draws the same shots again, on the same version of the service.

    Returns:
        Shape (shots, measurements), or (shots, ⌈measurements / 8⌉) if ``bit_packed``.
    """
    width = circuit.num_measurements

    def bits(result: CircuitResult) -> Samples:
        drawn: Samples = _present(result.measurements)
        return drawn

    parts = _drawn(client, circuit, shots, "measurements", width, seed, processor, bits)
    return _rows(np.concatenate(parts), bit_packed)


def sample_detectors(
    client: Client,
    circuit: Any,
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
        circuit: a ``stim.Circuit``.
        seed: as of :func:`sample`.
        prepend_observables, append_observables: put the flips of the logical observables before or after the events.
        separate_observables: returns both as two arrays.

    Returns:
        Shape (shots, detectors), with more columns for observables, or two arrays.

    Raises:
        ValueError: if observables are asked for separately and as columns.
    """
    if separate_observables and (prepend_observables or append_observables):
        raise ValueError("separate_observables goes with neither prepend_observables nor append_observables.")
    num_detectors = circuit.num_detectors
    width = num_detectors + circuit.num_observables

    def bits(result: CircuitResult) -> Samples:
        return np.concatenate(_present(result.detection_events), axis=1)

    drawn = np.concatenate(_drawn(client, circuit, shots, "detection_events", width, seed, processor, bits))
    detectors, observables = drawn[:, :num_detectors], drawn[:, num_detectors:]
    if separate_observables:
        return _rows(detectors, bit_packed), _rows(observables, bit_packed)
    columns = [observables] * prepend_observables + [detectors] + [observables] * append_observables
    return _rows(np.concatenate(columns, axis=1), bit_packed)


def _drawn(
    client: Client,
    circuit: Any,
    shots: int,
    output: str,
    width: int,
    seed: int | None,
    processor: str,
    bits: Callable[[CircuitResult], Samples],
) -> list[Samples]:
    """Bits of all shots, by request. The first array is empty: it has the shape if there is nothing to ask for."""
    parts: list[Samples] = [np.zeros((shots if width == 0 else 0, width), dtype=bool)]
    if shots == 0 or width == 0:
        return parts
    widest = 8 * -(-max(width, circuit.num_measurements) // 8)
    limit = max(1, min(int(client.processor(processor)["max_shots"]), _MAX_BITS // widest))
    for number, first in enumerate(range(0, shots, limit)):
        result = client.circuits.run(
            circuit,
            shots=min(limit, shots - first),
            processor=processor,
            return_=[output],
            seed=None if seed is None else (seed + number) % _SEEDS,
        )
        parts.append(bits(result))
    return parts


def _present(value: Any) -> Any:
    """An output that was asked for."""
    if value is None:
        raise RuntimeError("unreachable: the answer lacks an output of its request")
    return value


def _rows(bits: Samples, bit_packed: bool) -> Samples:
    return np.packbits(bits, axis=1, bitorder="little") if bit_packed else bits

"""SamplerV2 on batches."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from qiskit.primitives import BaseSamplerV2, BitArray, DataBin, PrimitiveResult, SamplerPubResult
from qiskit.primitives.containers.sampler_pub import SamplerPub, SamplerPubLike

from ..results import ProgramResult
from .backend import QcsBackend, QcsProvider
from .circuits import ServiceCircuit
from .jobs import QcsPrimitiveJob, method_metadata, submit_pubs
from .noise import as_noise
from .objects import sent_circuit


class SamplerV2(BaseSamplerV2):
    """Samples circuits at the service. All PUBs of a ``run`` are one request, and a sweep is sent as one program.

    Args:
        backend: where to run; by default the statevector simulator of the service that ``QCS_URL`` names.
        default_shots: shots of PUBs that name none.
        seed: the same PUBs with the same seed give the same result.
        noise: a noise model of the service, the name of one, or one of Qiskit Aer (see :func:`noise_from_aer`).
        method: how the service simulates, such as ``"density_matrix"``; by default it chooses.
        max_bond_dimension, truncation_threshold: limits of matrix product states; beyond the largest bond (256), and
            below the weight (1e-12), the service cuts. The metadata of a result has what that left out.
        device: the device that the processor ``emulator`` emulates: its coupling map, native gates and noise.
    """

    def __init__(
        self,
        backend: QcsBackend | None = None,
        *,
        default_shots: int = 1024,
        seed: int | None = None,
        noise: Any = None,
        method: str | None = None,
        max_bond_dimension: int | None = None,
        truncation_threshold: float | None = None,
        device: Mapping[str, Any] | None = None,
    ) -> None:
        self.backend = backend or QcsProvider().get_backend()
        self.default_shots = default_shots
        self.seed = seed
        self.noise = as_noise(noise)
        self.method = method
        self.device = device
        self.max_bond_dimension = max_bond_dimension
        self.truncation_threshold = truncation_threshold

    def run(
        self, pubs: Iterable[SamplerPubLike], *, shots: int | None = None
    ) -> QcsPrimitiveJob[PrimitiveResult[SamplerPubResult]]:
        default = self.default_shots if shots is None else shots
        coerced = [SamplerPub.coerce(pub, default) for pub in pubs]
        if any(not pub.circuit.cregs for pub in coerced):
            warnings.warn(
                "One of your circuits has no classical registers, and so its result is empty. "
                "Did you mean to add measurement instructions?",
                UserWarning,
                stacklevel=2,
            )
        takes_states = self.backend.takes_states(self.method)
        keeps = self.backend.keeps_evolutions(self.noise)
        plans = [_Plan(pub, sent_circuit(pub.circuit, takes_states, keeps)) for pub in coerced]
        fields = {
            "seed": self.seed,
            "noise": self.noise,
            "method": self.method,
            "max_bond_dimension": self.max_bond_dimension,
            "truncation_threshold": self.truncation_threshold,
            "device": self.device,
        }
        return submit_pubs(self.backend, plans, return_=["counts"], **fields)


class _Plan:
    """A PUB and the programs that it needs."""

    def __init__(self, pub: SamplerPub, circuit: ServiceCircuit) -> None:
        self.pub = pub
        self.circuit = circuit
        self.programs = []
        if self.circuit.changes_bits and pub.parameter_values.size:
            values = pub.parameter_values.as_array(pub.circuit.parameters)
            values = values.reshape(pub.parameter_values.size, -1)
            sweeps = [values] if self.circuit.is_sweep else np.split(values, len(values))
            self.programs = [self.circuit.program(sweep, shots=pub.shots) for sweep in sweeps]

    def read(self, results: list[ProgramResult]) -> SamplerPubResult:
        arrays: dict[str, Any] = {}
        shape = self.pub.shape
        points = math.prod(shape)
        packed = [_packed_shots(result, self.circuit) for result in results]
        for name, bits in self.circuit.registers.items():
            num_bytes = -(-len(bits) // 8)
            # Registers of a circuit that measures nothing are zero, without being asked for.
            array = np.zeros((points, self.pub.shots, num_bytes), np.uint8)
            if packed:
                np.concatenate([registers[name] for registers in packed], out=array)
            arrays[name] = BitArray(array.reshape((*shape, self.pub.shots, num_bytes)), len(bits))
        return SamplerPubResult(
            DataBin(**arrays, shape=shape),
            metadata={
                "shots": self.pub.shots,
                "circuit_metadata": self.pub.circuit.metadata,
                **method_metadata(results),
            },
        )


def _packed_shots(result: ProgramResult, circuit: ServiceCircuit) -> dict[str, Any]:
    """Shots of each register as big-endian bytes, shape (points, shots, bytes), as ``BitArray`` stores them."""
    outcomes, index = circuit.shots(result)
    packed = {}
    for name, bits in circuit.registers.items():
        columns = outcomes[:, bits[::-1]]
        padded = np.pad(columns, ((0, 0), (-len(bits) % 8, 0)))
        # Many times faster than an array as an index.
        packed[name] = np.take(np.packbits(padded, axis=1), index, axis=0)
    return packed

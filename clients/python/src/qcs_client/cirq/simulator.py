"""Sampling and exact expectation values for Cirq."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import cirq
import numpy as np
from numpy.typing import NDArray

from ..client import Client
from ..errors import QcsError
from ..requests import DEFAULT_PROCESSOR, Program
from ..results import BatchResult, ProgramResult
from .circuits import ServiceCircuit
from .errors import QcsCirqError

#: Deviation of a norm from 1 that the service takes as rounding.
_NORM_TOLERANCE = 1e-6
#: Processors without noise of their own.
_WITHOUT_NOISE = frozenset({"statevector-sim", "gpu-fleet", "qvm"})


class QcsSimulator(cirq.Sampler, cirq.SimulatesExpectationValues):
    """A processor of the service. A sweep, or a list of circuits with sweeps, is one request.

    Args:
        processor: id of the processor.
        url, key, client: as of :class:`qcs_client.Client`, or a client of your own.
        seed: the same circuits with the same seed, on a new simulator, give the same samples.
        noise: noise of Cirq, such as ``cirq.depolarize(0.01)`` or a ``cirq.NoiseModel``, which is put into each circuit;
            or a noise model of the service, or the name of one. Exact values with noise need the processor ``qvm``.
        method: how the service simulates, such as ``"density_matrix"``; by default it chooses.
        max_bond_dimension, truncation_threshold: limits of matrix product states; beyond the largest bond (256), and
            below the weight (1e-12), the service cuts.
        device: the device that the processor ``emulator`` emulates: its coupling map, native gates and noise.
        loop_records: measurements of a key that are kept of one repetition, where the key is measured in a loop
            (``repeat_until``). More take longer.
    """

    def __init__(
        self,
        processor: str = DEFAULT_PROCESSOR,
        *,
        url: str | None = None,
        key: str | None = None,
        client: Client | None = None,
        seed: int | None = None,
        noise: Any = None,
        method: str | None = None,
        max_bond_dimension: int | None = None,
        truncation_threshold: float | None = None,
        device: Mapping[str, Any] | None = None,
        loop_records: int = 100,
    ) -> None:
        self.processor = processor
        self.client = client or Client(url, key)
        by_service = noise is None or isinstance(noise, (str, Mapping))
        like: Any = None if by_service else noise
        self._noise = None if like is None else cirq.NoiseModel.from_noise_model_like(like)
        own = noise if by_service else None
        self._fields: dict[str, Any] = {
            "noise": own,
            "method": method,
            "max_bond_dimension": max_bond_dimension,
            "truncation_threshold": truncation_threshold,
            "device": device,
        }
        self._seeds = None if seed is None else np.random.default_rng(seed)
        self._rng = np.random.default_rng(None if seed is None else [seed, 1])
        self._loop_records = loop_records

    def run_sweep(
        self, program: cirq.AbstractCircuit, params: cirq.Sweepable, repetitions: int = 1
    ) -> Sequence[cirq.Result]:
        """Samples at each point of a sweep."""
        return self.run_batch([program], [params], repetitions)[0]

    def run_batch(
        self,
        programs: Sequence[cirq.AbstractCircuit],
        params_list: Sequence[cirq.Sweepable] | None = None,
        repetitions: int | Sequence[int] = 1,
    ) -> Sequence[Sequence[cirq.Result]]:
        """Samples of several circuits, each at the points of its sweep."""
        sweeps, shots = self._normalize_batch_args(programs, params_list, repetitions)
        plans: list[tuple[ServiceCircuit, list[cirq.ParamResolver], list[Program]]] = []
        for program, sweep, number in zip(programs, sweeps, shots, strict=True):
            if not cirq.is_measurement(program):
                raise QcsCirqError("The circuit has no measurements to sample.")
            circuit = ServiceCircuit(
                self._with_noise(program),
                _ordered(program),
                is_sampled=True,
                loop_records=self._loop_records,
            )
            self._check_die(circuit)
            resolvers = list(cirq.to_resolvers(sweep))
            plans.append((circuit, resolvers, circuit.program(resolvers, shots=number, return_=["counts"])))
        results = iter(self._run([program for _, _, programs in plans for program in programs]))
        return [
            _sampled(circuit, resolvers, [next(results) for _ in programs], self._rng)
            for circuit, resolvers, programs in plans
        ]

    def simulate_expectation_values_sweep_iter(
        self,
        program: cirq.AbstractCircuit,
        observables: Any,
        params: cirq.Sweepable,
        qubit_order: cirq.QubitOrderOrList = cirq.QubitOrder.DEFAULT,
        initial_state: Any = None,
        permit_terminal_measurements: bool = False,
    ) -> Iterator[list[float]]:
        """Exact values of the observables at each point of a sweep."""
        if not permit_terminal_measurements and program.are_any_measurements_terminal():
            raise QcsCirqError(
                "The circuit has measurements at its end; pass permit_terminal_measurements=True."
            )
        sums = [
            cirq.PauliSum.wrap(one)
            for one in (observables if isinstance(observables, list) else [observables])
        ]
        order = cirq.QubitOrder.as_qubit_order(qubit_order).order_for(
            {*program.all_qubits(), *(qubit for one in sums for qubit in one.qubits)}
        )
        prepared = self._with_noise(cirq.drop_terminal_measurements(program.unfreeze()))
        resolvers = list(cirq.to_resolvers(params))
        place = {qubit: index for index, qubit in enumerate(order)}
        terms = [_terms(one, place) for one in sums]
        programs = ServiceCircuit(prepared, order).program(
            resolvers,
            observables=terms,
            return_=["expectation"],
            initial_state=_state(initial_state, order),
        )
        for result in self._run(programs):
            assert result.expectation is not None
            yield from result.expectation.tolist()

    def _with_noise(self, program: cirq.AbstractCircuit) -> cirq.AbstractCircuit:
        return program if self._noise is None else program.unfreeze().with_noise(self._noise)

    def _check_die(self, circuit: ServiceCircuit) -> None:
        """Refuses random bits from a qubit that would be noisy itself."""
        if circuit.has_die and (self._fields["noise"] is not None or self.processor not in _WITHOUT_NOISE):
            raise QcsCirqError(
                "A confusion map of a key that decides on operations is not supported with noise of the service, or "
                f"on {self.processor}; noise of Cirq is."
            )

    def _run(self, programs: Sequence[Program]) -> BatchResult | list[ProgramResult]:
        if not programs:
            return []
        seed = None if self._seeds is None else int(self._seeds.integers(2**53))
        try:
            return self.client.batches.run(programs, processor=self.processor, seed=seed, **self._fields)
        except QcsError as error:
            raise QcsCirqError(str(error)) from error


def _ordered(program: cirq.AbstractCircuit) -> tuple[cirq.Qid, ...]:
    return tuple(cirq.QubitOrder.DEFAULT.order_for(program.all_qubits()))


def _sampled(
    circuit: ServiceCircuit,
    resolvers: Sequence[cirq.ParamResolver],
    results: Sequence[ProgramResult],
    rng: np.random.Generator,
) -> list[cirq.Result]:
    points: list[NDArray[np.uint8]] = []
    for result in results:
        outcomes, index = result.shots_by_point()
        points += [outcomes[row] for row in index]
    return [
        cirq.ResultDict(params=resolver, records=circuit.records(bits, rng))
        for resolver, bits in zip(resolvers, points, strict=True)
    ]


def _state(initial_state: Any, qubits: Sequence[cirq.Qid]) -> Any:
    """An initial state as the service takes it: its first qubit, Cirq's most significant one, is qubit 0 there."""
    if initial_state is None:
        return None
    shape = (2,) * len(qubits)
    try:
        if isinstance(initial_state, int):
            bits = cirq.big_endian_int_to_bits(initial_state, bit_count=len(qubits))
            if cirq.big_endian_bits_to_int(bits) != initial_state:
                raise ValueError(f"The basis state {initial_state} has more than {len(qubits)} qubits.")
            return "".join(map(str, reversed(bits)))
        vector = cirq.to_valid_state_vector(
            initial_state, qid_shape=shape, dtype=np.complex128, atol=_NORM_TOLERANCE
        )
    except (TypeError, ValueError) as error:
        raise QcsCirqError(f"The initial state is none of {len(qubits)} qubits: {error}") from error
    return vector.reshape(shape).T.reshape(-1)


def _terms(total: cirq.PauliSum, place: dict[cirq.Qid, int]) -> list[dict[str, Any]]:
    terms = []
    for term in total:
        coefficient = complex(term.coefficient)
        if abs(coefficient.imag) > 1e-9 * max(1.0, abs(coefficient)):
            raise QcsCirqError(f"An observable must be Hermitian; it has the term {term}.")
        pauli = " ".join(f"{pauli}{place[qubit]}" for qubit, pauli in term.items())
        terms.append({"pauli": pauli or "I", "coefficient": coefficient.real})
    return terms or [{"pauli": "I", "coefficient": 0.0}]

"""Provider and backends: one backend for each processor of the service."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from qiskit import QuantumCircuit
from qiskit.circuit import ForLoopOp, IfElseOp, SwitchCaseOp, WhileLoopOp
from qiskit.providers import BackendV2, Options
from qiskit.providers.exceptions import QiskitBackendNotFoundError
from qiskit.result import Result
from qiskit.result.models import ExperimentResult, ExperimentResultData
from qiskit.transpiler import Target

from ..arrays import label_value
from ..client import Client
from ..jobs import Job
from ..requests import DEFAULT_PROCESSOR, SIMULATORS, STATE_METHODS, Program
from ..results import BatchResult, ProgramResult
from .circuits import ServiceCircuit, gates_of_service
from .device import device_target
from .errors import QcsQiskitError, qiskit_errors
from .jobs import QcsJob, method_metadata
from .noise import as_noise
from .objects import sent_circuit
from .saves import SavedCircuit, has_saves, saved_circuit

_MAX_CIRCUITS = 10_000
#: ``run`` holds its request for this long. Most work ends within it and needs no second request; what takes longer
#: is a job in the background.
_WAIT_S = 1


class QcsProvider:
    """Backends of a service.

    Args:
        url, key: as of :class:`qcs_client.Client`.
        client: a client to use instead.
    """

    def __init__(
        self, url: str | None = None, key: str | None = None, *, client: Client | None = None
    ) -> None:
        with qiskit_errors():
            self.client = client or Client(url, key)

    def backends(self, name: str | None = None, *, available: bool | None = None) -> list[QcsBackend]:
        """Backends, by name or by whether they take work now."""
        with qiskit_errors():
            processors = self.client.processors()
            operations = self.client.operations()
        return [
            QcsBackend(self, processor, operations)
            for processor in processors
            if name in (None, processor["id"]) and available in (None, processor["available"])
        ]

    def get_backend(self, name: str = DEFAULT_PROCESSOR) -> QcsBackend:
        """The backend of a processor."""
        found = self.backends(name)
        if not found:
            names = ", ".join(backend.name for backend in self.backends())
            raise QiskitBackendNotFoundError(f"There is no processor {name}; there are {names}.")
        return found[0]


class QcsBackend(BackendV2):
    """A processor of the service.

    Options of ``run``: ``shots`` (1024), ``seed_simulator``, ``memory``, and ``noise``, ``method``, ``max_bond_dimension``,
    ``truncation_threshold`` and ``device`` as of :class:`SamplerV2`.
    """

    def __init__(
        self, provider: QcsProvider, processor: dict[str, Any], operations: list[dict[str, Any]]
    ) -> None:
        super().__init__(provider=provider, name=processor["id"], description=processor["name"])
        self.processor = processor
        """The processor as the service lists it."""
        is_emulated = processor["family"] == "emulator" and "coupling_map" in processor
        self._target = (device_target if is_emulated else _free_target)(processor, operations)

    @property
    def target(self) -> Target:
        return self._target

    @property
    def gives_counts_only(self) -> bool:
        """Whether the processor is hardware: expectation values are estimated from shots there."""
        return bool(self.processor["family"] == "superconducting")

    @property
    def max_circuits(self) -> int:
        return _MAX_CIRCUITS

    @classmethod
    def _default_options(cls) -> Options:
        return Options(
            shots=1024, seed_simulator=None, memory=False, noise=None, **dict.fromkeys(_METHOD_OPTIONS)
        )

    def run(self, run_input: QuantumCircuit | Sequence[QuantumCircuit], **options: Any) -> QcsJob:
        """Runs circuits without free parameters in one request.

        Circuits may have Aer's ``save_*`` instructions, whose values are in ``result.data``: those of state vectors,
        probabilities, amplitudes, expectation values, density matrices and unitaries.
        """
        circuits: list[Any] = [run_input] if isinstance(run_input, QuantumCircuit) else list(run_input)
        unknown = options.keys() - dict(self.options).keys()
        if unknown:
            known = ", ".join(dict(self.options))
            raise QcsQiskitError(f"run has no option {', '.join(sorted(unknown))}; it has {known}.")
        chosen = {**dict(self.options), **options}
        for circuit in circuits:
            if circuit.parameters:
                names = ", ".join(parameter.name for parameter in circuit.parameters)
                raise QcsQiskitError(f"The circuit {circuit.name} has parameters without values: {names}.")
        takes_states = self.takes_states(chosen["method"])
        keeps = self.keeps_evolutions(chosen["noise"])
        translated = [
            saved_circuit(circuit, takes_states, keeps, chosen["method"])
            if has_saves(circuit)
            else sent_circuit(circuit, takes_states, keeps)
            for circuit in circuits
        ]
        for circuit, sent in zip(circuits, translated, strict=True):
            if not sent.changes_bits and not isinstance(sent, SavedCircuit):
                raise QcsQiskitError(f"The circuit {circuit.name} measures nothing; measure_all() would.")
        programs = [sent.program(np.empty((1, 0)), shots=chosen["shots"]) for sent in translated]
        fields = {"noise": as_noise(chosen["noise"]), **{name: chosen[name] for name in _METHOD_OPTIONS}}
        batch = self.submit(programs, seed=chosen["seed_simulator"], **fields)
        return QcsJob(self, batch, lambda result: self._result(result, batch.id, translated, chosen["memory"]))

    def takes_states(self, method: str | None) -> bool:
        """Whether circuits may begin in any amplitudes: by state vectors and density matrices, on simulators."""
        return self.name in SIMULATORS and method in STATE_METHODS

    def keeps_evolutions(self, noise: Any) -> bool:
        """Whether evolutions may be sent as EVOLVE: without noise, which acts on the gates of Qiskit's definition."""
        return self.name in SIMULATORS and noise is None

    def submit(self, programs: Sequence[Program], **fields: Any) -> Job[BatchResult]:
        """Submits a batch to this processor; its errors are Qiskit's."""
        client: Client = self.provider.client
        with qiskit_errors():
            return client.batches.submit(programs, processor=self.name, wait=_WAIT_S, **fields)

    def _result(
        self, batch: BatchResult, job_id: str, circuits: list[ServiceCircuit], memory: bool
    ) -> Result:
        return Result(
            backend_name=self.name,
            backend_version=self.backend_version,
            job_id=job_id,
            success=True,
            results=[
                _experiment(circuit, program, memory)
                for circuit, program in zip(circuits, batch, strict=True)
            ],
        )


#: Options of ``run`` that are fields of the request as they are.
_METHOD_OPTIONS = ("method", "max_bond_dimension", "truncation_threshold", "device")


def _width(processor: dict[str, Any]) -> int:
    """Qubits of the widest circuit that a method of the processor takes."""
    by_method = [method["max_qubits"] for method in processor.get("methods", [])]
    return int(max([processor["max_qubits"] or processor["qubits"], *by_method]))


def _free_target(processor: dict[str, Any], operations: list[dict[str, Any]]) -> Target:
    """All gates of the service on all qubits: the service itself fits circuits, where they need it."""
    target = Target(description=processor["name"], num_qubits=_width(processor))
    for gate in gates_of_service(operations):
        target.add_instruction(gate, None, name=gate.name)
    for flow in (IfElseOp, WhileLoopOp, ForLoopOp, SwitchCaseOp):
        target.add_instruction(flow, name=_FLOW_NAMES[flow])
    return target


_FLOW_NAMES = {
    IfElseOp: "if_else",
    WhileLoopOp: "while_loop",
    ForLoopOp: "for_loop",
    SwitchCaseOp: "switch_case",
}


def _experiment(sent: ServiceCircuit, program: ProgramResult, memory: bool) -> ExperimentResult:
    """Counts of one circuit in the form from which ``Result.get_counts`` makes labels with registers."""
    circuit, registers = sent.circuit, sent.registers
    # The registers one after the other, also where they share bits; bits in no register are left out, as they have no label.
    bits = [bit for each in registers.values() for bit in each] if registers else range(circuit.num_clbits)
    counts: dict[str, int] = {}
    for label, number in (program.counts[0] if program.counts else {}).items():
        outcome = label_value(label)
        key = hex(sum((outcome >> bit & 1) << place for place, bit in enumerate(bits)))
        counts[key] = counts.get(key, 0) + number
    if not sent.changes_bits:
        # The service measured all qubits, and the circuit none; Aer then counts bits that are 0.
        counts = {"0x0": program.shots or 0} if circuit.num_clbits else {}
    data: dict[str, Any] = {"counts": counts} if counts else {}
    if isinstance(sent, SavedCircuit):
        data.update(sent.data(program.fields["saved"][0]))
    if memory:
        outcomes, index = sent.shots(program)
        labels = [hex(int("".join(map(str, row)), 2)) for row in outcomes[:, bits[::-1]]]
        data["memory"] = [labels[shot] for shot in index[0]]
    header = {
        "name": circuit.name,
        "creg_sizes": [[name, len(each)] for name, each in registers.items()],
        "memory_slots": len(bits),
        "n_qubits": circuit.num_qubits,
        "metadata": circuit.metadata or {},
    }
    return ExperimentResult(
        shots=program.shots,
        success=True,
        data=ExperimentResultData(**data),
        header=header,
        seed=program.seed,
        status="DONE",
        metadata=method_metadata([program]),
    )

"""The PennyLane device."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np
import pennylane as qml
from pennylane.devices import Device, ExecutionConfig
from pennylane.devices.modifiers import simulator_tracking, single_tape_support
from pennylane.devices.preprocess import (
    decompose,
    device_resolve_dynamic_wires,
    no_sampling,
    validate_adjoint_trainable_params,
    validate_measurements,
)
from pennylane.exceptions import DeviceError
from pennylane.measurements import (
    ClassicalShadowMP,
    ExpectationMP,
    SampleMeasurement,
    ShadowExpvalMP,
    StateMeasurement,
)
from pennylane.transforms import broadcast_expand
from pennylane.transforms.core import CompilePipeline, transform

from ..client import Client
from ..errors import QcsError
from ..requests import DEFAULT_PROCESSOR, SIMULATORS, STATE_METHODS
from ..results import ProgramResult
from .midcircuit import (
    base_of,
    check_gradient,
    last_postselection,
    measure_bits,
    mid_measurements,
    on_device_wires,
    postselects,
    samples_of_commuting,
)
from .operations import BUILDERS, accepts, evolution, is_channel
from .tapes import DensityMatrices, Group, Reader, TapeWriter, has_terms, trains_channels

_GRADIENT_METHODS = frozenset({"adjoint", "device", "best"})
#: Seeds of the service are below 2^53.
_MAX_SEED = 2**53


#: Most wires whose amplitudes fit into a request, and most of them that a circuit does not prepare.
_MAX_STATE_WIRES = 21
_MAX_OTHER_WIRES = 2


@transform
def _decomposed(
    tape: qml.tape.QuantumScript,
    takes_states: bool,
    keeps_evolutions: bool,
    device_wires: Any,
    **options: Any,
) -> tuple[Any, Any]:
    """Decomposes what the service does not run. Amplitudes at the beginning may stay, and evolutions that nothing is
    differentiated by."""
    first: Any = tape.operations[0] if tape.operations else None
    wires = device_wires or tape.wires
    # Shots that a measurement rules out are made again, from |0…0⟩ and as OpenQASM.
    is_plain = not mid_measurements(tape) and not postselects(tape)
    keeps = (
        takes_states
        and is_plain
        and isinstance(first, qml.StatePrep)
        and first.batch_size is None
        and not any(qml.math.requires_grad(number) for number in first.data)
        and len(wires) <= min(_MAX_STATE_WIRES, len(first.wires) + _MAX_OTHER_WIRES)
    )
    kept: set[int] = set()
    if keeps_evolutions and is_plain and not any(is_channel(op) for op in tape.operations):
        trained = {tape.par_info[index]["op_idx"] for index in tape.trainable_params}
        kept = {
            id(op)
            for place, op in enumerate(tape.operations)
            if place not in trained and evolution(op) is not None
        }

    def stops(op: qml.operation.Operator) -> bool:
        return id(op) in kept or accepts(op)

    decomposed: Any = decompose
    tapes, read = decomposed(tape, skip_initial_state_prep=keeps, stopping_condition=stops, device_wires=device_wires, **options)
    return tapes, read


@simulator_tracking
@single_tape_support
class QcsDevice(Device):
    """A processor of the service as a device.

    Tapes of one ``execute`` are one request, and tapes that differ in numbers alone are points of one program.
    Gradients of expectation values come from the service's adjoint method, with the values, in the same request.

    Args:
        wires: number or labels of the wires; by default those of each circuit.
        shots: default shots; None for exact results.
        processor: id of the processor.
        url, key, client: as of :class:`qcs_client.Client`, or a client of your own.
        seed: the same circuits with the same seed, on a new device, give the same samples.
        noise: a noise model of the service, or the name of one, beside the channels of the circuits. Exact results with
            noise need the processor ``qvm``.
        method: how the service simulates, such as ``"density_matrix"``; by default it chooses.
        max_bond_dimension, truncation_threshold: limits of matrix product states; beyond the largest bond (256), and
            below the weight (1e-12), the service cuts.
    """

    name = "qcs.simulator"

    def __init__(
        self,
        wires: Any = None,
        shots: Any = None,
        *,
        processor: str = DEFAULT_PROCESSOR,
        url: str | None = None,
        key: str | None = None,
        client: Client | None = None,
        seed: int | None = None,
        noise: Mapping[str, Any] | str | None = None,
        method: str | None = None,
        max_bond_dimension: int | None = None,
        truncation_threshold: float | None = None,
    ) -> None:
        super().__init__(wires=wires, shots=shots)
        self.processor = processor
        with _device_errors():
            self.client = client or Client(url, key)
        self._rng = None if seed is None else np.random.default_rng(seed)
        self._fields: dict[str, Any] = {
            "noise": noise,
            "method": method,
            "max_bond_dimension": max_bond_dimension,
            "truncation_threshold": truncation_threshold,
        }
        self._takes_states = processor in SIMULATORS and method in STATE_METHODS
        # Noise acts on gates, and those of EVOLVE are not those of PennyLane's decomposition.
        self._keeps_evolutions = processor in SIMULATORS and noise is None
        self._writer = TapeWriter(self.wires, is_noisy=noise is not None or processor.startswith("emulator"))

    def setup_execution_config(
        self, config: ExecutionConfig | None = None, circuit: qml.tape.QuantumScript | None = None
    ) -> ExecutionConfig:
        asked: Any = config or ExecutionConfig()
        method = asked.mcm_config.mcm_method
        if method not in (None, "deferred", "device", "one-shot"):
            raise DeviceError(
                f'{self.name} has no mcm_method "{method}". By "device" the service measures in the middle of each '
                'shot, and exact results are deferred; "deferred" defers both.'
            )
        mode = asked.mcm_config.postselect_mode
        if mode not in (None, "hw-like", "fill-shots"):
            raise DeviceError(
                f'{self.name} has no postselect_mode "{mode}"; it has "hw-like" and "fill-shots".'
            )
        check_gradient(circuit, asked.gradient_method)
        by = "deferred" if method == "deferred" else "device"
        changes: dict[str, Any] = {"mcm_config": replace(asked.mcm_config, mcm_method=by)}
        by_service = asked.gradient_method in _GRADIENT_METHODS and self.supports_derivatives(asked, circuit)
        if by_service:
            changes["gradient_method"] = "adjoint"
        if asked.use_device_gradient is None:
            changes["use_device_gradient"] = by_service
        if asked.grad_on_execution is None and by_service:
            # A second request for the derivatives would cost more than the derivatives do.
            changes["grad_on_execution"] = True
        return replace(asked, **changes)

    def preprocess_transforms(self, execution_config: ExecutionConfig | None = None) -> CompilePipeline:
        config = execution_config or ExecutionConfig()
        pipeline = CompilePipeline()
        pipeline.add_transform(
            validate_measurements,
            analytic_measurements=_accepts_exactly,
            sample_measurements=_accepts_samples,
            name=self.name,
        )
        pipeline.add_transform(
            measure_bits, wires=self.wires, deferred=config.mcm_config.mcm_method == "deferred"
        )
        pipeline.add_transform(samples_of_commuting)
        pipeline.add_transform(
            _decomposed,
            takes_states=self._takes_states and config.gradient_method != "adjoint",
            keeps_evolutions=self._keeps_evolutions,
            device_wires=self.wires,
            target_gates=_TARGET_GATES,
            name=self.name,
        )
        pipeline.add_transform(device_resolve_dynamic_wires, wires=self.wires, allow_resets=False)
        pipeline.add_transform(last_postselection)
        pipeline.add_transform(on_device_wires, self.wires, name=self.name)
        if config.gradient_method == "adjoint":
            pipeline.add_transform(no_sampling, name=f"adjoint + {self.name}")
            pipeline.add_transform(
                validate_measurements, analytic_measurements=_has_gradient, name=f"adjoint + {self.name}"
            )
            pipeline.add_transform(validate_adjoint_trainable_params)
            pipeline.add_transform(broadcast_expand)
        else:
            pipeline.add_transform(_without_batched_matrices)
        return pipeline

    def supports_derivatives(
        self, execution_config: ExecutionConfig | None = None, circuit: qml.tape.QuantumScript | None = None
    ) -> bool:
        if execution_config is not None and execution_config.gradient_method not in _GRADIENT_METHODS:
            return False
        if circuit is None:
            return True
        if circuit.shots or trains_channels(circuit) or postselects(circuit):
            return False
        return all(_has_gradient(mp) for mp in circuit.measurements)

    def execute(
        self, circuits: Sequence[qml.tape.QuantumScript], execution_config: ExecutionConfig | None = None
    ) -> tuple[Any, ...]:
        mode = execution_config.mcm_config.postselect_mode if execution_config else None
        return self._run(circuits, False, Reader.value, fill_shots=mode == "fill-shots")

    def compute_derivatives(
        self, circuits: Sequence[qml.tape.QuantumScript], execution_config: ExecutionConfig | None = None
    ) -> tuple[Any, ...]:
        return self._run(circuits, True, Reader.gradient)

    def execute_and_compute_derivatives(
        self, circuits: Sequence[qml.tape.QuantumScript], execution_config: ExecutionConfig | None = None
    ) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
        both = self._run(
            circuits,
            True,
            lambda reader, tape, point: (reader.value(tape, point), reader.gradient(tape, point)),
        )
        return tuple(value for value, _ in both), tuple(gradient for _, gradient in both)

    def _run(
        self,
        tapes: Sequence[qml.tape.QuantumScript],
        gradient: bool,
        read: Callable[[Reader, qml.tape.QuantumScript, int], Any],
        *,
        fill_shots: bool = False,
    ) -> tuple[Any, ...]:
        """What ``read`` makes of the results of each tape and its first point."""
        with _device_errors():
            groups = self._writer.groups(tapes, gradient=gradient, fill_shots=fill_shots)
        values: list[Any] = [None] * len(tapes)
        if not groups:
            return ()
        for group, result in zip(groups, self._submit(groups), strict=True):
            reader = Reader(group, result)
            point = 0
            for index, rows in zip(group.tapes, group.values, strict=True):
                values[index] = read(reader, tapes[index], point)
                point += len(rows)
        return tuple(values)

    def _submit(self, groups: Sequence[Group]) -> list[ProgramResult | DensityMatrices]:
        seed = None if self._rng is None else int(self._rng.integers(_MAX_SEED))
        programs = [group.program() for group in groups if not group.is_mixed]
        with _device_errors():
            batch = (
                self.client.batches.run(programs, processor=self.processor, seed=seed, **self._fields)
                if programs
                else []
            )
            results = iter(batch)
            return [self._density_matrices(group) if group.is_mixed else next(results) for group in groups]

    def _density_matrices(self, group: Group) -> DensityMatrices:
        """Density matrices of a group, which batches do not have: each point is a circuit of its own."""
        fields = {**self._fields, "method": self._fields["method"] or "density_matrix"}
        matrices: list[Any] = [
            self.client.circuits.run(
                shots=1, processor=self.processor, return_=["density_matrix"], **point, **fields
            ).density_matrix
            for point in group.circuits()
        ]
        return DensityMatrices(np.stack(matrices))


@contextmanager
def _device_errors() -> Generator[None, None, None]:
    """Raises exceptions of the client as PennyLane's."""
    try:
        yield
    except QcsError as error:
        raise DeviceError(str(error)) from error


_TARGET_GATES = {
    *BUILDERS,
    *(
        "CNOT",
        "CY",
        "CZ",
        "CH",
        "CRX",
        "CRY",
        "CRZ",
        "CRot",
        "ControlledPhaseShift",
        "Toffoli",
        "CCZ",
        "CSWAP",
    ),
    *("MultiControlledX", "QubitUnitary", "ControlledQubitUnitary"),
}


def _accepts_exactly(mp: qml.measurements.MeasurementProcess) -> bool:
    return isinstance(mp, StateMeasurement) and not isinstance(mp, (ShadowExpvalMP, ClassicalShadowMP))


def _accepts_samples(mp: qml.measurements.MeasurementProcess) -> bool:
    return isinstance(mp, SampleMeasurement)


def _has_gradient(mp: qml.measurements.MeasurementProcess) -> bool:
    return isinstance(mp, ExpectationMP) and has_terms(mp)


def _first(results: Sequence[Any]) -> Any:
    return results[0]


@transform
def _without_batched_matrices(tape: qml.tape.QuantumScript) -> Any:
    """Points of a sweep differ in angles; matrices and noise that differ from point to point need a tape for each."""
    if tape.batch_size and any(
        op.batch_size and (any(op.ndim_params) or is_channel(op)) for op in map(base_of, tape.operations)
    ):
        return broadcast_expand(tape)
    return (tape,), _first

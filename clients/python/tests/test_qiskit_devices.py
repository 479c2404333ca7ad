"""Qiskit on devices: an emulated one, for which Qiskit's transpiler fits circuits, and hardware, for which the service does."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from types import SimpleNamespace

import numpy as np
import pytest

qiskit = pytest.importorskip("qiskit")

from qiskit import QuantumCircuit, transpile
from qiskit.circuit import Parameter
from qiskit.exceptions import QiskitError
from qiskit.quantum_info import SparsePauliOp
from service import running_service

from qcs_client import Client
from qcs_client.qiskit import EstimatorV2, QcsProvider, SamplerV2


@pytest.fixture(scope="module")
def device() -> Iterator[SimpleNamespace]:
    """A service with emulated devices."""
    with running_service({"QCS_EMULATORS": "iqm-garnet,ibm-fez"}) as started:
        with Client(started.origin, started.key) as client:
            yield SimpleNamespace(service=started, provider=QcsProvider(client=client))


def rotated() -> tuple[QuantumCircuit, Parameter]:
    """``cos(a/2)|0000⟩ + sin(a/2)|0111⟩``, with a gate between qubits that a device need not couple, and an idle qubit."""
    angle = Parameter("a")
    circuit = QuantumCircuit(4)
    circuit.ry(angle, 0)
    circuit.cx(0, 1)
    circuit.cx(0, 2)
    circuit.cz(1, 2)
    circuit.z(0)
    return circuit, angle


ANGLES = np.array([0.0, 1.0, 2.0, math.pi])


def check_sampler(backend, circuit):
    measured = circuit.copy()
    measured.measure_all()
    pub = (transpile(measured, backend, seed_transpiler=7), ANGLES)
    [result] = SamplerV2(backend, seed=1).run([pub], shots=2000).result(600)
    for point, angle in enumerate(ANGLES):
        counts = result.data.meas.get_counts(point)
        assert set(counts) <= {"0000", "0111"}
        assert sum(counts.values()) == 2000
        assert abs(counts.get("0111", 0) / 2000 - math.sin(angle / 2) ** 2) < 0.06


def check_estimator(backend, circuit):
    fitted = transpile(circuit, backend, seed_transpiler=7)
    names = ("ZIIZ", "IZZI", "IXXX")
    observables = [[SparsePauliOp(name).apply_layout(fitted.layout)] for name in names]
    [result] = EstimatorV2(backend, seed=1).run([(fitted, observables, ANGLES)]).result(600)
    exact = [np.cos(ANGLES), np.ones(4), np.sin(ANGLES)]
    assert result.metadata["shots"] == 4096
    assert np.all(np.abs(result.data.evs - exact) < 0.08)
    assert np.all(result.data.stds < 0.02)
    assert np.all(result.data.stds[1] == 0)


class TestEmulatedDevice:
    @pytest.mark.parametrize("name", ["emulator-iqm-garnet", "emulator-ibm-fez"])
    def test_primitives_run_what_the_transpiler_fitted(self, device, name):
        backend = device.provider.get_backend(name)
        circuit, _ = rotated()
        check_sampler(backend, circuit)
        check_estimator(backend, circuit)

    def test_the_target_has_native_gates_on_couplers(self, device):
        backend = device.provider.get_backend("emulator-iqm-garnet")
        assert set(backend.target.operation_names) == {"r", "cz", "measure", "reset", "if_else"}
        assert backend.num_qubits == 20
        assert (0, 1) in backend.coupling_map.get_edges()
        assert (1, 0) in backend.coupling_map.get_edges()
        circuit, angle = rotated()
        circuit.measure_all()
        job = backend.run(transpile(circuit.assign_parameters({angle: math.pi}), backend), shots=50)
        assert job.result(600).get_counts() == {"0111": 50}

    def test_circuits_that_do_not_fit_are_refused_with_the_place(self, device):
        backend = device.provider.get_backend("emulator-iqm-garnet")
        circuit, _ = rotated()
        circuit.measure_all()
        with pytest.raises(QiskitError, match=r"RY is no native gate; those are PRX, CZ"):
            SamplerV2(backend).run([(circuit, ANGLES)]).result(600)
        with pytest.raises(QiskitError, match="from which expectation is estimated"):
            fitted = transpile(circuit.remove_final_measurements(inplace=False), backend)
            EstimatorV2(backend).run([(fitted, SparsePauliOp("Z" * 20), 0.5)], precision=0).result(600)


class TestHardware:
    """Hardware is a processor of another instance, which insists on its gates and couplers."""

    def test_primitives_send_circuits_as_they_are(self, device):
        settings = {
            "QCS_HARDWARE_PROVIDER": "service",
            "QCS_HARDWARE_URL": device.service.origin,
            "QCS_HARDWARE_TOKEN": device.service.key,
            "QCS_HARDWARE_BACKEND": "emulator-iqm-garnet",
            "QCS_HARDWARE_REFRESH_S": "10",
        }
        with running_service(settings) as started, Client(started.origin, started.key) as client:
            backend = available_backend(QcsProvider(client=client))
            circuit, _ = rotated()
            check_sampler(backend, circuit)
            check_estimator(backend, circuit)
            with pytest.raises(QiskitError, match="from which expectation is estimated"):
                EstimatorV2(backend).run([(circuit, SparsePauliOp("ZZZZ"), 0.5)], precision=0).result(600)


def available_backend(provider):
    """The backend once the service has asked for the device."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        backend = provider.get_backend("superconducting-1")
        if backend.processor["available"]:
            return backend
        time.sleep(0.1)
    raise TimeoutError(backend.processor["reason"])

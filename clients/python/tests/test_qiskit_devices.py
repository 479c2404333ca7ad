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
        assert sum(counts.values()) == 2000
        # Noise of gates and readout changes some of the shots, and not most of them.
        assert 1300 < counts.get("0000", 0) + counts.get("0111", 0) < 2000
        assert abs(counts.get("0111", 0) / 2000 - math.sin(angle / 2) ** 2) < 0.3


NAMES = ("ZIIZ", "IZZI", "IXXX")
EXACT = np.array([np.cos(ANGLES), np.ones(4), np.sin(ANGLES)])


def estimated(backend, circuit, **options):
    fitted = transpile(circuit, backend, seed_transpiler=7)
    observables = [[SparsePauliOp(name).apply_layout(fitted.layout)] for name in NAMES]
    [result] = EstimatorV2(backend, seed=1, **options).run([(fitted, observables, ANGLES)]).result(600)
    return result


class TestEmulatedDevice:
    @pytest.mark.parametrize("name", ["emulator-iqm-garnet", "emulator-ibm-fez"])
    def test_primitives_run_what_the_transpiler_fitted(self, device, name):
        backend = device.provider.get_backend(name)
        circuit, _ = rotated()
        check_sampler(backend, circuit)
        ideal = estimated(backend, circuit, noise={})
        assert np.allclose(ideal.data.evs, EXACT, atol=1e-9)
        noisy = estimated(backend, circuit)
        assert np.all(np.abs(noisy.data.evs) <= np.abs(EXACT) + 1e-2)
        assert np.all(np.abs(noisy.data.evs - EXACT) < 0.15)
        assert np.all(noisy.data.evs[1] < 0.999)
        assert np.all(noisy.data.stds == 0)

    def test_the_target_has_native_gates_on_couplers(self, device):
        backend = device.provider.get_backend("emulator-iqm-garnet")
        assert set(backend.target.operation_names) == {"r", "cz", "measure", "reset", "if_else"}
        assert backend.num_qubits == 20
        assert (0, 1) in backend.coupling_map.get_edges()
        assert (1, 0) in backend.coupling_map.get_edges()
        circuit, angle = rotated()
        circuit.measure_all()
        fitted = transpile(circuit.assign_parameters({angle: math.pi}), backend)
        assert backend.run(fitted, shots=50, noise={}).result(600).get_counts() == {"0111": 50}
        noisy = backend.run(fitted, shots=2000, seed_simulator=3).result(600).get_counts()
        assert 1300 < noisy["0111"] < 2000

    def test_the_target_has_published_errors_and_times(self, device):
        target = device.provider.get_backend("emulator-ibm-fez").target
        cz, sx, rz = target["cz"][(3, 16)], target["sx"][(0,)], target["rz"][(0,)]
        # The service lists probabilities of Pauli errors; Qiskit's errors are average infidelities, as IBM publishes them.
        assert math.isclose(cz.error, 3.8e-3, rel_tol=1e-5)
        assert math.isclose(sx.error, 2.3e-4, rel_tol=1e-5)
        assert rz.error == 0
        assert [each.duration for each in (cz, sx, rz)] == pytest.approx([84e-9, 24e-9, 0])
        measure = target["measure"][(155,)]
        assert measure.error == pytest.approx(7.6e-3)
        assert measure.duration == pytest.approx(1.56e-6)
        assert target.qubit_properties[7].t1 == pytest.approx(144.9e-6)
        assert target.qubit_properties[7].t2 == pytest.approx(88e-6)

    def test_circuits_that_do_not_fit_are_fitted_by_the_service(self, device):
        backend = device.provider.get_backend("emulator-iqm-garnet")
        circuit, angle = rotated()
        circuit.measure_all()
        [result] = SamplerV2(backend, noise={}, seed=2).run([(circuit, [math.pi])], shots=100).result(600)
        assert result.data.meas.get_counts() == {"0111": 100}


def test_a_device_of_the_request_is_emulated(provider):
    backend = provider.get_backend("emulator")
    channel = {"type": "pauli", "probabilities": {"IX": 1}}
    line = {
        "coupling_map": [[0, 1], [1, 2], [2, 3]],
        "noise": {"gates": [{"gates": ["CZ"], "channel": channel}]},
    }
    circuit = QuantumCircuit(2)
    circuit.cz(0, 1)
    [estimate] = EstimatorV2(backend, device=line).run([(circuit, SparsePauliOp("IZ"))]).result(600)
    circuit.measure_all()
    [sample] = SamplerV2(backend, device=line).run([circuit], shots=20).result(600)
    counts = backend.run(circuit, device=line, shots=20).result(600).get_counts()
    assert counts == sample.data.meas.get_counts() == {"01": 20}
    assert estimate.data.evs == pytest.approx(-1)


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
            result = estimated(backend, circuit)
            assert result.metadata["shots"] == 4096
            assert np.all(np.abs(result.data.evs - EXACT) < 0.4)
            assert np.all(result.data.stds < 0.02)
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

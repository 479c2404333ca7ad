"""Noise models of Qiskit Aer at the service, against Aer's density matrices."""

from __future__ import annotations

import math

import numpy as np
import pytest

qiskit = pytest.importorskip("qiskit")
noise = pytest.importorskip("qiskit_aer.noise")

from qiskit import QuantumCircuit, transpile
from qiskit.exceptions import QiskitError
from qiskit.providers.fake_provider import GenericBackendV2
from qiskit.quantum_info import Pauli, Statevector
from qiskit_aer import AerSimulator

from qcs_client.qiskit import EstimatorV2, SamplerV2, noise_from_aer

PAULIS = [Pauli(label) for label in ("IIZ", "IZI", "ZII", "XII", "IYI", "ZXY", "XZZ", "YYX", "ZZZ")]
ONE_QUBIT = ("x", "sx", "h", "rx", "u")


@pytest.fixture(scope="module")
def qvm(provider):
    return provider.get_backend("qvm")


def circuit():
    made = QuantumCircuit(3)
    for qubit in range(3):
        made.h(qubit)
        made.rx(0.3 + qubit, qubit)
        made.u(0.5, 0.2 * qubit, 1.1, qubit)
    made.cx(0, 1)
    made.x(2)
    made.sx(1)
    made.cx(2, 1)
    made.ccx(0, 2, 1)
    made.rx(0.7, 0)
    made.cx(1, 0)
    return made


def values_by_aer(made, model):
    saved = made.copy()
    saved.save_density_matrix()
    result = AerSimulator(method="density_matrix", noise_model=model).run(saved).result()
    return [result.data()["density_matrix"].expectation_value(pauli).real for pauli in PAULIS]


def kraus_error():
    """A channel of two qubits that is no mixture of Pauli strings, and not the same with its qubits exchanged."""
    first = noise.amplitude_damping_error(0.2).expand(noise.thermal_relaxation_error(50, 60, 9))
    return first.compose(noise.coherent_unitary_error(np.diag([1, 1j, np.exp(0.3j), 1])))


def all_qubits(*errors):
    model = noise.NoiseModel()
    for error, gates in errors:
        model.add_all_qubit_quantum_error(error, list(gates))
    return model


def some_qubits():
    model = all_qubits(
        (noise.depolarizing_error(0.05, 1), ["h", "rx"]), (noise.depolarizing_error(0.1, 2), ["cx"])
    )
    model.add_quantum_error(noise.amplitude_damping_error(0.3), "rx", [1])
    model.add_quantum_error(kraus_error(), "cx", [2, 1])
    model.add_quantum_error(noise.pauli_error([("XY", 0.1), ("ZI", 0.2), ("II", 0.7)]), "cx", [1, 0])
    return model


MODELS = {
    "depolarizing": lambda: all_qubits(
        (noise.depolarizing_error(0.03, 1), ONE_QUBIT), (noise.depolarizing_error(0.2, 2), ["cx"])
    ),
    "wholly depolarizing": lambda: all_qubits((noise.depolarizing_error(1, 2), ["cx"])),
    "depolarizing of three qubits": lambda: all_qubits((noise.depolarizing_error(0.4, 3), ["ccx"])),
    "pauli": lambda: all_qubits((noise.pauli_error([("X", 0.1), ("Y", 0.02), ("I", 0.88)]), ["h"])),
    "asymmetric pauli of two": lambda: all_qubits(
        (noise.pauli_error([("XZ", 0.3), ("IY", 0.1), ("II", 0.6)]), ["cx"])
    ),
    "amplitude damping": lambda: all_qubits((noise.amplitude_damping_error(0.2, 0.1), ONE_QUBIT)),
    "phase damping": lambda: all_qubits((noise.phase_damping_error(0.3), ONE_QUBIT)),
    "both dampings": lambda: all_qubits((noise.phase_amplitude_damping_error(0.1, 0.2), ONE_QUBIT)),
    "thermal, T2 < T1": lambda: all_qubits((noise.thermal_relaxation_error(50, 30, 5, 0.2), ONE_QUBIT)),
    "thermal, T2 > T1": lambda: all_qubits((noise.thermal_relaxation_error(50, 70, 5), ONE_QUBIT)),
    "reset": lambda: all_qubits((noise.reset_error(0.1, 0.05), ONE_QUBIT)),
    "coherent": lambda: all_qubits((noise.coherent_unitary_error(np.diag([1, np.exp(0.2j)])), ["h"])),
    "of two qubits by matrices": lambda: all_qubits((kraus_error(), ["cx"])),
    "of some qubits": some_qubits,
}


@pytest.mark.parametrize("name", MODELS)
def test_exact_values_are_those_of_aer(name, qvm):
    made, model = circuit(), MODELS[name]()
    found = (
        EstimatorV2(qvm, noise=noise_from_aer(model, num_qubits=3)).run([(made, PAULIS)]).result()[0].data.evs
    )
    expected = values_by_aer(made, model)
    assert found == pytest.approx(expected, abs=1e-8)
    ideal = [Statevector(made).expectation_value(pauli).real for pauli in PAULIS]
    assert max(abs(np.subtract(found, ideal))) > 1e-3


def test_the_model_of_a_backend_is_translated_but_for_resets_and_delays(qvm):
    device = GenericBackendV2(3, seed=1)
    model = noise.NoiseModel.from_backend(device)
    made = transpile(circuit(), basis_gates=["rz", "sx", "x", "cx"], optimization_level=1)
    for left_out, named in ([], "RelaxationNoisePass"), (["delay"], "reset"):
        with pytest.raises(QiskitError, match=named):
            noise_from_aer(model, leave_out=left_out)
    translated = noise_from_aer(model, leave_out=["delay", "reset"])
    found = EstimatorV2(qvm, noise=translated).run([(made, PAULIS)]).result()[0].data.evs
    assert found == pytest.approx(values_by_aer(made, model), abs=1e-8)


def test_readout_errors_of_some_qubits_replace_those_of_all(qvm):
    model = noise.NoiseModel()
    model.add_all_qubit_readout_error(noise.ReadoutError([[0.9, 0.1], [0.3, 0.7]]))
    model.add_readout_error(noise.ReadoutError([[0.6, 0.4], [0.05, 0.95]]), [1])
    made = QuantumCircuit(3)
    made.x(2)
    made.measure_all()
    shots = 100_000
    [result] = (
        SamplerV2(qvm, seed=3, noise=noise_from_aer(model, num_qubits=3)).run([made], shots=shots).result()
    )
    ones = result.data.meas.get_bitstrings()
    found = [np.mean([label[2 - qubit] == "1" for label in ones]) for qubit in range(3)]
    for share, probability in zip(found, [0.1, 0.4, 0.7], strict=True):
        assert abs(share - probability) < 5 * math.sqrt(probability * (1 - probability) / shots)


def test_a_model_of_aer_is_taken_where_noise_is_and_counts_have_it(qvm):
    model = all_qubits((noise.pauli_error([("X", 1.0)]), ["x"]))
    made = QuantumCircuit(1)
    made.x(0)
    made.measure_all()
    assert SamplerV2(qvm, noise=model).run([made], shots=20).result()[0].data.meas.get_counts() == {"0": 20}
    assert qvm.run(made, shots=20, noise=model).result().get_counts() == {"0": 20}
    assert qvm.run(made, shots=20).result().get_counts() == {"1": 20}


@pytest.mark.parametrize(
    ("add", "named"),
    [
        (lambda m: m.add_all_qubit_quantum_error(noise.reset_error(0.1), "measure"), "measure"),
        (lambda m: m.add_all_qubit_quantum_error(noise.reset_error(0.1), "my_gate"), "my_gate"),
        (lambda m: m.add_all_qubit_quantum_error(noise.reset_error(0.1), "unitary"), "unitary"),
        (
            lambda m: (
                m.add_all_qubit_quantum_error(noise.depolarizing_error(0.1, 1), "u"),
                m.add_all_qubit_quantum_error(noise.depolarizing_error(0.2, 1), "u3"),
            ),
            "u and u3",
        ),
        (
            lambda m: m.add_readout_error(noise.ReadoutError(np.full((4, 4), 0.25)), [0, 1]),
            "several qubits",
        ),
        (
            lambda m: (
                m.add_all_qubit_quantum_error(noise.reset_error(0.1), "x"),
                m.add_quantum_error(noise.reset_error(0.2), "x", [0]),
            ),
            "num_qubits",
        ),
    ],
)
def test_what_the_service_does_not_have_is_refused_by_name(add, named):
    model = noise.NoiseModel()
    add(model)
    with pytest.raises(QiskitError, match=named):
        noise_from_aer(model)


def test_channels_keep_their_simplest_form():
    def channel(error):
        return noise_from_aer(all_qubits((error, ["cx" if error.num_qubits == 2 else "x"])))["gates"][0][
            "channel"
        ]

    # The parameter of Aer counts the identity among the errors.
    assert channel(noise.depolarizing_error(0.16, 2)) == {
        "type": "depolarizing",
        "probability": pytest.approx(0.15),
        "num_qubits": 2,
    }
    assert channel(noise.pauli_error([("XI", 0.25), ("II", 0.75)])) == {
        "type": "pauli",
        "probabilities": {"XI": 0.25},
    }
    assert channel(noise.amplitude_damping_error(0.5))["type"] == "kraus"

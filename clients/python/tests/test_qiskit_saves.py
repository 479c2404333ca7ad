"""Aer's ``save_*`` instructions: their data are those of Aer."""

from __future__ import annotations

import numpy as np
import pytest

qiskit = pytest.importorskip("qiskit")
pytest.importorskip("qiskit_aer")

from qiskit import QuantumCircuit, transpile
from qiskit.circuit.random import random_circuit
from qiskit.quantum_info import SparsePauliOp
from qiskit_aer import AerSimulator


def assert_same_data(made, method, backend, **options):
    aer = AerSimulator(method=method)
    expected = aer.run(transpile(made, aer, optimization_level=0), shots=20).result().data(0)
    found = backend.run(made, shots=20, **options).result().data(0)
    assert found.keys() == expected.keys()
    for key in expected.keys() - {"counts"}:
        here, there = found[key], expected[key]
        assert type(here).__name__ == type(there).__name__
        if isinstance(there, dict):
            here, there = ([each.get(value, 0) for value in range(8)] for each in (here, there))
        np.testing.assert_allclose(
            np.asarray(getattr(here, "data", here)), np.asarray(getattr(there, "data", there)), atol=1e-9
        )


@pytest.mark.parametrize("seed", range(4))
def test_everything_that_is_saved_between_random_gates_is_as_in_aer(seed, provider):
    random = np.random.default_rng(seed)
    made = QuantumCircuit(3, 3)
    for part in range(2):
        made.compose(random_circuit(3, 4, seed=10 * seed + part), inplace=True)
        some = [int(qubit) for qubit in random.permutation(3)[: 1 + random.integers(3)]]
        letters = ["".join(random.choice(list("IXYZ"), len(some))) for _ in range(3)]
        made.save_statevector(label=f"state{part}")
        made.save_probabilities(some, label=f"distribution{part}")
        made.save_probabilities_dict(some, label=f"by value{part}")
        made.save_expectation_value(
            SparsePauliOp(letters, random.normal(size=3)), some, label=f"mean{part}"
        )
        made.save_amplitudes([0, 5], label=f"amplitudes{part}")
        made.save_amplitudes_squared([1], label=f"squares{part}")
        made.save_density_matrix(some[:2], label=f"reduced{part}")
    made.save_state()
    if seed % 2:
        made.measure(range(3), range(3))
    assert_same_data(made, "statevector", provider.get_backend("qvm"))


def test_unitaries_on_the_way_are_those_of_aer(provider):
    made = QuantumCircuit(3)
    made.h(0)
    made.cx(0, 2)
    made.save_unitary(label="first")
    made.cp(0.3, 1, 2)
    made.global_phase = 0.4
    made.save_unitary()
    assert_same_data(made, "unitary", provider.get_backend("qvm"))


def test_a_mixture_is_saved_after_a_measurement(provider):
    made = QuantumCircuit(2, 1)
    made.h(0)
    made.cx(0, 1)
    made.measure(0, 0)
    made.save_density_matrix()
    found = provider.get_backend("qvm").run(made).result().data(0)["density_matrix"]
    np.testing.assert_allclose(found.data, np.diag([0.5, 0, 0, 0.5]), atol=1e-9)


@pytest.mark.parametrize(
    ("save", "why"),
    [
        (lambda made: made.save_statevector(pershot=True), "pershot"),
        (lambda made: made.save_stabilizer(), "save_stabilizer"),
        (lambda made: made.save_expectation_value_variance(SparsePauliOp(["Z"]), [0]), "save_expval_var"),
        (lambda made: (made.save_statevector(), made.save_statevector()), "the key statevector"),
        (lambda made: (made.measure(0, 0), made.save_statevector()), "after a measurement"),
    ],
)
def test_what_the_service_cannot_save_is_refused_by_name(save, why, provider):
    made = QuantumCircuit(1, 1)
    made.h(0)
    save(made)
    with pytest.raises(qiskit.exceptions.QiskitError, match=why):
        provider.get_backend("qvm").run(made)

"""EstimatorV2. The cases follow those that Qiskit tests its own primitives with."""

from __future__ import annotations

import numpy as np
import pytest

qiskit = pytest.importorskip("qiskit")

from qiskit import QuantumCircuit, transpile
from qiskit.circuit import Parameter
from qiskit.circuit.library import (
    efficient_su2,
    real_amplitudes,
)
from qiskit.exceptions import QiskitError
from qiskit.primitives import StatevectorEstimator
from qiskit.providers import JobStatus
from qiskit.quantum_info import Operator, Pauli, SparseObservable, SparsePauliOp, Statevector
from qiskit_circuits import bell

from qcs_client.qiskit import EstimatorV2


@pytest.mark.parametrize(
    "observable",
    [
        "ZZ",
        Pauli("XX"),
        SparsePauliOp(["II", "ZI", "XY"], [0.5, -1.25, 2]),
        {"ZZ": 0.5, "XI": 1.5},
        SparseObservable.from_list([("0+", 1.5), ("l1", -2), ("-r", 0.25)]),
    ],
)
def test_forms_of_observables(estimator, observable):
    circuit = real_amplitudes(2, reps=2)
    values = np.linspace(0.1, 2, circuit.num_parameters)
    state = Statevector(circuit.assign_parameters(values))
    if isinstance(observable, dict):
        expected = sum(c * state.expectation_value(Pauli(p)).real for p, c in observable.items())
    elif isinstance(observable, SparseObservable):
        matrix = SparsePauliOp.from_sparse_list(observable.as_paulis().to_sparse_list(), 2).to_matrix()
        expected = state.expectation_value(Operator(matrix)).real
    else:
        expected = state.expectation_value(SparsePauliOp(observable)).real
    data = estimator.run([(circuit, observable, values)]).result()[0].data
    assert data.evs == pytest.approx(expected, abs=1e-12)
    assert data.evs.shape == data.stds.shape == ()
    assert data.stds == 0


@pytest.mark.parametrize(
    ("observables", "points", "shape"),
    [((), (), ()), ((3,), (), (3,)), ((), (5,), (5,)), ((5,), (5,), (5,)), ((3, 1), (5,), (3, 5)),
     ((3, 1), (2, 1, 5), (2, 3, 5)), ((1, 3), (2, 1), (2, 3))],
)  # fmt: skip
def test_observables_and_values_are_broadcast_as_in_qiskit(estimator, observables, points, shape):
    circuit = efficient_su2(2, reps=1)
    rng = np.random.default_rng(3)
    strings = rng.choice([a + b for a in "IXYZ" for b in "IXYZ"], size=observables)
    pub = (circuit, strings.tolist(), rng.uniform(0, 6, (*points, circuit.num_parameters)))
    data = estimator.run([pub]).result()[0].data
    expected = StatevectorEstimator().run([pub]).result()[0].data.evs
    assert data.evs.shape == shape
    assert data.evs == pytest.approx(expected, abs=1e-12)


def test_several_pubs(estimator):
    circuit = real_amplitudes(2, reps=1)
    values = [0.1, 0.2, 0.3, 0.4]
    result = estimator.run([(circuit, ["ZZ", "XX"], values), (bell().remove_final_measurements(False), "XX")])
    first, second = result.result()
    assert first.data.evs.shape == (2,)
    assert second.data.evs == pytest.approx(1)


def test_precision_gives_estimates_with_their_errors(backend):
    circuit = QuantumCircuit(1)
    circuit.ry(Parameter("a"), 0)
    values = np.linspace(0, 3, 20)
    pub = (circuit, [["Z"], ["X"]], values)
    data = EstimatorV2(backend, seed=9).run([pub], precision=0.02).result()[0].data
    exact = np.stack([np.cos(values), np.sin(values)])
    assert 0 < np.abs(data.evs - exact).max() < 6 * 0.02
    assert data.stds == pytest.approx(np.sqrt(np.maximum(1 - data.evs**2, 0) / 2500), abs=1e-4)


def test_precision_of_the_pub_before_that_of_run_before_the_default(backend):
    estimator = EstimatorV2(backend, default_precision=0.5)
    circuit = QuantumCircuit(1)
    result = estimator.run([(circuit, "Z", None, 0.25), (circuit, "Z")], precision=0.1).result()
    assert [pub.metadata["target_precision"] for pub in result] == [0.25, 0.1]
    assert [pub.metadata["shots"] for pub in result] == [16, 100]
    assert estimator.run([(circuit, "Z")]).result()[0].metadata["shots"] == 4


def test_points_of_a_circuit_without_parameters_are_estimated_each(backend):
    circuit = QuantumCircuit(1)
    circuit.h(0)
    data = EstimatorV2(backend, seed=1).run([(circuit, ["Z"] * 3)], precision=0.1).result()[0].data
    assert data.evs.shape == (3,)


def test_the_same_seed_gives_the_same_result(backend):
    circuit = QuantumCircuit(1)
    circuit.h(0)
    first, second = (
        EstimatorV2(backend, seed=3).run([(circuit, "Z")], precision=0.1).result() for _ in range(2)
    )
    assert first[0].data.evs == second[0].data.evs


def test_the_job_knows_its_state_and_cancels(backend):
    job = EstimatorV2(backend).run([(QuantumCircuit(1), "Z")])
    assert job.result()[0].data.evs == 1
    assert job.done() and job.in_final_state() and not job.running() and not job.cancelled()
    assert job.cancel() is False
    circuit = efficient_su2(22, reps=20, entanglement="full")
    values = np.ones((50, circuit.num_parameters))
    job = EstimatorV2(backend).run([(circuit, "Z" * 22, values)])
    assert job.status() in (JobStatus.QUEUED, JobStatus.RUNNING)
    assert job.cancel() is True
    assert job.cancelled()
    with pytest.raises(QiskitError, match="cancelled"):
        job.result()


def test_faults_are_qiskits_exceptions(estimator):
    circuit = QuantumCircuit(2)
    with pytest.raises(ValueError, match="qubits"):
        estimator.run([(circuit, "ZZZ")])
    circuit.measure_all()
    circuit.h(0)
    with pytest.raises(QiskitError, match="measure"):
        estimator.run([(circuit, "ZZ")])


def test_an_estimate_of_no_points_is_empty(estimator):
    circuit = QuantumCircuit(1)
    circuit.rx(Parameter("a"), 0)
    assert estimator.run([(circuit, "Z", np.empty((0, 1)))]).result()[0].data.evs.shape == (0,)


def _ising(n, steps):
    """Trotter steps of an Ising chain after a quench."""
    circuit = QuantumCircuit(n)
    for _ in range(steps):
        for first in (0, 1):
            for qubit in range(first, n - 1, 2):
                circuit.rzz(0.4, qubit, qubit + 1)
        circuit.rx(0.5, range(n))
    return circuit


def test_a_chain_that_no_state_vector_holds_states_what_was_cut(provider):
    observable = SparsePauliOp.from_sparse_list([("Z", [qubit], 1 / 60) for qubit in range(60)], 60)
    circuit = _ising(60, 8)
    qvm = provider.get_backend("qvm")
    assert transpile(circuit, qvm).num_qubits == 60
    values = {}
    for bond in (None, 3, 30):
        method = None if bond is None else "matrix_product_state"
        estimator = EstimatorV2(qvm, method=method, max_bond_dimension=bond)
        result = estimator.run([(circuit, observable)]).result()[0]
        values[bond] = float(result.data.evs)
        assert result.metadata["method"] == "matrix_product_state"
        assert result.metadata["largest_bond"] == 3 if bond == 3 else result.metadata["largest_bond"] > 3
        assert (result.metadata["truncation_error"] > 1e-4) == (bond == 3)
    assert values[30] == pytest.approx(values[None], abs=1e-6)
    # Sites far from the ends do not feel them.
    alone = EstimatorV2(qvm).run([(_ising(15, 8), "I" * 7 + "Z" + "I" * 7)]).result()[0]
    middle = EstimatorV2(qvm).run([(circuit, SparsePauliOp.from_sparse_list([("Z", [30], 1)], 60))])
    assert float(middle.result()[0].data.evs) == pytest.approx(float(alone.data.evs), abs=1e-3)

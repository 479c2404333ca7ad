"""Qiskit: provider, backends and primitives. The cases of the primitives follow those that Qiskit tests its own with."""

from __future__ import annotations

import math

import numpy as np
import pytest

qiskit = pytest.importorskip("qiskit")

from qiskit import ClassicalRegister, QuantumCircuit, QuantumRegister, transpile
from qiskit.circuit import Parameter, ParameterVector
from qiskit.circuit.classical import expr, types
from qiskit.circuit.library import (
    QFTGate,
    UnitaryGate,
    efficient_su2,
    get_standard_gate_name_mapping,
    quantum_volume,
    real_amplitudes,
)
from qiskit.exceptions import QiskitError
from qiskit.primitives import StatevectorEstimator
from qiskit.primitives.containers import BindingsArray
from qiskit.primitives.containers.sampler_pub import SamplerPub
from qiskit.providers import BackendV2, JobStatus, JobV1
from qiskit.providers.exceptions import QiskitBackendNotFoundError
from qiskit.quantum_info import Operator, Pauli, SparseObservable, SparsePauliOp, Statevector, random_unitary

from qcs_client.qiskit import EstimatorV2, QcsProvider, SamplerV2


@pytest.fixture(scope="module")
def provider(client):
    return QcsProvider(client=client)


@pytest.fixture(scope="module")
def backend(provider):
    return provider.get_backend()


@pytest.fixture
def sampler(backend):
    return SamplerV2(backend, seed=15)


@pytest.fixture
def estimator(backend):
    return EstimatorV2(backend, seed=15)


def bell():
    circuit = QuantumCircuit(2)
    circuit.h(0)
    circuit.cx(0, 1)
    circuit.measure_all()
    return circuit


def rotations():
    """Circuit with two parameters whose outcomes are sure for multiples of π."""
    a, b = Parameter("a"), Parameter("b")
    circuit = QuantumCircuit(2)
    circuit.rx(a, 0)
    circuit.rx(b, 1)
    circuit.measure_all()
    return circuit


class TestBackend:
    def test_every_processor_is_a_backend(self, provider, client):
        backends = provider.backends()
        assert [backend.name for backend in backends] == [
            processor["id"] for processor in client.processors()
        ]
        assert all(isinstance(backend, BackendV2) for backend in backends)
        assert "superconducting-1" not in {backend.name for backend in provider.backends(available=True)}

    def test_an_unknown_backend_is_qiskits_exception_and_names_the_known_ones(self, provider):
        with pytest.raises(QiskitBackendNotFoundError, match="statevector-sim"):
            provider.get_backend("nowhere")

    def test_the_target_has_the_gates_and_the_width_of_the_processor(self, backend, client):
        assert backend.num_qubits == client.processor("statevector-sim")["max_qubits"]
        assert {"h", "cx", "u", "rzz", "xx_plus_yy", "measure", "reset", "if_else", "while_loop"} <= set(
            backend.operation_names
        )

    @pytest.mark.parametrize(
        "name", sorted(get_standard_gate_name_mapping().keys() - {"measure", "reset", "delay"})
    )
    def test_every_gate_of_the_target_has_qiskits_matrix(self, name, backend, estimator):
        if name not in backend.operation_names:
            pytest.skip(f"{name} is not in the target")
        gate = get_standard_gate_name_mapping()[name]
        gate = gate.base_class(*[0.3 + 0.4 * k for k in range(len(gate.params))]) if gate.params else gate
        n = max(1, gate.num_qubits)
        circuit = QuantumCircuit(n)
        for qubit in range(n):
            circuit.u(0.3 + qubit, 0.5, 0.7, qubit)
        circuit.append(gate, range(gate.num_qubits))
        observables = [Pauli("".join(letters)) for letters in _strings(n)]
        expected = [Statevector(circuit).expectation_value(pauli).real for pauli in observables]
        assert estimator.run([(circuit, observables)]).result()[0].data.evs == pytest.approx(
            expected, abs=1e-12
        )

    def test_run_takes_transpiled_circuits_and_gives_counts_by_register(self, backend):
        circuit = QuantumCircuit(3)
        a, b = ClassicalRegister(1, "a"), ClassicalRegister(2, "b")
        circuit.add_register(a, b)
        circuit.append(QFTGate(3), range(3))
        circuit.append(QFTGate(3).inverse(), range(3))
        circuit.x(2)
        circuit.measure([2, 0, 1], [0, 1, 2])
        job = backend.run(transpile(circuit, backend), shots=50, memory=True)
        assert isinstance(job, JobV1)
        assert job.result().get_counts() == {"00 1": 50}
        assert job.result().get_memory() == ["00 1"] * 50
        assert job.status() is JobStatus.DONE
        assert job.backend() is backend

    def test_several_circuits_are_one_job(self, backend, client):
        x = QuantumCircuit(1, 1)
        x.x(0)
        x.measure(0, 0)
        result = backend.run([x, bell()], shots=20, seed_simulator=3).result()
        assert result.get_counts(0) == {"1": 20}
        assert sum(result.get_counts(1).values()) == 20

    def test_faults_are_qiskits_exceptions_with_the_services_message(self, backend, provider):
        with pytest.raises(QiskitError, match="shots"):
            backend.run(bell(), shots=0)
        with pytest.raises(QiskitError, match="parameters without values: a, b"):
            backend.run(rotations())
        with pytest.raises(QiskitError, match="measures nothing"):
            backend.run(QuantumCircuit(1, 1))
        with pytest.raises(QiskitError, match="no option shot"):
            backend.run(bell(), shot=5)
        with pytest.raises(QiskitError, match="No hardware provider"):
            provider.get_backend("superconducting-1").run(bell())


class TestSampler:
    def test_one_pub(self, sampler):
        result = sampler.run([bell()], shots=1000).result()
        assert result.metadata == {"version": 2}
        data = result[0].data
        assert data.meas.num_shots == 1000
        assert data.meas.num_bits == 2
        assert set(data.meas.get_counts()) == {"00", "11"}
        assert data.meas.get_counts()["00"] == pytest.approx(500, abs=5 * math.sqrt(250))

    def test_shots_of_the_pub_before_those_of_run_before_the_default(self, backend):
        sampler = SamplerV2(backend, default_shots=7)
        first, second = sampler.run([(bell(), None, 30), bell()], shots=20).result()
        assert (first.data.meas.num_shots, second.data.meas.num_shots) == (30, 20)
        assert sampler.run([bell()]).result()[0].data.meas.num_shots == 7

    @pytest.mark.parametrize("form", ["list", "array", "mapping", "parameter", "bindings"])
    def test_forms_of_parameter_values(self, sampler, form):
        circuit = rotations()
        a, b = circuit.parameters
        values = {
            "list": [math.pi, 0],
            "array": np.array([math.pi, 0]),
            "mapping": {"a": math.pi, "b": 0},
            "parameter": {a: math.pi, b: 0},
            "bindings": BindingsArray({("a", "b"): [math.pi, 0]}),
        }[form]
        assert sampler.run([(circuit, values)], shots=10).result()[0].data.meas.get_counts() == {"01": 10}

    def test_arrays_of_parameter_values_give_arrays_of_bits(self, sampler):
        values = math.pi * np.array([[[0, 0], [1, 0], [0, 1]], [[1, 1], [0, 0], [1, 0]]])
        data = sampler.run([(rotations(), values)], shots=10).result()[0].data
        assert data.shape == data.meas.shape == (2, 3)
        labels = [[next(iter(data.meas.get_counts((i, j)))) for j in range(3)] for i in range(2)]
        assert labels == [["00", "01", "10"], ["11", "00", "01"]]

    def test_arrays_of_several_parameters_are_broadcast_as_in_qiskit(self, sampler):
        bindings = BindingsArray(
            {"a": np.pi * np.arange(2).reshape(2, 1) * np.ones((2, 3)), "b": np.zeros((2, 3))}
        )
        pub = SamplerPub(rotations(), bindings, 10)
        data = sampler.run([pub]).result()[0].data
        assert data.meas.get_counts((1, 2)) == {"01": 10}

    def test_parameters_of_vectors_and_nonlinear_expressions(self, sampler):
        vector = ParameterVector("v w", 12)
        circuit = QuantumCircuit(1)
        # v[10] comes after v[2] in a vector, but before it among texts.
        circuit.rx(vector[2] * vector[2] + vector[10].sin() - vector[11] / 2 + vector[0], 0)
        circuit.measure_all()
        values = np.array([0.0, math.sqrt(math.pi), math.pi / 2, 2.0])
        order = [parameter.name for parameter in circuit.parameters]
        assert order == ["v w[0]", "v w[2]", "v w[10]", "v w[11]"]
        # π + sin(π/2) − 2/2 = π
        assert sampler.run([(circuit, values)], shots=10).result()[0].data.meas.get_counts() == {"1": 10}

    def test_registers_keep_their_names_and_bits(self, sampler):
        quantum = QuantumRegister(3)
        a, b, c = ClassicalRegister(1, "a"), ClassicalRegister(9, "b"), ClassicalRegister(3, "a_b")
        circuit = QuantumCircuit(quantum, a, b, c)
        circuit.x(0)
        circuit.measure(0, a[0])
        circuit.measure(0, b[8])
        circuit.measure([0, 1, 2], [c[2], c[0], c[1]])
        data = sampler.run([circuit], shots=5).result()[0].data
        assert list(data) == ["a", "b", "a_b"]
        assert data.a.get_counts() == {"1": 5}
        assert data.b.get_counts() == {"100000000": 5}
        assert data.b.array.shape == (5, 2)
        assert data.a_b.get_counts() == {"100": 5}

    def test_bits_of_one_shot_stay_together_over_registers(self, sampler):
        circuit = QuantumCircuit(2)
        circuit.add_register(ClassicalRegister(1, "a"), ClassicalRegister(1, "b"))
        circuit.h(0)
        circuit.cx(0, 1)
        circuit.measure([0, 1], [0, 1])
        data = sampler.run([circuit], shots=200).result()[0].data
        assert (data.a.array == data.b.array).all()
        half = data.a.slice_shots(range(100)).get_counts()
        assert half["0"] == pytest.approx(50, abs=25)

    def test_the_same_seed_gives_the_same_result(self, backend):
        first, second = (SamplerV2(backend, seed=3).run([bell()]).result()[0].data.meas for _ in range(2))
        assert first == second

    def test_pubs_of_different_shapes_are_one_request(self, sampler, client):
        before = sum(1 for _ in client.batches.list(limit=100))
        result = sampler.run(
            [bell(), (rotations(), np.zeros((4, 2))), (rotations(), [0, math.pi])], shots=8
        ).result()
        assert [pub.data.shape for pub in result] == [(), (4,), ()]
        assert result[2].data.meas.get_counts() == {"10": 8}
        assert sum(1 for _ in client.batches.list(limit=100)) == before + 1

    def test_a_circuit_without_registers_has_an_empty_result(self, sampler):
        with pytest.warns(UserWarning, match="no classical registers"):
            result = sampler.run([QuantumCircuit(1), bell()], shots=4).result()
        assert list(result[0].data) == []
        assert result[1].data.meas.num_shots == 4

    def test_no_pubs_and_no_points(self, sampler):
        assert len(sampler.run([]).result()) == 0
        data = sampler.run([(rotations(), np.zeros((0, 2)))], shots=3).result()[0].data
        assert data.meas.shape == (0,)

    def test_a_register_that_nothing_measures_is_zero(self, sampler):
        circuit = QuantumCircuit(2, 2)
        circuit.x([0, 1])
        assert sampler.run([circuit], shots=5).result()[0].data.c.get_counts() == {"00": 5}
        circuit.measure(1, 1)
        assert sampler.run([circuit], shots=5).result()[0].data.c.get_counts() == {"10": 5}

    def test_metadata(self, sampler):
        circuit = bell()
        circuit.metadata = {"experiment": 5}
        metadata = sampler.run([circuit], shots=5).result()[0].metadata
        assert metadata == {"shots": 5, "circuit_metadata": {"experiment": 5}}

    def test_measurement_in_the_middle_and_if_else(self, sampler):
        circuit = QuantumCircuit(2, 3)
        circuit.h(0)
        circuit.measure(0, 0)
        with circuit.if_test((circuit.clbits[0], 1)) as otherwise:
            circuit.x(1)
        with otherwise:
            circuit.reset(0)
        circuit.measure([0, 1], [1, 2])
        counts = sampler.run([circuit], shots=200).result()[0].data.c.get_counts()
        assert set(counts) == {"000", "111"}

    def test_while_loops_switches_and_classical_variables(self, sampler):
        circuit = QuantumCircuit(2, 2)
        tries = circuit.add_var("tries", expr.lift(0, types.Uint(8)))
        circuit.h(0)
        circuit.measure(0, 0)
        with circuit.while_loop((circuit.clbits[0], 0)):
            circuit.h(0)
            circuit.measure(0, 0)
            circuit.store(tries, expr.add(tries, 1))
        with circuit.switch(circuit.cregs[0]) as case:
            with case(1):
                circuit.x(1)
            with case(case.DEFAULT):
                circuit.id(1)
        circuit.measure(1, 1)
        assert sampler.run([circuit], shots=100).result()[0].data.c.get_counts() == {"11": 100}

    def test_gates_that_are_not_in_the_target_are_sent_as_their_definition(self, sampler):
        unitary = random_unitary(8, seed=5)
        circuit = QuantumCircuit(3)
        circuit.append(UnitaryGate(unitary), range(3))
        circuit.append(UnitaryGate(unitary).inverse(), range(3))
        inner = quantum_volume(2, seed=1).to_gate()
        circuit.append(inner.control(1, ctrl_state=0), range(3))
        circuit.append(inner.inverse().control(1, ctrl_state=0), range(3))
        circuit.x(1)
        circuit.measure_all()
        assert sampler.run([circuit], shots=10).result()[0].data.meas.get_counts() == {"010": 10}

    def test_faults_are_qiskits_exceptions(self, sampler):
        with pytest.raises(ValueError, match="[Pp]arameter"):
            sampler.run([rotations()])
        with pytest.raises(QiskitError, match="1000000|1,000,000"):
            sampler.run([bell()], shots=2_000_000)
        wide = QuantumCircuit(60)
        wide.h(range(60))
        wide.measure_all()
        with pytest.raises(QiskitError, match="60 qubits"):
            sampler.run([wide], shots=1)


class TestEstimator:
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
    def test_forms_of_observables(self, estimator, observable):
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
    def test_observables_and_values_are_broadcast_as_in_qiskit(self, estimator, observables, points, shape):
        circuit = efficient_su2(2, reps=1)
        rng = np.random.default_rng(3)
        strings = rng.choice([a + b for a in "IXYZ" for b in "IXYZ"], size=observables)
        pub = (circuit, strings.tolist(), rng.uniform(0, 6, (*points, circuit.num_parameters)))
        data = estimator.run([pub]).result()[0].data
        expected = StatevectorEstimator().run([pub]).result()[0].data.evs
        assert data.evs.shape == shape
        assert data.evs == pytest.approx(expected, abs=1e-12)

    def test_several_pubs(self, estimator):
        circuit = real_amplitudes(2, reps=1)
        values = [0.1, 0.2, 0.3, 0.4]
        result = estimator.run(
            [(circuit, ["ZZ", "XX"], values), (bell().remove_final_measurements(False), "XX")]
        )
        first, second = result.result()
        assert first.data.evs.shape == (2,)
        assert second.data.evs == pytest.approx(1)

    def test_precision_gives_estimates_with_their_errors(self, backend):
        circuit = QuantumCircuit(1)
        circuit.ry(Parameter("a"), 0)
        values = np.linspace(0, 3, 20)
        pub = (circuit, [["Z"], ["X"]], values)
        data = EstimatorV2(backend, seed=9).run([pub], precision=0.02).result()[0].data
        exact = np.stack([np.cos(values), np.sin(values)])
        assert 0 < np.abs(data.evs - exact).max() < 6 * 0.02
        assert data.stds == pytest.approx(np.sqrt(np.maximum(1 - data.evs**2, 0) / 2500), abs=1e-4)

    def test_precision_of_the_pub_before_that_of_run_before_the_default(self, backend):
        estimator = EstimatorV2(backend, default_precision=0.5)
        circuit = QuantumCircuit(1)
        result = estimator.run([(circuit, "Z", None, 0.25), (circuit, "Z")], precision=0.1).result()
        assert [pub.metadata["target_precision"] for pub in result] == [0.25, 0.1]
        assert [pub.metadata["shots"] for pub in result] == [16, 100]
        assert estimator.run([(circuit, "Z")]).result()[0].metadata["shots"] == 4

    def test_points_of_a_circuit_without_parameters_are_estimated_each(self, backend):
        circuit = QuantumCircuit(1)
        circuit.h(0)
        data = EstimatorV2(backend, seed=1).run([(circuit, ["Z"] * 3)], precision=0.1).result()[0].data
        assert data.evs.shape == (3,)

    def test_the_same_seed_gives_the_same_result(self, backend):
        circuit = QuantumCircuit(1)
        circuit.h(0)
        first, second = (
            EstimatorV2(backend, seed=3).run([(circuit, "Z")], precision=0.1).result() for _ in range(2)
        )
        assert first[0].data.evs == second[0].data.evs

    def test_the_job_knows_its_state_and_cancels(self, backend):
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

    def test_faults_are_qiskits_exceptions(self, estimator):
        circuit = QuantumCircuit(2)
        with pytest.raises(ValueError, match="qubits"):
            estimator.run([(circuit, "ZZZ")])
        circuit.measure_all()
        circuit.h(0)
        with pytest.raises(QiskitError, match="measure"):
            estimator.run([(circuit, "ZZ")])


def _strings(n):
    """A few Pauli strings on n qubits that see populations and phases."""
    return [letter * n for letter in "XYZ"] + [
        "I" * k + letter + "I" * (n - k - 1) for k in range(n) for letter in "XYZ"
    ]


def test_appended_circuits_and_initial_states_run_as_their_contents(sampler, estimator):
    angle = Parameter("angle")
    turn = QuantumCircuit(1, name="turn")
    turn.rx(angle, 0)
    inner = QuantumCircuit(2, name="two turns")
    inner.append(turn.to_instruction({angle: 0.3}), [0])
    inner.append(turn.to_instruction({angle: 0.9}), [1])
    inner.cx(0, 1)
    circuit = QuantumCircuit(2)
    circuit.append(inner.to_instruction(), [1, 0])
    circuit.append(turn.to_instruction(), [1])
    observables = ["ZI", "IZ", "YI"]
    expected = StatevectorEstimator().run([(circuit, observables, [0.4])]).result()[0].data.evs
    assert np.allclose(estimator.run([(circuit, observables, [0.4])]).result()[0].data.evs, expected)

    prepared = QuantumCircuit(2, 2)
    prepared.x(1)
    prepared.measure(1, 1)
    with prepared.if_test((prepared.clbits[1], 1)):
        prepared.initialize([0, 1j, 0, 0])
        prepared.measure(0, 0)
        prepared.prepare_state("1", 1)
    prepared.measure(1, 1)
    assert sampler.run([prepared], shots=50).result()[0].data.c.get_counts() == {"11": 50}


def test_an_estimate_of_no_points_is_empty(estimator):
    circuit = QuantumCircuit(1)
    circuit.rx(Parameter("a"), 0)
    assert estimator.run([(circuit, "Z", np.empty((0, 1)))]).result()[0].data.evs.shape == (0,)

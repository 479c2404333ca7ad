"""SamplerV2. The cases follow those that Qiskit tests its own primitives with."""

from __future__ import annotations

import math

import numpy as np
import pytest

qiskit = pytest.importorskip("qiskit")

from qiskit import ClassicalRegister, QuantumCircuit, QuantumRegister
from qiskit.circuit import ParameterVector
from qiskit.exceptions import QiskitError
from qiskit.primitives.containers import BindingsArray
from qiskit.primitives.containers.sampler_pub import SamplerPub
from qiskit_circuits import bell, rotations

from qcs_client.qiskit import SamplerV2


def test_one_pub(sampler):
    result = sampler.run([bell()], shots=1000).result()
    assert result.metadata == {"version": 2}
    data = result[0].data
    assert data.meas.num_shots == 1000
    assert data.meas.num_bits == 2
    assert set(data.meas.get_counts()) == {"00", "11"}
    assert data.meas.get_counts()["00"] == pytest.approx(500, abs=5 * math.sqrt(250))


def test_shots_of_the_pub_before_those_of_run_before_the_default(backend):
    sampler = SamplerV2(backend, default_shots=7)
    first, second = sampler.run([(bell(), None, 30), bell()], shots=20).result()
    assert (first.data.meas.num_shots, second.data.meas.num_shots) == (30, 20)
    assert sampler.run([bell()]).result()[0].data.meas.num_shots == 7


@pytest.mark.parametrize("form", ["list", "array", "mapping", "parameter", "bindings"])
def test_forms_of_parameter_values(sampler, form):
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


def test_arrays_of_parameter_values_give_arrays_of_bits(sampler):
    values = math.pi * np.array([[[0, 0], [1, 0], [0, 1]], [[1, 1], [0, 0], [1, 0]]])
    data = sampler.run([(rotations(), values)], shots=10).result()[0].data
    assert data.shape == data.meas.shape == (2, 3)
    labels = [[next(iter(data.meas.get_counts((i, j)))) for j in range(3)] for i in range(2)]
    assert labels == [["00", "01", "10"], ["11", "00", "01"]]


def test_arrays_of_several_parameters_are_broadcast_as_in_qiskit(sampler):
    bindings = BindingsArray(
        {"a": np.pi * np.arange(2).reshape(2, 1) * np.ones((2, 3)), "b": np.zeros((2, 3))}
    )
    pub = SamplerPub(rotations(), bindings, 10)
    data = sampler.run([pub]).result()[0].data
    assert data.meas.get_counts((1, 2)) == {"01": 10}


def test_parameters_of_vectors_and_nonlinear_expressions(sampler):
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


def test_registers_keep_their_names_and_bits(sampler):
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


def test_bits_of_one_shot_stay_together_over_registers(sampler):
    circuit = QuantumCircuit(2)
    circuit.add_register(ClassicalRegister(1, "a"), ClassicalRegister(1, "b"))
    circuit.h(0)
    circuit.cx(0, 1)
    circuit.measure([0, 1], [0, 1])
    data = sampler.run([circuit], shots=200).result()[0].data
    assert (data.a.array == data.b.array).all()
    half = data.a.slice_shots(range(100)).get_counts()
    assert half["0"] == pytest.approx(50, abs=25)


def test_the_same_seed_gives_the_same_result(backend):
    first, second = (SamplerV2(backend, seed=3).run([bell()]).result()[0].data.meas for _ in range(2))
    assert first == second


def test_pubs_of_different_shapes_are_one_request(sampler, client):
    before = sum(1 for _ in client.batches.list(limit=100))
    result = sampler.run(
        [bell(), (rotations(), np.zeros((4, 2))), (rotations(), [0, math.pi])], shots=8
    ).result()
    assert [pub.data.shape for pub in result] == [(), (4,), ()]
    assert result[2].data.meas.get_counts() == {"10": 8}
    assert sum(1 for _ in client.batches.list(limit=100)) == before + 1


def test_a_circuit_without_registers_has_an_empty_result(sampler):
    with pytest.warns(UserWarning, match="no classical registers"):
        result = sampler.run([QuantumCircuit(1), bell()], shots=4).result()
    assert list(result[0].data) == []
    assert result[1].data.meas.num_shots == 4


def test_no_pubs_and_no_points(sampler):
    assert len(sampler.run([]).result()) == 0
    data = sampler.run([(rotations(), np.zeros((0, 2)))], shots=3).result()[0].data
    assert data.meas.shape == (0,)


def test_a_register_that_nothing_measures_is_zero(sampler):
    circuit = QuantumCircuit(2, 2)
    circuit.x([0, 1])
    assert sampler.run([circuit], shots=5).result()[0].data.c.get_counts() == {"00": 5}
    circuit.measure(1, 1)
    assert sampler.run([circuit], shots=5).result()[0].data.c.get_counts() == {"10": 5}


def test_metadata(sampler):
    circuit = bell()
    circuit.metadata = {"experiment": 5}
    metadata = sampler.run([circuit], shots=5).result()[0].metadata
    assert metadata == {"shots": 5, "circuit_metadata": {"experiment": 5}, "method": "statevector"}


def test_faults_are_qiskits_exceptions(sampler):
    with pytest.raises(ValueError, match="[Pp]arameter"):
        sampler.run([rotations()])
    with pytest.raises(QiskitError, match="1000000|1,000,000"):
        sampler.run([bell()], shots=2_000_000)
    wide = QuantumCircuit(60)
    wide.h(range(60))
    wide.measure_all()
    with pytest.raises(QiskitError, match="60 qubits"):
        sampler.run([wide], shots=1)

"""What circuits of Qiskit become."""

from __future__ import annotations

import numpy as np
import pytest

qiskit = pytest.importorskip("qiskit")

from qiskit import QuantumCircuit
from qiskit.circuit import Parameter
from qiskit.circuit.classical import expr, types
from qiskit.circuit.library import (
    UnitaryGate,
    quantum_volume,
)
from qiskit.primitives import StatevectorEstimator
from qiskit.quantum_info import random_unitary


def test_measurement_in_the_middle_and_if_else(sampler):
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


def test_while_loops_switches_and_classical_variables(sampler):
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


def test_gates_that_are_not_in_the_target_are_sent_as_their_definition(sampler):
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

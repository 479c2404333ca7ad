"""Random circuits with control flow, classical values and registers that share bits, against a distribution of their own."""

from __future__ import annotations

import math
from random import Random

import numpy as np
import pytest

qiskit = pytest.importorskip("qiskit")

from qiskit import ClassicalRegister, QuantumCircuit, QuantumRegister
from qiskit.circuit import (
    AnnotatedOperation,
    Clbit,
    ControlModifier,
    Gate,
    IfElseOp,
    InverseModifier,
    Parameter,
    PowerModifier,
    Qubit,
    library,
)
from qiskit.circuit.classical import expr, types
from qiskit.quantum_info import SparsePauliOp, random_clifford, random_unitary
from qiskit_oracle import distribution

SHOTS = 2000


class Misnamed(Gate):
    """A gate under the name of another."""

    def __init__(self):
        super().__init__("iswap", 2, [])

    def _define(self):
        self.definition = QuantumCircuit(2)
        self.definition.ry(1.1, 1)
        self.definition.cx(1, 0)


class Builder:
    """A random circuit of three qubits and five bits, some of them in several registers."""

    def __init__(self, seed):
        self.random = random = Random(seed)
        self.qubits = [Qubit() for _ in range(3)]
        self.bits = [Clbit() for _ in range(5)]
        self.circuit = circuit = QuantumCircuit(self.qubits, self.bits, name=f"random {seed}")
        for number, size in enumerate((2, 3, 1)):
            circuit.add_register(ClassicalRegister(bits=random.sample(self.bits, size), name=f"r{number}"))
        circuit.add_register(QuantumRegister(bits=self.qubits[:2], name="a"), QuantumRegister(bits=self.qubits[1:], name="b"))
        self.variables = [
            circuit.add_var("count", expr.lift(random.randrange(8), types.Uint(4))),
            circuit.add_var("x", expr.lift(random.randrange(200), types.Uint(8))),
        ]
        self.flag = circuit.add_var("gate", bool(random.randrange(2)))
        # Measurements of superpositions double the ways that a run can turn out.
        self.turns = 5
        self.statements(depth=0, count=9)
        circuit.measure(self.qubits, random.sample(self.bits, 3))

    def statements(self, depth, count):
        for _ in range(count):
            kinds = [self.gate, self.gate, self.measure, self.store, self.other]
            if depth < 2:
                kinds += [self.choice, self.loop, self.switch, self.mapped]
            kind = self.random.choice(kinds)
            kind(depth) if kind in (self.choice, self.loop, self.switch) else kind()

    def two(self):
        return self.random.sample(self.qubits, 2)

    def gate(self):
        random, circuit = self.random, self.circuit
        gates = [
            library.XGate(), library.RYGate(random.random()), library.CXGate(ctrl_state=random.randrange(2)), library.SwapGate(),
            library.DiagonalGate(np.exp(1j * np.array([random.random() for _ in range(4)]))),
            library.UCRYGate([random.random(), random.random()]), library.PermutationGate([1, 2, 0]),
            library.LinearFunction([[1, 1], [0, 1]]), library.PauliEvolutionGate(SparsePauliOp(["XX", "YY"]), random.random()),
            library.UnitaryGate(random_unitary(4, seed=random.randrange(99))), random_clifford(2, seed=random.randrange(99)),
            library.HamiltonianGate(np.array([[1, 0.5], [0.5, -1]]), random.random()), library.QFTGate(2), Misnamed(),
            AnnotatedOperation(library.SXGate(), [PowerModifier(3), ControlModifier(1, 0), InverseModifier()]),
            library.UnitaryGate(random_unitary(2, seed=random.randrange(99))).control(), library.PauliGate("XYZ"),
        ]  # fmt: skip
        chosen = random.choice(gates)
        circuit.append(chosen, random.sample(self.qubits, chosen.num_qubits))

    def measure(self):
        if self.turns > 0:
            self.turns -= 1
            self.circuit.measure(self.random.choice(self.qubits), self.random.choice(self.bits))

    def other(self):
        random, circuit = self.random, self.circuit
        kind = random.randrange(4)
        if kind == 0 and self.turns > 0:
            self.turns -= 1
            circuit.reset(random.choice(self.qubits))
        elif kind == 1 and self.turns > 1:
            self.turns -= 2
            circuit.initialize([0.6, 0, 0.8j, 0], self.two())
        elif kind == 2:
            circuit.barrier()
            circuit.delay(random.choice([100, 2.5e-3]), random.choice(self.qubits), unit="us")
        else:
            with circuit.box():
                circuit.h(random.choice(self.qubits))

    def uint(self, depth=2):
        """An expression of 8 bits."""
        random = self.random
        leaves = [
            lambda: expr.cast(random.choice(self.circuit.cregs), types.Uint(8)),
            lambda: expr.cast(random.choice(self.variables), types.Uint(8)),
            lambda: expr.lift(random.randrange(256), types.Uint(8)),
            lambda: expr.cast(self.condition(0), types.Uint(8)),
        ]
        if depth == 0 or random.random() < 0.3:
            return random.choice(leaves)()
        operators = [expr.bit_and, expr.bit_or, expr.bit_xor, expr.add, expr.sub, expr.mul]
        kind = random.randrange(len(operators) + 2)
        if kind == len(operators):
            return expr.bit_not(self.uint(depth - 1))
        if kind > len(operators):
            return random.choice([expr.shift_left, expr.shift_right])(self.uint(depth - 1), random.randrange(4))
        return operators[kind](self.uint(depth - 1), self.uint(depth - 1))

    def condition(self, depth=1):
        random = self.random
        leaves = [
            lambda: expr.lift(random.choice(self.bits)),
            lambda: self.flag,
            lambda: expr.index(random.choice(self.circuit.cregs[:2]), random.randrange(2)),
        ]
        if depth == 0:
            return random.choice(leaves)()
        compare = random.choice([expr.equal, expr.not_equal, expr.less, expr.greater_equal])
        join = random.choice([expr.logic_and, expr.logic_or, expr.bit_and, expr.bit_xor, expr.equal])
        kinds = [
            lambda: compare(self.uint(1), self.uint(1)),
            lambda: join(self.condition(0), self.condition(depth - 1)),
            lambda: random.choice([expr.logic_not, expr.bit_not])(self.condition(depth - 1)),
            lambda: expr.equal(random.choice(self.circuit.cregs), random.randrange(2)),
        ]
        return random.choice(kinds)()

    def store(self):
        random, circuit = self.random, self.circuit
        kind = random.randrange(5)
        if kind == 0:
            circuit.store(self.variables[1], self.uint())
        elif kind == 1:
            circuit.store(self.variables[0], expr.cast(self.uint(), types.Uint(4)))
        elif kind == 2:
            circuit.store(self.flag, self.condition())
        elif kind == 3:
            circuit.store(random.choice(self.bits), self.condition())
        else:
            register = random.choice(circuit.cregs)
            circuit.store(register, expr.cast(self.uint(), types.Uint(register.size)))

    def choice(self, depth):
        random, circuit = self.random, self.circuit
        register = random.choice(circuit.cregs)
        older = [(register, random.randrange(2**register.size)), (random.choice(self.bits), random.randrange(2))]
        with circuit.if_test(random.choice([*older, self.condition(2)])) as otherwise:
            self.statements(depth + 1, 2)
        if random.randrange(2):
            with otherwise:
                self.statements(depth + 1, 1)

    def loop(self, depth):
        random, circuit = self.random, self.circuit
        turns, self.turns = self.turns, 0
        indices = random.choice([range(3), range(4, 0, -2), range(1, 6, 3), (2, 0, 1), range(0)])
        kind = random.randrange(4)
        if kind == 3:
            limit = self.variables[0]
            circuit.store(limit, expr.lift(random.randrange(4), types.Uint(4)))
            with circuit.while_loop(expr.less(limit, expr.lift(3, types.Uint(4)))):
                circuit.store(limit, expr.add(limit, expr.lift(1, types.Uint(4))))
                circuit.ry(0.7, random.choice(self.qubits))
        else:
            variable = (None, None, Parameter("pi"))[kind]
            with circuit.for_loop(indices, variable):
                if variable is not None:
                    circuit.ry(variable / 2, random.choice(self.qubits))
                self.gate()
                if random.randrange(2):
                    with circuit.if_test(self.condition()):
                        random.choice([circuit.break_loop, circuit.continue_loop])()
                self.statements(depth + 1, 1)
        if depth == 0:
            # Qiskit builds no such loop in a block, and none that names other variables.
            index = expr.Var.new("rx", types.Uint(8))
            body = QuantumCircuit([Qubit()], inputs=[index])
            with body.if_test(expr.less(expr.mul(index, 100), 150)):
                body.ry(0.3, 0)
            circuit.for_loop(indices, index, body, [random.choice(self.qubits)], [])
        self.turns = turns

    def switch(self, depth):
        random, circuit = self.random, self.circuit
        target = random.choice([random.choice(circuit.cregs), random.choice(self.bits), self.uint()])
        with circuit.switch(target) as case:
            with case(0):
                self.statements(depth + 1, 1)
            if random.randrange(2):
                with case(1, *([2, 9] if isinstance(target, expr.Expr) else [])):
                    self.statements(depth + 1, 1)
            if random.randrange(2):
                with case(case.DEFAULT):
                    self.statements(depth + 1, 1)

    def mapped(self):
        """A block of bits of its own, on bits of the circuit in another order."""
        body = QuantumCircuit([Qubit(), Qubit()], [Clbit(), Clbit()])
        body.ry(0.4, 1)
        inner = QuantumCircuit(body.qubits, body.clbits)
        inner.cx(0, 1)
        body.append(IfElseOp((body.clbits[1], 1), inner), body.qubits[::-1], body.clbits)
        on = self.random.sample(self.bits, 2)
        self.circuit.append(IfElseOp((on[0], 1), body), self.two(), on)


def faults(data, circuit, wanted):
    """What the counts of the registers have that the distribution does not allow."""
    index = {bit: place for place, bit in enumerate(circuit.clbits)}
    for register in circuit.cregs:
        expected = {}
        for label, probability in wanted.items():
            own = "".join(label[-1 - index[bit]] for bit in reversed(list(register)))
            expected[own] = expected.get(own, 0) + probability
        counts = data[register.name].get_counts()
        for label in expected.keys() | counts.keys():
            mean = SHOTS * expected.get(label, 0)
            if abs(counts.get(label, 0) - mean) > 5.5 * math.sqrt(mean * (1 - mean / SHOTS) + 1e-9) + 0.5:
                yield f"{circuit.name}: register {register.name} is {label} {counts.get(label, 0)} times, not {mean:.1f}"


def test_random_circuits_have_the_distribution_of_their_statements(sampler):
    circuits = [Builder(seed).circuit for seed in range(60)]
    wanted = [distribution(circuit) for circuit in circuits]
    assert max(abs(sum(each.values()) - 1) for each in wanted) < 1e-6
    results = sampler.run(circuits, shots=SHOTS).result()
    found = [
        fault
        for circuit, each, result in zip(circuits, wanted, results, strict=True)
        for fault in faults(result.data, circuit, each)
    ]
    assert not found, "\n".join(found)

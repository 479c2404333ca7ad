"""Distribution of a circuit's classical bits, worked out branch by branch with numpy.

It takes control flow, classical variables and registers that share bits, which no simulator of Qiskit takes all of.
"""

from __future__ import annotations

import operator

import numpy as np
from qiskit.circuit import Clbit, Gate, Instruction
from qiskit.circuit.classical import expr, types
from qiskit.circuit.controlflow import CASE_DEFAULT
from qiskit.quantum_info import Operator


def distribution(circuit):
    """Probability of each value of the classical bits, as text with bit 0 rightmost."""
    found = {}
    prefixes = [[]]
    while prefixes:
        run = _Run(circuit, prefixes.pop())
        prefixes += run.others
        label = "".join(str(bit) for bit in reversed(run.bits))
        found[label] = found.get(label, 0) + run.probability
    return found


class _Break(Exception):
    pass


class _Continue(Exception):
    pass


class _Run:
    """One way that measurements can turn out: as ``prefix`` says, and then with the likelier outcome."""

    def __init__(self, circuit, prefix):
        self.state = np.zeros([2] * circuit.num_qubits, complex)
        self.state.flat[0] = 1
        self.num_qubits = circuit.num_qubits
        self.bits = [0] * circuit.num_clbits
        self.variables = {}
        self.prefix, self.taken, self.others, self.probability = prefix, [], [], 1.0
        self.block(circuit, range(circuit.num_qubits), dict(zip(circuit.clbits, range(circuit.num_clbits))))

    def block(self, circuit, qubits, where):
        place = dict(zip(circuit.qubits, qubits))
        for instruction in circuit.data:
            op = instruction.operation
            on, into = [place[qubit] for qubit in instruction.qubits], [where[bit] for bit in instruction.clbits]
            self.step(op, on, into, where)

    def step(self, op, on, into, where):
        inside = lambda body: self.block(body, on, {**where, **dict(zip(body.clbits, into))})
        if op.name == "measure":
            self.bits[into[0]] = self.measured(on[0])
        elif op.name == "reset":
            if self.measured(on[0]):
                self.apply(np.array([[0, 1], [1, 0]]), on)
        elif op.name == "store":
            self.store(op.lvalue, self.value(op.rvalue, where), where)
        elif op.name == "break_loop":
            raise _Break
        elif op.name == "continue_loop":
            raise _Continue
        elif op.name == "if_else":
            chosen = [*op.blocks, None][0 if self.holds(op.condition, where) else 1]
            if chosen is not None:
                inside(chosen)
        elif op.name == "while_loop":
            self.loop(iter(lambda: self.holds(op.condition, where), False), lambda _: inside(op.blocks[0]))
        elif op.name == "for_loop":
            indices, variable, body = op.params
            self.loop(indices, lambda index: inside(self.with_index(body, variable, index)))
        elif op.name == "switch_case":
            target = self.value(expr.lift(op.target), where)
            for labels, body in op.cases_specifier():
                if any(label is CASE_DEFAULT or label == target for label in labels):
                    inside(body)
                    break
        elif op.name == "box":
            inside(op.blocks[0])
        elif isinstance(op, Instruction) and not isinstance(op, Gate) and op.definition is not None:
            self.block(op.definition, on, dict(zip(op.definition.clbits, into)))
        elif op.name not in ("barrier", "delay"):
            self.apply(Operator(op).data, on)

    def with_index(self, body, variable, index):
        if isinstance(variable, expr.Var):
            self.variables[variable] = index
        elif variable in body.parameters:
            return body.assign_parameters({variable: index})
        return body

    @staticmethod
    def loop(indices, body):
        try:
            for index in indices:
                try:
                    body(index)
                except _Continue:
                    pass
        except _Break:
            pass

    def measured(self, qubit):
        axis = self.num_qubits - 1 - qubit
        weights = [np.linalg.norm(np.take(self.state, value, axis)) ** 2 for value in (0, 1)]
        depth = len(self.taken)
        if depth < len(self.prefix):
            value = self.prefix[depth]
        else:
            value = int(weights[1] > weights[0])
            if weights[1 - value] > 1e-9:
                self.others.append([*self.taken, 1 - value])
        self.taken.append(value)
        self.probability *= weights[value]
        keep = np.array([1 - value, value]).reshape([2 if at == axis else 1 for at in range(self.num_qubits)])
        self.state = self.state * keep / np.sqrt(weights[value])
        return value

    def apply(self, matrix, on):
        count = len(on)
        axes = [self.num_qubits - 1 - qubit for qubit in reversed(on)]
        tensor = np.asarray(matrix).reshape([2] * 2 * count)
        moved = np.tensordot(tensor, self.state, (range(count, 2 * count), axes))
        self.state = np.moveaxis(moved, range(count), axes)

    def holds(self, condition, where):
        if isinstance(condition, expr.Expr):
            return bool(self.value(condition, where))
        bits, value = condition
        return self.read(bits, where) == value

    def read(self, bits, where):
        if isinstance(bits, Clbit):
            return self.bits[where[bits]]
        return sum(self.bits[where[bit]] << place for place, bit in enumerate(bits))

    def store(self, target, value, where):
        if isinstance(target, expr.Index):
            place, whole = self.value(target.index, where), self.value(target.target, where)
            self.store(target.target, whole & ~(1 << place) | int(value) << place, where)
        elif target.standalone:
            self.variables[target] = value
        elif isinstance(target.var, Clbit):
            self.bits[where[target.var]] = int(value)
        else:
            for place, bit in enumerate(target.var):
                self.bits[where[bit]] = value >> place & 1

    def value(self, node, where):
        found = self.raw(node, where)
        if isinstance(node.type, types.Uint):
            return int(found) % (1 << node.type.width)
        return bool(found) if isinstance(node.type, types.Bool) else found

    def raw(self, node, where):
        if isinstance(node, expr.Value):
            return node.value
        if isinstance(node, expr.Var):
            return self.variables[node] if node.standalone else self.read(node.var, where)
        if isinstance(node, expr.Cast):
            return self.value(node.operand, where)
        if isinstance(node, expr.Index):
            return self.value(node.target, where) >> self.value(node.index, where) & 1
        if isinstance(node, expr.Unary):
            operand = self.value(node.operand, where)
            if node.op.name == "NEGATE":
                return -operand
            return not operand if isinstance(node.type, types.Bool) else ~operand
        left, right = self.value(node.left, where), self.value(node.right, where)
        return _BINARY[node.op.name](left, right)


_BINARY = {
    "BIT_AND": operator.and_,
    "BIT_OR": operator.or_,
    "BIT_XOR": operator.xor,
    "LOGIC_AND": lambda a, b: a and b,
    "LOGIC_OR": lambda a, b: a or b,
    "EQUAL": operator.eq,
    "NOT_EQUAL": operator.ne,
    "LESS": operator.lt,
    "LESS_EQUAL": operator.le,
    "GREATER": operator.gt,
    "GREATER_EQUAL": operator.ge,
    "SHIFT_LEFT": lambda a, b: a << b,
    "SHIFT_RIGHT": lambda a, b: a >> b,
    "ADD": operator.add,
    "SUB": operator.sub,
    "MUL": operator.mul,
    "DIV": lambda a, b: a // b if isinstance(a, int) else a / b,
}

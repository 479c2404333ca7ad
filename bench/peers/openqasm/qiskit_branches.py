"""
The exact distribution of a dynamic Qiskit circuit: every branch of every measurement, one after the
other, on a plain state vector.

Aer does not run some of these (sums, bits of registers, stored bools), ends the process on others, and
on a few gives outcomes that cannot occur. Where it does not agree, this decides.
"""

from dataclasses import dataclass, field, replace

import numpy as np
from program import Counts
from qiskit.circuit import CASE_DEFAULT, ClassicalRegister, Clbit
from qiskit.circuit.classical import expr, types

# Branches that are less likely are not followed: a loop may go on for ever.
NEGLIGIBLE = 1e-8


@dataclass
class Branch:
    weight: float
    state: np.ndarray
    bits: dict
    variables: dict = field(default_factory=dict)
    leaving: str = ""


def distribution(circuit):
    state = np.zeros([2] * circuit.num_qubits, dtype=complex)
    state[(0,) * circuit.num_qubits] = 1
    start = Branch(1, state, {bit: False for bit in circuit.clbits})
    walk = Walk(circuit.qubits)
    shares = {}
    for branch in walk.block(circuit, [start]):
        outcome = sum(int(branch.bits[bit]) << i for i, bit in enumerate(circuit.clbits))
        shares[outcome] = shares.get(outcome, 0) + branch.weight
    return Counts(shares, circuit.num_clbits, is_exact=True)


class Walk:
    def __init__(self, qubits):
        self.axis = {qubit: i for i, qubit in enumerate(qubits)}

    def block(self, circuit, branches):
        for step in circuit.data:
            moving = [b for b in branches if not b.leaving]
            stopped = [b for b in branches if b.leaving]
            if not moving:
                return stopped
            branches = stopped + self.step(step, moving)
        return branches

    def step(self, step, branches):
        op = step.operation
        axes = [self.axis[q] for q in step.qubits]
        if op.name in ("barrier", "delay"):
            return branches
        if op.name == "measure":
            return [c for b in branches for c in self.collapse(b, axes[0], step.clbits[0])]
        if op.name == "reset":
            return [c for b in branches for axis in axes for c in self.collapse(b, axis, None)]
        if op.name == "store":
            return [self.store(b, op.lvalue, op.rvalue) for b in branches]
        if op.name in ("break_loop", "continue_loop"):
            return [replace(b, leaving=op.name) for b in branches]
        if op.name == "if_else":
            blocks = (op.blocks[0], op.blocks[1] if len(op.blocks) > 1 else None)
            return [c for b in branches for c in self.chosen(blocks[not truth(op.condition, b)], b)]
        if op.name == "switch_case":
            return [c for b in branches for c in self.chosen(switched(op, b), b)]
        if op.name == "for_loop":
            return self.for_loop(op, branches)
        if op.name == "while_loop":
            return self.while_loop(op, branches)
        if op.name == "box":
            return self.block(op.blocks[0], branches)
        matrix = op.to_matrix().reshape([2] * (2 * len(axes)))
        return [replace(b, state=apply(matrix, b.state, axes)) for b in branches]

    def chosen(self, block, branch):
        return [branch] if block is None else self.block(block, [branch])

    def for_loop(self, op, branches):
        values, parameter, body = op.params
        done = []
        for value in values:
            bound = body if parameter is None else body.assign_parameters({parameter: value})
            branches = self.block(bound, branches)
            done += [replace(b, leaving="") for b in branches if b.leaving == "break_loop"]
            branches = [replace(b, leaving="") for b in branches if b.leaving != "break_loop"]
        return done + branches

    def while_loop(self, op, branches):
        done = []
        while branches:
            done += [b for b in branches if not truth(op.condition, b)]
            going = [b for b in branches if truth(op.condition, b) and b.weight > NEGLIGIBLE]
            ended = self.block(op.blocks[0], going) if going else []
            done += [replace(b, leaving="") for b in ended if b.leaving == "break_loop"]
            branches = [replace(b, leaving="") for b in ended if b.leaving != "break_loop"]
        return done

    def collapse(self, branch, axis, bit):
        """Both ways a measurement turns out, or a reset where there is no bit."""
        found = []
        for outcome in (0, 1):
            at = tuple(outcome if i == axis else slice(None) for i in range(branch.state.ndim))
            part = branch.state[at]
            share = np.vdot(part, part).real
            if share * branch.weight < NEGLIGIBLE:
                continue
            state = np.zeros_like(branch.state)
            to = 0 if bit is None else outcome
            state[tuple(to if i == axis else slice(None) for i in range(state.ndim))] = part / np.sqrt(share)
            bits = branch.bits if bit is None else {**branch.bits, bit: bool(outcome)}
            found.append(replace(branch, weight=branch.weight * share, state=state, bits=bits))
        return found

    def store(self, branch, target, source):
        value = evaluate(source, branch)
        if isinstance(target.var, Clbit):
            return replace(branch, bits={**branch.bits, target.var: bool(value)})
        if isinstance(target.var, ClassicalRegister):
            return replace(branch, bits={**branch.bits, **{bit: bool(value >> i & 1) for i, bit in enumerate(target.var)}})
        return replace(branch, variables={**branch.variables, target: value})


def apply(matrix, state, axes):
    """Qiskit's first qubit is the lowest bit of a matrix's index, which is the last axis here."""
    n = len(axes)
    inputs = [2 * n - 1 - i for i in range(n)]
    moved = np.tensordot(matrix, state, (inputs, axes))
    return np.moveaxis(moved, range(n), axes[::-1])


def switched(op, branch):
    value = evaluate(expr.lift(op.target), branch)
    for labels, block in op.cases_specifier():
        if any(label is CASE_DEFAULT or int(label) == int(value) for label in labels):
            return block
    return None


def truth(condition, branch):
    if isinstance(condition, tuple):
        return int(evaluate(expr.lift(condition[0]), branch)) == int(condition[1])
    return bool(evaluate(condition, branch))


def evaluate(node, branch):
    if isinstance(node, expr.Value):
        return node.value
    if isinstance(node, expr.Var):
        if isinstance(node.var, Clbit):
            return branch.bits[node.var]
        if isinstance(node.var, ClassicalRegister):
            return sum(int(branch.bits[bit]) << i for i, bit in enumerate(node.var))
        return branch.variables[node]
    if isinstance(node, expr.Cast):
        value = evaluate(node.operand, branch)
        return bool(value) if node.type.kind is types.Bool else wrapped(int(value), node.type)
    if isinstance(node, expr.Index):
        return bool(evaluate(node.target, branch) >> evaluate(node.index, branch) & 1)
    if isinstance(node, expr.Unary):
        value = evaluate(node.operand, branch)
        return not value if node.op is expr.Unary.Op.LOGIC_NOT or node.type.kind is types.Bool else wrapped(~value, node.type)
    left, right = evaluate(node.left, branch), evaluate(node.right, branch)
    return wrapped(BINARY[node.op](left, right), node.type)


def wrapped(value, type_):
    return bool(value) if type_.kind is types.Bool else value % 2**type_.width


OP = expr.Binary.Op
BINARY = {
    OP.BIT_AND: lambda a, b: a & b, OP.BIT_OR: lambda a, b: a | b, OP.BIT_XOR: lambda a, b: a ^ b,
    OP.LOGIC_AND: lambda a, b: a and b, OP.LOGIC_OR: lambda a, b: a or b,
    OP.EQUAL: lambda a, b: a == b, OP.NOT_EQUAL: lambda a, b: a != b,
    OP.LESS: lambda a, b: a < b, OP.LESS_EQUAL: lambda a, b: a <= b, OP.GREATER: lambda a, b: a > b, OP.GREATER_EQUAL: lambda a, b: a >= b,
    OP.SHIFT_LEFT: lambda a, b: a << b, OP.SHIFT_RIGHT: lambda a, b: a >> b,
    OP.ADD: lambda a, b: a + b, OP.SUB: lambda a, b: a - b, OP.MUL: lambda a, b: a * b, OP.DIV: lambda a, b: a // b,
}

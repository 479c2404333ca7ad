"""Amazon Braket: exports of its circuits (Circuit.to_ir), and the programs of its examples."""

import ast
import json
import re

import numpy as np
from braket.circuits import Circuit, FreeParameter, Observable
from braket.circuits.serialization import IRType
from braket.devices import LocalSimulator
from braket.ir.openqasm import Program as OpenQasm
from collections import Counter
from program import Counts, Program, Skipped, State

SHOTS = 20_000


def corpora(folder):
    yield "Braket, to_ir", exports, lambda _: None
    if folder is not None:
        yield "Braket, examples", lambda: examples(folder / "amazon-braket-examples"), opinion
        yield "Braket, tests of its simulator", lambda: tests(folder / "amazon-braket-default-simulator-python"), opinion


def opinion(program):
    """Why Braket's simulator refuses a program, or None."""
    try:
        run(program.text, program.inputs, 10 if "measure" in program.text else 0)
    except Exception as error:  # noqa: BLE001: any refusal will do
        return f"Braket: {str(error).splitlines()[0] if str(error) else type(error).__name__}"
    return None


def exports():
    for name, circuit, inputs in circuits():
        text = circuit.to_ir(IRType.OPENQASM).source
        bound = circuit.make_bound_circuit(inputs) if inputs else circuit
        yield Program(name, text, lambda bound=bound: by_circuit(bound), inputs)


def by_circuit(circuit):
    """The state of a circuit without its result types; its first qubit is the highest bit there."""
    plain = Circuit()
    for instruction in circuit.instructions:
        if instruction.operator.name not in ("Measure", "StartVerbatimBox", "EndVerbatimBox"):
            plain.add_instruction(instruction)
    state = LocalSimulator("braket_sv").run(plain.state_vector(), shots=0).result().values[0]
    return State(little_endian(state))


def little_endian(state):
    width = int(np.log2(len(state)))
    return np.asarray(state).reshape([2] * width).transpose().reshape(-1)


def run(text, inputs, shots):
    program = OpenQasm(source=text, inputs=inputs or None)
    return LocalSimulator("braket_sv").run(program, shots=shots).result()


def by_text(text, inputs):
    """The state, where a program measures nothing; else counts, by the bits in the order of their measurement."""
    if re.search(r"^\s*input u?int\[", text, re.MULTILINE):
        raise Skipped("Braket counts the bits of a number from the most significant, the specification from the least")
    plain = "\n".join(line for line in text.splitlines() if not line.strip().startswith("#pragma braket result"))
    if "measure" not in plain:
        result = run(f"{plain}\n#pragma braket result state_vector\n", inputs, 0)
        return State(little_endian(result.values[0]))
    result = run(plain, inputs, SHOTS)
    order = bits_measured(plain)
    found = Counter()
    for label, count in result.measurement_counts.items():
        if len(label) != len(order):
            raise Skipped(f"Braket counts {len(label)} bits where the program names {len(order)}")
        found[sum(int(digit) << bit for digit, bit in zip(label, order, strict=True))] += count
    return Counts(dict(found), len(order))


def bits_measured(text):
    """Braket counts whole registers from their first bit on."""
    sizes = [int(size or 1) for size in re.findall(r"^\s*bit(?:\[(\d+)\])?\s+\w+\s*[;=]", text, re.MULTILINE)]
    if len(sizes) != 1:
        raise Skipped("not one register of bits")
    return range(sizes[0])


def spread(n):
    circuit = Circuit()
    for i in range(n):
        circuit.ry(i, 0.4 + 0.3 * i).rz(i, 0.7 + 0.5 * i)
    for i in range(n - 1):
        circuit.cnot(i, i + 1).rx(i, 0.2 + 0.1 * i)
    return circuit


# By their number of qubits and angles.
GATES = {
    (1, 0): "h i x y z s si t ti v vi", (1, 1): "rx ry rz phaseshift gpi gpi2", (1, 2): "prx", (1, 3): "u",
    (2, 0): "cnot cv cy cz swap iswap ecr", (2, 1): "cphaseshift cphaseshift00 cphaseshift01 cphaseshift10 pswap xy xx yy zz",
    (2, 3): "ms", (3, 0): "ccnot cswap",
}

# Their methods take no further controls by that name.
HAVE_CONTROLS = {"cnot", "cv", "cy", "cz", "ccnot", "cswap", "cphaseshift", "cphaseshift00", "cphaseshift01", "cphaseshift10"}
# Braket's simulator gives these as if there were no power: cnot to the -2 is not the identity there.
WITHOUT_POWERS = {"cnot", "swap"}


def circuits():
    random = np.random.default_rng(1)

    def unitary(n):
        q, r = np.linalg.qr(random.normal(size=(n, n)) + 1j * random.normal(size=(n, n)))
        return q * (np.diag(r) / abs(np.diag(r)))

    for (qubits, angles), names in GATES.items():
        for name in names.split():
            where, values = list(range(qubits)), [0.3 + 0.4 * i for i in range(angles)]
            yield name, getattr(spread(max(qubits, 2)), name)(*where, *values), {}
            if name in WITHOUT_POWERS:
                continue
            yield f"{name}, inverse power", getattr(spread(max(qubits, 2)), name)(*where, *values, power=-2), {}
            if name not in HAVE_CONTROLS:
                moved = [q + 1 for q in where]
                add = lambda **more: getattr(spread(qubits + 1), name)(*moved, *values, **more)  # noqa: B023, E731
                yield f"{name}, controlled", add(control=0), {}
                yield f"{name}, open control, power", add(control=0, control_state=[0], power=0.5), {}
    yield "gphase", spread(2).gphase(0.3), {}
    yield "gphase, controlled", spread(2).gphase(0.3, control=[0, 1]), {}
    for n in (1, 2, 3):
        yield f"unitary on {n}", spread(4).unitary(matrix=unitary(2**n), targets=[3, 1, 0][:n]), {}
    yield "measured", spread(3).measure(0).measure(2), {}
    yield "measured all", spread(3).measure([0, 1, 2]), {}
    yield "barrier", spread(3).barrier([0, 1]).h(0) if hasattr(Circuit, "barrier") else spread(3), {}
    yield "verbatim box", Circuit().h(0).add_verbatim_box(Circuit().rx(0, 0.3).cz(0, 1)).cnot(0, 1), {}
    yield "parameters", Circuit().rx(0, FreeParameter("alpha")).ry(1, 2 * FreeParameter("beta") + 0.1).cnot(0, 1), {"alpha": 0.3, "beta": 0.7}
    results = {
        "state_vector": lambda c: c.state_vector(), "probability": lambda c: c.probability([0, 1]), "all probabilities": lambda c: c.probability(),
        "expectation": lambda c: c.expectation(Observable.Z() @ Observable.X(), [0, 1]), "expectation of all": lambda c: c.expectation(Observable.Y()),
        "variance": lambda c: c.variance(Observable.Z(), 0), "amplitude": lambda c: c.amplitude(["000", "101"]),
        "density matrix": lambda c: c.density_matrix([0, 1]), "Hermitian": lambda c: c.expectation(Observable.Hermitian(np.array([[1, 0], [0, -1]])), 0),
        "sum": lambda c: c.expectation(2 * Observable.Z() + 3 * Observable.X() @ Observable.Y(), [[0], [0, 1]]), "sample": lambda c: c.sample(Observable.Z(), 0),
        "adjoint gradient": lambda c: c.rx(0, FreeParameter("a")).adjoint_gradient(Observable.Z(), 0, ["a"]),
    }
    for name, add in results.items():
        inputs = {"a": 0.3} if name == "adjoint gradient" else {}
        yield f"result {name}", add(spread(3)), inputs
    yield "physical qubits", Circuit().h(0).cnot(0, 1).add_verbatim_box(Circuit().h(0)), {}
    for seed in range(40):
        yield f"random {seed}", random_circuit(seed), {}


def random_circuit(seed):
    chance = np.random.default_rng(seed)
    circuit = spread(4)
    for _ in range(25):
        (qubits, angles), names = list(GATES.items())[chance.integers(len(GATES))]
        name = names.split()[chance.integers(len(names.split()))]
        where = [int(q) for q in chance.permutation(4)[:qubits]]
        getattr(circuit, name)(*where, *[float(a) for a in chance.uniform(-7, 7, angles)])
    return circuit


def examples(folder):
    """Files of programs, and those that notebooks hold as text."""
    for file in sorted(folder.rglob("*")):
        if file.suffix == ".qasm":
            text = file.read_text()
            inputs = {"a_in": 3, "b_in": 7} if "a_in" in text else {}
            yield made(str(file.relative_to(folder)), text, inputs)
        elif file.suffix == ".ipynb" and "qasm" in file.name.lower():
            yield from of_notebook(file)


def of_notebook(file):
    number = 0
    for cell in json.loads(file.read_text())["cells"]:
        if cell["cell_type"] != "code":
            continue
        for text in strings("".join(cell["source"])):
            if re.search(r"OPENQASM\s+3", text) and ";" in text and len(text) > 40:
                number += 1
                yield made(f"{file.stem} {number}", text, {})


def tests(folder):
    """Texts in the tests of Braket's interpreter that its simulator runs and that act on qubits."""
    file = folder / "test/unit_tests/braket/default_simulator/openqasm/test_interpreter.py"
    for number, text in enumerate(strings(file.read_text())):
        if "qubit" not in text and "$" not in text or "include" in text:
            continue
        program = made(f"test {number}", text, {})
        if opinion(program) is None:
            yield program


def strings(source):
    try:
        tree = ast.parse(re.sub(r"^\s*[%!].*$", "", source, flags=re.MULTILINE))
    except SyntaxError:
        return []
    return [node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str) and ";" in node.value]


def made(name, text, inputs):
    return Program(name, text, lambda: by_text(text, inputs), inputs)

"""Programs that Braket's SDK writes, sent as they are, held to Braket's own simulator of state vectors.

Values are compared to 1e-9. Braket writes qubit 0 leftmost, the service rightmost.
"""

from __future__ import annotations

import json
import math
import sys
import urllib.error
import urllib.request
from pathlib import Path

import numpy as np
import pytest
from braket.circuits import Circuit, FreeParameter, Observable
from braket.circuits.serialization import IRType
from braket.devices import LocalSimulator

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from service import running_service  # noqa: E402

SIMULATOR = LocalSimulator("braket_sv")


@pytest.fixture(scope="module")
def send():
    """Sends a program, and gives the data of the answer; the message of a refusal is that of the exception."""
    with running_service() as service:

        def submit(program, **fields):
            body = {"qasm": program, "target_processor": "statevector-sim", "shots": 1, "seed": 7, **fields}
            request = urllib.request.Request(
                f"{service.origin}/api/v1/quantum/circuits",
                json.dumps(body).encode(),
                {"Content-Type": "application/json", "X-API-Key": service.key},
            )
            try:
                with urllib.request.urlopen(request) as answer:
                    return json.load(answer)["data"]
            except urllib.error.HTTPError as refusal:
                raise ValueError(refusal.read().decode()) from None

        yield submit


def source(circuit):
    return circuit.to_ir(IRType.OPENQASM).source


def spread(n):
    """A state without symmetries."""
    circuit = Circuit()
    for i in range(n):
        circuit.ry(i, 0.4 + 0.3 * i).rz(i, 0.7 + 0.5 * i)
    for i in range(n - 1):
        circuit.cnot(i, i + 1).rx(i, 0.2 + 0.1 * i)
    return circuit


def array_of(value):
    """A value of the service in Braket's form."""
    if isinstance(value, dict):
        width = len(next(iter(value)))
        out = np.zeros(2**width)
        for label, probability in value.items():
            out[int(label[::-1], 2)] = probability
        return out
    return np.asarray(value)


def braket_order(amplitudes):
    state = np.array([complex(*pair) for pair in amplitudes])
    width = int(math.log2(len(state)))
    return state.reshape([2] * width).transpose().reshape(-1)


def check(send, circuit, inputs=None):
    """Holds all results of a circuit to those of Braket's simulator."""
    program = source(circuit)
    answer = send(program, inputs=inputs or {})
    bound = circuit.make_bound_circuit(inputs) if inputs else circuit
    expected = SIMULATOR.run(bound, shots=0).result().values
    assert len(answer["results"]) == len(expected), program
    for result, value in zip(answer["results"], expected, strict=True):
        ours = result["value"]
        if result["type"] == "state_vector":
            # Nothing but the phase of the whole state may differ, and it does not.
            np.testing.assert_allclose(braket_order(ours), value, atol=1e-9, err_msg=program)
        elif result["type"] == "amplitude":
            assert list(ours) and set(ours) == set(value)
            for label, amplitude in value.items():
                np.testing.assert_allclose(complex(*ours[label]), amplitude, atol=1e-9, err_msg=program)
        else:
            np.testing.assert_allclose(array_of(ours), value, atol=1e-9, err_msg=program)


# By their number of qubits and angles.
GATES = {
    (1, 0): "h i x y z s si t ti v vi",
    (1, 1): "rx ry rz phaseshift gpi gpi2",
    (1, 2): "prx",
    (1, 3): "u",
    (2, 0): "cnot cv cy cz swap iswap ecr",
    (2, 1): "cphaseshift cphaseshift00 cphaseshift01 cphaseshift10 pswap xy xx yy zz",
    (2, 3): "ms",
    (3, 0): "ccnot cswap",
}
NAMED = [(name, *shape) for shape, names in GATES.items() for name in names.split()]


@pytest.mark.parametrize("name, qubits, angles", NAMED)
def test_a_gate_makes_the_state_that_braket_makes(send, name, qubits, angles):
    values = [0.3 + 0.4 * i for i in range(angles)]
    where = list(range(qubits))
    check(send, getattr(spread(3), name)(*where, *values).state_vector())
    check(send, getattr(spread(3), name)(*reversed(where), *values).state_vector())


@pytest.mark.parametrize("control_state, power", [([1], 1), ([0], 0.5), ([0], -2)])
@pytest.mark.parametrize("name", "h x y z s t v rx ry rz phaseshift gpi gpi2 prx u iswap ecr pswap xy xx yy zz ms".split())
def test_controls_and_powers_are_those_of_braket(send, name, control_state, power):
    if name in ("h", "y", "gpi", "ecr") and power == 0.5:
        pytest.skip("An eigenvalue of -1 has two roots. Which one Braket takes depends on rounding, in which machines differ.")
    qubits, angles = next(shape for shape, names in GATES.items() if name in names.split())
    values = [0.3 + 0.4 * i for i in range(angles)]
    where = [q + 1 for q in range(qubits)]
    add = getattr(spread(qubits + 1), name)
    check(send, add(*where, *values, control=0, control_state=control_state, power=power).state_vector())


def test_unitaries_and_global_phases_are_those_of_braket(send):
    random = np.random.default_rng(3)
    for n in (1, 2, 3):
        q, _ = np.linalg.qr(random.normal(size=(2**n, 2**n)) + 1j * random.normal(size=(2**n, 2**n)))
        check(send, spread(4).unitary(matrix=q, targets=[3, 1, 0][:n]).gphase(0.3).gphase(0.2, control=[1]).state_vector())


def test_a_verbatim_box_on_physical_qubits_runs(send):
    circuit = Circuit().h(0).add_verbatim_box(Circuit().prx(0, 0.3, 0.2).cz(0, 1)).cnot(0, 1)
    check(send, circuit.state_vector().expectation(Observable.X(), 1))


def hermitian(random, n):
    a = random.normal(size=(2**n, 2**n)) + 1j * random.normal(size=(2**n, 2**n))
    return a + a.conj().T


def random_observable(random, qubits):
    """A product of observables, and the qubits it acts on."""
    product, targets = None, []
    left = [int(q) for q in random.permutation(qubits)]
    while left and (product is None or random.random() < 0.5):
        kind = random.integers(6)
        width = min(len(left), int(random.integers(1, 3))) if kind == 5 else 1
        targets += left[:width]
        left = left[width:]
        letters = [Observable.X, Observable.Y, Observable.Z, Observable.H, Observable.I]
        factor = Observable.Hermitian(hermitian(random, width)) if kind == 5 else letters[kind]()
        product = factor if product is None else product @ factor
    return product, targets


def random_gates(random, qubits):
    circuit = spread(qubits)
    for _ in range(20):
        name, width, angles = NAMED[random.integers(len(NAMED))]
        if width > qubits:
            continue
        where = [int(q) for q in random.permutation(qubits)[:width]]
        getattr(circuit, name)(*where, *[float(a) for a in random.uniform(-7, 7, angles)])
    return circuit


@pytest.mark.parametrize("seed", range(60))
def test_random_circuits_have_the_results_that_braket_gives(send, seed):
    random = np.random.default_rng(seed)
    qubits = 2 + seed % 4
    circuit = random_gates(random, qubits)
    labels = ["".join(random.choice(["0", "1"], qubits)) for _ in range(2)]
    circuit.amplitude(sorted(set(labels)))
    # Two at most exchanged: of three in a cycle, Braket's simulator takes the inverse order.
    some = sorted(int(q) for q in random.permutation(qubits)[: 1 + seed % qubits])
    circuit.probability([some[-1], *some[1:-1], some[0]] if len(some) > 1 else some)
    # Braket refuses different observables on one qubit unless all are exact, as here.
    for add in (circuit.expectation, circuit.variance, circuit.expectation):
        observable, targets = random_observable(random, qubits)
        add(observable, targets)
    circuit.state_vector().probability().expectation(Observable.Y()).variance(Observable.H())
    check(send, circuit)


def test_parameters_are_inputs(send):
    circuit = Circuit().rx(0, FreeParameter("alpha")).ry(1, 2 * FreeParameter("beta") + 0.1).cnot(0, 1)
    check(send, circuit.expectation(Observable.Z() @ Observable.X(), [0, 1]).state_vector(), {"alpha": 0.3, "beta": 0.7})


def test_gradients_are_those_of_differences(send):
    matrix = hermitian(np.random.default_rng(5), 1)
    terms = [
        (2.0, Observable.X() @ Observable.Z(), [0, 1]),
        (3.0, Observable.Y(), [0]),
        (-1.0, Observable.Hermitian(matrix), [1]),
    ]
    circuit = spread(2).rx(0, FreeParameter("a")).xy(0, 1, FreeParameter("c")).cphaseshift(1, 0, 2 * FreeParameter("a"))
    total = 2 * Observable.X(0) @ Observable.Z(1) + 3 * Observable.Y(0) - Observable.Hermitian(matrix, targets=[1])
    inputs = {"a": 0.37, "c": -1.2}

    def energy(**values):
        bound = circuit.make_bound_circuit(values)
        exact = (SIMULATOR.run(bound.copy().expectation(o, t), shots=0).result().values[0] for _, o, t in terms)
        return sum(factor * value for (factor, _, _), value in zip(terms, exact, strict=True))

    program = source(circuit.copy().adjoint_gradient(total, parameters=["a", "c"]))
    value = send(program, inputs=inputs)["results"][0]["value"]
    assert value["expectation"] == pytest.approx(energy(**inputs), abs=1e-9)
    step = 1e-5
    for name in inputs:
        up, down = ({**inputs, name: inputs[name] + sign * step} for sign in (1, -1))
        difference = (energy(**up) - energy(**down)) / (2 * step)
        assert value["gradient"][name] == pytest.approx(difference, abs=1e-7)


def test_samples_have_the_eigenvalues_and_the_mean_of_the_observable(send):
    shots = 20_000
    random = np.random.default_rng(11)
    matrix = hermitian(random, 2)
    observables = [
        (Observable.X() @ Observable.H(), [0, 2]),
        (Observable.Hermitian(matrix), [2, 1]),
        (Observable.Hermitian(matrix) @ Observable.Y(), [0, 1, 2]),
    ]
    for observable, targets in observables:
        exact = SIMULATOR.run(spread(3).expectation(observable, targets).variance(observable, targets), shots=0).result()
        mean, variance = exact.values
        values = send(source(spread(3).sample(observable, targets)), shots=shots)["results"][0]["value"]
        assert len(values) == shots
        eigenvalues = np.unique(np.round(observable.eigenvalues, 9))
        assert set(np.round(values, 9)) <= set(eigenvalues)
        # Five standard errors; the seed is fixed.
        assert np.mean(values) == pytest.approx(mean, abs=5 * math.sqrt(variance / shots))
        assert np.var(values) == pytest.approx(variance, rel=0.1)


def random_kraus(rng, num_qubits, count):
    """A complete set, from orthonormal columns."""
    d = 2**num_qubits
    columns = rng.normal(size=(count * d, d)) + 1j * rng.normal(size=(count * d, d))
    unitary, _ = np.linalg.qr(columns)
    return [unitary[i * d : (i + 1) * d] for i in range(count)]


def noisy(seed):
    """Gates and channels of every kind on three qubits."""
    rng = np.random.default_rng(seed)
    circuit = spread(3)
    channels = [
        lambda a, b, p: circuit.bit_flip(a, p),
        lambda a, b, p: circuit.phase_flip(a, p),
        lambda a, b, p: circuit.pauli_channel(a, p, p / 2, p / 3),
        lambda a, b, p: circuit.depolarizing(a, p),
        lambda a, b, p: circuit.two_qubit_depolarizing(a, b, p),
        lambda a, b, p: circuit.two_qubit_dephasing(a, b, p),
        lambda a, b, p: circuit.amplitude_damping(a, p),
        lambda a, b, p: circuit.generalized_amplitude_damping(a, p, 0.8),
        lambda a, b, p: circuit.phase_damping(a, p),
        lambda a, b, p: circuit.kraus([a], random_kraus(rng, 1, 3)),
        lambda a, b, p: circuit.kraus([a, b], random_kraus(rng, 2, 2)),
    ]
    for channel in rng.permutation(channels):
        a, b = (int(qubit) for qubit in rng.permutation(3)[:2])
        channel(a, b, 0.3 * rng.random())
        circuit.cnot(b, a).ry(a, rng.random())
    return circuit


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("qubits", [[], [2, 0], [1]])
def test_noise_is_that_of_brakets_density_matrices(send, seed, qubits):
    circuit = noisy(seed).density_matrix(*([qubits] if qubits else []))
    answer = send(source(circuit), target_processor="qvm")
    rows = np.array([[complex(*entry) for entry in row] for row in answer["results"][0]["value"]])
    n = int(math.log2(len(rows)))
    # Braket counts the first qubit named as the most significant bit of an index.
    order = [*range(n)][::-1]
    ours = rows.reshape([2] * (2 * n)).transpose([*order, *(n + i for i in order)]).reshape(rows.shape)
    expected = LocalSimulator("braket_dm").run(circuit, shots=0).result().values[0]
    np.testing.assert_allclose(ours, expected, atol=1e-9)


@pytest.mark.parametrize(
    "pragma, words",
    [
        ("noise depolarizing(1.5) q[0]", "must be from 0 to 1, not 1.5"),
        ("result fidelity", 'The result \\"fidelity\\"'),
    ],
)
def test_what_is_refused_names_its_line(send, pragma, words):
    with pytest.raises(ValueError, match="OpenQASM line 3") as refusal:
        send(f"OPENQASM 3.0;\nqubit[1] q;\n#pragma braket {pragma}\n")
    assert words in str(refusal.value)

"""PennyLane: the device, held to default.qubit. ``test_pennylane_suite`` runs PennyLane's own suite on it."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

qml = pytest.importorskip("pennylane")

from pennylane import numpy as pnp
from pennylane.exceptions import DeviceError, QuantumFunctionError

from qcs_client.pennylane import QcsDevice
from qcs_client.pennylane.operations import BUILDERS, accepts


@pytest.fixture
def device(client):
    return lambda wires=3, **options: QcsDevice(wires, client=client, **options)


def both(function, device, *arguments, wires=3, **options):
    """What a circuit gives on the service and on default.qubit."""
    ours = qml.QNode(function, device(wires), **options)(*arguments)
    theirs = qml.QNode(function, qml.device("default.qubit", wires=wires), **options)(*arguments)
    return ours, theirs


def entangle(wires=3):
    """A state without symmetries."""
    for wire in range(wires):
        qml.Rot(0.3 + wire, 0.7 - 0.2 * wire, 0.5 * wire, wires=wire)
    for wire in range(wires - 1):
        qml.CNOT([wire, wire + 1])


def sent_names(function, made, *arguments):
    """Names of the operations that a device sends for a circuit of which nothing is differentiated."""
    tape = qml.tape.make_qscript(function)(*arguments)
    tape.trainable_params = []
    [sent, *_], _ = made.preprocess_transforms()([tape])
    return [op.name for op in sent.operations]


def named(name):
    """An operation by its name in the table of gates, with parameters."""
    inner = name.removeprefix("Adjoint(").removesuffix(")")
    kind = getattr(qml, inner)
    wires = kind.num_wires or 2
    parameters = [0.3 + 0.4 * k for k in range(kind.num_params if isinstance(kind.num_params, int) else 0)]
    op = kind(*parameters, wires=range(wires))
    return qml.adjoint(op) if name != inner else op


OPERATIONS = [
    *(named(name) for name in BUILDERS if name != "Barrier"),
    qml.CNOT([2, 0]), qml.CRot(0.1, 0.2, 0.3, [2, 1]), qml.CSWAP([1, 0, 2]), qml.Toffoli([2, 0, 1]),
    qml.ControlledPhaseShift(0.4, [2, 0]), qml.MultiControlledX([0, 1, 2], control_values=[0, 1]),
    qml.ctrl(qml.IsingXX(0.3, [0, 1]), 2, control_values=[0]), qml.ctrl(qml.GlobalPhase(0.3), 1),
    qml.QubitUnitary(qml.IsingXY(0.4, [0, 1]).matrix() @ qml.CRY(0.2, [0, 1]).matrix(), [2, 0]),
    qml.ctrl(qml.QubitUnitary(qml.RX(0.4, 0).matrix(), 1), [0, 2], control_values=[1, 0]),
]  # fmt: skip


class TestOperations:
    @pytest.mark.parametrize("op", OPERATIONS, ids=lambda op: op.name)
    def test_each_operation_has_pennylanes_matrix(self, op, device):
        assert accepts(op)

        def circuit():
            entangle(4)
            qml.apply(op)
            return qml.state()

        ours, theirs = both(circuit, device, wires=4)
        assert ours == pytest.approx(theirs, abs=1e-12)

    @pytest.mark.parametrize(
        "op",
        [qml.QFT([0, 1, 2]), qml.PauliRot(0.3, "XYZ", [2, 0, 1]), qml.MultiRZ(0.3, [0, 1, 2]),
         qml.OrbitalRotation(0.3, [0, 1, 2, 3]), qml.PCPhase(0.3, 3, [0, 1, 2]), qml.BasisState([1, 0, 1], [0, 1, 2]),
         qml.StatePrep(np.arange(8) / np.linalg.norm(np.arange(8)), [2, 0, 1]),
         qml.DiagonalQubitUnitary(np.exp(1j * np.arange(8)), [1, 0, 2]), qml.pow(qml.SX(0), 3),
         qml.exp(qml.X(0) @ qml.Z(1), 0.3j), qml.GroverOperator([0, 1, 2])],
        ids=lambda op: op.name,
    )  # fmt: skip
    def test_other_operations_are_decomposed(self, op, device):
        def circuit():
            if not isinstance(op, (qml.BasisState, qml.StatePrep)):
                entangle(4)
            qml.apply(op)
            return qml.state()

        ours, theirs = both(circuit, device, wires=4)
        assert abs(np.vdot(ours, theirs)) == pytest.approx(1, abs=1e-10)

    @pytest.mark.parametrize("wires", [[0, 1, 2, 3], [3, 0, 1]])
    def test_a_state_at_the_beginning_is_exact(self, device, wires):
        vector = np.exp(1j * np.arange(2 ** len(wires)) ** 2) / np.sqrt(2 ** len(wires))

        def circuit(x):
            qml.StatePrep(vector, wires)
            qml.RX(x, 0)
            qml.CNOT([0, 2])
            return qml.state()

        ours, theirs = both(lambda: circuit(0.4), device, wires=4)
        # With its global phase, which preparation by gates would lose.
        assert ours == pytest.approx(theirs, abs=1e-12)

    @pytest.mark.parametrize("order", [1, 2, 4])
    def test_evolutions_are_their_product_formulas(self, order, device):
        words = [qml.X(0) @ qml.Y(2), qml.Z(0), qml.I(1), qml.X(1) @ qml.Z(0), qml.Y(2)]
        hamiltonian = qml.dot([0.3, -0.4, 0.7, 0.5, 1.1], words)

        def gates(first, time):
            entangle()
            qml.RX(first, 0)
            qml.TrotterProduct(hamiltonian, time, n=2, order=order)
            qml.ApproxTimeEvolution(hamiltonian, -0.7 * time, n=3)

        def circuit(first, time):
            gates(first, time)
            return qml.state()

        ours, theirs = both(circuit, device, 0.4, 0.8)
        np.testing.assert_allclose(ours, theirs, atol=1e-9)
        assert sent_names(circuit, device(), 0.4, 0.8)[-2:] == ["TrotterProduct", "ApproxTimeEvolution"]
        noisy = device(processor="qvm", noise={"gates": []})
        assert sent_names(circuit, noisy, 0.4, 0.8)[-1] != "ApproxTimeEvolution"

        def value(first, time):
            gates(first, time)
            return qml.expval(qml.Z(0) @ qml.Y(2))

        for by in (0, [0, 1]):
            arguments = pnp.array(0.4), pnp.array(0.8, requires_grad=by != 0)
            ours, theirs = (
                np.array(qml.grad(qml.QNode(value, made), argnums=by)(*arguments))
                for made in (device(), qml.device("default.qubit", wires=3))
            )
            assert np.abs(theirs).min() > 1e-3
            np.testing.assert_allclose(ours, theirs, atol=1e-9)

    def test_evolutions_that_evolve_cannot_say_are_decomposed(self, device):
        two = qml.sum(qml.X(0) + qml.Z(0) @ qml.Z(1), qml.Y(1))
        plain = qml.dot([0.3, 0.4], [qml.X(0), qml.Z(0)])

        def circuit(times):
            entangle()
            qml.TrotterProduct(qml.prod(qml.Hadamard(0), qml.Z(1)) + qml.X(2), 0.4)
            qml.TrotterProduct(two, 0.3, check_hermitian=False)
            qml.TrotterProduct(plain, 0.3, order=6)
            qml.ctrl(qml.TrotterProduct(plain, 0.2, order=2), 1)
            qml.ApproxTimeEvolution(plain, times, n=2)
            return qml.probs()

        ours, theirs = both(circuit, device, np.array([0.1, 0.9]))
        np.testing.assert_allclose(ours, theirs, atol=1e-9)
        names = sent_names(circuit, device(), np.array([0.1, 0.9]))
        assert not {"TrotterProduct", "ApproxTimeEvolution"} & {*names}

    def test_measurements_in_the_middle_are_deferred(self, device):
        def circuit():
            entangle()
            bit = qml.measure(0, reset=True)
            qml.cond(bit, qml.RX)(0.4, 1)
            return qml.expval(qml.Y(1)), qml.expval(bit), qml.probs(op=bit)

        ours, theirs = both(circuit, device, wires=5)
        for mine, other in zip(ours, theirs, strict=True):
            assert mine == pytest.approx(other, abs=1e-12)


MEASUREMENTS = {
    "expval": lambda: qml.expval(qml.X(0) @ qml.Y(2)),
    "Hamiltonian": lambda: qml.expval(2.5 * qml.X(0) - qml.Z(1) @ qml.Y(2) + 0.5 * qml.I(0)),
    "Hermitian": lambda: qml.expval(qml.Hermitian([[1, 2j], [-2j, -1]], 1)),
    "Hadamard": lambda: qml.expval(qml.H(0) @ qml.H(1)),
    "Projector": lambda: qml.expval(qml.Projector([1, 0], [2, 0])),
    "var": lambda: qml.var(qml.Y(0) @ qml.Z(1)),
    "var of a sum": lambda: qml.var(qml.Y(0) + 2 * qml.Z(1)),
    "probs": lambda: qml.probs(wires=[2, 0]),
    "all probs": lambda: qml.probs(),
    "probs of an observable": lambda: qml.probs(op=qml.X(0) @ qml.Y(1)),
    "state": lambda: qml.state(),
    "density matrix": lambda: qml.density_matrix([1, 0]),
    "purity": lambda: qml.purity([1]),
    "entropy": lambda: qml.vn_entropy([0]),
    "mutual information": lambda: qml.mutual_info([0], [2]),
}


class TestMeasurements:
    @pytest.mark.parametrize("name", MEASUREMENTS)
    @pytest.mark.parametrize("batched", [False, True])
    def test_exact_results(self, name, batched, device):
        def circuit(x):
            entangle()
            qml.RX(x, 0)
            qml.RY(0.4, 2)
            return MEASUREMENTS[name]()

        ours, theirs = both(circuit, device, np.array([0.1, 0.5, 2.0]) if batched else 0.3)
        assert np.shape(ours) == np.shape(theirs)
        assert ours == pytest.approx(theirs, abs=1e-10)

    def test_several_measurements_of_all_kinds_are_one_program(self, device, client):
        def circuit():
            entangle()
            return [measure() for measure in MEASUREMENTS.values()]

        ours, theirs = both(circuit, device)
        for mine, other in zip(ours, theirs, strict=True):
            assert np.shape(mine) == np.shape(other)
            assert mine == pytest.approx(other, abs=1e-10)
        newest = next(client.batches.list(limit=1))
        assert newest.record["points"] == 1

    @pytest.mark.parametrize("name", ["expval", "Hamiltonian", "Hermitian", "Projector", "var", "probs"])
    def test_results_from_shots(self, name, device):
        def circuit(x):
            entangle()
            qml.RX(x, 0)
            return MEASUREMENTS[name]()

        exact = qml.QNode(circuit, qml.device("default.qubit", wires=3))(0.3)
        sampled = qml.QNode(circuit, device(seed=4), shots=40_000)(0.3)
        assert np.shape(sampled) == np.shape(exact)
        assert sampled == pytest.approx(exact, abs=0.1)

    def test_samples_counts_and_parts_of_the_shots(self, device):
        def circuit():
            qml.X(0)
            qml.H(1)
            return (
                qml.sample(wires=[0, 1]),
                qml.counts(wires=[1, 0]),
                qml.sample(qml.Z(0)),
                qml.expval(qml.Z(1)),
            )

        parts = qml.QNode(circuit, device(seed=1), shots=(400, (100, 2)))()
        assert len(parts) == 3
        for shots, (samples, counts, signs, mean) in zip((400, 100, 100), parts, strict=True):
            assert samples.shape == (shots, 2)
            assert (samples[:, 0] == 1).all()
            assert sum(counts.values()) == shots and set(counts) == {"01", "11"}
            assert (signs == -1).all()
            assert mean == pytest.approx(np.mean(1 - 2 * samples[:, 1]))
            assert abs(mean) < 0.5

    def test_the_same_seed_gives_the_same_samples(self, device):
        def circuit():
            entangle()
            return qml.sample()

        first, second = (qml.QNode(circuit, device(seed=5), shots=50)() for _ in range(2))
        assert (first == second).all()

    def test_wires_with_names_and_wires_of_the_circuit(self, client):
        def circuit():
            qml.X("b")
            qml.CNOT(["b", 7])
            return qml.probs(wires=["b", 7]), qml.probs(wires=["a"]) if labels else qml.expval(qml.Z(7))

        labels = ["a", "b", 7]
        assert qml.QNode(circuit, QcsDevice(labels, client=client))()[0].tolist() == [0, 0, 0, 1]
        labels = None
        assert qml.QNode(circuit, QcsDevice(client=client))()[0].tolist() == [0, 0, 0, 1]


def rotations(x, y):
    qml.RX(x[0], 0)
    qml.Rot(x[1], y, x[0] * x[1], 1)
    qml.CRY(y, [0, 1])
    qml.DoubleExcitation(x[1], [0, 1, 2, 3])
    qml.SingleExcitation(y, [1, 2])
    qml.QubitUnitary(qml.IsingXX(0.3, [0, 1]).matrix(), [3, 1])
    qml.ctrl(qml.PhaseShift, 2)(y, 0)


class TestGradients:
    x = pnp.array([0.3, 0.8], requires_grad=True)
    y = pnp.array(1.3, requires_grad=True)

    def test_gradients_are_those_of_backpropagation(self, device):
        def circuit(x, y):
            entangle(4)
            rotations(x, y)
            return qml.expval(qml.X(0) @ qml.Z(3) + 0.5 * qml.Y(1))

        ours = qml.grad(qml.QNode(circuit, device(4)))(self.x, self.y)
        theirs = qml.grad(qml.QNode(circuit, qml.device("default.qubit", wires=4)))(self.x, self.y)
        for mine, other in zip(ours, theirs, strict=True):
            assert mine == pytest.approx(other, abs=1e-10)

    @pytest.mark.parametrize("method", ["adjoint", "device", "parameter-shift", "finite-diff"])
    def test_jacobians_by_every_method(self, method, device):
        def circuit(x, y):
            entangle(3)
            qml.RX(x[0], 0)
            qml.CRZ(x[1], [0, 2])
            qml.IsingYY(y, [1, 2])
            return qml.expval(qml.X(0)), qml.expval(qml.Z(1) @ qml.Y(2))

        def stacked(node):
            return lambda *arguments: pnp.stack(node(*arguments))

        node = qml.QNode(circuit, device(3), diff_method=method)
        ours = qml.jacobian(stacked(node))(self.x, self.y)
        theirs = qml.jacobian(stacked(qml.QNode(circuit, qml.device("default.qubit", wires=3))))(
            self.x, self.y
        )
        for mine, other in zip(ours, theirs, strict=True):
            assert mine == pytest.approx(other, abs=1e-6 if method == "finite-diff" else 1e-10)

    def test_value_and_gradient_are_one_request(self, device, client):
        def circuit(x, y):
            rotations(x, y)
            return qml.expval(qml.Z(0))

        before = sum(1 for _ in client.batches.list(limit=100))
        qml.grad(qml.QNode(circuit, device(4)))(self.x, self.y)
        assert sum(1 for _ in client.batches.list(limit=100)) == before + 1

    def test_shifted_tapes_are_points_of_few_programs(self, device, client):
        def circuit(x):
            for layer, wire in itertools.product(range(3), range(3)):
                qml.RY(x[3 * layer + wire], wire)
                qml.CNOT([wire, (wire + 1) % 3])
            return qml.expval(qml.Z(0))

        qml.grad(qml.QNode(circuit, device(3), diff_method="parameter-shift"))(
            pnp.arange(9.0, requires_grad=True)
        )
        newest = next(client.batches.list(limit=1)).refresh()
        assert newest.record["points"] == 18
        assert len(newest.record["programs"]) == 1

    def test_gradients_of_sweeps_and_of_probabilities(self, device):
        def circuit(x):
            qml.RX(x, 0)
            qml.CNOT([0, 1])
            return qml.expval(qml.Z(1))

        x = pnp.array([0.1, 0.5, 2.0], requires_grad=True)
        jacobian = qml.jacobian(qml.QNode(circuit, device(2)))(x)
        assert jacobian == pytest.approx(np.diag(-np.sin(x)), abs=1e-10)

        def probabilities(x):
            qml.RX(x, 0)
            return qml.probs(wires=0)

        x = pnp.array(0.4, requires_grad=True)
        slope = np.sin(0.4) / 2
        assert qml.jacobian(qml.QNode(probabilities, device(1)))(x) == pytest.approx([-slope, slope])

    def test_a_gradient_from_shots_is_by_shifts(self, device):
        def circuit(x):
            qml.RX(x, 0)
            return qml.expval(qml.Z(0))

        x = pnp.array(0.4, requires_grad=True)
        slope = qml.grad(qml.QNode(circuit, device(1, seed=3), shots=40_000))(x)
        assert slope == pytest.approx(-np.sin(0.4), abs=0.05)

    def test_a_second_derivative(self, device):
        def circuit(x):
            qml.RX(x, 0)
            return qml.expval(qml.Z(0))

        node = qml.QNode(circuit, device(1), diff_method="parameter-shift", max_diff=2)
        x = pnp.array(0.4, requires_grad=True)
        assert qml.grad(qml.grad(node))(x) == pytest.approx(-np.cos(0.4))


class TestFaults:
    def test_the_service_refusing_is_a_device_error_with_its_message(self, client):
        device = QcsDevice(40, client=client)

        @qml.qnode(device)
        def circuit():
            for wire in range(40):
                qml.H(wire)
            return qml.expval(qml.Z(0))

        with pytest.raises(DeviceError, match="40 qubits"):
            circuit()

        @qml.qnode(QcsDevice(1, client=client), shots=2_000_000)
        def many():
            return qml.counts()

        with pytest.raises(DeviceError, match="1000000|1,000,000"):
            many()

    def test_a_processor_that_is_offline(self, client):
        @qml.qnode(QcsDevice(1, client=client, processor="superconducting-1"))
        def circuit():
            return qml.expval(qml.Z(0))

        with pytest.raises(DeviceError, match="No hardware provider"):
            circuit()

    def test_what_the_device_does_not_do(self, device):
        @qml.qnode(device(1), shots=10)
        def shadow():
            return qml.classical_shadow([0])

        with pytest.raises(DeviceError, match="shadow"):
            shadow()

        @qml.qnode(device(1), diff_method="adjoint")
        def variance(x):
            qml.RX(x, 0)
            return qml.var(qml.Z(0))

        with pytest.raises((DeviceError, QuantumFunctionError)):
            variance(pnp.array(0.3, requires_grad=True))

    def test_an_angle_that_is_no_number(self, client):
        @qml.qnode(QcsDevice(1, client=client))
        def circuit(x):
            qml.RX(x, 0)
            return qml.expval(qml.Z(0))

        with pytest.raises(DeviceError, match="nan; it must be finite"):
            circuit(float("nan"))

    def test_there_is_no_key(self, monkeypatch):
        monkeypatch.delenv("QCS_API_KEY", raising=False)
        with pytest.raises(DeviceError, match="QCS_API_KEY"):
            qml.device("qcs.simulator", wires=1)

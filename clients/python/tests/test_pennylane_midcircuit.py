"""PennyLane's measurements in the middle of a circuit, held to default.qubit."""

from __future__ import annotations

import math

import numpy as np
import pytest

qml = pytest.importorskip("pennylane")

from pennylane import numpy as pnp
from pennylane.exceptions import DeviceError

from qcs_client.pennylane import QcsDevice

SHOTS = 4000


@pytest.fixture
def device(client):
    return lambda wires=2, **options: QcsDevice(wires, client=client, seed=5, **options)


def repeated():
    """Wires that are measured again, reset, and acted on under conditions of sums, comparisons and bits."""
    qml.RX(1.1, 0)
    first = qml.measure(0)
    qml.Hadamard(0)
    second = qml.measure(0, reset=True)
    qml.cond(first + second == 1, qml.RY, qml.RX)(0.7, 1)
    third = qml.measure(1)
    qml.cond(first & ~third, qml.IsingXX)(0.9, wires=[0, 1])
    qml.cond(third, qml.QubitUnitary)(qml.RY(0.4, 0).matrix(), wires=0)
    return first, second, third


def postselected():
    qml.RX(1.1, 0)
    qml.RY(0.6, 1)
    qml.CNOT([0, 1])
    first = qml.measure(0, postselect=1)
    qml.RY(0.9, 0)
    second = qml.measure(1, reset=True)
    third = qml.measure(0, postselect=0, reset=True)
    qml.cond(second, qml.RY)(0.8, 1)
    return first, second, third


RESULTS = {
    "expval and var of wires": lambda bits: (qml.expval(qml.X(0) @ qml.Z(1)), qml.var(qml.Y(0) @ qml.Z(1))),
    "probs of wires": lambda bits: (qml.probs(wires=[1, 0]),),
    "expval and var of values": lambda bits: (
        qml.expval(bits[0]),
        qml.var(bits[1]),
        qml.expval(2 * bits[0] - bits[2]),
    ),
    "probs of values": lambda bits: (qml.probs(op=bits[2]), qml.probs(op=[bits[2], bits[0]])),
}


@pytest.mark.parametrize("name", RESULTS)
@pytest.mark.parametrize("body", [repeated, postselected])
class TestValues:
    def test_exact_values_need_no_spare_wires(self, body, name, device):
        def circuit():
            return RESULTS[name](body())

        ours = qml.QNode(circuit, device(2))()
        theirs = qml.QNode(circuit, qml.device("default.qubit"))()
        for mine, other in zip(ours, theirs, strict=True):
            assert mine == pytest.approx(other, abs=1e-10)

    @pytest.mark.parametrize(
        "options",
        [{}, {"mcm_method": "one-shot"}, {"mcm_method": "deferred"}, {"postselect_mode": "fill-shots"}],
        ids=str,
    )
    def test_values_from_shots(self, options, body, name, device):
        def circuit():
            return RESULTS[name](body())

        ours = qml.QNode(circuit, device(2), shots=SHOTS, **options)()
        theirs = qml.QNode(circuit, qml.device("default.qubit"))()
        for mine, other in zip(ours, theirs, strict=True):
            assert np.shape(mine) == np.shape(other)
            # A third of the shots counts, and no value is wider than 3.
            assert mine == pytest.approx(other, abs=5 * 3 / math.sqrt(SHOTS / 3))


class TestShots:
    def test_one_wire_measured_three_times(self, device):
        @qml.qnode(device(1), shots=200)
        def circuit():
            values = []
            for _ in range(3):
                qml.Hadamard(0)
                values.append(qml.measure(0))
            return [qml.sample(value) for value in values]

        samples = np.array(circuit())
        assert samples.shape == (3, 200)
        assert len(np.unique(samples, axis=1).T) == 8

    def test_all_results_are_of_the_same_shots(self, device):
        @qml.qnode(device(2), shots=(100, 50))
        def circuit():
            qml.Hadamard(0)
            first = qml.measure(0)
            qml.cond(first, qml.X)(1)
            second = qml.measure(1)
            return (
                qml.sample(first), qml.sample([second, first]), qml.sample(first + second), qml.counts(first), qml.counts([first, second]),
                qml.sample(wires=[1, 0]), qml.sample(qml.Z(1)), qml.sample(), qml.expval(first), qml.counts(first, all_outcomes=True),
            )  # fmt: skip

        for shots, (first, both, total, counts, pairs, wires, signs, everything, mean, outcomes) in zip(
            (100, 50), circuit(), strict=True
        ):
            ones = int(first.sum())
            assert first.shape == (shots,) and 0 < ones < shots
            for pair in (both, wires, everything):
                assert (pair == first[:, None]).all() and pair.shape == (shots, 2)
            assert (total == 2 * first).all() and (signs == 1 - 2 * first).all()
            assert counts == {0: shots - ones, 1: ones} == outcomes
            assert pairs == {"00": shots - ones, "11": ones}
            assert mean == pytest.approx(ones / shots)

    def test_shots_that_do_not_count_are_left_out_or_made_again(self, device):
        def circuit():
            qml.RX(math.pi / 2, 0)
            value = qml.measure(0, postselect=1)
            return qml.sample(value), qml.sample(wires=[0, 1])

        for mode, expected in (("hw-like", None), (None, None), ("fill-shots", 300)):
            value, wires = qml.QNode(circuit, device(2), shots=300, postselect_mode=mode)()
            assert value.all() and (wires == [1, 0]).all()
            assert len(value) == len(wires) == (expected or len(value))
            assert 100 < len(value) < 200 or mode == "fill-shots"

    @pytest.mark.parametrize("method", ["device", "deferred"])
    def test_shots_made_again_begin_in_the_state_at_the_beginning(self, device, method):
        def circuit():
            qml.StatePrep(np.array([0.6, 0, 0, 0.8]), [0, 1])
            qml.measure(0, postselect=1)
            return qml.sample(wires=1)

        made = qml.QNode(circuit, device(2), shots=100, mcm_method=method, postselect_mode="fill-shots")()
        assert len(made) == 100
        assert (made == 1).all()

    def test_an_outcome_that_cannot_be(self, device):
        def circuit():
            value = qml.measure(0, postselect=1)
            return qml.expval(qml.Z(0)), qml.probs(op=value)

        for shots in (None, 20):
            for found in qml.QNode(circuit, device(1), shots=shots)():
                assert np.isnan(found).all()
        with pytest.raises(DeviceError, match="more than 10000 rounds"):
            qml.QNode(circuit, device(1), shots=20, postselect_mode="fill-shots")()

    def test_noise_between_measurements(self, device):
        @qml.qnode(device(1, processor="qvm"), shots=SHOTS)
        def circuit():
            first = qml.measure(0)
            qml.BitFlip(0.3, wires=0)
            second = qml.measure(0)
            qml.cond(second, qml.X)(0)
            return qml.expval(first), qml.expval(second), qml.expval(qml.Z(0))

        first, second, last = circuit()
        assert (first, last) == (0, 1)
        assert abs(second - 0.3) < 5 * math.sqrt(0.21 / SHOTS)

    def test_points_of_a_sweep(self, device):
        def circuit(x):
            qml.RX(x, 0)
            value = qml.measure(0, reset=True)
            qml.cond(value, qml.RX)(x, 0)
            return qml.expval(value), qml.probs(wires=0)

        points = np.array([0, math.pi, math.pi / 3])
        values, probabilities = qml.QNode(circuit, device(1), shots=SHOTS)(points)
        assert values == pytest.approx([0, 1, 0.25], abs=5 / math.sqrt(SHOTS))
        assert probabilities[:, 1] == pytest.approx([0, 1, 0.25**2], abs=5 / math.sqrt(SHOTS))


class TestGradients:
    x = pnp.array(0.7, requires_grad=True)

    @staticmethod
    def conditional(x):
        qml.RX(x, 0)
        value = qml.measure(0)
        qml.cond(value, qml.RY)(2 * x, 1)
        return qml.expval(qml.Z(1))

    @staticmethod
    def selecting(x):
        qml.RX(x, 0)
        qml.measure(0, postselect=1)
        qml.RX(x, 1)
        qml.CNOT([0, 1])
        return qml.expval(qml.Z(1))

    def test_of_exact_values(self, device):
        ours = qml.grad(qml.QNode(self.conditional, device(2)))(self.x)
        assert ours == pytest.approx(
            float(qml.grad(qml.QNode(self.conditional, qml.device("default.qubit")))(self.x)), abs=1e-10
        )

    def test_of_postselected_values_are_by_differences_only(self, device):
        theirs = qml.grad(qml.QNode(self.selecting, qml.device("default.qubit")))(self.x)
        ours = qml.grad(qml.QNode(self.selecting, device(2), diff_method="finite-diff"))(self.x)
        assert ours == pytest.approx(float(theirs), abs=1e-5)
        for method in ("best", "parameter-shift"):
            with pytest.raises(DeviceError, match="postselection"):
                qml.grad(qml.QNode(self.selecting, device(2), diff_method=method))(self.x)

    def test_of_conditional_angles_from_shots_are_refused(self, device):
        with pytest.raises(DeviceError, match="qml.cond"):
            qml.grad(qml.QNode(self.conditional, device(2), shots=100))(self.x)


def test_methods_and_modes_that_the_device_does_not_have(device):
    def circuit():
        qml.measure(0, postselect=1)
        return qml.probs(wires=0)

    for options in ({"mcm_method": "tree-traversal"}, {"postselect_mode": "pad-invalid-samples"}):
        with pytest.raises(DeviceError, match=next(iter(options.values()))):
            qml.QNode(circuit, device(1), shots=10, **options)()

"""Cirq's classical control at the service: conditions, loops and confusion maps, held to Cirq's own rules."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

cirq = pytest.importorskip("cirq")
import sympy

from qcs_client.cirq import QcsCirqError, QcsSimulator

Q = cirq.LineQubit.range(5)
K, J, M = sympy.symbols("k j m")
INDEXED = sympy.IndexedBase("k")
MASK = cirq.BitMaskKeyCondition


def key(name, index=-1):
    return cirq.KeyCondition(cirq.MeasurementKey(name), index)


CONDITIONS = [
    key("k"), key("k", 0), key("k", 1), key("k", -2), sympy.Eq(K, 3), sympy.Ne(K, 2), K > 1, K <= 2, sympy.Eq(J, 0), J < K, K + J, K - J,
    sympy.Eq(K + 2 * J, 4), sympy.Eq(K * J, 2), sympy.Eq(K**2, 4), sympy.And(K >= 1, sympy.Not(sympy.Eq(J, 0))),
    sympy.Or(sympy.Eq(K, 0), J > 0), sympy.Xor(sympy.Eq(sympy.Mod(K, 2), 1), J > 0), sympy.Eq(sympy.Mod(K + J, 3), 1), sympy.true & (K > 5),
    cirq.SympyCondition(sympy.Xor(INDEXED[0], INDEXED[1])), cirq.SympyCondition(sympy.Eq(INDEXED[1], 1)),
    MASK("k"), MASK("k", bitmask=1), MASK("k", bitmask=2, index=0), MASK("k", target_value=2), MASK("k", target_value=2, equal_target=True),
    MASK("k", bitmask=1, target_value=1, equal_target=True), MASK("k", bitmask=1, target_value=2, equal_target=True),
    MASK("k", bitmask=6, target_value=2), MASK("k", target_value=9), MASK.create_equal_mask("k", 3), MASK.create_not_equal_mask("k", 3),
]  # fmt: skip


@pytest.fixture
def simulator(client):
    return QcsSimulator(client=client, seed=11)


def random_bits():
    """Two random measurements of the key k, with a bit that is inverted, and one of j."""
    yield cirq.H.on_each(*Q[:3])
    yield cirq.measure(Q[0], Q[1], key="k", invert_mask=(False, True))
    yield cirq.H.on_each(*Q[:2])
    yield cirq.measure(Q[1], Q[0], key="k", invert_mask=(True,))
    yield cirq.measure(Q[2], key="j")


def test_conditions_hold_where_cirq_says_so(simulator):
    circuit = cirq.Circuit(random_bits())
    for number, condition in enumerate(CONDITIONS):
        circuit += [
            cirq.X(Q[3]).with_classical_controls(condition),
            cirq.measure(Q[3], key=f"c{number}"),
            cirq.reset(Q[3]),
        ]
    records = simulator.run(circuit, repetitions=200).records
    assert (
        len(np.unique(np.concatenate([records["k"].reshape(200, 4), records["j"][:, 0]], axis=1), axis=0))
        > 20
    )
    for shot in range(200):
        store = cirq.ClassicalDataDictionaryStore()
        for name, of_key in (("k", Q[:2]), ("j", Q[:1])):
            for measurement in records[name][shot]:
                store.record_measurement(cirq.MeasurementKey(name), measurement.tolist(), of_key)
        for number, condition in enumerate(CONDITIONS):
            rule = condition if isinstance(condition, cirq.Condition) else cirq.SympyCondition(condition)
            assert records[f"c{number}"][shot, 0, 0] == rule.resolve(store), condition


def test_an_operation_under_several_conditions_needs_all_of_them(simulator):
    controlled = cirq.CNOT(Q[4], Q[3]).with_classical_controls(K > 0, sympy.Eq(J, 1))
    circuit = cirq.Circuit(random_bits(), cirq.X(Q[4]), controlled, cirq.measure(Q[3], key="end"))
    result = simulator.run(circuit, repetitions=100)
    last = result.records["k"][:, 1].any(axis=1)
    assert (result.records["end"][:, 0, 0] == last & (result.records["j"][:, 0, 0] == 1)).all()


#: Gates of each kind of translation: named ones, powers, matrices with and without controls, open parameters.
CONTROLLED = [
    cirq.X, cirq.Y**0.3, cirq.H, cirq.H**0.4, cirq.rz(0.5), cirq.PhasedXPowGate(phase_exponent=0.3, exponent=0.4), cirq.SWAP, cirq.ISWAP**0.3,
    cirq.XX**0.3, cirq.YY**0.4, cirq.ZZ**0.5, cirq.FSimGate(0.3, 0.4), cirq.TOFFOLI, cirq.CCZ**0.3, cirq.FREDKIN, cirq.SWAP**0.3,
    cirq.ControlledGate(cirq.Y**0.3, control_values=[0]), cirq.ControlledGate(cirq.MatrixGate(cirq.testing.random_unitary(4, random_state=3))),
    cirq.ControlledGate(cirq.GlobalPhaseGate(1j**0.3), num_controls=2), cirq.ThreeQubitDiagonalGate([0.2 * k for k in range(8)]),
    cirq.X ** sympy.Symbol("angle"), cirq.ThreeQubitDiagonalGate([sympy.Symbol("angle") * k for k in range(8)]),
]  # fmt: skip


@pytest.mark.parametrize("gate", CONTROLLED, ids=str)
def test_each_kind_of_gate_runs_under_a_condition(gate, simulator):
    """The gate under a condition, then its inverse, gives the state before it where the condition holds and only there."""
    on = [Q[2], Q[0], Q[1]][: gate.num_qubits()]
    spread = [[cirq.ry(0.4 + k)(q), cirq.rz(1.1 + k)(q)] for k, q in enumerate(on)] + [
        cirq.CNOT(*pair) for pair in itertools.pairwise(on)
    ]
    inverse = cirq.MatrixGate(cirq.unitary(cirq.inverse(cirq.resolve_parameters(gate, {"angle": 0.7}))))
    back = [cirq.inverse(op) for op in list(cirq.flatten_to_ops(spread))[::-1]]
    for is_on in (0, 1):
        circuit = cirq.Circuit(
            cirq.X(Q[3]) ** is_on, cirq.measure(Q[3], key="k"), spread, gate.on(*on).with_classical_controls("k"),
            inverse.on(*on) if is_on else [], back, cirq.measure(*on, key="end"),
        )  # fmt: skip
        assert simulator.run(circuit, {"angle": 0.7}, repetitions=50).histogram(key="end") == {0: 50}


class TestLoops:
    def test_a_loop_runs_until_its_condition_holds_and_keeps_each_measurement(self, simulator):
        body = cirq.FrozenCircuit(cirq.H.on_each(*Q[:2]), cirq.measure(*Q[:2], key="k", invert_mask=(True,)))
        loop = cirq.CircuitOperation(body, repeat_until=cirq.SympyCondition(sympy.Eq(K, 1)))
        circuit = cirq.Circuit(loop, cirq.X(Q[2]).with_classical_controls("k"), cirq.measure(Q[2], key="end"))
        result = simulator.run(circuit, repetitions=400)
        values = result.records["k"] @ [2, 1]
        rounds = (values == 1).argmax(axis=1) + 1
        # Nothing comes after the measurement that ends the loop; shorter repetitions are filled with zeros.
        assert not any(row[last:].any() for row, last in zip(values, rounds, strict=True))
        assert (values == 1).any(axis=1).all() and values.shape[1] == rounds.max()
        assert abs(rounds.mean() - 4) < 5 * math.sqrt(12 / 400)
        assert (result.records["end"][:, 0] == 1).all()

    def test_a_key_that_is_measured_before_and_in_a_loop_is_one_list(self, simulator):
        body = cirq.FrozenCircuit(
            cirq.X(Q[0]).with_classical_controls("k"), cirq.X(Q[1]), cirq.measure(Q[0], key="k")
        )
        loop = cirq.CircuitOperation(body, repeat_until=cirq.SympyCondition(sympy.Eq(K, 0)))
        circuit = cirq.Circuit(
            cirq.X(Q[0]), cirq.measure(Q[0], key="k"), loop, cirq.measure(Q[1], key="rounds")
        )
        result = simulator.run(circuit, repetitions=3)
        assert result.records["k"].tolist() == [[[1], [0]]] * 3
        assert result.records["rounds"][:, 0].tolist() == [[1]] * 3

    def test_loops_within_circuits_and_loops(self, simulator):
        inner = cirq.CircuitOperation(
            cirq.FrozenCircuit(cirq.H(Q[0]), cirq.measure(Q[0], key="k")), repeat_until=key("k")
        )
        outer = cirq.FrozenCircuit(inner, cirq.H(Q[1]), cirq.measure(Q[1], key="j"))
        circuit = cirq.Circuit(
            cirq.CircuitOperation(outer, repeat_until=key("j")).with_qubit_mapping({Q[0]: Q[3]}),
            cirq.measure(Q[3], Q[1], key="end"),
        )
        result = simulator.run(circuit, repetitions=200)
        assert result.records["end"].all()
        # As many runs of the inner loop, each of which ends with a 1, as rounds of the outer one.
        rounds = result.records["j"][:, :, 0].argmax(axis=1) + 1
        assert (result.records["k"][:, :, 0].sum(axis=1) == rounds).all()
        twice = cirq.CircuitOperation(cirq.FrozenCircuit(inner), repetitions=2, use_repetition_ids=False)
        records = simulator.run(cirq.Circuit(twice), repetitions=50).records["k"]
        assert (records.sum(axis=1) == 2).all()

    def test_repetitions_with_and_without_ids(self, simulator):
        inner = cirq.FrozenCircuit(
            cirq.measure(Q[0], key="k"), cirq.X(Q[0]), cirq.X(Q[1]).with_classical_controls("k")
        )
        for with_ids, keys in ((True, {"0:k", "1:k", "2:k", "end"}), (False, {"k", "end"})):
            op = cirq.CircuitOperation(inner, repetitions=3, use_repetition_ids=with_ids)
            result = simulator.run(cirq.Circuit(op, cirq.measure(Q[1], key="end")), repetitions=2)
            assert set(result.records) == keys
            assert result.records["end"][:, 0].tolist() == [[1]] * 2

    def test_a_sweep_of_a_loop(self, simulator):
        body = cirq.FrozenCircuit(cirq.ry(sympy.pi * sympy.Symbol("turn"))(Q[0]), cirq.measure(Q[0], key="k"))
        loop = cirq.CircuitOperation(body, repeat_until=key("k"))
        results = simulator.run_sweep(cirq.Circuit(loop), [{"turn": 1}, {"turn": 0.5}], repetitions=40)
        assert [result.records["k"].shape[1] > 1 for result in results] == [False, True]

    def test_more_measurements_than_are_kept_are_an_error(self, client):
        loop = cirq.CircuitOperation(
            cirq.FrozenCircuit(cirq.H(Q[0]), cirq.measure(Q[0], key="k")), repeat_until=key("k")
        )
        few = QcsSimulator(client=client, seed=1, loop_records=3)
        with pytest.raises(QcsCirqError, match="key k was measured more than 3 times.*loop_records"):
            few.run(cirq.Circuit(loop), repetitions=300)
        endless = cirq.CircuitOperation(
            cirq.FrozenCircuit(cirq.measure(Q[0], key="k")), repeat_until=key("k")
        )
        with pytest.raises(QcsCirqError, match="more than 10000 rounds"):
            few.run(cirq.Circuit(endless))


#: Probability of each report, by what was measured. No row, and no bit, is like another.
PAIR = np.array([[0.7, 0.1, 0.15, 0.05], [0.2, 0.5, 0.1, 0.2], [0.05, 0.25, 0.6, 0.1], [0, 0.3, 0, 0.7]])
SINGLE = np.array([[0.9, 0.1], [0.35, 0.65]])


class TestConfusionMaps:
    @pytest.mark.parametrize("is_read", [False, True])
    @pytest.mark.parametrize("basis", range(8))
    def test_reports_have_the_probabilities_of_the_map(self, basis, is_read, simulator):
        """Cirq's matrices have the first index as the most significant bit, and bits are inverted after them."""
        measurement = cirq.MeasurementGate(
            3, "k", invert_mask=(True, False, False), confusion_map={(2, 0): PAIR, (1,): SINGLE}
        )
        bits = [basis >> 2 & 1, basis >> 1 & 1, basis & 1]
        circuit = cirq.Circuit(
            [cirq.X(q) ** bit for q, bit in zip(Q, bits, strict=False)],
            measurement.on(*Q[:3]),
            cirq.X(Q[3]).with_classical_controls(K > 3) if is_read else [],
            cirq.measure(*Q[:4], key="after"),
        )
        shots = 4000
        result = simulator.run(circuit, repetitions=shots)
        # The state is that of the true bits; what is done under a condition follows from the report.
        after, reported = result.measurements["after"], result.measurements["k"]
        assert (after[:, :3] == bits).all()
        assert (after[:, 3] == (reported[:, 0] if is_read else 0)).all()
        for report in itertools.product((0, 1), repeat=3):
            raw = (1 - report[0], report[1], report[2])
            expected = PAIR[2 * bits[2] + bits[0], 2 * raw[2] + raw[0]] * SINGLE[bits[1], raw[1]]
            share = (reported == report).all(axis=1).mean()
            assert abs(share - expected) <= 5 * math.sqrt(expected * (1 - expected) / shots), report

    def test_a_loop_ends_by_what_is_reported(self, simulator):
        body = cirq.FrozenCircuit(cirq.MeasurementGate(1, "k", confusion_map={(0,): SINGLE}).on(Q[0]))
        loop = cirq.CircuitOperation(body, repeat_until=key("k"))
        result = simulator.run(cirq.Circuit(loop, cirq.measure(Q[0], key="end")), repetitions=100)
        assert (result.records["k"].sum(axis=1) == 1).all()
        assert not result.records["end"][:, 0].any()

    def test_noise_of_the_service_is_refused_where_random_bits_would_have_it(self, client):
        measurement = cirq.MeasurementGate(1, "k", confusion_map={(0,): SINGLE}).on(Q[0])
        noisy = QcsSimulator(client=client, noise={"readout": [{"p1_given_0": 0.1, "p0_given_1": 0.1}]})
        assert noisy.run(cirq.Circuit(measurement), repetitions=5).measurements["k"].shape == (5, 1)
        with pytest.raises(QcsCirqError, match="confusion map of a key that decides"):
            noisy.run(cirq.Circuit(measurement, cirq.X(Q[0]).with_classical_controls("k")))


def test_noise_under_a_condition(client):
    circuit = cirq.Circuit(
        cirq.H(Q[0]),
        cirq.measure(Q[0], key="k"),
        cirq.bit_flip(1.0)(Q[1]).with_classical_controls("k"),
        cirq.amplitude_damp(1.0)(Q[0]).with_classical_controls("k"),
        cirq.measure(*Q[:2], key="end"),
    )
    result = QcsSimulator("qvm", client=client, seed=4).run(circuit, repetitions=100)
    assert (result.records["end"][:, 0] == np.pad(result.measurements["k"], ((0, 0), (1, 0)))).all()


class OwnCondition(cirq.Condition):
    keys = (cirq.MeasurementKey("k"),)
    qasm = ""

    def replace_key(self, current, replacement):
        return self

    def resolve(self, classical_data):
        return True


@pytest.mark.parametrize(
    ("operations", "words"),
    [
        ([cirq.X(Q[0]).with_classical_controls("k"), cirq.measure(Q[0], key="k")], "before the measurement of its key k"),
        ([cirq.measure(Q[0], key="k"), cirq.X(Q[0]).with_classical_controls(K + M)], "before the measurement of its key m"),
        ([cirq.measure(Q[0], key="k"), cirq.X(Q[0]).with_classical_controls(key("k", 1))], "measurement 1 of the key k"),
        ([cirq.measure(Q[0], key="k"), cirq.measure(Q[0], Q[1], key="k")], "key k is measured on 1 qubits and on 2"),
        ([cirq.measure(Q[0], key="k"), cirq.X(Q[0]).with_classical_controls(OwnCondition())], "OwnCondition.*not supported"),
        ([cirq.measure(*cirq.LineQubit.range(13), key="k"), cirq.X(Q[0]).with_classical_controls(K > 3)], "depends on 13 measured bits"),
        ([cirq.KrausChannel(cirq.kraus(cirq.bit_flip(0.1)), key="k").on(Q[0])], "key k of the channel"),
        ([cirq.CircuitOperation(cirq.FrozenCircuit(cirq.measure(Q[0], key="k")), repeat_until=MASK("k")),
          cirq.X(Q[0]).with_classical_controls(key("k", 0))], "index 0 of the key k.*measured in a loop"),
        ([cirq.measure(Q[0], key="k"), cirq.ControlledGate(cirq.MatrixGate(cirq.testing.random_unitary(16)), 3)
          .on(*cirq.LineQubit.range(7)).with_classical_controls("k")], "4 qubits with 3 controls"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)  # fmt: skip
def test_what_cannot_be_expressed_is_refused_by_name(operations, words, simulator):
    with pytest.raises(QcsCirqError, match=words):
        simulator.run(cirq.Circuit(operations, cirq.measure(Q[0], key="end")))


def test_a_wide_key_may_decide(simulator):
    wide = cirq.LineQubit.range(16)
    for start, any_bit in (([], 0), ([cirq.X(wide[9])], 1)):
        circuit = cirq.Circuit(
            start, cirq.measure(*wide, key="k"), cirq.X(wide[0]).with_classical_controls("k"), cirq.measure(wide[0], key="end"),
        )  # fmt: skip
        assert simulator.run(circuit, repetitions=2).histogram(key="end") == {any_bit: 2}

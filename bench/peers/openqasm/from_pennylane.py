"""PennyLane's exports (to_openqasm): every gate, templates, and measurements in between."""

import warnings

import numpy as np
import pennylane as qml
from program import Counts, Program, State


def corpora(_):
    yield "PennyLane, to_openqasm", programs, lambda _: None


def programs():
    for name, operations, measurements in tapes():
        try:
            # What is queued while an operation is made belongs to it.
            ops = operations() if callable(operations) else operations
            tape = qml.tape.QuantumScript(ops, measurements)
            text = qml.to_openqasm(tape, rotations=True)
        except Exception:  # noqa: BLE001: what is not written is no program
            continue
        yield Program(name, text, lambda tape=tape: expectation(tape))


def expectation(tape):
    wires = tape.wires
    has_measurements = any(isinstance(op, qml.ops.MidMeasure) for op in tape.operations)
    if has_measurements:
        script = qml.tape.QuantumScript(tape.operations, [qml.probs(wires=wires)])
        [deferred], _ = qml.defer_measurements(script)
        shares = np.asarray(qml.execute([deferred], qml.device("default.qubit"))[0])
        by_outcome = shares.reshape([2] * len(wires)).transpose().reshape(-1)
        return Counts({i: p for i, p in enumerate(by_outcome) if p > 1e-12}, len(wires), is_exact=True)
    ops = tape.operations + tape.diagonalizing_gates
    script = qml.tape.QuantumScript(ops, [qml.state()])
    state = np.asarray(qml.execute([script], qml.device("default.qubit", wires=wires))[0])
    # The first wire is the highest bit there.
    flat = state.reshape([2] * len(wires)).transpose().reshape(-1)
    return State(flat, {i: i for i in range(len(wires))})


def spread(n):
    return [
        *[qml.RY(0.4 + 0.3 * i, i) for i in range(n)],
        *[qml.RZ(0.7 + 0.5 * i, i) for i in range(n)],
        *[qml.CNOT([i, i + 1]) for i in range(n - 1)],
        *[qml.RX(0.2 + 0.1 * i, i) for i in range(n)],
    ]


def tapes():
    warnings.simplefilter("ignore")
    random = np.random.default_rng(1)

    def unitary(n):
        q, r = np.linalg.qr(random.normal(size=(n, n)) + 1j * random.normal(size=(n, n)))
        return q * (np.diag(r) / abs(np.diag(r)))

    hamiltonian = qml.dot([0.4, -0.7, 1.1], [qml.X(0) @ qml.X(1), qml.Z(1) @ qml.Y(2), qml.Z(0)])
    single = {
        "Identity": lambda: qml.Identity(0), "PauliX": lambda: qml.X(0), "PauliY": lambda: qml.Y(0), "PauliZ": lambda: qml.Z(0),
        "Hadamard": lambda: qml.Hadamard(0), "S": lambda: qml.S(0), "T": lambda: qml.T(0), "SX": lambda: qml.SX(0),
        "adjoint(S)": lambda: qml.adjoint(qml.S(0)), "adjoint(T)": lambda: qml.adjoint(qml.T(0)), "adjoint(SX)": lambda: qml.adjoint(qml.SX(0)),
        "RX": lambda: qml.RX(0.3, 0), "RY": lambda: qml.RY(0.3, 0), "RZ": lambda: qml.RZ(0.3, 0), "PhaseShift": lambda: qml.PhaseShift(0.3, 0),
        "Rot": lambda: qml.Rot(0.1, 0.2, 0.3, 0), "U1": lambda: qml.U1(0.1, 0), "U2": lambda: qml.U2(0.1, 0.2, 0), "U3": lambda: qml.U3(0.1, 0.2, 0.3, 0),
        "CNOT": lambda: qml.CNOT([0, 1]), "CZ": lambda: qml.CZ([0, 1]), "CY": lambda: qml.CY([0, 1]), "CH": lambda: qml.CH([0, 1]),
        "SWAP": lambda: qml.SWAP([0, 1]), "ISWAP": lambda: qml.ISWAP([0, 1]), "SISWAP": lambda: qml.SISWAP([0, 1]), "PSWAP": lambda: qml.PSWAP(0.3, [0, 1]),
        "ECR": lambda: qml.ECR([0, 1]), "CRX": lambda: qml.CRX(0.3, [0, 1]), "CRY": lambda: qml.CRY(0.3, [0, 1]), "CRZ": lambda: qml.CRZ(0.3, [0, 1]),
        "CRot": lambda: qml.CRot(0.1, 0.2, 0.3, [0, 1]), "ControlledPhaseShift": lambda: qml.ControlledPhaseShift(0.3, [0, 1]),
        "CPhaseShift00": lambda: qml.CPhaseShift00(0.3, [0, 1]), "CPhaseShift01": lambda: qml.CPhaseShift01(0.3, [0, 1]), "CPhaseShift10": lambda: qml.CPhaseShift10(0.3, [0, 1]),
        "IsingXX": lambda: qml.IsingXX(0.3, [0, 1]), "IsingYY": lambda: qml.IsingYY(0.3, [0, 1]), "IsingZZ": lambda: qml.IsingZZ(0.3, [0, 1]), "IsingXY": lambda: qml.IsingXY(0.3, [0, 1]),
        "MultiRZ": lambda: qml.MultiRZ(0.3, [0, 1, 2]), "PauliRot": lambda: qml.PauliRot(0.3, "XYZ", [0, 1, 2]),
        "Toffoli": lambda: qml.Toffoli([0, 1, 2]), "CCZ": lambda: qml.CCZ([0, 1, 2]), "CSWAP": lambda: qml.CSWAP([0, 1, 2]),
        "MultiControlledX": lambda: qml.MultiControlledX([0, 1, 2, 3]), "MultiControlledX, open": lambda: qml.MultiControlledX([0, 1, 2], [0, 1]),
        "GlobalPhase": lambda: qml.GlobalPhase(0.4), "GlobalPhase on wires": lambda: qml.GlobalPhase(0.4, wires=[0, 1]), "ctrl(GlobalPhase)": lambda: qml.ctrl(qml.GlobalPhase(0.4), 0),
        "ctrl(RX)": lambda: qml.ctrl(qml.RX(0.4, 2), [0, 1]), "ctrl(Rot)": lambda: qml.ctrl(qml.Rot(0.1, 0.2, 0.3, 1), 0), "ctrl(S)": lambda: qml.ctrl(qml.S(1), 0), "ctrl(T), open": lambda: qml.ctrl(qml.T(1), 0, control_values=[0]),
        "pow(RX)": lambda: qml.pow(qml.RX(0.4, 0), 0.5), "pow(T)": lambda: qml.pow(qml.T(0), 3), "pow(SWAP)": lambda: qml.pow(qml.SWAP([0, 1]), 0.5),
        "QubitUnitary 1": lambda: qml.QubitUnitary(unitary(2), 0), "QubitUnitary 2": lambda: qml.QubitUnitary(unitary(4), [0, 1]), "QubitUnitary 3": lambda: qml.QubitUnitary(unitary(8), [0, 1, 2]),
        "ControlledQubitUnitary": lambda: qml.ControlledQubitUnitary(unitary(2), wires=[0, 1]), "DiagonalQubitUnitary": lambda: qml.DiagonalQubitUnitary(np.exp(1j * np.arange(4)), [0, 1]),
        "SingleExcitation": lambda: qml.SingleExcitation(0.3, [0, 1]), "SingleExcitationPlus": lambda: qml.SingleExcitationPlus(0.3, [0, 1]), "DoubleExcitation": lambda: qml.DoubleExcitation(0.3, [0, 1, 2, 3]),
        "OrbitalRotation": lambda: qml.OrbitalRotation(0.3, [0, 1, 2, 3]), "FermionicSWAP": lambda: qml.FermionicSWAP(0.3, [0, 1]),
        "QFT": lambda: qml.QFT([0, 1, 2]), "adjoint(QFT)": lambda: qml.adjoint(qml.QFT([0, 1, 2])), "AQFT": lambda: qml.AQFT(1, wires=[0, 1, 2]),
        "GroverOperator": lambda: qml.GroverOperator([0, 1, 2]), "QuantumPhaseEstimation": lambda: qml.QuantumPhaseEstimation(qml.RX(0.4, 0), estimation_wires=[1, 2]),
        "ApproxTimeEvolution": lambda: qml.ApproxTimeEvolution(hamiltonian, 0.5, 2), "TrotterProduct": lambda: qml.TrotterProduct(hamiltonian, 0.4), "evolve": lambda: qml.exp(qml.X(0) @ qml.Z(1), 0.3j),
        "BasicEntanglerLayers": lambda: qml.BasicEntanglerLayers([[0.1, 0.2, 0.3]], [0, 1, 2]), "StronglyEntanglingLayers": lambda: qml.StronglyEntanglingLayers(np.arange(18).reshape(2, 3, 3) / 7, [0, 1, 2]),
        "SimplifiedTwoDesign": lambda: qml.SimplifiedTwoDesign([0.1, 0.2, 0.3], np.arange(4).reshape(1, 2, 2) / 5, [0, 1, 2]), "RandomLayers": lambda: qml.RandomLayers([[0.1, 0.2, 0.3]], [0, 1], seed=3),
        "AngleEmbedding": lambda: qml.AngleEmbedding([0.1, 0.2], [0, 1]), "IQPEmbedding": lambda: qml.IQPEmbedding([0.1, 0.2, 0.3], [0, 1, 2]), "QAOAEmbedding": lambda: qml.QAOAEmbedding([0.1], [[0.1, 0.2, 0.3]], [0, 1]),
        "Permute": lambda: qml.Permute([2, 0, 1], [0, 1, 2]), "FlipSign": lambda: qml.FlipSign([1, 0], [0, 1]), "IntegerComparator": lambda: qml.IntegerComparator(2, True, [0, 1, 2]), "QubitCarry": lambda: qml.QubitCarry([0, 1, 2, 3]), "QubitSum": lambda: qml.QubitSum([0, 1, 2]),
        "PhaseAdder": lambda: qml.PhaseAdder(3, [0, 1, 2]), "Adder": lambda: qml.Adder(3, [0, 1, 2], 8), "Multiplier": lambda: qml.Multiplier(3, [0, 1], 4, [2, 3]), "SemiAdder": lambda: qml.SemiAdder([0, 1], [2, 3], [4]),
        "Select": lambda: qml.Select([qml.X(2), qml.RY(0.3, 2), qml.H(2), qml.Z(2)], [0, 1]), "SelectPauliRot": lambda: qml.SelectPauliRot([0.1, 0.2, 0.3, 0.4], [0, 1], 2), "PrepSelPrep": lambda: qml.PrepSelPrep(hamiltonian, [3, 4]),
        "Qubitization": lambda: qml.Qubitization(hamiltonian, [3, 4]), "QROM": lambda: qml.QROM(["01", "11", "10", "00"], [0, 1], [2, 3], None), "UCCSD": lambda: qml.UCCSD([0.1, 0.2, 0.3], [0, 1, 2, 3], [[0, 2], [1, 3]], [[[0, 1], [2, 3]]], np.array([1, 1, 0, 0])),
        "ParticleConservingU1": lambda: qml.ParticleConservingU1(np.arange(6).reshape(1, 3, 2) / 5, [0, 1, 2, 3]), "BasisRotation": lambda: qml.BasisRotation([0, 1, 2], np.linalg.qr(np.arange(9).reshape(3, 3) + np.eye(3))[0]),
        "CosineWindow": lambda: qml.CosineWindow([0, 1]), "Reflection": lambda: qml.Reflection(qml.H(0)), "AmplitudeAmplification": lambda: qml.AmplitudeAmplification(qml.H(0), qml.Z(0), 2), "WireCut": lambda: qml.Barrier([0, 1]), "Snapshot": lambda: qml.Snapshot(),
        "HilbertSchmidt": lambda: qml.QubitUnitary(unitary(16), [0, 1, 2, 3]), "QSVT": lambda: qml.qsvt(qml.PauliX(0) * 0.3, [0.1, 0.2, 0.3], encoding_wires=[0, 1], block_encoding="prepselprep"), "PauliSandwich": lambda: qml.change_op_basis(qml.H(0), qml.RZ(0.3, 0)), "GQSP": lambda: qml.GQSP(qml.RX(0.3, 1), np.array([[0.1, 0.2], [0.3, 0.4], [0.5, 0.6]]), 0),
    }
    for name, make in single.items():
        yield name, lambda make=make: [*spread(4), make()], [qml.probs(wires=range(4))]
    starts = {
        "BasisState": lambda: qml.BasisState([1, 0, 1], [0, 1, 2]), "StatePrep": lambda: qml.StatePrep(np.array([0.1, 0.2j, 0.3, 0.4, 0.5, -0.6, 0.2, 0.1]), [0, 1, 2], normalize=True),
        "AmplitudeEmbedding": lambda: qml.AmplitudeEmbedding([1, 2, 3, 4], [0, 1], normalize=True), "MottonenStatePreparation": lambda: qml.MottonenStatePreparation(np.array([0.5, 0.5j, -0.5, 0.5]), [0, 1]),
        "Superposition": lambda: qml.Superposition(np.array([0.6, 0.8]), np.array([[0, 1, 1], [1, 0, 0]]), [0, 1, 2], 3), "ArbitraryStatePreparation": lambda: qml.ArbitraryStatePreparation(np.arange(6) / 5, [0, 1]), "MPSPrep": lambda: qml.BasisEmbedding(5, [0, 1, 2]),
    }
    for name, make in starts.items():
        yield name, lambda make=make: [make(), qml.RX(0.3, 1)], [qml.probs(wires=[0, 1])]
    observables = {"expval": qml.X(0) @ qml.Y(1), "Hadamard": qml.Hadamard(1), "Hermitian": qml.Hermitian(np.array([[1, 0.2j], [-0.2j, -1]]), 0), "Prod": qml.Z(0) @ qml.X(2)}
    for name, observable in observables.items():
        yield f"rotations for {name}", lambda: spread(3), [qml.expval(observable)]
    yield "named wires", lambda: [qml.H("a"), qml.CNOT(["a", "aux"]), qml.RX(0.3, "aux")], [qml.probs(wires=["a", "aux"])]
    for seed in range(20):
        yield f"random {seed}", lambda seed=seed: list(random_operations(seed)), [qml.probs(wires=range(4))]
    yield from with_measurements()


def random_operations(seed):
    chance = np.random.default_rng(seed)
    for _ in range(25):
        a, b, c = (int(w) for w in chance.permutation(4)[:3])
        x, y, z = (float(v) for v in chance.uniform(-7, 7, 3))
        choices = [
            lambda: qml.Rot(x, y, z, a), lambda: qml.CRY(x, [a, b]), lambda: qml.IsingXY(x, [a, b]), lambda: qml.CSWAP([a, b, c]),
            lambda: qml.U2(x, y, a), lambda: qml.ISWAP([a, b]), lambda: qml.SX(a), lambda: qml.Toffoli([a, b, c]), lambda: qml.ControlledPhaseShift(x, [a, b]), lambda: qml.PhaseShift(x, a),
        ]
        yield choices[chance.integers(len(choices))]()


def with_measurements():
    def tape(build):
        with qml.queuing.AnnotatedQueue() as queue:
            build()
        return qml.tape.QuantumScript.from_queue(queue).operations

    def conditional():
        qml.RY(0.9, 0)
        m = qml.measure(0)
        qml.cond(m, qml.RY)(0.7, 1)
        qml.CNOT([1, 2])

    def teleport():
        qml.U3(0.3, 0.2, 0.1, 0)
        qml.H(1)
        qml.CNOT([1, 2])
        qml.CNOT([0, 1])
        qml.H(0)
        m, n = qml.measure(0), qml.measure(1)
        qml.cond(n, qml.X)(2)
        qml.cond(m, qml.Z)(2)

    def repeated():
        for i in range(3):
            qml.RX(0.8, 0)
            m = qml.measure(0)
            qml.cond(m, qml.RY)(0.3 + i, 1)
        qml.CNOT([0, 1])

    for build in (conditional, teleport, repeated):
        yield f"measured in between: {build.__name__}", lambda build=build: tape(build), [qml.probs(wires=[0, 1])]

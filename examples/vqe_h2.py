"""The ground state of the hydrogen molecule by a variational loop, with nothing but Python 3.

    QCS_API_KEY=qcs_… python3 examples/vqe_h2.py

QCS_URL names the service, http://127.0.0.1:8080 unless given. The Hamiltonian is that of two qubits (STO-3G,
0.735 Å, parity mapping, reduced by symmetry). One angle is enough; its slope is half the difference of two
energies, a quarter turn to each side (the parameter-shift rule), and the energies are exact expectation values.
"""
import json
import math
import os
import urllib.error
import urllib.request

SERVICE = os.environ.get("QCS_URL", "http://127.0.0.1:8080")
KEY = os.environ.get("QCS_API_KEY", "")

NUCLEAR_REPULSION = 0.719968994449
HAMILTONIAN = [
    {"pauli": "I", "coefficient": -1.052373245772859},
    {"pauli": "Z0", "coefficient": 0.39793742484318045},
    {"pauli": "Z1", "coefficient": -0.39793742484318045},
    {"pauli": "Z0 Z1", "coefficient": -0.01128010425623538},
    {"pauli": "X0 X1", "coefficient": 0.18093119978423156},
]


def submit(body):
    """Data of the answer; if the service refuses, its message."""
    request = urllib.request.Request(
        f"{SERVICE}/api/v1/quantum/circuits",
        data=json.dumps(body).encode(),
        headers={"X-API-Key": KEY, "Content-Type": "application/json"},
    )
    try:
        with urllib.request.urlopen(request) as answer:
            return json.load(answer)["data"]
    except urllib.error.HTTPError as error:
        raise SystemExit(f"{error.code}: {json.load(error)['error']['message']}")


def energy(theta):
    """Hartree, of cos(θ/2)|01⟩ + sin(θ/2)|10⟩."""
    answer = submit({
        "circuit": [
            {"gate": "X", "qubit": 0},
            {"gate": "RY", "qubit": 1, "theta": theta},
            {"gate": "CX", "control": 1, "target": 0},
        ],
        "target_processor": "statevector-sim",
        "shots": 1,
        "return": ["expectation"],
        "observables": [HAMILTONIAN],
    })
    return NUCLEAR_REPULSION + answer["expectation"]["sum"]


theta = 0.0
for step in range(15):
    plus, minus = energy(theta + math.pi / 2), energy(theta - math.pi / 2)
    slope = (plus - minus) / 2
    print(f"step {step}  theta {theta:+.5f}  slope {slope:+.6f}")
    if abs(slope) < 1e-5:
        break
    theta -= slope
print(f"energy {energy(theta):.6f} hartree")

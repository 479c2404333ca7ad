"""Error correction: a rotated surface code that keeps a logical |0⟩ for some rounds, with nothing but Python 3.

    QCS_API_KEY=qcs_… python3 examples/surface_code.py [distance] [error rate] [shots]

QCS_URL names the service, http://127.0.0.1:8080 unless given. Every two-qubit gate depolarizes its qubits, and every
measurement is misread, with the given probability. The circuit is Clifford, so that qvm runs it by the stabilizer
method: distance 11 has 241 qubits. The answer has the detection events of all shots, and the detector error model for a
decoder. With PyMatching and Stim installed (`pip install pymatching stim`) the shots are decoded.
"""
import base64
import json
import os
import sys
import urllib.error
import urllib.request

SERVICE = os.environ.get("QCS_URL", "http://127.0.0.1:8080")
KEY = os.environ.get("QCS_API_KEY", "")


def surface_code(distance, rounds):
    """Gates, detectors and the logical observable of a memory experiment. Data qubits come first, row by row."""
    def data(row, column):
        inside = 0 <= row < distance and 0 <= column < distance
        return row * distance + column if inside else None

    # A check on plaquette (i, j) touches the data at its corners. Checks of X are at the upper and lower edge, of Z at
    # the left and right one.
    checks = []
    for i in range(distance + 1):
        for j in range(distance + 1):
            kind = "Z" if (i + j) % 2 == 0 else "X"
            if i in (0, distance) and (kind == "Z" or j in (0, distance)):
                continue
            if j in (0, distance) and kind == "X":
                continue
            upper = [data(i - 1, j - 1), data(i - 1, j)]
            lower = [data(i, j - 1), data(i, j)]
            # In this order an error of the check's own qubit spreads across the logical operator, not along it.
            corners = upper + lower if kind == "X" else [upper[0], lower[0], upper[1], lower[1]]
            checks.append((kind, corners))
    first = distance * distance
    gates, detectors, bit_of = [], [], {}
    bits = 0
    for round_number in range(rounds):
        turns = [{"gate": "H", "qubit": first + n} for n, (kind, _) in enumerate(checks) if kind == "X"]
        gates += turns
        for step in range(4):
            for n, (kind, corners) in enumerate(checks):
                qubit, other = first + n, corners[step]
                if other is None:
                    continue
                control, target = (qubit, other) if kind == "X" else (other, qubit)
                gates.append({"gate": "CX", "control": control, "target": target})
        gates += turns
        for n, (kind, _) in enumerate(checks):
            gates.append({"gate": "M", "qubits": [first + n], "bits": [bits]})
            gates.append({"gate": "RESET", "qubits": [first + n]})
            if round_number > 0:
                detectors.append([bit_of[n], bits])
            elif kind == "Z":
                detectors.append([bits])
            bit_of[n] = bits
            bits += 1
    gates.append({"gate": "M", "qubits": list(range(first)), "bits": list(range(bits, bits + first))})
    for n, (kind, corners) in enumerate(checks):
        if kind == "Z":
            detectors.append([bit_of[n]] + [bits + corner for corner in corners if corner is not None])
    return gates, detectors, [[bits + column for column in range(distance)]]


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


def main(distance=5, error_rate=0.004, shots=10_000):
    gates, detectors, observables = surface_code(distance, rounds=distance)
    answer = submit({
        "circuit": gates,
        "target_processor": "qvm",
        "shots": shots,
        "seed": 1,
        "noise": {
            "gates": [{
                "gates": ["CX"],
                "channel": {"type": "depolarizing", "probability": error_rate, "num_qubits": 2},
            }],
            "readout": [{"p1_given_0": error_rate, "p0_given_1": error_rate}],
        },
        "detectors": detectors,
        "logical_observables": observables,
        "return": ["detection_events", "detector_error_model"],
    })
    events = answer["detection_events"]
    rows = base64.b64decode(events["data"])
    width = events["bytes_per_shot"]
    print(f"method {answer['method']}, {len(detectors)} detectors")

    def flips(shot, index):
        return rows[shot * width + index // 8] >> (index % 8) & 1

    fired = sum(flips(shot, index) for shot in range(shots) for index in range(len(detectors)))
    print(f"detectors that fired {fired / (shots * len(detectors)):.4f}")
    raw = sum(flips(shot, len(detectors)) for shot in range(shots))
    print(f"logical errors without decoding {raw / shots:.4f}")
    try:
        import numpy
        import pymatching
        import stim
    except ImportError:
        print("PyMatching and Stim would decode the shots.")
        return
    matching = pymatching.Matching.from_detector_error_model(
        stim.DetectorErrorModel(answer["detector_error_model"])
    )
    packed = numpy.frombuffer(rows, dtype=numpy.uint8).reshape(shots, width)
    unpacked = numpy.unpackbits(packed, axis=1, bitorder="little")
    decoded = matching.decode_batch(unpacked[:, : len(detectors)])
    wrong = (decoded[:, 0] != unpacked[:, len(detectors)]).sum()
    print(f"logical errors after decoding {wrong / shots:.4f}")


if __name__ == "__main__":
    kinds = (int, float, int)
    main(*(kind(text) for kind, text in zip(kinds, sys.argv[1:])))

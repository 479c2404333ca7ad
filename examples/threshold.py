"""Error correction: logical error rates of repetition codes by distance and noise, in one request. Needs nothing but Python 3.

    QCS_API_KEY=qcs_… python3 examples/threshold.py [shots] [file.csv]

QCS_URL names the service, http://127.0.0.1:8080 unless given. Each task is a circuit in Stim's format. The service samples
and decodes its shots until it has seen 200 errors or taken all shots. Below the threshold a longer code has fewer errors.
The file gets Sinter's table, which `sinter plot` draws.
"""
import json
import os
import sys
import time
import urllib.error
import urllib.request

SERVICE = os.environ.get("QCS_URL", "http://127.0.0.1:8080")
KEY = os.environ.get("QCS_API_KEY", "")
DISTANCES = (3, 5, 7)
ERROR_RATES = (0.02, 0.05, 0.1, 0.2)


def repetition_code(distance, p):
    """Text of a memory experiment: bit flips and misread checks with probability p, for as many rounds as the distance."""
    data = range(0, 2 * distance, 2)
    checks = range(1, 2 * distance - 1, 2)
    names = lambda qubits: " ".join(map(str, qubits))
    one_round = [
        f"X_ERROR({p}) {names(data)}",
        "CX " + " ".join(f"{check - 1} {check}" for check in checks),
        "CX " + " ".join(f"{check + 1} {check}" for check in checks),
        f"X_ERROR({p}) {names(checks)}",
        f"MR {names(checks)}",
    ]
    n = len(checks)
    compared = [f"DETECTOR rec[{i - n}] rec[{i - 2 * n}]" for i in range(n)]
    ends = [f"DETECTOR rec[{i - distance}] rec[{i + 1 - distance}] rec[{i - distance - n}]" for i in range(n)]
    return "\n".join([
        f"R {names([*data, *checks])}",
        *one_round,
        *(f"DETECTOR rec[{i - n}]" for i in range(n)),
        f"REPEAT {distance - 1} {{",
        *one_round,
        *compared,
        "}",
        f"M {names(data)}",
        *ends,
        "OBSERVABLE_INCLUDE(0) rec[-1]",
        "",
    ])


def call(path, body=None):
    """Text of the answer; if the service refuses, its message."""
    request = urllib.request.Request(
        f"{SERVICE}/api/v1{path}",
        data=None if body is None else json.dumps(body).encode(),
        headers={"X-API-Key": KEY, "Content-Type": "application/json"},
    )
    try:
        with urllib.request.urlopen(request) as answer:
            return answer.read().decode()
    except urllib.error.HTTPError as error:
        raise SystemExit(f"{error.code}: {json.load(error)['error']['message']}")


def finished(record):
    """The record of an experiment once it has ended."""
    path = f"/quantum/experiments/{record['experiment_id']}"
    while record["status"] in ("queued", "running"):
        time.sleep(0.2)
        record = json.loads(call(path))["data"]
    if record["status"] != "completed":
        raise SystemExit(record["error"]["message"])
    return record


def main(shots=100_000, file=None):
    tasks = [
        {"stim": repetition_code(d, p), "metadata": {"d": d, "p": p}} for p in ERROR_RATES for d in DISTANCES
    ]
    body = {"tasks": tasks, "max_shots": shots, "max_errors": 200, "decoder": "matching", "seed": 1}
    record = finished(json.loads(call("/quantum/experiments", body))["data"])
    rates = {(t["metadata"]["p"], t["metadata"]["d"]): t["logical_error_rate"] for t in record["tasks"]}
    print("p     " + "  ".join(f"d = {d}   " for d in DISTANCES))
    for p in ERROR_RATES:
        print(f"{p:<4}  " + "  ".join(f"{rates[p, d]:.6f}" for d in DISTANCES))
    if file is not None:
        with open(file, "w") as table:
            table.write(call(f"/quantum/experiments/{record['experiment_id']}/csv"))


if __name__ == "__main__":
    kinds = (int, str)
    main(*(kind(text) for kind, text in zip(kinds, sys.argv[1:])))

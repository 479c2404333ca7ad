"""Error correction: logical error rates of repetition codes down to 2e-10, from shots by their number of faults. Needs
nothing but Python 3.

    QCS_API_KEY=qcs_… python3 examples/low_error_rates.py [shots]

QCS_URL names the service, http://127.0.0.1:8080 unless given. Each line has the rate with its interval, and the stratum of
the shots that most of the logical errors come from: half as many faults as the distance, when faults are few.
"""
import json
import sys

from threshold import call, finished, repetition_code

DISTANCES = (3, 5)
ERROR_RATES = (0.01, 0.001, 0.0001)


def weight(stratum):
    """What a stratum adds to the logical error rate."""
    given = stratum.get("error_probability")
    return stratum["probability"] * (stratum["errors"] / stratum["shots"] if given is None else given)


def main(shots=200_000):
    tasks = [
        {"stim": repetition_code(d, p), "metadata": {"d": d, "p": p}} for d in DISTANCES for p in ERROR_RATES
    ]
    sampling = {"method": "stratified"}
    body = {"tasks": tasks, "sampling": sampling, "max_shots": shots, "relative_error": 0.05, "seed": 1}
    record = finished(json.loads(call("/quantum/experiments", body))["data"])
    print("d  p       rate      interval               faults")
    for task in record["tasks"]:
        d, p = task["metadata"]["d"], task["metadata"]["p"]
        low, high = task["interval"]
        faults = max(task["sampling"]["strata"], key=weight)["faults"]
        print(f"{d}  {p:<6}  {task['logical_error_rate']:.2e}  {low:.2e} to {high:.2e}   {faults}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))

"""Detector error models beside Stim's: their lines, and the logical errors that PyMatching leaves with either.

    .ci/python-clients stim    # makes the virtual environment
    .venv-clients/bin/python bench/detector-error-models.py [--shots 1000000] [--json FILE]

It starts the service, asks it for the models of Stim's memory experiments, and decodes the same shots, which Stim samples, with both
models. The limit is three standard deviations of the number of errors with Stim's model. It ends with status 1 if a model has other
lines than Stim's, or a number of errors beyond the limit.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import platform
import sys
from datetime import datetime, timezone
from importlib.metadata import version
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "test/clients"), str(ROOT / "test/clients/stim")]
from memory_experiments import TASKS, logical_errors, memory_experiment, model_of  # noqa: E402
from service import Service, running_service  # noqa: E402
from stim_requests import assert_same, body_of, canonical, submit  # noqa: E402

DISTANCES = (3, 5, 7)
PROBABILITY = 0.002
#: Shots that are sampled and decoded at a time.
CHUNK = 100_000


def is_same(ours: str, theirs: Any) -> bool:
    try:
        assert_same(ours, theirs)
    except AssertionError:
        return False
    return True


def compare(service: Service, task: str, distance: int, shots: int) -> dict[str, Any]:
    circuit = memory_experiment(task, distance, PROBABILITY)
    models = {
        "service": submit(service, body_of(circuit))["detector_error_model"],
        "stim": str(model_of(circuit)),
    }
    whole = submit(service, body_of(circuit, detector_error_model={"decompose_errors": False}))
    sampler = circuit.compile_detector_sampler(seed=distance)
    errors = dict.fromkeys(models, 0)
    for start in range(0, shots, CHUNK):
        events, flips = sampler.sample(min(CHUNK, shots - start), separate_observables=True)
        for name, model in models.items():
            errors[name] += int(logical_errors(model, events, flips).sum())
    return {
        "task": task,
        "distance": distance,
        "lines": len(canonical(models["service"])),
        "same_lines": is_same(models["service"], models["stim"]),
        "same_lines_without_decomposition": is_same(whole["detector_error_model"], circuit.detector_error_model()),
        "logical_errors": errors,
        "limit": 3 * math.sqrt(max(1, errors["stim"])),
    }


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    options.add_argument("--shots", type=int, default=1_000_000)
    options.add_argument("--json", default=str(ROOT / "bench/results/detector-error-models.json"))
    given = options.parse_args()
    results = []
    with running_service() as service:
        for task in TASKS:
            for distance in DISTANCES:
                results.append(compare(service, task, distance, given.shots))
                print(json.dumps(results[-1]), flush=True)
    record = {
        "measuredAt": datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "cores": os.cpu_count(),
        "machine": platform.machine(),
        "python": platform.python_version(),
        "versions": {name: version(name) for name in ("stim", "pymatching", "numpy")},
        "probability": PROBABILITY,
        "shots": given.shots,
        "results": results,
    }
    Path(given.json).write_text(json.dumps(record, indent=2) + "\n")
    bad = [
        each
        for each in results
        if not (each["same_lines"] and each["same_lines_without_decomposition"])
        or abs(each["logical_errors"]["service"] - each["logical_errors"]["stim"]) > each["limit"]
    ]
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())

"""Clifft for bench/active-qubits.ts: answers a request with the time of sampling and what the shots have.

{"stim": TEXT} compiles a circuit, {"shots": N, "seed": S} samples it on one thread. A shot is discarded if a detector
fires; it has an error if it is not discarded and an observable is flipped.
"""

import json
import sys
import time

import clifft
import numpy

print(json.dumps({"name": f"Clifft {clifft.__version__}"}), flush=True)
for line in sys.stdin:
    request = json.loads(line)
    if "stim" in request:
        program = clifft.compile(request["stim"])
        clifft.sample(program, 10_000, seed=1, threads=1)
        print(json.dumps({}), flush=True)
        continue
    started = time.perf_counter()
    result = clifft.sample(program, request["shots"], seed=request["seed"], threads=1)
    ms = 1000 * (time.perf_counter() - started)
    discarded = numpy.asarray(result.detectors).any(axis=1)
    wrong = numpy.asarray(result.observables).any(axis=1) & ~discarded
    answer = {"ms": ms, "discards": int(discarded.sum()), "errors": int(wrong.sum())}
    print(json.dumps(answer), flush=True)

"""Stim as peer of bench/stabilizer.ts; started by it, not in CI.

Reads a line of JSON per request from standard input and answers with one:

    {"circuit": TEXT, "shots": 1000, "seed": 1, "group": 24} -> {"events": 0.01}
        of all pairs of bits that are "group" apart, the part in which they differ
    {"memory": 5, "rounds": 5, "probability": 0.001} -> {}
        prepares Stim's own memory experiment of the rotated surface code
    {"reference": true} -> {"ms": ...}: its reference sample
    {"sample": 1000} -> {"ms": ...}: shots, as packed bits

The first line that it prints names its version.
"""

import json
import sys
import time

import numpy as np
import stim


def events(request):
    sampler = stim.Circuit(request["circuit"]).compile_sampler(seed=request["seed"])
    bits = sampler.sample(request["shots"])
    group = request["group"]
    numGroups = bits.shape[1] // group
    rounds = bits[:, : numGroups * group].reshape(len(bits), numGroups, group)
    return float(np.mean(rounds[:, 1:] ^ rounds[:, :-1]))


def main():
    print(json.dumps({"name": f"Stim {stim.__version__}"}), flush=True)
    circuit = sampler = None
    for line in sys.stdin:
        request = json.loads(line)
        if "circuit" in request:
            answer = {"events": events(request)}
        elif "memory" in request:
            p = request["probability"]
            circuit = stim.Circuit.generated(
                "surface_code:rotated_memory_z",
                distance=request["memory"],
                rounds=request["rounds"],
                after_clifford_depolarization=p,
                before_round_data_depolarization=p,
                before_measure_flip_probability=p,
                after_reset_flip_probability=p,
            )
            sampler = circuit.compile_sampler(seed=1)
            answer = {}
        else:
            started = time.perf_counter()
            if "reference" in request:
                circuit.reference_sample(bit_packed=True)
            else:
                sampler.sample_bit_packed(request["sample"])
            answer = {"ms": 1000 * (time.perf_counter() - started)}
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()

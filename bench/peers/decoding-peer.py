"""PyMatching for bench/decoding.ts: answers a request with the time of decoding and what it predicts.

{"model": TEXT} reads a detector error model, {"events": HEX} decodes bit-packed shots of it, on one thread.
"""

import json
import sys
import time

import numpy
import pymatching
import stim

print(json.dumps({"name": f"PyMatching {pymatching.__version__}"}), flush=True)
for line in sys.stdin:
    request = json.loads(line)
    if "model" in request:
        model = stim.DetectorErrorModel(request["model"])
        matching = pymatching.Matching(model)
        print(json.dumps({}), flush=True)
        continue
    events = numpy.frombuffer(bytes.fromhex(request["events"]), dtype=numpy.uint8)
    shots = events.reshape(-1, (model.num_detectors + 7) // 8)
    started = time.perf_counter()
    predictions = matching.decode_batch(shots, bit_packed_shots=True, bit_packed_predictions=True)
    ms = 1000 * (time.perf_counter() - started)
    print(json.dumps({"ms": ms, "predictions": predictions.tobytes().hex()}), flush=True)

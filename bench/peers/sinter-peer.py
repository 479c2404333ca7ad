"""Sinter for bench/experiments.ts: collects tasks with PyMatching and two workers, and answers times and counts.

{"tasks": [TEXT, …], "max_shots": N} takes circuits in Stim's format. Times are those of the call, and of the processor in
its workers and here.
"""

import json
import resource
import sys
import time

import sinter
import stim


def processor_seconds() -> float:
    spent = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in spent)


def main() -> None:
    print(json.dumps({"name": f"Sinter {sinter.__version__}"}), flush=True)
    for line in sys.stdin:
        request = json.loads(line)
        tasks = [
            sinter.Task(circuit=stim.Circuit(text), json_metadata=i)
            for i, text in enumerate(request["tasks"])
        ]
        before, started = processor_seconds(), time.perf_counter()
        found = sinter.collect(
            num_workers=2, tasks=tasks, decoders=["pymatching"], max_shots=request["max_shots"]
        )
        seconds = time.perf_counter() - started
        errors = {stats.json_metadata: stats.errors for stats in found}
        answer = {"seconds": seconds, "processor": processor_seconds() - before}
        print(json.dumps({**answer, "errors": [errors[i] for i in range(len(tasks))]}), flush=True)


if __name__ == "__main__":
    main()

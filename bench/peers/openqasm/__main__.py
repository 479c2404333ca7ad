"""OpenQASM as other tools write it, read here and held to their own simulators; run by hand, not in CI.

    python bench/peers/openqasm [--corpora FOLDER] [--only NAME,...] [--report FILE]

Needs Node on the PATH, qiskit, qiskit-aer and scipy, and for each corpus its tool; a corpus without its
tool is left out, and named. FOLDER holds clones of pnnl/QASMBench, openqasm/openqasm,
amazon-braket/amazon-braket-examples and amazon-braket/amazon-braket-default-simulator-python, each
under its own name; without it, what tools export is checked alone.

Every program goes through the service's reader. What fits MAX_QUBITS is then run by its CPU engine in
double precision, and by the simulator of the tool that wrote the program:

  exact    nothing happens after a measurement: the states are equal up to a global phase, to 1e-9, and
           each bit is read from the same qubit
  sampled  else: counts of SHOTS shots pass a chi-squared test against the simulator's counts
  followed the same against a distribution worked out branch by branch, where the tool's simulator does
           not run its own dynamic circuit, or not rightly

A refused program counts as invalid where its tool refuses it too. Results:
bench/results/openqasm-corpora.json, or in the folder QCS_BENCH_RESULTS; a corpus that is not run again keeps its
own, and a tool that is not there its version. docs/openqasm.md shows them as tables. --report writes each program that is wrong or refused, with the
line that shows it, as Markdown.
"""

import argparse
import datetime
import importlib
import importlib.metadata
import json
import os
import platform
import re
import signal
import sys
import time
import warnings
from collections import Counter
from contextlib import contextmanager
from pathlib import Path

import numpy as np
from compare import exact_fault, sampled_fault, state_fault
from program import Counts, Program, Skipped, State
from service import Crashed, Refused, Service

SHOTS = 20_000
SECONDS = 60

# By module: corpora(folder) gives (name, programs, opinion) triples; opinion says why the tool itself
# refuses a program, or None.
SOURCES = ["from_files", "from_qiskit", "from_cirq", "from_pennylane", "from_braket", "from_tket", "from_mqt_bench"]
PACKAGES = [
    "qiskit", "qiskit-aer", "qiskit-qasm3-import", "cirq-core", "pennylane", "amazon-braket-sdk",
    "amazon-braket-default-simulator", "pytket", "mqt.bench",
]


@contextmanager
def time_limit(whose):
    def stop(*_):
        raise Skipped(f"{whose} takes more than {SECONDS} s")

    signal.signal(signal.SIGALRM, stop)
    signal.alarm(SECONDS)
    try:
        yield
    finally:
        signal.alarm(0)


def fault_of(service, program, facts, max_qubits):
    """The kind of comparison, and what does not agree, if anything."""
    if facts["numQubits"] > max_qubits:
        raise Skipped(f"more than {max_qubits} qubits")
    with time_limit("its own simulator"):
        expected = program.expected()
    if isinstance(expected, Counts):
        return "followed" if expected.is_exact else "sampled", counts_fault(service, program, expected)
    try:
        mine = service.state(program)
    except Refused as refused:
        return "exact", f"no state: {refused}"
    fault = state_fault(mine, expected.amplitudes)
    if fault is None and expected.read is not None:
        fault = measured_fault(facts["measured"], expected.read)
    if fault is None and program.is_printed:
        fault = printed_fault(service, program, mine)
    return "exact", fault


def measured_fault(measured, read):
    for bit, qubit in enumerate(measured):
        if qubit != read.get(bit):
            return f"bit {bit} is of qubit {qubit}, not {read.get(bit)}"
    beyond = next((bit for bit in read if bit >= len(measured)), None)
    return None if beyond is None else f"there is no bit {beyond}"


def counts_fault(service, program, expected):
    answer = service.answer(program, "counts", shots=SHOTS)
    mine = Counter()
    for label, count in answer["counts"]:
        mine[int(label, 2) % 2**expected.num_bits] += count
    if expected.is_exact:
        return exact_fault(mine, expected.by_outcome)
    return sampled_fault(mine, expected.by_outcome)


def printed_fault(service, program, mine):
    """What Qiskit makes of the program as the service prints it."""
    import qiskit_side

    printed = service.answer(program, "printed")
    for version in ("2", "3"):
        try:
            theirs = qiskit_side.expectation(qiskit_side.read(printed[version]))
        except Exception as error:  # noqa: BLE001: whatever Qiskit refuses is a finding
            return f"printed in OpenQASM {version}: {str(error).splitlines()[0]}"
        fault = state_fault(mine, theirs.amplitudes)
        if fault is not None:
            return f"printed in OpenQASM {version}: {fault}"
    return None


def check(service, program, opinion, max_qubits):
    """The outcome for one program: its class, and the particulars."""
    try:
        facts = service.answer(program, "parse")
        kind, fault = fault_of(service, program, facts, max_qubits)
    except Refused as refused:
        why = opinion(program)
        return ("refused", str(refused), None) if why is None else ("invalid", str(refused), why)
    except Crashed as crashed:
        return "wrong", f"the process ended: {crashed}", None
    except Skipped as why:
        return "not compared", str(why), None
    except Exception as error:  # noqa: BLE001: a tool's own failure is not the service's
        return "not compared", f"{type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}", None
    return ("equal", kind, None) if fault is None else ("wrong", fault, None)


def run_corpus(service, programs, opinion, max_qubits):
    outcomes = []
    for program in programs:
        started = time.monotonic()
        kind, told, why = check(service, program, opinion, max_qubits)
        outcomes.append((program, kind, told, why))
        if kind == "wrong" or time.monotonic() - started > SECONDS / 2:
            print(f"  {kind} {program.name}: {told} ({time.monotonic() - started:.0f} s)", flush=True)
    return outcomes


def summary(name, outcomes):
    of = lambda kind: [(p, told, why) for p, k, told, why in outcomes if k == kind]  # noqa: E731
    return {
        "corpus": name,
        "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
        "programs": len(outcomes),
        "equal": len(of("equal")),
        "equal_by": dict(Counter(told for _, told, _ in of("equal")).most_common()),
        # Qiskit's longest message lists its whole basis: the start tells the cause.
        "not_compared": dict(Counter(told[:80] for _, told, _ in of("not compared")).most_common()),
        "refused": [{"program": p.name, "message": told} for p, told, _ in of("refused")],
        "invalid": [{"program": p.name, "message": told, "why": why} for p, told, why in of("invalid")],
        "wrong": [{"program": p.name, "fault": told} for p, told, _ in of("wrong")],
    }


def shown_line(text, message):
    place = re.search(r"line (\d+), column (\d+)", message)
    if place is None:
        return "\n".join(text.splitlines()[:40])
    line = text.split("\n")[int(place[1]) - 1]
    at = max(0, int(place[2]) - 60)
    return line[at : at + 160].strip()


def cause(message):
    """A message without the names and places in it."""
    return re.sub(r"\d+", "N", re.sub(r'"[^"]*"', '"…"', re.sub(r"^OpenQASM line \d+, column \d+: ", "", message)))


def report_lines(name, outcomes):
    lines = [f"## {name}", ""]
    for p, kind, told, _ in outcomes:
        if kind == "wrong":
            lines += [f"### WRONG {p.name}: {told}", "", "```", p.text[:3000], "```", ""]
    groups = {}
    for p, kind, told, why in outcomes:
        if kind in ("refused", "invalid"):
            groups.setdefault(cause(told) + (f" [its tool: {cause(why)}]" if why else ""), []).append((p, told))
    for group, members in sorted(groups.items(), key=lambda g: -len(g[1])):
        lines += [f"### {len(members)}: {group}", ""]
        for p, told in members[:6]:
            lines += [f"- {p.name}: {told}", f"  `{shown_line(p.text, told)}`"]
        lines += [f"- and {', '.join(p.name for p, _ in members[6:60])}"] if len(members) > 6 else []
        lines += [""]
    others = Counter(told for _, kind, told, _ in outcomes if kind == "not compared")
    lines += [f"- not compared: {number}: {told}" for told, number in others.most_common()]
    return [*lines, ""]


def versions():
    found = {}
    for package in PACKAGES:
        try:
            found[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            pass
    return found


def store(file, entry, max_qubits):
    """Puts a corpus among the results of earlier runs, or in the place of its own."""
    before = json.loads(file.read_text()) if file.exists() else {"corpora": [], "machine": {"tools": {}}}
    corpora = before["corpora"]
    names = [old["corpus"] for old in corpora]
    if entry["corpus"] in names:
        corpora[names.index(entry["corpus"])] = entry
    else:
        corpora.append(entry)
    result = {
        "bench": "openqasm-corpora",
        "date": datetime.datetime.now(datetime.UTC).isoformat(),
        "machine": {"python": platform.python_version(), "tools": {**before["machine"]["tools"], **versions()}},
        "max_qubits": max_qubits,
        "shots": SHOTS,
        "corpora": corpora,
    }
    file.write_text(json.dumps(result, indent=2) + "\n")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--corpora", type=Path)
    parser.add_argument("--only", default="", help="corpora whose names contain one of these")
    parser.add_argument("--report", type=Path)
    parser.add_argument("--node", default="node")
    parser.add_argument("--max-qubits", type=int, default=27)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    wanted = [part for part in options.only.split(",") if part]
    service = Service(options.node, SECONDS)
    folder = Path(os.environ.get("QCS_BENCH_RESULTS", "bench/results"))
    folder.mkdir(parents=True, exist_ok=True)
    has_wrong = False
    if options.report is not None:
        options.report.write_text("")
    for source in SOURCES:
        try:
            module = importlib.import_module(source)
        except ImportError as error:
            print(f"left out {source}: {error}")
            continue
        for name, programs, opinion in module.corpora(options.corpora):
            if wanted and not any(part.lower() in name.lower() for part in wanted):
                continue
            outcomes = run_corpus(service, programs(), opinion, options.max_qubits)
            entry = summary(name, outcomes)
            has_wrong = has_wrong or len(entry["wrong"]) > 0
            store(folder / "openqasm-corpora.json", entry, options.max_qubits)
            numbers = {key: value if isinstance(value, (int, dict)) else len(value) for key, value in list(entry.items())[2:]}
            print(f"{name}: {numbers}", flush=True)
            if options.report is not None:
                with options.report.open("a") as report:
                    report.write("\n".join(report_lines(name, outcomes)))
    service.close()
    sys.exit(has_wrong)


main()

/**
 * Pauli propagation beside Qiskit's pauli-prop, where PAULI_PROP_PYTHON names an interpreter that has it: kicked Ising
 * models on a heavy hexagon of 127 qubits, random gates on a line, and the evolution of a Heisenberg chain.
 *
 * Engine and peer take turns, each with one thread and the same limits, from a circuit in memory to the value. Their
 * values are compared first: they may differ by what both say that they left out, and in practice by far less.
 */
import type { DynamicCircuit, GateOperation } from '../src/circuit/circuit.ts';
import { DEVICES } from '../src/compiler/device/public-devices.ts';
import { compilePaulis } from '../src/compiler/pauli/compile-paulis.ts';
import { openCpuEngine } from '../src/engine/cpu/cpu-engine.ts';
import { uniformDraw } from '../src/math/philox.ts';
import { type Measurement, median, report } from './harness.ts';
import { pythonPeer } from './peers/python-peer.ts';

const ROUNDS = 3;
/** Most multiple of the peer's time. */
const GOAL = 2;
/** Values of engine and peer differ by what each leaves out after its own order of additions. */
const MOST_APART = 0.02;
const { signal } = new AbortController();

function gate(name: string, targets: readonly number[], angles: readonly number[]): GateOperation {
  return { kind: 'gate', gate: name, targets, controls: [], angles };
}

/** A kicked Ising model on the couplers of a device of 127 qubits. */
function kickedIsing(numSteps: number, angle: number): DynamicCircuit {
  const { numQubits, couplers } = DEVICES['ibm-brisbane'];
  const step = [
    ...Array.from({ length: numQubits }, (_, qubit) => gate('RX', [qubit], [angle])),
    ...couplers.map((pair) => gate('RZZ', pair, [-Math.PI / 2])),
  ];
  return { numQubits, numBits: 0, operations: Array.from({ length: numSteps }, () => step).flat() };
}

/** Rotations of all qubits of a line by random angles, and random rotations of pairs. */
function brickwork(numQubits: number, numLayers: number): DynamicCircuit {
  const operations: GateOperation[] = [];
  const angle = () => 2 * Math.PI * uniformDraw(1, operations.length, 0, 0);
  for (let layer = 0; layer < numLayers; layer++) {
    for (let q = 0; q < numQubits; q++) {
      operations.push(gate('RZ', [q], [angle()]));
      operations.push(gate('RY', [q], [angle()]));
    }
    for (let q = layer % 2; q + 1 < numQubits; q += 2) {
      operations.push(gate('RZZ', [q, q + 1], [angle()]));
    }
  }
  return { numQubits, numBits: 0, operations };
}

/** Steps of a product formula for a Heisenberg chain. */
function heisenberg(numQubits: number, numSteps: number, time: number): DynamicCircuit {
  const operations: GateOperation[] = [];
  for (let half = 0; half < 2 * numSteps; half++) {
    for (let q = half % 2; q + 1 < numQubits; q += 2) {
      for (const name of ['RXX', 'RYY', 'RZZ']) operations.push(gate(name, [q, q + 1], [time]));
    }
  }
  return { numQubits, numBits: 0, operations };
}

const CASES = [
  { name: '5 steps of a kicked Ising model, 0.7', circuit: kickedIsing(5, 0.7), qubit: 62 },
  { name: '20 steps of a kicked Ising model, 0.3', circuit: kickedIsing(20, 0.3), qubit: 62 },
  { name: '20 steps of a kicked Ising model, 0.5', circuit: kickedIsing(20, 0.5), qubit: 62 },
  { name: '6 layers of random gates on 30 qubits', circuit: brickwork(30, 6), qubit: 15 },
  { name: '6 steps of a Heisenberg chain of 40', circuit: heisenberg(40, 6, 0.2), qubit: 20 },
] as const;
/** Strings with a smaller absolute coefficient are left out. */
const MIN_COEFFICIENT = 1e-3;
/** As many as none of the cases has. */
const MAX_TERMS = 2 ** 22;

/** Writes `bench/results/pauli-propagation.json`. */
export async function benchPauliPropagation(): Promise<void> {
  const python = process.env['PAULI_PROP_PYTHON'];
  const engine = openCpuEngine({ precision: 'f64', numThreads: 1, maxQubits: 10 });
  await using peer =
    python === undefined
      ? undefined
      : await pythonPeer(python, 'pauli-prop-peer.py', [], { RAYON_NUM_THREADS: '1' });
  const measurements: Measurement[] = [];
  for (const { name, circuit, qubit } of CASES) {
    const limits = { isApproximate: true, minCoefficient: MIN_COEFFICIENT, maxTerms: MAX_TERMS };
    const gates = circuit.operations.map((operation) => {
      if (operation.kind !== 'gate') throw new Error('unreachable: gates alone');
      return [operation.gate.toLowerCase(), operation.targets, ...operation.angles];
    });
    await peer?.ask({ qubits: circuit.numQubits, gates, observable: [['Z', qubit]] });
    const observables = [[{ coefficient: 1, factors: [{ pauli: 'Z' as const, qubit }] }]];
    const [own, theirs]: [number[], number[]] = [[], []];
    for (let round = 0; round < ROUNDS; round++) {
      const started = performance.now();
      const program = compilePaulis(circuit, limits);
      if ('problem' in program) throw new Error(program.problem);
      await using executable = await engine.prepare.pauli_propagation!(program);
      const { expectations } = await executable.run({ shots: 0, seed: 1, observables }, signal);
      own.push(performance.now() - started);
      const answer = await peer?.ask({ max_terms: MAX_TERMS, atol: MIN_COEFFICIENT });
      if (answer === undefined) continue;
      theirs.push(answer.ms);
      if (Math.abs(answer.value - expectations![0]!) > MOST_APART) {
        throw new Error(`${name}: ${expectations![0]}, and ${answer.value} by ${peer!.name}`);
      }
    }
    const row = (of: string, times: readonly number[]) => ({
      name: `${name}: time of ${of}`,
      value: median(times),
      unit: 'ms',
      spread: [Math.min(...times), Math.max(...times)] as const,
    });
    measurements.push(row('the engine', own));
    if (peer === undefined) continue;
    measurements.push(row(peer.name, theirs), {
      name: `${name}: time over that of ${peer.name}`,
      value: median(own) / median(theirs),
      unit: '×',
      goal: GOAL,
    });
  }
  report('pauli-propagation', measurements);
  await engine.close();
}

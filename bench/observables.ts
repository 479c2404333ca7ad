/**
 * Expectation values of large Pauli sums on the CPU engine, in double precision on two threads: one
 * state with its evolution, beside Qulacs, Qiskit Aer and PennyLane Lightning where AER_PYTHON names
 * an interpreter that has them, and batches of small circuits.
 *
 * Values are first checked against a plain evaluation term by term. Engine and peers take turns.
 */
import type { Circuit, GateOperation } from '../src/circuit/circuit.ts';
import type { PauliFactor, PauliSum } from '../src/circuit/observable.ts';
import { compile } from '../src/compiler/compile.ts';
import { openCpuEngine } from '../src/engine/cpu/cpu-engine.ts';
import type { CpuEngine } from '../src/engine/cpu/hosted-engine.ts';
import type { Executable } from '../src/engine/engine.ts';
import { uniformDraw } from '../src/math/philox.ts';
import { gateOperation as gate } from '../src/workloads/algorithms/gate-operation.ts';
import { applyObservable } from '../src/workloads/algorithms/hamiltonians/observable-action.ts';
import { waterHamiltonian } from '../test/support/water.ts';
import { type Measurement, median, store } from './harness.ts';
import { OBSERVABLE_PEERS, type ObservablePeer, observablePeer } from './peers/observables.ts';

const NUM_THREADS = 2;
/** Rounds of a case: at least the first number, then until the time is over or there are so many. */
const ROUNDS = { least: 3, most: 25, ms: 8000 };
/** Relative to the sum of the coefficients' sizes. */
const TOLERANCE = 1e-12;
/** Terms that are evaluated one by one to check a value. */
const NUM_CHECKED = 50;
const { signal } = new AbortController();

/** One observable in one state. */
interface Case {
  readonly name: string;
  readonly numQubits: number;
  readonly observable: PauliSum;
}

/** A batch of circuits. */
interface BatchCase {
  readonly name: string;
  readonly numQubits: number;
  readonly numCircuits: number;
  readonly observables: readonly PauliSum[];
}

/** Two layers of RY and a ladder of CX, then RY: 14 qubits have 68 gates. */
function ansatz(numQubits: number): readonly GateOperation[] {
  const qubits = [...Array(numQubits).keys()];
  let next = 0;
  const rotations = () => qubits.map((q) => gate('RY', [q], [draw(0, next++) * 2 * Math.PI]));
  const ladder = qubits.slice(1).map((q) => gate('X', [q], [], [q - 1]));
  return [...rotations(), ...ladder, ...rotations(), ...ladder, ...rotations()];
}

const draw = (stream: number, i: number) => uniformDraw(17, i, stream, 0);

function randomTerms(numQubits: number, numTerms: number): PauliSum {
  return Array.from({ length: numTerms }, (_, t) => ({
    coefficient: draw(1, t) - 0.5,
    factors: [...Array(numQubits).keys()].flatMap((qubit): readonly PauliFactor[] => {
      const pauli = (['X', 'Y', 'Z'] as const)[Math.floor(4 * draw(2, t * numQubits + qubit))];
      return pauli === undefined ? [] : [{ pauli, qubit }];
    }),
  }));
}

/** A weighted ZZ on every pair of qubits. */
function allPairs(numQubits: number): PauliSum {
  const qubits = [...Array(numQubits).keys()];
  return qubits.flatMap((a) =>
    qubits.slice(a + 1).map((b) => ({
      coefficient: draw(3, numQubits * a + b),
      factors: [a, b].map((qubit) => ({ pauli: 'Z' as const, qubit })),
    })),
  );
}

const single = (pauli: PauliFactor['pauli'], ...qubits: readonly number[]) => ({
  coefficient: 1,
  factors: qubits.map((qubit) => ({ pauli, qubit })),
});
const zOnEach = (numQubits: number): readonly PauliSum[] =>
  [...Array(numQubits).keys()].map((qubit) => [single('Z', qubit)]);
const ising = (numQubits: number): PauliSum =>
  [...Array(numQubits).keys()].flatMap((q) => [
    single('X', q),
    single('Z', q, (q + 1) % numQubits),
  ]);

const CASES: readonly Case[] = [
  { name: 'water, 14 qubits, 1,086 terms', numQubits: 14, observable: waterHamiltonian() },
  { name: '18 qubits, 10,000 random terms', numQubits: 18, observable: randomTerms(18, 10_000) },
  { name: '20 qubits, ZZ on 190 pairs', numQubits: 20, observable: allPairs(20) },
];

const BATCHES: readonly BatchCase[] = [
  { name: '4 qubits, Z on each', numQubits: 4, numCircuits: 50_000, observables: zOnEach(4) },
  { name: '10 qubits, one Z', numQubits: 10, numCircuits: 1000, observables: [[single('Z', 0)]] },
  { name: '10 qubits, Ising ring', numQubits: 10, numCircuits: 1000, observables: [ising(10)] },
  {
    name: '10 qubits, 1,000 random terms',
    numQubits: 10,
    numCircuits: 100,
    observables: [randomTerms(10, 1000)],
  },
];

/** Prints and stores milliseconds of each case. */
export async function benchObservables(): Promise<void> {
  const engine = openCpuEngine({ precision: 'f64', numThreads: NUM_THREADS, maxQubits: 20 });
  await using stack = new AsyncDisposableStack();
  const { AER_PYTHON } = process.env;
  const peers: ObservablePeer[] = [];
  for (const library of OBSERVABLE_PEERS) {
    const peer = AER_PYTHON === undefined ? undefined : await observablePeer(library, AER_PYTHON);
    if (peer !== undefined) peers.push(stack.use(peer));
  }
  const measurements: Measurement[] = [];
  for (const one of CASES) measurements.push(...(await measureCase(engine, one, peers)));
  for (const batch of BATCHES) measurements.push(...(await measureBatch(engine, batch)));
  for (const { name, value, unit, spread } of measurements) {
    const range = spread?.map((x) => x.toPrecision(3)).join(' to ');
    process.stdout.write(`  ${name.padEnd(64)} ${value.toPrecision(4)} ${unit} (${range})\n`);
  }
  store('observables', measurements, { peers: peers.map(({ name }) => name) });
  await engine.close();
}

async function measureCase(
  engine: CpuEngine,
  { name, numQubits, observable }: Case,
  peers: readonly ObservablePeer[],
): Promise<readonly Measurement[]> {
  const operations = ansatz(numQubits);
  const circuit: Circuit = { numQubits, numBits: 0, operations };
  const { program } = compile(circuit, engine.target, { optimize: true });
  await using executable = await engine.prepare.statevector(program);
  const value = await checkedValue(executable, observable);
  const scale = sizeOf(observable);
  const checks: number[][] = [];
  for (const peer of peers) {
    await peer.prepare(numQubits, operations, observable);
    const { value: theirs, ms } = await peer.run();
    if (!(Math.abs(theirs - value) <= 1e-9 * scale)) {
      throw new Error(`${name}: ${peer.name} has ${theirs}, the engine ${value}`);
    }
    checks.push(ms > ROUNDS.ms / ROUNDS.least ? [ms] : []);
  }
  const observables = [observable];
  const timed = async (request: object) => {
    const started = performance.now();
    await executable.run({ shots: 0, seed: 1, ...request }, signal);
    return performance.now() - started;
  };
  const runs: readonly (readonly [string, () => Promise<number>])[] = [
    [`${name}: value`, () => timed({ observables })],
    [`${name}: value and variance`, () => timed({ observables, variances: true })],
    [`${name}: evolution alone`, () => timed({ observables: [] })],
    ...peers.map((peer) => [`${name}: ${peer.name}`, async () => (await peer.run()).ms] as const),
  ];
  // A peer that is too slow for several runs is timed by its check.
  const numOwn = runs.length - peers.length;
  const times = runs.map((_, i): number[] => checks[i - numOwn] ?? []);
  const isTimed = times.map((known) => known.length === 0);
  await inRounds(async () => {
    for (const [i, [, run]] of runs.entries()) if (isTimed[i]) times[i]!.push(await run());
  });
  return runs.map(([label], i) => summary(label, times[i]!, 'ms'));
}

/** The engine's value, some of whose terms are checked one by one. */
async function checkedValue(executable: Executable, observable: PauliSum): Promise<number> {
  const some = observable.filter((_, t) => t % Math.ceil(observable.length / NUM_CHECKED) === 0);
  const request = { shots: 0, seed: 1, statevector: true, observables: [observable, some] };
  const { statevector, expectations } = await executable.run(request, signal);
  const image = new Float64Array(statevector!.length);
  const exact = applyObservable(some, statevector!, image);
  if (!(Math.abs(exact - expectations![1]!) <= TOLERANCE * sizeOf(some))) {
    throw new Error(`The engine has ${expectations![1]}, term by term it is ${exact}.`);
  }
  return expectations![0]!;
}

const sizeOf = (observable: PauliSum) =>
  observable.reduce((sum, { coefficient }) => sum + Math.abs(coefficient), 0);

async function measureBatch(
  engine: CpuEngine,
  { name, numQubits, numCircuits, observables }: BatchCase,
): Promise<readonly Measurement[]> {
  const circuit: Circuit = { numQubits, numBits: 0, operations: ansatz(numQubits) };
  await using batch = await engine.prepare.batch(circuit);
  const angles = Float64Array.from({ length: numCircuits * batch.numAngles }, (_, i) => draw(4, i));
  await checkFirst(engine, circuit, angles.subarray(0, batch.numAngles), observables, async () => {
    return (await batch.run({ numCircuits, angles, observables }, signal)).expectations!;
  });
  const times: [number[], number[], number[]] = [[], [], []];
  const requests = [{ observables }, { observables, variances: true }, { observables: [] }];
  await inRounds(async () => {
    for (const [i, request] of requests.entries()) {
      const started = performance.now();
      await batch.run({ numCircuits, angles, ...request }, signal);
      times[i]!.push((1000 * (performance.now() - started)) / numCircuits);
    }
  });
  const labels = ['values', 'values and variances', 'evolution alone'];
  return labels.map((label, i) => summary(`batch, ${name}: ${label}`, times[i]!, 'µs a circuit'));
}

/** Checks the values of a batch's first circuit. */
async function checkFirst(
  engine: CpuEngine,
  circuit: Circuit,
  angles: Float64Array,
  observables: readonly PauliSum[],
  values: () => Promise<Float64Array>,
): Promise<void> {
  let next = 0;
  const operations = circuit.operations.map((operation) =>
    operation.kind === 'gate'
      ? { ...operation, angles: operation.angles.map(() => angles[next++]!) }
      : operation,
  );
  const { program } = compile({ ...circuit, operations }, engine.target, { optimize: true });
  await using executable = await engine.prepare.statevector(program);
  const request = { shots: 0, seed: 1, statevector: true };
  const { statevector } = await executable.run(request, signal);
  const image = new Float64Array(statevector!.length);
  const found = await values();
  for (const [i, observable] of observables.entries()) {
    const exact = applyObservable(observable, statevector!, image);
    if (!(Math.abs(exact - found[i]!) <= TOLERANCE * sizeOf(observable))) {
      throw new Error(`The batch has ${found[i]}, term by term it is ${exact}.`);
    }
  }
}

async function inRounds(round: () => Promise<void>): Promise<void> {
  const started = performance.now();
  for (let i = 0; i < ROUNDS.most; i++) {
    if (i >= ROUNDS.least && performance.now() - started > ROUNDS.ms) return;
    await round();
  }
}

function summary(name: string, times: readonly number[], unit: string): Measurement {
  return { name, value: median(times), unit, spread: [Math.min(...times), Math.max(...times)] };
}

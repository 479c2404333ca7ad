/**
 * Correctness checks before a GPU benchmark measures: small circuits against the reference engine,
 * and wide ones by facts that hold at any width. The conformance suite checks far more; this code
 * needs no test runner, so that it runs from an offline bundle.
 */
import { type Circuit, type Operation, withFinalMeasurement } from '../src/circuit/circuit.ts';
import { type CompileOptions, compile } from '../src/compiler/compile.ts';
import type { Program } from '../src/compiler/program.ts';
import type { Counts, Engine, RunRequest, RunResult } from '../src/engine/engine.ts';
import { openReferenceEngine } from '../src/engine/reference/reference-engine.ts';
import { randomGates } from './circuits.ts';
import {
  commonCircuit,
  comparedObservables,
  FAMILIES,
  type Family,
  mirrored,
  qftWitness,
  wrongOutcome,
} from './webgpu-circuits.ts';

const NEVER = new AbortController().signal;
const SHOTS = 2000;
/** Largest error of an amplitude or an expectation value in single precision. */
const TOLERANCE = 1e-4;
const AMPLITUDE_TOLERANCE = 1e-5;
/** Shots that may differ because their draws fall within rounding of a boundary. */
const MAX_STRAY_SHOTS = 4;

/** Runs a program once. */
export async function runProgramOn(
  engine: Engine,
  program: Program,
  request: Partial<RunRequest>,
): Promise<RunResult> {
  await using executable = await engine.prepare.statevector(program);
  return await executable.run({ shots: 0, seed: 1, ...request }, NEVER);
}

/** Compiles a circuit for an engine and runs it once. */
export function runOn(
  engine: Engine,
  circuit: Circuit,
  request: Partial<RunRequest>,
  options: CompileOptions = {},
): Promise<RunResult> {
  return runProgramOn(engine, compile(circuit, engine.target, options).program, request);
}

/** The largest difference of two lists; NaN where they differ in length or one holds NaN. */
export function worstDifference(a: ArrayLike<number>, b: ArrayLike<number>): number {
  if (a.length !== b.length) return Number.NaN;
  let worst = 0;
  for (let i = 0; i < a.length; i++) worst = Math.max(worst, Math.abs(a[i]! - b[i]!));
  return worst;
}

/** Number of shots that went to different outcomes in two runs. */
export function strayShots(a: Counts, b: Counts): number {
  const left = new Map<string, number>();
  for (const [counts, sign] of [
    [a, 1],
    [b, -1],
  ] as const) {
    const { wordsPerOutcome: size } = counts;
    for (const [i, count] of counts.occurrences.entries()) {
      const outcome = counts.outcomes.subarray(i * size, (i + 1) * size).join();
      left.set(outcome, (left.get(outcome) ?? 0) + sign * count);
    }
  }
  return [...left.values()].reduce((sum, count) => sum + Math.abs(count), 0) / 2;
}

function assertBelow(found: number, limit: number, what: string): void {
  if (!(found <= limit)) throw new Error(`${what}: off by ${found}, more than ${limit}`);
}

/**
 * Random circuits of 1 to `maxQubits` qubits and the common ones: amplitudes, probabilities,
 * expectation values and counts against the reference engine; measurement in the middle by counts.
 *
 * @returns How many circuits were compared.
 * @throws {Error} at the first that is wrong.
 */
export async function verifyAgainstReference(engine: Engine, maxQubits = 14): Promise<number> {
  const widths = [1, 2, 3, 5, 7, 9, 10, 11, 12, 13, 14].filter((width) => width <= maxQubits);
  const random = widths.map((width) => (width < 2 ? hadamardOn(width) : randomGates(width, 150)));
  const common = FAMILIES.map((family) => commonCircuit(family, Math.min(12, maxQubits)));
  const reference = openReferenceEngine({ maxQubits });
  for (const circuit of [...random, ...common]) await compareFinal(engine, reference, circuit);
  const split = [2, 5, 11].filter((width) => width <= maxQubits).map(feedForward);
  for (const circuit of split) await compareCounts(engine, reference, circuit);
  await reference.close();
  return random.length + common.length + split.length;
}

function hadamardOn(numQubits: number): Circuit {
  const h: Operation = { kind: 'gate', gate: 'H', controls: [], targets: [0], angles: [] };
  return { numQubits, numBits: 0, operations: [h] };
}

async function compareFinal(engine: Engine, reference: Engine, circuit: Circuit): Promise<void> {
  const observables = comparedObservables(circuit.numQubits);
  const request = { statevector: true, observables };
  const found = await runOn(engine, circuit, request);
  const expected = await runOn(reference, circuit, request, { optimize: false });
  const what = `${circuit.numQubits} qubits, ${circuit.operations.length} gates`;
  const { statevector = [], expectations = [] } = expected;
  const apart = worstDifference(found.statevector ?? [], statevector);
  assertBelow(apart, AMPLITUDE_TOLERANCE, `amplitudes of ${what}`);
  const away = worstDifference(found.expectations ?? [], expectations);
  assertBelow(away, TOLERANCE, `expectation values of ${what}`);
  const measured = withFinalMeasurement(circuit);
  const ours = await runOn(engine, measured, { shots: SHOTS, probabilities: true });
  const theirs = await runOn(reference, measured, { shots: SHOTS, probabilities: true });
  const off = worstDifference(ours.probabilities ?? [], theirs.probabilities ?? []);
  assertBelow(off, AMPLITUDE_TOLERANCE, `probabilities of ${what}`);
  assertBelow(strayShots(ours.counts, theirs.counts), MAX_STRAY_SHOTS, `shots of ${what}`);
}

/** Gates, a measurement that steers more gates, a reset, more gates, and a measurement of all. */
function feedForward(numQubits: number): Circuit {
  const [first, second] = [randomGates(numQubits, 40), randomGates(numQubits, 60)];
  const condition = { bits: [numQubits], value: 1 };
  const middle: readonly Operation[] = [
    { kind: 'measure', qubits: [numQubits - 1], bits: [numQubits] },
    { kind: 'gate', gate: 'RY', controls: [], targets: [0], angles: [1.1], condition },
    { kind: 'reset', qubits: [numQubits >> 1] },
  ];
  const qubits = Array.from({ length: numQubits }, (_, qubit) => qubit);
  return {
    numQubits,
    numBits: numQubits + 1,
    operations: [
      ...first.operations,
      ...middle,
      ...second.operations,
      { kind: 'measure', qubits, bits: qubits },
    ],
  };
}

async function compareCounts(engine: Engine, reference: Engine, circuit: Circuit): Promise<void> {
  const [ours, theirs] = [
    await runOn(engine, circuit, { shots: SHOTS }),
    await runOn(reference, circuit, { shots: SHOTS }),
  ];
  const what = `shots of ${circuit.numQubits} qubits, measured in the middle`;
  assertBelow(strayShots(ours.counts, theirs.counts), MAX_STRAY_SHOTS, what);
}

/**
 * A common circuit at a width that may have no second engine: its norm; GHZ and the adder by their
 * outcomes; the QFT by what its product state is; QAOA and RQC by undoing them.
 *
 * @throws {Error} if it is wrong.
 */
export async function verifyWide(engine: Engine, family: Family, circuit: Circuit): Promise<void> {
  const { numQubits } = circuit;
  const what = `${family} ${numQubits}`;
  const norm = [{ coefficient: 1, factors: [] }];
  const { expectations = [] } = await runOn(engine, circuit, { observables: [norm] });
  assertBelow(Math.abs((expectations[0] ?? Number.NaN) - 1), TOLERANCE, `norm of ${what}`);
  switch (family) {
    case 'ghz':
    case 'adder': {
      const { counts } = await runOn(engine, withFinalMeasurement(circuit), { shots: SHOTS });
      const wrong = wrongOutcome(family, circuit, counts);
      if (wrong !== undefined) throw new Error(wrong);
      return;
    }
    case 'qft': {
      const found = await runOn(engine, circuit, { observables: [qftWitness(circuit)] });
      const witness = found.expectations?.[0] ?? Number.NaN;
      assertBelow(Math.abs(witness / numQubits - 1), TOLERANCE, `phases of ${what}`);
      return;
    }
    case 'qaoa':
    case 'rqc': {
      const { counts } = await runOn(engine, mirrored(circuit), { shots: SHOTS });
      const isZero = counts.outcomes.every((word) => word === 0);
      if (!isZero) throw new Error(`${what}, done and undone, is not where it began`);
    }
  }
}

/** Runs programs on an engine under test, and reads the results. */
import type { Circuit, DynamicCircuit } from '../../src/circuit/circuit.ts';
import type { PauliSum } from '../../src/circuit/observable.ts';
import { compile } from '../../src/compiler/compile.ts';
import {
  compileGradient,
  type GradientKinds,
} from '../../src/compiler/gradient/compile-gradient.ts';
import type { Program } from '../../src/compiler/program.ts';
import { anglesOf } from '../../src/compiler/shape.ts';
import type {
  Counts,
  Engine,
  GradientExecutable,
  GradientResult,
  RunRequest,
  RunResult,
} from '../../src/engine/engine.ts';

/** Request of a test; without shots and with seed 1 unless it names them. */
export type Ask = Partial<RunRequest>;

/** A signal that never aborts. */
export const NEVER = new AbortController().signal;

/** Prepares a program and runs it once. */
export async function runProgram(engine: Engine, program: Program, ask: Ask): Promise<RunResult> {
  await using executable = await engine.prepare.statevector(program);
  return await executable.run({ shots: 0, seed: 1, ...ask }, NEVER);
}

/** Compiles a circuit for the engine and runs it once. */
export async function runCircuit(
  engine: Engine,
  circuit: DynamicCircuit,
  ask: Ask,
): Promise<RunResult> {
  return await runProgram(
    engine,
    compile(circuit, engine.target, { optimize: false }).program,
    ask,
  );
}

/** Makes every angle of a circuit a parameter of its own. */
export function ownSlots(circuit: DynamicCircuit): Int32Array {
  return Int32Array.from(anglesOf(circuit), (_, i) => i);
}

/** Compiles the gradient of a circuit for the engine, by each of its angles unless `kinds` says otherwise. */
export async function preparedGradient(
  engine: Engine,
  circuit: DynamicCircuit,
  kinds: GradientKinds = { slots: ownSlots(circuit) },
  values: ArrayLike<number> = anglesOf(circuit),
): Promise<GradientExecutable> {
  const program = compileGradient(circuit, kinds, engine.target).bind(values);
  if (engine.prepare.gradient === undefined) throw new Error('The engine has no gradients.');
  return await engine.prepare.gradient(program);
}

/** Compiles the gradient and runs it once. */
export async function gradientOf(
  engine: Engine,
  circuit: DynamicCircuit,
  observables: readonly PauliSum[],
  ...kinds: readonly [kinds?: GradientKinds, values?: ArrayLike<number>]
): Promise<GradientResult> {
  await using executable = await preparedGradient(engine, circuit, ...kinds);
  return await executable.run({ observables }, NEVER);
}

/** The state vector before the trailing measurements. */
export async function statevectorOf(engine: Engine, circuit: Circuit): Promise<Float64Array> {
  const { statevector } = await runCircuit(engine, circuit, { statevector: true });
  if (statevector === undefined) throw new Error('The engine gave no state vector back.');
  return statevector;
}

/** Counts by label, bit 0 rightmost, in the order they came. */
export function countsByLabel({
  numBits,
  wordsPerOutcome,
  ...counts
}: Counts): Map<string, number> {
  const byLabel = new Map<string, number>();
  for (let i = 0; i < counts.occurrences.length; i++) {
    const words = counts.outcomes.slice(i * wordsPerOutcome, (i + 1) * wordsPerOutcome);
    const text = [...words].map((word) => word.toString(2).padStart(32, '0')).reverse();
    byLabel.set(text.join('').slice(-numBits || Infinity), counts.occurrences[i]!);
  }
  return byLabel;
}

/** The largest |a_i − b_i| of two lists of amplitudes, interleaved re, im. */
export function worstAmplitude(a: Float64Array, b: Float64Array): number {
  if (a.length !== b.length) throw new Error(`${a.length} numbers against ${b.length}.`);
  let worst = 0;
  for (let i = 0; i < a.length; i += 2) {
    const distance = Math.hypot(a[i]! - b[i]!, a[i + 1]! - b[i + 1]!);
    // NaN must not pass: Math.max would hand it on, and a comparison would call it smaller.
    if (!(distance <= worst)) worst = distance;
  }
  return worst;
}

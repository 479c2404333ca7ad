/** Runs programs on an engine under test, and reads the results. */
import type { Circuit, DynamicCircuit } from '../../src/circuit/circuit.ts';
import { compile } from '../../src/compiler/compile.ts';
import type { Program } from '../../src/compiler/program.ts';
import type { Counts, Engine, RunRequest, RunResult } from '../../src/engine/engine.ts';

/** Request of a test; without shots and with seed 1 unless it names them. */
export type Ask = Partial<RunRequest>;

/** A signal that never aborts. */
export const NEVER = new AbortController().signal;

/** Prepares a program and runs it once. */
export async function runProgram(engine: Engine, program: Program, ask: Ask): Promise<RunResult> {
  await using executable = await engine.prepare(program);
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

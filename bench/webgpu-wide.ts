/**
 * One circuit at a width that may not fit: FAMILY and WIDTH as arguments. Prints one line of JSON that
 * says whether it came out right, or why not. Run by webgpu-processes.ts.
 */
import { compile } from '../src/compiler/compile.ts';
import { openBenchEngine } from './webgpu-adapter.ts';
import { commonCircuit, FAMILIES } from './webgpu-circuits.ts';
import { verifyWide } from './webgpu-facts.ts';

/** Result of an attempt. */
export interface WideAttempt {
  readonly circuit: string;
  readonly numQubits: number;
  /** "right", or the failure. */
  readonly outcome: string;
  readonly evolutionMs?: number;
  readonly sweeps?: number;
}

const NEVER = new AbortController().signal;

async function attempt(circuit: string, numQubits: number): Promise<WideAttempt> {
  const family = FAMILIES.find((name) => name === circuit);
  if (family === undefined) throw new Error(`there is no circuit ${circuit}`);
  const engine = await openBenchEngine(numQubits);
  try {
    const wide = commonCircuit(family, numQubits);
    await verifyWide(engine, family, wide);
    await using executable = await engine.prepare.statevector(compile(wide, engine.target).program);
    const { timing, statePasses } = await executable.run({ shots: 1, seed: 1 }, NEVER);
    const { evolutionMs } = timing;
    return { circuit, numQubits, outcome: 'right', evolutionMs, sweeps: statePasses };
  } finally {
    await engine.close();
  }
}

const [circuit = '', width = ''] = process.argv.slice(2);
const outcome = await attempt(circuit, Number(width)).catch(
  (error: unknown): WideAttempt => ({
    circuit,
    numQubits: Number(width),
    outcome: error instanceof Error ? error.message : String(error),
  }),
);
process.stdout.write(`${JSON.stringify(outcome)}\n`);

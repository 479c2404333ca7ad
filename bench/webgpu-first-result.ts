/**
 * Times a process from its start to the first result of a circuit. Run by webgpu-processes.ts,
 * which reads one line of JSON. The clock starts when Node does.
 */
import { withFinalMeasurement } from '../src/circuit/circuit.ts';
import { compile } from '../src/compiler/compile.ts';
import { randomGates } from './circuits.ts';
import { openBenchEngine } from './webgpu-adapter.ts';
import { commonCircuit } from './webgpu-circuits.ts';

/** Milliseconds. */
export interface FirstResult {
  /** From the start of the process to an engine with its kernels. */
  readonly openMs: number;
  /** From there to the counts of a circuit it has not seen: compiling it, running it, 1,000 shots. */
  readonly firstMs: number;
  /** Milliseconds of a second circuit, likewise. */
  readonly secondMs: number;
  /** The second one again, compiled and placed. */
  readonly repeatMs: number;
}

const NEVER = new AbortController().signal;
const NUM_QUBITS = 20;

async function main(): Promise<void> {
  const engine = await openBenchEngine();
  const openMs = performance.now();
  const circuits = [commonCircuit('rqc', NUM_QUBITS), randomGates(NUM_QUBITS, 300)];
  const times: number[] = [];
  for (const circuit of circuits) {
    const started = performance.now();
    const { program } = compile(withFinalMeasurement(circuit), engine.target);
    await using executable = await engine.prepare.statevector(program);
    const draw = async () => {
      const { counts } = await executable.run({ shots: 1000, seed: 1 }, NEVER);
      const total = counts.occurrences.reduce((sum, count) => sum + count, 0);
      if (total !== 1000) throw new Error(`${total} shots`);
    };
    await draw();
    times.push(performance.now() - started);
    const again = performance.now();
    await draw();
    times.push(performance.now() - again);
  }
  const [firstMs = Number.NaN, , secondMs = Number.NaN, repeatMs = Number.NaN] = times;
  const result: FirstResult = { openMs, firstMs, secondMs, repeatMs };
  process.stdout.write(`${JSON.stringify(result)}\n`);
  await engine.close();
}

await main();

/**
 * Duration of compilation: 100,000 random gates on 30 qubits for a GPU-like target, passes and
 * sweeps together, and whether twice the gates take twice as long. A small circuit of the same kind
 * must give the same state compiled and uncompiled.
 */
import type { Circuit } from '../src/circuit/circuit.ts';
import { compile } from '../src/compiler/compile.ts';
import type { TargetProfile } from '../src/compiler/program.ts';
import { openReferenceEngine } from '../src/engine/reference/reference-engine.ts';
import { randomGates } from './circuits.ts';
import { type Measurement, measureMs, report } from './harness.ts';

const TARGET: TargetProfile = {
  maxQubits: 34,
  tileQubits: 12,
  contiguousQubits: 4,
  maxDenseQubits: 5,
  chunkQubits: 27,
  tileChunkQubits: 3,
  precision: 'f32',
};

/** Prints and stores the times. */
export async function benchCompileTime(): Promise<void> {
  await verify(randomGates(8, 400));
  const measurements: Measurement[] = [];
  for (const numGates of [50_000, 100_000]) {
    const circuit = randomGates(30, numGates);
    const name = `${numGates.toLocaleString('en')} gates, 30 qubits`;
    const time = await measureMs(name, 5, async () => compile(circuit, TARGET));
    measurements.push(numGates === 100_000 ? { ...time, goal: 2000 } : time);
  }
  const [half, whole] = measurements;
  measurements.push({
    name: 'time for twice the gates',
    value: (whole?.value ?? Number.NaN) / (half?.value ?? Number.NaN),
    unit: 'times',
  });
  report('compile-time', measurements);
}

/** Checks that the compiled circuit gives the same state as the circuit itself. */
async function verify(circuit: Circuit): Promise<void> {
  const engine = openReferenceEngine({ maxQubits: circuit.numQubits });
  const small = { ...TARGET, tileQubits: 6, contiguousQubits: 1, chunkQubits: 7 };
  const signal = new AbortController().signal;
  const [plain, compiled] = await Promise.all(
    [compile(circuit, engine.target, { optimize: false }), compile(circuit, small)].map(
      async ({ program }) => {
        const executable = await engine.prepare.statevector(program);
        return (await executable.run({ shots: 0, seed: 1, statevector: true }, signal)).statevector;
      },
    ),
  );
  const expected = plain ?? new Float64Array();
  let worst = expected.length === 2 * 2 ** circuit.numQubits ? 0 : Number.NaN;
  for (const [i, value] of expected.entries()) {
    worst = Math.max(worst, Math.abs(value - (compiled?.[i] ?? Number.NaN)));
  }
  if (!(worst < 1e-12)) throw new Error(`the compiled circuit is off by ${worst}`);
}

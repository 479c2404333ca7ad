/**
 * The reference engine on one thread. It is the oracle, not the product: these figures show the
 * benefit of the CPU engine, and catch a slow-down that would slow the tests.
 */
import { parseOpenQasm } from '../src/circuit/openqasm/parse-openqasm.ts';
import { compile } from '../src/compiler/compile.ts';
import type { Executable, RunRequest } from '../src/engine/engine.ts';
import { openReferenceEngine } from '../src/engine/reference/reference-engine.ts';
import { copyBandwidthGBs, type Measurement, measureMs, report } from './harness.ts';

const limits = { maxQubits: 24, maxGates: 100_000 };
const signal = new AbortController().signal;

const bell =
  'OPENQASM 2.0; include "qelib1.inc"; qreg q[2]; creg c[2]; h q[0]; cx q[0],q[1]; measure q -> c;';

/** The quantum Fourier transform without the final swaps, on |5⟩. */
function qft(numQubits: number): string {
  const lines = [
    'OPENQASM 2.0; include "qelib1.inc";',
    `qreg q[${numQubits}]; creg c[${numQubits}];`,
  ];
  lines.push('x q[0];', 'x q[2];');
  for (let i = numQubits - 1; i >= 0; i--) {
    lines.push(`h q[${i}];`);
    for (let j = i - 1; j >= 0; j--) lines.push(`cp(pi/${2 ** (i - j)}) q[${j}],q[${i}];`);
  }
  lines.push('measure q -> c;');
  return lines.join('\n');
}

/** Prints and stores the times. */
export async function benchReferenceEngine(): Promise<void> {
  const engine = openReferenceEngine({ maxQubits: 24 });
  const prepare = (source: string) =>
    engine.prepare.statevector(compile(parseOpenQasm(source, limits), engine.target).program);
  const measurements: Measurement[] = [
    { name: 'copy rate of one thread', value: copyBandwidthGBs(), unit: 'GB/s' },
  ];

  const small = await prepare(bell);
  await verifyUniform(small, ['0', '3'], 1000);
  measurements.push(
    await measureMs('Bell, 1,000 shots', 200, () => small.run({ shots: 1000, seed: 1 }, signal)),
  );

  for (const numQubits of [16, 20]) {
    const executable = await prepare(qft(numQubits));
    await verifyQft(executable, numQubits);
    measurements.push(
      await measureMs(`QFT, ${numQubits} qubits, 100 shots`, 5, () =>
        executable.run({ shots: 100, seed: 1 }, signal),
      ),
      await measureMs(`QFT, ${numQubits} qubits, 1,000,000 shots`, 3, () =>
        executable.run({ shots: 1_000_000, seed: 1 }, signal),
      ),
    );
  }
  await engine.close();
  report('reference-engine', measurements);
}

async function verifyUniform(
  executable: Executable,
  outcomes: readonly string[],
  shots: number,
): Promise<void> {
  const { counts } = await executable.run({ shots, seed: 1 }, signal);
  const found = Array.from(counts.outcomes, String);
  if (found.join() !== outcomes.join()) throw new Error(`wrong outcomes: ${found.join()}`);
}

/** The transform of |5⟩ has amplitudes e^{2πi·5·k/2^n}/√2^n, k read with its bits reversed. */
async function verifyQft(executable: Executable, numQubits: number): Promise<void> {
  const request: RunRequest = { shots: 0, seed: 1, statevector: true };
  const { statevector } = await executable.run(request, signal);
  const size = 2 ** numQubits;
  for (const index of [0, 1, 12345 % size, size - 1]) {
    let reversed = 0;
    for (let bit = 0; bit < numQubits; bit++)
      reversed += ((index >> bit) & 1) << (numQubits - 1 - bit);
    const angle = (2 * Math.PI * 5 * reversed) / size;
    const error = Math.hypot(
      (statevector?.[2 * index] ?? Number.NaN) - Math.cos(angle) / Math.sqrt(size),
      (statevector?.[2 * index + 1] ?? Number.NaN) - Math.sin(angle) / Math.sqrt(size),
    );
    if (!(error < 1e-12)) throw new Error(`QFT amplitude ${index} is off by ${error}`);
  }
}

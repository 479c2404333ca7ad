/**
 * The service's side of qiskit-openqasm.py: programs as JSON lines on standard input, one answer a
 * line on standard output. A program is `{ qasm, shots? }`; the answer has its amplitudes, or with
 * shots its counts, and the circuit printed again in both versions; or the error it is refused with.
 */
import { createInterface } from 'node:readline';
import { withFinalMeasurement } from '../../src/circuit/circuit.ts';
import { parseOpenQasm } from '../../src/circuit/openqasm/parse-openqasm.ts';
import { printOpenQasm } from '../../src/circuit/openqasm/print-openqasm.ts';
import { compile } from '../../src/compiler/compile.ts';
import { openReferenceEngine } from '../../src/engine/reference/reference-engine.ts';
import { CodedError } from '../../src/errors/coded-error.ts';

const limits = { maxQubits: 16, maxGates: 1_000_000 };
const engine = openReferenceEngine({ maxQubits: limits.maxQubits });

async function answer(qasm: string, shots: number): Promise<object> {
  const circuit = parseOpenQasm(qasm, limits);
  const run = shots > 0 ? withFinalMeasurement(circuit) : circuit;
  await using executable = await engine.prepare(compile(run, engine.target).program);
  const { counts, statevector } = await executable.run(
    { shots, seed: 1, statevector: shots === 0 },
    new AbortController().signal,
  );
  return {
    numQubits: circuit.numQubits,
    numBits: circuit.numBits,
    amplitudes: statevector === undefined ? null : [...statevector],
    // Few bits here, so an outcome is one word.
    counts: [...counts.occurrences].map((count, i) => [counts.outcomes[i], count]),
    printed: { 2: printed(circuit, '2'), 3: printed(circuit, '3') },
  };
}

function printed(circuit: Parameters<typeof printOpenQasm>[0], version: '2' | '3') {
  try {
    return printOpenQasm(circuit, version);
  } catch (error) {
    if (error instanceof CodedError) return null;
    throw error;
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  const { qasm, shots = 0 } = JSON.parse(line);
  let result: object;
  try {
    result = await answer(qasm, shots);
  } catch (error) {
    if (!(error instanceof CodedError)) throw error;
    result = { error: error.message };
  }
  process.stdout.write(`${JSON.stringify(result)}\n`);
}

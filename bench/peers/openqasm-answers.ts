/**
 * The service's side of qiskit-openqasm.py and benchmark-suites.py: programs as JSON lines on
 * standard input, one answer a line on standard output. A program is `{ qasm, shots?, wants? }`; what
 * it wants is
 *
 *   parse          its size alone; the other answers have that too
 *   state          amplitudes, before the measurements at its end
 *   probabilities  the exact distribution over its bits
 *   counts         counts of its shots
 *   all            the default: amplitudes, or with shots counts; and the circuit printed again in
 *                  both versions
 *
 * The answer to what is refused is the error.
 */
import { createInterface } from 'node:readline';
import { type Circuit, withFinalMeasurement } from '../../src/circuit/circuit.ts';
import { parseOpenQasm } from '../../src/circuit/openqasm/parse-openqasm.ts';
import { printOpenQasm } from '../../src/circuit/openqasm/print-openqasm.ts';
import { compile } from '../../src/compiler/compile.ts';
import { openReferenceEngine } from '../../src/engine/reference/reference-engine.ts';
import { CodedError } from '../../src/errors/coded-error.ts';

/** Any program is read; only those that the engine has room for are run. */
const readLimits = { maxQubits: 100_000, maxGates: 10_000_000 };
const engine = openReferenceEngine({ maxQubits: 16 });

async function answer(qasm: string, shots: number, wants: string): Promise<object> {
  const circuit = parseOpenQasm(qasm, readLimits);
  const { numQubits, numBits } = circuit;
  const size = { numQubits, numBits, numOperations: circuit.operations.length };
  if (wants === 'parse') return size;
  const run = shots > 0 ? withFinalMeasurement(circuit) : circuit;
  await using executable = await engine.prepare(compile(run, engine.target).program);
  const { counts, statevector, probabilities } = await executable.run(
    {
      shots,
      seed: 1,
      statevector: shots === 0 && wants !== 'probabilities',
      probabilities: wants === 'probabilities',
    },
    new AbortController().signal,
  );
  return {
    ...size,
    amplitudes: statevector === undefined ? null : [...statevector],
    probabilities: probabilities === undefined ? null : [...probabilities],
    // Few bits here, so an outcome is one word.
    counts: [...counts.occurrences].map((count, i) => [counts.outcomes[i], count]),
    ...(wants === 'all' && { printed: { 2: printed(circuit, '2'), 3: printed(circuit, '3') } }),
  };
}

function printed(circuit: Circuit, version: '2' | '3') {
  try {
    return printOpenQasm(circuit, version);
  } catch (error) {
    if (error instanceof CodedError) return null;
    throw error;
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  const { qasm, shots = 0, wants = 'all' } = JSON.parse(line);
  let result: object;
  try {
    result = await answer(qasm, shots, wants);
  } catch (error) {
    if (!(error instanceof CodedError)) throw error;
    result = { error: error.message };
  }
  process.stdout.write(`${JSON.stringify(result)}\n`);
}
